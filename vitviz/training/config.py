"""Training configuration: one frozen dataclass, from which flags, form, checks, JSON and documentation are made."""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator

from vitviz.errors import ConfigError, did_you_mean
from vitviz.models.config import DecoderSize, ViTConfig, check_fields, config_from_dict

MAX_VALUE = 10**9  # products of learning rates stay finite in float32
MAX_SEED = 10**9  # step seeds are multiples of it and fit into 64 bits
Optimizer = Literal["muon", "adamw", "adam"]
Sampler = Literal["random", "balanced"]
LRSchedule = Literal["linear", "cosine", "constant"]
Objective = Literal["classify", "mae"]
Device = Literal["auto", "cuda", "cpu"]
InferenceDevice = Literal["auto", "cuda", "mps", "cpu"]
Precision = Literal["auto", "float32", "bfloat16"]
AttentionKernel = Literal["auto", "explicit", "fused"]
HubDataset = Annotated[str, Field(pattern="^hf:."), "hf:OWNER/NAME"]
DatasetName = Literal["cifar10", "cifar100", "folder"] | HubDataset
Fraction = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0, lt=MAX_VALUE)]


def check_path(value: Any) -> str:
    """Check a path; unlike strings of pydantic it may contain surrogates, which stand for bytes that are not UTF-8."""
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(path, str):
        raise ValueError
    return path


PathString = Annotated[str, PlainValidator(check_path), Field(min_length=1)]
DEFAULT_MINUTES = 88.0  # the budget where none is given


# Fields that an objective does not use, with the values that they then have.
UNUSED_BY: dict[str, dict[str, Any]] = {
    "classify": {"mask_ratio": 0.75, "decoder_embed_dim": 96, "decoder_depth": 1, "decoder_num_heads": 3},
    "mae": {
        "freeze_backbone": False,
        "teacher": None,
        "distill_weight": 0.9,
        "class_weight": None,
        "layer_decay": None,
        "randaug_num_ops": 0,
        "randaug_magnitude": 0.5,
        "cutmix_prob": 0.0,
        "mixup_prob": 0.0,
        "random_erasing_prob": 0.0,
        "label_smoothing": 0.0,
        "patch_keep_start": 1.0,
        "patch_keep_end": 1.0,
        "patch_dropout_until": 0.0,
        "mix_until": 0.0,
    },
}


