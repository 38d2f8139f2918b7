"""Preprocessed images of a dataset: one memory-mapped file in the cache folder, which all processes share.

`images/KEY` in the cache folder has `images.bin`, uint8 (n, 3, H, W), and `index.json`. KEY is a digest of the names,
sizes and times of the files, or of their content, and of the preprocessing: a changed image gives another key. The
folder is `KEY.partial` while several processes fill it, with a checksum of each image that is written, so that a killed
preprocessing is resumed; it is renamed when it is complete. Whoever needs the images meanwhile waits for the lock.
"""

import errno
import hashlib
import json
import logging
import mmap
import os
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, NamedTuple, cast

import numpy as np
import torch
from torch import Tensor

from vitviz.data import preprocess_worker
from vitviz.data.cifar import Split
from vitviz.data.preprocess_worker import CHECKSUMS, IMAGES, Task, checksum, preprocess_items
from vitviz.data.preprocessing import DEFAULT_RESIZE, Resize
from vitviz.environment import make_environment
from vitviz.errors import DataError
from vitviz.files import acquire_lock, cache_folder, printable_name

FORMAT = 1  # of the files and of the preprocessing; another one makes all cached files stale
INDEX, ARRAY = "index.json", "array.npy"
MIN_PARALLEL = 200  # images for which starting processes pays off
BLOCK_BYTES = 2**24  # read at once
LOG_INTERVAL = 10.0  # seconds
MIN_STD = 0.01  # lower bound, for constant images
SPLITS: tuple[Split, ...] = ("train", "test")
HINT = (
    "Free some space (`vitviz data clean` removes the preprocessed images of all datasets), or set VITVIZ_CACHE to a "
    "folder on another disk. The next start continues with the images that are done."
)
log = logging.getLogger(__name__)

Channels = tuple[float, float, float]  # red, green, blue
Report = Callable[[int, int], None]
IGNORE: Report = lambda done, total: None  # noqa: E731


class Source(NamedTuple):
    """Images that several processes can read.

    Attributes:
        kind: As in `Task`.
        location: As in `Task`.
        stamps: Name of each image, in the expected order of the splits, and numbers that change with its content.
        expected: Number of names that are probably images.
        array: Images (n, h, w, 3) of the kind "array", which has no location yet.
    """

    kind: str
    location: str
    stamps: Mapping[str, Sequence[int]]
    expected: int
    array: np.ndarray | None = None


class Preprocessed(NamedTuple):
    """Preprocessed images.

    Attributes:
        splits: Images, uint8 (n, 3, H, W), which must not be written to, and their names.
        skipped: Why an image is not used, by its name.
        mean: Of each channel over the training images, in 0..1.
        std: Standard deviation of each channel, at least `MIN_STD`.
        fingerprint: Digest of all pixels.
    """

    splits: dict[Split, tuple[Tensor, list[str]]]
    skipped: dict[str, str]
    mean: Channels
    std: Channels
    fingerprint: str


def preprocess_all(
    source: Source,
    size: tuple[int, int],
    resize: Resize,
    arrange: Callable[[list[str]], dict[Split, list[str]]],
    report: Report = IGNORE,
) -> Preprocessed:
    """Return all images at a model's input size, preprocessed now or by an earlier call.

    Args:
        source: The images.
        size: Height and width of the model's input (px).
        resize: Crop and filter with which the images get this size.
        arrange: Returns the names of each split, in order, of the images that are readable.
        report: Called with the number of images done and of all images; it may raise to stop.

    Raises:
        DataError: If there is not enough space on the disk, or a process ended.
    """
    key = json.dumps([FORMAT, size, asdict(resize), list(source.stamps.items())])
    folder = cache_folder() / "images" / hashlib.blake2b(key.encode(), digest_size=16).hexdigest()
    if not folder.is_dir():
        needed = describe_bytes(source.expected * image_bytes(size))
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            with lock(folder.with_suffix(".lock"), lambda: report(0, len(source.stamps))):
                if not folder.is_dir():
                    write(source, size, resize, arrange, folder, report)
        except OSError as error:
            problem = f"The preprocessed images need {needed} in {folder.parent}: {error.strerror or error}."
            raise DataError(problem, HINT) from error
    index = json.loads((folder / INDEX).read_bytes())
    skipped, mean, std, fingerprint = index["skipped"], tuple(index["mean"]), tuple(index["std"]), index["fingerprint"]
    names = arrange([name for name in source.stamps if name not in skipped])
    images = map_images(folder / IMAGES, sum(map(len, names.values())), size)
    parts = images.split([len(part) for part in names.values()])
    splits = {split: (part, names[split]) for split, part in zip(names, parts, strict=True)}
    return Preprocessed(splits, skipped, mean, std, fingerprint)


