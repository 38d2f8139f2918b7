"""Explanations by subject, and what was computed from them: held in memory for a while, at most an hour."""

import asyncio
import threading
import time
import weakref
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TypeVar

from cachetools import TLRUCache
from pydantic import BaseModel
from torch import Tensor

from vitviz.attribution import serialize
from vitviz.attribution.ablation import mean_head_outputs
from vitviz.attribution.context import Target
from vitviz.attribution.explanation import Explanation, explain
from vitviz.attribution.faithfulness import N_RANDOM, STEPS, deletion_steps
from vitviz.attribution.perturbation_maps import NUM_POINTS
from vitviz.data.encoding import data_url
from vitviz.data.preprocessing import load_samples
from vitviz.errors import ConfigError
from vitviz.models.attention_stats import forward_macs
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.vit import Transformer
from vitviz.view import Ablation, Subject, Upload
from vitviz.webapp.inputs import FoundImage, Inputs
from vitviz.webapp.models import RUN_PREFIX
from vitviz.webapp.schemas import explanations as types
from vitviz.webapp.server.jobs import Job, Queue
from vitviz.webapp.server.refusals import about
from vitviz.webapp.server.uploads import expiry, find_upload

T = TypeVar("T", bound=BaseModel)
Key = tuple[Subject, Hashable]  # canonical, and the state of the model's files
MANY_MACS = 2e9  # multiply-accumulates of a forward pass that takes long on one core
MAX_MACS = 5e12  # of one forward pass per patch: some minutes on two cores; occlusion and scores take as many
SKIPPED = (
    "This model is large: scores and the maps that take many forward passes are left out here. Use ex.score and ex.map "
    "in Python."
)
MAX_BYTES = 256 * 2**20  # of explanations
MAX_REPLY_BYTES = 8 * 2**20
MAX_AGE = 3300.0  # s; less than an hour
THUMBNAIL_SIDE = 144  # px, of an upload's preview
HEAD_MEANS: "weakref.WeakKeyDictionary[Transformer, Tensor]" = weakref.WeakKeyDictionary()  # see `head_means`


@dataclass(frozen=True)
class Held:
    """An explanation in memory.

    Attributes:
        explanation: The explanation.
        image: What the page shows of its image, without ablations.
        key: What it is held by.
        expires: When, in monotonic time; an upload's with its file.
    """

    explanation: Explanation
    image: types.ExplainedImage
    key: Key
    expires: float

    @property
    def is_large(self) -> bool:
        """Whether a forward pass of the model takes long on one core."""
        return forward_macs(self.explanation.context.config) > MANY_MACS


