"""Files of exactly the view: every content and format, names, refusals, and code."""

import base64
import csv
import io
import json
import re

import numpy as np
import pytest

import vitviz
from tests import tiny
from vitviz.attribution import serialize
from vitviz.attribution.explanation import patch_activations
from vitviz.attribution.shown import limits_of
from vitviz.models import checkpoint
from vitviz.webapp import large_models
from vitviz.webapp.pages import figures
from vitviz.webapp.pages.explore import Explore, is_slow
from vitviz.webapp.server.requests import error_response

VIEW = {
    "method": None,
    "layer": 2,
    "head": 1,
    "patches": [],
    "direction": "from",
    "target": [],
    "scale": "shared",
    "smooth": False,
    "outlines": 0.6,
    "truth": 3,
    "pixels": False,
    "foreground": False,
    "other": None,
}


@pytest.fixture
def page(tmp_path, monkeypatch):
    """The page with one checkpoint, a tiny one: all methods and scores of the shipped one take seconds."""
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    checkpoint.save(tiny.checkpoint(), folder / "bundled.safetensors")
    monkeypatch.setattr(checkpoint, "CHECKPOINTS", folder)
    return Explore(str(tmp_path / "missing"))


@pytest.fixture
def key(page):
    return page.explain({"checkpoint": "bundled", "image": {"kind": "sample", "name": "cat"}})["key"]


def ask(page, key, content="view", ending="npz", **view):
    request = {"key": key, "content": content, "format": ending, "view": VIEW | view}
    return error_response(page.figures.figure)(request)


def content_of(reply) -> bytes:
    return base64.b64decode(reply["src"].split(",", 1)[1])


def rows_of(data: bytes) -> csv.DictReader:
    """Return the rows of a CSV file below its provenance."""
    return csv.DictReader(io.StringIO(data.decode().partition("\n")[2]))


STARTS = {"npz": b"PK", "csv": b"# vitviz: {", "html": b"<!doctype"}


@pytest.mark.parametrize("content", ["view", "map", "matrix", "sheet"])
@pytest.mark.parametrize("ending", STARTS)
def test_every_content_has_every_format(page, key, content, ending):
    reply = ask(page, key, content, ending)
    assert content_of(reply).startswith(STARTS[ending])
    assert reply["src"].startswith(f"data:{figures.MIME[ending]};base64,")
    assert reply["name"].endswith(f".{ending}")


@pytest.mark.parametrize("ending", ["npz", "csv"])
@pytest.mark.parametrize("content", ["contributions", "features", "patching"])
def test_other_views_have_their_numbers(page, key, content, ending):
    other = page.explain({"checkpoint": "bundled", "image": {"kind": "sample", "name": "dog"}})["key"]
    reply = ask(page, key, content, ending, head=None, other=other, target=[3, 7])
    data = content_of(reply)
    assert data.startswith(STARTS[ending])
    assert content in reply["name"]
    explanation, second = (page.explanations.get({"key": one}) for one in (key, other))
    if ending == "npz":
        with np.load(io.BytesIO(data)) as found:
            if content == "contributions":
                np.testing.assert_array_equal(found["heads"], explanation.contributions((3, 7)).heads)
            elif content == "features":
                np.testing.assert_allclose(found["explained"][2], explanation.pca(2).explained, atol=1e-6)
            else:
                heads = patch_activations(explanation, second, (3, 7)).recovered
                np.testing.assert_array_equal(found["heads"], heads)
                assert found["tokens"].shape == (tiny.T,)


def test_a_patching_without_target_compares_both_predictions(page, key):
    other = page.explain({"checkpoint": "bundled", "image": {"kind": "sample", "name": "dog"}})["key"]
    view = {name: value for name, value in VIEW.items() if name != "target"} | {"head": None, "other": other}
    request = {"key": key, "content": "patching", "format": "csv", "view": view}
    assert page.figures.figure(request)["src"] == ask(page, key, "patching", "csv", head=None, other=other)["src"]


def test_the_code_of_other_views_computes_them(page, key):
    other = page.explain({"checkpoint": "bundled", "image": {"kind": "sample", "name": "dog"}})["key"]

    def code(content, **view):
        request = {"key": key, "content": content, "view": VIEW | {"other": other} | view}
        return page.figures.code(request)["code"]

    scope = {"vitviz": vitviz}
    for content, view in (
        ("contributions", {"target": [3, 7]}),
        ("features", {"foreground": True}),
        ("features", {"patches": [4]}),
        ("patching", {"target": []}),
    ):
        text = code(content, **view)
        exec(text, scope)
    assert scope["found"].recovered.shape == (tiny.L, tiny.A)
    assert "vitviz.patch_activations(explanation, other)" in text


