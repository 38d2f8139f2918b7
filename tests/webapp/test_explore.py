"""Server functions of the Explore page: values equal the library's, invalid requests are refused with a sentence."""

import asyncio
import base64
import gc
import io
import json
import logging
import os
import re
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from cachetools import Cache
from PIL import Image
from safetensors.torch import save_file

import vitviz
from tests import tiny
from tests.webapp.serving import EXPLAIN_CAT
from vitviz.attribution import serialize
from vitviz.attribution.ablation import ablate, mean_head_outputs
from vitviz.attribution.context import softmax
from vitviz.attribution.explanation import Explanation
from vitviz.data import cifar, environment
from vitviz.data.photos import PHOTOS
from vitviz.data.preprocessing import ImageError, load_samples, sample_paths
from vitviz.models import checkpoint
from vitviz.webapp import images, large_models, models
from vitviz.webapp.datasets import DataSets
from vitviz.webapp.pages import explore
from vitviz.webapp.pages.explore import Explore, is_large
from vitviz.webapp.pages.on_request import OnRequest
from vitviz.webapp.server import cache
from vitviz.webapp.server.cache import MAX_AGE, ExplanationCache, size_of
from vitviz.webapp.server.queue import BUSY
from vitviz.webapp.server.requests import RequestError, error_response
from vitviz.webapp.server.tasks import CancelledError
from vitviz.webapp.trainings import Trainings

ORDINARY = {key for key, method in vitviz.METHODS.items() if not method.on_request}


@pytest.fixture
def page(tmp_path):
    return Explore(str(tmp_path / "missing"))


@pytest.fixture
def bundled(tmp_path, monkeypatch):
    """The only checkpoint in checkpoints/, a tiny one: all methods and scores of the shipped one take seconds."""
    path = tmp_path / "checkpoints" / "bundled.safetensors"
    path.parent.mkdir()
    checkpoint.save(tiny.checkpoint(), path)
    monkeypatch.setattr(checkpoint, "CHECKPOINTS", path.parent)
    return path


def sample(name="cat", model="cifar10-ti4"):
    return {"checkpoint": model, "image": {"kind": "sample", "name": name}}


def upload(path, name="mine.png"):
    return {"checkpoint": "cifar10-ti4", "image": {"kind": "upload", "path": str(path), "name": name}}


def test_the_response_equals_the_librarys_explanation(page):
    answer = page.explain(sample())
    expected = vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"])
    rows = np.frombuffer(base64.b64decode(answer["cls"]), "<f4").reshape(6, 6, 65)
    np.testing.assert_allclose(rows, expected.cls_attention, atol=1e-7)
    np.testing.assert_allclose(answer["probabilities"], expected.probabilities, atol=1e-6)
    assert answer["classes"][answer["image"]["truth"]] == "cat"
    assert set(answer["maps"]) == {"attention", "reverse_attention", "average", "rollout"}
    for method in answer["maps"]:
        np.testing.assert_allclose(answer["maps"][method], expected.map(method).ravel(), atol=1e-7)


def test_a_label_unknown_to_the_model_is_shown_without_truth(page, monkeypatch):
    other = replace(vitviz.load("cifar10-ti4"), labels=tuple("abcdefghij"))
    monkeypatch.setattr(models, "load_model", lambda *_: other)
    found = page.explain(sample())["image"]
    assert (found["truth"], found["shows"]) == (None, "cat")


def test_methods_returns_the_maps_of_a_target_by_key(page, bundled):
    key = page.explain(sample(model="bundled"))["key"]
    expected = vitviz.explain(vitviz.load("bundled"), sample_paths()["cat"])
    for target, name in (([], None), ([5], "class 5"), ([5, 3], ("class 5", "class 3"))):
        maps = page.methods({"key": key, "target": target})["maps"]
        assert maps.keys() == ORDINARY
        for method in ("relevance", "occlusion", "integrated_gradients"):
            np.testing.assert_allclose(maps[method], expected.map(method, name).ravel(), rtol=0, atol=1e-4)


