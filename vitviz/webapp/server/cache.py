"""Bounded caches of explanations and of maps and scores computed from them."""

import hashlib
import json
import secrets
import threading
import time
import weakref
from collections.abc import Callable

from cachetools import TLRUCache, TTLCache

from vitviz.attribution.context import Target
from vitviz.attribution.explanation import Explanation
from vitviz.models.factory import Network
from vitviz.webapp.models import RUN_PREFIX
from vitviz.webapp.server.requests import Json

# Kind of response, model, target, SHA-256 of the pixels. It keeps no model in memory.
CacheKey = tuple[str, "weakref.ref[Network]", Target, bytes]
MAX_CACHED_BYTES = 256 * 2**20
MAX_AGE = 3300  # s; less than an hour
MAX_SCORED_BYTES = 8 * 2**20  # of responses with maps or scores, up to 22 kB each for `cifar10-ti4`


def size_of(explanation: Explanation) -> int:
    """Return the memory of an explanation (bytes): attention, its gradients, tokens, and the weights of a run's model.

    Bundled models are loaded anyway; each saved state of a run that trains is another model. An ablated explanation
    includes its original, which it keeps in memory.
    """
    tokens, checkpoint = explanation.context.output.tokens, explanation.context.checkpoint
    is_run = checkpoint.name.startswith(RUN_PREFIX)
    weights = sum(parameter.nbytes for parameter in checkpoint.network.parameters()) if is_run else 0
    layered = explanation.context.layered
    attention = 2 * explanation.attention.nbytes if layered is None else layered.nbytes
    original = 0 if explanation.original is None else size_of(explanation.original)
    return original + attention + (0 if tokens is None else tokens.nbytes) + weights


class ExplanationCache:
    """Explanations by key, evicted by least recent use and age; thread-safe."""

    def __init__(self, max_bytes: int = MAX_CACHED_BYTES) -> None:
        self.entries: TLRUCache[str, tuple[float, Explanation]] = TLRUCache(  # with creation time
            max_bytes,
            ttu=lambda key, entry, now: entry[0] + MAX_AGE,
            timer=time.monotonic,
            # The two most recent ones are always kept: patching is between two images
            getsizeof=lambda entry: min(size_of(entry[1]), max_bytes // 2),
        )
        self.lock = threading.Lock()

    def add(self, explanation: Explanation, origin: str | None = None) -> str:
        """Store an explanation and return its key, which cannot be guessed.

        Args:
            explanation: The explanation.
            origin: Key of the explanation it is derived from. Both show a visitor's image, so they expire together;
                nothing is stored if the origin has expired.
        """
        key = secrets.token_urlsafe(16)
        with self.lock:
            if origin is None:
                self.entries[key] = time.monotonic(), explanation
            elif origin in self.entries:
                self.entries[key] = self.entries[origin][0], explanation
        return key

    def rename(self, key: str, new: str) -> None:
        """Change the key of an explanation."""
        with self.lock:
            self.entries[new] = self.entries.pop(key)

    def get(self, request: object) -> Explanation | None:
        """Return the explanation of a request's `key`; None if it is unknown or has expired."""
        key = request.get("key") if isinstance(request, dict) else None
        with self.lock:
            self.entries.expire()
            return self.entries.get(str(key), (0.0, None))[1]

    def clean(self) -> None:
        """Delete expired explanations, which otherwise stay in memory until the next request."""
        with self.lock:
            self.entries.expire()


class ScoreCache:
    """Maps and scores by image, model and target, as many visitors choose the same images.

    Ablated explanations are not cached, nor models of runs, which change while they train. Responses are stored as
    JSON: lists of Python floats take more memory, in small pieces that the allocator cannot return.
    """

    def __init__(self) -> None:
        self.entries: TTLCache[CacheKey, str] = TTLCache(MAX_SCORED_BYTES, MAX_AGE, time.monotonic, getsizeof=len)
        self.lock = threading.Lock()

    def get(self, kind: str, explanation: Explanation, target: Target) -> Json | None:
        """Return the stored response for the same pixels, model and target, or None."""
        if explanation.changes:
            return None
        with self.lock:
            found = self.entries.get(cache_key(kind, explanation, target))
        return None if found is None else json.loads(found)

    def get_or_compute(self, kind: str, explanation: Explanation, target: Target, compute: Callable[[], Json]) -> Json:
        """Return the stored response, or compute and store it."""
        response = self.get(kind, explanation, target)
        if response is None:
            response = compute()
            if not explanation.changes and not explanation.checkpoint.startswith(RUN_PREFIX):
                stored = json.dumps(response)
                if len(stored) <= MAX_SCORED_BYTES:
                    with self.lock:
                        self.entries[cache_key(kind, explanation, target)] = stored
        return response

    def clean(self) -> None:
        """Delete expired responses."""
        with self.lock:
            self.entries.expire()


def cache_key(kind: str, explanation: Explanation, target: Target) -> CacheKey:
    """Return the key of a response. It contains the network, as a replaced file has another one under its name."""
    pixels = hashlib.sha256(explanation.image.model_input.tobytes()).digest()
    return kind, weakref.ref(explanation.context.model), target, pixels
