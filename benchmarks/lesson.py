"""Latency of the Learn page: the server's response to what each step requests."""

import statistics
import time

from rich.console import Console
from rich.table import Table

from benchmarks.timing import median_and_p95
from vitviz.data.preprocessing import sample_paths
from vitviz.webapp.pages.explore import Explore
from vitviz.webapp.pages.learn import Learn
from vitviz.webapp.server.requests import Json
from vitviz.webapp.timelines import Timelines

GOAL = 150  # ms
GAME = "game: best known set"  # no step waits for it


def lesson(checkpoint: str, rounds: int) -> None:
    """Print the time of the responses of each step; exit with an error if a median is above the goal."""
    learn = Learn(Explore(), Timelines(None))
    times: dict[str, list[float]] = {}
    for round_index in range(rounds + 1):
        for name in sample_paths():
            for step, milliseconds in time_steps(learn, checkpoint, name).items():
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


def time_steps(learn: Learn, checkpoint: str, name: str) -> dict[str, float]:
    """Return the time of what each step requests for a sample image (ms)."""
    start = time.perf_counter()
    reply = learn.explore.explain({"checkpoint": checkpoint, "image": {"kind": "sample", "name": name}})
    key: Json = {"key": reply["key"]}
    learn.lesson(key)
    times = {"a new image: pass and all numbers": 1000 * (time.perf_counter() - start)}
    patch = reply["rows"] * reply["columns"] // 2
    requests = {
        "embedding and positions: a patch": lambda: learn.lesson_patch(key | {"patch": patch, "dimension": 0}),
        "attention: a head": lambda: learn.lesson_head(key | {"layer": reply["layers"] - 1, "head": 0}),
        "contributions: similar patches": lambda: learn.explore.views.similarity(key | {"patch": patch}),
        "removal: without some patches": lambda: learn.lesson_remove(key | {"patches": list(range(patch))}),
        "training: snapshots": lambda: learn.lesson_training({"checkpoint": checkpoint, "name": name}),
        GAME: lambda: learn.lesson_flip(key),
    }
    for step, request in requests.items():
        start = time.perf_counter()
        request()
        times[step] = 1000 * (time.perf_counter() - start)
    return times
