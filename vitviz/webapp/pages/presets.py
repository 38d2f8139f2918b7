"""Presets and hyperparameters of the training form."""

from dataclasses import asdict, fields
from functools import lru_cache
from typing import Any, cast, get_args

from vitviz.models import checkpoint
from vitviz.models.config import ConfigError, ViTConfig, field_types
from vitviz.runs.run_folder import flatten
from vitviz.training.config import TrainConfig
from vitviz.training.estimate import Estimate, estimate_run
from vitviz.training.presets import LESSONS
from vitviz.webapp.schemas.train import LessonInfo, NetworkSize, PresetInfo, SettingGroup
from vitviz.webapp.server.requests import Json, RequestError

ABOUT = {
    "cifar10-ti4": "Made for two CPU cores.",
    "cifar10-ti9": "Three more layers and 200 epochs: hours on two CPU cores.",
    "cifar10-2min": "A small network that learns visibly within two minutes on two CPU cores.",
    "cifar10-s4": "Larger and more accurate. Made for a GPU: on a CPU it learns little in this time.",
    "tutorial-notebook": "As in the notebook: a norm after each block, none at the end.",
    "tutorial-lightning": "As in the Lightning tutorial: the residual branches off after the norm.",
    "tutorial-scratch": "As in the from-scratch tutorial, with its mistake: reshape cuts strips of 16 pixels along the "
    "rows of the image instead of squares of 4 by 4, so a patch shows no shape.",
    "tutorial-scratch-fixed": "The same network with the patches cut as squares.",
}
CORRECTED = {"tutorial-scratch": "tutorial-scratch-fixed"}  # the version of a preset without its mistake
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
        "max_train_samples": "Training subset",
        "seed": "Seed",
    },
}
HYPERPARAMETERS = {name for group in SETTINGS.values() for name in group}
CONFIG_FIELDS = HYPERPARAMETERS | {"epochs", "minutes", "device", "dataset", "freeze_backbone"}
FORM_FIELDS = CONFIG_FIELDS | {"name", "vary", "init_from", "image_folder"}
MODEL_FIELDS = {field.name for field in fields(ViTConfig)}


def describe_preset(name: str, config: TrainConfig) -> PresetInfo:
    """Describe a preset: text, hyperparameters by name, and the network's size."""
    values, model = flatten(config), vit_config(config)
    network = f"{model.depth} layers, {model.num_heads} heads, width {model.embed_dim}."
    return {
        "name": name,
        "about": " ".join(filter(None, [network, ABOUT.get(name, "")])),
        "corrected": CORRECTED.get(name),
        "settings": {key: values[key] for key in sorted(CONFIG_FIELDS)},
        "plain": model.architecture == "vit",
        **summarize(config),
    }


def describe_lessons() -> list[LessonInfo]:
    """Describe the lengths of a lesson: preset, and what it reached in this time, None where it was not measured."""
    return [cast(LessonInfo, asdict(lesson)) for lesson in LESSONS]


def describe_settings() -> list[SettingGroup]:
    """Describe the hyperparameters by group: label and, from the config classes, description of each."""
    hints = dict(field_types(TrainConfig)) | {f"model.{name}": hint for name, hint in field_types(ViTConfig).items()}
    return [
        {"name": name, "fields": group, "about": {key: description(hints[key][0]) for key in group}}
        for name, group in SETTINGS.items()
    ]


def description(annotation: Any) -> str:
    """Return the description in a field's annotation."""
    return next(text for extra in get_args(annotation)[1:] if (text := getattr(extra, "description", None)))


def summarize(config: TrainConfig) -> NetworkSize:
    """Summarize the network of a config: parameters, tokens and the grid of patches."""
    model = vit_config(config)
    return {
        "parameters": checkpoint.count_parameters(model),
        "tokens": model.num_tokens,
        "grid": list(model.grid_size),
        "prefix": model.num_prefix_tokens,
    }


def vit_config(config: TrainConfig) -> ViTConfig:
    """Return the model config of a training; the form has no convnets."""
    if not isinstance(config.model, ViTConfig):
        raise ConfigError("init_from", f"must be a Vision Transformer: got a {config.model.architecture}")
    return config.model


def parse_vary(request: Json) -> tuple[str, ...]:
    """Parse the grid of a sweep, each NAME=VALUE,VALUE,... with a name of `SETTINGS`; empty for a single run."""
    vary = request.get("vary", [])
    if not isinstance(vary, list) or not all(isinstance(text, str) and len(text) < 200 for text in vary):
        raise RequestError("vary", "a list of NAME=VALUE,VALUE", vary)
    for text in vary:
        name = text.partition("=")[0]
        if name not in HYPERPARAMETERS:
            raise RequestError("vary", "NAME=VALUE,VALUE with names of hyperparameters", name)
        if request.get("init_from") and name.startswith("model."):
            problem = f"must not contain fields of the model when fine-tuning: got {name}"
            raise ConfigError("vary", problem, "Remove it, or start from random weights.")
    return tuple(vary)


@lru_cache(maxsize=64)
def cached_estimate(config: TrainConfig, *counts: int) -> Estimate:
    """Estimate a training run, once per config."""
    return estimate_run(config, *counts)
