"""Routes of explanations: numbers equal the library's, subjects are explained once, and bad requests are refused."""

import base64
import io
import re
import resource
import threading
import time
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

from tests import tiny
from tests.webapp.api import CAT, routes
from vitviz import environment
from vitviz.attribution import image_statistics, serialize, tuned_lens
from vitviz.attribution.ablation import mean_head_outputs
from vitviz.attribution.context import BEFORE_BATCH
from vitviz.attribution.explanation import explain, patch_activations
from vitviz.attribution.head_factors import head_factors, score_parts
from vitviz.attribution.neighbors import build_index, nearest
from vitviz.attribution.view_maps import default_rows, query_rows
from vitviz.data import cifar
from vitviz.data.preprocessing import load_samples, sample_paths
from vitviz.data.samples import PHOTOS, example_paths
from vitviz.errors import DataError
from vitviz.models import checkpoint
from vitviz.models.features import compute_features
from vitviz.models.weights import weights_sha256
from vitviz.view import Subject
from vitviz.webapp import explanations, image_lists
from vitviz.webapp.routes import explanations as module
from vitviz.webapp.server import calls
from vitviz.webapp.server import uploads as upload_module
from vitviz.webapp.server.jobs import BusyError, GoneError, Queue

pytestmark = pytest.mark.filterwarnings("ignore:test_batch.bin differs")
DOG = {"kind": "sample", "name": "dog"}


@pytest.fixture(scope="module")
def client():
    with routes() as client:
        yield client


@pytest.fixture(scope="module")
def cat():
    return explain(tiny.checkpoint(), sample_paths()["cat"])


@pytest.fixture
def bundled(tmp_path, monkeypatch):
    """The only checkpoint in checkpoints/."""
    path = tmp_path / "checkpoints" / "bundled.safetensors"
    path.parent.mkdir()
    checkpoint.save(tiny.checkpoint(), path)
    monkeypatch.setattr(checkpoint, "CHECKPOINTS", path.parent)
    return path


def decoded(text: str, kind: str, *shape: int):
    return np.frombuffer(base64.b64decode(text), kind).reshape(shape)


def pixels_of(image):
    return decoded(image["pixels"], "u1", image["height"], image["width"], 3)


# Numbers


def test_an_explanation_is_that_of_the_library(client, cat):
    reply = client.get("explanations", subject=CAT)
    shape = tiny.L, tiny.A, tiny.T
    assert np.array_equal(decoded(reply["cls"], "<f4", *shape), default_rows(cat.context))
    assert reply["probabilities"] == cat.probabilities.tolist()
    assert (reply["classes"], reply["model"]) == (cat.labels, "tiny")
    shape = reply["shape"]
    assert (shape["layers"], shape["heads"], shape["rows"], shape["columns"]) == (tiny.L, tiny.A, tiny.GH, tiny.GW)
    assert (shape["prefix"], shape["class_token"], shape["distilled"], reply["pool"]) == (1, True, False, None)
    assert shape["aspect"] == tiny.W / tiny.H
    assert reply["limits"] == serialize.limits_to_json(cat)
    assert np.array_equal(pixels_of(reply["image"]), np.asarray(cat.image.model_input))
    assert (reply["image"]["shows"], reply["image"]["original"], reply["image"]["name"]) == (
        "cat",
        None,
        "Drawing (cat)",
    )
    assert reply["maps"]["average"] == cat.map("average").ravel().tolist()


def test_the_parts_of_scores_are_those_of_the_library(client, cat, monkeypatch):
    request = {"subject": CAT, "layer": 1, "head": 0, "query": [3]}
    refusal = client.refusal("explanations/score-parts", **request)
    assert "at least 128 images" in refusal["error"]
    assert refusal["field"] == "subject.model"
    images = torch.stack([torch.from_numpy(tiny.pixels(seed=seed)).permute(2, 0, 1) for seed in range(4)])
    factors = head_factors(cat.context.checkpoint, images)
    monkeypatch.setattr(
        image_statistics, "load", lambda checkpoint: image_statistics.ImageStatistics(factors, None, None)
    )
    expected = score_parts(cat.context, factors, 1, 0, (3,))
    reply = client.get("explanations/score-parts", **request)
    assert (reply["names"], reply["images"]) == (list(expected.names), 4)
    assert reply["parts"] == expected.parts.tolist()
    assert reply["scores"] == expected.scores.tolist()
    for field, value in (("head", tiny.A), ("layer", tiny.L), ("query", [tiny.GH * tiny.GW])):
        assert client.refusal("explanations/score-parts", **request | {field: value})["field"] == field
    removed = CAT | {"ablations": [{"patches": [1]}]}
    assert client.refusal("explanations/score-parts", **request | {"subject": removed})["field"] == "ablations"


def test_attention_and_rows_are_those_of_the_library(client, cat):
    full = client.get("explanations/attention", subject=CAT)["weights"]
    shape = tiny.L, tiny.A, tiny.T, tiny.T
    assert np.array_equal(decoded(full, "<u2", *shape), np.round(cat.attention * 65535))
    for direction in ("from", "to"):
        rows = client.get("explanations/rows", subject=CAT, query=[3, 30], direction=direction)["weights"]
        expected = np.round(query_rows(cat.context, (3, 30), direction) * 65535)
        assert np.array_equal(decoded(rows, "<u2", *shape[:3]), expected)