def test_scores_returns_the_faithfulness_of_all_methods(page, bundled):
    key = page.explain(sample("dog", "bundled"))["key"]
    found = page.scores({"key": key, "target": []})
    assert found["scores"].keys() == ORDINARY
    assert all(-5 < value <= 1 for value in found["scores"].values())
    mean, spread = found["random_baseline"]
    assert 0 < mean < 1
    assert 0 < spread < 0.5
    assert page.scores({"key": "guess"}) is page.methods({"key": "guess"}) is None


def test_a_flat_map_has_no_score(page, bundled):
    data = {"key": page.explain(sample(model="bundled"))["key"], "target": [3]}
    page.explanations.get(data).context.maps["attention_gradcam", 3] = np.zeros(tiny.N, np.float32)
    scores = page.scores(data)["scores"]
    assert [method for method, value in scores.items() if value is None] == ["attention_gradcam"]
    assert scores.keys() == ORDINARY


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ([10], "target must be a class, from 0 to 9 or one of airplane"),
        ([-1], "target must be a class"),
        ([3, 3], "or two different ones"),
        ([1, 2, 3], "target must be up to two class indices"),
        (["cat"], "target must be up to two class indices"),
        ("cat", "target must be up to two class indices"),
    ],
)
def test_an_invalid_target_is_refused(page, target, sentence):
    key = page.explain(sample())["key"]
    for name in ("methods", "scores"):
        answer = error_response(getattr(page, name))({"key": key, "target": target, "method": "relevance"})
        assert sentence in answer["error"]


def test_an_ablated_image_has_its_own_key(page, bundled):
    answer = page.explain(sample(model="bundled"))
    found = page.ablate({"key": answer["key"], "heads": [[5, 1], [0, 1]], "patches": [27, 3]})
    case = vitviz.explain(vitviz.load("bundled"), sample_paths()["cat"]).context
    expected = ablate(case, [(5, 1), (0, 1)], [27, 3])
    np.testing.assert_allclose(found["probabilities"], softmax(expected.logits), atol=1e-5)
    shape = (tiny.L, tiny.A, tiny.T)
    rows = np.frombuffer(base64.b64decode(found["cls"]), "<f4").reshape(shape)
    np.testing.assert_allclose(rows, np.nan_to_num(expected.attention[:, :, 0]), atol=1e-6)
    assert not rows[5, 1].any()
    whole = np.frombuffer(base64.b64decode(page.attention({"key": found["key"]})), "<u2").reshape(
        tiny.L, tiny.A, tiny.T, tiny.T
    )
    np.testing.assert_allclose(whole / 65535, np.nan_to_num(expected.attention), atol=1e-5)
    assert page.ablate({"key": "guess", "heads": [], "patches": []}) is None


def test_maps_and_scores_of_an_ablated_key_are_those_of_the_ablated_image(page, bundled):
    """The numbers must not mix the original image with the ablated one."""
    original = page.explain(sample(model="bundled"))
    before = page.scores({"key": original["key"], "target": [3]})
    heads, patches = [[5, 1], [0, 1]], [27, 3]
    ablated = page.ablate({"key": original["key"], "heads": heads, "patches": patches})
    data = {"key": ablated["key"], "target": [3]}
    expected = vitviz.explain(vitviz.load("bundled"), sample_paths()["cat"]).ablate(heads, patches)
    for lookup in (page.cached("maps"), page.cached("scores")):
        assert lookup(data) is None, "results of the original image are not reused"
    maps, found = page.methods(data)["maps"], page.scores(data)
    for method in ORDINARY:
        np.testing.assert_allclose(maps[method], expected.map(method, 3).ravel(), rtol=0, atol=1e-4, err_msg=method)
    assert found["scores"]["relevance"] == pytest.approx(
        expected.score("relevance", 3).probability_drop(expected.probabilities[3]), abs=1e-3
    )
    assert abs(found["random_baseline"][0] - before["random_baseline"][0]) > 1e-3
    json.dumps([maps, found], allow_nan=False)
    again = page.ablate({"key": ablated["key"], "heads": [[3, 0]], "patches": []})
    both = expected.ablate([[3, 0]])
    np.testing.assert_allclose(again["probabilities"], both.probabilities, atol=1e-5)


