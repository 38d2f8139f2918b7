"""CIFAR-100 on disk -> tensors, with its 100 fine labels (Krizhevsky 2009); as `cifar` does for CIFAR-10."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from vitviz.data.cifar import PIXELS, DataError, Split, again, data_root, fetch, look_for, read_python

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
LABELS = 2  # bytes before each image: the coarse label, then the fine one


def find(data: str | Path | None = None) -> Path:
    """Find the folder of the data set; arguments as for `cifar.find`.

    Raises:
        DataError: If neither version is there.
    """
    return look_for("CIFAR-100", data_root(data), FOLDERS, COMMAND)


def load(split: Split, data: str | Path | None = None) -> tuple[Tensor, Tensor]:
    """Load a split in the official order: images (n, 3, 32, 32) as uint8 and fine labels (n,) as int64.

    Raises:
        DataError: If the data set is absent, incomplete or damaged.
    """
    folder = find(data)
    return load_binary(folder, split) if folder.name == BINARY_FOLDER else load_python(folder, split)


def load_binary(folder: Path, split: Split) -> tuple[Tensor, Tensor]:
    """Read the binary version: one file for each split."""
    path, expected = folder / f"{split}.bin", RECORDS[split] * (LABELS + PIXELS)
    size = path.stat().st_size if path.is_file() else 0
    if size != expected:
        raise DataError(f"{path} must have {expected:,} bytes: it has {size:,}. {again(folder, COMMAND)}")
    records = np.frombuffer(path.read_bytes(), np.uint8).reshape(-1, LABELS + PIXELS)
    if records[:, 1].max() >= len(CLASSES):
        raise DataError(f"{path} holds a label above 99: it is damaged. {again(folder, COMMAND)}")
    images = torch.from_numpy(records[:, LABELS:].reshape(-1, 3, 32, 32).copy())
    return images, torch.from_numpy(records[:, 1].astype(np.int64))


def load_python(folder: Path, split: Split) -> tuple[Tensor, Tensor]:
    """Read the python version through torchvision, which checks every file's sum before it opens it."""
    from torchvision.datasets import CIFAR100

    return read_python(CIFAR100, folder, split, again(folder, COMMAND))


def download(data: str | Path | None = None) -> Path:
    """Fetch the python version through torchvision; as `cifar.download`."""
    from torchvision.datasets import CIFAR100

    return fetch(CIFAR100, "CIFAR-100", data_root(data), FOLDERS)
