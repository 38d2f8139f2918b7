"""The page's estimate of a training against the training itself, started as the page starts it."""

import json
import tempfile
from pathlib import Path

import httpx
from rich.console import Console
from rich.table import Table

from benchmarks.page import server
from benchmarks.watch import wait_until
from vitviz.data import cifar
from vitviz.runs.store import Runs
from vitviz.training.config import TrainConfig, apply_overrides
from vitviz.training.estimate import NUM_TRAIN
from vitviz.training.presets import get_preset

# Presets, and settings that give them another speed.
CASES: dict[str, tuple[str, dict[str, object]]] = {
    "cifar10-ti4": ("cifar10-ti4", {}),
    "patches of 8 px": ("cifar10-ti4", {"model.patch_size": 8}),
    "twelve layers": ("cifar10-ti4", {"model.depth": 12, "batch_size": 128}),
    "cifar10-2min": ("cifar10-2min", {}),
    "cifar10-mae": ("cifar10-mae", {}),
    "tutorial-lightning": ("tutorial-lightning", {}),
}
GOAL = 0.15  # relative error


def estimate(data: str | None, minutes: float) -> None:
    """Print images/s of the page's estimate and of the training, for several settings.

    Args:
        data: Directory of CIFAR-10, as for `vitviz.data.cifar.find`.
        minutes: Budget of each training.
    """
    root = str(cifar.find(data).parent.resolve())
    table = Table("training", "estimate (images/s)", "reached", "error", title=f"goal: at most {GOAL:.0%}")
    with tempfile.TemporaryDirectory() as folder, server({"VITVIZ_DATA": root}, Path(folder)) as (address, _):
        runs = Runs(Path(folder) / "runs")
        for name, (preset, changes) in CASES.items():
            settings = {"epochs": None, "minutes": minutes, **changes}
            expected = ask(address, preset, settings)
            values = settings | {"data": root}
            config = apply_overrides(
                get_preset(preset), [f"{key}={json.dumps(value)}" for key, value in values.items()]
            )
            reached = train(runs, name.replace(" ", "-"), config)
            table.add_row(name, f"{expected:,.0f}", f"{reached:,.0f}", f"{expected / reached - 1:+.1%}")
    Console().print(table)


def ask(address: str, preset: str, settings: dict[str, object]) -> float:
    """Return the images/s that the page estimates."""
    request = {"preset": preset, "settings": settings}
    reply = httpx.post(f"{address}vitviz/api/runs/estimate", json=request, timeout=60)
    return float(reply.raise_for_status().json()["images_per_second"])


def train(runs: Runs, name: str, config: TrainConfig) -> float:
    """Return the images/s of a whole training."""
    runs.start(config, name)
    wait_until(lambda: runs.find(name).state == "finished", 60 * (config.minutes or 0) + 300)
    last = runs.metrics(name, 0)[0][-1]
    return float(NUM_TRAIN * last["epoch"] / last["seconds"])
