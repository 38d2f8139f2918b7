"""The share of the budget that is spent -> the rate, and how many patches a step uses."""

import math

from vitviz.training.config import TrainConfig


def schedule(config: TrainConfig, share: float) -> float:
    """The rate at a share of the budget, relative to its peak: a straight climb, then as the config says."""
    if share < config.warm_up:
        return share / config.warm_up
    left = (1 - share) / (1 - config.warm_up)
    return {"line": left, "cosine": 0.5 - 0.5 * math.cos(math.pi * left), "constant": 1.0}[config.schedule]


def patches_kept(config: TrainConfig, share: float) -> float:
    """The share of patches used at a share of the budget: a steady climb, then all."""
    if share >= config.all_patches_from:
        return 1.0
    return config.first_patches + (config.last_patches - config.first_patches) * share / config.all_patches_from
