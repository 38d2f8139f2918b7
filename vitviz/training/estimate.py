"""Duration of a training run: an estimate from a few measured steps, and the time left of a running one.

A few seconds of steps on random images measures the speed, with and without patch dropout.
"""

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from vitviz.data.datasets import CIFAR10
from vitviz.errors import ConfigError
from vitviz.models.checkpoint import count_parameters
from vitviz.training.config import TrainConfig
from vitviz.training.data import TrainingData
from vitviz.training.device import (
    POSSIBLE_OOM_ERRORS,
    best_times,
    can_allocate,
    choose_device,
    get_hardware_name,
    is_out_of_memory,
    largest_activation,
    largest_allocation,
)
from vitviz.training.distributed import Distributed
from vitviz.training.evaluation import NUM_EVAL_SAMPLES
from vitviz.training.loop import TrainingLoop, patch_keep_ratio

NUM_THREADS = torch.get_num_threads()  # of a training process; a server's worker threads use fewer
MIN_SECONDS = 0.12  # duration of a measured call; small batches are slow
MIN_BATCH, MAX_BATCH = 8, 256  # images in the first and the last measured call
NUM_TRAIN, NUM_TEST = 50_000, 10_000  # images of CIFAR
FORWARD_FRACTION = 0.3  # of a step's duration, about


@dataclass(frozen=True)
class Estimate:
    """Estimated size and duration of a training run on this machine."""

    parameters: int  # number of parameters
    tokens: int  # sequence length
    images_per_second: float  # mean over the run
    seconds: float  # duration, including the final evaluation
    epochs: float  # epochs in the budget
    device: str  # name of the device


def estimate_run(config: TrainConfig, num_train: int = NUM_TRAIN, num_test: int = NUM_TEST) -> Estimate:
    """Estimate the duration of a training run on `num_train` images of a dataset with `num_test` test images.

    Raises:
        ConfigError: If the device is missing or its memory is too small for a step.
    """
    device = choose_device(config.device)
    with_dropout, full, snapshot = measure_seconds(config, device)
    images = max(2, min(num_train - config.val_size, config.max_train_samples or num_train))
    evaluation = FORWARD_FRACTION * full * 2 * min(NUM_EVAL_SAMPLES, images) / config.checkpoint_every_epochs
    early = config.patch_dropout_until
    if config.minutes is None:
        epochs = float(config.epochs or 0)
        seconds = epochs * (images * (early * with_dropout + (1 - early) * full) + evaluation) + snapshot
    else:
        seconds = 60 * config.minutes
        left = max(0.0, seconds - snapshot)
        epochs = left * (early / (images * with_dropout + evaluation) + (1 - early) / (images * full + evaluation))
    speed = epochs * images / seconds
    seconds += FORWARD_FRACTION * full * (config.val_size or num_test)
    return Estimate(
        count_parameters(config.model), config.model.num_tokens, speed, seconds, epochs, get_hardware_name(device)
    )


def measure_seconds(config: TrainConfig, device: torch.device) -> tuple[float, float, float]:
    """Return the seconds per image of training steps with patch dropout, and with all patches; those of all snapshots.

    Raises:
        ConfigError: If memory runs out.
    """
    parameters = count_parameters(config.model)
    explicit = config.attention == "explicit"
    activation = largest_activation(config.model, MIN_BATCH, explicit)
    threads = torch.get_num_threads()
    torch.set_num_threads(NUM_THREADS)
    try:
        # The system may kill a process that allocates more than there is, instead of raising an error.
        if device.type == "cpu" and not can_allocate(4 * parameters + config.model.depth * activation):
            raise MemoryError
        with torch.random.fork_rng(devices=[]):  # the loop sets the seed
            loop = TrainingLoop(config, Distributed(config.device), random_data(config, device))
        full, middle = time_per_image(loop, 1.0), config.patch_dropout_until / 2
        with_dropout = time_per_image(loop, middle) if patch_keep_ratio(config, middle) < 1 else full
        loop.update_weights()  # creates the optimizers' states
        update = best_times([loop.update_weights], device)[0] / config.global_batch_size
        snapshot = best_times([loop.record_snapshot], device, rounds=2)[0] if config.num_snapshots else 0.0
    except POSSIBLE_OOM_ERRORS as error:
        if not is_out_of_memory(error, largest_allocation(config.model, MAX_BATCH, explicit)):
            raise
        raise ConfigError(
            "model.embed_dim",
            "must be small enough for this machine's memory: a training step does not fit",
            "Lower embed_dim or depth, or use larger patches.",
        ) from error
    finally:
        torch.set_num_threads(threads)
    return with_dropout + update, full + update, config.num_snapshots * snapshot


def time_per_image(loop: TrainingLoop, progress: float) -> float:
    """Return seconds per image of forward and backward passes at a progress of the budget, in growing batches."""
    config, device = loop.config, loop.device
    count = min(MIN_BATCH, config.batch_size)
    while True:
        call = partial(run_backward, loop, torch.arange(count, device=device), progress)
        (seconds,) = best_times([call], device)
        if seconds > MIN_SECONDS or 2 * count > min(MAX_BATCH, config.batch_size):
            return seconds / count
        count = min(4 * count, MAX_BATCH, config.batch_size)


def run_backward(loop: TrainingLoop, batch: Tensor, progress: float) -> None:
    """Run one forward and one backward pass."""
    loop.backward(*loop.load(batch), progress)


def random_data(config: TrainConfig, device: torch.device) -> TrainingData:
    """Return random images on the device, for measurements."""
    images = torch.randint(0, 256, (MAX_BATCH, 3, *config.model.img_size), dtype=torch.uint8, device=device)
    data = images, torch.randint(0, config.model.num_classes, (MAX_BATCH,), device=device)
    return TrainingData(CIFAR10, data, data)


def estimate_seconds_left(config: TrainConfig, progress: float, seconds: float) -> float:
    """Return the seconds that a running training still takes, from its progress (above 0) and seconds so far."""
    if config.minutes is not None:
        return max(0.0, 60 * config.minutes - seconds)
    done, total = (until * mean_keep_ratio(config, until) for until in (progress, 1.0))
    return seconds * (total - done) / done


def mean_keep_ratio(config: TrainConfig, until: float) -> float:
    """Return the mean patch keep ratio up to a progress of the budget; the cost of a step is about proportional."""
    early = min(config.patch_dropout_until, until)
    ratio = max(patch_keep_ratio(config, early / 2), 1 / config.model.num_patches)  # at least one patch
    return (early * ratio + (until - early)) / until
