"""Models of the page: bundled checkpoints and those of runs, by name."""

import warnings
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from vitviz.data import cifar, datasets
from vitviz.data.cifar import DataError
from vitviz.data.files import printable_name
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint, CheckpointError
from vitviz.models.config import ModelConfig, ViTConfig
from vitviz.runs import run_folder
from vitviz.runs.status import has_attention, measured_on
from vitviz.runs.store import Runs
from vitviz.training.config import TrainConfig, from_json
from vitviz.webapp.images import CIFAR_UNAVAILABLE
from vitviz.webapp.schemas.common import CifarInfo, ModelInfo, ModelList
from vitviz.webapp.server.requests import Json

FileState = tuple[int, int] | None  # modification time and size
RUN_PREFIX = "runs/"  # of the names of runs' models
MAX_LOADED = 64  # bundled checkpoints, counting replaced files


def load_model(name: str, runs: Runs | None = None) -> Checkpoint:
    """Load a bundled checkpoint, or that of a run by "runs/NAME"; other names and paths are refused."""
    if runs is not None and name.startswith(RUN_PREFIX):
        run = runs.find(name.removeprefix(RUN_PREFIX)).name
        path = runs.folder(run) / run_folder.LAST
        if not path.is_file():
            raise CheckpointError(f"The run {run} has no checkpoint yet", "Wait for its first epoch.")
        return load_run(path, name, file_state(path))
    if name not in (bundled := bundled_models()):
        raise CheckpointError(f"Checkpoint {name[:80]!r} not found", f"Use one of: {', '.join(bundled)}.")
    return load_bundled(bundled[name], file_state(bundled[name]))


def bundled_models() -> dict[str, Path]:
    """Return the bundled checkpoints that can be loaded: name -> file."""
    found = checkpoint.bundled_checkpoints().items()
    return {name: path for name, path in found if printable_name(name) == name and is_loadable(path, file_state(path))}


def file_state(path: Path) -> FileState:
    """Return modification time and size of a file; None if it does not exist."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=MAX_LOADED)
def is_loadable(path: Path, state: FileState) -> bool:
    """Whether a file is a valid checkpoint; otherwise warn, once per version of the file."""
    try:
        load_bundled(path, state)
    except (CheckpointError, OSError) as error:
        warnings.warn(f"The page skips {path}. Move it to another folder. {error}", stacklevel=2)
        return False
    return True


@lru_cache(maxsize=MAX_LOADED)
def load_bundled(path: Path, state: FileState) -> Checkpoint:
    """Load a bundled checkpoint, once per version of the file."""
    return checkpoint.load(path, checkpoint.MAX_BYTES)


@lru_cache(maxsize=4)
def load_run(path: Path, name: str, state: FileState) -> Checkpoint:
    """Load the checkpoint of a run, once per version of the file."""
    return replace(run_folder.load(path), name=name)


def list_bundled() -> list[ModelInfo]:
    """Describe the bundled checkpoints: name, size, accuracy and its split, whether it is a classifier."""
    models = [load_model(name) for name in bundled_models()]
    return [
        describe(
            model.name,
            model.network.config,
            model.record.get("test_accuracy"),
            checkpoint.eval_samples(model.record),
            "test",
            model.is_classifier,
        )
        for model in models
    ]


def list_run_models(runs: Runs) -> list[ModelInfo]:
    """Describe the runs whose checkpoint has attention, as `list_bundled` does."""
    found = []
    for info in runs.all():
        if (runs.folder(info.name) / run_folder.LAST).is_file() and has_attention(info.config):
            config = from_json(info.config)
            name, is_classifier = RUN_PREFIX + info.name, config.objective == "classify"
            split = measured_on(info.config)
            found.append(describe(name, config.model, info.accuracy, info.eval_samples, split, is_classifier))
            found[-1]["dataset"] = None if config.dataset == "cifar10" else dataset_name(config)
    return found


def dataset_name(config: TrainConfig) -> str:
    """Return the name of the dataset of a run for people."""
    if config.dataset == "folder":
        return printable_name(Path(config.data or "images").stem)
    return datasets.DATASET_INFO[config.dataset].name


def describe(
    name: str, config: ModelConfig, accuracy: float | None, eval_samples: int | None, split: str, is_classifier: bool
) -> ModelInfo:
    """Describe a model for the page."""
    return {
        "name": name,
        "dataset": None,
        "layers": config.depth,
        "heads": config.num_heads if isinstance(config, ViTConfig) else 0,
        "accuracy": accuracy,
        "eval_samples": eval_samples,
        "measured_on": split,
        "is_classifier": is_classifier,
    }


class ModelPage:
    """Server functions of a page about models.

    Args:
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`.
        runs: Runs whose models can be used; None for bundled ones only.
        public: Whether to hide paths of the server.
    """

    def __init__(self, data: str | None = None, runs: Runs | None = None, public: bool = False) -> None:
        self.data, self.runs, self.public = data, runs, public

    def list_models(self, request: Json) -> ModelList:
        """List the available models, and whether CIFAR-10 is available or how to get it."""
        try:
            cifar.find(self.data)
            message = ""
        except DataError as error:
            message = CIFAR_UNAVAILABLE if self.public else str(error)
        state: CifarInfo = {"available": not message, "classes": list(cifar.CLASSES), "message": message}
        models = list_bundled() + (list_run_models(self.runs) if self.runs is not None else [])
        return {"checkpoints": models, "cifar": state}
