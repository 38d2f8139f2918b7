"""The parts of attention scores, against explicit loops and known answers."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import vitviz
from tests import tiny
from tests.tutorials import TUTORIALS, network
from vitviz.attribution.context import ForwardContext
from vitviz.attribution.head_factors import (
    head_factors,
    score_parts,
    second_moments,
    shares_of,
    with_mean_query,
)
from vitviz.errors import ConfigError
from vitviz.models.checkpoint import Checkpoint

B = 6


def images(count: int = B) -> torch.Tensor:
    return torch.stack([torch.from_numpy(tiny.pixels(seed=seed)).permute(2, 0, 1) for seed in range(count)])


def of_tutorial(name: str) -> Checkpoint:
    model = network(name)
    names = tuple(f"class {k}" for k in range(model.config.num_classes))
    return Checkpoint(name, model, names, (0.5, 0.4, 0.3), (0.2, 0.25, 0.3), {})


def split_by_hand(checkpoint: Checkpoint, pixels: torch.Tensor) -> tuple[np.ndarray, np.ndarray]:
    """Return the shares of patches and class token from all scores, written out."""
    config, model = checkpoint.config, checkpoint.network
    R, T = config.num_prefix_tokens, config.num_tokens
    shares, class_shares = np.zeros((2, config.depth, config.num_heads, 6))
    with torch.no_grad():
        tokens = model.forward_with_attention(checkpoint.normalize(pixels), "tokens").layer_tokens
        for layer in range(config.depth):
            q, k = (x.double().numpy() for x in model.queries_and_keys(layer, tokens[layer]))  # (B, A, T, d)
            for head in range(config.num_heads):
                queries, keys = q[:, head], k[:, head, R:]
                keys = keys - keys.mean(1, keepdims=True)
                key_parts = [np.broadcast_to(keys.mean(0), keys.shape), keys - keys.mean(0)]
                for of, first, last in ((shares, R, T), (class_shares, 0, 1)):
                    part = queries[:, first:last]
                    mean = np.broadcast_to(part.mean((0, 1)), part.shape)
                    position = part.mean(0) - part.mean((0, 1))
                    parts = [mean, np.broadcast_to(position, part.shape), part - part.mean(0)]
                    terms = [
                        np.einsum("bid,bjd->bij", one, key) for one in parts for key in key_parts
                    ]  # each (B, Q, N)
                    total = sum(terms)
                    np.testing.assert_allclose(total, np.einsum("bid,bjd->bij", part, keys), atol=1e-12)
                    of[layer, head] = [(term * total).mean() / (total**2).mean() for term in terms]
    return shares.reshape(*shares.shape[:2], 3, 2), class_shares.reshape(*shares.shape[:2], 3, 2)[:, :, [0, 2]]


CONFIGS = {
    **{name: tiny.VARIANTS[name] for name in ("plain", "qk norm", "two registers", "no class token")},
    "rotary": replace(tiny.CONFIG, embed_dim=16, rope_type="cat"),
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_shares_equal_explicit_loops_and_sum_to_one(config):
    checkpoint = tiny.checkpoint(config)
    found = head_factors(checkpoint, images())
    shares, class_shares = split_by_hand(checkpoint, images())
    np.testing.assert_allclose(found.shares, shares, atol=1e-6)
    np.testing.assert_allclose(found.shares.sum((-2, -1)), 1, atol=1e-6)
    assert found.images == B
    groups = found.position + found.content + found.same_for_all + found.rest
    np.testing.assert_allclose(groups, 1, atol=1e-6)
    if not config.class_token:
        assert (found.class_shares.shape, found.image_specific.shape) == ((tiny.L, tiny.A, 0, 2), (0, tiny.A))
        assert np.isnan(found.class_query).all()
        return
    np.testing.assert_allclose(found.class_shares, class_shares, atol=1e-6)
    assert found.image_specific[0] == pytest.approx(0, abs=1e-9), "all images enter with the same class token"


def test_of_one_channel_the_shares_are_products_of_variances():
    mean, positions, contents = 2.0, torch.tensor([1.0, -1.0]), torch.tensor([3.0, -3.0])
    places, things = torch.tensor([0.5, -0.5]), torch.tensor([1.0, -1.0])
    cases = [(p, c, s, t) for p in positions for c in contents for s in places for t in things]
    column = lambda values: torch.tensor(values).double().view(-1, 1, 1, 1)  # noqa: E731
    queries = [column([mean] * 16), column([float(p) for p, *_ in cases]), column([float(c) for _, c, *_ in cases])]
    keys = [column([float(s) for *_, s, _ in cases]), column([float(t) for *_, t in cases])]
    found = shares_of(second_moments(queries, keys)[None])[0, 0].view(3, 2)
    expected = torch.outer(torch.tensor([4.0, 1, 9]), torch.tensor([0.25, 1]))
    torch.testing.assert_close(found, (expected / expected.sum()).double())


def test_identical_images_have_no_content():
    found = head_factors(tiny.checkpoint(), images(1).expand(4, -1, -1, -1))
    assert np.abs(found.content).max() < 1e-12
    assert np.abs(found.shares[..., 2, :]).max() < 1e-12
    assert np.abs(found.class_shares[..., 1, :]).max() < 1e-12


def test_without_patch_embedding_all_is_position():
    checkpoint = tiny.checkpoint()
    torch.nn.init.zeros_(checkpoint.network.patch_embed.proj.weight)
    found = head_factors(checkpoint, images())
    np.testing.assert_allclose(found.shares[..., :2, 0].sum(-1), 1, atol=1e-6)


def test_without_positions_permuted_patches_leave_one_in_b():
    checkpoint = tiny.checkpoint()
    torch.nn.init.zeros_(checkpoint.network.pos_embed)
    rng = np.random.default_rng(0)
    one = tiny.pixels().reshape(tiny.GH, 4, tiny.GW, 4, 3).swapaxes(1, 2).reshape(tiny.N, 4, 4, 3)
    count = 64
    permuted = [one[rng.permutation(tiny.N)].reshape(tiny.GH, tiny.GW, 4, 4, 3).swapaxes(1, 2) for _ in range(count)]
    pixels = torch.from_numpy(np.stack(permuted).reshape(count, tiny.H, tiny.W, 3)).permute(0, 3, 1, 2)
    found = head_factors(checkpoint, pixels)
    of_positions = found.shares[..., :, 0].sum(-1)  # of the keys
    np.testing.assert_allclose(of_positions, 1 / count, atol=0.02)


def test_a_vector_added_to_all_keys_changes_nothing():
    checkpoint = tiny.checkpoint(tiny.VARIANTS["qkv bias"])
    before = head_factors(checkpoint, images())
    with torch.no_grad():
        for block in checkpoint.network.blocks:
            block.attn.qkv.bias[tiny.D : 2 * tiny.D] += 5
    np.testing.assert_allclose(head_factors(checkpoint, images()).shares, before.shares, atol=1e-6)


@pytest.mark.parametrize("name", ["vit", *TUTORIALS])
def test_the_mean_query_changes_nothing_where_all_images_are_equal(name):
    checkpoint = tiny.checkpoint() if name == "vit" else of_tutorial(name)
    size = checkpoint.config.img_size
    generator = torch.Generator().manual_seed(0)
    one = torch.randint(0, 256, (1, 3, *size), dtype=torch.uint8, generator=generator)
    inputs = checkpoint.normalize(one)
    same = head_factors(checkpoint, one.expand(2, -1, -1, -1))
    other = head_factors(checkpoint, torch.randint(0, 256, (8, 3, *size), dtype=torch.uint8, generator=generator))
    with torch.inference_mode():
        logits = checkpoint.network(inputs)
        fixed = checkpoint.network(inputs, None, with_mean_query(checkpoint.network, same, inputs))
        changed = checkpoint.network(inputs, None, with_mean_query(checkpoint.network, other, inputs))
    torch.testing.assert_close(fixed, logits, rtol=1e-4, atol=1e-5)
    assert (changed - logits).abs().max() > 1e-5


def test_progress_counts_two_passes_of_each_image():
    seen = []
    head_factors(tiny.checkpoint(), images(), lambda done, total: seen.append((done, total)))
    assert {total for _, total in seen} == {2 * B}
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_models_and_images_without_parts_are_refused():
    with pytest.raises(ValueError, match="at least 2"):
        head_factors(tiny.checkpoint(), images(1))
    biased = replace(tiny.CONFIG, rel_pos_bias=True)
    with pytest.raises(ValueError, match="relative position bias"):
        head_factors(tiny.checkpoint(biased), images())


def test_the_library_takes_images_of_any_kind():
    checkpoint = tiny.checkpoint()
    pixels = [tiny.pixels(seed=seed) for seed in range(B)]
    np.testing.assert_array_equal(
        vitviz.head_factors(checkpoint, pixels).shares, head_factors(checkpoint, images()).shares
    )


@pytest.mark.parametrize("name", CONFIGS)
def test_the_parts_sum_to_the_scores_whose_softmax_is_the_attention(name):
    checkpoint = tiny.checkpoint(CONFIGS[name])
    factors = head_factors(checkpoint, images())
    context = ForwardContext(checkpoint, checkpoint.normalize(images())[2])
    R = context.prefix
    for layer, head, query in ((0, 0, ()), (1, 1, (3,)), (tiny.L - 1, 0, (0, 5, 6))):
        found = score_parts(context, factors, layer, head, query)
        np.testing.assert_allclose(found.parts.sum(0), found.scores, atol=1e-5)
        asked = [R + patch for patch in query] or ([0] if R else list(range(tiny.GH * tiny.GW)))
        if len(asked) == 1:
            weights = context.attention[layer, head, asked[0], R:]
            by_score = np.exp(found.scores) / np.exp(found.scores).sum()
            np.testing.assert_allclose(by_score, weights / weights.sum(), atol=1e-5)
        assert len(found.names) == len(found.parts) == 4


def test_the_shares_are_the_mean_products_of_the_parts():
    checkpoint = tiny.checkpoint()
    factors = head_factors(checkpoint, images())
    parts, class_parts = [], []
    for image in checkpoint.normalize(images()):
        context = ForwardContext(checkpoint, image)
        parts += [score_parts(context, factors, 1, 0, (patch,)) for patch in range(tiny.GH * tiny.GW)]
        class_parts.append(score_parts(context, factors, 1, 0))
    for found, expected in (
        (parts, [getattr(factors, name)[1, 0] for name in ("position", "content", "same_for_all", "rest")]),
        (class_parts, factors.class_shares[1, 0].ravel()),
    ):
        total = np.mean([one.scores**2 for one in found])
        shares = np.mean([one.parts * one.scores for one in found], (0, 2)) / total
        np.testing.assert_allclose(shares, expected, atol=1e-4)


def test_a_head_that_does_not_exist_and_removed_patches_are_refused():
    checkpoint = tiny.checkpoint()
    factors = head_factors(checkpoint, images())
    image = checkpoint.normalize(images())[0]
    context = ForwardContext(checkpoint, image)
    for field, at in (("layer", (tiny.L, 0)), ("head", (0, tiny.A)), ("query", (0, 0, (99,)))):
        with pytest.raises(ConfigError, match=f"^{field} must"):
            score_parts(context, factors, *at)
    with pytest.raises(ConfigError, match="must keep all patches"):
        score_parts(ForwardContext(checkpoint, image, torch.arange(1, 20)), factors, 0, 0)
