"""The gate for images: what is accepted comes out upright, in RGB and in its own shades; the rest gets a sentence."""

import io
import os
import struct
import zlib

import numpy as np
import pytest
from PIL import Image, ImageFile

from tests import tiny
from vitviz.data import preprocessing
from vitviz.data.preprocessing import ImageError, open_image, prepare, to_tensor

UNREADABLE = "The file must be a whole PNG, JPEG, WebP, GIF or BMP image: .* cannot be read as one"
RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)


def encoded(image: Image.Image, form: str = "PNG", **options) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


def corners(width: int = 24, height: int = 16) -> Image.Image:
    """Four blocks of colour that tell how an image was turned: red, green above blue, white."""
    image = Image.new("RGB", (width, height), RED)
    image.paste(GREEN, (width // 2, 0, width, height // 2))
    image.paste(BLUE, (0, height // 2, width // 2, height))
    image.paste(WHITE, (width // 2, height // 2, width, height))
    return image


def corner_colours(image: Image.Image) -> list[tuple[int, ...]]:
    """Colours near the four corners, in reading order, each channel rounded to 0 or 255."""
    w, h = image.size
    places = ((w // 4, h // 4), (3 * w // 4, h // 4), (w // 4, 3 * h // 4), (3 * w // 4, 3 * h // 4))
    return [tuple(255 * round(v / 255) for v in image.getpixel(place)) for place in places]


@pytest.fixture
def opened(tmp_path):
    """Open an image of these bytes through the gate."""

    def check(content: bytes, name: str = "image.png") -> Image.Image:
        path = tmp_path / name
        path.write_bytes(content)
        image, _ = open_image(path)
        assert image.mode == "RGB"
        return image

    return check


# What is accepted


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF", "BMP"])
def test_five_formats_are_accepted_whatever_the_name_says(opened, form):
    image = opened(encoded(corners(), form), "image.txt")
    assert image.size == (24, 16)
    assert corner_colours(image) == [RED, GREEN, BLUE, WHITE]


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_exif_orientation_comes_out_upright(tmp_path, orientation, form):
    turn = Image.Transpose
    stored_as = {
        2: turn.FLIP_LEFT_RIGHT,
        3: turn.ROTATE_180,
        4: turn.FLIP_TOP_BOTTOM,
        5: turn.TRANSPOSE,
        6: turn.ROTATE_90,
        7: turn.TRANSVERSE,
        8: turn.ROTATE_270,
    }
    stored = corners().transpose(stored_as[orientation]) if orientation > 1 else corners()
    exif = Image.Exif()
    exif[0x0112] = orientation
    (tmp_path / "phone").write_bytes(encoded(stored, form, exif=exif))
    image, size = open_image(tmp_path / "phone")
    assert image.size == size == (24, 16)
    assert corner_colours(image) == [RED, GREEN, BLUE, WHITE]


@pytest.mark.parametrize("orientation", [0, 9, 60000])
def test_an_exif_orientation_that_does_not_exist_is_ignored(tmp_path, orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    (tmp_path / "phone").write_bytes(encoded(corners(), "JPEG", exif=exif))
    image, size = open_image(tmp_path / "phone")
    assert image.size == size == (24, 16)


def test_a_cmyk_jpeg_keeps_its_colours(opened):
    assert corner_colours(opened(encoded(corners().convert("CMYK"), "JPEG"))) == [RED, GREEN, BLUE, WHITE]


def test_sixteen_bit_grey_keeps_its_shades(opened):
    shades = np.linspace(0, 65535, 256).astype(np.uint16).reshape(16, 16)
    image = np.asarray(opened(encoded(Image.fromarray(shades))))
    assert np.array_equal(image[..., 0], np.arange(256).reshape(16, 16))
    assert np.array_equal(image[..., 0], image[..., 2])


def test_grey_stays_grey(opened):
    shades = np.arange(256, dtype=np.uint8).reshape(16, 16)
    assert np.array_equal(np.asarray(opened(encoded(Image.fromarray(shades))))[..., 1], shades)


def test_one_bit_is_black_and_white(opened):
    image = Image.new("1", (2, 1))
    image.putpixel((1, 0), 1)
    assert np.asarray(opened(encoded(image))).tolist() == [[[0, 0, 0], [255, 255, 255]]]


def test_transparency_lies_on_white(opened):
    pixels = np.array([[[255, 0, 0, 255], [255, 0, 0, 0], [0, 0, 0, 128]]], np.uint8)
    found = np.asarray(opened(encoded(Image.fromarray(pixels))))
    assert found.tolist() == [[[255, 0, 0], [255, 255, 255], [127, 127, 127]]]


def test_grey_with_alpha_lies_on_white(opened):
    pixels = np.array([[[40, 255], [40, 0]]], np.uint8)
    found = np.asarray(opened(encoded(Image.fromarray(pixels))))
    assert found.tolist() == [[[40] * 3, [255] * 3]]


@pytest.mark.parametrize("form", ["PNG", "GIF"])
def test_a_transparent_palette_colour_lies_on_white(opened, form):
    image = Image.new("P", (2, 1))
    image.putpalette([10, 20, 30, 200, 100, 50])
    image.putpixel((1, 0), 1)
    found = np.asarray(opened(encoded(image, form, transparency=0)))
    assert found.tolist() == [[[255, 255, 255], [200, 100, 50]]]


@pytest.mark.parametrize("form", ["GIF", "PNG", "WEBP"])
def test_the_first_frame_of_an_animation_is_taken(opened, form):
    frames = [Image.new("RGB", (8, 8), colour) for colour in (RED, GREEN, BLUE)]
    image = opened(encoded(frames[0], form, save_all=True, append_images=frames[1:], lossless=True))
    assert set(corner_colours(image)) == {RED}


@pytest.mark.parametrize("size", [(1, 1), (1, 500), (500, 1), (1, 5000)])
def test_the_smallest_and_the_longest_images_can_be_seen(tmp_path, size):
    (tmp_path / "thin.png").write_bytes(encoded(Image.new("RGB", size, GREEN)))
    image = prepare(tmp_path / "thin.png", (20, 28))
    assert image.seen.size == (28, 20)
    assert np.asarray(image.seen).reshape(-1, 3).tolist() == [list(GREEN)] * 560


@pytest.mark.parametrize(
    "name", ["Hündin im Schnee.png", 'it\'s "quoted" <b>.png', "-rf.png", "%2e%2e.png", "x" * 251 + ".png"]
)
def test_odd_names_are_just_names(opened, name):
    assert opened(encoded(corners()), name).size == (24, 16)


def test_a_large_jpeg_is_decoded_small_and_described_by_its_own_size(tmp_path):
    (tmp_path / "large.jpg").write_bytes(encoded(corners(4800, 3200), "JPEG"))
    image = prepare(tmp_path / "large.jpg", (32, 32))
    assert image.original.size == (1024, 683)
    assert image.note == "cropped to a square, shrunk from 4800 × 3200 to 32 × 32"


# Fitting to the model


def test_what_the_model_sees_is_cropped_at_the_middle():
    image = prepare(corners(24, 8), (8, 8))  # the middle 8 columns
    assert corner_colours(image.seen) == [RED, GREEN, BLUE, WHITE]
    assert image.note == "cropped to a square, shrunk from 24 × 8 to 8 × 8"


def test_a_image_of_the_right_size_is_left_as_it_is():
    pixels = tiny.pixels()
    image = prepare(pixels, (20, 28))
    assert np.array_equal(np.asarray(image.seen), pixels)
    assert image.note == "as it is, 28 × 20"


@pytest.mark.parametrize(
    ("size", "note"),
    [
        ((56, 40), "shrunk from 56 × 40 to 28 × 20"),
        ((14, 10), "resized from 14 × 10 to 28 × 20"),
        ((40, 40), "cropped to 28:20, shrunk from 40 × 40 to 28 × 20"),
        ((28, 40), "cropped to 28:20, shrunk from 28 × 40 to 28 × 20"),
    ],
)
def test_the_note_says_what_was_done(size, note):
    assert prepare(Image.new("RGB", size), (20, 28)).note == note


def upside_down() -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = 3
    return exif


def with_clear_corner(image: Image.Image) -> Image.Image:
    """The same with its red block made invisible."""
    image = image.convert("RGBA")
    image.paste((0, 0, 0, 0), (0, 0, image.width // 2, image.height // 2))
    return image


@pytest.mark.parametrize(
    ("huge", "options", "expected"),
    [
        (corners(96, 64), {}, [RED, GREEN, BLUE, WHITE]),
        (with_clear_corner(corners(96, 64)), {}, [WHITE, GREEN, BLUE, WHITE]),
        (with_clear_corner(corners(96, 64)).quantize(8), {}, [WHITE, GREEN, BLUE, WHITE]),
        (corners(96, 64), {"exif": upside_down()}, [WHITE, BLUE, GREEN, RED]),
        (Image.fromarray(np.full((64, 96), 257 * 200, np.uint16)), {}, [WHITE] * 4),
        (Image.fromarray(np.full((64, 96), 200, np.uint16)), {}, [WHITE] * 4),
        (Image.fromarray(np.full((64, 96), 257 * 100, np.uint16)), {}, [(0, 0, 0)] * 4),
    ],
    ids=["RGB", "RGBA", "palette", "turned", "light 16-bit", "small 16-bit", "dark 16-bit"],
)
def test_a_huge_image_is_shrunk_before_anything_copies_it(tmp_path, monkeypatch, huge, options, expected):
    monkeypatch.setattr(preprocessing, "PREVIEW_SIDE", 16)
    path = tmp_path / "huge.png"
    path.write_bytes(encoded(huge, **options))
    image, size = open_image(path)
    assert size == (96, 64)
    assert image.size == (24, 16)
    assert corner_colours(image) == expected


@pytest.mark.parametrize("value", [0.5, 1.0, np.nan, np.inf])
def test_decimal_numbers_up_to_1_or_none_at_all_are_refused(value):
    image = Image.fromarray(np.full((8, 8), value, np.float32))
    with pytest.raises(ImageError, match=r"must hold finite ones from 0 to 255: got .* Multiply 0\.\.1 values by 255"):
        preprocessing.prepare(image, (8, 8))


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "LA", "P", "1", "CMYK", "I;16", "I", "F", "YCbCr", "HSV", "LAB"])
def test_a_pil_image_of_any_mode_is_accepted_and_not_altered(mode):
    image = Image.new(mode, (2000, 1400))
    before = image.tobytes()
    prepared = prepare(image, (20, 28))
    assert prepared.seen.mode == prepared.original.mode == "RGB"
    assert prepared.seen.size == (28, 20)
    assert image.size == (2000, 1400)
    assert image.tobytes() == before


def test_an_array_may_be_grey_or_carry_alpha():
    pixels = tiny.pixels()
    grey = prepare(pixels[..., 0], (20, 28)).seen
    assert np.array_equal(np.asarray(grey), np.repeat(pixels[..., :1], 3, -1))
    clear = prepare(np.dstack([pixels, np.zeros((20, 28), np.uint8)]), (20, 28)).seen
    assert (np.asarray(clear) == 255).all()


def test_a_tensor_has_channels_first():
    pixels = tiny.pixels()
    tensor = to_tensor(Image.fromarray(pixels))
    assert tensor.shape == (3, 20, 28)
    assert np.array_equal(tensor.permute(1, 2, 0).numpy(), pixels)
    tensor.zero_()  # its memory is its own: writing raises no warning and reaches no image


# What is refused


@pytest.mark.parametrize(
    "content",
    [
        b"This is a text, not an image.",
        b"<!doctype html><img src=x onerror=alert(1)>",
        b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>',
        b"GIF89a",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0",
        b"RIFF\x04\0\0\0WEBP",
        b"BM",
        b"\0" * 100,
    ],
    ids=["text", "html", "svg", "gif", "png", "jpeg", "webp", "bmp", "zeros"],
)
def test_what_is_no_image_is_refused(opened, content):
    with pytest.raises(ImageError, match=UNREADABLE + r"\. Open it in an image program and save it again as PNG"):
        opened(content)


@pytest.mark.parametrize("form", ["TIFF", "ICO", "PPM", "TGA", "PCX", "SGI", "JPEG2000", "PDF", "EPS", "DDS", "ICNS"])
def test_other_formats_are_refused_under_a_known_name(opened, form):
    content = encoded(corners(32, 32), form)
    if form not in ("PDF", "TGA"):
        Image.open(io.BytesIO(content)).close()  # Pillow itself would open it
    with pytest.raises(ImageError, match=UNREADABLE):
        opened(content)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF", "BMP"])
@pytest.mark.parametrize("share", [0.05, 0.5, 0.9])
def test_a_truncated_image_is_refused(opened, form, share):
    content = encoded(Image.fromarray(tiny.pixels(64, 64)), form)
    with pytest.raises(ImageError, match=UNREADABLE):
        opened(content[: int(share * len(content))])


def test_an_empty_file_is_refused(opened):
    with pytest.raises(ImageError, match=r"An image must hold something: 'image\.png' is empty\. Choose another image"):
        opened(b"")


def chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(width: int, height: int, *chunks: bytes) -> bytes:
    """A PNG whose header promises this size and whose data are a few bytes."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunks) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("side", "came"),
    [(7072, "7072 × 7072"), (9000, "9000 × 9000"), (10_000, "far more|10000 × 10000"), (60_000, "far more")],
)
def test_a_header_that_promises_too_many_pixels_is_refused_undecoded(opened, monkeypatch, side, came):
    monkeypatch.setattr(preprocessing, "to_rgb", lambda image: pytest.fail("it was decoded"))
    with pytest.raises(ImageError, match=f"at most 50 million pixels: this one has ({came})"):
        opened(png(side, side))


def test_a_compressed_text_that_unpacks_to_a_flood_is_refused(opened):
    flood = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"a" * 50_000_000))
    with pytest.raises(ImageError, match=UNREADABLE):
        opened(png(8, 8, flood))


def test_an_image_in_memory_with_too_many_pixels_is_refused(monkeypatch):
    monkeypatch.setattr(preprocessing, "MOST_PIXELS", 1_000_000)
    with pytest.raises(ImageError, match="at most 1 million pixels: this one has 2000 × 1000"):
        prepare(Image.new("1", (2000, 1000)), (32, 32))


def test_a_file_above_20_mib_is_refused_unread(tmp_path, monkeypatch):
    path = tmp_path / "big.png"
    path.write_bytes(encoded(corners()))
    os.truncate(path, 21 * 2**20)
    monkeypatch.setattr(Image, "open", lambda *given, **named: pytest.fail("it was read"))
    with pytest.raises(ImageError, match=r"at most 20 MiB: this one has 21\.0\. Save it smaller, as JPEG"):
        open_image(path)


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(ImageError, match=r"An image must be a file: .* is something else"):
        open_image(tmp_path)


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path):
    os.mkfifo(tmp_path / "pipe.png")
    with pytest.raises(ImageError, match=r"An image must be a file: 'pipe\.png' is something else"):
        open_image(tmp_path / "pipe.png")


def test_a_device_is_refused():
    with pytest.raises(ImageError, match="An image must be a file: 'zero' is something else"):
        open_image("/dev/zero")


@pytest.mark.parametrize("name", ["nowhere.png", "no\0name.png", "x" * 9000, "", "../../../../nowhere/../nothing"])
def test_a_name_without_a_image_is_refused(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ImageError, match=r"There is no image at|An image must be a file"):
        open_image(name)


@pytest.mark.parametrize(
    ("array", "came"),
    [
        (np.zeros((4, 4, 3)), r"got float64 of shape \(4, 4, 3\)\. Multiply 0\.\.1 values by 255 and convert"),
        (np.zeros((3, 20, 28), np.uint8), r"got uint8 of shape \(3, 20, 28\)"),
        (np.zeros((4, 4, 3, 1), np.uint8), r"got uint8 of shape \(4, 4, 3, 1\)"),
        (np.zeros(4, np.uint8), r"got uint8 of shape \(4,\)"),
        (np.zeros((0, 4, 3), np.uint8), r"must hold pixels: got shape \(0, 4, 3\)"),
    ],
)
def test_an_array_of_a_wrong_kind_is_refused(array, came):
    with pytest.raises(ImageError, match=came):
        prepare(array, (32, 32))


def test_an_image_without_pixels_is_refused():
    with pytest.raises(ImageError, match="An image must hold pixels: this one has 0 × 5"):
        prepare(Image.new("RGB", (0, 5)), (32, 32))


def test_huge_images_are_decoded_one_at_a_time_whatever_their_format(tmp_path, monkeypatch):
    monkeypatch.setattr(preprocessing, "HUGE_PIXELS", 100)
    real = ImageFile.ImageFile.load
    held: list[bool] = []

    def load(image):
        held.append(preprocessing.one_huge_at_a_time.locked())
        return real(image)

    monkeypatch.setattr(ImageFile.ImageFile, "load", load)
    for ending in ("png", "jpg", "webp", "gif", "bmp"):
        path = tmp_path / f"huge.{ending}"
        corners().save(path)
        open_image(path)
    assert held
    assert all(held)
