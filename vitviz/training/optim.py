"""Optimizers: Muon for matrices in the blocks with AdamW for the rest, or AdamW or Adam for all.

Muon (Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks") replaces the momentum of each
matrix by its nearest semi-orthogonal matrix. Matrices of equal shape are stacked and processed by one batched product.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial

import torch
from torch import Tensor, nn

from vitviz.errors import CheckpointError
from vitviz.training.config import TrainConfig
from vitviz.training.distributed import Distributed

RESTART = "Train again from the start with `restart=True`."
EMBEDDINGS = ("cls_token", "reg_token", "pos_embed", "patch_embed", "norm_pre")
QUINTIC = (3.4445, -4.7750, 2.0315)  # a x + b x^3 + c x^5 moves singular values in 0..1 close to 1 (Jordan et al.)


def orthogonalize(matrices: Tensor, steps: int = 5) -> Tensor:
    """Move all singular values of each matrix close to 1 by Newton-Schulz iteration.

    Under autocast the products are in bfloat16, which is sufficient (Jordan et al. 2024).

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
    """Orthogonalized momentum for matrices; a filter of a convolution is one row of its matrix.

    A weight of shape (k c, c) with k > 1 whose name ends in `qkv.weight` holds k matrices and is split into them.
    Updates are scaled to the typical RMS of AdamW's (Liu et al. 2025, arXiv 2502.16982: 0.2 * sqrt(longer side)), so
    that both can use one learning rate.

    Args:
        named: Names and parameters, of two dimensions or more.
        lr: Learning rate.
        distributed: Process group; each process orthogonalizes its shard of the matrices.
        momentum: Decay of the momentum (Nesterov).
        weight_decay: Decoupled weight decay.
        lr_scale: Returns the factor of the learning rate of a weight by its name.
    """

    def __init__(
        self,
        named: Iterable[tuple[str, nn.Parameter]],
        lr: float,
        distributed: Distributed,
        momentum: float = 0.95,
        weight_decay: float = 0.0,
        lr_scale: Callable[[str], float] = lambda name: 1.0,
    ) -> None:
        self.distributed = distributed
        shapes: dict[tuple[int, int, int, float], list[nn.Parameter]] = {}
        for name, weight in named:
            rows, columns = weight.flatten(1).shape
            pieces = rows // columns if name.endswith("qkv.weight") else 1
            shapes.setdefault((pieces, rows // pieces, columns, lr_scale(name)), []).append(weight)
        groups = [
            {"params": weights, "pieces": pieces, "lr": lr * scale} for (pieces, _, _, scale), weights in shapes.items()
        ]
        super().__init__(groups, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Take one step along the orthogonalized momentum."""
        for group in self.param_groups:
            weights = group["params"]
            gradient = torch.stack([w.grad.flatten(1) for w in weights])  # (n, pieces * r, c)
            state = self.state[weights[0]]
            momentum = state.setdefault("momentum", torch.zeros_like(gradient))
            momentum.lerp_(gradient, 1 - group["momentum"])
            nesterov = gradient.lerp(momentum, group["momentum"])
            matrices = nesterov.unflatten(1, (group["pieces"], -1)).flatten(0, 1)  # (n * pieces, r, c)
            is_tall = matrices.shape[1] > matrices.shape[2]
            update = self.distributed.map_sharded(orthogonalize, matrices.mT if is_tall else matrices)
            update = (update.mT if is_tall else update).reshape(gradient.shape)  # (n, pieces * r, c)
            torch._foreach_mul_(weights, 1 - group["lr"] * group["weight_decay"])
            scale = 0.2 * max(matrices.shape[1:]) ** 0.5
            updates = [one.view_as(weight) for one, weight in zip(update, weights, strict=True)]
            torch._foreach_add_(weights, updates, alpha=-group["lr"] * scale)


def create_optimizers(model: nn.Module, config: TrainConfig, distributed: Distributed) -> list[torch.optim.Optimizer]:
    """Create the optimizers of all parameters that require gradients.

    Parameters of one dimension, such as biases and the gains of norms, have no weight decay.

    Returns:
        Muon for the matrices in the blocks if `config.optimizer` is "muon", then Adam or AdamW for the rest. `base_lr`
        of each parameter group is its peak learning rate.
    """
    trainable = {n: p for n, p in model.named_parameters() if p.requires_grad}
    use_muon = config.optimizer == "muon"
    matrices = {n: p for n, p in trainable.items() if use_muon and "blocks." in n and p.ndim > 1}
    lr_scale = partial(layer_lr_scale, layer_decay=config.layer_decay or 1.0, depth=config.model.depth)
    rest: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, weight in trainable.items():
        if name not in matrices:
            decay = config.weight_decay if weight.ndim > 1 else 0.0
            rest.setdefault((lr_scale(name), decay), []).append(weight)
    groups = [
        {"params": weights, "lr": config.lr * scale, "weight_decay": decay} for (scale, decay), weights in rest.items()
    ]
    adam = torch.optim.Adam if config.optimizer == "adam" else torch.optim.AdamW
    betas = (0.9, 0.95) if use_muon else (0.9, 0.999)  # usual values with Muon, and of PyTorch
    optimizers: list[torch.optim.Optimizer] = [adam(groups, config.lr, betas=betas, fused=True)]
    if matrices:
        muon = Muon(matrices.items(), config.muon_lr, distributed, weight_decay=config.weight_decay, lr_scale=lr_scale)
        optimizers.insert(0, muon)
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["base_lr"] = group["lr"]
    return optimizers


def layer_lr_scale(name: str, layer_decay: float, depth: int) -> float:
    """Return the factor of the learning rate of a parameter under layer-wise decay.

    It is `layer_decay` to the power of the number of layers above: 0 for the head, 1 for the last block and the norm
    after it, depth + 1 for the embeddings, as in timm's `param_groups_layer_decay` (Bao et al. 2022, arXiv 2106.08254).
    """
    if block := re.match(r"blocks\.(\d+)", name):
        layer = int(block[1]) + 1
    elif name.startswith(EMBEDDINGS):
        layer = 0
    else:
        layer = depth if name.startswith("norm") else depth + 1
    return layer_decay ** (depth + 1 - layer)


def load_states(
    optimizers: list[torch.optim.Optimizer], states: list[dict[int, dict[str, Tensor]]], has_stepped: bool
) -> None:
    """Load the states of the optimizers of a saved run.

    Raises:
        CheckpointError: If they have other tensors than the optimizers.
    """
    if len(states) != (len(optimizers) if has_stepped else 0):
        raise CheckpointError("The saved state must have the tensors of all optimizers.", RESTART, "optimizers")
    for optimizer, tensors in zip(optimizers, states, strict=False):
        for index, found in tensors.items():
            check_same_tensors(f"optimizer {index}", found, state_of(optimizer, index))
        optimizer.load_state_dict({"state": tensors, "param_groups": optimizer.state_dict()["param_groups"]})


def state_of(optimizer: torch.optim.Optimizer, index: int) -> dict[str, Tensor]:
    """Return tensors like those in the state of a parameter after a step; none if it has no state.

    Args:
        optimizer: From `create_optimizers`.
        index: Position of the parameter, as in the optimizer's `state_dict`.
    """
    for group in optimizer.param_groups:
        if index < len(group["params"]):
            break
        index -= len(group["params"])
    else:
        return {}
    weight = group["params"][index]
    if isinstance(optimizer, Muon):
        shape = (len(group["params"]), *weight.flatten(1).shape)
        return {} if index else {"momentum": torch.empty(shape, device="meta")}
    return {"step": torch.empty((), device="meta"), "exp_avg": weight, "exp_avg_sq": weight}


def check_same_tensors(kind: str, found: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> None:
    """Raise CheckpointError for the first tensor of a saved state that differs in name, shape or dtype."""
    for name in sorted(expected.keys() | found.keys()):
        problem = ""
        if name not in found or name not in expected:
            problem = "is missing" if name in expected else "is unexpected"
        elif (expected[name].shape, expected[name].dtype) != (found[name].shape, found[name].dtype):
            (shape, dtype), (other, kept) = ((list(one[name].shape), one[name].dtype) for one in (expected, found))
            problem = f"must be {dtype} of shape {shape}: got {kept} of {other!s:.80}"
        if problem:
            raise CheckpointError(
                f"The saved state must be that of the run: {kind} {name:.80} {problem}.", RESTART, name
            )
