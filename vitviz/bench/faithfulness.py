"""What the methods are worth over many pictures: deletion and insertion, with chance beside them."""

from collections import defaultdict
from typing import get_args

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from vitviz.data import cifar
from vitviz.explanation.case import Case
from vitviz.explanation.faithfulness import BASELINES, Baseline, score
from vitviz.explanation.methods import METHODS
from vitviz.model.checkpoint import load

CHANCE = "chance"


def run(name: str, data: str | None, pictures: int, seed: int = 0) -> None:
    """Score all methods for the predicted class of test pictures, and print a table for each baseline.

    Args:
        name: Of the checkpoint.
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`.
        pictures: How many, drawn from the test set.
        seed: Of that draw.
    """
    checkpoint = load(name)
    images, _ = cifar.load("test", data)
    chosen = np.random.default_rng(seed).permutation(len(images))[:pictures]
    found: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for index in track(chosen, description="scoring", console=Console(stderr=True)):
        case = Case(checkpoint, checkpoint.normalise(images[int(index)][None])[0])
        predicted = int(case.logits.argmax())
        maps = {key: method.compute(case, predicted) for key, method in METHODS.items()}
        for baseline in get_args(Baseline):
            report = score(case, maps, predicted, baseline)
            for key, result in report.scores.items():
                found[baseline, key].append((result.deletion, result.insertion))
            mean = float(np.mean([result.deletion for result in report.chance]))
            found[baseline, CHANCE].append((mean, mean))
    out = Console()
    for baseline, words in BASELINES.items():
        out.print(table_of(f"{len(chosen)} test pictures, {checkpoint.name}; patches {words}", baseline, found))


def table_of(title: str, baseline: str, found: dict[tuple[str, str], list[tuple[float, float]]]) -> Table:
    """Means with 95 % confidence intervals over the pictures; the gap is insertion less deletion."""
    table = Table("method", "deletion (low is good)", "insertion (high is good)", "gap", title=title)
    for key in (*METHODS, CHANCE):
        deletion, insertion = np.array(found[baseline, key]).T
        name = METHODS[key].title if key in METHODS else "20 random orders"
        table.add_row(name, *(interval(values) for values in (deletion, insertion, insertion - deletion)))
    return table


def interval(values: np.ndarray) -> str:
    """A mean and its 95 % confidence interval, by the normal approximation."""
    spread = 1.96 * values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return f"{values.mean():.3f} ± {spread:.3f}"
