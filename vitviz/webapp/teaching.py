"""Classes that a visitor teaches: a linear probe on the features of a model, fitted anew after each change.

The page has the images and names all of them in each request. Features are computed once per image and model; fitted
models are named by what they were fitted to. Both stay in memory until others replace them, on a public page for an
hour at most.
"""

import base64
import hashlib
import io
import math
import re
import secrets
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
import torch.nn.functional as F
from cachetools import TTLCache
from torch import Tensor

from vitviz.data.encoding import to_base64
from vitviz.data.preprocessing import open_checked, open_image, preprocess, to_tensor
from vitviz.errors import CheckpointError, ConfigError
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.features import compute_features
from vitviz.training import linear_probe
from vitviz.training.linear_probe import CrossValidation
from vitviz.view import Image
from vitviz.webapp.image_zips import DataSets
from vitviz.webapp.inputs import Inputs
from vitviz.webapp.model_info import describe_model
from vitviz.webapp.schemas import teaching as types
from vitviz.webapp.schemas.base import SavedFile
from vitviz.webapp.schemas.common import ModelInfo
from vitviz.webapp.server.refusals import about
from vitviz.webapp.trainings import MAX_DOWNLOAD_BYTES
from vitviz.webapp.user_models import FITTED_PREFIX, MAX_AGE

MAX_IMAGES = 5000
MAX_VISITOR_IMAGES = 200  # on a public page
MAX_CACHED_BYTES = 64 * 2**20  # of features
BATCH_SIZE = 32  # images preprocessed at once; what is computed of them stays if the client goes
NUM_NEIGHBORS = 5
SEPARATORS = re.compile(r"[/\\:]+|^\.+")  # in names of classes, which become folders

Report = Callable[[int, int], None]


@dataclass(frozen=True)
class Fit:
    """What a model was fitted to.

    Attributes:
        base: Name of the model that has the features.
        features: (n, F).
        labels: (n,).
        groups: What is held out together, (n,).
    """

    base: str
    features: Tensor
    labels: Tensor
    groups: Tensor

    def cross_validate(self, report: Report = lambda done, total: None) -> CrossValidation:
        """Cross-validate by group; image by image, which is optimistic, if no class has two groups."""
        groups = torch.arange(len(self.groups)) if self.is_optimistic else self.groups
        return linear_probe.cross_validate(self.features, self.labels, groups, report=report)

    @property
    def is_optimistic(self) -> bool:
        """Whether no class has two groups."""
        return all(len(self.groups[self.labels == k].unique()) == 1 for k in self.labels.unique())