@dataclass(frozen=True)
class TrainConfig:
    """Configuration of one training run.

    The budget is either `epochs` or `minutes`. Learning rate, patch dropout, CutMix and Mixup follow the progress: the
    used fraction of the budget. Fields that the objective does not use must have their defaults.

    Raises:
        ConfigError: If a value is out of range or two values are inconsistent.
    """

    model: ViTConfig = field(default_factory=ViTConfig)
    objective: Annotated[
        Objective,
        Field(
            description="classify trains on the labels; mae trains a masked autoencoder, without labels (He et al. "
            "2022, arXiv 2111.06377)."
        ),
    ] = "classify"
    init_from: Annotated[
        PathString | None,
        Field(
            description="Model to fine-tune, as for vitviz.load: all weights but the head. The model must be its "
            "network, except for num_classes and img_size."
        ),
    ] = None
    freeze_backbone: Annotated[bool, Field(description="With init_from: train the new head only.")] = False
    teacher: Annotated[
        PathString | None,
        Field(description="Checkpoint of a teacher trained on the same images, for knowledge distillation."),
    ] = None
    distill_weight: Annotated[
        Fraction, Field(description="With teacher: weight of its probabilities; the rest is the label.")
    ] = 0.9
    mask_ratio: Annotated[float, Field(gt=0, lt=1, description="With mae: fraction of masked patches.")] = 0.75
    decoder_embed_dim: Annotated[int, Field(ge=1, le=8192, description="With mae: embedding width of the decoder.")] = (
        96
    )
    decoder_depth: Annotated[int, Field(ge=1, le=128, description="With mae: blocks of the decoder.")] = 1
    decoder_num_heads: Annotated[
        int, Field(ge=1, le=256, description="With mae: attention heads of the decoder; divides decoder_embed_dim.")
    ] = 3
    dataset: Annotated[
        DatasetName,
        Field(
            description="cifar10, cifar100, folder for an image folder or zip with one subfolder per class, or "
            "hf:OWNER/NAME for a dataset of the Hugging Face Hub or a folder of the library datasets."
        ),
    ] = "cifar10"
    data: Annotated[PathString | None, Field(description="Directory of the dataset.")] = None
    output_dir: Annotated[PathString, Field(description="Run folder; that of a preset is runs/PRESET.")] = (
        "runs/cifar10-ti4"
    )
    max_train_samples: Annotated[
        Annotated[int, Field(ge=2)] | None, Field(description="Use the first N training images.")
    ] = None
    val_size: Annotated[
        int,
        Field(
            ge=0,
            description="Hold out the last N training images and measure accuracy on them instead of the test set.",
        ),
    ] = 0
    epochs: Annotated[Positive | None, Field(description="Budget in epochs; give either epochs or minutes.")] = None
    minutes: Annotated[
        Positive | None,
        Field(
            description="Budget in minutes of training time, interruptions excluded; without either budget "
            f"{DEFAULT_MINUTES:g}."
        ),
    ] = None
    batch_size: Annotated[int, Field(ge=2, le=65536, description="Batch size over all processes.")] = 256
    grad_accum_steps: Annotated[
        int,
        Field(ge=1, le=1024, description="Batches whose gradients are accumulated for one step, as one larger batch."),
    ] = 1
    sampler: Annotated[
        Sampler,
        Field(
            description="random takes each image once per epoch; balanced draws all classes equally often, with "
            "replacement."
        ),
    ] = "random"
    class_weight: Annotated[
        Literal["balanced"] | None,
        Field(description="balanced weights the loss of a class by the inverse of its frequency."),
    ] = None
    seed: Annotated[
        int, Field(ge=-MAX_SEED, le=MAX_SEED, description="Random seed of weights, order and augmentation.")
    ] = 0
    device: Annotated[Device, Field(description="Device; auto uses a GPU if there is one.")] = "auto"
    precision: Annotated[
        Precision,
        Field(
            description="Precision of matrix products; auto uses bfloat16 where it is faster. The choice is recorded."
        ),
    ] = "auto"
    attention: Annotated[
        AttentionKernel,
        Field(
            description="Products of explicit attention, or PyTorch's fused kernel; auto times both at the start. The "
            "choice is recorded."
        ),
    ] = "auto"
    compile: Annotated[bool, Field(description="Compile network and augmentation on a GPU.")] = True
    optimizer: Annotated[
        Optimizer,
        Field(
            description="muon trains matrices in the blocks with Muon and the rest with AdamW; adamw and adam train "
            "everything."
        ),
    ] = "muon"
    muon_lr: Annotated[Positive, Field(description="Peak learning rate of Muon.")] = 2e-3
    lr: Annotated[Positive, Field(description="Peak learning rate of all other parameters.")] = 2e-3
    weight_decay: Annotated[
        float, Field(ge=0, lt=MAX_VALUE, description="Weight decay, decoupled; with adam, L2 regularization.")
    ] = 0.05
    layer_decay: Annotated[
        Annotated[float, Field(gt=0, le=1)] | None,
        Field(
            description="Factor of the learning rate from each layer to the one below (Bao et al. 2022, BEiT, arXiv "
            "2106.08254)."
        ),
    ] = None
    lr_schedule: Annotated[
        LRSchedule, Field(description="Learning rate after warmup: linear or cosine decay to zero, or constant.")
    ] = "linear"
    warmup_fraction: Annotated[
        float, Field(ge=0, lt=1, description="Fraction of the budget in which the learning rate rises.")
    ] = 0.05
    randaug_num_ops: Annotated[int, Field(ge=0, le=8, description="RandAugment operations per image.")] = 1
    randaug_magnitude: Annotated[Fraction, Field(description="RandAugment magnitude.")] = 0.5
    cutmix_prob: Annotated[Fraction, Field(description="Fraction of images with CutMix.")] = 0.5
    mixup_prob: Annotated[Fraction, Field(description="Fraction of images with Mixup; no image gets both.")] = 0.0
    random_erasing_prob: Annotated[Fraction, Field(description="Fraction of images with random erasing.")] = 0.0
    label_smoothing: Annotated[Fraction, Field(description="Label smoothing.")] = 0.1
    patch_keep_start: Annotated[
        Fraction, Field(description="Fraction of patches kept at the start (Liu et al. 2022, PatchDropout).")
    ] = 0.3
    patch_keep_end: Annotated[
        Fraction, Field(description="Fraction of patches kept at the end of patch dropout; linear in between.")
    ] = 0.5
    patch_dropout_until: Annotated[
        Fraction, Field(description="Fraction of the budget after which all patches are used.")
    ] = 0.8
    mix_until: Annotated[Fraction, Field(description="Fraction of the budget after which CutMix and Mixup stop.")] = (
        0.85
    )
    ema_decay: Annotated[
        Fraction, Field(description="Decay of the exponential moving average of the weights, which is the result.")
    ] = 0.99
    grad_clip_norm: Annotated[Positive, Field(description="Maximum gradient norm.")] = 1.0
    checkpoint_every_epochs: Annotated[int, Field(ge=1, le=10_000, description="Epochs between saved states.")] = 1
    num_snapshots: Annotated[
        int, Field(ge=0, le=1000, description="Snapshots of the timeline, denser at the start.")
    ] = 60

    def __post_init__(self) -> None:
        check_fields(self)
        if not isinstance(self.model, ViTConfig):
            problem = f"must be a ViTConfig: got {self.model!r:.40}"
            raise ConfigError("model", problem, "Use for example ViTConfig(depth=4).")
        if self.epochs is None and self.minutes is None:
            object.__setattr__(self, "minutes", DEFAULT_MINUTES)
        elif self.epochs is not None and self.minutes == DEFAULT_MINUTES:
            object.__setattr__(self, "minutes", None)
        elif self.epochs is not None and self.minutes is not None:
            raise ConfigError(
                "epochs",
                f"and `minutes` exclude each other: got {self.epochs} epochs and {self.minutes} minutes",
                "Set only one of them.",
            )
        if self.cutmix_prob + self.mixup_prob > 1:
            problem = f"and `cutmix_prob` must sum to at most 1: got {self.mixup_prob} and {self.cutmix_prob}"
            raise ConfigError("mixup_prob", problem, "Lower one of them.")
        if self.max_train_samples is not None and self.global_batch_size > self.max_train_samples:
            rule = "times `grad_accum_steps` must" if self.grad_accum_steps > 1 else "must"
            problem = (
                f"{rule} be at most `max_train_samples`: {self.global_batch_size} is above {self.max_train_samples}"
            )
            raise ConfigError("batch_size", problem, "Lower `batch_size`, or use more images.")
        if self.attention == "fused" and self.model.architecture != "vit":
            problem = f"fused needs the architecture vit: got {self.model.architecture}"
            raise ConfigError("attention", problem, "Use auto.")
        self.check_objective()

    def check_objective(self) -> None:
        """Check that objective, network and initial weights are consistent."""
        if self.freeze_backbone and self.init_from is None:
            raise ConfigError(
                "freeze_backbone", "needs `init_from`: got None", "Set `init_from`, or train the backbone."
            )
        defaults = {f.name: f.default for f in fields(self)}
        for name, off in UNUSED_BY[self.objective].items():
            check_is_off(self.objective, name, getattr(self, name), off, defaults[name])
            object.__setattr__(self, name, off)
        if self.objective == "mae" and self.model.architecture != "vit":
            problem = f"mae needs the architecture vit: got {self.model.architecture}"
            raise ConfigError("objective", problem, "Use classify.")
        if self.objective == "mae" and self.model.num_patches < 2:
            raise ConfigError("model.patch_size", "must give at least 2 patches with mae: got 1", "Use smaller ones.")
        if self.decoder_embed_dim % self.decoder_num_heads:
            problem = f"{self.decoder_embed_dim} is not a multiple of {self.decoder_num_heads}"
            raise ConfigError("decoder_num_heads", f"must divide `decoder_embed_dim`: {problem}", "Use 1, for example.")

    @property
    def decoder(self) -> DecoderSize | None:
        """Size of the decoder; None without one."""
        if self.objective != "mae":
            return None
        return DecoderSize(self.decoder_embed_dim, self.decoder_depth, self.decoder_num_heads)

    @property
    def global_batch_size(self) -> int:
        """Images of a step, over all processes and accumulated batches."""
        return self.batch_size * self.grad_accum_steps

    @property
    def folder(self) -> Path:
        """Path of the run folder."""
        return Path(self.output_dir)


