"""What the page starts with, and what a saved file or a notebook holds instead of a server."""

from typing import Literal

from typing_extensions import TypedDict

from vitviz.attribution.provenance import Provenance
from vitviz.view import Subject, View
from vitviz.webapp.schemas import explanations
from vitviz.webapp.schemas.common import ColorTables, ModelInfo, ModelList, NamedImage, Photo


class MethodInfo(TypedDict):
    """An attribution method; those on request take many forward passes, some have also a map per pixel.

    The page shows the first ones before the others.
    """

    key: str
    name: str
    about: str
    aboutWithoutClassToken: str
    formula: str
    formulaWithoutClassToken: str
    source: str
    unit: Literal["weights", "logits", "relative", "cosine"]
    forClass: bool
    onRequest: bool
    hasPixels: bool
    isFirst: bool


class Catalog(ModelList):
    """Initial data of the page; uploads have at most `maxBytes`. A `static` page has no server."""

    samples: list[NamedImage]
    photos: list[Photo]
    methods: list[MethodInfo]
    maxBytes: int  # noqa: N815
    colors: ColorTables
    public: bool
    static: bool


class FullAttention(TypedDict):
    """Attention (L, A, T, T) as base64 of zlib: uint16 / 65535, or uint8 / 255 of `largest`, float32 (L, A, T)."""

    weights: str
    largest: str | None


class SavedData(TypedDict):
    """What a saved file or a notebook holds of an explanation.

    Of large models, `attention` is None, and `rows` holds those of the view's query and of the class token, as the
    route of this name returns them, by direction and patches ("from 3,5").
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
