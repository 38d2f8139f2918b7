"""Class names: read from what a program or a file gives, found by name, and written so that each means one class."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Self

from vitviz.errors import CheckpointError, ConfigError
from vitviz.files import printable_name

MAX_BYTES = 16 * 2**20  # of a text file
NUM_NAMED = 10  # in an error
Labels = Iterable[str] | Mapping[int, str] | Mapping[str, str] | str | Path


class ClassName(str):
    """The name of a class that remembers which one it is, as several classes may have one name.

    Attributes:
        position: Of the class among the logits.
    """

    position: int

    def __new__(cls, name: str, position: int) -> Self:
        """Create the name of the class at a position."""
        found = super().__new__(cls, name)
        found.position = position
        return found


def read_labels(labels: Labels, count: int) -> tuple[str, ...]:
    """Return the names of the classes in the order of the logits.

    Args:
        labels: The names in order; a mapping from the index, a number or its digits, to the name; or a text file in
            UTF-8 with one name per line.
        count: Number of classes (K).

    Raises:
        CheckpointError: If they are not `count` names, or have no order.
    """
    if isinstance(labels, str | Path):
        names: list[object] = list(read_lines(Path(labels)))
    elif isinstance(labels, Mapping):
        by_index = {str(index): name for index, name in labels.items()}
        missing = [k for k in range(count) if str(k) not in by_index]
        if missing or len(labels) != count:
            got = f"{missing[0]} is missing" if missing else f"got {len(labels)} entries"
            raise invalid(f"must have the indices 0 to {count - 1} as keys: {got}", "Map each index to a name.")
        names = [by_index[str(k)] for k in range(count)]
    elif isinstance(labels, Set) or not isinstance(labels, Iterable):
        raise invalid(f"must be names in order: got a {type(labels).__name__}", "Use a list.")
    else:
        names = list(labels)
    if len(names) != count:
        raise invalid(f"must be {count} names, one per logit: got {len(names)}")
    for k, name in enumerate(names):
        if isinstance(name, bool) or not isinstance(name, str | int):
            raise invalid(f"must be texts: got {name!r:.40} for class {k}")
    return tuple(str(name).strip() for name in names)


def read_lines(path: Path) -> list[str]:
    """Return the lines of a text file in UTF-8, with or without byte order mark, without empty ones at its ends."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_BYTES:
            raise invalid(f"must be a text file of at most {MAX_BYTES // 2**20} MiB: {str(path)[:200]!r} is not one")
        return path.read_text(encoding="utf-8-sig").strip().split("\n")
    except (OSError, ValueError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise invalid(f"must be a text file in UTF-8 with one name per line: {path.name[:80]!r} is not one") from None


def invalid(problem: str, hint: str = "") -> CheckpointError:
    """Return the error for class names."""
    return CheckpointError(f"labels {problem}", hint, "labels")


def find_class(labels: Sequence[str], name: str) -> int | None:
    """Return the position of the class of a name; None if there is none.

    Raises:
        ConfigError: If several classes have it, unless it is the `ClassName` of one of them.
    """
    if isinstance(name, ClassName) and list(labels[name.position : name.position + 1]) == [name]:
        return name.position
    found = [k for k, label in enumerate(labels) if label == name]
    if len(found) > 1:
        places = ", ".join(map(str, found[:NUM_NAMED])) + (", ..." if len(found) > NUM_NAMED else "")
        raise ConfigError("target", f"must name one class: {str(name)!r:.40} is the name of {places}", "Use the index.")
    return found[0] if found else None


def distinct_names(labels: Sequence[str]) -> list[str]:
    """Return the names in printable characters, each once: that of several classes with its index.

    Example:
        >>> distinct_names(["crane", "cat", "crane"])
        ['crane (0)', 'cat', 'crane (2)']
    """
    names = [printable_name(label) for label in labels]
    counts = Counter(names)
    taken = {name for name in names if counts[name] == 1}
    found = []
    for k, name in enumerate(names):
        distinct = name if counts[name] == 1 else f"{name} ({k})"
        while counts[name] > 1 and distinct in taken:
            distinct += f" ({k})"
        taken.add(distinct)
        found.append(distinct)
    return found
