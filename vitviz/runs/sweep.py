"""What happens when it is deeper, wider, has more heads: one training for each combination, one after another.

A sweep is a folder, say `runs/grid/`, with `sweep.json` (the config and what is varied) and `results.jsonl`, which
grows by a line with each run that ended. The runs themselves are ordinary ones beside it: `runs/grid-depth2-heads4/`.
Each has the whole budget; one that fails is noted and the next begins.
"""

import itertools
import json
import math
import re
import shlex
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from vitviz.data.cifar import DataError
from vitviz.data.files import is_file, write_whole
from vitviz.runs import run_folder
from vitviz.runs.training_run import Progress, train
from vitviz.runs.process import Busy, Stopped, Work, format_error
from vitviz.training.config import TrainConfig, apply_overrides, from_json
from vitviz.training.signals import StopRequest

MOST = 64  # combinations
FILE = "sweep.json"
RESULTS = "results.jsonl"
OF_IMAGES = {"dataset", "images", "val_size", "model.img_size"}  # settings that can ask too much of a data set
BETWEEN = r",(?![^\[]*\])"  # the commas between values, not those inside [32,48]


@dataclass(frozen=True)
class Sweep:
    """A grid of trainings.

    Args:
        config: What all have in common.
        vary: Each NAME=VALUE,VALUE,... with names as for `vitviz.training.config.apply_overrides`.
        folder: Where its results go.

    Raises:
        ValueError: If the folder has no name, a setting cannot be read, or a combination does not fit; the sentence
            names those that do not.
    """

    config: TrainConfig
    vary: tuple[str, ...]
    folder: Path

    def __post_init__(self) -> None:
        if self.folder.name in ("", ".."):
            raise ValueError(
                f"The folder of a sweep must have a name, which its runs get, too: got {str(self.folder)!r}. Name "
                "another with --out."
            )
        self.runs()

    def runs(self) -> dict[str, tuple[dict[str, str], TrainConfig]]:
        """Name of each run -> its settings and its config, in the order in which they are trained."""
        found: dict[str, tuple[dict[str, str], TrainConfig]] = {}
        refused = []
        for settings in combinations(self.vary):
            words = [f"{name}={value}" for name, value in settings.items()]
            name = "-".join([self.folder.name, *(short(word) for word in words)])
            try:
                config = apply_overrides(self.config, words)
            except ValueError as error:
                refused.append(f"{' '.join(words)} ({error})")
                continue
            if name in found or len(name) > 64:
                raise ValueError(
                    f"Each run of a sweep needs a name of at most 64 letters of its own: {name} is none. Shorten "
                    "--out, or leave out a value that says the same as another."
                )
            found[name] = settings, replace(config, output_dir=str(self.folder.parent / name))
        if refused:
            more = f" And {len(refused) - 3} more." if len(refused) > 3 else ""
            raise ValueError(
                f"Each combination must fit. These do not: {'; '.join(refused[:3])}.{more} Leave them out."
            )
        return found

    def write(self) -> None:
        """Begin a new folder.

        Raises:
            ValueError: If there is a sweep or a run in it, or one of its runs is there already.
        """
        if (self.folder / FILE).exists() or (self.folder / run_folder.CONFIG).exists():
            raise ValueError(
                f"The folder of a sweep must be new: {self.folder} is in use. Name another with --out, go on with "
                "--resume, or delete it."
            )
        old = [name for name, (_, config) in self.runs().items() if config.folder.exists()]
        if old:
            raise ValueError(
                f"The runs of a sweep must be new: {', '.join(old[:3])}{' and others' if len(old) > 3 else ''} in "
                f"{self.folder.parent} would pass for its own. Name another with --out, or delete them."
            )
        about = {"config": asdict(self.config), "vary": self.vary}
        write_whole(self.folder / FILE, json.dumps(about, indent=1).encode())

    def results(self) -> list[dict[str, Any]]:
        """What is known of the runs that ended: name, settings, state, parameters, accuracy and what it took."""
        return [json.loads(line) for line in run_folder.whole_lines(self.folder / RESULTS)]

    def run(
        self,
        begin: Callable[[str], None] = lambda name: None,
        report: Callable[[Progress], None] = lambda progress: None,
        end: Callable[[dict[str, Any]], None] = lambda result: None,
    ) -> None:
        """Train all that is not done yet.

        Args:
            begin: Called with the name of each run that begins.
            report: As for `vitviz.runs.training_run.train`.
            end: Called with the result of each run that ended, also with those from before.

        Raises:
            Stopped: If asked to; what is done stays.
            vitviz.runs.process.Busy: If another process works on it.
        """
        with StopRequest() as stop, Work(self.folder, stop) as work:
            work.begin()
            write_whole(self.folder / RESULTS, b"".join(run_folder.whole_lines(self.folder / RESULTS)))
            for result in (done := self.results()):
                end(result)
            over = {result["run"] for result in done}
            for name, (settings, config) in self.runs().items():
                if stop.asked:
                    raise Stopped(self.how_to_go_on())
                if name in over:
                    continue
                begin(name)
                try:
                    result = {"run": name, "settings": settings} | trained(config, settings, report)
                except Stopped:
                    raise Stopped(self.how_to_go_on()) from None
                work.retry_while_disk_full(partial(run_folder.append, self.folder / RESULTS, json.dumps(result) + "\n"))
                end(result)

    def how_to_go_on(self) -> str:
        """What to say when it is stopped."""
        return (
            f"Stopped as asked after {len(self.results())} of {len(self.runs())} runs; nothing is lost. "
            f"Go on with: python -m vitviz sweep --resume --out {shlex.quote(str(self.folder))}"
        )


