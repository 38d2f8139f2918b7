"""Average the weights of checkpoints (Wortsman et al. 2022, arXiv 2203.05482, section 2: uniform soup).

Run: `python -m scripts.average_checkpoints OUTPUT CHECKPOINT...`; then `vitviz evaluate OUTPUT`. The checkpoints must
descend from each other: the loss between weights of independent runs has a barrier.
"""

import sys
from dataclasses import replace
from pathlib import Path

import torch

from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.factory import create_model

MEASURED = ("test_accuracy", "eval_samples")  # of a training record


def main() -> None:
    """Load the checkpoints, average and save."""
    output, *names = sys.argv[1:]
    checkpoint.save(average([checkpoint.load(name) for name in names]), Path(output))


def average(checkpoints: list[Checkpoint]) -> Checkpoint:
    """Return a checkpoint with the mean weights, and the training record of the last one without its accuracy.

    Raises:
        ValueError: If the checkpoints differ in config, labels or preprocessing.
    """
    last = checkpoints[-1]
    for other in checkpoints[:-1]:
        if (other.config, other.labels, other.preprocessing) != (last.config, last.labels, last.preprocessing):
            raise ValueError(f"Config, labels and preprocessing must be equal: got {other.name} and {last.name}.")
    states = [found.network.state_dict() for found in checkpoints]
    network = create_model(last.config).eval()
    network.load_state_dict({name: torch.stack([state[name] for state in states]).mean(0) for name in states[-1]})
    record = {name: value for name, value in last.record.items() if name not in MEASURED}
    return replace(last, network=network, record=record | {"average_of": [found.name for found in checkpoints]})


if __name__ == "__main__":
    main()
