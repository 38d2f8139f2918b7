"""Maps of an image -> what they are worth: does the prediction fall when what a map points at is taken away?

Deletion and insertion (Petsiuk et al. 2018, RISE, arXiv 1806.07421, section 4.3) at the granularity of patches, with
three ways to take a patch away, and beside them what chance reaches. A method that is no better than a random order has
shown nothing. Single images are noise: look at many (Tomsett et al. 2020, arXiv 1912.01451).
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from operator import index
from typing import Any, Literal, cast, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torchvision.transforms.v2 import functional as vision

from vitviz.attribution.context import ForwardContext, Target, logit_of, softmax
from vitviz.models.config import ViTConfig

Array = NDArray[np.float32]
Baseline = Literal["mean", "blur", "drop"]
BASELINES: dict[Baseline, str] = {
    "mean": "painted in the data set's mean colour",
    "blur": "replaced by a blur copy (Gaussian, a sigma of an eighth of the image)",
    "drop": "left out: their tokens never reach the network",
}
STEPS = 16  # in which all patches are taken away
AT_ONCE = 32  # changed images in memory; a processor is quickest with about so many
N_RANDOM = 20  # random orders that tell what chance reaches


@dataclass(frozen=True)
class Score:
    """What one order of the patches is worth; areas under curves of probability, 0..1.

    Attributes:
        deletion: While patches are taken away in this order. A low one says that the order finds what matters.
        insertion: While they are put back in this order, from nothing. A high one is good. It is also the deletion of
            the reverse order, point for point.
    """

    deletion: float
    insertion: float

    @property
    def gap(self) -> float:
        """Insertion less deletion: 0 by chance, on average; below 0 is worse than chance."""
        return self.insertion - self.deletion

    def lost(self, start: float) -> float:
        """The share of the class's probability at the start that is gone, on average, while patches are taken away."""
        return 1 - self.deletion / start if start else 0.0


@dataclass(frozen=True)
class FaithfulnessScores:
    """The scores of one image.

    Attributes:
        scores: Of each method.
        chance: Of random orders.
    """

    scores: dict[str, Score]
    chance: list[Score]


def baselines_for(config: ViTConfig) -> dict[Baseline, str]:
    """The baselines that a model can be tested with: the mean of no patches is no number."""
    return {name: about for name, about in BASELINES.items() if name != "drop" or config.global_pool == "token"}


def ranking_of(values: Array, shuffled: NDArray[np.int64]) -> NDArray[np.int64]:
    """The patches (N,) from the largest value to the smallest; equal ones in the order of `shuffled`, all N patches."""
    return shuffled[np.argsort(-values[shuffled], kind="stable")]


