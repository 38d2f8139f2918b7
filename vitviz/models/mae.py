"""Masked autoencoder (He et al. 2022, arXiv 2111.06377): a ViT that encodes visible patches, and a decoder of pixels.

Letters in shape comments are those of `vitviz.models.vit`; further v visible and m masked patches, E decoder width.
"""

from dataclasses import fields
from typing import NamedTuple, cast

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from vitviz.data import augmentation
from vitviz.data.images import read_batch
from vitviz.data.preprocessing import ImageLike
from vitviz.errors import CheckpointError, ConfigError, InvalidValueError
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import DecoderSize, ViTConfig
from vitviz.models.hub import as_checkpoint
from vitviz.models.layers import gather_patches, patchify, sincos_pos_embed, unpatchify
from vitviz.models.modes import own_modes
from vitviz.models.vit import Block, Transformer, ViT, init_linear_layers

EPS = 1e-6  # added to the variance of a patch
UNUSED = ("fc_norm", "attn_pool", "head_proj", "head", "head_dist")  # modules of a ViT after its blocks and norm
OF_BLOCKS = ("img_size", "patch_size", "mlp_ratio", "qkv_bias", "qk_norm", "eps", "act_layer")  # as in the encoder


class Decoder(nn.Module):
    """Predict the pixels of masked patches from the encoded visible ones.

    Its blocks have the options of the encoder's, `OF_BLOCKS`, and its positions are the fixed sine-cosine embedding.
    """

    def __init__(self, encoder: ViTConfig, size: DecoderSize) -> None:
        super().__init__()
        options = {f.name: getattr(encoder, f.name) for f in fields(ViTConfig) if f.name in OF_BLOCKS}
        self.size, self.config = size, ViTConfig(**options, **size._asdict())
        E = self.config.embed_dim
        self.embed = nn.Linear(encoder.embed_dim, E)
        self.mask_token = nn.Parameter(torch.empty(1, 1, E))
        self.pos_embed = nn.Parameter(torch.empty(1, self.config.num_patches, E), requires_grad=False)
        self.blocks = nn.ModuleList(Block(self.config, 0.0) for _ in range(self.config.depth))
        self.norm = nn.LayerNorm(E, eps=self.config.eps)
        self.pred = nn.Linear(E, 3 * self.config.patch_size**2)
        self.init_weights()

    def init_weights(self) -> None:
        """Initialize all weights; those on the meta device are left as they are, see `ViT.init_weights`."""
        if self.mask_token.is_meta:
            return
        init_linear_layers(self)
        nn.init.zeros_(self.pred.weight)
        nn.init.normal_(self.mask_token, std=0.02)
        with torch.no_grad():
            self.pos_embed.copy_(sincos_pos_embed(self.config.grid_size, self.config.embed_dim))

    def forward(self, encoded: Tensor, visible: Tensor, masked: Tensor) -> Tensor:
        """Predict the normalized pixels of masked patches, (B, m, 3 P P).

        Args:
            encoded: Output of the encoder: prefix tokens and visible patches, (B, R + v, D).
            visible: Positions of the visible patches, (B, v).
            masked: Positions of the masked patches, (B, m).
        """
        prefix, m = encoded.shape[1] - visible.shape[1], masked.shape[1]
        positions = F.pad(gather_patches(self.pos_embed, visible), (0, 0, prefix, 0))  # (B, R + v, E)
        masks = self.mask_token + gather_patches(self.pos_embed, masked)  # (B, m, E)
        # Masked patches first: the last block computes only their outputs.
        x = torch.cat([masks, self.embed(encoded) + positions], 1)  # (B, R + N, E)
        for layer, block in enumerate(self.blocks):
            x, _ = block(x, m if layer == len(self.blocks) - 1 else x.shape[1], None)
        return self.pred(self.norm(x))


class MaskedAutoencoder(nn.Module):
    """A ViT and a decoder."""

    def __init__(self, vit: ViT, decoder: Decoder) -> None:
        super().__init__()
        self.vit, self.decoder = vit, decoder

    def forward(self, images: Tensor, noise: Tensor, mask_ratio: float) -> Tensor:
        """Return the loss: mean squared error of the masked patches, each normalized by its own mean and variance.

        Args:
            images: Normalized images, (B, 3, H, W).
            noise: Random numbers, (B, N): the patches with the smallest ones are visible.
            mask_ratio: Fraction of masked patches; at least one is visible, and one masked.
        """
        visible, masked = split_patches(noise, mask_ratio)
        patches = patchify(images, self.vit.config.patch_size)  # (B, N, 3 P P)
        predicted = self.predict(patches, visible, masked)
        target = gather_patches(patches, masked)  # (B, m, 3 P P)
        variance, mean = torch.var_mean(target, -1, keepdim=True)
        return F.mse_loss(predicted.to(target.dtype), (target - mean) / (variance + EPS).sqrt())

    def predict(self, patches: Tensor, visible: Tensor, masked: Tensor) -> Tensor:
        """Predict the normalized pixels of masked patches (B, m, 3 P P) from patches (B, N, 3 P P)."""
        x = self.vit.embed(gather_patches(patches, visible), visible)  # (B, R + v, D)
        x, _ = self.vit.forward_blocks(x, None, all_tokens=True, keep=visible)
        return self.decoder(self.vit.norm(x), visible, masked)

    @torch.no_grad()
    def reconstruct(self, images: Tensor, mask: Tensor) -> Tensor:
        """Return images whose masked patches are predicted, (B, 3, H, W).

        A prediction is relative to mean and variance of its patch, which are those of the original.

        Args:
            images: Normalized images, (B, 3, H, W).
            mask: Whether each patch is masked, (B, gh, gw), the same number in all images.
        """
        config = self.vit.config
        order = mask.flatten(1).int().argsort(dim=1, stable=True)  # (B, N), visible patches first
        visible, masked = order.tensor_split([config.num_patches - int(mask[0].sum())], 1)
        patches = patchify(images, config.patch_size)  # (B, N, 3 P P)
        variance, mean = torch.var_mean(gather_patches(patches, masked), -1, keepdim=True)
        predicted = self.predict(patches, visible, masked) * (variance + EPS).sqrt() + mean  # (B, m, 3 P P)
        patches = patches.scatter(1, masked.unsqueeze(-1).expand_as(predicted), predicted.to(patches.dtype))
        return unpatchify(patches, config.grid_size)


