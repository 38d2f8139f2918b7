"""The gallery of test images: by class, and by what a model makes of them."""

from weakref import WeakKeyDictionary

import torch
from PIL import Image
from torch import Tensor

from vitviz.data import cifar
from vitviz.data.preprocessing import prepare, to_tensor
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.factory import Network
from vitviz.runs.store import Runs
from vitviz.training.evaluation import predict
from vitviz.webapp.images import data_url, test_set
from vitviz.webapp.models import model_named
from vitviz.webapp.server.requests import Answer, field, one_of

PAGE = 10
SHOWN = ("all", "right", "wrong", "surely wrong")
AT_ONCE = 100  # images in a forward pass; more would only take memory

Said = tuple[Tensor, Tensor]  # of all test images (n,): the likeliest of the model's classes, and its probability


class Gallery:
    """The questions of the gallery, for one data folder.

    Args:
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`.
        runs: Whose models may be asked beside those that ship; None for no others.
        public: Whether strangers ask.
    """

    def __init__(self, data: str | None, runs: Runs | None, public: bool) -> None:
        self.data, self.runs, self.public = data, runs, public
        self.said: WeakKeyDictionary[Network, Said] = WeakKeyDictionary()

    def gallery(self, question: Answer) -> Answer:
        """One page of test tiles.

        Args:
            question: `label` (-1 for all), `page` from 0, and `shown`: "all", those that the model `checkpoint` names
                "right" or "wrong", or those "surely wrong", the surest first. The first time a model is asked, it looks
                at all of them.

        Returns:
            `tiles`, each with `index`, `label`, `src` and, unless all are shown, `said` and its `probability`; and
            `pages`.
        """
        label, page = field(question, "label", int), field(question, "page", int)
        shown = one_of(question, "shown", SHOWN)
        if not -1 <= label < len(cifar.CLASSES):
            raise ValueError(f"label must be from 0 to {len(cifar.CLASSES) - 1}, or -1 for all: got {str(label)[:40]}.")
        images, labels = test_set(self.data, self.public)
        of_class = labels == label if label >= 0 else torch.ones_like(labels, dtype=torch.bool)
        if shown == "all":
            places = of_class.nonzero()[:, 0]
        else:
            model = self.model(question)
            said, probabilities = self.what_is_said(model, images)
            is_right = numbers_of(model)[said] == labels
            places = (of_class & (is_right == (shown == "right"))).nonzero()[:, 0]
            if shown == "surely wrong":
                places = places[probabilities[places].argsort(descending=True, stable=True)]
        tiles = []
        for i in places[max(0, page) * PAGE :][:PAGE].tolist():
            source = data_url(Image.fromarray(images[i].permute(1, 2, 0).numpy()))
            tiles.append({"index": i, "label": labels[i].item(), "src": source})
            if shown != "all":
                tiles[-1] |= {"said": model.labels[said[i]], "probability": probabilities[i].item()}
        return {"tiles": tiles, "pages": -(-len(places) // PAGE)}

    def known(self, question: Answer) -> Answer | None:
        """The same, or None if a model would have to look at all of them first."""
        is_quick = one_of(question, "shown", SHOWN) == "all" or self.model(question).network in self.said
        return self.gallery(question) if is_quick else None

    def model(self, question: Answer) -> Checkpoint:
        """The model that a question is about."""
        return model_named(field(question, "checkpoint", str), self.runs)

    def what_is_said(self, model: Checkpoint, images: Tensor) -> Said:
        """What a model says of all test images; computed once."""
        if model.network not in self.said:
            if not set(cifar.CLASSES) <= set(model.labels):
                raise ValueError(
                    f"Right and wrong can be told of models that know the classes of CIFAR-10: {model.name} does not. "
                    "Show all images."
                )
            logits = predict(model, prepared(images, model.network.config.img_size), AT_ONCE)  # (n, K)
            probabilities, said = logits.softmax(-1).max(-1)
            self.said[model.network] = said, probabilities
        return self.said[model.network]


def numbers_of(model: Checkpoint) -> Tensor:
    """For each class of a model its number in CIFAR-10, or -1, (K,)."""
    return torch.tensor([cifar.CLASSES.index(name) if name in cifar.CLASSES else -1 for name in model.labels])


def prepared(images: Tensor, size: tuple[int, int]) -> Tensor:
    """Images (n, 3, 32, 32) as `explain` would have the model see them, (n, 3, H, W)."""
    if images.shape[2:] == size:
        return images
    return torch.stack([to_tensor(prepare(image.permute(1, 2, 0).numpy(), size).seen) for image in images])
