"""Layers of the ViT: attention weights, rotary positions, MLPs, attention pooling, patch and position embeddings.

Letters in shape comments are those of `vitviz.models.vit`.
"""

import math
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vitviz.models.config import ViTConfig

ANTIALIASED: dict[str, Any] = {"mode": "bicubic", "antialias": True}  # how positions are interpolated
PLAIN: dict[str, Any] = {"mode": "bicubic"}
Attentions = Literal["cls", "tokens", "full"] | None  # "tokens": no weights, but the inputs of the blocks


def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attentions: Attentions,
    out: Tensor | None = None,
    bias: Tensor | None = None,
    fused: bool | None = None,
) -> tuple[Tensor, Tensor | None]:
    """Compute scaled dot-product attention, and the requested weights.

    The fused kernel does not hold the weights; the row of the class token costs one small product more. The explicit
    products return all weights, and are also used for a single query.

    Args:
        q: Queries (B, A, Q, d); Q is T, or 1 for the class token alone.
        k: Keys (B, A, T, d).
        v: Values (B, A, T, d).
        attentions: Weights to return.
        out: Memory for all weights, (B, A, T, T), without gradients; used for "full" with all queries.
        bias: Added to the scores, (1 or B, A, Q, T).
        fused: Whether to use the fused kernel if it can; None where nobody has measured it: not for bfloat16 on CPUs,
            where a forward pass takes 1.1 to 1.6 times as long with it (torch 2.11, Zen 5).

    Returns:
        Output (B, A, Q, d), and None, the weights of the first query (B, A, T) or all weights (B, A, Q, T).
    """
    q = q * q.shape[-1] ** -0.5
    if fused is None:
        fused = q.device.type != "cpu" or q.dtype != torch.bfloat16
    if attentions == "full" or q.shape[2] == 1 or not fused:
        if out is not None and q.shape[2] == k.shape[2]:
            weights = torch.matmul(q, k.transpose(-2, -1), out=out)  # (B, A, T, T)
            if bias is not None:
                weights += bias
            torch.softmax(weights, -1, out=weights)
        else:
            scores = q @ k.transpose(-2, -1)  # (B, A, Q, T)
            weights = (scores if bias is None else scores + bias).softmax(-1)
        return weights @ v, {"cls": weights[:, :, 0], "full": weights}.get(attentions or "")
    row = None
    if attentions == "cls":
        scores = q[:, :, :1].float() @ k.float().transpose(-2, -1)  # (B, A, 1, T)
        row = (scores if bias is None else scores + bias[:, :, :1]).softmax(-1)[:, :, 0]  # (B, A, T)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=bias, scale=1.0), row


class Rope(NamedTuple):
    """2-D rotary position embedding of the patches (Su et al. 2021, arXiv 2104.09864); prefix tokens have none."""

    sin: Tensor  # (1 or B, 1 or A, N, d)
    cos: Tensor  # (1 or B, 1 or A, N, d)
    prefix: int  # number of prefix tokens (R)
    rotate_half: bool  # pairs of channels: i and i + d / 2, or 2 i and 2 i + 1

    def rotate(self, x: Tensor) -> Tensor:
        """Rotate queries or keys (B, A, Q, d) of the first Q tokens."""
        if x.shape[2] <= self.prefix:
            return x
        patches = x[:, :, self.prefix :]  # (B, A, N, d)
        if self.rotate_half:
            first, second = patches.chunk(2, -1)
            turned = torch.cat([-second, first], -1)
        else:
            turned = torch.stack([-patches[..., 1::2], patches[..., ::2]], -1).flatten(-2)
        return torch.cat([x[:, :, : self.prefix], patches * self.cos + turned * self.sin], 2)


@lru_cache(maxsize=16)
def rope_angles(config: ViTConfig) -> Tensor:
    """Return the angles of the rotary position embedding, in radians, (N, d), float32.

    One half of the frequencies is for the row, the other for the column of a patch. "dinov3": 2 pi times the patch
    center in -1..1, divided by temperature^(4 k / d) (Simeoni et al. 2025, arXiv 2508.10104). "cat": the position in
    the grid, scaled to `ref_feat_shape`, divided by temperature^(4 k / d) (Fang et al. 2023, arXiv 2303.11331).
    """
    with torch.inference_mode(False):  # the result is kept, and may later be used with gradients
        dim, sides = config.head_dim // 4, config.grid_size
        exponents = torch.arange(dim, dtype=torch.float32) / dim  # (d / 4,)
        if config.rope_type == "dinov3":
            centers = [torch.arange(0.5, side, dtype=torch.float32) / side for side in sides]
            grid = 2.0 * torch.cartesian_prod(*centers) - 1.0  # (N, 2)
            angles = 2 * math.pi * grid[..., None] / config.rope_temperature**exponents  # (N, 2, d / 4)
        else:
            scaled = config.ref_feat_shape or sides
            first = config.rope_grid_offset
            steps = [(torch.arange(s) + first).float() / s * ref for s, ref in zip(sides, scaled, strict=True)]
            angles = torch.cartesian_prod(*steps)[..., None] * (1.0 / config.rope_temperature**exponents)
        if config.rope_grid_indexing == "xy":
            angles = angles.flip(1)
        angles = angles.flatten(1)  # (N, d / 2)
        return torch.cat([angles, angles], -1) if config.rope_rotate_half else angles.repeat_interleave(2, -1)


