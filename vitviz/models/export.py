"""A `ViT` -> folders that timm and transformers load: config.json, model.safetensors and preprocessing.

The table of architectures is in `vitviz.models.targets`; a config that none of them has is refused. Neither library is
needed.
"""

import json
import re
from dataclasses import asdict
from pathlib import Path

import safetensors.torch
import torch
from PIL import Image
from torch import Tensor

from vitviz.data.files import write_atomic
from vitviz.models.checkpoint import Checkpoint, CheckpointError, check_finite
from vitviz.models.config import ViTConfig
from vitviz.models.families import Settings
from vitviz.models.targets import LIBRARIES, PLAIN, TARGETS, Library, Target
from vitviz.models.vit import ViT


def export(model: Checkpoint, folder: Path, library: Library) -> str:
    """Write a folder that timm or transformers loads, with equal logits.

    Args:
        model: A ViT.
        folder: Folder to write; existing files of the same names are replaced.
        library: "timm": `timm.create_model("local-dir:FOLDER", pretrained=True)`; "hf": `from_pretrained(FOLDER)` of
            the returned class.

    Returns:
        The architecture of timm, or the class of transformers.

    Raises:
        CheckpointError: If the library has no architecture for the config.
    """
    network = model.network
    if not isinstance(network, ViT):
        raise CheckpointError(f"Only a plain ViT can be exported: {model.name} is a {type(network).__name__}")
    config = network.config
    state = {name: tensor.detach().cpu().float() for name, tensor in network.state_dict().items()}
    check_finite(state)
    target = choose_target(model.name, config, library)
    files = {"config.json": target.config(config)}
    if library == "timm":
        files["config.json"] = timm_config(model, target, files["config.json"])
    else:
        files["config.json"] |= {"architectures": [target.name], "dtype": "float32"}
        if config.num_classes:
            files["config.json"]["id2label"] = {str(k): label for k, label in enumerate(model.labels)}
            files["config.json"]["label2id"] = {label: k for k, label in enumerate(model.labels)}
        files["preprocessor_config.json"] = preprocessor_config(model)
    tensors = rename(split(state, config, target, library), target)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        write_atomic(folder / name, (json.dumps(content, indent=2) + "\n").encode())
    write_atomic(folder / "model.safetensors", safetensors.torch.save(tensors, {"format": "pt"}))
    return target.name


def choose_target(model: str, config: ViTConfig, library: Library) -> Target:
    """Return the first architecture that has the config of a model.

    Raises:
        CheckpointError: If there is none; it names the nearest architecture and what the model has instead.
    """
    facts = asdict(config) | {
        "num_classes": config.num_classes > 0,
        "reg_tokens": config.reg_tokens > 0,
        "init_values": config.init_values is not None,
        "head_proj_dim": config.head_proj_dim > 0,
    }
    missing: list[tuple[int, str, str, str]] = []  # number of wrong fields, architecture, the first one and its values
    for target in TARGETS[library]:
        allowed = {**PLAIN, **target.allowed}
        wrong = [name for name, values in allowed.items() if values is not ... and facts[name] not in values]
        if not wrong:
            return target
        values = " or ".join(map(str, allowed[wrong[0]]))
        missing.append((len(wrong), target.name, wrong[0], values))
    _, nearest, name, values = min(missing)
    raise CheckpointError(
        f"No ViT of {LIBRARIES[library]} has the config of {model}: the nearest, {nearest}, has {name} {values}, not "
        f"{facts[name]}",
        "" if library == "timm" else "timm has more of them: try --to timm.",
        name,
    )


