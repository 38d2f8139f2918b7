"""Images -> logits, and on request the attention that led to them.

One plain Vision Transformer (Dosovitskiy et al. 2021, arXiv 2010.11929), read top to bottom. Tensor names are those of
timm's `VisionTransformer`, so weights go both ways without a mapping. There is one loop over the blocks, `encode`;
`forward` and `trace` both use it, so what is shown is what was computed.

Letters in shape comments: B batch, T tokens = prefix + N, N patches = gh * gw, D width, A heads, d = D // A, L layers,
M width of the MLP, K classes, P patch side, R the prefix (the class token, where there is one, and the registers).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vitviz.models.config import ViTConfig

Attentions = Literal["cls", "full"] | None


@dataclass(frozen=True)
class AttentionOutput:
    """What one forward pass saw.

    Attributes:
        logits: (B, K).
        attention: Ablation the softmax, in float32. TargetLike "cls": the class token's row, or in a model without one the
            mean of the patches' rows, (L, B, A, T). TargetLike "full": (L, B, A, T, T), queries before keys. Each row sums
            to 1.
        tokens: TargetLike "full": what goes into each block, and what comes out of the last, (L + 1, B, T, D).
    """

    logits: Tensor
    attention: Tensor
    tokens: Tensor | None = None


@dataclass(frozen=True)
class BlockOutput:
    """What one block saw, as it was computed with: gradients reach it.

    Attributes:
        weights: The attention wanted: the class token's row (B, A, T), or all (B, A, T, T); None if none is.
        tokens: What came in, (B, T, D), if the full attention is wanted.
    """

    weights: Tensor | None
    tokens: Tensor | None


class HeadMask(NamedTuple):
    """What becomes of the heads of one block.

    Attributes:
        keep: How much of what each head found goes on, (A,): 1 leaves it, 0 switches it off.
        replacement: What goes on for the rest, (A, d): zeros, or the head's mean over other images.
    """

    keep: Tensor
    replacement: Tensor

    def apply(self, mixed: Tensor) -> Tensor:
        """What goes on of what the heads found, (B, A, Q, d)."""
        return self.replacement[:, None].lerp(mixed, self.keep[:, None, None])


@dataclass(frozen=True)
class ForwardOutput:
    """One pass through the network, as it was computed: gradients reach all of it.

    Attributes:
        logits: (B, K).
        blocks: What each block saw.
        last: Tokens that came out of the last block, (B, T, D), or the class token's alone, (B, 1, D).
    """

    logits: Tensor
    blocks: list[BlockOutput]
    last: Tensor

    def to_attention_output(self) -> AttentionOutput:
        """What was seen, gathered."""
        attention = torch.stack([block.weights.float() for block in self.blocks if block.weights is not None])
        tokens = [block.tokens for block in self.blocks if block.tokens is not None]
        return AttentionOutput(self.logits, attention, torch.stack([*tokens, self.last]) if tokens else None)


def attend(q: Tensor, k: Tensor, v: Tensor, attentions: Attentions) -> tuple[Tensor, Tensor | None]:
    """Scaled dot-product attention by the fastest exact path, with the weights that were asked for.

    The fused kernel is the fastest at 65 tokens (`python -m benchmarks explain`), and the class token's row costs one small
    product more. The explicit product gives all weights; it also wins for a single query, and for bfloat16 on CPUs.

    Args:
        q: Queries (B, A, Q, d); Q is T, or 1 where only the class token asks.
        k: Keys (B, A, T, d).
        v: Values (B, A, T, d).
        attentions: Which weights to return.

    Returns:
        The mixed values (B, A, Q, d), and None, the first query's weights (B, A, T) or all weights (B, A, Q, T).
    """
    q = q * q.shape[-1] ** -0.5
    slow_kernel = q.device.type == "cpu" and q.dtype == torch.bfloat16
    if attentions == "full" or q.shape[2] == 1 or slow_kernel:
        weights = (q @ k.transpose(-2, -1)).softmax(-1)  # (B, A, Q, T)
        return weights @ v, {None: None, "cls": weights[:, :, 0], "full": weights}[attentions]
    row = None
    if attentions == "cls":
        row = (q[:, :, :1].float() @ k.float().transpose(-2, -1)).softmax(-1)[:, :, 0]  # (B, A, T)
    return F.scaled_dot_product_attention(q, k, v, scale=1.0), row


HeadMasks = Sequence[HeadMask | None] | None


class Attention(nn.Module):
    """Multi-head self-attention; one matrix holds the projections to queries, keys and values."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        D, d = config.embed_dim, config.embed_dim // config.num_heads
        self.heads = config.num_heads
        self.qkv = nn.Linear(D, 3 * D, bias=config.qkv_bias)
        self.q_norm = nn.LayerNorm(d, eps=1e-6) if config.qk_norm else nn.Identity()
        self.k_norm = nn.LayerNorm(d, eps=1e-6) if config.qk_norm else nn.Identity()
        self.proj = nn.Linear(D, D)

    def forward(
        self, x: Tensor, queries: int, attentions: Attentions, head_mask: HeadMask | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """Mix tokens (B, T, D) for the first `queries` of them -> (B, queries, D) and the weights wanted."""
        q = self.q_norm(self.project_qkv(0, x[:, :queries])).transpose(1, 2)  # (B, A, queries, d)
        k = self.k_norm(self.project_qkv(1, x)).transpose(1, 2)  # (B, A, T, d)
        v = self.project_qkv(2, x).transpose(1, 2)  # (B, A, T, d)
        mixed, weights = attend(q, k, v, attentions)
        if head_mask is not None:
            mixed = head_mask.apply(mixed)
        return self.proj(mixed.transpose(1, 2).flatten(2)), weights  # (B, queries, D)

    def values(self, x: Tensor) -> Tensor:
        """What each head would pass on of each token (B, T, D), before its share of the projection: (B, A, T, d)."""
        return self.project_qkv(2, x).transpose(1, 2)

    def project_qkv(self, which: int, x: Tensor) -> Tensor:
        """Queries (0), keys (1) or values (2) of tokens (B, T, D), by head: (B, T, A, d)."""
        rows = slice(which * x.shape[-1], (which + 1) * x.shape[-1])
        bias = None if self.qkv.bias is None else self.qkv.bias[rows]
        return F.linear(x, self.qkv.weight[rows], bias).unflatten(-1, (self.heads, -1))


class MLP(nn.Module):
    """Two linear maps with a GELU between them, the same for every token."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(width, hidden)
        self.fc2 = nn.Linear(hidden, width)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, D) -> (B, T, D)."""
        return self.fc2(F.gelu(self.fc1(x)))


class LayerScale(nn.Module):
    """A learned factor for each channel of a branch."""

    def __init__(self, width: int, start: float) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.full((width,), float(start)))

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, D) -> (B, T, D)."""
        return x * self.gamma


class Block(nn.Module):
    """Attention, then an MLP, each after a norm and added to what came in."""

    def __init__(self, config: ViTConfig, drop_path_rate: float) -> None:
        super().__init__()
        scale: Callable[[], nn.Module] = nn.Identity
        if config.init_values is not None:
            scale = partial(LayerScale, config.embed_dim, config.init_values)
        self.norm1 = nn.LayerNorm(config.embed_dim, eps=1e-6)
        self.attn = Attention(config)
        self.ls1 = scale()
        self.norm2 = nn.LayerNorm(config.embed_dim, eps=1e-6)
        self.mlp = MLP(config.embed_dim, config.mlp_hidden_dim)
        self.ls2 = scale()
        self.drop_path_rate = drop_path_rate

    def forward(
        self, x: Tensor, queries: int, attentions: Attentions, head_mask: HeadMask | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """Tokens (B, T, D) -> the first `queries` tokens (B, queries, D) and the attention wanted."""
        mixed, weights = self.attn(self.norm1(x), queries, attentions, head_mask)
        x = x[:, :queries] + self.drop_branch(self.ls1(mixed))  # (B, queries, D)
        return x + self.drop_branch(self.ls2(self.mlp(self.norm2(x)))), weights

    def drop_branch(self, branch: Tensor) -> Tensor:
        """Zero the branch of some images in training, and enlarge the others so that the mean stays."""
        if not self.training or self.drop_path_rate == 0:
            return branch
        kept = torch.rand(branch.shape[0], 1, 1, device=branch.device) >= self.drop_path_rate  # (B, 1, 1)
        return branch * kept / (1 - self.drop_path_rate)


def gather_patches(patches: Tensor, keep: Tensor | None) -> Tensor:
    """The patches (B, N, D) at these positions (B, n) -> (B, n, D); all if there are none."""
    return patches if keep is None else patches.gather(1, keep.unsqueeze(-1).expand(-1, -1, patches.shape[-1]))


def patchify(images: Tensor, side: int) -> Tensor:
    """Cut images (B, 3, H, W) into patchify of P pixels -> (B, N, 3 P P), in reading order."""
    patches = images.unflatten(2, (-1, side)).unflatten(4, (-1, side))  # (B, 3, gh, P, gw, P)
    return patches.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)  # (B, N, 3 P P)


class PatchEmbed(nn.Module):
    """Cut the image into patchify and map each linearly: a convolution whose stride is its size."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        self.proj = nn.Conv2d(3, config.embed_dim, config.patch_size, stride=config.patch_size)

    def forward(self, images: Tensor) -> Tensor:
        """(B, 3, H, W) -> (B, N, D), patches in reading order."""
        patches = patchify(images, self.proj.kernel_size[0])  # (B, N, 3 P P)
        return F.linear(patches, self.proj.weight.flatten(1), self.proj.bias)  # (B, N, D)


