"""A run folder -> a process that trains in it, and its end.

It is born with two locks, that of its folder and that of all runs, in a session of its own: it outlives whoever started
it, and the system takes the locks back when it ends.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from vitviz.data.environment import environment
from vitviz.runs import process, run_folder
from vitviz.runs.process import Busy, Process

COMMAND = (sys.executable, "-m", "vitviz")
LOG = "log.txt"  # what the process printed
# The page goes first: a training yields to it, and its idle threads sleep instead of spinning, which on busy cores
# trained between as fast and three times as fast (two rounds on two cores).
NICENESS = 10
QUIET = {"OMP_WAIT_POLICY": "PASSIVE"}
PATIENCE = 60.0  # seconds for a training to end its step, which may be a large one, and to save


def busy(name: str) -> Busy:
    """The refusal of a second training."""
    return Busy(f"One training at a time: {name} is running. Wait for it, or stop it first.")


def spawn(folder: Path, command: str, handle: int) -> None:
    """Start `python -m vitviz train` or `sweep` on a folder, born with the lock of all runs and that of its folder."""
    own = process.lock(folder / process.FILE)
    if own is None:
        raise busy(folder.name)
    known = Process(0, process.new_session())
    try:
        if command == "train":
            run_folder.rewind(folder)
        for mark in folder.glob("stop-*"):
            mark.unlink()
        process.write(folder, known)
        with (folder / LOG).open("wb") as log:
            child = subprocess.Popen(
                [*COMMAND, command, "--resume", "--out", str(folder)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=(handle, own),
                env=environment(QUIET | {process.HELD: str(folder.resolve())}),
            )
        process.write(folder, replace(known, pid=child.pid))
    finally:
        os.close(own)
    with suppress(OSError):  # it may be gone, or we may not
        os.setpriority(os.PRIO_PROCESS, child.pid, NICENESS)
    threading.Thread(target=child.wait, daemon=True).start()  # else the system keeps a dead one on its list


def stop_mark(folder: Path, found: Process) -> Path:
    """The empty file that says this process was asked to stop; making it works once."""
    return folder / f"stop-{found.session}"


def ask_to_stop(folder: Path, found: Process) -> None:
    """Ask a process to save and end; it is killed if it has not after `PATIENCE`."""
    with suppress(FileExistsError):  # asked already: a second signal would end it before it has saved
        stop_mark(folder, found).touch(exist_ok=False)
        os.kill(found.pid, signal.SIGTERM)
        threading.Thread(target=make_sure, args=(folder, found), daemon=True).start()


def make_sure(folder: Path, found: Process) -> None:
    """Kill a process that has not ended after its time."""
    until = time.monotonic() + PATIENCE
    while process.lives(folder) and process.read(folder) == found:
        if time.monotonic() >= until:
            with suppress(ProcessLookupError):
                os.kill(found.pid, signal.SIGKILL)
            return
        time.sleep(0.05)
