"""Models of the page: bundled checkpoints and those of runs, by name."""

import warnings
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from vitviz.data import datasets
from vitviz.data.files import printable_name
from vitviz.models import checkpoint, hub_cache
from vitviz.models.checkpoint import Checkpoint, CheckpointError
from vitviz.models.facts import facts
from vitviz.runs import run_folder
from vitviz.runs.status import has_attention, measured_on
from vitviz.runs.store import Runs
from vitviz.training.config import TrainConfig, from_json
from vitviz.webapp.images import cifar_state
from vitviz.webapp.model_info import describe, describe_model
from vitviz.webapp.opened import ModelOpener, OpenedModels
from vitviz.webapp.schemas.common import (
    FoundModel,
    FoundModels,
    ModelFacts,
    ModelInfo,
    ModelList,
    OpenInfo,
)
from vitviz.webapp.server.queue import Queue
from vitviz.webapp.server.requests import Json, choice, error_response, require

if TYPE_CHECKING:
    from vitviz.webapp.sources import Sources

FileState = tuple[int, int] | None  # modification time and size
RUN_PREFIX = "runs/"  # of the names of runs' models
MAX_LOADED = 64  # bundled checkpoints, counting replaced files


def load_model(name: str, runs: Runs | None = None, opened: OpenedModels | None = None) -> Checkpoint:
    """Load a bundled checkpoint, that of a run by "runs/NAME", or an opened one; other names and paths are refused."""
    if runs is not None and name.startswith(RUN_PREFIX):
        run = runs.find(name.removeprefix(RUN_PREFIX)).name
        path = runs.folder(run) / run_folder.LAST
        if not path.is_file():
            raise CheckpointError(f"The run {run} has no checkpoint yet", "Wait for its first epoch.")
        return load_run(path, name, file_state(path))
    if opened is not None and name in opened.sources:
        return opened.get(name)
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
    return [describe_model(load_model(name)) for name in bundled_models()]


def list_run_models(runs: Runs) -> list[ModelInfo]:
    """Describe the runs whose checkpoint has attention, as `list_bundled` does."""
    found = []
    for info in runs.all():
        if (runs.folder(info.name) / run_folder.LAST).is_file() and has_attention(info.config):
            config = from_json(info.config)
            name, is_classifier = RUN_PREFIX + info.name, config.objective == "classify"
            split = measured_on(info.config)
            found.append(describe(name, config.model, info.accuracy, info.eval_samples, split, is_classifier))
            found[-1]["origin"] = "run"
            found[-1]["dataset"] = None if config.dataset == "cifar10" else dataset_name(config)
    return found


def dataset_name(config: TrainConfig) -> str:
    """Return the name of the dataset of a run for people."""
    if config.dataset == "folder":
        return printable_name(Path(config.data or "images").stem)
    return datasets.DATASET_INFO[config.dataset].name


def list_models(sources: "Sources") -> Json:
    """List the available models, those opened when the page started first, and whether CIFAR-10 is available."""
    opened = sources.opener.opened
    models = list_bundled() + (list_run_models(sources.runs) if sources.runs is not None else [])
    models += [*opened.infos.values()]
    models.sort(key=lambda model: model["name"] != opened.first)
    return {"models": models, "cifar": cifar_state(sources.data, sources.public)}


class ModelPage:
    """Server functions of a page about models.

    Args:
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`.
        runs: Runs whose models can be used; None for bundled ones only.
        public: Whether to hide paths of the server, and to open no models.
        opener: Opens models by name, and has those that are opened; shared by the pages.
    """

    def __init__(
        self,
        data: str | None = None,
        runs: Runs | None = None,
        public: bool = False,
        opener: ModelOpener | None = None,
    ) -> None:
        self.data, self.runs, self.public = data, runs, public
        self.opener = opener or ModelOpener(OpenedModels())

    @property
    def model_functions(self) -> list[Callable[..., Any]]:
        """The functions of the model picker; `model_facts` may load a model."""
        respond = partial(error_response, public=self.public)
        return [Queue(1, 20)(respond(function)) for function in (self.find_models, self.model_facts)] + [
            respond(self.open_model)
        ]

    def model(self, request: Json) -> Checkpoint:
        """Load the model that the field `checkpoint` of a request names."""
        return load_model(require(request, "checkpoint", str), self.runs, self.opener.opened)

    def list_models(self, request: Json) -> ModelList:
        """List the available models, those opened when the page started first, and whether CIFAR-10 is available."""
        opened = self.opener.opened
        models = list_bundled() + (list_run_models(self.runs) if self.runs is not None else [])
        models += [*opened.infos.values()]
        models.sort(key=lambda model: model["name"] != opened.first)
        return {"checkpoints": models, "cifar": cifar_state(self.data, self.public)}

    def find_models(self, request: Json) -> FoundModels:
        """List the models in the cache of the Hugging Face Hub.

        Raises:
            CheckpointError: On a public page.
        """
        self.check_private()
        from huggingface_hub import constants

        found = [cast(FoundModel, asdict(model)) for model in hub_cache.list_cached()]
        return {"models": found, "cache": constants.HF_HUB_CACHE}

    def open_model(self, request: Json) -> OpenInfo:
        """Open a model by its name or path `source`, or cancel that, by `action`; return the state.

        Raises:
            CheckpointError: On a public page.
        """
        self.check_private()
        action = choice(request, "action", ("state", "start", "cancel"))
        if action == "start":
            self.opener.start(require(request, "source", str).strip())
        elif action == "cancel":
            self.opener.cancel()
        return cast(OpenInfo, asdict(self.opener.state))

    def check_private(self) -> None:
        """Refuse to open models on a public page."""
        if self.public:
            raise CheckpointError("Models cannot be opened on a public page", "Run vitviz on your own computer.")

    def model_facts(self, request: Json) -> ModelFacts:
        """Return what is known of a model."""
        model = self.model(request)
        return {"facts": facts(model, self.opener.opened.sizes.get(model.name))}
