"""Checkpoints that a training run builds on: its initial weights and its teacher."""

import warnings
from pathlib import Path
from typing import Any

import torch

from vitviz.data.datasets import DatasetInfo
from vitviz.errors import ConfigError
from vitviz.models import hub
from vitviz.models.checkpoint import Checkpoint
from vitviz.training import soft_labels
from vitviz.training.config import TrainConfig
from vitviz.training.distillation import Teacher
from vitviz.training.soft_labels import SoftLabels
from vitviz.training.trainer import TrainerState


def load_sources(
    config: TrainConfig,
    info: DatasetInfo,
    num_samples: int,
    device: torch.device,
    state: TrainerState | None = None,
) -> tuple[Checkpoint | None, Teacher | SoftLabels | None]:
    """Load the initial weights and the teacher or soft labels of a training run; each None if the config has none.

    A run that resumes from a state has its own weights and does not need the initial ones.

    Raises:
        ConfigError: If a checkpoint was trained on validation images, or the teacher is not a classifier of the same
            dataset or not that of the resumed run, or the soft labels were computed for another run.
    """
    init = hub.load(config.init_from, check=False) if config.init_from is not None and state is None else None
    if init is not None:
        check_val_overlap(config, info, init, "init_from")
    teacher: Teacher | SoftLabels | None = None
    if config.teacher is not None:
        teacher = load_teacher(config, info, config.teacher, device)
    elif config.soft_labels is not None:
        teacher = soft_labels.load(config.soft_labels)
        recipe = soft_labels.make_recipe(config, info, num_samples, device)
        soft_labels.check_recipe(teacher.recipe, recipe, config.soft_labels)
    if state is not None:
        check_same_teacher(state.teacher, teacher.record if teacher else None, config.folder)
    return init, teacher


def load_teacher(config: TrainConfig, info: DatasetInfo, name: str, device: torch.device) -> Teacher:
    """Load a teacher of a training run by its path or name; the errors are those of `load_sources`."""
    source = hub.load(name, check=False)
    check_teacher(config, info, source)
    check_val_overlap(config, info, source, "teacher")
    return Teacher(source.network.to(device), describe_teacher(source))


def check_teacher(config: TrainConfig, info: DatasetInfo, teacher: Checkpoint) -> None:
    """Check that a teacher is a classifier of the same dataset."""
    expected = (info.classes, info.mean, info.std, config.model.img_size)
    if expected != (teacher.labels, teacher.mean, teacher.std, teacher.network.config.img_size):
        raise ConfigError(
            "teacher",
            f"must be trained on the same images at the same size: {teacher.name} was not",
            "Train a teacher on this dataset first.",
        )
    if not teacher.is_classifier:
        raise ConfigError(
            "teacher", f"must be a classifier: {teacher.name} was trained without labels", "Fine-tune it first."
        )


def describe_teacher(teacher: Checkpoint) -> dict[str, Any]:
    """Return the entry of a teacher in the training record.

    The name is that of its preset: the checkpoint of every run is called "last".
    """
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
            f"must match the resumed run: {before!s:.80} in {folder}, "
            f"got {'a different teacher with the same name' if before == now else now}",
            "Pass the same teacher, or choose another run folder.",
        )


def check_val_overlap(config: TrainConfig, info: DatasetInfo, source: Checkpoint, field: str) -> None:
    """Check that a checkpoint was not trained on this run's validation split; warn where that is unknown.

    `field` of the config names the checkpoint: "init_from" or "teacher".

    Raises:
        ConfigError: If it was trained on the same dataset with a smaller validation split.
    """
    if not config.val_size:
        return
    val_size, init_from = map(source.train_config.get, ("val_size", "init_from"))
    may_overlap = not (isinstance(val_size, int) and val_size >= config.val_size)
    rule = "must not be trained on validation images"
    if may_overlap and (info.classes, info.mean, info.std) == (source.labels, source.mean, source.std):
        raise ConfigError(
            field,
            f"{rule}: val_size is {config.val_size} here and was {val_size} for {source.name}",
            f"Train it with a val_size of at least {config.val_size}.",
        )
    reason = ""
    if may_overlap and info.classes == source.labels:  # the same images at another size have another mean
        reason = "trained on the same classes, possibly on these images"
    elif init_from is not None:
        reason = f"initialized from {init_from!s:.80}, possibly trained on these images"
    if reason:
        warnings.warn(f"{field} {rule}: {source.name} was {reason}.", stacklevel=2)
