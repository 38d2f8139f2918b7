"""Files that are whole or not there, and that are files at all; and their names."""

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
    """Write a file that is either whole or not there: temporary name, fsync, rename, fsync of the folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        start = path.name[:48]  # so that the longer name fits into 255 bytes as well
        handle, temporary = tempfile.mkstemp(prefix=f".{start}.", suffix=".tmp", dir=path.parent)
    except OSError as error:
        error.filename = str(path)  # a name that somebody gave
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
            error.filename = str(path)  # a full disk names none, and nobody knows of the other
        raise
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def end_of_link(path: Path) -> Path:
    """Where to write what somebody gave a name: a link stays, and what it leads to is replaced."""
    return Path(os.path.realpath(path))


def write_whole(path: Path, content: bytes) -> None:
    """Write a whole file, as `atomic_write` does."""
    with atomic_write(path) as file:
        file.write(content)


def in_text(name: str) -> str:
    """A file's name as text can be sent and shown: what is no UTF-8, or controls a terminal, becomes a ?."""
    return "".join("?" if unicodedata.category(letter) in ("Cc", "Cs") else letter for letter in name)


def is_file(path: Path) -> bool:
    """Whether this is a plain file; opening a pipe would wait for ever, and a link may lead anywhere."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False
