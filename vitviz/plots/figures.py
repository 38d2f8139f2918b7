"""Figures of explanations, equal to the page: the same numbers on the same scales with the same marks.

A figure shows a `Chart`: the whole view, the large map, the matrix of all layers and heads, the attribution methods,
or a contact sheet. Maps are vector cells with group names (`map`, `head-1-1`, ... `mean-mean`, `method-NAME`), one path
per patch in reading order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from vitviz.plots import words
from vitviz.plots.canvas import (
    ACCENT_COLOR,
    ACCENT_FILL,
    DRAWING_LOCK,
    LINE_COLOR,
    MUTED_COLOR,
    TEXT_COLOR,
    Box,
    Drawing,
    own_style,
    shorten,
)
from vitviz.plots.scales import Scale, map_scale

Content = Literal["view", "map", "matrix", "methods", "sheet"]
Size = Literal["content", "16:9"]
CONTENTS: tuple[Content, ...] = get_args(Content)
SIZES: tuple[Size, ...] = get_args(Size)
# pt
MARGIN, GUTTER = 28.0, 26.0
VIEW_WIDTH, VIEW_SIDE, PREDICTION = 960.0, 196.0, 136.0
MAP_SIDE, METHOD_SIDE, SHEET_IMAGE = 340.0, 124.0, 84.0
MATRIX_TILE, SHEET_TILE, SHEET_WIDTH, SHEET_TILES = 52.0, 92.0, 1100.0, 64.0
LABELS, TILE_GAP, MEAN_GAP = 38.0, 3.0, 8.0
HEADLINE, HEADING, BODY, SMALL = 17.0, 10.5, 8.5, 8.0
MAX_CELLS = 20_000  # of a matrix; a larger one is drawn as images, as its cells would make a file of many megabytes


@dataclass(frozen=True)
class PredictedClass:
    """A class in the prediction; `before` is its probability before the ablation, if there is one."""

    name: str
    probability: float
    before: float | None = None
    is_true: bool = False
    is_explained: bool = False


@dataclass(frozen=True)
class MethodMap:
    """The map of an attribution method, (gh, gw), and its deletion score; None for a flat map."""

    key: str
    name: str
    group: Literal["agnostic", "class", "baseline"]
    values: NDArray[np.float32]
    scale: Scale
    score: float | None = None


@dataclass(frozen=True)
class Chart:
    """Content of a figure.

    Attributes:
        image: The model input, (H, W, 3) uint8.
        headline: What the large map shows, in one sentence.
        title: Title of the large map.
        large: The large map, (gh, gw).
        scale: Its scale.
        maps: Attention of all layers and heads, then their means, (L + 1, A + 1, gh, gw).
        scales: The scales of heads and of means; None if each map has its own, over its range.
        chosen: Row and column of the large map in `maps`; None if it is a method's.
        ablated: Mask of the ablated heads and means of them, (L + 1, A + 1).
        matrix_title: Title of `maps`.
        uniform: The weight of each token under uniform attention.
        query: The query patches, positions in reading order from 0; framed.
        dropped: Patches whose tokens are dropped.
        gray: Patches painted gray.
        prefix_line: Attention to the class token and registers, or another note on the large map.
        prefix_weight: Weight of the class token in the large map, drawn as a cell; None for none.
        truth: True label, or what the image shows; may be empty.
        prediction: The listed classes; empty for a model that was trained without labels.
        effect: Lines about the effect of the ablation.
        methods: Maps of the attribution methods, for content "methods".
        target: Names of the explained class, and of the contrast class if there is one.
        random_baseline: Mean and standard deviation of the score of random rankings.
        method: The method shown large; None for attention.
        outlines: Outlines of the image, polylines (n, 2) from 0 to 1 across and down.
        outline_opacity: 0 for none.
        smooth: Whether maps are interpolated between the centers of patches.
        caption: Sentences: image, model, query, scale, ablation and preprocessing.
        link: Address of the view, as text; may be empty.
    """

    image: NDArray[np.uint8]
    headline: str
    title: str
    large: NDArray[np.float32]
    scale: Scale
    maps: NDArray[np.float32]
    scales: tuple[Scale, Scale] | None
    chosen: tuple[int, int] | None
    ablated: NDArray[np.bool_]
    matrix_title: str
    uniform: float
    query: tuple[int, ...] = ()
    dropped: tuple[int, ...] = ()
    gray: tuple[int, ...] = ()
    prefix_line: str = ""
    prefix_weight: float | None = None
    truth: str = ""
    prediction: Sequence[PredictedClass] = ()
    effect: Sequence[str] = ()
    methods: Sequence[MethodMap] = ()
    target: Sequence[str] = ()
    random_baseline: tuple[float, float] = (0.0, 0.0)
    method: str | None = None
    outlines: Sequence[NDArray[np.float32]] = field(default=())
    outline_opacity: float = 0.0
    smooth: bool = False
    caption: Sequence[str] = ()
    link: str = ""

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of patches."""
        rows, columns = self.large.shape
        return rows, columns

    @property
    def is_kept(self) -> NDArray[np.bool_]:
        """Mask of the patches whose tokens are not dropped, (gh, gw)."""
        return ~np.isin(np.arange(self.large.size), self.dropped).reshape(self.grid)

    @property
    def aspect(self) -> float:
        """Width of the image divided by its height."""
        return self.image.shape[1] / self.image.shape[0]

    @property
    def large_is_ablated(self) -> bool:
        """Whether the large map is that of an ablated head, which has no values."""
        return self.chosen is not None and bool(self.ablated[self.chosen])

    def scale_of(self, layer: int, head: int) -> Scale:
        """Return the scale of a map by its row and column in `maps`."""
        if self.scales is None:
            return map_scale(self.maps[layer, head][self.is_kept])
        is_mean = layer == len(self.maps) - 1 or head == self.maps.shape[1] - 1
        return self.scales[is_mean]

    def box(self, left: float, top: float, side: float) -> Box:
        """Return the box of an image or map whose longer side is `side`."""
        return left, top, side * min(1, self.aspect), side / max(1, self.aspect)


