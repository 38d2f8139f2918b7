"""The gallery of test images, by class and by a model's prediction."""

from weakref import WeakKeyDictionary

import torch
from PIL import Image
from torch import Tensor

from vitviz.data import cifar
from vitviz.data.encoding import data_url
from vitviz.data.preprocessing import preprocess, to_tensor
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.factory import Network
from vitviz.runs.store import Runs
from vitviz.training.evaluation import predict
from vitviz.webapp.images import test_set
from vitviz.webapp.models import ModelPage, load_model
from vitviz.webapp.schemas import GalleryImage, GalleryReply
from vitviz.webapp.server.requests import Json, RequestError, choice, require

PAGE_SIZE = 10
SHOWN = ("all", "correct", "misclassified", "confidently wrong")
BATCH_SIZE = 100  # larger ones only take memory

Predictions = tuple[Tensor, Tensor]  # of all test images (n,): class index in the model, and its probability


class Gallery(ModelPage):
    """Server functions of the gallery; arguments as of `ModelPage`."""

    def __init__(self, data: str | None, runs: Runs | None, public: bool) -> None:
        super().__init__(data, runs, public)
        self.predictions: WeakKeyDictionary[Network, Predictions] = WeakKeyDictionary()

    def gallery(self, request: Json) -> GalleryReply:
        """Return one page of test images.

        Args:
            request: `label` (-1 for all classes), `page` from 0, and `shown`: "all", or by the predictions of the model
                `checkpoint` "correct", "misclassified" or "confidently wrong" (misclassified, most confident first).

        Returns:
            `images`, each with `index`, `label`, `src` and, unless all are shown, `prediction` and `probability`; and
            `pages`.
        """
        label, page = require(request, "label", int), require(request, "page", int)
        shown = choice(request, "shown", SHOWN)
        if not -1 <= label < len(cifar.CLASSES):
            raise RequestError("label", f"from 0 to {len(cifar.CLASSES) - 1}, or -1 for all", label)
        images, labels = test_set(self.data, self.public)
        selected = labels == label if label >= 0 else torch.ones_like(labels, dtype=torch.bool)
        if shown != "all":
            model = self.model(request)
            classes, probabilities = self.predict(model, images)
            selected &= (cifar_indices(model)[classes] == labels) == (shown == "correct")
        indices = selected.nonzero()[:, 0]
        if shown == "confidently wrong":
            indices = indices[probabilities[indices].argsort(descending=True, stable=True)]
        found: list[GalleryImage] = []
        for i in indices[max(0, page) * PAGE_SIZE :][:PAGE_SIZE].tolist():
            source = data_url(Image.fromarray(images[i].permute(1, 2, 0).numpy()))
            found.append({"index": i, "label": int(labels[i]), "src": source})
            if shown != "all":
                found[-1] |= {"prediction": model.labels[classes[i]], "probability": probabilities[i].item()}
        return {"images": found, "pages": -(-len(indices) // PAGE_SIZE)}

    def cached(self, request: Json) -> GalleryReply | None:
        """Return the same, or None if a model must predict the test set first."""
        is_quick = choice(request, "shown", SHOWN) == "all" or self.model(request).network in self.predictions
        return self.gallery(request) if is_quick else None

    def model(self, request: Json) -> Checkpoint:
        """Load the model of a request."""
        return load_model(require(request, "checkpoint", str), self.runs)

    def predict(self, model: Checkpoint, images: Tensor) -> Predictions:
        """Predict all test images, once per model."""
        if model.network not in self.predictions:
            if not set(cifar.CLASSES) <= set(model.labels):
                rule = "a model with the classes of CIFAR-10 to filter by"
                raise RequestError("checkpoint", rule, model.name, "Show all images.")
            logits = model.check_logits(predict(model, resize(images, model.config.img_size), BATCH_SIZE))  # (n, K)
            probabilities, classes = logits.softmax(-1).max(-1)
            self.predictions[model.network] = classes, probabilities
        return self.predictions[model.network]


def cifar_indices(model: Checkpoint) -> Tensor:
    """Return the CIFAR-10 index of each of a model's classes, or -1, (K,)."""
    return torch.tensor([cifar.CLASSES.index(name) if name in cifar.CLASSES else -1 for name in model.labels])


def resize(images: Tensor, size: tuple[int, int]) -> Tensor:
    """Resize images (n, 3, 32, 32) as `explain` does -> (n, 3, H, W)."""
    if images.shape[2:] == size:
        return images
    return torch.stack([to_tensor(preprocess(image.permute(1, 2, 0).numpy(), size).model_input) for image in images])
