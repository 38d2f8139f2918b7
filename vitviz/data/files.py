"""Atomic file writing, and checks of files and their names."""

import os
import stat
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


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


def complete_lines(path: Path) -> list[bytes]:
    """Return the lines of a file except an incomplete last one, as left by a killed process; none without a file."""
    lines = path.read_bytes().splitlines(keepends=True) if is_regular_file(path) else []
    return [line for line in lines if line.endswith(b"\n")]
