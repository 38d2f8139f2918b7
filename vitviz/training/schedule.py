"""Schedules over the progress of a run: learning rate and patch dropout."""

import math

from vitviz.training.config import TrainConfig


def lr_factor(config: TrainConfig, progress: float) -> float:
    """Return the learning rate relative to its peak at a progress, 0..1: linear warmup, then `config.lr_schedule`."""
    if progress < config.warmup_fraction:
        return progress / config.warmup_fraction
    left = (1 - progress) / (1 - config.warmup_fraction)
    return {"linear": left, "cosine": 0.5 - 0.5 * math.cos(math.pi * left), "constant": 1.0}[config.lr_schedule]


def patch_keep_ratio(config: TrainConfig, progress: float) -> float:
    """Return the fraction of patches kept at a progress, 0..1: linear until `config.patch_dropout_until`, then 1."""
    if progress >= config.patch_dropout_until:
        return 1.0
    start, end = config.patch_keep_start, config.patch_keep_end
    return start + (end - start) * progress / config.patch_dropout_until
