"""What takes the place of the matrix in figures of other views: bars that sum to a logit, numbers by head, a film."""

import numpy as np

from vitviz.plots import words
from vitviz.plots.canvas import LINE_COLOR, MUTED_COLOR, TEXT_COLOR, Box, Drawing
from vitviz.plots.chart import Bars, Cells, Chart, Film
from vitviz.plots.parts import LABELS, SMALL, label_style, show_empty, show_grid
from vitviz.plots.scales import Scale

# pt
ROW, GAP, TALLEST = 13.0, 2.0, 330.0
BARS, NUMBER, CELL, FRAME = 150.0, 36.0, 40.0, 84.0
MIN_TEXT_WIDTH = 22.0  # width of a cell that has room for its number
POSITIVE, NEGATIVE = 222, 44  # colors of bars in the table of signed scales


def show_panel(drawing: Drawing, chart: Chart, left: float, top: float, width: float) -> None:
    """Draw the panel of a chart, below its title."""
    if isinstance(chart.panel, Film):
        show_film(drawing, chart, chart.panel, left, top, width)
    elif isinstance(chart.panel, Bars):
        show_bars(drawing, chart.panel, left, top, width)
    elif isinstance(chart.panel, Cells):
        height = min(26.0, (TALLEST - ROW) / len(chart.panel.values) - GAP)
        cells_left = left + LABELS
        for layer in range(len(chart.panel.values)):
            y = top + ROW + layer * (height + GAP) + height / 2
            is_chosen = chart.panel.chosen is not None and chart.panel.chosen[0] == layer
            show_layer_name(drawing, layer, left + LABELS - 6, y, is_chosen)
        show_cells(drawing, chart.panel, cells_left, top, width - LABELS, height)


def show_layer_name(drawing: Drawing, layer: int, right: float, y: float, is_chosen: bool) -> None:
    """Write the number of a layer next to its row."""
    text = "layer 1" if layer == 0 else str(layer + 1)
    drawing.text(right, y + 0.35 * SMALL, text, SMALL, ha="right", **label_style(is_chosen))


def show_bars(drawing: Drawing, bars: Bars, left: float, top: float, width: float) -> None:
    """Draw the summands of a sum, each from where the last one ended, and the numbers of the heads of each layer."""
    layers = len(bars.cells.values)
    row = min(ROW, TALLEST / (2 * layers + 3))
    summands = [bars.embedding, *np.ravel(np.column_stack([bars.attention, bars.mlp])), bars.bias]
    ends = np.cumsum(summands)
    low, high = min(0.0, float(ends.min())), max(0.0, float(ends.max()))
    bars_left, step = left + LABELS, (BARS - NUMBER) / ((high - low) or 1)
    at = lambda value: bars_left + (value - low) * step  # noqa: E731
    table = Scale("signed", 1).table / 255
    top += ROW
    drawing.lines([[(at(0), top), (at(0), top + (len(summands) + 1) * row)]], colors=LINE_COLOR)
    for k, value in enumerate([*summands, bars.total]):
        is_total = k == len(summands)
        is_layer = 0 < k <= 2 * layers
        end = bars.total if is_total else float(ends[k])
        start = end - float(value)
        color = table[POSITIVE if value >= 0 else NEGATIVE] if is_layer else TEXT_COLOR if is_total else MUTED_COLOR
        style = {"facecolor": color} | (
            {"facecolor": "white", "edgecolor": color, "hatch": "//////", "linewidth": 0.5}
            if is_layer and k % 2 == 0
            else {}
        )
        y = top + k * row
        name = "embedding" if k == 0 else "logit" if is_total else "biases" if not is_layer else None
        gid = name or f"{'attention' if k % 2 else 'mlp'}-{(k + 1) // 2}"
        box = (at(min(start, end)), y + 1, max(0.8, abs(end - start) * step), row - 2)
        drawing.rectangle(box, f"sum-{gid}", **style)
        if row > 7 or not is_layer:
            drawing.text(at(max(start, end)) + 3, y + row / 2 + 2.5, words.signed(float(value)), min(SMALL, row - 2))
        if name:
            drawing.text(left + LABELS - 6, y + row / 2 + 2.8, name, min(SMALL, row - 2), ha="right", color=MUTED_COLOR)
        elif k % 2:
            chosen = bars.cells.chosen
            layer = k // 2
            show_layer_name(drawing, layer, left + LABELS - 6, y + row, chosen is not None and chosen[0] == layer)
    drawing.text(bars_left, top - 4, "solid: attention, hatched: MLP", SMALL, color=MUTED_COLOR)
    cells_left = bars_left + BARS + 8
    show_cells(drawing, bars.cells, cells_left, top - ROW + row, left + width - cells_left, 2 * row - GAP)


