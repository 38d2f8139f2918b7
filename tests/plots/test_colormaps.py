"""Color maps: perceptual uniformity, and contrast with the page."""

import numpy as np
import pytest

from vitviz.plots.colormaps import COLOR_MAPS, CONES_TO_RGB, LAB_TO_CONES, oklab_to_linear, ramp

# Linear sRGB as seen without red or green cones (Machado et al. 2009, severity 1.0), and linear sRGB to CIE XYZ.
PROTANOPIA = [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
DEUTERANOPIA = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
XYZ = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
WHITE = (0.95047, 1.0, 1.08883)
PAGE = {"light": (255, 255, 255), "dark": (20, 22, 26)}


def linear_to_oklab(rgb):
    """Linear sRGB (..., 3) -> OKLab (..., 3): the inverse of `oklab_to_linear`."""
    return np.cbrt(rgb @ np.linalg.inv(CONES_TO_RGB).T) @ np.linalg.inv(LAB_TO_CONES).T


def linear(colors):
    """sRGB bytes (M, 3) -> linear sRGB (M, 3)."""
    encoded = np.asarray(colors) / 255
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def oklab(colors):
    """sRGB bytes (M, 3) -> OKLab (M, 3)."""
    return linear_to_oklab(linear(colors))


def cielab(rgb):
    """Linear sRGB (M, 3) -> CIE Lab (M, 3)."""
    xyz = rgb @ np.transpose(XYZ) / WHITE
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116).T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], -1)


def steps(colors, every):
    return np.linalg.norm(np.diff(oklab(colors)[::every], axis=0), axis=-1)


@pytest.mark.parametrize("name", COLOR_MAPS)
def test_every_map_has_256_colors_of_three_bytes(name):
    assert COLOR_MAPS[name].shape == (256, 3)
    assert COLOR_MAPS[name].dtype == np.uint8


def test_lightness_is_monotonic():
    # Single neighbors may be equal after rounding to bytes, eight steps may not.
    assert (np.diff(oklab(COLOR_MAPS["seq", "light"])[::8, 0]) < 0).all()
    assert (np.diff(oklab(COLOR_MAPS["seq", "dark"])[::8, 0]) > 0).all()


@pytest.mark.parametrize("page", ["light", "dark"])
def test_sequential_map_is_perceptually_uniform(page):
    sizes = steps(COLOR_MAPS["seq", page], every=8)
    assert sizes.max() / sizes.min() < 1.2  # rounding to bytes alone causes 1.1


@pytest.mark.parametrize("page", ["light", "dark"])
def test_low_values_match_the_page_and_high_values_contrast(page):
    background = oklab([PAGE[page]])[0]
    first, last = oklab(COLOR_MAPS["seq", page])[[0, -1]]
    assert abs(first[0] - background[0]) < 0.03
    assert abs(last[0] - background[0]) > 0.7


@pytest.mark.parametrize("page", ["light", "dark"])
def test_both_arms_of_the_diverging_map_start_at_the_page_color(page):
    lab = oklab(COLOR_MAPS["div", page])
    assert np.linalg.norm(lab[127] - lab[128]) < 0.02
    assert np.abs(lab[127:129, 0] - oklab([PAGE[page]])[0, 0]).max() < 0.04
    away = np.abs(lab[:, 0] - lab[128, 0])
    assert (np.diff(away[128::8]) > 0).all()
    assert (np.diff(away[127::-8]) > 0).all()


@pytest.mark.parametrize("vision", [np.eye(3), PROTANOPIA, DEUTERANOPIA], ids=["normal", "protanopia", "deuteranopia"])
@pytest.mark.parametrize("page", ["light", "dark"])
def test_the_ends_of_the_diverging_map_differ_for_color_blind_viewers(page, vision):
    colors = (linear(COLOR_MAPS["div", page]) @ np.transpose(vision)).clip(0, 1)
    low, high = cielab(colors[[0, -1]])
    assert np.linalg.norm(low - high) > 41  # the smallest: dark page, protanopia
    assert np.linalg.norm(cielab(colors[128:]) - low, axis=-1).min() > 19, "no high value looks like the lowest one"


def test_cie_lab_of_known_colors():
    red, white = cielab(linear([(255, 0, 0), (255, 255, 255)]))
    assert np.allclose(red, (53.24, 80.09, 67.20), atol=0.05)
    assert np.allclose(white, (100, 0, 0), atol=0.05)


def test_conversion_to_oklab_round_trips():
    linear = np.random.default_rng(0).random((50, 3))
    assert np.allclose(oklab_to_linear(linear_to_oklab(linear)), linear)


def test_white_has_lightness_one_and_zero_chroma():
    assert np.allclose(oklab([PAGE["light"]]), [[1, 0, 0]], atol=1e-4)


def test_a_ramp_starts_and_ends_at_its_outer_stops():
    gray = ramp(((0.0, 1.0), (0.0, 0.0), (0.0, 0.0)), 5)
    assert gray[0].tolist() == [0, 0, 0]
    assert gray[-1].tolist() == [255, 255, 255]


def test_warm_colors_differ_from_the_blue_of_selections():
    accent = oklab([(11, 92, 173)])[0]
    distance = np.linalg.norm(oklab(COLOR_MAPS["seq", "light"]) - accent, axis=-1)
    assert distance.min() > 0.12
