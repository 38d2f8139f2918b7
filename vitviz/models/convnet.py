"""Convolutional network: a teacher for knowledge distillation, without attention.

A stem, two convolutions per block and a linear head, after Page 2018 ("How to train your ResNet") and Jordan 2024
(arXiv 2404.00498). GroupNorm (Wu & He 2018, arXiv 1803.08494) has no running statistics, so an average of the weights
is a complete network, and processes need not synchronize statistics.
"""

import math
from typing import NoReturn

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vitviz.models.config import ConvNetConfig
from vitviz.models.vit import HeadMasks

NUM_GROUPS = 8  # of GroupNorm
WIDTH_FACTOR = 4  # channels of the later blocks, relative to the first
NO_ATTENTION = "The model must be a Vision Transformer: a convnet has no attention. It can only be used as a teacher."


class ConvBlock(nn.Module):
    """Two convolutions; the first halves both image sides, the second has a residual connection."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        groups = math.gcd(NUM_GROUPS, out_channels)
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, padding=1, bias=False)
        self.norm1 = nn.GroupNorm(groups, out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.GroupNorm(groups, out_channels)

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, C, H, W) to (B, D, H // 2, W // 2)."""
        x = F.gelu(self.norm1(F.max_pool2d(self.conv1(x), 2)))  # (B, D, H // 2, W // 2)
        return x + F.gelu(self.norm2(self.conv2(x)))


class ConvNet(nn.Module):
    """Convolutional classifier."""

    def __init__(self, config: ConvNetConfig) -> None:
        super().__init__()
        self.config = config
        widths = [config.embed_dim, *[WIDTH_FACTOR * config.embed_dim] * (config.depth - 1)]
        self.stem = nn.Conv2d(3, config.embed_dim, 3, padding=1)
        self.blocks = nn.ModuleList(
            ConvBlock(channels, width) for channels, width in zip([config.embed_dim, *widths], widths, strict=False)
        )
        self.head = nn.Linear(widths[-1], config.num_classes)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, images: Tensor, keep: Tensor | None = None, head_masks: HeadMasks = None) -> Tensor:
        """Compute the logits (B, K) of normalized images (B, 3, H, W).

        Raises:
            ValueError: If `keep` or `head_masks` is given; a convnet has neither patches nor heads.
        """
        if keep is not None or head_masks is not None:
            raise ValueError(NO_ATTENTION)
        images = images.contiguous(memory_format=torch.channels_last)  # faster convolutions
        x = self.stem(images)  # (B, D, H, W)
        for block in self.blocks:
            x = block(x)
        return self.head(x.amax((2, 3)))

    def forward_with_attention(self, *args: object, **kwargs: object) -> NoReturn:
        """Raise ValueError, as a convnet has no attention."""
        raise ValueError(NO_ATTENTION)
