"""Animations of a training from its timeline, as GIF, lossless WebP or MP4.

A frame shows one snapshot: image, prediction, the attention maps of all layers and heads, and the epoch. All frames
share one color scale. Maps are drawn pixel by pixel, so that a patch is a uniform square, in the style of figures.
"""

import math
import tempfile
from pathlib import Path
from typing import Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

from vitviz.data.files import resolve_link, write_atomic
from vitviz.plots import scales
from vitviz.plots.canvas import DRAWING_LOCK, LINE_COLOR, MAP_COLORS, MUTED_COLOR, TEXT_COLOR, own_style, plain
from vitviz.plots.colormaps import COLOR_MAPS
from vitviz.plots.encoders import encode_gif, encode_webp
from vitviz.plots.formats import ANIMATION_FORMATS, available_formats
from vitviz.plots.limits import clip_limit

FPS = 10
MAX_LABEL_LENGTH = 20  # characters of a class name next to its bar
LAST_FRAME_REPEATS = 25  # duration of the last frame
NUM_CLASSES = 6  # with a probability bar, as on the page
MAP_SHADES, GRAY_SHADES = 128, 32  # of the 256 colors of a GIF; the image gets the others
COLORS = COLOR_MAPS["seq", "light"]
DPI = 128  # a power of two, so that sizes in pixels are exact
# Layout in pixels: two columns below the epoch, for the image and the maps.
MARGIN, TOP, SIDE, MATRIX_LEFT = 20, 98, 192, 276
GAP, TILE, MATRIX = 3, 60, 620  # between tiles; maximum size of a tile, and of a row of tiles
ROW, SCALE = 28, 160  # height of a class with its bar; width of the color bar
MIN_LABEL_PITCH = 50  # between tiles, for the label "head 1" instead of "1"


class TimelineData(Protocol):
    """The part of a timeline that animations need, with S snapshots of P images."""

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


def save_animation(timeline: TimelineData, image: str, path: str | Path) -> None:
    """Write the animation of an image, in the format given by the file's ending.

    Raises:
        ValueError: If the ending or the image is unknown, or imageio-ffmpeg is missing for an MP4.
    """
    path = Path(path)
    if path.suffix.lower() not in ANIMATION_FORMATS:
        raise ValueError(f"The animation file must end in {', '.join(ANIMATION_FORMATS)}: got {path.name!r}.")
    write_atomic(resolve_link(path), render(timeline, image, path.suffix.lower()))


def render(timeline: TimelineData, image: str, ending: str, model: str = "") -> bytes:
    """Return the animation of an image as the bytes of a file with one of the endings `ANIMATION_FORMATS`.

    `model` is the name of the model in its title.
    """
    if image not in timeline.names:
        raise ValueError(f"The timeline has no image {image!r}. Use one of: {', '.join(timeline.names)}.")
    if ending not in available_formats():
        raise ValueError("An MP4 animation needs imageio-ffmpeg: pip install imageio-ffmpeg, or write a .gif.")
    images = frames(timeline, timeline.names.index(image), model)
    if ending == ".mp4":
        return mp4(images)
    times = durations(len(images))
    return encode_webp(images, times) if ending == ".webp" else encode_gif(images, times, palette(images[0]))


