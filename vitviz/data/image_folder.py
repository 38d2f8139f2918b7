"""A folder or zip of labeled images -> preprocessed images, class names and a summary of used and skipped files.

The layout is that of torchvision's `ImageFolder`: one folder per class, or `train/` and `test/` (or `val/`, `Testing/`,
`seg_test/`, ...) with such folders inside. Every file passes `preprocess`. Without a test folder a fraction of each
class is held out, chosen by a hash of the file's path, so that the split is reproducible.
"""

import hashlib
import itertools
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from vitviz.data import preprocessing
from vitviz.data.archive import Archive
from vitviz.data.cifar import Split
from vitviz.data.image_cache import IGNORE, SPLITS, Preprocessed, Report, Source, preprocess_all
from vitviz.data.preprocessing import DEFAULT_RESIZE, ImageLike, Resize
from vitviz.errors import DataError, ImageError
from vitviz.files import printable_name

TEST_FRACTION = 0.2  # of each class, without a test folder
TRAIN_FOLDERS = ("train", "training")
TEST_FOLDERS = ("test", "testing", "val", "valid", "validation")  # in order of preference
SPLIT_AFFIXES = r"(?:seg|set|data|dataset|images|split)"  # "seg_train", "training_set", "test-images"
MAX_CLASSES = 1000
SUFFIXES = (
    ".png",
    ".jpg",
    ".jpeg",
    ".webp",
    ".gif",
    ".bmp",
    ".tif",
    ".tiff",
    ".heic",
    ".heif",
)  # counted as images before they are read
MAX_CLASS_NAME = 100  # characters
MAX_PIXELS = 500_000_000  # of all images of a zip, which take some seconds
PIXELS_PER_BYTE = 40  # or of a large one; photographs have about five
NO_TEST_FOLDER = (
    "It contains folders, but the test folder is missing: rename one to test, val, valid or validation, or use the "
    "train folder itself."
)


class Location(NamedTuple):
    """Split (None without split folders), class, and path relative to the folder of classes, the same in a zip."""

    split: Split | None
    class_name: str
    path: str


class SkippedFile(NamedTuple):
    """A file that is not used: printable name and reason."""

    name: str
    reason: str


@dataclass(frozen=True)
class FolderSummary:
    """Used and skipped files of an image folder."""

    counts: dict[str, tuple[int, int]]  # number of training and test images of each class folder
    skipped: list[SkippedFile]  # files that are not used
    auto_split: bool  # whether the test images were held out automatically
    images: Preprocessed

    @property
    def classes(self) -> tuple[str, ...]:
        """Classes with training images, in alphabetical order."""
        return tuple(sorted(class_name for class_name, (train, _) in self.counts.items() if train))

    def labels(self, names: Iterable[str], locations: Mapping[str, Location]) -> Tensor:
        """Return the labels of images, indices into the classes, (n,)."""
        label = {class_name: k for k, class_name in enumerate(self.classes)}
        return torch.tensor([label[locations[name].class_name] for name in names], dtype=torch.int64)


class FileList(NamedTuple):
    """Images of a folder, a zip or another dataset."""

    names: list[str]  # relative paths with slashes, without hidden files
    read: Callable[[str], ImageLike]  # returns a file's path or content
    skipped: list[SkippedFile]  # entries that must not be read
    max_pixels: float = math.inf  # of all images together
    kind: str = "folder"  # as in `Task`
    stamp: Callable[[str], tuple[int, ...]] = lambda name: ()  # returns numbers that change with a file


def load(
    data: str | Path | None, size: tuple[int, int], resize: Resize = DEFAULT_RESIZE, report: Report = IGNORE
) -> tuple[dict[Split, tuple[Tensor, Tensor]], FolderSummary]:
    """Load all labeled images.

    Args:
        data: A folder, or a zip of one.
        size: Height and width of the model's input (px).
        resize: Crop and filter with which the images get this size.
        report: As for `summarize`.

    Returns:
        For each split the images (n, 3, H, W) of uint8 and labels (n,), indices into the summary's classes, in a fixed
        random order; and the summary.

    Raises:
        DataError: If there are fewer than two classes with training images, or no test images.
    """
    locations, summary = read_all(data, size, resize, report)
    return label_splits(locations, summary, str(data)), summary


def label_splits(
    locations: Mapping[str, Location], summary: FolderSummary, data: str
) -> dict[Split, tuple[Tensor, Tensor]]:
    """Return images and labels of each split, of a dataset that can be trained on; see `load`."""
    check_summary(summary, data)
    splits = summary.images.splits.items()
    return {split: (images, summary.labels(names, locations)) for split, (images, names) in splits}


