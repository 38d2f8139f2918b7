"""Where the rows and columns of captured attention lie on the image, found by changing parts of the input.

Most attention comes without geometry: windows are folded into the batch, prefix tokens stand before or after the
patches, a grid may be transposed. So each layer's input is changed token by token, in the patterns of a binary code:
with 2 log2(N) images, the patterns in which the logit of a token with itself changes spell the token's number. One more
such pass over the pixels tells which token is which cell of the image.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import torch
from torch import Tensor, nn

from vitviz.models.capture import CaptureMode, evaluating

Index = Tensor  # int64
MAX_IMAGES = 9  # at once, the unchanged one included
ATTEMPTS = 2  # noises that are added up until every token is found
MAX_CALLS = 4  # modules around the attention whose inputs are tried
HALVES = 0.9  # least part of the tokens that must see their half of the image most


@dataclass(frozen=True)
class Placement:
    """Where the attention of one layer lies.

    Attributes:
        slots: Positions of the heads of each window among the leading axes of one image, (W, A).
        queries: Token of each row of a window, (W, Q): prefix tokens from 0, then the cells of the grid in reading
            order; -1 for padding and for queries that are no tokens, as those of attention pooling.
        keys: The same of each column, (W, K).
        grid: Rows and columns of the grid (gh, gw).
        images_last: Whether images are the last of the leading axes, not the first.
    """

    slots: Index
    queries: Index
    keys: Index
    grid: tuple[int, int]
    images_last: bool

    @property
    def is_pooling(self) -> bool:
        """Whether its only query is no token of the image."""
        return self.queries.shape[1] == 1 and bool((self.queries < 0).all())


@dataclass
class Call:
    """One call of a module: its number in the forward pass, and the tensor of tokens among its arguments."""

    number: int
    argument: int | str = ""
    shape: tuple[int, ...] = ()


@dataclass(eq=False)
class Layer:
    """What is known about one attention layer while it is placed.

    Attributes:
        calls: Modules that run it, from the innermost, whose inputs have tokens.
        images_last: As in `Placement`.
        pools: Whether there are other numbers of queries and keys.
        differs: How much each row's logit with itself differs between two images, (S, Q); of a layer that pools the
            columns, (S, K).
        found: Input token of the first of the calls that each row is computed from, (S, Q); -1 for none.
    """

    calls: list[Call]
    images_last: bool
    pools: bool
    differs: Tensor = field(default_factory=lambda: torch.empty(0))
    found: Tensor | None = None

    def num_inputs(self, aspect: float) -> int:
        """Return the number of tokens in the input of the first of the calls."""
        return math.prod(self.calls[0].shape[axis] for axis in self.axes(aspect))

    def is_folded(self, aspect: float) -> bool:
        """Whether the input may be windows of tokens (B, W, Q, D), which look like a grid where W equals Q."""
        rows = cast(Tensor, self.found)
        sides = [self.calls[0].shape[axis] for axis in self.axes(aspect)]
        return sides == [rows.shape[1]] * 2 and bool((rows[:, 1:] == rows[:, :-1] + 1).all())

    def axes(self, aspect: float) -> tuple[int, ...]:
        """Return the axes of the tokens of that input; see `token_axes`."""
        return token_axes(self.calls[0].shape, 3, aspect) or ()


@dataclass
class Tracer:
    """Hooks on all modules that follow the calls, and may replace the input of some.

    Attributes:
        replace: Function of a call and its tokens that returns others, or None.
        running: The calls that have not returned.
    """

    replace: Callable[[Call, Tensor], Tensor | None]
    num_images: int
    count: int = 0
    running: list[Call] = field(default_factory=list)

    def enter(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Begin a call."""
        call = Call(self.count)
        self.count += 1
        self.running.append(call)
        arguments: list[tuple[int | str, Any]] = [*enumerate(args), *kwargs.items()]
        for key, value in arguments:
            if isinstance(value, Tensor) and value.ndim in (3, 4) and self.num_images in value.shape[:2]:
                call.argument, call.shape = key, tuple(value.shape)
                if (new := self.replace(call, value)) is None:
                    return None
                if isinstance(key, str):
                    return args, kwargs | {key: new}
                return (*args[:key], new, *args[key + 1 :]), kwargs
        return None

    def leave(self, module: nn.Module, args: Any, out: Any) -> None:
        """End the innermost call."""
        self.running.pop()


