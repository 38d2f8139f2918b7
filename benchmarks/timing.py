"""Calls -> their times, taken in turn, so that a busy machine slows all alike."""

import random
import statistics
import time
from collections.abc import Callable
from typing import Any


def alternate(calls: list[Callable[[], Any]], rounds: int) -> list[float]:
    """Run several calls in turn, in another order each round, and return each one's median time (ms).

    In one and the same order, a call would always pay for what the one before it left of memory and cache.
    """
    order = random.Random(0)  # noqa: S311 (no secret)
    places = list(range(len(calls)))
    times: list[list[float]] = [[] for _ in calls]
    for turn in range(rounds + 2):
        order.shuffle(places)
        for place in places:
            start = time.perf_counter()
            calls[place]()
            if turn >= 2:  # the first turns warm up
                times[place].append(1000 * (time.perf_counter() - start))
    return [statistics.median(found) for found in times]


def spread(milliseconds: list[float]) -> tuple[str, str]:
    """Median and 95th percentile, in words."""
    return f"{statistics.median(milliseconds):.1f} ms", f"{statistics.quantiles(milliseconds, n=20)[-1]:.1f} ms"
