"""Soft labels: predictions of teachers for the augmented images of a training run, computed once and stored.

Order and augmentation of a step depend only on the seed and the step, so the predictions for the first epochs can be
computed before the training and used again in cycles of these epochs (Shen & Xing 2022, "A Fast Knowledge Distillation
Framework for Visual Recognition", arXiv 2112.01528). The student then trains as if on labels, without a teacher's
forward pass, and the mean of several teachers or views costs nothing more.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
import torch.nn.functional as F
from safetensors import SafetensorError, safe_open
from torch import Tensor

from vitviz.data.datasets import DatasetInfo, LabeledImages
from vitviz.errors import ConfigError
from vitviz.files import is_regular_file, write_atomic
from vitviz.models.factory import Network
from vitviz.training.config import TrainConfig
from vitviz.training.data import augment, epoch_batches, load_batch, step_seed
from vitviz.training.device import autocast
from vitviz.training.distillation import Teacher

KEY = "vitviz-soft-labels"  # of the recipe in the file's metadata
TENSOR = "probabilities"
VIEWS = (1, 2, 6)
# Fields of the training config that determine the images, their order and augmentation.
FIELDS = (
    "val_size",
    "seed",
    "batch_size",
    "alternating_flip",
    "randaug_num_ops",
    "randaug_magnitude",
    "cutmix_prob",
    "mixup_prob",
    "random_erasing_prob",
)


@dataclass(frozen=True)
class SoftLabels:
    """Stored predictions.

    Attributes:
        probabilities: (epochs, n, K), float16; the images of each epoch in the order in which it shows them.
        recipe: Dataset, seed and augmentation they were computed for, the records of the teachers and the number of
            views, by name.
    """

    probabilities: Tensor
    recipe: dict[str, Any]

    @property
    def num_epochs(self) -> int:
        """Number of stored epochs, the length of a cycle."""
        return len(self.probabilities)

    @property
    def record(self) -> dict[str, Any]:
        """Entry of the teachers in the training record."""
        return {
            "name": "soft labels",
            "teachers": self.recipe["teachers"],
            "views": self.recipe["views"],
            "epochs": self.num_epochs,
        }

    def batch(self, epoch: int, start: int, count: int, device: torch.device) -> Tensor:
        """Return the probabilities (count, K) of the images from position `start` of an epoch, float32."""
        return self.probabilities[epoch % self.num_epochs, start : start + count].to(device).float()


def make_recipe(config: TrainConfig, info: DatasetInfo, num_samples: int, device: torch.device) -> dict[str, Any]:
    """Return what order and augmentation depend on, by name.

    Random numbers of a CPU and a GPU differ, so the type of the device belongs to it.
    """
    return {
        "dataset": info.name,
        "classes": list(info.classes),
        "mean": [round(value, 6) for value in info.mean],
        "std": [round(value, 6) for value in info.std],
        "num_samples": num_samples,
        "img_size": list(config.model.img_size),
        "device": device.type,
        **{name: getattr(config, name) for name in FIELDS},
    }


def check_recipe(stored: dict[str, Any], expected: dict[str, Any], path: str | Path) -> None:
    """Raise ConfigError for the first entry in which the recipe of a file differs from the expected one."""
    for name, value in expected.items():
        if stored.get(name) != value:
            raise ConfigError(
                "soft_labels",
                f"must be computed for this training: {name} is {stored.get(name)!s:.80} in {path} and {value!s:.80} "
                "here",
                "Compute them with the same options: python -m vitviz soft-labels.",
            )


def save(soft_labels: SoftLabels, path: Path) -> None:
    """Write soft labels atomically as .safetensors with their recipe in the metadata."""
    metadata = {KEY: json.dumps(soft_labels.recipe)}
    write_atomic(path, safetensors.torch.save({TENSOR: soft_labels.probabilities.contiguous()}, metadata))


def load(path: str | Path) -> SoftLabels:
    """Load soft labels; raise ConfigError if the file is not one that `save` wrote."""
    path = Path(path)
    if not is_regular_file(path):
        raise invalid_file(path, "no such file")
    try:
        with safe_open(path, "pt") as file:
            recipe = json.loads((file.metadata() or {})[KEY])
            probabilities = file.get_tensor(TENSOR)
    except (OSError, SafetensorError, ValueError, KeyError, TypeError, RecursionError):
        raise invalid_file(path, "it has other contents") from None
    is_complete = isinstance(recipe, dict) and isinstance(recipe.get("teachers"), list) and "views" in recipe
    if not is_complete or probabilities.ndim != 3 or not len(probabilities):
        raise invalid_file(path, "it is damaged")
    if not probabilities.isfinite().all():
        raise invalid_file(path, "a probability is NaN or infinite")
    return SoftLabels(probabilities, recipe)


def invalid_file(path: Path, problem: str) -> ConfigError:
    """Return the error for a file that holds no soft labels."""
    return ConfigError(
        "soft_labels", f"must be a file of soft labels: {path}: {problem}", "Make one: python -m vitviz soft-labels."
    )


def compute(
    config: TrainConfig,
    info: DatasetInfo,
    data: LabeledImages,
    teachers: Sequence[Teacher],
    path: Path,
    num_epochs: int,
    views: int = 1,
    bfloat16: bool = False,
    report: Callable[[int], None] = lambda done: None,
) -> SoftLabels:
    """Compute the soft labels of the first epochs of a training run and write them after each epoch.

    A file that has the first of these epochs already is continued.

    Args:
        config: Training config of the student.
        info: Dataset.
        data: Training images, uint8 (n, 3, H, W), and labels (n,), on the device of the teachers.
        teachers: Teachers, whose probabilities are averaged.
        path: The file.
        num_epochs: Number of epochs.
        views: As for `compute_epoch`.
        bfloat16: As for `compute_epoch`.
        report: Called after each batch with the number of images done, earlier epochs included.

    Raises:
        ConfigError: If the file has soft labels of another recipe.
    """
    recipe = make_recipe(config, info, len(data[1]), data[0].device)
    recipe |= {"teachers": [teacher.record for teacher in teachers], "views": views}
    done: list[Tensor] = []
    if path.exists():
        stored = load(path)
        check_recipe(stored.recipe, recipe, path)
        done = list(stored.probabilities)
    networks, count = [teacher.network for teacher in teachers], len(data[1])
    for epoch in range(len(done), num_epochs):
        before = epoch * count

        def report_epoch(images: int, before: int = before) -> None:
            report(before + images)

        done.append(compute_epoch(config, info, data, networks, epoch, views, bfloat16, report_epoch))
        save(SoftLabels(torch.stack(done), recipe), path)
    return SoftLabels(torch.stack(done), recipe)


def compute_epoch(
    config: TrainConfig,
    info: DatasetInfo,
    data: LabeledImages,
    teachers: Sequence[Network],
    epoch: int,
    views: int = 1,
    bfloat16: bool = False,
    report: Callable[[int], None] = lambda done: None,
) -> Tensor:
    """Compute the soft labels of one epoch of a training run.

    Args:
        config: Training config: order and augmentation, and `mix_until` 1.
        info: Dataset.
        data: Images, uint8 (n, 3, H, W), and labels (n,), on the device of the teachers.
        teachers: Networks in eval mode, whose probabilities are averaged.
        epoch: Number of the epoch, from 0.
        views: Views of each augmented image that are averaged: 1, 2 with its mirror image, or 6 with both shifted by
            one pixel up and left, and down and right.
        bfloat16: Whether matrix products are in bfloat16.
        report: Called after each batch with the number of images done.

    Returns:
        Probabilities (n, K), float16, in the order in which the epoch shows the images.
    """
    batches = epoch_batches(config, len(data[1]), epoch, data[1].device)
    result = []
    for position, batch in enumerate(batches):
        torch.manual_seed(step_seed(config.seed, epoch * len(batches) + position))
        inputs, _ = augment(config, info, *load_batch(config, data, batch, epoch), mix=True)
        result.append(mean_probabilities(teachers, inputs, views, bfloat16).half().cpu())
        report(sum(map(len, result)))
    return torch.cat(result)


@torch.no_grad()
def mean_probabilities(teachers: Sequence[Network], images: Tensor, views: int, bfloat16: bool) -> Tensor:
    """Return the mean probabilities (B, K) over networks and views of normalized images (B, 3, H, W)."""
    variants = [images]
    if views == 6:
        H, W = images.shape[2:]
        padded = F.pad(images, (1, 1, 1, 1), "reflect")
        variants += [padded[:, :, :H, :W], padded[:, :, 2:, 2:]]
    if views > 1:
        variants += [variant.flip(-1) for variant in variants]
    with autocast(images.device, bfloat16):
        logits = torch.stack([teacher(variant).float() for teacher in teachers for variant in variants])
    return logits.softmax(-1).mean(0)
