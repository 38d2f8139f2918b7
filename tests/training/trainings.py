"""Helpers for tests of training runs."""

from pathlib import Path

import torch

from vitviz.data import cifar
from vitviz.models.checkpoint import load
from vitviz.runs.training_run import TrainingRun
from vitviz.training.config import TrainConfig
from vitviz.training.distributed import Distributed


def create_run(config: TrainConfig) -> TrainingRun:
    """Create a run on CIFAR-10 without starting it."""
    return TrainingRun(config, Distributed(), cifar.load("train", config.data), cifar.load("test", config.data))


def load_weights(path: Path) -> dict[str, torch.Tensor]:
    """Load the weights of a checkpoint, by name."""
    return load(path).network.state_dict()
