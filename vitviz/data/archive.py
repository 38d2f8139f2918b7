"""A zip file of images -> its files, one at a time, and never outside a temporary folder.

The table of contents is checked before anything is unpacked: size, number, names, links, passwords, bombs. What is not
right about the archive as a whole is refused with a sentence; what is wrong with one file is told when it is opened.
"""

import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from vitviz.data.cifar import DataError
from vitviz.data.preprocessing import MOST_BYTES, ImageError

MOST_PACKED = 2 * 2**30
MOST_UNPACKED = 4 * 2**30
MOST_CONTENTS = 16 * 2**20  # bytes of the table of contents: it is read as a whole
BOMB = 200  # times its size; images hardly shrink
SMALL = 100 * 2**20  # bytes that may be unpacked from anything
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Archive:
    """The files in a zip file, by name.

    Args:
        path: Of the zip file.

    Raises:
        DataError: If it is not a zip file that may be opened.
    """

    def __init__(self, path: Path) -> None:
        check_end(path)
        try:
            self.zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as error:
            raise damaged(path) from error
        files = [info for info in self.zip.infolist() if not info.is_dir()]
        for info in files:
            info.filename = PurePosixPath(true_name(info)).as_posix()  # some begin with ./
        try:
            check_files(files, path)
        except DataError:
            self.zip.close()
            raise
        self.files = {info.filename: info for info in files}

    def names(self) -> list[str]:
        """Of all files, their folders before them, divided by slashes."""
        return list(self.files)

    @contextmanager
    def fetch(self, name: str) -> Iterator[Path]:
        """One file, unpacked under a name of ours as long as it is needed.

        Raises:
            ImageError: If it is too large for an image, or cannot be unpacked.
        """
        info = self.files[name]
        if info.file_size > MOST_BYTES:
            raise ImageError(
                f"An image may have at most {MOST_BYTES // 2**20} MiB: this one has {info.file_size / 2**20:.1f}. "
                "Save it smaller, as JPEG for example."
            )
        if info.compress_type not in METHODS:
            raise ImageError(
                "A file in a zip must be stored or deflated: this one is packed in another way. Pack the folder anew."
            )
        try:
            content = self.zip.read(info)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            raise ImageError("The file cannot be unpacked: the zip is damaged there. Pack it anew.") from error
        with tempfile.TemporaryDirectory(prefix="vitviz-") as folder:
            path = Path(folder, "image")
            path.write_bytes(content)
            yield path


def true_name(info: zipfile.ZipInfo) -> str:
    """The name of a file in a zip, also where UTF-8 was written without the flag that says so, as `zip` does."""
    if info.flag_bits & 0x800:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def damaged(path: Path) -> DataError:
    """The refusal of what is no zip file."""
    return DataError(f"Labelled images must be a folder or a whole zip file: {path.name[:80]!r} is neither.")


def check_end(path: Path) -> None:
    """Refuse a zip whose size, or whose table of contents, is too large; read from its last bytes alone."""
    size = path.stat().st_size
    if size > MOST_PACKED:
        raise DataError(
            f"A zip of images may have at most {MOST_PACKED // 2**30} GiB: this one has {size / 2**30:.1f}. Name an "
            "unpacked folder."
        )
    with path.open("rb") as file:
        file.seek(max(0, size - 22 - 65535 - 20))  # the end record, its comment, and what may stand before it
        tail = file.read()
    place = tail.rfind(b"PK\x05\x06")
    if place < 0 or len(tail) - place < 22:
        raise damaged(path)
    (contents,) = struct.unpack_from("<I", tail, place + 12)
    if tail[max(0, place - 20) : place].startswith(b"PK\x06\x07") or contents > MOST_CONTENTS:
        raise DataError(
            f"A zip of images may have at most 65,535 files, and names of {MOST_CONTENTS // 2**20} MiB: this one has "
            "more. Name an unpacked folder."
        )


def check_files(files: list[zipfile.ZipInfo], path: Path) -> None:
    """Refuse names that lead outside, links, passwords, and what unpacks to far too much."""
    for info in files:
        kind = stat.S_IFMT(info.external_attr >> 16)
        if leads_outside(info.filename):
            raise DataError(
                f"Names in a zip must stay inside it, with / between folders: {info.filename[:80]!r} does not. Pack "
                "the folder anew."
            )
        if kind not in (0, stat.S_IFREG):
            raise DataError(
                f"A zip of images may hold files and folders only: {info.filename[:80]!r} is a link or a device. "
                "Pack the images themselves."
            )
        if info.flag_bits & 1:
            raise DataError(
                f"A zip of images must open without a password: {path.name[:80]!r} asks for one. Pack it without."
            )
    unpacked, packed = sum(info.file_size for info in files), path.stat().st_size
    if unpacked > MOST_UNPACKED or (unpacked > SMALL and unpacked > BOMB * packed):
        raise DataError(
            f"A zip of images may unpack to at most {MOST_UNPACKED // 2**30} GiB and {BOMB} times its size: this one "
            f"would to {unpacked / 2**30:.1f} GiB from {packed / 2**20:.1f} MiB. Name an unpacked folder."
        )


def leads_outside(name: str) -> bool:
    """Whether a name in a zip is absolute, goes up, or means something else on another system."""
    return "\\" in name or ":" in name or PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts
