"""Files of a view: arrays, tables, the document and code equal the library's numbers."""

import base64
import csv
import io
import json
import re

import numpy as np
import pytest

import vitviz
from tests import tiny
from tests.webapp.api import CAT, routes
from vitviz.attribution import serialize
from vitviz.attribution.explanation import explain, patch_activations
from vitviz.attribution.view_maps import limits_of
from vitviz.data.preprocessing import sample_paths
from vitviz.webapp import explanations

DOG = {"kind": "sample", "name": "dog"}
METHOD = {"content": "method", "target": [3]}


@pytest.fixture(scope="module")
def client():
    with routes() as client:
        yield client


@pytest.fixture(scope="module")
def cat():
    return explain(tiny.checkpoint(), sample_paths()["cat"])


def file(client, ending, subject=CAT, methods=False, **view) -> bytes:
    reply = client.get("explanations/file", subject=subject, view=view, format=ending, methods=methods)
    return base64.b64decode(reply["src"].partition(",")[2])


def arrays(client, **options):
    return np.load(io.BytesIO(file(client, "npz", **options)))


def rows(client, **options) -> list[dict[str, str]]:
    text = file(client, "csv", **options).decode()
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


def document(client, **view):
    text = file(client, "html", **view).decode()
    return json.loads(re.search(r'<script type="application/json" id="vitviz-data">(.*?)</script>', text)[1])


def test_arrays_are_those_of_the_view(client, cat):
    view = {"layer": "mean", "head": 1, "query": [9], "direction": "to"}
    expected = cat.attention_map("mean", 1, 9, "to")
    found = arrays(client, **view)
    np.testing.assert_array_equal(found["map"], expected)
    np.testing.assert_array_equal(found["maps"][-1, 1], expected)
    assert found["prefix"].shape == (tiny.L + 1, tiny.A + 1, 1)
    assert str(found["title"]) == "Mean of layers, head 2"
    assert found["limits"].tolist() == list(limits_of(cat.context, "to").values())
    assert found["probabilities"].tolist() == cat.probabilities.tolist()
    of_map = [row for row in rows(client, **view) if row["quantity"] == "map"]
    np.testing.assert_allclose([float(row["value"]) for row in of_map], expected.ravel(), rtol=1e-6)
    assert {(row["layer"], row["head"]) for row in of_map} == {("mean", "2")}


def test_arrays_of_an_ablated_head_are_nan(client):
    subject = CAT | {"ablations": [{"heads": [[1, 0]]}]}
    found = arrays(client, subject=subject)
    for name in ("maps", "prefix"):
        assert np.isnan(found[name][1, 0]).all()
        assert np.isnan(found[name]).sum() == found[name][1, 0].size
    absent = {(row["layer"], row["head"]) for row in rows(client, subject=subject) if row["value"] == "nan"}
    assert absent == {("2", "1")}


def test_other_contents_have_their_numbers(client, cat):
    dog = explain(tiny.checkpoint(), sample_paths()["dog"])
    found = arrays(client, content="contributions", target=[3, 7])
    assert found["logit"] == pytest.approx(cat.contributions((3, 7)).logit, abs=1e-5)
    found = arrays(client, content="features", layer=2)
    np.testing.assert_allclose(found["explained"][2], cat.pca(2).basis.explained, atol=1e-6)
    found = arrays(client, content="patching", layer=2, target=[3, 7], other=DOG)
    np.testing.assert_array_equal(found["heads"], patch_activations(cat, dog, (3, 7)).recovered)
    assert found["tokens"].shape == (tiny.T,)


def test_a_map_is_saved_per_pixel_where_the_method_has_one(client, cat):
    view = METHOD | {"method": "balanced_gradients", "pixels": True}
    found = arrays(client, **view)
    np.testing.assert_array_equal(found["pixels"], cat.map("balanced_gradients", 3, pixels=True))
    assert str(found["title"]).endswith(" for class 3, per pixel")
    assert "pixels" not in arrays(client, **view | {"method": "rollout"})