def summarize(data: str | Path | None, size: tuple[int, int], report: Report = IGNORE) -> FolderSummary:
    """Read all images and return the summary, also of a folder that `load` rejects.

    Args:
        data: As for `load`.
        size: As for `load`.
        report: Called with the number of files read and of all files; it may raise to stop.

    Raises:
        DataError: If the folder does not exist, its folders are not classes, or the zip is not accepted.
    """
    return read_all(data, size, report=report)[1]


def read_all(
    data: str | Path | None, size: tuple[int, int], resize: Resize = DEFAULT_RESIZE, report: Report = IGNORE
) -> tuple[dict[str, Location], FolderSummary]:
    """Preprocess all images; return the location of each readable one, with a split, and the summary."""
    if data is None:
        raise DataError(
            "data must be set for an image folder.", "Set it to a folder of one folder per class, or a zip of it."
        )
    with open_files(Path(data)) as files:
        locations, skipped = parse_locations(files.names)
        check_pixels(files, list(locations))
        return preprocess_files(files, locations, skipped, str(data), size, resize, report)


def preprocess_files(
    files: FileList,
    locations: dict[str, Location],
    skipped: list[SkippedFile],
    source: str,
    size: tuple[int, int],
    resize: Resize,
    report: Report,
) -> tuple[dict[str, Location], FolderSummary]:
    """Preprocess the images with a location, as `read_all`; `source` is the `location` of `Task`."""
    arrange = lambda names: split_names({name: locations[name] for name in names})  # noqa: E731
    likely = arrange([name for name in locations if name.lower().endswith(SUFFIXES)] or list(locations))
    order = dict.fromkeys([*itertools.chain(*likely.values()), *locations])
    stamps = {name: files.stamp(name) for name in order}
    expected = Source(files.kind, source, stamps, sum(map(len, likely.values())))
    images = preprocess_all(expected, size, resize, arrange, report)
    skipped += [SkippedFile(name, reason) for name, reason in images.skipped.items()]
    skipped = [SkippedFile(printable_name(name), reason) for name, reason in sorted(skipped + files.skipped)]
    assigned = assign_splits({name: place for name, place in locations.items() if name not in images.skipped})
    tally = Counter((location.class_name, location.split) for location in assigned.values())
    class_names = sorted({location.class_name for location in locations.values()})
    counts = {name: (tally[name, "train"], tally[name, "test"]) for name in class_names}
    auto_split = any(location.split is None for location in locations.values())
    return assigned, FolderSummary(counts, skipped, auto_split, images)


def check_pixels(files: FileList, names: list[str]) -> None:
    """Check the pixels that the headers of all images together declare, before any is decoded."""
    if files.max_pixels == math.inf:
        return
    pixels = 0
    for name in names:
        with suppress(ImageError):  # reported when it is read
            pixels += preprocessing.count_pixels(files.read(name))
        if pixels > files.max_pixels:
            raise DataError(
                f"The images of a zip of this size may have at most {files.max_pixels / 1e6:,.0f} million pixels "
                "together: these have more.",
                "Resize them, or use an unpacked folder.",
            )


@contextmanager
def open_images(path: Path, output: Path | None = None) -> Iterator[FileList]:
    """Open the images of a folder or zip, in any layout, in alphabetical order, without those below `output`.

    Files without the ending of an image are left out.

    Raises:
        DataError: If there is no image, or the zip is not accepted.
    """
    with open_files(path) as files:
        names = sorted(name for name in files.names if name.lower().endswith(SUFFIXES))
        if output is not None and (folder := output.resolve()).is_relative_to(path.resolve()):
            written = f"{folder.relative_to(path.resolve()).as_posix()}/"
            names = [name for name in names if not name.startswith(written)]
        if not names:
            raise DataError(
                f"A folder of images must have files that end in {', '.join(SUFFIXES)}: {str(path)[:200]!r} has none."
            )
        check_pixels(files, names)
        yield files._replace(names=names)


@contextmanager
def open_files(path: Path) -> Iterator[FileList]:
    """Open a folder or a zip."""
    if os.path.isdir(path):  # unlike `Path.is_dir`, False for every invalid path
        names, skipped = walk_folder(path)
        yield FileList(names, lambda name: path / name, skipped, stamp=lambda name: file_stamp(path / name))
    elif os.path.isfile(path):
        archive = Archive(path)
        with archive.zip:
            names = [name for name in archive.files if not is_hidden(name)]
            zip_stamp = file_stamp(path)
            max_pixels = max(MAX_PIXELS, PIXELS_PER_BYTE * zip_stamp[0])
            yield FileList(names, archive.read, [], max_pixels, "zip", lambda name: zip_stamp)
    else:
        raise DataError(f"The dataset must be an image folder or a zip file: {str(path)[:200]!r} does not exist.")


