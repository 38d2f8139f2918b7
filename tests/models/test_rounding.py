"""Model files of the engine in the browser."""

import json

import pytest
import safetensors.torch
import torch

from tests import captured, tiny
from vitviz.errors import CapturedModelError
from vitviz.models import checkpoint, rounding
from vitviz.models.weights import weights_sha256


@pytest.mark.parametrize("kind", ["float32", "float16"])
def test_a_file_of_floats_is_a_checkpoint(tmp_path, kind):
    model = tiny.checkpoint()
    (tmp_path / "tiny.safetensors").write_bytes(rounding.to_file(model, kind, torch.ones(4, 2, 3)))
    loaded = checkpoint.load(tmp_path / "tiny.safetensors")
    assert (loaded.config, loaded.labels, loaded.resize) == (model.config, model.labels, model.resize)
    for name, tensor in model.network.state_dict().items():
        expected = tensor.half().float() if kind == "float16" and tensor.ndim > 1 else tensor
        assert torch.equal(loaded.network.state_dict()[name], expected), name


def test_int8_is_within_half_a_step_of_its_row():
    model = tiny.checkpoint(tiny.VARIANTS["everything"])
    tensors = safetensors.torch.load(rounding.to_file(model, "int8"))
    count = 0
    for name, weight in model.network.state_dict().items():
        if tensors[name].dtype == torch.int8:
            scale = tensors[f"{name}.scale"].view(-1, *[1] * (weight.ndim - 1))
            assert ((tensors[name] * scale - weight).abs() <= scale / 2 + 1e-7).all(), name
            count += 1
    assert count > 10
    assert tensors["pos_embed"].dtype == torch.float16


def test_a_file_names_the_model_the_hash_of_its_weights_and_the_rounding(tmp_path):
    model = tiny.checkpoint()
    path = tmp_path / "tiny.safetensors"
    path.write_bytes(rounding.to_file(model, "int8"))
    with safetensors.safe_open(path, framework="pt") as file:
        metadata = json.loads(file.metadata()["vitviz"])
    assert (metadata["name"], metadata["rounding"]) == (model.name, "int8")
    assert metadata["sha256"] == weights_sha256(model.network)


def test_weights_that_float16_cannot_hold_stay():
    large = torch.full((2, 2), 1e5)
    assert torch.equal(rounding.round_tensor("x", large, "float16")["x"], large)
    assert rounding.round_tensor("norm.weight", torch.ones(3), "int8")["norm.weight"].dtype == torch.float32


def test_a_captured_model_is_refused():
    with pytest.raises(CapturedModelError):
        rounding.to_file(captured.swin(), "float16")
