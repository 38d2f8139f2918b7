"""Models that the user opened by name: files, folders and models of the Hugging Face Hub.

A model is loaded when it is opened and stays in memory until others replace it; then it is loaded again at its next
use. It is also loaded again when it is opened again and its files have changed. Nothing but an opened name is ever
loaded, so a public page, which opens none, offers no others. Models without files, which a visitor has taught, are in
memory only.
"""

import math
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from cachetools import TTLCache

from vitviz.errors import CheckpointError, ConfigError
from vitviz.models import downloads, hub, hub_cache, model_files
from vitviz.models.checkpoint import Checkpoint, bundled_checkpoints
from vitviz.models.hub_cache import HubDownload
from vitviz.models.names import PREFIXES, cut_size, standard_name, write_size
from vitviz.webapp.model_info import describe_model
from vitviz.webapp.schemas.common import ModelInfo
from vitviz.webapp.schemas.models import OpenState

MAX_LOADED = 2  # models in memory
MAX_TAUGHT = 32  # taught models in memory, which share the weights of their base models but for the head
MAX_AGE = 3300.0  # s; less than an hour, after which a public page has forgotten what a visitor taught
FITTED_PREFIX = "fitted/"  # of the names of taught models that are not listed
MAX_NAME_LENGTH = 1000  # characters

FileStates = tuple[tuple[int, int], ...]  # modification time (ns) and size (bytes) of each weight file


@dataclass
class UserModels:
    """Opened models by their name on the page.

    Attributes:
        requested: For each name the argument of `vitviz.load`, in the order of opening.
        infos: For each name the description for lists.
        sizes: For each name the size of its weights on disk (bytes).
        states: For each name the state of its weight files when it was loaded.
        first: Name of the model that the page opens with; empty for the first bundled one.
        max_age: How long taught models stay in memory (s).
    """

    requested: dict[str, str] = field(default_factory=dict)
    infos: dict[str, ModelInfo] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    states: dict[str, FileStates] = field(default_factory=dict)
    first: str = ""
    max_age: float = math.inf
    given: dict[str, Checkpoint] = field(default_factory=dict)  # by the program that starts the page
    loaded: dict[str, Checkpoint] = field(default_factory=dict)  # the most recently used last
    taught: "TTLCache[str, Checkpoint]" = field(init=False)  # that were opened
    fitted: "TTLCache[str, Checkpoint]" = field(init=False)  # that were not; each change of the classes makes one
    lock: threading.RLock = field(default_factory=threading.RLock)  # of `loaded`, for a moment
    loading: threading.Lock = field(default_factory=threading.Lock)  # while a model is loaded

    def __post_init__(self) -> None:
        self.taught, self.fitted = (TTLCache(MAX_TAUGHT, self.max_age, time.monotonic) for _ in range(2))

    def __contains__(self, name: str) -> bool:
        """Whether a model has been given, opened or taught."""
        with self.lock:
            return any(name in found for found in (self.given, self.requested, self.taught, self.fitted))

    def open(self, requested: str) -> str:
        """Load a model, unless it is in memory as it is on disk, and return its name on the page.

        Raises:
            CheckpointError: As for `vitviz.models.hub.load`.
        """
        requested = expand(requested)
        if requested in bundled_checkpoints():
            return requested
        with self.loading:
            known = next((name for name, other in self.requested.items() if other == requested), None)
            if known is None or self.states[known] != file_states(requested) or self.use(known) is None:
                known = self.load(requested, known).name
            return known

    def get(self, name: str) -> Checkpoint:
        """Return a model; load an opened one if it is not in memory, for which it waits for others being loaded."""
        if (model := self.use(name)) is not None:
            return model
        with self.loading:
            return self.use(name) or self.load(self.requested[name], name)

    def load(self, requested: str, name: str | None = None) -> Checkpoint:
        """Load a model under its name, by default a new one, and replace what is known of it."""
        model = load(requested)
        name = name or (requested if requested.startswith(PREFIXES) else self.find_free_name(model.name))
        model, states = replace(model, name=name), file_states(requested)
        self.infos[name] = describe_model(model)
        self.sizes[name] = sum(size for _, size in states)
        self.states[name] = states
        self.requested[name] = requested
        self.keep(model)
        return model

    def use(self, name: str) -> Checkpoint | None:
        """Return a model as the most recently used one; None if it is not in memory."""
        with self.lock:
            if (model := self.loaded.get(name)) is not None:
                self.keep(model)
            return model or self.given.get(name) or self.taught.get(name) or self.fitted.get(name)

    def must_load(self, name: str) -> bool:
        """Whether a model has been opened, but is not in memory any more."""
        return name in self.requested and name not in self.loaded

    def keep(self, model: Checkpoint) -> None:
        """Keep a model in memory as the most recently used one."""
        with self.lock:
            kept = [*(other for name, other in self.loaded.items() if name != model.name), model]
            self.loaded = {other.name: other for other in kept[-MAX_LOADED:]}

    def add_given(self, model: Checkpoint, name: str) -> None:
        """Offer a model that is in memory.

        Raises:
            ConfigError: If the name is empty, not printable, or that of another model.
        """
        if not name or len(name) > MAX_NAME_LENGTH or not name.isprintable() or self.find_free_name(name) != name:
            raise ConfigError("models", f"must have names that no other model has: got {name!r:.80}")
        self.given[name] = replace(model, name=name)
        self.infos[name] = describe_model(self.given[name])

    def keep_fitted(self, model: Checkpoint) -> None:
        """Keep a taught model in memory that is not listed."""
        with self.lock:
            self.fitted[model.name] = model

    def add(self, model: Checkpoint, name: str) -> Checkpoint:
        """Keep a taught model in memory under the first unused name, and return it with this name."""
        with self.lock:
            model = replace(model, name=self.find_free_name(name))
            self.taught[model.name] = model
            return model

    def clean(self) -> None:
        """Delete taught models that have expired."""
        with self.lock:
            self.taught.expire()
            self.fitted.expire()

    def find_free_name(self, name: str) -> str:
        """Return a name that no other model has."""
        taken = self.given.keys() | self.requested.keys() | bundled_checkpoints().keys() | self.taught.keys()
        return next(
            found for n in range(1, len(taken) + 2) if (found := name if n == 1 else f"{name} {n}") not in taken
        )


