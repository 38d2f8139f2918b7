"""Files of a view that the server writes: arrays, a table, a document; and the code that computes its numbers."""

import base64
import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from vitviz import view
from vitviz.attribution import panels
from vitviz.attribution.charts import chart
from vitviz.attribution.code import python
from vitviz.attribution.context import Target
from vitviz.attribution.explanation import Explanation, patch_activations
from vitviz.attribution.view import View
from vitviz.runs.run_folder import LAST
from vitviz.webapp.models import RUN_PREFIX
from vitviz.webapp.pages import figures

MIME = {"npz": "application/octet-stream", "csv": "text/csv", "html": "text/html"}
Report = Callable[[int, int], None]


def content(
    explanation: Explanation,
    shown: view.View,
    ending: str,
    other: Explanation | None,
    scores: dict[str, Any] | None,
    report: Report,
) -> bytes:
    """Return the bytes of a file.

    Args:
        explanation: The explanation.
        shown: The view.
        ending: "npz", "csv" or "html". Of a large model, a document has only the maps that are there.
        other: The explanation of the second image of activation patching.
        scores: Of the methods of a document, as from `method_scores`; None for none.
        report: Called with the steps done and of all.
    """
    drawn = drawn_view(explanation, shown)
    if ending == "html":
        return explanation.document(drawn, complete=scores is not None, scores=scores).encode()
    if shown.content in ("attention", "method"):
        found = chart(explanation, drawn)
        if ending == "csv":
            return figures.table(found, explanation).encode()
        return archive(figures.arrays(found, explanation, drawn))
    patched = None if other is None else patched_pair(explanation, other, shown, report)
    panel = panels.panel_figure(explanation, drawn, shown.content, patched=patched)
    return figures.written_table(panel.rows).encode() if ending == "csv" else archive(panel.arrays)


def archive(arrays: dict[str, Any]) -> bytes:
    """Return arrays as an .npz file."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def patched_pair(source: Explanation, other: Explanation, shown: view.View, report: Report) -> panels.PatchedPair:
    """Compute activation patching between two images, as a view shows it."""
    target = as_target(shown.target)
    found = [patch_activations(source, other, target, part, report) for part in ("heads", "mlp")]
    if isinstance(shown.layer, int) and shown.head == "mean":
        found.append(patch_activations(source, other, target, "tokens", report, (shown.layer,)))
    return panels.PatchedPair(other, *found)


def code(explanation: Explanation, shown: view.View, other: Explanation | None) -> str:
    """Return Python code that computes the arrays of a view."""
    model, drawn = explanation.checkpoint, drawn_view(explanation, shown)
    if shown.content == "patching":  # whose contrast depends on both images
        drawn = replace(drawn, target=as_target(shown.target))
    named = f"{model}/{LAST}" if model.startswith(RUN_PREFIX) else model
    kind = "view" if shown.content in ("attention", "method") else shown.content
    return python(explanation, drawn, named, kind, other)


def name(explanation: Explanation, shown: view.View, ending: str) -> str:
    """Return the name of a file: model, image, and what it shows."""
    kind = "view" if shown.content in ("attention", "method") else shown.content
    return figures.file_name(explanation, drawn_view(explanation, shown), kind, ending)


def data_url(content: bytes, ending: str) -> str:
    """Return a file as a data URL."""
    return f"data:{MIME[ending]};base64,{base64.b64encode(content).decode()}"


def as_target(target: tuple[int, ...]) -> Target | None:
    """Return a target of a request as explanations take it; None for an empty one."""
    return (target[0], target[1]) if len(target) == 2 else target[0] if target else None


def drawn_view(explanation: Explanation, shown: view.View) -> View:
    """Return a view as figures take it; without a target that of the class predicted before the ablation."""
    target = as_target(shown.target)
    return View(
        method=shown.method if shown.content == "method" else None,
        layer=None if shown.layer == "mean" else shown.layer,
        head=None if shown.head == "mean" else shown.head,
        query=shown.query,
        direction="from" if shown.direction == "similar" else shown.direction,
        target=int((explanation.original or explanation).logits.argmax()) if target is None else target,
        scale=shown.scale,
        smooth=shown.smooth,
        outlines=shown.outlines,
        truth=shown.truth,
        remove_background=shown.foreground,
        pixels=shown.pixels,
    )
