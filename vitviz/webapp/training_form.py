"""The training form: presets, hyperparameters, and errors in its own words, without names in the code."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from functools import lru_cache
from typing import Any, get_args

from vitviz.errors import ConfigError, InvalidValueError
from vitviz.models import checkpoint
from vitviz.models.config import ViTConfig, field_types
from vitviz.runs.run_folder import flatten
from vitviz.runs.sweep import CombinationsError
from vitviz.training.config import UNUSED_BY, TrainConfig
from vitviz.training.estimate import Estimate, estimate_run
from vitviz.training.presets import EXPERIMENTS, LESSONS, Preset
from vitviz.webapp.schemas.runs import ExperimentInfo, FormRequest, LessonInfo, PresetInfo, SettingGroup
from vitviz.webapp.server.refusals import FieldError

# Label of each hyperparameter by group. Names are those of `TrainConfig`, or of `ViTConfig` with the prefix `model.`.
SETTINGS: dict[str, dict[str, str]] = {
    "Model": {
        "model.patch_size": "Patch size (px)",
        "model.embed_dim": "Embedding width",
        "model.depth": "Layers",
        "model.num_heads": "Heads",
        "model.mlp_ratio": "MLP ratio",
        "model.pos_drop_rate": "Dropout",
        "model.drop_path_rate": "Stochastic depth",
    },
    "Augmentation": {
        "randaug_num_ops": "RandAugment operations",
        "randaug_magnitude": "RandAugment magnitude",
        "cutmix_prob": "CutMix",
        "mixup_prob": "Mixup",
        "random_erasing_prob": "Random erasing",
        "label_smoothing": "Label smoothing",
    },
    "Optimization": {
        "optimizer": "Optimizer",
        "lr": "Learning rate",
        "muon_lr": "Muon learning rate",
        "weight_decay": "Weight decay",
        "lr_schedule": "Schedule",
        "batch_size": "Batch size",
        "grad_accum_steps": "Accumulated batches",
        "sampler": "Sampler",
        "layer_decay": "Layer decay",
        "max_train_samples": "Training subset",
        "seed": "Seed",
    },
}
HYPERPARAMETERS = {name for group in SETTINGS.values() for name in group}
CONFIG_FIELDS = HYPERPARAMETERS | {"epochs", "minutes", "device", "dataset", "freeze_backbone"}
MODEL_FIELDS = {field.name for field in fields(ViTConfig)}
# Label of each field in a sentence, by its name in the code.
LABELS = {name: label.removesuffix(" (px)") for group in SETTINGS.values() for name, label in group.items()} | {
    "epochs": "Budget",
    "minutes": "Budget",
    "device": "Device",
    "dataset": "Dataset",
    "image_folder": "Folder",
    "init_from": "Initial weights",
    "freeze_backbone": "Freeze backbone",
    "name": "Name",
    "vary": "Sweep",
    "img_size": "the image size",
}
# Where rule and cure of the field differ in the form.
SENTENCES = {
    "epochs": "Budget must be one number, of epochs or of minutes.",
    "device": "No GPU was found on this computer. Choose CPU or auto.",
    "freeze_backbone": "Freeze backbone needs initial weights. Choose a model, or train all weights.",
}
BUDGET = ("epochs", "minutes")  # one of them is set
QUOTED = re.compile(r"('[^']*'|\"[^\"]*\")")  # received values
NAME = re.compile(r"`(\w+)`|\b(model\.\w+|[a-z]+(?:_[a-z]+)+)\b")  # in the code; words of English have no underscore
EMPTY = (None, "")


@contextmanager
def about_form() -> Iterator[None]:
    """Refuse an invalid config with the field of the form, and in its words."""
    try:
        yield
    except ConfigError as error:
        field = f"model.{error.field}" if error.field in MODEL_FIELDS else error.field
        raise FieldError(field, ValueError(describe_error(error))) from error


def describe_preset(name: str, preset: Preset) -> PresetInfo:
    """Describe a preset: text, hyperparameters by name, and the network's size."""
    values, model = flatten(preset.config), preset.config.model
    is_vit = model.architecture == "vit"
    network = f"{model.depth} layers, {model.num_heads} heads, width {model.embed_dim}."
    return PresetInfo(
        name=name,
        about=f"{network} {preset.about}",
        corrected=preset.corrected,
        settings={key: values[key] for key in sorted(CONFIG_FIELDS)},
        unused=[*UNUSED_BY[preset.config.objective], f"model.{'pos_drop_rate' if is_vit else 'drop_path_rate'}"],
        **summarize(preset.config),
    )


