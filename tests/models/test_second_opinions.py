"""Second opinions: Hugging Face's ViT and vit-pytorch's transformer, with our weights, see our attention."""

import torch
import transformers
from torch import nn
from vit_pytorch import vit as vit_pytorch

from tests import tiny

D, A, L, M, K = tiny.D, tiny.A, tiny.L, tiny.M, tiny.K
PARTS = ("weight", "bias")


def hugging_face_names(ours: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Our weights by the names of Hugging Face's `ViTForImageClassification`."""
    theirs = {
        "vit.embeddings.cls_token": ours["cls_token"],
        "vit.embeddings.position_embeddings": ours["pos_embed"],
    }
    for part in PARTS:
        theirs[f"vit.embeddings.patch_embeddings.projection.{part}"] = ours[f"patch_embed.proj.{part}"]
        theirs[f"vit.layernorm.{part}"] = ours[f"norm.{part}"]
        theirs[f"classifier.{part}"] = ours[f"head.{part}"]
        for layer in range(L):
            block, other = f"blocks.{layer}", f"vit.layers.{layer}"
            for name, value in zip("qkv", ours[f"{block}.attn.qkv.{part}"].chunk(3), strict=True):
                theirs[f"{other}.attention.{name}_proj.{part}"] = value
            theirs[f"{other}.attention.o_proj.{part}"] = ours[f"{block}.attn.proj.{part}"]
            theirs[f"{other}.layernorm_before.{part}"] = ours[f"{block}.norm1.{part}"]
            theirs[f"{other}.layernorm_after.{part}"] = ours[f"{block}.norm2.{part}"]
            for name in ("fc1", "fc2"):
                theirs[f"{other}.mlp.{name}.{part}"] = ours[f"{block}.mlp.{name}.{part}"]
    return theirs


@torch.no_grad()
def test_hugging_face_finds_the_same_logits_and_the_same_attention():
    model, images = tiny.model(tiny.VARIANTS["qkv bias"]), tiny.images()
    config = transformers.ViTConfig(
        img_size=[tiny.H, tiny.W],
        patch_size=4,
        hidden_size=D,
        num_hidden_layers=L,
        num_attention_heads=A,
        intermediate_size=M,
        num_labels=K,
        layer_norm_eps=1e-6,
        qkv_bias=True,
        attn_implementation="eager",  # the fused one returns no weights
    )
    other = transformers.ViTForImageClassification(config).eval()
    other.load_state_dict(hugging_face_names(model.state_dict()))
    found = other(images, output_attentions=True)
    trace = model.forward_with_attention(images, "full")
    torch.testing.assert_close(trace.logits, found.logits, rtol=0, atol=1e-5)
    torch.testing.assert_close(trace.attention, torch.stack(found.attentions), rtol=0, atol=1e-5)


@torch.no_grad()
def test_vit_pytorchs_transformer_passes_on_the_same_tokens_with_the_same_attention():
    model, images = tiny.model(), tiny.images()
    other = vit_pytorch.Transformer(D, L, A, D // A, M).eval()
    seen = []
    for (attention, forward), block in zip(other.layers, model.blocks, strict=True):
        norm, first, second = forward.net[0], forward.net[1], forward.net[4]
        pairs = [(attention.norm, block.norm1), (attention.to_qkv, block.attn.qkv), (norm, block.norm2)]
        pairs += [(attention.to_out[0], block.attn.proj), (first, block.mlp.fc1), (second, block.mlp.fc2)]
        for theirs, ours in pairs:
            theirs.load_state_dict(ours.state_dict())
        attention.attend.register_forward_hook(lambda module, given, out: seen.append(out))
    other.norm.load_state_dict(model.norm.state_dict())
    for module in other.modules():
        if isinstance(module, nn.LayerNorm):
            module.eps = 1e-6
    trace = model.forward_with_attention(images, "full")
    tokens = other(trace.tokens[0])
    torch.testing.assert_close(trace.attention, torch.stack(seen), rtol=0, atol=1e-5)
    torch.testing.assert_close(model.norm(trace.tokens[-1]), tokens, rtol=0, atol=1e-5)
