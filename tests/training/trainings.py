"""Helpers for tests of training runs."""

from pathlib import Path

import torch

from vitviz.data import cifar
from vitviz.data.datasets import CIFAR10
from vitviz.models.checkpoint import load
from vitviz.training.config import TrainConfig
from vitviz.training.data import TrainingData
from vitviz.training.distributed import Distributed
from vitviz.training.initial_weights import load_initial
from vitviz.training.loop import TrainingLoop
from vitviz.training.teacher import load_teacher


def create_run(config: TrainConfig, data: TrainingData | None = None) -> TrainingLoop:
    """Create a run without starting it, by default on CIFAR-10."""
    if data is None:
        data = TrainingData(CIFAR10, cifar.load("train", config.data), cifar.load("test", config.data))
    initial = load_initial(config.init_from, data.info, config.val_size)
    teacher = load_teacher(config, data.info, torch.device("cpu"))
    return TrainingLoop(config, Distributed(), data, initial, teacher)


def load_weights(path: Path) -> dict[str, torch.Tensor]:
    """Load the weights of a checkpoint, by name."""
    return load(path).network.state_dict()
