"""An image changed many times -> maps of what the change does to the logit."""

import numpy as np
import torch
from numpy.typing import NDArray

from vitviz.attribution.context import BATCH, ForwardContext, Target, logit_of

Array = NDArray[np.float32]
STEPS = 64  # of the path of integrated gradients


def input_gradient(case: ForwardContext, target: Target) -> Array:
    """How strongly the logit depends on a patch's pixels (Simonyan et al. 2014, arXiv 1312.6034, section 3).

    Returns:
        Sum over the patch of |d logit / d pixel|, by normalised pixels; at least 0, (N,).
    """
    return case.gather(np.abs(case.gradients(target).image))


def integrated_gradients(case: ForwardContext, target: Target) -> Array:
    """Each patch's share in the logit on the straight way from mean colour.

    Sundararajan et al. 2017 (arXiv 1703.01365, section 3): the mean of the gradients over the way, times the way,
    summed over the patch. A logit turns sharply near mean colour, so the 64 points stand closer there: at u^2 of the
    way, each for the 2 u du around it, with midpoints u.

    Returns:
        In logits, of either sign, (N,). Their sum is about the image's logit less that of an image of mean colour.
    """
    u = (torch.arange(STEPS) + 0.5) / STEPS
    points = torch.stack([u**2, 2 * u / STEPS]).to(case.image)[..., None, None, None]  # (2, n, 1, 1, 1)
    total = torch.zeros_like(case.image)
    for shares, weights in points.split(STEPS // 4, 1):
        with torch.inference_mode(False), torch.enable_grad():
            images = (shares * case.image).requires_grad_()  # (n, 3, H, W)
            (slopes,) = torch.autograd.grad(logit_of(case.model(images), target).sum(), images)
        total += (weights * slopes).sum(0)
    return case.gather((total * case.image).float().cpu().numpy())


def occlusion(case: ForwardContext, target: Target) -> Array:
    """What the logit loses when one patch is painted in mean colour.

    Zeiler & Fergus 2014 (arXiv 1311.2901, section 4.2), patch by patch.

    Returns:
        In logits, positive where the patch speaks for the class, (N,).
    """
    one = torch.eye(case.config.num_patches, dtype=torch.bool)  # (N, N)
    changed = [case.predict(case.without(part)) for part in one.split(BATCH)]
    logits = np.concatenate([case.logits[None], *changed])  # (1 + N, K)
    whole, *others = logit_of(torch.from_numpy(logits), target).tolist()
    return (whole - np.array(others)).astype(np.float32)


def random(case: ForwardContext, target: Target) -> Array:
    """No explanation at all: a random order of the patches, the same for the same image; what chance looks like.

    Returns:
        A permutation of 1 / N, 2 / N ... 1, (N,).
    """
    N = case.config.num_patches
    return ((np.random.default_rng(case.seed).permutation(N) + 1) / N).astype(np.float32)
