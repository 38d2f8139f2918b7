"""CIFAR-10 on disk -> tensors.

Finds the data set (Krizhevsky 2009, "Learning Multiple Layers of Features from Tiny Images") in its python or its
binary version, checks it and hands out all images of a split as one uint8 tensor. Downloads it on request; nothing is
fetched unasked.
"""

import hashlib
import os
import shutil
import socket
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
# Per-channel mean and standard deviation of the 50,000 training images, in 0..1.
MEAN = (0.4914, 0.4822, 0.4465)
STD = (0.2470, 0.2435, 0.2616)

Split = Literal["train", "test"]

PYTHON_FOLDER = "cifar-10-batches-py"
BINARY_FOLDER = "cifar-10-batches-bin"
FOLDERS = PYTHON_FOLDER, BINARY_FOLDER
COMMAND = "python -m vitviz data download"
BINARY_FILES: dict[Split, tuple[str, ...]] = {
    "train": tuple(f"data_batch_{i}.bin" for i in range(1, 6)),
    "test": ("test_batch.bin",),
}
BINARY_MD5 = {
    "data_batch_1.bin": "5dd7e06a14cb22eb9f671a540d1b7c25",
    "data_batch_2.bin": "5ea93a67294ea407fff1d09f752e9692",
    "data_batch_3.bin": "942cd6a4bcdd0dd3c604fbe906cb4421",
    "data_batch_4.bin": "ae636b3ba5c66a11e91e8cb52e771fcb",
    "data_batch_5.bin": "53f37980c15c3d472c316c40844f3f0d",
    "test_batch.bin": "803d5f7f4d78ea53de84dbe85f74fb6d",
}
PARTS = ".cifar-*.part"  # the temporary folders of `fetch`
PARTS_AGE = 86_400.0  # s; nobody writes into an older one any more
STALL = 30.0  # s without a byte after which a download is given up
RECORDS = 10_000  # images in one file
PIXELS = 3 * 32 * 32  # bytes of one image; a record has a label byte before them


class DataError(ValueError):
    """The data set is absent or damaged; the message says where it was looked for and what helps."""


def find(data: str | Path | None = None) -> Path:
    """Find the folder of the data set.

    Args:
        data: A folder that holds one of the two versions, or is one. If None, the environment variable VITVIZ_DATA
            names it, else it is `data/` in the working folder.

    Returns:
        The `cifar-10-batches-py` or `cifar-10-batches-bin` folder.

    Raises:
        DataError: If neither version is there.
    """
    return look_for("CIFAR-10", data_root(data), FOLDERS, COMMAND)


def look_for(name: str, root: Path, folders: tuple[str, str], command: str) -> Path:
    """The folder of either version of a data set, in `root` or `root` itself.

    Raises:
        DataError: If neither is there; it names the command that fetches it.
    """
    for folder in (*(root / known for known in folders), root.absolute()):  # "." has no name
        if folder.name in folders and folder.is_dir():
            return folder
    raise DataError(
        f"{name} is not in {root}: there is neither {' nor '.join(folders)}. Fetch it with: {command} --data "
        f"{quote(str(root))}"
    )


def data_root(data: str | Path | None = None) -> Path:
    """Say where the data set is looked for: `data`, else VITVIZ_DATA, else `data/`."""
    return Path(data if data is not None else os.environ.get("VITVIZ_DATA") or "data")


def load(split: Split, data: str | Path | None = None) -> tuple[Tensor, Tensor]:
    """Load a split in the official order.

    Args:
        split: "train" (50,000 images) or "test" (10,000).
        data: As for `find`.

    Returns:
        Images (n, 3, 32, 32) as uint8 and labels (n,) as int64.

    Raises:
        DataError: If the data set is absent, incomplete or damaged.
    """
    folder = find(data)
    return load_binary(folder, split) if folder.name == BINARY_FOLDER else load_python(folder, split)


