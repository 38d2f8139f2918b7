"""Server functions of the views of Explore: contributions to a logit, and features of tokens."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitviz.attribution.explanation import Explanation
from vitviz.attribution.features import similarity
from vitviz.attribution.neighbors import build_index, nearest
from vitviz.data import cifar
from vitviz.data.encoding import to_base64
from vitviz.webapp.image_sets import thumbnail, train_set
from vitviz.webapp.schemas.views import (
    ContributionsReply,
    FeaturesReply,
    NearestReply,
    PixelMapReply,
    SimilarityReply,
)
from vitviz.webapp.server.cache import ExplanationCache
from vitviz.webapp.server.requests import Json, parse_target, require
from vitviz.webapp.server.tasks import Report, Tasks, task_of

NEAREST_IMAGES = 8


class Views:
    """Server functions of the views.

    Args:
        explanations: The cache of the page.
        tasks: The progress of those that take long.
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`.
        public: Whether errors must not name folders of the server.
    """

    def __init__(
        self, explanations: ExplanationCache, tasks: Tasks, data: str | None = None, public: bool = False
    ) -> None:
        self.explanations, self.tasks, self.data, self.public = explanations, tasks, data, public

    @property
    def functions(self) -> list[Callable[[Json], Any]]:
        """The functions that take less than a second, by name."""
        return [self.contributions, self.pixel_map, self.features, self.similarity]

    def contributions(self, request: Json) -> ContributionsReply | None:
        """Return the direct contributions to a logit; None if the key has expired.

        Args:
            request: `key`, and `target`, one or two class indices; empty for the predicted class.
        """
        if (explanation := self.explanations.get(request)) is None:
            return None
        found = explanation.contributions(parse_target(request))
        return {
            "embedding": found.embedding,
            "heads": to_base64(found.heads.astype("<f4")),
            "attentionBias": found.attention_bias.tolist(),
            "mlp": found.mlp.tolist(),
            "bias": found.bias,
            "logit": found.logit,
        }

    def pixel_map(self, request: Json) -> PixelMapReply | None:
        """Return the map of a method per pixel; None if the key has expired.

        Args:
            request: `key`; `method`, one with a map per pixel; `target` as for `contributions`.
        """
        if (explanation := self.explanations.get(request)) is None:
            return None
        values = explanation.pixel_map(require(request, "method", str), parse_target(request))
        rows, columns = values.shape
        return {"values": to_base64(values.astype("<f4")), "rows": rows, "columns": columns}

    def features(self, request: Json) -> FeaturesReply | None:
        """Return principal components of the patch tokens of each layer as colors; None if the key has expired.

        Args:
            request: `key`, and `foreground`, whether the background is removed.
        """
        if (explanation := self.explanations.get(request)) is None:
            return None
        foreground = require(request, "foreground", bool)
        depth, _ = explanation.layers_and_heads
        found = [pca_of_layer(explanation, layer, foreground) for layer in range(depth)]
        return {
            "pixels": to_base64(np.stack([pixels for pixels, _ in found])),
            "explained": [explained for _, explained in found],
        }

    def similarity(self, request: Json) -> SimilarityReply | None:
        """Return the cosine similarity of a patch with all patches in each layer; None if the key has expired.

        Args:
            request: `key`, and `patch`, a position from 0.
        """
        if (explanation := self.explanations.get(request)) is None:
            return None
        patch, (depth, _) = require(request, "patch", int), explanation.layers_and_heads
        found = np.stack([similarity(explanation.context, patch, layer) for layer in range(depth)])
        return {"values": to_base64(found.astype("<f4"))}

    def nearest(self, request: Json) -> NearestReply | None:
        """Return the nearest training images of CIFAR-10, by the features that the model ends with.

        Args:
            request: `key`, and `task`, the id of its progress; None is returned if the key has expired.

        Raises:
            DataError: If the training images are not there.
            CancelledError: If it is cancelled.
        """
        if (explanation := self.explanations.get(request)) is None:
            return None
        images, labels = train_set(self.data, self.public)
        checkpoint = explanation.context.checkpoint

        def compute(report: Report) -> NearestReply:
            report(0, len(images))
            found = nearest(explanation.context, build_index(checkpoint, images, report), NEAREST_IMAGES)
            return {
                "images": [
                    {
                        "src": thumbnail(images[i]),
                        "label": cifar.CLASSES[int(labels[i])],
                        "index": int(i),
                        "similarity": float(similar),
                    }
                    for i, similar in zip(found.indices, found.similarities, strict=True)
                ],
                "count": len(images),
            }

        return self.tasks.run(task_of(request), compute)


def pca_of_layer(
    explanation: Explanation, layer: int, foreground: bool
) -> tuple[NDArray[np.uint8], list[float] | None]:
    """Return the colors of the patches, RGBA (N, 4), and the explained variance ratios.

    Patches outside of the foreground are transparent; all are, and there are no ratios, if fewer than three are left.
    """
    pixels = np.zeros((explanation.context.config.num_patches, 4), np.uint8)
    try:
        found = explanation.pca(layer, foreground)
    except ValueError:
        return pixels, None
    kept = found.foreground.ravel()
    pixels[kept, :3] = np.round(255 * found.rgb.reshape(-1, 3)[kept])
    pixels[kept, 3] = 255
    return pixels, found.explained.tolist()
