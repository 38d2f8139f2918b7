"""A model and some images -> numbers on how it works inside, layer by layer and head by head.

The first two probes read the weights alone; the others read a `AttentionOutput` with all attention and tokens, and say what they
average over its B images. `probe` gathers all of them from one forward pass a batch. Nothing is scaled for display
here. Where layers are L + 1, layer 0 is what enters the first block, and layer l what leaves the l-th.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from vitviz.attribution.export import export
from vitviz.models.attention_stats import (
    attention_distance,
    attention_entropy,
    cls_attention_of,
    max_batch_size,
    patch_distances,
    require_full,
)
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.vit import AttentionOutput, Transformer

Array = NDArray[np.float32]

COMPONENTS = 28  # as many as the paper shows
MADS = 3.5 / 0.6745  # Iglewicz & Hoaglin 1993: beyond this many deviations a value is a potential outlier


def patch_filters(model: Transformer, components: int = COMPONENTS) -> tuple[Tensor, Tensor]:
    """Principal components of the patch embedding's filters (Dosovitskiy et al. 2021, arXiv 2010.11929, figure 7 left).

    Rows of W (D, 3 P P) are the filters, W - mean of rows = U S V'; component k is row k of V', of length 1. Of its
    two signs it has the one in which the largest weight by size is positive.

    Args:
        model: Only its weights are read.
        components: How many at most; there are no more than min(D, 3 P P).

    Returns:
        The components from the strongest, as images (k, 3, P, P), without unit; and the share of the filters'
        variance each explains, S_k^2 / sum of S^2, in 0..1, (k,).

    Raises:
        ValueError: If no component is wanted.
    """
    if components < 1:
        raise ValueError(f"components must be at least 1: got {components}.")
    weight = model.patch_filters().detach().double()  # (D, 3, P, P)
    rows = weight.flatten(1)  # (D, 3 P P)
    _, lengths, directions = torch.linalg.svd(rows - rows.mean(0), full_matrices=False)
    found = directions[:components]  # (k, 3 P P)
    largest = found.gather(1, found.abs().argmax(1, keepdim=True))  # (k, 1)
    shares = lengths.square() / lengths.square().sum()
    return (found * largest.sign()).view(-1, *weight.shape[1:]), shares[:components]


def position_similarity(model: Transformer) -> Tensor:
    """Cosine of each patch's position embedding with each other's (Dosovitskiy et al. 2021, figure 7 centre).

    Returns:
        S[r, c, i, j] = e_rc . e_ij / (|e_rc| |e_ij|) in -1..1, (gh, gw, gh, gw); 0 where an embedding is zero.
    """
    places = F.normalize(model.patch_positions().detach().double(), dim=-1)  # (N, D)
    return (places @ places.T).view(*model.config.grid_size, *model.config.grid_size)


def head_divergence(trace: AttentionOutput, config: ViTConfig) -> Tensor:
    """How differently two heads of a layer look: Jensen-Shannon divergence (Clark et al. 2019, section 6).

    Of the class token's rows p and q over all T tokens H((p + q) / 2) - (H(p) + H(q)) / 2, mean over the images.

    Returns:
        Nats, from 0 for the same row to ln 2 for rows that share no token, (L, A, A); symmetric.
    """
    rows = cls_attention_of(trace, config)  # (L, B, A, T)
    entropy = torch.special.entr(rows).sum(-1)  # (L, B, A)
    middle = (rows.unsqueeze(2) + rows.unsqueeze(3)) / 2  # (L, B, A, A, T)
    mixed = torch.special.entr(middle).sum(-1)  # (L, B, A, A)
    return (mixed - (entropy.unsqueeze(2) + entropy.unsqueeze(3)) / 2).clamp_min(0).mean(1)


def token_norms(trace: AttentionOutput) -> Tensor:
    """Length of each token, sqrt(sum_d x_d^2), by layer (Darcet et al. 2024, arXiv 2309.16588, section 2).

    Returns:
        In the units of the tokens, at least 0, (L + 1, B, T).
    """
    return require_full(trace)[1].norm(dim=-1)


def outliers(norms: Tensor, prefix: int, mads: float = MADS) -> Tensor:
    """Which tokens are far longer than the patches of their image and layer usually are.

    Above median + k MAD of the N patches, where MAD is the median distance from the median: unlike a fixed length it
    fits every model. Of normally distributed lengths, two in ten thousand are beyond it; real lengths are skewed, and
    one in a hundred is common. What registers exist for are some ten times longer than the others.

    Args:
        norms: From `token_norms`, (L + 1, B, T).
        prefix: Tokens before the first patch (R).
        mads: k.

    Returns:
        True or false, (L + 1, B, T).
    """
    patches = norms[..., prefix:]
    median = patches.quantile(0.5, -1, keepdim=True)  # (L + 1, B, 1)
    mad = (patches - median).abs().quantile(0.5, -1, keepdim=True)  # (L + 1, B, 1)
    return norms > median + mads * mad


def logit_lens(model: Transformer, trace: AttentionOutput) -> Tensor:
    """What the head would answer if it read the tokens of an earlier layer.

    nostalgebraist 2020 ("interpreting GPT: the logit lens"); Vilas et al. 2023 (arXiv 2310.18969) for ViTs. The head
    reads as it always does, so a final norm, where the model has one, is applied to every layer.

    Returns:
        Logits, (L + 1, B, K); those of the last layer are the model's own.
    """
    return torch.stack([model.forward_head(tokens) for tokens in require_full(trace)[1]])


def final_answers(lens: Tensor) -> dict[str, Tensor]:
    """How early the head comes to its final answer.

    Args:
        lens: Logits by layer and image, from `logit_lens`, (L + 1, B, K).

    Returns:
        `final_share` of the images, those whose likeliest class is already that of the last layer, (L + 1,); and
        `final_probability` of that class, mean over the images, (L + 1,). Both in 0..1.
    """
    answers = lens.argmax(-1)  # (L + 1, B)
    sure = lens.softmax(-1).gather(-1, answers[-1:, :, None].expand(len(lens), -1, 1))  # (L + 1, B, 1)
    return {"final_share": (answers == answers[-1]).float().mean(1), "final_probability": sure.mean((1, 2))}


def class_token_cosine(trace: AttentionOutput, config: ViTConfig) -> Tensor:
    """How much each patch points the way of the class token, by layer: their cosine, mean over the images.

    Returns:
        In -1..1, (L + 1, gh, gw).
    """
    tokens = require_full(trace)[1]
    cosine = F.cosine_similarity(tokens[:, :, :1], tokens[:, :, config.num_prefix_tokens :], dim=-1)  # (L + 1, B, N)
    return cosine.mean(1).unflatten(-1, config.grid_size)


def layer_products(trace: AttentionOutput, prefix: int) -> Tensor:
    """Products between layers of how alike the patches of an image are, mean over the images: what `cka` compares.

    Of each layer K = X X', X (N, D) being the patches of one image, centred so that rows without their diagonal sum
    to 0; then sum_ij K_ij K'_ij / (N (N - 3)). This is the estimate of HSIC that does not grow with N being small
    (Song et al. 2012; Nguyen et al. 2021, arXiv 2010.15327, equation 3), each image being one minibatch.

    Returns:
        (L + 1, L + 1), symmetric, in double precision.

    Raises:
        ValueError: If there are fewer than 4 patches.
    """
    patches = require_full(trace)[1][:, :, prefix:].double()  # (L + 1, B, N, D)
    B, N = patches.shape[1:3]
    if N < 4:
        raise ValueError(f"Layers are compared by at least 4 patches: this model has {N}.")
    patches = patches - patches.mean(2, keepdim=True)
    alike = (patches @ patches.mT) * (1 - torch.eye(N, dtype=patches.dtype, device=patches.device))
    rows = alike.sum(-1, keepdim=True)  # (L + 1, B, N, 1)
    alike = alike - (rows + rows.mT) / (N - 2) + rows.sum(2, keepdim=True) / ((N - 1) * (N - 2))
    alike.diagonal(dim1=-2, dim2=-1).zero_()
    alike = alike.flatten(1)  # (L + 1, B N N)
    return alike @ alike.T / (B * N * (N - 3))


def cka(products: Tensor) -> Tensor:
    """Linear CKA between layers (Kornblith et al. 2019, arXiv 1905.00414; Raghu et al. 2021, arXiv 2108.08810, fig. 1).

    Args:
        products: From `layer_products`, (L + 1, L + 1).

    Returns:
        P_lm / sqrt(P_ll P_mm), (L + 1, L + 1): 1 where two layers find the same patches alike, whatever their axes and
        scale; around 0, and sometimes a little below, where they have nothing in common; 0 if all patches are equal.
    """
    size = products.diagonal().sqrt()
    return products / (size[:, None] * size).clamp_min(torch.finfo(products.dtype).tiny)


@dataclass(frozen=True)
class Probes:
    """What all probes found, over B images.

    Attributes:
        labels: K class names.
        filters: Components of the patch embedding, (k, 3, P, P).
        explained: Share of variance of each, (k,).
        position_similarity: Cosine, (gh, gw, gh, gw).
        distance: Mean attention distance in pixels, (L, A).
        uniform_distance: That of a head that looks at all patches alike, ().
        entropy: Of the class token's row in nats, (L, A).
        effective_tokens: Its exponential, (L, A).
        head_divergence: Jensen-Shannon divergence in nats, (L, A, A).
        norms: Length of the token at each place, mean over images, (L + 1, T).
        longest: Length of the longest patch of an image, mean over images, (L + 1,).
        outliers: Share of images in which the token at this place is an outlier, in 0..1, (L + 1, T).
        lens: Logits by layer and image, (L + 1, B, K).
        final_share: Share of the images that have their final answer already, by layer, (L + 1,).
        final_probability: Of that answer, mean over images, by layer, (L + 1,).
        class_token_cosine: Of class token and patches, (L + 1, gh, gw).
        cka: Between layers, (L + 1, L + 1).
    """

    labels: NDArray[np.str_]
    filters: Array
    explained: Array
    position_similarity: Array
    distance: Array
    uniform_distance: Array
    entropy: Array
    effective_tokens: Array
    head_divergence: Array
    norms: Array
    longest: Array
    outliers: Array
    lens: Array
    final_share: Array
    final_probability: Array
    class_token_cosine: Array
    cka: Array

    def save(self, path: str | Path, note: str = "") -> None:
        """Write the figure (.png, .svg, .pdf, .html) or the numbers (.npz, by the names above), by the file's ending.

        Args:
            path: Of the file.
            note: The figure's last line: which model, which images. The numbers have it as `note`.

        Raises:
            ValueError: If the ending is another one.
        """
        from vitviz.plots import probes

        export(path, lambda: vars(self) | {"note": np.array(note)}, lambda: probes.draw(vars(self), note))


@torch.inference_mode()
def probe(checkpoint: Checkpoint, images: Tensor) -> Probes:
    """Measure everything, with one forward pass a batch and bounded memory.

    Args:
        checkpoint: The model.
        images: Images (B, 3, H, W) of uint8, of the model's size.

    Raises:
        ValueError: If the images do not fit, or the model has fewer than 4 patches, no class token or no attention.
    """
    model = checkpoint.transformer
    config = model.config
    if not config.class_token:
        raise ValueError(
            f"The probes need a class token: {checkpoint.name} has none. Explain single images with it, where all "
            "patches are asked alike."
        )
    if images.dtype != torch.uint8 or images.shape[1:] != (3, *config.img_size) or not len(images):
        size = ", ".join(map(str, config.img_size))
        raise ValueError(
            f"Images to probe must be uint8 of shape (B, 3, {size}), at least one: got {images.dtype} of shape "
            f"{tuple(images.shape)}."
        )
    totals: dict[str, Any] = {}
    lens = []
    for part in images.split(max_batch_size(config)):
        trace = model.forward_with_attention(checkpoint.normalize(part), "full")
        lens.append(logit_lens(model, trace))
        for name, mean in measure(trace, config).items():
            totals[name] = totals.get(name, 0) + mean * (len(part) / len(images))
    filters, explained = patch_filters(model)
    found = {
        "filters": filters,
        "explained": explained,
        "position_similarity": position_similarity(model),
        "uniform_distance": patch_distances(config).mean(),
        "lens": torch.cat(lens, 1),
        **final_answers(torch.cat(lens, 1)),
        "cka": cka(totals.pop("products")),
        **totals,
    }
    return Probes(np.array(checkpoint.labels), **{name: value.float().cpu().numpy() for name, value in found.items()})


def measure(trace: AttentionOutput, config: ViTConfig) -> dict[str, Tensor]:
    """All that is averaged over images, for those of one batch."""
    entropy, effective = attention_entropy(trace, config)
    norms = token_norms(trace)  # (L + 1, B, T)
    return {
        "distance": attention_distance(trace, config),
        "entropy": entropy,
        "effective_tokens": effective,
        "head_divergence": head_divergence(trace, config),
        "norms": norms.mean(1),
        "longest": norms[..., config.num_prefix_tokens :].amax(-1).mean(1),
        "outliers": outliers(norms, config.num_prefix_tokens).float().mean(1),
        "class_token_cosine": class_token_cosine(trace, config),
        "products": layer_products(trace, config.num_prefix_tokens),
    }
