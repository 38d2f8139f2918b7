"""Unusual valid images, and malformed or malicious files under image names."""

import io
import os
import pickle
import socket
import struct
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image, PngImagePlugin

from tests.hostile.entries import Content, Entry
from tests.hostile.payloads import Payload

UNREADABLE = "must be a complete PNG, JPEG, WebP, GIF, BMP or TIFF image: it cannot be decoded"
TOO_MANY = "may have at most .* million pixels"
SCRIPT = "<script>window.__pwned=1</script>"
IMG = "<img src=x onerror=window.__pwned=1>"
NAMES = [
    "🐈 chat noir.png",
    "two  spaces.png",
    'it\'s "quoted".png',
    f"{IMG}.png",
    "${window.__pwned=1}.png",
    "{{constructor.constructor('window.__pwned=1')()}}.png",
    "a" * 251 + ".png",
    "\u202egnp.exe",
    "con.png",
    "-rf.png",
    ".png",
    "a;touch PWNED.png",
    "$(touch PWNED).png",
    "%2e%2e%2fPWNED.png",
    "line\nbreak.png",
    "name.svg",
    "name.html",
    "name.safetensors",
]


def noise(height: int = 24, width: int = 32, channels: int = 3) -> np.ndarray:
    shape = (height, width, channels) if channels > 1 else (height, width)
    return np.random.default_rng(0).integers(0, 256, shape, np.uint8)


def encoded(image: Image.Image, form: str, **options) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(*parts: bytes, width: int = 8, height: int = 8, depth: int = 8, color: int = 0, interlaced: int = 0) -> bytes:
    """Make a PNG of these chunks after its header."""
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(parts) + chunk(b"IEND", b"")