def mixed_angles(freqs: Tensor, config: ViTConfig) -> Tensor:
    """Return the angles of rotary positions with learned frequencies (2, A, d / 2) of a block, (A, N, d), float32.

    An angle is that of the column times one frequency plus that of the row times another (Heo et al. 2024, arXiv
    2403.13298).
    """
    grid = torch.cartesian_prod(*(torch.arange(side, device=freqs.device) for side in config.grid_size)).float()
    axes = grid.flip(1) if config.rope_grid_indexing == "xy" else grid  # (N, 2)
    return (axes.T[:, None, :, None] * freqs.float()[:, :, None]).sum(0).repeat_interleave(2, -1)


@lru_cache(maxsize=16)
def relative_positions(grid_size: tuple[int, int]) -> Tensor:
    """Return the row of BEiT's table of biases for each query and key among class token and patches, (1 + N, 1 + N).

    The table has a row for each difference of positions and three more: from the class token, to it, and to itself.
    """
    with torch.inference_mode(False):  # the result is kept, and may later be used with gradients
        gh, gw = grid_size
        grid = torch.cartesian_prod(torch.arange(gh), torch.arange(gw))  # (N, 2)
        rows, columns = (grid[:, None] - grid).unbind(-1)  # (N, N) each
        count = (2 * gh - 1) * (2 * gw - 1)
        index = F.pad((rows + gh - 1) * (2 * gw - 1) + columns + gw - 1, (1, 0, 1, 0))  # (1 + N, 1 + N)
        index[0], index[1:, 0], index[0, 0] = count, count + 1, count + 2
        return index


def interpolate_bias_table(table: Tensor, old: tuple[int, int], new: tuple[int, int]) -> Tensor:
    """Resample a table of relative position biases (rows, A) to another grid, bilinear, as transformers does."""
    sides, target = (tuple(2 * side - 1 for side in grid) for grid in (old, new))
    biases = table[:-3].unflatten(0, sides).permute(2, 0, 1)[None]  # (1, A, 2 gh - 1, 2 gw - 1)
    biases = F.interpolate(biases, target, mode="bilinear")[0]
    return torch.cat([biases.flatten(1).mT, table[-3:]])


def quick_gelu(x: Tensor) -> Tensor:
    """Approximate GELU as x sigmoid(1.702 x) (Hendrycks & Gimpel 2016, arXiv 1606.08415, section 2)."""
    return x * torch.sigmoid(1.702 * x)


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,
    "gelu_tanh": partial(F.gelu, approximate="tanh"),
    "quick_gelu": quick_gelu,
}


class MLP(nn.Module):
    """Two linear layers with an activation in between, applied to each token; a norm before the second if `eps`."""

    def __init__(self, dim: int, hidden_dim: int, act_layer: str = "gelu", eps: float | None = None) -> None:
        super().__init__()
        self.fc1 = nn.Linear(dim, hidden_dim)
        self.act = ACTIVATIONS[act_layer]
        self.norm = nn.Identity() if eps is None else nn.LayerNorm(hidden_dim, eps=eps)
        self.fc2 = nn.Linear(hidden_dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, T, D) to (B, T, D)."""
        return self.fc2(self.norm(self.act(self.fc1(x))))


class SwiGLU(nn.Module):
    """Gated MLP: W2 norm(silu(W x) * V x), with W and V stacked in `fc1` (Shazeer 2020, arXiv 2002.05202)."""

    def __init__(self, dim: int, hidden_dim: int, eps: float | None = None) -> None:
        super().__init__()
        self.fc1 = nn.Linear(dim, 2 * hidden_dim)
        self.norm = nn.Identity() if eps is None else nn.LayerNorm(hidden_dim, eps=eps)
        self.fc2 = nn.Linear(hidden_dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, T, D) to (B, T, D)."""
        gate, value = self.fc1(x).chunk(2, -1)  # (B, T, M) each
        return self.fc2(self.norm(F.silu(gate) * value))


def create_mlp(config: ViTConfig) -> nn.Module:
    """Create the MLP of a block."""
    eps = config.eps if config.scale_mlp_norm else None
    if config.swiglu_mlp:
        return SwiGLU(config.embed_dim, config.mlp_hidden_dim, eps)
    return MLP(config.embed_dim, config.mlp_hidden_dim, config.act_layer, eps)


