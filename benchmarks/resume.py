"""Exactness of resuming: weights of a crashed and resumed run against those of an uninterrupted one.

On a GPU the order of summation may vary, so an identical run is repeated as well: its difference from the first is not
due to resuming.
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
from vitviz.runs.training_run import train
from vitviz.training.config import TrainConfig
from vitviz.training.loop import Progress


class CrashError(Exception):
    """Simulated crash of a process."""


def resume(config: TrainConfig) -> None:
    """Print the difference between the weights of a resumed and an uninterrupted run.

    Args:
        config: Training config with a budget of at least two epochs. The run folders are temporary.
    """
    config = replace(config, checkpoint_every_epochs=1, num_snapshots=0)
    runs = {"uninterrupted": train_run, "repeated": train_run, "crashed and resumed": crash_and_resume}
    with TemporaryDirectory() as folder:
        results = {name: run(replace(config, output_dir=str(Path(folder, name)))) for name, run in runs.items()}
    table = Table("run", "relative difference of weights", "largest difference", "test accuracy")
    expected = weight_vector(results["uninterrupted"])
    for name, result in results.items():
        difference = weight_vector(result) - expected
        relative = "" if name == "uninterrupted" else f"{difference.norm() / expected.norm():.1e}"
        largest = "" if name == "uninterrupted" else f"{difference.abs().max():.1e}"
        table.add_row(name, relative, largest, f"{100 * result.record['test_accuracy']:.2f} %")
    console = Console()
    console.print(table)
    record = results["uninterrupted"].record
    console.print(f"{config.folder.name}, {record['steps']} steps in {record['precision']}, {record['hardware']}")


def train_run(config: TrainConfig, report: Callable[[Progress], None] = lambda progress: None) -> Checkpoint:
    """Train or resume a run and return its result."""
    return checkpoint.load(train(config, report, resume=True))


def crash_and_resume(config: TrainConfig) -> Checkpoint:
    """Train a run that crashes halfway, after its first saved state, and resume it."""

    def crash(progress: Progress) -> None:
        if progress.epoch >= max(2, (config.epochs or 0) / 2):
            raise CrashError

    with suppress(CrashError):
        train_run(config, crash)
    return train_run(config)


def weight_vector(result: Checkpoint) -> torch.Tensor:
    """Return all weights as one vector."""
    return parameters_to_vector(result.network.parameters())