def draw(chart: Chart, content: Content = "view", size: Size = "content") -> Figure:
    """Draw a figure.

    Args:
        chart: What it shows.
        content: "view" (all but the methods), "map", "matrix", "methods", or "sheet", the matrix in large tiles.
        size: "content", or a slide of "16:9" (13.333 x 7.5 inches).

    Raises:
        ValueError: If content or size is unknown, or the content is "methods" and the chart has none.
    """
    for name, value, choices in (("content", content, CONTENTS), ("size", size, SIZES)):
        if value not in choices:
            raise ValueError(f"{name} must be one of {', '.join(choices)}: got {str(value)[:40]!r}.")
    if content == "methods" and not chart.methods:
        raise ValueError("The content methods needs the maps of the methods: the chart has none.")
    with DRAWING_LOCK, own_style():
        drawing = LAYOUTS[content](chart)
        return drawing.finish(MARGIN, slide=size == "16:9")


# Contents


def draw_view(chart: Chart) -> Drawing:
    """Image, large map, matrix and prediction, below the headline."""
    drawing = Drawing(VIEW_WIDTH)
    top = drawing.paragraph(MARGIN, MARGIN + 12, VIEW_WIDTH - 2 * MARGIN, chart.headline, HEADLINE, 2, weight="bold")
    second = MARGIN + VIEW_SIDE + GUTTER
    third = second + VIEW_SIDE + GUTTER + 2
    last = VIEW_WIDTH - MARGIN - PREDICTION
    show_image(drawing, chart, MARGIN, top, VIEW_SIDE)
    show_large(drawing, chart, second, top, VIEW_SIDE)
    show_matrix(drawing, chart, third, top, matrix_tile(chart, last - GUTTER - third, 420))
    show_prediction(drawing, chart, last, top)
    show_caption(drawing, chart, VIEW_WIDTH)
    return drawing


def draw_map(chart: Chart) -> Drawing:
    """The large map alone, below the headline."""
    width = max(chart.box(0, 0, MAP_SIDE)[2], 220) + 2 * MARGIN
    drawing = Drawing(width)
    top = drawing.paragraph(MARGIN, MARGIN + 10, width - 2 * MARGIN, chart.headline, 13, 3, weight="bold")
    show_large(drawing, chart, MARGIN, top - 8, MAP_SIDE, with_title=False)
    show_caption(drawing, chart, width)
    return drawing