def test_full_attention_that_is_too_large_is_requested_by_rows(client, monkeypatch):
    monkeypatch.setattr(environment, "MAX_SENT_BYTES", 1000)
    assert client.get("explanations", subject=CAT)["on_demand"]
    refusal = client.refusal("explanations/attention", subject=CAT)
    assert (refusal["field"], refusal["hint"]) == ("subject.model", "Request the rows of a query.")
    assert client.get("explanations/rows", subject=CAT)["weights"]


def test_maps_and_scores_are_those_of_the_library_and_computed_once(client, cat, monkeypatch):
    target = (3, 7)
    reply = client.get("explanations/maps", subject=CAT, target=target)
    expected = serialize.method_maps(cat, target)
    assert reply["skipped"] is None
    assert list(reply["maps"]) == list(expected)
    for key, values in expected.items():
        assert np.allclose(reply["maps"][key], values, atol=1e-6), key
    quick = client.get("explanations/maps", subject=CAT, target=target, part="quick")["maps"]
    assert set(expected) - set(quick) == {"occlusion", "integrated_gradients"}
    first = client.get("explanations/maps", subject=CAT, target=target, part="first")["maps"]
    assert list(first) == ["attention", "rollout", "balanced_gradients", "contributions", "attention_gradcam"]
    scores = client.get("explanations/scores", subject=CAT, target=[3])
    expected = serialize.method_scores(cat, 3)
    assert scores["scores"] == pytest.approx(expected["scores"], abs=1e-5)
    assert scores["random_baseline"] == pytest.approx(expected["random_baseline"], abs=1e-5)
    monkeypatch.setattr(serialize, "method_maps", lambda *_: pytest.fail("they are known"))
    monkeypatch.setattr(serialize, "method_scores", lambda *_: pytest.fail("they are known"))
    assert client.get("explanations/maps", subject=CAT, target=target) == reply
    assert client.get("explanations/scores", subject=CAT, target=[3]) == scores


def test_large_models_leave_out_what_takes_many_passes(client, monkeypatch):
    monkeypatch.setattr(explanations, "MAX_MACS", 0)
    reply = client.get("explanations/maps", subject=CAT, target=[5])
    assert "occlusion" not in reply["maps"]
    assert reply["skipped"] == explanations.SKIPPED
    assert client.refusal("explanations/scores", subject=CAT, target=[5])["error"] == explanations.SKIPPED


def test_a_map_on_request_reports_its_progress_and_is_kept(client, cat, monkeypatch):
    status, lines = client.post("explanations/map", subject=CAT, target=[3], method="shapley")
    assert status == 200
    assert all(line["waiting"] == "" and line["done"] <= line["total"] for line in lines[:-1])
    values = cat.map("shapley", 3)
    assert np.allclose(lines[-1]["reply"]["map"], values.ravel(), atol=1e-5)
    assert lines[-1]["reply"]["score"] == pytest.approx(serialize.method_score(cat, 3, values.ravel()), abs=1e-4)
    monkeypatch.setattr(serialize, "method_score", lambda *_: pytest.fail("it is known"))
    assert client.get("explanations/map", subject=CAT, target=[3], method="shapley") == lines[-1]["reply"]


def test_scores_report_the_images_that_pass_through_the_network(client, monkeypatch):
    client.backend.explanations.replies.clear()
    counts, real = [], calls.Job.report
    monkeypatch.setattr(calls.Job, "report", lambda self, *of: (counts.append(of), real(self, *of)))
    assert client.get("explanations/scores", subject=CAT)["scores"]
    done, totals = zip(*counts, strict=True)
    assert len({*totals}) == 1
    assert [*done] == sorted(done)
    assert 0.5 * totals[0] < done[-1] <= totals[0]


@pytest.mark.parametrize("method", ["integrated_gradients", "occlusion"])
def test_maps_of_many_passes_end_before_the_next_batch(method):
    def gone(_):
        raise GoneError

    before = BEFORE_BATCH.set(gone)
    try:
        with pytest.raises(GoneError):
            explain(tiny.checkpoint(), sample_paths()["cat"]).map(method)
    finally:
        BEFORE_BATCH.reset(before)


def test_a_map_per_pixel_is_that_of_the_library(client, cat):
    reply = client.get("explanations/pixels", subject=CAT, method="balanced_gradients", target=[3, 7])
    values = decoded(reply["values"], "<f4", reply["rows"], reply["columns"])
    assert np.array_equal(values, cat.map("balanced_gradients", (3, 7), pixels=True))
    refusal = client.refusal("explanations/pixels", subject=CAT, method="rollout")
    assert refusal["error"].startswith("method must be one with a map per pixel")


