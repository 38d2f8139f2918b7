"""Class-specific maps from gradients that keep track of what sums to the logit, and from gradients layer by layer.

Balanced gradients and AttnLRP run an ordinary forward and backward pass by other rules for single operations
(`vitviz.models.backward`); the map is input times gradient. The functions return one unscaled value per patch, (N,).
"""

import numpy as np
import torch
from numpy.typing import NDArray

from vitviz.attribution.context import ForwardContext, Target, target_logit
from vitviz.models.backward import RuleSet, as_leaf
from vitviz.models.modes import own_modes

Array = NDArray[np.float32]


def balanced_gradients(context: ForwardContext, target: Target) -> Array:
    """Balanced input times gradient, mean over layers (LibraGrad, Mehri et al. 2025, arXiv 2411.16760, section 4).

    In the backward pass, the standard deviation of LayerNorm, the factor Phi of GELU and the attention weights are
    constants, and so are the gates of a gated MLP. The products of the tokens of any layer and of all later biases then
    sum to the logit. This map is the mean over the inputs of all blocks; `balanced_pixels` is that of the image.

    Returns:
        In logits, of either sign, (N,).
    """
    return mean_over_layers(context, target, "balanced")


def balanced_pixels(context: ForwardContext, target: Target) -> Array:
    """Balanced input times gradient of the normalized pixels, in logits, (H, W); see `balanced_gradients`."""
    return context.input_times_gradient(target, "balanced").pixels


def attn_lrp(context: ForwardContext, target: Target) -> Array:
    """AttnLRP with the epsilon rule, mean over layers (Achtibat et al. 2024, arXiv 2402.05602, section 3).

    As input times gradient (Arras et al. 2025, arXiv 2502.15886): LayerNorm and GELU as in `balanced_gradients`; each
    product of two activations (queries and keys, attention weights and values) passes half of the gradient to both;
    the softmax keeps its own gradient.

    Returns:
        In logits, of either sign, (N,).
    """
    return mean_over_layers(context, target, "attn_lrp")


def attn_lrp_pixels(context: ForwardContext, target: Target) -> Array:
    """AttnLRP of the normalized pixels, in logits, (H, W); see `attn_lrp`."""
    return context.input_times_gradient(target, "attn_lrp").pixels


def mean_over_layers(context: ForwardContext, target: Target, rules: RuleSet) -> Array:
    """Mean over the blocks' inputs of input times gradient, (N,)."""
    found: Array = context.input_times_gradient(target, rules).layers[:, context.prefix :].mean(0)
    return found


def legrad(context: ForwardContext, target: Target) -> Array:
    """LeGrad (Bousselham et al. 2025 (ICCV), arXiv 2404.03214, section 3.2).

    s_l is the logit that the classification head gives for the output of block l. The map is the sum over the layers of
    (d s_l / d A[l])+, mean over heads and queries.

    Returns:
        At least 0, (N,).
    """
    context.require_attention("LeGrad")
    model, tokens, keep = context.model, context.output.layer_tokens, context.batched_keep(1)
    total = torch.zeros_like(tokens[0][0, :, 0])  # (T,)
    with own_modes():
        for layer, x in enumerate(tokens[:-1]):
            intervention = context.interventions[layer] if context.interventions else None
            output, weights = model.run_block(layer, as_leaf(x), keep, intervention)  # (1, T, D), (1, A, T, T)
            logit = target_logit(model.forward_head(output), target).sum()
            (grad,) = torch.autograd.grad(logit, weights)  # (1, A, T, T)
            total = total + grad[0].clamp(min=0).mean((0, 1))
    return context.expand_tokens(total.float().cpu().numpy(), axes=(0,))[context.prefix :]
