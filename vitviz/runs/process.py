"""The process that works in a run folder, and how the last one exited: the file `process.json`.

A process holds a file lock on `process.json` while it runs. The operating system releases the lock when the process
dies, so a crashed process blocks no other one and a reused pid is not mistaken for it. The file has a fixed size and
is rewritten in place in one write, as its lock is held, and so that an error can be written to a full disk as well.
"""

import errno
import json
import os
import shutil
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from textwrap import shorten
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, TypeAdapter

from vitviz.errors import TrainingError, TrainingStopped, VitvizError, reports_no_memory
from vitviz.files import acquire_lock, open_regular, read_regular
from vitviz.models.config import STRICT
from vitviz.training.signals import StopRequest

if sys.platform != "win32":
    import fcntl

FILE = "process.json"
FILE_BYTES = 2048
LOCKED_FOLDER = "VITVIZ_LOCKED_FOLDER"  # environment variable: the folder whose lock the process inherited
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
NO_MEMORY = "There is not enough memory. Use a smaller model, image or batch, or close other programs."
DISK_RETRY_INTERVAL = 1.0  # seconds between attempts to write to a full disk
State = Literal["training", "stopped", "finished", "failed"]
# What to do about an error of the operating system; others are about the path.
FREE_SPACE = "Free some space"
HINTS = dict.fromkeys((errno.ENOSPC, errno.EDQUOT), FREE_SPACE)
HINTS |= {errno.EFBIG: "Raise the limit of file sizes (`ulimit -f`)", errno.EINVAL: "Delete it"}
HINTS |= dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "Check its permissions, or choose another folder")


class AlreadyRunningError(VitvizError, ValueError):
    """Another process holds the lock; `run` is the name of the run or sweep that it works on."""

    def __init__(self, run: str, message: str) -> None:
        super().__init__(message)
        self.run = run


@dataclass(frozen=True)
class ProcessRecord:
    """Contents of `process.json`."""

    __pydantic_config__: ClassVar[Any] = STRICT

    pid: Annotated[int, Field(ge=0, lt=2**31)]
    session: Annotated[str, Field(pattern=r"^[0-9a-f-]{1,64}$")]  # unique, as process numbers are reused
    state: State = "training"  # the others after it has exited
    message: str = ""  # the latest
    has_saved: bool = False  # whether the process has saved the state of a run
    watched: bool = False  # whether it is another program, which `vitviz.runs.watch` records


RECORD = TypeAdapter(ProcessRecord)


def is_running(folder: Path) -> bool:
    """Whether a process holds the lock of this folder."""
    if sys.platform == "win32":
        return False
    try:
        descriptor = open_regular(folder / FILE)
    except OSError:  # there is none: nothing can hold the lock of a link or a pipe
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def read(folder: Path) -> ProcessRecord | None:
    """Read the record of the current or last process of this folder; None without a valid one."""
    try:
        return RECORD.validate_json(read_regular(folder / FILE, 2 * FILE_BYTES))
    except (OSError, ValueError):
        return None


