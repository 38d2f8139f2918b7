"""Forward passes of a ViT whose backward pass follows other rules, without changing the network.

The rules replace single operations while the mode is active, in the thread that activates it. The values of the forward
pass stay those of the network up to rounding; only the gradients differ. With g the gradient of a logit by these rules,
x * g is a contribution in logits: contributions of the tokens of any layer, of the biases and of the constants after it
sum to the logit, as each replaced operation is linear once its detached factor is fixed. Letters in shape comments are
those of `vitviz.models.vit`.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from vitviz import malloc
from vitviz.models.layers import Attentions
from vitviz.models.vit import (
    Attention,
    Block,
    Intervention,
    Interventions,
    Recorder,
    Transformer,
    ViT,
    for_each_block,
)

Operation = Callable[..., Any]
RuleSet = Literal["balanced", "attn_lrp"]


class Normalize(torch.autograd.Function):
    """(x - mean) / sd of the last dimension, in whose backward pass the standard deviation is a constant."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, normalized_shape: list[int], eps: float) -> Tensor:
        """Normalize (..., D) -> (..., D)."""
        normalized, _, rstd = torch.native_layer_norm(x, normalized_shape, None, None, eps)
        ctx.save_for_backward(rstd)  # (..., 1)
        return normalized

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:  # type: ignore[override]
        """Return the gradient of the input, (..., D)."""
        (rstd,) = ctx.saved_tensors
        return (grad - grad.mean(-1, keepdim=True)) * rstd, None, None


