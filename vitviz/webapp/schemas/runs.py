"""Requests and replies about trainings: the form, runs, sweeps, datasets and timelines."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from vitviz.runs.status import RunResult
from vitviz.view import Index, Model
from vitviz.webapp.schemas.base import Array3, Matrix, Reply, Vector
from vitviz.webapp.schemas.common import NamedImage, Shape
from vitviz.webapp.schemas.data import Download
from vitviz.webapp.schemas.models import Name

SettingValue = TypeAliasType("SettingValue", int | float | str | bool | None)
RunState = TypeAliasType(
    "RunState", Literal["training", "stopping", "stopped", "finished", "interrupted", "failed", "damaged"]
)
Settings = dict[str, SettingValue]


class NetworkSize(Reply):
    """Size of a network: the grid has rows and columns of patches."""

    parameters: int
    tokens: int
    grid: tuple[int, int]
    prefix: int


class PresetInfo(NetworkSize):
    """A preset; `corrected`, the preset without its mistake, if it has one; `unused`, fields without effect on it."""

    name: str
    about: str
    corrected: str | None
    settings: Settings
    unused: list[Name]


class LessonInfo(Reply):
    """A training of a lesson's length: preset, and what it reached in which time; None where it was not measured."""

    minutes: int
    preset: str
    measured_minutes: int | None
    epochs: float | None
    test_accuracy: float | None
    entropy: tuple[float, float] | None
    hardware: str


class ExperimentInfo(Reply):
    """A sweep that repeats a result of a paper: metric to compare, what the paper found, and what differs."""

    name: str
    question: str
    preset: str
    epochs: float
    vary: tuple[str, ...]
    metric: Literal["min_distance"]
    paper: str
    differs: str


class SettingGroup(Reply):
    """A group of hyperparameters: label and description of each."""

    name: str
    fields: dict[str, str]
    about: dict[str, str]


class BundledTimeline(Reply):
    """A bundled checkpoint with a timeline, and its training record."""

    name: str
    distilled: bool
    epochs: float | None
    seconds: float | None
    test_accuracy: float | None
    eval_samples: int | None
    parameters: int | None


class TrainCatalog(Reply):
    """What the form offers, the bundled timelines, the hardware, and the folder of the datasets."""

    lessons: list[LessonInfo]
    experiments: list[ExperimentInfo]
    presets: list[PresetInfo]
    settings: list[SettingGroup]
    choices: dict[str, list[str]]
    timelines: list[BundledTimeline]
    machine: str
    folder: str
    models: list[str]


class ConfigRequest(Model):
    """A preset and the settings that differ from it.

    Attributes:
        preset: Its name.
        settings: Values by the names of config fields.
        init_from: The model to fine-tune, a bundled one or "runs/NAME"; empty for random weights.
        image_folder: Of the dataset "folder".
    """

    preset: Name
    settings: Settings
    init_from: Name = ""
    image_folder: Name = ""


class FormRequest(ConfigRequest):
    """Also the name of the run or sweep, and the grid of a sweep, each NAME=VALUE,VALUE,..."""

    name: Name
    vary: tuple[Annotated[str, Field(max_length=200)], ...] = ()


class AcceptedForm(NetworkSize):
    """The network of a valid form with its hyperparameters, and the number of runs."""

    trainings: int
    model: Settings


class EstimateReply(Reply):
    """Estimate of a training on this machine."""

    parameters: int
    tokens: int | None
    images_per_second: float
    seconds: float
    epochs: float
    device: str


class ProcessInfo(Reply):
    """State of a run or a sweep, and the images on which it is evaluated, "test" or "held-out"."""

    name: str
    state: RunState
    message: str
    session: str
    measured_on: str


class RunInfo(ProcessInfo):
    """A run.

    Attributes:
        preset: The preset that it differs least from, or what it was fine-tuned from.
        is_classifier: Whether it is trained on labels.
        augmented: Whether its images are augmented by more than crops and flips.
        parameters: Of its network.
        progress: Used fraction of the budget.
        epoch: Epochs trained so far.
        epochs: Budget.
        minutes: Budget.
        seconds: Training time so far.
        images_per_second: Of the current process.
        accuracy: Of a finished run.
        eval_samples: Images on which it was measured.
        eta: Time left (s), while it is training.
        saved: Whether it has a checkpoint.
        explorable: Whether that has attention.
        snapshots: Whether it records snapshots.
    """

    preset: str
    is_classifier: bool
    augmented: bool
    parameters: int
    progress: float
    epoch: float
    epochs: float | None
    minutes: float | None
    seconds: float
    images_per_second: float | None
    accuracy: float | None
    eval_samples: int | None
    eta: float | None
    saved: bool
    explorable: bool
    snapshots: bool


