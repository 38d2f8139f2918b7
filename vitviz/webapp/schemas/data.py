"""Requests and replies about images and datasets."""

from typing import Literal

from vitviz.view import Index, Model
from vitviz.webapp.schemas.base import Reply
from vitviz.webapp.schemas.models import Name


class Uploaded(Reply):
    """The id of an uploaded image, the SHA-256 of its file; it is known for an hour at most."""

    id: str


class GalleryRequest(Model):
    """One page of the test images of a dataset.

    Attributes:
        dataset: "cifar10", or "runs/NAME" for the dataset of that run.
        label: Index of a class; None for all.
        page: From 0.
        index: The page with this image is returned instead, if it is selected.
        shown: All images, or those that the model predicts so; "confidently wrong" is most confident first.
        model: The model, unless all are shown.
    """

    dataset: Name = "cifar10"
    label: Index | None = None
    page: Index = 0
    index: Index | None = None
    shown: Literal["all", "correct", "misclassified", "confidently wrong"] = "all"
    model: Name | None = None


class GalleryImage(Reply):
    """A test image, and its prediction if the images are selected by it."""

    index: int
    label: int
    src: str
    prediction: str | None = None
    probability: float | None = None


class Gallery(Reply):
    """One page of test images, the number of pages and images of the selection, and the classes of the dataset."""

    images: list[GalleryImage]
    page: int
    pages: int
    count: int
    classes: list[str]


class DownloadRequest(Model):
    """Start or cancel the download of a dataset, or ask how far it is."""

    dataset: Literal["cifar10", "cifar100"] = "cifar10"
    action: Literal["start", "cancel", "state"] = "state"


class Download(Reply):
    """State of the download of a dataset; `progress` is a fraction."""

    dataset: str
    running: bool
    progress: float
    message: str
