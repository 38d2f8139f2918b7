"""State, progress and result of runs and sweeps, from their folders."""

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import (
    Any,
    Literal,
    NamedTuple,
    NotRequired,  # typing's, for pydantic, from Python 3.12
    TypeVar,
)

from pydantic import with_config
from typing_extensions import TypedDict

from vitviz.errors import ConfigError
from vitviz.models import checkpoint
from vitviz.models.config import STRICT, config_from_dict
from vitviz.runs import process, run_folder
from vitviz.runs.launch import stop_request_path
from vitviz.runs.process import ProcessRecord
from vitviz.training.config import Fraction, from_json
from vitviz.training.loop import Progress, Time
from vitviz.training.presets import closest_preset

CRASHED = "The process ended unexpectedly: it was killed, ran out of memory, or the machine was shut down."
KILLED_BEFORE_SAVING = (
    "The process ended before it could save: it was killed, ran out of memory, or the machine was shut down."
)
DAMAGED = "damaged"  # state of a run or a sweep whose files cannot be read
FILES = (run_folder.CONFIG, run_folder.METRICS, run_folder.LAST)
RUNNING = ("training", "stopping")  # states of a run with a live process

AnyInfo = TypeVar("AnyInfo", bound="Info")


@dataclass(frozen=True, kw_only=True)
class Info:
    """Current status of a run or a sweep."""

    name: str  # name of the run or sweep and of its folder
    # "training", "stopping", "stopped", "finished", "failed", "interrupted": ended before it could save, or "damaged"
    state: str = ""
    message: str = ""  # error, reason of the exit, damage, or what the process waits for; else empty
    watched: bool = False  # whether the process is another program, which vitviz only watches
    session: str = ""  # identifier of the process; when it changes, metrics must be read from the start
    config: dict[str, Any]  # config as stored in config.json, or the common config of all runs as stored in sweep.json


@dataclass(frozen=True, kw_only=True)
class RunInfo(Info):
    """Current status of a run."""

    preset: str = ""  # that it differs least from
    parameters: int = 0  # of the network
    progress: float = 0.0  # used fraction of the budget, 0..1
    epoch: float = 0.0  # epochs trained so far
    epochs: float | None = None  # budget
    minutes: float | None = None  # budget
    seconds: float = 0.0  # training time so far, interruptions excluded
    images_per_second: float | None = None  # throughput of the current process; None before its first steps
    accuracy: float | None = None  # accuracy of a finished run on its whole evaluation set; None before
    eval_samples: int | None = None  # images of this set; None before, or if not known


@with_config(STRICT)
class RunResult(TypedDict):
    """Result of a completed run of a sweep, a line of `results.jsonl`."""

    run: str
    settings: dict[str, str]
    state: Literal["finished", "failed"]
    message: str
    parameters: run_folder.Count | None
    epochs: Time | None
    seconds: Time | None
    train_samples: run_folder.Count | None
    accuracy: Fraction | None
    eval_samples: NotRequired[run_folder.Count | None]


@dataclass(frozen=True, kw_only=True)
class SweepInfo(Info):
    """Current status of a sweep."""

    vary: tuple[str, ...] = ()  # fields to vary, each NAME=VALUE,VALUE,...
    runs: list[tuple[str, dict[str, str]]] = field(default_factory=list)  # names and settings, in order, started or not
    results: list[RunResult] = field(default_factory=list)  # one per completed run


class RunStatus(NamedTuple):
    """Status of a run as far as it follows from its files, without its process."""

    info: RunInfo  # all but what its process determines
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
    """Read the status of a run from its files; a damaged one has this state."""
    try:
        return read_valid_run(folder)
    except (ValueError, OSError) as error:
        info = RunInfo(name=folder.name, state=DAMAGED, message=process.format_error(error), config={})
        return RunStatus(info, "", is_finished=False, has_unsaved_steps=False)


def read_valid_run(folder: Path) -> RunStatus:
    """Read the status of a run; raise ValueError or OSError if its config or checkpoint is damaged or missing."""
    config = run_folder.read_config(folder)
    metrics = Progress(**run_folder.last_line(folder / run_folder.METRICS) or {})
    record = run_folder.read_record(folder / run_folder.LAST)
    if os.path.lexists(folder / run_folder.LAST) != bool(record) or run_folder.has_lost_state(folder):
        raise ValueError(f"{run_folder.LAST} of {folder.name} is damaged or missing. {run_folder.RESTART}")
    info = RunInfo(
        name=folder.name,
        preset=find_preset(config),
        parameters=record.get("parameters") or count_parameters(config),
        progress=metrics.progress,
        epoch=metrics.epoch,
        epochs=config.get("epochs"),
        minutes=config.get("minutes"),
        seconds=metrics.seconds,
        images_per_second=metrics.images_per_second,
        accuracy=run_folder.accuracy_of(record),
        eval_samples=checkpoint.eval_samples(record) if run_folder.is_finished(record) else None,
        config=config,
    )
    epoch = record.get("epochs")
    saved = f"The state at epoch {epoch:.1f} is kept" if isinstance(epoch, int | float) else "Nothing was saved yet"
    has_unsaved_steps = metrics.seconds > record.get("training", {"seconds": 0.0})["seconds"]
    return RunStatus(info, saved, run_folder.is_finished(record), has_unsaved_steps)


def find_preset(config: dict[str, Any]) -> str:
    """Return the preset of a stored config: the closest one, or that which an earlier version recorded."""
    if "preset" in config:
        return str(config["preset"])
    try:
        return closest_preset(from_json(config))
    except ConfigError:
        return ""


def count_parameters(config: dict[str, Any]) -> int:
    """Return the number of parameters of the network of a stored config; 0 if it is not one of this version."""
    try:
        return checkpoint.count_parameters(config_from_dict(config.get("model", {})))
    except ConfigError:
        return 0


def with_process(
    info: AnyInfo, folder: Path, saved: str, is_finished: bool, has_unsaved_steps: bool = False
) -> AnyInfo:
    """Return an info with the state of the current or last process; a damaged run or sweep keeps its own.

    The arguments are those of `of_process`.
    """
    if info.state == DAMAGED:
        return info
    return replace(info, **of_process(folder, saved, is_finished, has_unsaved_steps))


def of_process(folder: Path, saved: str, is_finished: bool, has_unsaved_steps: bool = False) -> dict[str, Any]:
    """Return the fields of `Info` that the current or last process of a run or a sweep determines.

    Args:
        folder: Its folder.
        saved: What is saved, for the message about a process that died.
        is_finished: Whether it is finished.
        has_unsaved_steps: Whether it took steps after the last save.
    """
    record = process.read(folder)  # not cached: it may be rewritten twice within the resolution of file times
    state, message = state_and_message(folder, record, saved, is_finished, has_unsaved_steps)
    found = {"state": state, "message": message}
    return found | ({"session": record.session, "watched": record.watched} if record else {})


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
    """Whether the network of this config is not a convnet, which an earlier version trained."""
    return config.get("model", {}).get("architecture") != "convnet"
