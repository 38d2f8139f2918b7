"""A checkpoint as a file of the engine in the browser: rounded weights in the safetensors format.

Metadata and names of tensors are those of `vitviz.models.checkpoint.save`. An int8 tensor has one factor a row: its
values are `NAME` times `NAME.scale`, float32 (rows,). With float32 and float16, `vitviz.load` reads the file, too.
"""

import json
from typing import Literal

import safetensors.torch
from torch import Tensor

from vitviz.models.checkpoint import EXTRA_PREFIX, Checkpoint, metadata_of
from vitviz.models.weights import weights_sha256

Rounding = Literal["float32", "float16", "int8"]
SCALE = ".scale"
HEAD_MEANS = "head_means"  # an extra tensor


def to_file(checkpoint: Checkpoint, rounding: Rounding = "float16", head_means: Tensor | None = None) -> bytes:
    """Return the content of the file.

    Its metadata has, besides those of a checkpoint, its `name`, `credit`, `rounding` and the `sha256` of the weights
    before they were rounded (`vitviz.models.weights.weights_sha256`). Vectors stay in float32.

    Args:
        checkpoint: The model.
        rounding: Of its matrices, filters and position embeddings; the latter have float16 with "int8".
        head_means: Mean outputs of heads, (L, A, d), by which the engine replaces ablated heads.

    Raises:
        CapturedModelError: If the model is captured.
    """
    checkpoint.require_blocks("a model in a file of the page")
    tensors: dict[str, Tensor] = {}
    for name, tensor in checkpoint.network.state_dict().items():
        tensors |= round_tensor(name, tensor.detach().cpu().float(), rounding)
    if head_means is not None:
        tensors[EXTRA_PREFIX + HEAD_MEANS] = head_means.detach().cpu().float()
    about = {"name": checkpoint.name, "credit": checkpoint.credit, "rounding": rounding}
    metadata = metadata_of(checkpoint) | about | {"sha256": weights_sha256(checkpoint.network)}
    tensors = {name: tensor.contiguous() for name, tensor in tensors.items()}
    return safetensors.torch.save(tensors, {"vitviz": json.dumps(metadata, allow_nan=False)})


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
