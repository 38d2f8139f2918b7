"""Runs of one folder: start, resume, stop, list, rename and delete them.

A run is a folder `runs/NAME/`. `Runs.start` writes its `config.json` and starts `python -m vitviz train --resume` on
it as a separate process, which outlives the page and is found again by its folder. One process at a time trains in
`runs/`: it holds a file lock, which the operating system releases when the process exits.

A sweep (`vitviz.runs.sweep`) is also one process with a folder; its runs are ordinary runs in the same `runs/`. `stop`
and `delete` accept the name of a run or of a sweep.
"""

import os
import re
import shutil
import sys
import threading
import time
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from vitviz.data import cifar
from vitviz.errors import ConfigError, DataError
from vitviz.files import LOCK_TIMEOUT, acquire_lock, is_regular_file, open_regular, read_regular
from vitviz.runs import process, run_folder, status, sweep
from vitviz.runs.launch import already_running, request_stop, spawn
from vitviz.runs.process import AlreadyRunningError
from vitviz.runs.status import RunInfo, RunStatus, SweepInfo
from vitviz.runs.sweep import Sweep
from vitviz.training.config import TrainConfig, from_json
from vitviz.training.device import choose_device

Info = TypeVar("Info")

NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}")
SWEEP_FILES = (sweep.FILE, sweep.RESULTS)
LOCK = ".lock"  # file in the runs folder; contains the name of the running run or sweep
MAX_METRICS_BYTES = 2**22  # per call of `Runs.metrics`


