"""Watching a training in the page: latency of the first point, cost for the training, and latency of the page.

The training is that of cifar10-ti4 without patch dropout, so that its throughput is constant.
"""

import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.page import CHOOSE, browser_page, sample_order, server
from benchmarks.timing import median_and_p95
from vitviz.data import cifar
from vitviz.runs.store import Runs
from vitviz.training.config import apply_overrides
from vitviz.training.estimate import NUM_TRAIN
from vitviz.training.presets import get_preset
from vitviz.webapp.schemas.runs import PollRequest, TimelineRequest
from vitviz.webapp.trainings import Trainings

RUN = "watched"
TRAIN_TAB = ".vitviz-train"
POINT = "[data-curve=loss] circle"
PHASES = 4  # with the page open, and as many with the page closed
PHASE_SECONDS = 30.0
NUM_IMAGES = 60  # chosen during the training
NUM_POLLS = 200


def watch(data: str | None) -> None:
    """Print the latency and cost of watching a training.

    Args:
        data: Directory of CIFAR-10, as for `vitviz.data.cifar.find`.
    """
    root = str(cifar.find(data).parent.resolve())
    table = Table("measurement", "median", "95th percentile", "goal")
    with tempfile.TemporaryDirectory() as folder, server({"VITVIZ_DATA": root}, Path(folder)) as (address, _):
        runs = Runs(Path(folder) / "runs")
        first = time_first_point(address)
        table.add_row("start in the page until the first point", f"{first:.1f} s", "", "at most 15 s")
        runs.stop("first")
        wait_until(lambda: runs.find("first").state == "stopped")
        config = apply_overrides(get_preset("cifar10-ti4"), ["patch_dropout_until=0"])
        runs.start(apply_overrides(config, [f"data={json.dumps(root)}"]), RUN)
        wait_until(lambda: len(metrics(runs)) > 2)
        opened, closed = measure_phases(address, runs)
        slowdown = 1 - statistics.mean(opened) / statistics.mean(closed)
        table.add_row("images per second, page closed", f"{statistics.mean(closed):.0f}", "", "")
        table.add_row("images per second, page open", f"{statistics.mean(opened):.0f}", "", "")
        table.add_row("slowdown by the open page", f"{100 * slowdown:.1f} %", "", "at most 10 %")
        with browser_page(address) as tab:
            painted = [tab.evaluate(CHOOSE, index) for index in sample_order(tab, NUM_IMAGES)]
        table.add_row(
            "choosing an image until it is painted, during training",
            *median_and_p95(painted),
            "95th percentile at most 1 s",
        )
        table.add_row("poll without cache (CPU time)", *median_and_p95(time_polls(runs, data)), "at most 20 ms")
        runs.stop(RUN)
        wait_until(lambda: runs.find(RUN).state == "stopped")
        table.add_row(
            "snapshot of the timeline (script time)", *median_and_p95(time_snapshots(address)), "at most 33 ms"
        )
    Console().print(table)


def time_first_point(address: str) -> float:
    """Return the time from a click on Start to the first point of the curves (s)."""
    with browser_page(address) as tab:
        open_train_tab(tab, address)
        tab.locator("input[name=name]").fill("first")
        tab.wait_for_selector(f"{TRAIN_TAB}[data-checked=fits]")
        start = time.perf_counter()
        tab.get_by_role("button", name="Start training").click()
        tab.wait_for_selector(POINT)
        return time.perf_counter() - start


def open_train_tab(tab: Any, address: str) -> None:
    """Open the tab Train."""
    tab.goto(f"{address}?tab=train")
    tab.wait_for_selector(f"{TRAIN_TAB}[data-ready]")


def measure_phases(address: str, runs: Runs) -> tuple[list[float], list[float]]:
    """Return the images per second of alternating phases with the page open and closed."""
    opened, closed = [], []
    for _ in range(PHASES):
        with browser_page(address) as tab:
            open_train_tab(tab, address)
            tab.wait_for_selector(POINT)
            opened.append(measure_speed(runs))
        closed.append(measure_speed(runs))
    return opened, closed


def measure_speed(runs: Runs) -> float:
    """Return the images per second of the next phase, from the metrics of the run."""
    before = metrics(runs)[-1]
    time.sleep(PHASE_SECONDS)
    after = metrics(runs)[-1]
    return float(NUM_TRAIN * (after["epoch"] - before["epoch"]) / (after["seconds"] - before["seconds"]))


def metrics(runs: Runs) -> list[dict[str, Any]]:
    """Return the metrics of the run so far."""
    return runs.metrics(RUN, 0)[0]


def time_polls(runs: Runs, data: str | None) -> list[float]:
    """Return the CPU time of polls for the list of runs, all metrics and all snapshots (ms)."""
    trainings = Trainings(data, runs.root)
    request = PollRequest(run=RUN, timeline=TimelineRequest(model=f"runs/{RUN}", image=0, first=0))
    times = []
    for _ in range(NUM_POLLS):
        start = time.thread_time()
        trainings.poll(request)
        times.append(1000 * (time.thread_time() - start))
    return times


def time_snapshots(address: str) -> list[float]:
    """Return the script time of each snapshot while the slider moves through the bundled timeline (ms)."""
    with browser_page(address) as tab:
        open_train_tab(tab, address)
        tab.evaluate("performance.clearMeasures('vitviz:snapshot')")
        last = int(tab.locator(".snapshot").get_attribute("max"))
        for index in [*range(last + 1), *reversed(range(last))]:
            tab.locator(".snapshot").evaluate(
                "(node, index) => { node.value = index; node.dispatchEvent(new Event('input', { bubbles: true })); }",
                index,
            )
        return list(tab.evaluate("performance.getEntriesByName('vitviz:snapshot').map((entry) => entry.duration)"))


def wait_until(condition: Callable[[], bool], seconds: float = 120) -> None:
    """Wait until a condition is true.

    Raises:
        RuntimeError: If it is not within `seconds`.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError("The training did not reach the expected state in time.")
        time.sleep(0.1)
