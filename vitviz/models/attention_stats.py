"""Statistics of attention: distance and entropy of each head.

Closed formulas used by training timelines and by the probes. Letters in shape comments are those of
`vitviz.models.vit`.
"""

import torch
from torch import Tensor

from vitviz.models.config import ViTConfig
from vitviz.models.vit import AttentionOutput, cls_attention

MAX_ELEMENTS = 2**25  # in the attention and tokens of one batch: 128 MiB


def patch_distances(config: ViTConfig) -> Tensor:
    """Return the distance between the centers of all pairs of patches (px), (N, N), in double precision."""
    positions = torch.cartesian_prod(*(torch.arange(side) for side in config.grid_size)).double()  # (N, 2)
    (H, W), (gh, gw) = config.img_size, config.grid_size
    positions = positions * torch.tensor((H // gh, W // gw))  # P x P, except for the strips of tutorial-scratch
    return (positions[:, None] - positions).norm(dim=-1)


def require_full(output: AttentionOutput) -> tuple[Tensor, Tensor]:
    """Return attention (L, B, A, T, T) and tokens (L + 1, B, T, D).

    Raises:
        ValueError: If the output holds only the rows of the class token.
    """
    if output.tokens is None:
        raise ValueError(
            "This statistic needs full attention and tokens: the output holds only the rows of the class token. "
            "Use network.forward_with_attention(images, 'full')."
        )
    return output.attention, output.tokens


def cls_attention_of(output: AttentionOutput, config: ViTConfig) -> Tensor:
    """Return the rows of the class token, (L, B, A, T), from an output with "cls" or "full" attention."""
    return output.attention if output.attention.ndim == 4 else cls_attention(output.attention, config)


def attention_distance(output: AttentionOutput, config: ViTConfig) -> Tensor:
    """Compute the mean attention distance of each head (Dosovitskiy et al. 2021, figure 7 right, appendix D.7).

    Attention between patches is renormalized, A'_ij = A_ij / sum_j A_ij, so that attention to the class token and the
    registers does not count as distance 0. The result is the mean over images and patches i of
    sum_j A'_ij |position_i - position_j|.

    Returns:
        Pixels, from 0 to the diagonal of the image minus one patch, (L, A). A patch without attention to any patch
        counts as 0.
    """
    distances = patch_distances(config)  # (N, N)
    return torch.stack([layer_distance(weights, distances, config) for weights in require_full(output)[0]])


def layer_distance(weights: Tensor, distances: Tensor, config: ViTConfig) -> Tensor:
    """Return `attention_distance` of one layer, (A,), from its attention (B, A, T, T) and `patch_distances`."""
    patches = weights[..., config.num_prefix_tokens :, config.num_prefix_tokens :]  # (B, A, N, N)
    mean = (patches * distances.to(patches)).sum(-1) / patches.sum(-1).clamp_min(1e-30)  # (B, A, N)
    return mean.mean((0, 2))


def attention_entropy(output: AttentionOutput, config: ViTConfig) -> tuple[Tensor, Tensor]:
    """Compute the entropy of the class token's attention (Clark et al. 2019, arXiv 1906.04341, section 3.3).

    H = -sum_j A_0j ln A_0j over all T tokens, with 0 ln 0 = 0.

    Returns:
        Mean of H over the images, nats in 0..ln T, (L, A); and mean of exp(H), the effective number of tokens attended
        to, in 1..T, (L, A).
    """
    entropy = torch.special.entr(cls_attention_of(output, config)).sum(-1)  # (L, B, A)
    return entropy.mean(1), entropy.exp().mean(1)


def forward_macs(config: ViTConfig) -> int:
    """Return the multiply-accumulates of the blocks in one forward pass of an image: 17.4 billion in a ViT-B/16."""
    T, D = config.num_tokens, config.embed_dim
    mlp = (3 if config.swiglu_mlp else 2) * D * config.mlp_hidden_dim
    return config.depth * T * (4 * D * D + mlp + 2 * T * D)


def max_batch_size(config: ViTConfig) -> int:
    """Return the number of images whose attention and tokens have at most `MAX_ELEMENTS` elements; at least 1."""
    attention = config.depth * config.num_heads * config.num_tokens**2
    return max(1, MAX_ELEMENTS // (attention + (config.depth + 1) * config.num_tokens * config.embed_dim))
