"""Server functions of the views of Explore: values equal the library's."""

import base64

import numpy as np
import pytest
import torch

from tests import tiny
from vitviz.attribution.explanation import explain
from vitviz.attribution.neighbors import build_index, nearest
from vitviz.data import cifar
from vitviz.data.cifar import DataError
from vitviz.webapp import image_sets
from vitviz.webapp.pages.views import Views
from vitviz.webapp.server.cache import ExplanationCache
from vitviz.webapp.server.tasks import Tasks


@pytest.fixture
def shown():
    """An explanation and the functions of a page that shows it."""
    explanation, cache = explain(tiny.checkpoint(), tiny.pixels()), ExplanationCache()
    return explanation, Views(cache, Tasks()), cache.add(explanation)


def test_contributions_are_those_of_the_library_and_sum_to_the_logit(shown):
    explanation, page, key = shown
    reply = page.contributions({"key": key, "target": [3, 7]})
    heads = np.frombuffer(base64.b64decode(reply["heads"]), "<f4").reshape(explanation.attention.shape[:3])
    assert np.array_equal(heads, explanation.contributions((3, 7)).heads)
    total = reply["embedding"] + heads.sum() + sum(reply["attentionBias"]) + sum(reply["mlp"]) + reply["bias"]
    assert total == pytest.approx(reply["logit"], abs=1e-5)


def test_an_expired_key_has_no_contributions(shown):
    assert shown[1].contributions({"key": "unknown", "target": []}) is None


def test_a_class_that_does_not_exist_is_refused(shown):
    _, page, key = shown
    with pytest.raises(ValueError, match="class"):
        page.contributions({"key": key, "target": [99]})


def test_a_map_per_pixel_is_that_of_the_library(shown):
    explanation, page, key = shown
    reply = page.pixel_map({"key": key, "method": "balanced_gradients", "target": [3, 7]})
    values = np.frombuffer(base64.b64decode(reply["values"]), "<f4").reshape(reply["rows"], reply["columns"])
    assert np.array_equal(values, explanation.pixel_map("balanced_gradients", (3, 7)))
    assert page.pixel_map({"key": "unknown", "method": "balanced_gradients", "target": []}) is None
    with pytest.raises(ValueError, match="method must be one with a map per pixel"):
        page.pixel_map({"key": key, "method": "rollout", "target": []})


def test_features_are_the_components_of_the_library_as_colors(shown):
    explanation, page, key = shown
    reply = page.features({"key": key, "foreground": False})
    layers, patches = len(explanation.attention), explanation.context.config.num_patches
    pixels = np.frombuffer(base64.b64decode(reply["pixels"]), np.uint8).reshape(layers, patches, 4)
    found = explanation.pca(1)
    assert np.abs(pixels[1, :, :3] / 255 - found.rgb.reshape(patches, 3)).max() <= 0.5 / 255 + 1e-6
    assert (pixels[..., 3] == 255).all()
    assert reply["explained"][1] == found.explained.tolist()


def test_patches_outside_of_the_foreground_are_transparent(shown):
    explanation, page, key = shown
    reply = page.features({"key": key, "foreground": True})
    pixels = np.frombuffer(base64.b64decode(reply["pixels"]), np.uint8).reshape(len(explanation.attention), -1, 4)
    assert np.array_equal(pixels[1, :, 3] > 0, explanation.pca(1, True).foreground.ravel())


def test_a_layer_without_three_patches_has_no_components(shown):
    explanation, page, _ = shown
    few = explanation.ablate(patches=range(2, explanation.context.config.num_patches))
    reply = page.features({"key": page.explanations.add(few), "foreground": False})
    assert reply["explained"] == [None] * len(explanation.attention)
    assert not any(base64.b64decode(reply["pixels"]))


def test_similarities_are_those_of_the_library(shown):
    explanation, page, key = shown
    values = np.frombuffer(base64.b64decode(page.similarity({"key": key, "patch": 2})["values"]), "<f4")
    assert np.array_equal(values.reshape(len(explanation.attention), -1)[1], explanation.similarity(2, 1).ravel())


def test_a_patch_that_does_not_exist_is_refused(shown):
    with pytest.raises(ValueError, match="patch must be from 0"):
        shown[1].similarity({"key": shown[2], "patch": 10_000})


@pytest.fixture
def training_images(monkeypatch, tmp_path):
    """Training images of noise, and an empty cache."""
    monkeypatch.setenv("VITVIZ_CACHE", str(tmp_path))
    found = torch.randint(0, 256, (300, 3, 32, 32), dtype=torch.uint8), torch.arange(300) % 10
    monkeypatch.setattr(image_sets, "load_train_set", lambda data: found)
    return found


def test_the_nearest_images_are_those_of_the_library(shown, training_images):
    explanation, page, key = shown
    reply = page.nearest({"key": key, "task": "a"})
    index = build_index(explanation.context.checkpoint, training_images[0])
    found = nearest(explanation.context, index)
    assert [image["index"] for image in reply["images"]] == found.indices.tolist()
    assert [image["label"] for image in reply["images"]] == [cifar.CLASSES[i % 10] for i in found.indices]
    assert reply["count"] == 300


def test_without_training_images_a_public_page_names_no_folder(tmp_path):
    with pytest.raises(DataError, match=str(tmp_path)):
        image_sets.train_set(str(tmp_path / "missing"), public=False)
    with pytest.raises(DataError, match="not available on this server"):
        image_sets.train_set(str(tmp_path / "missing"), public=True)
