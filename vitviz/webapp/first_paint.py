"""What the page shows before torch is imported.

`first_paint.json`, written by `python -m scripts.first_paint`, depends on the code and the bundled checkpoints only.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from vitviz import environment
from vitviz.data.preprocessing import MAX_UPLOAD_BYTES
from vitviz.models.checkpoint import bundled_checkpoints
from vitviz.plots.colormaps import color_tables
from vitviz.webapp.image_lists import cifar_state, list_photos, list_samples
from vitviz.webapp.schemas.common import ModelInfo

FILE = Path(__file__).with_name("first_paint.json")


class FirstExplanation(TypedDict):
    """The subject that the page opens with, and the reply to a request for its explanation."""

    subject: dict[str, Any]
    reply: dict[str, Any]


class FirstPaint(TypedDict):
    """Content of the file.

    It holds for bundled checkpoints with these `checksums`, SHA-256 by name, and for this limit of the attention that
    is sent.
    """

    checksums: dict[str, str]
    max_sent_bytes: int
    models: list[ModelInfo]
    methods: list[dict[str, Any]]
    explained: FirstExplanation


def read() -> FirstPaint | None:
    """Read the file; None if the bundled checkpoints or the limit are others."""
    found: FirstPaint = json.loads(FILE.read_text(encoding="utf-8"))
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


def catalog(models: list[ModelInfo], methods: list[dict[str, Any]], data: str | None, public: bool) -> dict[str, Any]:
    """Return the initial data of the page; arguments as of `FirstPaint` and `vitviz.webapp.app.build_app`.

    `vitviz.webapp.schemas.page.Catalog` types it.
    """
    return {
        "models": models,
        "cifar": cifar_state(data, public),
        "samples": list_samples(),
        "photos": list_photos(),
        "methods": methods,
        "maxBytes": MAX_UPLOAD_BYTES,
        "colors": color_tables(),
        "public": public,
        "static": False,
    }
