"""Worked examples of a forward pass, number by number, for the Learn page.

Letters in shape comments are those of `vitviz.models.vit`; layers, heads, tokens and patches count from 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray

from vitviz.attribution.context import ForwardContext, softmax

Array = NDArray[np.float32]
NUM_RANDOM = 20  # random sets of patches


@dataclass(frozen=True)
class AttentionRow:
    """One row of the attention of a head: a query compared with all keys (Vaswani et al. 2017, section 3.2.1).

    Attributes:
        query: (d,), after its norm and rotary embedding, where the model has them.
        keys: (T, d), likewise.
        values: (T, d), before the output projection.
        scores: q . k / sqrt(d), (T,).
        weights: Softmax of the scores, (T,).
        output: Sum of the values times their weights, (d,).
    """

    query: Array
    keys: Array
    values: Array
    scores: Array
    weights: Array
    output: Array


@dataclass(frozen=True)
class PatchEmbedding:
    """One dimension of the embedding of one patch (Dosovitskiy et al. 2021, equation 1).

    Attributes:
        pixels: The normalized patch, (3, P, P).
        weights: The filter of the dimension, (3, P, P).
        product: Sum of pixels times weights.
        rest: Bias and position embedding; None if a norm follows them, or the patches are not squares of the image.
        value: The dimension in the input of the first block.
    """

    pixels: Array
    weights: Array
    product: float
    rest: float | None
    value: float


def attention_row(context: ForwardContext, layer: int, head: int, token: int = 0) -> AttentionRow:
    """Compute a row of the attention of a head from queries, keys and values.

    Args:
        context: The image in the model, without removed patches.
        layer: Layer of the head.
        head: The head.
        token: The query, a position among all T tokens.

    Raises:
        ValueError: If the layer, head or token does not exist.
    """
    config = context.config
    limits = (("layer", layer, config.depth), ("head", head, config.num_heads), ("token", token, config.num_tokens))
    for name, value, count in limits:
        if not 0 <= value < count:
            raise ValueError(f"{name} must be from 0 to {count - 1}: got {value}.")
    tokens = cast(Any, context.output.tokens)[layer]  # (1, T, D)
    with torch.inference_mode():
        queries, keys = context.model.queries_and_keys(layer, tokens)  # (1, A, T, d); queries are scaled
        values = context.model.head_values(layer, tokens)[0, head].float().cpu().numpy()  # (T, d)
    scale = queries.shape[-1] ** 0.5
    query, key = queries[0, head, token].float().cpu().numpy() * scale, keys[0, head].float().cpu().numpy()
    scores = key @ query / scale
    weights = softmax(scores)
    return AttentionRow(query, key, values, scores, weights, weights @ values)


def patch_embedding(context: ForwardContext, patch: int, dimension: int) -> PatchEmbedding:
    """Compute one dimension of the embedding of a patch.

    Raises:
        ValueError: If the patch or dimension does not exist.
    """
    config = context.config
    for name, value, count in (("patch", patch, config.num_patches), ("dimension", dimension, config.embed_dim)):
        if not 0 <= value < count:
            raise ValueError(f"{name} must be from 0 to {count - 1}: got {value}.")
    size = config.patch_size
    row, column = divmod(patch, config.grid_size[1])
    image = context.image.float().cpu().numpy()  # (3, H, W)
    pixels = image[:, row * size : (row + 1) * size, column * size : (column + 1) * size]
    weights = context.model.patch_filters()[dimension].detach().float().cpu().numpy()
    product = float((pixels * weights).sum(dtype=np.float64))
    found = float(cast(Any, context.output.tokens)[0, 0, context.prefix + patch, dimension])
    is_sum = not config.pre_norm and config.architecture != "tutorial-scratch"
    return PatchEmbedding(pixels, weights, product, found - product if is_sum else None, found)


def scramble(image: NDArray[np.uint8], patch_size: int) -> NDArray[np.uint8]:
    """Return the image whose square patches are the ones that `reshape` makes of an image (H, W, 3) by mistake.

    `image.reshape(N, P * P * 3)` cuts strips of P * P pixels of the same row, not squares; see
    `vitviz.models.tutorial_vits.ScratchViT`.
    """
    height, width, channels = image.shape
    rows, columns = height // patch_size, width // patch_size
    strips = image[: rows * patch_size, : columns * patch_size].reshape(rows, columns, patch_size, patch_size, channels)
    return strips.swapaxes(1, 2).reshape(rows * patch_size, columns * patch_size, channels)


def layer_predictions(context: ForwardContext) -> tuple[Array, Array]:
    """Apply the classification head to the tokens after each layer (logit lens, see `vitviz.attribution.probes`).

    Returns:
        Probabilities, (L + 1, K), from the input of the first block to the output of the last one; and the norms of the
        class token there, or the mean norms of the patch tokens without one, (L + 1,).
    """
    tokens = cast(Any, context.output.tokens)[:, 0]  # (L + 1, T, D)
    with torch.inference_mode():
        logits = torch.cat([context.model.forward_head(one[None]) for one in tokens]).float().cpu().numpy()
    norms = tokens.float().norm(dim=-1).cpu().numpy()  # (L + 1, T)
    return softmax(logits), norms[:, 0] if context.config.class_token else norms[:, context.prefix :].mean(1)


def patch_predictions(context: ForwardContext) -> Array | None:
    """Apply the classification head to each patch token instead of the class token.

    Returns:
        Probabilities, (N, K); None for a model whose head does not read the class token alone.
    """
    if context.config.global_pool != "token" or context.config.distilled or not context.config.num_classes:
        return None
    patches = cast(Any, context.output.tokens)[-1, 0, context.prefix :]  # (N, D)
    with torch.inference_mode():
        return softmax(context.model.forward_head(patches[:, None]).float().cpu().numpy())


def without_patches(context: ForwardContext, chosen: Sequence[Sequence[int]]) -> Array:
    """Return the probabilities (n, K) after each of n sets of patches is painted in the mean color."""
    masked = torch.zeros(len(chosen), context.config.num_patches, dtype=torch.bool)
    for mask, patches in zip(masked, chosen, strict=True):
        mask[list(patches)] = True
    return softmax(context.predict(context.mask_patches(masked)))


def random_patches(context: ForwardContext, count: int) -> list[list[int]]:
    """Draw `NUM_RANDOM` sets of patches with the image's seed."""
    rng = np.random.default_rng(context.seed)
    return [rng.permutation(context.config.num_patches)[:count].tolist() for _ in range(NUM_RANDOM)]
