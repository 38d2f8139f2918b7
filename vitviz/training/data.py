"""What a training is given: the data set as tensors on the device, varied in batches, and the timeline's images."""

import warnings
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from vitviz.data import augmentation, datasets
from vitviz.data.cifar import DataError, Split
from vitviz.data.datasets import DatasetInfo, LabeledImages
from vitviz.models.checkpoint import Checkpoint
from vitviz.training.config import TrainConfig


@dataclass(frozen=True)
class TrainingData:
    """The images of a training, on its device.

    Attributes:
        about: Of the data set: class names, mean and standard deviation.
        training: Images and labels to train on.
        measured: Those to measure on: the test set, or what is held out.
    """

    about: DatasetInfo
    training: LabeledImages
    measured: LabeledImages


def load_training_data(config: TrainConfig, device: torch.device) -> TrainingData:
    """Load what a training needs.

    Raises:
        DataError: If the data set is not there, or has too few images.
    """
    splits: tuple[Split, ...] = ("train",) if config.val_size else datasets.BOTH
    held = datasets.load(
        config.dataset, config.data, config.model.img_size, splits, first=config.max_train_samples, last=config.val_size
    )
    images, labels = (part.to(device) for part in held.parts["train"])
    kept = len(labels) - config.val_size
    if kept < 2:
        raise DataError(f"val_size must leave images to train on: of {len(labels):,} it takes {config.val_size:,}.")
    if config.val_size:
        measured = images[kept:], labels[kept:]
    else:
        measured = held.parts["test"][0].to(device), held.parts["test"][1].to(device)
    used = min(kept, config.max_train_samples or kept)
    return TrainingData(held.about, (images[:used], labels[:used]), measured)


def check_held_out(config: TrainConfig, about: DatasetInfo, source: Checkpoint, role: str) -> None:
    """Refuse a start or a teacher that learned from what is held out here; warn where that cannot be told.

    Raises:
        ValueError: If it is of the same data set and held fewer images out.
    """
    if not config.val_size:
        return
    rule, val_size, begun = (
        f"A {role} must not have seen what is held out",
        *map(source.train_config.get, ("val_size", "init_from")),
    )
    saw_more = not (isinstance(val_size, int) and val_size >= config.val_size)
    if saw_more and (about.classes, about.mean, about.std) == (source.labels, source.mean, source.std):
        raise ValueError(
            f"{rule}: {config.val_size} images here, {val_size} when {source.name} was trained. Train it with the "
            "same val_size."
        )
    if saw_more and about.classes == source.labels:  # the same images in another size have another mean
        warnings.warn(f"{rule}: {source.name} learned the same classes, from these images perhaps.", stacklevel=2)
    elif begun is not None:
        warnings.warn(f"{rule}: {source.name} began with {begun!s:.80}, which may have.", stacklevel=2)


def for_classes(config: TrainConfig, classes: int) -> TrainConfig:
    """The config with a head for as many classes as the data set has."""
    return replace(config, model=replace(config.model, num_classes=classes))


def vary(
    config: TrainConfig, about: DatasetInfo, images: Tensor, labels: Tensor, mixing: bool
) -> tuple[Tensor, Tensor]:
    """uint8 images (B, 3, H, W) and labels (B,) -> what a step sees of them, (B, 3, H, W) and targets (B, K)."""
    images = augmentation.shift_and_flip(images)
    if config.randaug_num_ops:
        images = augmentation.rand_augment(images, config.randaug_num_ops, config.randaug_magnitude)
    images = augmentation.normalize(images, about.mean, about.std)
    targets = augmentation.one_hot(labels, config.model.num_classes)  # (B, K)
    draw = torch.rand(len(labels), device=labels.device)
    if mixing and config.cutmix_prob:
        images, targets = augmentation.cutmix(images, targets, draw < config.cutmix_prob)
    if mixing and config.mixup_prob:
        images, targets = augmentation.mixup(images, targets, draw >= 1 - config.mixup_prob)
    if config.random_erasing_prob:
        images = augmentation.erase(images, config.random_erasing_prob)
    return images, targets
