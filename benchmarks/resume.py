"""How exactly a training goes on that was lost: its weights beside those of one that was not.

On a GPU sums may be made in another order each time, so the same training is also made again from its beginning: what
those two differ by is no fault of going on.
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


class Lost(Exception):  # noqa: N818 - what happens here is meant
    """A process that ends without a word."""


def resume(config: TrainConfig) -> None:
    """Print how far a training that was lost halfway ends from one that was not.

    Args:
        config: What to train; its budget is in epochs, at least two. Nothing of it stays.
    """
    config = replace(config, checkpoint_every_epochs=1, num_snapshots=0)
    ways = {"whole": whole, "the same again": whole, "lost and gone on with": lost}
    with TemporaryDirectory() as folder:
        found = {name: way(replace(config, output_dir=str(Path(folder, name)))) for name, way in ways.items()}
    table = Table("training", "weights differ, share of their norm", "largest difference", "test accuracy")
    first = weights(found["whole"])
    for name, result in found.items():
        change = weights(result) - first
        apart = "" if name == "whole" else f"{change.norm() / first.norm():.1e}"
        largest = "" if name == "whole" else f"{change.abs().max():.1e}"
        table.add_row(name, apart, largest, f"{100 * result.record['test_accuracy']:.2f} %")
    out = Console()
    out.print(table)
    record = found["whole"].record
    out.print(f"{config.preset}, {record['steps']} steps in {record['precision']}, {record['hardware']}")


def whole(config: TrainConfig, report: Callable[[Progress], None] = lambda progress: None) -> Checkpoint:
    """The result of a training, gone on with if it was begun."""
    return checkpoint.load(train(config, report, resume=True))


def lost(config: TrainConfig) -> Checkpoint:
    """The same, of one whose process is lost halfway, after its first state is saved, and of another one then."""

    def lose(progress: Progress) -> None:
        if progress.epoch >= max(2, (config.epochs or 0) / 2):
            raise Lost

    with suppress(Lost):
        whole(config, lose)
    return whole(config)


def weights(result: Checkpoint) -> torch.Tensor:
    """All of them, one after another."""
    return parameters_to_vector(result.network.parameters())
