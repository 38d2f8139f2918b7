"""One request to the routes: what it may use, and its computations, which end when its client has gone."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import Depends, Request
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel
from starlette.types import Receive

from vitviz.attribution.context import BEFORE_BATCH
from vitviz.view import Subject
from vitviz.webapp.schemas.base import Progress
from vitviz.webapp.server.jobs import Job
from vitviz.webapp.server.refusals import refuse

if TYPE_CHECKING:
    from vitviz.attribution.context import Target
    from vitviz.webapp.backend import Backend
    from vitviz.webapp.explanations import Held

T = TypeVar("T")
R = TypeVar("R", bound=BaseModel)
AT_ONCE = 0.1  # s within which a stream that fails still has the HTTP status of its refusal


class Lines(JSONResponse):
    """Lines of JSON: `Progress`, and at last {"reply": ...} or a `Refusal`."""

    media_type = "application/x-ndjson"


class Call:
    """A request.

    Args:
        backend: What it may use.
    """

    def __init__(self, backend: "Backend") -> None:
        self.backend, self.job = backend, Job()

    async def explain(self, subject: Subject) -> "Held":
        """Return the explanation of a subject, from memory or after a forward pass."""
        return await self.backend.explanations.find(subject, self.job, self.backend.queues.one_pass)

    async def quick(self, function: Callable[[], T]) -> T:
        """Compute what takes no forward pass."""
        return await self.backend.queues.quick.run(self.job, function)

    async def one_pass(self, function: Callable[[], T], is_large: bool = False) -> T:
        """Compute what takes one or few forward passes."""
        return await self.backend.queues.one_pass.run(self.job, lambda: self.interruptible(function), is_large)

    async def later(self, function: Callable[[], T], is_large: bool = False) -> T:
        """Compute what follows an explanation by itself, in some forward passes."""
        return await self.backend.queues.later.run(self.job, lambda: self.interruptible(function), is_large)

    async def many_passes(self, function: Callable[[], T], is_large: bool = False) -> T:
        """Compute what takes seconds or minutes."""
        return await self.backend.queues.many_passes.run(self.job, lambda: self.interruptible(function), is_large)

    async def reply(
        self,
        kind: Hashable,
        held: "Held",
        target: "Target",
        model: type[R],
        compute: Callable[[], R],
        many: bool = True,
    ) -> R:
        """Return a reply about an explanation that was computed before, or compute it.

        Args:
            kind: What it is.
            held: The explanation.
            target: The explained class.
            model: Type of the reply.
            compute: Computes it.
            many: Whether it takes many passes, or some.
        """
        explanations = self.backend.explanations
        if (known := explanations.reply(kind, held, target, model)) is not None:
            return known
        run = self.many_passes if many else self.later
        found = await run(compute, held.is_large)
        explanations.keep(kind, held, target, found)
        return found

    def interruptible(self, function: Callable[[], T]) -> T:
        """Call a function that ends before its next batch once the client has gone."""
        before = BEFORE_BATCH.set(self.job.before_batch)
        try:
            return function()
        finally:
            BEFORE_BATCH.reset(before)

    async def watch(self, receive: Receive) -> None:
        """Cancel the job once the client has gone."""
        while (await receive())["type"] != "http.disconnect":
            pass
        self.job.cancel()

    async def stream(self, computation: Coroutine[Any, Any, BaseModel]) -> StreamingResponse:
        """Return a response that reports progress until a computation has finished, see `Lines`.

        Raises:
            Exception: The computation's, if it fails at once.
        """
        task = asyncio.create_task(computation)
        task.add_done_callback(self.finish)
        if (await asyncio.wait([task], timeout=AT_ONCE))[0]:
            task.result()
        headers = {"X-Accel-Buffering": "no", "Cache-Control": "no-store"}
        return StreamingResponse(self.lines(task), media_type=Lines.media_type, headers=headers)

    def finish(self, task: "asyncio.Task[BaseModel]") -> None:
        """Wake the response of a task; its exception is not one that nobody has seen."""
        if not task.cancelled():
            task.exception()
        self.job.changed.set()

    async def lines(self, task: "asyncio.Task[BaseModel]") -> AsyncIterator[str]:
        """Yield the lines of a stream; the job is cancelled when nobody reads them any more."""
        job = self.job
        try:
            while not task.done():
                await job.changed.wait()
                job.changed.clear()
                if not task.done():
                    waiting = "" if job.before is None else sentence(job.before)
                    yield Progress(done=job.done, total=job.total, waiting=waiting).model_dump_json() + "\n"
            try:
                yield f'{{"reply":{task.result().model_dump_json()}}}\n'
            except Exception as error:
                yield refuse(error, self.backend.public)[1].model_dump_json() + "\n"
        finally:
            job.cancel()


def sentence(before: int) -> str:
    """Return why a request waits."""
    return f"{before} request{'s' if before > 1 else ''} before yours"


async def new_call(request: Request) -> AsyncIterator[Call]:
    """Return the call of a request, and watch its client until it is served."""
    call = Call(request.app.state.backend)
    watching = asyncio.create_task(call.watch(request.receive))
    try:
        yield call
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching


Caller = Annotated[Call, Depends(new_call)]


async def private_call(call: Caller) -> Call:
    """Return the call of a request that a public page refuses."""
    if call.backend.public:
        raise ValueError("Training is off on a public page. Install vitviz on your own computer to train.")
    return call


PrivateCaller = Annotated[Call, Depends(private_call)]
