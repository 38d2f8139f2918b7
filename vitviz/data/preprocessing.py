"""The one gate for images: a path, a PIL image or an array -> an RGB image -> what the model sees.

Every uploaded or named file passes `open_image`. It accepts five formats and bounded sizes, and refuses everything
else with a `ImageError` of one sentence. Nothing is decoded before its size is known.
"""

import os
import stat
import threading
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageOps
from torch import Tensor

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
MOST_BYTES = 20 * 2**20
MOST_PIXELS = 50_000_000
MOST_WEBP_PIXELS = 25_000_000  # decoding takes 16 bytes a pixel, several times what the other formats take
MOST_SIDE = 16_384  # px; what is longer and thin cannot be shrunk before it is copied
HUGE_PIXELS = 12_000_000  # above, one image at a time is decoded, so that many at once take no more memory than one
PREVIEW_SIDE = 1024  # px; nothing larger is kept, and a JPEG much larger is decoded at a fraction of its size

SAMPLES = Path(__file__).parent / "samples"

one_huge_at_a_time = threading.Lock()

ImageSource = str | Path | Image.Image | np.ndarray


class ImageError(ValueError):
    """An image was refused; the message says the rule, what came and what helps."""


@dataclass(frozen=True)
class PreprocessedImage:
    """An image and what became of it.

    Attributes:
        original: The image upright, in RGB, shrunk to at most `PREVIEW_SIDE` pixels a side.
        seen: Cropped and resized: exactly what the model sees.
        note: What was done, for people ("cropped to a square, shrunk from 640 × 480 to 32 × 32").
    """

    original: Image.Image
    seen: Image.Image
    note: str


def sample_paths() -> dict[str, Path]:
    """The images that come with the project: name -> file, in alphabetical order."""
    return {path.stem: path for path in sorted(SAMPLES.glob("*.png"))}


def prepare(source: ImageSource, size: tuple[int, int]) -> PreprocessedImage:
    """Open an image and fit it to a model.

    Args:
        source: A path, a PIL image, or an array (H, W, 3) or (H, W) of uint8.
        size: Height and width of the model's input (px).

    Raises:
        ImageError: If the source is not an acceptable image.
    """
    original, (width, height) = open_image(source)
    target = (size[1], size[0])
    seen = ImageOps.fit(original, target, Image.Resampling.LANCZOS)
    original.thumbnail((PREVIEW_SIDE, PREVIEW_SIDE))
    return PreprocessedImage(original, seen, describe(width, height, *target))


def describe(width: int, height: int, to_width: int, to_height: int) -> str:
    """Say how an image of one size became one of another.

    Example:
        >>> describe(640, 480, 32, 32)
        'cropped to a square, shrunk from 640 × 480 to 32 × 32'
    """
    shape = "a square" if to_width == to_height else f"{to_width}:{to_height}"
    steps = []
    if width * to_height != height * to_width:
        steps.append(f"cropped to {shape}")
    if (width, height) != (to_width, to_height):
        verb = "shrunk" if width >= to_width and height >= to_height else "resized"
        steps.append(f"{verb} from {width} × {height} to {to_width} × {to_height}")
    return ", ".join(steps) or f"as it is, {width} × {height}"


def open_image(source: ImageSource) -> tuple[Image.Image, tuple[int, int]]:
    """Open an image: upright, RGB, transparency on white.

    Returns:
        The image, and its width and height in the file (px), upright.

    Raises:
        ImageError: If it is not an image of an accepted format and size.
    """
    if isinstance(source, np.ndarray):
        source = from_array(source)
    if isinstance(source, Image.Image):
        check_pixels(source)
        upright = ImageOps.exif_transpose(source)
        return to_rgb(upright), upright.size
    if not isinstance(source, str | os.PathLike):
        raise ImageError(f"An image must be a path, a PIL image or an array of uint8: got {type(source).__name__}.")
    path = Path(source)
    check_file(path)
    try:
        with Image.open(path, formats=FORMATS) as image:
            check_pixels(image)
            with one_huge_at_a_time if image.width * image.height > HUGE_PIXELS else nullcontext():
                turned = image.getexif().get(0x0112) in (5, 6, 7, 8)  # they lie on their side; a PNG is decoded for it
                size = image.size[::-1] if turned else image.size
                image.draft(None, (PREVIEW_SIDE, PREVIEW_SIDE))
                return to_rgb(ImageOps.exif_transpose(shrink(image))), size
    except ImageError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise ImageError(too_many_pixels("far more")) from None
    except Exception as error:  # hostile files make Pillow raise almost anything
        raise ImageError(
            f"The file must be a whole PNG, JPEG, WebP, GIF or BMP image: {path.name[:80]!r} cannot be read as one. "
            "Open it in an image program and save it again as PNG."
        ) from error


