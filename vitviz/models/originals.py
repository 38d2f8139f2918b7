"""One forward pass of a model's own library and of vitviz, compared when the model is loaded.

It finds what no config shows: an own `forward`, a replaced layer, a version of the library that computes otherwise.
"""

import copy
import importlib.util
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn

from vitviz.errors import CheckpointError
from vitviz.files import printable_name
from vitviz.models.checkpoint import available_memory
from vitviz.models.config_files import CLIPConfig, TimmConfig, TransformersConfig, flatten
from vitviz.models.layers import patchify
from vitviz.models.pretrained import Pretrained, drop_unused_head, list_some
from vitviz.models.vit import ViT

MAX_PARAMETERS = 100_000_000
MEMORY_FRACTION = 0.5  # of the free memory, for both models
TOLERANCE = 1e-4  # largest difference of the outputs, relative to the largest output
NUM_IMAGES = 2


def compare(network: ViT, pretrained: Pretrained) -> str:
    """Compare the outputs of a model with those of its original on fixed random images, in float32 on the CPU.

    Returns:
        Why they were not compared; empty if they agree.

    Raises:
        CheckpointError: If they differ, or if the original has weights that the model lacks.
    """
    count = sum(weight.numel() for weight in network.parameters())
    library, free = pretrained.library, available_memory()
    if pretrained.module is None and importlib.util.find_spec(library) is None:
        return f"not compared with {library}, which is not installed"
    if pretrained.module is None and count > MAX_PARAMETERS:
        return f"not compared with {library}: {count / 1e6:.0f} M parameters are more than {MAX_PARAMETERS / 1e6:.0f} M"
    if free is not None and 2 * 4 * count > MEMORY_FRACTION * free:
        return f"not compared with {library}: two models take more than half of the free memory"
    pixels = torch.randn(NUM_IMAGES, 3, *network.config.img_size, generator=torch.Generator().manual_seed(0)).float()
    with torch.no_grad():
        try:
            theirs = run_original(network, pretrained, pixels)
        except CheckpointError:
            raise
        except Exception as error:  # of a library of any version, or of a module with other code
            return (
                f"not compared with the model of {library}: {type(error).__name__}, {printable_name(str(error))[:120]}"
            )
        weight = next(network.parameters())
        is_plain = weight.device.type == "cpu" and weight.dtype == torch.float32
        ours = (network if is_plain else copy.deepcopy(network).cpu().float())(pixels)
    if ours.shape != theirs.shape:
        different = f"{tuple(ours.shape[1:])} outputs instead of {tuple(theirs.shape[1:])}"
    else:
        relative = ((ours - theirs).abs().max() / theirs.abs().max().clamp(min=1e-12)).item()
        if relative <= TOLERANCE:
            return ""
        different = f"outputs that differ by {relative:.2g} of the largest"
    raise CheckpointError(
        f"The model must compute what a ViT of {library} with its config does: {pretrained.name} has {different}",
        "Its code differs, or its config. `check=False` loads the plain ViT with its weights."
        + (" The ViT inside is one of its attributes: pass that." if pretrained.is_inside else ""),
        "family",
    )


def run_original(network: ViT, pretrained: Pretrained, pixels: Tensor) -> Tensor:
    """Return the output of the original, (B, K) or (B, D): of the module that was given, or built by its library."""
    if pretrained.module is not None:
        module = copy.deepcopy(pretrained.module).cpu().float()
    else:
        with silent() if not pretrained.is_timm else nullcontext():
            module = build_timm(network, pretrained) if pretrained.is_timm else build_transformers(network, pretrained)
    own: Any = module
    if hasattr(getattr(own, "config", None), "mask_ratio"):
        own.config.mask_ratio = 0.0
    if pretrained.is_timm and drop_unused_head(pretrained) and not pretrained.is_inside:
        own.reset_classifier(0)
    found = own.eval()(*arrange(pixels, pretrained))
    if isinstance(found, Tensor):
        return found.float()
    pools = getattr(module, "pooler", None) is None or network.config.fc_norm  # a dense layer otherwise, that is unused
    names = ["logits", "image_embeds", *(["pooler_output"] if pools else [])]
    tensors = [value for name in names if (value := getattr(found, name, None)) is not None]
    if not tensors:
        tokens, R = found.last_hidden_state, network.config.num_prefix_tokens
        tensors = [tokens[:, 0] if network.config.global_pool == "token" else tokens[:, R:].mean(1)]
    is_whole = pretrained.module is not None or getattr(found, "image_embeds", None) is not None
    return tensors[0].float() if is_whole else network.head_proj(tensors[0].float())  # the class may have no projection


