"""What an entry of the hostile corpus is."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["image", "checkpoint", "run", "text"]
Making = bytes | str | Callable[[Path], None]


@dataclass(frozen=True)
class Entry:
    """One thing that a stranger, or an accident, may hand to vitviz.

    Attributes:
        kind: Which gate it is meant for.
        name: What it is, unique within its kind.
        made: Its bytes, its text, or a function that puts it at a path.
        refused: What the sentence of the refusal must contain, a regular expression; None if it must be accepted.
        file: Its file's name.
        big: Whether making or reading it takes long, so that only the slow tests do.
        live: Whether it runs code where files are unpickled.
    """

    kind: Kind
    name: str
    made: Making
    refused: str | None
    file: str = "file"
    big: bool = False
    live: bool = False

    def place(self, folder: Path) -> Path:
        """Put it into a folder of its own, and return where it is."""
        path = folder / self.file
        if callable(self.made):
            self.made(path)
        else:
            path.write_bytes(self.made.encode() if isinstance(self.made, str) else self.made)
        return path
