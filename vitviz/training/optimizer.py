"""Gradients -> better weights: Muon for the matrices inside the blocks, AdamW for everything else.

Muon (Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks") replaces each matrix's momentum by
the nearest matrix whose singular values are all one. Matrices of equal shape are stacked and handled by one batched
product.
"""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

# Coefficients of the quintic iteration: a x + b x^3 + c x^5 pushes singular values from 0..1 quickly near 1 (Jordan
# 2024).
QUINTIC = (3.4445, -4.7750, 2.0315)


def orthogonalise(matrices: Tensor, steps: int = 5) -> Tensor:
    """Push all singular values of each matrix near 1 by Newton-Schulz iteration.

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
        x = a * x + (b * square + c * square @ square) @ x  # (n, r, c)
    return x


class Muon(torch.optim.Optimizer):
    """Momentum, orthogonalised, over 2-D weights.

    A weight of shape (k c, c) with k > 1 whose name ends in `qkv.weight` holds k maps and is split into them.
    The update has the typical size of AdamW's (Liu et al. 2025, arXiv 2502.16982: 0.2 * sqrt(longer side)), so one
    learning rate serves both.

    Args:
        named: Names and 2-D parameters.
        lr: Learning rate.
        momentum: Share of the old momentum kept in each step (Nesterov).
        weight_decay: Decoupled, times the learning rate.
    """

    def __init__(
        self, named: Iterable[tuple[str, nn.Parameter]], lr: float, momentum: float = 0.95, weight_decay: float = 0.0
    ) -> None:
        shapes: dict[tuple[int, int, int], list[nn.Parameter]] = {}
        for name, weight in named:
            rows, columns = weight.shape
            pieces = rows // columns if name.endswith("qkv.weight") else 1
            shapes.setdefault((pieces, rows // pieces, columns), []).append(weight)
        groups = [{"params": weights, "pieces": pieces} for (pieces, _, _), weights in shapes.items()]
        super().__init__(groups, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Take one step along the orthogonalised momentum."""
        for group in self.param_groups:
            weights = group["params"]
            gradient = torch.stack([w.grad for w in weights])  # (n, pieces * r, c)
            state = self.state[weights[0]]
            momentum = state.setdefault("momentum", torch.zeros_like(gradient))
            momentum.lerp_(gradient, 1 - group["momentum"])
            ahead = gradient.lerp(momentum, group["momentum"])
            maps = ahead.unflatten(1, (group["pieces"], -1)).flatten(0, 1)  # (n * pieces, r, c)
            tall = maps.shape[1] > maps.shape[2]
            update = orthogonalise(maps.mT if tall else maps)
            update = (update.mT if tall else update).reshape(gradient.shape)  # (n, pieces * r, c)
            torch._foreach_mul_(weights, 1 - group["lr"] * group["weight_decay"])
            size = 0.2 * max(maps.shape[1:]) ** 0.5
            torch._foreach_add_(weights, list(update.unbind()), alpha=-group["lr"] * size)


def build(
    model: nn.Module, muon_rate: float, adamw_rate: float, weight_decay: float
) -> tuple[torch.optim.Optimizer, torch.optim.Optimizer]:
    """Give each parameter its optimizer: Muon for matrices in blocks, AdamW for the rest (no decay on the rest's 1-D).

    Returns:
        Muon and AdamW. Each group's `base_lr` is the rate that the schedule multiplies.
    """
    inside = [(n, p) for n, p in model.named_parameters() if n.startswith("blocks.") and p.ndim == 2]
    chosen = {id(p) for _, p in inside}
    rest = [p for p in model.parameters() if id(p) not in chosen]
    muon = Muon(inside, muon_rate, weight_decay=weight_decay)
    adamw = torch.optim.AdamW(
        [
            {"params": [p for p in rest if p.ndim > 1], "weight_decay": weight_decay},
            {"params": [p for p in rest if p.ndim <= 1], "weight_decay": 0.0},
        ],
        adamw_rate,
        betas=(0.9, 0.95),
        fused=True,
    )
    for optimizer in (muon, adamw):
        for group in optimizer.param_groups:
            group["base_lr"] = group["lr"]
    return muon, adamw
