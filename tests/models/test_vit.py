"""The network: shapes, invariants, hand values, and PyTorch's own attention as second opinion."""

from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from tests import tiny
from tests.tiny import A, B, D, K, L, N, T
from vitviz.models.vit import HeadMask, ViT, attend

variants = pytest.mark.parametrize("name", tiny.VARIANTS)


@variants
@pytest.mark.parametrize("want", ["rows", "full"])
def test_tracing_does_not_alter_the_logits(name, want):
    model, images = tiny.model(tiny.VARIANTS[name]), tiny.images()
    torch.testing.assert_close(model.forward_with_attention(images, want).logits, model(images), rtol=0, atol=1e-5)


@variants
def test_every_row_of_attention_sums_to_one_and_is_not_uniform(name):
    config = tiny.VARIANTS[name]
    attention = tiny.model(config).forward_with_attention(tiny.images(), "full").attention
    assert attention.shape == (L, B, A, config.num_tokens, config.num_tokens)
    assert attention.dtype == torch.float32
    torch.testing.assert_close(attention.sum(-1), torch.ones(L, B, A, config.num_tokens), rtol=0, atol=1e-5)
    assert (attention.sum(-2) - 1).abs().max() > 0.5, "queries and keys must not be exchangeable"
    assert attention.max() > 5 / config.num_tokens


@variants
def test_the_rows_wanted_are_those_of_the_full_attention(name):
    model, images = tiny.model(tiny.VARIANTS[name]), tiny.images()
    rows, full = (
        model.forward_with_attention(images, "cls").attention,
        model.forward_with_attention(images, "full").attention,
    )
    assert rows.shape == full.shape[:-1]
    expected = full[:, :, :, 0] if model.config.class_token else full.mean(-2)  # without one, all patches ask alike
    torch.testing.assert_close(rows, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("want", ["nothing", "rows", "full"])
def test_attend_agrees_with_the_attention_of_pytorch(want):
    q, k, v = torch.from_numpy(np.random.default_rng(0).standard_normal((3, B, A, T, 9)).astype(np.float32))
    mixed, weights = attend(q, k, v, want)
    torch.testing.assert_close(mixed, F.scaled_dot_product_attention(q, k, v), rtol=0, atol=1e-5)
    if want == "nothing":
        assert weights is None
    else:
        expected = F.scaled_dot_product_attention(q, k, torch.eye(T).expand(B, A, T, T))  # (B, A, T, T)
        torch.testing.assert_close(weights, expected if want == "full" else expected[:, :, 0], rtol=0, atol=1e-5)


def test_attend_by_hand():
    q = torch.tensor([[[[2.0, 0.0, 0.0, 0.0]]]])  # (1, 1, 1, 4): divided by sqrt(4) it is 1 along the first axis
    k = torch.tensor([[[[np.log(3.0), 5.0, 0.0, 0.0], [0.0, 7.0, 0.0, 0.0]]]], dtype=torch.float32)
    v = torch.tensor([[[[4.0, 0.0, 1.0, 0.0], [0.0, 8.0, 1.0, 0.0]]]])
    mixed, weights = attend(q, k, v, "full")
    torch.testing.assert_close(weights, torch.tensor([[[[0.75, 0.25]]]]))
    torch.testing.assert_close(mixed, torch.tensor([[[[3.0, 2.0, 1.0, 0.0]]]]))


def test_patches_are_cut_in_reading_order_as_a_convolution_does():
    embed, images = tiny.model().patch_embed, tiny.images()
    expected = F.conv2d(images, embed.proj.weight, embed.proj.bias, stride=4).flatten(2).mT  # (B, N, D)
    assert expected.shape == (B, N, D)
    torch.testing.assert_close(embed(images), expected, rtol=0, atol=1e-5)


def test_patches_to_tokens_and_back_changes_nothing():
    embed = ViT(replace(tiny.CONFIG, embed_dim=48)).patch_embed  # D = 3 P P: the identity fits
    with torch.no_grad():
        embed.proj.weight.copy_(torch.eye(48).view(48, 3, 4, 4))
        embed.proj.bias.zero_()
    images = tiny.images()
    tokens = embed(images).view(B, 5, 7, 3, 4, 4)
    assert torch.equal(tokens.permute(0, 3, 1, 4, 2, 5).reshape(images.shape), images)


def test_permuting_heads_permutes_their_attention_and_nothing_else():
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
        model.pos_embed.zero_()  # without positions a patch is known by its content alone
    order = torch.from_numpy(np.random.default_rng(0).permutation(N))
    tiles = images.view(B, 3, 5, 4, 7, 4).permute(0, 2, 4, 1, 3, 5).reshape(B, N, 3, 4, 4)
    moved = tiles[:, order].view(B, 5, 7, 3, 4, 4).permute(0, 3, 1, 4, 2, 5).reshape(images.shape)
    tokens = torch.cat([torch.tensor([0]), 1 + order])
    before, after = model.forward_with_attention(images, "full"), model.forward_with_attention(moved, "full")
    expected = before.attention[:, :, :, tokens][..., tokens]
    torch.testing.assert_close(after.attention, expected, rtol=0, atol=1e-5)
    torch.testing.assert_close(after.logits, before.logits, rtol=0, atol=1e-5)


def test_images_of_a_batch_do_not_see_each_other():
    model, images = tiny.model(), tiny.images()
    torch.testing.assert_close(model(images)[3:4], model(images[3:4]), rtol=0, atol=1e-5)


@variants
def test_keeping_all_patches_in_any_order_changes_nothing(name):
    model, images = tiny.model(tiny.VARIANTS[name]), tiny.images()
    order = torch.from_numpy(np.random.default_rng(0).permuted(np.tile(np.arange(N), (B, 1)), axis=1))
    torch.testing.assert_close(model(images, keep=order), model(images), rtol=0, atol=1e-5)


def test_dropped_patches_have_no_say():
    model, images = tiny.model(), tiny.images()
    keep = torch.tensor([[8, 1, 30]]).expand(B, -1)  # patch 8 is in row 1, column 1
    trace = model.forward_with_attention(images, keep=keep)
    assert trace.attention.shape == (L, B, A, 1 + 3)
    elsewhere, inside = images.clone(), images.clone()
    elsewhere[:, :, 8:12, 4:8] += 1  # patch 15
    inside[:, :, 4:8, 4:8] += 1  # patch 8
    torch.testing.assert_close(model(elsewhere, keep=keep), trace.logits, rtol=0, atol=1e-6)
    assert (model(inside, keep=keep) - trace.logits).abs().max() > 1e-2


def test_a_fresh_network_is_undecided_and_its_branches_begin_at_zero():
    model = ViT(tiny.CONFIG).eval()
    assert torch.equal(model(tiny.images()), model.head.bias.expand(B, K))
    for block in model.blocks:
        assert not block.attn.proj.weight.any()
        assert not block.mlp.fc2.weight.any()


def test_drop_path_keeps_the_mean_in_training_and_does_nothing_afterwards():
    block = ViT(replace(tiny.CONFIG, drop_path_rate=0.25)).blocks[-1]
    torch.manual_seed(0)
    skipped = block.train().drop_branch(torch.ones(4000, 1, 1)).flatten()
    assert skipped.unique().tolist() == pytest.approx([0, 1 / 0.75])
    assert skipped.mean().item() == pytest.approx(1, abs=0.05)
    assert torch.equal(block.eval().drop_branch(torch.ones(9)), torch.ones(9))


def test_drop_path_grows_with_depth_from_zero():
    rates = [block.drop_path for block in ViT(replace(tiny.CONFIG, drop_path_rate=0.5)).blocks]
    assert rates == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5])


