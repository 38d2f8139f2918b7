"""A config -> the network it describes."""

from collections.abc import Callable

from vitviz.models.config import ViTConfig
from vitviz.models.convnet import ConvNet
from vitviz.models.tutorial_vits import LightningViT, NotebookViT, ScratchViT, TutorialViT
from vitviz.models.vit import ViT

Transformer = ViT | TutorialViT
Network = Transformer | ConvNet
ARCHITECTURES: dict[str, Callable[[ViTConfig], Network]] = {
    "vit": ViT,
    "tutorial-notebook": NotebookViT,
    "tutorial-lightning": LightningViT,
    "tutorial-scratch": ScratchViT,
    "tutorial-scratch-fixed": ScratchViT,
    "convnet": ConvNet,
}


def create_model(config: ViTConfig) -> Network:
    """Build the network of a config, with fresh weights."""
    return ARCHITECTURES[config.architecture](config)
