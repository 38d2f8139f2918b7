"""What a figure or the explorer shows of an explanation, with checks of every field."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeGuard

import numpy as np

from vitviz.attribution.methods import METHODS

TargetLike = int | str | Sequence[int | str]  # a class by index or name, or a class and the one to contrast it with
Query = int | Sequence[int]  # a patch or several, positions in reading order from 0; empty for the class token
Direction = Literal["from", "to"]
Layer = int | Literal["pool"] | None  # from 0; the attention pooling; or the mean over layers
ScaleChoice = Literal["shared", "uniform", "map"]


def is_integer(value: object) -> TypeGuard[int]:
    """Whether it is an integer of Python or numpy, and not a bool."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_choice(name: str, value: object, *choices: str) -> None:
    """Raise ValueError for a value that is none of the choices."""
    if value not in choices:
        known = f"{', '.join(choices[:-1])} or {choices[-1]}"
        raise ValueError(f"{name} must be {known}: got {str(value)[:40]!r}.")


def check_index(name: str, value: object, count: int) -> None:
    """Raise ValueError for an index that is neither None nor from 0 to `count` - 1."""
    if value is not None and (not is_integer(value) or not 0 <= value < count):
        raise ValueError(f"{name} must be from 0 to {count - 1}: got {str(value)[:40]!r}.")


def check_method(method: object) -> None:
    """Raise ValueError for an unknown method."""
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f"Unknown method {str(method)[:40]!r}. Use one of: {', '.join(METHODS)}.")


def as_patches(query: Query) -> tuple[int, ...]:
    """Return the positions of a query as a tuple."""
    return (query,) if is_integer(query) else tuple(query) if isinstance(query, Sequence | np.ndarray) else (query,)


@dataclass(frozen=True)
class View:
    """What is shown of an explanation.

    Attributes:
        method: A name in `METHODS`, shown large; if None, the attention of `layer` and `head`.
        layer: From 0, or None for the mean over layers; "pool" for attention pooling, which has no query patches.
        head: From 0, or None for the mean over heads.
        query: The query patches, positions in reading order from 0; empty for the class token.
        direction: What the query attends to ("from"), or what attends to it ("to").
        target: The target of a class-specific method; None for the predicted class.
        scale: "shared" by all heads (and another one by all means), "uniform": in multiples of uniform attention, or
            one per "map", from 0 to its maximum.
        smooth: Whether maps are interpolated between the centers of patches.
        outlines: Opacity of the image's outlines on the large map, 0 to 1.
        truth: Index of the true class, marked in the prediction; None if it is unknown.
        remove_background: Whether principal components leave the background out.
        pixels: Whether the map of a method that has one per pixel is shown by pixel.
    """

    method: str | None = None
    layer: Layer = None
    head: int | None = None
    query: tuple[int, ...] = ()
    direction: Direction = "from"
    target: TargetLike | None = None
    scale: ScaleChoice = "shared"
    smooth: bool = False
    outlines: float = 0.6
    truth: int | None = None
    remove_background: bool = False
    pixels: bool = False

    def __post_init__(self) -> None:
        if self.method is not None:
            check_method(self.method)
        check_choice("direction", self.direction, "from", "to")
        check_choice("scale", self.scale, "shared", "uniform", "map")
        for name in ("smooth", "remove_background", "pixels"):
            if not isinstance(value := getattr(self, name), bool):
                raise ValueError(f"{name} must be true or false: got {str(value)[:40]!r}.")
        is_number = isinstance(self.outlines, int | float) and not isinstance(self.outlines, bool)
        if not is_number or not (math.isfinite(self.outlines) and 0 <= self.outlines <= 1):
            raise ValueError(f"outlines must be from 0 to 1: got {str(self.outlines)[:40]!r}.")

    def query_label(self, class_token: bool) -> str:
        """Name of the query, in a model with or without class token."""
        if not self.query:
            return "the class token" if class_token else "the mean of the patches"
        return "one patch" if len(self.query) == 1 else f"{len(self.query)} patches"

    def matrix_title(self, class_token: bool) -> str:
        """Title of the maps of all layers and heads, in a model with or without class token."""
        label, verb = self.query_label(class_token), "attend" if len(self.query) > 1 else "attends"
        what = f"{label} {verb} to" if self.direction == "from" else f"attends to {label}"
        return f"What {what}: all layers and heads"