def test_layer_scale_of_zero_would_leave_the_tokens_as_they_came():
    model = tiny.model(tiny.VARIANTS["layer scale"])
    tokens = torch.randn(2, T, D, generator=torch.Generator().manual_seed(0))
    block = model.blocks[0]
    assert (block(tokens, T, "nothing")[0] - tokens).abs().max() > 0.1
    with torch.no_grad():
        block.ls1.gamma.zero_()
        block.ls2.gamma.zero_()
    assert torch.equal(block(tokens, T, "nothing")[0], tokens)


@pytest.mark.parametrize("start", [0.5, 1])
def test_layer_scale_may_start_at_any_number_it_allows(start):
    assert ViT(replace(tiny.CONFIG, init_values=start)).blocks[0].ls1.gamma.tolist() == [start] * D


@pytest.mark.parametrize("name", tiny.VARIANTS)
def test_the_tokens_of_a_trace_are_what_the_blocks_saw(name):
    model = tiny.model(tiny.VARIANTS[name])
    with torch.no_grad():
        trace = model.forward_with_attention(tiny.images(), "full")
    config = model.config
    assert trace.tokens.shape == (L + 1, B, config.num_tokens, D)
    for layer, block in enumerate(model.blocks):
        with torch.no_grad():
            out, weights = block(trace.tokens[layer], config.num_tokens, "full")
        assert torch.equal(out, trace.tokens[layer + 1])
        assert torch.equal(weights, trace.attention[layer])
        values = block.attn.values(block.norm1(trace.tokens[layer]))
        mixed = (weights @ values).transpose(1, 2).flatten(2)
        passed = trace.tokens[layer] + block.ls1(block.attn.proj(mixed))
        expected = passed + block.ls2(block.mlp(block.norm2(passed)))
        torch.testing.assert_close(out, expected, rtol=0, atol=1e-4)
    assert torch.equal(model.forward_head(trace.tokens[-1]), trace.logits)


def test_an_open_gate_changes_nothing_and_a_closed_one_takes_the_head_away():
    model = tiny.model()
    images = tiny.images()
    d = D // A
    opened = [HeadMask(torch.ones(A), torch.randn(A, d)) for _ in range(L)]
    with torch.no_grad():
        torch.testing.assert_close(model(images, head_masks=opened), model(images), rtol=0, atol=1e-5)
        closed = [None] * L
        closed[2] = HeadMask(torch.tensor([0.0, 1.0]), torch.zeros(A, d))
        without = model(images, head_masks=closed)
        model.blocks[2].attn.proj.weight[:, :d] = 0  # the share of the first head
        torch.testing.assert_close(model(images), without, rtol=0, atol=1e-5)


def test_a_closed_gate_passes_on_what_stands_instead():
    model = tiny.model(replace(tiny.CONFIG, depth=1))
    d = D // A
    instead = torch.arange(float(D)).view(A, d) / D
    with torch.no_grad():
        found = model(tiny.images(), head_masks=[HeadMask(torch.zeros(A), instead)])
        model.blocks[0].attn.proj.bias += model.blocks[0].attn.proj.weight @ instead.flatten()
        model.blocks[0].attn.proj.weight.zero_()
        torch.testing.assert_close(found, model(tiny.images()), rtol=0, atol=1e-5)
