"""What the page shows before torch is imported.

`opening.json` has what depends on the code and the bundled checkpoints only; `python -m scripts.opening` writes it.
"""

import hashlib
import json
from pathlib import Path

from typing_extensions import TypedDict

from vitviz.data import environment
from vitviz.data.preprocessing import MAX_BYTES
from vitviz.models.checkpoint import bundled_checkpoints
from vitviz.plots.colormaps import color_tables
from vitviz.webapp.images import cifar_state, list_photos, list_samples
from vitviz.webapp.schemas.common import ModelInfo, ModelList
from vitviz.webapp.server.requests import Json

FILE = Path(__file__).with_name("opening.json")
KEY = "opening"  # of the example, which is no visitor's image


class Example(TypedDict):
    """The image that Explore opens with: a request for `explain`, and the reply."""

    request: Json
    reply: Json


class Explained(TypedDict):
    """The subject that the page opens with, and the reply to a request for its explanation."""

    subject: Json
    reply: Json


class Opening(TypedDict):
    """Content of the file.

    It holds for bundled checkpoints with these `checksums`, SHA-256 by name, and for this limit of the attention that
    is sent. `functions` are the names of the server functions.
    """

    checksums: dict[str, str]
    max_sent_bytes: int
    checkpoints: list[ModelInfo]
    methods: list[Json]
    functions: list[str]
    example: Example
    explained: Explained


def read() -> Opening | None:
    """Read the file; None if the bundled checkpoints or the limit are others."""
    found: Opening = json.loads(FILE.read_text(encoding="utf-8"))
    holds = (checksums(), environment.MAX_SENT_BYTES) == (found["checksums"], found["max_sent_bytes"])
    return found if holds else None


def checksums() -> dict[str, str]:
    """Return the SHA-256 of the bundled checkpoints by name; empty for those that cannot be read."""
    return {name: checksum(path) for name, path in bundled_checkpoints().items()}


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file; empty if it cannot be read."""
    try:
        if not path.is_file():  # reading a pipe might never end
            return ""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def catalog(opening: Opening, data: str | None, public: bool) -> Json:
    """Return the initial data of Explore; arguments as of `vitviz.webapp.app.build_app`."""
    models: ModelList = {"checkpoints": opening["checkpoints"], "cifar": cifar_state(data, public)}
    return explore_catalog(models, opening["methods"])


def explore_catalog(models: ModelList, methods: list[Json]) -> Json:
    """Return the initial data of Explore: models, samples, dataset and methods."""
    return {
        **models,
        "samples": list_samples(),
        "photos": list_photos(),
        "methods": methods,
        "maxBytes": MAX_BYTES,
        "colors": color_tables(),
    }