def draw_image_and_map(chart: Chart) -> Drawing:
    """Image and large map side by side, below the headline; frames of animations."""
    side = MAP_SIDE * 0.8
    width = 2 * MARGIN + 2 * max(chart.box(0, 0, side)[2], 180) + GUTTER
    drawing = Drawing(width)
    top = drawing.paragraph(MARGIN, MARGIN + 10, width - 2 * MARGIN, chart.headline, 13, 1, weight="bold")
    show_image(drawing, chart, MARGIN, top, side)
    show_large(drawing, chart, MARGIN + (width - 2 * MARGIN + GUTTER) / 2, top, side)
    show_caption(drawing, chart, width)
    return drawing


def draw_matrix(chart: Chart) -> Drawing:
    """The maps of all layers and heads, and their means."""
    tile = matrix_tile(chart, 860, 900, MATRIX_TILE)
    width = max(matrix_width(chart, tile), 330) + 2 * MARGIN
    drawing = Drawing(width)
    top = drawing.paragraph(MARGIN, MARGIN + 10, width - 2 * MARGIN, chart.matrix_title, 13, 2, weight="bold")
    show_matrix(drawing, chart, MARGIN, top - 12, tile, with_title=False)
    show_caption(drawing, chart, width)
    return drawing


def draw_sheet(chart: Chart) -> Drawing:
    """A contact sheet: the maps of all layers and heads in large tiles, with the image at the top."""
    tile = max(SHEET_TILES, matrix_tile(chart, SHEET_WIDTH, np.inf, SHEET_TILE))
    width = max(matrix_width(chart, tile), 420) + 2 * MARGIN
    drawing = Drawing(width)
    box = chart.box(MARGIN, MARGIN, SHEET_IMAGE)
    show_pixels(drawing, chart, box)
    left = MARGIN + box[2] + 18
    y = drawing.paragraph(left, MARGIN + 13, width - MARGIN - left, chart.matrix_title, 14, 2, weight="bold")
    show_caption(drawing, chart, width, left, y - 4)
    show_matrix(drawing, chart, MARGIN, drawing.bottom + 4, tile, with_title=False, with_marks=True)
    return drawing


def draw_methods(chart: Chart) -> Drawing:
    """The maps of all attribution methods with their deletion scores."""
    groups = [[one for one in chart.methods if one.group == group] for group in ("agnostic", "class", "baseline")]
    general, specific, baseline = groups
    columns = max(1 + len(general) + len(baseline), len(specific))
    step = METHOD_SIDE + 18
    width = 2 * MARGIN + columns * step - 18
    drawing = Drawing(width)
    title = (
        f"Attribution methods: {' not '.join([chart.target[0], *chart.target[1:]])}"
        if chart.target
        else "Attribution methods"
    )
    top = drawing.paragraph(MARGIN, MARGIN + 12, width - 2 * MARGIN, title, HEADLINE, 2, weight="bold") + 6
    box = chart.box(MARGIN, top, METHOD_SIDE)
    drawing.text(MARGIN, top - 7, "Image", BODY, color=MUTED_COLOR)
    show_pixels(drawing, chart, box)
    drawing.text(MARGIN, top + box[3] + 13, shorten(chart.truth, METHOD_SIDE, BODY), BODY, color=MUTED_COLOR)
    for_class = f"For class {', not '.join(chart.target)}"
    rows = [
        [("Class-agnostic", one) for one in general] + [("Baseline", one) for one in baseline],
        [(for_class, one) for one in specific],
    ]
    for row, methods in enumerate(rows):
        y, heading = top + row * (box[3] + 68), ""
        for column, (name, one) in enumerate(methods):
            left = MARGIN + (column + (row == 0)) * step
            if name != heading:
                drawing.text(left, y - 7, shorten(name, step * (2 + 4 * row) - 18, BODY), BODY, color=MUTED_COLOR)
            heading = name
            show_method(drawing, chart, one, chart.box(left, y, METHOD_SIDE))
    mean, deviation = chart.random_baseline
    label = chart.target[0] if chart.target else "the class"
    note = (
        f"Deletion score: mean relative drop of the probability of {label} while the highest-ranked patches are masked "
        f"first. Higher is better. Mark: random order, {words.score_text(mean)} ± {words.written(deviation, 2)} (SD). "
        "One scale per map, over its range; signed maps are symmetric about 0."
    )
    drawing.paragraph(MARGIN, drawing.bottom + 18, width - 2 * MARGIN, note, SMALL, 3, color=MUTED_COLOR)
    show_caption(drawing, chart, width)
    return drawing


