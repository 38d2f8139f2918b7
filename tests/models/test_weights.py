"""SHA-256 of weights and of their files: what it depends on, and what it does not."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest
import safetensors.torch
import torch
from torch import nn

import vitviz
from tests import tiny
from vitviz.models import checkpoint, hub, weights
from vitviz.models.weights import WeightFile, weights_sha256


def reference(tensors) -> str:
    """The definition, by numpy."""
    parts = []
    for name in sorted(tensors):
        tensor = tensors[name]
        bits = tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor
        shape = ",".join(str(side) for side in tensor.shape)
        parts += [f"{name} {str(tensor.dtype)[6:]} {shape}\n".encode(), np.ascontiguousarray(bits.numpy()).tobytes()]
    return hashlib.sha256(b"".join(parts)).hexdigest()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_the_hash_is_that_of_its_definition(dtype):
    network = tiny.model().to(dtype)
    assert weights_sha256(network) == reference({name: x.detach() for name, x in network.state_dict().items()})


def test_the_hash_covers_scalars_transposed_tensors_and_buffers():
    network = nn.BatchNorm2d(3)
    network.weight = nn.Parameter(torch.arange(6.0).view(2, 3).T)
    assert network.num_batches_tracked.shape == ()
    assert weights_sha256(network) == reference({name: x.detach() for name, x in network.state_dict().items()})


def test_the_hash_is_equal_for_other_formats_and_another_order(tmp_path):
    own = tiny.checkpoint()
    path = tmp_path / "own.safetensors"
    checkpoint.save(own, path)
    turned = nn.Module()
    for name, module in reversed(list(own.network.named_children())):
        turned.add_module(name, module)
    direct = {name for name, _ in own.network.named_parameters() if "." not in name}
    for name in direct:
        turned.register_parameter(name, getattr(own.network, name))
    assert list(turned.state_dict()) != list(own.network.state_dict())
    halves = {name: tensor.half() for name, tensor in safetensors.torch.load_file(path).items()}
    own.network.load_state_dict({name: tensor.float() for name, tensor in halves.items()})
    with safetensors.safe_open(path, "pt") as file:
        safetensors.torch.save_file(halves, path, file.metadata())
    assert weights_sha256(hub.load(path).network) == weights_sha256(own.network) == weights_sha256(turned)


def test_the_hash_differs_for_one_bit_one_name_one_shape_and_one_dtype():
    network = nn.Linear(4, 4)
    found = {weights_sha256(network)}
    network.weight.data.view(torch.int32)[3, 1] ^= 1
    found.add(weights.hash_tensors(network))
    reshaped = nn.Linear(16, 1)
    reshaped.weight.data.copy_(network.weight.view(1, 16))
    reshaped.bias = network.bias
    found.add(weights_sha256(reshaped))
    renamed = nn.Module()
    renamed.weights, renamed.bias = network.weight, network.bias
    found.add(weights_sha256(renamed))
    found.add(weights_sha256(network.half()))
    assert len(found) == 5


def test_the_hash_is_computed_once_and_again_after_training(monkeypatch):
    calls = []
    compute = weights.hash_tensors
    monkeypatch.setattr(weights, "hash_tensors", lambda network: calls.append(network) or compute(network))
    network = tiny.model()
    first = weights_sha256(network)
    assert weights_sha256(network) == first
    assert len(calls) == 1
    with torch.no_grad():
        network.head.bias[0] += 1
    assert weights_sha256(network) != first
    network.load_state_dict(tiny.model().state_dict())
    assert weights_sha256(network) == first
    assert weights_sha256(network.to(torch.bfloat16)) != first
    assert len(calls) == 4


def test_the_hash_of_a_file_is_none_after_it_was_replaced(tiny_file, tmp_path):
    content = tiny_file.read_bytes()
    loaded = hub.load(tiny_file)
    assert [file.path for file in loaded.files] == [tiny_file]
    assert loaded.files[0].sha256 == hashlib.sha256(content).hexdigest()
    other = hub.load(tiny_file)
    assert other.files == loaded.files
    later = replace(WeightFile.of(tiny_file), path=tmp_path / "copy.safetensors")
    assert later.sha256 is None  # does not exist
    before = WeightFile(tiny_file, (0, 0, 0))
    assert before.sha256 is None


def test_the_shipped_model_has_the_published_hash():
    model = vitviz.load("cifar10-ti4")
    listed = (checkpoint.CHECKPOINTS / checkpoint.CHECKSUMS).read_text()
    assert f"{model.files[0].sha256}  cifar10-ti4.safetensors" in listed
