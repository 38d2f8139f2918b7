"""Activation patching: which heads, MLPs or tokens carry what the model sees in one image and not in another?

One activation of the network at a time is replaced, in the forward pass of one image, by the same activation of the
other image (Vig et al. 2020, arXiv 2004.12265; Wang et al. 2022, arXiv 2211.00593; Heimersheim & Nanda 2024, arXiv
2404.15255). Letters in shape comments are those of `vitviz.models.vit`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vitviz.attribution.context import BATCH_SIZE, ForwardContext, Target, target_logit
from vitviz.attribution.features import check_same_model
from vitviz.errors import InvalidValueError
from vitviz.models.vit import Intervention, Recorder, for_each_block
from vitviz.view import check_index

Array = NDArray[np.float32]
Part = Literal["heads", "mlp", "tokens"]


@dataclass(frozen=True)
class ActivationPatching:
    """Effect of each activation of image A on the target's logit in image B.

    Attributes:
        recovered: (logit of B with the activation of A - logit of B) / (logit of A - logit of B): 0 without effect, 1
            if this activation alone makes B's logit equal to A's; it may be negative or above 1. Heads (L, A): the
            output of a head at all tokens. MLPs (L,): what an MLP adds to all tokens. Tokens (L, T): one token after
            a block; those of removed patches are 0.
        part: What is replaced.
        logit: Target's logit, or difference of logits, of image A.
        corrupted_logit: That of image B.
        target: The class, or the class and its contrast.
    """

    recovered: Array
    part: Part
    logit: float
    corrupted_logit: float
    target: Target


class Replacement(Intervention):
    """An intervention that replaces one activation of one part in each image of a batch.

    Attributes:
        part: The part.
        activations: Activations of image A: heads (1, A, Q, d), or MLP and tokens (1, Q, D).
        chosen: Head or token of each image of the batch, (B,); ignored for an MLP.
    """

    part: Part
    activations: Tensor
    chosen: Tensor

    def apply(self, mixed: Tensor, values: Tensor) -> Tensor:
        """Replace one head, (B, A, Q, d)."""
        mixed = super().apply(mixed, values)
        return self.replace(mixed) if self.part == "heads" else mixed

    def apply_mlp(self, added: Tensor) -> Tensor:
        """Replace what the MLP adds, (B, Q, D)."""
        return self.activations.expand_as(added) if self.part == "mlp" else added

    def apply_tokens(self, x: Tensor) -> Tensor:
        """Replace one token, (B, Q, D); a token that the last block does not compute has no effect."""
        return self.replace(x) if self.part == "tokens" else x

    def replace(self, values: Tensor) -> Tensor:
        """Replace position `chosen` of the second dimension."""
        positions = torch.arange(values.shape[1], device=values.device)
        mask = positions == self.chosen[:, None]  # (B, A or Q)
        return torch.where(mask[(...,) + (None,) * (values.ndim - 2)], self.activations, values)


def patch_contexts(
    clean: ForwardContext,
    corrupted: ForwardContext,
    target: Target,
    part: Part = "heads",
    report: Callable[[int, int], None] = lambda done, total: None,
    layers: Sequence[int] | None = None,
) -> ActivationPatching:
    """Replace one activation at a time in the forward pass of an image by that of another image.

    Args:
        clean: Image A, whose activations are inserted.
        corrupted: Image B, in the same model, with the same patches removed.
        target: The class, or the class and its contrast, whose logit is measured.
        part: "heads", "mlp" or "tokens"; the number of forward passes is L A, L or L T.
        report: Called with the number of passes done and of all passes; an exception from it stops the computation.
        layers: The L layers whose activations are replaced, from 0; None for all.

    Raises:
        ValueError: If the part or a layer is unknown, the models or their grids differ, other patches are removed, or
            both images have the same logit.
    """
    depth = clean.config.depth
    chosen_layers = range(depth) if layers is None else layers
    for layer in chosen_layers:
        check_index("layer", layer, depth)
    if part not in get_args(Part):
        raise InvalidValueError("part", f"one of {', '.join(get_args(Part))}", part)
    check_same_model(clean, corrupted)
    if not np.array_equal(clean.kept_tokens, corrupted.kept_tokens):
        raise ValueError(
            "Activation patching needs the same tokens in both images: other patches are removed in one of them. "
            "Restore them, or paint them gray."
        )
    recorders = [Recorder(*one) for one in for_each_block(clean.interventions, clean.config, clean.image)]
    with torch.inference_mode():
        clean_logits = clean.model(clean.image[None], clean.batched_keep(1), recorders)
        output = corrupted.model.forward_with_attention(
            corrupted.image[None], "tokens", corrupted.batched_keep(1), corrupted.interventions
        )
    logit, corrupted_logit = (float(target_logit(logits, target)) for logits in (clean_logits, output.logits))
    if abs(logit - corrupted_logit) < 1e-6 * max(1.0, abs(logit)):
        raise ValueError(
            "Activation patching needs images with different logits of the target: choose another image or target."
        )
    kept = int(clean.kept_tokens.sum())
    count = {"heads": clean.config.num_heads, "mlp": 1, "tokens": kept}[part]
    inputs = output.layer_tokens
    patched = torch.cat(list(patched_logits(corrupted, inputs, recorders, target, part, count, report, chosen_layers)))
    recovered = (patched - corrupted_logit) / (logit - corrupted_logit)
    found = recovered.view(len(chosen_layers), -1).float().cpu().numpy()  # (L, count)
    if part == "tokens":
        found = corrupted.expand_tokens(found, axes=(1,))
    return ActivationPatching(found[:, 0] if part == "mlp" else found, part, logit, corrupted_logit, target)


def patched_logits(
    corrupted: ForwardContext,
    inputs: Sequence[Tensor],
    recorders: list[Recorder],
    target: Target,
    part: Part,
    count: int,
    report: Callable[[int, int], None],
    layers: Sequence[int],
) -> Iterator[Tensor]:
    """Yield the target's logits of image B with each activation replaced, layer by layer, from that layer's input."""
    total = len(layers) * count
    own = for_each_block(corrupted.interventions, corrupted.config, corrupted.image)
    for k, layer in enumerate(layers):
        recorded = getattr(recorders[layer], part)
        for chosen in torch.arange(count, device=corrupted.image.device).split(corrupted.batch_size(BATCH_SIZE)):
            replacement = Replacement(*own[layer])
            replacement.part, replacement.activations, replacement.chosen = part, recorded, chosen
            edited = [*own[:layer], replacement, *own[layer + 1 :]]
            tokens = inputs[layer].expand(len(chosen), -1, -1)
            with torch.inference_mode():
                logits = corrupted.model.forward_from(layer, tokens, corrupted.batched_keep(len(chosen)), edited)
            yield target_logit(logits, target)
            report(k * count + int(chosen[-1]) + 1, total)