def draw_frame(chart: Chart) -> Figure:
    """Draw a frame of an animation: image and large map."""
    with DRAWING_LOCK, own_style():
        return draw_image_and_map(chart).finish(MARGIN, slide=False)


LAYOUTS: dict[str, Callable[[Chart], Drawing]] = {
    "view": draw_view,
    "map": draw_map,
    "matrix": draw_matrix,
    "methods": draw_methods,
    "sheet": draw_sheet,
}


# Parts


def show_heading(drawing: Drawing, left: float, top: float, text: str, width: float, right: str = "") -> float:
    """Write the heading of a column, with a note at its right end; return where its content starts."""
    note = shorten(right, width * 0.62, SMALL)
    if note:
        drawing.text(left + width, top + 8, note, SMALL, color=MUTED_COLOR, ha="right")
    drawing.text(left, top + 8, shorten(text, width * (0.36 if note else 1), HEADING, "bold"), HEADING, weight="bold")
    return top + 17


def show_image(drawing: Drawing, chart: Chart, left: float, top: float, side: float) -> None:
    """Draw the model input, with its true label."""
    box = chart.box(left, 0, side)
    top = show_heading(drawing, left, top, "Image", max(box[2], 150), chart.truth)
    show_pixels(drawing, chart, (left, top, *box[2:]))


def show_pixels(drawing: Drawing, chart: Chart, box: Box) -> None:
    """Draw the model input pixel by pixel, with the grid of patches and the marks."""
    drawing.image(box, chart.image, "image")
    show_grid(drawing, chart, box, "white", 0.26)
    show_marks(drawing, chart, box)


def show_large(drawing: Drawing, chart: Chart, left: float, top: float, side: float, with_title: bool = True) -> None:
    """Draw the large map with its color bar."""
    box = chart.box(left, top, side)
    width = max(box[2], 150)
    if with_title:
        top = show_heading(drawing, left, top, chart.title, width)
        box = (left, top, *box[2:])
    if chart.large_is_ablated:
        show_empty(drawing, box)
        return
    drawing.map(box, chart.scale.colors(chart.large), chart.smooth, "map")
    show_grid(drawing, chart, box, TEXT_COLOR, 0.1)
    if chart.outlines and chart.outline_opacity:
        show_outlines(drawing, chart, box)
    show_marks(drawing, chart, box)
    bottom = show_bar(drawing, left, top + box[3] + 9, width, chart.scale, chart.uniform)
    if chart.prefix_weight is not None:
        cell = chart.scale.colors(np.array([[chart.prefix_weight]]))
        drawing.map((left, bottom + 5, 13, 13), cell, gid="class-token")
        drawing.rectangle((left, bottom + 5, 13, 13), fill=False, edgecolor=LINE_COLOR, linewidth=0.5)
        drawing.paragraph(left + 19, bottom + 14.5, width - 19, chart.prefix_line, BODY, 2)
    elif chart.prefix_line:
        drawing.paragraph(left, bottom + 12, width, chart.prefix_line, BODY, 3)


def show_empty(drawing: Drawing, box: Box) -> None:
    """Cross out the map of an ablated head."""
    left, top, width, height = box
    drawing.rectangle(box, fill=False, edgecolor=LINE_COLOR, linewidth=0.75)
    drawing.lines([[(left, top + height), (left + width, top)]], "ablated")
    if width > 60:
        style = {"ha": "center", "color": MUTED_COLOR, "bbox": {"facecolor": "white", "linewidth": 0}}
        drawing.text(left + width / 2, top + height / 2, "ablated", BODY, **style)


