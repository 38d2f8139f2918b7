"""Attention of one image -> maps over its patches.

Each method is a function of the attention of all layers and heads, (L, A, T, T), queries before keys, each row of sum
1, and of who asks: weights of the tokens, (T,), of sum 1, which are 1 for the class token, or in a model without one
the same for all patches. It returns one number for each patch, (N,). Nothing is scaled here: what a number means stands
in the docstring.
"""

import numpy as np
from numpy.typing import NDArray

Attention = NDArray[np.float32]
Weights = NDArray[np.float32]


def last_layer_attention(attention: Attention, asking: Weights, prefix: int) -> NDArray[np.float32]:
    """The class token's row of the last layer, mean of heads: mean_h A[L, h, 0, j].

    Args:
        attention: (L, A, T, T).
        asking: Who asks, (T,).
        prefix: Tokens before the first patch (R).

    Returns:
        Shares of attention in 0..1, (N,). Their sum is 1 less what goes to the prefix tokens.
    """
    return (asking @ attention[-1].mean(0))[prefix:]


def average_attention(attention: Attention, asking: Weights, prefix: int) -> NDArray[np.float32]:
    """The class token's row, mean of all layers and heads; arguments, range and sum as in `last_layer_attention`."""
    return (asking @ attention.mean((0, 1)))[prefix:]


def rollout(attention: Attention, asking: Weights, prefix: int) -> NDArray[np.float32]:
    """Attention rollout (Abnar & Zuidema 2020, arXiv 2005.00928, section 3), with equal weight for the residual.

    Layer by layer X = (I + mean_h A) / 2 @ X, starting from X = I; the map is the class token's row of the last X. Only
    this row is needed, so it is carried from the last layer to the first as a vector.

    Args:
        attention: (L, A, T, T).
        asking: Who asks, (T,).
        prefix: Tokens before the first patch (R).

    Returns:
        Shares in 0..1, (N,). Their sum is 1 less what ends at the prefix tokens.
    """
    row = asking  # (T,)
    for layer in attention[::-1].mean(1):
        row = (row + row @ layer) / 2  # (T,)
    return row[prefix:]


def reverse_attention(attention: Attention, asking: Weights, prefix: int) -> NDArray[np.float32]:
    """How much each patch looks at the class token in the last layer, mean of heads: mean_h A[L, h, j, 0].

    Args:
        attention: (L, A, T, T).
        asking: Who asks, (T,).
        prefix: Tokens before the first patch (R).

    Returns:
        Shares of each patch's attention in 0..1, (N,); they have no fixed sum.
    """
    return (attention[-1].mean(0) @ asking)[prefix:]


def value_norm(
    attention: Attention, value_norms: NDArray[np.float32], asking: Weights, prefix: int
) -> NDArray[np.float32]:
    """Attention times the length of what it carries (Kobayashi et al. 2020, arXiv 2004.10102, section 3).

    For each head the length of A[l, h, 0, j] v_j W_O, mean of all layers and heads. A large weight on an empty value
    counts for nothing.

    Args:
        attention: (L, A, T, T).
        value_norms: Length of each token's value through its head's part of the projection, (L, A, T).
        asking: Who asks, (T,).
        prefix: Tokens before the first patch (R).

    Returns:
        At least 0, in the units of the tokens, (N,).
    """
    rows = (asking @ attention) * value_norms  # (L, A, T)
    return rows[..., prefix:].mean((0, 1))
