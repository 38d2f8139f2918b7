"""`vitviz train` and `vitviz sweep`."""

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vitviz.cli.options import config_values, is_main_process, progress_bar, table_console, with_config_options
from vitviz.errors import ConfigError
from vitviz.training.config import TrainConfig, from_json, parse_overrides, replace_fields, replace_model_fields
from vitviz.training.presets import PRESETS, get_preset

if TYPE_CHECKING:
    from vitviz.runs.status import RunResult
    from vitviz.runs.sweep import Report, Sweep
    from vitviz.training.loop import Progress

DEFAULT_PRESET = "cifar10-ti4"
Preset = Annotated[
    str | None,
    typer.Option("--preset", metavar="NAME", help=f"{', '.join(PRESETS)}. Default: {DEFAULT_PRESET}."),
]
Network = Annotated[
    str | None, typer.Option("--network", metavar="PRESET", help="Use the architecture of another preset.")
]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set a field of the model, such as model.depth=4, or any other field; may be repeated.",
    ),
]
LINEAR_PROBE = ("init_from", "data", "output_dir", "device")  # its options
LogsToTensorBoard = Annotated[
    bool, typer.Option("--tensorboard", help="Also write metrics and attention maps for TensorBoard to the run folder.")
]


@with_config_options
def train(
    preset_name: Preset = None,
    network: Network = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Resume the run in the run folder, with its own preset and options.")
    ] = False,
    restart: Annotated[
        bool, typer.Option("--restart", help="Train the run in the run folder again from the start, with its own, too.")
    ] = False,
    overrides: Overrides = None,
    tensorboard: LogsToTensorBoard = False,
    linear_probe: Annotated[
        bool,
        typer.Option(
            "--linear-probe",
            help="Fit a linear head for the classes of the image folder --data on the features of --init-from, in "
            "seconds; of the other options only --output-dir and --device.",
        ),
    ] = False,
    **options: Any,
) -> None:
    """Train a ViT.

    Options override the preset; the defaults shown are those of cifar10-ti4.

    Ctrl-C saves the state for --resume.

    On several GPUs: torchrun --nproc-per-node=N -m -- vitviz train ...
    """
    if linear_probe:
        switches = {"resume": resume or None, "restart": restart or None, "tensorboard": tensorboard or None}
        fit_linear_probe({"preset": preset_name, "network": network, "set": overrides} | switches | options)
        return
    if resume and restart:
        raise ConfigError("restart", "cannot be combined with --resume", "Choose one of them.")
    stored = resume or restart
    values, model_values = parse_overrides(overrides or [])
    config = resolve_config(preset_name, network, stored, config_values(options) | values, model_values)

    from vitviz.models.accuracy import accuracy_number
    from vitviz.models.checkpoint import eval_samples, load
    from vitviz.runs import training_run
    from vitviz.runs.store import warn_if_unlisted

    if is_main_process():
        warn_if_unlisted(config.folder)
    with open_log(config, tensorboard) as log, progress_bar() as bar:
        task = bar.add_task("training", total=1.0)

        def report(progress: "Progress") -> None:
            accuracy = "" if progress.accuracy is None else f", accuracy {100 * progress.accuracy:.1f} %"
            speed = f"{progress.images_per_second:.0f} images/s"
            line = f"epoch {progress.epoch:.1f}, loss {progress.loss:.3f}, {speed}{accuracy}"
            bar.update(task, completed=progress.progress, description=line)
            with suppress(OSError):  # standard error may be a file on a full disk; training waits for space itself
                for sentence in [line] * bool(accuracy) + [*map(str, progress.alarms)]:
                    bar.console.print(sentence, soft_wrap=True, highlight=False)
            log(progress)

        path = training_run.train(config, report, resume, restart)
    if is_main_process():
        record = load(path).record
        count = eval_samples(record)
        results = {n: accuracy_number(value, count) for n, value in record.items() if n.endswith("_accuracy")}
        if "reconstruction_loss" in record:
            results["reconstruction_loss"] = f"{record['reconstruction_loss']:.4f}"
        print(f"{path}: {', '.join(f'{name} {number}' for name, number in results.items())}")


def fit_linear_probe(options: dict[str, Any]) -> None:
    """Fit a linear probe and print its accuracy; options that it does not use are refused."""
    given = {name: value for name, value in options.items() if value is not None}
    for name, value in given.items():
        if name not in LINEAR_PROBE and (name, value) != ("dataset", "folder"):
            raise ConfigError(name, f"does not apply to a linear probe: got {value!s:.80}", "Omit it.")
    for name in ("init_from", "data"):
        if name not in given:
            raise ConfigError(name, "must be set for a linear probe: got none")
    require_single_process("linear probe", "train")
    base = TrainConfig(dataset="folder", output_dir="runs/linear-probe")
    config = replace(base, **config_values(given), freeze_backbone=True)

    from vitviz.models.checkpoint import load
    from vitviz.runs import training_run
    from vitviz.runs.store import warn_if_unlisted

    warn_if_unlisted(config.folder)
    with progress_bar() as bar:
        task = bar.add_task("computing features", total=None)
        report = lambda done, total: bar.update(task, completed=done, total=total)  # noqa: E731
        path = training_run.fit_linear_probe(config, report)
    print(f"{path}: {load(path).linear_probe}")


