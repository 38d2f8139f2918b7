"""Attention distance and entropy against closed forms, and against loops over the formulas."""

import math

import numpy as np
import pytest

from tests import tiny
from tests.tutorials import network
from vitviz.models import attention_stats
from vitviz.models.config import ViTConfig

GW, N, T, A, L = tiny.GW, tiny.N, tiny.T, tiny.A, tiny.L
GRIDS = {"small": ViTConfig(), "large": ViTConfig(img_size=(224, 224), patch_size=16), "non-square": tiny.CONFIG}


@pytest.mark.parametrize(("grid", "pixels"), [("small", 16.54593084562152), ("large", 116.49222709176637)])
def test_the_distance_of_uniform_attention_has_its_closed_form(grid, pixels):
    config = GRIDS[grid]
    uniform = np.full((1, 1, 1, config.num_tokens, config.num_tokens), 1 / config.num_tokens)
    distance = attention_stats.attention_distance(tiny.attention_output(uniform), config)
    assert distance.item() == pytest.approx(pixels, abs=1e-9)
    assert attention_stats.patch_distances(config).mean().item() == pytest.approx(pixels, abs=1e-9)


@pytest.mark.parametrize("grid", GRIDS)
def test_attention_of_each_patch_to_itself_has_distance_zero(grid):
    config = GRIDS[grid]
    output = tiny.attention_output(np.eye(config.num_tokens)[None, None, None])
    assert attention_stats.attention_distance(output, config).item() == 0


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize(("down", "right"), [(0, 1), (1, 0)])
def test_attention_to_the_neighbor_has_a_distance_of_one_patch_except_at_the_edge(grid, down, right):
    config = GRIDS[grid]
    gh, gw = config.grid_size
    attention = np.zeros((config.num_tokens, config.num_tokens))
    attention[0, 0] = 1
    for r, c in np.ndindex(gh, gw):
        attention[1 + r * gw + c, 1 + min(r + down, gh - 1) * gw + min(c + right, gw - 1)] = 1
    side = gw if right else gh
    expected = config.patch_size * (side - 1) / side
    distance = attention_stats.attention_distance(tiny.attention_output(attention[None, None, None]), config)
    assert distance.item() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("variant", ["plain", "two registers"])
def test_distance_equals_a_loop_over_all_pairs_of_patches(variant):
    config = tiny.VARIANTS[variant]
    output = tiny.random_output(config.num_prefix_tokens)
    distance = attention_stats.attention_distance(output, config)
    assert distance.shape == (L, A)
    for layer, head in [(0, 1), (4, 0), (L - 1, 1)]:
        total = 0.0
        for image in range(3):
            rows = output.attention[layer, image, head, config.num_prefix_tokens :, config.num_prefix_tokens :].numpy()
            for i in range(N):
                row = sum(p * 4 * math.hypot(i // GW - j // GW, i % GW - j % GW) for j, p in enumerate(rows[i]))
                total += row / rows[i].sum() / (3 * N)
        assert distance[layer, head].item() == pytest.approx(total, abs=1e-9)


def test_a_patch_without_attention_to_patches_has_distance_zero():
    attention = np.zeros((1, 1, 1, T, T))
    attention[..., 0] = 1
    assert attention_stats.attention_distance(tiny.attention_output(attention), tiny.CONFIG).item() == 0


def test_the_distance_of_strips_is_that_of_their_pixels():
    config = network("tutorial-scratch").config
    distances = attention_stats.patch_distances(config).view(12, 5, 12, 5)  # strips of 1 x 4 pixels
    assert distances[0, 0, 0, 1] == 4
    assert distances[0, 0, 3, 0] == 3
    assert distances[2, 1, 5, 2] == 5


def test_entropy_of_uniform_attention_is_ln_t_and_of_one_token_zero():
    attention = np.zeros((2, 3, 4, T, T))
    attention[0, :, :, 0] = 1 / T
    attention[1, :, :, 0, 5] = 1
    nats, effective = attention_stats.attention_entropy(tiny.attention_output(attention), tiny.CONFIG)
    np.testing.assert_allclose(nats, np.log([[T] * 4, [1] * 4]), rtol=0, atol=1e-12)
    np.testing.assert_allclose(effective, [[T] * 4, [1] * 4], rtol=0, atol=1e-9)


def test_the_blocks_of_a_vit_b16_take_17_billion_multiply_accumulates():
    config = ViTConfig(img_size=(224, 224), patch_size=16, embed_dim=768, depth=12, num_heads=12, mlp_ratio=4)
    assert attention_stats.forward_macs(config) == 17_447_454_720


def test_statistics_of_patches_refuse_an_output_with_class_token_rows_only():
    output = tiny.model().forward_with_attention(tiny.images())
    with pytest.raises(ValueError, match="needs full attention and tokens"):
        attention_stats.attention_distance(output, tiny.CONFIG)
