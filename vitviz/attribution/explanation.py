"""A checkpoint + an image -> an `Explanation`: prediction, attention, maps, figures and files.

One forward pass gives everything; each view is drawn from its trace. Matplotlib is imported when a figure is asked for,
so that the page starts without it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeGuard

import numpy as np
from numpy.typing import NDArray

from vitviz.attribution.context import ForwardContext, Target, softmax
from vitviz.attribution.export import export
from vitviz.attribution.methods import METHODS, Method, asking, methods_for
from vitviz.data.preprocessing import ImageSource, PreprocessedImage, preprocess, to_tensor
from vitviz.models.checkpoint import Checkpoint

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TargetLike = int | str | Sequence[int | str]  # a class by position or name, or two: the first rather than the second


def is_whole(value: object) -> TypeGuard[int]:
    """Whether it is a whole number, of Python or of numpy."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_direction(direction: str) -> None:
    """Refuse what is neither of the two."""
    if direction not in ("from", "to"):
        raise ValueError(f"direction must be from or to: got {str(direction)[:40]!r}.")


@dataclass(frozen=True)
class View:
    """Which maps a figure shows.

    Attributes:
        method: A name in `METHODS`, shown large; if None, the map of `layer` and `head` is.
        layer: From 0, or None for the mean of all.
        head: From 0, or None for the mean of all.
        patches: Who is asked, positions in reading order from 0; empty for the class token.
        direction: What they look at ("from"), or what looks at them ("to").
        target: The class that a class-specific method explains, or two ("the first rather than the second"); None for
            the predicted one.
    """

    method: str | None = None
    layer: int | None = None
    head: int | None = None
    patches: tuple[int, ...] = ()
    direction: Literal["from", "to"] = "from"
    target: Target | None = None

    def __post_init__(self) -> None:
        if self.method is not None and self.method not in METHODS:
            raise ValueError(f"There is no method {str(self.method)[:40]!r}. Use one of: {', '.join(METHODS)}.")
        check_direction(self.direction)

    def who(self, class_token: bool) -> str:
        """Who is asked, for a title, in a model with or without class token."""
        if not self.patches:
            return "the class token" if class_token else "the mean of the patches"
        return "one patch" if len(self.patches) == 1 else f"{len(self.patches)} patches"

    @property
    def title(self) -> str:
        """What the large map is; layers and heads count from 1."""
        if self.method is not None:
            return METHODS[self.method].title
        layer = "mean of layers" if self.layer is None else f"layer {self.layer + 1}"
        head = "mean of heads" if self.head is None else f"head {self.head + 1}"
        return f"{layer}, {head}".capitalize()

    def matrix_title(self, class_token: bool) -> str:
        """What the small maps are, in a model with or without class token."""
        who = self.who(class_token)
        if self.direction == "from":
            return f"Where {who} look{'s' if len(self.patches) < 2 else ''}: all layers and heads, one scale"
        return f"What looks at {who}: all layers and heads, one scale"


