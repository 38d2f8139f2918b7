"""A folder of labelled images, or a zip of one -> tensors, class names, and a table of what was taken.

The layout is torchvision's `ImageFolder`: one folder for each class; or `train/` and `test/` (or `val/`) with such
folders in them, and nothing beside these is taken. Every file goes through the gate for images and is fitted to the
model's size. Where there is nothing to test on, a share of each class is put aside: by the names alone, so it is the
same each time and everywhere.
"""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from vitviz.data import preprocessing
from vitviz.data.archive import Archive
from vitviz.data.cifar import DataError, Split
from vitviz.data.files import in_text
from vitviz.data.preprocessing import ImageError

TEST_SHARE = 0.2  # of each class, where there is no folder to test on
TESTS = ("test", "val", "valid", "validation")  # the first that is there is measured on
MOST_FILES = 100_000
MOST_CLASSES = 1000
MOST_MEMORY = 2 * 2**30  # bytes of all images as the model sees them
SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp")  # of files that are counted before they are read
LONGEST_NAME = 100  # characters of a class's name
NO_TEST = (
    "It holds folders, and there is none to test on beside it: name that test, val, valid or validation, or choose "
    "train itself."
)


class Place(NamedTuple):
    """Where a file stands in the layout: in which split, None where there are none, in which class's folder, and how.

    The path is that within the folder of classes, so that a folder and a zip of it are divided alike.
    """

    split: Split | None
    label: str
    path: str


class Refused(NamedTuple):
    """A file that was not taken, by its name in text, and why."""

    name: str
    why: str


@dataclass(frozen=True)
class Table:
    """What was taken of a folder of images, and what was not.

    Attributes:
        counts: For each class's folder, how many images are trained on and how many tested on; a class without any to
            train on is left out of the classes.
        refused: Files that were not taken, and why.
        divided: Whether the images to test on were put aside by us.
    """

    counts: dict[str, tuple[int, int]]
    refused: list[Refused]
    divided: bool

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes to learn, in alphabetical order."""
        return tuple(sorted(label for label, (train, _) in self.counts.items() if train))


@dataclass(frozen=True)
class Source:
    """Files by name, folders before it, divided by slashes.

    Attributes:
        names: Of all files, hidden ones left out.
        fetch: Lends one of them as long as it is read.
        refused: What was met on the way and may not be read.
    """

    names: list[str]
    fetch: Callable[[str], AbstractContextManager[Path]]
    refused: list[Refused]


def load(data: str | Path | None, size: tuple[int, int]) -> tuple[dict[Split, tuple[Tensor, Tensor]], Table]:
    """Load all labelled images.

    Args:
        data: A folder, or a zip of one.
        size: Height and width (px) to fit them to.

    Returns:
        For each split images (n, 3, H, W) of uint8 and labels (n,), positions in the table's classes, shuffled once
        for all; and the table.

    Raises:
        DataError: If there are not at least two classes, with an image to train on each, and one to test on.
    """
    taken, places, table = read_all(data, size)
    check_table(table, str(data))
    splits = divided({name: places[name] for name in taken})
    return {split: gathered(split, taken, places, splits, table.classes) for split in ("train", "test")}, table


def survey(data: str | Path | None, size: tuple[int, int]) -> Table:
    """What would be taken, by reading it all; also where `load` refuses, so that people can see why.

    Raises:
        DataError: If there is no such folder, or it is a zip that may not be opened.
    """
    return read_all(data, size)[2]


def read_all(data: str | Path | None, size: tuple[int, int]) -> tuple[dict[str, Tensor], dict[str, Place], Table]:
    """Every image that can be read, (3, H, W) of uint8, by name; the places of all files; and the table."""
    if data is None:
        raise DataError(
            "Images of your own need a place: --data must be a folder with one folder of images for each class, or "
            "a zip of one."
        )
    with opened(Path(data)) as source:
        places, refused = arranged(source.names)
        check_memory(sum(name.lower().endswith(SUFFIXES) for name in places), size)
        taken: dict[str, Tensor] = {}
        for name in sorted(places, key=lambda name: draw(places[name])):
            check_memory(len(taken) + 1, size)
            try:
                with source.fetch(name) as path:
                    taken[name] = preprocessing.to_tensor(preprocessing.prepare(path, size).seen)
            except ImageError as error:
                refused.append(Refused(name, without_name(error)))
    splits = divided({name: places[name] for name in taken})
    told = [Refused(in_text(name), why) for name, why in sorted(refused + source.refused)]
    return taken, places, tabulated(places, splits, told)


def without_name(error: ImageError) -> str:
    """A refusal that stands beside the file's name: equal for equal reasons."""
    return re.sub(r"(?<=: )(['\"]).*\1(?= (cannot|is))", "it", str(error))


