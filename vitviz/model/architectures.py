"""A config -> the network it describes."""

from collections.abc import Callable

from vitviz.model.config import ViTConfig
from vitviz.model.tutorials import LightningViT, NotebookViT, ScratchViT, TutorialViT
from vitviz.model.vit import ViT

Network = ViT | TutorialViT
ARCHITECTURES: dict[str, Callable[[ViTConfig], Network]] = {
    "vit": ViT,
    "tutorial-notebook": NotebookViT,
    "tutorial-lightning": LightningViT,
    "tutorial-scratch": ScratchViT,
    "tutorial-scratch-mended": ScratchViT,
}


def build(config: ViTConfig) -> Network:
    """Build the network of a config, with fresh weights."""
    return ARCHITECTURES[config.architecture](config)
