"""The timeline of a training -> a movie of one image, as GIF or MP4.

Every frame shows one moment: image, prediction, the class token's maps of all layers and heads, and when it was. One
scale holds for all frames, so that a colour means the same share throughout. Drawn pixel by pixel, in the look of
`paper`: a patch is a flat square.
"""

import io
import math
import tempfile
from functools import cache
from pathlib import Path
from typing import Protocol

import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from vitviz.data.files import end_of_link, write_whole
from vitviz.plots.colormaps import COLOUR_MAPS
from vitviz.plots.figures import CLIPPED, INK, LINE, QUIET, percent
from vitviz.plots.formats import MOVIES, movies

FRAMES_A_SECOND = 10
LAST_FRAMES = 25  # the end stays for so many
SHOWN = 5  # classes
MAP_SHADES, GREY_SHADES = 128, 32  # of the 256 colours of a GIF; the others are the image's
COLOURS = COLOUR_MAPS["seq", "light"]
# Places and sizes in pixels: two columns under the epoch, the image and the maps.
MARGIN, HEADINGS, TOP = 20, 56, 98
SIDE, MATRIX_LEFT = 192, 276
GAP, TILE, MATRIX = 3, 60, 620  # between tiles; of a tile, and of a row of tiles, at most
ROW, BAR_LEFT, BAR = 24, 90, 50  # of the predictions
SCALE = 160
NAMED = 50  # from tile to tile, for the first head to be called one


class TimelineRecorder(Protocol):
    """What a movie needs of a timeline with S moments and P images."""

    @property
    def names(self) -> list[str]:
        """Of the images."""

    @property
    def classes(self) -> list[str]:
        """K class names."""

    @property
    def images(self) -> NDArray[np.uint8]:
        """(P, H, W, 3)."""

    @property
    def probabilities(self) -> NDArray[np.float32]:
        """(S, P, K)."""

    @property
    def epoch(self) -> NDArray[np.float32]:
        """(S,)."""

    @property
    def class_token(self) -> bool:
        """Whether the maps are the class token's; else the mean of the patches'."""

    def maps(self, image: int) -> NDArray[np.float32]:
        """Shares of attention, (S, L, A, gh, gw)."""


def movie(timeline: TimelineRecorder, image: str, path: str | Path) -> None:
    """Write the movie of an image, as its file's ending says.

    Raises:
        ValueError: If the ending is another one, there is no such image, or what makes MP4 files is not installed.
    """
    path = Path(path)
    if path.suffix.lower() not in MOVIES:
        raise ValueError(f"A movie's file must end in {' or '.join(MOVIES)}: got {path.name!r}.")
    write_whole(end_of_link(path), render(timeline, image, path.suffix.lower()))


def render(timeline: TimelineRecorder, image: str, ending: str) -> bytes:
    """The movie of an image as the bytes of a file that ends in one of `MOVIES`."""
    if image not in timeline.names:
        raise ValueError(f"There is no image {image!r} in this timeline. Use one of: {', '.join(timeline.names)}.")
    if ending not in movies():
        raise ValueError("An MP4 movie needs imageio-ffmpeg: pip install imageio-ffmpeg, or write a .gif.")
    images = frames(timeline, timeline.names.index(image))
    return gif(images) if ending == ".gif" else mp4(images)


def frames(timeline: TimelineRecorder, image: int) -> list[Image.Image]:
    """One frame for each moment, all of one size."""
    maps = in_squares(timeline.maps(image), timeline.images.shape[1:3])  # (S, L, A, gh, gw)
    top = float(np.quantile(maps, CLIPPED)) or 1.0
    still = background(timeline.images[image], maps[0], top)
    who = "the class token" if timeline.class_token else "the mean of the patches"
    write(ImageDraw.Draw(still), (MATRIX_LEFT, HEADINGS), f"Where {who} looks", bold=True)
    probabilities = timeline.probabilities[:, image]  # (S, K)
    shown = np.argsort(-probabilities.max(0))[:SHOWN]
    shown = shown[np.argsort(-probabilities[-1, shown])]
    found = []
    for now, epoch in enumerate(timeline.epoch):
        frame = still.copy()
        draw = ImageDraw.Draw(frame)
        write(draw, (MARGIN, MARGIN), f"Epoch {epoch:.{2 if epoch < 10 else 1}f}", size=20, bold=True)
        show_matrix(frame, maps[now], top)
        show_prediction(draw, [timeline.classes[k] for k in shown], probabilities[now, shown])
        show_place(draw, frame.size, now / max(1, len(timeline.epoch) - 1))
        found.append(frame)
    return found


