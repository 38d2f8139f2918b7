"""The data sets that the page can train on: what is here, what can be fetched, and people's own images.

Own images are folders and zips in the data folder; an uploaded zip is put there, too. Nothing else can be named.
"""

import itertools
import os
import re
import shutil
import threading
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from vitviz.data import datasets, image_folder
from vitviz.data.archive import Archive
from vitviz.data.cifar import DataError, data_root
from vitviz.data.download import Fetch
from vitviz.data.files import atomic_write, in_text
from vitviz.webapp.images import uploaded
from vitviz.webapp.server.requests import Answer

OTHERS = re.compile(r"cifar-10|\.", re.IGNORECASE)  # begins what is in a data folder and not people's own
SAFE = re.compile(r"[^A-Za-z0-9_-]+")
MOST_LISTED = 50
MOST_TOLD = 100  # files that were not taken, in one answer


class Counts(NamedTuple):
    """How many images there are to train on and to test on, of how many classes."""

    train: int
    test: int
    classes: int


class DataSets:
    """The data sets of one data folder.

    Args:
        data: The folder, as for `vitviz.data.cifar.find`.
    """

    def __init__(self, data: str | None = None) -> None:
        self.data = data
        self.root = data_root(data)
        self.fetch = Fetch(data)
        self.taking = threading.Lock()  # two uploads of one name may come at once
        self.taken: set[str] = set()  # names of uploads
        self.counted: dict[str, Counts] = {}  # people's own images, by name

    def state(self) -> Answer:
        """What is `here` by name, people's `own` as far as they are listed, and how a download stands."""
        fetching = asdict(self.fetch.state())
        return {
            "here": {name: datasets.is_available(name, self.data) for name in datasets.MODULES},
            "own": self.listed(),
            "fetch": fetching,
        }

    def own(self) -> list[str]:
        """Names of the folders and zips that may hold images; those that are no UTF-8 cannot be sent."""
        with suppress(OSError), os.scandir(self.root) as entries:
            named = (entry for entry in entries if not OTHERS.match(entry.name) and in_text(entry.name) == entry.name)
            found = (entry for entry in named if not entry.is_symlink())
            return sorted(e.name for e in found if e.is_dir() or e.name.lower().endswith(".zip"))
        return []

    def listed(self) -> list[str]:
        """The first of them, after what was uploaded to this server."""
        return sorted(self.own(), key=lambda name: name not in self.taken)[:MOST_LISTED]

    def path(self, name: str) -> Path:
        """The folder or zip of people's own images of this name.

        Raises:
            DataError: If there is none.
        """
        if name not in self.own():
            raise DataError(
                f"There are no images {name[:80]!r} in {self.root}. Choose a folder or a zip that is there."
            )
        return self.root / name

    def take(self, path: str, name: str) -> str:
        """Put an uploaded zip into the folder, and return its name there.

        Raises:
            DataError: If it is none that may be opened; then nothing of it is kept.
        """
        file = uploaded(path)
        Archive(file).zip.close()
        stem = SAFE.sub("-", Path(name).stem)[:40].strip("-") or "images"
        if OTHERS.match(stem):
            stem = f"own-{stem}"
        with self.taking:
            return self.put(file, stem)

    def put(self, file: Path, stem: str) -> str:
        """Copy a zip into the folder under the first name that is free, and return that."""
        names = (f"{stem}{f'-{k}' if k > 1 else ''}.zip" for k in itertools.count(1))
        new = next(name for name in names if not os.path.lexists(self.root / name))
        with file.open("rb") as content, atomic_write(self.root / new) as copy:
            shutil.copyfileobj(content, copy)
        self.taken.add(new)
        return new

    def survey(self, name: str, size: tuple[int, int]) -> Answer:
        """What would be taken of people's own images, and what not.

        Returns:
            `counts`, [class, to train on, to test on]; `refused`, [file, why], the first hundred, and how many `more`;
            `divided`, whether the images to test on were put aside; `problem`, why nothing can be learned, or "".
        """
        path = self.path(name)
        table = image_folder.survey(path, size)
        try:
            image_folder.check_table(table, name)
            train, test = zip(*table.counts.values(), strict=True)
            self.counted[name] = Counts(sum(train), sum(test), len(table.classes))
            problem = ""
        except DataError as error:
            problem = str(error)
        counts: list[list[Any]] = [[label, *both] for label, both in table.counts.items()]
        told = [list(refused) for refused in table.refused[:MOST_TOLD]]
        more = len(table.refused) - len(told)
        return {"counts": counts, "refused": told, "more": more, "divided": table.divided, "problem": problem}
