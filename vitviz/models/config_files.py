"""Config files of timm and transformers, parsed: every field is read, known not to matter, or refused by name.

Defaults of missing fields are those of the library's own classes.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from vitviz.errors import CheckpointError
from vitviz.files import printable_name
from vitviz.models.config import MAX_CLASSES, MAX_TOKENS, ImageSize, Side, rule

Settings = dict[str, Any]
ACTIVATIONS = {"gelu": "gelu", "gelu_pytorch_tanh": "gelu_tanh", "quick_gelu": "quick_gelu", "silu": "silu"}
OUTER = ("model_type", "architectures", "id2label", "num_labels", "problem_type", "projection_dim")  # of two towers


def to_pair(value: Any) -> Any:
    """Return one side of a square as two."""
    return (value, value) if type(value) is int else tuple(value) if isinstance(value, list) else value


def to_side(value: Any) -> Any:
    """Return two equal sides as one."""
    return value[0] if isinstance(value, list | tuple) and len(value) == 2 and value[0] == value[1] else value


Size = Annotated[ImageSize, BeforeValidator(to_pair)]
Patch = Annotated[Side, BeforeValidator(to_side)]
Width = Annotated[int, Field(ge=1, le=8192)]
Depth = Annotated[int, Field(ge=1, le=128)]
Count = Annotated[int, Field(ge=0, le=MAX_CLASSES)]
Ratio = Annotated[float, Field(gt=0, le=64)]
Eps = Annotated[float, Field(gt=0, le=1)]
Mean = Annotated[tuple[float, float, float], BeforeValidator(lambda x: tuple(x) if isinstance(x, list) else x)]
Deviation = Annotated[
    tuple[Annotated[float, Field(gt=0)], Annotated[float, Field(gt=0)], Annotated[float, Field(gt=0)]],
    BeforeValidator(lambda x: tuple(x) if isinstance(x, list) else x),
]
Fraction = Annotated[float, Field(gt=0, le=1)]


def names(text: str) -> frozenset[str]:
    """Return the names in a text, separated by spaces."""
    return frozenset(text.split())


class ConfigFile(BaseModel):
    """Fields that take part in a prediction, and in `ignored` the names of those that do not."""

    model_config = ConfigDict(strict=True, extra="allow", allow_inf_nan=False, frozen=True)
    ignored: ClassVar[frozenset[str]] = frozenset()


File = TypeVar("File", bound=ConfigFile)


def parse(kind: type[File], values: Mapping[str, Any], file: str) -> File:
    """Parse the content of a config file.

    Raises:
        CheckpointError: If the value of a field is invalid, or a field is unknown and has one; the error names it.
    """
    values = {name: value for name, value in values.items() if value is not None}
    try:
        parsed = kind.model_validate(values)
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        field, value = kind.model_fields[name], values.get(name)
        if (inner := part_of(field.annotation)) and isinstance(value, Mapping):
            parse(inner, value, file)  # raises the error of the part's field
        allowed = "an object" if inner else rule(Annotated[(field.annotation, *field.metadata, None)])  # type: ignore[misc]
        raise CheckpointError(f"{name} must be {allowed}: {file} has {value!r:.80}", field=name) from None
    for name, value in (parsed.model_extra or {}).items():
        if name not in kind.ignored and value not in (None, False, "", [], (), {}):
            shown = printable_name(name)[:80]
            raise CheckpointError(
                f"Every field of {file} must be known, as it may change the output: got {shown} = {value!r:.80}",
                "If it does not change the output, remove it.",
                shown,
            )
    for name, field in kind.model_fields.items():
        if (inner := part_of(field.annotation)) and isinstance(values.get(name), Mapping):
            parse(inner, values[name], file)
    return parsed


def part_of(annotation: Any) -> type[ConfigFile] | None:
    """Return the class of a field that is a nested object; None for others."""
    if isinstance(annotation, type) and issubclass(annotation, ConfigFile):
        return annotation
    return next(filter(None, map(part_of, get_args(annotation))), None)


class TransformersConfig(ConfigFile):
    """config.json of a ViT of transformers; with the defaults of its ViT."""

    ignored = names(
        # Records, and how the model is run.
        "transformers_version _name_or_path name_or_path _commit_hash torch_dtype dtype use_bfloat16 torchscript "
        "finetuning_task task_specific_params tf_legacy_loss xla_device return_dict use_return_dict output_attentions "
        "output_hidden_states attn_implementation _attn_implementation _attn_implementation_autoset "
        "_attn_implementation_internal _output_attentions gradient_checkpointing chunk_size_feed_forward label2id "
        "loss_type use_cache "
        # Generation of text, which files of version 4 write for all models.
        "is_decoder is_encoder_decoder add_cross_attention cross_attention_hidden_size tie_encoder_decoder "
        "tie_word_embeddings max_length min_length do_sample early_stopping num_beams num_beam_groups "
        "diversity_penalty temperature top_k top_p typical_p repetition_penalty length_penalty no_repeat_ngram_size "
        "encoder_no_repeat_ngram_size bad_words_ids num_return_sequences output_scores return_dict_in_generate "
        "forced_bos_token_id forced_eos_token_id remove_invalid_values exponential_decay_length_penalty "
        "suppress_tokens begin_suppress_tokens tokenizer_class prefix bos_token_id pad_token_id eos_token_id "
        "sep_token_id decoder_start_token_id vocab_size num_image_tokens projector_hidden_act "
        # Initialization, training and decoders.
        "initializer_range initializer_factor hidden_dropout_prob attention_probs_dropout_prob attention_dropout "
        "dropout layerdrop drop_path_rate layerscale_value encoder_stride mask_ratio norm_pix_loss "
        "decoder_num_attention_heads decoder_hidden_size decoder_num_hidden_layers decoder_intermediate_size "
        "pos_embed_shift pos_embed_jitter pos_embed_rescale "
        # Outputs that predictions do not read.
        "pooler_output_size pooler_act out_features out_indices stage_names apply_layernorm reshape_hidden_states "
        "use_mask_token projection_dim text_config text_config_dict logit_scale_init_value temperature_init_value "
    )
    classes: ClassVar[tuple[str, ...]] = ("ViTModel", "ViTForMaskedImageModeling", "ViTForImageClassification")
    model_type: str = ""
    architectures: list[str] | None = None
    id2label: dict[Any, Any] | None = None
    num_labels: Count | None = None
    problem_type: Literal["single_label_classification", "multi_label_classification", "regression"] | None = None
    image_size: Size = (224, 224)
    patch_size: Patch = 16
    num_channels: Annotated[int, Field(ge=3, le=3)] = 3
    hidden_size: Width = 768
    num_hidden_layers: Depth = 12
    num_attention_heads: Width = 12
    intermediate_size: Annotated[int, Field(ge=1, le=65536)] = 3072
    hidden_act: Literal["gelu", "gelu_pytorch_tanh", "quick_gelu", "silu"] = "gelu"
    layer_norm_eps: Eps = 1e-12
    qkv_bias: bool = True

    @property
    def class_name(self) -> str:
        """Class of transformers; empty if the file names none."""
        return (self.architectures or [""])[0]

    @property
    def mlp_width(self) -> int:
        """Hidden channels of the MLP."""
        return self.intermediate_size

    def fields(self) -> Settings:
        """Return the fields of `ViTConfig` that the file states; its weights must have them."""
        labels = 2 if self.num_labels is None and self.id2label is None else self.num_labels or len(self.id2label or ())
        has_head = "ForImageClassification" in self.class_name
        return {
            "img_size": self.image_size,
            "patch_size": self.patch_size,
            "embed_dim": self.hidden_size,
            "depth": self.num_hidden_layers,
            "num_heads": self.num_attention_heads,
            "mlp_ratio": self.mlp_width / self.hidden_size,
            "eps": self.layer_norm_eps,
            "act_layer": ACTIVATIONS[self.hidden_act],
            "qkv_bias": self.qkv_bias,
            "class_token": True,
            "pos_embed": "learn",
            "final_norm": True,
            "init_values": None,
            **dict.fromkeys(
                ("qk_norm", "pre_norm", "fc_norm", "swiglu_mlp", "scale_attn_norm", "scale_mlp_norm"), False
            ),
            **({"num_classes": labels if has_head else 0} if self.class_name else {}),
        }


class ViTMAEConfig(TransformersConfig):
    """config.json of ViT-MAE."""

    classes = ("ViTMAEModel", "ViTMAEForPreTraining")


class BeitConfig(TransformersConfig):
    """config.json of BEiT."""

    ignored = TransformersConfig.ignored | names(
        "vocab_size pool_scales use_auxiliary_head auxiliary_loss_weight auxiliary_channels auxiliary_num_convs "
        "auxiliary_concat_input semantic_loss_ignore_index add_fpn layer_scale_init_value qkv_bias"
    )
    classes: ClassVar[tuple[str, ...]] = ("BeitModel", "BeitForImageClassification")
    key_bias: ClassVar[bool] = False
    use_absolute_position_embeddings: bool = False
    use_relative_position_bias: bool = False
    use_shared_relative_position_bias: bool = False
    use_mean_pooling: bool = True

    def fields(self) -> Settings:  # noqa: D102 - inherited
        fields = super().fields() | {
            "pos_embed": "learn" if self.use_absolute_position_embeddings else "none",
            "rel_pos_bias": self.use_relative_position_bias or self.use_shared_relative_position_bias,
            "fc_norm": self.use_mean_pooling,
            "global_pool": "avg" if self.use_mean_pooling else "token",
        }
        return {name: value for name, value in fields.items() if name != "init_values"}  # 0 for none


class Data2VecVisionConfig(BeitConfig):
    """config.json of data2vec."""

    classes = ("Data2VecVisionModel", "Data2VecVisionForImageClassification")

    def fields(self) -> Settings:  # noqa: D102 - inherited
        has_norm = not self.use_mean_pooling or self.class_name != "Data2VecVisionModel"  # which has no pooling
        return super().fields() | ({} if has_norm else {"final_norm": False, "fc_norm": False})


class IJepaConfig(TransformersConfig):
    """config.json of I-JEPA, which has no class token."""

    classes = ("IJepaModel", "IJepaForImageClassification")

    def fields(self) -> Settings:  # noqa: D102 - inherited
        return super().fields() | {"class_token": False}


class ViTMSNConfig(TransformersConfig):
    """config.json of ViT-MSN."""

    classes = ("ViTMSNModel", "ViTMSNForImageClassification")
    layer_norm_eps: Eps = 1e-6


class DeiTConfig(TransformersConfig):
    """config.json of DeiT, whose distillation token is a register for models without its head."""

    classes = (
        *("DeiTModel", "DeiTForMaskedImageModeling", "DeiTForImageClassification"),
        "DeiTForImageClassificationWithTeacher",
    )

    def fields(self) -> Settings:  # noqa: D102 - inherited
        has_teacher = "WithTeacher" in self.class_name
        prefix = {"distilled": has_teacher, "reg_tokens": int(not has_teacher)} if self.class_name else {}
        return super().fields() | prefix


class Dinov2Config(TransformersConfig):
    """config.json of DINOv2."""

    ignored = TransformersConfig.ignored | {"intermediate_size"}
    classes: ClassVar[tuple[str, ...]] = ("Dinov2Model", "Dinov2Backbone", "Dinov2ForImageClassification")
    layer_norm_eps: Eps = 1e-6
    mlp_ratio: Ratio = 4
    use_swiglu_ffn: bool = False
    num_register_tokens: Count = 0

    @property
    def mlp_width(self) -> int:  # noqa: D102 - inherited
        width = int(self.hidden_size * self.mlp_ratio)
        return (int(width * 2 / 3) + 7) // 8 * 8 if self.use_swiglu_ffn else width

    def fields(self) -> Settings:  # noqa: D102 - inherited
        pooling = {"global_pool": "token_avg"} if "ForImageClassification" in self.class_name else {}
        return super().fields() | pooling | {
            "swiglu_mlp": self.use_swiglu_ffn,
            "reg_tokens": self.num_register_tokens,
            "init_values": 1e-5,
        }  # fmt: skip


class Dinov2WithRegistersConfig(Dinov2Config):
    """config.json of DINOv2 with registers."""

    classes = (
        *("Dinov2WithRegistersModel", "Dinov2WithRegistersBackbone"),
        "Dinov2WithRegistersForImageClassification",
    )
    num_register_tokens: Count = 4


class Tipsv2Config(Dinov2Config):
    """config.json of TIPSv2's image encoder, or of both towers."""

    classes = ("Tipsv2VisionModel", "Tipsv2VisionBackbone", "Tipsv2Model")
    image_size: Size = (448, 448)
    patch_size: Patch = 14
    num_register_tokens: Count = 1


