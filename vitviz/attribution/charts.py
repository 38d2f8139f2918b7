"""An explanation and a view -> the chart that `vitviz.plots.figures` draws, with the numbers and scales of the page."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from vitviz.attribution.context import Head
from vitviz.attribution.methods import METHODS, query_weights
from vitviz.attribution.serialize import limits_of, method_scores
from vitviz.attribution.view import Layer, TargetLike, View, check_index
from vitviz.models.facts import credit
from vitviz.plots import words
from vitviz.plots.chart import Chart, MethodMap, PredictedClass
from vitviz.plots.outlines import outlines
from vitviz.plots.scales import Scale, map_scale, method_scale, with_means

if TYPE_CHECKING:
    from vitviz.attribution.explanation import Explanation

Array = NDArray[np.float32]
NUM_CLASSES = 5  # listed in the prediction
MAX_FRAMES = 256  # of an animation patch by patch
NAMED = 6  # ablated heads and removed patches that the caption names; more are counted


def chart(
    explanation: "Explanation", view: View, methods: bool = False, scores: dict[str, Any] | None = None, link: str = ""
) -> Chart:
    """Return the chart of a view.

    Args:
        explanation: The explanation, ablated or not; all numbers are of this state.
        view: What is shown.
        methods: Whether to add the maps and scores of all methods.
        scores: The scores of the methods, as from `serialize.method_scores`; None to measure them if they are shown.
        link: Address of the view, printed below the caption.

    Raises:
        ValueError: If a layer, head, patch, method or class does not exist.
    """
    view = replace(view, target=target_of(explanation, view.target))
    check_view(explanation, view)
    config = explanation.context.config
    rows = all_rows(explanation, view)  # (L + 1, A + 1, T)
    chosen = chosen_map(explanation, view)  # None for a map that is not one of `maps`
    maps = rows[..., explanation.prefix :].reshape(*rows.shape[:2], *explanation.grid)
    if view.method is not None:
        large = explanation.map(view.method, view.target)
    else:
        large = explanation.pool_map(view.head) if chosen is None else maps[chosen]
    pixels = pixels_of(explanation, view)
    shown = large if pixels is None else pixels
    scales = map_scales(explanation, view)
    ablated = ablated_maps(explanation)
    kept = kept_patches(explanation)
    dropped = tuple(np.flatnonzero(~kept).tolist())
    found = Chart(
        image=np.asarray(explanation.image.model_input),
        headline=headline(explanation, view, large, chosen is not None and bool(ablated[chosen])),
        title=explanation.title(view) + ", per pixel" * (pixels is not None),
        large=large,
        pixels=pixels,
        scale=scale_of_large(explanation, view, shown, scales),
        maps=maps,
        scales=scales,
        chosen=chosen,
        ablated=ablated,
        matrix_title=view.matrix_title(config.class_token),
        uniform=uniform_weight(explanation, view.layer),
        query=view.query,
        dropped=dropped,
        gray=tuple(patch for patch in explanation.removed if patch not in dropped),
        prefix_line=prefix_note(explanation, view, None if chosen is None else rows[chosen]),
        prefix_weight=None if chosen is None or not config.class_token else float(rows[chosen][0]),
        truth=true_label(explanation, view),
        prediction=predicted_classes(explanation, view),
        no_prediction="trained without labels" if config.num_classes else "no classification head",
        effect=effect_lines(explanation, view),
        target=explanation.target_names(view.target) if config.num_classes else (),
        method=view.method,
        outlines=outlines(np.asarray(original(explanation).image.model_input)) if view.outlines else (),
        outline_opacity=view.outlines,
        smooth=view.smooth,
        caption=caption(explanation, view, scales, methods),
        link=link,
    )
    return with_methods(found, explanation, view, scores) if methods else found


def pixels_of(explanation: "Explanation", view: View) -> Array | None:
    """Return the map of a view's method per pixel, (H, W), if it is shown so and has one."""
    if not view.pixels or view.method is None or METHODS[view.method].pixels is None:
        return None
    return explanation.pixel_map(view.method, view.target)


