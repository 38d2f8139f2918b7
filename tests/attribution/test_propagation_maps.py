"""Balanced gradients and AttnLRP: completeness and a second implementation; LeGrad against its published code."""

from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from tests import tiny
from tests.attribution import torchvision_vit
from tests.errors import refuses
from tests.models import families
from tests.tutorials import TUTORIALS, network
from vitviz.attribution import propagation_maps
from vitviz.attribution.context import ForwardContext, target_logit
from vitviz.attribution.explanation import explain
from vitviz.models.backward import BackwardRules
from vitviz.models.library_modules import describe_module
from vitviz.models.pretrained import convert

TARGETS = [3, (3, 1)]
TOLERANCES = [(torch.float64, 1e-12), (torch.float32, 1e-5)]
ADDED = ("bias", "cls_token", "reg_token", "dist_token", "pos_embed")  # parameters that are added, not multiplied


def residual(model, image, target, keep=None, interventions=None):
    """The logit minus balanced input times gradient of the pixels and of all parameters that are added."""
    image = image[None].clone().requires_grad_()
    with BackwardRules("balanced"):
        logits = model.forward_with_blocks(image, "full", keep, interventions).logits
    logit = target_logit(logits, target).sum()
    parts = [image, *(weight for name, weight in model.named_parameters() if name.endswith(ADDED))]
    grads = torch.autograd.grad(logit, parts, allow_unused=True)
    total = sum((x * grad).sum() for x, grad in zip(parts, grads, strict=True) if grad is not None)
    return (logit - total).item()


@pytest.mark.parametrize("variant", tiny.VARIANTS)
def test_balanced_contributions_of_pixels_and_biases_sum_to_the_logit(subtests, variant):
    for dtype, tolerance in TOLERANCES:
        with subtests.test(dtype=dtype, tolerance=tolerance):
            context = tiny.context(variant, dtype=dtype)
            for target in TARGETS:
                assert abs(residual(context.model, context.image, target)) < tolerance
            keep = torch.tensor([[0, 3, 17, 34]])
            assert abs(residual(context.model, context.image, 3, keep)) < tolerance


@pytest.mark.parametrize("name", TUTORIALS)
def test_balanced_contributions_are_complete_in_the_tutorial_networks(subtests, name):
    for target in TARGETS:
        with subtests.test(target=target):
            image = tiny.images((12, 20), batch=1)[0]
            for dtype, tolerance in TOLERANCES:
                assert abs(residual(network(name).to(dtype), image.to(dtype), target)) < tolerance


@pytest.mark.parametrize("name", families.NETWORKS)
def test_balanced_contributions_are_complete_in_every_family(name):
    model = convert(describe_module(families.build(name)), families.SQUARE)
    image = families.images(families.SQUARE, batch=1)[0]
    for dtype, tolerance in TOLERANCES:
        for target in TARGETS:  # of a model without head, features
            assert abs(residual(model.to(dtype), image.to(dtype), target)) < tolerance


