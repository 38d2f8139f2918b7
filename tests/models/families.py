"""Small random models of every family that loads, built by timm and transformers, and their logits and attention."""

import importlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import timm
import timm.layers
import torch
import torchvision
from torch import Tensor, nn

from vitviz.models.layers import patchify

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import transformers

D, L, A, K, P, M = 24, 2, 3, 5, 8, 40
SQUARE, WIDE = (32, 32), (32, 48)
TEXT = {
    "hidden_size": 8,
    "num_attention_heads": 2,
    "num_hidden_layers": 1,
    "intermediate_size": 8,
    "vocab_size": 60_000,
}
VISION = {
    "hidden_size": D,
    "num_hidden_layers": L,
    "num_attention_heads": A,
    "intermediate_size": M,
    "image_size": 32,
    "patch_size": P,
}
DINO = {"mlp_ratio": 2, "num_labels": K}


def of_timm(architecture: str, num_classes: int = K, **options: Any) -> Callable[[tuple[int, int]], nn.Module]:
    """Return a function of the image size that builds a small model of an architecture of timm."""

    def build(img_size: tuple[int, int]) -> nn.Module:
        small = {"embed_dim": D, "depth": L, "num_heads": A, "patch_size": P, "img_size": img_size}
        return timm.create_model(architecture, num_classes=num_classes, **(small | options))

    return build


def of_transformers(name: str, config: str, **options: Any) -> Callable[[tuple[int, int]], nn.Module]:
    """Return a function that builds a small model of a class of transformers; its weights are for 32 x 32 pixels."""
    composed = config in ("CLIPConfig", "SiglipConfig", "MetaClip2Config")
    vision = {name: VISION[name] for name in VISION if (name, config) != ("image_size", "Siglip2VisionConfig")}

    def build(img_size: tuple[int, int]) -> nn.Module:
        fields = {"vision_config": VISION, "text_config": TEXT} if composed else vision
        model_config = getattr(transformers, config)(**(fields | options))
        model_config._attn_implementation = "eager"
        for part in ("vision_config", "text_config") if composed else ():
            getattr(model_config, part)._attn_implementation = "eager"
        return find_class(name)(model_config)

    return build


def find_class(name: str) -> Any:
    """Return a class of transformers, also of one of its models that it does not export."""
    if hasattr(transformers, name):
        return getattr(transformers, name)
    module = name.partition("Vision")[0].lower()
    return getattr(importlib.import_module(f"transformers.models.{module}.modeling_{module}"), name)


def of_torchvision(img_size: tuple[int, int]) -> nn.Module:
    """Build a small ViT of torchvision, for 32 x 32 pixels."""
    return torchvision.models.VisionTransformer(SQUARE[0], P, L, A, D, M, num_classes=K)