def test_mean_ablation_and_gray_patches(page):
    key = page.explain(sample())["key"]
    data = {"key": key, "heads": [[5, 2]], "patches": [27, 3], "mode": "mean", "patch_mode": "gray"}
    found = page.ablate(data)
    model = vitviz.load("cifar10-ti4")
    case = vitviz.explain(model, sample_paths()["cat"]).context
    expected = ablate(case, [(5, 2)], [27, 3], "gray", mean_head_outputs(model, load_samples((32, 32))))
    np.testing.assert_allclose(found["probabilities"], softmax(expected.logits), atol=1e-5)
    other = page.ablate(data | {"mode": "zero"})["probabilities"]
    assert max(abs(np.array(other) - found["probabilities"])) > 1e-4
    assert page.explanations.get(found).changes == "1 head ablated (mean), 2 patches painted gray"
    for name, value in (("mode", "noise"), ("patch_mode", 7)):
        assert f"{name} must be one of" in error_response(page.ablate)(data | {name: value})["error"]


@pytest.mark.parametrize(
    ("heads", "patches", "sentence"),
    [
        ([[6, 0]], [], "A head must be layer 0 to 5 and head 0 to 5"),
        ([[0]], [], "heads must be pairs of layer and head"),
        (["00"], [], "heads must be pairs of layer and head"),
        ([[0, True]], [], "heads must be pairs of layer and head"),
        ([], [64], "A patch must be from 0 to 63"),
        ([], [1.5], "patches must be a list of integers"),
        ([], list(range(64)), "Not all patches can be removed"),
        ([[layer, head] for layer in range(6) for head in range(6)], [], "Not all heads can be ablated"),
        ("all", [], "heads must be a list"),
    ],
)
def test_an_invalid_ablation_is_refused(page, heads, patches, sentence):
    key = page.explain(sample())["key"]
    assert sentence in error_response(page.ablate)({"key": key, "heads": heads, "patches": patches})["error"]


def test_attention_returns_full_attention_by_key(page):
    answer = page.explain(sample())
    packed = base64.b64decode(page.attention({"key": answer["key"]}))
    whole = np.frombuffer(packed, "<u2").reshape(6, 6, 65, 65) / 65535
    expected = vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"]).attention
    np.testing.assert_allclose(whole, expected, atol=1e-5)


@pytest.mark.parametrize("direction", ["from", "to"])
@pytest.mark.parametrize("patches", [[], [7], [3, 40]])
def test_rows_are_those_of_a_query(page, patches, direction):
    key = page.explain(sample())["key"]
    packed = base64.b64decode(page.rows({"key": key, "patches": patches, "direction": direction}))
    expected = vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"]).query_rows(patches, direction)
    np.testing.assert_allclose(np.frombuffer(packed, "<u2").reshape(6, 6, 65) / 65535, expected, atol=1e-5)


def test_of_an_ablated_model_rows_are_its_own(page):
    key = page.explain(sample())["key"]
    ablated = page.ablate({"key": key, "heads": [[2, 3]], "patches": [5], "patch_mode": "drop"})["key"]
    packed = base64.b64decode(page.rows({"key": ablated, "patches": [7], "direction": "from"}))
    rows = np.frombuffer(packed, "<u2").reshape(6, 6, 65)
    assert not rows[2, 3].any()
    assert not rows[..., 1 + 5].any()


def test_invalid_rows_are_refused(page):
    key = page.explain(sample())["key"]
    rows = error_response(page.rows)
    assert rows({"key": "guess", "patches": []}) is None
    assert "patches must be a list of integers" in rows({"key": key})["error"]
    assert "from 0 to 63" in rows({"key": key, "patches": [64]})["error"]
    assert "direction must be one of" in rows({"key": key, "patches": [], "direction": "up"})["error"]


def test_large_attention_is_sent_by_query_only(page, monkeypatch):
    assert page.explain(sample())["onDemand"] is False
    monkeypatch.setattr(environment, "MAX_SENT_BYTES", 2 * 36 * 65**2)
    reply = page.explain(sample())
    assert reply["onDemand"] is True
    assert "at most 0.3042 MB" in error_response(page.attention)({"key": reply["key"]})["error"]


