"""Knowledge distillation: a trained network, whose probabilities are mixed with the labels.

Distillation at temperature 1 (Hinton et al. 2015, arXiv 1503.02531, section 2) from a teacher trained on the same
images. Teacher and student see the same augmented images (Beyer et al. 2022, arXiv 2106.05237, section 3). A
convolutional teacher transfers its inductive bias to a transformer (Touvron et al. 2021, "DeiT", arXiv 2012.12877).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from vitviz.data.datasets import DatasetInfo
from vitviz.errors import CheckpointError, ConfigError
from vitviz.models import hub
from vitviz.models.checkpoint import Checkpoint
from vitviz.training.config import TrainConfig
from vitviz.training.convnet import load_convnet
from vitviz.training.initial_weights import check_val_overlap, run_name


@dataclass(frozen=True)
class Teacher:
    """Teacher of a training run."""

    network: nn.Module  # on the device of the run
    record: dict[str, Any]  # its entry in the training record

    @torch.no_grad()
    def mix(self, images: Tensor, labels: Tensor, weight: float) -> Tensor:
        """Mix its probabilities for normalized images into labels (B, K), with its weight, 0..1; (B, K)."""
        return labels.lerp(self.network(images).float().softmax(-1), weight)


def load_teacher(config: TrainConfig, info: DatasetInfo, device: torch.device) -> Teacher | None:
    """Load the teacher of a training run; None without one.

    Raises:
        CapturedModelError: If the model is captured.
        CheckpointError: If it cannot be loaded.
        ConfigError: If it is not a classifier of the same images, or was trained on validation images.
    """
    if config.teacher is None:
        return None
    model = load_vit_or_convnet(config.teacher)
    expected = (info.classes, info.mean, info.std, config.model.img_size)
    if expected != (model.labels, model.mean, model.std, model.network.config.img_size):
        raise ConfigError(
            "teacher",
            f"must be trained on the same images at the same size: {model.name} was not",
            "Train a teacher on this dataset first.",
        )
    if not model.is_classifier:
        raise ConfigError(
            "teacher", f"must be a classifier: {model.name} was trained without labels", "Fine-tune it first."
        )
    check_val_overlap("teacher", model, info, config.val_size)
    return Teacher(model.network.to(device), describe_teacher(config.teacher, model))


def load_vit_or_convnet(path: str) -> Checkpoint:
    """Load a ViT or a convnet.

    Raises:
        CapturedModelError: If the model is captured.
        CheckpointError: If it cannot be loaded.
    """
    try:
        model = hub.load(path, check=False)
    except CheckpointError as error:
        if error.field != "config.architecture":
            raise
        model = load_convnet(path)
    model.require_blocks("a teacher")
    return model


def describe_teacher(path: str, model: Checkpoint) -> dict[str, Any]:
    """Return the entry of a teacher in the training record."""
    keys = ("parameters", "epochs", "seconds", "test_accuracy", "val_accuracy")
    numbers = {key: model.record[key] for key in keys if isinstance(model.record.get(key), int | float)}
    return {"name": run_name(path), "architecture": model.network.config.architecture} | numbers


def check_same_teacher(stored: object, given: dict[str, Any] | None, folder: Path) -> None:
    """Raise ConfigError unless the teacher in a run's record is the given one; its checkpoint's path may differ."""
    if without_name(stored) != without_name(given):
        before, now = (teacher.get("name") if isinstance(teacher, dict) else teacher for teacher in (stored, given))
        raise ConfigError(
            "teacher",
            f"must match the resumed run: {before!s:.80} in {folder}, "
            f"got {'a different teacher with the same name' if before == now else now}",
            "Pass the same teacher, or choose another run folder.",
        )


def without_name(teacher: object) -> object:
    """Return the entry of a teacher in the training record without its name, which is that of its file."""
    return {n: value for n, value in teacher.items() if n != "name"} if isinstance(teacher, dict) else teacher
