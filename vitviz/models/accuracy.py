"""Accuracies in words, with no more digits than the number of images allows; `lib/accuracy.ts` on the page."""

import math

FEW = 100  # images: below, one image changes the accuracy by more than 1 %, and the counts are stated
Z = 1.96  # of a 95 % interval


def num_digits(images: int | None) -> int:
    """Return the number of decimals of an accuracy in percent that was measured on this many images."""
    return 0 if images and images < 1000 else 1


def accuracy_number(accuracy: float, images: int | None = None) -> str:
    """Return an accuracy: "93.3 %"; of fewer than 100 images their number, "15 of 16".

    Args:
        accuracy: Fraction of correct predictions, 0 to 1.
        images: The number of images it was measured on; None if it is unknown.
    """
    if images and images < FEW:
        return f"{round_half_up(accuracy * images):.0f} of {images}"
    digits = num_digits(images)
    return f"{round_half_up(100 * accuracy, digits):.{digits}f} %"


def accuracy_text(accuracy: float, images: int | None = None, split: str = "test") -> str:
    """Return an accuracy with its images and interval: "93.3 % (10,000 test images, 95 % interval 92.7 to 93.7)".

    Args:
        accuracy: Fraction of correct predictions, 0 to 1.
        images: The number of images it was measured on; None if it is unknown.
        split: The split of the images.
    """
    number = accuracy_number(accuracy, images)
    if not images:
        return f"{number} of the {split} images"
    if images < FEW:
        return f"{number} {split} images"
    digits = num_digits(images)
    low, high = (f"{100 * end:.{digits}f}" for end in wilson_interval(accuracy, images))
    return f"{number} ({images:,} {split} images, 95 % interval {low} to {high})"


def wilson_interval(proportion: float, count: float) -> tuple[float, float]:
    """Return the 95 % interval of a proportion (Wilson 1927, "Probable inference", doi:10.2307/2276774).

    An effective sample size need not be an integer.
    """
    scale = 1 + Z**2 / count
    center = proportion + Z**2 / (2 * count)
    half = Z * math.sqrt(proportion * (1 - proportion) / count + Z**2 / (4 * count**2))
    return (center - half) / scale, (center + half) / scale


def round_half_up(value: float, digits: int = 0) -> float:
    """Round a number as the page does."""
    return math.floor(value * 10**digits + 0.5) / 10**digits
