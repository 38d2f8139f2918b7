"""Files of a run: `config.json`, `metrics.jsonl`, `timeline.npz` and `last.safetensors`.

They are not trusted: only regular files are opened, sizes are checked before reading and values before use.

The checkpoint is written atomically. Until training is finished it also contains the training state: the weights
without averaging, the optimizer states, and counters in the record's entry `training`.
"""

import errno
import json
import math
import os
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import (
    Annotated,
    Any,
    get_type_hints,
)

import torch
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config
from torch import Tensor
from typing_extensions import TypedDict

from vitviz.data.datasets import DatasetInfo
from vitviz.errors import CheckpointError, ConfigError, DataError, InvalidValueError
from vitviz.files import atomic_write, complete_lines, open_regular, read_regular, write_atomic
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint, parse_json
from vitviz.models.config import STRICT, rule
from vitviz.runs import process
from vitviz.runs.process import RunLock
from vitviz.training import timeline
from vitviz.training.config import DatasetName, Fraction, Objective, TrainConfig, from_json
from vitviz.training.loop import Progress, State, Time
from vitviz.training.timeline import TimelineRecorder

CONFIG, METRICS, TIMELINE, LAST = "config.json", "metrics.jsonl", "timeline.npz", checkpoint.LAST
MAX_CONFIG_BYTES = 2**20
TAIL_BYTES = 4096  # more than one line of metrics
# Fields that may differ when a run is resumed on another machine. Images and teacher are compared by their contents.
RESTART = "Delete the run, or train it again from the start with `restart=True`."
Count = Annotated[int, Field(ge=0, lt=10**15)]
FIELDS_NOT_COMPARED = ("data", "output_dir", "device", "compile", "teacher", "model.num_classes")


class RunFolder:
    """The folder of a run in progress, to which the training loop writes; a full disk is waited for."""

    def __init__(self, folder: Path, lock: RunLock) -> None:
        self.folder, self.lock = folder, lock

    def log(self, progress: Progress) -> float:
        """Append a line to the metrics; return the seconds waited for disk space."""
        return self.lock.retry_while_disk_full(lambda: append_metrics(self.folder, progress))

    def save_timeline(self, timeline: TimelineRecorder, compress: bool = False) -> float:
        """Write the timeline; return the seconds waited for disk space."""
        return self.lock.retry_while_disk_full(lambda: timeline.save(self.folder / TIMELINE, compress))

    def save(self, result: Checkpoint, state: State | None) -> float:
        """Write the checkpoint, see `save`; return the seconds waited for disk space."""
        seconds = self.lock.retry_while_disk_full(lambda: save(result, self.folder / LAST, state))
        self.lock.record_saved()
        return seconds


@with_config(STRICT)
class Counters(TypedDict):
    """Counters of a training that is not finished."""

    step_count: Count
    seconds: Time
    bfloat16: bool
    fused_attn: bool
    onednn: bool
    tensors: Count  # of the state in the file


@with_config(ConfigDict(**STRICT, extra="allow"))
class StoredConfig(TypedDict, total=False):
    """Fields of a stored config that the list of runs shows, also of one with options of an earlier version."""

    preset: str  # of an earlier version
    model: dict[str, Any]
    objective: Objective
    dataset: DatasetName
    data: str | None
    init_from: str | None
    teacher: str | None
    epochs: Time | None
    minutes: Time | None
    val_size: Count
    num_snapshots: Count


@with_config(ConfigDict(**STRICT, extra="allow"))
class SavedAt(TypedDict):
    """The training time of a saved state; its other counters are checked when it is resumed."""

    seconds: Time


@with_config(ConfigDict(**STRICT, extra="allow"))
class Record(TypedDict, total=False):
    """Fields of a training record that the list of runs and the results of sweeps use."""

    epochs: Time
    seconds: Time
    parameters: Count
    train_samples: Count
    eval_samples: Count | None
    test_accuracy: Fraction | None
    val_accuracy: Fraction | None
    reconstruction_loss: Time | None
    training: SavedAt