def test_contributions_are_those_of_the_library_and_sum_to_the_logit(client, cat):
    reply = client.get("explanations/contributions", subject=CAT, target=[3, 7])
    heads = decoded(reply["heads"], "<f4", tiny.L, tiny.A, tiny.T)
    assert np.array_equal(heads, cat.contributions((3, 7)).heads)
    total = reply["embedding"] + heads.sum() + sum(reply["attention_bias"]) + sum(reply["mlp"]) + reply["bias"]
    assert total == pytest.approx(reply["logit"], abs=1e-5)


def test_features_are_the_components_of_the_library(client, cat):
    for foreground in (False, True):
        reply = client.get("explanations/features", subject=CAT, foreground=foreground)
        scores = decoded(reply["scores"], "<f4", tiny.L, tiny.N, 3)
        for layer in range(tiny.L):
            found = cat.pca(layer, foreground)
            assert np.array_equal(scores[layer], found.scores.reshape(-1, 3), equal_nan=True)
            assert reply["explained"][layer] == found.basis.explained.tolist()


def test_a_layer_without_three_patches_has_no_components(client):
    ablations = [{"patches": list(range(tiny.N - 2))}]
    reply = client.get("explanations/features", subject=CAT | {"ablations": ablations})
    assert reply["explained"] == [None] * tiny.L
    assert np.isnan(decoded(reply["scores"], "<f4", tiny.L, tiny.N, 3)).all()


def test_similarities_are_those_of_the_library(client, cat):
    values = decoded(client.get("explanations/similarity", subject=CAT, patch=9)["values"], "<f4", tiny.L, tiny.N)
    assert np.array_equal(values, [cat.similarity(layer, 9).ravel() for layer in range(tiny.L)])


