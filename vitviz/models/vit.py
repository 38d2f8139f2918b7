"""Vision Transformer (Dosovitskiy et al. 2021, arXiv 2010.11929) that returns its attention on request.

Tensor names are those of timm's `VisionTransformer`, so weights load in both directions without a mapping. There is one
loop over the blocks, `ViT.forward_blocks`; `forward` and `forward_with_attention` both use it, so the attention shown
is the attention computed.

Letters in shape comments: B batch, T tokens = R + N, N patches = gh * gw, D embedding width, A heads, d = D // A,
L layers, M width of the MLP, K classes, P patch side, R prefix tokens (class token and distillation token, if any, and
registers).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vitviz import malloc
from vitviz.models.config import ViTConfig
from vitviz.models.layers import (
    AttentionPool,
    Attentions,
    LayerScale,
    PatchEmbed,
    Rope,
    attend,
    create_mlp,
    gather_patches,
    mixed_angles,
    patchify,
    relative_positions,
    rope_angles,
    sincos_pos_embed,
)


@dataclass(frozen=True)
class AttentionOutput:
    """Logits and attention of one forward pass.

    Attributes:
        logits: (B, K).
        attention: Weights after the softmax, float32; each row sums to 1. With "cls": the row of the class token, or in
            a model without one the mean over the rows of the patches, (L, B, A, T). With "full": (L, B, A, T, T),
            queries before keys. With "tokens": empty.
        layer_tokens: With "full" or "tokens": the input of each block and the output of the last, L + 1 x (B, T, D).
        pool_attention: Weights of attention pooling, if the model has it, (B, heads, T), float32; 0 for prefix tokens
            that it does not read, each row sums to 1.
    """

    logits: Tensor
    attention: Tensor
    layer_tokens: Sequence[Tensor] = ()
    pool_attention: Tensor | None = None

    @cached_property
    def tokens(self) -> Tensor | None:
        """`layer_tokens` as one tensor, (L + 1, B, T, D); None if there are none. Copied on first use."""
        return malloc.to_mmap(torch.stack(tuple(self.layer_tokens))) if len(self.layer_tokens) else None


@dataclass(frozen=True)
class BlockOutput:
    """Attention weights and input of one block, attached to the autograd graph."""

    weights: Tensor | None  # the row of the class token (B, A, T), the full attention (B, A, T, T), or None
    tokens: Tensor | None  # input of the block, (B, T, D), if the full attention is requested


class Intervention(NamedTuple):
    """Change of the forward pass of one block: head output = keep * output + (1 - keep) * replacement.

    Subclasses may also change the queries, and record or change what the MLP adds and the output of the block.
    """

    keep: Tensor  # weight of each head's output, (A,): 1 for an intact head, 0 for an ablated one
    replacement: Tensor  # output of an ablated head, (A, d): zeros, or the mean output over reference images

    def apply_queries(self, q: Tensor) -> Tensor:
        """Return the queries (B, A, Q, d), after head norms and rotary embedding, before they are scaled."""
        return q

    def apply(self, mixed: Tensor, values: Tensor) -> Tensor:
        """Change the head outputs (B, A, Q, d) -> (B, A, Q, d), which are sums of the value vectors (B, A, T, d)."""
        return self.replacement[:, None].lerp(mixed, self.keep[:, None, None])

    def apply_mlp(self, added: Tensor) -> Tensor:
        """Return what the MLP adds to the tokens, (B, Q, D)."""
        return added

    def apply_tokens(self, x: Tensor) -> Tensor:
        """Return the output of the block, (B, Q, D)."""
        return x


class Recorder(Intervention):
    """An intervention that also records what its block computes."""

    values: Tensor  # value vectors, (B, A, T, d)
    heads: Tensor  # outputs of the heads, (B, A, Q, d)
    mlp: Tensor  # what the MLP adds, (B, Q, D)
    tokens: Tensor  # output of the block, (B, Q, D)

    def apply(self, mixed: Tensor, values: Tensor) -> Tensor:
        """Change and record the head outputs (B, A, Q, d) -> (B, A, Q, d)."""
        self.values = values
        self.heads = super().apply(mixed, values)
        return self.heads

    def apply_mlp(self, added: Tensor) -> Tensor:
        """Record what the MLP adds, (B, Q, D)."""
        self.mlp = added
        return added

    def apply_tokens(self, x: Tensor) -> Tensor:
        """Record the output of the block, (B, Q, D)."""
        self.tokens = x
        return x


Interventions = Sequence[Intervention | None] | None


def for_each_block(interventions: Interventions, config: ViTConfig, like: Tensor) -> list[Intervention]:
    """Return an intervention for each block, by default without effect, in the dtype and on the device of `like`."""
    ones, zeros = like.new_ones(config.num_heads), like.new_zeros(config.num_heads, config.head_dim)
    return [one or Intervention(ones, zeros) for one in interventions or [None] * config.depth]


@dataclass(frozen=True)
class ForwardOutput:
    """Result of one forward pass, attached to the autograd graph."""

    logits: Tensor  # (B, K)
    blocks: list[BlockOutput]  # attention weights and input of each block
    last: Tensor  # output of the last block, (B, T, D), or only its tokens that the head reads, (B, 1 or 2, D)
    pool_weights: Tensor | None = None  # of attention pooling, (B, heads, T)
    attention: Tensor | None = None  # full attention of all blocks, if it was written into one tensor, (L, B, A, T, T)

    def to_attention_output(self) -> AttentionOutput:
        """Stack the blocks' attention and tokens."""
        attention = self.attention
        if attention is None:
            weights = [block.weights for block in self.blocks if block.weights is not None]
            attention = malloc.to_mmap(torch.stack(weights)) if weights else self.logits.new_empty(0)
        tokens = [block.tokens for block in self.blocks if block.tokens is not None]
        pool = None if self.pool_weights is None else self.pool_weights.float()
        return AttentionOutput(self.logits, attention.float(), [*tokens, self.last] if tokens else [], pool)


