"""Features of images: the input of the last linear layer of a model's head."""

from collections.abc import Callable

import torch
from torch import Tensor

from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.modes import own_modes

ACTIVATIONS = 2**23  # elements of the widest activation of one forward pass: 32 MiB


@own_modes()
def compute_features(model: Checkpoint, images: Tensor, report: Callable[[int], None] = lambda count: None) -> Tensor:
    """Return the input of the last linear layer of a model's head, (n, F), float32 on the CPU.

    Args:
        model: The model; it may have no head.
        images: uint8 (n, 3, H, W), at the model's input size.
        report: Called after each forward pass with its number of images.

    Raises:
        CapturedModelError: If the model is captured.
        CheckpointError: If a feature is NaN or infinite.
    """
    model.require_blocks("features")
    network, features = model.network, []
    for batch in images.split(max_batch_size(model.config)):
        with torch.inference_mode():
            last = network.forward_with_blocks(model.normalize(batch), None).last
            features.append(network.forward_head(last, pre_logits=True).float().cpu())
        report(len(batch))
    return model.check_logits(torch.cat(features), "features").clone()  # not a tensor of inference mode


def max_batch_size(config: ViTConfig) -> int:
    """Return the images of a forward pass whose widest activations have at most `ACTIVATIONS` elements; at least 1."""
    return max(1, ACTIVATIONS // (config.num_tokens * config.mlp_hidden_dim))
