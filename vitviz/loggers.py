"""Loggers of a training: metrics and attention maps for TensorBoard, Weights & Biases and MLflow.

They work in a thread of their own, so that a slow server delays no step. Attention maps are those of the timeline, with
colors from 1/8 to 8 times uniform attention, the same at every step and in every run.
"""

import json
import os
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from textwrap import shorten
from types import TracebackType
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from vitviz.data.files import write_atomic
from vitviz.models.config import ConfigError
from vitviz.plots.animation import draw_matrix
from vitviz.runs import run_folder, timeline
from vitviz.runs.process import TrainingStopped
from vitviz.runs.training_run import Progress, init_name
from vitviz.training.config import TrainConfig

LoggerName = Literal["tensorboard", "wandb", "mlflow"]
Images = dict[str, NDArray[np.uint8]]  # name -> RGB image (h, w, 3)

PROJECT = "vitviz"  # in Weights & Biases, and the experiment in MLflow
STEPS_PER_EPOCH = 1000  # of the steps of TensorBoard and MLflow, which are integers
IDS = "loggers.json"  # in the run folder: the ids with which a resumed run continues
LOCAL = ("data", "output_dir")  # fields of TrainConfig that no server receives
NOT_LOGGED = ("progress", "seconds")  # fields of Progress


class Logger(Protocol):
    """A logger that is open; `run_id` is what continues it when the training is resumed, or None."""

    run_id: str | None

    def log(self, epoch: float, metrics: dict[str, float], images: Images) -> None:
        """Log metrics and images of an epoch."""

    def close(self, error: BaseException | None) -> None:
        """Close it at the end of a training, which an error may have ended."""


class TensorBoard:
    """Log to the folder `tensorboard` in the run folder; steps that a resumed run repeats are hidden."""

    def __init__(self, config: TrainConfig, epoch: float, run_id: str | None) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self.run_id: str | None = None
        self.writer = SummaryWriter(str(config.folder / "tensorboard"), purge_step=to_step(epoch))

    def log(self, epoch: float, metrics: dict[str, float], images: Images) -> None:
        """Log metrics and images of an epoch."""
        for name, value in metrics.items():
            self.writer.add_scalar(name, value, global_step=to_step(epoch))
        for name, image in images.items():
            self.writer.add_image(name, image, global_step=to_step(epoch), dataformats="HWC")

    def close(self, error: BaseException | None) -> None:
        """Write what is buffered."""
        self.writer.close()


class WeightsAndBiases:
    """Log to Weights & Biases, whose environment variables apply, with the epoch as x-axis."""

    def __init__(self, config: TrainConfig, epoch: float, run_id: str | None) -> None:
        import wandb

        self.run = wandb.init(
            project=os.environ.get("WANDB_PROJECT", PROJECT),
            name=config.folder.name,
            dir=str(config.folder),
            config=hyperparameters(config),
            id=run_id,
            resume="allow",
            settings=wandb.Settings(console="off"),  # it would log each state of the progress bar
        )
        self.run.define_metric("*", step_metric="epoch")
        self.image = wandb.Image
        self.run_id: str | None = self.run.id

    def log(self, epoch: float, metrics: dict[str, float], images: Images) -> None:
        """Log metrics and images of an epoch."""
        self.run.log({"epoch": epoch, **metrics, **{name: self.image(image) for name, image in images.items()}})

    def close(self, error: BaseException | None) -> None:
        """Upload what is buffered."""
        self.run.finish(exit_code=0 if error is None else 1)


class MLflow:
    """Log to MLflow, whose environment variables apply."""

    def __init__(self, config: TrainConfig, epoch: float, run_id: str | None) -> None:
        import mlflow

        self.mlflow = mlflow
        if not {"MLFLOW_EXPERIMENT_NAME", "MLFLOW_EXPERIMENT_ID"} & os.environ.keys():
            mlflow.set_experiment(PROJECT)
        run = mlflow.start_run(run_id=run_id, run_name=config.folder.name)
        self.run_id: str | None = run.info.run_id
        if run_id is None:
            mlflow.log_params(hyperparameters(config))

    def log(self, epoch: float, metrics: dict[str, float], images: Images) -> None:
        """Log metrics and images of an epoch."""
        if metrics:
            self.mlflow.log_metrics(metrics, step=to_step(epoch))
        for name, image in images.items():
            self.mlflow.log_image(image, key=name, step=to_step(epoch), synchronous=True)

    def close(self, error: BaseException | None) -> None:
        """Set the status of the run."""
        status = "FINISHED" if error is None else "KILLED" if isinstance(error, TrainingStopped) else "FAILED"
        self.mlflow.end_run(status)


LOGGERS: dict[str, Callable[[TrainConfig, float, str | None], Logger]] = {
    "tensorboard": TensorBoard,
    "wandb": WeightsAndBiases,
    "mlflow": MLflow,
}
# The module that is imported, the name of the library, and its package.
LIBRARIES = {
    "tensorboard": ("torch.utils.tensorboard", "TensorBoard", "tensorboard"),
    "wandb": ("wandb", "Weights & Biases", "wandb"),
    "mlflow": ("mlflow", "MLflow", "mlflow"),
}


