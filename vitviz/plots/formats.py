"""Which movies can be written here. It stands alone, as what draws them takes its time to import."""

from importlib.util import find_spec

MOVIES = (".gif", ".mp4")


def movies() -> list[str]:
    """The endings of `MOVIES` that can be written: an MP4 needs imageio-ffmpeg."""
    return [ending for ending in MOVIES if ending == ".gif" or find_spec("imageio_ffmpeg") is not None]
