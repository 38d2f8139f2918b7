"""The network: shapes, invariants, hand values, and PyTorch's own attention as a reference."""

from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from tests import tiny
from tests.tiny import A, B, D, K, L, N, T
from vitviz.models.config import ViTConfig
from vitviz.models.layers import attend, patchify
from vitviz.models.vit import Intervention, ViT

variants = pytest.mark.parametrize("name", tiny.VARIANTS)


@variants
def test_returning_attention_does_not_change_the_logits(subtests, name):
    for attentions in ("cls", "full"):
        with subtests.test(attentions=attentions):
            model, images = tiny.model(tiny.VARIANTS[name]), tiny.images()
            torch.testing.assert_close(
                model.forward_with_attention(images, attentions).logits, model(images), rtol=0, atol=1e-5
            )


@variants
def test_each_row_of_attention_sums_to_one_and_is_not_uniform(name):
    config = tiny.VARIANTS[name]
    attention = tiny.model(config).forward_with_attention(tiny.images(), "full").attention
    assert attention.shape == (L, B, A, config.num_tokens, config.num_tokens)
    assert attention.dtype == torch.float32
    torch.testing.assert_close(attention.sum(-1), torch.ones(L, B, A, config.num_tokens), rtol=0, atol=1e-5)
    assert (attention.sum(-2) - 1).abs().max() > 0.5, "queries and keys must not be interchangeable"
    assert attention.max() > 5 / config.num_tokens


