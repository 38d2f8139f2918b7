"""Attention gradients against finite differences, class-specific maps against reference and hand-computed values."""

import numpy as np
import pytest
import torch

from tests import tiny
from tests.models import families
from tests.tutorials import TUTORIALS, network
from vitviz.attribution import gradient_maps
from vitviz.attribution.context import ForwardContext
from vitviz.attribution.methods import METHODS, methods_for, readout_weights
from vitviz.models import vit
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.library_modules import describe_module
from vitviz.models.pretrained import convert

L, A, T, N = tiny.L, tiny.A, tiny.T, tiny.N
ORDINARY = [name for name, method in METHODS.items() if not method.on_request and not method.of_texts]
CLS_READOUT = np.eye(T, dtype=np.float32)[0]  # readout weights of the class token


def attention_and_grads(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Draw attention and gradients of both signs, (L, A, T, T)."""
    grads = np.random.default_rng(seed + 1).standard_normal((L, A, T, T)).astype(np.float32)
    return tiny.attention(seed=seed), grads


@pytest.mark.parametrize("variant", ["plain", "everything"])
@pytest.mark.parametrize("target", [3, (3, 7)])
def test_attention_gradients_match_finite_differences(monkeypatch, variant, target):
    context = tiny.context(variant, dtype=torch.float64)
    tokens = context.config.num_tokens
    indices = [(0, 1, 0, 5), (2, 0, 9, 1), (L - 1, 1, 0, 7), (3, 1, tokens - 1, tokens - 2)]
    actual = context.gradients(target).attention
    perturbation: dict = {}

    def attend(q, k, v, attentions, out, bias, fused):
        assert bias is None
        weights = (q * q.shape[-1] ** -0.5 @ k.transpose(-2, -1)).softmax(-1)
        layer, perturbation["layer"] = perturbation["layer"], perturbation["layer"] + 1
        if layer == perturbation["index"][0]:
            weights = weights.clone()
            weights[(0, *perturbation["index"][1:])] += perturbation["step"]
        return weights @ v, None

    def logit(index, step):
        perturbation.update(layer=0, index=index, step=step)
        logits = context.model.forward_with_blocks(context.image[None], "full").logits[0].detach()
        return (logits[target[0]] - logits[target[1]]).item() if isinstance(target, tuple) else logits[target].item()

    monkeypatch.setattr(vit, "attend", attend)
    for index in indices:
        expected = (logit(index, 1e-5) - logit(index, -1e-5)) / 2e-5
        assert actual[index] == pytest.approx(expected, rel=1e-4, abs=1e-9)


def test_only_the_readout_row_has_a_gradient_in_the_last_layer():
    actual = tiny.context().gradients(2).attention
    assert np.abs(actual[-1][:, 0]).max() > 0
    assert not actual[-1][:, 1:].any()
    assert np.abs(actual[:-1]).max(axis=(1, 3)).min() > 0


def test_the_gradients_of_a_difference_are_the_difference_of_the_gradients():
    context = tiny.context()
    first, second, both = (context.gradients(target) for target in (4, 9, (4, 9)))
    np.testing.assert_allclose(both.attention, first.attention - second.attention, rtol=0, atol=1e-5)
    np.testing.assert_allclose(both.image, first.image - second.image, rtol=0, atol=1e-5)


def test_gradient_methods_share_one_forward_and_one_backward_pass(monkeypatch):
    context = tiny.context()
    calls = []
    model, forward, embed = context.model, context.model.forward_with_blocks, context.model.embed_images
    monkeypatch.setattr(model, "forward_with_blocks", lambda *args: calls.append("forward") or forward(*args))
    monkeypatch.setattr(model, "embed_images", lambda *args: calls.append("embed") or embed(*args))
    for name in ("gradient_rollout", "relevance", "attention_gradcam", "input_gradient"):
        METHODS[name].compute(context, 1)
    assert calls == ["forward", "embed", "embed"]  # that of the forward pass, and that of the backward pass


def assert_gradients_of_the_whole_graph(context):
    """Compare the gradients, which are computed block by block, with those of one graph."""
    image = context.image[None].clone().requires_grad_()
    forward = context.model.forward_with_blocks(image, "full", context.batched_keep(1), context.interventions)
    inputs = [image, *(block.weights for block in forward.blocks)]
    pixels, *weights = torch.autograd.grad(forward.logits[0, 3], inputs)
    found = context.gradients(3)
    expected = context.expand_tokens(torch.cat(weights).float().numpy(), axes=(2, 3))
    np.testing.assert_allclose(found.attention, expected, rtol=0, atol=1e-5)
    np.testing.assert_allclose(found.image, pixels[0], rtol=0, atol=1e-5)


@pytest.mark.parametrize("variant", tiny.VARIANTS)
def test_gradients_block_by_block_are_those_of_the_whole_graph(variant):
    context = tiny.context(variant)
    assert_gradients_of_the_whole_graph(context)
    ablated = vit.Intervention(torch.tensor([0.0, 1.0]), torch.ones(A, tiny.D // A))
    interventions = [None, ablated, *[None] * (L - 2)]
    keep = torch.tensor([0, 3, 17, 34])
    assert_gradients_of_the_whole_graph(ForwardContext(context.checkpoint, context.image, keep, interventions))


@pytest.mark.parametrize("name", families.NETWORKS)
def test_gradients_block_by_block_are_those_of_the_whole_graph_in_every_family(name):
    network = convert(describe_module(families.build(name)), families.SQUARE)
    checkpoint = Checkpoint(name, network, (), (0.5,) * 3, (0.5,) * 3, {})
    image = families.images(families.SQUARE, batch=1)[0]
    for keep in (None, torch.arange(0, network.config.num_patches, 3)):
        assert_gradients_of_the_whole_graph(ForwardContext(checkpoint, image, keep))


def reference_relevance(attention: np.ndarray, grads: np.ndarray, normalize: bool) -> np.ndarray:
    """Reference relevance matrix or gradient rollout (`normalize`), in float64, head by head."""
    layers, heads, tokens, _ = attention.shape
    R = np.eye(tokens)
    for layer in range(layers):
        mean = np.zeros((tokens, tokens))
        for head in range(heads):
            product = attention[layer, head].astype(float) * grads[layer, head]
            mean += (product if normalize else np.where(product > 0, product, 0)) / heads
        if normalize:
            step = np.where(mean > 0, mean, 0) + np.eye(tokens)
            R = np.stack([row / row.sum() for row in step]) @ R
        else:
            R = R + mean @ R
    return R


@pytest.mark.parametrize("prefix", [1, 3])
def test_relevance_and_gradient_rollout_match_the_full_matrix_reference(prefix):
    attention, grads = attention_and_grads()
    actual = gradient_maps.relevance(attention, grads, CLS_READOUT, prefix)
    np.testing.assert_allclose(actual, reference_relevance(attention, grads, False)[0, prefix:], rtol=1e-4, atol=1e-6)
    actual = gradient_maps.gradient_rollout(attention, grads, CLS_READOUT, prefix)
    np.testing.assert_allclose(actual, reference_relevance(attention, grads, True)[0, prefix:], rtol=1e-4, atol=1e-6)


def test_mean_pooling_averages_the_rows_of_all_patches():
    attention, grads = attention_and_grads()
    patches = np.where(np.arange(T) >= 1, 1 / N, 0).astype(np.float32)
    expected = reference_relevance(attention, grads, False)[1:].mean(0)[1:]
    np.testing.assert_allclose(gradient_maps.relevance(attention, grads, patches, 1), expected, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(readout_weights(tiny.context("mean of patches")), patches)
    np.testing.assert_allclose(readout_weights(tiny.context("plain")), CLS_READOUT)


def test_negative_contributions_are_clamped_to_zero():
    attention, grads = attention_and_grads()
    assert not gradient_maps.relevance(attention, -np.abs(grads), CLS_READOUT, 1).any()
    assert not gradient_maps.gradient_rollout(attention, -np.abs(grads), CLS_READOUT, 1).any()
    assert not gradient_maps.attention_gradcam(attention, -np.abs(grads), CLS_READOUT, 1).any()


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
    actual = gradient_maps.attention_gradcam(attention, grads, np.array([1, 0, 0], np.float32), 1)
    assert actual.tolist() == pytest.approx([0.0, 0.5])  # (2 * 0.3 - 1, 2 * 0.5 + 0) / 2, followed by ReLU


@pytest.mark.parametrize("name", METHODS)
def test_the_maps_of_class_specific_methods_alone_depend_on_the_class(name):
    context = tiny.context()
    first, second = (METHODS[name].compute(context, k) for k in (2, 6))
    assert first.shape == second.shape == (N,)
    assert (np.abs(first - second).max() > 1e-6) == METHODS[name].class_specific


@pytest.mark.parametrize("name", ORDINARY)
def test_every_method_returns_a_finite_value_per_patch(name):
    for variant in ("plain", "everything"):
        context = tiny.context(variant)
        actual = METHODS[name].compute(context, 4)
        assert actual.shape == (N,)
        assert np.isfinite(actual).all()
        assert METHODS[name].signed or (actual >= 0).all()


def test_methods_of_the_class_token_say_when_the_head_reads_patches():
    found = methods_for(tiny.VARIANTS["mean of patches"])
    changed = [key for key, method in found.items() if method.about != METHODS[key].about]
    assert changed == ["attention", "reverse_attention", "average", "rollout", "value_norm"]


@pytest.mark.parametrize("name", families.NETWORKS)
def test_every_method_supports_every_family(name):
    model = convert(describe_module(families.build(name)), families.WIDE)
    labels = tuple(f"class {k}" for k in range(model.config.num_classes))
    checkpoint = Checkpoint(name, model, labels, (0.5, 0.4, 0.3), (0.2, 0.25, 0.3), {})
    context = ForwardContext(checkpoint, families.images(families.WIDE, batch=1)[0])
    supported = methods_for(model.config)
    assert {key for key in ORDINARY if METHODS[key].class_specific} <= set(supported) or not labels
    for method in supported.values():
        for target in (2, (2, 1)) if labels else (0,):
            values = method.compute(context, target)
            assert values.shape == (model.config.num_patches,)
            assert np.isfinite(values).all()


@pytest.mark.slow
def test_methods_support_the_tutorial_networks():
    for name in TUTORIALS:
        model = network(name)
        checkpoint = Checkpoint("tutorial", model, tuple("abcdefg"), (0.5, 0.4, 0.3), (0.2, 0.25, 0.3), {})
        context = ForwardContext(checkpoint, tiny.images((12, 20), batch=1)[0])
        for method in map(METHODS.get, ORDINARY):
            assert np.isfinite(method.compute(context, 2)).all()
            assert method.compute(context, 2).shape == (60,)