class Runs:
    """The runs and sweeps of one folder.

    Args:
        root: Path of the folder; created when the first run starts.
    """

    def __init__(self, root: str | Path = "runs") -> None:
        self.root = Path(root)
        # By name, with the fingerprints of the files that it was read from.
        self.cache: dict[str, tuple[tuple[Any, ...], RunStatus]] = {}
        self.sweep_cache: dict[str, tuple[tuple[Any, ...], SweepInfo]] = {}
        self.mutex = threading.RLock()

    def start(self, config: TrainConfig, name: str) -> RunInfo:
        """Start a run; the `output_dir` of its config is replaced.

        Raises:
            AlreadyRunningError: If a run or sweep is running.
            vitviz.errors.DataError: If the dataset is missing.
            ConfigError: If the name is invalid or in use.
            ValueError: If the device is not available.
        """
        folder = self.folder(name)
        check_machine(config)
        config = replace(config, output_dir=str(folder))
        with self.new_folder(folder) as runs_lock:
            run_folder.write_config(config, folder)
            spawn(folder, "train", runs_lock)
        return self.find(name)

    def start_sweep(self, config: TrainConfig, vary: Sequence[str], name: str) -> SweepInfo:
        """Start a sweep: one process that trains the runs NAME-... one after another.

        Args:
            config: Common config of all runs, including the budget of each.
            vary: Fields to vary, each NAME=VALUE,VALUE,...

        Raises:
            As `start`; also ValueError for an invalid combination of values.
        """
        folder = self.folder(name)
        check_machine(config)
        grid = Sweep(config, tuple(vary), folder)
        for run in grid.runs():
            if self.folder(run).exists():
                raise name_in_use(run)
        with self.new_folder(folder) as runs_lock:
            grid.create()
            spawn(folder, "sweep", runs_lock)
        return self.find_sweep(name)

    @contextmanager
    def new_folder(self, folder: Path) -> Iterator[int]:
        """Create a folder under the lock of all runs, whose descriptor is yielded; delete it if the body raises."""
        with self.mutex, self.acquire_lock(folder.name) as runs_lock:
            try:
                folder.mkdir()
            except FileExistsError:
                raise name_in_use(folder.name) from None
            try:
                yield runs_lock
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise

    def resume(self, name: str) -> RunInfo:
        """Resume a stopped, interrupted or failed run.

        Raises:
            AlreadyRunningError: If a run or sweep is running.
            ValueError: If the run does not exist or is finished.
        """
        info = self.find(name)
        if info.config:
            run_folder.check_resumable(from_json(info.config), self.folder(name))
        self.spawn_again(info, "train")
        return self.find(name)

    def resume_sweep(self, name: str) -> SweepInfo:
        """Resume a stopped, interrupted or failed sweep; raises as `resume`."""
        self.spawn_again(self.find_sweep(name), "sweep")
        return self.find_sweep(name)

    def spawn_again(self, info: RunInfo | SweepInfo, command: str) -> None:
        """Start a new process on the folder of an existing run or sweep."""
        if info.state == status.DAMAGED:
            raise ValueError(info.message)
        if info.state == "finished":
            raise ValueError(f"The run {info.name} is finished: there is nothing to resume. Start a new run.")
        check_machine(from_json(info.config))
        with self.mutex, self.acquire_lock(info.name) as runs_lock:
            spawn(self.folder(info.name), command, runs_lock)

    def stop(self, name: str) -> None:
        """Request a run or sweep to save and stop, or raise ValueError if it is not running.

        Its process is killed after a minute.
        """
        folder = self.folder(name)
        with self.mutex:
            record = process.read(folder)
            if record is None or record.pid <= 1 or not process.is_running(folder):
                raise ValueError(f"The run {name} is not running: there is nothing to stop.")
            run_folder.check_not_watched(folder)
            request_stop(folder, record)

    def all(self) -> list[RunInfo]:
        """Return all runs, newest first."""
        found = self.with_file(self.find, *status.FILES)
        return [info for info in found if info.state != status.DAMAGED or not self.is_sweep(info.name)]

    def sweeps(self) -> list[SweepInfo]:
        """Return all sweeps, newest first."""
        return self.with_file(self.find_sweep, *SWEEP_FILES)

    def with_file(self, find: Callable[[str], Info], *files: str) -> list[Info]:
        """Return what `find` reads from each folder that contains one of these files, the newest first file first."""
        changed = {
            name: next(filter(None, (status.fingerprint(self.root / name / file) for file in files)), None)
            for name in filter(NAME.fullmatch, self.folder_names())
        }
        found = []
        for name in sorted((name for name in changed if changed[name]), key=lambda n: (changed[n], n), reverse=True):
            with suppress(ValueError, OSError):  # being deleted
                found.append(find(name))
        return found

    def is_sweep(self, name: str) -> bool:
        """Whether a folder is that of a sweep, damaged or not."""
        return any(os.path.lexists(self.folder(name) / file) for file in SWEEP_FILES)

    def folder_names(self) -> list[str]:
        """Return the names of all folders in the runs folder."""
        try:
            return [entry.name for entry in os.scandir(self.root) if entry.is_dir(follow_symlinks=False)]
        except (FileNotFoundError, NotADirectoryError):
            return []

    def find(self, name: str) -> RunInfo:
        """Return the run with this name; raise ValueError if it does not exist."""
        folder = self.folder(name)
        fingerprints = tuple(status.fingerprint(folder / file) for file in (*status.FILES, process.FILE))
        if not any(fingerprints[:-1]):
            raise ValueError(f"The run {name} was not found: it may have been renamed or deleted. Choose another run.")
        with self.mutex:
            if name not in self.cache or self.cache[name][0] != fingerprints:
                self.cache[name] = fingerprints, status.read_run(folder)
            files = self.cache[name][1]
        return status.with_process(files.info, folder, files.saved, files.is_finished, files.has_unsaved_steps)

    def find_sweep(self, name: str) -> SweepInfo:
        """Return the sweep with this name; raise ValueError if it does not exist."""
        folder = self.folder(name)
        fingerprints = tuple(status.fingerprint(folder / file) for file in SWEEP_FILES)
        if not any(fingerprints):
            raise ValueError(f"The sweep {name} was not found: it may have been deleted. Choose another.")
        with self.mutex:
            if name not in self.sweep_cache or self.sweep_cache[name][0] != fingerprints:
                self.sweep_cache[name] = fingerprints, read_sweep(folder)
            info = self.sweep_cache[name][1]
        saved = f"{len(info.results)} of {len(info.runs)} runs are completed"
        return status.with_process(info, folder, saved, len(info.results) == len(info.runs))

    def running(self) -> str | None:
        """Return the name of the running sweep or run, even if its name is not a valid one; None if none is running."""
        names = [name for name in self.folder_names() if process.is_running(self.root / name)]
        return min(names, key=lambda name: not (self.root / name / sweep.FILE).exists(), default=None)  # a sweep first

    def rename(self, name: str, new: str) -> RunInfo:
        """Rename a run.

        Raises:
            ConfigError: If the new name is invalid or in use.
            ValueError: If the run does not exist.
            AlreadyRunningError: If it is running.
        """
        self.find(name)
        with self.mutex, lock_idle(self.folder(name)) as folder:
            if self.folder(new).exists():
                raise name_in_use(new)
            folder.rename(self.folder(new))
            self.cache.pop(name, None)
        return self.find(new)

    def delete(self, name: str) -> None:
        """Delete a run, or a sweep without its runs, with all files in its folder.

        Raises:
            ValueError: If it does not exist.
            AlreadyRunningError: If it is running.
        """
        if not self.is_sweep(name):
            self.find(name)
        with self.mutex, lock_idle(self.folder(name)) as folder:
            shutil.rmtree(folder)
            self.cache.pop(name, None)
            self.sweep_cache.pop(name, None)

    def metrics(self, name: str, offset: int = 0) -> tuple[list[dict[str, Any]], int]:
        """Return the complete, valid lines of a run's metrics after a byte offset, and the next offset."""
        path, offset = self.folder(name) / run_folder.METRICS, max(0, offset)
        complete: list[bytes] = []
        with suppress(OSError, ValueError), open(path, "rb", opener=open_regular) as file:  # or an absurd offset
            file.seek(offset)
            complete = file.read(MAX_METRICS_BYTES).rpartition(b"\n")[0].splitlines(keepends=True)
        lines = [parsed for line in complete if (parsed := run_folder.parse_line(line)) is not None]
        return lines, offset + sum(map(len, complete)) + bool(complete)

    def folder(self, name: str) -> Path:
        """Return the folder of a run, which need not exist.

        Raises:
            ConfigError: If the name is invalid, or the folder is a symbolic link.
        """
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise ConfigError(
                "name",
                "must have 1 to 64 letters of A to Z, digits, -, _ or ., and not start with a dot: "
                f"got {str(name)[:80]!r}",
                suggest_name(name),
            )
        folder = self.root / name
        if folder.is_symlink():
            raise ConfigError("name", f"must not be a symbolic link: {name} is one", "Choose another name.")
        return folder

    @contextmanager
    def acquire_lock(self, name: str) -> Iterator[int]:
        """Hold the lock of all runs, write a name into it and yield its descriptor, for a process to inherit.

        Raises:
            AlreadyRunningError: If another process holds it, or a training started in a terminal is running.
        """
        if sys.platform == "win32":
            raise ValueError("Runs can be started on Linux, macOS and WSL. Use: python -m vitviz train.")
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            descriptor = acquire_lock(self.root / LOCK, timeout=0)
        except OSError as error:
            raise ValueError(
                f"Training needs a writable folder: {self.root.resolve()} is not ({error.strerror}). Start vitviz in "
                "another folder."
            ) from error
        if descriptor is None:
            raise already_running(self.lock_holder())
        try:
            if (other := self.running()) is not None:
                raise already_running(other)
            os.ftruncate(descriptor, 0)
            os.write(descriptor, name.encode())
            yield descriptor
        finally:
            os.close(descriptor)

    def lock_holder(self) -> str:
        """Return the name of the run that holds the lock; its process may need a moment to write it."""
        deadline = time.monotonic() + LOCK_TIMEOUT
        while True:
            name = read_regular(self.root / LOCK, 4096).decode(errors="replace")
            if NAME.fullmatch(name) and process.is_running(self.root / name):
                return name
            if time.monotonic() >= deadline:
                return name or "another run"
            time.sleep(0.005)


