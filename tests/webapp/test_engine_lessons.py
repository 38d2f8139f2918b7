"""The lesson of the browser against that of the server, in Node.js."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

import vitviz
from tests import engine, tiny
from tests.webapp.test_engine import array, relative
from vitviz.attribution import lesson
from vitviz.attribution.explanation import Explanation
from vitviz.attribution.head_factors import head_factors
from vitviz.attribution.probes import position_similarity
from vitviz.webapp.routes.lessons import lesson_of

LAYER, HEAD, TOKEN, PATCH, DIMENSION = 1, 0, 5, 7, 9
REMOVED = [2, 5, 6]
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("explanations/lesson", {}),
    ("explanations/lesson/head", {"layer": LAYER, "head": HEAD, "token": TOKEN}),
    ("explanations/lesson/patch", {"patch": PATCH, "dimension": DIMENSION}),
    ("explanations/lesson/removal", {"patches": REMOVED}),
]


def explained(name: str) -> Explanation:
    """Return an explanation by a network of a family."""
    model = engine.checkpoint(engine.FAMILIES[name])
    return vitviz.explain(model, Image.fromarray(tiny.pixels(*model.config.img_size)))


def differences(explanation: Explanation, replies: list[Any]) -> dict[str, float]:
    """Compare the engine's replies to `CALLS` with those of the server, after what must be equal."""
    found, head, patch, removal = replies
    context, expected = explanation.context, lesson_of(explanation).model_dump(mode="json")
    assert found["model"] == expected["model"]
    sets = [[(one["method"], one["patches"]) for one in of["removals"] + of["random"]] for of in (found, expected)]
    assert sets[0] == sets[1]
    row = vars(lesson.attention_row(context, LAYER, HEAD, TOKEN)) | vars(lesson.block_steps(context, LAYER, TOKEN))
    assert found["rows"] == expected["rows"]
    place = lesson.patch_embedding(context, PATCH, DIMENSION)
    assert (patch["rest"] is None) == (place.rest is None)
    positions = position_similarity(context.model).flatten(2).flatten(0, 1)[PATCH]
    pairs = {
        "logits": (found["logits"], expected["logits"]),
        "lens": (found["lens"], expected["lens"]),
        "norms": (found["norms"], expected["norms"]),
        "patches": (found["patch_predictions"] or [], expected["patch_predictions"] or []),
        "reshaped": (found["reshaped"] or [], expected["reshaped"] or []),
        "tokens": (array(found["tokens"]), array(expected["tokens"])),
        "first products": (array(patch["products"]), place.products),
        "numbers": (array(patch["tokens"]), place.tokens),
        "pixels": (array(patch["pixels"]), place.pixels),
        "filter": (array(patch["weights"]), place.weights),
        "embedding": (
            [patch["product"], patch["rest"] or 0, patch["value"]],
            [place.product, place.rest or 0, place.value],
        ),
        "positions": (patch["positions"], positions),
    }
    pairs |= {name: (array(head[name]), values) for name, values in row.items()}
    if explanation.labels:
        pairs["removal"] = (removal["probabilities"], lesson.without_patches(context, [REMOVED])[0])
    for side in ("removals", "random"):
        pairs[side] = tuple([one["probabilities"] for one in of[side]] for of in (found, expected))
    assert (found["contributions"] is None) == (expected["contributions"] is None)
    if expected["contributions"]:
        parts = [
            [of["embedding"], *of["attention"], *of["mlp"], of["bias"], of["logit"]]
            for of in (found["contributions"], expected["contributions"])
        ]
        pairs["contributions"] = (parts[0], parts[1])
    return {key: relative(*pair, least=1e-3) for key, pair in pairs.items()}


