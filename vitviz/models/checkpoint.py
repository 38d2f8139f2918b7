"""Checkpoints: a trained network with its labels and preprocessing, in one .safetensors file.

The metadata key `vitviz` holds JSON with format version, model config, labels, mean, standard deviation and training
record. A file is validated before memory is allocated for weights: size, header, config, names, shapes and dtypes; then
all weights must be finite. Nothing is unpickled.
"""

from __future__ import annotations  # torch is imported on first use

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, get_args

import safetensors

from vitviz.data import cifar
from vitviz.data.preprocessing import DEFAULT_RESIZE, INTERPOLATIONS, RESAMPLING, CropMode, Resize
from vitviz.errors import CapturedModelError, CheckpointError, ConfigError, did_you_mean
from vitviz.files import write_atomic
from vitviz.models.config import DecoderSize, ViTConfig, config_from_dict
from vitviz.models.weights import WeightFile

if TYPE_CHECKING:
    import torch

    from vitviz.data.image_cache import Channels
    from vitviz.models.mae import Decoder
    from vitviz.models.vit import Transformer

AnyModule = TypeVar("AnyModule", bound="torch.nn.Module")
PACKAGE = Path(__file__).parents[1]
# In the package if installed, next to it in a checkout.
LAST = "last.safetensors"  # weights in the folder of a training
CHECKPOINTS = next((f for f in (PACKAGE / "checkpoints", PACKAGE.parent / "checkpoints") if f.is_dir()), PACKAGE)
CHECKSUMS = "SHA256SUMS"  # in the format of `sha256sum`
FORMAT = 2
MAX_BYTES = 256 * 2**20  # of a file that the page offers, or a run writes
MAX_HEADER_BYTES = 2**20
MIN_STD = 1e-3
CONVNET = "convnet"  # architecture of a teacher, see `vitviz.training.convnet`
LFS_POINTER = b"version "  # first bytes of a file that git has not downloaded
DECODER_PREFIX = "decoder."  # names of its tensors
EXTRA_PREFIX = "training."  # names of tensors that only resuming a training reads
DTYPES = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}  # attributes of torch
REVISION_LENGTH = 8  # characters of a commit's hash
ARCHITECTURES = {"vit": "ViT"}  # their names for people


@dataclass(frozen=True)
class Preprocessing:
    """How an image becomes the input of a network: center crop, resize, normalize."""

    img_size: tuple[int, int]  # height and width of the input (px)
    mean: Channels  # mean of each color channel, in 0..1
    std: Channels  # standard deviation of each color channel, in 0..1
    interpolation: str = RESAMPLING.name.lower()  # filter of the resize, by Pillow's name
    crop_pct: float = 1.0  # side of the center crop divided by that of the largest one
    crop_mode: CropMode = "center"  # "squash" resizes the whole image


