"""What a training is given: the data set as tensors on the device, varied in batches, and the timeline's pictures."""

from typing import cast

import torch
from torch import Tensor

from vitviz.data import augment, cifar, pictures
from vitviz.training.recipe import TrainConfig
from vitviz.training.timeline import Timeline


def data_sets(config: TrainConfig, device: torch.device) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
    """The pictures and labels to train on, and those to measure on: the test set, or what is held out."""
    images, labels = (part.to(device) for part in cifar.load("train", config.data))
    kept = len(labels) - config.held_out
    if config.held_out:
        measured = images[kept:], labels[kept:]
    else:
        measured = cast(tuple[Tensor, Tensor], tuple(part.to(device) for part in cifar.load("test", config.data)))
    used = min(kept, config.pictures or kept)
    return (images[:used], labels[:used]), measured


def vary(config: TrainConfig, images: Tensor, labels: Tensor, mixing: bool) -> tuple[Tensor, Tensor]:
    """uint8 pictures (B, 3, H, W) and labels (B,) -> what a step sees of them, (B, 3, H, W) and targets (B, K)."""
    images = augment.shift_and_flip(images)
    if config.augment_operations:
        images = augment.rand_augment(images, config.augment_operations, config.augment_strength)
    images = augment.normalise(images, cifar.MEAN, cifar.STD)
    targets = augment.one_hot(labels, config.model.classes)  # (B, K)
    draw = torch.rand(len(labels), device=labels.device)
    if mixing and config.cutmix:
        images, targets = augment.cutmix(images, targets, draw < config.cutmix)
    if mixing and config.mixup:
        images, targets = augment.mixup(images, targets, draw >= 1 - config.mixup)
    if config.erase:
        images = augment.erase(images, config.erase)
    return images, targets


def probe_timeline(config: TrainConfig, device: torch.device) -> Timeline:
    """A timeline of the project's own sample pictures."""
    seen = pictures.samples(config.model.image_size)
    images = augment.normalise(seen.to(device), cifar.MEAN, cifar.STD)
    return Timeline(list(pictures.sample_paths()), seen, images, cifar.CLASSES, config.model.grid, config.snapshots)
