"""Images + a config -> a trained checkpoint, its metrics and its timeline.

The whole training set is one uint8 tensor on the device. `learner` takes the steps; here is told which images come
next, what share of the budget is spent, and what is measured and saved on the way. The result is the running average of
the weights at the end. Under `torchrun` every process takes its slice of each batch, and the first one keeps the time
and writes the files.

Order and variation of step n depend on the seed and on n alone, so a training that goes on from a saved state takes the
steps it would have taken.
"""

import json
import math
import os
import platform
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from vitviz.data import augmentation
from vitviz.data.datasets import DatasetInfo, CIFAR10, LabeledImages
from vitviz.models.checkpoint import Checkpoint
from vitviz.runs import run_folder
from vitviz.training import distillation
from vitviz.training.device import hardware, keep_freed_memory, memory_in_words
from vitviz.training.evaluation import NUM_EVAL_SAMPLES, accuracy
from vitviz.training.trainer import Trainer, State
from vitviz.training.masked_patches import MaskedPatches
from vitviz.runs.process import Stopped, Work
from vitviz.training.config import TrainConfig, TrainingError
from vitviz.training.schedule import schedule
from vitviz.training.signals import StopRequest
from vitviz.runs.timeline import probe_timeline
from vitviz.training.data import load_training_data, for_classes
from vitviz.training.distributed import ATTEMPT, Distributed

LOG_INTERVAL = 2.0  # seconds between looks at the loss, which make the device wait


@dataclass(frozen=True)
class Progress:
    """Where a training stands.

    Attributes:
        share: Of the budget, 0..1.
        epoch: Passes over the training images so far.
        seconds: Of training, without interruptions.
        loss: Mean of the steps since the last look.
        learning_rate: Of the first optimizer.
        images_per_second: Since the start, or since this process went on.
        accuracy: Of the averaged weights on the first test images (or those held out), if just measured.
        train_accuracy: The same on the first training images, as they are.
    """

    share: float
    epoch: float
    seconds: float
    loss: float
    learning_rate: float
    images_per_second: float
    accuracy: float | None = None
    train_accuracy: float | None = None


def train(
    config: TrainConfig, report: Callable[[Progress], None] = lambda progress: None, resume: bool = False
) -> Path:
    """Train a ViT; from now on this process keeps the memory that it frees, as every step needs it again.

    Args:
        config: The recipe, the data and the budget.
        report: Called about every two seconds, and with accuracies every `checkpoint_every_epochs` epochs and at the end.
        resume: Go on from the state saved in the run folder, if there is one.

    Returns:
        The checkpoint, `last.safetensors` in the run folder, beside `config.json`, `metrics.jsonl` and, if there are
        snapshots, `timeline.npz`. Its record's `test_accuracy` is that of the final averaged weights on all test
        images (`val_accuracy` if images are held out, `masked_patch_accuracy` of masked patches).

    Raises:
        vitviz.data.cifar.DataError: If the data set is not there, or nothing can be learned from it.
        ValueError: If the network is too large, the device is not there, a start or a teacher does not fit, or the run
            folder holds a run that this one does not go on with.
        vitviz.runs.process.Busy: If another process trains in the run folder.
        TrainingError: If the loss stops being finite, memory runs out, or the training is asked to stop (SIGINT,
            SIGTERM); the state saved last stays.
    """
    run_folder.check_size(config.model)
    keep_freed_memory()
    with Distributed(config.device) as team, StopRequest() as stop:
        with memory_in_words("The images must fit into memory: they do not. Use a smaller data set or img_size."):
            supply = load_training_data(config, team.device)
        config, images = for_classes(config, len(supply.about.classes)), len(supply.training[1])
        if min(config.batch_size, images) < team.size:
            raise ValueError(
                f"batch_size and images must be at least the number of processes: "
                f"{min(config.batch_size, images)} is below {team.size}. Raise it, or start fewer processes."
            )
        resume = resume or os.environ.get(ATTEMPT, "0") != "0"
        with Work(config.folder, stop) if team.leads else nullcontext() as work:
            saved = run_folder.saved_state(config, supply.about, images) if resume else None
            if work is not None:
                run_folder.prepare(config, saved)
                work.begin()
            with memory_in_words(
                f"A step must fit into memory: {config.batch_size} images in this network do not. Lower batch_size "
                "or the network; what was saved before is kept."
            ):
                run = Run(config, team, supply.training, supply.measured, supply.about, saved)
                run.work = work
                if (first := team.agree(steps := run.learner.step_count)[0]) != steps:
                    raise TrainingError(
                        f"All processes must go on from one state: the first one has taken {first:.0f} steps, this one "
                        f"{steps} by what lies in {config.folder}. Put that where all machines see it."
                    )
                for progress in run.steps(stop):
                    report(progress)
                return run.finish()


