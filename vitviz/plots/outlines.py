"""Outlines of an image as smooth lines: edges in Lindeberg's sense, at one scale.

An edge is where the gradient of the blurred image is largest along its own direction: a zero of the second
derivative in that direction, where the third is negative (Canny 1986; Lindeberg 1998, section 2). The derivatives are
those of a Gaussian, evaluated between pixels, so that lines have no steps even for an image of 32 x 32 pixels.
"""

from functools import lru_cache
from typing import cast

import numpy as np
from contourpy import LineType, contour_generator
from numpy.typing import NDArray

Array = NDArray[np.float64]
Lines = list[NDArray[np.float32]]
GRAY = (0.55, 0.33, 0.12)  # with the weights of luminance, a red car on a green lawn would have no outline
SAMPLES = 112  # points along the longer side at which derivatives are evaluated
SIGMA = 0.021  # of the blur, as a fraction of the longer side; at least `MIN_SIGMA` pixels
MIN_SIGMA = 0.8
STRONG, WEAK = 0.34, 0.13  # gradient of a line's strongest and weakest point, relative to the image's 99th percentile
MIN_CONTRAST = 2.0  # gray levels per `SIGMA`; weaker gradients are noise of flat images
MIN_LENGTH = 0.09  # of the longer side
MAX_POINTS = 1500  # about 13 kB as an SVG path
TOLERANCE = 0.0012  # of the longer side: points closer to the line between their neighbors are left out


def outlines(image: NDArray[np.uint8]) -> Lines:
    """Return the outlines of an image (H, W, 3), strongest first: polylines (n, 2), across and down from 0 to 1."""
    gray = image.astype(float) @ GRAY  # (H, W)
    longer = max(gray.shape)
    shape = [max(8, round(SAMPLES * side / longer)) for side in gray.shape]
    sigma = max(SIGMA * longer, MIN_SIGMA)
    down, across = (gaussian_derivatives(side, count, sigma) for side, count in zip(gray.shape, shape, strict=True))

    def derivative(by_x: int, by_y: int) -> Array:
        found: Array = down[by_y] @ gray @ across[by_x].T
        return found

    x, y, xx, xy, yy = (derivative(*order) for order in ((1, 0), (0, 1), (2, 0), (1, 1), (0, 2)))
    xxx, xxy, xyy, yyy = (derivative(*order) for order in ((3, 0), (2, 1), (1, 2), (0, 3)))
    gradient = np.hypot(x, y)
    second = x * x * xx + 2 * x * y * xy + y * y * yy
    third = x**3 * xxx + 3 * x * x * y * xxy + 3 * x * y * y * xyy + y**3 * yyy
    top = max(float(np.quantile(gradient, 0.99)), MIN_CONTRAST / sigma)
    gradient[third > 0] = 0  # minima of the gradient
    lines = []
    generator = contour_generator(z=second, line_type=LineType.Separate)
    for line in cast(list[Array], generator.lines(0.0)):
        lines += strong_parts(line, gradient / top, shape)
    lines.sort(key=lambda part: -part[0])
    kept = np.cumsum([len(line) for _, line in lines]) <= MAX_POINTS
    return [line for (_, line), is_kept in zip(lines, kept, strict=True) if is_kept]


@lru_cache(maxsize=16)
def gaussian_derivatives(pixels: int, count: int, sigma: float) -> list[Array]:
    """Return matrices (count, pixels) that blur a line of pixels and differentiate it 0 to 3 times, at `count` points.

    The line is continued by its mirror image.
    """
    reach = min(pixels, int(4 * sigma) + 1)
    places = np.arange(-reach, pixels + reach)
    source = np.pad(np.arange(pixels), reach, mode="symmetric")
    t = ((np.arange(count) + 0.5) * pixels / count - 0.5)[:, None] - places[None]  # distance in pixels
    weights = np.exp(-0.5 * (t / sigma) ** 2)
    weights /= weights.sum(1, keepdims=True)
    u, s = t / sigma, 1 / sigma
    found = []
    for factor in (np.ones_like(u), -u * s, (u * u - 1) * s**2, -(u**3 - 3 * u) * s**3):
        matrix = np.zeros((count, pixels))
        np.add.at(matrix.T, source, (factor * weights).T)
        found.append(matrix)
    return found


def strong_parts(line: Array, gradient: Array, shape: list[int]) -> list[tuple[float, NDArray[np.float32]]]:
    """Return the parts of a line (n, 2) in samples that are edges, with their strength.

    A part ends where the gradient, relative to the image's, falls below `WEAK`; it must reach `STRONG` somewhere and be
    long enough.
    """
    column, row = np.rint(line).astype(int).T
    strength = gradient[row, column]
    inside = np.flatnonzero(strength >= WEAK)
    parts = []
    for part in np.split(inside, np.flatnonzero(np.diff(inside) > 2) + 1):
        if len(part) < 4 or strength[part].max() < STRONG:
            continue
        points = line[part[0] : part[-1] + 1]
        length = float(np.hypot(*np.diff(points, axis=0).T).sum())
        if length >= MIN_LENGTH * max(shape):
            thinned = thin(points, TOLERANCE * max(shape))
            scaled = (thinned + 0.5) / (shape[1], shape[0])
            parts.append((length * float(strength[part].mean()), scaled.clip(0, 1).astype(np.float32)))
    return parts


def thin(points: Array, tolerance: float) -> Array:
    """Leave out points (n, 2) that are close to the line between those that remain (Douglas & Peucker 1973)."""
    keep = np.zeros(len(points), bool)
    keep[[0, -1]] = True
    spans = [(0, len(points) - 1)]
    while spans:
        first, last = spans.pop()
        if last - first < 2:
            continue
        chord, inner = points[last] - points[first], points[first + 1 : last] - points[first]
        length = float(np.hypot(*chord))
        distance = np.abs(inner[:, 0] * chord[1] - inner[:, 1] * chord[0]) / length if length else np.hypot(*inner.T)
        worst = int(distance.argmax())
        if distance[worst] > tolerance:
            keep[first + 1 + worst] = True
            spans += [(first, first + 1 + worst), (first + 1 + worst, last)]
    return points[keep]


def svg_path(lines: Lines) -> str:
    """Return the lines as the data of an SVG path in a box of 1000 x 1000."""
    numbers = (np.rint(1000 * line).astype(int) for line in lines)
    return "".join(f"M{'L'.join(f'{x} {y}' for x, y in line)}" for line in numbers)
