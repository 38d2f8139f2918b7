"""Pictures + a config -> a trained checkpoint, its metrics and its timeline.

The whole training set is one uint8 tensor on the device and is varied there in batches. The rate, patch dropping and
mixing follow the share of the budget that is spent. The result is the running average of the weights at the end. Under
`torchrun` every process takes its slice of each batch, and the first one keeps the time and writes the files.
"""

import json
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from vitviz.data import augment, cifar, pictures
from vitviz.model import checkpoint
from vitviz.model.checkpoint import Checkpoint, atomic_write
from vitviz.model.vit import ViT
from vitviz.training import optimizer
from vitviz.training.evaluate import accuracy
from vitviz.training.recipe import TrainConfig, TrainingError
from vitviz.training.team import Team
from vitviz.training.timeline import Timeline

WATCHED = 1000  # test pictures whose accuracy is followed during training; the result is that of all 10,000
CHECK_EVERY = 25  # steps between looks at the loss, which make the device wait


@dataclass(frozen=True)
class Progress:
    """Where a training stands.

    Attributes:
        share: Of the budget, 0..1.
        epoch: Passes over the training pictures so far.
        seconds: Since the start.
        loss: Mean of the last steps.
        rate: Pictures per second since the start.
        accuracy: Of the averaged weights on the first test pictures, if just measured.
    """

    share: float
    epoch: float
    seconds: float
    loss: float
    rate: float
    accuracy: float | None = None


def train(config: TrainConfig, report: Callable[[Progress], None] = lambda progress: None) -> Path:
    """Train a ViT on CIFAR-10.

    Args:
        config: The recipe, the data and the budget.
        report: Called every few steps and after each epoch.

    Returns:
        The checkpoint, `last.safetensors` in the run folder, beside `config.json`, `metrics.jsonl` and `timeline.npz`.
        Its record's `test_accuracy` is that of the final averaged weights on all 10,000 test pictures.

    Raises:
        vitviz.data.cifar.DataError: If the data set is not there.
        TrainingError: If the loss stops being finite; the last epoch's checkpoint stays.
    """
    with Team(config.device) as team:
        device = team.device
        images, labels = (part[: config.pictures].to(device) for part in cifar.load("train", config.data))
        test_images, test_labels = (part.to(device) for part in cifar.load("test", config.data))
        most = min(config.batch_size, len(labels))
        if most < team.size:
            raise ValueError(
                f"batch_size and pictures must be at least the number of processes: {most} is below {team.size}. "
                "Raise it, or start fewer processes."
            )
        if team.leads:
            prepare_folder(config)
        torch.manual_seed(config.seed)
        run = Run(config, team, (images, labels), (test_images, test_labels))
        torch.manual_seed(config.seed + team.rank)
        for progress in run.steps():
            report(progress)
        return run.finish()


def prepare_folder(config: TrainConfig) -> None:
    """Make the run folder, write the config into it and begin its metrics.

    Raises:
        ValueError: If it holds a trained model, which is not overwritten.
    """
    if (config.folder / "last.safetensors").exists():
        raise ValueError(
            f"A run folder must be new: {config.folder} holds a trained model. Name another with --out, or delete it."
        )
    config.folder.mkdir(parents=True, exist_ok=True)
    with atomic_write(config.folder / "config.json") as file:
        file.write(json.dumps(asdict(config), indent=1).encode())
    (config.folder / "metrics.jsonl").write_bytes(b"")


def mixed_precision(team: Team) -> AbstractContextManager[Any]:
    """Autocast to bfloat16 where that is faster: on GPUs, and on CPUs that multiply it in hardware.

    Many CPUs only emulate bfloat16 and lose by it, so one product of each kind is timed, by the first process for all.
    """
    faster = team.device.type == "cuda" or seconds_of_product(torch.bfloat16) < 0.8 * seconds_of_product(torch.float32)
    return torch.autocast(team.device.type, torch.bfloat16) if team.agree(float(faster)) else nullcontext()


def seconds_of_product(dtype: torch.dtype) -> float:
    """Time a matrix product of a training step's size: the best of five."""
    a, b = torch.ones(2048, 256, dtype=dtype), torch.ones(256, 512, dtype=dtype)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        a @ b
        times.append(time.perf_counter() - start)
    return min(times)


