"""Evaluation: predictions and accuracy of a checkpoint on labeled images."""

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from vitviz.data import datasets
from vitviz.data.hub_datasets import PREFIX
from vitviz.errors import DataError
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.mae import load_autoencoder, random_noise
from vitviz.models.modes import own_modes

NUM_EVAL_SAMPLES = 1000  # images of the accuracy curve during training; the final accuracy is that of all images


def measure_accuracy(
    checkpoint: Checkpoint,
    images: Tensor,
    labels: Tensor,
    batch_size: int = 500,
    report: Callable[[int], None] = lambda done: None,
) -> float:
    """Return the top-1 accuracy of a checkpoint, 0..1.

    Args:
        checkpoint: The model.
        images: uint8 (n, 3, H, W).
        labels: (n,), positions in the checkpoint's labels.
        batch_size: Images per forward pass.
        report: Called after each forward pass with its number of images.
    """
    predicted = predict(checkpoint, images, batch_size, report).argmax(-1)
    return int((predicted == labels.to(predicted.device)).sum()) / len(labels)


@own_modes()
@torch.inference_mode()
def measure_reconstruction(checkpoint: Checkpoint, images: Tensor, mask_ratio: float, batch_size: int = 500) -> float:
    """Return the loss of a masked autoencoder on uint8 images (n, 3, H, W), masked at random, each time the same."""
    autoencoder = load_autoencoder(checkpoint)
    noise, total = random_noise(len(images), checkpoint.config.num_patches), 0.0
    for batch, drawn in zip(images.split(batch_size), noise.split(batch_size), strict=True):
        inputs = checkpoint.normalize(batch)
        total += len(batch) * autoencoder(inputs, drawn.to(inputs.device), mask_ratio).item()
    return total / len(images)


@own_modes()
@torch.inference_mode()
def predict(
    checkpoint: Checkpoint,
    images: Tensor,
    batch_size: int = 500,
    report: Callable[[int], None] = lambda done: None,
    apply: Callable[..., Iterable[Any]] = map,
) -> Tensor:
    """Return the logits (n, K) of uint8 images (n, 3, H, W).

    `apply` is as `map`: it applies a function to each of a list, such as `Distributed.map`; other arguments as for
    `measure_accuracy`.
    """

    def predict_batch(start: int) -> Tensor:
        batch = images[start : start + batch_size]
        logits = checkpoint.network(checkpoint.normalize(batch))
        report(len(batch))
        return logits

    return torch.cat(list(apply(predict_batch, range(0, len(images), batch_size))))


def load_test_set(checkpoint: Checkpoint, dataset: str | None, data: str | None) -> tuple[Tensor, Tensor, float | None]:
    """Load the test set of a checkpoint.

    Args:
        checkpoint: The model.
        dataset: As in a `TrainConfig`; None for the dataset that the model was trained on.
        data: Directory of the dataset.

    Returns:
        Images, uint8 (n, 3, H, W), at the model's input size; labels (n,), positions in the checkpoint's labels; and
        the test accuracy in the checkpoint's record, None if it was trained on another dataset.

    Raises:
        DataError: If the checkpoint is not a classifier, or the dataset is missing or has other classes.
    """
    if not checkpoint.is_classifier:
        raise DataError(
            f"A model must be a classifier to have a test accuracy: {checkpoint.name} {checkpoint.why_no_prediction}. "
            "Fine-tune it first, by a training that starts from it."
        )
    is_probe = "linear_probe" in checkpoint.record
    trained_on = "folder" if is_probe else checkpoint.train_config.get("dataset")
    is_known = trained_on in (*datasets.DATASET_INFO, "folder") or str(trained_on).startswith(PREFIX)
    dataset = dataset or (str(trained_on) if is_known else "cifar10")
    known = datasets.DATASET_INFO.get(dataset)
    if known is not None and known.classes != checkpoint.labels:
        raise class_mismatch_error(checkpoint, known.name, known.classes)
    loaded = datasets.load(dataset, data, checkpoint.config.img_size, ("test",), resize=checkpoint.resize)
    images, labels = loaded.splits["test"]
    info = loaded.info
    if is_probe and loaded.auto_split:
        warnings.warn(
            f"Test images must not be training images: {checkpoint.name} may have been fitted to these, as a linear "
            "probe uses all images of a folder without test images.",
            stacklevel=2,
        )
    if not set(info.classes) <= set(checkpoint.labels):
        raise class_mismatch_error(checkpoint, "this dataset", info.classes)
    if ambiguous := [name for name in info.classes if checkpoint.labels.count(name) > 1]:
        raise DataError(
            f"Each class of a test set must be one class of the model: {checkpoint.name} has several named "
            f"{ambiguous[0]!r:.60}."
        )
    positions = torch.tensor([checkpoint.labels.index(name) for name in info.classes])
    same_dataset = dataset == checkpoint.train_config.get("dataset", "cifar10") and (
        dataset in datasets.DATASET_INFO or (info.mean, info.std) == (checkpoint.mean, checkpoint.std)
    )
    return images, positions[labels], checkpoint.record.get("test_accuracy") if same_dataset else None


def class_mismatch_error(checkpoint: Checkpoint, name: str, classes: tuple[str, ...]) -> DataError:
    """Create the error for a dataset with classes that the checkpoint does not have."""
    own, other = (", ".join(names)[:200] for names in (checkpoint.labels, classes))
    return DataError(
        f"The classes of a test set must be those of the model: {checkpoint.name} has {own}, and {name} has {other}. "
        "Choose another dataset, or fine-tune the model on it."
    )