COUNTERS, RECORD, PROGRESS = TypeAdapter(Counters), TypeAdapter(Record), TypeAdapter(Progress)
STORED_CONFIG = TypeAdapter(StoredConfig)


def read_config(folder: Path) -> dict[str, Any]:
    """Read the config of a run as stored.

    Raises:
        ConfigError: If a field that the list of runs shows is invalid.
        ValueError: If the folder has no valid config.json.
    """
    stored = None
    with suppress(OSError, ValueError, RecursionError):  # paths may have bytes that are not UTF-8
        stored = parse_json(read_regular(folder / CONFIG, MAX_CONFIG_BYTES).decode(), "surrogateescape")
    if not isinstance(stored, dict):
        raise ValueError(f"A run folder must contain a valid config.json: {folder} does not. Choose another run.")
    try:
        return {**STORED_CONFIG.validate_python(stored)}
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        annotation = get_type_hints(StoredConfig, include_extras=True)[name]
        raise InvalidValueError(name, rule(annotation), stored[name]) from None


def write_config(config: TrainConfig, folder: Path) -> None:
    """Write the config of a run to its folder."""
    write_atomic(folder / CONFIG, json.dumps(asdict(config), indent=1).encode())


def read_record(path: Path) -> dict[str, Any]:
    """Read the training record of a checkpoint from its header; empty without a valid one."""
    try:
        with open(path, "rb", opener=open_regular) as file:
            size = int.from_bytes(file.read(8), "little")
            header = file.read(size) if size <= checkpoint.MAX_HEADER_BYTES else b""
        record = parse_json(parse_json(header.decode())["__metadata__"]["vitviz"])["record"]
        return {**RECORD.validate_python(record)}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}


def is_finished(record: dict[str, Any]) -> bool:
    """Whether this is the record of a finished training."""
    return bool(record) and "training" not in record


def accuracy_of(record: dict[str, Any]) -> float | None:
    """Return the accuracy of a finished training on its whole evaluation set, in 0..1; None before."""
    return record.get("test_accuracy", record.get("val_accuracy")) if is_finished(record) else None


def check_num_parameters(config: TrainConfig) -> None:
    """Raise ConfigError if a network has too many parameters for its checkpoint to be loaded."""
    count, limit = checkpoint.count_parameters(config.model, config.decoder), checkpoint.MAX_BYTES // 4
    if count > limit:
        raise ConfigError(
            "model.embed_dim",
            f"and model.depth must give at most {limit // 10**6} million parameters: got {count // 10**6} million",
            "Lower them.",
        )


def load(path: Path) -> Checkpoint:
    """Load the checkpoint of a run, finished or not; a training state is up to four times as large as the weights."""
    return checkpoint.load(path, max_bytes=4 * checkpoint.MAX_BYTES)


