"""Sweeps: one training for each combination of some hyperparameters, one after another.

A sweep is a folder, for example `runs/grid/`, with `sweep.json` (common config and fields to vary) and `results.jsonl`,
one line per completed run. Its runs are ordinary runs next to it: `runs/grid-depth2-numheads4/`. Each run has the
whole budget. A failed run is recorded and the sweep continues with the next one.
"""

import itertools
import json
import math
import os
import re
import shlex
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import torch
from pydantic import Field, TypeAdapter

from vitviz.errors import ConfigError, DataError, TrainingStopped
from vitviz.files import read_regular, write_atomic
from vitviz.models.checkpoint import eval_samples, parse_json
from vitviz.runs import run_folder, training_run
from vitviz.runs.process import AlreadyRunningError, RunLock, format_error
from vitviz.runs.status import RunResult
from vitviz.training.config import TrainConfig, apply_overrides, from_json
from vitviz.training.loop import Progress
from vitviz.training.signals import StopRequest

MAX_RUNS = 64
MAX_REPORTED = 3  # invalid combinations or existing runs named in an error
FILE = "sweep.json"
RESULTS = "results.jsonl"
DATA_FIELDS = {"dataset", "max_train_samples", "val_size", "model.img_size"}  # may need more images than there are
VALUE = re.compile(r"(?:\[[^\]]*\]?|[^,\[])*")  # up to a comma that is not inside [32,48]
MAX_BYTES = 2**20  # of a file
Vary = Annotated[list[Annotated[str, Field(max_length=2000)]], Field(max_length=MAX_RUNS)]
VARY, RESULT = TypeAdapter(Vary), TypeAdapter(RunResult)

Report = Callable[[Progress], None]


@contextmanager
def no_report(config: TrainConfig) -> Iterator[Report]:
    """Report nothing about a run."""
    yield lambda progress: None


class CombinationsError(ConfigError):
    """Some combinations of a sweep's values are invalid.

    Attributes:
        errors: Settings and error of each.
    """

    def __init__(self, errors: Sequence[tuple[Mapping[str, str], ConfigError]]) -> None:
        named = [f"{' '.join(map('='.join, settings.items()))} ({error})" for settings, error in errors[:MAX_REPORTED]]
        more = f"; and {len(errors) - MAX_REPORTED} more" if len(errors) > MAX_REPORTED else ""
        super().__init__("vary", f"contains invalid combinations: {'; '.join(named)}{more}", "Remove them.")
        self.errors = errors


