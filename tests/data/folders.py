"""Folders of labelled images, and zips of them."""

import zipfile
from pathlib import Path

import numpy as np
from PIL import Image

SIZE = (20, 28)
COLOURS = {"ant": (250, 0, 0), "bee": (0, 250, 0), "cow": (0, 0, 250)}


def fill(root: Path, counts: dict[str, int], start: int = 0) -> Path:
    """Folders of images in their class's colour, each of another shade."""
    for name, count in counts.items():
        place = root / name
        place.mkdir(parents=True, exist_ok=True)
        for number in range(start, start + count):
            colour = [max(0, level - number) for level in COLOURS[place.name]]
            Image.fromarray(np.full((*SIZE, 3), colour, np.uint8)).save(place / f"{number}.png")
    return root


def zipped(root: Path, path: Path) -> Path:
    """A zip of all that lies in a folder."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for image in sorted(root.rglob("*")):
            file.write(image, image.relative_to(root))
    return path