class Teaching:
    """Features, and fitted models.

    Args:
        inputs: Models and images.
        datasets: Where sets of images are saved.
    """

    def __init__(self, inputs: Inputs, datasets: DataSets) -> None:
        self.inputs, self.datasets = inputs, datasets
        self.models = inputs.opener.models
        max_age = MAX_AGE if inputs.public else math.inf
        self.features: TTLCache[Hashable, Tensor] = TTLCache(
            MAX_CACHED_BYTES, max_age, time.monotonic, getsizeof=lambda features: features.nbytes
        )
        self.fits: TTLCache[str, Fit] = TTLCache(self.models.fitted.maxsize, max_age, time.monotonic)
        self.lock = threading.Lock()

    def is_slow(self, request: types.FitRequest) -> bool:
        """Whether many features must be computed, or the model must be loaded."""
        version = self.inputs.version(request.model)
        with self.lock:
            missing = [one for one in images_of(request) if (request.model, version, one) not in self.features]
        return len(missing) > BATCH_SIZE or self.inputs.must_load(request.model)

    def fit(self, request: types.FitRequest, report: Report) -> types.Fitted:
        """Fit a head for the classes of a request.

        Args:
            request: Model and classes.
            report: Called with the number of images whose features are computed, and of all; an exception from it ends
                the work.

        Raises:
            ValueError: If the classes cannot be taught.
        """
        self.check(request)
        images, names = images_of(request), [one.name for one in request.classes]
        text = f"{request.model_dump_json()} {self.inputs.version(request.model)}"
        name = FITTED_PREFIX + hashlib.sha256(text.encode()).hexdigest()[:16]
        features = self.compute_features(request.model, images, report)
        if name not in self.fits or self.models.use(name) is None:
            labels = torch.tensor([k for k, one in enumerate(request.classes) for _ in one.images])
            head = linear_probe.fit(features, labels)
            model = linear_probe.with_head(self.inputs.model(request.model, "model"), head, names, name)
            sources = [one.source for taught in request.classes for one in taught.images]
            found = Fit(request.model, features, labels, linear_probe.group_copies(features, sources))
            with self.lock:
                self.fits[name] = found
            self.models.keep_fitted(model)
        return types.Fitted(model=name, features=features.shape[1])

    def check(self, request: types.FitRequest) -> None:
        """Refuse classes that cannot be taught."""
        self.inputs.model(request.model, "model").require_blocks("teaching classes")
        linear_probe.check_classes([one.name for one in request.classes])
        count, limit = len(images_of(request)), MAX_VISITOR_IMAGES if self.inputs.public else MAX_IMAGES
        if count > limit:
            raise ConfigError("classes", f"must have at most {limit:,} images: got {count:,}", "Remove some.")
        owners: dict[Image, str] = {}
        for one in request.classes:
            if not one.images:
                raise ConfigError(
                    "classes", f"must have images: {one.name!r} has none", "Add one, or remove the class."
                )
            for taught in one.images:
                if (owner := owners.setdefault(taught.image, one.name)) != one.name:
                    problem = f"must not share an image: {owner!r} and {one.name!r} have the same"
                    raise ConfigError("classes", problem, "Remove it from one of them.")

    def compute_features(self, name: str, images: Sequence[Image], report: Report) -> Tensor:
        """Return the features of images (n, F); those that are not in memory are computed."""
        model, version = self.inputs.model(name, "model"), self.inputs.version(name)
        with self.lock:
            found = {image: self.features.get((name, version, image)) for image in images}
        missing = [image for image, features in found.items() if features is None]
        for done in range(0, len(missing), BATCH_SIZE):
            report(done, len(missing))
            part = missing[done : done + BATCH_SIZE]
            pixels = torch.stack([self.model_input(image, model) for image in part])
            found |= dict(zip(part, compute_features(model, pixels), strict=True))
            with self.lock:
                self.features.update({(name, version, image): found[image] for image in part})
        return torch.stack([found[image] for image in images])

    def model_input(self, image: Image, model: Checkpoint) -> Tensor:
        """Return an image at the input size of a model, uint8 (3, H, W)."""
        found, crop = self.inputs.image(image), getattr(image, "crop", 0.5)
        with about("classes"):
            return to_tensor(preprocess(found.image, model.config.img_size, crop, model.resize).model_input)

    def find(self, name: str) -> tuple[Fit, Checkpoint]:
        """Return a fit and its model.

        Raises:
            CheckpointError: If others have replaced it.
        """
        with self.lock:
            fit = self.fits.get(name)
        model = self.models.use(name)
        if fit is None or model is None:
            raise CheckpointError("The taught classes are not in memory any more", "Change one, and try again.")
        return fit, model

    def validate(self, name: str, report: Report) -> types.CrossValidation:
        """Cross-validate a fit."""
        fit = self.find(name)[0]
        found = fit.cross_validate(report)
        return types.CrossValidation(
            probabilities=to_base64(found.probabilities.float().numpy()),
            groups=fit.groups.tolist(),
            untestable=list(found.untestable),
            correct=found.correct,
            total=found.total,
            interval=found.interval,
            is_optimistic=fit.is_optimistic,
        )

    def neighbors(self, name: str, image: Image) -> types.Neighbors:
        """Find the training images of a fit that are most similar to an image."""
        fit = self.find(name)[0]
        features = self.compute_features(fit.base, [image], lambda done, total: None)
        similarities = F.cosine_similarity(fit.features, features)
        values, images = similarities.topk(min(NUM_NEIGHBORS, len(similarities)))
        return types.Neighbors(images=images.tolist(), similarities=values.tolist())

    def open(self, name: str, title: str) -> ModelInfo:
        """Add a fitted model to the models that can be chosen, and describe it."""
        suffix = f" {secrets.token_hex(4)}" if self.inputs.public else ""  # visitors do not guess each other's names
        return describe_model(self.models.add(self.recorded(name), f"taught: {title.strip() or 'classes'}{suffix}"))

    def recorded(self, name: str) -> Checkpoint:
        """Return a fitted model with a record of its images and their cross-validation."""
        fit, model = self.find(name)
        described = linear_probe.describe_fit(model.labels, fit.labels, linear_probe.C, fit.cross_validate())
        return replace(model, record=model.record | {"linear_probe": model.record["linear_probe"] | described})

    def file(self, name: str) -> SavedFile:
        """Return the checkpoint of a fitted model."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "taught.safetensors"
            checkpoint.save(self.recorded(name), path)
            content = path.read_bytes()
        if len(content) > MAX_DOWNLOAD_BYTES:
            limit = MAX_DOWNLOAD_BYTES // 2**20
            problem = f"Checkpoints above {limit} MiB are not sent to the browser"
            raise CheckpointError(problem, "Save the images, and run vitviz.linear_probe on them.")
        return SavedFile(src=f"data:application/octet-stream;base64,{base64.b64encode(content).decode()}")

    def save_set(self, request: types.SetRequest) -> types.SavedSet:
        """Store the images of all classes as a zip in the data folder, which trainings and linear probes read."""
        self.check(request)
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:  # images are compressed already
            for taught in request.classes:
                folder = SEPARATORS.sub("-", taught.name)
                for k, one in enumerate(taught.images):
                    ending, data = self.encoded(one.image)
                    archive.writestr(f"{folder}/{k + 1:04d}.{ending}", data)
        with about("classes"):
            name = self.datasets.upload(content.getvalue(), f"{request.name}.zip")
        return types.SavedSet(path=str(self.datasets.path(name)))

    def encoded(self, image: Image) -> tuple[str, bytes]:
        """Return an image as a file: its format as a suffix, and its content."""
        source = self.inputs.image(image).image
        if isinstance(source, Path):
            with open_checked(source) as file:
                return str(file.format).lower(), source.read_bytes()
        buffer = io.BytesIO()
        open_image(source)[0].save(buffer, "png")
        return "png", buffer.getvalue()

    def clean(self) -> None:
        """Delete what has expired."""
        with self.lock:
            self.features.expire()
            self.fits.expire()
        self.models.clean()


def images_of(request: types.FitRequest) -> list[Image]:
    """Return the images of all classes, in order."""
    return [one.image for taught in request.classes for one in taught.images]
