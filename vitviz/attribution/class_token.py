"""When does the class token decide? After a layer it is replaced by that of another image.

The other tokens stay those of the first image, and the later layers go on from there: the output follows the patches as
long as the class token has not decided, and the class token afterwards. It is activation patching of one token; see
`vitviz.attribution.activation_patching`. Letters in shape comments are those of `vitviz.models.vit`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vitviz.attribution.context import ForwardContext, class_probabilities
from vitviz.attribution.features import check_same_model
from vitviz.models.attention_stats import max_batch_size
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.modes import own_modes

Array = NDArray[np.float32]


@dataclass(frozen=True)
class ClassTokenSwap:
    """The output for the patches of image A and, after a layer, the class token of image B.

    Index 0 is the swap before the first block, where the class token of all images is the same: the output is that of
    A. Index l is the swap after the l-th block; the last one is the output of B.

    Attributes:
        logits: (L + 1, K); of a model without head its features (L + 1, D).
        probabilities: (L + 1, K); empty without a head.
        patches_share: Where the output lies on the way from that of B (0) to that of A (1), by projection, (L + 1,);
            it may be outside of 0..1.
    """

    logits: Array
    probabilities: Array
    patches_share: Array


@dataclass(frozen=True)
class SwapCurve:
    """Means over pairs of images with different predictions, after each layer, (L + 1,), in 0..1; see `ClassTokenSwap`.

    Attributes:
        follows_patches: Fraction with the prediction of the image of the patches.
        follows_class_token: Fraction with the prediction of the image of the class token.
        pairs: Number of pairs.
    """

    follows_patches: Array
    follows_class_token: Array
    pairs: int


def swap_contexts(a: ForwardContext, b: ForwardContext) -> ClassTokenSwap:
    """Swap the class token of a pair; see `vitviz.swap_class_token`."""
    check_same_model(a, b)
    check_class_token(a.checkpoint)
    config, depth = a.config, a.config.depth
    own, other, keep = a.output.layer_tokens, b.output.layer_tokens, a.batched_keep(1)
    outputs = [a.output.logits]
    with own_modes(), torch.inference_mode():
        for layer in range(1, depth + 1):
            tokens = with_class_token(own[layer], other[layer], config)
            outputs.append(a.model.forward_from(layer, tokens, keep, a.interventions))
    logits = torch.cat(outputs).float().cpu().numpy()  # (L + 1, K or D)
    of_a, of_b = a.output.logits[0].float().cpu().numpy(), b.output.logits[0].float().cpu().numpy()
    way = of_a - of_b
    share = (logits - of_b) @ way / max(float(way @ way), np.finfo(np.float32).tiny)
    probabilities = class_probabilities(config, logits) if config.num_classes else np.empty((depth + 1, 0), np.float32)
    return ClassTokenSwap(logits, probabilities, share)


@own_modes()
@torch.inference_mode()
def swap_curve(
    checkpoint: Checkpoint, images: Tensor, report: Callable[[int], None] = lambda done: None
) -> SwapCurve | None:
    """Swap the class token of each image for that of the next one, where the model predicts another class for it.

    Args:
        checkpoint: A classifier whose head reads the class token.
        images: uint8 (B, 3, H, W), at least two.
        report: Called with the number of images done; it may raise to stop.

    Returns:
        The means; None if no two neighbors have different predictions.

    Raises:
        ValueError: If the head reads something else.
    """
    check_class_token(checkpoint)
    model, config = checkpoint.network, checkpoint.config
    counts, pairs = torch.zeros(2, config.depth + 1), 0
    order = torch.arange(len(images) + 1) % len(images)
    size = max(1, max_batch_size(config) - 1)
    for start in range(0, len(images), size):
        part = order[start : start + size + 1]  # one more: the class token for the last one
        output = model.forward_with_attention(checkpoint.normalize(images[part]), "tokens")
        predicted = output.logits.argmax(1)
        (own,) = (predicted[:-1] != predicted[1:]).nonzero(as_tuple=True)
        pairs += len(own)
        for layer in range(1, config.depth + 1) if len(own) else ():
            tokens = output.layer_tokens[layer]
            found = model.forward_from(layer, with_class_token(tokens[own], tokens[own + 1], config)).argmax(1)
            counts[0, layer] += int((found == predicted[own]).sum())
            counts[1, layer] += int((found == predicted[own + 1]).sum())
        report(start + len(part) - 1)
    if not pairs:
        return None
    counts[0, 0] = pairs
    patches, class_token = (counts / pairs).numpy()
    return SwapCurve(patches, class_token, pairs)


def with_class_token(tokens: Tensor, other: Tensor, config: ViTConfig) -> Tensor:
    """Return tokens (B, T, D) with the class token, and the distillation token if any, of others (B, T', D)."""
    head = 1 + config.distilled
    return torch.cat([other[:, :head], tokens[:, head:]], 1)


def reads_class_token(checkpoint: Checkpoint) -> bool:
    """Whether a classifier reads the class token alone, so that its predictions can be swapped."""
    config = checkpoint.config
    return checkpoint.is_classifier and not config.is_captured and config.global_pool == "token"


def check_class_token(checkpoint: Checkpoint) -> None:
    """Refuse a model whose output is not read from the class token alone.

    Raises:
        CapturedModelError: If the model is captured.
        ValueError: If its head reads other tokens.
    """
    checkpoint.require_blocks("swapping the class token")
    if checkpoint.config.global_pool != "token":
        read = {
            "avg": "the mean of the patches",
            "map": "attention pooling",
            "token_avg": "the mean of the patches, too",
        }
        raise ValueError(
            f"Swapping the class token needs a head that reads it alone: that of {checkpoint.name} reads "
            f"{read[checkpoint.config.global_pool]}."
        )
