"""Tiny versions of the tutorial networks; every dimension has a different size.

H 12, W 20, P 2 (strips of 4 in `tutorial-scratch`), D 18, A 3, d 6, L 2, M 40, K 7.
"""

from typing import Any

import torch

from vitviz.models.config import ViTConfig
from vitviz.models.factory import ARCHITECTURES, create_model

TUTORIALS = [name for name in ARCHITECTURES if name.startswith("tutorial-")]
SIZES: dict[str, Any] = {
    "img_size": (12, 20),
    "patch_size": 2,
    "embed_dim": 18,
    "depth": 2,
    "num_heads": 3,
    "mlp_ratio": 40 / 18,
    "num_classes": 7,
}


def config(architecture: str, **changes: Any) -> ViTConfig:
    """Return the config of a tutorial network."""
    return ViTConfig(architecture=architecture, **SIZES | changes)


def network(architecture: str, **changes: Any) -> torch.nn.Module:
    """Create a tutorial network in evaluation mode, with noise added to all weights."""
    torch.manual_seed(0)
    model = create_model(config(architecture, **changes)).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.3 * torch.randn(weight.shape))
    return model
