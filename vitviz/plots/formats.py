"""File formats of animations, in a module that imports no plotting library and loads fast."""

from importlib.util import find_spec

ANIMATION_FORMATS = (".gif", ".webp", ".mp4")


def available_formats() -> list[str]:
    """Return the endings of `ANIMATION_FORMATS` that can be written: an MP4 needs imageio-ffmpeg."""
    return [ending for ending in ANIMATION_FORMATS if ending != ".mp4" or find_spec("imageio_ffmpeg") is not None]
