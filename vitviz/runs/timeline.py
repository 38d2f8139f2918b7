"""A model in training -> what it looked at on the way, in one file, and back.

At about `snapshots` moments, closer together at the start, the class token's rows of all layers and heads, how widely
and how far they look, and the predictions of a few fixed images are kept, so that a page can show attention forming.
The file also holds the images and the names of the classes: nothing else is needed to show it.
"""

import math
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vitviz.data import augmentation, cifar, preprocessing
from vitviz.data.datasets import CIFAR10, DatasetInfo, LabeledImages
from vitviz.training.config import TrainConfig
from vitviz.data.files import atomic_write
from vitviz.models.factory import Network
from vitviz.models.checkpoint import bundled_checkpoints
from vitviz.models.attention_stats import attention_distance, attention_entropy, max_batch_size, cls_attention_of

Array = NDArray[np.float32]
Moment = dict[str, np.ndarray]

FINENESS = 64  # steps, at least, from nothing to the share of an even spread: each less than a colour of the page
EARLY_SIZE = (32, 32)  # px, of the images of a file that holds none
PROBES = 10  # images of the timeline, of as many classes
SERIES = ("rows", "probabilities", "entropy", "distance", "epoch", "seconds")  # one array for each moment


@dataclass(frozen=True)
class Timeline:
    """What the file of a timeline holds: S moments of a training, P images.

    Attributes:
        names: Of the images.
        classes: K class names.
        images: As the model saw them, (P, H, W, 3) uint8.
        grid: Rows and columns of patches (gh, gw).
        rows: The class token's row of each head, shares of attention that sum to 1, (S, P, L, A, T) float16.
        probabilities: (S, P, K).
        epoch: Passes over the training images before each moment, (S,).
        seconds: Of training before each moment, (S,).
        entropy: Of the class token's row, mean over the images, nats, (S, L, A); None in an older file.
        distance: Mean attention distance, mean over the images, pixels, (S, L, A); None in an older file.
        class_token: Whether the rows are the class token's; else they are the mean of the patches' rows.

    Raises:
        ValueError: If the arrays do not fit each other.
    """

    names: list[str]
    classes: list[str]
    images: NDArray[np.uint8]
    grid: tuple[int, int]
    rows: NDArray[np.float16]
    probabilities: Array
    epoch: Array
    seconds: Array
    entropy: Array | None = None
    distance: Array | None = None
    class_token: bool = True

    def __post_init__(self) -> None:
        moments, count, layers, heads, tokens = self.rows.shape
        of_heads = (moments, layers, heads)
        shapes = {
            "names": (count,),
            "images": (count, *self.images.shape[1:3], 3),
            "probabilities": (moments, count, len(self.classes)),
            "epoch": (moments,),
            "seconds": (moments,),
            "entropy": () if self.entropy is None else of_heads,
            "distance": () if self.distance is None else of_heads,
        }
        wrong = [name for name, shape in shapes.items() if np.shape(getattr(self, name)) != shape]
        if wrong or not 0 < math.prod(self.grid) <= tokens:
            raise ValueError(f"The arrays of a timeline must fit each other: {wrong or ['grid']} do not.")

    def maps(self, image: int) -> Array:
        """The class token's maps of one image at every moment, (S, L, A, gh, gw)."""
        gh, gw = self.grid
        patches = self.rows[:, image, :, :, -gh * gw :].astype(np.float32)
        return patches.reshape(*patches.shape[:-1], gh, gw)


def find(name: str | Path) -> Path:
    """The timeline of a checkpoint that ships, of a .safetensors file, or of a run folder; a .npz file is its own.

    Raises:
        ValueError: If there is none.
    """
    path = bundled_checkpoints().get(str(name)) or Path(name)
    if path.suffix == ".safetensors" and not path.is_dir():  # a run of a sweep may be named after its start
        places = [path.with_suffix(".timeline.npz"), path.with_name("timeline.npz")]
    else:
        places = [path] if path.suffix == ".npz" else [path / "timeline.npz"]
    for place in places:
        if place.is_file():
            return place
    raise ValueError(
        f"There is no timeline of {str(name)[:200]!r}. Name a run folder, a checkpoint with a timeline beside it, or a "
        "timeline.npz."
    )


def read(path: str | Path) -> Timeline:
    """Read the file of a timeline.

    Raises:
        ValueError: If there is none, or it is damaged.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            held = {name: file[name] for name in file.files}
        return from_arrays(held if "grid" in held else held | left_out(held["rows"].shape[-1]))
    except OSError as error:
        raise ValueError(f"There is no timeline at {str(path)[:200]!r} ({error.strerror or error}).") from None
    except (KeyError, IndexError, TypeError, ValueError, EOFError, zipfile.BadZipFile, zlib.error):
        raise ValueError(f"A timeline must be a whole .npz file of a training: {str(path)[:200]!r} is not.") from None


def from_arrays(held: Moment) -> Timeline:
    """The arrays of a file, by name -> what they are."""
    numbers: dict[str, Any] = {name: held[name] for name in ("images", "rows", "probabilities", "epoch", "seconds")}
    later: dict[str, Any] = {name: held.get(name) for name in ("entropy", "distance")}
    gh, gw = held["grid"].tolist()
    words = {name: held[name].tolist() for name in ("names", "classes")}
    return Timeline(**words, grid=(gh, gw), class_token=bool(held.get("class_token", True)), **numbers, **later)


def left_out(tokens: int) -> Moment:
    """What an older file leaves out: it is always about the samples and CIFAR-10's classes, on a square grid."""
    side = math.isqrt(tokens)
    seen = preprocessing.samples(EARLY_SIZE).permute(0, 2, 3, 1).numpy()
    return {"classes": np.array(cifar.CLASSES), "images": seen, "grid": np.array([side, side])}