def is_huge(path: Path) -> bool:
    """Whether a file's header promises an image that takes long to decode; False for what is no image."""
    try:
        check_file(path)
        with Image.open(path, formats=FORMATS) as image:
            return image.width * image.height > HUGE_PIXELS
    except Exception:  # hostile files make Pillow raise almost anything; `open_image` says what is wrong
        return False


def check_file(path: Path) -> None:
    """Refuse what is not a regular file of a bounded size, before anything is read."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        raise ImageError(f"There is no image at {str(path)[:200]!r}. Check the name.") from None
    if not stat.S_ISREG(status.st_mode):
        raise ImageError(f"An image must be a file: {path.name[:80]!r} is something else. Choose an image file.")
    if status.st_size == 0:
        raise ImageError(f"An image must hold something: {path.name[:80]!r} is empty. Choose another image.")
    if status.st_size > MOST_BYTES:
        raise ImageError(
            f"An image may have at most {MOST_BYTES // 2**20} MiB: this one has {status.st_size / 2**20:.1f}. "
            "Save it smaller, as JPEG for example."
        )


def check_pixels(image: Image.Image) -> None:
    """Refuse an image without pixels, or whose header promises more than we decode."""
    width, height = image.size
    if width * height == 0:
        raise ImageError(f"An image must hold pixels: this one has {width} × {height}. Choose another image.")
    if width * height > MOST_PIXELS:
        raise ImageError(too_many_pixels(f"{width} × {height}"))
    if image.format == "WEBP" and width * height > MOST_WEBP_PIXELS:
        raise ImageError(
            f"A WebP image may have at most {MOST_WEBP_PIXELS // 1_000_000} million pixels: this one has "
            f"{width} × {height}. Shrink it first, or save it as JPEG."
        )
    if max(width, height) > MOST_SIDE:
        raise ImageError(
            f"An image may be at most {MOST_SIDE:,} pixels long: this one has {width} × {height}. Crop it first."
        )


def too_many_pixels(came: str) -> str:
    """The sentence for an image with too many pixels."""
    return f"An image may have at most {MOST_PIXELS // 1_000_000} million pixels: this one has {came}. Shrink it first."


def from_array(array: np.ndarray) -> Image.Image:
    """An array (H, W, 3), (H, W, 4) or (H, W) of uint8 -> a PIL image."""
    if array.dtype != np.uint8 or array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (3, 4)):
        raise ImageError(
            f"An image array must be uint8 of shape (H, W, 3): got {array.dtype} of shape {array.shape}. "
            "Multiply 0..1 values by 255 and convert."
        )
    if array.size == 0:
        raise ImageError(f"An image array must hold pixels: got shape {array.shape}.")
    return Image.fromarray(array)


def shrink(image: Image.Image) -> Image.Image:
    """A huge image at a whole fraction of its size, before anything copies it; small ones stay as they are."""
    # Of a huge but narrow one, half its size still has more than most models see.
    factor = max(min(image.size) // PREVIEW_SIDE, 2 if image.width * image.height > HUGE_PIXELS else 1)
    if factor < 2:
        return image
    if image.mode.startswith("I;16"):
        image = image.convert("I")
    elif image.mode in ("1", "P", "PA"):
        image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    return image.reduce(factor)


def to_rgb(image: Image.Image) -> Image.Image:
    """Any PIL image -> RGB; 16-bit grey keeps its shades, transparency lies on white."""
    if image.mode.startswith("I") or image.mode == "F":
        # convert("RGB") would clip 16-bit values at 255, which makes such images white.
        shades = np.asarray(image, np.float64)
        if not np.isfinite(shades).all() or (image.mode == "F" and 0 < shades.max(initial=0) <= 1):
            raise ImageError(
                "An image of decimal numbers must hold finite ones from 0 to 255: got at most "
                f"{shades.max(initial=0):.3g}. Multiply 0..1 values by 255."
            )
        top = 65535 if shades.max(initial=0) > 255 else 255
        image = Image.fromarray(np.clip(shades * 255 / top, 0, 255).round().astype(np.uint8))
    if image.has_transparency_data:
        image = image.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")
    return image.convert("RGB")


def to_tensor(image: Image.Image) -> Tensor:
    """An RGB image -> uint8 (3, H, W)."""
    return torch.from_numpy(np.asarray(image).copy()).permute(2, 0, 1)


def samples(size: tuple[int, int]) -> Tensor:
    """All sample images as a model of this size (height, width, px) sees them: uint8 (10, 3, H, W)."""
    return torch.stack([to_tensor(prepare(path, size).seen) for path in sample_paths().values()])
