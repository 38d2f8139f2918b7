"""Numbers of the Learn page against the library, for several kinds of models."""

import base64
from dataclasses import replace

import numpy as np
import pytest

import vitviz
from tests import tiny
from tests.webapp.serving import IGNORE_PANDAS_WARNINGS
from vitviz.attribution import lesson
from vitviz.attribution.explanation import explain
from vitviz.data.preprocessing import sample_paths
from vitviz.webapp.pages.explore import Explore
from vitviz.webapp.pages.learn import Learn
from vitviz.webapp.pages.timelines import Timelines
from vitviz.webapp.server.requests import RequestError

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
    assert reply["model"]["patchSize"] == 4
    assert reply["model"]["headDim"] == 9
    assert len(reply["lens"]) == len(reply["norms"]) == 7
    assert (reply["patchPredictions"] is not None) == (config.global_pool == "token" and config.num_classes > 0)
    assert (reply["contributions"] is not None) == bool(reply["removals"]) == bool(config.num_classes)
    row = learn.lesson_head(key | {"layer": 3, "head": 1})
    assert floats(row["keys"]).size == config.num_tokens * row["size"]
    assert len(learn.lesson_patch(key | {"patch": 34, "dimension": 17})["positions"]) == 35


def test_the_numbers_are_those_of_the_library(learn, cat):
    reply = learn.lesson({"key": learn.explanations.add(cat)})
    np.testing.assert_allclose(reply["logits"], cat.logits)
    np.testing.assert_allclose(reply["lens"][-1], cat.probabilities, atol=1e-6)
    parts = reply["contributions"]
    total = parts["embedding"] + sum(parts["attention"]) + sum(parts["mlp"]) + parts["bias"]
    assert total == pytest.approx(parts["logit"], abs=1e-4)
    assert parts["logit"] == pytest.approx(float(cat.logits.max()), abs=1e-5)
    assert [one["name"] for one in reply["removals"]] == ["Last layer", "Average", "Balanced gradients"]
    for one, method in zip(reply["removals"], ("attention", "average", "balanced_gradients"), strict=True):
        values = cat.map(method).ravel()
        assert len(one["patches"]) == 16
        assert min(values[one["patches"]]) >= np.sort(values)[-16]
        expected = cat.ablate(patches=one["patches"], patch_mode="gray").probabilities
        np.testing.assert_allclose(one["probabilities"], expected, atol=1e-5)
    assert len(reply["random"]) == lesson.NUM_RANDOM


def test_a_worked_row_gives_the_attention_of_the_head(learn, cat):
    row = learn.lesson_head({"key": learn.explanations.add(cat), "layer": 4, "head": 1})
    keys = floats(row["keys"]).reshape(-1, row["size"])
    scores = keys @ floats(row["query"]) / row["size"] ** 0.5
    weights = np.exp(scores) / np.exp(scores).sum()
    np.testing.assert_allclose(weights, cat.cls_attention[4, 1], atol=1e-6)


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
