"""Server functions of the Train page.

Each training run is a separate process, started and watched through `vitviz.runs.store`. On a public page training is
off, and only bundled timelines are shown.
"""

import base64
import json
import tempfile
import threading
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial, wraps
from pathlib import Path
from typing import Any, cast, get_args

from PIL import Image

from vitviz.data.datasets import DATASET_INFO
from vitviz.data.encoding import data_url
from vitviz.data.files import printable_name
from vitviz.data.preprocessing import MAX_BYTES, sample_paths
from vitviz.models import checkpoint
from vitviz.models.config import ConfigError
from vitviz.plots.colormaps import color_tables
from vitviz.runs import run_folder
from vitviz.runs.run_folder import LAST
from vitviz.runs.status import RUNNING, RunInfo, SweepInfo, has_attention, measured_on
from vitviz.runs.store import Runs, name_in_use
from vitviz.runs.sweep import Sweep
from vitviz.runs.training_run import init_name
from vitviz.training.config import LRSchedule, Optimizer, TrainConfig, apply_overrides, from_json
from vitviz.training.data import replace_num_classes
from vitviz.training.device import choose_device, get_hardware_name
from vitviz.training.estimate import estimate_seconds_left
from vitviz.training.finetuning import use_init_model
from vitviz.training.presets import PRESETS, get_preset
from vitviz.webapp.models import RUN_PREFIX, bundled_models, load_model
from vitviz.webapp.pages.datasets import DataSets
from vitviz.webapp.pages.form_errors import describe_error, field_of_error
from vitviz.webapp.pages.presets import (
    CONFIG_FIELDS,
    SETTINGS,
    cached_estimate,
    describe_lessons,
    describe_preset,
    describe_settings,
    parse_vary,
    summarize,
    vit_config,
)
from vitviz.webapp.pages.timelines import Timelines, bundled_timelines
from vitviz.webapp.schemas.train import (
    AcceptedForm,
    EstimateReply,
    FileReply,
    RefusedForm,
    RunLists,
    SurveyReply,
    UploadedReply,
)
from vitviz.webapp.server.requests import Json, RequestError, error_response, require

AUGMENTATION = ("randaug_num_ops", "cutmix_prob", "mixup_prob", "random_erasing_prob")
MAX_DOWNLOAD_BYTES = 100 * 2**20  # of a checkpoint sent to the browser