class TrainingLog:
    """Log a training to several loggers, as a context manager whose calls have the progress of the training.

    An error of a logger ends it with one warning, and the training continues. Under torchrun, the main process logs.

    Args:
        names: Names of loggers: "tensorboard", "wandb" or "mlflow".
        config: Config of the training, which starts after this is created.

    Raises:
        ConfigError: If a name is unknown, its library is not installed, or Weights & Biases needs a login.
    """

    def __init__(self, names: Sequence[str], config: TrainConfig) -> None:
        self.config = config
        self.names = [*dict.fromkeys(names)] if os.environ.get("RANK", "0") == "0" else []
        for name in self.names:
            check_usable(name)
        self.loggers: dict[str, Logger] = {}
        # Snapshots up to this training time were logged before the run was resumed.
        self.seconds = run_folder.saved_seconds(config.folder)
        self.ids = read_ids(config.folder / IDS) if self.seconds > 0 else {}
        self.is_open, self.read = False, (0, 0)
        self.thread = ThreadPoolExecutor(1, "loggers")

    def __enter__(self) -> "TrainingLog":
        return self

    def __call__(self, progress: Progress) -> None:
        """Log metrics, and the snapshots of the timeline that are new."""
        if self.names:
            self.thread.submit(self.log, progress)

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.names:
            self.thread.submit(self.close, error)
        self.thread.shutdown()

    def log(self, progress: Progress) -> None:
        """Log progress; the loggers are opened by the first call, after the training has accepted its config."""
        with self.keep_training(*self.names):
            if not self.is_open:
                self.open(progress.epoch)
            values = {n: value for n, value in vars(progress).items() if n not in NOT_LOGGED and value is not None}
            self.send(progress.epoch, values, {})
            for epoch, images in self.new_snapshots():
                self.send(epoch, {}, images)

    def open(self, epoch: float) -> None:
        """Open all loggers, and store what continues them."""
        self.is_open = True
        for name in self.names:
            with self.keep_training(name):
                self.loggers[name] = LOGGERS[name](self.config, epoch, self.ids.get(name))
        ids = {name: logger.run_id for name, logger in self.loggers.items() if logger.run_id is not None}
        with suppress(OSError):  # a full disk; a resumed run is then another one
            write_atomic(self.config.folder / IDS, json.dumps(ids).encode())

    def send(self, epoch: float, metrics: dict[str, float], images: Images) -> None:
        """Log to all loggers that are open."""
        for name, logger in list(self.loggers.items()):
            with self.keep_training(name):
                logger.log(epoch, metrics, images)

    def new_snapshots(self) -> Iterator[tuple[float, Images]]:
        """Generate epoch and images of the snapshots since the last call."""
        path = self.config.folder / run_folder.TIMELINE
        try:
            status = path.stat()
            if not self.loggers or (version := (status.st_ino, status.st_mtime_ns)) == self.read:
                return
            recorded = timeline.read(path)
        except (OSError, ValueError):  # there is none, or none any more
            return
        self.read, last = version, self.seconds
        for index, seconds in enumerate(recorded.seconds.tolist()):
            if seconds > last:
                self.seconds = seconds
                matrices = {name: draw_matrix(recorded, image, index) for image, name in enumerate(recorded.names)}
                yield float(recorded.epoch[index]), {tag(name): matrix for name, matrix in matrices.items()}

    def close(self, error: BaseException | None) -> None:
        """Log the final accuracy, and close the loggers that are open."""
        if error is None:
            record = run_folder.read_record(self.config.folder / run_folder.LAST)
            final = {name: value for name, value in record.items() if name.endswith("_accuracy")}
            self.send(record.get("epochs", 0.0), final, {})
        for name, logger in list(self.loggers.items()):
            with self.keep_training(name):
                logger.close(error)

    @contextmanager
    def keep_training(self, *names: str) -> Iterator[None]:
        """Turn an error into one warning and the end of these loggers."""
        try:
            yield
        except Exception as error:
            for name in names:
                self.loggers.pop(name, None)
            libraries = ", ".join(LIBRARIES[name][1] for name in names)
            text = shorten(str(error), 300) or type(error).__name__
            warnings.warn(f"Logging to {libraries} ended, the training continues: {text}", stacklevel=2)


def check_usable(name: str) -> None:
    """Raise ConfigError if a logger is unknown, its library is not installed, or it needs a login."""
    if name not in LIBRARIES:
        raise ConfigError("log", f"must be one of {', '.join(LIBRARIES)}: got {name!r:.40}")
    module, library, package = LIBRARIES[name]
    try:
        imported = import_module(module)
    except ImportError:
        raise ConfigError("log", f"{name} needs {library}", f"Run: pip install {package}") from None
    if name == "wandb" and os.environ.get("WANDB_MODE", "online") == "online":
        try:
            imported.login()  # asks for the key in a terminal
        except imported.errors.UsageError:
            hint = "Run: wandb login, or set WANDB_MODE=offline"
            raise ConfigError("log", "wandb needs an API key: none is configured", hint) from None


def read_ids(path: Path) -> dict[str, str]:
    """Read the ids with which a resumed run continues; empty without a valid file."""
    try:
        ids = json.loads(path.read_text())
        return {name: str(ids[name]) for name in LIBRARIES if name in ids}
    except (OSError, ValueError, TypeError):
        return {}


def hyperparameters(config: TrainConfig) -> dict[str, Any]:
    """Return the fields of a config by name, without local paths."""
    sources = {"teacher": config.teacher is not None, "soft_labels": config.soft_labels is not None}
    fields = {name: value for name, value in run_folder.flatten(config).items() if name not in LOCAL}
    return fields | sources | {"init_from": init_name(config)}


def to_step(epoch: float) -> int:
    """Return the step of an epoch, an integer."""
    return round(STEPS_PER_EPOCH * epoch)


def tag(name: str) -> str:
    """Return the name of an image's attention in the loggers, with characters that all of them accept."""
    return f"attention/{re.sub(r'[^A-Za-z0-9_. -]', '_', name)}"
