"""Arrays and tensors of pixels -> RGB images: one rule for their layout, range and bit depth, said in a note."""

from typing import Any

import numpy as np
from PIL import Image

from vitviz.errors import ImageError

CHANNELS = (1, 3, 4)
BIT_DEPTHS = (8, 10, 12, 14, 16)  # of sensors and scanners, in wider integers
LAYOUTS = "(H, W), (H, W, 1), (H, W, 3), (H, W, 4), or channels first"


def is_array(value: Any) -> bool:
    """Whether a value is an array of NumPy or a tensor of PyTorch, which need not be imported."""
    return isinstance(value, np.ndarray) or is_tensor(value)


def is_tensor(value: Any) -> bool:
    """Whether a value is a tensor of PyTorch."""
    return type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "detach")


def from_array(values: Any) -> tuple[Image.Image, str]:
    """Convert an array or tensor to a PIL image with 8 bits a channel, and state what was assumed.

    Channels are last in an array and first in a tensor, unless only the other reading is possible.

    Raises:
        ImageError: If the shape, type or range is not that of an image.
    """
    array, first = values, is_tensor(values)
    if first:
        tensor = values.detach().cpu()
        array = (tensor.float() if tensor.is_floating_point() else tensor).numpy()
    got = f"got {array.dtype} of shape {tuple(array.shape)}."
    if array.size == 0:
        raise ImageError(f"An image array must not be empty: {got}")
    axes = (0, 2) if first else (2, 0)
    axis = next((a for a in axes if array.ndim == 3 and array.shape[a] in CHANNELS), None)
    if array.dtype.kind not in "buif" or (array.ndim != 2 and axis is None):
        raise ImageError(f"An image array must be numbers of shape {LAYOUTS}: {got}")
    pixels = array if axis is None else np.moveaxis(array, axis, 2)
    levels, note = to_uint8(pixels[..., 0] if pixels.shape[2:] == (1,) else pixels)
    layout = "channels first" if axis == 0 and not first else "channels last" if axis == 2 and first else ""
    return Image.fromarray(np.ascontiguousarray(levels)), ", ".join(filter(None, (layout, note)))


def to_uint8(values: np.ndarray, limits: tuple[float, float] | None = None) -> tuple[np.ndarray, str]:
    """Scale numbers, whose least and largest are `limits`, to 0..255, and state how.

    Floats are in 0..1, or in 0..255 with a value of 2 or more. Integers of more than 8 bits are scaled by the bit depth
    that holds the largest of them, negative ones and those above 16 bits by their own range.

    Raises:
        ImageError: If floats are in no such range.
    """
    if values.dtype == np.uint8:
        return values, ""
    if values.dtype.kind == "b":
        return values * np.uint8(255), ""
    low, high = limits or (values.min(), values.max())
    offset, note = 0.0, ""
    if values.dtype.kind == "f":
        if not (0 <= low <= high <= 255 and not 1 < high < 2):  # rejects NaN, too
            raise ImageError(
                f"An image of floats must have values in 0..1, or in 0..255: got {low:.4g} to {high:.4g}.",
                "Clip them; a tensor that is normalized already needs vitviz.explain(..., normalized=True).",
            )
        factor, note = (255.0, "values in 0..1") if high <= 1 else (1.0, "values in 0..255")
    elif low < 0 or high >= 2 ** BIT_DEPTHS[-1]:
        offset, factor = float(low), 255 / max(float(high) - float(low), 1.0)
        note = f"values {low}..{high} scaled to 0..255"
    else:
        bits = next(bits for bits in BIT_DEPTHS if high < 2**bits)
        factor, note = 255 / (2**bits - 1), "" if bits == BIT_DEPTHS[-1] else f"{bits}-bit values"
    return ((values - offset) * factor).clip(0, 255).round().astype(np.uint8), note
