"""All of it as commands: `vitviz app`, `train`, `sweep`, `evaluate`, `explain`, `timeline`, `probe`, `data`, `bench`.

Heavy imports stand inside the commands, so that `--help` answers at once. A refusal ends with one sentence and exit
status 1.
"""

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from vitviz.training import process
from vitviz.training.recipe import PRESETS, TrainConfig, TrainingError, changed, from_json, preset

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from torch import Tensor

    from vitviz.training.loop import Progress
    from vitviz.training.sweep import Sweep

app = typer.Typer(
    help="See what a Vision Transformer looks at.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
data_app = typer.Typer(help="Fetch or check a data set.", no_args_is_help=True)
bench_app = typer.Typer(help="Measure speed on this machine.", no_args_is_help=True)
app.add_typer(data_app, name="data")
app.add_typer(bench_app, name="bench")

Data = Annotated[
    str | None, typer.Option("--data", metavar="DIR", help="Folder of CIFAR-10; else VITVIZ_DATA, else data/.")
]
AnyData = Annotated[
    str | None,
    typer.Option("--data", metavar="DIR", help="Folder of the data set; else VITVIZ_DATA, else data/. Or a zip."),
]
DatasetName = Literal["cifar10", "cifar100", "folder"]
DATASET = "Which pictures; folder: your own, in one folder for each class, or a zip of that."
CheckpointName = Annotated[str, typer.Argument(help="A name in checkpoints/, or a .safetensors file.")]


def main() -> None:
    """Run the command line; our own refusals end with their sentence instead of a traceback."""
    plain_warnings()
    try:
        app()
    except (ValueError, TrainingError, OSError) as error:
        process.refused(error)
        print(f"vitviz: {process.in_words(error)}", file=sys.stderr)
        sys.exit(1)
    except Exception as error:
        process.refused(error)
        raise


def plain_warnings() -> None:
    """Print warnings as one sentence, without file and line."""
    warnings.formatwarning = lambda message, *_, **__: f"vitviz: {message}\n"


@app.command("app")
def serve_page(
    host: Annotated[str | None, typer.Option(help="Address to listen on; only this machine if left out.")] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port; the first free one from 7860.")] = None,
    data: Data = None,
    public: Annotated[
        bool,
        typer.Option("--public", help="For strangers: no training, nothing kept over an hour; always so on a Space."),
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Answer under this name as well, of a proxy for example; may be repeated."),
    ] = None,
) -> None:
    """Open the web page."""
    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
    from vitviz.ui.app import build_app, serve

    serve(build_app(data, public), host, port, names=allow_host or ())


@app.command()
def train(
    preset_name: Annotated[
        str | None,
        typer.Option("--preset", help=f"Recipe: {', '.join(PRESETS)}; cifar10-ti4 if left out.", show_default=False),
    ] = None,
    dataset: Annotated[DatasetName | None, typer.Option(help=f"{DATASET} Else cifar10.")] = None,
    data: AnyData = None,
    pictures: Annotated[int | None, typer.Option(help="Use the first N training pictures.")] = None,
    epochs: Annotated[float | None, typer.Option(help="Budget in passes over the pictures; else the preset's.")] = None,
    minutes: Annotated[float | None, typer.Option(help="Budget in minutes; else the preset's.")] = None,
    batch_size: Annotated[
        int | None, typer.Option(help="Pictures in a step, over all processes; else the preset's.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed of weights, order and augmentation; else 0.")] = None,
    device: Annotated[Literal["auto", "cuda", "cpu"] | None, typer.Option(help="Where to train; else auto.")] = None,
    out: Annotated[str | None, typer.Option(metavar="RUN", help="Run folder; runs/PRESET if left out.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the state saved in the run folder.")] = False,
    network: Annotated[str | None, typer.Option("--network", help="Train the network of this other preset.")] = None,
    objective: Annotated[
        Literal["classify", "masked-patch"] | None, typer.Option(help="Learn labels, or to guess hidden patches.")
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="CHECKPOINT", help="Fine-tune: start from these weights, in their network, with a new head."
        ),
    ] = None,
    frozen: Annotated[
        bool | None, typer.Option("--frozen", help="With --start: only the new head learns.", show_default=False)
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change any other number of the recipe, or model.NAME."),
    ] = None,
    log: Annotated[Literal["tensorboard"] | None, typer.Option(help="Log for TensorBoard as well.")] = None,
) -> None:
    """Train a ViT, or go on with a trained one on other pictures; under torchrun, on several processes."""
    flags = {
        "dataset": dataset,
        "data": data,
        "pictures": pictures,
        "batch_size": batch_size,
        "seed": seed,
        "device": device,
        "out": out,
        "objective": objective,
        "start": start,
        "frozen": frozen,
    }
    given: dict[str, Any] = {name: value for name, value in flags.items() if value is not None}
    if epochs is not None or minutes is not None:
        given |= {"epochs": epochs, "minutes": minutes}
    config = first_config(preset_name, out, resume)
    if network is not None:
        config = replace(config, model=preset(network).model)
    config = replace(config, **given)
    if start is not None and network is None and not resume:
        from vitviz.training.start import with_network

        config = with_network(config)
    config = changed(config, settings or [])

    from vitviz.training import loop

    with progress_bar() as bar, tensorboard(log, config.folder) as note:
        task = bar.add_task("training", total=1.0)

        def show(progress: "Progress") -> None:
            found = "" if progress.accuracy is None else f", {100 * progress.accuracy:.1f} % of watched pictures"
            speed = f"{progress.pictures_per_second:.0f} pictures/s"
            words = f"epoch {progress.epoch:.1f}, loss {progress.loss:.3f}, {speed}{found}"
            bar.update(task, completed=progress.share, description=words)
            if found:
                with suppress(OSError):  # the disk of a log may be full; the training waits for room by itself
                    bar.console.print(words)
            note(progress)

        path = loop.train(config, show, resume)
    from vitviz.model.checkpoint import load

    if leads():
        measured = {name: value for name, value in load(path).record.items() if name.endswith("_accuracy")}
        print(f"{path}: {', '.join(f'{name} {100 * value:.2f} %' for name, value in measured.items())}")


