"""What the page Train may ask of Python, and the answers: plain dictionaries and strings.

Questions are treated as hostile, as those of the explorer are. Nothing trains in here: a training is a process of its
own, started and watched through `vitviz.runs.store`. On a public page nothing can be started or changed, and only
what ships is shown.
"""

import base64
import json
import tempfile
import threading
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial, wraps
from pathlib import Path
from typing import Any, get_args

from PIL import Image

from vitviz.data.datasets import ABOUT
from vitviz.data.files import in_text
from vitviz.data.preprocessing import MOST_BYTES as MOST_UPLOAD
from vitviz.data.preprocessing import sample_paths
from vitviz.models import checkpoint
from vitviz.plots.formats import movies
from vitviz.runs import run_folder
from vitviz.runs.run_folder import LAST
from vitviz.runs.status import RUNNING, RunInfo, SweepInfo, has_attention, measured_on
from vitviz.runs.store import Runs, taken
from vitviz.runs.sweep import Sweep
from vitviz.training.config import LRSchedule, Optimizer, TrainConfig, apply_overrides, from_json
from vitviz.training.data import for_classes
from vitviz.training.device import choose_device, hardware
from vitviz.training.estimate import seconds_left
from vitviz.training.finetuning import with_network_of_init
from vitviz.training.presets import PRESETS, preset
from vitviz.webapp.images import data_url
from vitviz.webapp.models import OF_RUN, model_named, shipped
from vitviz.webapp.pages.datasets import Counts, DataSets
from vitviz.webapp.pages.presets import OWN, SETTINGS, about_preset, estimated, field_of_error, plan, varied
from vitviz.webapp.pages.timelines import Timelines, shipped_timelines
from vitviz.webapp.server.queue import Queue
from vitviz.webapp.server.requests import Answer, answering, field, table

