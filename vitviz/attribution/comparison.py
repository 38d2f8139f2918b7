"""Comparisons of two maps and two predictions: one scale, differences, and rank correlation.

A side is a map and a prediction: of an image in a model, of a state of an ablation, or of a snapshot of a training.
Maps of the same quantity share one scale; those of different quantities are compared relative to their own maxima.
Sentences count layers, heads, rows and columns from 1.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from vitviz.attribution import code, file_formats, provenance
from vitviz.attribution.ablation import describe_ablations
from vitviz.attribution.code import COMPARED
from vitviz.attribution.faithfulness import rank_correlation
from vitviz.attribution.features import PatchPCA
from vitviz.attribution.file_formats import Output
from vitviz.attribution.methods import METHODS
from vitviz.attribution.provenance import Panel, Provenance, Shown
from vitviz.attribution.view_maps import create_view, kept_patches, map_of, method_of, title_of, why_empty
from vitviz.errors import ConfigError, InvalidValueError
from vitviz.models.labels import distinct_names
from vitviz.plots import formatting
from vitviz.plots.scales import Scale, is_flat, method_scale
from vitviz.view import View

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from vitviz.attribution.explanation import Explanation

Array = NDArray[np.float32]
Unit = Literal["weights", "logits", "relative", "cosine", "colors"]
ATTENTION, SIMILARITY, FEATURES = "attention weight", "similarity", "features"  # quantities besides the methods
ALIGNED = "Red, green and blue are principal components; those of B are rotated onto those of A, so that colors agree."
MIN_RANKED = 3  # patches; fewer have no meaningful rank correlation


@dataclass(frozen=True)
class ComparedClass:
    """A class that both sides predict, and its probabilities."""

    name: str
    a: float
    b: float

    @property
    def points(self) -> float:
        """Change from A to B in percentage points, between the numbers as printed."""
        return (formatting.rounded(1000 * self.b) - formatting.rounded(1000 * self.a)) / 10


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a map and a prediction.

    Attributes:
        title: What the map shows ("Layer 5, head 3", "Relevance for cat").
        quantity: What the values measure; maps of the same quantity share a scale.
        unit: Of the values: attention weights, logits, cosine similarity, or relative to the largest patch; "colors"
            for features, which have no values.
        values: The map, (gh, gw).
        kept: Mask of the patches with a value, (gh, gw): not removed; all False for an ablated head.
        num_tokens: Tokens of the model (T).
        model: Its name.
        layers: Its number of layers.
        image: The model input, (H, W, 3) uint8.
        image_name: Name of the image.
        labels: Names of the classes, (K,).
        probabilities: Their probabilities, (K,); None for a model that predicts no class.
        changes: Description of the ablation; empty without one.
        snapshot: Name of the snapshot of a training; empty without one.
        shown: Returns where the side comes from; weights are hashed only then.
        pca: The patch tokens along their principal components, of features.
        why_empty: Why a head has no map: "ablated" or "absent"; empty if it has one.
    """

    title: str
    quantity: str
    unit: Unit
    values: Array
    kept: NDArray[np.bool_]
    num_tokens: int
    model: str
    layers: int
    image: NDArray[np.uint8]
    image_name: str = ""
    labels: tuple[str, ...] = ()
    probabilities: Array | None = None
    changes: str = ""
    snapshot: str = ""
    shown: Callable[[], Shown] | None = None
    pca: PatchPCA | None = None
    why_empty: str = ""

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of patches (gh, gw)."""
        rows, columns = self.values.shape
        return rows, columns


@dataclass(frozen=True)
class Comparison:
    """Two sides, A and B, and what they differ in.

    Attributes:
        a: The first side.
        b: The second side.
        query: The query patches of both maps, positions in reading order from 0; empty for the class token.
    """

    a: Side
    b: Side
    query: tuple[int, ...] = ()

    @property
    def names(self) -> tuple[str, str]:
        """What distinguishes the sides: model, image, snapshot, ablation and title, where they differ."""
        differing = [
            (getattr(self.a, name) or otherwise, getattr(self.b, name) or otherwise)
            for name, otherwise in (
                ("model", "a model"),
                ("image_name", "an image"),
                ("snapshot", "the final model"),
                ("changes", "unchanged"),
                ("title", ""),
            )
            if getattr(self.a, name) != getattr(self.b, name)
        ]
        if not differing:
            return "A", "B"
        first, second = (", ".join(names) for names in zip(*differing, strict=True))
        return first, second

    @property
    def has_same_grid(self) -> bool:
        """Whether both maps have the same patches, so that there is a difference."""
        return self.a.grid == self.b.grid

    @property
    def has_same_quantity(self) -> bool:
        """Whether the values of both maps measure the same."""
        return self.a.quantity == self.b.quantity

    @cached_property
    def colors(self) -> tuple[Array, Array] | None:
        """Of features, the colors of both sides, (gh, gw, 3) each, those of B aligned to A's; NaN without a value."""
        if self.a.pca is None or self.b.pca is None:
            return None
        return self.a.pca.rgb, self.b.pca.aligned_rgb(self.a.pca)

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """Mask of the patches with a value in both maps of one grid, (gh, gw)."""
        return self.a.kept & self.b.kept

    @property
    def kept_in_both(self) -> bool:
        """Whether any patch has a value in both maps, which have the same grid."""
        return self.has_same_grid and bool(self.kept.any())

    @cached_property
    def scale(self) -> Scale:
        """The scale of both `maps`."""
        if not self.has_same_quantity:
            what = "each map relative to its own largest magnitude"
            kind: Literal["signed", "linear"] = "signed" if self.is_signed else "linear"
            return Scale(kind, 1.0, is_weight=False, quantity=what)
        if self.a.unit == "logits" or self.a.quantity == "text_similarity":
            return method_scale(np.array([self.largest]), self.a.unit)
        if self.a.unit == "cosine":
            return Scale("signed", 1.0, is_weight=False, quantity="cosine similarity of tokens")
        if self.a.unit in ("relative", "colors"):  # colors have none
            return Scale("linear", 1.0, is_weight=False, quantity="relative to the maximum of both maps")
        if self.a.num_tokens != self.b.num_tokens:
            return Scale("uniform", 1.0)
        return Scale("linear", self.largest, quantity="attention weight, one scale for both maps")

    @property
    def is_signed(self) -> bool:
        """Whether a map has values on both sides of 0."""
        return not {self.a.unit, self.b.unit}.isdisjoint({"logits", "cosine"})

    @cached_property
    def largest(self) -> float:
        """Largest magnitude of both maps; 1 if all values are 0."""
        return max(magnitude(self.a), magnitude(self.b)) or 1.0

    @cached_property
    def maps(self) -> tuple[Array, Array]:
        """Both maps on `scale`, (gh, gw) each; NaN for patches without a value."""
        if not self.has_same_quantity:
            factors = [1 / (magnitude(side) or 1.0) for side in (self.a, self.b)]
        elif self.a.unit == "relative":
            factors = [1 / self.largest] * 2
        elif self.scale.kind == "uniform":
            factors = [self.a.num_tokens, self.b.num_tokens]
        else:
            factors = [1.0, 1.0]
        first, second = (
            np.where(side.kept, side.values * np.float32(factor), np.float32(np.nan))
            for side, factor in zip((self.a, self.b), factors, strict=True)
        )
        return first, second

    @cached_property
    def difference(self) -> Array | None:
        """B minus A of `maps`, (gh, gw), NaN for patches without a value in one of them; None if the grids differ.

        Features have none, either.
        """
        return self.maps[1] - self.maps[0] if self.has_same_grid and self.colors is None else None

    @property
    def points(self) -> Array | None:
        """`difference` as it is shown: of attention weights in percentage points."""
        is_weight = self.scale.kind == "linear" and self.scale.is_weight
        return None if self.difference is None else self.difference * np.float32(100 if is_weight else 1)

    @property
    def difference_scale(self) -> Scale:
        """The scale of `points`, symmetric about 0."""
        limit = 0.0 if self.points is None or not self.kept_in_both else float(np.nanmax(np.abs(self.points)))
        return Scale("signed", limit or 1.0, is_weight=False, quantity=f"B − A, {self.difference_unit}")

    @property
    def difference_unit(self) -> str:
        """Unit of `points`."""
        if not self.has_same_quantity:
            return "of maps relative to their own largest magnitude"
        if self.scale.kind == "uniform":
            return "multiples of uniform attention"
        units = {"weights": "percentage points", "logits": "logits", "cosine": "cosine similarity"}
        return units.get(self.a.unit, "relative to the maximum of both maps")

    @cached_property
    def rank_correlation(self) -> float | None:
        """Spearman correlation of both maps over the patches with a value in both, in -1..1.

        None if the grids differ, a map has the same value for all of them, or fewer than three are left.
        """
        if not self.has_same_grid or self.kept.sum() < MIN_RANKED:
            return None
        first, second = (side.values[self.kept] for side in (self.a, self.b))
        return None if is_flat(first) or is_flat(second) else rank_correlation(first, second)

    @cached_property
    def classes(self) -> list[ComparedClass]:
        """The classes of both sides by name, with their probabilities, the largest first."""
        first, second = self.a.probabilities, self.b.probabilities
        if first is None or second is None:
            return []
        if self.a.labels == self.b.labels:
            pairs = [(k, k) for k in range(len(self.a.labels))]
        else:
            places = [unique_places(side.labels) for side in (self.a, self.b)]
            pairs = [(k, places[1][name]) for name, k in places[0].items() if name in places[1]]
        names = distinct_names(self.a.labels)
        found = [ComparedClass(names[i], float(first[i]), float(second[j])) for i, j in pairs]
        return sorted(found, key=lambda one: -max(one.a, one.b))

    @property
    def total_variation(self) -> float | None:
        """Half of the sum of |B − A| over the probabilities of all classes, in 0..1; None if the labels differ."""
        if self.a.labels != self.b.labels or not self.classes:
            return None
        return sum(abs(one.b - one.a) for one in self.classes) / 2

    @property
    def most_changed(self) -> int | None:
        """Position of the largest difference, in reading order from 0; None without a difference."""
        if self.difference is None or not self.kept_in_both or not np.nanmax(np.abs(self.difference)):
            return None
        return int(np.nanargmax(np.abs(self.difference)))

    # Sentences

    @property
    def headline(self) -> str:
        """State how the maps differ."""
        name = f"{self.names[0]} against {self.names[1]}"
        if self.a.title == self.b.title:
            name = f"{self.a.title}, {name}"
        if not self.kept_in_both:
            return f"{name}: side by side"
        if self.most_changed is None:
            return f"{name}: the maps are equal"
        place = f"largest difference at {formatting.patch_name(self.most_changed, self.a.grid[1])}"
        if self.rank_correlation is None:
            return f"{name}: {place}"
        return f"{name}: rank correlation {formatting.written(self.rank_correlation, 2)}; {place}"

    @property
    def notes(self) -> list[str]:
        """State what is compared and what is not, where the sides differ in kind."""
        return list(self._notes())

    def _notes(self) -> Iterator[str]:
        a, b = self.a, self.b
        if self.colors is not None:
            yield ALIGNED
        elif not self.has_same_grid:
            sizes = " and ".join(f"{rows} × {columns}" for rows, columns in (a.grid, b.grid))
            yield f"The grids differ, {sizes} patches: the maps are side by side, without difference and correlation."
        if a.layers != b.layers and ATTENTION in (a.quantity, b.quantity):
            yield f"The models have {a.layers} and {b.layers} layers: {lower(a.title)} of A, {lower(b.title)} of B."
        if not self.has_same_quantity:
            yield f"{a.title} and {b.title} measure different quantities: each map is relative to its own maximum."
        elif self.scale.kind == "uniform":
            yield f"The models have {a.num_tokens} and {b.num_tokens} tokens: weights are given relative to uniform."
        for letter, side in zip("AB", (a, b), strict=True):
            if side.why_empty:
                yield f"{side.title} is {side.why_empty} in {letter}: it has no map there."
        without = next((side for side in (a, b) if side.probabilities is None), None)
        if without is not None:
            yield f"{without.model} predicts no class: predictions are not compared."
        elif not self.classes:
            yield "The models have no class in common: predictions are not compared."
        elif a.labels != b.labels:
            rest = [len(side.labels) - len(self.classes) for side in (a, b)]
            shared = formatting.counted(len(self.classes), "class", "classes")
            yield f"The models share {shared}, which are compared; {rest[0]} of A and {rest[1]} of B are not."

    # Files

    def arrays(self) -> dict[str, Any]:
        """Return the numbers by name, as `save` writes them."""
        found: dict[str, Any] = {"names": np.array(self.names), "headline": np.array(self.headline)}
        for letter, side, values in zip("ab", (self.a, self.b), self.maps, strict=True):
            found |= {f"{letter}_{name}": np.array(getattr(side, name)) for name in ("title", "model", "image_name")}
            found |= {f"{letter}_map": side.values, f"{letter}_scaled": values, f"{letter}_image": side.image}
            if side.probabilities is not None:
                found |= {f"{letter}_labels": np.array(side.labels), f"{letter}_probabilities": side.probabilities}
        if self.colors is not None:
            found |= {"a_colors": self.colors[0], "b_colors": self.colors[1]}
        if self.difference is not None:
            correlation = np.nan if self.rank_correlation is None else self.rank_correlation
            found |= {"difference": self.difference, "rank_correlation": np.array(correlation)}
        return found | {"notes": np.array(self.notes)}

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield the numbers as rows of a table: quantity, name, layer, head, row, column, value."""
        a, b = self.a.title, self.b.title
        for letter, title, colors in zip("AB", (a, b), self.colors or (), strict=False):
            for (row, column, channel), value in np.ndenumerate(colors):
                yield f"{('red', 'green', 'blue')[channel]} {letter}", title, "", "", row + 1, column + 1, value
        maps = [("map A", a, self.a.values), ("map B", b, self.b.values)]
        maps += [("map A on the common scale", a, self.maps[0]), ("map B on the common scale", b, self.maps[1])]
        maps += [] if self.difference is None else [("B - A on the common scale", "", self.difference)]
        for quantity, title, values in maps if self.colors is None else ():
            for (row, column), value in np.ndenumerate(values):
                yield quantity, title, "", "", row + 1, column + 1, value
        if self.rank_correlation is not None:
            yield "rank correlation", "", *[""] * 4, self.rank_correlation
        for one in self.classes:
            yield "probability A", one.name, *[""] * 4, one.a
            yield "probability B", one.name, *[""] * 4, one.b

    def figure(self) -> "Figure":
        """Draw both maps on one scale, and their difference if their grids are equal."""
        from vitviz.plots.figures import Map, draw_comparison

        first, second = (
            Map(f"{letter}: {name}" + f"\n{side.title}" * (side.title not in name), values, self.scale)
            for letter, name, side, values in zip(
                "AB", self.names, (self.a, self.b), self.colors or self.maps, strict=True
            )
        )
        third = None if self.points is None else Map("B − A", self.points, self.difference_scale)
        aspects = [side.image.shape[1] / side.image.shape[0] for side in (self.a, self.b)]
        return draw_comparison(first, second, third, (aspects[0], aspects[1]), self.headline, self.query)

    def provenance(self, panels: tuple[Panel, ...] = (), numbers: bool = False) -> Provenance | None:
        """Return where both sides come from, if that is known.

        Args:
            panels: The maps and images of a figure.
            numbers: Whether the file is a figure, which states the numbers behind it.
        """
        if self.a.shown is None or self.b.shown is None:
            return None
        return provenance.of_comparison(self.a.shown(), self.b.shown(), panels, self.arrays() if numbers else None)

    def save(self, path: Output) -> Path | Output:
        """Write the figure (.png, .svg, .pdf, .jpg), the arrays (.npz) or a table (.csv), by the file's ending.

        The file carries the provenance of both sides.

        Returns:
            The path.

        Raises:
            ValueError: If the file has another ending.
        """
        stated = lambda panels: self.provenance(panels, numbers=bool(panels))  # noqa: E731
        return file_formats.save(path, self.figure, self.arrays, self.rows, provenance=stated)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str | bytes]:
        """Show the figure in a notebook."""
        return {"image/png": file_formats.figure_bytes(self.figure(), ".png"), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"<Comparison: {self.headline}>"


def magnitude(side: Side) -> float:
    """Return the largest magnitude of a map, without removed patches."""
    return float(np.abs(side.values[side.kept]).max(initial=0))


def unique_places(labels: tuple[str, ...]) -> dict[str, int]:
    """Return the positions of the labels that occur once."""
    counts = Counter(labels)
    return {name: k for k, name in enumerate(labels) if counts[name] == 1}


def lower(title: str) -> str:
    """Return a title with a small first letter, within a sentence."""
    return title[:1].lower() + title[1:]


def compare(
    a: "Explanation",
    b: "Explanation",
    *,
    b_options: Mapping[str, Any] | None = None,
    **view: Any,
) -> Comparison:
    """Compare two maps and two predictions: two images, models, ablations, methods, classes, layers or heads.

    Args:
        a: The first explanation.
        b: The second one; the same one to compare two of its maps.
        b_options: The fields of `view` whose value is another one for `b`, by name: `{"head": 3}`.
        view: Fields of `vitviz.View`: `method`, or the `layer` and `head` of attention with its `query` and
            `direction`; the `target` of a class-specific method, by default the class that each side predicts, without
            ablation. With the direction "similar" the maps are the cosine similarity of the token of `query`, one patch
            of `a`, in `layer`, by default the last one, with the patch tokens of `a` and of `b`, by the same model.
            With `content="features"` the patch tokens of a layer as colors, of one image in two models, layers or
            ablations.

    Returns:
        `.difference` (gh, gw), `.rank_correlation`, `.classes` with both probabilities, `.figure()` and `.save(path)`.

    Raises:
        ConfigError: If a method, layer, head, patch, class or field does not exist.
        ValueError: If the models differ where tokens are compared.

    Examples:
        >>> import vitviz
        >>> cat = vitviz.explain(vitviz.load("cifar10-ti4"), "cat")
        >>> vitviz.compare(cat, cat, method="average", b_options={"method": "rollout"}).rank_correlation > 0
        True
    """
    for name in (*view, *(b_options or {})):
        if name not in COMPARED:
            raise ConfigError(name, "is not compared", f"Use {', '.join(COMPARED)}.")
    first, second = create_view(a, **view), create_view(b, **view | dict(b_options or {}))
    if (first.content == "features") != (second.content == "features"):
        raise ConfigError("content", "must be features of both sides, or of none")
    for one in (first, second):
        if one.content in ("contributions", "patching"):
            raise InvalidValueError("content", "attention, method or features", one.content)
    return Comparison(side(a, first), side(b, second, a), first.query if first.query == second.query else ())


def side(explanation: "Explanation", view: View, a: "Explanation | None" = None) -> Side:
    """Return the side of a view: a method's map, the attention of a head or mean, or the similarity to a patch.

    Args:
        explanation: The explanation.
        view: The view.
        a: The image of the patch of a similarity, by the same model; None for the same image.

    Raises:
        ConfigError: If a method, layer, head, patch or class does not exist.
        ValueError: As of `Explanation.similarity`.
    """
    if view.content == "features":
        return features_side(explanation, view, a or explanation)
    if method_of(view) is None and view.direction == "similar":
        return similarity_side(explanation, view, a or explanation)
    values, title, kept = map_of(explanation, view), title_of(explanation, view), kept_patches(explanation)
    if (method := method_of(view)) is None:
        why = why_empty(explanation, view)
        found = create_side(explanation, view, title, ATTENTION, "weights", values, kept & (not why))
        return replace(found, why_empty=why)
    unit = METHODS[method].unit
    quantity = ATTENTION if unit == "weights" else method
    return create_side(explanation, view, title, quantity, unit, values, kept)


def similarity_side(explanation: "Explanation", view: View, a: "Explanation") -> Side:
    """Return the side of the cosine similarity of a patch of `a` with the patches of an explanation."""
    if len(view.query) != 1:
        raise ConfigError("query", "must be one patch, whose similarity is compared")
    (patch,) = view.query
    layer = view.layer if isinstance(view.layer, int) else explanation.context.layers_and_heads[0] - 1
    values = a.similarity(layer, patch, explanation)
    title = f"Layer {layer + 1}, similarity to {formatting.patch_name(patch, a.context.grid[1])} of A"
    return create_side(explanation, view, title, SIMILARITY, "cosine", values, kept_patches(explanation))


def features_side(explanation: "Explanation", view: View, a: "Explanation") -> Side:
    """Return the side of the features of a layer as colors; `a` is side A, of the same image."""
    # A sample has another drawing for large models
    if explanation.origin != a.origin and explanation.image.sha256 != a.image.sha256:
        hint = "Use `vitviz.contact_sheet`, which has one basis for several images of a model."
        raise ConfigError(
            "content", "must not be features for two images: colors are aligned by the places of one", hint
        )
    layer = view.layer if isinstance(view.layer, int) else explanation.context.layers_and_heads[0] - 1
    pca = explanation.pca(layer, view.foreground)
    nothing = np.zeros(explanation.context.grid, np.float32)
    title = f"Layer {layer + 1}, features"
    found = create_side(explanation, view, title, FEATURES, "colors", nothing, np.zeros(nothing.shape, bool))
    return replace(found, pca=pca)


def create_side(
    explanation: "Explanation",
    view: View,
    title: str,
    quantity: str,
    unit: Unit,
    values: Array,
    kept: NDArray[np.bool_],
) -> Side:
    """Return a side with the model, the image and the prediction of an explanation."""
    checkpoint = explanation.context.checkpoint
    return Side(
        title=title,
        quantity=quantity,
        unit=unit,
        values=values,
        kept=kept,
        num_tokens=explanation.context.config.num_tokens,
        model=checkpoint.name,
        layers=explanation.context.layers_and_heads[0],
        image=np.asarray(explanation.image.model_input),
        image_name=explanation.name or code.image_name(explanation.origin),
        labels=tuple(explanation.labels),
        probabilities=explanation.probabilities if checkpoint.is_classifier else None,
        changes=describe_ablations(explanation.ablations),
        shown=lambda: provenance.describe_shown(explanation, view),
    )
