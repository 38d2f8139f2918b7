"""When does the class token decide? After a layer it is replaced by that of another image.

The other tokens stay those of the first image, and the later layers go on from there: the output follows the patches as
long as the class token has not decided, and the class token afterwards. It is activation patching of one token; see
`vitviz.attribution.activation_patching`. Letters in shape comments are those of `vitviz.models.vit`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vitviz.attribution.context import BATCH_SIZE, ForwardContext, class_probabilities
from vitviz.attribution.features import check_same_model
from vitviz.models.attention_stats import max_batch_size
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.modes import own_modes
from vitviz.models.vit import Intervention, Interventions, Transformer, for_each_block

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


class Swap(Intervention):
    """An intervention that replaces the tokens that the head reads in some images of a batch.

    Attributes:
        tokens: Those of the other images after the block, (B, 1 or 2, D).
        chosen: Images that get them, (B,).
    """

    tokens: Tensor
    chosen: Tensor

    def apply_tokens(self, x: Tensor) -> Tensor:
        """Replace the first tokens, (B, Q, D)."""
        head = self.tokens.shape[1]
        swapped = torch.where(self.chosen[:, None, None], self.tokens, x[:, :head])
        return torch.cat([swapped, x[:, head:]], 1)


def swap_contexts(a: ForwardContext, b: ForwardContext) -> ClassTokenSwap:
    """Swap the class token of a pair; see `vitviz.swap_class_token`."""
    check_same_model(a, b)
    check_class_token(a.checkpoint)
    config, depth = a.config, a.config.depth
    tokens = class_tokens([t[0] for t in b.output.layer_tokens[1:]], config)  # (L, 1 or 2, D)
    outputs = [a.output.logits]
    for layers in torch.arange(depth, device=a.image.device).split(a.batch_size(BATCH_SIZE)):
        images = a.image.expand(len(layers), -1, -1, -1)
        edited = swaps(tokens[:, None].expand(-1, len(layers), -1, -1), layers, a.interventions, config, a.image)
        with own_modes(), torch.inference_mode():
            outputs.append(a.model(images, a.batched_keep(len(layers)), edited))
    logits = torch.cat(outputs).float().cpu().numpy()  # (L + 1, K or D)
    own, other = a.output.logits[0].float().cpu().numpy(), b.output.logits[0].float().cpu().numpy()
    way = own - other
    share = (logits - other) @ way / max(float(way @ way), np.finfo(np.float32).tiny)
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
        report: Called with the number of forward passes done, at most (L + 1) B; it may raise to stop.

    Returns:
        The means; None if no two neighbors have different predictions.

    Raises:
        ValueError: If the head reads something else.
    """
    check_class_token(checkpoint)
    model, config = checkpoint.network, checkpoint.config
    logits, tokens = record(model, checkpoint.normalize(images))
    predicted, other = logits.argmax(1), logits.argmax(1).roll(-1)
    pairs = (predicted != other).nonzero()[:, 0]
    if not len(pairs):
        return None
    done = len(images)
    counts = torch.zeros(2, config.depth + 1)
    counts[0, 0] = len(pairs)
    for part in pairs.split(max_batch_size(config)):
        inputs, donors = checkpoint.normalize(images[part.cpu()]), (part + 1) % len(images)
        for layer in range(config.depth):
            chosen = torch.full((len(part),), layer, device=inputs.device)
            found = model(inputs, None, swaps(tokens[:, donors], chosen, None, config, inputs)).argmax(1)
            counts[0, layer + 1] += int((found == predicted[part]).sum())
            counts[1, layer + 1] += int((found == other[part]).sum())
            done += len(part)
            report(done)
    patches, class_token = (counts / len(pairs)).numpy()
    return SwapCurve(patches, class_token, len(pairs))


def record(model: Transformer, images: Tensor) -> tuple[Tensor, Tensor]:
    """Return the logits (B, K) of normalized images and the tokens that the head reads, (L, B, 1 or 2, D)."""
    logits, tokens = [], []
    for part in images.split(max_batch_size(model.config)):
        output = model.forward_with_attention(part, "tokens")
        logits.append(output.logits)
        tokens.append(class_tokens(output.layer_tokens[1:], model.config))
    return torch.cat(logits), torch.cat(tokens, 1)


def class_tokens(tokens: Sequence[Tensor], config: ViTConfig) -> Tensor:
    """Return the class token and the distillation token, if any, of tokens L x (..., T, D): (L, ..., 1 or 2, D)."""
    return torch.stack([x[..., : 1 + config.distilled, :] for x in tokens])


def swaps(
    tokens: Tensor, layers: Tensor, interventions: Interventions, config: ViTConfig, like: Tensor
) -> list[Intervention]:
    """Return the interventions that swap tokens (L, B, 1 or 2, D), in each image after its layer, (B,)."""
    found: list[Intervention] = []
    for layer, own in enumerate(for_each_block(interventions, config, like)):
        swap = Swap(*own)
        swap.tokens, swap.chosen = tokens[layer], layers == layer
        found.append(swap)
    return found


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
