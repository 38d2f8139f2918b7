"""Files of a model's folder, with the layout of timm and transformers.

They are config.json, model.safetensors (or shards with an index) and, of transformers, processor_config.json or
preprocessor_config.json; open_clip has other names. Weights are memory-mapped; pickles are never read.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from os.path import isfile  # which returns False for names that no file can have
from pathlib import Path
from typing import Any, cast

import safetensors
import torch
from torch import Tensor

from vitviz.errors import CheckpointError
from vitviz.models import checkpoint
from vitviz.models.config_files import OpenCLIPConfig, Settings, parse
from vitviz.models.image_encoder import PART, used_tensors

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
CONFIG, CARD = "config.json", "README.md"
OPEN_CLIP = "open_clip_config.json"
OPEN_CLIP_WEIGHTS = ("open_clip_model.safetensors", "open_clip_pytorch_model.safetensors")
PROCESSOR_FILES = ("processor_config.json", "preprocessor_config.json")  # of transformers; it reads the first one first
ADAPTER, ADAPTER_WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
MAX_JSON_BYTES = 32 * 2**20
SHARD, MAX_SHARDS = r"-\d{5}-of-(\d{5})(?=\.)", 1000
TRAINING_STATE = "optimizer|scheduler|scaler|rng_state|training_args"  # files of Trainer without weights
FLOATS = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


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


def is_adapter(folder: Path) -> bool:
    """Whether a folder has an adapter of PEFT, and no model."""
    return isfile(folder / ADAPTER) and not isfile(find_config(folder))


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
