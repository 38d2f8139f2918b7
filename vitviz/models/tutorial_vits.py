"""The Vision Transformers of three tutorials, as their texts have them, with this project's way to ask for attention.

What each does differently from the plain `ViT` is a lesson, and stands in its docstring. All are read from
`TutorialViT.run`, one loop over the blocks. They start from PyTorch's own random weights, as their texts do. Letters in
shape comments are those of `vitviz.models.vit`.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vitviz.models.config import ViTConfig
from vitviz.models.vit import MLP, Classifier, Gate, Gates, Pass, Seen, Want, choose_patches, squares


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

    def forward(self, x: Tensor, want: Want, gate: Gate | None) -> tuple[Tensor, Tensor | None]:
        """Mix tokens (B, T, D) -> (B, T, D), and the weights wanted: of the class token (B, A, T) or all."""
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)  # 3 x (B, A, T, d)
        weights = (q @ k.transpose(-2, -1) * self.scale).softmax(-1)  # (B, A, T, T)
        mixed = F.dropout(weights, self.weights_dropout, self.training) @ v  # (B, A, T, d)
        if gate is not None:
            mixed = gate.close(mixed)
        wanted = {"nothing": None, "rows": weights[:, :, 0], "full": weights}[want]
        return self.proj(mixed.transpose(1, 2).flatten(2)), wanted

    def values(self, x: Tensor) -> Tensor:
        """What each head would pass on of each token (B, T, D), before its share of the projection: (B, A, T, d)."""
        return self.qkv(x).unflatten(-1, (3, self.heads, -1))[:, :, 2].transpose(1, 2)


class NotebookBlock(nn.Module):
    """Pre-norm attention and an MLP with a second GELU, and a norm of the sum at the end."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        scale = (config.width // config.heads) ** -0.5
        self.norm1 = nn.LayerNorm(config.width)
        self.attn = TutorialAttention(config.width, config.heads, False, scale, config.dropout)
        self.norm2 = nn.LayerNorm(config.width)
        self.mlp = MLP(config.width, config.mlp_width)
        self.dropout = nn.Dropout(config.dropout)
        self.norm = nn.LayerNorm(config.width)

    def forward(self, x: Tensor, want: Want, gate: Gate | None) -> tuple[Tensor, Tensor | None]:
        """Tokens (B, T, D) -> tokens (B, T, D) and the attention wanted."""
        mixed, weights = self.attn(self.norm1(x), want, gate)
        x = x + self.dropout(mixed)
        hidden = self.dropout(F.gelu(self.mlp.fc1(self.norm2(x))))  # (B, T, M)
        return self.norm(x + self.dropout(F.gelu(self.mlp.fc2(hidden)))), weights


class LightningBlock(nn.Module):
    """Attention and an MLP; what is added to them is the normalised input, not the input itself."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(config.width)
        self.attn = TutorialAttention(config.width, config.heads, True, (config.width // config.heads) ** -0.5)
        self.norm2 = nn.LayerNorm(config.width)
        self.mlp = MLP(config.width, config.mlp_width)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, want: Want, gate: Gate | None) -> tuple[Tensor, Tensor | None]:
        """Tokens (B, T, D) -> tokens (B, T, D) and the attention wanted."""
        x = self.norm1(x)
        mixed, weights = self.attn(x, want, gate)
        x = self.norm2(x + mixed)
        return x + self.dropout(self.mlp(x)), weights


class ScratchBlock(nn.Module):
    """Pre-norm attention and MLP; scores are scaled by the full width instead of the head's."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(config.width)
        self.attn = TutorialAttention(config.width, config.heads, False, config.width**-0.5)
        self.norm2 = nn.LayerNorm(config.width)
        self.mlp = MLP(config.width, config.mlp_width)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, want: Want, gate: Gate | None) -> tuple[Tensor, Tensor | None]:
        """Tokens (B, T, D) -> tokens (B, T, D) and the attention wanted."""
        mixed, weights = self.attn(self.norm1(x), want, gate)
        x = x + self.dropout(mixed)
        return x + self.dropout(self.mlp(self.norm2(x))), weights