def timm_config(model: Checkpoint, target: Target, args: Settings) -> Settings:
    """Return timm's config.json."""
    height, width = model.preprocessing.img_size
    outputs = model.config.num_classes or (model.config.head_proj_dim if isinstance(model.config, ViTConfig) else 0)
    source = model.record.get("source")
    license_name = source.get("license") if isinstance(source, dict) else None
    labels = {"label_names": list(model.labels)} if model.labels else {}
    return {
        "architecture": target.name,
        "num_classes": outputs,
        "num_features": model.config.embed_dim,
        "global_pool": args["global_pool"],
        "model_args": args,
        "pretrained_cfg": {
            "input_size": [3, height, width],
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


def preprocessor_config(model: Checkpoint) -> Settings:
    """Return preprocessor_config.json of transformers."""
    (height, width), resize = model.preprocessing.img_size, model.resize
    common = {
        "do_resize": True,
        "do_rescale": True,
        "rescale_factor": 1 / 255,
        "do_normalize": True,
        "do_convert_rgb": True,
        "resample": int(Image.Resampling[resize.interpolation.upper()]),
        "image_mean": list(model.mean),
        "image_std": list(model.std),
    }
    size = {"height": height, "width": width}
    if resize.crop_mode == "squash" and resize.crop_pct == 1:
        return common | {"image_processor_type": "ViTImageProcessor", "size": size}
    if resize.crop_mode == "squash":
        whole = {side: round(pixels / resize.crop_pct) for side, pixels in size.items()}
        crop = {"do_center_crop": True, "crop_size": size}
        return common | {"image_processor_type": "DeiTImageProcessor", "size": whole} | crop
    edge = round(max(height, width) / resize.crop_pct)
    crop = {"do_center_crop": True, "crop_size": size}
    return common | {"image_processor_type": "CLIPImageProcessor", "size": {"shortest_edge": edge}} | crop


def split(state: dict[str, Tensor], config: ViTConfig, target: Target, library: Library) -> dict[str, Tensor]:
    """Return our tensors in the parts that the library has: queries, keys and values, SwiGLU, positions and pooling."""
    tensors: dict[str, Tensor] = {}
    for name, tensor in state.items():
        parts: dict[str, Tensor] = {name: tensor}
        if ".attn.qkv." in name and library == "hf":
            parts = {name.replace("qkv", short): part for short, part in zip("qkv", tensor.chunk(3), strict=True)}
        elif ".mlp.fc1." in name and target.gated and config.swiglu_mlp:
            parts = {name.replace("fc1", part): h for part, h in zip(target.gated, tensor.chunk(2), strict=True)}
        tensors |= parts
    if library == "timm" and "head_proj.weight" in tensors:  # which timm writes as a head
        tensors["head.bias"] = torch.zeros_like(tensors["head_proj.weight"][:, 0])
    if library == "hf":
        join_pooling(tensors)
        adapt_embeddings(tensors, config, target)
    return tensors


def join_pooling(tensors: dict[str, Tensor]) -> None:
    """Stack the projections of attention pooling, as PyTorch's `MultiheadAttention` has them."""
    for end in ("weight", "bias"):
        if f"attn_pool.q.{end}" in tensors:
            q, kv = tensors.pop(f"attn_pool.q.{end}"), tensors.pop(f"attn_pool.kv.{end}")
            tensors[f"attn_pool.in_proj.{end}"] = torch.cat([q, kv])


def adapt_embeddings(tensors: dict[str, Tensor], config: ViTConfig, target: Target) -> None:
    """Give class token, mask token and positions the shapes of transformers."""
    if target.name.startswith(("CLIP", "Siglip")):
        tensors["pos_embed"] = tensors["pos_embed"][0]
        if "cls_token" in tensors:
            tensors["cls_token"] = tensors["cls_token"].flatten()
    elif target.name.startswith("DINOv3"):
        tensors["mask_token"] = torch.zeros_like(tensors["cls_token"])
    elif target.name.startswith("Dinov2"):
        tensors["mask_token"] = torch.zeros_like(tensors["cls_token"][0])
        if config.no_embed_class:  # a position of zero for the class token
            tensors["pos_embed"] = torch.cat([torch.zeros_like(tensors["cls_token"]), tensors["pos_embed"]], 1)


def rename(tensors: dict[str, Tensor], target: Target) -> dict[str, Tensor]:
    """Rename tensors to those of the library."""
    renamed = {}
    for name, tensor in tensors.items():
        theirs = name
        for old, new in target.names:
            theirs = re.sub(old, new, theirs)
        is_head = name.startswith("head")
        renamed[theirs if is_head else target.base + theirs] = tensor.contiguous()
    return renamed
