"""Types of the Internals page."""

from typing_extensions import TypedDict

from vitviz.webapp.schemas.common import Array3, Array4, Matrix, Pair, Vector


class ProbesRequest(TypedDict):
    """A model, and the images to probe it with."""

    checkpoint: str
    images: str  # "samples" or "test"


class ProbeFigureRequest(ProbesRequest):
    """Also the name of a figure whose numbers are saved."""

    probe: str


class ProbesReply(TypedDict):
    """Probes of a model; shapes as of `vitviz.attribution.probes.Probes`."""

    checkpoint: str
    images: str
    size: Pair
    grid: Pair
    prefix: int
    classToken: bool
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
    sink_share: Matrix
    sink_norm: Matrix
