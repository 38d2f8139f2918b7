"""CIFAR-10 and CIFAR-100 on disk -> tensors (Krizhevsky 2009, "Learning Multiple Layers of Features from Tiny Images").

Finds the python or the binary version of a dataset, verifies it and loads a split as one uint8 tensor. Downloads
only on request.
"""

import hashlib
import os
import shutil
import socket
import tempfile
import time
import warnings
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Literal

import numpy as np

from vitviz.errors import DataError

if TYPE_CHECKING:
    from torch import Tensor

CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
CIFAR100_CLASSES = """
apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle bowl boy bridge bus butterfly camel can
castle caterpillar cattle chair chimpanzee clock cloud cockroach couch crab crocodile cup dinosaur dolphin
elephant flatfish forest fox girl hamster house kangaroo keyboard lamp lawn_mower leopard lion lizard lobster
man maple_tree motorcycle mountain mouse mushroom oak_tree orange orchid otter palm_tree pear pickup_truck
pine_tree plain plate poppy porcupine possum rabbit raccoon ray road rocket rose sea seal shark shrew skunk
skyscraper snail snake spider squirrel streetcar sunflower sweet_pepper table tank telephone television tiger
tractor train trout tulip turtle wardrobe whale willow_tree wolf woman worm
"""
# Per-channel mean and standard deviation of CIFAR-10's 50,000 training images, in 0..1.
MEAN = (0.4914, 0.4822, 0.4465)
STD = (0.2470, 0.2435, 0.2616)

Split = Literal["train", "test"]

BINARY_FOLDER = "cifar-10-batches-bin"
BINARY_FILES: dict[Split, tuple[str, ...]] = {
    "train": tuple(f"data_batch_{i}.bin" for i in range(1, 6)),
    "test": ("test_batch.bin",),
}
BINARY_MD5 = {  # of CIFAR-10
    "data_batch_1.bin": "5dd7e06a14cb22eb9f671a540d1b7c25",
    "data_batch_2.bin": "5ea93a67294ea407fff1d09f752e9692",
    "data_batch_3.bin": "942cd6a4bcdd0dd3c604fbe906cb4421",
    "data_batch_4.bin": "ae636b3ba5c66a11e91e8cb52e771fcb",
    "data_batch_5.bin": "53f37980c15c3d472c316c40844f3f0d",
    "test_batch.bin": "803d5f7f4d78ea53de84dbe85f74fb6d",
}
PARTIAL = ".cifar-{tag}*.part"  # temporary folders of downloads
MAX_PARTIAL_AGE = 86_400.0  # s after which the temporary folder of a killed download is removed
STALL_TIMEOUT = 30.0  # s without a received byte
RECORDS = 10_000  # test images; there are five times as many training images
PIXELS = 3 * 32 * 32  # bytes per image; in a record they follow the labels


@dataclass(frozen=True)
class Cifar:
    """Names and binary layout of a dataset.

    Attributes:
        name: Name, also of torchvision's class, there without the hyphen.
        classes: Class names, in the order of the labels.
        python_folder: Folder of the python version.
        binary_folder: Folder of the binary version.
        binary_files: Files of the binary version.
        num_labels: Bytes before each image; the last one is the label, a coarse label may precede it.
        command: Command that downloads the dataset.
    """

    name: str
    classes: tuple[str, ...]
    python_folder: str
    binary_folder: str
    binary_files: dict[Split, tuple[str, ...]]
    num_labels: int
    command: str


CIFARS = {
    "cifar10": Cifar(
        "CIFAR-10",
        CLASSES,
        "cifar-10-batches-py",
        BINARY_FOLDER,
        BINARY_FILES,
        num_labels=1,
        command="python -m vitviz data download",
    ),
    "cifar100": Cifar(
        "CIFAR-100",
        tuple(CIFAR100_CLASSES.split()),
        "cifar-100-python",
        "cifar-100-binary",
        {"train": ("train.bin",), "test": ("test.bin",)},
        num_labels=2,
        command="python -m vitviz data download --dataset cifar100",
    ),
}


def data_root(data: str | Path | None = None) -> Path:
    """Return the folder of datasets: `data`, else the environment variable VITVIZ_DATA, else `data/`."""
    return Path(data if data is not None else os.environ.get("VITVIZ_DATA") or "data")


def find(data: str | Path | None = None, dataset: str = "cifar10") -> Path:
    """Find the folder of a dataset.

    Args:
        data: The folder of one of the two versions, or its parent. If None, the environment variable VITVIZ_DATA, else
            `data/` in the working directory.
        dataset: "cifar10" or "cifar100".

    Returns:
        The folder of the python version if it exists, else of the binary version.

    Raises:
        DataError: If neither version exists; the hint is the command that downloads the dataset.
    """
    root, known = data_root(data), CIFARS[dataset]
    folders = known.python_folder, known.binary_folder
    for folder in (*(root / name for name in folders), root.absolute()):  # "." has no name
        if folder.name in folders and folder.is_dir():
            return folder
    raise DataError(
        f"{known.name} is not in {root}: there is neither {' nor '.join(folders)}.",
        f"Download it with: {known.command} --data {quote(str(root))}",
    )


