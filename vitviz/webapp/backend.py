"""The pages with their server functions. Importing this module imports torch."""

from collections.abc import Callable
from typing import Any

from vitviz.webapp import api
from vitviz.webapp.explained import Explanations
from vitviz.webapp.gallery import Gallery
from vitviz.webapp.opened import ModelOpener, OpenedModels
from vitviz.webapp.pages.explore import Explore
from vitviz.webapp.pages.internals import Internals
from vitviz.webapp.pages.learn import Learn
from vitviz.webapp.pages.timelines import Timelines
from vitviz.webapp.pages.train import Train
from vitviz.webapp.server.jobs import Queues
from vitviz.webapp.sources import Sources


class Backend:
    """All pages.

    Attributes:
        explore: The Explore page, whose catalog the other pages use.
        api: The routes.
        functions: Server functions by name; those that pages share are of Explore, so that they have one queue.
    """

    def __init__(self, data: str | None = None, public: bool = False, checkpoint: str | None = None) -> None:
        """Build the pages; arguments and errors as of `vitviz.webapp.app.build_app`."""
        opened = OpenedModels()
        if checkpoint is not None:
            opened.first = opened.open(checkpoint)
        opener = ModelOpener(opened)
        train = Train(data, public=public)
        runs = None if public else train.runs
        self.public, self.queues, self.download = public, Queues(), train.datasets.download
        self.sources = Sources(data, runs, public, opener)
        self.explanations, self.gallery = Explanations(self.sources), Gallery(self.sources)
        self.timelines = Timelines(runs)
        self.api = api.create(self)
        self.explore = Explore(data, runs, public, train.datasets.download, opener)
        pages = (
            self.explore,
            train,
            Internals(data, runs, public, opener),
            Learn(self.explore, train.timelines),
        )
        self.functions: dict[str, Callable[[Any], Any]] = {}
        for page in pages:
            for function in page.functions:
                self.functions.setdefault(function.__name__, function)

    def clean(self) -> None:
        """Delete what has expired of visitors' images."""
        self.explanations.clean()
        self.explore.explanations.clean()
        self.explore.scored.clean()
