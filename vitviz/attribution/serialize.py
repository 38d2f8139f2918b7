"""Explanations as JSON, for the page, the saved HTML file and notebooks; arrays are base64 of little-endian bytes."""

import base64
import zlib
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from vitviz import __version__
from vitviz.attribution.context import Target, is_flat
from vitviz.attribution.faithfulness import score
from vitviz.attribution.methods import METHODS, query_weights
from vitviz.data.encoding import data_url, to_base64
from vitviz.models.checkpoint import eval_samples
from vitviz.plots.colormaps import color_tables
from vitviz.plots.limits import shared_limits
from vitviz.plots.outlines import outlines, svg_path

if TYPE_CHECKING:
    from vitviz.attribution.explanation import Explanation
    from vitviz.attribution.view import View

Json = dict[str, Any]
MAX_UINT16_WEIGHTS = 2**20  # attention weights that are stored with 16 bits each; more are stored with 8


def methods_to_json() -> list[Json]:
    """Describe the attribution methods; not reversed attention, which the page's direction shows for each head."""
    found = []
    for key, method in METHODS.items():
        other = method.text_without_class_token or method
        found.append(
            {
                "key": key,
                "name": method.title,
                "about": method.about,
                "aboutWithoutClassToken": other.about,
                "formula": method.formula,
                "formulaWithoutClassToken": other.formula,
                "source": method.source,
                "unit": method.unit,
                "forClass": method.class_specific,
            }
        )
    return [method for method in found if method["key"] != "reverse_attention"]


def to_json(explanation: "Explanation") -> Json:
    """Return the prediction, the sizes and the attention of the default query.

    Returns:
        `checkpoint`; `classes` and `probabilities` (K); `layers`, `heads`, `rows` and `columns` of the grid, `aspect`
        (width by height of the model input), `prefix` (tokens before the patches), `classToken`; `cls`, float32
        (L, A, T) in base64, with zeros for ablated heads; `limits` of the shared scales by direction, those of the
        image without ablations, so that colors can be compared with it.
    """
    layers, heads = explanation.attention.shape[:2]
    rows, columns = explanation.grid
    width, height = explanation.image.model_input.size
    return {
        "checkpoint": explanation.checkpoint,
        "classes": explanation.labels,
        "layers": layers,
        "heads": heads,
        "rows": rows,
        "columns": columns,
        "aspect": width / height,
        "prefix": explanation.prefix,
        "classToken": explanation.context.config.class_token,
        "probabilities": explanation.probabilities.tolist(),
        "cls": to_base64(np.nan_to_num(explanation.query_attention).astype("<f4")),
        "limits": limits_to_json(explanation.original or explanation),
    }


def outlines_to_json(explanation: "Explanation") -> str:
    """Return the outlines of the image without ablations as the data of an SVG path."""
    return svg_path(outlines(np.asarray((explanation.original or explanation).image.model_input)))


def limits_to_json(explanation: "Explanation") -> Json:
    """Return the limits of the shared scales by direction."""
    query = query_weights(explanation.context)
    directions: tuple[Literal["from", "to"], ...] = ("from", "to")
    return {
        direction: shared_limits(explanation.attention, query, explanation.prefix, direction)
        for direction in directions
    }


def attention_to_json(explanation: "Explanation") -> Json:
    """Return the attention between all tokens, with zeros for ablated heads.

    Returns:
        `weights`, (L, A, T, T) compressed by zlib, in base64: uint16 / 65535, or for large models uint8 / 255 of the
        largest weight of its row, at most half a step from the true weight; then `largest` holds these, float32
        (L, A, T), else None.
    """
    attention = np.nan_to_num(explanation.attention)
    if attention.size <= MAX_UINT16_WEIGHTS:
        return {"weights": compress(np.round(attention * 65535).astype("<u2")), "largest": None}
    largest = attention.max(-1)  # (L, A, T)
    steps = np.round(attention / np.maximum(largest, np.finfo(np.float32).tiny)[..., None] * 255)
    return {"weights": compress(steps.astype(np.uint8)), "largest": to_base64(largest.astype("<f4"))}