def read_sweep(folder: Path) -> SweepInfo:
    """Read the status of a sweep from its files, without its process; a damaged one has this state."""
    try:
        config, vary = sweep.read_stored(folder)
        runs = sweep.named_settings(folder.name, vary)
        results = sweep.read_results(folder, runs)
        return SweepInfo(name=folder.name, vary=vary, runs=[*runs.items()], results=results, config=config)
    except (ValueError, OSError) as error:
        return SweepInfo(name=folder.name, state=status.DAMAGED, message=process.format_error(error), config={})


def suggest_name(name: object) -> str:
    """Return the hint to use the valid characters of a name; empty without any."""
    plain = unicodedata.normalize("NFKD", str(name)[:64]).encode("ascii", "ignore").decode()
    valid = re.sub(r"[^A-Za-z0-9._-]+", "-", plain).strip("-.")
    return f"Use for example {valid}." if valid else ""


def check_machine(config: TrainConfig) -> None:
    """Check that the dataset and the device of a config are available.

    Raises:
        vitviz.errors.DataError: If the dataset is missing.
        ValueError: If the device is not available.
    """
    if config.dataset in cifar.CIFARS:
        cifar.find(config.data, config.dataset)
    elif not Path(config.data or "").exists():
        raise DataError(
            f"The dataset must be an image folder or a zip file: {config.data} does not exist.", "Choose another."
        )
    choose_device(config.device)


def warn_if_unlisted(folder: Path) -> None:
    """Warn if a folder is in the runs folder of the page, but its name is not valid there."""
    if folder.parent.resolve() == Path("runs").resolve():
        try:
            Runs().folder(folder.name)
        except ConfigError as error:
            warnings.warn(f"The page will not list {folder}: {error}", stacklevel=2)


def name_in_use(name: str) -> ConfigError:
    """Return the error for a name that another run has."""
    return ConfigError("name", f"must be new: there is already a run {name}", "Choose another name.")


@contextmanager
def lock_idle(folder: Path) -> Iterator[Path]:
    """Lock the folder of a run that is not running, so that no process can start in it."""
    if os.path.lexists(folder / process.FILE) and not is_regular_file(folder / process.FILE):
        yield folder  # damaged: no process can have locked it
        return
    descriptor = acquire_lock(folder / process.FILE)
    if descriptor is None:
        raise AlreadyRunningError(folder.name, f"The run {folder.name} is running. Stop it first.")
    try:
        yield folder
    finally:
        os.close(descriptor)
