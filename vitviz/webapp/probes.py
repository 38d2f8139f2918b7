"""Probes of models, measured once for each model and choice of images."""

import asyncio
from dataclasses import dataclass, fields
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from vitviz.attribution import image_statistics
from vitviz.attribution.head_factors import RELIABLE, check_scores
from vitviz.attribution.probes import Probes, position_start, probe
from vitviz.data import preprocessing
from vitviz.errors import ConfigError
from vitviz.models.attention_stats import forward_macs
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.vit import Transformer
from vitviz.webapp.explanations import MANY_MACS
from vitviz.webapp.image_lists import load_cifar
from vitviz.webapp.inputs import Inputs
from vitviz.webapp.schemas import models as types
from vitviz.webapp.server.calls import Call
from vitviz.webapp.server.refusals import about

NUM_TEST_IMAGES = 500  # the default of `python -m vitviz probe`, so that both give the same numbers
DECIMALS = 5  # more than the page shows, at half the size
ARRAYS = tuple(field.name for field in fields(Probes) if field.name not in ("labels", "entropy", "lens", "provenance"))


@dataclass(frozen=True)
class Probed:
    """Probes of a model over images that a caption describes."""

    model: Checkpoint
    probes: Probes
    caption: str


class ModelProbes:
    """Probes by model, as runs may change or be deleted, and choice of images; awaited in the server's event loop.

    Args:
        inputs: Models and images.
    """

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs
        self.held: WeakKeyDictionary[Transformer, dict[str, tuple[Probes, str]]] = WeakKeyDictionary()
        self.measuring: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def find(self, request: types.ProbesRequest, call: Call) -> Probed:
        """Return the probes of a model, measured once for all requests that wait.

        Raises:
            ValueError: If the model or the images do not exist, or do not fit each other.
        """
        async with self.measuring.setdefault((request.model, request.images), asyncio.Lock()):
            load = lambda: self.inputs.model(request.model, "model")  # noqa: E731
            must_load = self.inputs.must_load(request.model)
            model = await (call.one_pass(load, is_large=True) if must_load else call.quick(load))
            if (found := self.held.get(model.network, {}).get(request.images)) is None:
                is_large = forward_macs(model.network.config) > MANY_MACS
                found = await call.many_passes(lambda: self.measure(model, request.images, call), is_large)
                self.held.setdefault(model.network, {})[request.images] = found
            return Probed(model, *found)

    def measure(self, model: Checkpoint, chosen: str, call: Call) -> tuple[Probes, str]:
        """Return the probes of a model and the caption of their images."""
        images, caption = self.images(model, chosen)
        return probe(model, images, call.job.report, store=not self.inputs.public), caption

    def images(self, model: Checkpoint, chosen: str) -> tuple[Tensor, str]:
        """Return the images to probe a model with, "samples" or "test", uint8 (B, 3, H, W), and their caption."""
        size = model.config.img_size
        if chosen == "samples":
            images = preprocessing.load_samples(size, model.resize)
            return images, f"the {len(images)} sample images"
        if size != (32, 32):
            problem = f"must be samples for an input of {size[0]} × {size[1]} px: test images have 32 × 32"
            raise ConfigError("images", problem, "Use the sample images.")
        with about("images"):
            images, _ = load_cifar("test", self.inputs.data, self.inputs.public)
        images = preprocessing.resize_images(images[:NUM_TEST_IMAGES], size, model.resize)
        return images, f"the first {len(images)} test images of CIFAR-10"


def to_reply(found: Probed) -> types.Probes:
    """Return the reply for the probes of a model."""
    config = found.model.network.config
    arrays = {name: to_lists(getattr(found.probes, name).astype(np.float64)) for name in ARRAYS}
    return types.Probes(
        model=found.model.name,
        images=found.caption,
        size=config.img_size,
        grid=config.grid_size,
        prefix=config.num_prefix_tokens,
        class_token=config.class_token,
        captured=config.is_captured,
        classes=config.num_classes,
        position_start=position_start(found.model),
        provenance=found.probes.stated(),
        **arrays,
    )


def to_lists(values: NDArray[np.float64]) -> Any:
    """Return rounded values as lists, without the heads that a layer lacks, which are NaN."""
    if values.ndim == 0 or not np.isnan(values).any():
        return np.round(values, DECIMALS).tolist()
    if values.ndim == 1:
        return to_lists(values[~np.isnan(values)])
    return [to_lists(row) for row in values if not np.isnan(row).all()]


def require_measured(model: Checkpoint) -> image_statistics.ImageStatistics:
    """Return what was measured over many images and is stored beside a checkpoint.

    Raises:
        ConfigError: If nothing is.
        ValueError: If the scores of the model have no parts.
    """
    check_scores(model)
    measured = image_statistics.load(model)
    if measured is None:
        problem = f"must have been measured over at least {RELIABLE} images: choose the test images in Internals"
        raise ConfigError("subject.model", problem, "Or run `vitviz probe`.")
    return measured
