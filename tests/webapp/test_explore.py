"""The explorer's questions and answers, called as plain functions: right numbers, a sentence for each bad question."""

import asyncio
import base64
import logging
import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import save_file

import vitviz
from tests import tiny
from vitviz.attribution.ablation import ablate, mean_head_outputs
from vitviz.attribution.context import softmax
from vitviz.attribution.explanation import Explanation
from vitviz.data import cifar
from vitviz.data.preprocessing import ImageError, load_samples, sample_paths
from vitviz.models import checkpoint
from vitviz.plots import figures
from vitviz.webapp import images
from vitviz.webapp.pages import explore
from vitviz.webapp.pages.explore import Explore, is_large
from vitviz.webapp.pages.train import Train
from vitviz.webapp.server import cache
from vitviz.webapp.server.cache import MAX_AGE, ExplanationCache, size_of
from vitviz.webapp.server.queue import BUSY
from vitviz.webapp.server.requests import error_response


@pytest.fixture
def answers(tmp_path):
    return Explore(str(tmp_path / "nowhere"))


def sample(name="cat"):
    return {"checkpoint": "cifar10-ti4", "image": {"kind": "sample", "name": name}}


def upload(path, name="mine.png"):
    return {"checkpoint": "cifar10-ti4", "image": {"kind": "upload", "path": str(path), "name": name}}


def test_the_answer_holds_what_the_library_computes(answers):
    answer = answers.explain(sample())
    expected = vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"])
    rows = np.frombuffer(base64.b64decode(answer["cls"]), "<f4").reshape(6, 6, 65)
    np.testing.assert_allclose(rows, expected.cls_rows, atol=1e-7)
    np.testing.assert_allclose(answer["probabilities"], expected.probabilities, atol=1e-6)
    assert answer["classes"][answer["image"]["truth"]] == "cat"
    assert set(answer["maps"]) == {"attention", "reverse_attention", "average", "rollout"}
    for method in answer["maps"]:
        np.testing.assert_allclose(answer["maps"][method], expected.map(method).ravel(), atol=1e-7)


def test_a_label_that_is_no_class_of_the_model_is_told_and_not_judged(answers, monkeypatch):
    other = replace(vitviz.load("cifar10-ti4"), labels=tuple("abcdefghij"))
    monkeypatch.setattr(explore, "load_model", lambda name, runs: other)
    found = answers.explain(sample())["image"]
    assert (found["truth"], found["shows"]) == (None, "cat")


def test_all_methods_follow_by_key_for_the_class_that_is_asked(answers):
    key = answers.explain(sample())["key"]
    expected = vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"])
    for target, name in (([], None), ([5], "dog"), ([5, 3], ("dog", "cat"))):
        maps = answers.methods({"key": key, "target": target})["maps"]
        assert maps.keys() == vitviz.METHODS.keys()
        for method in ("relevance", "occlusion", "integrated_gradients"):
            np.testing.assert_allclose(maps[method], expected.map(method, name).ravel(), rtol=0, atol=1e-4)


def test_the_scores_of_all_methods_follow_by_key(answers):
    key = answers.explain(sample())["key"]
    found = answers.scores({"key": key, "target": []})
    assert found["scores"].keys() == vitviz.METHODS.keys()
    assert all(-5 < value <= 1 for value in found["scores"].values())
    mean, spread = found["random_baseline"]
    assert 0 < mean < 1
    assert 0 < spread < 0.5
    assert answers.scores({"key": "guess"}) is answers.methods({"key": "guess"}) is None


def test_a_map_that_ranks_no_patch_before_another_has_no_score(answers):
    asked = {"key": answers.explain(sample())["key"], "target": [3]}
    answers.explanations.get(asked).context.maps["attention_gradcam", 3] = np.zeros(64, np.float32)
    scores = answers.scores(asked)["scores"]
    assert [method for method, value in scores.items() if value is None] == ["attention_gradcam"]
    assert list(scores) == list(vitviz.METHODS)


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ([10], "target must be a class, 0 to 9 or one of airplane"),
        ([-1], "target must be a class"),
        ([3, 3], "or two different ones"),
        ([1, 2, 3], "target must be up to two classes by number"),
        (["cat"], "target must be up to two classes by number"),
        ("cat", "target must be up to two classes by number"),
    ],
)
def test_a_class_that_is_none_is_refused_in_words(answers, target, sentence):
    key = answers.explain(sample())["key"]
    for name in ("methods", "scores", "figure"):
        answer = error_response(getattr(answers, name))({"key": key, "target": target, "method": "relevance"})
        assert sentence in answer["error"]


