"""Preprocessing of images: accepted formats and modes, limits, errors."""

import errno
import hashlib
import io
import os
import struct
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image, ImageFile

from tests import tiny
from vitviz.data import preprocessing
from vitviz.data.preprocessing import open_image, preprocess, to_tensor
from vitviz.errors import ImageError

UNREADABLE = "The file must be a complete PNG, JPEG, WebP, GIF, BMP or TIFF image: it cannot be decoded"
RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)


def encode(image: Image.Image, format: str = "PNG", **options) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format, **options)
    return buffer.getvalue()


def four_colors(width: int = 24, height: int = 16) -> Image.Image:
    """Draw four blocks, red and green above blue and white, to detect the orientation."""
    image = Image.new("RGB", (width, height), RED)
    image.paste(GREEN, (width // 2, 0, width, height // 2))
    image.paste(BLUE, (0, height // 2, width // 2, height))
    image.paste(WHITE, (width // 2, height // 2, width, height))
    return image


def corner_colors(image: Image.Image) -> list[tuple[int, ...]]:
    """Return the colors near the four corners, in reading order, each channel rounded to 0 or 255."""
    w, h = image.size
    positions = ((w // 4, h // 4), (3 * w // 4, h // 4), (w // 4, 3 * h // 4), (3 * w // 4, 3 * h // 4))
    return [tuple(255 * round(v / 255) for v in image.getpixel(position)) for position in positions]


@pytest.fixture
def open_bytes(tmp_path):
    """Write bytes to a file and open it with `open_image`."""

    def open_content(content: bytes, name: str = "image.png") -> Image.Image:
        path = tmp_path / name
        path.write_bytes(content)
        image, _, _ = open_image(path)
        assert image.mode == "RGB"
        return image

    return open_content


# Accepted images


@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF"])
def test_six_formats_are_accepted_under_any_file_name(open_bytes, format):
    image = open_bytes(encode(four_colors(), format), "image.txt")
    assert image.size == (24, 16)
    assert corner_colors(image) == [RED, GREEN, BLUE, WHITE]


def test_every_exif_orientation_is_applied(subtests, tmp_path):
    stored_as = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    for orientation in range(1, 9):
        stored = four_colors().transpose(stored_as[orientation]) if orientation > 1 else four_colors()
        for format in ("JPEG", "PNG", "WEBP"):
            with subtests.test(orientation=orientation, format=format):
                exif = Image.Exif()
                exif[0x0112] = orientation
                (tmp_path / "phone").write_bytes(encode(stored, format, exif=exif))
                image, size, _ = open_image(tmp_path / "phone")
                assert image.size == size == (24, 16)
                assert corner_colors(image) == [RED, GREEN, BLUE, WHITE]


def test_a_cmyk_jpeg_keeps_its_colors(open_bytes):
    assert corner_colors(open_bytes(encode(four_colors().convert("CMYK"), "JPEG"))) == [RED, GREEN, BLUE, WHITE]


def test_16_bit_gray_is_scaled_to_8_bits(open_bytes):
    shades = np.linspace(0, 65535, 256).astype(np.uint16).reshape(16, 16)
    image = np.asarray(open_bytes(encode(Image.fromarray(shades))))
    assert np.array_equal(image[..., 0], np.arange(256).reshape(16, 16))
    assert np.array_equal(image[..., 0], image[..., 2])


@pytest.mark.parametrize(
    ("levels", "brightest", "note"),
    [
        (np.array([[0, 51, 255]], np.int32), [0, 51, 255], "8-bit values"),
        (np.array([[0, 819, 4095]], np.uint16), [0, 51, 255], "12-bit values"),
        (np.array([[0, 1000, 65535]], np.uint16), [0, 4, 255], ""),
        (np.array([[-1000, 0, 3000]], np.int32), [0, 64, 255], "values -1000..3000 scaled to 0..255"),
        (np.array([[0, 100_000, 400_000]], np.int64), [0, 64, 255], "values 0..400000 scaled to 0..255"),
        (np.array([[0, 0.2, 1]], np.float32), [0, 51, 255], "values in 0..1"),
        (np.array([[0, 51.4, 255]], np.float64), [0, 51, 255], "values in 0..255"),
        (np.array([[False, True]]), [0, 255], ""),
    ],
)
def test_values_are_scaled_by_their_range(levels, brightest, note):
    image, _, found = open_image(levels)
    assert (np.asarray(image)[0, :, 0].tolist(), found) == (brightest, note)
    if levels.dtype in (np.int32, np.uint16, np.float32):
        assert open_image(Image.fromarray(levels))[2] == note


def test_every_layout_of_an_array_or_tensor_is_read():
    pixels = tiny.pixels()
    gray, first = pixels[..., 0], np.moveaxis(pixels, 2, 0)
    cases = (
        (pixels, pixels, ""),
        (first, pixels, "channels first"),
        (gray, gray[..., None], ""),
        (gray[..., None], gray[..., None], ""),
        (torch.tensor(first), pixels, ""),
        (torch.tensor(pixels), pixels, "channels last"),
        (torch.tensor(gray)[None], gray[..., None], ""),
        (torch.tensor(first, requires_grad=False).double() / 255, pixels, "values in 0..1"),
        ((torch.tensor(first) > 127).to(torch.bfloat16), 255 * (pixels > 127), "values in 0..1"),
    )
    for source, expected, note in cases:
        image, size, found = open_image(source)
        assert np.array_equal(np.asarray(image), np.broadcast_to(expected, pixels.shape))
        assert (size, found) == ((28, 20), note)


def test_files_in_memory_are_read_from_their_start_and_stay_as_they_are(tmp_path):
    content = encode(four_colors())
    (tmp_path / "a.png").write_bytes(content)
    file = io.BytesIO(content)
    file.seek(5)
    with (tmp_path / "a.png").open("rb") as opened_file:
        found = [preprocess(source, (16, 24)) for source in (file, content, opened_file, tmp_path / "a.png")]
    assert file.tell() == 5
    assert {one.sha256 for one in found} == {hashlib.sha256(content).hexdigest()}
    assert all(corner_colors(one.model_input) == [RED, GREEN, BLUE, WHITE] for one in found)
    with pytest.raises(ImageError):
        preprocess(io.StringIO("text"), (16, 24))


def unusual_metadata() -> dict[str, bytes]:
    """Return images with metadata that Pillow refuses or cannot write back, and the orientation 3."""
    rational = Image.Exif()
    rational[0x0112], rational[0x011A] = 3, 1.5
    exif = rational.tobytes()
    broken = exif.replace(struct.pack(">II", 3, 2), struct.pack(">II", 3, 0))
    turned = four_colors().transpose(Image.Transpose.ROTATE_180)
    png_file = encode(turned, exif=exif)
    text = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"a" * 50_000_000))
    profile = chunk(b"iCCP", b"icc\0\0" + zlib.compress(b"a" * 2_000_000))
    return {
        "zero denominator, JPEG": encode(turned, "JPEG", exif=broken),
        "zero denominator, PNG": encode(turned, exif=broken),
        "large text": png_file[:33] + text + png_file[33:],
        "large profile": png_file[:33] + profile + png_file[33:],
        "wrong checksum of a text": png_file[:33] + chunk(b"tEXt", b"a\0b")[:-1] + b"?" + png_file[33:],
    }


def test_unusual_metadata_refuses_no_image(open_bytes, subtests):
    for name, content in unusual_metadata().items():
        with subtests.test(name):
            assert corner_colors(open_bytes(content)) == [RED, GREEN, BLUE, WHITE]


def test_a_large_photograph_is_decoded_at_reduced_size(open_bytes, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1_000_000)  # of the process; not that of an image of vitviz
    monkeypatch.setattr(preprocessing, "MAX_DECODED_BYTES", 20_000_000)
    assert corner_colors(open_bytes(encode(four_colors(9000, 6000), "JPEG"))) == [RED, GREEN, BLUE, WHITE]
    for options in ({"format": "PNG"}, {"format": "JPEG", "progressive": True}):
        with pytest.raises(ImageError, match=r"may have at most [35] million pixels: got 9000 × 6000"):
            open_bytes(encode(four_colors(9000, 6000), **options))


def test_one_bright_pixel_does_not_change_the_others():
    levels = np.full((16, 16), 20_000, np.int32)
    before = np.asarray(open_image(Image.fromarray(levels))[0])
    levels[0, 0] = 65535
    after = np.asarray(open_image(Image.fromarray(levels))[0])
    assert (before == 78).all()
    assert after[0, 0, 0] == 255
    assert np.array_equal(after.reshape(-1, 3)[1:], before.reshape(-1, 3)[1:])


def test_float_images_are_rounded():
    levels = np.arange(256, dtype=np.float32).reshape(16, 16)
    levels[:, ::2] += 0.4
    levels[:, 1::2] -= 0.4
    image, _, _ = open_image(Image.fromarray(levels))
    assert np.array_equal(np.asarray(image)[..., 0], np.arange(256).reshape(16, 16))


def test_the_error_contains_problem_hint_and_file(tmp_path):
    (tmp_path / "a.png").write_bytes(b"")
    with pytest.raises(ImageError) as error:
        open_image(tmp_path / "a.png")
    assert (error.value.problem, error.value.file) == ("The file is empty.", "a.png")
    assert error.value.reason == f"The file is empty. {error.value.hint}"
    assert str(error.value) == f"'a.png': {error.value.reason}"


def test_8_bit_gray_is_unchanged(open_bytes):
    shades = np.arange(256, dtype=np.uint8).reshape(16, 16)
    assert np.array_equal(np.asarray(open_bytes(encode(Image.fromarray(shades))))[..., 1], shades)


def test_a_bilevel_image_is_black_and_white(open_bytes):
    image = Image.new("1", (2, 1))
    image.putpixel((1, 0), 1)
    assert np.asarray(open_bytes(encode(image))).tolist() == [[[0, 0, 0], [255, 255, 255]]]


def test_transparent_pixels_become_white(open_bytes):
    pixels = np.array([[[255, 0, 0, 255], [255, 0, 0, 0], [0, 0, 0, 128]]], np.uint8)
    found = np.asarray(open_bytes(encode(Image.fromarray(pixels))))
    assert found.tolist() == [[[255, 0, 0], [255, 255, 255], [127, 127, 127]]]


def test_gray_with_alpha_becomes_white_where_transparent(open_bytes):
    pixels = np.array([[[40, 255], [40, 0]]], np.uint8)
    found = np.asarray(open_bytes(encode(Image.fromarray(pixels))))
    assert found.tolist() == [[[40] * 3, [255] * 3]]


@pytest.mark.parametrize("format", ["PNG", "GIF"])
def test_a_transparent_palette_color_becomes_white(open_bytes, format):
    image = Image.new("P", (2, 1))
    image.putpalette([10, 20, 30, 200, 100, 50])
    image.putpixel((1, 0), 1)
    found = np.asarray(open_bytes(encode(image, format, transparency=0)))
    assert found.tolist() == [[[255, 255, 255], [200, 100, 50]]]


@pytest.mark.parametrize("format", ["GIF", "PNG", "WEBP"])
def test_the_first_frame_of_an_animation_is_used(open_bytes, format):
    frames = [Image.new("RGB", (8, 8), color) for color in (RED, GREEN, BLUE)]
    image = open_bytes(encode(frames[0], format, save_all=True, append_images=frames[1:], lossless=True))
    assert set(corner_colors(image)) == {RED}


@pytest.mark.parametrize("size", [(1, 1), (1, 500), (500, 1), (1, 5000)])
def test_tiny_and_narrow_images_are_accepted(tmp_path, size):
    (tmp_path / "thin.png").write_bytes(encode(Image.new("RGB", size, GREEN)))
    image = preprocess(tmp_path / "thin.png", (20, 28))
    assert image.model_input.size == (28, 20)
    assert np.asarray(image.model_input).reshape(-1, 3).tolist() == [list(GREEN)] * 560


def test_the_note_of_a_large_jpeg_has_its_original_size(tmp_path):
    (tmp_path / "large.jpg").write_bytes(encode(four_colors(4800, 3200), "JPEG"))
    image = preprocess(tmp_path / "large.jpg", (32, 32))
    assert image.original.size == (1024, 683)
    assert image.note == "cropped to a square, resized from 4800 × 3200 to 32 × 32"


# Cropping and resizing


def test_the_model_input_is_a_center_crop():
    image = preprocess(four_colors(24, 8), (8, 8))  # the middle 8 columns
    assert corner_colors(image.model_input) == [RED, GREEN, BLUE, WHITE]
    assert image.note == "cropped to a square, resized from 24 × 8 to 8 × 8"


def test_an_image_of_the_right_size_is_unchanged():
    pixels = tiny.pixels()
    image = preprocess(pixels, (20, 28))
    assert np.array_equal(np.asarray(image.model_input), pixels)
    assert image.note == "original size, 28 × 20"


@pytest.mark.parametrize(
    ("size", "note"),
    [
        ((56, 40), "resized from 56 × 40 to 28 × 20"),
        ((14, 10), "resized from 14 × 10 to 28 × 20"),
        ((40, 40), "cropped to 28:20, resized from 40 × 40 to 28 × 20"),
        ((28, 40), "cropped to 28:20, resized from 28 × 40 to 28 × 20"),
    ],
)
def test_the_note_describes_the_steps(size, note):
    assert preprocess(Image.new("RGB", size), (20, 28)).note == note


def exif_rotated_180() -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = 3
    return exif


def with_transparent_corner(image: Image.Image) -> Image.Image:
    """Return the image with its red block transparent."""
    image = image.convert("RGBA")
    image.paste((0, 0, 0, 0), (0, 0, image.width // 2, image.height // 2))
    return image


@pytest.mark.parametrize(
    ("huge", "options", "expected"),
    [
        (four_colors(96, 64), {}, [RED, GREEN, BLUE, WHITE]),
        (with_transparent_corner(four_colors(96, 64)), {}, [WHITE, GREEN, BLUE, WHITE]),
        (with_transparent_corner(four_colors(96, 64)).quantize(8), {}, [WHITE, GREEN, BLUE, WHITE]),
        (four_colors(96, 64), {"exif": exif_rotated_180()}, [WHITE, BLUE, GREEN, RED]),
        (Image.fromarray(np.full((64, 96), 257 * 200, np.uint16)), {}, [WHITE] * 4),
        (Image.fromarray(np.full((64, 96), 200, np.uint16)), {}, [WHITE] * 4),
        (Image.fromarray(np.full((64, 96), 257 * 100, np.uint16)), {}, [(0, 0, 0)] * 4),
    ],
    ids=["RGB", "RGBA", "palette", "EXIF rotation", "light 16-bit", "8-bit in 16-bit", "dark 16-bit"],
)
def test_a_huge_image_is_reduced_before_it_is_copied(tmp_path, monkeypatch, huge, options, expected):
    monkeypatch.setattr(preprocessing, "PREVIEW_SIDE", 16)
    path = tmp_path / "huge.png"
    path.write_bytes(encode(huge, **options))
    image, size, _ = open_image(path)
    assert size == (96, 64)
    assert image.size == (24, 16)
    assert corner_colors(image) == expected


@pytest.mark.parametrize("value", [1.5, np.nan, np.inf, -1.0, 256.0])
def test_floats_of_no_known_range_are_rejected(value):
    image = Image.fromarray(np.full((8, 8), value, np.float32))
    with pytest.raises(ImageError, match=r"must have values in 0\.\.1, or in 0\.\.255: got .* normalized=True"):
        preprocess(image, (8, 8))


def test_a_pil_image_of_any_mode_is_accepted_and_unchanged(subtests):
    for mode in ("RGB", "RGBA", "L", "LA", "P", "1", "CMYK", "I;16", "I", "F", "YCbCr", "HSV", "LAB"):
        with subtests.test(mode=mode):
            image = Image.new(mode, (2000, 1400))
            before = image.tobytes()
            preprocessed = preprocess(image, (20, 28))
            assert preprocessed.model_input.mode == preprocessed.original.mode == "RGB"
            assert preprocessed.model_input.size == (28, 20)
            assert image.size == (2000, 1400)
            assert image.tobytes() == before


def test_an_array_may_be_gray_or_have_alpha():
    pixels = tiny.pixels()
    gray = preprocess(pixels[..., 0], (20, 28)).model_input
    assert np.array_equal(np.asarray(gray), np.repeat(pixels[..., :1], 3, -1))
    transparent = preprocess(np.dstack([pixels, np.zeros((20, 28), np.uint8)]), (20, 28)).model_input
    assert (np.asarray(transparent) == 255).all()


def test_a_tensor_has_channels_first():
    pixels = tiny.pixels()
    tensor = to_tensor(Image.fromarray(pixels))
    assert tensor.shape == (3, 20, 28)
    assert np.array_equal(tensor.permute(1, 2, 0).numpy(), pixels)
    tensor.zero_()  # owns its memory: writing raises no warning


# Rejected images


def chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(width: int, height: int, *chunks: bytes) -> bytes:
    """Make a PNG whose header declares this size, with a few bytes of data."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunks) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@pytest.mark.parametrize("side", [20_001, 60_000])
def test_a_header_with_too_many_pixels_is_rejected_without_decoding(open_bytes, monkeypatch, side):
    monkeypatch.setattr(preprocessing, "to_rgb", lambda *_: pytest.fail("decoded"))
    with pytest.raises(ImageError, match=f"at most 400 million pixels: got {side} × {side}"):
        open_bytes(png(side, side))


def test_an_image_in_memory_with_too_many_pixels_is_rejected(monkeypatch):
    monkeypatch.setattr(preprocessing, "MAX_PIXELS", 1_000_000)
    with pytest.raises(ImageError):
        preprocess(Image.new("1", (2000, 1000)), (32, 32))


def test_a_file_above_100_mib_is_rejected_without_reading(tmp_path, monkeypatch):
    path = tmp_path / "big.png"
    path.write_bytes(encode(four_colors()))
    os.truncate(path, 101 * 2**20)
    monkeypatch.setattr(Path, "open", lambda *args, **kwargs: pytest.fail("read"))
    with pytest.raises(ImageError):
        open_image(path)


def test_a_file_without_permission_is_rejected(tmp_path, monkeypatch):
    path = tmp_path / "image.png"
    path.write_bytes(encode(four_colors()))

    def refuse(self, *_):
        raise PermissionError(errno.EACCES, "Permission denied", str(self))  # the mode would not stop root

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ImageError, match=r"'image\.png': The file cannot be opened: Permission denied\. Check its"):
        open_image(path)


@pytest.mark.parametrize("name", ["nowhere.png", "no\0name.png", "x" * 9000, "", "../../../../nowhere/../nothing"])
def test_a_path_without_a_file_is_rejected(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ImageError):
        open_image(name)


@pytest.mark.parametrize(
    ("array", "got"),
    [
        (np.zeros((4, 4, 3), complex), r"got complex128 of shape \(4, 4, 3\)"),
        (np.zeros((5, 20, 28), np.uint8), r"got uint8 of shape \(5, 20, 28\)"),
        (np.zeros((4, 4, 3, 1), np.uint8), r"got uint8 of shape \(4, 4, 3, 1\)"),
        (np.zeros(4, np.uint8), r"got uint8 of shape \(4,\)"),
        (np.zeros((0, 4, 3), np.uint8), r"must not be empty: got uint8 of shape \(0, 4, 3\)"),
    ],
)
def test_an_array_of_the_wrong_dtype_or_shape_is_rejected(array, got):
    with pytest.raises(ImageError, match=got):
        preprocess(array, (32, 32))


def test_an_image_without_pixels_is_rejected():
    with pytest.raises(ImageError):
        preprocess(Image.new("RGB", (0, 5)), (32, 32))


def test_huge_images_of_any_format_are_decoded_one_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(preprocessing, "HUGE_PIXELS", 100)
    real = ImageFile.ImageFile.load
    is_locked: list[bool] = []

    def load(image):
        is_locked.append(preprocessing.huge_image_lock.locked())
        return real(image)

    monkeypatch.setattr(ImageFile.ImageFile, "load", load)
    for suffix in ("png", "jpg", "webp", "gif", "bmp"):
        path = tmp_path / f"huge.{suffix}"
        four_colors().save(path)
        open_image(path)
    assert is_locked
    assert all(is_locked)


# The position of the crop


@pytest.mark.parametrize(("crop", "left"), [(0, 0), (0.25, 4), (0.5, 8), (1, 16)])
def test_a_crop_can_be_moved_along_the_longer_side(crop, left):
    pixels = tiny.pixels(8, 24)
    found = preprocess(pixels, (8, 8), crop)
    assert np.array_equal(np.asarray(found.model_input), pixels[:, left : left + 8])
    tall = preprocess(pixels.transpose(1, 0, 2), (8, 8), crop)
    assert np.array_equal(np.asarray(tall.model_input), pixels[:, left : left + 8].transpose(1, 0, 2))


@pytest.mark.parametrize(
    ("crop", "note"),
    [
        (0.5, "cropped to a square, resized"),
        (0, "cropped to a square on the left, resized"),
        (1, "cropped to a square on the right, resized"),
        (0.2, "cropped to a square at 20 % from the left, resized"),
    ],
)
def test_the_note_names_the_position_of_the_crop(crop, note):
    assert preprocess(tiny.pixels(20, 40), (8, 8), crop).note == f"{note} from 40 × 20 to 8 × 8"


def test_a_tall_image_is_cropped_from_the_top():
    assert preprocess(tiny.pixels(40, 20), (8, 8), 0).note.startswith("cropped to a square at the top, ")


@pytest.mark.parametrize("crop", [-0.1, 1.1, float("nan")])
def test_a_crop_outside_of_the_image_is_refused(crop):
    with pytest.raises(ImageError):
        preprocess(tiny.pixels(), (8, 8), crop)


# TIFF and HEIC


@pytest.mark.parametrize("compression", ["raw", "packbits", "tiff_lzw", "tiff_adobe_deflate", "jpeg"])
def test_a_tiff_of_the_usual_compressions_is_accepted(open_bytes, compression):
    buffer = io.BytesIO()
    four_colors().save(buffer, "TIFF", compression=compression)
    assert open_bytes(buffer.getvalue()).size == (24, 16)


def test_the_first_page_of_a_tiff_is_used(open_bytes):
    buffer = io.BytesIO()
    pages = [Image.new("RGB", (24, 16), color) for color in (RED, BLUE)]
    pages[0].save(buffer, "TIFF", save_all=True, append_images=pages[1:])
    assert corner_colors(open_bytes(buffer.getvalue())) == [RED] * 4


def test_a_tiff_of_another_compression_is_refused(open_bytes):
    buffer = io.BytesIO()
    four_colors().convert("1").save(buffer, "TIFF", compression="group4")
    with pytest.raises(ImageError):
        open_bytes(buffer.getvalue())


def test_a_tiff_with_a_huge_tile_is_refused_before_it_is_decoded(open_bytes):
    values = {256: 16, 257: 16, 258: 8, 259: 8, 262: 1, 277: 1, 322: 32768, 323: 32768, 324: 200, 325: 8}
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in values.items())
    content = b"II*\0" + struct.pack("<IH", 8, len(values)) + entries + bytes(4)
    with pytest.raises(ImageError, match="got a tile of 32768 × 32768"):
        open_bytes(content.ljust(208, b"\0"))


@pytest.mark.parametrize("brand", [b"heic", b"heix", b"mif1"])
def test_a_heic_photograph_is_refused_with_the_way_to_convert_it(open_bytes, brand, monkeypatch):
    monkeypatch.setitem(sys.modules, "pillow_heif", None)  # not installed
    with pytest.raises(ImageError):
        open_bytes(b"\0\0\0\x18ftyp" + brand + bytes(100), "IMG_1.png")


def test_a_heic_photograph_is_opened_by_pillow_heif(open_bytes):
    heif = pytest.importorskip("pillow_heif")
    buffer = io.BytesIO()
    large = four_colors().resize((240, 160), Image.Resampling.NEAREST)
    heif.from_pillow(large).save(buffer, quality=-1)
    found = open_bytes(buffer.getvalue())
    assert found.size == (240, 160)
    for color, expected in zip(corner_colors(found), corner_colors(large), strict=True):
        np.testing.assert_allclose(color, expected, atol=16)
    for content in (buffer.getvalue()[:-200], buffer.getvalue()[:60]):
        with pytest.raises(ImageError, match="cannot be decoded"):
            open_bytes(content)
