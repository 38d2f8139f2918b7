"""A config -> what its training will take here: parameters, tokens, memory, speed and time.

DatasetInfo a second of steps on random images tells the speed. Patches are dropped for a part of the budget, so both
parts are measured; measuring the watched images after each epoch is counted too.
"""

import os
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor

from vitviz.models import checkpoint
from vitviz.models.config import ConvNetConfig, ModelConfig
from vitviz.training.config import TrainConfig
from vitviz.training.device import choose_device, hardware, timed
from vitviz.training.distributed import Distributed
from vitviz.training.evaluation import NUM_EVAL_SAMPLES
from vitviz.training.schedule import patch_keep_ratio
from vitviz.training.trainer import Trainer

THREADS = torch.get_num_threads()  # of a process that trains; a server's threads take fewer
SECONDS = 0.12  # that a measured call shall take at least: few images at once are slow
FIRST_IMAGES = 8  # in the first call
MOST_IMAGES = 256  # in a measured call
IMAGES = 50_000  # in the training set of CIFAR
TESTED = 10_000
LIBRARIES = 450 * 2**20  # bytes that a process with torch needs before anything else
COPIES = 5  # of the weights: themselves, gradients, average, two states of the optimizer
MOST_UNLIKE = 8  # times the work for an image, for one speed to tell another
FORWARD = 0.3  # of a step's time, about


@dataclass(frozen=True)
class Estimate:
    """What a training will take on this machine, about.

    Attributes:
        parameters: Numbers that the network learns.
        tokens: Of one image, with the class token.
        images_per_second: Over the whole training.
        seconds: Of training.
        epochs: Passes over the images.
        memory: Bytes at the highest.
        device: In words.
    """

    parameters: int
    tokens: int
    images_per_second: float
    seconds: float
    epochs: float
    memory: int
    device: str


