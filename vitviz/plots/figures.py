"""Figures of one view, and of the comparison of two maps: plain Matplotlib, for papers and scripts."""

import vitviz.plots.mpl_backend  # noqa: F401 - before Matplotlib

# isort: split
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from vitviz.plots.scales import FLAT_WEIGHTS, Scale
from vitviz.plots.style import (
    ACCENT_COLOR,
    LINE_COLOR,
    MUTED_COLOR,
    Displayed,
    add_color_bar,
    colors,
    norm,
    own_style,
    plain,
)

Array = NDArray[np.float32]
ONE_COLUMN = 5.0  # inches; figures that are less wide have two rows
MAX_LINES = 48  # rows or columns of patches; finer grids are not drawn, as lines would hide the image
DEEP = 0.7  # width by height of a matrix that is too high for a full row
LETTERS = 17  # per inch
FITS = 4  # the layout changes a little with the height
OWN_SCALE = "each map from its minimum to its maximum"
MAX_LABELS = 12  # numbers of layers or heads along an axis


@dataclass(frozen=True)
class Map:
    """A map with its title: values by patch (gh, gw), or by pixel (H, W), on a scale; NaN for removed patches."""

    title: str
    values: Array
    scale: Scale


@dataclass(frozen=True)
class Matrix:
    """The attention maps of all layers and heads, (L, A, gh, gw), NaN where ablated.

    Attributes:
        title: Its title.
        values: The maps; removed patches are NaN, too.
        scale: The scale of all maps; None if each has its own, from its smallest to its largest value.
        chosen: Layer and head that are framed; None for none.
    """

    title: str
    values: Array
    scale: Scale | None
    chosen: tuple[int, int] | None = None


def draw(
    image: NDArray[np.uint8],
    grid: tuple[int, int],
    shown: Map,
    matrix: Matrix | None = None,
    title: str = "",
    name: str = "",
    note: str = "",
    query: Sequence[int] = (),
    smooth: bool = False,
    width: float = 7.0,
) -> Figure:
    """Draw an image and a map with the grid of patches, and the matrix of all heads if there is one.

    Args:
        image: The model input, (H, W, 3).
        grid: Rows and columns of patches.
        shown: The map.
        matrix: The maps of all layers and heads.
        title: Title of the figure.
        name: Title of the image.
        note: A line below.
        query: Patches that are framed, positions in reading order.
        smooth: Whether the map is interpolated between the centers of patches.
        width: Of the figure, in inches.
    """
    aspect = image.shape[1] / image.shape[0]
    aspects, titles = [aspect, aspect], [name, shown.title]
    if matrix is not None:
        layers, heads = matrix.values.shape[:2]
        aspects.append(aspect * heads / layers)
        titles.append(matrix.title)
    with own_style():
        figure, axes = create_figure(aspects, titles, width, title, note)
        axes[0].imshow(image, extent=(0, grid[1], grid[0], 0), aspect="auto", gid="image")
        draw_map(axes[1], shown, grid, smooth)
        for one in axes[:2]:
            draw_grid(one, grid, query)
        if matrix is not None:
            draw_matrix(axes[2], matrix)
        fit_height(figure, axes)
    return figure


def draw_comparison(
    first: Map, second: Map, difference: Map | None, aspects: tuple[float, float], title: str, query: Sequence[int] = ()
) -> Figure:
    """Draw two maps on one scale and their difference, None if their grids differ; aspects are width by height."""
    maps = [first, second] + ([] if difference is None else [difference])
    sides = [*aspects, aspects[0]][: len(maps)]
    with own_style():
        figure, axes = create_figure(sides, [one.title for one in maps], 7.0, title, "")
        for one, shown, gid in zip(axes, maps, ("map-a", "map-b", "difference"), strict=False):
            grid = shown.values.shape[0], shown.values.shape[1]
            draw_map(one, shown, grid, gid=gid)
            draw_grid(one, grid, query)
        fit_height(figure, axes)
    return figure


def create_figure(
    aspects: list[float], titles: Sequence[str], width: float, title: str, note: str
) -> tuple[Figure, list[Axes]]:
    """Return a figure with axes of equal height in one row, or if it is narrow with the third one in a second row."""
    figure = Displayed(figsize=(width, 3 * width), facecolor="white", layout="constrained")
    figure.get_layout_engine().set(rect=(0, 0, 0.985, 1))  # labels of narrow color bars reach over their ends
    widths, rows = aspects, 1
    if is_narrow := width < ONE_COLUMN and aspects[2:] > [DEEP]:
        widths, rows = aspects[:2], 2
    ratios = [1, sum(widths) / aspects[-1]][:rows]
    grid = figure.add_gridspec(rows, len(widths), width_ratios=widths, height_ratios=ratios)
    places = [grid[0, column] for column in range(len(widths))] + ([grid[1, :]] if is_narrow else [])
    axes = [figure.add_subplot(place) for place in places]
    for one, aspect, text in zip(axes, aspects, titles, strict=True):
        one.set(xticks=[], yticks=[], box_aspect=1 / aspect)
        one.set_title(wrap(text, width * aspect / sum(widths)))
    figure.suptitle(wrap(title, width), fontsize=8, fontweight="bold", x=0.01, ha="left")
    if note:
        figure.supxlabel(wrap(note, width), fontsize=6, color=MUTED_COLOR, x=0.01, ha="left")
    return figure, axes


