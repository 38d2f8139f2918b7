"""A trace -> how far and how widely each head looks.

Closed formulas on attention that training and explanation both read. Letters in shape comments are those of
`vitviz.models.vit`.
"""

import torch
from torch import Tensor

from vitviz.models.config import ViTConfig
from vitviz.models.vit import AttentionOutput, cls_attention

MOST_NUMBERS = 2**25  # in the attention and tokens of one batch: 128 MiB


def cell_size(config: ViTConfig) -> tuple[int, int]:
    """Height and width (px) of what one patch covers: P and P, but for the strips of tutorial-scratch."""
    (H, W), (gh, gw) = config.img_size, config.grid_size
    return H // gh, W // gw


def patch_distances(config: ViTConfig) -> Tensor:
    """How far each patch is from each other, centre to centre: pixels, (N, N), in double precision."""
    places = torch.cartesian_prod(*(torch.arange(side) for side in config.grid_size)).double()  # (N, 2)
    places = places * torch.tensor(cell_size(config))
    return (places[:, None] - places).norm(dim=-1)


def full(trace: AttentionOutput) -> tuple[Tensor, Tensor]:
    """All attention (L, B, A, T, T) and all tokens (L + 1, B, T, D) of a trace that holds them."""
    if trace.tokens is None:
        raise ValueError(
            "All attention and tokens are needed here: the trace holds the class token's row alone. "
            "Use model.forward_with_attention(images, 'full')."
        )
    return trace.attention, trace.tokens


def cls_attention_of(trace: AttentionOutput, config: ViTConfig) -> Tensor:
    """The rows (L, B, A, T) that `ViT.trace` gives for "rows", from a trace of either kind."""
    return trace.attention if trace.attention.ndim == 4 else cls_attention(trace.attention, config)


def attention_distance(trace: AttentionOutput, config: ViTConfig) -> Tensor:
    """How far patches look, by layer and head (Dosovitskiy et al. 2021, figure 7 right and appendix D.7).

    Attention among the patches is brought to sum 1, A'_ij = A_ij / sum_j A_ij, so that what goes to the class token
    and the registers does not count as near. The mean over images and patches i of sum_j A'_ij |place_i - place_j|.

    Returns:
        Pixels, from 0 to the image's diagonal less one patch, (L, A). A patch that looks at no patch counts as 0.
    """
    attention = full(trace)[0][..., config.num_prefix_tokens :, config.num_prefix_tokens :]  # (L, B, A, N, N)
    distances = patch_distances(config).to(attention)  # (N, N)
    far = (attention * distances).sum(-1) / attention.sum(-1).clamp_min(1e-30)  # (L, B, A, N)
    return far.mean((1, 3))


def attention_entropy(trace: AttentionOutput, config: ViTConfig) -> tuple[Tensor, Tensor]:
    """How widely the class token looks, by layer and head (Clark et al. 2019, arXiv 1906.04341, section 3.3).

    Of its row over all T tokens H = -sum_j A_0j ln A_0j, with 0 ln 0 = 0.

    Returns:
        Mean of H over the images, nats in 0..ln T, (L, A); and mean of exp(H), the effective number of tokens looked
        at, in 1..T, (L, A).
    """
    entropy = torch.special.entr(cls_attention_of(trace, config)).sum(-1)  # (L, B, A)
    return entropy.mean(1), entropy.exp().mean(1)


def max_batch_size(config: ViTConfig) -> int:
    """How many images' attention and tokens fit into `MOST_NUMBERS`; at least one."""
    attention = config.depth * config.num_heads * config.num_tokens**2
    return max(1, MOST_NUMBERS // (attention + (config.depth + 1) * config.num_tokens * config.embed_dim))
