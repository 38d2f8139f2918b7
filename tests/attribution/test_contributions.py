"""Direct contributions: they sum to the logit, and equal a decomposition that is written out for a plain ViT."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
import torch

from tests import tiny
from tests.models import families
from tests.tutorials import TUTORIALS, network
from vitviz.attribution.context import ForwardContext
from vitviz.attribution.contributions import contributions
from vitviz.attribution.explanation import explain
from vitviz.errors import ConfigError
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.library_modules import describe_module
from vitviz.models.pretrained import convert

TARGETS = [3, (3, 1)]
STATISTICS = ((0.5, 0.4, 0.3), (0.2, 0.25, 0.3))


@pytest.mark.parametrize("variant", tiny.VARIANTS)
def test_contributions_sum_to_the_logit(subtests, variant):
    for target in TARGETS:
        with subtests.test(target=target):
            found = explain(tiny.checkpoint(tiny.VARIANTS[variant]), tiny.pixels())
            for one in (found, found.ablate([(1, 0), (3, 1)], [3, 7]), found.ablate([(2, 1)], mode="mean")):
                parts = one.contributions(target)
                logits = one.logits
                expected = logits[target[0]] - logits[target[1]] if isinstance(target, tuple) else logits[target]
                assert parts.logit == pytest.approx(expected, abs=1e-5)
                assert parts.total == pytest.approx(parts.logit, abs=1e-5)


@pytest.mark.parametrize("name", TUTORIALS)
def test_contributions_sum_to_the_logit_in_the_tutorial_networks(subtests, name):
    for target in TARGETS:
        with subtests.test(target=target):
            checkpoint = Checkpoint("tutorial", network(name), tuple("abcdefg"), *STATISTICS, {})
            found = contributions(ForwardContext(checkpoint, tiny.images((12, 20), batch=1)[0]), target)
            assert found.total == pytest.approx(found.logit, abs=1e-5)


@pytest.mark.parametrize("name", families.NETWORKS)
def test_contributions_sum_to_the_logit_of_every_class_and_contrast_in_every_family(name):
    model = convert(describe_module(families.build(name)), families.WIDE)
    config = model.config
    labels = tuple(f"class {k}" for k in range(config.num_classes))
    context = ForwardContext(
        Checkpoint(name, model, labels, *STATISTICS, {}), families.images(families.WIDE, batch=1)[0]
    )
    if not config.num_classes:
        with pytest.raises(ValueError, match=r"has no classification head\. Use a model with one"):
            contributions(context, 0)
        return
    logits, classes = context.logits, range(config.num_classes)
    differences = {(k, other): logits[k] - logits[other] for k, other in permutations(classes, 2)}
    for target, expected in (dict(enumerate(logits)) | differences).items():
        found = contributions(context, target)
        assert found.heads.shape == (config.depth, config.num_heads, config.num_tokens)
        assert found.logit == pytest.approx(expected, abs=1e-5)
        assert found.total == pytest.approx(found.logit, abs=1e-5)


@pytest.mark.parametrize("projection", [0, 12])
@pytest.mark.parametrize("target", TARGETS)
def test_contributions_sum_to_the_logit_of_a_model_that_normalizes_its_features(projection, target):
    config = replace(tiny.CONFIG, head_proj_dim=projection, normalize_head=True)
    context = explain(tiny.checkpoint(config), tiny.pixels()).context
    found = contributions(context, target)
    assert found.total == pytest.approx(found.logit, abs=1e-5)
    for rules in ("balanced", "attn_lrp"):
        products = context.input_times_gradient(target, rules).layers.sum(1)
        assert (np.abs(products) > 1e-3).all(), "the norm is a constant; else all products cancel"


@torch.no_grad()
def test_contributions_equal_a_decomposition_written_out():
    context = tiny.context("qkv bias", dtype=torch.float64)
    model = context.model
    output = model.forward_with_attention(context.image[None], "full")
    final, norm = output.tokens[-1][0, 0], model.norm
    sd = (final.var(correction=0) + norm.eps).sqrt()
    weight = model.head.weight[5] * norm.weight / sd
    weight = weight - weight.mean()  # the norm subtracts the mean
    heads, mlps, attention_bias = torch.zeros(tiny.L, tiny.A, tiny.T), [], []
    for layer, block in enumerate(model.blocks):
        x = output.tokens[layer]
        v = block.attn.qkv(block.norm1(x))[0].unflatten(-1, (3, tiny.A, -1))[:, 2]  # (T, A, d)
        for head in range(tiny.A):
            moved = v[:, head] @ block.attn.proj.weight.unflatten(1, (tiny.A, -1))[:, head].T  # (T, D)
            heads[layer, head] = output.attention[layer, 0, head, 0] * (moved @ weight)
        attention_bias.append(block.attn.proj.bias @ weight)
        middle = x + block.attn(block.norm1(x), tiny.T, None)[0]
        mlps.append(block.mlp(block.norm2(middle))[0, 0] @ weight)
    found = contributions(context, 5)
    np.testing.assert_allclose(found.heads, heads, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.mlp, mlps, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.attention_bias, attention_bias, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.attention, heads.sum((1, 2)) + torch.stack(attention_bias), rtol=0, atol=1e-5)
    assert found.embedding == pytest.approx(float(output.tokens[0][0, 0] @ weight), abs=1e-6)
    assert found.bias == pytest.approx(float(model.head.weight[5] @ norm.bias + model.head.bias[5]), abs=1e-6)


def test_contributions_of_a_contrast_are_differences_and_invalid_classes_are_refused():
    found = explain(tiny.checkpoint(), tiny.pixels())
    first, second, both = (found.contributions(target) for target in ("class 4", 9, (4, 9)))
    np.testing.assert_allclose(both.heads, first.heads - second.heads, rtol=0, atol=1e-6)
    np.testing.assert_allclose(both.mlp, first.mlp - second.mlp, rtol=0, atol=1e-6)
    expected = first.heads.sum((0, 1))[1:].reshape(found.context.grid)
    np.testing.assert_allclose(found.map("contributions", 4), expected, rtol=0, atol=1e-6)
    for target in (11, "zebra", (4, 4), (4, 11)):
        with pytest.raises(ConfigError) as caught:
            found.contributions(target)
        assert caught.value.field == "target"
