"""Faithfulness of maps: does the prediction fall when the patches that a map marks as important are removed?

Deletion and insertion (Petsiuk et al. 2018, RISE, arXiv 1806.07421, section 4.3) at the granularity of patches, with
four ways to remove a patch and random rankings as the baseline. A method that does not beat random rankings over many
images does not say what the prediction depends on. Scores of single images are noisy (Tomsett et al. 2020, arXiv
1912.01451).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from operator import index
from typing import Any, Literal, cast, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vitviz.attribution.context import ForwardContext
from vitviz.attribution.imputation import impute_noisy
from vitviz.errors import InvalidValueError
from vitviz.models.config import ViTConfig

Array = NDArray[np.float32]
Baseline = Literal["mean", "blur", "road", "drop"]
BASELINES: dict[Baseline, str] = {
    "mean": "painted in the dataset's mean color",
    "blur": "replaced by a blurred copy (Gaussian, sigma an eighth of the image)",
    "road": "imputed from the pixels around them, with a little noise (ROAD)",
    "drop": "left out: their tokens never enter the network",
}
STEPS = 16  # until all patches are removed
IMAGES_PER_BATCH = 32  # changed images in memory; the fastest batch size on a CPU
N_RANDOM = 20  # random rankings of the baseline


@dataclass(frozen=True)
class Score:
    """Deletion and insertion of one ranking of the patches: areas under curves of probability, 0..1.

    Attributes:
        deletion: While patches are removed in this order; low if the most important ones come first.
        insertion: While patches are put back in this order; high if the most important ones come first. It is also the
            deletion of the reverse ranking, point for point.
    """

    deletion: float
    insertion: float

    @property
    def gap(self) -> float:
        """Insertion minus deletion: 0 for random rankings on average, below 0 is worse than random."""
        return self.insertion - self.deletion

    def probability_drop(self, start: float) -> float:
        """Fraction of the class's initial probability that is lost while patches are removed, mean over the steps."""
        return 1 - self.deletion / start if start else 0.0


@dataclass(frozen=True)
class FaithfulnessScores:
    """Faithfulness scores of one image: of each method, and of random rankings."""

    scores: dict[str, Score]
    random_baseline: list[Score]


@dataclass(frozen=True)
class MethodScore(Score):
    """`Score` of one method's map of one image, next to random rankings.

    Attributes:
        random_deletion: Deletion of random rankings, mean; also their mean insertion, as each comes with its reverse.
        random_gap_std: Standard deviation of the gap over the random rankings, whose mean is 0.
        n_random: Number of random rankings.
        greedy_deletion: Deletion of the greedy order of removal; None if it was not scored.
    """

    random_deletion: float
    random_gap_std: float
    n_random: int
    greedy_deletion: float | None = None

    @property
    def fraction_of_greedy(self) -> float | None:
        """Deletion score on a scale from random rankings, 0, to the greedy order, 1; None without that order.

        Below 0 is worse than random; above 1 is better than the greedy order, which is no bound: exchanging patches in
        it can lower the probability further. None, too, if the greedy order is not better than random.
        """
        if self.greedy_deletion is None or self.greedy_deletion >= self.random_deletion:
            return None
        return (self.random_deletion - self.deletion) / (self.random_deletion - self.greedy_deletion)


def method_score(scores: FaithfulnessScores, method: str) -> MethodScore:
    """Return the score of one method with the random baseline and, if it was scored, the method "greedy" beside."""
    baseline, found = scores.random_baseline, scores.scores[method]
    mean, std = float(np.mean([one.deletion for one in baseline])), float(np.std([one.gap for one in baseline]))
    greedy = scores.scores["greedy"].deletion if "greedy" in scores.scores else None
    return MethodScore(found.deletion, found.insertion, mean, std, len(baseline), greedy)


