"""Token features: what the tokens of a layer have in common, within an image, between images and with a dataset.

The features are the output of a block, before the final norm. Letters in shape comments are those of
`vitviz.models.vit`; layers count from 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from vitviz.attribution.context import ForwardContext
from vitviz.view import check_index

Array = NDArray[np.float32]
NUM_COMPONENTS = 3  # red, green and blue
MIN_PATCHES = 3  # two components need three points


@dataclass(frozen=True)
class PatchPCA:
    """Principal components of the patch tokens of one image, computed over one or several images.

    Attributes:
        scores: Coordinates of each patch along the components, (gh, gw, 3); NaN outside `foreground`.
        rgb: The scores, each component scaled from its smallest value, 0, to its largest, 1, over all images; 0.5 for a
            component without variance; NaN outside `foreground`, (gh, gw, 3).
        explained: Explained variance ratio of each component, in 0..1, (3,).
        components: Directions of norm 1, (3, D); 0 where there are fewer than three.
        foreground: Whether each patch is in the computation, (gh, gw): not removed, and not background.
        description: What the components were computed over, for captions.
    """

    scores: Array
    rgb: Array
    explained: Array
    components: Array
    foreground: NDArray[np.bool_]
    description: str


def token_features(context: ForwardContext, layer: int | None = None) -> Array:
    """Return the tokens after a block, (T, D), float32; zeros for removed patches.

    Args:
        context: The image in the model.
        layer: From 0; None for the last one.

    Raises:
        ValueError: If the layer does not exist.
    """
    depth = context.config.depth
    check_index("layer", layer, depth, None)
    chosen = depth - 1 if layer is None else layer
    tokens = cast(Any, context.output.tokens)[chosen + 1, 0].float().cpu().numpy()  # (T, D), without removed patches
    return context.expand_tokens(tokens, axes=(0,))


def patch_pca(
    contexts: Sequence[ForwardContext], layer: int | None = None, remove_background: bool = False
) -> list[PatchPCA]:
    """Compute the principal components of the patch tokens of a layer (as Oquab et al. 2023, arXiv 2304.07193, fig. 1).

    Rows of X (n, D) are the patches of all images, X - mean of rows = U S V'; component k is row k of V', and its
    scores are column k of U S. The sign of a component makes the score of largest magnitude positive, so that equal
    tokens always get equal colors. With the background removed, the first component splits the patches by its sign;
    those on the side of most patches at the border of the grid, the background, are left out, and the components are
    those of the others.

    Args:
        contexts: Images in one model.
        layer: From 0; None for the last one.
        remove_background: Whether to leave out the background.

    Returns:
        The components of each image; their directions, scales and explained variance are those of all images.

    Raises:
        ValueError: If the layer does not exist, fewer than three patches are left, or the models differ.
    """
    if not contexts:
        raise ValueError("PCA needs the explanation of at least one image: got none.")
    for context in contexts[1:]:
        check_same_model(contexts[0], context)
    prefix, grid = contexts[0].prefix, contexts[0].config.grid_size
    tokens = np.concatenate([token_features(context, layer)[prefix:] for context in contexts]).astype(np.float64)
    kept = np.concatenate([context.kept_tokens[prefix:] for context in contexts])
    scores, components, explained = principal_components(tokens, kept)
    description = f"PCA over the patches of {'this image' if len(contexts) == 1 else f'{len(contexts)} images'}"
    if remove_background:
        border = np.ones(grid, bool)
        border[1:-1, 1:-1] = False
        side = np.sign(np.nan_to_num(scores[:, 0]))
        is_border = np.tile(border.ravel(), len(contexts)) & kept
        background = 1 if side[is_border].sum() >= 0 else -1
        kept &= side != background
        scores, components, explained = principal_components(tokens, kept, " after the background is removed")
        description += ", without the background (by the sign of the first component)"
    low, high = scores[kept].min(0), scores[kept].max(0)
    has_range = high - low > 1e-9 * max(1.0, float(np.abs(scores[kept]).max()))
    rgb = np.where(has_range, (scores - low) / np.where(has_range, high - low, 1), scores * 0 + 0.5)
    shape = len(contexts), *grid
    parts = zip(scores.reshape(*shape, -1), rgb.reshape(*shape, -1), kept.reshape(shape), strict=True)
    return [
        PatchPCA(
            each.astype(np.float32),
            colors.astype(np.float32),
            explained.astype(np.float32),
            components.astype(np.float32),
            mask,
            description,
        )
        for each, colors, mask in parts
    ]


def principal_components(
    tokens: NDArray[np.float64], chosen: NDArray[np.bool_], when: str = ""
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Compute scores (n, 3), NaN for rows that are not chosen; components (3, D); and explained variance ratios (3,).

    Raises:
        ValueError: If fewer than three of the rows (n, D) are chosen.
    """
    if chosen.sum() < MIN_PATCHES:
        raise ValueError(f"PCA needs at least {MIN_PATCHES} patches: {chosen.sum()} are left{when}.")
    rows = tokens[chosen]
    left, singular_values, directions = np.linalg.svd(rows - rows.mean(0), full_matrices=False)
    count = min(NUM_COMPONENTS, len(singular_values))
    found = left[:, :count] * singular_values[:count]  # (n, k)
    signs = np.sign(found[np.abs(found).argmax(0), np.arange(count)])
    signs[signs == 0] = 1
    scores = np.full((len(tokens), NUM_COMPONENTS), np.nan)
    scores[chosen] = 0
    scores[chosen, :count] = found * signs
    components, explained = np.zeros((NUM_COMPONENTS, tokens.shape[1])), np.zeros(NUM_COMPONENTS)
    components[:count] = directions[:count] * signs[:, None]
    variances = singular_values**2
    explained[:count] = variances[:count] / max(variances.sum(), np.finfo(np.float64).tiny)
    return scores, components, explained


