"""Figures of explanations, equal to the page: the same numbers on the same scales with the same marks.

A figure shows a `Chart`: the whole view, the large map, the matrix of all layers and heads, the attribution methods,
or a contact sheet. Maps are vector cells with group names (`map`, `head-1-1`, ... `mean-mean`, `method-NAME`), one path
per patch in reading order.
"""

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from matplotlib.figure import Figure

from vitviz.plots import words
from vitviz.plots.canvas import DRAWING_LOCK, MUTED_COLOR, Drawing, own_style, shorten
from vitviz.plots.chart import Chart
from vitviz.plots.panels import show_other, show_panel
from vitviz.plots.parts import (
    BODY,
    GUTTER,
    HEADLINE,
    MARGIN,
    METHOD_SIDE,
    PREDICTION,
    SMALL,
    matrix_tile,
    matrix_width,
    show_caption,
    show_heading,
    show_image,
    show_large,
    show_matrix,
    show_method,
    show_pixels,
    show_prediction,
)

Content = Literal["view", "map", "matrix", "methods", "sheet", "contributions", "features", "patching"]
Size = Literal["content", "16:9"]
CONTENTS: tuple[Content, ...] = get_args(Content)
SIZES: tuple[Size, ...] = get_args(Size)
PANELS: tuple[Content, ...] = ("contributions", "features", "patching")
# pt
VIEW_WIDTH, VIEW_SIDE, PANEL_SIDE = 960.0, 196.0, 184.0
MAP_SIDE, SHEET_IMAGE = 340.0, 84.0
MATRIX_TILE, SHEET_TILE, SHEET_WIDTH, SHEET_TILES = 52.0, 92.0, 1100.0, 64.0


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
    if (content in PANELS) != (chart.panel is not None):
        raise ValueError(f"The content {content} needs another chart: see vitviz.attribution.panels.")
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


def draw_panel(chart: Chart) -> Drawing:
    """Image, large map and panel, below the headline."""
    drawing = Drawing(VIEW_WIDTH)
    top = drawing.paragraph(MARGIN, MARGIN + 12, VIEW_WIDTH - 2 * MARGIN, chart.headline, HEADLINE, 2, weight="bold")
    second = MARGIN + PANEL_SIDE + GUTTER
    third = second + PANEL_SIDE + GUTTER + 2
    width = VIEW_WIDTH - MARGIN - third
    show_image(drawing, chart, MARGIN, top, PANEL_SIDE)
    show_other(drawing, chart, MARGIN, drawing.bottom + 6, PANEL_SIDE * 0.6)
    show_large(drawing, chart, second, top, PANEL_SIDE)
    show_panel(drawing, chart, third, show_heading(drawing, third, top, chart.matrix_title, width), width)
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
    **dict.fromkeys(PANELS, draw_panel),
}
