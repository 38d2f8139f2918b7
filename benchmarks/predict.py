"""`vitviz predict FOLDER` by two processes of torchrun against one, as whole commands, on random photographs."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image
from rich.console import Console

SIZE = (1600, 1200)  # pixels of a photograph
CELL = 16  # pixels of a side of equal color, before interpolation


def predict(num_images: int) -> None:
    """Print the duration of both commands, their ratio, and whether their tables are equal."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_photographs(folder / "images", num_images)
        one = time_command(["-m", "vitviz"], folder, "one.csv")
        two = time_command(["-m", "torch.distributed.run", "--nproc-per-node=2", "-m", "vitviz"], folder, "two.csv")
        same = (folder / "one.csv").read_bytes() == (folder / "two.csv").read_bytes()
    Console().print(
        f"{num_images:,} JPEG files of {SIZE[0]} x {SIZE[1]} px: one process {one:.1f} s, two {two:.1f} s, "
        f"{one / two:.2f} times as fast; tables {'equal' if same else 'DIFFERENT'}"
    )


def write_photographs(folder: Path, count: int) -> None:
    """Write JPEG files of smooth random colors."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    for number in range(count):
        cells = rng.integers(0, 256, (SIZE[1] // CELL, SIZE[0] // CELL, 3), dtype=np.uint8)
        Image.fromarray(cells).resize(SIZE, Image.Resampling.BILINEAR).save(folder / f"{number:06}.jpg")


def time_command(module: list[str], folder: Path, table: str) -> float:
    """Return the duration of a command that writes a table (s)."""
    command = [sys.executable, *module, "predict", str(folder / "images"), "-o", str(folder / table)]
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    return time.perf_counter() - start