@contextmanager
def opened(path: Path) -> Iterator[Source]:
    """The files of a folder or of a zip."""
    try:
        is_folder, is_file = path.is_dir(), path.is_file()
    except (OSError, ValueError):
        is_folder = is_file = False
    if is_folder:
        yield walked(path)
    elif is_file:
        archive = Archive(path)
        with archive.zip:
            yield Source([name for name in archive.names() if not hidden(name)], archive.fetch, [])
    else:
        raise DataError(f"There is no folder of images and no zip at {str(path)[:200]!r}. Check the name.")


def hidden(name: str) -> bool:
    """Whether a file or one of its folders is hidden, or is what macOS adds to a zip."""
    return any(part.startswith(".") or part == "__MACOSX" for part in name.split("/"))


def walked(root: Path) -> Source:
    """All files below a folder; links are not followed, for they may lead anywhere."""
    names: list[str] = []
    refused: list[Refused] = []

    def unreadable(error: OSError) -> None:
        refused.append(Refused(os.path.relpath(error.filename, root), f"It cannot be opened: {error.strerror}."))

    for folder, folders, files in os.walk(root, onerror=unreadable):
        place = Path(folder).relative_to(root)
        folders[:] = [entry for entry in folders if not hidden(entry)]
        if not folders and not files and place != Path():
            refused.append(Refused(place.as_posix(), "It is an empty folder."))
        seen = [entry for entry in files if not hidden(entry)]
        links = {entry for entry in (*folders, *seen) if (root / place / entry).is_symlink()}
        why = "Links are not followed: put the images themselves there."
        refused += [Refused((place / entry).as_posix(), why) for entry in sorted(links)]
        names += [(place / entry).as_posix() for entry in seen if entry not in links]
        if len(names) > MOST_FILES:
            raise DataError(
                f"A data set may have at most {MOST_FILES:,} files: {root} has more. Name a smaller folder."
            )

    @contextmanager
    def fetch(name: str) -> Iterator[Path]:
        yield root / name

    return Source(names, fetch, refused)


def arranged(names: list[str]) -> tuple[dict[str, Place], list[Refused]]:
    """Say for each file in which split and class it stands; files that stand in none are refused.

    Example:
        >>> arranged(["pets/cat/a.png", "pets/dog/old/b.png"])[0]["pets/dog/old/b.png"]
        Place(split=None, label='dog', path='dog/old/b.png')
    """
    parts = unwrapped({name: tuple(name.split("/")) for name in names})
    splits = splits_of([path for path in parts.values() if len(path) > 1])
    if len(splits) == 1:
        return {}, [Refused("train", NO_TEST)]
    found: dict[str, Place] = {}
    refused: list[Refused] = []
    for name, path in parts.items():
        split = splits.get(path[0].casefold())
        inner = path[1:] if splits else path
        beside = f"It lies in neither {' nor '.join(splits)}." if splits and split is None else ""
        if why := misplaced(inner, beside):
            refused.append(Refused(name, why))
        else:
            found[name] = Place(split, inner[0], "/".join(inner))
    known = {place.label for place in found.values() if place.split != "test"}
    strangers = [name for name, place in found.items() if place.label not in known]
    refused += [Refused(name, "Its class is not among those to train on.") for name in strangers]
    return {name: place for name, place in found.items() if place.label in known}, refused


def splits_of(paths: list[tuple[str, ...]]) -> dict[str, Split]:
    """The folders, in small letters, that are splits and no classes; train alone is one if it holds folders only."""
    tops, deep = ({path[0].casefold() for path in paths if len(path) > least} for least in (1, 2))
    flat = {path[0].casefold() for path in paths if len(path) == 2}
    tests = sorted((test for test in TESTS if test in tops), key=lambda test: test not in deep)  # one with classes
    if "train" in tops and tests:
        return {"train": "train", tests[0]: "test"}
    return {"train": "train"} if "train" in deep - flat else {}