@contextmanager
def trace(module: nn.Module, tracer: Tracer) -> Iterator[None]:
    """Follow the calls of a module."""
    handles = []
    for part in module.modules():
        handles += [part.register_forward_pre_hook(tracer.enter, with_kwargs=True, prepend=True)]
        handles += [part.register_forward_hook(tracer.leave)]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def token_axes(shape: Sequence[int], num_images: int, aspect: float) -> tuple[int, ...] | None:
    """Return the axes of tokens in an input (B, T, D), (T, B, D), (B, h, w, D) or (B, D, h, w); None for others."""
    if len(shape) == 3 and shape[0] == num_images:
        return (1,)
    if len(shape) == 3 and shape[1] == num_images:
        return (0,)
    if len(shape) == 4 and shape[0] == num_images:
        fits = [axes for axes in ((1, 2), (2, 3)) if shape[axes[0]] == aspect * shape[axes[1]]]
        return fits[0] if len(fits) == 1 else None
    return None


def find_grid(count: int, aspect: float) -> tuple[int, int] | None:
    """Return rows and columns of a number of cells on an image of some height divided by its width; None if none fit.

    Example:
        >>> find_grid(196, 1.0), find_grid(8, 2.0), find_grid(197, 1.0)
        ((14, 14), (4, 2), None)
    """
    columns = round(math.sqrt(count / aspect))
    rows = round(columns * aspect)
    return (rows, columns) if rows * columns == count and rows == columns * aspect else None


def code_masks(count: int) -> Tensor:
    """Return the tokens that each pattern changes, (P, count): those with a bit of their number set, then unset."""
    bits = torch.arange(max(1, (count - 1).bit_length()))
    is_set = (torch.arange(count) >> bits[:, None]) & 1 == 1  # (bits, count)
    return torch.stack([is_set, ~is_set], 1).flatten(0, 1)


def decode(scores: Tensor, count: int) -> Tensor | None:
    """Return the number that the changes of each row spell, (S, Q), -1 for rows without change.

    None if two rows of different windows spell the same.
    """
    scores = scores[: len(code_masks(count))]
    is_set = scores[0::2] > scores[1::2]
    numbers = (is_set.long() << torch.arange(len(is_set), device=scores.device).view(-1, 1, 1)).sum(0)  # (S, Q)
    numbers = numbers.masked_fill(scores.amax(0) <= 1e-5 * scores.max(), -1)
    windows = torch.tensor(sorted({tuple(row) for row in numbers.tolist()}))  # heads of a window agree
    known = windows[windows >= 0]
    is_valid = len(known) > 0 and len(known.unique()) == len(known) and int(known.max()) < count
    return numbers if is_valid else None


def random_masks(count: int) -> Tensor:
    """Return patterns of random tokens, and of the others each time, (4, count): the test of a known order."""
    is_set = torch.rand(2, count, generator=torch.Generator().manual_seed(count)) < 0.5
    return torch.stack([is_set, ~is_set], 1).flatten(0, 1)


def agreement(scores: Tensor, masks: Tensor) -> float:
    """Return the part of the tokens, (P, ..., T), that change more in their own patterns (P, T) than in the others."""
    is_set = scores[0::2] > scores[1::2]
    expected = masks[0::2].to(scores.device).view(len(is_set), *[1] * (scores.ndim - 2), -1)
    return float((is_set == expected).all(0).float().mean())


def split_images(values: Tensor, num_images: int, images_last: bool) -> Tensor:
    """Return values (..., Q, K) of several images as (B, S, Q, K)."""
    flat = values.flatten(0, -3) if values.ndim > 2 else values[None]
    if images_last:
        return flat.unflatten(0, (-1, num_images)).movedim(1, 0)
    return flat.unflatten(0, (num_images, -1))


