"""The exceptions of vitviz: one base class, whose fields say what is wrong, why, and what to do.

- VitvizError
  - ConfigError (ValueError)
    - InvalidValueError
  - CheckpointError, DataError, ImageError, LargeAttentionError, CapturedModelError (ValueError)
  - TrainingError, InterruptedMapError (RuntimeError)
"""

import difflib
import re
import sys
from collections.abc import Iterable, Mapping

ARGUMENT = re.compile(r"`([a-z][a-z_]*)(?:=([^`]*))?`")  # in a message: `port`, `restart=True`, `like=timm:NAME`


class VitvizError(Exception):
    """Base class of the exceptions that vitviz raises.

    A message writes arguments as Python does, in backquotes, such as `restart=True`.

    Attributes:
        problem: Violated rule and received value.
        hint: What to do instead; may be empty.
        field: The invalid argument, config field or part of a file; empty if there is none.
    """

    def __init__(self, problem: str, hint: str = "", field: str = "") -> None:
        super().__init__(f"{problem} {hint}".strip())
        self.problem, self.hint, self.field = problem, hint, field

    def with_options(self, options: Mapping[str, str]) -> str:
        """Return the message with options of the command line instead of the arguments of the same names.

        Example:
            >>> VitvizError("The port must be free.", "Choose another `port`.").with_options({"port": "--port"})
            'The port must be free. Choose another --port.'
        """

        def option(found: re.Match[str]) -> str:
            name, value = found.groups()
            if name not in options:
                return found[0]
            return options[name] if value in (None, "True") else f"{options[name]} {value}"

        return ARGUMENT.sub(option, str(self))


class ConfigError(VitvizError, ValueError):
    """An argument or a field of a config is invalid; `problem` is a predicate of `field` ("must be positive")."""

    def __init__(self, field: str, problem: str, hint: str = "") -> None:
        super().__init__(f"{field} {problem}.", hint, field)
        self.problem = problem

    def with_options(self, options: Mapping[str, str]) -> str:
        """Return the message with options also instead of the field.

        Example:
            >>> ConfigError("img_size", "must be positive: got 0").with_options({"img_size": "--img-size"})
            '--img-size must be positive: got 0.'
        """
        return options.get(self.field, self.field) + super().with_options(options).removeprefix(self.field)


class InvalidValueError(ConfigError):
    """The value of one field is invalid.

    Attributes:
        rule: The accepted values ("from 0 to 5").
        value: The received one.
    """

    def __init__(self, field: str, rule: str, value: object) -> None:
        super().__init__(field, f"must be {rule}: got {value!r:.80}")
        self.rule, self.value = rule, value


class CheckpointError(VitvizError, ValueError):
    """A checkpoint is invalid or does not exist; `field` is a metadata field, a tensor, or "checkpoint"."""

    def __init__(self, problem: str, hint: str = "", field: str = "checkpoint") -> None:
        super().__init__(f"{problem}.", hint, field)
        self.problem = problem


class DataError(VitvizError, ValueError):
    """A dataset is missing, damaged or unsuitable."""


class ImageError(VitvizError, ValueError):
    """An image is not accepted.

    Attributes:
        file: Name of the file; empty for an image in memory.
        reason: Problem and hint, without the file name.
    """

    def __init__(self, problem: str, hint: str = "", file: str = "") -> None:
        super().__init__(f"{file!r}: {problem}" if file else problem, hint)
        self.problem, self.file, self.reason = problem, file, f"{problem} {hint}".strip()


class LargeAttentionError(VitvizError, ValueError):
    """The full attention is too large to be held at once.

    Attributes:
        required: Its size (bytes).
        what: What needs it.
    """

    def __init__(self, required: int, limit: float, what: str) -> None:
        super().__init__(
            f"{what} needs the attention between all tokens at once, at most {limit / 2**20:,.0f} MiB with the memory "
            f"that is free: this model's takes {required / 2**20:,.0f}.",
            "Use a smaller image size, or a method that needs the rows of a query only.",
        )
        self.required, self.what = required, what


class CapturedModelError(VitvizError, ValueError):
    """A request needs the inside of a model that runs as it is, and whose attention is captured.

    Attributes:
        what: What needs it, as in "contributions".
    """

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(
            f"The model must be one that vitviz converts for {what}: of this one only attention and outputs are known.",
            hint,
            "model",
        )
        self.what = what


class TrainingError(VitvizError, RuntimeError):
    """Training cannot continue."""


class TrainingStopped(TrainingError):  # noqa: N818 - it ends a training as requested
    """Training stopped on request; its state is saved."""


class InterruptedMapError(VitvizError, RuntimeError):
    """A map that takes many forward passes was interrupted.

    Attributes:
        done: Forward passes that were run.
        total: Forward passes that the map needs.
    """

    def __init__(self, done: int, total: int) -> None:
        super().__init__(
            f"The map was interrupted after {done} of {total} forward passes.", "Start it again for a result."
        )
        self.done, self.total = done, total


def reports_no_memory(error: BaseException) -> bool:
    """Return whether Python, or PyTorch on a GPU, raised an exception because memory ran out."""
    torch = sys.modules.get("torch")  # it need not be imported to look at an error
    return isinstance(error, MemoryError) or (torch is not None and isinstance(error, torch.OutOfMemoryError))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question with the most similar of the known words; empty if none is similar.

    Example:
        >>> did_you_mean("catt", ["cat", "dog"])
        'Did you mean cat?'
    """
    near = difflib.get_close_matches(word, list(known), 1)
    return f"Did you mean {near[0]}?" if near else ""
