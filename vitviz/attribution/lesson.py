"""Worked examples of a forward pass, number by number, for the Learn page.

Letters in shape comments are those of `vitviz.models.vit`; layers, heads, tokens and patches count from 0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from vitviz.attribution.context import BATCH_SIZE, ForwardContext, class_probabilities, softmax
from vitviz.attribution.head_factors import HeadFactors, check_scores, with_mean_query
from vitviz.models.vit import Recorder
from vitviz.view import check_index

Array = NDArray[np.float32]
NUM_RANDOM = 20  # random sets of patches
MAX_ROWS, MAX_NUMBERS = 64, 64  # patches, and numbers of a token, that are drawn
FLIP_STEP = 8  # beginnings of an order that pass through the network at once


@dataclass(frozen=True)
class AttentionRow:
    """One row of the attention of a head: a query compared with all keys (Vaswani et al. 2017, section 3.2.1).

    Attributes:
        query: (d,), after its norm and rotary embedding, where the model has them.
        keys: (T, d), likewise.
        values: (T, d), before the output projection.
        scores: q . k divided by the square root of `ViTConfig.scaled_width`, d in most models, (T,).
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
class BlockSteps:
    """What a block does to one token.

    Attributes:
        head_weights: Attention weights of the token in all heads, (A, T).
        head_outputs: Outputs of the heads, before the output projection, (A, d).
        input: The token before the block, (D,).
        attention: What attention adds to it, (D,).
        mlp: What the MLP adds, (D,).
    """

    head_weights: Array
    head_outputs: Array
    input: Array
    attention: Array
    mlp: Array


@dataclass(frozen=True)
class PatchEmbedding:
    """One dimension of the embedding of one patch (Dosovitskiy et al. 2021, equation 1).

    Attributes:
        pixels: The normalized patch, (3, P, P), or a strip of pixels, (3, 1, P P), in tutorial-scratch.
        weights: The filter of the dimension, likewise.
        product: Sum of pixels times weights.
        rest: Bias and position embedding; None if a norm follows them.
        value: The dimension in the input of the first block.
        products: Sums of pixels times weights of the first `MAX_NUMBERS` dimensions, (S,).
        tokens: These dimensions before and after all blocks, (L + 1, S).
    """

    pixels: Array
    weights: Array
    product: float
    rest: float | None
    value: float
    products: Array
    tokens: Array


@dataclass(frozen=True)
class Flips:
    """The fewest removed patches that were found to change the predicted class.

    Attributes:
        best: The smallest set that was found, in order of removal; None if none changes the class and leaves a patch.
        random: For each of `NUM_RANDOM` random orders, how many patches change the class; None if none do.
    """

    best: list[int] | None
    random: list[int | None]


@dataclass(frozen=True)
class MeanQuery:
    """The forward pass with the mean query of the class token in all layers and heads.

    Attributes:
        rows: Attention of the class token, mean over the heads, (L, T).
        probabilities: Of the classes, (K,).
    """

    rows: Array
    probabilities: Array


def mean_query(context: ForwardContext, factors: HeadFactors) -> MeanQuery:
    """Run the network with the mean query of the class token over the images of the factors.

    Raises:
        ValueError: If the model has no class token or scores with a relative position bias, or is captured.
    """
    check_scores(context.checkpoint)
    if not context.config.class_token:
        raise ValueError(f"The mean query needs a class token: {context.checkpoint.name} has none.")
    fixed = with_mean_query(context.model, factors, context.image)
    changed = ForwardContext(context.checkpoint, context.image, context.keep, fixed)
    probabilities = class_probabilities(context.config, changed.logits)
    return MeanQuery(changed.rows([0], "from").mean(1), probabilities)


def attention_row(context: ForwardContext, layer: int, head: int, token: int = 0) -> AttentionRow:
    """Compute a row of the attention of a head from queries, keys and values.

    Args:
        context: The image in the model, without removed patches.
        layer: Layer of the head.
        head: The head.
        token: The query, a position among all T tokens.

    Raises:
        ConfigError: If the layer, head or token does not exist.
    """
    config = context.config
    check_index("layer", layer, config.depth)
    check_index("head", head, config.num_heads)
    check_index("token", token, config.num_tokens)
    tokens = cast(Any, context.output.tokens)[layer]  # (1, T, D)
    with torch.inference_mode():
        queries, keys = context.model.queries_and_keys(layer, tokens)  # (1, A, T, d); queries are scaled
        values = context.model.head_values(layer, tokens)[0, head].float().cpu().numpy()  # (T, d)
    scale = config.scaled_width**0.5
    query, key = queries[0, head, token].float().cpu().numpy() * scale, keys[0, head].float().cpu().numpy()
    scores = key @ query / scale
    with torch.inference_mode():
        bias = context.model.attention_bias(layer)
    if bias is not None:
        scores = scores + bias[0, head, token].float().cpu().numpy()
    weights = softmax(scores)
    return AttentionRow(query, key, values, scores, weights, weights @ values)


