"""Datasets of the library `datasets`: on the Hugging Face Hub, and in folders that it reads or has saved.

"hf:OWNER/NAME", also with @REVISION, or "hf:FOLDER"; ?image=COLUMN&label=COLUMN&config=NAME chooses among several. The
columns are those of the features `Image` and `ClassLabel`. The splits are train and the first of test, validation and
others that has labels; without one a fifth of each class is held out, as of an image folder.
"""

import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any
from urllib.parse import parse_qsl

from vitviz.data.cifar import Split
from vitviz.data.image_cache import Report
from vitviz.data.image_folder import (
    MAX_CLASS_NAME,
    TEST_FOLDERS,
    FileList,
    FolderSummary,
    Location,
    file_stamp,
    preprocess_files,
)
from vitviz.data.preprocess_worker import read_arrow
from vitviz.data.preprocessing import Resize
from vitviz.errors import DataError
from vitviz.files import printable_name

PREFIX = "hf:"
PARAMETERS = ("image", "label", "config")
LABEL_NAMES = ("label", "labels", "class")  # of columns of integers or strings
SAVED = ("state.json", "dataset_dict.json")  # files of `save_to_disk`


def public_name(name: str) -> str:
    """Return the name of a dataset without local paths."""
    path = name.removeprefix(PREFIX).partition("?")[0]
    return f"{PREFIX}{Path(path).name}" if name.startswith(PREFIX) and os.path.isdir(path) else name


def read_all(
    name: str, size: tuple[int, int], resize: Resize, report: Report
) -> tuple[dict[str, Location], FolderSummary]:
    """Preprocess all images, as `image_folder.read_all`.

    Raises:
        DataError: If the dataset cannot be loaded, or has no images or no labels.
    """
    path, _, query = name.removeprefix(PREFIX).partition("?")
    chosen = dict(parse_qsl(query, keep_blank_values=True))
    if unknown := sorted(chosen.keys() - set(PARAMETERS)):
        raise DataError(f"After ? a dataset has {', '.join(PARAMETERS)}: got {unknown[0]!r:.80}.")
    splits = load_splits(path, chosen.get("config"))
    features = next(iter(splits.values())).features
    image = choose_column("image", features, columns_of(features, "Image"), chosen)
    named = [column for column in features if column in LABEL_NAMES]
    label = choose_column("label", features, columns_of(features, "ClassLabel") or named, chosen)
    classes = {key: read_classes(split, label) for key, split in splits.items()}
    train = "train" if "train" in splits else next(iter(splits))
    test = next((key for key in TEST_FOLDERS if key != train and any(classes.get(key, ()))), None)
    used: dict[str, Split | None] = {train: "train", test: "test"} if test else {train: None}
    files = {key: [file["filename"] for file in splits[key].cache_files] for key in used}
    locations, stamps = {}, {}
    for key, split in used.items():
        own = zlib.crc32(repr([file_stamp(Path(file)) for file in files[key]]).encode())
        rows = zip(classes[key], image_paths(splits[key].data.column(image)), strict=True)
        for row, (class_name, file) in enumerate(rows):
            if class_name:
                locations[f"{key}/{row}"] = Location(split, class_name, f"{key}/{row}")
                stamps[f"{key}/{row}"] = (own, *(file_stamp(Path(file)) if file else ()))
    source = json.dumps([image, files])
    with read_arrow(source) as read:
        listed = FileList(list(locations), read, [], kind="arrow", stamp=stamps.__getitem__)
        return preprocess_files(listed, locations, [], source, size, resize, report)


def image_paths(column: Any) -> Iterator[str | None]:
    """Generate the path of each image of a column that has no bytes of its own."""
    for chunk in column.chunks:
        has_bytes, paths = chunk.field("bytes").is_valid().to_pylist(), chunk.field("path").to_pylist()
        yield from (None if inside else path for inside, path in zip(has_bytes, paths, strict=True))


def load_splits(path: str, config: str | None) -> Mapping[str, Any]:
    """Return the splits of a dataset on the Hub, or in a folder.

    Raises:
        DataError: If the library is missing, or cannot load it.
    """
    try:
        from datasets import Dataset, load_dataset, load_from_disk
    except ImportError:
        problem = f"The library `datasets` must be installed to load {PREFIX}{path}."
        raise DataError(problem, 'Run: pip install "vitviz[datasets]".') from None
    repository, _, revision = (path, "", "") if os.path.isdir(path) else path.partition("@")
    try:
        if any(os.path.isfile(os.path.join(path, file)) for file in SAVED):
            loaded = load_from_disk(path, keep_in_memory=False)
        else:
            loaded = load_dataset(repository, config, revision=revision or None)
    except Exception as error:  # of files, formats and the network
        reason = shorten(f"{type(error).__name__}: {error}", 300, placeholder=" ...")
        raise DataError(
            f"The library `datasets` must be able to load {path[:200]}: {reason.rstrip('.')}.",
            "Check the name and the connection; ?config=NAME chooses one of several configurations.",
        ) from error
    return {"train": loaded} if isinstance(loaded, Dataset) else loaded


def columns_of(features: Mapping[str, Any], kind: str) -> list[str]:
    """Return the columns whose feature is of a class of `datasets`."""
    return [column for column, feature in features.items() if type(feature).__name__ == kind]


def choose_column(what: str, features: Mapping[str, Any], found: Sequence[str], chosen: Mapping[str, str]) -> str:
    """Return the chosen column, or the only one that was found.

    Raises:
        DataError: If it does not exist, or there is none or more than one.
    """
    columns = ", ".join(found or features)[:200]
    if what in chosen:
        if chosen[what] not in (features if what == "label" else found):
            raise DataError(f"The {what} column must be one of {columns}: got {chosen[what]!r:.80}.")
        return chosen[what]
    if len(found) == 1:
        return found[0]
    if found:
        raise DataError(f"The {what} column must be chosen, as there are several: {columns}.", f"Add ?{what}=COLUMN.")
    kind = "the feature Image" if what == "image" else "the feature ClassLabel, or be named label"
    hint = f"Add ?{what}=COLUMN if one of them is." if what == "label" else ""
    raise DataError(f"A dataset needs a column of {what}s, which must have {kind}: it has {columns}.", hint)


def read_classes(split: Any, column: str) -> list[str]:
    """Return the class name of each row; empty without a label, which is None or -1."""
    values, names = split.data.column(column).to_pylist(), getattr(split.features[column], "names", None)
    if names is not None:
        values = [names[value] if value is not None and value >= 0 else None for value in values]
    return ["" if value is None else printable_name(str(value))[:MAX_CLASS_NAME] for value in values]
