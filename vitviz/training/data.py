"""What a training is given: the data set as tensors on the device, varied in batches, and the timeline's images."""

import warnings
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from vitviz.data import augmentation, datasets
from vitviz.data.cifar import DataError, Split
from vitviz.data.datasets import About, Part
from vitviz.models.checkpoint import Checkpoint
from vitviz.training.config import TrainConfig


@dataclass(frozen=True)
class Supply:
    """The images of a training, on its device.

    Attributes:
        about: Of the data set: class names, mean and standard deviation.
        training: Images and labels to train on.
        measured: Those to measure on: the test set, or what is held out.
    """

    about: About
    training: Part
    measured: Part


def data_sets(config: TrainConfig, device: torch.device) -> Supply:
    """Load what a training needs.

    Raises:
        DataError: If the data set is not there, or has too few images.
    """
    splits: tuple[Split, ...] = ("train",) if config.held_out else datasets.BOTH
    held = datasets.load(
        config.dataset, config.data, config.model.image_size, splits, first=config.images, last=config.held_out
    )
    images, labels = (part.to(device) for part in held.parts["train"])
    kept = len(labels) - config.held_out
    if kept < 2:
        raise DataError(f"held_out must leave images to train on: of {len(labels):,} it takes {config.held_out:,}.")
    if config.held_out:
        measured = images[kept:], labels[kept:]
    else:
        measured = held.parts["test"][0].to(device), held.parts["test"][1].to(device)
    used = min(kept, config.images or kept)
    return Supply(held.about, (images[:used], labels[:used]), measured)


def check_held_out(config: TrainConfig, about: About, source: Checkpoint, role: str) -> None:
    """Refuse a start or a teacher that learned from what is held out here; warn where that cannot be told.

    Raises:
        ValueError: If it is of the same data set and held fewer images out.
    """
    if not config.held_out:
        return
    rule, held_out, begun = (
        f"A {role} must not have seen what is held out",
        *map(source.recipe.get, ("held_out", "start")),
    )
    saw_more = not (isinstance(held_out, int) and held_out >= config.held_out)
    if saw_more and (about.classes, about.mean, about.std) == (source.classes, source.mean, source.std):
        raise ValueError(
            f"{rule}: {config.held_out} images here, {held_out} when {source.name} was trained. Train it with the "
            "same held_out."
        )
    if saw_more and about.classes == source.classes:  # the same images in another size have another mean
        warnings.warn(f"{rule}: {source.name} learned the same classes, from these images perhaps.", stacklevel=2)
    elif begun is not None:
        warnings.warn(f"{rule}: {source.name} began with {begun!s:.80}, which may have.", stacklevel=2)


def for_classes(config: TrainConfig, classes: int) -> TrainConfig:
    """The config with a head for as many classes as the data set has."""
    return replace(config, model=replace(config.model, classes=classes))


def vary(config: TrainConfig, about: About, images: Tensor, labels: Tensor, mixing: bool) -> tuple[Tensor, Tensor]:
    """uint8 images (B, 3, H, W) and labels (B,) -> what a step sees of them, (B, 3, H, W) and targets (B, K)."""
    images = augmentation.shift_and_flip(images)
    if config.augment_operations:
        images = augmentation.rand_augment(images, config.augment_operations, config.augment_strength)
    images = augmentation.normalise(images, about.mean, about.std)
    targets = augmentation.one_hot(labels, config.model.classes)  # (B, K)
    draw = torch.rand(len(labels), device=labels.device)
    if mixing and config.cutmix:
        images, targets = augmentation.cutmix(images, targets, draw < config.cutmix)
    if mixing and config.mixup:
        images, targets = augmentation.mixup(images, targets, draw >= 1 - config.mixup)
    if config.erase:
        images = augmentation.erase(images, config.erase)
    return images, targets