def show_grid(drawing: Drawing, chart: Chart, box: Box, color: str, alpha: float) -> None:
    """Draw the lines between patches, and a frame."""
    left, top, width, height = box
    rows, columns = chart.grid
    across = [
        [(left + width * k / columns, top), (left + width * k / columns, top + height)] for k in range(columns + 1)
    ]
    down = [[(left, top + height * k / rows), (left + width, top + height * k / rows)] for k in range(rows + 1)]
    drawing.lines(across + down, colors=color, alpha=alpha, linewidths=0.5)


def show_outlines(drawing: Drawing, chart: Chart, box: Box) -> None:
    """Draw the outlines of the image."""
    left, top, width, height = box
    lines = [np.asarray(line) * (width, height) + (left, top) for line in chart.outlines]
    style = {"alpha": chart.outline_opacity, "capstyle": "round", "joinstyle": "round"}
    drawing.lines(lines, None, colors="white", linewidths=1.6, **style | {"alpha": 0.45 * chart.outline_opacity})
    drawing.lines(lines, "outlines", colors=TEXT_COLOR, linewidths=0.7, **style)


def patch_box(chart: Chart, box: Box, patch: int) -> Box:
    """Return the box of a patch on a map or image."""
    left, top, width, height = box
    (rows, columns), (row, column) = chart.grid, divmod(patch, chart.grid[1])
    return left + width * column / columns, top + height * row / rows, width / columns, height / rows


def show_marks(drawing: Drawing, chart: Chart, box: Box) -> None:
    """Cross out removed patches, and frame the query patches."""
    for patch in (*chart.dropped, *chart.gray):
        left, top, width, height = cell = patch_box(chart, box, patch)
        fill = {"facecolor": "white"} if patch in chart.dropped else {"fill": False}
        drawing.rectangle(cell, "removed", edgecolor=MUTED_COLOR, linewidth=0.75, **fill)
        drawing.lines([[(left, top + height), (left + width, top)]], linewidths=0.75)
    for patch in chart.query if chart.method is None else ():
        drawing.frame(patch_box(chart, box, patch), gid="query")


def show_bar(drawing: Drawing, left: float, top: float, width: float, scale: Scale, uniform: float = 2.0) -> float:
    """Draw a color bar with its ticks, the mark of uniform attention, and its unit; return its lower end."""
    drawing.map((left, top, width, 8), scale.table[None], gid="bar")
    for place, text in scale.ticks():
        align = "left" if place == 0 else "right" if place == 1 else "center"
        drawing.text(left + place * width, top + 18, text, SMALL, color=MUTED_COLOR, ha=align)
    place = float(scale.place(np.array(uniform, np.float32)))
    is_marked = scale.kind == "linear" and scale.is_weight and 0 < place < 1
    unit = scale.unit()
    if is_marked:
        x = left + place * width
        drawing.lines(
            [[(x, top - 2.5), (x, top + 10.5)]],
            "uniform",
            colors=TEXT_COLOR,
            linewidths=0.9,
            linestyles=[(0, (2, 1.4))],
        )
        drawing.text(
            left + width, top + 29, f"dashed: uniform, {words.percent(uniform)}", SMALL, color=MUTED_COLOR, ha="right"
        )
        unit = shorten(unit, width * 0.5, SMALL)
    end = drawing.paragraph(left, top + 29, width, unit, SMALL, 2, color=MUTED_COLOR)
    return end - 0.8 * SMALL


def matrix_width(chart: Chart, tile: float) -> float:
    """Return the width of the matrix (pt)."""
    return LABELS + chart.maps.shape[1] * (tile + TILE_GAP) + MEAN_GAP - TILE_GAP


def matrix_tile(chart: Chart, width: float, height: float, most: float = 48) -> float:
    """Return the width of a tile so that the matrix fits (pt)."""
    layers, heads = chart.maps.shape[:2]
    across = (width - LABELS - MEAN_GAP + TILE_GAP) / heads - TILE_GAP
    down = ((height - MEAN_GAP) / layers - TILE_GAP) * chart.aspect
    return max(6, min(most, across, down, most * chart.aspect))


