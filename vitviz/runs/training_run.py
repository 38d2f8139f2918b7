"""Training run: from images and a config to a checkpoint, metrics and a timeline in a run folder.

The training set is one uint8 tensor on the device. `vitviz.training.trainer.Trainer` takes the steps; a `TrainingRun`
chooses the images of each step, keeps track of the budget, evaluates and saves. The result is the exponential moving
average (EMA) of the weights at the end. Under `torchrun` every process trains on its shard of each batch; the main
process keeps the clock and writes the files.

Sampling and augmentation of step n depend only on the seed and n, so a resumed run takes the same steps.
"""

import math
import os
import platform
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import torch
from torch import Tensor

from vitviz.data.datasets import LabeledImages
from vitviz.errors import ConfigError, TrainingError
from vitviz.malloc import keep_freed_memory
from vitviz.models.checkpoint import Checkpoint
from vitviz.runs import run_folder
from vitviz.runs.process import RunLock, TrainingStopped
from vitviz.runs.run_folder import Progress
from vitviz.runs.timeline import create_recorder
from vitviz.training.config import TrainConfig
from vitviz.training.data import (
    TrainingData,
    epoch_batches,
    load_training_data,
    replace_num_classes,
)
from vitviz.training.device import get_hardware_name, largest_activation, report_out_of_memory
from vitviz.training.distributed import ATTEMPT, Distributed
from vitviz.training.evaluation import NUM_EVAL_SAMPLES, measure_accuracy
from vitviz.training.initial_weights import load_initial, run_name
from vitviz.training.masked_patches import MaskedPatches
from vitviz.training.schedule import lr_factor
from vitviz.training.signals import StopRequest
from vitviz.training.teacher import Teacher, check_same_teacher, load_teacher
from vitviz.training.trainer import Trainer, TrainerState

LOG_INTERVAL = 2.0  # seconds; reading the loss synchronizes with the device
CIFAR_SAMPLES = 60_000


def train(
    config: TrainConfig,
    report: Callable[[Progress], None] = lambda progress: None,
    resume: bool = False,
    restart: bool = False,
) -> Path:
    """Train a model. From now on this process keeps freed memory, as every step needs it again.

    Args:
        config: Training config.
        report: Called about every two seconds; with accuracies every `checkpoint_every_epochs` epochs and at the end.
        resume: Resume from the state in the run folder, if there is one.
        restart: Replace the run in the run folder.

    Returns:
        Path of the checkpoint, `last.safetensors` in the run folder, next to `config.json`, `metrics.jsonl` and
        `timeline.npz`. `test_accuracy` in its record is the accuracy of the final EMA weights on the whole test set;
        with `val_size` it is called `val_accuracy`, with the objective masked-patch `masked_patch_accuracy`.

    Raises:
        vitviz.errors.DataError: If the dataset is missing or not usable.
        ConfigError: If the network is too large, the initial weights or the teacher do not fit, or the resumed run has
            another config.
        ValueError: If the device is not available, or the run folder cannot be used.
        vitviz.runs.process.AlreadyRunningError: If another process trains in the run folder.
        TrainingError: If the loss becomes NaN or infinite or memory runs out; `TrainingStopped` on SIGINT or SIGTERM.
            The last saved state is kept.
    """
    run_folder.check_num_parameters(config.model)
    keep_freed_memory()
    with Distributed(config.device) as distributed, StopRequest() as stop:
        height, width = config.model.img_size
        with report_out_of_memory(
            "The images do not fit into memory. Use fewer images or a smaller img_size.",
            3 * height * width * CIFAR_SAMPLES,
        ):
            data = load_training_data(config, distributed.device)
        config, num_samples = replace_num_classes(config, len(data.info.classes)), len(data.train[1])
        if min(config.batch_size, num_samples) < distributed.world_size:
            raise ConfigError(
                "batch_size",
                "and the number of training images must be at least the number of processes: "
                f"{min(config.batch_size, num_samples)} is below {distributed.world_size}",
                "Increase it, or start fewer processes.",
            )
        resume = resume or os.environ.get(ATTEMPT, "0") != "0"
        with RunLock(config.folder, stop) if distributed.is_main_process else nullcontext() as lock:
            state = run_folder.load_state(config, data.info, num_samples) if resume else None
            if lock is not None:
                run_folder.prepare(config, state, restart)
                lock.record_start(has_saved=state is not None)
            with report_out_of_memory(
                f"A training step does not fit into memory with batch_size {config.batch_size}. Use a smaller "
                "batch_size or network; the last saved state is kept.",
                largest_activation(config.model, config.batch_size),
            ):
                initial = load_initial(config, data.info) if state is None else None
                teacher = load_teacher(config, data.info, distributed.device)
                if state is not None:
                    check_same_teacher(state.teacher, teacher.record if teacher else None, config.folder)
                run = TrainingRun(config, distributed, data, initial, teacher, state)
                run.lock = lock
                run.check_same_step()
                for progress in run.run_steps(stop):
                    report(progress)
                return run.finish()


