"""Hugging Face's ViT and vit-pytorch's transformer with the same weights have the same attention."""

import torch
import transformers
from torch import nn
from vit_pytorch import vit as vit_pytorch

from tests import tiny

D, A, L, M, K = tiny.D, tiny.A, tiny.L, tiny.M, tiny.K
PARAMETERS = ("weight", "bias")


def to_hugging_face(weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Rename weights to those of Hugging Face's `ViTForImageClassification`."""
    renamed = {
        "vit.embeddings.cls_token": weights["cls_token"],
        "vit.embeddings.position_embeddings": weights["pos_embed"],
    }
    for part in PARAMETERS:
        renamed[f"vit.embeddings.patch_embeddings.projection.{part}"] = weights[f"patch_embed.proj.{part}"]
        renamed[f"vit.layernorm.{part}"] = weights[f"norm.{part}"]
        renamed[f"classifier.{part}"] = weights[f"head.{part}"]
        for layer in range(L):
            block, other = f"blocks.{layer}", f"vit.layers.{layer}"
            for name, value in zip("qkv", weights[f"{block}.attn.qkv.{part}"].chunk(3), strict=True):
                renamed[f"{other}.attention.{name}_proj.{part}"] = value
            renamed[f"{other}.attention.o_proj.{part}"] = weights[f"{block}.attn.proj.{part}"]
            renamed[f"{other}.layernorm_before.{part}"] = weights[f"{block}.norm1.{part}"]
            renamed[f"{other}.layernorm_after.{part}"] = weights[f"{block}.norm2.{part}"]
            for name in ("fc1", "fc2"):
                renamed[f"{other}.mlp.{name}.{part}"] = weights[f"{block}.mlp.{name}.{part}"]
    return renamed


@torch.no_grad()
def test_hugging_face_has_the_same_logits_and_attention():
    model, images = tiny.model(tiny.VARIANTS["qkv bias"]), tiny.images()
    config = transformers.ViTConfig(
        image_size=[tiny.H, tiny.W],
        patch_size=4,
        hidden_size=D,
        num_hidden_layers=L,
        num_attention_heads=A,
        intermediate_size=M,
        num_labels=K,
        layer_norm_eps=1e-6,
        qkv_bias=True,
        attn_implementation="eager",  # the fused implementation does not return attention
    )
    other = transformers.ViTForImageClassification(config).eval()
    other.load_state_dict(to_hugging_face(model.state_dict()))
    expected = other(images, output_attentions=True)
    output = model.forward_with_attention(images, "full")
    torch.testing.assert_close(output.logits, expected.logits, rtol=0, atol=1e-5)
    torch.testing.assert_close(output.attention, torch.stack(expected.attentions), rtol=0, atol=1e-5)


@torch.no_grad()
def test_vit_pytorch_has_the_same_tokens_and_attention():
    model, images = tiny.model(), tiny.images()
    other = vit_pytorch.Transformer(D, L, A, D // A, M).eval()
    attentions = []
    for (attention, forward), block in zip(other.layers, model.blocks, strict=True):
        norm, first, second = forward.net[0], forward.net[1], forward.net[4]
        pairs = [(attention.norm, block.norm1), (attention.to_qkv, block.attn.qkv), (norm, block.norm2)]
        pairs += [(attention.to_out[0], block.attn.proj), (first, block.mlp.fc1), (second, block.mlp.fc2)]
        for target, source in pairs:
            target.load_state_dict(source.state_dict())
        attention.attend.register_forward_hook(lambda module, inputs, output: attentions.append(output))
    other.norm.load_state_dict(model.norm.state_dict())
    for module in other.modules():
        if isinstance(module, nn.LayerNorm):
            module.eps = 1e-6
    output = model.forward_with_attention(images, "full")
    tokens = other(output.tokens[0])
    torch.testing.assert_close(output.attention, torch.stack(attentions), rtol=0, atol=1e-5)
    torch.testing.assert_close(model.norm(output.tokens[-1]), tokens, rtol=0, atol=1e-5)
