"""`python -m benchmarks NAME`: measure speed and quality on this machine."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from vitviz.cli.options import DATA_HELP, CheckpointOption, Data
from vitviz.training.config import Device, Precision
from vitviz.training.presets import get_preset

app = typer.Typer(help="Measure speed and quality on this machine.", no_args_is_help=True)
PresetName = Annotated[str, typer.Option("--preset", metavar="NAME", help="Preset of the network and the training.")]
TrainDevice = Annotated[Device, typer.Option(help="Device; auto uses a GPU if there is one.")]


@app.command("explain")
def bench_explain(checkpoint: CheckpointOption = "cifar10-ti4") -> None:
    """Cost of attention and of each attribution method relative to a plain forward pass."""
    from benchmarks import forward

    forward.explain(checkpoint)


@app.command("app")
def bench_app() -> None:
    """Latency of the page in a browser: server start, choosing an image, hovering over a patch."""
    from benchmarks import page

    page.page()


@app.command("large")
def bench_large(
    models: Annotated[list[Path] | None, typer.Argument(help="Files or folders of models.", show_default=False)] = None,
    images: Annotated[int, typer.Option(min=2, max=1000, help="Number of images that are chosen.")] = 12,
) -> None:
    """Large models in the page: painting, hover, memory; by default a ViT-B/16 and a ViT-L/16 with random weights."""
    from benchmarks import large

    large.large(models or (), images)


@app.command("heads")
def bench_heads(
    checkpoint: CheckpointOption = "cifar10-ti4",
    data: Data = None,
    images: Annotated[int, typer.Option(min=2, max=10_000, help="Number of test images.")] = 1000,
) -> None:
    """Causal checks of what heads look for: queries and scores are replaced by parts of them."""
    from benchmarks import heads

    heads.heads(checkpoint, data, images)


@app.command("capture")
def bench_capture(rounds: Annotated[int, typer.Option(min=1, max=100, help="Passes of each kind.")] = 12) -> None:
    """Time and memory of capturing the attention of modules, relative to a plain forward pass."""
    from benchmarks import capture

    capture.measure(rounds)


@app.command("train")
def bench_train(
    preset_name: PresetName = "cifar10-ti4",
    data: Data = None,
    batch_size: Annotated[int | None, typer.Option(help="Batch size; default: that of the preset.")] = None,
    device: TrainDevice = "auto",
    precision: Annotated[Precision, typer.Option(help="Precision of the trainer.")] = "auto",
    steps: Annotated[int, typer.Option(min=1, max=90, help="Steps of each loop in each of three rounds.")] = 8,
) -> None:
    """Training throughput relative to a plain loop with DataLoader and PIL."""
    from benchmarks import training

    config = get_preset(preset_name)
    batch_size = config.batch_size if batch_size is None else batch_size
    config = replace(config, data=data, device=device, batch_size=batch_size, precision=precision)
    training.train(config, steps)


@app.command("data")
def bench_data(
    images: Annotated[int, typer.Option(min=1000, help="Images of 224 px in the file.")] = 40_000,
    gigabytes: Annotated[float, typer.Option(min=1, help="Memory of the limited process (GB).")] = 2.0,
    steps: Annotated[int, typer.Option(min=1, help="Timed steps of 64 images.")] = 100,
) -> None:
    """Training on images larger than memory against the same in memory; Linux, as root."""
    from benchmarks import data

    data.data(images, int(gigabytes * 1e9), steps)


@app.command("predict")
def bench_predict(
    images: Annotated[int, typer.Option(min=2, help="Photographs in the folder.")] = 4000,
) -> None:
    """`vitviz predict FOLDER` by two processes against one."""
    from benchmarks import predict

    predict.predict(images)


@app.command("estimate")
def bench_estimate(
    data: Data = None,
    minutes: Annotated[float, typer.Option(min=0.1, help="Duration of each training (min).")] = 1,
) -> None:
    """The page's estimate of trainings against what they reach."""
    from benchmarks import estimate

    estimate.estimate(data, minutes)


@app.command("resume")
def bench_resume(
    preset_name: PresetName = "cifar10-ti4",
    data: Data = None,
    epochs: Annotated[int, typer.Option(min=2, max=1000, help="Epochs of each of the three runs.")] = 6,
    max_train_samples: Annotated[int, typer.Option(min=2, help="Use the first N training images.")] = 5000,
    device: TrainDevice = "auto",
) -> None:
    """Difference between the weights of a crashed and resumed run and those of an uninterrupted one."""
    from benchmarks.resume import resume

    config = replace(get_preset(preset_name), minutes=None, epochs=epochs, max_train_samples=max_train_samples)
    resume(replace(config, data=data, device=device))


