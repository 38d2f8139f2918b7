"""Trainings: the form, runs and sweeps, as JSON.

Each run is a separate process, started and watched through `vitviz.runs.store`.
"""

import base64
import json
import math
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, get_args

from vitviz.data.datasets import DATASET_INFO
from vitviz.data.image_cache import Report
from vitviz.errors import ConfigError
from vitviz.files import is_regular_file, printable_name
from vitviz.models import checkpoint
from vitviz.runs import run_folder
from vitviz.runs.run_folder import LAST
from vitviz.runs.status import DAMAGED, RUNNING, Info, has_attention, measured_on
from vitviz.runs.status import RunInfo as RunStatus
from vitviz.runs.store import Runs, name_in_use
from vitviz.runs.sweep import Sweep
from vitviz.training.config import LRSchedule, Optimizer, Sampler, TrainConfig, apply_overrides, from_json
from vitviz.training.data import replace_num_classes
from vitviz.training.device import choose_device, get_hardware_name
from vitviz.training.estimate import estimate_seconds_left
from vitviz.training.initial_weights import run_name, use_init_model
from vitviz.training.presets import PRESETS, get_preset
from vitviz.webapp.image_zips import DataSets
from vitviz.webapp.models import RUN_PREFIX, bundled_models, load_model
from vitviz.webapp.schemas.base import SavedFile
from vitviz.webapp.schemas.runs import (
    AcceptedForm,
    ConfigRequest,
    EstimateReply,
    FormRequest,
    Metrics,
    MetricsLine,
    PollReply,
    PollRequest,
    RunInfo,
    RunLists,
    SurveyReply,
    SweepInfo,
    TrainCatalog,
)
from vitviz.webapp.server.refusals import about
from vitviz.webapp.timelines import Timelines, bundled_timelines
from vitviz.webapp.training_form import (
    CONFIG_FIELDS,
    SETTINGS,
    about_form,
    cached_estimate,
    check_vary,
    describe_experiments,
    describe_lessons,
    describe_preset,
    describe_settings,
    summarize,
)

CHOICES = {"optimizer": Optimizer, "lr_schedule": LRSchedule, "sampler": Sampler}
AUGMENTATION = ("randaug_num_ops", "cutmix_prob", "mixup_prob", "random_erasing_prob")
MAX_DOWNLOAD_BYTES = 100 * 2**20  # of a checkpoint sent to the browser


