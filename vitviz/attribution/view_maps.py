"""An explanation and a view -> the maps and scales that are shown, the same on the page, in figures and in tables."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vitviz.attribution.context import ForwardContext, Target
from vitviz.attribution.methods import METHODS, query_weights
from vitviz.attribution.targets import find_target, method_target, target_names
from vitviz.errors import ConfigError, InvalidValueError
from vitviz.plots.formatting import map_name
from vitviz.plots.scales import Scale, ScaleLimits, limit_queries, limits_of_rows, map_scale, method_scale, with_means
from vitviz.view import Direction, Head, Layer, View, check_index

if TYPE_CHECKING:
    from vitviz.attribution.explanation import Explanation

Array = NDArray[np.float32]


# Views


def create_view(explanation: "Explanation", **fields: Any) -> View:
    """Return a view whose indices exist in an explanation.

    Args:
        explanation: The explanation.
        fields: Of `View`. In addition, `target` may be a class by its name or a single index, and `query` one patch;
            with a `method`, the content is "method" by default.

    Raises:
        ConfigError: For an unknown field, or a layer, head, patch, method or class that does not exist.
    """
    fields = {name: as_plain(value) for name, value in fields.items()}
    if isinstance(fields.get("query"), int):
        fields["query"] = (fields["query"],)
    if fields.get("target") not in (None, ()):
        target = find_target(explanation.context, fields["target"])
        fields["target"] = target if isinstance(target, tuple) else (target,)
    elif "target" in fields:
        fields["target"] = ()
    if fields.get("method") is not None:
        fields = {"content": "method"} | fields
    view = View(**fields)
    check_view(explanation, view)
    return view


def as_plain(value: Any) -> Any:
    """Return integers and arrays of numpy, also in a list or tuple, as those of Python; other values unchanged."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return tuple(map(as_plain, value)) if isinstance(value, list | tuple) else value


def check_view(explanation: "Explanation", view: View) -> None:
    """Raise ConfigError for a layer, head, patch, method or class that an explanation does not have."""
    context = explanation.context
    layers, heads = context.layers_and_heads
    if view.layer == "pool":
        pool_map(context, view.head)
    else:
        check_index("layer", view.layer, layers, "mean")
        check_index("head", view.head, heads, "mean")
    check_index("truth", view.truth, len(explanation.labels), None)
    check_query(view.query, context.config.num_patches)
    find_target(context, view.target or None)
    if view.content == "method":
        method_target(context, method_of(view) or "", view.target or None)


def check_query(query: Sequence[int], count: int) -> None:
    """Raise ConfigError if the patches of a query are not different ones of the `count` patches."""
    is_list = isinstance(query, Sequence | np.ndarray)
    is_known = is_list and all(isinstance(patch, int | np.integer) and 0 <= patch < count for patch in query)
    if not is_known or len(set(query)) < len(query):
        raise ConfigError("query", f"must be different patches from 0 to {count - 1}: got {query!s:.40}")


def original(explanation: "Explanation") -> "Explanation":
    """Return the explanation before the ablations."""
    return explanation.original or explanation


def target_of(explanation: "Explanation", view: View) -> Target:
    """Return the target of a view: by default the class predicted before an ablation."""
    return find_target(explanation.context, view.target) if view.target else find_target(original(explanation).context)


def title_of(explanation: "Explanation", view: View) -> str:
    """Return the title of the map: layer and head from 1, or method and target ("Relevance for cat")."""
    if (name := method_of(view)) is None:
        return map_name(view.layer, view.head)
    method = METHODS[name]
    names = target_names(explanation.context, target_of(explanation, view)) if method.class_specific else []
    title = f"{method.title} for {', not '.join(names)}" if names else method.title
    return title + ", per pixel" * shows_pixels(view)


def method_of(view: View) -> str | None:
    """Return the method whose map is shown; None for another content."""
    return view.method if view.content == "method" else None


def shows_pixels(view: View) -> bool:
    """Whether the map is shown by pixel: where the method has one."""
    method = method_of(view)
    return view.pixels and method is not None and METHODS[method].pixels is not None


# Maps


def query_rows(context: ForwardContext, query: Sequence[int] = (), direction: str = "from") -> Array:
    """Return the attention between some patches and all tokens, (L, A, T); as of `Explanation.attention_maps`."""
    if direction not in ("from", "to"):
        raise InvalidValueError("direction", "from or to", direction)
    check_query(query, context.config.num_patches)
    tokens = [context.prefix + patch for patch in query] or np.flatnonzero(query_weights(context)).tolist()
    tokens = [token for token in tokens if context.kept_tokens[token]] or tokens
    return context.rows(tokens, direction)


def default_rows(context: ForwardContext) -> Array:
    """Return the attention of the class token, or without one the mean over the patches, (L, A, T)."""
    return query_weights(context) @ context.attention if context.layered is None else query_rows(context)


def over_patches(context: ForwardContext, rows: Array) -> Array:
    """Return values of tokens (..., T) as maps of the patches, (..., gh, gw)."""
    return rows[..., context.prefix :].reshape(*rows.shape[:-1], *context.grid)


