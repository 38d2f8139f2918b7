"""What several files of tests do with a training."""

from pathlib import Path

import torch

from vitviz.data import cifar
from vitviz.models.checkpoint import load
from vitviz.runs.training_run import Run
from vitviz.training.config import TrainConfig
from vitviz.training.distributed import Distributed


def whole_run(config: TrainConfig) -> Run:
    """A run of this config that is not begun."""
    return Run(config, Distributed(), cifar.load("train", config.data), cifar.load("test", config.data))


def weights(path: Path) -> dict[str, torch.Tensor]:
    """Of a checkpoint, by name."""
    return load(path).network.state_dict()
