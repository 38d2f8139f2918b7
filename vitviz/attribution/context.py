"""The forward pass of one image in one model, from which the attribution methods compute.

Every quantity is computed on first use and cached. A class-specific method explains a target: the logit of one class,
or the logit of a class minus that of another one (a contrast).
"""

import zlib
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vitviz import malloc
from vitviz.attribution.layered_attention import LayeredAttention, fits, too_large
from vitviz.models.attention_stats import max_batch_size
from vitviz.models.backward import BlockGradients, RuleSet, backward_by_block
from vitviz.models.captured_vit import CapturedViT
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.modes import own_modes
from vitviz.models.vit import AttentionOutput, Interventions

Target = int | tuple[int, int]  # a class, or a class and the one that it is contrasted with
Head = tuple[int, int]  # layer and head, from 0
BATCH_SIZE = 64  # images per forward pass of the methods that need many
# Called before each of them; it may raise to stop a computation whose result is not wanted any more.
BEFORE_BATCH: ContextVar[Callable[[int], None]] = ContextVar("before_batch", default=lambda images: None)


@dataclass(frozen=True)
class Gradients:
    """Gradients of a target in one image, from one backward pass.

    Attributes:
        attention: With respect to the attention weights after the softmax, (L, A, T, T).
        image: With respect to the normalized pixels, (3, H, W).
    """

    attention: NDArray[np.float32]
    image: NDArray[np.float32]


@dataclass(frozen=True)
class InputTimesGradient:
    """Input times gradient of a target by a set of backward rules, in logits.

    Attributes:
        layers: Of the tokens that enter each block, summed over the channels, (L, T); 0 for removed patches.
        pixels: Of the normalized pixels, summed over the colors, (H, W).
    """

    layers: NDArray[np.float32]
    pixels: NDArray[np.float32]


def keep_tokens(output: AttentionOutput) -> AttentionOutput:
    """In a server, keep the tokens of all layers in one mapping outside the heap (`vitviz.malloc.empty`)."""
    tokens = output.tokens if malloc.SERVER.is_set() else None
    if tokens is None:
        return output
    copy = replace(output, layer_tokens=tokens.unbind())
    vars(copy)["tokens"] = tokens  # the cached property, without another copy
    return copy


