"""Ctrl-C or a polite kill -> a wish that the training fulfils after the step it is in."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

ASKING = (signal.SIGINT, signal.SIGTERM)


class StopRequest:
    """Listens for SIGINT and SIGTERM as a context manager; the second of a kind ends the process at once, as usual.

    Attributes:
        asked: Whether a stop is wanted. May be set by others.
    """

    def __init__(self) -> None:
        self.asked = False
        self.before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> "StopRequest":
        if threading.current_thread() is threading.main_thread():  # elsewhere Python allows no handlers
            self.before = {kind: signal.signal(kind, self.ask) for kind in ASKING}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def ask(self, number: int, frame: FrameType | None) -> None:
        """Note the wish, and let the next signal of this kind do what it did before.

        What listens around this one is told as well: a training that is just ending cannot fulfil the wish for it.
        """
        self.asked = True
        before = self.before[signal.Signals(number)]
        signal.signal(number, before)
        if isinstance(around := getattr(before, "__self__", None), StopRequest):
            around.ask(number, frame)
