"""Models from everywhere: bundled names, files and folders, the Hugging Face Hub, and modules in memory.

Folders and repositories have the layout of timm and transformers (`vitviz.models.model_files`).
"""

import re
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from os.path import isdir, isfile  # which return False for names that no file can have
from pathlib import Path
from typing import Any, NamedTuple

import torch
from pydantic import TypeAdapter, ValidationError
from torch import nn

from vitviz.data.image_cache import Channels
from vitviz.data.preprocessing import Resize
from vitviz.errors import CheckpointError, did_you_mean
from vitviz.files import printable_name
from vitviz.models import adapters, captured_vit, checkpoint, model_files, originals
from vitviz.models.attention_stats import forward_macs
from vitviz.models.capture import unwrap
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import STRICT, Side, ViTConfig, rule
from vitviz.models.config_files import Settings, Size, TimmConfig
from vitviz.models.downloads import fetch
from vitviz.models.families import IMAGENET, TIMM, TRANSFORMERS
from vitviz.models.image_encoder import used_tensors
from vitviz.models.image_processor import ASSUMED, RESIZED, processor_of, processor_settings, read_preprocessing
from vitviz.models.labels import Labels, read_labels
from vitviz.models.layers import ANTIALIASED
from vitviz.models.library_modules import describe_module
from vitviz.models.modes import own_modes
from vitviz.models.names import (
    PREFIXES,
    REPOSITORY,
    cut_size,
    find_architecture,
    standard_name,
    timm_names,
    write_size,
)
from vitviz.models.pretrained import (
    Pretrained,
    convert,
    has_biased_projection,
    interpolate,
    list_some,
)
from vitviz.models.weights import WeightFile

IMAGENET_CLASSES = 1000
ASSUMED_IMAGENET = "mean and standard deviation are those of ImageNet, as the module states none"


@own_modes()
@torch.random.fork_rng(devices=[])
def load(
    name: str | Path | nn.Module | Pretrained,
    labels: Labels | None = None,
    img_size: tuple[int, int] | int | None = None,
    offline: bool = False,
    check: bool = True,
    processor: Any = None,
    mean: Channels | None = None,
    std: Channels | None = None,
    base: Any = None,
) -> Checkpoint:
    """Load a model in evaluation mode, on the CPU in float32; a module keeps its dtype.

    Args:
        name: Name of a bundled checkpoint; a .safetensors file, or a folder of timm or transformers, or of a training,
            "runs/NAME"; a model on the Hugging Face Hub, as for `standard_name`; or a module of timm, torchvision or
            transformers, whose weights are copied.
        labels: Names of the K classes, as for `read_labels`; None for those of the model's files.
        img_size: Height and width of the input (px), or one side of a square, by interpolated positions; None for that
            of the name ("NAME@448px") or of the model's files.
        offline: Whether to take a model of the Hub from the cache as it is, without looking for a later revision.
        check: Whether to compare the outputs with those of the model's own library, where it is installed.
        processor: Image processor of transformers, its settings, or a folder with its file; None for that of the
            model's files.
        mean: Mean of each color channel, in 0..1; None for that of the files.
        std: Standard deviation of each color channel, in 0..1; None for that of the files.
        base: Name or path of the base model of an adapter; None for the one that it names.

    Raises:
        CheckpointError: If the model does not exist, is of another family, or is invalid.
    """
    settings = None if processor is None else processor_settings(processor)
    if not isinstance(name, nn.Module | str | Path | Pretrained):
        raise CheckpointError(
            f"The model must be a name, a path or a module: got a {type(name).__name__}",
            "Call `vitviz.load` with one of them.",
        )
    img_size = None if img_size is None else read_size(img_size)
    if isinstance(name, str):
        name, size = cut_size(name)
        if size is not None and img_size not in (None, size):
            raise CheckpointError(f"img_size must be that of the name: got {img_size} and {size}", field="img_size")
        img_size = img_size if size is None else read_size(size)
    if isinstance(name, str | Path) and isfile(last := Path(name) / checkpoint.LAST):
        found = load(last, labels, img_size, offline, check, processor, mean, std, base)
        parent = last.parent.resolve()
        run = f"runs/{parent.name}" if parent.parent.name == "runs" else parent.name
        return replace(found, name=found.name.replace(last.stem, run, 1))
    if isinstance(name, nn.Module):
        settings = processor_of(name) if settings is None else settings
    folder = None if isinstance(name, nn.Module | Pretrained) else find_folder(name, offline, base)
    if base is not None and (folder is None or folder.adapter is None):
        raise CheckpointError(
            "like is for weights without a config, and for adapters: this model has its own", "Load it without.", "like"
        )
    if isinstance(name, nn.Module):
        found = load_module(name, settings or {}, img_size, check)
    elif isinstance(name, Pretrained):
        found = load_pretrained(name, settings or {}, {}, img_size, check)
    elif folder is not None:
        found = load_folder(folder, settings, img_size, check)
    else:
        found = checkpoint.load(name)
        found = found if img_size is None else resize_input(found, img_size)
    found = with_normalization(found, mean, std)
    if img_size is not None and not found.config.is_captured:
        found = replace(
            found, name=f"{found.name}{write_size(img_size)}", notes=(*found.notes, describe_cost(found.config))
        )
    return found if labels is None else replace(found, labels=read_labels(labels, found.config.num_classes))


