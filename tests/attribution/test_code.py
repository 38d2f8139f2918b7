"""Code for a view computes its arrays."""

from dataclasses import replace

import numpy as np
import pytest

import vitviz
from tests import tiny
from vitviz.attribution import code
from vitviz.attribution.explanation import explain
from vitviz.attribution.view_maps import all_rows, map_of
from vitviz.view import View


@pytest.mark.parametrize(
    ("view", "ablations"),
    [
        (View(layer=4, head=1), []),
        (View(query=(9,), direction="to"), []),
        (View(layer=2, query=(9, 20)), [{"heads": [(2, 0), (4, 3)]}]),
        (View(content="method", method="relevance", target=(3, 5)), [{"patches": [27, 28], "patch_mode": "gray"}]),
        (View(head=3), [{"heads": [(0, 3)], "patches": [1], "mode": "mean"}, {"patches": [2]}]),
    ],
)
def test_code_computes_the_same_arrays(view, ablations):
    found = vitviz.explain(vitviz.load("cifar10-ti4"), "cat")
    for one in ablations:
        found = found.ablate(**one)
    namespace = {}
    exec(code.python(found, view), namespace)
    np.testing.assert_allclose(namespace["array"], map_of(found, view), atol=1e-6)
    maps = all_rows(found, view)[:-1, :-1, found.context.prefix :].reshape(namespace["maps"].shape)
    np.testing.assert_allclose(namespace["maps"], maps, atol=1e-6)


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (View(content="contributions", target=(3, 5)), lambda cat, dog: cat.contributions((3, 5)).heads),
        (View(content="features", layer=2), lambda cat, dog: cat.pca(2).rgb),
        (View(content="features", layer=2, query=(9,)), lambda cat, dog: cat.similarity(2, 9)),
        (
            View(content="features", layer=3, lens=True),
            lambda cat, dog: vitviz.tuned_lens(cat.context.checkpoint).maps(cat)[4],
        ),
        (
            View(content="patching", target=(3, 5)),
            lambda cat, dog: vitviz.patch_activations(cat, dog, (3, 5)).recovered,
        ),
    ],
)
def test_code_computes_the_numbers_of_other_contents(view, expected):
    cat, dog = vitviz.explain(vitviz.load("cifar10-ti4"), ["cat", "dog"])
    namespace = {}
    exec(code.python(cat, view, dog), namespace)
    found = namespace["heads" if view.content == "contributions" else "array"]
    np.testing.assert_allclose(found, expected(cat, dog), atol=1e-6)


def test_code_names_crop_uploaded_images_and_attention_pooling():
    config = replace(tiny.CONFIG, class_token=False, reg_tokens=1, global_pool="map")
    checkpoint = replace(tiny.checkpoint(config), name="runs/mine")
    found = explain(checkpoint, tiny.pixels(), crop=0.25)
    text = code.python(found, View(layer="pool", head=1))
    assert "vitviz.load('runs/mine/last.safetensors')" in text
    assert "vitviz.explain(model, 'image.png', crop=0.25)  # your image" in text
    assert "attention_map(layer='pool', head=1)" in text
