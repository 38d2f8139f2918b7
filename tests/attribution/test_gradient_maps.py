"""Gradients of attention against finite differences, and class-specific maps against loops and closed forms."""

import numpy as np
import pytest
import torch

from tests import tiny
from tests.tutorials import TUTORIALS, network
from vitviz.attribution import gradient_maps
from vitviz.attribution.context import ForwardContext
from vitviz.attribution.methods import METHODS, readout_weights
from vitviz.models import vit
from vitviz.models.checkpoint import Checkpoint

L, A, T, N = tiny.L, tiny.A, tiny.T, tiny.N
TOKEN = np.eye(T, dtype=np.float32)[0]


def pair(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Attention and gradients of either sign, (L, A, T, T)."""
    grads = np.random.default_rng(seed + 1).standard_normal((L, A, T, T)).astype(np.float32)
    return tiny.attention(seed=seed), grads


@pytest.mark.parametrize("variant", ["plain", "everything"])
@pytest.mark.parametrize("target", [3, (3, 7)])
def test_gradients_of_attention_are_those_of_finite_differences(monkeypatch, variant, target):
    subject = tiny.context(variant, dtype=torch.float64)
    tokens = subject.config.num_tokens
    places = [(0, 1, 0, 5), (2, 0, 9, 1), (L - 1, 1, 0, 7), (3, 1, tokens - 1, tokens - 2)]
    found = subject.gradients(target).attention
    changed: dict = {}

    def attend(q, k, v, attentions):
        weights = (q * q.shape[-1] ** -0.5 @ k.transpose(-2, -1)).softmax(-1)
        layer, changed["layer"] = changed["layer"], changed["layer"] + 1
        if layer == changed["place"][0]:
            weights = weights.clone()
            weights[(0, *changed["place"][1:])] += changed["step"]
        return weights @ v, None

    def logit(place, step):
        changed.update(layer=0, place=place, step=step)
        logits = subject.model.forward_blocks(subject.image[None], "full").logits[0].detach()
        return (logits[target[0]] - logits[target[1]]).item() if isinstance(target, tuple) else logits[target].item()

    monkeypatch.setattr(vit, "attend", attend)
    for place in places:
        expected = (logit(place, 1e-5) - logit(place, -1e-5)) / 2e-5
        assert found[place] == pytest.approx(expected, rel=1e-4, abs=1e-9)


def test_only_the_readout_row_has_a_gradient_in_the_last_layer():
    found = tiny.context().gradients(2).attention
    assert np.abs(found[-1][:, 0]).max() > 0
    assert not found[-1][:, 1:].any()
    assert np.abs(found[:-1]).max(axis=(1, 3)).min() > 0


def test_the_gradients_of_a_difference_are_the_difference_of_the_gradients():
    subject = tiny.context()
    one, other, both = (subject.gradients(target) for target in (4, 9, (4, 9)))
    np.testing.assert_allclose(both.attention, one.attention - other.attention, rtol=0, atol=1e-5)
    np.testing.assert_allclose(both.image, one.image - other.image, rtol=0, atol=1e-5)


def test_all_gradient_methods_cost_one_forward_and_one_backward(monkeypatch):
    subject = tiny.context()
    expected = tiny.context().attention
    calls = []
    real, forward = torch.autograd.grad, subject.model.forward_blocks
    monkeypatch.setattr(torch.autograd, "grad", lambda *args: calls.append("backward") or real(*args))
    monkeypatch.setattr(subject.model, "forward_blocks", lambda *args: calls.append("forward") or forward(*args))
    for name in ("gradient_rollout", "relevance", "attention_gradcam", "input_gradient"):
        METHODS[name].compute(subject, 1)
    assert calls == ["forward", "backward"]
    np.testing.assert_allclose(subject.attention, expected, rtol=0, atol=1e-6)


def full_rule(attention: np.ndarray, grads: np.ndarray, normed: bool) -> np.ndarray:
    """Both rules on full matrices, in double precision, element by element."""
    layers, heads, tokens, _ = attention.shape
    R = np.eye(tokens)
    for layer in range(layers):
        mean = np.zeros((tokens, tokens))
        for head in range(heads):
            product = attention[layer, head].astype(float) * grads[layer, head]
            mean += (product if normed else np.where(product > 0, product, 0)) / heads
        if normed:
            step = np.where(mean > 0, mean, 0) + np.eye(tokens)
            R = np.stack([row / row.sum() for row in step]) @ R
        else:
            R = R + mean @ R
    return R


@pytest.mark.parametrize("prefix", [1, 3])
def test_relevance_and_gradient_rollout_equal_loops_over_full_matrices(prefix):
    attention, grads = pair()
    found = gradient_maps.relevance(attention, grads, TOKEN, prefix)
    np.testing.assert_allclose(found, full_rule(attention, grads, False)[0, prefix:], rtol=1e-4, atol=1e-6)
    found = gradient_maps.gradient_rollout(attention, grads, TOKEN, prefix)
    np.testing.assert_allclose(found, full_rule(attention, grads, True)[0, prefix:], rtol=1e-4, atol=1e-6)


def test_mean_pooling_averages_the_rows_of_all_patches():
    attention, grads = pair()
    patches = np.where(np.arange(T) >= 1, 1 / N, 0).astype(np.float32)
    expected = full_rule(attention, grads, False)[1:].mean(0)[1:]
    np.testing.assert_allclose(gradient_maps.relevance(attention, grads, patches, 1), expected, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(readout_weights(tiny.context("mean of patches")), patches)
    np.testing.assert_allclose(readout_weights(tiny.context("plain")), TOKEN)


def test_negative_evidence_is_dropped():
    attention, grads = pair()
    assert not gradient_maps.relevance(attention, -np.abs(grads), TOKEN, 1).any()
    assert not gradient_maps.gradient_rollout(attention, -np.abs(grads), TOKEN, 1).any()
    assert not gradient_maps.attention_gradcam(attention, -np.abs(grads), TOKEN, 1).any()


def test_relevance_clamps_each_head_before_the_mean_and_rollout_after_it():
    attention = np.zeros((1, 2, 2, 2), np.float32)
    grads = np.zeros_like(attention)
    attention[0, :, 0] = [0.5, 0.5]
    grads[0, 0, 0, 1], grads[0, 1, 0, 1] = 2.0, -1.0
    token = np.array([1, 0], np.float32)
    assert gradient_maps.relevance(attention, grads, token, 1).tolist() == [0.5]  # (1 + 0) / 2
    assert gradient_maps.gradient_rollout(attention, grads, token, 1).tolist() == pytest.approx([0.25 / 1.25])


def test_gradcam_by_hand():
    attention = np.zeros((2, 2, 3, 3), np.float32)
    grads = np.zeros_like(attention)
    attention[1, 0, 0], attention[1, 1, 0] = [0.2, 0.3, 0.5], [0.0, 1.0, 0.0]
    grads[1, 0, 0], grads[1, 1, 0] = [9.0, 1.0, 3.0], [9.0, -2.0, 0.0]  # means over the patches: 2 and -1
    grads[1, :, 1:] = 100  # rows that the classification head does not read
    found = gradient_maps.attention_gradcam(attention, grads, np.array([1, 0, 0], np.float32), 1)
    assert found.tolist() == pytest.approx([0.0, 0.5])  # (2 * 0.3 - 1, 2 * 0.5 + 0) / 2, the negative one dropped


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.class_specific])
def test_a_class_specific_map_depends_on_the_class(name):
    subject = tiny.context()
    one, other = (METHODS[name].compute(subject, k) for k in (2, 6))
    assert one.shape == other.shape == (N,)
    assert np.abs(one - other).max() > 1e-6


@pytest.mark.parametrize("name", METHODS)
def test_every_method_returns_a_finite_value_per_patch(name):
    for variant in ("plain", "everything"):
        subject = tiny.context(variant)
        found = METHODS[name].compute(subject, 4)
        assert found.shape == (N,)
        assert np.isfinite(found).all()
        assert METHODS[name].signed or (found >= 0).all()


@pytest.mark.slow
def test_methods_support_the_tutorial_networks():
    for name in TUTORIALS:
        model = network(name)
        checkpoint = Checkpoint("tutorial", model, tuple("abcdefg"), (0.5, 0.4, 0.3), (0.2, 0.25, 0.3), {})
        subject = ForwardContext(checkpoint, tiny.images((12, 20), batch=1)[0])
        for method in METHODS.values():
            assert np.isfinite(method.compute(subject, 2)).all()
            assert method.compute(subject, 2).shape == (60,)
