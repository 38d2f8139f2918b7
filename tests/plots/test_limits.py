"""Limits of the shared scales."""

import numpy as np
import pytest
from numpy.typing import NDArray

from vitviz.plots.scales import clip_limit, limit_queries, limits_of_rows, round_limit, spread_patches

L, A, R, N = 3, 2, 1, 20


def uniform_attention() -> NDArray[np.float32]:
    return np.full((L, A, R + N, R + N), 1 / (R + N), np.float32)


def test_heads_and_means_have_their_own_limits() -> None:
    attention = uniform_attention()
    attention[1, 0, :, R:] = 0
    attention[1, 0, :, R + 7] = 0.6  # one head of six attends to a single patch: 1 in 120 weights, which is clipped
    attention[0, 1, :, R : R + 5] = 0.2
    limits = limits_of_rows(attention[:, :, [0, *limit_queries(R + N, R)], R:])
    assert limits["heads"] == 0.2  # 6 of 120 weights are 0.2 or more, so the limit of 2 % is among them
    assert limits["means"] == pytest.approx(0.1)  # of two heads, one of which attends with 0.2, another with 0.05


def test_the_limit_is_the_rounded_98_percent_quantile() -> None:
    assert clip_limit(np.arange(1000, dtype=np.float32)) == 1000  # 980
    assert clip_limit(np.append(np.full(98, 0.03), [0.9, 0.9]).astype(np.float32)) == pytest.approx(0.9, abs=0.11)
    assert clip_limit(np.append(np.full(99, 0.03), [0.9]).astype(np.float32)) == pytest.approx(0.02)


def test_limits_are_rounded_to_numbers_whose_quarters_are_short() -> None:
    assert [round_limit(value) for value in (0.032, 0.051, 0.0127, 0.17)] == pytest.approx([0.04, 0.06, 0.01, 0.2])


def test_spread_patches_are_distinct_and_exist() -> None:
    assert spread_patches(64, 8) == [4, 12, 20, 28, 36, 44, 52, 60]
    assert spread_patches(4, 8) == [0, 1, 2, 3]
