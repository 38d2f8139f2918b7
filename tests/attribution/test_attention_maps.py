"""Attention maps against closed forms and an independent loop over full matrices."""

import numpy as np
import pytest
import torch

from tests import tiny
from vitviz.attribution import attention_maps
from vitviz.attribution.methods import METHODS

L, A, T = tiny.L, tiny.A, tiny.T
PREFIXES = (1, 3)


def from_class_token(compute):
    return lambda attention, prefix: compute(attention, np.eye(1, attention.shape[-1], dtype=np.float32)[0], prefix)


NAMES = ("last_layer_attention", "reverse_attention", "average_attention", "rollout")
MAPS = {name: from_class_token(getattr(attention_maps, name)) for name in NAMES}
last_layer_attention, reverse_attention, average_attention, rollout = MAPS.values()


def full_rollout(attention: np.ndarray) -> np.ndarray:
    """R = (I + mean of heads) / 2 @ R from the first layer to the last, all rows, in double precision."""
    layers, heads, tokens, _ = attention.shape
    product = np.eye(tokens)
    for layer in range(layers):
        mean = np.zeros((tokens, tokens))
        for head in range(heads):
            mean += attention[layer, head].astype(np.float64) / heads
        product = (0.5 * np.eye(tokens) + 0.5 * mean) @ product
    return product


def test_rollout_of_identity_attention_is_identity():
    identity = np.broadcast_to(np.eye(T, dtype=np.float32), (L, A, T, T))
    assert not rollout(identity, 1).any(), "the class token keeps all of its weight"
    assert rollout(identity, 0).tolist() == [1] + [0] * (T - 1)


@pytest.mark.parametrize("layers", [1, 2, 6, 12])
def test_rollout_of_uniform_attention_has_its_closed_form(layers):
    uniform = np.full((layers, A, T, T), 1 / T, np.float32)
    expected = 0.5**layers * np.eye(T)[0] + (1 - 0.5**layers) / T  # the first row of 2^-L I + (1 - 2^-L) / T 11'
    np.testing.assert_allclose(rollout(uniform, 0), expected, rtol=0, atol=1e-6)
    np.testing.assert_allclose(full_rollout(uniform)[0], expected, rtol=0, atol=1e-7)


def test_rollout_multiplies_the_layers_in_the_right_order():
    attention = tiny.attention()
    expected = full_rollout(attention)[0]
    np.testing.assert_allclose(rollout(attention, 0), expected, rtol=0, atol=1e-6)
    assert np.abs(full_rollout(attention[::-1])[0] - expected).max() > 1e-3, "the reverse order gives another map"


def test_rollout_by_hand():
    # In layer 1 patch 1 attends to patch 2; in layer 2 the class token attends to patch 1.
    first, second = np.eye(3), np.eye(3)
    first[1] = [0, 0, 1]
    second[0] = [0, 1, 0]
    found = rollout(np.array([first, second], np.float32)[:, None], 1)
    assert found.tolist() == [0.25, 0.25]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_map_sums_to_one_minus_the_prefix_tokens(prefix):
    attention = tiny.attention()
    everything = full_rollout(attention)[0]
    assert rollout(attention, prefix).sum() == pytest.approx(1 - everything[:prefix].sum(), abs=1e-5)
    kept = attention[:, :, 0, :prefix].sum(-1)
    assert average_attention(attention, prefix).sum() == pytest.approx(1 - kept.mean(), abs=1e-5)
    assert last_layer_attention(attention, prefix).sum() == pytest.approx(1 - kept[-1].mean(), abs=1e-5)


