"""Files of a view that the server writes: arrays, a table, a document."""

import base64
from collections.abc import Callable
from typing import Any

from vitviz.attribution import file_formats, tables
from vitviz.attribution.context import Target
from vitviz.attribution.explanation import Explanation, patched_pair
from vitviz.attribution.provenance import provenance
from vitviz.attribution.serialize import document
from vitviz.view import View

MIME = {"npz": "application/octet-stream", "csv": "text/csv", "html": "text/html"}
Report = Callable[[int, int], None]


def content(
    explanation: Explanation,
    view: View,
    ending: str,
    other: Explanation | None,
    scores: dict[str, Any] | None,
    methods: bool,
    report: Report,
) -> bytes:
    """Return the bytes of a file.

    Args:
        explanation: The explanation.
        view: The view.
        ending: "npz", "csv" or "html". Of a large model, a document has only the maps that were computed.
        other: The explanation of the second image of activation patching.
        scores: Of the methods, as from `method_scores`; None to leave them out of a document.
        methods: Whether arrays and table are those of all methods.
        report: Called with the steps done and of all.
    """
    if ending == "html":
        return document(explanation, view, complete=scores is not None, scores=scores).encode()
    patched = None
    if view.content == "patching" and other is not None:
        patched = patched_pair(explanation, other, view, report)
    found, origin = tables.arrays(explanation, view, patched), provenance(explanation, view, other=other)
    if methods:
        found |= tables.method_arrays(explanation, view, scores)
    if ending == "npz":
        return file_formats.npz_bytes(found, origin)
    return file_formats.csv_bytes(
        tables.method_rows(found) if methods else tables.rows(explanation, view, found), origin
    )


def data_url(content: bytes, ending: str) -> str:
    """Return a file as a data URL."""
    return f"data:{MIME[ending]};base64,{base64.b64encode(content).decode()}"


def as_target(target: tuple[int, ...]) -> Target | None:
    """Return a target of a request as explanations take it; None for an empty one."""
    return (target[0], target[1]) if len(target) == 2 else target[0] if target else None
