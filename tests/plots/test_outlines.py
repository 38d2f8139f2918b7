"""Outlines: smooth lines along the edges of an image, and none where there are no edges."""

import numpy as np
import pytest

from tests import tiny
from vitviz.plots.outlines import gaussian_derivatives, outlines, svg_path, thin


def disk(size=32, radius=0.3):
    y, x = np.mgrid[:size, :size] + 0.5
    inside = np.hypot(x / size - 0.5, y / size - 0.5) < radius
    return np.where(inside[..., None], 230, 30).repeat(3, -1).astype(np.uint8)


@pytest.mark.parametrize("size", [32, 224])
def test_the_outline_of_a_disk_is_its_circle(size):
    lines = outlines(disk(size))
    assert len(lines) == 1
    radii = np.hypot(*(lines[0] - 0.5).T)
    assert np.abs(radii - 0.3).max() < 0.015
    assert len(lines[0]) > 20


def test_a_vertical_edge_is_a_straight_line():
    image = np.zeros((20, 28, 3), np.uint8)
    image[:, 14:] = 255
    (line,) = outlines(image)
    np.testing.assert_allclose(line[:, 0], 0.5, atol=0.005)
    assert np.ptp(line[:, 1]) > 0.9


def test_a_flat_or_nearly_flat_image_has_no_outlines():
    assert outlines(np.full((32, 32, 3), 128, np.uint8)) == []
    noise = np.random.default_rng(0).integers(127, 129, (32, 32, 3), dtype=np.uint8)
    assert outlines(noise) == []


def test_outlines_of_noise_stay_small():
    lines = outlines(tiny.pixels(224, 224))
    assert len(svg_path(lines)) <= 15_000
    assert all((line >= 0).all() and (line <= 1).all() for line in lines)


def test_derivatives_of_a_line_are_its_slope():
    ramp = np.arange(40.0)
    blur, slope, curvature, third = (matrix @ ramp for matrix in gaussian_derivatives(40, 80, 1.5))
    middle = slice(20, 60)
    np.testing.assert_allclose(blur[middle], ((np.arange(80) + 0.5) / 2 - 0.5)[middle], atol=1e-3)
    np.testing.assert_allclose(slope[middle], 1, atol=1e-3)
    np.testing.assert_allclose(curvature[middle], 0, atol=1e-3)
    np.testing.assert_allclose(third[middle], 0, atol=1e-3)


def test_points_on_a_straight_line_are_left_out():
    points = np.array([[0, 0], [1, 0.001], [2, 0], [2, 1], [2, 2]], float)
    assert thin(points, 0.01).tolist() == [[0, 0], [2, 0], [2, 2]]


def test_a_path_is_written_in_thousandths():
    assert svg_path([np.array([[0, 0.5], [1, 0.25]], np.float32)]) == "M0 500L1000 250"
