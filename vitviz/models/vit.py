"""Vision Transformer (Dosovitskiy et al. 2021, arXiv 2010.11929) that returns its attention on request.

Tensor names are those of timm's `VisionTransformer`, so weights load in both directions without a mapping. There is one
loop over the blocks, `ViT.forward_features`; `forward` and `forward_with_attention` both use it, so the attention shown
is the attention computed.

Letters in shape comments: B batch, T tokens = R + N, N patches = gh * gw, D embedding width, A heads, d = D // A,
L layers, M width of the MLP, K classes, P patch side, R prefix tokens (class token, if any, and registers).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vitviz.models.config import ViTConfig

Attentions = Literal["cls", "full"] | None


@dataclass(frozen=True)
class AttentionOutput:
    """Logits and attention of one forward pass.

    Attributes:
        logits: (B, K).
        attention: Weights after the softmax, float32; each row sums to 1. With "cls": the row of the class token, or in
            a model without one the mean over the rows of the patches, (L, B, A, T). With "full": (L, B, A, T, T),
            queries before keys.
        tokens: With "full": the input of each block and the output of the last, (L + 1, B, T, D).
    """

    logits: Tensor
    attention: Tensor
    tokens: Tensor | None = None


@dataclass(frozen=True)
class BlockOutput:
    """Attention weights and input of one block, attached to the autograd graph."""

    weights: Tensor | None  # the row of the class token (B, A, T), the full attention (B, A, T, T), or None
    tokens: Tensor | None  # input of the block, (B, T, D), if the full attention is requested


class HeadMask(NamedTuple):
    """Ablation of heads of one block: output = keep * output + (1 - keep) * replacement."""

    keep: Tensor  # weight of each head's output, (A,): 1 for an intact head, 0 for an ablated one
    replacement: Tensor  # output of an ablated head, (A, d): zeros, or the mean output over reference images

    def apply(self, mixed: Tensor) -> Tensor:
        """Mask the head outputs (B, A, Q, d) -> (B, A, Q, d)."""
        return self.replacement[:, None].lerp(mixed, self.keep[:, None, None])


HeadMasks = Sequence[HeadMask | None] | None


@dataclass(frozen=True)
class ForwardOutput:
    """Result of one forward pass, attached to the autograd graph."""

    logits: Tensor  # (B, K)
    blocks: list[BlockOutput]  # attention weights and input of each block
    last: Tensor  # output of the last block, (B, T, D), or its class token alone, (B, 1, D)

    def to_attention_output(self) -> AttentionOutput:
        """Stack the blocks' attention and tokens."""
        attention = torch.stack([block.weights.float() for block in self.blocks if block.weights is not None])
        tokens = [block.tokens for block in self.blocks if block.tokens is not None]
        return AttentionOutput(self.logits, attention, torch.stack([*tokens, self.last]) if tokens else None)