class Explanations:
    """Explanations by subject; thread-safe, but for `find`, which is awaited in the server's event loop.

    Args:
        inputs: Models and images.
    """

    def __init__(self, inputs: Inputs, max_bytes: int = MAX_BYTES) -> None:
        self.inputs = inputs
        self.held: TLRUCache[Key, Held] = TLRUCache(
            max_bytes,
            ttu=lambda key, held, now: held.expires,
            timer=time.monotonic,
            # The two most recent ones are always kept: patching is between two images
            getsizeof=lambda held: min(size_of(held.explanation), max_bytes // 2),
        )
        self.replies: TLRUCache[tuple[Hashable, Key, Target], tuple[float, str]] = TLRUCache(
            MAX_REPLY_BYTES,
            ttu=lambda key, entry, now: entry[0],
            timer=time.monotonic,
            getsizeof=lambda entry: len(entry[1]),
        )
        self.lock = threading.Lock()
        self.computing: weakref.WeakValueDictionary[Subject, asyncio.Lock] = weakref.WeakValueDictionary()

    async def find(self, subject: Subject, job: Job, queue: Queue) -> Held:
        """Return the explanation of a subject; it is computed in a queue unless it is there, once for all who wait.

        Raises:
            ValueError: If the model, the image or what an ablation names does not exist.
        """
        subject = canonical(subject)
        # A thread, as files are looked at.
        if (found := await asyncio.to_thread(self.get, subject)) is not None:
            return found
        async with self.computing.setdefault(subject, asyncio.Lock()):
            if (found := await asyncio.to_thread(self.get, subject)) is not None:
                return found
            is_large = await asyncio.to_thread(self.is_large, subject)
            return await queue.run(job, lambda: self.compute(subject), is_large)

    def is_large(self, subject: Subject) -> bool:
        """Whether explaining a subject takes long: its model must be loaded, or is large, or its image is."""
        if self.inputs.must_load(subject.model) or self.inputs.is_slow(subject.image):
            return True
        return forward_macs(self.inputs.model(subject.model).network.config) > MANY_MACS

    def get(self, subject: Subject) -> Held | None:
        """Return what is held of a canonical subject; None if it must be computed."""
        key = subject, self.inputs.version(subject.model)
        with self.lock:
            self.held.expire()
            return self.held.get(key)

    def compute(self, subject: Subject) -> Held:
        """Explain a canonical subject, starting from what is held of its ablations."""
        if (found := self.get(subject)) is not None:
            return found
        if subject.ablations:
            *before, last = subject.ablations
            whole = self.compute(subject.model_copy(update={"ablations": tuple(before)}))
            key = subject, whole.key[1]
            with about("subject.ablations"):
                found = replace(whole, explanation=ablate(whole.explanation, last), key=key)
        else:
            found = self.explain(subject)
        with self.lock:
            self.held[found.key] = found
        return found

    def explain(self, subject: Subject) -> Held:
        """Explain a subject without ablations."""
        if subject.snapshot is not None:
            raise ConfigError("subject.snapshot", "must be null: a timeline has no weights to explain an image with")
        key = subject, self.inputs.version(subject.model)
        model, found = self.inputs.model(subject.model), self.inputs.image(subject.image)
        upload = subject.image if isinstance(subject.image, Upload) else None
        with about("subject.image"):
            explanation = explain(model, found.image, crop=upload.crop if upload else 0.5)
        explanation = replace(explanation, name=found.name, origin=subject.image)
        shown = describe_image(explanation, found, upload is not None)
        _ = explanation.logits
        model_input = explanation.image.model_input  # the original is not needed any more
        explanation = replace(explanation, image=replace(explanation.image, original=model_input))
        expires = time.monotonic() + MAX_AGE
        if upload is not None:
            expires = min(expires, expiry(find_upload(upload.id)))
        return Held(explanation, shown, key, expires)

    def reply(self, kind: Hashable, held: Held, target: Target, reply: type[T]) -> T | None:
        """Return a reply that was computed before; None if there is none."""
        with self.lock:
            self.replies.expire()
            entry = self.replies.get((kind, held.key, target))
        return None if entry is None else reply.model_validate_json(entry[1])

    def keep(self, kind: Hashable, held: Held, target: Target, reply: BaseModel) -> None:
        """Keep a reply as long as its explanation, as text: lists of Python's floats take more memory."""
        text = reply.model_dump_json()
        if len(text) <= MAX_REPLY_BYTES:
            with self.lock:
                self.replies[kind, held.key, target] = held.expires, text

    def clean(self) -> None:
        """Delete what has expired, which otherwise stays in memory until the next request."""
        with self.lock:
            self.held.expire()
            self.replies.expire()


def canonical(subject: Subject) -> Subject:
    """Return the subject in the one form that all its equals have: sorted ablations without the empty ones."""
    ablations = tuple(
        Ablation(
            heads=tuple(sorted(set(one.heads))),
            patches=tuple(sorted(set(one.patches))),
            mode=one.mode if one.heads else "zero",
            patch_mode=one.patch_mode if one.patches else "drop",
        )
        for one in subject.ablations
        if one.heads or one.patches
    )
    return subject.model_copy(update={"ablations": ablations})


def ablate(explanation: Explanation, ablation: Ablation) -> Explanation:
    """Apply an ablation of a subject to an explanation, and predict."""
    means = head_means(explanation.context.checkpoint) if ablation.heads and ablation.mode == "mean" else None
    ablated = explanation.ablate(ablation.heads, ablation.patches, ablation.mode, ablation.patch_mode, means)
    _ = ablated.logits
    return ablated


def head_means(model: Checkpoint) -> Tensor:
    """Return the mean output of each head over the sample images, (L, A, d), computed once per model."""
    if model.network not in HEAD_MEANS:
        HEAD_MEANS[model.network] = mean_head_outputs(model, load_samples(model.config.img_size, model.resize))
    return HEAD_MEANS[model.network]


def describe_image(explanation: Explanation, image: FoundImage, is_upload: bool) -> types.ExplainedImage:
    """Return what the page shows of an image."""
    labels, resize = explanation.labels, explanation.context.checkpoint.resize
    original = explanation.image.original.copy()
    original.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE))
    return types.ExplainedImage(
        **serialize.pixels_to_json(explanation.image.model_input),
        original=data_url(original) if is_upload else None,
        name=image.name,
        caption=image.caption,
        note=explanation.image.note,
        crop=resize.crop_pct if resize.crop_mode == "center" else None,
        truth=labels.index(image.label) if image.label in labels else None,
        shows=image.label,
    )


def size_of(explanation: Explanation) -> int:
    """Return the memory of an explanation (bytes): attention, its gradients, tokens, and the weights of a run's model.

    Bundled models are loaded anyway; each saved state of a run that trains is another model. An ablated explanation
    includes its original, which it keeps in memory.
    """
    tokens, checkpoint = explanation.context.output.tokens, explanation.context.checkpoint
    is_run = checkpoint.name.startswith(RUN_PREFIX)
    weights = sum(parameter.nbytes for parameter in checkpoint.network.parameters()) if is_run else 0
    layered = explanation.context.layered
    attention = 2 * explanation.attention.nbytes if layered is None else layered.nbytes
    original = 0 if explanation.original is None else size_of(explanation.original)
    return original + attention + (0 if tokens is None else tokens.nbytes) + weights


def maps_passes(config: ViTConfig) -> int:
    """Return about how many images pass through the network for all maps: occlusion, and a path of gradients."""
    return config.num_patches + NUM_POINTS[0]


def scores_passes(config: ViTConfig, num_maps: int) -> int:
    """Return about how many images pass through the network for the scores of maps and of random rankings."""
    rankings = num_maps + N_RANDOM // 2
    return 2 * rankings * (len(deletion_steps(config.num_patches, STEPS)) - 2) + 4


def skip_reason(config: ViTConfig) -> str | None:
    """Return why scores and maps of many passes are left out; None if they are not, or there are none."""
    is_large = config.num_classes > 0 and forward_macs(config) * config.num_patches > MAX_MACS
    return SKIPPED if is_large else None