class Run:
    """One training in progress: images, learner, timeline, and how much of the budget is spent."""

    def __init__(
        self,
        config: TrainConfig,
        team: Distributed,
        train_set: LabeledImages,
        measured_set: LabeledImages,
        about: DatasetInfo = CIFAR10,
        saved: State | None = None,
    ) -> None:
        self.config, self.team, self.device, self.about = config, team, team.device, about
        (self.images, self.labels), self.measured = train_set, measured_set
        self.learner = Trainer(config, team, about, begins=saved is None)
        self.timeline = probe_timeline(config, about, self.measured)
        self.share = 0.0  # of the budget that is spent
        self.passes = 0  # over the training images, begun before this one
        self.batches_done = 0  # in this pass
        self.images_seen = 0
        self.seconds_before = 0.0  # of training, in processes before this one
        self.images_before = 0
        self.loss_sum = torch.zeros((), device=self.device)
        self.unread_steps = 0  # whose loss is in the sum
        self.loss = float("nan")
        self.work: Work | None = None  # of this process in the run folder
        sizes = {len(batch): batch for batch in self.batches()}
        if saved is not None:
            self.restore(saved)
        self.learner.prepare([self.part(batch) for batch in sizes.values()])  # before the clock starts
        self.started, self.looked = time.monotonic(), -math.inf  # so that the first step is noted at once

    def write(self, write: Callable[[], None]) -> None:
        """Write to the run folder; to wait for room on the disk is no time of training."""
        if self.work is None:
            write()
        else:
            self.started += self.work.retry_while_disk_full(write)

    @property
    def path(self) -> Path:
        """Where the result goes."""
        return self.config.folder / run_folder.LAST

    @property
    def timeline_path(self) -> Path:
        """Where the timeline goes."""
        return self.config.folder / run_folder.TIMELINE

    @property
    def seconds(self) -> float:
        """Of training, without interruptions."""
        return self.seconds_before + time.monotonic() - self.started

    @property
    def epoch(self) -> float:
        """Passes over the training images so far."""
        return self.images_seen / len(self.labels)

    def spent(self) -> float:
        """The share of the budget that is spent, 0..1."""
        if self.config.minutes is None:
            return min(1.0, self.epoch / (self.config.epochs or 1))
        return min(1.0, self.seconds / (60 * self.config.minutes))

    def middle(self, batch: Tensor) -> float:
        """The share that is spent in the middle of a step, so that a single one learns, too; of minutes at its start.

        How long a step takes is known only after it.
        """
        if self.config.epochs is None:
            return self.share
        end = (self.images_seen + len(batch)) / (len(self.labels) * self.config.epochs)
        return (self.share + min(1.0, end)) / 2

    def progress(self, accuracy: float | None = None, train_accuracy: float | None = None) -> Progress:
        """Where this training stands."""
        seen, seconds = self.images_seen - self.images_before, self.seconds - self.seconds_before
        speed = seen / seconds if seen else self.images_seen / self.seconds
        rate = self.learner.rate
        return Progress(self.share, self.epoch, self.seconds, self.loss, rate, speed, accuracy, train_accuracy)

    def steps(self, stop: StopRequest) -> Iterator[Progress]:
        """Train until the budget is spent or a stop is asked for, telling now and then where it stands."""
        if self.learner.step_count == 0 and self.timeline.due(0.0):
            self.snapshot()
        while self.share < 1:
            for batch in self.batches():
                self.step(batch)
                late = time.monotonic() - self.looked > LOG_INTERVAL
                clock = (self.spent(), late) if self.team.leads else (0.0, False)  # one process keeps the time
                self.share, looks, asked = self.team.largest(*clock, stop.asked)
                if self.timeline.due(self.share):
                    self.snapshot()
                if asked and self.share < 1:  # at the end there is nothing left to go on with
                    self.pause()
                if looks:
                    yield self.look()
                if self.share >= 1:
                    break
            else:
                self.passes += 1
                self.batches_done = 0
            if self.share >= 1 or self.passes % self.config.checkpoint_every_epochs == 0:
                yield self.look(measure=True)
                self.save({})

    def batches(self) -> Iterator[Tensor]:
        """The rest of this pass: positions (B,) of the images of each step, the same in all processes."""
        order = torch.Generator().manual_seed(self.config.seed * 1_000_003 + self.passes)
        shuffled = torch.randperm(len(self.labels), generator=order).to(self.device).split(self.config.batch_size)
        whole = [batch for batch in shuffled if len(batch) >= self.team.size]  # each process needs at least one
        yield from whole[self.batches_done :]

    def part(self, batch: Tensor) -> LabeledImages:
        """This process's slice of the images at these positions (B,), and their labels."""
        mine = self.team.slice(batch).to(self.device)
        return self.images[mine], self.labels[mine]

    def step(self, batch: Tensor) -> None:
        """One step on the images at these positions (B,)."""
        images, labels = self.part(batch)
        weight = len(labels) * self.team.size / len(batch)  # slices may differ by one image
        self.loss_sum += self.learner.step(images, labels, self.share, self.middle(batch), weight)
        self.unread_steps += 1
        self.batches_done += 1
        self.images_seen += len(batch)

    def look(self, measure: bool = False) -> Progress:
        """Read the loss, measure the watched images if asked, and note all that in the metrics.

        Raises:
            TrainingError: If the loss is not a number any more.
        """
        self.check_loss()
        watched = self.watched() if measure else []
        found = [accuracy(self.result({}), images[:NUM_EVAL_SAMPLES], labels[:NUM_EVAL_SAMPLES]) for images, labels in watched]
        self.looked = time.monotonic()
        progress = self.progress(*found)
        if self.team.leads:
            line = json.dumps(asdict(progress)) + "\n"
            self.write(lambda: run_folder.append(self.config.folder / run_folder.METRICS, line))
        return progress

    def watched(self) -> list[tuple[Tensor, Tensor]]:
        """The sets whose first images are followed: to measure on, and to train on; by the first process."""
        follows = self.team.leads and self.config.objective == "classify"
        return [self.measured, (self.images, self.labels)] if follows else []

    def check_loss(self) -> None:
        """Note the mean loss of the steps since the last look, and stop if it is not a number any more."""
        if self.unread_steps == 0:
            return
        self.loss = self.team.mean(self.loss_sum.item() / self.unread_steps)
        self.loss_sum.zero_()
        self.unread_steps = 0
        if not math.isfinite(self.loss):
            raise self.not_finite(f"The loss must stay finite: it is {self.loss} after step {self.learner.step_count}.")

    def not_finite(self, what: str) -> TrainingError:
        """The refusal to go on with numbers that are none."""
        kept = f" {self.path} keeps the state before." if self.path.exists() else ""
        return TrainingError(f"{what} Lower the learning rates.{kept}")

    def pause(self) -> None:
        """Save, and end this process of the training.

        Raises:
            Stopped: Always; it tells how to go on.
        """
        self.look()  # so that curves and lists end where the saved state does
        self.save({})
        raise Stopped(
            f"Stopped as asked in epoch {self.epoch:.1f}, at {100 * self.share:.0f} % of the budget; nothing is lost. "
            f"Go on with: python -m vitviz train --resume --out {shlex.quote(str(self.config.folder))}"
        )

    def snapshot(self) -> None:
        """Keep the timeline's images as the averaged model sees them now, where a page that follows can find them."""
        self.timeline.take(self.learner.average, self.epoch, self.seconds)
        if self.team.leads:
            self.write(lambda: self.timeline.save(self.timeline_path))

    def finish(self) -> Path:
        """Measure the result on the whole set and write the checkpoint without what only training needs."""
        if not self.team.leads:
            return self.path
        if self.timeline.moments:
            self.write(lambda: self.timeline.save(self.timeline_path, compact=True))
        self.save({self.measure: self.measured_accuracy()}, finished=True)
        return self.path

    @property
    def measure(self) -> str:
        """What the result is called in the record."""
        if self.config.objective == "masked-patch":
            return "masked_patch_accuracy"
        return "val_accuracy" if self.config.val_size else "test_accuracy"

    @torch.inference_mode()
    def measured_accuracy(self) -> float:
        """Of the averaged weights on the whole set to measure on; of the colours of hidden patches, the last ones'."""
        (images, labels), trained = self.measured, self.learner.trained
        if not isinstance(trained, MaskedPatches):
            return accuracy(self.result({}), images, labels)
        trained.eval()
        right = torch.zeros((), device=self.device)
        for part in images.split(500):
            right += len(part) * trained(augmentation.normalize(part, self.about.mean, self.about.std))[1]
        return right.item() / len(images)

    def save(self, found: dict[str, Any], finished: bool = False) -> None:
        """Write the checkpoint; until the training is finished, with all that is needed to go on."""
        if not self.team.leads:
            return
        if not all(weight.isfinite().all() for weight in self.learner.average.parameters()):
            raise self.not_finite(f"The weights must stay finite: they are not after step {self.learner.step_count}.")
        result = self.result(self.record() | found)
        state = None if finished else self.state()
        self.write(lambda: run_folder.save(result, self.path, state))

    def state(self) -> State:
        """All that decides how this training goes on, beside the average."""
        names = ("share", "passes", "batches_done", "images_seen", "seconds")
        counters = {name: getattr(self, name) for name in names}
        return self.learner.state(counters | ({"loss": self.loss} if math.isfinite(self.loss) else {}))

    def restore(self, saved: State) -> None:
        """Go on from a saved state."""
        distillation.check_same(saved.teacher, distillation.about(self.learner.teacher), self.config.folder)
        counters = saved.counters
        self.share, self.seconds_before = counters["share"], counters["seconds"]
        self.learner.restore(saved)
        self.learner.set_rates(schedule(self.config, self.share))  # to be told before the next step
        self.passes, self.batches_done = int(counters["passes"]), int(counters["batches_done"])
        self.images_seen = self.images_before = int(counters["images_seen"])
        self.loss = counters.get("loss", self.loss)  # to be told if the pass was at its end
        if self.config.num_snapshots:
            self.timeline.restore(self.timeline_path, self.epoch, self.share)

    def result(self, record: dict[str, Any]) -> Checkpoint:
        """The averaged model with all that is needed to use it."""
        about = self.about
        return Checkpoint(self.config.preset, self.learner.average, about.classes, about.mean, about.std, record)

    def record(self) -> dict[str, Any]:
        """How this training is being done, for the checkpoint's metadata."""
        train_config = asdict(self.config)
        for name in ("model", "data", "output_dir", "teacher"):
            del train_config[name]
        train_config["init_from"] = name_of_start(self.config)
        return {
            "dataset": self.about.name,
            "train_samples": len(self.labels),
            "epochs": round(self.epoch, 2),
            "steps": self.learner.step_count,
            "seconds": round(self.seconds, 1),
            "parameters": sum(p.numel() for p in self.learner.model.parameters()),
            "hardware": hardware(self.device),
            "processes": self.team.size,
            "precision": "bfloat16" if self.learner.bfloat16 else "float32",
            "date": datetime.now(UTC).date().isoformat(),
            "versions": {"python": platform.python_version(), "torch": torch.__version__},
            "train_config": train_config,
            "teacher": distillation.about(self.learner.teacher),
        }


def name_of_start(config: TrainConfig) -> str | None:
    """The checkpoint it starts from, for the record: its name or its run's, and no folder of this machine."""
    if config.init_from is None:
        return None
    path = Path(config.init_from)
    return path.parent.name if path.name == run_folder.LAST else path.name.removesuffix(".safetensors")
