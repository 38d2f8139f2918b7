"""Figures of the views other than the attention: contributions, features and activation patching, as on the page.

Sentences equal those of `frontend/src/explore/views`; layers, heads, rows and columns count from 1 in them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vitviz.attribution.charts import ablated_maps, ablation_sentences, chart, kept_patches, target_of
from vitviz.attribution.contributions import Contributions
from vitviz.attribution.patching import Patching
from vitviz.attribution.view import View
from vitviz.models.facts import credit
from vitviz.plots import words
from vitviz.plots.chart import Bars, Cells, Chart, Film
from vitviz.plots.scales import Scale

if TYPE_CHECKING:
    from vitviz.attribution.explanation import Explanation

Array = NDArray[np.float32]
Row = tuple[Any, ...]  # quantity, name, layer, head, row, column, value
EMPTY = ("", "", "", "")


@dataclass(frozen=True)
class PanelFigure:
    """A figure, its numbers as arrays by name, and as rows of a table."""

    chart: Chart
    arrays: dict[str, Any]
    rows: list[Row]


def panel_figure(
    explanation: "Explanation", view: View, content: str, link: str = "", patched: "PatchedPair | None" = None
) -> PanelFigure:
    """Return the figure of a view.

    Args:
        explanation: The explanation, ablated or not.
        view: Its layer and head are the large map; of "features" also the patch that others are compared with.
        content: "contributions", "features" or "patching".
        link: Address of the view, printed below the caption.
        patched: The results of "patching".

    Raises:
        ValueError: If a layer, head, patch or class does not exist, or there are no results of patching.
    """
    view = replace(view, method=None, target=target_of(explanation, view.target))
    base = chart(explanation, view, link=link)
    base = replace(base, prefix_weight=None, prefix_line="", caption=caption(explanation))
    if content == "features":
        return features_figure(explanation, view, base)
    if content == "contributions":
        return contributions_figure(explanation, view, base)
    if patched is None:
        raise ValueError("A figure of activation patching needs a second image: use patch_activations.")
    return patching_figure(explanation, view, base, patched)


def caption(explanation: "Explanation", *sentences: str) -> list[str]:
    """Return the sentences of a caption: model, image, the given ones, ablations, and the credit of the weights."""
    checkpoint, (layers, heads) = explanation.context.checkpoint, explanation.layers_and_heads
    size = f"{words.counted(layers, 'layer', 'layers')}, {words.counted(heads, 'head', 'heads')}"
    note = ", ".join(filter(None, (explanation.name, explanation.image.note)))
    found = [f"Model: {checkpoint.name} ({size}).", f"Image: {note}.", *sentences]
    return [*found, *ablation_sentences(explanation), *filter(None, [credit(checkpoint)])]


def heads_name(layer: int | None, head: int | None) -> str:
    """Name a head, or a sum of heads: "Layer 5, head 2", "Layer 5, all heads"."""
    if layer is None:
        return "All heads" if head is None else f"Head {head + 1} of all layers"
    return f"Layer {layer + 1}, {'all heads' if head is None else f'head {head + 1}'}"


def logit_name(classes: Sequence[str]) -> str:
    """Name a logit or a difference: "the logit of cat minus that of dog"."""
    return f"the logit of {' minus that of '.join(classes)}"


def largest(values: Array) -> float:
    """Return the largest absolute value, 1 if all are 0."""
    return float(np.abs(values).max(initial=0)) or 1.0


def color_range(limit: float) -> str:
    """Name the values at the ends of a color scale: "colors from −0.43 to +0.43"."""
    return f"colors from {words.signed(-limit)} to {words.signed(limit)}"


def token_rows(
    quantity: str, name: str, values: Array, at: tuple[Any, Any], explanation: "Explanation"
) -> Iterator[Row]:
    """Yield a row per token, (T,): patches by row and column, tokens before them by name."""
    config, columns = explanation.context.config, explanation.grid[1]
    for token, value in enumerate(values):
        if token < explanation.prefix:
            kind = words.prefix_name(token, config.class_token, config.distilled)
            yield quantity, f"{name}, {kind}", *at, "", "", value
        else:
            row, column = divmod(token - explanation.prefix, columns)
            yield quantity, name, *at, row + 1, column + 1, value


def layer_of(view: View) -> int | None:
    """Return the layer of a view; None for the mean, and for attention pooling, which only the attention has."""
    return None if isinstance(view.layer, str) else view.layer


def chosen_cell(view: View) -> tuple[int, int] | None:
    """Return the layer and head of a view, None if it is a mean."""
    layer = layer_of(view)
    return None if layer is None or view.head is None else (layer, view.head)


# Contributions


def contributions_figure(explanation: "Explanation", view: View, base: Chart) -> PanelFigure:
    """The logit as a sum over layers, what each head added, and the patches that the chosen one took it from."""
    found, classes = explanation.contributions(view.target), explanation.target_names(view.target)
    layer = layer_of(view)
    layers = slice(None) if layer is None else slice(layer, layer + 1)
    heads = slice(None) if view.head is None else slice(view.head, view.head + 1)
    tokens = found.heads[layers, heads].sum((0, 1), dtype=np.float32)  # (T,)
    large = tokens[explanation.prefix :].reshape(explanation.grid)
    of_query = [explanation.prefix + patch for patch in view.query]
    values = found.heads[..., of_query].sum(-1) if of_query else found.heads.sum(-1)
    cells = Cells(values, largest(values), chosen_cell(view), ablated_maps(explanation)[:-1, :-1])
    quantity = f"contribution to the {'difference' if len(classes) > 1 else 'logit'}"
    source = words.query_name(view.query, explanation.grid[1], True)
    what = f"took from {source}" if of_query else "added"
    sentences = (
        f"Summands of {logit_name(classes)}: bars sum to it; cells: what each head {what}, {color_range(cells.limit)}.",
        f"Map: {heads_name(layer, view.head)}, by the patch that it was read from. They show what was added to the "
        "tokens that the classification head reads, not what an image region caused.",
    )
    figure = replace(
        base,
        headline=contributions_headline(tokens, view, classes, explanation),
        title=heads_name(layer_of(view), view.head),
        large=large,
        scale=Scale("signed", largest(large), is_weight=False, quantity=quantity),
        chosen=chosen_cell(view),
        prefix_line=prefix_note(tokens, explanation),
        matrix_title=f"Contributions to {', not '.join(classes)}",
        caption=caption(explanation, *sentences),
        panel=Bars(found.embedding, found.attention, found.mlp, found.bias, found.total, cells),
    )
    return PanelFigure(figure, contribution_arrays(found, large, figure), list(contribution_rows(found, explanation)))


def contributions_headline(tokens: Array, view: View, classes: Sequence[str], explanation: "Explanation") -> str:
    """State what the chosen heads added, and via which patch most of it."""
    total = float(tokens.sum())
    amount = words.written(abs(total), 2)
    verb, direction = ("take", "from") if total < 0 and float(amount) else ("add", "to")
    patches = tokens[explanation.prefix :] * (-1 if total < 0 else 1)
    best = words.patch_name(int(patches.argmax()), explanation.grid[1])
    name = heads_name(layer_of(view), view.head)
    source = f", more via {best} than via other patches" if float(amount) else ""
    return f"{name} {verb}{'s' * (view.head is not None)} {amount} {direction} {logit_name(classes)}{source}"


def prefix_note(tokens: Array, explanation: "Explanation") -> str:
    """State what comes from outside of the patches: "+0.12 from the class token"."""
    class_token, distilled = explanation.context.config.class_token, explanation.context.config.distilled
    count = explanation.prefix - class_token
    first = f"{words.signed(float(tokens[0]))} from the class token" if class_token else ""
    rest = float(tokens[int(class_token) : explanation.prefix].sum())
    others = f"{words.signed(rest)} from {words.other_prefix_tokens(count, distilled)}" if count else ""
    return ", ".join(filter(None, (first, others)))


def contribution_arrays(found: Contributions, large: Array, figure: Chart) -> dict[str, Any]:
    """Return the arrays of contributions by name."""
    numbers = {name: getattr(found, name) for name in ("embedding", "heads", "attention_bias", "mlp", "bias", "logit")}
    return numbers | {"map": large, "title": np.array(figure.title), "caption": np.array(" ".join(figure.caption))}


def contribution_rows(found: Contributions, explanation: "Explanation") -> Iterator[Row]:
    """Yield the summands of a logit as rows of a table."""
    yield "contribution", "embedding", *EMPTY, found.embedding
    for layer, (heads, bias, mlp) in enumerate(zip(found.heads, found.attention_bias, found.mlp, strict=True)):
        for head, values in enumerate(heads):
            yield from token_rows("contribution", "head", values, (layer + 1, head + 1), explanation)
        yield "contribution", "attention bias", layer + 1, "", "", "", bias
        yield "contribution", "MLP", layer + 1, "", "", "", mlp
    yield "contribution", "biases of the classification head", *EMPTY, found.bias
    yield "logit", "", *EMPTY, found.logit


# Features


def features_figure(explanation: "Explanation", view: View, base: Chart) -> PanelFigure:
    """Principal components of the patch tokens as colors, or the similarity with the query patch, by layer."""
    depth = explanation.layers_and_heads[0]
    layer = depth - 1 if (chosen := layer_of(view)) is None else chosen
    if view.query:
        return similarity_figure(explanation, layer, int(view.query[-1]), base)
    frames = np.full((depth, *explanation.grid, 3), 255, np.uint8)
    explained = np.full((depth, 3), np.nan, np.float32)
    for k in range(depth):
        try:
            found = explanation.pca(k, view.remove_background)
        except ValueError:  # fewer than three patches
            continue
        explained[k] = found.explained
        frames[k][found.foreground] = np.round(255 * found.rgb[found.foreground])
    ratios = explained.sum(1)
    texts = ["too few" if np.isnan(ratio) else words.percent(float(ratio), 0) for ratio in ratios]
    what = (
        f"fewer than 3 patches are left{' without the background' * view.remove_background}"
        if np.isnan(ratios[layer])
        else f"three components explain {texts[layer]} of the variance of the patch features"
    )
    over = " without the background, the side of the first component with most border patches" * view.remove_background
    sentence = (
        f"PCA over the patches of this image{over}, for each layer separately: colors of different layers are not "
        "comparable. Red, green and blue are the first three components; percentages are explained variance."
    )
    figure = replace(
        base,
        headline=f"Layer {layer + 1}: {what}",
        title=f"Layer {layer + 1}, features",
        colors=frames[layer],
        matrix_title="Features of the patch tokens by layer",
        caption=caption(explanation, sentence),
        panel=Film(frames, texts, layer),
    )
    arrays = {"rgb": frames, "explained": explained, "caption": np.array(" ".join(figure.caption))}
    rows: list[Row] = [
        (f"{color}, 0 to 255", "principal component", k + 1, "", row + 1, column + 1, value)
        for (k, row, column, channel), value in np.ndenumerate(frames)
        for color in [("red", "green", "blue")[channel]]
    ]
    rows += [
        ("explained variance", f"component {c + 1}", k + 1, "", "", "", v) for (k, c), v in np.ndenumerate(explained)
    ]
    return PanelFigure(figure, arrays, rows)


def similarity_figure(explanation: "Explanation", layer: int, patch: int, base: Chart) -> PanelFigure:
    """The cosine similarity of a patch with the others, by layer; removed patches have none."""
    depth, columns = explanation.layers_and_heads[0], explanation.grid[1]
    values = np.stack([explanation.similarity(patch, k) for k in range(depth)])  # (L, gh, gw)
    kept = kept_patches(explanation)
    is_other = kept.ravel() & (np.arange(kept.size) != patch)
    others = np.where(is_other, values.reshape(depth, -1), -np.inf)  # (L, N)
    scale = similarity_scale(values[:, kept])
    name = words.patch_name(patch, columns)
    texts = [""] * depth
    if not kept.flat[patch]:
        headline = f"{words.capital(name)} is removed"
    elif not is_other.any():
        headline = f"Layer {layer + 1}: {name} is the only patch left"
    else:
        best = words.patch_name(int(others[layer].argmax()), columns)
        headline = f"Layer {layer + 1}: {name} is most similar to {best}"
        texts = [f"max {words.written(float(top), 2)}" for top in others.max(1)]
    figure = replace(
        base,
        headline=headline,
        title=f"Layer {layer + 1}, similarity",
        large=values[layer],
        scale=scale,
        matrix_title=f"Similarity of {name} by layer",
        query=(patch,),
        caption=caption(explanation, f"Maps: cosine of the features of {name} and of each patch, after each layer."),
        panel=Film(scale.colors(values), texts, layer),
    )
    arrays = {"similarity": values, "patch": np.array(patch), "caption": np.array(" ".join(figure.caption))}
    rows: list[Row] = [
        ("cosine similarity", name, k + 1, "", row + 1, column + 1, value)
        for (k, row, column), value in np.ndenumerate(values)
    ]
    return PanelFigure(figure, arrays, rows)


def similarity_scale(values: Array) -> Scale:
    """Return one scale for all layers: from the least cosine, rounded down to a tenth, to 1."""
    low = min(0.9, float(np.floor(10 * values.min(initial=1))) / 10)
    return Scale("linear", 1.0, is_weight=False, low=low, quantity="cosine similarity, all layers")


# Activation patching


@dataclass(frozen=True)
class PatchedPair:
    """Results of activation patching, and the second image: heads, MLPs, and tokens of the shown layer if any."""

    other: "Explanation"
    heads: Patching
    mlp: Patching
    tokens: Patching | None = None


def patching_figure(explanation: "Explanation", view: View, base: Chart, patched: PatchedPair) -> PanelFigure:
    """What each head and MLP recovers of the difference between two images, and the tokens of a layer as the map."""
    heads, mlp = patched.heads, patched.mlp.recovered
    target = heads.target if isinstance(heads.target, tuple) else (heads.target,)
    logit = logit_name([explanation.labels[k] for k in target])
    layer, head = np.unravel_index(int(heads.recovered.argmax()), heads.recovered.shape)
    recovers = f"recovers {words.percent(float(heads.recovered[layer, head]), 0)} of the difference between A and B"
    verb = "raises" if heads.logit >= heads.corrupted_logit else "lowers"
    name = f" ({patched.other.name})" * bool(patched.other.name)
    sentence = (
        f"Each cell: image B{name} runs through the model with this one activation replaced by that of image A. 0: "
        f"{logit} stays at {words.signed(heads.corrupted_logit)}, as in B. 1: this activation alone {verb} it to "
        f"{words.signed(heads.logit)}, as in A. Heads have {color_range(largest(heads.recovered))}, MLPs "
        f"{color_range(largest(mlp))}."
    )
    figure = replace(
        base,
        headline=f"Layer {layer + 1}, head {head + 1} alone {recovers} in {logit}",
        matrix_title="Recovered difference by layer and head",
        caption=caption(explanation, sentence),
        panel=Cells(heads.recovered, largest(heads.recovered), chosen_cell(view), None, mlp, largest(mlp)),
        other=np.asarray(patched.other.image.model_input),
    )
    rows: list[Row] = [
        ("recovered", "head", k + 1, h + 1, "", "", value) for (k, h), value in np.ndenumerate(heads.recovered)
    ]
    rows += [("recovered", "MLP", k + 1, "", "", "", value) for k, value in enumerate(mlp)]
    arrays: dict[str, Any] = {"heads": heads.recovered, "mlp": mlp, "target": np.array(target)}
    arrays |= {"logit": heads.logit, "corrupted_logit": heads.corrupted_logit}
    if patched.tokens is not None and (shown := layer_of(view)) is not None:
        tokens = patched.tokens.recovered[0]
        large = tokens[explanation.prefix :].reshape(explanation.grid)
        notes = [words.signed(float(value)) for value in tokens[: explanation.prefix]]
        config = explanation.context.config
        names = [words.prefix_name(k, config.class_token, config.distilled) for k in range(explanation.prefix)]
        figure = replace(
            figure,
            title=f"Tokens after layer {shown + 1}",
            large=large,
            scale=Scale("signed", largest(large), is_weight=False, quantity="recovered difference of A and B"),
            prefix_line=", ".join(
                f"{note} by {'the ' * name.endswith('token')}{name}" for note, name in zip(notes, names, strict=True)
            ),
        )
        arrays["tokens"] = tokens
        rows += token_rows("recovered", "token", tokens, (shown + 1, ""), explanation)
    arrays["caption"] = np.array(" ".join(figure.caption))
    return PanelFigure(figure, arrays, rows)
