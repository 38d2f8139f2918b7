"""Linear probe: speed of features, fit and cross-validation, and accuracy on CIFAR-10 against scikit-learn's best C."""

from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.progress import track
from rich.table import Table
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from torch import Tensor

from benchmarks.timing import time_interleaved
from vitviz.data import cifar
from vitviz.data.preprocessing import resize_images
from vitviz.files import atomic_write
from vitviz.models import hub
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.features import compute_features
from vitviz.training.linear_probe import C, cross_validate, fit

SHOTS = (1, 5, 20, 50)  # training images of each class
SEEDS = 5
POOL = 100  # training images of each class that they are drawn from
GRID = tuple(10.0**exponent for exponent in range(-4, 5))  # scikit-learn's C, as by LogisticRegressionCV
CLASSES, IMAGES, WIDTH = 20, 50, 384  # of the timed fit
BATCH_SIZE = 8
ROUNDS = 5

Features = dict[str, Tensor]


def speed(checkpoint: str, img_size: int | None) -> None:
    """Print the time of features relative to a plain forward pass of transformers, and of fit and cross-validation."""
    table = Table("what", "time", "")
    model = hub.load(checkpoint, img_size=None if img_size is None else (img_size, img_size))
    if model.pretrained.get("library") == "transformers":
        import transformers

        theirs = transformers.AutoModel.from_pretrained(checkpoint.removeprefix("hf:")).eval()
        images = torch.randint(0, 256, (BATCH_SIZE, 3, *model.config.img_size), dtype=torch.uint8)
        pixels = model.normalize(images)
        forward = torch.inference_mode()(lambda: theirs(pixels))
        ours, plain = time_interleaved([lambda: compute_features(model, images), forward], ROUNDS)
        table.add_row(f"features of {BATCH_SIZE} images", f"{ours:.0f} ms", f"{100 * plain / ours:.0f} % of the rate")
    for noise in (2.0, 10.0):
        numbers = np.random.default_rng(0)
        labels = torch.arange(CLASSES * IMAGES) % CLASSES
        centers = numbers.normal(size=(CLASSES, WIDTH))
        features = torch.from_numpy(centers[labels] + noise * numbers.normal(size=(len(labels), WIDTH))).float()
        groups = torch.arange(len(labels))
        both = [lambda: fit(features, labels), lambda: cross_validate(features, labels, groups)]  # noqa: B023
        for name, milliseconds in zip(("fit", "cross-validation"), time_interleaved(both, ROUNDS), strict=True):
            size = f"{CLASSES} x {IMAGES} images, width {WIDTH}, noise {noise:g}"
            table.add_row(name, f"{milliseconds / 1000:.2f} s", size)
    Console().print(table)


def accuracy(checkpoint: str, img_size: int | None, data: str | None, cache: Path | None) -> None:
    """Print the test accuracy of both for 1 to 50 images a class, means over seeds."""
    features = load_features(checkpoint, img_size, data, cache)
    table = Table("images a class", "vitviz", "scikit-learn, best C", "difference", "the same C")
    for shots in SHOTS:
        rows = np.array([compare(features, shots, seed) for seed in range(SEEDS)]).mean(0)
        ours, same, grid = rows[0], rows[1], rows[2:]
        best = f"{grid.max():.2f} % (C = {GRID[grid.argmax()]:g})"
        table.add_row(str(shots), f"{ours:.2f} %", best, f"{ours - grid.max():+.2f}", f"{same:.2f} %")
    Console().print(table, f"{len(features['test']):,} test images, {SEEDS} seeds")


def compare(features: Features, shots: int, seed: int) -> list[float]:
    """Return test accuracies in percent: ours, scikit-learn's with the same C, and scikit-learn's of `GRID`."""
    numbers, labels = np.random.default_rng(seed), features["train_labels"].numpy()
    classes = [np.flatnonzero(labels == k) for k in range(labels.max() + 1)]
    chosen = np.concatenate([numbers.choice(of_class, shots, replace=False) for of_class in classes])
    x, y, truth = features["train"][chosen], features["train_labels"][chosen], features["test_labels"]
    scaler = StandardScaler().fit(x.double())
    z, test = scaler.transform(x.double()), scaler.transform(features["test"].double())
    theirs = [LogisticRegression(C=c, class_weight="balanced", max_iter=10_000).fit(z, y) for c in (C, *GRID)]
    predictions = [fit(x, y).logits(features["test"]).argmax(1).numpy(), *(one.predict(test) for one in theirs)]
    return [100 * float((predicted == truth.numpy()).mean()) for predicted in predictions]


def load_features(checkpoint: str, img_size: int | None, data: str | None, cache: Path | None) -> Features:
    """Compute the features of training and test images of CIFAR-10, or read them from a file of an earlier call."""
    if cache is not None and cache.exists():
        return {name: torch.from_numpy(values) for name, values in np.load(cache).items()}
    model = hub.load(checkpoint, img_size=None if img_size is None else (img_size, img_size))
    (images, labels), (test, test_labels) = (cifar.load(split, data) for split in ("train", "test"))
    pool = torch.cat([(labels == k).nonzero()[:POOL, 0] for k in range(10)])
    found = {"train": features_of(model, images[pool]), "train_labels": labels[pool].long()}
    found |= {"test": features_of(model, test), "test_labels": test_labels.long()}
    if cache is not None:
        with atomic_write(cache) as file:
            np.savez(file, allow_pickle=False, **{name: values.numpy() for name, values in found.items()})
    return found


def features_of(model: Checkpoint, images: Tensor) -> Tensor:
    """Compute features in parts, as all images at the model's size may not fit into memory."""
    parts = track(images.split(BATCH_SIZE), "computing features", transient=True)
    return torch.cat([compute_features(model, resize_images(p, model.config.img_size, model.resize)) for p in parts])