class Train:
    """Server functions of the page, for one data folder and one folder of runs.

    Args:
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`.
        root: Folder of the runs.
        public: Whether training is disabled.
    """

    def __init__(self, data: str | None = None, root: str | Path = "runs", public: bool = False) -> None:
        self.data, self.public = data, public
        self.runs = Runs(root)
        self.datasets = DataSets(data)
        self.estimate_lock = threading.Lock()
        self.timelines = Timelines(None if public else self.runs)
        self.machine = get_hardware_name(choose_device("auto"))  # before queues limit the threads, which it contains

    @property
    def functions(self) -> list[Callable[..., Any]]:
        """The functions that the component may call, by name."""
        form = (self.check, self.estimate, self.start)
        runs = (self.resume, self.resume_sweep, self.stop, self.rename, self.delete, self.download)
        datasets = (self.download_data, self.cancel_download, self.upload_images, self.delete_images, self.survey)
        private = [self.require_private(use_labels(function)) for function in (*form, *runs, *datasets)]
        respond = partial(error_response, public=self.public)
        return [respond(self.poll), *map(respond, private), respond(self.train_catalog)]

    def require_private(self, function: Callable[[Json], Any]) -> Callable[[Json], Any]:
        """Wrap a function to refuse all requests on a public page."""

        @wraps(function)
        def guarded(request: Json) -> Any:
            if self.public:
                raise ValueError("Training is off on a public page. Install vitviz on your own computer to train.")
            return function(request)

        return guarded

    def train_catalog(self, request: Json) -> Json:
        """Return `catalog`, which the page requests when it is opened, as it takes torch to know the hardware."""
        return self.catalog()

    def catalog(self) -> Json:
        """Return the initial data of the page: presets, hyperparameters, bundled timelines, and the hardware."""
        return {
            "lessons": describe_lessons(),
            "presets": [describe_preset(name, config) for name, config in PRESETS.items()],
            "settings": describe_settings(),
            "choices": {"optimizer": get_args(Optimizer), "lr_schedule": get_args(LRSchedule)},
            "sources": bundled_timelines(),
            "public": self.public,
            "machine": self.machine,
            "image": data_url(Image.open(sample_paths()["cat"])),
            "folder": "" if self.public else printable_name(str(self.datasets.root)),
            "models": list(bundled_models()),
            "max_upload": MAX_BYTES,
            "colors": color_tables(),
        }

    # --- before a run ---

    def config(self, request: Json) -> TrainConfig:
        """Build the config of a request.

        Args:
            request: `preset`, and `settings`, values by field. Optional `init_from`, a model to fine-tune; for the data
                set "folder" also `image_folder`.
        """
        config = get_preset(require(request, "preset", str))
        if request.get("init_from"):
            config = use_init_model(replace(config, init_from=self.weights(require(request, "init_from", str))))
        settings = require(request, "settings", dict)
        if unknown := [name for name in settings if name not in CONFIG_FIELDS]:
            raise RequestError("settings", "an object of form fields only", unknown[0])
        config = apply_overrides(config, [f"{name}={json.dumps(value)}" for name, value in settings.items()])
        run_folder.check_num_parameters(vit_config(config))
        choose_device(config.device)
        if config.dataset != "folder":
            return replace_num_classes(replace(config, data=self.data), len(DATASET_INFO[config.dataset].classes))
        folder = require(request, "image_folder", str)
        config = replace(config, data=str(self.datasets.path(folder).resolve()))
        counts = self.datasets.counts.get(folder)
        return replace_num_classes(config, counts.classes) if counts else config

    def weights(self, name: str) -> str:
        """Return the `init_from` of a bundled model or of "runs/NAME"."""
        load_model(name, self.runs)
        if not name.startswith(RUN_PREFIX):
            return name
        return str(self.runs.folder(name.removeprefix(RUN_PREFIX)).resolve() / LAST)

    def check(self, request: Json) -> AcceptedForm | RefusedForm:
        """Validate the form.

        Args:
            request: As for `config`, and `name` of the run; for a sweep `vary`, as for `parse_vary`.

        Returns:
            `parameters`, `tokens`, `grid`, `prefix`, hyperparameters of the `model`, and `trainings`, the number of
            runs; or `refused`, a sentence, and `field`, the invalid form field or None.
        """
        try:
            config, name, vary = self.config(request), self.new_name(request), parse_vary(request)
            count = len(Sweep(config, vary, self.runs.folder(name)).runs()) if vary else 1
        except ValueError as error:
            return {"refused": describe_error(error), "field": field_of_error(error)}
        values = run_folder.flatten(config)
        return {**summarize(config), "model": {name: values[name] for name in SETTINGS["Model"]}, "trainings": count}

    def estimate(self, request: Json) -> EstimateReply:
        """Estimate a training on this machine, see `vitviz.training.estimate`; requests as for `config`.

        Raises:
            ValueError: If another run is training, which would slow down the measured steps, or if the image folder has
                not been surveyed yet.
        """
        config = self.config(request)
        counts: tuple[int, ...] = ()
        if config.dataset == "folder":
            folder = require(request, "image_folder", str)
            if folder not in self.datasets.counts:
                raise ValueError("The ETA depends on the number of images. It appears when they have been counted.")
            counts = self.datasets.counts[folder][:2]
        if (current := next((info for info in self.runs.all() if info.state in RUNNING), None)) is not None:
            raise ValueError(f"The ETA is measured while no run is training: {current.name} is {current.state}.")
        with self.estimate_lock:
            return cast(EstimateReply, asdict(cached_estimate(config, *counts)))

    def new_name(self, request: Json) -> str:
        """Return the name of a new run."""
        name = require(request, "name", str)
        if self.runs.folder(name).exists():
            raise name_in_use(name)
        return name

    def start(self, request: Json) -> RunLists:
        """Start a run or a sweep; requests as for `check`, response as of `list_runs`."""
        config, name, vary = self.config(request), self.new_name(request), parse_vary(request)
        if vary:
            self.runs.start_sweep(config, vary, name)
        else:
            self.runs.start(config, name)
        return self.list_runs()

    # --- runs ---

    def resume(self, request: Json) -> RunLists:
        """Resume the run `name`."""
        self.runs.resume(require(request, "name", str))
        return self.list_runs()

    def resume_sweep(self, request: Json) -> RunLists:
        """Resume the sweep `name`."""
        self.runs.resume_sweep(require(request, "name", str))
        return self.list_runs()

    def stop(self, request: Json) -> RunLists:
        """Request the run or sweep `name` to save and stop."""
        self.runs.stop(require(request, "name", str))
        return self.list_runs()

    def rename(self, request: Json) -> RunLists:
        """Rename the run `name` to `new`."""
        self.runs.rename(require(request, "name", str), require(request, "new", str))
        return self.list_runs()

    def delete(self, request: Json) -> RunLists:
        """Delete the run `name` with all its files, or a sweep without its runs."""
        self.runs.delete(require(request, "name", str))
        return self.list_runs()

    def download(self, request: Json) -> FileReply:
        """Return the checkpoint of the run `name` without its training state: `name` and `content` of the file."""
        name = self.runs.find(require(request, "name", str)).name
        path = self.runs.folder(name) / LAST
        if not path.is_file():
            raise ValueError(f"The run {name} has no checkpoint yet. Wait for its first epoch.")
        content = strip_training_state(path)
        if len(content) > MAX_DOWNLOAD_BYTES:
            limit = MAX_DOWNLOAD_BYTES // 2**20
            raise ValueError(f"Checkpoints above {limit} MiB are not sent to the browser. Copy {path}.")
        return {"name": f"{name}.safetensors", "content": base64.b64encode(content).decode()}

    def poll(self, request: Json) -> Json:
        """Return what has changed since the last poll.

        Args:
            request: `version` of the known list of runs. Optional `run`, the name of the followed run, with `session`
                and `offset` of the known metrics. Optional `timeline`, as for `Timelines.snapshots`.

        Returns:
            `version`, and if it differs, the response of `list_runs`. For the run: `session`, `metrics` and `offset`.
            `timeline`, the new snapshots.
        """
        request = require({"request": request}, "request", dict)
        response: Json = {}
        if not self.public:
            listed = cast(Json, self.list_runs())
            response = listed if listed["version"] != request.get("version") else {"version": listed["version"]}
            if request.get("run") in [run["name"] for run in listed["runs"]]:  # it may have been deleted
                response |= self.metrics(request)
        if request.get("timeline") is not None:
            response["timeline"] = self.timelines.snapshots(require(request, "timeline", dict))
        return response

    def list_runs(self) -> RunLists:
        """List all runs and sweeps, newest first, the state of the datasets, and a `version` of this response."""
        runs, sweeps = [self.row(info) for info in self.runs.all()], [describe(info) for info in self.runs.sweeps()]
        response = {"runs": runs, "sweeps": sweeps, "data": self.datasets.state()}
        return cast(RunLists, response | {"version": f"{hash(json.dumps(response)):x}"})

    def row(self, info: RunInfo) -> Json:
        """Describe a run for the table.

        Returns:
            Fields of `RunInfo`, whether its images are `augmented` by more than crops and flips, whether it is `saved`
            and `explorable` and records `snapshots`, and the `eta` of a running one (s).
        """
        config, row = info.config, describe(info)
        if info.state in RUNNING and info.progress:
            row["eta"] = estimate_seconds_left(from_json(config), info.progress, info.seconds)
        if (init := init_name(from_json(config))) is not None:
            row["preset"] = f"{init}, fine-tuned"  # its network; the preset's is not used
        if config.get("teacher") is not None or config.get("soft_labels") is not None:
            row["preset"] += ", distilled"
        row["augmented"] = any(config.get(name) for name in AUGMENTATION)
        saved = (self.runs.folder(info.name) / LAST).is_file()
        explorable = saved and has_attention(config)
        return row | {"saved": saved, "explorable": explorable, "snapshots": config.get("num_snapshots") != 0}

    def metrics(self, request: Json) -> Json:
        """Return the new metrics of a run; all of them if its session has changed."""
        run = require(request, "run", str)
        session = self.runs.find(run).session
        offset = require(request, "offset", int) if request.get("session") == session else 0
        lines, offset = self.runs.metrics(run, offset)
        return {"session": session, "metrics": lines, "offset": offset, "whole": request.get("session") != session}

    # --- datasets ---

    def download_data(self, request: Json) -> RunLists:
        """Start the download of `dataset`, "cifar10" or "cifar100"."""
        self.datasets.download.start(require(request, "dataset", str))
        return self.list_runs()

    def cancel_download(self, request: Json) -> RunLists:
        """Cancel the download."""
        self.datasets.download.cancel()
        return self.list_runs()

    def upload_images(self, request: Json) -> UploadedReply:
        """Store an uploaded zip of labeled images, `path` and `name`; response as of `list_runs`, with `uploaded`."""
        name = self.datasets.upload(require(request, "path", str), require(request, "name", str))
        return {**self.list_runs(), "uploaded": name}

    def delete_images(self, request: Json) -> RunLists:
        """Delete the zip `name` of images, unless a training reads it."""
        name = require(request, "name", str)
        path = str(self.datasets.path(name).resolve())
        for info in (*self.runs.all(), *self.runs.sweeps()):
            if info.state in RUNNING and info.config.get("data") == path:
                raise ValueError(f"A zip in use cannot be deleted: {info.name} is {info.state}. Stop it, or wait.")
        self.datasets.delete(name)
        return self.list_runs()

    def survey(self, request: Json) -> SurveyReply:
        """Count the images of an `image_folder`; requests as for `config`."""
        config = self.config(request)
        return self.datasets.survey(require(request, "image_folder", str), config.model.img_size)


def use_labels(function: Callable[[Json], Any]) -> Callable[[Json], Any]:
    """Wrap a function of the form to name fields in its errors by their labels."""

    @wraps(function)
    def with_labels(request: Json) -> Any:
        try:
            return function(request)
        except ConfigError as error:
            raise ValueError(describe_error(error)) from error

    return with_labels


def describe(info: RunInfo | SweepInfo) -> Json:
    """Return all fields of a run or sweep but its config, and the split on which it is evaluated."""
    known = {name: value for name, value in vars(info).items() if name != "config"}  # asdict would copy the config
    return known | {"measured_on": measured_on(info.config)}


def strip_training_state(path: Path) -> bytes:
    """Return the checkpoint file of a run without the tensors and counters that resuming needs."""
    model = run_folder.load(path)
    record = {name: value for name, value in model.record.items() if name != "training"}
    with tempfile.TemporaryDirectory() as folder:
        checkpoint.save(replace(model, record=record), Path(folder) / path.name)
        return (Path(folder) / path.name).read_bytes()
