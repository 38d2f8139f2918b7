"""Command line: `vitviz app`, `train`, `sweep`, `evaluate`, `explain`, `predict`, `timeline`, `probe`, `data`, ...

Heavy modules are imported inside the commands, so that `--help` starts quickly. An error ends with one sentence on
standard error and exit status 1.
"""

import gc
import io
import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import Field

from vitviz import __version__
from vitviz.cli.catalog import list_names
from vitviz.cli.data import data_app
from vitviz.cli.images import explain, predict, verify
from vitviz.cli.models import convert, export, push, site
from vitviz.cli.options import (
    CHECKPOINT_HELP,
    AnyData,
    CheckpointName,
    Data,
    ImgSize,
    Port,
    checked_by,
    load_at,
    progress_bar,
    table_console,
)
from vitviz.cli.training import sweep, train
from vitviz.environment import OPENMP
from vitviz.errors import TrainingStopped, VitvizError, reports_no_memory
from vitviz.runs import process
from vitviz.training.config import DatasetName, InferenceDevice

if TYPE_CHECKING:
    from torch import Tensor

    from vitviz.models.checkpoint import Checkpoint


ImageCount = Annotated[int, Field(ge=10)]
INTERRUPTED = 130  # 128 + SIGINT, as in a shell
app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(wanted: bool) -> None:
    """Print the version and exit."""
    if wanted:
        print(f"vitviz {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=show_version, is_eager=True)
    ] = False,
) -> None:
    """See what a Vision Transformer attends to."""


def main() -> None:
    """Run the command line; expected errors are printed as one sentence instead of a traceback."""
    configure_process()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # As Python does on stderr: file names may contain characters that the terminal's encoding lacks.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception as error:
        process.record_failure(error)
        if not isinstance(error, VitvizError | ValueError | OSError) and not reports_no_memory(error):
            raise
        known = error.with_options(command_options()) if isinstance(error, VitvizError) else None
        print(f"vitviz: {known or process.format_error(error)}", file=sys.stderr)
        sys.exit(INTERRUPTED if isinstance(error, TrainingStopped) else 1)


def command_options() -> dict[str, str]:
    """Return the options of the command that is run by their names in Python."""
    commands: dict[str, Any] = vars(typer.main.get_command(app))["commands"]
    found = [commands[name].params for name in sys.argv[1:2] if name in commands]
    flags = [one.opts[0] for params in found for one in params if one.param_type_name == "option"]
    return {flag.removeprefix("--").replace("-", "_"): flag for flag in flags}


def configure_server_libraries() -> None:
    """Set the environment variables that Gradio reads when it is imported by a server; configure malloc.

    Raises:
        ConfigError: If the port in the environment is invalid: importing Gradio would fail without naming it.
    """
    from vitviz.malloc import limit_fragmentation
    from vitviz.webapp.server.address import port_of_environment

    port_of_environment()
    if os.environ.pop("GRADIO_WATCH_DIRS", None):  # set by `gradio app.py`
        warnings.warn(
            "vitviz cannot reload itself, as models, uploads and trainings belong to its process. Start it again after "
            "a change; a change of frontend/ needs only a build and a reload of the page.",
            stacklevel=2,
        )
    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
    limit_fragmentation()


