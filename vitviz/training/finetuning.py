"""Fine-tuning: a training run that starts from the backbone of a checkpoint.

The backbone is loaded and the head is new: one linear layer from D channels to the K classes of the new dataset
(Dosovitskiy et al. 2021, arXiv 2010.11929, section 3.2). For images of another size the position embeddings are
interpolated to the new grid, as in the paper; the patch size stays.
"""

from dataclasses import asdict, replace

from vitviz.errors import ConfigError
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.factory import Network
from vitviz.models.hub import load
from vitviz.models.layers import interpolate_pos_embed
from vitviz.models.vit import Transformer
from vitviz.training.config import TrainConfig

MAY_DIFFER = (
    "num_classes",
    "multi_label",
    "img_size",
    "drop_path_rate",
    "pos_drop_rate",
)  # from the config of the checkpoint


def use_init_model(config: TrainConfig) -> TrainConfig:
    """Return the config with the network of its `init_from` checkpoint; unchanged without one."""
    if config.init_from is None:
        return config
    start = load(config.init_from, check=False).network.config
    start = replace(start, multi_label=False) if isinstance(start, ViTConfig) else start
    return replace(config, model=replace(start, num_classes=config.model.num_classes))


def load_backbone(model: Network, source: Checkpoint) -> None:
    """Load all weights of a checkpoint except its head.

    Raises:
        ConfigError: If the networks differ in more than `MAY_DIFFER`.
    """
    own, other = asdict(model.config), asdict(source.network.config)
    for name in ("architecture", *own):  # networks of one architecture have the same fields
        if name not in MAY_DIFFER and own[name] != other[name]:
            raise ConfigError(
                f"model.{name}",
                f"must be that of init_from: got {own[name]}, and {source.name} has {other[name]}",
                f"Set model.{name}={other[name]}.",
            )
    weights = {name: weight for name, weight in source.network.state_dict().items() if not is_head(name)}
    if "pos_embed" in weights and isinstance(model, Transformer) and isinstance(source.network, Transformer):
        prefix, old = model.config.num_embedded_prefix_tokens, source.network.config.grid_size
        weights["pos_embed"] = interpolate_pos_embed(weights["pos_embed"], prefix, old, model.config.grid_size)
    model.load_state_dict(weights, strict=False)


def freeze_backbone(model: Network) -> None:
    """Train the head only: the backbone has no gradients and is in eval mode, without stochastic depth."""
    model.eval()
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(is_head(name))


def is_head(name: str) -> bool:
    """Whether a parameter belongs to the classification head, or to the second one of a distilled model."""
    return name.startswith(("head.", "head_dist."))
