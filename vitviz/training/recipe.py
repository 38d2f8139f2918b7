"""What a training is: one frozen dataclass, checked, and the presets that ship.

The command line takes its flags and defaults from here, and the config is saved beside the weights.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from vitviz.model.config import ViTConfig

SHARES = (
    "warm_up",
    "cutmix",
    "label_smoothing",
    "first_patches",
    "last_patches",
    "all_patches_from",
    "mixing_until",
    "average_decay",
)


class TrainingError(RuntimeError):
    """A training could not go on; the message says why and what helps."""


@dataclass(frozen=True)
class TrainConfig:
    """A training of a ViT on CIFAR-10.

    The schedule runs by share of the budget, which is either epochs or minutes, so the rate always reaches zero.

    Args:
        preset: Name of the recipe, for the record.
        model: The network.
        data: Folder of the data set, as for `vitviz.data.cifar.find`.
        out: Run folder; if None, `runs/PRESET`.
        pictures: Use the first so many training pictures; None for all.
        epochs: Budget in passes over the pictures. Exactly one of `epochs` and `minutes` is a number.
        minutes: Budget in minutes of wall time.
        batch_size: Pictures in one step, over all processes together.
        seed: Of weights, order and augmentation. Whether bfloat16 is used is found by the clock, and recorded.
        device: "auto" takes a GPU if there is one.
        muon_rate: Peak learning rate of the matrices in the blocks.
        adamw_rate: Peak learning rate of everything else.
        weight_decay: Decoupled, times the learning rate.
        warm_up: Share of the budget in which the rate climbs to its peak.
        cutmix: Share of pictures that get a box of another picture.
        label_smoothing: Share of each label spread over all classes.
        first_patches: Share of patches used at the start; the others are dropped, which makes steps cheap.
        last_patches: Share of patches used just before `all_patches_from`; between them it grows steadily.
        all_patches_from: Share of the budget after which no patch is dropped.
        mixing_until: Share of the budget after which pictures are no longer mixed.
        average_decay: Decay of the running average of the weights, which is the result.
        clip: Largest norm of the gradient.
        snapshots: Moments of the timeline.

    Raises:
        ValueError: If a number is out of range.
    """

    preset: str = "cifar10-ti4"
    model: ViTConfig = field(default_factory=ViTConfig)
    data: str | None = None
    out: str | None = None
    pictures: int | None = None
    epochs: float | None = None
    minutes: float | None = 88
    batch_size: int = 256
    seed: int = 0
    device: Literal["auto", "cuda", "cpu"] = "auto"
    muon_rate: float = 2e-3
    adamw_rate: float = 2e-3
    weight_decay: float = 0.05
    warm_up: float = 0.05
    cutmix: float = 0.5
    label_smoothing: float = 0.1
    first_patches: float = 0.3
    last_patches: float = 0.5
    all_patches_from: float = 0.8
    mixing_until: float = 0.85
    average_decay: float = 0.99
    clip: float = 1.0
    snapshots: int = 40

    def __post_init__(self) -> None:
        if (self.epochs is None) == (self.minutes is None):
            raise ValueError(f"Give one of epochs and minutes: got {self.epochs} epochs and {self.minutes} minutes.")
        above_zero = ("epochs", "minutes", "muon_rate", "adamw_rate", "clip")
        for name in above_zero:
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise ValueError(f"{name} must be above 0: got {value}.")
        for name, least, most in (("batch_size", 2, 65536), ("pictures", 2, 50_000), ("snapshots", 0, 1000)):
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise ValueError(f"{name} must be from {least} to {most}: got {value}.")
        if self.warm_up == 1:
            raise ValueError("warm_up must be below 1: the rate has to fall again.")
        for name in SHARES:
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is a share and must be from 0 to 1: got {getattr(self, name)}.")
        if self.device not in ("auto", "cuda", "cpu"):
            raise ValueError(f"device must be auto, cuda or cpu: got {self.device!r}.")

    @property
    def folder(self) -> Path:
        """The run folder."""
        return Path(self.out) if self.out is not None else Path("runs") / self.preset


# Accuracy, minutes and hardware of each preset stand in checkpoints/README.md, measured.
PRESETS: dict[str, TrainConfig] = {"cifar10-ti4": TrainConfig()}


def preset(name: str) -> TrainConfig:
    """Look up a preset.

    Raises:
        ValueError: If there is none of this name.
    """
    if name not in PRESETS:
        raise ValueError(f"There is no preset {name!r}. Use one of: {', '.join(PRESETS)}.")
    return PRESETS[name]
