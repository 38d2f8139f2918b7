"""A checkpoint as a file of the engine in the browser: rounded weights in the safetensors format.

Metadata and names of tensors are those of `vitviz.models.checkpoint.save`. An int8 tensor has one factor a row: its
values are `NAME` times `NAME.scale`, float32 (rows,). With float32 and float16, `vitviz.load` reads the file, too.
"""

import copy
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import safetensors.torch
import torch
from torch import Tensor

from vitviz.models.checkpoint import EXTRA_PREFIX, Checkpoint, metadata_of
from vitviz.models.weights import Rounding, weights_sha256

SCALE = ".scale"
CAPTURED = "a model in the browser"  # what needs its blocks
HEAD_MEANS = "head_means"  # an extra tensor
Measured = tuple[dict[str, Any], Mapping[str, Tensor]]  # what the metadata state, and tensors by name
EQUAL_PREDICTIONS = {  # of the first 1,000 test images of CIFAR-10, by `python -m benchmarks rounding`
    "bdf80fb2242fe4bbbb87a8adc2aba9506d10acc1f13b2116e59c84654b4801a2": {"float16": 1000, "int8": 999}
}


def to_file(
    checkpoint: Checkpoint,
    rounding: Rounding = "float16",
    head_means: Tensor | None = None,
    measured: Mapping[str, Measured] | None = None,
) -> bytes:
    """Return the content of the file.

    Its metadata has, besides those of a checkpoint, its `name`, `credit`, `rounding` and the `sha256` of the weights
    before they were rounded (`vitviz.models.weights.weights_sha256`). Vectors stay in float32.

    Args:
        checkpoint: The model.
        rounding: Of its matrices, filters and position embeddings; the latter have float16 with "int8".
        head_means: Mean outputs of heads, (L, A, d), by which the engine replaces ablated heads.
        measured: What was measured of the model, by name; from `vitviz.attribution.measured.in_file`.

    Raises:
        CapturedModelError: If the model is captured.
    """
    checkpoint.require_blocks(CAPTURED)
    tensors: dict[str, Tensor] = {}
    for name, tensor in checkpoint.network.state_dict().items():
        tensors |= round_tensor(name, tensor.detach().cpu().float(), rounding)
    if head_means is not None:
        tensors[EXTRA_PREFIX + HEAD_MEANS] = head_means.detach().cpu().float()
    measured = measured or {}
    for part, (_, found) in measured.items():
        tensors |= {f"{EXTRA_PREFIX}{part}.{name}": tensor for name, tensor in found.items()}
    about: dict[str, Any] = {part: described for part, (described, _) in measured.items()}
    about |= {"name": checkpoint.name, "credit": checkpoint.credit, "rounding": rounding}
    metadata = metadata_of(checkpoint) | about | {"sha256": weights_sha256(checkpoint.network)}
    tensors = {name: tensor.contiguous() for name, tensor in tensors.items()}
    return safetensors.torch.save(tensors, {"vitviz": json.dumps(metadata, allow_nan=False)})


def rounded(checkpoint: Checkpoint, rounding: Rounding = "float16") -> Checkpoint:
    """Return a copy of a model that computes with the weights of its file; errors as of `to_file`."""
    checkpoint.require_blocks(CAPTURED)
    network = copy.deepcopy(checkpoint.network)
    weights = {}
    for name, tensor in network.state_dict().items():
        stored = round_tensor(name, tensor.detach().cpu().float(), rounding)
        scale = stored.get(name + SCALE, torch.ones(1)).view(-1, *[1] * (tensor.ndim - 1))
        weights[name] = stored[name].float() * scale if tensor.ndim else stored[name]
    network.load_state_dict(weights)
    return replace(checkpoint, network=network)


def describe(checkpoint: Checkpoint, rounding: Rounding) -> str:
    """Return a sentence on the rounding of a model file, and its effect where it was measured."""
    sha256 = weights_sha256(checkpoint.network)
    if rounding == "float32":
        return f"Weights: SHA-256 {sha256[:16]}…, not rounded."
    measured = ""
    if sha256 in EQUAL_PREDICTIONS:
        count = EQUAL_PREDICTIONS[sha256][rounding]
        measured = f"; {count:,} of 1,000 predictions on CIFAR-10 test images are those of the weights before"
    return f"Weights: SHA-256 {sha256[:16]}… before they were rounded to {rounding}{measured}."


def round_tensor(name: str, tensor: Tensor, rounding: Rounding) -> dict[str, Tensor]:
    """Return a float32 tensor as it is stored, by name; one that float16 cannot hold is not rounded."""
    if rounding == "float32" or tensor.ndim < 2:
        return {name: tensor}
    if rounding == "int8" and name.endswith("weight") and tensor.isfinite().all():
        scale = tensor.flatten(1).abs().amax(1).clamp(min=1e-30) / 127  # (rows,)
        shape = (-1, *[1] * (tensor.ndim - 1))
        return {name: (tensor / scale.view(shape)).round().char(), name + SCALE: scale}
    half = tensor.half()
    return {name: half if half.isfinite().all() else tensor}
