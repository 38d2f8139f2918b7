"""The tutorials' networks, tiny: all letters differ.

H 12, W 20, P 2 (strips of 4 in `tutorial-scratch`), D 18, A 3, d 6, L 2, M 40, K 7.
"""

import torch

from vitviz.models.config import ViTConfig
from vitviz.models.factory import ARCHITECTURES, create_model

TUTORIALS = [name for name in ARCHITECTURES if name.startswith("tutorial-")]


def config(architecture: str, **changes) -> ViTConfig:
    """The config of a tutorial's network."""
    sizes = {"img_size": (12, 20), "patch_size": 2, "width": 18, "depth": 2, "heads": 3, "mlp_width": 40}
    return ViTConfig(architecture=architecture, num_classes=7, **sizes | changes)


def network(architecture: str, **changes) -> torch.nn.Module:
    """A tutorial's network in evaluation mode whose weights all matter."""
    torch.manual_seed(0)
    built = create_model(config(architecture, **changes)).eval()
    with torch.no_grad():
        for weight in built.parameters():
            weight.add_(0.3 * torch.randn(weight.shape))
    return built
