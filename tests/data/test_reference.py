"""Resampled and decoded pixels that the front end must reproduce bit for bit (frontend/src/engine/pixels.test.ts).

Pillow and the library are the reference; a newer Pillow may need new numbers, which this command writes:

    python -m tests.data.test_reference
"""

import base64
import hashlib
import io
import json
import struct
import zlib
from dataclasses import asdict
from pathlib import Path

import numpy as np
from PIL import Image

from vitviz.data.preprocessing import Resize, crop_and_resize, open_image

FILE = Path(__file__).parents[2] / "frontend" / "src" / "engine" / "pixels.json"
SIZES = [(32, 32), (97, 61), (61, 97), (300, 200), (7, 5), (1, 40), (33, 32)]  # width and height
RESIZES = [
    ((32, 32), 0.5, Resize()),
    ((24, 36), 0.13, Resize("bicubic", 0.875)),
    ((37, 37), 1.0, Resize("bilinear", 0.9, "squash")),
    ((18, 30), 0.0, Resize("box", 1.0)),
    ((29, 31), 0.71, Resize("hamming", 1.0, "squash")),
]
FACTORS = (2, 3, 5, 8)
PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def noise(width: int, height: int, channels: int = 3) -> np.ndarray:
    """The upper bytes of a linear congruential generator, (height, width, channels) uint8."""
    state, found = 1, []
    for _ in range(width * height * channels):
        state = (1664525 * state + 1013904223) % 2**32
        found.append(state >> 24)
    return np.array(found, np.uint8).reshape(height, width, channels)


def sha256(image: Image.Image) -> str:
    return hashlib.sha256(image.tobytes()).hexdigest()


def png(samples: np.ndarray, bits: int, color: int, chunks: bytes = b"", interlaced: bool = False) -> bytes:
    """Write samples (height, width, channels) as PNG, each row with another filter."""
    height, width, channels = samples.shape
    rows = b""
    for left, top, across, down in PASSES if interlaced else ((0, 0, 1, 1),):
        part = samples[top::down, left::across]
        if part.size:
            rows += filtered(part, bits, max(1, channels * bits // 8))
    header = struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, int(interlaced))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunks + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND")


def filtered(samples: np.ndarray, bits: int, pixel: int) -> bytes:
    lines, before = b"", None
    for y, row in enumerate(samples.reshape(len(samples), -1)):
        packed = row.astype(">u2").tobytes() if bits == 16 else packed_bits(row, bits)
        line = np.frombuffer(packed, np.uint8).astype(int)
        up = np.zeros_like(line) if before is None else before
        left = np.concatenate([np.zeros(pixel, int), line[:-pixel]])[: len(line)]
        corner = np.concatenate([np.zeros(pixel, int), up[:-pixel]])[: len(line)]
        distance = np.abs(np.stack([up - corner, left - corner, left + up - 2 * corner]))
        nearest = np.choose(distance.argmin(0), [left, up, corner])
        predicted = [np.zeros_like(line), left, up, (left + up) // 2, nearest][y % 5]
        lines += bytes([y % 5]) + ((line - predicted) % 256).astype(np.uint8).tobytes()
        before = line
    return lines


def packed_bits(row: np.ndarray, bits: int) -> bytes:
    text = "".join(f"{value:0{bits}b}" for value in row)
    return bytes(int(text[i : i + 8].ljust(8, "0"), 2) for i in range(0, len(text), 8))


def chunk(name: bytes, content: bytes = b"") -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def files() -> dict[str, bytes]:
    """PNG files of all kinds by name."""
    gray, color = noise(13, 11, 1), noise(13, 11, 3)
    wide = gray.astype(int) * 256 + noise(13, 11, 3)[..., :1]
    palette = chunk(b"PLTE", noise(16, 1).tobytes())
    found = {
        "gray": png(gray, 8, 0),
        "gray, 1 bit": png(gray >> 7, 1, 0),
        "gray, 2 bits": png(gray >> 6, 2, 0),
        "gray, 4 bits, interlaced": png(gray >> 4, 4, 0, interlaced=True),
        "gray, 16 bits": png(wide, 16, 0),
        "gray, 12 of 16 bits": png(wide >> 4, 16, 0),
        "gray with a transparent level": png(gray, 8, 0, chunk(b"tRNS", struct.pack(">H", int(gray[3, 4, 0])))),
        "gray with alpha": png(noise(13, 11, 2), 8, 4),
        "gray with alpha, 16 bits": png(noise(13, 11, 2).astype(int) * 257 - 3, 16, 4),
        "color": png(color, 8, 2),
        "color, interlaced": png(color, 8, 2, interlaced=True),
        "color, 16 bits": png(color.astype(int) * 256 + 200, 16, 2),
        "color with a transparent one": png(color, 8, 2, chunk(b"tRNS", struct.pack(">3H", *map(int, color[2, 5])))),
        "color with alpha": png(noise(13, 11, 4), 8, 6),
        "color with alpha, interlaced": png(noise(13, 11, 4), 8, 6, interlaced=True),
        "color with alpha, 16 bits": png(noise(13, 11, 4).astype(int) * 256 + 9, 16, 6),
        "palette": png(gray >> 4, 4, 3, palette),
        "palette with alpha": png(gray >> 4, 8, 3, palette + chunk(b"tRNS", bytes(range(0, 250, 25)))),
        "color profile and gamma": png(color, 8, 2, chunk(b"gAMA", struct.pack(">I", 100000))),
    }
    for name, content in found.items():
        Image.open(io.BytesIO(content)).load()  # Pillow accepts it
        assert len(content) < 2000, name
    return found


def reference() -> dict:
    """Inputs, and the SHA-256 of the RGB pixels that they become."""
    resized = [
        {
            **{"width": width, "height": height, "size": size, "crop": crop, "resize": asdict(resize)},
            "sha256": sha256(crop_and_resize(Image.fromarray(noise(width, height)), size, crop, resize)),
        }
        for width, height in SIZES
        for size, crop, resize in RESIZES
    ]
    reduced = [
        {
            "width": width,
            "height": height,
            "factor": k,
            "sha256": sha256(Image.fromarray(noise(width, height)).reduce(k)),
        }
        for width, height in SIZES
        for k in FACTORS
    ]
    decoded = [
        {"name": name, "file": base64.b64encode(content).decode(), "sha256": sha256(open_image(content)[0])}
        for name, content in files().items()
    ]
    return json.loads(json.dumps({"resized": resized, "reduced": reduced, "decoded": decoded}))


def test_the_front_end_has_the_pixels_of_this_pillow():
    assert json.loads(FILE.read_text()) == reference()


if __name__ == "__main__":
    FILE.write_text(json.dumps(reference(), indent=1) + "\n")
