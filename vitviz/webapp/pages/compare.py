"""Server functions of the Compare page: two maps and two predictions, see `vitviz.attribution.comparison`.

The forward passes, ablations and models are those of Explore, which the page shares.
"""

import base64
import re
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from vitviz.attribution import comparison, export
from vitviz.attribution.comparison import Comparison, Side
from vitviz.attribution.explanation import Explanation
from vitviz.attribution.methods import METHODS
from vitviz.attribution.shown import check_method, check_view, target_of
from vitviz.data.preprocessing import sample_paths
from vitviz.models.attention_stats import forward_macs
from vitviz.plots.scales import Scale, with_means
from vitviz.plots.words import map_name
from vitviz.view import View, check_index
from vitviz.webapp.images import list_photos, thumbnail
from vitviz.webapp.large_models import MANY_PASSES, left_out
from vitviz.webapp.models import RUN_PREFIX
from vitviz.webapp.pages.explore import MANY_MACS, WORKERS, Explore, enough_cores
from vitviz.webapp.pages.figures import MAX_NAME_LENGTH, MIME
from vitviz.webapp.schemas.common import FigureFile
from vitviz.webapp.schemas.compare import (
    ComparedMap,
    CompareImages,
    CompareReply,
    MapScale,
    SnapshotsReply,
)
from vitviz.webapp.server.queue import Queue, route_by_size
from vitviz.webapp.server.requests import (
    INTEGERS,
    Json,
    RequestError,
    choice,
    error_response,
    mean_of_none,
    parse,
    parse_view,
    require,
)
from vitviz.webapp.timelines import Timelines, describe

FORMATS = ("npz", "csv")


class ExpiredError(Exception):
    """An explanation of a request is not held any more."""


class Compare:
    """Server functions of the page.

    Args:
        explore: The Explore page.
        timelines: Timelines of bundled checkpoints and, unless the page is public, of runs.
    """

    def __init__(self, explore: Explore, timelines: Timelines) -> None:
        self.explore, self.timelines = explore, timelines
        self.explanations = explore.explanations

    @property
    def functions(self) -> list[Callable[..., Any]]:
        """The functions that the component may call, by name; maps that take long have a queue of their own."""
        respond = partial(error_response, public=self.explore.public)
        quick, slow = Queue(WORKERS, 100), Queue(1, 8, low_priority=True)
        explain, compare = respond(self.explore.explain), respond(self.compare)
        return [
            route_by_size(quick(respond(self.explore.takes_long)), quick(explain), Queue(1, 8)(explain)),
            route_by_size(quick(respond(self.is_slow)), quick(compare), slow(compare)),
            slow(respond(self.compare_figure)),
            *(quick(respond(function)) for function in (self.compare_snapshots, self.explore.ablate)),
            respond(self.compare_images),
            respond(self.explore.list_models),
            *self.explore.model_functions,
        ]

    def compare_images(self, request: Json) -> CompareImages:
        """Return thumbnails of the sample images and photographs, which are not part of the page's first load."""
        return {
            "samples": [{"name": name, "src": thumbnail(path)} for name, path in sample_paths().items()],
            "photos": list_photos(),
        }

    def compare_snapshots(self, request: Json) -> SnapshotsReply | None:
        """List the snapshots of a training; None if it has no timeline.

        Args:
            request: `source`, a bundled checkpoint or "runs/NAME".
        """
        held = self.timelines.load(require(request, "source", str))
        return None if held is None else cast(SnapshotsReply, describe(held) | {"epochs": held.epoch.tolist()})

    def compare(self, request: Json) -> CompareReply | None:
        """Return both maps on one scale, their difference, and the predictions; None if a key has expired.

        Args:
            request: `a` and `b`, each a `key` or a `snapshot`, with `method`, `layer`, `head` and `target`; `query`,
                patches from 0 whose attention is shown, empty for the class token; `similarTo`, a patch of A whose
                similarity with all patches is shown instead, or None.
        """
        try:
            return to_json(self.comparison(request))
        except ExpiredError:
            return None

    def compare_figure(self, request: Json) -> FigureFile | None:
        """Return a file of the numbers: its `name` and `src`, a data URL; None if a key has expired.

        Args:
            request: As of `compare`; `format`, one of `FORMATS`.
        """
        ending = choice(request, "format", FORMATS)
        try:
            found = self.comparison(request)
        except ExpiredError:
            return None
        data = export.npz_bytes(found.arrays()) if ending == "npz" else export.csv_bytes(found.rows())
        source = f"data:{MIME[ending]};base64,{base64.b64encode(data).decode()}"
        words = ["vitviz", "compare", *found.names, *([found.a.title] if found.a.title == found.b.title else [])]
        name = re.sub("[^a-z0-9]+", "-", " ".join(words).lower())[:MAX_NAME_LENGTH].strip("-")
        return {"name": f"{name}.{ending}", "src": source}

    def comparison(self, request: Json) -> Comparison:
        """Return the comparison of a request.

        Raises:
            ExpiredError: If a key has expired.
        """
        patches = parse("query", request.get("query"), INTEGERS, "a list of integers")
        query = tuple(patches)
        sides = [require(request, name, dict) for name in ("a", "b")]
        patch = request.get("similarTo")
        if patch is None:
            one, other = (self.side(side, query) for side in sides)
            return Comparison(one, other, query)
        if type(patch) is not int:
            raise RequestError("similarTo", "a patch, an integer from 0, or null", patch)
        first, second = (self.explanation(one) for one in sides)
        one, other = (
            comparison.similarity_side(found, first, patch, mean_of_none(side.get("layer")))
            for found, side in zip((first, second), sides, strict=True)
        )
        return Comparison(one, other, (patch,))

    def explanation(self, side: Json) -> Explanation:
        """Return the explanation of a side; ExpiredError if its key has expired."""
        if (found := self.explanations.get(side)) is None:
            raise ExpiredError
        return found

    def side(self, side: Json, query: tuple[int, ...]) -> Side:
        """Return the map and the prediction of a side."""
        if side.get("snapshot") is not None:
            return self.snapshot_side(side)
        found = self.explanation(side)
        method = side.get("method")
        if method is not None:
            check_method(method)
            if METHODS[method].on_request or is_too_large(found, method):
                raise RequestError("method", "one that takes few passes on this page", method, "Use ex.map in Python.")
        view = parse_view(side | {"patches": list(query)})
        check_view(found, view)
        self.recall(found, view)
        with enough_cores(found.context.checkpoint):
            return comparison.side(found, view)

    def recall(self, explanation: Explanation, view: View) -> None:
        """Take over a method's map that Explore has computed for the same image, model and class."""
        if view.method is None:
            return
        target = target_of(explanation, view)
        held = self.explore.scored.get("maps", explanation, target)
        if held is not None and view.method in held["maps"]:
            values = np.array(held["maps"][view.method], np.float32)
            explanation.context.maps.setdefault((view.method, target), values)

    def snapshot_side(self, side: Json) -> Side:
        """Return the attention of the class token and the prediction at a snapshot."""
        chosen = require(side, "snapshot", dict)
        source = require(chosen, "source", str)
        image, index = require(chosen, "image", int), require(chosen, "index", int)
        if (held := self.timelines.load(source)) is None:
            raise RequestError("snapshot", "of a model with a timeline", source)
        for name, value, count in (("image", image, len(held.names)), ("snapshot", index, len(held.epoch))):
            check_index(name, value, count)
        attention = held.cls_attention[index, image]  # (L, A, T)
        layer, head = mean_of_none(side.get("layer")), mean_of_none(side.get("head"))
        check_index("layer", layer, attention.shape[0], "mean")
        check_index("head", head, attention.shape[1], "mean")
        maps = with_means(held.maps(image)[index])  # (L + 1, A + 1, gh, gw)
        values = maps[-1 if layer == "mean" else layer, -1 if head == "mean" else head]
        return Side(
            title=map_name(layer, head),
            quantity=comparison.ATTENTION,
            unit="weights",
            values=values,
            kept=np.ones(held.grid, bool),
            num_tokens=attention.shape[-1],
            model=source.removeprefix(RUN_PREFIX),
            layers=len(attention),
            image=held.images[image],
            image_name=held.names[image],
            labels=tuple(held.classes),
            probabilities=held.probabilities[index, image],
            snapshot=f"epoch {held.epoch[index]:.4g}",
        )

    def is_slow(self, request: Json) -> bool:
        """Whether a request for `compare` takes many forward passes, or some of a large model."""
        for name in ("a", "b"):
            side = require(request, name, dict)
            found = self.explanations.get(side)
            method = METHODS.get(str(side.get("method")))
            if method is None or found is None or method.instant:
                continue
            if side["method"] in MANY_PASSES or forward_macs(found.context.config) > MANY_MACS:
                return True
        return False


