"""Start and stop the process of a run.

The process inherits two locks, that of its run folder and that of all runs, and runs in a new session: it
outlives the page that started it, and the operating system releases the locks when it exits.
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

from vitviz.environment import make_environment
from vitviz.files import acquire_lock, open_regular
from vitviz.runs import process, run_folder
from vitviz.runs.process import AlreadyRunningError, ProcessRecord

COMMAND = (sys.executable, "-m", "vitviz")
LOG = "log.txt"  # standard output and error of the process
NICENESS = 10  # the page has priority over training
STOP_TIMEOUT = 60.0  # seconds to finish the current step, which may be a large one, and to save


def already_running(run: str) -> AlreadyRunningError:
    """Return the error of a second training in the same runs folder."""
    return AlreadyRunningError(run, f"Only one training can run at a time: {run} is running. Wait for it, or stop it.")


def spawn(folder: Path, command: str, runs_lock: int) -> None:
    """Start `python -m vitviz train` or `sweep` on a folder; the process inherits its lock and the lock of all runs.

    Nothing is written through a link in the folder.

    Raises:
        AlreadyRunningError: If a process is running in the folder.
    """
    folder_lock = acquire_lock(folder / process.FILE)
    if folder_lock is None:
        raise already_running(folder.name)
    record = ProcessRecord(0, process.new_session())
    try:
        if command == "train":
            run_folder.truncate_metrics(folder, run_folder.saved_seconds(folder))
        for path in folder.glob("stop-*"):
            path.unlink()
        process.write(folder, record)
        (folder / LOG).unlink(missing_ok=True)
        with os.fdopen(open_regular(folder / LOG, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as log:
            child = subprocess.Popen(
                [*COMMAND, command, "--resume", "--output-dir", str(folder)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=(runs_lock, folder_lock),
                env=make_environment({process.LOCKED_FOLDER: str(folder.resolve())}),
            )
        process.write(folder, replace(record, pid=child.pid))
    finally:
        os.close(folder_lock)
    with suppress(OSError):  # already exited, or not permitted
        os.setpriority(os.PRIO_PROCESS, child.pid, NICENESS)
    threading.Thread(target=child.wait, daemon=True).start()  # reap the child when it exits


def stop_request_path(folder: Path, record: ProcessRecord) -> Path:
    """Return the path of the empty file that marks this process as requested to stop."""
    return folder / f"stop-{record.session}"


def request_stop(folder: Path, record: ProcessRecord) -> None:
    """Request a process to save and exit; it is killed after `STOP_TIMEOUT`."""
    with suppress(FileExistsError):  # already requested: a second signal would end it before it has saved
        stop_request_path(folder, record).touch(exist_ok=False)
        os.kill(record.pid, signal.SIGTERM)
        threading.Thread(target=kill_after_timeout, args=(folder, record), daemon=True).start()


def kill_after_timeout(folder: Path, record: ProcessRecord) -> None:
    """Kill a process that is still running after `STOP_TIMEOUT`."""
    deadline = time.monotonic() + STOP_TIMEOUT
    while process.is_running(folder) and process.read(folder) == record:
        if time.monotonic() >= deadline:
            with suppress(ProcessLookupError):
                os.kill(record.pid, signal.SIGKILL)
            return
        time.sleep(0.05)
