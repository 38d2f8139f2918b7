"""The numbers of a view: arrays by name, and rows of a table with one value a line.

In tables, layers, heads, rows and columns count from 1; in arrays, means are the last layer and the last head.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vitviz.attribution.ablation import describe_ablations
from vitviz.attribution.activation_patching import ActivationPatching
from vitviz.attribution.targets import target_names
from vitviz.attribution.tuned_lens import require_lens
from vitviz.attribution.view_maps import (
    all_rows,
    attention_scales,
    check_view,
    map_of,
    over_patches,
    pixel_map_of,
    target_of,
    title_of,
)
from vitviz.errors import ConfigError
from vitviz.models.labels import distinct_names
from vitviz.plots import formatting
from vitviz.view import View

if TYPE_CHECKING:
    from vitviz.attribution.explanation import Explanation

Arrays = dict[str, Any]
Row = tuple[Any, ...]  # quantity, name, layer, head, row, column, value
COLUMNS = ("quantity", "name", "layer", "head", "row", "column", "value")
EMPTY = ("", "", "", "")


@dataclass(frozen=True)
class PatchedPair:
    """Results of activation patching between two images: heads, MLPs, and tokens of the shown layer if any."""

    heads: ActivationPatching
    mlp: ActivationPatching
    tokens: ActivationPatching | None = None


def arrays(explanation: "Explanation", view: View, patched: PatchedPair | None = None) -> Arrays:
    """Return the arrays of a view by name.

    Args:
        explanation: The explanation.
        view: The view. Of "attention" and "method": `map` (gh, gw) and its `title`; `pixels` (H, W), if it is shown by
            pixel; `maps` (L + 1, A + 1, gh, gw), attention of all heads and then means, NaN where ablated; `prefix`
            (L + 1, A + 1, R), attention to or from the tokens before the patches; `limits`, ends of the scales of heads
            and means, if they are shared. Of "contributions": the fields of `Contributions`, and the `map` of the
            chosen heads. Of "features": `rgb` (L, gh, gw, 3) and `explained` (L, 3), or with a query its `similarity`
            (L, gh, gw) and the `patch`, or of the tuned lens `lens` (L + 1, gh, gw), `accuracy` and `localization`
            (L + 1,), from the input of the first block on. Of "patching": `heads` (L, A), `mlp` (L,), `target`, both
            logits, and `tokens` (T,) if a layer is shown.
        patched: The results of "patching".

    Returns:
        These, and of all views but "patching" `labels` and `probabilities` (K,).

    Raises:
        ConfigError: As of `check_view`, or without the results of "patching".
    """
    check_view(explanation, view)
    if view.content == "patching":
        return patching_arrays(patched)
    found = {
        "contributions": contribution_arrays,
        "features": lens_arrays if view.lens else similarity_arrays if view.query else feature_arrays,
    }.get(view.content, map_arrays)(explanation, view)
    return found | {"labels": np.array(explanation.labels), "probabilities": explanation.probabilities}


def file_arrays(explanation: "Explanation", view: View) -> Arrays:
    """Return the arrays of a view and of the explanation by name, as `Explanation.save` writes them."""
    return {
        **view_arrays(explanation, view),
        **method_arrays(explanation, view),
        **({"attention": explanation.attention} if explanation.context.layered is None else {}),
    }


def view_arrays(explanation: "Explanation", view: View) -> Arrays:
    """Return the arrays of a view with what it shows, without other methods and the attention between all tokens."""
    context = explanation.context
    return {
        **arrays(explanation, view),
        "logits": explanation.logits,
        "target": np.array(target_names(context, target_of(explanation, view))),
        "image": np.asarray(explanation.image.model_input),
        "checkpoint": np.array(context.checkpoint.name),
        "note": np.array(explanation.image.note),
        "changes": np.array(describe_ablations(explanation.ablations)),
    }


def map_arrays(explanation: "Explanation", view: View) -> Arrays:
    """Return the arrays of attention, or of the map of a method."""
    rows = all_rows(explanation, view)
    found = {
        "map": map_of(explanation, view),
        "title": np.array(title_of(explanation, view)),
        "maps": over_patches(explanation.context, rows),
        "prefix": rows[..., : explanation.context.prefix],
    }
    if (pixels := pixel_map_of(explanation, view)) is not None:
        found["pixels"] = pixels
    if view.scale == "shared" and (scales := attention_scales(explanation, view)) is not None:
        found["limits"] = np.array([scale.limit for scale in scales])
    return found


def method_arrays(explanation: "Explanation", view: View, scores: Mapping[str, Any] | None = None) -> Arrays:
    """Return the maps of the methods that are no directions, `method_NAME` (gh, gw), and their deletion scores.

    `scores` are those of `serialize.method_scores`; NaN for a flat map, which has none.
    """
    keys = [key for key, method in explanation.methods.items() if not method.is_direction]
    target = target_of(explanation, view)
    found: Arrays = {f"method_{key}": explanation.map(key, target) for key in keys}
    if scores is not None:
        values = [scores["scores"][key] for key in keys]
        found["methods"], found["scores"] = np.array(keys), np.array(values, np.float64)
        found["random_baseline"] = np.array(scores["random_baseline"])
    return found


def contribution_arrays(explanation: "Explanation", view: View) -> Arrays:
    """Return the summands of a logit, and what the chosen heads contributed by the patch that it was read from."""
    found = explanation.contributions(target_of(explanation, view))
    layers = slice(view.layer, view.layer + 1) if isinstance(view.layer, int) else slice(None)
    heads = slice(view.head, view.head + 1) if isinstance(view.head, int) else slice(None)
    tokens = found.heads[layers, heads].sum((0, 1), dtype=np.float32)  # (T,)
    names = ("embedding", "heads", "attention_bias", "mlp", "bias", "logit")
    return {name: getattr(found, name) for name in names} | {
        "map": over_patches(explanation.context, tokens),
        "title": np.array(formatting.heads_name(view.layer, view.head)),
    }


def feature_arrays(explanation: "Explanation", view: View) -> Arrays:
    """Return the principal components of all layers as colors; white and NaN if fewer than three patches are left."""
    depth = explanation.context.layers_and_heads[0]
    rgb = np.full((depth, *explanation.context.grid, 3), 255, np.uint8)
    explained = np.full((depth, 3), np.nan, np.float32)
    for layer in range(depth):
        try:
            found = explanation.pca(layer, view.foreground)
        except ValueError:
            continue
        explained[layer] = found.basis.explained
        rgb[layer][found.foreground] = np.round(255 * found.rgb[found.foreground])
    return {"rgb": rgb, "explained": explained}


def similarity_arrays(explanation: "Explanation", view: View) -> Arrays:
    """Return the cosine similarity of a patch with all patches in each layer."""
    patch, depth = view.query[-1], explanation.context.layers_and_heads[0]
    values = np.stack([explanation.similarity(layer, patch) for layer in range(depth)])
    return {"similarity": values, "patch": np.array(patch)}


def lens_arrays(explanation: "Explanation", view: View) -> Arrays:
    """Return the probability of the (first) class at each patch after each layer, by the tuned lens of the model."""
    lens = require_lens(explanation.context.checkpoint)
    found = lens.maps(explanation, target_of(explanation, view))
    return {"lens": found, "accuracy": lens.accuracy, "localization": lens.localization}


def patching_arrays(patched: PatchedPair | None) -> Arrays:
    """Return what each head, MLP and token recovers."""
    if patched is None:
        raise ConfigError("content", "must not be patching without a second image", "Use vitviz.patch_activations.")
    heads = patched.heads
    found: Arrays = {"heads": heads.recovered, "mlp": patched.mlp.recovered, "target": np.array(heads.target)}
    found |= {"logit": heads.logit, "corrupted_logit": heads.corrupted_logit}
    return found if patched.tokens is None else found | {"tokens": patched.tokens.recovered[0]}


# Tables


def rows(explanation: "Explanation", view: View, found: Arrays) -> Iterator[Row]:
    """Yield the arrays of a view as rows of a table with `COLUMNS`."""
    at = place(view)
    if view.content == "contributions":
        yield from contribution_rows(explanation, found)
    elif view.content == "patching":
        yield from (("recovered", "head", k + 1, h + 1, "", "", v) for (k, h), v in np.ndenumerate(found["heads"]))
        yield from (("recovered", "MLP", k + 1, "", "", "", value) for k, value in enumerate(found["mlp"]))
        if "tokens" in found:
            yield from token_rows("recovered", "token", found["tokens"], (at[0], ""), explanation)
    elif view.content == "features":
        yield from feature_rows(explanation, view, found)
    else:
        for (row, column), value in np.ndenumerate(found["map"]):
            yield "map", str(found["title"]), *at, row + 1, column + 1, value
        layers, heads = found["maps"].shape[:2]
        for (layer, head, row, column), value in np.ndenumerate(found["maps"]):
            yield "attention", "", number(layer, layers), number(head, heads), row + 1, column + 1, value
        yield from probability_rows(found)


def feature_rows(explanation: "Explanation", view: View, found: Arrays) -> Iterator[Row]:
    """Yield what is known of the tokens: similarity with a patch, probability by the tuned lens, or colors."""
    if "similarity" in found:
        name = formatting.patch_name(int(found["patch"]), explanation.context.grid[1])
        for (k, row, column), value in np.ndenumerate(found["similarity"]):
            yield "cosine similarity", name, k + 1, "", row + 1, column + 1, value
    elif "lens" in found:
        name = target_names(explanation.context, target_of(explanation, view))[0]
        for (k, row, column), value in np.ndenumerate(found["lens"]):
            yield "probability by the tuned lens", name, k, "", row + 1, column + 1, value
        for quantity in ("accuracy", "localization"):
            yield from ((quantity, "tuned lens", k, "", "", "", value) for k, value in enumerate(found[quantity]))
    else:
        for (k, row, column, channel), value in np.ndenumerate(found["rgb"]):
            color = ("red", "green", "blue")[channel]
            yield f"{color}, 0 to 255", "principal component", k + 1, "", row + 1, column + 1, value
        for (k, component), value in np.ndenumerate(found["explained"]):
            yield "explained variance", f"component {component + 1}", k + 1, "", "", "", value


def method_rows(found: Arrays) -> Iterator[Row]:
    """Yield the maps and scores of all methods, and the probabilities, as rows of a table."""
    for key in found["methods"]:
        for (row, column), value in np.ndenumerate(found[f"method_{key}"]):
            yield "attribution", key, "", "", row + 1, column + 1, value
    for key, score in zip(found["methods"], found["scores"], strict=True):
        if not np.isnan(score):
            yield "deletion score", key, *EMPTY, score
    for name, value in zip(("mean", "SD"), found["random_baseline"], strict=True):
        yield "deletion score", f"{name} of random orders", *EMPTY, value
    yield from probability_rows(found)


def probability_rows(found: Arrays) -> Iterator[Row]:
    """Yield the probability of each class."""
    names = distinct_names(found["labels"].tolist())
    yield from (("probability", name, *EMPTY, p) for name, p in zip(names, found["probabilities"], strict=True))


def contribution_rows(explanation: "Explanation", found: Arrays) -> Iterator[Row]:
    """Yield the summands of a logit."""
    yield "contribution", "embedding", *EMPTY, found["embedding"]
    for layer, heads in enumerate(found["heads"]):
        for head, values in enumerate(heads):
            yield from token_rows("contribution", "head", values, (layer + 1, head + 1), explanation)
        yield "contribution", "attention bias", layer + 1, "", "", "", found["attention_bias"][layer]
        yield "contribution", "MLP", layer + 1, "", "", "", found["mlp"][layer]
    yield "contribution", "biases of the classification head", *EMPTY, found["bias"]
    yield "logit", "", *EMPTY, found["logit"]


def token_rows(
    quantity: str, name: str, values: NDArray[np.float32], at: tuple[Any, Any], explanation: "Explanation"
) -> Iterator[Row]:
    """Yield a row per token, (T,): patches by row and column, tokens before them by name."""
    config, columns = explanation.context.config, explanation.context.grid[1]
    for token, value in enumerate(values):
        if token < explanation.context.prefix:
            kind = formatting.prefix_name(token, config.class_token, config.distilled)
            yield quantity, f"{name}, {kind}", *at, "", "", value
        else:
            row, column = divmod(token - explanation.context.prefix, columns)
            yield quantity, name, *at, row + 1, column + 1, value


def number(index: int, count: int) -> str:
    """Name a layer or head by its number from 1; the last one is the mean."""
    return "mean" if index == count - 1 else str(index + 1)


def place(view: View) -> tuple[str, str]:
    """Name the layer and head of a view, empty for the map of a method."""
    if view.content == "method":
        return "", ""
    layer, head = (str(one + 1) if isinstance(one, int) else one for one in (view.layer, view.head))
    return layer, head
