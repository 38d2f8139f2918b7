"""Requests and replies about explanations. Arrays are base64 of little-endian bytes; layers and patches are from 0."""

from typing import Annotated, Literal

from pydantic import Field

from vitviz.view import Image, Index, Model, Subject, View
from vitviz.webapp.schemas.base import Matrix, Reply, Vector
from vitviz.webapp.schemas.common import Shape

MAX_IMAGES = 24  # of a contact sheet
Target = Annotated[tuple[Index, ...], Field(max_length=2)]


class SubjectRequest(Model):
    """What is explained."""

    subject: Subject


class RowsRequest(SubjectRequest):
    """Also the query patches, empty for the class token, and the direction."""

    query: tuple[Index, ...] = ()
    direction: Literal["from", "to"] = "from"


class ScorePartsRequest(SubjectRequest):
    """Also a head, and the query patches, empty for the class token."""

    layer: Index
    head: Index
    query: tuple[Index, ...] = ()


class TargetRequest(SubjectRequest):
    """Also the explained class and its contrast class, if any; empty for the predicted class."""

    target: Target = ()


class MapsRequest(TargetRequest):
    """Also which maps: those that the page shows first, those that take few forward passes, or all."""

    part: Literal["first", "quick", "all"] = "all"


class MapRequest(TargetRequest):
    """Also a method."""

    method: str


class FeaturesRequest(SubjectRequest):
    """Also whether the background is left out."""

    foreground: bool = False


class SimilarityRequest(SubjectRequest):
    """Also a patch, and another image by the same model, whose patches are compared with it; None for the same."""

    patch: Index
    other: Subject | None = None


class LensRequest(TargetRequest):
    """Also whether the tuned lens is fit on training images of CIFAR-10 where the model has none."""

    fit: bool = False


class NearestRequest(SubjectRequest):
    """Also the images among which to search: the training images of CIFAR-10, or those that ship with vitviz."""

    among: Literal["cifar10", "samples"] = "cifar10"


class PatchingRequest(TargetRequest):
    """Also the second image, in whose forward pass activations are replaced, by those of what.

    `part` "heads" is all heads and MLPs; "tokens" all tokens after `layer`. An empty target is the prediction of the
    first image against that of the second.
    """

    other: Image
    part: Literal["heads", "tokens"] = "heads"
    layer: Index = 0


class CodeRequest(SubjectRequest):
    """Also the view whose arrays the code computes."""

    view: View = View()


class FileRequest(CodeRequest):
    """Also the format of the file, and whether arrays or a table are those of all methods instead of the view's."""

    format: Literal["npz", "csv", "html"]
    methods: bool = False


class SideRequest(SubjectRequest):
    """A side of a comparison: also what is shown of it, the attention, a method, or the similarity to a patch of A."""

    view: View = View()


class ComparisonRequest(Model):
    """Two sides."""

    a: SideRequest
    b: SideRequest


class SwapRequest(SubjectRequest):
    """The subject whose patches stay, and the one whose class token is inserted."""

    other: Subject


class ScoreParts(Reply):
    """The attention scores of a query, (N,), and the parts that sum to them, (n, N); see `head_factors.score_parts`.

    Attributes:
        images: Number of images over which means were taken.
    """

    names: tuple[str, ...]
    parts: Matrix
    scores: Vector
    images: int


class Swap(Reply):
    """The output for the patches of A and, after a layer, the class token of B; index 0 is before the first layer.

    Attributes:
        labels: Predicted classes of A and B; None for a model that predicts no class.
        patches: Probability of A's class, or the share of A's output, (L + 1,).
        class_token: Probability of B's class, or the share of B's output, (L + 1,).
    """

    labels: tuple[str, str] | None
    patches: Vector
    class_token: Vector


class ComparisonFileRequest(ComparisonRequest):
    """Also the format of the file."""

    format: Literal["npz", "csv"]


class ContactSheetRequest(CodeRequest):
    """Also the images that are explained as the subject's is, which may be one of them."""

    images: Annotated[tuple[Image, ...], Field(min_length=1, max_length=MAX_IMAGES)]


class ExplainedImage(Reply):
    """The image of a subject, without its ablations.

    Attributes:
        pixels: The model input, uint8 RGB (height, width, 3).
        width: Of the model input.
        height: Likewise.
        original: Thumbnail of an upload.
        name: Of the image in figures.
        caption: Where it is from.
        note: The preprocessing.
        crop: Side of the center crop divided by that of the largest one; None if the whole image is resized.
        truth: Index of the class that it shows, if known.
        shows: Name of this class, if known.
    """

    pixels: str
    width: int
    height: int
    original: str | None
    name: str
    caption: str
    note: str
    crop: float | None
    truth: int | None
    shows: str | None


class Limits(Reply):
    """Upper ends of the shared scales, attention weights: of heads, and of means over heads, layers or both."""

    heads: float
    means: float


