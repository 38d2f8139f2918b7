"""The contact sheet of several images: one head, method or feature of one model, on one scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vitviz.attribution.code import image_name
from vitviz.attribution.features import PatchBasis, check_same_model, fit_basis
from vitviz.attribution.figure import map_with_scale, query_text
from vitviz.attribution.methods import METHODS
from vitviz.attribution.view_maps import Array, create_view, method_of, shows_pixels, title_of
from vitviz.errors import ConfigError, InvalidValueError
from vitviz.models.checkpoint import Checkpoint
from vitviz.plots import formatting
from vitviz.plots.contact_sheet import Tile, draw_contact_sheet, joint_scale
from vitviz.plots.scales import Scale
from vitviz.view import View

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from vitviz.attribution.explanation import Explanation

DRAWN = ("attention", "method", "features")
NOT_DRAWN = ("smooth", "outlines", "truth", "lens", "other")
WIDTH = 10.0  # inches


def contact_sheet(
    explanations: "Sequence[Explanation]", *, basis: PatchBasis | None = None, width: float = WIDTH, **view: Any
) -> "Figure":
    """Draw several images in one model, each beside its map, on one scale.

    Args:
        explanations: From `vitviz.explain`, by one model.
        basis: For `content="features"`, components that were computed before; None for those of these images.
        width: Of the figure, 1 to 40 inches.
        view: Fields of `vitviz.View`, as for `Explanation.figure`; with `content="features"`, the patch tokens of a
            layer as colors, in one basis for all images: equal tokens have equal colors.

    Raises:
        ConfigError: As of `Explanation.figure`.
        ValueError: If there is no explanation, or the models differ.
    """
    if not explanations:
        raise ValueError("A contact sheet needs the explanation of at least one image: got none.")
    if not 1 <= width <= 40:
        raise InvalidValueError("width", "from 1 to 40 inches", width)
    if name := next((name for name in view if name in NOT_DRAWN), None):
        raise ConfigError(name, "is not drawn on a contact sheet", "Leave it out.")
    first, *others = explanations
    for other in others:
        check_same_model(first.context, other.context)
    views = [create_view(one, **view) for one in explanations]
    check_drawn(views[0])
    sheet = Sheet.of(explanations, views[0], basis)
    title = f"{first.context.checkpoint.name}: {sheet.title}"
    return draw_contact_sheet(sheet.tiles, sheet.scale, title, sheet.note, width)


def check_drawn(view: View) -> None:
    """Raise ConfigError for a view that has no contact sheet."""
    if view.content not in DRAWN:
        raise InvalidValueError("content", f"one of {', '.join(DRAWN)} on a contact sheet", view.content)
    if view.direction == "similar":
        raise InvalidValueError("direction", "from or to on a contact sheet", view.direction)


@dataclass(frozen=True)
class Sheet:
    """What a contact sheet shows.

    Attributes:
        tiles: The images with their maps or colors.
        scale: Of all maps; None if each has its own, and for colors.
        title: What the maps are.
        note: What the colors are, or the source of the weights.
    """

    tiles: list[Tile]
    scale: Scale | None
    title: str
    note: str

    @classmethod
    def of(cls, explanations: "Sequence[Explanation]", view: View, basis: PatchBasis | None = None) -> "Sheet":
        """Return the contact sheet of a view of images in one model."""
        first = explanations[0]
        if view.content != "features":
            return cls.of_maps([map_tile(one, view) for one in explanations], first, view)
        layer = view.layer if isinstance(view.layer, int) else None
        basis = basis or fit_basis([one.context for one in explanations], layer, view.foreground)
        colors = [np.nan_to_num(one.pca(layer, basis=basis).rgb, nan=1) for one in explanations]  # without value: white
        tiles = [tile(one, values) for one, values in zip(explanations, colors, strict=True)]
        explained = formatting.percent(basis.explained.sum())
        note = f"{basis.description}: {explained} of the variance as red, green and blue"
        return cls(tiles, None, f"Features after layer {(basis.layer if layer is None else layer) + 1}", note)

    @classmethod
    def of_maps(cls, maps: Sequence[tuple[Tile, Scale]], explanation: "Explanation", view: View) -> "Sheet":
        """Return the contact sheet of what `map_tile` has returned; the explanation is that of any of the images."""
        scale = scale_of_set(view, [one for _, one in maps])
        return cls(
            [one for one, _ in maps], scale, title_of_set(explanation, view), explanation.context.checkpoint.credit
        )


def map_tile(explanation: "Explanation", view: View) -> tuple[Tile, Scale]:
    """Return an image with its map, and the scale that the map has alone."""
    shown = map_with_scale(explanation, view)
    return tile(explanation, shown.values), shown.scale


def tile(explanation: "Explanation", values: Array) -> Tile:
    """Return an image with a map or colors."""
    name = explanation.name or image_name(explanation.origin) or "Image"
    line = prediction_line(explanation.context.checkpoint, explanation.probabilities)
    return Tile(np.asarray(explanation.image.model_input), values, name, line)


def scale_of_set(view: View, scales: Sequence[Scale]) -> Scale | None:
    """Return the one scale of several maps of a view; None if the view gives each map its own."""
    return None if view.content == "attention" and view.scale == "map" else joint_scale(scales)


def title_of_set(explanation: "Explanation", view: View) -> str:
    """Return the title of the maps of several images: "Layer 5, head 2, from the class token"."""
    if (name := method_of(view)) is None:
        return f"{title_of(explanation, view)}, {query_text(explanation, view)}"
    if METHODS[name].class_specific and not view.target:
        return f"{METHODS[name].title} for the predicted class" + ", per pixel" * shows_pixels(view)
    return title_of(explanation, view)


def prediction_line(checkpoint: Checkpoint, probabilities: Array) -> str:
    """Name the most probable class and its probability; empty for a model that predicts no class."""
    if not checkpoint.is_classifier:
        return ""
    best = int(probabilities.argmax())
    return f"{checkpoint.labels[best]}, {formatting.percent(probabilities[best], 1)}"
