"""The folder of uploaded files, bounded in age and size."""

import asyncio
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from gradio.utils import get_upload_folder

from vitviz.data.preprocessing import open_checked
from vitviz.errors import ImageError
from vitviz.malloc import return_freed_memory

MAX_STORED_BYTES = 2**30
MAX_BODY_SECONDS = 120.0  # for a request body to arrive
FILE_OVERHEAD = 2**13  # bytes on disk of a file and its folder, in addition to its content
UPLOAD_AGE = 3300  # s; with CLEANUP_INTERVAL, nothing is kept for an hour
CLEANUP_INTERVAL = 60  # s
TRIM_INTERVAL = 5  # s between two calls of malloc_trim; after a minute the heap has grown again
IMAGES = "images"  # folder of the page's uploads; `gradio_client` has others
FOLDER_PREFIX = "vitviz-uploads-"


def keep(content: bytes) -> str:
    """Store an image in the upload folder for some time, and return its id, the SHA-256 of the file.

    Raises:
        ImageError: If its header does not declare an image of an accepted format and size.
    """
    folder, name = Path(get_upload_folder()), hashlib.sha256(content).hexdigest()
    (folder / IMAGES).mkdir(parents=True, exist_ok=True)
    handle, arriving = tempfile.mkstemp(dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        with open_checked(Path(arriving)):
            os.replace(arriving, folder / IMAGES / name)
    finally:
        Path(arriving).unlink(missing_ok=True)
    return name


def find_upload(name: str) -> Path:
    """Return the file of an uploaded image by its id.

    Raises:
        ImageError: If it was deleted.
    """
    path = Path(get_upload_folder()) / IMAGES / name
    if not path.is_file():
        raise ImageError("Uploads are deleted within an hour.", "Choose the file again.")
    return path


def expiry(file: Path) -> float:
    """Return when a file is deleted, in monotonic time (s)."""
    return time.monotonic() + file.stat().st_ctime + UPLOAD_AGE - time.time()


class Uploads:
    """Uploaded files in `folder`, Gradio's upload folder, deleted by age.

    Args:
        folder: The folder.
        clean_memory: Deletes what has expired of them in memory; called at the same interval.
    """

    def __init__(self, folder: Path, clean_memory: Callable[[], None] = lambda: None) -> None:
        self.folder, self.clean_memory = folder, clean_memory
        self.bytes = 0  # at the last cleanup, plus what has arrived since

    @property
    def is_full(self) -> bool:
        """Whether no more uploads are accepted for now."""
        return self.bytes > MAX_STORED_BYTES

    def clean(self) -> None:
        """Delete expired files and empty folders, and measure the rest."""
        stored = 0
        for folder, _, names in os.walk(self.folder, topdown=False):
            # An upload in progress is in the top folder; a canceled one stays there.
            max_age = MAX_BODY_SECONDS if Path(folder) == self.folder else UPLOAD_AGE
            for file in (Path(folder, name) for name in names):
                with suppress(OSError):  # already deleted, or not permitted
                    status = file.lstat()
                    if time.time() - status.st_ctime > max_age:
                        file.unlink()
                    else:
                        stored += status.st_size + FILE_OVERHEAD
            if Path(folder) != self.folder:
                with suppress(OSError):  # not empty
                    os.rmdir(folder)
        self.bytes = stored

    @asynccontextmanager
    async def clean_regularly(self, _: object) -> AsyncIterator[None]:
        """Lifespan of the server: clean up, and return freed memory, at regular intervals."""

        async def repeat(function: Callable[[], None], interval: float) -> None:
            while True:
                await asyncio.to_thread(function)
                await asyncio.sleep(interval)

        tasks = [
            asyncio.create_task(repeat(self.clean, CLEANUP_INTERVAL)),
            asyncio.create_task(repeat(self.clean_memory, CLEANUP_INTERVAL)),
            asyncio.create_task(repeat(return_freed_memory, TRIM_INTERVAL)),
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()


def make_upload_folder() -> Path:
    """Create the upload folder of this process, in `GRADIO_TEMP_DIR` if it is set; nothing else there is touched.

    Folders of processes that have ended are deleted.
    """
    parent = Path(os.environ.get("GRADIO_TEMP_DIR") or tempfile.gettempdir())
    parent = parent.parent if parent.name.startswith(FOLDER_PREFIX) else parent  # of a previous server in this process
    parent.mkdir(parents=True, exist_ok=True)
    for folder in parent.glob(f"{FOLDER_PREFIX}*"):
        pid = folder.name.removeprefix(FOLDER_PREFIX).partition("-")[0]
        if pid.isdecimal() and not is_running(int(pid)) and folder.is_dir() and not folder.is_symlink():
            shutil.rmtree(folder, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{FOLDER_PREFIX}{os.getpid()}-", dir=parent))


def is_running(pid: int) -> bool:
    """Whether a process with this ID exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True