class RadioConfig(Dinov2Config):
    """config.json of C-RADIO."""

    ignored = Dinov2Config.ignored | names(
        "max_img_size video_temporal_patch_size patch_dim video_patch_dim summary_idxs norm_mean norm_std"
    )
    classes = ("RadioModel",)
    hidden_size: Width = 1280
    num_hidden_layers: Depth = 32
    num_attention_heads: Width = 16
    num_cls_tokens: Count = 3
    num_registers: Count = 7

    def fields(self) -> Settings:  # noqa: D102 - inherited
        fields = super().fields() | {"final_norm": False}
        del fields["init_values"]  # which many files lack
        return fields | {"reg_tokens": self.num_cls_tokens + self.num_registers - 1}


class RopeParameters(ConfigFile):
    """Rotary positions, as version 5 of transformers may write them."""

    rope_theta: Annotated[float, Field(gt=1, le=1e6)] = 100.0
    rope_type: Literal["default"] = "default"


class DINOv3ViTConfig(TransformersConfig):
    """config.json of DINOv3."""

    ignored = TransformersConfig.ignored | {"qkv_bias"}
    classes = ("DINOv3ViTModel", "DINOv3ViTBackbone")
    hidden_size: Width = 384
    num_attention_heads: Width = 6
    intermediate_size: Annotated[int, Field(ge=1, le=65536)] = 1536
    layer_norm_eps: Eps = 1e-5
    rope_theta: Annotated[float, Field(gt=1, le=1e6)] | None = None
    rope_parameters: RopeParameters | None = None
    query_bias: bool = True
    key_bias: bool = False
    value_bias: bool = True
    proj_bias: Annotated[bool, Field(description="The output projection has a bias.")] = True
    mlp_bias: bool = True
    use_gated_mlp: bool = False
    num_register_tokens: Count = 0

    def fields(self) -> Settings:  # noqa: D102 - inherited
        if self.use_gated_mlp and self.hidden_act != "silu":
            raise CheckpointError(f"hidden_act of a gated MLP must be silu: got {self.hidden_act}", field="hidden_act")
        rope = self.rope_parameters or RopeParameters()
        return super().fields() | {
            "qkv_bias": self.query_bias or self.key_bias or self.value_bias,
            "swiglu_mlp": self.use_gated_mlp,
            "reg_tokens": self.num_register_tokens,
            "pos_embed": "none",
            "init_values": 1e-5,
            "rope_type": "dinov3",
            "rope_temperature": self.rope_theta or rope.rope_theta,
            "rope_rotate_half": True,
        }


