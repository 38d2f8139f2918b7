"""Families of ViTs in timm and transformers: one table per family, and nothing else knows families.

A family's table renames tensors to those of timm's `VisionTransformer` and names the settings that no tensor shows:
number of heads, epsilon, activation, pooling and rotary positions.
"""

import re
from dataclasses import dataclass, field

from vitviz.data.preprocessing import Resize
from vitviz.models.config_files import (
    CLIPConfig,
    DeiTConfig,
    Dinov2Config,
    Dinov2WithRegistersConfig,
    DINOv3ViTConfig,
    Settings,
    SiglipConfig,
    TransformersConfig,
    ViTMAEConfig,
)

Names = tuple[tuple[str, str], ...]  # pattern of a tensor's name, and its replacement
Channels3 = tuple[float, float, float]

IMAGENET: tuple[Channels3, Channels3] = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
HALF: tuple[Channels3, Channels3] = (0.5, 0.5, 0.5), (0.5, 0.5, 0.5)
CLIP: tuple[Channels3, Channels3] = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)

UNUSED = r"pooler\.|(embeddings\.)?mask_token$|decoder|rope\.|rope_embed|.*position_ids$|pre_logits|local_cls_norm"
TWO_TOWERS = rf"{UNUSED}|text_model\.|text_projection|logit_(scale|bias)"


@dataclass(frozen=True)
class Family:
    """How one library stores a family of ViTs.

    Attributes:
        title: Name in messages.
        models: Pattern of timm's `architecture`, or of transformers' `model_type`.
        names: Renames to timm's names, applied to each tensor's name in order.
        settings: Fields that no tensor shows, of timm.
        file: Fields of config.json, of transformers.
        ignored: Pattern of renamed tensors that do not take part in the prediction.
        normalization: Mean and standard deviation, where the files name none.
        positions_before_registers: Whether the class token has a position, but the registers have none.
        antialias: Whether the library interpolates positions with antialiasing.
        resize: Filter, crop and mode, where the files name none: of transformers, those of its image processor.
        text_class: Class of transformers with the text encoder, too, of a family that compares images with texts.
        classifier: Class of transformers that classifies the mean of the patches, and the pattern of renamed tensors
            that it has, but does not use; empty if the family has none.
    """

    title: str
    models: str
    names: Names = ()
    settings: Settings = field(default_factory=dict)
    normalization: tuple[Channels3, Channels3] = IMAGENET
    ignored: str = UNUSED
    file: type[TransformersConfig] = TransformersConfig
    positions_before_registers: bool = False
    antialias: bool = True
    resize: Resize = Resize("bicubic")  # noqa: RUF009 - frozen
    text_class: str = ""
    classifier: tuple[str, str] = ("", "")


BLOCK: Names = (  # of transformers' ViTs, in the names that its versions 4 and 5 write
    (r"^(?:encoder\.)?(?:model\.)?layers?\.(\d+)\.", r"blocks.\1."),
    (r"\.attention\.(?:attention\.)?(?:query|q_proj)\.", r".attn.q."),
    (r"\.attention\.(?:attention\.)?(?:key|k_proj)\.", r".attn.k."),
    (r"\.attention\.(?:attention\.)?(?:value|v_proj)\.", r".attn.v."),
    (r"\.attention\.(?:output\.dense|o_proj)\.", r".attn.proj."),
    (r"\.layernorm_before\.", ".norm1."),
    (r"\.layernorm_after\.", ".norm2."),
    (r"\.intermediate\.dense\.", ".mlp.fc1."),
    (r"\.output\.dense\.", ".mlp.fc2."),
    (r"\.layer_scale(\d)\.lambda1$", r".ls\1.gamma"),
    (r"^embeddings\.cls_token$", "cls_token"),
    (r"^embeddings\.register_tokens$", "reg_token"),
    (r"^embeddings\.position_embeddings$", "pos_embed"),
    (r"^embeddings\.patch_embeddings\.(?:projection\.)?", "patch_embed.proj."),
    (r"^layernorm\.", "norm."),
    (r"^(?:cls_)?classifier\.", "head."),
)
DISTILLED: Names = (
    (r"^distillation_classifier\.", "head_dist."),
    (r"^embeddings\.distillation_token$", "dist_token"),
)
SWIGLU: Names = (
    (r"\.mlp\.weights_in\.", ".mlp.fc1."),
    (r"\.mlp\.(?:weights_out|down_proj)\.", ".mlp.fc2."),
    (r"\.mlp\.gate_proj\.", ".mlp.gate."),
    (r"\.mlp\.up_proj\.", ".mlp.up."),
)
CLIP_NAMES: Names = (  # of CLIP and SigLIP
    (r"^encoder\.layers\.(\d+)\.", r"blocks.\1."),
    (r"\.self_attn\.([qkv])_proj\.", r".attn.\1."),
    (r"\.self_attn\.out_proj\.", r".attn.proj."),
    (r"\.layer_norm(\d)\.", r".norm\1."),
    (r"^embeddings\.class_embedding$", "cls_token"),
    (r"^embeddings\.position_embedding\.weight$", "pos_embed"),
    (r"^embeddings\.patch_embedding\.", "patch_embed.proj."),
    (r"^pre_layrnorm\.", "norm_pre."),
    (r"^post_layernorm\.", "norm."),
    (r"^head\.probe$", "attn_pool.latent"),
    (r"^head\.attention\.in_proj_", "attn_pool.in_proj."),
    (r"^head\.attention\.out_proj\.", "attn_pool.proj."),
    (r"^head\.layernorm\.", "attn_pool.norm."),
    (r"^head\.mlp\.", "attn_pool.mlp."),
    (r"^visual_projection\.", "head_proj."),
    (r"^classifier\.", "head."),
)
TIMM_NAMES: Names = (  # of timm's `VisionTransformer` and `Eva`, and of the original releases
    (r"^blocks\.\d+\.(\d+)\.", r"blocks.\1."),  # of DINOv2's trainings, in chunks
    (r"\.gamma_(\d)$", r".ls\1.gamma"),
    (r"\.attn\.([qkv])_proj\.", r".attn.\1."),
    (r"\.attn\.([qkv])_bias$", r".attn.\1.bias"),
    (r"\.attn\.inner_attn_ln\.", ".attn.norm."),
    (r"\.mlp\.ffn_ln\.", ".mlp.norm."),
    (r"\.mlp\.(?:fc1_g|w1)\.", ".mlp.gate."),
    (r"\.mlp\.(?:fc1_x|w2)\.", ".mlp.up."),
    (r"\.mlp\.w12\.", ".mlp.fc1."),
    (r"\.mlp\.w3\.", ".mlp.fc2."),
    (r"^(?:register_tokens|storage_tokens)$", "reg_token"),
)
SQUASHED, BILINEAR = Resize("bicubic", 1.0, "squash"), Resize("bilinear", 1.0, "squash")

