"""Trainings as processes of their own, started here and watched through their folders.

A run is a folder `runs/NAME/`. `start` writes its `config.json` and starts `python -m vitviz train --resume` on it, in
a session of its own: it outlives whoever started it, and anybody finds it again by looking at the folder. One process
at a time trains for all of `runs/`: it is born with a file lock that the system takes back when it ends.

A sweep (see `vitviz.runs.sweep`) is one such process too, with a folder of its own; while it works, its runs stand
among the others. `stop` and `delete` take the name of a run or of a sweep.
"""

import os
import re
import shutil
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

from vitviz.data import datasets
from vitviz.data.cifar import DataError
from vitviz.data.files import is_file
from vitviz.runs import process, run_folder, sweep
from vitviz.training.device import choose_device
from vitviz.runs.launch import ask_to_stop, busy, spawn
from vitviz.runs.process import Busy
from vitviz.training.config import TrainConfig, from_json
from vitviz.runs.status import ENDED, FILES, RunStatus, RunInfo, SweepInfo, parsed, read_run, stamp, state
from vitviz.runs.sweep import Sweep

__all__ = ["Busy", "RunInfo", "Runs", "SweepInfo"]

Info = TypeVar("Info")

NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}")
LOCK = ".lock"  # in the runs folder; says in words which run trains
MOST_BYTES = 2**22  # of metrics in one answer


