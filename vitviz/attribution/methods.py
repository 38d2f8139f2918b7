"""All attribution methods by name: what each shows, what it does not, and how it is computed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray

from vitviz.attribution import (
    attention_maps,
    coalition_maps,
    contributions,
    gradient_maps,
    perturbation_maps,
    propagation_maps,
)
from vitviz.attribution.context import ForwardContext, Target
from vitviz.models.config import ViTConfig

Array = NDArray[np.float32]
Compute = Callable[[ForwardContext, Target], Array]


class Text(NamedTuple):
    """Description of a method for models without class token; see `Method`."""

    about: str
    formula: str


@dataclass(frozen=True)
class Method:
    """An attribution method: one map over the patches of an image.

    Attributes:
        title: Its name on the page and in figures.
        about: What it shows, and what it does not, in two or three sentences.
        formula: One line; the function's docstring defines the letters.
        source: Paper and section.
        compute: Function of a context and a target, which class-agnostic methods ignore -> (N,).
        text_without_class_token: Description for models without one, where it differs.
        is_attention: Whether its values are attention weights.
        class_specific: Whether it explains a target class.
        signed: Whether its values may be negative, as evidence against the class.
        instant: Whether it needs the attention alone and no further forward pass.
        many_passes: Whether it takes about as many forward passes as there are patches.
        on_request: Whether it takes so many forward passes that it is computed only when it is requested by name; then
            `compute` also takes a `progress`, see `vitviz.attribution.coalition_maps`.
        pixels: Function of a context and a target -> (H, W), the same per pixel; None if there is none.
        full_attention: Whether it needs the attention between all tokens and its gradients at once, which large models
            do not hold.
        of_class_token: Whether it follows the attention of the class token, whatever the head reads.
        is_direction: Whether the page shows it for each head as a direction of attention, so that its lists leave it
            out; it needs a class token.
        is_first: Whether the page shows it before the others, one of each kind.
        of_blocks: Whether it needs the tokens or values of the blocks, which are not known of captured models.
        of_texts: Whether it needs classes that are texts, as of a zero-shot head; its values are cosines.
    """

    title: str
    about: str
    formula: str
    source: str
    compute: Callable[..., Array]
    text_without_class_token: Text | None = None
    is_attention: bool = False
    class_specific: bool = False
    signed: bool = False
    instant: bool = False
    many_passes: bool = False
    on_request: bool = False
    pixels: Callable[[ForwardContext, Target], Array] | None = None
    full_attention: bool = False
    of_class_token: bool = False
    is_direction: bool = False
    is_first: bool = False
    of_blocks: bool = False
    of_texts: bool = False

    @property
    def unit(self) -> Literal["weights", "logits", "relative", "cosine"]:
        """Unit of its values, for a scale: attention weights, logits, cosines, or relative to the largest patch."""
        if self.is_attention:
            return "weights"
        if self.of_texts:
            return "cosine"
        return "logits" if self.signed else "relative"


def readout_weights(context: ForwardContext) -> Array:
    """Weights of the tokens that the classification head reads, (T,), of sum 1.

    The class token (and the distillation token, equally), all patches equally, half of each if the head reads both, or
    the weights of attention pooling, mean over its heads.
    """
    config = context.config
    if context.pool_attention is not None:
        return np.asarray(context.pool_attention.mean(0), np.float32)
    if config.distilled:
        return np.where(np.arange(config.num_tokens) < 2, np.float32(0.5), np.float32(0))
    if config.global_pool == "token_avg":
        return ((token_weights(context, True) + token_weights(context, False)) / 2).astype(np.float32)
    return token_weights(context, config.global_pool == "token")


def query_weights(context: ForwardContext) -> Array:
    """Weights of the queries whose attention is shown, (T,): the class token, or without one all patches equally."""
    return token_weights(context, context.config.class_token)


def token_weights(context: ForwardContext, class_token: bool) -> Array:
    """1 for the class token, or equal weights for the patches that are not removed, of sum 1, (T,)."""
    if class_token:
        return np.eye(1, context.config.num_tokens, dtype=np.float32)[0]
    patches = context.kept_tokens & (np.arange(context.config.num_tokens) >= context.prefix)
    return (patches / patches.sum()).astype(np.float32)


def from_attention(compute: Callable[[Array, Array, int], Array]) -> Callable[[ForwardContext, Target], Array]:
    """A method that needs the attention alone."""
    return lambda context, target: compute(context.attention, query_weights(context), context.prefix)


def layer_by_layer(compute: Compute, layered: Compute) -> Compute:
    """A method with another implementation for models whose full attention is not held at once."""
    return lambda context, target: (compute if context.layered is None else layered)(context, target)


def query_rows(context: ForwardContext) -> Array:
    """Attention of the default query, (L, A, T), without holding the full attention; ablated heads are NaN."""
    return context.rows(np.flatnonzero(query_weights(context)).tolist())


def last_layer_rows(context: ForwardContext, target: Target) -> Array:
    """`attention_maps.last_layer_attention`, from the rows of the query."""
    return attention_maps.mean_over_heads(query_rows(context)[-1], 0)[context.prefix :]


def average_rows(context: ForwardContext, target: Target) -> Array:
    """`attention_maps.average_attention`, from the rows of the query."""
    return attention_maps.mean_over_heads(query_rows(context), (0, 1))[context.prefix :]


def layered_rollout(context: ForwardContext, target: Target) -> Array:
    """`attention_maps.rollout`, one layer at a time."""
    row = query_weights(context)  # (T,)
    for layer in reversed(range(context.config.depth)):
        if (mean := context.mean_over_heads(layer)).any():  # not with all heads ablated
            row = ((row + row @ mean) / 2).astype(np.float32)
    return row[context.prefix :]


def from_gradients(compute: Callable[[Array, Array, Array, int], Array]) -> Callable[[ForwardContext, Target], Array]:
    """A method that needs the attention and its gradients."""

    def computed(context: ForwardContext, target: Target) -> Array:
        grads = context.gradients(target).attention
        attention = np.nan_to_num(context.attention) if context.ablated_heads else context.attention
        return compute(attention, grads, readout_weights(context), context.prefix)

    return computed


def reverse_attention(context: ForwardContext, target: Target) -> Array:
    """Attention of each patch to the class token; see `attention_maps.reverse_attention`.

    Raises:
        ValueError: If the model has no class token.
    """
    if not context.config.class_token:
        raise ValueError(
            f"reverse_attention needs a class token: {context.checkpoint.name} has none. Use average, the mean of all "
            "patches' attention."
        )
    if context.layered is not None:
        return attention_maps.mean_over_heads(context.rows([0], "to")[-1], 0)[context.prefix :]
    return attention_maps.reverse_attention(context.attention, query_weights(context), context.prefix)


def value_norm(context: ForwardContext, target: Target) -> Array:
    """Attention weighted by the norm of the projected values; see `attention_maps.value_norm`."""
    if context.layered is not None:
        rows = np.nan_to_num(query_rows(context)) * context.value_norms  # (L, A, T)
        return np.asarray(rows[..., context.prefix :].mean((0, 1)))
    return attention_maps.value_norm(context.attention, context.value_norms, query_weights(context), context.prefix)


@torch.inference_mode()
def text_similarity(context: ForwardContext, target: Target) -> Array:
    """Cosine similarity of the text of a class with each patch, in the space of image and text embeddings, (N,).

    A patch's embedding is that of an image whose tokens are all the last layer's token of this patch: the final norm of
    the class token's place or of the mean, or the attention pooling, whose weights do not matter then, and the
    projection. In -1..1, 0 for removed patches; of a contrast the difference of both texts, in -2..2.

    As in MaskCLIP (Zhou, Loy & Dai 2022, arXiv 2112.01071), the projection into the space of the texts is applied to
    each patch. MaskCLIP also changes the last attention layer, where a patch passes its own value (value and output
    projection) in place of the mixture by attention weights; here it is left as it is.
    """
    tokens = context.output.layer_tokens[-1][0, context.prefix :]  # (n, D), without removed patches
    alone = tokens[:, None].expand(-1, context.prefix + 1, -1)  # (n, R + 1, D)
    patches = F.normalize(context.model.forward_head(alone, pre_logits=True).float(), dim=-1)  # (n, E)
    texts = F.normalize(context.model.get_parameter("head.weight").float(), dim=-1)  # (K, E)
    weights = texts[target[0]] - texts[target[1]] if isinstance(target, tuple) else texts[target]
    found = np.zeros(context.config.num_patches, np.float32)
    found[context.kept_tokens[context.prefix :]] = (patches @ weights).cpu().numpy()
    limit = 2 if isinstance(target, tuple) else 1
    return found.clip(-limit, limit)


METHODS: dict[str, Method] = {
    "attention": Method(
        "Last layer",
        "What the class token attends to in the last layer, mean over heads. It does not show which patches those "
        "tokens took their content from.",
        "mean over heads of A[last, h, class token, j]",
        "Caron et al. 2021, arXiv 2104.14294, figure 1",
        layer_by_layer(from_attention(attention_maps.last_layer_attention), last_layer_rows),
        Text(
            "What the patches attend to in the last layer, mean over patches and heads. It does not show which "
            "patches those tokens took their content from.",
            "mean over heads and patches i of A[last, h, i, j]",
        ),
        is_attention=True,
        instant=True,
        of_class_token=True,
        is_first=True,
    ),
    "reverse_attention": Method(
        "Reverse",
        "Which patches attend to the class token in the last layer. It shows which patches read the class token, not "
        "what the class token contains.",
        "mean over heads of A[last, h, j, class token]",
        "a column of the attention; not an explanation from a paper",
        reverse_attention,
        instant=True,
        of_class_token=True,
        is_direction=True,
    ),
    "average": Method(
        "Average",
        "What the class token attends to, mean over all layers and heads. Early layers count as much as late ones.",
        "mean over layers and heads of A[l, h, class token, j]",
        "a plain mean; not an explanation from a paper",
        layer_by_layer(from_attention(attention_maps.average_attention), average_rows),
        Text(
            "What the patches attend to, mean over all patches, layers and heads. Early layers count as much as late "
            "ones.",
            "mean over layers, heads and patches i of A[l, h, i, j]",
        ),
        is_attention=True,
        instant=True,
        of_class_token=True,
    ),
    "rollout": Method(
        "Rollout",
        "Attention followed through all layers back to the patches, with half the weight on the residual connection. "
        "It ignores values, MLPs and signs.",
        "X = (I + mean over heads of A) / 2 X, layer by layer",
        "Abnar & Zuidema 2020, section 3",
        layer_by_layer(from_attention(attention_maps.rollout), layered_rollout),
        instant=True,
        of_class_token=True,
        is_first=True,
    ),
    "balanced_gradients": Method(
        "Balanced gradients",
        "Contribution of each patch to the logit, mean over all layers: token times gradient, where the gradient keeps "
        "account of the whole logit. Attention is taken as given: why a token attends to another one does not count.",
        "mean over layers of sum over channels of x[l, j] g[l, j]; g = d logit / d x with constant attention, "
        "LayerNorm deviation and GELU factor",
        "LibraGrad: Mehri et al. 2025 (CVPR), section 4",
        propagation_maps.balanced_gradients,
        class_specific=True,
        signed=True,
        pixels=propagation_maps.balanced_pixels,
        full_attention=True,
        is_first=True,
        of_blocks=True,
    ),
    "contributions": Method(
        "Contributions",
        "What the heads of all layers wrote about the class into the tokens that are read, by the patch they took it "
        "from. It does not show what early layers achieve through later ones, nor the part of the MLPs.",
        "sum over layers, heads and read tokens r of A[l, h, r, j] v_j W_O . u_r, u_r the direction that the "
        "classification head reads",
        "Elhage et al. 2021; Gandelsman et al. 2024, section 3",
        contributions.direct_contributions,
        class_specific=True,
        signed=True,
        full_attention=True,
        is_first=True,
        of_blocks=True,
    ),
    "gradient_rollout": Method(
        "Gradient rollout",
        "Rollout along the attention that increases the logit of the class. Which part of the product over layers is "
        "kept is a convention.",
        "X = norm(I + (mean over heads of A G)+) X, layer by layer",
        "Gildenblat 2020, after Abnar & Zuidema 2020",
        from_gradients(gradient_maps.gradient_rollout),
        class_specific=True,
        full_attention=True,
    ),
    "relevance": Method(
        "Relevance",
        "How much each patch increases the logit of the class along the attention paths of all layers. Values and "
        "MLPs enter through the gradients only, and evidence against the class is dropped.",
        "R = R + mean over heads of (A G)+ R, layer by layer",
        "Chefer et al. 2021 (ICCV), section 3.1",
        from_gradients(gradient_maps.relevance),
        class_specific=True,
        full_attention=True,
    ),
    "legrad": Method(
        "LeGrad",
        "How much more attention to each patch would increase the logit that each layer's output gives, summed over "
        "layers. A layer counts by what the classification head reads right after it, and evidence against the class "
        "is dropped.",
        "sum over layers of mean over heads and queries of (d s[l] / d A[l])+, s[l] the logit of layer l's output",
        "Bousselham et al. 2025 (ICCV), section 3.2",
        propagation_maps.legrad,
        class_specific=True,
        full_attention=True,
        of_blocks=True,
    ),
    "attn_lrp": Method(
        "AttnLRP",
        "Relevance of each patch, mean over all layers: token times gradient, where each product of two activations "
        "passes half of the gradient to both. Layer-wise relevance propagation is patented: its authors allow free use "
        "for personal and scientific purposes only.",
        "mean over layers of sum over channels of x[l, j] g[l, j]; g by the epsilon rules of AttnLRP",
        "Achtibat et al. 2024 (ICML), section 3",
        propagation_maps.attn_lrp,
        class_specific=True,
        signed=True,
        pixels=propagation_maps.attn_lrp_pixels,
        full_attention=True,
        of_blocks=True,
    ),
    "attention_gradcam": Method(
        "Grad-CAM",
        "The attention of the last layer's heads, weighted by how much each head supports the class. It covers one "
        "layer only, and is often empty where no head supports the class.",
        "(mean over heads of w_h A[last, h, r, j])+, w_h the mean gradient of row r; r is the row that the "
        "classification head reads: the class token's, or the mean of the patches'",
        "Selvaraju et al. 2017; Chefer et al. 2021",
        from_gradients(gradient_maps.attention_gradcam),
        class_specific=True,
        full_attention=True,
        is_first=True,
    ),
    "value_norm": Method(
        "Value norm",
        "Attention of the class token times the norm of the value that it moves, mean over all layers and heads. A "
        "patch can receive attention without contributing anything. The map is the same for every class.",
        "mean over layers and heads of | A[l, h, class token, j] v_j W_O |",
        "Kobayashi et al. 2020, section 3",
        value_norm,
        Text(
            "Attention of the patches times the norm of the value that it moves, mean over all patches, layers and "
            "heads. A patch can receive attention without contributing anything. The map is the same for every class.",
            "mean over layers, heads and patches i of | A[l, h, i, j] v_j W_O |",
        ),
        of_class_token=True,
        of_blocks=True,
    ),
    "input_gradient": Method(
        "Input gradient",
        "Where a small change of the pixels would change the logit most. This is sensitivity, not importance.",
        "sum over the patch of | d logit / d pixel |",
        "Simonyan et al. 2014, section 3",
        perturbation_maps.input_gradient,
        class_specific=True,
        pixels=perturbation_maps.input_gradient_pixels,
    ),
    "integrated_gradients": Method(
        "Integrated gradients",
        "Contribution of each patch to the logit along a straight path from an image of mean color. The path leads "
        "through unnatural images, and the baseline is a choice.",
        "sum over the patch of (x - x0) mean over the path of d logit / d x",
        "Sundararajan et al. 2017, section 3",
        perturbation_maps.integrated_gradients,
        class_specific=True,
        signed=True,
        many_passes=True,
    ),
    "occlusion": Method(
        "Occlusion",
        "Decrease of the logit when a single patch is painted in the mean color. Patches that can replace each other "
        "all appear unimportant.",
        "logit(x) - logit(x with patch j in the mean color)",
        "Zeiler & Fergus 2014, section 4.2",
        perturbation_maps.occlusion,
        class_specific=True,
        signed=True,
        many_passes=True,
    ),
    "text_similarity": Method(
        "Text similarity",
        "Similarity of each patch with the text of the class: the cosine of the text's embedding and the embedding "
        "that the image would have if the last layer's token of this patch alone were pooled. The model was trained to "
        "compare whole images with texts, not patches, whose tokens also carry what other patches passed on: high "
        "values are often on the background.",
        "cos(text, f(x[last, j])), f the final norm, pooling and projection",
        "Radford et al. 2021, section 3.1; by patch as in Zhou, Loy & Dai 2022 (MaskCLIP), where each patch also "
        "passes on its own value in the last attention layer, in place of the mixture by attention weights",
        text_similarity,
        class_specific=True,
        signed=True,
        of_blocks=True,
        of_texts=True,
    ),
    "shapley": Method(
        "Shapley values",
        "Mean increase of the logit when a patch joins others, over all orders in which patches can enter the network. "
        "An estimate from 2,048 sets of patches, each a forward pass; images with half of their patches missing are "
        "unlike those of the training.",
        "weighted least squares of logit(S) by sums over the patches of S",
        "Lundberg & Lee 2017, section 4.1",
        coalition_maps.shapley,
        class_specific=True,
        signed=True,
        on_request=True,
    ),
    "greedy": Method(
        "Greedy order",
        "Not an explanation: the order of removal that lowers the probability of the class most at each step, found by "
        "trying every patch. A strong order to compare rankings with, not the best one.",
        "next is the patch whose removal leaves the lowest probability",
        "reference",
        coalition_maps.greedy,
        class_specific=True,
        on_request=True,
    ),
    "random": Method(
        "Random",
        "Not an explanation: the patches in one random order. Its score differs from the random baseline, the mean of "
        "ten such orders and their reverses, by chance alone. A map that scores no better has not shown what the "
        "prediction depends on.",
        "a permutation of 1 / N, 2 / N ... 1",
        "baseline",
        perturbation_maps.random,
    ),
}
"""All attribution methods by name, each a `Method`."""
POOLED = " The prediction of this model is read from its patches, not from the class token."


def methods_for(config: ViTConfig, holds_attention: bool = True, has_texts: bool = False) -> dict[str, Method]:
    """Return the methods that a model supports, with the descriptions that hold for it, but those on request.

    Args:
        config: The model.
        holds_attention: Whether the attention between all tokens is in memory, or computed layer by layer.
        has_texts: Whether the classes are texts.
    """
    known = {
        key: method
        for key, method in METHODS.items()
        if not method.on_request
        and (config.num_classes or not method.class_specific)
        and ((holds_attention and config.has_gradients) or not method.full_attention)
        and not (config.is_captured and method.of_blocks)
        and (has_texts or not method.of_texts)
        and (config.class_token or not method.is_direction)
    }
    if not config.class_token:
        texts = {key: text._asdict() for key, method in known.items() if (text := method.text_without_class_token)}
        return known | {key: replace(known[key], **text) for key, text in texts.items()}
    if config.global_pool.startswith("token"):
        return known
    return known | {key: replace(one, about=one.about + POOLED) for key, one in known.items() if one.of_class_token}
