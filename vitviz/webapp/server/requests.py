"""Questions from the browser: what they must hold, and how a refusal is told.

They are treated as hostile: every field is checked. A refusal is an answer too: {"error": one sentence}.
"""

import logging
import secrets
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from vitviz.attribution.context import Target
from vitviz.attribution.explanation import View
from vitviz.data.files import in_text
from vitviz.runs.process import format_error

Answer = dict[str, Any]
T = TypeVar("T")
log = logging.getLogger(__name__)


def answering(answer: Callable[..., Any], public: bool = True) -> Callable[..., Any]:
    """Turn a refusal into {"error": its sentence}; log anything else and say so calmly, with a reference.

    Args:
        answer: The function that answers.
        public: Whether strangers ask, who are not told what the system refused.
    """

    @wraps(answer)
    def guarded(*args: Any) -> Any:
        try:
            return answer(*args)
        except Exception as error:
            if isinstance(error, ValueError) or (isinstance(error, OSError) and not public):
                return {"error": in_text(format_error(error))}
            sentence, reference = generic_error()
            log.exception("Answer %s failed", reference)
            return {"error": sentence}

    return guarded


def generic_error() -> tuple[str, str]:
    """What a visitor is told of a failure that nobody foresaw, and the reference that leads to it in the log."""
    reference = secrets.token_hex(3)
    return f"Something went wrong on the server (reference {reference}). Try again or another image.", reference


def table(question: object) -> Answer:
    """A question, which must be a table."""
    if not isinstance(question, dict):
        raise ValueError(f"A question must be a table of names and values: got {str(question)[:40]!r}.")
    return question


def field(question: object, name: str, kind: type[T]) -> T:
    """Take a field of a question, of the kind it must have."""
    value = question.get(name) if isinstance(question, dict) else None
    if type(value) is not kind:
        raise ValueError(f"The request must name {name} as {kind.__name__}: got {str(value)[:40]!r}.")
    return value


def one_of(question: object, name: str, choices: tuple[str, ...]) -> str:
    """A choice of a question; the first one if it names none."""
    value = question.get(name, choices[0]) if isinstance(question, dict) else None
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}: got {str(value)[:40]!r}.")
    return str(value)


def view(question: Answer) -> View:
    """The view that a question describes; what is out of bounds is refused where it is drawn."""
    patches = whole_numbers(question.get("patches", []))
    method, direction = question.get("method"), question.get("direction", "from")
    if not isinstance(method, str | None):
        raise ValueError(f"method must be a name: got {str(method)[:40]!r}.")
    return View(method, question.get("layer"), question.get("head"), tuple(patches), direction, target_of(question))


def whole_numbers(values: object) -> list[int]:
    """A list of whole numbers, or a refusal."""
    if not isinstance(values, list) or any(type(value) is not int for value in values):
        raise ValueError(f"patches must be whole numbers: got {str(values)[:40]!r}.")
    return values


def pairs(values: list[Any]) -> list[list[int]]:
    """A list of pairs of whole numbers, or a refusal."""
    for pair in values:
        if not isinstance(pair, list) or len(pair) != 2 or any(type(number) is not int for number in pair):
            raise ValueError(f"heads must be pairs of layer and head: got {str(values)[:40]!r}.")
    return values


def target_of(question: Answer) -> Target | None:
    """The class or the two classes that a question asks about; whether there are such is seen where they are used."""
    target = question.get("target") or []
    if not isinstance(target, list) or len(target) > 2 or any(type(k) is not int for k in target):
        raise ValueError(f"target must be up to two classes by number: got {str(target)[:40]!r}.")
    if len(target) == 2:
        return target[0], target[1]
    return target[0] if target else None
