"""Files of a run: `config.json`, `metrics.jsonl`, `timeline.npz` and `last.safetensors`.

The checkpoint is written atomically. Until training is finished it also contains the training state: the weights
without averaging, the optimizer states, and counters in the record's entry `training`.
"""

import errno
import itertools
import json
import math
import os
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from vitviz.data.datasets import DatasetInfo
from vitviz.data.files import complete_lines, is_regular_file, write_atomic
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ConfigError, ModelConfig
from vitviz.training.config import TrainConfig, from_json
from vitviz.training.trainer import TrainerState

CONFIG, METRICS, TIMELINE, LAST = "config.json", "metrics.jsonl", "timeline.npz", "last.safetensors"
MAX_CONFIG_BYTES = 2**20
# Fields that may differ when a run is resumed on another machine. Images and teacher are compared by their contents.
FIELDS_NOT_COMPARED = ("data", "output_dir", "device", "compile", "teacher", "soft_labels", "model.num_classes")


def read_config(folder: Path) -> dict[str, Any]:
    """Read the config of a run as stored; raise ValueError if the folder has no valid config.json."""
    path, stored = folder / CONFIG, None
    with suppress(OSError, ValueError, RecursionError):
        if is_regular_file(path) and path.stat().st_size <= MAX_CONFIG_BYTES:  # a pipe or a device may never end
            stored = json.loads(path.read_text())
    if not isinstance(stored, dict):
        raise ValueError(f"A run folder must contain a valid config.json: {folder} does not. Choose another run.")
    return stored


def write_config(config: TrainConfig, folder: Path) -> None:
    """Write the config of a run to its folder."""
    write_atomic(folder / CONFIG, json.dumps(asdict(config), indent=1).encode())


