"""The tutorial networks: parameter counts of their texts, attention, and their differences from the plain ViT."""

from dataclasses import replace

import pytest
import torch

from tests import tiny
from tests.errors import refuses
from tests.tutorials import TUTORIALS, config, network
from vitviz.models.checkpoint import Checkpoint, load, save
from vitviz.models.config import ViTConfig
from vitviz.models.factory import create_model
from vitviz.training.presets import get_preset

SQUARE = [name for name in TUTORIALS if name != "tutorial-scratch"]


@pytest.mark.parametrize(("name", "parameters"), [("tutorial-notebook", 1_824_394), ("tutorial-lightning", 1_086_730)])
def test_presets_have_the_parameter_counts_of_their_texts(name, parameters):
    assert sum(p.numel() for p in create_model(get_preset(name).model).parameters()) == parameters


def test_the_from_scratch_network_has_the_parameter_count_of_its_text():
    D, L, N = 256, 2, 64
    block = 4 * D * D + D + (D * 4 * D + 4 * D) + (4 * D * D + D) + 4 * D  # heads and proj, MLP, two norms
    head = (D * 4 * D + 4 * D) + (4 * D * 10 + 10)
    expected = (48 * D + D) + D + (N + 1) * D + L * block + 2 * D + head
    assert sum(p.numel() for p in create_model(get_preset("tutorial-scratch").model).parameters()) == expected


@pytest.mark.parametrize("name", TUTORIALS)
def test_returning_attention_does_not_change_the_logits(name):
    model, images = network(name), tiny.images((12, 20), batch=4)
    with torch.no_grad():
        plain, rows, full = (
            model(images),
            model.forward_with_attention(images, "cls"),
            model.forward_with_attention(images, "full"),
        )
    assert torch.equal(plain, rows.logits)
    assert torch.equal(plain, full.logits)
    assert rows.attention.shape == (2, 4, 3, 61)
    assert full.attention.shape == (2, 4, 3, 61, 61)
    assert torch.equal(rows.attention, full.attention[..., 0, :])
    assert full.attention.sum(-1).sub(1).abs().max() < 1e-5
    assert full.attention.std(-1).max() > 1e-3, "not uniform"


@pytest.mark.parametrize("name", SQUARE)
def test_a_change_in_one_patch_changes_the_attention_of_that_patch_most(name):
    model, images = network(name, depth=1), tiny.images((12, 20), batch=1)
    other = images.clone()
    other[:, :, 4:6, 14:16] += 3  # row 2, column 7 of the grid: patch 27
    with torch.no_grad():
        change = (
            model.forward_with_attention(images, "cls").attention - model.forward_with_attention(other, "cls").attention
        )[0, 0, :, 1:].abs()
    assert config(name).grid_size == (6, 10)
    assert (change.argmax(-1) == 27).all()


def test_patches_of_the_from_scratch_network_are_strips_of_one_row():
    model, images = network("tutorial-scratch", depth=1), tiny.images((12, 20), batch=1)
    assert model.config.grid_size == (12, 5)
    other = images.clone()
    other[:, :, 3, 8:12] += 3  # row 3, strip 2: patch 17
    with torch.no_grad():
        change = (
            model.forward_with_attention(images, "cls").attention - model.forward_with_attention(other, "cls").attention
        )[0, 0, :, 1:].abs()
    assert (change.argmax(-1) == 17).all()
    patches = model.patchify(images)
    assert patches.shape == (1, 60, 12)
    assert torch.equal(patches[0, 17].view(4, 3).T, images[0, :, 3, 8:12])


@pytest.mark.parametrize("name", SQUARE)
def test_square_patches_equal_those_of_a_strided_convolution(name):
    model, images = network(name), tiny.images((12, 20), batch=2)
    kernel = model.patch_embed.weight.view(18, 3, 2, 2)
    expected = torch.nn.functional.conv2d(images, kernel, model.patch_embed.bias, stride=2).flatten(2).mT
    torch.testing.assert_close(model.patch_embed(model.patchify(images)), expected, rtol=0, atol=1e-5)


