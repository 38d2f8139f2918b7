"""`vitviz data ...`: fetch or check a data set."""

from typing import Annotated, Literal

import typer

from vitviz.cli.options import DATASET, AnyData, Data
from vitviz.training.config import DatasetName

data_app = typer.Typer(help="Fetch or check a data set.", no_args_is_help=True)


@data_app.command("download")
def data_download(
    dataset: Annotated[Literal["cifar10", "cifar100"], typer.Option(help="Which one.")] = "cifar10", data: Data = None
) -> None:
    """Fetch CIFAR-10 or CIFAR-100 (170 MB each), check it and put it in place."""
    from vitviz.data import datasets

    print(f"{datasets.ABOUT[dataset].name} is in {datasets.MODULES[dataset].download(data)}")


@data_app.command("check")
def data_check(
    dataset: Annotated[DatasetName, typer.Option(help=DATASET)] = "cifar10",
    data: AnyData = None,
    size: Annotated[int, typer.Option(min=1, max=1024, help="Side of the model's images in pixels.")] = 32,
) -> None:
    """Say whether a data set is there, and whole; of your own images, what is taken and what is not."""
    from vitviz.data import datasets

    if dataset == "folder":
        check_folder(data, size)
        return
    module = datasets.MODULES[dataset]
    counts = [len(module.load(split, data)[1]) for split in datasets.BOTH]
    where = module.find(data)
    print(f"{datasets.ABOUT[dataset].name} in {where}: {counts[0]:,} training and {counts[1]:,} test images")


def check_folder(data: str | None, size: int) -> None:
    """Print the table of a folder of images; a refusal of the whole comes after the table."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from vitviz.data import image_folder

    table = image_folder.survey(data, (size, size))
    out = Console()
    shown = Table("class", "to train on", "to test on")
    for label, counts in table.counts.items():
        shown.add_row(escape(label), *(f"{count:,}" for count in counts))
    out.print(shown)
    if table.divided:
        out.print("There is no folder to test on: a fifth of each class is put aside.")
    if table.refused:
        shown = Table("not taken", "why")
        for name, why in table.refused:
            shown.add_row(escape(name), escape(why))
        out.print(shown)
    image_folder.check_table(table, str(data))
