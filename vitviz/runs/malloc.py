"""What glibc's malloc does with the freed memory of this process; no effect with another C library."""

import ctypes
import platform

# Parameters of mallopt in glibc's malloc.h
M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_MAX, M_ARENA_MAX = -1, -2, -4, -8
HEAP_STEP = 2**28  # bytes by which the heap of a training grows


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


def use_one_heap() -> None:
    """Allocate from one heap in all threads that start later, for a server.

    By default glibc gives new threads heaps of their own. Each heap gets gaps, and grows, as explanations in the cache
    lie between short-lived tensors (docs/reliability.md).
    """
    if is_glibc():
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)


def return_freed_memory() -> None:
    """Return all freed pages to the system, for a server; by itself glibc returns only the top of a heap."""
    if is_glibc():
        ctypes.CDLL(None).malloc_trim(0)


def is_glibc() -> bool:
    """Whether the C library of this process is glibc."""
    return platform.libc_ver()[0] == "glibc"
