"""Timelines of trainings for the Train page: snapshots as JSON."""

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vitviz.data.encoding import data_url, to_base64
from vitviz.models import checkpoint
from vitviz.runs import timeline
from vitviz.runs.run_folder import TIMELINE
from vitviz.runs.store import Runs
from vitviz.runs.timeline import Timeline, TimelineError
from vitviz.webapp.models import RUN_PREFIX, FileState, bundled_models, file_state, load_model
from vitviz.webapp.server.requests import Json, require


class Timelines:
    """Timelines of bundled checkpoints and of `runs`; None for bundled checkpoints only."""

    def __init__(self, runs: Runs | None) -> None:
        self.runs = runs

    def snapshots(self, request: Json) -> Json | None:
        """Return the snapshots of a timeline for one image; None if it does not exist yet, or is damaged.

        Args:
            request: `source`, a bundled checkpoint or "runs/NAME"; `image`, index of the probe image; `from`, the first
                snapshot to return.

        Returns:
            `count` of all snapshots; for those returned `epoch`, `seconds`, `probabilities` (S, K), `entropy` and
            `distance` (S, L, A) or None, and `rows`, class-token attention as base64 of uint16 (S, L, A, T) / 65535;
            of all probe images `probe_loss` and `probe_accuracy` (S,), or None.
            With `from` 0 also `image` and the response of `describe`.
        """
        try:
            held = self.load(require(request, "source", str))
        except TimelineError:  # as without one, the page follows the run
            held = None
        if held is None:
            return None
        image, first = require(request, "image", int), require(request, "from", int)
        image = image if 0 <= image < len(held.names) else 0  # a new timeline may have fewer images
        first = first if 0 < first <= len(held.epoch) else 0
        response: Json = {"count": len(held.epoch), "from": first}
        response["epoch"] = held.epoch[first:].tolist()  # not rounded: the last one equals that of the metrics
        for name in ("seconds", "entropy", "distance"):
            values = getattr(held, name)
            response[name] = None if values is None else np.round(values[first:].astype(float), 4).tolist()
        response["probabilities"] = np.round(held.probabilities[first:, image].astype(float), 5).tolist()
        attention = held.cls_attention[first:, image].astype(np.float32)
        response["rows"] = to_base64(np.round(attention * 65535).astype("<u2"))
        for name, values in probe_curves(held).items():
            response[name] = None if values is None else np.round(values[first:], 5).tolist()
        return response if first else response | {"image": image} | describe(held)

    def load(self, source: str) -> Timeline | None:
        """Load the timeline of a bundled checkpoint or of a run; None if it does not exist yet."""
        path = self.path(source)
        state = file_state(path)
        return None if state is None else load_timeline(path, state)

    def path(self, source: str) -> Path:
        """Return the file of a timeline, which may not exist yet."""
        if self.runs is not None and source.startswith(RUN_PREFIX):
            return self.runs.folder(source.removeprefix(RUN_PREFIX)) / TIMELINE
        if source in bundled_models():
            return checkpoint.CHECKPOINTS / f"{source}.{TIMELINE}"
        raise ValueError(f"Timeline of {source[:80]!r} not found. Choose a run or a bundled checkpoint.")


def probe_curves(held: Timeline) -> dict[str, NDArray[np.float64] | None]:
    """Return mean cross-entropy (nats) and accuracy on the probe images, (S,) each.

    They are None unless each image is named after its class.
    """
    if not set(held.names) <= set(held.classes):
        return {"probe_loss": None, "probe_accuracy": None}
    truth = [held.classes.index(name) for name in held.names]
    probabilities = held.probabilities.astype(float)
    of_truth = probabilities[:, range(len(truth)), truth]  # (S, P)
    correct = probabilities.argmax(-1) == truth
    return {"probe_loss": -np.log(of_truth.clip(1e-12)).mean(1), "probe_accuracy": correct.mean(1)}


def bundled_timelines() -> list[Json]:
    """List the bundled checkpoints with a timeline: name, training record, and whether it was distilled."""
    found = []
    for name in bundled_models():
        if (checkpoint.CHECKPOINTS / f"{name}.{TIMELINE}").is_file():
            record = load_model(name).record
            known = {key: record.get(key) for key in ("epochs", "seconds", "test_accuracy", "parameters")}
            known["eval_samples"] = checkpoint.eval_samples(record)
            found.append({"name": name, "distilled": bool(record.get("teacher"))} | known)
    return found


@lru_cache(maxsize=4)
def load_timeline(path: Path, state: FileState) -> Timeline:
    """Load a timeline, once per version of the file."""
    return timeline.read(path)


def describe(held: Timeline) -> Json:
    """Return what all snapshots of a timeline have in common: shape, classes and probe images."""
    gh, gw = held.grid
    layers, heads, tokens = held.cls_attention.shape[2:]
    height, width = held.images.shape[1:3]
    grid = {"rows": gh, "columns": gw, "aspect": width / height}
    shape = {"layers": layers, "heads": heads, **grid, "prefix": tokens - gh * gw, "classToken": held.class_token}
    pairs = zip(held.names, held.images, strict=True)
    images = [{"name": name, "src": data_url(Image.fromarray(image))} for name, image in pairs]
    return {"shape": shape, "classes": held.classes, "images": images}
