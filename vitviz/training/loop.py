"""Pictures + a config -> a trained checkpoint, its metrics and its timeline.

The whole training set is one uint8 tensor on the device and is varied there in batches. The rate, patch dropping and
mixing follow the share of the budget that is spent. The result is the running average of the weights at the end. Under
`torchrun` every process takes its slice of each batch, and the first one keeps the time and writes the files.

Order and variation of step n depend on the seed and on n alone, so a training that goes on from a saved state takes the
steps it would have taken.
"""

import copy
import itertools
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
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vitviz.data import augment
from vitviz.data.sets import CIFAR10, About, Part
from vitviz.model import checkpoint
from vitviz.model.architectures import build
from vitviz.model.checkpoint import Checkpoint
from vitviz.model.vit import ViT
from vitviz.training import optimizer, run_folder, teacher
from vitviz.training.device import (
    bfloat16_is_faster,
    hardware,
    keep_freed_memory,
    memory_in_words,
    mixed_precision,
)
from vitviz.training.evaluate import accuracy
from vitviz.training.masked_patches import MaskedPatches
from vitviz.training.process import Stopped, Work
from vitviz.training.recipe import TrainConfig, TrainingError
from vitviz.training.run_folder import State
from vitviz.training.schedule import patches_kept, schedule
from vitviz.training.signals import StopRequest
from vitviz.training.start import adopt, freeze, name_of_start
from vitviz.training.supply import check_held_out, data_sets, for_classes, probe_timeline, vary
from vitviz.training.team import ATTEMPT, Team

WATCHED = 1000  # pictures whose accuracy is followed during training; the result is that of all
LOOK_EVERY = 2.0  # seconds between looks at the loss, which make the device wait


@dataclass(frozen=True)
class Progress:
    """Where a training stands.

    Attributes:
        share: Of the budget, 0..1.
        epoch: Passes over the training pictures so far.
        seconds: Of training, without interruptions.
        loss: Mean of the steps since the last look.
        learning_rate: Of the first optimizer.
        pictures_per_second: Since the start, or since this process went on.
        accuracy: Of the averaged weights on the first test pictures (or those held out), if just measured.
        train_accuracy: The same on the first training pictures, as they are.
    """

    share: float
    epoch: float
    seconds: float
    loss: float
    learning_rate: float
    pictures_per_second: float
    accuracy: float | None = None
    train_accuracy: float | None = None


def train(
    config: TrainConfig, report: Callable[[Progress], None] = lambda progress: None, resume: bool = False
) -> Path:
    """Train a ViT; from now on this process keeps the memory that it frees, as every step needs it again.

    Args:
        config: The recipe, the data and the budget.
        report: Called about every two seconds, and with accuracies every `save_every` epochs and at the end.
        resume: Go on from the state saved in the run folder, if there is one.

    Returns:
        The checkpoint, `last.safetensors` in the run folder, beside `config.json`, `metrics.jsonl` and, if there are
        snapshots, `timeline.npz`. Its record's `test_accuracy` is that of the final averaged weights on all test
        pictures (`held_out_accuracy` if pictures are held out, `hidden_colour_accuracy` of masked patches).

    Raises:
        vitviz.data.cifar.DataError: If the data set is not there, or nothing can be learned from it.
        ValueError: If the network is too large, the device is not there, a start or a teacher does not fit, or the run
            folder holds a run that this one does not go on with.
        vitviz.training.process.Busy: If another process trains in the run folder.
        TrainingError: If the loss stops being finite, memory runs out, or the training is asked to stop (SIGINT,
            SIGTERM); the state saved last stays.
    """
    run_folder.check_size(config.model)
    keep_freed_memory()
    with Team(config.device) as team, StopRequest() as stop:
        with memory_in_words("The pictures must fit into memory: they do not. Use a smaller data set or image_size."):
            supply = data_sets(config, team.device)
        config, pictures = for_classes(config, len(supply.about.classes)), len(supply.training[1])
        if min(config.batch_size, pictures) < team.size:
            raise ValueError(
                f"batch_size and pictures must be at least the number of processes: "
                f"{min(config.batch_size, pictures)} is below {team.size}. Raise it, or start fewer processes."
            )
        resume = resume or os.environ.get(ATTEMPT, "0") != "0"
        with Work(config.folder, stop) if team.leads else nullcontext() as work:
            saved = run_folder.saved_state(config, supply.about, pictures) if resume else None
            if work is not None:
                run_folder.prepare(config, saved)
                work.begin()
            with memory_in_words(
                f"A step must fit into memory: {config.batch_size} pictures in this network do not. Lower batch_size "
                "or the network; what was saved before is kept."
            ):
                run = Run(config, team, supply.training, supply.measured, supply.about, saved)
                run.work = work
                if (first := team.agree(run.step_count)[0]) != run.step_count:
                    raise TrainingError(
                        f"All processes must go on from one state: the first one has taken {first:.0f} steps, this one "
                        f"{run.step_count} by what lies in {config.folder}. Put that where all machines see it."
                    )
                for progress in run.steps(stop):
                    report(progress)
                return run.finish()


