"""The public endpoints `/explain`, `/checkpoints` and `/methods`, for `gradio_client`, MCP and plain HTTP."""

import asyncio
import os
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.data_classes import FileDataDict

from vitviz.errors import InvalidValueError
from vitviz.webapp.image_lists import sample_path, upload_path
from vitviz.webapp.schemas.common import ModelInfo
from vitviz.webapp.server.deferred import DeferredBackend
from vitviz.webapp.server.jobs import Job
from vitviz.webapp.server.refusals import refuse


class Endpoints:
    """The endpoints, which wait in the same queues as the page's requests.

    Args:
        deferred: The backend, once it is there.
    """

    def __init__(self, deferred: DeferredBackend) -> None:
        self.deferred = deferred
        self.functions = {"explain": self.explain_image, "checkpoints": list_checkpoints, "methods": list_methods}

    async def explain_image(
        self, image: str | FileDataDict, checkpoint: str = "cifar10-ti4", method: str = "average"
    ) -> dict[str, Any]:
        """Explain an image: class probabilities, and a map over its patches.

        Args:
            image: Name of a sample ("cat"), or an uploaded file, whose path `/gradio_api/upload` returned.
            checkpoint: Name of a checkpoint, as `/checkpoints` lists them.
            method: Name of an attribution method, as `/methods` lists them.

        Returns:
            `probabilities` by class name (with its index, if several classes have it), `map` (gh rows of gw
            numbers), and `note`, the preprocessing.
        """
        backend = await self.deferred.backend()
        from vitviz.data.preprocessing import is_huge

        try:
            source = await asyncio.to_thread(source_of, image)
            is_large = await asyncio.to_thread(is_huge, source)
            queue = backend.queues.one_pass
            return await queue.run(Job(), lambda: compute_explanation(source, checkpoint, method), is_large)
        except Exception as error:
            raise gr.Error(refuse(error, public=True)[1].error, print_exception=False) from None


def source_of(image: str | FileDataDict) -> Path:
    """Return the file of a sample or an upload."""
    if isinstance(image, str):
        return upload_path(image) if os.path.isabs(image) else sample_path(image)
    if isinstance(image, dict) and "path" in image:
        return upload_path(str(image["path"]))
    raise InvalidValueError("image", "the name of a sample or an uploaded file", image)


def compute_explanation(source: Path, checkpoint: str, method: str) -> dict[str, Any]:
    """Compute the response of `Endpoints.explain_image`."""
    from vitviz.attribution.explanation import explain
    from vitviz.attribution.methods import METHODS
    from vitviz.models.labels import distinct_names
    from vitviz.webapp.models import load_model

    if method in METHODS and METHODS[method].on_request:
        raise InvalidValueError("method", "a name that /methods lists", method)
    explanation = explain(load_model(checkpoint), source)
    values = explanation.map(method).tolist()
    names = distinct_names(explanation.labels)
    probabilities = dict(zip(names, explanation.probabilities.tolist(), strict=True))
    return {"probabilities": probabilities, "map": values, "note": explanation.image.note}


def list_checkpoints() -> list[ModelInfo]:
    """List the checkpoints: name, family, size, accuracy and its split, whether it is a classifier."""
    from vitviz.webapp.models import list_bundled

    return list_bundled()


def list_methods() -> dict[str, str]:
    """List the attribution methods by name, each with what it shows and what it does not."""
    from vitviz.attribution.methods import METHODS

    return {name: method.about for name, method in METHODS.items() if not method.on_request}
