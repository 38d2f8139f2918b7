"""Configuration of networks; imports no torch, so that the command line starts quickly."""

from bisect import bisect
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from annotated_types import Ge, Gt, Le, Lt, MinLen
from pydantic import BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from vitviz.errors import ConfigError, InvalidValueError

MAX_TOKENS = 4096  # attention memory is quadratic in the number of tokens
MAX_CLASSES = 100_000
STRICT = ConfigDict(strict=True, allow_inf_nan=False)

ViTArchitecture = Literal[
    "vit", "tutorial-notebook", "tutorial-lightning", "tutorial-scratch", "tutorial-scratch-fixed"
]
PositionStart = Literal["sine-cosine", "unstructured", "unknown"]  # of position embeddings, before training
Side = Annotated[int, Field(ge=1, le=4096)]
Rate = Annotated[float, Field(ge=0, lt=1)]


def list_to_tuple(value: Any) -> Any:
    """Return a list, as JSON has it, as a tuple; other values unchanged."""
    return tuple(value) if isinstance(value, list) else value


def both_sides(value: Any) -> Any:
    """Return height and width for one number, as timm's `img_size`; a list, as JSON has it, as a tuple."""
    return (value, value) if isinstance(value, int) else list_to_tuple(value)


ImageSize = Annotated[
    tuple[Side, Side],
    BeforeValidator(both_sides),
    Field(description="Height and width of the input (px); one number is both."),
]
# Options of `ViT` that the tutorial networks lack.
VIT_ONLY = (
    *("reg_tokens", "global_pool", "init_values", "drop_path_rate", "distilled", "no_embed_class", "pos_embed"),
    *("rope_type", "rope_grid_indexing", "rope_grid_offset", "rel_pos_bias", "act_layer", "swiglu_mlp", "pre_norm"),
    *("final_norm", "fc_norm", "scale_attn_norm", "scale_mlp_norm", "head_proj_dim", "multi_label", "normalize_head"),
    *("attn_pool_num_heads", "attn_pool_mlp_ratio", "pool_include_prefix"),
)


class DecoderSize(NamedTuple):
    """Size of the decoder of a masked autoencoder."""

    embed_dim: int
    depth: int
    num_heads: int


NumClasses = Annotated[int, Field(ge=2, le=MAX_CLASSES, description="Number of logits (K).")]
NumClassesOrNone = Annotated[int, Field(ge=0, le=MAX_CLASSES, description="Number of logits (K); 0 for no head.")]


