"""Exactness of a resumed run: its final weights against those of an uninterrupted run.

On a GPU the order of summation may differ between runs, so the uninterrupted run is also repeated: that difference is
not due to resuming.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from rich.console import Console
from rich.table import Table
from torch.nn.utils import parameters_to_vector

from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.runs.training_run import Progress, train
from vitviz.training.config import TrainConfig


class ProcessLostError(Exception):
    """Stands for a process that ends without saving."""


def resume(config: TrainConfig) -> None:
    """Print the difference of the final weights of an uninterrupted and a lost and resumed run.

    Args:
        config: Training config with a budget of at least two epochs. Nothing is kept.
    """
    config = replace(config, checkpoint_every_epochs=1, num_snapshots=0)
    runs = {"uninterrupted": train_once, "repeated": train_once, "lost and resumed": train_interrupted}
    with TemporaryDirectory() as folder:
        results = {name: run(replace(config, output_dir=str(Path(folder, name)))) for name, run in runs.items()}
    table = Table("run", "relative difference of the weights", "largest difference", "test accuracy")
    first = flatten_weights(results["uninterrupted"])
    for name, result in results.items():
        change = flatten_weights(result) - first
        relative = "" if name == "uninterrupted" else f"{change.norm() / first.norm():.1e}"
        largest = "" if name == "uninterrupted" else f"{change.abs().max():.1e}"
        table.add_row(name, relative, largest, f"{100 * result.record['test_accuracy']:.2f} %")
    out = Console()
    out.print(table)
    record = results["uninterrupted"].record
    out.print(f"{config.preset}, {record['steps']} steps in {record['precision']}, {record['hardware']}")


def train_once(config: TrainConfig, report: Callable[[Progress], None] = lambda progress: None) -> Checkpoint:
    """Train, resuming if the run exists, and return the result."""
    return checkpoint.load(train(config, report, resume=True))


def train_interrupted(config: TrainConfig) -> Checkpoint:
    """Train, losing the process at half of the epochs, after a state was saved; then resume in a new one."""

    def lose(progress: Progress) -> None:
        if progress.epoch >= max(2, (config.epochs or 0) / 2):
            raise ProcessLostError

    with suppress(ProcessLostError):
        train_once(config, lose)
    return train_once(config)


def flatten_weights(result: Checkpoint) -> torch.Tensor:
    """Return all weights as one vector."""
    return parameters_to_vector(result.network.parameters())
