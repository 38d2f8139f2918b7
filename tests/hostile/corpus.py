"""Hostile corpus, generated deterministically; none of it is stored in the repository.

`python -m tests.hostile.corpus FOLDER` writes all files and a manifest with kind, name, file and expected result.
`python -m tests.hostile.corpus --check FOLDER` loads each in this process and prints one line of JSON per entry:
result, CPU time and growth of memory; `--light` loads those that are not big.
"""

import argparse
import json
import re
import resource
import signal
import time
from dataclasses import replace
from pathlib import Path

from tests.hostile import checkpoints, images, runs
from tests.hostile.entries import Entry
from vitviz.attribution.methods import METHODS
from vitviz.data import datasets
from vitviz.data.preprocessing import preprocess
from vitviz.models import checkpoint
from vitviz.runs import run_folder
from vitviz.training.config import from_json
from vitviz.webapp import image_lists as webapp_images
from vitviz.webapp import models

MAX_SECONDS = 10
MAX_MIB = 512
MAX_DATA_BYTES = 4 * 2**30
MARKER = "PWNED"
MAX_WAIT = 300  # seconds of wall time after which an entry counts as blocked


def corpus(folder: Path) -> list[Entry]:
    """Return all entries; live payloads create `folder`/PWNED when they are executed."""
    return [*images.entries(), *checkpoints.entries(folder), *runs.entries()]


def light(entries: list[Entry]) -> list[Entry]:
    """Return the entries that are not big."""
    return [entry for entry in entries if not entry.big]


def write_entries(entries: list[Entry], folder: Path) -> list[tuple[Entry, Path]]:
    """Write entries, each into a numbered folder."""
    written = []
    for number, entry in enumerate(entries):
        own = folder / f"{number:03}"
        own.mkdir()
        written.append((entry, entry.write(own)))
    return written


def load(entry: Entry, path: Path) -> None:
    """Load an entry with the function for its kind; a ValueError means that it is rejected."""
    if entry.kind == "image":
        preprocess(path, (32, 32))
    elif entry.kind == "checkpoint":
        checkpoint.load(path)
    elif entry.kind == "run":
        config = replace(from_json(run_folder.read_config(path)), output_dir=str(path))
        run_folder.load_state(config, datasets.CIFAR10, 50_000)
    else:
        load_by_name(str(entry.content))


def load_by_name(text: str) -> None:
    """Pass a text to every function that takes a name from the page; all must reject it."""
    functions = (webapp_images.sample_path, models.load_model, webapp_images.upload_path)
    messages = []
    for function in functions:
        try:
            function(text)
        except ValueError as error:
            messages.append(str(error))
    if len(messages) == len(functions) and text not in METHODS:
        raise ValueError(messages[0])


def peak_mib() -> float:
    """Return the peak memory of this process since `reset_peak` (MiB)."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1024


def reset_peak() -> None:
    """Reset the peak memory of this process."""
    Path("/proc/self/clear_refs").write_text("5")


class EntryTimeoutError(BaseException):
    """An entry takes too long or waits for ever; not an Exception, so that no loader catches it."""


def raise_timeout(*_: object) -> None:
    raise EntryTimeoutError


def check(entries: list[Entry], folder: Path) -> None:
    """Load entries and print the result of each."""
    resource.setrlimit(resource.RLIMIT_DATA, (MAX_DATA_BYTES, MAX_DATA_BYTES))  # stops endless reads
    for timer in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(timer, raise_timeout)
    for entry, path in write_entries(entries, folder):
        reset_peak()
        before, start = peak_mib(), time.process_time()
        signal.setitimer(signal.ITIMER_PROF, 3 * MAX_SECONDS)  # processor time, whatever else the machine does
        signal.alarm(MAX_WAIT)
        try:
            load(entry, path)
            outcome, message = "accepted", ""
        except ValueError as error:
            outcome, message = "rejected", str(error)
        except (Exception, EntryTimeoutError) as error:
            outcome, message = type(error).__name__, str(error)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        usage = {"seconds": time.process_time() - start, "mib": peak_mib() - before}
        print(
            json.dumps({"kind": entry.kind, "name": entry.name, "outcome": outcome, "message": message} | usage),
            flush=True,
        )


def write_manifest(folder: Path) -> None:
    """Write all files and a manifest with the expected results."""
    lines = [
        {
            "kind": entry.kind,
            "name": entry.name,
            "file": str(path.relative_to(folder)),
            "expected": "accepted" if entry.error is None else "rejected",
            "error": entry.error,
        }
        for entry, path in write_entries(corpus(folder), folder)
    ]
    (folder / "manifest.json").write_text(json.dumps(lines, indent=1))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="new folder for the files")
    parser.add_argument("--check", action="store_true", help="load each entry instead of writing a manifest")
    parser.add_argument("--light", action="store_true", help="with --check: those that are not big")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.check:
        entries = corpus(options.folder)
        check(light(entries) if options.light else entries, options.folder)
    else:
        write_manifest(options.folder)
