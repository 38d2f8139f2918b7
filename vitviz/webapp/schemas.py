"""Types of all data between the page and Python: initial data of each tab, requests and responses.

`python -m scripts.types` writes them in TypeScript, which the scripts of the page are checked against. Requests are
untrusted nevertheless: `vitviz.webapp.server.requests` checks every field.
"""

from typing import Annotated, Literal, NotRequired

from annotated_types import Len
from typing_extensions import TypeAliasType, TypedDict

Pair = Annotated[list[int], Len(2, 2)]
Vector = list[float]
Matrix = list[Vector]
Array3 = list[Matrix]
Array4 = list[Array3]
SettingValue = TypeAliasType("SettingValue", float | str | bool | None)
RunState = TypeAliasType("RunState", Literal["training", "stopping", "stopped", "finished", "interrupted", "failed"])


class Refusal(TypedDict):
    """Response to a request that was not served; `busy` if it can be repeated."""

    error: str
    busy: NotRequired[bool]


class Empty(TypedDict):
    """Argument of functions that need none."""


# --- initial data ---


class ColorTable(TypedDict):
    """256 RGB triples in base64 for values from 0 (`seq`) and around 0 (`div`)."""

    seq: str
    div: str


class ColorTables(TypedDict):
    """Color tables by theme."""

    light: ColorTable
    dark: ColorTable


class NamedImage(TypedDict):
    """An image as a data URL."""

    name: str
    src: str


class Photo(NamedImage):
    """A photograph that ships with vitviz."""

    title: str


class ModelInfo(TypedDict):
    """A model that can be explained; `accuracy` is that on the `eval_samples` `measured_on` images, if recorded.

    `dataset` is the name of the dataset it was trained on, if its test images can be listed and are not CIFAR-10.
    """

    name: str
    dataset: str | None
    layers: int
    heads: int
    accuracy: float | None
    eval_samples: int | None
    measured_on: str
    is_classifier: bool


class CifarInfo(TypedDict):
    """CIFAR-10: whether it is available, and otherwise how to get it."""

    available: bool
    classes: list[str]
    message: str


class ModelList(TypedDict):
    """Response of `list_models`."""

    checkpoints: list[ModelInfo]
    cifar: CifarInfo


class MethodInfo(TypedDict):
    """An attribution method."""

    key: str
    name: str
    about: str
    aboutWithoutClassToken: str
    formula: str
    formulaWithoutClassToken: str
    source: str
    unit: Literal["weights", "logits", "relative"]
    forClass: bool


class ExploreCatalog(ModelList):
    """Initial data of Explore; uploads have at most `maxBytes`."""

    samples: list[NamedImage]
    photos: list[Photo]
    methods: list[MethodInfo]
    maxBytes: int
    colors: ColorTables
    public: bool


class InternalsCatalog(ModelList):
    """Initial data of Internals."""

    colors: ColorTables


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
    movies: list[str]
    colors: ColorTables


# --- Explore ---


class SampleChoice(TypedDict):
    """A drawn sample or a photograph."""

    kind: Literal["sample"]
    name: str


class CifarChoice(TypedDict):
    """A test image of CIFAR-10."""

    kind: Literal["cifar"]
    index: int


class DatasetChoice(TypedDict):
    """A test image of the dataset that the model of a run ("runs/NAME") was trained on."""

    kind: Literal["dataset"]
    run: str
    index: int


class UploadChoice(TypedDict):
    """An uploaded image; `crop` is the position of the crop along its longer side, 0.5 (the center) by default."""

    kind: Literal["upload"]
    path: str
    name: str
    crop: NotRequired[float]


ImageChoice = TypeAliasType("ImageChoice", SampleChoice | CifarChoice | DatasetChoice | UploadChoice)


class ExplainRequest(TypedDict):
    """An image and the model that explains it."""

    checkpoint: str
    image: ImageChoice


class GridShape(TypedDict):
    """Shape of the attention; `aspect` is the width of the image divided by its height."""

    layers: int
    heads: int
    rows: int
    columns: int
    aspect: float
    prefix: int
    classToken: bool