@dataclass(frozen=True)
class Checkpoint:
    """A trained model.

    Attributes:
        name: File name without suffix.
        network: The network, in evaluation mode.
        labels: K class names, in the order of the logits.
        mean: Mean of each color channel, in 0..1.
        std: Standard deviation of each color channel, in 0..1.
        record: Training record: train config, dataset, epochs, seconds, hardware, test accuracy, versions; of a model
            of timm or transformers `pretrained`: library, family, repository, revision and license, where known.
        resize: Crop and filter with which an image gets the size of the input.
        files: Files that the weights were read from; empty for a network in memory.
        notes: What was assumed, left out or not checked when a model of timm or transformers was loaded.
        decoder: Of a masked autoencoder that vitviz trained; None for other models.
    """

    name: str
    network: Transformer
    labels: tuple[str, ...]
    mean: Channels
    std: Channels
    record: dict[str, Any]
    resize: Resize = DEFAULT_RESIZE
    files: tuple[WeightFile, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    decoder: Decoder | None = field(default=None, repr=False)

    @property
    def config(self) -> ViTConfig:
        """Configuration of the network."""
        return self.network.config

    @property
    def preprocessing(self) -> Preprocessing:
        """Preprocessing of images."""
        return Preprocessing(self.config.img_size, self.mean, self.std, **asdict(self.resize))

    @property
    def train_config(self) -> dict[str, Any]:
        """Training configuration from the record; empty if unknown."""
        config = self.record.get("train_config")
        return config if isinstance(config, dict) else {}

    @property
    def is_classifier(self) -> bool:
        """Whether the network has a head that was trained on labels; the logits of other networks are meaningless."""
        return self.config.num_classes > 0 and self.train_config.get("objective", "classify") == "classify"

    @property
    def why_no_prediction(self) -> str:
        """Why the model predicts no class, after its name in a sentence; empty for a classifier."""
        if self.is_classifier:
            return ""
        if self.config.num_classes:
            return "was trained without labels"
        from vitviz.models.families import TEXT_FAMILIES  # which imports torch: the page answers before

        if self.pretrained.get("family") in TEXT_FAMILIES:
            cure = ": `classes` makes texts its classes" if self.compares_texts else ""
            return f"compares images with texts, and has none{cure}"
        return "has no classification head"

    def require_blocks(self, what: str, hint: str = "") -> None:
        """Raise CapturedModelError if the network, whose inside `what` needs, runs as it is and is captured."""
        if self.config.is_captured:
            raise CapturedModelError(what, hint)

    @property
    def has_texts(self) -> bool:
        """Whether its classes are texts, those of a zero-shot head."""
        return self.config.normalize_head and "zero_shot" in self.record and "linear_probe" not in self.record

    @property
    def compares_texts(self) -> bool:
        """Whether texts can become its classes: the image encoder of such a family, also with texts as classes."""
        from vitviz.models.families import TEXT_FAMILIES  # as above

        is_known = self.pretrained.get("family") in TEXT_FAMILIES and self.pretrained.get("library") == "transformers"
        return is_known and (not self.config.num_classes or self.has_texts) and not self.config.is_captured

    @property
    def pretrained(self) -> dict[str, Any]:
        """Library, family, repository, revision and license of a model of timm or transformers, where known."""
        found = self.record.get("pretrained")
        return found if isinstance(found, dict) else {}

    @property
    def family(self) -> str:
        """Family of the model; of models that vitviz trained their architecture, of captured ones their class."""
        architecture = self.config.architecture
        if self.config.is_captured:
            architecture = self.record["captured"]["module"].rpartition(".")[2]
        found = str(self.pretrained.get("family") or ARCHITECTURES.get(architecture, architecture))
        return f"{found}, captured" if self.config.is_captured else found

    @property
    def pretrained_name(self) -> str:
        """Repository and revision, "timm/vit_small_patch16_224 at 1a2b3c4d"; empty for models that vitviz trained."""
        found = self.pretrained
        where = found.get("repository") or f"{found.get('library', '')} {found.get('family', '')}".strip()
        revision = f" at {str(found['revision'])[:REVISION_LENGTH]}" if "revision" in found else ""
        return f"{where}{revision}"

    @property
    def credit(self) -> str:
        """Repository and license, or what is captured, as a sentence for captions; empty for models of vitviz."""
        found = []
        if self.config.is_captured:  # the first note says why it was not converted
            found.append(": ".join(filter(None, (self.family, "; ".join(self.notes[1:])))))
        if self.pretrained:
            found.append(f"Weights: {self.pretrained_name}, license {self.pretrained.get('license', 'not stated')}")
        return " ".join(f"{one}." for one in found)

    @property
    def linear_probe(self) -> str:
        """Backbone, images and held-out accuracy of a linear probe as text; empty for other models."""
        try:
            fitted = self.record["linear_probe"]
            backbone, held_out = fitted["backbone"], fitted["cross_validation"]
            name, count = backbone.get("repository", backbone["name"]), sum(fitted["images"].values())
            counts = f"{held_out['correct']:,} of {held_out['total']:,} correct when held out"
            return f"linear probe on {name}, {count:,} images" + (f", {counts}" if held_out["total"] else "")
        except (KeyError, TypeError, ValueError, AttributeError):  # not a record that vitviz wrote
            return ""

    @property
    def tensors(self) -> dict[str, torch.Tensor]:
        """Weights of network and decoder by their names in the file."""
        return self.network.state_dict() | decoder_tensors(self.decoder)

    @property
    def weight(self) -> torch.Tensor:
        """A tensor of the device and dtype in which the network computes."""
        import torch

        return next(self.network.parameters(), torch.empty(0))

    def normalize(self, images: torch.Tensor) -> torch.Tensor:
        """Convert uint8 images (B, 3, H, W) to the input of the network, on its device and in its dtype."""
        from vitviz.data.augmentation import normalize

        weight = self.weight
        return normalize(images.to(weight.device), self.mean, self.std).to(weight.dtype)

    def check_logits(self, logits: torch.Tensor, name: str = "logits") -> torch.Tensor:
        """Return the logits, or what has another name, if they are finite; of a network without head the features.

        Raises:
            CheckpointError: If one is NaN or infinite, because finite weights overflow.
        """
        if not logits.isfinite().all():
            outputs = name if self.config.num_classes else "features"
            raise CheckpointError(
                f"The {outputs} of {self.name} must be finite: got NaN or infinity",
                "Its weights overflow; train it again with lower learning rates.",
                outputs,
            )
        return logits


def load(
    name: str | Path, max_bytes: int | None = None, create: Callable[[dict[str, Any]], Any] | None = None
) -> Checkpoint:
    """Load a checkpoint in evaluation mode, on the CPU in float32.

    Args:
        name: Name of a bundled checkpoint, or path of a .safetensors file.
        max_bytes: Largest size of the file; None for the free memory.
        create: Creates a network other than a ViT from the metadata, with its `config`, on the meta device.

    Raises:
        CheckpointError: If the checkpoint does not exist or is invalid.
    """
    bundled = bundled_checkpoints()
    path = bundled.get(str(name)) or Path(name)
    check_size(find_size(path, str(name)), max_bytes)
    files = (WeightFile.of(path),)
    if path in bundled.values():
        check_sha256(path)
    check_header(path)
    try:
        with safetensors.safe_open(path, framework="pt") as file:  # validates the offsets of all tensors
            metadata = parse_metadata(file.metadata(), path.name)
            network = create_meta_model(read_config(metadata)) if create is None else create(metadata)
            labels, mean, std = read_labels(metadata, network.config)
            decoder = read_decoder(metadata, network.config)
            tensors = network.state_dict() | decoder_tensors(decoder)
            check_tensors(file, tensors)
            weights = read_weights(path, list(tensors))
    except safetensors.SafetensorError:
        raise not_safetensors(path.name) from None
    check_finite(weights)
    if decoder is not None:
        use_weights(decoder, {name: weights.pop(DECODER_PREFIX + name) for name in decoder.state_dict()})
    network = use_weights(network, weights)
    record = metadata.get("record", {})
    return Checkpoint(path.stem, network, labels, mean, std, record, read_resize(metadata), files, decoder=decoder)


def save(checkpoint: Checkpoint, path: Path, extra: dict[str, torch.Tensor] | None = None) -> None:
    """Write a checkpoint atomically as .safetensors file; float64 weights are converted to float32.

    `extra` are additional tensors for `read_tensors`; `load` ignores them.

    Raises:
        CapturedModelError: If the model is captured.
        CheckpointError: If `load` would refuse the file. Nothing is written.
    """
    checkpoint.require_blocks("checkpoints")
    import safetensors.torch
    import torch

    check_finite(checkpoint.tensors)
    metadata = metadata_of(checkpoint)
    if checkpoint.decoder is not None:
        metadata["decoder"] = checkpoint.decoder.size._asdict()
    read_labels(metadata, checkpoint.config)
    named = checkpoint.tensors | {EXTRA_PREFIX + name: tensor for name, tensor in (extra or {}).items()}
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in named.items()}
    tensors |= {name: tensor.float() for name, tensor in tensors.items() if tensor.dtype == torch.float64}
    content = safetensors.torch.save(tensors, {"vitviz": json.dumps(metadata, allow_nan=False)})
    if extra is None:
        check_size(len(content), None)
    write_atomic(path, content)


