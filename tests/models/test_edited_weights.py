"""Checkpoints made from others by scripts: mean weights, and more blocks with the same function."""

from dataclasses import replace

import pytest
import torch

import vitviz
from scripts import average_checkpoints, expand_depth
from scripts.average_checkpoints import average
from scripts.expand_depth import expand
from tests import tiny
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ConvNetConfig, ViTConfig
from vitviz.models.factory import create_model


def checkpoint(seed: int = 0, config: ViTConfig = tiny.CONFIG) -> Checkpoint:
    """Create a checkpoint whose record has the accuracy on images of each kind."""
    record = {"test_accuracy": 0.25, "val_accuracy": 0.5, "eval_samples": 100, "epochs": 2}
    return replace(tiny.checkpoint(config, seed), name=f"seed-{seed}", record=record)


def test_weights_are_averaged():
    found = average([checkpoint(seed) for seed in range(3)])
    expected = [dict(tiny.model(seed=seed).named_parameters()) for seed in range(3)]
    for name, parameter in found.network.named_parameters():
        mean = (expected[0][name] + expected[1][name] + expected[2][name]) / 3
        torch.testing.assert_close(parameter, mean)
    assert found.record == {"epochs": 2, "average_of": ["seed-0", "seed-1", "seed-2"]}, "its accuracy is not known"


@pytest.mark.parametrize("change", [{"labels": ("other",) * tiny.K}, {"mean": (0.4,) * 3}])
def test_checkpoints_that_do_not_match_are_not_averaged(change):
    with pytest.raises(ValueError, match="must be equal: got seed-1 and seed-0"):
        average([replace(checkpoint(1), **change), checkpoint()])


def test_networks_of_different_size_are_not_averaged():
    with pytest.raises(ValueError, match="must be equal: got seed-1 and seed-0"):
        average([checkpoint(1, replace(tiny.CONFIG, depth=2)), checkpoint()])


@pytest.mark.parametrize("variant", ["plain", "everything"])
@pytest.mark.parametrize("depth", [6, 7, 9, 12])
def test_more_blocks_leave_the_logits_unchanged(variant, depth):
    source = checkpoint(config=tiny.VARIANTS[variant])
    images = torch.randn(4, 3, tiny.H, tiny.W, generator=torch.Generator().manual_seed(0))
    found = expand(source, depth)
    assert found.config == replace(source.config, depth=depth)
    torch.testing.assert_close(found.network(images), source.network(images))
    assert found.record == {"epochs": 2, "expanded_from": "seed-0"}


def test_new_blocks_follow_the_ones_they_copy():
    source = checkpoint()
    found = expand(source, 9).network.blocks
    order = [0, 1, 1, 2, 3, 3, 4, 5, 5]
    for block, index in zip(found, order, strict=True):
        assert torch.equal(block.attn.qkv.weight, source.network.blocks[index].attn.qkv.weight)
    assert [bool(block.mlp.fc2.weight.any()) for block in found] == [True, True, False] * 3
    assert [bool(block.attn.proj.weight.any()) for block in found] == [True, True, False] * 3


@pytest.mark.parametrize("depth", [5, 13])
def test_a_depth_out_of_range_is_refused(depth):
    with pytest.raises(ValueError, match=f"The depth must be from 6 to 12: got {depth}"):
        expand(checkpoint(), depth)


def test_a_network_of_a_tutorial_is_refused():
    source = checkpoint()
    source.network.config = replace(tiny.CONFIG, architecture="tutorial-lightning", qkv_bias=True)
    with pytest.raises(ValueError, match="The architecture must be vit: got tutorial-lightning"):
        expand(source, 9)


def test_convnets_are_not_averaged():
    network = create_model(ConvNetConfig(embed_dim=8))
    with pytest.raises(ValueError, match="has no attention"):
        average([replace(checkpoint(), network=network)] * 2)


def test_the_scripts_write_checkpoints(tmp_path):
    average_checkpoints.main(tmp_path / "mean.safetensors", ["cifar10-ti4", "cifar10-ti4"])
    expand_depth.main(tmp_path / "deep.safetensors", str(tmp_path / "mean.safetensors"), 7)
    found, source = vitviz.load(tmp_path / "deep.safetensors"), vitviz.load("cifar10-ti4")
    assert found.config.depth == 7
    image = source.normalize(torch.zeros(1, 3, 32, 32, dtype=torch.uint8))
    torch.testing.assert_close(found.network(image), source.network(image))
