"""Server functions that give away what the Explore page shows: arrays, tables, the explorer, and code."""

import base64
import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vitviz.attribution import code, serialize
from vitviz.attribution.explanation import Explanation
from vitviz.attribution.view import View
from vitviz.runs.run_folder import LAST
from vitviz.webapp.large_models import left_out
from vitviz.webapp.models import RUN_PREFIX
from vitviz.webapp.pages.patching import PatchingPage
from vitviz.webapp.schemas.common import FigureFile
from vitviz.webapp.schemas.explore import CodeReply
from vitviz.webapp.server.cache import ExplanationCache, ScoreCache
from vitviz.webapp.server.requests import Json, choice, parse_target, parse_view, require

if TYPE_CHECKING:
    from vitviz.attribution import panels
    from vitviz.plots.chart import Chart

PANELS = ("contributions", "features", "patching")
CONTENTS = ("view", "map", "matrix", "methods", "sheet", "layers", "patches", *PANELS)
MIME = {
    "npz": "application/octet-stream",
    "csv": "text/csv",
    "html": "text/html",
}
MAX_NAME_LENGTH = 180  # characters of a file name; file systems allow 255


class Figures:
    """Server functions on explanations that `Explore` holds."""

    def __init__(self, explanations: ExplanationCache, scored: ScoreCache, patching: PatchingPage) -> None:
        self.explanations, self.scored, self.patching = explanations, scored, patching

    def figure(self, request: Json) -> FigureFile | None:
        """Return a file of exactly the view: its `name` and `src`, a data URL; None if the key has expired.

        Args:
            request: `key`; `content`, one of `CONTENTS`; `format`, an ending; `view`.
        """
        if (explanation := self.explanations.get(request)) is None:
            return None
        content, ending = choice(request, "content", CONTENTS), choice(request, "format", tuple(MIME))
        view = resolved(explanation, parse_view(require(request, "view", dict)))
        if content in PANELS and ending != "html":
            data = render_panel(self.panel(explanation, view, content, request), ending)
        else:
            data = self.render(explanation, view, content, ending)
        source = f"data:{MIME[ending]};base64,{base64.b64encode(data).decode()}"
        return {"name": file_name(explanation, view, content, ending), "src": source}

    def panel(self, explanation: Explanation, view: View, content: str, request: Json) -> "panels.PanelFigure":
        """Return the numbers of a view other than the attention; arguments as checked by `figure`."""
        from vitviz.attribution import panels

        if content != "patching":
            return panels.panel_figure(explanation, view, content)
        shown = request["view"]
        pair = {"key": request["key"], "other": require(shown, "other", str), "target": shown.get("target")}
        other = self.patching.other(pair)
        found = [self.patching.patch(explanation, pair, part, silent) for part in ("heads", "mlp")]
        if isinstance(view.layer, int) and view.head is None:
            found.append(self.patching.patch(explanation, pair, "tokens", silent, (view.layer,)))
        return panels.panel_figure(explanation, view, content, "", panels.PatchedPair(other, *found))

    def render(self, explanation: Explanation, view: View, content: str, ending: str) -> bytes:
        """Return the bytes of a file; arguments as checked by `figure`.

        Of a large model, an HTML file has no scores, and only the maps that are there.

        Raises:
            ValueError: For the methods of a large model.
        """
        from vitviz.attribution.charts import chart

        reason = left_out(explanation.context.config)
        if reason and content == "methods":
            raise ValueError(reason)
        if ending == "html":
            scores = None if reason else self.scores(explanation, view)
            return explanation.document(view, complete=not reason, scores=scores).encode()
        with_methods = content == "methods"
        scores = self.scores(explanation, view) if with_methods else None
        found = chart(explanation, view, with_methods, scores)
        if ending == "npz":
            buffer = io.BytesIO()
            np.savez_compressed(buffer, **arrays(found, explanation, view))
            return buffer.getvalue()
        return table(found, explanation).encode()

    def scores(self, explanation: Explanation, view: View) -> Json:
        """Return the scores of all methods, from the cache if the page has them."""
        target = explanation.target(view.target)
        return self.scored.get_or_compute(
            "scores", explanation, target, lambda: serialize.method_scores(explanation, target)
        )

    def code(self, request: Json) -> CodeReply | None:
        """Return Python code that computes the arrays of a `view`; None if the key has expired."""
        if (explanation := self.explanations.get(request)) is None:
            return None
        view = resolved(explanation, parse_view(require(request, "view", dict)))
        model = explanation.checkpoint
        name = f"{model}/{LAST}" if model.startswith(RUN_PREFIX) else model
        content, other = choice(request, "content", CONTENTS), None
        if content == "patching":
            other = self.patching.other({"other": require(request["view"], "other", str)})
            view = replace(view, target=parse_target(request["view"]))
        return {"code": code.python(explanation, view, name, content, other)}


def silent(done: int, total: int) -> None:
    """Report no progress."""


def render_panel(found: "panels.PanelFigure", ending: str) -> bytes:
    """Return the bytes of a file of a view other than the attention."""
    if ending == "csv":
        return written_table(found.rows).encode()
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **found.arrays)
    return buffer.getvalue()