@pytest.fixture
def training_images(monkeypatch, tmp_path):
    """Training images of CIFAR-10, and an empty cache of their features."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    images = torch.randint(0, 256, (20, 3, 32, 32), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    labels = torch.arange(20) % 10
    image_lists.load_split.cache_clear()
    monkeypatch.setattr(cifar, "load", lambda split, data: (images, labels))
    yield images, labels
    image_lists.load_split.cache_clear()


def test_the_lens_is_fit_on_request_and_kept(client, cat, training_images, tmp_path, monkeypatch):
    monkeypatch.setenv("VITVIZ_CACHE", str(tmp_path))

    def ask(**fields):
        return client.post("explanations/lens", subject=CAT, **fields)[1][-1]["reply"]["lens"]

    assert ask() is None
    reply = ask(fit=True, target=[3])
    expected = tuned_lens.fit(tiny.checkpoint(), tuned_lens.choose_images(training_images[0]), "CIFAR-10")
    values = decoded(reply.pop("values"), "<f4", tiny.L + 1, tiny.GH, tiny.GW)
    np.testing.assert_allclose(values, expected.maps(cat, 3), atol=1e-6)
    assert reply == expected.describe()
    assert (reply["images"], reply["held_out"], reply["dataset"]) == (16, 4, "CIFAR-10")
    stored = tuned_lens.require_lens(tiny.checkpoint())
    np.testing.assert_allclose(stored.weight, expected.weight, atol=1e-6)
    assert decoded(ask()["values"], "<f4", tiny.L + 1, tiny.GH, tiny.GW)[2, 1, 1] == expected.maps(cat)[2, 1, 1]


def test_the_nearest_images_are_those_of_the_library(client, cat, training_images, tmp_path):
    images, labels = training_images
    status, lines = client.post("explanations/nearest", subject=CAT)
    reply = lines[-1]["reply"]
    found = nearest(cat.context, build_index(tiny.checkpoint(), images, cache=tmp_path), 8)
    assert (status, reply["count"]) == (200, 20)
    assert [one["index"] for one in reply["images"]] == found.indices.tolist()
    assert [one["similarity"] for one in reply["images"]] == pytest.approx(found.similarities.tolist())
    assert [one["label"] for one in reply["images"]] == [cifar.CLASSES[labels[i]] for i in found.indices]


def test_the_nearest_samples_are_those_of_the_library_without_the_image_itself(client):
    reply = client.post("explanations/nearest", subject=CAT, among="samples")[1][-1]["reply"]
    model, paths = tiny.checkpoint(), example_paths()
    images = load_samples(model.config.img_size, model.resize, paths.values())
    features = torch.nn.functional.normalize(compute_features(model, images), dim=-1)
    similarities = dict(zip(paths, (features @ features[list(paths).index("cat")]).tolist(), strict=True))
    names = sorted(paths, key=lambda name: -similarities[name])
    assert (reply["count"], names[0]) == (15, "cat")
    assert [one["label"] for one in reply["images"]] == names[1:6]
    expected = [similarities[name] for name in names[1:6]]
    assert [one["similarity"] for one in reply["images"]] == pytest.approx(expected, abs=2e-3)  # float16


def test_without_training_images_a_public_page_names_no_folder(monkeypatch):
    image_lists.load_split.cache_clear()

    def fail(*_):
        raise DataError("/home/me/data is missing.")

    monkeypatch.setattr(cifar, "load", fail)
    for public in (False, True):
        with routes(public=public) as client:
            refusal = client.refusal("explanations/nearest", subject=CAT)
            assert ("/home/me" in refusal["error"]) == (not public)


def test_patching_is_that_of_the_library(client, cat):
    dog = explain(tiny.checkpoint(), sample_paths()["dog"])
    status, lines = client.post("explanations/patching", subject=CAT, other=DOG, target=[3, 7])
    reply = lines[-1]["reply"]
    heads, mlp = (patch_activations(cat, dog, (3, 7), part) for part in ("heads", "mlp"))
    assert (status, reply["target"], reply["tokens"]) == (200, [3, 7], [])
    assert np.allclose(reply["heads"], heads.recovered, atol=1e-4)
    assert np.allclose(reply["mlp"], mlp.recovered, atol=1e-4)
    assert (reply["logit"], reply["corrupted_logit"]) == pytest.approx((heads.logit, heads.corrupted_logit), abs=1e-5)
    reply = client.get("explanations/patching", subject=CAT, other=DOG, target=[3, 7], part="tokens", layer=2)
    tokens = patch_activations(cat, dog, (3, 7), "tokens", layers=(2,))
    assert np.allclose(reply["tokens"], tokens.recovered[0], atol=1e-4)
    assert client.refusal("explanations/patching", subject=CAT, other=DOG | {"name": "?"})["field"] == "other"


def test_patching_without_a_target_contrasts_both_predictions(client, cat):
    dog = explain(tiny.checkpoint(), sample_paths()["dog"])
    chosen = patch_activations(cat, dog, None).target
    expected = list(chosen) if isinstance(chosen, tuple) else [chosen]
    assert client.get("explanations/patching", subject=CAT, other=DOG)["target"] == expected


# Ablations


def test_ablations_are_applied_in_order_from_what_is_held(client, cat, monkeypatch):
    first, second = {"heads": [[1, 0]], "mode": "mean"}, {"heads": [[2, 1]], "patches": [4, 9], "patch_mode": "gray"}
    client.get("explanations", subject=CAT)
    applied = []
    ablate = explanations.ablate
    monkeypatch.setattr(explanations, "ablate", lambda *given: applied.append(given[1]) or ablate(*given))
    monkeypatch.setattr(explanations, "explain", lambda *_, **__: pytest.fail("the image is held"))
    one = client.get("explanations", subject=CAT | {"ablations": [first]})
    both = client.get("explanations", subject=CAT | {"ablations": [first, second]})
    assert len(applied) == 2
    expected = cat.ablate([(1, 0)], mode="mean")
    assert one["probabilities"] == pytest.approx(expected.probabilities.tolist(), abs=1e-6)
    expected = expected.ablate([(2, 1)], [4, 9], patch_mode="gray")
    assert both["probabilities"] == pytest.approx(expected.probabilities.tolist(), abs=1e-6)
    cls = decoded(both["cls"], "<f4", tiny.L, tiny.A, tiny.T)
    assert np.allclose(cls, np.nan_to_num(default_rows(expected.context)), atol=1e-6)
    assert not cls[1, 0].any()
    assert not cls[2, 1].any()
    whole = client.get("explanations", subject=CAT)
    assert (both["limits"], both["image"]) == (whole["limits"], whole["image"])


def test_equal_ablations_are_one_subject(client, monkeypatch):
    given = {"heads": [[1, 0], [0, 1]], "patches": [9, 4]}
    client.get("explanations", subject=CAT | {"ablations": [given]})
    monkeypatch.setattr(explanations, "ablate", lambda *_: pytest.fail("it is held"))
    equal = [{"heads": [[0, 1], [1, 0], [0, 1]], "patches": [4, 9], "mode": "zero"}, {"mode": "mean"}]
    client.get("explanations", subject=CAT | {"ablations": equal})


# What is held


def test_an_image_is_explained_once_for_all_who_wait(monkeypatch):
    explain_image, started, calls = explanations.explain, threading.Event(), []

    def slow(*given, **options):
        calls.append(given)
        started.wait(60)
        return explain_image(*given, **options)

    monkeypatch.setattr(explanations, "explain", slow)
    with routes() as client, ThreadPoolExecutor(6) as pool:
        paths = ["explanations", "explanations/rows", "explanations/features"] * 2
        replies = [pool.submit(client.get, path, subject=CAT) for path in paths]
        started.set()
        assert all(reply.result() for reply in replies)
    assert len(calls) == 1


def test_what_was_evicted_is_computed_again(client):
    held = client.backend.explanations
    before = client.get("explanations/rows", subject=CAT, query=[3])
    held.held.clear()
    assert client.get("explanations/rows", subject=CAT, query=[3]) == before


def test_another_file_under_the_same_name_is_another_model(client):
    opened = client.backend.inputs.opener.models
    before = client.get("explanations", subject=CAT)["probabilities"]
    loaded = opened.loaded["tiny"]
    try:
        opened.loaded["tiny"], opened.states["tiny"] = tiny.checkpoint(seed=1), ((1, 1),)
        assert client.get("explanations", subject=CAT)["probabilities"] != before
    finally:
        opened.loaded["tiny"], opened.states["tiny"] = loaded, ()
    assert client.get("explanations", subject=CAT)["probabilities"] == before


def test_the_cache_is_bounded_but_keeps_two(client):
    found = client.backend.explanations
    size = explanations.size_of(found.compute(Subject(**CAT)).explanation)
    small = explanations.Explanations(client.backend.inputs, max_bytes=size)
    subjects = [Subject(model="tiny", image={"kind": "sample", "name": name}) for name in ("cat", "dog", "frog")]
    for subject in subjects:
        small.compute(subject)
    assert [small.get(subject) is not None for subject in subjects] == [False, True, True]


# Uploads


def test_an_upload_is_explained_by_its_id_and_gone_with_its_file(client, uploads, monkeypatch):
    picture = Image.fromarray(np.random.default_rng(0).integers(0, 256, (60, 90, 3), np.uint8))
    buffer = io.BytesIO()
    picture.save(buffer, "png")
    status, reply = client.upload(buffer.getvalue())
    assert (status, len(reply["id"])) == (200, 64)
    subject = {"model": "tiny", "image": {"kind": "upload", "id": reply["id"], "name": "me.png", "crop": 0.25}}
    found = client.get("explanations", subject=subject)
    expected = explain(tiny.checkpoint(), picture, crop=0.25)
    assert found["probabilities"] == pytest.approx(expected.probabilities.tolist(), abs=1e-6)
    assert (found["image"]["caption"], found["image"]["truth"]) == ("me.png", None)
    assert found["image"]["original"].startswith("data:image/png")
    assert str(uploads) not in str(found)

    now = time.monotonic()
    held = client.backend.explanations.get(explanations.canonical(Subject(**subject)))
    assert now + upload_module.UPLOAD_AGE - 60 < held.expires <= time.monotonic() + upload_module.UPLOAD_AGE
    monkeypatch.setattr(upload_module, "UPLOAD_AGE", -1)
    upload_module.Uploads(uploads).clean()
    client.backend.explanations.held.clear()
    refusal = client.refusal("explanations", subject=subject)
    assert (refusal["field"], refusal["hint"]) == ("subject.image", "Choose the file again.")


@pytest.mark.parametrize(
    "content", [b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"GIF89a", b"\x89PNG\r\n\x1a\n"]
)
def test_only_images_are_stored(client, uploads, content):
    status, reply = client.upload(content)
    assert (status, reply["field"]) == (400, "file")
    assert str(uploads) not in str(reply)
    assert not [path for path in uploads.rglob("*") if path.is_file()]


@pytest.mark.parametrize("public", [False, True])
def test_an_upload_onto_a_full_disk_is_refused_and_leaves_no_file(uploads, public):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with routes(public=public) as client:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
        try:
            status, reply = client.upload(sample_paths()["cat"].read_bytes())
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (status, "has no space" in reply["error"]) == (507, True)
    assert not [path for path in uploads.rglob("*") if path.is_file()]


def test_an_upload_needs_a_file(client, uploads):
    response = client.http.post("/vitviz/api/data/uploads", files={"other": ("a.png", b"x")})
    assert (response.status_code, response.json()["error"]) == (400, "file is missing.")


# Code and files


def test_code_computes_the_view(client):
    view = {"content": "attention", "layer": 2, "head": 1, "query": [3]}
    subject = CAT | {"ablations": [{"heads": [[0, 1]]}]}
    code = client.get("explanations/code", subject=subject, view=view)["code"]
    assert "explanation = vitviz.explain(model, 'cat')" in code
    assert "ablate(heads=[(0, 1)], mode='zero')" in code
    assert "attention_map(layer=2, head=1, query=[3])" in code
    view = {"content": "patching", "other": DOG, "target": [3, 7]}
    assert "other = vitviz.explain(model, 'dog')" in client.get("explanations/code", subject=CAT, view=view)["code"]


def test_the_provenance_of_a_view_has_its_subject_and_code(client, cat):
    view = {"content": "patching", "other": DOG, "target": [3, 7]}
    found = client.get("explanations/provenance", subject=CAT, view=view)
    subject = CAT | {"snapshot": None, "ablations": []}
    assert found["subject"] | {"model": CAT["model"]} == subject
    assert found["view"]["other"] == DOG
    assert found["image"]["sha256"] == cat.image.sha256
    assert found["model"]["sha256"] == weights_sha256(cat.context.checkpoint.network)
    assert found["code"] == client.get("explanations/code", subject=CAT, view=view)["code"]
    assert found["panels"] == []


def test_files_have_the_numbers_of_the_view(client, cat):
    view = {"layer": 2, "head": 1, "query": [3], "direction": "to"}
    reply = client.get("explanations/file", subject=CAT, view=view, format="npz")
    arrays = np.load(io.BytesIO(base64.b64decode(reply["src"].partition(",")[2])))
    assert np.allclose(arrays["map"], cat.attention_map(2, 1, 3, "to"))
    for content in ("contributions", "features", "patching"):
        reply = client.get(
            "explanations/file", subject=CAT, view={"content": content, "other": DOG, "target": [3]}, format="csv"
        )
        table = base64.b64decode(reply["src"].partition(",")[2]).decode()
        assert table.partition("\n")[2].startswith("quantity,name,layer,head,row,column,value\n")
    reply = client.get("explanations/file", subject=CAT, view={}, format="html")
    assert base64.b64decode(reply["src"].partition(",")[2]).startswith(b"<!doctype html>")


# Images


def test_the_label_of_an_image_is_the_truth_where_the_model_has_its_class(client):
    for model, name, shows, truth in (
        ("tiny", "cat", "cat", None),
        ("cifar10-ti4", "cat", "cat", 3),
        ("cifar10-ti4", "chelsea", "cat", 3),
        ("cifar10-ti4", "rocket", "rocket", None),
    ):
        image = client.get("explanations", subject={"model": model, "image": {"kind": "sample", "name": name}})["image"]
        assert (image["shows"], image["truth"]) == (shows, truth)
        if name in PHOTOS:
            assert image["caption"] == f"Photograph: {PHOTOS[name].credit}"


def test_a_test_image_is_explained_with_its_label(cifar_folder):
    _, labels = cifar.load("test", str(cifar_folder))
    with routes(data=str(cifar_folder)) as client:
        subject = {"model": "cifar10-ti4", "image": {"kind": "test", "index": 0}}
        image = client.get("explanations", subject=subject)["image"]
        assert image["truth"] == labels[0]
        assert image["name"] == f"CIFAR-10 test image 0 ({cifar.CLASSES[labels[0]]})"
        refusal = client.refusal("explanations", subject=subject | {"image": {"kind": "test", "index": 20}})
        assert "must be from 0 to 19" in refusal["error"]


def test_without_cifar_a_test_image_is_refused_with_where_to_get_it(tmp_path):
    with routes(data=str(tmp_path)) as client:
        assert (
            "CIFAR-10 is not in"
            in client.refusal("explanations", subject=CAT | {"image": {"kind": "test", "index": 0}})["error"]
        )
        message = client.get("models")["cifar"]["message"]
        assert message.endswith("Download it on Explore, under CIFAR-10."), "the page's own way, not a command"


def uploaded(client, pixels):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return {"kind": "upload", "id": client.upload(buffer.getvalue())[1]["id"], "name": "mine.png"}


def test_the_crop_of_an_upload_is_moved(client, uploads):
    pixels = np.zeros((40, 80, 3), np.uint8)
    pixels[:, 40:] = 255
    image = uploaded(client, pixels)
    notes = []
    for crop, level in ((0, 0), (1, 255)):
        subject = {"model": "cifar10-ti4", "image": image | {"crop": crop}}
        reply = client.get("explanations", subject=subject)["image"]
        assert (pixels_of(reply) == level).all()
        notes.append(reply["note"])
    assert ["on the left" in notes[0], "on the right" in notes[1]] == [True, True]


def test_an_upload_is_returned_as_a_small_png(client, uploads):
    image = uploaded(client, np.full((100, 3000, 3), 90, np.uint8))
    found = client.get("explanations", subject={"model": "cifar10-ti4", "image": image})["image"]
    shown = base64.b64decode(found["original"].split(",", 1)[1])
    assert shown.startswith(b"\x89PNG")
    assert len(shown) < 20_000
    assert found["note"] == "cropped to a square, resized from 3000 × 100 to 32 × 32"


# Models


def hold(client, model, name="other"):
    """Let a client know another model."""
    opened = client.backend.inputs.opener.models
    opened.requested[name], opened.states[name] = name, ()
    opened.loaded[name] = replace(model, name=name)
    return CAT | {"model": name}


def test_attention_pooling_is_sent_with_the_image_and_after_ablations():
    model = tiny.checkpoint(replace(tiny.CONFIG, class_token=False, global_pool="map"))
    expected = explain(model, sample_paths()["cat"]).context.pool_attention
    with routes() as client:
        subject = hold(client, model)
        reply = client.get("explanations", subject=subject)
        assert np.array_equal(decoded(reply["pool"], "<f4", *expected.shape), expected)
        ablated = client.get("explanations", subject=subject | {"ablations": [{"heads": [[0, 0]], "patches": [3]}]})
        weights = decoded(ablated["pool"], "<f4", *expected.shape)
        assert (weights[:, 3] == 0).all()
        assert not np.allclose(weights, expected)


def test_a_model_without_head_has_nothing_left_out(monkeypatch):
    monkeypatch.setattr(explanations, "MAX_MACS", 0)
    with routes() as client:
        subject = hold(client, replace(tiny.checkpoint(replace(tiny.CONFIG, num_classes=0)), labels=()))
        reply = client.get("explanations/maps", subject=subject)
        assert reply["skipped"] is None
        assert "rollout" in reply["maps"]


def test_heads_are_ablated_by_their_mean_and_patches_painted_gray(client, cat):
    ablation = {"heads": [[5, 1]], "patches": [27, 3], "mode": "mean", "patch_mode": "gray"}
    reply = client.get("explanations", subject=CAT | {"ablations": [ablation]})
    means = mean_head_outputs(tiny.checkpoint(), load_samples(tiny.CONFIG.img_size, tiny.checkpoint().resize))
    expected = cat.ablate([(5, 1)], [27, 3], "mean", "gray", means)
    np.testing.assert_allclose(reply["probabilities"], expected.probabilities, atol=1e-5)
    zero = client.get("explanations", subject=CAT | {"ablations": [ablation | {"mode": "zero"}]})
    assert max(abs(np.array(zero["probabilities"]) - reply["probabilities"])) > 1e-4


def test_quick_maps_leave_out_what_takes_many_passes(client):
    reply = client.get("explanations/maps", subject=CAT, target=[1, 7], part="quick")
    assert not {"occlusion", "integrated_gradients"} & set(reply["maps"])
    assert "relevance" in reply["maps"]
    assert reply["skipped"] is None


def test_a_flat_map_has_no_score(monkeypatch):
    with routes() as client:
        held = client.backend.explanations
        client.get("explanations", subject=CAT)
        explanation = held.get(explanations.canonical(Subject(**CAT))).explanation
        explanation.context.maps["attention_gradcam", 3] = np.zeros(tiny.N, np.float32)
        scores = client.get("explanations/scores", subject=CAT, target=[3])["scores"]
        assert [method for method, value in scores.items() if value is None] == ["attention_gradcam"]


def test_an_invalid_checkpoint_is_skipped_with_one_warning(bundled, tmp_path):
    save_file({"head.weight": torch.ones(3)}, bundled.with_name("timm.safetensors"))
    bundled.with_name("gone.safetensors").symlink_to(tmp_path / "gone")
    with routes() as client:
        with pytest.warns(UserWarning, match="Move it to another folder") as warned:
            listed = client.get("models")["models"]
        assert [model["name"] for model in listed] == ["bundled"]
        names = [re.search(r"[a-z]+\.safetensors", str(warning.message))[0] for warning in warned]
        assert names == ["gone.safetensors", "timm.safetensors"]
        assert "Use one of: bundled." in client.refusal("explanations", subject=CAT | {"model": "timm"})["error"]


# What is held


def test_what_is_held_is_returned_while_the_queue_is_full(client, monkeypatch):
    known = client.get("explanations/maps", subject=CAT, target=[4])

    async def busy(*_):
        raise BusyError

    monkeypatch.setattr(Queue, "run", busy)
    assert client.get("explanations/maps", subject=CAT, target=[4]) == known
    status, refusal = client.post("explanations/maps", subject=CAT, target=[5])
    assert (status, refusal["busy"]) == (503, True)


def test_large_images_and_models_that_must_be_loaded_come_after_small_ones(client, uploads):
    def is_large(subject):
        return client.backend.explanations.is_large(Subject(**subject))

    assert not is_large(CAT)
    assert not is_large(CAT | {"image": uploaded(client, np.zeros((40, 40, 3), np.uint8))})
    assert is_large(CAT | {"image": uploaded(client, np.zeros((4000, 4000, 3), np.uint8))})
    assert is_large(CAT | {"image": {"kind": "run", "run": "runs/pets", "index": 0}}), "its folder may have to be read"
    client.backend.inputs.opener.models.requested["away"] = "away"
    assert is_large(CAT | {"model": "away"})


def test_the_memory_of_an_explanation_includes_the_weights_of_runs(cat):
    run = copy(cat.context)
    run.checkpoint = replace(run.checkpoint, name="runs/first")
    weights = sum(4 * one.numel() for one in run.checkpoint.network.parameters())
    assert explanations.size_of(replace(cat, context=run)) == explanations.size_of(cat) + weights


def test_explanations_and_replies_are_deleted_within_an_hour_even_if_used(monkeypatch):
    now = 0.0
    monkeypatch.setattr(explanations, "time", SimpleNamespace(monotonic=lambda: now))
    with routes() as client:
        found = client.backend.explanations
        client.get("explanations/maps", subject=CAT)
        client.get("explanations", subject=CAT | {"ablations": [{"heads": [[0, 0]]}]})
        for age, left in ((explanations.MAX_AGE - 1, (2, 1)), (explanations.MAX_AGE + 1, (0, 0))):
            now = age
            found.clean()
            assert (Cache.__len__(found.held), Cache.__len__(found.replies)) == left  # also what has expired


# Refusals

SUBJECT_REFUSALS = [
    ({"extra": 1}, "subject.extra", "subject.extra is not a known field. Remove it."),
    ({"model": 1}, "subject.model", "subject.model is invalid, input should be a valid string: got 1."),
    ({"model": "x" * 1001}, "subject.model", "at most 1000 characters"),
    ({"model": "nothing"}, "subject.model", "Checkpoint 'nothing' not found"),
    ({"model": "runs/../../etc"}, "subject.model", "must have 1 to 64 letters"),
    ({"model": "/etc/passwd"}, "subject.model", "not found"),
    ({"image": None}, "subject.image", "subject.image is invalid"),
    ({"image": {"kind": "sample"}}, "subject.image.name", "subject.image.name is missing."),
    ({"image": {"kind": "sample", "name": "../cat"}}, "subject.image", "Sample '../cat' not found."),
    ({"image": {"kind": "sample", "name": "cat", "path": "/"}}, "subject.image.path", "is not a known field"),
    ({"image": {"kind": "file", "path": "/etc/passwd"}}, "subject.image", "does not match any of the expected tags"),
    ({"image": {"kind": "test", "index": -1}}, "subject.image.index", "greater than or equal to 0"),
    ({"image": {"kind": "test", "index": True}}, "subject.image.index", "valid integer"),
    ({"image": {"kind": "run", "run": "small", "index": 0}}, "subject.image", "cifar10 or runs/NAME"),
    ({"image": {"kind": "upload", "id": "../../etc/passwd"}}, "subject.image.id", "match pattern"),
    ({"image": {"kind": "upload", "id": "0" * 64}}, "subject.image", "Uploads are deleted within an hour."),
    ({"image": {"kind": "upload", "id": "0" * 64, "crop": 2}}, "subject.image.crop", "less than or equal to 1"),
    ({"image": {"kind": "given", "sha256": "0" * 64, "width": 1, "height": 1}}, "subject.image", "Upload it."),
    ({"ablations": [{"heads": [[99, 0]]}]}, "subject.ablations", "A head must be layer 0 to 5 and head 0 to 1"),
    ({"ablations": [{"heads": [[0]]}]}, "subject.ablations.0.heads.0.1", "is missing"),
    ({"ablations": [{"patches": [35]}]}, "subject.ablations", "A patch must be from 0 to 34"),
    ({"ablations": [{"patches": list(range(35))}]}, "subject.ablations", "Keep at least one."),
    ({"ablations": [{"mode": "half"}]}, "subject.ablations.0.mode", "'zero' or 'mean'"),
]


@pytest.mark.parametrize(("change", "field", "reason"), SUBJECT_REFUSALS)
def test_a_subject_is_refused_by_field(client, uploads, change, field, reason):
    for path in ("explanations", "explanations/nearest"):
        refusal = client.refusal(path, subject=CAT | change)
        assert refusal["field"] == field
        assert reason in refusal["error"]
        assert not refusal["busy"]


def test_what_a_timeline_does_not_store_of_a_snapshot_is_refused(client):
    snapshot = CAT | {"model": "cifar10-ti4", "snapshot": 0}
    assert client.get("explanations", subject=snapshot)["on_demand"]
    for path in ("explanations/attention", "explanations/maps", "explanations/nearest"):
        refusal = client.refusal(path, subject=snapshot)
        assert (refusal["field"], refusal["problem"][:12]) == ("subject.snapshot", "must be null")
    assert client.refusal("explanations", subject=CAT | {"snapshot": 0})["field"] == "subject.model"


@pytest.mark.parametrize(
    ("path", "request_", "field"),
    [
        ("explanations", {}, "subject"),
        ("explanations", {"subject": CAT, "key": "x"}, "key"),
        ("explanations/rows", {"subject": CAT, "query": [35]}, "query"),
        ("explanations/rows", {"subject": CAT, "query": [3, 3]}, "query"),
        ("explanations/rows", {"subject": CAT, "query": ["3"]}, "query.0"),
        ("explanations/rows", {"subject": CAT, "query": 3}, "query"),
        ("explanations/rows", {"subject": CAT, "direction": "similar"}, "direction"),
        ("explanations/maps", {"subject": CAT, "target": [99]}, "target"),
        ("explanations/maps", {"subject": CAT, "target": [1, 1]}, "target"),
        ("explanations/maps", {"subject": CAT, "target": [1, 2, 3]}, "target"),
        ("explanations/maps", {"subject": CAT, "target": [1.5]}, "target.0"),
        ("explanations/scores", {"subject": CAT, "target": [99]}, "target"),
        ("explanations/map", {"subject": CAT, "method": "nothing"}, "method"),
        ("explanations/pixels", {"subject": CAT, "method": "nothing"}, "method"),
        ("explanations/similarity", {"subject": CAT, "patch": 35}, "patch"),
        ("explanations/similarity", {"subject": CAT}, "patch"),
        ("explanations/patching", {"subject": CAT, "other": DOG, "part": "all"}, "part"),
        ("explanations/patching", {"subject": CAT}, "other"),
        ("explanations/file", {"subject": CAT, "format": "exe"}, "format"),
        ("explanations/file", {"subject": CAT, "format": "npz", "view": {"layer": -1}}, "view.layer"),
        ("explanations/code", {"subject": CAT, "view": {"colour": 1}}, "view.colour"),
    ],
)
def test_a_request_is_refused_by_field(client, path, request_, field):
    refusal = client.refusal(path, **request_)
    assert refusal["field"].startswith(field), refusal


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[" * 30_000, b"[]", b'"text"', b"null", b"\xff\xfe", b'{"subject": NaN}']
)
def test_what_is_not_a_request_is_refused(client, body):
    response = client.http.post("/vitviz/api/explanations", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == 400
    assert response.json()["error"]


def test_an_unexpected_error_has_a_reference_in_the_log(client, monkeypatch, caplog):
    def fail(_):
        raise RuntimeError("secret")

    monkeypatch.setattr(module, "to_reply", fail)
    status, reply = client.post("explanations", subject=CAT)
    assert (status, "secret" in str(reply)) == (500, False)
    reference = reply["error"].partition("reference ")[2][:6]
    assert reference in caplog.text
    assert "secret" in caplog.text
