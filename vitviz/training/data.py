"""Data of a training run: images and labels on the device, and their augmentation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from vitviz.data import augmentation, datasets
from vitviz.data.cifar import Split
from vitviz.data.datasets import DatasetInfo, LabeledImages
from vitviz.data.image_cache import IGNORE, SPLITS, Report
from vitviz.errors import ConfigError
from vitviz.malloc import request_pages
from vitviz.training.config import TrainConfig

MAX_GPU_FRACTION = 0.3  # of the free memory, for each split


@dataclass(frozen=True)
class TrainingData:
    """Images of a training run, on its device if they fit, or mapped from a file."""

    info: DatasetInfo  # class names, mean and standard deviation of the dataset
    train: LabeledImages
    eval: LabeledImages  # to measure accuracy on: the test set, or the validation split


def load_training_data(config: TrainConfig, device: torch.device, report: Report = IGNORE) -> TrainingData:
    """Load the images of a training run; `report` as for `preprocess_all`.

    Raises:
        DataError: If the dataset is missing or damaged.
        ConfigError: If `val_size` or `batch_size` is too large for it.
    """
    splits: tuple[Split, ...] = ("train",) if config.val_size else SPLITS
    dataset = datasets.load(
        config.dataset,
        config.data,
        config.model.img_size,
        splits,
        num_head=config.max_train_samples,
        num_tail=config.val_size,
        report=report,
    )
    images, labels = dataset.splits["train"]
    count = len(labels) - config.val_size
    if config.val_size:
        check_val_size(config.val_size, config.global_batch_size, len(labels))
        eval_set = images[count:], labels[count:]
    else:
        eval_set = dataset.splits["test"]
    count = min(count, config.max_train_samples or count)
    train, eval_set = (to_device(split, device) for split in ((images[:count], labels[:count]), eval_set))
    return TrainingData(dataset.info, train, eval_set)


def to_device(split: LabeledImages, device: torch.device) -> LabeledImages:
    """Move images and labels to a GPU whose free memory is several times as large; others are moved batch by batch."""
    if device.type == "cuda" and split[0].nbytes > MAX_GPU_FRACTION * torch.cuda.mem_get_info(device)[0]:
        return split
    return split[0].to(device), split[1].to(device)


def check_val_size(val_size: int, batch_size: int, num_images: int) -> None:
    """Raise ConfigError if the training images outside of the validation split do not fill a batch."""
    if (left := num_images - val_size) < 2:
        raise ConfigError(
            "val_size", f"must leave at least 2 training images: got {val_size:,} of {num_images:,}", "Lower it."
        )
    if batch_size > left:
        raise ConfigError(
            "batch_size",
            f"must be at most the number of training images: {batch_size} is above {left}",
            "Lower `batch_size` or `val_size`.",
        )


def replace_num_classes(config: TrainConfig, num_classes: int) -> TrainConfig:
    """Return the config with `num_classes` logits."""
    return replace(config, model=replace(config.model, num_classes=num_classes))


def epoch_batches(config: TrainConfig, labels: Tensor, epoch: int) -> tuple[Tensor, ...]:
    """Return the batches of an epoch, counted from 0: indices (B,) of random images, the last one smaller.

    Args:
        config: Its sampler draws the images.
        labels: Class of each image, (n,).
        epoch: Number of the epoch, counted from 0.
    """
    generator = torch.Generator().manual_seed(config.seed * 1_000_003 + epoch)
    if config.sampler == "balanced":  # as `torch.utils.data.WeightedRandomSampler`
        weights = balanced_weights(labels.cpu())[labels.cpu()]
        order = torch.multinomial(weights, len(labels), replacement=True, generator=generator)
    else:
        order = torch.randperm(len(labels), generator=generator)
    return order.to(labels.device).split(config.global_batch_size)


def balanced_weights(labels: Tensor, num_classes: int = 0) -> Tensor:
    """Return the weight of each class, (K,): n / (number of classes with images * images of the class).

    It is `class_weight="balanced"` of scikit-learn; the mean weight of all images is 1.
    """
    counts = labels.bincount(minlength=num_classes)
    return len(labels) / (counts.count_nonzero() * counts.clamp_min(1))


def read_ahead(images: Tensor, batches: Sequence[Tensor]) -> Iterator[Tensor]:
    """Generate batches, indices (B,) of images, while the system reads those of the next one if they are in a file."""
    for batch, following in zip(batches, [*batches[1:], batches[-1]], strict=True):
        if images.device.type == "cpu":
            request_pages(images, following.tolist())
        yield batch


def step_seed(seed: int, step: int) -> int:
    """Return the seed of the draws of a step that are common to all processes."""
    return (seed * 1_000_003 + step) * 1009


def augment(config: TrainConfig, info: DatasetInfo, images: Tensor, labels: Tensor, mix: bool) -> tuple[Tensor, Tensor]:
    """Augment and normalize a batch.

    Args:
        config: Augmentations and their strength.
        info: Mean and standard deviation of the dataset.
        images: uint8 (B, 3, H, W).
        labels: (B,).
        mix: Whether to use CutMix and Mixup.

    Returns:
        Images, float32 (B, 3, H, W), and soft labels (B, K).
    """
    images = augmentation.random_crop_and_flip(images)
    if config.randaug_num_ops:
        images = augmentation.rand_augment(images, config.randaug_num_ops, config.randaug_magnitude)
    images = augmentation.normalize(images, info.mean, info.std)
    soft_labels = augmentation.one_hot(labels, config.model.num_classes)  # (B, K)
    draw = torch.rand(len(labels), device=labels.device)
    if mix and config.cutmix_prob:
        images, soft_labels = augmentation.cutmix(images, soft_labels, draw < config.cutmix_prob)
    if mix and config.mixup_prob:
        images, soft_labels = augmentation.mixup(images, soft_labels, draw >= 1 - config.mixup_prob)
    if config.random_erasing_prob:
        images = augmentation.random_erasing(images, config.random_erasing_prob)
    return images, soft_labels
