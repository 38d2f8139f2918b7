"""Types of the views of Explore: contributions to a logit, features of tokens, and activation patching."""

from typing_extensions import TypedDict

from vitviz.webapp.schemas.common import Vector
from vitviz.webapp.schemas.explore import KeyRequest, TargetRequest


class ContributionsReply(TypedDict):
    """Direct contributions to a logit, which sum to `logit`; `heads` is base64 of float32 (L, A, T)."""

    embedding: float
    heads: str
    attentionBias: Vector
    mlp: Vector
    bias: float
    logit: float


class PixelMapRequest(TargetRequest):
    """Also a method with a map per pixel."""

    method: str


class PixelMapReply(TypedDict):
    """The map of a method per pixel of the model input, base64 of float32 (rows, columns)."""

    values: str
    rows: int
    columns: int


class FeaturesRequest(KeyRequest):
    """Whether the background is removed."""

    foreground: bool


class FeaturesReply(TypedDict):
    """Principal components of patch tokens by layer: colors, base64 of RGBA (L, N, 4), and explained variance ratios.

    Removed patches are transparent. A layer has no ratios if fewer than three patches are left.
    """

    pixels: str
    explained: list[Vector | None]


class SimilarityRequest(KeyRequest):
    """A patch, counted from 0."""

    patch: int


class SimilarityReply(TypedDict):
    """Cosine similarities with all patches by layer, base64 of float32 (L, N)."""

    values: str


class NearestImage(TypedDict):
    """A training image and its cosine similarity."""

    src: str
    label: str
    index: int
    similarity: float


class NearestReply(TypedDict):
    """The most similar of `count` training images."""

    images: list[NearestImage]
    count: int


class NearestRequest(KeyRequest):
    """Also the id of the task."""

    task: str


class PatchingRequest(TargetRequest):
    """Also the key of the second image, in whose forward pass activations are replaced, and the id of the task."""

    other: str
    task: str


class PatchedHeads(TypedDict):
    """Recovered logit difference of each head, (L, A), and of each MLP, (L,).

    `logit` is that of the image, `corruptedLogit` that of the second image, `target` the class and its contrast.
    """

    heads: list[Vector]
    mlp: Vector
    logit: float
    corruptedLogit: float
    target: list[int]


class PatchTokensRequest(PatchingRequest):
    """Also a layer, from 0."""

    layer: int


class PatchedTokens(TypedDict):
    """Recovered logit difference of each token after a layer, (T,)."""

    tokens: Vector


class TaskRequest(TypedDict):
    """The id of a task, and whether to cancel it."""

    task: str
    cancel: bool


class TaskProgress(TypedDict):
    """How much of a task is done; 0 of 0 while it does not run."""

    done: int
    total: int