def from_json(stored: Mapping[str, Any]) -> TrainConfig:
    """Build a config from its JSON; missing fields have their defaults.

    Raises:
        ConfigError: If a field is unknown, as an option of an earlier version, or a value is invalid.
    """
    if unknown := stored.keys() - {f.name for f in fields(TrainConfig)}:
        raise ConfigError(min(unknown)[:80], "is not an option of this version", "Train again in a new run folder.")
    return TrainConfig(**{**stored, "model": config_from_dict(stored.get("model", {}), "model.")})


def replace_fields(config: TrainConfig, **values: Any) -> TrainConfig:
    """Replace fields; a new budget replaces the old one, and fields that a new objective does not use are turned off.

    Raises:
        ConfigError: If a value is invalid, or the objective does not use its field.
    """
    objective = values.get("objective", config.objective)
    off_values = UNUSED_BY.get(str(objective), {})
    for name in off_values.keys() & values.keys():
        check_is_off(objective, name, values[name], off_values[name])
    budget = {"epochs": None, "minutes": None} if {"epochs", "minutes"} & values.keys() else {}
    return replace(config, **(off_values | budget | values))


def check_is_off(objective: str, name: str, value: Any, *off_values: Any) -> None:
    """Raise ConfigError if a field that the objective does not use has another value."""
    if value not in off_values:
        raise ConfigError(name, f"does not apply to the objective {objective}: got {value!s:.80}", "Omit it.")