def unwrapped(parts: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Paths without the one folder that holds all others, as zips often have it."""
    tops = {path[0] for path in parts.values() if len(path) > 1}
    inner = {path[1] for path in parts.values() if len(path) > 2}
    if len(tops) != 1 or len(inner) < 2:
        return parts
    return {name: path[1:] or path for name, path in parts.items()}  # a file beside that folder stays where it is


def misplaced(path: tuple[str, ...], why: str) -> str:
    """Why a file is not taken that stands at this path below its split: the reason that is known, or another."""
    if why or len(path) < 2:
        return why or "It lies in no class's folder."
    if len(path[0]) > LONGEST_NAME or not path[0].isprintable():
        return f"A class's name must be at most {LONGEST_NAME} characters that can be printed."
    return ""


def draw(place: Place) -> bytes:
    """What orders files: a number drawn from the path, the same everywhere."""
    return hashlib.sha256(place.path.encode("utf-8", "surrogateescape")).digest()


def divided(places: dict[str, Place]) -> dict[str, Split]:
    """The split of each file; where there are none, `TEST_SHARE` of each class is for testing, at least one of two."""
    found: dict[str, Split] = {name: place.split for name, place in places.items() if place.split is not None}
    together: dict[str, list[str]] = {}
    for name, place in places.items():
        if place.split is None:
            together.setdefault(place.label, []).append(name)
    for members in together.values():
        names = sorted(members, key=lambda name: draw(places[name]))
        count = max(1, round(TEST_SHARE * len(names))) if len(names) > 1 else 0
        found |= {name: "test" if position < count else "train" for position, name in enumerate(names)}
    return found


def tabulated(places: dict[str, Place], splits: dict[str, Split], refused: list[Refused]) -> Table:
    """Count what was taken."""
    tally = Counter((places[name].label, split) for name, split in splits.items())
    labels = sorted({place.label for place in places.values()})
    counts = {label: (tally[label, "train"], tally[label, "test"]) for label in labels}
    return Table(counts, refused, any(place.split is None for place in places.values()))


def check_memory(count: int, size: tuple[int, int]) -> None:
    """Refuse more images than fit into memory at the model's size (height, width)."""
    needed = 3 * count * size[0] * size[1]
    if needed > MOST_MEMORY:
        raise DataError(
            f"All images together may fill at most {MOST_MEMORY // 2**30} GiB: {count:,} of {size[0]} x {size[1]} "
            f"pixels fill {needed / 2**30:.1f}. Use fewer, or a smaller model.img_size."
        )


def check_table(table: Table, where: str) -> None:
    """Refuse what nothing can be learned from, or measured on."""
    where, classes = repr(where[:200]), table.classes
    first = f" The first that was not: {table.refused[0].name[:80]!r}. {table.refused[0].why}" if table.refused else ""
    if not classes:
        raise DataError(f"A data set needs one folder of images for each class: none was taken of {where}.{first}")
    if len(classes) == 1:
        raise DataError(
            f"A data set needs at least two classes with images: {where} has one, {classes[0]!r}. Put a folder of "
            f"other images beside it.{first}"
        )
    if len(classes) > MOST_CLASSES:
        raise DataError(
            f"A data set may have at most {MOST_CLASSES} classes: {where} has {len(classes)}. Leave some out."
        )
    if not any(table.counts[label][1] for label in classes):
        why = "has one image of each class. Add a second." if table.divided else f"has none beside train.{first}"
        raise DataError(f"A data set needs images to test on: {where} {why}")


def gathered(
    split: Split,
    taken: dict[str, Tensor],
    places: dict[str, Place],
    splits: dict[str, Split],
    classes: tuple[str, ...],
) -> tuple[Tensor, Tensor]:
    """The images (n, 3, H, W) and labels (n,) of a split, in the order in which they were taken, and out of those."""
    numbers = {label: k for k, label in enumerate(classes)}
    names = [name for name in taken if splits[name] == split and places[name].label in numbers]
    labels = torch.tensor([numbers[places[name].label] for name in names])
    images = torch.empty(len(names), *taken[names[0]].shape, dtype=torch.uint8)
    for place, name in zip(images, names, strict=True):
        place.copy_(taken.pop(name))  # so that all are in memory once
    return images, labels