def wrap(text: str, width: float) -> str:
    """Break the lines of a text so that they fit into a width (in), about."""
    lines = [textwrap.fill(line, max(10, int(LETTERS * width))) for line in text.split("\n")]
    return plain("\n".join(lines))


def fit_height(figure: Figure, axes: Sequence[Axes]) -> None:
    """Make a figure as high as its axes are at its width."""
    for _ in range(FITS):
        figure.draw_without_rendering()
        width, height = figure.get_size_inches()
        missing: dict[int, float] = {}  # in, by row
        for one in axes:
            slot, row = one.get_position(original=True), one.get_subplotspec().rowspan.start
            missing[row] = max(
                missing.get(row, -height), slot.width * width * one.get_box_aspect() - slot.height * height
            )
            one.set_anchor("N")
        figure.set_figheight(height + max(sum(missing.values()), -0.9 * height))


def draw_map(axes: Axes, shown: Map, grid: tuple[int, int], smooth: bool = False, gid: str = "map") -> None:
    """Draw a map with its title and color bar, or colors, (gh, gw, 3); `gid` is its id in the file."""
    if shown.values.ndim == 3:
        style = {"extent": (0, grid[1], grid[0], 0), "aspect": "auto"}
        axes.imshow(np.nan_to_num(shown.values, nan=1), gid=gid, **style)
        return
    values, is_missing = shown.values, np.isnan(shown.values)
    style = {"extent": (0, grid[1], grid[0], 0), "aspect": "auto"}
    filled = np.where(is_missing, np.float32(0), values) if smooth else values  # gaps do not spread
    image = axes.imshow(
        filled,
        cmap=colors(shown.scale),
        norm=norm(shown.scale),
        interpolation="bilinear" if smooth else "nearest",
        gid=gid,
        **style,
    )
    if smooth and is_missing.any():
        gray = ListedColormap([LINE_COLOR]).with_extremes(bad=(0, 0, 0, 0))
        axes.imshow(np.where(is_missing, 0, np.nan), cmap=gray, **style)
    add_color_bar(image, axes, shown.scale)


def draw_grid(axes: Axes, grid: tuple[int, int], query: Sequence[int] = ()) -> None:
    """Draw lines between patches, unless they are too many, and frame the query."""
    rows, columns = grid
    if max(grid) <= MAX_LINES:
        style = {"color": LINE_COLOR, "linewidth": 0.25}
        axes.hlines(range(1, rows), 0, columns, **style)
        axes.vlines(range(1, columns), 0, rows, **style)
    for patch in query:
        frame(axes, *divmod(patch, columns))
    axes.set(xlim=(0, columns), ylim=(rows, 0))


def draw_matrix(axes: Axes, matrix: Matrix) -> None:
    """Draw all maps in one axes, whose unit is a map, with the numbers of layers and heads, and a color bar."""
    layers, heads = matrix.values.shape[:2]
    values, scale = matrix.values, matrix.scale
    if scale is None:
        values = on_own_scale(values)
        scale = Scale("linear", 1.0, is_weight=False, quantity=OWN_SCALE)
    image = axes.imshow(
        mosaic(values), cmap=colors(scale), norm=norm(scale), extent=(0, heads, layers, 0), aspect="auto", gid="heads"
    )
    axes.hlines(range(1, layers), 0, heads, color="white", linewidth=1)
    axes.vlines(range(1, heads), 0, layers, color="white", linewidth=1)
    for axis, count, label in ((axes.xaxis, heads, "head"), (axes.yaxis, layers, "layer")):
        shown = np.arange(0, count, -(-count // MAX_LABELS))
        axis.set_ticks(shown + 0.5, labels=[str(k + 1) for k in shown])
        axis.set_tick_params(length=0, pad=2)
        axis.set_label_text(label)
    axes.spines[:].set_visible(False)
    if matrix.chosen is not None:
        frame(axes, *matrix.chosen)
    add_color_bar(image, axes, scale)


def frame(axes: Axes, row: int, column: int) -> None:
    """Frame a cell."""
    box = Rectangle((column, row), 1, 1, fill=False, edgecolor=ACCENT_COLOR, linewidth=1.2, clip_on=False, zorder=3)
    axes.add_patch(box)


def on_own_scale(maps: Array) -> Array:
    """Return maps (..., gh, gw) from 0 to 1 each; equal weights are 0.5."""
    low, high = (reduce(maps, axis=(-2, -1), keepdims=True) for reduce in (np.fmin.reduce, np.fmax.reduce))
    is_flat = high - low <= FLAT_WEIGHTS
    return np.where(is_flat & ~np.isnan(maps), np.float32(0.5), (maps - low) / np.where(is_flat, 1, high - low))


def mosaic(maps: Array) -> Array:
    """Arrange maps (L, A, gh, gw) as one image, (L gh, A gw)."""
    layers, heads, rows, columns = maps.shape
    return maps.swapaxes(1, 2).reshape(layers * rows, heads * columns)
