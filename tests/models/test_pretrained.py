"""Models of timm and transformers compute the same logits, attention and gradients in vitviz."""

import pytest
import torch
import torch.nn.functional as F

from tests.models import families
from vitviz.models.pretrained import convert, describe_module

softmax = F.softmax


@pytest.fixture(autouse=True)
def double_softmax(monkeypatch):
    """Transformers computes the softmax in float32; here it keeps the dtype, so that float64 can be compared."""
    monkeypatch.setattr(F, "softmax", lambda x, dim, dtype=None: softmax(x, dim))


CASES = [(name, size) for name in families.BUILDERS for size in (families.SQUARE, families.WIDE)]


@pytest.mark.parametrize(("name", "size"), CASES)
def test_logits_attention_and_gradients_equal_those_of_the_library(name, size):
    other = families.build(name, size)
    network = convert(describe_module(other), size)
    pixels = families.images(size).requires_grad_()
    logits, attention = families.reference(name, other, pixels)
    tolerance = 1e-6 if name in families.PARTLY_FLOAT32 else 1e-10
    direction = torch.randn(logits.shape, generator=torch.Generator().manual_seed(0), dtype=logits.dtype)
    (expected,) = torch.autograd.grad((logits * direction).sum(), pixels)
    ours = network.forward_blocks(pixels, "full")
    (grads,) = torch.autograd.grad((ours.logits * direction).sum(), pixels)
    weights = torch.stack([block.weights for block in ours.blocks])
    assert attention.std() > 0.005, "attention must not be uniform"
    torch.testing.assert_close(ours.logits, logits, rtol=0, atol=tolerance)
    torch.testing.assert_close(weights, attention, rtol=0, atol=tolerance)
    torch.testing.assert_close(grads, expected, rtol=0, atol=10 * tolerance)
    torch.testing.assert_close(network(pixels), logits, rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", [name for name in families.BUILDERS if name.startswith("timm")])
@torch.no_grad()
def test_positions_of_another_size_are_interpolated_as_by_timm(name):
    other = families.build(name, families.SQUARE)
    network = convert(describe_module(other), families.WIDE)
    other.set_input_size(families.WIDE)
    pixels = families.images(families.WIDE)
    output = network.forward_with_attention(pixels, "full")
    logits, attention = families.reference(name, other, pixels)
    assert network.config.grid_size == (4, 6)
    torch.testing.assert_close(output.logits, logits, rtol=0, atol=1e-6)
    torch.testing.assert_close(output.attention, attention.float(), rtol=0, atol=1e-6)