@app.command()
def sweep(
    preset_name: Annotated[str, typer.Option("--preset", help="Recipe to vary.")] = "cifar10-ti4",
    vary: Annotated[
        list[str] | None, typer.Option(metavar="NAME=V,V,...", help="What to vary, such as model.depth=2,4,8.")
    ] = None,
    epochs: Annotated[float | None, typer.Option(help="Budget of each run in passes; else the preset's.")] = None,
    minutes: Annotated[float | None, typer.Option(help="Budget of each run in minutes; else the preset's.")] = None,
    out: Annotated[
        str | None, typer.Option(metavar="DIR", help="Folder of the results; runs/sweep-PRESET if left out.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the sweep in this folder.")] = False,
    data: Data = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change any other number for all runs.")
    ] = None,
) -> None:
    """Train one network for each combination of some settings, one after another, and compare them."""
    given: dict[str, Any] = {} if data is None else {"data": data}
    if epochs is not None or minutes is not None:
        given |= {"epochs": epochs, "minutes": minutes}
    config = changed(replace(preset(preset_name), **given), settings or [])
    folder = Path(out or f"runs/sweep-{preset_name}")

    from vitviz.training import sweep as sweeps

    grid = sweeps.read(folder) if resume else sweeps.Sweep(config, tuple(vary or ()), folder)
    if not resume:
        from vitviz.training.runs import check_machine

        check_machine(config)
        grid.write()
    show_sweep(grid)


