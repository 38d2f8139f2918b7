"""Presets: named training configurations, each with what it reached, for page, command line and documents."""

from dataclasses import dataclass, fields, replace
from typing import Any

from vitviz.errors import ConfigError, did_you_mean
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


@dataclass(frozen=True)
class Preset:
    """A named training configuration, and what one run of it reached, with seed 0."""

    config: TrainConfig
    about: str  # a sentence for the page
    command: str
    hardware: str
    minutes: int
    test_accuracy: float | None  # on all test images; None: not measured
    corrected: str | None = None  # name of the preset without the mistake of this one


ZEN5 = "two cores of an AMD EPYC (Zen 5, bfloat16)"
ZEN4 = "two cores of an AMD EPYC (Zen 4, bfloat16)"
PRESETS: dict[str, Preset] = {
    "cifar10-ti4": Preset(
        TrainConfig(),
        about="Made for two CPU cores.",
        command="python -m vitviz train --preset cifar10-ti4",
        hardware=ZEN5,
        minutes=88,
        test_accuracy=0.9091,
    ),
    "cifar10-2min": Preset(
        TrainConfig(
            output_dir="runs/cifar10-2min",
            model=ViTConfig(embed_dim=128, depth=4, num_heads=4),
            minutes=2,
            batch_size=128,
            randaug_num_ops=0,
            cutmix_prob=0.0,
        ),
        about="A small network that learns visibly within two minutes on two CPU cores.",
        command="python -m vitviz train --preset cifar10-2min",
        hardware=ZEN5,
        minutes=2,
        test_accuracy=0.7245,
    ),
    "cifar10-mae": Preset(
        TrainConfig(output_dir="runs/cifar10-mae", objective="mae", minutes=30),
        about="Learns without labels, by predicting the pixels of masked patches. Fine-tune its result.",
        command="python -m vitviz train --preset cifar10-mae",
        hardware=ZEN5,
        minutes=30,
        test_accuracy=None,
    ),
    "cifar10-s4": Preset(
        TrainConfig(
            output_dir="runs/cifar10-s4",
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
        about="Larger and more accurate. Made for a GPU: on a CPU it learns little in this time.",
        command="python -m vitviz train --preset cifar10-s4",
        hardware="one GPU",
        minutes=18,
        test_accuracy=None,
    ),
    "tutorial-notebook": Preset(
        TrainConfig(
            output_dir="runs/tutorial-notebook",
            model=ViTConfig(
                architecture="tutorial-notebook", embed_dim=384, depth=2, num_heads=6, mlp_ratio=1.0, pos_drop_rate=0.5
            ),
            **NOTEBOOK,
        ),
        about="As in the notebook: a norm after each block, none at the end.",
        command="python -m vitviz train --preset tutorial-notebook --minutes 10 --num-snapshots 0",
        hardware=ZEN4,
        minutes=10,
        test_accuracy=0.2775,
    ),
    "tutorial-lightning": Preset(
        TrainConfig(
            output_dir="runs/tutorial-lightning",
            model=ViTConfig(
                architecture="tutorial-lightning", embed_dim=256, depth=2, num_heads=8, mlp_ratio=2.0, pos_drop_rate=0.1
            ),
            **PLAIN,
        ),
        about="As in the Lightning tutorial: the residual branches off after the norm.",
        command="python -m vitviz train --preset tutorial-lightning --minutes 10 --num-snapshots 0",
        hardware=ZEN4,
        minutes=10,
        test_accuracy=0.6116,
    ),
    "tutorial-scratch": Preset(
        TrainConfig(output_dir="runs/tutorial-scratch", model=SCRATCH, **PLAIN),
        about="As in the from-scratch tutorial, with its mistake: reshape cuts strips of 16 pixels along the rows of "
        "the image instead of squares of 4 by 4, so a patch shows no shape.",
        command="python -m vitviz train --preset tutorial-scratch --minutes 10 --num-snapshots 0",
        hardware=ZEN4,
        minutes=10,
        test_accuracy=0.5346,
        corrected="tutorial-scratch-fixed",
    ),
    "tutorial-scratch-fixed": Preset(
        TrainConfig(
            output_dir="runs/tutorial-scratch-fixed",
            model=replace(SCRATCH, architecture="tutorial-scratch-fixed"),
            **PLAIN,
        ),
        about="The same network with the patches cut as squares.",
        command="python -m vitviz train --preset tutorial-scratch-fixed --minutes 10 --num-snapshots 0",
        hardware=ZEN4,
        minutes=10,
        test_accuracy=None,
    ),
}
"""Training configurations by name, each a `Preset`."""


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


# One run each, seed 0: `python -m vitviz train --preset PRESET --minutes MINUTES`. The third with `--epochs 58` next to
# other programs: two idle cores take 60 minutes for them, as 85.2 epochs took 88.
LESSONS = (
    Lesson(2, "cifar10-2min", 2, 4.7, 0.7245, (0.65, 0.79), ZEN5),
    Lesson(10, "cifar10-2min", 10, 23.8, 0.8343, None, ZEN5),
    Lesson(60, "cifar10-ti4", 60, 58.0, 0.8966, None, ZEN5),
)


@dataclass(frozen=True)
class Experiment:
    """A sweep that repeats a result of a paper in minutes: one click on the Train page."""

    name: str  # of the sweep
    question: str
    preset: str
    epochs: float  # of each run
    vary: tuple[str, ...]  # as for `vitviz.runs.sweep.Sweep`; seeds last
    metric: str  # field of `vitviz.training.loop.Progress` to compare
    paper: str  # what it found
    differs: str  # what it measured otherwise


EXPERIMENTS = (
    Experiment(
        "cutmix",
        "Does CutMix make heads local?",
        "cifar10-2min",
        10,
        ("cutmix_prob=0,1", "seed=0,1,2"),
        "min_distance",
        paper="In an ablation on CIFAR-100, the smallest mean attention distance of all heads was at most 0.024 with "
        "CutMix and at least 0.210 without (Santiago Toledo and Martínez 2026, arXiv 2605.16390).",
        differs="Their distance is normalized, and that of a full training. Here it is in pixels, of images of 32 px, "
        "between patches, on four images, after ten epochs: in our six runs the ranges overlap, and distances fall for "
        "tens of epochs (docs/experiments.md).",
    ),
)
"""Experiments of the Train page; docs/experiments.md has what came out."""


def get_preset(name: str, field: str = "preset") -> TrainConfig:
    """Return the config of the preset of this name; ConfigError of the field if there is none."""
    if name not in PRESETS:
        rule = f"must be one of {', '.join(PRESETS)}: got {name!r}"
        raise ConfigError(field, rule, did_you_mean(name, PRESETS))
    return PRESETS[name].config


def closest_preset(config: TrainConfig) -> str:
    """Return the name of the preset that differs from a config in the fewest fields, those of the model included."""

    def count_differences(name: str) -> int:
        preset = get_preset(name)
        pairs = (config, preset), (config.model, preset.model)
        return sum(getattr(a, f.name) != getattr(b, f.name) for a, b in pairs for f in fields(a))

    return min(PRESETS, key=count_differences)
