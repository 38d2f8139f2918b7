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

Want = Literal["nothing", "rows", "full"]


@dataclass(frozen=True)
class Trace:
    """What one forward pass saw.

    Attributes:
        logits: (B, K).
        attention: After the softmax, in float32. Wanted "rows": the class token's row, or in a model without one the
            mean of the patches' rows, (L, B, A, T). Wanted "full": (L, B, A, T, T), queries before keys. Each row sums
            to 1.
        tokens: Wanted "full": what goes into each block, and what comes out of the last, (L + 1, B, T, D).
    """

    logits: Tensor
    attention: Tensor
    tokens: Tensor | None = None


@dataclass(frozen=True)
class Seen:
    """What one block saw, as it was computed with: gradients reach it.

    Attributes:
        weights: The attention wanted: the class token's row (B, A, T), or all (B, A, T, T); None if none is.
        tokens: What came in, (B, T, D), if the full attention is wanted.
    """

    weights: Tensor | None
    tokens: Tensor | None


class Gate(NamedTuple):
    """What becomes of the heads of one block.

    Attributes:
        share: How much of what each head found goes on, (A,): 1 leaves it, 0 switches it off.
        instead: What goes on for the rest, (A, d): zeros, or the head's mean over other images.
    """

    share: Tensor
    instead: Tensor

    def close(self, mixed: Tensor) -> Tensor:
        """What goes on of what the heads found, (B, A, Q, d)."""
        return self.instead[:, None].lerp(mixed, self.share[:, None, None])


@dataclass(frozen=True)
class Pass:
    """One pass through the network, as it was computed: gradients reach all of it.

    Attributes:
        logits: (B, K).
        blocks: What each block saw.
        last: Tokens that came out of the last block, (B, T, D), or the class token's alone, (B, 1, D).
    """

    logits: Tensor
    blocks: list[Seen]
    last: Tensor

    def trace(self) -> Trace:
        """What was seen, gathered."""
        attention = torch.stack([block.weights.float() for block in self.blocks if block.weights is not None])
        tokens = [block.tokens for block in self.blocks if block.tokens is not None]
        return Trace(self.logits, attention, torch.stack([*tokens, self.last]) if tokens else None)


def attend(q: Tensor, k: Tensor, v: Tensor, want: Want) -> tuple[Tensor, Tensor | None]:
    """Scaled dot-product attention by the fastest exact path, with the weights that were asked for.

    The fused kernel is the fastest at 65 tokens (`python -m benchmarks explain`), and the class token's row costs one small
    product more. The explicit product gives all weights; it also wins for a single query, and for bfloat16 on CPUs.

    Args:
        q: Queries (B, A, Q, d); Q is T, or 1 where only the class token asks.
        k: Keys (B, A, T, d).
        v: Values (B, A, T, d).
        want: Which weights to return.

    Returns:
        The mixed values (B, A, Q, d), and None, the first query's weights (B, A, T) or all weights (B, A, Q, T).
    """
    q = q * q.shape[-1] ** -0.5
    slow_kernel = q.device.type == "cpu" and q.dtype == torch.bfloat16
    if want == "full" or q.shape[2] == 1 or slow_kernel:
        weights = (q @ k.transpose(-2, -1)).softmax(-1)  # (B, A, Q, T)
        return weights @ v, {"nothing": None, "rows": weights[:, :, 0], "full": weights}[want]
    row = None
    if want == "rows":
        row = (q[:, :, :1].float() @ k.float().transpose(-2, -1)).softmax(-1)[:, :, 0]  # (B, A, T)
    return F.scaled_dot_product_attention(q, k, v, scale=1.0), row


Gates = Sequence[Gate | None] | None


