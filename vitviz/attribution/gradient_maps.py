"""Class-specific maps over the patches, computed from attention and its gradients.

The gradients are those of the target's logit with respect to the attention weights after the softmax, layer by layer.
The functions take the attention A and its gradients G, (L, A, T, T), the weights of the tokens that the classification
head reads, (T,), of sum 1, and the number of prefix tokens. They return one unscaled value per patch, (N,).
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


def gradient_rollout(attention: Array, grads: Array, readout_weights: Array, prefix: int) -> Array:
    """Rollout of attention weighted by its gradient (Gildenblat 2020, after Abnar & Zuidema 2020, arXiv 2005.00928).

    X = norm(I + (mean_h A * G)+) @ X layer by layer, where norm divides each row by its sum.

    Returns:
        Weights in 0..1, (N,). Their sum is 1 minus the weight of the prefix tokens.
    """
    row = readout_weights
    for weights, grad in zip(attention[::-1], grads[::-1], strict=True):
        step = np.maximum((weights * grad).mean(0), 0) + np.eye(len(row), dtype=np.float32)  # (T, T)
        row = row @ (step / step.sum(1, keepdims=True))  # (T,)
    return row[prefix:]


def relevance(attention: Array, grads: Array, readout_weights: Array, prefix: int) -> Array:
    """Relevance of Chefer et al. 2021 (ICCV, arXiv 2103.15679, section 3.1, equations 5 and 6).

    R = I, then R = R + mean_h (G * A)+ @ R layer by layer; the map is the row of R that the classification head reads.

    Returns:
        At least 0, (N,); comparable within one image and class only.
    """
    row = readout_weights
    for weights, grad in zip(attention[::-1], grads[::-1], strict=True):
        row = row + row @ np.maximum(weights * grad, 0).mean(0)  # (T,)
    return row[prefix:]


def attention_gradcam(attention: Array, grads: Array, readout_weights: Array, prefix: int) -> Array:
    """Grad-CAM on the last layer's attention (Selvaraju et al. 2017, arXiv 1610.02391, as used by Chefer et al. 2021).

    The rows that the classification head reads are weighted, head by head, by the mean of their gradient over the
    patches; the positive part of the mean over heads is the map.

    Returns:
        (mean over heads of weight * row)+, at least 0, (N,).
    """
    rows = readout_weights @ attention[-1][..., prefix:]  # (A, N)
    grad_rows = (readout_weights > 0).astype(np.float32) @ grads[-1][..., prefix:]  # (A, N), of the rows that are read
    return np.maximum((grad_rows.mean(1, keepdims=True) * rows).mean(0), 0)
