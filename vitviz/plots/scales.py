"""Color scales of maps, equal to those of the page: colors, tick labels and units.

`frontend/src/lib/numbers.ts` and `ticks.ts` are the same functions; tests/browser/test_figures.py compares the results.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vitviz.plots.colormaps import COLOR_MAPS
from vitviz.plots.limits import is_flat
from vitviz.plots.words import FLAT_WEIGHTS, percent, signed, written

Array = NDArray[np.float32]
FACTOR = 8  # a uniform scale reaches from 1/8 to 8 times uniform
UNIFORM_TICKS = ("≤ ⅛ ×", "¼", "½", "1 ×", "2", "4", "≥ 8 ×")
QUARTERS = (0, 0.25, 0.5, 0.75, 1)


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

    @property
    def table(self) -> NDArray[np.uint8]:
        """Colors from the low to the high end, (256, 3)."""
        return COLOR_MAPS["seq" if self.kind == "linear" else "div", "light"]

    def place(self, values: Array) -> NDArray[np.float64]:
        """Return the places of values on the scale, 0..1 within it."""
        numbers = np.asarray(values, np.float64)
        if self.kind == "linear":
            return (numbers - self.low) / (self.limit - self.low)
        if self.kind == "signed":
            return 0.5 + numbers / self.limit / 2
        return 0.5 + np.log2(np.maximum(numbers / self.limit, 1e-6)) / (2 * np.log2(FACTOR))

    def colors(self, values: Array) -> NDArray[np.uint8]:
        """Return the colors (..., 3) of values (...); values outside of the scale have its end colors."""
        index = np.floor(255 * self.place(values).clip(0, 1) + 0.5).astype(int)
        return self.table[index]

    def ticks(self) -> list[tuple[float, str]]:
        """Return place (0..1) and label of the ticks of the color bar."""
        if self.kind == "uniform":
            return [(k / 6, text) for k, text in enumerate(UNIFORM_TICKS)]
        if self.kind == "signed":
            digits = min(6, max(2, 1 - int(np.floor(np.log10(self.limit / 2)))))
            return [(t, signed((2 * t - 1) * self.limit, digits)) for t in QUARTERS]
        step = (self.limit - self.low) / 4
        values = [self.low + 4 * step * t for t in QUARTERS]
        if not self.is_weight:
            texts = [
                written(value / self.limit, 2) if self.low else f"{t:g}"
                for t, value in zip(QUARTERS, values, strict=True)
            ]
            return list(zip(QUARTERS, texts, strict=True))
        digits = digits_of(step) if self.clips else digits_of_step(step)
        texts = [percent(value, digits if value else 0) for value in values]
        return [(t, "≥ " * (t == 1 and self.clips) + text) for t, text in zip(QUARTERS, texts, strict=True)]

    @property
    def end(self) -> str:
        """The upper limit of weights, with as few decimals as possible."""
        return percent(self.limit, digits_of(self.limit))

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


def digits_of(fraction: float) -> int:
    """Return the decimals that print a fraction as a percentage without rounding, at most 3."""
    for digits in (0, 1, 2):
        value = fraction * 100 * 10**digits
        if abs(value - np.floor(value + 0.5)) < 1e-6:
            return digits
    return 3


def digits_of_step(step: float) -> int:
    """Return the decimals, 1 to 4, that print percentages a step apart differently."""
    return next((digits for digits in (1, 2, 3) if 100 * step >= 5 / 10**digits), 4)


def map_scale(values: Array) -> Scale:
    """Return the scale of one map of attention weights, from its smallest to its largest value.

    Equal weights have the color in the middle.
    """
    low, high = float(np.min(values, initial=np.inf)), max(float(np.max(values, initial=0)), 0.0)
    if high - low > FLAT_WEIGHTS:
        return Scale("linear", high, low=low)
    return Scale("linear", 2 * high or 1.0)


def method_scale(values: Array, unit: str) -> Scale:
    """Return the scale of an attribution map: from its minimum to its maximum, or symmetric about 0 in logits."""
    limit = float(np.abs(values).max(initial=0)) or 1.0
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