def block_steps(context: ForwardContext, layer: int, token: int = 0) -> BlockSteps:
    """Run a block again, and return what it does to a token; arguments and errors as for `attention_row`."""
    config = context.config
    check_index("layer", layer, config.depth)
    check_index("token", token, config.num_tokens)
    tokens = cast(Any, context.output.tokens)[layer]  # (1, T, D)
    found = Recorder(tokens.new_ones(config.num_heads), tokens.new_zeros(config.num_heads, config.head_dim))
    with torch.inference_mode():
        output, weights = context.model.run_block(layer, tokens, None, found)
    steps = (weights[:, :, token], found.heads[:, :, token], tokens[:, token])
    added = ((output - tokens - found.mlp)[:, token], found.mlp[:, token])
    return BlockSteps(*(step[0].float().cpu().numpy() for step in (*steps, *added)))


def sample_tokens(context: ForwardContext) -> tuple[list[int], Array]:
    """Return some tokens before and after all blocks.

    Returns:
        Prefix tokens and at most `MAX_ROWS` patches, evenly spaced, R positions among all T tokens; and the first
        `MAX_NUMBERS` numbers S of each, (L + 1, R, S).
    """
    every = math.ceil(context.config.num_patches / MAX_ROWS)
    rows = [*range(context.prefix), *range(context.prefix, context.config.num_tokens, every)]
    return rows, cast(Any, context.output.tokens)[:, 0, rows, :MAX_NUMBERS].float().cpu().numpy()


def patch_embedding(context: ForwardContext, patch: int, dimension: int) -> PatchEmbedding:
    """Compute one dimension of the embedding of a patch.

    Raises:
        ConfigError: If the patch or dimension does not exist.
    """
    config = context.config
    check_index("patch", patch, config.num_patches)
    check_index("dimension", dimension, config.embed_dim)
    filters = context.model.patch_filters().detach().float().cpu().numpy()  # (D, 3, h, w)
    weights = filters[dimension]
    (_, h, w), (row, column) = weights.shape, divmod(patch, config.grid_size[1])
    image = context.image.float().cpu().numpy()  # (3, H, W)
    pixels = image[:, row * h : (row + 1) * h, column * w : (column + 1) * w]
    product = float((pixels * weights).sum(dtype=np.float64))
    tokens = cast(Any, context.output.tokens)[:, 0, context.prefix + patch].float().cpu().numpy()  # (L + 1, D)
    found = float(tokens[0, dimension])
    rest = None if config.pre_norm else found - product
    products = (filters[:MAX_NUMBERS] * pixels).sum((1, 2, 3))  # (S,)
    return PatchEmbedding(pixels, weights, product, rest, found, products, tokens[:, :MAX_NUMBERS])


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
    norms = norms[:, 0] if context.config.class_token else norms[:, context.prefix :].mean(1)
    return context.probabilities(logits), norms


def patch_predictions(context: ForwardContext) -> Array | None:
    """Apply the classification head to each patch token instead of the class token.

    Returns:
        Probabilities, (N, K); None for a model whose head does not read the class token alone.
    """
    if context.config.global_pool != "token" or context.config.distilled or not context.config.num_classes:
        return None
    patches = cast(Any, context.output.tokens)[-1, 0, context.prefix :]  # (N, D)
    with torch.inference_mode():
        return context.probabilities(context.model.forward_head(patches[:, None]).float().cpu().numpy())


