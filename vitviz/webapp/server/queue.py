"""Bounded queues of server functions: a number of workers, a number of waiting requests, "busy" for the rest.

A waiting request holds no thread of the server, so slow requests never delay quick ones or the page's own files.
"""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Any

AsyncFunction = Callable[..., Any]  # awaited with a request
BUSY = "The server is busy. Try again in a moment."
ALL_CORES = threading.Lock()
LOW_PRIORITY = 5  # nice value; a higher one would delay other threads that wait for the locks it holds


class Queue:
    """A queue in front of worker threads.

    Args:
        workers: Requests processed concurrently.
        waiting: Requests that may wait; further ones get a busy response.
        low_priority: Whether the workers run at low CPU priority (on Linux only).
    """

    def __init__(self, workers: int, waiting: int, low_priority: bool = False) -> None:
        self.capacity = workers + waiting
        self.pending = 0
        self.pool = ThreadPoolExecutor(workers, initializer=init_worker, initargs=(low_priority,))

    def __call__(self, function: Callable[[Any], Any]) -> AsyncFunction:
        """Wrap a function to run in a worker; beyond capacity it returns {"error": `BUSY`, "busy": True}."""

        @wraps(function)
        async def queued(request: Any) -> Any:
            if self.pending >= self.capacity:
                return {"error": BUSY, "busy": True}
            self.pending += 1
            try:
                return await asyncio.get_running_loop().run_in_executor(self.pool, function, request)
            finally:
                self.pending -= 1

        return queued


def route_by_size(is_large: AsyncFunction, small: AsyncFunction, large: AsyncFunction) -> AsyncFunction:
    """Route requests to one of two queues by a quick check of their size."""

    @wraps(small)
    async def routed(request: Any) -> Any:
        found = await is_large(request)
        if isinstance(found, dict):  # a refusal
            return found
        return await (large if found else small)(request)

    return routed


def with_cache(lookup: AsyncFunction, compute: AsyncFunction) -> AsyncFunction:
    """Return a cached response if `lookup`, which is quick, finds one; otherwise queue for `compute`."""

    @wraps(compute)
    async def cached(request: Any) -> Any:
        found = await lookup(request)
        return await compute(request) if found is None else found

    return cached


def init_worker(low_priority: bool) -> None:
    """Initialize a worker thread."""
    limit_torch_threads()
    if low_priority:
        with suppress(AttributeError, OSError):  # only Linux has priorities of threads
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOW_PRIORITY)


@contextmanager
def all_cores() -> Iterator[None]:
    """Let networks in this worker use all cores, for one worker at a time: for a model that takes long on one core."""
    import torch

    with ALL_CORES:
        torch.set_num_threads(os.cpu_count() or 1)
        try:
            yield
        finally:
            limit_torch_threads()


def limit_torch_threads() -> None:
    """Limit the CPU threads of networks that run in this thread to a quarter of the cores.

    Workers run concurrently, and their threads would busy-wait for one another: with all cores each, an explanation on
    two cores takes nine times as long.
    """
    import torch

    torch.set_num_threads(max(1, (os.cpu_count() or 1) // 4))
