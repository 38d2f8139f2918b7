"""CIFAR-10 on disk -> tensors (Krizhevsky 2009, "Learning Multiple Layers of Features from Tiny Images").

Finds the python or the binary version of the data set, verifies it and loads a split as one uint8 tensor. Downloads
only on request.
"""

import hashlib
import os
import shutil
import socket
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import Literal

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
PARTIAL = ".cifar-{tag}*.part"  # temporary folders of downloads
MAX_PARTIAL_AGE = 86_400.0  # s after which the temporary folder of a killed download is removed
STALL_TIMEOUT = 30.0  # s without a received byte
RECORDS = 10_000  # images per file
PIXELS = 3 * 32 * 32  # bytes per image; in a record they follow a label byte


class DataError(ValueError):
    """A data set is missing, damaged or unsuitable.

    Attributes:
        problem: Violated rule and received value, or what is wrong and where.
        hint: What to do; may be empty.
    """

    def __init__(self, problem: str, hint: str = "") -> None:
        super().__init__(f"{problem} {hint}".strip())
        self.problem, self.hint = problem, hint


def find(data: str | Path | None = None) -> Path:
    """Find the folder of the data set.

    Args:
        data: The folder of one of the two versions, or its parent. If None, the environment variable VITVIZ_DATA, else
            `data/` in the working directory.

    Returns:
        The `cifar-10-batches-py` or `cifar-10-batches-bin` folder.

    Raises:
        DataError: If neither version exists.
    """
    return find_version("CIFAR-10", data_root(data), FOLDERS, COMMAND)


def find_version(name: str, root: Path, folders: tuple[str, str], command: str) -> Path:
    """Return the folder of either version of a data set, in `root` or `root` itself.

    Raises:
        DataError: If neither exists; the hint is the command that downloads the data set.
    """
    for folder in (*(root / known for known in folders), root.absolute()):  # "." has no name
        if folder.name in folders and folder.is_dir():
            return folder
    raise DataError(
        f"{name} is not in {root}: there is neither {' nor '.join(folders)}.",
        f"Download it with: {command} --data {quote(str(root))}",
    )


def data_root(data: str | Path | None = None) -> Path:
    """Return the folder of data sets: `data`, else VITVIZ_DATA, else `data/`."""
    return Path(data if data is not None else os.environ.get("VITVIZ_DATA") or "data")


def load(split: Split, data: str | Path | None = None) -> tuple[Tensor, Tensor]:
    """Load a split in the official order.

    Args:
        split: "train" (50,000 images) or "test" (10,000).
        data: As for `find`.

    Returns:
        Images (n, 3, 32, 32) as uint8 and labels (n,) as int64.

    Raises:
        DataError: If the data set is missing, incomplete or damaged.
    """
    folder = find(data)
    if folder.name == BINARY_FOLDER:
        return load_binary(folder, split)
    return load_torchvision("CIFAR10", folder, split, redownload_hint(folder))


def load_binary(folder: Path, split: Split) -> tuple[Tensor, Tensor]:
    """Load the binary version; warn about files that differ from the official ones."""
    pixels, labels = [], []
    for name in BINARY_FILES[split]:
        content = read_records(folder / name, RECORDS * (1 + PIXELS), redownload_hint(folder))
        if hashlib.md5(content, usedforsecurity=False).hexdigest() != BINARY_MD5[name]:
            warnings.warn(f"{name} differs from the official CIFAR-10 file; it is used unchanged.", stacklevel=3)
        records = np.frombuffer(content, np.uint8).reshape(RECORDS, 1 + PIXELS)
        if records[:, 0].max() >= len(CLASSES):
            raise DataError(f"{folder / name} is damaged: it has a label above 9.", redownload_hint(folder))
        labels.append(records[:, 0])
        pixels.append(records[:, 1:])
    images = torch.from_numpy(np.concatenate(pixels).reshape(-1, 3, 32, 32))
    return images, torch.from_numpy(np.concatenate(labels).astype(np.int64))


def read_records(path: Path, expected: int, hint: str) -> bytes:
    """Read a file of the binary version, which must have exactly the expected number of bytes."""
    size = path.stat().st_size if path.is_file() else 0
    if size != expected:
        raise DataError(f"{path} must have {expected:,} bytes: it has {size:,}.", hint)
    return path.read_bytes()


def redownload_hint(folder: Path, command: str = COMMAND) -> str:
    """Return the hint for a damaged data set."""
    return f"Delete {folder} and download it again with: {command} --data {quote(str(folder.parent))}"


def load_torchvision(dataset: str, folder: Path, split: Split, hint: str) -> tuple[Tensor, Tensor]:
    """Load the python version with torchvision, which verifies each file's MD5 before it unpickles it.

    Raises:
        DataError: If a file is missing or damaged.
    """
    from torchvision import datasets

    try:
        loaded = getattr(datasets, dataset)(str(folder.parent), train=split == "train")
    except RuntimeError as error:
        raise DataError(
            f"{folder} is incomplete or damaged: its checksums differ from the official ones.", hint
        ) from error
    images = torch.from_numpy(loaded.data).permute(0, 3, 1, 2).contiguous()  # (n, 3, 32, 32)
    return images, torch.tensor(loaded.targets)


@contextmanager
def socket_timeout(seconds: float) -> Iterator[None]:
    """Set the default timeout of new sockets; torchvision's downloads have none."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(seconds)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


def download(data: str | Path | None = None, tag: str = "") -> Path:
    """Download the python version with torchvision: to a temporary folder, verified, then renamed.

    Args:
        data: The target folder, as for `find`.
        tag: Part of the temporary folder's name, by which another process finds it.

    Returns:
        The folder of the data set.

    Raises:
        DataError: If the download fails or is damaged; no files remain then.
    """
    return download_torchvision("CIFAR10", "CIFAR-10", data_root(data), FOLDERS, tag)


def download_torchvision(dataset: str, name: str, root: Path, folders: tuple[str, str], tag: str) -> Path:
    """Download one of torchvision's data sets, whose python version is in the first of `folders`, into `root`.

    Does nothing if one of the folders exists or `root` is one. Removes old temporary folders of killed downloads.

    Raises:
        DataError: If the download fails or is damaged; no files remain then.
    """
    from torchvision import datasets

    for partial in root.glob(PARTIAL.format(tag="")):
        with suppress(FileNotFoundError):  # another download has just finished
            if time.time() - partial.stat().st_mtime > MAX_PARTIAL_AGE:
                shutil.rmtree(partial, ignore_errors=True)
    with suppress(DataError):
        return find_version(name, root, folders, "")
    root.mkdir(parents=True, exist_ok=True)
    prefix, suffix = PARTIAL.format(tag=tag).split("*")
    with tempfile.TemporaryDirectory(prefix=prefix, suffix=suffix, dir=root) as partial_folder:
        try:
            with socket_timeout(STALL_TIMEOUT):
                getattr(datasets, dataset)(partial_folder, download=True)
        except (OSError, RuntimeError) as error:
            reason = getattr(error, "reason", error)  # of a URLError
            raise DataError(
                f"{name} could not be downloaded ({getattr(reason, 'strerror', None) or reason}).",
                f"Check the connection and try again, or copy {' or '.join(folders)} into {root}.",
            ) from error
        try:
            (Path(partial_folder) / folders[0]).rename(root / folders[0])
        except OSError:
            if not (root / folders[0]).is_dir():  # otherwise another download has finished first
                raise
    return root / folders[0]
