"""Maps -> a figure for a paper, a slide or a worksheet, as PNG, SVG, PDF or a page of its own.

Always on white, with the scale printed, whatever Matplotlib is set to. Its settings belong to the whole process, so one
figure is drawn at a time, whoever asks.
"""

import html
import io
import textwrap
import threading
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal

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

from vitviz.plots.colormaps import COLOUR_MAPS

FORMATS = (".png", ".svg", ".pdf", ".html")
Unit = Literal["shares", "logits", "relative"]
INK, QUIET, LINE, ACCENT = "#1a1d21", "#59606a", "#dfe2e6", "#0b5cad"
MAP_COLOURS = ListedColormap(COLOUR_MAPS["seq", "light"] / 255).with_extremes(bad=LINE)
SIGNED_COLOURS = ListedColormap(COLOUR_MAPS["div", "light"] / 255).with_extremes(bad=LINE)
UNITS: dict[Unit, str] = {
    "shares": "share of attention",
    "logits": "change of the logit; below 0 speaks against",
    "relative": "relative to the largest patch",
}
LETTERS = 42  # in a line of the title above the large map
LONGEST = 20  # letters of a class's name beside its bar
STYLE = {
    "font.size": 8,
    "text.color": INK,
    "svg.hashsalt": "vitviz",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,  # TrueType, which journals take
}
FONTS = ("DejaVu Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "PingFang SC", "Microsoft YaHei")
DRAWING = threading.RLock()
CLIPPED = 0.995  # the shared scale ends at this quantile, or one sharp head would bleach all others


@dataclass(frozen=True)
class Chart:
    """What a figure shows.

    Attributes:
        image: As the model saw it, (H, W, 3) uint8.
        title: Of the large map.
        large: The map shown large, (gh, gw); NaN for patches left out, or if all that it is the mean of is off.
        unit: What its numbers are: shares of attention, logits of either sign, or something that is only shown relative
            to the largest.
        maps: Of all layers and heads, (L, A, gh, gw), shares; NaN, and crossed out, for heads that are off and patches
            that are left out.
        matrix_title: What those are.
        labels: K class names.
        probabilities: (K,); None for a model that learned without labels, which predicts nothing.
        footer: One line: which model, which image and what became of it.
        asked: The patches that are asked, positions in reading order from 0; framed.
        of_asked: Whether the large map is theirs, and frames them, too; a method's is not.
        beside: Beside the scale of the large map, and of all layers and heads: what no patch shows.
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
    asked: tuple[int, ...] = ()
    of_asked: bool = True
    beside: tuple[str, str] = ("", "")

    @property
    def left_out(self) -> NDArray[np.bool_]:
        """Which patches no head saw, (gh, gw)."""
        return np.asarray(np.isnan(self.maps).all((0, 1)))


def draw(chart: Chart) -> Figure:
    """Draw image, large map and prediction on the left, all layers and heads on one scale on the right."""
    layers, heads = chart.maps.shape[:2]
    with DRAWING, own_style():
        figure = Figure(figsize=(10, max(5.2, 2.2 + 0.62 * layers)), facecolor="white", layout="constrained")
        figure.get_layout_engine().set(rect=(0, 0.035, 1, 0.965))
        left, right = figure.subfigures(1, 2, width_ratios=(1, max(1.4, 0.24 * heads)))
        image, large, prediction = left.subplots(3, 1, height_ratios=(1, 1.15, 0.55))
        show_image(image, chart)
        show_large(large, chart)
        show_prediction(prediction, chart)
        show_matrix(right, chart)
        figure.text(0.01, 0.005, plain(chart.footer), fontsize=6, color=QUIET)
    return figure


def own_style() -> AbstractContextManager[None]:
    """Matplotlib's defaults with ours, instead of what it is set to; letters that a font lacks come from the next."""
    known = font_manager.get_font_names()
    return style.context(["default", {**STYLE, "font.family": [font for font in FONTS if font in known]}])


def plain(text: str) -> str:
    """Text that Matplotlib takes literally: a dollar sign would begin a formula, and an SVG holds no control codes."""
    return "".join(letter if letter.isprintable() else " " for letter in text).replace("$", r"\$")


def show_image(axes: Axes, chart: Chart) -> None:
    """The image with its own pixels, and the patches that are asked."""
    axes.imshow(chart.image, interpolation="nearest", extent=extent(chart.image))
    bare(axes)
    cross(axes, chart.left_out, chart.image)
    frame(axes, chart)
    axes.set_title("What the model sees", loc="left", fontweight="bold")


def extent(image: NDArray[np.uint8]) -> tuple[float, float, float, float]:
    """Left, right, bottom and top of an image (H, W, 3), in its pixels from the upper left corner."""
    return 0, image.shape[1], image.shape[0], 0


def frame(axes: Axes, chart: Chart) -> None:
    """Frame the patches that are asked, so that it shows on dark and light."""
    (rows, columns), (height, width) = chart.large.shape, chart.image.shape[:2]
    for row, column in (divmod(patch, columns) for patch in chart.asked):
        corner = (column * width / columns, row * height / rows)
        for colour, thickness in (("white", 3), (ACCENT, 1.5)):
            axes.add_patch(
                Rectangle(corner, width / columns, height / rows, fill=False, color=colour, lw=thickness, zorder=3)
            )


def cross(axes: Axes, cells: NDArray[np.bool_], image: NDArray[np.uint8]) -> None:
    """Draw a line through some cells (gh, gw) of a map or image (H, W, 3), or one line through all of them."""
    height, width = image.shape[:2]
    rows, columns = (1, 1) if cells.all() else cells.shape
    places = np.argwhere(cells[:rows, :columns])[:, None, ::-1]  # (n, 1, 2), column before row
    lower_left_to_upper_right = np.array([[0, 1], [1, 0]])
    lines = (places + lower_left_to_upper_right) * (width / columns, height / rows)  # (n, 2, 2)
    axes.add_collection(LineCollection(lines, colors=QUIET, linewidths=0.5), autolim=False)


def show_large(axes: Axes, chart: Chart) -> None:
    """The large map on its own scale, with the colour bar; or in words that there is nothing on it."""
    title = textwrap.wrap(chart.title, LETTERS, max_lines=2, placeholder="…")
    axes.set_title("\n".join(map(plain, title)), loc="left", fontweight="bold")
    missing = np.isnan(chart.large)
    top = float(np.abs(chart.large[~missing]).max(initial=0))
    if not top:
        show_map(axes, chart.large, chart.image, (0, 1))
        words = "switched off" if missing.all() else "0 everywhere"
        axes.text(0.5, 0.5, words, transform=axes.transAxes, ha="center", va="center", color=QUIET)
        return
    cross(axes, missing, chart.image)
    if chart.unit == "logits":
        image = show_map(axes, chart.large, chart.image, (-top, top), SIGNED_COLOURS)
    elif chart.unit == "shares":
        image = show_map(axes, chart.large, chart.image, (0, top))
    else:
        image = show_map(axes, chart.large / top, chart.image, (0, 1))
    if chart.of_asked:
        frame(axes, chart)
    bar = axes.figure.colorbar(
        image,
        ax=axes,
        location="bottom",
        format=percent() if chart.unit == "shares" else None,
        shrink=0.8,
        anchor=(0, 1),
        panchor=False,
    )
    bar.outline.set_visible(False)
    bar.locator = ticks(axes.figure)
    bar.set_label("\n".join(filter(None, (f"{UNITS[chart.unit]}; its own scale", chart.beside[0]))), color=QUIET)


def ticks(figure: Figure | SubFigure) -> MaxNLocator:
    """Where a colour bar has numbers: about one for each inch of its figure, so that they stand clear of each other."""
    return MaxNLocator(max(2, int(figure.bbox.width / figure.dpi)))


def percent() -> PercentFormatter:
    """How a colour bar prints shares: with as many decimals as its range asks for."""
    return PercentFormatter(1, symbol=" %")


def shortened(name: str) -> str:
    """The name of a class, cut where it would leave no room for the bars."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def show_prediction(axes: Axes, chart: Chart) -> None:
    """The five most probable classes as bars."""
    axes.set_title("Prediction", loc="left", fontweight="bold")
    if chart.probabilities is None:
        axes.set_axis_off()
        axes.text(0, 1, "none: it learned without labels", transform=axes.transAxes, va="top", color=QUIET)
        return
    best = np.argsort(-chart.probabilities)[:5]
    axes.barh(range(len(best)), chart.probabilities[best], color=QUIET, height=0.6)
    axes.set_yticks(range(len(best)), [plain(shortened(chart.labels[k])) for k in best])
    for place, k in enumerate(best):
        axes.text(
            chart.probabilities[k] + 0.02, place, f"{100 * chart.probabilities[k]:.1f} %", va="center", color=QUIET
        )
    axes.set(xlim=(0, 1.25), xticks=[])
    axes.invert_yaxis()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def show_matrix(figure: Figure | SubFigure, chart: Chart) -> None:
    """One tile for each layer and head, all on one scale, clipped as the bar says."""
    maps = chart.maps
    layers, heads = maps.shape[:2]
    top = float(np.quantile(maps[np.isfinite(maps)], CLIPPED)) or 1.0
    grid = figure.subplots(layers, heads, squeeze=False)
    for layer, head in np.ndindex(layers, heads):
        axes = grid[layer, head]
        image = show_map(axes, maps[layer, head], chart.image, (0, top))
        cross(axes, np.isnan(maps[layer, head]), chart.image)
        if layer == 0:
            axes.set_title(f"head {head + 1}" if head == 0 else str(head + 1), color=QUIET)
        if head == 0:
            axes.set_ylabel(f"layer {layer + 1}" if layer == 0 else str(layer + 1), color=QUIET)
    figure.suptitle(chart.matrix_title, x=0.01, ha="left", fontweight="bold")
    bar = figure.colorbar(
        image,
        ax=grid,
        location="bottom",
        extend="max",
        format=percent(),
        shrink=0.6,
        aspect=40,
    )
    bar.outline.set_visible(False)
    bar.locator = ticks(figure)
    crossed = "; crossed patches are left out" if chart.left_out.any() else ""
    scale = f"share of attention; the last colour means {percent().format_pct(top, top)} or more{crossed}"
    bar.set_label("\n".join(filter(None, (scale, chart.beside[1]))), color=QUIET)


def show_map(
    axes: Axes,
    values: NDArray[np.float32],
    image: NDArray[np.uint8],
    limits: tuple[float, float],
    colours: Colormap = MAP_COLOURS,
) -> AxesImage:
    """A map (gh, gw) with one flat cell for each patch, in the shape it has in the image (H, W, 3)."""
    bare(axes)
    low, high = limits
    return axes.imshow(values, cmap=colours, vmin=low, vmax=high, interpolation="nearest", extent=extent(image))


def bare(axes: Axes) -> None:
    """Axes without ticks, in a thin frame, at the left of their place."""
    axes.set(xticks=[], yticks=[], anchor="W")
    axes.spines[:].set(color=LINE, linewidth=0.5)


def render(figure: Figure, ending: str) -> bytes:
    """A figure -> the bytes of a file that ends in one of `FORMATS`."""
    if ending == ".html":
        return page(render(figure, ".svg").decode()).encode()
    buffer = io.BytesIO()
    with DRAWING, own_style():
        figure.savefig(buffer, format=ending[1:], dpi=160, metadata={"Date": None} if ending == ".svg" else None)
    return buffer.getvalue()


def page(svg: str) -> str:
    """An SVG image -> a page of its own, which needs no network."""
    title = html.escape("What a Vision Transformer looks at")
    image = svg[svg.index("<svg") :]
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f"<style>body {{ margin: 2rem auto; max-width: 60rem }} svg {{ width: 100%; height: auto }}</style>\n"
        f"<h1>{title}</h1>\n{image}\n</html>\n"
    )
