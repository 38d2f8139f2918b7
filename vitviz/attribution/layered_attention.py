"""Attention of large models, computed layer by layer from the tokens instead of being held in memory at once.

The full attention of 24 layers with 16 heads over 1,374 tokens takes 2.9 GB, the queries and keys that it is computed
from 0.3 GB. Letters in shape comments are those of `vitviz.models.vit`.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import overload

import torch
from torch import Tensor

from vitviz.errors import LargeAttentionError
from vitviz.models.checkpoint import available_memory
from vitviz.models.config import ViTConfig
from vitviz.models.vit import AttentionOutput, Transformer

MAX_BYTES = 2**28  # of full attention that is held at once, where the free memory is unknown
SMALL_BYTES = 2**24  # are always held; reading the free memory takes 0.2 ms
FRACTION = 64  # of the free memory: ablations, gradients and backward passes take ten times as much


def max_bytes() -> int:
    """Return the size of full attention that is held at once (bytes): a part of the free memory."""
    free = available_memory()
    return MAX_BYTES if free is None else free // FRACTION


def too_large(config: ViTConfig, what: str) -> LargeAttentionError:
    """Return the error for what needs the full attention of a model that does not hold it."""
    return LargeAttentionError(config.attention_bytes, max_bytes(), what)


def fits(config: ViTConfig) -> bool:
    """Whether the full attention is held at once; that of the tutorials' models always is."""
    return (
        config.architecture.startswith("tutorial")
        or config.attention_bytes <= SMALL_BYTES
        or config.attention_bytes <= max_bytes()
    )


def attention_by_layer(model: Transformer, output: AttentionOutput) -> Iterator[Tensor]:
    """Generate the attention weights of each layer, (B, A, T, T).

    Args:
        model: The network.
        output: Its output with "full" attention, or with "tokens" of one image, from which they are computed.
    """
    if output.attention.numel():
        yield from output.attention
    elif output.tokens is not None:
        yield from (weights[None] for weights in LayeredAttention(model, output.tokens[:-1, 0], None))


Index = Tensor | slice
ALL = slice(None)


class LayeredAttention(Sequence[Tensor]):
    """The attention weights (A, T, T) of each layer, computed when they are accessed.

    Args:
        model: The network.
        tokens: Input of each block, (L, T, D).
        keep: As for the network's `forward`, (1, n).
    """

    def __init__(self, model: Transformer, tokens: Tensor, keep: Tensor | None) -> None:
        self.model, self.tokens, self.keep = model, tokens, keep
        self.normalizers: dict[int, Tensor] = {}  # logarithm of each row's sum before normalization, (A, T), by layer

    @cached_property
    def queries_and_keys(self) -> list[tuple[Tensor, Tensor]]:
        """Scaled queries and keys of each layer, (A, T, d)."""
        with torch.inference_mode():
            pairs = [self.model.queries_and_keys(i, x[None], self.keep) for i, x in enumerate(self.tokens)]
        return [(q[0].float(), k[0].float()) for q, k in pairs]

    @property
    def nbytes(self) -> int:
        """Size of the queries and keys (bytes)."""
        return 8 * self.tokens.numel()

    def __len__(self) -> int:
        return len(self.tokens)

    @overload
    def __getitem__(self, index: int) -> Tensor: ...
    @overload
    def __getitem__(self, index: slice) -> "Sequence[Tensor]": ...
    def __getitem__(self, index: int | slice) -> "Tensor | Sequence[Tensor]":
        if isinstance(index, slice):
            raise TypeError("Layers are accessed one by one.")
        layer = range(len(self))[index]
        with torch.inference_mode():
            scores = self.scores(layer)  # (A, T, T)
            if layer not in self.normalizers:
                self.normalizers[layer] = scores.logsumexp(-1)
            return scores.softmax(-1)

    def scores(self, layer: int, queries: Index = ALL, keys: Index = ALL, heads: Index = ALL) -> Tensor:
        """Return the scores before the softmax of some heads, queries and keys, (A, Q, T)."""
        q, k = (x[heads] for x in self.queries_and_keys[layer])
        products = q[:, queries] @ k[:, keys].mT
        bias = self.model.attention_bias(layer, self.keep)
        return products if bias is None else products + bias[0, heads].float()[:, queries][:, :, keys]

    def __reversed__(self) -> Iterator[Tensor]:
        return (self[layer] for layer in reversed(range(len(self))))

    def rows(self, tokens: Sequence[int]) -> Tensor:
        """Return the mean attention from some tokens to all, (L, A, T)."""
        with torch.inference_mode():
            index = torch.as_tensor(tokens, device=self.tokens.device)
            return torch.stack([self.scores(layer, index).softmax(-1).mean(1) for layer in range(len(self))])

    def columns(self, tokens: Sequence[int]) -> Tensor:
        """Return the mean attention from each token to some, (L, A, T)."""
        with torch.inference_mode():
            index = torch.as_tensor(tokens, device=self.tokens.device)
            found = []
            for layer in range(len(self)):
                if layer not in self.normalizers:
                    heads = (slice(head, head + 1) for head in range(self.model.config.num_heads))
                    self.normalizers[layer] = torch.cat([self.scores(layer, heads=h).logsumexp(-1) for h in heads])
                scores = self.scores(layer, keys=index) - self.normalizers[layer][..., None]  # (A, T, n)
                found.append(scores.exp().mean(-1))
            return torch.stack(found)
