"""A tiny ViT in which every dimension has a different size, so that a swapped axis fails.

C 3, H 20, W 28, P 4, gh 5, gw 7, N 35, T 36, D 18, A 2, d 9, L 6, M 40, K 11; batch size B 8. The weights are drawn
with numpy, seeded by their names, so that they are the same with every version of torch.
"""

import zlib
from dataclasses import replace
from functools import cache

import numpy as np
import torch

from vitviz.attribution.context import ForwardContext
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.vit import AttentionOutput, ViT

B, H, W, GH, GW, N, T, D, A, L, M, K = 8, 20, 28, 5, 7, 35, 36, 18, 2, 6, 40, 11

CONFIG = ViTConfig(
    img_size=(H, W),
    patch_size=4,
    embed_dim=D,
    depth=L,
    num_heads=A,
    mlp_ratio=M / D,
    num_classes=K,
    qkv_bias=False,
    qk_norm=False,
)
VARIANTS = {
    "plain": CONFIG,
    "qkv bias": replace(CONFIG, qkv_bias=True),
    "qk norm": replace(CONFIG, qk_norm=True),
    "two registers": replace(CONFIG, reg_tokens=2),
    "layer scale": replace(CONFIG, init_values=0.5),
    "mean of patches": replace(CONFIG, global_pool="avg"),
    "no class token": replace(CONFIG, global_pool="avg", class_token=False),
    "everything": replace(CONFIG, qkv_bias=True, qk_norm=True, reg_tokens=2, init_values=0.5, global_pool="avg"),
}


def model(config: ViTConfig = CONFIG, seed: int = 0) -> ViT:
    """Create a network in evaluation mode with non-uniform attention and no zero weights."""
    network = ViT(config)
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            parameter.copy_(torch.from_numpy(draw(name, tuple(parameter.shape), seed)))
    return network.eval()


@cache
def draw(name: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Draw the weight of a name: larger for queries, keys and values, around 1 for scales."""
    numbers = np.random.default_rng([seed, zlib.crc32(name.encode())]).standard_normal(shape)
    if name.endswith(("norm1.weight", "norm2.weight", "norm.weight", "gamma")):
        numbers = 1 + 0.2 * numbers
    elif len(shape) in (2, 4):  # linear layers and convolutions preserve the variance
        numbers = numbers * (2.0 if "qkv" in name else 1.0) / np.prod(shape[1:]) ** 0.5
    else:
        numbers = 0.5 * numbers
    return numbers.astype(np.float32)


def images(size: tuple[int, int] = (H, W), batch: int = B, seed: int = 0) -> torch.Tensor:
    """Draw normalized images (B, 3, H, W)."""
    return torch.from_numpy(np.random.default_rng(seed).standard_normal((batch, 3, *size)).astype(np.float32))


def pixels(height: int = H, width: int = W, seed: int = 0) -> np.ndarray:
    """Draw a random image (H, W, 3) of uint8."""
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def checkpoint(config: ViTConfig = CONFIG, seed: int = 0) -> Checkpoint:
    """Create a checkpoint whose mean and standard deviation differ between channels."""
    names = tuple(f"class {k}" for k in range(config.num_classes))
    record = {"test_accuracy": 0.25, "epochs": 2}
    return Checkpoint("tiny", model(config, seed), names, (0.5, 0.4, 0.3), (0.2, 0.25, 0.3), record)


def context(variant: str = "plain", seed: int = 0, dtype: torch.dtype = torch.float32) -> ForwardContext:
    """Create the context of one image in a variant of the model."""
    model = checkpoint(VARIANTS[variant])
    model.network.to(dtype)
    return ForwardContext(model, images(batch=1, seed=seed)[0].to(dtype))


def attention(layers: int = L, heads: int = A, tokens: int = T, seed: int = 0) -> np.ndarray:
    """Draw attention (L, A, T, T); each row sums to 1."""
    scores = 2 * np.random.default_rng(seed).standard_normal((layers, heads, tokens, tokens))
    weights = np.exp(scores)
    return (weights / weights.sum(-1, keepdims=True)).astype(np.float32)


def attention_output(attention: np.ndarray | None = None, tokens: np.ndarray | None = None) -> AttentionOutput:
    """Create an output with this attention and these tokens, in double precision."""
    attention = np.zeros((1, 1, 1, 2, 2)) if attention is None else attention
    tokens = np.zeros((2, 1, 2, 1)) if tokens is None else tokens
    return AttentionOutput(
        torch.zeros(1, K), *(torch.from_numpy(values.astype(np.float64)) for values in (attention, tokens))
    )


def random_output(prefix: int = 1) -> AttentionOutput:
    """Draw attention and tokens of three images on the non-square grid."""
    weights = np.stack([attention(tokens=prefix + N, seed=image) for image in range(3)], 1)
    tokens = np.random.default_rng(5).standard_normal((L + 1, 3, prefix + N, D))
    return attention_output(weights, tokens)