def arrange(pixels: Tensor, pretrained: Pretrained) -> tuple[Tensor, ...]:
    """Return the arguments of the original's `forward`: of NaFlex patches, channels last, their mask and grid."""
    P, axes = getattr(pretrained.file, "patch_size", 1), pretrained.family.patch_axes
    if axes != "hwc":
        return (pixels,)
    patches = patchify(pixels, P).unflatten(-1, (3, P * P)).mT.flatten(2)  # (B, N, P P 3)
    grid = torch.tensor([[side // P for side in pixels.shape[2:]]] * len(pixels))  # (B, 2)
    return patches, torch.ones(patches.shape[:2], dtype=torch.int64), grid


def build_timm(network: ViT, pretrained: Pretrained) -> nn.Module:
    """Build the architecture of a model by timm, or by torchvision, with its weights."""
    file, config = pretrained.file, network.config
    outer = pretrained.prefix.removesuffix("visual.")  # timm knows the names of open_clip by it, but for `ls_`
    state = {name.removeprefix(outer).replace(".ls_", ".ls"): pretrained.tensors[name] for name in pretrained.inner}
    if pretrained.library == "torchvision":
        from torchvision.models import VisionTransformer

        sizes = (config.patch_size, config.depth, config.num_heads, config.embed_dim, config.mlp_hidden_dim)
        vit: nn.Module = VisionTransformer(config.img_size[0], *sizes, num_classes=config.num_classes).float()
        vit.load_state_dict(state)
        return vit
    assert isinstance(file, TimmConfig)  # noqa: S101 - for mypy
    import timm

    args = (flatten(pretrained.stated).get("model_args") or {}) | {"img_size": config.img_size}
    args |= {} if file.global_pool is None else {"global_pool": file.global_pool}
    args["num_classes"] = config.num_classes or config.head_proj_dim
    name = pretrained.model.partition(".")[0]
    build = timm.models.model_entrypoint(name)  # `create_model` takes None for not given
    module = build(pretrained=False, **args).float()
    missing, _ = module.load_state_dict(filter_state(module, state), strict=False)
    lacking = sorted(set(missing) & dict(module.named_parameters()).keys())
    if lacking and not pretrained.has_any_head:
        raise CheckpointError(
            f"The weights must be complete: {pretrained.name} lacks {len(lacking)} tensors of timm's "
            f"{pretrained.model}: {list_some(lacking)}",
            "If the model is a smaller one, state its arguments in model_args of config.json.",
            lacking[0],
        )
    if lacking:
        raise ValueError(f"lacks {len(lacking)} tensors")
    return module


def filter_state(module: nn.Module, state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return a state_dict as timm converts it for a module of it, of files with other names."""
    convert = getattr(sys.modules[type(module).__module__], "checkpoint_filter_fn", None)
    return convert(state, module) if convert else state


def build_transformers(network: ViT, pretrained: Pretrained) -> nn.Module:
    """Build a model by transformers, with its weights; of two towers the image encoder."""
    import transformers

    file, has_head = pretrained.file, network.config.num_classes > 0
    assert isinstance(file, TransformersConfig)  # noqa: S101 - for mypy
    projects = network.config.head_proj_dim > 0 and any("WithProjection" in name for name in file.classes)
    fits = [
        name
        for name in file.classes
        if ("ForImageClassification" in name) == has_head
        and ("WithTeacher" in name) == network.config.distilled
        and ("WithProjection" in name) == projects
    ]
    kind: Any = getattr(transformers, fits[0])
    is_whole = kind.config_class.model_type == pretrained.model
    values = pretrained.stated if is_whole else flatten(pretrained.stated)
    dropped = ("dtype", "torch_dtype", "model_type", "architectures")
    config = kind.config_class.from_dict({name: value for name, value in values.items() if name not in dropped})
    if has_head:
        config.num_labels = network.config.num_classes
    state = {name.removeprefix(pretrained.prefix): pretrained.tensors[name] for name in pretrained.inner}
    if isinstance(file, CLIPConfig):  # transformers 5 writes both towers of AltCLIP with other names than it reads
        state = {name.replace(".layer.", ".layers."): tensor for name, tensor in state.items()}
    return kind.from_pretrained(None, config=config, state_dict=state).float()


def build_unconverted(pretrained: Pretrained) -> nn.Module | None:
    """Build a model of a family that is not converted, by its library, with all of its weights.

    None if the library is not installed or lacks it, or if the weights are not those of its config.
    """
    values: dict[str, Any] = dict(pretrained.stated)
    tensors = dict(pretrained.tensors)
    try:
        if pretrained.is_timm:
            import timm

            cfg = values.get("pretrained_cfg") or {}
            args = (values.get("model_args") or {}) | {"num_classes": values.get("num_classes", cfg.get("num_classes"))}
            module: nn.Module = timm.create_model(pretrained.model, pretrained=False, **args)
            module.load_state_dict(filter_state(module, tensors))
            vars(module)["pretrained_cfg"] = {**vars(module)["pretrained_cfg"], **cfg}
            return module
        import transformers

        with silent():
            kind = getattr(transformers, values["architectures"][0])
            if kind.config_class.model_type != pretrained.model:
                return None
            config = kind.config_class.from_dict(values)
            found, info = kind.from_pretrained(None, config=config, state_dict=tensors, output_loading_info=True)
        return None if info["missing_keys"] or info["mismatched_keys"] else found
    except Exception:  # of a library of any version
        return None


@contextmanager
def silent() -> Iterator[None]:
    """Switch the messages and progress bars of transformers off."""
    from transformers.utils import logging

    verbosity, has_bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(verbosity)
        if has_bar:
            logging.enable_progress_bar()
