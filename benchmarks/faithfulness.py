"""Faithfulness of all methods over many images, of CIFAR-10 or a folder, for any model with a classification head.

Deletion, insertion, sensitivity-n, the randomization test and the metrics of `benchmarks.metrics`.
"""

import json
import sys
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Column, Table
from torch import Tensor

from benchmarks import localization
from benchmarks.metrics import METRICS, randomization_test, sensitivity
from vitviz.attribution.context import ForwardContext
from vitviz.attribution.faithfulness import (
    N_RANDOM,
    Score,
    baselines_for,
    score,
)
from vitviz.attribution.methods import METHODS, methods_for
from vitviz.data import cifar, image_folder, preprocessing
from vitviz.errors import DataError
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.hub import load

RANDOM_BASELINE = "random baseline"
SUBSET_SIZES = (1, 4, 16)  # patches removed at once for sensitivity-n
RANDOMIZED = 25  # images of the randomization test, which computes every map for every part of the model
MEASURED = 100  # images of the metrics, which compute every map ten times or more, and of the methods on request
ON_REQUEST = tuple(key for key, method in METHODS.items() if method.on_request)
WIDTH = 250  # characters of a table that is written to a file
CEILING = "fraction of the greedy order"  # deletion score, from 0 for random rankings to 1
MIN_RANGE = 0.05  # between random rankings and the greedy order; images below have no such fraction
NAMES = {RANDOM_BASELINE: f"{N_RANDOM} random rankings", localization.UNIFORM: "Uniform"}
Values = Mapping[str, list[float]]
Record = dict[str, Any]  # results of one image, as JSON


class Results:
    """Results of all methods: for each measure a list with one value per image.

    Args:
        checkpoint: The model whose maps are tested.
        image_set: Description of the images.

    Raises:
        ValueError: If the model has no classification head that was trained on labels, or no attention.
    """

    def __init__(self, checkpoint: Checkpoint, image_set: str = "test images") -> None:
        if not checkpoint.is_classifier:
            raise ValueError(
                "Faithfulness is measured by the probability of a class: "
                f"{checkpoint.name} has no classification head that was trained on labels."
            )
        self.checkpoint, self.image_set = checkpoint, image_set
        config = checkpoint.network.config
        self.computes = {key: method.compute for key, method in methods_for(config).items()}
        self.subset_sizes = [size for size in SUBSET_SIZES if size < config.num_patches]
        self.baselines = baselines_for(config)
        self.scores: dict[tuple[str, str], list[Score]] = defaultdict(list)
        self.sensitivities: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.correlations: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.metrics: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.on_request: dict[str, list[Score]] = defaultdict(list)
        self.images = 0

    def add(self, image: Tensor) -> Record:
        """Test all methods for the predicted class of an image, uint8 (3, H, W); record and return all results."""
        context = ForwardContext(self.checkpoint, self.checkpoint.normalize(image[None])[0])
        predicted = int(context.logits.argmax())
        maps = {key: compute(context, predicted) for key, compute in self.computes.items()}
        record: Record = {"scores": {}}
        for baseline in self.baselines:
            found = score(context, maps, predicted, baseline)
            mean = float(np.mean([result.deletion for result in found.random_baseline]))
            scores = found.scores | {RANDOM_BASELINE: Score(mean, mean)}
            record["scores"][baseline] = {key: [one.deletion, one.insertion] for key, one in scores.items()}
        record["sensitivities"] = {
            f"n = {size}": sensitivity(context, maps, predicted, size) for size in self.subset_sizes
        }
        if self.images < RANDOMIZED:
            record["correlations"] = randomization_test(context, self.computes, predicted)
        if self.images < MEASURED:
            scores = score(
                context, {key: METHODS[key].compute(context, predicted) for key in ON_REQUEST}, predicted
            ).scores
            record["on_request"] = {key: [one.deletion, one.insertion] for key, one in scores.items()}
            record["metrics"] = self.measure(
                context, predicted, record["scores"]["mean"] | {"greedy": record["on_request"]["greedy"]}
            )
        self.include(record)
        return record

    def measure(self, context: ForwardContext, predicted: int, scores: Mapping[str, list[float]]) -> Record:
        """Return the metrics by method, and each deletion score as a fraction of that of the greedy order."""
        found: Record = {key: {} for key in self.computes}
        for name, metric in METRICS.items():
            for key, compute in self.computes.items():
                if METHODS[key].signed or not metric.signed_only:
                    found[key][name] = metric.compute(context, compute, predicted)
        best, random = scores["greedy"][0], scores[RANDOM_BASELINE][0]
        if random - best > MIN_RANGE:
            for key in self.computes:
                found[key][CEILING] = (random - scores[key][0]) / (random - best)
        return found

    def include(self, record: Record) -> None:
        """Record the results of one image, as `add` returns them."""
        for baseline, by_method in record["scores"].items():
            for key, (deletion, insertion) in by_method.items():
                self.scores[baseline, key].append(Score(deletion, insertion))
        for key, (deletion, insertion) in record.get("on_request", {}).items():
            self.on_request[key].append(Score(deletion, insertion))
        for name, values in record["sensitivities"].items():
            for key, value in values.items():
                self.sensitivities[key][name].append(value)
        for part, target in (("correlations", self.correlations), ("metrics", self.metrics)):
            for key, named in record.get(part, {}).items():
                for name, value in named.items():
                    target[key][name].append(value)
        self.images += 1

    def tables(self) -> Iterator[Table]:
        """Return a table per baseline, and one each of the other tests."""
        name = self.checkpoint.name
        subject = f"{self.images} {self.image_set}, {name}"
        for baseline, how in self.baselines.items():
            rows = {key: self.scores[baseline, key] for key in (*self.computes, RANDOM_BASELINE)}
            yield score_table(f"{subject}; removed patches {how}", rows)
        if self.subset_sizes:  # a model with one patch has no subsets
            yield table(
                f"{subject}; sensitivity-n, correlation of a map's sum with the decrease of the logit",
                self.sensitivities,
            )
        few = f"{min(RANDOMIZED, self.images)} {self.image_set}, {name}"
        yield table(
            f"{few}; rank correlation with the original map after randomizing the model up to this part",
            self.correlations,
        )
        samples = f"{len(preprocessing.sample_paths())} sample images, {name}"
        located = localization.on_samples(self.checkpoint, self.computes)
        yield table(f"{samples}; localization of the drawn object", located)
        some = f"{min(MEASURED, self.images)} {self.image_set}, {name}"
        yield score_table(f"{some}; methods on request, removed patches {self.baselines['mean']}", self.on_request)
        yield table(f"{some}; metrics, and deletion as a fraction of the greedy order's", self.metrics)


