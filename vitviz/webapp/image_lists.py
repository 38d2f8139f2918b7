"""Sources of the page's images, and their encoding."""

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from gradio.utils import get_upload_folder
from PIL import Image

from vitviz.data import cifar
from vitviz.data.encoding import data_url
from vitviz.data.preprocessing import sample_paths
from vitviz.data.samples import PHOTOS, example_paths, photo_paths
from vitviz.errors import DataError, ImageError
from vitviz.webapp.schemas.common import CifarInfo, NamedImage, Photo

if TYPE_CHECKING:
    from torch import Tensor

THUMBNAIL_SIDE = 96  # px, twice the size on screen
CIFAR_UNAVAILABLE = "CIFAR-10 is not available on this server."  # without the path, for public pages
CIFAR_HINT = "Download it on Explore, under CIFAR-10."


def sample_path(name: str) -> Path:
    """Return the file of a drawn sample or of a photograph."""
    paths = example_paths()
    if name not in paths:
        raise ImageError(f"Sample {name[:80]!r} not found. Choose one of: {', '.join(paths)}.")
    return paths[name]


def list_samples() -> list[NamedImage]:
    """List the drawn samples."""
    return [{"name": name, "src": data_url(Image.open(path))} for name, path in sample_paths().items()]


def list_photos() -> list[Photo]:
    """List the photographs."""
    return [{"name": name, "title": PHOTOS[name].title, "src": thumbnail(p)} for name, p in photo_paths().items()]


def thumbnail(path: Path) -> str:
    """Return a small JPEG of a photograph as a data URL."""
    with Image.open(path) as photo:
        photo.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE))
        return data_url(photo.convert("RGB"), "jpeg")


def upload_path(path: str) -> Path:
    """Return an uploaded file of `gradio_client` with links resolved; it must be in the server's upload folder.

    Raises:
        ImageError: If it is elsewhere or has been deleted.
    """
    folder = Path(get_upload_folder()).resolve()
    try:
        file = Path(path).resolve()
    except (OSError, ValueError, RuntimeError):  # RuntimeError: a link to itself
        file = folder
    if file == folder or not file.is_relative_to(folder):
        raise ImageError("Only an uploaded image can be explained. Drop it on the page, paste it or choose a file.")
    if not os.path.exists(file):  # unlike Path.exists, never raises: names may be too long
        raise ImageError("Uploads are deleted within an hour. Choose the file again.")
    return file


def cifar_state(data: str | None, public: bool) -> CifarInfo:
    """Return whether CIFAR-10 is available, and otherwise how to get it."""
    try:
        cifar.find(data)
        message = ""
    except DataError as error:
        message = CIFAR_UNAVAILABLE if public else f"{error.problem} {CIFAR_HINT}"
    return {"available": not message, "classes": list(cifar.CLASSES), "message": message}


def load_cifar(split: cifar.Split, data: str | None, public: bool) -> "tuple[Tensor, Tensor]":
    """Return images and labels of a split of CIFAR-10; on a public page errors do not name the data folder."""
    try:
        return load_split(split, data)
    except DataError:
        if public:
            raise DataError(CIFAR_UNAVAILABLE) from None
        raise


@cache
def load_split(split: cifar.Split, data: str | None) -> "tuple[Tensor, Tensor]":
    """Load a split once."""
    return cifar.load(split, data)