class ForwardContext:
    """One image in one model, with some heads ablated and some patches removed if requested.

    Args:
        checkpoint: The model.
        image: The normalized image, (3, H, W).
        keep: Positions of the patches that enter the network, (n,), ascending; None for all.
        interventions: Heads that are scaled or replaced in each layer, as for the network's `forward`; None for none.
    """

    def __init__(
        self, checkpoint: Checkpoint, image: Tensor, keep: Tensor | None = None, interventions: Interventions = None
    ) -> None:
        self.checkpoint, self.image = checkpoint, image
        self.keep, self.interventions = keep, interventions
        self.model = checkpoint.network
        self.config = self.model.config
        self.holds_attention = fits(self.config)  # or computes it layer by layer
        # Not cached properties: until Python 3.12, all instances share the lock of one, and their passes would wait.
        self.cached_output: AttentionOutput | None = None
        self.cached_logits: NDArray[np.float32] | None = None
        self.maps: dict[tuple[str, Target], NDArray[np.float32]] = {}  # computed maps by method and target
        self.notes: dict[tuple[str, Target], str] = {}  # what a reader of a map must know, by method and target
        self.cached_gradients: dict[Target, Gradients] = {}  # of the last target only: they are large
        self.cached_products: dict[RuleSet, tuple[Target, InputTimesGradient]] = {}  # of the last target of each

    @property
    def prefix(self) -> int:
        """Number of prefix tokens (R)."""
        return self.config.num_prefix_tokens

    @property
    def layers_and_heads(self) -> tuple[int, int]:
        """Number of layers and of heads (L, A)."""
        return self.config.depth, self.config.num_heads

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of patches (gh, gw)."""
        return self.config.grid_size

    @cached_property
    def seed(self) -> int:
        """Seed for random numbers, a checksum of the image: the same image always gets the same ones."""
        return zlib.crc32(self.image.float().cpu().numpy().tobytes())

    @cached_property
    def kept_tokens(self) -> NDArray[np.bool_]:
        """Mask of the tokens that enter the network, (T,): the prefix tokens and all patches that are not removed."""
        kept = np.ones(self.config.num_tokens, bool)
        if self.keep is not None:
            kept[self.prefix :] = False
            kept[self.prefix + self.keep.cpu().numpy()] = True
        return kept

    @cached_property
    def ablated_heads(self) -> tuple[Head, ...]:
        """Heads whose output is replaced, as (layer, head) from 0."""
        return tuple(
            (layer, head)
            for layer, one in enumerate(self.interventions or ())
            if one
            for head in (one.keep == 0).nonzero()[:, 0].tolist()
        )

    @cached_property
    def empty_heads(self) -> tuple[Head, ...]:
        """Heads without attention, (layer, head) from 0: ablated ones, and those that a layer lacks."""
        counts, every = enumerate(self.config.layer_heads), self.config.num_heads
        return (*self.ablated_heads, *((layer, head) for layer, count in counts for head in range(count, every)))

    @property
    def output(self) -> AttentionOutput:
        """Output of one forward pass with tokens and, if it fits into memory, full attention, batch size 1."""
        if self.cached_output is None:
            mode: Literal["tokens", "full"] = "full" if self.holds_attention else "tokens"
            with own_modes(), torch.inference_mode():
                keep = self.batched_keep(1)
                output = self.model.forward_with_attention(self.image[None], mode, keep, self.interventions)
            self.cached_output = keep_tokens(output)
        return self.cached_output

    @cached_property
    def layered(self) -> LayeredAttention | None:
        """The attention layer by layer, if it is too large to be held at once; without the removed patches."""
        if self.holds_attention:
            return None
        return LayeredAttention(self.model, cast(Tensor, self.output.tokens)[:-1, 0], self.batched_keep(1))

    def require_attention(self, what: str) -> None:
        """Raise LargeAttentionError if the full attention, which `what` needs, is too large to be held at once."""
        if not self.holds_attention:
            raise too_large(self.config, what)

    def require_blocks(self, what: str, hint: str = "") -> None:
        """Raise CapturedModelError if the tokens and values of the blocks, which `what` needs, are not known."""
        self.checkpoint.require_blocks(what, hint)

    @own_modes()
    def rows(self, tokens: Sequence[int], direction: str = "from") -> NDArray[np.float32]:
        """Return the mean attention from some tokens to all, or "to" them from all, (L, A, T); as `attention`."""
        if self.layered is None:
            attention = self.attention if direction == "from" else self.attention.swapaxes(-2, -1)  # (L, A, T, T)
            return np.asarray(attention[:, :, tokens].mean(2))
        positions = np.cumsum(self.kept_tokens) - 1  # among the tokens that are not removed
        inside = [int(positions[token]) for token in tokens if self.kept_tokens[token]]
        if not inside:
            return np.zeros((self.config.depth, self.config.num_heads, self.config.num_tokens), np.float32)
        found = self.layered.rows(inside) if direction == "from" else self.layered.columns(inside)
        rows = self.expand_tokens(found.cpu().numpy(), axes=(2,)) * np.float32(len(inside) / len(tokens))
        for head in self.ablated_heads:
            rows[head] = np.nan
        return rows

    @own_modes()
    def mean_over_heads(self, layer: int) -> NDArray[np.float32]:
        """Return the mean attention of the heads of a layer of `layered` that are not ablated, (T, T); 0 for none."""
        weights = cast(LayeredAttention, self.layered)[layer]
        left = [head for head in range(self.config.num_heads) if (layer, head) not in self.ablated_heads]
        mean = weights[left].mean(0) if left else torch.zeros_like(weights[0])
        return self.expand_tokens(mean.cpu().numpy(), axes=(0, 1))

    @property
    def logits(self) -> NDArray[np.float32]:
        """Logits of all classes, (K,), empty for a model without head; refused if not finite."""
        if self.cached_logits is None:
            logits = self.checkpoint.check_logits(self.output.logits)
            self.cached_logits = logits[0, : self.config.num_classes].float().cpu().numpy()
        return self.cached_logits

    @cached_property
    def attention(self) -> NDArray[np.float32]:
        """Attention weights of all layers and heads, (L, A, T, T).

        Rows and columns of removed patches are 0, ablated heads NaN. Read-only, as all maps are computed from it.
        """
        self.require_attention("Explanation.attention")
        attention = self.expand_tokens(self.output.attention[:, 0].cpu().numpy(), axes=(2, 3))
        if self.ablated_heads:
            attention = attention.copy()
            attention[tuple(zip(*self.ablated_heads, strict=True))] = np.nan
        attention.setflags(write=False)
        return attention

    @cached_property
    def pool_attention(self) -> NDArray[np.float32] | None:
        """Weights of attention pooling, (heads, T), 0 for tokens that it does not read; None without it."""
        weights = self.output.pool_attention
        return None if weights is None else self.expand_tokens(weights[0].cpu().numpy(), axes=(1,))

    @cached_property
    @own_modes()
    def value_norms(self) -> NDArray[np.float32]:
        """Norm of each token's value vector after the output projection and LayerScale, (L, A, T)."""
        inputs = cast(Tensor, self.output.tokens)[:-1]  # (L, 1, T, D)
        norms = malloc.empty(
            (len(inputs), self.config.num_heads, inputs.shape[2]), inputs
        )  # not between temporary tensors
        with torch.inference_mode():
            for layer, x in enumerate(inputs):
                norms[layer] = self.model.value_vectors(layer, x)[0].norm(dim=-1)
        return self.expand_tokens(norms.float().cpu().numpy(), axes=(2,))

    def gradients(self, target: Target) -> Gradients:
        """Return the gradients of a target, cached until those of another target are requested."""
        found = self.cached_gradients.get(target)
        if found is None:  # another thread may replace the dictionary meanwhile
            found = self.compute_gradients(target)
            self.cached_gradients = {target: found}
        return found

    def compute_gradients(self, target: Target) -> Gradients:
        """Run one backward pass; LargeAttentionError for a model whose attention is not held at once."""
        self.require_attention("This method")
        found = self.backward(target)
        attention = self.expand_tokens(cast(Tensor, found.attention).numpy(), axes=(2, 3))
        return Gradients(attention, found.image.float().cpu().numpy())

    @own_modes()
    def backward(self, target: Target, rules: RuleSet | None = None) -> BlockGradients:
        """Return the gradients of a target by a set of rules; None for the ordinary ones."""
        logit = partial(target_logit, target=target)
        if isinstance(self.model, CapturedViT):
            return self.model.gradients(self.image, logit)
        tokens, keep = self.output.layer_tokens, self.batched_keep(1)
        return backward_by_block(self.model, self.image, tokens, keep, self.interventions, logit, rules)

    def input_times_gradient(self, target: Target, rules: RuleSet) -> InputTimesGradient:
        """Return tokens and pixels times their gradients, cached until those of another target are requested."""
        stored, found = self.cached_products.get(rules, (None, None))
        if found is None or stored != target:
            found = self.compute_products(target, rules)
            self.cached_products[rules] = target, found
        return found

    def compute_products(self, target: Target, rules: RuleSet) -> InputTimesGradient:
        """Run one backward pass by a set of rules."""
        self.require_attention("This method")
        found = self.backward(target, rules)
        layers = self.expand_tokens(found.products.float().cpu().numpy(), axes=(1,))
        return InputTimesGradient(layers, (self.image * found.image).sum(0).float().cpu().numpy())

    @own_modes()
    def image_gradient(self, target: Target) -> NDArray[np.float32]:
        """Return the gradient of a target with respect to the normalized pixels, (3, H, W)."""
        if self.holds_attention and self.config.has_gradients:
            return self.gradients(target).image
        with torch.inference_mode(False), torch.enable_grad():
            image = self.image[None].clone().requires_grad_()
            logit = target_logit(self.model(image, self.batched_keep(1), self.interventions), target).sum()
            try:
                (grad,) = torch.autograd.grad(logit, image)
            except RuntimeError:  # of a module that detaches the image
                self.require_blocks("gradients of the image")
                raise
        return np.asarray(grad[0].float().cpu().numpy())

    def batch_size(self, most: int, elements: int = 2**23) -> int:
        """Return the images per pass whose widest activations have a number of elements; at least 1, at most `most`."""
        return max(1, min(most, elements // (self.config.num_tokens * self.config.mlp_hidden_dim)))

    @own_modes()
    def probabilities(self, logits: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the probabilities (..., K) of logits (..., K)."""
        return class_probabilities(self.config, logits)

    def predict(self, images: Tensor, keep: Tensor | None = None) -> NDArray[np.float32]:
        """Return the logits (n, K) of normalized images (n, 3, H, W), with this context's heads ablated.

        `keep` are the positions of the patches that enter the network, (n, m); None for those of this context.
        """
        with torch.inference_mode():
            keep = self.batched_keep(len(images)) if keep is None else keep
            size = self.batch_size(BATCH_SIZE)
            parts = images.split(size)
            keeps = keep.split(size) if keep is not None else [None] * len(parts)
            logits = []
            for part, some in zip(parts, keeps, strict=True):
                BEFORE_BATCH.get()(len(part))
                logits.append(self.model(part, some, self.interventions))
        return torch.cat(logits).float().cpu().numpy()

    def batched_keep(self, batch_size: int) -> Tensor | None:
        """`keep` repeated for a batch of images, (B, n); None if all patches enter the network."""
        return None if self.keep is None else self.keep.expand(batch_size, -1)

    def expand_tokens(self, values: NDArray[np.float32], axes: tuple[int, ...]) -> NDArray[np.float32]:
        """Insert zeros for the removed patches along the token axes: size t to size T."""
        for axis in axes if self.keep is not None else ():
            shape = [*values.shape[:axis], len(self.kept_tokens), *values.shape[axis + 1 :]]
            expanded = np.zeros(shape, np.float32)
            expanded[(slice(None),) * axis + (self.kept_tokens,)] = values
            values = expanded
        return values

    def mask_patches(self, masked: Tensor, baseline: Tensor | None = None) -> Tensor:
        """Return the image with patches, a mask (n, N), replaced by those of a baseline, (n, 3, H, W).

        The baseline is an image (3, H, W); None for the dataset's mean color, which is 0.
        """
        mask = self.patches_to_pixels(masked.to(self.image.device)).unsqueeze(1)  # (n, 1, H, W)
        return torch.where(mask, torch.zeros_like(self.image) if baseline is None else baseline, self.image)

    def patches_to_pixels(self, patches: Tensor) -> Tensor:
        """Repeat values of patches (n, N) for their pixels, (n, H, W)."""
        (gh, gw), (H, W) = self.config.grid_size, self.config.img_size
        cells = patches.view(-1, gh, gw)
        return cells.repeat_interleave(H // gh, 1).repeat_interleave(W // gw, 2)

    def sum_over_patches(self, pixels: NDArray[np.float32]) -> NDArray[np.float32]:
        """Sum values of pixels (3, H, W) over the channels and the pixels of each patch, (N,)."""
        (gh, gw), (H, W) = self.config.grid_size, self.config.img_size
        return pixels.sum(0).reshape(gh, H // gh, gw, W // gw).sum((1, 3)).ravel()


def forward_batch(contexts: Sequence[ForwardContext]) -> None:
    """Set the outputs of several images in one model, without ablation, with one forward pass of as many as fit."""
    if len(contexts) < 2 or not contexts[0].holds_attention:
        return  # each has its own pass on first use
    model, size = contexts[0].model, max_batch_size(contexts[0].config)
    for start in range(0, len(contexts), size):
        part = contexts[start : start + size]
        with torch.inference_mode():
            output = model.forward_with_attention(torch.stack([one.image for one in part]), "full")
        for i, context in enumerate(part):
            one, pool = slice(i, i + 1), output.pool_attention
            tokens = [x[one] for x in output.layer_tokens]
            pooled = None if pool is None else pool[one]
            context.cached_output = AttentionOutput(output.logits[one], output.attention[:, one], tokens, pooled)


def class_probabilities(config: ViTConfig, logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the probabilities (..., K) of logits (..., K): their softmax, or the sigmoid of each."""
    if config.has_sigmoid:
        return (1 / (1 + np.exp(-logits.clip(-80, 80)))).astype(np.float32)
    return softmax(logits)


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the softmax over the last axis."""
    powers = np.exp(logits - logits.max(-1, keepdims=True, initial=-np.inf))
    return (powers / powers.sum(-1, keepdims=True)).astype(np.float32)


def target_logit(logits: Tensor, target: Target) -> Tensor:
    """Return the target's logit, or difference of logits, of each row of (B, K), (B,)."""
    if isinstance(target, tuple):
        return logits[:, target[0]] - logits[:, target[1]]
    return logits[:, target]
