"""Server functions of the Explore page: explanations of images as JSON."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from functools import partial
from typing import Any, NamedTuple, cast
from weakref import WeakKeyDictionary

import numpy as np
from torch import Tensor

from vitviz.attribution import serialize
from vitviz.attribution.ablation import mean_head_outputs
from vitviz.attribution.explanation import Explanation, explain
from vitviz.attribution.methods import METHODS
from vitviz.data import environment
from vitviz.data.cifar import DataError
from vitviz.data.download import Download
from vitviz.data.encoding import data_url, to_base64
from vitviz.data.photos import PHOTOS
from vitviz.data.preprocessing import ImageError, ImageSource, is_huge, load_samples
from vitviz.models.attention_stats import forward_macs
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.factory import Network
from vitviz.runs.store import Runs
from vitviz.view import AblationMode, PatchMode, RunImage, Sample, TestImage, Upload
from vitviz.view import Image as Origin
from vitviz.webapp.image_sets import CIFAR10, find_test_set
from vitviz.webapp.images import CIFAR_UNAVAILABLE, sample_path, upload_path
from vitviz.webapp.large_models import MANY_PASSES, left_out
from vitviz.webapp.models import ModelPage
from vitviz.webapp.opened import ModelOpener
from vitviz.webapp.opening import explore_catalog
from vitviz.webapp.pages.figures import Figures
from vitviz.webapp.pages.gallery import Gallery
from vitviz.webapp.pages.on_request import OnRequest
from vitviz.webapp.pages.patching import PatchingPage
from vitviz.webapp.pages.views import Views
from vitviz.webapp.schemas.common import DownloadInfo
from vitviz.webapp.schemas.explore import AblateReply
from vitviz.webapp.server.cache import ExplanationCache, ScoreCache
from vitviz.webapp.server.queue import Queue, all_cores, route_by_size, with_cache
from vitviz.webapp.server.requests import (
    INTEGERS,
    PAIRS,
    Json,
    RequestError,
    choice,
    error_response,
    parse,
    parse_target,
    require,
)
from vitviz.webapp.server.tasks import Tasks

MANY_MACS = 2e9  # multiply-accumulates of a forward pass that takes long on one core
WORKERS = 2  # more images at a time would only take memory
THUMBNAIL_SIDE = 144  # px, of an upload's preview
HEAD_MEANS: WeakKeyDictionary[Network, Tensor] = WeakKeyDictionary()  # see `head_means`


class ChosenImage(NamedTuple):
    """An image of the page."""

    source: ImageSource
    name: str  # in figures
    caption: str
    label: str | None = None  # what it shows, if known


class Explore(ModelPage):
    """Server functions of the page; arguments as of `ModelPage`.

    `download` is the download of CIFAR-10 that it shares with other pages.
    """

    def __init__(
        self,
        data: str | None = None,
        runs: Runs | None = None,
        public: bool = False,
        download: Download | None = None,
        opener: ModelOpener | None = None,
    ) -> None:
        super().__init__(data, runs, public, opener)
        self.download = download or Download(data)
        self.explanations = ExplanationCache()
        self.scored = ScoreCache()
        self.tasks = Tasks()
        self.views = Views(self.explanations, self.tasks, data, public)
        self.patching = PatchingPage(self.explanations, self.tasks)
        self.figures = Figures(self.explanations, self.scored, self.patching)

    @property
    def functions(self) -> list[Callable[..., Any]]:
        """The functions that the component may call, by name; slow ones have separate queues."""
        gallery = Gallery(self.data, self.runs, self.public, self.opener)
        on_request = OnRequest(self.explanations, self.scored, self.tasks)
        respond = partial(error_response, public=self.public)
        quick, slow = Queue(WORKERS, 100), Queue(1, 8, low_priority=True)  # two slow ones would delay the quick ones
        explain = respond(self.explain)
        return [
            route_by_size(quick(respond(self.takes_long)), quick(explain), Queue(1, 8)(explain)),
            *(quick(respond(function)) for function in (self.attention, self.rows, self.ablate, self.list_models)),
            *self.model_functions,
            *(quick(respond(function)) for function in self.views.functions),
            Queue(1, 8, low_priority=True)(respond(self.views.nearest)),
            *self.patching_functions(respond),
            respond(self.tasks.task_progress),
            with_cache(
                quick(respond(self.cached("maps"))),
                route_by_size(
                    quick(respond(is_quick)), slow(respond(self.methods)), Queue(1, 8)(respond(self.methods))
                ),
            ),
            with_cache(quick(respond(self.cached("scores"))), slow(respond(self.scores))),
            with_cache(quick(respond(gallery.cached)), Queue(1, 8, low_priority=True)(respond(gallery.gallery))),
            respond(gallery.gallery_progress),
            with_cache(
                quick(respond(on_request.cached)), Queue(1, 4, low_priority=True)(respond(on_request.map_on_request))
            ),
            respond(self.cifar_download),
            route_by_size(
                quick(respond(is_slow)), Queue(1, 10)(respond(self.figures.figure)), slow(respond(self.figures.figure))
            ),
            quick(respond(self.figures.code)),
            quick(respond(self.figures.provenance)),
        ]

    def patching_functions(self, respond: Callable[..., Any]) -> list[Callable[..., Any]]:
        """The functions of activation patching, which share a queue."""
        queue = Queue(1, 8, low_priority=True)
        return [queue(respond(function)) for function in (self.patching.patch_heads, self.patching.patch_tokens)]

    def cached(self, kind: str) -> Callable[[Json], Json | None]:
        """Return the function that looks up a response of `methods` or `scores`."""

        def lookup(request: Json) -> Json | None:
            if (explanation := self.explanations.get(request)) is None:
                return None
            return self.scored.get(kind, explanation, explanation.target(parse_target(request)))

        return lookup

    def catalog(self) -> Json:
        """Return the initial data of the page: bundled models, samples, dataset and methods."""
        models = ModelPage(self.data, None, self.public, self.opener).list_models({})
        return explore_catalog(models, serialize.methods_to_json())

    def explain(self, request: Json) -> Json:
        """Explain an image.

        Args:
            request: `checkpoint`, a name of `list_models`, and `image`: {"kind": "sample", "name"}, {"kind": "cifar",
                "index"}, {"kind": "dataset", "run", "index"} or {"kind": "upload", "path", "name"}, with `crop`.
        """
        chosen = require(request, "image", dict)
        model = self.model(request)
        source, name, caption, truth = self.image(chosen)
        with enough_cores(model):
            explanation = explain(model, source, crop=parse_crop(chosen))
        explanation = replace(explanation, name=name, origin=origin_of(chosen, explanation))
        labels, image = explanation.labels, explanation.image
        original = image.original.copy()
        original.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE))
        instant = [key for key, method in explanation.methods.items() if method.instant]
        return serialize.to_json(explanation) | {
            "key": self.explanations.add(replace(explanation, image=replace(image, original=image.model_input))),
            "image": {
                "src": data_url(image.model_input),
                "original": data_url(original) if chosen["kind"] == "upload" else None,
                "caption": caption,
                "crop": model.resize.crop_pct if model.resize.crop_mode == "center" else None,
                "truth": labels.index(truth) if truth in labels else None,
                "shows": truth,
                "note": image.note,
            },
            "maps": serialize.method_maps(explanation, explanation.target(), instant),
        }

    def hold(self, request: Json, key: str) -> Json:
        """Explain the image of a request, hold the explanation under a chosen key, and return the response."""
        response = self.explain(request)
        self.explanations.rename(response["key"], key)
        return response | {"key": key}

    def cifar_download(self, request: Json) -> DownloadInfo:
        """Start or cancel the download of CIFAR-10 by `action`, and return its state.

        Raises:
            DataError: On a public page.
        """
        action = choice(request, "action", ("state", "start", "cancel"))
        if self.public:
            raise DataError(CIFAR_UNAVAILABLE)
        if action == "start":
            self.download.start(CIFAR10)
        elif action == "cancel":
            self.download.cancel()
        return cast(DownloadInfo, asdict(self.download.state()))

    def takes_long(self, request: Json) -> bool:
        """Whether a request for `explain` has to load a model first, or a large image."""
        return self.opener.opened.must_load(require(request, "checkpoint", str)) or is_large(request)

    def image(self, chosen: Json) -> ChosenImage:
        """Return the source of an image, its name in figures, its caption, and its label if known."""
        kind = require(chosen, "kind", str)
        if kind == "sample":
            name = require(chosen, "name", str)
            if (photo := PHOTOS.get(name)) is not None:
                return ChosenImage(sample_path(name), photo.title, f"Photograph: {photo.credit}", photo.label)
            return ChosenImage(sample_path(name), f"Drawing ({name})", "Drawing", name)
        if kind in ("cifar", "dataset"):
            run = require(chosen, "run", str) if kind == "dataset" else CIFAR10
            found = find_test_set(run, self.data, self.runs, self.public)
            index = require(chosen, "index", int)
            if not 0 <= index < len(found.labels):
                raise ImageError(f"The index of a test image must be from 0 to {len(found.labels) - 1}: got {index}.")
            label, caption = found.classes[found.labels[index]], f"{found.name} test image {index}"
            return ChosenImage(found.images[index].permute(1, 2, 0).numpy(), f"{caption} ({label})", caption, label)
        if kind == "upload":
            return ChosenImage(upload_path(require(chosen, "path", str)), "Upload", require(chosen, "name", str)[:120])
        raise RequestError("kind", "sample, cifar, dataset or upload", kind)

    def attention(self, request: Json) -> str | None:
        """Return the attention of a key as base64 of uint16 (L, A, T, T) / 65535; None if the key has expired.

        Raises:
            RequestError: If it is too large to be sent; then `rows` returns that of each query.
        """
        if (explanation := self.explanations.get(request)) is None:
            return None
        if serialize.sent_bytes(explanation) > environment.MAX_SENT_BYTES:
            rule = f"of a model whose full attention has at most {environment.MAX_SENT_BYTES / 1e6:g} MB"
            raise RequestError("key", rule, explanation.checkpoint, "Request the rows of a query.")
        return to_base64(serialize.to_uint16(explanation.attention))

    def rows(self, request: Json) -> str | None:
        """Return the attention of a query as base64 of uint16 (L, A, T) / 65535; None if the key has expired.

        Args:
            request: `key`; `patches`, the query, empty for the class token; `direction`, "from" or "to".
        """
        if (explanation := self.explanations.get(request)) is None:
            return None
        patches = parse("patches", request.get("patches"), INTEGERS, "a list of integers")
        return serialize.rows_to_json(explanation, patches, choice(request, "direction", ("from", "to")))

    def methods(self, request: Json) -> Json | None:
        """Return the maps of all methods as lists of N numbers; None if the key has expired.

        Args:
            request: `key`; `target`, one or two class indices, empty for the predicted class; and `quick`, whether to
                leave out those that take many forward passes.
        """
        if (explanation := self.explanations.get(request)) is None:
            return None
        target = explanation.target(parse_target(request))

        def compute() -> Json:
            reason = left_out(explanation.context.config)
            skipped = MANY_PASSES if reason or quick else ()
            keys = [key for key in explanation.methods if key not in skipped]
            return {"maps": serialize.method_maps(explanation, target, keys), "leftOut": reason}

        quick = is_quick(request)
        return self.scored.get_or_compute("quick" if quick else "maps", explanation, target, compute)

    def scores(self, request: Json) -> Json | None:
        """Return the faithfulness of all methods; None if the key has expired.

        Args:
            request: As for `methods`.

        Returns:
            `scores` by method and `random_baseline`, mean and standard deviation over random rankings: the fraction of
            the (first) class's probability that is lost, on average, while patches are removed. None for a flat map.

        Raises:
            ValueError: If they are left out, as the model is large.
        """
        if (explanation := self.explanations.get(request)) is None:
            return None
        if reason := left_out(explanation.context.config):
            raise ValueError(reason)
        target = explanation.target(parse_target(request))
        compute = partial(serialize.method_scores, explanation, target)
        return self.scored.get_or_compute("scores", explanation, target, compute)

    def ablate(self, request: Json) -> AblateReply | None:
        """Ablate heads and remove patches; None if the key has expired.

        Args:
            request: `key`; `heads`, pairs of layer and head; `patches`; `mode`, "zero" or "mean" (over the sample
                images), the output of ablated heads; `patch_mode`, "drop" or "gray".

        Returns:
            `key` of the ablated explanation, `probabilities` and `cls`.
        """
        if (explanation := self.explanations.get(request)) is None:
            return None
        pairs = parse("heads", require(request, "heads", list), PAIRS, "pairs of layer and head")
        heads = [(layer, head) for layer, head in pairs]
        patches = parse("patches", request.get("patches"), INTEGERS, "a list of integers")
        mode = cast(AblationMode, choice(request, "mode", ("zero", "mean")))
        patch_mode = cast(PatchMode, choice(request, "patch_mode", ("drop", "gray")))
        with enough_cores(explanation.context.checkpoint):
            means = head_means(explanation.context.checkpoint) if heads and mode == "mean" else None
            ablated = explanation.ablate(heads, patches, mode, patch_mode, means)
            _ = ablated.logits
        return {
            "key": self.explanations.add(ablated, request["key"]),
            "probabilities": ablated.probabilities.tolist(),
            "cls": to_base64(np.nan_to_num(ablated.query_attention).astype("<f4")),
            "pool": serialize.pool_to_json(ablated),
        }


def origin_of(chosen: Json, explanation: Explanation) -> Origin:
    """Return the image of a valid choice by its kind."""
    if chosen["kind"] == "sample":
        return Sample(name=chosen["name"])
    if chosen["kind"] == "cifar":
        return TestImage(index=chosen["index"])
    if chosen["kind"] == "dataset":
        return RunImage(run=chosen["run"], index=chosen["index"])
    return Upload(id=explanation.image.sha256, name=chosen["name"][:120], crop=explanation.crop)


def parse_crop(chosen: Json) -> float:
    """Return the position of the crop of an upload, 0..1."""
    crop = chosen.get("crop", 0.5)
    if type(crop) not in (int, float) or not 0 <= crop <= 1:
        raise RequestError("crop", "a number from 0 to 1", crop)
    return float(crop)


def head_means(model: Checkpoint) -> Tensor:
    """Return the mean output of each head over the sample images, (L, A, d), computed once per model."""
    if model.network not in HEAD_MEANS:
        HEAD_MEANS[model.network] = mean_head_outputs(model, load_samples(model.config.img_size, model.resize))
    return HEAD_MEANS[model.network]


def enough_cores(model: Checkpoint) -> AbstractContextManager[None]:
    """Let a model that takes long on one core use all cores."""
    return all_cores() if forward_macs(model.transformer.config) > MANY_MACS else nullcontext()


def is_quick(request: Json) -> bool:
    """Whether a request for `Explore.methods` leaves out the maps that take many forward passes."""
    return request.get("quick") is True


def is_slow(request: Json) -> bool:
    """Whether a request for `Figures.figure` may have to compute scores."""
    view = request.get("view")
    method = METHODS.get(str(view.get("method"))) if isinstance(view, dict) else None
    is_many = request.get("content") in ("methods", "patching") or request.get("format") == "html"
    return is_many or (method is not None and method.on_request)


def is_large(request: Json) -> bool:
    """Whether a request for `Explore.explain` has an image that takes long to decode, or to be read with its folder."""
    image = require(request, "image", dict)
    if image.get("kind") == "dataset":
        return True
    return image.get("kind") == "upload" and is_huge(upload_path(require(image, "path", str)))
