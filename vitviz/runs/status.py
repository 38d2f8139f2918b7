"""State, progress and result of runs and sweeps, from their folders."""

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from vitviz.data.files import is_regular_file
from vitviz.models import checkpoint
from vitviz.runs import process, run_folder
from vitviz.runs.launch import stop_request_path
from vitviz.runs.process import ProcessRecord
from vitviz.training.config import from_json

CRASHED = "The process ended unexpectedly: it was killed, ran out of memory, or the machine was shut down."
KILLED_BEFORE_SAVING = (
    "The process ended before it could save: it was killed, ran out of memory, or the machine was shut down."
)
FILES = (run_folder.CONFIG, run_folder.METRICS, run_folder.LAST)
RUNNING = ("training", "stopping")  # states of a run with a live process
WATCHED = "watch"  # preset of a run that another program trains and `vitviz.runs.watch` records
TAIL_BYTES = 4096  # more than one line of metrics


@dataclass(frozen=True, kw_only=True)
class Info:
    """Current status of a run or a sweep."""

    name: str  # name of the run or sweep and of its folder
    # "training", "stopping", "stopped", "finished", "failed", or "interrupted": ended before it could save
    state: str = ""
    message: str = ""  # error, reason of the exit, or what the process waits for; else empty
    session: str = ""  # identifier of the process; when it changes, metrics must be read from the start
    config: dict[str, Any]  # config as stored in config.json, or the common config of all runs as stored in sweep.json


@dataclass(frozen=True, kw_only=True)
class RunInfo(Info):
    """Current status of a run."""

    preset: str
    parameters: int  # of the network
    progress: float  # used fraction of the budget, 0..1
    epoch: float  # epochs trained so far
    epochs: float | None  # budget
    minutes: float | None  # budget
    seconds: float  # training time so far, interruptions excluded
    images_per_second: float | None  # throughput of the current process; None before its first steps
    accuracy: float | None  # accuracy of a finished run on its whole evaluation set; None before
    eval_samples: int | None  # images of this set; None before, or if not known


@dataclass(frozen=True, kw_only=True)
class SweepInfo(Info):
    """Current status of a sweep."""

    vary: tuple[str, ...]  # fields to vary, each NAME=VALUE,VALUE,...
    runs: list[tuple[str, dict[str, str]]]  # name and settings of each run, in order, started or not
    # One entry per completed run: "run", "settings", "state", "message", "parameters", "epochs", "seconds",
    # "train_samples" and "accuracy".
    results: list[dict[str, Any]]


class RunStatus(NamedTuple):
    """Status of a run as far as it follows from its files, without its process."""

    info: RunInfo  # all but state, message and session
    saved: str  # description of what is saved
    is_finished: bool
    has_unsaved_steps: bool  # metrics were written after the last save


def fingerprint(path: Path) -> tuple[int, int, int] | None:
    """Return modification time, size and inode of a file; None if it does not exist."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def read_run(folder: Path) -> RunStatus:
    """Read the status of a run from its files; raise ValueError if the config is missing or invalid."""
    stored = run_folder.read_config(folder)
    config = from_json(stored)
    metrics = last_line(folder / run_folder.METRICS)
    record = run_folder.read_record(folder / run_folder.LAST)
    info = RunInfo(
        name=folder.name,
        preset=config.preset,
        parameters=checkpoint.count_parameters(config.model),
        progress=metrics.get("progress", 0.0),
        epoch=metrics.get("epoch", 0.0),
        epochs=config.epochs,
        minutes=config.minutes,
        seconds=metrics.get("seconds", 0.0),
        images_per_second=metrics.get("images_per_second"),
        accuracy=run_folder.accuracy_of(record),
        eval_samples=checkpoint.eval_samples(record) if run_folder.is_finished(record) else None,
        config=stored,
    )
    epoch = record.get("epochs")
    saved = f"The state at epoch {epoch:.1f} is kept" if isinstance(epoch, int | float) else "Nothing was saved yet"
    has_unsaved_steps = seconds_of(metrics) > seconds_of(record.get("training"))
    return RunStatus(info, saved, run_folder.is_finished(record), has_unsaved_steps)


def seconds_of(entry: Any) -> float:
    """Return the training time of a line of metrics or of saved counters; 0 by default."""
    seconds = entry.get("seconds") if isinstance(entry, dict) else None
    return seconds if isinstance(seconds, int | float) else 0.0


def of_process(folder: Path, saved: str, is_finished: bool, has_unsaved_steps: bool = False) -> dict[str, Any]:
    """Return state, message and session of the current or last process of a run or a sweep.

    Args:
        folder: Its folder.
        saved: What is saved, for the message about a process that died.
        is_finished: Whether it is finished.
        has_unsaved_steps: Whether it took steps after the last save.
    """
    record = process.read(folder)  # not cached: it may be rewritten twice within the resolution of file times
    state, message = state_and_message(folder, record, saved, is_finished, has_unsaved_steps)
    return {"state": state, "message": message, "session": record.session if record else ""}


def state_and_message(
    folder: Path, record: ProcessRecord | None, saved: str, is_finished: bool, has_unsaved_steps: bool
) -> tuple[str, str]:
    """Return state and message for `of_process`."""
    stop_requested = record is not None and record.state == "training" and stop_request_path(folder, record).exists()
    has_exited = record is not None and record.state in ("stopped", "failed")
    if process.is_running(folder):
        message = record.message if record is not None and not has_exited else ""
        return "stopping" if stop_requested or has_exited else "training", message
    if is_finished:
        return "finished", ""
    if record is not None and has_exited:
        return record.state, record.message
    if stop_requested and not has_unsaved_steps:  # it was stopped before its first step
        return "stopped", ""
    reason = KILLED_BEFORE_SAVING if stop_requested else CRASHED
    return "interrupted", f"{reason} {saved}; resume continues from there."


def measured_on(config: dict[str, Any]) -> str:
    """Return the name of the evaluation set of a run with this config: "test" or "held-out"."""
    return "held-out" if config.get("val_size") else "test"


def has_attention(config: dict[str, Any]) -> bool:
    """Whether the network of this config has attention."""
    return config.get("model", {}).get("architecture") != "convnet"


def last_line(path: Path) -> dict[str, Any]:
    """Return the last complete line of a file of JSON lines; empty without a valid one."""
    if not is_regular_file(path):
        return {}
    with suppress(OSError, IndexError), path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL_BYTES))
        return parse_line(file.read().rpartition(b"\n")[0].splitlines()[-1]) or {}
    return {}


def parse_line(line: bytes) -> dict[str, Any] | None:
    """Parse a line with a JSON object; None if it is not one."""
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None