class CLIPConfig(TransformersConfig):
    """config.json of CLIP's image encoder, or of both towers."""

    ignored = TransformersConfig.ignored - {"projection_dim"}
    classes: ClassVar[tuple[str, ...]] = (
        *("CLIPVisionModelWithProjection", "CLIPVisionModel", "CLIPModel"),
        "CLIPForImageClassification",
    )
    patch_size: Patch = 32
    hidden_act: Literal["gelu", "gelu_pytorch_tanh", "quick_gelu", "silu"] = "quick_gelu"
    layer_norm_eps: Eps = 1e-5
    projection_dim: Width = 512

    def fields(self) -> Settings:  # noqa: D102 - inherited
        has_projection = not self.class_name.endswith(("VisionModel", "ForImageClassification"))
        return super().fields() | {
            "pre_norm": True,
            "final_norm": not self.class_name.endswith("ForImageClassification"),
            **({"head_proj_dim": self.projection_dim if has_projection else 0} if self.class_name else {}),
        }


class MetaClip2Config(CLIPConfig):
    """config.json of MetaCLIP 2."""

    classes = (
        *("MetaClip2VisionModelWithProjection", "MetaClip2VisionModel", "MetaClip2Model"),
        "MetaClip2ForImageClassification",
    )


class ChineseCLIPConfig(CLIPConfig):
    """config.json of Chinese-CLIP."""

    classes = ("ChineseCLIPVisionModel", "ChineseCLIPModel")


