"""Construction of a network from its config."""

from collections.abc import Callable
from typing import Any

from vitviz.models.config import ModelConfig
from vitviz.models.convnet import NO_ATTENTION, ConvNet
from vitviz.models.tutorial_vits import LightningViT, NotebookViT, ScratchViT
from vitviz.models.vit import Transformer, ViT

Network = Transformer | ConvNet
ARCHITECTURES: dict[str, Callable[[Any], Network]] = {
    "vit": ViT,
    "tutorial-notebook": NotebookViT,
    "tutorial-lightning": LightningViT,
    "tutorial-scratch": ScratchViT,
    "tutorial-scratch-fixed": ScratchViT,
    "convnet": ConvNet,
}


def create_model(config: ModelConfig) -> Network:
    """Create the network of a config with random weights."""
    return ARCHITECTURES[config.architecture](config)


def require_transformer(network: Network) -> Transformer:
    """Return the network if it has attention; raise ValueError if it is a convnet."""
    if not isinstance(network, Transformer):
        raise ValueError(NO_ATTENTION)
    return network
