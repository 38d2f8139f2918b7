"""Background download of CIFAR-10 or CIFAR-100, with progress and cancellation.

`python -m vitviz.data.download DATASET FOLDER TAG` is the child process. If it fails it prints the error's fields as
JSON to stdout.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import IO
from uuid import uuid4

from vitviz.data.cifar import PARTIAL, data_root, download
from vitviz.environment import make_environment
from vitviz.errors import DataError, InvalidValueError

SIZES = {"cifar10": 170_498_071, "cifar100": 169_001_437}  # bytes of the archives
COMMAND = (sys.executable, "-m", "vitviz.data.download")


@dataclass(frozen=True)
class DownloadState:
    """State of a download."""

    dataset: str = ""  # key of the dataset; empty before the first download
    running: bool = False
    progress: float = 0.0  # downloaded fraction of the archive
    message: str = ""  # why it failed; empty otherwise


class Download:
    """Download into one data folder; at most one at a time.

    Args:
        data: The folder, as for `vitviz.data.cifar.find`.
    """

    def __init__(self, data: str | None = None) -> None:
        self.root = data_root(data)
        self.dataset = ""
        self.tag = ""
        self.child: subprocess.Popen[bytes] | None = None
        self.output: IO[bytes] | None = None
        self.is_canceled = False
        self.lock = threading.Lock()

    def start(self, dataset: str) -> None:
        """Start downloading, unless a download is already running.

        Raises:
            ValueError: If the dataset is unknown.
        """
        if dataset not in SIZES:
            raise InvalidValueError("dataset", " or ".join(SIZES), dataset)
        with self.lock:
            if self.child is not None and self.child.poll() is None:
                return
            self.dataset, self.tag, self.is_canceled = dataset, f"{uuid4().hex}-", False
            self.output = tempfile.TemporaryFile()  # noqa: SIM115 (read when the child has exited)
            self.child = subprocess.Popen(
                [*COMMAND, dataset, str(self.root), self.tag],
                stdin=subprocess.DEVNULL,
                stdout=self.output,
                stderr=subprocess.DEVNULL,
                env=make_environment(),
            )

    def cancel(self) -> None:
        """Stop the running download and delete its files; do nothing if none is running."""
        with self.lock:
            if self.child is not None and self.child.poll() is None:
                self.is_canceled = True
                self.child.kill()
                self.child.wait()
                for folder in self.root.glob(PARTIAL.format(tag=self.tag)):
                    shutil.rmtree(folder, ignore_errors=True)

    def state(self) -> DownloadState:
        """Return the state; after success or cancellation it is not running and has no message."""
        with self.lock:
            if self.child is None or self.output is None or self.child.poll() == 0 or self.is_canceled:
                return DownloadState(self.dataset)
            if self.child.returncode is None:
                return DownloadState(self.dataset, running=True, progress=self.progress())
            self.output.seek(0)
            try:
                error = DataError(**json.loads(self.output.read()))
            except ValueError:  # killed, or an unexpected exception
                error = DataError(f"The download ended early (exit code {self.child.returncode}).", "Try again.")
            return DownloadState(self.dataset, message=str(error))

    def progress(self) -> float:
        """Return the downloaded fraction of the archive."""
        size = 0
        with suppress(FileNotFoundError):  # torchvision deletes the archive after unpacking it
            for file in self.root.glob(f"{PARTIAL.format(tag=self.tag)}/*.tar.gz"):
                size = max(size, file.stat().st_size)
        return min(1.0, size / SIZES[self.dataset])


def main() -> None:
    """Download a dataset; on failure print the error's fields as JSON and exit with status 1."""
    dataset, folder, tag = sys.argv[1:]
    try:
        download(folder, tag, dataset)
    except DataError as error:
        print(json.dumps({"problem": error.problem, "hint": error.hint}))
        sys.exit(1)
    except OSError as error:
        print(json.dumps({"problem": f"{error.filename or folder}: {error.strerror or error}."}))
        sys.exit(1)


if __name__ == "__main__":
    main()