def show_sweep(grid: "Sweep") -> None:
    """Run a sweep, with its table growing on the terminal."""
    from rich.console import Console, Group
    from rich.live import Live
    from rich.table import Table

    names = list(next(iter(grid.runs().values()))[0])
    short = [name.removeprefix("model.") for name in names]  # eighty columns are not many
    table = Table("run", *short, "parameters", "epochs", "seconds", "accuracy")
    bar = progress_bar()
    task = bar.add_task("training", total=1.0)

    def end(result: dict[str, Any]) -> None:
        numbers = [f"{result[name]:,.0f}" if result[name] is not None else "" for name in ("parameters", "epochs")]
        took = f"{result['seconds']:,.0f}" if result["seconds"] is not None else ""
        worth = f"{100 * result['accuracy']:.2f} %" if result["accuracy"] is not None else result["message"]
        table.add_row(result["run"], *result["settings"].values(), *numbers, took, worth)

    with Live(Group(table, bar), console=Console(), refresh_per_second=2):
        grid.run(
            lambda name: bar.update(task, completed=0, description=name),
            lambda progress: bar.update(task, completed=progress.share),
            end,
        )
        bar.remove_task(task)


def first_config(preset_name: str | None, out: str | None, resume: bool) -> TrainConfig:
    """The config before any flag: the preset's, or that of the run to go on with."""
    if not resume or preset_name is not None:
        return preset(preset_name or "cifar10-ti4")
    folder = Path(out or preset("cifar10-ti4").folder)
    if not (folder / "config.json").exists():
        return preset("cifar10-ti4")
    from vitviz.training.run_folder import read_config

    return from_json(read_config(folder))


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
    with SummaryWriter(str(folder / "tensorboard")) as writer:

        def note(progress: "Progress") -> None:
            for name, value in vars(progress).items():
                if value is not None and name not in ("share", "seconds"):
                    writer.add_scalar(name, value, global_step=round(1000 * progress.epoch))

        yield note


@app.command()
def evaluate(
    checkpoint: CheckpointName,
    dataset: Annotated[
        DatasetName | None, typer.Option(help=f"{DATASET} Else what the checkpoint was trained on.", show_default=False)
    ] = None,
    data: AnyData = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print one line of JSON.")] = False,
) -> None:
    """Measure a checkpoint's accuracy on the test pictures of its data set."""
    import json

    from vitviz.model.checkpoint import load
    from vitviz.training.evaluate import accuracy, pictures_to_test

    model = load(checkpoint)
    images, labels = pictures_to_test(model, dataset, data)
    with progress_bar() as bar:
        task = bar.add_task(f"evaluating {model.name}", total=len(labels))
        measured = accuracy(model, images, labels, report=lambda done: bar.advance(task, done))
    recorded = model.record.get("test_accuracy")
    if json_output:
        print(json.dumps({"checkpoint": model.name, "test_accuracy": measured, "recorded": recorded}))
    else:
        note = f" (recorded: {100 * recorded:.2f} %)" if isinstance(recorded, float) else ""
        print(f"{model.name}: {100 * measured:.2f} % of {len(labels):,} test pictures{note}")


@app.command("explain")
def explain_picture(
    picture: Annotated[str, typer.Argument(help="A picture file, or the name of a sample (cat, ship, ...).")],
    out: Annotated[
        Path, typer.Option(help="File to write: .png .svg .pdf .html for the figure, .npz for the numbers.")
    ],
    checkpoint: Annotated[str, typer.Option(help="A name in checkpoints/, or a .safetensors file.")] = "cifar10-ti4",
    method: Annotated[
        str, typer.Option(help="The map shown large: average, rollout, relevance, occlusion or another of METHODS.")
    ] = "average",
    target: Annotated[
        str | None, typer.Option(metavar="CLASS", help="The class that a class-specific method explains.")
    ] = None,
) -> None:
    """Explain one picture, as a figure or as numbers."""
    from vitviz.data.pictures import sample_paths
    from vitviz.explanation.explain import explain
    from vitviz.model.checkpoint import load

    explanation = explain(load(checkpoint), sample_paths().get(picture, Path(picture)))
    explanation.save(out, method, target)
    best = explanation.probabilities.argmax()
    print(
        f"{out}: {explanation.labels[best]}, {100 * explanation.probabilities[best]:.1f} %; {explanation.picture.note}"
    )


