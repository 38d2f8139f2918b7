"""Hints: patch tokens of a student predict a feature map of a convnet. Not part of the package.

After Romero et al. 2015 (arXiv 1412.6550), section 2.2, but learned together with the labels. The convnet is read
before its last block, whose output is too coarse, and the student after two thirds of its blocks.
"""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vitviz.errors import ConfigError
from vitviz.training.convnet import ConvNet

NUM_COMPONENTS = 96  # kept of the channels: all of a convnet of width 32
EPS = 1e-3  # added to the standard deviations


class MapRecorder:
    """Keeps the feature map of each forward pass of a convnet: principal components of its standardized channels.

    Statistics and components are those of the first batch; the mean variance of the components is one.

    Raises:
        ConfigError: If the network is not a convnet of two blocks or more.
    """

    def __init__(self, network: nn.Module) -> None:
        if not isinstance(network, ConvNet) or network.config.depth < 2:
            raise ConfigError("teacher", "must be a convnet of two blocks or more with hints", "Omit `--hints`.")
        self.projection: tuple[Tensor, Tensor] | None = None  # mean (C,) and components (C, k)
        self.maps: list[Tensor] = []
        network.blocks[-2].register_forward_hook(self.append)

    def append(self, block: nn.Module, inputs: Any, output: Tensor) -> None:
        """Keep the output (B, C, s, s) of the block."""
        with torch.autocast(output.device.type, enabled=False):
            pixels = output.float().flatten(2).mT  # (B, s * s, C)
            if self.projection is None:
                self.projection = principal_components(pixels.flatten(0, 1))
            mean, components = self.projection
            self.maps.append(((pixels - mean) @ components).bfloat16().cpu())

    def pop(self, num_samples: int) -> Tensor:
        """Return the maps since the last call, bfloat16 (epochs, n, s * s, k)."""
        maps, self.maps = torch.cat(self.maps), []
        return maps.unflatten(0, (-1, num_samples))


def principal_components(samples: Tensor) -> tuple[Tensor, Tensor]:
    """Return the mean (C,) of samples (m, C), and the map (C, k) from centered samples to their components."""
    mean, std = samples.mean(0), samples.std(0) + EPS
    standardized = (samples - mean) / std
    variances, components = torch.linalg.eigh(standardized.T @ standardized / len(samples))  # ascending
    variances, components = variances[-NUM_COMPONENTS:], components[:, -NUM_COMPONENTS:]
    return mean, components / std[:, None] / variances.mean().sqrt()


class Hints(nn.Module):
    """Linear layer that predicts feature maps from the patch tokens of a student.

    Args:
        network: Student.
        num_channels: Of a feature map.

    Raises:
        ConfigError: If the student has one block only.
    """

    def __init__(self, network: Any, num_channels: int) -> None:
        super().__init__()
        config = network.config
        if config.depth < 2:
            raise ConfigError("model.depth", "must be at least 2 with hints: got 1", "Raise it.")
        self.num_prefix_tokens = config.num_prefix_tokens
        self.tokens = torch.empty(0)  # last output of the block that is read, (B, T, D)
        network.blocks[round(config.depth * 2 / 3) - 1].register_forward_hook(self.read)
        self.grid_size = config.grid_size
        self.layer = nn.Linear(config.embed_dim, num_channels, device=next(network.parameters()).device)
        for parameter in self.parameters():
            nn.init.zeros_(parameter)

    def read(self, block: nn.Module, inputs: Any, output: Any) -> None:
        """Keep the tokens of a block."""
        self.tokens = output[0]

    def loss(self, maps: Tensor, keep: Tensor | None) -> Tensor:
        """Return the mean squared error from maps (B, s * s, C), after a forward pass of the student.

        `keep` has the positions of the patches that it saw, (B, n), counted from 0; None for all.
        """
        side = math.isqrt(maps.shape[1])
        known = maps.to(self.layer.weight).mT.unflatten(2, (side, side))  # (B, C, s, s)
        known = F.interpolate(known, self.grid_size, mode="bilinear", align_corners=True).flatten(2).mT  # (B, N, C)
        if keep is not None:
            known = known.gather(1, keep[..., None].expand(-1, -1, known.shape[2]))
        return F.mse_loss(self.layer(self.tokens[:, self.num_prefix_tokens :]).float(), known)