def attention_map(context: ForwardContext, view: View) -> Array:
    """Return the map of a head, or of a mean over the heads that have one, (gh, gw); 0 for a head without attention."""
    if view.layer == "pool":
        return pool_map(context, view.head)
    maps = over_patches(context, np.nan_to_num(query_rows(context, view.query, view.direction)))
    chosen: Array = with_means(maps, context.empty_heads)[
        -1 if view.layer == "mean" else view.layer, -1 if view.head == "mean" else view.head
    ]
    return chosen


def pool_map(context: ForwardContext, head: Head = "mean") -> Array:
    """Return the weights of attention pooling, (gh, gw), in one head, from 0, or by default their mean.

    Raises:
        ConfigError: If the model does not pool by attention, or the head does not exist.
    """
    weights = context.pool_attention
    if weights is None:
        raise ConfigError("layer", f"must be a layer or mean: {context.checkpoint.name} has no attention pooling")
    check_index("head", head, len(weights), "mean")
    return over_patches(context, weights.mean(0) if head == "mean" else weights[head])


def kept_patches(explanation: "Explanation") -> NDArray[np.bool_]:
    """Return the mask of the patches that entered the network, (gh, gw)."""
    context = explanation.context
    return context.kept_tokens[context.prefix :].reshape(context.grid)


def empty_maps(explanation: "Explanation") -> NDArray[np.bool_]:
    """Return the mask of the heads without attention, and of the means that have no others, (L + 1, A + 1)."""
    layers, heads = explanation.context.layers_and_heads
    found = np.zeros((layers + 1, heads + 1), bool)
    for layer, head in explanation.context.empty_heads:
        found[layer, head] = True
    found[:-1, -1], found[-1, :-1] = found[:-1, :-1].all(1), found[:-1, :-1].all(0)
    return found


def why_empty(explanation: "Explanation", view: View) -> str:
    """Return why the view has no map: "ablated", or "absent" if the layer lacks the head; empty if it has one."""
    if view.content == "method" or view.layer == "pool":
        return ""
    layer, head = (-1 if one == "mean" else one for one in (view.layer, view.head))
    if not empty_maps(explanation)[layer, head]:
        return ""
    is_there = -1 in (layer, head) or head < explanation.context.config.layer_heads[layer]
    return "ablated" if is_there else "absent"


def all_rows(explanation: "Explanation", view: View) -> Array:
    """Return the attention between a view's query and all tokens: of every head, then means, (L + 1, A + 1, T).

    Heads without attention, and means of none, are NaN; these heads are left out of the means.
    """
    rows = np.nan_to_num(query_rows(explanation.context, view.query, view.direction))
    found = with_means(rows, explanation.context.empty_heads)
    found[empty_maps(explanation)] = np.nan
    return found


def map_of(explanation: "Explanation", view: View) -> Array:
    """Return the map of a view, (gh, gw): attention, 0 for an ablated head, or that of a method."""
    if (method := method_of(view)) is not None:
        return explanation.map(method, target_of(explanation, view))
    return attention_map(explanation.context, view)


def pixel_map_of(explanation: "Explanation", view: View) -> Array | None:
    """Return the map of a view by pixel, (H, W), if it is shown so."""
    method = method_of(view) if shows_pixels(view) else None
    return None if method is None else explanation.map(method, target_of(explanation, view), pixels=True)


# Scales


def uniform_weight(explanation: "Explanation", layer: Layer = "mean") -> float:
    """Return the weight of each token that is not removed under uniform attention; "pool" attends to patches alone."""
    context = explanation.context
    return 1 / int(context.kept_tokens[context.prefix if layer == "pool" else 0 :].sum())


def limits_of(context: ForwardContext, direction: Direction) -> ScaleLimits:
    """Return the ends of the shared scales of an image, from the default query and a few patches."""
    default = np.flatnonzero(query_weights(context)).tolist()
    queries = [default, *([token] for token in limit_queries(context.config.num_tokens, context.prefix))]
    rows = np.stack([context.rows(tokens, direction) for tokens in queries], 2)  # (L, A, Q, T)
    return limits_of_rows(rows[..., context.prefix :])


def attention_scales(explanation: "Explanation", view: View) -> tuple[Scale, Scale] | None:
    """Return the scales of heads and of means; None if each map has its own."""
    if view.scale == "map":
        return None
    if view.scale == "uniform":
        scale = Scale("uniform", uniform_weight(explanation))
        return scale, scale
    limits = limits_of(original(explanation).context, view.direction)  # the scale stays while something is ablated
    return Scale("linear", limits["heads"], clips=True), Scale("linear", limits["means"], clips=True)


def scale_of(explanation: "Explanation", view: View, values: Array) -> Scale:
    """Return the scale of the map of a view, `values`, by patch or by pixel."""
    if (method := method_of(view)) is not None:
        return method_scale(values, METHODS[method].unit)
    if view.scale == "uniform":
        return Scale("uniform", uniform_weight(explanation, view.layer))
    scales = attention_scales(explanation, view)
    if scales is None:
        return map_scale(values[kept_patches(explanation)])
    return scales["mean" in (view.layer, view.head)]
