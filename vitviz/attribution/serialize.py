"""Explanations as JSON, for the page, the saved HTML file and notebooks; arrays are base64 of little-endian bytes."""

import base64
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from PIL.Image import Image

from vitviz import __version__, environment
from vitviz.attribution import measured
from vitviz.attribution.ablation import describe_ablations, mean_head_outputs
from vitviz.attribution.context import ForwardContext, Target
from vitviz.attribution.faithfulness import score
from vitviz.attribution.methods import METHODS
from vitviz.attribution.provenance import Provenance, provenance
from vitviz.attribution.targets import find_target
from vitviz.attribution.view_maps import default_rows, limits_of, query_rows, target_of
from vitviz.data.encoding import to_base64
from vitviz.data.preprocessing import load_samples
from vitviz.models import rounding
from vitviz.models.checkpoint import Checkpoint, eval_samples
from vitviz.plots.colormaps import color_tables
from vitviz.plots.scales import ScaleLimits, is_flat
from vitviz.view import View

if TYPE_CHECKING:
    from vitviz.attribution.explanation import Explanation

Json = dict[str, Any]
MAX_UINT16_WEIGHTS = 2**20  # attention weights that are stored with 16 bits each; more are stored with 8
MAX_STORED_WEIGHTS = 2**24  # of more, only those of the view's query and of the class token are stored
SAVED_WITH = f"Saved with vitviz {__version__} (Apache-2.0)."
STORED_ROWS = (
    "The attention of this model is large: the file stores the maps of the class token and of the patches that were "
    "pinned, not those of every patch."
)


def methods_to_json() -> list[Json]:
    """Describe the attribution methods; not those that the page shows for each head as a direction."""
    found = []
    for key, method in METHODS.items():
        if method.is_direction:
            continue
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
                "onRequest": method.on_request,
                "hasPixels": method.pixels is not None,
                "isFirst": method.is_first,
            }
        )
    return found


def to_json(explanation: "Explanation") -> Json:
    """Return the prediction, the shape, the attention of the default query, and the instant maps.

    `vitviz.webapp.schemas.explanations.Explained` describes the fields; `image` is missing.
    """
    instant = [key for key, method in explanation.methods.items() if method.instant]
    return {
        "model": explanation.context.checkpoint.name,
        "classes": explanation.labels,
        "probabilities": explanation.probabilities.tolist(),
        "shape": shape_to_json(explanation),
        "methods": [key for key, method in METHODS.items() if key in explanation.methods or method.on_request],
        "cls": to_base64(np.nan_to_num(default_rows(explanation.context)).astype("<f4")),
        "pool": pool_to_json(explanation),
        "on_demand": sent_bytes(explanation) > environment.MAX_SENT_BYTES or explanation.context.layered is not None,
        "limits": limits_to_json(explanation.original or explanation),
        "credit": explanation.context.checkpoint.credit,
        "maps": method_maps(explanation, find_target(explanation.context), instant),
        "notes": map_notes(explanation, find_target(explanation.context)),
    }


def shape_to_json(explanation: "Explanation") -> Json:
    """Return the shape of the attention, `vitviz.webapp.schemas.common.Shape`."""
    context, (width, height) = explanation.context, explanation.image.model_input.size
    layers, heads = context.layers_and_heads
    rows, columns = context.grid
    return {
        "layers": layers,
        "heads": heads,
        "rows": rows,
        "columns": columns,
        "aspect": width / height,
        "prefix": context.prefix,
        "class_token": context.config.class_token,
        "distilled": context.config.distilled,
        "layer_heads": list(context.config.layer_heads),
        "captured": context.config.is_captured,
    }


def pool_to_json(explanation: "Explanation") -> str | None:
    """Return the weights of attention pooling, float32 (heads, T), in base64; None for other models."""
    weights = explanation.context.pool_attention
    return None if weights is None else to_base64(weights.astype("<f4"))


def count_weights(explanation: "Explanation") -> int:
    """Return the number of attention weights between all tokens of all heads, L A T T."""
    config = explanation.context.config
    return config.depth * config.num_heads * config.num_tokens**2


def sent_bytes(explanation: "Explanation") -> int:
    """Return the size of the full attention as the page receives it: 16 bits per weight, in base64."""
    return 2 * count_weights(explanation) * 4 // 3


def rows_to_json(explanation: "Explanation", patches: Sequence[int] = (), direction: str = "from") -> str:
    """Return the rows (or columns) of a query as base64 of uint16 (L, A, T) / 65535, with zeros for ablated heads.

    Arguments and errors as of `Explanation.attention_maps`.
    """
    return to_base64(to_uint16(query_rows(explanation.context, patches, direction)))