class ModelOpener:
    """Opens one model at a time in the background.

    Args:
        models: Where it is added.
    """

    def __init__(self, models: UserModels) -> None:
        self.models = models
        self.state = OpenState()
        self.download: HubDownload | None = None
        self.canceled = threading.Event()  # one for each opening
        self.thread: threading.Thread | None = None
        self.lock = threading.Lock()

    def start(self, requested: str) -> None:
        """Open a model; a download in progress is canceled, a model being loaded is waited for."""
        if not 0 < len(requested) <= MAX_NAME_LENGTH:
            raise CheckpointError("A model must have a name or path", "Write timm:NAME, hf:OWNER/NAME, or a path.")
        requested = standard_name(requested)
        self.cancel()
        with self.lock:
            if self.thread is not None:
                self.thread.join()
            self.state, self.canceled = OpenState(requested=requested, phase="loading"), threading.Event()
            self.thread = threading.Thread(target=self.run, args=(requested, self.canceled), daemon=True)
            self.thread.start()

    def cancel(self) -> None:
        """Stop a download; loading takes seconds and is not interrupted."""
        self.canceled.set()
        if (download := self.download) is not None:
            download.cancel()

    def run(self, requested: str, canceled: threading.Event) -> None:
        """Download and load a model; the state says how far it is."""
        try:
            if requested.startswith(PREFIXES) and not hub_cache.is_cached(requested):
                self.fetch(requested, canceled)
            if self.state.phase != "canceled":
                self.state = OpenState(requested=requested, phase="loading")
                self.state = OpenState(requested=requested, phase="ready", name=self.models.open(requested))
        except Exception as error:
            message = str(error) if isinstance(error, ValueError) else f"The model could not be loaded: {error!r:.200}"
            self.state = OpenState(requested=requested, phase="failed", message=message)

    def fetch(self, requested: str, canceled: threading.Event) -> None:
        """Download a model, unless the opening is canceled."""

        def report(done: int, total: int) -> None:
            self.state = OpenState(requested=requested, phase="downloading", done=done, total=total)

        report(0, 0)
        self.download = HubDownload(requested)
        if canceled.is_set():  # before the download could be
            self.download.cancel()
        try:
            self.download.wait(report)
            if self.download.is_canceled:
                self.state = OpenState(requested=requested, phase="canceled")
        finally:
            self.download = None


def load(requested: str) -> Checkpoint:
    """Load a model; one of the Hub from the cache."""
    return hub.load(requested, offline=requested.startswith(PREFIXES) and hub_cache.is_cached(requested))


def file_states(requested: str) -> FileStates:
    """Return the state of the weight files of a model; empty if they do not exist any more."""
    is_on_hub = requested.startswith(PREFIXES)
    path = downloads.fetch(requested, offline=True)[1] if is_on_hub else Path(cut_size(requested)[0])
    files = model_files.weight_files(path) if path.is_dir() else [path] if path.is_file() else []
    found = [file.stat() for file in files]
    return tuple((one.st_mtime_ns, one.st_size) for one in found)


def expand(requested: str) -> str:
    """Return the absolute path of a file or folder; of another model its standard name; each with its input size."""
    name, size = cut_size(standard_name(requested))
    path = Path(name).expanduser()
    is_path = not name.startswith(PREFIXES) and name not in bundled_checkpoints() and path.exists()
    return f"{path.resolve() if is_path else name}{write_size(size)}"