def test_what_takes_many_passes_of_a_large_model_is_left_out(page, monkeypatch):
    monkeypatch.setattr(large_models, "MAX_MACS", 0)
    key = page.explain(sample("horse"))["key"]
    reply = page.methods({"key": key, "target": [1, 7]})
    assert "relevance" in reply["maps"]
    assert not {"occlusion", "integrated_gradients"} & set(reply["maps"])
    assert "This model is large" in reply["leftOut"]
    monkeypatch.setattr(serialize, "method_scores", lambda *_: pytest.fail("the scores are computed"))
    assert error_response(page.scores)({"key": key, "target": [1, 7]})["error"] == reply["leftOut"]


def test_quick_maps_leave_out_what_takes_many_passes(page):
    key = page.explain(sample("ship"))["key"]
    reply = page.methods({"key": key, "target": [1, 7], "quick": True})
    assert ORDINARY - set(reply["maps"]) >= {"occlusion", "integrated_gradients"}
    assert "relevance" in reply["maps"]
    assert reply["leftOut"] is None
    assert page.cached("maps")({"key": key, "target": [1, 7]}) is None


def test_a_model_without_head_has_nothing_left_out(page, monkeypatch):
    monkeypatch.setattr(large_models, "MAX_MACS", 0)
    model = replace(tiny.checkpoint(replace(tiny.CONFIG, num_classes=0)), labels=())
    monkeypatch.setattr(page, "model", lambda request: model)
    key = page.explain(sample())["key"]
    reply = page.methods({"key": key, "target": []})
    assert reply["leftOut"] is None
    assert "rollout" in reply["maps"]


def test_attention_pooling_is_sent_with_the_image_and_after_ablations(page, monkeypatch):
    config = replace(tiny.CONFIG, class_token=False, global_pool="map")
    model = tiny.checkpoint(config)
    monkeypatch.setattr(page, "model", lambda request: model)
    reply = page.explain(sample())
    expected = page.explanations.get(reply).pool_attention
    np.testing.assert_array_equal(np.frombuffer(base64.b64decode(reply["pool"]), "<f4"), expected.ravel())
    changed = page.ablate({"key": reply["key"], "heads": [[0, 0]], "patches": [3]})
    weights = np.frombuffer(base64.b64decode(changed["pool"]), "<f4").reshape(expected.shape)
    assert (weights[:, 3] == 0).all()
    assert not np.allclose(weights, expected)


def test_an_unknown_key_has_no_attention(page):
    assert page.attention({"key": "guess"}) is None
    assert page.attention({"key": ["cat"]}) is None
    assert page.attention("cat") is None


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (None, "image must be an object"),
        ({}, "image must be an object"),
        ({"checkpoint": "cifar10-ti4", "image": "cat"}, "image must be an object"),
        ({"checkpoint": 3, "image": {}}, "checkpoint must be a string"),
        ({"checkpoint": "../secret", "image": {}}, "not found"),
        ({"checkpoint": "/etc/passwd", "image": {}}, "not found"),
        (sample("../../etc/passwd"), "Sample '../../etc/passwd' not found"),
        (
            {"checkpoint": "cifar10-ti4", "image": {"kind": "url", "path": "http://127.0.0.1"}},
            "kind must be sample, cifar, dataset or upload",
        ),
        ({"checkpoint": "cifar10-ti4", "image": {"kind": "cifar", "index": 0}}, "CIFAR-10 is not in"),
        ({"checkpoint": "cifar10-ti4", "image": {"kind": "upload", "path": 5}}, "path must be a string"),
    ],
)
def test_an_invalid_request_is_refused_with_a_sentence(page, data, sentence):
    assert sentence in error_response(page.explain)(data)["error"]