def baselines_for(config: ViTConfig) -> dict[Baseline, str]:
    """Return the baselines that a model supports: the mean of zero patches is undefined."""
    return {name: about for name, about in BASELINES.items() if name != "drop" or config.can_drop_patches}


def ranking_of(values: Array, shuffled: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rank the patches (N,) from the largest value to the smallest, ties in the order of `shuffled`, a permutation."""
    return shuffled[np.argsort(-values[shuffled], kind="stable")]


def deletion_steps(patches: int, steps: int = STEPS) -> NDArray[np.int64]:
    """Return the number of removed patches at each step, (S + 1,): from none to all, symmetric.

    An odd number of patches cannot be halved, so they are removed in an odd number of steps.
    """
    steps -= patches % 2 == 1 and steps % 2 == 0
    first = np.array([round(step * patches / steps) for step in range(steps // 2 + 1)])
    last = patches - first[: steps - steps // 2][::-1]
    return np.concatenate([first, last])


def deletion_curves(
    context: ForwardContext, rankings: NDArray[np.int64], target: int, baseline: Baseline, steps: int = STEPS
) -> Array:
    """Return the class's probability while patches are removed.

    Args:
        context: The image in the model.
        rankings: Order in which the patches are removed, (M, N), each row a permutation.
        target: The class.
        baseline: Replacement of removed patches; see `BASELINES`.
        steps: Number of steps (S).

    Returns:
        (M, S + 1). All curves start at the image's probability and end at that of the baseline alone.

    Raises:
        ValueError: If the baseline is unknown or the model does not support it.
    """
    if baseline not in get_args(Baseline):
        raise InvalidValueError("baseline", f"one of {', '.join(BASELINES)}", baseline)
    if baseline not in baselines_for(context.config):
        raise ValueError(
            "Dropping all patches needs a head that reads the class token: that of "
            f"{context.checkpoint.name} reads the mean of the patches. Use mean or blur."
        )
    if baseline == "drop" and context.keep is not None:
        raise ValueError("The baseline drop needs all patches: some are removed already. Use mean or blur.")
    M, N = rankings.shape
    removed = deletion_steps(N, steps)
    curves = np.empty((M, len(removed)), np.float32)
    if baseline == "drop":
        for step, count in enumerate(removed):
            distinct = 1 if count in (0, N) else M  # all rankings share both ends
            kept = np.sort(rankings[:distinct, count:], axis=1)  # (M, N - count)
            images = context.image.expand(distinct, -1, -1, -1)
            logits = context.predict(images, torch.from_numpy(kept).to(images.device))
            curves[:, step] = context.probabilities(logits)[:, target]
        return curves
    ranks = np.argsort(rankings, axis=1)  # (M, N), position of each patch in the ranking
    masked = torch.from_numpy(ranks[:, None] < removed[1:-1, None])  # (M, S - 1, N)
    image = blur(context.image) if baseline == "blur" else torch.zeros_like(context.image)
    parts = masked.flatten(0, 1).split(IMAGES_PER_BATCH)
    if baseline == "road":
        changed = (impute_noisy(context.image, context.patches_to_pixels(part), context.seed) for part in parts)
    else:
        changed = (context.mask_patches(part, image) for part in parts)
    masked_logits = [context.predict(images) for images in changed]
    curves[:, 1:-1] = context.probabilities(np.concatenate(masked_logits))[:, target].reshape(M, -1)
    curves[:, 0], curves[:, -1] = context.probabilities(context.predict(torch.stack([context.image, image])))[:, target]
    return curves


def blur(image: Tensor) -> Tensor:
    """Blur an image (3, H, W) until only large shapes remain."""
    from torchvision.transforms.v2 import functional as vision  # only this baseline needs it

    sigma = max(image.shape[1:]) / 8
    size = 2 * min(round(2 * sigma), min(image.shape[1:]) - 1) + 1  # kernel size, bounded by reflection padding
    return vision.gaussian_blur(image, [size, size], [sigma, sigma])


def flatten_maps(context: ForwardContext, maps: Mapping[str, Array]) -> dict[str, Array]:
    """Return maps as (N,); ValueError if a map has another size, or values that are NaN or infinite."""
    flat = {name: np.asarray(values, np.float32).ravel() for name, values in maps.items()}
    for name, values in flat.items():
        if len(values) != context.config.num_patches or not np.isfinite(values).all():
            raise ValueError(
                f"A map must have one finite number for each of {context.config.num_patches} patches: {name} has "
                f"{np.isfinite(values).sum()}."
            )
    return flat


def area_under_curve(curve: Array) -> float:
    """Area under a curve (S + 1,) by the trapezoidal rule, with the x axis from 0 to 1."""
    return float((curve.sum() - (curve[0] + curve[-1]) / 2) / (len(curve) - 1))


def check_class(context: ForwardContext, target: object) -> int:
    """Return a class index as an int; ValueError if it is not the index of a class, or the model has no head."""
    if not context.config.num_classes:
        name = context.checkpoint.name
        raise ValueError(f"Faithfulness is measured on a probability: {name} has no classification head.")
    try:
        position = index(cast(Any, target))
    except TypeError:
        position = -1
    if not 0 <= position < context.config.num_classes:
        raise InvalidValueError("target", f"one class, 0 to {context.config.num_classes - 1}", target)
    return position


def score(
    context: ForwardContext,
    maps: Mapping[str, Array],
    target: int,
    baseline: Baseline = "mean",
    steps: int = STEPS,
    n_random: int = N_RANDOM,
) -> FaithfulnessScores:
    """Score maps of an image and random rankings.

    Args:
        context: The image in the model.
        maps: One value per patch, (N,) or (gh, gw), by method.
        target: The class whose probability is measured.
        baseline: Replacement of removed patches; see `BASELINES`.
        steps: Steps in which the patches are removed, at least 1.
        n_random: Number of random rankings, even: half of them and their reverses, drawn with the image's seed.

    Raises:
        ValueError: If a map, the class, the baseline or a number is invalid.
    """
    patches = context.config.num_patches
    target = check_class(context, target)
    are_integers = isinstance(steps, int) and isinstance(n_random, int)
    if not are_integers or steps < 1 or n_random < 2 or n_random % 2:
        problem = "steps must be an integer of at least 1, n_random even and at least 2"
        raise ValueError(f"{problem}: got {steps} and {n_random}.")
    generator = np.random.default_rng(context.seed)
    shuffled = generator.permutation(patches)
    rankings = [ranking_of(values, shuffled) for values in flatten_maps(context, maps).values()]
    rankings += [generator.permutation(patches) for _ in range(n_random // 2)]  # their reverses are the other half
    both = np.stack([*rankings, *(ranking[::-1] for ranking in rankings)])  # (2 M, N)
    areas = [area_under_curve(curve) for curve in deletion_curves(context, both, target, baseline, steps)]
    pairs = list(zip(areas[: len(rankings)], areas[len(rankings) :], strict=True))
    scores = {name: Score(*pair) for name, pair in zip(maps, pairs, strict=False)}
    random_baseline = [Score(*pair) for one in pairs[len(maps) :] for pair in (one, one[::-1])]
    return FaithfulnessScores(scores, random_baseline)


def correlation(one: NDArray[Any], other: NDArray[Any]) -> float:
    """Pearson correlation, or 0 if one of the two is constant."""
    return float(np.corrcoef(one, other)[0, 1]) if np.ptp(one) and np.ptp(other) else 0.0


def rank_correlation(one: Array, other: Array) -> float:
    """Spearman correlation: Pearson correlation of the ranks, with mean ranks for ties."""
    return correlation(ranks_of(one), ranks_of(other))


def ranks_of(values: Array) -> NDArray[np.float64]:
    """Ranks from 0, with mean ranks for ties."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts + 1) / 2)[places]
