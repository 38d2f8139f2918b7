"""The Vision Transformers of three tutorials, with the interface of `vitviz.models.vit.Transformer`.

Each docstring names the differences from the plain `ViT`. All three run through the one loop over the blocks in
`TutorialViT.forward_with_blocks` and start from PyTorch's default initialization. Letters in shape comments are those
of `vitviz.models.vit`.
"""

from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vitviz.models.config import ViTConfig
from vitviz.models.layers import MLP, Attentions, gather_patches, patchify
from vitviz.models.vit import BlockOutput, ForwardOutput, Intervention, Interventions, Transformer


class TutorialViT(Transformer):
    """Common parts of the three networks: patches, class token, positions, blocks and a head on the class token."""

    head: nn.Module

    def __init__(self, config: ViTConfig, block: type[nn.Module]) -> None:
        super().__init__()
        self.config = config
        self.patch_embed = nn.Linear(3 * config.patch_size**2, config.embed_dim)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, config.embed_dim))
        self.pos_embed = nn.Parameter(torch.zeros(1, config.num_tokens, config.embed_dim))
        self.blocks = nn.ModuleList(block(config) for _ in range(config.depth))
        self.norm: nn.Module = nn.Identity()

    def init_tokens(self, std: float) -> None:
        """Initialize class token and positions with noise, but not on the meta device: see `ViT.init_weights`."""
        if not self.cls_token.is_meta:
            nn.init.normal_(self.cls_token, std=std)
            nn.init.normal_(self.pos_embed, std=std)

    def forward_with_blocks(
        self, images: Tensor, attentions: Attentions, keep: Tensor | None = None, interventions: Interventions = None
    ) -> ForwardOutput:
        """Run the network and keep the autograd graph; arguments as for `forward_with_attention`."""
        x, outputs = self.forward_blocks(self.embed_images(images, keep), attentions, interventions)  # (B, T, D)
        return ForwardOutput(self.forward_head(x), outputs, x)

    def forward_blocks(
        self, x: Tensor, attentions: Attentions, interventions: Interventions = None, start: int = 0
    ) -> tuple[Tensor, list[BlockOutput]]:
        """Run the blocks from `start` on tokens (B, T, D); see `ViT.forward_blocks`."""
        outputs = []
        for layer, block in enumerate(self.blocks[start:], start):
            tokens = x if attentions in ("full", "tokens") else None
            x, weights = block(x, attentions, interventions[layer] if interventions else None)  # (B, T, D)
            outputs.append(BlockOutput(weights, tokens))
        return x, outputs

    def forward_from(
        self, layer: int, x: Tensor, keep: Tensor | None = None, interventions: Interventions = None
    ) -> Tensor:
        """Compute the logits from the input of a block; see `Transformer.forward_from`."""
        return self.forward_head(self.forward_blocks(x, None, interventions, layer)[0])

    def embed_images(self, images: Tensor, keep: Tensor | None = None) -> Tensor:
        """Compute the input of the first block, (B, T, D); arguments as for `forward`."""
        patches = gather_patches(self.patch_embed(self.patchify(images)) + self.pos_embed[:, 1:], keep)  # (B, N, D)
        token = (self.cls_token + self.pos_embed[:, :1]).expand(len(patches), -1, -1)  # (B, 1, D)
        return self.pos_drop(torch.cat([token, patches], 1))  # (B, T, D)

    def run_block(
        self, layer: int, x: Tensor, keep: Tensor | None = None, intervention: Intervention | None = None
    ) -> tuple[Tensor, Tensor]:
        """Run one block with full attention; see `Transformer.run_block`."""
        return cast(tuple[Tensor, Tensor], self.blocks[layer](x, "full", intervention))

    def forward_head(self, x: Tensor, pre_logits: bool = False) -> Tensor:
        """Compute the logits (B, K) from the class token of (B, T, D); see `Transformer.forward_head`.

        It is normed except in the notebook tutorial.
        """
        features = self.norm(x[:, 0])  # (B, D)
        return self.pre_logits(features) if pre_logits else self.head(features)

    def pre_logits(self, features: Tensor) -> Tensor:
        """Compute the input of the head's last linear layer from the normed class token (B, D)."""
        return features

    def patchify(self, images: Tensor) -> Tensor:
        """Cut images (B, 3, H, W) into square patches, in reading order -> (B, N, 3 P P)."""
        return patchify(images, self.config.patch_size)

    def queries_and_keys(self, layer: int, tokens: Tensor, keep: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return scaled queries and keys; see `Transformer.queries_and_keys`."""
        block = cast(TutorialBlock, self.blocks[layer])
        q, k, _ = block.attn.project_qkv(block.norm1(tokens))  # (B, A, T, d)
        return q * block.attn.scale, k

    def pos_drop(self, x: Tensor) -> Tensor:
        """Apply dropout to the tokens (B, T, D) before the first block; none by default."""
        return x

    def patch_filters(self) -> Tensor:
        """Return the weights of the patch embedding as filters, (D, 3, P, P), or (D, 3, 1, P P) for strips."""
        (H, W), (gh, gw) = self.config.img_size, self.config.grid_size
        weight = self.patch_embed.weight
        pixels = torch.arange(3 * H * W, device=weight.device).view(1, 3, H, W)
        order = self.patchify(pixels)[0, 0]  # (3 P P,): pixels of the first patch, in the order of the weights
        filters = weight.new_zeros(len(weight), 3 * H * W)
        filters[:, order] = weight.detach()
        return filters.view(-1, 3, H, W)[:, :, : H // gh, : W // gw]


class NotebookViT(TutorialViT):
    """Notebook tutorial: positions start as unit normal noise, followed by two dropout layers.

    The head has no final norm, because every block ends with one.
    """

    def __init__(self, config: ViTConfig) -> None:
        super().__init__(config, NotebookBlock)
        self.init_tokens(std=1)
        self.head = head_layer(config, config.embed_dim)

    def pos_drop(self, x: Tensor) -> Tensor:
        """Apply dropout with probability 0.5, then with `pos_drop_rate`."""
        return F.dropout(F.dropout(x, 0.5, self.training), self.config.pos_drop_rate, self.training)


class LightningViT(TutorialViT):
    """Lightning tutorial: class token and positions start at zero; residual connections skip from the normed input."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__(config, LightningBlock)
        self.norm = nn.LayerNorm(config.embed_dim)
        self.head = head_layer(config, config.embed_dim)


class ScratchViT(TutorialViT):
    """From-scratch tutorial: a head of two linear layers without activation, and patches cut by `reshape`.

    Reshaping (H, W, C) to (N, P P C) does not produce square patches: each row of the result is a strip of P P adjacent
    pixels of one image row. The architecture "tutorial-scratch-fixed" cuts squares and is identical otherwise.
    """

    def __init__(self, config: ViTConfig) -> None:
        super().__init__(config, ScratchBlock)
        self.init_tokens(std=1e-6)
        self.norm = nn.LayerNorm(config.embed_dim)
        self.head = nn.Sequential(
            nn.Linear(config.embed_dim, 4 * config.embed_dim), head_layer(config, 4 * config.embed_dim)
        )

    def pre_logits(self, features: Tensor) -> Tensor:
        """Compute the input of the second linear layer, (B, 4 D), from the normed class token (B, D)."""
        return cast(nn.Sequential, self.head)[0](features)

    def patchify(self, images: Tensor) -> Tensor:
        """Cut images (B, 3, H, W) into strips of pixels, or into squares if fixed -> (B, N, 3 P P)."""
        if self.config.architecture == "tutorial-scratch-fixed":
            return super().patchify(images)
        return images.permute(0, 2, 3, 1).reshape(len(images), -1, 3 * self.config.patch_size**2)


def head_layer(config: ViTConfig, features: int) -> nn.Module:
    """Create the last layer, from features to logits; without head (K = 0) it is the identity."""
    return nn.Linear(features, config.num_classes) if config.num_classes else nn.Identity()


class TutorialBlock(nn.Module):
    """Common layers of the blocks of the three networks: two norms, attention, MLP and dropout."""

    def __init__(self, config: ViTConfig, attn: "TutorialAttention") -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(config.embed_dim)
        self.attn = attn
        self.norm2 = nn.LayerNorm(config.embed_dim)
        self.mlp = MLP(config.embed_dim, config.mlp_hidden_dim)
        self.dropout = nn.Dropout(config.pos_drop_rate)

    def branch_norms(self) -> list[nn.Module]:
        """Return the norms at which a branch leaves the residual stream."""
        return [self.norm1, self.norm2]


class NotebookBlock(TutorialBlock):
    """Pre-norm attention, an MLP with a second GELU, and a norm after the last residual connection."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__(config, TutorialAttention(config, attn_drop=config.pos_drop_rate))
        self.norm = nn.LayerNorm(config.embed_dim)

    def forward(
        self, x: Tensor, attentions: Attentions, intervention: Intervention | None
    ) -> tuple[Tensor, Tensor | None]:
        """Map tokens (B, T, D) to tokens (B, T, D) and the requested attention."""
        mixed, weights = self.attn(self.norm1(x), attentions, intervention)
        x = x + self.dropout(mixed)
        hidden = self.dropout(F.gelu(self.mlp.fc1(self.norm2(x))))  # (B, T, M)
        added = self.dropout(F.gelu(self.mlp.fc2(hidden)))  # (B, T, D)
        if intervention is None:
            return self.norm(x + added), weights
        return intervention.apply_tokens(self.norm(x + intervention.apply_mlp(added))), weights


class LightningBlock(TutorialBlock):
    """Attention and MLP whose residual connections skip from the normed input, not from the input."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__(config, TutorialAttention(config, qkv_bias=True))

    def branch_norms(self) -> list[nn.Module]:
        """Return the norms at which a branch leaves the residual stream: none, as both are part of it."""
        return []

    def forward(
        self, x: Tensor, attentions: Attentions, intervention: Intervention | None
    ) -> tuple[Tensor, Tensor | None]:
        """Map tokens (B, T, D) to tokens (B, T, D) and the requested attention."""
        x = self.norm1(x)
        mixed, weights = self.attn(x, attentions, intervention)
        x = self.norm2(x + mixed)
        added = self.dropout(self.mlp(x))  # (B, T, D)
        if intervention is None:
            return x + added, weights
        return intervention.apply_tokens(x + intervention.apply_mlp(added)), weights


class ScratchBlock(TutorialBlock):
    """Pre-norm attention and MLP; attention scores are scaled by the embedding width instead of the head width."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__(config, TutorialAttention(config))

    def forward(
        self, x: Tensor, attentions: Attentions, intervention: Intervention | None
    ) -> tuple[Tensor, Tensor | None]:
        """Map tokens (B, T, D) to tokens (B, T, D) and the requested attention."""
        mixed, weights = self.attn(self.norm1(x), attentions, intervention)
        x = x + self.dropout(mixed)
        added = self.dropout(self.mlp(self.norm2(x)))  # (B, T, D)
        if intervention is None:
            return x + added, weights
        return intervention.apply_tokens(x + intervention.apply_mlp(added)), weights


class TutorialAttention(nn.Module):
    """Multi-head self-attention with dropout of the attention weights in training.

    Args:
        config: Configuration of the network.
        qkv_bias: Whether queries, keys and values have a bias.
        attn_drop: Dropout rate of the attention weights.
    """

    def __init__(self, config: ViTConfig, qkv_bias: bool = False, attn_drop: float = 0.0) -> None:
        super().__init__()
        D, self.num_heads, self.attn_drop = config.embed_dim, config.num_heads, attn_drop
        self.scale = config.scaled_width**-0.5
        self.qkv = nn.Linear(D, 3 * D, bias=qkv_bias)
        self.proj = nn.Linear(D, D)

    def forward(
        self, x: Tensor, attentions: Attentions, intervention: Intervention | None
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from all tokens to all tokens (B, T, D).

        Returns:
            Output (B, T, D) and the requested attention: None, of the class token (B, A, T) or all (B, A, T, T).
        """
        q, k, v = self.project_qkv(x)
        if intervention is not None:
            q = intervention.apply_queries(q)
        weights = (q @ k.transpose(-2, -1) * self.scale).softmax(-1)  # (B, A, T, T)
        mixed = F.dropout(weights, self.attn_drop, self.training) @ v  # (B, A, T, d)
        if intervention is not None:
            mixed = intervention.apply(mixed, v)
        requested = weights if attentions == "full" else weights[:, :, 0] if attentions == "cls" else None
        return self.proj(mixed.transpose(1, 2).flatten(2)), requested

    def project_qkv(self, x: Tensor) -> Tensor:
        """Return queries, not scaled, keys and values of normalized tokens (B, T, D) -> (3, B, A, T, d)."""
        return self.qkv(x).unflatten(-1, (3, self.num_heads, -1)).permute(2, 0, 3, 1, 4)

    def value_vectors(self, x: Tensor) -> Tensor:
        """Return the value vectors of normalized tokens (B, T, D) -> (B, A, T, d)."""
        return self.project_qkv(x)[2]
