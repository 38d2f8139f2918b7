"""Insert blocks into a ViT without changing its function (block expansion; Wu et al. 2024, arXiv 2401.02415).

Run: `python -m scripts.expand_depth OUTPUT CHECKPOINT DEPTH`; then `vitviz train --init-from OUTPUT`. Each new block is
a copy of the one before it, and its output projections are zero, so that it adds nothing to the residual stream.
"""

import re
from dataclasses import replace
from pathlib import Path

import torch
import typer

from scripts.average_checkpoints import unmeasured
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.factory import create_model

BLOCK = re.compile(r"blocks\.(\d+)\.(.*)")  # name of a weight of a block
OUTPUTS = ("attn.proj.", "mlp.fc2.")  # output projections of a block


def main(output: Path, source: str, depth: int) -> None:
    """Insert blocks into the checkpoint SOURCE, a name or file, up to DEPTH, and write OUTPUT."""
    checkpoint.save(expand(checkpoint.load(source), depth), output)


def expand(source: Checkpoint, depth: int) -> Checkpoint:
    """Return a checkpoint of `depth` blocks with the same logits, and the training record without its accuracy.

    The new blocks are spread evenly. Of 6 blocks, a depth of 9 repeats the second, fourth and sixth.

    Raises:
        ValueError: If the model is not a `vitviz.models.vit.ViT`, or `depth` is less than its depth or more than twice.
    """
    config = source.config
    if not isinstance(config, ViTConfig) or config.architecture != ViTConfig.architecture:
        raise ValueError(f"The architecture must be {ViTConfig.architecture}: got {config.architecture}.")
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
    return replace(source, network=network, record=unmeasured(source) | {"expanded_from": source.name})


if __name__ == "__main__":
    typer.run(main)
