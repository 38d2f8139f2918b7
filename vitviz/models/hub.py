"""Models from everywhere: bundled names, files and folders, the Hugging Face Hub, and modules in memory.

Folders and repositories have the layout of timm and transformers: config.json, model.safetensors (or shards with an
index) and, of transformers, processor_config.json or preprocessor_config.json. Weights are memory-mapped; pickles are
never read.
"""

import json
import re
import shlex
import socket
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from os.path import isdir, isfile  # which return False for names that no file can have
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

import safetensors
import torch
from PIL import Image
from pydantic import TypeAdapter, ValidationError
from torch import Tensor, nn

from vitviz.data.image_cache import Channels
from vitviz.data.preprocessing import CropMode, Resize
from vitviz.errors import CheckpointError, did_you_mean
from vitviz.files import printable_name
from vitviz.models import adapters, captured_vit, checkpoint, originals
from vitviz.models.attention_stats import forward_macs
from vitviz.models.capture import unwrap
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import STRICT, Side, ViTConfig, rule
from vitviz.models.config_files import OpenCLIPConfig, Processor, Settings, Size, TimmConfig, parse
from vitviz.models.families import IMAGENET, PROCESSORS, TILES, TILING, TIMM, TRANSFORMERS
from vitviz.models.image_encoder import PART, PartialDownload, is_composed, used_tensors
from vitviz.models.labels import Labels, read_labels
from vitviz.models.layers import ANTIALIASED
from vitviz.models.modes import own_modes
from vitviz.models.names import (
    PREFIXES,
    REPOSITORY,
    cut_size,
    find_architecture,
    parse_repository,
    similar_names,
    standard_name,
    timm_names,
    write_size,
)
from vitviz.models.pretrained import (
    Pretrained,
    convert,
    describe_module,
    has_biased_projection,
    interpolate,
    list_some,
)
from vitviz.models.weights import WeightFile

CONNECT_SECONDS = 3.0
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
CONFIG, CARD = "config.json", "README.md"
OPEN_CLIP = "open_clip_config.json"
OPEN_CLIP_WEIGHTS = ("open_clip_model.safetensors", "open_clip_pytorch_model.safetensors")
PROCESSOR_FILES = ("processor_config.json", "preprocessor_config.json")  # of transformers; it reads the first one first
IMAGENET_CLASSES = 1000
MAX_JSON_BYTES = 32 * 2**20
SHARD, MAX_SHARDS = r"-\d{5}-of-(\d{5})(?=\.)", 1000
TRAINING_STATE = "optimizer|scheduler|scaler|rng_state|training_args"  # files of Trainer without weights
FLOATS = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
ADAPTER, ADAPTER_WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
ASSUMED = "mean and standard deviation are the defaults of the family, as no file states them"
ASSUMED_IMAGENET = "mean and standard deviation are those of ImageNet, as the module states none"
RESIZED = (
    "images are resized to one size, where the image processor of the model also pads them or cuts them into tiles"
)
KNOWN = (  # suggested for a name that does not exist, like those of timm
    *("google/vit-base-patch16-224", "openai/clip-vit-base-patch32", "facebook/dinov2-with-registers-small"),
)


class TensorFiles(Mapping[str, Tensor]):
    """Tensors of open .safetensors files by name; reading one maps it into memory.

    Attributes:
        described: Shape and dtype of each tensor, from the headers.
        nbytes: Bytes that all of them take in float32.
    """

    def __init__(self, paths: Sequence[Path], stack: ExitStack, config: Settings | None = None) -> None:
        """Open files; with the content `config` of a config.json the tensors of its image encoder alone."""
        self.files: dict[str, Any] = {}
        self.described: dict[str, tuple[list[int], torch.dtype]] = {}
        self.metadata: dict[str, str] = {}
        for path in paths:
            checkpoint.check_header(path)
            try:
                file = stack.enter_context(safetensors.safe_open(path, framework="pt"))
                self.metadata |= file.metadata() or {}
                for name in file.keys():  # noqa: SIM118 - not a dict
                    part = file.get_slice(name)
                    if name in self.files:
                        raise CheckpointError(
                            f"Each tensor must be in one file: {name[:80]!r} is in two", field=name[:80]
                        )
                    dtype = FLOATS.get(part.get_dtype(), torch.uint8)  # others are no weights
                    self.files[name], self.described[name] = file, (part.get_shape(), dtype)
            except safetensors.SafetensorError:
                raise checkpoint.not_safetensors(path.name) from None
        if config is not None:
            self.files = {name: self.files[name] for name in used_tensors(config, self.files)}
            self.described = {name: self.described[name] for name in self.files}
        self.nbytes = 4 * sum(torch.Size(shape).numel() for shape, dtype in self.described.values())

    def __getitem__(self, name: str) -> Tensor:
        """Return a tensor in float32; that of a float32 file is not copied."""
        return self.files[name].get_tensor(name).float()

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)


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


