"""Faithfulness of all methods over many images: deletion, insertion, sensitivity-n and the randomization test."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Column, Table
from torch import Tensor

from vitviz.attribution.context import ForwardContext
from vitviz.attribution.faithfulness import (
    N_RANDOM,
    Score,
    baselines_for,
    randomization_test,
    score,
    sensitivity,
)
from vitviz.attribution.methods import METHODS, methods_for
from vitviz.data import cifar, preprocessing
from vitviz.models.checkpoint import Checkpoint, load

RANDOM_BASELINE = "random baseline"
SUBSET_SIZES = (1, 4, 16)  # patches removed at once for sensitivity-n
RANDOMIZED = 25  # images of the randomization test, which computes every map for every part of the model
Values = Mapping[str, list[float]]


class Results:
    """Results of all methods: for each measure a list with one value per image.

    Args:
        checkpoint: The model whose maps are tested.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        config = checkpoint.transformer.config
        self.computes = {key: method.compute for key, method in methods_for(config).items()}
        self.subset_sizes = [size for size in SUBSET_SIZES if size < config.num_patches]
        self.baselines = baselines_for(config)
        self.scores: dict[tuple[str, str], list[Score]] = defaultdict(list)
        self.sensitivities: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.correlations: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.images = 0

    def add(self, image: Tensor) -> None:
        """Test all methods for the predicted class of an image, uint8 (3, H, W); record all results or none."""
        context = ForwardContext(self.checkpoint, self.checkpoint.normalize(image[None])[0])
        predicted = int(context.logits.argmax())
        maps = {key: compute(context, predicted) for key, compute in self.computes.items()}
        scores = {baseline: score(context, maps, predicted, baseline) for baseline in self.baselines}
        sensitivities = {f"n = {size}": sensitivity(context, maps, predicted, size) for size in self.subset_sizes}
        correlations = randomization_test(context, self.computes, predicted) if self.images < RANDOMIZED else {}
        for baseline, found in scores.items():
            for key, result in found.scores.items():
                self.scores[baseline, key].append(result)
            mean = float(np.mean([result.deletion for result in found.random_baseline]))
            self.scores[baseline, RANDOM_BASELINE].append(Score(mean, mean))
        for name, values in sensitivities.items():
            for key, value in values.items():
                self.sensitivities[key][name].append(value)
        for key, parts in correlations.items():
            for part, value in parts.items():
                self.correlations[key][part].append(value)
        self.images += 1

    def tables(self) -> Iterator[Table]:
        """Return a table per baseline, one of sensitivity-n and one of the randomization test."""
        name = self.checkpoint.name
        subject = f"{self.images} test images, {name}"
        for baseline, how in self.baselines.items():
            rows = {key: self.scores[baseline, key] for key in (*self.computes, RANDOM_BASELINE)}
            yield score_table(f"{subject}; removed patches {how}", rows)
        if self.subset_sizes:  # a model with one patch has no subsets
            yield table(
                f"{subject}; sensitivity-n, correlation of a map's sum with the decrease of the logit",
                self.sensitivities,
            )
        few = f"{min(RANDOMIZED, self.images)} test images, {name}"
        yield table(
            f"{few}; rank correlation with the original map after randomizing the model up to this part",
            self.correlations,
        )


def run(name: str, data: str | None, num_images: int, seed: int = 0) -> None:
    """Test all methods on test images and print a table per test; Ctrl-C prints the results so far.

    Args:
        name: The checkpoint.
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`.
        num_images: Number of images drawn from the test set.
        seed: Seed of the draw.
    """
    checkpoint = load(name)
    images = preprocessing.resize_images(cifar.load("test", data)[0], checkpoint.network.config.img_size)
    chosen = np.random.default_rng(seed).permutation(len(images))[:num_images]
    results = Results(checkpoint)
    with suppress(KeyboardInterrupt):
        for index in track(chosen, description="testing", console=Console(stderr=True)):
            results.add(images[int(index)])
    if results.images:
        Console().print(*results.tables(), sep="")


def score_table(title: str, scores: Mapping[str, list[Score]]) -> Table:
    """Format means of deletion and insertion with 95 % confidence intervals over the images."""
    columns = {
        "deletion (lower is better)": lambda one: one.deletion,
        "insertion (higher is better)": lambda one: one.insertion,
        "gap": lambda one: one.gap,
    }
    return table(
        title,
        {key: {name: [of(one) for one in found] for name, of in columns.items()} for key, found in scores.items()},
    )


def table(title: str, rows: Mapping[str, Values]) -> Table:
    """Format a row per method and a column per measure, each a mean with its 95 % confidence interval."""
    names: Iterable[str] = next(iter(rows.values()))
    formatted = Table(Column("method", no_wrap=True), *names, title=title)
    for key, columns in rows.items():
        name = METHODS[key].title if key in METHODS else f"{N_RANDOM} random rankings"
        formatted.add_row(name, *(interval(values) for values in columns.values()))
    return formatted


def interval(values: list[float]) -> str:
    """Format a mean and its 95 % confidence interval, by the normal approximation."""
    half_width = 1.96 * np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return f"{np.mean(values):.3f} ± {half_width:.3f}"
