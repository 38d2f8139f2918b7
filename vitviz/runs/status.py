"""State, progress and result of runs and sweeps, from their folders."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
TAIL_BYTES = 4096  # more than one line of metrics


@dataclass(frozen=True)
class RunInfo:
    """Current status of a run.

    Attributes:
        name: Name of the run and of its folder.
        state: "training", "stopping", "stopped", "finished", "interrupted" (ended before it could save) or "failed".
        preset: Name of the preset.
        parameters: Number of parameters of the network.
        progress: Used fraction of the budget, 0..1.
        epoch: Epochs trained so far.
        epochs: Budget in epochs, or None.
        minutes: Budget in minutes, or None.
        seconds: Training time so far, interruptions excluded.
        images_per_second: Throughput of the current process; None before its first steps.
        accuracy: Accuracy of a finished run on its whole evaluation set; None before.
        message: Error, reason of the exit, or what the process waits for; else empty.
        session: Identifier of the process; when it changes, metrics must be read from the start.
        config: Config as stored in config.json.
    """

    name: str
    state: str
    preset: str
    parameters: int
    progress: float
    epoch: float
    epochs: float | None
    minutes: float | None
    seconds: float
    images_per_second: float | None
    accuracy: float | None
    message: str
    session: str
    config: dict[str, Any]


@dataclass(frozen=True)
class SweepInfo:
    """Current status of a sweep.

    Attributes:
        name: Name of the sweep and of its folder.
        state: As of a run.
        message: As of a run.
        session: As of a run.
        vary: Fields to vary, each NAME=VALUE,VALUE,...
        runs: Name and settings of each run, in order, including runs that have not started.
        results: One entry per completed run: "run", "settings", "state", "message", "parameters", "epochs", "seconds",
            "train_samples" and "accuracy".
        config: Common config of all runs as stored in sweep.json.
    """

    name: str
    state: str
    message: str
    session: str
    vary: tuple[str, ...]
    runs: list[tuple[str, dict[str, str]]]
    results: list[dict[str, Any]]
    config: dict[str, Any]


@dataclass(frozen=True)
class RunStatus:
    """Status of a run as far as it follows from its files, without its process.

    Attributes:
        info: All but state, message and session.
        saved_epoch: Epoch of the saved checkpoint; None if nothing is saved.
        is_finished: Whether training is finished.
        has_unsaved_steps: Whether metrics were written after the last save.
    """

    info: RunInfo
    saved_epoch: float | None
    is_finished: bool
    has_unsaved_steps: bool


def fingerprint(path: Path) -> tuple[int, int, int] | None:
    """Return modification time, size and inode of a file; None if it does not exist."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def read_run(folder: Path) -> RunStatus:
    """Read the status of a run from its files.

    Raises:
        ValueError: If the config is missing or invalid.
    """
    stored = run_folder.read_config(folder)
    config = from_json(stored)
    metrics = last_line(folder / run_folder.METRICS)
    record = run_folder.read_record(folder / run_folder.LAST)
    info = RunInfo(
        name=folder.name,
        state="",
        preset=config.preset,
        parameters=checkpoint.count_parameters(config.model),
        progress=metrics.get("progress", 0.0),
        epoch=metrics.get("epoch", 0.0),
        epochs=config.epochs,
        minutes=config.minutes,
        seconds=metrics.get("seconds", 0.0),
        images_per_second=metrics.get("images_per_second"),
        accuracy=run_folder.accuracy_of(record),
        message="",
        session="",
        config=stored,
    )
    has_unsaved_steps = seconds_of(metrics) > seconds_of(record.get("training"))
    return RunStatus(info, record.get("epochs"), run_folder.is_finished(record), has_unsaved_steps)


def seconds_of(entry: Any) -> float:
    """Return the training time of a line of metrics or of saved counters; 0 by default."""
    seconds = entry.get("seconds") if isinstance(entry, dict) else None
    return seconds if isinstance(seconds, int | float) else 0.0


def saved_message(saved_epoch: float | None) -> str:
    """Describe what is left of an interrupted run."""
    kept = "Nothing was saved yet" if saved_epoch is None else f"The state at epoch {saved_epoch:.1f} is kept"
    return f"{kept}; resume continues from there."


def state_and_message(
    folder: Path, record: ProcessRecord | None, saved: str, is_finished: bool, has_unsaved_steps: bool = False
) -> tuple[str, str]:
    """Return the current state and message of a run or a sweep.

    Args:
        folder: Its folder.
        record: Record of its current or last process.
        saved: What is saved, for the message about a process that died.
        is_finished: Whether it is finished.
        has_unsaved_steps: Whether it took steps after the last save.
    """
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
    return "interrupted", f"{KILLED_BEFORE_SAVING if stop_requested else CRASHED} {saved}"


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
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - TAIL_BYTES))
            lines = file.read().rpartition(b"\n")[0].splitlines()
    except OSError:
        return {}
    return (parse_line(lines[-1]) if lines else None) or {}


def parse_line(line: bytes) -> dict[str, Any] | None:
    """Parse a line with a JSON object; None if it is not one."""
    try:
        parsed = json.loads(line)
    except ValueError:
        return None
    return parsed if isinstance(parsed, dict) else None
