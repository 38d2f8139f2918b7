"""A contact sheet: several images, each beside its map, on one scale."""

import vitviz.plots.mpl_backend  # noqa: F401 - before Matplotlib

# isort: split
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from vitviz.plots.figures import OWN_SCALE, Array, create_figure, fit_height, on_own_scale
from vitviz.plots.scales import Scale
from vitviz.plots.style import MUTED_COLOR, TEXT_COLOR, add_color_bar, colors, norm, own_style, plain

PAIR = 1.6  # inches, width of an image and its map
LINE, BAR = 0.13, 4.0  # inches, height of a line of text and length of the color bar
GAP = 0.12  # between pairs, in widths of an image
LETTERS = 32  # of a line of text


@dataclass(frozen=True)
class Tile:
    """An image (H, W, 3) uint8, beside it a map, (gh, gw) or (H, W), or colors, (gh, gw, 3), and two lines of text."""

    image: NDArray[np.uint8]
    values: Array
    title: str
    line: str = ""


def joint_scale(scales: Sequence[Scale]) -> Scale:
    """Return the scale that reaches over those of several maps of one quantity."""
    first = scales[0]
    quantity = first.quantity
    if first.kind == "linear" and len(scales) > 1:
        if not first.is_weight:
            quantity = "relative to the maximum of all maps"
        elif not first.clips:
            quantity = "attention weight, range of all maps"
    limit, low = max(scale.limit for scale in scales), min(scale.low for scale in scales)
    return replace(first, limit=limit, low=low, quantity=quantity)


def draw_contact_sheet(
    tiles: Sequence[Tile], scale: Scale | None, title: str, note: str = "", width: float = 10.0
) -> Figure:
    """Draw images and their maps in rows.

    Args:
        tiles: The images, of one size.
        scale: Of all maps; None if each has its own, from its smallest to its largest value. Colors need none.
        title: Title of the figure.
        note: A line below.
        width: Of the figure, in inches.
    """
    height = tiles[0].image.shape[0] / tiles[0].image.shape[1]  # of an image, whose width is 1
    columns = min(max(1, int(width / PAIR)), len(tiles))
    total = columns * (2 + GAP) - GAP
    line = LINE * total / width
    row_height = 2 * line + height + GAP
    sides = total, math.ceil(len(tiles) / columns) * row_height - GAP
    with own_style():
        figure, (axes,) = create_figure([sides[0] / sides[1]], [""], width, title, note)
        axes.set(xlim=(0, sides[0]), ylim=(sides[1], 0))
        axes.spines[:].set_visible(False)
        shown = Scale("linear", 1.0, is_weight=False, quantity=OWN_SCALE) if scale is None else scale
        for k, tile in enumerate(tiles):
            row, column = divmod(k, columns)
            draw_tile(axes, tile, shown, scale is None, (column * (2 + GAP), row * row_height, height, line))
        if tiles[0].values.ndim == 2:
            add_color_bar(axes.images[1], axes, shown, min(1, BAR / width))
        fit_height(figure, [axes])
    return figure


def draw_tile(axes: Axes, tile: Tile, scale: Scale, is_own: bool, place: tuple[float, ...]) -> None:
    """Draw a tile at a place: left, top, and the heights of its image and of a line."""
    left, top, height, line = place
    for k, (text, color) in enumerate(((tile.title, TEXT_COLOR), (tile.line, MUTED_COLOR))):
        short = text if len(text) <= LETTERS else f"{text[: LETTERS - 1]}…"
        axes.text(left, top + (k + 0.75) * line, plain(short), fontsize=6, color=color)
    start, end = top + 2 * line, top + 2 * line + height
    axes.imshow(tile.image, extent=(left, left + 1, end, start), aspect="auto", interpolation="antialiased")
    values = on_own_scale(tile.values) if is_own and tile.values.ndim == 2 else tile.values
    colored = {} if values.ndim == 3 else {"cmap": colors(scale), "norm": norm(scale)}
    axes.imshow(values, extent=(left + 1, left + 2, end, start), aspect="auto", **colored)