@dataclass(frozen=True)
class ViTConfig:
    """Configuration of a Vision Transformer; fields are named as the arguments of timm's `VisionTransformer`.

    The architecture "vit" is `vitviz.models.vit.ViT`; the others are the networks of `vitviz.models.tutorial_vits`,
    which define their own biases and norms and support no registers, LayerScale, stochastic depth or mean pooling.

    Raises:
        ConfigError: If a value is out of range or two values are inconsistent.
    """

    img_size: ImageSize = (32, 32)
    patch_size: Annotated[int, Field(ge=1, le=256, description="Side of a patch (px); divides both image sides.")] = 4
    embed_dim: Annotated[int, Field(ge=1, le=8192, description="Embedding width (D).")] = 192
    depth: Annotated[int, Field(ge=1, le=128, description="Number of blocks (L).")] = 6
    num_heads: Annotated[int, Field(ge=1, le=256, description="Attention heads per block (A); divides embed_dim.")] = 6
    mlp_ratio: Annotated[float, Field(gt=0, le=64, description="MLP width (M) divided by embed_dim.")] = 2.0
    num_classes: NumClassesOrNone = 10
    reg_tokens: Annotated[
        int, Field(ge=0, le=64, description="Register tokens (Darcet et al. 2024, arXiv 2309.16588).")
    ] = 0
    qkv_bias: Annotated[bool, Field(description="Bias of queries, keys and values.")] = False
    qk_norm: Annotated[
        bool, Field(description="LayerNorm on queries and keys of each head (Dehghani et al. 2023, arXiv 2302.05442).")
    ] = True
    init_values: Annotated[
        Annotated[float, Field(gt=0, le=1)] | None,
        Field(
            description="Initial value of LayerScale (Touvron et al. 2021, arXiv 2103.17239); None for no LayerScale."
        ),
    ] = None
    drop_path_rate: Annotated[
        Rate, Field(description="Stochastic depth rate of the last block, linear in depth (Huang et al. 2016).")
    ] = 0.0
    global_pool: Annotated[
        Literal["token", "avg", "token_avg", "map"],
        Field(
            description="Input of the head: the class token, the mean of the patch tokens, both of them concatenated, "
            "or attention pooling of the patch tokens (Zhai et al. 2022, arXiv 2106.04560)."
        ),
    ] = "token"
    pos_drop_rate: Annotated[Rate, Field(description="Dropout rate of the tutorial networks.")] = 0.0
    architecture: Annotated[ViTArchitecture, Field(description="Network class.")] = "vit"
    class_token: Annotated[
        bool, Field(description="Use a class token; without one, global_pool must be avg or map.")
    ] = True
    distilled: Annotated[
        bool, Field(description="Distillation token with its own head (Touvron et al. 2021, arXiv 2012.12877).")
    ] = False
    no_embed_class: Annotated[bool, Field(description="Add no position embedding to the prefix tokens.")] = False
    pos_embed: Annotated[Literal["learn", "none"], Field(description="Learned position embeddings.")] = "learn"
    rope_type: Annotated[
        Literal["none", "cat", "dinov3", "mixed"],
        Field(
            description="2-D rotary position embeddings of the patches: over positions as in EVA-02 (cat), over "
            "coordinates in -1..1 (dinov3), or over positions with learned frequencies (mixed)."
        ),
    ] = "none"
    rope_grid_indexing: Annotated[
        Literal["ij", "xy"], Field(description="Whether rotary positions count rows first (ij) or columns first (xy).")
    ] = "ij"
    rope_grid_offset: Annotated[
        float, Field(ge=0, le=16, description="Position of the first patch, of rope_type cat.")
    ] = 0.0
    rope_temperature: Annotated[float, Field(gt=1, le=1e6, description="Base of the rotary wavelengths.")] = 10_000.0
    rope_rotate_half: Annotated[
        bool, Field(description="Rotate channel i with channel i + d / 2; otherwise neighboring channels.")
    ] = False
    ref_feat_shape: Annotated[
        Annotated[tuple[Side, Side], BeforeValidator(list_to_tuple)] | None,
        Field(description="Grid to which the positions of rope_type cat are scaled; None for no scaling."),
    ] = None
    rel_pos_bias: Annotated[
        bool,
        Field(description="Bias of the attention scores by relative position, in each block (Bao et al. 2022, BEiT)."),
    ] = False
    eps: Annotated[float, Field(gt=0, le=1, description="Epsilon of all LayerNorms.")] = 1e-6
    act_layer: Annotated[
        Literal["gelu", "gelu_tanh", "quick_gelu"],
        Field(description="Activation of the MLP; that of SwiGLU is always SiLU."),
    ] = "gelu"
    swiglu_mlp: Annotated[bool, Field(description="SwiGLU instead of a plain MLP (Shazeer 2020).")] = False
    pre_norm: Annotated[
        bool, Field(description="LayerNorm before the first block, and no bias of the patch embedding, as in CLIP.")
    ] = False
    final_norm: Annotated[bool, Field(description="LayerNorm between the last block and the head.")] = True
    fc_norm: Annotated[bool, Field(description="Apply the final norm after pooling, not before.")] = False
    scale_attn_norm: Annotated[bool, Field(description="LayerNorm before the output projection of attention.")] = False
    scale_mlp_norm: Annotated[bool, Field(description="LayerNorm before the last layer of the MLP.")] = False
    pool_include_prefix: Annotated[
        bool, Field(description="Attention pooling reads the prefix tokens, too, not the patches alone.")
    ] = False
    attn_pool_num_heads: Annotated[
        int, Field(ge=0, le=256, description="Heads of attention pooling; 0 for num_heads.")
    ] = 0
    attn_pool_mlp_ratio: Annotated[
        float, Field(ge=0, le=64, description="MLP width of attention pooling divided by embed_dim; 0 for mlp_ratio.")
    ] = 0.0
    head_proj_dim: Annotated[
        int,
        Field(ge=0, le=8192, description="Channels of a projection without bias before the head, as in CLIP; 0: none."),
    ] = 0
    multi_label: Annotated[
        bool, Field(description="Each class has its own probability, the sigmoid of its logit, not a softmax.")
    ] = False
    normalize_head: Annotated[
        bool, Field(description="Divide the input of the head by its L2 norm, as in zero-shot classification by CLIP.")
    ] = False

    is_captured: ClassVar[bool] = False  # see `vitviz.models.captured_vit`
    has_gradients: ClassVar[bool] = True  # whether the gradients of its attention are known

    def __post_init__(self) -> None:
        check_fields(self)
        if self.architecture == "vit" and self.pos_drop_rate:
            raise ConfigError(
                "pos_drop_rate",
                f"is only supported by the tutorial networks: got {self.pos_drop_rate}",
                "Use drop_path_rate.",
            )
        if self.global_pool.startswith("token") and not self.class_token:
            raise ConfigError(
                "global_pool", f"must be avg or map for a model without class token: got {self.global_pool}", "Use avg."
            )
        if self.distilled and self.global_pool != "token":
            raise ConfigError(
                "global_pool", f"must be token for a distilled model: got {self.global_pool}", "Use token."
            )
        if self.pool_include_prefix and self.global_pool != "map":
            raise ConfigError(
                "pool_include_prefix", f"needs attention pooling: got global_pool {self.global_pool}", "Use map."
            )
        if self.attn_pool_num_heads and self.embed_dim % self.attn_pool_num_heads:
            raise ConfigError(
                "attn_pool_num_heads",
                f"must divide embed_dim: {self.embed_dim} is not a multiple of {self.attn_pool_num_heads}",
                "Use 0 for num_heads.",
            )
        if self.rel_pos_bias and self.num_prefix_tokens != 1:
            raise ConfigError(
                "rel_pos_bias",
                f"needs a class token and no other prefix token: got {self.num_prefix_tokens} prefix tokens",
                "Use class_token without reg_tokens and distilled.",
            )
        self.check_shapes()
        if self.architecture != "vit":
            self.check_unsupported()

    def check_shapes(self) -> None:
        """Check that patches tile the image and heads divide the embedding."""
        height, width = self.img_size
        for side in (height, width):
            if side % self.patch_size:
                valid = [p for p in (1, 2, 4, 8, 14, 16, 32) if height % p == 0 and width % p == 0]
                raise ConfigError(
                    "patch_size",
                    f"must divide img_size: {side} is not a multiple of {self.patch_size}",
                    f"Use {' or '.join(filter(None, (', '.join(map(str, valid[:-1])), str(valid[-1]))))}.",
                )
        if self.num_tokens > MAX_TOKENS:
            raise ConfigError(
                "patch_size",
                f"must give at most {MAX_TOKENS} tokens: {height} x {width} pixels in patches of {self.patch_size} "
                f"give {self.num_tokens}",
                "Use larger patches.",
            )
        if self.embed_dim % self.num_heads:
            valid = [count for count in range(1, self.embed_dim + 1) if self.embed_dim % count == 0]
            nearest = valid[bisect(valid, self.num_heads) - 1 :][:2]
            raise ConfigError(
                "num_heads",
                f"must divide embed_dim: {self.embed_dim} is not a multiple of {self.num_heads}",
                f"Use {' or '.join(map(str, nearest))}.",
            )
        if self.rope_type != "none" and self.head_dim % 4:
            raise ConfigError(
                "rope_type",
                f"needs heads whose width is a multiple of 4: got {self.rope_type} with {self.head_dim}",
                "Use another num_heads.",
            )
        if self.mlp_hidden_dim < 1:
            raise ConfigError(
                "mlp_ratio",
                f"must give at least 1 MLP channel: {self.mlp_ratio} of {self.embed_dim} rounds to 0",
                "Use a larger value.",
            )

    def check_unsupported(self) -> None:
        """Check that a tutorial network uses none of the options that only `ViT` has."""
        for field in VIT_ONLY:
            default = next(f.default for f in fields(ViTConfig) if f.name == field)
            if getattr(self, field) != default:
                raise ConfigError(
                    field, f"is not supported by {self.architecture}: got {getattr(self, field)}", f"Use {default}."
                )
        strip, width = self.patch_size**2, self.img_size[1]
        if self.architecture == "tutorial-scratch" and width % strip and strip % width:
            raise ConfigError(
                "patch_size",
                f"must give strips that tile the rows of the image: strips of {strip} pixels do not tile {width}",
                "Use another patch_size.",
            )

    @property
    def has_sigmoid(self) -> bool:
        """Whether probabilities are sigmoids of the logits: of several labels, or of one output."""
        return self.multi_label or self.num_classes == 1

    @property
    def layer_heads(self) -> tuple[int, ...]:
        """Heads of each layer (L,), fewer than `num_heads` in some layers of a pyramid."""
        return (self.num_heads,) * self.depth

    @property
    def can_drop_patches(self) -> bool:
        """Whether the logits are defined without any patch, so that all patches can be left out one after another."""
        return self.global_pool == "token" and not self.is_captured

    @property
    def head_dim(self) -> int:
        """Channels of a head (d)."""
        return self.embed_dim // self.num_heads

    @property
    def scaled_width(self) -> int:
        """Width whose square root divides the attention scores: d, or D in the from-scratch tutorial."""
        return self.embed_dim if self.architecture.startswith("tutorial-scratch") else self.head_dim

    @property
    def mlp_hidden_dim(self) -> int:
        """Hidden channels of the MLP (M)."""
        return round(self.embed_dim * self.mlp_ratio)

    @property
    def grid_size(self) -> tuple[int, int]:
        """Rows and columns of patches (gh, gw); tutorial-scratch has strips of `patch_size**2` pixels in a row."""
        height, width = self.img_size
        if self.architecture == "tutorial-scratch":
            strip = self.patch_size**2
            return (height, width // strip) if strip <= width else (height * width // strip, 1)
        return height // self.patch_size, width // self.patch_size

    @property
    def num_prefix_tokens(self) -> int:
        """Tokens before the first patch: class token and distillation token, if any, and registers (R)."""
        return self.class_token + self.distilled + self.reg_tokens

    @property
    def num_embedded_prefix_tokens(self) -> int:
        """Prefix tokens with a position embedding: all, or none if `no_embed_class`."""
        return 0 if self.no_embed_class else self.num_prefix_tokens

    @property
    def num_patches(self) -> int:
        """Number of patches (N)."""
        return self.grid_size[0] * self.grid_size[1]

    @property
    def num_tokens(self) -> int:
        """Sequence length (T)."""
        return self.num_prefix_tokens + self.num_patches

    @property
    def attention_bytes(self) -> int:
        """Size of the full attention, (L, A, T, T) in float32."""
        return 4 * self.depth * self.num_heads * self.num_tokens**2


def config_from_dict(values: Any, prefix: str = "") -> ViTConfig:
    """Build a config; missing fields have their defaults.

    Args:
        values: Fields by name, as from JSON.
        prefix: Prepended to the name of an unknown field in the error.

    Raises:
        ConfigError: If a field is unknown or a value is invalid.
    """
    if not isinstance(values, Mapping):
        raise ConfigError(prefix.rstrip(".") or "config", f"must be an object of fields: got {values!r:.80}")
    check_names(values, ViTConfig, prefix)
    return ViTConfig(**values)


def check_names(values: Mapping[str, Any], config_class: Any, prefix: str = "") -> None:
    """Check that all names are fields of a dataclass; raise ConfigError for the first unknown name."""
    names = sorted(field.name for field in fields(config_class))
    for name in values:
        if name not in names:
            raise ConfigError(
                f"{prefix}{name}"[:80], f"is not a field of {config_class.__name__}", f"Use one of: {', '.join(names)}."
            )


def check_fields(config: Any) -> None:
    """Validate all fields of a dataclass against their annotations, and store the validated values.

    Raises:
        ConfigError: For the first invalid field.
    """
    for name, (annotation, adapter) in field_types(config.__class__).items():
        value = getattr(config, name)
        try:
            valid = adapter.validate_python(value)
        except ValidationError:
            raise InvalidValueError(name, rule(annotation), value) from None
        object.__setattr__(config, name, valid)


@cache
def field_types(config_class: Any) -> Mapping[str, tuple[Any, TypeAdapter]]:
    """Return annotation and validator of each field with an `Annotated` type."""
    hints = get_type_hints(config_class, include_extras=True)
    annotated = {f.name: hints[f.name] for f in fields(config_class) if get_origin(hints[f.name]) is Annotated}
    return {name: (hint, TypeAdapter(hint, config=STRICT)) for name, hint in annotated.items()}


def rule(annotation: Any) -> str:
    """Describe the accepted values of an annotation.

    Example:
        >>> rule(Annotated[int, Field(ge=2, le=65536)])
        'an integer from 2 to 65536'
        >>> rule(Annotated[float, Field(gt=0, lt=10)] | None)
        'a number above 0 and below 10, or None'
    """
    metadata: list[Any] = []
    while get_origin(annotation) is Annotated:
        annotation, *annotations = get_args(annotation)
        metadata += [m for item in annotations for m in getattr(item, "metadata", [item])]
    if get_origin(annotation) is Literal:
        values = get_args(annotation)
        return f"one of {', '.join(values)}" if len(values) > 1 else values[0]
    options = get_args(annotation)
    if words := [m for m in metadata if isinstance(m, str)]:
        return words[0]
    if type(None) in options:
        return f"{rule(next(o for o in options if o is not type(None)))}, or None"
    if get_origin(annotation) in (Union, UnionType):
        return ", or ".join(map(rule, options))
    if get_origin(annotation) is tuple:
        return f"{len(options)} values, each {rule(options[-1])}"
    annotation = get_origin(annotation) or annotation
    text = "a non-empty string" if any(isinstance(m, MinLen) for m in metadata) else "a string"
    names = {int: "an integer", float: "a number", bool: "true or false", str: text}
    names |= {list: "a list", dict: "an object"}
    return names.get(annotation, f"a {annotation.__name__}") + limits(metadata)


def limits(metadata: list[Any]) -> str:
    """Describe the bounds of a number: " from 2 to 8", " above 0 and below 1" or nothing."""
    bounds = {type(m): getattr(m, type(m).__name__.lower()) for m in metadata if isinstance(m, Ge | Gt | Le | Lt)}
    if Ge in bounds and Le in bounds:
        return f" from {bounds[Ge]} to {bounds[Le]}"
    words = {Ge: "at least", Gt: "above", Le: "at most", Lt: "below"}
    text = " and ".join(f"{words[kind]} {value:,}" for kind, value in bounds.items())
    if not text:
        return ""
    return f" of {text}" if text.startswith("at ") else f" {text}"
