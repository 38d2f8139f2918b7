"""Datasets for trainings: CIFAR, its download, and image folders.

Image folders are folders and zips in the data folder; uploaded zips are stored there, too. No other path is accepted.
"""

import itertools
import os
import re
import tempfile
import threading
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from vitviz.data import datasets, image_folder
from vitviz.data.archive import Archive
from vitviz.data.cifar import data_root
from vitviz.data.download import Download
from vitviz.data.encoding import data_url
from vitviz.data.image_cache import Report
from vitviz.errors import DataError
from vitviz.files import atomic_write, printable_name
from vitviz.webapp.schemas.data import Download as DownloadState
from vitviz.webapp.schemas.runs import DataInfo, SurveyReply

RESERVED = re.compile(r"cifar-10|\.", re.IGNORECASE)  # start of names in the data folder that are not image folders
UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
SIZE = (32, 32)  # at which uploaded images are checked
MAX_LISTED = 50
MAX_SKIPPED = 100  # skipped files listed in a response


class Counts(NamedTuple):
    """Number of training images, test images and classes."""

    train: int
    test: int
    classes: int


class DataSets:
    """The datasets of the folder `data`, as for `vitviz.data.cifar.find`."""

    def __init__(self, data: str | None = None) -> None:
        self.data = data
        self.root = data_root(data)
        self.download = Download(data)
        self.lock = threading.Lock()  # two uploads may have the same name
        self.uploaded: set[str] = set()
        self.counts: dict[str, Counts] = {}  # of surveyed image folders

    def state(self) -> DataInfo:
        """Return which datasets are `available`, the listed `image_folders`, and the state of the `download`."""
        folders = sorted(self.image_folders(), key=lambda name: name not in self.uploaded)  # own uploads first
        return DataInfo(
            available={name: datasets.is_available(name, self.data) for name in datasets.DATASET_INFO},
            image_folders=folders[:MAX_LISTED],
            download=DownloadState(**asdict(self.download.state())),
        )

    def image_folders(self) -> list[str]:
        """Return the names of folders and zips that may contain images; names that are not valid UTF-8 are skipped."""
        with suppress(OSError), os.scandir(self.root) as entries:
            named = (e for e in entries if not RESERVED.match(e.name) and printable_name(e.name) == e.name)
            found = (entry for entry in named if not entry.is_symlink())
            return sorted(e.name for e in found if e.is_dir() or e.name.lower().endswith(".zip"))
        return []

    def path(self, name: str) -> Path:
        """Return the path of an image folder.

        Raises:
            DataError: If it does not exist.
        """
        if name not in self.image_folders():
            raise DataError(
                f"Image folder {name[:80]!r} not found in {self.root}. Choose a folder or a zip that it contains."
            )
        return self.root / name

    def upload(self, content: bytes, name: str) -> str:
        """Store a zip of labeled images in the data folder under the first unused name, and return the name.

        Raises:
            DataError: If it is not an acceptable zip, or its images cannot be trained on; nothing is stored then.
        """
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "images.zip"
            file.write_bytes(content)
            Archive(file).zip.close()
            image_folder.check_summary(image_folder.summarize(file, SIZE), printable_name(name))
        stem = UNSAFE.sub("-", Path(name).stem)[:40].strip("-") or "images"
        if RESERVED.match(stem):
            stem = f"images-{stem}"
        names = (f"{stem}{f'-{k}' if k > 1 else ''}.zip" for k in itertools.count(1))
        with self.lock:
            new = next(name for name in names if not os.path.lexists(self.root / name))
            with atomic_write(self.root / new) as copy:
                copy.write(content)
            self.uploaded.add(new)
        return new

    def delete(self, name: str) -> None:
        """Delete a zip of images.

        Raises:
            DataError: If it does not exist or is a folder, which is never deleted.
        """
        path = self.path(name)
        if not path.is_file():
            raise DataError(f"Only a zip can be deleted in the page: {path} is a folder. Remove it on the disk.")
        path.unlink()
        self.counts.pop(name, None)

    def survey(self, name: str, size: tuple[int, int], report: Report) -> SurveyReply:
        """Count the images of an image folder."""
        table = image_folder.summarize(self.path(name), size, report)
        try:
            image_folder.check_summary(table, name)
            train, test = zip(*table.counts.values(), strict=True)
            self.counts[name] = Counts(sum(train), sum(test), len(table.classes))
            problem = ""
        except DataError as error:
            problem = str(error)
        skipped = table.skipped[:MAX_SKIPPED]
        first = next((images[0] for images, _ in table.images.splits.values() if len(images)), None)  # (3, H, W)
        return SurveyReply(
            counts=[(label, *both) for label, both in table.counts.items()],
            refused=[(name, reason) for name, reason in skipped],
            more=len(table.skipped) - len(skipped),
            divided=table.auto_split,
            problem=problem,
            sample="" if first is None else data_url(Image.fromarray(first.permute(1, 2, 0).numpy())),
        )