class AttentionPool(nn.Module):
    """One learned query attends to the patches, followed by an MLP (Zhai et al. 2022, arXiv 2106.04560)."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        D = config.embed_dim
        self.num_heads = config.attn_pool_num_heads or config.num_heads
        self.latent = nn.Parameter(torch.empty(1, 1, D))
        self.q = nn.Linear(D, D)
        self.kv = nn.Linear(D, 2 * D)
        self.proj = nn.Linear(D, D)
        self.norm = nn.LayerNorm(D, eps=config.eps)
        self.mlp = MLP(D, round(D * (config.attn_pool_mlp_ratio or config.mlp_ratio)), config.act_layer)

    def forward(self, x: Tensor, attentions: Attentions) -> tuple[Tensor, Tensor | None]:
        """Pool patches (B, N, D) -> (B, 1, D), and the weights (B, heads, N) if requested."""
        q = self.q(self.latent.expand(x.shape[0], -1, -1)).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        k, v = self.kv(x).unflatten(-1, (2, self.num_heads, -1)).permute(2, 0, 3, 1, 4)  # (B, A, N, d) each
        mixed, weights = attend(q, k, v, attentions)  # (B, A, 1, d)
        x = self.proj(mixed.transpose(1, 2).flatten(2))  # (B, 1, D)
        return x + self.mlp(self.norm(x)), weights


class LayerScale(nn.Module):
    """Learned scale of each channel of a branch (Touvron et al. 2021, arXiv 2103.17239)."""

    def __init__(self, dim: int, init_values: float) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.full((dim,), float(init_values)))

    def forward(self, x: Tensor) -> Tensor:
        """Map (..., D) to (..., D)."""
        return x * self.gamma


class PatchEmbed(nn.Module):
    """Linear embedding of patches: a convolution whose stride equals its kernel size."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        P = config.patch_size
        self.proj = nn.Conv2d(3, config.embed_dim, P, stride=P, bias=not config.pre_norm)

    def forward(self, patches: Tensor) -> Tensor:
        """Map patches (B, N, 3 P P) to (B, N, D)."""
        return F.linear(patches, self.proj.weight.flatten(1), self.proj.bias)


def patchify(images: Tensor, patch_size: int) -> Tensor:
    """Cut images (B, 3, H, W) into square patches -> (B, N, 3 P P), in reading order."""
    patches = images.unflatten(2, (-1, patch_size)).unflatten(4, (-1, patch_size))  # (B, 3, gh, P, gw, P)
    return patches.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)  # (B, N, 3 P P)


def unpatchify(patches: Tensor, grid_size: tuple[int, int]) -> Tensor:
    """Join the patches of a grid (gh, gw), (B, N, 3 P P), to images (B, 3, H, W)."""
    side = math.isqrt(patches.shape[2] // 3)
    tiles = patches.unflatten(2, (3, side, side)).unflatten(1, grid_size)  # (B, gh, gw, 3, P, P)
    return tiles.permute(0, 3, 1, 4, 2, 5).flatten(4).flatten(2, 3)  # (B, 3, H, W)


def gather_patches(patches: Tensor, keep: Tensor | None) -> Tensor:
    """Select patches (B or 1, N, D) by their positions (B, n) -> (B, n, D); None selects all."""
    if keep is None:
        return patches
    return patches.expand(len(keep), -1, -1).gather(1, keep.unsqueeze(-1).expand(-1, -1, patches.shape[-1]))


def sincos_pos_embed(grid_size: tuple[int, int], dim: int) -> Tensor:
    """Return the sine-cosine position embedding of a grid of patches.

    Vaswani et al. 2017 (arXiv 1706.03762, section 3.5) in two dimensions: one quarter of the channels each for sine and
    cosine of row and column, with wavelengths from 2 pi to 20,000 pi patches; remaining channels are 0.

    Returns:
        (N, D) in -1..1, patches in reading order.
    """
    frequencies = 10_000.0 ** -torch.linspace(0, 1, dim // 4 + 1)[:-1]  # (D // 4,)
    positions = torch.cartesian_prod(*(torch.arange(side) for side in grid_size))  # (N, 2)
    angles = positions.unsqueeze(-1) * frequencies  # (N, 2, D // 4)
    waves = torch.cat([angles.sin(), angles.cos()], 2).flatten(1)  # (N, 4 (D // 4))
    return F.pad(waves, (0, dim - waves.shape[1]))


def interpolate_pos_embed(
    pos_embed: Tensor,
    prefix: int,
    old: tuple[int, int],
    new: tuple[int, int],
    resampling: Mapping[str, Any] = ANTIALIASED,
) -> Tensor:
    """Resample position embeddings (1, R + N, D) to another grid; those of the prefix tokens (R) are kept.

    Grids are (gh, gw), patches in row-major order; the result is (1, R + N', D). `resampling` are arguments of
    `F.interpolate`: timm resamples with antialiasing, transformers without.
    """
    if old == new:
        return pos_embed
    grid = pos_embed[:, prefix:].unflatten(1, old).permute(0, 3, 1, 2)  # (1, D, gh, gw)
    grid = F.interpolate(grid, new, **resampling)  # (1, D, gh', gw')
    return torch.cat([pos_embed[:, :prefix], grid.flatten(2).mT], 1)  # (1, R + N', D)
