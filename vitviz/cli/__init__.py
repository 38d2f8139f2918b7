"""All of it as commands: `vitviz app`, `train`, `sweep`, `evaluate`, `explain`, `timeline`, `probe`, `data`.

Heavy imports stand inside the commands, so that `--help` answers at once. A refusal ends with one sentence and exit
status 1.
"""

import io
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vitviz.cli.data import data_app
from vitviz.cli.options import DATASET, AnyData, CheckpointName, Data, progress_bar
from vitviz.cli.training import sweep, train
from vitviz.runs import process
from vitviz.training.config import DatasetName, TrainingError

if TYPE_CHECKING:
    from torch import Tensor

app = typer.Typer(
    help="See what a Vision Transformer looks at.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run the command line; our own refusals end with their sentence instead of a traceback."""
    plain_warnings()
    printable_output()
    try:
        app()
    except (ValueError, TrainingError, OSError) as error:
        process.refused(error)
        print(f"vitviz: {process.format_error(error)}", file=sys.stderr)
        sys.exit(1)
    except Exception as error:
        process.refused(error)
        raise


def quiet_libraries() -> None:
    """Set, for a server, what Gradio and torch read when they are imported.

    Threads that spin while they wait for one another cost a fiftyfold on busy processors: two images a second were
    measured for the estimate of a training, instead of a hundred.
    """
    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def plain_warnings() -> None:
    """Print warnings as one sentence, without file and line."""
    warnings.formatwarning = lambda message, *_, **__: f"vitviz: {message}\n"


def printable_output() -> None:
    """Escape what the terminal's encoding lacks, in a file's name for example; Python does so itself on stderr only."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


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
    quiet_libraries()
    from vitviz.webapp.app import build_app, serve

    serve(build_app(data, public), host, port, names=allow_host or ())


def evaluate(
    checkpoint: CheckpointName,
    dataset: Annotated[
        DatasetName | None, typer.Option(help=f"{DATASET} Else what the checkpoint was trained on.", show_default=False)
    ] = None,
    data: AnyData = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print one line of JSON.")] = False,
) -> None:
    """Measure a checkpoint's accuracy on the test images of its data set."""
    import json

    from vitviz.models.checkpoint import load
    from vitviz.training.evaluation import accuracy, images_to_test

    model = load(checkpoint)
    images, labels, recorded = images_to_test(model, dataset, data)
    with progress_bar() as bar:
        task = bar.add_task(f"evaluating {model.name}", total=len(labels))
        measured = accuracy(model, images, labels, report=lambda done: bar.advance(task, done))
    if json_output:
        print(json.dumps({"checkpoint": model.name, "test_accuracy": measured, "recorded": recorded}))
    else:
        note = f" (recorded: {100 * recorded:.2f} %)" if isinstance(recorded, float) else ""
        print(f"{model.name}: {100 * measured:.2f} % of {len(labels):,} test images{note}")


def explain_image(
    image: Annotated[str, typer.Argument(help="An image file, or the name of a sample (cat, ship, ...).")],
    out: Annotated[
        Path, typer.Option(help="File to write: .png .svg .pdf .html for the figure, .npz for the numbers.")
    ],
    checkpoint: Annotated[str, typer.Option(help="A name in checkpoints/, or a .safetensors file.")] = "cifar10-ti4",
    method: Annotated[
        str,
        typer.Option(
            help="The map shown large: attention (of the last layer), average, rollout, relevance, occlusion ...; a "
            "wrong name lists all."
        ),
    ] = "average",
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CLASS",
            help="The class that a class-specific method explains, by name or position; twice for the first rather "
            "than the second.",
        ),
    ] = None,
) -> None:
    """Explain one image, as a figure or as numbers."""
    from vitviz.attribution.explanation import explain
    from vitviz.data.preprocessing import sample_paths
    from vitviz.models.checkpoint import load

    model = load(checkpoint)
    classes = [int(word) if word.isdecimal() and word not in model.labels else word for word in target or ()]
    explanation = explain(model, sample_paths().get(image, Path(image)))
    explanation.save(out, method, classes[0] if len(classes) == 1 else tuple(classes) or None)
    best = explanation.probabilities.argmax()
    said = f"{explanation.labels[best]}, {100 * explanation.probabilities[best]:.1f} %"
    if not model.is_classifier:
        said = "no class, as it learned without labels"
    print(f"{out}: {said}; {explanation.image.note}")


def show_timeline(
    run: Annotated[
        str, typer.Argument(metavar="CHECKPOINT_OR_RUN", help="A name in checkpoints/, a file, or a run folder.")
    ],
    out: Annotated[Path, typer.Option(help="File to write: .gif, or .mp4 with imageio-ffmpeg.")],
    image: Annotated[
        str | None, typer.Option(help="Which of the timeline's images; the first if left out.", show_default=False)
    ] = None,
) -> None:
    """Make a movie of a training: what every head looks at in one image, from the first step to the last."""
    from vitviz.plots.animation import movie
    from vitviz.runs import timeline

    history = timeline.read(timeline.find(run))
    name = image or history.names[0]
    movie(history, name, out)
    print(f"{out}: {len(history.epoch)} moments of {name}, to epoch {history.epoch[-1]:.1f}")


def probe_model(
    checkpoint: CheckpointName,
    out: Annotated[
        Path, typer.Option(help="File to write: .png .svg .pdf .html for the figure, .npz for the numbers.")
    ],
    data: Data = None,
    num_images: Annotated[
        int, typer.Option(min=1, help="Over the first N test num_images; over the ten samples without the data set.")
    ] = 500,
) -> None:
    """Look inside a model: filters, positions, and what each layer and head does, as a figure or as numbers."""
    from vitviz.attribution.probes import probe
    from vitviz.models.checkpoint import load

    model = load(checkpoint)
    images, which = images_to_probe(model.network.config.img_size, data, num_images)
    note = f"{model.name} over {which}"
    probe(model, images).save(out, note)
    print(f"{out}: {note}")


def images_to_probe(size: tuple[int, int], data: str | None, count: int) -> "tuple[Tensor, str]":
    """The first test images of CIFAR-10 where it is there and fits, else the samples; and in words which.

    Returns:
        Images (B, 3, H, W) of uint8.

    Raises:
        ValueError: If a folder is named, but the data set is not in it or not of the model's size.
    """
    from vitviz.data import cifar, datasets, preprocessing

    if size == (32, 32) and (data is not None or datasets.is_available("cifar10")):
        images = cifar.load("test", data)[0][:count]
        return images, f"the first {len(images):,} test images of CIFAR-10"
    if data is not None:
        raise ValueError(
            f"Images of CIFAR-10 have 32 x 32 pixels: this model sees {size[0]} x {size[1]}. Leave out --data to use "
            "the samples."
        )
    images = preprocessing.samples(size)  # (10, 3, H, W)
    why = "CIFAR-10 is not here" if size == (32, 32) else "CIFAR-10 is of another size"
    return images, f"the {len(images)} samples ({why})"


COMMANDS: dict[str, Callable[..., None]] = {
    "app": serve_page,
    "train": train,
    "sweep": sweep,
    "evaluate": evaluate,
    "explain": explain_image,
    "timeline": show_timeline,
    "probe": probe_model,
}
for name, command in COMMANDS.items():
    app.command(name)(command)
app.add_typer(data_app, name="data")
