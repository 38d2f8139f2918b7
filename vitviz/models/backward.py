"""Forward passes of a ViT whose backward pass follows other rules, without changing the network.

The rules replace single operations while the mode is active, in the thread that activates it. The values of the forward
pass stay those of the network up to rounding; only the gradients differ. With g the gradient of a logit by these rules,
x * g is a contribution in logits: contributions of the tokens of any layer, of the biases and of the constants after it
sum to the logit, as each replaced operation is linear once its detached factor is fixed. Letters in shape comments are
those of `vitviz.models.vit`.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from vitviz.models.vit import HeadMask, HeadMasks, Transformer

Operation = Callable[..., Any]
RuleSet = Literal["balanced", "attn_lrp"]


def layer_norm(
    x: Tensor,
    normalized_shape: list[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """LayerNorm of the last dimension whose standard deviation is a constant: (x - mean) / sd.detach() * w + b."""
    rstd = torch.native_layer_norm(x.detach(), normalized_shape, None, None, eps)[2]  # (..., 1)
    x = (x - x.mean(-1, keepdim=True)) * rstd
    return torch.addcmul(bias, x, weight) if weight is not None and bias is not None else x


def gelu(x: Tensor, approximate: str = "none") -> Tensor:
    """GELU with a constant factor: x * Phi(x).detach(); Phi(0) is 1/2."""
    y = F.gelu(x.detach(), approximate=approximate)
    return x * torch.where(x == 0, 0.5, y / x.detach())


def silu(x: Tensor, inplace: bool = False) -> Tensor:
    """SiLU with a constant factor: x * sigmoid(x).detach()."""
    return x * torch.sigmoid(x.detach())


def detach(operation: Operation) -> Operation:
    """Return an operation whose result is a constant."""
    return lambda *args, **options: operation(*args, **options).detach()


def halve(operation: Operation) -> Operation:
    """Return a product that passes half of the gradient to each of two activations; parameters and constants as is."""

    def halved(a: Any, b: Any) -> Any:
        factors = [x for x in (a, b) if isinstance(x, Tensor) and x.grad_fn is not None]
        if len(factors) < 2:
            return operation(a, b)
        return operation(*((x + x.detach()) / 2 for x in factors))

    return halved


def refuse(*args: object, **options: object) -> Any:
    """Refuse the fused attention kernel, whose gradient is the ordinary one."""
    raise ValueError("Backward rules need explicit attention: request full attention.")


RULES: dict[RuleSet, Mapping[Operation, Operation]] = {
    # LibraGrad (Mehri et al. 2025, arXiv 2411.16760, section 4): attention weights and gates are constants too
    "balanced": {
        F.layer_norm: layer_norm,
        F.gelu: gelu,
        F.silu: detach(F.silu),
        torch.sigmoid: detach(torch.sigmoid),
        torch.Tensor.softmax: detach(torch.Tensor.softmax),
        F.scaled_dot_product_attention: refuse,
    },
    # AttnLRP (Achtibat et al. 2024, arXiv 2402.05602, section 3) as gradients (Arras et al. 2025, arXiv 2502.15886)
    "attn_lrp": {
        F.layer_norm: layer_norm,
        F.gelu: gelu,
        F.silu: silu,
        torch.sigmoid: detach(torch.sigmoid),
        torch.Tensor.matmul: halve(torch.Tensor.matmul),
        torch.Tensor.mul: halve(torch.Tensor.mul),
        F.scaled_dot_product_attention: refuse,
    },
}


class BackwardRules(TorchFunctionMode):
    """Mode in which the operations of a forward pass get other gradients.

    Args:
        rules: "balanced" or "attn_lrp"; see `RULES`. Forward passes in this mode must request full attention.
    """

    def __init__(self, rules: RuleSet) -> None:
        super().__init__()
        self.rules = RULES[rules]

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call the operation's rule, or the operation itself."""
        return self.rules.get(func, func)(*args, **(kwargs or {}))


