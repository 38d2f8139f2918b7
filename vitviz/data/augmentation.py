"""A batch of images -> the same images, varied, as batched tensor functions.

Images come in as uint8 (B, 3, H, W) and leave `normalize` as float; labels become rows of class weights (B, K), so
that mixed images need no special loss. Each function draws its own random numbers for each image, on the device of
its input, and has shapes that do not depend on them, so that it can be compiled.
"""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor


def shift_and_flip(images: Tensor, reach: int = 4) -> Tensor:
    """Move each image by up to `reach` pixels (edges reflect_index) and flip every second one, on average.

    The same as padding by reflection, cropping at random and flipping (He et al. 2016, section 4.2), in one gather.

    Args:
        images: (B, C, H, W), any dtype.
        reach: Largest shift in each direction (px); less where a side has no more to mirror.

    Returns:
        (B, C, H, W), same dtype.
    """
    B, _, H, W = images.shape
    device = images.device
    rows, columns = shifted_index(B, H, reach, device), shifted_index(B, W, reach, device)
    columns = torch.where(torch.rand(B, 1, device=device) < 0.5, columns, columns.flip(1))  # (B, W)
    batch = torch.arange(B, device=device)[:, None, None]
    return images[batch, :, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2)  # (B, C, H, W)


def shifted_index(batch: int, side: int, reach: int, device: torch.device) -> Tensor:
    """Where each of so many images looks for its rows, or its columns: (batch, side)."""
    reach = min(reach, side - 1)
    shift = torch.randint(-reach, reach + 1, (batch, 1), device=device)
    return reflect_index(shift + torch.arange(side, device=device), side)


def reflect_index(position: Tensor, side: int) -> Tensor:
    """Positions outside 0..side-1 -> their mirror images inside, the edge itself not doubled.

    Example:
        >>> reflect_index(torch.tensor([-2, -1, 0, 3, 4, 5]), 4).tolist()
        [2, 1, 0, 3, 2, 1]
    """
    folded = torch.maximum(position, -position)  # `abs` of whole numbers does not compile everywhere
    return torch.minimum(folded, 2 * (side - 1) - folded)


def normalize(images: Tensor, mean: tuple[float, ...], std: tuple[float, ...]) -> Tensor:
    """uint8 images (B, 3, H, W) -> float32 with mean 0 and deviation 1 by channel; mean and std are in 0..1."""
    shape = (1, -1, 1, 1)
    scale = torch.tensor(std, device=images.device).mul(255).view(shape)
    return (images - torch.tensor(mean, device=images.device).mul(255).view(shape)) / scale


def permutation(count: int, device: torch.device) -> Tensor:
    """A random order of so many, (count,).

    Not by `torch.randperm`: torch 2.11 cannot compile indexing by it (github.com/pytorch/pytorch/issues/158457).
    """
    return torch.rand(count, device=device).argsort()


def cutmix(images: Tensor, targets: Tensor, chosen: Tensor) -> tuple[Tensor, Tensor]:
    """Paste a box of another image of the batch, and mix the labels by area (Yun et al. 2019, arXiv 1905.04899).

    Args:
        images: (B, C, H, W).
        targets: Class weights (B, K).
        chosen: Which images get a box, (B,) of bool. The box's area is uniform in 0..1 before it is cut at the
            image's edges.

    Returns:
        Images (B, C, H, W) and targets (B, K); a row of targets keeps its sum.
    """
    B, _, H, W = images.shape
    device = images.device
    other = permutation(B, device)
    side = torch.rand(B, device=device).sqrt() * chosen  # of the image's side
    box = inside(H, side)[:, :, None] & inside(W, side)[:, None, :]  # (B, H, W)
    area = box.float().mean((1, 2)).unsqueeze(1)  # (B, 1)
    return torch.where(box.unsqueeze(1), images[other], images), targets * (1 - area) + targets[other] * area


def inside(length: int, side: Tensor) -> Tensor:
    """Which of `length` pixels lie in an interval of `side` (B,) of the length, at a random place -> (B, length)."""
    centre = torch.rand(side.shape[0], device=side.device)
    pixel = (torch.arange(length, device=side.device) + 0.5) / length
    return (pixel - centre[:, None]).abs() < side[:, None] / 2


