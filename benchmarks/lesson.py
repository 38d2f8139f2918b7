"""Latency of the Learn page: the server's response to what each step requests."""

import statistics
import time
from typing import Any

from fastapi.testclient import TestClient
from rich.console import Console
from rich.table import Table

from benchmarks.timing import median_and_p95
from vitviz.data.preprocessing import sample_paths
from vitviz.webapp.backend import Backend
from vitviz.webapp.server.modules import API_PREFIX

GOAL = 150  # ms
GAME = "game: best known set"  # no step waits for it


def lesson(checkpoint: str, rounds: int) -> None:
    """Print the time of the responses of each step; exit with an error if a median is above the goal."""
    times: dict[str, list[float]] = {}
    for round_index in range(rounds + 1):
        with TestClient(Backend().api) as client:  # a new one has no replies in memory
            for name in sample_paths():
                for step, milliseconds in time_steps(client, checkpoint, name).items():
                    if round_index > 0:  # the first round loads the model
                        times.setdefault(step, []).append(milliseconds)
    table = Table("step", "median", "95th percentile", f"at most {GOAL} ms")
    slow = []
    for step, found in times.items():
        if step == GAME:
            verdict = "on request"
        else:
            verdict = "yes" if statistics.median(found) <= GOAL else "no"
            slow += [step] if verdict == "no" else []
        table.add_row(step, *median_and_p95(found), verdict)
    Console().print(table)
    if slow:
        raise SystemExit(f"The median is above {GOAL} ms: {', '.join(slow)}.")


def time_steps(client: TestClient, checkpoint: str, name: str) -> dict[str, float]:
    """Return the time of what each step requests for a sample image (ms)."""
    subject = {"model": checkpoint, "image": {"kind": "sample", "name": name}}
    found: dict[str, Any] = {}

    def post(route: str, **request: int | list[int]) -> float:
        start = time.perf_counter()
        reply = client.post(f"{API_PREFIX}/explanations{route}", json={"subject": subject, **request})
        found.update(reply.raise_for_status().json())
        return 1000 * (time.perf_counter() - start)

    times = {"a new image: pass and all numbers": post("") + post("/lesson")}
    patch, layer = found["shape"]["rows"] * found["shape"]["columns"] // 2, found["shape"]["layers"] - 1
    return times | {
        "embedding and positions: a patch": post("/lesson/patch", patch=patch, dimension=0),
        "attention: a head": post("/lesson/head", layer=layer, head=0),
        "contributions: similar patches": post("/similarity", patch=patch),
        "removal: without some patches": post("/lesson/removal", patches=list(range(patch))),
        "training: snapshots": post("/lesson/training"),
        GAME: post("/lesson/flips"),
    }
