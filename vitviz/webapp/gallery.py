"""The gallery of test images, by class and by a model's prediction."""

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from vitviz.errors import ConfigError
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.vit import Transformer
from vitviz.training.predictions import Predictions, compute_predictions, read_predictions
from vitviz.webapp.image_sets import CIFAR10, LabeledSet, find_test_set, thumbnail
from vitviz.webapp.inputs import Inputs
from vitviz.webapp.models import RUN_PREFIX
from vitviz.webapp.schemas import data as types
from vitviz.webapp.server.refusals import about

PAGE_SIZE = 40


class Gallery:
    """Pages of test images.

    Args:
        inputs: Models and datasets.
    """

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs
        self.predictions: WeakKeyDictionary[Transformer, dict[str, Predictions]] = WeakKeyDictionary()  # by dataset

    def page(
        self, request: types.GalleryRequest, report: Callable[[int, int], None] = lambda done, total: None
    ) -> types.Gallery:
        """Return one page of test images.

        Args:
            request: Which ones.
            report: Called with the number of images that the model has predicted, and of all.
        """
        found = self.test_set(request)
        if request.label is not None and request.label >= len(found.classes):
            raise ConfigError("label", f"must be from 0 to {len(found.classes) - 1}: got {request.label}")
        is_selected = torch.ones_like(found.labels, dtype=torch.bool)
        if request.label is not None:
            is_selected = found.labels == request.label
        if request.shown != "all":
            model = self.model(request)
            classes, probabilities = self.predict(model, found, request.dataset, report)
            is_correct = dataset_indices(model, found.classes)[classes] == found.labels
            is_selected &= is_correct == (request.shown == "correct")
        indices = is_selected.nonzero()[:, 0]
        if request.shown == "confidently wrong":
            indices = indices[probabilities[indices].argsort(descending=True, stable=True)]
        page = request.page
        if request.index is not None and len(position := (indices == request.index).nonzero()):
            page = int(position[0]) // PAGE_SIZE
        images = []
        for i in indices[page * PAGE_SIZE :][:PAGE_SIZE].tolist():
            predicted: dict[str, Any] = {}
            if request.shown != "all":
                predicted = {"prediction": model.labels[classes[i]], "probability": probabilities[i].item()}
            image = types.GalleryImage(index=i, label=int(found.labels[i]), src=thumbnail(found.images[i]), **predicted)
            images.append(image)
        pages = -(-len(indices) // PAGE_SIZE)
        return types.Gallery(images=images, page=page, pages=pages, count=len(indices), classes=list(found.classes))

    def is_quick(self, request: types.GalleryRequest) -> bool:
        """Whether neither a model must predict the test set first, nor a folder be read."""
        if request.dataset != CIFAR10:
            return False
        return request.shown == "all" or request.dataset in self.known(self.model(request))

    def model(self, request: types.GalleryRequest) -> Checkpoint:
        """Return the model whose predictions select the images."""
        if request.model is None:
            raise ConfigError("model", f"is missing for the images {request.shown}")
        return self.inputs.model(request.model, "model")

    def test_set(self, request: types.GalleryRequest) -> LabeledSet:
        """Return the test set of a request."""
        with about("dataset"):
            return find_test_set(request.dataset, self.inputs.data, self.inputs.runs, self.inputs.public)

    def known(self, model: Checkpoint) -> dict[str, Predictions]:
        """Return the predictions of a model by dataset."""
        return self.predictions.setdefault(model.network, {})

    def predict(
        self, model: Checkpoint, found: LabeledSet, dataset: str, report: Callable[[int, int], None]
    ) -> Predictions:
        """Predict all images of a test set, once per model; predictions of bundled models may be stored."""
        known = self.known(model)
        if dataset not in known:
            if not (model.is_classifier and set(found.classes) <= set(model.labels)):
                problem = f"must be a classifier with the classes of {found.name} to filter by: got {model.name}"
                raise ConfigError("model", problem, "Show all images.")
            stored = None if model.name.startswith(RUN_PREFIX) or dataset != CIFAR10 else read_predictions(model.name)
            done = 0

            def count(images: int) -> None:
                nonlocal done
                done += images
                report(done, len(found.labels))

            known[dataset] = compute_predictions(model, found.images, stored, count)
        return known[dataset]


def dataset_indices(model: Checkpoint, classes: tuple[str, ...]) -> Tensor:
    """Return the index in the dataset's classes of each of a model's classes, or -1, (K,)."""
    return torch.tensor([classes.index(name) if name in classes else -1 for name in model.labels])
