"""Weights of timm and transformers -> a `ViT`, by the tables in `vitviz.models.families`.

What no table says is read from the tensors' names and shapes, so fine-tunes of a known model load like the model. Names
and shapes are checked before a weight is read.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import torch
from torch import Tensor, nn

from vitviz.errors import CheckpointError, ConfigError
from vitviz.files import printable_name
from vitviz.models.checkpoint import create_meta_model, use_weights
from vitviz.models.config import ViTConfig
from vitviz.models.config_files import Settings, TimmConfig, TransformersConfig, flatten, parse
from vitviz.models.families import (
    BIASED_PROJECTION,
    FIRST,
    POOLING,
    PREFIX,
    PROJECTED,
    REFUSED,
    TEXT_WIDTHS,
    TIMM,
    TOWERS,
    TRANSFORMERS,
    Family,
    find_head_dim,
)
from vitviz.models.layers import ANTIALIASED, interpolate_bias_table, interpolate_pos_embed
from vitviz.models.vit import Transformer, ViT

NUM_LISTED = 6  # tensors listed in an error
STATED = ("final_norm", "pos_embed")  # fields of a table of timm that tensors show, too
ROPE_FIELDS = ("rope_type", "rope_temperature", "rope_rotate_half", "rope_grid_indexing", "rope_grid_offset")
POOLS = ("", "token", "avg", "map", "token_avg", None)  # known values of timm's global_pool


@dataclass(frozen=True)
class Pretrained:
    """Tensors and configuration of a model of timm or transformers, before conversion.

    Attributes:
        name: Name in messages.
        tensors: Tensors by name; reading one may read a file.
        config: Content of config.json, or the equal of a module in memory.
        settings: Settings read from a module in memory, which win over those of the family's table.
        has_any_head: Whether the head need not be that of the config: of a module in memory, or of weights with the
            config of another model.
        module: The module in memory that was given, without wrappers; the ViT may be a part of it.
        is_inside: Whether it is a part.
        img_size: Height and width of the input (px), if not those of the config: for positions on a larger grid.
    """

    name: str
    tensors: Mapping[str, Tensor]
    config: Settings
    settings: Settings = field(default_factory=dict)
    has_any_head: bool = False
    module: nn.Module | None = None
    is_inside: bool = False
    img_size: tuple[int, int] | None = None

    @property
    def is_timm(self) -> bool:
        """Whether timm wrote it; otherwise transformers."""
        return "architecture" in self.stated

    @property
    def library(self) -> str:
        """Library whose implementation it is."""
        return self.family.library if self.is_timm and self.converts else "timm" if self.is_timm else "transformers"

    @cached_property
    def converts(self) -> bool:
        """Whether the family is one that vitviz converts."""
        try:
            return bool(self.family)
        except CheckpointError:
            return False

    @cached_property
    def is_tower(self) -> bool:
        """Whether the ViT is the image encoder of a vision-language model, whose other tensors are never read."""
        is_outer = isinstance(self.config.get("vision_config"), Mapping) and "architecture" not in self.config
        return is_outer and not re.fullmatch(TOWERS, str(self.config.get("model_type")))

    @property
    def stated(self) -> Settings:
        """Content of config.json that describes the ViT: of a vision-language model `vision_config`."""
        return self.config["vision_config"] if self.is_tower else self.config

    @property
    def model(self) -> str:
        """Name of the architecture: `architecture` of timm, or `model_type` of transformers."""
        return printable_name(str(self.stated.get("architecture") or self.stated.get("model_type") or ""))[:80]

    @cached_property
    def family(self) -> Family:
        """The family; raise CheckpointError if vitviz loads none of this name."""
        return find_family(self)

    @cached_property
    def file(self) -> TransformersConfig | TimmConfig:
        """Fields of config.json; raise CheckpointError if one is invalid or unknown."""
        kind = TimmConfig if self.is_timm else self.family.file
        file = parse(kind, flatten(self.stated), "config.json")
        if isinstance(file, TransformersConfig) and file.class_name not in ("", *file.classes):
            raise CheckpointError(
                f"architectures must be one of {', '.join(file.classes)}: got {file.class_name!r:.80}",
                field="architectures",
            )
        return cast(TransformersConfig | TimmConfig, file)

    @property
    def class_name(self) -> str:
        """Name of the class of transformers; may be empty."""
        return self.file.class_name if isinstance(self.file, TransformersConfig) else ""

    @cached_property
    def prefix(self) -> str:
        """Prefix of the names of all tensors of the ViT, which a module around it adds."""
        start = rf"(.*?(?:{PREFIX})?)" if self.is_tower and not self.is_timm else rf"(.*?)(?:{PREFIX})?"
        found = {match[1] for name in self.tensors if (match := re.fullmatch(start + FIRST, name))}
        averaged = [prefix for prefix in found if re.search(r"teacher|ema", prefix)]
        if len(found) > 1 and len(averaged) != 1:
            raise CheckpointError(
                f"The weights must be those of one ViT: {self.name} has {list_some(sorted(found))}",
                "Save the state_dict of one of them.",
            )
        return next(iter(averaged or found), "")

    @property
    def inner(self) -> list[str]:
        """Names of the tensors of the ViT."""
        return [name for name in self.tensors if name.startswith(self.prefix)]

    @property
    def others(self) -> list[str]:
        """Names of tensors outside the ViT, which are not used."""
        return [name for name in self.tensors if not name.startswith(self.prefix)]


def find_family(pretrained: Pretrained) -> Family:
    """Return the family of a model.

    Raises:
        CheckpointError: If it is none that vitviz loads; the message names its family.
    """
    for family in TIMM if pretrained.is_timm else TRANSFORMERS:
        if re.fullmatch(family.models, pretrained.model) and not is_refused(pretrained.model):
            return family
    architectures = pretrained.stated.get("architectures")
    what = is_refused(pretrained.model) or is_refused(str(architectures[:1] if isinstance(architectures, list) else ""))
    described = f"{pretrained.model or 'unknown'} ({what})" if what else pretrained.model or "unknown"
    library = "timm" if pretrained.is_timm else "transformers"
    titles = ", ".join(dict.fromkeys(family.title for family in (*TRANSFORMERS, *TIMM)))
    raise CheckpointError(
        f"The model must be a plain ViT: {pretrained.name} is of the family {described}",
        f"Families that load: {titles}. Others run in {library}, if it is installed and all weights fit.",
        "family",
    )


def is_refused(model: str) -> str:
    """Return the name of the family that vitviz cannot load; empty for others."""
    return next((family for pattern, family in REFUSED if re.search(pattern, model)), "")


def convert(pretrained: Pretrained, img_size: tuple[int, int] | None = None) -> ViT:
    """Convert a model of timm or transformers to a `ViT` with equal logits and attention, in evaluation mode.

    Args:
        pretrained: The model.
        img_size: Height and width of the input (px); positions are interpolated as the library does. None for the size
            in the config.

    Raises:
        CheckpointError: If the family is unknown or tensors are missing, unexpected or of another shape.
    """
    if pretrained.family.large_grid and not (pretrained.is_timm and pretrained.module):
        pretrained = replace(pretrained, img_size=img_size)
    shapes = rename(pretrained, meta(pretrained.tensors))
    config = build_config(pretrained, shapes)
    check_tensors(pretrained.name, shapes, config)
    weights = rename(pretrained, pretrained.tensors)
    weights = {name: weights[name] for name in shapes if not is_integer(shapes[name])}
    vit = cast(ViT, use_weights(create_meta_model(config), weights))
    return vit if img_size is None else interpolate(vit, img_size, pretrained.family.resampling)


def needed_tensors(config: Settings, names: Iterable[str]) -> set[str]:
    """Return the names of the tensors that the ViT of a model needs.

    Args:
        config: Content of its config.json.
        names: Names of all tensors in its files.

    Raises:
        CheckpointError: If the model is of no family that loads, or has several ViTs.
    """
    return set(find_names(Pretrained("the model", dict.fromkeys(names, torch.empty(0)), config)).values())


def interpolate(network: Transformer, img_size: tuple[int, int], resampling: Mapping[str, Any] = ANTIALIASED) -> ViT:
    """Return a `ViT` with the same weights for images of another size (height, width, px).

    `resampling` is that of `interpolate_pos_embed`.

    Raises:
        CheckpointError: If the size does not fit the patches, or the network is one of the tutorials'.
    """
    config = network.config
    if not isinstance(network, ViT):
        raise CheckpointError(f"img_size must be {config.img_size} for {config.architecture}: got {img_size}")
    if img_size == config.img_size:
        return network
    P = config.patch_size
    if any(side % P for side in img_size):
        near = " x ".join(str(max(P, P * round(side / P))) for side in img_size)
        raise CheckpointError(
            f"img_size must be a multiple of the patch size, {P}: got {img_size[0]} x {img_size[1]}",
            f"Use {near}.",
            "img_size",
        )
    try:
        resized = replace(config, img_size=img_size)
    except ConfigError as error:
        raise CheckpointError(f"{error.field} {error.problem}", "Use a smaller img_size.", "img_size") from None
    weights = dict(network.state_dict())
    if "pos_embed" in weights:
        positions = weights["pos_embed"]
        positions = positions if positions.dtype == torch.float64 else positions.float()
        prefix, old = config.num_embedded_prefix_tokens, config.grid_size
        weights["pos_embed"] = interpolate_pos_embed(positions, prefix, old, resized.grid_size, resampling)
    for name in [name for name in weights if name.endswith("relative_position_bias_table")]:
        weights[name] = interpolate_bias_table(weights[name], config.grid_size, resized.grid_size)
    return cast(ViT, use_weights(create_meta_model(resized), weights))


def meta(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return tensors of the same shapes and dtypes without data."""
    described = getattr(tensors, "described", None)
    if described is not None:
        return {name: torch.empty(shape, dtype=dtype, device="meta") for name, (shape, dtype) in described.items()}
    return {name: torch.empty_like(tensor, device="meta") for name, tensor in tensors.items()}