class Trainings:
    """The runs of one folder, and the datasets of another.

    Args:
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`.
        root: Folder of the runs.
        public: Whether only bundled timelines are shown.
    """

    def __init__(self, data: str | None = None, root: str | Path = "runs", public: bool = False) -> None:
        self.data, self.public = data, public
        self.runs = Runs(root)
        self.datasets = DataSets(data)
        self.measuring = threading.Lock()  # two measurements at once would both be too slow, and are kept
        self.timelines = Timelines(None if public else self.runs)
        self.machine = get_hardware_name(choose_device("auto"))  # before queues limit the threads, which it contains

    def catalog(self) -> TrainCatalog:
        """Return what the form offers, the bundled timelines, and the hardware."""
        return TrainCatalog(
            lessons=describe_lessons(),
            experiments=describe_experiments(),
            presets=[describe_preset(name, preset) for name, preset in PRESETS.items()],
            settings=describe_settings(),
            choices={name: list(get_args(kind)) for name, kind in CHOICES.items()},
            timelines=bundled_timelines(),
            machine=self.machine,
            folder="" if self.public else printable_name(str(self.datasets.root)),
            models=list(bundled_models()),
        )

    # --- before a run ---

    def config(self, request: ConfigRequest) -> TrainConfig:
        """Build the config of a form."""
        config = get_preset(request.preset)
        if request.init_from:
            with about("init_from"):
                config = use_init_model(replace(config, init_from=self.weights(request.init_from)))
        for name in request.settings.keys() - CONFIG_FIELDS:
            raise ConfigError(f"settings.{name}"[:80], "is not a known field", "Remove it.")
        config = apply_overrides(config, [f"{name}={json.dumps(value)}" for name, value in request.settings.items()])
        run_folder.check_num_parameters(config)
        choose_device(config.device)
        if config.dataset in DATASET_INFO:
            return replace_num_classes(replace(config, data=self.data), len(DATASET_INFO[config.dataset].classes))
        if config.dataset != "folder":  # the number of classes is known when it is loaded
            return config
        with about("image_folder"):
            config = replace(config, data=str(self.datasets.path(request.image_folder).resolve()))
        counts = self.datasets.counts.get(request.image_folder)
        return replace_num_classes(config, counts.classes) if counts else config

    def weights(self, name: str) -> str:
        """Return the `init_from` of a bundled model or of "runs/NAME"."""
        load_model(name, self.runs)
        if not name.startswith(RUN_PREFIX):
            return name
        return str(self.runs.folder(name.removeprefix(RUN_PREFIX)).resolve() / LAST)

    @about_form()
    def check(self, request: FormRequest) -> AcceptedForm:
        """Validate the form."""
        config, name = self.config(request), self.new_name(request)
        count = len(Sweep(config, request.vary, self.runs.folder(name)).runs()) if request.vary else 1
        values = run_folder.flatten(config)
        model = {name: values[name] for name in SETTINGS["Model"]}
        return AcceptedForm(**summarize(config), model=model, trainings=count)

    @about_form()
    def estimate(self, request: ConfigRequest) -> EstimateReply:
        """Estimate a training on this machine, see `vitviz.training.estimate`.

        Raises:
            ValueError: If another run is training, which would slow down the measured steps, or if the image folder has
                not been surveyed yet.
        """
        config = self.config(request)
        counts: tuple[int, ...] = ()
        if config.dataset == "folder":
            if request.image_folder not in self.datasets.counts:
                raise ValueError("The ETA depends on the number of images. It appears when they have been counted.")
            counts = self.datasets.counts[request.image_folder][:2]
        if (current := next((info for info in self.runs.all() if info.state in RUNNING), None)) is not None:
            raise ValueError(f"The ETA is measured while no run is training: {current.name} is {current.state}.")
        with self.measuring:
            return EstimateReply(**asdict(cached_estimate(config, *counts)))

    @about_form()
    def survey(self, request: ConfigRequest, report: Report) -> SurveyReply:
        """Count the images of the image folder of a form."""
        return self.datasets.survey(request.image_folder, self.config(request).model.img_size, report)

    def new_name(self, request: FormRequest) -> str:
        """Return the name of a new run, whose sweep is valid."""
        if self.runs.folder(request.name).exists():
            raise name_in_use(request.name)
        check_vary(request)
        return request.name

    # --- changes ---

    def start(self, request: FormRequest) -> None:
        """Start a run or a sweep."""
        config, name = self.config(request), self.new_name(request)
        if request.vary:
            self.runs.start_sweep(config, request.vary, name)
        else:
            self.runs.start(config, name)

    def resume(self, name: str) -> None:
        """Resume a run or a sweep."""
        (self.runs.resume_sweep if self.runs.is_sweep(name) else self.runs.resume)(name)

    def delete_images(self, name: str) -> None:
        """Delete a zip of images, unless a training reads it."""
        path = str(self.datasets.path(name).resolve())
        for info in (*self.runs.all(), *self.runs.sweeps()):
            if info.state in RUNNING and info.config.get("data") == path:
                raise ValueError(f"A zip in use cannot be deleted: {info.name} is {info.state}. Stop it, or wait.")
        self.datasets.delete(name)

    # --- what there is ---

    def download(self, name: str) -> SavedFile:
        """Return the checkpoint of a run without its training state."""
        path = self.runs.folder(self.runs.find(name).name) / LAST
        if not is_regular_file(path):
            raise ValueError(f"The run {name} has no checkpoint yet. Wait for its first epoch.")
        content = strip_training_state(path)
        if len(content) > MAX_DOWNLOAD_BYTES:
            limit = MAX_DOWNLOAD_BYTES // 2**20
            raise ValueError(f"Checkpoints above {limit} MiB are not sent to the browser. Copy {path}.")
        src = f"data:application/octet-stream;base64,{base64.b64encode(content).decode()}"
        return SavedFile(src=src)

    def poll(self, request: PollRequest) -> PollReply:
        """Return what has changed since the last poll."""
        lists = metrics = timeline = None
        if not self.public:
            lists = self.lists()
            if request.run in [run.name for run in lists.runs]:  # it may have been deleted
                metrics = self.metrics(request)
        if request.timeline is not None:
            with about("timeline.model"):
                timeline = self.timelines.snapshots(request.timeline)
        is_known = lists is None or lists.version == request.version
        return PollReply(lists=None if is_known else lists, metrics=metrics, timeline=timeline)

    def lists(self) -> RunLists:
        """List all runs and sweeps, newest first, and the state of the datasets."""
        runs = [self.row(info) for info in self.runs.all()]
        sweeps = [SweepInfo(**describe(info)) for info in self.runs.sweeps()]
        known = RunLists(version="", runs=runs, sweeps=sweeps, data=self.datasets.state())
        return known.model_copy(update={"version": f"{hash(known.model_dump_json()):x}"})

    def row(self, info: RunStatus) -> RunInfo:
        """Describe a run for the table."""
        config, row = info.config, describe(info)
        eta = None
        with suppress(ConfigError):  # options of an earlier version
            if info.state in RUNNING and info.progress:
                eta = estimate_seconds_left(from_json(config), info.progress, info.seconds)
        if info.watched:
            row["preset"] = "watch"
        if config.get("init_from") is not None:
            row["preset"] = (
                f"{printable_name(run_name(config['init_from']))}, fine-tuned"  # its network; the preset's is not used
            )
        if config.get("teacher") is not None:
            row["preset"] += ", distilled"
        saved = info.state != DAMAGED and is_regular_file(self.runs.folder(info.name) / LAST)
        return RunInfo(
            **row,
            eta=eta,
            is_classifier=config.get("objective", "classify") == "classify",
            augmented=any(config.get(name) for name in AUGMENTATION),
            saved=saved,
            explorable=saved and has_attention(config),
            snapshots=config.get("num_snapshots") != 0,
        )

    def metrics(self, request: PollRequest) -> Metrics:
        """Return the new metrics of a run; all of them if its session has changed."""
        run = str(request.run)
        session = self.runs.find(run).session
        whole = request.session != session
        lines, offset = self.runs.metrics(run, 0 if whole else request.offset)
        return Metrics(session=session, lines=[*complete(lines)], offset=offset, whole=whole)


def describe(info: Info) -> dict[str, Any]:
    """Return the fields of a run or sweep that the page shows, and the split on which it is evaluated."""
    known = {name: value for name, value in vars(info).items() if name not in ("config", "watched")}
    return known | {"measured_on": measured_on(info.config)}


def complete(lines: Iterable[dict[str, Any]]) -> Iterator[MetricsLine]:
    """Generate the lines of metrics that have all fields; what JSON cannot express is None, an alarm its sentence."""
    for line in lines:
        with suppress(ValueError):
            alarms = tuple(map(str, line.pop("alarms", ())))
            finite: dict[str, Any] = {n: x if x is None or math.isfinite(x) else None for n, x in line.items()}
            yield MetricsLine(**finite, alarms=alarms)


def strip_training_state(path: Path) -> bytes:
    """Return the checkpoint file of a run without the tensors and counters that resuming needs."""
    model = run_folder.load(path)
    record = {name: value for name, value in model.record.items() if name != "training"}
    with tempfile.TemporaryDirectory() as folder:
        checkpoint.save(replace(model, record=record), Path(folder) / path.name)
        return (Path(folder) / path.name).read_bytes()
