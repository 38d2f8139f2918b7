"""Upper ends of the shared scale of attention weights, for the page and for figures.

One scale holds for all heads and another one for all means, whatever the query, so that colors stay comparable while
the query changes. Means have a scale of their own: they are flatter than heads and would all be pale on theirs.
"""

from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
QUANTILE = 0.98  # so that a few focused heads do not make all other maps pale
NUM_PATCH_QUERIES = 8  # next to the default query


class ScaleLimits(TypedDict):
    """Upper ends of the shared scales, attention weights: of heads, and of means over heads, layers or both."""

    heads: float
    means: float


def limit_queries(tokens: int, prefix: int) -> list[int]:
    """Return the patch tokens whose rows count for the limits, next to the default query."""
    return [prefix + patch for patch in spread_patches(tokens - prefix, NUM_PATCH_QUERIES)]


def limits_of_rows(heads: Array) -> ScaleLimits:
    """Return the limits of an image without ablations: each clips the largest 2 % of the weights, rounded.

    Args:
        heads: Weights of the default query and of `limit_queries` to the patches, or from them, (L, A, Q, N).
    """
    means = np.concatenate([heads.mean(1), heads.mean(0), heads.mean((0, 1))[None]])  # (L + A + 1, Q, N)
    return {"heads": clip_limit(heads), "means": clip_limit(means)}


def clip_limit(values: Array) -> float:
    """Return the limit of a scale that clips the largest 2 % of the values."""
    flat = values.ravel()
    index = int(len(flat) * QUANTILE)
    return round_limit(float(np.partition(flat, index)[index]))


def round_limit(value: float) -> float:
    """Return the nearest number whose quarters print with few digits: 1, 2, 4, 6, 8 or 10 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(max(value, 1e-6)))
    return float(min((step * power for step in (1, 2, 4, 6, 8, 10)), key=lambda limit: abs(limit - value)))


def spread_patches(patches: int, count: int) -> list[int]:
    """Return a few of `patches` patches, distributed over the image and over its rows."""
    stride = max(patches / count, 1)
    return [int((k + 0.5) * stride) % patches for k in range(min(count, patches))]


def is_flat(values: Array) -> bool:
    """Whether a map's values are equal up to rounding, so that it ranks no patch before another."""
    return bool(np.ptp(values) <= 1e-5 * np.abs(values).max(initial=0))
