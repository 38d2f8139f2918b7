"""Models from everywhere: bundled names, files and folders, the Hugging Face Hub, and modules in memory.

Folders and repositories have the layout of timm and transformers: config.json, model.safetensors (or shards with an
index) and, of transformers, processor_config.json or preprocessor_config.json. Weights are memory-mapped; pickles are
never read.
"""

import difflib
import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import safetensors
import torch
from PIL import Image
from torch import Tensor, nn

from vitviz.data.datasets import Channels
from vitviz.data.preprocessing import INTERPOLATIONS, CropMode, Resize
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint, CheckpointError
from vitviz.models.families import TRANSFORMERS, Family, Settings
from vitviz.models.labels import Labels, read_labels
from vitviz.models.modes import own_modes
from vitviz.models.pretrained import Pretrained, convert, describe_module, find_family, interpolate
from vitviz.models.weights import WeightFile

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
CONFIG, CARD = "config.json", "README.md"
PROCESSORS = ("processor_config.json", "preprocessor_config.json")  # of transformers; it reads the first one first
IMAGENET_CLASSES = 1000
MAX_JSON_BYTES = 32 * 2**20
TRAINING_STATE = "optimizer|scheduler|scaler|rng_state|training_args"  # files of Trainer without weights
FLOATS = ("F64", "F32", "F16", "BF16")
PREFIXES = ("hf:", "timm:")
KNOWN = (  # suggested for a name that does not exist
    *("timm/vit_small_patch14_reg4_dinov2.lvd142m", "timm/vit_small_patch16_dinov3.lvd1689m"),
    *("timm/vit_base_patch16_224.augreg2_in21k_ft_in1k", "timm/vit_small_patch16_224.dino"),
    *("timm/deit3_small_patch16_224.fb_in1k", "timm/vit_base_patch16_siglip_224.v2_webli"),
    *("google/vit-base-patch16-224", "openai/clip-vit-base-patch32", "facebook/dinov2-with-registers-small"),
)


class TensorFiles(Mapping[str, Tensor]):
    """Tensors of open .safetensors files by name; reading one maps it into memory.

    Attributes:
        shapes: Shape of each tensor, from the headers.
        nbytes: Bytes that all of them take in float32.
    """

    def __init__(self, paths: Sequence[Path], stack: ExitStack) -> None:
        self.files: dict[str, Any] = {}
        self.shapes: dict[str, list[int]] = {}
        self.metadata: dict[str, str] = {}
        for path in paths:
            checkpoint.check_header(path)
            try:
                file = stack.enter_context(safetensors.safe_open(path, framework="pt"))
                self.metadata |= file.metadata() or {}
                for name in file.keys():  # noqa: SIM118 - not a dict
                    part = file.get_slice(name)
                    if part.get_dtype() in FLOATS:
                        self.files[name], self.shapes[name] = file, part.get_shape()
            except safetensors.SafetensorError:
                raise checkpoint.not_safetensors(path.name) from None
        self.nbytes = 4 * sum(torch.Size(shape).numel() for shape in self.shapes.values())

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
    name: str | Path | nn.Module,
    labels: Labels | None = None,
    img_size: tuple[int, int] | None = None,
    offline: bool = False,
) -> Checkpoint:
    """Load a model in evaluation mode, on the CPU in float32; a module keeps its dtype.

    Args:
        name: Name of a bundled checkpoint; a .safetensors file, or a folder of timm or transformers; "timm:NAME" or
            "hf:OWNER/NAME" on the Hugging Face Hub; or a module of timm or transformers, whose weights are copied.
        labels: Names of the K classes, as for `read_labels`; None for those of the model's files.
        img_size: Height and width of the input (px), by interpolated positions; None for that of the model's files.
        offline: Whether to take a model of the Hub from the cache as it is, without looking for a later revision.

    Raises:
        CheckpointError: If the model does not exist, is of another family, or is invalid.
    """
    if isinstance(name, nn.Module):
        found = load_pretrained(describe_module(name), {}, {"library": type(name).__module__.split(".")[0]}, img_size)
    elif isinstance(name, str) and name.startswith(PREFIXES):
        found = load_repository(name, img_size, offline)
    else:
        found = load_path(name, img_size)
    return found if labels is None else replace(found, labels=read_labels(labels, found.config.num_classes))


def load_path(name: str | Path, img_size: tuple[int, int] | None) -> Checkpoint:
    """Load a bundled checkpoint, a file or a folder; arguments as for `load`."""
    path = Path(name)
    is_bundled = str(name) in checkpoint.bundled_checkpoints()
    folder = path if path.is_dir() else path.parent
    if is_bundled or not (folder / CONFIG).is_file() or not (path.is_dir() or path.is_file()) or is_vitviz_file(path):
        found = checkpoint.load(name)
        return found if img_size is None else resize_input(found, img_size)
    return load_folder(folder, path.resolve().stem if path.is_file() else path.resolve().name, {}, img_size, path)


