"""What the page Train may ask of Python, and the answers: plain dictionaries and strings.

Questions are treated as hostile, as those of the explorer are. Nothing trains in here: a training is a process of its
own, started and watched through `vitviz.training.runs`. On a public page nothing can be started or changed, and only
what ships is shown.
"""

import base64
import json
import os
import re
import tempfile
import threading
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

import numpy as np
from PIL import Image

from vitviz.data.cifar import DataError
from vitviz.data.pictures import MOST_BYTES as MOST_UPLOAD
from vitviz.data.pictures import sample_paths
from vitviz.model import checkpoint
from vitviz.model.checkpoint import CheckpointError
from vitviz.training import timeline
from vitviz.training.device import choose_device, hardware
from vitviz.training.estimate import Estimate, estimate, parameters
from vitviz.training.recipe import CHOICES, PRESETS, TrainConfig, changed, from_json, preset
from vitviz.training.run_info import RUNNING, RunInfo
from vitviz.training.runs import Runs, taken
from vitviz.training.start import with_network
from vitviz.training.sweep import Sweep
from vitviz.training.timeline import History
from vitviz.ui.data_sets import DataSets
from vitviz.ui.explore import base64_of, data_url, model_named
from vitviz.ui.kept import OF_RUN
from vitviz.ui.questions import Answer, field, in_words
from vitviz.ui.turns import Line

ABOUT = {
    "cifar10-ti4": "The one to start with: made for two processor cores.",
    "cifar10-s4": "Larger and better. Made for a GPU; a processor needs days.",
    "tutorial-notebook": "As in the notebook: a norm after each block, none at the end.",
    "tutorial-lightning": "As in the Lightning tutorial: the residual is taken from the normalised input.",
    "tutorial-scratch": "As in the tutorial from scratch: its patches are not square.",
}
# What may be set by hand, by group; names are those of TrainConfig, with model. before those of its network.
SETTINGS: dict[str, dict[str, str]] = {
    "Network": {
        "model.patch_size": "Patch side, pixels",
        "model.width": "Width",
        "model.depth": "Layers",
        "model.heads": "Heads",
        "model.mlp_width": "MLP width",
        "model.dropout": "Dropout",
        "model.drop_path": "Skipped branches",
    },
    "Pictures are varied": {
        "augment_operations": "Operations",
        "augment_strength": "Their strength",
        "cutmix": "CutMix",
        "mixup": "Mixup",
        "erase": "Erased boxes",
        "label_smoothing": "Label smoothing",
    },
    "Learning": {
        "optimizer": "Optimizer",
        "adam_rate": "Rate",
        "muon_rate": "Rate of Muon",
        "weight_decay": "Weight decay",
        "schedule": "Schedule",
        "batch_size": "Batch",
        "pictures": "Pictures",
        "seed": "Seed",
    },
}
OWN = {name for group in SETTINGS.values() for name in group} | {"epochs", "minutes", "device", "dataset", "frozen"}
BLAMED = {"tokens": "model.patch_size", "patches": "model.patch_size"}  # words of a refusal -> the field to mend
MOST_PARAMETERS = 200_000_000  # more would not fit into the memory of the machines this page is for
MOST_BYTES = 100 * 2**20  # of a checkpoint that is handed to the browser
TIMELINE, LAST = "timeline.npz", "last.safetensors"


