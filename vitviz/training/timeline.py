"""Timeline of a training: snapshots of attention and predictions on a few fixed images, in one file `timeline.npz`.

About `num_snapshots` times, more often at the start, the recorder stores the class token's attention of all layers and
heads, its entropy, the attention distance and the predictions, so that the page can show how attention develops; of a
masked autoencoder also the reconstructions, each time with the same patches masked. The file also contains the images
and class names, so that it can be shown without anything else.
"""

import math
import os
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vitviz.data import augmentation, preprocessing
from vitviz.data.datasets import CIFAR10, DatasetInfo, LabeledImages
from vitviz.errors import VitvizError
from vitviz.files import atomic_write, open_regular
from vitviz.models.attention_stats import attention_distance, attention_entropy, cls_attention_of, max_batch_size
from vitviz.models.checkpoint import bundled_checkpoints
from vitviz.models.mae import random_mask
from vitviz.models.vit import Transformer
from vitviz.training.config import TrainConfig

Array = NDArray[np.float32]
Snapshot = dict[str, np.ndarray]

STEPS_PER_UNIFORM = 64  # minimum quantization steps from 0 to uniform attention: finer than the colors of the page
MAX_IMAGES = 10  # one per class
MAX_BYTES = 2**27  # of all arrays of a file
MAX_MEMBERS, MAX_DIRECTORY_BYTES = 16, 4096  # of the zip archive
KINDS = "biufU"  # of dtypes
# Arrays with one entry per snapshot.
SERIES = ("cls_attention", "probabilities", "entropy", "distance", "epoch", "seconds")
OF_MAE = ("mask", "reconstruction")  # arrays that only the timeline of a masked autoencoder has


class TimelineError(VitvizError, ValueError):
    """A timeline file cannot be read, or is damaged."""


@dataclass(frozen=True)
class Timeline:
    """Contents of a timeline file: S snapshots of a training, P images.

    Raises:
        ValueError: If the shapes are inconsistent.
    """

    names: list[str]  # of the images
    classes: list[str]  # K class names
    images: NDArray[np.uint8]  # preprocessed, (P, H, W, 3)
    grid: tuple[int, int]  # rows and columns of patches (gh, gw)
    cls_attention: NDArray[np.float16]  # weights of the class token to all tokens, (S, P, L, A, T); rows sum to 1
    probabilities: Array  # predicted, (S, P, K)
    epoch: Array  # epochs trained before each snapshot, (S,)
    seconds: Array  # training time before each snapshot, (S,)
    entropy: Array  # of the class token's attention (nats), mean over the images, (S, L, A)
    distance: Array  # mean attention distance (px), mean over the images, (S, L, A)
    class_token: bool  # whether `cls_attention` is that of the class token; else it is the mean over the patches
    mask: NDArray[np.bool_] | None = None  # masked patches of each image, (P, gh, gw); None without a decoder
    reconstruction: NDArray[np.uint8] | None = None  # images with their masked patches predicted, (S, P, H, W, 3)

    def __post_init__(self) -> None:
        snapshots, images, layers, heads, tokens = self.cls_attention.shape
        per_head = (snapshots, layers, heads)
        shapes = {
            "names": (images,),
            "images": (images, *self.images.shape[1:3], 3),
            "probabilities": (snapshots, images, len(self.classes)),
            "epoch": (snapshots,),
            "seconds": (snapshots,),
            "entropy": per_head,
            "distance": per_head,
        }
        if self.mask is not None or self.reconstruction is not None:
            shapes |= {"mask": (images, *self.grid), "reconstruction": (snapshots, *self.images.shape)}
        wrong = [name for name, shape in shapes.items() if np.shape(getattr(self, name)) != shape]
        if wrong or not 0 < math.prod(self.grid) <= tokens or not snapshots * images * layers * heads:
            raise ValueError(f"The arrays of a timeline must have consistent shapes: {wrong or ['grid']} do not fit.")
        for name in SERIES:
            if not np.isfinite(getattr(self, name)).all():
                raise ValueError(f"The arrays of a timeline must be finite: {name} is not.")
        for name, dtype in (("images", np.uint8), ("reconstruction", np.uint8), ("mask", np.bool_)):
            if (values := getattr(self, name)) is not None and values.dtype != dtype:
                raise ValueError(f"The arrays of a timeline must have their dtypes: {name} is {values.dtype}.")
        "".join([*self.names, *self.classes]).encode()

    def maps(self, image: int) -> Array:
        """Return the attention maps of the class token on one image for all snapshots, (S, L, A, gh, gw)."""
        gh, gw = self.grid
        patches = self.cls_attention[:, image, :, :, -gh * gw :].astype(np.float32)  # (S, L, A, N)
        return patches.reshape(*patches.shape[:-1], gh, gw)


