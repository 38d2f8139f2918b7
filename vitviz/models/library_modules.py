"""ViTs of timm, torchvision and transformers in memory -> `Pretrained`: tensors, config and settings."""

import re
from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from vitviz.errors import CheckpointError
from vitviz.models.config_files import Settings
from vitviz.models.families import TRANSFORMERS
from vitviz.models.pretrained import Pretrained, is_refused, list_some

ACTIVATIONS = {"GELU": "gelu", "GELUTanh": "gelu_tanh", "QuickGELU": "quick_gelu", "SiLU": "silu"}  # modules of timm


def describe_module(module: nn.Module) -> Pretrained:
    """Describe a ViT of timm or transformers in memory, or the one inside a module; its tensors are copied.

    Raises:
        CheckpointError: If the module has none of these, or several.
    """
    outer = unwrap(module)
    place, vit = find_vit(outer)
    if any(".lora_" in name or ".base_layer." in name for name, _ in outer.named_parameters()):
        raise CheckpointError(
            f"LoRA layers must be merged: {type(outer).__name__} has some",
            "Call `merge_and_unload()` and pass its result.",
        )
    tensors = {name: tensor.detach().clone() for name, tensor in vit.state_dict().items()}
    tensors |= check_heads(vit)
    name = type(vit).__name__
    is_language = hasattr(getattr(outer, "config", None), "to_dict")  # a model of which images are not the only input
    given: Settings = {"has_any_head": True, "module": vit if is_language else outer, "is_inside": bool(place)}
    if "conv_proj" in vit._modules:
        return Pretrained(name, tensors, {"architecture": "torchvision_vit"}, describe_torchvision_module(vit), **given)
    if hasattr(getattr(vit, "config", None), "to_dict"):
        own: Any = vit.config
        config = own.to_dict() | {"architectures": [name]}
        config.pop("architecture", None)
        return Pretrained(name, tensors, config, **given)
    config, settings = describe_timm_module(vit)
    labels = {"id2label": getattr(getattr(outer, "config", None), "id2label", None)}  # of timm within transformers
    return Pretrained(name, tensors, config | labels, settings, **given)


def unwrap(module: nn.Module) -> nn.Module:
    """Return the module inside torch.compile, DataParallel, averaged models and other wrappers that change nothing."""
    while not is_vit(module) or "_orig_mod" in module._modules:
        inner = module._modules.get("_orig_mod", module._modules.get("module"))
        if inner is None:
            return module
        module = inner
    return module


def is_vit(module: nn.Module) -> bool:
    """Whether a module is a ViT of transformers, or has the parts of one of timm or torchvision."""
    model = str(getattr(getattr(module, "config", None), "model_type", ""))
    is_known = any(re.fullmatch(family.models, model) for family in TRANSFORMERS)
    return is_known or bool({"patch_embed", "conv_proj"} & module._modules.keys())


def find_vit(module: nn.Module) -> tuple[str, nn.Module]:
    """Return the one ViT in a module, and its name in it: empty if it is the module itself."""
    found: dict[str, nn.Module] = {}
    for name, part in module.named_modules():
        is_whole = is_vit(part) and "timm_model" not in part._modules
        if is_whole and not any(name.startswith(f"{outer}." if outer else "") for outer in found):
            found[name] = part
    if not found and hasattr(getattr(module, "config", None), "to_dict"):
        return "", module  # its family is refused by name
    if len(found) == 1:
        return next(iter(found.items()))
    raise CheckpointError(
        f"The module must be a ViT of timm, torchvision or transformers: got {type(module).__name__}"
        + (f" with {len(found)}: {list_some(list(found))}" if found else ""),
        "Pass one of them." if found else "Load such a model with your weights, or save them with a config.json.",
        "vit" if found else "module",
    )


def check_heads(vit: nn.Module) -> dict[str, Tensor]:
    """Check that heads are linear layers, with or without dropout; return biases of zero for those that have none."""
    biases: dict[str, Tensor] = {}
    for name, part in vit.named_children():
        if name in ("head", "heads", "head_dist", "classifier", "cls_classifier") and isinstance(part, nn.Sequential):
            layers = [layer for layer in part if not isinstance(layer, nn.Dropout | nn.Identity)]
            if [type(layer) for layer in layers] != [nn.Linear]:
                raise CheckpointError(
                    f"The {name} must be one linear layer, with or without dropout: got "
                    f"{', '.join(type(layer).__name__ for layer in part)[:80]}",
                    "Fine-tune with such a head, as vitviz explains no others.",
                    "head",
                )
        if name.startswith(("head", "classifier", "cls_classifier")):
            for inner, layer in part.named_modules(prefix=name):
                if isinstance(layer, nn.Linear) and layer.bias is None:
                    biases[f"{inner}.bias"] = layer.weight.new_zeros(layer.out_features).detach()
    return biases