def load_state(config: TrainConfig, dataset: DatasetInfo, num_samples: int) -> State | None:
    """Load the state from which to resume a run with `num_samples` training images; None if no state is saved yet.

    `TrainingLoop.restore` compares its tensors with those of the network and the optimizers.

    Raises:
        CheckpointError: If it is damaged, or was deleted.
        ValueError: If the run is finished, or has another config or other images.
    """
    path = config.folder / LAST
    check_resumable(config, config.folder)
    if not os.path.lexists(path):
        return None
    check_config(from_json(read_config(config.folder)), config)
    # The weights twice, and at most two tensors of an optimizer for each.
    limit = 6 * 4 * checkpoint.count_parameters(config.model, config.decoder) + 2**24
    try:
        with open(path, "rb", opener=open_regular):
            saved = checkpoint.load(path, max_bytes=min(limit, 4 * checkpoint.MAX_BYTES))
    except OSError as error:
        raise CheckpointError(f"The saved state {path} must be a regular file: {error.strerror}", RESTART) from None
    if is_finished(saved.record):
        problem = f"Training in {config.folder} is finished: there is nothing to resume"
        raise CheckpointError(problem, "Choose another `output_dir`.", "resume")
    try:
        counters = COUNTERS.validate_python(saved.record.get("training"))
    except ValidationError as error:
        first = error.errors()[0]
        name, problem = ".".join(map(str, first["loc"])) or "training", first["msg"].lower()
        raise CheckpointError(f"The counters of {path} are damaged: {name}, {problem}", RESTART, name) from None
    check_images(saved, dataset, num_samples, config.folder)
    ema, extra = checkpoint.read_tensors(path)
    if counters["tensors"] != len(extra):
        problem = f"The state in {path} must have {counters['tensors']} tensors: got {len(extra)}"
        raise CheckpointError(problem, RESTART, "tensors")
    checkpoint.check_finite(extra)
    weights = {name.removeprefix("weights."): tensor for name, tensor in extra.items() if name.startswith("weights.")}
    optimizers: list[dict[int, dict[str, Tensor]]] = [{} for _ in range(2)]
    for name, tensor in extra.items():
        if name.startswith("optimizers."):
            try:
                _, optimizer, parameter, key = name.split(".")
                optimizers[int(optimizer)].setdefault(int(parameter), {})[key] = tensor
            except (ValueError, IndexError):
                raise CheckpointError(f"{name[:80]} is not a tensor of an optimizer", RESTART, name) from None
    optimizers = [states for states in optimizers if states]
    has_timeline = config.num_snapshots and os.path.lexists(config.folder / TIMELINE)
    return State(
        ema,
        weights,
        optimizers,
        counters["step_count"],
        counters["seconds"],
        counters["bfloat16"],
        counters["fused_attn"],
        counters["onednn"],
        saved.record.get("teacher"),
        timeline.read(config.folder / TIMELINE) if has_timeline else None,
    )


def check_not_watched(folder: Path) -> None:
    """Raise ValueError if another program trains this run."""
    if (record := process.read(folder)) is not None and record.watched:
        raise ValueError(
            f"The run {folder.name} belongs to another program that vitviz watches. Stop or resume it there."
        )


def has_lost_state(folder: Path) -> bool:
    """Whether the last process of a run has saved a state that is not there any more."""
    exited = process.read(folder)
    return exited is not None and exited.has_saved and not os.path.lexists(folder / LAST)


def check_resumable(config: TrainConfig, folder: Path) -> None:
    """Check that a run is one of vitviz, and, without a saved state, never had one: it is trained from the start.

    Raises:
        CheckpointError: If its process has saved it, or must have by its metrics.
        ValueError: If another program trains it.
    """
    check_not_watched(folder)
    if os.path.lexists(folder / LAST):
        return
    last = last_line(folder / METRICS)
    was_saved = (
        last is not None and last.get("epoch", 0.0) > config.checkpoint_every_epochs
    )  # if its process left no record
    if has_lost_state(folder) or (was_saved and process.read(folder) is None):
        raise CheckpointError(f"The saved state is missing: {folder} has no {LAST}", RESTART)


def check_config(stored: TrainConfig, config: TrainConfig) -> None:
    """Check that a run is resumed with its own config; raise ConfigError for the first field that differs."""
    before, now = flatten(stored), flatten(config)
    for name, value in {"model.architecture": now["model.architecture"], **now}.items():  # it determines the others
        if name not in FIELDS_NOT_COMPARED and before[name] != value:
            raise ConfigError(
                name,
                f"cannot change when a run is resumed: it is {before[name]} in {config.folder}, got {value}",
                "Omit it, or choose another `output_dir`.",
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
        "digest of the pixels": (saved.record.get("dataset_fingerprint"), dataset.fingerprint),
    }
    for name, (before, now) in compared.items():
        if before not in (None, now):
            raise DataError(
                f"The images of a run cannot change when it is resumed: {name} is {before!s:.200} in {folder}, got "
                f"{now!s:.200}.",
                "Set `data` to the original images, or choose another `output_dir`.",
            )


