"""`vitviz data`: download or check a dataset, or delete its preprocessed images."""

from typing import Annotated, Literal

import typer
from pydantic import Field

from vitviz.cli.options import CHECKPOINT_HELP, AnyData, Data, checked_by, progress_bar, table_console
from vitviz.training.config import DatasetName

DEFAULT_MODEL = "cifar10-ti4"  # of the list of likely mislabeled images of a folder
MAX_LISTED = 20  # of these
CIFARName = Literal["cifar10", "cifar100"]
data_app = typer.Typer(help="Download or check a dataset, or delete preprocessed images.", no_args_is_help=True)


@data_app.command("download")
def data_download(
    dataset: Annotated[CIFARName, typer.Option(help="Dataset.", **checked_by(CIFARName))] = "cifar10",
    data: Data = None,
) -> None:
    """Download CIFAR-10 or CIFAR-100 (170 MB each) and verify its checksums."""
    from vitviz.data import cifar

    print(f"{cifar.CIFARS[dataset].name} is in {cifar.download(data, dataset=dataset)}")


@data_app.command("clean")
def data_clean() -> None:
    """Delete the preprocessed images in the cache folder; they are written again when they are needed."""
    from vitviz.data import image_cache

    folder, freed = image_cache.clean()
    print(f"{image_cache.describe_bytes(freed)} of preprocessed images deleted in {folder}")


@data_app.command("check")
def data_check(
    dataset: Annotated[
        str,
        typer.Option(
            help="Dataset; folder: an image folder or zip with one subfolder per class; or hf:OWNER/NAME.",
            **checked_by(DatasetName),
        ),
    ] = "cifar10",
    data: AnyData = None,
    img_size: Annotated[
        int,
        typer.Option(help="For folder: height and width (px).", **checked_by(Annotated[int, Field(ge=1, le=1024)])),
    ] = 32,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="CHECKPOINT",
            help=f"List the images that are likely mislabeled, by a linear probe on this model's features. "
            f"{CHECKPOINT_HELP} Default: for folder {DEFAULT_MODEL}.",
        ),
    ] = None,
) -> None:
    """Check that a dataset is complete and list images with likely wrong labels, of a folder also unusable files."""
    from vitviz.data import cifar, datasets, image_cache

    if dataset not in datasets.DATASET_INFO:
        check_folder(dataset, data, img_size)
        list_mislabeled(dataset, data, checkpoint or DEFAULT_MODEL)
        return
    counts = [len(cifar.load(split, data, dataset)[1]) for split in image_cache.SPLITS]
    path = cifar.find(data, dataset)
    print(f"{datasets.DATASET_INFO[dataset].name} in {path}: {counts[0]:,} training and {counts[1]:,} test images")
    if checkpoint is not None:
        list_mislabeled(dataset, data, checkpoint)


def check_folder(dataset: str, data: str | None, img_size: int) -> None:
    """Print the classes and unusable files of an image folder or a dataset of the Hub.

    Raises:
        vitviz.errors.DataError: If the folder cannot be used for training; raised after printing.
    """
    from rich.markup import escape
    from rich.table import Table

    from vitviz.data import datasets, image_folder

    with progress_bar() as bar:
        task = bar.add_task("reading images", total=None)
        report = lambda done, total: bar.update(task, completed=done, total=total)  # noqa: E731
        _, table = datasets.read_all(dataset, data, (img_size, img_size), report=report)
    console = table_console()
    classes = Table("class", "training", "test")
    for label, counts in table.counts.items():
        classes.add_row(escape(label), *(f"{count:,}" for count in counts))
    console.print(classes)
    if table.auto_split:
        console.print("Without a test folder, a fifth of each class is held out.")
    if table.skipped:
        files = Table("skipped file", "reason")
        for name, reason in table.skipped:
            files.add_row(escape(name), escape(reason))
        console.print(files)
    image_folder.check_summary(table, dataset if data is None else str(data))


def list_mislabeled(dataset: str, data: str | None, checkpoint: str) -> None:
    """Print the images that a linear probe on the features of a model, fitted without them, puts into another class."""
    import torch
    from rich.markup import escape
    from rich.table import Table

    from vitviz.data import datasets
    from vitviz.models.accuracy import accuracy_number
    from vitviz.models.features import compute_features
    from vitviz.models.hub import load
    from vitviz.training import linear_probe

    model = load(checkpoint)
    size = model.config.img_size
    if dataset not in datasets.DATASET_INFO:
        locations, summary = datasets.read_all(dataset, data, size, model.resize)
        classes, parts = summary.classes, [part for part, _ in summary.images.splits.values()]
        names = [name for _, part in summary.images.splits.values() for name in part]
        images, labels = torch.cat(parts), summary.labels(names, locations)
    else:
        loaded = datasets.load(dataset, data, size, resize=model.resize)
        names = [f"{split} image {i}" for split, part in loaded.splits.items() for i in range(len(part[1]))]
        classes = loaded.info.classes
        images, labels = (torch.cat(values) for values in zip(*loaded.splits.values(), strict=True))
    with progress_bar() as bar:
        task = bar.add_task("computing features", total=len(images))
        features = compute_features(model, images, lambda count: bar.advance(task, count))
        bar.update(task, description="cross-validating", completed=0)
        groups = linear_probe.group_copies(features, names)
        report = lambda done, total: bar.update(task, completed=done, total=total)  # noqa: E731
        validation = linear_probe.cross_validate(features, labels, groups, linear_probe.C_FOR_LABELS, report)
    console = table_console()
    if not validation.total:
        console.print("No image could be held out to find wrong labels: those of each class are near copies.")
        return
    suspects = linear_probe.find_mislabeled(validation, labels).tolist()
    accuracy = accuracy_number(validation.correct / validation.total, validation.total)
    console.print(
        f"{len(suspects):,} of {validation.total:,} images are likely mislabeled, by a linear probe on the features of "
        f"{escape(model.name)}; it predicts {accuracy} correctly when held out: the fewer, the more labels are right."
    )
    table = Table("likely mislabeled", "class", "prediction", "probability")
    for image, other in suspects[:MAX_LISTED]:
        probability = f"{100 * validation.probabilities[image, other]:.0f} %"
        table.add_row(*map(escape, (names[image], classes[labels[image]], classes[other], probability)))
    if suspects:
        console.print(table)
