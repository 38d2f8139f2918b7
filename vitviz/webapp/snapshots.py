"""Snapshots of a training as subjects: the predictions and the attention that its timeline stores.

A snapshot has no weights, so that only its probe images and the attention of the class token are known.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from vitviz.attribution import comparison, serialize
from vitviz.attribution.comparison import Side
from vitviz.attribution.methods import METHODS
from vitviz.attribution.provenance import ImageIdentity, ModelIdentity, Shown, WeightsOfFile
from vitviz.data.encoding import to_base64
from vitviz.errors import ConfigError, InvalidValueError
from vitviz.models.weights import WeightFile
from vitviz.plots.formatting import map_name
from vitviz.plots.scales import with_means
from vitviz.training.timeline import Timeline
from vitviz.view import Sample, Subject, View, check_index
from vitviz.webapp.models import RUN_PREFIX
from vitviz.webapp.schemas import explanations as types
from vitviz.webapp.schemas.models import Snapshots
from vitviz.webapp.server.refusals import about
from vitviz.webapp.timelines import Timelines, shape


@dataclass(frozen=True)
class Snapshot:
    """A snapshot of a training on a probe image.

    Attributes:
        subject: Model, snapshot and probe image.
        timeline: The timeline of the training.
        file: Its file.
        image: Index of the probe image.
    """

    subject: Subject
    timeline: Timeline
    file: Path
    image: int

    @property
    def index(self) -> int:
        """Index of the snapshot."""
        return self.subject.snapshot or 0

    def to_reply(self) -> types.Explained:
        """Return the prediction and the attention of the class token as the reply for an explanation."""
        held, pixels, name = self.timeline, self.timeline.images[self.image], self.timeline.names[self.image]
        attention = held.cls_attention[self.index, self.image].astype("<f4")  # (L, A, T)
        shows = name if name in held.classes else None
        return types.Explained(
            model=self.subject.model,
            classes=held.classes,
            probabilities=held.probabilities[self.index, self.image].tolist(),
            shape=shape(held),
            methods=[key for key, method in METHODS.items() if not method.of_texts],
            cls=to_base64(attention),
            pool=None,
            on_demand=True,
            limits={},
            credit="",
            image=types.ExplainedImage(
                **serialize.pixels_to_json(Image.fromarray(pixels)),
                original=None,
                name=name,
                caption="Probe image of the training",
                note="",
                crop=None,
                truth=None if shows is None else held.classes.index(shows),
                shows=shows,
            ),
            notes={},
            maps={},
        )

    def side(self, view: View) -> Side:
        """Return a side of a comparison."""
        held = self.timeline
        maps = with_means(held.maps(self.image)[self.index])  # (L + 1, A + 1, gh, gw)
        if (view.content, view.direction, view.query) != ("attention", "from", ()):
            raise ConfigError("view", "must be of the attention from the class token, as a snapshot has no other")
        check_index("layer", view.layer, len(maps) - 1, "mean")
        check_index("head", view.head, len(maps[0]) - 1, "mean")
        return Side(
            title=map_name(view.layer, view.head),
            quantity=comparison.ATTENTION,
            unit="weights",
            values=maps[int(view.layer) if view.layer != "mean" else -1, view.head if view.head != "mean" else -1],
            kept=np.ones(held.grid, bool),
            num_tokens=held.cls_attention.shape[-1],
            model=self.subject.model.removeprefix(RUN_PREFIX),
            layers=len(maps) - 1,
            image=held.images[self.image],
            image_name=held.names[self.image],
            labels=tuple(held.classes),
            probabilities=held.probabilities[self.index, self.image],
            snapshot=names(held)[self.index],
            shown=lambda: self.describe_shown(view),
        )

    def describe_shown(self, view: View) -> Shown:
        """Return where the side comes from."""
        pixels = self.timeline.images[self.image]
        file = WeightsOfFile(name=self.file.name, sha256=WeightFile.of(self.file).sha256)
        sha256, (height, width) = hashlib.sha256(pixels.tobytes()).hexdigest(), pixels.shape[:2]
        return Shown(
            model=ModelIdentity(name=self.subject.model, sha256=None, files=(file,)),
            image=ImageIdentity(sha256=sha256, width=width, height=height, crop=0.5),
            preprocessing=None,
            subject=self.subject,
            view=view,
        )


def find(timelines: Timelines, subject: Subject) -> Snapshot:
    """Return the snapshot of a subject.

    Raises:
        ValueError: If the timeline, the snapshot or the probe image does not exist, or something is ablated.
    """
    held = load(timelines, subject.model, "subject.model")
    check_index("subject.snapshot", subject.snapshot, len(held.epoch))
    name = subject.image.name if isinstance(subject.image, Sample) else ""
    if name not in held.names:
        raise InvalidValueError("subject.image", f"a probe image of the timeline: {', '.join(held.names)}", name)
    if subject.ablations:
        raise ConfigError("subject.ablations", "must be empty: a timeline has no weights to ablate")
    return Snapshot(subject, held, timelines.path(subject.model), held.names.index(name))


def list_snapshots(timelines: Timelines, model: str) -> Snapshots:
    """Return the snapshots of a training and its probe images."""
    held = load(timelines, model, "model")
    return Snapshots(snapshots=names(held), images=held.names)


def load(timelines: Timelines, model: str, field: str) -> Timeline:
    """Return the timeline of a model."""
    with about(field):
        if (held := timelines.load(model)) is None:
            raise ConfigError("model", f"has no snapshots: {model[:80]}", "Choose the shipped model or a run of Train.")
        return held


def names(held: Timeline) -> list[str]:
    """Return the names of the snapshots: the epochs trained before each."""
    return [f"epoch {epoch:.3g}" if epoch < 100 else f"epoch {epoch:.0f}" for epoch in held.epoch]
