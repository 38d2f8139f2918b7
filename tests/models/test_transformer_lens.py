"""Attention and logits against TransformerLens, whose bridge runs ViT and DeiT of transformers with its own hooks.

It is not in requirements-dev.txt, since its own requirements are those of language models. The bridge changes the
module that it is given, so it runs last.
"""

import numpy as np
import pytest
import torch

import vitviz
from tests.models import families

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def bridge():
    reason = "needs pip install transformer-lens"
    return pytest.importorskip("transformer_lens.model_bridge", reason=reason).TransformerBridge


@pytest.mark.parametrize("name", ["ViT", "DeiT"])
@torch.no_grad()
def test_attention_and_logits_equal_those_of_transformer_lens(name, bridge, tmp_path):
    module, pixels = families.build(name), families.images(families.SQUARE)
    module.save_pretrained(tmp_path)  # names the class in the config; the bridge looks for a tokenizer in the folder
    captured = vitviz.capture(module, pixels)
    model = vitviz.load(module, device="cpu")
    explanations = vitviz.explain(model, pixels, normalized=True)
    hooked = bridge.boot_transformers(str(tmp_path), hf_model=module, dtype=torch.float64, device="cpu")
    logits, cache = hooked.run_with_cache(pixels)
    patterns = torch.stack([cache[f"blocks.{layer}.attn.hook_pattern"] for layer in range(families.L)], 1)
    assert patterns.std(-1).min() > 1e-3
    weights = torch.stack([layer.weights for layer in captured.attention], 1)  # (B, L, A, T, T)
    for found, expected in (
        (weights, patterns),
        (captured.output.logits, logits),
        (np.stack([explanation.attention for explanation in explanations]), patterns),
        (np.stack([explanation.logits for explanation in explanations]), logits),
    ):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)
