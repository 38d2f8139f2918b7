"""`vitviz data`: download or check a dataset."""

from typing import Annotated, Literal

import typer
from pydantic import Field

from vitviz.cli.options import AnyData, Data, checked_by, progress_bar, table_console
from vitviz.training.config import DatasetName

CIFARName = Literal["cifar10", "cifar100"]
data_app = typer.Typer(help="Download or check a dataset.", no_args_is_help=True)


@data_app.command("download")
def data_download(
    dataset: Annotated[CIFARName, typer.Option(help="Dataset.", **checked_by(CIFARName))] = "cifar10",
    data: Data = None,
) -> None:
    """Download CIFAR-10 or CIFAR-100 (170 MB each) and verify its checksums."""
    from vitviz.data import cifar

    print(f"{cifar.CIFARS[dataset].name} is in {cifar.download(data, dataset=dataset)}")


@data_app.command("check")
def data_check(
    dataset: Annotated[
        DatasetName,
        typer.Option(
            help="Dataset; folder: an image folder or zip with one subfolder per class.", **checked_by(DatasetName)
        ),
    ] = "cifar10",
    data: AnyData = None,
    img_size: Annotated[
        int,
        typer.Option(help="For folder: height and width (px).", **checked_by(Annotated[int, Field(ge=1, le=1024)])),
    ] = 32,
) -> None:
    """Check that a dataset is available and complete; for an image folder, list the files that cannot be used."""
    from vitviz.data import cifar, datasets

    if dataset == "folder":
        check_folder(data, img_size)
        return
    counts = [len(cifar.load(split, data, dataset)[1]) for split in datasets.SPLITS]
    path = cifar.find(data, dataset)
    print(f"{datasets.DATASET_INFO[dataset].name} in {path}: {counts[0]:,} training and {counts[1]:,} test images")


def check_folder(data: str | None, img_size: int) -> None:
    """Print the classes and unusable files of an image folder.

    Raises:
        vitviz.errors.DataError: If the folder cannot be used for training; raised after printing.
    """
    from rich.markup import escape
    from rich.table import Table

    from vitviz.data import image_folder

    with progress_bar() as bar:
        task = bar.add_task("reading images", total=None)
        report = lambda done, total: bar.update(task, completed=done, total=total)  # noqa: E731
        table = image_folder.summarize(data, (img_size, img_size), report)
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
    image_folder.check_summary(table, str(data))
