"""Descriptions of models that are in memory: for the lists of the page, and all that is known of one."""

from contextlib import suppress
from dataclasses import replace
from typing import cast

from vitviz.attribution.serialize import model_to_json
from vitviz.data.preprocessing import describe_resize
from vitviz.errors import ConfigError
from vitviz.models.accuracy import accuracy_number, accuracy_text
from vitviz.models.checkpoint import Checkpoint, bundled_checkpoints, eval_samples
from vitviz.models.config import ViTConfig
from vitviz.models.hub import describe_cost
from vitviz.models.names import cut_size, write_size
from vitviz.models.vit import ViT
from vitviz.webapp.schemas.common import ModelInfo

NUM_NAMED = 6  # classes that are named
SIZE_FACTORS = (0.5, 1.5, 2.0, 3.0)  # of the input size, at which a model can be opened


def describe_model(model: Checkpoint) -> ModelInfo:
    """Describe an opened model for the lists."""
    return cast(ModelInfo, model_to_json(model))


def facts(model: Checkpoint, num_bytes: int | None = None) -> list[tuple[str, str]]:
    """Return what is known of a model as pairs of a term and its value.

    Args:
        model: The model.
        num_bytes: Size of its file on disk; None if unknown.
    """
    config, pretrained = model.config, model.pretrained
    found = [("Family", " · ".join(filter(None, (model.family, str(pretrained.get("library", ""))))))]
    if "repository" in pretrained:
        found.append(("Repository", str(pretrained["repository"])))
    if "revision" in pretrained:
        found.append(("Revision", str(pretrained["revision"])))
    if pretrained:
        found.append(("License", str(pretrained.get("license", "not stated in its files"))))
    size = f"{sum(weight.numel() for weight in model.network.parameters()):,} parameters"
    found.append(("Size", size if num_bytes is None else f"{size} · {num_bytes / 1e6:,.1f} MB"))
    fewest, most = min(config.layer_heads), max(config.layer_heads)
    heads = f"{most} heads" if fewest == most else f"{fewest} to {most} heads"
    width = "" if config.is_captured else f", width {config.embed_dim}"
    found.append(("Layers", f"{config.depth} layers, {heads}{width}"))
    found.append(("Tokens", describe_tokens(config)))
    found.append(("Preprocessing", describe_resize(config.img_size, model.resize)))
    found.append(("Normalization", f"mean {describe_channels(model.mean)}; std {describe_channels(model.std)}"))
    found.append(("Classes", describe_classes(model)))
    if training := describe_training(model):
        found.append(("Training", training))
    return found + [("Note", "; ".join(model.notes))] * bool(model.notes)


def other_sizes(model: Checkpoint, requested: str | None) -> list[tuple[str, str]]:
    """Return the name that opens a model at each of some other input sizes, and what that takes.

    Args:
        model: The model.
        requested: The argument of `vitviz.load` that opened it; None if it was not opened.
    """
    config, found = model.config, []
    name = requested or (model.name if model.name in bundled_checkpoints() else "")
    if not name or not isinstance(model.network, ViT):
        return []
    for factor in SIZE_FACTORS:
        height, width = (config.patch_size * max(1, round(factor * count)) for count in config.grid_size)
        with suppress(ConfigError):  # too many tokens
            cost = describe_cost(replace(config, img_size=(height, width)))
            found.append((f"{cut_size(name)[0]}{write_size((height, width))}", cost))
    return found


def describe_tokens(config: ViTConfig) -> str:
    """Describe the tokens: "16 × 16 patches of 14 px, class token, 4 registers"."""
    (rows, columns), patch = config.grid_size, config.patch_size
    parts = [f"{rows} × {columns} patches of {patch} px"]
    parts += ["class token" if config.class_token else "no class token"]
    parts += ["distillation token"] if config.distilled else []
    parts += [f"{config.reg_tokens} registers"] if config.reg_tokens else []
    return ", ".join(parts)


def describe_channels(values: tuple[float, float, float]) -> str:
    """Write a number per channel."""
    return ", ".join(f"{value:.4g}" for value in values)


def describe_classes(model: Checkpoint) -> str:
    """Describe the classes of a model, or why it has none."""
    count = len(model.labels)
    if not model.is_classifier:
        return f"none: it {model.why_no_prediction}"
    names = ", ".join(model.labels[:NUM_NAMED])
    return f"{count:,}: {names}{', …' if count > NUM_NAMED else ''}"


def describe_training(model: Checkpoint) -> str:
    """Describe a training from its record: dataset, epochs, initial weights, accuracy; or the fit of a linear probe."""
    record, init = model.record, model.train_config.get("init_from")
    parts = [str(record["dataset"])] if isinstance(record.get("dataset"), str) else []
    if isinstance(epochs := record.get("epochs"), int | float):
        parts.append(f"{epochs:.4g} epochs")
    if init:
        parts.append(f"initialized from {init}")
    if isinstance(accuracy := record.get("test_accuracy"), int | float):
        count = eval_samples(record)
        parts.append(f"test accuracy {accuracy_text(accuracy, count) if count else accuracy_number(accuracy)}")
    return ", ".join(filter(None, (*parts, model.linear_probe)))