def test_dropped_patches_get_no_attention():
    keep = torch.tensor([[5, 0, 33]])
    for name in TUTORIALS:
        model, images = network(name), tiny.images((12, 20), batch=1)
        with torch.no_grad():
            output = model.forward_with_attention(images, "full", keep)
        assert output.attention.shape == (2, 1, 3, 4, 4)


def test_output_tokens_of_the_notebook_blocks_are_normalized():
    block = network("tutorial-notebook").blocks[0]
    torch.nn.init.ones_(block.norm.weight)
    torch.nn.init.zeros_(block.norm.bias)
    out, _ = block(3 * torch.randn(2, 5, 18), None, None)
    torch.testing.assert_close(out.mean(-1), torch.zeros(2, 5), rtol=0, atol=1e-5)
    torch.testing.assert_close(out.var(-1, correction=0), torch.ones(2, 5), rtol=0, atol=1e-3)


def test_residual_connections_of_the_lightning_network_skip_from_the_normed_input():
    block = network("tutorial-lightning").blocks[0]
    x = torch.randn(2, 5, 18)
    with torch.no_grad():
        torch.testing.assert_close(block(x, None, None)[0], block(x * 50, None, None)[0], rtol=0, atol=1e-3)


def test_attention_scores_of_the_from_scratch_network_are_scaled_by_the_embedding_width():
    assert network("tutorial-scratch").blocks[0].attn.scale == 18**-0.5
    assert network("tutorial-lightning").blocks[0].attn.scale == 6**-0.5


def test_dropout_is_active_in_training_only():
    images = tiny.images((12, 20), batch=3)
    for name in TUTORIALS:
        model = network(name, pos_drop_rate=0.5)
        assert torch.equal(model(images), model(images))
        model.train()
        assert not torch.equal(model(images), model(images))


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_network_can_be_saved_and_loaded(name, tmp_path):
    model = network(name)
    path = tmp_path / "tutorial.safetensors"
    save(Checkpoint("tutorial", model, tuple("abcdefg"), (0.5, 0.4, 0.3), (0.2, 0.25, 0.3), {}), path)
    loaded = load(path).network
    images = tiny.images((12, 20), batch=2)
    assert torch.equal(loaded(images), model(images))
    assert loaded.config.architecture == name


UNSUPPORTED = {
    "architecture": {"architecture": "resnet"},
    "reg_tokens": {"reg_tokens": 1},
    "drop_path_rate": {"drop_path_rate": 0.1},
    "init_values": {"init_values": 0.1},
    "global_pool": {"global_pool": "avg"},
    "patch_size": {"img_size": (12, 30), "patch_size": 6, "num_heads": 2},
    "pos_drop_rate": {"architecture": "vit", "pos_drop_rate": 0.1},
}


@pytest.mark.parametrize("field", UNSUPPORTED)
def test_an_unsupported_option_is_refused(field):
    with refuses(field):
        replace(config("tutorial-scratch"), **UNSUPPORTED[field])


def test_strips_longer_than_a_row_cover_whole_rows():
    assert ViTConfig(architecture="tutorial-scratch", img_size=(32, 32), patch_size=8).grid_size == (16, 1)


@pytest.mark.parametrize("name", TUTORIALS)
@torch.no_grad()
def test_tokens_without_attention_equal_those_with_it(name):
    model, pixels = network(name).eval(), tiny.images((12, 20))
    found, full = (model.forward_with_attention(pixels, mode) for mode in ("tokens", "full"))
    assert not found.attention.numel()
    torch.testing.assert_close(found.tokens, full.tokens)
    for layer, tokens in enumerate(found.layer_tokens):
        torch.testing.assert_close(model.forward_from(layer, tokens), found.logits)