def load(split: Split, data: str | Path | None = None, dataset: str = "cifar10") -> "tuple[Tensor, Tensor]":
    """Load a split in the official order.

    Args:
        split: "train" (50,000 images) or "test" (10,000).
        data: As for `find`.
        dataset: "cifar10" or "cifar100", with its fine labels.

    Returns:
        Images (n, 3, 32, 32) as uint8 and labels (n,) as int64.

    Raises:
        DataError: If the dataset is missing, incomplete or damaged.
    """
    folder, known = find(data, dataset), CIFARS[dataset]
    hint = f"Delete {folder} and download it again with: {known.command} --data {quote(str(folder.parent))}"
    if folder.name == known.binary_folder:
        return load_binary(folder, split, known, hint)
    import torch
    from torchvision import datasets

    try:  # torchvision verifies each file's MD5 before it unpickles it
        loaded = getattr(datasets, known.name.replace("-", ""))(str(folder.parent), train=split == "train")
    except RuntimeError as error:
        raise DataError(
            f"{folder} is incomplete or damaged: its checksums differ from the official ones.", hint
        ) from error
    images = torch.from_numpy(loaded.data).permute(0, 3, 1, 2).contiguous()  # (n, 3, 32, 32)
    return images, torch.tensor(loaded.targets)


def load_binary(folder: Path, split: Split, known: Cifar, hint: str) -> "tuple[Tensor, Tensor]":
    """Load the binary version; warn about files that differ from the official ones."""
    import torch

    files = []
    length = known.num_labels + PIXELS
    expected = length * RECORDS * (5 if split == "train" else 1) // len(known.binary_files[split])
    for path in (folder / name for name in known.binary_files[split]):
        size = path.stat().st_size if path.is_file() else 0
        if size != expected:
            raise DataError(f"{path} must have {expected:,} bytes: it has {size:,}.", hint)
        content = path.read_bytes()
        md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
        if md5 != BINARY_MD5.get(path.name, md5):
            warnings.warn(f"{path.name} differs from the official CIFAR-10 file; it is used unchanged.", stacklevel=3)
        files.append(np.frombuffer(content, np.uint8).reshape(-1, length))
        if files[-1][:, known.num_labels - 1].max() >= len(known.classes):
            raise DataError(f"{path} is damaged: it has a label above {len(known.classes) - 1}.", hint)
    records = np.concatenate(files)
    images = torch.from_numpy(records[:, known.num_labels :].reshape(-1, 3, 32, 32).copy())
    return images, torch.from_numpy(records[:, known.num_labels - 1].astype(np.int64))


def download(data: str | Path | None = None, tag: str = "", dataset: str = "cifar10") -> Path:
    """Download the python version with torchvision: to a temporary folder, verified, then renamed.

    Does nothing if the dataset exists. Removes old temporary folders of killed downloads.

    Args:
        data: The target folder, as for `find`.
        tag: Part of the temporary folder's name, by which another process finds it.
        dataset: "cifar10" or "cifar100".

    Returns:
        The folder of the dataset.

    Raises:
        DataError: If the download fails or is damaged; no files remain then.
    """
    from torchvision import datasets

    root, known = data_root(data), CIFARS[dataset]
    for partial in root.glob(PARTIAL.format(tag="")):
        with suppress(FileNotFoundError):  # another download has just finished
            if time.time() - partial.stat().st_mtime > MAX_PARTIAL_AGE:
                shutil.rmtree(partial, ignore_errors=True)
    with suppress(DataError):
        return find(data, dataset)
    root.mkdir(parents=True, exist_ok=True)
    target = root / known.python_folder
    prefix, suffix = PARTIAL.format(tag=tag).split("*")
    with tempfile.TemporaryDirectory(prefix=prefix, suffix=suffix, dir=root) as partial_folder:
        timeout = socket.getdefaulttimeout()
        socket.setdefaulttimeout(STALL_TIMEOUT)  # torchvision's downloads have none
        try:
            getattr(datasets, known.name.replace("-", ""))(partial_folder, download=True)
        except (OSError, RuntimeError) as error:
            reason = getattr(error, "reason", error)  # of a URLError
            raise DataError(
                f"{known.name} could not be downloaded ({getattr(reason, 'strerror', None) or reason}).",
                f"Check the connection and try again, or copy {target.name} or {known.binary_folder} into {root}.",
            ) from error
        finally:
            socket.setdefaulttimeout(timeout)
        try:
            Path(partial_folder, target.name).rename(target)
        except OSError:
            if not target.is_dir():  # otherwise another download has finished first
                raise
    return target
