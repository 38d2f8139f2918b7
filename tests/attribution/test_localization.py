"""Localization by hand, and on the sample images."""

import numpy as np
import pytest
from PIL import Image

from benchmarks import localization
from tests import tiny
from tests.errors import refuses
from vitviz.data.preprocessing import SAMPLES, sample_paths


def test_pointing_game_and_relevance_mass_by_hand():
    mask = np.array([[1.0, 0.5], [0.25, 0.0]])
    assert localization.pointing_game(np.array([[0.1, 0.9], [0.2, 0.3]]), mask)
    assert not localization.pointing_game(np.array([[0.1, 0.1], [0.9, 0.3]]), mask)
    assert localization.relevance_mass(np.array([[2.0, 2.0], [4.0, -8.0]]), mask) == pytest.approx((2 + 1 + 1) / 8)
    assert localization.relevance_mass(np.ones((2, 2)), mask) == pytest.approx(mask.mean())
    assert localization.relevance_mass(-np.ones((2, 2)), mask) == 0


@pytest.mark.parametrize("name", ["cat", "ship"])
def test_a_mask_covers_the_patches_of_the_cropped_image(name):
    found = localization.sample_mask(name, tiny.checkpoint())
    assert found.shape == (tiny.GH, tiny.GW)
    with Image.open(SAMPLES / "masks" / f"{name}.png") as stored:
        pixels = np.asarray(stored, float)
    height = round(96 * tiny.H / tiny.W)  # the center crop of the non-square input
    top = (96 - height) // 2
    assert found.mean() == pytest.approx(pixels[top : top + height].mean(), abs=0.03)
    assert 0 <= found.min() < 0.05
    assert 0.95 < found.max() <= 1


def test_all_methods_are_located_on_all_samples():
    checkpoint = tiny.checkpoint()
    on_object = lambda context, target: next(masks)  # noqa: E731
    masks = iter([localization.sample_mask(name, checkpoint).ravel() for name in sample_paths()])
    found = localization.on_samples(checkpoint, {"mask": on_object, "flat": lambda context, target: np.ones(tiny.N)})
    assert set(found) == {"mask", "flat", localization.UNIFORM}
    assert found["mask"]["pointing game"] == [1.0] * 10
    assert found["flat"]["relevance mass"] == pytest.approx(found[localization.UNIFORM]["relevance mass"])
    assert all(
        one > other for one, other in zip(found["mask"]["relevance mass"], found["flat"]["relevance mass"], strict=True)
    )


def test_the_class_of_the_sample_is_explained_where_the_model_has_it():
    checkpoint = tiny.checkpoint()
    named = checkpoint.__class__(**(vars(checkpoint) | {"labels": ("x", "cat", *checkpoint.labels[2:])}))
    targets = []
    localization.on_samples(named, {"x": lambda context, target: targets.append(target) or np.ones(tiny.N)})
    assert targets[list(sample_paths()).index("cat")] == 1
    with refuses("name"):
        localization.sample_mask("teapot", checkpoint)