def test_a_image_without_some_heads_and_patches_has_a_key_of_its_own(answers):
    answer = answers.explain(sample())
    found = answers.ablate({"key": answer["key"], "heads": [[5, 2], [0, 1]], "patches": [27, 3]})
    case = vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"]).context
    expected = ablate(case, [(5, 2), (0, 1)], [27, 3])
    np.testing.assert_allclose(found["probabilities"], softmax(expected.logits), atol=1e-5)
    rows = np.frombuffer(base64.b64decode(found["cls"]), "<f4").reshape(6, 6, 65)
    np.testing.assert_allclose(rows, np.nan_to_num(expected.attention[:, :, 0]), atol=1e-6)
    assert not rows[5, 2].any()
    whole = np.frombuffer(base64.b64decode(answers.attention({"key": found["key"]})), "<u2").reshape(6, 6, 65, 65)
    np.testing.assert_allclose(whole / 65535, np.nan_to_num(expected.attention), atol=1e-5)
    figure = answers.figure({"key": found["key"], "method": None, "layer": None, "head": None})
    assert figure["src"].startswith("data:image/png;base64,")
    assert answers.ablate({"key": "guess", "heads": [], "patches": []}) is None


def test_heads_that_are_off_may_pass_on_their_mean_and_patches_be_painted_grey(answers):
    key = answers.explain(sample())["key"]
    ask = {"key": key, "heads": [[5, 2]], "patches": [27, 3], "mode": "mean", "patch_mode": "gray"}
    found = answers.ablate(ask)
    model = vitviz.load("cifar10-ti4")
    case = vitviz.explain(model, sample_paths()["cat"]).context
    expected = ablate(case, [(5, 2)], [27, 3], "gray", mean_head_outputs(model, load_samples((32, 32))))
    np.testing.assert_allclose(found["probabilities"], softmax(expected.logits), atol=1e-5)
    other = answers.ablate(ask | {"mode": "zero"})["probabilities"]
    assert max(abs(np.array(other) - found["probabilities"])) > 1e-4
    assert answers.explanations.get(found).changes == "1 head ablated (mean), 2 patches painted gray"
    for name, value in (("mode", "noise"), ("patch_mode", 7)):
        assert f"{name} must be one of" in error_response(answers.ablate)(ask | {name: value})["error"]


@pytest.mark.parametrize(
    ("heads", "patches", "sentence"),
    [
        ([[6, 0]], [], "A head must be layer 0 to 5 and head 0 to 5"),
        ([[0]], [], "heads must be pairs of layer and head"),
        (["00"], [], "heads must be pairs of layer and head"),
        ([[0, True]], [], "heads must be pairs of layer and head"),
        ([], [64], "A patch must be from 0 to 63"),
        ([], [1.5], "patches must be whole numbers"),
        ([], list(range(64)), "Not all patches can be removed"),
        ([[layer, head] for layer in range(6) for head in range(6)], [], "Not all heads can be ablated"),
        ("all", [], "The request must name heads as list"),
    ],
)
def test_what_cannot_be_switched_off_is_refused_in_words(answers, heads, patches, sentence):
    key = answers.explain(sample())["key"]
    assert sentence in error_response(answers.ablate)({"key": key, "heads": heads, "patches": patches})["error"]


def test_the_whole_attention_follows_by_key(answers):
    answer = answers.explain(sample())
    packed = base64.b64decode(answers.attention({"key": answer["key"]}))
    whole = np.frombuffer(packed, "<u2").reshape(6, 6, 65, 65) / 65535
    expected = vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"]).attention
    np.testing.assert_allclose(whole, expected, atol=1e-5)


def test_an_unknown_key_has_no_attention(answers):
    assert answers.attention({"key": "guess"}) is None
    assert answers.attention({"key": ["cat"]}) is None
    assert answers.attention("cat") is None


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (None, "must name image"),
        ({}, "must name image"),
        ({"checkpoint": "cifar10-ti4", "image": "cat"}, "must name image"),
        ({"checkpoint": 3, "image": {}}, "must name checkpoint"),
        ({"checkpoint": "../secret", "image": {}}, "not found"),
        ({"checkpoint": "/etc/passwd", "image": {}}, "not found"),
        (sample("../../etc/passwd"), "There is no sample"),
        ({"checkpoint": "cifar10-ti4", "image": {"kind": "url", "path": "http://127.0.0.1"}}, "must be a sample"),
        ({"checkpoint": "cifar10-ti4", "image": {"kind": "cifar", "index": 0}}, "CIFAR-10 is not in"),
        ({"checkpoint": "cifar10-ti4", "image": {"kind": "upload", "path": 5}}, "must name path"),
    ],
)
def test_a_bad_question_gets_a_sentence(answers, question, sentence):
    assert sentence in error_response(answers.explain)(question)["error"]


