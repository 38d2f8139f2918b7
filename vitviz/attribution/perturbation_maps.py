"""Maps over the patches, computed from changed copies of an image and from gradients with respect to its pixels."""

import warnings
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from vitviz.attribution.context import BATCH_SIZE, BEFORE_BATCH, ForwardContext, Target, target_logit

Array = NDArray[np.float32]
NUM_POINTS = (24, 64, 128, 256)  # on the path of integrated gradients, until completeness holds
COMPLETENESS_TOLERANCE = 0.02  # of the logit difference, or of 1 if that is larger
BATCH_OF_GRADIENTS = 16  # points on the path per backward pass


def input_gradient(context: ForwardContext, target: Target) -> Array:
    """Sum of |d logit / d normalized pixel| over each patch, (N,) (Simonyan et al. 2014, arXiv 1312.6034, sec. 3)."""
    return context.sum_over_patches(np.abs(context.image_gradient(target)))


def input_gradient_pixels(context: ForwardContext, target: Target) -> Array:
    """Sum of |d logit / d normalized pixel| over the colors, (H, W); see `input_gradient`."""
    return np.abs(context.image_gradient(target)).sum(0)


@dataclass(frozen=True)
class IntegratedGradients:
    """Integrated gradients and their completeness (Sundararajan et al. 2017, arXiv 1703.01365, proposition 1).

    Attributes:
        values: Attribution of each patch, in logits, (N,).
        expected: Target logit of the image minus that of the mean-color image, which the exact integral sums to.
        num_points: Points on the path.
    """

    values: Array
    expected: float
    num_points: int

    @property
    def residual(self) -> float:
        """Sum of the attributions minus `expected`, in logits."""
        return float(self.values.sum()) - self.expected

    @property
    def is_complete(self) -> bool:
        """Whether the residual is within `COMPLETENESS_TOLERANCE`."""
        return abs(self.residual) <= COMPLETENESS_TOLERANCE * max(1.0, abs(self.expected))


def integrated_gradients(context: ForwardContext, target: Target) -> Array:
    """Attribution of each patch along the straight path from the mean-color image; see `integrate_gradients`.

    Returns:
        In logits, of either sign, (N,).

    Warns:
        UserWarning: If the sum does not match the logit difference even with the largest number of points; figures
            print the note, too.
    """
    found = integrate_gradients(context, target)
    if not found.is_complete:
        note = f"not complete: the sum is {found.values.sum():.2f}, the logits differ by {found.expected:.2f}"
        context.notes["integrated_gradients", target] = note
        warnings.warn(f"Integrated gradients with {found.num_points} points are {note}.", stacklevel=2)
    return found.values


def integrate_gradients(context: ForwardContext, target: Target) -> IntegratedGradients:
    """Integrate the gradients with more and more points until their sum matches the logit difference.

    Sundararajan et al. 2017 (arXiv 1703.01365, section 3): the mean gradient over the path times the path, summed over
    the patch. Logits change fastest near mean color, so the points are denser there: at u^2 of the path, each with the
    weight 2 u du, where u are midpoints.
    """
    ends = torch.stack([context.image, torch.zeros_like(context.image)])
    first, last = target_logit(torch.from_numpy(context.predict(ends)), target).tolist()
    for num_points in NUM_POINTS:
        values = context.sum_over_patches(path_integral(context, target, num_points))
        found = IntegratedGradients(values, first - last, num_points)
        if found.is_complete:
            break
    return found


def path_integral(context: ForwardContext, target: Target, num_points: int) -> Array:
    """Return the integrated gradients of the pixels with this number of points, (3, H, W)."""
    u = (torch.arange(num_points) + 0.5) / num_points
    points = torch.stack([u**2, 2 * u / num_points]).to(context.image)[..., None, None, None]  # (2, n, 1, 1, 1)
    total = torch.zeros_like(context.image)
    size = context.batch_size(BATCH_OF_GRADIENTS, 2**23 // context.config.depth)  # a backward pass holds all layers
    for fractions, weights in points.split(size, 1):
        BEFORE_BATCH.get()(fractions.shape[0])
        with torch.inference_mode(False), torch.enable_grad():
            images = (fractions * context.image).requires_grad_()  # (n, 3, H, W)
            logits = context.model(images, context.batched_keep(len(images)), context.interventions)
            (grads,) = torch.autograd.grad(target_logit(logits, target).sum(), images)
        total += (weights * grads).sum(0)
    return (total * context.image).float().cpu().numpy()


def occlusion(context: ForwardContext, target: Target) -> Array:
    """Decrease of the logit when a single patch is painted in the mean color, (N,).

    Zeiler & Fergus 2014 (arXiv 1311.2901, section 4.2). Positive where the patch supports the class.
    """
    one_patch = torch.eye(context.config.num_patches, dtype=torch.bool)  # (N, N)
    occluded = [context.predict(context.mask_patches(part)) for part in one_patch.split(BATCH_SIZE)]
    logits = np.concatenate([context.logits[None], *occluded])  # (1 + N, K)
    whole, *others = target_logit(torch.from_numpy(logits), target).tolist()
    return (whole - np.array(others)).astype(np.float32)


def random(context: ForwardContext, target: Target) -> Array:
    """Random ranking of an image's patches, a permutation of 1 / N, 2 / N ... 1: the baseline for all methods."""
    N = context.config.num_patches
    return ((np.random.default_rng(context.seed).permutation(N) + 1) / N).astype(np.float32)
