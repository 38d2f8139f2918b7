"""Presets: named training configurations.

Accuracy, minutes and hardware of each are in checkpoints/README.md and docs/training.md.
"""

from dataclasses import dataclass, replace
from typing import Any

from vitviz.errors import ConfigError
from vitviz.models.config import ViTConfig
from vitviz.training.config import TrainConfig

# The usual training loop of a tutorial: Adam, constant learning rate, no augmentation but crops and flips, no EMA.
PLAIN: dict[str, Any] = {
    "epochs": 10,
    "minutes": None,
    "batch_size": 128,
    "optimizer": "adam",
    "lr": 1e-3,
    "weight_decay": 0.0,
    "grad_clip_norm": 1e3,
    "lr_schedule": "constant",
    "warmup_fraction": 0.0,
    "randaug_num_ops": 0,
    "cutmix_prob": 0.0,
    "label_smoothing": 0.0,
    "patch_keep_start": 1.0,
    "patch_keep_end": 1.0,
    "ema_decay": 0.0,
}
# Hyperparameters of the notebook: AdamW 1e-4, weight decay 1e-5, gradients clipped at 0.1.
NOTEBOOK = PLAIN | {"optimizer": "adamw", "lr": 1e-4, "weight_decay": 1e-5, "grad_clip_norm": 0.1}
# The tutorial gives only the MLP ratio; the other sizes are those of tutorial-lightning.
SCRATCH = ViTConfig(
    architecture="tutorial-scratch", embed_dim=256, depth=2, num_heads=8, mlp_ratio=4.0, pos_drop_rate=0.1
)
PRESETS: dict[str, TrainConfig] = {
    "cifar10-ti4": TrainConfig(),
    "cifar10-2min": TrainConfig(
        preset="cifar10-2min",
        model=ViTConfig(embed_dim=128, depth=4, num_heads=4),
        minutes=2,
        batch_size=128,
        randaug_num_ops=0,
        cutmix_prob=0.0,
    ),
    "cifar10-s4": TrainConfig(
        preset="cifar10-s4",
        model=ViTConfig(embed_dim=256, depth=9, num_heads=8, mlp_ratio=4.0, drop_path_rate=0.1),
        minutes=18,
        batch_size=1024,
        lr=1e-3,
        randaug_num_ops=2,
        randaug_magnitude=0.9,
        mixup_prob=0.5,
        random_erasing_prob=0.25,
        patch_keep_start=1.0,
        patch_keep_end=1.0,
        patch_dropout_until=0.0,
        ema_decay=0.9998,
        checkpoint_every_epochs=20,
    ),
    "tutorial-notebook": TrainConfig(
        preset="tutorial-notebook",
        model=ViTConfig(
            architecture="tutorial-notebook", embed_dim=384, depth=2, num_heads=6, mlp_ratio=1.0, pos_drop_rate=0.5
        ),
        **NOTEBOOK,
    ),
    "tutorial-lightning": TrainConfig(
        preset="tutorial-lightning",
        model=ViTConfig(
            architecture="tutorial-lightning", embed_dim=256, depth=2, num_heads=8, mlp_ratio=2.0, pos_drop_rate=0.1
        ),
        **PLAIN,
    ),
    "tutorial-scratch": TrainConfig(preset="tutorial-scratch", model=SCRATCH, **PLAIN),
    "tutorial-scratch-fixed": TrainConfig(
        preset="tutorial-scratch-fixed", model=replace(SCRATCH, architecture="tutorial-scratch-fixed"), **PLAIN
    ),
}
"""Configurations by name, each a `TrainConfig`."""


@dataclass(frozen=True)
class Lesson:
    """A training of a lesson's length, the first choice of the Train page, and what it reached; None: not measured."""

    minutes: int
    preset: str
    measured_minutes: int | None = None  # the time in which it was reached
    epochs: float | None = None
    test_accuracy: float | None = None  # on the 10,000 test images of CIFAR-10
    # Entropy of the class token's attention in the last layer divided by that of uniform attention: smallest and
    # largest of the ten samples.
    entropy: tuple[float, float] | None = None
    hardware: str = ""


EPYC = "two cores of an AMD EPYC (Zen 5, bfloat16)"
# One run each, seed 0: `python -m vitviz train --preset PRESET --minutes MINUTES`. The third with `--epochs 58` next to
# other programs: two idle cores take 60 minutes for them, as 85.2 epochs took 88.
LESSONS = (
    Lesson(2, "cifar10-2min", 2, 4.7, 0.7245, (0.65, 0.79), EPYC),
    Lesson(10, "cifar10-2min", 10, 23.8, 0.8343, None, EPYC),
    Lesson(60, "cifar10-ti4", 60, 58.0, 0.8966, None, EPYC),
)


def get_preset(name: str) -> TrainConfig:
    """Return the preset of this name; ConfigError if there is none."""
    if name not in PRESETS:
        raise ConfigError("preset", f"must be one of {', '.join(PRESETS)}: got {name!r}")
    return PRESETS[name]