def apply_overrides(config: TrainConfig, overrides: Iterable[str]) -> TrainConfig:
    """Apply overrides of fields, or of the model's with the prefix `model.`.

    Args:
        config: The base.
        overrides: Each NAME=VALUE, where VALUE is JSON or a plain string.

    Raises:
        ConfigError: If a field is unknown or a value is invalid.

    Example:
        >>> apply_overrides(TrainConfig(), ["cutmix_prob=0.3", "model.depth=4"]).model.depth
        4
    """
    values, model_values = parse_overrides(overrides)
    return replace_fields(replace_model_fields(config, model_values), **values)


def parse_overrides(overrides: Iterable[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the values of fields, and those of the model's fields.

    Raises:
        ConfigError: If a field is unknown.
    """
    own: dict[str, Any] = {}
    model: dict[str, Any] = {}
    for override in overrides:
        name, _, text = override.partition("=")
        if name not in OVERRIDES or not text:
            near = did_you_mean(name, OVERRIDES) if name not in OVERRIDES else ""
            hint = near or f"Use one of: {', '.join(OVERRIDES)}."
            raise ConfigError(override[:80], "is not NAME=VALUE with a known name", hint)
        (model if name.startswith("model.") else own)[name.removeprefix("model.")] = parse_value(text)
    return own, model


def replace_model_fields(config: TrainConfig, values: dict[str, Any]) -> TrainConfig:
    """Replace fields of the model; ConfigError if a value is invalid."""
    return replace(config, model=config_from_dict(asdict(config.model) | values, "model."))


def parse_value(text: str) -> Any:
    """Parse the value of an override: JSON, or else the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


# model.num_classes follows from the dataset.
OVERRIDES = tuple(
    sorted(
        {f.name for f in fields(TrainConfig)} - {"model"}
        | {f"model.{f.name}" for f in fields(ViTConfig)} - {"model.num_classes"}
    )
)
