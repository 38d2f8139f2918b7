"""Entries of the hostile corpus."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["image", "checkpoint", "run", "text"]
Content = bytes | str | Callable[[Path], None]


@dataclass(frozen=True)
class Entry:
    """One malformed or unusual input.

    Attributes:
        kind: The loader that it is meant for.
        name: Description, unique within its kind.
        content: Bytes, text, or a function that writes the file to a path.
        error: Regular expression that the error message must match; None if the input must be accepted.
        file: File name.
        big: Whether creating or reading it takes long, so that no everyday test does.
        live: Whether it executes code when it is unpickled.
    """

    kind: Kind
    name: str
    content: Content
    error: str | None
    file: str = "file"
    big: bool = False
    live: bool = False

    def write(self, folder: Path) -> Path:
        """Write the entry into a new folder and return its path."""
        path = folder / self.file
        if callable(self.content):
            self.content(path)
        else:
            path.write_bytes(self.content.encode() if isinstance(self.content, str) else self.content)
        return path
