"""Models in the cache of the Hugging Face Hub: which of them load, and a download with progress and cancellation.

`python -m vitviz.models.hub_cache NAME` is the child process that downloads. It prints one line of JSON per step:
`done` and `total`, bytes of the current file; if it fails, `problem` and `hint` of the error.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vitviz.environment import make_environment
from vitviz.errors import CheckpointError
from vitviz.models import downloads, model_files
from vitviz.models.names import parse_repository
from vitviz.models.pretrained import Pretrained, find_family

COMMAND = (sys.executable, "-m", "vitviz.models.hub_cache")
REPORT_INTERVAL = 0.2  # s between two reports of progress


@dataclass(frozen=True)
class CachedModel:
    """A model in the cache.

    Attributes:
        name: As `vitviz.load` takes it.
        family: Title of its family.
        bytes: Size of its weights on disk.
        classes: Number of classes, 0 without head; None if only the tensors show it.
    """

    name: str
    family: str
    bytes: int
    classes: int | None


def list_cached() -> list[CachedModel]:
    """Return the models in the cache that `vitviz.load` opens, in alphabetical order; read from their config.json."""
    found = []
    for folder in downloads.cached_repositories():
        owner, _, name = folder.name.removeprefix("models--").partition("--")
        with suppress(CheckpointError, OSError):  # of another family, or incomplete
            title = f"timm:{name}" if owner == "timm" else f"hf:{owner}/{name}"
            snapshot = find_snapshot(folder)
            config = model_files.read_config(snapshot)
            family = find_family(Pretrained(name, {}, config))
            size = sum(path.stat().st_size for path in model_files.weight_files(snapshot))
            found.append(CachedModel(title, family.title, size, count_classes(config)))
    return found


def find_snapshot(folder: Path, revision: str = "") -> Path:
    """Return the folder with the files of a revision in a repository's folder of the cache; by default the latest."""
    ref = folder / "refs" / (revision or "main")
    return folder / "snapshots" / (ref.read_text().strip() if ref.is_file() else revision or "main")


def is_cached(name: str) -> bool:
    """Whether all files of "timm:NAME" or "hf:OWNER/NAME" are in the cache."""
    from huggingface_hub import constants

    repository, revision = parse_repository(name)
    snapshot = find_snapshot(Path(constants.HF_HUB_CACHE) / f"models--{repository.replace('/', '--')}", revision)
    try:
        return model_files.find_config(snapshot).is_file() and bool(model_files.weight_files(snapshot))
    except CheckpointError:
        return False


def count_classes(config: dict[str, Any]) -> int | None:
    """Return the number of classes that a config.json states; None if it states none."""
    if "architecture" in config:
        count = config.get("num_classes")
        if "_clip_" in str(config["architecture"]):  # of classes, or of channels of the projection
            return None
        return count if isinstance(count, int) else None
    if "ForImageClassification" not in str((config.get("architectures") or [""])[0]):
        return 0
    labels = config.get("id2label")
    return len(labels) if isinstance(labels, dict) else None


class HubDownload:
    """Download of one model in a child process.

    Args:
        name: As for `vitviz.load`.
    """

    def __init__(self, name: str) -> None:
        self.is_canceled = False
        self.child = subprocess.Popen(  # noqa: S603 (no shell, and the name is that of a repository)
            [*COMMAND, name], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=make_environment(), text=True
        )

    def wait(self, report: Callable[[int, int], None]) -> None:
        """Wait until it has ended; `report` gets the bytes that have arrived of the current file, and its size.

        Raises:
            CheckpointError: If it failed; not if it was canceled.
        """
        last: dict[str, Any] = {}
        with self.child as child:
            for line in child.stdout or ():
                last = json.loads(line)
                if "done" in last:
                    report(last["done"], last["total"])
        if self.child.returncode and not self.is_canceled:
            problem = last.get("problem", f"The download ended early (exit code {self.child.returncode})")
            raise CheckpointError(problem, last.get("hint", "Try again."))

    def cancel(self) -> None:
        """Stop it; the next download resumes with what has arrived."""
        self.is_canceled = True
        self.child.kill()


def progress_bar(report: Callable[[int, int], None]) -> type:
    """Return a progress bar of downloads that calls `report` with the bytes that have arrived of a file, and all."""
    from huggingface_hub.utils import tqdm  # type: ignore[attr-defined]  # not in __all__

    class Report(tqdm):  # type: ignore[misc]  # untyped
        """Reports now and then instead of showing a bar."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **(options | {"disable": True}))
            self.arrived, self.size, self.reported = options.get("initial") or 0, options.get("total") or 0, 0.0

        def update(self, count: float | None = 1) -> None:
            self.arrived += count or 0
            if time.monotonic() - self.reported > REPORT_INTERVAL:
                self.reported = time.monotonic()
                report(int(self.arrived), int(self.size))

    return Report


def main() -> None:
    """Download the model that the command line names, reporting progress."""

    def report(done: int, total: int) -> None:
        print(json.dumps({"done": done, "total": total}), flush=True)

    try:
        downloads.fetch(sys.argv[1], progress=progress_bar(report))
    except CheckpointError as error:
        print(json.dumps({"problem": error.problem, "hint": error.hint}), flush=True)
        sys.exit(1)
    except Exception as error:  # of the network
        print(json.dumps({"problem": f"{sys.argv[1]} could not be downloaded: {error!s:.200}", "hint": ""}), flush=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
