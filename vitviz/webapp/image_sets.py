"""Test sets whose images the page lists: CIFAR-10, and the dataset of each run."""

import os
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from torch import Tensor

from vitviz.data import cifar, datasets
from vitviz.data.encoding import data_url
from vitviz.errors import DataError, InvalidValueError
from vitviz.models.config import config_from_dict
from vitviz.runs.store import Runs
from vitviz.webapp.image_lists import load_cifar
from vitviz.webapp.models import RUN_PREFIX, FileState, dataset_name, file_state

CIFAR10 = "cifar10"
THUMBNAIL_SIDE = 64  # px; larger images are shrunk


class LabeledSet(NamedTuple):
    """Labeled images."""

    name: str
    classes: tuple[str, ...]
    images: Tensor  # uint8 (n, 3, H, W)
    labels: Tensor  # (n,), indices into the classes


def find_test_set(dataset: str, data: str | None, runs: Runs | None, public: bool) -> LabeledSet:
    """Return the test set "cifar10", or that of the dataset which the run "runs/NAME" was trained on.

    Args:
        dataset: Its name.
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`.
        runs: The runs; None if they must not be used.
        public: Whether errors must not name folders of the server.
    """
    if dataset == CIFAR10:
        return LabeledSet("CIFAR-10", cifar.CLASSES, *load_cifar("test", data, public))
    if runs is None or not dataset.startswith(RUN_PREFIX):
        raise InvalidValueError("dataset", "cifar10 or runs/NAME", dataset)
    config = runs.find(dataset.removeprefix(RUN_PREFIX)).config
    kind, path = config.get("dataset", "cifar10"), config.get("data")
    size = config_from_dict(config.get("model", {})).img_size
    if kind == "folder" and not os.path.exists(path or ""):
        raise DataError(f"The image folder of this run is missing: {path} does not exist.", "Put it back.")
    state = file_state(Path(path or "")) if kind == "folder" else None
    return load_test_set(kind, path, size, dataset_name(config), state)


@lru_cache(maxsize=2)
def load_test_set(dataset: str, data: str | None, size: tuple[int, int], name: str, state: FileState) -> LabeledSet:
    """Load the test images of a dataset at an input size, once per version of the folder."""
    loaded = datasets.load(dataset, data, size, ("test",))
    return LabeledSet(name, loaded.info.classes, *loaded.splits["test"])


def thumbnail(image: Tensor) -> str:
    """Return an image (3, H, W) as a data URL."""
    small = Image.fromarray(image.permute(1, 2, 0).numpy())
    small.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE))
    return data_url(small)