class Transformer(nn.Module):
    """Interface of all Vision Transformers of this package; subclasses implement `forward_blocks` and `forward_head`.

    `attribution`, `runs` and `webapp` use only these methods and `config`; they never access a block.
    """

    config: ViTConfig

    def forward(self, images: Tensor, keep: Tensor | None = None, head_masks: HeadMasks = None) -> Tensor:
        """Compute the logits (B, K).

        Args:
            images: (B, 3, H, W), normalized with the mean and standard deviation of the dataset.
            keep: Positions of the patches to use, (B, n), counted from 0; None for all. Dropping patches makes
                training cheaper (Liu et al. 2022, "PatchDropout", arXiv 2208.07220).
            head_masks: Head ablation of each block; None for no ablation.
        """
        return self.forward_blocks(images, None, keep, head_masks).logits

    def forward_with_attention(
        self,
        images: Tensor,
        attentions: Literal["cls", "full"] = "cls",
        keep: Tensor | None = None,
        head_masks: HeadMasks = None,
    ) -> AttentionOutput:
        """Compute logits and attention; the other arguments are those of `forward`."""
        if attentions == "cls" and not self.config.class_token:
            full = self.forward_with_attention(images, "full", keep, head_masks)
            return AttentionOutput(full.logits, cls_attention(full.attention, self.config))
        return self.forward_blocks(images, attentions, keep, head_masks).to_attention_output()

    def forward_blocks(
        self, images: Tensor, attentions: Attentions, keep: Tensor | None = None, head_masks: HeadMasks = None
    ) -> ForwardOutput:
        """Run the network and keep the autograd graph; arguments as for `forward_with_attention`."""
        raise NotImplementedError

    def forward_head(self, x: Tensor) -> Tensor:
        """Compute the logits (B, K) from the output (B, T, D) of a block: pooling, final norm and head."""
        raise NotImplementedError

    def head_values(self, layer: int, tokens: Tensor) -> Tensor:
        """Return the value vectors of each head, before the output projection, (B, A, T, d).

        `layer` counts from 0; `tokens` are the input of the block, (B, T, D).
        """
        block = cast(Any, self.blocks)[layer]
        return block.attn.value_vectors(block.norm1(tokens))

    def value_vectors(self, layer: int, tokens: Tensor) -> Tensor:
        """Return what each head adds to the residual stream per unit of attention to each token, (B, A, T, D).

        These are the value vectors after the head's slice of the output projection and LayerScale, without bias;
        arguments as for `head_values`.
        """
        block = cast(Any, self.blocks)[layer]
        values = self.head_values(layer, tokens)  # (B, A, T, d)
        projections = block.attn.proj.weight.unflatten(1, (values.shape[1], -1)).movedim(1, 0)  # (A, D, d)
        added = values @ projections.mT  # (B, A, T, D)
        return block.ls1(added) if hasattr(block, "ls1") else added

    def patch_filters(self) -> Tensor:
        """Return the weights of the patch embedding as filters, (D, 3, P, P)."""
        raise NotImplementedError

    def patch_positions(self) -> Tensor:
        """Return the position embeddings of the patches, (N, D)."""
        return cast(Tensor, self.pos_embed)[0, self.config.num_prefix_tokens :]

    def stages(self) -> list[tuple[str, nn.Module]]:
        """Return head and blocks by name, from the output to the input: "head", "block 6", ..., "block 1"."""
        blocks = cast(nn.ModuleList, self.blocks)
        numbered = [(f"block {layer}", block) for layer, block in enumerate(blocks, start=1)]
        return [("head", cast(nn.Module, self.head)), *reversed(numbered)]


def cls_attention(attention: Tensor, config: ViTConfig) -> Tensor:
    """Select the row of the class token from (..., T, T) -> (..., T); without one, average the rows of the patches."""
    return attention[..., 0, :] if config.class_token else attention[..., config.num_prefix_tokens :, :].mean(-2)


