"""Routes whose modules are imported in the background: importing torch takes as long as starting Gradio."""

import asyncio
import json
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from vitviz.view import Subject
from vitviz.webapp.first_paint import FirstExplanation
from vitviz.webapp.server.modules import API_PREFIX

if TYPE_CHECKING:
    from vitviz.webapp.backend import Backend


class DeferredBackend:
    """The backend, once `load` has returned it; requests wait for it.

    Args:
        load: Imports and returns it.
        explained: A subject and the reply to a request for its explanation, which does not wait; None for none.
    """

    def __init__(self, load: "Callable[[], Backend]", explained: FirstExplanation | None = None) -> None:
        self.load, self.explained = load, explained
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

    async def backend(self) -> "Backend":
        """Wait for the pages; shielded, so that a visitor who leaves does not cancel the import for all."""
        return await asyncio.shield(asyncio.wrap_future(self.start()))

    def clean(self) -> None:
        """Delete what has expired, once the pages are built."""
        if self.future is not None and self.future.done() and self.future.exception() is None:
            self.future.result().clean()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request to the routes (ASGI)."""
        future = self.start()
        if self.explained is not None and not future.done() and scope["path"] == f"{API_PREFIX}/explanations":
            body = await Request(scope, receive).body()
            if subject_of(body) == self.explained["subject"]:
                await JSONResponse(self.explained["reply"])(scope, receive, send)
                return
            receive = replay(body, receive)
        # Its routes are absolute, as a proxy may remove its prefix from the path or not.
        await (await self.backend()).api({**scope, "root_path": ""}, receive, send)


def subject_of(body: bytes) -> dict[str, Any] | None:
    """Return the subject of a request for an explanation; None if it is not valid."""
    try:
        return Subject.model_validate(json.loads(body)["subject"]).model_dump()
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def replay(body: bytes, receive: Receive) -> Receive:
    """Return a function that receives a body again, and then what follows it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again