@dataclass(frozen=True)
class Explanation:
    """What a model saw in one image.

    Attributes:
        checkpoint: Name of the model.
        image: The image, and what the model saw of it.
        labels: K class names.
        probabilities: (K,), of sum 1.
        attention: (L, A, T, T), after the softmax; queries before keys, each row of sum 1, or 0 for patches left out.
            Read-only, as all maps are computed from it.
        grid: Rows and columns of patches (gh, gw).
        prefix: Tokens before the first patch, class token first (R).
        case: The image in the model as they are, for what needs more than this one pass.
        changes: What was switched off or taken away, in words; heads that are off are NaN in `attention`.
        name: What the image is called, for the figure's footer; empty if nobody said.
    """

    checkpoint: str
    image: PreprocessedImage
    labels: list[str]
    probabilities: NDArray[np.float32]
    attention: NDArray[np.float32]
    grid: tuple[int, int]
    prefix: int
    case: ForwardContext
    changes: str = ""
    name: str = ""

    @property
    def methods(self) -> dict[str, Method]:
        """The methods that can be asked of this model."""
        return methods_for(self.case.config)

    @property
    def there(self) -> NDArray[np.bool_]:
        """Which tokens reached the network, (T,): not those of patches that were left out, which look at nothing."""
        return np.asarray((self.attention > 0).any((0, 1, 3)))

    @property
    def rows(self) -> NDArray[np.float32]:
        """The class token's row of each head over all tokens, or in a model without one the mean of the patches' rows.

        Returns:
            (L, A, T), each row of sum 1: patches that are left out are not asked.
        """
        weights = asking(self.case) * self.there  # (T,)
        return weights / weights.sum() @ self.attention

    @property
    def cls_rows(self) -> NDArray[np.float32]:
        """The class token's row of each head over all tokens, (L, A, T).

        Raises:
            ValueError: If the model has no class token.
        """
        if not self.case.config.class_token:
            raise ValueError(f"{self.checkpoint} has no class token. Use rows, where all patches are asked alike.")
        return self.rows

    @property
    def cls_maps(self) -> NDArray[np.float32]:
        """The class token's row of each head over the patches, (L, A, gh, gw)."""
        return self.cls_rows[..., self.prefix :].reshape(*self.attention.shape[:2], *self.grid)

    @property
    def average(self) -> NDArray[np.float32]:
        """Mean of `cls_maps` over layers and heads, (gh, gw); without class token, of all patches' maps."""
        return self.map("average")

    def map(self, method: str, target: TargetLike | None = None) -> NDArray[np.float32]:
        """Compute a map.

        Args:
            method: A name in `METHODS`; its function's docstring says what the numbers mean.
            target: The class that a class-specific method explains, by position or name, or two of them ("the first
                rather than the second"); None for the predicted one. Other methods ignore it.

        Returns:
            (gh, gw).

        Raises:
            ValueError: If there is no such method or class.
        """
        if not isinstance(method, str) or method not in METHODS:
            raise ValueError(f"There is no method {str(method)[:40]!r}. Use one of: {', '.join(METHODS)}.")
        chosen = self.target(target)
        if (method, chosen) not in self.case.maps:
            self.case.maps[method, chosen] = METHODS[method].compute(self.case, chosen)
        return self.case.maps[method, chosen].reshape(self.grid).copy()

    def target(self, wanted: TargetLike | None = None) -> Target:
        """The class, or pair of classes, by position; the predicted one if none is wanted.

        Raises:
            ValueError: If there is no such class.
        """
        if wanted is None:
            return int(self.probabilities.argmax())
        if isinstance(wanted, tuple | list) and len(wanted) == 2 and None not in wanted:
            first, second = (self.target(one) for one in wanted)
            if isinstance(first, int) and isinstance(second, int) and first != second:
                return first, second
        elif isinstance(wanted, str) and wanted in self.labels:
            return self.labels.index(wanted)
        elif is_whole(wanted) and 0 <= wanted < len(self.labels):
            return int(wanted)
        known = ", ".join(self.labels[:20])
        raise ValueError(
            f"target must be a class, 0 to {len(self.labels) - 1} or one of {known}, or two different ones: got "
            f"{str(wanted)[:40]!r}."
        )

    def maps_of(self, patches: tuple[int, ...] = (), direction: str = "from") -> NDArray[np.float32]:
        """What some patches look at, or what looks at them, in each head.

        Args:
            patches: Positions in reading order from 0; several are averaged, without those left out; empty for the
                class token, or for all patches in a model without one.
            direction: "from" takes rows of the attention, "to" its columns.

        Returns:
            (L, A, gh, gw). Rows are shares; columns have no fixed sum; 0 if all who are asked are left out.

        Raises:
            ValueError: If a patch is outside the grid, or there is no such direction.
        """
        check_direction(direction)
        rows, columns = self.grid
        is_list = isinstance(patches, Sequence | np.ndarray)
        is_there = is_list and all(is_whole(patch) and 0 <= patch < rows * columns for patch in patches)
        if not is_there or len(set(patches)) < len(patches):
            raise ValueError(f"Patches must be different numbers from 0 to {rows * columns - 1}: got {patches!s:.40}.")
        tokens = [self.prefix + patch for patch in patches] or np.flatnonzero(asking(self.case)).tolist()
        tokens = [token for token, is_there in zip(tokens, self.there[tokens], strict=True) if is_there] or tokens
        asked = self.attention if direction == "from" else self.attention.swapaxes(-2, -1)  # (L, A, T, T)
        return asked[:, :, tokens, self.prefix :].mean(2).reshape(*asked.shape[:2], rows, columns)

    def figure(self, view: View = View()) -> "Figure":
        """Draw the image, a map, all layers and heads on one scale, and the prediction.

        Raises:
            ValueError: If the view names a layer, head or patch that is not there.
        """
        from vitviz.plots import figures

        for name, value, count in zip(("layer", "head"), (view.layer, view.head), self.attention.shape, strict=False):
            if value is not None and (not is_whole(value) or not 0 <= value < count):
                raise ValueError(f"{name} must be from 0 to {count - 1}: got {str(value)[:40]!r}.")

        left = self.there[self.prefix :].reshape(self.grid)
        maps = np.where(left, self.maps_of(view.patches, view.direction), np.float32(np.nan))  # (L, A, gh, gw)
        layers, heads = slice(view.layer, None if view.layer is None else view.layer + 1), view.head
        chosen = maps[layers] if heads is None else maps[layers, heads : heads + 1]
        large = mean_of_heads(chosen) if view.method is None else self.map(view.method, view.target)
        chart = figures.Chart(
            image=np.asarray(self.image.model_input),
            title=self.title(view) + (", without the changes" if view.method is not None and self.changes else ""),
            large=large,
            unit="shares" if view.method is None else METHODS[view.method].unit,
            maps=maps,
            matrix_title=view.matrix_title(self.case.config.class_token),
            labels=self.labels,
            probabilities=self.probabilities if self.case.checkpoint.is_classifier else None,
            asked=view.patches,
            of_asked=view.method is None,
            beside=self.beside(view, large, maps),
            footer="; ".join(filter(None, (self.name, f"{self.checkpoint}: {self.image.note}", self.changes))),
        )
        return figures.draw(chart)

    def beside(self, view: View, large: NDArray[np.float32], maps: NDArray[np.float32]) -> tuple[str, str]:
        """What goes to no patch: of a large map (gh, gw) and of all (L, A, gh, gw), in words, where they are shares."""
        config = self.case.config
        tokens = " and ".join(["the class token"] * config.class_token + ["registers"] * bool(config.reg_tokens))
        if not tokens or not np.nansum(maps):
            return "", ""
        rest = np.where(np.isnan(maps).all((2, 3)), 0, 1 - np.nansum(maps, (2, 3)))  # (L, A)
        layer, head = np.unravel_index(rest.argmax(), rest.shape)
        of_all = f"up to {100 * rest.max():.1f} % goes to {tokens}: layer {layer + 1}, head {head + 1}"
        of_large = f"{100 * (1 - np.nansum(large)):.1f} % goes to {tokens}"
        is_row = view.direction == "from"
        shares = is_row if view.method is None else METHODS[view.method].shares
        return of_large if shares else "", of_all if is_row else ""

    def title(self, view: View) -> str:
        """What the large map is, and for a class-specific method which class it explains."""
        if view.method is None:
            return view.title
        explained = f" for {', not '.join(self.names(view.target))}" if METHODS[view.method].class_specific else ""
        return f"{view.title}{explained}"

    def names(self, wanted: TargetLike | None) -> list[str]:
        """Of the class, or the two classes, that are explained; arguments and errors as for `target`."""
        target = self.target(wanted)
        return [self.labels[k] for k in (target if isinstance(target, tuple) else (target,))]

    def save(self, path: str | Path, method: str = "average", target: TargetLike | None = None) -> None:
        """Write the figure (.png, .svg, .pdf, .html) or the numbers (.npz), by the file's ending.

        The .npz holds `labels` (K,), `probabilities` (K,), `attention` (L, A, T, T) with the `prefix` of tokens before
        the patches, `cls_maps` (L, A, gh, gw) if there is a class token, the maps (gh, gw) of all methods by name, that
        of "attention" as `last_layer`, the names of the classes that they explain as `target`, `image` (H, W, 3) as
        it was seen, and as texts `checkpoint`, `note` (what became of the image) and `changes`.

        Args:
            path: Where to.
            method: The map shown large.
            target: The class that class-specific methods explain, as for `map`.

        Raises:
            ValueError: If the ending is another one, or there is no such method or class.
        """
        chosen = self.target(target)
        self.map(method, chosen)
        export(path, lambda: self.arrays(chosen), lambda: self.figure(View(method, target=chosen)))

    def arrays(self, target: Target | None = None) -> dict[str, NDArray[np.generic]]:
        """All numbers by name, as `save` writes them."""
        maps = {method: self.map(method, target) for method in self.methods if method != "attention"}
        if self.case.config.class_token:
            maps["cls_maps"] = self.cls_maps
        return {
            "labels": np.array(self.labels),
            "probabilities": self.probabilities,
            "attention": self.attention,
            "last_layer": self.map("attention"),
            "prefix": np.array(self.prefix),
            "target": np.array(self.names(target)),
            "image": np.asarray(self.image.model_input),
            "checkpoint": np.array(self.checkpoint),
            "note": np.array(self.image.note),
            "changes": np.array(self.changes),
            **maps,
        }


