"""vitviz shows what a Vision Transformer looks at.

The public names load what they need when first asked for, so that `python -m vitviz --help` starts at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

PUBLIC = {
    "load": "vitviz.models.checkpoint",
    "explain": "vitviz.attribution.explanation",
    "METHODS": "vitviz.attribution.methods",
    "train": "vitviz.runs.training_run",
    "TrainConfig": "vitviz.training.config",
    "CheckpointError": "vitviz.models.checkpoint",
    "ImageError": "vitviz.data.preprocessing",
}

if TYPE_CHECKING:
    from vitviz.attribution.explanation import explain
    from vitviz.attribution.methods import METHODS
    from vitviz.data.preprocessing import ImageError
    from vitviz.models.checkpoint import CheckpointError, load
    from vitviz.runs.training_run import train
    from vitviz.training.config import TrainConfig

__all__ = ["METHODS", "CheckpointError", "ImageError", "TrainConfig", "explain", "load", "train"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in PUBLIC:
        raise AttributeError(f"module 'vitviz' has no attribute {name!r}")
    return getattr(import_module(PUBLIC[name]), name)