def test_a_map_is_saved_per_pixel_where_the_method_has_one(page, key):
    explanation = page.explanations.get({"key": key})
    shown = {"method": "balanced_gradients", "target": [3], "pixels": True}
    with np.load(io.BytesIO(content_of(ask(page, key, ending="npz", **shown)))) as found:
        np.testing.assert_array_equal(found["pixels"], explanation.pixel_map("balanced_gradients", 3))
        assert str(found["title"]).endswith(" for class 3, per pixel")
    code = page.figures.code({"key": key, "content": "view", "view": VIEW | shown})["code"]
    assert "explanation.pixel_map('balanced_gradients', target=3)" in code
    with np.load(io.BytesIO(content_of(ask(page, key, ending="npz", **shown | {"method": "rollout"})))) as found:
        assert "pixels" not in found


def test_an_expired_second_image_is_refused(page, key):
    assert ask(page, key, "patching", other="unknown")["error"].startswith("The second image has expired")


@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_methods_have_their_maps_and_scores(page, key, ending):
    data = content_of(ask(page, key, "methods", ending))
    explanation = page.explanations.get({"key": key})
    target = int(explanation.logits.argmax())
    scores = page.scores({"key": key, "target": [target]})
    if ending == "npz":
        with np.load(io.BytesIO(data)) as found:
            np.testing.assert_array_equal(found["method_relevance"], explanation.map("relevance", target))
            named = dict(zip(found["methods"].tolist(), found["scores"].tolist(), strict=True))
            expected = {name: np.nan if score is None else score for name, score in scores["scores"].items()}
            assert named == pytest.approx({name: expected[name] for name in named}, nan_ok=True)
            assert found["random_baseline"].tolist() == pytest.approx(scores["random_baseline"])
    else:
        rows = list(rows_of(data))
        found = {row["name"]: float(row["value"]) for row in rows if row["quantity"] == "deletion score"}
        assert found["relevance"] == pytest.approx(scores["scores"]["relevance"], rel=1e-5)
        assert sum(row["name"] == "relevance" and row["quantity"] == "attribution" for row in rows) == tiny.N


def test_arrays_are_those_of_the_library(page, key):
    view = {"patches": [9], "direction": "to", "layer": None}
    explanation = page.explanations.get({"key": key})
    expected = explanation.attention_map("mean", 1, 9, "to")
    with np.load(io.BytesIO(content_of(ask(page, key, "map", "npz", **view)))) as found:
        np.testing.assert_array_equal(found["map"], expected)
        np.testing.assert_array_equal(found["maps"][-1, 1], expected)
        assert found["prefix"].shape == (tiny.L + 1, tiny.A + 1, 1)
        assert str(found["title"]) == "Mean of layers, head 2"
        assert found["limits"].tolist() == list(limits_of(explanation.context, "to").values())
        assert found["probabilities"].tolist() == explanation.probabilities.tolist()
    rows = list(rows_of(content_of(ask(page, key, "map", "csv", **view))))
    of_map = [row for row in rows if row["quantity"] == "map"]
    np.testing.assert_allclose([float(row["value"]) for row in of_map], expected.ravel(), rtol=1e-6)
    assert {(row["layer"], row["head"]) for row in of_map} == {("mean", "2")}


def test_arrays_of_an_ablated_head_are_nan(page, key):
    key = page.ablate({"key": key, "heads": [[1, 0]], "patches": [], "mode": "zero", "patch_mode": "drop"})["key"]
    with np.load(io.BytesIO(content_of(ask(page, key, "view", "npz")))) as found:
        for name in ("maps", "prefix"):
            assert np.isnan(found[name][1, 0]).all()
            assert np.isnan(found[name]).sum() == found[name][1, 0].size
    rows = rows_of(content_of(ask(page, key, "view", "csv")))
    assert {(row["layer"], row["head"]) for row in rows if row["value"] == "nan"} == {("2", "1")}


