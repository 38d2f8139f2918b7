"""A checkpoint + labelled images -> how many it names right."""

from collections.abc import Callable

import torch
from torch import Tensor

from vitviz.data import datasets
from vitviz.data.cifar import DataError
from vitviz.models.checkpoint import Checkpoint

NUM_EVAL_SAMPLES = 1000  # images whose accuracy is followed during training; the result is that of all


def accuracy(
    checkpoint: Checkpoint,
    images: Tensor,
    labels: Tensor,
    batch_size: int = 500,
    report: Callable[[int], None] = lambda done: None,
) -> float:
    """Measure the share of images that a model names right.

    Args:
        checkpoint: The model.
        images: uint8 (n, 3, H, W).
        labels: (n,), positions in the checkpoint's classes.
        batch_size: Images in one forward pass.
        report: Called after each pass with the number of images in it.

    Returns:
        In 0..1.
    """
    named = predict(checkpoint, images, batch_size, report).argmax(-1)
    return int((named == labels.to(named.device)).sum()) / len(labels)


@torch.inference_mode()
def predict(
    checkpoint: Checkpoint, images: Tensor, batch_size: int = 500, report: Callable[[int], None] = lambda done: None
) -> Tensor:
    """The logits (n, K) of images, uint8 (n, 3, H, W); the other arguments are those of `accuracy`."""
    parts = []
    for part in images.split(batch_size):
        parts.append(checkpoint.network(checkpoint.normalize(part)))
        report(len(part))
    return torch.cat(parts)


def images_to_test(
    checkpoint: Checkpoint, dataset: str | None, data: str | None
) -> tuple[Tensor, Tensor, float | None]:
    """The images to test a checkpoint on, and what it knows of them.

    Args:
        checkpoint: The model.
        dataset: As in a `TrainConfig`; None for what the model was trained on.
        data: Where the data set is.

    Returns:
        Images, uint8 (n, 3, H, W) of its size; their labels (n,) among its classes; and the test accuracy recorded
        of them, None of other images than those it learned from.

    Raises:
        DataError: If the data set is not there or has a class that the model does not know, or it knows no labels.
    """
    if not checkpoint.is_classifier:
        raise DataError(
            f"A model to test must have learned labels: {checkpoint.name} learned to guess hidden patches. Fine-tune "
            "it first, with train --init-from."
        )
    trained_on = checkpoint.train_config.get("dataset")
    dataset = dataset or (trained_on if trained_on in ("cifar100", "folder") else "cifar10")
    known = datasets.ABOUT.get(dataset)
    if known is not None and known.classes != checkpoint.labels:
        raise other_classes(checkpoint, known.name, known.classes)
    held = datasets.load(dataset, data, checkpoint.network.config.img_size, ("test",))
    images, labels = held.parts["test"]
    if not set(held.about.classes) <= set(checkpoint.labels):
        raise other_classes(checkpoint, "this folder", held.about.classes)
    places = torch.tensor([checkpoint.labels.index(name) for name in held.about.classes])
    about = held.about
    usual = dataset == checkpoint.train_config.get("dataset", "cifar10") and (
        dataset != "folder" or (about.mean, about.std) == (checkpoint.mean, checkpoint.std)
    )
    return images, places[labels], checkpoint.record.get("test_accuracy") if usual else None


def other_classes(checkpoint: Checkpoint, name: str, classes: tuple[str, ...]) -> DataError:
    """The refusal of images of classes that the model does not know."""
    ours, theirs = (", ".join(names)[:200] for names in (checkpoint.labels, classes))
    return DataError(
        f"A model can be tested on classes that it knows: {checkpoint.name} knows {ours}, and {name} has {theirs}. "
        "Choose another --dataset, or fine-tune the model on it."
    )
