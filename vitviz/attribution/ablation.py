"""An image with heads switched off and patches taken away -> what the model says then."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from operator import index
from typing import Any, Literal, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vitviz.attribution.context import ForwardContext
from vitviz.models.attention_stats import max_batch_size
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.vit import HeadMask

Array = NDArray[np.float32]
Head = tuple[int, int]  # layer and head, from 0


@dataclass(frozen=True)
class Ablation:
    """What the model says and sees after an intervention.

    Attributes:
        logits: (K,).
        attention: (L, A, T, T). What a token that is left out gives and gets is 0; heads that are off are NaN.
    """

    logits: Array
    attention: Array


def intervene(
    case: ForwardContext,
    heads_off: Collection[Head] = (),
    patches_off: Collection[int] = (),
    way: Literal["drop", "grey"] = "drop",
    instead: Tensor | None = None,
) -> Ablation:
    """Run the model on the image once more, after an intervention.

    Args:
        case: The image in the model.
        heads_off: Heads whose output is replaced.
        patches_off: Patches that are taken away, positions in reading order from 0.
        way: "drop" leaves their tokens out; "grey" paints them in the data set's mean colour.
        instead: What the switched-off heads pass on, (L, A, d), as from `mean_outputs`; None for zeros.

    Raises:
        ValueError: If a head or patch is not there, all heads or all patches are off, there is no such way, or
            `instead` has another shape.
    """
    if way not in ("drop", "grey"):
        raise ValueError(f"way must be drop or grey: got {str(way)[:40]!r}.")
    patches = case.config.num_patches
    try:
        heads_off = [(index(layer), index(head)) for layer, head in heads_off]
        patches_off = [index(patch) for patch in patches_off]
    except (TypeError, ValueError):
        raise ValueError(
            "Heads are pairs (layer, head) and patches positions, all of them whole numbers: got "
            f"{str(heads_off)[:40]!r} and {str(patches_off)[:40]!r}."
        ) from None
    if any(not 0 <= patch < patches for patch in patches_off):
        raise ValueError(f"A patch must be from 0 to {patches - 1}: got {sorted(patches_off)[:8]}.")
    if len(set(patches_off)) == patches:
        raise ValueError("Not all patches can be taken away: nothing would be left to look at. Leave one.")
    head_masks = gates_of(case, heads_off, instead)
    gone = torch.zeros(1, patches, dtype=torch.bool)
    gone[0, list(patches_off)] = True
    dropped = way == "drop" and bool(patches_off)
    keep = (~gone[0]).nonzero()[:, 0][None].to(case.image.device) if dropped else None
    with torch.inference_mode():
        trace = case.model.forward_with_attention(
            case.without(gone) if way == "grey" else case.image[None], "full", keep, head_masks
        )
    attention = trace.attention[:, 0].cpu().numpy()  # (L, A, t, t) of the tokens that are left
    if keep is not None:
        left = np.concatenate([np.arange(case.prefix), case.prefix + keep[0].cpu().numpy()])
        whole = np.zeros((*attention.shape[:2], case.config.num_tokens, case.config.num_tokens), np.float32)
        whole[..., left[:, None], left] = attention
        attention = whole
    for layer, head in heads_off:
        attention[layer, head] = np.nan
    return Ablation(trace.logits[0].float().cpu().numpy(), attention)


def gates_of(case: ForwardContext, heads_off: Collection[Head], instead: Tensor | None) -> list[HeadMask | None] | None:
    """The head_masks that switch these heads off; None if there are none."""
    config = case.config
    if any(not (0 <= layer < config.depth and 0 <= head < config.num_heads) for layer, head in heads_off):
        raise ValueError(
            f"A head must be layer 0 to {config.depth - 1} and head 0 to {config.num_heads - 1}: got "
            f"{sorted(heads_off)[:8]}."
        )
    if len(set(heads_off)) == config.depth * config.num_heads:
        raise ValueError("Not all heads can be switched off: nothing would reach the class token. Leave one on.")
    if not heads_off:
        return None
    shape = (config.depth, config.num_heads, config.embed_dim // config.num_heads)
    if instead is None:
        instead = torch.zeros(shape)
    if instead.shape != shape:
        raise ValueError(f"instead must have the shape (L, A, d) {shape}: it has {tuple(instead.shape)}.")
    share = torch.ones(config.depth, config.num_heads)
    share[tuple(zip(*heads_off, strict=True))] = 0
    return [
        HeadMask(some.to(case.image), other.to(case.image)) if (some == 0).any() else None
        for some, other in zip(share, instead, strict=True)
    ]


def mean_outputs(checkpoint: Checkpoint, images: Tensor) -> Tensor:
    """What each head passes on, mean over images and tokens, before its share of the projection.

    Args:
        checkpoint: The model.
        images: uint8 (n, 3, H, W), the reference set.

    Returns:
        (L, A, d).
    """
    total: Tensor | float = 0.0
    blocks = cast(Iterable[Any], checkpoint.network.blocks)
    with torch.inference_mode():
        for part in images.split(max_batch_size(checkpoint.network.config)):
            trace = checkpoint.network.forward_with_attention(checkpoint.normalize(part), "full")
            tokens_of = cast(Tensor, trace.tokens)[:-1]
            found = [
                (weights.to(tokens) @ block.attn.values(block.norm1(tokens))).mean(2).sum(0)  # (A, d)
                for block, tokens, weights in zip(blocks, tokens_of, trace.attention, strict=True)
            ]
            total = total + torch.stack(found)
    return cast(Tensor, total) / len(images)
