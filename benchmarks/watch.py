"""A training watched in the page: how soon it is seen, what watching costs it, and whether the page stays quick.

The training is that of the preset for two processors, with all patches from the first step: its speed is steady.
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
from benchmarks.timing import spread
from vitviz.data import cifar
from vitviz.runs.store import Runs
from vitviz.training.config import apply_overrides
from vitviz.training.estimate import IMAGES
from vitviz.training.presets import preset
from vitviz.webapp.pages.train import Train

RUN = "watched"
TRAINER = ".vitviz-train"
POINT = "[data-curve=loss] circle"
PHASES = 4  # with the page open, and as many with it closed
PHASE = 30.0  # s
CHOSEN = 60  # images, while it trains
POLLS = 200


def watch(data: str | None) -> None:
    """Print what it takes to watch a training.

    Args:
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`.
    """
    root = str(cifar.find(data).parent.resolve())
    table = Table("what", "median", "95th percentile", "goal")
    with tempfile.TemporaryDirectory() as folder, server({"VITVIZ_DATA": root}, Path(folder)) as (address, _):
        runs = Runs(Path(folder) / "runs")
        first = first_point(address)
        table.add_row("start in the page to first point", f"{first:.1f} s", "", "at most 15 s")
        runs.stop("first")
        wait_until(lambda: runs.find("first").state == "stopped")
        config = apply_overrides(preset("cifar10-ti4"), ["patch_dropout_until=0"])
        runs.start(apply_overrides(config, [f"data={json.dumps(root)}"]), RUN)
        wait_until(lambda: len(lines(runs)) > 2)
        opened, closed = watched_and_not(address, runs)
        loss = 1 - statistics.mean(opened) / statistics.mean(closed)
        table.add_row("images a second, page closed", f"{statistics.mean(closed):.0f}", "", "")
        table.add_row("images a second, page open", f"{statistics.mean(opened):.0f}", "", "")
        table.add_row("speed that the open page costs", f"{100 * loss:.1f} %", "", "at most 10 %")
        with browser_page(address) as tab:
            painted = [tab.evaluate(CHOOSE, place) for place in sample_order(tab, CHOSEN)]
        table.add_row("image chosen to painted, while it trains", *spread(painted), "95th percentile at most 1 s")
        table.add_row("poll, everything new (processor time)", *spread(polls(runs, data)), "at most 20 ms")
        runs.stop(RUN)
        wait_until(lambda: runs.find(RUN).state == "stopped")
        table.add_row("a moment of the timeline (script)", *spread(moments(address)), "at most 33 ms")
    Console().print(table)


def first_point(address: str) -> float:
    """Seconds from Start to the first point of the curves on screen."""
    with browser_page(address) as tab:
        open_trainer(tab, address)
        tab.locator("input[name=name]").fill("first")
        tab.wait_for_selector(f"{TRAINER}[data-checked=fits]")
        start = time.perf_counter()
        tab.get_by_role("button", name="Start training").click()
        tab.wait_for_selector(POINT)
        return time.perf_counter() - start


def open_trainer(tab: Any, address: str) -> None:
    """Show the page Train."""
    tab.goto(f"{address}?tab=train")
    tab.wait_for_selector(f"{TRAINER}[data-ready]")


def watched_and_not(address: str, runs: Runs) -> tuple[list[float], list[float]]:
    """The training's images a second in phases with the page open, and closed, in turn."""
    opened, closed = [], []
    for _ in range(PHASES):
        with browser_page(address) as tab:
            open_trainer(tab, address)
            tab.wait_for_selector(POINT)
            opened.append(speed(runs))
        closed.append(speed(runs))
    return opened, closed


def speed(runs: Runs) -> float:
    """Images a second over the next phase, from the training's own metrics."""
    before = lines(runs)[-1]
    time.sleep(PHASE)
    after = lines(runs)[-1]
    return float(IMAGES * (after["epoch"] - before["epoch"]) / (after["seconds"] - before["seconds"]))


def lines(runs: Runs) -> list[dict[str, Any]]:
    """The training's metrics so far."""
    return runs.metrics(RUN, 0)[0]


def polls(runs: Runs, data: str | None) -> list[float]:
    """Processor time of a poll that learns everything anew: list of runs, metrics and timeline (ms)."""
    train = Train(data, runs.root)
    question = {"run": RUN, "session": "", "offset": 0, "timeline": {"source": f"runs/{RUN}", "image": 0, "from": 0}}
    found = []
    for _ in range(POLLS):
        start = time.thread_time()
        train.poll(question)
        found.append(1000 * (time.thread_time() - start))
    return found


def moments(address: str) -> list[float]:
    """Script time of each moment while the slider goes through a timeline that ships (ms)."""
    with browser_page(address) as tab:
        open_trainer(tab, address)
        tab.evaluate("performance.clearMeasures('vitviz:moment')")
        last = int(tab.locator(".moment").get_attribute("max"))
        for place in [*range(last + 1), *reversed(range(last))]:
            tab.locator(".moment").evaluate(
                "(node, place) => { node.value = place; node.dispatchEvent(new Event('input', { bubbles: true })); }",
                place,
            )
        return list(tab.evaluate("performance.getEntriesByName('vitviz:moment').map((entry) => entry.duration)"))


def wait_until(done: Callable[[], bool], seconds: float = 120) -> None:
    """Ask until it is so.

    Raises:
        RuntimeError: If it is not in time.
    """
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            raise RuntimeError("The training did not get so far in time.")
        time.sleep(0.1)
