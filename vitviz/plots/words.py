"""Numbers and sentences of figures, equal to those of the page (`frontend/src/lib/words.ts`); they count from 1."""

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vitviz.plots.limits import is_flat

SPACE = "\u00a0"  # keeps a number and its unit on one line
FLAT_WEIGHTS = 2 / 65535  # differences of attention weights within the page's precision, 16 bits


def written(value: float, digits: int) -> str:
    """Write a number with a true minus sign, omitted if the number rounds to zero."""
    text = f"{Decimal(float(value)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):f}"
    return re.sub(r"^-(?=.*[1-9])", "−", text).removeprefix("-")


def rounded(value: float) -> int:
    """Round a number, halves up."""
    return int(np.floor(value + 0.5))


def signed(value: float, digits: int = 2) -> str:
    """Write a number with its sign, + or −, omitted if the number rounds to zero."""
    return re.sub(r"^(?=[\d.]*[1-9])", "+", written(value, digits))


def percent(fraction: float, digits: int | None = None) -> str:
    """Write a fraction as a percentage, by default with one decimal, below 1 % with two."""
    if digits is None and 0 < fraction < 0.00005:
        return f"under 0.01{SPACE}%"
    places = digits if digits is not None else 2 if 0 < fraction < 0.00995 else 1
    return f"{written(100 * float(fraction), places)}{SPACE}%"


def counted(count: int, one: str, many: str) -> str:
    """Write a number of things."""
    return f"{count} {one if count == 1 else many}"


def patch_name(patch: int, columns: int) -> str:
    """Name a patch by its place in a grid."""
    row, column = divmod(patch, columns)
    return f"row {row + 1}, column {column + 1}"


def map_name(layer: int | Literal["pool"] | None, head: int | None) -> str:
    """Name the map of a layer, or of attention pooling ("pool"), and a head, from 0, or of a mean (None)."""
    of_head = "mean of heads" if head is None else f"head {head + 1}"
    if layer == "pool":
        return f"Attention pooling, {of_head}"
    return f"{'Mean of layers' if layer is None else f'Layer {layer + 1}'}, {of_head}"


def query_name(query: Sequence[int], columns: int, class_token: bool, several: str = "") -> str:
    """Name the query: the class token (without one, the mean over all patches), one patch, or several."""
    if not query:
        return "the class token" if class_token else "the mean of the patches"
    return patch_name(query[0], columns) if len(query) == 1 else f"{several}{len(query)} patches"


def capital(sentence: str) -> str:
    """Capitalize the first letter."""
    return sentence[:1].upper() + sentence[1:]


def head_headline(
    name: str, query: str, several: bool, direction: str, values: NDArray[np.float32], kept: NDArray[np.bool_]
) -> str:
    """State where the attention of a query is largest.

    Args:
        name: From `map_name`.
        query: From `query_name`, with "these " before several patches.
        several: Whether the query has several patches.
        direction: "from" or "to" the query.
        values: The map, (gh, gw).
        kept: Mask of the patches that are not removed, (gh, gw).
    """
    asks = f"on average, {query} attend" if several else f"{query} attends"
    if np.ptp(values[kept]) <= FLAT_WEIGHTS:
        return (
            f"{name}: {asks} equally to all patches"
            if direction == "from"
            else f"{name}: all patches attend equally to {query}"
        )
    best = patch_name(int(values.argmax()), values.shape[1])
    return f"{name}: {asks} most to {best}" if direction == "from" else f"{name}: {best} attends most to {query}"


def method_headline(title: str, is_random: bool, values: NDArray[np.float32]) -> str:
    """State which patch an attribution map ranks highest."""
    if is_flat(values):
        return f"{title}: all patches have the same value"
    finding = "comes first in this order, which explains nothing" if is_random else "ranks highest"
    return f"{title}: {patch_name(int(values.argmax()), values.shape[1])} {finding}"


def prefix_name(token: int, class_token: bool, distilled: bool = False) -> str:
    """Name a prefix token: "class token", "distillation token" or "register 1"."""
    named = ["class token"] * class_token + ["distillation token"] * distilled
    return named[token] if token < len(named) else f"register {token - len(named) + 1}"


def other_prefix_tokens(count: int, distilled: bool) -> str:
    """Name the prefix tokens after the class token: "2 registers", or the distillation token before them."""
    registers = counted(count - distilled, "register", "registers") if count > distilled else ""
    return " and ".join(filter(None, ("the distillation token" * distilled, registers)))


def prefix_line(
    weights: NDArray[np.float32], class_token: bool, direction: Literal["from", "to"], distilled: bool = False
) -> str:
    """State the attention of the prefix tokens, (R,): class token and distillation token, if any, then registers."""
    others, total = len(weights) - class_token, float(weights[int(class_token) :].sum())
    verb, preposition = ("goes", "to") if direction == "from" else ("given", "by")
    parts = [f"{percent(weights[0])} {verb} {preposition} the class token"] if class_token else []
    if others:
        is_mean = direction == "to" and others > 1
        amount = f"on average {percent(total / others)}" if is_mean else percent(total)
        each = "each of " if is_mean else ""
        verb = "" if parts else f"{verb} "
        parts.append(f"{amount} {verb}{preposition} {each}{other_prefix_tokens(others, distilled)}")
    return (" and " if direction == "from" else ", ").join(parts)


def score_text(score: float) -> str:
    """Write a deletion score; for a class of very small probability it may be far below zero."""
    return "< −10" if score <= -10 else written(score, 2)


def verdict(score: float | None, mean: float, deviation: float) -> str:
    """Compare a deletion score with random rankings; within two standard deviations they do not differ."""
    if score is None:
        return "no ranking"
    if abs(score - mean) <= 2 * deviation:
        return f"≈ random, {score_text(mean)}"
    return f"{'above' if score > mean else 'below'} random, {score_text(mean)}"