class Train:
    """The page's questions, for one data folder and one folder of runs.

    Args:
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`.
        root: Folder of the runs.
        public: Whether strangers use this page: then training is off.
    """

    def __init__(self, data: str | None = None, root: str | Path = "runs", public: bool = False) -> None:
        self.data, self.public = data, public
        self.runs = Runs(root)
        self.sets = DataSets(data)
        self.measuring = threading.Lock()

    @property
    def functions(self) -> list[Callable[..., Any]]:
        """The functions that the component may call, by these names."""
        owners = (
            self.check,
            self.estimate,
            self.start,
            self.resume,
            self.resume_sweep,
            self.stop,
            self.rename,
            self.delete,
            self.download,
            self.fetch_data,
            self.cancel_fetch,
            self.take_pictures,
            self.survey,
        )
        movie = Line(1, waiting=4, yielding=True)(in_words(self.movie))
        return [in_words(self.poll), movie, *(in_words(self.for_the_owner(owner)) for owner in owners)]

    def for_the_owner(self, answer: Callable[[Answer], Answer]) -> Callable[[Answer], Answer]:
        """The same function, but one that refuses on a public page."""

        def guarded(question: Answer) -> Answer:
            if self.public:
                raise ValueError(
                    "Training is off on a public page: its computer is shared. Install vitviz on your own to train."
                )
            return answer(question)

        guarded.__name__ = answer.__name__
        return guarded

    def catalog(self) -> Answer:
        """What the page offers: presets with their settings, timelines that ship, and this machine."""
        return {
            "presets": [about_preset(name, config) for name, config in PRESETS.items()],
            "settings": [{"name": name, "fields": fields} for name, fields in SETTINGS.items()],
            "choices": {name: get_args(CHOICES[name]) for name in ("optimizer", "schedule")},
            "sources": shipped_timelines(),
            "public": self.public,
            "machine": hardware(choose_device("auto")),
            "picture": data_url(Image.open(sample_paths()["cat"])),
            "folder": "" if self.public else str(self.sets.root),
            "models": list(checkpoint.shipped()),
            "most_upload": MOST_UPLOAD,
        }

    # --- before a training ---

    def wanted(self, question: Answer) -> TrainConfig:
        """The config that a question describes.

        Args:
            question: `preset`, and `settings`, values by name. Optional `start`, the model whose weights to begin with,
                and with the data set "folder" `own`, the name of the pictures.
        """
        config = preset(field(question, "preset", str))
        if question.get("start"):
            config = with_network(replace(config, start=self.weights(field(question, "start", str))))
        settings = field(question, "settings", dict)
        unknown = [name for name in settings if name not in OWN]
        if unknown:
            raise ValueError(f"There is no setting {str(unknown[0])[:40]!r} here.")
        config = changed(config, [f"{name}={json.dumps(value)}" for name, value in settings.items()])
        if (count := parameters(config.model)) > MOST_PARAMETERS:
            raise ValueError(
                f"A network to train here may have at most {MOST_PARAMETERS // 10**6} million parameters: width and "
                f"depth make {count // 10**6} million. Lower them."
            )
        choose_device(config.device)
        own = config.dataset == "folder"
        return replace(config, data=str(self.sets.path(field(question, "own", str)).resolve()) if own else self.data)

    def weights(self, name: str) -> str:
        """Where a training finds the weights of a model: one that ships, or "runs/NAME"."""
        model_named(name, self.runs)
        return str(self.runs.folder(name.removeprefix(OF_RUN)).resolve() / LAST) if name.startswith(OF_RUN) else name

    def check(self, question: Answer) -> Answer:
        """What a training would be, or which field does not fit and why.

        Args:
            question: As for `wanted`, and `name` of the run; for an experiment `vary`, as for `varied`.

        Returns:
            `parameters`, `tokens`, `grid`, `prefix` and `trainings`, how many; or `refused`, a sentence, and `field`,
            the setting to mend, "name", "vary", or None.
        """
        try:
            config = self.wanted(question)
        except ValueError as error:
            return {"refused": str(error), "field": blamed(error)}
        try:
            name = self.new_name(question)
        except ValueError as error:
            return {"refused": str(error), "field": "name"}
        try:
            vary = varied(question)
            count = len(Sweep(config, vary, self.runs.folder(name)).runs()) if vary else 1
        except ValueError as error:
            return {"refused": str(error), "field": "vary"}
        return plan(config) | {"trainings": count}

    def estimate(self, question: Answer) -> Answer:
        """What a training would take on this machine, as `vitviz.training.estimate` tells; questions as for `wanted`.

        While one trains, nothing is measured beside it: its own speed is converted.
        """
        config = self.wanted(question)
        counts = self.counts(question) if config.dataset == "folder" else ()
        with self.measuring:
            return asdict(estimated(config, self.speed(), *counts))

    def counts(self, question: Answer) -> tuple[int, int]:
        """How many of people's `own` pictures there are to train on and to test on.

        Raises:
            ValueError: If that was not surveyed yet.
        """
        if (own := field(question, "own", str)) not in self.sets.counted:
            raise ValueError("The time depends on how many pictures there are: it is told once they have been read.")
        return self.sets.counted[own]

    def speed(self) -> tuple[TrainConfig, float] | None:
        """Config and pictures per second of the training that runs now; None if none runs.

        Raises:
            ValueError: If it does not know its speed yet.
        """
        busy = next((info for info in self.runs.all() if info.state in RUNNING), None)
        if busy is None:
            return None
        if not busy.pictures_per_second:
            raise ValueError(f"Nothing is measured beside a training: {busy.name} tells its own speed in a moment.")
        return from_json(busy.config), busy.pictures_per_second

    def new_name(self, question: Answer) -> str:
        """The name of a new run."""
        name = field(question, "name", str)
        if self.runs.folder(name).exists():
            raise taken(name)
        return name

    def start(self, question: Answer) -> Answer:
        """Start a training, or an experiment; the questions are those of `check`. Answers as `listed` does."""
        config, name, vary = self.wanted(question), self.new_name(question), varied(question)
        if vary:
            self.runs.start_sweep(config, vary, name)
        else:
            self.runs.start(config, name)
        return self.listed()

    # --- runs ---

    def resume(self, question: Answer) -> Answer:
        """Go on with the run `name`."""
        self.runs.resume(field(question, "name", str))
        return self.listed()

    def resume_sweep(self, question: Answer) -> Answer:
        """Go on with the experiment `name`."""
        self.runs.resume_sweep(field(question, "name", str))
        return self.listed()

    def stop(self, question: Answer) -> Answer:
        """Ask the run or the experiment `name` to save and end."""
        self.runs.stop(field(question, "name", str))
        return self.listed()

    def rename(self, question: Answer) -> Answer:
        """Call the run `name` `new`."""
        self.runs.rename(field(question, "name", str), field(question, "new", str))
        return self.listed()

    def delete(self, question: Answer) -> Answer:
        """Delete the run `name` with all its files, or the experiment but not its runs."""
        self.runs.delete(field(question, "name", str))
        return self.listed()

    def download(self, question: Answer) -> Answer:
        """The checkpoint of the run `name`, without what only its training needs: `name` of the file and `content`."""
        name = self.runs.find(field(question, "name", str)).name
        path = self.runs.folder(name) / LAST
        if not path.is_file():
            raise ValueError(f"The run {name} has saved nothing yet. Wait for its first epoch.")
        content = plain_checkpoint(path)
        if len(content) > MOST_BYTES:
            raise ValueError(f"A checkpoint above {MOST_BYTES // 2**20} MiB is not sent to the browser. It is {path}.")
        return {"name": f"{name}.safetensors", "content": base64.b64encode(content).decode()}

    # --- watching ---

    def poll(self, question: Answer) -> Answer:
        """What is new since the browser asked last.

        Args:
            question: `version` of the list of runs that it knows. Optional `run`, the name of the one it follows, with
                `session` and `offset` of the metrics that it has. Optional `timeline`: `source`, `picture`, and `from`,
                the number of moments that it has.

        Returns:
            `version`, and if it is another, all that `listed` gives. For the run: `session`, `metrics` and `offset`.
            `timeline`, as `moments` gives it, if there are others.
        """
        answer: Answer = {}
        if not self.public:
            listed = self.listed()
            answer = listed if listed["version"] != question.get("version") else {"version": listed["version"]}
            if question.get("run") in [run["name"] for run in listed["runs"]]:  # else it was deleted, as the list tells
                answer |= self.metrics(question)
        if question.get("timeline") is not None:
            answer["timeline"] = self.moments(field(question, "timeline", dict))
        return answer

    def listed(self) -> Answer:
        """All runs and experiments, newest first, the data sets' state, and a `version` that changes with them."""
        sweeps = [
            {name: value for name, value in vars(info).items() if name != "config"} for info in self.runs.sweeps()
        ]
        answer = {"runs": [self.row(info) for info in self.runs.all()], "sweeps": sweeps, "data": self.sets.state()}
        return answer | {"version": f"{hash(json.dumps(answer)):x}"}

    def row(self, info: RunInfo) -> Answer:
        """A run for the table: all but its config, of which the recipe tells, and whether it `saved` a checkpoint."""
        answer = {name: value for name, value in vars(info).items() if name != "config"}  # asdict would copy it
        if info.config.get("start"):
            answer["preset"] += ", fine-tuned"
        return answer | {"saved": (self.runs.folder(info.name) / LAST).is_file()}

    def metrics(self, question: Answer) -> Answer:
        """The lines of metrics that a reader of a run lacks; from the start in another session."""
        run = field(question, "run", str)
        session = self.runs.find(run).session
        offset = field(question, "offset", int) if question.get("session") == session else 0
        lines, offset = self.runs.metrics(run, offset)
        return {"session": session, "metrics": lines, "offset": offset, "whole": question.get("session") != session}

    def moments(self, question: Answer) -> Answer | None:
        """The moments of a timeline from one on, for one picture; None if there are none.

        Args:
            question: `source`, a checkpoint that ships, or "runs/NAME"; `picture` from 0; `from`.

        Returns:
            `count` of all moments; for those from `from` on `epoch`, `seconds`, `probabilities` (S, K), `entropy` and
            `distance` (S, L, A) or None, and `rows`, base64 of uint16 (S, L, A, T) / 65535. With `from` 0 also what
            `frame` gives.
        """
        held = self.history(field(question, "source", str))
        if held is None:
            return None
        picture, first = field(question, "picture", int), field(question, "from", int)
        if not 0 <= picture < len(held.names):
            raise ValueError(f"A probe picture must be from 0 to {len(held.names) - 1}: got {picture}.")
        first = first if 0 < first <= len(held.epoch) else 0
        answer: Answer = {"count": len(held.epoch), "from": first}
        for name in ("epoch", "seconds", "entropy", "distance"):
            values = getattr(held, name)
            answer[name] = None if values is None else np.round(values[first:].astype(float), 4).tolist()
        answer["probabilities"] = np.round(held.probabilities[first:, picture].astype(float), 5).tolist()
        answer["rows"] = base64_of(np.round(held.rows[first:, picture].astype(np.float32) * 65535).astype("<u2"))
        return answer if first else answer | frame(held)

    def history(self, source: str) -> History | None:
        """The timeline of a checkpoint that ships, or of a run; None if it has none yet."""
        if source.startswith(OF_RUN) and not self.public:
            path = self.runs.folder(source.removeprefix(OF_RUN)) / TIMELINE
        elif source in checkpoint.shipped():
            path = checkpoint.CHECKPOINTS / f"{source}.{TIMELINE}"
        else:
            raise ValueError(f"There is no timeline of {source[:80]!r}. Choose a run, or a checkpoint that ships.")
        try:
            stamp = os.stat(path)
        except OSError:
            return None
        return read_timeline(path, stamp.st_mtime_ns, stamp.st_size)

    def movie(self, question: Answer) -> Answer:
        """The timeline of `source` for one `picture`, as a file that ends in `ending`: its `name` and `content`."""
        from vitviz.figures import movie

        source, ending = field(question, "source", str), field(question, "ending", str)
        held, picture = self.history(source), field(question, "picture", int)
        if held is None or not 0 <= picture < len(held.names) or ending not in movie.FORMATS:
            raise ValueError("There is no such timeline to save. Choose one with its probe picture, and GIF or MP4.")
        content = movie.render(held, held.names[picture], ending)
        name = f"{source.removeprefix(OF_RUN)}-{held.names[picture]}{ending}"
        return {"name": name, "content": base64.b64encode(content).decode()}

    # --- data sets ---

    def fetch_data(self, question: Answer) -> Answer:
        """Begin to fetch `dataset`, "cifar10" or "cifar100"."""
        self.sets.fetch.start(field(question, "dataset", str))
        return self.listed()

    def cancel_fetch(self, question: Answer) -> Answer:
        """Call that off."""
        self.sets.fetch.cancel()
        return self.listed()

    def take_pictures(self, question: Answer) -> Answer:
        """Keep an uploaded zip of labelled pictures, `path` and `name`; answers as `listed`, with its `taken` name."""
        name = self.sets.take(field(question, "path", str), field(question, "name", str))
        return self.listed() | {"taken": name}

    def survey(self, question: Answer) -> Answer:
        """What would be taken of `own` pictures, and what not, for a question that `wanted` understands."""
        config = self.wanted(question)
        return self.sets.survey(field(question, "own", str), config.model.image_size)


