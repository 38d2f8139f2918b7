"""Families of ViTs in timm and transformers: one table per family, and nothing else knows families.

A family's table renames tensors to those of timm's `VisionTransformer` and names the settings that no tensor shows:
number of heads, epsilon, activation, pooling and rotary positions.
"""

import re
from dataclasses import dataclass, field

from vitviz.data.preprocessing import Resize
from vitviz.models.config_files import (
    AltCLIPConfig,
    BeitConfig,
    ChineseCLIPConfig,
    CLIPConfig,
    CLIPSegConfig,
    Data2VecVisionConfig,
    DeiTConfig,
    Dinov2Config,
    Dinov2WithRegistersConfig,
    DINOv3ViTConfig,
    IJepaConfig,
    MetaClip2Config,
    OwlViTConfig,
    RadioConfig,
    Settings,
    Siglip2Config,
    SiglipConfig,
    SmolVLMVisionConfig,
    Tipsv2Config,
    TransformersConfig,
    ViTMAEConfig,
    ViTMSNConfig,
)
from vitviz.models.layers import ANTIALIASED, PLAIN

Names = tuple[tuple[str, str], ...]  # pattern of a tensor's name, and its replacement
Channels3 = tuple[float, float, float]

IMAGENET: tuple[Channels3, Channels3] = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
UNIT: tuple[Channels3, Channels3] = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
HALF: tuple[Channels3, Channels3] = (0.5, 0.5, 0.5), (0.5, 0.5, 0.5)
CLIP: tuple[Channels3, Channels3] = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)