def frames(timeline: TimelineData, image: int, model: str = "") -> list[Image.Image]:
    """Return one frame per snapshot, all of one size: classes and color scales are those of the Train page."""
    maps, top, top_of_means = with_means(timeline.maps(image))  # (S, L + 1, A + 1, gh, gw)
    maps = as_squares(maps, timeline.images.shape[1:3])
    probabilities = timeline.probabilities[:, image]  # (S, K)
    shown = ranked_classes(probabilities[-1], timeline.classes, timeline.names[image])
    with DRAWING_LOCK, own_style():
        height, width = mosaic(maps[0]).shape
        right, bottom = MATRIX_LEFT + max(width, SIDE + 130), TOP + max(height + 70, SIDE + 36 + NUM_CLASSES * ROW)
        size = [side + MARGIN + side % 2 for side in (right, bottom)]  # even, as MP4 requires
        figure = Figure([side / DPI for side in size], DPI, facecolor="white")
        canvas = FigureCanvasAgg(figure)
        epoch = figure.text(MARGIN / size[0], 1 - MARGIN / size[1], "", size=12, weight="bold", va="top")
        model_input = place(figure, MARGIN, TOP, SIDE, SIDE, "Model input", pad=17.5)
        model_input.imshow(timeline.images[image])
        model_input.set_anchor("NW")
        query = "the class token" if timeline.class_token else "the mean of the patches"
        tiles = place(figure, MATRIX_LEFT, TOP, width, height, f"What {query} attends to")
        layers, heads = maps.shape[1:3]  # with means
        tiles.set(xlim=(0, heads), ylim=(layers, 0))
        tiles.xaxis.tick_top()
        first = "head 1" if width / heads >= MIN_LABEL_PITCH else "1"
        tiles.set_xticks(np.arange(heads) + 0.5, [first, *map(str, range(2, heads)), "mean"])
        tiles.set_yticks(np.arange(layers) + 0.5, ["layer 1", *map(str, range(2, layers)), "mean"])
        matrix = figure.figimage(
            mosaic(maps[0]), MATRIX_LEFT, size[1] - TOP - height, cmap=MAP_COLORS, vmin=0, vmax=top, origin="upper"
        )
        scale = place(figure, MATRIX_LEFT, TOP + height + 14, SCALE, 10)
        figure.colorbar(matrix, cax=scale, orientation="horizontal", ticks=[0, top]).outline.set_visible(False)
        end, end_of_means = (percent_text(limit) for limit in (top, top_of_means))
        scale.set_xticks([0, top], ["0 %", f"≥ {end}"], color=MUTED_COLOR)
        label = f"attention weight, all snapshots; means to {end_of_means}"
        scale.set_xlabel(label, loc="left", color=MUTED_COLOR)
        prediction = place(figure, MARGIN, TOP + SIDE + 36, SIDE, NUM_CLASSES * ROW, "Prediction")
        progress = place(figure, MARGIN, size[1] - 14, size[0] - 2 * MARGIN, 3)
        progress.set(xlim=(0, 1), facecolor=LINE_COLOR)
        (done,) = progress.barh(0, 0, color=MUTED_COLOR)
        title = f"{model}, " if model else ""
        drawn = []
        for index, now in enumerate(timeline.epoch):
            epoch.set_text(f"{plain(title)}Epoch {now:.{2 if now < 10 else 1}f}")
            matrix.set_data(mosaic(maps[index]))
            draw_prediction(prediction, [timeline.classes[k] for k in shown], probabilities[index, shown])
            done.set_width(index / max(1, len(timeline.epoch) - 1))
            canvas.draw()
            drawn.append(Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3]))
    return drawn


def draw_matrix(timeline: TimelineData, image: int, snapshot: int) -> NDArray[np.uint8]:
    """Draw the attention maps of one snapshot as RGB pixels (h, w, 3): a row per layer, a column per head, and means.

    Colors are on the scale relative to uniform attention, which is the same for all snapshots and trainings.
    """
    maps = scales.with_means(timeline.maps(image)[snapshot])  # (L + 1, A + 1, gh, gw)
    weights = mosaic(as_squares(maps, timeline.images.shape[1:3]))
    uniform = 1 / timeline.cls_attention.shape[-1]
    colors = scales.Scale("uniform", uniform).colors(np.nan_to_num(weights))
    colors[np.isnan(weights)] = 255
    return colors


def with_means(maps: NDArray[np.float32]) -> tuple[NDArray[np.float32], float, float]:
    """Append means over heads, over layers and over both to maps (S, L, A, gh, gw), and return two limits.

    The limits are the ends of the color scales of heads and of means. Means are multiplied by their ratio, so that
    both can be drawn on the scale of heads.
    """
    maps = np.concatenate([maps, maps.mean(2, keepdims=True)], 2)
    maps = np.concatenate([maps, maps.mean(1, keepdims=True)], 1)
    is_mean = np.zeros(maps.shape[1:3], bool)
    is_mean[-1] = is_mean[:, -1] = True
    heads, means = (max(clip_limit(now[chosen]) for now in maps) for chosen in (~is_mean, is_mean))
    maps[:, is_mean] *= heads / means
    return maps, heads, means


def ranked_classes(probabilities: NDArray[np.float32], classes: list[str], truth: str) -> NDArray[np.int64]:
    """Return the indices of the likeliest classes of the last snapshot; one of them is the true class, if known."""
    shown = np.argsort(-probabilities, kind="stable")[:NUM_CLASSES]
    if truth in classes and classes.index(truth) not in shown:
        shown[-1] = classes.index(truth)
    return shown


