"""Python code that computes the arrays of a view, for readers who continue in a notebook."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from vitviz.attribution.methods import METHODS
from vitviz.attribution.view import View

if TYPE_CHECKING:
    from vitviz.attribution.explanation import Explanation

CENTER = 0.5  # position of the crop by default
PLACEHOLDER = "image.png"  # stands for an image without a name


def python(
    explanation: "Explanation",
    view: View,
    model: str = "",
    content: str = "view",
    other: "Explanation | None" = None,
) -> str:
    """Return code that computes `array`, the large map of a view, and `maps`, those of all layers and heads.

    Of other views, it computes the contributions to the logit, the features of the layer, or what activation patching
    recovers.

    Args:
        explanation: The explanation; its `source` is the image.
        view: The view.
        model: Name or path of the checkpoint, for `vitviz.load`; by default the checkpoint's name.
        content: "contributions", "features" or "patching"; anything else is the attention, or a method.
        other: The second image of "patching".
    """
    layers, heads = explanation.layers_and_heads
    rows, columns = explanation.grid
    source = explanation.source or PLACEHOLDER
    crop = f", crop={explanation.crop!r}" * (explanation.crop != CENTER)
    remark = "" if explanation.source else "  # your image"
    lines = [
        "import vitviz",
        "",
        f"model = vitviz.load({model or explanation.checkpoint!r})",
        f"explanation = vitviz.explain(model, {source!r}{crop}){remark}",
    ]
    for one in explanation.ablations:
        ablated, patches = list(one.heads) or None, list(one.patches) or None
        mode, patch_mode = one.mode if ablated else None, one.patch_mode if patches else None
        given = arguments(heads=ablated, patches=patches, mode=mode, patch_mode=patch_mode)
        lines.append(f"explanation = explanation.ablate({given})")
    if content in ("contributions", "features", "patching"):
        return "\n".join([*lines, *panel_lines(explanation, view, content, other), ""])
    query = {"query": list(view.query) or None, "direction": view.direction if view.direction == "to" else None}
    title = f"  # ({rows}, {columns}), {' '.join(explanation.title(view).split())}"
    if view.method is None:
        lines.append(
            f"array = explanation.attention_map({arguments(layer=view.layer, head=view.head, **query)}){title}"
        )
    else:
        names = explanation.target(view.target)
        by_pixel = view.pixels and METHODS[view.method].pixels is not None
        name, remark = ("pixel_map", "  # (H, W)") if by_pixel else ("map", title)
        lines.append(f"array = explanation.{name}({view.method!r}, target={names!r}){remark}")
    lines.append(f"maps = explanation.attention_maps({arguments(**query)})  # ({layers}, {heads}, {rows}, {columns})")
    return "\n".join([*lines, ""])


def panel_lines(explanation: "Explanation", view: View, content: str, other: "Explanation | None") -> Iterator[str]:
    """Yield the lines that compute the arrays of a view other than the attention."""
    target = None if view.target is None else explanation.target(view.target)
    (layers, heads), (rows, columns) = explanation.layers_and_heads, explanation.grid
    layer = None if view.layer == "pool" else view.layer
    if content == "contributions":
        yield f"found = explanation.contributions({arguments(target=target)})"
        yield f"heads = found.heads  # ({layers}, {heads}, tokens), in logits"
        yield "found.attention, found.mlp, found.embedding, found.bias, found.logit"
    elif content == "features" and view.query:
        given = arguments(patch=int(view.query[-1]), layer=layer)
        yield f"array = explanation.similarity({given})  # ({rows}, {columns}), cosine"
    elif content == "features":
        given = arguments(layer=layer, remove_background=view.remove_background or None)
        yield f"found = explanation.pca({given})"
        yield f"array = found.rgb  # ({rows}, {columns}, 3); found.explained: variance ratios"
    else:
        source = (other and other.source) or PLACEHOLDER
        yield f"other = vitviz.explain(model, {source!r})" + "  # your second image" * (source == PLACEHOLDER)
        given = arguments(target=target)
        yield f"found = vitviz.patch_activations(explanation, other{given and f', {given}'})"
        yield f"array = found.recovered  # ({layers}, {heads}): 0 as in the other image, 1 as in this one"


def arguments(**given: object) -> str:
    """Write keyword arguments, but those that are None."""
    return ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)