@app.command("timeline")
def show_timeline(
    run: Annotated[
        str, typer.Argument(metavar="CHECKPOINT_OR_RUN", help="A name in checkpoints/, a file, or a run folder.")
    ],
    out: Annotated[Path, typer.Option(help="File to write: .gif, or .mp4 with imageio-ffmpeg.")],
    picture: Annotated[
        str | None, typer.Option(help="Which of the timeline's pictures; the first if left out.", show_default=False)
    ] = None,
) -> None:
    """Make a movie of a training: what every head looks at in one picture, from the first step to the last."""
    from vitviz.figures.movie import movie
    from vitviz.training import timeline

    history = timeline.read(timeline.find(run))
    name = picture or history.names[0]
    movie(history, name, out)
    print(f"{out}: {len(history.epoch)} moments of {name}, to epoch {history.epoch[-1]:.1f}")


@app.command("probe")
def probe_model(
    checkpoint: CheckpointName,
    out: Annotated[
        Path, typer.Option(help="File to write: .png .svg .pdf .html for the figure, .npz for the numbers.")
    ],
    data: Data = None,
    pictures: Annotated[
        int, typer.Option(min=1, help="Over the first N test pictures; over the ten samples without the data set.")
    ] = 500,
) -> None:
    """Look inside a model: filters, positions, and what each layer and head does, as a figure or as numbers."""
    from vitviz.explanation.probes import probe
    from vitviz.model.checkpoint import load

    model = load(checkpoint)
    images, which = pictures_to_probe(model.model.config.image_size, data, pictures)
    note = f"{model.name} over {which}"
    probe(model, images).save(out, note)
    print(f"{out}: {note}")


def pictures_to_probe(size: tuple[int, int], data: str | None, count: int) -> "tuple[Tensor, str]":
    """The first test pictures of CIFAR-10 where it is there and fits, else the samples; and in words which.

    Returns:
        Pictures (B, 3, H, W) of uint8.

    Raises:
        ValueError: If a folder is named, but the data set is not in it or not of the model's size.
    """
    from vitviz.data import cifar, pictures

    if size == (32, 32) and (data is not None or cifar_is_there()):
        images = cifar.load("test", data)[0][:count]
        return images, f"the first {len(images):,} test pictures of CIFAR-10"
    if data is not None:
        raise ValueError(
            f"Pictures of CIFAR-10 have 32 x 32 pixels: this model sees {size[0]} x {size[1]}. Leave out --data to use "
            "the samples."
        )
    images = pictures.samples(size)  # (10, 3, H, W)
    why = "CIFAR-10 is not here" if size == (32, 32) else "CIFAR-10 is of another size"
    return images, f"the {len(images)} samples ({why})"


def cifar_is_there() -> bool:
    """Whether the data set is where it is looked for unasked."""
    from vitviz.data import cifar

    try:
        cifar.find()
    except cifar.DataError:
        return False
    return True


@data_app.command("download")
def data_download(
    dataset: Annotated[Literal["cifar10", "cifar100"], typer.Option(help="Which one.")] = "cifar10", data: Data = None
) -> None:
    """Fetch CIFAR-10 or CIFAR-100 (170 MB each), check it and put it in place."""
    from vitviz.data import cifar, cifar100, sets

    fetch = {"cifar10": cifar.download, "cifar100": cifar100.download}[dataset]
    print(f"{sets.ABOUT[dataset].name} is in {fetch(data)}")