def zeros(count: int) -> bytes:
    """Compress `count` zero bytes."""
    compressor = zlib.compressobj(9)
    block = bytes(2**20)
    packed = [compressor.compress(block) for _ in range(count // len(block))]
    return b"".join([*packed, compressor.compress(bytes(count % len(block))), compressor.flush()])


def blank_png(width: int, height: int, depth: int = 1, color: int = 0, **options) -> bytes:
    """Make a PNG whose pixels are all zero."""
    bits = depth * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
    palette = chunk(b"PLTE", bytes(6)) if color == 3 else b""
    line = 1 + (width * bits + 7) // 8
    return png(
        palette, chunk(b"IDAT", zeros(line * height)), width=width, height=height, depth=depth, color=color, **options
    )


def exif(orientation: int, **more: str) -> Image.Exif:
    found = Image.Exif()
    found[0x0112] = orientation
    for tag, text in more.items():
        found[int(tag.lstrip("t"))] = text
    return found


def large(form: str, mode: str, width: int, height: int, **options) -> Content:
    """Return a function that saves a large image of one color."""

    def make(path: Path) -> None:
        Image.new(mode, (width, height)).save(path, form, **options)

    return make


def accepted() -> list[tuple[str, Content]]:
    """Images that must be accepted."""
    image, gray = Image.fromarray(noise()), Image.fromarray(noise(channels=1))
    alpha = Image.fromarray(noise(channels=4))
    frames = [Image.fromarray(np.roll(noise(), k, 0)) for k in range(3)]
    palette = image.quantize(16)
    profile = encoded(image, "JPEG", icc_profile=b"\0" * 128)
    text = PngImagePlugin.PngInfo()
    for key in ("Title", "Comment", "Software"):
        text.add_text(key, IMG)
    text.add_itxt("Author", SCRIPT)
    phone = encoded(image, "MPO", save_all=True, append_images=[image])
    found: list[tuple[str, Content]] = [
        *((f"exif {form} {k}", encoded(image, form, exif=exif(k))) for form in ("JPEG", "PNG", "WEBP") for k in (1, 3, 6, 8)),
        *((f"exif JPEG {k}", encoded(image, "JPEG", exif=exif(k))) for k in (2, 4, 5, 7, 0, 9, 60000)),
        *((f"plain {form}", encoded(image, form)) for form in ("PNG", "JPEG", "WEBP", "GIF", "BMP")),
        *((f"animated {form}", encoded(frames[0], form, save_all=True, append_images=frames[1:])) for form in ("PNG", "GIF", "WEBP")),
        ("CMYK", encoded(image.convert("CMYK"), "JPEG")),
        ("progressive", encoded(image, "JPEG", progressive=True)),
        ("gray", encoded(gray, "PNG")),
        ("gray JPEG", encoded(gray, "JPEG")),
        ("gray and alpha", encoded(alpha.convert("LA"), "PNG")),
        ("RGBA", encoded(alpha, "PNG")),
        ("RGBA WebP", encoded(alpha, "WEBP")),
        ("16-bit gray", encoded(Image.fromarray(noise(channels=1).astype(np.uint16) * 257), "PNG")),
        ("1-bit", encoded(gray.convert("1"), "PNG")),
        ("1-bit BMP", encoded(gray.convert("1"), "BMP")),
        ("palette", encoded(palette, "PNG")),
        ("transparent palette", encoded(palette, "PNG", transparency=3)),
        ("transparent GIF", encoded(palette, "GIF", transparency=3)),
        ("color key", encoded(image, "PNG", transparency=(1, 2, 3))),
        ("MPO of a phone", phone),
        ("1 x 1", encoded(Image.new("RGB", (1, 1)), "PNG")),
        ("1 x 5000", encoded(Image.new("RGB", (1, 5000)), "PNG")),
        ("5000 x 1", encoded(Image.new("RGB", (5000, 1)), "PNG")),
        ("invalid color profile", profile),
        ("text chunks with script", encoded(image, "PNG", pnginfo=text)),
        ("EXIF with script", encoded(image, "JPEG", exif=exif(1, t270=IMG, t315=SCRIPT))),
        ("JPEG comment with script", encoded(image, "JPEG", comment=SCRIPT)),
        ("GIF comment with script", encoded(palette, "GIF", comment=SCRIPT)),
        ("HTML behind a PNG", encoded(image, "PNG") + SCRIPT.encode()),
        ("ZIP behind a JPEG", encoded(image, "JPEG") + zipped()),
    ]  # fmt: skip
    return found


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo("data.pkl"), b"\x80\x02.")
    return buffer.getvalue()


def other_formats() -> list[tuple[str, Content]]:
    """Files of other formats."""
    image = Image.fromarray(noise())
    forms = {
        "ICO": "RGB", "PPM": "RGB", "TGA": "RGB", "PCX": "RGB", "DDS": "RGB", "ICNS": "RGBA", "QOI": "RGB", "AVIF": "RGB",
        "JPEG2000": "RGB", "SGI": "RGB", "XBM": "1", "IM": "RGB", "SPIDER": "F", "EPS": "RGB",
    }  # fmt: skip
    lols = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
    return [
        *((f"as {form}", encoded(image.convert(mode), form)) for form, mode in forms.items()),
        ("PSD header", b"8BPS\0\1" + bytes(6) + struct.pack(">HIIHH", 3, 8, 8, 8, 3) + bytes(200)),
        ("FITS header", b"SIMPLE  =                    T".ljust(2880)),
        ("PDF", "%PDF-1.7\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\n"),
        ("one byte", b"\x89"),
        ("text", "This is a text. " * 50),
        ("HTML", f"<!doctype html><html><body>{SCRIPT}</body></html>"),
        ("SVG", f'<svg xmlns="http://www.w3.org/2000/svg" onload="window.__pwned=1"><image href="http://127.0.0.1:9/"/>{SCRIPT}</svg>'),
        ("XML bomb", f'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY l0 "lol">{lols}]><svg>&l9;</svg>'),
        ("XML with a file", '<!DOCTYPE s [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg>&x;</svg>'),
        ("PostScript", "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 8 8\n(PWNED) (w) file closefile\n"),
        ("ImageMagick", "push graphic-context\nfill 'url(https://127.0.0.1/x.jpg\"|touch PWNED\")'\npop graphic-context"),
        ("PHP behind GIF89a", b"GIF89a<?php touch('PWNED'); ?>"),
        ("ELF", b"\x7fELF\2\1\1" + bytes(200)),
        ("ZIP", zipped()),
        ("gzip", b"\x1f\x8b\x08" + bytes(100)),
        ("zeros", bytes(5000)),
        ("UTF-16 text", "image".encode("utf-16")),
    ]  # fmt: skip


def damaged() -> list[tuple[str, Content]]:
    """Truncated and inconsistent images."""
    image = Image.fromarray(noise(64, 64))
    complete = {form: encoded(image, form) for form in ("PNG", "JPEG", "WEBP", "BMP", "TIFF")}
    pixels = chunk(b"IDAT", zlib.compress(bytes(9 * 8)))
    return [
        *((f"{form} truncated to {100 * fraction:g} %", content[: int(len(content) * fraction)]) for form, content in complete.items() for fraction in (0.02, 0.5, 0.9)),
        ("GIF truncated", encoded(image, "GIF")[:60]),
        ("PNG without pixels", png()),
        ("PNG of 0 x 8", png(pixels, width=0)),
        ("PNG of depth 3", png(pixels, depth=3)),
        ("PNG of color type 5", png(pixels, color=5)),
        ("PNG with a wrong checksum", complete["PNG"].replace(b"IDAT", b"IDAU", 1)),
        ("PNG with an endless chunk", png()[:33] + struct.pack(">I", 2**31 - 1) + b"IDAT" + bytes(50)),
        ("PNG with negative chunk", png()[:33] + struct.pack(">I", 2**32 - 1) + b"tEXt" + bytes(50)),
        ("PNG header alone", png()[:33]),
        ("JPEG markers alone", b"\xff\xd8\xff\xd9"),
        ("JPEG of 0 x 0", complete["JPEG"][:2] + b"\xff\xc0\0\x0b\x08\0\0\0\0\1\1\x11\0\xff\xd9"),
        ("GIF of 0 x 0", b"GIF89a" + bytes(7) + b";"),
        ("GIF without frames", b"GIF89a" + struct.pack("<HH", 8, 8) + b"\0\0\0;"),
        ("WebP of another size", complete["WEBP"][:4] + struct.pack("<I", 2**31) + complete["WEBP"][8:40]),
    ]  # fmt: skip


def tiff(width: int = 16, height: int = 16, tile: int = 16) -> bytes:
    """Make a gray TIFF with one deflated tile, whose header declares these sizes."""
    values = {256: width, 257: height, 258: 8, 259: 8, 262: 1, 277: 1, 322: tile, 323: tile, 324: 200, 325: 8}
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in values.items())
    return (b"II*\0" + struct.pack("<IH", 8, len(values)) + entries + bytes(4)).ljust(208, b"\0")


