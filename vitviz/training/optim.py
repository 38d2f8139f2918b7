"""Gradients -> better weights: Muon for matrices and filters in the blocks, AdamW for everything else; or Adam for all.

Muon (Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks") replaces each matrix's momentum by
the nearest matrix whose singular values are all one. Matrices of equal shape are stacked and handled by one batched
product.
"""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from vitviz.training.config import TrainConfig
from vitviz.training.distributed import Distributed

# Coefficients of the quintic iteration: a x + b x^3 + c x^5 pushes singular values from 0..1 quickly near 1 (Jordan
# 2024).
QUINTIC = (3.4445, -4.7750, 2.0315)


def orthogonalize(matrices: Tensor, steps: int = 5) -> Tensor:
    """Push all singular values of each matrix near 1 by Newton-Schulz iteration.

    Under autocast the products are in bfloat16, which Jordan found to be enough.

    Args:
        matrices: (n, r, c) with r <= c.
        steps: Iterations; 5 bring singular values into about 0.7..1.2.

    Returns:
        (n, r, c), same dtype.
    """
    a, b, c = QUINTIC
    x = matrices / (matrices.norm(dim=(1, 2), keepdim=True) + 1e-7)  # (n, r, c)
    for _ in range(steps):
        square = x @ x.mT  # (n, r, r)
        x = torch.baddbmm(x, torch.baddbmm(square, square, square, beta=b, alpha=c), x, beta=a)  # (n, r, c)
    return x.to(matrices.dtype)


class Muon(torch.optim.Optimizer):
    """Momentum, orthogonalised, over weights of linear maps and convolutions; these are one row for each filter.

    A weight of shape (k c, c) with k > 1 whose name ends in `qkv.weight` holds k maps and is split into them.
    The update has the typical size of AdamW's (Liu et al. 2025, arXiv 2502.16982: 0.2 * sqrt(longer side)), so one
    learning rate serves both.

    Args:
        named: Names and parameters, of two dimensions or more.
        lr: Learning rate.
        momentum: Share of the old momentum kept in each step (Nesterov).
        weight_decay: Decoupled, times the learning rate.
        team: The processes that train together; each orthogonalises its part of the matrices.
    """

    def __init__(
        self,
        named: Iterable[tuple[str, nn.Parameter]],
        lr: float,
        team: Distributed,
        momentum: float = 0.95,
        weight_decay: float = 0.0,
    ) -> None:
        self.team = team
        shapes: dict[tuple[int, int, int], list[nn.Parameter]] = {}
        for name, weight in named:
            rows, columns = weight.flatten(1).shape
            pieces = rows // columns if name.endswith("qkv.weight") else 1
            shapes.setdefault((pieces, rows // pieces, columns), []).append(weight)
        groups = [{"params": weights, "pieces": pieces} for (pieces, _, _), weights in shapes.items()]
        super().__init__(groups, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Take one step along the orthogonalised momentum."""
        for group in self.param_groups:
            weights = group["params"]
            gradient = torch.stack([w.grad.flatten(1) for w in weights])  # (n, pieces * r, c)
            state = self.state[weights[0]]
            momentum = state.setdefault("momentum", torch.zeros_like(gradient))
            momentum.lerp_(gradient, 1 - group["momentum"])
            ahead = gradient.lerp(momentum, group["momentum"])
            maps = ahead.unflatten(1, (group["pieces"], -1)).flatten(0, 1)  # (n * pieces, r, c)
            tall = maps.shape[1] > maps.shape[2]
            update = self.team.divide(orthogonalize, maps.mT if tall else maps)
            update = (update.mT if tall else update).reshape(gradient.shape)  # (n, pieces * r, c)
            torch._foreach_mul_(weights, 1 - group["lr"] * group["weight_decay"])
            size = 0.2 * max(maps.shape[1:]) ** 0.5
            updates = [one.view_as(weight) for one, weight in zip(update, weights, strict=True)]
            torch._foreach_add_(weights, updates, alpha=-group["lr"] * size)


def build(model: nn.Module, config: TrainConfig, team: Distributed) -> list[torch.optim.Optimizer]:
    """Give each parameter that learns its optimizer; 1-D parameters, such as gains and biases, do not decay.

    Returns:
        Muon for the matrices in blocks if the config wants it, then Adam or AdamW for the rest. Each group's `base_lr`
        is the rate that the schedule multiplies.
    """
    inside = {}
    learning = {n: p for n, p in model.named_parameters() if p.requires_grad}
    if config.optimizer == "muon":
        inside = {n: p for n, p in learning.items() if "blocks." in n and p.ndim > 1}
    rest = [p for n, p in learning.items() if n not in inside]
    adam = torch.optim.Adam if config.optimizer == "adam" else torch.optim.AdamW
    betas = (0.9, 0.95) if config.optimizer == "muon" else (0.9, 0.999)  # the field's habits beside Muon and alone
    groups = [
        {"params": [p for p in rest if p.ndim > 1], "weight_decay": config.weight_decay},
        {"params": [p for p in rest if p.ndim <= 1], "weight_decay": 0.0},
    ]
    built: list[torch.optim.Optimizer] = [adam(groups, config.lr, betas=betas, fused=True)]
    if inside:
        built.insert(0, Muon(inside.items(), config.muon_lr, team, weight_decay=config.weight_decay))
    for optimizer in built:
        for group in optimizer.param_groups:
            group["base_lr"] = group["lr"]
    return built