def processor_settings(processor: Any) -> Settings:
    """Return the settings of an image processor of transformers, of its folder, or as they are."""
    if isinstance(processor, str | Path):
        return read_processor(Path(processor))
    inner = getattr(processor, "image_processor", processor)  # of a processor of texts and images
    settings = inner.to_dict() if hasattr(inner, "to_dict") else inner
    if not isinstance(settings, Mapping):
        raise CheckpointError(
            f"processor must be an image processor of transformers, its settings or a folder: got {processor!r:.80}",
            field="processor",
        )
    return dict(settings)


def processor_of(module: nn.Module) -> Settings:
    """Return the settings of the image processor next to the weights that a module of transformers was loaded from.

    They are in its folder, or in the cache of the Hub; empty if they are not.
    """
    from huggingface_hub import try_to_load_from_cache

    origin = str(getattr(getattr(module, "config", None), "_name_or_path", None) or "")
    if not origin:
        return {}
    if Path(origin).is_dir():
        return read_processor(Path(origin))
    if not re.fullmatch(REPOSITORY, origin):
        return {}
    cached = [try_to_load_from_cache(origin, name) for name in PROCESSOR_FILES]
    return next((read_processor(Path(path).parent) for path in cached if isinstance(path, str)), {})


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
    if is_adapter(folder) and (is_folder or path.name == ADAPTER_WEIGHTS):
        return find_base(folder, folder.resolve().name, offline, base)
    if not is_bundled and not is_file and not (is_folder and isfile(find_config(folder))):
        raise not_found(str(name))
    if is_bundled or not isfile(find_config(folder)) or is_vitviz_file(path):
        return None
    title = path.resolve().stem if is_file else path.resolve().name
    return Folder(folder, title, {}, path if is_file else None)


def is_adapter(folder: Path) -> bool:
    """Whether a folder has an adapter of PEFT, and no model."""
    return isfile(folder / ADAPTER) and not isfile(find_config(folder))


def find_base(adapter: Path, name: str, offline: bool, base: Any) -> Folder:
    """Return the folder of the base model of an adapter, with the adapter; arguments as for `find_folder`."""
    if base is False:
        raise CheckpointError(
            f"The base model of an adapter must be a model: {name} is an adapter, too", field="base_model_name_or_path"
        )
    base = base or adapters.read_config(read_json(adapter / ADAPTER)).base_model_name_or_path or ""
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
        inner = sorted(config.parent.name for config in path.glob(f"*/{CONFIG}"))
        if inner:
            problem, hint = f"{len(inner)} folders of models", f"Name one: {', '.join(inner[:3])}."
        else:
            problem, hint = "none", f"Save the model with its {CONFIG}, or name one of its files."
        return CheckpointError(f"The folder must have {CONFIG}: {shown!r} has {problem}", hint)
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
        return "vitviz" in TensorFiles([path], stack).metadata


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
    config = read_config(path) | ({"architecture": folder.architecture} if folder.architecture else {})
    files = weight_files(path) if folder.file is None else [folder.file]
    if folder.file is not None:
        check_is_whole(files)
    states = tuple(map(WeightFile.of, files))
    with ExitStack() as stack:
        tensors = TensorFiles(files, stack, config)
        if (path / INDEX).is_file() and files[0].name != WEIGHTS and folder.file is None:
            missing = sorted({*used_tensors(config, read_index(path / INDEX))} - tensors.keys())
            if missing:
                raise CheckpointError(
                    f"The files must have all tensors that {INDEX} lists: {list_some(missing)} missing"
                )
        checkpoint.check_size(tensors.nbytes, None)
        pretrained = Pretrained(folder.name, tensors, config)
        if folder.adapter is not None:
            pretrained = merge_adapter(pretrained, folder.adapter, stack)
            states += (WeightFile.of(folder.adapter / ADAPTER_WEIGHTS),)
        processor = read_processor(path) if processor is None else processor
        if pretrained.converts or (module := originals.build_unconverted(pretrained)) is None:
            found = load_pretrained(pretrained, processor, folder.stated, img_size, check)
        else:
            found = load_module(module, processor, img_size, check)
            stated = {"library": pretrained.library, "family": pretrained.model} | folder.stated
            found = replace(found, name=folder.name, record=found.record | {"pretrained": stated})
        return replace(found, files=states)