class ExplainedImage(TypedDict):
    """The model input, the thumbnail of an upload, and what the image shows: a class index and a word, if known.

    `outlines` is the data of an SVG path in a box of 1000 x 1000.
    """

    src: str
    outlines: str
    original: str | None
    caption: str
    truth: int | None
    shows: str | None
    note: str


class ScaleLimits(TypedDict):
    """Upper ends of the shared scales, attention weights: of heads, and of means over heads, layers or both."""

    heads: float
    means: float


class ExplainReply(GridShape):
    """Explanation of an image; `cls` is the attention (L, A, T) of the default query as base64 of float32.

    `limits` are those of the directions "from" and "to".
    """

    key: str
    checkpoint: str
    classes: list[str]
    image: ExplainedImage
    probabilities: Vector
    cls: str
    limits: dict[str, ScaleLimits]
    maps: dict[str, Vector]


class KeyRequest(TypedDict):
    """The key of an explanation."""

    key: str


class TargetRequest(KeyRequest):
    """Also the explained class and the contrast class; empty for the predicted class."""

    target: list[int]


class MethodsReply(TypedDict):
    """The map of each method."""

    maps: dict[str, Vector]


class ScoresReply(TypedDict):
    """The score of each method, None for a flat map; mean and standard deviation over random rankings."""

    scores: dict[str, float | None]
    random_baseline: Annotated[Vector, Len(2, 2)]


class FullAttention(TypedDict):
    """Attention (L, A, T, T) as base64 of zlib: uint16 / 65535, or uint8 / 255 of `largest`, float32 (L, A, T)."""

    weights: str
    largest: str | None


class SavedView(TypedDict):
    """The view that a saved explanation opens with, its ablated heads (layer * A + head) and removed patches.

    `outlines` is an opacity in percent.
    """

    method: str | None
    layer: int | None
    head: int | None
    query: list[int]
    direction: Literal["from", "to"]
    scale: Literal["shared", "uniform", "map"]
    smooth: bool
    outlines: int
    target: list[int]
    ablated: list[int]
    removed: list[int]


class ExplorerData(TypedDict):
    """An explanation in a saved file or a notebook, where the explorer has no server."""

    reply: ExplainReply
    attention: FullAttention
    scores: ScoresReply | None
    methods: list[MethodInfo]
    view: SavedView
    isClassifier: bool
    accuracy: float | None
    eval_samples: int | None
    caption: str
    colors: ColorTables


class AblateRequest(KeyRequest):
    """Ablated heads, pairs of layer and head, and removed patches."""

    heads: list[Pair]
    patches: list[int]
    mode: Literal["zero", "mean"]
    patch_mode: Literal["drop", "gray"]


class AblateReply(KeyRequest):
    """The ablated explanation; `cls` as in `ExplainReply`."""

    probabilities: Vector
    cls: str


class ShownView(TypedDict):
    """What is on screen: a method, or a head or a mean over layers or heads (None); `outlines` is an opacity, 0..1."""

    method: str | None
    layer: int | None
    head: int | None
    patches: list[int]
    direction: Literal["from", "to"]
    target: list[int]
    scale: Literal["shared", "uniform", "map"]
    smooth: bool
    outlines: float
    truth: int | None


class CodeRequest(KeyRequest):
    """The view whose arrays the code computes."""

    view: ShownView


class CodeReply(TypedDict):
    """Python code."""

    code: str


class FigureRequest(CodeRequest):
    """Also what the file contains, its format and size, and the address that it prints."""

    content: Literal["view", "map", "matrix", "methods", "sheet", "layers", "patches"]
    format: Literal["png", "svg", "pdf", "npz", "csv", "html", "gif", "webp"]
    size: Literal["content", "16:9"]
    link: str | None


class FigureFile(TypedDict):
    """A file to save: its name, and its content as a data URL."""

    name: str
    src: str


class FigureReply(FigureFile):
    """Also the caption that the figure prints."""

    caption: str


class GalleryRequest(TypedDict):
    """One page of test images of a class (-1 for all), selected by the predictions of `checkpoint` unless all.

    `dataset` is "cifar10", or "runs/NAME" for the dataset of that run. With `index`, the page with that image.
    """

    dataset: str
    label: int
    page: int
    index: NotRequired[int]
    shown: Literal["all", "correct", "misclassified", "confidently wrong"]
    checkpoint: NotRequired[str]


