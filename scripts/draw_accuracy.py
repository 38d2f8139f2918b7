"""Draw test accuracy against training time of `cifar10-2min` and of the tutorials' networks.

Run: `python -m scripts.draw_accuracy`, which reads `docs/accuracy.csv` and writes `docs/accuracy.svg`.
"""

import csv
from collections import defaultdict
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

DOCS = Path(__file__).parents[1] / "docs"
COLORS = {
    "cifar10-2min": "#0b62a8",
    "tutorial-lightning": "#b45309",
    "tutorial-scratch": "#4d7c0f",
    "tutorial-notebook": "#86198f",
}


def read() -> dict[str, list[tuple[float, float, bool]]]:
    """Return minutes, test accuracy in percent, and whether the time was measured, of each preset."""
    points: dict[str, list[tuple[float, float, bool]]] = defaultdict(list)
    with (DOCS / "accuracy.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            points[row["preset"]].append((float(row["minutes"]), float(row["accuracy"]), row["timed"] == "yes"))
    return points


def draw() -> Figure:
    """Return the figure: a line per preset, with its name and accuracy at its points."""
    figure = Figure((5.6, 3.8), facecolor="white", layout="constrained")
    axes = figure.add_subplot(xscale="log", xlim=(8, 420), ylim=(20, 90))
    for preset, points in read().items():
        color = COLORS[preset]
        axes.plot([one[0] for one in points], [one[1] for one in points], color=color, linewidth=2, clip_on=False)
        for minutes, accuracy, is_timed in points:
            axes.plot(
                minutes, accuracy, "o", color=color, markerfacecolor=color if is_timed else "white", clip_on=False
            )
        for minutes, accuracy, _ in points[:-1]:
            axes.annotate(
                f"{accuracy:.2f}", (minutes, accuracy), (0, 7), textcoords="offset points", ha="center", color=color
            )
        minutes, accuracy, _ = points[-1]
        axes.annotate(
            f"{accuracy:.2f}  {preset}",
            (minutes, accuracy),
            (10, 0),
            textcoords="offset points",
            va="center",
            color=color,
        )
    axes.set_xticks([10, 30, 90], ["10", "30", "90"])
    axes.minorticks_off()
    axes.set_xlabel("minutes of training on two cores of an AMD EPYC (Zen 4); hollow: estimated")
    axes.set_ylabel("CIFAR-10 test accuracy (%)")
    axes.grid(axis="y", color="#e5e7eb")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def main() -> None:
    """Draw the figure and write it."""
    with mpl.rc_context({"svg.hashsalt": "vitviz", "font.size": 10}):
        draw().savefig(DOCS / "accuracy.svg", metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main()
