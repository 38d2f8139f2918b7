"""What the methods are worth over many images, with chance beside them: deletion, insertion and two more tests."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Column, Table
from torch import Tensor

from vitviz.attribution.context import ForwardContext
from vitviz.attribution.faithfulness import Score, baselines_for, randomisation, score, sensitivity
from vitviz.attribution.methods import METHODS, methods_for
from vitviz.data import cifar, datasets
from vitviz.models.checkpoint import Checkpoint, load

CHANCE = "chance"
COUNTS = (1, 4, 16)  # patches taken away at once for sensitivity-n
RANDOMISED = 25  # images of the randomisation test, which computes every map anew for every part of the model
Found = Mapping[str, list[float]]


class Findings:
    """What the tests found of all methods: for each measure a list with a number for each image.

    Args:
        checkpoint: Whose maps are tested.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        config = checkpoint.network.config
        self.computes = {key: method.compute for key, method in methods_for(config).items()}
        self.counts = [count for count in COUNTS if count < config.num_patches]
        self.baselines = baselines_for(config)
        self.scores: dict[tuple[str, str], list[Score]] = defaultdict(list)
        self.sensitivities: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.correlations: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.images = 0

    def add(self, image: Tensor) -> None:
        """Test all methods for the predicted class of an image, uint8 (3, H, W); note all of it or nothing."""
        case = ForwardContext(self.checkpoint, self.checkpoint.normalize(image[None])[0])
        predicted = int(case.logits.argmax())
        maps = {key: compute(case, predicted) for key, compute in self.computes.items()}
        reports = {baseline: score(case, maps, predicted, baseline) for baseline in self.baselines}
        felt = {f"n = {count}": sensitivity(case, maps, predicted, count) for count in self.counts}
        alike = randomisation(case, self.computes, predicted) if self.images < RANDOMISED else {}
        for baseline, report in reports.items():
            for key, result in report.scores.items():
                self.scores[baseline, key].append(result)
            mean = float(np.mean([result.deletion for result in report.chance]))
            self.scores[baseline, CHANCE].append(Score(mean, mean))
        for name, values in felt.items():
            for key, value in values.items():
                self.sensitivities[key][name].append(value)
        for key, parts in alike.items():
            for part, value in parts.items():
                self.correlations[key][part].append(value)
        self.images += 1

    def tables(self) -> Iterator[Table]:
        """One for each way to take patches away, one of sensitivity-n and one of the randomisation test."""
        name = self.checkpoint.name
        of = f"{self.images} test images, {name}"
        for baseline, words in self.baselines.items():
            rows = {key: self.scores[baseline, key] for key in (*self.computes, CHANCE)}
            yield score_table(f"{of}; patches {words}", rows)
        if self.counts:  # a single patch cannot be one of several
            yield table(
                f"{of}; sensitivity-n, correlation of a map's sum with what the logit loses", self.sensitivities
            )
        few = f"{min(RANDOMISED, self.images)} test images, {name}"
        yield table(f"{few}; rank correlation with the true map once these parts are noise too", self.correlations)


def run(name: str, data: str | None, num_images: int, seed: int = 0) -> None:
    """Test all methods over test num_images, and print a table for each test; after Ctrl-C, of the num_images so far.

    Args:
        name: Of the checkpoint.
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`.
        num_images: How many, drawn from the test set.
        seed: Of that draw.
    """
    checkpoint = load(name)
    images, _ = datasets.fitted(*cifar.load("test", data), checkpoint.network.config.img_size)
    chosen = np.random.default_rng(seed).permutation(len(images))[:num_images]
    found = Findings(checkpoint)
    with suppress(KeyboardInterrupt):
        for index in track(chosen, description="testing", console=Console(stderr=True)):
            found.add(images[int(index)])
    if found.images:
        Console().print(*found.tables(), sep="")


def score_table(title: str, scores: Mapping[str, list[Score]]) -> Table:
    """Means of deletion and insertion with 95 % confidence intervals over the images."""
    columns = {
        "deletion (low is good)": lambda one: one.deletion,
        "insertion (high is good)": lambda one: one.insertion,
        "gap": lambda one: one.gap,
    }
    return table(
        title,
        {key: {name: [of(one) for one in found] for name, of in columns.items()} for key, found in scores.items()},
    )


def table(title: str, rows: Mapping[str, Found]) -> Table:
    """A row for each method, a column for each measure, each a mean with its 95 % confidence interval."""
    names: Iterable[str] = next(iter(rows.values()))
    made = Table(Column("method", no_wrap=True), *names, title=title)
    for key, found in rows.items():
        made.add_row(
            METHODS[key].title if key in METHODS else "20 random orders", *(interval(v) for v in found.values())
        )
    return made


def interval(values: list[float]) -> str:
    """A mean and its 95 % confidence interval, by the normal approximation."""
    spread = 1.96 * np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return f"{np.mean(values):.3f} ± {spread:.3f}"