def differences(logits: Tensor, layer: Layer, num_images: int) -> Tensor:
    """Return how much each row of a square product, or column of another, differs from the first image's, (P, S, n)."""
    images = split_images(logits.detach(), num_images, layer.images_last)
    images = images.float().nan_to_num(neginf=0, posinf=0)
    if layer.pools:
        return (images[1:] - images[:1]).norm(dim=-2)
    diagonal = images.diagonal(dim1=-2, dim2=-1)
    return (diagonal[1:] - diagonal[:1]).abs()


def run(module: nn.Module, images: Tensor, tracer: Tracer, attend: Callable[[int, Tensor], None]) -> None:
    """Run a module on images; `attend` gets the number of each attention layer and its logits."""
    count = 0

    def record(weights: Tensor, logits: Tensor) -> Tensor:
        nonlocal count
        attend(count, logits)
        count += 1
        return weights

    with evaluating(module), torch.no_grad(), trace(module, tracer), CaptureMode(record):
        module(images)


def place(module: nn.Module, img_size: tuple[int, int]) -> list[Placement | None]:
    """Return where each attention layer of a module lies on images (height, width, px); None for those not placed."""
    generator = torch.Generator().manual_seed(0)
    noise = torch.randn(2, 3, *img_size, generator=generator).to(next(module.parameters()))
    aspect = img_size[0] / img_size[1]
    layers = find_layers(module, noise, aspect)
    while pending := [layer for layer in layers if layer is not None and layer.found is None and layer.calls]:
        probe_inputs(module, noise[:1], layers, pending, aspect)
        for layer in pending:
            if layer.found is None:
                del layer.calls[0]
    cells = find_cells(module, noise, layers, aspect)
    if cells is None:
        return [None] * len(layers)
    return [None if one is None or one.found is None else place_layer(one, cells, aspect) for one in layers]


def find_layers(module: nn.Module, noise: Tensor, aspect: float) -> list[Layer | None]:
    """Return the attention layers of a module, from one pass over two images; None for one that mixes the images."""
    layers: list[Layer | None] = []
    tracer = Tracer(lambda call, x: None, 3)

    def attend(number: int, logits: Tensor) -> None:
        calls = [call for call in tracer.running[::-1] if token_axes(call.shape, 3, aspect)]
        others = (3, *noise.shape[1:]), logits.shape  # the image, and the input of a softmax module
        calls = [call for call in calls if call.shape not in others]
        layers.append(None)
        if logits.ndim < 3 or math.prod(logits.shape[:-2]) % 3:
            return
        for images_last in (False, True):
            first, again, other = split_images(logits, 3, images_last).float().nan_to_num(neginf=0)
            if (first - again).norm() < 1e-3 * (first - other).norm():
                layer = Layer(calls[:MAX_CALLS], images_last, logits.shape[-1] != logits.shape[-2])
                layer.differs = differences(logits, layer, 3)[1]
                layers[-1] = layer
                return

    run(module, noise[[0, 0, 1]], tracer, attend)
    return layers


def probe_inputs(
    module: nn.Module, image: Tensor, layers: list[Layer | None], pending: list[Layer], aspect: float
) -> None:
    """Find which token of the input of its innermost call each row of a layer is computed from."""
    tested = [layer for layer in pending if layer.differs.shape[1] == layer.num_inputs(aspect)]
    if tested:  # probably in the same order
        masks = {layer: random_masks(layer.num_inputs(aspect)) for layer in tested}
        for layer, scores in input_scores(module, image, layers, masks, aspect, seed=0).items():
            if agreement(scores, masks[layer]) == 1:
                layer.found = torch.arange(scores.shape[2]).expand(scores.shape[1:])
    total: dict[Layer, Tensor] = {}
    for seed in range(ATTEMPTS):
        left = {layer: code_masks(layer.num_inputs(aspect)) for layer in pending if layer.found is None}
        for layer, scores in input_scores(module, image, layers, left, aspect, seed).items() if left else ():
            total[layer] = scores + total.get(layer, 0)
            layer.found = decode(total[layer], layer.num_inputs(aspect))
            if layer.found is not None and layer.is_folded(aspect):
                layer.found = None