def read(folder: Path) -> Sweep:
    """The sweep of a folder.

    Raises:
        ValueError: If there is none that can be read.
    """
    path = folder / FILE
    try:
        stored = json.loads(path.read_text()) if is_file(path) else {}
        config, vary = from_json(stored["config"]), tuple(map(str, stored["vary"]))
    except (OSError, ValueError, KeyError, TypeError):
        raise ValueError(
            f"The folder of a sweep must hold a {FILE}: {folder} has none that can be read. Name another."
        ) from None
    return Sweep(config, vary, folder)


def combinations(vary: tuple[str, ...]) -> list[dict[str, str]]:
    """Each combination of the values, the last name changing fastest.

    Raises:
        ValueError: If there are none or too many.

    Example:
        >>> combinations(("model.depth=2,4", "seed=0"))
        [{'model.depth': '2', 'seed': '0'}, {'model.depth': '4', 'seed': '0'}]
    """
    values = {name: re.split(BETWEEN, text) for name, _, text in (setting.partition("=") for setting in vary)}
    for name, found in values.items():
        if found == [""]:
            raise ValueError(f"What is varied needs values: got none for {name[:80]}. Give some, such as 2, 4, 8.")
        if not all(found) or len(set(found)) < len(found) or name in ("out", "data"):
            raise ValueError(f"What is varied is NAME=VALUE,VALUE,... with different values: got {name[:80]!r}.")
    if len(values) < len(vary):
        raise ValueError(f"Each setting is varied once: got {' and '.join(vary)[:80]}. Give all its values together.")
    count = math.prod(map(len, values.values()))
    if not 2 <= count <= MOST:
        raise ValueError(f"A sweep has 2 to {MOST} combinations: got {count}. Vary for example seed=0,1,2.")
    return [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())]


def short(word: str) -> str:
    """A setting as a part of a name.

    Example:
        >>> short("model.depth=4")
        'depth4'
    """
    return re.sub(r"[^A-Za-z0-9._-]", "", word.removeprefix("model.").replace("_", ""))


def trained(config: TrainConfig, settings: dict[str, str], report: Callable[[Progress], None]) -> dict[str, Any]:
    """Train, or go on, or only read what came of it if that was not noted any more."""
    path = config.folder / run_folder.LAST
    found: dict[str, Any] = {"state": "finished", "message": ""}
    try:
        if not run_folder.finished(run_folder.read_record(path)):
            train(config, report, resume=True)
    except Exception as error:
        if ends_all(error, settings):
            raise
        found = {"state": "failed", "message": format_error(error)}
    record = run_folder.read_record(path)
    names = ("parameters", "epochs", "seconds", "images")
    found |= {name: record.get(name) for name in names}
    return found | {"accuracy": run_folder.accuracy_of(record)}


def ends_all(error: Exception, settings: dict[str, str]) -> bool:
    """Whether an error is not the fault of a run with these settings, so that the next would end alike."""
    if isinstance(error, DataError):
        return not OF_IMAGES & settings.keys()
    lost = "CUDA error" in str(error)  # the GPU, to this process: a new one can go on
    return lost or isinstance(error, Stopped | Busy | OSError)
