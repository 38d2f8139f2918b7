"""The numbers that decide a network's shape, checked; without torch, so that the command line starts at once."""

from bisect import bisect
from dataclasses import dataclass
from typing import Literal, get_args

Architecture = Literal[
    "vit", "tutorial-notebook", "tutorial-lightning", "tutorial-scratch", "tutorial-scratch-mended", "convnet"
]
MOST_TOKENS = 4096  # attention needs the square of it


def is_number(value: object) -> bool:
    """Whether it is one; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True)
class ViTConfig:
    """Everything that decides the shapes and the arithmetic of a network.

    Args:
        image_size: Height and width of the input (px).
        patch_size: Side of a square patch (px); divides both image sides.
        width: Channels of a token (D).
        depth: Number of blocks (L).
        heads: Attention heads in a block (A); divides the width.
        mlp_width: Hidden channels of the MLP (M).
        classes: Number of logits (K).
        registers: Extra tokens without a place in the image (Darcet et al. 2024, arXiv 2309.16588).
        qkv_bias: Whether queries, keys and values have a bias.
        qk_norm: LayerNorm on queries and keys of each head (Dehghani et al. 2023, arXiv 2302.05442).
        layer_scale: Starting value of the learned scale of each branch (Touvron et al. 2021, arXiv 2103.17239), or
            None.
        drop_path: Share of branches skipped in training, growing linearly with depth (Huang et al. 2016).
        pool: What the head reads: the class token, or the mean of the patches.
        dropout: Share of numbers zeroed in training, where a tutorial does so.
        class_token: Whether a class token stands in front; without one the head reads the mean of the patches.
        architecture: "vit" is the plain `ViT`; "convnet" is that of `vitviz.models.convnet`, which reads image_size,
            width, depth and classes; the others are those of `vitviz.models.tutorial_vits`, which have their own biases and
            norms. None but "vit" knows registers, QK-norm, LayerScale, stochastic depth or other pooling.

    Raises:
        ValueError: If a number is out of range or two do not fit together.
    """

    image_size: tuple[int, int] = (32, 32)
    patch_size: int = 4
    width: int = 192
    depth: int = 6
    heads: int = 6
    mlp_width: int = 384
    classes: int = 10
    registers: int = 0
    qkv_bias: bool = False
    qk_norm: bool = True
    layer_scale: float | None = None
    drop_path: float = 0.0
    pool: Literal["token", "mean"] = "token"
    dropout: float = 0.0
    architecture: Architecture = "vit"
    class_token: bool = True

    def __post_init__(self) -> None:
        if not (isinstance(self.image_size, list | tuple) and len(self.image_size) == 2):
            raise ValueError(f"image_size must be height and width: got {self.image_size!r}. Use for example (32, 32).")
        object.__setattr__(self, "image_size", tuple(self.image_size))
        self.check_limits()
        self.check_choices()
        if self.architecture != "convnet":
            self.check_fit()
        if self.architecture != "vit":
            self.check_other()

    def check_limits(self) -> None:
        """Demand that each number is within its limits."""
        limits = {
            "image height": (self.image_size[0], 1, 4096),
            "image width": (self.image_size[1], 1, 4096),
            "patch_size": (self.patch_size, 1, 256),
            "width": (self.width, 1, 8192),
            "depth": (self.depth, 1, 128),
            "heads": (self.heads, 1, 256),
            "mlp_width": (self.mlp_width, 1, 65536),
            "classes": (self.classes, 2, 100_000),
            "registers": (self.registers, 0, 64),
        }
        for name, (value, least, most) in limits.items():
            if type(value) is not int or not least <= value <= most:
                raise ValueError(f"{name} must be a whole number from {least} to {most}: got {value!r}.")
        for name in ("drop_path", "dropout"):
            share = getattr(self, name)
            if not (is_number(share) and 0 <= share < 1):
                raise ValueError(f"{name} must be at least 0 and below 1: got {share!r}.")
        if self.layer_scale is not None and not (is_number(self.layer_scale) and 0 < self.layer_scale <= 1):
            raise ValueError(f"layer_scale must be None, or above 0 and at most 1: got {self.layer_scale!r}.")

    def check_choices(self) -> None:
        """Demand that each choice is one of those there are."""
        if self.architecture not in get_args(Architecture):
            raise ValueError(
                f"architecture must be one of {', '.join(get_args(Architecture))}: got {str(self.architecture)[:80]!r}."
            )
        for name in ("qkv_bias", "qk_norm", "class_token"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be true or false: got {getattr(self, name)!r}.")
        if self.pool not in ("token", "mean"):
            raise ValueError(f"pool must be 'token' or 'mean': got {self.pool!r}.")
        if self.architecture in ("vit", "convnet") and self.dropout:
            raise ValueError(f"dropout is only known to the tutorials' networks: got {self.dropout}. Use drop_path.")
        if self.pool == "token" and not self.class_token:
            raise ValueError(
                "A model without class token must read the mean of its patches: pool is 'token'. Use 'mean'."
            )

    def check_fit(self) -> None:
        """Demand that patches fit the image, and heads the width."""
        height, width = self.image_size
        for side in (height, width):
            if side % self.patch_size:
                good = [p for p in (1, 2, 4, 8, 14, 16, 32) if height % p == 0 and width % p == 0]
                raise ValueError(
                    f"patch_size must divide the image side: {side} is not a multiple of {self.patch_size}. "
                    f"Use one of {', '.join(map(str, good))}."
                )
        if self.tokens > MOST_TOKENS:
            raise ValueError(
                f"An image may have at most {MOST_TOKENS} tokens: {height} x {width} pixels in patches of "
                f"{self.patch_size} make {self.tokens}. Use larger patches."
            )
        if self.width % self.heads:
            good = [count for count in range(1, self.width + 1) if self.width % count == 0]
            near = good[bisect(good, self.heads) - 1 :][:2]
            raise ValueError(
                f"heads must divide width: {self.width} is not a multiple of {self.heads}. "
                f"Use {' or '.join(map(str, near))}."
            )

    def check_other(self) -> None:
        """Demand that nothing is asked of another network that it does not know."""
        if self.registers or self.pool == "mean" or self.layer_scale is not None or self.drop_path:
            raise ValueError(
                f"registers, pool, layer_scale and drop_path are not known to {self.architecture}: leave them out."
            )
        if self.architecture == "convnet" and min(self.image_size) >> self.depth == 0:
            raise ValueError(
                f"Each block of a convnet halves the image: {self.image_size[0]} x {self.image_size[1]} pixels are "
                f"too few for {self.depth}. Lower depth."
            )
        strip, width = self.patch_size**2, self.image_size[1]
        if self.architecture == "tutorial-scratch" and width % strip and strip % width:
            raise ValueError(
                f"The strips of tutorial-scratch must fit the image's lines: {strip} pixels do not fit {width}. "
                "Use another patch_size."
            )

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of patches (gh, gw); tutorial-scratch cuts strips instead, of P P pixels along the lines."""
        height, width = self.image_size
        if self.architecture == "tutorial-scratch":
            strip = self.patch_size**2
            return (height, width // strip) if strip <= width else (height * width // strip, 1)
        return height // self.patch_size, width // self.patch_size

    @property
    def prefix(self) -> int:
        """Tokens before the first patch: the class token, where there is one, and the registers (R)."""
        return self.class_token + self.registers

    @property
    def patches(self) -> int:
        """How many patches there are (N)."""
        return self.grid[0] * self.grid[1]

    @property
    def tokens(self) -> int:
        """Length of the sequence (T)."""
        return self.prefix + self.patches
