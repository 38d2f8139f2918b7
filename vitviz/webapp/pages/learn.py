"""Server functions of the Learn page: the numbers of a lesson on one image in one model.

The forward pass is that of Explore, whose explanations and models it shares.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

import numpy as np
from PIL import Image

from vitviz.attribution import lesson
from vitviz.attribution.context import ForwardContext
from vitviz.attribution.explanation import Explanation
from vitviz.attribution.probes import position_similarity
from vitviz.data.encoding import data_url, to_base64
from vitviz.models.attention_stats import forward_macs
from vitviz.webapp.large_models import MANY_PASSES, MAX_MACS
from vitviz.webapp.models import bundled_models
from vitviz.webapp.pages.explore import WORKERS, Explore
from vitviz.webapp.schemas.learn import (
    LessonContributions,
    LessonFlipReply,
    LessonHeadReply,
    LessonModel,
    LessonPatchReply,
    LessonReply,
    LessonTrainingReply,
    Removal,
)
from vitviz.webapp.server.queue import Queue, route_by_size
from vitviz.webapp.server.requests import INTEGERS, Json, RequestError, error_response, parse, require
from vitviz.webapp.timelines import Timelines

NAMED_BY = ("attention", "average", "balanced_gradients")  # methods whose patches are removed
REMOVED = 0.25  # fraction of the patches
PASSES = 10  # forward passes for a patch, until few removed patches change the answer


class Learn:
    """Server functions of the page.

    Args:
        explore: The Explore page.
        timelines: Timelines of bundled checkpoints.
    """

    def __init__(self, explore: Explore, timelines: Timelines) -> None:
        self.explore, self.timelines = explore, timelines
        self.explanations = explore.explanations

    @property
    def functions(self) -> list[Callable[..., Any]]:
        """The functions that the component may call, by name."""
        respond = partial(error_response, public=self.explore.public)
        quick, explain = Queue(WORKERS, 100), respond(self.explore.explain)
        numbers = (self.lesson, self.lesson_head, self.lesson_patch, self.lesson_remove, self.lesson_training)
        return [
            route_by_size(quick(respond(self.explore.takes_long)), quick(explain), Queue(1, 8)(explain)),
            *(quick(respond(function)) for function in (*numbers, self.explore.views.similarity)),
            Queue(1, 8)(respond(self.lesson_flip)),
            respond(self.explore.list_models),
            *self.explore.model_functions,
        ]

    def lesson(self, request: Json) -> LessonReply | None:
        """Return the numbers of the lesson; None if the `key` has expired."""
        if (explanation := self.explanations.get(request)) is None:
            return None
        context = explanation.context
        probabilities, norms = lesson.layer_predictions(context)
        patches = lesson.patch_predictions(context)
        pixels = np.asarray(explanation.image.model_input.convert("RGB"))
        has_head = context.config.num_classes > 0
        drawn = lesson.random_patches(context, num_removed(explanation)) if has_head else []
        random = [(f"Random {number}", patches) for number, patches in enumerate(drawn, start=1)]
        return {
            "model": describe(explanation),
            "scrambled": data_url(Image.fromarray(lesson.scramble(pixels, context.config.patch_size))),
            "logits": context.logits.tolist(),
            "lens": probabilities.tolist(),
            "norms": norms.tolist(),
            "patchPredictions": None if patches is None else patches.tolist(),
            "contributions": contributions_of(explanation) if has_head else None,
            "removals": removals(context, ranked_patches(explanation)) if has_head else [],
            "random": removals(context, random) if has_head else [],
        }

    def lesson_head(self, request: Json) -> LessonHeadReply | None:
        """Return query, keys and values of a head; None if the key has expired.

        Args:
            request: `key`, `layer` and `head`, from 0.
        """
        if (explanation := self.explanations.get(request)) is None:
            return None
        row = lesson.attention_row(explanation.context, require(request, "layer", int), require(request, "head", int))
        encoded = {name: to_base64(getattr(row, name).astype("<f4")) for name in ("query", "keys", "values")}
        return {"query": encoded["query"], "keys": encoded["keys"], "values": encoded["values"], "size": len(row.query)}

    def lesson_patch(self, request: Json) -> LessonPatchReply | None:
        """Return a dimension of the embedding of a patch, and its position's similarity with all others.

        Args:
            request: `key`, `patch` and `dimension`, from 0.
        """
        if (explanation := self.explanations.get(request)) is None:
            return None
        patch = require(request, "patch", int)
        found = lesson.patch_embedding(explanation.context, patch, require(request, "dimension", int))
        positions = position_similarity(explanation.context.model).flatten(2)
        return {
            "pixels": to_base64(found.pixels.astype("<f4")),
            "weights": to_base64(found.weights.astype("<f4")),
            "product": found.product,
            "rest": found.rest,
            "value": found.value,
            "positions": positions.flatten(0, 1)[patch].tolist(),
        }

    def lesson_remove(self, request: Json) -> list[float] | None:
        """Return the probabilities without some `patches`; None if the key has expired."""
        if (explanation := self.explanations.get(request)) is None:
            return None
        patches = parse("patches", request.get("patches"), INTEGERS, "a list of integers")
        count = explanation.context.config.num_patches
        if not all(0 <= patch < count for patch in patches):
            raise RequestError("patches", f"from 0 to {count - 1}", patches)
        return list(map(float, lesson.without_patches(explanation.context, [patches])[0]))

    def lesson_flip(self, request: Json) -> LessonFlipReply | None:
        """Return the fewest patches known to change the predicted class, and how many random ones do.

        Args:
            request: `key`.

        Raises:
            ValueError: If the model has no head or is too large.
        """
        if (explanation := self.explanations.get(request)) is None:
            return None
        context, methods = explanation.context, explanation.methods
        config = context.config
        if not config.num_classes:
            raise ValueError("Only the answer of a classification head can change: this model has none.")
        if forward_macs(config) * config.num_patches * PASSES > MAX_MACS:
            raise ValueError(
                "This model is large: finding the best set takes too many forward passes. Try a smaller one."
            )

        def compute() -> Json:
            instant = [key for key in methods if key not in (*MANY_PASSES, "random")]
            rankings = [np.argsort(-explanation.map(key).ravel(), kind="stable").tolist() for key in instant]
            found = lesson.flips(context, rankings)
            return {"best": found.best, "random": found.random}

        target = explanation.target(None)
        return cast(LessonFlipReply, self.explore.scored.get_or_compute("flips", explanation, target, compute))

    def lesson_training(self, request: Json) -> LessonTrainingReply | None:
        """Return snapshots of the training of a bundled checkpoint; None if it has no timeline.

        Args:
            request: `checkpoint`; `name`, a sample image: another one is shown if the timeline does not have it.
        """
        checkpoint, name = require(request, "checkpoint", str), require(request, "name", str)
        held = self.timelines.load(checkpoint) if checkpoint in bundled_models() else None
        if held is None:
            return None
        image = held.names.index(name) if name in held.names else 0
        shown = held.names[image]
        maps = held.maps(image)[:, -1].mean(1)  # (S, gh, gw)
        known = held.probabilities[:, image, held.classes.index(shown)] if shown in held.classes else None
        return {
            "image": data_url(Image.fromarray(held.images[image])),
            "name": shown,
            "epochs": held.epoch.tolist(),
            "maps": to_base64(maps.astype("<f4")),
            "probabilities": None if known is None else known.astype(float).tolist(),
        }


def describe(explanation: Explanation) -> LessonModel:
    """Return the sizes of the model."""
    context = explanation.context
    config = context.config
    return {
        "imgSize": list(config.img_size),
        "patchSize": config.patch_size,
        "patch": [size // count for size, count in zip(config.img_size, config.grid_size, strict=True)],
        "embedDim": config.embed_dim,
        "headDim": config.head_dim,
        "scaledWidth": config.scaled_width,
        "mlpDim": config.mlp_hidden_dim,
        "positions": bool(context.model.patch_positions().any()),
        "rotary": config.rope_type != "none",
    }


def num_removed(explanation: Explanation) -> int:
    """Return the number of patches that are removed."""
    return max(1, math.floor(REMOVED * explanation.context.config.num_patches))


def contributions_of(explanation: Explanation) -> LessonContributions:
    """Return the contributions to the logit of the predicted class, by layer."""
    found = explanation.contributions()
    layers = {"attention": found.attention.tolist(), "mlp": found.mlp.tolist()}
    return {"embedding": found.embedding, "bias": found.bias, "logit": found.logit, **layers}  # type: ignore[typeddict-item]


def ranked_patches(explanation: Explanation) -> list[tuple[str, list[int]]]:
    """Return the title of each method and the patches with its largest values."""
    methods, count = explanation.methods, num_removed(explanation)
    return [
        (methods[key].title, np.argsort(-explanation.map(key).ravel(), kind="stable")[:count].tolist())
        for key in NAMED_BY
        if key in methods
    ]


def removals(context: ForwardContext, named: Sequence[tuple[str, list[int]]]) -> list[Removal]:
    """Return what removing some sets of patches does."""
    found = lesson.without_patches(context, [patches for _, patches in named]).tolist()
    return [
        {"name": name, "patches": patches, "probabilities": probabilities}
        for (name, patches), probabilities in zip(named, found, strict=True)
    ]