def test_only_files_in_the_upload_folder_are_opened(answers, uploads, tmp_path):
    sibling = tmp_path / "uploads-of-others"
    sibling.mkdir()
    image = Image.new("RGB", (40, 40), "teal")
    for folder in (uploads, sibling):
        image.save(folder / "mine.png")
    os.symlink(sibling / "mine.png", uploads / "link.png")
    assert "error" not in error_response(answers.explain)(upload(uploads / "mine.png"))
    for path in (
        sibling / "mine.png",
        uploads / ".." / "uploads-of-others" / "mine.png",
        uploads / "link.png",
        uploads,
    ):
        assert "Only an uploaded image" in error_response(answers.explain)(upload(path))["error"]
    assert "Only an uploaded image" in error_response(answers.explain)(upload("a\0b"))["error"]


def test_an_upload_that_was_let_go_is_refused_without_its_path(answers, uploads):
    for path in (uploads / "82af" / "small.png", uploads / f"{'long' * 80}.png"):
        for ask in (answers.explain, is_large):
            error = error_response(ask)(upload(path))["error"]
            assert error == "Own images are kept for less than an hour. Choose the file again."


def test_an_upload_comes_back_re_encoded_and_small(answers, uploads):
    Image.new("RGB", (3000, 100), "teal").save(uploads / "wide.png")
    answer = answers.explain(upload(uploads / "wide.png"))
    shown = base64.b64decode(answer["image"]["original"].split(",", 1)[1])
    assert shown.startswith(b"\x89PNG")
    assert answer["image"]["note"] == "cropped to a square, shrunk from 3000 × 100 to 32 × 32"
    assert len(shown) < 20_000


def test_an_unforeseen_failure_is_logged_and_told_calmly(caplog):
    def broken(question):
        raise KeyError("secret place")

    with caplog.at_level(logging.ERROR):
        error = error_response(broken)({})["error"]
    assert "Something went wrong on the server (reference " in error
    assert "secret" not in error
    assert "secret place" in caplog.text


def test_what_was_found_before_is_told_while_the_line_is_full(answers, monkeypatch):
    functions = {answer.__name__: answer for answer in answers.functions}
    cat, dog, again = (answers.explain(sample(name))["key"] for name in ("cat", "dog", "cat"))
    restart, maps = threading.Event(), Explanation.map

    def waiting(explanation, *args):
        assert restart.wait(60)
        return maps(explanation, *args)

    async def ask():
        found = await functions["methods"]({"key": cat, "target": []})
        monkeypatch.setattr(Explanation, "map", waiting)
        line = [asyncio.create_task(functions["methods"]({"key": dog, "target": []})) for _ in range(10)]
        refused, _ = await asyncio.wait(line, return_when=asyncio.FIRST_COMPLETED)
        assert [asked.result() for asked in refused] == [{"error": BUSY, "busy": True}]
        assert await functions["methods"]({"key": again, "target": []}) == found
        restart.set()
        assert sum("maps" in answer for answer in await asyncio.gather(*line)) == 9

    with ThreadPoolExecutor(1) as apart:  # a browser's tests may have left a loop in this thread
        apart.submit(asyncio.run, ask()).result()


def test_a_huge_image_keeps_nobody_with_a_small_one_waiting(answers, uploads, monkeypatch):
    explain = {answer.__name__: answer for answer in answers.functions}["explain"]
    Image.new("L", (4000, 4000)).save(uploads / "huge.png")
    Image.new("L", (40, 40)).save(uploads / "small.png")
    restart = threading.Event()

    def waiting(model, source):
        assert source.name == "small.png" or restart.wait(60)
        return vitviz.explain(model, source)

    async def ask():
        monkeypatch.setattr(explore, "explain", waiting)
        line = [asyncio.create_task(explain(upload(uploads / "huge.png"))) for _ in range(10)]
        refused, _ = await asyncio.wait(line, return_when=asyncio.FIRST_COMPLETED)
        assert [asked.result() for asked in refused] == [{"error": BUSY, "busy": True}]
        assert "probabilities" in await explain(upload(uploads / "small.png"))
        restart.set()
        assert sum("probabilities" in answer for answer in await asyncio.gather(*line)) == 9

    with ThreadPoolExecutor(1) as apart:
        apart.submit(asyncio.run, ask()).result()