def with_normalization(found: Checkpoint, mean: Channels | None, std: Channels | None) -> Checkpoint:
    """Return a model with another mean and standard deviation of the color channels, those that are not None."""
    if mean is not None:
        found = replace(found, mean=checkpoint.read_channels({"mean": mean}, "mean"))
    if std is not None:
        found = replace(found, std=checkpoint.read_std({"std": std}))
    if mean is not None and std is not None:
        found = replace(found, notes=tuple(note for note in found.notes if note not in (ASSUMED, ASSUMED_IMAGENET)))
    return found


def describe_cost(config: ViTConfig) -> str:
    """Describe what an input size takes: "448 × 448 px: 785 tokens, 355 MB of attention, 156 GFLOP a forward pass"."""
    size, attention = " × ".join(map(str, config.img_size)), config.attention_bytes / 1e6
    work = 2 * forward_macs(config) / 1e9
    return (
        f"{size} px: {config.num_tokens:,} tokens, {attention:,.0f} MB of attention, {work:,.3g} GFLOP a forward pass"
    )


def load_module(module: nn.Module, processor: Settings, img_size: tuple[int, int] | None, check: bool) -> Checkpoint:
    """Convert a ViT of timm or transformers; wrap a module that cannot be converted; arguments as for `load`."""
    try:
        return load_pretrained(describe_module(adapters.merge_layers(module)), processor, {}, img_size, check)
    except CheckpointError as error:
        conversion = error
    try:
        network, notes = captured_vit.wrap(module, img_size)
    except CheckpointError as error:
        # One of these libraries that does not run needs what its conversion lacks.
        raise conversion if error.field == "images" and conversion.field != "module" else error from None
    outer = unwrap(module)
    cfg = getattr(outer, "pretrained_cfg", None)
    cfg = cfg if isinstance(cfg, Mapping) else {}
    resize = {name: cfg[name] for name in ("interpolation", "crop_pct", "crop_mode") if cfg.get(name)}
    is_padded = resize.get("crop_mode") == "border"  # of timm
    resize |= {"crop_mode": "squash"} if is_padded else {}
    mean, std = (
        cfg.get(name) or processor.get(f"image_{name}") or default
        for name, default in zip(("mean", "std"), IMAGENET, strict=True)
    )
    if not (cfg.get("mean") or processor.get("image_mean")):
        notes.append(ASSUMED_IMAGENET)
    if is_padded:
        notes.append(RESIZED)
    notes.insert(
        0, f"the model runs as it is and its attention is captured, as it was not converted: {conversion.problem}"
    )
    known = getattr(getattr(outer, "config", None), "id2label", None) or cfg.get("label_names")
    labels = name_classes(known, cfg.get("label_descriptions"), network.config.num_classes)
    record = {"captured": {"module": f"{type(outer).__module__}.{type(outer).__qualname__}"[:200]}}
    filters = checkpoint.read_resize({"resize": resize}) if resize else Resize("bicubic")
    name = type(outer).__name__
    return Checkpoint(name, network, labels, tuple(mean), tuple(std), record, filters, notes=tuple(notes))


