"""Figures of comparisons: two images and maps on one scale, their difference, and both predictions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from vitviz.plots import words
from vitviz.plots.canvas import (
    DRAWING_LOCK,
    LINE_COLOR,
    MUTED_COLOR,
    TEXT_COLOR,
    Box,
    Drawing,
    own_style,
    shorten,
)
from vitviz.plots.parts import BODY, GUTTER, HEADING, HEADLINE, MARGIN, PREDICTION, SMALL, show_bar
from vitviz.plots.scales import Scale

# pt
WIDTH, IMAGE = 960.0, 84.0
SIDE = (WIDTH - 2 * MARGIN - 3 * GUTTER - PREDICTION) / 3
LISTED = 6  # classes


@dataclass(frozen=True)
class ComparedMap:
    """One side of the figure.

    Attributes:
        name: What tells it from the other side.
        title: What the map shows.
        image: The model input, (H, W, 3) uint8.
        values: The map on the common scale, (gh, gw); NaN for removed patches.
    """

    name: str
    title: str
    image: NDArray[np.uint8]
    values: NDArray[np.float32]


@dataclass(frozen=True)
class ComparedClass:
    """A class that both sides predict, and its probabilities."""

    name: str
    a: float
    b: float

    @property
    def points(self) -> float:
        """Change from A to B in percentage points, between the numbers as printed."""
        return (words.rounded(1000 * self.b) - words.rounded(1000 * self.a)) / 10


@dataclass(frozen=True)
class ComparisonChart:
    """Content of the figure of a comparison.

    Attributes:
        headline: The finding, in one sentence.
        sides: A and B.
        scale: The scale of both maps.
        difference: B minus A on its own scale, (gh, gw); NaN for removed patches; None if the grids differ.
        difference_scale: Symmetric about 0.
        correlation: Rank correlation, or why there is none.
        prediction: What both sides predict.
        classes: Classes with their probabilities, the largest first.
        query: The query patches, framed.
        caption: Sentences: models, images, scale, and what is not compared.
        link: Address of the view; may be empty.
    """

    headline: str
    sides: tuple[ComparedMap, ComparedMap]
    scale: Scale
    difference: NDArray[np.float32] | None
    difference_scale: Scale
    correlation: str
    prediction: str
    classes: Sequence[ComparedClass] = ()
    query: tuple[int, ...] = ()
    caption: Sequence[str] = ()
    link: str = ""


def draw(chart: ComparisonChart) -> Figure:
    """Draw the two sides, their difference and their predictions below the headline."""
    with DRAWING_LOCK, own_style():
        drawing = Drawing(WIDTH)
        width = WIDTH - 2 * MARGIN
        top = drawing.paragraph(MARGIN, MARGIN + 12, width, chart.headline, HEADLINE, 2, weight="bold")
        for column, side in enumerate(chart.sides):
            show_side(drawing, chart, side, MARGIN + column * (SIDE + GUTTER), top, "AB"[column])
        show_difference(drawing, chart, MARGIN + 2 * (SIDE + GUTTER), top)
        show_predictions(drawing, chart, WIDTH - MARGIN - PREDICTION, top)
        y = drawing.bottom + 20
        for text in (" ".join(chart.caption), chart.link):
            if text:
                y = drawing.paragraph(MARGIN, y, width, text, SMALL, 6, color=MUTED_COLOR)
        return drawing.finish(MARGIN, slide=False)


def fit_box(left: float, top: float, side: float, aspect: float) -> Box:
    """Return a box of an aspect, width by height, whose longer side is `side`."""
    return left, top, side * min(1, aspect), side / max(1, aspect)


def aspect_of(side: ComparedMap) -> float:
    """Return the width of the image divided by its height."""
    return side.image.shape[1] / side.image.shape[0]


def show_side(drawing: Drawing, chart: ComparisonChart, side: ComparedMap, left: float, top: float, name: str) -> None:
    """Draw the image and the map of a side, with the scale below the map."""
    drawing.text(left, top + 8, name, HEADING, weight="bold")
    drawing.text(left + 14, top + 8, shorten(side.name, SIDE - 14, BODY), BODY, color=MUTED_COLOR)
    drawing.image(fit_box(left, top + 16, IMAGE, aspect_of(side)), side.image, f"image-{name}")
    y = top + IMAGE + 32
    drawing.text(left, y, shorten(side.title, SIDE, BODY, "bold"), BODY, weight="bold")
    box = fit_box(left, y + 8, SIDE, aspect_of(side))
    show_map(drawing, side.values, chart.scale, box, f"map-{name}", chart.query)
    show_bar(drawing, left, y + 17 + box[3], SIDE, chart.scale)


def show_map(
    drawing: Drawing,
    values: NDArray[np.float32],
    scale: Scale,
    box: Box,
    gid: str,
    query: tuple[int, ...] = (),
) -> None:
    """Draw a map; patches without a value are white and crossed out, query patches framed."""
    colors = scale.colors(np.nan_to_num(values))
    drawing.map(box, colors, gid=gid)
    drawing.rectangle(box, fill=False, edgecolor=LINE_COLOR, linewidth=0.75)
    for patch in np.flatnonzero(np.isnan(values)).tolist():
        left, top, width, height = cell = cell_of(box, values.shape, patch)
        drawing.rectangle(cell, "removed", edgecolor=MUTED_COLOR, facecolor="white", linewidth=0.5)
        drawing.lines([[(left, top + height), (left + width, top)]])
    for patch in query:
        drawing.frame(cell_of(box, values.shape, patch), gid="query")


def cell_of(box: Box, shape: tuple[int, ...], patch: int) -> Box:
    """Return the box of a patch on a map."""
    left, top, width, height = box
    (rows, columns), (row, column) = shape, divmod(patch, shape[1])
    return left + width * column / columns, top + height * row / rows, width / columns, height / rows


def show_difference(drawing: Drawing, chart: ComparisonChart, left: float, top: float) -> None:
    """Draw the difference and the rank correlation."""
    drawing.text(left, top + 8, "B − A", HEADING, weight="bold")
    y = drawing.paragraph(left, top + 26, SIDE, chart.correlation, BODY, 6)
    if chart.difference is None:
        return
    y = top + IMAGE + 32
    drawing.text(left, y, "Difference of the maps", BODY, weight="bold")
    box = fit_box(left, y + 8, SIDE, aspect_of(chart.sides[0]))
    show_map(drawing, chart.difference, chart.difference_scale, box, "difference")
    show_bar(drawing, left, y + 17 + box[3], SIDE, chart.difference_scale)


def show_predictions(drawing: Drawing, chart: ComparisonChart, left: float, top: float) -> None:
    """Draw the probabilities of both sides, class by class, and the change in percentage points."""
    drawing.text(left, top + 8, "Prediction", HEADING, weight="bold")
    y = drawing.paragraph(left, top + 26, PREDICTION, chart.prediction, BODY, 5, color=MUTED_COLOR) + 6
    for row, one in enumerate(chart.classes[:LISTED]):
        drawing.text(left, y, shorten(one.name, PREDICTION - 62, BODY), BODY)
        drawing.text(left + PREDICTION, y, f"{words.signed(one.points, 1)} points", SMALL, ha="right")
        for line, (side, value, color) in enumerate((("A", one.a, MUTED_COLOR), ("B", one.b, TEXT_COLOR))):
            place = y + 8 + 11 * line
            drawing.text(left, place + 5, side, 7, color=MUTED_COLOR)
            drawing.rectangle((left + 10, place, PREDICTION - 50, 5), facecolor=LINE_COLOR)
            name = f"probability-{side}-{row + 1}"
            drawing.rectangle((left + 10, place, (PREDICTION - 50) * value, 5), name, facecolor=color)
            drawing.text(left + PREDICTION, place + 5, words.percent(value, 1), SMALL, ha="right", color=TEXT_COLOR)
        y += 42
