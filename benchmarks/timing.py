"""Interleaved timing of several functions on a CPU, so that other load on the machine affects all of them equally."""

import random
import statistics
import time
from collections.abc import Callable
from typing import Any

WARMUP_ROUNDS = 2


def time_interleaved(functions: list[Callable[[], Any]], num_rounds: int) -> list[float]:
    """Run several functions in random order in each round and return the median time of each (ms).

    In a fixed order, each function would always run after the same other one, with the caches that it leaves.
    """
    rng = random.Random(0)  # noqa: S311 (not for cryptography)
    order = list(range(len(functions)))
    times: list[list[float]] = [[] for _ in functions]
    for round_index in range(num_rounds + WARMUP_ROUNDS):
        rng.shuffle(order)
        for index in order:
            start = time.perf_counter()
            functions[index]()
            if round_index >= WARMUP_ROUNDS:
                times[index].append(1000 * (time.perf_counter() - start))
    return [statistics.median(values) for values in times]


def median_and_p95(milliseconds: list[float]) -> tuple[str, str]:
    """Return median and 95th percentile as strings in ms."""
    return (
        f"{statistics.median(milliseconds):.1f} ms",
        f"{statistics.quantiles(milliseconds, n=20, method='inclusive')[-1]:.1f} ms",
    )
