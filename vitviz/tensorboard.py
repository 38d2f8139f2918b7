"""TensorBoard for a training: its metrics, and the attention maps of its timeline."""

import os
import re
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from textwrap import shorten
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitviz.errors import ConfigError
from vitviz.files import not_regular
from vitviz.plots.animation import draw_matrix
from vitviz.runs import run_folder
from vitviz.training import timeline
from vitviz.training.config import TrainConfig
from vitviz.training.loop import Progress

STEPS_PER_EPOCH = 1000  # TensorBoard counts in integers
NOT_LOGGED = ("progress", "seconds", "alarms")  # fields of Progress


class TensorBoard:
    """A report for `vitviz.train` that writes to the folder `tensorboard` in the run folder; a context manager.

    Maps have a row per layer and a column per head, means last, in colors from 1/8 to 8 times uniform attention. Steps
    that a resumed run repeats are hidden. An error ends the log with one warning, and the training continues. Under
    torchrun the main process writes.

    Args:
        config: Config of the training, which starts after this is created.

    Raises:
        ConfigError: If TensorBoard is not installed.
    """

    def __init__(self, config: TrainConfig) -> None:
        if find_spec("tensorboard") is None:
            raise ConfigError("tensorboard", "needs the package tensorboard", "Run: pip install tensorboard.")
        self.folder = config.folder
        self.writer: Any = None
        self.has_ended = os.environ.get("RANK", "0") != "0"
        # Snapshots up to this training time were written before the run was resumed.
        self.seconds, self.version = run_folder.saved_seconds(self.folder), (0, 0)

    def __enter__(self) -> "TensorBoard":
        return self

    def __call__(self, progress: Progress) -> None:
        """Write metrics, and the snapshots of the timeline that are new."""
        if self.has_ended:
            return
        try:
            self.write(progress)
        except Exception as error:
            self.has_ended = True
            text = shorten(str(error), 300) or type(error).__name__
            warnings.warn(f"Writing for TensorBoard ended, the training continues: {text}", stacklevel=2)

    def __exit__(self, *error: object) -> None:
        if self.writer is not None:
            self.writer.close()

    def write(self, progress: Progress) -> None:
        """Write metrics and new snapshots; the first call, when training has begun, opens the file."""
        if self.writer is None:
            from torch.utils.tensorboard import SummaryWriter

            if (folder := self.folder / "tensorboard").is_symlink():
                raise not_regular(folder)
            self.writer = SummaryWriter(str(folder), purge_step=to_step(progress.epoch))
        for name, value in vars(progress).items():
            if name not in NOT_LOGGED and value is not None:
                self.writer.add_scalar(name, value, to_step(progress.epoch))
        for epoch, name, pixels in self.new_maps():
            self.writer.add_image(name, pixels, to_step(epoch), dataformats="HWC")

    def new_maps(self) -> Iterator[tuple[float, str, NDArray[np.uint8]]]:
        """Generate epoch, name and RGB image (h, w, 3) of the maps since the last call."""
        path = self.folder / run_folder.TIMELINE
        try:
            status = path.stat()
            if (version := (status.st_ino, status.st_mtime_ns)) == self.version:
                return
            recorded = timeline.read(path)
        except (OSError, ValueError):  # there is none yet
            return
        self.version, last = version, self.seconds
        for index, seconds in enumerate(recorded.seconds.tolist()):
            if seconds > last:
                self.seconds = seconds
                for image, name in enumerate(recorded.names):
                    tag = f"attention/{re.sub(r'[^A-Za-z0-9_. -]', '_', name)}"
                    yield float(recorded.epoch[index]), tag, draw_matrix(recorded, image, index)


def to_step(epoch: float) -> int:
    """Return the step of an epoch, an integer."""
    return round(STEPS_PER_EPOCH * epoch)
