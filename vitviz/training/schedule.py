"""The share of the budget that is spent -> the rate, and how many patches a step uses."""

import math

from vitviz.training.config import TrainConfig


def schedule(config: TrainConfig, share: float) -> float:
    """The rate at a share of the budget, relative to its peak: a straight climb, then as the config says."""
    if share < config.warmup_fraction:
        return share / config.warmup_fraction
    left = (1 - share) / (1 - config.warmup_fraction)
    return {"linear": left, "cosine": 0.5 - 0.5 * math.cos(math.pi * left), "constant": 1.0}[config.lr_schedule]


def patches_kept(config: TrainConfig, share: float) -> float:
    """The share of patches used at a share of the budget: a steady climb, then all."""
    if share >= config.patch_dropout_until:
        return 1.0
    return (
        config.patch_keep_start + (config.patch_keep_end - config.patch_keep_start) * share / config.patch_dropout_until
    )