def sequence(explanation: "Explanation", view: View, content: str, link: str = "") -> list[Chart]:
    """Return the charts of an animation, all on one scale.

    Args:
        explanation: The explanation.
        view: The first view; a method is replaced by the attention of its layer and head.
        content: "layers": the view's head, or mean of heads, in each layer; "patches": each patch as the query that is
            not removed, of fine grids those of every second, third ... row and column.
        link: As for `chart`.
    """
    layers = range(explanation.layers_and_heads[0])
    kept = explanation.kept_tokens[explanation.prefix :]
    patches = [patch for patch in animated_patches(explanation.grid) if kept[patch]]
    patches = patches or np.flatnonzero(kept).tolist()[:1]
    view = replace(view, method=None, layer=None if view.layer == "pool" else view.layer)
    views = (
        [replace(view, layer=layer) for layer in layers]
        if content == "layers"
        else [replace(view, query=(patch,)) for patch in patches]
    )
    first = chart(explanation, views[0], link=link)
    charts = [
        replace(
            chart(explanation, replace(one, outlines=0), link=link),
            outlines=first.outlines,  # computed once
            outline_opacity=view.outlines,
        )
        for one in views
    ]
    if view.scale != "map":
        return charts
    shared = map_scale(np.stack([one.large[one.is_kept] for one in charts]))
    return [replace(one, scale=shared) for one in charts]