def mixup(images: Tensor, targets: Tensor, chosen: Tensor) -> tuple[Tensor, Tensor]:
    """Fade another image of the batch in, and mix the labels likewise (Zhang et al. 2018, arXiv 1710.09412).

    Args:
        images: (B, C, H, W), float.
        targets: Class weights (B, K).
        chosen: Which images are mixed, (B,) of bool. The weight of the other image is uniform in 0..1, which is the
            paper's Beta(alpha, alpha) with alpha 1.

    Returns:
        Images (B, C, H, W) and targets (B, K); a row of targets keeps its sum.
    """
    B, device = len(images), images.device
    other = permutation(B, device)
    weight = torch.rand(B, device=device) * chosen  # (B,)
    return images.lerp(images[other], weight[:, None, None, None]), targets.lerp(targets[other], weight[:, None])


def erase(images: Tensor, share: float) -> Tensor:
    """Blank a box in some images (Zhong et al. 2020, arXiv 1708.04896).

    Args:
        images: (B, C, H, W), normalised: blank is 0, the data set's mean.
        share: LabeledImages of the images that lose a box, in 0..1. Its area is 2 % to 33 % of the image before it is cut at
            the edges, its sides' ratio 0.3 to 3.3.

    Returns:
        (B, C, H, W).
    """
    B, _, H, W = images.shape
    device = images.device
    area = 0.02 + 0.31 * torch.rand(B, device=device)
    stretch = torch.exp((2 * torch.rand(B, device=device) - 1) * math.log(3.3)).sqrt()
    side = area.sqrt() * (torch.rand(B, device=device) < share)  # (B,), of the image's side
    box = inside(H, side * stretch)[:, :, None] & inside(W, side / stretch)[:, None, :]  # (B, H, W)
    return images.masked_fill(box.unsqueeze(1), 0.0)


def grey(pixels: Tensor) -> Tensor:
    """Brightness of images (B, 3, H, W) -> (B, 1, H, W), by the weights of ITU-R 601 as in PIL."""
    return (pixels * pixels.new_tensor((0.299, 0.587, 0.114)).view(1, 3, 1, 1)).sum(1, keepdim=True)


def blur(pixels: Tensor) -> Tensor:
    """Images (B, 3, H, W) through the smoothing filter of PIL's sharpness: 5 in the middle, 1 around; edges stay."""
    if min(pixels.shape[2:]) < 3:  # all edge
        return pixels
    result = pixels.clone()
    result[:, :, 1:-1, 1:-1] = (9 * F.avg_pool2d(pixels, 3, stride=1) + 4 * pixels[:, :, 1:-1, 1:-1]) / 13
    return result


def posterize(pixels: Tensor, amount: Tensor) -> Tensor:
    """Drop up to 4 of the 8 bits of each level."""
    step = 2.0 ** (4 * amount.abs()).round()
    return (pixels / step).floor() * step


def autocontrast(pixels: Tensor, amount: Tensor) -> Tensor:
    """Stretch each channel's levels over the whole range."""
    low, high = pixels.amin((2, 3), keepdim=True), pixels.amax((2, 3), keepdim=True)
    return torch.where(high > low, (pixels - low) * 255 / (high - low).clamp(min=1), pixels)


def equalize(pixels: Tensor, amount: Tensor) -> Tensor:
    """Spread each channel's levels so that all are about equally frequent, as PIL does."""
    values = pixels.round().long().flatten(2)  # (B, 3, H W)
    counts = torch.zeros(*values.shape[:2], 256, device=pixels.device)
    counts.scatter_add_(2, values, torch.ones_like(values, dtype=counts.dtype))
    highest = counts.gather(2, values.amax(2, keepdim=True))  # (B, 3, 1), pixels of the highest level
    step = ((values.shape[2] - highest) / 255).floor()
    table = ((counts.cumsum(2) - counts + (step / 2).floor()) / step.clamp(min=1)).floor().clamp(0, 255)
    return torch.where(step.unsqueeze(-1) > 0, table.gather(2, values).view_as(pixels), pixels)


# The operations of RandAugment (Cubuk et al. 2020, arXiv 1909.13719, section 3). Those of colour take images
# (B, 3, H, W) in 0..255 and amounts (B, 1, 1, 1) in -1..1; those of place say how far they go at 1, in sides of the
# image or in radians.
COLOURS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "brightness": lambda pixels, amount: pixels * (1 + 0.9 * amount),
    "saturation": lambda pixels, amount: grey(pixels).lerp(pixels, 1 + 0.9 * amount),
    "contrast": lambda pixels, amount: grey(pixels).mean((2, 3), keepdim=True).lerp(pixels, 1 + 0.9 * amount),
    "sharpness": lambda pixels, amount: blur(pixels).lerp(pixels, 1 + 0.9 * amount),
    "posterize": posterize,
    "solarise": lambda pixels, amount: torch.where(pixels >= 255 * (1 - amount.abs()), 255 - pixels, pixels),
    "autocontrast": autocontrast,
    "equalize": equalize,
}
MOVES = {"shear_x": 0.3, "shear_y": 0.3, "shift_x": 0.45, "shift_y": 0.45, "rotate": math.pi / 6}
OPERATIONS = ("identity", *COLOURS, *MOVES)


