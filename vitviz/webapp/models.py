"""The models that the page offers: those that ship, and those of runs, by name."""

import warnings
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from vitviz.data import cifar
from vitviz.data.cifar import DataError
from vitviz.data.files import in_text
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint, CheckpointError
from vitviz.runs import run_folder
from vitviz.runs.status import has_attention, measured_on
from vitviz.runs.store import Runs
from vitviz.training.config import from_json
from vitviz.webapp.images import ABSENT
from vitviz.webapp.server.requests import Answer

State = tuple[int, int] | None  # of a file: when it changed, and its bytes
OF_RUN = "runs/"  # begins the names of models that were trained here
MOST_LOADED = 64  # checkpoints that ship, and states of them


def model_named(name: str, runs: Runs | None = None) -> Checkpoint:
    """A checkpoint that ships, or the one of a run, "runs/NAME"; other names and paths are refused."""
    if runs is not None and name.startswith(OF_RUN):
        path = runs.folder(runs.find(name.removeprefix(OF_RUN)).name) / run_folder.LAST
        if not path.is_file():
            raise CheckpointError(
                f"The run {name.removeprefix(OF_RUN)} has saved nothing yet. Wait for its first epoch."
            )
        return loaded_run(path, name, state(path))
    if name not in (known := shipped()):
        raise CheckpointError(f"There is no checkpoint {name[:80]!r} here. Choose one of: {', '.join(known)}.")
    return loaded(known[name], state(known[name]))


def shipped() -> dict[str, Path]:
    """The checkpoints that come with the project and can be loaded: name -> file."""
    found = checkpoint.bundled_checkpoints().items()
    return {name: path for name, path in found if in_text(name) == name and can_be_loaded(path, state(path))}


def state(path: Path) -> TrainerState:
    """What changes when a file does; None if it cannot be found."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=MOST_LOADED)
def can_be_loaded(path: Path, changed: State) -> bool:
    """Whether a file is a checkpoint of ours; if it is none, the terminal is told, once for each of its states."""
    try:
        loaded(path, changed)
    except (CheckpointError, OSError) as error:
        warnings.warn(f"The page leaves {path} out. Move it to another folder. {error}", stacklevel=2)
        return False
    return True


@lru_cache(maxsize=MOST_LOADED)
def loaded(path: Path, changed: State) -> Checkpoint:
    """A checkpoint that ships, loaded once for each state of its file."""
    return checkpoint.load(path)


@lru_cache(maxsize=4)
def loaded_run(path: Path, name: str, changed: State) -> Checkpoint:
    """The checkpoint of a run, loaded once for each state of its file."""
    return replace(run_folder.load(path), name=name)


def checkpoints() -> list[Answer]:
    """The checkpoints that ship: name, size, accuracy and on which images, whether it knows labels."""
    models = [model_named(name) for name in shipped()]
    return [
        {
            "name": model.name,
            "layers": model.network.config.depth,
            "heads": model.network.config.num_heads,
            "accuracy": model.record.get("test_accuracy"),
            "measured_on": "test",
            "is_classifier": model.is_classifier,
        }
        for model in models
    ]


def of_runs(runs: Runs | None) -> list[Answer]:
    """The runs that have saved a checkpoint with attention to look at, as `checkpoints` lists those that ship."""
    if runs is None:
        return []
    found = []
    for info in runs.all():
        if (runs.folder(info.name) / run_folder.LAST).is_file() and has_attention(info.config):
            config = from_json(info.config)
            found.append(
                {
                    "name": OF_RUN + info.name,
                    "layers": config.model.depth,
                    "heads": config.model.num_heads,
                    "accuracy": info.accuracy,
                    "measured_on": measured_on(info.config),
                    "is_classifier": config.objective == "classify",
                }
            )
    return found


def offered(runs: Runs | None, data: str | None, public: bool) -> Answer:
    """What there is now: models, those that ship and those of runs; and CIFAR-10, or how to get it.

    Args:
        runs: Whose models are offered beside those that ship; None for no others.
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`.
        public: Whether strangers ask, who are not told where it was looked for.
    """
    try:
        cifar.find(data)
        message = ""
    except DataError as error:
        message = ABSENT if public else str(error)
    known = {"available": not message, "classes": list(cifar.CLASSES), "message": message}
    return {"checkpoints": checkpoints() + of_runs(runs), "cifar": known}
