"""What several commands share: options, and the progress bar."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

Data = Annotated[
    str | None, typer.Option("--data", metavar="DIR", help="Folder of CIFAR-10; else VITVIZ_DATA, else data/.")
]
AnyData = Annotated[
    str | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="Folder of CIFAR; else VITVIZ_DATA, else data/. Your own images must be named: their folder, or a zip.",
    ),
]
DATASET = "Which images; folder: your own, in one folder for each class, or a zip of that."
CheckpointName = Annotated[str, typer.Argument(help="A name in checkpoints/, or a .safetensors file.")]


def leads() -> bool:
    """Whether this is the first process of a training; the others keep quiet."""
    return os.environ.get("RANK", "0") == "0"


def progress_bar() -> "Bar":
    """A progress bar on the terminal's error stream, with the time left."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), disable=not leads())
