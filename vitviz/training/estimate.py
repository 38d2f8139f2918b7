"""A config -> what its training will take here: parameters, tokens, memory, speed and time.

About a second of steps on random pictures tells the speed. Patches are dropped for a part of the budget, so both
parts are measured; measuring the watched pictures after each epoch is counted too.
"""

import os
from dataclasses import dataclass, replace
from typing import Any

import torch

from vitviz.model import checkpoint
from vitviz.model.config import ViTConfig
from vitviz.training import optimizer
from vitviz.training.device import choose_device, hardware, mixed_precision, timed
from vitviz.training.loop import WATCHED, Run
from vitviz.training.recipe import TrainConfig
from vitviz.training.schedule import patches_kept
from vitviz.training.start import freeze
from vitviz.training.team import Team

SECONDS = 0.25  # that a measured call shall take, about
FIRST_PICTURES = 8  # in the call that tells how many those are; few pictures at once are slow
MOST_PICTURES = 256  # in a measured call
PICTURES = 50_000  # in the training set of CIFAR
TESTED = 10_000
LIBRARIES = 450 * 2**20  # bytes that a process with torch needs before anything else
COPIES = 5  # of the weights: themselves, gradients, average, two states of the optimizer
MOST_UNLIKE = 8  # times the work for a picture, for one speed to tell another
FORWARD = 0.3  # of a step's time, about


@dataclass(frozen=True)
class Estimate:
    """What a training will take on this machine, about.

    Attributes:
        parameters: Numbers that the network learns.
        tokens: Of one picture, with the class token.
        pictures_per_second: Over the whole training.
        seconds: Of training.
        epochs: Passes over the pictures.
        memory: Bytes at the highest.
        device: In words.
    """

    parameters: int
    tokens: int
    pictures_per_second: float
    seconds: float
    epochs: float
    memory: int
    device: str


def estimate(
    config: TrainConfig,
    measured: tuple[TrainConfig, float] | None = None,
    available: int = PICTURES,
    tested: int = TESTED,
) -> Estimate:
    """Tell what a training will take on this machine.

    Args:
        config: What to train.
        measured: The config and the pictures per second of a training that runs now; nothing is measured beside it,
            and its speed is converted by the work for one picture.
        available: Pictures in the training set.
        tested: Pictures in the test set.

    Raises:
        ValueError: If the device is not there or has not enough memory, or `measured` cannot tell the speed.
    """
    device = choose_device(config.device)
    need, there = memory(config, available, tested), memory_of(device)
    if need > there:
        raise ValueError(
            f"A training must fit into memory: this one needs about {need / 1e9:.1f} GB, and there are "
            f"{there / 1e9:.1f}. Lower batch_size, width or depth, or use larger patches."
        )
    dropped, whole = calibrate(config, device) if measured is None else converted(config, *measured)
    pictures = max(2, min(available - config.held_out, config.pictures or available))
    measuring = FORWARD * whole * 2 * min(WATCHED, pictures) / config.save_every  # seconds of an epoch
    early = config.all_patches_from
    if config.minutes is None:
        epochs = float(config.epochs or 0)
        seconds = epochs * (pictures * (early * dropped + (1 - early) * whole) + measuring)
    else:
        seconds = 60 * config.minutes
        epochs = seconds * (early / (pictures * dropped + measuring) + (1 - early) / (pictures * whole + measuring))
    speed = epochs * pictures / seconds
    seconds += FORWARD * whole * (config.held_out or tested)
    words = hardware(device)
    return Estimate(checkpoint.parameters(config.model), config.model.tokens, speed, seconds, epochs, need, words)


