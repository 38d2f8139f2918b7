"""Requests and replies about models."""

from typing import Annotated, Literal

from pydantic import Field

from vitviz.attribution.provenance import ProbesProvenance
from vitviz.models.config import PositionStart
from vitviz.models.hub_cache import CachedModel
from vitviz.view import MAX_NAME, Model
from vitviz.webapp.schemas.base import Array3, Array4, Matrix, Reply, Vector
from vitviz.webapp.schemas.common import CifarInfo, ModelInfo

Name = Annotated[str, Field(max_length=MAX_NAME)]


class ModelRequest(Model):
    """A model of the list."""

    model: Name


class ModelFile(Reply):
    """A model for the browser, as `vitviz.models.rounding.to_file` in base64."""

    file: str


class OpenRequest(Model):
    """Start to open a model by its name or path, cancel it, or ask how far it is."""

    action: Literal["state", "start", "cancel"] = "state"
    name: Name = ""


class WordsRequest(ModelRequest):
    """Also the texts that become its classes."""

    classes: tuple[str, ...]


class ProbesRequest(ModelRequest):
    """Also the images to probe it with."""

    images: Literal["samples", "test"] = "samples"


class ProbeFileRequest(ProbesRequest):
    """Also the figure whose numbers are saved, and the format of the file."""

    probe: str
    format: Literal["csv", "npz"] = "csv"


class Models(Reply):
    """All models that can be explained, the one that the page opens with first, and whether CIFAR-10 is available."""

    models: list[ModelInfo]
    cifar: CifarInfo


class Suggestion(Reply):
    """A pretrained model to begin with; `bytes` and `memory` of its weights and of the server, see there."""

    name: str
    title: str
    use: str
    parameters: int
    img_size: int
    license: str
    bytes: int
    memory: int
    is_cached: bool


class HubModels(Reply):
    """Models of the Hugging Face Hub.

    Attributes:
        models: Those in the cache.
        suggested: Pretrained ones to begin with.
        cache: Folder of the cache.
        free_memory: Of the server (bytes); None if unknown.
    """

    models: list[CachedModel]
    suggested: list[Suggestion]
    cache: str
    free_memory: int | None


class OpenState(Reply):
    """State of opening a model.

    Attributes:
        requested: The name or path, as the user wrote it.
        phase: What is being done, or how it ended.
        done: Bytes that have arrived of the file being downloaded.
        total: Its size; 0 while unknown.
        message: Why it failed; empty otherwise.
        name: Name of the model on the page, once it is ready.
    """

    requested: str = ""
    phase: Literal["idle", "downloading", "loading", "ready", "failed", "canceled"] = "idle"
    done: int = 0
    total: int = 0
    message: str = ""
    name: str = ""


class OpenedModel(Reply):
    """A model that was made on the page, and can be chosen like any other."""

    info: ModelInfo


class Facts(Reply):
    """What is known of a model.

    Attributes:
        facts: Pairs of a term and its value.
        sizes: The name that opens it at another input size, and what that takes; empty if it cannot be.
    """

    facts: list[tuple[str, str]]
    sizes: list[tuple[str, str]]


class Probes(Reply):
    """Probes of a model; shapes as of `vitviz.attribution.probes.Probes`.

    Attributes:
        model: Name of the model.
        images: Caption of the images.
        size: Height and width of the model's input in pixels.
        grid: Rows and columns of its patches.
        prefix: Number of tokens before the patches.
        class_token: Whether the first of them is a class token.
        captured: Whether only the attention of the model is known; then arrays of anything else are empty.
        classes: Number of classes; 0 without a head.
        position_start: How its position embeddings started.
        head_images: Number of images of `head_shares`; 0 if they are unknown.
        filters: See there, and the other arrays; without the heads that a layer lacks.
        provenance: That of a figure, without its panels.
    """

    model: str
    images: str
    size: tuple[int, int]
    grid: tuple[int, int]
    prefix: int
    class_token: bool
    captured: bool
    classes: int
    position_start: PositionStart
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
    head_shares: Array3
    image_specific: Matrix
    follows_patches: Vector
    follows_class_token: Vector
    head_images: int
    pairs: int
    provenance: ProbesProvenance


class Snapshots(Reply):
    """The snapshots of a training by their epochs, and the names of its probe images."""

    snapshots: list[str]
    images: list[str]
