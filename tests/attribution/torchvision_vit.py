"""Torchvision's ViT with given weights, and input times gradient of it by published rules, written out."""

import torch
import torch.nn.functional as F
from torch import Tensor
from torchvision.models import VisionTransformer

from vitviz.models.config import ViTConfig
from vitviz.models.vit import ViT

CONFIG = ViTConfig(
    img_size=(32, 32),
    patch_size=8,
    embed_dim=24,
    depth=3,
    num_heads=3,
    mlp_ratio=2.5,
    num_classes=5,
    qkv_bias=True,
    qk_norm=False,
)


def convert(network: ViT) -> VisionTransformer:
    """Create torchvision's network with the same weights."""
    config = network.config
    other = VisionTransformer(
        image_size=config.img_size[0],
        patch_size=config.patch_size,
        num_layers=config.depth,
        num_heads=config.num_heads,
        hidden_dim=config.embed_dim,
        mlp_dim=config.mlp_hidden_dim,
        num_classes=config.num_classes,
    )
    names = {"class_token": "cls_token", "encoder.pos_embedding": "pos_embed"}
    pairs = [("conv_proj", "patch_embed.proj"), ("encoder.ln", "norm"), ("heads.head", "head")]
    for layer in range(config.depth):
        block, ours = f"encoder.layers.encoder_layer_{layer}", f"blocks.{layer}"
        pairs += [(f"{block}.ln_1", f"{ours}.norm1"), (f"{block}.ln_2", f"{ours}.norm2")]
        pairs += [(f"{block}.mlp.0", f"{ours}.mlp.fc1"), (f"{block}.mlp.3", f"{ours}.mlp.fc2")]
        pairs += [(f"{block}.self_attention.out_proj", f"{ours}.attn.proj")]
        for part in ("weight", "bias"):
            names[f"{block}.self_attention.in_proj_{part}"] = f"{ours}.attn.qkv.{part}"
    names |= {f"{theirs}.{part}": f"{ours}.{part}" for theirs, ours in pairs for part in ("weight", "bias")}
    weights = network.state_dict()
    other.load_state_dict({theirs: weights[ours] for theirs, ours in names.items()})
    return other.to(next(network.parameters()).dtype).eval()


class DivideGradient(torch.autograd.Function):
    """The identity, whose gradient is divided."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad / ctx.factor, None


def layer_norm(x: Tensor, norm: torch.nn.LayerNorm) -> Tensor:
    """LayerNorm with a constant standard deviation."""
    sd = (x.var(-1, correction=0, keepdim=True) + norm.eps).sqrt().detach()
    return (x - x.mean(-1, keepdim=True)) / sd * norm.weight + norm.bias


def gelu(x: Tensor) -> Tensor:
    """GELU with a constant factor."""
    return x * (0.5 * (1 + torch.erf(x / 2**0.5))).detach()


def attention(x: Tensor, layer: torch.nn.MultiheadAttention, rule: str) -> Tensor:
    """Self-attention; "balanced": constant weights, "attn_lrp": products of activations pass half of the gradient."""
    q, k, v = (
        part.unflatten(-1, (layer.num_heads, -1)).transpose(1, 2)
        for part in F.linear(x, layer.in_proj_weight, layer.in_proj_bias).chunk(3, -1)
    )
    if rule == "attn_lrp":
        q, k, v = DivideGradient.apply(q, 4), DivideGradient.apply(k, 4), DivideGradient.apply(v, 2)
    weights = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1)
    mixed = (weights.detach() if rule == "balanced" else weights) @ v
    return F.linear(mixed.transpose(1, 2).flatten(2), layer.out_proj.weight, layer.out_proj.bias)


def products(other: VisionTransformer, image: Tensor, rule: str, label: int) -> tuple[Tensor, list[Tensor], Tensor]:
    """Return logits (K,), and input times gradient of each block's input, L x (T, D), and of the pixels, (3, H, W)."""
    image = image[None].clone().requires_grad_()
    patches = other.conv_proj(image).flatten(2).mT
    x = torch.cat([other.class_token, patches], 1) + other.encoder.pos_embedding
    inputs = []
    for block in other.encoder.layers:
        inputs.append(x)
        x = x + attention(layer_norm(x, block.ln_1), block.self_attention, rule)
        first, _, _, second, _ = block.mlp
        x = x + second(gelu(first(layer_norm(x, block.ln_2))))
    logits = other.heads(layer_norm(x, other.encoder.ln)[:, 0])[0]
    grads = torch.autograd.grad(logits[label], [*inputs, image])
    *tokens, pixels = ((x * grad)[0].detach() for x, grad in zip([*inputs, image], grads, strict=True))
    return logits.detach(), tokens, pixels
