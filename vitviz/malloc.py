"""How this process allocates and frees memory. Calls of glibc's malloc have no effect with another C library."""

import ctypes
import math
import mmap
import platform
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

# Parameters of mallopt in glibc's malloc.h
M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_MAX, M_ARENA_MAX = -1, -2, -4, -8
HEAP_STEP = 2**28  # bytes by which the heap of a training grows

SERVER = threading.Event()  # set in the process of a server


def keep_freed_memory() -> None:
    """Reuse freed memory instead of returning it to the system, for a training.

    By default glibc returns large tensors and the top of its heap to the system, which zeroes each page before the next
    step gets it: 8 % of the training time on a CPU (docs/training.md).
    """
    if is_glibc():
        libc = ctypes.CDLL(None)
        libc.mallopt(M_MMAP_MAX, 0)
        libc.mallopt(M_TRIM_THRESHOLD, -1)
        libc.mallopt(M_TOP_PAD, HEAP_STEP)


def limit_fragmentation() -> None:
    """Use one arena for all threads that start later, and anonymous mappings in `empty`, for a server.

    By default glibc gives new threads separate arenas, and each grows by fragmentation where long-lived tensors lie
    between short-lived ones (docs/reliability.md).
    """
    SERVER.set()
    if is_glibc():
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)


def empty(shape: Sequence[int], like: "Tensor") -> "Tensor":
    """Return memory for a long-lived tensor of the dtype and device of another one, in a server outside the heap."""
    import torch

    if not SERVER.is_set() or like.device.type != "cpu" or not math.prod(shape):
        return like.new_empty(shape)
    buffer = mmap.mmap(-1, math.prod(shape) * like.itemsize)
    return torch.frombuffer(buffer, dtype=like.dtype).view(shape)


def to_mmap(tensor: "Tensor") -> "Tensor":
    """In a server, copy a long-lived CPU tensor to an anonymous mapping, outside the heap; else return it unchanged."""
    return empty(tensor.shape, tensor).copy_(tensor) if SERVER.is_set() else tensor


def request_pages(tensor: "Tensor", rows: Sequence[int]) -> None:
    """Let the system read rows of a contiguous CPU tensor that is mapped from a file, without waiting for it.

    One after another, as they are used, pages of random rows would arrive at a tenth of the speed.
    """
    if not hasattr(mmap, "MADV_WILLNEED"):  # on Windows
        return
    libc, length = ctypes.CDLL(None), tensor[0].nbytes
    for row in rows:
        start = tensor.data_ptr() + row * length
        page = start - start % mmap.PAGESIZE
        libc.madvise(ctypes.c_void_p(page), ctypes.c_size_t(start - page + length), mmap.MADV_WILLNEED)


def return_freed_memory() -> None:
    """Return all freed pages to the system, for a server; without this glibc returns only the top of a heap."""
    if is_glibc():
        ctypes.CDLL(None).malloc_trim(0)


def is_glibc() -> bool:
    """Whether the C library of this process is glibc."""
    return platform.libc_ver()[0] == "glibc"
