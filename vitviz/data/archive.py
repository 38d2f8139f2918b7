"""Safe reading of images from an untrusted zip file.

The central directory is checked before anything is unpacked: size, number of files, names, links, passwords and
compression ratio. A problem with the archive raises `DataError`; a problem with one file raises `ImageError` when that
file is opened.
"""

import re
import stat
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from vitviz.data.preprocessing import check_file_size
from vitviz.errors import DataError, ImageError

MAX_PACKED = 2 * 2**30
MAX_UNPACKED = 4 * 2**30
MAX_DIRECTORY = 16 * 2**20  # bytes of the central directory, which is read as a whole
MAX_RATIO = 200  # unpacked size / packed size; images barely compress
MIN_BOMB = 100 * 2**20  # unpacked bytes below which the ratio does not matter
UNSAFE_NAME = re.compile(r"^/|(^|/)\.\.(/|$)|^[A-Za-z]:")  # absolute, outside, or with a drive of Windows
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Archive:
    """Files of a zip file by name.

    Raises:
        DataError: If the path is not a zip file, or the zip file is not accepted.
    """

    def __init__(self, path: Path) -> None:
        check_end_record(path)
        try:
            self.zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as error:
            raise not_a_zip(path) from error
        named = [(info, decode_name(info).replace("\\", "/")) for info in self.zip.infolist()]  # as Windows writes them
        files = [info for info, name in named if not name.endswith("/")]
        for info, name in named:
            info.filename = PurePosixPath(name).as_posix()  # removes a leading ./
        try:
            check_files(files, path)
        except DataError:
            self.zip.close()
            raise
        self.files = {info.filename: info for info in files}

    def read(self, name: str) -> bytes:
        """Unpack one file in memory.

        Raises:
            ImageError: If the file is too large for an image or cannot be unpacked.
        """
        info = self.files[name]
        check_file_size(info.file_size)
        if not info.file_size:
            raise ImageError("The file is empty.")
        if info.compress_type not in METHODS:
            raise ImageError(
                "Files in a zip must be stored or deflated: this one uses another compression method.",
                "Repack the folder.",
            )
        try:
            return self.zip.read(info)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
            raise ImageError("The file cannot be unpacked: the zip is damaged.", "Repack the folder.") from error


def decode_name(info: zipfile.ZipInfo) -> str:
    """Return a file's name, decoded as UTF-8 even without the UTF-8 flag, which the `zip` command omits."""
    if info.flag_bits & 0x800:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def not_a_zip(path: Path) -> DataError:
    """Return the error for a file that is not a zip file."""
    return DataError(f"The dataset must be an image folder or a complete zip file: {path.name[:80]!r} is neither.")


def check_end_record(path: Path) -> None:
    """Check the sizes of a zip file and of its central directory, reading only its last bytes."""
    size = path.stat().st_size
    if size > MAX_PACKED:
        raise DataError(
            f"A zip of images may have at most {MAX_PACKED // 2**30} GiB: got {size / 2**30:.1f}.",
            "Use an unpacked folder.",
        )
    with path.open("rb") as file:
        file.seek(max(0, size - 22 - 65535 - 20))  # end record, its comment and the ZIP64 locator before it
        tail = file.read()
    start = tail.rfind(b"PK\x05\x06")
    if start < 0 or len(tail) - start < 22:
        raise not_a_zip(path)
    (directory_size,) = struct.unpack_from("<I", tail, start + 12)
    if tail[max(0, start - 20) : start].startswith(b"PK\x06\x07") or directory_size > MAX_DIRECTORY:
        raise DataError(
            f"A zip of images may have at most 65,535 files, with {MAX_DIRECTORY // 2**20} MiB of names: this one has "
            "more.",
            "Use an unpacked folder.",
        )


def check_files(files: list[zipfile.ZipInfo], path: Path) -> None:
    """Reject unsafe names, links, encrypted files and zip bombs."""
    for info in files:
        kind = stat.S_IFMT(info.external_attr >> 16)
        name = repr(info.filename[:80])
        if UNSAFE_NAME.search(info.filename):
            raise DataError(
                f"File names in a zip must be relative paths with / between folders: got {name}.", "Repack the folder."
            )
        if kind not in (0, stat.S_IFREG):
            raise DataError(
                f"A zip of images may contain only files and folders: {name} is a link or a device.",
                "Pack the images themselves.",
            )
        if info.flag_bits & 1:
            raise DataError(
                f"A zip of images must not be encrypted: {path.name[:80]!r} requires a password.",
                "Repack the folder without one.",
            )
    unpacked, packed = sum(info.file_size for info in files), path.stat().st_size
    if unpacked > MAX_UNPACKED or (unpacked > MIN_BOMB and unpacked > MAX_RATIO * packed):
        raise DataError(
            f"A zip of images may unpack to at most {MAX_UNPACKED // 2**30} GiB and {MAX_RATIO} times its size: got "
            f"{unpacked / 2**30:.1f} GiB from {packed / 2**20:.1f} MiB.",
            "Use an unpacked folder.",
        )
