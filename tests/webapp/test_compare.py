"""Routes of comparisons: maps and tokens of the library, snapshots, files and refusals."""

import base64

import numpy as np
import pandas as pd
import pytest

import vitviz
from tests import tiny
from tests.webapp import runs
from tests.webapp.api import CAT, routes
from vitviz.attribution import provenance
from vitviz.attribution.explanation import explain
from vitviz.attribution.provenance import Provenance
from vitviz.data.preprocessing import sample_paths
from vitviz.training import timeline
from vitviz.view import Subject, View
from vitviz.webapp import explanations

DOG = CAT | {"image": {"kind": "sample", "name": "dog"}}
SHIPPED = CAT | {"model": "cifar10-ti4"}
ROUTE = "explanations/comparison-provenance"


@pytest.fixture(scope="module")
def client():
    with routes() as client:
        yield client


@pytest.fixture(scope="module")
def pair():
    """The cat and the dog in the tiny model."""
    model = tiny.checkpoint()
    return [explain(model, sample_paths()[name]) for name in ("cat", "dog")]


def sides(a=CAT, b=DOG, a_view=None, **view):
    """A request; `view` is that of B and by default of A."""
    return {"a": {"subject": a, "view": view if a_view is None else a_view}, "b": {"subject": b, "view": view}}


def snapshot(index: int) -> dict:
    return SHIPPED | {"snapshot": index}


def test_the_map_of_a_method_is_that_of_the_library_and_computed_once(client, pair):
    reply = client.get("explanations/map", subject=DOG, method="relevance", target=[3])
    np.testing.assert_allclose(reply["map"], pair[1].map("relevance", 3).ravel(), rtol=1e-5)
    assert reply["score"] is None  # as it is not on request
    held = client.backend.explanations.get(Subject(**DOG)).explanation
    known = dict(held.context.maps)
    client.get("explanations/map", subject=DOG, method="relevance", target=[3])
    assert held.context.maps.keys() == known.keys()
    assert all(held.context.maps[key] is values for key, values in known.items())


def test_the_patch_of_an_image_is_compared_with_those_of_another_one(client, pair):
    reply = client.get("explanations/similarity", subject=CAT, patch=9, other=DOG)
    values = np.frombuffer(base64.b64decode(reply["values"]), "<f4").reshape(-1, tiny.N)
    np.testing.assert_allclose(values[3], pair[0].similarity(3, 9, pair[1]).ravel())
    other = client.refusal("explanations/similarity", subject=CAT, patch=9, other=SHIPPED)
    assert "same model" in other["error"]


def test_snapshots_of_the_shipped_training(client):
    held = timeline.read(timeline.find("cifar10-ti4"))
    listed = client.get("models/snapshots", model="cifar10-ti4")
    assert listed["images"] == held.names
    assert (listed["snapshots"][0], listed["snapshots"][59]) == ("epoch 0", "epoch 98.6")
    reply = client.get("explanations", subject=snapshot(59))
    attention = held.cls_attention[59, 3].astype("<f4")
    assert np.array_equal(np.frombuffer(base64.b64decode(reply["cls"]), "<f4"), attention.ravel())
    np.testing.assert_array_equal(np.float32(reply["probabilities"]), held.probabilities[59, 3])