@with_config_options
def sweep(
    vary: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=V,V,...", help="Field to vary, such as model.depth=2,4,8; may be repeated."),
    ] = None,
    preset_name: Preset = None,
    network: Network = None,
    resume: Annotated[bool, typer.Option("--resume", help="Resume the sweep in the output folder.")] = False,
    overrides: Overrides = None,
    tensorboard: LogsToTensorBoard = False,
    **options: Any,
) -> None:
    """Train one model per combination of hyperparameters.

    Each run has the whole budget. The output folder is runs/sweep-PRESET if omitted.

    Options override the preset; the defaults shown are those of cifar10-ti4.
    """
    require_single_process("sweep", "sweep")
    from vitviz.runs import sweep as sweeps
    from vitviz.runs.store import check_machine, warn_if_unlisted

    fields, model_values = parse_overrides(overrides or [])
    values = config_values(options) | fields
    output_dir = values.pop("output_dir", None)
    folder = Path(f"runs/sweep-{preset_name or DEFAULT_PRESET}" if output_dir is None else str(output_dir))
    warn_if_unlisted(folder)
    if resume:
        given = {"vary": vary, "network": network, "set": model_values or None, **options, **fields, "output_dir": None}
        given["preset"] = preset_name if output_dir is not None else None  # else it names the folder
        for name, value in given.items():
            if value is not None:
                hint = "Omit it, or start another sweep with `output_dir`."
                raise ConfigError(name, "cannot change when a sweep is resumed", hint)
        grid = sweeps.read(folder)
    else:
        config = resolve_config(preset_name, network, False, values, model_values)
        grid = sweeps.Sweep(config, tuple(vary or ()), folder)
        check_machine(config)
        grid.create()
    show_sweep(grid, tensorboard)


def require_single_process(what: str, command: str) -> None:
    """Raise ValueError if torchrun started several processes."""
    if (count := os.environ.get("WORLD_SIZE", "1")) != "1":
        raise ValueError(f"A {what} needs a single process: torchrun started {count}. Use: python -m vitviz {command}.")


def show_sweep(grid: "Sweep", tensorboard: bool) -> None:
    """Run a sweep and print its growing table; at the end print the errors of failed runs, with exit status 1."""
    from rich.console import Group
    from rich.live import Live
    from rich.markup import escape
    from rich.table import Table

    from vitviz.models.accuracy import accuracy_number

    names = list(next(iter(grid.runs().values()))[0])
    columns = [name.removeprefix("model.") for name in names]  # the terminal may be narrow
    table = Table("run", *columns, "parameters", "epochs", "seconds", "accuracy")
    errors: list[str] = []
    bar = progress_bar()
    task = bar.add_task("training", total=1.0)

    def on_end(result: "RunResult") -> None:
        counts = (result["parameters"], result["epochs"], result["seconds"])
        numbers = ["" if n is None else f"{n:,.0f}" for n in counts]
        accuracy = "" if (found := result["accuracy"]) is None else accuracy_number(found, result.get("eval_samples"))
        if result["message"]:
            errors.append(f"{result['run']}: {result['message']}")
            accuracy = "failed"
        table.add_row(*map(escape, (result["run"], *result["settings"].values())), *numbers, accuracy)

    @contextmanager
    def report_run(config: TrainConfig) -> Iterator["Report"]:
        bar.update(task, completed=0, description=config.folder.name)
        with open_log(config, tensorboard) as log:

            def report(progress: "Progress") -> None:
                bar.update(task, completed=progress.progress)
                for alarm in progress.alarms:
                    bar.console.print(f"{config.folder.name}: {alarm}", soft_wrap=True, highlight=False, markup=False)
                log(progress)

            yield report

    with Live(Group(table, bar), console=table_console(), refresh_per_second=2):
        grid.run(report_run, on_end)
        bar.remove_task(task)
    for line in errors:
        print(line, file=sys.stderr)
    if errors:
        raise typer.Exit(1)


def open_log(config: TrainConfig, tensorboard: bool) -> "AbstractContextManager[Report]":
    """Return a context whose report writes for TensorBoard, or nothing."""
    if not tensorboard:
        return nullcontext(lambda progress: None)
    from vitviz.tensorboard import TensorBoard

    return TensorBoard(config)


def resolve_config(
    preset_name: str | None, network: str | None, resume: bool, values: dict[str, Any], model_values: dict[str, Any]
) -> TrainConfig:
    """Return the config of a preset, or without one of the run to resume, with new values of fields."""
    config = get_preset(preset_name or DEFAULT_PRESET)
    if resume:
        from vitviz.runs.run_folder import CONFIG, read_config

        folder = Path(str(values.get("output_dir", config.folder)))
        if not os.path.lexists(folder / CONFIG):
            raise ConfigError(
                "output_dir",
                f"must contain a run to resume: {folder} does not",
                "Set `output_dir`, or start a new run without `resume`.",
            )
        if preset_name is None:
            config = from_json(read_config(folder))
        config = replace(config, output_dir=str(folder))  # it may have been moved
    if network is not None:
        config = replace(config, model=get_preset(network, "network").model)
    config = replace_fields(config, **values)
    if "init_from" in values and network is None and not (resume and preset_name is None):
        from vitviz.training.initial_weights import use_init_model

        config = use_init_model(config)
    return replace_model_fields(config, model_values)
