"""Types of the Learn page."""

from typing_extensions import TypedDict

from vitviz.webapp.schemas.common import Matrix, Pair, Vector


class LessonModel(TypedDict):
    """Sizes of the model; `rotary`: rotary positions.

    `patch` is the height and width of a patch in pixels, equal except for the strips of tutorial-scratch; the square
    root of `scaledWidth` divides the attention scores.
    """

    imgSize: Pair
    patchSize: int
    patch: Pair
    embedDim: int
    headDim: int
    scaledWidth: int
    mlpDim: int
    positions: bool
    rotary: bool


class Removal(TypedDict):
    """What removing some patches does: who ranked them, the patches, and the probabilities of the classes then."""

    name: str
    patches: list[int]
    probabilities: Vector


class LessonContributions(TypedDict):
    """Direct contributions to the logit of the predicted class, by layer."""

    embedding: float
    attention: Vector
    mlp: Vector
    bias: float
    logit: float


class LessonReply(TypedDict):
    """Numbers of a lesson on one image; the forward pass itself is in the response of `explain`.

    `scrambled` is the image as data URL with patches cut by a wrong reshape; `lens` the probabilities by layer,
    (L + 1, K), `norms` (L + 1) the norms of the token that is read; `patchPredictions` (N, K), if the head can be
    applied to one token; `removals` of the patches with the largest values, `random` of sets drawn at random.
    """

    model: LessonModel
    scrambled: str
    logits: Vector
    lens: Matrix
    norms: Vector
    patchPredictions: Matrix | None
    contributions: LessonContributions | None
    removals: list[Removal]
    random: list[Removal]


class LessonHeadRequest(TypedDict):
    """A head, from 0."""

    key: str
    layer: int
    head: int


class LessonHeadReply(TypedDict):
    """Query of the first token (d), keys and values of all tokens (T, d), base64 of float32."""

    query: str
    keys: str
    values: str
    size: int


class LessonPatchRequest(TypedDict):
    """A patch and a dimension of its embedding, from 0."""

    key: str
    patch: int
    dimension: int


class LessonPatchReply(TypedDict):
    """See `vitviz.attribution.lesson.PatchEmbedding`; pixels and weights base64 of float32 (3, h, w)."""

    pixels: str
    weights: str
    product: float
    rest: float | None
    value: float
    positions: Vector


class LessonRemoveRequest(TypedDict):
    """Patches to remove, from 0."""

    key: str
    patches: list[int]


class LessonFlipReply(TypedDict):
    """See `vitviz.attribution.lesson.Flips`."""

    best: list[int] | None
    random: list[int | None]


class LessonTrainingRequest(TypedDict):
    """A checkpoint, and the name of a sample image."""

    checkpoint: str
    name: str


class LessonTrainingReply(TypedDict):
    """Snapshots of a training on one image.

    `maps` are the mean attention of the class token in the last layer, (S, N) base64 of float32; `probabilities` those
    of the image's class, (S,), None if it is not known.
    """

    image: str
    name: str
    epochs: Vector
    maps: str
    probabilities: Vector | None