def is_hidden(name: str) -> bool:
    """Whether a file or one of its folders is hidden, or is metadata that macOS adds to a zip."""
    return any(part.startswith(".") or part == "__MACOSX" for part in name.split("/"))


def file_stamp(path: Path) -> tuple[int, ...]:
    """Return size and times of a file, which change with its content; that of the inode also where others are kept."""
    try:
        status = path.stat()
    except OSError:  # reported when it is read
        return ()
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


def walk_folder(root: Path) -> tuple[list[str], list[SkippedFile]]:
    """List all files below a folder, without following links, which may point anywhere; and what must not be read."""
    names: list[str] = []
    skipped: list[SkippedFile] = []

    def skip_unreadable(error: OSError) -> None:
        skipped.append(SkippedFile(os.path.relpath(error.filename, root), f"Cannot be opened: {error.strerror}."))

    for folder, folders, files in os.walk(root, onerror=skip_unreadable):
        relative = Path(folder).relative_to(root)
        folders[:] = [entry for entry in folders if not is_hidden(entry)]
        if not folders and not files and relative != Path():
            skipped.append(SkippedFile(relative.as_posix(), "The folder is empty."))
        visible = [entry for entry in files if not is_hidden(entry)]
        links = {entry for entry in (*folders, *visible) if (root / relative / entry).is_symlink()}
        reason = "Symbolic links are not followed: copy the images themselves."
        skipped += [SkippedFile((relative / entry).as_posix(), reason) for entry in sorted(links)]
        names += [(relative / entry).as_posix() for entry in visible if entry not in links]
    return names, skipped


def parse_locations(names: list[str]) -> tuple[dict[str, Location], list[SkippedFile]]:
    """Determine the split and class of each file; skip files outside any class.

    Example:
        >>> parse_locations(["pets/cat/a.png", "pets/dog/old/b.png"])[0]["pets/dog/old/b.png"]
        Location(split=None, class_name='dog', path='dog/old/b.png')
    """
    paths = strip_common_folder({name: tuple(name.split("/")) for name in names})
    splits = find_splits([path for path in paths.values() if len(path) > 1])
    if len(splits) == 1:
        return {}, [SkippedFile(next(iter(splits)), NO_TEST_FOLDER)]
    if not splits:
        check_classes(paths.values())
    for top in splits:  # as in seg_train/seg_train/cat
        below = {name: path[1:] for name, path in paths.items() if path[0].casefold() == top and len(path) > 1}
        inside = {path[0].casefold() for path in below.values()}
        if len(inside) == 1 and splits.get(inside.pop()) == splits[top]:
            paths |= {name: (top, *path[1:]) for name, path in below.items()}
    found: dict[str, Location] = {}
    skipped: list[SkippedFile] = []
    for name, path in paths.items():
        split = splits.get(path[0].casefold())
        inner = path[1:] if splits else path
        if splits and split is None:
            skipped.append(SkippedFile(name, f"Not in {' or '.join(splits)}."))
        elif len(inner) < 2:
            skipped.append(SkippedFile(name, "Not in a class folder."))
        elif len(inner[0]) > MAX_CLASS_NAME or not inner[0].isprintable():
            reason = f"A class name must have at most {MAX_CLASS_NAME} printable characters."
            skipped.append(SkippedFile(name, reason))
        else:
            found[name] = Location(split, inner[0], "/".join(inner))
    train_class_names = {location.class_name for location in found.values() if location.split != "test"}
    extra = [name for name, location in found.items() if location.class_name not in train_class_names]
    skipped += [SkippedFile(name, "Its class has no training images.") for name in extra]
    return {name: location for name, location in found.items() if location.class_name in train_class_names}, skipped


def find_splits(paths: list[tuple[str, ...]]) -> dict[str, Split]:
    """Return the split of each top folder, by lower-case name; {} if the top folders are classes.

    A train folder that contains only folders, without a test folder next to it, is returned alone.
    """
    tops, deep = ({path[0].casefold() for path in paths if len(path) > length} for length in (1, 2))
    flat = {path[0].casefold() for path in paths if len(path) == 2}
    words = {top: split_word(top) for top in tops}
    rank = lambda top: (top not in deep, (*TRAIN_FOLDERS, *TEST_FOLDERS).index(words[top]), top)  # noqa: E731
    trains = sorted((top for top in tops if words[top] in TRAIN_FOLDERS), key=rank)
    tests = sorted((top for top in tops if words[top] in TEST_FOLDERS), key=rank)  # first one with classes
    if trains and tests:
        return {trains[0]: "train", tests[0]: "test"}
    return {trains[0]: "train"} if trains and trains[0] in deep - flat else {}


