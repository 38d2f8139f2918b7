"""Fine-tuning: a training run that starts from the backbone of a checkpoint.

The backbone is loaded and the head is new: one linear layer from D channels to the K classes of the new dataset
(Dosovitskiy et al. 2021, arXiv 2010.11929, section 3.2). For images of another size the position embeddings are
interpolated to the new grid, as in the paper; the patch size stays.
"""

import warnings
from dataclasses import asdict, replace
from pathlib import Path

from vitviz.data.datasets import DatasetInfo
from vitviz.errors import ConfigError
from vitviz.models.checkpoint import LAST, Checkpoint
from vitviz.models.hub import load
from vitviz.models.layers import interpolate_pos_embed
from vitviz.models.names import PREFIXES, standard_name
from vitviz.models.vit import Transformer
from vitviz.training.config import TrainConfig

# Fields that may differ from the config of the checkpoint.
MAY_DIFFER = ("num_classes", "multi_label", "img_size", "drop_path_rate", "pos_drop_rate")


def use_init_model(config: TrainConfig) -> TrainConfig:
    """Return the config with the network of its `init_from` checkpoint; unchanged without one.

    Raises:
        CapturedModelError: If the model is captured.
        CheckpointError: If it cannot be loaded.
    """
    if config.init_from is None:
        return config
    initial = load(config.init_from, check=False)
    initial.require_blocks("training")
    return replace(config, model=replace(initial.config, multi_label=False, num_classes=config.model.num_classes))


def load_initial(init_from: str | None, info: DatasetInfo, val_size: int) -> Checkpoint | None:
    """Load the `init_from` checkpoint of a training run; None without one.

    Raises:
        CheckpointError: If it cannot be loaded.
        ConfigError: If it was trained on validation images.
    """
    if init_from is None:
        return None
    initial = load(init_from, check=False)
    check_val_overlap("init_from", initial, info, val_size)
    return initial


def check_val_overlap(field: str, known: Checkpoint, info: DatasetInfo, val_size: int) -> None:
    """Check that a checkpoint was not trained on this run's validation split; warn where that is unknown.

    Args:
        field: Field of the config that names the checkpoint: "init_from" or "teacher".
        known: The checkpoint.
        info: Dataset of the run.
        val_size: Images of its validation split.

    Raises:
        ConfigError: If it was trained on the same dataset with a smaller validation split.
    """
    if not val_size:
        return
    before, init_from = map(known.train_config.get, ("val_size", "init_from"))
    may_overlap = not (isinstance(before, int) and before >= val_size)
    rule = "must not be trained on validation images"
    if may_overlap and (info.classes, info.mean, info.std) == (known.labels, known.mean, known.std):
        raise ConfigError(
            field,
            f"{rule}: val_size is {val_size} here and was {before} for {known.name}",
            f"Train it with a val_size of at least {val_size}.",
        )
    reason = ""
    if may_overlap and info.classes == known.labels:  # the same images at another size have another mean
        reason = "trained on the same classes, possibly on these images"
    elif init_from is not None:
        reason = f"initialized from {init_from!s:.80}, possibly trained on these images"
    if reason:
        warnings.warn(f"{field} {rule}: {known.name} was {reason}.", stacklevel=2)


def run_name(path: str) -> str:
    """Return the name of a checkpoint, or of its run, without local paths; of the Hub "hf:OWNER/NAME"."""
    if (known := standard_name(path)).startswith(PREFIXES):
        return known
    file = Path(path)
    return file.parent.name if file.name == LAST else file.name.removesuffix(".safetensors")


def load_backbone(model: Transformer, initial: Checkpoint) -> None:
    """Load all weights of a checkpoint except its head.

    Raises:
        ConfigError: If the networks differ in more than `MAY_DIFFER`.
    """
    own, other = asdict(model.config), asdict(initial.config)
    for name in ("architecture", *own):  # it determines the others
        if name not in MAY_DIFFER and own[name] != other[name]:
            raise ConfigError(
                f"model.{name}",
                f"must be that of `init_from`: got {own[name]}, and {initial.name} has {other[name]}",
                f"Set model.{name}={other[name]}.",
            )
    weights = {name: weight for name, weight in initial.network.state_dict().items() if not is_head(name)}
    if "pos_embed" in weights:
        prefix, old = model.config.num_embedded_prefix_tokens, initial.config.grid_size
        weights["pos_embed"] = interpolate_pos_embed(weights["pos_embed"], prefix, old, model.config.grid_size)
    model.load_state_dict(weights, strict=False)


def freeze_backbone(model: Transformer) -> None:
    """Train the head only: the backbone has no gradients and is in eval mode, without stochastic depth."""
    model.eval()
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(is_head(name))


def is_head(name: str) -> bool:
    """Whether a parameter belongs to the classification head, or to the second one of a distilled model."""
    return name.startswith(("head.", "head_dist."))