class Run:
    """One training in progress: data, model, optimizers, average and timeline."""

    def __init__(
        self,
        config: TrainConfig,
        team: Team,
        train_set: tuple[Tensor, Tensor],
        test_set: tuple[Tensor, Tensor],
    ) -> None:
        self.config, self.team, self.device = config, team, team.device
        (self.images, self.labels), self.test = train_set, test_set
        self.model = ViT(config.model).to(self.device)
        self.average = AveragedModel(self.model, multi_avg_fn=self.blend)
        self.optimizers = optimizer.build(self.model, config.muon_rate, config.adamw_rate, config.weight_decay)
        self.timeline = probe_timeline(config, self.device)
        self.precision = mixed_precision(team)
        self.order = torch.Generator().manual_seed(config.seed)  # of the pictures, the same in all processes
        self.started = time.monotonic()
        self.share = 0.0  # of the budget that is spent
        self.step_count = 0
        self.pictures_seen = 0
        self.loss_sum = torch.zeros((), device=self.device)
        self.unread_steps = 0  # whose loss is in the sum
        self.loss = float("nan")

    @property
    def path(self) -> Path:
        """Where the result goes."""
        return self.config.folder / "last.safetensors"

    def blend(self, average: Any, current: Any, count: Any) -> None:
        """Update the running average; its memory grows from a few steps to the full length."""
        decay = min(self.config.average_decay, (1 + self.step_count) / (10 + self.step_count))
        get_ema_multi_avg_fn(decay)(average, current, count)

    @property
    def seconds(self) -> float:
        """Since the start of the training."""
        return time.monotonic() - self.started

    @property
    def epoch(self) -> float:
        """Passes over the training pictures so far."""
        return self.pictures_seen / len(self.labels)

    def spent(self) -> float:
        """The share of the budget that is spent, 0..1, by the clock of the first process."""
        if self.config.minutes is None:
            return min(1.0, self.epoch / (self.config.epochs or 1))
        return self.team.agree(min(1.0, self.seconds / (60 * self.config.minutes)))

    def progress(self, accuracy: float | None = None) -> Progress:
        """Where this training stands."""
        return Progress(self.share, self.epoch, self.seconds, self.loss, self.pictures_seen / self.seconds, accuracy)

    def steps(self) -> Iterator[Progress]:
        """Train until the budget is spent, telling now and then where it stands."""
        self.snapshot()
        while self.share < 1:
            for batch in torch.randperm(len(self.labels), generator=self.order).split(self.config.batch_size):
                if len(batch) < self.team.size:
                    break  # too few left to give each process one
                self.step(batch.to(self.device))
                self.share = self.spent()
                if self.timeline.due(self.share):
                    self.snapshot()
                if self.step_count % CHECK_EVERY == 0:
                    self.check_loss()
                    yield self.progress()
                if self.share >= 1:
                    break
            yield self.end_epoch()

    def step(self, batch: Tensor) -> None:
        """One step on the pictures at these positions (B,), of which this process takes its slice."""
        config, share = self.config, self.share
        self.pictures_seen += len(batch)
        whole, batch = len(batch), self.team.slice(batch)
        images = augment.normalise(augment.shift_and_flip(self.images[batch]), cifar.MEAN, cifar.STD)  # (B, 3, H, W)
        targets = augment.one_hot(self.labels[batch], config.model.classes)  # (B, K)
        if share < config.mixing_until:
            images, targets = augment.cutmix(images, targets, config.cutmix)
        kept = patches_kept(config, share)
        patches = config.model.tokens - config.model.prefix
        keep = augment.keep_patches(len(batch), patches, kept, self.device)
        with self.precision:
            loss = F.cross_entropy(self.model(images, keep), targets, label_smoothing=config.label_smoothing)
        (loss * (len(batch) * self.team.size / whole)).backward()  # slices may differ by one picture
        self.team.average_gradients(self.model)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), config.clip)
        for chosen in self.optimizers:
            for group in chosen.param_groups:
                group["lr"] = group["base_lr"] * schedule(share, config.warm_up)
            chosen.step()
            chosen.zero_grad()
        self.average.update_parameters(self.model)
        self.loss_sum += loss.detach()
        self.step_count += 1
        self.unread_steps += 1

    def check_loss(self) -> None:
        """Note the mean loss of the steps since the last look, and stop if it is not a number any more."""
        if self.unread_steps == 0:
            return
        self.loss = self.loss_sum.item() / self.unread_steps
        self.loss_sum.zero_()
        self.unread_steps = 0
        if self.loss != self.loss or abs(self.loss) == float("inf"):
            kept = f" {self.path} keeps the last whole epoch." if self.path.exists() else ""
            raise TrainingError(
                f"The loss must stay finite: it is {self.loss} after step {self.step_count}. "
                f"Lower the learning rates.{kept}"
            )

    def snapshot(self) -> None:
        """Keep the timeline's pictures as the averaged model sees them now."""
        self.timeline.take(self.averaged(), self.epoch, self.seconds)

    def averaged(self) -> ViT:
        """The averaged model, in evaluation mode."""
        return cast(ViT, self.average.module).eval()

    def end_epoch(self) -> Progress:
        """Measure on the watched test pictures, write the metrics line and the checkpoint so far."""
        self.check_loss()  # or the last steps before a failure would overwrite a good checkpoint
        if not self.team.leads:
            return self.progress()
        images, labels = self.test
        watched = accuracy(self.result({}), images[:WATCHED], labels[:WATCHED])
        progress = self.progress(watched)
        with (self.config.folder / "metrics.jsonl").open("a") as file:
            file.write(json.dumps(asdict(progress)) + "\n")
        self.save({"watched_accuracy": watched})
        return progress

    def finish(self) -> Path:
        """Measure the result on the whole test set and write checkpoint and timeline."""
        seconds = self.seconds
        if not self.team.leads:
            return self.path
        if self.config.snapshots:
            self.timeline.save(self.config.folder / "timeline.npz")
        return self.save(
            {"test_accuracy": accuracy(self.result({}), self.test[0], self.test[1]), "seconds": round(seconds, 1)}
        )

    def save(self, found: dict[str, Any]) -> Path:
        """Write the averaged weights with their record, atomically."""
        checkpoint.save(self.result(self.record() | found), self.path)
        return self.path

    def result(self, record: dict[str, Any]) -> Checkpoint:
        """The averaged model with all that is needed to use it."""
        return Checkpoint(self.config.preset, self.averaged(), cifar.CLASSES, cifar.MEAN, cifar.STD, record)

    def record(self) -> dict[str, Any]:
        """How this training is being done, for the checkpoint's metadata."""
        recipe = asdict(replace(self.config, data=None, out=None))
        del recipe["model"], recipe["data"], recipe["out"]
        return {
            "data_set": "CIFAR-10",
            "pictures": len(self.labels),
            "epochs": round(self.epoch, 2),
            "steps": self.step_count,
            "parameters": sum(p.numel() for p in self.model.parameters()),
            "hardware": hardware(self.device),
            "processes": self.team.size,
            "precision": "float32" if isinstance(self.precision, nullcontext) else "bfloat16",
            "date": datetime.now(UTC).date().isoformat(),
            "versions": {"python": platform.python_version(), "torch": torch.__version__},
            "recipe": recipe,
        }


def schedule(share: float, warm_up: float) -> float:
    """The rate at a share of the budget, relative to its peak: a straight climb, then a straight fall to zero."""
    return share / warm_up if share < warm_up else (1 - share) / (1 - warm_up)


def patches_kept(config: TrainConfig, share: float) -> float:
    """The share of patches used at a share of the budget: a steady climb, then all."""
    if share >= config.all_patches_from:
        return 1.0
    return config.first_patches + (config.last_patches - config.first_patches) * share / config.all_patches_from


def probe_timeline(config: TrainConfig, device: torch.device) -> Timeline:
    """A timeline of the project's own sample pictures."""
    paths = pictures.sample_paths()
    seen = [pictures.to_tensor(pictures.prepare(path, config.model.image_size).seen) for path in paths.values()]
    images = augment.normalise(torch.stack(seen).to(device), cifar.MEAN, cifar.STD)
    return Timeline(list(paths), images, config.snapshots)


def hardware(device: torch.device) -> str:
    """Name the device that trains."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    names = [line.split(":", 1)[1].strip() for line in cpu_lines() if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, {torch.get_num_threads()} threads"


def cpu_lines() -> list[str]:
    """What Linux says about its CPUs; empty elsewhere."""
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.is_file() else []