def moments(patches: int, steps: int = STEPS) -> NDArray[np.int64]:
    """How many patches are gone at each step, (S + 1,): from none to all, the same from both ends.

    An odd number of patches has no middle, so they are taken away in an odd number of steps.
    """
    steps -= patches % 2 == 1 and steps % 2 == 0
    first = np.array([round(step * patches / steps) for step in range(steps // 2 + 1)])
    last = patches - first[: steps - steps // 2][::-1]
    return np.concatenate([first, last])


def deletion_curves(
    case: ForwardContext, orders: NDArray[np.int64], target: int, baseline: Baseline, steps: int = STEPS
) -> Array:
    """The class's probability while patches are taken away.

    Args:
        case: The image in the model.
        orders: Which patch goes when, (M, N), each row a permutation.
        target: The class.
        baseline: What a patch that is gone is replaced by; see `BASELINES`.
        steps: In how many steps (S).

    Returns:
        (M, S + 1). All begin at the image's probability and end at that of nothing.

    Raises:
        ValueError: If there is no such baseline, or not for this model.
    """
    if baseline not in get_args(Baseline):
        raise ValueError(f"baseline must be one of {', '.join(BASELINES)}: got {str(baseline)[:40]!r}.")
    if baseline not in baselines_for(case.config):
        raise ValueError(
            "Leaving out all patches needs a head that reads the class token: that of "
            f"{case.checkpoint.name} reads the mean of the patches. Use mean or blur."
        )
    M, N = orders.shape
    gone = moments(N, steps)
    curves = np.empty((M, len(gone)), np.float32)
    if baseline == "drop":
        for step, count in enumerate(gone):
            once = 1 if count in (0, N) else M  # all orders agree on the ends
            kept = torch.from_numpy(np.sort(orders[:once, count:], axis=1)).to(case.image.device)  # (M, N - count)
            logits = case.predict(case.image.expand(once, -1, -1, -1), kept)
            curves[:, step] = softmax(logits)[:, target]
        return curves
    ranks = np.argsort(orders, axis=1)  # (M, N), when each patch goes
    hidden = torch.from_numpy(ranks[:, None] < gone[1:-1, None])  # (M, S - 1, N)
    image = blur(case.image) if baseline == "blur" else torch.zeros_like(case.image)
    found = [case.predict(case.without(part, image)) for part in hidden.flatten(0, 1).split(AT_ONCE)]
    curves[:, 1:-1] = softmax(np.concatenate(found))[:, target].reshape(M, -1)
    curves[:, 0], curves[:, -1] = softmax(case.predict(torch.stack([case.image, image])))[:, target]
    return curves


def blur(image: Tensor) -> Tensor:
    """The image (3, H, W) without its details."""
    sigma = max(image.shape[1:]) / 8
    size = 2 * min(round(2 * sigma), min(image.shape[1:]) - 1) + 1  # the filter's side; reflect_index edges bound it
    return vision.gaussian_blur(image, [size, size], [sigma, sigma])


def flat(case: ForwardContext, maps: Mapping[str, Array]) -> dict[str, Array]:
    """Maps as one finite number for each patch, (N,).

    Raises:
        ValueError: If one is not that.
    """
    found = {name: np.asarray(values, np.float32).ravel() for name, values in maps.items()}
    for name, values in found.items():
        if len(values) != case.config.num_patches or not np.isfinite(values).all():
            raise ValueError(
                f"A map must have one finite number for each of {case.config.num_patches} patches: {name} has "
                f"{np.isfinite(values).sum()}."
            )
    return found


def area(curve: Array) -> float:
    """Under a curve (S + 1,), by trapezoids, the whole way counting as 1."""
    return float((curve.sum() - (curve[0] + curve[-1]) / 2) / (len(curve) - 1))


def check_class(case: ForwardContext, target: object) -> int:
    """A class by its position; refuse what is none.

    Raises:
        ValueError: If it is none.
    """
    try:
        position = index(cast(Any, target))
    except TypeError:
        position = -1
    if not 0 <= position < case.config.num_classes:
        raise ValueError(f"target must be one class, 0 to {case.config.num_classes - 1}: got {str(target)[:40]!r}.")
    return position


def score(
    case: ForwardContext,
    maps: Mapping[str, Array],
    target: int,
    baseline: Baseline = "mean",
    steps: int = STEPS,
    draws: int = N_RANDOM,
) -> FaithfulnessScores:
    """Score maps of an image, and as many random orders.

    Args:
        case: The image in the model.
        maps: One number for each patch, (N,) or (gh, gw), by the method's name.
        target: The class whose probability is followed.
        baseline: See `BASELINES`.
        steps: In how many steps patches are taken away, at least 1.
        draws: Random orders, an even number: half of them and their reverses, of each image its own.

    Raises:
        ValueError: If a map, the class, the baseline or a number does not fit.
    """
    patches = case.config.num_patches
    target = check_class(case, target)
    if not (isinstance(steps, int) and isinstance(draws, int) and steps >= 1 and draws >= 2 and draws % 2 == 0):
        raise ValueError(f"steps must be whole and at least 1, draws even and at least 2: got {steps} and {draws}.")
    generator = np.random.default_rng(case.seed)
    shuffled = generator.permutation(patches)
    orders = [ranking_of(values, shuffled) for values in flat(case, maps).values()]
    orders += [generator.permutation(patches) for _ in range(draws // 2)]  # the reverse of each is the other half
    both = np.stack([*orders, *(order[::-1] for order in orders)])  # (2 M, N)
    areas = [area(curve) for curve in deletion_curves(case, both, target, baseline, steps)]
    pairs = list(zip(areas[: len(orders)], areas[len(orders) :], strict=True))
    scores = {name: Score(*pair) for name, pair in zip(maps, pairs, strict=False)}
    chance = [Score(*pair) for one in pairs[len(maps) :] for pair in (one, one[::-1])]
    return FaithfulnessScores(scores, chance)


def sensitivity(
    case: ForwardContext, maps: Mapping[str, Array], target: Target, count: int, draws: int = 100
) -> dict[str, float]:
    """Sensitivity-n (Ancona et al. 2018, arXiv 1711.06104, section 4): does a map's sum foretell the logit's fall?

    Args:
        case: The image in the model.
        maps: One number for each patch, (N,) or (gh, gw), by the method's name.
        target: Whose logit.
        count: Patches taken away at once (n), painted in mean colour.
        draws: Random sets of so many patches, of each image its own, the same for every method.

    Returns:
        For each method the Pearson correlation over the sets, -1..1; 0 if one of the two never changes.

    Raises:
        ValueError: If so many patches cannot be taken away, or the class or a map does not fit.
    """
    patches = case.config.num_patches
    if not 1 <= count < patches:
        raise ValueError(f"count must be from 1 to {patches - 1} patches: got {count}.")
    if isinstance(target, tuple):
        target = check_class(case, target[0]), check_class(case, target[1])
    else:
        target = check_class(case, target)
    generator = np.random.default_rng(case.seed)
    hidden = np.zeros((draws, patches), bool)
    for row in hidden:
        row[generator.choice(patches, count, replace=False)] = True
    images = torch.cat([case.image[None], case.without(torch.from_numpy(hidden))])
    whole, *rest = logit_of(torch.from_numpy(case.predict(images)), target).tolist()
    lost = whole - np.array(rest)
    return {name: correlation(hidden @ values.astype(float), lost) for name, values in flat(case, maps).items()}


def correlation(one: NDArray[Any], other: NDArray[Any]) -> float:
    """Pearson's, or 0 if one of the two is constant."""
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return 0.0
    return float(np.corrcoef(one, other)[0, 1])


def rank_correlation(one: Array, other: Array) -> float:
    """Spearman's: Pearson's of the ranks, equal values sharing the mean of theirs."""
    return correlation(ranks_of(one), ranks_of(other))


def ranks_of(values: Array) -> NDArray[np.float64]:
    """From 0; equal values share the mean of their ranks."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts + 1) / 2)[place]


def randomisation(
    case: ForwardContext, methods: Mapping[str, Callable[[ForwardContext, Target], Array]], target: Target
) -> dict[str, dict[str, float]]:
    """The randomisation test (Adebayo et al. 2018, arXiv 1810.03292, section 3.1): does a map depend on the weights?

    Weights of the head, then of the blocks from the last to the first, are replaced one after the other by normal noise
    of the same mean and deviation, drawn for each image anew.

    Args:
        case: The image in the model.
        methods: Each method's function, by name.
        target: What they explain.

    Returns:
        For each method and each part ("head", "block 6" ...), the rank correlation of the map with the true one once
        all parts so far are noise. A method that explains the model must fall towards 0.
    """
    true = {name: compute(case, target) for name, compute in methods.items()}
    found: dict[str, dict[str, float]] = {name: {} for name in methods}
    model = deepcopy(case.model)
    generator = torch.Generator().manual_seed(case.seed)
    for part, module in model.stages():
        with torch.no_grad():
            for weight in module.parameters():
                noise = torch.randn(weight.shape, generator=generator).to(weight)
                weight.copy_(weight.mean() + noise * weight.std(correction=0))
        changed = ForwardContext(replace(case.checkpoint, network=model), case.image)
        for name, compute in methods.items():
            found[name][part] = rank_correlation(compute(changed, target), true[name])
    return found
