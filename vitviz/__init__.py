"""vitviz shows what a Vision Transformer looks at.

The public names load what they need when first asked for, so that `python -m vitviz --help` starts at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

PUBLIC = {
    "load": "vitviz.model.checkpoint",
    "explain": "vitviz.explanation.explain",
    "METHODS": "vitviz.explanation.methods",
    "train": "vitviz.training.loop",
    "TrainConfig": "vitviz.training.recipe",
    "CheckpointError": "vitviz.model.checkpoint",
    "PictureError": "vitviz.data.pictures",
}

if TYPE_CHECKING:
    from vitviz.data.pictures import PictureError
    from vitviz.explanation.explain import explain
    from vitviz.explanation.methods import METHODS
    from vitviz.model.checkpoint import CheckpointError, load
    from vitviz.training.loop import train
    from vitviz.training.recipe import TrainConfig

__all__ = ["METHODS", "CheckpointError", "PictureError", "TrainConfig", "explain", "load", "train"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in PUBLIC:
        raise AttributeError(f"module 'vitviz' has no attribute {name!r}")
    return getattr(import_module(PUBLIC[name]), name)