def show_matrix(
    drawing: Drawing,
    chart: Chart,
    left: float,
    top: float,
    tile: float,
    with_title: bool = True,
    with_marks: bool = False,
) -> None:
    """Draw one tile per layer and head, a mean row and column, and the color bar."""
    layers, heads = (count - 1 for count in chart.maps.shape[:2])
    width, height = matrix_width(chart, tile), tile / chart.aspect
    if with_title:
        top = show_heading(drawing, left, top, "All layers and heads", max(width, 200))
    else:
        top += 4
    is_vector = chart.maps.size <= MAX_CELLS
    size = SMALL if tile > 18 else 6
    for head in range(heads + 1):
        x = left + LABELS + head * (tile + TILE_GAP) + (head == heads) * MEAN_GAP
        text = "mean" if head == heads else f"head {head + 1}" if head == 0 and tile > 26 else str(head + 1)
        is_chosen = chart.chosen is not None and chart.chosen[1] == head
        drawing.text(x + tile / 2, top + 9, text, size, ha="center", **label_style(is_chosen))
        for layer in range(layers + 1):
            y = top + 14 + layer * (height + TILE_GAP) + (layer == layers) * MEAN_GAP
            if head == 0:
                text = "mean" if layer == layers else f"layer {layer + 1}" if layer == 0 else str(layer + 1)
                chosen = chart.chosen is not None and chart.chosen[0] == layer
                drawing.text(
                    left + LABELS - 6, y + height / 2 + 0.35 * size, text, size, ha="right", **label_style(chosen)
                )
            show_tile(drawing, chart, (layer, head), (x, y, tile, height), is_vector, with_marks)
    if chart.chosen is not None:
        layer, head = chart.chosen
        x = left + LABELS + head * (tile + TILE_GAP) + (head == heads) * MEAN_GAP
        y = top + 14 + layer * (height + TILE_GAP) + (layer == layers) * MEAN_GAP
        drawing.frame((x, y, tile, height), gid="chosen")
    show_matrix_scale(drawing, chart, left + LABELS, drawing.bottom + 10, min(width - LABELS, 260))


def label_style(is_chosen: bool) -> dict[str, str]:
    """Style of a row's or column's label."""
    return {"color": ACCENT_COLOR, "weight": "bold"} if is_chosen else {"color": MUTED_COLOR}


def tile_name(chart: Chart, layer: int, head: int) -> str:
    """Return the group name of a tile: "head-1-2" for layer 1, head 2; "head-mean-2" for the mean over layers."""
    layers, heads = (count - 1 for count in chart.maps.shape[:2])
    return f"head-{'mean' if layer == layers else layer + 1}-{'mean' if head == heads else head + 1}"


def show_tile(drawing: Drawing, chart: Chart, at: tuple[int, int], box: Box, is_vector: bool, with_marks: bool) -> None:
    """Draw the map of a layer and head, or of a mean."""
    if chart.ablated[at]:
        show_empty(drawing, box)
        return
    colors = chart.scale_of(*at).colors(chart.maps[at])
    if is_vector or chart.smooth:
        drawing.map(box, colors, chart.smooth, tile_name(chart, *at))
    else:
        drawing.image(box, colors, tile_name(chart, *at))
    drawing.rectangle(box, fill=False, edgecolor=TEXT_COLOR, alpha=0.13, linewidth=0.5)
    if with_marks:
        show_marks(drawing, chart, box)
    elif len(chart.query) == 1:
        drawing.rectangle(
            patch_box(chart, box, chart.query[0]), "query", fill=False, edgecolor=ACCENT_COLOR, linewidth=0.8
        )


def show_matrix_scale(drawing: Drawing, chart: Chart, left: float, top: float, width: float) -> None:
    """Draw the color bar of the matrix, with a second row of ticks if means have another scale."""
    width = max(width, 150)
    if chart.scales is None:
        text = "one scale per map, over its range"
        drawing.paragraph(left, top + 4, width, text, SMALL, 2, color=MUTED_COLOR)
        return
    heads, means = chart.scales
    end = show_bar(drawing, left, top, width, heads)
    if means != heads:
        text = f"of heads; on means the last color is ≥ {means.end}"
        drawing.text(left, end + 8, shorten(text, width, SMALL), SMALL, color=MUTED_COLOR)