def as_checkpoint(model: object) -> Checkpoint:
    """Return a checkpoint as it is, and the checkpoint of a module on the module's device.

    Raises:
        CheckpointError: If the module is not a ViT that vitviz knows.
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
    families = TRANSFORMERS if found.source.get("library") == "transformers" else ()
    antialias = all(family.antialias for family in families if family.title == found.source.get("family"))
    return replace(found, network=interpolate(found.transformer, img_size, antialias))


def load_folder(
    folder: Path,
    name: str,
    source: Settings,
    img_size: tuple[int, int] | None,
    path: Path | None = None,
) -> Checkpoint:
    """Load a folder of timm or transformers; `path` is one of its files, if only that one has the weights."""
    config = read_json(folder / CONFIG)
    files = [path] if path is not None and path.is_file() else weight_files(folder)
    states = tuple(map(WeightFile.of, files))
    with ExitStack() as stack:
        tensors = TensorFiles(files, stack)
        checkpoint.check_size(tensors.nbytes, None)
        pretrained = Pretrained(name, tensors, config)
        source = {"library": "timm" if pretrained.is_timm else "transformers", **source}
        return replace(load_pretrained(pretrained, read_processor(folder), source, img_size), files=states)


def read_processor(folder: Path) -> Settings:
    """Return the settings of transformers' image processor in a folder; empty if there are none."""
    whole, image = (read_json(folder / name) if (folder / name).is_file() else {} for name in PROCESSORS)
    found = whole.get("image_processor")  # of version 5; earlier versions write preprocessor_config.json
    return found if isinstance(found, dict) else image


def weight_files(folder: Path) -> list[Path]:
    """Return the .safetensors files of a folder: one, or all shards that its index lists."""
    if (folder / WEIGHTS).is_file():
        return [folder / WEIGHTS]
    if (folder / INDEX).is_file():
        shards = read_json(folder / INDEX).get("weight_map", {})
        files = [folder / Path(str(name)).name for name in sorted(set(shards.values()))]
        missing = next((file.name for file in files if not file.is_file()), None)
        if files and missing is None:
            return files
        raise CheckpointError(f"The folder must have all files that {INDEX} lists: {missing} is missing")
    found = sorted(file.name for file in folder.glob("*") if file.suffix in (".bin", ".pth", ".pt", ".ckpt"))
    pickles = [name for name in found if not re.match(TRAINING_STATE, name)]
    command = f"vitviz convert {shlex.quote(str(folder / pickles[0]))} OUT.safetensors" if pickles else ""
    raise CheckpointError(
        f"The folder must have {WEIGHTS}: {folder.name!r} has {', '.join(pickles[:3]) or 'none'}",
        f"A pickle is converted once: `{command}`." if command else "",
    )


def load_pretrained(
    pretrained: Pretrained, processor: Settings, source: Settings, img_size: tuple[int, int] | None
) -> Checkpoint:
    """Convert a model of timm or transformers, with its labels and preprocessing."""
    family = find_family(pretrained)
    size, mean, std, resize = read_preprocessing(pretrained, processor, family)
    network = convert(pretrained, img_size or size)
    checkpoint.check_finite(network.state_dict())
    labels = find_labels(pretrained.config, network.config.num_classes)
    license_name = (pretrained.config.get("pretrained_cfg") or {}).get("license")
    record = {"source": {"family": family.title, **({"license": license_name} if license_name else {}), **source}}
    return Checkpoint(pretrained.name, network, labels, mean, std, record, resize)


def read_preprocessing(
    pretrained: Pretrained, processor: Settings, family: Family
) -> tuple[tuple[int, int] | None, Channels, Channels, Resize]:
    """Read size, mean, standard deviation, crop and filter.

    They are in timm's `pretrained_cfg`, or those of transformers' image processor.
    """
    normalization = family.normalization
    cfg = pretrained.config.get("pretrained_cfg") or {}
    if pretrained.is_timm:
        name = str(cfg.get("interpolation", "bicubic"))
        mode: CropMode = "squash" if cfg.get("crop_mode") == "squash" else "center"
        resize = Resize(name if name in INTERPOLATIONS else "bicubic", float(cfg.get("crop_pct") or 1.0), mode)
        return (
            None,
            to_channels(cfg.get("mean"), normalization[0]),
            to_channels(cfg.get("std"), normalization[1]),
            resize,
        )
    if not processor:
        return None, *normalization, family.resize
    resample = processor.get("resample")
    interpolation = family.resize.interpolation
    if isinstance(resample, int) and resample in range(6):
        interpolation = Image.Resampling(resample).name.lower()
    scaled = to_size(processor.get("size"))
    crop = to_size(processor.get("crop_size")) if processor.get("do_center_crop") else None
    crop_pct = min(1.0, max(crop) / max(scaled)) if crop and scaled else 1.0
    mode = "center" if is_shortest_edge(processor, family) else "squash"
    mean = to_channels(processor.get("image_mean"), normalization[0])
    std = to_channels(processor.get("image_std"), normalization[1])
    if processor.get("do_normalize") is False:
        mean, std = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    size = crop or scaled
    patch = pretrained.vision_config.get("patch_size", 1)
    if size and isinstance(patch, int):
        size = size[0] - size[0] % patch, size[1] - size[1] % patch
    return size, mean, std, Resize(interpolation, crop_pct, mode)