class TutorialViT(Classifier):
    """What the three have in common: patches, a class token in front, positions, blocks, a head on the class token."""

    def __init__(self, config: ViTConfig, block: type[nn.Module]) -> None:
        super().__init__()
        self.config = config
        self.patch_embed = nn.Linear(3 * config.patch_size**2, config.width)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, config.width))
        self.pos_embed = nn.Parameter(torch.zeros(1, config.tokens, config.width))
        self.blocks = nn.ModuleList(block(config) for _ in range(config.depth))

    def run(self, images: Tensor, want: Want, keep: Tensor | None = None, gates: Gates = None) -> Pass:
        """The one loop over the blocks; arguments as for `ViT.forward` and `ViT.trace`."""
        patches = choose_patches(self.patch_embed(self.cut(images)) + self.pos_embed[:, 1:], keep)  # (B, N, D)
        token = (self.cls_token + self.pos_embed[:, :1]).expand(len(patches), -1, -1)  # (B, 1, D)
        x = self.after_positions(torch.cat([token, patches], 1))  # (B, T, D)
        seen = []
        for layer, block in enumerate(self.blocks):
            came_in = x if want == "full" else None
            x, weights = block(x, want, gates[layer] if gates else None)  # (B, T, D)
            seen.append(Seen(weights, came_in))
        return Pass(self.read(x), seen, x)

    def cut(self, images: Tensor) -> Tensor:
        """(B, 3, H, W) -> square patches, (B, N, 3 P P), in reading order: what a strided convolution looks at."""
        return squares(images, self.config.patch_size)

    def after_positions(self, x: Tensor) -> Tensor:
        """What happens to tokens (B, T, D) before the first block."""
        return x

    def read(self, x: Tensor) -> Tensor:
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
        self.head = nn.Linear(config.width, config.classes)

    def after_positions(self, x: Tensor) -> Tensor:
        """Drop out half of the numbers, then the config's share again."""
        return F.dropout(F.dropout(x, 0.5, self.training), self.config.dropout, self.training)

    def read(self, x: Tensor) -> Tensor:
        """The class token of (B, T, D) -> logits (B, K), linearly."""
        return self.head(x[:, 0])


class LightningViT(TutorialViT):
    """The Lightning tutorial: token and positions start at zero, and each block passes on its normalised input."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__(config, LightningBlock)
        self.norm = nn.LayerNorm(config.width)
        self.head = nn.Linear(config.width, config.classes)

    def read(self, x: Tensor) -> Tensor:
        """The class token of (B, T, D), normalised -> logits (B, K), linearly."""
        return self.head(self.norm(x[:, 0]))


class ScratchViT(TutorialViT):
    """The from-scratch tutorial: two linear layers without anything between them as its head, and patches by `reshape`.

    Reshaping (H, W, C) to (N, P P C) does not cut squares: each row of the result is P P neighbouring pixels of one
    line of the image. The architecture "tutorial-scratch-mended" cuts squares and is the same otherwise.
    """

    def __init__(self, config: ViTConfig) -> None:
        super().__init__(config, ScratchBlock)
        nn.init.normal_(self.cls_token, std=1e-6)
        nn.init.normal_(self.pos_embed, std=1e-6)
        self.norm = nn.LayerNorm(config.width)
        self.head = nn.Sequential(
            nn.Linear(config.width, 4 * config.width), nn.Linear(4 * config.width, config.classes)
        )

    def cut(self, images: Tensor) -> Tensor:
        """(B, 3, H, W) -> (B, N, 3 P P): strips of pixels in reading order, or squares if mended."""
        if self.config.architecture == "tutorial-scratch-mended":
            return super().cut(images)
        return images.permute(0, 2, 3, 1).reshape(len(images), -1, 3 * self.config.patch_size**2)

    def read(self, x: Tensor) -> Tensor:
        """The class token of (B, T, D), normalised -> logits (B, K), by two linear layers."""
        return self.head(self.norm(x[:, 0]))
