"""Direct contributions: the logit of a class as a sum over embedding, heads, tokens, MLPs and biases, exactly.

The residual stream of a ViT is a sum of what each layer writes into it, and the classification head reads the stream
linearly once the standard deviation of the final norm is fixed. So the logit is a sum of what each part wrote (Elhage
et al. 2021, "A Mathematical Framework for Transformer Circuits"; for ViTs Gandelsman et al. 2024, arXiv 2310.05916,
section 3).
"""

from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vitviz.attribution.context import ForwardContext, Target, target_logit
from vitviz.models.backward import DirectPaths, forward_direct

Array = NDArray[np.float32]


@dataclass(frozen=True)
class Contributions:
    """Direct contributions to the logit of a class, or to a difference of two logits; all values in logits.

    They state which parts write the prediction into the tokens that the classification head reads. They do not show
    what an image region caused: early layers also act through later ones, and those effects are counted at the later
    layers.

    Attributes:
        embedding: Of the input of the first block (patch, position and prefix embeddings) at the tokens that are read.
        heads: Of what each head moved from each token, (L, A, T); 0 for ablated heads and removed patches.
        attention_bias: Of the output bias of each attention layer and of replaced heads, (L,).
        mlp: Of each MLP, its bias included, (L,).
        bias: Of the biases of the final norm, the pooling and the classification head.
        logit: The explained logit, or difference of logits, as the network computes it.
    """

    embedding: float
    heads: Array
    attention_bias: Array
    mlp: Array
    bias: float
    logit: float

    @property
    def attention(self) -> Array:
        """Contribution of each attention layer, its bias included, (L,)."""
        return cast(Array, self.heads.sum((1, 2)) + self.attention_bias)

    @property
    def total(self) -> float:
        """Sum of all contributions, which equals `logit` up to rounding."""
        parts = (self.heads, self.attention_bias, self.mlp)
        return self.embedding + self.bias + float(sum(part.sum(dtype=np.float64) for part in parts))


def contributions(context: ForwardContext, target: Target) -> Contributions:
    """Decompose the logit of a target; one forward pass, and a backward pass along the residual stream alone.

    y = b + sum_t u_t . x_t over the tokens t that the head reads, where u_t is the balanced gradient of final norm,
    pooling and head: the standard deviation and the attention of the pooling are constants. x_t is the sum of the
    embedding, of A[l, h, t, j] v[l, h, j] W_O[l, h] over layers, heads and tokens j, of the output biases, and of the
    MLPs.

    Raises:
        CapturedModelError: If the model is captured.
        ValueError: If the model has no classification head.
    """
    context.require_blocks("contributions")
    config = context.config
    if not config.num_classes:
        name = context.checkpoint.name
        raise ValueError(f"Contributions explain a logit: {name} has no classification head. Use a model with one.")
    image, keep = context.image[None], context.batched_keep(1)
    logit = partial(target_logit, target=target)
    paths = forward_direct(context.model, image, keep, context.interventions, logit, context.layered)
    with torch.inference_mode():
        heads = [head_contributions(context, paths, layer) for layer in range(config.depth)]
        replaced = [ablated_contribution(context, layer, grad) for layer, grad in enumerate(paths.head_grads)]
    return Contributions(
        paths.embedding,
        context.expand_tokens(torch.stack(heads).float().cpu().numpy(), axes=(2,)),
        np.add(paths.attention_bias, replaced, dtype=np.float32),
        np.array(paths.mlp, np.float32),
        paths.bias,
        paths.logit,
    )


def head_contributions(context: ForwardContext, paths: DirectPaths, layer: int) -> Tensor:
    """Return the contributions of what a layer's heads moved from each token, (A, T)."""
    weights, grad = paths.attention[layer], paths.head_grads[layer][0]
    Q = min(weights.shape[1], grad.shape[1])
    products = grad[:, :Q] @ paths.values[layer][0].mT  # (A, Q, T)
    mask = (context.interventions or [None] * context.config.depth)[layer]
    found = (weights[:, :Q].to(products) * products).sum(1)  # (A, T)
    return found if mask is None else found * mask.keep[:, None]


def ablated_contribution(context: ForwardContext, layer: int, grad: Tensor) -> float:
    """Return the contribution of the replaced outputs of a layer's ablated heads, given `grad`, (1, A, T, d)."""
    mask = (context.interventions or [None] * context.config.depth)[layer]
    if mask is None:
        return 0.0
    return float((grad[0].sum(1) * mask.replacement * (1 - mask.keep)[:, None]).sum())


def direct_contributions(context: ForwardContext, target: Target) -> Array:
    """Sum of the direct contributions of a patch over all layers and heads, in logits, (N,); see `contributions`."""
    found: Array = contributions(context, target).heads.sum((0, 1), dtype=np.float32)[context.prefix :]
    return found
