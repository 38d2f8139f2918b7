"""Refusals: an error as the field of the request, the problem and a hint, and the sentence of them."""

import logging
import secrets
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from vitviz.errors import VitvizError, reports_no_memory
from vitviz.files import printable_name
from vitviz.runs.process import DISK_FULL, NO_MEMORY, format_error
from vitviz.view import first_error
from vitviz.webapp.server.jobs import BusyError, GoneError

BUSY = "The server is busy. Try again in a moment."
DISK_IS_FULL = "The server has no space to store this. Try again later."
CLIENT_GONE = 499  # as nginx logs it; nobody reads the response
Handler = Callable[[Request], Coroutine[Any, Any, Response]]
log = logging.getLogger(__name__)


class Refusal(BaseModel):
    """Why a request is not served.

    Attributes:
        field: Of the request, such as "subject.image"; empty if it is about none.
        problem: Violated rule and received value.
        hint: What to do instead; may be empty.
        error: All of it as a sentence.
        busy: Whether the same request can be served later.
    """

    field: str = ""
    problem: str = ""
    hint: str = ""
    error: str
    busy: bool = False


class RequestRefusedError(Exception):
    """The guard refuses a request: HTTP `status`, and the reason as a `sentence`."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


class FieldError(VitvizError, ValueError):
    """A field of a request is refused for an `error` that knows no field."""

    def __init__(self, field: str, error: ValueError) -> None:
        super().__init__(getattr(error, "reason", str(error)))  # without the name that a file has on the server
        self.field, self.problem, self.hint = field, getattr(error, "problem", str(error)), getattr(error, "hint", "")


@contextmanager
def about(field: str) -> Iterator[None]:
    """Refuse with the name of a field what is wrong with its value."""
    try:
        yield
    except ValueError as error:  # also with the name of a field inside
        raise FieldError(field, error) from error


def refuse(error: Exception, public: bool) -> tuple[int, Refusal]:
    """Return the HTTP status and the refusal for an exception; what nobody foresaw is logged.

    Args:
        error: The exception.
        public: Whether operating system errors are hidden, as they name paths of the server.
    """
    if isinstance(error, RequestValidationError):
        is_json = error.errors()[0]["type"] != "json_invalid"
        error = first_error(error.errors(), skip=1) if is_json else HTTPException(400, "The body must be JSON.")
    if isinstance(error.__cause__, RequestRefusedError | OSError):  # while the body arrived
        error = error.__cause__
    if isinstance(error, RequestRefusedError):
        return error.status, Refusal(error=error.sentence, problem=error.sentence)
    if isinstance(error, BusyError):
        return 503, Refusal(error=BUSY, problem=BUSY, busy=True)
    if isinstance(error, GoneError):
        return CLIENT_GONE, Refusal(error="The client has gone.")
    if isinstance(error, OSError) and error.errno in DISK_FULL:
        error = HTTPException(507, DISK_IS_FULL)
    if reports_no_memory(error):
        log.error(NO_MEMORY, exc_info=error)
        error = HTTPException(503, NO_MEMORY)
    if isinstance(error, HTTPException):
        return error.status_code, Refusal(error=error.detail, problem=error.detail)
    if isinstance(error, ValueError) or (isinstance(error, OSError) and not public):
        sentence = printable_name(format_error(error))
        field, problem, hint = (printable_name(getattr(error, name, "")) for name in ("field", "problem", "hint"))
        return 400, Refusal(field=field, problem=problem or sentence, hint=hint, error=sentence)
    sentence, reference = generic_error()
    log.error("Request failed, reference %s", reference, exc_info=error)
    return 500, Refusal(error=sentence, problem=sentence)


def generic_error() -> tuple[str, str]:
    """Return the message of an unexpected failure, and its reference in the log."""
    reference = secrets.token_hex(3)
    return f"Something went wrong on the server (reference {reference}). Try again or use another image.", reference


class RefusingRoute(APIRoute):
    """A route that answers every exception with a refusal."""

    def get_route_handler(self) -> Handler:
        """Return the function that handles requests."""
        handle = super().get_route_handler()

        async def respond(request: Request) -> Response:
            try:
                return await handle(request)
            except Exception as error:
                status, refusal = refuse(error, request.app.state.public)
                return JSONResponse(refusal.model_dump(), status)

        return respond
