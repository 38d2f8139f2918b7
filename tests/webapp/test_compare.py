"""Server functions of the Compare page: numbers of the library, maps computed once, snapshots, files and refusals."""

import asyncio
import base64
import csv
import io
from dataclasses import replace

import numpy as np
import pytest

import vitviz
from tests import tiny
from tests.webapp import runs
from vitviz.attribution.explanation import explain
from vitviz.runs import timeline
from vitviz.runs.store import Runs
from vitviz.webapp import large_models
from vitviz.webapp.pages import compare as page_module
from vitviz.webapp.pages.compare import Compare
from vitviz.webapp.pages.explore import Explore
from vitviz.webapp.server.requests import error_response
from vitviz.webapp.timelines import Timelines

NONE = {"key": None, "snapshot": None, "method": None, "layer": None, "head": None, "target": []}


@pytest.fixture
def page():
    return Compare(Explore(), Timelines(None))


@pytest.fixture
def pair(page):
    """Two images in the tiny model, and their keys."""
    checkpoint = tiny.checkpoint()
    found = [explain(checkpoint, tiny.pixels(seed=seed)) for seed in (0, 1)]
    return found, [page.explanations.add(one) for one in found]


def ask(page, a, b, query=(), similar=None, **options):
    request = {"a": NONE | a, "b": NONE | b, "query": list(query), "similarTo": similar} | options
    return error_response(page.compare_figure if options else page.compare)(request)


def test_maps_difference_and_predictions_are_those_of_the_library(page, pair):
    (one, two), keys = pair
    first, second = ({"key": key, "layer": 2, "head": 1} for key in keys)
    reply = ask(page, first, second)
    found = vitviz.compare(one, two, layer=2, head=1)
    np.testing.assert_array_equal(reply["a"]["values"], found.maps[0].ravel())
    np.testing.assert_array_equal(reply["difference"], found.points.ravel())
    assert reply["correlation"] == found.rank_correlation
    assert reply["classes"][0] == {"name": "class 3", "a": found.classes[0].a, "b": found.classes[0].b} | {
        "points": found.classes[0].points
    }
    assert (reply["a"]["rows"], reply["a"]["columns"], reply["a"]["aspect"]) == (tiny.GH, tiny.GW, tiny.W / tiny.H)
    assert reply["scale"]["limit"] == found.scale.limit
    assert reply["mostChanged"] == found.most_changed
    queried = ask(page, first, second, query=[9])
    np.testing.assert_allclose(queried["b"]["values"], two.attention_map(2, 1, 9).ravel())


def test_methods_classes_and_similarity(page, pair):
    (one, two), (key, other) = pair
    reply = ask(page, {"key": key, "method": "relevance", "target": [3]}, {"key": key, "method": "average"})
    assert "measure different quantities" in reply["notes"][0]
    classes = [{"key": key, "method": "balanced_gradients", "target": [k]} for k in (3, 7)]
    np.testing.assert_allclose(ask(page, *classes)["b"]["values"], one.map("balanced_gradients", 7).ravel())
    similar = ask(page, {"key": key, "layer": 3}, {"key": other, "layer": 3}, similar=9)
    np.testing.assert_allclose(similar["b"]["values"], one.similarity(9, 3, two).ravel())


def test_removed_patches_have_no_value(page, pair):
    (one, _), (key, _) = pair
    ablated = page.explore.ablate({"key": key, "heads": [], "patches": [9], "mode": "zero", "patch_mode": "drop"})
    reply = ask(page, {"key": key}, {"key": ablated["key"]})
    assert reply["b"]["values"][9] is None
    assert reply["difference"][9] is None
    assert None not in reply["a"]["values"]
    assert reply["b"]["name"] == one.ablate(patches=[9]).changes


def test_a_map_that_explore_has_computed_is_not_computed_again(page, pair):
    (one, _), (key, _) = pair
    again = page.explanations.add(explain(one.context.checkpoint, tiny.pixels()))
    held = page.explanations.get({"key": again})
    sides = {"key": again, "method": "relevance"}, {"key": again, "method": "occlusion"}
    page.explore.methods({"key": key, "target": []})
    ask(page, *sides)
    for method in ("relevance", "occlusion"):
        np.testing.assert_allclose(held.map(method), one.map(method))
    assert held.context.cached_gradients == {}
    other = page.explanations.add(explain(one.context.checkpoint, tiny.pixels(seed=2)))
    ask(page, *(side | {"key": other} for side in sides))
    assert page.explanations.get({"key": other}).context.cached_gradients


