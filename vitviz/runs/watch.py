"""Watch a training of any loop: a run folder with metrics and a timeline, which the Train page shows live."""

import itertools
import logging
import math
import os
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from torch import nn

from vitviz.data import preprocessing
from vitviz.data.images import Images, as_batch, read_batch
from vitviz.errors import ConfigError
from vitviz.models import hub
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.labels import Labels
from vitviz.models.library_modules import unwrap
from vitviz.models.modes import own_modes
from vitviz.runs import run_folder
from vitviz.runs.process import RunLock, format_error
from vitviz.training.alarms import Alarm, Signals, first_of_kind, measure_signals
from vitviz.training.config import TrainConfig
from vitviz.training.loop import Progress
from vitviz.training.signals import StopRequest
from vitviz.training.timeline import TimelineRecorder, max_snapshots

MAX_SNAPSHOTS = 128  # of a timeline; then every second one is dropped, and half as many are recorded


class Watch:
    """Callback that records metrics, and a snapshot of attention and predictions, in a run folder.

    An alarm, such as collapsed attention (see `vitviz.training.alarms`), is a warning once per kind, and on the page.

    The module is only read: mode, gradients and random numbers of the training do not change. An error of a call ends
    the recording with one warning, and the training continues, also where warnings are errors. Only the process that
    made it records, not those forked from it. As a context manager it is closed at the end.

    Args:
        module: ViT of timm or transformers in training, also wrapped by DistributedDataParallel or `torch.compile`.
        images: Images of the timeline, as for `vitviz.explain`; None for the bundled samples.
        every: Record a snapshot at every n-th call; metrics at each.
        epochs: Planned epochs, of which the page shows the progress.
        output_dir: New run folder; None for one in `runs/`, named after the module and the time.
        labels: As for `vitviz.load`.
        img_size: As for `vitviz.load`.

    Raises:
        CheckpointError: If the module has no attention that vitviz reads.
        ConfigError: If `every` or `epochs` is not positive.
        ImageError: If an image cannot be read.
        ValueError: If the run folder contains a run, or there are no images.
    """

    @own_modes()
    def __init__(
        self,
        module: nn.Module,
        images: Images | None = None,
        every: int = 1,
        *,
        epochs: float = 100,
        output_dir: str | Path | None = None,
        labels: Labels | None = None,
        img_size: tuple[int, int] | None = None,
    ) -> None:
        if every < 1:
            raise ConfigError("every", f"must be at least 1: got {every}")
        self.module, self.every, self.labels, self.img_size = module, every, labels, img_size
        self.calls, self.epoch, self.start, self.has_warned = 0, 0.0, time.monotonic(), False
        self.alarmed = set[str]()  # kinds of alarms so far
        self.process = os.getpid() if os.environ.get("RANK", "0") == "0" else None  # under torchrun, the main process
        if not self.is_active:
            return
        model = self.read_module()
        self.recorder = create_recorder(model, images)
        folder = new_folder(module) if output_dir is None else Path(output_dir)
        self.config = TrainConfig(
            model=model.config,
            epochs=epochs,
            minutes=None,
            output_dir=str(folder),
            patch_keep_start=1.0,  # the Train page must claim nothing about the other loop
            patch_keep_end=1.0,
            randaug_num_ops=0,
            cutmix_prob=0.0,
        )
        self.lock = RunLock(folder, StopRequest()).__enter__()
        try:
            run_folder.prepare(self.config, None)
            self.lock.record_start(watched=True)
            self.record_snapshot(model)
        except BaseException as error:
            self.end(error)
            raise

    def __call__(
        self,
        epoch: float,
        loss: float | None = None,
        *,
        lr: float | None = None,
        images_per_second: float | None = None,
        accuracy: float | None = None,
        train_accuracy: float | None = None,
    ) -> None:
        """Record metrics as they are, and a snapshot if it is due; what is not given is null in the metrics.

        Args:
            epoch: Epochs trained so far, such as 0.5; one below the last gets a warning, once.
            loss: Mean training loss since the last call (nats).
            lr: Learning rate.
            images_per_second: Throughput.
            accuracy: Accuracy on held-out images, in 0..1.
            train_accuracy: Accuracy on training images, in 0..1.
        """
        if not self.is_active:
            return
        with self.keep_training(), own_modes():
            previous, self.calls, self.epoch = self.epoch, self.calls + 1, float(epoch)
            if not 0 <= self.epoch < math.inf:
                raise ConfigError("epoch", f"must be a finite number of at least 0: got {self.epoch}")
            if self.epoch < previous and not self.has_warned:
                self.has_warned = True
                warn(f"vitviz.watch got epoch {self.epoch:g} after {previous:g}: its curves go back.", stacklevel=3)
            progress = min(1.0, self.epoch / (self.config.epochs or 1))
            given = (loss, lr, images_per_second, accuracy, train_accuracy)
            numbers: list[Any] = [None if value is None else float(value) for value in given]
            signals: dict[str, Any] = {}
            alarms = [] if loss is None or math.isfinite(loss) else [Alarm("loss", self.epoch, float(loss))]
            if self.calls % self.every == 0:
                found = self.record_snapshot(self.read_module())
                signals, alarms = found.summary(), alarms + found.alarms(self.epoch)
            new = first_of_kind(alarms, self.alarmed)
            line = replace(Progress(progress, self.epoch, self.seconds, *numbers), **signals, alarms=new)
            run_folder.append_metrics(self.config.folder, line)
            for alarm in new:
                warn(str(alarm), stacklevel=3)

    @property
    def is_active(self) -> bool:
        """Whether this process records."""
        return self.process == os.getpid()

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return time.monotonic() - self.start

    def read_module(self) -> Checkpoint:
        """Return a copy of the module with its present weights, without drawing random numbers."""
        return hub.load(self.module, self.labels, self.img_size, False, not self.calls)  # compared once

    def record_snapshot(self, model: Checkpoint) -> Signals:
        """Record a snapshot and write the timeline; return the signals."""
        recorder = self.recorder
        device = next(model.network.parameters()).device
        recorder.inputs = recorder.inputs.to(device)
        recorder.record(model.network.float(), self.epoch, self.seconds)
        if len(recorder.snapshots) > recorder.num_snapshots:
            recorder.snapshots, self.every = recorder.snapshots[::2], 2 * self.every
        recorder.save(self.config.folder / run_folder.TIMELINE)
        return measure_signals(model.network, recorder.inputs)

    @contextmanager
    def keep_training(self) -> Iterator[None]:
        """Turn an error into one warning and the end of the recording."""
        try:
            yield
        except Exception as error:
            self.end(error)
            warn(f"vitviz.watch records no more, the training continues: {format_error(error)}", stacklevel=5)

    def end(self, error: BaseException | None) -> None:
        """Release the run folder and record how the training ended; of an error only an `Exception`."""
        self.process = None
        self.lock.__exit__(type(error), error, None)

    def close(self) -> None:
        """Write the model to the run folder, so that Explore opens it; the run is finished."""
        if not self.is_active:
            return
        with self.keep_training(), own_modes():
            model = self.read_module()
            self.recorder.save(self.config.folder / run_folder.TIMELINE, compress=True)
            record = {"epochs": round(self.epoch, 2), "seconds": round(self.seconds, 1)}
            date = {"date": datetime.now(UTC).date().isoformat()}
            result = replace(model, name=self.config.folder.name, record=model.record | record | date)
            run_folder.save(result, self.config.folder / run_folder.LAST, None)
            self.end(None)

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is None:
            self.close()
        elif self.is_active:
            self.end(error)