def show_cells(drawing: Drawing, cells: Cells, left: float, top: float, width: float, height: float) -> None:
    """Draw a number per layer and head in its color; rows start `ROW` below `top`."""
    layers, heads = cells.values.shape
    columns = heads + (cells.mlp is not None)
    side = min(CELL, (width - GAP * (columns - 1) - 6) / columns)
    values = cells.values if cells.mlp is None else np.column_stack([cells.values, cells.mlp])
    for head in range(columns):
        x = left + head * (side + GAP) + 6 * (head == heads)
        name = "MLP" if head == heads else f"head {head + 1}" if head == 0 and side > MIN_TEXT_WIDTH else str(head + 1)
        chosen = cells.chosen is not None and cells.chosen[1] == head
        drawing.text(x + side / 2, top + ROW - 4, name, SMALL if side > 14 else 6, ha="center", **label_style(chosen))
        scale = Scale("signed", cells.mlp_limit if head == heads else cells.limit)
        for layer in range(layers):
            box: Box = (x, top + ROW + layer * (height + GAP), side, height)
            if cells.ablated is not None and head < heads and cells.ablated[layer, head]:
                show_empty(drawing, box)
                continue
            color = scale.colors(values[layer, head]) / 255
            name = f"mlp-{layer + 1}" if head == heads else f"head-{layer + 1}-{head + 1}"
            drawing.rectangle(box, name, facecolor=color, edgecolor=LINE_COLOR, linewidth=0.5)
            if side >= MIN_TEXT_WIDTH and height > 7:
                text = words.signed(float(values[layer, head]))
                style = {"ha": "center", "color": "white" if is_dark(color) else "black"}
                drawing.text(x + side / 2, box[1] + height / 2 + 2.6, text, min(SMALL, height - 2), **style)
            if cells.chosen == (layer, head):
                drawing.frame(box, gid="chosen")


def is_dark(color: np.ndarray) -> bool:
    """Whether white has more contrast than black on an sRGB color, 0..1 (relative luminance of WCAG 2)."""
    linear = np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
    return bool(linear @ (0.2126, 0.7152, 0.0722) <= 0.179)


def show_film(drawing: Drawing, chart: Chart, film: Film, left: float, top: float, width: float) -> None:
    """Draw a small map per layer, with its text."""
    tile = FRAME if len(film.frames) <= 12 else FRAME * 0.7
    columns = max(1, int((width + 10) // (tile + 10)))
    for layer, frame in enumerate(film.frames):
        row, column = divmod(layer, columns)
        _, _, across, down = chart.box(0, 0, tile)
        box = (left + column * (tile + 10), top + 4 + row * (down + 24), across, down)
        drawing.map(box, frame, chart.smooth, f"layer-{layer + 1}")
        drawing.rectangle(box, fill=False, edgecolor=TEXT_COLOR, alpha=0.13, linewidth=0.5)
        if layer == film.chosen:
            drawing.frame(box, gid="chosen")
        y = box[1] + down + 11
        drawing.text(box[0], y, f"layer {layer + 1}", SMALL, **label_style(layer == film.chosen))
        drawing.text(box[0] + tile, y, film.texts[layer], SMALL, ha="right", color=MUTED_COLOR)


def show_other(drawing: Drawing, chart: Chart, left: float, top: float, side: float) -> None:
    """Draw the second image."""
    if chart.other is None:
        return
    box = chart.box(left, top + 14, side)
    drawing.text(left, top + 8, "Image B", SMALL, color=MUTED_COLOR)
    drawing.image(box, chart.other, "other")
    show_grid(drawing, chart, box, "white", 0.26)
