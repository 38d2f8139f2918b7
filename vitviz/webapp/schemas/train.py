"""Types of the Train page."""

from typing import Literal, NotRequired

from typing_extensions import TypeAliasType, TypedDict

from vitviz.webapp.schemas.common import (
    Array3,
    ColorTables,
    DownloadInfo,
    GridShape,
    Matrix,
    NamedImage,
    Pair,
    RunState,
    SettingValue,
    Vector,
)


class NetworkSize(TypedDict):
    """Size of a network: the grid has rows and columns of patches."""

    parameters: int
    tokens: int
    grid: Pair
    prefix: int


class PresetInfo(NetworkSize):
    """A preset; `plain` if its architecture is "vit"; `corrected`, the preset without its mistake, if it has one."""

    name: str
    about: str
    corrected: str | None
    settings: dict[str, SettingValue]
    plain: bool


class LessonInfo(TypedDict):
    """A training of a lesson's length: preset, and what it reached in which time; None where it was not measured."""

    minutes: int
    preset: str
    measured_minutes: int | None
    epochs: float | None
    test_accuracy: float | None
    entropy: tuple[float, float] | None
    hardware: str


class SettingGroup(TypedDict):
    """A group of hyperparameters: label and description of each."""

    name: str
    fields: dict[str, str]
    about: dict[str, str]


class BundledTimeline(TypedDict):
    """A bundled checkpoint with a timeline, and its training record."""

    name: str
    distilled: bool
    epochs: float | None
    seconds: float | None
    test_accuracy: float | None
    eval_samples: int | None
    parameters: int | None


class TrainCatalog(TypedDict):
    """Initial data of Train."""

    lessons: list[LessonInfo]
    presets: list[PresetInfo]
    settings: list[SettingGroup]
    choices: dict[str, list[str]]
    sources: list[BundledTimeline]
    public: bool
    machine: str
    image: str
    folder: str
    models: list[str]
    max_upload: int
    colors: ColorTables


class ConfigRequest(TypedDict):
    """A preset and the settings that differ from it; a model to fine-tune; for the dataset "folder" its folder."""

    preset: str
    settings: dict[str, SettingValue]
    init_from: NotRequired[str]
    image_folder: NotRequired[str]


class FormRequest(ConfigRequest):
    """Also the name of the run or sweep, and the grid of a sweep, each NAME=VALUE,VALUE,..."""

    name: str
    vary: NotRequired[list[str]]


class AcceptedForm(NetworkSize):
    """The network of a valid form with its hyperparameters, and the number of runs."""

    trainings: int
    model: dict[str, SettingValue]


class RefusedForm(TypedDict):
    """Why a form is invalid, and the invalid field."""

    refused: str
    field: str | None


CheckReply = TypeAliasType("CheckReply", AcceptedForm | RefusedForm)


class EstimateReply(TypedDict):
    """Estimate of a training on this machine."""

    parameters: int
    tokens: int | None
    images_per_second: float
    seconds: float
    epochs: float
    device: str


class ProcessInfo(TypedDict):
    """State of a run or a sweep, and the images on which it is evaluated, "test" or "held-out"."""

    name: str
    state: RunState
    message: str
    session: str
    measured_on: str


class RunInfo(ProcessInfo):
    """A run; `eta` (s) while it is training; the number of images of a final accuracy."""

    preset: str
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
    eta: NotRequired[float]
    saved: bool
    explorable: bool
    snapshots: bool


class SweepResult(TypedDict):
    """Result of a completed run of a sweep."""

    run: str
    settings: dict[str, str]
    state: Literal["finished", "failed"]
    message: str
    parameters: int | None
    epochs: float | None
    seconds: float | None
    train_samples: int | None
    accuracy: float | None
    eval_samples: NotRequired[int | None]


class SweepInfo(ProcessInfo):
    """A sweep: name and settings of each run, and results of the completed ones."""

    vary: list[str]
    runs: list[tuple[str, dict[str, str]]]
    results: list[SweepResult]


class DataInfo(TypedDict):
    """Which datasets are available, the image folders, and the download."""

    available: dict[str, bool]
    image_folders: list[str]
    download: DownloadInfo


class RunLists(TypedDict):
    """Runs and sweeps, newest first, and datasets."""

    version: str
    runs: list[RunInfo]
    sweeps: list[SweepInfo]
    data: DataInfo


class UploadedReply(RunLists):
    """Also the name of the uploaded image folder."""

    uploaded: str


class SurveyReply(TypedDict):
    """Training and test images of each class; rejected files with the reason, and the number of others."""

    counts: list[tuple[str, int, int]]
    refused: list[tuple[str, str]]
    more: int
    divided: bool
    problem: str


class NameRequest(TypedDict):
    """The name of a run or a sweep."""

    name: str


class RenameRequest(NameRequest):
    """Also its new name."""

    new: str


class DatasetRequest(TypedDict):
    """The dataset to download."""

    dataset: str


class UploadRequest(TypedDict):
    """An uploaded file, and its name on the visitor's computer."""

    path: str
    name: str


class FileReply(TypedDict):
    """A file to save, in base64."""

    name: str
    content: str


TimelineStart = TypedDict("TimelineStart", {"from": int})  # a keyword of Python


class TimelineRequest(TimelineStart):
    """A timeline, the index of its probe image, and the first snapshot."""

    source: str
    image: int


class TimelineReply(TimelineStart):
    """Snapshots; `rows` is attention (S, L, A, T) as base64 of uint16. From 0 also what all have in common.

    Loss and accuracy are those of all probe images; None if their classes are not known.
    """

    count: int
    epoch: Vector
    seconds: Vector
    probabilities: Matrix
    rows: str
    entropy: Array3 | None
    distance: Array3 | None
    probe_loss: Vector | None
    probe_accuracy: Vector | None
    image: NotRequired[int]
    shape: NotRequired[GridShape]
    classes: NotRequired[list[str]]
    images: NotRequired[list[NamedImage]]


class PollRequest(TypedDict):
    """What the page knows: the lists, the metrics of the run on screen, and its timeline."""

    version: str
    run: NotRequired[str]
    session: NotRequired[str]
    offset: NotRequired[int]
    timeline: NotRequired[TimelineRequest]


class MetricsLine(TypedDict):
    """One line of a run's metrics."""

    progress: float
    epoch: float
    seconds: float
    loss: float
    learning_rate: float
    images_per_second: float
    accuracy: float | None
    train_accuracy: float | None


class PollReply(TypedDict):
    """What has changed: lists of another version, metrics of the run, new snapshots; None without a timeline."""

    version: NotRequired[str]
    runs: NotRequired[list[RunInfo]]
    sweeps: NotRequired[list[SweepInfo]]
    data: NotRequired[DataInfo]
    session: NotRequired[str]
    metrics: NotRequired[list[MetricsLine]]
    offset: NotRequired[int]
    whole: NotRequired[bool]
    timeline: NotRequired[TimelineReply | None]
