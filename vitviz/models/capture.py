"""The attention of any PyTorch transformer, recorded while it runs, without changes of the module.

PyTorch calls a `TorchFunctionMode` for each of its functions. This one replaces `scaled_dot_product_attention`, which
returns no weights, by its formula; records each softmax over the last axis of a product of queries and keys; and runs
`multi_head_attention_forward` so that its inner functions are seen. Attention that a custom kernel or TorchScript
computes is not seen.
"""

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from vitviz.errors import CheckpointError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SOFTMAX = {F.softmax, torch.softmax, Tensor.softmax, torch.special.softmax}
PRODUCTS = {
    *(torch.matmul, torch.bmm, torch.baddbmm, torch.einsum, Tensor.matmul, Tensor.bmm, Tensor.baddbmm),
    *(Tensor.__matmul__, Tensor.__rmatmul__),
}


JOINS = {torch.cat, torch.concat}  # a column of sinks


def always_false(tensors: object) -> bool:
    """Stand in for PyTorch's test whether a function is replaced, in a function that a mode runs itself."""
    return False


# The function without its own dispatch, so that the functions that it calls reach the mode.
MULTI_HEAD = FunctionType(
    F.multi_head_attention_forward.__code__,
    F.multi_head_attention_forward.__globals__ | {"has_torch_function": always_false},
    "multi_head_attention_forward",
    F.multi_head_attention_forward.__defaults__,
)
MULTI_HEAD.__kwdefaults__ = F.multi_head_attention_forward.__kwdefaults__


