"""Timelines of trainings: snapshots as JSON."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from vitviz.data.encoding import data_url, to_base64
from vitviz.errors import ConfigError
from vitviz.models import checkpoint
from vitviz.models.mae import reconstruct_images
from vitviz.runs.run_folder import TIMELINE
from vitviz.runs.store import Runs
from vitviz.training import timeline
from vitviz.training.timeline import Timeline, TimelineError
from vitviz.view import check_index
from vitviz.webapp.models import RUN_PREFIX, FileState, bundled_models, file_state, load_model
from vitviz.webapp.schemas.common import Shape
from vitviz.webapp.schemas.runs import (
    BundledTimeline,
    Reconstruction,
    ReconstructionRequest,
    TimelineReply,
    TimelineRequest,
)


class Timelines:
    """Timelines of bundled checkpoints and of `runs`; None for bundled checkpoints only."""

    def __init__(self, runs: Runs | None) -> None:
        self.runs = runs

    def snapshots(self, request: TimelineRequest) -> TimelineReply | None:
        """Return the snapshots of a timeline for one image; None if it does not exist yet, or is damaged."""
        try:
            held = self.load(request.model)
        except TimelineError:  # as without one, the page follows the run
            held = None
        if held is None:
            return None
        image = request.image if request.image < len(held.names) else 0  # a new timeline may have fewer images
        first = request.first if request.first <= len(held.epoch) else 0
        attention = held.cls_attention[first:, image].astype(np.float32)
        values = {name: (getattr(held, name), 4) for name in ("seconds", "entropy", "distance")}
        values |= {name: (curve, 5) for name, curve in probe_curves(held).items()}
        rest: dict[str, Any] = {} if first else {"image": image} | describe(held)
        if not first and held.mask is not None:
            rest["masked"] = held.mask[image].ravel().nonzero()[0].tolist()
        for name, (found, digits) in values.items():
            rest[name] = None if found is None else np.round(found[first:].astype(float), digits).tolist()
        return TimelineReply(
            count=len(held.epoch),
            first=first,
            epoch=held.epoch[first:].tolist(),  # not rounded: the last one equals that of the metrics
            probabilities=np.round(held.probabilities[first:, image].astype(float), 5).tolist(),
            rows=to_base64(np.round(attention * 65535).astype("<u2")),
            reconstructions=None if held.reconstruction is None else urls(held.reconstruction[first:, image]),
            **rest,
        )

    def reconstruct(self, request: ReconstructionRequest) -> Reconstruction:
        """Predict masked patches of a probe image by the decoder of the model."""
        if (held := self.load(request.model)) is None:
            raise ConfigError("model", f"has no snapshots: {request.model[:80]}", "Choose a run of Train.")
        check_index("image", request.image, len(held.names))
        rows, columns = held.grid
        mask = torch.zeros(1, rows * columns, dtype=torch.bool)
        for patch in request.masked:
            check_index("masked", patch, rows * columns)
            mask[0, patch] = True
        pixels = torch.from_numpy(held.images[request.image]).permute(2, 0, 1)  # (3, H, W)
        model = load_model(request.model, self.runs)
        found = reconstruct_images(model, pixels[None], mask.unflatten(1, held.grid))
        return Reconstruction(src=urls(found.permute(0, 2, 3, 1).numpy())[0])

    def load(self, model: str) -> Timeline | None:
        """Load the timeline of a bundled checkpoint or of a run; None if it does not exist yet."""
        path = self.path(model)
        state = file_state(path)
        return None if state is None else load_timeline(path, state)

    def path(self, model: str) -> Path:
        """Return the file of a timeline, which may not exist yet."""
        if self.runs is not None and model.startswith(RUN_PREFIX):
            return self.runs.folder(model.removeprefix(RUN_PREFIX)) / TIMELINE
        if model in bundled_models():
            return (checkpoint.CHECKPOINTS / f"{model}.{TIMELINE}").resolve()
        raise ValueError(f"Timeline of {model[:80]!r} not found. Choose a run or a bundled checkpoint.")


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


def bundled_timelines() -> list[BundledTimeline]:
    """List the bundled checkpoints with a timeline."""
    found = []
    for name in bundled_models():
        if (checkpoint.CHECKPOINTS / f"{name}.{TIMELINE}").is_file():
            record = load_model(name).record
            known = {key: record.get(key) for key in ("epochs", "seconds", "test_accuracy", "parameters")}
            count, distilled = checkpoint.eval_samples(record), bool(record.get("teacher"))
            found.append(BundledTimeline(name=name, distilled=distilled, eval_samples=count, **known))
    return found


@lru_cache(maxsize=4)
def load_timeline(path: Path, state: FileState) -> Timeline:
    """Load a timeline, once per version of the file."""
    return timeline.read(path)


def urls(images: NDArray[np.uint8]) -> list[str]:
    """Return images (n, H, W, 3) as data URLs."""
    return [data_url(Image.fromarray(image)) for image in images]


def describe(held: Timeline) -> dict[str, Any]:
    """Return what all snapshots of a timeline have in common: shape, classes and probe images."""
    images = [{"name": name, "src": src} for name, src in zip(held.names, urls(held.images), strict=True)]
    return {"shape": shape(held), "classes": held.classes, "images": images}


def shape(held: Timeline) -> Shape:
    """Return the shape of the attention of all snapshots."""
    rows, columns = held.grid
    layers, heads, tokens = held.cls_attention.shape[2:]
    height, width = held.images.shape[1:3]
    return Shape(
        layers=layers,
        heads=heads,
        rows=rows,
        columns=columns,
        aspect=width / height,
        prefix=tokens - rows * columns,
        class_token=held.class_token,
        distilled=False,
        layer_heads=[heads] * layers,
        captured=False,
    )
