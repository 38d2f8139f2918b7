"""Comparisons of two subjects and views for the page, see `vitviz.attribution.comparison`."""

from collections.abc import Callable
from typing import Literal, TypeVar

from vitviz.attribution import comparison, file_formats
from vitviz.attribution.comparison import Comparison, Side
from vitviz.attribution.methods import METHODS
from vitviz.attribution.targets import check_method
from vitviz.attribution.view_maps import check_view, method_of
from vitviz.errors import InvalidValueError
from vitviz.view import View
from vitviz.webapp import saved_files, snapshots
from vitviz.webapp.explanations import Held, skip_reason
from vitviz.webapp.schemas import explanations as types
from vitviz.webapp.schemas.base import SavedFile
from vitviz.webapp.server.calls import Call
from vitviz.webapp.server.refusals import about
from vitviz.webapp.snapshots import Snapshot

T = TypeVar("T")


async def compare(request: types.ComparisonRequest, call: Call, use: Callable[[Comparison], T]) -> T:
    """Compare two sides and return what `use` makes of it, in the queue of the costlier side.

    Raises:
        ValueError: If a side is refused.
    """
    with about("a"):
        first = await find(request.a, call)
    with about("b"):
        second = await find(request.b, call)
    a = first.explanation if isinstance(first, Held) else None

    def side(found: Held | Snapshot, shown: types.SideRequest) -> Side:
        if isinstance(found, Snapshot):
            return found.side(shown.view)
        return comparison.side(found.explanation, shown.view, a)

    def compute() -> T:
        with about("a"):
            one = side(first, request.a)
        with about("b"):
            other = side(second, request.b)
        query = request.a.view.query
        return use(Comparison(one, other, query if query == request.b.view.query else ()))

    sides = [(found, method_of(one.view)) for found, one in ((first, request.a), (second, request.b))]
    methods = [(found, method) for found, method in sides if method is not None and not METHODS[method].instant]
    if not methods:
        return await call.quick(compute)
    is_large = any(isinstance(found, Held) and found.is_large for found, _ in methods)
    run = call.many_passes if any(METHODS[method].many_passes for _, method in methods) else call.one_pass
    return await run(compute, is_large)


async def find(side: types.SideRequest, call: Call) -> Held | Snapshot:
    """Return what a side shows a view of, after checks of the view."""
    if side.subject.snapshot is not None:
        return await call.quick(lambda: snapshots.find(call.backend.timelines, side.subject))
    held = await call.explain(side.subject)
    check(held, side.view)
    return held


def check(held: Held, view: View) -> None:
    """Raise ConfigError for a view that an explanation does not have, or of a method that takes many passes."""
    if (method := method_of(view)) is not None:
        check_method(method)
        check_cost(held, method, "view.method")
    with about("view"):
        check_view(held.explanation, view)


def check_cost(held: Held, method: str, field: str = "method") -> None:
    """Raise ConfigError, of a field of the request, for a method that takes many passes."""
    is_too_large = METHODS[method].many_passes and skip_reason(held.explanation.context.config) is not None
    if METHODS[method].on_request or is_too_large:
        raise InvalidValueError(field, "one that takes few passes on this page", method)


def file(found: Comparison, ending: Literal["npz", "csv"]) -> SavedFile:
    """Return a file of the numbers, with the provenance of both sides."""
    source = found.provenance()
    data = (
        file_formats.npz_bytes(found.arrays(), source)
        if ending == "npz"
        else file_formats.csv_bytes(found.rows(), source)
    )
    return SavedFile(src=saved_files.data_url(data, ending))