def in_squares(maps: NDArray[np.float32], size: tuple[int, ...]) -> NDArray[np.float32]:
    """Maps (..., gh, gw) of an image of this size (H, W), with more rows or columns where patches are no patchify."""
    height, width = (max(1, side // count) for side, count in zip(size, maps.shape[-2:], strict=True))
    unit = math.gcd(height, width)
    return maps.repeat(height // unit, -2).repeat(width // unit, -1)


def background(image: NDArray[np.uint8], maps: NDArray[np.float32], top: float) -> Image.Image:
    """What stays the same: headings, the image, the numbers of layers and heads, and the scale."""
    layers, heads = maps.shape[:2]
    right, bottom = corner(maps, layers - 1, heads - 1, end=True)
    width = max(right, MATRIX_LEFT + SIDE + 130) + MARGIN
    height = max(bottom + 84, TOP + SIDE + 46 + SHOWN * ROW) + MARGIN
    frame = Image.new("RGB", (width + width % 2, height + height % 2), "white")  # MP4 wants even sides
    draw = ImageDraw.Draw(frame)
    write(draw, (MARGIN, HEADINGS), "What the model sees", bold=True)
    write(draw, (MARGIN, TOP + SIDE + 16), "Prediction", bold=True)
    frame.paste(enlarged(image), (MARGIN, TOP))
    pitch = corner(maps, 0, 1)[0] - corner(maps, 0, 0)[0]
    for head in range(heads):
        x, _ = corner(maps, 0, head)
        named = head == 0 and pitch >= NAMED  # the first says what the others are, where there is room
        write(draw, (x, TOP - 18), f"head {head + 1}" if named else str(head + 1), colour=QUIET)
    for layer, head in np.ndindex(layers, heads):
        (x, y), (to_x, to_y) = corner(maps, layer, head), corner(maps, layer, head, end=True)
        draw.rectangle((x - 1, y - 1, to_x, to_y), outline=LINE)
    for layer in range(layers):
        _, y = corner(maps, layer, 0)
        name = f"layer {layer + 1}" if layer == 0 else str(layer + 1)
        write(draw, (MATRIX_LEFT - 8, y), name, colour=QUIET, anchor="ra")
    show_scale(frame, bottom + 14, top)
    return frame


def enlarged(image: NDArray[np.uint8]) -> Image.Image:
    """An image (H, W, 3) as large as its place allows, its pixels as patchify."""
    enlarged_image = Image.fromarray(image)
    factor = SIDE // max(enlarged_image.size)
    if factor < 1:
        enlarged_image.thumbnail((SIDE, SIDE))
        return enlarged_image
    return enlarged_image.resize(
        (factor * enlarged_image.width, factor * enlarged_image.height), Image.Resampling.NEAREST
    )


def cell(maps: NDArray[np.float32]) -> int:
    """Side of the square for one patch of maps (L, A, gh, gw), px."""
    tile = min(TILE, MATRIX // max(maps.shape[:2]))
    return max(1, tile // max(maps.shape[2:]))


def corner(maps: NDArray[np.float32], layer: int, head: int, end: bool = False) -> tuple[int, int]:
    """Where a tile begins, or ends: x, y in px."""
    gh, gw = maps.shape[2:]
    side = cell(maps)
    return (
        MATRIX_LEFT + head * (gw * side + GAP) + end * gw * side,
        TOP + layer * (gh * side + GAP) + end * gh * side,
    )


def show_matrix(image: Image.Image, maps: NDArray[np.float32], top: float) -> None:
    """One tile for each layer and head of maps (L, A, gh, gw), with a flat square for each patch."""
    side = cell(maps)
    shades = COLOURS[(maps / top * 255).clip(0, 255).round().astype(np.uint8)]  # (L, A, gh, gw, 3)
    tiles = shades.repeat(side, 2).repeat(side, 3)
    for layer, head in np.ndindex(*maps.shape[:2]):
        image.paste(Image.fromarray(tiles[layer, head]), corner(maps, layer, head))


def show_prediction(draw: ImageDraw.ImageDraw, labels: list[str], probabilities: NDArray[np.float32]) -> None:
    """The likeliest classes of the whole training as bars, always in the same order."""
    for place, (label, share) in enumerate(zip(labels, probabilities, strict=True)):
        x, y = MARGIN + BAR_LEFT, TOP + SIDE + 42 + place * ROW
        write(draw, (MARGIN, y), fitting(label, BAR_LEFT - 8))
        draw.rectangle((x, y + 3, x + BAR, y + 10), fill=LINE)
        draw.rectangle((x, y + 3, x + round(BAR * float(share)), y + 10), fill=QUIET)
        write(draw, (MARGIN + SIDE, y), f"{100 * share:.1f} %", colour=QUIET, anchor="ra")


def show_scale(image: Image.Image, y: int, top: float) -> None:
    """The colour bar: what the first and the last colour mean."""
    bar = Image.fromarray(COLOURS[None]).resize((SCALE, 10), Image.Resampling.NEAREST)
    image.paste(bar, (MATRIX_LEFT, y))
    draw = ImageDraw.Draw(image)
    write(draw, (MATRIX_LEFT, y + 16), "0 %", colour=QUIET)
    write(draw, (MATRIX_LEFT + SCALE, y + 16), f"{percent().format_pct(top, top)} or more", colour=QUIET, anchor="ma")
    write(draw, (MATRIX_LEFT, y + 34), "share of attention, one scale for all frames", colour=QUIET)


def show_place(draw: ImageDraw.ImageDraw, size: tuple[int, int], share: float) -> None:
    """How far the movie is, as a line along its lower edge."""
    width, height = size
    draw.line((MARGIN, height - 12, width - MARGIN, height - 12), fill=LINE, width=3)
    draw.line((MARGIN, height - 12, MARGIN + (width - 2 * MARGIN) * share, height - 12), fill=QUIET, width=3)


def write(
    draw: ImageDraw.ImageDraw,
    place: tuple[int, int],
    text: str,
    size: int = 13,
    bold: bool = False,
    colour: str = INK,
    anchor: str = "la",
) -> None:
    """A line of text in the font of the figures on paper."""
    draw.text(place, text, colour, font(size, bold), anchor)


@cache
def font(size: int, bold: bool) -> ImageFont.FreeTypeFont:
    """The font that comes with Matplotlib."""
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(Path(mpl.get_data_path(), "fonts", "ttf", name), size)


def fitting(text: str, width: int) -> str:
    """A text cut so that it is at most so wide (px)."""
    if font(13, False).getlength(text) <= width:
        return text
    while text and font(13, False).getlength(f"{text}…") > width:
        text = text[:-1]
    return f"{text}…"


def gif(images: list[Image.Image]) -> bytes:
    """Frames -> the bytes of a GIF that begins anew at its end; one palette, and no dithering, which would lie."""
    colours = palette(images[0])
    first, *others = [indexed(image, colours) for image in images]
    times = [1000 // FRAMES_A_SECOND] * len(others) + [1000 * LAST_FRAMES // FRAMES_A_SECOND]
    buffer = io.BytesIO()
    first.save(buffer, "GIF", save_all=True, append_images=others, duration=times, loop=0)
    return buffer.getvalue()


def palette(frame: Image.Image) -> NDArray[np.uint8]:
    """At most 256 colours, (n, 3): shades of the maps, greys for text, and those of the image in this frame."""
    maps = COLOURS[np.linspace(0, 255, MAP_SHADES).round().astype(int)]
    ink = [int(INK[place : place + 2], 16) for place in (1, 3, 5)]
    greys = np.linspace(ink, (255, 255, 255), GREY_SHADES).round().astype(np.uint8)
    place = (MARGIN, TOP, MARGIN + SIDE, TOP + SIDE)
    image = frame.crop(place).quantize(256 - MAP_SHADES - GREY_SHADES).getpalette() or []
    return np.concatenate([maps, greys, np.array(image, np.uint8).reshape(-1, 3)])[:256]


def indexed(image: Image.Image, colours: NDArray[np.uint8]) -> Image.Image:
    """An image in these colours (n, 3), each pixel in the nearest; Pillow's own search takes near ones for equal."""
    packed = np.asarray(image).astype(np.int32) @ np.array([1 << 16, 1 << 8, 1], np.int32)  # (H, W)
    there, where = np.unique(packed, return_inverse=True)
    levels = np.stack([there >> 16, there >> 8 & 255, there & 255], -1)  # (m, 3)
    nearest = ((levels[:, None] - colours.astype(np.int32)) ** 2).sum(-1).argmin(1)  # (m,)
    found = Image.fromarray(nearest[where].reshape(packed.shape).astype(np.uint8), "P")
    found.putpalette(colours.tobytes())
    return found


def mp4(images: list[Image.Image]) -> bytes:
    """Frames -> the bytes of an MP4 (H.264) that every browser plays; needs imageio-ffmpeg."""
    from imageio_ffmpeg import write_frames

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "movie.mp4")
        writer = write_frames(str(path), images[0].size, fps=FRAMES_A_SECOND, quality=8, macro_block_size=2)
        writer.send(None)
        for image in [*images, *[images[-1]] * (LAST_FRAMES - 1)]:
            writer.send(image.tobytes())
        writer.close()
        return path.read_bytes()
