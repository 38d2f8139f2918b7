"""Images without labels -> a network that can guess what is hidden.

Masked patch prediction (Dosovitskiy et al. 2021, arXiv 2010.11929, appendix B.1.2): half of the patch embeddings are
corrupted, and the network names the mean colour of each of those patches, to 3 bits a channel.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vitviz.data import cifar
from vitviz.data.datasets import Channels
from vitviz.models.vit import ViT

CORRUPTED = 0.5  # share of patches
HIDDEN, EXCHANGED = 0.8, 0.1  # of those: [mask] in its place, another patch in its place; the rest stays as it is
LEVELS = 8  # a channel, so 512 colours


class MaskedPatches(nn.Module):
    """A network with what it needs to guess hidden patches: a learned [mask] and a head that names colours.

    Args:
        vit: The network.
        mean: Of each colour channel, in 0..1, with which its input is normalised.
        std: Standard deviation of each.
    """

    def __init__(self, vit: ViT, mean: Channels = cifar.MEAN, std: Channels = cifar.STD) -> None:
        super().__init__()
        self.vit, self.mean, self.std = vit, mean, std
        vit.head.requires_grad_(False)  # no label is looked at, and several processes wait for all that learns
        self.mask = nn.Parameter(0.02 * torch.randn(vit.config.embed_dim))
        self.colours = nn.Linear(vit.config.embed_dim, LEVELS**3)
        nn.init.zeros_(self.colours.weight)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Guess the corrupted patches of normalised images (B, 3, H, W).

        Returns:
            The mean cross-entropy over them in nats, and the share of them whose colour is named right; two numbers.
        """
        patches = self.vit.patch_embed(images)  # (B, N, D)
        corrupted, patches = self.corrupt(patches)
        x, _ = self.vit.forward_features(self.vit.embed(patches, None), None, all_tokens=True)  # (B, T, D)
        guesses = self.colours(self.vit.norm(x[:, self.vit.config.num_prefix_tokens :])).transpose(1, 2)  # (B, 512, N)
        truth = mean_colours(images, self.vit.config.patch_size, self.mean, self.std)  # (B, N)
        losses = F.cross_entropy(guesses.float(), truth, reduction="none")  # (B, N)
        count = corrupted.sum().clamp(min=1)
        right = (guesses.argmax(1) == truth) & corrupted
        return (losses * corrupted).sum() / count, right.sum() / count

    def corrupt(self, patches: Tensor) -> tuple[Tensor, Tensor]:
        """Draw which patches (B, N, D) to corrupt, (B, N), and corrupt them."""
        B, N, _ = patches.shape
        corrupted = torch.rand(B, N, device=patches.device) < CORRUPTED
        kind = torch.rand(B, N, device=patches.device).where(corrupted, 1.0)
        others = patches.flatten(0, 1)[torch.randint(B * N, (B, N), device=patches.device)]  # (B, N, D)
        patches = torch.where((kind < HIDDEN).unsqueeze(-1), self.mask.to(patches.dtype), patches)
        exchanged = (kind >= HIDDEN) & (kind < HIDDEN + EXCHANGED)
        return corrupted, torch.where(exchanged.unsqueeze(-1), others, patches)


def mean_colours(images: Tensor, patch_size: int, mean: Channels = cifar.MEAN, std: Channels = cifar.STD) -> Tensor:
    """Name the mean colour of each patch of normalised images (B, 3, H, W) -> 0..511, (B, N), red counting most."""
    shift, scale = (images.new_tensor(values).view(1, 3, 1, 1) for values in (mean, std))
    means = F.avg_pool2d(images.float() * scale + shift, patch_size)  # (B, 3, gh, gw), in 0..1
    levels = (means * LEVELS).long().clamp(0, LEVELS - 1).flatten(2)  # (B, 3, N)
    return (levels[:, 0] * LEVELS + levels[:, 1]) * LEVELS + levels[:, 2]
