"""Lines before the answers: so many at once, so many waiting, and to all others "busy, try again".

Whoever waits holds no thread, so a line of slow questions never delays quick ones or the page's own files.
"""

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import wraps
from typing import Any

import torch

Asked = Callable[..., Any]  # awaited, with a question
BUSY = "The server is busy. Try again in a moment."
BEHIND = 5  # priority of a thread whose work may wait; if it were lower, others would wait for the locks it holds


class Queue:
    """A line in front of some workers.

    Args:
        workers: Questions answered at the same time.
        waiting: Questions that may wait; more are told that the server is busy.
        yielding: Whether its workers stand behind all others for the processor (on Linux; elsewhere they share it).
    """

    def __init__(self, workers: int, waiting: int, yielding: bool = False) -> None:
        self.most = workers + waiting
        self.inside = 0
        self.turn = asyncio.Semaphore(workers)
        self.pool = ThreadPoolExecutor(workers, initializer=begin, initargs=(yielding,))

    def __call__(self, answer: Callable[[Any], Any]) -> Asked:
        """An answer that waits for its turn; too many at once get {"error": `BUSY`, "busy": True}."""

        @wraps(answer)
        async def in_turn(question: Any) -> Any:
            if self.inside >= self.most:
                return {"error": BUSY, "busy": True}
            self.inside += 1
            try:
                async with self.turn:
                    return await asyncio.get_running_loop().run_in_executor(self.pool, answer, question)
            finally:
                self.inside -= 1

        return in_turn


def route_by_size(takes_long: Asked, quick: Asked, slow: Asked) -> Asked:
    """An answer that stands in the slow line if the question takes long, which a quick look tells."""

    @wraps(quick)
    async def either(question: Any) -> Any:
        found = await takes_long(question)
        if isinstance(found, dict):  # a refusal
            return found
        return await (slow if found else quick)(question)

    return either


def with_cache(known: Asked, answer: Asked) -> Asked:
    """An answer for whose line nobody needs to stand if `known`, which is quick, has it already."""

    @wraps(answer)
    async def either(question: Any) -> Any:
        found = await known(question)
        return await answer(question) if found is None else found

    return either


def begin(yielding: bool) -> None:
    """Prepare a worker's thread; if it yields, put it behind all others."""
    share_processors()
    if yielding:
        with suppress(AttributeError, OSError):  # Linux alone has priorities of single threads
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), BEHIND)


def share_processors() -> None:
    """Let the networks that this thread runs take few processors.

    Several workers run at once. If each took all processors, their threads would wait for one another, busily: on two
    processors an explanation then costs nine times as much.
    """
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // 4))