def read_record(path: Path) -> dict[str, Any]:
    """Read the training record of a checkpoint from its header; empty without a valid one."""
    if not is_regular_file(path):
        return {}
    try:
        with safe_open(path, "np") as file:  # "pt" opens it twice, which fails while it is being replaced
            record = json.loads(file.metadata()["vitviz"])["record"]
    except (OSError, SafetensorError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    return record if isinstance(record, dict) and has_valid_counters(record) else {}


def has_valid_counters(record: dict[str, Any]) -> bool:
    """Whether the counters of a record, if training is not finished, contain the training time."""
    counters = record.get("training", {"seconds": 0.0})
    return isinstance(counters, dict) and isinstance(counters.get("seconds"), int | float)


def is_finished(record: dict[str, Any]) -> bool:
    """Whether this is the record of a finished training."""
    return bool(record) and "training" not in record


def accuracy_of(record: dict[str, Any]) -> float | None:
    """Return the accuracy of a finished training on its whole evaluation set, in 0..1; None before."""
    return record.get("test_accuracy", record.get("val_accuracy")) if is_finished(record) else None


def check_num_parameters(model: ModelConfig) -> None:
    """Raise ConfigError if a network has too many parameters for its checkpoint to be loaded."""
    count, limit = checkpoint.count_parameters(model), checkpoint.MAX_BYTES // 4
    if count > limit:
        raise ConfigError(
            "model.embed_dim",
            f"and model.depth must give at most {limit // 10**6} million parameters: got {count // 10**6} million",
            "Lower them.",
        )


def load(path: Path) -> Checkpoint:
    """Load the checkpoint of a run, finished or not; a training state is up to four times as large as the weights."""
    return checkpoint.load(path, max_bytes=4 * checkpoint.MAX_BYTES)


def load_state(config: TrainConfig, dataset: DatasetInfo, num_samples: int) -> TrainerState | None:
    """Load the state from which to resume a run with `num_samples` training images; None if no state is saved yet.

    Raises:
        ValueError: If the run is finished, or has another config or other images.
    """
    path = config.folder / LAST
    if not path.exists():
        return None
    check_config(from_json(read_config(config.folder)), config)
    saved = load(path)
    counters = saved.record.get("training")
    if counters is None:
        raise ValueError(
            f"Training in {config.folder} is finished: there is nothing to resume. Choose another run folder with "
            "--output-dir."
        )
    check_images(saved, dataset, num_samples, config.folder)
    ema_model, extra = checkpoint.read_tensors(path)
    ema_extra, weights = (
        {name.removeprefix(prefix): tensor for name, tensor in extra.items() if name.startswith(prefix)}
        for prefix in ("ema_extra.", "weights.")
    )
    optimizers: list[dict[int, dict[str, Tensor]]] = [{} for _ in range(2)]
    for name, tensor in extra.items():
        if name.startswith("optimizers."):
            _, optimizer, parameter, key = name.split(".")
            optimizers[int(optimizer)].setdefault(int(parameter), {})[key] = tensor
    optimizers = [states for states in optimizers if states]
    return TrainerState(ema_model, ema_extra, weights, optimizers, counters, saved.record.get("teacher"))


def check_config(stored: TrainConfig, config: TrainConfig) -> None:
    """Check that a run is resumed with its own config; raise ConfigError for the first field that differs."""
    before, now = flatten(stored), flatten(config)
    for name, value in {"model.architecture": now["model.architecture"], **now}.items():  # it determines the others
        if name not in FIELDS_NOT_COMPARED and before[name] != value:
            raise ConfigError(
                name,
                f"cannot change when a run is resumed: it is {before[name]} in {config.folder}, got {value}",
                "Omit it, or choose another run folder with --output-dir.",
            )


def flatten(config: TrainConfig) -> dict[str, Any]:
    """Return the fields of a config by name, those of the model with the prefix `model.`."""
    fields = asdict(config)
    return {f"model.{name}": value for name, value in fields.pop("model").items()} | fields


def check_images(saved: Checkpoint, dataset: DatasetInfo, num_samples: int, folder: Path) -> None:
    """Check that a run is resumed with its own images; others could mix training and test images.

    Raises:
        ValueError: If classes, number or statistics of the images differ.
    """
    compared = {
        "classes": (saved.labels, dataset.classes),
        "number of images": (saved.record.get("train_samples"), num_samples),
        "mean": (saved.mean, dataset.mean),
        "standard deviation": (saved.std, dataset.std),
    }
    for name, (before, now) in compared.items():
        if before not in (None, now):
            raise ValueError(
                f"The images of a run cannot change when it is resumed: {name} is {before!s:.200} in {folder}, got "
                f"{now!s:.200}. Set --data to the original images, or choose another run folder with --output-dir."
            )


def prepare(config: TrainConfig, state: TrainerState | None) -> None:
    """Create a new run folder, or rewind that of a resumed run to its saved state.

    Raises:
        ValueError: If the folder contains a run that is not resumed.
    """
    folder = config.folder
    for name in (CONFIG, METRICS, TIMELINE, LAST):
        for path in folder.glob(f".{name}.*.tmp"):  # of a killed process
            path.unlink(missing_ok=True)
    if state is not None:
        truncate_metrics(folder, state.counters["seconds"])
        return
    if (folder / LAST).exists():
        raise ValueError(
            f"The run folder must be new: {folder} contains a run. Choose another with --output-dir, use --resume, or "
            "delete it."
        )
    (folder / TIMELINE).unlink(missing_ok=True)  # of a run without a saved state
    write_config(config, folder)
    (folder / METRICS).write_bytes(b"")


def truncate_metrics(folder: Path, seconds: float) -> None:
    """Remove the metrics of steps after `seconds`, which will be repeated, and an incomplete last line."""
    kept = itertools.takewhile(lambda line: seconds_of_line(line) <= seconds, complete_lines(folder / METRICS))
    write_atomic(folder / METRICS, b"".join(kept))


def saved_seconds(folder: Path) -> float:
    """Return the training time of the saved state; 0 without one."""
    counters = read_record(folder / LAST).get("training")
    return counters["seconds"] if counters else 0.0


def seconds_of_line(line: bytes) -> float:
    """Return the training time of a line of metrics; infinity for an invalid line."""
    try:
        return float(json.loads(line)["seconds"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return math.inf


def append_line(path: Path, line: str) -> None:
    """Append a line to a file, or leave the file unchanged if the disk is full."""
    with path.open("ab", buffering=0) as file:
        size = file.tell()
        try:
            if file.write(line.encode()) < len(line.encode()):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            error.filename = str(path)
            file.truncate(size)
            raise


def append_metrics(folder: Path, values: dict[str, Any]) -> None:
    """Append a line of metrics."""
    append_line(folder / METRICS, json.dumps(values) + "\n")


def save(result: Checkpoint, path: Path, state: TrainerState | None) -> None:
    """Write the checkpoint atomically, with the training state unless training is finished."""
    extra: dict[str, Tensor] = {}
    if state is not None:
        result.record["training"] = state.counters
        extra |= {f"ema_extra.{name}": tensor for name, tensor in state.ema_extra.items()}
        extra |= {f"weights.{name}": tensor for name, tensor in state.weights.items()}
        for optimizer, states in enumerate(state.optimizers):
            for parameter, tensors in states.items():
                extra |= {f"optimizers.{optimizer}.{parameter}.{key}": torch.as_tensor(t) for key, t in tensors.items()}
    checkpoint.save(result, path, extra)
