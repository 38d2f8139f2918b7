"""Training on images in a file that is larger than the memory of the process, against the same images in memory.

The file has random pixels, and each process trains a small network on random batches. The limited one is in a memory
cgroup, which counts the pages of the file, too (needs root on Linux); its first steps, which fill that memory, are not
timed. Images/s are of the steps after.
"""

import os
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from vitviz.data.datasets import CIFAR10
from vitviz.data.image_cache import image_bytes, map_images
from vitviz.files import cache_folder
from vitviz.malloc import keep_freed_memory
from vitviz.models.config import ViTConfig
from vitviz.training.config import TrainConfig
from vitviz.training.data import TrainingData, read_ahead
from vitviz.training.distributed import Distributed
from vitviz.training.loop import TrainingLoop

SIZE = (224, 224)
MODEL = ViTConfig(img_size=SIZE, patch_size=32, embed_dim=192, depth=4, num_heads=3)
BATCH_SIZE = 64  # whose activations fit into the memory of the limited process
CGROUPS = (  # folder, file of the limit in bytes, and file of the processes: versions 1 and 2
    (Path("/sys/fs/cgroup/memory/vitviz-benchmark"), "memory.limit_in_bytes"),
    (Path("/sys/fs/cgroup/vitviz-benchmark"), "memory.max"),
)


def data(num_images: int, limit: int, steps: int) -> None:
    """Print images/s of both.

    Args:
        num_images: Images in the file.
        limit: Memory of the limited process (bytes).
        steps: Timed steps, after as many as read `limit` bytes.
    """
    path = cache_folder() / "benchmark.bin"
    path.parent.mkdir(parents=True, exist_ok=True)
    warmup = limit // image_bytes(SIZE) // BATCH_SIZE + 1
    try:
        write_random(path, num_images)
        found = {}
        for name, own_limit, untimed in (("mapped, limited", limit, warmup), ("in memory", 0, 5)):
            with ProcessPoolExecutor(1, get_context("spawn")) as process:
                found[name] = process.submit(measure, path, num_images, own_limit, untimed, steps).result()
    finally:
        path.unlink(missing_ok=True)
        for folder, _ in CGROUPS:
            if folder.exists():
                folder.rmdir()
    table = Table("images", "images/s", "anonymous memory", title=f"{num_images * image_bytes(SIZE) / 1e9:.1f} GB")
    for name, (speed, memory) in found.items():
        table.add_row(name, f"{speed:.0f}", f"{memory / 1e9:.1f} GB")
    Console().print(table)
    ratio = found["mapped, limited"][0] / found["in memory"][0]
    Console().print(f"{ratio:.2f} of the speed in memory, with {limit / 1e9:.1f} GB for {os.cpu_count()} cores")


def write_random(path: Path, num_images: int) -> None:
    """Write images of random pixels, and remove their pages from memory."""
    rng = np.random.default_rng(0)
    with path.open("wb") as file:
        for _ in range(num_images):
            file.write(rng.bytes(image_bytes(SIZE)))
        file.flush()
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def measure(path: Path, num_images: int, limit: int, untimed: int, steps: int) -> tuple[float, int]:
    """Return images/s of the timed steps in this process, and its anonymous memory (bytes); `limit` 0 is none."""
    if limit:
        limit_memory(limit)
    keep_freed_memory()
    images = map_images(path, num_images, SIZE)
    split = (images, torch.arange(num_images) % 10) if limit else (images.clone(), torch.arange(num_images) % 10)
    held_out = split[0][:100], split[1][:100]
    config = TrainConfig(
        model=MODEL,
        epochs=1,
        minutes=None,
        batch_size=BATCH_SIZE,
        randaug_num_ops=0,
        cutmix_prob=0,
        num_snapshots=0,
        attention="fused",
        device="cpu",
    )
    loop = TrainingLoop(config, Distributed("cpu"), TrainingData(CIFAR10, split, held_out))
    order = torch.randint(num_images, ((untimed + steps) * BATCH_SIZE,), generator=torch.Generator())
    start = 0.0
    for number, batch in enumerate(read_ahead(split[0], order.split(BATCH_SIZE))):
        if number == untimed:
            start = time.perf_counter()
        loop.step(batch)
    seconds = time.perf_counter() - start
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return steps * BATCH_SIZE / seconds, 1024 * int(status["RssAnon"].split()[0])


def limit_memory(limit: int) -> None:
    """Put this process into a memory cgroup with a limit (bytes)."""
    folder, name = next((folder, name) for folder, name in CGROUPS if folder.parent.exists())
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(str(limit))
    (folder / "cgroup.procs").write_text(str(os.getpid()))
