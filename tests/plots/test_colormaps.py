"""Color maps: perceptual uniformity, and contrast with the page."""

import numpy as np
import pytest

from vitviz.plots.colormaps import COLOR_MAPS, CONES_TO_RGB, LAB_TO_CONES, oklab_to_linear, ramp

PAGE = {"light": (255, 255, 255), "dark": (20, 22, 26)}


def linear_to_oklab(rgb):
    """Linear sRGB (..., 3) -> OKLab (..., 3): the inverse of `oklab_to_linear`."""
    return np.cbrt(rgb @ np.linalg.inv(CONES_TO_RGB).T) @ np.linalg.inv(LAB_TO_CONES).T


def oklab(colors):
    """sRGB bytes (M, 3) -> OKLab (M, 3)."""
    encoded = np.asarray(colors) / 255
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    return linear_to_oklab(linear)


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
