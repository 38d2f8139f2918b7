"""`python -m benchmarks NAME`: measure speed and quality on this machine."""

from dataclasses import replace
from typing import Annotated

import typer

from vitviz.cli.options import Data
from vitviz.training.config import Device
from vitviz.training.presets import preset

bench_app = typer.Typer(help="Measure speed on this machine.", no_args_is_help=True)


@bench_app.command("explain")
def bench_explain(
    checkpoint: Annotated[str, typer.Option(help="A name in checkpoints/, or a .safetensors file.")] = "cifar10-ti4",
) -> None:
    """Class-token maps of all layers and heads against a plain forward pass, in one run."""
    from benchmarks import forward

    forward.explain(checkpoint)


@bench_app.command("app")
def bench_app_page() -> None:
    """The page in a real browser: image chosen to painted, redraw on hover, and the start of the server."""
    from benchmarks import page

    page.page()


@bench_app.command("train")
def bench_train(
    preset_name: Annotated[str, typer.Option("--preset", help="Whose network, recipe and batch.")] = "cifar10-ti4",
    data: Data = None,
    batch_size: Annotated[int | None, typer.Option(help="Images in a step; else the preset's.")] = None,
    device: Annotated[Device, typer.Option(help="Where to train.")] = "auto",
    steps: Annotated[int, typer.Option(min=1, max=90, help="Of each loop in each of three rounds.")] = 8,
) -> None:
    """The training engine against a plain loop of DataLoader and PIL, in one run."""
    from benchmarks import training

    config = preset(preset_name)
    size = config.batch_size if batch_size is None else batch_size
    config = replace(config, data=data, device=device, batch_size=size)
    training.train(config, steps)


@bench_app.command("resume")
def bench_resume(
    preset_name: Annotated[str, typer.Option("--preset", help="Whose network, recipe and batch.")] = "cifar10-ti4",
    data: Data = None,
    epochs: Annotated[int, typer.Option(min=2, max=1000, help="Of each of the three trainings.")] = 6,
    images: Annotated[int, typer.Option(min=2, help="The first so many of the training set.")] = 5000,
    device: Annotated[Device, typer.Option(help="Where to train.")] = "auto",
) -> None:
    """How exactly a training goes on that was lost: its weights beside those of one that was not."""
    from benchmarks.resume import resume

    resume(
        replace(preset(preset_name), minutes=None, epochs=epochs, max_train_samples=images, data=data, device=device)
    )


@bench_app.command("load")
def bench_load(
    users: Annotated[int, typer.Option(min=1, max=1000, help="Visitors at once.")] = 50,
    seconds: Annotated[float, typer.Option(min=1, help="How long they stay.")] = 60,
    burst: Annotated[int, typer.Option(min=1, max=1000, help="Explanations asked for in the same moment.")] = 200,
    slow: Annotated[int, typer.Option(min=0, max=1000, help="Others that send at a byte a second.")] = 0,
) -> None:
    """Many visitors of a page on this machine: how long they wait, what is refused, and whether memory stays."""
    from benchmarks import load

    load.load(users, seconds, burst, slow)


@bench_app.command("watch")
def bench_watch(data: Data = None) -> None:
    """A training watched in the page: start to first point, what watching costs, and the page's speed meanwhile."""
    from benchmarks import watch

    watch.watch(data)


@bench_app.command("faithfulness")
def bench_faithfulness(
    checkpoint: Annotated[str, typer.Option(help="A name in checkpoints/, or a .safetensors file.")] = "cifar10-ti4",
    data: Data = None,
    images: Annotated[int, typer.Option(min=1, max=10_000, help="Of the test set, drawn at random.")] = 500,
) -> None:
    """What every method's maps are worth over many images, beside chance; Ctrl-C prints what is known so far."""
    from benchmarks import faithfulness

    faithfulness.run(checkpoint, data, images)


if __name__ == "__main__":
    bench_app()
