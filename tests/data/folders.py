"""Image folders and zips for tests."""

import zipfile
from pathlib import Path

import numpy as np
from PIL import Image

SIZE = (20, 28)  # height, width
COLORS = {"ant": (250, 0, 0), "bee": (0, 250, 0), "cow": (0, 0, 250)}


def write_image_folder(root: Path, counts: dict[str, int], start: int = 0) -> Path:
    """Write one folder per class with images in the color of the class, each in a different shade.

    A name may contain a split: "train/ant".
    """
    for name, count in counts.items():
        folder = root / name
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(start, start + count):
            color = [max(0, value - number) for value in COLORS[folder.name]]
            Image.fromarray(np.full((*SIZE, 3), color, np.uint8)).save(folder / f"{number}.png")
    return root


def write_zip(root: Path, target: Path) -> Path:
    """Write a zip of a folder's contents."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(root.rglob("*")):
            file.write(path, path.relative_to(root))
    return target
