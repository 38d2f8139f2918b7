"""The result of an evaluation: accuracy, accuracy of each class, confusion matrix and calibration."""

import csv
import io
import json
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from vitviz.attribution import file_formats
from vitviz.attribution.file_formats import DRAWN, Output, cell, figure_bytes
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.features import max_batch_size
from vitviz.training.evaluation import predict

ENDINGS = (*DRAWN, ".json", ".csv")  # of the files that `Evaluation.save` writes
NUM_BINS = 15  # of the reliability diagram, as in Guo et al. 2017


class Reliability(NamedTuple):
    """Images by the probability of their predicted class, in bins of equal width; NaN where a bin is empty."""

    images: NDArray[np.int64]  # (M,)
    accuracy: NDArray[np.float64]  # (M,)
    confidence: NDArray[np.float64]  # mean probability, (M,)


class Evaluation(float):
    """Top-1 accuracy of a classifier on a test set, a number in 0..1, and what it is made of.

    Attributes:
        name: Name of the model.
        labels: K class names of the model.
        truth: Class of each image, (n,).
        predicted: Class with the largest logit, (n,).
        confidence: Its probability, (n,).
    """

    name: str
    labels: tuple[str, ...]
    truth: NDArray[np.int64]
    predicted: NDArray[np.int64]
    confidence: NDArray[np.float64]

    @property
    def correct(self) -> int:
        """Number of correct predictions."""
        return int((self.truth == self.predicted).sum())

    @cached_property
    def confusion_matrix(self) -> NDArray[np.int64]:
        """Number of images by class (rows) and prediction (columns), (K, K)."""
        counts = np.zeros((len(self.labels), len(self.labels)), np.int64)
        np.add.at(counts, (self.truth, self.predicted), 1)
        return counts

    @property
    def class_accuracy(self) -> NDArray[np.float64]:
        """Fraction of the images of each class that are predicted as it, (K,); NaN for a class without images."""
        with np.errstate(invalid="ignore"):
            return self.confusion_matrix.diagonal() / self.confusion_matrix.sum(1)

    @property
    def reliability(self) -> Reliability:
        """Accuracy by confidence, in `NUM_BINS` bins."""
        bins = np.clip(np.ceil(self.confidence * NUM_BINS).astype(int) - 1, 0, NUM_BINS - 1)  # as ((m - 1) / M, m / M]
        images = np.bincount(bins, minlength=NUM_BINS)
        sums = (np.bincount(bins, v, NUM_BINS) for v in (self.truth == self.predicted, self.confidence))
        with np.errstate(invalid="ignore"):
            accuracy, confidence = (values / images for values in sums)
        return Reliability(images, accuracy, confidence)

    @property
    def calibration_error(self) -> float:
        """Expected calibration error, 0..1: the mean over images of |accuracy - confidence| of their bins.

        Guo et al. 2017 (arXiv 1706.04599), section 2.
        """
        images, accuracy, confidence = self.reliability
        return float(np.nansum(images * np.abs(accuracy - confidence)) / len(self.truth))

    def to_json(self) -> dict[str, Any]:
        """Return all numbers but the confusion matrix as JSON."""
        correct, images = self.confusion_matrix.diagonal(), self.confusion_matrix.sum(1)
        classes = zip(self.labels, correct.tolist(), images.tolist(), strict=True)
        bins = [[None if np.isnan(v) else v for v in values.tolist()] for values in self.reliability]
        return {
            "checkpoint": self.name,
            "test_accuracy": float(self),
            "correct": self.correct,
            "images": len(self.truth),
            "calibration_error": self.calibration_error,
            "classes": [{"label": label, "correct": right, "images": count} for label, right, count in classes],
            "reliability": dict(zip(Reliability._fields, bins, strict=True)),
        }

    def figure(self) -> Any:
        """Draw confusion matrix and reliability diagram, as a figure of Matplotlib."""
        from vitviz.plots import evaluation_figure

        return evaluation_figure.draw(
            self.confusion_matrix, self.labels, self.reliability, self.calibration_error, self.name
        )

    def save(self, path: Output) -> Path | Output:
        """Write the figure (.png, .svg, .pdf, .jpg), all numbers (.json) or a table of classes (.csv), by the ending.

        Raises:
            ValueError: If the file has another ending.
        """
        everything = lambda: self.to_json() | {"confusion_matrix": self.confusion_matrix.tolist()}  # noqa: E731
        makers: dict[str, Callable[[], bytes]] = {
            ending: lambda ending=ending: figure_bytes(self.figure(), ending)  # type: ignore[misc]
            for ending in DRAWN
        }
        makers[".json"] = lambda: json.dumps(everything(), ensure_ascii=False, indent=1).encode()
        makers[".csv"] = self.csv_bytes
        return file_formats.write(path, makers)

    def csv_bytes(self) -> bytes:
        """Return a table with a row per class: images, correct ones, accuracy, and the number of each prediction."""
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(["class", "images", "correct", "accuracy", *(cell(f"as {label}") for label in self.labels)])
        for k, (label, row) in enumerate(zip(self.labels, self.confusion_matrix.tolist(), strict=True)):
            accuracy = f"{row[k] / sum(row):.7g}" if any(row) else ""
            writer.writerow([cell(label), sum(row), row[k], accuracy, *row])
        return buffer.getvalue().encode()


def evaluate(
    checkpoint: Checkpoint,
    images: Tensor,
    labels: Tensor,
    report: Callable[[int], None] = lambda count: None,
    apply: Callable[..., Iterable[Any]] = map,
) -> Evaluation:
    """Evaluate a classifier on labeled images; arguments as for `predict` and `measure_accuracy`."""
    logits = predict(checkpoint, images, max_batch_size(checkpoint.config), report, apply)  # (n, K)
    logits = checkpoint.check_logits(logits).double()
    probabilities = logits.sigmoid() if checkpoint.config.has_sigmoid else logits.softmax(-1)
    predicted = logits.argmax(-1).cpu()
    found = Evaluation(int((predicted == labels).sum()) / len(labels))
    found.name, found.labels = checkpoint.name, checkpoint.labels
    found.truth, found.predicted, found.confidence = (
        values.cpu().numpy() for values in (labels, predicted, probabilities.amax(-1))
    )
    return found
