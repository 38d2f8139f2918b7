"""`vitviz convert`, `export`, `push` and `site`: models from and to other formats, and as a page of their own."""

from pathlib import Path
from typing import Annotated

import typer

from vitviz.cli.options import CHECKPOINT_HELP, CheckpointName, ImgSize, checked_by, parse_size, progress_bar
from vitviz.errors import ConfigError
from vitviz.models.weights import Rounding


def convert(
    name: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help=f"{CHECKPOINT_HELP[:-1]}, or a pickle (.pth .pt .bin .ckpt .pkl .tar).",
            show_default=False,
        ),
    ],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="File to write, .safetensors.", show_default=False)],
    like: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL", help="For weights without config.json: timm:NAME, hf:OWNER/NAME or a folder with one."
        ),
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Text file with the names of the classes, one per line.")
    ] = None,
    img_size: ImgSize = None,
    classes: Annotated[
        str | None,
        typer.Option(
            metavar="TEXTS",
            help='Zero-shot head of CLIP, SigLIP or a relative: "a cat,a dog". Needs transformers, this once.',
        ),
    ] = None,
) -> None:
    """Write any model that vitviz opens as one .safetensors file; the only command that reads pickled weights."""
    from vitviz.models import checkpoint
    from vitviz.models.conversion import convert as convert_model

    if output.suffix != ".safetensors":
        raise ConfigError("OUT", f"must end in .safetensors: got {output.name}")
    texts = None if classes is None else [text.strip() for text in classes.split(",")]
    model = convert_model(name, like, labels, parse_size(img_size), texts)
    checkpoint.save(model, output)
    size = " x ".join(map(str, model.config.img_size))
    print(f"{output}: {model.config.num_classes} classes, {size} pixels, {output.stat().st_size / 2**20:.1f} MiB")
    for note in model.notes:
        print(f"note: {note}")


def export(
    checkpoint: CheckpointName,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write.", show_default=False)],
) -> None:
    """Write a model as a folder that timm loads, with equal logits and preprocessing; so does transformers by timm."""
    from vitviz.models import export as exporting
    from vitviz.models.hub import load

    name = exporting.export(load(checkpoint), folder)
    print(f'{folder}: {name}; load it with timm.create_model("local-dir:{folder}", pretrained=True)')


def push(
    repository: Annotated[str, typer.Argument(metavar="OWNER/NAME", help="Repository on the Hub.", show_default=False)],
    checkpoint: CheckpointName,
    license_name: Annotated[
        str | None, typer.Option("--license", metavar="NAME", help="License of the weights, such as apache-2.0.")
    ] = None,
    private: Annotated[bool, typer.Option("--private", help="Create a private repository.")] = False,
    dry_run: Annotated[
        Path | None, typer.Option("--dry-run", metavar="DIR", help="Write the files to this folder; upload nothing.")
    ] = None,
) -> None:
    """Upload a model to the Hugging Face Hub, with a model card made from its training record."""
    import tempfile

    from vitviz.models import publish
    from vitviz.models.hub import load

    model = load(checkpoint)
    if dry_run is not None:
        publish.write_repository(model, repository, dry_run, license_name)
        print(f"{dry_run}: the files of {repository}; nothing was uploaded")
        return
    with tempfile.TemporaryDirectory() as folder:
        publish.write_repository(model, repository, Path(folder), license_name)
        print(publish.push(Path(folder), repository, private))


def site(
    folder: Annotated[Path, typer.Argument(metavar="OUT", help="Folder to write.", show_default=False)],
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MODEL", help=f"{CHECKPOINT_HELP} The page opens with the first one.", show_default=False
        ),
    ] = None,
    weights: Annotated[Rounding, typer.Option(help="Rounding of the weights.", **checked_by(Rounding))] = "int8",
) -> None:
    """Write the page as a folder for any web server, such as GitHub Pages: the models run in the browser."""
    from vitviz.webapp.site import write_site

    with progress_bar() as bar:
        task = bar.add_task("computing examples", total=None)
        update = lambda done, total: bar.update(task, completed=done, total=total)  # noqa: E731
        size = write_site(folder, models or ["cifar10-ti4"], weights, update)
    print(f"{folder}: {size / 2**20:.1f} MiB. Try it: python -m http.server --directory {folder}")
