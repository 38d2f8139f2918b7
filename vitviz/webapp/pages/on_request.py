"""Server functions of the maps on request, which take seconds to minutes."""

from functools import partial
from typing import cast

from vitviz.attribution import serialize
from vitviz.attribution.methods import METHODS
from vitviz.webapp.schemas.explore import OnRequestReply
from vitviz.webapp.server.cache import ExplanationCache, ScoreCache
from vitviz.webapp.server.requests import Json, choice, parse_target
from vitviz.webapp.server.tasks import Report, Tasks, task_of

ON_REQUEST = tuple(key for key, method in METHODS.items() if method.on_request)


class OnRequest:
    """Maps on request.

    Args:
        explanations: The explanations of the page.
        scored: The cache of maps and scores.
        tasks: Their progress.
    """

    def __init__(self, explanations: ExplanationCache, scored: ScoreCache, tasks: Tasks) -> None:
        self.explanations, self.scored, self.tasks = explanations, scored, tasks

    def map_on_request(self, request: Json) -> OnRequestReply | None:
        """Return the map of a method on request and its deletion score; None if the key has expired.

        Args:
            request: `key`; `method`, one on request; `target` as for `Explore.methods`; `task`, the id of its progress.

        Returns:
            `map`, (N,), and `score` as of `Explore.scores`.

        Raises:
            CancelledError: If the task is cancelled.
        """
        if (explanation := self.explanations.get(request)) is None:
            return None
        method, target = choice(request, "method", ON_REQUEST), explanation.target(parse_target(request))

        def compute(report: Report) -> Json:
            values = explanation.map(method, target, report).ravel()
            return {"map": values.tolist(), "score": serialize.method_score(explanation, target, values)}

        run = partial(self.tasks.run, task_of(request), compute)
        return cast(OnRequestReply, self.scored.get_or_compute(method, explanation, target, run))

    def cached(self, request: Json) -> OnRequestReply | None:
        """Return the map if it was computed before."""
        if (explanation := self.explanations.get(request)) is None:
            return None
        target = explanation.target(parse_target(request))
        found = self.scored.get(choice(request, "method", ON_REQUEST), explanation, target)
        return cast(OnRequestReply | None, found)