def show_prediction(drawing: Drawing, chart: Chart, left: float, top: float) -> None:
    """Draw the probabilities of the listed classes, and the effect of the ablation."""
    y = show_heading(drawing, left, top, "Prediction", PREDICTION)
    if not chart.prediction:
        drawing.text(left, y + 10, "none: trained without labels", BODY, color=MUTED_COLOR)
    for row, one in enumerate(chart.prediction):
        if one.is_explained:
            drawing.rectangle((left - 6, y, PREDICTION + 12, 27), facecolor=ACCENT_FILL)
        weight = "bold" if row == 0 else "normal"
        value = words.percent(one.probability, 1)
        name = shorten(one.name, PREDICTION - 50 - 28 * one.is_true, BODY, weight)
        drawing.text(left, y + 12, name, BODY, weight=weight)
        if one.is_true:
            style = {
                "facecolor": "white",
                "edgecolor": "#868d97",
                "linewidth": 0.6,
                "boxstyle": "round,pad=0.22,rounding_size=0.4",
            }
            drawing.text(left + PREDICTION - 40, y + 12, "true", 7, color=MUTED_COLOR, ha="right", bbox=style)
        drawing.text(left + PREDICTION, y + 12, value, BODY, ha="right")
        color = ACCENT_COLOR if one.is_explained else TEXT_COLOR if row == 0 else MUTED_COLOR
        drawing.rectangle((left, y + 17, PREDICTION, 4.5), facecolor=LINE_COLOR)
        drawing.rectangle((left, y + 17, PREDICTION * one.probability, 4.5), f"probability-{row + 1}", facecolor=color)
        if one.before is not None:
            drawing.rectangle(
                (left + PREDICTION * one.before - 0.6, y + 14.5, 1.2, 9.5), f"before-{row + 1}", facecolor=TEXT_COLOR
            )
        y += 29
    for k, line in enumerate(chart.effect):
        style = {"weight": "bold"} if k == 1 else {"color": MUTED_COLOR}
        y = drawing.paragraph(left, y + 14, PREDICTION, line, 10 if k == 1 else BODY, 5, **style) - 8


def show_method(drawing: Drawing, chart: Chart, one: MethodMap, box: Box) -> None:
    """Draw the map of a method with its name and score."""
    left, top, _, height = box
    drawing.map(box, one.scale.colors(one.values), chart.smooth, f"method-{one.key}")
    drawing.rectangle(box, fill=False, edgecolor=TEXT_COLOR, alpha=0.13, linewidth=0.5)
    for patch in (*chart.dropped, *chart.gray):
        x, y, across, down = cell = patch_box(chart, box, patch)
        fill = {"facecolor": "white"} if patch in chart.dropped else {"fill": False}
        drawing.rectangle(cell, "removed", edgecolor=MUTED_COLOR, linewidth=0.5, **fill)
        drawing.lines([[(x, y + down), (x + across, y)]])
    is_chosen = one.key == chart.method
    if is_chosen:
        drawing.frame(box, gid="chosen")
    y, width = top + height, METHOD_SIDE
    drawing.text(
        left,
        y + 14,
        one.name,
        BODY,
        weight="bold" if is_chosen else "normal",
        color=ACCENT_COLOR if is_chosen else TEXT_COLOR,
    )
    mean, deviation = chart.random_baseline
    drawing.rectangle((left, y + 20, width, 4), facecolor=LINE_COLOR)
    if one.score is not None:
        drawing.rectangle(
            (left, y + 20, width * float(np.clip(one.score, 0, 1)), 4), f"score-{one.key}", facecolor=MUTED_COLOR
        )
    drawing.rectangle((left + width * float(np.clip(mean, 0, 1)) - 0.6, y + 17.5, 1.2, 9), facecolor=TEXT_COLOR)
    drawing.text(left, y + 36, "–" if one.score is None else words.score_text(one.score), BODY)
    verdict = "one order" if one.key == "random" else words.verdict(one.score, mean, deviation)
    drawing.text(left + width, y + 36, verdict, SMALL, color=MUTED_COLOR, ha="right")


def show_caption(drawing: Drawing, chart: Chart, width: float, left: float = MARGIN, y: float | None = None) -> None:
    """Write the caption, and the link in its own line."""
    y = drawing.bottom + 20 if y is None else y + 10
    for text in (" ".join(chart.caption), chart.link):
        if text:
            y = drawing.paragraph(left, y, width - MARGIN - left, text, SMALL, 6, color=MUTED_COLOR)