def input_scores(
    module: nn.Module, image: Tensor, layers: list[Layer | None], masks: dict[Layer, Tensor], aspect: float, seed: int
) -> dict[Layer, Tensor]:
    """Return how much the rows of layers change when tokens of their inputs do, (P, S, n), for each mask (P, T)."""
    calls = {layer.calls[0].number: (masks[layer], layer.axes(aspect)) for layer in masks}
    noise, parts = torch.Generator().manual_seed(seed), {layer: [torch.empty(0)][:0] for layer in masks}
    longest = max(map(len, masks.values()))
    for start in range(0, longest, MAX_IMAGES - 1):
        chosen = slice(start, start + MAX_IMAGES - 1)
        size = len(range(longest)[chosen])

        def replace(call: Call, x: Tensor, chosen: slice = chosen) -> Tensor | None:
            if call.number not in calls:
                return None
            patterns, axes = calls[call.number]
            return change_tokens(x, patterns[chosen], axes, noise)

        def attend(number: int, logits: Tensor, size: int = size) -> None:
            if (layer := layers[number]) in parts:
                parts[layer].append(differences(logits, layer, size + 1))

        run(module, image.expand(size + 1, -1, -1, -1), Tracer(replace, size + 1), attend)
    return {layer: torch.cat(part)[: len(masks[layer])] for layer, part in parts.items()}


def change_tokens(x: Tensor, masks: Tensor, axes: tuple[int, ...], noise: torch.Generator) -> Tensor:
    """Return the first image's tokens as they are, then once for each mask (P, n) with its tokens replaced by noise.

    All images are replaced, as those after the first have changed in earlier layers.
    """
    images = x.movedim(1, 0) if axes == (0,) else x  # (B, T, D), (B, h, w, D) or (B, D, h, w)
    tokens = (1,) if axes == (0,) else axes
    first = images[:1]
    changed = torch.randn(first.shape, generator=noise).to(first) * first.std() + first.mean()
    padded = torch.zeros(len(images), masks.shape[1], dtype=torch.bool)
    padded[1 : len(masks) + 1] = masks
    shape = [size if axis in (0, *tokens) else 1 for axis, size in enumerate(images.shape)]
    out = torch.where(padded.view(shape).to(x.device), changed, first)
    return out.movedim(0, 1) if axes == (0,) else out


@dataclass(frozen=True)
class Cells:
    """What the tokens of the first layer are.

    Attributes:
        ids: Prefix tokens from 0, then cells of the image in reading order, of each token, (T,).
        num_prefix: Number of prefix tokens (R).
        grid: Rows and columns of the cells.
        transposed: Whether the tokens run down the columns of the image.
    """

    ids: Index
    num_prefix: int
    grid: tuple[int, int]
    transposed: bool