def split_word(folder: str) -> str:
    """Return the name of a split without the words around it.

    Example:
        >>> [split_word(name) for name in ("seg_train", "training_set", "test-images", "trainer")]
        ['train', 'training', 'test', 'trainer']
    """
    return re.sub(rf"^{SPLIT_AFFIXES}[ _-]|[ _-]{SPLIT_AFFIXES}$", "", folder)


def check_classes(paths: Iterable[tuple[str, ...]]) -> None:
    """Refuse top folders that all have the same two or more folders: those are the classes."""
    folders: dict[str, set[str]] = {}
    for path in paths:
        if len(path) > 1:
            folders.setdefault(path[0], set()).update(path[1:2] if len(path) > 2 else ())
    inner = next(iter(folders.values()), set())
    if len(folders) > 1 and len(inner) > 1 and all(found == inner for found in folders.values()):
        tops, classes = (", ".join(sorted(map(printable_name, names))[:5])[:80] for names in (folders, inner))
        raise DataError(
            f"The top folders of an image folder must be classes, or train and test: {tops} all contain {classes}.",
            "Rename them to train and test, or use one of them.",
        )


def strip_common_folder(paths: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Remove the single folders around all others, common in zips, from the paths."""
    stripped = paths
    while True:
        tops = {path[0] for path in stripped.values() if len(path) > 1}
        inner = {path[1] for path in stripped.values() if len(path) > 2}
        if len(tops) != 1 or not inner:
            return paths
        stripped = {name: path[1:] or path for name, path in stripped.items()}  # a file next to it keeps its path
        if len(inner) > 1:
            return stripped


def hash_path(location: Location) -> bytes:
    """Return the SHA-256 of a path, a sort key that is the same on every system."""
    return hashlib.sha256(location.path.encode("utf-8", "surrogateescape")).digest()


def assign_splits(locations: dict[str, Location]) -> dict[str, Location]:
    """Return the locations with a split; without split folders, hold out `TEST_FRACTION` of each class.

    At least one image of a class with two or more is held out.
    """
    assigned = dict(locations)
    by_class_name: dict[str, list[str]] = {}
    for name, location in locations.items():
        if location.split is None:
            by_class_name.setdefault(location.class_name, []).append(name)
    for members in by_class_name.values():
        names = sorted(members, key=lambda name: hash_path(locations[name]))
        count = max(1, round(TEST_FRACTION * len(names))) if len(names) > 1 else 0
        for position, name in enumerate(names):
            assigned[name] = locations[name]._replace(split="test" if position < count else "train")
    return assigned


def split_names(locations: dict[str, Location]) -> dict[Split, list[str]]:
    """Return the names of each split in a fixed random order, of the classes that have training images."""
    assigned = assign_splits(locations)
    classes = {location.class_name for location in assigned.values() if location.split == "train"}
    order = sorted(assigned, key=lambda name: hash_path(locations[name]))
    kept = [name for name in order if assigned[name].class_name in classes]
    return {split: [name for name in kept if assigned[name].split == split] for split in SPLITS}


def check_num_classes(summary: FolderSummary, data: str) -> None:
    """Check that there are two or more classes with training images."""
    where, classes, hint = repr(data[:200]), summary.classes, first_skipped(summary)
    if not classes:
        raise DataError(f"A dataset needs classes, in an image folder one folder each: {where} has none.", hint)
    if len(classes) == 1:
        raise DataError(
            f"A dataset needs at least two classes: {where} has one, {classes[0]!r}.",
            f"Add a second class. {hint}",
        )
    if len(classes) > MAX_CLASSES:
        raise DataError(f"A dataset may have at most {MAX_CLASSES} classes: {where} has {len(classes)}.")


def check_summary(summary: FolderSummary, data: str) -> None:
    """Check that there are two or more classes with training images, and test images."""
    check_num_classes(summary, data)
    where, classes, hint = repr(data[:200]), summary.classes, first_skipped(summary)
    if not any(summary.counts[class_name][1] for class_name in classes):
        if summary.auto_split:
            raise DataError(
                f"A dataset needs test images: {where} has one image per class.", "Add a second image to a class."
            )
        raise DataError(f"A dataset needs test images: {where} has none next to train.", hint)


def first_skipped(summary: FolderSummary) -> str:
    """Return a hint to the first file that is not used; empty without any."""
    if not summary.skipped:
        return ""
    name, reason = summary.skipped[0]
    return f"First skipped file: {name[:80]!r}. {reason}"
