"""Encoders of animations: looping GIF with one palette, and lossless WebP."""

import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def encode_gif(frames: Sequence[Image.Image], durations: list[int], palette: NDArray[np.uint8]) -> bytes:
    """Encode frames as a looping GIF without dithering, which would change the values shown.

    Args:
        frames: Frames of one size, RGB.
        durations: Duration of each frame (ms).
        palette: At most 256 colors, (n, 3).
    """
    shared = Image.new("P", (1, 1))
    shared.putpalette(palette.tobytes())
    first, *others = [frame.quantize(palette=shared, dither=Image.Dither.NONE) for frame in frames]
    buffer = io.BytesIO()
    first.save(buffer, "GIF", save_all=True, append_images=others, duration=durations, loop=0)
    return buffer.getvalue()


def encode_webp(frames: Sequence[Image.Image], durations: list[int]) -> bytes:
    """Encode frames, RGB and of one size, as a looping lossless WebP; durations in ms."""
    first, *others = frames
    buffer = io.BytesIO()
    fast = {"lossless": True, "quality": 20, "method": 1}
    first.save(buffer, "WEBP", save_all=True, append_images=others, duration=durations, loop=0, **fast)
    return buffer.getvalue()