def find_cells(module: nn.Module, noise: Tensor, layers: list[Layer | None], aspect: float) -> Cells | None:
    """Find which cell of the image each input token of the first placed layer is computed from; None if none fits."""
    number = next((i for i, one in enumerate(layers) if one and one.found is not None and not one.pools), None)
    if number is None:
        return None
    layer = cast(Layer, layers[number])
    count = layer.num_inputs(aspect)
    differs = over_inputs(layer.differs[None], cast(Tensor, layer.found), count)[0]  # (T,)
    from_image = (differs > 1e-5 * differs.max()).cpu()
    grid = find_grid(int(from_image.sum()), aspect)
    if grid is None or noise.shape[2] % grid[0] or noise.shape[3] % grid[1]:
        return None
    in_rows = torch.arange(math.prod(grid)).view(grid)
    orders = [in_rows.flatten(), in_rows.T.flatten()]  # cells of the tokens

    def scores(masks: Tensor) -> Tensor:
        found = cell_scores(module, noise, layer, number, masks.view(-1, *grid))
        return over_inputs(found, cast(Tensor, layer.found), count)[:, from_image]  # (P, N)

    masks = random_masks(math.prod(grid))
    changes = scores(masks)
    cells = next((order for order in orders if agreement(changes, masks[:, order]) == 1), None)
    if (
        cells is None
        and len(layer.axes(aspect)) == 1
        and (found := decode(scores(code_masks(math.prod(grid)))[:, None], math.prod(grid))) is not None
    ):
        cells = found[0].cpu() if (found >= 0).all() else None
    if cells is None:  # tokens that see more than their cell, as after convolutions, still see their half most
        row, column = in_rows.flatten() // grid[1], in_rows.flatten() % grid[1]
        top, left = 2 * row < grid[0], 2 * column < grid[1]
        masks = torch.stack([top, ~top, left, ~left])
        changes = scores(masks)
        cells = next((order for order in orders if agreement(changes, masks[:, order]) > HALVES), None)
    if cells is None:
        return None
    num_prefix = int((~from_image).sum())
    ids = torch.empty(count, dtype=torch.long)
    ids[~from_image] = torch.arange(num_prefix)
    ids[from_image] = num_prefix + cells
    return Cells(ids, num_prefix, grid, 1 not in grid and bool((cells == orders[1]).all()))


def cell_scores(module: nn.Module, noise: Tensor, layer: Layer, number: int, masks: Tensor) -> Tensor:
    """Return how much the rows of a layer change when cells of the image do, (P, S, n), for each mask (P, gh, gw)."""
    height, width = (noise.shape[2] // masks.shape[1], noise.shape[3] // masks.shape[2])
    pixels = masks.repeat_interleave(height, 1).repeat_interleave(width, 2)[:, None].to(noise.device)  # (P, 1, H, W)
    found: list[Tensor] = []
    for part in pixels.split(MAX_IMAGES - 1):

        def attend(index: int, logits: Tensor, size: int = len(part)) -> None:
            if index == number:
                found.append(differences(logits, layer, size + 1))

        images = torch.cat([noise[:1], torch.where(part, noise[1], noise[0])])
        run(module, images, Tracer(lambda call, x: None, 0), attend)
    return torch.cat(found)


def over_inputs(values: Tensor, found: Tensor, count: int) -> Tensor:
    """Sum values of a layer's rows (P, S, Q) over the rows of each input token, (P, T)."""
    index = found.flatten().to(values.device) + 1  # 0 for rows that are computed from none
    summed = values.new_zeros(len(values), count + 1).index_add_(1, index, values.flatten(1))
    return summed[:, 1:]


def place_layer(layer: Layer, cells: Cells, aspect: float) -> Placement | None:
    """Return where a layer lies whose rows are known as tokens of its input; None if these do not fit the image."""
    count, num_prefix = layer.num_inputs(aspect), cells.num_prefix
    if count == len(cells.ids):
        ids, grid = cells.ids, cells.grid
    else:
        own_prefix = num_prefix if find_grid(count, aspect) is None else 0
        own_grid = find_grid(count - own_prefix, aspect)
        if own_grid is None or max(own_grid) > max(cells.grid):
            return None
        order = torch.arange(math.prod(own_grid)).view(own_grid)
        order = order.T if cells.transposed else order
        ids, grid = torch.cat([torch.arange(own_prefix), num_prefix + order.flatten()]), own_grid
    found = cast(Tensor, layer.found).cpu()
    tokens = torch.cat([ids, torch.tensor([-1])])[found]  # (S, Q); -1 reads the last
    windows: dict[tuple[int, ...], list[int]] = {}
    for slot, row in enumerate(tokens.tolist()):
        if max(row) >= 0:
            windows.setdefault(tuple(row), []).append(slot)
    if len({len(slots) for slots in windows.values()}) != 1:
        return None
    slots, keys = torch.tensor(list(windows.values())), torch.tensor(list(windows))
    queries = torch.full((len(keys), 1), -1) if layer.pools else keys
    return Placement(slots, queries, keys, grid, layer.images_last)
