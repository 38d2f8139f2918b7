"""Atomic file writing, reading of files that are not trusted, checks of names, file locks and the cache folder."""

import errno
import os
import stat
import sys
import tempfile
import time
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

if sys.platform != "win32":
    import fcntl

LOCK_TIMEOUT = 0.5  # seconds; `vitviz.runs.process.is_running` holds the lock for a moment
MAX_LINE_BYTES = 2**16
SAFE_FLAGS = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC"))  # Windows has none


@contextmanager
def atomic_write(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that replaces `path` only when it is complete: temporary file, fsync, rename, fsync of the folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        start = path.name[:48]  # keeps the longer temporary name within 255 bytes
        handle, temporary = tempfile.mkstemp(prefix=f".{start}.", suffix=".tmp", dir=path.parent)
    except OSError as error:
        error.filename = str(path)  # the name that the caller knows
        raise
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, temporary):
            error.filename = str(path)  # ENOSPC has no file name, and the caller does not know the temporary one
        raise
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def resolve_link(path: Path) -> Path:
    """Return the target of a symbolic link, so that an atomic write replaces the target and keeps the link."""
    return Path(os.path.realpath(path))


def write_atomic(path: Path, content: bytes) -> None:
    """Write a complete file with `atomic_write`."""
    with atomic_write(path) as file:
        file.write(content)


def printable_name(name: str) -> str:
    """Replace the characters of a file name that are not valid UTF-8 or control a terminal by "?"."""
    return "".join("?" if unicodedata.category(letter) in ("Cc", "Cs") else letter for letter in name)


def is_regular_file(path: Path) -> bool:
    """Whether a path is a regular file: opening a pipe would block, and a link may point anywhere."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def open_regular(path: str | Path, flags: int = os.O_RDONLY) -> int:
    """Open a file that is not trusted and return its descriptor; links are not followed, pipes not waited for.

    Raises:
        OSError: Also if it is not a regular file, or would be written under another name as well.
    """
    try:
        descriptor = os.open(path, flags | SAFE_FLAGS, 0o644)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENXIO):  # a link, a pipe that nobody reads
            raise
        raise not_regular(path) from None
    status, is_written = os.fstat(descriptor), flags & (os.O_WRONLY | os.O_RDWR)
    if not stat.S_ISREG(status.st_mode) or (is_written and status.st_nlink > 1):
        os.close(descriptor)
        raise not_regular(path)
    return descriptor


def not_regular(path: str | Path) -> OSError:
    """Return the error for something else than a regular file."""
    return OSError(errno.EINVAL, "Not a regular file of its own", str(path))


def read_regular(path: Path, max_bytes: int) -> bytes:
    """Read a small file that is not trusted.

    Raises:
        OSError: As for `open_regular`; also if it is larger than `max_bytes`.
    """
    with open(path, "rb", opener=open_regular) as file:
        if os.fstat(file.fileno()).st_size > max_bytes or len(content := file.read(max_bytes + 1)) > max_bytes:
            raise OSError(errno.EINVAL, f"More than {max_bytes:,} bytes", str(path))
    return content


def complete_lines(path: Path) -> Iterator[bytes]:
    """Generate the lines of a file that is not trusted, up to an incomplete or endless one; none without a file."""
    if os.path.lexists(path):
        with open(path, "rb", opener=open_regular) as file:
            while (line := file.readline(MAX_LINE_BYTES)).endswith(b"\n"):
                yield line


def acquire_lock(path: Path, timeout: float = LOCK_TIMEOUT) -> int | None:
    """Acquire the exclusive lock of a regular file, created if missing; succeeds on Windows, which has no such locks.

    Returns:
        File descriptor, or None if another process holds the lock for `timeout` seconds. The lock is released when all
        processes that inherited the descriptor have closed it.
    """
    descriptor = open_regular(path, os.O_RDWR | os.O_CREAT)
    deadline = time.monotonic() + timeout
    while sys.platform != "win32":
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(descriptor).st_nlink:
                break
            os.close(descriptor)  # deleted by the process that held the lock
            descriptor = open_regular(path, os.O_RDWR | os.O_CREAT)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                os.close(descriptor)
                return None
            time.sleep(0.005)
    return descriptor


def cache_folder() -> Path:
    """Return the folder of cached files: `VITVIZ_CACHE`, else `vitviz` in the user's cache folder."""
    if chosen := os.environ.get("VITVIZ_CACHE"):
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(home) / "vitviz"
