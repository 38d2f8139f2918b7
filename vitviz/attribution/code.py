"""Python code that computes the arrays of a view, for readers who continue in a notebook."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from vitviz.attribution.targets import find_target
from vitviz.attribution.view_maps import shows_pixels, target_of, title_of
from vitviz.models.checkpoint import Checkpoint, bundled_checkpoints
from vitviz.models.names import cut_size, write_size
from vitviz.view import Given, Image, Sample, Subject, TestImage, View

if TYPE_CHECKING:
    from vitviz.attribution.explanation import Explanation
    from vitviz.attribution.provenance import Shown

CENTER = 0.5  # position of the crop by default
RUN_PREFIX, LAST = "runs/", "last.safetensors"  # of the name of a run's model, and its file
PLACEHOLDER = "image.png"  # stands for an image without a name
COMPARED = ("content", "layer", "head", "query", "direction", "method", "target")  # fields of a view
DEFAULT = View()


def python(explanation: "Explanation", view: View, other: "Explanation | None" = None) -> str:
    """Return code that computes `array`, the large map of a view, and `maps`, those of all layers and heads.

    Of other views, it computes the contributions to the logit, the features of the layer, or what activation patching
    recovers.

    Args:
        explanation: The explanation; its `origin` is the image.
        view: The view.
        other: The second image of "patching".
    """
    layers, heads = explanation.context.layers_and_heads
    rows, columns = explanation.context.grid
    subject = Subject(
        model=model_name(explanation.context.checkpoint), image=explanation.origin, ablations=explanation.ablations
    )
    lines = ["import vitviz", "", load(subject.model), *explain(subject, explanation.image.crop)]
    if view.content not in ("attention", "method"):
        return "\n".join([*lines, *other_lines(explanation, view, other), ""])
    query = {"query": list(view.query) or None, "direction": view.direction if view.direction == "to" else None}
    title = f"  # ({rows}, {columns}), {' '.join(title_of(explanation, view).split())}"
    if view.content == "method":
        pixels, remark = (True, "  # (H, W)") if shows_pixels(view) else (None, title)
        given = arguments(target=target_of(explanation, view), pixels=pixels)
        lines.append(f"array = explanation.map({view.method!r}, {given}){remark}")
    else:
        given = arguments(layer=none_for_mean(view.layer), head=none_for_mean(view.head), **query)
        lines.append(f"array = explanation.attention_map({given}){title}")
    lines.append(f"maps = explanation.attention_maps({arguments(**query)})  # ({layers}, {heads}, {rows}, {columns})")
    return "\n".join([*lines, ""])


def of_comparison(a: "Shown", b: "Shown") -> str | None:
    """Return code that computes `found`, a comparison, and `array`, its difference; None for snapshots."""
    if a.subject.snapshot is not None or b.subject.snapshot is not None:
        return None
    first, second = (chosen(side.view, COMPARED) for side in (a, b))
    differing = {name: getattr(b.view, name) for name in COMPARED if first.get(name) != second.get(name)}
    given = arguments(**first, b_options=differing or None)
    return "\n".join(
        [
            "import vitviz",
            "",
            load(a.subject.model),
            *explain(a.subject, a.image.crop, "a"),
            *([] if a.subject.model == b.subject.model else [load(b.subject.model)]),
            *explain(b.subject, b.image.crop, "b"),
            f"found = vitviz.compare(a, b{given and f', {given}'})",
            "array = found.colors  # of A and B"
            if a.view.content == "features"
            else "array = found.difference  # B - A, None if the grids differ",
            "",
        ]
    )


def of_contact_sheet(first: "Shown", count: int) -> str:
    """Return code that draws `figure`, the contact sheet of a number of images."""
    given = chosen(first.view, ("scale", "pixels", *COMPARED))
    inputs = f"images = ...  # the {count} images"
    drawn = ", ".join(filter(None, ("vitviz.explain(model, images)", arguments(**given))))
    figure = f"figure = vitviz.contact_sheet({drawn})"
    return "\n".join(["import vitviz", "", load(first.subject.model), inputs, figure, ""])


def of_probes(checkpoint: Checkpoint, count: int) -> str:
    """Return code that computes the probes of a model over a number of images."""
    inputs = f"images = ...  # the {count} model inputs, uint8 (B, 3, H, W)"
    return "\n".join(
        ["import vitviz", "", load(model_name(checkpoint)), inputs, "probes = vitviz.probe(model, images)", ""]
    )


def chosen(view: View, names: Sequence[str]) -> dict[str, object]:
    """Return the fields of a view that are not the default; a method implies its content."""
    values = {name: getattr(view, name) for name in names if getattr(view, name) != getattr(DEFAULT, name)}
    return {name: value for name, value in values.items() if name != "content" or view.method is None}


def load(model: str) -> str:
    """Return the line that loads a model."""
    name = model + f"/{LAST}" * model.startswith(RUN_PREFIX)
    return f"model = vitviz.load({name!r})"


def explain(subject: Subject, crop: float, name: str = "explanation") -> Iterator[str]:
    """Yield the lines that compute the explanation of a subject under a name."""
    image = image_name(subject.image) or PLACEHOLDER
    chosen, remark = f", crop={crop!r}" * (crop != CENTER), "  # your image" * (image == PLACEHOLDER)
    yield f"{name} = vitviz.explain(model, {image!r}{chosen}){remark}"
    for one in subject.ablations:
        ablated, patches = list(one.heads) or None, list(one.patches) or None
        mode, patch_mode = one.mode if ablated else None, one.patch_mode if patches else None
        given = arguments(heads=ablated, patches=patches, mode=mode, patch_mode=patch_mode)
        yield f"{name} = {name}.ablate({given})"


def other_lines(explanation: "Explanation", view: View, other: "Explanation | None") -> Iterator[str]:
    """Yield the lines that compute the arrays of a view other than the attention and methods."""
    (layers, heads), (rows, columns) = explanation.context.layers_and_heads, explanation.context.grid
    layer = view.layer if isinstance(view.layer, int) else None
    if view.content == "contributions":
        yield f"found = explanation.contributions({arguments(target=target_of(explanation, view))})"
        yield f"heads = found.heads  # ({layers}, {heads}, tokens), in logits"
        yield "found.attention, found.mlp, found.embedding, found.bias, found.logit"
    elif view.content == "features" and view.lens:
        given = arguments(target=target_of(explanation, view))
        yield "lens = vitviz.tuned_lens(model)  # fit by `vitviz lens` or the page; lens.accuracy, lens.localization"
        index = layers if layer is None else layer + 1
        yield f"array = lens.maps(explanation, {given})[{index}]  # ({rows}, {columns}), probability; [0] is the input"
    elif view.content == "features" and view.query:
        given = arguments(layer=layer, patch=int(view.query[-1]))
        yield f"array = explanation.similarity({given})  # ({rows}, {columns}), cosine"
    elif view.content == "features":
        given = arguments(layer=layer, remove_background=view.foreground or None)
        yield f"found = explanation.pca({given})"
        yield f"array = found.rgb  # ({rows}, {columns}, 3); found.basis.explained: variance ratios"
    else:
        image = (other and image_name(other.origin)) or PLACEHOLDER
        yield f"other = vitviz.explain(model, {image!r})" + "  # your second image" * (image == PLACEHOLDER)
        given = arguments(target=find_target(explanation.context, view.target) if view.target else None)
        yield f"found = vitviz.patch_activations(explanation, other{given and f', {given}'})"
        yield f"array = found.recovered  # ({layers}, {heads}): 0 as in the other image, 1 as in this one"


def none_for_mean(value: int | str) -> int | str | None:
    """Return a layer or head, None for a mean, which is the default."""
    return None if value == "mean" else value


def model_name(checkpoint: Checkpoint) -> str:
    """Return a model as `vitviz.load` takes it, a file without its folder, or "runs/NAME"."""
    pretrained, (name, size) = checkpoint.pretrained, cut_size(checkpoint.name)
    if "repository" in pretrained:
        name = pretrained.get("name", f"hf:{pretrained['repository']}")
        name += f"@{pretrained['revision']}" if "revision" in pretrained else ""
    else:
        paths = [file.path for file in checkpoint.files]
        is_bundled = bundled_checkpoints().get(name) in paths
        name = paths[0].name if [path.stem for path in paths] == [name] and not is_bundled else name
    return name + write_size(size)


def image_name(origin: Image) -> str:
    """Return an image as `vitviz.explain` takes it, a file without its folder; empty if it has no name."""
    if isinstance(origin, TestImage):
        return f"cifar:{origin.index}"
    return origin.name if isinstance(origin, Sample | Given) else ""


def arguments(**given: object) -> str:
    """Write keyword arguments, but those that are None."""
    return ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)
