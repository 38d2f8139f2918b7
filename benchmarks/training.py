"""The trainer against a training loop as in tutorials: same network, device and batch size, alternating in one process.

The tutorial loop reads PIL images through a DataLoader with eight workers, augments each image separately and computes
in float32. Both are reported in images/s; the trainer also as a fraction of the speed of a large matrix product.
"""

import statistics
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace

import torch
import torch.nn.functional as F
from PIL import Image
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset
from torch.utils.flop_counter import FlopCounterMode
from torchvision import transforms

from vitviz.data import cifar
from vitviz.data.datasets import CIFAR10
from vitviz.malloc import keep_freed_memory
from vitviz.models.config import ViTConfig
from vitviz.models.factory import create_model
from vitviz.training.config import TrainConfig
from vitviz.training.data import TrainingData
from vitviz.training.device import time_call
from vitviz.training.distributed import Distributed
from vitviz.training.loop import TrainingLoop, patch_keep_ratio

NUM_WORKERS = 8
ROUNDS = 3  # of alternating measurements
WARMUP_STEPS = 2  # not timed
ALL = "all patches"
MAE = "masked autoencoder"  # on the same network
QUARTERS = (0.125, 0.375, 0.625, 0.875)  # progress in the middle of each quarter of the budget
MATMUL_SIZE = {"cuda": 8192, "cpu": 2048}  # side of the matrices whose product measures the peak


class PilImages(Dataset[tuple[Tensor, int]]):
    """CIFAR-10 as in tutorials: one PIL image at a time, through torchvision's transforms."""

    def __init__(self, images: Tensor, labels: Tensor) -> None:
        self.images, self.labels = images.permute(0, 2, 3, 1).contiguous().numpy(), labels.tolist()
        self.transform = transforms.Compose(
            [
                transforms.RandomCrop(32, padding=4),
                transforms.RandomHorizontalFlip(),
                transforms.ToTensor(),
                transforms.Normalize(cifar.MEAN, cifar.STD),
            ]
        )

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        return self.transform(Image.fromarray(self.images[index])), self.labels[index]


