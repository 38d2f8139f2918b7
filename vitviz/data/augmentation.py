"""Batched data augmentation as tensor functions.

Images come in as uint8 (B, 3, H, W); `normalize` converts them to float32. Labels are class weights (B, K), so that
mixed images need no special loss. Random numbers are drawn per image, on the device of the input, and no shape depends
on them, so that the functions can be compiled.
"""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor


def random_crop_and_flip(images: Tensor, padding: int = 4, flip_prob: float = 0.5) -> Tensor:
    """Crop images (B, C, H, W) padded by reflection at a random place, and flip a fraction of them horizontally.

    `RandomCrop` with reflection padding (px, at most the side minus 1) and `RandomHorizontalFlip` (He et al. 2016,
    section 4.2), in one gather.
    """
    B, _, H, W = images.shape
    device = images.device
    rows, columns = random_shift_index(B, H, padding, device), random_shift_index(B, W, padding, device)
    columns = torch.where(torch.rand(B, 1, device=device) < flip_prob, columns, columns.flip(1))  # (B, W)
    batch = torch.arange(B, device=device)[:, None, None]
    return images[batch, :, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2)  # (B, C, H, W)


def random_shift_index(batch: int, side: int, padding: int, device: torch.device) -> Tensor:
    """Return the source index of each row or column under one random shift per image, (batch, side)."""
    padding = min(padding, side - 1)
    shift = torch.randint(-padding, padding + 1, (batch, 1), device=device)
    return reflect_index(shift + torch.arange(side, device=device), side)


def reflect_index(position: Tensor, side: int) -> Tensor:
    """Map positions outside 0..side-1 to their reflection inside, without repeating the edge.

    Example:
        >>> reflect_index(torch.tensor([-2, -1, 0, 3, 4, 5]), 4).tolist()
        [2, 1, 0, 3, 2, 1]
    """
    folded = torch.maximum(position, -position)  # `abs` of integers does not compile on every backend
    return torch.minimum(folded, 2 * (side - 1) - folded)


def normalize(images: Tensor, mean: tuple[float, ...], std: tuple[float, ...]) -> Tensor:
    """Convert uint8 images (B, 3, H, W) to float32 with the channel mean subtracted; mean and std are in 0..1."""
    shape = (1, -1, 1, 1)
    scale = torch.tensor(std, device=images.device).mul(255).view(shape)
    return (images - torch.tensor(mean, device=images.device).mul(255).view(shape)) / scale


def denormalize(images: Tensor, mean: tuple[float, ...], std: tuple[float, ...]) -> Tensor:
    """Convert normalized images (B, 3, H, W) to uint8, the inverse of `normalize`; values outside are clipped."""
    shift, scale = (torch.tensor(values, device=images.device).mul(255).view(1, -1, 1, 1) for values in (mean, std))
    return (images.float() * scale + shift).round().clamp(0, 255).to(torch.uint8)


def random_permutation(count: int, device: torch.device) -> Tensor:
    """Return a random permutation of 0..count-1.

    Not by `torch.randperm`: torch 2.11 cannot compile indexing by it (github.com/pytorch/pytorch/issues/158457).
    """
    return torch.rand(count, device=device).argsort()


