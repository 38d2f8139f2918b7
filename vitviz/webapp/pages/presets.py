"""Recipes for the page: presets in words, what may be set by hand, and what a training would be."""

import re
from dataclasses import asdict
from functools import lru_cache

from vitviz.data.cifar import DataError
from vitviz.models import checkpoint
from vitviz.models.checkpoint import CheckpointError
from vitviz.training.config import TrainConfig
from vitviz.training.estimate import Estimate, estimate
from vitviz.webapp.server.requests import Answer

ABOUT = {
    "cifar10-ti4": "The one to start with: made for two processor cores.",
    "cifar10-s4": "Larger and better. Made for a GPU; in its 18 minutes a processor learns little.",
    "tutorial-notebook": "As in the notebook: a norm after each block, none at the end.",
    "tutorial-lightning": "As in the Lightning tutorial: the residual is taken from the normalised input.",
    "tutorial-scratch": "As in the tutorial from scratch: its patches are not square.",
}
# What may be set by hand, by group; names are those of TrainConfig, with model. before those of its network.
SETTINGS: dict[str, dict[str, str]] = {
    "Network": {
        "model.patch_size": "Patch side, pixels",
        "model.embed_dim": "Width",
        "model.depth": "Layers",
        "model.num_heads": "Heads",
        "model.mlp_ratio": "MLP width",
        "model.pos_drop_rate": "Dropout",
        "model.drop_path_rate": "Stochastic depth",
    },
    "Images are varied": {
        "randaug_num_ops": "RandAugment operations",
        "randaug_magnitude": "RandAugment strength",
        "cutmix": "CutMix",
        "mixup": "Mixup",
        "erase": "Erased boxes",
        "label_smoothing": "Label smoothing",
    },
    "Learning": {
        "optimizer": "Optimizer",
        "lr": "Rate",
        "muon_lr": "Rate of Muon",
        "weight_decay": "Weight decay",
        "schedule": "Schedule",
        "batch_size": "Batch",
        "images": "First images only",
        "seed": "Seed",
    },
}
OWN = {name for group in SETTINGS.values() for name in group} | {"epochs", "minutes", "device", "dataset", "frozen"}
BLAMED = {"tokens": "model.patch_size", "patches": "model.patch_size"}  # words of a refusal -> the field to mend


def about_preset(name: str, config: TrainConfig) -> Answer:
    """A preset for the page: its words, its settings by name, and what it would be."""
    plain = asdict(config)
    model = plain.pop("model")
    values = plain | {f"model.{key}": value for key, value in model.items()}
    network = f"{config.model.depth} layers, {config.model.num_heads} heads, {config.model.embed_dim} wide."
    return {
        "name": name,
        "about": " ".join(filter(None, [network, ABOUT.get(name, "")])),
        "settings": {key: values[key] for key in sorted(OWN)},
        "plain": config.model.architecture == "vit",
        **plan(config),
    }


def plan(config: TrainConfig) -> Answer:
    """What a training would be, before it: parameters, tokens and the grid of patches."""
    return {
        "parameters": checkpoint.count_parameters(config.model),
        "tokens": config.model.num_tokens,
        "grid": list(config.model.grid_size),
        "prefix": config.model.num_prefix_tokens,
    }


def varied(question: Answer) -> tuple[str, ...]:
    """What an experiment varies, each NAME=VALUE,VALUE,... with a name of `SETTINGS`; nothing for a single training."""
    vary = question.get("vary", [])
    if not isinstance(vary, list) or not all(isinstance(text, str) and len(text) < 200 for text in vary):
        raise ValueError(f"What is varied must be a list of NAME=VALUE,VALUE: got {str(vary)[:40]!r}.")
    for text in vary:
        name = text.partition("=")[0]
        if not any(name in group for group in SETTINGS.values()):
            raise ValueError(f"There is no setting {name[:40]!r} to vary here.")
        if question.get("start") and name.startswith("model."):
            raise ValueError(
                f"What starts from a model has its network: {name.removeprefix('model.')} cannot be varied. Start from "
                "random weights, or vary something else."
            )
    return tuple(vary)


@lru_cache(maxsize=64)
def estimated(config: TrainConfig, measured: tuple[TrainConfig, float, float] | None, *counts: int) -> Estimate:
    """An estimate, measured once for each config; beside a training, converted once for each of its speeds."""
    return estimate(config, measured, *counts)


def field_of_error(refusal: ValueError) -> str | None:
    """The field that a refusal is about: by its kind, or the one it names first."""
    for kind, name in ((DataError, "own"), (CheckpointError, "start")):
        if isinstance(refusal, kind):
            return name
    words = {name.removeprefix("model."): name for name in OWN} | BLAMED
    found = re.search(rf"\b({'|'.join(sorted(words, key=len, reverse=True))})\b", str(refusal))
    return words[found[0]] if found else None