def is_integer(tensor: Tensor) -> bool:
    """Whether a tensor has no floating-point dtype of 16 bits or more, as weights have."""
    return not tensor.dtype.is_floating_point or tensor.dtype.itemsize < 2


def rename(pretrained: Pretrained, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Rename and stack the tensors of a family to those of `ViT`.

    Raises:
        CheckpointError: If a tensor that is stacked or reshaped has another shape than that of its name.
    """
    renamed = find_names(pretrained)
    if not pretrained.is_timm and "dist_token" in renamed and "head_dist.weight" not in renamed:
        renamed["reg_token"] = renamed.pop("dist_token")  # the head reads the class token alone
    if is_projection(pretrained, renamed):
        renamed["head_proj.weight"] = renamed.pop("head.weight")
        del renamed["head.bias"]
    found = {name: tensors[original] for name, original in renamed.items()}
    fix_patches(found, pretrained)
    check_dimensions(found)
    stacked = stack_parts(pretrained, found)
    return fix_shapes(stacked | found, pretrained)


def find_names(pretrained: Pretrained) -> dict[str, str]:
    """Return the names of the tensors that a ViT needs, by those of timm."""
    renamed: dict[str, str] = {}
    pattern = pretrained.family.ignored + drop_unused_head(pretrained)
    for name in pretrained.inner:
        ours = re.sub(f"^{PREFIX}", "", name.removeprefix(pretrained.prefix))
        for old, new in pretrained.family.names:
            ours = re.sub(old, new, ours)
        if not re.match(pattern, ours):
            renamed[ours] = name
    rename_head(renamed)
    return renamed


def rename_head(renamed: dict[str, str]) -> None:
    """Rename the one linear layer of a head that also has layers without weights, such as dropout."""
    layers = {match[1] for name in renamed if (match := re.match(r"head\.(\d+(?:\.\d+)*)\.", name))}
    if len(layers) > 1:
        parts = [name for name in renamed if name.startswith("head.")]
        raise CheckpointError(f"The head must be one linear layer: got {list_some(parts)}", field="head")
    for layer in layers:
        for name in [name for name in renamed if name.startswith(f"head.{layer}.")]:
            renamed[name.replace(f".{layer}.", ".")] = renamed.pop(name)


def check_dimensions(tensors: Mapping[str, Tensor]) -> None:
    """Check the dimensions of the tensors that are stacked, reshaped or that the config is built from."""
    patches = tensors.get("patch_embed.proj.weight")
    D = patches.shape[0] if patches is not None and patches.ndim else 0
    matrix = r"head\.weight|head_proj\.(weight|transposed)|(.*\.)?(qkv|q|k|v|gate|up|fc1|fc2|in_proj)\.weight"
    for name, tensor in tensors.items():
        rule, is_right = "", True
        if name == "patch_embed.proj.weight":
            rule, is_right = "4 dimensions", tensor.ndim == 4 and tensor.numel() > 0
        elif re.fullmatch(r"(cls|reg|dist)_token|pos_embed|attn_pool\.latent", name):
            rule, is_right = f"{D} channels", tensor.ndim > 0 and 0 < tensor.shape[-1] == D
        elif re.fullmatch(matrix, name):
            rule, is_right = "2 dimensions", tensor.ndim == 2
        elif name.endswith((".bias", ".bias_mask")):
            rule, is_right = "1 dimension", tensor.ndim == 1
        if not is_right:
            raise CheckpointError(f"{printable_name(name)} must have {rule}: got {tuple(tensor.shape)}", field=name)


def is_projection(pretrained: Pretrained, renamed: Mapping[str, str]) -> bool:
    """Whether the head of a model of timm is the projection into the space of its texts, not one for classes.

    A projection has no bias, which timm writes as zeros; that of a trained classifier is not zero.
    """
    has_head = pretrained.is_timm and {"head.weight", "head.bias"} <= renamed.keys()
    if not has_head or not re.fullmatch(PROJECTED, pretrained.model):
        return False
    bias = pretrained.tensors[renamed["head.bias"]]
    return not bias.is_meta and not bias.any()


def drop_unused_head(pretrained: Pretrained) -> str:
    """Return a pattern of tensors that models have, but that no prediction uses.

    These are parts of the classification models of some families, and a projection into the space of the texts that has
    a bias like a head for classes.
    """
    if has_biased_projection(pretrained):
        return r"|head\."
    name, unused = pretrained.family.classifier
    return f"|{unused}" if name and pretrained.class_name == name else ""


def has_biased_projection(pretrained: Pretrained) -> bool:
    """Whether the head is a projection into the space of the texts that has a bias."""
    is_family = pretrained.is_timm and re.fullmatch(BIASED_PROJECTION, pretrained.model) is not None
    return is_family and has_text_head(pretrained)


def has_text_head(pretrained: Pretrained) -> bool:
    """Whether the head has as many rows as a text encoder has channels, and its classes have no names."""
    file = cast(TimmConfig, pretrained.file)
    cfg = file.pretrained_cfg
    rows = next((one.shape[0] for name, one in meta(pretrained.tensors).items() if name.endswith("head.weight")), 0)
    return not (file.label_names or cfg.label_names) and rows in TEXT_WIDTHS and rows == cfg.num_classes


def stack_parts(pretrained: Pretrained, renamed: dict[str, Tensor]) -> dict[str, Tensor]:
    """Stack queries, keys and values, and the two parts of SwiGLU; remove these from `renamed`."""
    stacked = {}
    groups = (
        (r"(.*\.attn\.)q\.(weight|bias)", ("q", "k", "v"), "qkv"),
        (r"(.*\.mlp\.)gate\.(.*)", ("gate", "up"), "fc1"),
    )
    has_key_bias = getattr(pretrained.file, "key_bias", not pretrained.is_timm)
    for name in list(renamed):
        for pattern, parts, whole in groups:
            if match := re.fullmatch(pattern, name):
                start, end = match.groups()
                names = [f"{start}{part}.{end}" for part in parts]
                optional = {f"{start}k.bias"} if not has_key_bias else set()
                if names[-1] in renamed and renamed.keys() | optional >= set(names):
                    stacked[f"{start}{whole}.{end}"] = stack(names, [renamed.pop(one, None) for one in names])
    for name in [name for name in renamed if ".mlp.up." in name]:  # DINOv3 has these names without a gate, too
        renamed[name.replace(".mlp.up.", ".mlp.fc1.")] = renamed.pop(name)
    return stacked


def stack(names: list[str], parts: list[Tensor | None]) -> Tensor:
    """Concatenate tensors of one shape along the first dimension; None, but not the first, is zeros."""
    first = cast(Tensor, parts[0])
    stacked = first.new_empty(len(parts) * first.shape[0], *first.shape[1:])
    for name, part, rows in zip(names, parts, stacked.split(max(1, first.shape[0])), strict=False):
        if part is None:
            rows.zero_()
        elif part.shape != first.shape or part.dtype.is_floating_point != first.dtype.is_floating_point:
            raise CheckpointError(
                f"{printable_name(name)} must be {tuple(first.shape)} of numbers, like {names[0]}: got "
                f"{tuple(part.shape)} {part.dtype}",
                field=name,
            )
        else:
            rows.copy_(part)
    return stacked


def fix_patches(found: dict[str, Tensor], pretrained: Pretrained) -> None:
    """Give the patch embedding the shape of a convolution, and move the normalization of its input into it."""
    name, axes = "patch_embed.proj.weight", pretrained.family.patch_axes
    mean, std = (found.pop(f"input_conditioner.norm_{part}", None) for part in ("mean", "std"))
    weight, P = found.get(name), getattr(pretrained.file, "patch_size", 1)
    if weight is not None and axes and weight.ndim == 2 and weight.shape[1] == 3 * P * P:
        sizes = [3 if axis == "c" else P for axis in axes]
        weight = weight.unflatten(1, sizes).permute(0, *(1 + axes.index(axis) for axis in "chw"))
        found[name] = weight.contiguous()
    if weight is not None and axes == "chw" and "patch_embed.proj.bias" not in found:
        found["patch_embed.proj.bias"] = weight.new_zeros(weight.shape[0])
    if weight is not None and mean is not None and std is not None and mean.shape == std.shape == (3, 1, 1):
        found[name] = weight / std  # (D, 3, P, P)
        found["patch_embed.proj.bias"] = -(found[name] * mean).sum((1, 2, 3))


def fix_shapes(found: dict[str, Tensor], pretrained: Pretrained) -> dict[str, Tensor]:
    """Add dimensions of size 1, split packed tensors and move positions of the class token into it."""
    for name in ("cls_token", "pos_embed", "reg_token", "dist_token", "attn_pool.latent"):
        if name in found:
            tensor = found[name]
            found[name] = tensor.view(1, -1, tensor.shape[-1])
    if (prefix := found.pop("prefix_tokens", None)) is not None:
        found["cls_token"], found["reg_token"] = prefix[None, :1], prefix[None, 1:]
    if (projection := found.pop("head_proj.transposed", None)) is not None:
        found["head_proj.weight"] = projection.mT.contiguous()
    share_bias_table(found)
    if "reg_token" in found and not found["reg_token"].shape[1]:
        del found["reg_token"]
    if pretrained.family.large_grid and {"pos_embed", "patch_embed.proj.weight"} <= found.keys():
        found["pos_embed"] = fit_large_grid(pretrained, found["pos_embed"], found["patch_embed.proj.weight"])
    for mask in [name for name in found if name.endswith(".qkv.bias_mask")]:  # of Meta's DINOv3: 0 for keys
        bias = found.get(mask.removesuffix("_mask"))
        if bias is not None and bias.shape == found[mask].shape:
            found[mask.removesuffix("_mask")] = bias * found.pop(mask).nan_to_num()
    for end in ("weight", "bias"):
        if (packed := found.pop(f"attn_pool.in_proj.{end}", None)) is not None:
            D = packed.shape[0] // 3
            found[f"attn_pool.q.{end}"], found[f"attn_pool.kv.{end}"] = packed[:D], packed[D:]
    needed = {"patch_embed.proj.weight", "reg_token", "pos_embed", "cls_token"}
    if pretrained.family.positions_before_registers and needed <= found.keys():
        positions, (D, _, P, _) = found["pos_embed"], found["patch_embed.proj.weight"].shape
        height, width = read_settings(pretrained, D)["img_size"]
        others, grid = positions.shape[1] - 1, (height // P) * (width // P)
        if others == grid or (others + 1 != grid and round(others**0.5) ** 2 == others):
            found["cls_token"] = found["cls_token"] + positions[:, :1]
            found["pos_embed"] = positions[:, 1:]
    return found


def share_bias_table(found: dict[str, Tensor]) -> None:
    """Add relative position biases that all blocks share to those of each block."""
    shared = found.pop("rel_pos_bias.relative_position_bias_table", None)
    if shared is not None:
        for block in {name.split(".")[1] for name in found if name.startswith("blocks.")}:
            table = f"blocks.{block}.attn.relative_position_bias_table"
            found[table] = shared + found[table] if table in found else shared


def fit_large_grid(pretrained: Pretrained, positions: Tensor, patches: Tensor) -> Tensor:
    """Interpolate positions (1, N, D) of a square grid to that of the input; transformers crops a larger square."""
    D, _, P, _ = patches.shape
    h, w = (max(1, side // P) for side in read_settings(pretrained, D)["img_size"])
    side = round(positions.shape[1] ** 0.5)
    if side * side != positions.shape[1] or (pretrained.is_timm and pretrained.module):
        return positions
    grid = (h, w) if pretrained.is_timm else (max(h, w), max(h, w))
    found = interpolate_pos_embed(positions, 0, (side, side), grid, pretrained.family.large_grid)
    return found.unflatten(1, grid)[:, :h, :w].flatten(1, 2)  # (1, h w, D)


def build_config(pretrained: Pretrained, shapes: Mapping[str, Tensor]) -> ViTConfig:
    """Build the config of a model from its family's table, its config.json and the shapes of its renamed tensors."""
    for needed in ("patch_embed.proj.weight", "blocks.0.mlp.fc1.weight", "blocks.0.mlp.fc2.weight"):
        if needed not in shapes:
            raise CheckpointError(
                f"The tensors of {pretrained.name} must be those of {pretrained.family.title}: {needed!r} is missing",
                f"It has {len(shapes)} tensors: {list_some(sorted(shapes))}.",
                needed,
            )
    D, channels, *sides = shapes["patch_embed.proj.weight"].shape
    if channels != 3 or len(set(sides)) != 1:
        raise CheckpointError(f"Patches must be square and have 3 channels: got {channels} channels of {sides} pixels")
    fields = read_settings(pretrained, D)
    is_swiglu = shapes["blocks.0.mlp.fc1.weight"].shape[0] == 2 * shapes["blocks.0.mlp.fc2.weight"].shape[1]
    check_operations(pretrained, fields, is_swiglu)
    M = shapes["blocks.0.mlp.fc2.weight"].shape[1]
    head, R = shapes.get("head.weight"), shapes["reg_token"].shape[1] if "reg_token" in shapes else 0
    P, size = sides[0], fields.pop("img_size")
    fields |= {
        "img_size": tuple(side - side % P for side in size),
        "patch_size": P,
        "embed_dim": D,
        "depth": 1 + max(int(match[1]) for name in shapes if (match := re.match(r"blocks\.(\d{1,4})\.", name))),
        "mlp_ratio": M / D,
        "num_classes": 0 if head is None else head.shape[0],
        "head_proj_dim": shapes["head_proj.weight"].shape[0] if "head_proj.weight" in shapes else 0,
        "reg_tokens": R,
        "class_token": "cls_token" in shapes,
        "distilled": "dist_token" in shapes,
        "qkv_bias": "blocks.0.attn.qkv.bias" in shapes,
        "qk_norm": "blocks.0.attn.q_norm.weight" in shapes,
        "init_values": 1e-5 if "blocks.0.ls1.gamma" in shapes else None,
        "pos_embed": "learn" if "pos_embed" in shapes else "none",
        "pre_norm": "norm_pre.weight" in shapes,
        "fc_norm": "fc_norm.weight" in shapes,
        "final_norm": "norm.weight" in shapes or "fc_norm.weight" in shapes,
        "swiglu_mlp": is_swiglu,
        "act_layer": "gelu" if is_swiglu else fields.get("act_layer", "gelu"),
        "scale_attn_norm": "blocks.0.attn.norm.weight" in shapes,
        "scale_mlp_norm": "blocks.0.mlp.norm.weight" in shapes,
        "rel_pos_bias": "blocks.0.attn.relative_position_bias_table" in shapes,
        "attn_pool_mlp_ratio": shapes["attn_pool.mlp.fc1.weight"].shape[0] / D if pools_otherwise(shapes, M) else 0.0,
        "global_pool": choose_pooling(pretrained, shapes, fields.get("global_pool")),
        "multi_label": pretrained.file.problem_type == "multi_label_classification",
    } | read_stated(pretrained, shapes)  # what the config states and the tensors lack is missing
    if pretrained.file.problem_type == "regression" and fields["num_classes"] > 1:
        raise CheckpointError("problem_type must be of a classification, or of one output: got regression of several")
    try:
        config = ViTConfig(**fields)
        if "pos_embed" in shapes:
            config = fit_positions(config, shapes["pos_embed"].shape[1], pretrained.is_timm)
    except ConfigError as error:
        raise CheckpointError(f"{error.field} {error.problem}", error.hint, error.field) from None
    return config


def pools_otherwise(shapes: Mapping[str, Tensor], mlp_width: int) -> bool:
    """Whether the MLP of attention pooling has another width than those of the blocks."""
    return "attn_pool.mlp.fc1.weight" in shapes and shapes["attn_pool.mlp.fc1.weight"].shape[0] != mlp_width


def check_operations(pretrained: Pretrained, fields: Settings, is_swiglu: bool) -> None:
    """Raise CheckpointError for an activation or a pooling that `ViT` does not have, which no tensor shows."""
    activation, pool = fields.get("act_layer", "gelu"), fields.get("global_pool")
    known: tuple[str, ...] = ("gelu", "gelu_tanh", "quick_gelu")
    if is_swiglu:  # the activation in a config is not that of the gate
        known = ("silu",) if pretrained.settings else (*known, "silu")
    if activation not in known:
        raise CheckpointError(
            f"The activation of the MLP must be {' or '.join(known)}: {pretrained.name} has {activation}",
            field="act_layer",
        )
    if pool not in POOLS:
        problem = f"global_pool must be token, avg or map: {pretrained.name} has {pool}"
        raise CheckpointError(problem, field="global_pool")
    if fields.get("pool_include_prefix") and pool != "map":
        raise CheckpointError(
            f"The mean must be that of the patches only: that of {pretrained.name} includes the prefix tokens",
            field="global_pool",
        )


def read_stated(pretrained: Pretrained, shapes: Mapping[str, Tensor]) -> Settings:
    """Return what config.json states of what the tensors show; nothing for a module of timm in memory."""
    if pretrained.settings:
        return {}
    stated = pretrained.file.fields()
    if isinstance(pretrained.file, TimmConfig):
        known = pretrained.family.settings
        stated = {name: known[name] for name in STATED if name in known} | stated
        has_text_head = "head_proj.weight" in shapes or drop_unused_head(pretrained)
        if pretrained.file.num_classes is not None and not has_text_head:
            stated["num_classes"] = pretrained.file.num_classes
        stated = {"pos_embed": "learn", "final_norm": True} | stated
    for name in ("img_size", "act_layer"):
        stated.pop(name, None)
    if pretrained.has_any_head:
        stated.pop("num_classes", None)
    return stated


def read_settings(pretrained: Pretrained, embed_dim: int) -> Settings:
    """Return the settings for one model that no tensor shows: of the module in memory, its config or its family."""
    size = {"img_size": pretrained.img_size} if pretrained.img_size else {}
    file = pretrained.file
    if isinstance(file, TransformersConfig):
        stated = file.fields()
        kept = ("img_size", "num_heads", "eps", "act_layer", *ROPE_FIELDS)
        return {name: stated[name] for name in kept if name in stated} | pretrained.settings | size
    args = file.model_args.model_dump(include=file.model_args.model_fields_set)  # None, too, is a statement
    known = pretrained.family.settings | args
    named = ("eps", "act_layer", "pool_include_prefix", "attn_pool_num_heads", *ROPE_FIELDS)
    pool = file.global_pool or known.get("global_pool")
    found = {name: known[name] for name in named if known.get(name) is not None} | {
        "img_size": known.get("img_size") or file.pretrained_cfg.input_size[1:],
        "num_heads": known.get("num_heads") or embed_dim // find_head_dim(pretrained.model),
        "global_pool": pool or next(p for m, p in POOLING if re.fullmatch(m, pretrained.model)),
        "ref_feat_shape": known.get("ref_feat_shape"),
    }
    return found | pretrained.settings | size


def choose_pooling(pretrained: Pretrained, shapes: Mapping[str, Tensor], known: str | None) -> str:
    """Return `global_pool`: from the tensors of the pooling, the config, or the class of transformers."""
    if "attn_pool.latent" in shapes:
        return "map"
    if known in ("avg", "token"):
        return known
    if pretrained.class_name and pretrained.class_name == pretrained.family.classifier[0]:
        return "avg"
    return "token" if "cls_token" in shapes else "avg"


def fit_positions(config: ViTConfig, count: int, is_timm: bool) -> ViTConfig:
    """Return the config with the number of position embeddings: with or without those of the prefix tokens.

    timm loads weights of another square size than that of the config.
    """
    if count == config.num_patches + config.num_prefix_tokens:
        return config
    if count == config.num_patches:
        return replace(config, no_embed_class=True)
    if not is_timm:
        return config
    for prefix, no_embed_class in ((0, True), (config.num_prefix_tokens, False)):
        side = round(max(0, count - prefix) ** 0.5)
        if side and side * side == count - prefix:
            size = (side * config.patch_size, side * config.patch_size)
            return replace(config, img_size=size, no_embed_class=no_embed_class)
    raise CheckpointError(
        f"pos_embed must have one position per token, {config.num_tokens}, or per patch, {config.num_patches}: got "
        f"{count}",
        field="pos_embed",
    )


def check_tensors(name: str, found: Mapping[str, Tensor], config: ViTConfig) -> None:
    """Compare names and shapes of renamed tensors with those of the config's network.

    Raises:
        CheckpointError: Listing the missing and unexpected tensors and those of another shape.
    """
    expected = {key: tuple(tensor.shape) for key, tensor in create_meta_model(config).state_dict().items()}
    shapes = {key: tuple(tensor.shape) for key, tensor in found.items()}
    other = [key for key in expected.keys() & shapes.keys() if expected[key] != shapes[key]]
    integers = {key for key, tensor in found.items() if is_integer(tensor)}
    problems = {
        "missing": sorted(expected.keys() - shapes.keys()),
        "unexpected": sorted(shapes.keys() - expected.keys() - integers),
        "of another shape": [f"{key} {shapes[key]} instead of {expected[key]}" for key in sorted(other)],
        "of another dtype": [f"{key} {found[key].dtype}" for key in sorted(integers & expected.keys())],
    }
    lists = [f"{len(keys)} {problem}: {list_some(keys)}" for problem, keys in problems.items() if keys]
    if lists:
        first = next(iter(keys[0] for keys in problems.values() if keys))
        raise CheckpointError(f"The tensors of {name} must be those of its config; {'; '.join(lists)}", field=first)


def list_some(keys: list[str]) -> str:
    """List the first names, and that there are more."""
    return ", ".join(printable_name(key)[:80] for key in keys[:NUM_LISTED]) + (" ..." if len(keys) > NUM_LISTED else "")