class CaptureMode(TorchFunctionMode):
    """Calls `attend` for each product of queries and keys that a softmax follows.

    Args:
        attend: Function of the weights after the softmax, (..., Q, K), and the logits before it, which returns the
            weights that the module goes on with, usually the same ones.
    """

    def __init__(self, attend: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.attend = attend
        # Tensors by what they are computed from: True for products of queries and keys, False for attention weights.
        self.products = WeakIdKeyDictionary()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run a function of PyTorch."""
        kwargs = kwargs or {}
        if func is F.scaled_dot_product_attention:
            return self.scaled_dot_product_attention(*args, **kwargs)
        if func is F.multi_head_attention_forward:
            with self:
                return MULTI_HEAD(*args, **kwargs)
        out = func(*args, **kwargs)
        if not isinstance(out, Tensor):
            return out
        inputs = [x for x in flatten(args) if isinstance(x, Tensor)]
        known = next((self.products[x] for x in inputs if x in self.products), None)
        if func in SOFTMAX and known and is_last_axis(out, args, kwargs):
            out = self.attend(out, inputs[0])
            self.products[out] = False
        elif func in PRODUCTS and known is None and out.ndim > 2 and all(x.ndim > 2 for x in inputs):
            self.products[out] = True
        elif (
            known is not None and func not in PRODUCTS and (out.numel() in {x.numel() for x in inputs} or func in JOINS)
        ):
            self.products[out] = known  # scaled, masked, biased, dropped out or reshaped
        return out

    def scaled_dot_product_attention(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> Tensor:
        """Compute PyTorch's function by its formula; arguments as there."""
        if enable_gqa:
            key, value = (x.repeat_interleave(query.shape[-3] // x.shape[-3], -3) for x in (key, value))
        logits = (query * (query.shape[-1] ** -0.5 if scale is None else scale)) @ key.mT
        if is_causal:
            attn_mask = torch.ones(logits.shape[-2:], dtype=torch.bool, device=logits.device).tril()
        if attn_mask is not None:
            is_bool = attn_mask.dtype == torch.bool
            logits = logits.masked_fill(~attn_mask, -math.inf) if is_bool else logits + attn_mask
        weights = logits.softmax(-1)
        if attn_mask is not None:  # a row without any key gets zeros
            weights = weights.masked_fill(logits.isneginf().all(-1, keepdim=True), 0)
        weights = self.attend(weights, logits)
        return F.dropout(weights, dropout_p) @ value if dropout_p else weights @ value


def flatten(values: Any) -> Iterator[Any]:
    """Generate values, and those in lists, such as the operands of `einsum`."""
    for value in values:
        yield from value if isinstance(value, list | tuple) else [value]


def is_last_axis(out: Tensor, args: Any, kwargs: Any) -> bool:
    """Whether a softmax is over the last axis."""
    axis = args[1] if len(args) > 1 else kwargs.get("dim", kwargs.get("axis", -1))
    return axis in (-1, out.ndim - 1)


@contextmanager
def evaluating(module: nn.Module) -> Iterator[None]:
    """Run a module in evaluation mode; afterwards each of its parts has the mode that it had.

    The modes are set, not `eval` called, which some modules use to change their weights.
    """
    training = [(part, part.training) for part in module.modules()]
    try:
        for part in module.modules():
            part.training = False
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        for part, was_training in training:
            part.training = was_training


def unwrap(module: nn.Module) -> nn.Module:
    """Return the module inside `torch.compile` and DataParallel, which compute the same."""
    while (inner := module._modules.get("_orig_mod") or module._modules.get("module")) is not None:
        if "_orig_mod" not in module._modules and not isinstance(module, nn.DataParallel):
            break
        module = inner
    return module


@dataclass(frozen=True)
class CapturedAttention:
    """The weights of one attention layer.

    Attributes:
        module: Name of the module that computed it, such as "blocks.0.attn".
        weights: After the softmax, (..., Q, K) as the module computes them: usually (B, A, T, T), with windows
            (B * W, A, Q, K). Each row sums to 1; attached to the graph where gradients are enabled.
    """

    module: str
    weights: Tensor


@dataclass(frozen=True)
class Captured:
    """The output of a module and its attention, in the order in which it was computed.

    Attributes:
        output: What the module returned.
        attention: One entry per attention layer.
    """

    output: Any
    attention: tuple[CapturedAttention, ...]

    def figure(self, layer: int = -1) -> "Figure":
        """Draw the weights of one layer as a plain matrix, queries by keys, the mean over all leading axes."""
        from matplotlib.figure import Figure

        one = self.attention[layer]
        weights = one.weights.detach().float().cpu().numpy()
        figure = Figure(figsize=(5, 4.2), layout="constrained")
        axes = figure.subplots()
        image = axes.imshow(weights.reshape(-1, *weights.shape[-2:]).mean(0), interpolation="nearest")
        axes.set(title=one.module, xlabel="key", ylabel="query")
        figure.colorbar(image, label="attention weight, mean")
        return figure


def capture(module: nn.Module, *images: Any, **kwargs: Any) -> Captured:
    """Run a module and return the attention of all its layers.

    The module is run in evaluation mode, whatever its attention is implemented by: `scaled_dot_product_attention`,
    `nn.MultiheadAttention`, or products with a softmax, written with `@` or `einsum`. Its weights, modes and hooks do
    not change.

    Args:
        module: Any module that runs attention.
        images: Its inputs, usually normalized images (B, 3, H, W).
        kwargs: Its other arguments.

    Example:
        >>> import torch, vitviz
        >>> layer = torch.nn.TransformerEncoderLayer(16, 2, batch_first=True)
        >>> vitviz.capture(layer, torch.randn(1, 5, 16)).attention[0].weights.shape
        torch.Size([1, 2, 5, 5])

    Raises:
        CheckpointError: If the module runs no attention that can be seen.
    """
    if not isinstance(module, nn.Module):
        raise CheckpointError(f"The model must be a module: got a {type(module).__name__}", field="module")
    inner = unwrap(module)
    names = {id(part): name for name, part in inner.named_modules()}
    found: list[CapturedAttention] = []

    def attend(weights: Tensor, logits: Tensor) -> Tensor:
        found.append(CapturedAttention(find_name(names), weights))
        return weights

    with evaluating(inner), CaptureMode(attend):
        output = inner(*images, **kwargs)
    if not found:
        raise no_attention(inner)
    return Captured(output, tuple(found))


def no_attention(module: nn.Module) -> CheckpointError:
    """Return the error for a module in which no attention is seen."""
    return CheckpointError(
        f"The model must run attention: {type(module).__name__} computes none that can be seen",
        "A softmax over a product of queries and keys is seen, and PyTorch's attention functions; custom kernels, "
        "flex_attention and TorchScript are not.",
        "module",
    )


def find_name(names: dict[int, str]) -> str:
    """Return the name of the innermost module that is running, from the frames of the call."""
    frame = sys._getframe(1)
    while frame is not None:
        running = frame.f_locals.get("self")
        if isinstance(running, nn.Module) and id(running) in names:
            return names[id(running)]
        frame = frame.f_back  # type: ignore[assignment]
    return ""
