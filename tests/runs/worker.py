"""A process that works in a run folder as a training does, but learns nothing; needs no torch, so it starts at once.

Words: how it behaves, then those of the command line that it stands for. It waits to be stopped, ignores that it is
asked to ("deaf"), ends with a refusal before or after it began ("refused", "failed"), or by itself ("done").
"""

import os
import signal
import sys
from pathlib import Path

from vitviz import cli
from vitviz.runs import process
from vitviz.runs.process import Stopped, Work
from vitviz.training.signals import StopRequest

LINE = '{"share": 0.25, "epoch": 2.5, "seconds": 60.0, "loss": 2.0, "images_per_second": 500.0}\n'


def wait(stop: StopRequest) -> None:
    """Do nothing until a stop is asked for."""
    while not stop.requested:
        left = signal.sigtimedwait([signal.SIGTERM], 600)
        stop.requested = left is not None


def work(behaviour: str, folder: Path) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])  # so that none comes between looking and waiting
    with StopRequest() as stop:
        if behaviour == "refused":
            raise ValueError("The weather must be fine: it rains. Take an umbrella.")
        with Work(folder, stop) as held:
            held.begin()
            (folder / "metrics.jsonl").write_text(LINE)
            (folder / f"worker-{os.getpid()}").touch()  # the last thing before it waits
            if behaviour == "failed":
                raise ZeroDivisionError("by zero\nand more")
            if behaviour == "deaf":
                signal.pause()
            if behaviour != "done":
                wait(stop)
                raise Stopped("Stopped as asked.")


if __name__ == "__main__":
    behaviour, *words = sys.argv[1:]
    print("started", flush=True)
    cli.app = lambda: work(behaviour, Path(words[words.index("--out") + 1]))
    cli.main()
    assert process.HELD in os.environ