def is_too_large(explanation: Explanation, method: str) -> bool:
    """Whether a map would take minutes, as Explore leaves it out."""
    return method in MANY_PASSES and left_out(explanation.context.config) is not None


def to_json(found: Comparison) -> CompareReply:
    """Return a comparison as the page shows it."""
    first, second = (
        map_to_json(name, side, values)
        for name, side, values in zip(found.names, (found.a, found.b), found.maps, strict=True)
    )
    difference = found.points if found.kept_in_both else None
    return {
        "a": first,
        "b": second,
        "scale": scale_to_json(found.scale),
        "difference": None if difference is None else numbers(difference),
        "differenceScale": scale_to_json(found.difference_scale),
        "differenceUnit": found.difference_unit,
        "mostChanged": found.most_changed,
        "correlation": found.rank_correlation,
        "classes": [{"name": one.name, "a": one.a, "b": one.b, "points": one.points} for one in found.classes],
        "totalVariation": found.total_variation,
        "headline": found.headline,
        "correlationSentence": found.correlation_sentence,
        "predictionSentence": found.prediction_sentence,
        "notes": found.notes,
    }


def map_to_json(name: str, side: Side, values: NDArray[np.float32]) -> ComparedMap:
    """Return a side of the result."""
    rows, columns = side.grid
    height, width = side.image.shape[:2]
    return {
        "name": name,
        "title": side.title,
        "values": numbers(values),
        "rows": rows,
        "columns": columns,
        "aspect": width / height,
        "prediction": side.prediction and side.prediction[0],
    }


def scale_to_json(scale: Scale) -> MapScale:
    """Return a scale with its unit."""
    return {"kind": scale.kind, "limit": scale.limit, "isWeight": scale.is_weight, "unit": scale.unit()}


def numbers(values: NDArray[np.float32]) -> list[float | None]:
    """Return values as a list, None for NaN."""
    return [None if np.isnan(value) else float(value) for value in values.ravel()]