def resize_all(
    images: Tensor, size: tuple[int, int], resize: Resize = DEFAULT_RESIZE, report: Report = IGNORE
) -> Tensor:
    """Preprocess images (n, 3, h, w) of uint8 to a model's input size, (n, 3, H, W), as `preprocess_all`."""
    if images.shape[2:] == size and resize.crop_pct == 1:
        return images
    array = images.permute(0, 2, 3, 1).contiguous().numpy()  # (n, h, w, 3)
    stamps = {str(n): (*array.shape[1:3], int(checksum(image.tobytes()))) for n, image in enumerate(array)}
    source = Source("array", "", stamps, len(stamps), array)
    return preprocess_all(source, size, resize, lambda names: {"test": names}, report).splits["test"][0]


def clean() -> tuple[Path, int]:
    """Delete all preprocessed images but those that are being written; return their folder and how many bytes it was.

    A process that uses them keeps its mapping.
    """
    root, freed = cache_folder() / "images", 0
    for folder in (path for path in root.glob("*") if path.is_dir()):
        lock_file = folder.with_suffix(".lock")
        if (descriptor := acquire_lock(lock_file, timeout=0)) is not None:
            freed += disk_usage(folder)
            shutil.rmtree(folder)
            lock_file.unlink(missing_ok=True)
            os.close(descriptor)
    return root, freed


def write(
    source: Source,
    size: tuple[int, int],
    resize: Resize,
    arrange: Callable[[list[str]], dict[Split, list[str]]],
    folder: Path,
    report: Report,
) -> None:
    """Preprocess all images, or what an earlier process has left, into a new folder; arguments as `preprocess_all`."""
    partial, names, row_bytes = folder.with_suffix(".partial"), list(source.stamps), image_bytes(size)
    partial.mkdir(exist_ok=True)
    check_space(partial, source.expected * row_bytes)
    location = source.location
    if source.array is not None:
        np.save(partial / ARRAY, source.array)
        location = str(partial / ARRAY)
    for name, length in ((IMAGES, row_bytes), (CHECKSUMS, 4)):
        with open(partial / name, "ab") as file:
            file.truncate(len(names) * length)  # sparse
    done = find_done(partial, row_bytes)
    log.info(
        "Preprocessing %s images to %d x %d pixels, once: %s in %s, of %s free.",
        *(f"{source.expected:,}", size[1], size[0], describe_bytes(source.expected * row_bytes), folder.parent),
        describe_bytes(shutil.disk_usage(partial).free),
    )
    items = [(row, name) for row, name in enumerate(names) if row not in done]
    task = Task(source.kind, location, str(partial), size, resize, items)
    skipped, logged, start = {}, time.monotonic(), len(done)
    for count, (row, reason) in enumerate(preprocess_items(task) if is_small(task) else run_workers(task), 1):
        if reason:
            skipped[names[row]] = reason
        report(start + count, len(names))
        if time.monotonic() > logged + LOG_INTERVAL:
            log.info("Preprocessed %s of %s images.", f"{start + count:,}", f"{len(names):,}")
            logged = time.monotonic()
    splits = arrange([name for name in names if name not in skipped])
    rows = {name: row for row, name in enumerate(names)}
    kept = [rows[name] for part in splits.values() for name in part]
    move_rows(partial / IMAGES, kept, row_bytes)
    train = map_images(partial / IMAGES, len(kept), size)[: len(splits.get("train", ()))]
    mean, std = compute_mean_std(train) if len(train) else ((0.0,) * 3, (1.0,) * 3)
    checksums = np.fromfile(partial / CHECKSUMS, np.uint32)[kept]
    fingerprint = hashlib.blake2b(checksums.tobytes(), digest_size=16).hexdigest()
    index = {"skipped": skipped, "mean": mean, "std": std, "fingerprint": fingerprint}
    (partial / INDEX).write_text(json.dumps(index))
    for name in (IMAGES, INDEX):
        with open(partial / name, "r+b") as file:
            os.fsync(file.fileno())
    for name in (CHECKSUMS, ARRAY):
        (partial / name).unlink(missing_ok=True)
    partial.rename(folder)


def find_done(folder: Path, row_bytes: int) -> set[int]:
    """Return the rows that are written: those whose content has its checksum, also after a loss of power."""
    checksums, done = np.fromfile(folder / CHECKSUMS, np.uint32), set()
    with open(folder / IMAGES, "rb") as file:
        for row in np.flatnonzero(checksums).tolist():
            file.seek(row * row_bytes)
            if checksum(file.read(row_bytes)) == checksums[row]:
                done.add(row)
    return done


def is_small(task: Task) -> bool:
    """Whether this process alone preprocesses the images sooner than others start."""
    return len(task.items) < MIN_PARALLEL


