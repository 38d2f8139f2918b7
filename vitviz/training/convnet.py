"""Convolutional network of the shipped teacher, without attention.

After Jordan 2024 (arXiv 2404.00498), section 3: a frozen layer of 2 x 2 filters, blocks of two convolutions with
BatchNorm, and a linear head. `recipes/cifar10_distilled.py` trains it.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor, nn

from vitviz.errors import CheckpointError, ConfigError
from vitviz.models.checkpoint import Checkpoint, load
from vitviz.models.config import ImageSize, NumClasses, check_fields

PATCH = 2  # side of the filters of the first layer (px)
STEM_CHANNELS = 2 * 3 * PATCH**2  # of the first layer: each principal component of a patch, and its negative
WIDTH_FACTOR = 3  # channels of the later blocks, relative to the first
BATCHNORM_MOMENTUM = 0.4  # weight of a batch in the running statistics
LOGIT_SCALE = 1 / 9


@dataclass(frozen=True)
class ConvNetConfig:
    """Configuration of a `ConvNet`.

    Raises:
        ConfigError: If a value is out of range or the image is too small for the depth.
    """

    img_size: ImageSize = (32, 32)
    embed_dim: Annotated[int, Field(ge=1, le=8192, description="Channels of the first block.")] = 128
    depth: Annotated[int, Field(ge=1, le=128, description="Number of blocks; each halves the image.")] = 3
    num_classes: NumClasses = 10
    architecture: Annotated[Literal["convnet"], Field(description="Network class.")] = "convnet"
    is_captured: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_fields(self)
        if (min(self.img_size) - 1) >> self.depth == 0:
            height, width = self.img_size
            problem = (
                "must leave at least 1 pixel, as the first layer takes one and each block halves the image: got "
                f"{self.depth} for {height} x {width} pixels"
            )
            raise ConfigError("depth", problem, "Use fewer blocks.")


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
        self.stem = nn.Conv2d(3, STEM_CHANNELS, PATCH, bias=False)
        self.blocks = nn.ModuleList(
            ConvBlock(channels, width) for channels, width in zip([STEM_CHANNELS, *widths], widths, strict=False)
        )
        self.head = nn.Linear(widths[-1], config.num_classes, bias=False)

    def forward(self, images: Tensor) -> Tensor:
        """Compute the logits (B, K) of normalized images (B, 3, H, W)."""
        images = images.contiguous(memory_format=torch.channels_last)  # faster convolutions
        x = F.gelu(self.stem(images))  # (B, 24, H - 1, W - 1)
        for block in self.blocks:
            x = block(x)
        return self.head(x.amax((2, 3))) * LOGIT_SCALE


def load_convnet(name: str | Path) -> Checkpoint:
    """Load the checkpoint of a `ConvNet`; the errors are those of `vitviz.models.checkpoint.load`."""

    def create(metadata: dict[str, Any]) -> ConvNet:
        try:
            with torch.device("meta"):
                return ConvNet(ConvNetConfig(**metadata["config"]))
        except (ConfigError, TypeError) as error:
            raise CheckpointError(f"The config of a convnet must be valid: {error!s:.200}", field="config") from None

    return load(name, create=create)
