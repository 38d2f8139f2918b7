"""Server functions of the Internals page: the probes of a model as JSON, and files of its figures.

Each result is cached: there are two choices of images per model.
"""

import base64
import threading
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from torch import Tensor

from vitviz.attribution.probes import Probes, probe
from vitviz.data import preprocessing
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.factory import Network
from vitviz.runs.store import Runs
from vitviz.webapp.images import test_set
from vitviz.webapp.models import ModelPage
from vitviz.webapp.opened import ModelOpener
from vitviz.webapp.schemas.common import FigureFile
from vitviz.webapp.server.queue import Queue
from vitviz.webapp.server.requests import Json, RequestError, choice, error_response, require

NUM_TEST_IMAGES = 500  # the default of `python -m vitviz probe`, so that both give the same numbers
DECIMALS = 5  # more than the page shows, at half the size
ARRAYS = tuple(field.name for field in fields(Probes) if field.name not in ("labels", "entropy", "lens"))


class Internals(ModelPage):
    """Server functions of the page; arguments as of `ModelPage`."""

    def __init__(
        self,
        data: str | None = None,
        runs: Runs | None = None,
        public: bool = False,
        opener: ModelOpener | None = None,
    ) -> None:
        super().__init__(data, runs, public, opener)
        # By model, as runs may change or be deleted, and choice of images: the probes and the caption of the images.
        self.results: WeakKeyDictionary[Network, dict[str, tuple[Probes, str]]] = WeakKeyDictionary()
        self.lock = threading.Lock()

    @property
    def functions(self) -> list[Callable[..., Any]]:
        """The functions that the component may call, by name."""
        respond = partial(error_response, public=self.public)
        probes, figure = respond(self.probes), respond(self.probe_figure)
        lists = [respond(self.list_models), *self.model_functions]
        return [Queue(1, waiting=100)(probes), Queue(1, waiting=20)(figure), *lists]

    def probes(self, request: Json) -> Json:
        """Probe a model. The response is that of `to_json`.

        Args:
            request: `checkpoint`, a name of `list_models`, and `images`, "samples" or "test".
        """
        return to_json(*self.measure(request))

    def measure(self, request: Json) -> tuple[Checkpoint, Probes, str]:
        """Return a model, its probes and the caption of their images; computed once, concurrent requests wait."""
        model = self.model(request)
        chosen = require(request, "images", str)
        with self.lock:
            if chosen not in self.results.get(model.network, {}):
                images, caption = self.images(chosen, model)
                self.results.setdefault(model.network, {})[chosen] = probe(model, images), caption
            return model, *self.results[model.network][chosen]

    def probe_figure(self, request: Json) -> FigureFile:
        """Return the numbers of one figure as CSV: the file's `name` and `src`, a data URL.

        Args:
            request: As of `probes`; `probe`, the name of the figure.
        """
        from vitviz.plots import probe_table

        name = choice(request, "probe", probe_table.FIGURES)
        model, found, _ = self.measure(request)
        data = probe_table.to_csv(vars(found), name).encode()
        source = f"data:text/csv;base64,{base64.b64encode(data).decode()}"
        return {"name": f"{model.name.replace('/', '-')}-{name}.csv", "src": source}

    def images(self, choice: str, model: Checkpoint) -> tuple[Tensor, str]:
        """Return the images to probe a model with, uint8 (B, 3, H, W), and their caption."""
        size = model.config.img_size
        if choice == "samples":
            images = preprocessing.load_samples(size, model.resize)
            return images, f"the {len(images)} sample images"
        if choice != "test":
            raise RequestError("images", "samples or test", choice)
        if size != (32, 32):
            rule = "samples for a model whose input is not 32 × 32 px, the size of CIFAR-10 images"
            raise RequestError("images", rule, f"test for {size[0]} × {size[1]}", "Use the sample images.")
        images = preprocessing.resize_images(test_set(self.data, self.public)[0][:NUM_TEST_IMAGES], size, model.resize)
        return images, f"the first {len(images)} test images of CIFAR-10"


def to_json(model: Checkpoint, probes: Probes, caption: str) -> Json:
    """Convert probes to the page's JSON.

    Returns:
        `checkpoint`; `images`, their caption; `size` (px), `grid`, `prefix`, `classToken` and `classes` of the
        model; the arrays of `Probes` named in `ARRAYS`, as lists.
    """
    config = model.transformer.config
    return {
        "checkpoint": model.name,
        "images": caption,
        "size": list(config.img_size),
        "grid": list(config.grid_size),
        "prefix": config.num_prefix_tokens,
        "classToken": config.class_token,
        "classes": config.num_classes,
        **{name: np.round(getattr(probes, name).astype(np.float64), DECIMALS).tolist() for name in ARRAYS},
    }