watch = Watch
"""Public name of the class `Watch`: `with vitviz.watch(model, epochs=10) as watch`."""


def warn(sentence: str, stacklevel: int) -> None:
    """Warn the caller of `Watch`; where warnings are errors, write to the log: they would end the training."""
    try:
        warnings.warn(sentence, stacklevel=stacklevel)
    except UserWarning:
        logging.getLogger(__name__).warning(sentence)


def new_folder(module: nn.Module) -> Path:
    """Create a folder in `runs/`, named after the module and the time."""
    name = f"{type(unwrap(module)).__name__[:40]}-{datetime.now().astimezone():%Y%m%d-%H%M%S}"
    for number in itertools.count(1):
        folder = Path("runs", name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:  # of another one in this second
            continue
        break
    return folder


def create_recorder(model: Checkpoint, images: Images | None) -> TimelineRecorder:
    """Create a recorder of the timeline on images; raise ValueError if there are none."""
    config = model.network.config
    chosen = as_batch(list(preprocessing.sample_paths().values()) if images is None else images)
    pixels = read_batch(chosen, config.img_size, model.resize)
    if not len(pixels):
        raise ValueError("images must contain at least one image: got none. Leave it out for the samples.")
    names = [Path(i).stem if isinstance(i, str | Path) else "image" for i in chosen]
    unique = [name if names.count(name) == 1 else f"{name} {number}" for number, name in enumerate(names, 1)]
    inputs = model.normalize(pixels).float()
    shape = (config.depth, config.num_heads, config.num_tokens)
    count = min(MAX_SNAPSHOTS, max_snapshots(shape, len(unique), len(model.labels)))
    if count < 2:
        raise ValueError(f"images must fit into a timeline: got {len(unique)}. Use fewer of them.")
    return TimelineRecorder(
        unique, pixels.cpu(), inputs, model.labels, config.grid_size, count, config.class_token, shape=shape
    )


def create_or_warn(create: Callable[[], Watch]) -> Watch | None:
    """Return a new `Watch`, or None after a warning: adapters start it inside of a training."""
    try:
        return create()
    except Exception as error:
        warn(f"vitviz.watch records nothing, the training continues: {format_error(error)}", stacklevel=4)
        return None


def child(module: nn.Module, attribute: str) -> nn.Module:
    """Return the ViT in a LightningModule; raise ConfigError if there is none of this name."""
    found = getattr(module, attribute, None)
    if not isinstance(found, nn.Module):
        raise ConfigError("attribute", f"must name the ViT in {type(module).__name__}: got {attribute!r:.80}")
    return found


def lightning_callback(attribute: str = "model", **options: Any) -> Any:
    """Return a `Callback` for the `Trainer` of Lightning that watches its module at the end of each training epoch.

    Args:
        attribute: Name of the ViT in the LightningModule.
        options: Those of `Watch`, without the module.

    Raises:
        ImportError: If Lightning is not installed.
    """
    from lightning.pytorch import Callback

    class WatchCallback(Callback):  # type: ignore[misc]
        watch: Watch | None = None

        def on_train_start(self, trainer: Any, module: Any) -> None:
            epochs = {"epochs": trainer.max_epochs} if (trainer.max_epochs or 0) > 0 else {}
            self.watch = create_or_warn(lambda: Watch(child(module, attribute), **(epochs | options)))

        def on_train_epoch_end(self, trainer: Any, module: Any) -> None:
            if self.watch:
                metrics = trainer.callback_metrics
                loss = metrics.get("train_loss", metrics.get("loss"))
                self.watch(
                    trainer.current_epoch + 1,
                    loss,
                    lr=trainer.optimizers[0].param_groups[0]["lr"],
                    accuracy=metrics.get("val_acc"),
                )

        def on_train_end(self, trainer: Any, module: Any) -> None:
            if self.watch:
                self.watch.close()

    return WatchCallback()


def transformers_callback(**options: Any) -> Any:
    """Return a `TrainerCallback` for the `Trainer` of transformers that watches its model whenever it logs a loss.

    Args:
        options: Those of `Watch`, without the module.

    Raises:
        ImportError: If transformers is not installed.
    """
    from transformers import TrainerCallback

    class WatchCallback(TrainerCallback):  # type: ignore[misc]
        watch: Watch | None = None

        def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
            epochs = {"epochs": state.num_train_epochs} if state.num_train_epochs > 0 else {}
            self.watch = create_or_warn(lambda: Watch(model, **(epochs | options)))

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if self.watch and "loss" in (logs or {}):
                self.watch(state.epoch, logs["loss"], lr=logs.get("learning_rate"))

        def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if self.watch:
                self.watch.close()

    return WatchCallback()