FIRST = r"(?:patch_embed\.proj|embeddings\.patch_embeddings?(?:\.projection)?)\.weight"  # that every ViT has
TRANSFORMERS = (
    Family("ViT", "vit", BLOCK, normalization=HALF, resize=BILINEAR, antialias=False),
    Family("ViT-MAE", "vit_mae", BLOCK, file=ViTMAEConfig, resize=BILINEAR, antialias=False),
    Family(
        "DeiT", "deit", BLOCK + DISTILLED, file=DeiTConfig, resize=Resize("bicubic", 0.875, "squash"), antialias=False
    ),
    Family("DINOv2", "dinov2", BLOCK + SWIGLU, file=Dinov2Config, antialias=False),
    Family(
        *("DINOv2 with registers", "dinov2_with_registers", BLOCK + SWIGLU),
        file=Dinov2WithRegistersConfig,
        positions_before_registers=True,
    ),
    Family("DINOv3", "dinov3_vit", BLOCK + SWIGLU, file=DINOv3ViTConfig, resize=BILINEAR),
    Family(
        *("CLIP", "clip(_vision_model)?", CLIP_NAMES),
        file=CLIPConfig,
        ignored=TWO_TOWERS,
        normalization=CLIP,
        antialias=False,
        text_class="CLIPModel",
        classifier=("CLIPForImageClassification", r"norm\."),
    ),
    Family(
        *("SigLIP", "siglip(_vision_model)?", CLIP_NAMES),
        file=SiglipConfig,
        ignored=TWO_TOWERS,
        normalization=HALF,
        antialias=False,
        resize=SQUASHED,
        text_class="SiglipModel",
        classifier=("SiglipForImageClassification", r"attn_pool\."),
    ),
)
BASES = "|".join(family.models for family in TRANSFORMERS)
PREFIX = rf"(?:{BASES}|vision_model|visual\.trunk)\."  # of the names of the ViT's tensors in models with a head
TEXT_FAMILIES = tuple(family.title for family in TRANSFORMERS if family.text_class)  # of timm, too
TEXT_MODELS = {  # `model_type` of those with both encoders -> their class
    family.text_class.removesuffix("Model").lower(): family.text_class for family in TRANSFORMERS if family.text_class
}
PROJECTED = ".*_clip_.*"  # timm's architectures whose head may be the projection into the space of the texts
BIASED_PROJECTION = r"eva(02)?_.*_clip_.*"  # those where it has a bias, as a head for classes
TEXT_WIDTHS = (512, 768, 1024)  # channels of their text encoders
EVA: Settings = {"rope_type": "cat", "ref_feat_shape": (16, 16), "rope_temperature": 10_000.0}
ROPE: Settings = EVA | {"pos_embed": "none"}
DINOV3: Settings = {
    **{"rope_type": "dinov3", "rope_temperature": 100.0, "rope_rotate_half": True, "eps": 1e-5},
    "pos_embed": "none",
}
TANH_SIGLIP = r"vit_(base_patch32|large_patch16(?=.*512)|so400m_patch16|giantopt_patch16)_siglip_.*"
TIMM = (  # the first that matches; architectures as in timm 1.0
    Family("DINOv3", r"vit_.*_(dinov3|lingbot)(_qkvb)?", TIMM_NAMES, DINOV3),
    Family("EVA-02", r"eva02_.*", TIMM_NAMES, EVA, CLIP),
    Family("ViT with rotary positions", r"vit_.*_rope_reg\d_gap_\d+", TIMM_NAMES, ROPE, HALF),
    Family("EVA", r"eva_.*", TIMM_NAMES, {}, CLIP),
    Family("BEiT-3", r"beit3_.*", TIMM_NAMES, {"eps": 1e-5}, HALF),
    Family("SigLIP", TANH_SIGLIP, TIMM_NAMES, {"act_layer": "gelu_tanh"}, HALF),
    Family("SigLIP", r"vit_.*_siglip_.*", TIMM_NAMES, {}, HALF),
    Family("CLIP", r"vit_.*_clip_quickgelu_\d+", TIMM_NAMES, {"eps": 1e-5, "act_layer": "quick_gelu"}, CLIP),
    Family("CLIP", r"vit_.*_clip_\d+", TIMM_NAMES, {"eps": 1e-5}, CLIP),
    Family("DINOv2", r"vit_.*_dinov2", TIMM_NAMES, {}, positions_before_registers=True),
    Family("DeiT", r"deit3?_.*", TIMM_NAMES, {}),
    Family("ViT", "vit_intern300m_.*", TIMM_NAMES, {"final_norm": False}),
    Family("ViT", r"(vit|flexivit|test_vit).*", TIMM_NAMES, {}, HALF),
)
PROCESSORS = (  # image processors: start of the class, is a size in one number the shorter side, do they crop
    (("ViT", "Siglip", "DINOv3ViT"), False, False),
    (("DeiT", "Beit"), False, True),
    (("CLIP", "Bit"), True, True),
)
HEAD_DIMS = (  # of timm's architectures where it is not 64; the first that matches
    (r".*(dinov2|_dinov3|lingbot|_plus_).*", {"vit_7b_patch16_dinov3": 128}),
    (r"vit_giant_.*_tipsv2", 64),
    (r"test_vit.*", 32),
    (r"vit_base_patch16_gap_224", 48),
    (r".*so400m.*", 72),
    (r".*huge.*", 80),
    (r".*giantopt.*", 96),
    (r".*giant.*", 88),
    (r".*gigantic.*", 104),
    (r"eva02_enormous.*", 112),
)
POOLING = (  # of timm's architectures, where config.json names none; the first that matches
    (r".*_gap_.*|vit_.*_dinov3(_qkvb)?|(eva|eva02|beit3)_(?!.*_clip_).*|test_vit2", "avg"),
    (r".*_(siglip|map)_.*|test_vit3", "map"),
    (r".*", "token"),
)
REFUSED = (  # architectures of timm, model types of transformers or names of classes
    (r"swin|maxvit|maxxvit|davit|gcvit|twins|pvt|nest|focal|cswin", "windowed or pyramid transformer"),
    (r"mvit|hiera|edgenext|poolformer|metaformer|caformer|levit|efficientformer|tiny_vit|tinyvit|fastvit", "pyramid"),
    (r"naflex|siglip2_vision_model|siglip2", "NaFlex"),
    (r"cait", "CaiT"),
    (r"xcit", "XCiT"),
    (r"beit(?!3)|data2vec", "BEiT"),
    (r"samvit|sam_|vitdet", "SAM ViT"),
    (r"aimv2", "AIMv2"),
    (r"radio", "RADIO"),
    (r"sapiens", "Sapiens"),
    (r"vit_pe_", "Perception Encoder"),
    (r"eva02_enormous|PostNorm", "post-norm"),
    (r"vit_.*_rope_(?!reg)", "RoPE-ViT"),
    (r"_xp_|18x2|pwee|ParallelScaling|ParallelThings", "parallel blocks"),
    (r"dlittle|dwee|DiffAttention", "differential attention"),
    (r"rpn|relpos|srelpos|_mci_|hybrid|_r\d+_|r26|r50|convit|coat|visformer|crossvit|volo|tnt", "hybrid"),
    (r"resnet|resnext|convnext|efficientnet|mobilenet|regnet|densenet|vgg|nfnet|inception|resnest|ghost", "convnet"),
)


def find_head_dim(architecture: str) -> int:
    """Return the width of a head of timm's architecture."""
    for pattern, width in HEAD_DIMS:
        if re.fullmatch(pattern, architecture):
            return width if isinstance(width, int) else width.get(architecture, 64)
    return 64
