"""Insert blocks into a ViT without changing its function (block expansion; Wu et al. 2024, arXiv 2401.02415).

Run: `python -m scripts.expand_depth OUTPUT CHECKPOINT DEPTH`; then `vitviz train --init-from OUTPUT`. Each new block is
a copy of the one before it, and its output projections are zero, so that it adds nothing to the residual stream.
"""

import re
import sys
from dataclasses import replace
from pathlib import Path

import torch

from scripts.average_checkpoints import MEASURED
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.factory import create_model

BLOCK = re.compile(r"blocks\.(\d+)\.(.*)")  # name of a weight of a block
OUTPUTS = ("attn.proj.", "mlp.fc2.")  # output projections of a block


def main() -> None:
    """Load the checkpoint, expand and save."""
    output, name, depth = sys.argv[1:]
    checkpoint.save(expand(checkpoint.load(name), int(depth)), Path(output))


def expand(source: Checkpoint, depth: int) -> Checkpoint:
    """Return a checkpoint of `depth` blocks with the same logits, and the training record without its accuracy.

    The new blocks are spread evenly. Of 6 blocks, a depth of 9 repeats the second, fourth and sixth.

    Raises:
        ValueError: If the model is not one of vitviz's own Vision Transformers, or has more than `depth` blocks or
            fewer than half.
    """
    config = source.config
    if not isinstance(config, ViTConfig) or config.architecture != ViTConfig.architecture:
        raise ValueError(f"The model must be a ViT of this package: got a {config.architecture}.")
    added = depth - config.depth
    if not 0 <= added <= config.depth:
        raise ValueError(f"The depth must be from {config.depth} to {2 * config.depth}: got {depth}.")
    repeated = {(index + 1) * config.depth // added - 1 for index in range(added)}
    blocks = [(block, copy) for block in range(config.depth) for copy in range(1 + (block in repeated))]
    weights = source.network.state_dict()
    network = create_model(replace(config, depth=depth)).eval()
    expanded = {}
    for name in network.state_dict():
        if (match := BLOCK.fullmatch(name)) is None:
            expanded[name] = weights[name]
        else:
            block, copy = blocks[int(match[1])]
            weight = weights[f"blocks.{block}.{match[2]}"]
            expanded[name] = torch.zeros_like(weight) if copy and match[2].startswith(OUTPUTS) else weight
    network.load_state_dict(expanded)
    record = {name: value for name, value in source.record.items() if name not in MEASURED}
    return replace(source, network=network, record=record)


if __name__ == "__main__":
    main()
