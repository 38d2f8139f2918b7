"""Server functions of the maps on request, which take seconds to minutes: their progress, and their interruption."""

from typing import cast

from vitviz.attribution import serialize
from vitviz.attribution.coalition_maps import InterruptedMapError
from vitviz.attribution.context import Target
from vitviz.attribution.explanation import Explanation
from vitviz.attribution.methods import METHODS
from vitviz.webapp.schemas.explore import OnRequestProgress, OnRequestReply
from vitviz.webapp.server.cache import ExplanationCache, ScoreCache
from vitviz.webapp.server.requests import Json, choice, parse_target

ON_REQUEST = tuple(key for key, method in METHODS.items() if method.on_request)
Task = tuple[str, str, Target]  # key of the explanation, method, target


class OnRequest:
    """Maps on request.

    Args:
        explanations: The explanations of the page.
        scored: The cache of maps and scores.
    """

    def __init__(self, explanations: ExplanationCache, scored: ScoreCache) -> None:
        self.explanations, self.scored = explanations, scored
        self.running: dict[Task, tuple[int, int]] = {}  # forward passes done and in total
        self.cancelled: set[Task] = set()

    def map_on_request(self, request: Json) -> OnRequestReply | None:
        """Return the map of a method on request and its deletion score; None if the key has expired.

        Args:
            request: `key`; `method`, one on request; `target` as for `Explore.methods`. A second request for a map that
                is being computed waits for the first one.

        Returns:
            `map`, (N,), and `score` as of `Explore.scores`; both None if the map was interrupted.
        """
        if (explanation := self.explanations.get(request)) is None:
            return None
        task = self.task(request, explanation)

        def progress(done: int, total: int) -> bool:
            self.running[task] = done, total
            return task not in self.cancelled

        def compute() -> Json:
            values = explanation.map(task[1], task[2], progress).ravel()
            return {"map": values.tolist(), "score": serialize.method_score(explanation, task[2], values)}

        try:
            found = self.scored.get_or_compute(task[1], explanation, task[2], compute)
            return cast(OnRequestReply, found)
        except InterruptedMapError:
            return {"map": None, "score": None}
        finally:
            self.running.pop(task, None)
            self.cancelled.discard(task)

    def cached(self, request: Json) -> OnRequestReply | None:
        """Return the map if it was computed before."""
        if (explanation := self.explanations.get(request)) is None:
            return None
        _, method, target = self.task(request, explanation)
        return cast(OnRequestReply | None, self.scored.get(method, explanation, target))

    def on_request_progress(self, request: Json) -> OnRequestProgress:
        """Return the progress of a map, and interrupt it if `action` is "cancel"; the map's request then returns."""
        action = choice(request, "action", ("state", "cancel"))
        done, total = 0, 0
        if (explanation := self.explanations.get(request)) is not None:
            task = self.task(request, explanation)
            done, total = self.running.get(task, (0, 0))
            if action == "cancel" and task in self.running:
                self.cancelled.add(task)
        return {"done": done, "total": total}

    def task(self, request: Json, explanation: Explanation) -> Task:
        """Return the key, method and target of a request."""
        return str(request["key"]), choice(request, "method", ON_REQUEST), explanation.target(parse_target(request))