def merge_adapter(base: Pretrained, folder: Path, stack: ExitStack) -> Pretrained:
    """Return a model with the adapter in a folder merged."""
    config, file = adapters.read_config(read_json(folder / ADAPTER)), folder / ADAPTER_WEIGHTS
    if not file.is_file():
        raise CheckpointError(f"The folder of an adapter must have {file.name}: {folder.name!r} has none")
    return adapters.merge(base, config, TensorFiles([file], stack))


def read_processor(folder: Path) -> Settings:
    """Return the settings of transformers' image processor in a folder; empty if there are none."""
    whole, image = (read_json(folder / name) if (folder / name).is_file() else {} for name in PROCESSOR_FILES)
    found = whole.get("image_processor")  # of version 5; earlier versions write preprocessor_config.json
    return found if isinstance(found, dict) else image


def weight_files(folder: Path) -> list[Path]:
    """Return the .safetensors files of a folder: one, or the shards that its index lists or their names count.

    Of a model with more than an image encoder only those are needed that this is in, or the file with its tensors.
    """
    for name in find_weights(find_config(folder)):
        if (folder / name).is_file():
            return [folder / name]
    if is_adapter(folder):
        return [folder / ADAPTER_WEIGHTS]
    if parts := list(folder.glob(PART.format("*"))):
        return [max(parts, key=lambda part: part.stat().st_mtime)]
    if (folder / INDEX).is_file():
        listed = read_index(folder / INDEX)
        files = sorted({listed[name] for name in used_tensors(read_config(folder), listed)})
        missing = next((name for name in files if not (folder / name).is_file()), None)
        if missing:
            raise CheckpointError(f"The folder must have all files that {INDEX} lists: {missing} is missing")
        return [folder / name for name in files]
    if parts := [file for file in sorted(folder.glob("*.safetensors")) if is_shard(file)]:
        return all_shards(parts[0])
    pickles = find_pickles(folder)
    pickle = folder if pickles and is_shard(pickles[0]) else next(iter(pickles), None)
    raise CheckpointError(
        f"The folder must have {WEIGHTS}: {folder.name!r} has {', '.join(one.name for one in pickles[:3]) or 'none'}",
        f"A pickle is converted once: `vitviz convert {shlex.quote(str(pickle))} OUT.safetensors`." if pickle else "",
    )


def find_pickles(folder: Path) -> list[Path]:
    """Return the pickled weights of a folder, without those of an optimizer; of a set of shards all."""
    files = [file for file in sorted(folder.glob("*")) if file.suffix in (".bin", ".pth", ".pt", ".ckpt")]
    found = [file for file in files if not re.match(TRAINING_STATE, file.name)]
    return all_shards(found[0]) if found and is_shard(found[0]) else found


def read_index(path: Path) -> dict[str, str]:
    """Return the file of each tensor that an index of shards lists.

    Raises:
        CheckpointError: If it lists none, or something else than names of files in its folder.
    """
    listed = read_json(path).get("weight_map")
    files = set(listed.values()) if isinstance(listed, dict) and all(type(v) is str for v in listed.values()) else set()
    if not files or any(Path(name).name != name or not name.endswith(".safetensors") for name in files):
        raise CheckpointError(f"weight_map of {path.name} must name a .safetensors file in its folder for each tensor")
    return dict(listed or {})


def is_shard(path: Path) -> bool:
    """Whether a file is one of a set such as model-00001-of-00003.safetensors."""
    return re.search(SHARD, path.name) is not None