@dataclass(frozen=True)
class Sweep:
    """A grid of training runs.

    Args:
        config: Common config.
        vary: Fields to vary, each NAME=VALUE,VALUE,... with names as in `vitviz.training.config.apply_overrides`.
        folder: Folder of the sweep.

    Raises:
        ConfigError: If the folder has no name, or `vary` or a combination of values are invalid.
    """

    config: TrainConfig
    vary: tuple[str, ...]
    folder: Path

    def __post_init__(self) -> None:
        if self.folder.name in ("", ".."):
            raise ConfigError(
                "output_dir",
                f"must have a name, from which those of the runs are made: got {str(self.folder)!r}",
                "Choose another.",
            )
        self.runs()

    def runs(self) -> dict[str, tuple[dict[str, str], TrainConfig]]:
        """Return the settings and the config of each run by name, in training order."""
        runs: dict[str, tuple[dict[str, str], TrainConfig]] = {}
        errors = []
        for run, settings in named_settings(self.folder.name, self.vary).items():
            try:
                config = apply_overrides(self.config, map("=".join, settings.items()))
            except ConfigError as error:
                errors.append((settings, error))
            else:
                runs[run] = settings, replace(config, output_dir=str(self.folder.parent / run))
        if errors:
            raise CombinationsError(errors)
        return runs

    def create(self) -> None:
        """Write `sweep.json` to a new folder.

        Raises:
            ConfigError: If the folder contains a sweep or a run, or one of its runs exists.
        """
        if any(os.path.lexists(self.folder / file) for file in (FILE, run_folder.CONFIG)):
            raise ConfigError(
                "output_dir",
                f"must be a new folder: {self.folder} contains a run or a sweep",
                "Choose another, use `resume=True`, or delete it.",
            )
        existing = [name for name, (_, config) in self.runs().items() if config.folder.exists()]
        if existing:
            more = " and others" if len(existing) > MAX_REPORTED else ""
            raise ConfigError(
                "output_dir",
                f"must give the runs new names: {', '.join(existing[:MAX_REPORTED])}{more} already exist in "
                f"{self.folder.parent}",
                "Choose another, or delete them.",
            )
        stored = {"config": asdict(self.config), "vary": self.vary}
        write_atomic(self.folder / FILE, json.dumps(stored, indent=1).encode())

    def run(
        self,
        report_run: Callable[[TrainConfig], AbstractContextManager[Report]] = no_report,
        on_end: Callable[[RunResult], None] = lambda result: None,
    ) -> None:
        """Train all runs that are not completed yet.

        Args:
            report_run: Called with the config of each run that starts. Returns a context manager that is open during
                the run, and gives its `report`, see `vitviz.runs.training_run.train`.
            on_end: Called with the result of each completed run, including those completed before.

        Raises:
            TrainingStopped: On request; completed runs are kept.
            AlreadyRunningError: If another process runs this sweep.
        """
        with StopRequest() as stop, RunLock(self.folder, stop) as lock:
            lock.record_start()
            results = read_results(self.folder, self.runs())
            write_atomic(self.folder / RESULTS, "".join(f"{json.dumps(one)}\n" for one in results).encode())
            for result in results:
                on_end(result)
            completed = {result["run"] for result in results}
            for name, (settings, config) in self.runs().items():
                if stop.requested:
                    raise TrainingStopped(self.stop_message())
                if name in completed:
                    continue
                try:
                    result = train_run(config, settings, report_run)
                except TrainingStopped:
                    raise TrainingStopped(self.stop_message()) from None
                line = json.dumps(result) + "\n"
                lock.retry_while_disk_full(partial(run_folder.append_line, self.folder / RESULTS, line))
                on_end(result)

    def stop_message(self) -> str:
        """Return the message of a stopped sweep."""
        done = len(read_results(self.folder, self.runs()))
        return (
            f"Stopped after {done} of {len(self.runs())} runs; the state is saved. Resume with: "
            f"python -m vitviz sweep --resume --output-dir {shlex.quote(str(self.folder))}"
        )


def read(folder: Path) -> Sweep:
    """Read the sweep of a folder; raise ValueError if it is missing or invalid."""
    config, vary = read_stored(folder)
    return Sweep(from_json(config), vary, folder)


