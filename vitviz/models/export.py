"""A `ViT` -> config.json and model.safetensors in a folder that timm loads, and transformers where it finds timm.

A config that none of timm's architectures has is refused. Writing the folder does not need timm.
"""

import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from torch import Tensor

from vitviz.errors import CheckpointError
from vitviz.files import write_atomic
from vitviz.models.checkpoint import Checkpoint, check_finite
from vitviz.models.config import ViTConfig
from vitviz.models.config_files import Settings
from vitviz.models.families import Names
from vitviz.models.vit import ViT

Allowed = dict[str, Any]  # field of `ViTConfig` -> tuple of its values, or `ANY`

ANY = ...
FREE = (  # fields that every architecture has, or that do not change the logits
    *("img_size", "patch_size", "embed_dim", "depth", "num_heads", "mlp_ratio", "qkv_bias", "drop_path_rate", "eps"),
    *("act_layer", "rope_temperature", "rope_rotate_half", "ref_feat_shape", "multi_label", "pos_drop_rate"),
)
PLAIN: Allowed = {  # where an architecture names no other values
    **{field.name: (field.default,) for field in fields(ViTConfig) if field.name not in FREE},
    "architecture": ("vit",),
    "global_pool": ("token",),
    "class_token": (True,),
    "pos_embed": ("learn",),
    "rope_type": ("none",),
    "final_norm": (True,),
    "num_classes": ANY,
    **dict.fromkeys(("distilled", "no_embed_class", "reg_tokens", "qk_norm", "init_values"), (False,)),
    **dict.fromkeys(("head_proj_dim", "normalize_head"), (False,)),
    **dict.fromkeys(("swiglu_mlp", "pre_norm", "fc_norm", "scale_attn_norm", "scale_mlp_norm"), (False,)),
}


@dataclass(frozen=True)
class Architecture:
    """One architecture of timm.

    Attributes:
        name: `architecture` in config.json.
        allowed: Values of the fields of `ViTConfig` that it has, where not those of `PLAIN`. Of `num_classes`,
            `reg_tokens`, `init_values` and `head_proj_dim`, whether the model has any.
        model_args: Function of a `ViTConfig` that returns `model_args` of config.json.
        names: Patterns and replacements that turn our names of tensors into those of timm, applied in order.
        gated: Names of the two parts of the first layer of SwiGLU; none if they are one tensor.
    """

    name: str
    allowed: Allowed
    model_args: Callable[[ViTConfig], Settings]
    names: Names = ()
    gated: tuple[str, ...] = ()


def shape_args(config: ViTConfig) -> Settings:
    """Return the arguments that all ViTs of timm have; `int(embed_dim * mlp_ratio)` is the width of the MLP."""
    D, M = config.embed_dim, config.mlp_hidden_dim
    return {
        "img_size": list(config.img_size),
        **{name: getattr(config, name) for name in ("patch_size", "embed_dim", "depth", "num_heads", "class_token")},
        "mlp_ratio": M / D if int(D * (M / D)) == M else (M + 0.5) / D,
        "no_embed_class": config.no_embed_class,
        "qkv_bias": config.qkv_bias,
        "qk_norm": config.qk_norm,
        "init_values": config.init_values,
        "global_pool": config.global_pool,
    }


def vit_args(config: ViTConfig) -> Settings:
    """Return the arguments of timm's `VisionTransformer`."""
    names = ("reg_tokens", "pos_embed", "pre_norm", "final_norm", "fc_norm", "scale_attn_norm", "scale_mlp_norm")
    activation = {} if config.swiglu_mlp else {"act_layer": config.act_layer}
    args = shape_args(config) | activation | {name: getattr(config, name) for name in names}
    return args | ({"mlp_ratio": 2 * args["mlp_ratio"]} if config.swiglu_mlp else {})


def distilled_args(config: ViTConfig) -> Settings:
    """Return the arguments of timm's `VisionTransformerDistilled`."""
    return {name: value for name, value in vit_args(config).items() if name != "reg_tokens"}


def eva_args(config: ViTConfig) -> Settings:
    """Return the arguments of timm's `Eva`."""
    names = ("rope_type", "rope_temperature", "rope_rotate_half", "rope_grid_indexing", "rope_grid_offset")
    return shape_args(config) | {
        **{name: getattr(config, name) for name in (*names, "ref_feat_shape", "swiglu_mlp")},
        "attn_type": "rope",
        "qkv_fused": True,
        "num_reg_tokens": config.reg_tokens,
        "use_abs_pos_emb": config.pos_embed == "learn",
        "use_rot_pos_emb": True,
        "dynamic_img_size": False,
        "swiglu_align_to": 1,
        "scale_mlp": config.scale_mlp_norm,
        "scale_attn_inner": config.scale_attn_norm,
        "use_pre_transformer_norm": config.pre_norm,
        "use_post_transformer_norm": config.final_norm and not config.fc_norm,
        "use_fc_norm": config.final_norm and config.fc_norm,
    }


EVA_NAMES: Names = ((r"\.ls(\d)\.gamma$", r".gamma_\1"), (r"^rope_freqs$", "rope.freqs"))

