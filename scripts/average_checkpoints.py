"""Average the weights of checkpoints (Wortsman et al. 2022, arXiv 2203.05482, section 2: uniform soup).

Run: `python -m scripts.average_checkpoints OUTPUT CHECKPOINT...`; then `vitviz evaluate OUTPUT`. The checkpoints must
descend from each other: the loss between weights of independent runs has a barrier.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
import typer

from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.factory import create_model, require_transformer


def main(output: Path, checkpoints: list[str]) -> None:
    """Average the weights of CHECKPOINTS, names or files, and write OUTPUT."""
    checkpoint.save(average([checkpoint.load(name) for name in checkpoints]), output)


def average(checkpoints: list[Checkpoint]) -> Checkpoint:
    """Return a checkpoint with the mean weights, and the training record of the last one without its accuracy.

    Raises:
        ValueError: If the checkpoints differ in config, labels or preprocessing, or are convnets: the statistics of
            their BatchNorm are not those of the mean weights.
    """
    last = checkpoints[-1]
    require_transformer(last.network)
    for other in checkpoints[:-1]:
        if (other.config, other.labels, other.preprocessing) != (last.config, last.labels, last.preprocessing):
            raise ValueError(f"Config, labels and preprocessing must be equal: got {other.name} and {last.name}.")
    states = [one.network.state_dict() for one in checkpoints]
    network = create_model(last.config).eval()
    network.load_state_dict({name: torch.stack([state[name] for state in states]).mean(0) for name in states[-1]})
    return replace(last, network=network, record=unmeasured(last) | {"average_of": [one.name for one in checkpoints]})


def unmeasured(source: Checkpoint) -> dict[str, Any]:
    """Return the training record without the accuracy, which is not that of other weights."""
    return {name: v for name, v in source.record.items() if name != "eval_samples" and not name.endswith("accuracy")}


if __name__ == "__main__":
    typer.run(main)
