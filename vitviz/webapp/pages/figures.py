"""Server functions that give away what the Explore page shows: the numbers, the page as a file, and code."""

import base64
import re
from typing import cast

from vitviz.attribution import code, export, provenance, serialize, tables
from vitviz.attribution.explanation import Explanation
from vitviz.attribution.shown import method_of, target_of, title_of
from vitviz.attribution.tables import PatchedPair
from vitviz.plots.words import query_name
from vitviz.view import Content, View
from vitviz.webapp.large_models import left_out
from vitviz.webapp.pages.patching import PatchingPage
from vitviz.webapp.schemas.common import FigureFile
from vitviz.webapp.schemas.explore import CodeReply
from vitviz.webapp.server.cache import ExplanationCache, ScoreCache
from vitviz.webapp.server.requests import Json, choice, parse_view, require

PANELS = ("contributions", "features", "patching")
CONTENTS = ("view", "map", "matrix", "methods", "sheet", "layers", "patches", *PANELS)
MIME = {"npz": "application/octet-stream", "csv": "text/csv", "html": "text/html"}
MAX_NAME_LENGTH = 180  # characters of a file name; file systems allow 255


class Figures:
    """Server functions on explanations that `Explore` holds."""

    def __init__(self, explanations: ExplanationCache, scored: ScoreCache, patching: PatchingPage) -> None:
        self.explanations, self.scored, self.patching = explanations, scored, patching

    def figure(self, request: Json) -> FigureFile | None:
        """Return a file of exactly the view: its `name` and `src`, a data URL; None if the key has expired.

        Args:
            request: `key`; `content`, one of `CONTENTS`; `format`, a key of `MIME`; and `view`.

        Raises:
            ValueError: For the methods of a large model.
        """
        if (shown := self.shown(request)) is None:
            return None
        content, ending = choice(request, "content", CONTENTS), choice(request, "format", tuple(MIME))
        explanation, view = shown["explanation"], shown["view"]
        reason = left_out(explanation.context.config)
        if reason and content == "methods":
            raise ValueError(reason)
        if ending == "html":  # of a large model without scores, and with only the maps that are there
            scores = None if reason else self.scores(explanation, view)
            data = explanation.document(view, complete=not reason, scores=scores).encode()
        else:
            data = self.numbers(explanation, view, request, ending, content == "methods")
            data = provenance.embed(data, f".{ending}", provenance.provenance(**shown))
        source = f"data:{MIME[ending]};base64,{base64.b64encode(data).decode()}"
        return {"name": file_name(explanation, view, content, ending), "src": source}

    def numbers(self, explanation: Explanation, view: View, request: Json, ending: str, methods: bool) -> bytes:
        """Return the numbers of a view, or of all methods, as the bytes of an .npz or .csv file."""
        patched = self.patched(explanation, view, request) if view.content == "patching" else None
        found = tables.arrays(explanation, view, patched)
        rows = tables.rows(explanation, view, found)
        if methods:
            found |= tables.method_arrays(explanation, view, self.scores(explanation, view))
            rows = tables.method_rows(found)
        return export.npz_bytes(found) if ending == "npz" else export.csv_bytes(rows)

    def patched(self, explanation: Explanation, view: View, request: Json) -> PatchedPair:
        """Return the results of activation patching, those that the page has if it has."""
        shown = request["view"]
        pair = {"key": request["key"], "other": require(shown, "other", str), "target": shown.get("target")}
        heads, mlp = (self.patching.patch(explanation, pair, part, silent) for part in ("heads", "mlp"))
        if not isinstance(view.layer, int) or view.head != "mean":
            return PatchedPair(heads, mlp)
        return PatchedPair(heads, mlp, self.patching.patch(explanation, pair, "tokens", silent, (view.layer,)))

    def scores(self, explanation: Explanation, view: View) -> Json:
        """Return the scores of all methods, from the cache if the page has them."""
        target = target_of(explanation, view)
        return self.scored.get_or_compute(
            "scores", explanation, target, lambda: serialize.method_scores(explanation, target)
        )

    def code(self, request: Json) -> CodeReply | None:
        """Return Python code that computes the arrays of a `view`; None if the key has expired."""
        shown = self.shown(request)
        return None if shown is None else {"code": code.python(**shown)}

    def provenance(self, request: Json) -> Json | None:
        """Return the provenance of a `view`, without panels; None if the key has expired."""
        shown = self.shown(request)
        return shown and provenance.provenance(**shown).model_dump(mode="json")

    def shown(self, request: Json) -> Json | None:
        """Return what a request shows, as arguments of `code.python`; None if the key has expired."""
        if (explanation := self.explanations.get(request)) is None:
            return None
        content, shown = choice(request, "content", CONTENTS), require(request, "view", dict)
        other = self.patching.other({"other": require(shown, "other", str)}) if content == "patching" else None
        return {"explanation": explanation, "view": parse_view(shown, content_of(content)), "other": other}


def content_of(content: str) -> Content:
    """Return the content of a view by what of it is saved."""
    return cast(Content, content) if content in PANELS else "attention"


def silent(done: int, total: int) -> None:
    """Report no progress."""


def file_name(explanation: Explanation, view: View, content: str, ending: str) -> str:
    """Return a file name: model, image, map, query of attention, and content, in plain letters."""
    words = ["vitviz", explanation.checkpoint, explanation.name]
    is_of_one_map = content in ("view", "map", "layers", "patches", *PANELS)
    words += [title_of(explanation, view)] if is_of_one_map else []
    if (
        (method_of(view) is None or not is_of_one_map)
        and content != "methods"
        and (view.query or view.direction == "to")
    ):
        query = query_name((), explanation.grid[1], explanation.context.config.class_token)
        if view.query:
            row, column = divmod(view.query[0], explanation.grid[1])
            others = f" and {len(view.query) - 1} more" if len(view.query) > 1 else ""
            query = f"row {row + 1} column {column + 1}{others}"
        words.append(f"{view.direction} {query}")
    words += ["ablated"] if explanation.changes else []
    words += [content] if content != "view" else []
    return f"{re.sub('[^a-z0-9]+', '-', ' '.join(words).lower())[:MAX_NAME_LENGTH].strip('-')}.{ending}"
