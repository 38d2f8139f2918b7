"""Images -> logits by convolutions: no attention and nothing to look at, but a good teacher for those that have it.

A stem, two convolutions a block and a linear head, in the manner of Page 2018 ("How to train your ResNet") and Jordan
2024 (arXiv 2404.00498). Groups of channels are normalised within each image (Wu & He 2018, arXiv 1803.08494), so that
there are no running statistics: the average of the weights is a whole network, and a process has all it needs.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vitviz.models.config import ViTConfig
from vitviz.models.vit import Attentions, Classifier, ForwardOutput, HeadMasks

GROUPS = 8  # of channels that are normalised together
GROWTH = 4  # channels after the first block, for one in it
NO_ATTENTION = "Only attention can be looked at: a convnet has none, and only teaches. Choose a Vision Transformer."


class ConvBlock(nn.Module):
    """Two convolutions: the first one halves both sides of the image, the second one adds to what it gets."""

    def __init__(self, channels: int, width: int) -> None:
        super().__init__()
        groups = math.gcd(GROUPS, width)
        self.conv1 = nn.Conv2d(channels, width, 3, padding=1, bias=False)
        self.norm1 = nn.GroupNorm(groups, width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm2 = nn.GroupNorm(groups, width)

    def forward(self, x: Tensor) -> Tensor:
        """(B, C, H, W) -> (B, D, H // 2, W // 2)."""
        x = F.gelu(self.norm1(F.max_pool2d(self.conv1(x), 2)))  # (B, D, H // 2, W // 2)
        return x + F.gelu(self.norm2(self.conv2(x)))


class ConvNet(Classifier):
    """A convolutional network; of its config it reads width, depth, classes and the size of the images."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        self.config = config
        widths = [config.embed_dim, *[GROWTH * config.embed_dim] * (config.depth - 1)]
        self.stem = nn.Conv2d(3, config.embed_dim, 3, padding=1)
        self.blocks = nn.ModuleList(
            ConvBlock(channels, width) for channels, width in zip([config.embed_dim, *widths], widths, strict=False)
        )
        self.head = nn.Linear(widths[-1], config.num_classes)
        for undecided in (self.head.weight, self.head.bias):
            nn.init.zeros_(undecided)

    def forward_blocks(
        self, images: Tensor, attentions: Attentions, keep: Tensor | None = None, head_masks: HeadMasks = None
    ) -> ForwardOutput:
        """One pass; there are neither attention nor patches nor heads to ask for.

        Raises:
            ValueError: If one asks.
        """
        if attentions is not None or keep is not None or head_masks is not None:
            raise ValueError(NO_ATTENTION)
        images = images.contiguous(memory_format=torch.channels_last)  # convolutions are faster so
        x = self.stem(images)  # (B, D, H, W)
        for block in self.blocks:
            x = block(x)
        seen = x.amax((2, 3))  # (B, width of the last block)
        return ForwardOutput(self.head(seen), [], seen)
