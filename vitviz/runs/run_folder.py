"""A run's folder: `config.json`, `metrics.jsonl`, `timeline.npz` and `last.safetensors`.

The checkpoint is one atomic file. Until the training is finished it also holds, under names that begin with
`training.`, all that is needed to go on exactly: weights, optimizer states and counters beside the average.
"""

import errno
import itertools
import json
import math
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from vitviz.data.files import is_file, write_whole
from vitviz.data.datasets import DatasetInfo
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.training.trainer import TrainerState
from vitviz.training.config import TrainConfig, from_json

CONFIG, METRICS, TIMELINE, LAST = "config.json", "metrics.jsonl", "timeline.npz", "last.safetensors"
MOST_CONFIG_BYTES = 2**20
# What may differ when a run goes on at another place; its images and what its teacher is are looked at themselves.
ELSEWHERE = ("data", "output_dir", "device", "compile", "teacher", "model.num_classes")


def read_config(folder: Path) -> dict[str, Any]:
    """The config of the run in this folder, as it was written.

    Raises:
        ValueError: If there is none.
    """
    path = folder / CONFIG
    try:
        # Only a regular file ends, and a config is short.
        stored = json.loads(path.read_text()) if is_file(path) and path.stat().st_size <= MOST_CONFIG_BYTES else None
    except (OSError, ValueError, RecursionError):
        stored = None
    if not isinstance(stored, dict):
        raise ValueError(f"A run folder must hold a config.json: {folder} has none that can be read. Name another run.")
    return stored


def write_config(config: TrainConfig, folder: Path) -> None:
    """Write the config of a run into its folder."""
    write_whole(folder / CONFIG, json.dumps(asdict(config), indent=1).encode())


def read_record(path: Path) -> dict[str, Any]:
    """The training record of a checkpoint, from its header alone; empty if there is none that can be read."""
    if not is_file(path):
        return {}
    try:
        with safe_open(path, "np") as file:  # "pt" opens it twice, which fails while it is being replaced
            record = json.loads(file.metadata()["vitviz"])["record"]
    except (OSError, SafetensorError, ValueError, KeyError, TypeError):
        return {}
    return record if isinstance(record, dict) else {}


def finished(record: dict[str, Any]) -> bool:
    """Whether the training with this record is."""
    return bool(record) and "training" not in record


def accuracy_of(record: dict[str, Any]) -> float | None:
    """The accuracy of a finished training on all images to measure on, in 0..1; None before."""
    return record.get("test_accuracy", record.get("val_accuracy")) if finished(record) else None


def check_size(model: ViTConfig) -> None:
    """Refuse a network that could be trained, but not loaded afterwards.

    Raises:
        ValueError: If it has too many parameters.
    """
    count, most = checkpoint.count_parameters(model), checkpoint.MAX_BYTES // 4
    if count > most:
        raise ValueError(
            f"A network to train may have at most {most // 10**6} million parameters: width and depth make "
            f"{count // 10**6} million. Lower them."
        )


def load(path: Path) -> Checkpoint:
    """The checkpoint of a run, which may be unfinished: weights beside their average, and two moments of each."""
    return checkpoint.load(path, max_bytes=4 * checkpoint.MAX_BYTES)


def saved_state(config: TrainConfig, about: DatasetInfo, images: int) -> TrainerState | None:
    """What the run folder holds to go on from; None if no state was saved there yet.

    Args:
        config: Of the run that will go on.
        about: Its data set.
        images: How many it trains on.

    Raises:
        ValueError: If the run there is finished, or is one of another config or of other images.
    """
    path = config.folder / LAST
    if not path.exists():
        return None
    check_config(from_json(read_config(config.folder)), config)
    known = load(path)
    counters = known.record.get("training")
    if counters is None:
        raise ValueError(
            f"The training in {config.folder} is finished: there is nothing to resume. Begin another with --out."
        )
    check_images(known, about, images, config.folder)
    average, extra = checkpoint.read_tensors(path)
    weights = {name.removeprefix("weights."): tensor for name, tensor in extra.items() if name.startswith("weights.")}
    optimizers: list[dict[int, dict[str, Tensor]]] = [{} for _ in range(2)]
    for name, tensor in extra.items():
        if name.startswith("optimizers."):
            _, which, position, key = name.split(".")
            optimizers[int(which)].setdefault(int(position), {})[key] = tensor
    return TrainerState(average, weights, [states for states in optimizers if states], counters, known.record.get("teacher"))


