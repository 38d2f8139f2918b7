"""The Vision Transformers of three tutorials, as their texts have them, with this project's way to ask for attention.

What each does differently from the plain `ViT` is a lesson, and stands in its docstring. All are read from
`TutorialViT.run`, one loop over the blocks. They start from PyTorch's own random weights, as their texts do. Letters in
shape comments are those of `vitviz.models.vit`.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vitviz.models.config import ViTConfig
from vitviz.models.vit import (
    MLP,
    Attentions,
    BlockOutput,
    Classifier,
    ForwardOutput,
    HeadMask,
    HeadMasks,
    gather_patches,
    patchify,
)


class TutorialAttention(nn.Module):
    """Multi-head self-attention, its weights dropped out in training.

    Args:
        width: D.
        heads: A.
        bias: Whether queries, keys and values have one.
        scale: What scores are multiplied with.
        weights_dropout: Share of the weights zeroed in training.
    """

    def __init__(self, width: int, heads: int, bias: bool, scale: float, weights_dropout: float = 0.0) -> None:
        super().__init__()
        self.heads, self.scale, self.weights_dropout = heads, scale, weights_dropout
        self.qkv = nn.Linear(width, 3 * width, bias=bias)
        self.proj = nn.Linear(width, width)

    def forward(self, x: Tensor, attentions: Attentions, head_mask: HeadMask | None) -> tuple[Tensor, Tensor | None]:
        """Mix tokens (B, T, D) -> (B, T, D), and the weights wanted: of the class token (B, A, T) or all."""
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)  # 3 x (B, A, T, d)
        weights = (q @ k.transpose(-2, -1) * self.scale).softmax(-1)  # (B, A, T, T)
        mixed = F.dropout(weights, self.weights_dropout, self.training) @ v  # (B, A, T, d)
        if head_mask is not None:
            mixed = head_mask.apply(mixed)
        wanted = {None: None, "cls": weights[:, :, 0], "full": weights}[attentions]
        return self.proj(mixed.transpose(1, 2).flatten(2)), wanted

    def values(self, x: Tensor) -> Tensor:
        """What each head would pass on of each token (B, T, D), before its share of the projection: (B, A, T, d)."""
        return self.qkv(x).unflatten(-1, (3, self.heads, -1))[:, :, 2].transpose(1, 2)


class NotebookBlock(nn.Module):
    """Pre-norm attention and an MLP with a second GELU, and a norm of the sum at the end."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        scale = (config.embed_dim // config.num_heads) ** -0.5
        self.norm1 = nn.LayerNorm(config.embed_dim)
        self.attn = TutorialAttention(config.embed_dim, config.num_heads, False, scale, config.pos_drop_rate)
        self.norm2 = nn.LayerNorm(config.embed_dim)
        self.mlp = MLP(config.embed_dim, config.mlp_hidden_dim)
        self.dropout = nn.Dropout(config.pos_drop_rate)
        self.norm = nn.LayerNorm(config.embed_dim)

    def forward(self, x: Tensor, attentions: Attentions, head_mask: HeadMask | None) -> tuple[Tensor, Tensor | None]:
        """Tokens (B, T, D) -> tokens (B, T, D) and the attention wanted."""
        mixed, weights = self.attn(self.norm1(x), attentions, head_mask)
        x = x + self.dropout(mixed)
        hidden = self.dropout(F.gelu(self.mlp.fc1(self.norm2(x))))  # (B, T, M)
        return self.norm(x + self.dropout(F.gelu(self.mlp.fc2(hidden)))), weights


class LightningBlock(nn.Module):
    """Attention and an MLP; what is added to them is the normalised input, not the input itself."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(config.embed_dim)
        self.attn = TutorialAttention(
            config.embed_dim, config.num_heads, True, (config.embed_dim // config.num_heads) ** -0.5
        )
        self.norm2 = nn.LayerNorm(config.embed_dim)
        self.mlp = MLP(config.embed_dim, config.mlp_hidden_dim)
        self.dropout = nn.Dropout(config.pos_drop_rate)

    def forward(self, x: Tensor, attentions: Attentions, head_mask: HeadMask | None) -> tuple[Tensor, Tensor | None]:
        """Tokens (B, T, D) -> tokens (B, T, D) and the attention wanted."""
        x = self.norm1(x)
        mixed, weights = self.attn(x, attentions, head_mask)
        x = self.norm2(x + mixed)
        return x + self.dropout(self.mlp(x)), weights


class ScratchBlock(nn.Module):
    """Pre-norm attention and MLP; scores are scaled by the full width instead of the head's."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(config.embed_dim)
        self.attn = TutorialAttention(config.embed_dim, config.num_heads, False, config.embed_dim**-0.5)
        self.norm2 = nn.LayerNorm(config.embed_dim)
        self.mlp = MLP(config.embed_dim, config.mlp_hidden_dim)
        self.dropout = nn.Dropout(config.pos_drop_rate)

    def forward(self, x: Tensor, attentions: Attentions, head_mask: HeadMask | None) -> tuple[Tensor, Tensor | None]:
        """Tokens (B, T, D) -> tokens (B, T, D) and the attention wanted."""
        mixed, weights = self.attn(self.norm1(x), attentions, head_mask)
        x = x + self.dropout(mixed)
        return x + self.dropout(self.mlp(self.norm2(x))), weights