def animated_patches(grid: tuple[int, int], most: int = MAX_FRAMES) -> list[int]:
    """Return the patches of a grid, or those of every n-th row and column if there are more than `most`."""
    rows, columns = grid
    step = next(n for n in range(1, max(grid) + 1) if -(-rows // n) * -(-columns // n) <= most)
    start = step // 2
    return [
        row * columns + column
        for row in range(min(start, rows - 1), rows, step)
        for column in range(min(start, columns - 1), columns, step)
    ]


def check_view(explanation: "Explanation", view: View) -> None:
    """Raise ValueError for a layer, head or class that does not exist."""
    layers, heads = explanation.layers_and_heads
    for name, value, count in (
        ("layer", None if view.layer == "pool" else view.layer, layers),
        ("head", view.head, heads),
        ("truth", view.truth, len(explanation.labels)),
    ):
        check_index(name, value, count)
    if view.layer == "pool":
        explanation.pool_map(view.head)
    explanation.target(view.target)


def original(explanation: "Explanation") -> "Explanation":
    """Return the explanation before the ablations."""
    return explanation.original or explanation


def target_of(explanation: "Explanation", target: TargetLike | None) -> TargetLike | None:
    """Return the target; for None the class predicted before the ablation, if the model has a head."""
    if target is None and explanation.context.config.num_classes:
        return int(original(explanation).logits.argmax())
    return target


def kept_patches(explanation: "Explanation") -> NDArray[np.bool_]:
    """Return the mask of the patches that entered the network, (gh, gw)."""
    return explanation.kept_tokens[explanation.prefix :].reshape(explanation.grid)


def all_rows(explanation: "Explanation", view: View) -> Array:
    """Return the attention of a view's query to all tokens: of every head, then means, (L + 1, A + 1, T).

    Ablated heads have zeros and are left out of the means.
    """
    rows = explanation.query_rows(view.query, view.direction)
    return with_means(np.nan_to_num(rows), explanation.context.ablated_heads)


def chosen_map(explanation: "Explanation", view: View) -> Head | None:
    """Return the row and column of a view's layer and head; means are the last ones. None for other maps."""
    layers, heads = explanation.layers_and_heads
    if view.method is not None or view.layer == "pool":
        return None
    return layers if view.layer is None else view.layer, heads if view.head is None else view.head


def ablated_maps(explanation: "Explanation") -> NDArray[np.bool_]:
    """Return the mask of the ablated heads, and of the means whose heads are all ablated, (L + 1, A + 1)."""
    layers, heads = explanation.layers_and_heads
    found = np.zeros((layers + 1, heads + 1), bool)
    for layer, head in explanation.context.ablated_heads:
        found[layer, head] = True
    found[:-1, -1], found[-1, :-1] = found[:-1, :-1].all(1), found[:-1, :-1].all(0)
    return found


def uniform_weight(explanation: "Explanation", layer: Layer = None) -> float:
    """Return the weight of each token that is not removed under uniform attention; "pool" attends to patches alone."""
    return 1 / int(explanation.kept_tokens[explanation.prefix if layer == "pool" else 0 :].sum())


def map_scales(explanation: "Explanation", view: View) -> tuple[Scale, Scale] | None:
    """Return the scales of heads and of means; None if each map has its own."""
    if view.scale == "map":
        return None
    if view.scale == "uniform":
        scale = Scale("uniform", uniform_weight(explanation))
        return scale, scale
    whole = original(explanation).context  # the scale stays while heads are ablated and patches removed
    limits = limits_of(whole, query_weights(whole), view.direction)
    return Scale("linear", limits["heads"], clips=True), Scale("linear", limits["means"], clips=True)


def scale_of_large(explanation: "Explanation", view: View, large: Array, scales: tuple[Scale, Scale] | None) -> Scale:
    """Return the scale of the large map."""
    if view.method is not None:
        return method_scale(large, METHODS[view.method].unit)
    if scales is None:
        return map_scale(large[kept_patches(explanation)])
    if view.scale == "uniform":
        return Scale("uniform", uniform_weight(explanation, view.layer))
    return scales[view.layer is None or view.head is None]


def query_words(explanation: "Explanation", view: View, several: str = "") -> str:
    """Name the query."""
    return words.query_name(view.query, explanation.grid[1], explanation.context.config.class_token, several)


def headline(explanation: "Explanation", view: View, large: Array, is_ablated: bool) -> str:
    """State what the large map shows."""
    title = explanation.title(view)
    if view.method is not None:
        return words.method_headline(title, view.method == "random", large)
    if is_ablated:
        return f"{title} is ablated"
    kept = kept_patches(explanation)
    if view.layer == "pool":
        return words.head_headline(title, "the pooling query", False, "from", large, kept)
    if view.query and not any(kept.flat[patch] for patch in view.query):
        return f"{words.capital(query_words(explanation, view))} {'are' if len(view.query) > 1 else 'is'} removed"
    query = query_words(explanation, view, "these ")
    return words.head_headline(title, query, len(view.query) > 1, view.direction, large, kept)


def prefix_note(explanation: "Explanation", view: View, row: Array | None) -> str:
    """Return the note on the large map: attention to prefix tokens, or what a reader of a method's map must know."""
    if view.method is not None:
        return explanation.context.notes.get((view.method, explanation.target(view.target)), "")
    if row is None:
        return ""
    config = explanation.context.config
    return words.prefix_line(row[: explanation.prefix], config.class_token, view.direction, config.distilled)


def true_label(explanation: "Explanation", view: View) -> str:
    """Return the true label, if it is known."""
    return "" if view.truth is None else f"true label: {explanation.labels[view.truth]}"


def listed_classes(before: Array, now: Array, explained: int) -> list[int]:
    """Return the listed classes, as on the page: the most likely before the ablation, and the explained or next one."""
    order = np.argsort(-before, kind="stable").tolist()
    first, others = order[: NUM_CLASSES - 1], order[NUM_CLASSES - 1 :]
    return first + ([explained] if explained in others else sorted(others, key=lambda k: -now[k])[:1])


def predicted_classes(explanation: "Explanation", view: View) -> list[PredictedClass]:
    """Return the listed classes; none for a model that was trained without labels."""
    if not explanation.context.checkpoint.is_classifier:
        return []
    before, now = original(explanation).probabilities, explanation.probabilities
    label = target_class(explanation, view)
    return [
        PredictedClass(
            name=explanation.labels[k],
            probability=float(now[k]),
            before=None if explanation.original is None else float(before[k]),
            is_true=k == view.truth,
            is_explained=k == label,
        )
        for k in listed_classes(before, now, label)
    ]


def target_class(explanation: "Explanation", view: View) -> int:
    """Return the explained class of a view, without its contrast."""
    target = explanation.target(view.target)
    return target[0] if isinstance(target, tuple) else target


def effect_lines(explanation: "Explanation", view: View) -> list[str]:
    """Describe the effect of the ablation on the explained class; empty without one."""
    if explanation.original is None or not explanation.context.checkpoint.is_classifier:
        return []
    before, now, k = original(explanation).probabilities, explanation.probabilities, target_class(explanation, view)
    points = (words.rounded(1000 * float(now[k])) - words.rounded(1000 * float(before[k]))) / 10
    winner = int(now.argmax())
    change = f". The model now predicts {explanation.labels[winner]}, {words.percent(now[winner], 1)}."
    return [
        explanation.changes,
        f"{words.signed(points, 1)} percentage points",
        f"for {explanation.labels[k]}, from {words.percent(before[k], 1)}" + change * (winner != int(before.argmax())),
    ]


def with_methods(found: Chart, explanation: "Explanation", view: View, scores: dict[str, Any] | None) -> Chart:
    """Add the maps and scores of all methods but reversed attention, as on the page."""
    target = explanation.target(view.target)
    scores = scores or method_scores(explanation, target)
    maps = []
    for key, method in explanation.methods.items():
        if key == "reverse_attention":
            continue
        values = explanation.map(key, target)
        group = "baseline" if key == "random" else "class" if method.class_specific else "agnostic"
        maps.append(
            MethodMap(
                key, method.title, cast(Any, group), values, method_scale(values, method.unit), scores["scores"][key]
            )
        )
    mean, deviation = scores["random_baseline"]
    return replace(found, methods=maps, random_baseline=(mean, deviation))


def caption(explanation: "Explanation", view: View, scales: tuple[Scale, Scale] | None, methods: bool) -> list[str]:
    """Return the sentences of the caption."""
    checkpoint = explanation.context.checkpoint
    layers, heads = explanation.layers_and_heads
    size = f"{words.counted(layers, 'layer', 'layers')}, {words.counted(heads, 'head', 'heads')}"
    note = ", ".join(filter(None, (explanation.name, explanation.image.note)))
    query = query_words(explanation, view)
    what = f"of {query} to the patches" if view.direction == "from" else f"of the patches to {query}"
    found = [f"Model: {checkpoint.name} ({size}).", f"Image: {note}."]
    if not methods:
        found.append(f"Maps: attention {what}.")
        found.append(scale_sentence(explanation, view, scales))
    if checkpoint.is_classifier and (methods or (view.method is not None and METHODS[view.method].class_specific)):
        found.append(f"Explained class: {', contrasted with '.join(explanation.target_names(view.target))}.")
    return [*found, *ablation_sentences(explanation), *filter(None, [credit(checkpoint)])]


def scale_sentence(explanation: "Explanation", view: View, scales: tuple[Scale, Scale] | None) -> str:
    """Describe the scale of attention weights."""
    if scales is None:
        return "One scale per map, over its range."
    if view.scale == "uniform":
        return f"Scale: attention weight relative to uniform, {words.percent(uniform_weight(explanation))}."
    heads, means = scales
    return f"Shared scale: heads to {heads.end}, means to {means.end}."


def ablation_sentences(explanation: "Explanation") -> Iterator[str]:
    """Describe ablated heads and removed patches."""
    modes = {head: one.mode for one in explanation.ablations for head in one.heads}  # the last one counts
    clauses = []
    for mode in ("zero", "mean"):
        heads = [head for head in explanation.context.ablated_heads if modes.get(head, "zero") == mode]
        if heads:
            names = ", ".join(f"layer {layer + 1} head {head + 1}" for layer, head in heads)
            what = names if len(heads) <= NAMED else words.counted(len(heads), "head", "heads")
            mean = f"{'their ' * (len(heads) > 1)}mean over the sample images"
            clauses.append(f"{what} (output replaced by {mean if mode == 'mean' else 'zero'})")
    if clauses:
        yield f"Ablated: {'; '.join(clauses)}."
    kept = explanation.kept_tokens[explanation.prefix :]
    for patches, how in (
        ([patch for patch in explanation.removed if not kept[patch]], "tokens dropped"),
        ([patch for patch in explanation.removed if kept[patch]], "painted gray"),
    ):
        if patches:
            names = "; ".join(words.patch_name(patch, explanation.grid[1]) for patch in patches)
            what = names if len(patches) <= NAMED else words.counted(len(patches), "patch", "patches")
            yield f"Removed patches: {what} ({how})."
