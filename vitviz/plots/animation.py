"""Animations of a training from its timeline, as GIF or MP4.

A frame shows one snapshot: image, prediction, the attention maps of all layers and heads, and the epoch. All frames
share one color scale. Frames are drawn pixel by pixel, so that a patch is a uniform square, in the style of `figures`.
"""

import io
import math
import tempfile
from functools import cache
from pathlib import Path
from typing import Protocol

import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from vitviz.data.files import resolve_link, write_atomic
from vitviz.plots.colormaps import COLOR_MAPS
from vitviz.plots.figures import LINE_COLOR, MUTED_COLOR, SCALE_QUANTILE, TEXT_COLOR, percent
from vitviz.plots.formats import ANIMATION_FORMATS, available_formats

FPS = 10
LAST_FRAME_REPEATS = 25  # duration of the last frame
NUM_CLASSES = 5  # with a probability bar
MAP_SHADES, GRAY_SHADES = 128, 32  # of the 256 colors of a GIF; the image gets the others
COLORS = COLOR_MAPS["seq", "light"]
# Layout in pixels: two columns below the epoch, for the image and the maps.
MARGIN, HEADINGS, TOP = 20, 56, 98
SIDE, MATRIX_LEFT = 192, 276
GAP, TILE, MATRIX = 3, 60, 620  # between tiles; maximum size of a tile, and of a row of tiles
ROW, BAR_LEFT, BAR = 24, 90, 50  # of the probability bars
SCALE = 160  # width of the color bar
MIN_LABEL_PITCH = 50  # between tiles, for the label "head 1" instead of "1"


class TimelineData(Protocol):
    """The part of a timeline that animations need, with S snapshots of P images."""

    @property
    def names(self) -> list[str]:
        """Names of the images."""

    @property
    def classes(self) -> list[str]:
        """Names of the K classes."""

    @property
    def images(self) -> NDArray[np.uint8]:
        """The images, (P, H, W, 3)."""

    @property
    def probabilities(self) -> NDArray[np.float32]:
        """Predicted probabilities, (S, P, K)."""

    @property
    def epoch(self) -> NDArray[np.float32]:
        """Epoch of each snapshot, (S,)."""

    @property
    def class_token(self) -> bool:
        """Whether the maps are the class token's attention, or the mean over the patches."""

    def maps(self, image: int) -> NDArray[np.float32]:
        """Return the attention maps of an image, (S, L, A, gh, gw)."""


def save_animation(timeline: TimelineData, image: str, path: str | Path) -> None:
    """Write the animation of an image, in the format given by the file's ending.

    Raises:
        ValueError: If the ending or the image is unknown, or imageio-ffmpeg is missing for an MP4.
    """
    path = Path(path)
    if path.suffix.lower() not in ANIMATION_FORMATS:
        raise ValueError(f"The animation file must end in {' or '.join(ANIMATION_FORMATS)}: got {path.name!r}.")
    write_atomic(resolve_link(path), render(timeline, image, path.suffix.lower()))


def render(timeline: TimelineData, image: str, ending: str) -> bytes:
    """Return the animation of an image as the bytes of a file with one of the endings `ANIMATION_FORMATS`."""
    if image not in timeline.names:
        raise ValueError(f"The timeline has no image {image!r}. Use one of: {', '.join(timeline.names)}.")
    if ending not in available_formats():
        raise ValueError("An MP4 animation needs imageio-ffmpeg: pip install imageio-ffmpeg, or write a .gif.")
    images = frames(timeline, timeline.names.index(image))
    return gif(images) if ending == ".gif" else mp4(images)


def frames(timeline: TimelineData, image: int) -> list[Image.Image]:
    """Return one frame per snapshot, all of one size."""
    maps = as_squares(timeline.maps(image), timeline.images.shape[1:3])  # (S, L, A, gh, gw)
    top = float(np.quantile(maps, SCALE_QUANTILE)) or 1.0
    base = background(timeline.images[image], maps[0], top)
    query = "the class token" if timeline.class_token else "the mean of the patches"
    draw_text(ImageDraw.Draw(base), (MATRIX_LEFT, HEADINGS), f"What {query} attends to", bold=True)
    probabilities = timeline.probabilities[:, image]  # (S, K)
    shown = np.argsort(-probabilities.max(0))[:NUM_CLASSES]
    shown = shown[np.argsort(-probabilities[-1, shown])]
    drawn = []
    for index, epoch in enumerate(timeline.epoch):
        frame = base.copy()
        draw = ImageDraw.Draw(frame)
        draw_text(draw, (MARGIN, MARGIN), f"Epoch {epoch:.{2 if epoch < 10 else 1}f}", size=20, bold=True)
        draw_maps(frame, maps[index], top)
        draw_prediction(draw, [timeline.classes[k] for k in shown], probabilities[index, shown])
        draw_progress(draw, frame.size, index / max(1, len(timeline.epoch) - 1))
        drawn.append(frame)
    return drawn