def read_size(value: Any) -> tuple[int, int]:
    """Return height and width (px) from the argument `img_size`, of a square also one number."""
    try:
        return TypeAdapter(Size, config=STRICT).validate_python(value)
    except ValidationError:
        raise CheckpointError(
            f"img_size must be height and width, each {rule(Side)}: got {value!r:.80}", "Use (224, 224).", "img_size"
        ) from None


class Folder(NamedTuple):
    """A folder of timm or transformers."""

    path: Path
    name: str  # of the model
    stated: Settings  # repository, revision and license, where known
    file: Path | None = None  # with the weights, if it is the one that was named
    architecture: str = ""  # of timm, if it is not that of config.json
    adapter: Path | None = None  # folder of an adapter to merge into it


def find_folder(name: str | Path, offline: bool = False, base: Any = None) -> Folder | None:
    """Return the folder of a model, of the Hub from its cache if it is there; None for a file of vitviz.

    Args:
        name: As for `load`.
        offline: As for `load`.
        base: As for `load`; False for a model that cannot be an adapter, as it is the base of one.

    Raises:
        CheckpointError: If there is no such model.
    """
    if isinstance(name, str) and (known := standard_name(name)).startswith(PREFIXES):
        try:
            return fetch_folder(known, offline, base)
        except CheckpointError as error:
            if known == name:
                raise
            hint = f"{error.hint} As there is no such file or folder, {printable_name(name)[:120]} means {known}."
            raise CheckpointError(error.problem, hint.strip(), error.field) from None
    path = Path(name)
    is_bundled, is_file, is_folder = str(name) in checkpoint.bundled_checkpoints(), isfile(path), isdir(path)
    folder = path if is_folder else path.parent
    if model_files.is_adapter(folder) and (is_folder or path.name == model_files.ADAPTER_WEIGHTS):
        return find_base(folder, folder.resolve().name, offline, base)
    if not is_bundled and not is_file and not (is_folder and isfile(model_files.find_config(folder))):
        raise not_found(str(name))
    if is_bundled or not isfile(model_files.find_config(folder)) or is_vitviz_file(path):
        return None
    title = path.resolve().stem if is_file else path.resolve().name
    return Folder(folder, title, {}, path if is_file else None)


def find_base(adapter: Path, name: str, offline: bool, base: Any) -> Folder:
    """Return the folder of the base model of an adapter, with the adapter; arguments as for `find_folder`."""
    if base is False:
        raise CheckpointError(
            f"The base model of an adapter must be a model: {name} is an adapter, too", field="base_model_name_or_path"
        )
    config = adapters.read_config(model_files.read_json(adapter / model_files.ADAPTER))
    base = base or config.base_model_name_or_path or ""
    folder = find_folder(base, offline, False) if base and isinstance(base, str | Path) else None
    if folder is None:
        raise CheckpointError(
            f"An adapter must name a base model of timm or transformers: {name} has {str(base)[:120] or 'none'}",
            "Name it with `like=timm:NAME`, `like=hf:OWNER/NAME` or `like=FOLDER`.",
            "base_model_name_or_path",
        )
    where = folder.stated
    stated = {"base": f"{where['repository']} at {where['revision']}" if "repository" in where else folder.name}
    stated |= {"license": where["license"]} if "license" in where else {}
    return folder._replace(name=name, adapter=adapter, stated=stated)


def not_found(name: str) -> CheckpointError:
    """Return the error for a name that is no model: what was found there, and what was probably meant."""
    path, shown = Path(name), printable_name(name)[:120]
    if isdir(path):
        inner = sorted(config.parent.name for config in path.glob(f"*/{model_files.CONFIG}"))
        if inner:
            problem, hint = f"{len(inner)} folders of models", f"Name one: {', '.join(inner[:3])}."
        else:
            problem, hint = "none", f"Save the model with its {model_files.CONFIG}, or name one of its files."
        return CheckpointError(f"The folder must have {model_files.CONFIG}: {shown!r} has {problem}", hint)
    if name.startswith(("http://", "https://")):
        hint = "Download the file and name it."
    elif re.fullmatch(REPOSITORY, name) and not path.suffix:
        hint = f"On the Hugging Face Hub it is hf:{shown}."
    else:
        bundled = checkpoint.bundled_checkpoints()
        known = f"Use a bundled one ({', '.join(bundled) or 'none'}) or a .safetensors file."
        hint = did_you_mean(name[:100], [*bundled, *timm_names()]) or known
    return CheckpointError(f"Checkpoint {shown!r} not found", hint)