def find(name: str | Path) -> Path:
    """Return the timeline file of a shipped checkpoint, a .safetensors file or a run folder; a .npz file is its own.

    Raises:
        ValueError: If it does not exist.
    """
    path = bundled_checkpoints().get(str(name)) or Path(name)
    if path.suffix == ".safetensors" and not path.is_dir():  # the run of a sweep may be named after a checkpoint
        candidates = [path.with_suffix(".timeline.npz"), path.with_name("timeline.npz")]
    else:
        candidates = [path if path.suffix == ".npz" else path / "timeline.npz"]
    if found := next((candidate for candidate in candidates if candidate.is_file()), None):
        return found if path.is_dir() else found.resolve()  # a link that the user names, not one of a run folder
    raise ValueError(
        f"No timeline found for {str(name)[:200]!r}. Use a run folder, a checkpoint with a timeline, or a timeline.npz."
    )


def read(path: str | Path) -> Timeline:
    """Read a timeline file; raise TimelineError if it does not exist or is damaged."""
    try:
        with open(path, "rb", opener=open_regular) as file:
            arrays = read_arrays(file)
        names, classes, grid = (arrays.pop(name).tolist() for name in ("names", "classes", "grid"))
        gh, gw = grid
        arrays["class_token"] = bool(arrays["class_token"])
        return Timeline(names=names, classes=classes, grid=(gh, gw), **arrays)
    except OSError as error:
        raise TimelineError(f"Cannot read the timeline {str(path)[:200]!r}: {error.strerror or error}.") from None
    except (
        *(KeyError, IndexError, TypeError, ValueError, AttributeError, EOFError, RecursionError),
        *(NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error),
    ):
        raise TimelineError(
            f"A timeline must be a complete .npz file of a training: {str(path)[:200]!r} is not."
        ) from None


def read_arrays(file: IO[bytes]) -> dict[str, Any]:
    """Read the arrays of an .npz file, after their headers: the file may declare more than fits into memory.

    Raises:
        ValueError: If it has other members than a timeline, or too large ones.
    """
    file.seek(max(0, os.fstat(file.fileno()).st_size - 42))
    end = file.read()  # the end of the central directory, after the place of that of zip64
    entries, size = int.from_bytes(end[30:32], "little"), int.from_bytes(end[32:36], "little")
    if end[20:24] != b"PK\5\6" or end[:4] == b"PK\6\7" or entries > MAX_MEMBERS or size > MAX_DIRECTORY_BYTES:
        raise ValueError("not an archive of few members")
    names, total = ["names", "classes", "grid", "images", "class_token", *SERIES], 0
    with zipfile.ZipFile(file) as archive:
        names += [name for name in OF_MAE if f"{name}.npy" in archive.namelist()]
        for name in names:
            with archive.open(f"{name}.npy") as member:
                if np.lib.format.read_magic(member) != (1, 0):
                    raise ValueError(f"{name} has another format")
                shape, _, dtype = np.lib.format.read_array_header_1_0(member)
                total += math.prod(shape) * dtype.itemsize
                if total > MAX_BYTES or dtype.kind not in KINDS or any(side < 0 for side in shape):
                    raise ValueError(f"{name} is too large, or has no numbers")
        return {name: np.lib.format.read_array(archive.open(f"{name}.npy"), allow_pickle=False) for name in names}


def max_snapshots(shape: tuple[int, ...], num_images: int, num_classes: int, image_bytes: int = 0) -> int:
    """Return how many snapshots fit into a file; half of it is for the images.

    Args:
        shape: Of the attention, (L, A, T).
        num_images: Number of images (P).
        num_classes: Number of classes (K).
        image_bytes: Size of the reconstruction of an image.
    """
    return MAX_BYTES // 2 // (num_images * (2 * math.prod(shape) + 4 * num_classes + image_bytes))


