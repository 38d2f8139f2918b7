"""Where the rows and columns of captured attention lie on the image, found by changing cells of the image.

Most attention comes without geometry: windows are folded into the batch, prefix tokens stand before or after the
patches, a grid may be transposed, tokens may be dropped. So the module is run on images whose cells are changed in the
patterns of a binary code, while each token attends to itself alone: then a row depends on its own part of the image
only, in all layers, and the patterns in which its logit with itself changes spell its cell. For the same reason
overlapping filters of convolutions are cut to the pixels of their own cell. A layer whose rows do not spell each cell
of a grid exactly once is not placed.
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.modules.utils import _pair
from torch.overrides import TorchFunctionMode

from vitviz.models.capture import CaptureMode, evaluating

MAX_IMAGES = 9  # at once, the unchanged one included
THRESHOLD = 1e-5  # of the largest change: what changes less does not depend on the image
LEAST_PART = 0.02  # of the mean change of a token with itself: what queries and keys must change, each on its own
LEAST_RATIO = 1.25  # to the change of tokens in no changed cell, which convolutions before the tokens cause

Grid = tuple[int, int]


@dataclass(frozen=True)
class Placement:
    """Where the attention of one layer lies.

    Attributes:
        slots: Positions of the heads of each window among the leading axes of one image, (W, A).
        queries: Token of each row of a window, (W, Q): prefix tokens from 0, then the cells of the grid in reading
            order; -1 for padding and for the query of attention pooling, which is no token.
        keys: The same of each column, (W, K).
        grid: Rows and columns of the grid (gh, gw).
        images_last: Whether images are the last of the leading axes, not the first.
    """

    slots: Tensor
    queries: Tensor
    keys: Tensor
    grid: Grid
    images_last: bool

    @property
    def is_pooling(self) -> bool:
        """Whether its only query is no token of the image."""
        return self.queries.shape[1] == 1 and bool((self.queries < 0).all())


@dataclass(eq=False)
class Layer:
    """What is known about one attention layer while it is placed.

    Attributes:
        images_last: As in `Placement`.
        is_pooling: Whether it has one query, which is no token.
        depends: Whether a row depends on the image, (S, Q); of attention pooling a column, (S, K). S counts the slots:
            heads, in each window.
        grids: Grids that its rows may tile, with the number of heads that it has then.
        cells: Cell of each of these, on `grid`; -1 for those that do not depend on the image. None if not placed.
        grid: The grid.
    """

    images_last: bool
    is_pooling: bool
    depends: Tensor
    grids: dict[Grid, int]
    cells: Tensor | None = None
    grid: Grid = (1, 1)


def find_grid(count: int, img_size: Grid) -> Grid | None:
    """Return rows and columns of a number of square cells that tile an image (height, width, px); None if none do.

    Example:
        >>> find_grid(196, (224, 224)), find_grid(8, (64, 32)), find_grid(197, (224, 224))
        ((14, 14), (4, 2), None)
    """
    height, width = img_size
    columns = round(math.sqrt(count * width / height))
    rows = count // max(1, columns)
    fits = rows * columns == count and rows * width == columns * height and height % rows == 0
    return (rows, columns) if fits else None


def code_masks(count: int) -> Tensor:
    """Return the cells that each pattern changes, (P, count): those with a bit of their number set, then unset."""
    bits = torch.arange(max(1, (count - 1).bit_length()))
    is_set = (torch.arange(count) >> bits[:, None]) & 1 == 1  # (bits, count)
    return torch.stack([is_set, ~is_set], 1).flatten(0, 1)


def random_masks(count: int) -> Tensor:
    """Return patterns of random cells, and of the others each time, (4, count): the test of a known order."""
    is_set = torch.rand(2, count, generator=torch.Generator().manual_seed(count)) < 0.5
    return torch.stack([is_set, ~is_set], 1).flatten(0, 1)


def split_images(values: Tensor, num_images: int, images_last: bool) -> Tensor:
    """Return values (..., Q, K) of several images as (B, S, Q, K)."""
    flat = values.flatten(0, -3) if values.ndim > 2 else values[None]
    if images_last:
        return flat.unflatten(0, (-1, num_images)).movedim(1, 0)
    return flat.unflatten(0, (num_images, -1))


def changes(logits: Tensor, num_images: int, images_last: bool) -> Tensor:
    """Return how much logits (..., Q, K) differ from those of the first image, (P, S, Q, K)."""
    images = split_images(logits.detach(), num_images, images_last).float().nan_to_num(neginf=0, posinf=0)
    return (images[1:] - images[:1]).abs()


def of_tokens(changed: Tensor, is_pooling: bool) -> Tensor:
    """Return the change of each token with itself, or of each key, from changes (P, S, Q, K), (P, S, n)."""
    return changed.sum(-2) if is_pooling else changed.diagonal(dim1=-2, dim2=-1)


def own_taps(kernel: Sequence[int], stride: Any, padding: Any, dilation: Any) -> Tensor:
    """Return which taps of a filter read the inputs of its own cell, from i * stride on for output i, (kh, kw)."""
    if isinstance(padding, str):
        padding = [
            {"valid": 0, "same": s * (size - 1) // 2}[padding] for s, size in zip(_pair(dilation), kernel, strict=True)
        ]
    axes = []
    for size, step, before, spread in zip(kernel, *map(_pair, (stride, padding, dilation)), strict=True):
        place = torch.arange(size) * spread - before
        axes.append((place >= 0) & (place < step))
    return axes[0][:, None] & axes[1]


def cut_conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Compute `conv2d` with filters that are cut to their own cell; arguments as there."""
    taps = own_taps(weight.shape[2:], stride, padding, dilation).to(weight)
    return F.conv2d(input, weight * taps, bias, stride, padding, dilation, groups)