def write(folder: Path, record: ProcessRecord) -> None:
    """Write a record in place; its message is truncated to fit."""
    message = record.message
    while len(text := json.dumps(asdict(replace(record, message=message))).encode()) > FILE_BYTES:
        message = message[: len(message) // 2]
    descriptor = open_regular(folder / FILE, os.O_WRONLY | os.O_CREAT)
    try:
        os.write(descriptor, text.ljust(FILE_BYTES))
    finally:
        os.close(descriptor)


def new_session() -> str:
    """Return a unique identifier for a process."""
    return f"{time.time_ns():x}-{os.getpid()}"


def record_failure(error: BaseException) -> None:
    """Write the error of a process that `vitviz.runs.launch` started, unless an exit state is already recorded."""
    folder = Path(os.environ.get(LOCKED_FOLDER, ""))
    record = read(folder)
    if LOCKED_FOLDER in os.environ and record is not None and record.state == "training":
        with suppress(OSError):
            write(folder, replace(record, state="failed", message=format_error(error)))


class RunLock:
    """Exclusive access of this process to a folder, as a context manager that also records how the process exits.

    Args:
        folder: Folder of a run or a sweep; created if it does not exist.
        stop: Stop request of this process.

    Raises:
        AlreadyRunningError: On entering, if another process holds the lock.
    """

    def __init__(self, folder: Path, stop: StopRequest) -> None:
        self.folder, self.stop = folder, stop
        self.record = ProcessRecord(os.getpid(), new_session())
        self.descriptor: int | None = None
        self.is_recorded = False

    def __enter__(self) -> "RunLock":
        self.is_new_folder = not self.folder.exists()
        self.folder.mkdir(parents=True, exist_ok=True)
        if os.environ.get(LOCKED_FOLDER) == str(self.folder.resolve()):
            inherited = read(self.folder)
            self.record = replace(self.record, session=inherited.session) if inherited else self.record
            return self
        self.descriptor = acquire_lock(self.folder / FILE)
        if self.descriptor is None:
            other = read(self.folder)
            raise AlreadyRunningError(
                self.folder.name,
                f"Only one process can use a run folder: process {other.pid if other else 'unknown'} is running in "
                f"{self.folder}. Wait for it, stop it, or choose another `output_dir`.",
            )
        return self

    def record_start(self, has_saved: bool = False, watched: bool = False) -> None:
        """Write the record of this process, which may continue from a saved state, or be watched."""
        self.is_recorded = True
        self.record = replace(self.record, has_saved=has_saved, watched=watched)
        write(self.folder, self.record)

    def set_message(self, message: str) -> None:
        """Replace the message of the record, which the page shows."""
        self.record = replace(self.record, message=message)
        with suppress(OSError):
            write(self.folder, self.record)

    def record_saved(self) -> None:
        """Record that a state is saved, which resuming then requires."""
        if not self.record.has_saved:
            self.record = replace(self.record, has_saved=True)
            self.set_message(self.record.message)

    def retry_while_disk_full(self, write: Callable[[], None]) -> float:
        """Call `write` and retry with a warning while the disk is full, to lose no training; return the seconds waited.

        Raises:
            TrainingStopped: If a stop is requested while waiting; the file keeps its previous contents.
        """
        waiting_since = None
        while True:
            try:
                write()
                break
            except OSError as error:
                if error.errno not in DISK_FULL:
                    raise
                problem, hint = self.explain(error), HINTS[error.errno]
                if self.stop.requested:
                    raise TrainingStopped(f"{problem} The previous state is kept. {hint}, then resume.") from None
                until = "it is raised" if error.errno == errno.EFBIG else "there is space"
                message = f"{problem} Training is paused and continues when {until}. {hint}."
                self.set_message(message)
                if waiting_since is None:
                    waiting_since = time.monotonic()
                    warnings.warn(message, stacklevel=2)  # for runs started in a terminal
                time.sleep(DISK_RETRY_INTERVAL)
        if waiting_since is None:
            return 0.0
        self.set_message("")
        return time.monotonic() - waiting_since

    def explain(self, error: OSError) -> str:
        """Return why the state cannot be saved."""
        if error.errno == errno.EFBIG:
            return "The limit of file sizes of this process is reached: the training state cannot be saved."
        if error.errno == errno.EDQUOT:
            return "The disk quota is used up: the training state cannot be saved."
        free = shutil.disk_usage(self.folder).free / 2**20
        return f"The disk is full ({free:.0f} MB free): the training state cannot be saved."

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self.is_recorded and (error is None or isinstance(error, Exception)):
            state: State = "stopped" if isinstance(error, TrainingStopped) else "failed"
            self.record = replace(self.record, state=state if error else "finished")
            self.set_message(format_error(error) if error else "")
        if self.descriptor is not None:
            if not os.fstat(self.descriptor).st_size:  # it was refused before it started
                (self.folder / FILE).unlink(missing_ok=True)
            os.close(self.descriptor)
        if self.is_new_folder:
            with suppress(OSError):  # it is not empty
                self.folder.rmdir()


def format_error(error: BaseException) -> str:
    """Return the one-sentence message of an exception."""
    if isinstance(error, TrainingError | ValueError):
        return str(error)
    if isinstance(error, OSError):
        path = f" ({error.filename})" if error.filename else ""
        hint = HINTS.get(error.errno or 0, "Check the path, or choose another")
        return f"System error: {error.strerror or error}{path}. {hint}."
    if reports_no_memory(error):
        return NO_MEMORY
    return f"Internal error: {type(error).__name__}: {shorten(str(error), 300)}"
