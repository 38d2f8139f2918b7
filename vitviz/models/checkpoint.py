"""A trained network <-> one .safetensors file, and nothing else.

The file's metadata holds, under `vitviz`, JSON with the format version, the model's config, class names, mean and
standard deviation, and the training record. A file is checked from its header, before anything is allocated: size,
config, names, shapes and dtypes; then its values must be finite. Nothing is ever unpickled.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

import safetensors
import safetensors.torch
import torch

from vitviz.data.augmentation import normalize
from vitviz.data.datasets import Channels
from vitviz.data.files import write_atomic
from vitviz.models.config import ConfigError, ViTConfig
from vitviz.models.factory import Network, create_model, require_transformer
from vitviz.models.vit import Transformer

PACKAGE = Path(__file__).parents[1]
# Beside the package in a checkout, inside it when installed.
CHECKPOINTS = next((f for f in (PACKAGE / "checkpoints", PACKAGE.parent / "checkpoints") if f.is_dir()), PACKAGE)
SUMS = "SHA256SUMS"  # beside the files, as `sha256sum` writes it
FORMAT = 2
MAX_BYTES = 256 * 2**20
MAX_HEADER_BYTES = 2**20
EXTRA = "training."  # begins the names of tensors that only a training reads
DTYPE_BYTES = {"F32": 4, "F16": 2, "BF16": 2}


class CheckpointError(ValueError):
    """A checkpoint was refused; the message says the rule, what came and what helps."""


@dataclass(frozen=True)
class Checkpoint:
    """A trained model and what is needed to use it.

    Attributes:
        name: What people call it: the file's name without its ending.
        model: The network, in evaluation mode.
        classes: K names, in the order of the logits.
        mean: Of each colour channel, in 0..1; inputs are normalised with it.
        std: Standard deviation of each colour channel, in 0..1.
        record: How it was trained (recipe, data set, epochs, seconds, hardware, test accuracy, seed, versions).
    """

    name: str
    network: Network
    labels: tuple[str, ...]
    mean: Channels
    std: Channels
    record: dict[str, Any]

    def normalize(self, images: torch.Tensor) -> torch.Tensor:
        """uint8 images (B, 3, H, W) -> the model's float input, on the model's device."""
        weight = next(self.network.parameters())
        return normalize(images.to(weight.device), self.mean, self.std).to(weight.dtype)

    @property
    def transformer(self) -> Transformer:
        """The network, if it has attention.

        Raises:
            ValueError: If it is a convnet.
        """
        return require_transformer(self.network)

    @property
    def train_config(self) -> dict[str, Any]:
        """The settings that it was trained by; empty if its record tells none."""
        recipe = self.record.get("train_config")
        return recipe if isinstance(recipe, dict) else {}

    @property
    def is_classifier(self) -> bool:
        """Whether it has learned from labels; else its logits mean nothing."""
        return self.train_config.get("objective", "classify") == "classify"


def save(checkpoint: Checkpoint, path: Path, extra: dict[str, torch.Tensor] | None = None) -> None:
    """Write a checkpoint, atomically; weights in double precision become float32.

    Args:
        checkpoint: The model with what belongs to it.
        path: Of the file.
        extra: Tensors that `read_tensors` finds again and `load` does not look at.

    Raises:
        CheckpointError: If `load` would refuse it: a weight is not a finite number, names, mean or std do not fit, or
            the file is too large. Nothing is written then.
    """
    check_finite(checkpoint.network.state_dict())
    about = {
        "format": FORMAT,
        "config": asdict(checkpoint.network.config),
        "labels": list(checkpoint.labels),
        "mean": [float(value) for value in checkpoint.mean],
        "std": [float(value) for value in checkpoint.std],
        "record": checkpoint.record,
    }
    read_labels(about, checkpoint.network.config)
    named = checkpoint.network.state_dict() | {EXTRA + name: tensor for name, tensor in (extra or {}).items()}
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in named.items()}
    tensors |= {name: tensor.float() for name, tensor in tensors.items() if tensor.dtype == torch.float64}
    content = safetensors.torch.save(tensors, {"vitviz": json.dumps(about, allow_nan=False)})
    if extra is None:
        check_size(len(content), MAX_BYTES)
    write_atomic(path, content)


def bundled_checkpoints() -> dict[str, Path]:
    """The checkpoints that come with the project: name -> file, in alphabetical order."""
    return dict(sorted((path.stem, path) for path in CHECKPOINTS.glob("*.safetensors")))


def load(name: str | Path, max_bytes: int = MAX_BYTES) -> Checkpoint:
    """Load a checkpoint, in evaluation mode on the CPU.

    Args:
        name: A name in checkpoints/, or the path of a .safetensors file.
        most: Bytes that the file may have.

    Raises:
        CheckpointError: If there is none of this name, or the file is not a checkpoint of ours, whole and finite.
    """
    path = bundled_checkpoints().get(str(name)) or Path(name)
    try:
        size = path.stat().st_size if path.is_file() else None
    except (OSError, ValueError):
        size = None
    if size is None:
        known = ", ".join(bundled_checkpoints()) or "none"
        raise CheckpointError(
            f"There is no checkpoint {str(name)[:200]!r}. Name one that ships ({known}), or a .safetensors file."
        )
    check_size(size, max_bytes)
    content = path.read_bytes()
    if path in bundled_checkpoints().values():
        check_sha256(path.name, content)
    header, about = read_header(content, path.name)
    config = read_config(about)
    model = empty_model(config)
    check_tensors(header, model)
    try:
        held = safetensors.torch.load(content)
        tensors = {key: tensor.float() for key, tensor in held.items() if not key.startswith(EXTRA)}
    except (safetensors.SafetensorError, KeyError):  # stricter than ours, and of types that torch does not have
        raise foreign(path.name) from None
    check_finite(tensors)
    model.load_state_dict(tensors, assign=True)
    model.requires_grad_(True).eval()
    return Checkpoint(path.stem, model, *read_labels(about, config), record=about.get("record", {}))


def check_size(size: int, most: int) -> None:
    """Refuse more bytes than these."""
    if size > most:
        raise CheckpointError(
            f"A checkpoint may have at most {most / 2**20:.4g} MiB: this one has {size / 2**20:.4g}. Name a smaller "
            "one."
        )


def check_sha256(name: str, content: bytes) -> None:
    """Refuse a file that is not the one which ships under its name; names that are not listed are the user's own."""
    sums = CHECKPOINTS / SUMS
    lines = sums.read_text().splitlines() if sums.is_file() else []
    expected = {file: found for found, _, file in (line.partition("  ") for line in lines)}
    if expected.get(name, found := hashlib.sha256(content).hexdigest()) != found:
        raise CheckpointError(
            f"A checkpoint that ships must be as it was made: the SHA-256 of {name} is not the one in {SUMS}. Get it "
            "again, or give your own file another name."
        )