class ViT(Transformer):
    """Plain Vision Transformer."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        self.config, D = config, config.embed_dim
        self.patch_embed = PatchEmbed(config)
        self.cls_token = nn.Parameter(torch.empty(1, 1, D)) if config.class_token else None
        self.reg_token = nn.Parameter(torch.empty(1, config.reg_tokens, D)) if config.reg_tokens else None
        self.pos_embed = nn.Parameter(torch.empty(1, config.num_tokens, D))
        rates = [config.drop_path_rate * layer / max(1, config.depth - 1) for layer in range(config.depth)]
        self.blocks = nn.ModuleList(Block(config, rate) for rate in rates)
        self.norm = nn.LayerNorm(D, eps=1e-6)
        self.head = nn.Linear(D, config.num_classes)
        self.init_weights()

    def init_weights(self) -> None:
        """Initialize all weights.

        Linear layers are normal with standard deviation 1 / sqrt(fan in); the last layer of each branch and the head
        start at zero. Positions start as half the sine-cosine embedding, which trains faster than noise. The patch
        embedding keeps PyTorch's initialization of convolutions.
        """
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=module.in_features**-0.5)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        for token in (self.cls_token, self.pos_embed, self.reg_token):
            if token is not None:
                nn.init.normal_(token, std=0.02)
        positions = sincos_pos_embed(self.config.grid_size, self.config.embed_dim)  # (N, D)
        with torch.no_grad():
            self.pos_embed[:, self.config.num_prefix_tokens :] = positions / 2
        for name, weight in self.named_parameters():
            if name.endswith(("attn.proj.weight", "mlp.fc2.weight")) or name == "head.weight":
                nn.init.zeros_(weight)

    def embed(self, patches: Tensor, keep: Tensor | None) -> Tensor:
        """Add positions and prefix tokens to patch embeddings (B, N, D) -> (B, T, D), with `keep` as for `forward`."""
        R = self.config.num_prefix_tokens
        x = gather_patches(patches + self.pos_embed[:, R:], keep)  # (B, N, D), or (B, n, D)
        tokens: list[Tensor] = [token for token in (self.cls_token, self.reg_token) if token is not None]
        if not tokens:
            return x
        prefix = (torch.cat(tokens, 1) + self.pos_embed[:, :R]).expand(x.shape[0], -1, -1)  # (B, R, D)
        return torch.cat([prefix, x], 1)  # (B, T, D)

    def forward_features(
        self, x: Tensor, attentions: Attentions, all_tokens: bool, head_masks: HeadMasks = None
    ) -> tuple[Tensor, list[BlockOutput]]:
        """Run all blocks on tokens (B, T, D); this is the one loop over the blocks.

        Args:
            x: Output of `embed`.
            all_tokens: If False, the last block computes the class token only.

        Returns:
            Output of the last block, (B, T, D) or (B, 1, D), and attention and input of each block.
        """
        outputs = []
        for layer, block in enumerate(self.blocks):
            queries = x.shape[1] if all_tokens or layer < len(self.blocks) - 1 else 1
            tokens = x if attentions == "full" else None
            x, weights = block(x, queries, attentions, head_masks[layer] if head_masks else None)  # (B, T or 1, D)
            outputs.append(BlockOutput(weights, tokens))
        return x, outputs

    def forward_blocks(
        self, images: Tensor, attentions: Attentions, keep: Tensor | None = None, head_masks: HeadMasks = None
    ) -> ForwardOutput:
        """Run the network and keep the autograd graph; arguments as for `forward_with_attention`."""
        all_tokens = self.config.global_pool == "avg" or attentions == "full"
        x = self.embed(self.patch_embed(images), keep)  # (B, T, D)
        x, outputs = self.forward_features(x, attentions, all_tokens, head_masks)  # (B, T or 1, D)
        return ForwardOutput(self.forward_head(x), outputs, x)

    def forward_head(self, x: Tensor) -> Tensor:
        """Compute the logits (B, K) from tokens (B, T, D), or from the class token alone, (B, 1, D)."""
        x, R = self.norm(x), self.config.num_prefix_tokens
        return self.head(x[:, 0] if self.config.global_pool == "token" else x[:, R:].mean(1))

    def patch_filters(self) -> Tensor:
        """Return the weights of the patch embedding as filters, (D, 3, P, P)."""
        return self.patch_embed.proj.weight


class Block(nn.Module):
    """Pre-norm transformer block: attention and MLP, each with a residual connection."""

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
        """Map tokens (B, T, D) to the first `queries` tokens (B, queries, D) and the requested attention."""
        mixed, weights = self.attn(self.norm1(x), queries, attentions, head_mask)
        x = x[:, :queries] + self.drop_branch(self.ls1(mixed))  # (B, queries, D)
        return x + self.drop_branch(self.ls2(self.mlp(self.norm2(x)))), weights

    def drop_branch(self, branch: Tensor) -> Tensor:
        """Apply stochastic depth per image in training: zero the branch, or scale it by 1 / (1 - rate)."""
        if not self.training or self.drop_path_rate == 0:
            return branch
        kept = torch.rand(branch.shape[0], 1, 1, device=branch.device) >= self.drop_path_rate  # (B, 1, 1)
        return branch * kept / (1 - self.drop_path_rate)


class Attention(nn.Module):
    """Multi-head self-attention with one weight matrix for queries, keys and values."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        D, d = config.embed_dim, config.embed_dim // config.num_heads
        self.num_heads = config.num_heads
        self.qkv = nn.Linear(D, 3 * D, bias=config.qkv_bias)
        self.q_norm = nn.LayerNorm(d, eps=1e-6) if config.qk_norm else nn.Identity()
        self.k_norm = nn.LayerNorm(d, eps=1e-6) if config.qk_norm else nn.Identity()
        self.proj = nn.Linear(D, D)

    def forward(
        self, x: Tensor, queries: int, attentions: Attentions, head_mask: HeadMask | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from the first `queries` tokens to all tokens (B, T, D).

        Returns:
            Output (B, queries, D) and the requested attention.
        """
        q = self.q_norm(self.project_qkv(0, x[:, :queries])).transpose(1, 2)  # (B, A, queries, d)
        k = self.k_norm(self.project_qkv(1, x)).transpose(1, 2)  # (B, A, T, d)
        mixed, weights = attend(q, k, self.value_vectors(x), attentions)  # (B, A, queries, d)
        if head_mask is not None:
            mixed = head_mask.apply(mixed)
        return self.proj(mixed.transpose(1, 2).flatten(2)), weights  # (B, queries, D)

    def value_vectors(self, x: Tensor) -> Tensor:
        """Return the value vectors of normalized tokens (B, T, D) -> (B, A, T, d)."""
        return self.project_qkv(2, x).transpose(1, 2)

    def project_qkv(self, index: int, x: Tensor) -> Tensor:
        """Project tokens (B, T, D) to queries (0), keys (1) or values (2) -> (B, T, A, d)."""
        rows = slice(index * x.shape[-1], (index + 1) * x.shape[-1])
        bias = None if self.qkv.bias is None else self.qkv.bias[rows]
        return F.linear(x, self.qkv.weight[rows], bias).unflatten(-1, (self.num_heads, -1))


def attend(q: Tensor, k: Tensor, v: Tensor, attentions: Attentions) -> tuple[Tensor, Tensor | None]:
    """Compute scaled dot-product attention by the fastest exact path, and the requested weights.

    At 65 tokens the fused kernel takes 0.7 to 1.1 times as long as the explicit products (`python -m benchmarks
    explain`), and the row of the class token costs one small product more. The explicit products return all weights;
    they are also used for a single query, and for bfloat16 on CPUs.

    Args:
        q: Queries (B, A, Q, d); Q is T, or 1 for the class token alone.
        k: Keys (B, A, T, d).
        v: Values (B, A, T, d).
        attentions: Weights to return.

    Returns:
        Output (B, A, Q, d), and None, the weights of the first query (B, A, T) or all weights (B, A, Q, T).
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


class MLP(nn.Module):
    """Two linear layers with a GELU in between, applied to each token."""

    def __init__(self, dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(dim, hidden_dim)
        self.fc2 = nn.Linear(hidden_dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, T, D) to (B, T, D)."""
        return self.fc2(F.gelu(self.fc1(x)))


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
        self.proj = nn.Conv2d(3, config.embed_dim, config.patch_size, stride=config.patch_size)

    def forward(self, images: Tensor) -> Tensor:
        """Map (B, 3, H, W) to (B, N, D), patches in reading order."""
        patches = patchify(images, self.proj.kernel_size[0])  # (B, N, 3 P P)
        return F.linear(patches, self.proj.weight.flatten(1), self.proj.bias)  # (B, N, D)


def patchify(images: Tensor, patch_size: int) -> Tensor:
    """Cut images (B, 3, H, W) into square patches -> (B, N, 3 P P), in reading order."""
    patches = images.unflatten(2, (-1, patch_size)).unflatten(4, (-1, patch_size))  # (B, 3, gh, P, gw, P)
    return patches.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)  # (B, N, 3 P P)


def gather_patches(patches: Tensor, keep: Tensor | None) -> Tensor:
    """Select patches (B, N, D) by their positions (B, n) -> (B, n, D); None selects all."""
    return patches if keep is None else patches.gather(1, keep.unsqueeze(-1).expand(-1, -1, patches.shape[-1]))


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
