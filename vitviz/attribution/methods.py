"""All attribution methods by name: what each shows, what it does not, and how it is computed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vitviz.attribution import attention_maps, gradient_maps, perturbation_maps
from vitviz.attribution.context import ForwardContext, Target
from vitviz.models.config import ViTConfig

Array = NDArray[np.float32]


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
    """

    title: str
    about: str
    formula: str
    source: str
    compute: Callable[[ForwardContext, Target], Array]
    text_without_class_token: Text | None = None
    is_attention: bool = False
    class_specific: bool = False
    signed: bool = False
    instant: bool = False

    @property
    def unit(self) -> Literal["weights", "logits", "relative"]:
        """Unit of its values, for a scale: attention weights, logits, or relative to the largest patch."""
        if self.is_attention:
            return "weights"
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


def from_gradients(compute: Callable[[Array, Array, Array, int], Array]) -> Callable[[ForwardContext, Target], Array]:
    """A method that needs the attention and its gradients; one forward pass gives both if gradients come first."""

    def computed(context: ForwardContext, target: Target) -> Array:
        grads = context.gradients(target).attention
        return compute(np.nan_to_num(context.attention), grads, readout_weights(context), context.prefix)

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
    return attention_maps.reverse_attention(context.attention, query_weights(context), context.prefix)


def value_norm(context: ForwardContext, target: Target) -> Array:
    """Attention weighted by the norm of the projected values; see `attention_maps.value_norm`."""
    return attention_maps.value_norm(context.attention, context.value_norms, query_weights(context), context.prefix)


METHODS: dict[str, Method] = {
    "attention": Method(
        "Last layer",
        "What the class token attends to in the last layer, mean over heads. It does not show which patches those "
        "tokens took their content from.",
        "mean over heads of A[last, h, class token, j]",
        "Caron et al. 2021, arXiv 2104.14294, figure 1",
        from_attention(attention_maps.last_layer_attention),
        Text(
            "What the patches attend to in the last layer, mean over patches and heads. It does not show which "
            "patches those tokens took their content from.",
            "mean over heads and patches i of A[last, h, i, j]",
        ),
        is_attention=True,
        instant=True,
    ),
    "reverse_attention": Method(
        "Reverse",
        "Which patches attend to the class token in the last layer. It shows which patches read the class token, not "
        "what the class token contains.",
        "mean over heads of A[last, h, j, class token]",
        "a column of the attention; not an explanation from a paper",
        reverse_attention,
        instant=True,
    ),
    "average": Method(
        "Average",
        "What the class token attends to, mean over all layers and heads. Early layers count as much as late ones.",
        "mean over layers and heads of A[l, h, class token, j]",
        "a plain mean; not an explanation from a paper",
        from_attention(attention_maps.average_attention),
        Text(
            "What the patches attend to, mean over all patches, layers and heads. Early layers count as much as late "
            "ones.",
            "mean over layers, heads and patches i of A[l, h, i, j]",
        ),
        is_attention=True,
        instant=True,
    ),
    "rollout": Method(
        "Rollout",
        "Attention followed through all layers back to the patches, with half the weight on the residual connection. "
        "It ignores values, MLPs and signs.",
        "X = (I + mean over heads of A) / 2 X, layer by layer",
        "Abnar & Zuidema 2020, section 3",
        from_attention(attention_maps.rollout),
        instant=True,
    ),
    "gradient_rollout": Method(
        "Gradient rollout",
        "Rollout along the attention that increases the logit of the class. Which part of the product over layers is "
        "kept is a convention.",
        "X = norm(I + (mean over heads of A G)+) X, layer by layer",
        "Gildenblat 2020, after Abnar & Zuidema 2020",
        from_gradients(gradient_maps.gradient_rollout),
        class_specific=True,
    ),
    "relevance": Method(
        "Relevance",
        "How much each patch increases the logit of the class along the attention paths of all layers. Values and "
        "MLPs enter through the gradients only, and evidence against the class is dropped.",
        "R = R + mean over heads of (A G)+ R, layer by layer",
        "Chefer et al. 2021 (ICCV), section 3.1",
        from_gradients(gradient_maps.relevance),
        class_specific=True,
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
    ),
    "input_gradient": Method(
        "Input gradient",
        "Where a small change of the pixels would change the logit most. This is sensitivity, not importance.",
        "sum over the patch of | d logit / d pixel |",
        "Simonyan et al. 2014, section 3",
        perturbation_maps.input_gradient,
        class_specific=True,
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
    ),
    "random": Method(
        "Random",
        "Not an explanation: the patches in one random order. Its score differs from the random baseline, the mean of "
        "20 such orders, by chance alone. A map that scores no better carries no information about the prediction.",
        "a permutation of 1 / N, 2 / N ... 1",
        "baseline",
        perturbation_maps.random,
    ),
}
CLASS_TOKEN_MAPS = ("attention", "reverse_attention", "average", "rollout", "value_norm")
POOLED = " The prediction of this model is read from its patches, not from the class token."


def methods_for(config: ViTConfig) -> dict[str, Method]:
    """Return the methods that a model supports, with the descriptions that hold for it."""
    known = METHODS
    if not config.num_classes:
        known = {key: method for key, method in METHODS.items() if not method.class_specific}
    if not config.class_token:
        kept = {key: method for key, method in known.items() if key != "reverse_attention"}
        texts = {key: text._asdict() for key, method in kept.items() if (text := method.text_without_class_token)}
        return kept | {key: replace(kept[key], **text) for key, text in texts.items()}
    if config.global_pool.startswith("token"):
        return known
    return known | {key: replace(METHODS[key], about=METHODS[key].about + POOLED) for key in CLASS_TOKEN_MAPS}