def check_config(stored: TrainConfig, wanted: TrainConfig) -> None:
    """Refuse to go on with a run of another config; the first field that differs is named."""
    begun, asked = named(stored), named(wanted)
    different = [name for name in asked if name not in ELSEWHERE and begun[name] != asked[name]]
    if different:
        name = different[0]
        raise ValueError(
            f"A run goes on with the config it began with: {name} is {begun[name]} in {wanted.folder} and "
            f"{asked[name]} here. Leave the option out, or name another run with --out."
        )


def named(config: TrainConfig) -> dict[str, Any]:
    """The fields of a config by the names that --set knows."""
    fields = asdict(config)
    return {f"model.{name}": value for name, value in fields.pop("model").items()} | fields


def check_images(known: Checkpoint, about: DatasetInfo, images: int, folder: Path) -> None:
    """Refuse to go on with other images: some that were trained on could be tested on, and the budget would move."""
    begun = {"classes": known.labels, "number": known.record.get("train_samples"), "mean": known.mean, "std": known.std}
    here = {"classes": about.classes, "number": images, "mean": about.mean, "std": about.std}
    different = [name for name in here if begun[name] not in (None, here[name])]
    if different:
        name = different[0]
        raise ValueError(
            f"The images must be those that the run began with: got {name} {here[name]!s:.200}, and {folder} has "
            f"{begun[name]!s:.200}. Name those with --data, or another run with --out."
        )


def prepare(config: TrainConfig, saved: TrainerState | None) -> None:
    """Make the run folder and write the config into it, or take back what was noted after the saved state.

    Raises:
        ValueError: If it holds a run, and nothing was asked to be gone on with.
    """
    folder = config.folder
    for name in (CONFIG, METRICS, TIMELINE, LAST):
        for left in folder.glob(f".{name}.*.tmp"):  # by a process that was killed
            left.unlink(missing_ok=True)
    if saved is not None:
        rewind_metrics(folder / METRICS, saved.counters["seconds"])
        return
    if (folder / LAST).exists():
        raise ValueError(
            f"A run folder must be new: {folder} holds a training. Name another with --out, go on with --resume, "
            "or delete it."
        )
    (folder / TIMELINE).unlink(missing_ok=True)  # of a run that never saved
    write_config(config, folder)
    (folder / METRICS).write_bytes(b"")


def rewind(folder: Path) -> None:
    """Take back what was noted after the saved state of a run that will go on."""
    saved = read_record(folder / LAST).get("training")
    rewind_metrics(folder / METRICS, saved["seconds"] if saved else 0.0)


def rewind_metrics(path: Path, seconds: float) -> None:
    """Drop the lines of steps that were taken after the saved state, and will be taken again; and a torn last line."""
    kept = itertools.takewhile(lambda line: noted_at(line) <= seconds, whole_lines(path))
    write_whole(path, b"".join(kept))


def noted_at(line: bytes) -> float:
    """When a line of metrics was noted; never, if it cannot be read."""
    try:
        return float(json.loads(line)["seconds"])
    except (ValueError, KeyError, TypeError):
        return math.inf


def whole_lines(path: Path) -> list[bytes]:
    """The lines of a file but for a torn last one, as a killed process leaves it; none if there is no file."""
    lines = path.read_bytes().splitlines(keepends=True) if is_file(path) else []
    return [line for line in lines if line.endswith(b"\n")]


def append(path: Path, line: str) -> None:
    """Add a line to a file, whole or not at all."""
    with path.open("ab", buffering=0) as file:
        before = file.tell()
        try:
            if file.write(line.encode()) < len(line.encode()):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            error.filename = str(path)
            file.truncate(before)
            raise


def save(result: Checkpoint, path: Path, state: TrainerState | None) -> None:
    """Write the checkpoint, atomically; with a state, so that the training can go on from it."""
    extra: dict[str, Tensor] = {}
    if state is not None:
        result.record["training"] = state.counters
        extra |= {f"weights.{name}": tensor for name, tensor in state.weights.items()}
        for which, states in enumerate(state.optimizers):
            for position, tensors in states.items():
                extra |= {f"optimizers.{which}.{position}.{key}": torch.as_tensor(t) for key, t in tensors.items()}
    checkpoint.save(result, path, extra)
