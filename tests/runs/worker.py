"""Process that locks a run folder like a training, but does not train; without torch, so that it starts quickly.

Arguments: a behavior, then those of the command line. Behaviors: "waiting" until a stop is requested, "deaf" to stop
requests, "rejected" (error before the start), "failed" (error after the start), or "done".
"""

import os
import signal
import sys
from pathlib import Path

from vitviz import cli
from vitviz.errors import TrainingStopped
from vitviz.runs import process
from vitviz.runs.process import RunLock
from vitviz.training.signals import StopRequest

LINE = '{"progress": 0.25, "epoch": 2.5, "seconds": 60.0, "loss": 2.0, "images_per_second": 500.0}\n'


def wait(stop: StopRequest) -> None:
    """Wait until a stop is requested."""
    while not stop.requested:
        stop.requested = signal.sigtimedwait([signal.SIGTERM], 600) is not None


def work(behavior: str, folder: Path) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])  # no signal between the check and the wait
    with StopRequest() as stop:
        if behavior == "rejected":
            raise ValueError("The weather must be fine: it rains. Take an umbrella.")
        with RunLock(folder, stop) as lock:
            lock.record_start()
            (folder / "metrics.jsonl").write_text(LINE)
            (folder / f"worker-{os.getpid()}").touch()  # signals the test that the process has started
            if behavior == "failed":
                raise ZeroDivisionError("by zero\nand more")
            if behavior == "deaf":
                signal.pause()
            if behavior != "done":
                wait(stop)
                raise TrainingStopped("Stopped on request.")


if __name__ == "__main__":
    behavior, *arguments = sys.argv[1:]
    print("started", flush=True)
    cli.app = lambda: work(behavior, Path(arguments[arguments.index("--output-dir") + 1]))
    cli.main()
    assert process.LOCKED_FOLDER in os.environ
