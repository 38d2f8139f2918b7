"""Convolutional network: a teacher for knowledge distillation, without attention.

After Jordan 2024 (arXiv 2404.00498), section 3: a frozen layer that whitens 2 x 2 patches, then blocks of two
convolutions with BatchNorm whose convolutions start as partial identities, and a linear head.
"""

from typing import NoReturn

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vitviz.models.config import ConvNetConfig
from vitviz.models.vit import Interventions

PATCH = 2  # side of a whitened patch (px)
WHITENED = 2 * 3 * PATCH**2  # channels of the whitening layer: each principal component and its negative
WHITENING_EPS = 5e-4  # added to the variances of the components
WIDTH_FACTOR = 3  # channels of the later blocks, relative to the first
BATCHNORM_MOMENTUM = 0.4  # weight of a batch in the running statistics
LOGIT_SCALE = 1 / 9
NO_ATTENTION = "The model must be a Vision Transformer: a convnet has no attention. It can only be used as a teacher."


class BatchNorm(nn.Module):
    """BatchNorm (Ioffe & Szegedy 2015, arXiv 1502.03167) with a bias and without a weight."""

    running_mean: Tensor
    running_var: Tensor

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))

    def forward(self, x: Tensor) -> Tensor:
        """Normalize each channel of (B, C, H, W) over the batch, in eval mode by the running statistics."""
        ones = torch.ones_like(self.bias)  # several times as fast on a CPU as no weight
        statistics = self.running_mean, self.running_var
        return F.batch_norm(x, *statistics, ones, self.bias, self.training, BATCHNORM_MOMENTUM)


class ConvBlock(nn.Module):
    """Two convolutions; max pooling after the first halves both image sides."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, padding=1, bias=False)
        self.norm1 = BatchNorm(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = BatchNorm(out_channels)
        for conv in (self.conv1, self.conv2):
            nn.init.dirac_(conv.weight[: conv.in_channels])  # identity of the first channels

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, C, H, W) to (B, D, H // 2, W // 2)."""
        x = F.gelu(self.norm1(F.max_pool2d(self.conv1(x), 2)))  # (B, D, H // 2, W // 2)
        return F.gelu(self.norm2(self.conv2(x)))


class ConvNet(nn.Module):
    """Convolutional classifier."""

    def __init__(self, config: ConvNetConfig) -> None:
        super().__init__()
        self.config = config
        widths = [config.embed_dim, *[WIDTH_FACTOR * config.embed_dim] * (config.depth - 1)]
        self.stem = nn.Conv2d(3, WHITENED, PATCH, bias=False)
        self.stem.weight.requires_grad_(False)
        self.blocks = nn.ModuleList(
            ConvBlock(channels, width) for channels, width in zip([WHITENED, *widths], widths, strict=False)
        )
        self.head = nn.Linear(widths[-1], config.num_classes, bias=False)

    @torch.no_grad()
    def init_whitening(self, images: Tensor) -> None:
        """Set the filters of the stem from normalized training images (n, 3, H, W).

        Their outputs over all 2 x 2 patches have variance one and are uncorrelated (Jordan 2024, section 3.2).
        """
        patches = F.unfold(images, PATCH).transpose(1, 2).flatten(0, 1)  # (n * patches, 12)
        variances, components = torch.linalg.eigh(patches.T @ patches / len(patches))
        filters = (components / (variances + WHITENING_EPS).sqrt()).T.view(-1, 3, PATCH, PATCH)
        self.stem.weight.copy_(torch.cat([filters, -filters]))

    def forward(self, images: Tensor, keep: Tensor | None = None, interventions: Interventions = None) -> Tensor:
        """Compute the logits (B, K) of normalized images (B, 3, H, W).

        Raises:
            ValueError: If `keep` or `interventions` is given; a convnet has neither patches nor heads.
        """
        if keep is not None or interventions is not None:
            raise ValueError(NO_ATTENTION)
        images = images.contiguous(memory_format=torch.channels_last)  # faster convolutions
        x = F.gelu(self.stem(images))  # (B, 24, H - 1, W - 1)
        for block in self.blocks:
            x = block(x)
        return self.head(x.amax((2, 3))) * LOGIT_SCALE

    def forward_with_attention(self, *args: object, **kwargs: object) -> NoReturn:
        """Raise ValueError, as a convnet has no attention."""
        raise ValueError(NO_ATTENTION)
