"""Queues of computations: bounded, in order, fair to small models, and without those whose client has gone."""

import asyncio
import threading

import pytest
import torch

from vitviz.webapp.server.calls import sentence
from vitviz.webapp.server.jobs import CORES, BusyError, GoneError, Job, Queue


class Blocked:
    """A queue of one worker that computes until it is released.

    Attributes:
        order: The names of what was computed.
    """

    def __init__(self, capacity: int = 10) -> None:
        self.queue, self.release, self.started = Queue(1, capacity), threading.Event(), threading.Event()
        self.order: list[str] = []

    def block(self) -> str:
        self.started.set()
        assert self.release.wait(60)
        return "first"

    async def start(self) -> "asyncio.Task[str]":
        """Occupy the worker."""
        task = asyncio.create_task(self.queue.run(Job(), self.block))
        await asyncio.to_thread(self.started.wait, 60)
        return task

    def add(self, name: str, is_large: bool = False) -> "tuple[Job, asyncio.Task[None]]":
        """Let a computation wait."""
        job = Job()
        return job, asyncio.create_task(self.queue.run(job, lambda: self.order.append(name), is_large))


def test_small_models_come_first_and_each_knows_how_many_are_before_it():
    async def check():
        blocked = Blocked()
        first = await blocked.start()
        names = {"large": True, "small": False, "larger": True, "next": False}
        jobs, tasks = zip(*(blocked.add(*one) for one in names.items()), strict=True)
        await asyncio.sleep(0)
        assert [job.before for job in jobs] == [3, 1, 4, 2]
        blocked.release.set()
        await asyncio.gather(first, *tasks)
        assert blocked.order == ["small", "next", "large", "larger"]
        assert [job.before for job in jobs] == [None] * 4

    asyncio.run(check())


def test_the_reason_of_waiting_is_a_sentence():
    assert [sentence(1), sentence(2)] == ["1 request before yours", "2 requests before yours"]


def test_a_full_queue_is_busy_and_works_on():
    async def check():
        blocked = Blocked(capacity=1)
        first = await blocked.start()
        _, waiting = blocked.add("waiting")
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await blocked.add("refused")[1]
        blocked.release.set()
        assert await first == "first"
        await waiting
        await blocked.add("later")[1]
        assert blocked.order == ["waiting", "later"]

    asyncio.run(check())


def test_a_waiting_computation_whose_client_has_gone_is_dropped():
    async def check():
        blocked = Blocked()
        first = await blocked.start()
        gone, task = blocked.add("gone")
        other, kept = blocked.add("kept")
        await asyncio.sleep(0)
        gone.cancel()
        with pytest.raises(GoneError):
            await task
        assert other.before == 1
        blocked.release.set()
        await asyncio.gather(first, kept)
        assert blocked.order == ["kept"]
        with pytest.raises(GoneError):
            await blocked.queue.run(gone, lambda: pytest.fail("its client has gone"))
        await blocked.add("later")[1]  # the worker is free

    asyncio.run(check())


def test_a_running_computation_ends_at_its_next_report():
    async def check():
        queue, job, reported = Queue(1, 1), Job(), threading.Event()

        def compute():
            job.report(1, 10)
            reported.set()
            while not job.is_cancelled.wait(60):
                pass
            job.report(2, 10)
            pytest.fail("its client has gone")

        task = asyncio.create_task(queue.run(job, compute))
        await asyncio.to_thread(reported.wait, 60)
        assert (job.done, job.total) == (1, 10)
        job.cancel()
        with pytest.raises(GoneError):
            await task
        assert await queue.run(Job(), lambda: "next") == "next"

    asyncio.run(check())


def test_an_error_frees_the_worker():
    async def check():
        queue = Queue(1, 1)
        with pytest.raises(ZeroDivisionError):
            await queue.run(Job(), lambda: 1 / 0)
        assert await queue.run(Job(), lambda: 1) == 1

    asyncio.run(check())


def test_a_lone_computation_has_all_cores_and_several_share_them(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 4)

    async def check():
        queue, both = Queue(2, 1), threading.Barrier(2)
        assert await queue.run(Job(), torch.get_num_threads) == 4

        def share(job):
            both.wait(60)
            job.report(0, 1)  # as between two batches
            both.wait(60)
            return torch.get_num_threads()

        jobs = [Job(), Job()]
        assert await asyncio.gather(*(queue.run(job, lambda job=job: share(job)) for job in jobs)) == [2, 2]
        assert await queue.run(Job(), torch.get_num_threads) == 4

    asyncio.run(check())
    assert CORES.running == 0
