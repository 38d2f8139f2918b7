"""Architectures of timm and transformers as targets of an export: which configs each has, and how it writes them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from vitviz.models.checkpoint import CheckpointError
from vitviz.models.config import ViTConfig
from vitviz.models.families import Names, Settings

Library = Literal["timm", "hf"]
LIBRARIES: dict[Library, str] = {"timm": "timm", "hf": "transformers"}
Allowed = dict[str, Any]  # field of `ViTConfig` -> tuple of its values, or ... for any

ANY = ...
PLAIN: Allowed = {  # where a target names no other values
    "architecture": ("vit",),
    "global_pool": ("token",),
    "class_token": (True,),
    "pos_embed": ("learn",),
    "rope_type": ("none",),
    "final_norm": (True,),
    "num_classes": ANY,
    **dict.fromkeys(("distilled", "no_embed_class", "reg_tokens", "qk_norm", "init_values"), (False,)),
    **dict.fromkeys(("head_proj_dim", "normalize_head"), (False,)),
    **dict.fromkeys(("swiglu_mlp", "pre_norm", "fc_norm", "scale_attn_norm", "scale_mlp_norm"), (False,)),
}


@dataclass(frozen=True)
class Target:
    """One architecture of a library.

    Attributes:
        name: `architecture` of timm, or the class of transformers.
        allowed: Values of the fields of `ViTConfig` that it has, where not those of `PLAIN`; fields that are numbers
            count as true unless they are 0 or None, but `eps`.
        config: Function of a `ViTConfig` that returns `model_args` of timm, or config.json of transformers.
        names: Renames of our tensors, applied in order.
        base: Prefix of all tensors but the heads, in models of transformers with a head.
        gated: Names of the two parts of the first layer of SwiGLU; none if they are one tensor.
    """

    name: str
    allowed: Allowed
    config: Callable[[ViTConfig], Settings]
    names: Names = ()
    base: str = ""
    gated: tuple[str, ...] = ()


def shape_args(config: ViTConfig) -> Settings:
    """Return the arguments that all ViTs of timm have; `int(embed_dim * mlp_ratio)` is the width of the MLP."""
    D, M = config.embed_dim, config.mlp_hidden_dim
    return {
        "img_size": list(config.img_size),
        **{name: getattr(config, name) for name in ("patch_size", "embed_dim", "depth", "num_heads", "class_token")},
        "mlp_ratio": M / D if int(D * (M / D)) == M else (M + 0.5) / D,
        "no_embed_class": config.no_embed_class,
        "qkv_bias": config.qkv_bias,
        "qk_norm": config.qk_norm,
        "init_values": config.init_values,
        "global_pool": config.global_pool,
    }


def vit_args(config: ViTConfig) -> Settings:
    """Return the arguments of timm's `VisionTransformer`."""
    names = ("reg_tokens", "pos_embed", "pre_norm", "final_norm", "fc_norm", "scale_attn_norm", "scale_mlp_norm")
    activation = {} if config.swiglu_mlp else {"act_layer": config.act_layer}
    args = shape_args(config) | activation | {name: getattr(config, name) for name in names}
    return args | ({"mlp_ratio": 2 * args["mlp_ratio"]} if config.swiglu_mlp else {})


def distilled_args(config: ViTConfig) -> Settings:
    """Return the arguments of timm's `VisionTransformerDistilled`."""
    return {name: value for name, value in vit_args(config).items() if name != "reg_tokens"}


def eva_args(config: ViTConfig) -> Settings:
    """Return the arguments of timm's `Eva`."""
    names = ("rope_type", "rope_temperature", "rope_rotate_half", "ref_feat_shape", "swiglu_mlp")
    return shape_args(config) | {
        **{name: getattr(config, name) for name in names},
        "attn_type": "rope",
        "qkv_fused": True,
        "num_reg_tokens": config.reg_tokens,
        "use_abs_pos_emb": config.pos_embed == "learn",
        "use_rot_pos_emb": True,
        "dynamic_img_size": False,
        "swiglu_align_to": 1,
        "scale_mlp": config.scale_mlp_norm,
        "scale_attn_inner": config.scale_attn_norm,
        "use_pre_transformer_norm": config.pre_norm,
        "use_post_transformer_norm": config.final_norm and not config.fc_norm,
        "use_fc_norm": config.final_norm and config.fc_norm,
    }