class AltCLIPConfig(CLIPConfig):
    """config.json of AltCLIP."""

    classes = ("AltCLIPVisionModel", "AltCLIPModel")


class CLIPSegConfig(CLIPConfig):
    """config.json of CLIPSeg, whose decoder is not used."""

    ignored = CLIPConfig.ignored | names(
        "extract_layers reduce_dim conditional_layer use_complex_transposed_convolution decoder_hidden_act "
        "decoder_attention_dropout"
    )
    classes = ("CLIPSegVisionModel", "CLIPSegModel", "CLIPSegForImageSegmentation")


class OwlViTConfig(CLIPConfig):
    """config.json of OWL-ViT and OWLv2, whose detection heads are not used."""

    classes = (
        *("OwlViTVisionModel", "OwlViTModel", "OwlViTForObjectDetection"),
        *("Owlv2VisionModel", "Owlv2Model", "Owlv2ForObjectDetection"),
    )
    image_size: Size = (768, 768)


class SiglipConfig(TransformersConfig):
    """config.json of SigLIP's image encoder, or of both towers."""

    classes: ClassVar[tuple[str, ...]] = ("SiglipVisionModel", "SiglipModel", "SiglipForImageClassification")
    hidden_act: Literal["gelu", "gelu_pytorch_tanh", "quick_gelu", "silu"] = "gelu_pytorch_tanh"
    layer_norm_eps: Eps = 1e-6
    vision_use_head: bool = True

    def fields(self) -> Settings:  # noqa: D102 - inherited
        pools = self.vision_use_head and "ForImageClassification" not in self.class_name
        return super().fields() | {"class_token": False, "global_pool": "map" if pools else "avg"}