@dataclass
class TimelineRecorder:
    """Record snapshots of a model on P images during training."""

    names: list[str]  # of the images
    images: Tensor  # preprocessed images, uint8 (P, 3, H, W)
    inputs: Tensor  # the same, normalized
    classes: tuple[str, ...]  # K class names
    grid: tuple[int, int]  # rows and columns of patches (gh, gw)
    num_snapshots: int  # (S), over the whole training
    class_token: bool = True  # of the model; without one the mean attention of the patches is recorded
    snapshots: list[Snapshot] = field(default_factory=list)  # recorded so far
    num_missing: int = 0  # snapshots of a resumed run whose file is missing
    shape: tuple[int, ...] = ()  # (L, A, T) of the model's attention
    mask: Tensor | None = None  # of a masked autoencoder, (P, gh, gw) of bool

    def is_due(self, progress: float) -> bool:
        """Whether the next snapshot is due at this progress: snapshot i is due at (i / (S - 1)) ** 2."""
        index = self.num_missing + len(self.snapshots)
        return index < self.num_snapshots and progress >= (index / max(1, self.num_snapshots - 1)) ** 2

    def record(self, model: Transformer, epoch: float, seconds: float, reconstruction: Tensor | None = None) -> None:
        """Record a snapshot of the model after a number of epochs and seconds of training.

        `reconstruction` are the images with the patches of `mask` predicted, uint8 (P, 3, H, W).
        """
        found = {"epoch": np.array(epoch, np.float32), "seconds": np.array(seconds, np.float32)}
        if reconstruction is not None:
            found["reconstruction"] = reconstruction.permute(0, 2, 3, 1).cpu().numpy()
        self.snapshots.append(snapshot(model, self.inputs) | found)

    @property
    def series(self) -> tuple[str, ...]:
        """Names of the arrays with one entry per snapshot."""
        return SERIES if self.mask is None else (*SERIES, "reconstruction")

    def restore(self, stored: Timeline | None, epoch: float, progress: float) -> None:
        """Restore the snapshots of a resumed run up to an epoch and progress; without a timeline they are missing."""
        if stored is not None:
            shape = stored.cls_attention.shape[2:]
            masks = [None if mask is None else np.asarray(mask).tolist() for mask in (self.mask, stored.mask)]
            own = (self.names, [*self.classes], tuple(self.grid), self.shape or shape, masks[0])
            if own != (stored.names, stored.classes, stored.grid, shape, masks[1]):
                raise TimelineError("The timeline of a resumed run must be its own: that of its folder is another one.")
            series = {name: getattr(stored, name) for name in self.series}
            count = int((stored.epoch <= np.float32(epoch)).sum())
            self.snapshots = [{name: values[i] for name, values in series.items()} for i in range(count)]
        if not self.snapshots or self.snapshots[0]["epoch"] > 0:  # without the initial one, others are missing too
            while self.is_due(progress):
                self.num_missing += 1

    def save(self, path: Path, compress: bool = False) -> None:
        """Write the file atomically; compressed, it is half as large and takes a hundred times as long."""
        arrays: dict[str, Any] = {name: np.stack([stored[name] for stored in self.snapshots]) for name in self.series}
        arrays |= {name: np.array(getattr(self, name)) for name in ("names", "classes", "grid", "class_token")}
        if self.mask is not None:
            arrays["mask"] = self.mask.numpy()
        arrays["images"] = self.images.permute(0, 2, 3, 1).cpu().numpy()
        with atomic_write(path) as file:
            (np.savez_compressed if compress else np.savez)(file, **arrays)


@torch.no_grad()
def snapshot(model: Transformer, images: Tensor) -> Snapshot:
    """Return the arrays of `SERIES`, except the time, of a model on normalized images (P, 3, H, W)."""
    attention, probabilities, entropy, distance = [], [], [], []
    for batch in images.to(next(model.parameters()).device).split(max_batch_size(model.config)):
        output, weight = model.forward_with_attention(batch, "full"), len(batch) / len(images)
        attention.append(cls_attention_of(output, model.config).transpose(0, 1))  # (P, L, A, T)
        probabilities.append(output.logits.float().softmax(-1))  # (P, K)
        entropy.append(weight * attention_entropy(output, model.config)[0])  # (L, A)
        distance.append(weight * attention_distance(output, model.config))  # (L, A)
    series = (quantize(torch.cat(attention)), torch.cat(probabilities), sum(entropy), sum(distance))
    return {name: torch.as_tensor(values).cpu().numpy() for name, values in zip(SERIES, series, strict=False)}


def quantize(attention: Tensor) -> Tensor:
    """Round attention weights (..., T) to float16 in steps too small to see, so that files compress well."""
    steps = 2 ** math.ceil(math.log2(STEPS_PER_UNIFORM * attention.shape[-1]))
    return (attention * steps).round().div(steps).half()


def create_recorder(config: TrainConfig, dataset: DatasetInfo, eval_set: LabeledImages) -> TimelineRecorder:
    """Create a recorder on the sample images for CIFAR-10, else on one image per class of the evaluation set."""
    model, mask = config.model, None
    if dataset is CIFAR10:
        names, images = list(preprocessing.sample_paths()), preprocessing.load_samples(model.img_size)
    else:
        candidates, labels = eval_set
        first = {dataset.classes[label]: index for index, label in reversed(list(enumerate(labels.tolist())))}
        names = [name for name in dataset.classes if name in first][:MAX_IMAGES]
        images = candidates[[first[name] for name in names]].cpu()
    inputs = augmentation.normalize(images.to(eval_set[0].device), dataset.mean, dataset.std)
    shape = (model.depth, model.num_heads, model.num_tokens)
    if config.decoder is not None:
        mask = random_mask(len(names), model.grid_size, config.mask_ratio)
    image_bytes = 0 if mask is None else 3 * math.prod(model.img_size)
    count = min(config.num_snapshots, max_snapshots(shape, len(names), len(dataset.classes), image_bytes))
    return TimelineRecorder(
        names, images, inputs, dataset.classes, model.grid_size, count, model.class_token, shape=shape, mask=mask
    )