class GalleryImage(TypedDict):
    """A test image, and its prediction if the images are selected by it."""

    index: int
    label: int
    src: str
    prediction: NotRequired[str]
    probability: NotRequired[float]


class GalleryReply(TypedDict):
    """One page of test images, the number of pages and images of the selection, and the classes of the dataset."""

    images: list[GalleryImage]
    page: int
    pages: int
    count: int
    classes: list[str]


class GalleryProgressRequest(TypedDict):
    """The dataset and the model of a gallery."""

    dataset: str
    checkpoint: str


class GalleryProgress(TypedDict):
    """Number of test images that the model has classified, and of all."""

    done: int
    total: int


class CifarDownloadRequest(TypedDict):
    """Start or cancel the download of CIFAR-10, or return its state."""

    action: Literal["start", "cancel", "state"]


# --- Internals ---


class ProbesRequest(TypedDict):
    """A model, and the images to probe it with."""

    checkpoint: str
    images: str  # "samples" or "test"


class ProbeFigureRequest(ProbesRequest):
    """Also the name of a figure, and the format of its file."""

    probe: str
    format: Literal["png", "svg", "pdf", "csv"]


class ProbesReply(TypedDict):
    """Probes of a model; shapes as of `vitviz.attribution.probes.Probes`."""

    checkpoint: str
    images: str
    size: Pair
    grid: Pair
    prefix: int
    classes: int
    filters: Array4
    explained: Vector
    position_similarity: Array4
    distance: Matrix
    uniform_distance: float
    effective_tokens: Matrix
    head_divergence: Array3
    norms: Matrix
    longest: Vector
    outliers: Matrix
    final_agreement: Vector
    final_probability: Vector
    class_token_cosine: Array3
    cka: Matrix


# --- Train ---


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


class DownloadInfo(TypedDict):
    """State of the download of a dataset."""

    dataset: str
    running: bool
    progress: float
    message: str


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


class MovieRequest(TypedDict):
    """A timeline, the index of its probe image, and the ending of the file name."""

    source: str
    image: int
    ending: str


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


class Requests(TypedDict):
    """Server functions by name: argument and response. None means that the key has expired."""

    explain: tuple[ExplainRequest, ExplainReply | Refusal]
    attention: tuple[KeyRequest, str | Refusal | None]
    methods: tuple[TargetRequest, MethodsReply | Refusal | None]
    scores: tuple[TargetRequest, ScoresReply | Refusal | None]
    ablate: tuple[AblateRequest, AblateReply | Refusal | None]
    figure: tuple[FigureRequest, FigureReply | Refusal | None]
    code: tuple[CodeRequest, CodeReply | Refusal | None]
    gallery: tuple[GalleryRequest, GalleryReply | Refusal]
    gallery_progress: tuple[GalleryProgressRequest, GalleryProgress | Refusal]
    cifar_download: tuple[CifarDownloadRequest, DownloadInfo | Refusal]
    list_models: tuple[Empty, ModelList | Refusal]
    probes: tuple[ProbesRequest, ProbesReply | Refusal]
    probe_figure: tuple[ProbeFigureRequest, FigureFile | Refusal]
    check: tuple[FormRequest, CheckReply | Refusal]
    estimate: tuple[ConfigRequest, EstimateReply | Refusal]
    start: tuple[FormRequest, RunLists | Refusal]
    resume: tuple[NameRequest, RunLists | Refusal]
    resume_sweep: tuple[NameRequest, RunLists | Refusal]
    stop: tuple[NameRequest, RunLists | Refusal]
    rename: tuple[RenameRequest, RunLists | Refusal]
    delete: tuple[NameRequest, RunLists | Refusal]
    download: tuple[NameRequest, FileReply | Refusal]
    poll: tuple[PollRequest, PollReply | Refusal]
    movie: tuple[MovieRequest, FileReply | Refusal]
    download_data: tuple[DatasetRequest, RunLists | Refusal]
    cancel_download: tuple[Empty, RunLists | Refusal]
    upload_images: tuple[UploadRequest, UploadedReply | Refusal]
    survey: tuple[ConfigRequest, SurveyReply | Refusal]
