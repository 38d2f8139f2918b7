"""Draw the ten sample images, one for each CIFAR-10 class.

Writes ten 96 x 96 PNG files, `airplane.png` to `truck.png`, from code and fixed seeds; the same at 384 x 384 as JPEG
files in `large`, for models with larger inputs; and in `masks` the pixels of the objects. Shapes are given in pixels of
the result, x to the right and y down. They are painted at four times the size, scaled down, blurred and given noise
like a small photograph, so that a network trained on photographs recognizes them at 32 x 32.

Run: `python -m scripts.draw_samples [OUT]`
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

SIDE = 96
SCALE = 4
FULL = SIDE * SCALE

Points = Sequence[tuple[float, ...]]
Color = tuple[int, int, int]


def parse(text: str) -> Points:
    """Parse an outline or a line of joints: numbers separated by commas, points by spaces.

    Example:
        >>> parse("10,20 30,40.5")
        [(10.0, 20.0), (30.0, 40.5)]
    """
    return [tuple(map(float, point.split(","))) for point in text.split()]


def blur(field: np.ndarray, radius: float) -> np.ndarray:
    """Apply a Gaussian blur to a square field; the kernel rows sum to 1, so edges do not darken."""
    position = np.arange(len(field))
    kernel = np.exp(-0.5 * ((position[:, None] - position) / radius) ** 2)
    kernel /= kernel.sum(axis=1, keepdims=True)
    return kernel @ field @ kernel.T


def resize(field: np.ndarray, side: int) -> np.ndarray:
    image = Image.fromarray(field.astype(np.float32))
    return np.asarray(image.resize((side, side), Image.Resampling.BICUBIC))


def smooth(points: Points, steps: int = 8) -> Points:
    """Interpolate a closed outline by a Catmull-Rom curve through all its points."""
    p1 = np.array(points, float)
    p0, p2, p3 = np.roll(p1, 1, 0), np.roll(p1, -1, 0), np.roll(p1, -2, 0)
    t = np.linspace(0, 1, steps, endpoint=False)[:, None, None]
    curve = p1 + t / 2 * (p2 - p0 + t * (2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0)))
    return [tuple(point) for point in curve.swapaxes(0, 1).reshape(-1, 2)]


def ellipse(x: float, y: float, rx: float, ry: float, degrees: float = 0) -> Points:
    angle, tilt = np.linspace(0, 2 * np.pi, 40, endpoint=False), np.radians(degrees)
    across, down = rx * np.cos(angle), ry * np.sin(angle)
    xs = x + across * np.cos(tilt) - down * np.sin(tilt)
    ys = y + across * np.sin(tilt) + down * np.cos(tilt)
    return list(zip(xs, ys, strict=True))


def limb(joints: Points) -> Points:
    """Return the outline of a leg, neck or twig through joints (x, y, width)."""
    line = np.array(joints, float)
    along = np.gradient(line[:, :2], axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    aside = along[:, ::-1] * (-0.5, 0.5) * line[:, 2:]
    return [tuple(point) for point in np.concatenate([line[:, :2] + aside, (line[:, :2] - aside)[::-1]])]


def mirror(points: Points, axis: float = SIDE / 2) -> Points:
    return [(2 * axis - x, y) for x, y in points]


def rotate(points: Points, degrees: float) -> Points:
    """Rotate clockwise about the center of the image."""
    tilt, center = np.radians(degrees), SIDE / 2
    rotation = np.array([[np.cos(tilt), np.sin(tilt)], [-np.sin(tilt), np.cos(tilt)]])
    return [tuple(point) for point in (np.array(points) - center) @ rotation + center]


class Canvas:
    """Pixels (FULL, FULL, 3) in 0..1, and the random number generator of their texture."""

    def __init__(self, seed: int, top: Color, bottom: Color) -> None:
        self.rng = np.random.default_rng(seed)
        self.pixels = np.zeros((FULL, FULL, 3))
        self.object = np.zeros((FULL, FULL))  # opacity of the object that the image is named after
        self.draws_object = True  # whether shapes and lines belong to it, or cover it
        self.ground(0, top, bottom, edge=0)

    def cover(self, mask: np.ndarray) -> None:
        """Add a mask to the object, or remove it where something else covers the object."""
        self.object = np.maximum(self.object, mask) if self.draws_object else self.object * (1 - mask)

    def noise(self, rows: int, columns: int) -> np.ndarray:
        coarse = Image.fromarray(self.rng.normal(size=(rows, columns)).astype(np.float32))
        return np.asarray(coarse.resize((FULL, FULL), Image.Resampling.BICUBIC))

    def blend(self, mask: np.ndarray, color: np.ndarray) -> None:
        self.pixels += mask[..., None] * (np.clip(color, 0, 1) - self.pixels)

    def ground(self, y: float, top: Color, bottom: Color, edge: float = 1.0) -> None:
        """Fill the area below height y with a gradient from color `top` at y to `bottom` at the lower edge."""
        rows = np.arange(FULL)[:, None] / SCALE
        wobble = edge * self.noise(3, 9)
        mask = np.clip((rows - y + wobble) / max(edge, 0.3) + 1, 0, 1)
        depth = np.clip((rows - y) / (SIDE - y), 0, 1)[..., None]
        self.blend(mask, (np.array(top) * (1 - depth) + np.array(bottom) * depth) / 255)

    def mottle(self, strength: float, rows: int, columns: int, below: float = -9, above: float = 999) -> None:
        """Vary brightness in soft patches; more rows than columns make them flat, like ripples."""
        height = np.arange(FULL)[:, None] / SCALE
        zone = np.clip((height - below) / 4, 0, 1) * np.clip((above - height) / 4, 0, 1)
        self.pixels *= 1 + (strength * zone * self.noise(rows, columns))[..., None]

    def patches(self, color: Color, rows: int, columns: int, level: float, zone: tuple[float, float]) -> None:
        """Blend in a second color where noise exceeds `level`: clouds, leaves, dry grass."""
        height = np.arange(FULL)[:, None] / SCALE
        inside = np.clip((height - zone[0]) / 6, 0, 1) * np.clip((zone[1] - height) / 6, 0, 1)
        self.blend(np.clip(self.noise(rows, columns) - level, 0, 1) * inside, np.array(color) / 255)

    def mask(self, points: Points, soft: float = 0) -> np.ndarray:
        image = Image.new("L", (FULL, FULL))
        ImageDraw.Draw(image).polygon([(x * SCALE, y * SCALE) for x, y in points], fill=255)
        field = np.asarray(image) / 255
        return blur(field, soft * SCALE) if soft else field

    def shape(
        self, points: Points, color: Color, volume: float = 0.3, rim: float = 4, fur: float = 0.05, soft: float = 0
    ) -> None:
        """Paint an outline as a rounded body, lit from the upper left.

        The blurred outline serves as a height map; its slope towards the light is the shading.

        Args:
            points: Closed outline.
            color: Color without shading.
            volume: Fraction by which the lit side is brighter and the opposite side darker.
            rim: Width of the curved edge (px).
            fur: Relative amplitude of a fine texture.
            soft: Blur of the outline (px).
        """
        mask = self.mask(points, soft)
        down, right = np.gradient(blur(resize(mask, SIDE), rim))
        slope = resize(2.5 * rim * (0.45 * right + 0.9 * down), FULL)
        light = 1 + volume * slope + fur * self.noise(60, 60) + fur * self.noise(16, 16)
        self.blend(mask, np.array(color) / 255 * light[..., None])
        self.cover(mask)

    def shadow(self, points: Points, strength: float = 0.5, soft: float = 2.5) -> None:
        self.pixels *= 1 - strength * self.mask(points, soft)[..., None]

    def lines(self, strokes: list[Points], width: float, color: Color, soft: float = 0.4, cover: float = 1) -> None:
        for stroke in strokes:
            joints = [(x, y, width) for x, y in stroke]
            mask = cover * self.mask(limb(joints), soft)
            self.blend(mask, np.array(color) / 255)
            self.cover(mask)

    def render(self, side: int = SIDE, radius: float = 0.55, grain: float = 0.009) -> Image.Image:
        """Scale to `side` px, and add uneven light, color noise, blur (px) and grain like a cheap camera."""
        for channel in range(3):
            self.pixels[..., channel] *= 1 + 0.014 * self.noise(4, 4) + 0.01 * self.noise(10, 10)
        large = Image.fromarray((255 * np.clip(self.pixels, 0, 1)).astype(np.uint8))
        small = np.asarray(large.resize((side, side), Image.Resampling.LANCZOS)) / 255
        photo = np.stack([blur(small[..., channel], radius) for channel in range(3)], axis=-1)
        photo += grain * self.rng.normal(size=(side, side, 1))
        return Image.fromarray((255 * np.clip(photo, 0, 1)).astype(np.uint8))


def airplane() -> Canvas:
    scene = Canvas(1, top=(72, 122, 184), bottom=(160, 192, 220))
    scene.patches((236, 240, 244), 9, 5, 0.1, (52, 110))
    tilt = -9
    white, gray, blue = (224, 226, 230), (150, 157, 168), (38, 62, 120)
    scene.shape(rotate(parse("56,43 40,24 35,24 42,43"), tilt), gray)
    scene.shape(rotate(parse("12,44 7,37 3,37 6,45"), tilt), gray)
    scene.shape(rotate(parse("6,44 2,21 10,21 25,42"), tilt), blue)
    body = parse("3,43 16,41 40,40 72,40 84,42 92,48 87,53 74,55 50,55 26,52 10,47")
    scene.shape(rotate(smooth(body), tilt), white, volume=0.38, rim=5, fur=0.02)
    scene.shape(rotate(parse("20,51 50,54.5 76,54.5 90,50 86,53.5 74,55.5 50,55.5 26,53"), tilt), blue)
    scene.lines([rotate([(x, 45.5), (x + 1.5, 45.5)], tilt) for x in range(24, 80, 3)], 1.5, (70, 80, 100), 0.2)
    scene.shape(rotate(parse("84,43.5 88,45.5 87,47 83,46"), tilt), (40, 48, 62))
    scene.shape(rotate(ellipse(51, 60, 7.5, 3.7), tilt), (120, 128, 142), volume=0.5)
    scene.shape(rotate(ellipse(57.5, 60, 1.6, 3.4), tilt), (44, 50, 62))
    scene.shape(rotate(parse("62,51 30,76 23,77 36,50"), tilt), (184, 190, 198), volume=0.3)
    scene.lines([rotate(parse("37,52 25,76"), tilt)], 1.6, (120, 128, 140))
    scene.shape(rotate(parse("22,46 8,54 2,54 8,45"), tilt), (176, 182, 190))
    return scene


def automobile() -> Canvas:
    scene = Canvas(2, top=(120, 138, 118), bottom=(92, 112, 84))
    scene.patches((60, 84, 52), 8, 10, 0.0, (-10, 44))
    scene.patches((180, 188, 172), 6, 8, 0.7, (-10, 30))
    scene.ground(46, (142, 140, 138), (112, 110, 110))
    scene.mottle(0.04, 40, 20, below=46)
    red, glass, dark = (168, 34, 36), (52, 62, 74), (30, 30, 34)
    scene.shadow(parse("8,66 30,64 92,58 94,66 56,78 12,76"), 0.75, 3)
    scene.shape(ellipse(13, 67, 4.5, 7.5), dark)
    body = parse("7,64 5,52 9,46 27,38 40,26 48,23 66,23 76,27 86,37 92,42 93,54 88,62 60,70 42,73 14,71")
    scene.shape(body, red, volume=0.35, rim=6, fur=0.02)
    scene.shape(parse("7,48 27,39 52,40 42,51"), (196, 62, 60), volume=0.2, fur=0.02, soft=0.6)
    scene.shape(parse("29,38 41,27 60,27 52,39"), glass, volume=0.3)
    scene.shape(parse("34,36 42,28 47,28 40,36"), (120, 134, 146), soft=1)
    scene.shape(parse("55,39 62,28 68,27.5 69,38"), glass)
    scene.shape(parse("71,38 70,27.5 75,29 83,37"), glass)
    scene.shape(parse("6,56 41,60 42,72 14,70 7,64"), (140, 28, 32), volume=0.2, fur=0.02, soft=0.5)
    scene.shape(parse("13,55 32,57 32,61 13,59"), dark)
    scene.shape(parse("12,64 36,67 36,70 14,68"), (48, 34, 36))
    scene.shape(parse("17,62 28,63 28,66 17,65"), (226, 224, 212))
    scene.shape(ellipse(9.5, 54, 2.6, 3), (240, 236, 220))
    scene.shape(ellipse(37, 57, 4, 3), (240, 236, 220))
    scene.lines([parse("46,50 91,44"), parse("69,39 70,64")], 0.8, (110, 22, 28))
    for x, y, rx, ry in ((53, 66, 7.5, 10), (83, 58, 6, 9)):
        scene.shape(ellipse(x, y, rx, ry), dark)
        scene.shape(ellipse(x + 0.4, y, rx * 0.58, ry * 0.58), (176, 178, 182), fur=0.1)
        scene.shape(ellipse(x + 0.4, y, rx * 0.2, ry * 0.2), (80, 82, 88))
    return scene


def bird() -> Canvas:
    scene = Canvas(3, top=(122, 142, 82), bottom=(96, 112, 66))
    scene.patches((176, 188, 120), 5, 5, 0.2, (-10, 110))
    scene.patches((66, 84, 50), 5, 5, 0.5, (-10, 110))
    scene.draws_object = False
    scene.shape(limb(parse("-4,84,8 30,79,7 60,77,6 100,70,5")), (98, 78, 60), volume=0.4, fur=0.12)
    scene.draws_object = True
    scene.shape(limb(parse("48,64,2 50,70,1.6 49,78,2")), (74, 58, 48))
    scene.shape(limb(parse("56,63,2 59,70,1.6 58,78,2")), (74, 58, 48))
    scene.shape(limb(parse("38,56,11 24,72,8 12,88,7")), (84, 70, 58), fur=0.1)
    body = parse("72,28 69,19 61,15 53,19 45,32 34,46 30,58 37,66 52,68 65,62 74,48 75,36")
    scene.shape(smooth(body), (136, 114, 92), volume=0.35, rim=7, fur=0.07)
    breast = parse("72,32 66,36 60,46 52,58 46,66 56,67 67,59 74,47 75,37")
    scene.shape(smooth(breast), (206, 140, 74), volume=0.3, rim=6, fur=0.06, soft=1.4)
    scene.shape(smooth(parse("40,64 50,60 58,63 52,68")), (214, 204, 184), soft=1.5)
    wing = parse("52,34 61,42 57,53 42,62 26,72 32,56 42,42")
    scene.shape(smooth(wing), (98, 80, 66), volume=0.4, rim=4, fur=0.1, soft=0.5)
    scene.lines([parse("54,46 40,57 30,67"), parse("50,42 40,52 32,62")], 1.2, (176, 158, 136), 0.5, 0.7)
    scene.shape(parse("71,24 82,29 71,31"), (62, 54, 48))
    scene.shape(ellipse(66.5, 24.5, 2.3, 2.3), (18, 16, 16), volume=0)
    scene.shape(ellipse(65.8, 23.8, 0.7, 0.7), (240, 240, 240), volume=0)
    return scene


def cat() -> Canvas:
    scene = Canvas(4, top=(130, 78, 62), bottom=(92, 52, 44))
    scene.mottle(0.12, 5, 5)
    scene.patches((196, 176, 152), 3, 4, 0.6, (-10, 50))
    fur, pale, dark = (130, 118, 106), (206, 196, 184), (50, 44, 40)
    scene.shape(smooth(parse("24,60 14,80 10,104 86,104 82,80 72,60")), (116, 104, 92), volume=0.3, rim=8, fur=0.1)
    scene.lines(
        [parse("14,82 28,84"), parse("12,91 27,93"), parse("82,82 68,84"), parse("84,91 69,93")], 3, dark, 1, 0.7
    )
    scene.shape(smooth(parse("36,66 34,90 38,104 58,104 62,90 60,66")), pale, fur=0.08, soft=2)
    scene.shadow(smooth(parse("28,66 48,76 68,66 48,62")), 0.4, 3)
    ear, inner = parse("18,42 17,5 45,22"), parse("22,33 21.5,13 37,23")
    for side in (ear, mirror(ear)):
        scene.shape(side, (106, 94, 82), rim=3, fur=0.08, soft=0.5)
    for side in (inner, mirror(inner)):
        scene.shape(side, (190, 146, 132), rim=3, soft=1)
    face = parse("48,19 66,25 77,42 76,58 64,70 48,74 32,70 20,58 19,42 30,25")
    scene.shape(smooth(face), fur, volume=0.3, rim=8, fur=0.09)
    scene.shape(smooth(parse("48,46 58,56 66,62 58,71 48,73 38,71 30,62 38,56")), pale, volume=0.2, soft=1.8)
    stripes: list[Points] = [
        parse("40,22 39,28 42,35"),
        parse("33,25 33,31 36,37"),
        parse("21,46 27,48 32,51"),
        parse("20,55 26,56 31,58"),
        parse("23,63 28,62 32,63"),
    ]
    scene.lines([parse("48,21 48,28 48,36"), *stripes, *map(mirror, stripes)], 2.7, dark, 0.7, 0.85)
    for left in (1, -1):
        eye = 48 + 13 * left
        scene.shape(ellipse(eye, 45, 7.4, 5.6, 12 * left), (48, 40, 34), volume=0.1)
        scene.shape(ellipse(eye, 45, 6.2, 4.8, 12 * left), (176, 172, 92), volume=-0.3)
        scene.shape(ellipse(eye, 45, 2.4, 4.5), (14, 14, 12), volume=0)
        scene.shape(ellipse(eye - 1.5, 43, 1.1, 1.1), (250, 250, 245), volume=0)
        scene.lines([[(48, 60), (48 + 4 * left, 64), (48 + 8 * left, 64)]], 1.2, (92, 70, 62))
        for y, rise in ((59, -3), (61, 1), (63, 5)):
            scene.lines([[(48 + 12 * left, y), (48 + 36 * left, y + rise)]], 0.7, (236, 230, 220))
    scene.shape(parse("43.5,55 52.5,55 48,60"), (190, 112, 106), soft=0.5)
    return scene


def deer() -> Canvas:
    scene = Canvas(5, top=(66, 78, 48), bottom=(104, 112, 66))
    scene.patches((36, 44, 28), 4, 14, 0.0, (-10, 60))
    scene.patches((124, 136, 84), 8, 9, 0.5, (-10, 60))
    scene.ground(60, (132, 130, 76), (108, 106, 58), edge=2)
    scene.mottle(0.1, 40, 60, below=58)
    scene.shadow(ellipse(42, 90, 32, 4), 0.4)
    coat, shade, cream, axis = (150, 110, 74), (104, 76, 52), (220, 206, 182), 72
    scene.shape(limb(parse("26,57,7 30,69,4 28,78,2.8 30,90,2.8")), shade)
    scene.shape(limb(parse("53,58,6 56,70,3.6 55,80,2.8 56,90,2.8")), shade)
    scene.shape(limb(parse("57,50,22 66,42,18 72,27,12")), coat, volume=0.3, fur=0.06, soft=0.4)
    body = parse("9,48 14,40 28,38 44,40 58,38 67,45 66,55 57,62 42,60 28,58 18,61 11,56")
    scene.shape(smooth(body), coat, volume=0.4, rim=7, fur=0.07)
    scene.shape(smooth(parse("28,56 42,56 56,58 44,62")), (198, 174, 142), soft=1.6)
    scene.shape(limb(parse("20,45,5 18,55,13 19,66,6 14,77,3.4 17,91,3")), coat, fur=0.05, soft=0.5)
    scene.shape(limb(parse("60,46,4 60,56,10 61,68,5 62,79,3.2 62,91,3")), coat, fur=0.05, soft=0.5)
    scene.shape(smooth(parse("8,46 12,46 11,58 6,58")), cream, soft=0.5)
    scene.shape(smooth(parse("68,38 76,38 75,44 70,45")), (190, 162, 128), volume=0.2, soft=1.6)
    antlers: list[Points] = [parse("69,15 62,9 57,4 57,-2"), parse("63,10 65,4 64,-1"), parse("59,6 53,3 51,0")]
    scene.lines([*antlers, *(mirror(antler, axis) for antler in antlers)], 2.1, (204, 184, 148), 0.3)
    ear, inner = parse("67,18 58,12 51,13 55,20 66,24"), parse("64,19 58,14.5 54,14.5 57,19 64,22")
    face = parse("72,13 78,16 80,22 77,30 75.5,36 72,38.5 68.5,36 67,30 64,22 66,16")
    for side in (ear, mirror(ear, axis)):
        scene.shape(smooth(side), shade, rim=3)
    for side in (inner, mirror(inner, axis)):
        scene.shape(smooth(side), (196, 168, 140), volume=0.2, soft=0.6)
    scene.shape(smooth(face), coat, volume=0.35, rim=5)
    scene.shape(ellipse(axis, 35, 3.4, 3), cream, soft=0.8)
    scene.shape(ellipse(axis, 34.4, 2.5, 1.9), (30, 24, 22))
    for x in (67, 77):
        scene.shape(ellipse(x, 23, 2.6, 2.4), (190, 156, 118), soft=0.7)
        scene.shape(ellipse(x, 23, 1.6, 1.7), (20, 15, 13), volume=0)
    return scene


def dog() -> Canvas:
    scene = Canvas(6, top=(104, 122, 74), bottom=(86, 104, 60))
    scene.patches((150, 160, 104), 6, 6, 0.3, (-10, 110))
    scene.patches((62, 78, 46), 6, 6, 0.5, (-10, 110))
    tan, white, brown = (178, 124, 76), (228, 218, 204), (106, 66, 42)
    scene.shape(smooth(parse("28,62 16,78 10,104 86,104 80,78 68,62")), tan, volume=0.35, rim=8, fur=0.07)
    scene.shape(smooth(parse("36,64 32,84 36,104 60,104 64,84 60,64")), white, volume=0.2, fur=0.06, soft=1.5)
    scene.shadow(smooth(parse("28,68 48,80 68,68 48,64")), 0.4, 3)
    skull = parse("48,10 64,13 73,26 72,42 64,54 60,68 48,74 36,68 32,54 24,42 23,26 32,13")
    scene.shape(smooth(skull), tan, volume=0.3, rim=8, fur=0.06)
    blaze = parse("48,9 52,20 52,38 61,52 60,68 48,74 36,68 35,52 44,38 44,20")
    scene.shape(smooth(blaze), white, volume=0.25, soft=1.2)
    ear = parse("33,12 24,12 14,22 9,44 11,60 19,63 25,52 27,34")
    scene.shadow([(x + 2, y + 2) for x, y in smooth(ear)], 0.3, 1.5)
    scene.shadow([(x - 2, y + 2) for x, y in mirror(smooth(ear))], 0.3, 1.5)
    for side in (1, -1):
        x = 48 + 12 * side
        scene.shape(smooth(ear if side < 0 else mirror(ear)), brown, volume=0.4, rim=4, fur=0.08)
        scene.shadow(ellipse(x, 37, 6, 5), 0.35, 1.5)
        scene.shape(ellipse(x, 37, 4, 3.8), (34, 22, 16), volume=0)
        scene.shape(ellipse(x - 1.2, 35.8, 1.2, 1.2), (244, 240, 236), volume=0)
        scene.lines([[(48, 60), (48 + side, 65), (48 + 6 * side, 66), (48 + 11 * side, 62)]], 1.5, (84, 58, 50), 0.5)
    scene.shadow(ellipse(48, 58, 10, 6), 0.15, 2)
    scene.shape(smooth(parse("41,51 48,49.5 55,51 53,57 48,60 43,57")), (32, 26, 26), volume=0.5, rim=2)
    scene.shape(ellipse(45.5, 52.3, 1.8, 0.9), (130, 124, 124), soft=0.4)
    scene.shape(smooth(parse("44,67 52,67 51,74 48,76 45,74")), (196, 104, 104), soft=0.5)
    return scene


def frog() -> Canvas:
    scene = Canvas(7, top=(94, 78, 56), bottom=(132, 108, 78))
    scene.patches((66, 72, 40), 7, 7, 0.2, (-10, 110))
    scene.patches((160, 136, 100), 14, 14, 0.6, (30, 110))
    scene.mottle(0.12, 40, 40)
    skin, shade = (112, 126, 58), (86, 98, 46)
    scene.shadow(ellipse(46, 80, 44, 9), 0.6, 4)
    body = parse("10,66 16,50 30,36 46,27 60,24 76,28 90,38 92,44 82,52 74,64 60,76 36,80 16,78")
    scene.shape(smooth(body), skin, volume=0.4, rim=8, fur=0.12)
    belly = parse("92,44 82,48 70,54 62,66 56,76 66,73 76,62 84,52")
    scene.shape(smooth(belly), (196, 190, 138), volume=0.3, fur=0.08, soft=1)
    scene.shadow([(x, y + 2) for x, y in smooth(parse("16,54 34,48 48,60 46,76 24,82 10,74"))], 0.35, 2)
    scene.shape(smooth(parse("14,58 30,48 46,56 48,70 36,80 18,80 8,70")), skin, volume=0.45, rim=6, fur=0.12)
    scene.shape(limb(parse("14,80,7 30,82,7 48,84,5 56,87,3")), shade, volume=0.4, fur=0.1)
    scene.shape(limb(parse("64,58,13 68,70,8 74,82,6 84,86,4")), skin, volume=0.4, fur=0.1)
    scene.lines([parse("76,83 80,88"), parse("74,84 73,89"), parse("50,84 56,90")], 2.2, shade)
    spots = parse("28,46,4 38,40,5 48,36,4 24,60,5 36,62,5 30,72,4 52,46,5 44,52,3.5 62,44,3 66,64,2.5")
    for x, y, radius in spots:
        scene.shape(ellipse(x, y, radius, radius * 0.75, -25), (60, 66, 34), fur=0.1, soft=0.9)
    scene.lines([parse("91,42 80,45 68,47")], 1.3, (62, 62, 36))
    scene.shape(ellipse(58, 24, 6, 5.5), shade, volume=0.4)
    scene.shape(ellipse(60, 23, 2.6, 2.2), (36, 36, 20), soft=0.4)
    scene.shape(ellipse(72, 28, 8.5, 8), (124, 136, 64), volume=0.4)
    scene.shape(ellipse(73.5, 28, 5.6, 5.4), (196, 158, 60), volume=0.2)
    scene.shape(ellipse(74, 28, 4, 2.9), (16, 14, 10), volume=0)
    scene.shape(ellipse(72.5, 26.3, 1.2, 1.1), (250, 250, 240), volume=0)
    scene.shape(ellipse(88.5, 37, 0.9, 0.8), (44, 44, 26))
    return scene


def horse() -> Canvas:
    scene = Canvas(8, top=(176, 198, 216), bottom=(206, 214, 216))
    scene.ground(34, (78, 98, 62), (100, 118, 72), edge=4)
    scene.mottle(0.12, 12, 14, below=38, above=60)
    scene.ground(58, (126, 142, 80), (104, 122, 62))
    scene.mottle(0.09, 40, 60, below=56)
    scene.draws_object = False
    scene.lines([parse("-4,46 100,45"), parse("-4,55 100,54")], 1.8, (214, 210, 200), 0.6)
    scene.draws_object = True
    scene.shadow(ellipse(46, 90, 38, 4), 0.5)
    coat, shade, black = (128, 72, 42), (88, 50, 32), (40, 30, 28)
    scene.shape(limb(parse("27,58,10 32,69,6 30,78,4.5 32,90,4.5")), shade)
    scene.shape(limb(parse("56,60,8 58,71,5.5 57,80,4.5 58,90,4.5")), shade)
    scene.shape(smooth(parse("12,42 7,50 5,64 8,76 12,66 14,54 17,46")), black, volume=0.5, fur=0.1)
    body = parse("11,46 17,36 29,34 42,38 54,35 62,26 72,13 79,17 76,30 72,44 69,56 58,62 44,60 31,60 18,64 12,56")
    scene.shape(smooth(body), coat, volume=0.42, rim=7, fur=0.05)
    scene.shape(limb(parse("22,42,6 20,53,17 21,66,9 15,77,5.5 18,91,5")), coat, fur=0.04, soft=0.5)
    scene.shape(limb(parse("63,42,5 64,54,13 66,67,7.5 65,79,5.5 66,91,5")), coat, fur=0.04, soft=0.5)
    for x, y in ((17, 84), (31, 84), (57.5, 85), (65.5, 85)):
        scene.shape([(x - 2.6, y - 4), (x + 2.6, y - 4), (x + 3.4, y + 7), (x - 2.8, y + 7)], black, soft=0.6)
    mane = parse("76,9 69,9 60,20 52,34 57,38 64,30 72,18")
    scene.shape(smooth(mane), black, volume=0.5, rim=3, fur=0.12, soft=0.5)
    scene.shape(smooth(parse("73,13 76,5 80,12")), coat)
    head = parse("72,15 79,11 84,18 92,31 91,37 86,38 80,31 73,27")
    scene.shape(smooth(head), coat, volume=0.4, rim=4)
    scene.shape(smooth(parse("88,32 92,33 90,38 86,37")), (66, 44, 36), soft=0.8)
    scene.shape(limb(parse("80,13,1.4 84,21,1.9 89,30,1.2")), (230, 222, 212), soft=0.5)
    scene.shape(ellipse(79.5, 19, 1.6, 1.5), (16, 12, 12), volume=0)
    return scene


def ship() -> Canvas:
    scene = Canvas(9, top=(142, 176, 206), bottom=(204, 216, 224))
    scene.patches((234, 238, 240), 7, 4, 0.2, (-8, 50))
    scene.ground(56, (92, 124, 148), (44, 78, 104), edge=0.3)
    scene.mottle(0.13, 48, 14, below=58)
    hull, white, dark = (46, 56, 76), (232, 232, 228), (58, 66, 78)
    scene.shape(parse("22,26 27,26 27,14 23,14"), (188, 72, 48))
    scene.shape(parse("8,50 8,36 12,36 12,28 16,28 16,22 34,22 34,30 40,30 40,50"), white, fur=0.02)
    for row, start, stop in ((26, 17, 33), (34, 13, 39), (41, 10, 39)):
        scene.lines([[(x, row), (x + 2.2, row)] for x in range(start, stop - 2, 4)], 2.4, dark, 0.2)
    rust, teal, ochre = (174, 74, 60), (88, 122, 134), (188, 142, 64)
    for corners, color in (("42,42 72,44 52,35", rust), ("62,42 42,35", teal), ("52,42", ochre)):
        for x, y in parse(corners):
            scene.shape([(x, y), (x + 9.4, y), (x + 9.4, y + 9), (x, y + 9)], color, volume=0.25, rim=2)
    scene.lines([parse("20,22 20,6"), parse("83,48 83,28"), parse("16,11 24,11")], 1.3, (90, 96, 104), 0.3)
    scene.shape(parse("4,48 82,50 94,44 88,58 82,68 10,68 6,62"), hull, volume=0.4, rim=5, fur=0.04)
    scene.shape(parse("8,63.5 85,63.5 82,69 10,69"), (146, 50, 42), fur=0.04)
    scene.lines([parse("5,50 82,52 92,46")], 1.2, (214, 216, 216), 0.3)
    scene.shadow(parse("4,69 90,69 80,84 12,84"), 0.4, 3)
    scene.draws_object = False
    scene.shape(smooth(parse("2,69 30,68 60,69 80,66 88,64 95,70 70,72 30,72")), (222, 230, 234), fur=0.1, soft=1)
    return scene


def truck() -> Canvas:
    scene = Canvas(10, top=(190, 204, 216), bottom=(208, 212, 210))
    scene.ground(40, (92, 104, 78), (112, 118, 92), edge=3)
    scene.mottle(0.15, 14, 14, below=34, above=60)
    scene.ground(64, (138, 136, 132), (114, 112, 110))
    scene.mottle(0.04, 40, 20, below=62)
    red, glass, dark = (176, 44, 40), (54, 64, 76), (30, 30, 33)
    scene.shadow(parse("4,78 90,72 96,80 50,90 8,88"), 0.75, 3)
    scene.shape(parse("36,12 93,20 93,68 36,76"), (224, 222, 216), volume=0.25, rim=5, fur=0.02)
    scene.shape(parse("36,12 44,9 94,18 93,20"), (240, 240, 238), volume=0.1)
    scene.lines([[(x, 13.5 + (x - 36) * 0.14), (x, 74 - (x - 36) * 0.14)] for x in (50, 64, 78)], 0.8, (188, 186, 182))
    scene.shape(parse("36,72 93,65 93,70 36,79"), (70, 70, 74))
    scene.shape(parse("28,28 40,24 42,80 28,82"), (140, 32, 32), fur=0.02)
    scene.shape(parse("5,52 8,28 12,25 30,25 32,52 32,82 5,80"), red, volume=0.3, fur=0.02)
    scene.shape(parse("7,49 9.5,31 28,31 29.5,50"), glass)
    scene.shape(parse("9,47 11,33 16,33 13,47"), (128, 142, 154), soft=1)
    scene.shape(parse("33.5,32 40,31 40.5,49 34.5,50"), glass)
    scene.shape(parse("10,57 27,58 27,67 10,66"), (52, 50, 52))
    scene.lines([[(11, y), (26, y + 0.5)] for y in (59.5, 62, 64.5)], 0.8, (150, 148, 146), 0.2)
    scene.shape(parse("4,72 33,74 33,82 4,80"), (196, 196, 194), volume=0.35)
    scene.shape(ellipse(7.5, 69, 2.6, 2.6), (246, 240, 220))
    scene.shape(ellipse(29.5, 70.5, 2.8, 2.6), (246, 240, 220))
    for x, y, rx, ry in ((40, 78, 6.5, 9.5), (72, 72, 5.8, 9), (84, 70, 5.4, 8.6)):
        scene.shape(ellipse(x, y, rx, ry), dark)
        scene.shape(ellipse(x + 0.4, y, rx * 0.5, ry * 0.5), (160, 160, 162), fur=0.1)
    return scene


SCENES: dict[str, Callable[[], Canvas]] = {
    "airplane": airplane, "automobile": automobile, "bird": bird, "cat": cat, "deer": deer,
    "dog": dog, "frog": frog, "horse": horse, "ship": ship, "truck": truck,
}  # fmt: skip


def draw(name: str, side: int = SIDE) -> Image.Image:
    """Draw a sample with a side of `SIDE` or `FULL` px; the large one is blurred just enough to hide jagged edges."""
    scene = SCENES[name]()
    return scene.render() if side == SIDE else scene.render(FULL, radius=0.9)


def draw_mask(name: str) -> Image.Image:
    """Draw the mask of a sample's object, black and white, with a side of `SIDE` px."""
    mask = resize(SCENES[name]().object, SIDE)
    return Image.fromarray(np.where(mask >= 0.5, 255, 0).astype(np.uint8)).convert("1")


def main() -> None:
    """Draw every sample into the folder given on the command line, by default the package's."""
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "vitviz" / "data" / "samples"
    for folder in ("large", "masks"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    for name in SCENES:
        draw(name).save(out / f"{name}.png", optimize=True)
        draw(name, FULL).save(out / "large" / f"{name}.jpg", quality=88, optimize=True)
        draw_mask(name).save(out / "masks" / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
