"""Long computations of the page: their progress, and their cancellation, also while they wait in a queue."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from cachetools import TTLCache

from vitviz.webapp.schemas.views import TaskProgress
from vitviz.webapp.server.requests import Json, RequestError, require

T = TypeVar("T")
Report = Callable[[int, int], None]
MAX_TASKS = 1000
MAX_AGE = 3600.0  # s
ABANDONED_AFTER = 180.0  # s without a request for the progress; browsers slow down hidden pages to one a minute
MAX_ID = 64  # characters


class CancelledError(ValueError):
    """A task was cancelled on the page, or the page is gone."""

    def __init__(self) -> None:
        super().__init__("Cancelled.")


class Tasks:
    """Progress of tasks by the id that the page gives each of them; thread-safe. Ids are not used again."""

    def __init__(self) -> None:
        self.progress: dict[str, TaskProgress] = {}
        self.cancelled: TTLCache[str, bool] = TTLCache(MAX_TASKS, MAX_AGE, time.monotonic)
        self.watched: TTLCache[str, bool] = TTLCache(MAX_TASKS, ABANDONED_AFTER, time.monotonic)
        self.lock = threading.Lock()

    def run(self, task: str, compute: Callable[[Report], T]) -> T:
        """Compute with a function that records progress.

        Raises:
            CancelledError: From that function, once the task is cancelled or its page does not follow it any more.
        """

        def report(done: int, total: int) -> None:
            with self.lock:
                self.progress[task] = {"done": done, "total": total}
                if task in self.cancelled or task not in self.watched:
                    raise CancelledError

        with self.lock:
            self.watched[task] = True
        try:
            report(0, 0)
            return compute(report)
        finally:
            with self.lock:
                self.progress.pop(task, None)

    def task_progress(self, request: Json) -> TaskProgress:
        """Return the progress of a `task`, 0 of 0 while it does not run; with `cancel` it ends with its next report."""
        task = task_of(request)
        cancel = require(request, "cancel", bool)
        with self.lock:
            self.watched[task] = True
            if cancel:
                self.cancelled[task] = True
            return self.progress.get(task, {"done": 0, "total": 0})


def task_of(request: Json) -> str:
    """Return the id of a request's task."""
    task = require(request, "task", str)
    if not 0 < len(task) <= MAX_ID:
        raise RequestError("task", f"an id of 1 to {MAX_ID} characters", task)
    return task
