"""A run folder -> what there is to say of the run: its state, how far it is, and what came of it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vitviz.data.files import is_file
from vitviz.models import checkpoint
from vitviz.runs import process, run_folder
from vitviz.runs.launch import stop_mark
from vitviz.runs.process import Process
from vitviz.training.config import from_json

ENDED = "The process ended without a word: it was killed, ran out of memory, or the machine went off."
FILES = (run_folder.CONFIG, run_folder.METRICS, run_folder.LAST)
RUNNING = ("training", "stopping")  # states of a run whose process lives
TAIL_BYTES = 4096  # more than one line of metrics


@dataclass(frozen=True)
class RunInfo:
    """A run as it stands.

    Attributes:
        name: Of its folder.
        state: "training", "stopping", "stopped", "finished", "interrupted" (it ended before it saved) or "failed".
        preset: Name of its recipe.
        parameters: Of the network.
        share: Of the budget that is spent, 0..1.
        epoch: Passes over the training images so far.
        epochs: The budget in passes, or None.
        minutes: The budget in minutes, or None.
        seconds: Of training, without interruptions.
        images_per_second: Since the process started; None before its first steps.
        accuracy: Of the finished run on all images to measure on; None before.
        message: Why it failed, how it ended, or what it waits for; else empty.
        session: Another word for each process; when it changes, metrics are to be read from the start.
        config: As written in config.json.
    """

    name: str
    state: str
    preset: str
    parameters: int
    share: float
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
    """A sweep as it stands.

    Attributes:
        name: Of its folder.
        state: As of a run.
        message: As of a run.
        session: As of a run.
        vary: What is varied, each NAME=VALUE,VALUE,...
        runs: Name and settings of its runs, in order; those that have not begun are not there yet.
        results: One table for each run that ended: "run", "settings", "state", "message", "parameters", "epochs",
            "seconds", "images" (to train on) and "accuracy".
        config: What all runs have in common, as written in sweep.json.
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
    """What the files of a run tell, without its process.

    Attributes:
        info: All but state, message and session.
        crash_message: What to say if its process ended without a word.
        finished: Whether it is.
        unsaved: Whether it went on after what was saved last.
    """

    info: RunInfo
    crash_message: str
    finished: bool
    unsaved: bool


def stamp(path: Path) -> tuple[int, int, int] | None:
    """What changes when a file does."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def read_run(folder: Path) -> RunStatus:
    """Read a run from its files."""
    stored = run_folder.read_config(folder)
    config = from_json(stored)
    at = last_line(folder / run_folder.METRICS)
    record = run_folder.read_record(folder / run_folder.LAST)
    info = RunInfo(
        name=folder.name,
        state="",
        preset=config.preset,
        parameters=checkpoint.count_parameters(config.model),
        share=at.get("share", 0.0),
        epoch=at.get("epoch", 0.0),
        epochs=config.epochs,
        minutes=config.minutes,
        seconds=at.get("seconds", 0.0),
        images_per_second=at.get("images_per_second"),
        accuracy=run_folder.accuracy_of(record),
        message="",
        session="",
        config=stored,
    )
    unsaved = seconds_of(at) > seconds_of(record.get("training"))
    return RunStatus(info, crash_message(record), run_folder.finished(record), unsaved)


def seconds_of(noted: Any) -> float:
    """When something was noted, in seconds of training; 0 if nothing was."""
    seconds = noted.get("seconds") if isinstance(noted, dict) else None
    return seconds if isinstance(seconds, int | float) else 0.0


def crash_message(record: dict[str, Any]) -> str:
    """What to say of a run whose process ended without a word."""
    kept = f"The state at epoch {record['epochs']:.1f} is kept" if "epochs" in record else "Nothing was saved yet"
    return f"{ENDED} {kept}; resume goes on from there."


def state(
    folder: Path, found: Process | None, crash_message: str, finished: bool, unsaved: bool = False
) -> tuple[str, str]:
    """State and message of a run or a sweep now; the last words are for a process that left none."""
    asked = found is not None and found.state == "training" and stop_mark(folder, found).exists()
    if process.lives(folder):
        leaves = found is not None and found.state in ("stopped", "failed")  # it has said so, and is not gone yet
        said = found.message if found is not None and not leaves else ""
        return "stopping" if asked or leaves else "training", said
    if finished:
        return "finished", ""
    if found is not None and found.state in ("stopped", "failed"):
        return found.state, found.message
    if asked and not unsaved:  # it had not begun to learn, or not gone on
        return "stopped", ""
    if asked:
        return "interrupted", crash_message.replace("without a word", "before it could save", 1)
    return "interrupted", crash_message


def measured_on(config: dict[str, Any]) -> str:
    """Which images measured a run of this config, in a word: "test" or "held-out"."""
    return "held-out" if config.get("val_size") else "test"


def has_attention(config: dict[str, Any]) -> bool:
    """Whether there is something to look at in the network of this config."""
    return config.get("model", {}).get("architecture") != "convnet"


def last_line(path: Path) -> dict[str, Any]:
    """The last whole line of a file of JSON lines; empty if there is none that can be read."""
    if not is_file(path):
        return {}
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - TAIL_BYTES))
            lines = file.read().rpartition(b"\n")[0].splitlines()
    except OSError:
        return {}
    return (parsed(lines[-1]) if lines else None) or {}


def parsed(line: bytes) -> dict[str, Any] | None:
    """A line of JSON as a table; None if it is none."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