def transformers_config(model_type: str, **fixed: Any) -> Callable[[ViTConfig], Settings]:
    """Return a function that writes the fields which all ViTs of transformers have in common, and some fixed ones."""

    def write(config: ViTConfig) -> Settings:
        height, width = config.img_size
        activations = {"gelu": "gelu", "gelu_tanh": "gelu_pytorch_tanh", "quick_gelu": "quick_gelu"}
        return {
            "model_type": model_type,
            "image_size": height if height == width else [height, width],
            "patch_size": config.patch_size,
            "num_channels": 3,
            "hidden_size": config.embed_dim,
            "num_hidden_layers": config.depth,
            "num_attention_heads": config.num_heads,
            "intermediate_size": config.mlp_hidden_dim,
            "hidden_act": "silu" if config.swiglu_mlp else activations[config.act_layer],
            "layer_norm_eps": config.eps,
            "qkv_bias": config.qkv_bias,
            **fixed,
        }

    return write


def dinov2_config(model_type: str) -> Callable[[ViTConfig], Settings]:
    """Return a function that writes the config.json of DINOv2, whose width of the MLP follows from a whole number."""

    def write(config: ViTConfig) -> Settings:
        D, M = config.embed_dim, config.mlp_hidden_dim
        widths = {(int(D * r * 2 / 3) + 7) // 8 * 8 if config.swiglu_mlp else D * r: r for r in range(16, 0, -1)}
        if M not in widths:
            raise CheckpointError(
                f"mlp_ratio must be an integer for DINOv2 of transformers: got {config.mlp_ratio:.4g}",
                "Use --to timm.",
                "mlp_ratio",
            )
        options = {"mlp_ratio": widths[M], "use_swiglu_ffn": config.swiglu_mlp, "hidden_act": "gelu"}
        registers = {"num_register_tokens": config.reg_tokens} if config.reg_tokens else {}
        written = transformers_config(model_type)(config)
        return written | (options if config.swiglu_mlp else options | {"hidden_act": written["hidden_act"]}) | registers

    return write


def dinov3_config(config: ViTConfig) -> Settings:
    """Write the config.json of DINOv3."""
    bias = dict.fromkeys(("query_bias", "key_bias", "value_bias"), config.qkv_bias)
    return transformers_config("dinov3_vit", **bias)(config) | {
        "num_register_tokens": config.reg_tokens,
        "use_gated_mlp": config.swiglu_mlp,
        "rope_theta": config.rope_temperature,
    }


def projection_config(config: ViTConfig) -> Settings:
    """Write the config.json of CLIP's image encoder with its projection."""
    return transformers_config("clip_vision_model", projection_dim=config.head_proj_dim)(config)


def siglip_config(config: ViTConfig) -> Settings:
    """Write the config.json of a classification model of SigLIP, which has no attention pooling."""
    vision = transformers_config("siglip_vision_model", vision_use_head=False)(config)
    return {"model_type": "siglip", "vision_config": vision}


def renamed_blocks(layers: str, *pairs: tuple[str, str]) -> Names:
    """Return renames of the parts of a block after that of the blocks themselves."""
    return ((r"^blocks\.(\d+)\.", rf"{layers}.\1."), *((rf"\.{old}\.", f".{new}.") for old, new in pairs))


EMBEDDINGS: Names = (
    (r"^(cls_token)$", r"embeddings.\1"),
    (r"^pos_embed$", "embeddings.position_embeddings"),
    (r"^reg_token$", "embeddings.register_tokens"),
    (r"^dist_token$", "embeddings.distillation_token"),
    (r"^mask_token$", "embeddings.mask_token"),
    (r"^patch_embed\.proj\.", "embeddings.patch_embeddings.projection."),
)
QKV = tuple((rf"attn\.{name[0]}", f"attention.attention.{name}") for name in ("query", "key", "value"))
VIT_NAMES: Names = (
    *renamed_blocks("encoder.layer", *QKV, (r"attn\.proj", "attention.output.dense")),
    *((rf"\.{old}\.", f".{new}.") for old, new in (("norm1", "layernorm_before"), ("norm2", "layernorm_after"))),
    *((rf"\.mlp\.{old}\.", f".{new}.dense.") for old, new in (("fc1", "intermediate"), ("fc2", "output"))),
    *EMBEDDINGS,
    (r"^norm\.", "layernorm."),
    (r"^head_dist\.", "distillation_classifier."),
    (r"^head\.", "classifier."),
)
DEIT_NAMES: Names = ((r"^head\.", "cls_classifier."), *VIT_NAMES)
DINOV2_NAMES: Names = (
    *renamed_blocks("encoder.layer", *QKV, (r"attn\.proj", "attention.output.dense")),
    (r"\.ls(\d)\.gamma$", r".layer_scale\1.lambda1"),
    *EMBEDDINGS,
    (r"^norm\.", "layernorm."),
    (r"^head\.", "classifier."),
)
DINOV2_GIANT: Names = ((r"\.mlp\.fc1\.", ".mlp.weights_in."), (r"\.mlp\.fc2\.", ".mlp.weights_out."), *DINOV2_NAMES)
DINOV3_NAMES: Names = (
    *renamed_blocks("layer", *((rf"attn\.{name}", f"attention.{name}_proj") for name in "qkv")),
    (r"\.attn\.proj\.", ".attention.o_proj."),
    (r"\.ls(\d)\.gamma$", r".layer_scale\1.lambda1"),
    (r"\.mlp\.gate\.", ".mlp.gate_proj."),
    (r"\.mlp\.(?:value|fc1)\.", ".mlp.up_proj."),
    (r"\.mlp\.fc2\.", ".mlp.down_proj."),
    (r"^patch_embed\.proj\.", "embeddings.patch_embeddings."),
    *EMBEDDINGS,
)
CLIP_NAMES: Names = (
    *renamed_blocks("encoder.layers", *((rf"attn\.{name}", f"self_attn.{name}_proj") for name in "qkv")),
    (r"\.attn\.proj\.", ".self_attn.out_proj."),
    (r"\.norm(\d)\.", r".layer_norm\1."),
    (r"^cls_token$", "embeddings.class_embedding"),
    (r"^pos_embed$", "embeddings.position_embedding.weight"),
    (r"^patch_embed\.proj\.", "embeddings.patch_embedding."),
    (r"^norm_pre\.", "pre_layrnorm."),
    (r"^norm\.", "post_layernorm."),
    (r"^attn_pool\.latent$", "head.probe"),
    (r"^attn_pool\.in_proj\.", "head.attention.in_proj_"),
    (r"^attn_pool\.proj\.", "head.attention.out_proj."),
    (r"^attn_pool\.norm\.", "head.layernorm."),
    (r"^attn_pool\.mlp\.", "head.mlp."),
)
EVA_NAMES: Names = ((r"\.ls(\d)\.gamma$", r".gamma_\1"),)

OF_VIT: Allowed = {  # timm's `VisionTransformer`
    "global_pool": ("token", "avg", "map"),
    "pos_embed": ("learn", "none"),
    **dict.fromkeys(("class_token", "no_embed_class", "reg_tokens", "qk_norm", "init_values", "pre_norm"), ANY),
    **dict.fromkeys(("final_norm", "fc_norm", "scale_attn_norm", "scale_mlp_norm"), ANY),
}
OF_EVA: Allowed = OF_VIT | {
    "global_pool": ("token", "avg"),
    "rope_type": ("cat", "dinov3"),
    "act_layer": ("gelu",),
    "swiglu_mlp": ANY,
}
OF_DINOV2: Allowed = {"init_values": (True,), "no_embed_class": ANY, "num_classes": (False,)}
OF_DINOV2_HEAD: Allowed = OF_DINOV2 | {"num_classes": (True,), "global_pool": ("token_avg",)}
REGISTERS: Allowed = {"reg_tokens": (True,), "no_embed_class": (True,)}
OF_DINOV3: Allowed = {
    **OF_DINOV2,
    **{"pos_embed": ("none",), "no_embed_class": ANY, "rope_type": ("dinov3",), "rope_rotate_half": (True,)},
    **{"reg_tokens": ANY, "swiglu_mlp": ANY},
}
OF_CLIP: Allowed = {"pre_norm": (True,), "qkv_bias": (True,)}
OF_SIGLIP: Allowed = {"class_token": (False,), "qkv_bias": (True,), "no_embed_class": ANY}

SWIGLU: Allowed = {"swiglu_mlp": (True,), "global_pool": ("token", "avg")}
EVA_GATE, DINOV3_GATE = ("fc1_g", "fc1_x"), ("gate", "value")
DINOV2, REG = dinov2_config("dinov2"), dinov2_config("dinov2_with_registers")
CLIP, SIGLIP = transformers_config("clip_vision_model"), transformers_config("siglip_vision_model")
TARGETS: dict[Library, tuple[Target, ...]] = {  # the first that has the config
    "timm": (
        Target("vit_base_patch16_224", OF_VIT | {"eps": (1e-6,)}, vit_args),
        Target("vit_base_patch32_clip_224", OF_VIT | {"eps": (1e-5,)}, vit_args),
        Target(
            "vit_base_patch32_clip_224",
            OF_VIT | {"eps": (1e-5,), "num_classes": (False,), "head_proj_dim": (True,)},
            vit_args,
            ((r"^head_proj\.", "head."),),
        ),
        Target("vit_giant_patch14_reg4_dinov2", OF_VIT | SWIGLU | {"eps": (1e-6,)}, vit_args),
        Target(
            "deit_base_distilled_patch16_224",
            {"distilled": (True,), "eps": (1e-6,), "qk_norm": ANY, "init_values": ANY},
            distilled_args,
        ),
        Target("eva02_base_patch14_224", OF_EVA | {"eps": (1e-6,)}, eva_args, EVA_NAMES, gated=EVA_GATE),
        Target("vit_small_patch16_dinov3", OF_EVA | {"eps": (1e-5,)}, eva_args, EVA_NAMES, gated=EVA_GATE),
    ),
    "hf": (
        Target("ViTForImageClassification", {"num_classes": (True,)}, transformers_config("vit"), VIT_NAMES, "vit."),
        Target("ViTModel", {"num_classes": (False,)}, transformers_config("vit"), VIT_NAMES),
        Target(
            "DeiTForImageClassificationWithTeacher",
            {"num_classes": (True,), "distilled": (True,)},
            transformers_config("deit"),
            DEIT_NAMES,
            "deit.",
        ),
        Target("Dinov2Model", OF_DINOV2, DINOV2, DINOV2_NAMES),
        Target("Dinov2Model", OF_DINOV2 | {"swiglu_mlp": (True,)}, DINOV2, DINOV2_GIANT),
        Target("Dinov2WithRegistersModel", OF_DINOV2 | REGISTERS, REG, DINOV2_NAMES),
        Target("Dinov2WithRegistersModel", OF_DINOV2 | REGISTERS | {"swiglu_mlp": (True,)}, REG, DINOV2_GIANT),
        Target("Dinov2ForImageClassification", OF_DINOV2_HEAD, DINOV2, DINOV2_NAMES, "dinov2."),
        Target(
            "Dinov2WithRegistersForImageClassification",
            OF_DINOV2_HEAD | REGISTERS,
            REG,
            DINOV2_NAMES,
            "dinov2_with_registers.",
        ),
        Target("DINOv3ViTModel", OF_DINOV3, dinov3_config, DINOV3_NAMES, gated=DINOV3_GATE),
        Target("CLIPVisionModel", OF_CLIP | {"num_classes": (False,)}, CLIP, CLIP_NAMES),
        Target(
            "CLIPVisionModelWithProjection",
            OF_CLIP | {"num_classes": (False,), "head_proj_dim": (True,)},
            projection_config,
            ((r"^head_proj\.", "visual_projection."), *CLIP_NAMES),
            "vision_model.",
        ),
        Target("SiglipVisionModel", OF_SIGLIP | {"num_classes": (False,), "global_pool": ("map",)}, SIGLIP, CLIP_NAMES),
        Target(
            "SiglipForImageClassification",
            OF_SIGLIP | {"num_classes": (True,), "global_pool": ("avg",)},
            siglip_config,
            ((r"^head\.", "classifier."), *CLIP_NAMES),
            "vision_model.",
        ),
    ),
}
