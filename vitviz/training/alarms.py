"""Signals of a network in training, on a few fixed images, and alarms where they leave the range of healthy runs.

Thresholds without a source are far from what healthy runs reach: docs/training.md has the figures.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor

from vitviz.models.attention_stats import attention_distance
from vitviz.models.config import STRICT
from vitviz.models.vit import Transformer

NUM_IMAGES = 4  # on which signals are measured
MIN_ENTROPY = 0.1  # of ln T, mean over the heads of a layer
MAX_SINK_SHARE = 0.5  # above uniform attention; Gu et al. 2025 (arXiv 2410.10781) take 0.3, which healthy runs reach
MIN_HEAD_OUTPUT = 0.01  # of the mean head of the layer
MAX_OUTLIER = 10.0  # times the median norm (Darcet et al. 2024, arXiv 2309.16588, section 1: artifacts have about 10)
MAX_GROWTH = 100.0  # times the median norm of the embedded tokens
CURES = {
    "entropy": "a lower learning rate, a longer warmup or QK-norm usually helps",
    "head": "a lower learning rate or weight decay usually helps, or fewer heads",
    "sink": "register tokens usually help",
    "outlier": "register tokens usually help",
    "growth": "a lower learning rate or a smaller gradient norm usually helps",
    "loss": "a lower learning rate, a longer warmup or a smaller gradient norm usually helps",
}
Kind = Literal["entropy", "head", "sink", "outlier", "growth", "loss"]
Index = Annotated[int, Field(ge=0, lt=10**6)]


@dataclass(frozen=True)
class Alarm:
    """A signal that has left the range of healthy runs."""

    __pydantic_config__: ClassVar[Any] = STRICT

    kind: Kind
    epoch: float
    value: Annotated[float, Field(allow_inf_nan=True)]  # effective number of tokens, or ratio; of the loss itself
    layer: Index = 0  # block with the most extreme value; L after the last
    head: Index = 0
    more: Index = 0  # further layers or heads beyond the threshold
    tokens: Index = 0  # in the sequence

    def __str__(self) -> str:
        """Return a sentence: the epoch, what is wrong where, and what usually helps."""
        layer, head = f"layer {self.layer + 1}", f"head {self.head + 1} of layer {self.layer + 1}"
        unit = "layer" if self.kind == "entropy" else "head"
        others = f" (and {self.more} other {unit}{'s' if self.more > 1 else ''})" if self.more else ""
        what = {
            "entropy": f"attention has collapsed in {layer}{others}: a query attends to {self.value:.1f} of "
            f"{self.tokens} tokens (effective number)",
            "head": f"{head}{others} adds almost nothing: {100 * self.value:.2g} % of the mean head of its layer",
            "sink": f"{head}{others} gives one token {100 * self.value:.0f} % of its attention, a sink",
            "outlier": f"a token after {layer} has {self.value:.0f} times the median norm",
            "growth": f"tokens after {layer} have {self.value:.0f} times the norm of the embedded patches",
            "loss": f"the loss is {self.value}",
        }[self.kind]
        return f"Epoch {self.epoch:.2f}: {what}; {CURES[self.kind]}."


@dataclass(frozen=True)
class Signals:
    """Signals of a network, means over images."""

    entropy: Tensor  # of the attention of all queries, divided by ln T, (L, A)
    distance: Tensor  # mean attention distance (px), (L, A)
    sink_share: Tensor  # attention on the token that gets most of it, mean over the queries, (L, A)
    head_output: Tensor  # norm of what each head adds, divided by the mean of its layer, (L, A); NaN if that is 0
    token_norm: Tensor  # median norm of the input of each block and of the output of the last, (L + 1,)
    outlier: Tensor  # largest norm divided by the median, (L + 1,)
    tokens: int  # in the sequence (T)

    def summary(self) -> dict[str, float]:
        """Return the signals of the whole network that `Progress` records; those that are not finite are left out."""
        found = {
            "entropy": self.entropy.nanmean(),
            "distance": self.distance.nanmean(),
            "min_distance": self.distance.nan_to_num(math.inf).min(),
            "sink_share": self.sink_share.nan_to_num(-math.inf).max(),
            "token_norm": self.token_norm[-1],
        }
        return {name: float(value) for name, value in found.items() if value.isfinite()}

    def alarms(self, epoch: float) -> list[Alarm]:
        """Return the signals beyond their thresholds, one alarm per kind, of its most extreme layer or head."""
        entropy = self.entropy.nanmean(1)  # (L,)
        has_collapsed = entropy < MIN_ENTROPY  # which explains what the heads do
        effective = self.tokens**entropy
        sinks = self.sink_share - 1 / self.tokens
        norms = self.token_norm / self.token_norm[0]
        found = [
            ("entropy", effective[:, None], has_collapsed[:, None], -1),
            ("head", self.head_output, (self.head_output < MIN_HEAD_OUTPUT) & ~has_collapsed.any(), -1),
            ("sink", self.sink_share, (sinks > MAX_SINK_SHARE) & ~has_collapsed.any(), 1),
            ("outlier", self.outlier[1:, None], (self.outlier > MAX_OUTLIER)[1:, None], 1),
            ("growth", norms[1:, None], (norms > MAX_GROWTH)[1:, None], 1),
        ]
        return [
            at_worst(kind, epoch, values, beyond, sign, self.tokens)
            for kind, values, beyond, sign in found
            if beyond.any()
        ]


def at_worst(kind: Any, epoch: float, values: Tensor, beyond: Tensor, sign: int, tokens: int) -> Alarm:
    """Return the alarm of the largest of `sign * values`, (L, A) or (L, 1), among those `beyond` the threshold."""
    worst = int((sign * values).masked_fill(~beyond, -math.inf).argmax())
    layer, head = divmod(worst, values.shape[1])
    return Alarm(kind, epoch, float(values[layer, head]), layer, head, int(beyond.sum()) - 1, tokens)


def first_of_kind(alarms: Iterable[Alarm], seen: set[str]) -> tuple[Alarm, ...]:
    """Return the alarms whose kind is not in `seen` yet, and add their kinds to it."""
    new = tuple(alarm for alarm in alarms if alarm.kind not in seen)
    seen.update(alarm.kind for alarm in new)
    return new


@torch.no_grad()
def measure_signals(model: Transformer, images: Tensor) -> Signals:
    """Measure the signals of a model, whose mode stays, on the first of some normalized images (B, 3, H, W)."""
    images = images[:NUM_IMAGES].to(next(model.parameters()).device)
    was_training = model.training
    output = model.eval().forward_with_attention(images, "full")
    model.train(was_training)
    attention, T = output.attention, output.attention.shape[-1]
    added = [weights @ model.value_vectors(i, output.layer_tokens[i]) for i, weights in enumerate(attention)]
    heads = torch.stack([one.norm(dim=-1).mean((0, 2)) for one in added])  # (L, A)
    norms = torch.stack([x.norm(dim=-1).flatten() for x in output.layer_tokens])  # (L + 1, B T)
    median = norms.median(1).values
    return Signals(
        entropy=torch.special.entr(attention).sum(-1).mean((1, 3)) / math.log(max(T, 2)),
        distance=attention_distance(output, model.config),
        sink_share=attention.mean(3).amax(-1).mean(1),
        head_output=heads / heads.mean(1, keepdim=True),
        token_norm=median,
        outlier=norms.amax(1) / median,
        tokens=T,
    )
