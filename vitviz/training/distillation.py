"""A trained network -> targets for another: what it says of the images of a step, beside their labels.

Distillation (Hinton et al. 2015, arXiv 1503.02531, section 2, at temperature 1) from a network that learned from the
same images; it sees each image as varied for the learner (Beyer et al. 2022, arXiv 2106.05237, section 3). A
convolutional teacher passes on what convolutions find easily (Touvron et al. 2021, "DeiT", arXiv 2012.12877).
"""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from vitviz.data.datasets import DatasetInfo
from vitviz.models.checkpoint import Checkpoint, load
from vitviz.models.factory import Network
from vitviz.training.config import TrainConfig
from vitviz.training.data import check_held_out


def load_teacher(config: TrainConfig, data: DatasetInfo, device: torch.device) -> Checkpoint | None:
    """The teacher that a training asks for, on its device; it learns nothing itself.

    Raises:
        ValueError: If it has learned from other images or without labels, or from some that are held out here.
    """
    if config.teacher is None:
        return None
    found = load(config.teacher)
    ours = (data.classes, data.mean, data.std, config.model.img_size)
    if ours != (found.labels, found.mean, found.std, found.network.config.img_size):
        raise ValueError(
            f"A teacher must have learned from the same images: {found.name} knows others, or another size of them. "
            "Train one on this data set first."
        )
    if not found.is_classifier:
        raise ValueError(f"A teacher must know the labels: {found.name} learned without them. Fine-tune it first.")
    check_held_out(config, data, found, "teacher")
    found.network.to(device)
    return found


def about(teacher: Checkpoint | None) -> dict[str, Any] | None:
    """What the record of a learner tells of its teacher, if it has one; a run's file alone would be called "last"."""
    if teacher is None:
        return None
    record = teacher.record
    name = str(teacher.train_config.get("preset", teacher.name))
    known = {"name": name, "architecture": teacher.network.config.architecture}
    numbers = ("parameters", "epochs", "seconds", "test_accuracy", "val_accuracy")
    return known | {name: record[name] for name in numbers if isinstance(record.get(name), int | float)}


def check_same(begun: dict[str, Any] | None, here: dict[str, Any] | None, folder: Path) -> None:
    """Refuse to go on without the teacher that a run began with, or with another; its file may have moved.

    Args:
        begun: What the record of the run tells of it.
        here: What there is to tell of the one that is given now.
        folder: Of the run.

    Raises:
        ValueError: If they differ.
    """
    if begun != here:
        before, now = (told.get("name") if isinstance(told, dict) else told for told in (begun, here))
        raise ValueError(
            f"A run goes on with the teacher that it began with: {before!s:.80} in {folder} and "
            f"{'another of this name' if before == now else now} here. Name that one with --teacher, or another run "
            "with --out."
        )


@torch.no_grad()
def distillation_targets(teacher: Network, images: Tensor, targets: Tensor, share: float) -> Tensor:
    """Targets (B, K) for normalised images (B, 3, H, W), of which this share is what the teacher says."""
    return targets.lerp(teacher(images).float().softmax(-1), share)