@contextmanager
def pause_gc() -> Iterator[None]:
    """Pause garbage collection while libraries are imported: it finds little then, and takes a sixth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def configure_process() -> None:
    """Print warnings and the log as one sentence, without file and line; use no graphical backend of a notebook.

    Torch reads the settings of OpenMP when it is imported; a user's own are kept.
    """
    for name, value in OPENMP.items():
        os.environ.setdefault(name, value)
    os.environ["MPLBACKEND"] = "agg"
    warnings.formatwarning = lambda message, *_, **__: f"vitviz: {message}\n"
    logging.basicConfig(format="vitviz: %(message)s")
    logging.getLogger("vitviz").setLevel(logging.INFO)


@app.command("app")
def serve_page(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; default: GRADIO_SERVER_NAME, else this machine only.")
    ] = None,
    port: Port = None,
    root_path: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Path under which a proxy serves the page; default: GRADIO_ROOT_PATH."),
    ] = None,
    data: Data = None,
    public: Annotated[
        bool,
        typer.Option(
            "--public", help="Disable training and downloads, hide server paths; always on in a Hugging Face Space."
        ),
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Accept requests for this host name, such as a proxy's; may be repeated."),
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(metavar="CHECKPOINT", help=f"Model that the page opens with. {CHECKPOINT_HELP}"),
    ] = None,
    device: Annotated[
        InferenceDevice, typer.Option(help="Device that explains images; small models are as fast on the CPU.")
    ] = "cpu",
    mcp: Annotated[
        bool, typer.Option("--mcp", help="Also serve the three endpoints as MCP tools, at /gradio_api/mcp/.")
    ] = False,
) -> None:
    """Start the web page."""
    configure_server_libraries()
    with pause_gc():
        from vitviz.webapp.app import build_app, serve

        page = build_app(data, public, checkpoint, mcp, device)
    serve(page, host, port, names=allow_host or (), root_path=root_path)


app.command("explain")(explain)
app.command("predict")(predict)
app.command("verify")(verify)
app.command("train")(train)
app.command("sweep")(sweep)
app.command("convert")(convert)
app.command("export")(export)
app.command("push")(push)
app.command("site")(site)
app.command("list")(list_names)


@app.command("evaluate")
def evaluate(
    checkpoint: CheckpointName,
    dataset: Annotated[
        str | None,
        typer.Option(help="Dataset; default: that of the training.", show_default=False, **checked_by(DatasetName)),
    ] = None,
    data: AnyData = None,
    img_size: ImgSize = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print one line of JSON.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Confusion matrix and calibration as a figure (.png .svg .pdf), all numbers (.json) or a table of "
            "classes (.csv).",
        ),
    ] = None,
) -> None:
    """Measure the test accuracy of a checkpoint, in all and of each class, and its calibration."""
    import json

    from rich.markup import escape
    from rich.table import Table

    from vitviz import evaluation
    from vitviz.attribution.file_formats import check_ending
    from vitviz.models.accuracy import accuracy_number, accuracy_text
    from vitviz.training.distributed import Distributed
    from vitviz.training.evaluation import load_test_set

    if output is not None:
        check_ending(output, evaluation.ENDINGS)
    model = load_at(checkpoint, img_size)
    images, labels, recorded = load_test_set(model, dataset, data)
    with Distributed() as distributed, progress_bar() as bar:
        task = bar.add_task(f"evaluating {model.name}", total=len(distributed.shard(labels)))
        advance = lambda count: bar.advance(task, count)  # noqa: E731
        found = evaluation.evaluate(model, images, labels, advance, distributed.map)
    if not distributed.is_main_process:
        return
    if output is not None:
        found.save(output)
    if json_output:
        print(json.dumps(found.to_json() | {"recorded": recorded}))
        return
    count = len(labels)
    note = f"; recorded: {accuracy_number(recorded, count)}" if isinstance(recorded, float) else ""
    print(f"{model.name}: {accuracy_text(found, count)}{note}")
    table = Table("class", "correct", "images")
    for label, row, correct in zip(
        model.labels, found.confusion_matrix, found.confusion_matrix.diagonal(), strict=True
    ):
        table.add_row(escape(label), f"{correct:,}", f"{row.sum():,}")
    table_console().print(table)
    print(f"expected calibration error: {100 * found.calibration_error:.1f} %")


@app.command("timeline")
def show_timeline(
    run: Annotated[
        str, typer.Argument(metavar="CHECKPOINT_OR_RUN", help="Name in checkpoints/, .safetensors file, or run folder.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Output: .gif.")],
    image: Annotated[
        str | None, typer.Option(metavar="NAME", help="Image of the timeline; default: the first.", show_default=False)
    ] = None,
) -> None:
    """Make an animated GIF of how the attention of all heads develops during a training."""
    from vitviz.plots.animation import save_animation
    from vitviz.training import timeline

    recorded = timeline.read(timeline.find(run))
    name = recorded.names[0] if image is None else image
    save_animation(recorded, name, output)
    print(f"{output}: {len(recorded.epoch)} snapshots of {name}, to epoch {recorded.epoch[-1]:.1f}")


@app.command("probe")
def probe_model(
    checkpoint: CheckpointName,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Figure (.png .svg .pdf) or numbers (.npz).")
    ],
    data: Data = None,
    num_images: Annotated[
        int,
        typer.Option(
            help="Use the first N test images of CIFAR-10; without the dataset, the sample images.",
            **checked_by(Annotated[int, Field(ge=1)]),
        ),
    ] = 500,
) -> None:
    """Probe the internals of a model: filters, positions, and every layer and head, as a figure or as numbers.

    What needs at least 128 images is stored beside a checkpoint that was trained here; Internals then shows it.
    """
    from vitviz.attribution.probes import probe
    from vitviz.models.hub import load

    model = load(checkpoint)
    images, described = load_probe_images(model, data, num_images)
    note = f"{model.name} over {described}"
    probe(model, images, store=True).save(output, note)
    print(f"{output}: {note}")


def load_probe_images(model: "Checkpoint", data: str | None, count: int) -> "tuple[Tensor, str]":
    """Load the first test images of CIFAR-10 if it is available and has the size of the model, else the samples.

    Returns:
        Images (B, 3, H, W) of uint8, and their description.

    Raises:
        ValueError: If `data` is given, but does not contain the dataset or is not of the model's size.
    """
    from vitviz.data import cifar, datasets, preprocessing

    img_size = model.config.img_size
    if img_size == (32, 32) and (data is not None or datasets.is_available("cifar10")):
        images = preprocessing.resize_images(cifar.load("test", data)[0][:count], img_size, model.resize)
        return images, f"the first {len(images):,} test images of CIFAR-10"
    if data is not None:
        raise ValueError(
            f"Images of CIFAR-10 have 32 x 32 pixels: the input of this model has {img_size[0]} x {img_size[1]}. Leave "
            "out --data to use the samples."
        )
    images = preprocessing.load_samples(img_size, model.resize)  # (10, 3, H, W)
    reason = "CIFAR-10 is not available" if img_size == (32, 32) else "CIFAR-10 has another size"
    return images, f"the {len(images)} samples ({reason})"


@app.command("lens")
def fit_lens(
    checkpoint: CheckpointName,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Default: NAME.lens.npz next to the model's file, or in the cache folder.",
        ),
    ] = None,
    dataset: Annotated[
        str, typer.Option(help="Dataset whose training images are used.", **checked_by(DatasetName))
    ] = "cifar10",
    data: AnyData = None,
    num_images: Annotated[
        int, typer.Option(help="Number of training images, of which a fifth is held out.", **checked_by(ImageCount))
    ] = 2500,
) -> None:
    """Fit a tuned lens: what does each patch already know of the prediction after each layer?"""
    from rich.table import Table

    from vitviz.attribution import stored, tuned_lens
    from vitviz.data import datasets
    from vitviz.models.hub import load

    model = load(checkpoint)
    tuned_lens.check(model)
    path = output or stored.places(model, tuned_lens.ENDING)[0]
    if dataset in datasets.DATASET_INFO:  # the fit resizes its images, those that it needs
        loaded = datasets.load(dataset, data, (32, 32), ("train",))
    else:
        loaded = datasets.load(dataset, data, model.config.img_size, ("train",), resize=model.resize)
    with progress_bar() as bar:
        task = bar.add_task(f"fitting {model.name}", total=None)
        update = lambda done, total: bar.update(task, completed=done, total=total)  # noqa: E731
        images = tuned_lens.choose_images(loaded.splits["train"][0], num_images)
        found = tuned_lens.fit(model, images, loaded.info.name, update)
    found.save(path)
    table = Table("after layer", "accuracy", "localization", "of the plain lens")
    columns = (found.accuracy, found.localization, found.plain_localization)
    for layer, values in enumerate(zip(*columns, strict=True)):
        table.add_row(str(layer or "input"), *(f"{value:.2f}" for value in values))
    print(f"{path}: fit on {found.images:,} images of {found.dataset}, measured on {found.held_out:,} others")
    table_console().print(table)


app.add_typer(data_app, name="data")
