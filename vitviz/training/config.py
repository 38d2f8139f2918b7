"""What a training is: one frozen dataclass, checked, and the presets that ship.

The command line takes its flags and defaults from here, and the config is saved beside the weights.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from vitviz.models.config import ViTConfig, is_number

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
    "teacher_share",
)
LIMITS = {  # of the whole numbers
    "batch_size": (2, 65536),
    "images": (2, 50_000),
    "held_out": (0, 25_000),
    "augment_operations": (0, 8),
    "save_every": (1, 10_000),
    "snapshots": (0, 1000),
}
NO_SETTINGS = {"model", "preset", "classes"}  # the last are those of the data set
OPTIONAL = ("epochs", "minutes", "images")  # may be None
FAR = 10**9  # no number needs to be; products of rates still fit into float32
MOST_SEED = 10**9  # times what every step adds to it, 64 bits hold it
Optimizer = Literal["muon", "adamw", "adam"]
Schedule = Literal["line", "cosine", "constant"]
Objective = Literal["classify", "masked-patch"]
Device = Literal["auto", "cuda", "cpu"]
Dataset = Literal["cifar10", "cifar100", "folder"]
CHOICES = {
    "optimizer": Optimizer,
    "schedule": Schedule,
    "objective": Objective,
    "device": Device,
    "dataset": Dataset,
}


class TrainingError(RuntimeError):
    """A training could not go on; the message says why and what helps."""


@dataclass(frozen=True)
class TrainConfig:
    """A training of a ViT.

    The schedule runs by share of the budget, which is either epochs or minutes, so the rate always lands.

    Args:
        preset: Name of the recipe, for the record.
        model: The network.
        objective: "classify" learns the labels; "masked-patch" learns to name the mean colour of hidden patches
            (Dosovitskiy et al. 2021, appendix B.1.2) and needs none.
        start: Checkpoint whose weights to start from, all but the head; None for random weights. `model` must be its
            network, but for classes and image_size.
        frozen: With `start`: only the new head learns; the rest keeps its weights and needs no gradients.
        teacher: Checkpoint that learned from the same images; the network also learns what it says of them. None for
            labels alone.
        teacher_share: With `teacher`: how much of each target is its answer; the rest is the label. Both are smoothed.
        dataset: CIFAR-10, CIFAR-100, or a folder of one's own labelled images. The network gets as many classes as
            there are.
        data: Folder of the data set, as for `vitviz.data.cifar.find`; with "folder", as for `vitviz.data.image_folder.load`.
        out: Run folder; if None, `runs/PRESET`.
        images: Use the first so many training images; None for all.
        held_out: Keep so many images at the end of the training set out of it and measure on them; the test set is
            not touched then. For comparing recipes.
        epochs: Budget in passes over the images. Exactly one of `epochs` and `minutes` is a number.
        minutes: Budget in minutes of wall time, not counting interruptions.
        batch_size: Images in one step, over all processes together.
        seed: Of weights, order and augmentation. Whether bfloat16 is used is found by the clock, and recorded.
        device: "auto" takes a GPU if there is one.
        compiled: On a GPU, compile network and augmentation first; that takes a minute and makes steps much faster.
        optimizer: "muon" trains matrices and filters in the blocks by Muon and the rest by AdamW; "adamw" and "adam"
            train everything, at `adam_rate`.
        muon_rate: Peak learning rate of what Muon trains.
        adam_rate: Peak learning rate of everything else.
        weight_decay: Decoupled, times the learning rate; with "adam", added to the gradient.
        schedule: How the rate goes after the warm-up: by a line or a cosine to zero, or not at all.
        warm_up: Share of the budget in which the rate climbs to its peak.
        augment_operations: Operations of RandAugment for each image.
        augment_strength: How far each goes, from 0 to 1.
        cutmix: Share of images that get a box of another image.
        mixup: Share of images that another image is faded into; none gets both.
        erase: Share of images in which a box is blanked.
        label_smoothing: Share of each label spread over all classes.
        first_patches: Share of patches used at the start; the others are dropped, which makes steps cheap.
        last_patches: Share of patches used just before `all_patches_from`; between them it grows steadily.
        all_patches_from: Share of the budget after which no patch is dropped.
        mixing_until: Share of the budget after which images are no longer mixed.
        average_decay: Decay of the running average of the weights, which is the result.
        clip: Largest norm of the gradient.
        save_every: Epochs from one saved state to the next; a lost process loses at most these.
        snapshots: Moments of the timeline, closer together at the start.

    Raises:
        ValueError: If a number is out of range.
    """

    preset: str = "cifar10-ti4"
    model: ViTConfig = field(default_factory=ViTConfig)
    objective: Objective = "classify"
    start: str | None = None
    frozen: bool = False
    teacher: str | None = None
    teacher_share: float = 0.9
    dataset: Dataset = "cifar10"
    data: str | None = None
    out: str | None = None
    images: int | None = None
    held_out: int = 0
    epochs: float | None = None
    minutes: float | None = 88
    batch_size: int = 256
    seed: int = 0
    device: Device = "auto"
    compiled: bool = True
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
    snapshots: int = 60

    def __post_init__(self) -> None:
        for name in ("data", "out", "start", "teacher"):
            if isinstance(value := getattr(self, name), os.PathLike):
                object.__setattr__(self, name, os.fspath(value))
        if (self.epochs is None) == (self.minutes is None):
            got = f"{self.epochs} epochs and {self.minutes} minutes"
            raise ValueError(f"Give one of epochs and minutes: got {got}. The other must be None.")
        self.check_numbers()
        self.check_choices()
        if self.warm_up == 1:
            raise ValueError("warm_up must be below 1: the rate has to fall again.")
        if self.cutmix + self.mixup > 1:
            raise ValueError(
                f"cutmix and mixup are shares of the same images, together at most 1: got {self.cutmix} and "
                f"{self.mixup}."
            )
        if self.batch_size > (most := min(self.images or 50_000, 50_000 - self.held_out)):
            raise ValueError(
                f"batch_size must be at most the number of training images: {self.batch_size} is above {most}. "
                "Lower batch_size, or use more images."
            )
        if self.frozen and (self.start is None or self.objective == "masked-patch"):
            raise ValueError("frozen needs a body that has learned, and labels: use it with start, and to classify.")
        if self.teacher is not None and self.objective == "masked-patch":
            raise ValueError("A teacher says what an image shows: leave it out where labels are not learned.")
        self.check_architecture()

    def check_architecture(self) -> None:
        """Demand that the network can be trained so."""
        if self.objective == "masked-patch" and self.model.architecture != "vit":
            raise ValueError(f"The objective masked-patch needs the plain vit: got {self.model.architecture}.")
        drops = self.all_patches_from > 0 and min(self.first_patches, self.last_patches) < 1
        if self.model.architecture == "convnet" and (drops or self.snapshots):
            raise ValueError(
                "A convnet has no patches to drop and no attention to follow: it needs first_patches, last_patches = 1 "
                "and snapshots = 0. Use the preset cifar10-teacher."
            )

    def check_numbers(self) -> None:
        """Demand that each number is one, and within its limits."""
        for name in ("epochs", "minutes", "muon_rate", "adam_rate", "clip"):
            value = getattr(self, name)
            if not (is_number(value) and 0 < value < FAR) and (value is not None or name not in OPTIONAL):
                raise ValueError(f"{name} must be a finite number above 0 and below {FAR:,}: got {value!r:.40}.")
        if not (is_number(self.weight_decay) and 0 <= self.weight_decay < FAR):
            raise ValueError(f"weight_decay must be from 0 to below {FAR:,}: got {self.weight_decay!r:.40}.")
        for name, (least, most) in LIMITS.items():
            value = getattr(self, name)
            if not (type(value) is int and least <= value <= most) and (value is not None or name not in OPTIONAL):
                raise ValueError(f"{name} must be a whole number from {least} to {most}: got {value!r}.")
        if type(self.seed) is not int or abs(self.seed) > MOST_SEED:
            raise ValueError(f"seed must be a whole number, at most {MOST_SEED:,} in size: got {self.seed!r}.")
        for name in SHARES:
            value = getattr(self, name)
            if not (is_number(value) and 0 <= value <= 1):
                raise ValueError(f"{name} is a share and must be from 0 to 1: got {value!r}.")

    def check_choices(self) -> None:
        """Demand that each choice is one of those there are."""
        if not isinstance(self.preset, str):
            raise ValueError(f"preset must be the name of a recipe: got {self.preset!r:.40}.")
        if not isinstance(self.model, ViTConfig):
            raise ValueError(f"model must be a ViTConfig: got {self.model!r:.40}. Use for example ViTConfig(depth=4).")
        for name in ("frozen", "compiled"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be true or false: got {getattr(self, name)!r}.")
        for name in ("start", "teacher"):
            if not isinstance(getattr(self, name), str | None):
                raise ValueError(f"{name} must be the name or the path of a checkpoint: got {getattr(self, name)!r}.")
        for name in ("data", "out"):
            if not isinstance(value := getattr(self, name), str | None) or value == "":
                raise ValueError(f"{name} must be the path of a folder: got {value!r}.")
        for name, choices in CHOICES.items():
            if getattr(self, name) not in get_args(choices):
                raise ValueError(f"{name} must be one of {', '.join(get_args(choices))}: got {getattr(self, name)!r}.")

    @property
    def folder(self) -> Path:
        """The run folder."""
        return Path(self.out) if self.out is not None else Path("runs") / self.preset


# A training as tutorials write it: no schedule, no mixing, no average, all patches; PyTorch's Adam by default.
PLAIN: dict[str, Any] = {
    "epochs": 10,
    "minutes": None,
    "batch_size": 128,
    "optimizer": "adam",
    "adam_rate": 1e-3,
    "weight_decay": 0.0,
    "clip": 1e3,
    "schedule": "constant",
    "warm_up": 0.0,
    "augment_operations": 0,
    "cutmix": 0.0,
    "label_smoothing": 0.0,
    "first_patches": 1.0,
    "last_patches": 1.0,
    "average_decay": 0.0,
}
# The notebook's own numbers: AdamW 1e-4, decay 1e-5, gradients clipped at 0.1.
NOTEBOOK = PLAIN | {"optimizer": "adamw", "adam_rate": 1e-4, "weight_decay": 1e-5, "clip": 0.1}
# Accuracy, minutes and hardware of each preset stand in checkpoints/README.md and docs/training.md, measured.
PRESETS: dict[str, TrainConfig] = {
    "cifar10-ti4": TrainConfig(),
    "cifar10-s4": TrainConfig(
        preset="cifar10-s4",
        model=ViTConfig(width=256, depth=9, heads=8, mlp_width=1024, drop_path=0.1),
        minutes=18,
        batch_size=1024,
        adam_rate=1e-3,
        augment_operations=2,
        augment_strength=0.9,
        mixup=0.5,
        erase=0.25,
        first_patches=1.0,
        last_patches=1.0,
        all_patches_from=0.0,
        average_decay=0.9998,
        save_every=20,
    ),
    "tutorial-notebook": TrainConfig(
        preset="tutorial-notebook",
        model=ViTConfig(architecture="tutorial-notebook", width=384, depth=2, heads=6, mlp_width=384, dropout=0.5),
        **NOTEBOOK,
    ),
    "tutorial-lightning": TrainConfig(
        preset="tutorial-lightning",
        model=ViTConfig(architecture="tutorial-lightning", width=256, depth=2, heads=8, mlp_width=512, dropout=0.1),
        **PLAIN,
    ),
    # The text leaves the sizes open, but for an MLP of four times the width: those of the one before.
    "tutorial-scratch": TrainConfig(
        preset="tutorial-scratch",
        model=ViTConfig(architecture="tutorial-scratch", width=256, depth=2, heads=8, mlp_width=1024, dropout=0.1),
        **PLAIN,
    ),
}

# Networks without attention, which are trained to teach the others.
TEACHERS: dict[str, TrainConfig] = {
    "cifar10-teacher": TrainConfig(
        preset="cifar10-teacher",
        model=ViTConfig(architecture="convnet", width=64, depth=3, heads=1),
        minutes=36,
        batch_size=128,
        muon_rate=5e-3,
        adam_rate=5e-3,
        cutmix=0.25,
        first_patches=1.0,
        last_patches=1.0,
        snapshots=0,
    ),
}


def preset(name: str) -> TrainConfig:
    """Look up a preset or a teacher.

    Raises:
        ValueError: If there is none of this name.
    """
    known = PRESETS | TEACHERS
    if name not in known:
        raise ValueError(f"There is no preset {name!r}. Use one of: {', '.join(known)}.")
    return known[name]


def from_json(stored: dict[str, Any]) -> TrainConfig:
    """The config that was written as JSON; what an older one does not name has its default.

    Raises:
        ValueError: If it names something unknown, or a value does not fit.
    """
    try:
        return TrainConfig(**stored | {"model": ViTConfig(**stored.get("model", {}))})
    except TypeError as error:
        raise ValueError(f"A config may only name what this version knows: {error}.") from None


def changed(config: TrainConfig, settings: Iterable[str]) -> TrainConfig:
    """A config with some of its fields changed.

    Args:
        config: Where to start from.
        settings: Each NAME=VALUE, or model.NAME=VALUE for the network's, but for its classes, which follow from the
            data set; values are JSON, or plain words.

    Raises:
        ValueError: If there is no such name, or the value does not fit.

    Example:
        >>> changed(TrainConfig(), ["cutmix=0.3", "model.depth=4"]).model.depth
        4
    """
    ours: dict[str, Any] = {}
    models: dict[str, Any] = {}
    for setting in settings:
        name, _, text = setting.partition("=")
        of_model = name.startswith("model.")
        known = {field.name for field in fields(ViTConfig if of_model else TrainConfig)} - NO_SETTINGS
        if name.removeprefix("model.") not in known or not text:
            raise ValueError(
                f"A setting is NAME=VALUE with a known name: got {setting[:80]!r}. The names are "
                f"{', '.join(sorted(known))}{'' if of_model else ', and model. before those of the network'}."
            )
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = text
        (models if of_model else ours)[name.removeprefix("model.")] = value
    if "epochs" in ours or "minutes" in ours:
        ours = {"epochs": None, "minutes": None} | ours
    return replace(config, model=replace(config.model, **models), **ours)