def rand_augment(images: Tensor, operations: int, strength: float) -> Tensor:
    """Change each image by its own draw of operations, all of one strength (Cubuk et al. 2020, arXiv 1909.13719).

    Each time, every operation has the same number of places, at least as many together as there are images, and each
    image is drawn to one of them: its chances are those of the paper, however many images there are, and each
    operation is computed hardly more often than it is wanted. Moves are gathered into one affine map and done
    last, so an image is resampled once.

    Args:
        images: uint8 (B, 3, H, W).
        operations: How many each image gets, drawn from `OPERATIONS` with replacement; the paper's N.
        strength: 0..1; the paper's M is ten times that.

    Returns:
        uint8 (B, 3, H, W). What comes in from outside the image is mid-grey.
    """
    B, device = len(images), images.device
    pixels = images.float()
    place = torch.eye(3, device=device).expand(B, 3, 3)
    share = math.ceil(B / len(OPERATIONS))  # places of each operation
    places = share * len(OPERATIONS)
    choice = torch.arange(places, device=device) // share
    for _ in range(operations):
        order = permutation(places, device)  # numbers from B on stand for no image: any may fill their places
        amount = strength * (2 * torch.randint(2, (places,), device=device) - 1)  # to either side
        parts = zip(OPERATIONS, pixels[order % B].split(share), amount[:, None, None, None].split(share), strict=True)
        changed = [COLOURS[name](part, by) if name in COLOURS else part for name, part, by in parts]
        back = order.argsort()[:B]
        pixels = torch.cat(changed)[back].clamp(0, 255)  # (B, 3, H, W)
        place = place @ move(choice, amount, images.shape[2] / images.shape[3])[back]  # (B, 3, 3)
    return resample(pixels, place).round().to(torch.uint8)


def move(choice: Tensor, amount: Tensor, shape: float) -> Tensor:
    """The affine map (B, 3, 3) of each choice (B,), in half heights and half widths around the middle.

    What is no move is the identity. The shape is that of the images, H / W.
    """
    place = torch.eye(3, device=choice.device).repeat(len(choice), 1, 1)  # (B, 3, 3)
    chosen = {name: amount * (choice == OPERATIONS.index(name)) for name in MOVES}  # 0 where it is not chosen
    angle = MOVES["rotate"] * chosen["rotate"]
    place[:, 0, 0] = place[:, 1, 1] = angle.cos()
    place[:, 0, 1] = (MOVES["shear_x"] * chosen["shear_x"] - angle.sin()) * shape
    place[:, 1, 0] = (MOVES["shear_y"] * chosen["shear_y"] + angle.sin()) / shape
    place[:, 0, 2] = 2 * MOVES["shift_x"] * chosen["shift_x"]
    place[:, 1, 2] = 2 * MOVES["shift_y"] * chosen["shift_y"]
    return place


def resample(pixels: Tensor, place: Tensor) -> Tensor:
    """Look up each pixel of images (B, 3, H, W), 0..255, where its affine map (B, 3, 3) says; outside is mid-grey."""
    grid = F.affine_grid(place[:, :2], list(pixels.shape), align_corners=False)  # (B, H, W, 2)
    return F.grid_sample(pixels - 128, grid, mode="bilinear", align_corners=False) + 128


def one_hot(labels: Tensor, classes: int) -> Tensor:
    """Labels (B,) -> class weights (B, K)."""
    return F.one_hot(labels, classes).float()


def keep_patches(batch: int, patches: int, share: float, device: torch.device) -> Tensor | None:
    """Draw which patches of each image to use (Liu et al. 2022, "PatchDropout", arXiv 2208.07220).

    Returns:
        Positions (B, n) with n = share * patches rounded, no position twice; None if all are used.
    """
    kept = max(1, round(share * patches))
    return None if kept >= patches else torch.rand(batch, patches, device=device).argsort(1)[:, :kept]
