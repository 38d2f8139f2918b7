"""This engine against a training loop as tutorials write it: same network, device and batch, in turn, in one run.

The plain loop reads PIL images through a DataLoader of eight workers, varies each by itself and computes in full
precision. Both give images a second; the engine's also as a share of what a large matrix product reaches here.
"""

import statistics
import warnings
from collections.abc import Iterable, Iterator

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
from vitviz.data.datasets import LabeledImages
from vitviz.models.factory import create_model
from vitviz.training.config import TrainConfig
from vitviz.training.device import keep_freed_memory, timed
from vitviz.training.distributed import Distributed
from vitviz.training.schedule import patch_keep_ratio
from vitviz.training.trainer import Trainer

WORKERS = 8
ROUNDS = 3  # of each side in turn
WARM_UP = 2  # steps of each that are not timed
ALL = "all patches"
MOMENTS = (0.125, 0.375, 0.625, 0.875)  # shares of the budget, the middles of its quarters
MATRIX = {"cuda": 8192, "cpu": 2048}  # side of the product that measures the peak


class PilImages(Dataset[tuple[Tensor, int]]):
    """CIFAR-10 as tutorials read it: a PIL image at a time, through torchvision's transforms."""

    def __init__(self, images: Tensor, labels: Tensor) -> None:
        self.images, self.labels = images.permute(0, 2, 3, 1).contiguous().numpy(), labels.tolist()
        self.vary = transforms.Compose(
            [
                transforms.RandomCrop(32, padding=4),
                transforms.RandomHorizontalFlip(),
                transforms.ToTensor(),
                transforms.Normalize(cifar.MEAN, cifar.STD),
            ]
        )

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, place: int) -> tuple[Tensor, int]:
        return self.vary(Image.fromarray(self.images[place])), self.labels[place]


def train(config: TrainConfig, steps: int) -> None:
    """Print train_images a second of both loops, their ratio, and the engine's share of the device's peak.

    Args:
        config: What to train, on what, in which batches.
        steps: Of each side in each of three rounds.

    Raises:
        ValueError: If a pass over the train_images has not so many.
    """
    keep_freed_memory()  # of the plain loop, too: that favours it
    with Distributed(config.device) as distributed, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "This DataLoader will create")  # as many workers as tutorials take
        images, labels = cifar.load("train", config.data)
        if steps > (most := len(labels) // config.batch_size - WARM_UP):
            raise ValueError(
                f"A pass over {len(labels):,} train_images in batches of {config.batch_size} has {most} steps to time: got "
                f"{steps}. Lower --steps or --batch-size."
            )
        train_images = images.to(distributed.device), labels.to(distributed.device)
        learner = Trainer(config, distributed)
        learner.prepare([(train_images[0][: config.batch_size], train_images[1][: config.batch_size])])
        drops = patch_keep_ratio(config, 0.0) < 1
        shares = {ALL: 1.0 if drops else 0.0}
        if drops:
            kept = {share: patch_keep_ratio(config, share) for share in MOMENTS}
            shares |= {f"{kept[share]:.0%} of them, after {share:.1%} of the budget": share for share in MOMENTS}
        plain = PlainLoop(config, distributed.device, PilImages(images, labels))
        times: dict[str, list[float]] = {name: [] for name in ("plain", *shares)}
        for _ in range(ROUNDS):
            times["plain"].append(plain.seconds(steps))
            for name, share in shares.items():
                times[name].append(engine_seconds(learner, train_images, share, steps))
        peak = peak_of_product(distributed.device, learner.bfloat16)
    speeds = {name: steps * config.batch_size / statistics.median(found) for name, found in times.items()}
    if len(shares) > 1:
        speeds["the whole training"] = over_budget(config, [speeds[name] for name in shares if name != ALL])
    show(config, speeds, peak)


def over_budget(config: TrainConfig, speeds: list[float]) -> float:
    """Images a second of a training, from those in equal parts of its budget: minutes, or images."""
    return statistics.mean(speeds) if config.minutes is not None else statistics.harmonic_mean(speeds)


def show(config: TrainConfig, speeds: dict[str, float], peak: float) -> None:
    """Print the table of images a second, and what part of the peak (FLOP/s) the engine reaches."""
    table = Table("loop", "images/s", "ratio")
    for name, speed in speeds.items():
        label = "DataLoader, PIL, full precision" if name == "plain" else f"vitviz, {name}"
        table.add_row(label, f"{speed:,.0f}", f"{speed / speeds['plain']:.2f}")
    out = Console()
    out.print(table)
    work = work_of_step(config)
    reached = speeds[ALL] * work
    out.print(
        f"{config.preset}, batch {config.batch_size}: {work / 1e9:.2f} GFLOP an image, so with all patches "
        f"{reached / 1e12:.2f} TFLOP/s, {100 * reached / peak:.0f} % of the {peak / 1e12:.2f} of a large product"
    )


class PlainLoop:
    """A training loop as tutorials write it."""

    def __init__(self, config: TrainConfig, device: torch.device, images: PilImages) -> None:
        self.device = device
        self.model: nn.Module = create_model(config.model).to(device).train()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), 1e-3)
        self.loader = DataLoader(
            images, config.batch_size, shuffle=True, num_workers=WORKERS, pin_memory=device.type == "cuda"
        )

    def seconds(self, steps: int) -> float:
        """Time so many steps; starting the workers, and the first steps, are not counted."""
        engines = torch.get_float32_matmul_precision()  # it lets GPUs round, and holds for the whole process
        torch.set_float32_matmul_precision("highest")
        batches = iter(self.loader)
        self.steps(batches, WARM_UP)
        taken = timed(lambda: self.steps(batches, steps), self.device)
        torch.set_float32_matmul_precision(engines)
        return taken

    def steps(self, batches: Iterator[Iterable[Tensor]], count: int) -> None:
        """Take so many steps."""
        for _ in range(count):
            images, labels = (part.to(self.device) for part in next(batches))
            loss = F.cross_entropy(self.model(images), labels)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            loss.item()  # as tutorials do, for their mean


def engine_seconds(learner: Trainer, data: LabeledImages, share: float, steps: int) -> float:
    """Time so many steps of the engine at a share of the budget; the first ones are not counted."""
    images, labels = data
    places = torch.randperm(len(labels)).to(learner.device).split(learner.config.batch_size)[: WARM_UP + steps]

    def take(part: tuple[Tensor, ...]) -> None:
        for batch in part:
            learner.step(images[batch], labels[batch], share, share)

    timed(lambda: take(places[:WARM_UP]), learner.device)
    return timed(lambda: take(places[WARM_UP:]), learner.device)


def work_of_step(config: TrainConfig) -> float:
    """Floating point operations of a forward and a backward pass of one image."""
    model = create_model(config.model).train()
    counter = FlopCounterMode(display=False)
    with counter:
        model(torch.zeros(1, 3, *config.model.img_size)).sum().backward()
    return float(counter.get_total_flops())


def peak_of_product(device: torch.device, bfloat16: bool) -> float:
    """Floating point operations a second of a large square matrix product, in the precision of the training."""
    side = MATRIX[device.type]
    a = torch.randn(side, side, device=device, dtype=torch.bfloat16 if bfloat16 else torch.float32)
    timed(lambda: a @ a, device)
    return 2 * side**3 / min(timed(lambda: a @ a, device) for _ in range(5))