def resolved(explanation: Explanation, view: View) -> View:
    """Return the view with its target: without one the class predicted before the ablation, as on the page."""
    whole = explanation.original or explanation
    return view if view.target is not None else replace(view, target=int(whole.logits.argmax()))


def arrays(chart: "Chart", explanation: Explanation, view: View) -> dict[str, Any]:
    """Return the arrays of a view by name, as on the page.

    `map` (gh, gw) and its `title`; `pixels` (H, W), if it is shown per pixel; `maps` (L + 1, A + 1, gh, gw), attention
    of all heads and then means, NaN where ablated; `prefix` (L + 1, A + 1, R), attention to or from the tokens
    before the patches; `labels` and `probabilities` (K,); `limits`, ends of the scales of heads and means, if they
    are shared; `method_NAME` (gh, gw), `scores`, `methods` and `random_baseline`, if the methods are shown; and the
    caption.
    """
    from vitviz.attribution.charts import all_rows

    found: dict[str, Any] = {
        "map": chart.large,
        "title": np.array(chart.title),
        "maps": without_ablated(chart, chart.maps),
        "prefix": without_ablated(chart, all_rows(explanation, view)[..., : explanation.prefix]),
        "labels": np.array(explanation.labels),
        "probabilities": explanation.probabilities,
        "caption": np.array(" ".join(chart.caption)),
    }
    if chart.pixels is not None:
        found["pixels"] = chart.pixels
    if chart.scales is not None and view.scale == "shared":
        found["limits"] = np.array([scale.limit for scale in chart.scales])
    if chart.methods:
        found |= {f"method_{one.key}": one.values for one in chart.methods}
        found["methods"] = np.array([one.key for one in chart.methods])
        found["scores"] = np.array([np.nan if one.score is None else one.score for one in chart.methods])
        found["random_baseline"] = np.array(chart.random_baseline)
    return found


def without_ablated(chart: "Chart", values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return values (L + 1, A + 1, ...) with NaN for ablated heads, whose zeros are not attention weights."""
    ablated = chart.ablated.reshape(chart.ablated.shape + (1,) * (values.ndim - 2))
    return np.where(ablated, np.float32(np.nan), values)


def table(chart: "Chart", explanation: Explanation) -> str:
    """Return the numbers of a view as CSV, see `written_table`."""
    return written_table(table_rows(chart, explanation))


def written_table(rows: Iterable[tuple[Any, ...]]) -> str:
    """Return rows as CSV, one value a line; layers, heads, rows and columns count from 1."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("quantity", "name", "layer", "head", "row", "column", "value"))
    for line in rows:
        writer.writerow((*line[:-1], f"{float(line[-1]):.7g}"))
    return buffer.getvalue()


def table_rows(chart: "Chart", explanation: Explanation) -> Iterator[tuple[Any, ...]]:
    """Yield the lines of `table`."""
    if chart.methods:
        for one in chart.methods:
            for (row, column), value in np.ndenumerate(one.values):
                yield "attribution", one.key, "", "", row + 1, column + 1, value
        yield from (("deletion score", one.key, *[""] * 4, one.score) for one in chart.methods if one.score is not None)
        yield "deletion score", "mean of random orders", *[""] * 4, chart.random_baseline[0]
        yield "deletion score", "SD of random orders", *[""] * 4, chart.random_baseline[1]
    else:
        for (row, column), value in np.ndenumerate(chart.large):
            yield "map", chart.title, "", "", row + 1, column + 1, value
        for (layer, head, row, column), value in np.ndenumerate(without_ablated(chart, chart.maps)):
            at = [name(index, count) for index, count in ((layer, len(chart.maps)), (head, chart.maps.shape[1]))]
            yield "attention", "", *at, row + 1, column + 1, value
    for label, probability in zip(explanation.labels, explanation.probabilities, strict=True):
        yield "probability", label, *[""] * 4, probability


def name(index: int, count: int) -> str:
    """Name a layer or head from 1; the last one is the mean."""
    return "mean" if index == count - 1 else str(index + 1)


def file_name(explanation: Explanation, view: View, content: str, ending: str) -> str:
    """Return a file name: model, image, map, query of attention, and content, in plain letters."""
    words = ["vitviz", explanation.checkpoint, explanation.name]
    is_of_one_map = content in ("view", "map", "layers", "patches", *PANELS)
    words += [explanation.title(view)] if is_of_one_map else []
    if (view.method is None or not is_of_one_map) and content != "methods" and (view.query or view.direction == "to"):
        query = view.query_label(explanation.context.config.class_token)
        if view.query:
            row, column = divmod(view.query[0], explanation.grid[1])
            others = f" and {len(view.query) - 1} more" if len(view.query) > 1 else ""
            query = f"row {row + 1} column {column + 1}{others}"
        words.append(f"{view.direction} {query}")
    words += ["ablated"] if explanation.changes else []
    words += [content] if content != "view" else []
    return f"{re.sub('[^a-z0-9]+', '-', ' '.join(words).lower())[:MAX_NAME_LENGTH].strip('-')}.{ending}"
