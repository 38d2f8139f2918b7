"""Validation of requests from the browser, and error responses.

Requests are untrusted: every field is checked. A refusal is a response, too: {"error": sentence}.
"""

import logging
import secrets
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from annotated_types import Len
from pydantic import TypeAdapter, ValidationError

from vitviz.data.files import printable_name
from vitviz.models.config import STRICT, ConfigError
from vitviz.runs.process import format_error

if TYPE_CHECKING:
    from vitviz.attribution.context import Target
    from vitviz.view import Content, View

Json = dict[str, Any]
T = TypeVar("T")
INTEGERS = TypeAdapter(list[int], config=STRICT)
PAIRS = TypeAdapter(list[Annotated[list[int], Len(2, 2)]], config=STRICT)
TARGET = TypeAdapter(Annotated[list[int], Len(0, 2)], config=STRICT)
VIEW_FIELDS = ("method", "direction", "scale", "smooth", "outlines", "truth", "foreground", "pixels")
KINDS = {str: "a string", int: "an integer", dict: "an object", list: "a list"}
log = logging.getLogger(__name__)


class RequestError(ConfigError):
    """A field of a request is invalid; attributes as of `ConfigError`."""

    def __init__(self, field: str, rule: str, value: object, hint: str = "") -> None:
        super().__init__(field, f"must be {rule}: got {str(value)[:40]!r}", hint)


def error_response(function: Callable[..., Any], public: bool = True) -> Callable[..., Any]:
    """Return refusals of a server function as {"error": sentence}; log other exceptions and return a generic sentence.

    Args:
        function: The server function.
        public: Whether operating system errors are hidden, as they name paths of the server.
    """

    @wraps(function)
    def guarded(*args: Any) -> Any:
        try:
            return function(*args)
        except Exception as error:
            if isinstance(error, ValueError) or (isinstance(error, OSError) and not public):
                return {"error": printable_name(format_error(error))}
            sentence, reference = generic_error()
            log.exception("Server function failed, reference %s", reference)
            return {"error": sentence}

    return guarded


def generic_error() -> tuple[str, str]:
    """Return the message of an unexpected failure, and its reference in the log."""
    reference = secrets.token_hex(3)
    return f"Something went wrong on the server (reference {reference}). Try again or use another image.", reference


def require(request: object, name: str, kind: type[T]) -> T:
    """Return a required field of a request; its type must match exactly."""
    value = request.get(name) if isinstance(request, dict) else None
    if type(value) is not kind:
        raise RequestError(name, KINDS[kind], value)
    return value


def choice(request: object, name: str, choices: tuple[str, ...]) -> str:
    """Return a field that is one of `choices`; the first if it is omitted."""
    value = request.get(name, choices[0]) if isinstance(request, dict) else None
    if value not in choices:
        raise RequestError(name, f"one of {', '.join(choices)}", value)
    return str(value)


def parse_view(request: Json, content: "Content" = "attention") -> "View":
    """Parse a view; the bounds of its indices are checked where it is used.

    The true class is `truth`; what is omitted has the default of `View`.
    """
    from vitviz.view import View

    query = parse("patches", request.get("patches", []), INTEGERS, "a list of integers")
    target = parse("target", request.get("target") or [], TARGET, "up to two class indices")
    fields = {name: request[name] for name in VIEW_FIELDS if name in request}
    return View(
        content="method" if content == "attention" and request.get("method") is not None else content,
        layer=mean_of_none(request.get("layer")),
        head=mean_of_none(request.get("head")),
        query=tuple(query),
        target=tuple(target),
        **fields,
    )


def mean_of_none(value: Any) -> Any:
    """Return a layer or head; None, as the page sends it, is the mean."""
    return "mean" if value is None else value


def parse(name: str, value: object, kind: TypeAdapter[T], rule: str) -> T:
    """Check a field of a nested type; `rule` describes it."""
    try:
        return kind.validate_python(value)
    except ValidationError:
        raise RequestError(name, rule, value) from None


def parse_target(request: Json) -> "Target | None":
    """Parse the target, up to two class indices; `Explanation.target` checks their range."""
    target = parse("target", request.get("target") or [], TARGET, "up to two class indices")
    return (target[0], target[1]) if len(target) == 2 else target[0] if target else None
