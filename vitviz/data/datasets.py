"""The name of a data set -> its images as tensors, with all that a checkpoint must know about them.

CIFAR-10, CIFAR-100, or a folder of one's own labelled images: all come as uint8 tensors of the size the model sees.
"""

from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from vitviz.data import cifar, cifar100, image_folder
from vitviz.data.cifar import DataError, Split

Channels = tuple[float, float, float]  # red, green, blue
LabeledImages = tuple[Tensor, Tensor]  # images (n, 3, H, W) of uint8, labels (n,)

LEAST_STD = 0.01  # of images that are all alike


@dataclass(frozen=True)
class DatasetInfo:
    """What a checkpoint must know about the images it was trained on.

    Attributes:
        name: Of the data set, for the record.
        classes: K names, in the order of the labels.
        mean: Of each colour channel of the training images, in 0..1.
        std: Standard deviation of each.
    """

    name: str
    classes: tuple[str, ...]
    mean: Channels = cifar.MEAN
    std: Channels = cifar.STD


@dataclass(frozen=True)
class DataSet:
    """A data set in memory.

    Attributes:
        about: Names and numbers.
        parts: Images and labels of the splits that were asked for.
    """

    about: DatasetInfo
    parts: dict[Split, LabeledImages]


CIFAR10 = DatasetInfo("CIFAR-10", cifar.CLASSES)
ABOUT = {"cifar10": CIFAR10, "cifar100": DatasetInfo("CIFAR-100", cifar100.CLASSES)}
MODULES = {"cifar10": cifar, "cifar100": cifar100}
BOTH: tuple[Split, ...] = ("train", "test")


def load(
    kind: str,
    data: str | Path | None,
    size: tuple[int, int],
    splits: tuple[Split, ...] = BOTH,
    first: int | None = None,
    last: int = 0,
) -> DataSet:
    """Load a data set.

    Args:
        kind: "cifar10", "cifar100" or "folder".
        data: Where it is: as for `cifar.find`, or a folder or zip as for `image_folder.load`.
        size: Height and width (px) of what the model sees.
        splits: Which are needed.
        first: How many of the training images are needed, from the first on; None for all.
        last: How many of them from the end, besides.

    Raises:
        vitviz.data.cifar.DataError: If it is not there, damaged, or nothing can be learned from it.
    """
    if kind == "folder":
        parts, table = image_folder.load(data, size)
        about = DatasetInfo("labelled images", table.classes, *statistics(parts["train"][0]))
        return DataSet(about, parts | {"train": ends(parts["train"], first, last)})
    about, parts = ABOUT[kind], {}
    for split in splits:
        images, labels = MODULES[kind].load(split, data)
        if split == "train":
            if kind != "cifar10":
                about = DatasetInfo(about.name, about.classes, *statistics(images))
            images, labels = ends((images, labels), first, last)
        parts[split] = fitted(images, labels, size)
    return DataSet(about, parts)


def is_available(kind: str, data: str | Path | None = None) -> bool:
    """Whether "cifar10" or "cifar100" is where it is looked for, as by `cifar.find`."""
    try:
        MODULES[kind].find(data)
    except DataError:
        return False
    return True


def ends(part: LabeledImages, first: int | None, last: int) -> LabeledImages:
    """The first so many images and labels, and the last so many; all if there are no more."""
    count = len(part[1])
    if first is None or first + last >= count:
        return part
    images, labels = (torch.cat([values[:first], values[count - last :]]) for values in part)
    return images, labels


def fitted(images: Tensor, labels: Tensor, size: tuple[int, int]) -> LabeledImages:
    """Images (n, 3, h, w) of uint8 as the model sees them, (n, 3, H, W), cut to that shape around the middle."""
    if images.shape[2:] == size:
        return images, labels
    image_folder.check_memory(len(images), size)
    (h, w), (H, W) = images.shape[2:], size
    rows, columns = min(h, max(1, round(w * H / W))), min(w, max(1, round(h * W / H)))
    top, left = (h - rows) // 2, (w - columns) // 2
    images = images[:, :, top : top + rows, left : left + columns]
    resized = images.new_empty(len(images), 3, *size)
    for part, place in zip(images.split(1000), resized.split(1000), strict=True):
        place.copy_(F.interpolate(part.float(), size, mode="bicubic", antialias=True).round().clamp(0, 255))
    return resized, labels


def statistics(images: Tensor) -> tuple[Channels, Channels]:
    """Mean and standard deviation of each channel of images (n, 3, H, W) of uint8, in 0..1, counted exactly."""
    counts = torch.zeros(3, 256, dtype=torch.float64)
    for part in images.split(1000):
        counts += torch.stack([torch.bincount(channel.flatten(), minlength=256) for channel in part.unbind(1)])
    shares, levels = counts / counts.sum(1, keepdim=True), torch.arange(256, dtype=torch.float64) / 255
    mean = shares @ levels  # (3,)
    std = (shares @ levels.square() - mean.square()).clamp_min(0).sqrt().clamp_min(LEAST_STD)
    rounded = [tuple(round(value, 4) for value in values.tolist()) for values in (mean, std)]
    return (rounded[0][0], rounded[0][1], rounded[0][2]), (rounded[1][0], rounded[1][1], rounded[1][2])