GATED = {"use_gated_mlp": True, "hidden_act": "silu", "num_register_tokens": 4}
BUILDERS: dict[str, Callable[[tuple[int, int]], nn.Module]] = {
    "timm ViT": of_timm("vit_tiny_patch16_224"),
    "timm ViT, mean": of_timm("vit_base_patch16_gap_224"),
    "timm sbb ViT": of_timm("vit_medium_patch16_reg4_gap_256"),
    "timm MAE fine-tune": of_timm("vit_base_patch16_224", global_pool="avg"),
    "timm DINO": of_timm("vit_small_patch16_224", num_classes=0),
    "timm DeiT": of_timm("deit_small_patch16_224"),
    "timm distilled DeiT": of_timm("deit_tiny_distilled_patch16_224"),
    "timm DeiT-III": of_timm("deit3_small_patch16_224"),
    "timm DINOv2": of_timm("vit_small_patch14_dinov2", num_classes=0),
    "timm DINOv2 with registers": of_timm("vit_small_patch14_reg4_dinov2", num_classes=0),
    "timm DINOv2 giant": of_timm("vit_giant_patch14_reg4_dinov2", num_classes=0, mlp_ratio=4),
    "timm DINOv3": of_timm("vit_small_patch16_dinov3", num_classes=0, dynamic_img_size=False),
    "timm DINOv3 plus": of_timm("vit_small_plus_patch16_dinov3_qkvb", dynamic_img_size=False),
    "timm CLIP": of_timm("vit_base_patch32_clip_quickgelu_224"),
    "timm SigLIP": of_timm("vit_base_patch16_siglip_224", num_classes=0),
    "timm SigLIP 2": of_timm("vit_so400m_patch16_siglip_256", num_classes=0, mlp_ratio=2),
    "timm map pooling with registers": of_timm("vit_so150m_patch16_reg4_map_256", mlp_ratio=2),
    "timm map pooling of all tokens": of_timm("test_vit3"),
    "timm EVA-02 tiny": of_timm("eva02_tiny_patch14_336", mlp_ratio=2),
    "timm EVA-02 base": of_timm("eva02_base_patch14_448", mlp_ratio=2),
    "timm EVA-02 CLIP": of_timm("eva02_large_patch14_clip_224", mlp_ratio=2),
    "timm EVA": of_timm("eva_giant_patch14_224"),
    "timm BEiT-3": of_timm("beit3_base_patch16_224", mlp_ratio=2),
    "timm C-RADIO": of_timm("vit_base_patch16_radio_v3", num_classes=0),
    "timm TIPSv2": of_timm("vit_base_patch14_reg1_tipsv2", num_classes=0),
    "timm RoPE-ViT": of_timm("vit_small_patch16_rope_224"),
    "timm RoPE-ViT, absolute": of_timm("vit_small_patch16_rope_ape_224"),
    "timm RoPE-ViT, mixed": of_timm("vit_small_patch16_rope_mixed_224"),
    "timm RoPE-ViT, mixed and absolute": of_timm("vit_small_patch16_rope_mixed_ape_224"),
    "timm Perception Encoder": of_timm("vit_pe_core_base_patch16_224", attn_pool_num_heads=8, mlp_ratio=2),
    "timm Perception Encoder G": of_timm("vit_pe_core_gigantic_patch14_448", mlp_ratio=2, num_classes=0),
    "timm Perception Encoder, spatial": of_timm("vit_pe_spatial_base_patch16_512", num_classes=0),
    "timm BEiT": of_timm("beit_base_patch16_224"),
    "timm BEiT v2": of_timm("beitv2_base_patch16_224", num_classes=0),
    "timm ViT with rotary positions": of_timm("vit_base_patch16_rope_reg1_gap_256"),
    "ViT": of_transformers("ViTForImageClassification", "ViTConfig", num_labels=K),
    "ViT without head": of_transformers("ViTModel", "ViTConfig"),
    "ViT-MAE": of_transformers("ViTMAEModel", "ViTMAEConfig", mask_ratio=0.0),
    "DeiT": of_transformers("DeiTForImageClassification", "DeiTConfig", num_labels=K),
    "distilled DeiT": of_transformers("DeiTForImageClassificationWithTeacher", "DeiTConfig", num_labels=K),
    "DINOv2": of_transformers("Dinov2ForImageClassification", "Dinov2Config", **DINO),
    "DINOv2 giant": of_transformers("Dinov2Model", "Dinov2Config", mlp_ratio=2, use_swiglu_ffn=True),
    "DINOv2 with registers": of_transformers(
        "Dinov2WithRegistersForImageClassification", "Dinov2WithRegistersConfig", **DINO
    ),
    "DINOv3": of_transformers("DINOv3ViTModel", "DINOv3ViTConfig", num_register_tokens=4),
    "DINOv3 plus": of_transformers("DINOv3ViTModel", "DINOv3ViTConfig", **GATED),
    "CLIP": of_transformers("CLIPVisionModelWithProjection", "CLIPVisionConfig", projection_dim=12),
    "CLIP without projection": of_transformers("CLIPVisionModel", "CLIPVisionConfig"),
    "CLIP fine-tune": of_transformers("CLIPForImageClassification", "CLIPConfig", num_labels=K),
    "SigLIP": of_transformers("SiglipVisionModel", "SiglipVisionConfig"),
    "torchvision ViT": of_torchvision,
    "MetaCLIP 2": of_transformers("MetaClip2VisionModelWithProjection", "MetaClip2VisionConfig", projection_dim=12),
    "MetaCLIP 2 fine-tune": of_transformers("MetaClip2ForImageClassification", "MetaClip2Config", num_labels=K),
    "Chinese-CLIP": of_transformers("ChineseCLIPVisionModel", "ChineseCLIPVisionConfig"),
    "AltCLIP": of_transformers("AltCLIPVisionModel", "AltCLIPVisionConfig"),
    "CLIPSeg": of_transformers("CLIPSegVisionModel", "CLIPSegVisionConfig"),
    "OWL-ViT": of_transformers("OwlViTVisionModel", "OwlViTVisionConfig"),
    "OWLv2": of_transformers("Owlv2VisionModel", "Owlv2VisionConfig"),
    "I-JEPA": of_transformers("IJepaModel", "IJepaConfig"),
    "I-JEPA fine-tune": of_transformers("IJepaForImageClassification", "IJepaConfig", num_labels=K),
    "ViT-MSN": of_transformers("ViTMSNForImageClassification", "ViTMSNConfig", num_labels=K),
    "TIPSv2": of_transformers("Tipsv2VisionModel", "Tipsv2VisionConfig", mlp_ratio=2),
    "C-RADIO": of_transformers("RadioModel", "RadioConfig", mlp_ratio=2.0, max_img_size=64, num_registers=2),
    "SmolVLM": of_transformers("SmolVLMVisionTransformer", "SmolVLMVisionConfig"),
    "Idefics3": of_transformers("Idefics3VisionTransformer", "Idefics3VisionConfig"),
    "SigLIP 2 NaFlex": of_transformers("Siglip2VisionModel", "Siglip2VisionConfig", num_patches=16),
    "BEiT": of_transformers("BeitForImageClassification", "BeitConfig", num_labels=K, use_relative_position_bias=True),
    "BEiT, shared": of_transformers(
        *("BeitModel", "BeitConfig"), use_shared_relative_position_bias=True, use_absolute_position_embeddings=True
    ),
    "data2vec": of_transformers(
        *("Data2VecVisionForImageClassification", "Data2VecVisionConfig"),
        num_labels=K,
        use_relative_position_bias=True,
    ),
    "SigLIP fine-tune": of_transformers("SiglipForImageClassification", "SiglipConfig", num_labels=K),
}
# One of each kind of network after conversion; those of transformers become the same, but for these two.
NETWORKS = [name for name in BUILDERS if name.startswith("timm") and name != "timm DeiT"] + ["CLIP", "DINOv3"]
# transformers computes rotary waves, or interpolates positions, in float32
PARTLY_FLOAT32 = (
    *("DINOv3", "DINOv3 plus", "DINOv2", "DINOv2 giant", "DINOv2 with registers", "TIPSv2", "C-RADIO"),
    "SigLIP 2 NaFlex",
)
WITHOUT_CLASS_TOKEN = ("I-JEPA", "SmolVLM", "Idefics3")
WITHOUT_ARGUMENT = ("DINO", "TIPS", "C-RADIO", "SmolVLM", "Idefics3")  # `interpolate_pos_encoding`


