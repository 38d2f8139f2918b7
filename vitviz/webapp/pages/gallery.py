"""The gallery of test images, by class and by a model's prediction."""

from collections import defaultdict
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from vitviz.data import cifar
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.factory import Network
from vitviz.runs.store import Runs
from vitviz.training.predictions import Predictions, compute_predictions, read_predictions
from vitviz.webapp.image_sets import CIFAR10, LabeledSet, find_test_set, thumbnail
from vitviz.webapp.models import RUN_PREFIX, ModelPage
from vitviz.webapp.opened import ModelOpener
from vitviz.webapp.schemas.explore import GalleryImage, GalleryProgress, GalleryReply
from vitviz.webapp.server.requests import Json, RequestError, choice, require

PAGE_SIZE = 40
SHOWN = ("all", "correct", "misclassified", "confidently wrong")


class Gallery(ModelPage):
    """Server functions of the gallery; arguments as of `ModelPage`."""

    def __init__(self, data: str | None, runs: Runs | None, public: bool, opener: ModelOpener | None = None) -> None:
        super().__init__(data, runs, public, opener)
        self.predictions: WeakKeyDictionary[Network, dict[str, Predictions]] = WeakKeyDictionary()  # by dataset
        self.done: defaultdict[tuple[str, str], int] = defaultdict(int)  # images that a model has classified so far

    def gallery(self, request: Json) -> GalleryReply:
        """Return one page of test images.

        Args:
            request: `dataset`, "cifar10" or "runs/NAME" for that of a run; `label` (-1 for all classes); `page` from 0,
                or `index`, for the page with that image if it is selected; and `shown`: "all", or by the predictions of
                the model `checkpoint` "correct", "misclassified" or "confidently wrong" (misclassified, most confident
                first).

        Returns:
            `images`, each with `index`, `label`, `src` and, unless all are shown, `prediction` and `probability`;
            `page` and the number of `pages`; `count`, the number of selected images; `classes` of the dataset.
        """
        found = self.test_set(request)
        label, page = require(request, "label", int), require(request, "page", int)
        shown = choice(request, "shown", SHOWN)
        if not -1 <= label < len(found.classes):
            raise RequestError("label", f"from 0 to {len(found.classes) - 1}, or -1 for all", label)
        selected = found.labels == label if label >= 0 else torch.ones_like(found.labels, dtype=torch.bool)
        if shown != "all":
            model = self.model(request)
            classes, probabilities = self.predict(model, found, require(request, "dataset", str))
            selected &= (dataset_indices(model, found.classes)[classes] == found.labels) == (shown == "correct")
        indices = selected.nonzero()[:, 0]
        if shown == "confidently wrong":
            indices = indices[probabilities[indices].argsort(descending=True, stable=True)]
        position = (indices == require(request, "index", int)).nonzero() if "index" in request else indices[:0]
        if len(position):
            page = int(position[0]) // PAGE_SIZE
        images: list[GalleryImage] = []
        for i in indices[max(0, page) * PAGE_SIZE :][:PAGE_SIZE].tolist():
            images.append({"index": i, "label": int(found.labels[i]), "src": thumbnail(found.images[i])})
            if shown != "all":
                images[-1] |= {"prediction": model.labels[classes[i]], "probability": probabilities[i].item()}
        pages = -(-len(indices) // PAGE_SIZE)
        return {
            "images": images,
            "page": page,
            "pages": pages,
            "count": len(indices),
            "classes": list(found.classes),
        }

    def cached(self, request: Json) -> GalleryReply | None:
        """Return the same, or None if a model must predict the test set first, or a folder must be read."""
        dataset = require(request, "dataset", str)
        if dataset != CIFAR10:
            return None
        is_quick = choice(request, "shown", SHOWN) == "all" or dataset in self.known(self.model(request))
        return self.gallery(request) if is_quick else None

    def gallery_progress(self, request: Json) -> GalleryProgress:
        """Return how many test images of a `dataset` the model `checkpoint` has classified, `done` of `total`."""
        key = require(request, "checkpoint", str), require(request, "dataset", str)
        total = cifar.RECORDS if key[1] == CIFAR10 else 0
        return {"done": self.done.get(key, 0), "total": total}

    def test_set(self, request: Json) -> LabeledSet:
        """Return the test set of a request."""
        return find_test_set(require(request, "dataset", str), self.data, self.runs, self.public)

    def known(self, model: Checkpoint) -> dict[str, Predictions]:
        """Return the predictions of a model by dataset."""
        return self.predictions.setdefault(model.network, {})

    def predict(self, model: Checkpoint, found: LabeledSet, dataset: str) -> Predictions:
        """Predict all images of a test set, once per model; predictions of bundled models may be stored."""
        known = self.known(model)
        if dataset not in known:
            if not (model.is_classifier and set(found.classes) <= set(model.labels)):
                rule = f"a classifier with the classes of {found.name} to filter by"
                raise RequestError("checkpoint", rule, model.name, "Show all images.")
            stored = None if model.name.startswith(RUN_PREFIX) or dataset != CIFAR10 else read_predictions(model.name)
            key = model.name, dataset
            self.done[key] = 0

            def report(count: int) -> None:
                self.done[key] += count

            try:
                known[dataset] = compute_predictions(model, found.images, stored, report)
            finally:
                del self.done[key]
        return known[dataset]


def dataset_indices(model: Checkpoint, classes: tuple[str, ...]) -> Tensor:
    """Return the index in the dataset's classes of each of a model's classes, or -1, (K,)."""
    return torch.tensor([classes.index(name) if name in classes else -1 for name in model.labels])
