"""Statistics that need many images: what heads look for, and when the class token decides.

It is measured once for a checkpoint and stored beside it, as `NAME.heads.npz`, or in the cache folder,
with the SHA-256 of the weights.
"""

import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import IO, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vitviz.attribution.class_token import SwapCurve, reads_class_token, swap_curve
from vitviz.attribution.head_factors import RELIABLE, HeadFactors, has_factors, head_factors, with_mean_query
from vitviz.attribution.stored import beside, cached, places
from vitviz.files import atomic_write, is_regular_file
from vitviz.models.attention_stats import max_batch_size
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.modes import own_modes
from vitviz.models.weights import weights_sha256

Array = NDArray[np.float32]
ENDING = ".heads.npz"


@dataclass(frozen=True)
class ImageStatistics:
    """What heads look for, and when the class token decides, measured over images.

    Attributes:
        factors: What heads look for.
        kept: Fraction of predictions that stay if the class token uses its mean query on every image, in 0..1; None
            of a model that does not classify, or has no class token.
        swap: When the class token decides; None of a model whose output is not read from it alone, or is constant.
    """

    factors: HeadFactors
    kept: float | None
    swap: SwapCurve | None

    @property
    def question(self) -> dict[str, Any]:
        """Share of the image-specific part of the query of the class token by layer, (L,), `kept` and `images`."""
        own = self.factors.image_specific.mean(1).tolist()
        return {"image_specific": own, "kept": self.kept, "images": self.factors.images}

    def summary(self) -> dict[str, Array]:
        """Return the arrays of `vitviz.attribution.probes.Probes`."""
        of = self.factors
        found = {
            "head_shares": np.stack([of.position, of.content, of.same_for_all, of.rest], -1),
            "image_specific": of.image_specific,
            "head_images": np.float32(of.images),
        }
        if self.swap is not None:
            found["follows_patches"] = self.swap.follows_patches
            found["follows_class_token"] = self.swap.follows_class_token
            found["pairs"] = np.float32(self.swap.pairs)
        return {name: np.asarray(value) for name, value in found.items()}


def passes(checkpoint: Checkpoint, images: int) -> int:
    """Return how many forward passes `measure` needs; 0 of too few images or a model without such scores."""
    if images < RELIABLE or not has_factors(checkpoint):
        return 0
    asked, swapped = can_fix_query(checkpoint), reads_class_token(checkpoint)
    return images * (2 + 2 * asked + swap_passes(checkpoint) * swapped)


def swap_passes(checkpoint: Checkpoint) -> int:
    """Return how many passes the swap of a class token takes: one, and half of one for each layer."""
    return 1 + checkpoint.config.depth // 2


def can_fix_query(checkpoint: Checkpoint) -> bool:
    """Whether a classifier has a class token, whose query can be fixed."""
    return checkpoint.is_classifier and checkpoint.config.class_token


def measure(checkpoint: Checkpoint, images: Tensor, report: Callable[[int], None]) -> ImageStatistics:
    """Measure uint8 images (B, 3, H, W), at least 128; `report` gets the number of passes done."""
    factors = head_factors(checkpoint, images, lambda done, _: report(done))
    kept = swap = None
    done = 2 * len(images)
    if can_fix_query(checkpoint):
        kept = kept_predictions(checkpoint, images, factors)
        done += 2 * len(images)
        report(done)
    if reads_class_token(checkpoint):
        swap = swap_curve(checkpoint, images, lambda swapped: report(done + swapped * swap_passes(checkpoint)))
    return ImageStatistics(factors, kept, swap)


@own_modes()
@torch.inference_mode()
def kept_predictions(checkpoint: Checkpoint, images: Tensor, factors: HeadFactors) -> float:
    """Return the fraction of images whose prediction stays if the class token uses its mean query on each."""
    model = checkpoint.network
    kept = 0
    for part in images.split(max_batch_size(checkpoint.config)):
        inputs = checkpoint.normalize(part)
        fixed = model(inputs, None, with_mean_query(model, factors, inputs))
        kept += int((model(inputs).argmax(1) == fixed.argmax(1)).sum())
    return kept / len(images)


def store(measured: ImageStatistics, checkpoint: Checkpoint) -> None:
    """Save what is not stored yet, where its folder can be written: beside a checkpoint of vitviz, or in the cache."""
    if load(checkpoint) is not None:
        return
    path = (beside(checkpoint, ENDING) if checkpoint.train_config else []) or [cached(checkpoint, ENDING)]
    with suppress(OSError), atomic_write(path[0]) as file:
        save(measured, checkpoint, file)


def save(measured: ImageStatistics, checkpoint: Checkpoint, file: IO[bytes]) -> None:
    """Write what was measured, in float16."""
    arrays: dict[str, Any] = {"sha256": np.array(weights_sha256(checkpoint.network))}
    arrays |= {f"factors.{name}": np.asarray(value) for name, value in vars(measured.factors).items()}
    if measured.swap is not None:
        arrays |= {f"swap.{name}": np.asarray(value) for name, value in vars(measured.swap).items()}
    if measured.kept is not None:
        arrays["kept"] = np.array(measured.kept)
    halves = {name: value.astype(np.float16) for name, value in arrays.items() if value.dtype == np.float32}
    np.savez_compressed(file, **arrays | halves)


def load(checkpoint: Checkpoint) -> ImageStatistics | None:
    """Return what is stored of a checkpoint; None if nothing is, or it is of other weights or damaged."""
    return next(filter(None, (read(path, checkpoint) for path in places(checkpoint, ENDING))), None)


def read(path: Path, checkpoint: Checkpoint) -> ImageStatistics | None:
    """Return the content of a file; None if it is not one of these weights, or damaged."""
    if not is_regular_file(path):
        return None
    try:
        with np.load(path, allow_pickle=False) as file:
            if str(file["sha256"]) != weights_sha256(checkpoint.network):
                return None
            factors = HeadFactors(**part_of(file, "factors", HeadFactors))
            kept = float(file["kept"]) if "kept" in file else None
            swap = SwapCurve(**part_of(file, "swap", SwapCurve)) if "swap.pairs" in file else None
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return None
    return ImageStatistics(factors, kept, swap)


def part_of(file: Any, part: str, kind: type[HeadFactors] | type[SwapCurve]) -> dict[str, Any]:
    """Return the arrays of a part of an .npz as float32, and its counts."""
    values = {field.name: file[f"{part}.{field.name}"] for field in fields(kind)}
    return {name: value.astype(np.float32) if value.ndim else int(value) for name, value in values.items()}