def test_the_interactive_file_opens_on_the_view(page, key):
    found = content_of(ask(page, key, ending="html", scale="uniform", smooth=True, outlines=0.25)).decode()
    data = json.loads(re.search(r'<script type="application/json" id="vitviz-data">(.*?)</script>', found)[1])
    view = data["view"]
    assert (view["layer"], view["head"], view["scale"], view["smooth"], view["outlines"]) == (
        2,
        1,
        "uniform",
        True,
        0.25,
    )
    assert data["data"]["explained"]["image"]["truth"] == 3
    assert data["data"]["scores"]["scores"].keys() >= {"relevance"}


def test_scores_of_a_large_model_are_left_out_of_its_files(page, key, monkeypatch):
    monkeypatch.setattr(large_models, "MAX_MACS", 0)
    monkeypatch.setattr(serialize, "method_scores", lambda *_: pytest.fail("the scores are computed"))
    reason = page.methods({"key": key, "target": [], "quick": True})["leftOut"]
    for ending in ("csv", "npz", "html"):
        assert ask(page, key, "methods", ending)["error"] == reason
    found = content_of(ask(page, key, ending="html", method="relevance")).decode()
    data = json.loads(re.search(r'<script type="application/json" id="vitviz-data">(.*?)</script>', found)[1])
    assert data["data"]["scores"] is None
    assert "relevance" in data["data"]["explained"]["maps"]
    assert "occlusion" not in data["data"]["explained"]["maps"]


def test_a_file_of_an_ablated_image_explains_the_class_predicted_before(page, key):
    whole = page.explanations.get({"key": key})
    ablated = page.ablate({"key": key, "heads": [[5, 0]], "patches": [3]})["key"]
    reply = ask(page, ablated, "map", method="relevance")
    assert reply["name"].endswith("-ablated-map.npz")
    with np.load(io.BytesIO(content_of(reply))) as found:
        assert str(found["title"]) == f"Relevance for {whole.prediction}"


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"layer": 6}, "layer must be from 0 to 5 or mean: got 6"),
        ({"head": "3"}, "head is invalid"),
        ({"patches": [35]}, "query must be different patches from 0 to 34"),
        ({"patches": [1] * 100_000}, "query must be different patches"),
        ({"patches": "all"}, "patches must be a list of integers"),
        ({"method": "magic"}, "method must be an attribution method: got magic"),
        ({"direction": "up"}, "direction is invalid"),
        ({"scale": "own"}, "scale is invalid"),
        ({"outlines": 2}, "outlines is invalid"),
        ({"truth": 11}, "truth must be from 0 to 10: got 11"),
        ({"target": [11]}, "target must be a class"),
    ],
)
def test_an_invalid_view_is_refused(page, key, wanted, sentence):
    assert sentence in ask(page, key, **wanted)["error"]


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"content": "poster"}, "content must be one of view, map, matrix, methods, sheet, layers, patches"),
        ({"format": "exe"}, "format must be one of npz, csv, html"),
        ({"view": None}, "view must be an object"),
    ],
)
def test_an_invalid_request_is_refused(page, key, wanted, sentence):
    request = {"key": key, "content": "view", "format": "csv", "view": VIEW}
    assert sentence in error_response(page.figures.figure)(request | wanted)["error"]


@pytest.mark.parametrize(
    ("content", "wanted", "name"),
    [
        ("view", {"layer": 5, "head": None}, "layer-6-mean-of-heads"),
        ("view", {"direction": "to"}, "layer-3-head-2-to-the-class-token"),
        ("map", {"patches": [27]}, "layer-3-head-2-from-row-4-column-7-map"),
        ("view", {"patches": [27, 3, 5], "direction": "to"}, "layer-3-head-2-to-row-4-column-7-and-2-more"),
        ("map", {"method": "rollout", "patches": [27]}, "rollout-map"),
        ("matrix", {"patches": [27]}, "from-row-4-column-7-matrix"),
    ],
)
def test_the_file_name_describes_the_view(page, key, content, wanted, name):
    assert ask(page, key, content, "npz", **wanted)["name"] == f"vitviz-bundled-drawing-cat-{name}.npz"


def test_an_expired_key_has_no_figure_and_no_code(page):
    assert ask(page, "x") is None
    assert page.figures.code({"key": "x", "view": VIEW}) is None


def test_code_is_python_for_the_view(page, key):
    text = page.figures.code({"key": key, "view": VIEW | {"patches": [9]}})["code"]
    assert "vitviz.explain(model, 'cat')" in text
    assert "attention_map(layer=2, head=1, query=[9])" in text


def test_slow_files_have_a_queue_of_their_own():
    assert [is_slow({"content": content, "format": "csv"}) for content in ("view", "methods")] == [False, True]