class Transformer(nn.Module):
    """Interface of all Vision Transformers of this package; subclasses implement what raises NotImplementedError here.

    `attribution`, `runs` and `webapp` use only these methods and `config`; they never access a block.
    """

    config: ViTConfig

    def forward(self, images: Tensor, keep: Tensor | None = None, interventions: Interventions = None) -> Tensor:
        """Compute the logits (B, K); without head (K = 0) the pooled features (B, D).

        Args:
            images: (B, 3, H, W), normalized with the mean and standard deviation of the dataset.
            keep: Positions of the patches to use, (B, n), counted from 0; None for all. Dropping patches makes
                training cheaper (Liu et al. 2022, "PatchDropout", arXiv 2208.07220).
            interventions: Intervention in each block; None for none.
        """
        return self.forward_with_blocks(images, None, keep, interventions).logits

    def forward_with_attention(
        self,
        images: Tensor,
        attentions: Literal["cls", "tokens", "full"] = "cls",
        keep: Tensor | None = None,
        interventions: Interventions = None,
    ) -> AttentionOutput:
        """Compute logits and attention; the other arguments are those of `forward`."""
        if attentions == "cls" and not self.config.class_token:
            full = self.forward_with_attention(images, "full", keep, interventions)
            cls = cls_attention(full.attention, self.config)
            return AttentionOutput(full.logits, cls, pool_attention=full.pool_attention)
        return self.forward_with_blocks(images, attentions, keep, interventions).to_attention_output()

    def forward_with_blocks(
        self, images: Tensor, attentions: Attentions, keep: Tensor | None = None, interventions: Interventions = None
    ) -> ForwardOutput:
        """Run the network and keep the autograd graph; arguments as for `forward_with_attention`."""
        raise NotImplementedError

    def embed_images(self, images: Tensor, keep: Tensor | None = None) -> Tensor:
        """Compute the input of the first block, (B, T, D); arguments as for `forward`."""
        raise NotImplementedError

    def run_block(
        self, layer: int, x: Tensor, keep: Tensor | None = None, intervention: Intervention | None = None
    ) -> tuple[Tensor, Tensor]:
        """Map the input of a block, (B, T, D), to its output and its full attention, (B, A, T, T); `keep` as above."""
        raise NotImplementedError

    def forward_from(
        self, layer: int, x: Tensor, keep: Tensor | None = None, interventions: Interventions = None
    ) -> Tensor:
        """Compute the logits (B, K) from the input of a block, (B, T, D), or of the head, where `layer` is L.

        `layer` counts from 0; the other arguments are those of `forward`.
        """
        raise NotImplementedError

    def forward_head(self, x: Tensor, pre_logits: bool = False) -> Tensor:
        """Compute the logits (B, K) from the output (B, T, D) of a block: pooling, final norm and head.

        With `pre_logits`, or without head (K = 0), the result is the input of the head's last linear layer, (B, F).
        """
        raise NotImplementedError

    def head_values(self, layer: int, tokens: Tensor) -> Tensor:
        """Return the value vectors of each head, before the output projection, (B, A, T, d).

        `layer` counts from 0; `tokens` are the input of the block, (B, T, D).
        """
        block = cast(Any, self.blocks)[layer]
        return block.attn.value_vectors(block.norm1(tokens))

    def queries_and_keys(self, layer: int, tokens: Tensor, keep: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return queries, scaled, and keys of each head, (B, A, T, d): the softmax of their products is the attention.

        In a model with relative position bias, `attention_bias` is added to the products.

        `layer` and `tokens` as for `head_values`, `keep` as for `forward`.
        """
        raise NotImplementedError

    def attention_bias(self, layer: int, keep: Tensor | None = None) -> Tensor | None:
        """Return what is added to the products of queries and keys, (1 or B, A, T, T); None for nothing."""
        return None

    def value_vectors(self, layer: int, tokens: Tensor) -> Tensor:
        """Return what each head adds to the residual stream per unit of attention to each token, (B, A, T, D).

        These are the value vectors after the head's slice of the output projection and LayerScale, without bias;
        arguments as for `head_values`. With `scale_attn_norm` they are after that norm's weight, but not divided by its
        standard deviation, which is the same for all heads of a token.
        """
        block = cast(Any, self.blocks)[layer]
        values = self.head_values(layer, tokens)  # (B, A, T, d)
        weight = block.attn.proj.weight
        if self.config.scale_attn_norm:
            weight = weight * block.attn.norm.weight
        projections = weight.unflatten(1, (values.shape[1], -1)).movedim(1, 0)  # (A, D, d)
        added = values @ projections.mT  # (B, A, T, D)
        return block.ls1(added) if hasattr(block, "ls1") else added

    def patch_filters(self) -> Tensor:
        """Return the weights of the patch embedding as filters, (D, 3, P, P)."""
        raise NotImplementedError

    def patch_positions(self) -> Tensor:
        """Return the position embeddings of the patches, (N, D); zeros if positions are rotary only."""
        if self.pos_embed is None:
            return self.patch_filters().new_zeros(self.config.num_patches, self.config.embed_dim)
        return cast(Tensor, self.pos_embed)[0, self.config.num_embedded_prefix_tokens :]

    def stages(self) -> list[tuple[str, nn.Module]]:
        """Return head and blocks by name, from the output to the input: "head", "block 6", ..., "block 1".

        The head includes attention pooling and the projection before it, where the network has them.
        """
        blocks = cast(nn.ModuleList, self.blocks)
        numbered = [(f"block {layer}", block) for layer, block in enumerate(blocks, start=1)]
        named = dict(self.named_children())
        head = nn.ModuleList(named[name] for name in ("attn_pool", "head_proj", "head", "head_dist") if name in named)
        return [("head", head), *reversed(numbered)]


def cls_attention(attention: Tensor, config: ViTConfig) -> Tensor:
    """Select the row of the class token from (..., T, T) -> (..., T); without one, average the rows of the patches."""
    return attention[..., 0, :] if config.class_token else attention[..., config.num_prefix_tokens :, :].mean(-2)


class ViT(Transformer):
    """Plain Vision Transformer."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        self.config, D, K = config, config.embed_dim, config.num_classes
        norm = partial(nn.LayerNorm, D, eps=config.eps)
        self.patch_embed = PatchEmbed(config)
        self.cls_token = nn.Parameter(torch.empty(1, 1, D)) if config.class_token else None
        self.reg_token = nn.Parameter(torch.empty(1, config.reg_tokens, D)) if config.reg_tokens else None
        self.dist_token = nn.Parameter(torch.empty(1, 1, D)) if config.distilled else None
        positions = config.num_embedded_prefix_tokens + config.num_patches
        self.pos_embed = nn.Parameter(torch.empty(1, positions, D)) if config.pos_embed == "learn" else None
        d, learns_rope = config.head_dim, config.rope_type == "mixed"
        frequencies = torch.empty(2, config.depth, config.num_heads, d // 2) if learns_rope else None
        self.rope_freqs = None if frequencies is None else nn.Parameter(frequencies)
        self.norm_pre = norm() if config.pre_norm else nn.Identity()
        rates = [config.drop_path_rate * layer / max(1, config.depth - 1) for layer in range(config.depth)]
        self.blocks = nn.ModuleList(Block(config, rate) for rate in rates)
        self.norm = norm() if config.final_norm and not config.fc_norm else nn.Identity()
        self.attn_pool = AttentionPool(config) if config.global_pool == "map" else None
        self.fc_norm = norm() if config.final_norm and config.fc_norm else nn.Identity()
        features = 2 * D if config.global_pool == "token_avg" else D
        E = config.head_proj_dim or features
        self.head_proj = nn.Linear(features, E, bias=False) if config.head_proj_dim else nn.Identity()
        self.head = nn.Linear(E, K) if K else nn.Identity()
        if config.distilled:
            self.head_dist = nn.Linear(D, K) if K else nn.Identity()
        self.init_weights()

    def init_weights(self) -> None:
        """Initialize all weights.

        Linear layers are normal with standard deviation 1 / sqrt(fan in); the last layer of each branch and the head
        start at zero. Positions start as half the sine-cosine embedding, which trains faster than noise. The patch
        embedding keeps PyTorch's initialization of convolutions. Weights on the meta device are left as they are, since
        these operations would import torch's compiler there, which takes longer than reading the weights.
        """
        if self.patch_embed.proj.weight.is_meta:
            return
        init_linear_layers(self)
        for token in (self.cls_token, self.pos_embed, self.reg_token, self.dist_token):
            if token is not None:
                nn.init.normal_(token, std=0.02)
        if self.attn_pool is not None:
            nn.init.normal_(self.attn_pool.latent, std=0.02)
        if self.rope_freqs is not None:
            nn.init.normal_(self.rope_freqs, std=0.5)
        if self.pos_embed is not None:
            positions = sincos_pos_embed(self.config.grid_size, self.config.embed_dim)  # (N, D)
            with torch.no_grad():
                self.pos_embed[:, self.config.num_embedded_prefix_tokens :] = positions / 2
        if isinstance(self.head, nn.Linear):
            nn.init.zeros_(self.head.weight)

    def embed(self, patches: Tensor, keep: Tensor | None) -> Tensor:
        """Embed patches (B, n, 3 P P), add their positions, `keep` as for `forward`, and prefix tokens: (B, T, D)."""
        R = self.config.num_embedded_prefix_tokens
        x = self.patch_embed(patches)  # (B, n, D)
        if self.pos_embed is not None:
            x = x + gather_patches(self.pos_embed[:, R:], keep)
        tokens: list[Tensor] = [
            token for token in (self.cls_token, self.dist_token, self.reg_token) if token is not None
        ]
        if tokens:
            prefix = torch.cat(tokens, 1)  # (1, R, D)
            if self.pos_embed is not None and R:
                prefix = prefix + self.pos_embed[:, :R]
            x = torch.cat([prefix.expand(x.shape[0], -1, -1), x], 1)  # (B, T, D)
        return self.norm_pre(x)

    def rope(self, x: Tensor, keep: Tensor | None, layer: int) -> Rope | None:
        """Return the rotary embedding of the patches of tokens (B, T, D) in a block, with `keep` as for `forward`."""
        if self.config.rope_type == "none":
            return None
        if self.rope_freqs is None:
            angles = rope_angles(self.config)[None]  # (1, N, d), float32
        else:
            angles = mixed_angles(self.rope_freqs[:, layer], self.config)  # (A, N, d), float32
        waves = (wave.to(x) for wave in (angles.sin(), angles.cos()))
        sin, cos = (
            wave[None] if keep is None else wave[:, keep].transpose(0, 1) for wave in waves
        )  # (1 or B, ., n, d)
        return Rope(sin, cos, self.config.num_prefix_tokens, self.config.rope_rotate_half)

    def attention_bias(self, layer: int, keep: Tensor | None = None) -> Tensor | None:
        """Return the relative position bias; see `Transformer.attention_bias`."""
        table = cast(Block, self.blocks[layer]).attn.relative_position_bias_table
        if table is None:
            return None
        index = relative_positions(self.config.grid_size).to(table.device)[None]  # (1, T, T)
        if keep is not None:
            tokens = F.pad(keep + 1, (1, 0))  # (B, 1 + n): the class token and the kept patches
            index = index[0, tokens[:, :, None], tokens[:, None]]  # (B, 1 + n, 1 + n)
        return table[index].permute(0, 3, 1, 2)

    def embed_images(self, images: Tensor, keep: Tensor | None = None) -> Tensor:
        """Compute the input of the first block, (B, T, D); arguments as for `forward`."""
        return self.embed(gather_patches(patchify(images, self.config.patch_size), keep), keep)

    def run_block(
        self, layer: int, x: Tensor, keep: Tensor | None = None, intervention: Intervention | None = None
    ) -> tuple[Tensor, Tensor]:
        """Run one block with full attention; see `Transformer.run_block`."""
        rope, bias = self.rope(x, keep, layer), self.attention_bias(layer, keep)
        return cast(Block, self.blocks[layer])(x, x.shape[1], "full", intervention, rope, None, bias)

    def forward_blocks(
        self,
        x: Tensor,
        attentions: Attentions,
        all_tokens: bool,
        interventions: Interventions = None,
        keep: Tensor | None = None,
        out: Tensor | None = None,
        start: int = 0,
    ) -> tuple[Tensor, list[BlockOutput]]:
        """Run the blocks on tokens (B, T, D); this is the one loop over the blocks.

        Args:
            x: Input of the first of these blocks, such as the output of `embed`.
            attentions: Attention weights to return.
            all_tokens: If False, the last block computes only the class token and the distillation token.
            interventions: As for `forward`.
            keep: As for `forward`; rotary embeddings and relative position biases need the positions.
            out: Memory for the full attention of all blocks, (L, B, A, T, T), without gradients.
            start: The first block, from 0.

        Returns:
            Output of the last block, (B, T, D) or (B, 1 or 2, D), and attention and input of each block.
        """
        outputs, rope = [], None
        for layer, block in enumerate(self.blocks[start:], start):
            queries = x.shape[1] if all_tokens or layer < len(self.blocks) - 1 else 1 + self.config.distilled
            tokens = x if attentions in ("full", "tokens") else None
            mask, memory = interventions[layer] if interventions else None, None if out is None else out[layer]
            if rope is None or self.rope_freqs is not None:  # otherwise all blocks share it
                rope = self.rope(x, keep, layer)
            bias = self.attention_bias(layer, keep)
            x, weights = block(x, queries, attentions, mask, rope, memory, bias)
            outputs.append(BlockOutput(weights, tokens))
        return x, outputs

    def forward_with_blocks(
        self, images: Tensor, attentions: Attentions, keep: Tensor | None = None, interventions: Interventions = None
    ) -> ForwardOutput:
        """Run the network and keep the autograd graph; arguments as for `forward_with_attention`."""
        all_tokens = self.config.global_pool != "token" or attentions in ("full", "tokens")
        x = self.embed_images(images, keep)  # (B, T, D)
        out = None
        if attentions == "full" and not torch.is_grad_enabled():
            (B, T), (L, A) = x.shape[:2], (self.config.depth, self.config.num_heads)
            out = malloc.empty((L, B, A, T, T), x)
        x, outputs = self.forward_blocks(x, attentions, all_tokens, interventions, keep, out)  # (B, T or 1 or 2, D)
        features, pool_weights = self.pool(x, weights=attentions is not None)
        return ForwardOutput(self.classify(features), outputs, x, pool_weights, out)

    def forward_from(
        self, layer: int, x: Tensor, keep: Tensor | None = None, interventions: Interventions = None
    ) -> Tensor:
        """Compute the logits from the input of a block; see `Transformer.forward_from`."""
        all_tokens = self.config.global_pool != "token"
        return self.forward_head(self.forward_blocks(x, None, all_tokens, interventions, keep, start=layer)[0])

    def queries_and_keys(self, layer: int, tokens: Tensor, keep: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return scaled queries and keys; see `Transformer.queries_and_keys`."""
        block = cast(Block, self.blocks[layer])
        q, k = block.attn.queries_and_keys(block.norm1(tokens), tokens.shape[1], self.rope(tokens, keep, layer))
        return q * q.shape[-1] ** -0.5, k

    def forward_head(self, x: Tensor, pre_logits: bool = False) -> Tensor:
        """Compute the logits (B, K) from tokens (B, T, D), or from those that the head reads, (B, 1 or 2, D).

        With `pre_logits`, or without head (K = 0), the result is the input of the head's last linear layer, (B, F).
        """
        features = self.pool(x, weights=False)[0]
        return self.pre_logits(features) if pre_logits else self.classify(features)

    def pool(self, x: Tensor, weights: bool) -> tuple[Tensor, Tensor | None]:
        """Apply the final norm and the pooling to tokens (B, T, D).

        Returns:
            Features (B, 1, D): of the class token, or (B, 2, D): of class token and distillation token, or of class
            token and mean; and the weights of attention pooling (B, heads, T), if there is any and `weights` is set.
        """
        x, R, pooled = self.norm(x), self.config.num_prefix_tokens, None
        if self.config.global_pool == "token":
            x = x[:, : 1 + self.config.distilled]  # (B, 1 or 2, D)
        elif self.attn_pool is not None:
            R = 0 if self.config.pool_include_prefix else R
            x, pooled = self.attn_pool(x[:, R:], "cls" if weights else None)  # (B, 1, D), (B, heads, T - R)
            pooled = None if pooled is None else F.pad(pooled, (R, 0))  # (B, heads, T)
        else:
            mean = x[:, R:].mean(1, keepdim=True)  # (B, 1, D)
            x = torch.cat([x[:, :1], mean], 1) if self.config.global_pool == "token_avg" else mean
        return self.fc_norm(x), pooled

    def classify(self, features: Tensor) -> Tensor:
        """Compute the logits (B, K) from the output of `pool`; the mean of both heads of a distilled model."""
        if self.config.distilled:
            return (self.head(features[:, 0]) + self.head_dist(features[:, 1])) / 2
        return self.head(self.pre_logits(features))

    def pre_logits(self, features: Tensor) -> Tensor:
        """Compute the input of the head (B, F) from the output of `pool`; of a distilled model the mean of both."""
        if self.config.distilled:
            return features.mean(1)
        x = self.head_proj(features.flatten(1))  # (B, E)
        return F.normalize(x, dim=-1) if self.config.normalize_head else x

    def patch_filters(self) -> Tensor:
        """Return the weights of the patch embedding as filters, (D, 3, P, P)."""
        return self.patch_embed.proj.weight


def set_fused_attn(module: nn.Module, fused: bool) -> None:
    """Use the fused kernel, or the explicit products, in every attention of a module."""
    for layer in module.modules():
        if isinstance(layer, Attention):
            layer.fused_attn = fused


def init_linear_layers(module: nn.Module) -> None:
    """Initialize linear layers, and the last one of each branch of the blocks at zero, see `ViT.init_weights`."""
    for layer in module.modules():
        if isinstance(layer, nn.Linear):
            nn.init.normal_(layer.weight, std=layer.in_features**-0.5)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)
    for name, weight in module.named_parameters():
        if name.endswith(("attn.proj.weight", "mlp.fc2.weight")):
            nn.init.zeros_(weight)


class Block(nn.Module):
    """Pre-norm transformer block: attention and MLP, each with a residual connection."""

    def __init__(self, config: ViTConfig, drop_path_rate: float) -> None:
        super().__init__()
        scale: Callable[[], nn.Module] = nn.Identity
        if config.init_values is not None:
            scale = partial(LayerScale, config.embed_dim, config.init_values)
        self.norm1 = nn.LayerNorm(config.embed_dim, eps=config.eps)
        self.attn = Attention(config)
        self.ls1 = scale()
        self.norm2 = nn.LayerNorm(config.embed_dim, eps=config.eps)
        self.mlp = create_mlp(config)
        self.ls2 = scale()
        self.drop_path_rate = drop_path_rate

    def forward(
        self,
        x: Tensor,
        queries: int,
        attentions: Attentions,
        intervention: Intervention | None = None,
        rope: Rope | None = None,
        out: Tensor | None = None,
        bias: Tensor | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Map tokens (B, T, D) to the first `queries` tokens (B, queries, D) and the requested attention."""
        mixed, weights = self.attn(self.norm1(x), queries, attentions, intervention, rope, out, bias)
        x = x[:, :queries] + self.drop_branch(self.ls1(mixed))  # (B, queries, D)
        added = self.drop_branch(self.ls2(self.mlp(self.norm2(x))))  # (B, queries, D)
        if intervention is None:
            return x + added, weights
        return intervention.apply_tokens(x + intervention.apply_mlp(added)), weights

    def branch_norms(self) -> list[nn.Module]:
        """Return the norms at which a branch leaves the residual stream."""
        return [self.norm1, self.norm2]

    def drop_branch(self, branch: Tensor) -> Tensor:
        """Apply stochastic depth per image in training: zero the branch, or scale it by 1 / (1 - rate)."""
        if not self.training or self.drop_path_rate == 0:
            return branch
        kept = torch.rand(branch.shape[0], 1, 1, device=branch.device) >= self.drop_path_rate  # (B, 1, 1)
        return branch * kept / (1 - self.drop_path_rate)


class Attention(nn.Module):
    """Multi-head self-attention with one weight matrix for queries, keys and values.

    Attributes:
        fused_attn: As `fused` of `attend`.
    """

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        D, d = config.embed_dim, config.head_dim
        self.num_heads = config.num_heads
        self.fused_attn: bool | None = None
        self.qkv = nn.Linear(D, 3 * D, bias=config.qkv_bias)
        self.q_norm = nn.LayerNorm(d, eps=config.eps) if config.qk_norm else nn.Identity()
        self.k_norm = nn.LayerNorm(d, eps=config.eps) if config.qk_norm else nn.Identity()
        self.norm = nn.LayerNorm(D, eps=config.eps) if config.scale_attn_norm else nn.Identity()
        self.proj = nn.Linear(D, D)
        gh, gw = config.grid_size
        table = torch.zeros((2 * gh - 1) * (2 * gw - 1) + 3, self.num_heads) if config.rel_pos_bias else None
        self.relative_position_bias_table = None if table is None else nn.Parameter(table)

    def forward(
        self,
        x: Tensor,
        queries: int,
        attentions: Attentions,
        intervention: Intervention | None = None,
        rope: Rope | None = None,
        out: Tensor | None = None,
        bias: Tensor | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from the first `queries` tokens to all tokens (B, T, D).

        Returns:
            Output (B, queries, D) and the requested attention.
        """
        if queries == x.shape[1]:
            q, k, v = self.project(x, 0, 3)
        else:
            (q,), (k, v) = self.project(x[:, :queries], 0, 1), self.project(x, 1, 3)
        q, k = self.normalize(q, k, rope)
        if intervention is not None:
            q = intervention.apply_queries(q)
        bias = None if bias is None else bias[:, :, :queries]
        mixed, weights = attend(q, k, v, attentions, out, bias, self.fused_attn)  # (B, A, queries, d)
        if intervention is not None:
            mixed = intervention.apply(mixed, v)
        return self.proj(self.norm(mixed.transpose(1, 2).flatten(2))), weights  # (B, queries, D)

    def queries_and_keys(self, x: Tensor, queries: int, rope: Rope | None) -> tuple[Tensor, Tensor]:
        """Return the first `queries` queries (B, A, queries, d) and all keys (B, A, T, d) of tokens (B, T, D)."""
        (q,), (k,) = self.project(x[:, :queries], 0, 1), self.project(x, 1, 2)
        return self.normalize(q, k, rope)

    def normalize(self, q: Tensor, k: Tensor, rope: Rope | None) -> tuple[Tensor, Tensor]:
        """Apply the norms and the rotary embedding to queries (B, A, queries, d) and keys (B, A, T, d)."""
        q, k = self.q_norm(q), self.k_norm(k)
        return (q, k) if rope is None else (rope.rotate(q), rope.rotate(k))

    def value_vectors(self, x: Tensor) -> Tensor:
        """Return the value vectors of normalized tokens (B, T, D) -> (B, A, T, d)."""
        return self.project(x, 2, 3)[0]

    def project(self, x: Tensor, start: int, stop: int) -> Tensor:
        """Project tokens (B, T, D) to queries (0), keys (1) and values (2), `start` <= n < `stop`: (n, B, A, T, d)."""
        rows = slice(start * x.shape[-1], stop * x.shape[-1])
        bias = None if self.qkv.bias is None else self.qkv.bias[rows]
        projected = F.linear(x, self.qkv.weight[rows], bias)  # (B, T, n D)
        return projected.unflatten(-1, (stop - start, self.num_heads, -1)).permute(2, 0, 3, 1, 4)
