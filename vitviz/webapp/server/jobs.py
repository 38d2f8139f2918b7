"""Computations for requests: a queue for each cost, shared by all pages, with an end when nobody waits any more.

A waiting request holds no thread. Small models come before large ones, so that nobody's small question waits for
someone else's large model. A computation that runs alone has all cores; several share them.
"""

import asyncio
import os
import threading
from bisect import insort
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import TypeVar

T = TypeVar("T")
# Nice value: a browser on the same computer redraws in time (`python -m benchmarks large`), and requests wait no longer
# for the locks of these workers than with 5 (`python -m benchmarks load`).
LOW_PRIORITY = 15


class BusyError(Exception):
    """A queue is full."""


class GoneError(Exception):
    """The client of a computation has gone."""


class Cores:
    """Share the cores among the computations that run at the moment; thread-safe.

    Threads of concurrent networks would busy-wait for one another: with all cores each, an explanation on two cores
    takes nine times as long.
    """

    def __init__(self) -> None:
        self.running = 0
        self.lock = threading.Lock()

    def run(self, function: Callable[[], T]) -> T:
        """Call a function as one of the running computations."""
        with self.lock:
            self.running += 1
        try:
            self.take_share()
            return function()
        finally:
            with self.lock:
                self.running -= 1

    def take_share(self) -> None:
        """Limit the threads of networks in the current thread to its share of the cores."""
        import torch

        torch.set_num_threads(max(1, (os.cpu_count() or 1) // max(1, self.running)))


CORES = Cores()


class Job:
    """What is computed for one request.

    Attributes:
        done: Steps done, and in `total`; 0 of 0 unless the computation reports them.
        before: Number of requests that are served first; None once it runs.
    """

    def __init__(self) -> None:
        self.done, self.total, self.expected = 0, 0, 0
        self.before: int | None = None
        self.is_cancelled = threading.Event()
        self.changed = asyncio.Event()
        self.loop = asyncio.get_running_loop()
        self.turn: asyncio.Future[None] | None = None

    def report(self, done: int, total: int) -> None:
        """Record progress; called from the computation between two batches.

        Raises:
            GoneError: If the client has gone.
        """
        self.check()
        CORES.take_share()
        self.done, self.total = done, total
        self.loop.call_soon_threadsafe(self.changed.set)

    def expect(self, images: int) -> None:
        """Report progress in images that pass through the network, about so many."""
        self.done, self.total, self.expected = 0, images, images

    def before_batch(self, images: int) -> None:
        """Count the images of a batch before it is computed; raise GoneError if the client has gone."""
        self.check()
        if self.expected:
            self.report(min(self.done + images, self.total), self.total)

    def check(self) -> None:
        """Raise GoneError if the client has gone."""
        if self.is_cancelled.is_set():
            raise GoneError

    def cancel(self) -> None:
        """End the computation at its next report, or take it out of its queue."""
        self.is_cancelled.set()
        if self.turn is not None:
            self.turn.cancel()

    def wait(self, before: int | None) -> None:
        """Record the number of requests that are served first; None for none."""
        self.before = before
        self.changed.set()


@dataclass(order=True)
class Waiting:
    """A waiting job; small models come first, then who came first."""

    is_large: bool
    number: int
    job: Job = field(compare=False)


class Queue:
    """A queue in front of worker threads, used from one event loop.

    Args:
        workers: Jobs processed concurrently.
        capacity: Jobs that may wait; further ones are refused.
        low_priority: Whether the workers run at low CPU priority (on Linux only).
    """

    def __init__(self, workers: int, capacity: int, low_priority: bool = False) -> None:
        self.free, self.capacity = workers, capacity
        self.waiting: list[Waiting] = []
        self.numbers = count()
        self.pool = ThreadPoolExecutor(workers, initializer=lower_priority if low_priority else None)

    async def run(self, job: Job, function: Callable[[], T], is_large: bool = False) -> T:
        """Call a function in a worker when it is its turn.

        Raises:
            BusyError: If the queue is full.
            GoneError: If the job is cancelled.
        """
        await self.wait(job, is_large)
        loop = asyncio.get_running_loop()
        running = self.pool.submit(CORES.run, function)
        running.add_done_callback(lambda _: loop.call_soon_threadsafe(self.next))
        return await asyncio.wrap_future(running)

    async def wait(self, job: Job, is_large: bool) -> None:
        """Wait until a worker is free, and take it."""
        job.check()
        if self.free:
            self.free -= 1
            return
        if len(self.waiting) >= self.capacity:
            raise BusyError
        entry = Waiting(is_large, next(self.numbers), job)
        job.turn = asyncio.get_running_loop().create_future()
        insort(self.waiting, entry)
        self.tell()
        try:
            await job.turn
        except asyncio.CancelledError:
            if not job.turn.cancelled():  # its turn came at the same time
                self.next()
            elif entry in self.waiting:
                self.waiting.remove(entry)
                self.tell()
            if not job.is_cancelled.is_set():
                raise
            raise GoneError from None
        job.wait(None)

    def next(self) -> None:
        """Give a worker that is free to the first waiting job."""
        while self.waiting:
            turn = self.waiting.pop(0).job.turn
            if turn is not None and not turn.done():
                turn.set_result(None)
                self.tell()
                return
        self.free += 1

    def tell(self) -> None:
        """Record for all waiting jobs how many are served first."""
        for before, entry in enumerate(self.waiting, start=1):  # at least the one that runs
            entry.job.wait(before)


@dataclass
class Queues:
    """The queues by cost.

    Attributes:
        quick: Without a forward pass, less than a second.
        one_pass: One or few forward passes: at most two images are explained at once.
        later: Some forward passes that follow an explanation by themselves, which must not delay what is pointed at.
        many_passes: Seconds to minutes.
    """

    quick: Queue = field(default_factory=lambda: Queue(2, 100))
    one_pass: Queue = field(default_factory=lambda: Queue(2, 100))
    later: Queue = field(default_factory=lambda: Queue(2, 100, low_priority=True))
    many_passes: Queue = field(default_factory=lambda: Queue(2, 16, low_priority=True))


def lower_priority() -> None:
    """Lower the CPU priority of the current thread."""
    with suppress(AttributeError, OSError):  # only Linux has priorities of threads
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOW_PRIORITY)
