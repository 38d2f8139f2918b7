"""SIGINT and SIGTERM as requests for a graceful stop."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopRequest:
    """SIGINT and SIGTERM request a graceful stop after the current step.

    A context manager. A second signal of the same kind has its previous effect: by default it ends the process.

    Attributes:
        requested: Whether a stop is requested; other code may set it.
    """

    def __init__(self) -> None:
        self.requested = False
        self.previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> "StopRequest":
        if threading.current_thread() is threading.main_thread():  # Python allows signal handlers only there
            self.previous = {number: signal.signal(number, self.request) for number in STOP_SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self.previous.items():
            signal.signal(number, handler)

    def request(self, number: int, frame: FrameType | None) -> None:
        """Request a stop and restore the previous handler of this signal.

        An enclosing `StopRequest` is notified as well: the inner run may end before it checks for the request.
        """
        self.requested = True
        previous = self.previous[signal.Signals(number)]
        signal.signal(number, previous)
        if isinstance(outer := getattr(previous, "__self__", None), StopRequest):
            outer.request(number, frame)