class Siglip2Config(SiglipConfig):
    """config.json of SigLIP 2 NaFlex, at the square grid of its positions."""

    classes = ("Siglip2VisionModel", "Siglip2Model", "Siglip2ForImageClassification")
    num_patches: Annotated[int, Field(ge=1, le=MAX_TOKENS)] = 256

    def fields(self) -> Settings:  # noqa: D102 - inherited
        side = round(self.num_patches**0.5) * self.patch_size
        return super().fields() | {"img_size": (side, side)}


class SmolVLMVisionConfig(SiglipConfig):
    """config.json of the image encoder of SmolVLM and Idefics3."""

    ignored = SiglipConfig.ignored | names("max_image_size size use_base_siglip")
    classes = ("SmolVLMVisionTransformer", "Idefics3VisionTransformer")
    patch_size: Patch = 32
    hidden_size: Width = 1152
    num_attention_heads: Width = 16
    vision_use_head: bool = False


class TimmArgs(ConfigFile):
    """`model_args` of timm: arguments of its `VisionTransformer` and `Eva`."""

    ignored = names(
        "num_classes dynamic_img_size dynamic_img_pad drop_rate pos_drop_rate patch_drop_rate proj_drop_rate "
        "attn_drop_rate drop_path_rate weight_init fix_init head_init_scale rope_shift_coords rope_jitter_coords "
        "rope_rescale_coords use_rot_pos_emb attn_type qkv_fused scale_mlp scale_attn_inner swiglu_align_to "
        "use_pre_transformer_norm proj_bias device dtype attn_pool_mlp_ratio"
    )  # those of the second half are seen in the tensors
    img_size: Size | None = None
    in_chans: Annotated[int, Field(ge=3, le=3)] = 3
    patch_size: Patch | None = None
    embed_dim: Width | None = None
    depth: Depth | None = None
    num_heads: Width | None = None
    mlp_ratio: Ratio | None = None
    reg_tokens: Count | None = None
    num_reg_tokens: Count | None = None
    init_values: float | None = None
    qkv_bias: bool | None = None
    qk_norm: bool | None = None
    class_token: bool | None = None
    no_embed_class: bool | None = None
    pre_norm: bool | None = None
    final_norm: bool | None = None
    fc_norm: bool | None = None
    use_post_transformer_norm: bool = True
    use_fc_norm: bool | None = None
    scale_attn_norm: bool | None = None
    scale_mlp_norm: bool | None = None
    swiglu_mlp: bool | None = None
    pool_include_prefix: bool | None = None
    global_pool: str | None = None
    act_layer: str | None = None
    pos_embed: Literal["none", "learn"] | None = None
    use_abs_pos_emb: bool | None = None
    rope_type: Literal["cat", "dinov3", "mixed"] | None = None
    rope_grid_indexing: Literal["ij", "xy"] | None = None
    rope_grid_offset: Annotated[float, Field(ge=0, le=16)] | None = None
    attn_pool_num_heads: Width | None = None
    use_rel_pos_bias: bool | None = None
    use_shared_rel_pos_bias: bool | None = None
    rope_temperature: Annotated[float, Field(gt=1, le=1e6)] | None = None
    rope_rotate_half: bool | None = None
    ref_feat_shape: Size | None = None


