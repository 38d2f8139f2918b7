"""Requests and replies about models."""

from typing import Annotated, Literal

from pydantic import Field

from vitviz.view import MAX_NAME, Model
from vitviz.webapp.schemas.base import Reply
from vitviz.webapp.schemas.common import CifarInfo, FoundModel, ModelInfo

Name = Annotated[str, Field(max_length=MAX_NAME)]


class ModelRequest(Model):
    """A model of the list."""

    model: Name


class OpenRequest(Model):
    """Start to open a model by its name or path, cancel it, or ask how far it is."""

    action: Literal["state", "start", "cancel"] = "state"
    source: Name = ""


class Models(Reply):
    """All models that can be explained, the one that the page opens with first, and whether CIFAR-10 is available."""

    models: list[ModelInfo]
    cifar: CifarInfo


class CachedModels(Reply):
    """The models in the cache of the Hugging Face Hub, and where it is."""

    models: list[FoundModel]
    cache: str


class Opening(Reply):
    """State of opening a model.

    Attributes:
        source: What is opened, as the user wrote it.
        phase: What is being done, or how it ended.
        done: Bytes that have arrived of the file being downloaded.
        total: Its size; 0 while unknown.
        message: Why it failed; empty otherwise.
        name: Name of the model on the page, once it is ready.
    """

    source: str
    phase: Literal["idle", "downloading", "loading", "ready", "failed", "canceled"]
    done: int
    total: int
    message: str
    name: str


class Facts(Reply):
    """What is known of a model, as pairs of a term and its value."""

    facts: list[tuple[str, str]]


class Snapshots(Reply):
    """The snapshots of a training by their epochs, and the names of its probe images."""

    snapshots: list[str]
    images: list[str]