def cutmix(images: Tensor, targets: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Paste a box of another image of the batch and mix the targets by area (Yun et al. 2019, arXiv 1905.04899).

    Args:
        images: (B, C, H, W).
        targets: Class weights (B, K).
        mask: Images to change, (B,) of bool. The box's area is uniform in 0..1 before clipping at the image's edges.

    Returns:
        Images (B, C, H, W) and targets (B, K), whose rows keep their sums.
    """
    B, _, H, W = images.shape
    device = images.device
    other = random_permutation(B, device)
    side = torch.rand(B, device=device).sqrt() * mask  # fraction of the image's side
    box = random_interval(H, side)[:, :, None] & random_interval(W, side)[:, None, :]  # (B, H, W)
    area = box.float().mean((1, 2)).unsqueeze(1)  # (B, 1)
    return torch.where(box.unsqueeze(1), images[other], images), targets * (1 - area) + targets[other] * area


def random_interval(length: int, side: Tensor) -> Tensor:
    """Return the mask (B, length) of an interval at a random place, with its length as a fraction `side` (B,)."""
    center = torch.rand(side.shape[0], device=side.device)
    pixel = (torch.arange(length, device=side.device) + 0.5) / length
    return (pixel - center[:, None]).abs() < side[:, None] / 2


def mixup(images: Tensor, targets: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Blend with another image of the batch, and mix the targets likewise (Zhang et al. 2018, arXiv 1710.09412).

    Arguments and results as for `cutmix`, with float images. The weight of the other image is uniform in 0..1, the
    paper's Beta(alpha, alpha) with alpha 1.
    """
    B, device = len(images), images.device
    other = random_permutation(B, device)
    weight = torch.rand(B, device=device) * mask  # (B,)
    return images.lerp(images[other], weight[:, None, None, None]), targets.lerp(targets[other], weight[:, None])


def random_erasing(images: Tensor, probability: float) -> Tensor:
    """Set a random box of normalized images (B, C, H, W) to 0, the mean (Zhong et al. 2020, arXiv 1708.04896).

    The box's area is 2 % to 33 % of the image before clipping at the edges, its aspect ratio 0.3 to 3.3.
    """
    B, _, H, W = images.shape
    device = images.device
    area = 0.02 + 0.31 * torch.rand(B, device=device)
    stretch = torch.exp((2 * torch.rand(B, device=device) - 1) * math.log(3.3)).sqrt()
    side = area.sqrt() * (torch.rand(B, device=device) < probability)  # (B,), fraction of the image's side
    box = random_interval(H, side * stretch)[:, :, None] & random_interval(W, side / stretch)[:, None, :]  # (B, H, W)
    return images.masked_fill(box.unsqueeze(1), 0.0)


def rgb_to_grayscale(images: Tensor) -> Tensor:
    """Convert images (B, 3, H, W) to luma (B, 1, H, W), with the ITU-R 601 weights of PIL."""
    return (images * images.new_tensor((0.299, 0.587, 0.114)).view(1, 3, 1, 1)).sum(1, keepdim=True)


def smooth(images: Tensor) -> Tensor:
    """Apply PIL's `SMOOTH` filter to images (B, 3, H, W): weight 5 at the center, 1 around it; edges are unchanged."""
    if min(images.shape[2:]) < 3:  # only edges
        return images
    result = images.clone()
    result[:, :, 1:-1, 1:-1] = (9 * F.avg_pool2d(images, 3, stride=1) + 4 * images[:, :, 1:-1, 1:-1]) / 13
    return result


def posterize(images: Tensor, amount: Tensor) -> Tensor:
    """Clear up to 4 of the 8 bits of each value."""
    step = 2.0 ** (4 * amount.abs()).round()
    return (images / step).floor() * step


def autocontrast(images: Tensor, amount: Tensor) -> Tensor:
    """Stretch the values of each channel to the full range."""
    low, high = images.amin((2, 3), keepdim=True), images.amax((2, 3), keepdim=True)
    return torch.where(high > low, (images - low) * 255 / (high - low).clamp(min=1), images)


def equalize(images: Tensor, amount: Tensor) -> Tensor:
    """Equalize the histogram of each channel, as PIL does."""
    values = images.round().long().flatten(2)  # (B, 3, H W)
    counts = torch.zeros(*values.shape[:2], 256, device=images.device)
    counts.scatter_add_(2, values, torch.ones_like(values, dtype=counts.dtype))
    highest = counts.gather(2, values.amax(2, keepdim=True))  # (B, 3, 1), pixels of the highest value
    step = ((values.shape[2] - highest) / 255).floor()
    table = ((counts.cumsum(2) - counts + (step / 2).floor()) / step.clamp(min=1)).floor().clamp(0, 255)
    return torch.where(step.unsqueeze(-1) > 0, table.gather(2, values).view_as(images), images)


# Operations of RandAugment (Cubuk et al. 2020, arXiv 1909.13719, section 3). Color operations take images (B, 3, H, W)
# in 0..255 and amounts (B, 1, 1, 1) in -1..1. Geometric operations are given by their extent at amount 1, as a fraction
# of the image's side or in radians.
COLOR_OPS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "brightness": lambda images, amount: images * (1 + 0.9 * amount),
    "saturation": lambda images, amount: rgb_to_grayscale(images).lerp(images, 1 + 0.9 * amount),
    "contrast": lambda images, amount: (
        rgb_to_grayscale(images).mean((2, 3), keepdim=True).lerp(images, 1 + 0.9 * amount)
    ),
    "sharpness": lambda images, amount: smooth(images).lerp(images, 1 + 0.9 * amount),
    "posterize": posterize,
    "solarize": lambda images, amount: torch.where(images >= 255 * (1 - amount.abs()), 255 - images, images),
    "autocontrast": autocontrast,
    "equalize": equalize,
}
GEOMETRIC_OPS = {"shear_x": 0.3, "shear_y": 0.3, "translate_x": 0.45, "translate_y": 0.45, "rotate": math.pi / 6}
OPS = ("identity", *COLOR_OPS, *GEOMETRIC_OPS)


