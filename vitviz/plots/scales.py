"""Color scales of maps, those of the page: kind, ends, and the quantity that the color bar names.

The shared scale of attention weights holds for all heads and another one for all means, whatever the query, so that
colors stay comparable while the query changes. Means have their own scale: they are flatter than heads and would
all be pale on theirs.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
FACTOR = 8  # a uniform scale reaches from 1/8 to 8 times uniform
QUANTILE = 0.98  # so that a few focused heads do not make all other maps pale
NUM_PATCH_QUERIES = 8  # next to the default query
COSINE = "cosine similarity of text and patch"
FLAT_WEIGHTS = 2 / 65535  # differences of attention weights within the page's precision, 16 bits


@dataclass(frozen=True)
class Scale:
    """The scale of a map.

    Attributes:
        kind: "linear" from `low` to `limit`, "signed" from -`limit` to `limit`, or "uniform": logarithmic, from 1/8
            to 8 times `limit`, the weight under uniform attention.
        limit: See `kind`.
        clips: Whether larger values have the last color.
        is_weight: Whether values are attention weights.
        low: The lower end of a linear scale.
        quantity: What the values are; empty for what they usually are on a scale of this kind.
    """

    kind: Literal["linear", "signed", "uniform"]
    limit: float
    clips: bool = False
    is_weight: bool = True
    low: float = 0.0
    quantity: str = ""

    def unit(self) -> str:
        """Return the quantity of the color bar."""
        if self.quantity:
            return self.quantity
        if self.kind == "signed":
            return "change of the logit; below 0 is against the class"
        if self.kind == "uniform":
            return "attention weight / uniform; 1 × is the same for all tokens"
        if not self.is_weight:
            return "relative to the maximum of this map"
        return "attention weight" if self.clips else "attention weight, range of this map"


def map_scale(values: Array) -> Scale:
    """Return the scale of one map of attention weights, from its smallest to its largest value.

    Equal weights have the color in the middle.
    """
    low, high = float(np.min(values, initial=np.inf)), max(float(np.max(values, initial=0)), 0.0)
    if high - low > FLAT_WEIGHTS:
        return Scale("linear", high, low=low)
    return Scale("linear", 2 * high or 1.0)


def method_scale(values: Array, unit: str) -> Scale:
    """Return the scale of an attribution map: from its minimum to its maximum, or symmetric about 0 in logits.

    That of cosines is from -1 to 1, or -2 to 2 for a difference that needs it.
    """
    limit = float(np.abs(values).max(initial=0)) or 1.0
    if unit == "cosine":
        return Scale("signed", float(np.ceil(min(limit, 2.0))), is_weight=False, quantity=COSINE)
    if unit == "logits":
        return Scale("signed", limit, is_weight=False)
    if unit == "weights":
        return map_scale(values)
    return Scale("linear", limit, is_weight=False, low=0.0 if is_flat(values) else float(values.min()))


def with_means(heads: Array, ablated: Collection[tuple[int, int]] = ()) -> Array:
    """Add a mean layer and a mean head to values of all heads, (L, A, ...) to (L + 1, A + 1, ...).

    Means are over the heads that are not `ablated`, (layer, head) from 0; 0 where all are.
    """
    layers, count = heads.shape[:2]
    kept = np.ones((layers, count), bool)
    for layer, head in ablated:
        kept[layer, head] = False
    weights = kept.reshape(layers, count, *[1] * (heads.ndim - 2)).astype(np.float32)
    sums = np.pad(heads * weights, [(0, 1), (0, 1), *[(0, 0)] * (heads.ndim - 2)])
    counts = np.pad(weights, [(0, 1), (0, 1), *[(0, 0)] * (heads.ndim - 2)])
    for values in (sums, counts):
        values[-1], values[:, -1] = values.sum(0), values.sum(1)
        values[-1, -1] = values[:-1, -1].sum(0)
    means = sums / np.maximum(counts, 1)
    means[:-1, :-1] = heads
    return means.astype(np.float32)


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
        heads: Weights of the default query and of `limit_queries` to the patches, or from them, (L, A, Q, N); NaN for
            heads that a layer lacks.
    """
    lacks = np.isnan(heads).all((2, 3))  # (L, A)
    empty = [(layer, head) for layer, head in np.argwhere(lacks).tolist()]
    found = with_means(np.nan_to_num(heads), empty)  # (L + 1, A + 1, Q, N)
    means = np.concatenate([found[:-1, -1], found[-1]])  # (L + A + 1, Q, N)
    return {"heads": clip_limit(heads[~lacks]), "means": clip_limit(means)}


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
