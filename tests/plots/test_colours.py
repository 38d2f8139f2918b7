"""The colour maps: what the eye is promised holds in the numbers."""

import numpy as np
import pytest

from vitviz.plots.colormaps import COLOUR_MAPS, CONES_TO_RGB, LAB_TO_CONES, oklab_to_linear, ramp

PAGE = {"light": (255, 255, 255), "dark": (20, 22, 26)}


def linear_to_oklab(rgb):
    """Linear sRGB (..., 3) -> OKLab (..., 3): the way back of `oklab_to_linear`."""
    return np.cbrt(rgb @ np.linalg.inv(CONES_TO_RGB).T) @ np.linalg.inv(LAB_TO_CONES).T


def oklab(colours):
    """sRGB bytes (M, 3) -> OKLab (M, 3)."""
    encoded = np.asarray(colours) / 255
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    return linear_to_oklab(linear)


def steps(colours, every):
    return np.linalg.norm(np.diff(oklab(colours)[::every], axis=0), axis=-1)


@pytest.mark.parametrize("name", COLOUR_MAPS)
def test_every_map_has_256_colours_of_three_bytes(name):
    assert COLOUR_MAPS[name].shape == (256, 3)
    assert COLOUR_MAPS[name].dtype == np.uint8


def test_more_is_always_darker_on_a_light_page_and_lighter_on_a_dark_page():
    # Single neighbours may tie after rounding to bytes, eight steps may not.
    assert (np.diff(oklab(COLOUR_MAPS["seq", "light"])[::8, 0]) < 0).all()
    assert (np.diff(oklab(COLOUR_MAPS["seq", "dark"])[::8, 0]) > 0).all()


@pytest.mark.parametrize("page", ["light", "dark"])
def test_steps_of_the_sequential_map_look_nearly_equal(page):
    sizes = steps(COLOUR_MAPS["seq", page], every=8)
    assert sizes.max() / sizes.min() < 1.2  # bytes alone make a tenth


@pytest.mark.parametrize("page", ["light", "dark"])
def test_nothing_looks_like_the_page_and_much_does_not(page):
    background = oklab([PAGE[page]])[0]
    first, last = oklab(COLOUR_MAPS["seq", page])[[0, -1]]
    assert abs(first[0] - background[0]) < 0.03
    assert abs(last[0] - background[0]) > 0.7


@pytest.mark.parametrize("page", ["light", "dark"])
def test_both_arms_of_the_diverging_map_start_at_the_page_colour(page):
    lab = oklab(COLOUR_MAPS["div", page])
    assert np.linalg.norm(lab[127] - lab[128]) < 0.02
    assert np.abs(lab[127:129, 0] - oklab([PAGE[page]])[0, 0]).max() < 0.04
    away = np.abs(lab[:, 0] - lab[128, 0])
    assert (np.diff(away[128::8]) > 0).all()
    assert (np.diff(away[127::-8]) > 0).all()


def test_the_way_to_oklab_and_back_changes_nothing():
    linear = np.random.default_rng(0).random((50, 3))
    assert np.allclose(oklab_to_linear(linear_to_oklab(linear)), linear)


def test_white_has_lightness_one_and_no_colour():
    assert np.allclose(oklab([PAGE["light"]]), [[1, 0, 0]], atol=1e-4)


def test_a_ramp_starts_and_ends_at_its_outer_stops():
    grey = ramp(((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)), 5)
    assert grey[0].tolist() == [0, 0, 0]
    assert grey[-1].tolist() == [255, 255, 255]


def test_no_warm_colour_can_be_taken_for_the_blue_of_choices():
    accent = oklab([(11, 92, 173)])[0]
    distance = np.linalg.norm(oklab(COLOUR_MAPS["seq", "light"]) - accent, axis=-1)
    assert distance.min() > 0.12
