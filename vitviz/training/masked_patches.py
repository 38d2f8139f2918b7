"""Self-supervised pre-training by masked patch prediction.

Dosovitskiy et al. 2021, arXiv 2010.11929, appendix B.1.2: half of the patch embeddings are corrupted, and the network
predicts the mean color of each of those patches, 3 bits per channel.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vitviz.data import augmentation, cifar
from vitviz.data.image_cache import Channels
from vitviz.models.vit import ViT

CORRUPT_RATIO = 0.5  # fraction of patches
MASK_RATIO, SWAP_RATIO = 0.8, 0.1  # of those: replaced by [mask], by another patch; the rest is unchanged
LEVELS = 8  # per channel, so 512 colors
UNUSED = ("fc_norm", "attn_pool", "head_proj", "head", "head_dist")  # modules after the blocks


class MaskedPatches(nn.Module):
    """A ViT with a learned mask token and a linear color head, for images normalized by mean and std of channels."""

    def __init__(self, vit: ViT, mean: Channels = cifar.MEAN, std: Channels = cifar.STD) -> None:
        super().__init__()
        self.vit, self.mean, self.std = vit, mean, std
        for name in UNUSED:  # DistributedDataParallel waits for every trained parameter
            if isinstance(module := getattr(vit, name, None), nn.Module):
                module.requires_grad_(False)
        self.mask_token = nn.Parameter(0.02 * torch.randn(vit.config.embed_dim))
        self.color_head = nn.Linear(vit.config.embed_dim, LEVELS**3)
        nn.init.zeros_(self.color_head.weight)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Predict the colors of the corrupted patches of normalized images (B, 3, H, W).

        Returns:
            Mean cross-entropy over the corrupted patches (nats), and accuracy on them; two scalars.
        """
        patches = self.vit.patch_embed(images)  # (B, N, D)
        corrupted, patches = self.corrupt(patches)
        x, _ = self.vit.forward_blocks(self.vit.embed(patches, None), None, all_tokens=True)  # (B, T, D)
        logits = self.color_head(self.vit.norm(x[:, self.vit.config.num_prefix_tokens :])).transpose(1, 2)
        colors = mean_colors(images, self.vit.config.patch_size, self.mean, self.std)  # (B, N), logits (B, 512, N)
        losses = F.cross_entropy(logits.float(), colors, reduction="none")  # (B, N)
        count = corrupted.sum().clamp(min=1)
        correct = (logits.argmax(1) == colors) & corrupted
        return (losses * corrupted).sum() / count, correct.sum() / count

    def corrupt(self, patches: Tensor) -> tuple[Tensor, Tensor]:
        """Corrupt random patch embeddings (B, N, D); return their mask (B, N) and the new embeddings (B, N, D)."""
        B, N, _ = patches.shape
        corrupted = torch.rand(B, N, device=patches.device) < CORRUPT_RATIO
        kind = torch.rand(B, N, device=patches.device).where(corrupted, 1.0)
        others = patches.flatten(0, 1)[torch.randint(B * N, (B, N), device=patches.device)]  # (B, N, D)
        patches = torch.where((kind < MASK_RATIO).unsqueeze(-1), self.mask_token.to(patches.dtype), patches)
        swapped = (kind >= MASK_RATIO) & (kind < MASK_RATIO + SWAP_RATIO)
        return corrupted, torch.where(swapped.unsqueeze(-1), others, patches)

    @torch.inference_mode()
    def measure_accuracy(self, images: Tensor, batch_size: int = 500) -> float:
        """Return the accuracy on randomly corrupted patches of uint8 images (n, 3, H, W)."""
        correct = torch.zeros((), device=images.device)
        for batch in images.split(batch_size):
            correct += len(batch) * self(augmentation.normalize(batch, self.mean, self.std))[1]
        return correct.item() / len(images)


def mean_colors(images: Tensor, patch_size: int, mean: Channels = cifar.MEAN, std: Channels = cifar.STD) -> Tensor:
    """Quantize the mean color of each patch of normalized images (B, 3, H, W) to 0..511, (B, N); red counts most."""
    shift, scale = (images.new_tensor(values).view(1, 3, 1, 1) for values in (mean, std))
    means = F.avg_pool2d(images.float() * scale + shift, patch_size)  # (B, 3, gh, gw), in 0..1
    levels = (means * LEVELS).long().clamp(0, LEVELS - 1).flatten(2)  # (B, 3, N)
    return (levels[:, 0] * LEVELS + levels[:, 1]) * LEVELS + levels[:, 2]
