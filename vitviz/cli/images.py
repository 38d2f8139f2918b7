"""`vitviz explain` and `vitviz predict`: one image, or all images of a folder or zip."""

import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import Field

from vitviz.cli.options import CheckpointOption, ImgSize, checked_by, is_main_process, load_at, progress_bar
from vitviz.errors import ConfigError, DataError, InvalidValueError
from vitviz.view import Scale

if TYPE_CHECKING:
    from vitviz.data.image_folder import SkippedFile
    from vitviz.models.checkpoint import Checkpoint

ImageOrFolder = Annotated[
    str,
    typer.Argument(
        metavar="IMAGE_OR_FOLDER",
        help="Image file, or name of a sample, as by vitviz list; or a folder or zip of images.",
    ),
]


def explain(
    image: ImageOrFolder,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Figure (.png .svg .pdf), explorer (.html) or numbers (.npz .csv); of a folder the folder to write.",
        ),
    ],
    checkpoint: CheckpointOption = "cifar10-ti4",
    img_size: ImgSize = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Attribution method: attention (last layer), average, rollout, relevance, ...; an unknown name lists "
            "all. Default: the attention of --layer and --head.",
        ),
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CLASS",
            help="Class to explain, by name or index; default: the prediction. Repeat to contrast with a second class.",
        ),
    ] = None,
    layer: Annotated[
        str, typer.Option(metavar="LAYER", help="Show attention of this layer, from 1 as in figures; mean or pool.")
    ] = "mean",
    head: Annotated[
        str, typer.Option(metavar="HEAD", help="Show attention of this head, from 1 as in figures; or mean.")
    ] = "mean",
    scale: Annotated[
        Scale,
        typer.Option(help="Scale of attention: shared, relative to uniform, or one per map.", **checked_by(Scale)),
    ] = "shared",
) -> None:
    """Explain the prediction for an image, as a figure or as numbers; of a folder for each of its images.

    A folder gets a figure and arrays (.npz) of each image, a contact sheet of all on one scale, and predictions.csv.

    Started again, it keeps the files that are there for the same image, model and view.
    """
    from vitviz.attribution.explanation import explain

    if is_set(image) and output.resolve() == Path(image).resolve():
        raise ConfigError("output", f"must not be the folder of the images: got {output}", "Choose another folder.")
    model = load_at(checkpoint, img_size)
    view: dict[str, Any] = {
        "method": method,
        "target": [int(word) if word.isdecimal() and word not in model.labels else word for word in target or ()],
        "layer": from_zero("layer", layer, model.config.depth),
        "head": from_zero("head", head, model.config.num_heads),
        "scale": scale,
    }
    if is_set(image):
        explain_set(model, Path(image), output, view)
        return
    if not is_main_process():
        return
    explanation = explain(model, image)
    explanation.save(output, **view)
    prediction = f"no prediction, as it {model.why_no_prediction}"
    if model.is_classifier:
        prediction = f"{explanation.prediction}, {100 * explanation.probabilities.max():.1f} %"
    print(f"{output}: {prediction}; {explanation.image.note}")


def explain_set(model: "Checkpoint", images: Path, output: Path, view: dict[str, Any]) -> None:
    """Explain the images of a folder or zip; list those that could not be explained, with exit status 1."""
    from vitviz.attribution.image_sets import explain_images, write_contact_sheets
    from vitviz.data.image_folder import open_images
    from vitviz.training.distributed import Distributed

    with Distributed() as distributed, open_images(images, output) as files, progress_bar() as bar:
        task = bar.add_task(f"explaining by {model.name}", total=len(files.names))
        update = lambda done: bar.update(task, completed=done)  # noqa: E731
        saved, bad = explain_images(model, files, output, view, update, distributed.map)
    if not distributed.is_main_process:
        return
    if saved:
        write_contact_sheets(model, saved, output)
    kept = sum(one.was_there for one in saved.values())
    renamed = [f"{name} is {one.npz.stem}" for name, one in saved.items() if one.npz.stem != Path(name).stem]
    notes = [f"{kept} kept as they were"] * bool(kept) + renamed
    report(output, len(saved), bad, notes)


def predict(
    image: ImageOrFolder,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Table to write (.csv).")],
    checkpoint: CheckpointOption = "cifar10-ti4",
    img_size: ImgSize = None,
    top: Annotated[
        int, typer.Option(help="Number of classes, the most probable first.", **checked_by(Annotated[int, Field(ge=1)]))
    ] = 5,
) -> None:
    """Write the most probable classes of an image, or of all images of a folder, as a table, one image a line."""
    import numpy as np

    from vitviz.attribution.image_sets import predict_images, write_predictions
    from vitviz.data.image_folder import FileList, open_images
    from vitviz.files import resolve_link
    from vitviz.training.distributed import Distributed

    if output.suffix.lower() != ".csv":
        raise InvalidValueError("output", "a file that ends in .csv", str(output))
    model = load_at(checkpoint, img_size)
    if not model.is_classifier:
        raise DataError(f"{model.name} predicts no class: it {model.why_no_prediction}.")
    opened = open_images(Path(image)) if is_set(image) else nullcontext(FileList([image], str, []))
    with Distributed() as distributed, opened as files, progress_bar() as bar:
        task = bar.add_task(f"predicting by {model.name}", total=len(files.names))
        found, bad = predict_images(model, files, lambda done: bar.update(task, completed=done), distributed.map)
    if not distributed.is_main_process:
        return
    if found:
        write_predictions(resolve_link(output), model, list(found), np.stack(list(found.values())), top)
    report(output, len(found), bad)


def verify(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Saved file: .png, .svg, .pdf, .npz, .csv or .html.", show_default=False),
    ],
    image: Annotated[
        str | None, typer.Option(metavar="IMAGE", help="The image, unless it lies next to the file or is named in it.")
    ] = None,
    checkpoint: Annotated[
        str | None, typer.Option(metavar="CHECKPOINT", help="The model, unless the name in the file finds it.")
    ] = None,
) -> None:
    """Compute what a saved file shows again, and compare.

    Exit status: 0 equal, 1 different, 2 cannot be checked.
    """
    from vitviz.attribution import verification
    from vitviz.models.hub import load

    found = verification.verify(file, image, None if checkpoint is None else load(checkpoint), load=load)
    print(f"{file}: {found}")
    raise typer.Exit(2 if found.unchecked else 0 if found else 1)


def is_set(image: str) -> bool:
    """Whether an argument is a folder or zip of images."""
    return os.path.isdir(image) or (image.lower().endswith(".zip") and os.path.isfile(image))


def report(output: Path, count: int, bad: "Sequence[SkippedFile]", notes: Sequence[str] = ()) -> None:
    """Print how many images were read, and those that were not, with exit status 1."""
    for name, reason in bad:
        print(f"{name}: {reason}", file=sys.stderr)
    if count:
        print(f"{output}: {'; '.join([f'{count:,} image' + 's' * (count != 1), *notes])}")
    if bad:
        raise typer.Exit(1)


def from_zero(name: str, text: str, count: int) -> int | str:
    """Return the index from 0 of a layer or head given from 1, or "mean" or "pool"; ConfigError for another one."""
    if text == "mean" or (name == "layer" and text == "pool"):
        return text
    if not text.isdecimal() or not 1 <= int(text) <= count:
        raise InvalidValueError(name, f"from 1 to {count}, or mean{' or pool' * (name == 'layer')}", text)
    return int(text) - 1
