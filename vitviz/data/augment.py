"""A batch of pictures -> the same pictures, varied, as batched tensor functions.

Pictures come in as uint8 (B, 3, H, W) and leave `normalise` as float; labels become rows of class weights (B, K), so
that mixed pictures need no special loss. Each function draws its own random numbers on the device of its input.
"""

import torch
import torch.nn.functional as F
from torch import Tensor


def shift_and_flip(images: Tensor, reach: int = 4) -> Tensor:
    """Move each picture by up to `reach` pixels (edges mirrored) and flip every second one, on average.

    The same as padding by reflection, cropping at random and flipping (He et al. 2016, section 4.2), in one gather.

    Args:
        images: (B, C, H, W), any dtype.
        reach: Largest shift in each direction (px), below the image's sides.

    Returns:
        (B, C, H, W), same dtype.
    """
    B, _, H, W = images.shape
    device = images.device
    rows = mirrored(
        torch.randint(-reach, reach + 1, (B, 1), device=device) + torch.arange(H, device=device), H
    )  # (B, H)
    columns = mirrored(torch.randint(-reach, reach + 1, (B, 1), device=device) + torch.arange(W, device=device), W)
    columns = torch.where(torch.rand(B, 1, device=device) < 0.5, columns, columns.flip(1))  # (B, W)
    batch = torch.arange(B, device=device)[:, None, None]
    return images[batch, :, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2)  # (B, C, H, W)


def mirrored(position: Tensor, side: int) -> Tensor:
    """Positions outside 0..side-1 -> their mirror images inside, the edge itself not doubled.

    Example:
        >>> mirrored(torch.tensor([-2, -1, 0, 3, 4, 5]), 4).tolist()
        [2, 1, 0, 3, 2, 1]
    """
    return side - 1 - (side - 1 - position.abs()).abs()


def normalise(images: Tensor, mean: tuple[float, ...], std: tuple[float, ...]) -> Tensor:
    """uint8 pictures (B, 3, H, W) -> float32 with mean 0 and deviation 1 by channel; mean and std are in 0..1."""
    shape = (1, -1, 1, 1)
    scale = torch.tensor(std, device=images.device).mul(255).view(shape)
    return (images - torch.tensor(mean, device=images.device).mul(255).view(shape)) / scale


def cutmix(images: Tensor, targets: Tensor, share: float) -> tuple[Tensor, Tensor]:
    """Paste a box of another picture of the batch, and mix the labels by area (Yun et al. 2019, arXiv 1905.04899).

    Args:
        images: (B, C, H, W).
        targets: Class weights (B, K).
        share: Part of the pictures that get a box, in 0..1. The box's area is uniform in 0..1 before it is cut at the
            picture's edges.

    Returns:
        Images (B, C, H, W) and targets (B, K); a row of targets keeps its sum.
    """
    B, _, H, W = images.shape
    device = images.device
    other = torch.randperm(B, device=device)
    side = torch.rand(B, device=device).sqrt() * (torch.rand(B, device=device) < share)  # of the picture's side
    box = inside(H, side)[:, :, None] & inside(W, side)[:, None, :]  # (B, H, W)
    area = box.float().mean((1, 2)).unsqueeze(1)  # (B, 1)
    return torch.where(box.unsqueeze(1), images[other], images), targets * (1 - area) + targets[other] * area


def inside(length: int, side: Tensor) -> Tensor:
    """Which of `length` pixels lie in an interval of `side` (B,) of the length, at a random place -> (B, length)."""
    centre = torch.rand(side.shape[0], device=side.device)
    pixel = (torch.arange(length, device=side.device) + 0.5) / length
    return (pixel - centre[:, None]).abs() < side[:, None] / 2


def one_hot(labels: Tensor, classes: int) -> Tensor:
    """Labels (B,) -> class weights (B, K)."""
    return F.one_hot(labels, classes).float()


def keep_patches(batch: int, patches: int, share: float, device: torch.device) -> Tensor | None:
    """Draw which patches of each picture to use (Liu et al. 2022, "PatchDropout", arXiv 2208.07220).

    Returns:
        Positions (B, n) with n = share * patches rounded, no position twice; None if all are used.
    """
    kept = max(1, round(share * patches))
    return None if kept >= patches else torch.rand(batch, patches, device=device).argsort(1)[:, :kept]
