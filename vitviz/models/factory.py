"""Construction of a network from its config."""

from collections.abc import Callable
from typing import Any

from vitviz.models.config import ViTConfig
from vitviz.models.tutorial_vits import LightningViT, NotebookViT, ScratchViT
from vitviz.models.vit import Transformer, ViT

ARCHITECTURES: dict[str, Callable[[Any], Transformer]] = {
    "vit": ViT,
    "tutorial-notebook": NotebookViT,
    "tutorial-lightning": LightningViT,
    "tutorial-scratch": ScratchViT,
    "tutorial-scratch-fixed": ScratchViT,
}


def create_model(config: ViTConfig) -> Transformer:
    """Create the network of a config with random weights."""
    return ARCHITECTURES[config.architecture](config)