class PretrainedCfg(ConfigFile):
    """`pretrained_cfg` of timm: preprocessing and labels."""

    ignored = names(
        "url file state_dict hf_hub_id hf_hub_filename source architecture tag custom_load test_input_size "
        "min_input_size fixed_input_size test_crop_pct pool_size test_pool_size first_conv classifier description "
        "origin_url paper_name paper_ids notes num_features global_pool"
    )
    input_size: Annotated[
        tuple[Annotated[int, Field(ge=3, le=3)], Side, Side],
        BeforeValidator(lambda x: tuple(x) if isinstance(x, list) else x),
    ] = (3, 224, 224)
    interpolation: Literal["", "nearest", "lanczos", "bilinear", "bicubic", "box", "hamming"] = "bicubic"
    crop_pct: Fraction | None = None
    crop_mode: Literal["center", "squash"] | None = None
    mean: Mean | None = None
    std: Deviation | None = None
    num_classes: Count | None = None
    label_names: Any = None
    label_descriptions: Any = None
    license: str | None = None


class TimmConfig(ConfigFile):
    """config.json of timm, also as its wrapper in transformers writes it."""

    ignored = TransformersConfig.ignored | names("num_features model_type architectures do_pooling")
    architecture: str
    num_classes: Count | None = None
    global_pool: str | None = None
    label_names: Any = None
    label_descriptions: Any = None
    id2label: dict[Any, Any] | None = None
    num_labels: Count | None = None
    problem_type: Literal["single_label_classification", "multi_label_classification", "regression"] | None = None
    model_args: TimmArgs = TimmArgs()
    pretrained_cfg: PretrainedCfg = PretrainedCfg()

    def fields(self) -> Settings:
        """Return the fields of `ViTConfig` that the file states; its weights must have them."""
        args, copied = self.model_args, ("patch_size", "embed_dim", "depth", "class_token", "qkv_bias", "qk_norm")
        found = {name: getattr(args, name) for name in (*copied, "pre_norm", "scale_attn_norm", "scale_mlp_norm")}
        found["reg_tokens"] = args.num_reg_tokens if args.reg_tokens is None else args.reg_tokens
        found["pos_embed"] = {True: "learn", False: "none", None: args.pos_embed}[args.use_abs_pos_emb]
        if args.final_norm is False or not (args.use_post_transformer_norm or args.use_fc_norm is not False):
            found["final_norm"] = False
        elif args.final_norm:
            found["final_norm"] = True
        return {name: value for name, value in found.items() if value is not None}


class OpenCLIPVision(ConfigFile):
    """`vision_cfg` of open_clip; the projection of a trunk of timm is seen in its tensors."""

    ignored = names(
        "timm_model_pretrained timm_proj timm_proj_bias timm_drop timm_drop_path patch_dropout output_tokens "
        "attn_pooler_queries attn_pooler_heads pos_embed_type"
    )
    layers: Depth = 12
    width: Width = 768
    head_width: Width = 64
    mlp_ratio: Ratio = 4.0
    patch_size: Patch = 16
    image_size: Size = (224, 224)
    ls_init_value: float | None = None
    pool_type: Literal["tok", "avg"] = "tok"
    timm_model_name: str = ""
    timm_pool: str = "avg"


class OpenCLIPModel(ConfigFile):
    """`model_cfg` of open_clip."""

    ignored = names("text_cfg custom_text init_logit_scale init_logit_bias nonscalar_logit_scale cast_dtype")
    embed_dim: Width
    vision_cfg: OpenCLIPVision
    quick_gelu: bool = False


class OpenCLIPPreprocessing(ConfigFile):
    """`preprocess_cfg` of open_clip."""

    ignored = names("size mode fill_color")
    mean: Mean | None = None
    std: Deviation | None = None
    interpolation: Literal["bilinear", "bicubic"] = "bicubic"
    resize_mode: Literal["shortest", "squash"] = "shortest"


