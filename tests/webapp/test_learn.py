"""Numbers of the Learn page against the library, for several kinds of models."""

import base64
import io
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image

import vitviz
from tests import tiny, tutorials
from tests.tutorials import TUTORIALS
from tests.webapp.serving import IGNORE_PANDAS_WARNINGS
from vitviz.attribution import lesson
from vitviz.attribution.explanation import explain
from vitviz.data.preprocessing import sample_paths
from vitviz.models.checkpoint import Checkpoint
from vitviz.webapp.pages.explore import Explore
from vitviz.webapp.pages.learn import Learn
from vitviz.webapp.server.requests import RequestError
from vitviz.webapp.timelines import Timelines

pytestmark = IGNORE_PANDAS_WARNINGS
HEADLESS = replace(tiny.CONFIG, num_classes=0)
CONFIGS = tiny.VARIANTS | {"no head": HEADLESS}


@pytest.fixture(scope="module")
def learn():
    return Learn(Explore(), Timelines(None))


@pytest.fixture(scope="module")
def cat():
    return vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"])


def floats(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<f4")


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_every_model_has_a_lesson(learn, config):
    found = explain(tiny.checkpoint(config), tiny.pixels())
    key = {"key": learn.explanations.add(found)}
    reply = learn.lesson(key)
    assert reply["model"]["patch"] == [4, 4]
    assert reply["model"]["headDim"] == reply["model"]["scaledWidth"] == 9
    assert len(reply["lens"]) == len(reply["norms"]) == 7
    assert (reply["patchPredictions"] is not None) == (config.global_pool == "token" and config.num_classes > 0)
    assert (reply["contributions"] is not None) == bool(reply["removals"]) == bool(config.num_classes)
    row = learn.lesson_head(key | {"layer": 3, "head": 1})
    assert floats(row["keys"]).size == config.num_tokens * row["size"]
    assert len(learn.lesson_patch(key | {"patch": 34, "dimension": 17})["positions"]) == 35


@pytest.mark.parametrize("name", TUTORIALS)
def test_every_tutorial_network_has_a_lesson(learn, name):
    labels = tuple(f"class {k}" for k in range(7))
    checkpoint = Checkpoint(name, tutorials.network(name), labels, (0.5, 0.4, 0.3), (0.2, 0.25, 0.3), {})
    found = explain(checkpoint, tiny.pixels(12, 20))
    key = {"key": learn.explanations.add(found)}
    reply = learn.lesson(key)
    assert reply["model"]["patch"] == ([1, 4] if name == "tutorial-scratch" else [2, 2])
    assert reply["model"]["scaledWidth"] == (18 if name.startswith("tutorial-scratch") else 6)
    parts = reply["contributions"]
    total = parts["embedding"] + sum(parts["attention"]) + sum(parts["mlp"]) + parts["bias"]
    assert total == pytest.approx(found.logits.max(), abs=1e-4)
    assert learn.lesson_head(key | {"layer": 1, "head": 2})["size"] == 6
    assert len(learn.lesson_patch(key | {"patch": 59, "dimension": 17})["positions"]) == 60
    assert len(learn.lesson_remove(key | {"patches": [0, 59]})) == 7


def test_the_sizes_are_those_of_the_network(learn, cat):
    model = learn.lesson({"key": learn.explanations.add(cat)})["model"]
    network = cat.context.model
    assert model["imgSize"] == list(cat.context.image.shape[1:])
    assert model["patch"] == [model["patchSize"]] * 2 == list(network.patch_filters().shape[2:])
    assert model["embedDim"] == network.pos_embed.shape[-1]
    assert model["headDim"] == model["scaledWidth"] == network.blocks[0].attn.qkv.out_features // (3 * 6)
    assert model["mlpDim"] == network.blocks[0].mlp.fc1.out_features
    assert model["positions"]
    assert not model["rotary"]


def test_the_numbers_are_those_of_the_library(learn, cat):
    reply = learn.lesson({"key": learn.explanations.add(cat)})
    np.testing.assert_allclose(reply["logits"], cat.logits)
    tokens, network = cat.context.output.tokens[:, 0], cat.context.model  # (L + 1, T, D)
    with torch.no_grad():
        np.testing.assert_allclose(reply["lens"], network.forward_head(tokens).softmax(-1), atol=1e-6)
        patches = network.head(network.norm(tokens[-1, 1:])).softmax(-1)
    np.testing.assert_allclose(reply["patchPredictions"], patches, atol=1e-5)
    np.testing.assert_allclose(reply["norms"], tokens[:, 0].norm(dim=-1), rtol=1e-5)
    parts, found = reply["contributions"], cat.contributions()
    np.testing.assert_allclose(parts["attention"], found.attention, atol=1e-6)
    np.testing.assert_allclose(parts["mlp"], found.mlp, atol=1e-6)
    total = parts["embedding"] + sum(parts["attention"]) + sum(parts["mlp"]) + parts["bias"]
    assert total == pytest.approx(parts["logit"], abs=1e-4)
    assert parts["logit"] == pytest.approx(float(cat.logits.max()), abs=1e-5)
    assert [one["name"] for one in reply["removals"]] == ["Last layer", "Average", "Balanced gradients"]
    for one, method in zip(reply["removals"], ("attention", "average", "balanced_gradients"), strict=True):
        values = cat.map(method).ravel()
        assert len(one["patches"]) == 16
        assert min(values[one["patches"]]) >= np.sort(values)[-16]
    assert [one["patches"] for one in reply["random"]] == lesson.random_patches(cat.context, 16)
    for one in [*reply["removals"], *reply["random"]]:
        expected = cat.ablate(patches=one["patches"], patch_mode="gray").probabilities
        np.testing.assert_allclose(one["probabilities"], expected, atol=1e-5)


def test_the_wrong_patches_are_those_of_the_tutorial(learn, cat):
    scrambled = learn.lesson({"key": learn.explanations.add(cat)})["scrambled"]
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(scrambled.partition(",")[2]))).convert("RGB"))
    image = np.asarray(cat.image.model_input.convert("RGB"))
    square = pixels[16:20, 12:16]  # patch 35 of 8 x 8
    np.testing.assert_array_equal(square.reshape(16, 3), image.reshape(-1, 3)[35 * 16 : 36 * 16])


