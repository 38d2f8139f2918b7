"""What the server keeps in memory for a while: explanations, and what was computed from them."""

import hashlib
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from vitviz.attribution.context import Target
from vitviz.attribution.explanation import Explanation
from vitviz.models.factory import Network
from vitviz.webapp.models import OF_RUN
from vitviz.webapp.server.requests import Answer

Place = tuple[str, Network, str, Target, bytes]
MOST_KEPT_BYTES = 256 * 2**20
MOST_KEPT_SECONDS = 3300  # less than an hour
MOST_JUDGED = 1000  # images whose maps and scores are kept, some kilobytes each


def size_of(explanation: Explanation) -> int:
    """Bytes of an explanation: its attention, as much again for gradients, the tokens, and a run's weights.

    Models that ship are loaded anyway; of a run that goes on each saved state is another one.
    """
    tokens, checkpoint = explanation.case.trace.tokens, explanation.case.checkpoint
    weights = sum(one.nbytes for one in checkpoint.network.parameters()) if checkpoint.name.startswith(OF_RUN) else 0
    return 2 * explanation.attention.nbytes + (0 if tokens is None else tokens.nbytes) + weights


class ExplanationCache:
    """The explanations last asked about by key, bounded in bytes and age; safe for many threads."""

    def __init__(self, most_bytes: int = MOST_KEPT_BYTES) -> None:
        self.most_bytes = most_bytes
        self.kept: OrderedDict[str, tuple[float, Explanation]] = OrderedDict()  # with the time it came; last asked last
        self.bytes = 0
        self.lock = threading.Lock()

    def keep(self, explanation: Explanation, origin: object = None) -> str:
        """Keep an explanation and return the key that finds it; nobody can guess one.

        Args:
            explanation: What to keep.
            origin: Key of the one that it was made from: both show a visitor's image, and are as old. If that one
                was let go meanwhile, nothing is kept.
        """
        key = secrets.token_urlsafe(16)
        with self.lock:
            if origin is None:
                came = time.monotonic()
            elif isinstance(origin, str) and origin in self.kept:
                came = self.kept[origin][0]
            else:
                return key
            self.kept[key] = came, explanation
            self.bytes += size_of(explanation)
            self.tidy()
        return key

    def asked(self, question: object) -> Explanation | None:
        """The explanation whose key a question names, if it is still kept."""
        key = question.get("key") if isinstance(question, dict) else None
        with self.lock:
            self.tidy()
            if not isinstance(key, str) or key not in self.kept:
                return None
            self.kept.move_to_end(key)
            return self.kept[key][1]

    def tidy(self) -> None:
        """Let go of all that are too old, asked about or not, and of the longest unasked while they are too large."""
        expired = time.monotonic() - MOST_KEPT_SECONDS
        for key in [key for key, (came, _) in self.kept.items() if came < expired]:
            self.evict(key)
        while self.bytes > self.most_bytes and len(self.kept) > 1:
            self.evict(next(iter(self.kept)))

    def evict(self, key: str) -> None:
        """Forget an explanation."""
        self.bytes -= size_of(self.kept.pop(key)[1])


class ScoreCache:
    """Maps and scores of images, kept for who asks again: many visitors choose the same ones.

    They are kept for images as they are, seen by models that ship: those of runs go on learning.
    """

    def __init__(self, most: int = MOST_JUDGED) -> None:
        self.most = most
        self.kept: OrderedDict[Place, tuple[float, Answer]] = OrderedDict()  # with the time it came
        self.lock = threading.Lock()

    def known(self, what: str, explanation: Explanation, target: Target) -> Answer | None:
        """What was computed before for the same pixels, model and target; None if nothing was."""
        expired = time.monotonic() - MOST_KEPT_SECONDS
        with self.lock:
            while self.kept and next(iter(self.kept.values()))[0] < expired:
                self.kept.popitem(last=False)
            _, answer = self.kept.get(place_of(what, explanation, target), (0.0, None))
        return answer

    def answer(self, what: str, explanation: Explanation, target: Target, compute: Callable[[], Answer]) -> Answer:
        """What was computed before, or is now."""
        answer = self.known(what, explanation, target)
        if answer is not None:
            return answer
        answer = compute()
        if not explanation.changes and not explanation.checkpoint.startswith(OF_RUN):
            with self.lock:
                self.kept[place_of(what, explanation, target)] = time.monotonic(), answer
                if len(self.kept) > self.most:
                    self.kept.popitem(last=False)
        return answer


def place_of(what: str, explanation: Explanation, target: Target) -> Place:
    """Where an answer is kept: images changed by hand, and models of runs, have places that stay empty.

    A file that was replaced holds another network under the same name.
    """
    pixels = hashlib.sha256(explanation.image.seen.tobytes()).digest()
    return what, explanation.case.model, explanation.changes, target, pixels