def load_binary(folder: Path, split: Split) -> tuple[Tensor, Tensor]:
    """Read the binary version; a file that differs from the official one is used, with a warning."""
    pixels, labels = [], []
    for name in BINARY_FILES[split]:
        content = read_batch(folder / name)
        if hashlib.md5(content, usedforsecurity=False).hexdigest() != BINARY_MD5[name]:
            warnings.warn(f"{name} differs from the official CIFAR-10 file; it is used as it is.", stacklevel=3)
        records = np.frombuffer(content, np.uint8).reshape(RECORDS, 1 + PIXELS)
        if records[:, 0].max() >= len(CLASSES):
            raise DataError(f"{folder / name} holds a label above 9: it is damaged. {again(folder)}")
        labels.append(records[:, 0])
        pixels.append(records[:, 1:])
    images = torch.from_numpy(np.concatenate(pixels).reshape(-1, 3, 32, 32))
    return images, torch.from_numpy(np.concatenate(labels).astype(np.int64))


def read_batch(path: Path) -> bytes:
    """Read one file of the binary version, of exactly the size it must have."""
    expected = RECORDS * (1 + PIXELS)
    size = path.stat().st_size if path.is_file() else 0
    if size != expected:
        raise DataError(f"{path} must have {expected:,} bytes: it has {size:,}. {again(path.parent)}")
    return path.read_bytes()


def load_python(folder: Path, split: Split) -> tuple[Tensor, Tensor]:
    """Read the python version through torchvision, which checks every file's sum before it opens it."""
    from torchvision.datasets import CIFAR10

    return read_python(CIFAR10, folder, split, again(folder))


def again(folder: Path, command: str = COMMAND) -> str:
    """What helps against a damaged data set."""
    return f"Delete {folder} and fetch it again with: {command} --data {quote(str(folder.parent))}"


def read_python(known: Callable[..., Any], folder: Path, split: Split, cure: str) -> tuple[Tensor, Tensor]:
    """Read a split of one of torchvision's data sets from its folder.

    Raises:
        DataError: If a file is missing or damaged; it ends with the cure.
    """
    try:
        held = known(str(folder.parent), train=split == "train")
    except RuntimeError as error:
        raise DataError(
            f"{folder} is incomplete or damaged (its sums differ from the official ones). {cure}"
        ) from error
    images = torch.from_numpy(held.data).permute(0, 3, 1, 2).contiguous()  # (n, 3, 32, 32)
    return images, torch.tensor(held.targets)


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Let connections made meanwhile wait no longer than this for the next byte; torchvision would wait for ever."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(seconds)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


def download(data: str | Path | None = None) -> Path:
    """Fetch the python version through torchvision: to a temporary name first, checked, then renamed.

    Args:
        data: The folder to put it into, as for `find`.

    Returns:
        The folder of the data set.

    Raises:
        DataError: If it cannot be fetched or what came is damaged; nothing is left behind then.
    """
    from torchvision.datasets import CIFAR10

    return fetch(CIFAR10, "CIFAR-10", data_root(data), FOLDERS)


def fetch(known: Callable[..., object], name: str, root: Path, folders: tuple[str, str]) -> Path:
    """Fetch one of torchvision's data sets, whose python version comes in the first of these folders, into `root`.

    Does nothing if one of the folders is there, or `root` is one, but that what a killed download left long ago is
    removed.

    Raises:
        DataError: If it cannot be fetched or what came is damaged; nothing is left behind then.
    """
    for left in root.glob(PARTS):
        with suppress(FileNotFoundError):  # another download has just ended
            if time.time() - left.stat().st_mtime > PARTS_AGE:
                shutil.rmtree(left, ignore_errors=True)
    with suppress(DataError):
        return look_for(name, root, folders, "")
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".cifar-", suffix=".part", dir=root) as part:
        try:
            with patience(STALL):
                known(part, download=True)
        except (OSError, RuntimeError) as error:
            reason = getattr(error, "reason", error)  # of an URLError
            words = getattr(reason, "strerror", None) or reason
            raise DataError(
                f"{name} could not be fetched ({words}). Check the connection and try again, or copy "
                f"{' or '.join(folders)} into {root}."
            ) from error
        try:
            (Path(part) / folders[0]).rename(root / folders[0])
        except OSError:
            if not (root / folders[0]).is_dir():  # else another download was faster: what it fetched is as good
                raise
    return root / folders[0]
