"""Metrics of an attribution map beyond deletion and insertion: one number per map, by name in `METRICS`.

Each takes the context of an image, the method's function and the target. Sensitivity-n and the randomization test take
all methods at once; deletion and insertion are in `vitviz.attribution.faithfulness`. One image says little: average
over many.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from vitviz.attribution.context import ForwardContext, Target, softmax, target_logit
from vitviz.attribution.faithfulness import (
    check_class,
    correlation,
    flatten_maps,
    rank_correlation,
    ranking_of,
)
from vitviz.attribution.methods import Compute
from vitviz.errors import InvalidValueError

Array = NDArray[np.float32]
NUM_GROUPS = 10  # of SaCo, as in the paper
NUM_PERTURBATIONS = 10  # of max-sensitivity
RADIUS = 0.2  # of max-sensitivity, in normalized pixels: about a twentieth of the range of a color


@dataclass(frozen=True)
class Metric:
    """A metric of a map.

    Attributes:
        title: Its name in tables.
        about: What it measures, and what it does not.
        formula: One line.
        source: Paper and section.
        compute: Function of a context, a method's function and a target.
        best: Value of the ideal map, or None where neither large nor small is better in itself.
        signed_only: Whether it is defined for maps in logits only.
    """

    title: str
    about: str
    formula: str
    source: str
    compute: Callable[[ForwardContext, Compute, Target], float]
    best: float | None
    signed_only: bool = False


def saco(context: ForwardContext, compute: Compute, target: Target, groups: int = NUM_GROUPS) -> float:
    """Salience-guided Faithfulness Coefficient (Wu et al. 2024, CVPR, arXiv 2404.01415, algorithm 1).

    The patches are split by falling value into K groups, whose sizes differ by at most one, and each group alone is
    painted in the mean color. With s_i the mean of group i and d_i the decrease of the probability, F is the sum over
    pairs i < j of s_i - s_j, positive if d_i >= d_j and negative otherwise, divided by the sum of |s_i - s_j|. It uses
    the values of the map, not only their order. The paper takes sums, which is the same for groups of equal size.

    Returns:
        In -1..1: 1 if every group with a larger mean decreases the probability at least as much; 0 for a flat map.

    Raises:
        ValueError: If there are fewer than two groups, or the model has no classification head.
    """
    if groups < 2:
        raise ValueError(f"SaCo needs at least 2 groups: got {groups}.")
    label = check_class(context, target[0] if isinstance(target, tuple) else target)
    ranked = compute(context, target)
    values = ranked.astype(np.float64)
    order = ranking_of(ranked, np.random.default_rng(context.seed).permutation(len(values)))
    members = np.array_split(order, min(groups, len(values)))
    masked = np.zeros((len(members), len(values)), bool)
    for row, group in zip(masked, members, strict=True):
        row[group] = True
    images = torch.cat([context.image[None], context.mask_patches(torch.from_numpy(masked))])
    whole, *rest = softmax(context.predict(images))[:, label].tolist()
    decrease, means = whole - np.array(rest), np.array([values[group].mean() for group in members])
    first, second = np.triu_indices(len(members), 1)
    weights = means[first] - means[second]
    total = np.abs(weights).sum()
    agree = np.where(decrease[first] >= decrease[second], 1, -1)
    return float((agree * weights).sum() / total) if total > 1e-12 * max(1.0, np.abs(means).max()) else 0.0


def completeness(context: ForwardContext, compute: Compute, target: Target) -> float:
    """Completeness error (Sundararajan et al. 2017, arXiv 1703.01365, section 3, axiom completeness).

    | sum of the map - (f(x) - f(x0)) | / | f(x) - f(x0) |, where f is the target's logit and x0 an image of mean color.

    Returns:
        At least 0; 0 if the values are parts of the logit's change. Meaningful for maps in logits only.
    """
    masked = torch.ones(1, context.config.num_patches, dtype=torch.bool)
    images = torch.cat([context.image[None], context.mask_patches(masked)])
    first, last = target_logit(torch.from_numpy(context.predict(images)), target).tolist()
    total = float(compute(context, target).sum(dtype=np.float64))
    return abs(total - (first - last)) / max(abs(first - last), np.finfo(np.float32).tiny)


def random_logit(context: ForwardContext, compute: Compute, target: Target, other: int | None = None) -> float:
    """Random logit test (Sixt et al. 2020, arXiv 1912.09818, section 5): is the map about this class?

    Spearman correlation of the map with that of another class, `other`, by default drawn with the image's seed. For a
    contrast, the first class is replaced.

    Returns:
        In -1..1: 1 if the map is the same for both classes, as it is for every class-agnostic method.

    Raises:
        ValueError: If the model has no other class.
    """
    chosen = target if isinstance(target, tuple) else (target,)
    if other is None:
        others = [k for k in range(context.config.num_classes) if k not in chosen]
        if not others:
            raise ValueError(f"The random logit test needs another class: {context.checkpoint.name} has none.")
        other = int(np.random.default_rng(context.seed).choice(others))
    changed = (other, chosen[1]) if len(chosen) == 2 else other
    return rank_correlation(compute(context, target), compute(context, changed))


def max_sensitivity(
    context: ForwardContext,
    compute: Compute,
    target: Target,
    count: int = NUM_PERTURBATIONS,
    radius: float = RADIUS,
) -> float:
    """Max-sensitivity (Yeh et al. 2019, arXiv 1901.09392, definition 2), relative to the map's norm.

    The largest | map(x + e) - map(x) | / | map(x) | over perturbations e of all pixels, uniform in -radius..radius,
    drawn with the image's seed.

    Args:
        context: The image in the model.
        compute: The method's function.
        target: The target, the same for all images.
        count: Number of perturbations.
        radius: Largest change of a normalized pixel.

    Returns:
        At least 0; small for a stable map. Infinite for a map of zeros that changes.
    """
    original = compute(context, target).astype(np.float64)
    generator, norm, largest = np.random.default_rng(context.seed), float(np.linalg.norm(original)), 0.0
    for _ in range(count):
        noise = generator.uniform(-radius, radius, tuple(context.image.shape)).astype(np.float32)
        image = context.image + torch.from_numpy(noise).to(context.image)
        perturbed = ForwardContext(context.checkpoint, image, context.keep, context.interventions)
        largest = max(largest, float(np.linalg.norm(compute(perturbed, target) - original)))
    return largest / norm if norm else float("inf") if largest else 0.0


def gini(values: NDArray[Any]) -> float:
    """Gini index of magnitudes (Hurley & Rickard 2009, arXiv 0811.4706; Chalasani et al. 2020, arXiv 1810.06583, s. 4).

    sum_i (2 i - N - 1) a_i / (N sum_i a_i) over the magnitudes a in rising order.

    Returns:
        In 0..1 - 1 / N: 0 if all magnitudes are equal, large if few patches hold the map; 0 for a map of zeros.
    """
    magnitudes = np.sort(np.abs(values).ravel().astype(np.float64))
    total, N = magnitudes.sum(), len(magnitudes)
    return float(((2 * np.arange(1, N + 1) - N - 1) * magnitudes).sum() / (N * total)) if total else 0.0


def entropy(values: NDArray[Any]) -> float:
    """Complexity (Bhatt et al. 2020, arXiv 2005.00631, definition 3): entropy of the magnitudes' fractions.

    Returns:
        Nats, 0 for a single patch to ln N for equal magnitudes; ln N for a map of zeros.
    """
    magnitudes = np.abs(values).ravel().astype(np.float64)
    total = magnitudes.sum()
    if not total:
        return float(np.log(len(magnitudes)))
    fractions = magnitudes[magnitudes > 0] / total
    return float(-(fractions * np.log(fractions)).sum())


METRICS: dict[str, Metric] = {
    "saco": Metric(
        "SaCo",
        "Whether groups of patches with larger values decrease the probability more when they are removed. It uses the "
        "values, not only the order, and each group is removed alone.",
        "sum over groups i < j of +-(s_i - s_j) / sum of |s_i - s_j|, + where group i decreases the probability more",
        "Wu et al. 2024 (CVPR), algorithm 1",
        saco,
        best=1.0,
    ),
    "completeness": Metric(
        "completeness error",
        "How far the sum of a map in logits is from the logit's change between the image and one of mean color.",
        "|sum of the map - (f(x) - f(x0))| / |f(x) - f(x0)|",
        "Sundararajan et al. 2017, section 3",
        completeness,
        best=0.0,
        signed_only=True,
    ),
    "random_logit": Metric(
        "random logit",
        "How similar the map is to that of another class. 1 for every class-agnostic method.",
        "Spearman correlation of the maps of the target and of a random other class",
        "Sixt et al. 2020, section 5",
        random_logit,
        best=0.0,
    ),
    "max_sensitivity": Metric(
        "max-sensitivity",
        "How much the map changes, at most, when a little noise is added to the image.",
        "max over noise e of |map(x + e) - map(x)| / |map(x)|",
        "Yeh et al. 2019, definition 2",
        max_sensitivity,
        best=0.0,
    ),
    "sparseness": Metric(
        "sparseness (Gini)",
        "How concentrated the map is on few patches: 0 for a flat map.",
        "Gini index of the magnitudes",
        "Chalasani et al. 2020, section 4",
        lambda context, compute, target: gini(compute(context, target)),
        best=None,
    ),
    "complexity": Metric(
        "complexity (entropy)",
        "Over how many patches the map is spread, in nats; its exponential is an effective number of patches.",
        "-sum of p ln p, p the fractions of the magnitudes",
        "Bhatt et al. 2020, definition 3",
        lambda context, compute, target: entropy(compute(context, target)),
        best=None,
    ),
}


def sensitivity(
    context: ForwardContext, maps: Mapping[str, Array], target: Target, count: int, n_random: int = 100
) -> dict[str, float]:
    """Sensitivity-n (Ancona et al. 2018, arXiv 1711.06104, section 4): does a map's sum predict the logit's decrease?

    Args:
        context: The image in the model.
        maps: One value per patch, (N,) or (gh, gw), by method.
        target: The target whose logit is measured.
        count: Patches removed at once (n), painted in the mean color.
        n_random: Number of random subsets of this size, drawn with the image's seed, the same for all methods.

    Returns:
        Pearson correlation over the subsets for each method, -1..1; 0 if one of the two is constant.

    Raises:
        ValueError: If the number of patches, the class or a map is invalid.
    """
    patches = context.config.num_patches
    if not 1 <= count < patches:
        raise InvalidValueError("count", f"from 1 to {patches - 1} patches", count)
    for one in target if isinstance(target, tuple) else (target,):
        check_class(context, one)
    generator = np.random.default_rng(context.seed)
    masked = np.zeros((n_random, patches), bool)
    for row in masked:
        row[generator.choice(patches, count, replace=False)] = True
    images = torch.cat([context.image[None], context.mask_patches(torch.from_numpy(masked))])
    whole, *rest = target_logit(torch.from_numpy(context.predict(images)), target).tolist()
    decrease = whole - np.array(rest)
    flat = flatten_maps(context, maps)
    return {name: correlation(masked @ values.astype(float), decrease) for name, values in flat.items()}


def randomization_test(
    context: ForwardContext, methods: Mapping[str, Callable[[ForwardContext, Target], Array]], target: Target
) -> dict[str, dict[str, float]]:
    """Model parameter randomization test (Adebayo et al. 2018, arXiv 1810.03292, section 3.1).

    The weights of the head, then of the blocks from the last to the first, are replaced cumulatively by normal noise of
    the same mean and standard deviation, drawn with the image's seed.

    Args:
        context: The image in the model.
        methods: Function of each method, by name.
        target: The target that they explain.

    Returns:
        For each method and each part ("head", "block 6" ...), the rank correlation of the map with the original one
        once all parts up to this one are random. It must fall towards 0 for a method that explains the model.
    """
    original = {name: compute(context, target) for name, compute in methods.items()}
    correlations: dict[str, dict[str, float]] = {name: {} for name in methods}
    model = deepcopy(context.model)
    generator = torch.Generator().manual_seed(context.seed)
    for part, module in model.stages():
        with torch.no_grad():
            for weight in module.parameters():
                noise = torch.randn(weight.shape, generator=generator).to(weight)
                weight.copy_(weight.mean() + noise * weight.std(correction=0))
        checkpoint = replace(context.checkpoint, network=model)
        randomized = ForwardContext(checkpoint, context.image, context.keep, context.interventions)
        for name, compute in methods.items():
            correlations[name][part] = rank_correlation(compute(randomized, target), original[name])
    return correlations