def memory(config: TrainConfig, available: int = PICTURES, tested: int = TESTED) -> int:
    """Bytes that a training needs at the highest: libraries, data, weights, and what the backward pass reads again.

    The other arguments are those of `estimate`.
    """
    model = config.model
    per_token = 10 * model.width + 2 * model.mlp_width  # of each layer; counted from what autograd keeps
    maps = 0 if model.architecture == "vit" else 3 * model.heads * model.tokens  # the fast attention keeps none
    kept = 4 * config.batch_size * model.depth * model.tokens * (per_token + maps)
    pixels = 3 * model.image_size[0] * model.image_size[1]
    held = min(config.pictures or available, available) + tested
    data = held * pixels + 4 * 6 * config.batch_size * pixels
    return LIBRARIES + data + 4 * COPIES * checkpoint.parameters(model) + kept


def memory_of(device: torch.device) -> int:
    """Bytes of memory that a device has."""
    if device.type == "cuda":
        return torch.cuda.get_device_properties(device).total_memory
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 2**63


def calibrate(config: TrainConfig, device: torch.device) -> tuple[float, float]:
    """Seconds for a picture while patches are dropped, and with all of them, by a few steps on random pictures."""
    images = torch.randint(0, 256, (MOST_PICTURES, 3, *config.model.image_size), dtype=torch.uint8, device=device)
    labels = torch.randint(0, config.model.classes, (MOST_PICTURES,), device=device)
    free: dict[str, Any] = {"start": None, "teacher": None, "frozen": False, "pictures": None, "held_out": 0}
    team = Team(config.device)
    with torch.random.fork_rng(devices=[]):  # a run sets the seed
        run = Run(
            replace(config, snapshots=0, compiled=False, batch_size=2, **free), team, (images, labels), (images, labels)
        )
    if config.frozen:
        freeze(run.model)
        run.optimizers = optimizer.build(run.trained, config, team)

    def learn(count: int) -> None:
        run.objective(torch.arange(count)).backward()

    def update() -> None:
        with mixed_precision(device, run.bfloat16):
            for chosen in run.optimizers:
                chosen.step()

    run.share = 1.0
    learn(FIRST_PICTURES)
    first = timed(lambda: learn(FIRST_PICTURES), device)
    count = round(min(max(FIRST_PICTURES, FIRST_PICTURES * SECONDS / first), MOST_PICTURES))
    taken = timed(lambda: learn(count), device)
    update()  # the first one makes the states
    fixed = timed(update, device) / config.batch_size
    whole = taken / count
    run.share = config.all_patches_from / 2
    learn(count)
    dropped = timed(lambda: learn(count), device) / count if patches_kept(config, run.share) < 1 else whole
    return dropped + fixed, whole + fixed


def converted(config: TrainConfig, other: TrainConfig, speed: float) -> tuple[float, float]:
    """The same from the speed of another training (pictures/s), by the work for one picture.

    Raises:
        ValueError: If the other's network is of quite another size: a small one hardly gets to its work.
    """
    alike = (config.model.architecture == "convnet") == (other.model.architecture == "convnet")
    if not (alike and 1 / MOST_UNLIKE <= mean_work(config) / mean_work(other) <= MOST_UNLIKE):
        raise ValueError(
            "The time is told when nothing trains: the network that trains now is of quite another kind or size."
        )
    unit = 1 / (speed * mean_work(other))  # seconds for one operation
    early = patches_kept(config, config.all_patches_from / 2)
    return unit * work(config.model, early), unit * work(config.model, 1.0)


def mean_work(config: TrainConfig) -> float:
    """Operations for one picture of a training, with its share of dropped patches."""
    early = config.all_patches_from
    return early * work(config.model, patches_kept(config, early / 2)) + (1 - early) * work(config.model, 1.0)


def work(model: ViTConfig, kept: float) -> float:
    """Operations of a forward pass over one picture, of whose patches this share is kept, up to a factor."""
    tokens = model.prefix + kept * model.patches
    block = tokens * model.width * (4 * model.width + 2 * model.mlp_width) + 2 * tokens**2 * model.width
    return model.depth * block + tokens * model.width * 3 * model.patch_size**2
