"""Attention and its gradients -> class-specific maps over the patches.

The gradients are those of the chosen class's logit by the attention after the softmax, of the same layer and in the
order of the layers. Each function returns one number for each patch, (N,), and scales nothing.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


def gradient_rollout(attention: Array, gradient: Array, asked: Array, prefix: int) -> Array:
    """Rollout of attention weighed by its gradient (Gildenblat 2020, after Abnar & Zuidema 2020, arXiv 2005.00928).

    Layer by layer X = norm(I + (mean_h A * G)+) @ X, where norm makes each row's sum 1.

    Args:
        attention: (L, A, T, T).
        gradient: G, of the logit by `attention`, (L, A, T, T).
        asked: Weights of the tokens that the head reads, (T,), of sum 1.
        prefix: Tokens before the first patch (R).

    Returns:
        Shares in 0..1, (N,). Their sum is 1 less what ends at the prefix tokens.
    """
    row = asked
    for weights, slopes in zip(attention[::-1], gradient[::-1], strict=True):
        step = np.maximum((weights * slopes).mean(0), 0) + np.eye(len(row), dtype=np.float32)  # (T, T)
        row = row @ (step / step.sum(1, keepdims=True))  # (T,)
    return row[prefix:]


def relevance(attention: Array, gradient: Array, asked: Array, prefix: int) -> Array:
    """Relevance of Chefer et al. 2021 (ICCV, arXiv 2103.15679, section 3.1, equations 5 and 6).

    R = I, then layer by layer R = R + mean_h (G * A)+ @ R; the map is the row of R that the head reads.

    Args:
        attention: (L, A, T, T).
        gradient: G, of the logit by `attention`, (L, A, T, T).
        asked: Weights of the tokens that the head reads, (T,).
        prefix: Tokens before the first patch (R).

    Returns:
        At least 0, (N,); comparable within one image and class only.
    """
    row = asked
    for weights, slopes in zip(attention[::-1], gradient[::-1], strict=True):
        row = row + row @ np.maximum(weights * slopes, 0).mean(0)  # (T,)
    return row[prefix:]


def attention_gradcam(attention: Array, gradient: Array, asked: Array, prefix: int) -> Array:
    """Grad-CAM on the last layer's attention (Selvaraju et al. 2017, arXiv 1610.02391, as used by Chefer et al. 2021).

    Each head's row is weighed by the mean of its gradient over the patches; the weighted sum's positive part is kept.

    Args:
        attention: (L, A, T, T).
        gradient: Of the logit by `attention`, (L, A, T, T).
        asked: Weights of the tokens that the head reads, (T,).
        prefix: Tokens before the first patch (R).

    Returns:
        (sum over heads of weight * row)+ / A, at least 0, (N,).
    """
    rows = asked @ attention[-1][..., prefix:]  # (A, N)
    slopes = (asked > 0).astype(np.float32) @ gradient[-1][..., prefix:]  # (A, N), of the rows that the head reads
    return np.maximum((slopes.mean(1, keepdims=True) * rows).mean(0), 0)