UNUSED = (
    r"pooler\.|(embeddings\.)?mask_token$|decoder|rope\.|rope_embed|.*position_ids$|pre_logits|local_cls_norm|"
    r"summary_idxs$|.*video_(patch_projection|embedder)"
)
TWO_TOWERS = rf"{UNUSED}|text_model\.|text_projection|logit_(scale|bias)|temperature$|text_encoder\."


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
        resampling: How the library interpolates positions to another size: arguments of `F.interpolate`.
        large_grid: How positions that are stored for a larger grid are interpolated to that of the input; empty if the
            family has none.
        patch_axes: Order of channel, row and column in the weights of the patch embedding, where these are a matrix.
        resize: Filter, crop and mode, where the files name none: of transformers, those of its image processor.
        library: Library of an architecture of timm, if it is another one.
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
    resampling: Settings = field(default_factory=lambda: ANTIALIASED)
    large_grid: Settings = field(default_factory=dict)
    patch_axes: str = ""
    resize: Resize = Resize("bicubic")  # noqa: RUF009 - frozen
    library: str = "timm"
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
    (r"\.lambda_(\d)$", r".ls\1.gamma"),  # of BEiT
    (r"^(?:encoder\.relative_position_bias|shared_position_bias)\.", "rel_pos_bias."),
    (r"\.(?:attention\.)*relative_position_bias\.", ".attn."),
    (r"^pooler\.layernorm\.", "fc_norm."),
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
    (r"^encoder\.layers?\.(\d+)\.", r"blocks.\1."),
    (r"\.self_attn\.([qkv])_proj\.", r".attn.\1."),
    (r"\.self_attn\.out_proj\.", r".attn.proj."),
    (r"\.layer_norm(\d)\.", r".norm\1."),
    (r"^embeddings\.class_embedding$", "cls_token"),
    (r"^embeddings\.position_embedding\.weight$", "pos_embed"),
    (r"^embeddings\.patch_embedding\.", "patch_embed.proj."),
    (r"^pre_lay(?:r|er)norm\.", "norm_pre."),
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
    (r"^rope\.freqs$", "rope_freqs"),
    (r"\.attn\.inner_attn_ln\.", ".attn.norm."),
    (r"\.mlp\.ffn_ln\.", ".mlp.norm."),
    (r"\.mlp\.(?:fc1_g|w1)\.", ".mlp.gate."),
    (r"\.mlp\.(?:fc1_x|w2)\.", ".mlp.up."),
    (r"\.mlp\.w12\.", ".mlp.fc1."),
    (r"\.mlp\.w3\.", ".mlp.fc2."),
    (r"\.mlp\.c_fc\.", ".mlp.fc1."),  # of TIPSv2
    (r"\.mlp\.c_proj\.", ".mlp.fc2."),
    (r"^(?:register_tokens|storage_tokens)$", "reg_token"),
    (r"^head\.proj\.", "head_proj."),  # of open_clip, after timm's ViT
)
OPEN_CLIP_NAMES: Names = (
    (r"^conv1\.", "patch_embed.proj."),
    (r"^class_embedding$", "cls_token"),
    (r"^positional_embedding$", "pos_embed"),
    (r"^transformer\.resblocks\.(\d+)\.", r"blocks.\1."),
    (r"\.ln_(\d)\.", r".norm\1."),
    (r"\.ls_(\d)\.", r".ls\1."),
    (r"\.attn\.in_proj_", ".attn.qkv."),
    (r"\.attn\.out_proj\.", ".attn.proj."),
    (r"^ln_pre\.", "norm_pre."),
    (r"^ln_post\.", "norm."),
    (r"^proj$", "head_proj.transposed"),
)
RADIO_NAMES: Names = (
    (r"^radio_model\.(?:model\.)?", ""),
    (r"^(?:patch_generator\.embedder|embeddings\.patch_projection)\.", "patch_embed.proj."),
    (r"^(?:patch_generator\.pos_embed|embeddings\.position_embedding)$", "pos_embed"),
    (r"^(?:patch_generator\.cls_token\.token|embeddings\.cls_register_token)$", "prefix_tokens"),
)
TORCHVISION_NAMES: Names = (
    (r"^conv_proj\.", "patch_embed.proj."),
    (r"^class_token$", "cls_token"),
    (r"^encoder\.pos_embedding$", "pos_embed"),
    (r"^encoder\.layers\.encoder_layer_(\d+)\.", r"blocks.\1."),
    (r"\.ln_(\d)\.", r".norm\1."),
    (r"\.self_attention\.in_proj_", ".attn.qkv."),
    (r"\.self_attention\.out_proj\.", ".attn.proj."),
    (r"\.mlp\.(?:0|linear_1)\.", ".mlp.fc1."),
    (r"\.mlp\.(?:3|linear_2)\.", ".mlp.fc2."),
    (r"^encoder\.ln\.", "norm."),
    (r"^heads\.(?:head\.)?", "head."),
)
SQUASHED, BILINEAR = Resize("bicubic", 1.0, "squash"), Resize("bilinear", 1.0, "squash")