def read_stored(folder: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Read the common config of a sweep as stored, and the fields to vary; the errors are those of `read`."""
    try:
        stored = parse_json(read_regular(folder / FILE, MAX_BYTES).decode(), "surrogateescape")
        config = run_folder.STORED_CONFIG.validate_python(stored["config"])
        return {**config}, tuple(VARY.validate_python(stored["vary"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(
            f"The folder of a sweep must contain a valid {FILE}: {folder} does not. Choose another."
        ) from None


def read_results(folder: Path, names: Container[str]) -> list[RunResult]:
    """Read the results of the completed runs with these names; those of damaged lines are measured again."""
    found, path = {}, folder / RESULTS
    for line in read_regular(path, MAX_BYTES).splitlines() if os.path.lexists(path) else []:
        with suppress(ValueError):
            result = RESULT.validate_json(line)
            if result["run"] in names:
                found[result["run"]] = result
    return [*found.values()]


def named_settings(name: str, vary: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Return the settings of each run of a sweep by the name of the run, in training order."""
    runs: dict[str, dict[str, str]] = {}
    for settings in combinations(vary):
        run = "-".join([name, *(slug("=".join(setting)) for setting in settings.items())])
        if run in runs or len(run) > 64:
            raise ConfigError(
                "vary",
                f"must give each run a unique name of at most 64 characters: {run} is too long or not unique",
                "Shorten the name of the sweep, or remove equal values.",
            )
        runs[run] = settings
    return runs


def combinations(vary: tuple[str, ...]) -> list[dict[str, str]]:
    """Return all combinations of the values; the last name changes fastest.

    Raises:
        ConfigError: If the values are invalid, or there are too few or too many combinations.

    Example:
        >>> combinations(("model.depth=2,4", "seed=0"))
        [{'model.depth': '2', 'seed': '0'}, {'model.depth': '4', 'seed': '0'}]
    """
    values = {name: split(text) for name, _, text in (override.partition("=") for override in vary)}
    count = math.prod(map(len, values.values()))
    wrong_count = ConfigError(
        "vary", f"must give 2 to {MAX_RUNS} combinations: got {count}", "List at least two values."
    )
    if count > MAX_RUNS:
        raise wrong_count
    for name, found in values.items():
        if found == [""]:
            raise ConfigError("vary", f"needs values: got none for {name[:80]}", "Use for example 2, 4, 8.")
        if not all(found) or name in ("output_dir", "data"):
            raise ConfigError("vary", f"must be NAME=VALUE,VALUE,... of a hyperparameter: got {name[:80]!r}")
        if repeated := [value for i, value in enumerate(found) if value in found[:i]]:
            problem = f"must list each value of {name[:80]} once: got {repeated[0][:80]!r} twice"
            raise ConfigError("vary", problem, "Remove one of them.")
    if len(values) < len(vary):
        raise ConfigError(
            "vary", f"must contain each field once: got {' and '.join(vary)[:80]}", "List all its values."
        )
    if count < 2:
        raise wrong_count
    return [dict(zip(values, combination, strict=True)) for combination in itertools.product(*values.values())]


def split(text: str) -> list[str]:
    """Return the values of a field.

    Example:
        >>> split("4,[32,48],x")
        ['4', '[32,48]', 'x']
    """
    values, start = [], 0
    while start <= len(text):
        values.append(VALUE.match(text, start)[0])  # type: ignore[index]  # it matches anything
        start += len(values[-1]) + 1
    return values


def slug(override: str) -> str:
    """Return an override as a part of a run's name.

    Example:
        >>> slug("model.num_heads=4")
        'numheads4'
    """
    return re.sub(r"[^A-Za-z0-9._-]", "", override.removeprefix("model.").replace("_", ""))


def train_run(
    config: TrainConfig, settings: dict[str, str], report_run: Callable[[TrainConfig], AbstractContextManager[Report]]
) -> RunResult:
    """Train or resume a run, unless it is finished, and return its result."""
    path = config.folder / run_folder.LAST
    message = ""
    try:
        if not run_folder.is_finished(run_folder.read_record(path)):
            with report_run(config) as report:
                training_run.train(config, report, resume=True)
    except Exception as error:
        if ends_sweep(error, settings):
            raise
        message = format_error(error)
    record = run_folder.read_record(path)
    return RunResult(
        run=config.folder.name,
        settings=settings,
        state="failed" if message else "finished",
        message=message,
        accuracy=run_folder.accuracy_of(record),
        eval_samples=eval_samples(record),
        parameters=record.get("parameters"),
        epochs=record.get("epochs"),
        seconds=record.get("seconds"),
        train_samples=record.get("train_samples"),
    )


def ends_sweep(error: Exception, settings: dict[str, str]) -> bool:
    """Whether an error does not depend on the settings of the run, so that the next run would fail as well."""
    if isinstance(error, DataError):
        return not DATA_FIELDS & settings.keys()
    # Once raised, torch.AcceleratorError affects every use of the GPU by this process, but not a resumed sweep.
    fatal = (torch.AcceleratorError, TrainingStopped, AlreadyRunningError, OSError)
    return isinstance(error, fatal)