def test_a_lesson_of_every_family_has_the_numbers_of_the_server(tmp_path: Path, subtests: Any) -> None:
    names = list(engine.FAMILIES)
    shown = [explained(name) for name in names]
    requests = [engine.request(tmp_path, one.context.checkpoint, one.context.image, calls=CALLS) for one in shown]
    for name, explanation, reply in zip(names, shown, engine.answer(tmp_path, requests), strict=True):
        with subtests.test(family=name):
            wrong = {key: value for key, value in differences(explanation, reply["replies"]).items() if value > 1e-4}
            assert not wrong


def test_the_fewest_patches_that_change_the_class_are_those_of_the_library(tmp_path: Path) -> None:
    names = ("plain", "mean", "query and key norm", "notebook", "without head")
    shown = [explained(name) for name in names]
    calls = [("explanations/lesson/flips", {})]
    requests = [engine.request(tmp_path, one.context.checkpoint, one.context.image, calls=calls) for one in shown]
    *replies, headless = engine.answer(tmp_path, requests)
    assert "has none" in headless["replies"][0]["refusal"]
    for name, explanation, reply in zip(names, shown, replies, strict=False):
        left_out = ("random", "attn_lrp")
        quick = [key for key, one in explanation.methods.items() if not one.many_passes and key not in left_out]
        rankings = [np.argsort(-explanation.map(key).ravel(), kind="stable").tolist() for key in quick]
        expected = lesson.flips(explanation.context, rankings)
        assert reply["replies"][0] == {"best": expected.best, "random": expected.random}, name


def test_what_a_model_lacks_is_refused_as_by_the_library(tmp_path: Path) -> None:
    model = engine.checkpoint(engine.PLAIN)
    calls = [
        ("explanations/lesson/head", {"layer": 3, "head": 0}),
        ("explanations/lesson/patch", {"patch": 0, "dimension": 24}),
        ("explanations/lesson/removal", {"patches": [35]}),
    ]
    image = torch.zeros(3, *model.config.img_size)
    (reply,) = engine.answer(tmp_path, [engine.request(tmp_path, model, image, calls=calls)])
    fields = ("layer", "dimension", "patches")
    assert [one["refusal"].split()[0] for one in reply["replies"]] == list(fields)


def test_the_mean_question_is_asked_as_by_the_library(tmp_path: Path, subtests: Any) -> None:
    names = ("plain", "query and key norm", "without head")
    shown = [explained(name) for name in names]
    calls = [("explanations/lesson/mean-query", {})]
    numbers = {"image_specific": [0.5], "kept": 0.75, "images": 8}
    requests, expected = [], []
    for one in shown:
        context = one.context
        size = context.config.img_size
        pixels = torch.randint(0, 256, (8, 3, *size), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
        factors = head_factors(context.checkpoint, pixels)
        measured = {"question": (numbers, {"class_query": torch.from_numpy(factors.class_query)})}
        requests.append(engine.request(tmp_path, context.checkpoint, context.image, calls=calls, measured=measured))
        expected.append(lesson.mean_query(context, factors))
    requests.append(engine.request(tmp_path, shown[0].context.checkpoint, shown[0].context.image, calls=calls))
    *replies, without = engine.answer(tmp_path, requests)
    assert "no mean query of the class token" in without["replies"][0]["refusal"]
    for name, reply, found in zip(names, replies, expected, strict=True):
        with subtests.test(family=name):
            (asked,) = reply["replies"]
            np.testing.assert_allclose(array(asked["rows"]), found.rows.ravel(), atol=1e-5)
            np.testing.assert_allclose(asked["probabilities"], found.probabilities, atol=1e-5)
            assert (asked["image_specific"], asked["kept"], asked["images"]) == ([0.5], 0.75, 8)


@pytest.mark.slow
def test_a_lesson_of_the_shipped_model_has_the_numbers_of_the_server(tmp_path: Path) -> None:
    explanation = vitviz.explain(vitviz.load("cifar10-ti4"), "cat")
    request = engine.request(tmp_path, explanation.context.checkpoint, explanation.context.image, calls=CALLS)
    (reply,) = engine.answer(tmp_path, [request])
    assert not {key: one for key, one in differences(explanation, reply["replies"]).items() if one > 1e-4}