@pytest.fixture(scope="module")
def explanation():
    return vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"])


def test_old_explanations_make_room_for_new_ones(explanation):
    recent = ExplanationCache(max_bytes=2 * size_of(explanation))
    keys = [recent.add(explanation) for _ in range(3)]
    assert recent.get({"key": keys[0]}) is None
    assert recent.get({"key": keys[1]}) is explanation
    assert recent.get({"key": keys[2]}) is explanation
    assert recent.bytes == 2 * size_of(explanation)


def test_the_weights_of_a_run_count_and_those_of_a_model_that_ships_do_not(explanation):
    run = copy(explanation.context)
    run.checkpoint = replace(run.checkpoint, name="runs/first")
    weights = sum(4 * one.numel() for one in run.checkpoint.network.parameters())
    assert size_of(replace(explanation, context=run)) == size_of(explanation) + weights


def test_an_explanation_that_is_asked_about_outlives_newer_ones(explanation):
    recent = ExplanationCache(max_bytes=2 * size_of(explanation))
    first, second = recent.add(explanation), recent.add(explanation)
    assert recent.get({"key": first}) is explanation
    third = recent.add(explanation)
    assert recent.get({"key": second}) is None
    assert recent.get({"key": first}) is recent.get({"key": third}) is explanation


def test_an_explanation_that_is_asked_about_grows_old_all_the_same(explanation, monkeypatch):
    now, recent = 0.0, ExplanationCache()
    monkeypatch.setattr(cache, "time", SimpleNamespace(monotonic=lambda: now))
    old = recent.add(explanation)
    now = MAX_AGE / 2
    new = recent.add(explanation)
    assert recent.get({"key": old}) is explanation
    now = MAX_AGE + 1
    assert recent.get({"key": old}) is None
    assert recent.get({"key": new}) is explanation
    assert recent.bytes == size_of(explanation)


def test_what_was_made_of_a_image_is_let_go_with_it(explanation, monkeypatch):
    now, recent = 0.0, ExplanationCache()
    monkeypatch.setattr(cache, "time", SimpleNamespace(monotonic=lambda: now))
    key = recent.add(explanation)
    now = MAX_AGE - 1.0
    changed = recent.add(explanation, key)
    assert recent.get({"key": changed}) is explanation
    now += 2
    assert recent.get({"key": changed}) is None
    assert recent.get({"key": recent.add(explanation, key)}) is None, "the image itself is gone"


def test_an_absent_data_set_is_told_with_the_command_that_fetches_it(answers):
    state = answers.list_models({})["cifar"]
    assert not state["available"]
    assert "python -m vitviz data download" in state["message"]
    outside = {"checkpoint": "cifar10-ti4", "image": {"kind": "cifar", "index": 0}}
    assert "CIFAR-10 is not in" in error_response(answers.explain)(outside)["error"]


def test_the_catalog_lists_what_ships(answers):
    catalog = answers.catalog()
    assert {"name": "cifar10-ti4", "layers": 6, "heads": 6}.items() <= catalog["checkpoints"][0].items()
    assert [s["name"] for s in catalog["samples"]] == sorted(cifar.CLASSES)
    assert {m["key"] for m in catalog["methods"]} == vitviz.METHODS.keys() - {"reverse_attention"}


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A checkpoint of one's own, the only one in checkpoints/."""
    path = tmp_path / "checkpoints" / "mine.safetensors"
    path.parent.mkdir()
    checkpoint.save(tiny.checkpoint(), path)
    monkeypatch.setattr(checkpoint, "CHECKPOINTS", path.parent)
    return path


def test_a_checkpoint_that_is_none_of_ours_is_left_out_and_told_once(answers, mine, tmp_path):
    save_file({"head.weight": torch.ones(3)}, mine.with_name("timm.safetensors"))
    mine.with_name("gone.safetensors").symlink_to(tmp_path / "gone")
    with pytest.warns(UserWarning, match="Move it to another folder") as told:
        listed = answers.catalog()["checkpoints"]
    assert [model["name"] for model in listed] == ["mine"]
    assert [re.search(r"[a-z]+\.safetensors", str(warning.message))[0] for warning in told] == [
        "gone.safetensors",
        "timm.safetensors",
    ]
    assert Train(str(tmp_path)).catalog()["models"] == ["mine"], "and is not told again"
    assert "Choose one of: mine." in error_response(answers.explain)(sample() | {"checkpoint": "timm"})["error"]


