"""Server functions of activation patching between two images, see `vitviz.attribution.patching`."""

import threading
from collections.abc import Sequence

from cachetools import LRUCache

from vitviz.attribution.explanation import Explanation, patch_activations
from vitviz.attribution.patching import Part, Patching
from vitviz.webapp.schemas.views import PatchedHeads, PatchedTokens
from vitviz.webapp.server.cache import ExplanationCache
from vitviz.webapp.server.requests import Json, parse_target, require
from vitviz.webapp.server.tasks import Report, Tasks, task_of

MAX_RESULTS = 200  # some kilobytes each
Key = tuple[str, str, tuple[int, ...], Part, tuple[int, ...] | None]  # of both images, target, part, layers


class ExpiredError(ValueError):
    """The explanation of the second image is not held any more."""

    def __init__(self) -> None:
        super().__init__("The second image has expired. Choose it again.")


class PatchingPage:
    """Server functions of activation patching.

    Args:
        explanations: The cache of the page.
        tasks: Their progress.
    """

    def __init__(self, explanations: ExplanationCache, tasks: Tasks) -> None:
        self.explanations, self.tasks = explanations, tasks
        self.results: LRUCache[Key, Patching] = LRUCache(MAX_RESULTS)
        self.lock = threading.Lock()

    def patch_heads(self, request: Json) -> PatchedHeads | None:
        """Return the recovered logit difference of all heads and MLPs; None if the key has expired.

        Args:
            request: `key` of the image whose activations are inserted; `other`, key of the image in whose forward pass
                they are; `target`, one or two class indices, empty for the prediction of the first image against that
                of the second; `task`, the id of its progress.

        Raises:
            CancelledError: If the task is cancelled.
            ExpiredError: If the key of the second image has expired.
            ValueError: As of `patch_activations`.
        """
        if (source := self.explanations.get(request)) is None:
            return None
        depth, heads = source.layers_and_heads

        def compute(report: Report) -> PatchedHeads:
            total = depth * (heads + 1)
            found = self.patch(source, request, "heads", lambda done, _: report(done, total))
            mlp = self.patch(source, request, "mlp", lambda done, _: report(depth * heads + done, total))
            target = found.target
            return {
                "heads": found.recovered.tolist(),
                "mlp": mlp.recovered.tolist(),
                "logit": found.logit,
                "corruptedLogit": found.corrupted_logit,
                "target": list(target) if isinstance(target, tuple) else [target],
            }

        return self.tasks.run(task_of(request), compute)

    def patch_tokens(self, request: Json) -> PatchedTokens | None:
        """Return the recovered logit difference of all tokens after a `layer`; the rest is as for `patch_heads`."""
        if (source := self.explanations.get(request)) is None:
            return None
        layers = (require(request, "layer", int),)

        def compute(report: Report) -> PatchedTokens:
            return {"tokens": self.patch(source, request, "tokens", report, layers).recovered[0].tolist()}

        return self.tasks.run(task_of(request), compute)

    def patch(
        self, source: Explanation, request: Json, part: Part, report: Report, layers: Sequence[int] | None = None
    ) -> Patching:
        """Return the patching that a request asks for, computed once."""
        corrupted, other, target = self.other(request), request["other"], parse_target(request)
        target_key = target if isinstance(target, tuple) else () if target is None else (target,)
        key = str(request["key"]), other, target_key, part, None if layers is None else tuple(layers)
        with self.lock:
            found = self.results.get(key)
        if found is None:
            found = patch_activations(source, corrupted, target, part, report, layers)
            with self.lock:
                self.results[key] = found
        return found

    def other(self, request: Json) -> Explanation:
        """Return the explanation of the second image of a request."""
        if (found := self.explanations.get({"key": require(request, "other", str)})) is None:
            raise ExpiredError
        return found
