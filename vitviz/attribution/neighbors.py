"""Nearest neighbors of an image in a dataset, by the features that the model's head reads.

The index of a dataset is computed once per model and kept in the cache folder, 16 bits per number: 19 MB for CIFAR-10
and a width of 192.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from operator import index as as_index
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from vitviz.attribution.context import ForwardContext
from vitviz.data import preprocessing
from vitviz.errors import InvalidValueError
from vitviz.files import atomic_write, cache_folder, is_regular_file
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.features import compute_features

BATCH_SIZE = 250  # images that are resized at once


@dataclass(frozen=True)
class FeatureIndex:
    """Features of the images of a dataset, each of norm 1, (n, D), float16."""

    features: NDArray[np.float16]


@dataclass(frozen=True)
class Neighbors:
    """The nearest images of a dataset, most similar first: their `indices` (k,) and cosine `similarities` (k,)."""

    indices: NDArray[np.int64]
    similarities: NDArray[np.float32]


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
    found = read_index(path, len(images))
    if found is not None:
        return FeatureIndex(found)
    parts, done = [], 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        report(done, len(images))

    for part in images.split(BATCH_SIZE):
        resized = preprocessing.resize_images(part, checkpoint.config.img_size, checkpoint.resize)
        parts.append(unit_features(checkpoint, resized, advance))
    features = np.concatenate(parts)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as file:
            np.save(file, features)
    except OSError:
        pass  # a read-only or full disk costs time, not the result
    return FeatureIndex(features)


def unit_features(checkpoint: Checkpoint, images: Tensor, report: Callable[[int], None]) -> NDArray[np.float16]:
    """Return the features of images of norm 1, (n, F); arguments as for `compute_features`."""
    return F.normalize(compute_features(checkpoint, images, report), dim=-1).numpy().astype(np.float16)


def read_index(path: Path, count: int) -> NDArray[np.float16] | None:
    """Return a cached index of so many images; None if there is none, or it is damaged."""
    try:
        if not is_regular_file(path):
            return None
        found: NDArray[np.float16] = np.load(path, mmap_mode="r", allow_pickle=False)  # no more than the file has
    except (OSError, ValueError, EOFError):
        return None
    is_valid = found.ndim == 2 and len(found) == count and found.dtype == np.float16
    return np.array(found) if is_valid else None


def nearest(context: ForwardContext, index: FeatureIndex, count: int = 8) -> Neighbors:
    """Find the images of an index whose features are most similar to those of an image.

    Args:
        context: The image in the model of the index.
        index: From `build_index`.
        count: Number of images, at most that of the index.

    Raises:
        ValueError: If the count is less than 1, or the index is of a model of another width.
    """
    if as_index(count) < 1:
        raise InvalidValueError("count", "at least 1", count)
    with torch.inference_mode():
        last = cast(Any, context.output.layer_tokens)[-1]  # (1, T, D)
        features = context.checkpoint.network.forward_head(last, pre_logits=True)[0]  # (F,)
    own = F.normalize(features.float(), dim=-1).cpu().numpy()
    n, width = index.features.shape
    if width != len(own):
        raise ValueError(
            f"The index must be of the same model: its features have the width {width}, "
            f"{context.checkpoint.name} has {len(own)}."
        )
    similarities = index.features.astype(np.float32) @ own  # (n,)
    order = np.argsort(-similarities, kind="stable")[: min(count, n)]
    return Neighbors(order, similarities[order])


def fingerprint(checkpoint: Checkpoint, images: Tensor) -> str:
    """Return a digest of the weights, the preprocessing and the images."""
    digest = hashlib.blake2b(digest_size=16)
    settings = "head", checkpoint.config, checkpoint.mean, checkpoint.std, checkpoint.resize, tuple(images.shape)
    digest.update(repr(settings).encode())
    for weight in checkpoint.network.state_dict().values():
        digest.update(weight.detach().float().cpu().numpy().tobytes())
    digest.update(images.cpu().numpy().tobytes())
    return digest.hexdigest()