def check_finite(weights: Mapping[str, torch.Tensor]) -> None:
    """Refuse weights that are not finite numbers."""
    for name, weight in weights.items():
        if not weight.isfinite().all():
            raise CheckpointError(
                f"Every weight must be a finite number: {name} is not. Its training failed; train again."
            )


def read_tensors(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """The tensors of a file that `load` accepts: those of the model, and the extra ones by their own names."""
    held = safetensors.torch.load_file(path)
    extra = {name.removeprefix(EXTRA): tensor for name, tensor in held.items() if name.startswith(EXTRA)}
    return {name: tensor for name, tensor in held.items() if not name.startswith(EXTRA)}, extra


def empty_model(config: ViTConfig) -> Network:
    """Build a network without memory for its weights."""
    with torch.device("meta"):
        return create_model(config)


@lru_cache(maxsize=256)
def count_parameters(config: ViTConfig) -> int:
    """How many numbers a network learns."""
    return sum(weight.numel() for weight in empty_model(config).parameters())


def foreign(name: str) -> CheckpointError:
    """The refusal of a file that is not whole safetensors."""
    return CheckpointError(
        f"A checkpoint must be a whole .safetensors file: {name[:80]!r} is not. Files of torch.save "
        "(.pt, .pth, .ckpt) can run code when opened and are never read; save the weights as .safetensors."
    )


def read_header(content: bytes, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split a file into its tensor table and our part of its metadata; refuse whatever is not safetensors."""
    length = int.from_bytes(content[:8], "little")
    if len(content) < 10 or not 2 <= length <= min(MAX_HEADER_BYTES, len(content) - 8):
        raise foreign(name)
    try:
        header = parse_json(content[8 : 8 + length].decode("utf-8"))
    except (ValueError, RecursionError):
        raise foreign(name) from None
    if not isinstance(header, dict):
        raise foreign(name)
    metadata = header.pop("__metadata__", None)
    about = metadata.get("vitviz") if isinstance(metadata, dict) else None
    if not isinstance(about, str):
        raise CheckpointError(
            f"The file {name[:80]!r} holds weights, but was not written by vitviz: it has no vitviz metadata. "
            "Name one that `python -m vitviz train` wrote."
        )
    try:
        parsed = parse_json(about)
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict) or parsed.get("format") != FORMAT:
        raise CheckpointError(
            f"The vitviz metadata must be of format {FORMAT}: {name[:80]!r} has another or a damaged one. "
            "Get the file again, or a vitviz that knows it."
        )
    check_extent(header, len(content) - 8 - length, name)
    return header, parsed


def parse_json(text: str) -> Any:
    """Parse JSON strictly: no key twice in one object, no NaN or infinity."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("a key stands twice")
        return found

    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is not a number")

    def finite(number: str) -> float:
        return float(number) if math.isfinite(float(number)) else refuse(number)

    return json.loads(text, object_pairs_hook=once, parse_constant=refuse, parse_float=finite)


def check_extent(header: dict[str, Any], available: int, name: str) -> None:
    """Demand that the tensors' places fill the rest of the file exactly, without gap or overlap."""
    places = []
    for entry in header.values():
        offsets = entry.get("data_offsets") if isinstance(entry, dict) else None
        if not (isinstance(offsets, list) and len(offsets) == 2 and all(type(x) is int for x in offsets)):
            raise foreign(name)
        places.append(tuple(offsets))
    end = 0
    for start, stop in sorted(places):
        if start != end or stop < start:
            raise foreign(name)
        end = stop
    if end != available:
        raise foreign(name)


def read_config(about: dict[str, Any]) -> ViTConfig:
    """Read the model's config from the metadata; what an older file does not name has its default."""
    config = about.get("config")
    known = {field.name for field in fields(ViTConfig)}
    if not isinstance(config, dict) or not set(config) <= known:
        raise CheckpointError(f"The model's config may only name {', '.join(sorted(known))}.")
    try:
        return ViTConfig(**config)
    except ConfigError as error:
        raise CheckpointError(f"The model's config does not fit: {error}") from None


def read_channels(about: dict[str, Any], name: str) -> Channels:
    """Read one number for each colour channel."""
    values = about.get(name)
    if isinstance(values, list) and len(values) == 3 and all(type(v) in (int, float) and 0 <= v <= 1 for v in values):
        return values[0], values[1], values[2]
    raise CheckpointError(f"{name} must be three numbers from 0 to 1: got {str(values)[:80]}.")


def read_labels(about: dict[str, Any], config: ViTConfig) -> tuple[tuple[str, ...], Channels, Channels]:
    """Read class names, mean and standard deviation from the metadata."""
    classes = about.get("labels")
    if not (
        isinstance(classes, list) and len(classes) == config.num_classes and all(isinstance(c, str) for c in classes)
    ):
        raise CheckpointError(f"A checkpoint with {config.num_classes} logits must name {config.num_classes} classes.")
    mean, std = read_channels(about, "mean"), read_channels(about, "std")
    if min(std) < 1e-3:
        raise CheckpointError(f"std must be above 0.001 in each channel: got {std}.")
    if not isinstance(about.get("record", {}), dict):
        raise CheckpointError("The training record must be a table of names and values.")
    return tuple(classes), mean, std


def check_tensors(header: dict[str, Any], model: Network) -> None:
    """Compare the tensor table with what the config asks for, before anything is read."""
    expected = {name: list(tensor.shape) for name, tensor in model.state_dict().items()}
    header = {name: entry for name, entry in header.items() if not name.startswith(EXTRA)}
    for word, names in (("lacks", expected.keys() - header.keys()), ("has, unasked,", header.keys() - expected.keys())):
        if names:
            raise CheckpointError(
                f"The tensors must be those of the model's config: the file {word} {sorted(names)[0][:80]!r}."
            )
    for name, shape in expected.items():
        entry = header[name]
        dtype, (start, stop) = str(entry.get("dtype")), entry["data_offsets"]
        if entry.get("shape") != shape:
            raise CheckpointError(f"{name} must have shape {shape}: it has {str(entry.get('shape'))[:80]}.")
        if dtype not in DTYPE_BYTES:
            raise CheckpointError(f"{name} must be of type {', '.join(DTYPE_BYTES)}: it is {dtype[:20]}.")
        if stop - start != DTYPE_BYTES[dtype] * torch.Size(shape).numel():
            raise CheckpointError(
                f"{name} must fill the bytes its shape asks for: {stop - start} bytes do not fit {shape}."
            )
