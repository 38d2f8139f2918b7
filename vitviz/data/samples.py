"""Photographs that ship with vitviz, next to the drawn samples; their sources are in `samples/photos/LICENSES.md`."""

from dataclasses import dataclass
from pathlib import Path

from vitviz.data.preprocessing import SAMPLES, sample_paths

FOLDER = SAMPLES / "photos"


@dataclass(frozen=True)
class Photo:
    """A photograph.

    Attributes:
        title: What it shows, for people.
        label: What it shows in one word; a class of CIFAR-10 if there is one for it.
        credit: Author and license.
    """

    title: str
    label: str
    credit: str


PHOTOS = {
    "chelsea": Photo("Chelsea the cat", "cat", "Stefan van der Walt, CC0"),
    "astronaut": Photo("Eileen Collins, astronaut", "astronaut", "NASA, public domain"),
    "hopper": Photo("Grace Hopper, computer scientist", "person", "James S. Davis, U.S. Navy, public domain"),
    "rocket": Photo("Launch of a Falcon 9 rocket", "rocket", "SpaceX, public domain"),
    "coffee": Photo("A cup of coffee", "coffee", "Rachel Michetti, CC0"),
}


def photo_paths() -> dict[str, Path]:
    """Return the files of the photographs by name, in the order in which they are shown."""
    return {name: FOLDER / f"{name}.jpg" for name in PHOTOS}


def example_paths() -> dict[str, Path]:
    """Return the files of all images that ship with vitviz by name: the drawn samples, then the photographs."""
    return sample_paths() | photo_paths()