def test_all_methods_have_their_maps_and_scores(client, cat):
    target = int(cat.logits.argmax())
    scores = client.get("explanations/scores", subject=CAT, target=[target])
    found = arrays(client, methods=True)
    np.testing.assert_allclose(found["method_relevance"], cat.map("relevance", target), atol=1e-6)
    named = dict(zip(found["methods"].tolist(), found["scores"].tolist(), strict=True))
    expected = {name: np.nan if score is None else score for name, score in scores["scores"].items()}
    assert named == pytest.approx({name: expected[name] for name in named}, nan_ok=True)
    assert found["random_baseline"].tolist() == pytest.approx(scores["random_baseline"])
    table = rows(client, methods=True)
    of_scores = {row["name"]: float(row["value"]) for row in table if row["quantity"] == "deletion score"}
    assert of_scores["relevance"] == pytest.approx(scores["scores"]["relevance"], rel=1e-5)
    assert sum(row["name"] == "relevance" and row["quantity"] == "attribution" for row in table) == tiny.N


def test_the_document_opens_on_the_view(client):
    view = {"layer": 2, "head": 1, "scale": "uniform", "smooth": True, "outlines": 0.25, "truth": 3}
    found = document(client, **view)
    assert found["view"].items() >= view.items()
    assert found["data"]["explained"]["image"]["truth"] == 3
    assert found["data"]["scores"]["scores"].keys() >= {"relevance"}


def test_files_of_a_large_model_have_no_scores(client, monkeypatch):
    monkeypatch.setattr(explanations, "MAX_MACS", 0)
    monkeypatch.setattr(serialize, "method_scores", lambda *_: pytest.fail("the scores are computed"))
    subject = CAT | {"image": {"kind": "sample", "name": "ship"}}
    reason = client.get("explanations/maps", subject=subject, part="quick")["skipped"]
    for ending in ("csv", "npz"):
        refusal = client.refusal("explanations/file", subject=subject, format=ending, methods=True)
        assert refusal["error"] == reason
    found = document(client, subject=subject, **METHOD, method="relevance")["data"]
    assert found["scores"] is None
    assert "relevance" in found["explained"]["maps"]
    assert "occlusion" not in found["explained"]["maps"]


def test_a_file_of_an_ablated_image_explains_the_class_predicted_before(client, cat):
    subject = CAT | {"ablations": [{"heads": [[5, 0]], "patches": [3]}]}
    found = arrays(client, subject=subject, content="method", method="relevance")
    assert str(found["title"]) == f"Relevance for {cat.prediction}"


def test_the_code_of_a_view_computes_it(client):
    def code(**view):
        return client.get("explanations/code", subject=CAT | {"model": "cifar10-ti4"}, view=view)["code"]

    assert "attention_map(layer=2, head=1, query=[9])" in code(layer=2, head=1, query=[9])
    pixels = METHOD | {"method": "balanced_gradients", "pixels": True}
    assert "explanation.map('balanced_gradients', target=3, pixels=True)" in code(**pixels)
    scope = {"vitviz": vitviz}
    for view in (
        {"content": "contributions", "target": [3, 7]},
        {"content": "features", "foreground": True},
        {"content": "features", "query": [4]},
        {"content": "patching", "other": DOG},
    ):
        text = code(**view)
        exec(text, scope)
    assert scope["found"].recovered.shape == (6, 6)
    assert "vitviz.patch_activations(explanation, other)" in text


@pytest.mark.parametrize(
    ("view", "field"),
    [
        ({"layer": 6}, "layer"),
        ({"head": "3"}, "view.head"),
        ({"query": [35]}, "query"),
        ({"query": [1] * 1000}, "query"),
        ({"content": "method", "method": "magic"}, "method"),
        ({"direction": "up"}, "view.direction"),
        ({"outlines": 2}, "view.outlines"),
        ({"truth": 11}, "truth"),
        ({"target": [11]}, "target"),
    ],
)
def test_an_invalid_view_is_refused(client, view, field):
    assert client.refusal("explanations/file", subject=CAT, view=view, format="npz")["field"].startswith(field)
