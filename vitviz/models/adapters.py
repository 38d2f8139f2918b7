"""Adapters of PEFT: low-rank updates, merged into the weights of their base model without peft.

LoRA (Hu et al. 2022, arXiv 2106.09685, section 4.1) adds alpha / r * B A to the weights of a layer; with `use_rslora`
alpha / sqrt(r) * B A (Kalajdzievski 2023, arXiv 2312.03732).
"""

import copy
import re
from collections.abc import Mapping
from dataclasses import replace
from math import sqrt
from typing import Annotated, Literal

import torch
from pydantic import BeforeValidator
from torch import Tensor, nn

from vitviz.errors import CheckpointError
from vitviz.files import printable_name
from vitviz.models.config_files import ConfigFile, Settings, TimmConfig, names, parse
from vitviz.models.pretrained import Pretrained, find_names

OUTER = "base_model.model."  # of every tensor's name
LABELS = ("id2label", "label2id", "num_labels", "label_names", "label_descriptions")  # fields of config.json
LORA_A, LORA_B = ".lora_A.weight", ".lora_B.weight"


class AdapterConfig(ConfigFile):
    """adapter_config.json of LoRA."""

    ignored = names(
        "task_type auto_mapping peft_version revision inference_mode target_modules exclude_modules lora_dropout bias "
        "modules_to_save layers_to_transform layers_pattern megatron_config megatron_core loftq_config eva_config "
        "corda_config qalora_group_size runtime_config ensure_weight_tying r rank_pattern"
    )  # the rank is that of the tensors
    peft_type: Literal["LORA"]
    base_model_name_or_path: str | None = None
    lora_alpha: float = 8
    alpha_pattern: dict[str, float] | None = None
    use_rslora: bool = False
    fan_in_fan_out: bool = False
    init_lora_weights: Annotated[  # others change the base's weights
        Literal["True", "False", "gaussian", "orthogonal", "eva"], BeforeValidator(str)
    ] = "True"

    def scale(self, module: str, rank: int) -> float:
        """Return the factor of the update of a module."""
        patterns = self.alpha_pattern or {}
        try:
            alphas = (value for key, value in patterns.items() if re.match(rf"(.*\.)?({key})$", module))
            alpha = next(alphas, self.lora_alpha)
        except re.error:
            raise misfit(module, "a key of alpha_pattern is no regular expression") from None
        return alpha / (sqrt(rank) if self.use_rslora else rank)


def read_config(config: Settings) -> AdapterConfig:
    """Return the fields of adapter_config.json; raise CheckpointError if it is of another kind than this LoRA."""
    try:
        return parse(AdapterConfig, {"peft_type": "none"} | config, "adapter_config.json")
    except CheckpointError as error:
        hint = "Merge it by `merge_and_unload()` of peft, and load the result."
        raise CheckpointError(error.problem, hint, error.field) from None


def merge(base: Pretrained, config: AdapterConfig, adapter: Mapping[str, Tensor]) -> Pretrained:
    """Return a model with an adapter merged: updates added, and tensors that were trained as a whole replaced.

    Raises:
        CheckpointError: If the adapter has parts of another kind, or is that of another model.
    """
    known, tensors = find_names(base), dict(base.tensors)
    given = {name.removeprefix(OUTER).replace(".base_layer.", "."): tensor for name, tensor in adapter.items()}
    modules = [name.removesuffix(LORA_A) for name in given if name.endswith(LORA_A)]
    outer = next((start for start in starts(modules) if locate(base, known, f"{modules[0]}.weight", start)), "")
    for module in modules:
        A, B = given.pop(f"{module}{LORA_A}"), given.pop(f"{module}{LORA_B}", torch.empty(0, 0))
        name = locate(base, known, f"{module}.weight", outer)
        if name is None and not base.is_tower:  # whose text model may be adapted, too
            raise misfit(module, f"{base.name} has no such layer")
        if name:
            tensors[name] = tensors[name] + update(module, A, B, tensors[name], config)
    has_head, heads = False, [known.get(f"head.{end}") for end in ("weight", "bias")]
    for name, tensor in given.items():
        if re.search(r"\.(lora|ia3|vera|hada|lokr|oft|boft)_", name):
            raise misfit(name, "only weights of LoRA on linear layers and convolutions, and whole tensors are merged")
        found = locate(base, known, name, outer)
        if found is None and not base.is_tower:  # a head for a model without
            found = name.removeprefix(outer)
            heads.append(found)
        if found:
            tensors[found], has_head = tensor, has_head or found in heads
    return replace(base, tensors=tensors, **(with_new_head(base) if has_head else {}))


def with_new_head(base: Pretrained) -> Settings:
    """Return what changes of a model with the head of an adapter, which does not name its classes."""
    config = {name: value for name, value in base.config.items() if name not in LABELS}
    if isinstance(base.file, TimmConfig):
        cfg = base.config.get("pretrained_cfg") or {}
        config["pretrained_cfg"] = {name: value for name, value in cfg.items() if name not in LABELS}
    elif classes := [name for name in base.file.classes if name.endswith("ForImageClassification")]:
        config["architectures"] = classes
    return {"config": config, "has_any_head": True}


def starts(modules: list[str]) -> list[str]:
    """Return the starts of the first module's name, "" first, one of which modules around the model may have added."""
    parts = modules[0].split(".")[:-1] if modules else []
    return ["".join(f"{part}." for part in parts[:k]) for k in range(len(parts) + 1)]


def locate(base: Pretrained, known: Mapping[str, str], name: str, outer: str) -> str | None:
    """Return the base's name of an adapter's tensor; "" if no prediction uses it, None if the base lacks it.

    Versions of transformers name a layer differently, so names are compared as those of timm.
    """
    name = name.removeprefix(outer)
    if name in base.tensors:
        return name if name in known.values() else ""
    ours = next(iter(find_names(replace(base, tensors={name: torch.empty(0)}))), None)
    return "" if ours is None else known.get(ours)


def update(module: str, A: Tensor, B: Tensor, weight: Tensor, config: AdapterConfig) -> Tensor:
    """Return what LoRA adds to the weight of a linear layer (out, in), or of a convolution (out, C, P, P)."""
    shapes = (A.flatten(1).shape, B.flatten(1).shape)
    if shapes[0][0] != shapes[1][1]:
        raise misfit(module, f"lora_A and lora_B are {tuple(shapes[0])} and {tuple(shapes[1])}")
    found = B.flatten(1) @ A.flatten(1)  # (out, in)
    found = found.T if config.fan_in_fan_out and weight.ndim == 2 else found
    if found.shape != weight.flatten(1).shape:
        raise misfit(module, f"its update is {tuple(found.shape)}, its weight {tuple(weight.flatten(1).shape)}")
    return config.scale(module, len(A)) * found.reshape(weight.shape)


def misfit(name: str, why: str) -> CheckpointError:
    """Return the error for an adapter that is not one of its base model."""
    return CheckpointError(f"An adapter must fit its base model: {printable_name(name)[:120]}, {why}", field=name[:120])


def merge_layers(module: nn.Module) -> nn.Module:
    """Return a copy of a module with the adapters of PEFT in it merged; the module itself if it has none."""
    name = next((name for name, part in module.named_modules() if hasattr(part, "merge_and_unload")), None)
    if name is None:
        return module
    copied = copy.deepcopy(module)
    merged = copied.get_submodule(name).merge_and_unload()  # type: ignore[operator]
    if not name:
        return merged
    copied.set_submodule(name, merged)
    return copied