class Attention(nn.Module):
    """Multi-head self-attention; one matrix holds the projections to queries, keys and values."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        D, d = config.width, config.width // config.heads
        self.heads = config.heads
        self.qkv = nn.Linear(D, 3 * D, bias=config.qkv_bias)
        self.q_norm = nn.LayerNorm(d, eps=1e-6) if config.qk_norm else nn.Identity()
        self.k_norm = nn.LayerNorm(d, eps=1e-6) if config.qk_norm else nn.Identity()
        self.proj = nn.Linear(D, D)

    def forward(self, x: Tensor, queries: int, want: Want, gate: Gate | None = None) -> tuple[Tensor, Tensor | None]:
        """Mix tokens (B, T, D) for the first `queries` of them -> (B, queries, D) and the weights wanted."""
        q = self.q_norm(self.part(0, x[:, :queries])).transpose(1, 2)  # (B, A, queries, d)
        k = self.k_norm(self.part(1, x)).transpose(1, 2)  # (B, A, T, d)
        v = self.part(2, x).transpose(1, 2)  # (B, A, T, d)
        mixed, weights = attend(q, k, v, want)
        if gate is not None:
            mixed = gate.close(mixed)
        return self.proj(mixed.transpose(1, 2).flatten(2)), weights  # (B, queries, D)

    def values(self, x: Tensor) -> Tensor:
        """What each head would pass on of each token (B, T, D), before its share of the projection: (B, A, T, d)."""
        return self.part(2, x).transpose(1, 2)

    def part(self, which: int, x: Tensor) -> Tensor:
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

    def __init__(self, config: ViTConfig, drop_path: float) -> None:
        super().__init__()
        scale: Callable[[], nn.Module] = nn.Identity
        if config.layer_scale is not None:
            scale = partial(LayerScale, config.width, config.layer_scale)
        self.norm1 = nn.LayerNorm(config.width, eps=1e-6)
        self.attn = Attention(config)
        self.ls1 = scale()
        self.norm2 = nn.LayerNorm(config.width, eps=1e-6)
        self.mlp = MLP(config.width, config.mlp_width)
        self.ls2 = scale()
        self.drop_path = drop_path

    def forward(self, x: Tensor, queries: int, want: Want, gate: Gate | None = None) -> tuple[Tensor, Tensor | None]:
        """Tokens (B, T, D) -> the first `queries` tokens (B, queries, D) and the attention wanted."""
        mixed, weights = self.attn(self.norm1(x), queries, want, gate)
        x = x[:, :queries] + self.skip_some(self.ls1(mixed))  # (B, queries, D)
        return x + self.skip_some(self.ls2(self.mlp(self.norm2(x)))), weights

    def skip_some(self, branch: Tensor) -> Tensor:
        """Zero the branch of some images in training, and enlarge the others so that the mean stays."""
        if not self.training or self.drop_path == 0:
            return branch
        kept = torch.rand(branch.shape[0], 1, 1, device=branch.device) >= self.drop_path  # (B, 1, 1)
        return branch * kept / (1 - self.drop_path)


def choose_patches(patches: Tensor, keep: Tensor | None) -> Tensor:
    """The patches (B, N, D) at these positions (B, n) -> (B, n, D); all if there are none."""
    return patches if keep is None else patches.gather(1, keep.unsqueeze(-1).expand(-1, -1, patches.shape[-1]))


def squares(images: Tensor, side: int) -> Tensor:
    """Cut images (B, 3, H, W) into squares of P pixels -> (B, N, 3 P P), in reading order."""
    patches = images.unflatten(2, (-1, side)).unflatten(4, (-1, side))  # (B, 3, gh, P, gw, P)
    return patches.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)  # (B, N, 3 P P)


class PatchEmbed(nn.Module):
    """Cut the image into squares and map each linearly: a convolution whose stride is its size."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        self.proj = nn.Conv2d(3, config.width, config.patch_size, stride=config.patch_size)

    def forward(self, images: Tensor) -> Tensor:
        """(B, 3, H, W) -> (B, N, D), patches in reading order."""
        patches = squares(images, self.proj.kernel_size[0])  # (B, N, 3 P P)
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


def asked_rows(attention: Tensor, config: ViTConfig) -> Tensor:
    """All attention (..., T, T) -> the class token's row, or without class token the mean of the patches': (..., T)."""
    return attention[..., 0, :] if config.class_token else attention[..., config.prefix :, :].mean(-2)