def layer_norm(
    x: Tensor,
    normalized_shape: list[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """LayerNorm of the last dimension whose standard deviation is a constant: (x - mean) / sd.detach() * w + b."""
    x = Normalize.apply(x, normalized_shape, eps)
    return torch.addcmul(bias, x, weight) if weight is not None and bias is not None else x


def normalize(x: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """X / ||x|| with a constant norm."""
    return x / x.detach().norm(p, dim, keepdim=True).clamp_min(eps)


def gelu(x: Tensor, approximate: str = "none") -> Tensor:
    """GELU with a constant factor: x * Phi(x).detach(); Phi(0) is 1/2."""
    constant = x.detach()
    if approximate == "none":
        return x * torch.special.ndtr(constant)  # faster than a division by x
    y = F.gelu(constant, approximate=approximate)
    return x * torch.where(constant == 0, 0.5, y / constant)


def silu(x: Tensor, inplace: bool = False) -> Tensor:
    """SiLU with a constant factor: x * sigmoid(x).detach()."""
    return x * torch.sigmoid(x.detach())


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Linear layer; that of a constant, the query of attention pooling, is a constant."""
    y = F.linear(x, weight, bias)
    return y if x.requires_grad else y.detach()


def expand(x: Tensor, *sizes: int) -> Tensor:
    """Expand a tensor; a parameter becomes a constant."""
    return (x.detach() if isinstance(x, nn.Parameter) else x).expand(*sizes)


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
        F.normalize: normalize,
        F.gelu: gelu,
        F.silu: detach(F.silu),
        torch.sigmoid: detach(torch.sigmoid),
        torch.Tensor.softmax: detach(torch.Tensor.softmax),
        F.scaled_dot_product_attention: refuse,
    },
    # AttnLRP (Achtibat et al. 2024, arXiv 2402.05602, section 3) as gradients (Arras et al. 2025, arXiv 2502.15886)
    "attn_lrp": {
        F.layer_norm: layer_norm,
        F.normalize: normalize,
        F.gelu: gelu,
        F.silu: silu,
        F.linear: linear,
        torch.Tensor.expand: expand,
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
class BlockGradients:
    """Gradients of a logit in one image.

    Attributes:
        attention: With respect to the attention weights of each layer, (L, A, T, T), float32; None by other rules.
        products: Inputs of the blocks times their gradients, summed over the channels, (L, T).
        image: With respect to the normalized pixels, (3, H, W).
    """

    attention: Tensor | None
    products: Tensor
    image: Tensor


def backward_by_block(
    model: Transformer,
    image: Tensor,
    tokens: Sequence[Tensor],
    keep: Tensor | None,
    interventions: Interventions,
    logit: Callable[[Tensor], Tensor],
    rules: RuleSet | None = None,
) -> BlockGradients:
    """Compute the gradients of a logit block by block.

    Each block is computed again from its input, so that the activations of one block are in memory, not those of all.

    Args:
        model: The network.
        image: (3, H, W).
        tokens: Input of each block and output of the last, of the image's forward pass, L + 1 x (1, T, D).
        keep: As for `Transformer.forward`.
        interventions: As for `Transformer.forward`.
        logit: Selects the explained logit from the logits (1, K).
        rules: Of the backward pass; None for the ordinary one.
    """
    depth, mode = model.config.depth, nullcontext if rules is None else partial(BackwardRules, rules)
    attention: Tensor | None = None
    products: list[Tensor] = []
    with torch.inference_mode(False), torch.enable_grad():
        last = as_leaf(tokens[-1])
        with mode():
            explained = logit(model.forward_head(last.view_as(last))).sum()
        (grad,) = torch.autograd.grad(explained, last)
        for layer in reversed(range(depth)):
            x = as_leaf(tokens[layer])
            with mode():
                intervention = interventions[layer] if interventions else None
                output, weights = model.run_block(layer, x.view_as(x), keep, intervention)
            grad, *of_weights = torch.autograd.grad(output, [x, *([weights] if rules is None else [])], grad)
            products.append((x.detach() * grad)[0].sum(-1))
            for one in of_weights:
                if attention is None:
                    attention = malloc.empty((depth, *one.shape[1:]), torch.empty(0))
                attention[layer] = one[0]
        pixels = as_leaf(image[None])
        with mode():
            x = model.embed_images(pixels.view_as(pixels), keep)
        (grad,) = torch.autograd.grad(x, pixels, grad)
    return BlockGradients(attention, torch.stack(products[::-1]), grad[0])


def as_leaf(x: Tensor) -> Tensor:
    """Return a copy of a tensor at which a graph begins."""
    return x.clone().requires_grad_()


@dataclass(frozen=True)
class DirectPaths:
    """What each part of the network writes directly into the tokens that the head reads, for one image.

    Products are x * g summed over tokens and channels, in logits: g is the balanced gradient of the explained logit
    along the residual stream alone, no gradient passing through the branches of later blocks.

    Attributes:
        logit: The explained logit.
        embedding: Product of the input of the first block.
        mlp: Products of the MLPs, biases included, L.
        attention_bias: Products of the biases of the attention layers, L.
        bias: Product of the biases after the last block.
        head_grads: Gradients of the outputs of the heads before the output projection, L x (1, A, Q or T, d); only the
            first Q tokens have any.
        attention: Attention weights of the first Q tokens, or of all, L x (A, Q or T, T).
        values: Value vectors of each head, L x (1, A, T, d).
    """

    logit: float
    embedding: float
    mlp: list[float]
    attention_bias: list[float]
    bias: float
    head_grads: list[Tensor]
    attention: Sequence[Tensor]
    values: list[Tensor]


class HeadLeaf(Intervention):
    """An intervention that also makes the head outputs a leaf of the autograd graph; records them and the values."""

    def apply(self, mixed: Tensor, values: Tensor) -> Tensor:
        """Change the head outputs (B, A, Q, d) -> (B, A, Q, d)."""
        self.values = values
        self.output = super().apply(mixed, values).detach().requires_grad_()
        return self.output


class ResidualStream(BackwardRules):
    """The balanced rules along the residual stream; without gradient elsewhere, to be active within `torch.no_grad`.

    The input of the first block and the outputs of the MLPs' last layers become leaves of the autograd graph.
    Operations on them and on what follows from them are recorded, except for the norms at which a branch starts.

    Attributes:
        embedding: Input of the first block, (B, T, D); None before it.
        mlps: Output of each MLP's last layer so far, (B, T, D).
    """

    def __init__(self, model: Transformer) -> None:
        super().__init__("balanced")
        blocks = cast(Any, model.blocks)
        self.first_norm = id(blocks[0].norm1.weight)
        self.branches = {id(norm.weight) for block in blocks for norm in block.branch_norms()}
        self.last_layers = {id(block.mlp.fc2.weight) for block in blocks}
        self.embedding: Tensor | None = None
        self.mlps: list[Tensor] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call the operation's rule and record it if its input is on the stream, or the operation itself."""
        options = kwargs or {}
        if func is F.layer_norm:
            norm = id(options["weight"])
            if norm == self.first_norm and self.embedding is None:
                self.embedding = args[0].requires_grad_()
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


def forward_direct(
    model: Transformer,
    images: Tensor,
    keep: Tensor | None,
    interventions: Interventions,
    logit: Callable[[Tensor], Tensor],
    attention: Sequence[Tensor] | None = None,
) -> DirectPaths:
    """Decompose a logit of one image along the direct paths.

    Args:
        model: The network, with a classification head.
        images: (1, 3, H, W).
        keep: As for `Transformer.forward`.
        interventions: As for `Transformer.forward`.
        logit: Selects the explained logit from the logits (1, K).
        attention: Attention weights of the layers where they are not to be held at once, L x (A, T, T).
    """
    changes = for_each_block(interventions, model.config, images)
    if isinstance(model, ViT):
        with torch.inference_mode():
            return forward_stream(model, images, keep, changes, logit, attention)
    with torch.inference_mode(False), torch.no_grad():
        return forward_recorded(model, images, keep, changes, logit)


def reads_one_token(model: Transformer) -> bool:
    """Whether the classification head reads the class token alone."""
    return model.config.global_pool == "token" and not model.config.distilled


def forward_stream(
    model: ViT,
    images: Tensor,
    keep: Tensor | None,
    interventions: Sequence[Intervention],
    logit: Callable[[Tensor], Tensor],
    attention: Sequence[Tensor] | None,
) -> DirectPaths:
    """Decompose a logit of a plain ViT: nothing is computed on its residual stream, so all blocks share one gradient.

    Arguments are those of `forward_direct`.
    """
    read_one = reads_one_token(model)
    records = [Recorder(*one) for one in interventions]
    x = model.embed_images(images, keep)  # (1, T, D)
    all_tokens = model.config.global_pool != "token"
    returned: Attentions = "cls" if read_one else "full" if attention is None else None
    last, outputs = model.forward_blocks(x, returned, all_tokens, records, keep)
    explained, grad, bias = head_backward(model, last, logit)  # grad: of the residual stream, (1, Q, D)
    Q = grad.shape[1]
    grads, biases = [], []
    for block, record in zip(cast(Iterable[Block], model.blocks), records, strict=True):
        head_grad, product = proj_backward(block.attn, block.ls1(grad), record.heads[:, :, :Q])
        grads.append(head_grad)
        biases.append(product)
    mlp = (torch.stack([record.mlp[:, :Q] for record in records]) * grad).sum((1, 2, 3)).tolist()
    if read_one:
        attention = [cast(Tensor, output.weights)[0].unsqueeze(1) for output in outputs]
    elif attention is None:
        attention = [cast(Tensor, output.weights)[0] for output in outputs]
    values = [record.values for record in records]
    embedding = float((grad * x[:, :Q]).sum())
    return DirectPaths(explained, embedding, mlp, biases, bias, grads, attention, values)


def head_backward(model: ViT, last: Tensor, logit: Callable[[Tensor], Tensor]) -> tuple[float, Tensor, float]:
    """Compute a logit from the output of the last block, (1, Q, D), and its balanced gradient.

    Returns:
        The logit, its gradient (1, Q, D), and the product of the biases after the last block.
    """
    head = model.head
    plain = isinstance(model.norm, nn.LayerNorm) and isinstance(model.fc_norm, nn.Identity)
    plain &= isinstance(model.head_proj, nn.Identity) and not model.config.normalize_head
    if reads_one_token(model) and plain and isinstance(head, nn.Linear):
        explained = float(logit(model.forward_head(last)).sum())
        grad, product = layer_norm_backward(
            model.norm, last, logit(head.weight.mT)
        )  # without autograd, which takes longer
        return explained, grad, product + float(logit(head.bias[None]).sum())
    with torch.inference_mode(False), torch.enable_grad(), BackwardRules("balanced"):
        final = [last.clone().requires_grad_()]
        for name, module in model.named_children():
            if name not in ("patch_embed", "norm_pre", "blocks"):
                final += [parameter for key, parameter in module.named_parameters() if key.endswith("bias")]
        total = logit(model.forward_head(final[0])).sum()
        found = torch.autograd.grad(total, final, allow_unused=True)
    products = (float((x * g).sum()) for x, g in zip(final[1:], found[1:], strict=True) if g is not None)
    return float(total.detach()), found[0], sum(products)


def layer_norm_backward(norm: nn.Module, x: Tensor, grad: Tensor) -> tuple[Tensor, float]:
    """Return the balanced gradient of the input x of a LayerNorm, given that of its output, and its bias' product."""
    norm = cast(nn.LayerNorm, norm)
    product = float((grad * norm.bias).sum())
    grad = grad * norm.weight
    rstd = torch.native_layer_norm(x, list(norm.normalized_shape), None, None, norm.eps)[2]
    return (grad - grad.mean(-1, keepdim=True)) * rstd, product


def proj_backward(attn: Attention, grad: Tensor, mixed: Tensor) -> tuple[Tensor, float]:
    """Return the balanced gradient of the outputs of the heads, and the product of the layer's biases.

    Args:
        attn: The attention layer.
        grad: Gradient of its output, (1, Q, D).
        mixed: Outputs of the heads before the output projection, (1, A, Q, d).
    """
    product = float((grad * attn.proj.bias).sum())
    grad = grad @ attn.proj.weight  # (1, Q, D)
    if isinstance(attn.norm, nn.LayerNorm):
        grad, added = layer_norm_backward(attn.norm, mixed.transpose(1, 2).flatten(2), grad)
        product += added
    return grad.unflatten(-1, (attn.num_heads, -1)).transpose(1, 2), product


def forward_recorded(
    model: Transformer,
    images: Tensor,
    keep: Tensor | None,
    interventions: Sequence[Intervention],
    logit: Callable[[Tensor], Tensor],
) -> DirectPaths:
    """Decompose a logit of any network by recording its residual stream, e.g. one with norms on that stream.

    Arguments are those of `forward_direct`.
    """
    depth = model.config.depth
    leaves = [HeadLeaf(*one) for one in interventions]
    read_one = reads_one_token(model)
    with ResidualStream(model) as stream:
        forward = model.forward_with_blocks(images, "cls" if read_one else "full", keep, leaves)
    weights = [cast(Tensor, block.weights)[0] for block in forward.blocks]
    attention = [w.unsqueeze(1) for w in weights] if read_one else weights
    biases = stream_biases(model)
    parts = [cast(Tensor, stream.embedding), *stream.mlps, *(parameter for _, parameter in biases)]
    outputs = [leaf.output for leaf in leaves]
    with torch.enable_grad():
        explained = logit(forward.logits).sum()
        found = torch.autograd.grad(explained, [*parts, *outputs], allow_unused=True)
    products = [0.0 if g is None else float((x * g).sum()) for x, g in zip(parts, found, strict=False)]
    attention_bias, bias = [0.0] * depth, 0.0
    for (layer, _), product in zip(biases, products[1 + depth :], strict=True):
        if layer is None:
            bias += product
        else:
            attention_bias[layer] += product
    grads = list(found[len(parts) :])
    value, mlp = float(explained.detach()), products[1 : 1 + depth]
    values = [leaf.values for leaf in leaves]
    return DirectPaths(value, products[0], mlp, attention_bias, bias, grads, attention, values)


def stream_biases(model: Transformer) -> list[tuple[int | None, nn.Parameter]]:
    """Return all biases but those of the embedding, each with its block if it belongs to an attention layer."""
    found: list[tuple[int | None, nn.Parameter]] = []
    for name, parameter in model.named_parameters():
        if name.endswith("bias") and not name.startswith(("patch_embed.", "norm_pre.")):
            layer = re.match(r"blocks\.(\d+)\.attn\.", name)
            found.append((int(layer[1]) if layer else None, parameter))
    return found
