"""One image in one model: what the methods draw from, each part computed once, when it is first asked for.

A class-specific method asks about a target: the logit of one class, or the difference of two ("why a and not b").
"""

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from vitviz.models.checkpoint import Checkpoint
from vitviz.models.vit import AttentionOutput, HeadMasks

Target = int | tuple[int, int]  # a class, or the first rather than the second
BATCH = 64  # images in one forward pass, where a method needs many


@dataclass(frozen=True)
class Gradients:
    """Derivatives of a target's logit in one image, by one backward pass.

    Attributes:
        attention: By each weight after the softmax, (L, A, T, T).
        image: By each normalised pixel, (3, H, W).
    """

    attention: NDArray[np.float32]
    image: NDArray[np.float32]


class ForwardContext:
    """An image in a model.

    Args:
        checkpoint: The model.
        image: The image, normalised, (3, H, W).
    """

    def __init__(self, checkpoint: Checkpoint, image: Tensor) -> None:
        self.checkpoint, self.image = checkpoint, image
        self.model, self.config = checkpoint.network, checkpoint.network.config
        self.maps: dict[tuple[str, Target], NDArray[np.float32]] = {}  # by method and target, as they were computed
        self.differentiated: dict[Target, Gradients] = {}  # of the last target alone: they are large

    @property
    def prefix(self) -> int:
        """Tokens before the first patch (R)."""
        return self.config.num_prefix_tokens

    @cached_property
    def seed(self) -> int:
        """For what is drawn by chance: a number of the image alone, so that it is the same each time."""
        return zlib.crc32(self.image.float().cpu().numpy().tobytes())

    @cached_property
    def trace(self) -> AttentionOutput:
        """One pass through the model, with all attention and tokens; a batch of one."""
        with torch.inference_mode():
            return self.model.forward_with_attention(self.image[None], "full")

    @cached_property
    def logits(self) -> NDArray[np.float32]:
        """Of all classes, (K,)."""
        return self.trace.logits[0].float().cpu().numpy()

    @cached_property
    def attention(self) -> NDArray[np.float32]:
        """Of all layers and heads, (L, A, T, T); read-only, as everything is computed from it."""
        found = self.trace.attention[:, 0].cpu().numpy()
        found.setflags(write=False)
        return found

    @cached_property
    def value_norms(self) -> NDArray[np.float32]:
        """Length of what each head adds of each token, through its part of the projection and LayerScale: (L, A, T)."""
        norms = []
        blocks, tokens_of = cast(Iterable[Any], self.model.blocks), cast(Tensor, self.trace.tokens)[:-1]
        with torch.inference_mode():
            for block, tokens in zip(blocks, tokens_of, strict=True):
                values = block.attn.values(block.norm1(tokens))[0]  # (A, T, d)
                maps = block.attn.proj.weight.unflatten(1, (values.shape[0], -1)).movedim(1, 0)  # (A, D, d)
                scaled = getattr(block, "ls1", nn.Identity())  # LayerScale, which only our own blocks have
                norms.append(scaled(values @ maps.mT).norm(dim=-1))  # (A, T)
        return torch.stack(norms).float().cpu().numpy()

    def gradients(self, target: Target) -> Gradients:
        """Gradients of a target, computed once while no other is asked about."""
        found = self.differentiated.get(target)
        if found is None:
            found = self.differentiate(target)
            self.differentiated = {target: found}
        return found

    def differentiate(self, target: Target) -> Gradients:
        """Gradients of a target, by one forward and one backward pass, which also gives the trace if there is none."""
        with torch.inference_mode(False), torch.enable_grad():
            image = self.image[None].clone().requires_grad_()
            seen = self.model.forward_blocks(image, "full")
            if "trace" not in vars(self):
                trace = seen.to_attention_output()
                vars(self)["trace"] = AttentionOutput(*(cast(Tensor, part).detach() for part in vars(trace).values()))
            weights = [block.weights for block in seen.blocks if block.weights is not None]
            *found, by_pixel = torch.autograd.grad(logit_of(seen.logits, target).sum(), [*weights, image])
        by_weight = torch.stack([gradient[0] for gradient in found])
        return Gradients(by_weight.float().cpu().numpy(), by_pixel[0].float().cpu().numpy())

    def predict(self, images: Tensor, keep: Tensor | None = None, head_masks: HeadMasks = None) -> NDArray[np.float32]:
        """Logits (n, K) of normalised images (n, 3, H, W); `keep` and `head_masks` as for the model."""
        with torch.inference_mode():
            parts = images.split(BATCH)
            kept = keep.split(BATCH) if keep is not None else [None] * len(parts)
            found = [self.model(part, some, head_masks) for part, some in zip(parts, kept, strict=True)]
        return torch.cat(found).float().cpu().numpy()

    def without(self, hidden: Tensor, baseline: Tensor | None = None) -> Tensor:
        """The image with patches replaced by those of a baseline.

        Args:
            hidden: Which patches, (n, N) of bool.
            baseline: An image (3, H, W); if None, the data set's mean colour, which is 0.

        Returns:
            (n, 3, H, W).
        """
        mask = self.spread(hidden.to(self.image.device)).unsqueeze(1)  # (n, 1, H, W)
        return torch.where(mask, torch.zeros_like(self.image) if baseline is None else baseline, self.image)

    def spread(self, patches: Tensor) -> Tensor:
        """Numbers for patches (n, N) -> numbers for pixels, (n, H, W)."""
        gh, gw = self.config.grid_size
        H, W = self.config.img_size
        cells = patches.view(-1, gh, gw)
        return cells.repeat_interleave(H // gh, 1).repeat_interleave(W // gw, 2)

    def gather(self, pixels: NDArray[np.float32]) -> NDArray[np.float32]:
        """Sum numbers for pixels (3, H, W) over the colours and each patch -> (N,)."""
        gh, gw = self.config.grid_size
        H, W = self.config.img_size
        return pixels.sum(0).reshape(gh, H // gh, gw, W // gw).sum((1, 3)).ravel()


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Logits (..., K) -> probabilities (..., K)."""
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    return (powers / powers.sum(-1, keepdims=True)).astype(np.float32)


def logit_of(logits: Tensor, target: Target) -> Tensor:
    """The target's logit, or difference of logits, of each row of (B, K) -> (B,)."""
    if isinstance(target, tuple):
        return logits[:, target[0]] - logits[:, target[1]]
    return logits[:, target]