def test_snapshots_of_the_shipped_training(page):
    held = timeline.read(timeline.find("cifar10-ti4"))
    found = page.compare_snapshots({"source": "cifar10-ti4"})
    assert found["epochs"] == held.epoch.tolist()
    assert [one["name"] for one in found["images"]] == held.names
    sides = [
        {"layer": 4, "head": 2, "snapshot": {"source": "cifar10-ti4", "image": 3, "index": index}} for index in (0, 59)
    ]
    reply = ask(page, *sides)
    expected = held.cls_attention[[0, 59], 3, 4, 2, 1:].astype(np.float32)
    np.testing.assert_allclose([reply["a"]["values"], reply["b"]["values"]], expected)
    np.testing.assert_allclose(reply["difference"], 100 * (expected[1] - expected[0]), rtol=1e-5)
    assert (reply["a"]["name"], reply["b"]["name"]) == ("epoch 0", "epoch 98.61")
    assert reply["b"]["prediction"] == "cat"
    means = ask(page, *(side | {"head": None} for side in sides))
    np.testing.assert_allclose(means["a"]["values"], held.cls_attention[0, 3, 4, :, 1:].mean(0), rtol=1e-3)


def test_snapshots_of_a_run_unless_the_page_is_public(tmp_path):
    runs.make(tmp_path / "runs", "small")
    held = Compare(Explore(), Timelines(Runs(tmp_path / "runs")))
    assert held.compare_snapshots({"source": "runs/small"})["epochs"]
    (tmp_path / "runs" / "small" / "timeline.npz").unlink()
    assert held.compare_snapshots({"source": "runs/small"}) is None
    public = error_response(Compare(Explore(public=True), Timelines(None)).compare_snapshots)
    assert "not found" in public({"source": "runs/small"})["error"]


@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_files(page, pair, ending):
    (one, two), (key, other) = pair
    side = {"layer": 2, "head": 1}
    reply = ask(page, side | {"key": key}, side | {"key": other}, format=ending)
    data = base64.b64decode(reply["src"].split(",")[1])
    assert reply["name"].endswith(f".{ending}")
    found = vitviz.compare(one, two, layer=2, head=1)
    if ending == "npz":
        with np.load(io.BytesIO(data)) as held:
            np.testing.assert_array_equal(held["difference"], found.difference)
    else:
        rows = list(csv.DictReader(io.StringIO(data.decode())))
        (correlation,) = (row["value"] for row in rows if row["quantity"] == "rank correlation")
        assert float(correlation) == pytest.approx(found.rank_correlation, rel=1e-6)
        assert sum(row["quantity"].startswith("B - A") for row in rows) == tiny.N


@pytest.mark.parametrize(
    ("side", "options", "sentence"),
    [
        ({"layer": 9}, {}, "layer must be from 0 to 5"),
        ({"layer": "x"}, {}, "layer is invalid"),
        ({"head": True}, {}, "head is invalid"),
        ({"method": "magic"}, {}, "method must be an attribution method: got magic"),
        ({"method": "shapley"}, {}, "method must be one that takes few passes on this page"),
        ({"method": "relevance", "target": [11]}, {}, "target must be a class, from 0 to 10"),
        ({}, {"query": [35]}, "query must be different patches from 0 to 34"),
        ({}, {"similar": 35}, "patch must be from 0 to 34"),
        ({}, {"similar": "9"}, "similarTo must be a patch"),
        ({}, {"format": "exe"}, "format must be one of npz, csv"),
        ({"snapshot": {"source": "cifar10-ti4", "image": 10, "index": 0}}, {}, "image must be from 0 to 9"),
        ({"snapshot": {"source": "cifar10-ti4", "image": 0, "index": 60}}, {}, "snapshot must be from 0 to 59"),
        ({"snapshot": {"source": "/etc/passwd", "image": 0, "index": 0}}, {}, "not found"),
        ({"snapshot": "x"}, {}, "snapshot must be an object"),
    ],
)
def test_invalid_requests_are_refused_with_a_sentence(page, pair, side, options, sentence):
    _, (key, _) = pair
    assert sentence in ask(page, {"key": key} | side, {"key": key} | side, **options)["error"]


def test_other_models_are_refused_where_tokens_are_compared(page, pair):
    _, (key, _) = pair
    wide = explain(tiny.checkpoint(replace(tiny.CONFIG, embed_dim=20)), tiny.pixels())
    other = page.explanations.add(wide)
    assert "same model" in ask(page, {"key": key}, {"key": other}, similar=0)["error"]
    assert ask(page, {"key": key}, {"key": other})["correlation"] is not None


def test_maps_that_take_many_passes_have_a_queue_of_their_own(page, pair, monkeypatch):
    _, (key, _) = pair
    sides = {"a": NONE | {"key": key}, "b": NONE | {"key": key, "method": "occlusion"}}
    assert page.is_slow(sides)
    assert not page.is_slow(sides | {"b": NONE | {"key": key, "method": "relevance"}})
    assert not page.is_slow(sides | {"b": NONE | {"key": "?", "method": "occlusion"}})
    monkeypatch.setattr(page_module, "MANY_MACS", 0)
    assert page.is_slow(sides | {"b": NONE | {"key": key, "method": "relevance"}})
    monkeypatch.setattr(large_models, "MAX_MACS", 0)
    found = {function.__name__: function for function in page.functions}
    reply = asyncio.run(found["compare"](sides | {"query": [], "similarTo": None}))
    assert "takes few passes" in reply["error"]
