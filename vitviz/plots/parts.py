"""Parts of figures: headings, images, maps, the matrix, scales, predictions and captions."""

import numpy as np

from vitviz.plots import words
from vitviz.plots.canvas import (
    ACCENT_COLOR,
    ACCENT_FILL,
    LINE_COLOR,
    MUTED_COLOR,
    TEXT_COLOR,
    Box,
    Drawing,
    shorten,
)
from vitviz.plots.chart import Chart, MethodMap
from vitviz.plots.scales import Scale

# pt
MARGIN, GUTTER = 28.0, 26.0
PREDICTION, METHOD_SIDE = 136.0, 124.0
LABELS, TILE_GAP, MEAN_GAP = 38.0, 3.0, 8.0
HEADLINE, HEADING, BODY, SMALL = 17.0, 10.5, 8.5, 8.0
MAX_CELLS = 20_000  # of a matrix; a larger one is drawn as images, as its cells would make a file of many megabytes


def show_heading(drawing: Drawing, left: float, top: float, text: str, width: float, right: str = "") -> float:
    """Write the heading of a column, with a note at its right end; return where its content starts."""
    note = shorten(right, width * 0.62, SMALL)
    if note:
        drawing.text(left + width, top + 8, note, SMALL, color=MUTED_COLOR, ha="right")
    drawing.text(left, top + 8, shorten(text, width * (0.36 if note else 1), HEADING, "bold"), HEADING, weight="bold")
    return top + 17


def show_image(drawing: Drawing, chart: Chart, left: float, top: float, side: float) -> None:
    """Draw the model input, with its true label."""
    box, title = chart.box(left, 0, side), "Image" if chart.other is None else "Image A"
    top = show_heading(drawing, left, top, title, max(box[2], 150), chart.truth)
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
    if chart.pixels is not None:
        drawing.image(box, chart.scale.colors(chart.pixels), "map")
    else:
        colors = chart.scale.colors(chart.large) if chart.colors is None else chart.colors
        drawing.map(box, colors, chart.smooth, "map")
    show_grid(drawing, chart, box, TEXT_COLOR, 0.1)
    if chart.outlines and chart.outline_opacity:
        show_outlines(drawing, chart, box)
    show_marks(drawing, chart, box)
    if chart.colors is not None:
        return
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
        drawing.text(left, y + 10, f"none: {chart.no_prediction}", BODY, color=MUTED_COLOR)
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