def train(config: TrainConfig, steps: int) -> None:
    """Print images/s of both loops, their ratio, and the trainer's fraction of the device's peak.

    Args:
        config: Model, dataset and batch size.
        steps: Steps of each loop in each of three rounds.

    Raises:
        ValueError: If an epoch has fewer steps.
    """
    keep_freed_memory()  # of the tutorial loop as well, which becomes faster
    with Distributed(config.device) as distributed, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "This DataLoader will create")  # as many workers as in tutorials
        images, labels = cifar.load("train", config.data)
        if steps > (limit := len(labels) // config.batch_size - WARMUP_STEPS):
            raise ValueError(
                f"--steps must be at most the {limit} timed steps of an epoch of {len(labels):,} images in batches of "
                f"{config.batch_size}: got {steps}. Use fewer steps or a smaller --batch-size."
            )
        train_set = images.to(distributed.device), labels.to(distributed.device)
        trainer = TrainingLoop(config, distributed, TrainingData(CIFAR10, train_set, train_set))
        if distributed.device.type == "cuda" and config.compile:
            trainer.compile()
        drops = patch_keep_ratio(config, 0.0) < 1
        phases = {ALL: 1.0 if drops else 0.0}
        if drops:
            ratios = {progress: patch_keep_ratio(config, progress) for progress in QUARTERS}
            phases |= {
                f"{ratio:.0%} of them, at {progress:.1%} of the budget": progress for progress, ratio in ratios.items()
            }
        autoencoder = TrainingLoop(
            replace(config, objective="mae"), distributed, TrainingData(CIFAR10, train_set, train_set)
        )
        tutorial = TutorialLoop(config.model, config.batch_size, distributed.device, PilImages(images, labels))
        times: dict[str, list[float]] = {name: [] for name in ("tutorial", *phases, MAE)}
        for _ in range(ROUNDS):
            times["tutorial"].append(tutorial.time_steps(steps))
            for name, progress in phases.items():
                times[name].append(time_trainer(trainer, progress, steps))
            times[MAE].append(time_trainer(autoencoder, 0.0, steps))
        peak = measure_peak(distributed.device, trainer.bfloat16)
    speeds = {name: steps * config.batch_size / statistics.median(seconds) for name, seconds in times.items()}
    if len(phases) > 1:
        speeds["whole training"] = mean_speed(config, [speeds[name] for name in phases if name != ALL])
        speeds[MAE] = speeds.pop(MAE)  # last
    print_speeds(config, speeds, peak)


def mean_speed(config: TrainConfig, speeds: list[float]) -> float:
    """Return images/s of a run from those in equal parts of its budget, which is minutes or epochs."""
    return statistics.mean(speeds) if config.minutes is not None else statistics.harmonic_mean(speeds)


def print_speeds(config: TrainConfig, speeds: dict[str, float], peak: float) -> None:
    """Print a table of images/s, and the trainer's fraction of the peak (FLOP/s)."""
    table = Table("loop", "images/s", "ratio")
    for name, speed in speeds.items():
        label = "DataLoader, PIL, float32" if name == "tutorial" else f"vitviz, {name}"
        table.add_row(label, f"{speed:,.0f}", f"{speed / speeds['tutorial']:.2f}")
    out = Console()
    out.print(table)
    flops = count_flops(config.model)
    reached = speeds[ALL] * flops
    out.print(
        f"{config.folder.name}, batch size {config.batch_size}: {flops / 1e9:.2f} GFLOP per image, so with all patches "
        f"{reached / 1e12:.2f} TFLOP/s, {100 * reached / peak:.0f} % of the {peak / 1e12:.2f} of a large matrix product"
    )


class TutorialLoop:
    """A training loop as in tutorials."""

    def __init__(self, model: ViTConfig, batch_size: int, device: torch.device, images: PilImages) -> None:
        self.device = device
        self.model: nn.Module = create_model(model).to(device).train()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), 1e-3)
        self.loader = DataLoader(
            images, batch_size, shuffle=True, num_workers=NUM_WORKERS, pin_memory=device.type == "cuda"
        )

    def time_steps(self, steps: int) -> float:
        """Return the duration of steps (s), without starting the workers and without warmup."""
        precision = torch.get_float32_matmul_precision()  # set by the trainer for the whole process
        torch.set_float32_matmul_precision("highest")
        batches = iter(self.loader)
        self.take_steps(batches, WARMUP_STEPS)
        seconds = time_call(lambda: self.take_steps(batches, steps), self.device)
        torch.set_float32_matmul_precision(precision)
        return seconds

    def take_steps(self, batches: Iterator[Iterable[Tensor]], count: int) -> None:
        """Take training steps."""
        for _ in range(count):
            images, labels = (tensor.to(self.device) for tensor in next(batches))
            loss = F.cross_entropy(self.model(images), labels)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            loss.item()  # as in tutorials, for the mean loss


def time_trainer(trainer: TrainingLoop, progress: float, steps: int) -> float:
    """Return the duration of steps of the trainer at a progress of the budget (s), without warmup."""
    order = torch.randperm(len(trainer.labels)).to(trainer.device)
    batches = order.split(trainer.config.batch_size)[: WARMUP_STEPS + steps]
    trainer.progress = progress

    def take_steps(batches: tuple[Tensor, ...]) -> None:
        for batch in batches:
            trainer.step(batch)

    time_call(lambda: take_steps(batches[:WARMUP_STEPS]), trainer.device)
    return time_call(lambda: take_steps(batches[WARMUP_STEPS:]), trainer.device)


def count_flops(config: ViTConfig) -> float:
    """Return the floating point operations of a forward and a backward pass of one image."""
    model = create_model(config).train()
    counter = FlopCounterMode(display=False)
    with counter:
        model(torch.zeros(1, 3, *config.img_size)).sum().backward()
    return float(counter.get_total_flops())


def measure_peak(device: torch.device, bfloat16: bool) -> float:
    """Return the speed of a large matrix product in the precision of the trainer (FLOP/s)."""
    side = MATMUL_SIZE[device.type]
    a = torch.randn(side, side, device=device, dtype=torch.bfloat16 if bfloat16 else torch.float32)
    time_call(lambda: a @ a, device)
    return 2 * side**3 / min(time_call(lambda: a @ a, device) for _ in range(5))
