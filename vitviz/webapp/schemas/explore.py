"""Types of the Explore page."""

from typing import Annotated, Literal, NotRequired

from annotated_types import Len
from typing_extensions import TypeAliasType, TypedDict

from vitviz.attribution.provenance import Provenance
from vitviz.view import Subject, View
from vitviz.webapp.schemas import explanations
from vitviz.webapp.schemas.common import ColorTables, GridShape, ModelInfo, ModelList, NamedImage, Pair, Photo, Vector


class MethodInfo(TypedDict):
    """An attribution method; those on request have a map only after `map_on_request`, some also one per pixel."""

    key: str
    name: str
    about: str
    aboutWithoutClassToken: str
    formula: str
    formulaWithoutClassToken: str
    source: str
    unit: Literal["weights", "logits", "relative"]
    forClass: bool
    onRequest: bool
    hasPixels: bool


class Catalog(ModelList):
    """Initial data of the page; uploads have at most `maxBytes`."""

    samples: list[NamedImage]
    photos: list[Photo]
    methods: list[MethodInfo]
    maxBytes: int  # noqa: N815
    colors: ColorTables
    public: bool


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


class ExplainedImage(TypedDict):
    """The model input, the thumbnail of an upload, and what the image shows: a class index and a word, if known.

    `crop` is the side of the center crop divided by that of
    the largest one, None if the whole image is resized.
    """

    src: str
    original: str | None
    caption: str
    truth: int | None
    shows: str | None
    crop: float | None
    note: str


class ScaleLimits(TypedDict):
    """Upper ends of the shared scales, attention weights: of heads, and of means over heads, layers or both."""

    heads: float
    means: float


class Explained(GridShape):
    """Explanation of an image; `cls` is the attention (L, A, T) of the default query as base64 of float32.

    `pool`, of models with attention pooling, has its weights (A, T) as base64 of float32.
    `limits` are those of the directions "from" and "to"; `credit` names source and license of the weights.
    `onDemand`: the full attention is large, so that the rows of
    other queries are requested one by one.
    """

    checkpoint: str
    classes: list[str]
    image: ExplainedImage
    probabilities: Vector
    cls: str
    pool: str | None
    onDemand: bool  # noqa: N815
    limits: dict[str, ScaleLimits]
    credit: str
    maps: dict[str, Vector]


class ExplainReply(Explained):
    """Also the key under which the server holds it."""

    key: str


class KeyRequest(TypedDict):
    """The key of an explanation."""

    key: str


class RowsRequest(KeyRequest):
    """Also the query patches, empty for the default query, and the direction."""

    patches: list[int]
    direction: Literal["from", "to"]


class TargetRequest(KeyRequest):
    """Also the explained class and the contrast class; empty for the predicted class."""

    target: list[int]


class MethodsRequest(TargetRequest):
    """Also whether to leave out the maps that take many forward passes."""

    quick: NotRequired[bool]


class MethodsReply(TypedDict):
    """The map of each method; `leftOut` says why maps and all scores are missing, if they are."""

    maps: dict[str, Vector]
    leftOut: str | None


class ScoresReply(TypedDict):
    """The score of each method, None for a flat map; mean and standard deviation over random rankings."""

    scores: dict[str, float | None]
    random_baseline: Annotated[Vector, Len(2, 2)]


class OnRequestRequest(TargetRequest):
    """Also a method on request, and the id of the task."""

    method: str
    task: str


class OnRequestReply(TypedDict):
    """The map of a method on request and its score, None for a flat map."""

    map: Vector
    score: float | None


class FullAttention(TypedDict):
    """Attention (L, A, T, T) as base64 of zlib: uint16 / 65535, or uint8 / 255 of `largest`, float32 (L, A, T)."""

    weights: str
    largest: str | None


class SavedData(TypedDict):
    """What a saved file or a notebook holds of an explanation.

    Of large models, `attention` is None, and `rows` holds those of the view's query and of the class token, as the
    server function of this name returns them, by direction and patches ("from 3,5").
    """

    explained: explanations.Explained
    attention: FullAttention | None
    rows: dict[str, str]
    scores: explanations.Scores | None
    methods: list[MethodInfo]
    model: ModelInfo
    caption: str
    colors: ColorTables


class ExplorerData(TypedDict):
    """An explanation in a saved file or a notebook, where the explorer has no server."""

    subject: Subject
    view: View
    provenance: Provenance
    data: SavedData


class AblateRequest(KeyRequest):
    """Ablated heads, pairs of layer and head, and removed patches."""

    heads: list[Pair]
    patches: list[int]
    mode: Literal["zero", "mean"]
    patch_mode: Literal["drop", "gray"]


class AblateReply(KeyRequest):
    """The ablated explanation; `cls` and `pool` as in `ExplainReply`."""

    probabilities: Vector
    cls: str
    pool: str | None


class ShownView(TypedDict):
    """What is on screen: a method, or a head or a mean over layers or heads (None); `outlines` is an opacity, 0..1.

    `pixels`: a method's map is shown by pixel; `foreground`: features are shown without the background; `other`: key of
    the second image of activation patching.
    """

    method: str | None
    layer: int | Literal["pool"] | None
    head: int | None
    patches: list[int]
    direction: Literal["from", "to"]
    target: list[int]
    scale: Literal["shared", "uniform", "map"]
    smooth: bool
    outlines: float
    truth: int | None
    pixels: bool
    foreground: bool
    other: str | None


class CodeRequest(KeyRequest):
    """The view whose arrays the code computes, and what of it is shown."""

    view: ShownView
    content: Literal[
        "view", "map", "matrix", "methods", "sheet", "layers", "patches", "contributions", "features", "patching"
    ]


class CodeReply(TypedDict):
    """Python code."""

    code: str


class FigureRequest(CodeRequest):
    """Also the format of the file: arrays, a table, or the explorer."""

    format: Literal["npz", "csv", "html"]


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