class Classifier(nn.Module):
    """What every network here can be asked: `forward` gives logits, `trace` also attention, both from one `run`."""

    config: ViTConfig

    def forward(self, images: Tensor, keep: Tensor | None = None, gates: Gates = None) -> Tensor:
        """Logits (B, K) of images.

        Args:
            images: (B, 3, H, W), normalised with the data set's mean and standard deviation.
            keep: Which patches to use, (B, n) positions counted from 0, or None for all. Leaving out patches makes
                training cheaper (Liu et al. 2022, "PatchDropout", arXiv 2208.07220).
            gates: What becomes of the heads of each block; None leaves them all.
        """
        return self.run(images, "nothing", keep, gates).logits

    def trace(
        self,
        images: Tensor,
        want: Literal["rows", "full"] = "rows",
        keep: Tensor | None = None,
        gates: Gates = None,
    ) -> Trace:
        """Logits and attention of images, from the loop that `forward` uses; arguments as there."""
        if want == "rows" and not self.config.class_token:
            whole = self.trace(images, "full", keep, gates)
            return Trace(whole.logits, asked_rows(whole.attention, self.config))
        return self.run(images, want, keep, gates).trace()

    def run(self, images: Tensor, want: Want, keep: Tensor | None = None, gates: Gates = None) -> Pass:
        """One pass through the loop over the blocks; arguments as for `forward` and `trace`."""
        raise NotImplementedError


class ViT(Classifier):
    """The plain Vision Transformer."""

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        self.config = config
        self.patch_embed = PatchEmbed(config)
        self.cls_token = nn.Parameter(torch.empty(1, 1, config.width)) if config.class_token else None
        self.reg_token = nn.Parameter(torch.empty(1, config.registers, config.width)) if config.registers else None
        self.pos_embed = nn.Parameter(torch.empty(1, config.tokens, config.width))
        rates = [config.drop_path * layer / max(1, config.depth - 1) for layer in range(config.depth)]
        self.blocks = nn.ModuleList(Block(config, rate) for rate in rates)
        self.norm = nn.LayerNorm(config.width, eps=1e-6)
        self.head = nn.Linear(config.width, config.classes)
        self.start()

    def start(self) -> None:
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
            self.pos_embed[:, self.config.prefix :] = sine_positions(self.config.grid, self.config.width) / 2
        for name, weight in self.named_parameters():
            if name.endswith(("attn.proj.weight", "mlp.fc2.weight")) or name == "head.weight":
                nn.init.zeros_(weight)

    def place(self, patches: Tensor, keep: Tensor | None) -> Tensor:
        """Patches (B, N, D) -> tokens with their positions, (B, T, D), or fewer where `keep` says so."""
        R = self.config.prefix
        x = choose_patches(patches + self.pos_embed[:, R:], keep)  # (B, N, D), or (B, n, D)
        own: list[Tensor] = [token for token in (self.cls_token, self.reg_token) if token is not None]
        if not own:
            return x
        prefix = (torch.cat(own, 1) + self.pos_embed[:, :R]).expand(x.shape[0], -1, -1)  # (B, R, D)
        return torch.cat([prefix, x], 1)  # (B, T, D)

    def encode(self, x: Tensor, want: Want, whole: bool, gates: Gates = None) -> tuple[Tensor, list[Seen]]:
        """The one loop over the blocks: tokens (B, T, D), and what each block saw.

        If the tokens are not wanted whole, the last block answers for the class token alone: (B, 1, D).
        """
        seen = []
        for layer, block in enumerate(self.blocks):
            alone = layer == len(self.blocks) - 1 and not whole
            came_in = x if want == "full" else None
            x, weights = block(x, 1 if alone else x.shape[1], want, gates[layer] if gates else None)  # (B, T or 1, D)
            seen.append(Seen(weights, came_in))
        return x, seen

    def run(self, images: Tensor, want: Want, keep: Tensor | None = None, gates: Gates = None) -> Pass:
        """One pass; arguments as for `forward` and `trace`."""
        whole = self.config.pool == "mean" or want == "full"  # else the head reads the class token alone
        x, seen = self.encode(self.place(self.patch_embed(images), keep), want, whole, gates)  # (B, T or 1, D)
        return Pass(self.read(x), seen, x)

    def read(self, x: Tensor) -> Tensor:
        """Tokens (B, T, D), or the class token alone, -> logits (B, K)."""
        x = self.norm(x)
        return self.head(x[:, 0] if self.config.pool == "token" else x[:, self.config.prefix :].mean(1))