class TrainingRun:
    """A training run in progress: images, trainer, timeline and used budget."""

    def __init__(
        self,
        config: TrainConfig,
        distributed: Distributed,
        data: TrainingData,
        initial: Checkpoint | None = None,
        teacher: Teacher | None = None,
        state: TrainerState | None = None,
    ) -> None:
        self.config, self.distributed, self.device, self.info = config, distributed, distributed.device, data.info
        (self.images, self.labels), self.eval_set = data.train, data.eval
        self.trainer = Trainer(config, distributed, data.info, initial, teacher)
        self.timeline = create_recorder(config, data.info, data.eval)
        self.progress = 0.0  # used fraction of the budget
        self.completed_epochs = 0
        self.batches_done = 0  # in the current epoch
        self.images_seen = 0
        self.previous_seconds = 0.0  # training time of previous processes
        self.previous_images = 0
        self.loss_sum = torch.zeros((), device=self.device)
        self.unlogged_steps = 0  # number of losses in the sum
        self.loss = float("nan")
        self.lock: RunLock | None = None
        self.path, self.timeline_path = config.folder / run_folder.LAST, config.folder / run_folder.TIMELINE
        sizes = {len(batch): batch for batch in self.batches()}
        if state is not None:
            self.restore(state)
        self.trainer.compile_if_enabled([self.load(batch) for batch in sizes.values()])  # before the clock starts
        self.start_time, self.last_logged = time.monotonic(), -math.inf  # log the first step immediately

    def write(self, write: Callable[[], None]) -> None:
        """Write to the run folder; time spent waiting for disk space does not count as training time."""
        if self.lock is None:
            write()
        else:
            self.start_time += self.lock.retry_while_disk_full(write)

    @property
    def seconds(self) -> float:
        """Training time so far, interruptions excluded."""
        return self.previous_seconds + time.monotonic() - self.start_time

    @property
    def epoch(self) -> float:
        """Epochs trained so far."""
        return self.images_seen / len(self.labels)

    def check_same_step(self) -> None:
        """Raise TrainingError if this process resumes from another step than the main process."""
        count, folder = self.trainer.step_count, self.config.folder
        if (expected := self.distributed.broadcast(count)[0]) != count:
            raise TrainingError(
                f"All processes must resume from the same state: in {folder}, that of the main process is at step "
                f"{expected:.0f}, and that of this process at step {count}. Use a run folder that all machines share."
            )

    def used_budget(self) -> float:
        """Return the used fraction of the budget, 0..1."""
        epochs, minutes = self.config.epochs or 1, self.config.minutes
        return min(1.0, self.epoch / epochs if minutes is None else self.seconds / (60 * minutes))

    def mid_step_progress(self, batch: Tensor) -> float:
        """Return the progress in the middle of a step, so that a run of a single step has a learning rate above 0.

        With a budget in minutes it is the progress at the start of the step, whose duration is not known yet.
        """
        if self.config.epochs is None:
            return self.progress
        end = (self.images_seen + len(batch)) / (len(self.labels) * self.config.epochs)
        return (self.progress + min(1.0, end)) / 2

    def run_steps(self, stop: StopRequest) -> Iterator[Progress]:
        """Train until the budget is used or a stop is requested.

        Yields:
            Progress, about every `LOG_INTERVAL` seconds and after the epochs that are evaluated.
        """
        if self.trainer.step_count == 0 and self.timeline.is_due(0.0):
            self.record_snapshot()
        while self.progress < 1:
            for batch in self.batches():
                self.step(batch)
                is_log_due = time.monotonic() - self.last_logged > LOG_INTERVAL
                # Only the clock of the main process counts.
                clock = (self.used_budget(), is_log_due) if self.distributed.is_main_process else (0.0, False)
                self.progress, log_due, stopping = self.distributed.all_reduce_max(*clock, stop.requested)
                if self.timeline.is_due(self.progress):
                    self.record_snapshot()
                if stopping and self.progress < 1:  # at the end there is nothing to resume
                    self.save_and_stop()
                if log_due:
                    yield self.log_metrics()
                if self.progress >= 1:
                    break
            else:
                self.completed_epochs += 1
                self.batches_done = 0
            if self.progress >= 1 or self.completed_epochs % self.config.checkpoint_every_epochs == 0:
                yield self.log_metrics(evaluate=True)
                self.save({})

    def batches(self) -> Iterator[Tensor]:
        """Generate the remaining batches of this epoch: indices (B,) of images, the same in all processes."""
        batches = epoch_batches(self.config, len(self.labels), self.completed_epochs, self.device)
        full = [batch for batch in batches if len(batch) >= self.distributed.world_size]  # no empty shards
        yield from full[self.batches_done :]

    def load(self, batch: Tensor) -> LabeledImages:
        """Return the images and labels with indices (B,)."""
        return self.images[batch], self.labels[batch]

    def step(self, batch: Tensor) -> None:
        """Take one step on the images with indices (B,)."""
        images, labels = self.load(batch)
        steps_per_epoch = math.ceil(len(self.labels) / self.config.batch_size)
        data_step = self.completed_epochs * steps_per_epoch + self.batches_done
        self.loss_sum += self.trainer.step(images, labels, self.progress, self.mid_step_progress(batch), data_step)
        self.unlogged_steps += 1
        self.batches_done += 1
        self.images_seen += len(batch)

    def log_metrics(self, evaluate: bool = False) -> Progress:
        """Append a line to the metrics; with accuracies, if `evaluate` is set in the main process of a classification.

        Raises:
            TrainingError: If the loss is NaN or infinite.
        """
        if self.unlogged_steps:
            self.loss = self.distributed.all_reduce_mean(self.loss_sum.item() / self.unlogged_steps)
            self.loss_sum.zero_()
            self.unlogged_steps = 0
            if not math.isfinite(self.loss):
                raise self.non_finite_error(f"The loss is {self.loss} after step {self.trainer.step_count}.")
        evaluate = evaluate and self.distributed.is_main_process and self.config.objective == "classify"
        subsets = [(x[:NUM_EVAL_SAMPLES], y[:NUM_EVAL_SAMPLES]) for x, y in (self.eval_set, (self.images, self.labels))]
        accuracies = [measure_accuracy(self.result({}), x, y) for x, y in subsets] if evaluate else []
        self.last_logged = time.monotonic()
        images, seconds = self.images_seen - self.previous_images, self.seconds - self.previous_seconds
        speed = images / seconds if images else self.images_seen / self.seconds
        progress = Progress(self.progress, self.epoch, self.seconds, self.loss, self.trainer.lr, speed, *accuracies)
        if self.distributed.is_main_process:
            self.write(lambda: run_folder.append_metrics(self.config.folder, progress))
        return progress

    def non_finite_error(self, problem: str) -> TrainingError:
        """Return the error for a NaN or infinite loss or weight."""
        kept = f" The last finite state is kept in {self.path}." if self.path.exists() else ""
        return TrainingError(f"{problem} Use lower learning rates.{kept}")

    def save_and_stop(self) -> NoReturn:
        """Save the state and raise `TrainingStopped`."""
        self.log_metrics()  # the metrics end at the saved state
        self.save({})
        raise TrainingStopped(
            f"Stopped at epoch {self.epoch:.1f}, {100 * self.progress:.0f} % of the budget; the state is saved. Resume "
            f"with: python -m vitviz train --resume --output-dir {shlex.quote(str(self.config.folder))}"
        )

    def record_snapshot(self) -> None:
        """Record a snapshot of the EMA model and write the timeline."""
        self.timeline.record(self.trainer.ema_model, self.epoch, self.seconds)
        if self.distributed.is_main_process:
            self.write(lambda: self.timeline.save(self.timeline_path))

    def finish(self) -> Path:
        """Evaluate the result and write the final checkpoint, without the training state."""
        if self.distributed.is_main_process:
            self.write_result()
        self.distributed.broadcast(0.0)  # the others wait for the checkpoint
        return self.path

    def write_result(self) -> None:
        """Evaluate the result and write the final checkpoint."""
        if self.timeline.snapshots:
            self.write(lambda: self.timeline.save(self.timeline_path, compress=True))
        name = "val_accuracy" if self.config.val_size else "test_accuracy"
        if self.config.objective == "masked-patch":
            name = "masked_patch_accuracy"
        seconds = round(self.seconds, 1)  # without the evaluation
        results = {name: self.final_accuracy(), "eval_samples": len(self.eval_set[1]), "seconds": seconds}
        self.save(results, finished=True)

    def final_accuracy(self) -> float:
        """Return the accuracy of the EMA weights on the whole evaluation set."""
        images, labels = self.eval_set
        if isinstance(self.trainer.ema_module, MaskedPatches):
            return self.trainer.ema_module.measure_accuracy(images)
        return measure_accuracy(self.result({}), images, labels)

    def save(self, results: dict[str, Any], finished: bool = False) -> None:
        """Write the checkpoint, with the training state unless training is finished.

        Raises:
            TrainingError: If a weight is NaN or infinite.
        """
        if not self.distributed.is_main_process:
            return
        if not all(weight.isfinite().all() for weight in self.trainer.ema_model.parameters()):
            raise self.non_finite_error(f"A weight is NaN or infinite after step {self.trainer.step_count}.")
        result = self.result(self.record() | results)
        state = None if finished else self.get_state()
        self.write(lambda: run_folder.save(result, self.path, state))
        if self.lock is not None:
            self.lock.record_saved()

    def get_state(self) -> TrainerState:
        """Return the state from which the run resumes exactly."""
        names = ("progress", "completed_epochs", "batches_done", "images_seen", "seconds")
        counters = {name: getattr(self, name) for name in names}
        return self.trainer.get_state(counters | ({"loss": self.loss} if math.isfinite(self.loss) else {}))

    def restore(self, state: TrainerState) -> None:
        """Restore a state returned by `get_state`."""
        counters = state.counters
        self.progress, self.previous_seconds = counters["progress"], counters["seconds"]
        self.trainer.load_state(state)
        self.trainer.set_lr(lr_factor(self.config, self.progress))  # may be logged before the next step
        self.completed_epochs, self.batches_done = int(counters["completed_epochs"]), int(counters["batches_done"])
        self.images_seen = self.previous_images = int(counters["images_seen"])
        self.loss = counters.get("loss", self.loss)  # may be logged before the next step
        if self.config.num_snapshots:
            self.timeline.restore(self.timeline_path, self.epoch, self.progress)

    def result(self, record: dict[str, Any]) -> Checkpoint:
        """Return the EMA model as a checkpoint."""
        info = self.info
        return Checkpoint(self.config.preset, self.trainer.ema_model, info.classes, info.mean, info.std, record)

    def record(self) -> dict[str, Any]:
        """Return the training record for the checkpoint's metadata."""
        train_config = asdict(self.config)
        for name in ("model", "data", "output_dir", "teacher"):
            del train_config[name]
        train_config["init_from"] = run_name(self.config.init_from) if self.config.init_from else None
        return {
            "dataset": self.info.name,
            "train_samples": len(self.labels),
            "epochs": round(self.epoch, 2),
            "steps": self.trainer.step_count,
            "seconds": round(self.seconds, 1),
            "parameters": sum(p.numel() for p in self.trainer.model.parameters()),
            "hardware": get_hardware_name(self.device),
            "processes": self.distributed.world_size,
            "precision": "bfloat16" if self.trainer.bfloat16 else "float32",
            "date": datetime.now(UTC).date().isoformat(),
            "versions": {"python": platform.python_version(), "torch": torch.__version__},
            "train_config": train_config,
            "teacher": self.trainer.teacher.record if self.trainer.teacher else None,
        }