def is_shortest_edge(processor: Settings, family: Family) -> bool:
    """Whether an image processor of transformers resizes the shorter side to its size, not the whole image.

    A size in one number, as old files have it, means what it does in the processor's class.
    """
    size = processor.get("size")
    if isinstance(size, dict):
        return "shortest_edge" in size
    class_name = str(processor.get("image_processor_type") or processor.get("feature_extractor_type") or "")
    return not re.match("ViT|DeiT|Siglip|DINOv3", class_name) if class_name else family.resize.crop_mode == "center"


def to_size(value: Any) -> tuple[int, int] | None:
    """Return height and width (px) from a size as transformers writes it: a number or an object; None if unknown."""
    if isinstance(value, int):
        return value, value
    if isinstance(value, dict):
        edge = value.get("shortest_edge")
        height, width = value.get("height", edge), value.get("width", edge)
        if isinstance(height, int) and isinstance(width, int):
            return height, width
    return None


def to_channels(value: Any, default: Channels) -> Channels:
    """Return three numbers of a config, or the default."""
    if isinstance(value, list | tuple) and len(value) == 3 and all(isinstance(v, int | float) for v in value):
        return float(value[0]), float(value[1]), float(value[2])
    return default


def find_labels(config: Settings, count: int) -> tuple[str, ...]:
    """Return the names of the classes from `label_names` of timm or `id2label` of transformers.

    Where the files name none, 1,000 classes are those of ImageNet-1k, and others get numbers.
    """
    known = config.get("label_names") or (config.get("pretrained_cfg") or {}).get("label_names")
    known = known or config.get("id2label") or []
    items = known.items() if isinstance(known, dict) else enumerate(known)
    names = {int(key): str(value) for key, value in items if str(key).isdecimal()}
    described = config.get("label_descriptions") or {}
    if len(names) == count and any(names.get(k) != f"LABEL_{k}" for k in range(count)):  # the default of transformers
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


def load_repository(name: str, img_size: tuple[int, int] | None, offline: bool = False) -> Checkpoint:
    """Load a model of the Hugging Face Hub, from its cache if it is there; the record has its revision and license."""
    repository, folder = fetch(name, offline)
    source = {"repository": repository, "revision": folder.name}
    card = folder / CARD
    if card.is_file() and (match := re.search(r"^license: *(\S+)", card.read_text("utf-8", "replace"), re.MULTILINE)):
        source["license"] = match[1]
    return load_folder(folder, repository.rpartition("/")[2], source, img_size)


def parse_repository(name: str) -> tuple[str, str]:
    """Return repository ("OWNER/NAME") and revision, empty for the latest, of "timm:NAME" or "hf:OWNER/NAME"."""
    prefix, _, repository = name.partition(":")
    repository = f"timm/{repository}" if prefix == "timm" and "/" not in repository else repository
    repository, _, revision = repository.partition("@")
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
        raise CheckpointError(f"A model on the Hub must be timm:NAME or hf:OWNER/NAME: got {name[:80]!r}")
    return repository, revision


def fetch(name: str, offline: bool = False, progress: type | None = None) -> tuple[str, Path]:
    """Download a model of the Hub, unless it is in the cache.

    Args:
        name: As for `load`.
        offline: As for `load`.
        progress: Progress bar instead of that of huggingface_hub: a class derived from tqdm.

    Returns:
        Its repository, and the folder in the cache, whose name is the revision.
    """
    repository, revision = parse_repository(name)
    config = Path(str(download(repository, CONFIG, revision, offline=offline, progress=progress)))
    # The other files are those of the same revision; where they are in the cache, the Hub is not asked again.
    get = partial(download, repository, revision=config.parent.name, offline=offline, progress=progress)
    for file in (*PROCESSORS, CARD):
        get(file, optional=True)
    if get(WEIGHTS, optional=True) is None:
        index = get(INDEX, optional=True)
        if index is None:
            get(WEIGHTS)  # raises the error that tells a repository without them from a missing network
        for shard in sorted(set(read_json(Path(str(index))).get("weight_map", {}).values())):
            get(str(shard))
    return repository, config.parent


def download(
    repository: str,
    file: str,
    revision: str = "",
    optional: bool = False,
    offline: bool = False,
    progress: type | None = None,
) -> Path | None:
    """Return the path of a file of a repository in the cache, downloading it if needed; None if an optional one is not.

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
        near = difflib.get_close_matches(repository, [*KNOWN, *cached], 3, 0.5)
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
        raise CheckpointError(
            f"{file} of {repository} was not downloaded completely ({type(error).__name__})",
            "Try again; what has arrived is kept, but never opened before it is complete.",
        ) from None


def cached_repositories() -> list[Path]:
    """Return the folders of the models in the cache of the Hugging Face Hub."""
    from huggingface_hub import constants

    return sorted(Path(constants.HF_HUB_CACHE).glob("models--*--*"))