@app.command("load")
def bench_load(
    users: Annotated[int, typer.Option(min=1, max=1000, help="Concurrent users.")] = 50,
    seconds: Annotated[float, typer.Option(min=1, help="Duration of their visits (s).")] = 60,
    burst: Annotated[int, typer.Option(min=1, max=1000, help="Concurrent explanations at the end.")] = 200,
    slow: Annotated[int, typer.Option(min=0, max=1000, help="Clients that upload at one byte per second.")] = 0,
    mixed: Annotated[bool, typer.Option("--mixed", help="All views, and a training that users watch.")] = False,
) -> None:
    """Load test of the page: latency percentiles, busy responses, errors and memory growth."""
    from benchmarks import load

    load.load(users, seconds, burst, slow, mixed)


@app.command("engine")
def bench_engine(
    checkpoint: CheckpointOption = "cifar10-ti4",
    rounds: Annotated[int, typer.Option(min=1, max=1000, help="Timed forward passes.")] = 100,
) -> None:
    """The model in the browser against PyTorch on one thread, and its memory; needs `npm ci` in frontend."""
    from benchmarks import engine

    engine.engine(checkpoint, rounds)


@app.command("lesson")
def bench_lesson(
    checkpoint: CheckpointOption = "cifar10-ti4",
    rounds: Annotated[int, typer.Option(min=1, max=100, help="Rounds over the ten samples.")] = 3,
) -> None:
    """Latency of the server's responses to each step of the Learn page."""
    from benchmarks import lesson

    lesson.lesson(checkpoint, rounds)


@app.command("compare")
def bench_compare(
    checkpoint: CheckpointOption = "cifar10-ti4",
    rounds: Annotated[int, typer.Option(min=1, max=100, help="Rounds over the sample images.")] = 5,
) -> None:
    """Latency of the server's responses to each choice on the Compare page."""
    from benchmarks import compare

    compare.compare(checkpoint, rounds)


@app.command("weights")
def bench_weights() -> None:
    """Opening the weights of a ViT-B/16 against reading the file, in the layouts of timm and transformers."""
    from benchmarks import weights

    weights.measure()


@app.command("browser")
def bench_browser(
    checkpoint: CheckpointOption = "cifar10-ti4",
    data: Data = None,
    images: Annotated[int, typer.Option(min=1, max=10_000, help="Number of test images of CIFAR-10.")] = 1000,
) -> None:
    """The model in the browser: removed patch to painted, and predictions with rounded weights."""
    from benchmarks import browser

    browser.browser(checkpoint, data, images)


@app.command("watch")
def bench_watch(data: Data = None) -> None:
    """Latency and cost of watching a training in the page."""
    from benchmarks import watch

    watch.watch(data)


@app.command("callback")
def bench_callback(
    steps: Annotated[int, typer.Option(min=1, help="Steps of a timed epoch.")] = 30,
    rounds: Annotated[int, typer.Option(min=1, help="Timed epochs of each kind.")] = 5,
) -> None:
    """Cost of vitviz.watch for a training loop of timm."""
    from benchmarks import callback

    callback.callback(steps, rounds)


@app.command("linear-probe")
def bench_linear_probe(
    checkpoint: CheckpointOption = "cifar10-ti4",
    img_size: Annotated[int | None, typer.Option(help="Input size (px); default: that of the model.")] = None,
    data: Data = None,
    features: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Features of CIFAR-10, .npz; written if it does not exist.")
    ] = None,
) -> None:
    """Speed of a linear probe, and its accuracy with 1 to 50 images a class against scikit-learn's best C."""
    from benchmarks import linear_probe

    linear_probe.speed(checkpoint, img_size)
    linear_probe.accuracy(checkpoint, img_size, data, features)


@app.command("faithfulness")
def bench_faithfulness(
    checkpoint: CheckpointOption = "cifar10-ti4",
    data: Annotated[
        str | None,
        typer.Option(metavar="PATH", help=f"{DATA_HELP} Or a folder or zip of images, at any depth."),
    ] = None,
    num_images: Annotated[int, typer.Option("--num-images", "--images", min=1, help="Number of random images.")] = 500,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Results, a line of JSON per image; an interrupted run continues from it."),
    ] = None,
) -> None:
    """Faithfulness of all attribution methods against the random baseline; Ctrl-C prints the results so far."""
    from benchmarks import faithfulness

    faithfulness.run(checkpoint, data, num_images, output=output)


if __name__ == "__main__":
    app()
