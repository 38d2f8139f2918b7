"""Drawings in points, on one Matplotlib axes: maps as vector cells, frames, text; rendered as PNG, SVG, PDF or HTML.

Drawings are white and independent of the user's Matplotlib settings. These settings are global to the process, so a
lock allows one figure to be drawn at a time.
"""

import html
import io
import re
import threading
from collections.abc import Iterable
from contextlib import AbstractContextManager
from functools import cache, lru_cache
from typing import Any

import numpy as np
from matplotlib import font_manager, style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from numpy.typing import NDArray
from PIL import Image

from vitviz.plots.colormaps import COLOR_MAPS

FORMATS = (".png", ".svg", ".pdf", ".html")
TEXT_COLOR, MUTED_COLOR, LINE_COLOR, ACCENT_COLOR = "#1a1d21", "#59606a", "#dfe2e6", "#0b5cad"
ACCENT_FILL = "#e7f0fa"
STYLE = {
    "font.size": 8,
    "text.color": TEXT_COLOR,
    "svg.hashsalt": "vitviz",
    "image.composite_image": False,  # each map stays an image with its own name
    "svg.fonttype": "none",
    "pdf.fonttype": 42,  # TrueType, which journals take
}
FONTS = ("Arial", "Liberation Sans", "DejaVu Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "PingFang SC")
MAP_COLORS = ListedColormap(COLOR_MAPS["seq", "light"] / 255).with_extremes(bad=LINE_COLOR)
SIGNED_COLORS = ListedColormap(COLOR_MAPS["div", "light"] / 255).with_extremes(bad=LINE_COLOR)
DPI = 300  # of PNG files and of images in SVG and PDF files
SLIDE = (960.0, 540.0)  # pt, 16:9
SLIDE_MARGIN = 24.0
OVERLAP = 0.5  # pt that a cell reaches under its right and lower neighbor, so that viewers show no seam
SMOOTH_STEP = 24  # pixels per patch of a smoothed map
MIN_PIXELS = 480  # side to which images are enlarged, so that viewers do not blur their pixels
MEASURING_SCALE = 16  # pixels per point at which text is measured
DRAWING_LOCK = threading.RLock()
Box = tuple[float, float, float, float]  # left, top, width, height


def own_style() -> AbstractContextManager[None]:
    """Matplotlib's defaults with the style of these figures; characters that a font lacks come from the next one."""
    return style.context(["default", {**STYLE, "font.family": list(fonts())}])


@cache
def fonts() -> tuple[str, ...]:
    """Return the fonts that are installed."""
    known = set(font_manager.get_font_names())
    return tuple(font for font in FONTS if font in known)


def plain(text: str) -> str:
    """Escape dollar signs, which start formulas in Matplotlib, and replace control characters, invalid in SVG."""
    return "".join(char if char.isprintable() or char == "\u00a0" else " " for char in text).replace("$", r"\$")


def bare(axes: Axes) -> None:
    """Remove ticks, thin the frame and align the axes to the left."""
    axes.set(xticks=[], yticks=[], anchor="W")
    axes.spines[:].set(color=LINE_COLOR, linewidth=0.5)


class Drawing:
    """A white page in points from its upper left corner, which grows downward while it is drawn on."""

    def __init__(self, width: float) -> None:
        self.width, self.bottom = width, 0.0
        self.figure = Figure(facecolor="white")
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set_axis_off()
        self.axes.set_autoscale_on(False)

    def text(self, x: float, y: float, text: str, size: float = 8, **style: Any) -> None:
        """Write a line with its baseline at `y`."""
        label = self.axes.text(x, y, plain(text), fontsize=size, va="baseline", **style)
        label.set_clip_on(False)
        self.bottom = max(self.bottom, y + 0.3 * size)

    def paragraph(self, x: float, y: float, width: float, text: str, size: float, most: int = 9, **style: Any) -> float:
        """Write text in lines of a width, at most `most` of them; return the baseline below the last one."""
        for line in wrap(text, width, size, style.get("weight", "normal"), most):
            self.text(x, y, line, size, **style)
            y += 1.35 * size
        return y

    def map(self, box: Box, colors: NDArray[np.uint8], smooth: bool = False, gid: str | None = None) -> None:
        """Draw a map's colors (gh, gw, 3): a cell per patch in reading order, or interpolated between their centers."""
        if smooth:
            rows, columns = colors.shape[:2]
            size = columns * SMOOTH_STEP, rows * SMOOTH_STEP
            self.image(box, np.asarray(Image.fromarray(colors).resize(size, Image.Resampling.BILINEAR)), gid)
            return
        left, top, width, height = box
        rows, columns = colors.shape[:2]
        x, y = left + width * np.arange(columns + 1) / columns, top + height * np.arange(rows + 1) / rows
        right, lower = x[1:] + OVERLAP, y[1:] + OVERLAP
        right[-1], lower[-1] = x[-1], y[-1]
        corners = [
            np.broadcast_arrays(a[None, :], b[:, None])
            for a, b in ((x[:-1], y[:-1]), (right, y[:-1]), (right, lower), (x[:-1], lower))
        ]
        cells = np.stack([np.stack(corner, -1) for corner in corners], 2).reshape(-1, 4, 2)  # (N, 4, 2)
        group = PolyCollection(list(cells), facecolors=colors.reshape(-1, 3) / 255, linewidths=0, antialiased=False)
        self.add(group, gid)

    def image(self, box: Box, pixels: NDArray[np.uint8], gid: str | None = None) -> None:
        """Draw an image (H, W, 3) pixel by pixel."""
        left, top, width, height = box
        times = max(1, -(-MIN_PIXELS // max(pixels.shape[:2])))
        shown = self.axes.imshow(
            pixels.repeat(times, 0).repeat(times, 1),
            interpolation="none",
            extent=(left, left + width, top + height, top),
            aspect="auto",
            clip_on=False,
        )
        shown.set_gid(gid)
        self.bottom = max(self.bottom, top + height)

    def rectangle(self, box: Box, gid: str | None = None, **style: Any) -> None:
        """Draw a rectangle; by default a filled one."""
        left, top, width, height = box
        patch = Rectangle((left, top), width, height, **({"linewidth": 0} | style))
        patch.set_clip_on(False)
        patch.set_gid(gid)
        self.axes.add_patch(patch)
        self.bottom = max(self.bottom, top + height)

    def frame(self, box: Box, width: float = 2, halo: float = 1, gid: str | None = None) -> None:
        """Frame a box in the accent color between white lines, visible on dark and light."""
        for line, color, name in ((width + 2 * halo, "white", None), (width, ACCENT_COLOR, gid)):
            self.rectangle(box, name, fill=False, edgecolor=color, linewidth=line, joinstyle="miter")

    def lines(self, lines: Iterable[Any], gid: str | None = None, **style: Any) -> None:
        """Draw polylines (n, 2)."""
        self.add(LineCollection(list(lines), **({"colors": MUTED_COLOR, "linewidths": 0.5} | style)), gid)

    def add(self, group: Any, gid: str | None) -> None:
        """Add a collection."""
        group.set_clip_on(False)
        group.set_gid(gid)
        self.axes.add_collection(group, autolim=False)

    def finish(self, margin: float, slide: bool) -> Figure:
        """Return the figure, cut below the last element, or fitted into a slide of 16:9."""
        width, height = self.width, self.bottom + margin
        page, scale, left, top = (width, height), 1.0, 0.0, 0.0
        if slide:
            page = SLIDE
            scale = min(page[0] / width, page[1] / height)
            left, top = (
                (side - scale * length) / 2 / scale for side, length in zip(page, (width, height), strict=True)
            )
            for text in self.axes.texts:
                text.set_fontsize(scale * text.get_fontsize())
            for artist in (*self.axes.patches, *self.axes.collections):
                artist.set_linewidth(scale * np.asarray(artist.get_linewidth()))
        self.figure.set_size_inches(page[0] / 72, page[1] / 72)
        self.axes.set(xlim=(-left, page[0] / scale - left), ylim=(page[1] / scale - top, -top))
        return self.figure


@cache
def measuring() -> RendererAgg:
    """The renderer that measures text; at a low resolution, hinting would round the width of every letter."""
    return RendererAgg(1, 1, 72 * MEASURING_SCALE)


@lru_cache(maxsize=4096)
def text_width(text: str, size: float, weight: str = "normal") -> float:
    """Return the width of a line (pt)."""
    font = FontProperties(family=list(fonts()), size=size, weight=weight)
    return float(measuring().get_text_width_height_descent(plain(text), font, ismath=False)[0]) / MEASURING_SCALE


def wrap(text: str, width: float, size: float, weight: str = "normal", most: int = 9) -> list[str]:
    """Break text into lines of a width (pt), links after "?", "&" or "_"; the last of `most` lines may end in "…"."""
    lines = [""]
    for part in re.split(r"(?<=[ ?&_])", text):
        longer = lines[-1] + part
        if not lines[-1] or text_width(longer.rstrip(), size, weight) <= width:
            lines[-1] = longer
        else:
            lines.append(part)
    if len(lines) > most:
        lines = [*lines[: most - 1], "".join(lines[most - 1 :])]
    return [shorten(line.rstrip(), width, size, weight) for line in lines]


def shorten(text: str, width: float, size: float, weight: str = "normal") -> str:
    """Cut a line off with an ellipsis if it is longer than a width (pt)."""
    if text_width(text, size, weight) <= width:
        return text
    while text and text_width(f"{text}…", size, weight) > width:
        text = text[: -max(1, len(text) // 20)]
    return f"{text.rstrip()}…"


def render(figure: Figure, ending: str, dpi: int = DPI) -> bytes:
    """Return a figure as the bytes of a file with one of the endings `FORMATS`."""
    if ending == ".html":
        return page(render(figure, ".svg").decode()).encode()
    buffer = io.BytesIO()
    with DRAWING_LOCK, own_style():
        figure.savefig(buffer, format=ending[1:], dpi=dpi, metadata={"Date": None} if ending == ".svg" else None)
    return buffer.getvalue()


def page(svg: str) -> str:
    """Return a standalone HTML page with an SVG image; it loads nothing from the network."""
    title = html.escape("What a Vision Transformer attends to")
    image = svg[svg.index("<svg") :]
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f"<style>body {{ margin: 2rem auto; max-width: 60rem }} svg {{ width: 100%; height: auto }}</style>\n"
        f"<h1>{title}</h1>\n{image}\n</html>\n"
    )
