"""Color maps of all heat maps, on the page and in figures.

Each map is defined by a few colors in OKLab (Ottosson 2020) as lightness, chroma and hue, and sampled into a table of
256 sRGB colors at equal perceptual distance, so that equal steps in attention look equal. On a light page more is
darker, on a dark page more is lighter: what contrasts with the page reads as "more". No table contains blue, which
marks selections.
"""

import numpy as np
from numpy.typing import NDArray

from vitviz.data.encoding import to_base64

Colors = NDArray[np.uint8]
Numbers = NDArray[np.float64]

# Lightness 0..1, chroma and hue in degrees, each from low to high values.
WARM_ON_LIGHT = (
    (0.985, 0.910, 0.810, 0.690, 0.555, 0.420, 0.310, 0.215),
    (0.008, 0.065, 0.120, 0.165, 0.180, 0.155, 0.115, 0.065),
    (95, 84, 62, 36, 12, -20, -48, -65),
)
WARM_ON_DARK = (
    (0.220, 0.310, 0.410, 0.535, 0.665, 0.790, 0.900, 0.980),
    (0.025, 0.090, 0.145, 0.175, 0.170, 0.130, 0.095, 0.030),
    (-72, -56, -28, 6, 34, 60, 84, 98),
)
# The cool arms are shorter than the warm ones: ends of equal lightness look alike without red or green cones. Smallest
# distance of the two ends (CIE Lab 1976) for protanopia and deuteranopia (Machado et al. 2009): 44 light, 41 dark.
COOL_ON_LIGHT = (
    (0.975, 0.880, 0.790, 0.690, 0.600),
    (0.006, 0.055, 0.090, 0.110, 0.110),
    (200, 200, 200, 202, 205),
)
COOL_ON_DARK = (
    (0.225, 0.340, 0.450, 0.560, 0.660),
    (0.012, 0.060, 0.100, 0.120, 0.120),
    (200, 206, 208, 208, 208),
)
# Both arms of the diverging map start at the same gray on the dark page.
WARM_FROM_GRAY = tuple((gray, *column[1:]) for gray, column in zip((0.225, 0.012, -70), WARM_ON_DARK, strict=True))

# Ottosson's matrices: OKLab to cone responses (cube roots), and cone responses to linear sRGB.
LAB_TO_CONES = np.array(
    [
        [1.0, 0.3963377774, 0.2158037573],
        [1.0, -0.1055613458, -0.0638541728],
        [1.0, -0.0894841775, -1.2914855480],
    ]
)
CONES_TO_RGB = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)


def oklab_to_linear(lab: Numbers) -> Numbers:
    """Convert OKLab colors (..., 3) to linear sRGB (..., 3), outside 0..1 if not displayable."""
    return (lab @ LAB_TO_CONES.T) ** 3 @ CONES_TO_RGB.T


def clip_to_srgb(lab: Numbers) -> Numbers:
    """Reduce the chroma of the OKLab colors (M, 3) that are outside sRGB until they are inside."""
    lab = lab.copy()
    while True:
        rgb = oklab_to_linear(lab)
        outside = ((rgb < -0.0005) | (rgb > 1.0005)).any(axis=-1)
        if not outside.any():
            return lab
        lab[outside, 1:] *= 0.98


def to_bytes(rgb: Numbers) -> Colors:
    """Encode linear sRGB (M, 3) in 0..1 as bytes (M, 3)."""
    rgb = rgb.clip(0, 1)
    encoded = np.where(rgb <= 0.0031308, 12.92 * rgb, 1.055 * rgb ** (1 / 2.4) - 0.055)
    return np.round(255 * encoded).astype(np.uint8)


def ramp(stops: tuple[tuple[float, ...], ...], count: int = 256) -> Colors:
    """Sample the path through `stops` at equal OKLab distances.

    Args:
        stops: Lightness, chroma and hue in degrees of the colors on the path.
        count: Number of colors.

    Returns:
        sRGB bytes (count, 3); the first and the last are the outer stops.

    Example:
        >>> ramp(WARM_ON_LIGHT, 3).shape
        (3, 3)
    """
    path = np.linspace(0, len(stops[0]) - 1, 2049)
    lightness, chroma, hue = (np.interp(path, np.arange(len(column)), column) for column in stops)
    angle = np.radians(hue)
    lab = clip_to_srgb(np.stack([lightness, chroma * np.cos(angle), chroma * np.sin(angle)], -1))  # (2049, 3)
    length = np.concatenate([[0], np.linalg.norm(np.diff(lab, axis=0), axis=-1).cumsum()])
    uniform = np.linspace(0, length[-1], count)
    lab = np.stack([np.interp(uniform, length, column) for column in lab.T], -1)  # (count, 3)
    return to_bytes(oklab_to_linear(lab))


def two_arms(cool: Colors, warm: Colors) -> Colors:
    """Join two ramps (128, 3) at their pale ends: cool below the middle, warm above it."""
    return np.concatenate([cool[::-1], warm])  # (256, 3)


# (256, 3) bytes for each kind and page. "seq" runs from zero to the maximum; "div" has its middle, between entries 127
# and 128, at uniform attention.
COLOR_MAPS: dict[tuple[str, str], Colors] = {
    ("seq", "light"): ramp(WARM_ON_LIGHT),
    ("seq", "dark"): ramp(WARM_ON_DARK),
    ("div", "light"): two_arms(ramp(COOL_ON_LIGHT, 128), ramp(WARM_ON_LIGHT, 128)),
    ("div", "dark"): two_arms(ramp(COOL_ON_DARK, 128), ramp(WARM_FROM_GRAY, 128)),
}


def color_tables() -> dict[str, dict[str, str]]:
    """Return `{"light": {"seq", "div"}, "dark": {...}}`, each 256 RGB triples in base64."""
    tables: dict[str, dict[str, str]] = {"light": {}, "dark": {}}
    for (kind, page), colors in COLOR_MAPS.items():
        tables[page][kind] = to_base64(colors)
    return tables
