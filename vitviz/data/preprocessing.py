"""Preprocessing of untrusted images: a file, a PIL image, an array or a tensor -> an RGB image -> the model's input.

Every image is opened by `open_image`, which accepts six formats of limited size, checks the size before decoding and
reads nothing but pixels and orientation. Anything else raises `ImageError`.
"""

import hashlib
import io
import math
import os
import stat
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, Union, cast

import numpy as np
from PIL import Image
from PIL.BmpImagePlugin import BmpImageFile
from PIL.GifImagePlugin import GifImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.TiffImagePlugin import TiffImageFile
from PIL.WebPImagePlugin import WebPImageFile

from vitviz.data.arrays import from_array, is_array, to_uint8
from vitviz.errors import ImageError

if TYPE_CHECKING:
    from torch import Tensor

FORMATS = {  # opened without `Image.open`, whose limit of pixels is that of the process
    **{"PNG": PngImageFile, "JPEG": JpegImageFile, "WEBP": WebPImageFile},
    **{"GIF": GifImageFile, "BMP": BmpImageFile, "TIFF": TiffImageFile},
}
FORMAT_NAMES = "PNG, JPEG, WebP, GIF, BMP or TIFF"
TIFF_COMPRESSIONS = ("raw", "packbits", "tiff_lzw", "tiff_adobe_deflate", "tiff_deflate", "jpeg")
TIFF_TILE = (322, 323)  # tags of the width and height of a tile
MAX_BYTES = 100 * 2**20  # of a file
MAX_UPLOAD_BYTES = 20 * 2**20
MAX_PIXELS = 400_000_000
MAX_SIDE = 65_535  # px; longer images of a few pixels' width cannot be reduced before they are copied
MAX_DECODED_BYTES = 400_000_000  # while an image is decoded
DECODED_BYTES = {  # per pixel, by mode or format where not 4
    **{"1": 2, "L": 1, "P": 5, "PA": 8, "I;16": 6},
    "WEBP": 16,
    "HEIF": 8,
    "JPEG": 1 / 16,  # at an eighth of the width and height
    "progressive JPEG": 6,  # coefficients of the whole image
}
HUGE_PIXELS = 12_000_000  # larger images are decoded one at a time, to limit memory under concurrent requests
PREVIEW_SIDE = 1024  # px; larger originals are not kept, and large JPEGs are decoded at a fraction of their size
HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
RESAMPLING = Image.Resampling.LANCZOS  # with antialiasing; the same in training, evaluation and explanation

