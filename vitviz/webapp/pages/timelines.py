"""Timelines of trainings, for the page: moment by moment, and as movies."""

import base64
import os
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image

from vitviz.models import checkpoint
from vitviz.plots.formats import MOVIES
from vitviz.runs import timeline
from vitviz.runs.run_folder import TIMELINE
from vitviz.runs.store import Runs
from vitviz.runs.timeline import Timeline
from vitviz.webapp.images import base64_of, data_url
from vitviz.webapp.models import OF_RUN, model_named, shipped
from vitviz.webapp.server.requests import Answer, field


class Timelines:
    """The timelines of checkpoints that ship and of runs.

    Args:
        runs: None for no others than those that ship.
    """

    def __init__(self, runs: Runs | None) -> None:
        self.runs = runs

    def moments(self, question: Answer) -> Answer | None:
        """The moments of a timeline from one on, for one image; None if there are none.

        Args:
            question: `source`, a checkpoint that ships, or "runs/NAME"; `image` from 0, else the first one; `from`.

        Returns:
            `count` of all moments; for those from `from` on `epoch`, `seconds`, `probabilities` (S, K), `entropy` and
            `distance` (S, L, A) or None, and `rows`, base64 of uint16 (S, L, A, T) / 65535. With `from` 0 also
            which `image`, and what `frame` gives.
        """
        held = self.history(field(question, "source", str))
        if held is None:
            return None
        image, first = field(question, "image", int), field(question, "from", int)
        image = image if 0 <= image < len(held.names) else 0  # a timeline may have fewer than the one before
        first = first if 0 < first <= len(held.epoch) else 0
        answer: Answer = {"count": len(held.epoch), "from": first}
        answer["epoch"] = held.epoch[first:].tolist()  # as in the metrics, so that the last moment is at their end
        for name in ("seconds", "entropy", "distance"):
            values = getattr(held, name)
            answer[name] = None if values is None else np.round(values[first:].astype(float), 4).tolist()
        answer["probabilities"] = np.round(held.probabilities[first:, image].astype(float), 5).tolist()
        answer["rows"] = base64_of(np.round(held.rows[first:, image].astype(np.float32) * 65535).astype("<u2"))
        return answer if first else answer | {"image": image} | frame(held)

    def history(self, source: str) -> Timeline | None:
        """The timeline of a checkpoint that ships, or of a run; None if it has none yet."""
        if self.runs is not None and source.startswith(OF_RUN):
            path = self.runs.folder(source.removeprefix(OF_RUN)) / TIMELINE
        elif source in shipped():
            path = checkpoint.CHECKPOINTS / f"{source}.{TIMELINE}"
        else:
            raise ValueError(f"There is no timeline of {source[:80]!r}. Choose a run, or a checkpoint that ships.")
        try:
            stamp = os.stat(path)
        except OSError:
            return None
        return read_timeline(path, stamp.st_mtime_ns, stamp.st_size)

    def movie(self, question: Answer) -> Answer:
        """The timeline of `source` for one `image`, as a file that ends in `ending`: its `name` and `content`."""
        from vitviz.plots import animation

        source, ending = field(question, "source", str), field(question, "ending", str)
        held, image = self.history(source), field(question, "image", int)
        if held is None or not 0 <= image < len(held.names) or ending not in MOVIES:
            raise ValueError("There is no such timeline to save. Choose one with its probe image, and GIF or MP4.")
        content = animation.render(held, held.names[image], ending)
        name = f"{source.removeprefix(OF_RUN)}-{held.names[image]}{ending}"
        return {"name": name, "content": base64.b64encode(content).decode()}


def shipped_timelines() -> list[Answer]:
    """The checkpoints that come with a timeline: name, training record, and whether a teacher helped."""
    found = []
    for name in shipped():
        if (checkpoint.CHECKPOINTS / f"{name}.{TIMELINE}").is_file():
            record = model_named(name).record
            known = {key: record.get(key) for key in ("epochs", "seconds", "test_accuracy", "parameters")}
            found.append({"name": name, "distillation_targets": bool(record.get("teacher"))} | known)
    return found


@lru_cache(maxsize=4)
def read_timeline(path: Path, changed_at: int, size: int) -> Timeline:
    """A timeline, read once for each state of its file."""
    return timeline.read(path)


def frame(held: Timeline) -> Answer:
    """What the moments of a timeline have in common."""
    gh, gw = held.grid
    layers, heads, tokens = held.rows.shape[2:]
    height, width = held.images.shape[1:3]
    grid = {"rows": gh, "columns": gw, "aspect": width / height}
    shape = {"layers": layers, "heads": heads, **grid, "prefix": tokens - gh * gw, "classToken": held.class_token}
    images = [
        {"name": name, "src": data_url(Image.fromarray(seen))}
        for name, seen in zip(held.names, held.images, strict=True)
    ]
    return {"shape": shape, "classes": held.classes, "images": images}
