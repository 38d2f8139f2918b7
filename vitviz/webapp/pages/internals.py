"""What the page Inside may ask of Python, and the answer: what the probes of a model found, as plain lists.

A question is treated as hostile, as those of the explorer are. Each answer is computed once and kept: there are only as
many as models, times two choices of images.
"""

import threading
from collections.abc import Callable
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
from vitviz.webapp.models import model_named, offered
from vitviz.webapp.server.queue import Queue
from vitviz.webapp.server.requests import Answer, answering, field

TEST_IMAGES = 500  # as many as `python -m vitviz probe` takes unasked, so that both give the same numbers
DECIMALS = 5  # more than anybody reads, and half the characters to send
SENT = (
    "filters",
    "explained",
    "position_similarity",
    "distance",
    "uniform_distance",
    "effective_tokens",
    "head_divergence",
    "norms",
    "longest",
    "outliers",
    "final_share",
    "final_probability",
    "class_token_cosine",
    "cka",
)


class Inside:
    """The page's questions, for one data folder.

    Args:
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`.
        runs: Whose models can be looked into beside those that ship; None for no others.
        public: Whether strangers ask.
    """

    def __init__(self, data: str | None = None, runs: Runs | None = None, public: bool = False) -> None:
        self.data, self.runs, self.public = data, runs, public
        self.found: WeakKeyDictionary[Network, dict[str, Answer]] = WeakKeyDictionary()  # a run may go on, or go
        self.one_at_a_time = threading.Lock()

    @property
    def functions(self) -> list[Callable[..., Any]]:
        """The functions that the component may call, by these names."""
        answered = partial(answering, public=self.public)
        return [Queue(1, waiting=100)(answered(self.probes)), answered(self.offers)]

    def offers(self, question: Answer) -> Answer:
        """As `Explore.offers`."""
        return offered(self.runs, self.data, self.public)

    def probes(self, question: Answer) -> Answer:
        """Measure a model, or give what was measured before.

        Args:
            question: `checkpoint`, as `offers` names it, and `images`, "samples" or "test".

        Returns:
            What `answer_of` gives. Whoever asks while another question is computed waits for it.
        """
        model = model_named(field(question, "checkpoint", str), self.runs)
        chosen = field(question, "images", str)
        with self.one_at_a_time:
            if chosen not in self.found.get(model.network, {}):
                images, which = self.images(chosen, model.network.config.img_size)
                self.found.setdefault(model.network, {})[chosen] = answer_of(model, probe(model, images), which)
            return self.found[model.network][chosen]

    def images(self, chosen: str, size: tuple[int, int]) -> tuple[Tensor, str]:
        """The images to measure with, uint8 (B, 3, H, W), and in words which."""
        if chosen == "samples":
            images = preprocessing.samples(size)
            return images, f"the {len(images)} sample images"
        if chosen != "test":
            raise ValueError(f"Images to look inside with must be samples or test: got {chosen[:40]!r}.")
        if size != (32, 32):
            raise ValueError(
                f"Images of CIFAR-10 have 32 × 32 pixels: this model sees {size[0]} × {size[1]}. Use the samples."
            )
        images = test_set(self.data, self.public)[0][:TEST_IMAGES]
        return images, f"the first {len(images)} test images of CIFAR-10"


def answer_of(model: Checkpoint, found: Probes, which: str) -> Answer:
    """Everything that the page draws.

    Returns:
        `checkpoint`; `images`, which in words; `size` (px), `grid`, `prefix` and `classes` of the model; the arrays
        of `Probes` named in `SENT`, as lists.
    """
    config = model.network.config
    arrays = {name: getattr(found, name) for name in SENT}
    return {
        "checkpoint": model.name,
        "images": which,
        "size": list(config.img_size),
        "grid": list(config.grid_size),
        "prefix": config.num_prefix_tokens,
        "classes": config.num_classes,
        **{name: np.round(values.astype(np.float64), DECIMALS).tolist() for name, values in arrays.items()},
    }
