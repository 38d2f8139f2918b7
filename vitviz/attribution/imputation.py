"""Noisy linear imputation: removed pixels become weighted means of their neighbors (ROAD).

Rong et al. 2022 (arXiv 2202.00449, section 4.2): each removed pixel equals the weighted mean of its eight neighbors,
removed or not, 1/6 for direct and 1/12 for diagonal ones; the linear system of all removed pixels is solved, and noise
is added.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

NOISE = 0.01  # standard deviation, in normalized pixels
TOLERANCE = 1e-5  # of the residual, relative to the right-hand side
WEIGHTS = ((1 / 12, 1 / 6, 1 / 12), (1 / 6, 0.0, 1 / 6), (1 / 12, 1 / 6, 1 / 12))


def impute(image: Tensor, masked: Tensor) -> Tensor:
    """Replace pixels by linear imputation, without noise.

    The system is a graph Laplacian, symmetric and positive definite; conjugate gradients solve it for all images and
    channels at once.

    Args:
        image: (3, H, W).
        masked: Pixels to replace, (n, H, W), bool. An image without other pixels becomes 0, the mean color.

    Returns:
        (n, 3, H, W), in the image's dtype.
    """
    kernel = torch.tensor(WEIGHTS, device=image.device)[None, None]
    pixels, unknown = image.float()[None], masked.to(image.device)[:, None].float()  # (1, 3, H, W), (n, 1, H, W)

    def neighbors(x: Tensor) -> Tensor:
        return F.conv2d(x.flatten(0, 1)[:, None], kernel, padding=1).view_as(x)

    degree = neighbors(torch.ones_like(pixels[:, :1]))  # (1, 1, H, W): less than 1 at the border
    residual = unknown * neighbors(pixels * (1 - unknown))  # (n, 3, H, W)
    solution, direction = torch.zeros_like(residual), residual
    norms = residual.square().sum((2, 3), keepdim=True)  # (n, 3, 1, 1)
    limit = TOLERANCE**2 * norms
    for _ in range(residual.shape[2] * residual.shape[3]):
        if (norms <= limit).all():
            break
        product = unknown * (degree * direction - neighbors(direction))
        energy = (direction * product).sum((2, 3), keepdim=True)
        step = torch.where(norms > limit, norms / energy.clamp_min(1e-30), 0)
        solution, residual = solution + step * direction, residual - step * product
        before, norms = norms, residual.square().sum((2, 3), keepdim=True)
        direction = residual + norms / before.clamp_min(1e-30) * direction
    return torch.where(unknown > 0, solution, pixels).to(image.dtype)


def impute_noisy(image: Tensor, masked: Tensor, seed: int) -> Tensor:
    """Replace pixels by linear imputation and noise of standard deviation `NOISE`; arguments as of `impute`."""
    noise = torch.randn(image.shape, generator=torch.Generator().manual_seed(seed)).to(image)
    return impute(image, masked) + NOISE * noise * masked.to(image.device)[:, None]
