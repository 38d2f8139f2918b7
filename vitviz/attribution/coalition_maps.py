"""Maps from many forward passes with sets of patches removed: Shapley values, and the greedy order of removal.

Both take seconds to minutes, so they are computed on request, report their progress and can be interrupted. The
functions return one value per patch, (N,); 0 for patches that were removed before.
"""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from vitviz.attribution.context import BATCH_SIZE, ForwardContext, Target, target_logit
from vitviz.errors import InterruptedMapError

Array = NDArray[np.float32]
Masks = NDArray[np.bool_]
Progress = Callable[[int, int], bool | None]  # forward passes done and in total; False interrupts
NUM_COALITIONS = 2048  # of Shapley values
MAX_ROUNDS = 64  # of the greedy order


class Counter:
    """Number of forward passes so far, reported to a function.

    Raises:
        InterruptedMapError: When the function returns False.
    """

    def __init__(self, total: int, progress: Progress | None) -> None:
        self.done, self.total, self.progress = 0, total, progress

    def add(self, count: int) -> None:
        """Count forward passes and report them."""
        self.done += count
        if self.progress is not None and self.progress(self.done, self.total) is False:
            raise InterruptedMapError(self.done, self.total)


def shapley(
    context: ForwardContext, target: Target, progress: Progress | None = None, num_coalitions: int = NUM_COALITIONS
) -> Array:
    """Shapley values of the patches by KernelSHAP (Lundberg & Lee 2017, arXiv 1705.07874, theorem 2).

    v(S) is the target's logit with the patches S alone: the tokens of the others never enter the network if
    `can_drop_patches` holds of the config; otherwise they get the mean color. The values are the weighted least-squares
    fit of v(S) - v(none) by sums over S that is exact for all patches. All coalitions are used if there are at most
    `num_coalitions`, which gives the exact values; else coalitions are drawn with the image's seed by the weights of
    the kernel, each with its complement.

    Args:
        context: The image in the model.
        target: The target.
        progress: Called with the forward passes done and in total; returning False interrupts.
        num_coalitions: Coalitions besides none and all, even.

    Returns:
        In logits, of either sign, (N,); their sum is v(all) - v(none).

    Raises:
        InterruptedMapError: If it is interrupted.
    """
    players = np.flatnonzero(context.kept_tokens[context.prefix :])
    coalitions, weights = draw_coalitions(len(players), num_coalitions, context.seed)
    ends = np.array([[False], [True]]).repeat(len(players), 1)
    present = np.zeros((len(coalitions) + 2, context.config.num_patches), bool)
    present[:, players] = np.concatenate([ends, coalitions])
    none, everything, *rest = coalition_values(context, present, target, progress)
    found = np.zeros(context.config.num_patches, np.float32)
    found[players] = fit_shapley(coalitions, weights, np.array(rest) - none, everything - none)
    return found


def draw_coalitions(count: int, num_coalitions: int, seed: int) -> tuple[Masks, NDArray[np.float64]]:
    """Return coalitions of players, (M, n), and their weights, (M,): all of them, or a sample of equal weight."""
    sizes = np.arange(1, count)
    if count < 40 and 2**count - 2 <= num_coalitions:
        every = (np.arange(1, 2**count - 1)[:, None] >> np.arange(count)) & 1 == 1  # (M, n)
        members = every.sum(1)
        subsets = np.array([float(np.prod((count - np.arange(k)) / (np.arange(k) + 1.0))) for k in members])
        return every, (count - 1) / (subsets * members * (count - members))
    generator = np.random.default_rng(seed)
    probabilities = 1 / (sizes * (count - sizes))
    drawn = generator.choice(sizes, num_coalitions // 2, p=probabilities / probabilities.sum())
    half = generator.random((len(drawn), count)).argsort(1).argsort(1) < drawn[:, None]  # (M / 2, n)
    return np.concatenate([half, ~half]), np.ones(2 * len(half))


def fit_shapley(
    coalitions: Masks, weights: NDArray[np.float64], values: NDArray[np.float64], total: float
) -> NDArray[np.float64]:
    """Fit values of coalitions (M, n) by weighted least squares; the results of all players sum to `total`."""
    z = coalitions.astype(float)
    inverse = np.linalg.pinv(z.T @ (weights[:, None] * z))  # (n, n)
    free = inverse @ (z.T @ (weights * values))  # (n,)
    ones = inverse.sum(1)
    if not len(z):  # one player gets everything
        return np.full(coalitions.shape[1], total / coalitions.shape[1])
    fitted: NDArray[np.float64] = free + ones * (total - free.sum()) / ones.sum()
    return fitted


def coalition_values(
    context: ForwardContext, present: Masks, target: Target, progress: Progress | None
) -> NDArray[np.float64]:
    """Return the target's logit with sets of patches alone, masks (M, N), as `shapley` removes the others, (M,)."""
    values, counter = np.zeros(len(present)), Counter(len(present), progress)
    drops = context.config.can_drop_patches
    sizes = present.sum(1) if drops else np.zeros(len(present), int)
    for size in np.unique(sizes):  # images of a batch have the same number of tokens
        of_size = np.flatnonzero(sizes == size)
        for part in np.split(of_size, range(BATCH_SIZE, len(of_size), BATCH_SIZE)):
            masks = torch.from_numpy(present[part])
            if drops:
                keep = masks.nonzero()[:, 1].view(len(part), -1).to(context.image.device)
                logits = context.predict(context.image.expand(len(part), -1, -1, -1), keep)
            else:
                logits = context.predict(context.mask_patches(~masks))
            values[part] = target_logit(torch.from_numpy(logits), target).numpy()
            counter.add(len(part))
    return values


def greedy(
    context: ForwardContext, target: Target, progress: Progress | None = None, max_rounds: int = MAX_ROUNDS
) -> Array:
    """Greedy order of removal: next comes the patch whose removal lowers the probability of the (first) class most.

    Not an explanation, but close to the best deletion score that a ranking can reach: removed patches are painted in
    the mean color, as the score does. N (N + 1) / 2 forward passes; if there are more than `max_rounds` patches,
    several are removed in each round.

    Returns:
        From 1 for the patch that is removed first to 1 / N for the last, (N,).

    Raises:
        InterruptedMapError: If `progress` returns False.
    """
    label = target[0] if isinstance(target, tuple) else target
    left = np.flatnonzero(context.kept_tokens[context.prefix :]).tolist()
    count, step = len(left), -(-len(left) // max_rounds)
    counter = Counter(sum(range(count, 0, -step)), progress)
    removed = torch.zeros(context.config.num_patches, dtype=torch.bool)
    values = np.zeros(context.config.num_patches, np.float32)
    while left:
        candidates = removed.repeat(len(left), 1)
        candidates[torch.arange(len(left)), torch.tensor(left)] = True
        probabilities = []
        for part in candidates.split(BATCH_SIZE):
            probabilities.append(context.probabilities(context.predict(context.mask_patches(part)))[:, label])
            counter.add(len(part))
        for i in np.argsort(np.concatenate(probabilities), kind="stable")[:step]:
            values[left[i]] = (count - int(removed.sum())) / count
            removed[left[i]] = True
        left = [patch for patch in left if not removed[patch]]
    return values
