"""`vitviz list`: the names that other commands and `vitviz` in Python take."""

from typing import Annotated, Literal

import typer

from vitviz.cli.options import CHECKPOINT_HELP, checked_by, table_console

Kind = Literal["models", "samples", "methods", "presets"]


def list_names(
    kind: Annotated[
        Kind | None,
        typer.Argument(
            help="Only these: models, samples, methods or presets.", **checked_by(Kind) | {"metavar": "KIND"}
        ),
    ] = None,
) -> None:
    """List the names of models, sample images, attribution methods and presets."""
    from rich.table import Table

    from vitviz.attribution.methods import METHODS
    from vitviz.data.samples import PHOTOS, example_paths
    from vitviz.models.accuracy import accuracy_text
    from vitviz.models.checkpoint import bundled_checkpoints, eval_samples, load
    from vitviz.training.presets import PRESETS

    def accuracy(name: str) -> str:
        record = load(name).record
        found = record.get("test_accuracy")
        return accuracy_text(found, eval_samples(record)) if isinstance(found, float) else ""

    listed = {
        "models": lambda: {name: accuracy(name) for name in bundled_checkpoints()},
        "samples": lambda: {name: PHOTOS[name].title if name in PHOTOS else "drawing" for name in example_paths()},
        "methods": lambda: {name: method.title for name, method in METHODS.items()},
        "presets": lambda: {name: preset.about for name, preset in PRESETS.items()},
    }
    console = table_console()
    for name, rows in listed.items():
        if kind in (None, name):
            table = Table(name, "", box=None)
            for row in rows().items():
                table.add_row(*row)
            console.print(table)
    if kind in (None, "models"):
        console.print(f"Other models: {CHECKPOINT_HELP}")
