"""Which process works in a run folder, and how the last one ended: the file `process.json`.

A process holds a file lock on it for as long as it lives, and the system takes the lock back from a dead one. So
nobody waits for a process that is gone, and a number that another process got since means nothing. The file is
rewritten in place, in the bytes it began with, so that its sentence gets through on a full disk too.
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
from types import TracebackType

from vitviz.data.files import is_file
from vitviz.training.config import TrainingError
from vitviz.training.signals import StopRequest

if sys.platform != "win32":
    import fcntl

FILE = "process.json"
BYTES = 2048  # of the file
HELD = "VITVIZ_HELD"  # names the folder whose lock a process was born with
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
ROOM_EVERY = 1.0  # seconds from one try to write on a full disk to the next
PATIENCE = 0.5  # seconds to ask again for a lock: who only looks takes it for a moment, too


class Stopped(TrainingError):
    """A training ended because it was asked to; its state is saved."""


class Busy(ValueError):
    """Another process works there; the sentence names it."""


@dataclass(frozen=True)
class Process:
    """A process that works, or worked, in a folder.

    Attributes:
        pid: Its number.
        session: Another word for each process.
        state: "training" until it says how it ended: "stopped", "finished" or "failed".
        message: What it had to say last.
    """

    pid: int
    session: str
    state: str = "training"
    message: str = ""


def lock(path: Path, patience: float = PATIENCE) -> int | None:
    """Take the lock of a file, which is made if it is not there.

    Args:
        path: Of the file.
        patience: Seconds to ask again.

    Returns:
        The open file, whose lock lasts until all processes that inherited it have closed it; None if another holds it.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    until = time.monotonic() + patience
    while not try_lock(handle):
        if time.monotonic() >= until:
            os.close(handle)
            return None
        time.sleep(0.005)
    return handle


def try_lock(handle: int) -> bool:
    """Take the lock of an open file if it is free; Windows knows none, so there it always is."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lives(folder: Path) -> bool:
    """Whether a process works in this folder now."""
    path = folder / FILE
    if sys.platform == "win32" or not is_file(path):
        return False
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:  # somebody deletes the run
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def read(folder: Path) -> Process | None:
    """The process that works, or worked last, in this folder; None if none was noted."""
    path = folder / FILE
    try:
        return Process(**json.loads(path.read_text())) if is_file(path) else None
    except (OSError, ValueError, TypeError):
        return None


def write(folder: Path, process: Process) -> None:
    """Note a process, in place."""
    message = process.message
    while len(text := json.dumps(asdict(replace(process, message=message))).encode()) > BYTES:
        message = message[: len(message) // 2]
    handle = os.open(folder / FILE, os.O_WRONLY | os.O_CREAT, 0o644)
    try:
        os.write(handle, text.ljust(BYTES))
    finally:
        os.close(handle)


def new_session() -> str:
    """A word that no process had before."""
    return f"{time.time_ns():x}-{os.getpid()}"


def refused(error: BaseException) -> None:
    """Note why a process that was started on a folder ends, unless it said so itself."""
    folder = Path(os.environ.get(HELD, ""))
    known = read(folder)
    if HELD in os.environ and known is not None and known.state == "training":
        with suppress(OSError):
            write(folder, replace(known, state="failed", message=format_error(error)))


class Work:
    """This process's work in a folder, as a context manager: alone there, and with a word on how it ended.

    Args:
        folder: Where.
        stop: Whether this process shall end.

    Raises:
        Busy: On entering, if another process works there.
    """

    def __init__(self, folder: Path, stop: StopRequest) -> None:
        self.folder, self.stop = folder, stop
        self.process = Process(os.getpid(), new_session())
        self.handle: int | None = None
        self.begun = False

    def __enter__(self) -> "Work":
        self.folder.mkdir(parents=True, exist_ok=True)
        if os.environ.get(HELD) == str(self.folder.resolve()):
            known = read(self.folder)
            self.process = replace(self.process, session=known.session) if known else self.process
            return self
        self.handle = lock(self.folder / FILE)
        if self.handle is None:
            other = read(self.folder)
            raise Busy(
                f"One process at a time works in a run folder: in {self.folder} it is process "
                f"{other.pid if other else 'unknown'}. Wait for it or stop it, or name another folder with --out."
            )
        return self

    def begin(self) -> None:
        """Note that this process works here from now on."""
        self.begun = True
        write(self.folder, self.process)

    def say(self, message: str) -> None:
        """Leave a word for those who watch; an empty one takes it back."""
        self.process = replace(self.process, message=message)
        with suppress(OSError):
            write(self.folder, self.process)

    def retry_while_disk_full(self, write: Callable[[], None]) -> float:
        """Write to the folder; while the disk is full, say so, wait and try again, so that nothing is lost.

        Returns:
            The seconds waited.

        Raises:
            Stopped: If that is asked for meanwhile; the file is as it was before.
        """
        began = None
        while True:
            try:
                write()
            except OSError as error:
                if error.errno not in FULL:
                    raise
                free = shutil.disk_usage(self.folder).free / 2**20
                rule = f"The disk is full: there is no room to save the training ({free:.0f} MB are free)."
                if self.stop.asked:
                    raise Stopped(f"{rule} What was saved before is kept. Make room, then resume.") from None
                waits = f"{rule} It waits, and loses nothing. Make room, and it goes on by itself."
                self.say(waits)
                if began is None:
                    began = time.monotonic()
                    warnings.warn(waits, stacklevel=2)  # a terminal does not show what is said in the folder
                time.sleep(ROOM_EVERY)
            else:
                break
        if began is None:
            return 0.0
        self.say("")
        return time.monotonic() - began

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.begun and (error is None or isinstance(error, Exception)):
            self.process = replace(self.process, state=ending(error))
            self.say(format_error(error) if error is not None else "")
        if self.handle is not None:
            os.close(self.handle)


def ending(error: Exception | None) -> str:
    """The state in which a process leaves its work."""
    if error is None:
        return "finished"
    return "stopped" if isinstance(error, Stopped) else "failed"


def format_error(error: BaseException) -> str:
    """One sentence for what went wrong."""
    if isinstance(error, TrainingError | ValueError):
        return str(error)
    if isinstance(error, OSError):
        where = f" ({error.filename})" if error.filename else ""
        return f"The system refused: {error.strerror or error}{where}. Mend that, or name another file or folder."
    return f"An error of vitviz itself: {type(error).__name__}: {str(error).partition(chr(10))[0][:300]}"