def sine_positions(grid: tuple[int, int], width: int) -> Tensor:
    """Say where each patch is by sines and cosines of its row and its column.

    Vaswani et al. 2017 (arXiv 1706.03762, section 3.5) in two dimensions: a quarter of the channels each for sine and
    cosine of row and column, with wavelengths from 2 pi to 20,000 pi patches; channels left over are 0.

    Returns:
        (N, D) in -1..1, patches in reading order.
    """
    frequencies = 10_000.0 ** -torch.linspace(0, 1, width // 4 + 1)[:-1]  # (D // 4,)
    places = torch.cartesian_prod(*(torch.arange(side) for side in grid))  # (N, 2)
    angles = places.unsqueeze(-1) * frequencies  # (N, 2, D // 4)
    waves = torch.cat([angles.sin(), angles.cos()], 2).flatten(1)  # (N, 4 (D // 4))
    return F.pad(waves, (0, width - waves.shape[1]))


def cls_attention(attention: Tensor, config: ViTConfig) -> Tensor:
    """All attention (..., T, T) -> the class token's row, or without class token the mean of the patches': (..., T)."""
    return attention[..., 0, :] if config.class_token else attention[..., config.num_prefix_tokens :, :].mean(-2)


class Classifier(nn.Module):
    """What every network here can be asked: `forward` gives logits, `trace` also attention, both from one `run`."""

    config: ViTConfig

    def forward(self, images: Tensor, keep: Tensor | None = None, head_masks: HeadMasks = None) -> Tensor:
        """Logits (B, K) of images.

        Args:
            images: (B, 3, H, W), normalised with the data set's mean and standard deviation.
            keep: Which patches to use, (B, n) positions counted from 0, or None for all. Leaving out patches makes
                training cheaper (Liu et al. 2022, "PatchDropout", arXiv 2208.07220).
            head_masks: What becomes of the heads of each block; None leaves them all.
        """
        return self.forward_blocks(images, None, keep, head_masks).logits

    def forward_with_attention(
        self,
        images: Tensor,
        attentions: Literal["cls", "full"] = "cls",
        keep: Tensor | None = None,
        head_masks: HeadMasks = None,
    ) -> AttentionOutput:
        """Logits and attention of images, from the loop that `forward` uses; arguments as there."""
        if attentions == "cls" and not self.config.class_token:
            whole = self.forward_with_attention(images, "full", keep, head_masks)
            return AttentionOutput(whole.logits, cls_attention(whole.attention, self.config))
        return self.forward_blocks(images, attentions, keep, head_masks).to_attention_output()

    def forward_blocks(
        self, images: Tensor, attentions: Attentions, keep: Tensor | None = None, head_masks: HeadMasks = None
    ) -> ForwardOutput:
        """One pass through the loop over the blocks; arguments as for `forward` and `trace`."""
        raise NotImplementedError


class ViT(Classifier):
    """The plain Vision Transformer."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        self.config = config
        self.patch_embed = PatchEmbed(config)
        self.cls_token = nn.Parameter(torch.empty(1, 1, config.embed_dim)) if config.class_token else None
        self.reg_token = (
            nn.Parameter(torch.empty(1, config.reg_tokens, config.embed_dim)) if config.reg_tokens else None
        )
        self.pos_embed = nn.Parameter(torch.empty(1, config.num_tokens, config.embed_dim))
        rates = [config.drop_path_rate * layer / max(1, config.depth - 1) for layer in range(config.depth)]
        self.blocks = nn.ModuleList(Block(config, rate) for rate in rates)
        self.norm = nn.LayerNorm(config.embed_dim, eps=1e-6)
        self.head = nn.Linear(config.embed_dim, config.num_classes)
        self.init_weights()

    def init_weights(self) -> None:
        """Draw starting weights: normal with 1 / sqrt(inputs), branches that begin at zero, an undecided head.

        Positions start as sines of half their size, which a short training learns from sooner than from noise. The
        patch embedding keeps the start that PyTorch gives a convolution.
        """
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=module.in_features**-0.5)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        for token in (self.cls_token, self.pos_embed, self.reg_token):
            if token is not None:
                nn.init.normal_(token, std=0.02)
        with torch.no_grad():
            self.pos_embed[:, self.config.num_prefix_tokens :] = (
                sine_positions(self.config.grid_size, self.config.embed_dim) / 2
            )
        for name, weight in self.named_parameters():
            if name.endswith(("attn.proj.weight", "mlp.fc2.weight")) or name == "head.weight":
                nn.init.zeros_(weight)

    def embed(self, patches: Tensor, keep: Tensor | None) -> Tensor:
        """Patches (B, N, D) -> tokens with their positions, (B, T, D), or fewer where `keep` says so."""
        R = self.config.num_prefix_tokens
        x = gather_patches(patches + self.pos_embed[:, R:], keep)  # (B, N, D), or (B, n, D)
        own: list[Tensor] = [token for token in (self.cls_token, self.reg_token) if token is not None]
        if not own:
            return x
        prefix = (torch.cat(own, 1) + self.pos_embed[:, :R]).expand(x.shape[0], -1, -1)  # (B, R, D)
        return torch.cat([prefix, x], 1)  # (B, T, D)

    def forward_features(
        self, x: Tensor, attentions: Attentions, whole: bool, head_masks: HeadMasks = None
    ) -> tuple[Tensor, list[BlockOutput]]:
        """The one loop over the blocks: tokens (B, T, D), and what each block saw.

        If the tokens are not wanted whole, the last block answers for the class token alone: (B, 1, D).
        """
        seen = []
        for layer, block in enumerate(self.blocks):
            alone = layer == len(self.blocks) - 1 and not whole
            came_in = x if attentions == "full" else None
            x, weights = block(
                x, 1 if alone else x.shape[1], attentions, head_masks[layer] if head_masks else None
            )  # (B, T or 1, D)
            seen.append(BlockOutput(weights, came_in))
        return x, seen

    def forward_blocks(
        self, images: Tensor, attentions: Attentions, keep: Tensor | None = None, head_masks: HeadMasks = None
    ) -> ForwardOutput:
        """One pass; arguments as for `forward` and `trace`."""
        whole = self.config.global_pool == "avg" or attentions == "full"  # else the head reads the class token alone
        x, seen = self.forward_features(
            self.embed(self.patch_embed(images), keep), attentions, whole, head_masks
        )  # (B, T or 1, D)
        return ForwardOutput(self.forward_head(x), seen, x)

    def forward_head(self, x: Tensor) -> Tensor:
        """Tokens (B, T, D), or the class token alone, -> logits (B, K)."""
        x = self.norm(x)
        return self.head(
            x[:, 0] if self.config.global_pool == "token" else x[:, self.config.num_prefix_tokens :].mean(1)
        )