def load_autoencoder(checkpoint: Checkpoint) -> MaskedAutoencoder:
    """Return network and decoder of a checkpoint.

    Raises:
        CheckpointError: If it has no decoder.
    """
    if checkpoint.decoder is None:
        raise CheckpointError(
            f"A reconstruction needs a model with a decoder: {checkpoint.name} has none",
            "Train one with `objective=mae`.",
            "model",
        )
    weight = checkpoint.weight
    return MaskedAutoencoder(cast(ViT, checkpoint.network), checkpoint.decoder.to(weight)).eval()


class Reconstruction(NamedTuple):
    """An image, its masked patches, and what the decoder predicts for them."""

    image: NDArray[np.uint8]  # input of the model, (H, W, 3)
    mask: NDArray[np.bool_]  # masked patches, (gh, gw)
    pixels: NDArray[np.uint8]  # the image with its masked patches predicted, (H, W, 3)


def reconstruct(
    model: Checkpoint | nn.Module,
    image: ImageLike,
    mask: ArrayLike | None = None,
    seed: int = 0,
    mask_ratio: float = 0.75,
) -> Reconstruction:
    """Predict the masked patches of an image.

    The decoder predicts each patch relative to its mean and standard deviation; those of the original are used.

    Args:
        model: From `load` or `train`, trained with `objective=mae`.
        image: As for `explain`.
        mask: Masked patches, (gh, gw) of bool; None for random ones.
        seed: Of the random mask.
        mask_ratio: Its fraction of masked patches.

    Raises:
        CheckpointError: If the model has no decoder.
        ConfigError: If the mask does not fit the grid, or leaves no patch visible or none masked; or for its ratio.
        ImageError: If the image cannot be read.
    """
    model = as_checkpoint(model)
    pixels = read_batch([image], model.config.img_size, model.resize)  # (1, 3, H, W)
    if not 0 < mask_ratio < 1:
        raise InvalidValueError("mask_ratio", "a number above 0 and below 1", mask_ratio)
    if mask is None:
        masks = random_mask(1, model.config.grid_size, mask_ratio, seed)
    else:
        masks = torch.as_tensor(np.asarray(mask, bool))[None]  # (1, gh, gw)
    found = reconstruct_images(model, pixels, masks)
    before, after = (one[0].permute(1, 2, 0).numpy() for one in (pixels, found))
    return Reconstruction(before, masks[0].numpy(), after)


@own_modes()
def reconstruct_images(checkpoint: Checkpoint, images: Tensor, mask: Tensor) -> Tensor:
    """Return uint8 images (B, 3, H, W) with the patches of `mask` (B, gh, gw) predicted, as `reconstruct` does."""
    autoencoder, (gh, gw) = load_autoencoder(checkpoint), checkpoint.config.grid_size
    if mask.shape[1:] != (gh, gw):
        shape = " x ".join(map(str, mask.shape[1:]))
        raise ConfigError("mask", f"must have the grid of the model, {gh} x {gw} patches: got {shape}")
    if not 0 < (count := int(mask[0].sum())) < gh * gw:
        raise ConfigError("mask", f"must leave some patches visible and mask some: got {count} of {gh * gw} masked")
    inputs = checkpoint.normalize(images)
    found = autoencoder.reconstruct(inputs, mask.to(inputs.device))
    return augmentation.denormalize(found, checkpoint.mean, checkpoint.std).to(images.device)


def split_patches(noise: Tensor, mask_ratio: float) -> tuple[Tensor, Tensor]:
    """Return the positions of visible patches (B, v), those with the smallest noise (B, N), and of the masked ones."""
    N = noise.shape[1]
    num_visible = min(max(1, int(N * (1 - mask_ratio))), N - 1)
    visible, masked = noise.argsort(1).tensor_split([num_visible], 1)
    return visible, masked


def random_noise(count: int, num_patches: int, seed: int = 0) -> Tensor:
    """Draw the noise of a random mask for a number of images, (count, N)."""
    return torch.rand(count, num_patches, generator=torch.Generator().manual_seed(seed))


def random_mask(count: int, grid_size: tuple[int, int], mask_ratio: float, seed: int = 0) -> Tensor:
    """Draw random masks, (count, gh, gw) of bool."""
    noise = random_noise(count, grid_size[0] * grid_size[1], seed)
    return (
        torch.zeros_like(noise, dtype=torch.bool)
        .scatter(1, split_patches(noise, mask_ratio)[1], True)
        .unflatten(1, grid_size)
    )


def freeze_head(model: Transformer) -> None:
    """Exclude what the encoder does not use from training: DistributedDataParallel waits for every trained weight."""
    for name in UNUSED:
        if isinstance(module := getattr(model, name, None), nn.Module):
            module.requires_grad_(False)
