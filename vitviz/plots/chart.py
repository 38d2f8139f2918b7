"""The content of figures: maps, scales, marks, predictions and words, without a layout."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vitviz.plots.canvas import Box
from vitviz.plots.scales import Scale, map_scale


@dataclass(frozen=True)
class PredictedClass:
    """A class in the prediction; `before` is its probability before the ablation, if there is one."""

    name: str
    probability: float
    before: float | None = None
    is_true: bool = False
    is_explained: bool = False


@dataclass(frozen=True)
class MethodMap:
    """The map of an attribution method, (gh, gw), and its deletion score; None for a flat map."""

    key: str
    name: str
    group: Literal["agnostic", "class", "baseline"]
    values: NDArray[np.float32]
    scale: Scale
    score: float | None = None


@dataclass(frozen=True)
class Cells:
    """One number per layer and head, on a signed scale from -`limit` to `limit`.

    Attributes:
        values: (L, A).
        limit: End of the scale.
        chosen: Layer and head of the large map; None for another one.
        ablated: Mask of the heads without a number, (L, A).
        mlp: A number per MLP, (L,), in a last column; None for none.
        mlp_limit: End of the scale of `mlp`.
    """

    values: NDArray[np.float32]
    limit: float
    chosen: tuple[int, int] | None = None
    ablated: NDArray[np.bool_] | None = None
    mlp: NDArray[np.float32] | None = None
    mlp_limit: float = 1.0


@dataclass(frozen=True)
class Bars:
    """A sum in the order of its summands: the embedding, attention and MLP of each layer, and the biases.

    Attributes:
        embedding: First summand.
        attention: (L,).
        mlp: (L,).
        bias: Last summand.
        total: The sum.
        cells: A number per head, next to the bars of its layer.
    """

    embedding: float
    attention: NDArray[np.float32]
    mlp: NDArray[np.float32]
    bias: float
    total: float
    cells: Cells


@dataclass(frozen=True)
class Film:
    """A small map per layer, in colors.

    Attributes:
        frames: (L, gh, gw, 3) of uint8.
        texts: A short text per layer.
        chosen: The layer that is shown large.
    """

    frames: NDArray[np.uint8]
    texts: Sequence[str]
    chosen: int


@dataclass(frozen=True)
class Chart:
    """Content of a figure.

    Attributes:
        image: The model input, (H, W, 3) uint8.
        headline: What the large map shows, in one sentence.
        title: Title of the large map.
        large: The large map, (gh, gw).
        scale: Its scale.
        maps: Attention of all layers and heads, then their means, (L + 1, A + 1, gh, gw).
        scales: The scales of heads and of means; None if each map has its own, over its range.
        chosen: Row and column of the large map in `maps`; None if it is a method's.
        ablated: Mask of the ablated heads and means of them, (L + 1, A + 1).
        matrix_title: Title of `maps`.
        uniform: The weight of each token under uniform attention.
        query: The query patches, positions in reading order from 0; framed.
        dropped: Patches whose tokens are dropped.
        gray: Patches painted gray.
        prefix_line: Attention to the class token and registers, or another note on the large map.
        prefix_weight: Weight of the class token in the large map, drawn as a cell; None for none.
        truth: True label, or what the image shows; may be empty.
        prediction: The listed classes; empty for a model that predicts none.
        no_prediction: Why it predicts none, in a few words.
        effect: Lines about the effect of the ablation.
        methods: Maps of the attribution methods, for content "methods".
        target: Names of the explained class, and of the contrast class if there is one.
        random_baseline: Mean and standard deviation of the score of random rankings.
        method: The method shown large; None for attention.
        outlines: Outlines of the image, polylines (n, 2) from 0 to 1 across and down.
        outline_opacity: 0 for none.
        smooth: Whether maps are interpolated between the centers of patches.
        caption: Sentences: image, model, query, scale, ablation and preprocessing.
        link: Address of the view, as text; may be empty.
        colors: Colors of the large map in place of values on its scale, (gh, gw, 3) of uint8; None for values.
        pixels: The large map per pixel of the image, (H, W), shown in place of `large`; None for none.
        panel: What takes the place of the matrix, under the title `matrix_title`; None for the matrix.
        other: A second image, (H, W, 3) of uint8, shown below the first; None for none.
    """

    image: NDArray[np.uint8]
    headline: str
    title: str
    large: NDArray[np.float32]
    scale: Scale
    maps: NDArray[np.float32]
    scales: tuple[Scale, Scale] | None
    chosen: tuple[int, int] | None
    ablated: NDArray[np.bool_]
    matrix_title: str
    uniform: float
    query: tuple[int, ...] = ()
    dropped: tuple[int, ...] = ()
    gray: tuple[int, ...] = ()
    prefix_line: str = ""
    prefix_weight: float | None = None
    truth: str = ""
    prediction: Sequence[PredictedClass] = ()
    no_prediction: str = "trained without labels"
    effect: Sequence[str] = ()
    methods: Sequence[MethodMap] = ()
    target: Sequence[str] = ()
    random_baseline: tuple[float, float] = (0.0, 0.0)
    method: str | None = None
    outlines: Sequence[NDArray[np.float32]] = field(default=())
    outline_opacity: float = 0.0
    smooth: bool = False
    caption: Sequence[str] = ()
    link: str = ""
    colors: NDArray[np.uint8] | None = None
    pixels: NDArray[np.float32] | None = None
    panel: Cells | Bars | Film | None = None
    other: NDArray[np.uint8] | None = None

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of patches."""
        rows, columns = self.large.shape
        return rows, columns

    @property
    def is_kept(self) -> NDArray[np.bool_]:
        """Mask of the patches whose tokens are not dropped, (gh, gw)."""
        return ~np.isin(np.arange(self.large.size), self.dropped).reshape(self.grid)

    @property
    def aspect(self) -> float:
        """Width of the image divided by its height."""
        return self.image.shape[1] / self.image.shape[0]

    @property
    def large_is_ablated(self) -> bool:
        """Whether the large map is that of an ablated head, which has no values."""
        return self.chosen is not None and bool(self.ablated[self.chosen])

    def scale_of(self, layer: int, head: int) -> Scale:
        """Return the scale of a map by its row and column in `maps`."""
        if self.scales is None:
            return map_scale(self.maps[layer, head][self.is_kept])
        is_mean = layer == len(self.maps) - 1 or head == self.maps.shape[1] - 1
        return self.scales[is_mean]

    def box(self, left: float, top: float, side: float) -> Box:
        """Return the box of an image or map whose longer side is `side`."""
        return left, top, side * min(1, self.aspect), side / max(1, self.aspect)