def describe_torchvision_module(module: Any) -> Settings:
    """Return the settings of a `VisionTransformer` of torchvision."""
    block = next(iter(module.encoder.layers))
    check_parts(
        module,
        {
            "conv_proj": (module.conv_proj, ("Conv2d",)),
            "block": (block, ("EncoderBlock",)),
            "ln_1": (block.ln_1, ("LayerNorm",)),
        },
    )
    return {
        "img_size": (module.image_size, module.image_size),
        "num_heads": block.num_heads,
        "eps": block.ln_1.eps,
        "act_layer": read_activation(block.mlp[1]),
        "global_pool": "token",
    }


def check_parts(module: Any, parts: Mapping[str, tuple[Any, tuple[str, ...]]], model: str = "") -> None:
    """Check that parts of a module are of known types; raise CheckpointError naming the first that is not."""
    for part, (value, known) in parts.items():
        found = type(value).__name__
        if found not in known:
            family = is_refused(model) or is_refused(found) or model or found
            raise CheckpointError(
                f"The model must be a plain ViT: {type(module).__name__} ({family}) has a {part} of type {found}",
                f"Its {part} must be {' or '.join(known)}.",
                "family",
            )


def read_activation(module: Any) -> str:
    """Return the name of an activation in a config."""
    name = "GELUTanh" if getattr(module, "approximate", "") == "tanh" else type(module).__name__
    return ACTIVATIONS.get(name, name)


def describe_timm_module(module: Any) -> tuple[Settings, Settings]:
    """Return the config.json and the settings of a module of timm.

    Raises:
        CheckpointError: If it has parts that `ViT` lacks.
    """
    cfg = dict(getattr(module, "pretrained_cfg", None) or {})
    config = {"architecture": cfg.get("architecture", "vit"), "pretrained_cfg": cfg}
    block = next(iter(getattr(module, "blocks", [])), None)
    rope = getattr(module, "rope", None)
    check_parts(
        module,
        {
            "block": (block, ("Block", "EvaBlock")),
            "attn": (getattr(block, "attn", None), ("Attention", "AttentionRope", "EvaAttention")),
            "patch_embed": (getattr(module, "patch_embed", None), ("PatchEmbed",)),
            "norm1": (getattr(block, "norm1", None), ("LayerNorm",)),
            "attn_pool": (getattr(module, "attn_pool", None), ("NoneType", "AttentionPoolLatent")),
            "rope": (rope, ("NoneType", "RotaryEmbeddingCat", "RotaryEmbeddingDinoV3", "RotaryEmbeddingMixed")),
        },
        str(config["architecture"]),
    )
    if rope is not None and "Eva" not in [base.__name__ for base in type(module).__mro__]:
        raise CheckpointError(
            f"Rotary positions must be those of timm's Eva: {type(module).__name__} has code of its own for them",
            field="family",
        )
    attn = block.attn  # type: ignore[union-attr]
    if getattr(block.mlp, "gate_last", False):  # type: ignore[union-attr]
        raise CheckpointError("The gate of a SwiGLU must come first: gate_last is True", field="mlp")
    pools = getattr(module, "attn_pool", None) is not None
    settings = {
        "img_size": tuple(module.patch_embed.img_size),
        "num_heads": attn.num_heads,
        "eps": block.norm1.eps,  # type: ignore[union-attr]
        "act_layer": read_activation(block.mlp.act),  # type: ignore[union-attr]
        "pool_include_prefix": bool(getattr(module, "pool_include_prefix", pools and type(module).__name__ == "Eva")),
        "global_pool": module.global_pool,
        "rope_type": "none",
        "attn_pool_num_heads": getattr(getattr(module, "attn_pool", None), "num_heads", 0),
    }
    if settings["attn_pool_num_heads"] == attn.num_heads:
        settings["attn_pool_num_heads"] = 0
    gated, groups = (getattr(attn, name, None) for name in ("gate", "num_kv_groups"))
    if gated is not None or groups not in (None, 1):
        raise CheckpointError("Attention must have no gate, and as many keys as queries", field="family")
    if rope is not None:
        kind = {"RotaryEmbeddingCat": "cat", "RotaryEmbeddingDinoV3": "dinov3", "RotaryEmbeddingMixed": "mixed"}
        rope_type, scaled = kind[type(rope).__name__], getattr(rope, "ref_feat_shape", None)
        offset, is_grid = float(getattr(rope, "grid_offset", 0)), getattr(rope, "grid_type", "index") == "index"
        if (
            (rope_type == "dinov3" and offset)
            or not is_grid
            or getattr(rope, "normalize_coords", "separate") != "separate"
        ):
            raise CheckpointError(
                "Rotary positions must be those of the grid, each side by its own length", field="family"
            )
        settings |= {
            "rope_type": rope_type,
            "rope_grid_indexing": rope.grid_indexing,
            "rope_grid_offset": offset,
            "rope_temperature": float(rope.temperature),
            "rope_rotate_half": bool(getattr(attn, "rotate_half", False)),
            "ref_feat_shape": None if scaled is None else tuple(scaled),
        }
    return config, settings
