"""Model configuration, checked; without torch, so that the command line starts quickly."""

from bisect import bisect
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

Architecture = Literal[
    "vit", "tutorial-notebook", "tutorial-lightning", "tutorial-scratch", "tutorial-scratch-fixed", "convnet"
]
MAX_TOKENS = 4096  # attention memory is quadratic in the number of tokens
STRICT = ConfigDict(strict=True, allow_inf_nan=False)


class ConfigError(ValueError):
    """A config value is invalid.

    Attributes:
        field: Name of the field; fields of the model start with `model.` in a training config's form.
        problem: Rule and received value.
        hint: What to use instead; may be empty.
    """

    def __init__(self, field: str, problem: str, hint: str = "") -> None:
        super().__init__(f"{field} {problem}.{' ' if hint else ''}{hint}")
        self.field, self.problem, self.hint = field, problem, hint


Side = Annotated[int, Field(ge=1, le=4096)]
Rate = Annotated[float, Field(ge=0, lt=1)]


@dataclass(frozen=True)
class ViTConfig:
    """Shape and arithmetic of a network; arguments are named as in timm's `VisionTransformer`.

    `architecture` "vit" is `ViT`. "convnet" is `vitviz.models.convnet`, which reads `img_size`, `embed_dim`, `depth`
    and `num_classes`. The others are those of `vitviz.models.tutorial_vits`, with their own biases and norms. Only
    "vit" supports registers, QK-norm, LayerScale, stochastic depth and mean pooling.

    Raises:
        ConfigError: If a value is out of range or two values are inconsistent.
    """

    img_size: Annotated[
        tuple[Side, Side],
        BeforeValidator(lambda size: tuple(size) if isinstance(size, list) else size),
        Field(description="Height and width of the input (px)."),
    ] = (32, 32)
    patch_size: Annotated[int, Field(ge=1, le=256, description="Side of a patch (px); divides both image sides.")] = 4
    embed_dim: Annotated[int, Field(ge=1, le=8192, description="Embedding width (D).")] = 192
    depth: Annotated[int, Field(ge=1, le=128, description="Number of blocks (L).")] = 6
    num_heads: Annotated[int, Field(ge=1, le=256, description="Attention heads per block (A); divides embed_dim.")] = 6
    mlp_ratio: Annotated[float, Field(gt=0, le=64, description="MLP width (M) divided by embed_dim.")] = 2.0
    num_classes: Annotated[int, Field(ge=2, le=100_000, description="Number of logits (K).")] = 10
    reg_tokens: Annotated[
        int, Field(ge=0, le=64, description="Register tokens (Darcet et al. 2024, arXiv 2309.16588).")
    ] = 0
    qkv_bias: Annotated[bool, Field(description="Whether queries, keys and values have a bias.")] = False
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
        Rate, Field(description="Stochastic depth of the last block, growing linearly with depth (Huang et al. 2016).")
    ] = 0.0
    global_pool: Annotated[
        Literal["token", "avg"],
        Field(description="What the head reads: the class token or the mean of the patch tokens."),
    ] = "token"
    pos_drop_rate: Annotated[Rate, Field(description="Dropout of the tutorial networks.")] = 0.0
    architecture: Annotated[Architecture, Field(description="Network class.")] = "vit"
    class_token: Annotated[
        bool,
        Field(description="Whether there is a class token; without one the head reads the mean of the patch tokens."),
    ] = True

    def __post_init__(self) -> None:
        check_fields(self)
        if self.architecture in ("vit", "convnet") and self.pos_drop_rate:
            raise ConfigError(
                "pos_drop_rate",
                f"is only supported by the tutorial networks: got {self.pos_drop_rate}",
                "Use drop_path_rate.",
            )
        if self.global_pool == "token" and not self.class_token:
            raise ConfigError("global_pool", "must be 'avg' for a model without class token: got 'token'", "Use 'avg'.")
        if self.architecture != "convnet":
            self.check_shapes()
        if self.architecture != "vit":
            self.check_unsupported()

    def check_shapes(self) -> None:
        """Check that patches tile the image and heads divide the embedding."""
        height, width = self.img_size
        for side in (height, width):
            if side % self.patch_size:
                good = [p for p in (1, 2, 4, 8, 14, 16, 32) if height % p == 0 and width % p == 0]
                raise ConfigError(
                    "patch_size",
                    f"must divide img_size: {side} is not a multiple of {self.patch_size}",
                    f"Use one of {', '.join(map(str, good))}.",
                )
        if self.num_tokens > MAX_TOKENS:
            raise ConfigError(
                "patch_size",
                f"must leave at most {MAX_TOKENS} tokens: {height} x {width} pixels in patches of {self.patch_size} give "
                f"{self.num_tokens}",
                "Use larger patches.",
            )
        if self.embed_dim % self.num_heads:
            good = [count for count in range(1, self.embed_dim + 1) if self.embed_dim % count == 0]
            near = good[bisect(good, self.num_heads) - 1 :][:2]
            raise ConfigError(
                "num_heads",
                f"must divide embed_dim: {self.embed_dim} is not a multiple of {self.num_heads}",
                f"Use {' or '.join(map(str, near))}.",
            )
        if self.mlp_hidden_dim < 1:
            raise ConfigError(
                "mlp_ratio", f"must give at least 1 MLP channel: {self.mlp_ratio} of {self.embed_dim} gives 0"
            )

    def check_unsupported(self) -> None:
        """Refuse options that a network other than `ViT` does not have."""
        for field, default in (
            ("reg_tokens", 0),
            ("global_pool", "token"),
            ("init_values", None),
            ("drop_path_rate", 0.0),
        ):
            if getattr(self, field) != default:
                raise ConfigError(
                    field, f"is not supported by {self.architecture}: got {getattr(self, field)}", "Leave it out."
                )
        if self.architecture == "convnet" and min(self.img_size) >> self.depth == 0:
            raise ConfigError(
                "depth",
                f"must be smaller, as each block of a convnet halves the image: {self.img_size[0]} x {self.img_size[1]} "
                f"pixels are too few for {self.depth}",
            )
        strip, width = self.patch_size**2, self.img_size[1]
        if self.architecture == "tutorial-scratch" and width % strip and strip % width:
            raise ConfigError(
                "patch_size",
                f"must give strips that fit the image rows of tutorial-scratch: {strip} pixels do not fit {width}",
                "Use another patch_size.",
            )

    @property
    def mlp_hidden_dim(self) -> int:
        """Hidden channels of the MLP (M)."""
        return round(self.embed_dim * self.mlp_ratio)

    @property
    def grid_size(self) -> tuple[int, int]:
        """Rows and columns of patches (gh, gw); tutorial-scratch has strips of P P pixels along the image rows."""
        height, width = self.img_size
        if self.architecture == "tutorial-scratch":
            strip = self.patch_size**2
            return (height, width // strip) if strip <= width else (height * width // strip, 1)
        return height // self.patch_size, width // self.patch_size

    @property
    def num_prefix_tokens(self) -> int:
        """Tokens before the first patch: class token, if any, and registers (R)."""
        return self.class_token + self.reg_tokens

    @property
    def num_patches(self) -> int:
        """Number of patches (N)."""
        return self.grid_size[0] * self.grid_size[1]

    @property
    def num_tokens(self) -> int:
        """Sequence length (T)."""
        return self.num_prefix_tokens + self.num_patches


def check_fields(config: Any) -> None:
    """Check every field of a dataclass against its annotation, and store the validated values.

    Raises:
        ConfigError: For the first invalid field.
    """
    for name, (annotation, adapter) in field_types(config.__class__).items():
        value = getattr(config, name)
        try:
            valid = adapter.validate_python(value)
        except ValidationError:
            raise ConfigError(name, f"must be {rule(annotation)}: got {value!r:.80}") from None
        object.__setattr__(config, name, valid)


@cache
def field_types(config_class: Any) -> Mapping[str, tuple[Any, TypeAdapter]]:
    """Return annotation and validator of each field whose annotation has metadata."""
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
        annotation, *extra = get_args(annotation)
        metadata += [m for e in extra for m in getattr(e, "metadata", [e])]
    if get_origin(annotation) is Literal:
        return f"one of {', '.join(get_args(annotation))}"
    options = get_args(annotation)
    if type(None) in options:
        return f"{rule(next(o for o in options if o is not type(None)))}, or None"
    if options:
        return f"{len(options)} values, each {rule(options[0])}"
    names = {int: "an integer", float: "a number", bool: "true or false", str: "a string"}
    return names.get(annotation, f"a {annotation.__name__}") + limits(metadata)


def limits(metadata: list[Any]) -> str:
    """Describe the bounds of a number: " from 2 to 8", " above 0 and below 1" or nothing."""
    bounds = {type(m): getattr(m, type(m).__name__.lower()) for m in metadata if isinstance(m, Ge | Gt | Le | Lt)}
    if Ge in bounds and Le in bounds:
        return f" from {bounds[Ge]} to {bounds[Le]}"
    words = {Ge: "at least", Gt: "above", Le: "at most", Lt: "below"}
    found = [f"{words[kind]} {value:,}" for kind, value in bounds.items()]
    return f" {' and '.join(found)}" if found else ""
