"""Server functions whose modules are imported in the background: importing torch takes as long as starting Gradio."""

import asyncio
import inspect
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool

from vitviz.webapp.opening import Example
from vitviz.webapp.server.queue import AsyncFunction

if TYPE_CHECKING:
    from vitviz.webapp.backend import Backend

EXPLAIN = ("explore", "explain")  # page and name of the function that the example is of


class DeferredBackend:
    """The pages and their server functions, once `load` has returned them; requests wait for it.

    Args:
        load: Imports and returns them.
        example: A request for `explain` of Explore and its reply, which does not wait; None for none.
    """

    def __init__(self, load: "Callable[[], Backend]", example: Example | None = None) -> None:
        self.load, self.example = load, example
        self.future: Future[Backend] | None = None
        self.lock = threading.Lock()

    def start(self) -> "Future[Backend]":
        """Start to load in a thread, at the first call; return the future result."""
        with self.lock:
            if self.future is None:
                pool = ThreadPoolExecutor(1, "import")
                self.future = pool.submit(self.load)
                pool.shutdown(wait=False)
            return self.future

    def clean(self) -> None:
        """Delete what has expired, once the pages are there."""
        if self.future is not None and self.future.done() and self.future.exception() is None:
            self.future.result().clean()

    def functions(self, page: str, names: Iterable[str]) -> list[AsyncFunction]:
        """Return functions with these names that wait for those of a page and call them."""
        return [self.function(page, name) for name in names]

    def function(self, page: str, name: str) -> AsyncFunction:
        """Return a function that waits for a function of a page and calls it."""
        example = self.example if (page, name) == EXPLAIN else None

        async def deferred(request: Any) -> Any:
            future = self.start()
            if example is not None and request == example["request"] and not future.done():
                return example["reply"]
            # Shielded, so that a visitor who leaves does not cancel the import for all.
            backend = await asyncio.shield(asyncio.wrap_future(future))
            function = backend.functions[page][name]
            if inspect.iscoroutinefunction(function):
                return await function(request)
            return await run_in_threadpool(function, request)

        deferred.__name__ = name
        return deferred
