"""Captured models: what of them is known is measured and served, and the rest is refused by name."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

import vitviz
from tests import captured
from tests.webapp.api import routes
from vitviz.attribution import serialize
from vitviz.attribution.probes import Probes, probe
from vitviz.data.datasets import DATASET_INFO
from vitviz.data.preprocessing import load_samples, sample_paths
from vitviz.errors import CapturedModelError
from vitviz.models import checkpoint, export
from vitviz.models.features import compute_features
from vitviz.plots import probe_table
from vitviz.training import initial_weights, teacher
from vitviz.training.config import TrainConfig
from vitviz.webapp.model_info import facts

CAT = {"kind": "sample", "name": "cat"}
OF_ATTENTION = {"distance", "entropy", "effective_tokens", "head_divergence", "uniform_distance"}


@pytest.fixture(scope="module")
def models():
    return {"vit": captured.vit(), "swin": captured.swin()}


@pytest.fixture(scope="module")
def client(models):
    with routes(models=models) as client:
        yield client


@pytest.fixture(scope="module")
def probes(models):
    return {name: probe(model, load_samples(model.config.img_size, model.resize)) for name, model in models.items()}


def test_the_page_knows_what_is_captured_and_the_heads_of_each_layer(client):
    listed = {model["name"]: model["captured"] for model in client.get("models")["models"]}
    assert (listed["vit"], listed["swin"], listed["cifar10-ti4"]) == (True, True, False)
    found = client.get("explanations", subject={"model": "swin", "image": CAT})
    assert (found["shape"]["captured"], found["shape"]["layer_heads"]) == (True, [2, 2, 4, 4])
    assert {"rollout", "occlusion", "shapley"} <= {*found["methods"]}
    assert not {"contributions", "relevance", "balanced_gradients"} & {*found["methods"]}
    assert "relevance" in client.get("explanations", subject={"model": "vit", "image": CAT})["methods"]


@pytest.mark.parametrize("name", ["vit", "swin"])
def test_what_needs_the_inside_is_refused_by_the_routes(client, name):
    subject = {"model": name, "image": CAT}
    for route, request in {
        "explanations/contributions": {},
        "explanations/features": {},
        "explanations/similarity": {"patch": 0},
        "explanations/nearest": {"among": "samples"},
        "explanations/patching": {"other": CAT},
        "explanations/lesson/head": {"layer": 0, "head": 0},
        "explanations/lesson/patch": {"patch": 0},
    }.items():
        assert "only attention and outputs are known" in client.refusal(route, subject=subject, **request)["error"]
    taught = {"model": name, "classes": [{"name": one, "images": []} for one in "ab"]}
    assert "teaching classes" in client.refusal("teaching/fit", **taught)["error"]


@pytest.mark.parametrize("name", ["vit", "swin"])
def test_what_needs_the_inside_is_refused_by_the_library(models, name, tmp_path, monkeypatch):
    model = models[name]
    for module in (initial_weights, teacher.hub):
        monkeypatch.setattr(module, "load", lambda path, check: model)
    chosen = TrainConfig(dataset="cifar10", init_from="FOLDER", teacher="FOLDER")
    for refused in (
        lambda: checkpoint.save(model, tmp_path / "model.safetensors"),
        lambda: export.export(model, tmp_path / "model"),
        lambda: compute_features(model, load_samples(model.config.img_size, model.resize)),
        lambda: vitviz.linear_probe(model, tmp_path / "missing"),
        lambda: initial_weights.use_init_model(chosen),
        lambda: teacher.load_teacher(chosen, DATASET_INFO["cifar10"], torch.device("cpu")),
    ):
        with pytest.raises(CapturedModelError):
            refused()
    assert not [*tmp_path.iterdir()]


def test_the_lesson_has_the_numbers_that_are_known(client, models):
    found = client.get("explanations/lesson", subject={"model": "swin", "image": CAT})
    expected = vitviz.explain(models["swin"], sample_paths()["cat"])
    np.testing.assert_allclose(found["logits"], expected.logits, atol=1e-5)
    assert (found["lens"], found["norms"], found["patch_predictions"], found["contributions"]) == ([], [], None, None)
    assert (found["model"]["patch"], found["model"]["embed_dim"], found["model"]["mlp_dim"]) == ([4, 4], 0, 0)
    assert [one["method"] for one in found["removals"]] == ["attention", "average"]


def test_probes_are_those_of_the_attention(probes, models):
    found, model = probes["vit"], models["vit"]
    known = {name for name, values in found.arrays.items() if name != "labels" and values.size}
    known -= {"head_images", "pairs"}  # which are 0
    assert known == OF_ATTENTION
    images = model.normalize(load_samples((32, 32), model.resize))
    rows = model.network.forward_with_attention(images, "full").attention[:, :, :, 0].detach()  # (L, B, A, T)
    entropy = -(rows * rows.log()).sum(-1).mean(1)
    np.testing.assert_allclose(found.entropy, entropy, atol=1e-5)
    assert np.isnan(probes["swin"].distance).tolist() == [[False, False, True, True]] * 2 + [[False] * 4] * 2
    assert np.nanmax(probes["swin"].distance[0]) < probes["swin"].uniform_distance  # windows


@pytest.mark.parametrize("name", ["vit", "swin"])
def test_probes_are_drawn_saved_and_sent_without_heads_that_a_layer_lacks(client, probes, name, tmp_path):
    found: Probes = probes[name]
    found.save(tmp_path / "probes.png")
    lines = probe_table.to_csv(found.arrays, "distance").splitlines()
    assert len(lines) == 1 + np.isfinite(found.distance).sum()
    sent = client.get("models/probes", model=name)
    json.dumps(sent, allow_nan=False)
    assert [len(layer) for layer in sent["distance"]] == np.isfinite(found.distance).sum(1).tolist()
    np.testing.assert_allclose(np.concatenate(sent["distance"]), found.distance[np.isfinite(found.distance)], atol=1e-5)
    assert (sent["captured"], sent["filters"], sent["cka"], sent["norms"]) == (True, [], [], [])


def test_means_and_scales_leave_out_heads_that_a_layer_lacks(models):
    explanation = vitviz.explain(models["swin"], sample_paths()["cat"])
    rows = explanation.attention[:, :, :].mean(2)  # (L, A, T), of all patches
    mean = explanation.attention_map(0, "mean")
    np.testing.assert_allclose(mean.ravel(), rows[0, :2].mean(0), atol=1e-6)
    whole = np.concatenate([*rows[:2, :2], *rows[2:]]).mean(0)
    np.testing.assert_allclose(explanation.attention_map("mean", "mean").ravel(), whole, atol=1e-6)
    limits = serialize.to_json(explanation)["limits"]["from"]
    assert 0 < limits["means"] <= 1
    assert 0 < limits["heads"] <= 1
    titles = " ".join(axes.get_title("left") for axes in explanation.figure(layer=0, head=3).axes)
    assert "Layer 1, head 4 (absent)" in " ".join(titles.split())
    notes = vitviz.compare(explanation, explanation, layer=0, head=0, b_options={"head": 3}).notes
    assert "Layer 1, head 4 is absent in B: it has no map there." in notes


def test_descriptions_name_the_class_and_what_was_assumed(models):
    found = dict(facts(models["swin"]))
    assert (found["Family"], found["Layers"]) == ("SwinTransformer, captured", "4 layers, 2 to 4 heads")
    assert "attention is shown on 16 x 16 cells" in found["Note"]
    model = replace(models["vit"], name="tv")
    caption = serialize.to_file(vitviz.explain(model, sample_paths()["cat"]), vitviz.View())["data"]["caption"]
    assert "Model: tv." in caption
    assert "StudentViT, captured: mean and standard deviation" in caption
