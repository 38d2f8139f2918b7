"""A checkpoint + labelled pictures -> how many it names right."""

from collections.abc import Callable

import torch
from torch import Tensor

from vitviz.model.checkpoint import Checkpoint


@torch.inference_mode()
def accuracy(
    checkpoint: Checkpoint,
    images: Tensor,
    labels: Tensor,
    batch_size: int = 500,
    report: Callable[[int], None] = lambda done: None,
) -> float:
    """Measure the share of pictures that a model names right.

    Args:
        checkpoint: The model.
        images: uint8 (n, 3, H, W).
        labels: (n,), positions in the checkpoint's classes.
        batch_size: Pictures in one forward pass.
        report: Called after each pass with the number of pictures in it.

    Returns:
        In 0..1.
    """
    right = 0
    for part, truth in zip(images.split(batch_size), labels.split(batch_size), strict=True):
        logits = checkpoint.model(checkpoint.normalise(part))  # (B, K)
        right += int((logits.argmax(-1) == truth.to(logits.device)).sum())
        report(len(part))
    return right / len(labels)
