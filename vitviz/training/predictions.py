"""Test predictions of bundled checkpoints, computed in advance.

`python -m scripts.predict_test_set` writes `checkpoints/NAME.predictions.npz`: `classes` (n,) of uint8,
`probabilities` (n,) of uint16 / 65535, the SHA-256 of the checkpoint file (32,), and a hash of each batch of images
(n / 100, 8). A stored prediction is used only for the very weights and images that it was computed from.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from vitviz.data.preprocessing import resize_images
from vitviz.files import atomic_write
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.training.evaluation import predict

BATCH_SIZE = 100  # larger ones only take memory
MAX_PROBABILITY = 65535  # of the stored probabilities
HASH_BYTES = 8


class Predictions(NamedTuple):
    """Predictions of n images."""

    classes: Tensor  # index in the model's labels, (n,)
    probabilities: Tensor  # of that class, (n,)


class StoredPredictions(NamedTuple):
    """Stored predictions and the hash of each batch of their images."""

    predictions: Predictions
    hashes: list[bytes]


def compute_predictions(
    model: Checkpoint,
    images: Tensor,
    stored: StoredPredictions | None = None,
    report: Callable[[int], None] = lambda done: None,
) -> Predictions:
    """Predict images, except for those whose predictions are stored.

    Args:
        model: A classifier.
        images: uint8 (n, 3, H, W), resized to the model's input size.
        stored: From `read_predictions` of this model.
        report: Called after each batch with its number of images.
    """
    found = []
    for i, batch in enumerate(images.split(BATCH_SIZE)):
        if stored is not None and i < len(stored.hashes) and stored.hashes[i] == hash_images(batch):
            part = slice(i * BATCH_SIZE, i * BATCH_SIZE + len(batch))
            found.append(Predictions(*(values[part] for values in stored.predictions)))
        else:
            logits = model.check_logits(
                predict(model, resize_images(batch, model.config.img_size, model.resize))
            )  # (B, K)
            probabilities, classes = logits.softmax(-1).max(-1)
            found.append(Predictions(classes.cpu(), probabilities.cpu()))
        report(len(batch))
    return Predictions(*(torch.cat(values) for values in zip(*found, strict=True)))


def predictions_path(name: str) -> Path:
    """Return the file with the predictions of a bundled checkpoint, which may not exist."""
    return checkpoint.CHECKPOINTS / f"{name}.predictions.npz"


def write_predictions(name: str, images: Tensor, predictions: Predictions) -> Path:
    """Store the predictions of a bundled checkpoint for images, and return the file."""
    path = predictions_path(name)
    hashes = [list(hash_images(batch)) for batch in images.split(BATCH_SIZE)]
    with atomic_write(path) as file:
        np.savez_compressed(
            file,
            classes=predictions.classes.numpy().astype(np.uint8),
            probabilities=(predictions.probabilities * MAX_PROBABILITY).round().numpy().astype(np.uint16),
            checkpoint=np.array(list(hash_checkpoint(name)), np.uint8),
            images=np.array(hashes, np.uint8),
        )
    return path


def read_predictions(name: str) -> StoredPredictions | None:
    """Return the stored predictions of a bundled checkpoint, or None if there are none for its weights."""
    path = predictions_path(name)
    if name not in checkpoint.bundled_checkpoints() or not path.is_file():
        return None
    checkpoint.check_sha256(path)
    with np.load(path, allow_pickle=False) as stored:
        if stored["checkpoint"].tobytes() != hash_checkpoint(name):
            return None
        classes = torch.from_numpy(stored["classes"].astype(np.int64))
        probabilities = torch.from_numpy(stored["probabilities"].astype(np.float32) / MAX_PROBABILITY)
        return StoredPredictions(Predictions(classes, probabilities), [row.tobytes() for row in stored["images"]])


def hash_checkpoint(name: str) -> bytes:
    """Return the SHA-256 of the file of a bundled checkpoint."""
    with checkpoint.bundled_checkpoints()[name].open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def hash_images(images: Tensor) -> bytes:
    """Return a hash of the shape and pixels of uint8 images (n, 3, H, W)."""
    content = hashlib.sha256(repr(tuple(images.shape)).encode())
    content.update(images.contiguous().numpy().tobytes())
    return content.digest()[:HASH_BYTES]
