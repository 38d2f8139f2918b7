"""Hints: patch tokens of a student predict a feature map of a convnet. Not part of the package.

After Romero et al. 2015 (arXiv 1412.6550), section 2.2, but learned together with the labels. Both are read just before
their last block, whose output is too coarse in the convnet, and has no patch tokens in the student.
"""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vitviz.errors import ConfigError
from vitviz.training.convnet import ConvNet

NUM_STATISTICS_IMAGES = 2000  # for mean and standard deviation of each channel
EPS = 1e-3  # added to the standard deviations


def record_feature_maps(network: nn.Module) -> list[Tensor]:
    """Return a list to which each forward pass of a convnet appends its feature maps, bfloat16 (B, s * s, C).

    Raises:
        ConfigError: If the network is not a convnet of two blocks or more.
    """
    if not isinstance(network, ConvNet) or network.config.depth < 2:
        raise ConfigError("teacher", "must be a convnet of two blocks or more with hints", "Omit `--hints`.")
    maps: list[Tensor] = []

    def append(block: nn.Module, inputs: Any, output: Tensor) -> None:
        maps.append(output.flatten(2).mT.bfloat16().cpu().contiguous())

    network.blocks[-2].register_forward_hook(append)
    return maps


class Hints(nn.Module):
    """Linear layer that predicts standardized feature maps from the patch tokens of a student.

    Args:
        network: Student.
        maps: Feature maps of the first epochs of a training run, (epochs, n, s * s, C).

    Raises:
        ConfigError: If the student has one block only.
    """

    def __init__(self, network: Any, maps: Tensor) -> None:
        super().__init__()
        config, device = network.config, network.cls_token.device
        if config.depth < 2:
            raise ConfigError("model.depth", "must be at least 2 with hints: got 1", "Raise it.")
        self.maps = maps
        self.num_prefix_tokens = config.num_prefix_tokens
        self.tokens = torch.empty(0)  # last output of the block that is read, (B, T, D)
        network.blocks[-2].register_forward_hook(self.read)
        some = maps[0, :NUM_STATISTICS_IMAGES].to(device).float()  # (n, s * s, C)
        self.mean, self.std = some.mean((0, 1)), some.std((0, 1)) + EPS  # (C,)
        self.resize = interpolation_matrix(maps.shape[2], config.grid_size).to(device)  # (N, s * s)
        self.layer = nn.Linear(config.embed_dim, maps.shape[3], device=device)
        for parameter in self.parameters():
            nn.init.zeros_(parameter)

    def read(self, block: nn.Module, inputs: Any, output: Any) -> None:
        """Keep the tokens of a block."""
        self.tokens = output[0]

    def loss(self, epoch: int, rows: slice, keep: Tensor | None) -> Tensor:
        """Return the mean squared error, after a forward pass of the student.

        Args:
            epoch: Epoch of the maps.
            rows: Images of the batch in it.
            keep: Positions of the patches that the student saw, (B, n), counted from 0; None for all.
        """
        known = (self.maps[epoch, rows].to(self.mean.device).float() - self.mean) / self.std
        known = self.resize @ known  # (B, N, C)
        if keep is not None:
            known = known.gather(1, keep[..., None].expand(-1, -1, known.shape[2]))
        return F.mse_loss(self.layer(self.tokens[:, self.num_prefix_tokens :]).float(), known)


def interpolation_matrix(num_pixels: int, grid_size: tuple[int, int]) -> Tensor:
    """Return the matrix of bilinear interpolation of a square map to a grid of N patches, (N, num_pixels)."""
    side = math.isqrt(num_pixels)
    pixels = torch.eye(num_pixels).view(num_pixels, 1, side, side)
    return F.interpolate(pixels, grid_size, mode="bilinear", align_corners=True).flatten(1).T
