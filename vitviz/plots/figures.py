"""Figures of maps for papers, slides and worksheets, as PNG, SVG, PDF or a standalone HTML page.

Figures have a white background and labeled scales, independent of the user's Matplotlib settings. These settings are
global to the process, so a lock allows one figure to be drawn at a time.
"""

import html
import io
import textwrap
import threading
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from matplotlib import font_manager, style
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import Colormap, ListedColormap
from matplotlib.figure import Figure, SubFigure
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator, PercentFormatter
from numpy.typing import NDArray

from vitviz.plots.colormaps import COLOR_MAPS

FORMATS = (".png", ".svg", ".pdf", ".html")
Unit = Literal["weights", "logits", "relative"]
TEXT_COLOR, MUTED_COLOR, LINE_COLOR, ACCENT_COLOR = "#1a1d21", "#59606a", "#dfe2e6", "#0b5cad"
MAP_COLORS = ListedColormap(COLOR_MAPS["seq", "light"] / 255).with_extremes(bad=LINE_COLOR)
SIGNED_COLORS = ListedColormap(COLOR_MAPS["div", "light"] / 255).with_extremes(bad=LINE_COLOR)
UNITS: dict[Unit, str] = {
    "weights": "attention weight",
    "logits": "contribution to the logit; negative is evidence against the class",
    "relative": "relative to the maximum",
}
TITLE_WIDTH = 42  # characters in a line of the large map's title
MAX_LABEL_LENGTH = 20  # characters of a class name next to its bar
STYLE = {
    "font.size": 8,
    "text.color": TEXT_COLOR,
    "svg.hashsalt": "vitviz",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,  # TrueType, which journals take
}
FONTS = ("DejaVu Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "PingFang SC", "Microsoft YaHei")
DRAWING_LOCK = threading.RLock()
SCALE_QUANTILE = 0.995  # end of the shared scale, so that one sharp head does not make all others pale


@dataclass(frozen=True)
class Chart:
    """Content of a figure.

    Attributes:
        image: The model input, (H, W, 3) uint8.
        title: Title of the large map.
        large: The large map, (gh, gw); NaN for removed patches, or if all of its heads are ablated.
        unit: Unit of the large map: attention weights, logits of either sign, or relative to the maximum.
        maps: Attention of all layers and heads, (L, A, gh, gw); NaN, and crossed out, for ablated heads and removed
            patches.
        matrix_title: Title of `maps`.
        labels: K class names.
        probabilities: (K,); None for a model that was trained without labels.
        footer: One line: model, image, preprocessing and ablation.
        query: The query patches, positions in reading order from 0; framed.
        large_is_of_query: Whether the large map shows the query's attention, and frames it, too; a method's does not.
        scale_notes: Notes below the scales of the large map and of `maps`: the attention that goes to no patch.
    """

    image: NDArray[np.uint8]
    title: str
    large: NDArray[np.float32]
    unit: Unit
    maps: NDArray[np.float32]
    matrix_title: str
    labels: list[str]
    probabilities: NDArray[np.float32] | None
    footer: str
    query: tuple[int, ...] = ()
    large_is_of_query: bool = True
    scale_notes: tuple[str, str] = ("", "")

    @property
    def removed(self) -> NDArray[np.bool_]:
        """Mask of the removed patches, (gh, gw)."""
        return np.asarray(np.isnan(self.maps).all((0, 1)))


def draw(chart: Chart) -> Figure:
    """Draw image, large map and prediction on the left, and all layers and heads on one scale on the right."""
    layers, heads = chart.maps.shape[:2]
    with DRAWING_LOCK, own_style():
        figure = Figure(figsize=(10, max(5.2, 2.2 + 0.62 * layers)), facecolor="white", layout="constrained")
        figure.get_layout_engine().set(rect=(0, 0.035, 1, 0.965))
        left, right = figure.subfigures(1, 2, width_ratios=(1, max(1.4, 0.24 * heads)))
        image, large, prediction = left.subplots(3, 1, height_ratios=(1, 1.15, 0.55))
        show_image(image, chart)
        show_large(large, chart)
        show_prediction(prediction, chart)
        show_matrix(right, chart)
        figure.text(0.01, 0.005, plain(chart.footer), fontsize=6, color=MUTED_COLOR)
    return figure


def own_style() -> AbstractContextManager[None]:
    """Matplotlib's defaults with the style of these figures; characters that a font lacks come from the next one."""
    known = font_manager.get_font_names()
    return style.context(["default", {**STYLE, "font.family": [font for font in FONTS if font in known]}])


def plain(text: str) -> str:
    """Escape dollar signs, which start formulas in Matplotlib, and replace control characters, invalid in SVG."""
    return "".join(char if char.isprintable() else " " for char in text).replace("$", r"\$")


def show_image(axes: Axes, chart: Chart) -> None:
    """Draw the model input, pixel by pixel, with the query patches framed."""
    axes.imshow(chart.image, interpolation="nearest", extent=extent(chart.image))
    bare(axes)
    cross(axes, chart.removed, chart.image)
    frame(axes, chart)
    axes.set_title("Model input", loc="left", fontweight="bold")


def extent(image: NDArray[np.uint8]) -> tuple[float, float, float, float]:
    """Return left, right, bottom and top of an image (H, W, 3), in pixels from the upper left corner."""
    return 0, image.shape[1], image.shape[0], 0


def frame(axes: Axes, chart: Chart) -> None:
    """Frame the query patches in two colors, visible on dark and light."""
    (rows, columns), (height, width) = chart.large.shape, chart.image.shape[:2]
    for row, column in (divmod(patch, columns) for patch in chart.query):
        corner = (column * width / columns, row * height / rows)
        for color, linewidth in (("white", 3), (ACCENT_COLOR, 1.5)):
            axes.add_patch(
                Rectangle(corner, width / columns, height / rows, fill=False, color=color, lw=linewidth, zorder=3)
            )


def cross(axes: Axes, cells: NDArray[np.bool_], image: NDArray[np.uint8]) -> None:
    """Cross out the cells of a mask (gh, gw) on a map or image (H, W, 3), or the whole of it with one line."""
    height, width = image.shape[:2]
    rows, columns = (1, 1) if cells.all() else cells.shape
    places = np.argwhere(cells[:rows, :columns])[:, None, ::-1]  # (n, 1, 2), column before row
    lower_left_to_upper_right = np.array([[0, 1], [1, 0]])
    lines = (places + lower_left_to_upper_right) * (width / columns, height / rows)  # (n, 2, 2)
    axes.add_collection(LineCollection(lines, colors=MUTED_COLOR, linewidths=0.5), autolim=False)


def show_large(axes: Axes, chart: Chart) -> None:
    """Draw the large map on its own scale, with a color bar; or a note if it is empty."""
    title = textwrap.wrap(chart.title, TITLE_WIDTH, max_lines=2, placeholder="…")
    axes.set_title("\n".join(map(plain, title)), loc="left", fontweight="bold")
    missing = np.isnan(chart.large)
    top = float(np.abs(chart.large[~missing]).max(initial=0))
    if not top:
        show_map(axes, chart.large, chart.image, (0, 1))
        note = "ablated" if missing.all() else "0 everywhere"
        axes.text(0.5, 0.5, note, transform=axes.transAxes, ha="center", va="center", color=MUTED_COLOR)
        return
    cross(axes, missing, chart.image)
    if chart.unit == "logits":
        image = show_map(axes, chart.large, chart.image, (-top, top), SIGNED_COLORS)
    elif chart.unit == "weights":
        image = show_map(axes, chart.large, chart.image, (0, top))
    else:
        image = show_map(axes, chart.large / top, chart.image, (0, 1))
    if chart.large_is_of_query:
        frame(axes, chart)
    numbers = percent() if chart.unit == "weights" else None
    label = f"{UNITS[chart.unit]}; separate scale"
    style = {"shrink": 0.8, "anchor": (0, 1), "panchor": False}
    add_scale(axes.figure, image, (label, chart.scale_notes[0]), ax=axes, format=numbers, **style)


def add_scale(figure: Figure | SubFigure, image: AxesImage, labels: tuple[str, str], **style: Any) -> None:
    """Add a color bar with labels below, and about one tick per inch of its figure, so that numbers do not overlap."""
    bar = figure.colorbar(image, location="bottom", **style)
    bar.outline.set_visible(False)
    bar.locator = MaxNLocator(max(2, int(figure.bbox.width / figure.dpi)))
    bar.set_label("\n".join(filter(None, labels)), color=MUTED_COLOR)


def percent() -> PercentFormatter:
    """Formatter for attention weights as percentages, with as many decimals as the range needs."""
    return PercentFormatter(1, symbol=" %")


def shortened(name: str) -> str:
    """Shorten a class name to leave room for the bars."""
    return name if len(name) <= MAX_LABEL_LENGTH else f"{name[: MAX_LABEL_LENGTH - 1]}…"


def show_prediction(axes: Axes, chart: Chart) -> None:
    """Draw the five most probable classes as bars."""
    axes.set_title("Prediction", loc="left", fontweight="bold")
    if chart.probabilities is None:
        axes.set_axis_off()
        axes.text(0, 1, "none: trained without labels", transform=axes.transAxes, va="top", color=MUTED_COLOR)
        return
    best = np.argsort(-chart.probabilities)[:5]
    bars = axes.barh(range(len(best)), chart.probabilities[best], color=MUTED_COLOR, height=0.6)
    axes.bar_label(bars, [f"{100 * chart.probabilities[k]:.1f} %" for k in best], padding=3, color=MUTED_COLOR)
    axes.set_yticks(range(len(best)), [plain(shortened(chart.labels[k])) for k in best])
    axes.set(xlim=(0, 1.25), xticks=[])
    axes.invert_yaxis()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def show_matrix(figure: Figure | SubFigure, chart: Chart) -> None:
    """Draw one tile per layer and head, all on one scale, clipped at the value on the color bar."""
    maps = chart.maps
    layers, heads = maps.shape[:2]
    top = float(np.quantile(maps[np.isfinite(maps)], SCALE_QUANTILE)) or 1.0
    grid = figure.subplots(layers, heads, squeeze=False)
    for layer, head in np.ndindex(layers, heads):
        axes = grid[layer, head]
        image = show_map(axes, maps[layer, head], chart.image, (0, top))
        cross(axes, np.isnan(maps[layer, head]), chart.image)
        if layer == 0:
            axes.set_title(f"head {head + 1}" if head == 0 else str(head + 1), color=MUTED_COLOR)
        if head == 0:
            axes.set_ylabel(f"layer {layer + 1}" if layer == 0 else str(layer + 1), color=MUTED_COLOR)
    figure.suptitle(chart.matrix_title, x=0.01, ha="left", fontweight="bold")
    crossed = "; crossed patches are removed" if chart.removed.any() else ""
    scale = f"attention weight; the last color means {percent().format_pct(top, top)} or more{crossed}"
    style = {"extend": "max", "shrink": 0.6, "aspect": 40}
    add_scale(figure, image, (scale, chart.scale_notes[1]), ax=grid, format=percent(), **style)


def show_map(
    axes: Axes,
    values: NDArray[np.float32],
    image: NDArray[np.uint8],
    limits: tuple[float, float],
    colors: Colormap = MAP_COLORS,
) -> AxesImage:
    """Draw a map (gh, gw) with one uniform cell per patch, at the aspect ratio of the image (H, W, 3)."""
    bare(axes)
    low, high = limits
    return axes.imshow(values, cmap=colors, vmin=low, vmax=high, interpolation="nearest", extent=extent(image))


def bare(axes: Axes) -> None:
    """Remove ticks, thin the frame and align the axes to the left."""
    axes.set(xticks=[], yticks=[], anchor="W")
    axes.spines[:].set(color=LINE_COLOR, linewidth=0.5)


def render(figure: Figure, ending: str) -> bytes:
    """Return a figure as the bytes of a file with one of the endings `FORMATS`."""
    if ending == ".html":
        return page(render(figure, ".svg").decode()).encode()
    buffer = io.BytesIO()
    with DRAWING_LOCK, own_style():
        figure.savefig(buffer, format=ending[1:], dpi=160, metadata={"Date": None} if ending == ".svg" else None)
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
