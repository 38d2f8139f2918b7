"""Ablation: the forward pass of an image with attention heads replaced and patches removed."""

from collections.abc import Collection, Iterable, Sequence
from operator import index
from typing import cast, get_args

import torch
from torch import Tensor

from vitviz.attribution.context import ForwardContext, Head
from vitviz.attribution.layered_attention import attention_by_layer, fits
from vitviz.models.attention_stats import max_batch_size
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.vit import Intervention, for_each_block
from vitviz.view import Ablation, PatchMode


def ablate(
    context: ForwardContext,
    heads: Collection[Sequence[int]] = (),
    patches: Collection[int] = (),
    patch_mode: PatchMode = "drop",
    head_means: Tensor | None = None,
) -> ForwardContext:
    """Return the context of the same image with more heads ablated and more patches removed.

    Args:
        context: The image in the model; what is ablated in it already stays ablated.
        heads: Heads whose output is replaced, as (layer, head) from 0.
        patches: Patches to remove, positions in reading order from 0.
        patch_mode: "drop" leaves the patches' tokens out; "gray" paints the patches in the dataset's mean color.
        head_means: Replacement of the heads' outputs, (L, A, d), as from `mean_head_outputs`; None for zeros.

    Raises:
        ValueError: If a head or patch does not exist, all heads or all patches would be ablated, the mode is unknown,
            or `head_means` has another shape.
    """
    if patch_mode not in get_args(PatchMode):
        raise ValueError(f"patch_mode must be drop or gray: got {str(patch_mode)[:40]!r}.")
    try:
        pairs = [(index(layer), index(head)) for layer, head in heads]
        patches = [index(patch) for patch in patches]
    except (TypeError, ValueError):
        problem = "heads must be pairs (layer, head) of integers and patches positions"
        raise ValueError(f"{problem}: got {str(heads)[:40]!r} and {str(patches)[:40]!r}.") from None
    if pairs:
        context.require_blocks("ablating heads")
    if patches and patch_mode == "drop":
        context.require_blocks("leaving patches out", 'Use `patch_mode="gray"`.')
    N = context.config.num_patches
    if any(not 0 <= patch < N for patch in patches):
        raise ValueError(f"A patch must be from 0 to {N - 1}: got {sorted(patches)[:8]}.")
    interventions = merge_interventions(context, pairs, head_means)
    removed = torch.zeros(1, N, dtype=torch.bool)
    removed[0, patches] = True
    kept = torch.from_numpy(context.kept_tokens[context.prefix :]) & ~removed[0]  # (N,)
    if not kept.any():
        raise ValueError("Not all patches can be removed: the model would get no image. Keep at least one.")
    image, keep = context.image, context.keep
    if patches and patch_mode == "gray":
        image = context.mask_patches(removed)[0]
    elif patches:
        keep = kept.nonzero()[:, 0].to(image.device)
    return ForwardContext(context.checkpoint, image, keep, interventions)


def merge_interventions(
    context: ForwardContext, heads: list[Head], head_means: Tensor | None
) -> list[Intervention | None] | None:
    """Return the interventions of a context with more heads replaced; None if no head is."""
    config = context.config
    if any(not (0 <= layer < config.depth and 0 <= head < config.num_heads) for layer, head in heads):
        known = f"layer 0 to {config.depth - 1} and head 0 to {config.num_heads - 1}"
        raise ValueError(f"A head must be {known}: got {sorted(heads)[:8]}.")
    if len({*heads, *context.ablated_heads}) == config.depth * config.num_heads:
        raise ValueError("Not all heads can be ablated: no information would pass between tokens. Keep at least one.")
    shape = (config.depth, config.num_heads, config.embed_dim // config.num_heads)
    head_means = torch.zeros(shape) if head_means is None else head_means
    if head_means.shape != shape:
        raise ValueError(f"head_means must have the shape (L, A, d) {shape}: it has {tuple(head_means.shape)}.")
    complete = for_each_block(context.interventions, config, context.image)
    merged = list(context.interventions or [None] * config.depth)
    for layer in {layer for layer, _ in heads}:
        before = complete[layer]
        replaced = [head for of_layer, head in heads if of_layer == layer]
        keep, replacement = before.keep.clone(), before.replacement.clone()
        keep[replaced] = 0
        replacement[replaced] = head_means[layer][replaced].to(replacement)
        merged[layer] = Intervention(keep, replacement)
    return merged if any(merged) else None


def describe_ablations(ablations: Iterable[Ablation]) -> str:
    """Describe ablations by their numbers of heads and patches: "1 head ablated, 2 patches removed"; empty for none."""
    parts = []
    for one in ablations:
        if heads := len(one.heads):
            parts.append(f"{heads} head{'s' * (heads > 1)} ablated{' (mean)' if one.mode == 'mean' else ''}")
        if patches := len(one.patches):
            how = "removed" if one.patch_mode == "drop" else "painted gray"
            parts.append(f"{patches} patch{'es' * (patches > 1)} {how}")
    return ", ".join(parts)


def mean_head_outputs(checkpoint: Checkpoint, images: Tensor) -> Tensor:
    """Return the mean output of each head before the output projection, (L, A, d).

    The mean is over the tokens of the reference images, uint8 (n, 3, H, W).
    """
    total: Tensor | float = 0.0
    network = checkpoint.network
    with torch.inference_mode():
        holds = fits(network.config)
        for part in images.split(max_batch_size(network.config) if holds else 1):
            output = network.forward_with_attention(checkpoint.normalize(part), "full" if holds else "tokens")
            inputs = cast(Tensor, output.tokens)[:-1]
            means = [
                (weights.to(tokens) @ network.head_values(layer, tokens)).mean(2).sum(0)  # (A, d)
                for layer, (tokens, weights) in enumerate(zip(inputs, attention_by_layer(network, output), strict=True))
            ]
            total = total + torch.stack(means)
    return cast(Tensor, total) / len(images)