def run_workers(task: Task) -> Iterator[tuple[int, str]]:
    """Run `preprocess_items` in a process per CPU core, which ends with this one.

    Not by `multiprocessing`, which would import the main module of a user's program again, or fork its threads.

    Raises:
        DataError: If a process is killed.
        OSError: As in a process.
    """
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    left = dict(task.items)
    workers: list[subprocess.Popen[bytes]] = []
    try:
        with pipe() as (results, end):
            for start in range(count):
                workers.append(start_worker(replace(task, items=task.items[start::count]), end))
            os.close(end)
            for line in results:
                result = json.loads(line)
                if isinstance(result, dict):
                    raise OSError(result["errno"], result["strerror"])
                left.pop(result[0])
                yield result[0], result[1]
        for start, worker in enumerate(workers):
            name = next((name for row, name in task.items[start::count] if row in left), None)
            if name is not None:
                raise DataError(
                    f"The processes that read the images must not end early: one did at {printable_name(name)!r}, with "
                    f"exit code {worker.wait()}.",
                    "Start again, which continues with the images that are done; remove this one if it happens again.",
                )
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


@contextmanager
def pipe() -> Iterator[tuple[IO[str], int]]:
    """Open a pipe and yield a file of its lines, and the descriptor of its end for writing, which the caller closes."""
    start, end = os.pipe()
    with open(start) as lines:
        yield lines, end


def start_worker(task: Task, output: int) -> subprocess.Popen[bytes]:
    """Start a process that writes results to a descriptor; Ctrl-C in a terminal does not reach it."""
    command = [sys.executable, "-m", preprocess_worker.__name__]
    worker = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=output, env=make_environment(), start_new_session=True
    )
    with suppress(BrokenPipeError), cast(IO[bytes], worker.stdin) as file:
        file.write(json.dumps(asdict(task)).encode())
    return worker


@contextmanager
def lock(path: Path, report: Callable[[], None]) -> Iterator[None]:
    """Hold the lock of a file; `report` is called while another process holds it."""
    while (descriptor := acquire_lock(path, timeout=1.0)) is None:
        report()
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def check_space(folder: Path, needed: int) -> None:
    """Raise OSError if the disk of a folder, which may have a part already, has not so many bytes."""
    if needed > shutil.disk_usage(folder).free + disk_usage(folder):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def disk_usage(folder: Path) -> int:
    """Return the bytes on the disk of the files in a folder, without holes."""
    return sum(512 * path.stat().st_blocks for path in folder.iterdir())


def image_bytes(size: tuple[int, int]) -> int:
    """Return the size of a preprocessed image."""
    return 3 * size[0] * size[1]


def describe_bytes(count: float) -> str:
    """Return a size in gigabytes, or for a small one in megabytes.

    Example:
        >>> describe_bytes(6.02e9), describe_bytes(3.1e6)
        ('6.0 GB', '3.1 MB')
    """
    return f"{count / 1e9:,.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def move_rows(path: Path, rows: list[int], row_bytes: int) -> None:
    """Keep these rows of a file, in this order; they are copied unless they are the first ones."""
    if rows == list(range(len(rows))):
        os.truncate(path, len(rows) * row_bytes)
        return
    moved = path.with_suffix(".moved")
    with path.open("rb") as file, moved.open("wb") as target:
        for row in rows:
            file.seek(row * row_bytes)
            target.write(file.read(row_bytes))
    moved.replace(path)


def map_images(path: Path, count: int, size: tuple[int, int]) -> Tensor:
    """Map the images of a file, uint8 (count, 3, H, W); they must not be written to."""
    if not count:
        return torch.empty(0, 3, *size, dtype=torch.uint8)
    with path.open("rb") as file:
        buffer = mmap.mmap(file.fileno(), count * image_bytes(size), access=mmap.ACCESS_READ)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The given buffer is not writable")
        return torch.frombuffer(buffer, dtype=torch.uint8).view(count, 3, *size)


def compute_mean_std(images: Tensor) -> tuple[Channels, Channels]:
    """Compute the per-channel mean and standard deviation of uint8 images (n, 3, H, W), scaled to 0..1.

    They are computed from histograms and rounded to 4 digits.
    """
    counts = torch.zeros(3, 256, dtype=torch.float64)
    for batch in images.split(max(1, BLOCK_BYTES // images[0].numel())):
        counts += torch.stack([torch.bincount(channel.flatten(), minlength=256) for channel in batch.unbind(1)])
    weights, levels = counts / counts.sum(1, keepdim=True), torch.arange(256, dtype=torch.float64) / 255
    mean = weights @ levels  # (3,)
    std = (weights @ levels.square() - mean.square()).clamp_min(0).sqrt().clamp_min(MIN_STD)
    rounded = [tuple(round(value, 4) for value in values.tolist()) for values in (mean, std)]
    return (rounded[0][0], rounded[0][1], rounded[0][2]), (rounded[1][0], rounded[1][1], rounded[1][2])
