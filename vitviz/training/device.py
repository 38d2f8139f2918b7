"""What to train on: a device, its arithmetic, its memory and its name."""

import ctypes
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import torch

from vitviz.training.config import TrainingError

ALLOCATOR = "DefaultCPUAllocator"  # in the words of a plain RuntimeError, torch's only sign that a CPU's memory is full
MMAP_MAX, TRIM_THRESHOLD = -4, -1  # what glibc's malloc.h calls M_MMAP_MAX and M_TRIM_THRESHOLD


def choose_device(wanted: str, index: int = 0) -> torch.device:
    """Turn "auto", "cuda" or "cpu" into a device; `index` counts the processes of this machine.

    Raises:
        ValueError: If a GPU is wanted and there is none for this process.
    """
    if wanted == "cpu" or (wanted == "auto" and not torch.cuda.is_available()):
        return torch.device("cpu")
    if index >= torch.cuda.device_count():
        raise ValueError(
            f"device cuda needs a GPU for each process: there are {torch.cuda.device_count()}, and this is process "
            f"{index + 1}. Use --device cpu, or fewer processes."
        )
    return torch.device("cuda", index)


@contextmanager
def memory_in_words(refusal: str) -> Iterator[None]:
    """Say this, and nothing of torch's, if the memory of a GPU or of the machine runs out.

    Raises:
        TrainingError: If it does.
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError | torch.OutOfMemoryError) and ALLOCATOR not in str(error):
            raise
        raise TrainingError(refusal) from None


def keep_freed_memory() -> None:
    """Let this process keep the memory that a step frees, for the next step; without glibc nothing changes.

    Else glibc gives large tensors, and what lies free at the end of its heap, back to the system, which fills every
    page with zeros before the next step may have it: 8 % of a training on a CPU (docs/training.md).
    """
    if platform.libc_ver()[0] == "glibc":
        libc = ctypes.CDLL(None)
        libc.mallopt(MMAP_MAX, 0)
        libc.mallopt(TRIM_THRESHOLD, -1)


def mixed_precision(device: torch.device, bfloat16: bool) -> AbstractContextManager[Any]:
    """Autocast to bfloat16, or nothing."""
    return torch.autocast(device.type, torch.bfloat16) if bfloat16 else nullcontext()


def bfloat16_is_faster(device: torch.device) -> bool:
    """Whether to compute in bfloat16: where it is multiplied in hardware.

    GPUs before Ampere and many CPUs only emulate bfloat16 and lose by it. A GPU knows; on a CPU one product of each
    kind is timed.
    """
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    return seconds_of_product(torch.bfloat16) < 0.8 * seconds_of_product(torch.float32)


def seconds_of_product(dtype: torch.dtype) -> float:
    """Time a matrix product of a training step's size: the best of five."""
    a, b = torch.ones(2048, 256, dtype=dtype), torch.ones(256, 512, dtype=dtype)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        a @ b
        times.append(time.perf_counter() - start)
    return min(times)


def timed(call: Callable[[], object], device: torch.device) -> float:
    """Seconds that a call takes, all work of the device included."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    start = time.perf_counter()
    call()
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter() - start


def hardware(device: torch.device) -> str:
    """Name the device that trains."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    names = [line.split(":", 1)[1].strip() for line in cpu_lines() if line.startswith("model name")]
    count = torch.get_num_threads()
    return f"{names[0] if names else platform.machine()}, {count} thread{'s' if count > 1 else ''}"


def cpu_lines() -> list[str]:
    """What Linux says about its CPUs; empty elsewhere."""
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.is_file() else []