class TutorialViT(Classifier):
    """What the three have in common: patches, a class token in front, positions, blocks, a head on the class token."""

    def __init__(self, config: ViTConfig, block: type[nn.Module]) -> None:
        super().__init__()
        self.config = config
        self.patch_embed = nn.Linear(3 * config.patch_size**2, config.embed_dim)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, config.embed_dim))
        self.pos_embed = nn.Parameter(torch.zeros(1, config.num_tokens, config.embed_dim))
        self.blocks = nn.ModuleList(block(config) for _ in range(config.depth))

    def forward_blocks(
        self, images: Tensor, attentions: Attentions, keep: Tensor | None = None, head_masks: HeadMasks = None
    ) -> ForwardOutput:
        """The one loop over the blocks; arguments as for `ViT.forward` and `ViT.trace`."""
        patches = gather_patches(self.patch_embed(self.cut(images)) + self.pos_embed[:, 1:], keep)  # (B, N, D)
        token = (self.cls_token + self.pos_embed[:, :1]).expand(len(patches), -1, -1)  # (B, 1, D)
        x = self.after_positions(torch.cat([token, patches], 1))  # (B, T, D)
        seen = []
        for layer, block in enumerate(self.blocks):
            came_in = x if attentions == "full" else None
            x, weights = block(x, attentions, head_masks[layer] if head_masks else None)  # (B, T, D)
            seen.append(BlockOutput(weights, came_in))
        return ForwardOutput(self.forward_head(x), seen, x)

    def cut(self, images: Tensor) -> Tensor:
        """(B, 3, H, W) -> square patches, (B, N, 3 P P), in reading order: what a strided convolution looks at."""
        return patchify(images, self.config.patch_size)

    def after_positions(self, x: Tensor) -> Tensor:
        """What happens to tokens (B, T, D) before the first block."""
        return x

    def forward_head(self, x: Tensor) -> Tensor:
        """Tokens (B, T, D) -> logits (B, K), by the class token."""
        raise NotImplementedError


class NotebookViT(TutorialViT):
    """The notebook tutorial: positions start as plain noise, and dropout follows them twice.

    There is no norm before the head, since every block ends with one.
    """

    def __init__(self, config: ViTConfig) -> None:
        super().__init__(config, NotebookBlock)
        nn.init.normal_(self.cls_token)
        nn.init.normal_(self.pos_embed)
        self.head = nn.Linear(config.embed_dim, config.num_classes)

    def after_positions(self, x: Tensor) -> Tensor:
        """Drop out half of the numbers, then the config's share again."""
        return F.dropout(F.dropout(x, 0.5, self.training), self.config.pos_drop_rate, self.training)

    def forward_head(self, x: Tensor) -> Tensor:
        """The class token of (B, T, D) -> logits (B, K), linearly."""
        return self.head(x[:, 0])


class LightningViT(TutorialViT):
    """The Lightning tutorial: token and positions start at zero, and each block passes on its normalised input."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__(config, LightningBlock)
        self.norm = nn.LayerNorm(config.embed_dim)
        self.head = nn.Linear(config.embed_dim, config.num_classes)

    def forward_head(self, x: Tensor) -> Tensor:
        """The class token of (B, T, D), normalised -> logits (B, K), linearly."""
        return self.head(self.norm(x[:, 0]))


class ScratchViT(TutorialViT):
    """The from-scratch tutorial: two linear layers without anything between them as its head, and patches by `reshape`.

    Reshaping (H, W, C) to (N, P P C) does not cut patchify: each row of the result is P P neighbouring pixels of one
    line of the image. The architecture "tutorial-scratch-fixed" cuts patchify and is the same otherwise.
    """

    def __init__(self, config: ViTConfig) -> None:
        super().__init__(config, ScratchBlock)
        nn.init.normal_(self.cls_token, std=1e-6)
        nn.init.normal_(self.pos_embed, std=1e-6)
        self.norm = nn.LayerNorm(config.embed_dim)
        self.head = nn.Sequential(
            nn.Linear(config.embed_dim, 4 * config.embed_dim), nn.Linear(4 * config.embed_dim, config.num_classes)
        )

    def cut(self, images: Tensor) -> Tensor:
        """(B, 3, H, W) -> (B, N, 3 P P): strips of pixels in reading order, or patchify if mended."""
        if self.config.architecture == "tutorial-scratch-fixed":
            return super().cut(images)
        return images.permute(0, 2, 3, 1).reshape(len(images), -1, 3 * self.config.patch_size**2)

    def forward_head(self, x: Tensor) -> Tensor:
        """The class token of (B, T, D), normalised -> logits (B, K), by two linear layers."""
        return self.head(self.norm(x[:, 0]))
