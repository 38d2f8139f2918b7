"""CIFAR-10 or CIFAR-100 from the network, as a process of its own that tells how far it is and can be called off.

`vitviz.data.cifar.fetch` does the work: into a temporary folder first, checked, then renamed.
"""

import shutil
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from vitviz.data.cifar import PARTS, data_root
from vitviz.data.environment import environment

BYTES = {"cifar10": 170_498_071, "cifar100": 169_001_437}  # of the archives
COMMAND = (sys.executable, "-m", "vitviz", "data", "download")


@dataclass(frozen=True)
class FetchState:
    """How a download stands.

    Attributes:
        dataset: Which, or an empty word.
        running: Whether it goes on.
        share: Of the archive that is here, 0..1.
        message: Why it failed; empty otherwise.
    """

    dataset: str
    running: bool
    share: float
    message: str


class Fetch:
    """The download into one data folder; at most one at a time.

    Args:
        data: The folder, as for `vitviz.data.cifar.find`.
    """

    def __init__(self, data: str | None = None) -> None:
        self.root = data_root(data)
        self.dataset = ""
        self.child: subprocess.Popen[bytes] | None = None
        self.words: IO[bytes] | None = None
        self.others: set[Path] = set()  # temporary folders of downloads begun elsewhere
        self.called_off = False
        self.turn = threading.Lock()

    def start(self, dataset: str) -> None:
        """Begin, unless one is going on already.

        Raises:
            ValueError: If it is none of the two.
        """
        if dataset not in BYTES:
            raise ValueError(f"A data set to fetch must be {' or '.join(BYTES)}: got {dataset[:40]!r}.")
        with self.turn:
            if self.child is not None and self.child.poll() is None:
                return
            self.dataset = dataset
            self.called_off = False
            self.others = set(self.root.glob(PARTS))
            self.words = tempfile.TemporaryFile()  # noqa: SIM115 (read when the child has ended)
            command = [*COMMAND, "--dataset", dataset, "--data", str(self.root)]
            self.child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.words, env=environment()
            )

    def cancel(self) -> None:
        """Call it off, and leave nothing of it behind. Without one, do nothing."""
        with self.turn:
            if self.child is not None and self.child.poll() is None:
                self.called_off = True
                self.child.kill()
                self.child.wait()
                for part in self.parts():
                    shutil.rmtree(part, ignore_errors=True)

    def state(self) -> FetchState:
        """How it stands; nothing running and no message before the first, and after one that succeeded."""
        with self.turn:
            if self.child is None or self.words is None or self.child.poll() == 0:
                return FetchState(self.dataset, False, 0.0, "")
            if self.child.returncode is None:
                return FetchState(self.dataset, True, self.share(), "")
            if self.called_off:
                return FetchState(self.dataset, False, 0.0, "")
            self.words.seek(0)
            said = self.words.read().decode(errors="replace").strip().splitlines()
            return FetchState(
                self.dataset, False, 0.0, said[-1].removeprefix("vitviz: ") if said else "The download ended early."
            )

    def parts(self) -> set[Path]:
        """Its temporary folder, once there is one."""
        return set(self.root.glob(PARTS)) - self.others

    def share(self) -> float:
        """Of the archive that is here."""
        found = 0
        with suppress(FileNotFoundError):  # it goes when it is unpacked
            found = max((file.stat().st_size for part in self.parts() for file in part.glob("*.tar.gz")), default=0)
        return min(1.0, found / BYTES[self.dataset])