@data_app.command("check")
def data_check(
    dataset: Annotated[DatasetName, typer.Option(help=DATASET)] = "cifar10",
    data: AnyData = None,
    size: Annotated[int, typer.Option(min=1, max=1024, help="Side of the model's pictures in pixels.")] = 32,
) -> None:
    """Say whether a data set is there, and whole; of your own pictures, what is taken and what is not."""
    from vitviz.data import cifar, cifar100, sets

    if dataset == "folder":
        check_folder(data, size)
        return
    module = {"cifar10": cifar, "cifar100": cifar100}[dataset]
    counts = [len(module.load(split, data)[1]) for split in sets.BOTH]
    where = module.find(data)
    print(f"{sets.ABOUT[dataset].name} in {where}: {counts[0]:,} training and {counts[1]:,} test pictures")


def check_folder(data: str | None, size: int) -> None:
    """Print the table of a folder of pictures; a refusal of the whole comes after the table."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from vitviz.data import folder

    table = folder.survey(data, (size, size))
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
            shown.add_row(escape(name.encode(errors="replace").decode()), escape(why))
        out.print(shown)
    folder.check_table(table, str(data))


@bench_app.command("explain")
def bench_explain(
    checkpoint: Annotated[str, typer.Option(help="A name in checkpoints/, or a .safetensors file.")] = "cifar10-ti4",
) -> None:
    """Class-token maps of all layers and heads against a plain forward pass, in one run."""
    from vitviz.bench import forward

    forward.explain(checkpoint)


@bench_app.command("app")
def bench_app_page() -> None:
    """The page in a real browser: picture chosen to painted, redraw on hover, and the start of the server."""
    from vitviz.bench import page

    page.page()


@bench_app.command("train")
def bench_train(
    preset_name: Annotated[str, typer.Option("--preset", help="Whose network, recipe and batch.")] = "cifar10-ti4",
    data: Data = None,
    batch_size: Annotated[int | None, typer.Option(help="Pictures in a step; else the preset's.")] = None,
    device: Annotated[Literal["auto", "cuda", "cpu"], typer.Option(help="Where to train.")] = "auto",
    steps: Annotated[int, typer.Option(min=1, max=90, help="Of each loop in each of three rounds.")] = 8,
) -> None:
    """The training engine against a plain loop of DataLoader and PIL, in one run."""
    from vitviz.bench import training

    config = preset(preset_name)
    config = replace(config, data=data, device=device, batch_size=batch_size or config.batch_size)
    training.train(config, steps)


@bench_app.command("load")
def bench_load(
    users: Annotated[int, typer.Option(min=1, max=1000, help="Visitors at once.")] = 50,
    seconds: Annotated[float, typer.Option(min=1, help="How long they stay.")] = 60,
    burst: Annotated[int, typer.Option(min=1, max=1000, help="Explanations asked for in the same moment.")] = 200,
    slow: Annotated[int, typer.Option(min=0, max=1000, help="Others that send at a byte a second.")] = 0,
) -> None:
    """Many visitors of a page on this machine: how long they wait, what is refused, and whether memory stays."""
    from vitviz.bench import load

    load.load(users, seconds, burst, slow)


@bench_app.command("watch")
def bench_watch(data: Data = None) -> None:
    """A training watched in the page: start to first point, what watching costs, and the page's speed meanwhile."""
    from vitviz.bench import watch

    watch.watch(data)


@bench_app.command("faithfulness")
def bench_faithfulness(
    checkpoint: Annotated[str, typer.Option(help="A name in checkpoints/, or a .safetensors file.")] = "cifar10-ti4",
    data: Data = None,
    pictures: Annotated[int, typer.Option(min=1, max=10_000, help="Of the test set, drawn at random.")] = 500,
) -> None:
    """What every method's maps are worth over many pictures, beside chance."""
    from vitviz.bench import faithfulness

    faithfulness.run(checkpoint, data, pictures)


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