def as_checkpoint(model: object) -> Checkpoint:
    """Return a checkpoint as it is, and the checkpoint of a module on the module's device.

    Raises:
        CheckpointError: If the module runs no attention that lies on the image.
        ValueError: If the value is neither.
    """
    if isinstance(model, Checkpoint):
        return model
    if not isinstance(model, nn.Module):
        raise ValueError(f"The model must be a checkpoint from vitviz.load, or a module: got {type(model).__name__}.")
    found = load(model)
    found.network.to(next((weight.device for weight in model.parameters()), "cpu"))
    return found


def is_vitviz_file(path: Path) -> bool:
    """Whether a .safetensors file has the metadata of vitviz."""
    if not path.is_file():
        return False
    with ExitStack() as stack:
        return "vitviz" in model_files.TensorFiles([path], stack).metadata


def resize_input(found: Checkpoint, img_size: tuple[int, int]) -> Checkpoint:
    """Return a model for images of another size (height, width, px); positions are interpolated as in its library."""
    families = TRANSFORMERS if found.pretrained.get("library") == "transformers" else TIMM
    title = found.pretrained.get("family")
    resampling = next((family.resampling for family in families if family.title == title), ANTIALIASED)
    record = found.record
    if img_size != found.config.img_size:  # at which the accuracy was not measured
        record = {name: value for name, value in record.items() if name != "test_accuracy"}
    decoder = found.decoder if img_size == found.config.img_size else None
    return replace(found, network=interpolate(found.network, img_size, resampling), record=record, decoder=decoder)


def load_folder(
    folder: Folder, processor: Settings | None, img_size: tuple[int, int] | None, check: bool
) -> Checkpoint:
    """Load a folder of timm or transformers; arguments as for `load`."""
    path = folder.path
    config = model_files.read_config(path) | ({"architecture": folder.architecture} if folder.architecture else {})
    files = model_files.weight_files(path) if folder.file is None else [folder.file]
    if folder.file is not None:
        model_files.check_is_whole(files)
    states = tuple(map(WeightFile.of, files))
    with ExitStack() as stack:
        tensors = model_files.TensorFiles(files, stack, config)
        if (path / model_files.INDEX).is_file() and files[0].name != model_files.WEIGHTS and folder.file is None:
            missing = sorted({*used_tensors(config, model_files.read_index(path / model_files.INDEX))} - tensors.keys())
            if missing:
                raise CheckpointError(
                    f"The files must have all tensors that {model_files.INDEX} lists: {list_some(missing)} missing"
                )
        checkpoint.check_size(tensors.nbytes, None)
        pretrained = Pretrained(folder.name, tensors, config)
        if folder.adapter is not None:
            pretrained = merge_adapter(pretrained, folder.adapter, stack)
            states += (WeightFile.of(folder.adapter / model_files.ADAPTER_WEIGHTS),)
        processor = model_files.read_processor(path) if processor is None else processor
        if pretrained.converts or (module := originals.build_unconverted(pretrained)) is None:
            found = load_pretrained(pretrained, processor, folder.stated, img_size, check)
        else:
            found = load_module(module, processor, img_size, check)
            stated = {"library": pretrained.library, "family": pretrained.model} | folder.stated
            found = replace(found, name=folder.name, record=found.record | {"pretrained": stated})
        return replace(found, files=states)


def merge_adapter(base: Pretrained, folder: Path, stack: ExitStack) -> Pretrained:
    """Return a model with the adapter in a folder merged."""
    config = adapters.read_config(model_files.read_json(folder / model_files.ADAPTER))
    file = folder / model_files.ADAPTER_WEIGHTS
    if not file.is_file():
        raise CheckpointError(f"The folder of an adapter must have {file.name}: {folder.name!r} has none")
    return adapters.merge(base, config, model_files.TensorFiles([file], stack))