@pytest.mark.parametrize("rules", ["balanced", "attn_lrp"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_input_times_gradient_equals_that_of_torchvision_by_the_published_rules(rules, dtype):
    checkpoint = tiny.checkpoint(torchvision_vit.CONFIG)
    checkpoint.network.to(dtype)
    image = tiny.images((32, 32), batch=1)[0].to(dtype)
    other = torchvision_vit.convert(checkpoint.network)
    logits, tokens, pixels = torchvision_vit.products(other, image, rules, 3)
    torch.testing.assert_close(logits, other(image[None])[0], rtol=0, atol=1e-5)
    context = ForwardContext(checkpoint, image)
    found = context.input_times_gradient(3, rules)
    expected = torch.stack(tokens).sum(-1).numpy()
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(found.layers, expected, rtol=0, atol=1e-5)
    np.testing.assert_allclose(found.pixels, pixels.sum(0).numpy(), rtol=0, atol=1e-5)
    maps = {"balanced": propagation_maps.balanced_gradients, "attn_lrp": propagation_maps.attn_lrp}
    np.testing.assert_allclose(maps[rules](context, 3), expected[:, 1:].mean(0), rtol=0, atol=1e-5)


@pytest.mark.parametrize("rules", ["balanced", "attn_lrp"])
def test_rules_leave_the_values_of_the_forward_pass(rules):
    for name in families.NETWORKS:
        model = convert(describe_module(families.build(name)), families.SQUARE)
        images = families.images(families.SQUARE)
        with torch.no_grad(), BackwardRules(rules):
            found = model.forward_with_blocks(images, "full").logits
        torch.testing.assert_close(found, model(images), rtol=0, atol=1e-10)


def test_attn_lrp_halves_the_gradient_of_products_but_not_of_weights():
    a, b = (torch.tensor([x], dtype=torch.float64, requires_grad=True) for x in (2.0, 3.0))
    scale = torch.nn.Parameter(torch.tensor([5.0], dtype=torch.float64))
    with BackwardRules("attn_lrp"):
        y = (a * 1) * (b * 1) * scale
    grads = torch.autograd.grad(y, [a, b])
    assert y.item() == 30
    assert [grad.item() for grad in grads] == [7.5, 5.0]


@pytest.mark.parametrize("rules", ["balanced", "attn_lrp"])
def test_relevance_does_not_depend_on_which_weights_are_trained(rules):
    pooled = replace(tiny.CONFIG, class_token=False, reg_tokens=1, global_pool="map")
    for config in (*tiny.VARIANTS.values(), pooled):
        checkpoint = tiny.checkpoint(config)
        image = tiny.images(batch=1)[0]
        trained = ForwardContext(checkpoint, image).input_times_gradient(3, rules)
        checkpoint.network.requires_grad_(False)
        frozen = ForwardContext(checkpoint, image).input_times_gradient(3, rules)
        np.testing.assert_allclose(trained.layers, frozen.layers, rtol=0, atol=1e-6)
        np.testing.assert_allclose(trained.pixels, frozen.pixels, rtol=0, atol=1e-6)


def test_the_fused_kernel_is_refused():
    context = tiny.context()
    with BackwardRules("balanced"), pytest.raises(ValueError, match="request full attention"):
        context.model(context.image[None])


def test_gelu_has_a_finite_gradient_at_zero():
    x = torch.zeros(3, requires_grad=True)
    for rules in ("balanced", "attn_lrp"):
        with BackwardRules(rules):
            y = F.gelu(x)
        assert torch.autograd.grad(y.sum(), x)[0].tolist() == [0.5, 0.5, 0.5]


@pytest.mark.parametrize("variant", ["plain", "layer scale"])
def test_legrad_equals_the_published_code(variant):
    """Steps of `compute_legrad` in legrad/wrapper.py, with our classification head in place of CLIP's text."""
    context = tiny.context(variant)
    model, accumulated = context.model, 0.0
    forward = model.forward_with_blocks(context.image[None], "full")
    features = [*(block.tokens for block in forward.blocks[1:]), forward.last]
    for block, intermediate in zip(forward.blocks, features, strict=True):
        similarity = model.head(model.norm(intermediate[:, 0]))
        one_hot = F.one_hot(torch.tensor([3]), tiny.K).float()
        (grad,) = torch.autograd.grad((one_hot * similarity).sum(), [block.weights], retain_graph=True)
        grad = torch.clamp(grad.flatten(0, 1), min=0.0)  # (A, T, T)
        accumulated = accumulated + grad.mean(0).mean(0)[1:]
    np.testing.assert_allclose(propagation_maps.legrad(context, 3), accumulated.numpy(), rtol=0, atol=1e-5)


def test_the_pixel_map_is_the_input_times_gradient_of_each_pixel():
    found = explain(tiny.checkpoint(), tiny.pixels())
    pixels = found.map("balanced_gradients", target=2, pixels=True)
    assert pixels.shape == (tiny.H, tiny.W)
    assert pixels.min() < 0 < pixels.max()
    np.testing.assert_array_equal(pixels, found.context.input_times_gradient(2, "balanced").pixels)
    sums = np.abs(found.context.gradients(2).image).sum(0)
    np.testing.assert_array_equal(found.map("input_gradient", 2, pixels=True), sums)
    with refuses("method"):
        found.map("rollout", pixels=True)


def test_removed_patches_and_ablated_heads_are_left_out():
    found = explain(tiny.checkpoint(), tiny.pixels()).ablate(heads=[(2, 1)], patches=[4, 20])
    for method in ("balanced_gradients", "attn_lrp", "legrad", "contributions"):
        values = found.map(method, (3, 7)).ravel()
        assert not values[[4, 20]].any()
        assert np.count_nonzero(values) == tiny.N - 2
