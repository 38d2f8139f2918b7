"""Token features: what the tokens of a layer have in common, within an image, between images and with a dataset.

The features are the output of a block, before the final norm. Letters in shape comments are those of
`vitviz.models.vit`; layers count from 0.
"""

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from vitviz.attribution.context import ForwardContext
from vitviz.files import atomic_write, resolve_link
from vitviz.view import check_index

Array = NDArray[np.float32]
NUM_COMPONENTS = 3  # red, green and blue
MIN_PATCHES = 3  # two components need three points


@dataclass(frozen=True)
class PatchBasis:
    """Principal components of the patch tokens of one layer, over one or several images, and the scale of their colors.

    Attributes:
        mean: Mean of the tokens, (D,).
        components: Directions of norm 1, (3, D); 0 where there are fewer than three.
        explained: Explained variance ratio of each component, in 0..1, (3,).
        limits: Smallest and largest score of each component, (2, 3).
        layer: From 0.
        images: Number of images.
        model: Name of the model.
        background: The basis of all patches, in which those of the background have a positive first score; None if the
            background is not left out.
    """

    mean: NDArray[np.float64]
    components: NDArray[np.float64]
    explained: NDArray[np.float64]
    limits: NDArray[np.float64]
    layer: int
    images: int
    model: str
    background: "PatchBasis | None" = None

    @property
    def description(self) -> str:
        """What the components were computed over, for captions."""
        images = "one image" if self.images == 1 else f"{self.images} images"
        without = ", without the background (by the sign of the first component)" if self.background else ""
        return f"PCA over the patches of {images}{without}"

    def scores(self, tokens: NDArray[Any]) -> NDArray[np.float64]:
        """Return the coordinates of tokens (..., D) along the components, (..., 3)."""
        found: NDArray[np.float64] = (tokens - self.mean) @ self.components.T
        return found

    def rgb(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return scores as colors, 0 at the smaller limit and 1 at the larger one, (..., 3).

        They are clipped; a component whose limits are equal is 0.5.
        """
        low, high = self.limits
        has_range = high > low
        found = np.where(has_range, (scores - low) / np.where(has_range, high - low, 1), 0 * scores + 0.5)
        return found.clip(0, 1)

    def save(self, path: str | Path) -> Path:
        """Write the basis to an .npz file and return its path."""
        values = {field.name: getattr(self, field.name) for field in fields(self)[:-1]}
        if self.background is not None:
            values |= {f"background_{name}": getattr(self.background, name) for name in values}
        with atomic_write(resolve_link(Path(path))) as file:
            np.savez_compressed(file, **values)
        return Path(path)

    @classmethod
    def load(cls, path: str | Path) -> "PatchBasis":
        """Read a basis that `save` wrote.

        Raises:
            ValueError: If the file is not one.
        """
        names = [field.name for field in fields(cls)[:-1]]
        try:
            with np.load(path, allow_pickle=False) as stored:
                parts = [
                    {name: stored[prefix + name] for name in names}
                    for prefix in ("", "background_")
                    if f"{prefix}mean" in stored
                ]
            first, *others = (
                {**part, "layer": int(part["layer"]), "images": int(part["images"]), "model": str(part["model"])}
                for part in parts
            )
        except (KeyError, ValueError, TypeError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(f"A basis must be an .npz file of `PatchBasis.save`: {path!s:.80} is not.") from error
        return cls(**first, background=cls(**others[0]) if others else None)


@dataclass(frozen=True)
class PatchPCA:
    """The patch tokens of one image along the principal components of a basis.

    Attributes:
        scores: Coordinates of each patch along the components, (gh, gw, 3); NaN outside `foreground`.
        rgb: The scores as colors on the scale of the basis, in 0..1, (gh, gw, 3); NaN outside `foreground`.
        foreground: Whether each patch has a color, (gh, gw): not removed, and not background.
        basis: The components.
    """

    scores: Array
    rgb: Array
    foreground: NDArray[np.bool_]
    basis: PatchBasis

    def aligned_rgb(self, reference: "PatchPCA") -> Array:
        """Return the colors after the scores are rotated onto those of the same image in another model, (gh, gw, 3).

        Shift, scaling and orthogonal matrix bring the scores of both nearest to each other over the patches that both
        have (orthogonal Procrustes problem: Schönemann 1966, Psychometrika 31); patches of different grids are paired
        by their places. The colors are those of the reference's scale.
        """
        rows, columns = (np.arange(n) for n in np.maximum(self.foreground.shape, reference.foreground.shape))
        pairs = []
        for one in (self, reference):
            gh, gw = one.foreground.shape
            pairs.append(one.scores[np.ix_(rows * gh // len(rows), columns * gw // len(columns))].reshape(-1, 3))
        known = ~np.isnan(pairs[0] + pairs[1]).any(1)
        if not known.any():
            return self.rgb
        source, target = (values[known].astype(np.float64) for values in pairs)
        source_mean, target_mean = source.mean(0), target.mean(0)
        left, _, right = np.linalg.svd((source - source_mean).T @ (target - target_mean))
        size = np.linalg.norm(source - source_mean)
        scale = np.linalg.norm(target - target_mean) / size if size else 1.0
        scores = (self.scores - source_mean) @ (scale * left @ right) + target_mean
        return reference.basis.rgb(scores).astype(np.float32)


def token_features(context: ForwardContext, layer: int | None = None) -> Array:
    """Return the tokens after a block, (T, D), float32; zeros for removed patches.

    Args:
        context: The image in the model.
        layer: From 0; None for the last one.

    Raises:
        CapturedModelError: If the model is captured.
        ValueError: If the layer does not exist.
    """
    context.require_blocks("features")
    depth = context.config.depth
    check_index("layer", layer, depth, None)
    chosen = depth - 1 if layer is None else layer
    tokens = cast(Any, context.output.tokens)[chosen + 1, 0].float().cpu().numpy()  # (T, D), without removed patches
    return context.expand_tokens(tokens, axes=(0,))


def patch_pca(context: ForwardContext, basis: PatchBasis, layer: int | None = None) -> PatchPCA:
    """Return the patch tokens of an image along the components of a basis, which may be that of other images.

    Args:
        context: An image in the model of the basis.
        basis: From `fit_basis`.
        layer: From 0; None for that of the basis.

    Raises:
        ValueError: If the layer does not exist, or the basis is of another model.
    """
    if (basis.model, len(basis.mean)) != (context.checkpoint.name, context.config.embed_dim):
        raise ValueError(
            f"The basis must be of the same model: it is of {basis.model} (width {len(basis.mean)}), the image is "
            f"explained by {context.checkpoint.name} (width {context.config.embed_dim})."
        )
    tokens = patch_tokens(context, basis.layer if layer is None else layer)
    kept = context.kept_tokens[context.prefix :]
    if basis.background is not None:
        kept = kept & ~(basis.background.scores(tokens)[:, 0] > 0)
    scores = np.where(kept[:, None], basis.scores(tokens), np.nan)
    shape = (*context.grid, 3)
    return PatchPCA(
        scores.reshape(shape).astype(np.float32),
        basis.rgb(scores).reshape(shape).astype(np.float32),
        kept.reshape(context.grid),
        basis,
    )


def fit_basis(
    contexts: Sequence[ForwardContext], layer: int | None = None, remove_background: bool = False
) -> PatchBasis:
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

    Raises:
        ValueError: If the layer does not exist, fewer than three patches are left, or the models differ.
    """
    if not contexts:
        raise ValueError("PCA needs the explanation of at least one image: got none.")
    for context in contexts[1:]:
        check_same_model(contexts[0], context)
    first = contexts[0]
    layer = first.config.depth - 1 if layer is None else layer
    tokens = np.concatenate([patch_tokens(context, layer) for context in contexts])
    kept = np.concatenate([context.kept_tokens[context.prefix :] for context in contexts])
    known: dict[str, Any] = {"layer": layer, "images": len(contexts), "model": first.checkpoint.name}
    basis = PatchBasis(**principal_components(tokens[kept]), **known)
    if not remove_background:
        return basis
    border = np.ones(first.grid, bool)
    border[1:-1, 1:-1] = False
    is_border = np.tile(border.ravel(), len(contexts)) & kept
    if np.sign(basis.scores(tokens[is_border])[:, 0]).sum() < 0:
        basis = replace(basis, components=-basis.components, limits=-basis.limits[::-1])
    kept &= ~(basis.scores(tokens)[:, 0] > 0)
    found = principal_components(tokens[kept], " after the background is removed")
    return PatchBasis(**found, **known, background=basis)


def principal_components(rows: NDArray[np.float64], when: str = "") -> dict[str, Any]:
    """Compute `mean`, `components`, `explained` and `limits` of a `PatchBasis` over tokens (n, D).

    Raises:
        ValueError: If there are fewer than three.
    """
    if len(rows) < MIN_PATCHES:
        raise ValueError(f"PCA needs at least {MIN_PATCHES} patches: {len(rows)} are left{when}.")
    mean = rows.mean(0)
    # R of QR has the singular values and directions of the rows, and is small.
    _, singular_values, directions = np.linalg.svd(np.linalg.qr(rows - mean, mode="r"), full_matrices=False)
    variances = (singular_values**2)[:NUM_COMPONENTS]
    components, explained = np.zeros((NUM_COMPONENTS, rows.shape[1])), np.zeros(NUM_COMPONENTS)
    components[: len(variances)] = directions[:NUM_COMPONENTS]
    explained[: len(variances)] = variances / max((singular_values**2).sum(), np.finfo(np.float64).tiny)
    scores = (rows - mean) @ components.T  # (n, 3)
    signs = np.where(scores[np.abs(scores).argmax(0), range(NUM_COMPONENTS)] < 0, -1, 1)
    limits = np.sort(np.stack([scores.min(0), scores.max(0)]) * signs, axis=0)
    is_flat = np.ptp(limits, axis=0) <= 1e-9 * max(1.0, float(np.abs(limits).max()))
    limits[:, is_flat] = limits[0, is_flat]
    return {"mean": mean, "components": components * signs[:, None], "explained": explained, "limits": limits}


def patch_tokens(context: ForwardContext, layer: int) -> NDArray[np.float64]:
    """Return the patch tokens after a block, (N, D)."""
    return token_features(context, layer)[context.prefix :].astype(np.float64)


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
