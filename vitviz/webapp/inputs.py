"""What a request may name: models, and images by their kind."""

from collections.abc import Hashable
from pathlib import Path
from typing import NamedTuple

import torch

from vitviz import view
from vitviz.data.preprocessing import ImageLike, is_huge
from vitviz.data.samples import PHOTOS
from vitviz.errors import ImageError
from vitviz.models.checkpoint import Checkpoint
from vitviz.runs.run_folder import LAST
from vitviz.runs.store import Runs
from vitviz.webapp.image_lists import sample_path
from vitviz.webapp.image_sets import CIFAR10, find_test_set
from vitviz.webapp.models import RUN_PREFIX, bundled_models, file_state, load_model
from vitviz.webapp.server.refusals import about
from vitviz.webapp.server.uploads import find_upload
from vitviz.webapp.user_models import ModelOpener, UserModels


class FoundImage(NamedTuple):
    """An image that a request names.

    Attributes:
        image: The image.
        name: In figures.
        caption: Where it is from.
        label: What it shows, if known.
    """

    image: ImageLike
    name: str
    caption: str
    label: str | None = None


class Inputs:
    """Models and images.

    Args:
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`.
        runs: Runs whose models and images can be used; None for none.
        public: Whether to hide paths of the server, and to open no models.
        opener: Opens models by name, and has those that are opened.
        device: Device of the models.
    """

    def __init__(
        self,
        data: str | None = None,
        runs: Runs | None = None,
        public: bool = False,
        opener: ModelOpener | None = None,
        device: torch.device | str = "cpu",
    ) -> None:
        self.data, self.runs, self.public, self.device = data, runs, public, device
        self.opener = opener or ModelOpener(UserModels())

    def model(self, name: str, field: str = "subject.model") -> Checkpoint:
        """Return a model by its name, in a `field` of the request; it is loaded first if it is not in memory."""
        with about(field):
            model = load_model(name, self.runs, self.opener.models)
        if name not in self.opener.models.given:
            model.network.to(self.device)
        return model

    def must_load(self, name: str) -> bool:
        """Whether a model has been opened, but is not in memory any more."""
        return self.opener.models.must_load(name)

    def version(self, name: str) -> Hashable:
        """Return the state of a model's files: another one means that the name stands for other weights."""
        if name in self.opener.models.requested:
            return self.opener.models.states[name]
        if self.runs is not None and name.startswith(RUN_PREFIX):
            with about("subject.model"):
                return file_state(self.runs.folder(name.removeprefix(RUN_PREFIX)) / LAST)
        path = bundled_models().get(name)
        return None if path is None else file_state(path)

    def image(self, image: view.Image) -> FoundImage:
        """Return an image.

        Raises:
            FieldError: If it does not exist, or not any more.
        """
        with about("subject.image"):
            if isinstance(image, view.Sample):
                return sample(image.name)
            if isinstance(image, view.TestImage):
                return self.test_image(CIFAR10, image.index)
            if isinstance(image, view.RunImage):
                return self.test_image(image.run, image.index)
            if isinstance(image, view.Upload):
                return FoundImage(find_upload(image.id), "Upload", image.name[:120])
            raise ImageError("An image of a program is not known to the server.", "Upload it.")

    def test_image(self, dataset: str, index: int) -> FoundImage:
        """Return a test image of a dataset."""
        found = find_test_set(dataset, self.data, self.runs, self.public)
        if index >= len(found.labels):
            raise ImageError(f"The index of a test image must be from 0 to {len(found.labels) - 1}: got {index}.")
        label, caption = found.classes[found.labels[index]], f"{found.name} test image {index}"
        return FoundImage(found.images[index].permute(1, 2, 0).numpy(), f"{caption} ({label})", caption, label)

    def is_slow(self, image: view.Image) -> bool:
        """Whether an image takes long to decode, or to be read with its folder."""
        if isinstance(image, view.Upload):
            with about("subject.image"):
                return is_huge(find_upload(image.id))
        return isinstance(image, view.RunImage)


def sample(name: str) -> FoundImage:
    """Return a drawn sample or a photograph."""
    path: Path = sample_path(name)
    if (photo := PHOTOS.get(name)) is not None:
        return FoundImage(path, photo.title, f"Photograph: {photo.credit}", photo.label)
    return FoundImage(path, f"Drawing ({name})", "Drawing", name)