def explain(model: Checkpoint, image: ImageSource) -> Explanation:
    """Predict an image and keep what every layer and head looked at.

    Args:
        model: From `vitviz.load`.
        image: A path, a PIL image, or an array (H, W, 3) of uint8. It is cropped and resized as `Image.note` says.

    Raises:
        vitviz.data.preprocessing.ImageError: If it is not an acceptable image.
        ValueError: If the first argument is no checkpoint, or its network has no attention.
    """
    if not isinstance(model, Checkpoint):
        raise ValueError(f"The first argument must be what vitviz.load returns: got {type(model).__name__}.")
    config = model.network.config
    fitted = preprocess(image, config.img_size)
    case = ForwardContext(model, model.normalize(to_tensor(fitted.model_input)[None])[0])
    return Explanation(
        checkpoint=model.name,
        image=fitted,
        labels=list(model.labels),
        probabilities=softmax(case.logits),
        attention=case.attention,
        grid=config.grid_size,
        prefix=config.num_prefix_tokens,
        case=case,
    )


def mean_of_heads(maps: NDArray[np.float32]) -> NDArray[np.float32]:
    """Mean of maps (L, A, gh, gw) over the layers and heads that are not off (NaN) -> (gh, gw); NaN if all are."""
    return np.ma.masked_invalid(maps).mean((0, 1)).filled(np.nan).astype(np.float32)