@variants
def test_class_token_rows_are_those_of_the_full_attention(name):
    model, images = tiny.model(tiny.VARIANTS[name]), tiny.images()
    rows, full = (
        model.forward_with_attention(images, "cls").attention,
        model.forward_with_attention(images, "full").attention,
    )
    assert rows.shape == full.shape[:-1]
    expected = full[:, :, :, 0] if model.config.class_token else full.mean(-2)  # without one, the mean over the patches
    torch.testing.assert_close(rows, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("fused", [True, False, None])
@pytest.mark.parametrize("attentions", [None, "cls", "full"])
def test_attend_equals_the_attention_of_pytorch(attentions, fused):
    q, k, v = torch.from_numpy(np.random.default_rng(0).standard_normal((3, B, A, T, 9)).astype(np.float32))
    mixed, weights = attend(q, k, v, attentions, fused=fused)
    torch.testing.assert_close(mixed, F.scaled_dot_product_attention(q, k, v), rtol=0, atol=1e-5)
    if attentions is None:
        assert weights is None
    else:
        expected = F.scaled_dot_product_attention(q, k, torch.eye(T).expand(B, A, T, T))  # (B, A, T, T)
        torch.testing.assert_close(weights, expected if attentions == "full" else expected[:, :, 0], rtol=0, atol=1e-5)


def test_attend_by_hand():
    q = torch.tensor([[[[2.0, 0.0, 0.0, 0.0]]]])  # (1, 1, 1, 4); divided by sqrt(4) it is 1 along the first axis
    k = torch.tensor([[[[np.log(3.0), 5.0, 0.0, 0.0], [0.0, 7.0, 0.0, 0.0]]]], dtype=torch.float32)
    v = torch.tensor([[[[4.0, 0.0, 1.0, 0.0], [0.0, 8.0, 1.0, 0.0]]]])
    mixed, weights = attend(q, k, v, "full")
    torch.testing.assert_close(weights, torch.tensor([[[[0.75, 0.25]]]]))
    torch.testing.assert_close(mixed, torch.tensor([[[[3.0, 2.0, 1.0, 0.0]]]]))


def test_the_patch_embedding_equals_a_strided_convolution():
    embed, images = tiny.model().patch_embed, tiny.images()
    expected = F.conv2d(images, embed.proj.weight, embed.proj.bias, stride=4).flatten(2).mT  # (B, N, D)
    assert expected.shape == (B, N, D)
    torch.testing.assert_close(embed(patchify(images, 4)), expected, rtol=0, atol=1e-5)


def test_patches_are_in_reading_order_and_keep_their_pixels():
    embed = ViT(replace(tiny.CONFIG, embed_dim=48)).patch_embed  # D = 3 P P, so that the embedding can be the identity
    with torch.no_grad():
        embed.proj.weight.copy_(torch.eye(48).view(48, 3, 4, 4))
        embed.proj.bias.zero_()
    images = tiny.images()
    tokens = embed(patchify(images, 4)).view(B, 5, 7, 3, 4, 4)
    assert torch.equal(tokens.permute(0, 3, 1, 4, 2, 5).reshape(images.shape), images)


def test_permuting_heads_permutes_only_their_attention():
    model, images = tiny.model(), tiny.images()
    before = model.forward_with_attention(images, "full")
    with torch.no_grad():
        for block in model.blocks:
            qkv = block.attn.qkv.weight
            qkv.copy_(qkv.view(3, A, D // A, D).flip(1).reshape(3 * D, D))
            block.attn.proj.weight.copy_(block.attn.proj.weight.view(D, A, D // A).flip(1).reshape(D, D))
    after = model.forward_with_attention(images, "full")
    assert (before.attention - before.attention.flip(2)).abs().max() > 0.1, "the heads must differ"
    torch.testing.assert_close(after.attention, before.attention.flip(2), rtol=0, atol=1e-5)
    torch.testing.assert_close(after.logits, before.logits, rtol=0, atol=1e-5)


def test_permuting_patches_permutes_the_attention():
    model, images = tiny.model(), tiny.images()
    with torch.no_grad():
        model.pos_embed.zero_()  # without positions, only the content distinguishes patches
    order = torch.from_numpy(np.random.default_rng(0).permutation(N))
    tiles = images.view(B, 3, 5, 4, 7, 4).permute(0, 2, 4, 1, 3, 5).reshape(B, N, 3, 4, 4)
    moved = tiles[:, order].view(B, 5, 7, 3, 4, 4).permute(0, 3, 1, 4, 2, 5).reshape(images.shape)
    tokens = torch.cat([torch.tensor([0]), 1 + order])
    before, after = model.forward_with_attention(images, "full"), model.forward_with_attention(moved, "full")
    expected = before.attention[:, :, :, tokens][..., tokens]
    torch.testing.assert_close(after.attention, expected, rtol=0, atol=1e-5)
    torch.testing.assert_close(after.logits, before.logits, rtol=0, atol=1e-5)


def test_images_of_a_batch_are_independent():
    model, images = tiny.model(), tiny.images()
    torch.testing.assert_close(model(images)[3:4], model(images[3:4]), rtol=0, atol=1e-5)


@variants
def test_keeping_all_patches_in_any_order_changes_nothing(name):
    model, images = tiny.model(tiny.VARIANTS[name]), tiny.images()
    order = torch.from_numpy(np.random.default_rng(0).permuted(np.tile(np.arange(N), (B, 1)), axis=1))
    torch.testing.assert_close(model(images, keep=order), model(images), rtol=0, atol=1e-5)


@variants
def test_the_logits_from_the_input_of_each_block_are_those_of_the_image(name):
    model, images = tiny.model(tiny.VARIANTS[name]), tiny.images()
    keep = torch.arange(0, N, 2).expand(B, -1)
    for kept in (None, keep):
        output = model.forward_with_attention(images, "tokens", kept)
        for layer, tokens in enumerate(output.layer_tokens):
            torch.testing.assert_close(model.forward_from(layer, tokens, kept), output.logits, rtol=0, atol=1e-5)


def test_dropped_patches_have_no_effect():
    model, images = tiny.model(), tiny.images()
    keep = torch.tensor([[8, 1, 30]]).expand(B, -1)  # patch 8 is in row 1, column 1
    output = model.forward_with_attention(images, keep=keep)
    assert output.attention.shape == (L, B, A, 1 + 3)
    dropped, kept = images.clone(), images.clone()
    dropped[:, :, 8:12, 4:8] += 1  # patch 15
    kept[:, :, 4:8, 4:8] += 1  # patch 8
    torch.testing.assert_close(model(dropped, keep=keep), output.logits, rtol=0, atol=1e-6)
    assert (model(kept, keep=keep) - output.logits).abs().max() > 1e-2


def test_head_and_branches_are_initialized_to_zero():
    model = ViT(tiny.CONFIG).eval()
    assert torch.equal(model(tiny.images()), model.head.bias.expand(B, K))
    for block in model.blocks:
        assert not block.attn.proj.weight.any()
        assert not block.mlp.fc2.weight.any()


def test_drop_path_preserves_the_mean_in_training_and_is_inactive_in_evaluation():
    block = ViT(replace(tiny.CONFIG, drop_path_rate=0.25)).blocks[-1]
    torch.manual_seed(0)
    branch = block.train().drop_branch(torch.ones(4000, 1, 1)).flatten()
    assert branch.unique().tolist() == pytest.approx([0, 1 / 0.75])
    assert branch.mean().item() == pytest.approx(1, abs=0.05)
    assert torch.equal(block.eval().drop_branch(torch.ones(9)), torch.ones(9))


@pytest.mark.parametrize("rates", [[0, 0.1, 0.2, 0.3, 0.4, 0.5], [0, 0.5], [0]])
def test_the_drop_path_rate_is_linear_in_depth(rates):
    model = ViT(replace(tiny.CONFIG, drop_path_rate=0.5, depth=len(rates)))
    assert [block.drop_path_rate for block in model.blocks] == pytest.approx(rates)


def test_a_layer_scale_of_zero_makes_a_block_the_identity():
    model = tiny.model(tiny.VARIANTS["layer scale"])
    tokens = torch.randn(2, T, D, generator=torch.Generator().manual_seed(0))
    block = model.blocks[0]
    assert (block(tokens, T, None)[0] - tokens).abs().max() > 0.1
    with torch.no_grad():
        block.ls1.gamma.zero_()
        block.ls2.gamma.zero_()
    assert torch.equal(block(tokens, T, None)[0], tokens)


@pytest.mark.parametrize("init_values", [0.5, 1])
def test_layer_scale_starts_at_init_values(init_values):
    assert ViT(replace(tiny.CONFIG, init_values=init_values)).blocks[0].ls1.gamma.tolist() == [init_values] * D


@pytest.mark.parametrize("name", tiny.VARIANTS)
def test_returned_tokens_and_attention_are_those_of_the_blocks(name):
    model = tiny.model(tiny.VARIANTS[name])
    with torch.no_grad():
        output = model.forward_with_attention(tiny.images(), "full")
    config = model.config
    assert output.tokens.shape == (L + 1, B, config.num_tokens, D)
    for layer, block in enumerate(model.blocks):
        with torch.no_grad():
            out, weights = block(output.tokens[layer], config.num_tokens, "full")
        assert torch.equal(out, output.tokens[layer + 1])
        assert torch.equal(weights, output.attention[layer])
        values = model.head_values(layer, output.tokens[layer])
        mixed = (weights @ values).transpose(1, 2).flatten(2)
        residual = output.tokens[layer] + block.ls1(block.attn.proj(mixed))
        expected = residual + block.ls2(block.mlp(block.norm2(residual)))
        torch.testing.assert_close(out, expected, rtol=0, atol=1e-4)
    assert torch.equal(model.forward_head(output.tokens[-1]), output.logits)


def test_a_head_mask_of_ones_has_no_effect_and_zeros_remove_a_head():
    model = tiny.model()
    images = tiny.images()
    d = D // A
    intact = [Intervention(torch.ones(A), torch.randn(A, d)) for _ in range(L)]
    with torch.no_grad():
        torch.testing.assert_close(model(images, interventions=intact), model(images), rtol=0, atol=1e-5)
        ablated = [None] * L
        ablated[2] = Intervention(torch.tensor([0.0, 1.0]), torch.zeros(A, d))
        expected = model(images, interventions=ablated)
        model.blocks[2].attn.proj.weight[:, :d] = 0  # the slice of the first head
        torch.testing.assert_close(model(images), expected, rtol=0, atol=1e-5)


def test_an_ablated_head_outputs_its_replacement():
    model = tiny.model(replace(tiny.CONFIG, depth=1))
    d = D // A
    replacement = torch.arange(float(D)).view(A, d) / D
    with torch.no_grad():
        ablated = model(tiny.images(), interventions=[Intervention(torch.zeros(A), replacement)])
        model.blocks[0].attn.proj.bias += model.blocks[0].attn.proj.weight @ replacement.flatten()
        model.blocks[0].attn.proj.weight.zero_()
        torch.testing.assert_close(ablated, model(tiny.images()), rtol=0, atol=1e-5)


@variants
def test_value_vectors_weighted_by_attention_are_the_output_of_the_attention_branch(name):
    model = tiny.model(tiny.VARIANTS[name])
    with torch.no_grad():
        output = model.forward_with_attention(tiny.images(), "full")
        for layer, block in enumerate(model.blocks):
            tokens = output.tokens[layer]
            vectors = model.value_vectors(layer, tokens)
            assert vectors.shape == (B, A, model.config.num_tokens, D)
            branch = block.ls1(block.attn(block.norm1(tokens), tokens.shape[1], None)[0])
            bias = block.ls1(block.attn.proj.bias)
            torch.testing.assert_close((output.attention[layer] @ vectors).sum(1) + bias, branch, rtol=0, atol=1e-4)


@torch.no_grad()
def test_value_vectors_are_scaled_by_the_weight_of_a_norm_before_the_projection():
    model = tiny.model(replace(tiny.CONFIG, scale_attn_norm=True))
    tokens = torch.randn(B, tiny.T, D)
    before = model.value_vectors(2, tokens)
    model.blocks[2].attn.norm.weight.mul_(3)
    torch.testing.assert_close(model.value_vectors(2, tokens), 3 * before)


def test_patch_filters_and_positions_are_the_weights():
    model = tiny.model(tiny.VARIANTS["two registers"])
    assert model.patch_filters().shape == (D, 3, 4, 4)
    assert torch.equal(model.patch_positions(), model.pos_embed[0, 3:])
    assert [name for name, _ in model.stages()] == ["head", *(f"block {layer}" for layer in range(L, 0, -1))]


@pytest.mark.parametrize("rope_type", ["cat", "dinov3"])
@torch.no_grad()
def test_rotary_positions_follow_the_patches_of_each_image(rope_type):
    config = ViTConfig(img_size=(20, 28), patch_size=4, embed_dim=16, depth=2, num_heads=2, rope_type=rope_type)
    model, images = tiny.model(config), tiny.images()
    keep = torch.stack([torch.randperm(N, generator=torch.Generator().manual_seed(b))[:9] for b in range(B)])
    each = torch.cat([model(images[b, None], keep[b, None]) for b in range(B)])
    torch.testing.assert_close(model(images, keep), each, rtol=0, atol=1e-5)
