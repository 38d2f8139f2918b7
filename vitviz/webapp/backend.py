"""What the routes use. Importing this module imports torch."""

from vitviz.webapp import api
from vitviz.webapp.explained import Explanations
from vitviz.webapp.gallery import Gallery
from vitviz.webapp.opened import ModelOpener, OpenedModels
from vitviz.webapp.probed import ModelProbes
from vitviz.webapp.server.jobs import Queues
from vitviz.webapp.sources import Sources
from vitviz.webapp.timelines import Timelines
from vitviz.webapp.trainings import Trainings


class Backend:
    """Models, images, explanations and trainings, the queues of their computations, and the routes (`api`)."""

    def __init__(self, data: str | None = None, public: bool = False, checkpoint: str | None = None) -> None:
        """Build it; arguments and errors as of `vitviz.webapp.app.build_app`."""
        opened = OpenedModels()
        if checkpoint is not None:
            opened.first = opened.open(checkpoint)
        opener = ModelOpener(opened)
        self.trainings = Trainings(data, public=public)
        runs = None if public else self.trainings.runs
        self.public, self.queues = public, Queues()
        self.sources = Sources(data, runs, public, opener)
        self.explanations, self.gallery = Explanations(self.sources), Gallery(self.sources)
        self.probes = ModelProbes(self.sources)
        self.timelines = Timelines(runs)
        self.api = api.create(self)

    def clean(self) -> None:
        """Delete what has expired of visitors' images."""
        self.explanations.clean()
