"""A checkpoint -> the first weights of a training: fine-tuning.

The body is taken over and the head is new, one linear layer from D numbers to the K classes of the new data
(Dosovitskiy et al. 2021, arXiv 2010.11929, section 3.2). For images of another size the learned positions are
interpolated to the new grid, as there; the patches keep their size.
"""

from dataclasses import asdict, replace

import torch
import torch.nn.functional as F
from torch import Tensor

from vitviz.models.checkpoint import Checkpoint, load
from vitviz.models.factory import Network
from vitviz.training.config import TrainConfig

FREE = ("num_classes", "img_size", "drop_path_rate", "pos_drop_rate")  # what may differ from the checkpoint's network


def with_network_of_init(config: TrainConfig) -> TrainConfig:
    """The config with the network of the checkpoint it starts from."""
    if config.init_from is None:
        return config
    return replace(config, model=replace(load(config.init_from).network.config, num_classes=config.model.num_classes))


def load_backbone(model: Network, source: Checkpoint) -> None:
    """Begin with the weights of a checkpoint, all but its head.

    Raises:
        ValueError: If the two networks are not the same otherwise.
    """
    ours, theirs = asdict(model.config), asdict(source.network.config)
    different = [name for name in ours if name not in FREE and ours[name] != theirs[name]]
    if different:
        name = different[0]
        raise ValueError(
            f"A training can start from the weights of the same network: {name} is {theirs[name]} in {source.name} and "
            f"{ours[name]} here. Set model.{name}={theirs[name]}."
        )
    body = {name: weight for name, weight in source.network.state_dict().items() if not name.startswith("head.")}
    if "pos_embed" in body:  # a convnet has no positions
        prefix, old, new = model.config.num_prefix_tokens, source.network.config.grid_size, model.config.grid_size
        body["pos_embed"] = interpolated(body["pos_embed"], prefix, old, new)
    model.load_state_dict(body, strict=False)


def interpolated(positions: Tensor, prefix: int, old: tuple[int, int], new: tuple[int, int]) -> Tensor:
    """Position embeddings on another grid (gh, gw), bicubic; those of the prefix, which have no place, stay.

    Args:
        positions: (1, R + N, D), patches in reading order.
        prefix: Tokens before the first patch (R).
        old: Their grid.
        new: The grid that is wanted.

    Returns:
        (1, R + N', D).
    """
    if old == new:
        return positions
    plane = positions[:, prefix:].unflatten(1, old).permute(0, 3, 1, 2)  # (1, D, gh, gw)
    plane = F.interpolate(plane, new, mode="bicubic", antialias=True)  # (1, D, gh', gw')
    return torch.cat([positions[:, :prefix], plane.flatten(2).mT], 1)  # (1, R + N', D)


def freeze(model: Network) -> None:
    """Let only the head learn: the body needs no gradients, and drops nothing out."""
    model.eval()
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(name.startswith("head."))