def test_snapshots_of_a_run_unless_the_page_is_public(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runs.make(tmp_path / "runs", "small")
    with routes() as client:
        assert client.get("models/snapshots", model="runs/small")["snapshots"]
        (tmp_path / "runs" / "small" / "timeline.npz").unlink()
        assert "has no snapshots" in client.refusal("models/snapshots", model="runs/small")["error"]
    with routes(public=True) as client:
        assert "not found" in client.refusal("models/snapshots", model="runs/small")["error"]


@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_a_file_has_the_numbers_and_the_provenance_of_both_sides(client, pair, tmp_path, ending):
    ablated = DOG | {"ablations": [{"heads": [[1, 0]]}]}
    request = sides(CAT, ablated, layer=2, head=1)
    reply = client.get("explanations/comparison-file", **request, format=ending)
    path = tmp_path / f"pair.{ending}"
    path.write_bytes(base64.b64decode(reply["src"].split(",")[1]))
    found = vitviz.compare(pair[0], pair[1].ablate(heads=[(1, 0)]), layer=2, head=1)
    if ending == "npz":
        np.testing.assert_array_equal(np.load(path)["difference"], found.difference)
    else:
        rows = pd.read_csv(path, comment="#")
        (correlation,) = rows[rows.quantity == "rank correlation"].value
        assert correlation == pytest.approx(found.rank_correlation, rel=1e-6)
        assert rows.quantity.str.startswith("B - A").sum() == tiny.N
    source = provenance.read(path)
    assert (source.subject, source.view) == (Subject(**CAT), View(layer=2, head=1))
    assert (source.b.subject, source.b.view) == (Subject(**ablated), View(layer=2, head=1))
    of_figure = Provenance(**client.get("explanations/comparison-provenance", **request))
    assert source == of_figure.model_copy(update={"numbers": {}})
    assert {"a_map", "b_map", "difference"} <= of_figure.numbers.keys()


def test_the_provenance_of_snapshots_has_their_timeline(client):
    request = sides(snapshot(0), snapshot(59), layer=4)
    found = Provenance(**client.get("explanations/comparison-provenance", **request))
    assert (found.subject.snapshot, found.b.subject.snapshot, found.code) == (0, 59, None)
    assert found.b.model.sha256 is None
    assert found.b.model.files[0].name == "cifar10-ti4.timeline.npz"


@pytest.mark.parametrize(
    ("subject", "view", "field", "sentence"),
    [
        ({}, {"layer": 9}, "a", "layer must be from 0 to 5"),
        ({}, {"layer": "x"}, "a.view.layer", "is invalid"),
        ({}, {"head": True}, "a.view.head", "is invalid"),
        ({}, {"content": "method", "method": "magic"}, "a", "method must be an attribution method: got magic"),
        ({}, {"content": "method", "method": "shapley"}, "a", "must be one that takes few passes on this page"),
        ({}, {"content": "method", "method": "relevance", "target": [11]}, "a", "target must be a class, from 0 to 10"),
        ({}, {"query": [35]}, "a", "query must be different patches from 0 to 34"),
        ({}, {"direction": "similar"}, "a", "query must be one patch"),
        ({"snapshot": 60, "model": "cifar10-ti4"}, {}, "a", "snapshot must be from 0 to 59"),
        ({"snapshot": 0, "model": "cifar10-ti4"}, {"query": [3]}, "a", "has no other"),
        ({"snapshot": 0, "model": "/etc/passwd"}, {}, "a", "not found"),
        ({"snapshot": 0, "model": "cifar10-ti4", "image": {"kind": "test", "index": 0}}, {}, "a", "a probe image"),
    ],
)
def test_invalid_requests_are_refused_by_field(client, subject, view, field, sentence):
    refusal = client.refusal(ROUTE, **sides(CAT | subject, CAT, view))
    assert refusal["field"].startswith(field)
    assert sentence in refusal["error"]


def test_other_formats_and_other_models_are_refused(client):
    assert client.refusal("explanations/comparison-file", **sides(), format="exe")["field"] == "format"
    similar = sides(CAT, SHIPPED, layer=3, direction="similar", query=[9])
    assert "same model" in client.refusal(ROUTE, **similar)["error"]
    view = {"content": "features", "layer": 1}
    assert client.refusal(ROUTE, **sides(CAT, DOG, view, **view))["field"] == "b"


def test_maps_that_take_minutes_are_refused(client, monkeypatch):
    monkeypatch.setattr(explanations, "MAX_MACS", 0)
    view = {"content": "method", "method": "occlusion"}
    assert "takes few passes" in client.refusal(ROUTE, **sides(CAT, CAT, {}, **view))["error"]
    assert "takes few passes" in client.refusal("explanations/map", subject=CAT, method="occlusion")["error"]


def test_the_swap_has_the_probabilities_of_both_predictions(client, pair):
    reply = client.get("explanations/class-token-swap", subject=CAT, other=DOG)
    found = vitviz.swap_class_token(*pair)
    classes = [int(one.probabilities.argmax()) for one in pair]
    assert reply["labels"] == [one.prediction for one in pair]
    for name, k in zip(("patches", "class_token"), classes, strict=True):
        np.testing.assert_allclose(reply[name], found.probabilities[:, k], rtol=1e-6)
    assert len(reply["patches"]) == tiny.L + 1
    refused = client.refusal("explanations/class-token-swap", subject=CAT, other=SHIPPED)
    assert "same model" in refused["error"]