class Run:
    """One training in progress: data, model, optimizers, average and timeline."""

    def __init__(
        self,
        config: TrainConfig,
        team: Team,
        train_set: Part,
        measured_set: Part,
        about: About = CIFAR10,
        saved: State | None = None,
    ) -> None:
        self.config, self.team, self.device, self.about = config, team, team.device, about
        (self.images, self.labels), self.measured = train_set, measured_set
        torch.manual_seed(config.seed)
        self.model = build(config.model).to(self.device)
        if config.start is not None and saved is None:  # a saved state has it all, and outlives the checkpoint
            source = checkpoint.load(config.start)
            check_held_out(config, about, source, "start")
            adopt(self.model, source)
        if config.frozen:
            freeze(self.model)
        self.teacher = teacher.teacher_of(config, about, self.device)
        self.average = copy.deepcopy(self.model).eval()
        self.trained: nn.Module = self.model  # with what only the objective needs
        if config.objective == "masked-patch":
            self.trained = MaskedPatches(cast(ViT, self.model), about.mean, about.std).to(self.device)
        self.optimizers = optimizer.build(self.trained, config, team)
        self.timeline = probe_timeline(config, about, self.measured)
        self.bfloat16 = bool(team.agree(bfloat16_is_faster(self.device))[0])
        self.share = 0.0  # of the budget that is spent
        self.passes = 0  # over the training pictures, begun before this one
        self.batches_done = 0  # in this pass
        self.step_count = 0
        self.pictures_seen = 0
        self.seconds_before = 0.0  # of training, in processes before this one
        self.pictures_before = 0
        self.loss_sum = torch.zeros((), device=self.device)
        self.unread_steps = 0  # whose loss is in the sum
        self.loss = float("nan")
        self.network: Callable[..., Any] = team.share(self.trained)
        self.compiled: Callable[..., Any] = self.network  # for all patches
        self.vary = vary
        if self.device.type == "cuda":
            torch.set_float32_matmul_precision("high")
            if config.compiled:
                self.compile()
        self.work: Work | None = None  # of this process in the run folder
        self.started, self.looked = time.monotonic(), -math.inf  # so that the first step is noted at once
        if saved is not None:
            self.restore(saved)

    def write(self, write: Callable[[], None]) -> None:
        """Write to the run folder; to wait for room on the disk is no time of training."""
        if self.work is None:
            write()
        else:
            self.started += self.work.patiently(write)

    def compile(self) -> None:
        """Compile the augmentation and, for all patches, the network, before the clock starts.

        While patches are dropped their number changes again and again: the network is not compiled for each.

        Raises:
            TrainingError: If that fails.
        """
        from torch._dynamo.exc import TorchDynamoException  # takes its time to import

        torch.compiler.reset()  # it compiles a function a few times only, and the runs of a sweep share them
        self.compiled, self.vary = torch.compile(self.network, dynamic=False), torch.compile(vary, dynamic=False)
        if self.teacher is not None:
            self.teacher.model.compile(dynamic=False)
        phases = {0.0, self.config.mixing_until, self.config.all_patches_from}
        sizes = {len(batch) for batch in self.batches()}
        try:
            for share, size in itertools.product(phases, sizes):
                self.share = min(share, 1.0)
                self.objective(torch.arange(size)).backward()
        except TorchDynamoException as error:
            reason = str(error).strip().partition("\n")[0]
            raise TrainingError(
                f"The network must compile for this GPU: {reason}. Leave that out with --set compiled=false."
            ) from error
        self.trained.zero_grad()
        self.share = 0.0

    @property
    def path(self) -> Path:
        """Where the result goes."""
        return self.config.folder / run_folder.LAST

    @property
    def timeline_path(self) -> Path:
        """Where the timeline goes."""
        return self.config.folder / run_folder.TIMELINE

    @torch.no_grad()
    def blend(self) -> None:
        """Update the running average; its memory begins empty and grows from a few steps to the full length.

        As `torch.optim.swa_utils.AveragedModel` does, which makes a GPU wait at every step to count them.
        """
        grown = (1 + self.step_count) / (10 + self.step_count) if self.step_count else 0.0
        old: list[Tensor] = list(self.average.parameters())
        new: list[Tensor] = list(self.model.parameters())
        torch._foreach_lerp_(old, new, 1 - min(self.config.average_decay, grown))

    @property
    def seconds(self) -> float:
        """Of training, without interruptions."""
        return self.seconds_before + time.monotonic() - self.started

    @property
    def epoch(self) -> float:
        """Passes over the training pictures so far."""
        return self.pictures_seen / len(self.labels)

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
        end = (self.pictures_seen + len(batch)) / (len(self.labels) * self.config.epochs)
        return (self.share + min(1.0, end)) / 2

    def progress(self, accuracy: float | None = None, train_accuracy: float | None = None) -> Progress:
        """Where this training stands."""
        speed = (self.pictures_seen - self.pictures_before) / (self.seconds - self.seconds_before)
        rate = self.optimizers[0].param_groups[0]["lr"]
        return Progress(self.share, self.epoch, self.seconds, self.loss, rate, speed, accuracy, train_accuracy)

    def steps(self, stop: StopRequest) -> Iterator[Progress]:
        """Train until the budget is spent or a stop is asked for, telling now and then where it stands."""
        if self.step_count == 0 and self.timeline.due(0.0):
            self.snapshot()
        while self.share < 1:
            for batch in self.batches():
                self.step(batch)
                late = time.monotonic() - self.looked > LOOK_EVERY
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
            if self.share >= 1 or self.passes % self.config.save_every == 0:
                yield self.look(measure=True)
                self.save({})

    def batches(self) -> Iterator[Tensor]:
        """The rest of this pass: positions (B,) of the pictures of each step, the same in all processes."""
        order = torch.Generator().manual_seed(self.config.seed * 1_000_003 + self.passes)
        shuffled = torch.randperm(len(self.labels), generator=order).to(self.device).split(self.config.batch_size)
        whole = [batch for batch in shuffled if len(batch) >= self.team.size]  # each process needs at least one
        yield from whole[self.batches_done :]

    def step(self, batch: Tensor) -> None:
        """One step on the pictures at these positions (B,), of which this process takes its slice."""
        config, rate = self.config, schedule(self.config, self.middle(batch))
        torch.manual_seed((config.seed * 1_000_003 + self.step_count) * 1009 + self.team.rank)
        loss = self.objective(batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.trained.parameters(), config.clip)
        for chosen in self.optimizers:
            for group in chosen.param_groups:
                group["lr"] = group["base_lr"] * rate
            with mixed_precision(self.device, self.bfloat16):  # the products of Muon
                chosen.step()
            chosen.zero_grad()
        self.blend()
        self.loss_sum += loss.detach()
        self.unread_steps += 1
        self.step_count += 1
        self.batches_done += 1
        self.pictures_seen += len(batch)

    def objective(self, batch: Tensor) -> Tensor:
        """The loss on this process's slice of the pictures at these positions (B,), weighed by its size; in nats."""
        mine = self.team.slice(batch).to(self.device)
        mixing = self.share < self.config.mixing_until
        images, targets = self.vary(self.config, self.about, self.images[mine], self.labels[mine], mixing)
        with mixed_precision(self.device, self.bfloat16):
            loss = self.loss_of(images, targets)
        return loss * (len(mine) * self.team.size / len(batch))  # slices may differ by one picture

    def loss_of(self, images: Tensor, targets: Tensor) -> Tensor:
        """The objective on normalised images (B, 3, H, W) and targets (B, K): one number, in nats."""
        config = self.config
        if config.objective == "masked-patch":
            return self.compiled(images)[0]
        patches = config.model.patches
        if self.teacher is not None:
            targets = teacher.taught(self.teacher.model, images, targets, config.teacher_share)
        keep = augment.keep_patches(len(images), patches, patches_kept(config, self.share), self.device)
        network = self.compiled if keep is None else self.network
        return F.cross_entropy(network(images, keep), targets, label_smoothing=config.label_smoothing)

    def look(self, measure: bool = False) -> Progress:
        """Read the loss, measure the watched pictures if asked, and note all that in the metrics.

        Raises:
            TrainingError: If the loss is not a number any more.
        """
        self.check_loss()
        watched = self.watched() if measure else []
        found = [accuracy(self.result({}), images[:WATCHED], labels[:WATCHED]) for images, labels in watched]
        self.looked = time.monotonic()
        progress = self.progress(*found)
        if self.team.leads:
            line = json.dumps(asdict(progress)) + "\n"
            self.write(lambda: run_folder.append(self.config.folder / run_folder.METRICS, line))
        return progress

    def watched(self) -> list[tuple[Tensor, Tensor]]:
        """The sets whose first pictures are followed: to measure on, and to train on; by the first process."""
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
            raise self.not_finite(f"The loss must stay finite: it is {self.loss} after step {self.step_count}.")

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
        """Keep the timeline's pictures as the averaged model sees them now, where a page that follows can find them."""
        self.timeline.take(self.average, self.epoch, self.seconds)
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
            return "hidden_colour_accuracy"
        return "held_out_accuracy" if self.config.held_out else "test_accuracy"

    @torch.inference_mode()
    def measured_accuracy(self) -> float:
        """Of the averaged weights on the whole set to measure on; of the colours of hidden patches, the last ones'."""
        images, labels = self.measured
        if not isinstance(self.trained, MaskedPatches):
            return accuracy(self.result({}), images, labels)
        self.trained.eval()
        right = torch.zeros((), device=self.device)
        for part in images.split(500):
            right += len(part) * self.trained(augment.normalise(part, self.about.mean, self.about.std))[1]
        return right.item() / len(images)

    def save(self, found: dict[str, Any], finished: bool = False) -> None:
        """Write the checkpoint; until the training is finished, with all that is needed to go on."""
        if not self.team.leads:
            return
        if not all(weight.isfinite().all() for weight in self.average.parameters()):
            raise self.not_finite(f"The weights must stay finite: they are not after step {self.step_count}.")
        result = self.result(self.record() | found)
        state = None if finished else self.state()
        self.write(lambda: run_folder.save(result, self.path, state))

    def counters(self) -> dict[str, float]:
        """How far this training is."""
        names = ("share", "passes", "batches_done", "step_count", "pictures_seen", "seconds", "bfloat16")
        known = {name: getattr(self, name) for name in names}
        return known | ({"loss": self.loss} if math.isfinite(self.loss) else {})

    def state(self) -> State:
        """All that decides how this training goes on, beside the average."""
        weights = dict(self.trained.state_dict())
        states = [chosen.state_dict()["state"] for chosen in self.optimizers]
        return State(self.average.state_dict(), weights, states, self.counters(), teacher.about(self.teacher))

    def restore(self, saved: State) -> None:
        """Go on from a saved state."""
        teacher.check_same(saved.teacher, teacher.about(self.teacher), self.config.folder)
        self.trained.load_state_dict(saved.weights)
        self.average.load_state_dict(saved.average)
        counters = saved.counters
        for chosen, state in zip(self.optimizers, saved.optimizers, strict=True):
            chosen.load_state_dict({"state": state, "param_groups": chosen.state_dict()["param_groups"]})
        self.share, self.seconds_before = counters["share"], counters["seconds"]
        self.bfloat16 = bool(counters["bfloat16"])
        self.passes, self.batches_done = int(counters["passes"]), int(counters["batches_done"])
        self.step_count, self.pictures_seen = int(counters["step_count"]), int(counters["pictures_seen"])
        self.pictures_before = self.pictures_seen
        self.loss = counters.get("loss", self.loss)  # to be told if the pass was at its end
        if self.config.snapshots:
            self.timeline.restore(self.timeline_path, self.epoch, self.share)
        self.started = time.monotonic()

    def result(self, record: dict[str, Any]) -> Checkpoint:
        """The averaged model with all that is needed to use it."""
        about = self.about
        return Checkpoint(self.config.preset, self.average, about.classes, about.mean, about.std, record)

    def record(self) -> dict[str, Any]:
        """How this training is being done, for the checkpoint's metadata."""
        recipe = asdict(self.config)
        del recipe["model"], recipe["data"], recipe["out"], recipe["teacher"]
        recipe["start"] = name_of_start(self.config)
        return {
            "data_set": self.about.name,
            "pictures": len(self.labels),
            "epochs": round(self.epoch, 2),
            "steps": self.step_count,
            "seconds": round(self.seconds, 1),
            "parameters": sum(p.numel() for p in self.model.parameters()),
            "hardware": hardware(self.device),
            "processes": self.team.size,
            "precision": "bfloat16" if self.bfloat16 else "float32",
            "date": datetime.now(UTC).date().isoformat(),
            "versions": {"python": platform.python_version(), "torch": torch.__version__},
            "recipe": recipe,
            "teacher": teacher.about(self.teacher),
        }
