"""Types of the Compare page."""

from typing import Literal

from typing_extensions import TypedDict

from vitviz.webapp.schemas.common import GridShape, NamedImage, Photo, Vector


class CompareImages(TypedDict):
    """Thumbnails of the images that ship with vitviz."""

    samples: list[NamedImage]
    photos: list[Photo]


class SnapshotsRequest(TypedDict):
    """A bundled checkpoint, or a run ("runs/NAME")."""

    source: str


class SnapshotsReply(TypedDict):
    """Snapshots of a training: epochs trained before each of them, and the probe images with their class names."""

    shape: GridShape
    classes: list[str]
    images: list[NamedImage]
    epochs: Vector


class Snapshot(TypedDict):
    """A snapshot of a training on a probe image, both from 0."""

    source: str
    image: int
    index: int


class ComparedSide(TypedDict):
    """One side: an explanation by its `key`, or a snapshot; a method, or the attention of a head or mean (None)."""

    key: str | None
    snapshot: Snapshot | None
    method: str | None
    layer: int | Literal["pool"] | None
    head: int | None
    target: list[int]


class CompareRequest(TypedDict):
    """Two sides; `query` are the query patches of attention, `similarTo` a patch of A whose similarity is compared."""

    a: ComparedSide
    b: ComparedSide
    query: list[int]
    similarTo: int | None


class CompareFigureRequest(CompareRequest):
    """Also the format of the file."""

    format: Literal["npz", "csv"]


class MapScale(TypedDict):
    """The scale of a map: from 0 to `limit`, from -`limit` to `limit`, or uniform attention times 1/8 to 8."""

    kind: Literal["linear", "signed", "uniform"]
    limit: float
    isWeight: bool
    unit: str


class ComparedMap(TypedDict):
    """A side of the result: its map on the common scale (N), None for removed patches; `aspect` is width by height."""

    name: str
    title: str
    values: list[float | None]
    rows: int
    columns: int
    aspect: float
    prediction: str | None


class ComparedClass(TypedDict):
    """A class with the probabilities of both sides, and the change in percentage points as printed."""

    name: str
    a: float
    b: float
    points: float


class CompareReply(TypedDict):
    """The comparison; `difference` is B minus A (N), None if the grids differ, on `differenceScale`.

    `totalVariation` is None if the labels differ; `notes` say what is not compared.
    """

    a: ComparedMap
    b: ComparedMap
    scale: MapScale
    difference: list[float | None] | None
    differenceScale: MapScale
    differenceUnit: str
    mostChanged: int | None
    correlation: float | None
    classes: list[ComparedClass]
    totalVariation: float | None
    headline: str
    correlationSentence: str
    predictionSentence: str
    notes: list[str]