def cut_unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Compute `unfold` with zeros for what lies outside the own cell; arguments as there."""
    columns = F.unfold(input, kernel_size, dilation, padding, stride)  # (B, C * kh * kw, L)
    taps = own_taps(_pair(kernel_size), stride, padding, dilation).flatten().to(columns)
    return columns * taps.repeat(input.shape[1])[:, None]


def cut_pool(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    *others: Any,
    dilation: Any = 1,
    **kwargs: Any,
) -> Tensor:
    """Stand in for `max_pool2d` and `avg_pool2d` by the sum over the own cell; arguments as there."""
    input = input.masked_fill(input.isinf(), 0)  # padding before a maximum
    weight = input.new_ones(input.shape[1], 1, *_pair(kernel_size))
    return cut_conv2d(input, weight, None, stride or kernel_size, padding, dilation, input.shape[1])


CUT = {
    torch.conv2d: cut_conv2d,
    F.unfold: cut_unfold,
    F.max_pool2d: cut_pool,
    torch.max_pool2d: cut_pool,
    F.avg_pool2d: cut_pool,
}


class OwnCells(TorchFunctionMode):
    """Cuts the filters of convolutions and pooling, so that each output depends on the inputs of its own cell only."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run a function of PyTorch."""
        return CUT.get(func, func)(*args, **kwargs or {})


def run(module: nn.Module, images: Tensor, attend: Callable[[int, Tensor], None], off: Collection[int] = ()) -> None:
    """Run a module on images while each token attends to itself alone, and queries that are no tokens to none.

    `attend` gets the number of each attention layer and its logits; in the layers `off`, nothing attends to anything.
    """
    count = 0

    def record(weights: Tensor, logits: Tensor) -> Tensor:
        nonlocal count
        attend(count, logits)
        count += 1
        Q, K = weights.shape[-2:]
        if Q != K or count - 1 in off:
            return torch.zeros_like(weights)
        return torch.eye(Q, dtype=weights.dtype, device=weights.device).expand(weights.shape)

    with evaluating(module), torch.no_grad(), OwnCells(), CaptureMode(record):
        module(images)


def place(module: nn.Module, img_size: Grid) -> list[Placement | None]:
    """Return where each attention layer of a module lies on images (height, width, px); None for those not placed."""
    weight = next(module.parameters(), torch.empty(0))
    noise = torch.randn(4, 3, *img_size, generator=torch.Generator().manual_seed(0)).to(weight)
    placements = place_once(module, noise, ())
    # Queries that are not placed, such as learned ones, must get nothing from the image that later layers could show.
    off = {number for number, one in enumerate(placements) if one is None}
    return place_once(module, noise, off) if off and len(off) < len(placements) else placements