def check_is_whole(files: Sequence[Path]) -> None:
    """Refuse one file of a set of shards; the folder has all of them."""
    if len(files) == 1 and is_shard(files[0]):
        raise CheckpointError(
            f"Weights must be complete: {files[0].name!r:.80} is one file of a set",
            f"Name its folder, {files[0].parent}.",
        )


def all_shards(path: Path) -> list[Path]:
    """Return all files of the set that a shard such as model-00001-of-00003.safetensors belongs to.

    Raises:
        CheckpointError: If one of them is missing.
    """
    match = cast(re.Match[str], re.search(SHARD, path.name))
    start, end = path.name[: match.start()], path.name[match.end() :]
    if int(match[1]) > MAX_SHARDS:
        raise CheckpointError(f"Weights must have at most {MAX_SHARDS} files: {path.name!r:.80} counts {match[1]}")
    files = [path.with_name(f"{start}-{k:05d}-of-{match[1]}{end}") for k in range(1, int(match[1]) + 1)]
    missing = next((file.name for file in files if not file.is_file()), None)
    if missing is not None or not files:
        raise CheckpointError(
            f"All files of a set of weights must be in its folder: {missing or path.name} is missing",
            f"Download it next to {path.name}.",
        )
    return files


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


def read_preprocessing(
    pretrained: Pretrained, processor: Settings
) -> tuple[tuple[int, int] | None, Channels, Channels, Resize, list[str]]:
    """Read size, mean, standard deviation, crop and filter, and note what is assumed.

    They are in timm's `pretrained_cfg`, or those of transformers' image processor.

    Raises:
        CheckpointError: If the files state a step that vitviz does not have.
    """
    family, (mean, std) = pretrained.family, pretrained.family.normalization
    if isinstance(pretrained.file, TimmConfig):
        cfg = pretrained.file.pretrained_cfg
        mode: CropMode = cfg.crop_mode or "center"
        resize = Resize(cfg.interpolation or "bicubic", cfg.crop_pct or 1.0, mode)
        return None, cfg.mean or mean, cfg.std or std, resize, [] if cfg.mean and cfg.std else [ASSUMED]
    if not processor:
        return None, mean, std, family.resize, [ASSUMED]
    name = str(processor.get("image_processor_type") or processor.get("feature_extractor_type"))
    start = re.sub("(ImageProcessor|FeatureExtractor).*", "", name)
    tiles = TILES if start in TILING else ()
    kept = {name: value for name, value in processor.items() if name not in tiles}
    file = parse(Processor, kept, "the image processor")
    kinds = [kind[1:] for kind in PROCESSORS if start in kind[0] and start != file.class_name]
    if file.class_name and not kinds:
        known = ", ".join(name for names, *_ in PROCESSORS for name in names)
        raise CheckpointError(
            f"The image processor must be of {known}: got {file.class_name:.80}",
            "Pass mean, std and img_size, and remove its file.",
            "image_processor_type",
        )
    is_shortest, crops = kinds[0] if kinds else (family.resize.crop_mode == "center", False)
    if file.size is not None and file.size.number is None:
        is_shortest = file.size.shortest_edge is not None
    scaled = file.size.sides if file.size else None
    crop = (
        file.crop_size.sides
        if file.crop_size and (crops if file.do_center_crop is None else file.do_center_crop)
        else None
    )
    crop_pct = 1.0
    if crop and scaled:
        crop_pct = max(crop) / max(scaled)
        fits = crop[0] * scaled[1] == crop[1] * scaled[0] if not is_shortest else crop[0] == crop[1] or crop_pct == 1
        if crop_pct > 1 or not fits:
            raise CheckpointError(
                f"crop_size must be a part of size of its aspect ratio: got {crop} of {scaled}", field="crop_size"
            )
    interpolation = family.resize.interpolation
    if file.resample is not None:
        interpolation = Image.Resampling(file.resample).name.lower()
    scale = 255 * file.rescale_factor if file.do_rescale else 255.0
    is_stated = not file.do_normalize or (file.image_mean and file.image_std)
    mean, std = file.image_mean or mean, file.image_std or std
    if not file.do_normalize:
        mean, std = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    size = crop or scaled
    patch = pretrained.file.patch_size
    if size:
        size = size[0] - size[0] % patch, size[1] - size[1] % patch
    resize = Resize(interpolation, crop_pct, "center" if is_shortest else "squash")
    notes = ([] if is_stated else [ASSUMED]) + ([RESIZED] if tiles else [])
    return size, rescale(mean, scale), rescale(std, scale), resize, notes


