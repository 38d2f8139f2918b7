"""Timelines of trainings as pictures: an animated GIF, and the maps of one snapshot as pixels."""

import vitviz.plots.mpl_backend  # noqa: F401 - before Matplotlib

# isort: split
import io
from pathlib import Path
from typing import Protocol

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from numpy.typing import NDArray
from PIL import Image

from vitviz.files import resolve_link, write_atomic
from vitviz.plots import figures, formatting, scales
from vitviz.plots.figures import Map, Matrix
from vitviz.plots.scales import Scale, clip_limit
from vitviz.plots.style import MAP_COLORS, TEXT_COLOR, colors, norm, own_style, plain

FPS = 10
LAST_FRAME = 2500  # ms
MAP_SHADES, GRAY_SHADES = 128, 32  # of the 256 colors of a GIF; the image gets the others
DPI = 128
TILE, GAP = 60, 3  # px, of a map in `draw_matrix` and between maps


class TimelineData(Protocol):
    """The part of a timeline that pictures need, with S snapshots of P images."""

    @property
    def names(self) -> list[str]:
        """Names of the images."""

    @property
    def classes(self) -> list[str]:
        """Names of the K classes."""

    @property
    def images(self) -> NDArray[np.uint8]:
        """The images, (P, H, W, 3)."""

    @property
    def probabilities(self) -> NDArray[np.float32]:
        """Predicted probabilities, (S, P, K)."""

    @property
    def epoch(self) -> NDArray[np.float32]:
        """Epoch of each snapshot, (S,)."""

    @property
    def cls_attention(self) -> NDArray[np.float16]:
        """The weights of the class token to all tokens, (S, P, L, A, T)."""

    @property
    def class_token(self) -> bool:
        """Whether the maps are the class token's attention, or the mean over the patches."""

    def maps(self, image: int) -> NDArray[np.float32]:
        """Return the attention maps of an image, (S, L, A, gh, gw)."""


def save_animation(timeline: TimelineData, image: str, path: str | Path) -> Path:
    """Write the animation of an image as a GIF, and return the path.

    Raises:
        ValueError: If the file has another ending, or the image is unknown.
    """
    path = Path(path)
    if path.suffix.lower() != ".gif":
        raise ValueError(f"The animation file must end in .gif: got {path.name!r}.")
    if image not in timeline.names:
        raise ValueError(f"The timeline has no image {image!r}. Use one of: {', '.join(timeline.names)}.")
    drawn = frames(timeline, timeline.names.index(image))
    shared = Image.new("P", (1, 1))
    shared.putpalette(palette(timeline.images[timeline.names.index(image)]).tobytes())
    first, *others = [frame.quantize(palette=shared, dither=Image.Dither.NONE) for frame in drawn]
    durations = [1000 // FPS] * len(others) + [LAST_FRAME]
    buffer = io.BytesIO()
    first.save(buffer, "GIF", save_all=True, append_images=others, duration=durations, loop=0)
    write_atomic(resolve_link(path), buffer.getvalue())
    return path


def frames(timeline: TimelineData, image: int) -> list[Image.Image]:
    """Return a frame per snapshot: the image, the mean map, and the maps of all heads, on scales for all snapshots."""
    maps = timeline.maps(image)  # (S, L, A, gh, gw)
    means = maps.mean((1, 2))  # (S, gh, gw)
    limits = [max(clip_limit(now) for now in shown) for shown in (means, maps)]
    of_means, of_heads = (Scale("linear", limit, clips=True) for limit in limits)
    query = formatting.query_name((), 1, timeline.class_token)
    figure = figures.draw(
        timeline.images[image],
        (maps.shape[-2], maps.shape[-1]),
        Map(f"Mean of layers and heads\nfrom {query}", means[0], of_means),
        Matrix(f"All heads\nfrom {query}", maps[0], of_heads),
        title=" ",
        name=timeline.names[image],
    )
    figure.set_dpi(DPI)
    canvas, drawn = FigureCanvasAgg(figure), []
    with own_style():
        for epoch, probabilities, mean, heads in zip(
            timeline.epoch, timeline.probabilities[:, image], means, maps, strict=True
        ):
            best = int(probabilities.argmax())
            prediction = f"{timeline.classes[best]}, {formatting.percent(probabilities[best], 1)}"
            figure.texts[0].set_text(plain(f"Epoch {epoch:.{2 if epoch < 10 else 1}f}: {prediction}"))
            figure.axes[1].images[0].set_data(mean)
            figure.axes[2].images[0].set_data(figures.mosaic(heads))
            canvas.draw()
            figure.set_layout_engine("none")  # the layout of the first frame stays
            drawn.append(Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3]))
    return drawn


def palette(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Choose at most 256 colors, (n, 3): shades of the maps, grays for text, and colors of the image."""
    maps = MAP_COLORS(np.linspace(0, 1, MAP_SHADES))[:, :3] * 255
    grays = np.linspace(255 * np.array(to_rgb(TEXT_COLOR)), 255, GRAY_SHADES)
    of_image = Image.fromarray(image).quantize(256 - MAP_SHADES - GRAY_SHADES).getpalette() or []
    found = np.concatenate([maps, grays, np.array(of_image).reshape(-1, 3)])[:256]
    return found.round().astype(np.uint8)


def draw_matrix(timeline: TimelineData, image: int, snapshot: int) -> NDArray[np.uint8]:
    """Draw the attention maps of one snapshot as RGB pixels (h, w, 3): a row per layer, a column per head, and means.

    Colors are on the scale relative to uniform attention, which is the same for all snapshots and trainings.
    """
    maps = scales.with_means(timeline.maps(image)[snapshot])  # (L + 1, A + 1, gh, gw)
    scale = Scale("uniform", 1 / timeline.cls_attention.shape[-1])
    rgb = colors(scale)(norm(scale)(maps.ravel()), bytes=True)[:, :3].reshape(*maps.shape, 3)
    height, width = timeline.images.shape[1:3]
    shape = TILE * min(1, height / width), TILE * min(1, width / height)
    sides = [max(1, round(side / count)) for side, count in zip(shape, rgb.shape[2:4], strict=True)]  # px of a patch
    tiles = rgb.repeat(sides[0], 2).repeat(sides[1], 3)
    padded = np.pad(tiles, ((0, 0), (0, 0), (0, GAP), (0, GAP), (0, 0)), constant_values=255)
    return np.concatenate(np.concatenate(padded, 1), 1)[:-GAP, :-GAP]