@dataclass(frozen=True)
class DirectPaths:
    """A forward pass in which nothing but the residual stream passes gradients.

    The gradient of a logit with respect to `embedding`, `heads` and `mlps` covers the direct path to the classification
    head alone: the outputs of heads and MLPs are leaves, so no gradient passes through the branches of later blocks.

    Attributes:
        logits: (B, K).
        embedding: Input of the first block, (B, T, D).
        heads: Outputs of the heads of each block before the output projection, L x (B, A, T or 1, d).
        mlps: Output of the last linear layer of each block's MLP, L x (B, T or 1, D).
        attention: Attention weights of the tokens that the classification head reads if it reads the class token alone,
            L x (B, A, 1, T), or of all tokens, L x (B, A, T, T).
        tokens: Input of each block, L x (B, T, D).
        biases: Biases that are added to the residual stream or after it, with the block of those that belong to an
            attention layer, else None.
    """

    logits: Tensor
    embedding: Tensor
    heads: list[Tensor]
    mlps: list[Tensor]
    attention: list[Tensor]
    tokens: list[Tensor]
    biases: list[tuple[int | None, nn.Parameter]]


class HeadLeaf(HeadMask):
    """A head mask that makes the masked head outputs a leaf of the autograd graph, kept in `output`."""

    def apply(self, mixed: Tensor) -> Tensor:
        """Mask the head outputs (B, A, Q, d) -> (B, A, Q, d)."""
        self.output = super().apply(mixed).detach().requires_grad_()
        return self.output


class ResidualStream(BackwardRules):
    """The balanced rules along the residual stream; without gradient elsewhere, to be active within `torch.no_grad`.

    The input of the first block and the outputs of the MLPs' last layers become leaves of the autograd graph.
    Operations on them and on what follows from them are recorded, except for the norms at which a branch starts.

    Attributes:
        tokens: Input of each block so far, (B, T, D).
        mlps: Output of each MLP's last layer so far, (B, T, D).
    """

    def __init__(self, model: Transformer) -> None:
        super().__init__("balanced")
        blocks = cast(Any, model.blocks)
        self.first_norms = {id(block.norm1.weight) for block in blocks}
        self.branches = {id(norm.weight) for block in blocks for norm in block.branch_norms()}
        self.last_layers = {id(block.mlp.fc2.weight) for block in blocks}
        self.tokens: list[Tensor] = []
        self.mlps: list[Tensor] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call the operation's rule and record it if its input is on the stream, or the operation itself."""
        options = kwargs or {}
        if func is F.layer_norm:
            norm = id(options["weight"])
            if norm in self.first_norms:
                self.tokens.append(args[0] if self.tokens else args[0].requires_grad_())
            if norm in self.branches:
                return func(args[0].detach(), *args[1:], **options)
        if func is F.linear and id(args[1]) in self.last_layers:
            self.mlps.append(func(*args, **options).requires_grad_())
            return self.mlps[-1]
        if has_gradient(args):
            with torch.enable_grad():
                return self.rules.get(func, func)(*args, **options)
        return func(*args, **options)


def has_gradient(args: Iterable[object]) -> bool:
    """Whether an argument depends on a leaf: not on parameters, whose views require gradients within `no_grad`, too."""
    for x in args:
        if isinstance(x, list) and has_gradient(x):
            return True
        if type(x) is Tensor and x.requires_grad and not isinstance(x._base, nn.Parameter):
            return True
    return False


def forward_direct(model: Transformer, images: Tensor, keep: Tensor | None, head_masks: HeadMasks) -> DirectPaths:
    """Run the network with gradients along the residual stream alone; arguments as for `Transformer.forward`."""
    config = model.config
    ones = images.new_ones(config.num_heads)
    zeros = images.new_zeros(config.num_heads, config.head_dim)
    masks = head_masks or [None] * config.depth
    leaves = [HeadLeaf(*(mask or (ones, zeros))) for mask in masks]
    with torch.no_grad(), ResidualStream(model) as stream:
        reads_one = config.global_pool == "token" and not config.distilled
        forward = model.forward_blocks(images, "cls" if reads_one else "full", keep, leaves)
    attention = [cast(Tensor, block.weights) for block in forward.blocks]
    attention = [weights.unsqueeze(2) for weights in attention] if reads_one else attention
    heads, tokens = [leaf.output for leaf in leaves], stream.tokens
    return DirectPaths(forward.logits, tokens[0], heads, stream.mlps, attention, tokens, stream_biases(model))


def stream_biases(model: Transformer) -> list[tuple[int | None, nn.Parameter]]:
    """Return all biases but those of the embedding, each with its block if it belongs to an attention layer."""
    found: list[tuple[int | None, nn.Parameter]] = []
    for name, parameter in model.named_parameters():
        if name.endswith("bias") and not name.startswith(("patch_embed.", "norm_pre.")):
            layer = re.match(r"blocks\.(\d+)\.attn\.", name)
            found.append((int(layer[1]) if layer else None, parameter))
    return found