HOW = {"init_from": ", fine-tuned", "teacher": ", distilled"}  # what a run's recipe is called further
MOST_BYTES = 100 * 2**20  # of a checkpoint that is handed to the browser


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
        self.timelines = Timelines(None if public else self.runs)

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
            self.take_images,
            self.survey,
        )
        answered = partial(answering, public=self.public)
        movie = Queue(1, waiting=4, yielding=True)(answered(self.timelines.movie))
        return [answered(self.poll), movie, *(answered(self.for_the_owner(owner)) for owner in owners)]

    def for_the_owner(self, answer: Callable[[Answer], Answer]) -> Callable[[Answer], Answer]:
        """The same function, but one that refuses on a public page."""

        @wraps(answer)
        def guarded(question: Answer) -> Answer:
            if self.public:
                raise ValueError(
                    "Training is off on a public page: its computer is shared. Install vitviz on your own to train."
                )
            return answer(question)

        return guarded

    def catalog(self) -> Answer:
        """What the page offers: presets with their settings, timelines that ship, and this machine."""
        return {
            "presets": [about_preset(name, config) for name, config in PRESETS.items()],
            "settings": [{"name": name, "fields": fields} for name, fields in SETTINGS.items()],
            "choices": {"optimizer": get_args(Optimizer), "lr_schedule": get_args(LRSchedule)},
            "sources": shipped_timelines(),
            "public": self.public,
            "machine": hardware(choose_device("auto")),
            "image": data_url(Image.open(sample_paths()["cat"])),
            "folder": "" if self.public else in_text(str(self.sets.root)),
            "models": list(shipped()),
            "most_upload": MOST_UPLOAD,
            "movies": movies(),
        }

    # --- before a training ---

    def wanted(self, question: Answer) -> TrainConfig:
        """The config that a question describes.

        Args:
            question: `preset`, and `settings`, values by name. Optional `start`, the model whose weights to begin with,
                and with the data set "folder" `own`, the name of the images.
        """
        config = preset(field(question, "preset", str))
        if question.get("start"):
            config = with_network_of_init(replace(config, init_from=self.weights(field(question, "start", str))))
        settings = field(question, "settings", dict)
        unknown = [name for name in settings if name not in OWN]
        if unknown:
            raise ValueError(f"There is no setting {str(unknown[0])[:40]!r} here.")
        config = apply_overrides(config, [f"{name}={json.dumps(value)}" for name, value in settings.items()])
        run_folder.check_size(config.model)
        choose_device(config.device)
        if config.dataset != "folder":
            return for_classes(replace(config, data=self.data), len(ABOUT[config.dataset].classes))
        own = field(question, "own", str)
        config = replace(config, data=str(self.sets.path(own).resolve()))
        return for_classes(config, self.sets.counted[own].classes) if own in self.sets.counted else config

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
            return {"refused": str(error), "field": field_of_error(error)}
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
        counts = self.counts(question)[:2] if config.dataset == "folder" else ()
        with self.measuring:
            return asdict(estimated(config, self.speed(), *counts))

    def counts(self, question: Answer) -> Counts:
        """How many of people's `own` images there are, and of how many classes.

        Raises:
            ValueError: If that was not surveyed yet.
        """
        if (own := field(question, "own", str)) not in self.sets.counted:
            raise ValueError("The time depends on how many images there are: it is told once they have been read.")
        return self.sets.counted[own]

    def speed(self) -> tuple[TrainConfig, float, float] | None:
        """Config, images per second and spent share of the training that runs now; None if none runs.

        Raises:
            ValueError: If it does not know its speed yet.
        """
        busy = next((info for info in self.runs.all() if info.state in RUNNING), None)
        if busy is None:
            return None
        if not (busy.images_per_second and busy.share):
            raise ValueError(f"Nothing is measured beside a training: {busy.name} tells its own speed in a moment.")
        return from_json(busy.config), busy.images_per_second, busy.share

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
                `session` and `offset` of the metrics that it has. Optional `timeline`: `source`, `image`, and `from`,
                the number of moments that it has.

        Returns:
            `version`, and if it is another, all that `listed` gives. For the run: `session`, `metrics` and `offset`.
            `timeline`, as `moments` gives it, if there are others.
        """
        question = table(question)
        answer: Answer = {}
        if not self.public:
            listed = self.listed()
            answer = listed if listed["version"] != question.get("version") else {"version": listed["version"]}
            if question.get("run") in [run["name"] for run in listed["runs"]]:  # else it was deleted, as the list tells
                answer |= self.metrics(question)
        if question.get("timeline") is not None:
            answer["timeline"] = self.timelines.moments(field(question, "timeline", dict))
        return answer

    def listed(self) -> Answer:
        """All runs and experiments, newest first, the data sets' state, and a `version` that changes with them."""
        rows, sweeps = [self.row(info) for info in self.runs.all()], [told(info) for info in self.runs.sweeps()]
        answer = {"runs": rows, "sweeps": sweeps, "data": self.sets.state()}
        return answer | {"version": f"{hash(json.dumps(answer)):x}"}

    def row(self, info: RunInfo) -> Answer:
        """A run for the table; whether it `saved` a checkpoint, has attention to be `explored`, and keeps `moments`.

        Of one that trains also the seconds that are `left`.
        """
        config, answer = info.config, told(info)
        if info.state in RUNNING and info.share:
            answer["left"] = seconds_left(from_json(config), info.share, info.seconds)
        answer["preset"] += "".join(word for name, word in HOW.items() if config.get(name) is not None)
        saved = (self.runs.folder(info.name) / LAST).is_file()
        explored = saved and has_attention(config)
        return answer | {"saved": saved, "explored": explored, "moments": config.get("num_snapshots") != 0}

    def metrics(self, question: Answer) -> Answer:
        """The lines of metrics that a reader of a run lacks; from the start in another session."""
        run = field(question, "run", str)
        session = self.runs.find(run).session
        offset = field(question, "offset", int) if question.get("session") == session else 0
        lines, offset = self.runs.metrics(run, offset)
        return {"session": session, "metrics": lines, "offset": offset, "whole": question.get("session") != session}

    # --- data sets ---

    def fetch_data(self, question: Answer) -> Answer:
        """Begin to fetch `dataset`, "cifar10" or "cifar100"."""
        self.sets.fetch.start(field(question, "dataset", str))
        return self.listed()

    def cancel_fetch(self, question: Answer) -> Answer:
        """Call that off."""
        self.sets.fetch.cancel()
        return self.listed()

    def take_images(self, question: Answer) -> Answer:
        """Keep an uploaded zip of labelled images, `path` and `name`; answers as `listed`, with its `taken` name."""
        name = self.sets.take(field(question, "path", str), field(question, "name", str))
        return self.listed() | {"taken": name}

    def survey(self, question: Answer) -> Answer:
        """What would be taken of `own` images, and what not, for a question that `wanted` understands."""
        config = self.wanted(question)
        return self.sets.survey(field(question, "own", str), config.model.img_size)


def told(info: RunInfo | SweepInfo) -> Answer:
    """All that is known of a run or an experiment but its config, of which the recipe tells; which images measure."""
    known = {name: value for name, value in vars(info).items() if name != "config"}  # asdict would copy it
    return known | {"measured_on": measured_on(info.config)}


def plain_checkpoint(path: Path) -> bytes:
    """The file of a run's checkpoint without the tensors and counters that only its training needs."""
    model = run_folder.load(path)
    record = {name: value for name, value in model.record.items() if name != "training"}
    with tempfile.TemporaryDirectory() as folder:
        checkpoint.save(replace(model, record=record), Path(folder) / path.name)
        return (Path(folder) / path.name).read_bytes()