def bombs() -> list[tuple[str, Callable[[], bytes], str]]:
    """Decompression bombs and headers with huge sizes: name, function that makes the bytes, error."""
    return [
        ("201 Mpixel PNG", partial(blank_png, 20_000, 10_050), TOO_MANY),
        ("101 Mpixel RGB PNG", partial(blank_png, 10_100, 10_000, 8, 2), TOO_MANY),
        ("401 Mpixel PNG", partial(blank_png, 20_000, 20_050), TOO_MANY),
        ("PNG of 2^31 sides", lambda: png(chunk(b"IDAT", b""), width=2**31 - 1, height=2**31 - 1), f"{TOO_MANY}|{UNREADABLE}"),
        ("PNG of 60000 sides", lambda: png(chunk(b"IDAT", zeros(100)), width=60_000, height=60_000), TOO_MANY),
        ("GIF of 65535 sides", lambda: b"GIF89a" + struct.pack("<HH", 65535, 65535) + b"\0\0\0" + b",\0\0\0\0\1\0\1\0\0\2\2L\1\0;", TOO_MANY),
        ("GIF whose frame is larger than its screen", lambda: b"GIF89a" + struct.pack("<HH", 8, 8) + b"\x80\0\0" + bytes(6) + b"," + struct.pack("<HHHH", 0, 0, 65535, 65535) + b"\0\2\2L\1\0;", f"{TOO_MANY}|{UNREADABLE}"),
        ("BMP of 60000 sides", lambda: b"BM" + struct.pack("<IIIIiiHHIIiiII", 200, 0, 54, 40, 60_000, 60_000, 1, 24, 0, 0, 0, 0, 0, 0) + bytes(200), TOO_MANY),
        ("JPEG of 65500 sides", lambda: encoded(Image.new("L", (8, 8)), "JPEG").replace(b"\x08\0\x08\0\x08\1", b"\x08\xff\xdc\xff\xdc\1"), TOO_MANY),
        ("WebP of 16383 sides", lambda: b"RIFF" + struct.pack("<I", 30) + b"WEBPVP8X" + struct.pack("<I", 10) + b"\0\0\0\0" + b"\xfe\x3f\0\xfe\x3f\0" + bytes(8), f"{TOO_MANY}|{UNREADABLE}"),
        ("441 Mpixel TIFF", lambda: tiff(width=21_000, height=21_000), TOO_MANY),
        ("100 Mpixel TIFF without pixels", lambda: tiff(width=10_000, height=10_000), UNREADABLE),
        ("TIFF with a tile of 32768 sides", lambda: tiff(tile=32_768), TOO_MANY),
        (
            "BMP of negative width",
            lambda: b"BM" + struct.pack("<IIIIiiHHII", 200, 0, 54, 40, -8, 8, 1, 24, 0, 0) + bytes(200),
            f"{TOO_MANY}|{UNREADABLE}",
        ),
    ]  # fmt: skip


