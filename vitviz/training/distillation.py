"""Knowledge distillation: the predictions of a trained network as targets, mixed with the labels.

Distillation at temperature 1 (Hinton et al. 2015, arXiv 1503.02531, section 2) from a teacher trained on the same
images. Teacher and student see the same augmented images (Beyer et al. 2022, arXiv 2106.05237, section 3). A
convolutional teacher transfers its inductive bias to a transformer (Touvron et al. 2021, "DeiT", arXiv 2012.12877).
"""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from vitviz.data.datasets import DatasetInfo
from vitviz.models.checkpoint import Checkpoint, load
from vitviz.models.config import ConfigError
from vitviz.models.factory import Network
from vitviz.training.config import TrainConfig
from vitviz.training.data import check_val_overlap


def load_teacher(config: TrainConfig, info: DatasetInfo, device: torch.device) -> Checkpoint | None:
    """Load the teacher of a training run onto its device; None if the config has no teacher.

    Raises:
        ConfigError: If the teacher is not a classifier of the same dataset, or was trained on validation images.
    """
    if config.teacher is None:
        return None
    teacher = load(config.teacher)
    own = (info.classes, info.mean, info.std, config.model.img_size)
    if own != (teacher.labels, teacher.mean, teacher.std, teacher.network.config.img_size):
        raise ConfigError(
            "teacher",
            f"must be trained on the same images at the same size: {teacher.name} was not",
            "Train a teacher on this dataset first.",
        )
    if not teacher.is_classifier:
        raise ConfigError(
            "teacher", f"must be a classifier: {teacher.name} was trained without labels", "Fine-tune it first."
        )
    check_val_overlap(config, info, teacher, "teacher")
    teacher.network.to(device)
    return teacher


def describe_teacher(teacher: Checkpoint | None) -> dict[str, Any] | None:
    """Return the entry of a teacher in the training record; None without a teacher.

    The name is that of its preset: the checkpoint of every run is called "last".
    """
    if teacher is None:
        return None
    record = teacher.record
    name = str(teacher.train_config.get("preset", teacher.name))
    keys = ("parameters", "epochs", "seconds", "test_accuracy", "val_accuracy")
    numbers = {key: record[key] for key in keys if isinstance(record.get(key), int | float)}
    return {"name": name, "architecture": teacher.network.config.architecture} | numbers


def check_same_teacher(stored: dict[str, Any] | None, given: dict[str, Any] | None, folder: Path) -> None:
    """Raise ConfigError unless the teacher in a run's record is the given one; its checkpoint's path may differ."""
    if stored != given:
        before, now = (teacher.get("name") if isinstance(teacher, dict) else teacher for teacher in (stored, given))
        raise ConfigError(
            "teacher",
            f"must be that of the resumed run: {before!s:.80} in {folder}, "
            f"{'another of this name' if before == now else now} here",
            "Pass the same --teacher, or choose another --output-dir.",
        )


@torch.no_grad()
def distillation_targets(teacher: Network, images: Tensor, targets: Tensor, weight: float) -> Tensor:
    """Mix the teacher's probabilities for normalized images into targets (B, K), with its weight, 0..1; (B, K)."""
    return targets.lerp(teacher(images).float().softmax(-1), weight)