def test_only_files_in_the_upload_folder_are_opened(page, uploads, tmp_path):
    sibling = tmp_path / "uploads-of-others"
    sibling.mkdir()
    image = Image.new("RGB", (40, 40), "teal")
    for folder in (uploads, sibling):
        image.save(folder / "mine.png")
    os.symlink(sibling / "mine.png", uploads / "link.png")
    assert "error" not in error_response(page.explain)(upload(uploads / "mine.png"))
    for path in (
        sibling / "mine.png",
        uploads / ".." / "uploads-of-others" / "mine.png",
        uploads / "link.png",
        uploads,
    ):
        assert "Only an uploaded image" in error_response(page.explain)(upload(path))["error"]
    assert "Only an uploaded image" in error_response(page.explain)(upload("a\0b"))["error"]


def test_an_expired_upload_is_refused_without_its_path(page, uploads):
    for path in (uploads / "82af" / "small.png", uploads / f"{'long' * 80}.png"):
        for function in (page.explain, is_large):
            error = error_response(function)(upload(path))["error"]
            assert error == "Uploads are deleted within an hour. Choose the file again."


def test_an_upload_is_returned_as_a_small_png(page, uploads):
    Image.new("RGB", (3000, 100), "teal").save(uploads / "wide.png")
    answer = page.explain(upload(uploads / "wide.png"))
    shown = base64.b64decode(answer["image"]["original"].split(",", 1)[1])
    assert shown.startswith(b"\x89PNG")
    assert answer["image"]["note"] == "cropped to a square, resized from 3000 × 100 to 32 × 32"
    assert len(shown) < 20_000


def test_an_unexpected_error_is_logged_and_hidden(caplog):
    def broken(data):
        raise KeyError("secret place")

    with caplog.at_level(logging.ERROR):
        error = error_response(broken)({})["error"]
    assert "Something went wrong on the server (reference " in error
    assert "secret" not in error
    assert "secret place" in caplog.text


def test_cached_maps_are_returned_while_the_queue_is_full(page, bundled, monkeypatch):
    functions = {answer.__name__: answer for answer in page.functions}
    cat, dog, again = (page.explain(sample(name, "bundled"))["key"] for name in ("cat", "dog", "cat"))
    proceed, maps = threading.Event(), Explanation.map

    def waiting(explanation, *args):
        assert proceed.wait(60)
        return maps(explanation, *args)

    async def run():
        found = await functions["methods"]({"key": cat, "target": []})
        monkeypatch.setattr(Explanation, "map", waiting)
        tasks = [asyncio.create_task(functions["methods"]({"key": dog, "target": []})) for _ in range(10)]
        refused, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        assert [task.result() for task in refused] == [{"error": BUSY, "busy": True}]
        assert await functions["methods"]({"key": again, "target": []}) == found
        proceed.set()
        assert sum("maps" in answer for answer in await asyncio.gather(*tasks)) == 9

    with ThreadPoolExecutor(1) as thread:  # browser tests may leave an event loop in this thread
        thread.submit(asyncio.run, run()).result()


def test_huge_images_do_not_delay_small_ones(page, uploads, monkeypatch):
    explain = {answer.__name__: answer for answer in page.functions}["explain"]
    Image.new("L", (4000, 4000)).save(uploads / "huge.png")
    Image.new("L", (40, 40)).save(uploads / "small.png")
    proceed = threading.Event()

    def waiting(model, source, crop):
        assert source.name == "small.png" or proceed.wait(60)
        return vitviz.explain(model, source, crop)

    async def run():
        monkeypatch.setattr(explore, "explain", waiting)
        tasks = [asyncio.create_task(explain(upload(uploads / "huge.png"))) for _ in range(10)]
        refused, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        assert [task.result() for task in refused] == [{"error": BUSY, "busy": True}]
        assert "probabilities" in await explain(upload(uploads / "small.png"))
        proceed.set()
        assert sum("probabilities" in answer for answer in await asyncio.gather(*tasks)) == 9

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, run()).result()


@pytest.fixture(scope="module")
def explanation():
    return vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"])