def load_pretrained(
    pretrained: Pretrained,
    processor: Settings,
    stated: Settings,
    img_size: tuple[int, int] | None,
    check: bool = True,
) -> Checkpoint:
    """Convert a model of timm or transformers, with its labels and preprocessing.

    Args:
        pretrained: The model.
        processor: Settings of transformers' image processor; empty if there are none.
        stated: Repository, revision and license, where known, for the record.
        img_size: As for `load`.
        check: As for `load`.
    """
    size, mean, std, resize, notes = read_preprocessing(pretrained, processor)
    network = convert(pretrained)
    checkpoint.check_finite(network.state_dict())
    if check and (why := originals.compare(network, pretrained)):
        notes.append(why)
    if (size := img_size or size) and size != network.config.img_size:
        network = convert(pretrained, size)
    labels = find_labels(pretrained, network.config.num_classes)
    file = pretrained.file
    license_name = file.pretrained_cfg.license if isinstance(file, TimmConfig) else None
    known = {"library": pretrained.library, "family": pretrained.family.title}
    record = {"pretrained": known | ({"license": license_name} if license_name else {}) | stated}
    if network.config.num_classes == 1:
        notes.append("the one output is shown as the sigmoid of its logit, which is no probability of a regression")
    if has_biased_projection(pretrained):
        notes.append("the projection into the space of the texts is not used")
    if others := pretrained.others:
        notes.append(f"{len(others)} tensors outside the ViT are not used: {list_some(others)}")
    return Checkpoint(pretrained.name, network, labels, mean, std, record, resize, notes=tuple(notes))


def find_labels(pretrained: Pretrained, count: int) -> tuple[str, ...]:
    """Return the names of the classes from `label_names` of timm or `id2label` of transformers.

    Where the files name none, 1,000 classes are those of ImageNet-1k, and others get numbers.
    """
    file, described = pretrained.file, None
    known: Any = file.id2label
    if isinstance(file, TimmConfig):
        known = file.label_names or file.pretrained_cfg.label_names or known
        described = file.label_descriptions or file.pretrained_cfg.label_descriptions
    return name_classes(known, described, count)


def name_classes(known: Any, described: Any, count: int) -> tuple[str, ...]:
    """Return the names of K classes from a list or by number, described by name; or as `find_labels` without them."""
    items = known.items() if isinstance(known, dict) else enumerate(known) if isinstance(known, list | tuple) else ()
    names = {int(key): str(value) for key, value in items if str(key).isdecimal() and len(str(key)) < 7}
    described = described if isinstance(described, dict) else {}
    has_defaults = all(name == f"LABEL_{k}" for k, name in names.items())  # of transformers
    if names.keys() == set(range(count)) and not has_defaults:
        return tuple(str(described.get(names[k], names[k])) for k in range(count))
    if count == IMAGENET_CLASSES:
        return tuple((Path(__file__).parent / "imagenet1k.txt").read_text(encoding="utf-8").splitlines())
    return tuple(f"class {k}" for k in range(count))


def fetch_folder(name: str, offline: bool, base: Any = None) -> Folder:
    """Return the folder of a model of the Hub, from its cache if it is there, with revision and license."""
    repository, folder = fetch(name, offline)
    stated = {"repository": repository, "revision": folder.name}
    card = folder / model_files.CARD
    if card.is_file() and (match := re.search(r"^license: *(\S+)", card.read_text("utf-8", "replace"), re.MULTILINE)):
        stated["license"] = match[1]
    if model_files.is_adapter(folder):
        found = find_base(folder, repository.rpartition("/")[2], offline, base)
        return found._replace(stated=found.stated | stated)
    architecture = find_architecture(name)
    title = name.removeprefix("timm:").partition("@")[0] if architecture else repository.rpartition("/")[2]
    stated |= {"name": f"timm:{title}"} if architecture else {}
    return Folder(folder, title, stated, architecture=architecture)
