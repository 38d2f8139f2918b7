"""Requests and replies about classes that a visitor teaches. Images count from 0 through all classes, in order."""

from typing import Annotated

from pydantic import Field

from vitviz.view import MAX_NAME, Image, Model
from vitviz.webapp.schemas.base import Reply, Vector
from vitviz.webapp.schemas.models import ModelRequest, Name


class TaughtImage(Model):
    """A training image, and its source: what shares one is held out together, such as the frames of a recording."""

    image: Image
    source: Annotated[str, Field(max_length=MAX_NAME)]


class TaughtClass(Model):
    """A class and its training images."""

    name: Name
    images: tuple[TaughtImage, ...]


class FitRequest(ModelRequest):
    """Classes for the features of a model."""

    classes: tuple[TaughtClass, ...]


class SetRequest(FitRequest):
    """Also the name under which the images are saved."""

    name: Name


class TaughtRequest(ModelRequest):
    """Also a name for it; the model is one of `Fitted`."""

    name: Name


class NeighborsRequest(ModelRequest):
    """Also an image; the model is one of `Fitted`."""

    image: Image


class Fitted(Reply):
    """Name of the model with the taught classes, and number of the features that its head reads."""

    model: str
    features: int


class CrossValidation(Reply):
    """Cross-validation.

    Attributes:
        probabilities: Of the images when they were held out, float32 (n, K); NaN for those that were not.
        groups: What was held out together, (n,).
        untestable: Classes whose images are all in one group.
        correct: Number of correct predictions.
        total: Number of predictions.
        interval: 95 % interval of the accuracy, 0..1.
        is_optimistic: Whether images were held out one by one, as every class has only one group.
    """

    probabilities: str
    groups: list[int]
    untestable: list[int]
    correct: int
    total: int
    interval: tuple[float, float]
    is_optimistic: bool


class Neighbors(Reply):
    """The training images with the most similar features, most similar first, and the cosine similarities."""

    images: list[int]
    similarities: Vector


class SavedSet(Reply):
    """Where a set of images is stored."""

    path: str
