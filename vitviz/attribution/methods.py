"""All methods by name: what each answers, what it does not, and how it is computed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vitviz.attribution import attention_maps, gradient_maps, perturbation_maps
from vitviz.attribution.context import ForwardContext, Target
from vitviz.models.config import ViTConfig

Array = NDArray[np.float32]


@dataclass(frozen=True)
class Method:
    """A way to explain an image by one map.

    Attributes:
        title: What the page calls it.
        about: What it answers, and what it does not, in one or two sentences.
        formula: In one line; its function's docstring says what the letters are.
        source: Paper and section.
        compute: The function, of a case and a target, which those that are not class-specific ignore -> (N,).
        shares: Whether its numbers are shares of attention.
        class_specific: Whether it explains a chosen class.
        signed: Whether its numbers may be negative: what speaks against the class.
        instant: Whether the attention alone gives it, without another pass through the network.
    """

    title: str
    about: str
    formula: str
    source: str
    compute: Callable[[ForwardContext, Target], Array]
    shares: bool = False
    class_specific: bool = False
    signed: bool = False
    instant: bool = False

    @property
    def unit(self) -> Literal["shares", "logits", "relative"]:
        """What its numbers are, for a scale."""
        if self.shares:
            return "shares"
        return "logits" if self.signed else "relative"


def asked(case: ForwardContext) -> Array:
    """Weights of the tokens that the head reads, (T,): the class token alone, or all patches alike."""
    return weights_of(case, case.config.global_pool == "token")


def asking(case: ForwardContext) -> Array:
    """Weights of the tokens whose attention is shown, (T,): the class token alone, or without one all patches alike."""
    return weights_of(case, case.config.class_token)


def weights_of(case: ForwardContext, class_token: bool) -> Array:
    """1 for the class token, or the same for all patches, of sum 1: (T,)."""
    patches = np.arange(case.config.num_tokens) >= case.prefix
    return np.eye(1, len(patches), dtype=np.float32)[0] if class_token else (patches / patches.sum()).astype(np.float32)


def from_attention(compute: Callable[[Array, Array, int], Array]) -> Callable[[ForwardContext, Target], Array]:
    """A method of the attention alone."""
    return lambda case, target: compute(case.attention, asking(case), case.prefix)


def from_gradients(compute: Callable[[Array, Array, Array, int], Array]) -> Callable[[ForwardContext, Target], Array]:
    """A method of the attention and its gradients, which one pass gives if the gradients are asked for first."""

    def computed(case: ForwardContext, target: Target) -> Array:
        slopes = case.gradients(target).attention
        return compute(case.attention, slopes, asked(case), case.prefix)

    return computed


def reverse_attention(case: ForwardContext, target: Target) -> Array:
    """How much each patch looks at the class token; see `attention_maps.reverse_attention`.

    Raises:
        ValueError: If the model has no class token.
    """
    if not case.config.class_token:
        raise ValueError(
            f"Reverse attention needs a class token: {case.checkpoint.name} has none. Use average, which asks all its "
            "patches alike."
        )
    return attention_maps.reverse_attention(case.attention, asking(case), case.prefix)


METHODS: dict[str, Method] = {
    "attention": Method(
        "Last layer",
        "Where the class token looks in the last layer, mean of heads. It does not say where those patches got their "
        "content from.",
        "mean over heads of A[last, h, class token, j]",
        "Caron et al. 2021, arXiv 2104.14294, figure 1",
        from_attention(attention_maps.last_layer_attention),
        shares=True,
        instant=True,
    ),
    "reverse_attention": Method(
        "Reverse",
        "Which patches look at the class token in the last layer. It says who asks for the summary, not what went into "
        "it.",
        "mean over heads of A[last, h, j, class token]",
        "a column of the attention; no paper's explanation",
        reverse_attention,
        instant=True,
    ),
    "average": Method(
        "Average",
        "Where the class token looks, mean of all layers and heads. Early layers count as much as late ones.",
        "mean over layers and heads of A[l, h, class token, j]",
        "a plain mean; no paper's explanation",
        from_attention(attention_maps.average_attention),
        shares=True,
        instant=True,
    ),
    "rollout": Method(
        "Rollout",
        "Attention followed through all layers to the patches, half of each token passing unchanged. It knows no "
        "values, MLPs or signs.",
        "X = (I + mean over heads of A) / 2 X, layer by layer",
        "Abnar & Zuidema 2020, section 3",
        from_attention(attention_maps.rollout),
        instant=True,
    ),
    "gradient_rollout": Method(
        "Gradient rollout",
        "Rollout along the attention that raises the class's logit. Which part of a product of many layers it keeps is "
        "a matter of taste.",
        "X = norm(I + (mean over heads of A G)+) X, layer by layer",
        "Gildenblat 2020, after Abnar & Zuidema 2020",
        from_gradients(gradient_maps.gradient_rollout),
        class_specific=True,
    ),
    "relevance": Method(
        "Relevance",
        "What the class's logit owes to each patch through attention, all layers together. It leaves out values and "
        "MLPs, and what speaks against the class.",
        "R = R + mean over heads of (A G)+ R, layer by layer",
        "Chefer et al. 2021 (ICCV), section 3.1",
        from_gradients(gradient_maps.relevance),
        class_specific=True,
    ),
    "attention_gradcam": Method(
        "Grad-CAM",
        "The last layer's heads, each weighed by how much it helps the class. One layer only, and often empty where no "
        "head helps.",
        "(mean over heads of w_h A[last, h, class token, j])+, w_h the mean gradient",
        "Selvaraju et al. 2017; Chefer et al. 2021",
        from_gradients(gradient_maps.attention_gradcam),
        class_specific=True,
    ),
    "value_norm": Method(
        "Value norm",
        "Attention times the length of what it carries, mean of all layers and heads. A patch can be looked at without "
        "anything being taken from it; still, it knows no class.",
        "mean over layers and heads of | A[l, h, class token, j] v_j W_O |",
        "Kobayashi et al. 2020, section 3",
        lambda case, target: attention_maps.value_norm(case.attention, case.value_norms, asking(case), case.prefix),
    ),
    "input_gradient": Method(
        "Input gradient",
        "Where a small change of the pixels would change the logit most. That is sensitivity, not importance.",
        "sum over the patch of | d logit / d pixel |",
        "Simonyan et al. 2014, section 3",
        perturbation_maps.input_gradient,
        class_specific=True,
    ),
    "integrated_gradients": Method(
        "Integr. gradients",
        "Each patch's share in the logit on the way from an image of mean colour. The way leads through images that "
        "nobody takes, and the start is a choice.",
        "sum over the patch of (x - x0) mean over the way of d logit / d x",
        "Sundararajan et al. 2017, section 3",
        perturbation_maps.integrated_gradients,
        class_specific=True,
        signed=True,
    ),
    "occlusion": Method(
        "Occlusion",
        "What the logit loses when a single patch is painted over. Patches that stand in for each other both look "
        "unimportant.",
        "logit(x) - logit(x with patch j in mean colour)",
        "Zeiler & Fergus 2014, section 4.2",
        perturbation_maps.occlusion,
        class_specific=True,
        signed=True,
    ),
    "random": Method(
        "Random",
        "No explanation: patches in a random order. A map that scores no better than this has shown nothing.",
        "a permutation of 1 / N, 2 / N ... 1",
        "chance",
        perturbation_maps.random,
    ),
}


ALL_PATCHES = {  # in a model without class token
    "Where the class token looks": "Where all patches look, on average",
    "class token, j]": "i, j], mean over patches i",
}


def methods_for(config: ViTConfig) -> dict[str, Method]:
    """The methods that can be asked of a model, in words that are true of it."""
    if not config.class_token:
        known = {key: method for key, method in METHODS.items() if key != "reverse_attention"}
        return {key: in_other_words(method, ALL_PATCHES) for key, method in known.items()}
    if config.global_pool == "token":
        return METHODS
    other = " This model answers from its patches, not from that token."
    shown = ("attention", "reverse_attention", "average", "rollout", "value_norm")
    return METHODS | {key: replace(METHODS[key], about=METHODS[key].about + other) for key in shown}


def in_other_words(method: Method, words: dict[str, str]) -> Method:
    """A method whose texts say something else where they say these words."""
    about, formula = method.about, method.formula
    for old, new in words.items():
        about, formula = about.replace(old, new), formula.replace(old, new)
    return replace(method, about=about, formula=formula)