def test_a_checkpoint_that_was_replaced_is_seen_and_nothing_of_the_old_one_shown(answers, mine):
    def seen():
        answer = answers.explain(sample() | {"checkpoint": "mine"})
        asked = {"key": answer["key"], "target": [0]}
        return (
            answer["probabilities"],
            answers.methods(asked)["maps"]["relevance"],
            answers.scores(asked)["random_baseline"],
        )

    before = seen()
    assert seen() == before
    checkpoint.save(tiny.checkpoint(seed=1), mine)
    after = seen()
    assert [old == new for old, new in zip(before, after, strict=True)] == [False] * 3


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"layer": 6}, "layer must be from 0 to 5: got '6'"),
        ({"head": "3"}, "head must be from 0 to 5"),
        ({"patches": [64]}, "Patches must be different numbers from 0 to 63"),
        ({"patches": [1] * 100_000}, "Patches must be different numbers"),
        ({"patches": "all"}, "patches must be whole numbers"),
        ({"method": "magic"}, "There is no method 'magic'"),
        ({"direction": "up"}, "direction must be from or to"),
    ],
)
def test_a_figure_of_what_is_not_there_is_refused(answers, wanted, sentence):
    key = answers.explain(sample())["key"]
    assert sentence in error_response(answers.figure)({"key": key} | wanted)["error"]


def test_the_figure_shows_the_view_on_screen(answers):
    key = answers.explain(sample())["key"]
    shown = answers.figure(
        {"key": key, "layer": 2, "head": None, "patches": [9, 10], "direction": "to", "method": None}
    )
    assert base64.b64decode(shown["src"].split(",", 1)[1]).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ({}, "layer-6-mean-of-heads"),
        ({"direction": "to"}, "layer-6-mean-of-heads-to-the-class-token"),
        ({"patches": [27]}, "layer-6-mean-of-heads-from-row-4-column-4"),
        ({"patches": [27, 3, 5], "direction": "to"}, "layer-6-mean-of-heads-to-row-4-column-4-and-2-more"),
        ({"method": "relevance", "target": [5, 3], "patches": [27]}, "relevance-for-dog-not-cat"),
    ],
)
def test_the_figure_is_named_after_the_image_and_what_is_asked_of_it(answers, monkeypatch, wanted, name):
    monkeypatch.setattr(figures, "render", lambda figure, ending: b"")
    key = answers.explain(sample())["key"]
    view = {"layer": 5, "head": None, "method": None} | wanted
    assert answers.figure({"key": key} | view)["name"] == f"vitviz-cifar10-ti4-drawing-cat-{name}.png"
    changed = answers.ablate({"key": key, "heads": [], "patches": [1]})["key"]
    assert answers.figure({"key": changed} | view)["name"] == f"vitviz-cifar10-ti4-drawing-cat-{name}-changed.png"


def test_the_name_of_an_own_file_is_not_part_of_its_figure(answers, uploads):
    Image.new("RGB", (40, 40), "teal").save(uploads / "mine.png")
    key = answers.explain(upload(uploads / "mine.png", "../Grandmother $1\n.png"))["key"]
    assert answers.figure({"key": key})["name"].startswith("vitviz-cifar10-ti4-own-image-mean-of-layers")
    assert answers.explanations.get({"key": key}).name == "Own image"


def test_a_lost_key_has_no_figure_so_that_the_page_can_ask_anew(answers):
    assert answers.figure({"key": "x"}) is None


def test_sample_names_are_not_paths():
    with pytest.raises(ImageError, match="There is no sample"):
        images.sample_path("../data/cifar")


@pytest.mark.filterwarnings("ignore:test_batch.bin differs")
def test_a_test_image_is_explained_with_its_label(cifar_folder):
    answers, (_, labels) = Explore(str(cifar_folder)), cifar.load("test", str(cifar_folder))
    picked = answers.explain({"checkpoint": "cifar10-ti4", "image": {"kind": "cifar", "index": 0}})
    assert picked["image"]["truth"] == labels[0]
    name = f"CIFAR-10 test image 0 ({cifar.CLASSES[labels[0]]})"
    assert answers.explanations.get(picked).name == name
    outside = {"checkpoint": "cifar10-ti4", "image": {"kind": "cifar", "index": 10**6}}
    assert "must be from 0 to 19" in error_response(answers.explain)(outside)["error"]
