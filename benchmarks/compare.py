"""Latency of the Compare page: the server's responses to what a reader chooses."""

import time
from itertools import pairwise
from typing import Any

from fastapi.testclient import TestClient
from rich.console import Console
from rich.table import Table

from benchmarks.timing import median_and_p95
from vitviz.data.preprocessing import sample_paths
from vitviz.webapp.backend import Backend
from vitviz.webapp.server.modules import API_PREFIX


def compare(checkpoint: str, rounds: int) -> None:
    """Print the time of explaining an image, and of comparing it with the one before."""
    times: dict[str, list[float]] = {}
    for round_index in range(rounds + 1):
        with TestClient(Backend().api) as client:  # a new one has no replies in memory
            for pair in pairwise(sample_paths()):
                for choice, milliseconds in time_choices(client, checkpoint, pair).items():
                    if round_index > 0:  # the first round loads the model
                        times.setdefault(choice, []).append(milliseconds)
    table = Table("choice", "median", "95th percentile")
    for choice, found in times.items():
        table.add_row(choice, *median_and_p95(found))
    Console().print(table)


def time_choices(client: TestClient, checkpoint: str, names: tuple[str, str]) -> dict[str, float]:
    """Return the time of each choice for two sample images, of which the first may be in memory (ms)."""
    subjects = [{"model": checkpoint, "image": {"kind": "sample", "name": name}} for name in names]

    def post(route: str, request: dict[str, Any]) -> float:
        start = time.perf_counter()
        client.post(f"{API_PREFIX}/explanations{route}", json=request).raise_for_status()
        return 1000 * (time.perf_counter() - start)

    def compared(**view: Any) -> float:
        a, b = ({"subject": subject, "view": view} for subject in subjects)
        return post("/comparison", {"a": a, "b": b})

    explained = post("", {"subject": subjects[1]})
    return {
        "a new image explained": explained,
        "the same, and compared with another one": explained + compared(layer=4, head=1),
        "another head": compared(layer=4, head=2),
        "relevance, not computed yet": compared(content="method", method="relevance"),
        "similar patches": compared(content="features", layer=4, query=[27]),
    }