def test_last_layer_and_average_by_hand():
    attention = np.zeros((2, 2, 4, 4), np.float32)
    attention[0, 0, 0] = [0.0, 1.0, 0.0, 0.0]
    attention[0, 1, 0] = [0.0, 0.0, 1.0, 0.0]
    attention[1, 0, 0] = [0.5, 0.0, 0.0, 0.5]
    attention[1, 1, 0] = [0.0, 0.5, 0.0, 0.5]
    attention[:, :, 1:, 0] = 1  # what patches attend to does not count
    assert last_layer_attention(attention, 1).tolist() == [0.25, 0.0, 0.5]
    assert average_attention(attention, 1).tolist() == [0.375, 0.25, 0.25]
    assert last_layer_attention(attention, 2).tolist() == [0.0, 0.5]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("last_layer_attention", lambda attention: attention[-1].mean(0)),
        ("average_attention", lambda attention: attention.mean((0, 1))),
        ("rollout", full_rollout),
    ],
)
def test_without_class_token_the_map_is_the_mean_over_patches(name, expected):
    attention, registers = tiny.attention(), 2
    patches = (np.arange(T) >= registers) / (T - registers)
    found = getattr(attention_maps, name)(attention, patches.astype(np.float32), registers)
    rows = expected(attention)[registers:, registers:]
    np.testing.assert_allclose(found, rows.mean(0), rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", MAPS)
def test_permuting_heads_changes_no_map(name):
    attention = tiny.attention(heads=4)
    for prefix in PREFIXES:
        found = MAPS[name](attention[:, [2, 0, 3, 1]], prefix)
        np.testing.assert_allclose(found, MAPS[name](attention, prefix), rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", MAPS)
def test_permuting_patches_permutes_the_map(name):
    attention = tiny.attention()
    order = np.random.default_rng(1).permutation(T - 1)
    tokens = np.concatenate([[0], 1 + order])
    moved = attention[:, :, tokens][..., tokens]
    expected = MAPS[name](attention, 1)[order]
    np.testing.assert_allclose(MAPS[name](moved, 1), expected, rtol=0, atol=1e-6)
    assert np.abs(expected - MAPS[name](attention, 1)).max() > 1e-3


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_map_has_one_weight_per_patch(name, prefix):
    found = MAPS[name](tiny.attention(), prefix)
    assert found.shape == (T - prefix,)
    assert found.dtype == np.float32
    assert (found >= 0).all()
    assert (found <= 1).all()


@pytest.mark.parametrize("name", MAPS)
def test_computing_a_map_does_not_change_the_attention(name):
    attention = tiny.attention()
    before = attention.copy()
    MAPS[name](attention, 1)
    assert np.array_equal(attention, before)


def test_value_norms_by_hand():
    subject = tiny.context("qkv bias")
    tokens = subject.output.tokens[2, 0]
    block = subject.model.blocks[2]
    with torch.no_grad():
        values = block.attn.qkv(block.norm1(tokens))[:, 2 * tiny.D :]  # (T, D)
    d = tiny.D // A
    for head in range(A):
        part = block.attn.proj.weight[:, head * d : (head + 1) * d].detach()
        expected = [float((part @ values[j, head * d : (head + 1) * d]).norm()) for j in range(T)]
        np.testing.assert_allclose(subject.value_norms[2, head], expected, rtol=1e-4)


def test_value_norms_include_layer_scale():
    subject, plain = tiny.context("layer scale"), tiny.context()
    with torch.no_grad():
        for block in subject.model.blocks:
            block.ls1.gamma.fill_(0.25)
    np.testing.assert_allclose(subject.value_norms[0], plain.value_norms[0] / 4, rtol=1e-5)


def test_value_norm_weights_attention_by_norm():
    attention = tiny.attention()
    norms = np.random.default_rng(5).random((L, A, T)).astype(np.float32)
    found = attention_maps.value_norm(attention, norms, np.eye(1, T, dtype=np.float32)[0], 1)
    expected = np.zeros(T - 1)
    for layer in range(L):
        for head in range(A):
            expected += attention[layer, head, 0, 1:] * norms[layer, head, 1:] / (L * A)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_value_norm_uses_the_class_token_also_with_mean_pooling():
    subject = tiny.context("everything")
    assert (subject.config.class_token, subject.config.global_pool) == (True, "avg")
    rows = subject.attention[:, :, 0] * subject.value_norms  # the class token's, (L, A, T)
    expected = rows[..., subject.prefix :].mean((0, 1))
    np.testing.assert_allclose(METHODS["value_norm"].compute(subject, 0), expected, rtol=1e-5)
