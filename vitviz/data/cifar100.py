"""CIFAR-100 on disk -> tensors, with its 100 fine labels (Krizhevsky 2009); the interface is that of `cifar`."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from vitviz.data.cifar import (
    PIXELS,
    DataError,
    Split,
    data_root,
    download_torchvision,
    find_version,
    load_torchvision,
    read_records,
    redownload_hint,
)

NAMES = """
apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle bowl boy bridge bus butterfly camel can
castle caterpillar cattle chair chimpanzee clock cloud cockroach couch crab crocodile cup dinosaur dolphin
elephant flatfish forest fox girl hamster house kangaroo keyboard lamp lawn_mower leopard lion lizard lobster
man maple_tree motorcycle mountain mouse mushroom oak_tree orange orchid otter palm_tree pear pickup_truck
pine_tree plain plate poppy porcupine possum rabbit raccoon ray road rocket rose sea seal shark shrew skunk
skyscraper snail snake spider squirrel streetcar sunflower sweet_pepper table tank telephone television tiger
tractor train trout tulip turtle wardrobe whale willow_tree wolf woman worm
"""
CLASSES = tuple(NAMES.split())
PYTHON_FOLDER = "cifar-100-python"
BINARY_FOLDER = "cifar-100-binary"
FOLDERS = PYTHON_FOLDER, BINARY_FOLDER
COMMAND = "python -m vitviz data download --dataset cifar100"
RECORDS: dict[Split, int] = {"train": 50_000, "test": 10_000}
LABELS = 2  # bytes before each image: coarse label, fine label


def find(data: str | Path | None = None) -> Path:
    """Find the folder of the data set; arguments as for `cifar.find`.

    Raises:
        DataError: If neither version exists.
    """
    return find_version("CIFAR-100", data_root(data), FOLDERS, COMMAND)


def load(split: Split, data: str | Path | None = None) -> tuple[Tensor, Tensor]:
    """Load a split in the official order: images (n, 3, 32, 32) as uint8 and fine labels (n,) as int64.

    Raises:
        DataError: If the data set is missing, incomplete or damaged.
    """
    folder = find(data)
    if folder.name == BINARY_FOLDER:
        return load_binary(folder, split)
    return load_torchvision("CIFAR100", folder, split, redownload_hint(folder, COMMAND))


def load_binary(folder: Path, split: Split) -> tuple[Tensor, Tensor]:
    """Load the binary version: one file per split."""
    path, hint = folder / f"{split}.bin", redownload_hint(folder, COMMAND)
    content = read_records(path, RECORDS[split] * (LABELS + PIXELS), hint)
    records = np.frombuffer(content, np.uint8).reshape(-1, LABELS + PIXELS)
    if records[:, 1].max() >= len(CLASSES):
        raise DataError(f"{path} is damaged: it has a label above 99.", hint)
    images = torch.from_numpy(records[:, LABELS:].reshape(-1, 3, 32, 32).copy())
    return images, torch.from_numpy(records[:, 1].astype(np.int64))


def download(data: str | Path | None = None, tag: str = "") -> Path:
    """Download the python version with torchvision; arguments as for `cifar.download`."""
    return download_torchvision("CIFAR100", "CIFAR-100", data_root(data), FOLDERS, tag)
