"""Where the page's images come from, and how they are sent to it.

Files must lie in the server's own upload folder.
"""

import base64
import io
import os
from functools import cache
from pathlib import Path

import numpy as np
from gradio.utils import get_upload_folder
from PIL import Image
from torch import Tensor

from vitviz.data import cifar
from vitviz.data.cifar import DataError
from vitviz.data.preprocessing import ImageError, sample_paths

ABSENT = "CIFAR-10 is not on this server."  # all that strangers are told


def sample(name: str) -> Path:
    """The file of a sample image."""
    paths = sample_paths()
    if name not in paths:
        raise ImageError(f"There is no sample {name[:80]!r}. Choose one of: {', '.join(paths)}.")
    return paths[name]


def uploaded(path: str) -> Path:
    """An uploaded file, which must lie in the server's upload folder, links resolved.

    Raises:
        ImageError: If it lies elsewhere, or is no longer there.
    """
    folder = Path(get_upload_folder()).resolve()
    try:
        file = Path(path).resolve()
    except (OSError, ValueError, RuntimeError):  # the last of a link that leads to itself
        file = folder
    if file == folder or not file.is_relative_to(folder):
        raise ImageError("Only an uploaded image can be explained. Drop it on the page, paste it or choose the file.")
    if not os.path.exists(file):  # unlike a path's own, never raises: names may be too long
        raise ImageError("Own images are kept for less than an hour. Choose the file again.")
    return file


def test_set(data: str | None, public: bool) -> tuple[Tensor, Tensor]:
    """The 10,000 test images; strangers are not told where they were looked for."""
    try:
        return load_test_set(data)
    except DataError:
        if public:
            raise DataError(ABSENT) from None
        raise


@cache
def load_test_set(data: str | None) -> tuple[Tensor, Tensor]:
    """The 10,000 test images, read once."""
    return cifar.load("test", data)


def data_url(image: Image.Image) -> str:
    """An image as a PNG in a data URL."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def base64_of(array: np.ndarray) -> str:
    """An array's bytes in C order, as base64."""
    return base64.b64encode(array.tobytes()).decode()