class Runs:
    """The runs of one folder.

    Args:
        root: The folder; made when the first run starts.
    """

    def __init__(self, root: str | Path = "runs") -> None:
        self.root = Path(root)
        self.known: dict[str, tuple[tuple[Any, ...], RunStatus]] = {}  # files' stamps, and what they told
        self.turn = threading.RLock()

    def start(self, config: TrainConfig, name: str) -> RunInfo:
        """Start a training.

        Args:
            config: What and how; `out` is set here.
            name: Of the run.

        Raises:
            Busy: If one is training already.
            vitviz.data.cifar.DataError: If the data set is not there.
            ValueError: If the name is taken or does not fit, or the device is not there.
        """
        folder = self.folder(name)
        check_machine(config)
        config = replace(config, output_dir=str(folder))
        with self.begin(folder) as handle:
            run_folder.write_config(config, folder)
            spawn(folder, "train", handle)
        return self.find(name)

    def start_sweep(self, config: TrainConfig, vary: Sequence[str], name: str) -> SweepInfo:
        """Start a sweep: one process, which trains its runs NAME-... one after another.

        Args:
            config: What all runs have in common, the budget of each among it.
            vary: Each NAME=VALUE,VALUE,...

        Raises:
            As `start`; ValueError, too, if a combination does not fit.
        """
        folder = self.folder(name)
        check_machine(config)
        grid = Sweep(config, tuple(vary), folder)
        for run in grid.runs():
            if self.folder(run).exists():
                raise taken(run)
        with self.begin(folder) as handle:
            grid.write()
            spawn(folder, "sweep", handle)
        return self.find_sweep(name)

    @contextmanager
    def begin(self, folder: Path) -> Iterator[int]:
        """A new folder and the lock of all runs; the folder goes again if nothing could be started in it."""
        with self.turn, self.alone(folder.name) as handle:
            try:
                folder.mkdir()
            except FileExistsError:
                raise taken(folder.name) from None
            try:
                yield handle
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise

    def resume(self, name: str) -> RunInfo:
        """Go on with a run that was stopped, interrupted or failed.

        Raises:
            Busy: If one is training already.
            ValueError: If there is no such run, or it is finished.
        """
        self.restart(self.find(name), "train")
        return self.find(name)

    def resume_sweep(self, name: str) -> SweepInfo:
        """The same for a sweep."""
        self.restart(self.find_sweep(name), "sweep")
        return self.find_sweep(name)

    def restart(self, info: RunInfo | SweepInfo, command: str) -> None:
        """Start another process on a folder."""
        if info.state == "finished":
            raise ValueError(f"The run {info.name} is finished: there is nothing to resume. Start another.")
        check_machine(from_json(info.config))
        with self.turn, self.alone(info.name) as handle:
            spawn(self.folder(info.name), command, handle)

    def stop(self, name: str) -> None:
        """Ask a training to save and end; it is killed if it has not after a minute.

        Raises:
            ValueError: If it does not train.
        """
        folder = self.folder(name)
        with self.turn:
            found = process.read(folder)
            if found is None or found.pid <= 1 or not process.lives(folder):
                raise ValueError(f"The run {name} is not training: there is nothing to stop.")
            ask_to_stop(folder, found)

    def all(self) -> list[RunInfo]:
        """All runs, newest first."""
        return self.listed(run_folder.CONFIG, self.find)

    def sweeps(self) -> list[SweepInfo]:
        """All sweeps, newest first."""
        return self.listed(sweep.FILE, self.find_sweep)

    def listed(self, file: str, find: Callable[[str], Info]) -> list[Info]:
        """What has this file in its folder and can be read, newest first."""
        begun = {name: stamp(self.root / name / file) for name in filter(NAME.fullmatch, self.folders())}
        found = []
        for name in sorted((name for name in begun if begun[name]), key=lambda name: (begun[name], name), reverse=True):
            with suppress(ValueError, OSError):  # another page may be deleting it, or it is another user's
                found.append(find(name))
        return found

    def folders(self) -> list[str]:
        """The names of all folders, whatever is in them."""
        try:
            return [entry.name for entry in os.scandir(self.root) if entry.is_dir(follow_symlinks=False)]
        except (FileNotFoundError, NotADirectoryError):
            return []

    def find(self, name: str) -> RunInfo:
        """The run of this name.

        Raises:
            ValueError: If there is none.
        """
        folder = self.folder(name)
        stamps = tuple(stamp(folder / file) for file in FILES)
        with self.turn:
            if name not in self.known or self.known[name][0] != stamps:
                self.known[name] = stamps, read_run(folder)
            noted = self.known[name][1]
        found = process.read(folder)  # rewritten in place, twice within a tick of the clock perhaps
        now, message = state(folder, found, noted.crash_message, noted.finished, noted.unsaved)
        return replace(noted.info, state=now, message=message, session=found.session if found else "")

    def find_sweep(self, name: str) -> SweepInfo:
        """The sweep of this name.

        Raises:
            ValueError: If there is none.
        """
        folder = self.folder(name)
        grid = sweep.read(folder)
        runs = [(run, settings) for run, (settings, _) in grid.runs().items()]
        results, found = grid.results(), process.read(folder)
        crash_message = f"{ENDED} {len(results)} of {len(runs)} runs are done; resume goes on from there."
        now, message = state(folder, found, crash_message, len(results) == len(runs))
        session = found.session if found else ""
        return SweepInfo(name, now, message, session, grid.vary, runs, results, asdict(grid.config))

    def running(self) -> str | None:
        """Name of the sweep or run that works now, be it one that is not listed, or None."""
        living = [name for name in self.folders() if process.lives(self.root / name)]
        return min(living, key=lambda name: not (self.root / name / sweep.FILE).exists(), default=None)  # a sweep first

    def rename(self, name: str, new: str) -> RunInfo:
        """Give a run another name.

        Raises:
            ValueError: If the name is taken or does not fit.
            Busy: If it trains.
        """
        self.find(name)
        with self.turn, untouched(self.folder(name)) as folder:
            if self.folder(new).exists():
                raise taken(new)
            folder.rename(self.folder(new))
            self.known.pop(name, None)
        return self.find(new)

    def delete(self, name: str) -> None:
        """Delete a run or a sweep with all files in its folder; the runs of a sweep have folders of their own.

        Raises:
            ValueError: If there is no such run.
            Busy: If it trains.
        """
        if not (self.folder(name) / sweep.FILE).exists():
            self.find(name)
        with self.turn, untouched(self.folder(name)) as folder:
            shutil.rmtree(folder)
            self.known.pop(name, None)

    def metrics(self, name: str, offset: int = 0) -> tuple[list[dict[str, Any]], int]:
        """The whole lines of its metrics from a byte on, and where to read on."""
        path, offset = self.folder(name) / run_folder.METRICS, max(0, offset)
        if not is_file(path):
            return [], 0
        whole: list[bytes] = []
        with suppress(OSError, ValueError), path.open("rb") as file:  # it may be another user's, or end long before
            file.seek(offset)
            whole = file.read(MOST_BYTES).rpartition(b"\n")[0].splitlines(keepends=True)
        lines = (parsed(line) for line in whole)
        return [line for line in lines if line is not None], offset + sum(map(len, whole)) + bool(whole)

    def folder(self, name: str) -> Path:
        """The folder of a run, which may not be there yet.

        Raises:
            ValueError: If it is no name, or leads out of the runs folder.
        """
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise ValueError(
                f"The name of a run may have 1 to 64 letters, digits, - _ and . and not begin with a dot: got "
                f"{str(name)[:80]!r}."
            )
        folder = self.root / name
        if folder.is_symlink():
            raise ValueError(f"A run must be a folder of its own: {name} is a link. Name another.")
        return folder

    @contextmanager
    def alone(self, name: str) -> Iterator[int]:
        """Hold the lock of all runs, to hand it on to a process.

        Raises:
            Busy: If another holds it, or a training begun in a terminal is going on.
        """
        if sys.platform == "win32":
            raise ValueError("Trainings are started here on Linux, macOS and WSL. Use: python -m vitviz train.")
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            handle = process.lock(self.root / LOCK, patience=0)
        except OSError as error:
            raise ValueError(
                f"A training needs a folder that can be written to: {self.root.resolve()} cannot ({error.strerror}). "
                "Start vitviz in a folder of your own."
            ) from error
        if handle is None:
            raise busy(self.holder())
        try:
            if (other := self.running()) is not None:
                raise busy(other)
            os.ftruncate(handle, 0)
            os.write(handle, name.encode())
            yield handle
        finally:
            os.close(handle)

    def holder(self) -> str:
        """Name of the run whose process holds the lock; who has just taken it may need a moment to write that."""
        until = time.monotonic() + process.PATIENCE
        while True:
            name = (self.root / LOCK).read_text(errors="replace")
            if NAME.fullmatch(name) and process.lives(self.root / name):
                return name
            if time.monotonic() >= until:
                return name or "another"
            time.sleep(0.005)


def check_machine(config: TrainConfig) -> None:
    """Demand what a training would miss at once."""
    if config.dataset in datasets.MODULES:
        datasets.MODULES[config.dataset].find(config.data)
    elif not Path(config.data or "").exists():
        raise DataError(f"There must be a folder or a zip of images: {config.data} is not there. Name another.")
    choose_device(config.device)


def warn_if_unlisted(folder: Path) -> None:
    """Warn of a folder beside the runs of the page that is none of them by its name."""
    page = Runs()
    if folder.parent.resolve() == page.root.resolve():
        try:
            page.folder(folder.name)
        except ValueError as error:
            warnings.warn(f"The page will not list {folder}. {error}", stacklevel=2)


def taken(name: str) -> ValueError:
    """The refusal of a name."""
    return ValueError(f"The name of a run must be new: there is a run {name} already. Choose another name.")


@contextmanager
def untouched(folder: Path) -> Iterator[Path]:
    """A run folder in which no process works, or can begin to."""
    handle = process.lock(folder / process.FILE)
    if handle is None:
        raise Busy(f"The run {folder.name} is training. Stop it first.")
    try:
        yield folder
    finally:
        os.close(handle)