def run(name: str, data: str | None, num_images: int, seed: int = 0, output: Path | None = None) -> None:
    """Test all methods on images and print a table in Markdown per test; Ctrl-C prints the results so far.

    Args:
        name: The checkpoint, as for `vitviz.load`.
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`, or a folder or zip of images.
        num_images: Number of images drawn from the test set or the folder.
        seed: Seed of the draw.
        output: File of the results, one line of JSON for each image; an interrupted benchmark continues from it.

    Raises:
        ValueError: If the model has no head, the data has no images, or the file is of another benchmark.
    """
    checkpoint = load(name)
    names, open_image, image_set = find_images(data, checkpoint)
    results = Results(checkpoint, image_set)
    chosen = np.random.default_rng(seed).permutation(len(names))[:num_images]
    header = {
        "checkpoint": checkpoint.name,
        "images": zlib.crc32("\n".join(names[index] for index in chosen).encode()),
        "methods": list(results.computes),
    }
    for record in read_records(output, header):
        results.include(record)
    with suppress(KeyboardInterrupt):
        for index in track(chosen[results.images :], description="testing", console=Console(stderr=True)):
            record = results.add(open_image(int(index)))
            if output is not None:
                with output.open("a") as file:
                    file.write(json.dumps(record) + "\n")
    if results.images:
        Console(width=None if sys.stdout.isatty() else WIDTH).print(*results.tables(), sep="\n")


def find_images(data: str | None, checkpoint: Checkpoint) -> tuple[list[str], Callable[[int], Tensor], str]:
    """Return the names of images, a function that opens one by its position, uint8 (3, H, W), and their description.

    Raises:
        DataError: If CIFAR-10 is not available, or the folder has no images.
    """
    size = checkpoint.network.config.img_size
    try:
        pixels = cifar.load("test", data)[0]
    except DataError:
        if data is None or not Path(data).exists():
            raise
    else:
        names = [str(index) for index in range(len(pixels))]
        one = lambda index: preprocessing.resize_images(pixels[index : index + 1], size, checkpoint.resize)[0]  # noqa: E731
        return names, one, "test images"

    def open_image(index: int) -> Tensor:
        with image_folder.open_files(Path(data)) as files:
            image = preprocessing.preprocess(files.read(found[index]), size, resize=checkpoint.resize)
        return preprocessing.to_tensor(image.model_input)

    with image_folder.open_files(Path(data)) as files:
        found = sorted(name for name in files.names if name.lower().endswith(image_folder.SUFFIXES))
    if not found:
        endings = ", ".join(image_folder.SUFFIXES)
        raise DataError(f"The folder must hold CIFAR-10 or images ({endings}): {data!r:.200} has none.")
    return found, open_image, f"images of {Path(data).name}"


def read_records(output: Path | None, header: Record) -> list[Record]:
    """Return the records of an interrupted benchmark, or start its file with the header.

    Raises:
        ValueError: If the file is of another model, other images or other methods.
    """
    if output is None:
        return []
    if not output.exists():
        output.write_text(json.dumps(header) + "\n")
    lines = output.read_text().splitlines(keepends=True)
    complete = [line for line in lines if line.endswith("\n")]
    output.write_text("".join(complete))  # without a line that was cut off
    first, *records = [json.loads(line) for line in complete] or [None]
    if first != header:
        raise ValueError(f"--output must be of the same model, images and methods: {output} is not. Use another file.")
    return records


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
    names: Iterable[str] = dict.fromkeys(name for columns in rows.values() for name in columns)
    images = max((len(values) for columns in rows.values() for values in columns.values()), default=0)
    titles = [METRICS[name].title if name in METRICS else name for name in names]
    formatted = Table(
        Column("method", no_wrap=True), *titles, title=f"### {title}", title_justify="left", box=box.MARKDOWN
    )
    for key, columns in rows.items():
        title = METHODS[key].title if key in METHODS else NAMES[key]
        formatted.add_row(title, *(interval(columns[name], images) if name in columns else "" for name in names))
    return formatted


def interval(values: list[float], images: int) -> str:
    """Format a mean and its 95 % confidence interval, by the normal approximation, or how many values are true.

    Images that have no finite value are left out; then the number of the others is printed.
    """
    finite = [value for value in values if np.isfinite(value)]
    if len(finite) < images:
        return f"{interval(finite, len(finite))} (n = {len(finite)})" if finite else "not finite"
    if all(isinstance(value, bool) for value in values):
        return f"{sum(values):.0f} of {len(values)}"
    half_width = 1.96 * np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return f"{np.mean(values):.3f} ± {half_width:.3f}"