def describe_lessons() -> list[LessonInfo]:
    """Describe the lengths of a lesson: preset, and what it reached in this time, None where it was not measured."""
    return [LessonInfo(**asdict(lesson)) for lesson in LESSONS]


def describe_experiments() -> list[ExperimentInfo]:
    """Describe the experiments: sweep, metric, and what the paper found."""
    return [ExperimentInfo(**asdict(experiment)) for experiment in EXPERIMENTS]


def describe_settings() -> list[SettingGroup]:
    """Describe the hyperparameters by group: label and, from the config classes, description of each."""
    hints = dict(field_types(TrainConfig)) | {f"model.{name}": hint for name, hint in field_types(ViTConfig).items()}
    return [
        SettingGroup(name=name, fields=group, about={key: description(hints[key][0]) for key in group})
        for name, group in SETTINGS.items()
    ]


def description(annotation: Any) -> str:
    """Return the description in a field's annotation."""
    return next(text for extra in get_args(annotation)[1:] if (text := getattr(extra, "description", None)))


def summarize(config: TrainConfig) -> dict[str, Any]:
    """Summarize the network of a config: the fields of `NetworkSize`."""
    model = config.model
    return {
        "parameters": checkpoint.count_parameters(model),
        "tokens": model.num_tokens,
        "grid": model.grid_size,
        "prefix": model.num_prefix_tokens,
    }


def check_vary(request: FormRequest) -> None:
    """Raise ConfigError if a sweep varies another field than a hyperparameter, or the network of initial weights."""
    for text in request.vary:
        name = text.partition("=")[0]
        if name not in HYPERPARAMETERS:
            raise ConfigError("vary", f"must name hyperparameters: got {name!r}")
        if request.init_from and name.startswith("model."):
            problem = f"must not contain fields of the model when fine-tuning: got {name}"
            raise ConfigError("vary", problem, "Remove it, or start from random weights.")


@lru_cache(maxsize=64)
def cached_estimate(config: TrainConfig, *counts: int) -> Estimate:
    """Estimate a training run, once per config."""
    return estimate_run(config, *counts)


def describe_error(error: ConfigError) -> str:
    """Return the sentence of an error: the label of its field, the rule, the received value and the cure."""
    if isinstance(error, CombinationsError):
        settings, first = error.errors[0]
        given = " and ".join(f"{label_of(name)} {value}" for name, value in settings.items())
        return f"With {given}: {describe_error(first)}"
    if isinstance(error, InvalidValueError):
        rule = error.rule.replace(", or None", "" if error.field in BUDGET else ", or empty")
        received = "the field is empty" if error.value in EMPTY else f"got {str(error.value)[:80]}"
        return f"{label_of(error.field)} must be {rule}: {received}."
    if sentence := SENTENCES.get(error.field):
        return sentence
    hint = f" {with_labels(error.hint)}" if error.hint else ""
    return f"{label_of(error.field)} {with_labels(error.problem)}.{hint}"


def label_of(name: str) -> str:
    """Return the label of a field by its name in the code; the name itself if the form does not have it."""
    return LABELS.get(name) or LABELS.get(f"model.{name}") or name


def with_labels(text: str) -> str:
    """Replace names of fields by their labels, except in received values."""
    parts = QUOTED.split(text)
    return "".join(
        part if i % 2 else NAME.sub(lambda found: label_of(found[1] or found[2]), part) for i, part in enumerate(parts)
    )
