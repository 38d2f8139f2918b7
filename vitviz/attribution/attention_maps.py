"""Maps over the patches of one image, computed from its attention alone.

The functions take the attention of all layers and heads, (L, A, T, T), queries before keys, each row of sum 1; the
weights of the queries, (T,), of sum 1: 1 for the class token, or in a model without one the same for all patches; and
the number of prefix tokens (R). Ablated heads are NaN and are left out of means over heads. The functions return one
value per patch, (N,), unscaled; their docstrings give its meaning.
"""

import warnings

import numpy as np
from numpy.typing import NDArray

Attention = NDArray[np.float32]
Weights = NDArray[np.float32]


def mean_over_heads(attention: Attention, axis: int | tuple[int, ...]) -> Attention:
    """Mean over axes of layers and heads without ablated heads (NaN); 0 where all are ablated."""
    if not np.isnan(attention).any():
        return np.asarray(attention.mean(axis))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the mean of no heads
        return np.nan_to_num(np.nanmean(attention, axis))


def last_layer_attention(attention: Attention, query_weights: Weights, prefix: int) -> NDArray[np.float32]:
    """Attention of the class token in the last layer, mean over heads: mean_h A[L, h, 0, j].

    Returns:
        Attention weights in 0..1, (N,). Their sum is 1 minus the attention to the prefix tokens.
    """
    return (query_weights @ mean_over_heads(attention[-1], 0))[prefix:]


def average_attention(attention: Attention, query_weights: Weights, prefix: int) -> NDArray[np.float32]:
    """Attention of the class token, mean over layers and heads; range and sum as `last_layer_attention`."""
    return (query_weights @ mean_over_heads(attention, (0, 1)))[prefix:]


def rollout(attention: Attention, query_weights: Weights, prefix: int) -> NDArray[np.float32]:
    """Attention rollout (Abnar & Zuidema 2020, arXiv 2005.00928, section 3), with equal weight for the residual.

    X = (I + mean_h A) / 2 @ X layer by layer, starting from X = I; the map is the class token's row of the last X. Only
    this row is needed, so it is propagated from the last layer to the first as a vector. A layer without heads (all of
    them ablated) leaves it unchanged.

    Returns:
        Weights in 0..1, (N,). Their sum is 1 minus the weight of the prefix tokens.
    """
    row: Weights = query_weights  # (T,)
    for layer in attention[::-1]:
        if not np.isnan(layer).all():
            row = ((row + row @ mean_over_heads(layer, 0)) / 2).astype(np.float32)  # (T,)
    return row[prefix:]


def reverse_attention(attention: Attention, query_weights: Weights, prefix: int) -> NDArray[np.float32]:
    """Attention of each patch to the class token in the last layer, mean over heads: mean_h A[L, h, j, 0].

    Returns:
        Attention weights in 0..1, (N,); they have no fixed sum.
    """
    return (mean_over_heads(attention[-1], 0) @ query_weights)[prefix:]


def value_norm(
    attention: Attention, value_norms: NDArray[np.float32], query_weights: Weights, prefix: int
) -> NDArray[np.float32]:
    """Attention weight times the norm of the projected value (Kobayashi et al. 2020, arXiv 2004.10102, section 3).

    |A[l, h, 0, j] v_j W_O|, mean over layers and heads. A large weight on a value of norm 0 contributes nothing;
    neither does an ablated head.

    Args:
        attention: (L, A, T, T).
        value_norms: Norm of each token's value after the head's part of the output projection, (L, A, T).
        query_weights: Weights of the queries, (T,).
        prefix: Number of prefix tokens (R).

    Returns:
        At least 0, in the units of the tokens, (N,).
    """
    rows = np.nan_to_num(query_weights @ attention) * value_norms  # (L, A, T)
    return rows[..., prefix:].mean((0, 1))