def rescale(values: Channels, scale: float) -> Channels:
    """Return the mean or standard deviation of pixels in 0..1 from that of pixels in 0..scale."""
    return values if abs(scale - 1) < 1e-6 else (values[0] / scale, values[1] / scale, values[2] / scale)


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


def read_json(path: Path) -> Settings:
    """Read a JSON object of a model's folder."""
    try:
        if path.stat().st_size > MAX_JSON_BYTES:
            raise ValueError
        parsed = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict):
        raise CheckpointError(f"{path.name} must be a JSON object: {path.parent.name}/{path.name} is not")
    return parsed


def find_config(folder: Path) -> Path:
    """Return the path of a folder's config.json, or that of open_clip if only this is there."""
    return folder / (OPEN_CLIP if isfile(folder / OPEN_CLIP) and not isfile(folder / CONFIG) else CONFIG)


def read_config(folder: Path) -> Settings:
    """Return the content of a folder's config.json, or what that of open_clip means."""
    path = find_config(folder)
    config = read_json(path)
    return parse(OpenCLIPConfig, config, path.name).as_composed() if path.name == OPEN_CLIP else config


def find_weights(config: Path) -> tuple[str, ...]:
    """Return the possible names of the weights that belong to a config."""
    return OPEN_CLIP_WEIGHTS if config.name == OPEN_CLIP else (WEIGHTS,)


def fetch_folder(name: str, offline: bool, base: Any = None) -> Folder:
    """Return the folder of a model of the Hub, from its cache if it is there, with revision and license."""
    repository, folder = fetch(name, offline)
    stated = {"repository": repository, "revision": folder.name}
    card = folder / CARD
    if card.is_file() and (match := re.search(r"^license: *(\S+)", card.read_text("utf-8", "replace"), re.MULTILINE)):
        stated["license"] = match[1]
    if is_adapter(folder):
        found = find_base(folder, repository.rpartition("/")[2], offline, base)
        return found._replace(stated=found.stated | stated)
    architecture = find_architecture(name)
    title = name.removeprefix("timm:").partition("@")[0] if architecture else repository.rpartition("/")[2]
    stated |= {"name": f"timm:{title}"} if architecture else {}
    return Folder(folder, title, stated, architecture=architecture)


def fetch(name: str, offline: bool = False, progress: type | None = None, has_text: bool = False) -> tuple[str, Path]:
    """Download a model of the Hub, unless it is in the cache.

    Args:
        name: As for `load`.
        offline: As for `load`.
        progress: Progress bar instead of that of huggingface_hub: a class derived from tqdm.
        has_text: Whether to download all files of a model with more than an image encoder.

    Returns:
        Its repository, and the folder in the cache, whose name is the revision.
    """
    from huggingface_hub import constants

    repository, revision = parse_repository(name)
    offline = offline or constants.HF_HUB_OFFLINE or not is_reachable()
    get = partial(download, repository, revision=revision, offline=offline, progress=progress)
    config = get(CONFIG, optional=True) or get(OPEN_CLIP, optional=True)
    if config is None and (adapter := get(ADAPTER, optional=True)) is not None:
        get(ADAPTER_WEIGHTS, revision=adapter.parent.name)
        return repository, adapter.parent
    config = config or Path(str(get(CONFIG)))  # raises the error that tells why there is none
    # The other files are those of the same revision; where they are in the cache, the Hub is not asked again.
    get = partial(download, repository, revision=config.parent.name, offline=offline, progress=progress)
    for file in (*PROCESSOR_FILES, CARD):
        get(file, optional=True)
    folder = config.parent
    if not has_text and is_composed(read_config(folder)) and fetch_encoder(repository, folder, offline, progress):
        return repository, folder
    if not any(get(file, optional=True) for file in find_weights(config)):
        index = get(INDEX, optional=True)
        if index is None:
            get(WEIGHTS)  # raises the error that tells a repository without them from a missing network
        for shard in sorted(set(read_index(Path(str(index))).values())):
            get(shard)
    return repository, folder