def prepare(config: TrainConfig, state: State | None, restart: bool = False) -> None:
    """Create a new run folder, or rewind that of a resumed run to its saved state, or of a restarted one to its start.

    Raises:
        ValueError: If the folder contains a run that is not resumed.
    """
    folder = config.folder
    for name in (CONFIG, METRICS, TIMELINE, LAST):
        for path in folder.glob(f".{name}.*.tmp"):  # of a killed process
            path.unlink(missing_ok=True)
    if state is not None:
        truncate_metrics(folder, state.seconds)
        return
    if restart:
        check_not_watched(folder)
        (folder / LAST).unlink(missing_ok=True)
    check_is_new(folder)
    (folder / TIMELINE).unlink(missing_ok=True)  # of a run without a saved state
    write_config(config, folder)
    write_atomic(folder / METRICS, b"")


def check_is_new(folder: Path) -> None:
    """Check that a folder contains no run."""
    if os.path.lexists(folder / LAST):
        raise CheckpointError(
            f"The run folder must be new: {folder} contains a run",
            "Choose another `output_dir`, use `resume=True`, or delete it.",
            "output_dir",
        )


def truncate_metrics(folder: Path, seconds: float) -> None:
    """Remove the metrics of steps after `seconds`, which will be repeated, and damaged lines."""
    with atomic_write(folder / METRICS) as file:
        for line in complete_lines(folder / METRICS):
            if (parsed := parse_line(line)) is not None and parsed.get("seconds", math.inf) <= seconds:
                file.write(line)


def saved_seconds(folder: Path) -> float:
    """Return the training time of the saved state; 0 without one."""
    counters = read_record(folder / LAST).get("training")
    return counters["seconds"] if counters else 0.0


def parse_line(line: bytes) -> dict[str, Any] | None:
    """Return the fields of `Progress` that a line of metrics has; None if it is damaged."""
    try:
        parsed, given = PROGRESS.validate_json(line), json.loads(line)
    except ValueError:
        return None
    return {name: value for name, value in vars(parsed).items() if name in given}


def last_line(path: Path) -> dict[str, Any] | None:
    """Return the last complete line of metrics; None without a valid one."""
    with suppress(OSError, IndexError), open(path, "rb", opener=open_regular) as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL_BYTES))
        return parse_line(file.read(TAIL_BYTES).rpartition(b"\n")[0].splitlines()[-1])
    return None


def append_line(path: Path, line: str) -> None:
    """Append a line to a file, or leave the file unchanged if the disk is full."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    with os.fdopen(open_regular(path, flags), "ab", buffering=0) as file:
        size = file.tell()
        try:
            if file.write(line.encode()) < len(line.encode()):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            error.filename = str(path)
            file.truncate(size)
            raise


def append_metrics(folder: Path, progress: Progress) -> None:
    """Append a line of metrics."""
    append_line(folder / METRICS, json.dumps(asdict(progress)) + "\n")


def save(result: Checkpoint, path: Path, state: State | None) -> None:
    """Write the checkpoint atomically, with the training state unless training is finished."""
    extra: dict[str, Tensor] = {}
    if state is not None:
        extra |= {f"weights.{name}": tensor for name, tensor in state.weights.items()}
        for optimizer, states in enumerate(state.optimizers):
            for parameter, tensors in states.items():
                extra |= {f"optimizers.{optimizer}.{parameter}.{key}": torch.as_tensor(t) for key, t in tensors.items()}
        result.record["training"] = Counters(
            step_count=state.step_count,
            seconds=state.seconds,
            bfloat16=state.bfloat16,
            fused_attn=state.fused_attn,
            onednn=state.onednn,
            tensors=len(extra),
        )
    checkpoint.save(result, path, extra)
