"""Preprocess images into the rows of a file: in this process, or as `python -m vitviz.data.preprocess_worker`.

Imports no torch, so that a process starts in a fraction of a second.
"""

import json
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from vitviz.data.archive import Archive
from vitviz.data.preprocessing import ImageLike, Resize, preprocess
from vitviz.errors import ImageError

IMAGES = "images.bin"  # uint8 (n, 3, H, W)
CHECKSUMS = "checksums.bin"  # uint32 (n,), of images that are written
MAX_REASON = 1000  # characters; a line is shorter than PIPE_BUF and is written at once


@dataclass(frozen=True)
class Task:
    """Images to preprocess.

    Attributes:
        kind: What contains the images; one of `READERS`.
        location: Its path.
        folder: Folder of `IMAGES` and `CHECKSUMS`.
        size: Height and width (px).
        resize: Crop and filter with which the images get this size.
        items: Row and name of each image.
    """

    kind: str
    location: str
    folder: str
    size: tuple[int, int]
    resize: Resize
    items: list[tuple[int, str]]


Reader = Callable[[str], ImageLike]


@contextmanager
def read_folder(location: str) -> Iterator[Reader]:
    """Read files by their paths relative to a folder."""
    yield lambda name: Path(location) / name


@contextmanager
def read_zip(location: str) -> Iterator[Reader]:
    """Read files of a zip file."""
    archive = Archive(Path(location))
    with archive.zip:
        yield archive.read


@contextmanager
def read_array(location: str) -> Iterator[Reader]:
    """Read images (h, w, 3) of an array file by their indices."""
    images = np.load(location, mmap_mode="r")
    yield lambda name: np.asarray(images[int(name)])


@contextmanager
def read_arrow(location: str) -> Iterator[Reader]:
    """Read images of a column of Arrow files by "SPLIT/ROW"; `location` is JSON: the column, and the files by split."""
    import pyarrow

    column, files = json.loads(location)
    columns = {}
    for split, paths in files.items():
        tables = [pyarrow.ipc.open_stream(pyarrow.memory_map(path)).read_all() for path in paths]
        columns[split] = pyarrow.concat_tables(tables).column(column)

    def read(name: str) -> ImageLike:
        split, row = name.rsplit("/", 1)
        image = columns[split][int(row)].as_py() or {"bytes": None, "path": None}
        if image["bytes"] is None and image["path"] is None:
            raise ImageError("The image is missing.")
        return image["bytes"] if image["bytes"] is not None else Path(image["path"])

    yield read


READERS = {"folder": read_folder, "zip": read_zip, "array": read_array, "arrow": read_arrow}


def preprocess_items(task: Task) -> Iterator[tuple[int, str]]:
    """Write each image to its row, then its checksum, and yield the row and why the image is not accepted, or ""."""
    folder, row_bytes = Path(task.folder), 3 * task.size[0] * task.size[1]
    with (
        READERS[task.kind](task.location) as read,
        open(folder / IMAGES, "r+b") as images,
        open(folder / CHECKSUMS, "r+b") as checksums,
    ):
        for row, name in task.items:
            try:
                pixels = np.asarray(preprocess(read(name), task.size, resize=task.resize).model_input)  # (H, W, 3)
            except ImageError as error:
                yield row, error.reason[:MAX_REASON]
                continue
            content = pixels.transpose(2, 0, 1).tobytes()
            write_at(images, row * row_bytes, content)
            write_at(checksums, 4 * row, checksum(content).tobytes())
            yield row, ""


def checksum(content: bytes) -> np.uint32:
    """Return the CRC-32 of an image, with 1 for 0, which stands for an image that is not written."""
    return np.uint32(zlib.crc32(content) or 1)


def write_at(file: IO[bytes], position: int, content: bytes) -> None:
    """Write bytes at a position of a file."""
    file.seek(position)
    file.write(content)
    file.flush()


def main() -> None:
    """Preprocess the images of the task on standard input, and print the results, or an error, as lines of JSON."""
    fields: dict[str, Any] = json.load(sys.stdin)
    resize, size = Resize(**fields.pop("resize")), fields.pop("size")
    try:
        for result in preprocess_items(Task(**fields, size=(size[0], size[1]), resize=resize)):
            print_line(result)
    except BrokenPipeError:  # the process that reads them was killed
        os._exit(1)
    except OSError as error:
        print_line({"errno": error.errno, "strerror": error.strerror})
        sys.exit(1)


def print_line(value: Any) -> None:
    """Print a line of JSON by one call of the system, which does not mix it with those of other processes."""
    os.write(sys.stdout.fileno(), f"{json.dumps(value)}\n".encode())


if __name__ == "__main__":
    main()