def test_a_worked_row_gives_the_attention_of_the_head(learn, cat):
    row = learn.lesson_head({"key": learn.explanations.add(cat), "layer": 4, "head": 1})
    keys = floats(row["keys"]).reshape(-1, row["size"])
    scores = keys @ floats(row["query"]) / row["size"] ** 0.5
    weights = np.exp(scores) / np.exp(scores).sum()
    np.testing.assert_allclose(weights, cat.cls_attention[4, 1], atol=1e-6)
    values = cat.context.model.head_values(4, cat.context.output.tokens[4])[0, 1]
    np.testing.assert_allclose(floats(row["values"]), values.detach().flatten(), atol=1e-6)


def test_a_patch_and_its_place_are_those_of_the_network(learn, cat):
    reply = learn.lesson_patch({"key": learn.explanations.add(cat), "patch": 36, "dimension": 7})
    network = cat.context.model
    np.testing.assert_allclose(floats(reply["pixels"]).reshape(3, 4, 4), cat.context.image[:, 16:20, 16:20])
    np.testing.assert_allclose(floats(reply["weights"]), network.patch_filters()[7].detach().flatten())
    assert reply["product"] == pytest.approx(float(floats(reply["pixels"]) @ floats(reply["weights"])), abs=1e-5)
    assert reply["value"] == pytest.approx(cat.context.output.tokens[0, 0, 37, 7].item(), abs=1e-6)
    assert reply["product"] + reply["rest"] == pytest.approx(reply["value"])
    places = network.pos_embed[0, 1:].detach()
    expected = torch.nn.functional.cosine_similarity(places[36], places)
    np.testing.assert_allclose(reply["positions"], expected, atol=1e-5)


def test_removed_patches_change_the_probabilities_as_in_explore(learn, cat):
    key = {"key": learn.explanations.add(cat)}
    expected = cat.ablate(patches=[27, 28], patch_mode="gray").probabilities
    np.testing.assert_allclose(learn.lesson_remove(key | {"patches": [27, 28]}), expected, atol=1e-5)
    with pytest.raises(RequestError, match="patches must be from 0 to 63: got"):
        learn.lesson_remove(key | {"patches": [64]})


def test_the_training_is_that_of_the_timeline(learn):
    reply = learn.lesson_training({"checkpoint": "cifar10-ti4", "name": "dog"})
    held = learn.timelines.load("cifar10-ti4")
    assert reply["name"] == "dog"
    maps = floats(reply["maps"]).reshape(len(held.epoch), -1)
    expected = held.cls_attention[-1, held.names.index("dog"), -1].astype(np.float32).mean(0)[-64:]
    np.testing.assert_allclose(maps[-1], expected, atol=1e-6)
    assert reply["probabilities"][-1] == pytest.approx(float(held.probabilities[-1, held.names.index("dog"), 5]))
    assert learn.lesson_training({"checkpoint": "cifar10-ti4", "name": "no sample"})["name"] == held.names[0]


def test_the_game_has_a_best_known_set_and_random_orders(learn, cat):
    key = {"key": learn.explanations.add(cat)}
    reply = learn.lesson_flip(key)
    probabilities = learn.lesson_remove(key | {"patches": reply["best"]})
    assert np.argmax(probabilities) != cat.probabilities.argmax()
    assert len(reply["random"]) == lesson.NUM_RANDOM
    assert len(reply["best"]) < np.median(reply["random"])
    assert learn.lesson_flip(key) == reply  # from the cache


def test_the_game_is_refused_without_a_head_and_for_large_models(learn, cat, monkeypatch):
    headless = learn.explanations.add(explain(tiny.checkpoint(HEADLESS), tiny.pixels()))
    with pytest.raises(ValueError, match="this model has none"):
        learn.lesson_flip({"key": headless})
    monkeypatch.setattr("vitviz.webapp.pages.learn.MAX_MACS", 1e9)
    with pytest.raises(ValueError, match="This model is large"):
        learn.lesson_flip({"key": learn.explanations.add(cat)})