FIRST = (  # that every ViT has
    r"(?:patch_embed\.proj|conv_proj|embeddings\.patch_(?:embeddings?(?:\.projection)?|projection)|"
    r"(?:radio_model\.model\.)?patch_generator\.embedder|(?<=visual\.)conv1)\.weight"
)
TRANSFORMERS = (
    Family("ViT", "vit", BLOCK, normalization=HALF, resize=BILINEAR, resampling=PLAIN),
    Family("ViT-MAE", "vit_mae", BLOCK, file=ViTMAEConfig, resize=BILINEAR, resampling=PLAIN),
    Family(
        "DeiT", "deit", BLOCK + DISTILLED, file=DeiTConfig, resize=Resize("bicubic", 0.875, "squash"), resampling=PLAIN
    ),
    Family("DINOv2", "dinov2", BLOCK + SWIGLU, file=Dinov2Config, resampling=PLAIN),
    Family(
        *("DINOv2 with registers", "dinov2_with_registers", BLOCK + SWIGLU),
        file=Dinov2WithRegistersConfig,
        positions_before_registers=True,
    ),
    Family(
        *("TIPSv2", "tipsv2(_vision_model)?", BLOCK + SWIGLU + TIMM_NAMES),
        file=Tipsv2Config,
        ignored=TWO_TOWERS,
        normalization=UNIT,
        resampling={"mode": "bilinear", "antialias": True},
        positions_before_registers=True,
        resize=BILINEAR,
    ),
    Family("BEiT", "beit", BLOCK, file=BeitConfig, normalization=HALF, resampling=PLAIN, resize=BILINEAR),
    Family(
        *("data2vec", "data2vec-vision", BLOCK),
        file=Data2VecVisionConfig,
        normalization=HALF,
        resampling=PLAIN,
        resize=BILINEAR,
    ),
    Family("I-JEPA", "ijepa", BLOCK, file=IJepaConfig, resampling=PLAIN, resize=BILINEAR),
    Family("ViT-MSN", "vit_msn", BLOCK, file=ViTMSNConfig, resampling=PLAIN, resize=BILINEAR),
    Family(
        *("C-RADIO", "radio", BLOCK + SWIGLU + RADIO_NAMES),
        file=RadioConfig,
        normalization=UNIT,  # the model normalizes its input itself
        large_grid={"mode": "bilinear"},
        patch_axes="chw",
    ),
    Family("DINOv3", "dinov3_vit", BLOCK + SWIGLU, file=DINOv3ViTConfig, resize=BILINEAR),
    Family(
        *("CLIP", "clip(_vision_model)?", CLIP_NAMES),
        file=CLIPConfig,
        ignored=TWO_TOWERS,
        normalization=CLIP,
        resampling=PLAIN,
        classifier=("CLIPForImageClassification", r"norm\."),
    ),
    Family(
        *("SigLIP", "siglip(_vision_model)?", CLIP_NAMES),
        file=SiglipConfig,
        ignored=TWO_TOWERS,
        normalization=HALF,
        resampling=PLAIN,
        resize=SQUASHED,
        classifier=("SiglipForImageClassification", r"attn_pool\."),
    ),
    Family(
        *("SigLIP 2 NaFlex", "siglip2(_vision_model)?", CLIP_NAMES),
        file=Siglip2Config,
        ignored=TWO_TOWERS,
        normalization=HALF,
        resampling={"mode": "bilinear", "antialias": True},
        patch_axes="hwc",
        resize=SQUASHED,
        classifier=("Siglip2ForImageClassification", r"attn_pool\."),
    ),
    Family(
        *("SmolVLM, Idefics3", "(smolvlm|idefics3)(_vision)?", CLIP_NAMES),
        file=SmolVLMVisionConfig,
        normalization=HALF,
        resampling={"mode": "nearest"},
        resize=SQUASHED,
    ),
    *(
        Family(
            *(title, f"{model}(_vision_model)?", CLIP_NAMES),
            file=file,
            ignored=TWO_TOWERS,
            normalization=CLIP,
            resampling=PLAIN,
            classifier=("MetaClip2ForImageClassification", r"norm\."),
        )
        for title, model, file in (
            ("MetaCLIP 2", "metaclip_2", MetaClip2Config),
            ("Chinese-CLIP", "chinese_clip", ChineseCLIPConfig),
            ("AltCLIP", "altclip", AltCLIPConfig),
            ("CLIPSeg", "clipseg", CLIPSegConfig),
            ("OWL-ViT", "owl(vit|v2)", OwlViTConfig),
        )
    ),
)
TEXT_FAMILIES = {family.title: family.models for family in TRANSFORMERS if family.ignored == TWO_TOWERS}
TOWERS = "|".join(TEXT_FAMILIES.values())  # of models that have a text encoder, too
BASES = "|".join(family.models for family in TRANSFORMERS) + "|data2vec_vision"
PREFIX = rf"(?:{BASES}|vision_(?:model|encoder)|trunk)\."  # of the names of the ViT's tensors in models with a head
PROJECTED = (
    ".*_clip_.*|vit_pe_core_.*"  # timm's architectures whose head may be the projection into the space of the texts
)
BIASED_PROJECTION = r"eva(02)?_.*_clip_.*"  # those where it has a bias, as a head for classes
TEXT_WIDTHS = (512, 768, 1024)  # channels of their text encoders
EVA: Settings = {"rope_type": "cat", "ref_feat_shape": (16, 16), "rope_temperature": 10_000.0}
ROPE: Settings = EVA | {"pos_embed": "none"}
XY: Settings = {"rope_type": "cat", "rope_temperature": 100.0, "rope_grid_indexing": "xy"}
MIXED: Settings = XY | {"rope_type": "mixed", "rope_temperature": 10.0}
PE_POOL: Settings = {"attn_pool_num_heads": 8, "pool_include_prefix": True}
PE: Settings = {"rope_type": "cat", "rope_grid_indexing": "xy", "eps": 1e-5}
DINOV3: Settings = {
    **{"rope_type": "dinov3", "rope_temperature": 100.0, "rope_rotate_half": True, "eps": 1e-5},
    "pos_embed": "none",
}
TANH_SIGLIP = r"vit_(base_patch32|large_patch16(?=.*512)|so400m_patch16|giantopt_patch16)_siglip_.*"
TIMM = (  # the first that matches; architectures as in timm 1.0
    Family(
        *("torchvision ViT", r"(torchvision_vit|vit_[blh]_\d+).*", TORCHVISION_NAMES, {"eps": 1e-6}),
        library="torchvision",
        resampling={"mode": "bicubic", "align_corners": True},
    ),
    *(
        Family(*("C-RADIO", models, TIMM_NAMES, {"final_norm": False}, CLIP), large_grid={"mode": "bilinear"} | options)
        for models, options in (
            (r"vit_(base|huge)_.*_radio_v3", {"align_corners": True}),
            (r"vit_.*_radio_v\d", {}),
        )
    ),
    Family("DINOv3", r"vit_.*_(dinov3|lingbot)(_qkvb)?", TIMM_NAMES, DINOV3),
    Family("EVA-02", r"eva02_.*", TIMM_NAMES, EVA, CLIP),
    Family("ViT with rotary positions", r"vit_.*_rope_reg\d_gap_\d+", TIMM_NAMES, ROPE, HALF),
    Family("RoPE-ViT", r"vit_.*_rope_mixed_ape_\d+", TIMM_NAMES, MIXED),
    Family("RoPE-ViT", r"vit_.*_rope_mixed_\d+", TIMM_NAMES, MIXED | {"pos_embed": "none"}),
    Family("RoPE-ViT", r"vit_.*_rope_ape_\d+", TIMM_NAMES, XY),
    Family("RoPE-ViT", r"vit_.*_rope_\d+", TIMM_NAMES, XY | {"pos_embed": "none"}),
    *(
        Family("Perception Encoder", models, TIMM_NAMES, PE | settings, HALF)
        for models, settings in (
            (r"vit_pe_core_gigantic_.*", {"ref_feat_shape": (32, 32)} | PE_POOL),
            (r"vit_pe_core_base_.*", {"ref_feat_shape": (14, 14), "rope_grid_offset": 1.0} | PE_POOL),
            (r"vit_pe_core_.*", {"ref_feat_shape": (24, 24), "rope_grid_offset": 1.0} | PE_POOL),
            (r"vit_pe_.*_gigantic_.*", {"ref_feat_shape": (32, 32), "final_norm": False}),
            (r"vit_pe_.*", {"ref_feat_shape": (32, 32), "rope_grid_offset": 1.0, "final_norm": False}),
        )
    ),
    Family("BEiT", r"beit(v2)?_.*", TIMM_NAMES, {"pos_embed": "none"}, HALF),
    Family("EVA", r"eva_.*", TIMM_NAMES, {}, CLIP),
    Family("BEiT-3", r"beit3_.*", TIMM_NAMES, {"eps": 1e-5}, HALF),
    Family("SigLIP", TANH_SIGLIP, TIMM_NAMES, {"act_layer": "gelu_tanh"}, HALF),
    Family("SigLIP", r"vit_.*_siglip_.*", TIMM_NAMES, {}, HALF),
    *(
        Family("CLIP", models, OPEN_CLIP_NAMES + TIMM_NAMES, {"eps": 1e-5} | settings, CLIP)
        for models, settings in (
            (r"vit_.*_clip_quickgelu_\d+", {"act_layer": "quick_gelu"}),
            (r"vit_.*_clip_\d+", {}),
        )
    ),
    Family("DINOv2", r"vit_.*_dinov2", TIMM_NAMES, {}, positions_before_registers=True),
    Family("DeiT", r"deit3?_.*", TIMM_NAMES, {}),
    Family("ViT", "test_vit3", TIMM_NAMES, {"pool_include_prefix": True}, HALF),
    Family("ViT", "vit_intern300m_.*", TIMM_NAMES, {"final_norm": False}),
    Family("ViT", r"(vit|flexivit|test_vit).*", TIMM_NAMES, {}, HALF),
)
PROCESSORS = (  # image processors: start of the class, is a size in one number the shorter side, do they crop
    (("ViT", "Siglip", "DINOv3ViT", "Tipsv2", "OwlViT", "Gemma3"), False, False),
    (("DeiT", "Beit"), False, True),
    (("CLIP", "Bit", "ChineseCLIP", "Llava"), True, True),
    (("SmolVLM", "Idefics3", "Siglip2", "Owlv2", "LlavaNext", "LlavaOnevision"), False, False),
)
TILING = PROCESSORS[-1][0]  # image processors that cut images into tiles, or pad them; a ViT has one size instead
TILES = (  # their fields
    *("do_image_splitting", "do_pad", "max_image_size", "image_grid_pinpoints", "max_num_patches", "patch_size"),
    *("size", "crop_size", "do_center_crop"),
)
HEAD_DIMS = (  # of timm's architectures where it is not 64; the first that matches
    (r".*(dinov2|_dinov3|lingbot|_plus_).*", {"vit_7b_patch16_dinov3": 128}),
    (r"vit_giant_.*_(tipsv2|radio_v3)", 64),
    (r"vit_h_14", 80),  # of torchvision
    (r"vit_pe_.*_gigantic_.*", 96),
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
    (r"vit_pe_core_.*", "map"),
    (r".*_gap_.*|beit(v2)?_.*|vit_pe_.*|vit_.*_dinov3(_qkvb)?|(eva|eva02|beit3)_(?!.*_clip_).*|test_vit2", "avg"),
    (r".*_(siglip|map)_.*|test_vit3", "map"),
    (r".*", "token"),
)
REFUSED = (  # architectures of timm, model types of transformers or names of classes
    (r"samvit|sam_|vitdet", "SAM ViT"),
    (r"swin|maxvit|maxxvit|davit|gcvit|twins|pvt|nest|focal|cswin", "windowed or pyramid transformer"),
    (r"mvit|hiera|edgenext|poolformer|metaformer|caformer|levit|efficientformer|tiny_vit|tinyvit|fastvit", "pyramid"),
    (r"naflex", "NaFlex"),
    (r"cait", "CaiT"),
    (r"xcit", "XCiT"),
    (r"aimv2", "AIMv2"),
    (r"sapiens", "Sapiens"),
    (r"eva02_enormous|PostNorm", "post-norm"),
    (r"_xp_|18x2|pwee|ParallelScaling|ParallelThings", "parallel blocks"),
    (r"dlittle|dwee|DiffAttention", "differential attention"),
    (r"rpn|relpos", "ViT with relative positions"),
    (r"_mci_|hybrid|_r\d+_|r26|r50|convit|coat|visformer|crossvit|volo|tnt", "hybrid"),
    (r"resnet|resnext|convnext|efficientnet|mobilenet|regnet|densenet|vgg|nfnet|inception|resnest|ghost", "convnet"),
)


def find_head_dim(architecture: str) -> int:
    """Return the width of a head of timm's architecture."""
    for pattern, width in HEAD_DIMS:
        if re.fullmatch(pattern, architecture):
            return width if isinstance(width, int) else width.get(architecture, 64)
    return 64