class SweepInfo(ProcessInfo):
    """A sweep: name and settings of each run, and results of the completed ones."""

    vary: tuple[str, ...]
    runs: list[tuple[str, dict[str, str]]]
    results: list[RunResult]


class DataInfo(Reply):
    """Which datasets are available, the image folders, and the download."""

    available: dict[str, bool]
    image_folders: list[str]
    download: Download


class RunLists(Reply):
    """Runs and sweeps, newest first, and datasets; another `version` means that something has changed."""

    version: str
    runs: list[RunInfo]
    sweeps: list[SweepInfo]
    data: DataInfo


class UploadedFolder(RunLists):
    """Also the name of the uploaded image folder."""

    uploaded: str


class SurveyReply(Reply):
    """The images of a folder.

    Attributes:
        counts: Training and test images of each class.
        refused: The first rejected files with the reason.
        more: The number of other rejected files.
        divided: Whether the test images were split off the training images.
        problem: Why nothing can be trained on them; empty otherwise.
        sample: One of the images as a data URL, with the size of the model's input; empty without any.
    """

    counts: list[tuple[str, int, int]]
    refused: list[tuple[str, str]]
    more: int
    divided: bool
    problem: str
    sample: str


class NameRequest(Model):
    """The name of a run, a sweep, or an image folder."""

    name: Name


class RenameRequest(NameRequest):
    """Also its new name."""

    new: Name


class TimelineRequest(Model):
    """A timeline, of a bundled checkpoint or "runs/NAME", the index of its probe image, and the first snapshot."""

    model: Name
    image: Index
    first: Index


class TimelineReply(Reply):
    """Snapshots from `first` on; if that is 0 also what all have in common.

    Attributes:
        count: Of all snapshots.
        first: Index of the first one here; 0 if the timeline was written anew.
        epoch: Of each snapshot here.
        seconds: Likewise.
        probabilities: Likewise, of the probe image.
        rows: Class-token attention (S, L, A, T) of the probe image as base64 of uint16, in 1 / 65535.
        entropy: Of each head (S, L, A).
        distance: Likewise.
        probe_loss: Mean over all probe images; None if their classes are not known.
        probe_accuracy: Likewise.
        reconstructions: Of a masked autoencoder: the probe image with its masked patches predicted, at each snapshot.
        image: Index of the probe image.
        masked: Patches of it that are masked there.
        shape: Of the attention.
        classes: Names.
        images: The probe images.
    """

    count: int
    first: int
    epoch: Vector
    seconds: Vector
    probabilities: Matrix
    rows: str
    entropy: Array3 | None
    distance: Array3 | None
    probe_loss: Vector | None
    probe_accuracy: Vector | None
    reconstructions: list[str] | None
    image: int | None = None
    masked: list[int] | None = None
    shape: Shape | None = None
    classes: list[str] | None = None
    images: list[NamedImage] | None = None


class ReconstructionRequest(Model):
    """A model with a timeline, the index of its probe image, and patches of it to mask."""

    model: Name
    image: Index
    masked: tuple[Index, ...]


class Reconstruction(Reply):
    """The image with its masked patches predicted, as a data URL."""

    src: str


class PollRequest(Model):
    """What the page knows.

    Attributes:
        version: Of the lists.
        run: The run whose metrics are shown.
        session: Of the known metrics.
        offset: The end of the known metrics.
        timeline: The timeline on screen.
    """

    version: str = ""
    run: Name | None = None
    session: str = ""
    offset: Index = 0
    timeline: TimelineRequest | None = None


class MetricsLine(Reply):
    """One line of a run's metrics; None for what was not reported, and for a loss that is NaN or infinite.

    From `entropy` on, signals at snapshots and sentences of alarms, see `vitviz.training.alarms`.
    """

    progress: float
    epoch: float
    seconds: float
    loss: float | None
    learning_rate: float | None
    images_per_second: float | None
    accuracy: float | None
    train_accuracy: float | None
    entropy: float | None = None
    distance: float | None = None
    min_distance: float | None = None
    sink_share: float | None = None
    token_norm: float | None = None
    alarms: tuple[str, ...] = ()


class Metrics(Reply):
    """Lines of a run's metrics up to `offset`: all of the `session` if `whole`, otherwise those that are new."""

    session: str
    lines: list[MetricsLine]
    offset: int
    whole: bool


class PollReply(Reply):
    """What has changed: lists of another version; metrics, None without the run; snapshots, None without a timeline."""

    lists: RunLists | None = None
    metrics: Metrics | None = None
    timeline: TimelineReply | None = None