def about_preset(name: str, config: TrainConfig) -> Answer:
    """A preset for the page: its words, its settings by name, and what it would be."""
    plain = asdict(config)
    model = plain.pop("model")
    values = plain | {f"model.{key}": value for key, value in model.items()}
    network = f"{config.model.depth} layers, {config.model.heads} heads, {config.model.width} wide."
    return {
        "name": name,
        "about": " ".join(filter(None, [network, ABOUT.get(name, "")])),
        "settings": {key: values[key] for key in sorted(OWN)},
        "plain": config.model.architecture == "vit",
        **plan(config),
    }


def plan(config: TrainConfig) -> Answer:
    """What a training would be, before it: parameters, tokens and the grid of patches."""
    return {
        "parameters": parameters(config.model),
        "tokens": config.model.tokens,
        "grid": list(config.model.grid),
        "prefix": config.model.prefix,
    }


def varied(question: Answer) -> tuple[str, ...]:
    """What an experiment varies, each NAME=VALUE,VALUE,... with a name of `SETTINGS`; nothing for a single training."""
    vary = question.get("vary", [])
    if not isinstance(vary, list) or not all(isinstance(text, str) and len(text) < 200 for text in vary):
        raise ValueError(f"What is varied must be a list of NAME=VALUE,VALUE: got {str(vary)[:40]!r}.")
    for text in vary:
        name = text.partition("=")[0]
        if not any(name in group for group in SETTINGS.values()):
            raise ValueError(f"There is no setting {name[:40]!r} to vary here.")
    return tuple(vary)


