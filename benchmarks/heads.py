"""Are the parts of attention scores causal? Heads and queries are replaced by parts of them, over many images.

The means are those of training images, the predictions those of test images.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor

from vitviz.attribution.class_token import swap_curve
from vitviz.attribution.head_factors import HeadFactors, head_factors, with_mean_query
from vitviz.data import cifar
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.hub import load
from vitviz.models.vit import Intervention

MEANS = 500  # training images
BATCH = 100
Head = tuple[int, int]
Scores = Callable[[Tensor, Tensor, int, int], Tensor]  # queries and keys of the patches (B, N, d), layer, head


class Reweight(Intervention):
    """An intervention in which the patches of some heads distribute what they attend to patches by other scores.

    Attributes:
        prefix: Number of prefix tokens (R), whose attention stays.
        weights: New attention of the patches, (B, N, T), of each head that changes.
    """

    prefix: int
    weights: dict[int, Tensor]

    def apply(self, mixed: Tensor, values: Tensor) -> Tensor:
        """Replace the outputs of the patches, (B, A, T, d)."""
        mixed = mixed.clone()
        for head, weights in self.weights.items():
            mixed[:, head, self.prefix :] = weights @ values[:, head]
        return mixed


def run(checkpoint: Checkpoint, images: Tensor, heads: Sequence[Head], scores: Scores) -> Tensor:
    """Return the logits (B, K) of normalized images, where the patches of some heads attend by other scores."""
    model, R = checkpoint.network, checkpoint.config.num_prefix_tokens
    x = model.embed_images(images)
    ones = x.new_ones(checkpoint.config.num_heads)
    zeros = x.new_zeros(checkpoint.config.num_heads, checkpoint.config.head_dim)
    for layer in range(checkpoint.config.depth):
        q, k = model.queries_and_keys(layer, x)
        change = Reweight(ones, zeros)
        change.prefix, change.weights = R, {}
        for head in (head for one, head in heads if one == layer):
            weights = (q[:, head, R:] @ k[:, head].mT).softmax(-1)  # (B, N, T)
            other = scores(q[:, head, R:], k[:, head, R:], layer, head).softmax(-1)
            share = weights[:, :, R:].sum(-1, keepdim=True)
            change.weights[head] = torch.cat([weights[:, :, :R], share * other], -1)
        x, _ = model.run_block(layer, x, intervention=change)
    return model.forward_head(x)


def replacements(factors: HeadFactors) -> dict[str, Scores]:
    """Return the scores by position, by content, and none, by what they are called."""
    mean, place, position = (
        torch.from_numpy(values) for values in (factors.query_mean, factors.query_position, factors.key_position)
    )

    def by_position(q: Tensor, k: Tensor, layer: int, head: int) -> Tensor:
        return (place[layer, head] @ position[layer, head].mT).expand(len(q), -1, -1)

    def by_content(q: Tensor, k: Tensor, layer: int, head: int) -> Tensor:
        own = q - mean[layer, head] - place[layer, head]
        return own @ (k - k.mean(1, keepdim=True) - position[layer, head]).mT

    def flat(q: Tensor, k: Tensor, layer: int, head: int) -> Tensor:
        return q.new_zeros(q.shape[0], q.shape[1], k.shape[1])

    return {"position only": by_position, "content only": by_content, "uniform": flat}


def in_batches(images: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    """Return the results of batches, concatenated."""
    return torch.cat([function(part) for part in images.split(BATCH)])


@torch.inference_mode()
def measure(name: str, data: Path | str | None, count: int) -> dict[str, Any]:
    """Replace the query of the class token, and the scores of heads, and measure predictions on test images."""
    checkpoint = load(name)
    images, labels = (values[:count] for values in cifar.load("test", data))
    inputs = checkpoint.normalize(images)
    factors = head_factors(checkpoint, cifar.load("train", data)[0][:MEANS])
    whole = in_batches(inputs, checkpoint.network)
    fixed = in_batches(
        inputs, lambda part: checkpoint.network(part, None, with_mean_query(checkpoint.network, factors, part))
    )
    shares = factors.position
    order = [(int(i) // shares.shape[1], int(i) % shares.shape[1]) for i in np.argsort(-shares.ravel(), kind="stable")]
    chosen = order[: len(order) // 4]
    changed = {"mean query of the class token": fixed}
    kinds = replacements(factors)
    for kind, scores in kinds.items():
        replaced = partial(run, checkpoint, heads=chosen, scores=scores)
        changed[f"{len(chosen)} most positional heads: {kind}"] = in_batches(inputs, replaced)
    damage = []
    for head in order:
        without = partial(run, checkpoint, heads=[head], scores=kinds["content only"])
        damage.append(divergence(whole, in_batches(inputs, without)))
    curve = swap_curve(checkpoint, images)
    return {
        "whole": accuracy(whole, labels),
        "changed": {
            kind: (accuracy(logits, labels), float((logits.argmax(1) == whole.argmax(1)).float().mean()))
            for kind, logits in changed.items()
        },
        "spearman": spearman([float(shares[head]) for head in order], damage),
        "curve": None if curve is None else (curve.follows_patches.tolist(), curve.pairs),
    }


def accuracy(logits: Tensor, labels: Tensor) -> float:
    """Return the fraction of correct predictions."""
    return float((logits.argmax(1) == labels).float().mean())


def divergence(whole: Tensor, changed: Tensor) -> float:
    """Return the mean Kullback-Leibler divergence of the changed from the whole prediction, in nats."""
    target, log = whole.log_softmax(-1), changed.log_softmax(-1)
    return float((target.exp() * (target - log)).sum(-1).mean())


def spearman(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the rank correlation of values without ties."""
    ranks = np.stack([np.argsort(np.argsort(values)) for values in (a, b)])
    return float(np.asarray(np.corrcoef(ranks))[0, 1])


def heads(name: str, data: Path | str | None, count: int) -> None:
    """Print what `measure` found."""
    found = measure(name, data, count)
    table = Table("What is replaced", "Accuracy", "Same prediction", title=f"{name}, {count:,} test images")
    table.add_row("nothing", f"{100 * found['whole']:.1f} %", "")
    for kind, (correct, same) in found["changed"].items():
        table.add_row(kind, f"{100 * correct:.1f} %", f"{100 * same:.1f} %")
    console = Console()
    console.print(table)
    console.print(f"Rank correlation of position share and damage without it, over heads: {found['spearman']:.2f}")
    if found["curve"]:
        follows, pairs = found["curve"]
        shown = ", ".join(f"{value:.3f}" for value in follows)
        console.print(f"Follows the patches after the swap of the class token, {pairs} pairs: {shown}")