class OpenCLIPConfig(ConfigFile):
    """open_clip_config.json."""

    model_cfg: OpenCLIPModel
    preprocess_cfg: OpenCLIPPreprocessing = OpenCLIPPreprocessing()

    def as_composed(self) -> Settings:
        """Return the config.json of a larger model with timm's config of the image encoder."""
        model, steps = self.model_cfg, self.preprocess_cfg
        vision = model.vision_cfg
        config: Settings = {
            "architecture": vision.timm_model_name.partition(".")[0],
            "global_pool": vision.timm_pool or None,
            "pretrained_cfg": {
                "input_size": (3, *vision.image_size),
                "num_classes": model.embed_dim,
                "crop_mode": "squash" if steps.resize_mode == "squash" else "center",
                **steps.model_dump(include={"mean", "std", "interpolation"}),
            },
        }
        if not vision.timm_model_name:
            config["architecture"] = f"vit_base_patch16_clip{'_quickgelu' * model.quick_gelu}_224"
            config["global_pool"] = {"tok": "token"}.get(vision.pool_type, "avg")
            config["model_args"] = vision.model_dump(include={"patch_size", "mlp_ratio"}) | {
                "embed_dim": vision.width,
                "depth": vision.layers,
                "num_heads": vision.width // vision.head_width,
                "init_values": vision.ls_init_value,
                "fc_norm": False,
            }
        return {"model_type": "open_clip", "vision_config": config}


class ProcessorSize(ConfigFile):
    """Height and width, the shorter side, or in old files a number that means one of them."""

    height: Side | None = None
    width: Side | None = None
    shortest_edge: Side | None = None
    number: Side | None = None

    @property
    def sides(self) -> tuple[int, int]:
        """Height and width (px), of a square if the file states one side."""
        side = self.shortest_edge or self.number
        height, width = self.height or side, self.width or side
        if height is None or width is None:
            raise CheckpointError("size must have height and width, or shortest_edge: one is missing", field="size")
        return height, width


def to_size(value: Any) -> Any:
    """Return a size in one number, or in two, as an object."""
    if isinstance(value, list | tuple) and len(value) == 2:
        return {"height": value[0], "width": value[1]}
    return {"number": value} if type(value) is int else value


PixelSize = Annotated[ProcessorSize, BeforeValidator(to_size)]


class Processor(ConfigFile):
    """Image processor of transformers: preprocessor_config.json, or its part of processor_config.json."""

    ignored = names(
        "processor_class do_convert_rgb return_tensors data_format input_data_format device disable_grouping "
        "_valid_processor_keys _processor_class image_seq_length do_reduce_labels auto_map return_row_col_info"
    )
    image_processor_type: str = ""
    feature_extractor_type: str = ""
    do_resize: Literal[True] = True
    size: PixelSize | None = None
    resample: Annotated[int, Field(ge=0, le=5)] | None = None
    do_center_crop: bool | None = None
    crop_size: PixelSize | None = None
    do_rescale: bool = True
    rescale_factor: Annotated[float, Field(ge=1e-6, le=1)] = 1 / 255
    do_normalize: bool = True
    image_mean: Mean | None = None
    image_std: Deviation | None = None

    @property
    def class_name(self) -> str:
        """Class of the image processor; empty if the file names none."""
        return self.image_processor_type or self.feature_extractor_type


def flatten(config: Settings) -> Settings:
    """Return config.json with one level: of two towers the image encoder, and timm's old form as its new one.

    Raises:
        CheckpointError: If a part is not an object.
    """
    for name in ("vision_config", "vision_config_dict", "pretrained_cfg", "model_args"):
        if not isinstance(config.get(name), Mapping | None):
            raise CheckpointError(f"{name} must be an object: config.json has {config[name]!r:.80}", field=name)
    if "architecture" in config:
        found = {name: value for name, value in config.items() if value is not None}
        if "pretrained_cfg" not in config:  # of timm before 0.9
            outer = {*TimmConfig.model_fields} | TimmConfig.ignored
            cfg = {name: value for name, value in config.items() if name not in outer}
            names_ = {"label_names": labels} if (labels := cfg.pop("labels", None)) else {}
            return {name: value for name, value in found.items() if name in outer} | names_ | {"pretrained_cfg": cfg}
        return found
    towers = ("vision_config", "vision_config_dict")
    flat = {name: value for name, value in config.items() if name not in towers}
    for tower in towers:
        flat |= config.get(tower) or {}
    return flat | {name: config[name] for name in OUTER if name in config}