def similarity(
    context: ForwardContext, layer: int | None = None, patch: int | None = None, other: ForwardContext | None = None
) -> Array:
    """Cosine similarity of the token of a patch with the patch tokens of the same or another image.

    This compares what the tokens contain; it is not what the patch attends to.

    Args:
        context: The image of the patch.
        layer: From 0; None for the last one.
        patch: Position in reading order from 0; None for the class token.
        other: Another image in the same model; None for the same image.

    Returns:
        In -1..1, (N,); 0 for removed patches. Of the patch itself 1.

    Raises:
        ValueError: If the patch or layer does not exist, the model has no class token, or the models differ.
    """
    patches = context.config.num_patches
    if patch is None and not context.config.class_token:
        raise ValueError(f"patch must be from 0 to {patches - 1}: {context.checkpoint.name} has no class token.")
    check_index("patch", patch, patches, None)
    if other is not None:
        check_same_model(context, other)
    token = token_features(context, layer)[0 if patch is None else context.prefix + patch].astype(np.float64)
    others = token_features(other or context, layer)[context.prefix :].astype(np.float64)  # (N, D)
    norms = np.linalg.norm(others, axis=1) * np.linalg.norm(token)
    found = np.divide(others @ token, norms, out=np.zeros(patches), where=norms > 0)
    return found.clip(-1, 1).astype(np.float32)


def check_same_model(one: ForwardContext, other: ForwardContext) -> None:
    """Raise ValueError if two images are not explained by the same model, or by models of the same name and shape."""
    same = one.model is other.model or (one.checkpoint.name, one.config) == (other.checkpoint.name, other.config)
    if not same:
        described = [
            f"{context.checkpoint.name} ({' x '.join(map(str, context.config.grid_size))} patches of width "
            f"{context.config.embed_dim})"
            for context in (one, other)
        ]
        raise ValueError(f"Both images must be explained by the same model: got {' and '.join(described)}.")
