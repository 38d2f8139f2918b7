"""Models of the page: bundled checkpoints and those of runs, by name."""

import warnings
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vitviz.data import datasets
from vitviz.data.hub_datasets import public_name
from vitviz.errors import CheckpointError, ConfigError
from vitviz.files import is_regular_file, printable_name
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import config_from_dict
from vitviz.runs import run_folder
from vitviz.runs.status import DAMAGED, RunInfo, measured_on
from vitviz.runs.store import Runs
from vitviz.webapp.image_lists import cifar_state
from vitviz.webapp.model_info import describe_model
from vitviz.webapp.schemas.common import ModelInfo, ModelList
from vitviz.webapp.user_models import UserModels

if TYPE_CHECKING:
    from vitviz.webapp.inputs import Inputs

FileState = tuple[int, int] | None  # modification time and size
RUN_PREFIX = "runs/"  # of the names of runs' models
MAX_LOADED = 64  # bundled checkpoints, counting replaced files


def load_model(name: str, runs: Runs | None = None, user_models: UserModels | None = None) -> Checkpoint:
    """Load a bundled checkpoint, that of a run by "runs/NAME", or an opened or taught one; no other name or path."""
    if runs is not None and name.startswith(RUN_PREFIX):
        run = runs.find(name.removeprefix(RUN_PREFIX)).name
        path = runs.folder(run) / run_folder.LAST
        if not is_regular_file(path):
            raise CheckpointError(f"The run {run} has no checkpoint yet", "Wait for its first epoch.")
        return load_run(path, name, file_state(path))
    if user_models is not None and name in user_models:
        return user_models.get(name)
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
    return checkpoint.load(path)


@lru_cache(maxsize=4)
def load_run(path: Path, name: str, state: FileState) -> Checkpoint:
    """Load the checkpoint of a run, once per version of the file."""
    return replace(run_folder.load(path), name=name)


def list_bundled() -> list[ModelInfo]:
    """Describe the bundled checkpoints: name, family, size, accuracy and its split, whether it is a classifier."""
    return [describe_model(load_model(name)) | {"origin": "shipped"} for name in bundled_models()]


def list_run_models(runs: Runs) -> list[ModelInfo]:
    """Describe the runs whose checkpoint has attention, as `list_bundled` does."""
    found = []
    for info in runs.all():
        if info.state != DAMAGED and is_regular_file(runs.folder(info.name) / run_folder.LAST):
            with suppress(ConfigError):  # a convnet of an earlier version
                found.append(describe_run(info))
    return found


def describe_run(info: RunInfo) -> ModelInfo:
    """Describe the model of a run by its stored config, without its weights."""
    model = config_from_dict(info.config.get("model", {}))
    is_cifar10 = info.config.get("dataset", "cifar10") == "cifar10"
    return {
        "name": RUN_PREFIX + info.name,
        "origin": "run",
        "family": checkpoint.ARCHITECTURES.get(model.architecture, model.architecture),
        "parameters": checkpoint.count_parameters(model),
        "classes": model.num_classes,
        "dataset": None if is_cifar10 else dataset_name(info.config),
        "layers": model.depth,
        "heads": model.num_heads,
        "captured": False,
        "accuracy": info.accuracy,
        "eval_samples": info.eval_samples,
        "measured_on": measured_on(info.config),
        "is_classifier": info.config.get("objective", "classify") == "classify",
        "compares_texts": False,
        "pretrained": "",
        "linear_probe": "",
    }


def dataset_name(config: dict[str, Any]) -> str:
    """Return the name of the dataset of a run with this stored config for people."""
    if (dataset := config.get("dataset", "cifar10")) == "folder":
        return printable_name(Path(config.get("data") or "images").stem)
    return datasets.DATASET_INFO[dataset].name if dataset in datasets.DATASET_INFO else public_name(dataset)


def list_models(inputs: "Inputs") -> ModelList:
    """List the available models, those opened when the page started first, and whether CIFAR-10 is available."""
    user_models = inputs.opener.models
    models = list_bundled() + (list_run_models(inputs.runs) if inputs.runs is not None else [])
    models += [*user_models.infos.values()]
    if not inputs.public:  # where those of other visitors are private
        models += [describe_model(model) for model in user_models.taught.values()]
    models.sort(key=lambda model: model["name"] != user_models.first)
    return {"models": models, "cifar": cifar_state(inputs.data, inputs.public)}
