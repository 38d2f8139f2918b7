"""AttnLRP against lxt (Achtibat et al. 2024, ICML), the code of its authors, on torchvision's ViT.

lxt propagates relevance itself, operation by operation; ours is input times a modified gradient. It is not in
requirements-dev.txt, since its own requirements are those of language models. CI installs it without them.
"""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torchvision.models import VisionTransformer

from tests import tiny
from tests.attribution import torchvision_vit
from vitviz.attribution import propagation_maps
from vitviz.attribution.context import ForwardContext

EPSILON = 1e-12  # stabilizes the denominators; ours is the limit of 0


@pytest.fixture(scope="module")
def lxt():
    reason = "needs pip install --no-deps lxt"
    pytest.importorskip("lxt.explicit.functional", reason=reason)
    return pytest.importorskip("lxt.explicit.rules", reason=reason)


def relevance(lxt, other: VisionTransformer, image: Tensor, label: int) -> tuple[list[Tensor], Tensor]:
    """Return the relevance of each block's input, L x (T, D), and of the patches' pixels, (N, 3 P P)."""
    from lxt.explicit import functional as lf

    def linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return lf.linear_epsilon(x, weight, bias, EPSILON)

    def norm(x: Tensor, layer: torch.nn.LayerNorm) -> Tensor:
        return lf.layer_norm_grad_fn.apply(x, layer.weight, layer.bias, layer.eps, EPSILON)

    def attention(x: Tensor, layer: torch.nn.MultiheadAttention) -> Tensor:
        q, k, v = (
            part.unflatten(-1, (layer.num_heads, -1)).transpose(1, 2)
            for part in linear(x, layer.in_proj_weight, layer.in_proj_bias).chunk(3, -1)
        )
        scores = lf.mul2(lf.matmul(q, k.mT, epsilon=EPSILON), torch.tensor(q.shape[-1] ** -0.5, dtype=q.dtype))
        mixed = lf.matmul(lf.softmax(scores, -1), v, epsilon=EPSILON)
        return linear(mixed.transpose(1, 2).flatten(2), layer.out_proj.weight, layer.out_proj.bias)

    kernel = other.conv_proj.weight  # (D, 3, P, P)
    patches = F.unfold(image[None], kernel.shape[-1], stride=kernel.shape[-1]).mT.requires_grad_()
    embedded = linear(patches, kernel.flatten(1), other.conv_proj.bias)
    x = lf.add2(torch.cat([other.class_token, embedded], 1), other.encoder.pos_embedding, epsilon=EPSILON)
    inputs = []
    for block in other.encoder.layers:
        inputs.append(x)
        x = lf.add2(x, attention(norm(x, block.ln_1), block.self_attention), epsilon=EPSILON)
        first, gelu, _, second, _ = block.mlp
        hidden = lxt.identity(gelu, linear(norm(x, block.ln_2), first.weight, first.bias))
        x = lf.add2(x, linear(hidden, second.weight, second.bias), epsilon=EPSILON)
    logits = linear(norm(x, other.encoder.ln)[:, 0], other.heads.head.weight, other.heads.head.bias)
    torch.testing.assert_close(logits, other(image[None]), rtol=0, atol=1e-10)
    *tokens, pixels = torch.autograd.grad(logits[0, label], [*inputs, patches], logits[0, label].detach())
    return [found[0] for found in tokens], pixels[0]


def test_attn_lrp_is_the_relevance_of_its_authors(lxt):
    checkpoint = tiny.checkpoint(torchvision_vit.CONFIG)
    checkpoint.network.double()
    image = tiny.images((32, 32), batch=1)[0].double()
    tokens, pixels = relevance(lxt, torchvision_vit.convert(checkpoint.network), image, 3)
    context = ForwardContext(checkpoint, image)
    expected = torch.stack(tokens).sum(-1).numpy()
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(context.input_times_gradient(3, "attn_lrp").layers, expected, rtol=0, atol=1e-5)
    np.testing.assert_allclose(propagation_maps.attn_lrp(context, 3), expected[:, 1:].mean(0), rtol=0, atol=1e-5)
    by_patch = propagation_maps.attn_lrp_pixels(context, 3).reshape(4, 8, 4, 8).sum((1, 3)).ravel()
    np.testing.assert_allclose(by_patch, pixels.sum(-1).numpy(), rtol=0, atol=1e-5)
