"""The figure of a view: one plain drawing for papers and scripts, with the numbers and scales of the page."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vitviz.attribution.ablation import describe_ablations
from vitviz.attribution.code import image_name
from vitviz.attribution.methods import METHODS
from vitviz.attribution.view_maps import (
    all_rows,
    attention_scales,
    create_view,
    kept_patches,
    map_of,
    over_patches,
    pixel_map_of,
    scale_of,
    shows_pixels,
    target_of,
    title_of,
    why_empty,
)
from vitviz.errors import ConfigError, InvalidValueError
from vitviz.plots import figures, formatting
from vitviz.plots.figures import Map, Matrix
from vitviz.view import View

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from vitviz.attribution.explanation import Explanation

NUMBERS = {"contributions": "ex.contributions()", "features": "ex.pca()", "patching": "vitviz.patch_activations"}
OTHERWISE = "for the numbers, or save the figure from the page."
NOT_DRAWN = ("outlines", "truth", "foreground", "lens", "other")


def draw(explanation: "Explanation", fields: dict[str, Any], width: float) -> "Figure":
    """Draw a view by its fields, as `Explanation.figure`.

    Raises:
        ConfigError: As of `create_view`, or for a field or value that this figure does not show.
    """
    if not 1 <= width <= 40:
        raise InvalidValueError("width", "from 1 to 40 inches", width)
    view = create_view(explanation, **fields)
    if view.content in NUMBERS:
        hint = f"Use {NUMBERS[view.content]} {OTHERWISE}"
        raise ConfigError("content", f"must be attention or method to be drawn: got {view.content}", hint)
    if view.direction == "similar":
        hint = f"Use ex.similarity() {OTHERWISE}"
        raise ConfigError("direction", "must be from or to to be drawn: got similar", hint)
    if view.pixels and not shows_pixels(view):
        known = ", ".join(name for name, method in METHODS.items() if method.pixels)
        raise ConfigError("pixels", "needs a method with a map per pixel", f"Use {known}, or leave it out.")
    if name := next((name for name in fields if name in NOT_DRAWN), None):
        raise ConfigError(name, "is not drawn by Python", "Leave it out, or save the figure from the page.")
    return draw_view(explanation, view, width)


def draw_nearest(explanation: "Explanation", view: View) -> "Figure":
    """Draw a view without what is not drawn: other contents as the attention of their layer and head."""
    drawn = {"content": "method" if view.content == "method" else "attention"}
    drawn |= {"direction": "from"} if view.direction == "similar" else {}
    return draw_view(explanation, view.model_copy(update=drawn), 7.0)


def draw_view(explanation: "Explanation", view: View, width: float) -> "Figure":
    """Draw the image, the map of a view, and of attention the maps of all heads."""
    shown, matrix = map_with_scale(explanation, view), None
    if view.content == "attention":
        query = query_text(explanation, view)
        why = why_empty(explanation, view)
        shown = replace(shown, title=shown.title + (f" ({why})" if why else "") + f"\n{query}")
        matrix = matrix_of(explanation, view, f"All heads\n{query}")
    notes = explanation.context.notes.get((view.method or "", target_of(explanation, view)), "")
    return figures.draw(
        image=np.asarray(explanation.image.model_input),
        grid=explanation.context.grid,
        shown=shown,
        matrix=matrix,
        title=headline(explanation),
        name=explanation.name or image_name(explanation.origin) or "Image",
        note=" ".join(filter(None, (notes, explanation.context.checkpoint.credit))),
        query=view.query,
        smooth=view.smooth,
        width=width,
    )


def map_with_scale(explanation: "Explanation", view: View) -> Map:
    """Return the map of a view, by patch or by pixel, with its title and scale; NaN for removed patches."""
    values, pixels = map_of(explanation, view), pixel_map_of(explanation, view)
    scale = scale_of(explanation, view, values if pixels is None else pixels)
    has_value = kept_patches(explanation) & (not why_empty(explanation, view))
    shown = np.where(has_value, values, np.float32(np.nan)) if pixels is None else pixels
    return Map(title_of(explanation, view), shown, scale)


def matrix_of(explanation: "Explanation", view: View, title: str) -> Matrix:
    """Return the maps of all heads, on the scale of heads."""
    maps = over_patches(explanation.context, all_rows(explanation, view)[:-1, :-1])  # (L, A, gh, gw)
    scales = attention_scales(explanation, view)
    chosen = (view.layer, view.head) if isinstance(view.layer, int) and isinstance(view.head, int) else None
    shown = np.where(kept_patches(explanation), maps, np.float32(np.nan))
    return Matrix(title, shown, scales and scales[0], chosen)


def query_text(explanation: "Explanation", view: View) -> str:
    """Name the direction and the query of attention: "from the class token"."""
    if view.layer == "pool":
        return "from the pooling query"
    class_token = explanation.context.config.class_token
    return f"{view.direction} {formatting.query_name(view.query, explanation.context.grid[1], class_token)}"


def headline(explanation: "Explanation") -> str:
    """Name the model, what it predicts, and the ablation."""
    text = explanation.context.checkpoint.name
    if explanation.context.checkpoint.is_classifier:
        text += f" predicts {explanation.prediction}, {formatting.percent(explanation.probabilities.max(), 1)}"
    changes = describe_ablations(explanation.ablations)
    return f"{text} ({changes})" if changes else text
