"""Load datasets by name as uint8 tensors at the model's input size, with class names and channel statistics."""

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from vitviz.data import cifar, hub_datasets, image_folder
from vitviz.data.cifar import Split
from vitviz.data.image_cache import IGNORE, SPLITS, Channels, Report, compute_mean_std, resize_all
from vitviz.data.image_folder import FolderSummary, Location
from vitviz.data.preprocessing import DEFAULT_RESIZE, Resize
from vitviz.errors import DataError

LabeledImages = tuple[Tensor, Tensor]  # images (n, 3, H, W) of uint8, labels (n,)


@dataclass(frozen=True)
class DatasetInfo:
    """Properties of a dataset that a checkpoint stores.

    Attributes:
        name: Name for the training record.
        classes: K names, in the order of the labels.
        mean: Mean of each channel over the training images, in 0..1.
        std: Standard deviation of each channel.
        fingerprint: Digest of the images' pixels; empty for those of CIFAR, whose checksums are known.
    """

    name: str
    classes: tuple[str, ...]
    mean: Channels = cifar.MEAN
    std: Channels = cifar.STD
    fingerprint: str = ""


@dataclass(frozen=True)
class Dataset:
    """A dataset with the images and labels of the requested splits."""

    info: DatasetInfo
    splits: dict[Split, LabeledImages]
    auto_split: bool = False  # whether the test images were held out of a folder without any


CIFAR10 = DatasetInfo("CIFAR-10", cifar.CLASSES)
DATASET_INFO = {"cifar10": CIFAR10, "cifar100": DatasetInfo("CIFAR-100", cifar.CIFARS["cifar100"].classes)}


def load(
    dataset: str,
    data: str | Path | None,
    img_size: tuple[int, int],
    splits: tuple[Split, ...] = SPLITS,
    num_head: int | None = None,
    num_tail: int = 0,
    resize: Resize = DEFAULT_RESIZE,
    report: Report = IGNORE,
) -> Dataset:
    """Load a dataset; images of another size than the model's input are preprocessed once, as by `preprocess_all`.

    Args:
        dataset: "cifar10", "cifar100", "folder", or "hf:OWNER/NAME" as for `hub_datasets`.
        data: Location, as for `cifar.find`, or a folder or zip as for `image_folder.load`.
        img_size: Height and width of the model's input (px).
        splits: Splits to load; an image folder is always loaded completely.
        num_head: Number of training images to load from the start; None for all.
        num_tail: Number of additional training images from the end (validation split).
        resize: Crop and filter with which images get this size; those of training by default.
        report: As for `preprocess_all`.

    Raises:
        vitviz.errors.DataError: If the dataset is missing, damaged or unsuitable for training.
    """
    if dataset not in DATASET_INFO:
        locations, summary = read_all(dataset, data, img_size, resize, report)
        where, name = dataset, hub_datasets.public_name(dataset)
        if dataset == "folder":
            where, name = str(data), "image folder"
        loaded, found = image_folder.label_splits(locations, summary, where), summary.images
        info = DatasetInfo(name, summary.classes, found.mean, found.std, found.fingerprint)
        return Dataset(info, loaded, summary.auto_split)
    info, loaded = DATASET_INFO[dataset], {}
    for split in splits:
        images, labels = cifar.load(split, data, dataset)
        if split == "train":
            if dataset != "cifar10":
                info = DatasetInfo(info.name, info.classes, *compute_mean_std(images))
            images, labels = head_and_tail((images, labels), num_head, num_tail)
        loaded[split] = resize_all(images, img_size, resize, report), labels
    return Dataset(info, loaded)


def read_all(
    dataset: str,
    data: str | Path | None,
    img_size: tuple[int, int],
    resize: Resize = DEFAULT_RESIZE,
    report: Report = IGNORE,
) -> tuple[dict[str, Location], FolderSummary]:
    """Preprocess all images of a dataset other than CIFAR, as `image_folder.read_all`."""
    if dataset.startswith(hub_datasets.PREFIX):
        return hub_datasets.read_all(dataset, img_size, resize, report)
    return image_folder.read_all(data, img_size, resize, report)


def is_available(dataset: str, data: str | Path | None = None) -> bool:
    """Return whether "cifar10" or "cifar100" is on disk."""
    try:
        cifar.find(data, dataset)
    except DataError:
        return False
    return True


def head_and_tail(split: LabeledImages, num_head: int | None, num_tail: int) -> LabeledImages:
    """Return the first and the last images and labels of a split, or the whole split if the ranges overlap or meet."""
    num_images = len(split[1])
    if num_head is None or num_head + num_tail >= num_images:
        return split
    images, labels = (torch.cat([values[:num_head], values[num_images - num_tail :]]) for values in split)
    return images, labels
