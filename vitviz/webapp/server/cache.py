"""Bounded caches of explanations and of maps and scores computed from them."""

import hashlib
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from vitviz.attribution.context import Target
from vitviz.attribution.explanation import Explanation
from vitviz.models.factory import Network
from vitviz.webapp.models import RUN_PREFIX
from vitviz.webapp.server.requests import Json

CacheKey = tuple[str, Network, Target, bytes]  # kind of response, model, target, SHA-256 of the pixels
MAX_CACHED_BYTES = 256 * 2**20
MAX_AGE = 3300  # s; less than an hour
MAX_SCORED = 1000  # responses with maps or scores, some kilobytes each


def size_of(explanation: Explanation) -> int:
    """Return the memory of an explanation (bytes): attention, its gradients, tokens, and the weights of a run's model.

    Bundled models are loaded anyway; each saved state of a run that trains is another model. An ablated explanation
    includes its original, which it keeps in memory.
    """
    tokens, checkpoint = explanation.context.output.tokens, explanation.context.checkpoint
    is_run = checkpoint.name.startswith(RUN_PREFIX)
    weights = sum(parameter.nbytes for parameter in checkpoint.network.parameters()) if is_run else 0
    original = 0 if explanation.original is None else size_of(explanation.original)
    return original + 2 * explanation.attention.nbytes + (0 if tokens is None else tokens.nbytes) + weights


class ExplanationCache:
    """Explanations by key, evicted by least recent use and age; thread-safe."""

    def __init__(self, max_bytes: int = MAX_CACHED_BYTES) -> None:
        self.max_bytes = max_bytes
        self.entries: OrderedDict[str, tuple[float, Explanation]] = OrderedDict()  # with creation time; recent use last
        self.bytes = 0
        self.lock = threading.Lock()

    def add(self, explanation: Explanation, origin: object = None) -> str:
        """Store an explanation and return its key, which cannot be guessed.

        Args:
            explanation: The explanation.
            origin: Key of the explanation it is derived from. Both show a visitor's image, so they expire together;
                nothing is stored if the origin has expired.
        """
        key = secrets.token_urlsafe(16)
        with self.lock:
            created = time.monotonic()
            if origin is not None:
                if not isinstance(origin, str) or origin not in self.entries:
                    return key
                created = self.entries[origin][0]
            self.entries[key] = created, explanation
            self.bytes += size_of(explanation)
            self.evict()
        return key

    def get(self, request: object) -> Explanation | None:
        """Return the explanation of a request's `key`; None if it is unknown or has expired."""
        key = request.get("key") if isinstance(request, dict) else None
        with self.lock:
            self.evict()
            if not isinstance(key, str) or key not in self.entries:
                return None
            self.entries.move_to_end(key)
            return self.entries[key][1]

    def evict(self) -> None:
        """Remove expired entries, and the least recently used ones while the cache is too large."""
        oldest = time.monotonic() - MAX_AGE
        expired = [key for key, (created, _) in self.entries.items() if created < oldest]
        for key in expired:
            self.bytes -= size_of(self.entries.pop(key)[1])
        while self.bytes > self.max_bytes and len(self.entries) > 1:
            self.bytes -= size_of(self.entries.popitem(last=False)[1][1])


class ScoreCache:
    """Maps and scores by image, model and target, as many visitors choose the same images.

    Ablated explanations are not cached, nor models of runs, which change while they train.
    """

    def __init__(self, max_entries: int = MAX_SCORED) -> None:
        self.max_entries = max_entries
        self.entries: OrderedDict[CacheKey, tuple[float, Json]] = OrderedDict()  # with creation time, oldest first
        self.lock = threading.Lock()

    def get(self, kind: str, explanation: Explanation, target: Target) -> Json | None:
        """Return the stored response for the same pixels, model and target, or None."""
        if explanation.changes:
            return None
        oldest = time.monotonic() - MAX_AGE
        with self.lock:
            while self.entries and next(iter(self.entries.values()))[0] < oldest:
                self.entries.popitem(last=False)
            return self.entries.get(cache_key(kind, explanation, target), (0.0, None))[1]

    def get_or_compute(self, kind: str, explanation: Explanation, target: Target, compute: Callable[[], Json]) -> Json:
        """Return the stored response, or compute and store it."""
        response = self.get(kind, explanation, target)
        if response is None:
            response = compute()
            if not explanation.changes and not explanation.checkpoint.startswith(RUN_PREFIX):
                with self.lock:
                    self.entries[cache_key(kind, explanation, target)] = time.monotonic(), response
                    if len(self.entries) > self.max_entries:
                        self.entries.popitem(last=False)
        return response


def cache_key(kind: str, explanation: Explanation, target: Target) -> CacheKey:
    """Return the key of a response. It contains the network, as a replaced file has another one under its name."""
    pixels = hashlib.sha256(explanation.image.model_input.tobytes()).digest()
    return kind, explanation.context.model, target, pixels