def percent_text(fraction: float) -> str:
    """Return a rounded limit as a percentage: 0.06 -> "6 %"."""
    return f"{100 * fraction:g} %"


def as_squares(maps: NDArray[np.float32], size: tuple[int, ...]) -> NDArray[np.float32]:
    """Repeat rows or columns of maps (..., gh, gw) of an image of size (H, W) so that every cell is square."""
    height, width = (max(1, side // count) for side, count in zip(size, maps.shape[-2:], strict=True))
    unit = math.gcd(height, width)
    return maps.repeat(height // unit, -2).repeat(width // unit, -1)


def mosaic(maps: NDArray[np.float32]) -> NDArray[np.float32]:
    """Arrange maps (L, A, gh, gw) as one image, a tile per layer and head; NaN between tiles."""
    layers, heads, *grid = maps.shape
    side = max(1, min(TILE, MATRIX // max(layers, heads)) // max(grid))  # px of a patch
    tiles = maps.repeat(side, 2).repeat(side, 3)
    padded = np.pad(tiles, ((0, 0), (0, 0), (0, GAP), (0, GAP)), constant_values=np.nan)
    return np.concatenate(np.concatenate(padded, -2), -1)[:-GAP, :-GAP]


def place(figure: Figure, x: int, y: int, width: int, height: int, title: str = "", pad: float = 6) -> Axes:
    """Add axes without ticks, with their upper left corner at x, y (px) and a title `pad` points above."""
    W, H = figure.bbox.size
    axes = figure.add_axes((x / W, 1 - (y + height) / H, width / W, height / H))
    axes.set(xticks=[], yticks=[])
    axes.set_title(title, loc="left", fontweight="bold", pad=pad)
    axes.tick_params(length=0, labelcolor=MUTED_COLOR)
    axes.spines[:].set_visible(False)
    return axes


def shortened(name: str) -> str:
    """Shorten a class name to leave room for the bars."""
    return name if len(name) <= MAX_LABEL_LENGTH else f"{name[: MAX_LABEL_LENGTH - 1]}…"


def draw_prediction(axes: Axes, labels: list[str], probabilities: NDArray[np.float32]) -> None:
    """Draw probability bars of the classes, in the same order in all frames."""
    for artist in (*axes.texts, *axes.patches):
        artist.remove()
    axes.set(xlim=(0, 1), ylim=(len(labels), 0))
    for row, (label, probability) in enumerate(zip(labels, probabilities, strict=True)):
        axes.text(0, row + 0.35, plain(shortened(label)), va="center", clip_on=True)
        axes.text(1, row + 0.35, f"{100 * probability:.1f} %", va="center", ha="right", color=MUTED_COLOR)
    rows = np.arange(len(labels)) + 0.8
    axes.barh(rows, 1, 0.2, color=LINE_COLOR)
    axes.barh(rows, probabilities, 0.2, color=MUTED_COLOR)


def durations(count: int) -> list[int]:
    """Return the durations of `count` frames (ms); the last one is shown longer."""
    return [1000 // FPS] * (count - 1) + [1000 * LAST_FRAME_REPEATS // FPS]


def palette(frame: Image.Image) -> NDArray[np.uint8]:
    """Choose at most 256 colors, (n, 3): shades of the maps, grays for text, and colors of the image in this frame."""
    maps = COLORS[np.linspace(0, 255, MAP_SHADES).round().astype(int)]
    grays = np.linspace(255 * np.array(to_rgb(TEXT_COLOR)), 255, GRAY_SHADES).round().astype(np.uint8)
    place = (MARGIN, TOP, MARGIN + SIDE, TOP + SIDE)
    image = frame.crop(place).quantize(256 - MAP_SHADES - GRAY_SHADES).getpalette() or []
    return np.concatenate([maps, grays, np.array(image, np.uint8).reshape(-1, 3)])[:256]


def mp4(images: list[Image.Image]) -> bytes:
    """Encode frames as an MP4 (H.264), which every browser plays; needs imageio-ffmpeg."""
    from imageio_ffmpeg import write_frames

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "animation.mp4")
        writer = write_frames(str(path), images[0].size, fps=FPS, quality=8, macro_block_size=2)
        writer.send(None)
        for image in [*images, *[images[-1]] * (LAST_FRAME_REPEATS - 1)]:
            writer.send(image.tobytes())
        writer.close()
        return path.read_bytes()