def metadata_of(checkpoint: Checkpoint) -> dict[str, Any]:
    """Return the metadata of a file of a checkpoint without decoder."""
    return {
        "format": FORMAT,
        "config": asdict(checkpoint.config),
        "labels": list(checkpoint.labels),
        "mean": [float(value) for value in checkpoint.mean],
        "std": [float(value) for value in checkpoint.std],
        "resize": asdict(checkpoint.resize),
        "record": checkpoint.record,
    }


def read_tensors(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """Return the weights and the extra tensors of a file that `load` accepts."""
    import safetensors.torch

    tensors = safetensors.torch.load_file(path)
    extra = {name.removeprefix(EXTRA_PREFIX): t for name, t in tensors.items() if name.startswith(EXTRA_PREFIX)}
    return {name: t for name, t in tensors.items() if not name.startswith(EXTRA_PREFIX)}, extra


def bundled_checkpoints() -> dict[str, Path]:
    """Return the paths of the checkpoints that ship with vitviz by name, in alphabetical order."""
    return dict(sorted((path.stem, path) for path in CHECKPOINTS.glob("*.safetensors")))


@lru_cache(maxsize=256)
def count_parameters(config: ViTConfig, decoder: DecoderSize | None = None) -> int:
    """Return the number of parameters of a network, or of a masked autoencoder."""
    modules = [create_meta_model(config)] + ([] if decoder is None else [create_meta_decoder(config, decoder)])
    return sum(weight.numel() for module in modules for weight in module.parameters())


def create_meta_model(config: ViTConfig) -> Transformer:
    """Create a network on the meta device, without memory for its weights."""
    import torch

    from vitviz.models.factory import create_model

    with torch.device("meta"):
        return create_model(config)


def create_meta_decoder(config: ViTConfig, size: DecoderSize) -> Decoder:
    """Create the decoder of an encoder likewise."""
    import torch

    from vitviz.models.mae import Decoder

    with torch.device("meta"):
        return Decoder(config, size)


def decoder_tensors(decoder: Decoder | None) -> dict[str, torch.Tensor]:
    """Return the tensors of a decoder by their names in a file."""
    return {} if decoder is None else {DECODER_PREFIX + name: t for name, t in decoder.state_dict().items()}


def use_weights(network: AnyModule, weights: Mapping[str, torch.Tensor]) -> AnyModule:
    """Give a network on the meta device its weights, which it shares, and set evaluation mode."""
    network.load_state_dict(dict(weights), assign=True)
    return network.requires_grad_(True).eval()


def find_size(path: Path, name: str) -> int:
    """Return the size of a file in bytes; refuse what is not a regular file."""
    try:
        if path.is_file():
            return path.stat().st_size
    except (OSError, ValueError):
        pass
    bundled = ", ".join(bundled_checkpoints()) or "none"
    raise CheckpointError(
        f"Checkpoint {name[:200]!r} not found",
        did_you_mean(name, bundled_checkpoints()) or f"Use a bundled one ({bundled}) or a .safetensors file.",
    )


def check_size(size: int, max_bytes: int | None) -> None:
    """Check that the weights of a file of this size fit: in `max_bytes`, or in the free memory if it is None."""
    if max_bytes is not None and size > max_bytes:
        raise CheckpointError(
            f"A checkpoint must have at most {max_bytes / 2**20:.4g} MiB: got {size / 2**20:.4g}", "Use a smaller one."
        )
    free = available_memory() if max_bytes is None else None
    if free is not None and size > free:
        raise CheckpointError(
            f"A checkpoint must fit into memory: its weights take {size / 2**20:.4g} MiB, {free / 2**20:.4g} are free",
            "Use a smaller one, or close other programs.",
        )


def available_memory() -> int | None:
    """Return the memory that can be used without swapping, in bytes: of the machine or its container; None if unknown.

    The cache of files counts as available, as the kernel evicts it.
    """
    found = []
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        found += [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
        group = Path("/sys/fs/cgroup")
        limit = (group / "memory.max").read_text().strip()
        if limit != "max":
            statistics = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
            used = int((group / "memory.current").read_text()) - int(statistics["inactive_file"])
            found.append(int(limit) - used)
    except (OSError, ValueError, LookupError):
        pass
    return min(found, default=None)


def check_sha256(path: Path) -> None:
    """Check a bundled file against its SHA-256; files that are not listed are the user's."""
    checksums = CHECKPOINTS / CHECKSUMS
    lines = checksums.read_text().splitlines() if checksums.is_file() else []
    expected = {file: digest for digest, _, file in (line.partition("  ") for line in lines)}
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if expected.get(path.name, digest) != digest:
        raise CheckpointError(
            f"A bundled checkpoint must match its SHA-256 in {CHECKSUMS}: {path.name} does not",
            "Download it again, or rename your own file.",
        )


def check_header(path: Path) -> None:
    """Check the size of the header, that its JSON has unique keys and that the file is not cut off.

    safetensors checks the rest.
    """
    with path.open("rb") as file:
        start = file.read(8)
        if start == LFS_POINTER:
            raise CheckpointError(
                f"A checkpoint must be its content: {path.name[:80]!r} is a pointer of Git LFS", "Run `git lfs pull`."
            )
        size = int.from_bytes(start, "little")
        header = file.read(size) if size <= MAX_HEADER_BYTES else b""
    try:
        entries = parse_json(header.decode())
        expected = 8 + size + max(entry["data_offsets"][1] for name, entry in entries.items() if name != "__metadata__")
        found = path.stat().st_size
    except (ValueError, RecursionError):
        raise not_safetensors(path.name) from None
    except (AttributeError, LookupError, TypeError):  # safetensors refuses it
        return
    if found < expected:
        raise CheckpointError(
            f"A checkpoint must be a complete .safetensors file: {path.name[:80]!r} has {found:,} of {expected:,} "
            "bytes",
            f"It was cut off: delete {path} and download or copy it again.",
        )


def read_weights(path: Path, names: list[str]) -> dict[str, torch.Tensor]:
    """Read tensors of a valid .safetensors file in float32.

    They are read rather than mapped, so that they do not change with the file, and are in memory only once.
    """
    import torch

    weights = {}
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
        for name in names:
            start, end = header[name]["data_offsets"]
            content = bytearray(end - start)
            file.seek(8 + size + start)
            if file.readinto(content) < len(content):
                raise not_safetensors(path.name)
            values = torch.frombuffer(content, dtype=getattr(torch, DTYPES[header[name]["dtype"]]))
            weights[name] = values.view(header[name]["shape"]).float()
    return weights


def not_safetensors(name: str) -> CheckpointError:
    """Return the error for a file that is not valid safetensors."""
    return CheckpointError(
        f"A checkpoint must be a complete .safetensors file: {name[:80]!r} is not",
        "Files of torch.save (.pt, .pth, .ckpt) can run code when opened: convert them once with `vitviz convert FILE "
        "OUT.safetensors --like timm:NAME`.",
    )


def parse_metadata(metadata: dict[str, str] | None, name: str) -> dict[str, Any]:
    """Parse the JSON of the metadata key `vitviz`."""
    if metadata is None or "vitviz" not in metadata:
        raise CheckpointError(
            f"A checkpoint must have vitviz metadata: {name[:80]!r} has none",
            "Use a file written by `python -m vitviz train`.",
            "metadata",
        )
    try:
        parsed = parse_json(metadata["vitviz"])
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict) or parsed.get("format") != FORMAT:
        raise CheckpointError(
            f"The vitviz metadata must have format {FORMAT}: {name[:80]!r} has another format or invalid JSON",
            "Download the file again, or use the version of vitviz that wrote it.",
            "metadata",
        )
    return parsed


def parse_json(text: str, errors: str = "strict") -> Any:
    """Parse JSON strictly: unique keys, finite numbers of 64 bits, text that can be encoded with `errors`."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        parsed = dict(pairs)
        if len(parsed) != len(pairs):
            raise ValueError("duplicate key")
        return parsed

    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is not finite")

    def finite(number: str) -> float:
        return float(number) if math.isfinite(float(number)) else refuse(number)

    def integer(number: str) -> int:
        return int(number) if len(number) < 20 and -(2**63) <= int(number) < 2**63 else refuse(number[:20])

    parsed = json.loads(text, object_pairs_hook=unique, parse_constant=refuse, parse_float=finite, parse_int=integer)
    json.dumps(parsed, ensure_ascii=False).encode(errors=errors)
    return parsed


def read_config(metadata: dict[str, Any]) -> ViTConfig:
    """Read the model config from the metadata; missing fields have their defaults."""
    values = metadata.get("config")
    if isinstance(values, dict) and values.get("architecture") == CONVNET:
        hint = "Use it as a teacher: `vitviz train --teacher`."
        raise CheckpointError("The model must be a Vision Transformer: it is a convnet", hint, "config.architecture")
    try:
        return config_from_dict(values, "config.")
    except ConfigError as error:
        field = error.field if error.field.startswith("config") else f"config.{error.field}"
        raise CheckpointError(f"{field} {error.problem}", error.hint, field) from None


def read_decoder(metadata: dict[str, Any], config: ViTConfig) -> Decoder | None:
    """Create the decoder of the metadata on the meta device; None without one."""
    if (values := metadata.get("decoder")) is None:
        return None
    try:
        return create_meta_decoder(config, DecoderSize(**values))
    except (TypeError, ConfigError):
        raise CheckpointError(
            f"decoder must have valid {', '.join(DecoderSize._fields)}: got {values!r:.80}", field="decoder"
        ) from None


def read_labels(metadata: dict[str, Any], config: ViTConfig) -> tuple[tuple[str, ...], Channels, Channels]:
    """Read labels, mean and standard deviation from the metadata, and check the record."""
    labels, count = metadata.get("labels"), config.num_classes
    if not (isinstance(labels, list) and len(labels) == count and all(isinstance(label, str) for label in labels)):
        raise CheckpointError(f"labels must be {count} names, one per logit: got {labels!r:.80}", field="labels")
    mean, std = read_channels(metadata, "mean"), read_std(metadata)
    record = metadata.get("record", {})
    if not isinstance(record, dict):
        raise CheckpointError(f"record must be an object: got {record!r:.80}", field="record")
    return tuple(labels), mean, std


def read_resize(metadata: dict[str, Any]) -> Resize:
    """Read crop and filter from the metadata; files without them have the defaults."""
    values = metadata.get("resize", {})
    known = {"interpolation": INTERPOLATIONS, "crop_mode": get_args(CropMode)}
    if not isinstance(values, dict) or not values.keys() <= {*known, "crop_pct"}:
        raise CheckpointError(
            f"resize must have interpolation, crop_pct and crop_mode: got {values!r:.80}", field="resize"
        )
    for name, allowed in known.items():
        if name in values and values[name] not in allowed:
            raise CheckpointError(f"{name} must be one of {', '.join(allowed)}: got {values[name]!r:.40}", field=name)
    crop_pct = values.get("crop_pct", 1.0)
    if type(crop_pct) not in (int, float) or not 0 < crop_pct <= 1:
        raise CheckpointError(f"crop_pct must be above 0 and at most 1: got {crop_pct!r:.40}", field="crop_pct")
    return Resize(**values)


def read_std(metadata: dict[str, Any]) -> Channels:
    """Read the standard deviation of each color channel from the metadata."""
    std = read_channels(metadata, "std")
    if min(std) < MIN_STD:
        raise CheckpointError(f"std must be at least {MIN_STD} in each channel: got {std}", field="std")
    return std


def read_channels(metadata: dict[str, Any], name: str) -> Channels:
    """Read one number per color channel from the metadata."""
    values = metadata.get(name)
    if (
        isinstance(values, list | tuple)
        and len(values) == 3
        and all(type(v) in (int, float) and 0 <= v <= 1 for v in values)
    ):
        return values[0], values[1], values[2]
    raise CheckpointError(f"{name} must be three numbers from 0 to 1: got {values!r:.80}", field=name)


def check_tensors(file: Any, tensors: Mapping[str, torch.Tensor]) -> None:
    """Compare names, shapes and dtypes in an open safetensors file with tensors, before reading weights."""
    expected = {name: list(tensor.shape) for name, tensor in tensors.items()}
    names = {name for name in file.keys() if not name.startswith(EXTRA_PREFIX)}  # noqa: SIM118 - not a dict
    for problem, different in (("is missing", expected.keys() - names), ("is unexpected", names - expected.keys())):
        if different:
            name = min(different)[:80]
            raise CheckpointError(f"The tensors must be those of the model config: {name!r} {problem}", field=name)
    for name, shape in expected.items():
        tensor = file.get_slice(name)
        if tensor.get_shape() != shape:
            raise CheckpointError(f"{name} must have shape {shape}: got {tensor.get_shape()!s:.80}", field=name)
        if tensor.get_dtype() not in DTYPES:
            raise CheckpointError(
                f"{name} must have dtype {', '.join(DTYPES)}: got {tensor.get_dtype()!s:.20}", field=name
            )


def check_finite(weights: Mapping[str, torch.Tensor]) -> None:
    """Check that all weights are finite."""
    for name, weight in weights.items():
        # The sum is several times as fast, and finite only if all weights are.
        if not weight.sum().isfinite() and not weight.isfinite().all():
            raise CheckpointError(
                f"Every weight must be finite: {name} has NaN or infinity", "Its training diverged; train again.", name
            )


def eval_samples(record: dict[str, Any]) -> int | None:
    """Return the number of images that the accuracy was measured on; None if it is unknown.

    Older records omit it. Theirs follows from the dataset, or from the held-out split.
    """
    config = record.get("train_config")
    val_size = config.get("val_size") if isinstance(config, dict) else None
    fallback = val_size or cifar.RECORDS if record.get("dataset") in ("CIFAR-10", "CIFAR-100") else val_size
    count = record.get("eval_samples", fallback)
    return count if isinstance(count, int) and count > 0 else None