def to_uint16(attention: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Round attention weights to multiples of 1 / 65535; NaN, of ablated heads, is 0."""
    return np.round(np.nan_to_num(attention) * 65535).astype("<u2")


def pixels_to_json(image: Image) -> Json:
    """Return an RGB image as its `pixels`, uint8 (height, width, 3) in base64, `width` and `height`."""
    return {"pixels": to_base64(np.asarray(image)), "width": image.width, "height": image.height}


def limits_to_json(explanation: "Explanation") -> dict[Literal["from", "to"], ScaleLimits]:
    """Return the limits of the shared scales by direction."""
    directions: tuple[Literal["from", "to"], ...] = ("from", "to")
    return {direction: limits_of(explanation.context, direction) for direction in directions}


def attention_to_json(explanation: "Explanation") -> Json:
    """Return the attention between all tokens, with zeros for ablated heads.

    Returns:
        `weights`, (L, A, T, T) compressed by zlib, in base64: uint16 / 65535, or for large models uint8 / 255 of the
        largest weight of its row, at most half a step from the true weight; then `largest` holds these, float32
        (L, A, T), else None.
    """
    attention = np.nan_to_num(explanation.attention)
    if attention.size <= MAX_UINT16_WEIGHTS:
        return {"weights": compress(to_uint16(attention)), "largest": None}
    largest = attention.max(-1)  # (L, A, T)
    steps = np.round(attention / np.maximum(largest, np.finfo(np.float32).tiny)[..., None] * 255)
    return {"weights": compress(steps.astype(np.uint8)), "largest": to_base64(largest.astype("<f4"))}


def stored_rows(explanation: "Explanation", view: View) -> dict[str, str]:
    """Return the rows that a file of a large model stores, by direction and patches, without the default query's."""
    queries = {(direction, query) for direction in ("from", "to") for query in ((), view.query)}
    return {
        f"{direction} {','.join(map(str, query))}": rows_to_json(explanation, query, direction)
        for direction, query in sorted(queries - {("from", ())})
    }


def compress(array: NDArray[Any]) -> str:
    """Encode an array's bytes, compressed by zlib."""
    return base64.b64encode(zlib.compress(array.tobytes())).decode()


def method_maps(explanation: "Explanation", target: Target, methods: list[str] | None = None) -> dict[str, list[float]]:
    """Return the maps (N) of all or some methods by name."""
    chosen = explanation.methods if methods is None else methods
    return {key: explanation.map(key, target).ravel().tolist() for key in chosen}


def map_notes(explanation: "Explanation", target: Target) -> dict[str, str]:
    """Return what a reader of the computed maps must know, such as that integrated gradients are not complete."""
    return {key: note for (key, of_target), note in explanation.context.notes.items() if of_target == target}


def method_scores(explanation: "Explanation", target: Target) -> Json:
    """Measure the deletion score of every method.

    Returns:
        `scores` by method and `random_baseline`, mean and standard deviation over random rankings: the fraction of the
        (first) class's probability that is lost, on average, while patches are removed. None for a flat map, and for
        all maps of a model without head, which has no probabilities.
    """
    if not explanation.labels:
        return {"scores": dict.fromkeys(explanation.methods), "random_baseline": [0.0, 0.0]}
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


def method_score(explanation: "Explanation", target: Target, values: NDArray[np.float32]) -> float | None:
    """Measure the deletion score of one map, as `method_scores` does; None for a flat map."""
    if is_flat(values):
        return None
    label = target[0] if isinstance(target, tuple) else target
    found = score(explanation.context, {"map": values}, label, n_random=2).scores["map"]
    return found.probability_drop(float(explanation.probabilities[label]))


def to_file(
    explanation: "Explanation",
    view: View,
    complete: bool = True,
    scores: Json | None = None,
    stated: Provenance | None = None,
) -> Json:
    """Return what the explorer shows without a server; `vitviz.webapp.schemas.page.ExplorerData` types it.

    Args:
        explanation: The explanation.
        view: The view that it opens with.
        complete: Whether to compute all maps and their scores; otherwise only maps that need no further pass or were
            computed before.
        scores: The scores of all methods, as from `method_scores`; None to measure them if it is complete.
        stated: The provenance; None for that of the explanation.
    """
    target = target_of(explanation, view)
    chosen = target if isinstance(target, tuple) else (target,)
    computed = {method for method, of_target in explanation.context.maps if of_target == target}
    ready = {key for key, method in explanation.methods.items() if complete or method.instant} | computed
    keys = [key for key in METHODS if key in ready]
    maps = method_maps(explanation, target, keys)
    on_demand = count_weights(explanation) > MAX_STORED_WEIGHTS or explanation.context.layered is not None
    note = ", ".join(filter(None, (explanation.image.note, describe_ablations(explanation.ablations))))
    stored = f" {STORED_ROWS}" if on_demand else ""
    image = {
        **pixels_to_json((explanation.original or explanation).image.model_input),
        "original": None,
        "crop": None,
        "truth": view.truth,
        "shows": None,
        "name": explanation.name,
        "caption": explanation.name,
        "note": note,
    }
    explained = to_json(explanation) | {"on_demand": on_demand, "image": image}
    about = f"Model: {explanation.context.checkpoint.name}. Image: {note}.{stored}"
    origin = (stated or provenance(explanation, view)).model_dump(mode="json")
    return {
        "subject": origin["subject"] | {"model": explanation.context.checkpoint.name},
        "view": origin["view"] | {"target": list(chosen) if explanation.labels else []},
        "provenance": origin,
        "data": {
            "explained": explained | {"maps": maps, "notes": map_notes(explanation, target)},
            "attention": None if on_demand else attention_to_json(explanation),
            "rows": stored_rows(explanation, view) if on_demand else {},
            "scores": scores or (method_scores(explanation, target) if complete and explanation.labels else None),
            "methods": [method for method in methods_to_json() if method["key"] in keys],
            "model": model_to_json(explanation.context.checkpoint),
            "caption": " ".join(filter(None, (about, explanation.context.checkpoint.credit, SAVED_WITH))),
            "colors": color_tables(),
        },
    }


def document(
    explanation: "Explanation",
    view: View | None = None,
    complete: bool = True,
    scores: Json | None = None,
    model: bool = False,
) -> str:
    """Return the explorer as one HTML file; arguments as of `to_file`, by default the last layer's mean over heads.

    With `model` it holds the model with rounded weights, by which all its numbers are computed.
    """
    from vitviz.attribution.figure import draw_nearest
    from vitviz.attribution.file_formats import figure_bytes
    from vitviz.plots import document

    view = view or View(layer=explanation.context.config.depth - 1)
    figure = figure_bytes(draw_nearest(explanation, view), ".svg")
    title = ": ".join(filter(None, (explanation.name, explanation.context.checkpoint.name)))
    if not model:
        return document.document(to_file(explanation, view, complete, scores), figure, title)
    checkpoint, rounded = explanation.context.checkpoint, with_rounded_weights(explanation)
    means = mean_head_outputs(rounded.context.checkpoint, load_samples(checkpoint.config.img_size, checkpoint.resize))
    origin = provenance(explanation, view)
    stated = origin.model_copy(update={"model": origin.model.model_copy(update={"rounding": "float16"})})
    data = to_file(rounded, view, complete, stated=stated)
    data["data"]["attention"] = None  # the model computes it
    data["data"]["caption"] += f" {rounding.describe(checkpoint, 'float16')}"
    return document.document(
        data, figure, title, rounding.to_file(checkpoint, "float16", means, measured.in_file(checkpoint))
    )


def with_rounded_weights(explanation: "Explanation") -> "Explanation":
    """Return the same explanation by the model with the weights of its file."""
    whole = explanation.original or explanation
    checkpoint = rounding.rounded(explanation.context.checkpoint)
    found = replace(whole, context=ForwardContext(checkpoint, whole.context.image))
    for ablation in explanation.ablations:
        found = found.ablate(**dict(ablation))
    return found


def model_to_json(checkpoint: Checkpoint) -> Json:
    """Describe a model; `vitviz.webapp.schemas.common.ModelInfo` types it."""
    config, record = checkpoint.network.config, checkpoint.record
    return {
        "name": checkpoint.name,
        "origin": "opened",
        "family": checkpoint.family,
        "parameters": sum(parameter.numel() for parameter in checkpoint.network.parameters()),
        "classes": len(checkpoint.labels),
        "dataset": None,
        "layers": config.depth,
        "heads": config.num_heads,
        "captured": config.is_captured,
        "accuracy": record.get("test_accuracy"),
        "eval_samples": eval_samples(record),
        "measured_on": "test",
        "is_classifier": checkpoint.is_classifier,
        "compares_texts": checkpoint.compares_texts,
        "pretrained": checkpoint.pretrained_name,
        "linear_probe": checkpoint.linear_probe,
    }
