"""`vitviz train` and `vitviz sweep`."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from vitviz.cli.options import DATASET, AnyData, leads, progress_bar
from vitviz.training.config import DatasetName, Device, Objective, TrainConfig, apply_overrides, from_json
from vitviz.training.presets import PRESETS, TEACHERS, preset

if TYPE_CHECKING:
    from vitviz.runs.sweep import Sweep
    from vitviz.runs.training_run import Progress


def train(
    preset_name: Annotated[
        str | None,
        typer.Option(
            "--preset", help=f"Recipe: {', '.join(PRESETS | TEACHERS)}; cifar10-ti4 if left out.", show_default=False
        ),
    ] = None,
    dataset: Annotated[DatasetName | None, typer.Option(help=f"{DATASET} Else cifar10.")] = None,
    data: AnyData = None,
    images: Annotated[int | None, typer.Option(help="Use the first N training images.")] = None,
    epochs: Annotated[float | None, typer.Option(help="Budget in passes over the images; else the preset's.")] = None,
    minutes: Annotated[float | None, typer.Option(help="Budget in minutes; else the preset's.")] = None,
    batch_size: Annotated[
        int | None, typer.Option(help="Images in a step, over all processes; else the preset's.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed of weights, order and augmentation; else 0.")] = None,
    device: Annotated[Device | None, typer.Option(help="Where to train; else auto.")] = None,
    out: Annotated[str | None, typer.Option(metavar="RUN", help="Run folder; runs/PRESET if left out.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the state saved in the run folder.")] = False,
    network: Annotated[str | None, typer.Option("--network", help="Train the network of this other preset.")] = None,
    objective: Annotated[Objective | None, typer.Option(help="Learn labels, or to guess hidden patches.")] = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="CHECKPOINT", help="Fine-tune: start from these weights, in their network, with a new head."
        ),
    ] = None,
    frozen: Annotated[
        bool | None,
        typer.Option("--freeze-backbone", help="With --init-from: only the new head learns.", show_default=False),
    ] = None,
    teacher: Annotated[
        str | None,
        typer.Option(metavar="CHECKPOINT", help="Learn also from what this network says of the same images."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change any other number of the recipe, or model.NAME."),
    ] = None,
    log: Annotated[Literal["tensorboard"] | None, typer.Option(help="Log for TensorBoard as well.")] = None,
) -> None:
    """Train a ViT, or go on with a trained one on other images; on several processes: torchrun -m -- vitviz train."""
    flags = {
        "dataset": dataset,
        "data": data,
        "images": images,
        "batch_size": batch_size,
        "seed": seed,
        "device": device,
        "out": out,
        "objective": objective,
        "start": start,
        "frozen": frozen,
        "teacher": teacher,
    }
    given: dict[str, Any] = {name: value for name, value in flags.items() if value is not None}
    if epochs is not None or minutes is not None:
        given |= {"epochs": epochs, "minutes": minutes}
    config = apply_overrides(resolve_config(preset_name, network, resume, given), settings or [])

    from vitviz.models.checkpoint import load
    from vitviz.runs import training_run
    from vitviz.runs.store import warn_if_unlisted

    if leads():
        warn_if_unlisted(config.folder)
    with progress_bar() as bar, tensorboard(log, config.folder) as note:
        task = bar.add_task("training", total=1.0)

        def show(progress: "Progress") -> None:
            found = "" if progress.accuracy is None else f", {100 * progress.accuracy:.1f} % of watched images"
            speed = f"{progress.images_per_second:.0f} images/s"
            words = f"epoch {progress.epoch:.1f}, loss {progress.loss:.3f}, {speed}{found}"
            bar.update(task, completed=progress.share, description=words)
            if found:
                with suppress(OSError):  # the disk of a log may be full; the training waits for room by itself
                    bar.console.print(words)
            note(progress)

        path = training_run.train(config, show, resume)
    if leads():
        measured = {name: value for name, value in load(path).record.items() if name.endswith("_accuracy")}
        print(f"{path}: {', '.join(f'{name} {100 * value:.2f} %' for name, value in measured.items())}")


def sweep(
    preset_name: Annotated[str | None, typer.Option("--preset", help="Recipe to vary; else cifar10-ti4.")] = None,
    vary: Annotated[
        list[str] | None, typer.Option(metavar="NAME=V,V,...", help="What to vary, such as model.depth=2,4,8.")
    ] = None,
    epochs: Annotated[float | None, typer.Option(help="Budget of each run in passes; else the preset's.")] = None,
    minutes: Annotated[float | None, typer.Option(help="Budget of each run in minutes; else the preset's.")] = None,
    out: Annotated[
        str | None, typer.Option(metavar="DIR", help="Folder of the results; runs/sweep-PRESET if left out.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the sweep in this folder.")] = False,
    dataset: Annotated[DatasetName | None, typer.Option(help=f"{DATASET} Else cifar10.")] = None,
    data: AnyData = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change any other number for all runs.")
    ] = None,
) -> None:
    """Train one network for each combination of some settings, one after another, and compare them."""
    if (count := os.environ.get("WORLD_SIZE", "1")) != "1":
        raise ValueError(f"A sweep is the work of one process: torchrun started {count}. Use: python -m vitviz sweep.")
    from vitviz.runs import sweep as sweeps
    from vitviz.runs.store import check_machine, warn_if_unlisted

    folder = Path(out or f"runs/sweep-{preset_name or 'cifar10-ti4'}")
    warn_if_unlisted(folder)
    if resume:
        told = {"--vary": vary, "--epochs": epochs, "--minutes": minutes, "--dataset": dataset, "--data": data}
        told |= {"--set": settings, "--preset": preset_name if out is not None else None}  # else it names the folder
        if changes := [name for name, value in told.items() if value is not None]:
            raise ValueError(
                f"A sweep goes on as it began: got {', '.join(changes)}. Leave that out, or begin another with --out."
            )
        grid = sweeps.read(folder)
    else:
        given: dict[str, Any] = {
            name: value for name, value in (("dataset", dataset), ("data", data)) if value is not None
        }
        if epochs is not None or minutes is not None:
            given |= {"epochs": epochs, "minutes": minutes}
        config = apply_overrides(replace(preset(preset_name or "cifar10-ti4"), **given), settings or [])
        grid = sweeps.Sweep(config, tuple(vary or ()), folder)
        check_machine(config)
        grid.write()
    show_sweep(grid)


def show_sweep(grid: "Sweep") -> None:
    """Run a sweep, with its table growing on the terminal; at the end why some runs failed, with exit status 1."""
    from rich.console import Console, Group
    from rich.live import Live
    from rich.markup import escape
    from rich.table import Table

    names = list(next(iter(grid.runs().values()))[0])
    short = [name.removeprefix("model.") for name in names]  # eighty columns are not many
    table = Table("run", *short, "parameters", "epochs", "seconds", "accuracy")
    failed: list[str] = []
    bar = progress_bar()
    task = bar.add_task("training", total=1.0)

    def end(result: dict[str, Any]) -> None:
        numbers = [f"{result[name]:,.0f}" if result[name] is not None else "" for name in ("parameters", "epochs")]
        took = f"{result['seconds']:,.0f}" if result["seconds"] is not None else ""
        worth = f"{100 * result['accuracy']:.2f} %" if result["accuracy"] is not None else ""
        if result["message"]:
            failed.append(f"{result['run']}: {result['message']}")
            worth = "failed"
        table.add_row(*map(escape, (result["run"], *result["settings"].values())), *numbers, took, worth)

    with Live(Group(table, bar), console=Console(), refresh_per_second=2):
        grid.run(
            lambda name: bar.update(task, completed=0, description=name),
            lambda progress: bar.update(task, completed=progress.share),
            end,
        )
        bar.remove_task(task)
    for sentence in failed:
        print(sentence, file=sys.stderr)
    if failed:
        raise typer.Exit(1)


def resolve_config(preset_name: str | None, network: str | None, resume: bool, given: dict[str, Any]) -> TrainConfig:
    """The config that the flags ask for, with what was `given` of its numbers."""
    config = base_config(preset_name, given.get("out"), resume)
    if network is not None:
        config = replace(config, model=preset(network).model)
    config = replace(config, **given)
    if "start" not in given or network is not None or resume:
        return config
    from vitviz.training.finetuning import with_network_of_init

    return with_network_of_init(config)


def base_config(preset_name: str | None, out: str | None, resume: bool) -> TrainConfig:
    """The config before any flag: the preset's, or that of the run to go on with."""
    named = preset(preset_name or "cifar10-ti4")
    if not resume:
        return named
    from vitviz.runs.run_folder import CONFIG, read_config

    folder = Path(out) if out is not None else named.folder
    if not (folder / CONFIG).exists():
        raise ValueError(
            f"There is no run to go on with in {folder}. Name its folder with --out, or leave --resume out to begin."
        )
    stored = replace(from_json(read_config(folder)), output_dir=str(folder))  # it may have been moved
    return stored if preset_name in (None, stored.preset) else named


@contextmanager
def tensorboard(log: str | None, folder: Path) -> "Iterator[Callable[[Progress], None]]":
    """Something to note a training's progress for TensorBoard with; nothing unless it is wanted.

    Raises:
        ValueError: If TensorBoard is not installed.
    """
    if log is None or not leads():
        yield lambda progress: None
        return
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise ValueError("--log tensorboard needs TensorBoard: it is not installed. pip install tensorboard") from None
    with ExitStack() as stack:
        writers: list[SummaryWriter] = []

        def note(progress: "Progress") -> None:
            step = round(1000 * progress.epoch)
            if not writers:  # nothing was refused; steps after the saved state, which are taken again, are hidden
                writers.append(stack.enter_context(SummaryWriter(str(folder / "tensorboard"), purge_step=step)))
            for name, value in vars(progress).items():
                if value is not None and name not in ("share", "seconds"):
                    writers[0].add_scalar(name, value, global_step=step)

        yield note