def as_squares(maps: NDArray[np.float32], size: tuple[int, ...]) -> NDArray[np.float32]:
    """Repeat rows or columns of maps (..., gh, gw) of an image of size (H, W) so that every cell is square."""
    height, width = (max(1, side // count) for side, count in zip(size, maps.shape[-2:], strict=True))
    unit = math.gcd(height, width)
    return maps.repeat(height // unit, -2).repeat(width // unit, -1)


def background(image: NDArray[np.uint8], maps: NDArray[np.float32], top: float) -> Image.Image:
    """Draw the parts that are equal in all frames: headings, image, labels of layers and heads, and color bar."""
    layers, heads = maps.shape[:2]
    right, bottom = corner(maps, layers - 1, heads - 1, end=True)
    width = max(right, MATRIX_LEFT + SIDE + 130) + MARGIN
    height = max(bottom + 84, TOP + SIDE + 46 + NUM_CLASSES * ROW) + MARGIN
    frame = Image.new("RGB", (width + width % 2, height + height % 2), "white")  # MP4 requires even sides
    draw = ImageDraw.Draw(frame)
    draw_text(draw, (MARGIN, HEADINGS), "Model input", bold=True)
    draw_text(draw, (MARGIN, TOP + SIDE + 16), "Prediction", bold=True)
    frame.paste(scale_image(image), (MARGIN, TOP))
    pitch = corner(maps, 0, 1)[0] - corner(maps, 0, 0)[0]
    for head in range(heads):
        x, _ = corner(maps, 0, head)
        named = head == 0 and pitch >= MIN_LABEL_PITCH
        draw_text(draw, (x, TOP - 18), f"head {head + 1}" if named else str(head + 1), color=MUTED_COLOR)
    for layer, head in np.ndindex(layers, heads):
        (x, y), (to_x, to_y) = corner(maps, layer, head), corner(maps, layer, head, end=True)
        draw.rectangle((x - 1, y - 1, to_x, to_y), outline=LINE_COLOR)
    for layer in range(layers):
        _, y = corner(maps, layer, 0)
        name = f"layer {layer + 1}" if layer == 0 else str(layer + 1)
        draw_text(draw, (MATRIX_LEFT - 8, y), name, color=MUTED_COLOR, anchor="ra")
    draw_scale(frame, bottom + 14, top)
    return frame


def scale_image(image: NDArray[np.uint8]) -> Image.Image:
    """Scale an image (H, W, 3) to its area, by an integer factor if it is smaller."""
    enlarged_image = Image.fromarray(image)
    factor = SIDE // max(enlarged_image.size)
    if factor < 1:
        enlarged_image.thumbnail((SIDE, SIDE))
        return enlarged_image
    return enlarged_image.resize(
        (factor * enlarged_image.width, factor * enlarged_image.height), Image.Resampling.NEAREST
    )


def cell(maps: NDArray[np.float32]) -> int:
    """Return the side of the square for one patch of maps (L, A, gh, gw), in pixels."""
    tile = min(TILE, MATRIX // max(maps.shape[:2]))
    return max(1, tile // max(maps.shape[2:]))


def corner(maps: NDArray[np.float32], layer: int, head: int, end: bool = False) -> tuple[int, int]:
    """Return the upper left corner of a tile, or its lower right one: x, y in pixels."""
    gh, gw = maps.shape[2:]
    side = cell(maps)
    return (
        MATRIX_LEFT + head * (gw * side + GAP) + end * gw * side,
        TOP + layer * (gh * side + GAP) + end * gh * side,
    )


def draw_maps(image: Image.Image, maps: NDArray[np.float32], top: float) -> None:
    """Draw one tile per layer and head of maps (L, A, gh, gw), with a uniform square per patch."""
    side = cell(maps)
    shades = COLORS[(maps / top * 255).clip(0, 255).round().astype(np.uint8)]  # (L, A, gh, gw, 3)
    tiles = shades.repeat(side, 2).repeat(side, 3)
    for layer, head in np.ndindex(*maps.shape[:2]):
        image.paste(Image.fromarray(tiles[layer, head]), corner(maps, layer, head))


def draw_prediction(draw: ImageDraw.ImageDraw, labels: list[str], probabilities: NDArray[np.float32]) -> None:
    """Draw probability bars of the classes, in the same order in all frames."""
    for place, (label, probability) in enumerate(zip(labels, probabilities, strict=True)):
        x, y = MARGIN + BAR_LEFT, TOP + SIDE + 42 + place * ROW
        draw_text(draw, (MARGIN, y), truncate(label, BAR_LEFT - 8))
        draw.rectangle((x, y + 3, x + BAR, y + 10), fill=LINE_COLOR)
        draw.rectangle((x, y + 3, x + round(BAR * float(probability)), y + 10), fill=MUTED_COLOR)
        draw_text(draw, (MARGIN + SIDE, y), f"{100 * probability:.1f} %", color=MUTED_COLOR, anchor="ra")


def draw_scale(image: Image.Image, y: int, top: float) -> None:
    """Draw the color bar with the values of its first and last color."""
    bar = Image.fromarray(COLORS[None]).resize((SCALE, 10), Image.Resampling.NEAREST)
    image.paste(bar, (MATRIX_LEFT, y))
    draw = ImageDraw.Draw(image)
    draw_text(draw, (MATRIX_LEFT, y + 16), "0 %", color=MUTED_COLOR)
    draw_text(
        draw, (MATRIX_LEFT + SCALE, y + 16), f"{percent().format_pct(top, top)} or more", color=MUTED_COLOR, anchor="ma"
    )
    draw_text(draw, (MATRIX_LEFT, y + 34), "attention weight, one scale for all frames", color=MUTED_COLOR)


def draw_progress(draw: ImageDraw.ImageDraw, size: tuple[int, int], progress: float) -> None:
    """Draw the progress of the animation as a line along the lower edge."""
    width, height = size
    draw.line((MARGIN, height - 12, width - MARGIN, height - 12), fill=LINE_COLOR, width=3)
    draw.line((MARGIN, height - 12, MARGIN + (width - 2 * MARGIN) * progress, height - 12), fill=MUTED_COLOR, width=3)


def draw_text(
    draw: ImageDraw.ImageDraw,
    place: tuple[int, int],
    text: str,
    size: int = 13,
    bold: bool = False,
    color: str = TEXT_COLOR,
    anchor: str = "la",
) -> None:
    """Draw a line of text in the font of the figures."""
    draw.text(place, text, color, font(size, bold), anchor)


@cache
def font(size: int, bold: bool) -> ImageFont.FreeTypeFont:
    """Load the font that Matplotlib bundles."""
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(Path(mpl.get_data_path(), "fonts", "ttf", name), size)


def truncate(text: str, width: int) -> str:
    """Truncate a text to a width in pixels."""
    if font(13, False).getlength(text) <= width:
        return text
    while text and font(13, False).getlength(f"{text}…") > width:
        text = text[:-1]
    return f"{text}…"


def gif(images: list[Image.Image]) -> bytes:
    """Encode frames as a looping GIF with one palette and no dithering, which would change the values shown."""
    colors = palette(images[0])
    first, *others = [to_palette(image, colors) for image in images]
    times = [1000 // FPS] * len(others) + [1000 * LAST_FRAME_REPEATS // FPS]
    buffer = io.BytesIO()
    first.save(buffer, "GIF", save_all=True, append_images=others, duration=times, loop=0)
    return buffer.getvalue()


def palette(frame: Image.Image) -> NDArray[np.uint8]:
    """Choose at most 256 colors, (n, 3): shades of the maps, grays for text, and colors of the image in this frame."""
    maps = COLORS[np.linspace(0, 255, MAP_SHADES).round().astype(int)]
    dark = [int(TEXT_COLOR[place : place + 2], 16) for place in (1, 3, 5)]
    grays = np.linspace(dark, (255, 255, 255), GRAY_SHADES).round().astype(np.uint8)
    place = (MARGIN, TOP, MARGIN + SIDE, TOP + SIDE)
    image = frame.crop(place).quantize(256 - MAP_SHADES - GRAY_SHADES).getpalette() or []
    return np.concatenate([maps, grays, np.array(image, np.uint8).reshape(-1, 3)])[:256]


def to_palette(image: Image.Image, colors: NDArray[np.uint8]) -> Image.Image:
    """Convert an image to a palette (n, 3) by the nearest color of each pixel; Pillow's search is only approximate."""
    packed = np.asarray(image).astype(np.int32) @ np.array([1 << 16, 1 << 8, 1], np.int32)  # (H, W)
    distinct, inverse = np.unique(packed, return_inverse=True)
    levels = np.stack([distinct >> 16, distinct >> 8 & 255, distinct & 255], -1)  # (m, 3)
    nearest = ((levels[:, None] - colors.astype(np.int32)) ** 2).sum(-1).argmin(1)  # (m,)
    found = Image.fromarray(nearest[inverse].reshape(packed.shape).astype(np.uint8), "P")
    found.putpalette(colors.tobytes())
    return found


def mp4(images: list[Image.Image]) -> bytes:
    """Encode frames as an MP4 (H.264), which every browser plays; needs imageio-ffmpeg."""
    from imageio_ffmpeg import write_frames

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "animation.mp4")
        writer = write_frames(str(path), images[0].size, fps=FPS, quality=8, macro_block_size=2)
        writer.send(None)
        for image in [*images, *[images[-1]] * (LAST_FRAME_REPEATS - 1)]:
            writer.send(image.tobytes())
        writer.close()
        return path.read_bytes()