def test_the_two_most_recent_explanations_are_kept_however_large():
    first, second, third = (vitviz.explain(tiny.checkpoint(), tiny.pixels(seed=seed)) for seed in range(3))
    recent = ExplanationCache(max_bytes=size_of(first) // 2)
    keys = [recent.add(explanation) for explanation in (first, second, third)]
    assert [recent.get({"key": key}) for key in keys] == [None, second, third]


def test_the_cache_evicts_the_oldest_explanations(explanation):
    recent = ExplanationCache(max_bytes=2 * size_of(explanation))
    keys = [recent.add(explanation) for _ in range(3)]
    assert recent.get({"key": keys[0]}) is None
    assert recent.get({"key": keys[1]}) is explanation
    assert recent.get({"key": keys[2]}) is explanation
    assert recent.entries.currsize == 2 * size_of(explanation)


def test_stored_responses_keep_no_model_in_memory():
    explanation = vitviz.explain(tiny.checkpoint(), tiny.pixels())
    scored, network = cache.ScoreCache(), weakref.ref(explanation.context.model)
    scored.get_or_compute("maps", explanation, 0, dict)
    assert scored.get("maps", explanation, 0) == {}
    del explanation
    gc.collect()
    assert network() is None


def test_the_cache_of_maps_is_bounded_in_bytes(explanation, monkeypatch):
    monkeypatch.setattr(cache, "MAX_SCORED_BYTES", 100)
    scored = cache.ScoreCache()
    for kind, length in (("first", 60), ("second", 60), ("large", 200)):
        assert scored.get_or_compute(kind, explanation, 0, lambda length=length: {"x": "y" * length})
    held = {kind for kind in ("first", "second", "large") if scored.get(kind, explanation, 0) is not None}
    assert held == {"second"}


def test_the_cache_size_includes_weights_of_runs_but_not_of_bundled_models(explanation):
    run = copy(explanation.context)
    run.checkpoint = replace(run.checkpoint, name="runs/first")
    weights = sum(4 * one.numel() for one in run.checkpoint.network.parameters())
    assert size_of(replace(explanation, context=run)) == size_of(explanation) + weights


def test_the_cache_evicts_by_least_recent_use(explanation):
    recent = ExplanationCache(max_bytes=2 * size_of(explanation))
    first, second = recent.add(explanation), recent.add(explanation)
    assert recent.get({"key": first}) is explanation
    third = recent.add(explanation)
    assert recent.get({"key": second}) is None
    assert recent.get({"key": first}) is recent.get({"key": third}) is explanation


def test_explanations_expire_even_if_used(explanation, monkeypatch):
    now = 0.0
    monkeypatch.setattr(cache, "time", SimpleNamespace(monotonic=lambda: now))
    recent = ExplanationCache()
    old = recent.add(explanation)
    now = MAX_AGE / 2
    new = recent.add(explanation)
    assert recent.get({"key": old}) is explanation
    now = MAX_AGE + 1
    assert recent.get({"key": old}) is None
    assert recent.get({"key": new}) is explanation
    assert recent.entries.currsize == size_of(explanation)


def test_expired_explanations_and_scores_are_deleted_without_a_request(explanation, monkeypatch):
    now = 0.0
    monkeypatch.setattr(cache, "time", SimpleNamespace(monotonic=lambda: now))
    recent, scored = ExplanationCache(), cache.ScoreCache()
    recent.add(explanation)
    scored.get_or_compute("maps", explanation, 0, dict)
    for age, left in ((MAX_AGE - 1, 1), (MAX_AGE + 1, 0)):
        now = age
        recent.clean()
        scored.clean()
        stored = [Cache.__len__(entries) for entries in (recent.entries, scored.entries)]  # even if it has expired
        assert stored == [left, left]


def test_derived_explanations_expire_with_their_origin(explanation, monkeypatch):
    now = 0.0
    monkeypatch.setattr(cache, "time", SimpleNamespace(monotonic=lambda: now))
    recent = ExplanationCache()
    key = recent.add(explanation)
    now = MAX_AGE - 1.0
    changed = recent.add(explanation, key)
    assert recent.get({"key": changed}) is explanation
    now += 2
    assert recent.get({"key": changed}) is None
    assert recent.get({"key": recent.add(explanation, key)}) is None, "the image itself is gone"


def test_a_missing_dataset_is_reported_with_where_to_download_it(page):
    state = page.list_models({})["cifar"]
    assert not state["available"]
    assert state["message"].endswith("Download it on Explore, under CIFAR-10."), "the page's own way, not a command"
    outside = {"checkpoint": "cifar10-ti4", "image": {"kind": "cifar", "index": 0}}
    assert "CIFAR-10 is not in" in error_response(page.explain)(outside)["error"]


def test_the_catalog_lists_bundled_models_samples_and_methods(page):
    catalog = page.catalog()
    assert {"name": "cifar10-ti4", "layers": 6, "heads": 6}.items() <= catalog["checkpoints"][0].items()
    assert [s["name"] for s in catalog["samples"]] == sorted(cifar.CLASSES)
    assert {m["key"] for m in catalog["methods"]} == vitviz.METHODS.keys() - {"reverse_attention"}


def test_an_invalid_checkpoint_is_skipped_with_one_warning(page, bundled, tmp_path):
    save_file({"head.weight": torch.ones(3)}, bundled.with_name("timm.safetensors"))
    bundled.with_name("gone.safetensors").symlink_to(tmp_path / "gone")
    with pytest.warns(UserWarning, match="Move it to another folder") as told:
        listed = page.catalog()["checkpoints"]
    assert [model["name"] for model in listed] == ["bundled"]
    assert [re.search(r"[a-z]+\.safetensors", str(warning.message))[0] for warning in told] == [
        "gone.safetensors",
        "timm.safetensors",
    ]
    assert Trainings(str(tmp_path)).catalog().models == ["bundled"], "without another warning"
    assert "Use one of: bundled." in error_response(page.explain)(sample(model="timm"))["error"]


def test_a_replaced_checkpoint_is_reloaded_and_caches_are_not_reused(page, bundled):
    def run():
        answer = page.explain(sample(model="bundled"))
        data = {"key": answer["key"], "target": [0]}
        return (
            answer["probabilities"],
            page.methods(data)["maps"]["relevance"],
            page.scores(data)["random_baseline"],
        )

    before = run()
    assert run() == before
    checkpoint.save(tiny.checkpoint(seed=1), bundled)
    after = run()
    assert [old == new for old, new in zip(before, after, strict=True)] == [False] * 3


def test_sample_names_are_not_paths():
    with pytest.raises(ImageError, match=r"Sample '\.\./data/cifar' not found"):
        images.sample_path("../data/cifar")


@pytest.mark.filterwarnings("ignore:test_batch.bin differs")
def test_a_test_image_is_explained_with_its_label(cifar_folder):
    page, (_, labels) = Explore(str(cifar_folder)), cifar.load("test", str(cifar_folder))
    picked = page.explain({"checkpoint": "cifar10-ti4", "image": {"kind": "cifar", "index": 0}})
    assert picked["image"]["truth"] == labels[0]
    name = f"CIFAR-10 test image 0 ({cifar.CLASSES[labels[0]]})"
    assert page.explanations.get(picked).name == name
    outside = {"checkpoint": "cifar10-ti4", "image": {"kind": "cifar", "index": 10**6}}
    assert "must be from 0 to 19" in error_response(page.explain)(outside)["error"]


def test_the_crop_of_an_upload_is_moved(page, uploads):
    pixels = np.zeros((40, 80, 3), np.uint8)
    pixels[:, 40:] = 255
    Image.fromarray(pixels).save(uploads / "wide.png")
    request = upload(uploads / "wide.png")
    notes = []
    for crop, level in ((0, 0), (1, 255)):
        answer = page.explain(request | {"image": request["image"] | {"crop": crop}})
        content = base64.b64decode(answer["image"]["src"].partition(",")[2])
        with Image.open(io.BytesIO(content)) as seen:
            assert np.asarray(seen).mean() == level
        notes.append(answer["image"]["note"])
    assert ["on the left" in notes[0], "on the right" in notes[1]] == [True, True]
    for crop in (-1, 2, "0.5", None, True, float("nan")):
        with pytest.raises(ValueError, match="crop must be a number from 0 to 1"):
            page.explain(request | {"image": request["image"] | {"crop": crop}})


def test_a_photograph_names_its_author_and_license(page):
    for name, label, truth in (("chelsea", "cat", 3), ("rocket", "rocket", None)):
        image = page.explain(EXPLAIN_CAT | {"image": {"kind": "sample", "name": name}})["image"]
        assert (image["shows"], image["truth"]) == (label, truth)
        assert image["caption"] == f"Photograph: {PHOTOS[name].credit}"
    assert [photo["name"] for photo in page.catalog()["photos"]] == list(PHOTOS)


def test_the_download_of_cifar_is_that_of_the_train_page(tmp_path):
    download = DataSets(str(tmp_path)).download
    page = Explore(str(tmp_path), None, False, download)
    idle = {"dataset": "", "running": False, "progress": 0.0, "message": ""}
    assert page.cifar_download({"action": "state"}) == idle
    started = []
    download.start = started.append
    page.cifar_download({"action": "start"})
    assert started == ["cifar10"]
    with pytest.raises(ValueError, match="action must be one of state, start, cancel"):
        page.cifar_download({"action": "delete"})
    with pytest.raises(ValueError, match="CIFAR-10 is not available on this server"):
        Explore(None, None, public=True).cifar_download({"action": "start"})


def test_an_image_of_a_dataset_waits_in_the_queue_of_large_images():
    assert is_large({"image": {"kind": "dataset", "run": "runs/pets", "index": 0}}), "its folder may have to be read"
    assert not is_large({"image": {"kind": "cifar", "index": 0}})


def test_a_map_on_request_equals_the_library_and_is_cached(page, bundled):
    key = page.explain(sample(model="bundled"))["key"]
    on_request = OnRequest(page.explanations, page.scored, page.tasks)
    request = {"key": key, "method": "greedy", "target": [3], "task": "a"}
    assert on_request.cached(request) is None
    found = on_request.map_on_request(request)
    expected = vitviz.explain(vitviz.load("bundled"), sample_paths()["cat"])
    np.testing.assert_allclose(found["map"], expected.map("greedy", 3).ravel(), rtol=0, atol=1e-6)
    drop = expected.score("greedy", 3).probability_drop(expected.probabilities[3])
    assert found["score"] == pytest.approx(drop, abs=1e-5)
    assert on_request.cached(request) == found
    assert on_request.map_on_request({"key": "expired", "method": "greedy", "target": []}) is None
    with pytest.raises(RequestError, match="method must be one of shapley, greedy: got 'rollout'"):
        on_request.map_on_request(request | {"method": "rollout"})


def test_a_map_on_request_can_be_cancelled(page, bundled, monkeypatch):
    key = page.explain(sample(model="bundled"))["key"]
    on_request = OnRequest(page.explanations, page.scored, page.tasks)
    request = {"key": key, "method": "shapley", "target": [], "task": "a"}
    seen = []
    monkeypatch.setattr(page.tasks, "progress", CancelAtFirstPass(page.tasks, seen))
    with pytest.raises(CancelledError, match=r"^Cancelled\.$"):
        on_request.map_on_request(request)
    assert seen, "it was running"
    assert not page.tasks.progress
    assert on_request.cached(request) is None
    assert on_request.map_on_request(request | {"task": "b"})["map"], "another request is not cancelled"


class CancelAtFirstPass(dict):
    """Progress of tasks, that cancels task "a" after its first forward passes."""

    def __init__(self, tasks, seen):
        self.tasks, self.seen = tasks, seen

    def __setitem__(self, task, counts):
        super().__setitem__(task, counts)
        if counts["done"] and task == "a":
            self.seen.append(counts)
            self.tasks.cancelled[task] = True


def test_a_map_on_request_that_waits_in_the_queue_can_be_cancelled(page, bundled):
    key = page.explain(sample(model="bundled"))["key"]
    on_request = OnRequest(page.explanations, page.scored, page.tasks)
    assert page.tasks.task_progress({"task": "a", "cancel": True}) == {"done": 0, "total": 0}
    with pytest.raises(CancelledError):
        on_request.map_on_request({"key": key, "method": "shapley", "target": [], "task": "a"})
