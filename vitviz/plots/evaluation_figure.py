"""Figure of an evaluation: confusion matrix and reliability diagram."""

import vitviz.plots.mpl_backend  # noqa: F401 - before Matplotlib

# isort: split
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from vitviz.plots.formatting import percent
from vitviz.plots.style import ACCENT_COLOR, LINE_COLOR, MAP_COLORS, MUTED_COLOR, Displayed, own_style, plain

MAX_NUMBERED = 20  # classes whose counts are written into the matrix
MAX_NAMED = 100  # classes whose names fit beside it
MAX_NAME = 24  # characters

Bins = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]


def draw(counts: NDArray[np.int64], labels: Sequence[str], bins: Bins, error: float, note: str = "") -> Figure:
    """Draw an evaluation.

    Args:
        counts: Images by class (rows) and prediction (columns), (K, K).
        labels: K names.
        bins: Number of images, accuracy and mean confidence of each bin of confidence, (M,) each.
        error: Expected calibration error.
        note: Footer.
    """
    with own_style():
        figure = Displayed(figsize=(7.2, 4.2), facecolor="white", layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(1.5, 1))
        draw_matrix(left, counts, [plain(name[:MAX_NAME]) for name in labels])
        draw_reliability(right, *bins)
        right.set_title(f"Calibration: expected error {percent(error)}", fontweight="bold")
        figure.supxlabel(plain(note), x=0.01, ha="left", fontsize=6, color=MUTED_COLOR)
    return figure


def draw_matrix(axes: Axes, counts: NDArray[np.int64], names: Sequence[str]) -> None:
    """Draw the confusion matrix, colored by the fraction of the images of each class."""
    fraction = counts / np.maximum(1, counts.sum(1, keepdims=True))
    image = axes.imshow(fraction, cmap=MAP_COLORS, vmin=0, vmax=1)
    axes.set_title("Confusion matrix", fontweight="bold")
    axes.set(xlabel="prediction", ylabel="class")
    places = range(len(names)) if len(names) <= MAX_NAMED else ()
    size = min(7.0, 200 / len(names))
    axes.set_xticks(places, [names[k] for k in places], rotation=90, fontsize=size)
    axes.set_yticks(places, [names[k] for k in places], fontsize=size)
    if len(names) <= MAX_NUMBERED:
        for (row, column), count in np.ndenumerate(counts):
            red, green, blue, _ = MAP_COLORS(fraction[row, column])
            is_dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.5
            color = "white" if is_dark else "black"
            axes.text(
                column, row, str(count) if count else "", ha="center", va="center", color=color, fontsize=size - 1
            )
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.7)
    bar.outline.set_visible(False)
    bar.set_label("fraction of the class")


def draw_reliability(axes: Axes, images: NDArray, accuracy: NDArray, confidence: NDArray) -> None:
    """Draw accuracy against confidence; on the diagonal a model is calibrated."""
    edges = np.linspace(0, 1, len(images) + 1)
    axes.plot([0, 1], [0, 1], color=MUTED_COLOR, linewidth=0.7, linestyle="--")
    axes.bar(edges[:-1], np.nan_to_num(accuracy), 1 / len(images), align="edge", color=LINE_COLOR, edgecolor="white")
    known = images > 0
    areas = 60 * images[known] / images.max()
    axes.scatter(confidence[known], accuracy[known], areas, color=ACCENT_COLOR, zorder=3, clip_on=False)
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="confidence (area: images)", ylabel="accuracy")
