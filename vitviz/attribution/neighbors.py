"""Nearest neighbors of an image in a dataset, by the features that the model ends with.

The index of a dataset is computed once per model and kept in the cache folder, 16 bits per number: 19 MB for CIFAR-10
and a width of 192.
"""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from operator import index as as_index
from pathlib import Path
from typing import cast

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from vitviz.attribution.context import ForwardContext
from vitviz.data import preprocessing
from vitviz.errors import InvalidValueError
from vitviz.files import atomic_write, is_regular_file
from vitviz.models.attention_stats import max_batch_size
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig

BATCH_SIZE = 250  # images per forward pass, at most


@dataclass(frozen=True)
class FeatureIndex:
    """Features of the images of a dataset, each of norm 1, (n, D), float16."""

    features: NDArray[np.float16]


@dataclass(frozen=True)
class Neighbors:
    """The nearest images of a dataset, most similar first: their `indices` (k,) and cosine `similarities` (k,)."""

    indices: NDArray[np.int64]
    similarities: NDArray[np.float32]


def pool_features(tokens: Tensor, config: ViTConfig) -> Tensor:
    """Return the class token of (B, T, D), or without one the mean of the patches, of norm 1, (B, D), float32."""
    features = tokens[:, 0] if config.class_token else tokens[:, config.num_prefix_tokens :].mean(1)  # (B, D)
    return F.normalize(features.float(), dim=-1)


def build_index(
    checkpoint: Checkpoint,
    images: Tensor,
    report: Callable[[int, int], None] = lambda done, total: None,
    cache: Path | None = None,
) -> FeatureIndex:
    """Compute the index of a dataset, or read it from the cache folder.

    Args:
        checkpoint: The model.
        images: uint8 (n, 3, h, w), resized to the model's input as its own preprocessing does.
        report: Called with the number of images done and of all images; an exception from it stops the computation.
        cache: Folder of the cached files; None for `cache_folder()`. A folder that cannot be written is not used.

    Raises:
        ValueError: If there are no images, or the network has no attention.
    """
    if not len(images):
        raise ValueError("The nearest images need a dataset of at least one image: got none.")
    path = (cache or cache_folder()) / f"{fingerprint(checkpoint, images)}.npy"
    shape = len(images), checkpoint.network.config.embed_dim
    found = read_index(path, shape)
    if found is not None:
        return FeatureIndex(found)
    model, features, done = checkpoint.network, np.empty(shape, np.float16), 0
    for part in images.split(min(BATCH_SIZE, max_batch_size(model.config))):
        resized = preprocessing.resize_images(part, model.config.img_size, checkpoint.resize)
        with torch.inference_mode():
            last = model.forward_with_blocks(checkpoint.normalize(resized), None).last  # (B, T, D), or its class token
        features[done : done + len(part)] = pool_features(last, model.config).cpu().numpy()
        done += len(part)
        report(done, len(images))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as file:
            np.save(file, features)
    except OSError:
        pass  # a read-only or full disk costs time, not the result
    return FeatureIndex(features)


def read_index(path: Path, shape: tuple[int, int]) -> NDArray[np.float16] | None:
    """Return a cached index; None if there is none, or it is damaged."""
    try:
        if not is_regular_file(path):
            return None
        found: NDArray[np.float16] = np.load(path, mmap_mode="r", allow_pickle=False)  # no more than the file has
    except (OSError, ValueError, EOFError):
        return None
    return np.array(found) if found.shape == shape and found.dtype == np.float16 else None


def nearest(context: ForwardContext, index: FeatureIndex, count: int = 8) -> Neighbors:
    """Find the images of an index whose features are most similar to those of an image.

    Args:
        context: The image in the model of the index.
        index: From `build_index`.
        count: Number of images, at most that of the index.

    Raises:
        ValueError: If the count is less than 1, or the index is of a model of another width.
    """
    n, width = index.features.shape
    if width != context.config.embed_dim:
        own = f"{context.checkpoint.name} has {context.config.embed_dim}"
        raise ValueError(f"The index must be of the same model: its features have the width {width}, {own}.")
    if as_index(count) < 1:
        raise InvalidValueError("count", "at least 1", count)
    last = cast(Tensor, context.output.tokens)[-1:, 0]  # (1, T, D)
    token = pool_features(last, context.config)[0].cpu().numpy()  # (D,)
    similarities = index.features.astype(np.float32) @ token  # (n,)
    order = np.argsort(-similarities, kind="stable")[: min(count, n)]
    return Neighbors(order, similarities[order])


def cache_folder() -> Path:
    """Return the folder of cached files: `VITVIZ_CACHE`, else `vitviz` in the user's cache folder."""
    if chosen := os.environ.get("VITVIZ_CACHE"):
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(home) / "vitviz"


def fingerprint(checkpoint: Checkpoint, images: Tensor) -> str:
    """Return a digest of the weights, the preprocessing and the images."""
    digest = hashlib.blake2b(digest_size=16)
    settings = checkpoint.config, checkpoint.mean, checkpoint.std, checkpoint.resize, tuple(images.shape)
    digest.update(repr(settings).encode())
    for weight in checkpoint.network.state_dict().values():
        digest.update(weight.detach().float().cpu().numpy().tobytes())
    digest.update(images.cpu().numpy().tobytes())
    return digest.hexdigest()
