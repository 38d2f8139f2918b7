"""Numbers and names as text, as on the page; layers, heads, rows and columns count from 1 in them."""

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

import numpy as np

from vitviz.view import Head, Layer

SPACE = "\u00a0"  # keeps a number and its unit on one line


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


def map_name(layer: Layer, head: Head) -> str:
    """Name the map of a layer, or of attention pooling ("pool"), and a head, from 0, or of a mean."""
    of_head = "mean of heads" if head == "mean" else f"head {head + 1}"
    if layer == "pool":
        return f"Attention pooling, {of_head}"
    return f"{'Mean of layers' if layer == 'mean' else f'Layer {layer + 1}'}, {of_head}"


def heads_name(layer: Layer, head: Head) -> str:
    """Name a head, or a sum of heads: "Layer 5, head 2", "Layer 5, all heads"."""
    if isinstance(layer, str):
        return "All heads" if head == "mean" else f"Head {head + 1} of all layers"
    return f"Layer {layer + 1}, {'all heads' if head == 'mean' else f'head {head + 1}'}"


def query_name(query: Sequence[int], columns: int, class_token: bool, several: str = "") -> str:
    """Name the query: the class token (without one, the mean over all patches), one patch, or several."""
    if not query:
        return "the class token" if class_token else "the mean of the patches"
    return patch_name(query[0], columns) if len(query) == 1 else f"{several}{len(query)} patches"


def prefix_name(token: int, class_token: bool, distilled: bool = False) -> str:
    """Name a prefix token: "class token", "distillation token" or "register 1"."""
    named = ["class token"] * class_token + ["distillation token"] * distilled
    return named[token] if token < len(named) else f"register {token - len(named) + 1}"
