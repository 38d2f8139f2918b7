"""Python code that computes the arrays of a view, for readers who continue in a notebook."""

from typing import TYPE_CHECKING

from vitviz.attribution.view import View

if TYPE_CHECKING:
    from vitviz.attribution.explanation import Explanation

CENTER = 0.5  # position of the crop by default
PLACEHOLDER = "image.png"  # stands for an image without a name


def python(explanation: "Explanation", view: View, model: str = "") -> str:
    """Return code that computes `array`, the large map of a view, and `maps`, those of all layers and heads.

    Args:
        explanation: The explanation; its `source` is the image.
        view: The view.
        model: Name or path of the checkpoint, for `vitviz.load`; by default the checkpoint's name.
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
    query = {"query": list(view.query) or None, "direction": view.direction if view.direction == "to" else None}
    title = f"  # ({rows}, {columns}), {' '.join(explanation.title(view).split())}"
    if view.method is None:
        lines.append(
            f"array = explanation.attention_map({arguments(layer=view.layer, head=view.head, **query)}){title}"
        )
    else:
        names = explanation.target(view.target)
        lines.append(f"array = explanation.map({view.method!r}, target={names!r}){title}")
    lines.append(f"maps = explanation.attention_maps({arguments(**query)})  # ({layers}, {heads}, {rows}, {columns})")
    return "\n".join([*lines, ""])


def arguments(**given: object) -> str:
    """Write keyword arguments, but those that are None."""
    return ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)
