"""What a training is: one frozen dataclass, checked, and the presets that ship.

The command line takes its flags and defaults from here, and the config is saved beside the weights.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from vitviz.model.config import ViTConfig

SHARES = (
    "warm_up",
    "cutmix",
    "mixup",
    "erase",
    "augment_strength",
    "label_smoothing",
    "first_patches",
    "last_patches",
    "all_patches_from",
    "mixing_until",
    "average_decay",
)
LIMITS = {  # of the whole numbers
    "batch_size": (2, 65536),
    "pictures": (2, 50_000),
    "held_out": (0, 25_000),
    "augment_operations": (0, 8),
    "save_every": (1, 10_000),
    "snapshots": (0, 1000),
}
Optimizer = Literal["muon", "adamw", "adam"]
Schedule = Literal["line", "cosine", "constant"]
Objective = Literal["classify", "masked-patch"]
Device = Literal["auto", "cuda", "cpu"]
CHOICES = {"optimizer": Optimizer, "schedule": Schedule, "objective": Objective, "device": Device}


class TrainingError(RuntimeError):
    """A training could not go on; the message says why and what helps."""


@dataclass(frozen=True)
class TrainConfig:
    """A training of a ViT on CIFAR-10.

    The schedule runs by share of the budget, which is either epochs or minutes, so the rate always lands.

    Args:
        preset: Name of the recipe, for the record.
        model: The network.
        objective: "classify" learns the labels; "masked-patch" learns to name the mean colour of hidden patches
            (Dosovitskiy et al. 2021, appendix B.1.2) and needs none.
        start: Checkpoint whose weights to start from, all but a head of other classes; None for random weights.
        data: Folder of the data set, as for `vitviz.data.cifar.find`.
        out: Run folder; if None, `runs/PRESET`.
        pictures: Use the first so many training pictures; None for all.
        held_out: Keep so many pictures at the end of the training set out of it and measure on them; the test set is
            not touched then. For comparing recipes.
        epochs: Budget in passes over the pictures. Exactly one of `epochs` and `minutes` is a number.
        minutes: Budget in minutes of wall time, not counting interruptions.
        batch_size: Pictures in one step, over all processes together.
        seed: Of weights, order and augmentation. Whether bfloat16 is used is found by the clock, and recorded.
        device: "auto" takes a GPU if there is one.
        optimizer: "muon" trains the matrices in the blocks by Muon and the rest by AdamW.
        muon_rate: Peak learning rate of what Muon trains.
        adam_rate: Peak learning rate of everything else.
        weight_decay: Decoupled, times the learning rate; with "adam", added to the gradient.
        schedule: How the rate goes after the warm-up: by a line or a cosine to zero, or not at all.
        warm_up: Share of the budget in which the rate climbs to its peak.
        augment_operations: Operations of RandAugment for each picture.
        augment_strength: How far each goes, from 0 to 1.
        cutmix: Share of pictures that get a box of another picture.
        mixup: Share of pictures that another picture is faded into; none gets both.
        erase: Share of pictures in which a box is blanked.
        label_smoothing: Share of each label spread over all classes.
        first_patches: Share of patches used at the start; the others are dropped, which makes steps cheap.
        last_patches: Share of patches used just before `all_patches_from`; between them it grows steadily.
        all_patches_from: Share of the budget after which no patch is dropped.
        mixing_until: Share of the budget after which pictures are no longer mixed.
        average_decay: Decay of the running average of the weights, which is the result.
        clip: Largest norm of the gradient.
        save_every: Epochs from one saved state to the next; a lost process loses at most these.
        snapshots: Moments of the timeline.

    Raises:
        ValueError: If a number is out of range.
    """

    preset: str = "cifar10-ti4"
    model: ViTConfig = field(default_factory=ViTConfig)
    objective: Objective = "classify"
    start: str | None = None
    data: str | None = None
    out: str | None = None
    pictures: int | None = None
    held_out: int = 0
    epochs: float | None = None
    minutes: float | None = 88
    batch_size: int = 256
    seed: int = 0
    device: Device = "auto"
    optimizer: Optimizer = "muon"
    muon_rate: float = 2e-3
    adam_rate: float = 2e-3
    weight_decay: float = 0.05
    schedule: Schedule = "line"
    warm_up: float = 0.05
    augment_operations: int = 1
    augment_strength: float = 0.5
    cutmix: float = 0.5
    mixup: float = 0.0
    erase: float = 0.0
    label_smoothing: float = 0.1
    first_patches: float = 0.3
    last_patches: float = 0.5
    all_patches_from: float = 0.8
    mixing_until: float = 0.85
    average_decay: float = 0.99
    clip: float = 1.0
    save_every: int = 1
    snapshots: int = 40

    def __post_init__(self) -> None:
        if (self.epochs is None) == (self.minutes is None):
            raise ValueError(f"Give one of epochs and minutes: got {self.epochs} epochs and {self.minutes} minutes.")
        for name in ("epochs", "minutes", "muon_rate", "adam_rate", "clip"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise ValueError(f"{name} must be above 0: got {value}.")
        if not 0 <= self.weight_decay < float("inf"):
            raise ValueError(f"weight_decay must not be negative: got {self.weight_decay}.")
        for name, (least, most) in LIMITS.items():
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise ValueError(f"{name} must be from {least} to {most}: got {value}.")
        if self.batch_size > (most := (self.pictures or 50_000) - self.held_out):
            raise ValueError(
                f"batch_size must be at most the number of training pictures: {self.batch_size} is above {most}. "
                "Lower batch_size, or use more pictures."
            )
        for name in SHARES:
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is a share and must be from 0 to 1: got {getattr(self, name)}.")
        if self.warm_up == 1:
            raise ValueError("warm_up must be below 1: the rate has to fall again.")
        if self.cutmix + self.mixup > 1:
            raise ValueError(
                f"cutmix and mixup are shares of the same pictures, together at most 1: got {self.cutmix} and "
                f"{self.mixup}."
            )
        for name, choices in CHOICES.items():
            if getattr(self, name) not in get_args(choices):
                raise ValueError(f"{name} must be one of {', '.join(get_args(choices))}: got {getattr(self, name)!r}.")

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