def compress(array: NDArray[Any]) -> str:
    """Encode an array's bytes, compressed by zlib."""
    return base64.b64encode(zlib.compress(array.tobytes())).decode()


def method_maps(explanation: "Explanation", target: Target, methods: list[str] | None = None) -> dict[str, list[float]]:
    """Return the maps (N) of all or some methods by name."""
    chosen = explanation.methods if methods is None else methods
    return {key: explanation.map(key, target).ravel().tolist() for key in chosen}


def method_scores(explanation: "Explanation", target: Target) -> Json:
    """Measure the deletion score of every method.

    Returns:
        `scores` by method and `random_baseline`, mean and standard deviation over random rankings: the fraction of the
        (first) class's probability that is lost, on average, while patches are removed. None for a flat map.
    """
    label = target[0] if isinstance(target, tuple) else target
    maps = {key: explanation.map(key, target).ravel() for key in explanation.methods}
    ranked = {key: values for key, values in maps.items() if not is_flat(values)}
    found = score(explanation.context, ranked, label)
    start = float(explanation.probabilities[label])
    random = [one.probability_drop(start) for one in found.random_baseline]
    return {
        "scores": {key: found.scores[key].probability_drop(start) if key in ranked else None for key in maps},
        "random_baseline": [float(np.mean(random)), float(np.std(random))],
    }


def view_to_json(explanation: "Explanation", view: "View") -> Json:
    """Return a view with what its explanation leaves out: `ablated` heads, layer * A + head, and `removed` patches."""
    target = explanation.target(view.target)
    kept = explanation.kept_tokens[explanation.prefix :]
    ablated = np.isnan(explanation.attention).all((-2, -1)).ravel()
    return {
        "method": view.method,
        "layer": view.layer,
        "head": view.head,
        "query": list(view.query),
        "direction": view.direction,
        "scale": view.scale,
        "smooth": view.smooth,
        "outlines": round(100 * view.outlines),
        "target": [] if view.target is None else list(target) if isinstance(target, tuple) else [target],
        "ablated": np.flatnonzero(ablated).tolist(),
        "removed": np.flatnonzero(~kept).tolist(),
    }


def explorer_to_json(
    explanation: "Explanation", view: "View", complete: bool = True, scores: Json | None = None
) -> Json:
    """Return what the explorer shows without a server; `vitviz.webapp.schemas.explore.ExplorerData` types it.

    Args:
        explanation: The explanation.
        view: The view that it opens with.
        complete: Whether to compute all maps and their scores; otherwise only maps that need no further pass or were
            computed before.
        scores: The scores of all methods, as from `method_scores`; None to measure them if it is complete.
    """
    record = explanation.context.checkpoint.record
    target = explanation.target(view.target)
    computed = {method for method, of_target in explanation.context.maps if of_target == target}
    keys = [key for key, method in explanation.methods.items() if complete or method.instant or key in computed]
    note = ", ".join(filter(None, (explanation.image.note, explanation.changes)))
    image = {"original": None, "truth": view.truth, "shows": None, "caption": explanation.name, "note": note}
    image |= {"src": data_url(explanation.image.model_input), "outlines": outlines_to_json(explanation)}
    return {
        "reply": to_json(explanation)
        | {
            "key": "saved",
            "image": image,
            "maps": method_maps(explanation, target, keys),
        },
        "attention": attention_to_json(explanation),
        "scores": scores or (method_scores(explanation, target) if complete and explanation.labels else None),
        "methods": [method for method in methods_to_json() if method["key"] in keys],
        "view": view_to_json(explanation, view),
        "isClassifier": explanation.context.checkpoint.is_classifier,
        "accuracy": record.get("test_accuracy"),
        "eval_samples": eval_samples(record),
        "caption": f"Model: {explanation.checkpoint}. Image: {note}. Saved with vitviz {__version__} (Apache-2.0).",
        "colors": color_tables(),
    }