def metadata_bombs() -> list[tuple[str, Callable[[], bytes]]]:
    """Accepted images with metadata that unpacks to much more, which is not read: name, function that makes the bytes."""
    return [
        ("zTXt of 256 MiB", lambda: png(chunk(b"zTXt", b"a\0\0" + zeros(2**28)), chunk(b"IDAT", zlib.compress(bytes(72))))),
        ("iTXt of 256 MiB", lambda: png(chunk(b"iTXt", b"a\0\1\0\0\0" + zeros(2**28)), chunk(b"IDAT", zlib.compress(bytes(72))))),
        ("iCCP of 256 MiB", lambda: png(chunk(b"iCCP", b"a\0\0" + zeros(2**28)), chunk(b"IDAT", zlib.compress(bytes(72))))),
        ("2000 text chunks of 1 MiB", lambda: png(*[chunk(b"zTXt", b"a\0\0" + zeros(2**20))] * 2000, chunk(b"IDAT", zlib.compress(bytes(72))))),
    ]  # fmt: skip


def huge() -> list[tuple[str, Content, str | None]]:
    """Images close to the accepted size, in every mode that takes memory: name, content, error."""
    wide, high = 8000, 6000
    return [
        ("48 Mpixel JPEG", large("JPEG", "RGB", wide, high), None),
        ("48 Mpixel progressive JPEG", large("JPEG", "RGB", wide, high, progressive=True, subsampling=0), None),
        ("48 Mpixel progressive CMYK", large("JPEG", "CMYK", wide, high, progressive=True, subsampling=0), None),
        ("48 Mpixel gray", partial(write, blank_png, wide, high, 8), None),
        ("48 Mpixel 1-bit", partial(write, blank_png, wide, high), None),
        ("48 Mpixel palette", partial(write, blank_png, wide, high, 8, 3), None),
        ("48 Mpixel RGB", partial(write, blank_png, wide, high, 8, 2), None),
        ("48 Mpixel RGBA", partial(write, blank_png, wide, high, 8, 6), None),
        ("48 Mpixel 16-bit gray", partial(write, blank_png, wide, high, 16), None),
        ("48 Mpixel 16-bit RGB", partial(write, blank_png, wide, high, 16, 2), None),
        ("48 Mpixel 16-bit RGBA", partial(write, blank_png, wide, high, 16, 6), None),
        ("48 Mpixel GIF", large("GIF", "P", wide, high), None),
        ("48 Mpixel BMP", large("BMP", "1", wide, high), None),
        ("48 Mpixel WebP", large("WEBP", "RGB", wide, high), "WEBP image like this may have at most"),
        ("24 Mpixel WebP", large("WEBP", "RGB", 6000, 4000), None),
        ("24 Mpixel lossless WebP with alpha", large("WEBP", "RGBA", 6000, 4000, lossless=True), None),
        ("24 Mpixel animated WebP", large("WEBP", "RGBA", 6000, 4000, save_all=True, append_images=[Image.new("RGBA", (6000, 4000), "red")]), None),
        ("48 Mpixel strip", partial(write, blank_png, 1000, 48_000, 8, 2), None),
        ("100 Mpixel RGB", partial(write, blank_png, 10_000, 10_000, 8, 2), None),
        ("200 Mpixel 1-bit", partial(write, blank_png, 20_000, 10_000), None),
        ("400 Mpixel gray", partial(write, blank_png, 20_000, 20_000, 8), None),
        ("400 Mpixel JPEG", large("JPEG", "L", 20_000, 20_000), None),
        ("33 Mpixel strip", partial(write, blank_png, 2047, 16_384, 8, 2), None),
        ("33 Mpixel strip with alpha", partial(write, blank_png, 16_384, 2047, 8, 6), None),
        ("49 Mpixel line", partial(write, blank_png, 1, 49_000_000, 8, 0), "may be at most 65,535 pixels long"),
    ]  # fmt: skip