def place_once(module: nn.Module, noise: Tensor, off: Collection[int]) -> list[Placement | None]:
    """Return the placements that images show while some layers are off."""
    layers = find_layers(module, noise, off)
    # The finest first: rows of a dilated window are all cells of a coarser grid, too.
    for grid in sorted({grid for one in layers if one for grid in one.grids}, reverse=True):
        count = math.prod(grid)
        for masks, read, rounds in ((random_masks(count), read_order, 1), (code_masks(count), read_code, 3)):
            total: dict[int, Tensor] = {}
            # Several rounds, as by chance the change of a cell may be smaller than that of others, which means spread.
            for other in range(1, rounds + 1):
                pending = {i: one for i, one in enumerate(layers) if one and one.cells is None and grid in one.grids}
                if not pending:
                    break
                scores, first = score_cells(module, noise[[0, other]], pending, masks.view(-1, *grid), off)
                for number, layer in pending.items():
                    total[number] = total.get(number, 0) + scores[number]
                    cells = read(total[number], layer, grid, masks)
                    if cells is not None and (layer.is_pooling or is_self_attention(first[number], masks[0], cells)):
                        layer.cells, layer.grid = cells, grid
    return place_layers(layers)


def find_layers(module: nn.Module, noise: Tensor, off: Collection[int]) -> list[Layer | None]:
    """Return the attention layers of a module, from one pass over some images.

    None for one that mixes the images, has several queries that are no tokens, or is computed again by the next one.
    """
    layers: list[Layer | None] = []
    height, width = noise.shape[2:]
    batch = noise[[0, 0, 1, 2, 3]]
    before: list[Tensor] = []

    def attend(number: int, logits: Tensor) -> None:
        layers.append(None)
        if before and before[0].shape == logits.shape and torch.allclose(before[0], logits, rtol=1e-4):
            layers[-2] = None
        before[:] = [logits]
        Q, K = logits.shape[-2:]
        if number in off or logits.ndim < 3 or math.prod(logits.shape[:-2]) % len(batch) or Q not in (1, K):
            return
        for images_last in (False, True):
            again, *others = changes(logits, len(batch), images_last)  # (S, Q, K)
            if again.norm() < 1e-3 * others[0].norm():
                differs = of_tokens(torch.stack(others), Q != K).amax(0)
                depends = differs > THRESHOLD * differs.max()
                count, slots = int(depends.sum()), len(depends)
                heads = [one for one in range(slots, 0, -1) if slots % one == 0 and count % one == 0 and count]
                found = [(find_grid(count // one, (height, width)), one) for one in heads]
                grids = {grid: one for grid, one in found if grid is not None}
                layers[-1] = Layer(images_last, Q != K, depends.cpu(), grids)
                return

    run(module, batch, attend, off)
    return layers


def score_cells(
    module: nn.Module, noise: Tensor, pending: dict[int, Layer], masks: Tensor, off: Collection[int]
) -> tuple[dict[int, Tensor], dict[int, Tensor]]:
    """Run a module on images whose cells change from those of one to those of another, (2, 3, H, W).

    The patterns of the cells that change are (P, gh, gw).

    Returns:
        For each layer the change of each token with itself, or of each key, in each pattern, (P, S, n), and the changes
        of all logits in the first one, (S, Q, K).
    """
    cell = noise.shape[2] // masks.shape[1]
    pixels = masks[:, None].repeat_interleave(cell, 2).repeat_interleave(cell, 3).to(noise.device)  # (P, 1, H, W)
    scores: dict[int, list[Tensor]] = {number: [] for number in pending}
    first: dict[int, Tensor] = {}
    for part in pixels.split(MAX_IMAGES - 1):

        def attend(number: int, logits: Tensor, size: int = len(part)) -> None:
            if number in pending:
                layer = pending[number]
                changed = changes(logits, size + 1, layer.images_last)
                scores[number].append(of_tokens(changed, layer.is_pooling).cpu())
                first.setdefault(number, changed[0].cpu())

        run(module, torch.cat([noise[:1], torch.where(part, noise[1], noise[0])]), attend, off)
    return {number: torch.cat(parts) for number, parts in scores.items()}, first


def read_order(scores: Tensor, layer: Layer, grid: Grid, masks: Tensor) -> Tensor | None:
    """Return the cells of rows that stand in reading order, or down the columns, (P, S, n) -> (S, n); None for others.

    It takes 4 patterns, `random_masks`; rows that do not depend on the image are -1.
    """
    is_set, count = scores[0::2] > scores[1::2], math.prod(grid)
    if not bool((layer.depends.sum(1) == count).all()):
        return None
    rows = torch.arange(count).view(grid)
    for order in (rows.flatten(), rows.T.flatten()):
        if torch.equal(is_set[:, layer.depends], masks[0::2, order].repeat(1, len(layer.depends))):
            cells = torch.full(layer.depends.shape, -1)
            cells[layer.depends] = order.repeat(len(cells))
            return cells
    return None


def read_code(scores: Tensor, layer: Layer, grid: Grid, masks: Tensor) -> Tensor | None:
    """Return the cell that each row spells by its changes in the patterns of `code_masks`, (P, S, n) -> (S, n).

    Rows that do not depend on the image are -1. None if the rows are not all cells of the grid, each in as many slots
    as there are heads.
    """
    is_set = scores[0::2] > scores[1::2]
    cells = sum((one.long() << bit for bit, one in enumerate(is_set)), torch.zeros(layer.depends.shape).long())
    cells = cells.masked_fill(~layer.depends, -1)
    windows, slots = cells[layer.depends.any(1)].unique(dim=0, return_counts=True)
    found = windows[windows >= 0].sort().values
    is_tiled = torch.equal(found, torch.arange(math.prod(grid))) and bool((slots == layer.grids[grid]).all())
    return cells if is_tiled else None


def is_self_attention(changed: Tensor, mask: Tensor, cells: Tensor) -> bool:
    """Whether query and key of each row are those of its cell, by the changes that one pattern makes, (S, Q, K)."""
    is_in = (cells >= 0) & mask[cells.clamp(min=0)]  # (S, Q)
    parts = {}
    for name, rows, columns in (
        ("both", is_in, is_in),
        ("query", is_in, ~is_in),
        ("key", ~is_in, is_in),
        ("none", ~is_in, ~is_in),
    ):
        where = rows[:, :, None] & columns[:, None]
        parts[name] = float(changed[where].mean()) if where.any() else math.nan
    known = [parts[name] for name in ("query", "key") if not math.isnan(parts[name])]
    rest = 0.0 if math.isnan(parts["none"]) else parts["none"]
    return all(one > LEAST_PART * parts["both"] and one > LEAST_RATIO * rest for one in known)


def place_layers(layers: list[Layer | None]) -> list[Placement | None]:
    """Return the placements of layers whose cells are known.

    Rows that do not depend on the image are prefix tokens, as many as most layers have; in windows they are padding.
    """
    known = [one for one in layers if one is not None and one.cells is not None and not one.is_pooling]
    unknown = [int((~one.depends[0]).sum()) for one in known]
    has_windows = any(one.grids[one.grid] < len(one.depends) for one in known)
    num_prefix = 0 if has_windows or not unknown else max(set(unknown), key=unknown.count)
    return [None if one is None else place_layer(one, num_prefix, has_windows) for one in layers]


def place_layer(layer: Layer, num_prefix: int, has_windows: bool) -> Placement | None:
    """Return the placement of a layer in a model with a number of prefix tokens; None if it has another number."""
    if layer.cells is None:
        return None
    tokens = layer.cells.where(layer.cells < 0, layer.cells + num_prefix)
    is_prefix = ~layer.depends[0]
    if not has_windows and not layer.is_pooling:
        if int(is_prefix.sum()) != num_prefix:
            return None
        tokens[:, is_prefix] = torch.arange(num_prefix)
    elif layer.is_pooling and int(is_prefix.sum()) == num_prefix:
        tokens[:, is_prefix] = torch.arange(num_prefix)
    windows: dict[tuple[int, ...], list[int]] = {}
    for slot, row in enumerate(tokens.tolist()):
        if max(row) >= num_prefix:
            windows.setdefault(tuple(row), []).append(slot)
    slots, keys = torch.tensor(list(windows.values())), torch.tensor(list(windows))
    queries = torch.full((len(keys), 1), -1) if layer.is_pooling else keys
    return Placement(slots, queries, keys, layer.grid, layer.images_last)