def fetch_encoder(repository: str, folder: Path, offline: bool, progress: type | None) -> bool:
    """Download the image encoder of a larger model, unless its tensors are in the cache; False if that is no gain."""
    from huggingface_hub import errors
    from huggingface_hub.utils import tqdm  # type: ignore[attr-defined]  # not in __all__

    with suppress(CheckpointError):
        weight_files(folder)
        return True
    if offline:
        return False
    index = download(repository, INDEX, folder.name, optional=True)
    listed = {} if index is None else read_index(index)
    for name in find_weights(find_config(folder)):
        try:
            return PartialDownload(repository, folder, progress or tqdm).fetch(read_config(folder), listed, name)
        except CheckpointError:
            raise
        except errors.EntryNotFoundError:
            continue
        except Exception as error:  # of the network
            raise incomplete(repository, "The image encoder", error) from None
    return False


def is_reachable() -> bool:
    """Whether the Hub, or a proxy, accepts connections: its library tries for half a minute, with a line each."""
    from huggingface_hub import constants

    url = urlsplit(constants.ENDPOINT)
    if {url.scheme, "all"} & urllib.request.getproxies().keys():  # `no_proxy` is among the keys as well
        return True
    try:
        socket.create_connection((url.hostname or "", url.port or 443), timeout=CONNECT_SECONDS).close()
    except OSError:
        return False
    return True


def download(
    repository: str,
    file: str,
    revision: str = "",
    optional: bool = False,
    offline: bool = False,
    progress: type | None = None,
) -> Path | None:
    """Return the path of a repository's file in the cache; download it if needed. None if an optional one is missing.

    Raises:
        CheckpointError: If there is no network, the repository does not exist, or its terms are not accepted.
    """
    from huggingface_hub import _CACHED_NO_EXIST, constants, errors, hf_hub_download, try_to_load_from_cache

    if optional and try_to_load_from_cache(repository, file, revision=revision or None) is _CACHED_NO_EXIST:
        return None
    try:
        path = hf_hub_download(
            repository, file, revision=revision or None, local_files_only=offline, tqdm_class=progress
        )
        return Path(path)
    except errors.GatedRepoError:
        raise CheckpointError(
            f"The terms of {repository} must be accepted",
            f"Accept them on https://huggingface.co/{repository}, then run `hf auth login`.",
        ) from None
    except errors.RepositoryNotFoundError:
        cached = [folder.name.removeprefix("models--").replace("--", "/") for folder in cached_repositories()]
        near = similar_names(repository, [*KNOWN, *cached])
        hint = f"Similar names: {', '.join(near)}." if near else "Check the name on https://huggingface.co/models."
        private = "If it is private, run `hf auth login` first."
        raise CheckpointError(f"The repository must exist: {repository} was not found", f"{hint} {private}") from None
    except errors.LocalEntryNotFoundError:
        if optional:
            return None
        raise CheckpointError(
            f"{file} of {repository} must be in the cache without a network: it is not in {constants.HF_HUB_CACHE}",
            f"Connect once, or download {file} to a folder on another machine and load the folder.",
        ) from None
    except errors.EntryNotFoundError:
        if optional:
            return None
        pickled = f"Download its pickled weights and run `vitviz convert FILE OUT.safetensors --like hf:{repository}`."
        raise CheckpointError(
            f"The repository must have {file}: {repository} has none", pickled if file == WEIGHTS else ""
        ) from None
    except errors.RevisionNotFoundError:
        raise CheckpointError(f"The revision must exist: {repository} has no {revision!r:.80}") from None
    except Exception as error:  # of the network; the library under huggingface_hub differs between its versions
        raise incomplete(repository, file, error) from None


def incomplete(repository: str, what: str, error: Exception) -> CheckpointError:
    """Return the error for a download that ended early."""
    return CheckpointError(
        f"{what} of {repository} was not downloaded completely ({type(error).__name__})",
        "Try again; what has arrived is kept, but never opened before it is complete.",
    )


def cached_repositories() -> list[Path]:
    """Return the folders of the models in the cache of the Hugging Face Hub."""
    from huggingface_hub import constants

    return sorted(Path(constants.HF_HUB_CACHE).glob("models--*--*"))
