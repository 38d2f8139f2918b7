"""Linear layers in float32 on a CPU by oneDNN, which uses vector instructions that MKL, PyTorch's default, leaves out.

On AMD's processors with AVX-512 its products take half the time of MKL's; on Intel's both are about as fast.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from vitviz.training.device import best_times


class Linear(torch.autograd.Function):
    """`F.linear` by oneDNN, forward and backward."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        """Map (..., D) with a weight (M, D) to (..., M)."""
        ctx.save_for_backward(x, weight)
        ctx.has_bias = bias is not None
        return product(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        """Return the gradients of input, weight and bias for that of the output, (..., M)."""
        x, weight = ctx.saved_tensors
        rows = grad.flatten(0, -2)  # (n, M)
        needed = ctx.needs_input_grad
        return (
            product(grad, weight.mT) if needed[0] else None,
            rows.mT @ x.flatten(0, -2) if needed[1] else None,  # oneDNN would copy both to transpose them
            rows.sum(0) if ctx.has_bias and needed[2] else None,
        )


def product(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute `F.linear` by oneDNN, without gradients."""
    return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")


class OneDNN(TorchFunctionMode):
    """A context in which linear layers of float32 are computed by oneDNN."""

    def __torch_function__(self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call `func`, or oneDNN instead of `F.linear`."""
        if func is F.linear and args[0].dtype == torch.float32:
            return Linear.apply(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))


def is_available() -> bool:
    """Whether this build of PyTorch has oneDNN."""
    return torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")


def is_onednn_faster() -> bool:
    """Return whether a linear layer of a training step's size is clearly faster by oneDNN."""
    if not is_available():
        return False
    x, weight = torch.ones(2048, 256), torch.ones(512, 256)
    own, default = best_times([partial(product, x, weight), partial(F.linear, x, weight)], x.device)
    return own < 0.9 * default