def build(name: str, img_size: tuple[int, int] = SQUARE, dtype: torch.dtype = torch.float64) -> nn.Module:
    """Build a model in evaluation mode whose weights differ from each other and whose attention is not uniform."""
    timm.layers.set_fused_attn(False)
    model = BUILDERS[name](img_size)
    rng = np.random.default_rng(0)
    with torch.no_grad():
        for key, weight in sorted(model.state_dict().items()):
            if weight.is_floating_point() and weight.numel():
                values = rng.standard_normal(weight.shape)
                is_scale = weight.ndim == 1 and key.endswith(("weight", "gamma", "lambda1", "gamma_1", "gamma_2"))
                wide = 2.0 if "q" in key.split(".")[-2:][0] else 1.0
                scaled = 1 + 0.2 * values if is_scale else wide * values / max(weight.shape[-1], 4) ** 0.5
                weight.copy_(torch.from_numpy(np.asarray(scaled)))
    return model.to(dtype).eval()


def images(img_size: tuple[int, int], dtype: torch.dtype = torch.float64, batch: int = 2) -> Tensor:
    """Draw normalized images (B, 3, H, W)."""
    return torch.from_numpy(np.random.default_rng(1).standard_normal((batch, 3, *img_size))).to(dtype)


def reference(name: str, model: nn.Module, pixels: Tensor) -> tuple[Tensor, Tensor]:
    """Return logits or features (B, K or D) and the attention (L, B, A, T, T) that the library computes itself."""
    if name.startswith("timm"):
        recorded: list[Tensor] = []
        hooks = [
            block.attn.attn_drop.register_forward_hook(lambda module, inputs, output: recorded.append(output))
            for block in model.blocks
        ]
        logits = model(pixels)
        for hook in hooks:
            hook.remove()
        return logits, torch.stack(recorded)
    if name.startswith("torchvision"):
        layers, inputs = [block.self_attention for block in model.encoder.layers], []
        hooks = [layer.register_forward_pre_hook(lambda module, args: inputs.append(args)) for layer in layers]
        logits = model(pixels)
        for hook in hooks:
            hook.remove()
        return logits, torch.stack([f(*x, average_attn_weights=False)[1] for f, x in zip(layers, inputs, strict=True)])
    options: dict[str, Any] = {"output_attentions": True}
    N = (pixels.shape[2] // P) * (pixels.shape[3] // P)
    if tuple(pixels.shape[2:]) != SQUARE and not name.startswith(WITHOUT_ARGUMENT):
        options["interpolate_pos_encoding"] = True
    if name == "ViT-MAE":
        options["noise"] = torch.arange(N).expand(len(pixels), -1).to(pixels)
    if name == "SigLIP 2 NaFlex":
        options = {"output_attentions": True}
    output = model(**arguments(name, pixels), **options)
    found = next(
        value
        for value in (
            getattr(output, "logits", None),
            getattr(output, "image_embeds", None),
            None if name in ("ViT without head", "ViT-MAE") else getattr(output, "pooler_output", None),
            output.last_hidden_state.mean(1) if name in WITHOUT_CLASS_TOKEN else None,
            output.last_hidden_state[:, 0] if hasattr(output, "last_hidden_state") else None,
        )
        if value is not None
    )
    return found, torch.stack(output.attentions)


def arguments(name: str, pixels: Tensor) -> dict[str, Tensor]:
    """Return the arguments of a model of transformers for images: of NaFlex a sequence of patches, channels last."""
    if name != "SigLIP 2 NaFlex":
        return {"pixel_values": pixels}
    grid = [side // P for side in pixels.shape[2:]]
    return {
        "pixel_values": patchify(pixels, P).unflatten(-1, (3, P * P)).mT.flatten(2),
        "pixel_attention_mask": torch.ones(len(pixels), grid[0] * grid[1], dtype=torch.int64),
        "spatial_shapes": torch.tensor([grid] * len(pixels)),
    }


def rounding(logits: Tensor) -> float:
    """Return the tolerance of float32: features of a model without final norm are larger than 1."""
    return 1e-5 * max(1.0, logits.abs().max().item())


def save(name: str, model: nn.Module, folder: Any) -> None:
    """Save a model as its library does: config.json and model.safetensors."""
    if name.startswith("torchvision"):
        config = {"architecture": "torchvision_vit", "model_args": {"img_size": SQUARE[0], "num_heads": A}}
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps(config))
        safetensors.torch.save_file(model.state_dict(), folder / "model.safetensors")
    elif name.startswith("timm"):
        from timm.models._hub import save_for_hf

        save_for_hf(model, folder, safe_serialization=True)
    else:
        model.save_pretrained(folder)


def saved(name: str, folder: Path, **changes: Any) -> Path:
    """Save a model, change its config.json and return the folder."""
    save(name, build(name, dtype=torch.float32), folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))
    return folder
