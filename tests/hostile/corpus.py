"""The hostile corpus: made anew each time, the same each time, nothing of it in the repository.

`python -m tests.hostile.corpus FOLDER` writes all files with their manifest: kind, name, file, and what must come of
it. `python -m tests.hostile.corpus --check FOLDER` puts each through its gate in this process and prints, one line of
JSON each, what came of it, how long it took and by how much the process grew; `--light` leaves the big ones out.
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
from vitviz.data.preprocessing import prepare
from vitviz.models import checkpoint
from vitviz.runs import run_folder
from vitviz.training.config import from_json
from vitviz.webapp import images as webapp_images
from vitviz.webapp import models

MOST_SECONDS = 10
MOST_MIB = 512
MOST_BYTES = 4 * 2**30
MARKER = "PWNED"


def corpus(folder: Path) -> list[Entry]:
    """All entries; live payloads make `folder`/PWNED when they run."""
    return [*images.entries(), *checkpoints.entries(folder), *runs.entries()]


def put(folder: Path, big: bool = True) -> list[tuple[Entry, Path]]:
    """Make the files below a folder, each in a folder of its own."""
    placed = []
    for number, entry in enumerate(corpus(folder)):
        own = folder / f"{number:03}"
        own.mkdir()
        if big or not entry.big:
            placed.append((entry, entry.place(own)))
    return placed


def enter(entry: Entry, path: Path) -> None:
    """Put an entry through its gate; a refusal is a ValueError."""
    if entry.kind == "image":
        prepare(path, (32, 32))
    elif entry.kind == "checkpoint":
        checkpoint.load(path)
    elif entry.kind == "run":
        config = replace(from_json(run_folder.read_config(path)), output_dir=str(path))
        run_folder.saved_state(config, datasets.CIFAR10, 50_000)
    else:
        typed(str(entry.made))


def typed(text: str) -> None:
    """Put a text where visitors can name something; each place must refuse it."""
    places = (webapp_images.sample, models.model_named, webapp_images.uploaded)
    sentences = []
    for place in places:
        try:
            place(text)
        except ValueError as error:
            sentences.append(str(error))
    if len(sentences) == len(places) and text not in METHODS:
        raise ValueError(sentences[0])


def peak_mib() -> float:
    """The most memory that this process had since `forget_peak` (MiB)."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1024


def forget_peak() -> None:
    """Begin to measure the peak anew."""
    Path("/proc/self/clear_refs").write_text("5")


class TooLong(BaseException):
    """An entry takes so long that something must be wrong; no gate may catch this."""


def too_long(*_: object) -> None:
    raise TooLong


def check(folder: Path, big: bool) -> None:
    """Put every entry through its gate and print what came of it."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))  # a gate that reads for ever ends in words
    signal.signal(signal.SIGALRM, too_long)
    for entry, path in put(folder, big):
        forget_peak()
        before, start = peak_mib(), time.process_time()  # of the processor: others may use it, too
        signal.alarm(3 * MOST_SECONDS)
        try:
            enter(entry, path)
            outcome, words = "accepted", ""
        except ValueError as error:
            outcome, words = "refused", str(error)
        except (Exception, TooLong) as error:
            outcome, words = type(error).__name__, str(error)
        signal.alarm(0)
        found = {"outcome": outcome, "words": words, "seconds": time.process_time() - start, "mib": peak_mib() - before}
        print(json.dumps({"kind": entry.kind, "name": entry.name} | found), flush=True)


def write_manifest(folder: Path) -> None:
    """Write the files and what is expected of them."""
    lines = [
        {
            "kind": entry.kind,
            "name": entry.name,
            "file": str(path.relative_to(folder)),
            "expected": "accepted" if entry.refused is None else "refused",
            "because": entry.refused,
        }
        for entry, path in put(folder)
    ]
    (folder / "manifest.json").write_text(json.dumps(lines, indent=1))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where to put the files; a new one")
    parser.add_argument("--check", action="store_true", help="put each through its gate instead of listing them")
    parser.add_argument("--light", action="store_true", help="with --check: leave the big ones out")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.check:
        check(given.folder, big=not given.light)
    else:
        write_manifest(given.folder)