class Explained(Reply):
    """The prediction for a subject, the shape and the attention of the default query.

    Attributes:
        model: Name of the model.
        classes: Names of the K classes.
        probabilities: (K,).
        shape: Of the attention.
        methods: Those that the model has; those on request need classes.
        cls: Attention of the class token, or the mean over the patches in a model without one, float32 (L, A, T); 0 for
            ablated heads.
        pool: Weights of attention pooling, float32 (A, T), of models that have it.
        on_demand: Whether the full attention is too large to be sent, so that rows are requested one by one.
        limits: Of the image without ablations, by direction.
        credit: Sentence with source and license of the weights; empty for those of vitviz.
        image: The image.
        maps: Of the methods that need no further pass, (N,), for the predicted class.
        notes: What a reader of a map must know, by method.
    """

    model: str
    classes: list[str]
    probabilities: Vector
    shape: Shape
    methods: list[str]
    cls: str
    pool: str | None
    on_demand: bool
    limits: dict[Literal["from", "to"], Limits]
    credit: str
    image: ExplainedImage
    maps: dict[str, Vector]
    notes: dict[str, str]


class Attention(Reply):
    """Attention weights as uint16 / 65535: (L, A, T, T), or (L, A, T) of a query; 0 for ablated heads."""

    weights: str


class Maps(Reply):
    """Maps for a class.

    Attributes:
        maps: Of each method, (N,).
        notes: What a reader of a map must know, by method.
        skipped: Why maps and all scores are missing, if they are.
    """

    maps: dict[str, Vector]
    notes: dict[str, str]
    skipped: str | None


class Scores(Reply):
    """Faithfulness of all methods.

    Attributes:
        scores: The fraction of the (first) class's probability that is lost, on average, while patches are removed, by
            method; None for a flat map.
        random_baseline: Mean and standard deviation over random rankings.
    """

    scores: dict[str, float | None]
    random_baseline: tuple[float, float]


class ScoredMap(Reply):
    """The map of a method, (N,), and its score; None for a flat map, or if the method is not on request."""

    map: Vector
    score: float | None


class PixelMap(Reply):
    """The map of a method per pixel of the model input, float32 (rows, columns)."""

    values: str
    rows: int
    columns: int


class Contributions(Reply):
    """Direct contributions to a logit, which sum to `logit`; `heads` is float32 (L, A, T)."""

    embedding: float
    heads: str
    attention_bias: Vector
    mlp: Vector
    bias: float
    logit: float


class Features(Reply):
    """Patch tokens along their principal components by layer, float32 (L, N, 3), and explained variance ratios.

    Removed patches are NaN. A layer has no ratios if fewer than three patches are left.
    """

    scores: str
    explained: list[Vector | None]


class Similarity(Reply):
    """Cosine similarities of a patch with all patches by layer, float32 (L, N)."""

    values: str


class TunedLens(Reply):
    """What the tuned lens of a model reads from each patch, from the input of the first block on.

    Attributes:
        values: Probability of the (first) class, float32 (L + 1, N); 0 for removed patches.
        accuracy: Of each layer, (L + 1,).
        localization: AUROC of each layer, (L + 1,); None if it is not known.
        plain_localization: The same of the plain logit lens; None where the head reads other tokens.
        images: Number of images that were fit.
        held_out: Number of those that accuracy and localization are of.
        dataset: Name of the images.
    """

    values: str
    accuracy: Vector
    localization: Vector | None
    plain_localization: Vector | None
    images: int
    held_out: int
    dataset: str


class Lens(Reply):
    """The tuned lens of a model; None if it was not fit."""

    lens: TunedLens | None


class NearestImage(Reply):
    """An image, its class or the name of a sample, its index, and its cosine similarity."""

    src: str
    label: str
    index: int
    similarity: float


class Nearest(Reply):
    """The most similar of `count` images."""

    images: list[NearestImage]
    count: int


class Patched(Reply):
    """What activation patching recovers of the logit difference.

    Attributes:
        heads: Of each head, (L, A); empty for the part "tokens".
        mlp: Of each MLP, (L,); empty for the part "tokens".
        tokens: Of each token after the layer, (T,); empty for the part "heads".
        logit: Logit difference of the first image.
        corrupted_logit: Of the second image.
        target: The class and its contrast.
    """

    heads: list[Vector]
    mlp: Vector
    tokens: Vector
    logit: float
    corrupted_logit: float
    target: list[int]


class Code(Reply):
    """Python code."""

    code: str


class MapScale(Reply):
    """The scale of a map: from `low` to `limit`, from -`limit` to `limit`, or uniform attention times 1/8 to 8."""

    kind: Literal["linear", "signed", "uniform"]
    low: float
    limit: float
    clips: bool
    is_weight: bool
    unit: str


class SheetImage(Reply):
    """An image of a contact sheet.

    Attributes:
        name: Of the image.
        src: Thumbnail of the model input.
        prediction: The most probable class and its probability; empty for a model that predicts no class.
        values: The map (N) on the common scale, None for removed patches; None for colors.
        colors: Of the patches, RGBA (N, 4); None for a map.
    """

    name: str
    src: str
    prediction: str
    values: list[float | None] | None
    colors: str | None


class ContactSheet(Reply):
    """Several images and their maps on one scale, or the features of their patches as colors in one basis.

    Attributes:
        images: The images.
        rows: Of the grid of patches.
        columns: Likewise.
        aspect: Width divided by height of the model input.
        scale: Of all maps; None for colors.
        title: What the maps are.
        note: What the colors are.
    """

    images: list[SheetImage]
    rows: int
    columns: int
    aspect: float
    scale: MapScale | None
    title: str
    note: str
