"""No damaged run folder hides another run, hangs, takes much memory, writes elsewhere or ends in a traceback."""

import contextlib
import io
import json
import os
import resource
import shutil
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
import torch

from tests.hostile.run_folders import damage
from vitviz import cli
from vitviz.errors import TrainingError
from vitviz.runs import launch
from vitviz.runs.process import AlreadyRunningError
from vitviz.runs.store import Runs
from vitviz.runs.sweep import Sweep
from vitviz.runs.training_run import train
from vitviz.training.config import TrainConfig
from vitviz.training.loop import TrainingLoop
from vitviz.webapp.models import list_run_models
from vitviz.webapp.schemas.runs import PollRequest, TimelineRequest
from vitviz.webapp.trainings import Trainings

for module in ("torch._dynamo", "vitviz.cli.models", "vitviz.tensorboard", "vitviz.plots.animation"):
    import_module(module)  # before the processes are forked

EVERYDAY = range(8)
SEEDS = 100
MAX_SECONDS, MAX_MIB = 1.0, 256
OUTSIDE = b"not of a run"
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")]


def resident_mib() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


def forked(function: Callable[[], object], seconds: float) -> dict:
    """Call a function in a forked process; return its result or traceback, its processor time and memory."""
    reading, writing = os.pipe()
    if not (child := os.fork()):
        os.close(reading)
        torch.set_num_threads(1)  # the threads of OpenMP that earlier tests started are not forked
        Path("/proc/self/clear_refs").write_text("5")
        before, start = resident_mib(), time.process_time()
        try:
            found = {"result": function()}
        except BaseException:
            found = {"error": traceback.format_exc()[-600:]}
        found |= {"seconds": time.process_time() - start, "mib": high_water_mib() - before}
        os.write(writing, json.dumps(found).encode()[:60_000])
        os._exit(0)
    os.close(writing)
    deadline = time.monotonic() + seconds
    while not os.waitpid(child, os.WNOHANG)[0]:
        if time.monotonic() > deadline:
            os.kill(child, 9)
            os.waitpid(child, 0)
            return {"error": "it hangs", "seconds": seconds, "mib": 0}
        time.sleep(0.005)
    with os.fdopen(reading, "rb") as file:
        return json.loads(file.read() or b'{"error": "it died", "seconds": 0, "mib": 0}')


def high_water_mib() -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def command(*arguments: object) -> list[str]:
    """Run a command; return the lines of its standard error."""
    errors = io.StringIO()
    warnings.simplefilter("ignore")
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        sys.argv = ["vitviz", *map(str, arguments)]
        try:
            cli.main()
        except SystemExit as error:
            return [str(error.code), *errors.getvalue().splitlines()]
    return ["0"]


def visit(root: Path, name: str) -> dict:
    """Do in the page what a visitor does: list the runs, show one, delete it."""
    trainings, launch.COMMAND = Trainings(None, root), (sys.executable, "-c", "")
    timeline = TimelineRequest(model=f"runs/{name}", image=0, first=0)
    reply = json.loads(trainings.poll(PollRequest(run=name, timeline=timeline)).model_dump_json())
    list_run_models(trainings.runs)
    rows = {row["name"]: row["state"] for row in (*reply["lists"]["runs"], *reply["lists"]["sweeps"])}
    for attempt in (trainings.resume, trainings.download):
        with contextlib.suppress(ValueError, OSError, TrainingError):
            attempt(name)
    while True:
        try:
            trainings.runs.delete(name)
            return rows
        except AlreadyRunningError:  # the child started by `resume` has not exited yet
            time.sleep(0.005)


@pytest.fixture
def originals(cifar_folder, cifar_config, tmp_path) -> Path:
    """A folder with a stopped run and a stopped sweep, trained by another process."""
    (tmp_path / "outside").write_bytes(OUTSIDE)
    config = TrainConfig(
        model=cifar_config,
        data=str(cifar_folder),
        output_dir=str(tmp_path / "originals" / "run"),
        epochs=2,
        minutes=None,
        batch_size=25,
        device="cpu",
        num_snapshots=4,
    )
    assert "error" not in forked(lambda: make_originals(config, tmp_path / "originals" / "sweep"), 120)
    return tmp_path / "originals"


def make_originals(config: TrainConfig, folder: Path) -> None:
    """Train a run until it is stopped in its second epoch, and half of a sweep."""
    real = TrainingLoop.step

    def step(run, batch):
        real(run, batch)
        if run.step_count == 5:
            signal.raise_signal(signal.SIGINT)

    TrainingLoop.step = step
    with contextlib.suppress(TrainingError):
        train(config)
    TrainingLoop.step = real
    sweep = Sweep(replace(config, epochs=1, num_snapshots=0), ("seed=0,1",), folder)
    sweep.create()
    sweep.run()
    (sweep.folder / "results.jsonl").write_text((sweep.folder / "results.jsonl").read_text().splitlines()[0] + "\n")


def faults(originals: Path, seed: int) -> list[str]:
    """Return what is wrong with the answers to a damaged folder."""
    root = originals.parent / "runs"
    found = []
    for kind in ("page", "resume", "timeline", "sweep"):
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(originals / "run", root / "good")
        name = damage(root, originals / "run", originals / "sweep", seed).name
        actions = {
            "page": lambda name=name: visit(root, name),
            "resume": lambda name=name: command("train", "--resume", "--output-dir", root / name),
            "timeline": lambda name=name: command("timeline", root / name, "-o", root.parent / "x.gif"),
            "sweep": lambda name=name: command("sweep", "--resume", "--output-dir", root / name),
        }
        answer = forked(actions[kind], 300)
        where, result = f"{seed} {kind}", answer.get("result")
        succeeds = kind != "page" and result and result[0] == "0"
        if "error" in answer:
            found.append(f"{where}: {answer['error']}")
        elif (kind == "page" and not (result.get("good") == "stopped" and name in result)) or (
            kind != "page" and not succeeds and (not result[-1].startswith("vitviz: ") or "Internal" in result[-1])
        ):
            found.append(f"{where}: {result}")
        if (answer["seconds"] > MAX_SECONDS and not succeeds) or answer["mib"] > MAX_MIB:
            found.append(f"{where}: {answer['seconds']:.1f} s, {answer['mib']:.0f} MiB: {str(result)[:200]}")
        if (originals.parent / "outside").read_bytes() != OUTSIDE:
            found.append(f"{where} wrote elsewhere")
            (originals.parent / "outside").write_bytes(OUTSIDE)
    return found


@pytest.mark.parametrize(
    "seeds", [EVERYDAY, pytest.param(range(SEEDS), marks=pytest.mark.hostile)], ids=["sample", "all"]
)
def test_a_damaged_run_folder_is_refused_in_bounded_time_and_memory(originals, seeds):
    found = [fault for seed in seeds for fault in faults(originals, seed)]
    assert not found, "\n".join(found)
    assert Runs(originals).find("run").state == "stopped"
