"""Latency of the Compare page: the server's responses to what a reader chooses; the page computes the comparison."""

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
    """Print the time of explaining an image, and of what a comparison with the one before needs."""
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

    def both(route: str, **of: Any) -> float:
        return sum(post(route, {"subject": subject, **of}) for subject in subjects)

    explained = post("", {"subject": subjects[1]})
    return {
        "a new image explained": explained,
        "the same, and the attention of a patch of both": explained + both("/rows", query=[27]),
        "relevance of both, not computed yet": both("/map", method="relevance"),
        "similar patches": post("/similarity", {"subject": subjects[0], "patch": 27, "other": subjects[1]}),
    }
