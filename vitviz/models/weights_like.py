"""Weights without a config of their own, loaded with that of another model: a state_dict, a file, an adapter."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from vitviz.errors import CheckpointError
from vitviz.models import downloads, hub, model_files
from vitviz.models.adapters import merge_layers
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config_files import Settings
from vitviz.models.image_processor import processor_of
from vitviz.models.labels import Labels
from vitviz.models.library_modules import describe_module
from vitviz.models.names import PREFIXES, find_architecture, parse_repository, standard_name
from vitviz.models.pretrained import Pretrained, find_family
from vitviz.models.states import find_state


def load_like(
    name: str | Path | Mapping[str, Any],
    like: Any,
    labels: Labels | None = None,
    img_size: tuple[int, int] | int | None = None,
    processor: Any = None,
    **options: Any,
) -> Checkpoint:
    """Load weights with the architecture of another model.

    Args:
        name: A state_dict, or the content of a checkpoint with one, whose tensors are copied; a .safetensors file; or
            what `hub.load` opens, if that is an adapter.
        like: "timm:NAME", "hf:OWNER/NAME", "torchvision:NAME", a folder, a module or a config; of an adapter the base.
        labels: As for `hub.load`.
        img_size: As for `hub.load`.
        processor: As for `hub.load`; None for that of the other model.
        options: Others of `hub.load`.

    Raises:
        CheckpointError: If there are no weights, or they are not those of such a model.
    """
    title = "state_dict"
    tensors: Mapping[str, Tensor]
    with ExitStack() as stack:
        if isinstance(name, Mapping):
            tensors = copy_state(name)
        elif model_files.is_adapter(Path(name)) and isinstance(like, nn.Module):
            merged = hub.merge_adapter(describe(like)[0], Path(name), stack)
            return hub.load(merged, labels, img_size, processor=processor, **options)
        elif not Path(name).is_file():
            return hub.load(name, labels, img_size, processor=processor, base=like, **options)
        else:
            title, tensors = Path(name).stem, model_files.TensorFiles([Path(name)], stack)
            model_files.check_is_whole([Path(name)])
        described, theirs = describe(like, title)
        pretrained = replace(described, name=title, tensors=tensors, has_any_head=True)
        return hub.load(pretrained, labels, img_size, processor=theirs if processor is None else processor, **options)


def copy_state(content: Mapping[str, Any]) -> dict[str, Tensor]:
    """Return copies of the tensors of a state_dict on the CPU."""
    state = {name: tensor.detach().cpu().clone() for name, tensor in find_state(content).items()}
    if not state:
        raise CheckpointError(
            f"A state_dict must have floating-point tensors by their names: got {list(content)[:3]!r:.80}",
            "Pass `module.state_dict()`.",
        )
    return state


def describe(like: Any, file: str = "") -> tuple[Pretrained, Settings]:
    """Return the model that weights belong to, and the settings of its image processor."""
    if isinstance(like, nn.Module):
        return replace(describe_module(merge_layers(like)), module=None, is_inside=False), processor_of(like)
    config, processor = like.to_dict() if hasattr(like, "to_dict") else like, Settings()
    if isinstance(like, str | Path):
        config, processor = read_like(like, file)
    if not isinstance(config, Mapping):
        raise CheckpointError(
            f"like must be the name of a model, a folder, a module or a config: got {like!r:.80}",
            "For example `like=timm:vit_small_patch16_224`.",
            "like",
        )
    return Pretrained(file, {}, dict(config)), processor


def read_like(like: str | Path, file: str) -> tuple[Settings, Settings]:
    """Return config.json and the settings of the image processor of the model that weights belong to.

    An architecture of timm without a tag is enough where its config.json cannot be had: its family's settings then
    follow from its name, and the preprocessing is that of the family. With a tag the preprocessing is that of its
    weights, which may be another one.
    """
    if str(like).startswith("torchvision:"):
        bare = {"architecture": str(like).partition(":")[2]}
        find_family(Pretrained(str(like), {}, bare))
        return bare, {}
    like = standard_name(like) if isinstance(like, str) else like
    own: Settings = {}
    if str(like).startswith(PREFIXES):
        architecture, _, tag = str(like).partition(":")[2].rpartition("/")[2].partition(".")
        bare = {"architecture": architecture}
        own = {"architecture": other} if (other := find_architecture(str(like))) else {}
        try:
            repository, revision = parse_repository(str(like))
            folder = Path(str(downloads.download(repository, model_files.CONFIG, revision))).parent
            for name in model_files.PROCESSOR_FILES:
                downloads.download(repository, name, revision, optional=True)
        except CheckpointError as error:
            if not str(like).startswith("timm:"):
                raise
            if tag:
                hint = (
                    f"Or name the architecture alone, for the preprocessing of its family: `like=timm:{architecture}`."
                )
                raise CheckpointError(error.problem, f"{error.hint} {hint}".strip(), error.field) from None
            find_family(Pretrained(str(like), {}, bare))
            return bare, {}
    else:
        folder = Path(like)
    if not model_files.find_config(folder).is_file():
        raise CheckpointError(
            f"Weights need the config of their model: there is no {model_files.CONFIG} for {file!r}",
            "Name the model with `like=timm:NAME`, `like=hf:OWNER/NAME` or `like=FOLDER`.",
            "like",
        )
    return model_files.read_config(folder) | own, model_files.read_processor(folder)