def wrong_reshape(image: Tensor, patch_size: int) -> Tensor:
    """Return an image whose square patches are those that a reshape of (H, W, 3) to (N, P P 3) makes by mistake.

    Each has P P neighboring pixels, see `vitviz.models.tutorial_vits.ScratchViT`. What does not fill a square at
    the right and lower edge is cut off.
    """
    rows, columns = (size // patch_size for size in image.shape[1:])
    whole = image[:, : rows * patch_size, : columns * patch_size].permute(1, 2, 0)  # (H, W, 3)
    strips = whole.reshape(rows, columns, patch_size, patch_size, 3)
    return strips.permute(4, 0, 2, 1, 3).reshape(3, rows * patch_size, columns * patch_size)


def reshaped_prediction(context: ForwardContext) -> Array:
    """Return the probabilities, (K,), for the image with patches cut by `wrong_reshape`."""
    wrong = wrong_reshape(context.image, context.config.patch_size)
    height, width = context.image.shape[1:]
    padded = F.pad(wrong, (0, width - wrong.shape[2], 0, height - wrong.shape[1]))  # in the mean color
    return context.probabilities(context.predict(padded[None]))[0]


def without_patches(context: ForwardContext, chosen: Sequence[Sequence[int]]) -> Array:
    """Return the probabilities (n, K) after each of n sets of patches is painted in the mean color."""
    masks = torch.zeros(len(chosen), context.config.num_patches, dtype=torch.bool)
    for mask, patches in zip(masks, chosen, strict=True):
        mask[list(patches)] = True
    return context.probabilities(
        np.concatenate([context.predict(context.mask_patches(part)) for part in masks.split(BATCH_SIZE)])
    )


def random_patches(context: ForwardContext, count: int) -> list[list[int]]:
    """Draw `NUM_RANDOM` sets of patches with the image's seed."""
    rng = np.random.default_rng(context.seed)
    return [rng.permutation(context.config.num_patches)[:count].tolist() for _ in range(NUM_RANDOM)]


def flips(context: ForwardContext, rankings: Sequence[Sequence[int]] = ()) -> Flips:
    """Search for the fewest patches whose removal (painted in the mean color) changes the predicted class.

    The smallest set is not certain to be found. The greedy order, which removes the patch that lowers the margin of the
    class most, and the rankings are tried; then patches that the best one does not need are put back. One patch is
    left. About 10 N forward passes if few patches change the class, at most N^2 / 2 + (N + NUM_RANDOM) N.

    Args:
        context: The image in the model.
        rankings: Orders of patches to try besides, such as those of attribution maps.
    """
    predicted = int(context.logits.argmax())
    orders = random_patches(context, context.config.num_patches)
    tried = [greedy_flip(context, predicted), *(first_flip(context, predicted, ranking) for ranking in rankings)]
    best = min(filter(None, tried), key=len, default=None)
    by_chance = [first_flip(context, predicted, order) for order in orders]
    return Flips(
        None if best is None else put_back(context, predicted, best),
        [None if one is None else len(one) for one in by_chance],
    )


def margins(context: ForwardContext, predicted: int, chosen: Sequence[Sequence[int]]) -> Array:
    """Return how far the log-probability of a class is above the largest other one, without sets of patches, (n,).

    Negative where the removal changes the prediction.
    """
    logs = np.log(without_patches(context, chosen) + 1e-30)
    return logs[:, predicted] - np.delete(logs, predicted, axis=1).max(1)


def first_flip(context: ForwardContext, predicted: int, order: Sequence[int]) -> list[int] | None:
    """Return the shortest beginning of an order whose removal changes the predicted class, or None."""
    for start in range(1, len(order), FLIP_STEP):
        sizes = range(start, min(start + FLIP_STEP, len(order)))
        changed = margins(context, predicted, [order[:size] for size in sizes]) < 0
        if changed.any():
            return list(order[: sizes[int(changed.argmax())]])
    return None


def greedy_flip(context: ForwardContext, predicted: int) -> list[int] | None:
    """Remove the patch that lowers the margin most, again and again, until the predicted class changes."""
    removed: list[int] = []
    while len(left := [patch for patch in range(context.config.num_patches) if patch not in removed]) > 1:
        found = margins(context, predicted, [[*removed, patch] for patch in left])
        removed.append(left[int(found.argmin())])
        if found.min() < 0:
            return removed
    return None


def put_back(context: ForwardContext, predicted: int, removed: list[int]) -> list[int]:
    """Put back patches, those that matter least first, as long as the prediction stays changed."""
    while len(removed) > 1:
        fewer = [[patch for patch in removed if patch != back] for back in removed]
        found = margins(context, predicted, fewer)
        if found.min() >= 0:
            break
        removed = fewer[int(found.argmin())]
    return removed