@lru_cache(maxsize=64)
def estimated(config: TrainConfig, measured: tuple[TrainConfig, float] | None, *counts: int) -> Estimate:
    """An estimate, measured once for each config; beside a training, converted once for each of its speeds."""
    return estimate(config, measured, *counts)


def blamed(refusal: ValueError) -> str | None:
    """The field that a refusal is about: by its kind, or the one it names first."""
    for kind, name in ((DataError, "own"), (CheckpointError, "start")):
        if isinstance(refusal, kind):
            return name
    words = {name.removeprefix("model."): name for name in OWN} | BLAMED
    found = re.search(rf"\b({'|'.join(sorted(words, key=len, reverse=True))})\b", str(refusal))
    return words[found[0]] if found else None


def shipped_timelines() -> list[Answer]:
    """The checkpoints that come with a timeline: name and training record."""
    found = []
    for name in checkpoint.shipped():
        if (checkpoint.CHECKPOINTS / f"{name}.{TIMELINE}").is_file():
            record = checkpoint.load(name).record
            known = {key: record.get(key) for key in ("epochs", "seconds", "test_accuracy", "parameters")}
            found.append({"name": name} | known)
    return found


@lru_cache(maxsize=4)
def read_timeline(path: Path, changed_at: int, size: int) -> History:
    """A timeline, read once for each state of its file."""
    return timeline.read(path)


def frame(held: History) -> Answer:
    """What the moments of a timeline have in common."""
    gh, gw = held.grid
    layers, heads, tokens = held.rows.shape[2:]
    shape = {"layers": layers, "heads": heads, "rows": gh, "columns": gw, "prefix": tokens - gh * gw}
    pictures = [
        {"name": name, "src": data_url(Image.fromarray(seen))}
        for name, seen in zip(held.names, held.pictures, strict=True)
    ]
    return {"shape": shape, "classes": held.classes, "pictures": pictures}


def plain_checkpoint(path: Path) -> bytes:
    """The file of a run's checkpoint without the tensors and counters that only its training needs."""
    model = checkpoint.load(path)
    record = {name: value for name, value in model.record.items() if name != "training"}
    with tempfile.TemporaryDirectory() as folder:
        checkpoint.save(replace(model, record=record), Path(folder) / path.name)
        return (Path(folder) / path.name).read_bytes()