def estimate(
    config: TrainConfig,
    measured: tuple[TrainConfig, float, float] | None = None,
    available: int = IMAGES,
    tested: int = TESTED,
) -> Estimate:
    """Tell what a training will take on this machine.

    Args:
        config: What to train.
        measured: The config of a training that runs now, its images per second so far and the share of its budget
            that is spent; nothing is measured beside it, and its speed is converted by the work for one image.
        available: Images in the training set.
        tested: Images in the test set.

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
    images = max(2, min(available - config.val_size, config.max_train_samples or available))
    measuring = (
        FORWARD * whole * 2 * min(NUM_EVAL_SAMPLES, images) / config.checkpoint_every_epochs
    )  # seconds of an epoch
    early = config.patch_dropout_until
    if config.minutes is None:
        epochs = float(config.epochs or 0)
        seconds = epochs * (images * (early * dropped + (1 - early) * whole) + measuring)
    else:
        seconds = 60 * config.minutes
        epochs = seconds * (early / (images * dropped + measuring) + (1 - early) / (images * whole + measuring))
    speed = epochs * images / seconds
    seconds += FORWARD * whole * (config.val_size or tested)
    words = hardware(device)
    tokens = 0 if isinstance(config.model, ConvNetConfig) else config.model.num_tokens
    return Estimate(checkpoint.count_parameters(config.model), tokens, speed, seconds, epochs, need, words)


def memory(config: TrainConfig, available: int = IMAGES, tested: int = TESTED) -> int:
    """Bytes that a training needs at the highest: libraries, data, weights, and what the backward pass reads again.

    The other arguments are those of `estimate`.
    """
    model = config.model
    pixels = 3 * model.img_size[0] * model.img_size[1]
    kept = 4 * config.batch_size * numbers_kept(model)
    held = min(config.max_train_samples or available, available) + tested
    data = held * pixels + 4 * 6 * config.batch_size * pixels
    return LIBRARIES + data + 4 * COPIES * checkpoint.count_parameters(model) + kept


def numbers_kept(model: ModelConfig) -> int:
    """How many numbers the backward pass reads again for one image; counted from what autograd keeps."""
    if isinstance(model, ConvNetConfig):
        return 8 * model.embed_dim * model.img_size[0] * model.img_size[1]  # most of them before the image is halved
    maps = 0 if model.architecture == "vit" else 3 * model.num_heads * model.num_tokens  # the fast attention keeps none
    return model.depth * model.num_tokens * (10 * model.embed_dim + 2 * model.mlp_hidden_dim + maps)


def memory_of(device: torch.device) -> int:
    """Bytes of memory that a device has."""
    if device.type == "cuda":
        return torch.cuda.get_device_properties(device).total_memory
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 2**63


def calibrate(config: TrainConfig, device: torch.device) -> tuple[float, float]:
    """Seconds for an image while patches are dropped, and with all of them, by a few steps on random images."""
    images = torch.randint(0, 256, (MOST_IMAGES, 3, *config.model.img_size), dtype=torch.uint8, device=device)
    labels = torch.randint(0, config.model.num_classes, (MOST_IMAGES,), device=device)
    with torch.random.fork_rng(devices=[]):  # a learner sets the seed
        learner = Trainer(replace(config, teacher=None), Distributed(config.device), begins=False)

    def seconds_each(share: float) -> float:
        """Of forward and backward pass at this share of the budget, by more and more images at once."""
        count = min(FIRST_IMAGES, config.batch_size)
        while True:
            call = partial(learn, learner, images[:count], labels[:count], share)
            call()  # the first of a size prepares for it
            taken = timed(call, device)
            if taken > SECONDS or 2 * count > min(MOST_IMAGES, config.batch_size):
                return taken / count
            count *= 2

    before = torch.get_num_threads()
    torch.set_num_threads(THREADS)
    try:
        whole, middle = seconds_each(1.0), config.patch_dropout_until / 2
        dropped = seconds_each(middle) if patch_keep_ratio(config, middle) < 1 else whole
        learner.update()  # the first one makes the states
        fixed = timed(learner.update, device) / config.batch_size
    finally:
        torch.set_num_threads(before)
    return dropped + fixed, whole + fixed


def learn(learner: Trainer, images: Tensor, labels: Tensor, share: float) -> None:
    """A forward and a backward pass over images at a share of the budget."""
    learner.objective(images, labels, share).backward()


def converted(config: TrainConfig, other: TrainConfig, speed: float, share: float) -> tuple[float, float]:
    """The same from the mean speed (images/s) of another training up to a share of its budget, by the work for one.

    Raises:
        ValueError: If the other's network is of quite another size: a small one hardly gets to its work.
    """
    alike = isinstance(config.model, ConvNetConfig) == isinstance(other.model, ConvNetConfig)
    if not (alike and 1 / MOST_UNLIKE <= mean_work(config) / mean_work(other) <= MOST_UNLIKE):
        raise ValueError(
            "The time is told when nothing trains: the network that trains now is of quite another kind or size."
        )
    unit = 1 / (speed * mean_work(other, share))  # seconds for one operation
    early = patch_keep_ratio(config, config.patch_dropout_until / 2)
    return unit * work(config.model, early), unit * work(config.model, 1.0)


def mean_work(config: TrainConfig, until: float = 1.0) -> float:
    """Operations for one image, mean over a training up to a share of its budget, with its dropped patches."""
    early = min(config.patch_dropout_until, until)
    dropped = work(config.model, patch_keep_ratio(config, early / 2))
    return (early * dropped + (until - early) * work(config.model, 1.0)) / until


def seconds_left(config: TrainConfig, share: float, seconds: float) -> float:
    """Seconds that a training still takes, told from those it took up to a share of its budget, above 0."""
    if config.minutes is not None:
        return max(0.0, 60 * config.minutes - seconds)
    done = share * mean_work(config, share) / mean_work(config)
    return seconds * (1 - done) / done


def work(model: ModelConfig, kept: float) -> float:
    """Operations of a forward pass over one image, of whose patches this share is kept, up to a factor."""
    if isinstance(model, ConvNetConfig):
        return 18 * model.depth * model.embed_dim**2 * model.img_size[0] * model.img_size[1]
    tokens = model.num_prefix_tokens + kept * model.num_patches
    block = (
        tokens * model.embed_dim * (4 * model.embed_dim + 2 * model.mlp_hidden_dim) + 2 * tokens**2 * model.embed_dim
    )
    return model.depth * block + tokens * model.embed_dim * 3 * model.patch_size**2
