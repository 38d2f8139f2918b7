"""What the routes use. Importing this module imports torch."""

import math
from collections.abc import Mapping

from torch import nn

from vitviz.models.checkpoint import Checkpoint
from vitviz.models.hub import as_checkpoint
from vitviz.training.config import InferenceDevice
from vitviz.training.device import choose_device
from vitviz.webapp import api
from vitviz.webapp.explanations import Explanations
from vitviz.webapp.gallery import Gallery
from vitviz.webapp.inputs import Inputs
from vitviz.webapp.probes import ModelProbes
from vitviz.webapp.server.jobs import Queues
from vitviz.webapp.teaching import Teaching
from vitviz.webapp.timelines import Timelines
from vitviz.webapp.trainings import Trainings
from vitviz.webapp.user_models import MAX_AGE, ModelOpener, UserModels


class Backend:
    """Models, images, explanations and trainings, the queues of their computations, and the routes (`api`)."""

    def __init__(
        self,
        data: str | None = None,
        public: bool = False,
        checkpoint: str | None = None,
        device: InferenceDevice = "cpu",
        models: "Mapping[str, Checkpoint | nn.Module] | None" = None,
    ) -> None:
        """Build it; arguments and errors as of `vitviz.webapp.app.build_app`."""
        user_models = UserModels(max_age=MAX_AGE if public else math.inf)
        if checkpoint is not None:
            user_models.first = user_models.open(checkpoint)
        for name, model in (models or {}).items():
            user_models.add_given(as_checkpoint(model), name)
            user_models.first = user_models.first or name
        opener = ModelOpener(user_models)
        self.trainings = Trainings(data, public=public)
        runs = None if public else self.trainings.runs
        self.public, self.queues = public, Queues()
        self.inputs = Inputs(data, runs, public, opener, choose_device(device))
        self.explanations, self.gallery = Explanations(self.inputs), Gallery(self.inputs)
        self.probes = ModelProbes(self.inputs)
        self.teaching = Teaching(self.inputs, self.trainings.datasets)
        self.timelines = Timelines(runs)
        self.api = api.create(self)

    def clean(self) -> None:
        """Delete what has expired of visitors' images."""
        self.explanations.clean()
        self.teaching.clean()
