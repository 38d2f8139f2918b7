"""`vitviz export`: models in the formats of other libraries."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from vitviz.cli.options import CheckpointName

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write.", show_default=False)]


def export(
    checkpoint: CheckpointName,
    folder: Folder,
    to: Annotated[Literal["timm", "hf"], typer.Option(help="Library: timm, or hf for transformers.")] = "timm",
) -> None:
    """Write a model as a folder that timm or transformers loads, with equal logits and preprocessing."""
    from vitviz.models import export as exporting
    from vitviz.models.hub import load

    name = exporting.export(load(checkpoint), folder, to)
    calls = {
        "timm": f'timm.create_model("local-dir:{folder}", pretrained=True)',
        "hf": f'transformers.{name}.from_pretrained("{folder}")',
    }
    print(f"{folder}: {name}; load it with {calls[to]}")