OF_VIT: Allowed = {  # timm's `VisionTransformer`
    "global_pool": ("token", "avg", "map"),
    "pos_embed": ("learn", "none"),
    **dict.fromkeys(("class_token", "no_embed_class", "reg_tokens", "qk_norm", "init_values", "pre_norm"), ANY),
    **dict.fromkeys(("final_norm", "fc_norm", "scale_attn_norm", "scale_mlp_norm"), ANY),
}
OF_EVA: Allowed = OF_VIT | {
    "global_pool": ("token", "avg"),
    "rope_type": ("cat", "dinov3", "mixed"),
    **dict.fromkeys(("rope_grid_indexing", "rope_grid_offset"), ANY),
    "act_layer": ("gelu",),
    "swiglu_mlp": ANY,
}
SWIGLU: Allowed = {"swiglu_mlp": (True,), "global_pool": ("token", "avg")}
EVA_GATE = ("fc1_g", "fc1_x")
ARCHITECTURES = (  # the first that has the config
    Architecture("vit_base_patch16_224", OF_VIT | {"eps": (1e-6,)}, vit_args),
    Architecture("vit_base_patch32_clip_224", OF_VIT | {"eps": (1e-5,)}, vit_args),
    Architecture(
        "vit_base_patch32_clip_224",
        OF_VIT | {"eps": (1e-5,), "num_classes": (False,), "head_proj_dim": (True,)},
        vit_args,
        ((r"^head_proj\.", "head."),),
    ),
    Architecture("vit_giant_patch14_reg4_dinov2", OF_VIT | SWIGLU | {"eps": (1e-6,)}, vit_args),
    Architecture(
        "deit_base_distilled_patch16_224",
        {"distilled": (True,), "eps": (1e-6,), "qk_norm": ANY, "init_values": ANY},
        distilled_args,
    ),
    Architecture("eva02_base_patch14_224", OF_EVA | {"eps": (1e-6,)}, eva_args, EVA_NAMES, EVA_GATE),
    Architecture("vit_small_patch16_dinov3", OF_EVA | {"eps": (1e-5,)}, eva_args, EVA_NAMES, EVA_GATE),
)


def export(model: Checkpoint, folder: Path) -> str:
    """Write a folder that `timm.create_model("local-dir:FOLDER", pretrained=True)` loads, with equal logits.

    Args:
        model: A ViT.
        folder: Folder to write; existing files of the same names are replaced.

    Returns:
        The architecture of timm.

    Raises:
        CapturedModelError: If the model is captured.
        CheckpointError: If timm has no architecture for the config.
    """
    model.require_blocks("export")
    network = model.network
    if not isinstance(network, ViT):
        raise CheckpointError(f"Only a plain ViT can be exported: {model.name} is a {type(network).__name__}")
    state = {name: tensor.detach().cpu().float() for name, tensor in network.state_dict().items()}
    check_finite(state)
    chosen = choose_architecture(model.name, network.config)
    config = (json.dumps(timm_config(model, chosen), indent=2) + "\n").encode()
    folder.mkdir(parents=True, exist_ok=True)
    write_atomic(folder / "config.json", config)
    tensors = rename(state, network.config, chosen)
    write_atomic(folder / "model.safetensors", safetensors.torch.save(tensors, {"format": "pt"}))
    return chosen.name


def choose_architecture(model: str, config: ViTConfig) -> Architecture:
    """Return the first architecture that has the config of a model.

    Raises:
        CheckpointError: If there is none; it names the nearest architecture and what the model has instead.
    """
    found = asdict(config) | {
        "num_classes": config.num_classes > 0,
        "reg_tokens": config.reg_tokens > 0,
        "init_values": config.init_values is not None,
        "head_proj_dim": config.head_proj_dim > 0,
    }
    missing: list[tuple[int, str, str, str]] = []  # number of wrong fields, architecture, the first one and its values
    for one in ARCHITECTURES:
        allowed = {**PLAIN, **one.allowed}
        wrong = [name for name, values in allowed.items() if values is not ANY and found[name] not in values]
        if not wrong:
            return one
        values = " or ".join(map(str, allowed[wrong[0]]))
        missing.append((len(wrong), one.name, wrong[0], values))
    _, nearest, name, values = min(missing)
    raise CheckpointError(
        f"No ViT of timm has the config of {model}: the nearest, {nearest}, has {name} {values}, not {found[name]}",
        field=name,
    )


def timm_config(model: Checkpoint, architecture: Architecture) -> Settings:
    """Return timm's config.json."""
    config = model.config
    args = architecture.model_args(config)
    outputs = config.num_classes or config.head_proj_dim
    license_name = model.pretrained.get("license")
    labels = {"label_names": list(model.labels)} if model.labels else {}
    return {
        "architecture": architecture.name,
        "num_classes": outputs,
        "num_features": config.embed_dim,
        "global_pool": args["global_pool"],
        "model_args": args,
        **({"problem_type": "multi_label_classification"} if config.multi_label else {}),
        "pretrained_cfg": {
            "input_size": [3, *config.img_size],
            "fixed_input_size": True,
            "mean": list(model.mean),
            "std": list(model.std),
            "num_classes": outputs,
            "first_conv": "patch_embed.proj",
            "classifier": "head",
            **asdict(model.resize),
            **({"license": license_name} if license_name else {}),
        },
        **labels,
    }


def rename(state: dict[str, Tensor], config: ViTConfig, architecture: Architecture) -> dict[str, Tensor]:
    """Return the tensors by the names of timm, which splits the first layer of SwiGLU in some architectures."""
    tensors: dict[str, Tensor] = {}
    for name, tensor in state.items():
        if ".mlp.fc1." in name and architecture.gated and config.swiglu_mlp:
            halves = zip(architecture.gated, tensor.chunk(2), strict=True)
            tensors |= {name.replace("fc1", part): half for part, half in halves}
        else:
            tensors[name] = tensor
    if "head_proj.weight" in tensors:  # a head in timm, with a bias
        tensors["head.bias"] = torch.zeros_like(tensors["head_proj.weight"][:, 0])
    renamed = {}
    for name, tensor in tensors.items():
        theirs = name
        for old, new in architecture.names:
            theirs = re.sub(old, new, theirs)
        renamed[theirs] = tensor.contiguous()
    return renamed