def write(make: Callable[..., bytes], *arguments: int | Path) -> None:
    """Write the bytes that `make` returns for all arguments but the last to the last, a path."""
    *numbers, path = arguments
    Path(path).write_bytes(make(*numbers))


def listen(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        before = Path.cwd()
        os.chdir(path.parent)  # socket addresses are limited to about 100 bytes
        try:
            server.bind(path.name)
        finally:
            os.chdir(before)


def above_100_mib(path: Path) -> None:
    path.touch()
    os.truncate(path, 100 * 2**20 + 1)


def entries() -> list[Entry]:
    """Return the images of the corpus."""
    plain = encoded(Image.fromarray(noise()), "PNG")
    return [
        *(Entry("image", name, content, None, "image.png") for name, content in accepted()),
        *(Entry("image", f"named {name!r}"[:60], plain, None, name) for name in NAMES),
        *(Entry("image", f"under an image's name: {name}", content, UNREADABLE, "image.png") for name, content in other_formats()),
        *(Entry("image", name, content, UNREADABLE, "image.png") for name, content in damaged()),
        *(Entry("image", name, partial(write, make), error, "bomb.png", big=True) for name, make, error in bombs()),
        *(Entry("image", name, partial(write, make), None, "bomb.png", big=True) for name, make in metadata_bombs()),
        *(Entry("image", name, content, error, "huge.png", big=True) for name, content, error in huge()),
        Entry("image", "a pickle", pickle.dumps(Payload("PWNED")), UNREADABLE, "image.png"),
        Entry("image", "empty", b"", "is empty", "image.png"),
        Entry("image", "above 100 MiB", above_100_mib, "at most 100 MiB: got 100.0", "image.png"),
        Entry("image", "a folder", Path.mkdir, "must be a regular file", "folder.png"),
        Entry("image", "a FIFO", os.mkfifo, "must be a regular file", "pipe.png"),
        Entry("image", "a socket", listen, "must be a regular file", "socket.png"),
        Entry("image", "a symlink to /dev/zero", lambda path: path.symlink_to("/dev/zero"), "must be a regular file", "zero.png"),
        Entry("image", "a broken symlink", lambda path: path.symlink_to("nothing"), "does not exist", "link.png"),
        Entry("image", "a symlink to itself", lambda path: path.symlink_to(path), "does not exist", "loop.png"),
    ]  # fmt: skip