def rand_augment(images: Tensor, num_ops: int, magnitude: float) -> Tensor:
    """Apply random operations of one magnitude to each image (RandAugment, Cubuk et al. 2020, arXiv 1909.13719).

    In each round every operation has the same number of slots, at least B in total, and each image draws one slot.
    Probabilities are those of the paper for any batch size, and each operation is computed about once per image that
    uses it. Geometric operations are composed into one affine map and applied last, so each image is resampled once.

    Args:
        images: uint8 (B, 3, H, W).
        num_ops: Operations per image, drawn from `OPS` with replacement; the paper's N.
        magnitude: 0..1, a tenth of the paper's M.

    Returns:
        uint8 (B, 3, H, W), mid-gray outside the original image.
    """
    B, device = len(images), images.device
    pixels = images.float()
    theta = torch.eye(3, device=device).expand(B, 3, 3)
    slots_per_op = math.ceil(B / len(OPS))
    slots = slots_per_op * len(OPS)
    op = torch.arange(slots, device=device) // slots_per_op
    for _ in range(num_ops):
        order = random_permutation(slots, device)  # entries from B on fill unused slots with any image
        amount = magnitude * (2 * torch.randint(2, (slots,), device=device) - 1)  # random sign
        chunks = pixels[order % B].split(slots_per_op), amount[:, None, None, None].split(slots_per_op)
        changed = [
            COLOR_OPS[name](chunk, by) if name in COLOR_OPS else chunk
            for name, chunk, by in zip(OPS, *chunks, strict=True)
        ]
        slot = order.argsort()[:B]
        pixels = torch.cat(changed)[slot].clamp(0, 255)  # (B, 3, H, W)
        theta = theta @ affine_matrices(op, amount, images.shape[2] / images.shape[3])[slot]  # (B, 3, 3)
    return warp(pixels, theta).round().to(torch.uint8)


def affine_matrices(op: Tensor, amount: Tensor, aspect: float) -> Tensor:
    """Return the affine map (B, 3, 3) of each operation (B,), in the normalized coordinates of `affine_grid`.

    Color operations give the identity. `aspect` is H / W of the images.
    """
    theta = torch.eye(3, device=op.device).repeat(len(op), 1, 1)  # (B, 3, 3)
    amounts = {name: amount * (op == OPS.index(name)) for name in GEOMETRIC_OPS}  # 0 for other operations
    angle = GEOMETRIC_OPS["rotate"] * amounts["rotate"]
    theta[:, 0, 0] = theta[:, 1, 1] = angle.cos()
    theta[:, 0, 1] = (GEOMETRIC_OPS["shear_x"] * amounts["shear_x"] - angle.sin()) * aspect
    theta[:, 1, 0] = (GEOMETRIC_OPS["shear_y"] * amounts["shear_y"] + angle.sin()) / aspect
    theta[:, 0, 2] = 2 * GEOMETRIC_OPS["translate_x"] * amounts["translate_x"]
    theta[:, 1, 2] = 2 * GEOMETRIC_OPS["translate_y"] * amounts["translate_y"]
    return theta


def warp(images: Tensor, theta: Tensor) -> Tensor:
    """Resample images (B, 3, H, W) in 0..255 by affine maps (B, 3, 3), mid-gray outside."""
    grid = F.affine_grid(theta[:, :2], list(images.shape), align_corners=False)  # (B, H, W, 2)
    return F.grid_sample(images - 128, grid, mode="bilinear", align_corners=False) + 128


def one_hot(labels: Tensor, num_classes: int) -> Tensor:
    """Convert labels (B,) to class weights (B, K)."""
    return F.one_hot(labels, num_classes).float()


def sample_patches(batch: int, num_patches: int, keep_rate: float, device: torch.device) -> Tensor | None:
    """Sample the patches that each image keeps (Liu et al. 2022, "PatchDropout", arXiv 2208.07220).

    Returns:
        Distinct positions (B, n) with n = keep_rate * num_patches, rounded; None if all are kept.
    """
    kept = max(1, round(keep_rate * num_patches))
    return None if kept >= num_patches else torch.rand(batch, num_patches, device=device).argsort(1)[:, :kept]
