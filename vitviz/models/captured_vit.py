"""Any module that classifies images with attention, as a `Transformer`: it is run as it is, its attention captured.

What needs attention and outputs alone works; what needs the tokens or values of its blocks is refused by name.
"""

import copy
import math
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, NoReturn, cast

import torch
from torch import Tensor, nn

from vitviz import malloc
from vitviz.errors import CapturedModelError, CheckpointError
from vitviz.files import printable_name
from vitviz.models.backward import BlockGradients, as_leaf
from vitviz.models.capture import CaptureMode, evaluating, flatten, no_attention, unwrap
from vitviz.models.config import ViTConfig
from vitviz.models.layers import Attentions
from vitviz.models.placement import Placement, place, split_images
from vitviz.models.vit import BlockOutput, ForwardOutput, Interventions, Transformer

SIZES = (224, 32, 384, 256, 64, 96, 128, 336, 448, 512, 518, 28)  # tried where a module states none (px)
MAX_ELEMENTS = 2**25  # of the full attention of a pyramid on one grid: 128 MiB
CLASS_TOKEN = re.compile(r"(^|[._])(cls|class)_(token|embed)")
OUTPUTS = ("logits", "image_embeds", "pooler_output")  # of transformers


@dataclass(frozen=True)
class CapturedConfig(ViTConfig):
    """What is known of a module that was not converted.

    Attributes:
        cells: Rows and columns of the grid on which all attention is shown.
        heads: Heads of each layer.
        has_gradients: Whether the gradients of the attention are known.
    """

    architecture: Any = "captured"
    cells: tuple[int, int] = (1, 1)
    heads: tuple[int, ...] = ()
    has_gradients: bool = True  # type: ignore[misc]
    is_captured: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check nothing: the values are those of a module that runs."""

    @property
    def grid_size(self) -> tuple[int, int]:
        """Rows and columns of patches (gh, gw)."""
        return self.cells

    @property
    def layer_heads(self) -> tuple[int, ...]:
        """Heads of each layer (L,)."""
        return self.heads


class Layer(nn.Module):
    """One attention layer on the grid of the model: gathers its windows from the weights that the module computes.

    Args:
        placed: Where the weights lie, (W, Q) queries by (W, K) keys.
        num_heads: Heads of the model (A); a layer with fewer has NaN for those that it lacks.
        num_prefix: Prefix tokens (R).
        grid: Grid of the model; that of the layer has the same, more or fewer cells.
    """

    index: Tensor

    def __init__(self, placed: Placement, num_heads: int, num_prefix: int, grid: tuple[int, int]) -> None:
        super().__init__()
        self.placed, self.num_heads, self.num_prefix, self.grid = placed, num_heads, num_prefix, grid
        own, (gh, gw) = placed.grid, grid
        self.up = max(1, gh // own[0])  # cells of the model per cell of the layer, along an axis
        self.shown = (gh // self.up, gw // self.up)  # grid of `weights`
        T = num_prefix + math.prod(self.shown)
        queries, keys = (self.on_grid(tokens) for tokens in (placed.queries, placed.keys))
        flat = torch.where(
            (queries[:, :, None] < 0) | (keys[:, None] < 0), T * T, queries[:, :, None] * T + keys[:, None]
        )
        self.register_buffer("index", flat.flatten(), persistent=False)  # (W Q K,): element of (T, T)
        self.num_tokens = T
        num_slots = placed.slots.numel()
        has_all = sorted(placed.slots.flatten().tolist()) == list(range(num_slots)) and bool((flat < T * T).all())
        self.is_exact = (  # each weight is one of the shown ones
            own == grid and placed.slots.shape[1] == num_heads and has_all and len(flat.unique()) == flat.numel()
        )
        self.is_whole = self.is_exact and torch.equal(flat.flatten(), torch.arange(T * T))
        self.inverse = placed.slots.flatten().argsort()

    def on_grid(self, tokens: Tensor) -> Tensor:
        """Return tokens of the layer's own grid as those of the shown grid, which may have fewer cells."""
        down = max(1, self.placed.grid[0] // self.shown[0])
        cells = tokens - self.num_prefix
        rows, columns = cells // self.placed.grid[1] // down, cells % self.placed.grid[1] // down
        return torch.where(cells < 0, tokens, self.num_prefix + rows * self.shown[1] + columns)

    def windows(self, weights: Tensor, num_images: int) -> Tensor:
        """Return the weights of a module, (..., Q, K), as (B, W, A, Q, K)."""
        return split_images(weights, num_images, self.placed.images_last)[:, self.placed.slots.to(weights.device)]

    def forward(self, weights: Tensor, num_images: int) -> tuple[Tensor, Tensor]:
        """Return the attention on the grid, (B, A, T, T), and the weights that the module goes on with.

        Where gradients are enabled and the weights can be put back, the latter are read from the former, so that its
        gradients are those of the attention.
        """
        windows = self.windows(weights, num_images)  # (B, W, A, Q, K)
        B, W, A, Q, K = windows.shape
        if self.is_whole:
            shown = windows[:, 0]
        else:
            T, flat = self.num_tokens, windows.movedim(2, 1).flatten(2)  # (B, A, W Q K)
            shown = flat.new_zeros(B, A, T * T + 1).index_add(2, self.index.to(flat.device), flat)[..., :-1]
            shown = shown.view(B, A, T, T)
        if not (weights.requires_grad and torch.is_grad_enabled() and self.is_exact):
            return self.fill(shown), weights
        back = shown[:, None] if self.is_whole else shown.flatten(2)[..., self.index].view(B, A, W, Q, K).movedim(1, 2)
        back = back.flatten(1, 2)[:, self.inverse]  # (B, S, Q, K)
        back = back.movedim(0, 1) if self.placed.images_last else back
        return shown, back.reshape(weights.shape)

    def fill(self, shown: Tensor) -> Tensor:
        """Average the queries of each cell, spread the cells of a coarse layer, and add the heads that it lacks."""
        down = max(1, self.placed.grid[0] // self.shown[0])
        R = self.num_prefix
        if down > 1:
            shown = torch.cat([shown[..., :R, :], shown[..., R:, :] / down**2], -2)
        if self.up > 1:
            shown = spread(spread(shown, R, self.shown, self.up, -2), R, self.shown, self.up, -1) / self.up**2
            shown[..., :R] *= self.up**2
        if (lacking := self.num_heads - shown.shape[1]) > 0:
            shown = torch.cat([shown, shown.new_full((len(shown), lacking, *shown.shape[2:]), math.nan)], 1)
        return shown


def spread(values: Tensor, num_prefix: int, grid: tuple[int, int], up: int, axis: int) -> Tensor:
    """Repeat the cells of a grid along a token axis for a grid with `up` times the rows and columns."""
    cells = torch.arange(math.prod(grid)).view(grid).repeat_interleave(up, 0).repeat_interleave(up, 1)
    index = torch.cat([torch.arange(num_prefix), num_prefix + cells.flatten()])
    return values.index_select(axis, index.to(values.device))


class CapturedViT(Transformer):
    """A module of any kind, with captured attention.

    Args:
        module: The module, in evaluation mode.
        config: What is known of it.
        layers: The attention layers that lie on the image, by their numbers in the forward pass.
        pool: Number of the layer of attention pooling, and where it lies; None without one.
        num_layers: Number of all attention layers of the module.
        is_probability: Whether the module returns probabilities.
    """

    config: CapturedConfig

    def __init__(
        self,
        module: nn.Module,
        config: CapturedConfig,
        layers: Mapping[int, Layer],
        pool: tuple[int, Placement] | None,
        num_layers: int,
        is_probability: bool,
    ) -> None:
        super().__init__()
        self.module, self.config, self.pool, self.num_layers = module, config, pool, num_layers
        self.layers = dict(layers)  # not modules of the network: they have no weights
        self.is_probability = is_probability

    def forward_with_blocks(
        self, images: Tensor, attentions: Attentions, keep: Tensor | None = None, interventions: Interventions = None
    ) -> ForwardOutput:
        """Run the module and capture its attention; CapturedModelError for dropped patches and ablated heads."""
        if keep is not None:
            raise CapturedModelError("leaving patches out", "Paint them instead.")
        if any(interventions or ()):
            raise CapturedModelError("ablating heads")
        if attentions is None:
            return ForwardOutput(self.logits_of(self.module(images)), [], images[:0])
        found: dict[int, Tensor] = {}
        pooled: list[Tensor] = []
        count = 0

        def attend(weights: Tensor, logits: Tensor) -> Tensor:
            nonlocal count
            number, count = count, count + 1
            if self.pool and number == self.pool[0]:
                pooled.append(self.pool_rows(weights, len(images)))
            elif number in self.layers:
                found[number], weights = self.layers[number](weights, len(images))
            return weights

        with CaptureMode(attend):
            output = self.module(images)
        if count != self.num_layers:
            raise CheckpointError(
                f"The model must run the same attention layers for every image: {count} instead of {self.num_layers}",
                field="module",
            )
        blocks = [BlockOutput(one if attentions == "full" else one[..., 0, :], None) for one in found.values()]
        return ForwardOutput(self.logits_of(output), blocks, images[:0], pooled[0] if pooled else None)

    def logits_of(self, output: Any) -> Tensor:
        """Return the logits, (B, K), or features from what the module returns."""
        found = read_output(output)
        return found.log() if self.is_probability else found

    def pool_rows(self, weights: Tensor, num_images: int) -> Tensor:
        """Return the weights of attention pooling, (B, A, T), 0 for tokens that it does not read."""
        assert self.pool is not None  # noqa: S101 - for mypy
        placed, T = self.pool[1], self.config.num_tokens
        slots = placed.slots[0].to(weights.device)
        images = split_images(weights, num_images, placed.images_last)[:, slots, 0]  # (B, A, K)
        index = placed.keys[0].where(placed.keys[0] >= 0, torch.tensor(T)).to(weights.device)
        return images.new_zeros(*images.shape[:2], T + 1).index_add(2, index, images)[..., :T]

    def gradients(self, image: Tensor, logit: Callable[[Tensor], Tensor]) -> BlockGradients:
        """Return the gradients of a logit of an image (3, H, W), selected from (1, K), by one backward pass."""
        if not self.config.has_gradients:
            raise CapturedModelError("gradients of the attention")
        with torch.inference_mode(False), torch.enable_grad():
            pixels = as_leaf(image[None])
            forward = self.forward_with_blocks(pixels, "full")
            weights = [block.weights for block in forward.blocks if block.weights is not None]
            *grads, image_grad = torch.autograd.grad(logit(forward.logits).sum(), [*weights, pixels])
        attention = malloc.to_mmap(torch.cat(grads).float().cpu())
        return BlockGradients(attention, attention.new_empty(0), image_grad[0])

    def forward_head(self, x: Tensor, pre_logits: bool = False) -> NoReturn:
        """Refuse: the head of the module is not known."""
        raise CapturedModelError("its head")

    def head_values(self, layer: int, tokens: Tensor) -> NoReturn:
        """Refuse: the value vectors are not known."""
        raise CapturedModelError("value vectors")

    def queries_and_keys(self, layer: int, tokens: Tensor, keep: Tensor | None = None) -> NoReturn:
        """Refuse: the tokens are not known."""
        raise CapturedModelError("queries and keys")

    def value_vectors(self, layer: int, tokens: Tensor) -> NoReturn:
        """Refuse: the value vectors are not known."""
        raise CapturedModelError("value vectors")

    def patch_filters(self) -> NoReturn:
        """Refuse: the patch embedding is not known."""
        raise CapturedModelError("its patch embedding")

    def patch_positions(self) -> NoReturn:
        """Refuse: the positions are not known."""
        raise CapturedModelError("position embeddings")

    def stages(self) -> NoReturn:
        """Refuse: the blocks are not known."""
        raise CapturedModelError("its blocks")


def read_output(output: Any) -> Tensor:
    """Return logits or features, (B, K), from what a module returns: a tensor, or the first that a container has.

    Raises:
        CheckpointError: If there is none.
    """
    if isinstance(output, Mapping):
        named = [output[name] for name in OUTPUTS if isinstance(output.get(name), Tensor)]
        output = [*named, *output.values()]
    first = next((x for x in output if isinstance(x, Tensor)), None) if isinstance(output, list | tuple) else output
    if isinstance(first, Tensor) and first.ndim == 3:  # (B, T, D)
        first = first[:, 0]
    if isinstance(first, Tensor) and first.ndim == 4:  # (B, D, h, w)
        first = first.mean((2, 3))
    if isinstance(first, Tensor) and first.ndim == 2 and first.is_floating_point():
        return first
    got = f"a tensor of shape {tuple(first.shape)}" if isinstance(first, Tensor) else type(output).__name__
    raise CheckpointError(f"The model must return logits or features, (B, K): got {got}", field="module")


class Tried(NamedTuple):
    """What one image shows of a module: the size of the input (px), the classes, 0 for features, what was assumed."""

    img_size: tuple[int, int]
    num_classes: int
    is_probability: bool
    notes: tuple[str, ...]


def wrap(module: nn.Module, img_size: tuple[int, int] | None = None) -> tuple[CapturedViT, list[str]]:
    """Wrap a copy of a module that cannot be converted.

    Args:
        module: Any module that maps normalized images (B, 3, H, W) to logits or features.
        img_size: Height and width of the input (px); None for what the module states, or else the first common size
            that it accepts.

    Returns:
        The network, and what was assumed or left out.

    Raises:
        CheckpointError: If it fails, runs no attention that is seen, or none that lies on the image.
    """
    outer = unwrap(module)
    name = type(outer).__name__
    try:
        inner = copy_module(outer).eval()
    except Exception as error:  # of a module with any content
        raise failed(name, "copying it", error) from None
    tried = try_sizes(inner, name, img_size)
    notes = list(tried.notes)
    try:
        placements = place(inner, tried.img_size)
        network = build(inner, placements, tried, name)
        read = read_rows(network)
        if read and True in read.prefix[1:] and not read.prefix[0]:  # the class token stands behind others
            first = read.prefix.index(True)
            network = build(inner, [one and put_first(one, first) for one in placements], tried, name)
            read = read_rows(network)
        network.config = replace(network.config, **find_readout(network, read))
    except CheckpointError:
        raise
    except Exception as error:  # of a module with any code
        raise failed(name, "a batch of images", error) from None
    shown = [str(number + 1) for number in (*network.layers, *([network.pool[0]] if network.pool else []))]
    if len(shown) < len(placements):
        notes.append(
            f"of {len(placements)} attention layers {', '.join(shown)} are shown: the others do not lie on the image"
        )
    if len({one.placed.grid for one in network.layers.values()}) > 1:
        rows, columns = network.config.grid_size
        notes.append(
            f"attention is shown on {rows} x {columns} cells: that of finer layers is summed over the keys of a "
            "cell and averaged over its queries, that of coarser ones is spread evenly"
        )
    if network.config.num_heads == 1 < network.config.depth:
        notes.append("each attention product is a layer of one head, also where heads are modules of their own")
    if network.is_probability:
        notes.append("the module returns probabilities, whose logarithms are taken as logits")
    return network, notes


def build(module: nn.Module, placements: list[Placement | None], tried: Tried, name: str) -> CapturedViT:
    """Return the network of a module whose attention layers lie at these places."""
    if not placements:
        raise no_attention(module)
    placed = {number: one for number, one in enumerate(placements) if one and not one.is_pooling}
    if not placed:
        raise CheckpointError(
            f"The attention must be between square patches that tile the image: that of the {len(placements)} layers "
            f"of {name} is not, as far as changing parts of an image shows",
            "`vitviz.capture` returns it as plain matrices.",
            "module",
        )
    num_prefix = max(int(one.keys.max()) + 1 - math.prod(one.grid) for one in placed.values())
    num_heads = max(one.slots.shape[1] for one in placed.values())
    grid = choose_grid({one.grid for one in placed.values()}, len(placed) * num_heads, num_prefix, name)
    layers = {
        number: Layer(one, num_heads, num_prefix, grid) for number, one in placed.items() if divides(one.grid, grid)
    }
    pools = [(number, one) for number, one in enumerate(placements) if one and one.is_pooling and one.grid == grid]
    config = CapturedConfig(
        img_size=tried.img_size,
        patch_size=tried.img_size[0] // grid[0],
        embed_dim=64 * num_heads,
        depth=len(layers),
        num_heads=num_heads,
        num_classes=tried.num_classes,
        reg_tokens=num_prefix,
        class_token=False,
        global_pool="map" if pools else "avg",
        multi_label=getattr(getattr(module, "config", None), "problem_type", "") == "multi_label_classification",
        cells=grid,
        heads=tuple(layer.placed.slots.shape[1] for layer in layers.values()),
        has_gradients=False,
    )
    pool = pools[-1] if pools else None
    return CapturedViT(module, config, layers, pool, len(placements), tried.is_probability)


def put_first(placed: Placement, first: int) -> Placement:
    """Return a placement in which another prefix token is token 0."""

    def reorder(tokens: Tensor) -> Tensor:
        return torch.where(tokens == first, 0, tokens + ((tokens >= 0) & (tokens < first)))

    return replace(placed, queries=reorder(placed.queries), keys=reorder(placed.keys))


def copy_module(module: nn.Module) -> nn.Module:
    """Copy a module, and tensors of a graph that it holds without their graph, such as attention kept for plots."""
    held = [value for part in module.modules() for value in flatten(vars(part).values())]
    memo = {id(value): value.detach() for value in held if isinstance(value, Tensor) and value.grad_fn is not None}
    return copy.deepcopy(module, memo)


def failed(name: str, action: str, error: Exception) -> CheckpointError:
    """Return the error for a module whose own code fails."""
    return CheckpointError(
        f"The model must run on images: {action} failed in {name}, {type(error).__name__}: "
        f"{printable_name(str(error))[:160]}",
        "Pass img_size if it needs another size, or the part of the model that takes images.",
        "images",
    )


def try_sizes(module: nn.Module, name: str, img_size: tuple[int, int] | None) -> Tried:
    """Run a module on one image of the given or stated size, or the first one of `SIZES` that it accepts."""
    stated = stated_size(module) if img_size is None else img_size
    problem: Exception | None = None
    for size in [stated] if stated else [(side, side) for side in SIZES]:
        last: list[Tensor] = []

        def leave(part: nn.Module, args: Any, out: Any, last: list[Tensor] = last) -> None:
            if isinstance(part, nn.Linear):
                last[:] = [out]
            elif last and args and args[0] is last[-1]:  # the identity, or dropout
                last.append(out)

        handles = [part.register_forward_hook(leave) for part in module.modules()]
        try:
            with evaluating(module), torch.no_grad():
                images = torch.randn(1, 3, *size, generator=torch.Generator().manual_seed(0))
                found = module(images.to(next(module.parameters(), torch.empty(0))))
        except Exception as error:  # of a module with any code
            problem = problem or error
            continue
        finally:
            for handle in handles:
                handle.remove()
        output = read_output(found)
        if not output.isfinite().all():
            raise CheckpointError(
                f"The outputs of {name} must be finite: got NaN or infinity", "Its training diverged.", "module"
            )
        ends = any(isinstance(one, Tensor) and one.shape == output.shape and one.equal(output) for one in last)
        is_embedding = isinstance(found, Mapping) and "logits" not in found
        has_head = not is_embedding and (ends or getattr(module, "num_classes", None) == output.shape[1])
        sums = output.sum(1)
        is_probability = (
            output.shape[1] > 1 and bool((output >= 0).all()) and torch.allclose(sums, torch.ones_like(sums))
        )
        notes = () if stated else (f"the input is {size[0]} x {size[1]} px, the first common size that it accepts",)
        return Tried(size, output.shape[1] if has_head or is_probability else 0, is_probability, notes)
    sides = f"{stated[0]} x {stated[1]}" if stated else f"{SIZES[0]} x {SIZES[0]} and others"
    raise failed(name, f"an image (1, 3, H, W) of {sides} px", problem or ValueError("no size"))


def stated_size(module: nn.Module) -> tuple[int, int] | None:
    """Return the input size (px) that a module states as those of timm, torchvision and transformers do, or None."""
    cfg = getattr(module, "pretrained_cfg", None) or {}
    holders = (module, getattr(module, "patch_embed", None), getattr(module, "config", None))
    stated = [getattr(holder, field, None) for holder in holders for field in ("img_size", "image_size")]
    stated.append((cfg.get("input_size") or (None,))[1:] if isinstance(cfg, Mapping) else None)
    for value in stated:
        sides = (value, value) if isinstance(value, int) else tuple(value) if isinstance(value, list | tuple) else ()
        if len(sides) == 2 and all(isinstance(side, int) and side > 0 for side in sides):
            return sides
    return None


def choose_grid(sizes: set[tuple[int, int]], num_maps: int, num_prefix: int, name: str) -> tuple[int, int]:
    """Return the finest of the layers' grids on which the attention of all maps (L A, T, T) fits.

    Raises:
        CheckpointError: If none does.
    """
    fits = [grid for grid in sizes if num_maps * (num_prefix + math.prod(grid)) ** 2 <= MAX_ELEMENTS]
    if fits:
        return max(fits)
    rows, columns = min(sizes)
    raise CheckpointError(
        f"The attention of {name} must have at most {MAX_ELEMENTS / 2**20:.0f} M weights: {num_maps} maps between "
        f"{rows} x {columns} patches have {num_maps * (rows * columns) ** 2 / 2**20:,.0f} M",
        "Pass a smaller `img_size`.",
        "img_size",
    )


def divides(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether the cells of one grid are made of whole cells of the other one, by one factor."""
    (rows, columns), (other_rows, other_columns) = sorted([one, other])
    factor = other_rows // rows
    return (rows * factor, columns * factor) == (other_rows, other_columns)


class ReadRows(NamedTuple):
    """Which tokens the head reads: each prefix token (R), and whether any patch."""

    prefix: list[bool]
    patches: bool


def read_rows(network: CapturedViT) -> ReadRows | None:
    """Return which tokens the head reads.

    In the last layer only the rows of tokens that are read have a gradient. None if the gradients of the attention or
    the image are not known, or zero.
    """
    config, first = network.config, next(network.parameters(), torch.empty(0))
    R = config.num_prefix_tokens
    with torch.inference_mode(False), torch.enable_grad():
        image = torch.randn(1, 3, *config.img_size, generator=torch.Generator().manual_seed(0)).to(first)
        image.requires_grad_()
        output = network.forward_with_blocks(image, "full")
        weights = [block.weights for block in output.blocks if block.weights is not None]
        factors = torch.randn(output.logits.shape, generator=torch.Generator().manual_seed(1)).to(first)
        grads: tuple[Tensor | None, ...] = (None,)
        with suppress(RuntimeError):  # of a module that detaches its attention
            grads = torch.autograd.grad((output.logits * factors).sum(), [*weights, image], allow_unused=True)
    if not all(layer.is_exact for layer in network.layers.values()) or any(grad is None for grad in grads):
        return None
    rows = cast(Tensor, grads[-2]).abs().sum((0, 1, 3))  # (T,)
    if not rows.isfinite().all() or not rows.any():  # the weights of the head may be zero
        return None
    read = rows > 1e-6 * rows.max()
    return ReadRows(read[:R].tolist(), bool(read[R:].any()))


def find_readout(network: CapturedViT, rows: ReadRows | None) -> dict[str, Any]:
    """Return the fields of the config that say which tokens the head reads, and whether attention has gradients."""
    R, pool = network.config.num_prefix_tokens, network.config.global_pool
    is_named = R == 1 and any(CLASS_TOKEN.search(name) for name, _ in network.named_parameters())
    if rows is None or pool == "map":
        pool = "token" if is_named and pool != "map" else pool
        known = rows is not None
        return {"class_token": is_named, "reg_tokens": R - is_named, "global_pool": pool, "has_gradients": known}
    prefix, patches = rows
    distilled = prefix == [True, True] + [False] * (R - 2) and not patches
    class_token = is_named or prefix[:1] == [True]
    return {
        "class_token": class_token,
        "distilled": distilled,
        "reg_tokens": R - class_token - distilled,
        "global_pool": "avg" if not (class_token and prefix[0]) else "token_avg" if patches else "token",
        "has_gradients": True,
    }
