"""Calls -> their times, taken in turn, so that a busy machine slows all alike."""

import statistics
import time
from collections.abc import Callable
from typing import Any


def alternate(calls: list[Callable[[], Any]], rounds: int) -> list[float]:
    """Run several calls in turn and return each one's median time (ms)."""
    times: list[list[float]] = [[] for _ in calls]
    for turn in range(rounds + 2):
        for call, found in zip(calls, times, strict=True):
            start = time.perf_counter()
            call()
            if turn >= 2:  # the first turns warm up
                found.append(1000 * (time.perf_counter() - start))
    return [statistics.median(found) for found in times]


def spread(milliseconds: list[float]) -> tuple[str, str]:
    """Median and 95th percentile, in words."""
    return f"{statistics.median(milliseconds):.1f} ms", f"{statistics.quantiles(milliseconds, n=20)[-1]:.1f} ms"
