"""Knowledge distillation: the predictions of a trained network as targets, mixed with the labels.

Distillation at temperature 1 (Hinton et al. 2015, arXiv 1503.02531, section 2) from a teacher trained on the same
images. Teacher and student see the same augmented images (Beyer et al. 2022, arXiv 2106.05237, section 3). A
convolutional teacher transfers its inductive bias to a transformer (Touvron et al. 2021, "DeiT", arXiv 2012.12877).
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from vitviz.models.factory import Network


@dataclass(frozen=True)
class Teacher:
    """Teacher of a training run."""

    network: Network  # on the device of the run
    record: dict[str, Any]  # its entry in the training record


@torch.no_grad()
def distillation_targets(teacher: Network, images: Tensor, targets: Tensor, weight: float) -> Tensor:
    """Mix the teacher's probabilities for normalized images into targets (B, K), with its weight, 0..1; (B, K)."""
    return targets.lerp(teacher(images).float().softmax(-1), weight)
