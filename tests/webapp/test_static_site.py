"""The page as files, models in saved files, and weights for the app's own engine in the browser."""

import base64
import json
import re
import zlib

import numpy as np
import pytest
import safetensors.torch
import torch

import vitviz
from tests import captured, tiny
from tests.errors import refuses
from tests.webapp.api import routes
from vitviz.attribution import image_statistics, measured
from vitviz.attribution.explanation import explain
from vitviz.errors import CapturedModelError, ConfigError
from vitviz.models import checkpoint, rounding
from vitviz.models.weights import weights_sha256
from vitviz.webapp.routes import models as module
from vitviz.webapp.site import key_of, requests, write_site


@pytest.fixture(scope="module")
def model_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "small.safetensors"
    checkpoint.save(tiny.checkpoint(), path)
    return path


def test_a_site_holds_replies_by_rounded_weights_and_its_models(tmp_path, model_file):
    write_site(tmp_path / "out", [str(model_file)])
    site = json.loads((tmp_path / "out" / "site.json").read_text())
    assert site["catalog"]["static"] is True
    assert [model["name"] for model in site["catalog"]["models"]] == ["small"]
    assert site["catalog"]["cifar"]["available"] is False  # also if this machine has it
    assert not {"attn_lrp", "shapley"} & {method["key"] for method in site["catalog"]["methods"]}
    assert {path.stem for path in (tmp_path / "out" / "replies").iterdir()} == set(site["replies"])
    model = vitviz.load(str(model_file))
    asked = [key_of(route, request) for route, request in requests(model)]
    assert len(set(asked)) == len(asked)
    reply = json.loads((tmp_path / "out" / "replies" / f"{asked[0]}.json").read_text().splitlines()[0])["reply"]
    rounded = vitviz.explain(rounding.rounded(model, "int8"), "airplane")
    np.testing.assert_allclose(reply["probabilities"], rounded.probabilities, rtol=0, atol=1e-6)
    name = site["models"]["small"]["file"]
    assert weights_sha256(model.network)[:8] in name
    tensors = safetensors.torch.load(zlib.decompress((tmp_path / "out" / name).read_bytes()))
    assert tensors["blocks.0.attn.qkv.weight"].dtype == torch.int8
    assert 'src="start.js"' in (tmp_path / "out" / "index.html").read_text()
    write_site(tmp_path / "out", [str(model_file)])  # again


def test_a_site_replaces_no_other_files_and_has_no_captured_models(tmp_path, model_file, monkeypatch):
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(ConfigError, match="other files"):
        write_site(tmp_path, [str(model_file)])
    assert (tmp_path / "letter.txt").read_text() == "mine"
    monkeypatch.setattr("vitviz.webapp.site.load", lambda name: captured.swin())
    with pytest.raises(CapturedModelError):
        write_site(tmp_path / "new", ["swin"])
    assert not (tmp_path / "new").exists()


def test_a_saved_file_with_its_model_has_the_numbers_of_the_rounded_weights(tmp_path):
    explanation = explain(tiny.checkpoint(), tiny.pixels()).ablate(heads=[(1, 0)], patches=[2])
    explanation.save(tmp_path / "a.html", model=True, layer=1)
    content = (tmp_path / "a.html").read_text()
    data = json.loads(re.search(r'id="vitviz-data">(.*?)</script>', content, re.S)[1])
    rounded = rounding.rounded(tiny.checkpoint())
    expected = explain(rounded, tiny.pixels()).ablate(heads=[(1, 0)], patches=[2]).probabilities
    np.testing.assert_allclose(data["data"]["explained"]["probabilities"], expected, rtol=0, atol=1e-6)
    assert data["provenance"]["model"]["sha256"] == weights_sha256(explanation.context.checkpoint.network)
    whole = explanation.original.image.model_input
    assert data["data"]["explained"]["image"]["pixels"] == base64.b64encode(np.asarray(whole)).decode()
    planes = zlib.decompress(base64.b64decode(re.search(r'id="vitviz-model">(.*?)</script>', content)[1]))
    file = bytearray(len(planes))
    half = (len(planes) + 1) // 2
    file[::2], file[1::2] = planes[:half], planes[half:]
    assert bytes(file)[8:9] == b"{"
    assert safetensors.torch.load(bytes(file)).keys() >= rounded.network.state_dict().keys()


def test_the_tuned_lens_and_the_mean_question_of_a_model_are_in_the_file():
    model = vitviz.load("cifar10-ti4")
    lens = vitviz.tuned_lens(model)
    tensors = safetensors.torch.load(rounding.to_file(model, "int8", measured=measured.in_file(model)))
    assert np.array_equal(tensors["training.lens.weight"], lens.weight)
    assert np.array_equal(tensors["training.lens.bias"], lens.bias)
    stored = image_statistics.load(model).factors
    assert np.array_equal(tensors["training.question.class_query"], stored.class_query)
    assert measured.in_file(tiny.checkpoint()) == {}


def test_a_model_is_in_html_files_only(tmp_path):
    explanation = explain(tiny.checkpoint(), tiny.pixels())
    for name in ("a.png", "a.npz"):
        with refuses("model"):
            explanation.save(tmp_path / name, model=True)


def test_a_captured_model_is_in_no_file(tmp_path):
    explanation = explain(captured.swin(), tiny.pixels())
    with pytest.raises(CapturedModelError):
        explanation.save(tmp_path / "a.html", model=True)


def test_the_app_sends_weights_of_small_models_and_of_own_ones_on_a_private_page_only(monkeypatch):
    with routes() as client:
        file = base64.b64decode(client.get("models/weights", model="tiny")["file"])
        stored = safetensors.torch.load(file)
        for name, tensor in tiny.checkpoint().network.state_dict().items():
            assert torch.equal(stored[name], tensor), name
        monkeypatch.setattr(module, "MAX_PARAMETERS", 100)
        assert "parameters" in client.refusal("models/weights", model="tiny")["error"]
    monkeypatch.undo()
    with routes(public=True) as client:
        assert client.refusal("models/weights", model="tiny")["field"] == "model"


def test_a_file_with_its_model_is_verified_with_the_rounded_weights(tmp_path, model_file):
    model = vitviz.load(str(model_file))
    vitviz.explain(model, "cat").save(tmp_path / "a.html", model=True)
    found = vitviz.verify(tmp_path / "a.html", model=model)
    assert found, str(found)
    assert any("numbers" in one for one in found.compared)