@dataclass
class TimelineRecorder:
    """Snapshots of a few images (S moments, P images) during a training.

    Args:
        names: Of the P images.
        images: As the model sees them, uint8 (P, 3, H, W).
        inputs: The same, normalized, on the model's device.
        classes: K class names.
        grid: Rows and columns of patches (gh, gw).
        snapshots: How many moments (S) to keep.
        class_token: Whether the model has one; its rows are kept, else the mean of the patches' rows.
        moments: What was kept.
        lost: Moments before those, of a file that is gone.
    """

    names: list[str]
    images: Tensor
    inputs: Tensor
    classes: tuple[str, ...]
    grid: tuple[int, int]
    snapshots: int
    class_token: bool = True
    moments: list[Moment] = field(default_factory=list)
    lost: int = 0

    def due(self, share: float) -> bool:
        """Whether the next snapshot is due at this share of the budget: moment i is at (i / (S - 1)) ** 2."""
        taken = self.lost + len(self.moments)
        return taken < self.snapshots and share >= (taken / max(1, self.snapshots - 1)) ** 2

    def take(self, model: Network, epoch: float, seconds: float) -> None:
        """Keep what the model sees now, at a time counted in epochs and in seconds of training."""
        when = {"epoch": np.array(epoch, np.float32), "seconds": np.array(seconds, np.float32)}
        self.moments.append(look(model, self.inputs) | when)

    def restore(self, path: Path, epoch: float, share: float) -> None:
        """Take back the moments up to this epoch, at this share of the budget; without the file they are lost."""
        if path.exists():
            held = read(path)
            series = {name: getattr(held, name) for name in SERIES}
            count = int((held.epoch <= np.float32(epoch)).sum())
            self.moments = [{name: values[i] for name, values in series.items()} for i in range(count)]
        if not self.moments or self.moments[0]["epoch"] > 0:  # the first one, before any step, is lost: others are, too
            while self.due(share):
                self.lost += 1

    def save(self, path: Path, compact: bool = False) -> None:
        """Write a file for `read`, atomically; a compact one is half as large and takes a hundred times as long."""
        arrays: dict[str, Any] = {name: np.stack([moment[name] for moment in self.moments]) for name in SERIES}
        arrays |= {name: np.array(getattr(self, name)) for name in ("names", "classes", "grid", "class_token")}
        arrays["images"] = self.images.permute(0, 2, 3, 1).cpu().numpy()
        with atomic_write(path) as file:
            (np.savez_compressed if compact else np.savez)(file, **arrays)


@torch.no_grad()
def look(model: Network, images: Tensor) -> Moment:
    """What a model sees in normalised images (P, 3, H, W) now: the arrays of `SERIES`, but for the time."""
    rows, probabilities, entropy, distance = [], [], [], []
    for part in images.split(max_batch_size(model.config)):
        trace, share = model.forward_with_attention(part, "full"), len(part) / len(images)
        rows.append(cls_attention_of(trace, model.config).transpose(0, 1))  # (P, L, A, T)
        probabilities.append(trace.logits.float().softmax(-1))  # (P, K)
        entropy.append(share * attention_entropy(trace, model.config)[0])  # (L, A)
        distance.append(share * attention_distance(trace, model.config))
    found = (rounded(torch.cat(rows)), torch.cat(probabilities), sum(entropy), sum(distance))
    return {name: torch.as_tensor(values).cpu().numpy() for name, values in zip(SERIES, found, strict=False)}


def rounded(rows: Tensor) -> Tensor:
    """Shares (..., T) in float16, in steps that no eye can see, so that a file of many moments stays small."""
    steps = 2 ** math.ceil(math.log2(FINENESS * rows.shape[-1]))
    return (rows * steps).round().div(steps).half()


def probe_timeline(config: TrainConfig, about: DatasetInfo, measured: LabeledImages) -> TimelineRecorder:
    """A timeline of the project's own samples, or, of other data, of one image to measure on for each class."""
    if about is CIFAR10:
        names, seen = list(preprocessing.sample_paths()), preprocessing.samples(config.model.img_size)
    else:
        images, labels = measured
        firsts = {about.classes[label]: place for place, label in reversed(list(enumerate(labels.tolist())))}
        names = [name for name in about.classes if name in firsts][:PROBES]
        seen = images[[firsts[name] for name in names]].cpu()
    normal = augmentation.normalize(seen.to(measured[0].device), about.mean, about.std)
    network = config.model
    return TimelineRecorder(names, seen, normal, about.classes, network.grid_size, config.num_snapshots, network.class_token)