SAMPLES = Path(__file__).parent / "samples"
SAMPLE_SIDE = 96  # px; the drawings in `large` have four times this side

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
PNG_CHUNKS = (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND", b"eXIf")  # pixels and orientation
TRANSPOSED = {  # by EXIF orientation
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}

huge_image_lock = threading.Lock()

ImageLike = Union[str, os.PathLike[str], bytes, IO[bytes], Image.Image, np.ndarray, "Tensor"]
CropMode = Literal["center", "squash"]
INTERPOLATIONS = tuple(name.name.lower() for name in Image.Resampling)


@dataclass(frozen=True)
class Resize:
    """How an image gets the size of a model's input; named as in timm's `pretrained_cfg`.

    Attributes:
        interpolation: Filter, by Pillow's name in lower case; one of `INTERPOLATIONS`.
        crop_pct: Side of the center crop divided by that of the largest one, in 0..1.
        crop_mode: "center" crops to the input's aspect ratio; "squash" takes the whole image, or the central
            `crop_pct` of each side, and does not keep its aspect ratio.
    """

    interpolation: str = RESAMPLING.name.lower()
    crop_pct: float = 1.0
    crop_mode: CropMode = "center"


DEFAULT_RESIZE = Resize()  # of the models that this package trains


@dataclass(frozen=True)
class PreprocessedImage:
    """An image before and after preprocessing.

    Attributes:
        original: The image upright, in RGB, shrunk to at most `PREVIEW_SIDE` pixels a side.
        model_input: The image cropped and resized to the model's input size.
        note: Description of the steps ("cropped to a square, resized from 640 × 480 to 32 × 32").
        width: Width of the original, upright (px).
        height: Its height.
        sha256: SHA-256 of its file, or of an image in memory of its RGB pixels in rows.
        crop: Position of the crop along the longer side, from 0 (left or top) to 1.
    """

    original: Image.Image
    model_input: Image.Image
    note: str
    width: int
    height: int
    sha256: str
    crop: float = 0.5


def sample_paths() -> dict[str, Path]:
    """Return the files of the sample images by name, in alphabetical order."""
    return {path.stem: path for path in sorted(SAMPLES.glob("*.png"))}


def load_samples(
    size: tuple[int, int], resize: Resize = DEFAULT_RESIZE, paths: Iterable[Path] | None = None
) -> "Tensor":
    """Return images at a model's input size (height, width, px), uint8 (n, 3, H, W): by default the ten drawings."""
    import torch

    found = sample_paths().values() if paths is None else paths
    return torch.stack([to_tensor(preprocess(path, size, resize=resize).model_input) for path in found])


def preprocess(
    image: ImageLike, size: tuple[int, int], crop: float = 0.5, resize: Resize = DEFAULT_RESIZE
) -> PreprocessedImage:
    """Open an image, crop it to the aspect ratio of the model's input and resize it.

    Args:
        image: A path, a file object, the bytes of a file, a PIL image, or an array or tensor as for `from_array`.
        size: Height and width of the model's input (px).
        crop: Position of the crop along the longer side, from 0 (left or top) to 1; 0.5 is the center.
        resize: Size of the crop, and filter.

    Raises:
        ImageError: If the image is not accepted, or `crop` is out of range.
    """
    if not 0 <= crop <= 1:
        raise ImageError(f"crop must be from 0 to 1: got {crop}.", "Use 0.5 for the center.")
    name, image = file_name(image), for_size(image, size)
    if isinstance(image, str | os.PathLike) or hasattr(image, "read"):
        image = read_file(image)
    original, (width, height), assumed = open_image(image, name)
    content = image if isinstance(image, bytes) else original.tobytes()
    model_input = crop_and_resize(original, size, crop, resize)
    original.thumbnail((PREVIEW_SIDE, PREVIEW_SIDE))
    note = ", ".join(filter(None, (assumed, describe(width, height, size[1], size[0], crop, resize))))
    return PreprocessedImage(original, model_input, note, width, height, hashlib.sha256(content).hexdigest(), crop)


def for_size(image: ImageLike, size: tuple[int, int]) -> ImageLike:
    """Return the large drawing of a sample for inputs above its size (height, width, px); anything else unchanged."""
    if isinstance(image, Path) and image.parent == SAMPLES and max(size) > SAMPLE_SIDE:
        return SAMPLES / "large" / f"{image.stem}.jpg"
    return image


def resize_images(images: "Tensor", size: tuple[int, int], resize: Resize = DEFAULT_RESIZE) -> "Tensor":
    """Preprocess images (n, 3, h, w) of uint8 to a model's input size, (n, 3, H, W), with `crop_and_resize`."""
    if images.shape[2:] == size and resize.crop_pct == 1:
        return images
    resized = images.new_empty(len(images), 3, *size)
    for target, image in zip(resized, images.permute(0, 2, 3, 1).numpy(), strict=True):
        target.copy_(to_tensor(crop_and_resize(Image.fromarray(image), size, resize=resize)))
    return resized


def crop_and_resize(
    image: Image.Image, size: tuple[int, int], crop: float = 0.5, resize: Resize = DEFAULT_RESIZE
) -> Image.Image:
    """Crop an RGB image to the aspect ratio of `size` (height, width, px) and resize it; `crop` as for `preprocess`.

    Of the largest crop, in mode "squash" the whole image, the central `resize.crop_pct` of each side is kept.
    """
    (width, height), (H, W) = image.size, size
    filter_ = Image.Resampling[resize.interpolation.upper()]
    crop_height, crop_width = height, width
    if resize.crop_mode == "center":
        crop_height, crop_width = min(height, max(1, round(width * H / W))), min(width, max(1, round(height * W / H)))
    top, left = int((height - crop_height) * crop), int((width - crop_width) * crop)
    if resize.crop_pct < 1:
        kept_height = max(1, round(crop_height * resize.crop_pct))
        kept_width = max(1, round(crop_width * resize.crop_pct))
        top, left = top + (crop_height - kept_height) // 2, left + (crop_width - kept_width) // 2
        crop_height, crop_width = kept_height, kept_width
    cropped = image.crop((left, top, left + crop_width, top + crop_height))
    return cropped.resize((W, H), filter_)  # a copy where the size is the same


def describe(
    width: int, height: int, to_width: int, to_height: int, crop: float = 0.5, resize: Resize = DEFAULT_RESIZE
) -> str:
    """Describe how an image of one size became one of another.

    Example:
        >>> describe(640, 480, 32, 32)
        'cropped to a square, resized from 640 × 480 to 32 × 32'
        >>> describe(640, 480, 32, 32, crop=0)
        'cropped to a square on the left, resized from 640 × 480 to 32 × 32'
        >>> describe(640, 480, 224, 224, resize=Resize("bicubic", 0.875))
        'cropped to a square of the central 88 %, resized from 640 × 480 to 224 × 224 (bicubic)'
    """
    shape = "a square" if to_width == to_height else f"{to_width}:{to_height}"
    steps = []
    is_cut = width * to_height != height * to_width
    center = "" if resize.crop_pct == 1 else f" of the central {100 * resize.crop_pct:.0f} %"
    if resize.crop_mode == "squash":
        steps += [f"cropped to{center.removeprefix(' of')} of each side"] if center else []
        steps += ["squashed"] if is_cut else []
    elif is_cut or center:
        steps.append(f"cropped to {shape}{center}{describe_crop(crop, width * to_height > height * to_width)}")
    if (width, height) != (to_width, to_height):
        filter_ = "" if resize.interpolation == DEFAULT_RESIZE.interpolation else f" ({resize.interpolation})"
        steps.append(f"resized from {width} × {height} to {to_width} × {to_height}{filter_}")
    return ", ".join(steps) or f"original size, {width} × {height}"


def describe_resize(size: tuple[int, int], resize: Resize) -> str:
    """Describe how any image gets a model's input size (height, width, px), in the words of timm and torchvision.

    Example:
        >>> describe_resize((224, 224), Resize("bicubic", 0.875))
        'shorter side resized to 256 px (bicubic), center crop of 224 × 224 px'
        >>> describe_resize((224, 224), Resize("bicubic", 1.0, "squash"))
        'whole image resized to 224 × 224 px (bicubic)'
        >>> describe_resize((384, 384), Resize("bicubic", 0.95, "squash"))
        'whole image resized to 404 × 404 px (bicubic), center crop of 384 × 384 px'
        >>> describe_resize((32, 48), Resize())
        'cropped to 48:32, resized to 48 × 32 px (lanczos)'
    """
    H, W = size
    filter_, is_square = resize.interpolation, H == W
    is_whole = resize.crop_mode == "squash"
    if resize.crop_pct == 1:
        what = "whole image" if is_whole else f"cropped to {'a square' if is_square else f'{W}:{H}'},"
        return f"{what} resized to {W} × {H} px ({filter_})"
    if is_whole:
        whole = f"{W / resize.crop_pct:.0f} × {H / resize.crop_pct:.0f}"
        return f"whole image resized to {whole} px ({filter_}), center crop of {W} × {H} px"
    side = f"{W / resize.crop_pct:.0f}" + ("" if is_square else f" × {H / resize.crop_pct:.0f}")
    what = "shorter side resized to" if is_square else "resized to cover"
    return f"{what} {side} px ({filter_}), center crop of {W} × {H} px"


def describe_crop(crop: float, is_wide: bool) -> str:
    """Describe the position of a crop; empty for the center.

    Example:
        >>> describe_crop(0.3, is_wide=True)
        ' at 30 % from the left'
    """
    if crop == 0.5:
        return ""
    start, end = ("left", "right") if is_wide else ("top", "bottom")
    if crop in (0, 1):
        return f" {'on' if is_wide else 'at'} the {end if crop else start}"
    return f" at {100 * crop:.0f} % from the {start}"


def open_image(given: ImageLike, name: str = "") -> tuple[Image.Image, tuple[int, int], str]:
    """Open an image: upright, in RGB, transparent pixels on white; `name` is that of its file in errors.

    Returns:
        The image, possibly reduced; the upright width and height of the original (px); and what was assumed about the
        range and layout of its values, which may be empty.

    Raises:
        ImageError: If it is not an image of an accepted format and size.
    """
    layout = ""
    if is_array(given):
        given, layout = from_array(given)
    if isinstance(given, Image.Image):
        check_pixels(given)
        size = upright_size(given)
        image, scaled = to_rgb(given, is_large(given))
        return image, size, layout or scaled
    with open_checked(given, name) as image, huge_image_lock if is_large(image) else nullcontext():
        size = upright_size(image)
        image.draft(None, (PREVIEW_SIDE, PREVIEW_SIDE))
        reduced, scaled = to_rgb(image, True)
        return reduced, size, scaled


@contextmanager
def open_checked(given: ImageLike, name: str = "") -> Iterator[Image.Image]:
    """Open an image file whose header declares an accepted format and size; nothing is decoded yet.

    Raises:
        ImageError: Also for what fails while it is used.
    """
    content = given if isinstance(given, bytes) else read_file(given)
    try:
        with open_format(content, name) as image:
            check_pixels(image)
            check_memory_of(image)
            check_tiff(image)
            yield image
    except ImageError:
        raise
    except Exception as error:  # Pillow raises almost any exception on a malformed file
        raise ImageError(
            f"The file must be a complete {FORMAT_NAMES} image: it cannot be decoded.",
            "Open it in an image editor and save it as PNG.",
            name,
        ) from error


def open_format(content: bytes, name: str = "") -> Image.Image:
    """Open the content of a file, whose name is that in errors, by the format that its first bytes declare."""
    if content[4:8] == b"ftyp" and content[8:12] in HEIF_BRANDS:
        return open_heif(content, name)
    if content.startswith(PNG_SIGNATURE):
        content = without_metadata(content)
    for form, open_it in FORMATS.items():
        accepts = Image.OPEN[form][1]
        if accepts is not None and accepts(content[:16]) is True:
            return open_it(io.BytesIO(content))
    raise ValueError("No known format begins so.")


def without_metadata(content: bytes) -> bytes:
    """Return a PNG file without texts, profiles and other chunks, of which Pillow refuses large or damaged ones."""
    kept, position = [PNG_SIGNATURE], len(PNG_SIGNATURE)
    while position < len(content):
        end = position + 12 + int.from_bytes(content[position : position + 4], "big")
        if content[position + 4 : position + 8] in PNG_CHUNKS:
            kept.append(content[position:end])
        position = end
    return b"".join(kept)


def read_file(image: ImageLike) -> bytes:
    """Return the content of an image file, or of a file object from its start, whose position stays."""
    if isinstance(image, str | os.PathLike):
        path = Path(image)
        check_file(path)
        try:
            with path.open("rb") as opened_file:
                return opened_file.read(MAX_BYTES + 1)
        except OSError as error:
            reason = f"The file cannot be opened: {error.strerror}."
            raise ImageError(reason, "Check its permissions.", path.name[:80]) from None
    if not hasattr(image, "read"):
        raise ImageError(
            f"An image must be a path, a file, a PIL image, an array or a tensor: got {type(image).__name__}."
        )
    file = cast(IO[bytes], image)
    try:
        position = file.tell() if file.seekable() else 0
        if position:
            file.seek(0)
        content = file.read(MAX_BYTES + 1)
        if file.seekable():
            file.seek(position)
    except (AttributeError, TypeError, OSError, ValueError) as error:
        raise ImageError(f"The file cannot be read: {error}.", file=file_name(image)) from None
    if not isinstance(content, bytes):
        raise ImageError("The file must be opened in binary mode.", 'Open it with mode "rb".', file_name(image))
    if not content:
        raise ImageError("The file is empty.", "Choose another image.", file_name(image))
    check_file_size(len(content), file_name(image))
    return content


def file_name(image: ImageLike) -> str:
    """Return the name of a path or file object without its folder; empty for anything else."""
    name = image if isinstance(image, str | os.PathLike) else getattr(image, "name", "")
    return Path(name).name[:80] if isinstance(name, str | os.PathLike) else ""


def orientation(image: Image.Image) -> int:
    """Return the EXIF orientation of an image, 1 to 8; 1 where it cannot be read."""
    if isinstance(image, PngImageFile):
        image.load()  # as `getexif` does, and fails for other reasons than metadata
    try:
        found = image.getexif().get(0x0112)
    except Exception:  # Pillow raises almost any exception on malformed metadata
        return 1
    return found if found in TRANSPOSED else 1


def upright_size(image: Image.Image) -> tuple[int, int]:
    """Return width and height of an image (px) after its orientation is applied."""
    width, height = image.size
    return (height, width) if orientation(image) >= 5 else (width, height)


def is_huge(image: ImageLike) -> bool:
    """Whether a file's header declares an image that takes long to decode; False for anything but an image."""
    return count_pixels(image) > HUGE_PIXELS


def count_pixels(image: ImageLike) -> int:
    """Return the number of pixels that a file's header declares; 0 for anything but an image."""
    try:
        with open_checked(image) as opened_image:
            return opened_image.width * opened_image.height
    except ImageError:  # `open_image` reports it
        return 0


def is_large(image: Image.Image) -> bool:
    """Whether an image takes long to decode."""
    return image.width * image.height > HUGE_PIXELS


def check_file(path: Path) -> None:
    """Check that a path is a regular file of accepted size, before anything is read."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        raise ImageError("The file does not exist.", "Check the path.", str(path)[:200]) from None
    name = path.name[:80]
    if not stat.S_ISREG(status.st_mode):
        raise ImageError("An image must be a regular file: this is a folder, pipe or device.", "Choose a file.", name)
    if status.st_size == 0:
        raise ImageError("The file is empty.", "Choose another image.", name)
    check_file_size(status.st_size, name)


def open_heif(content: bytes, name: str) -> Image.Image:
    """Open a photograph of a phone by pillow-heif, as Pillow has no decoder; refused if that is not installed."""
    try:
        from pillow_heif import HeifImageFile
    except ImportError:
        raise ImageError(
            f"An image must be {FORMAT_NAMES}: this is HEIC.",
            "Export it as JPEG (an iPhone takes JPEG with Settings > Camera > Formats > Most Compatible), or install "
            "pillow-heif.",
            name,
        ) from None
    image: Image.Image = HeifImageFile(io.BytesIO(content))
    return image


def check_tiff(image: Image.Image) -> None:
    """Check the compression and the tiles of a TIFF: a tile may be larger than the image, and is decoded whole."""
    if not isinstance(image, TiffImageFile):
        return
    compression = image.info.get("compression")
    if compression not in TIFF_COMPRESSIONS:
        raise ImageError(f"A TIFF must not use the compression {compression}.", "Save it as PNG.")
    width, height = (int(image.tag_v2.get(tag, 1)) for tag in TIFF_TILE)
    if 4 * width * height > MAX_DECODED_BYTES:
        raise too_many_pixels(f"a tile of {width} × {height}")


def check_file_size(size: int, name: str = "") -> None:
    """Check the size of an image file in bytes."""
    if size > MAX_BYTES:
        raise ImageError(
            f"An image may have at most {MAX_BYTES // 2**20} MiB: got {size / 2**20:.1f}.",
            "Save it smaller, for example as JPEG.",
            name,
        )


def check_pixels(image: Image.Image) -> None:
    """Check the size in pixels that the header of an image declares."""
    width, height = image.size
    got = f"{width} × {height}"
    if width * height == 0:
        raise ImageError(f"An image must not be empty: got {got}.", "Choose another image.")
    if width * height > MAX_PIXELS:
        raise too_many_pixels(got)
    if max(width, height) > MAX_SIDE:
        raise ImageError(f"An image may be at most {MAX_SIDE:,} pixels long: got {got}.", "Crop it.")


def check_memory_of(image: Image.Image) -> None:
    """Check the memory that decoding an image takes, by its header."""
    width, height = image.size
    kind = "progressive JPEG" if image.info.get("progressive") else image.format or ""
    needed = width * height * DECODED_BYTES.get(kind, DECODED_BYTES.get(image.mode, 4))
    if needed > MAX_DECODED_BYTES:
        limit = int(width * height / needed * MAX_DECODED_BYTES / 1e6)
        raise ImageError(
            f"A {kind} image like this may have at most {limit} million pixels: got {width} × {height}.",
            "Please resize it, or save it as a baseline JPEG.",
        )


def too_many_pixels(got: str) -> ImageError:
    """Return the error for an image with too many pixels."""
    return ImageError(
        f"An image may have at most {MAX_PIXELS // 1_000_000} million pixels: got {got}.", "Please resize it."
    )


def shrink(image: Image.Image) -> Image.Image:
    """Reduce a huge image by an integer factor, before anything copies it; return small images unchanged."""
    # Half the size of a huge but narrow image is still larger than the input of most models.
    factor = max(min(image.size) // PREVIEW_SIDE, math.ceil((image.width * image.height / HUGE_PIXELS) ** 0.5))
    if factor < 2:
        return image
    if image.mode in ("1", "P", "PA"):
        image = image.convert("L" if image.mode == "1" else "RGBA" if image.has_transparency_data else "RGB")
    return image.reduce(factor)


def to_rgb(image: Image.Image, reduces: bool) -> tuple[Image.Image, str]:
    """Convert a PIL image of any mode to RGB, upright, reduced by `shrink` if wanted, transparent pixels on white.

    `Image.convert("RGB")` would clip integers ("I;16" of 16-bit PNG files, and "I") and floats ("F") at 255.

    Returns:
        The image, a copy; and how its values were scaled, as of `to_uint8`.

    Raises:
        ImageError: If floats are out of range.
    """
    note, limits, method = "", None, TRANSPOSED.get(orientation(image))
    if image.mode.startswith("I"):
        image = image.convert("I")  # the kinds of "I;16" cannot be reduced
        limits = cast(tuple[float, float], image.getextrema())  # of all pixels: their mean may need fewer bits
    if reduces:
        image = shrink(image)
    if image.mode in ("I", "F"):
        levels, note = to_uint8(np.asarray(image), limits)
        image = Image.fromarray(levels)
    if method is not None:
        image = image.transpose(method)
    if image.has_transparency_data:
        image = image.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB"), note
    return image.convert("RGB"), note


def to_tensor(image: Image.Image) -> "Tensor":
    """Convert an RGB image to a uint8 tensor (3, H, W)."""
    import torch

    return torch.from_numpy(np.asarray(image).copy()).permute(2, 0, 1)
