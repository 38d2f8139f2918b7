"""Animations of an explanation, as GIF or lossless WebP: its large map through the layers, or patch by patch."""

from collections.abc import Sequence

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from numpy.typing import NDArray
from PIL import Image

from vitviz.plots.canvas import ACCENT_COLOR, DRAWING_LOCK, TEXT_COLOR, own_style
from vitviz.plots.chart import Chart
from vitviz.plots.encoders import encode_gif, encode_webp
from vitviz.plots.figures import draw_frame

SECONDS_PER_LAYER, SECONDS_PER_PATCH = 1.0, 0.2
MAX_SLOW_FRAMES = 24  # an animation of more frames plays faster
DPI = 108
MAP_SHADES, GRAY_SHADES = 160, 24  # of the 256 colors of a GIF


def render(charts: Sequence[Chart], ending: str) -> bytes:
    """Return the animation of charts of one image as the bytes of a .gif or .webp file."""
    images = [draw_chart(chart) for chart in charts]
    size = max(image.width for image in images), max(image.height for image in images)
    images = [extended(image, size) for image in images]
    seconds = SECONDS_PER_LAYER if len(images) <= MAX_SLOW_FRAMES else SECONDS_PER_PATCH
    times = [round(1000 * seconds)] * len(images)
    return encode_webp(images, times) if ending == ".webp" else encode_gif(images, times, palette(charts[0]))


def extended(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    """Return an image extended to a size with white on the right and below."""
    page = Image.new("RGB", size, "white")
    page.paste(image)
    return page


def draw_chart(chart: Chart) -> Image.Image:
    """Draw a frame; its sides are even, as MP4 requires."""
    figure = draw_frame(chart)
    with DRAWING_LOCK, own_style():
        figure.set_dpi(DPI)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        pixels = np.asarray(canvas.buffer_rgba())[..., :3]
    return Image.fromarray(pixels[: pixels.shape[0] // 2 * 2, : pixels.shape[1] // 2 * 2])


def palette(chart: Chart) -> NDArray[np.uint8]:
    """Choose 256 colors, (256, 3): shades of the map, so that its values do not change, grays, and the image's."""
    maps = chart.scale.table[np.linspace(0, 255, MAP_SHADES).round().astype(int)]
    accent, text = (255 * np.array([to_rgb(ACCENT_COLOR), to_rgb(TEXT_COLOR)])).round().astype(np.uint8)
    grays = np.linspace(text, 255, GRAY_SHADES).round().astype(np.uint8)
    pixels = Image.fromarray(chart.image).quantize(255 - MAP_SHADES - GRAY_SHADES).getpalette() or []
    colors = np.concatenate([maps, accent[None], grays, np.array(pixels, np.uint8).reshape(-1, 3)])
    return np.resize(colors, (256, 3))
