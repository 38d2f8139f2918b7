"""Where what was measured of a model is stored: beside its file, or in the cache folder."""

from pathlib import Path

from vitviz.files import cache_folder
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.weights import weights_sha256


def beside(checkpoint: Checkpoint, ending: str) -> list[Path]:
    """Return the path next to the file of a model, if it has one and no library keeps it."""
    files = [] if "repository" in checkpoint.pretrained else checkpoint.files[:1]
    return [file.path.with_suffix(ending) for file in files]


def cached(checkpoint: Checkpoint, ending: str) -> Path:
    """Return the path in the cache folder."""
    return cache_folder() / f"{weights_sha256(checkpoint.network)[:32]}{ending}"


def places(checkpoint: Checkpoint, ending: str) -> list[Path]:
    """Return both, in the order in which they are looked up."""
    return [*beside(checkpoint, ending), cached(checkpoint, ending)]
