"""Figure of the probes of a model: twelve panels.

The input are arrays by name, for example from an `.npz` file of `python -m vitviz probe`. Every scale is labeled;
layers and heads count from 1, and "in" is the input of the first layer.
"""

import vitviz.plots.mpl_backend  # noqa: F401 - before Matplotlib

# isort: split
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from numpy.typing import NDArray

from vitviz.plots.style import MAP_COLORS, MUTED_COLOR, SIGNED_COLORS, TEXT_COLOR, Displayed, own_style, plain

Arrays = Mapping[str, NDArray]
Panel = Any  # Matplotlib's Figure or SubFigure

DATA_COLOR = MAP_COLORS(150)
OF_STATISTICS = {  # the array of a panel, and why it may be empty
    "heads": ("head_shares", "at least 128 images and scores without relative positions are needed"),
    "decision": ("follows_patches", "at least 128 images and a classifier that reads the class token are needed"),
}
OF_ATTENTION = ("distance", "effective", "divergence")


def draw(arrays: Arrays, note: str = "") -> Figure:
    """Draw all probes.

    Args:
        arrays: `filters` (k, 3, P, P), `explained` (k,), `position_similarity` (gh, gw, gh, gw), `distance` (L, A),
            `uniform_distance` (), `effective_tokens` (L, A), `head_divergence` (L, A, A), `norms` (L + 1, T),
            `longest` (L + 1,), `outliers` (L + 1, T), `final_agreement` and `final_probability` (L + 1,) or empty,
            `class_token_cosine` (L + 1, gh, gw), `cka` (L + 1, L + 1), `sink_share` and `sink_norm` (L, A),
            `head_shares` (L, A, 4), `follows_patches` and `follows_class_token` (L + 1,), `head_images` and `pairs`
            (), and the class names, `labels` (K,); others are ignored.
        note: Footer.
    """
    with own_style():
        figure = Displayed(figsize=(7.2, 8.4), facecolor="white", layout="constrained")
        panels = figure.subfigures(4, 3, wspace=0.04, hspace=0.04).ravel()
        for panel, (name, (draw_panel, title)) in zip(panels, PANELS.items(), strict=False):
            panel.suptitle(title, x=0.02, ha="left", fontsize=8, fontweight="bold")
            if reason := why_absent(arrays, name):
                panel.text(0.02, 0.85, f"{reason.capitalize()}.", color=MUTED_COLOR)
            else:
                draw_panel(panel, arrays)
        figure.supxlabel(plain(note), x=0.01, ha="left", fontsize=6, color=MUTED_COLOR)
    return figure


def why_absent(arrays: Arrays, name: str) -> str:
    """Return why a model has no such probe; empty if it has."""
    if name not in OF_ATTENTION and not arrays["filters"].size:
        return "only its attention and outputs are known"
    if name == "positions" and not arrays["position_similarity"].any():
        return "this model has rotary positions and no position embedding"
    if name in OF_STATISTICS and not arrays[OF_STATISTICS[name][0]].size:
        return OF_STATISTICS[name][1]
    if name == "lens" and not len(arrays["labels"]):
        return "this model has no classification head"
    if name == "lens" and not len(arrays["final_agreement"]):
        return "this model was trained without labels"
    needs_token = name in ("effective", "divergence", "cosine") and arrays["filters"].size
    return "this model has no class token" if needs_token and not len(arrays["class_token_cosine"]) else ""


def tiles(panel: Panel, count: int, columns: int | None = None) -> list[Axes]:
    """Add axes without ticks for `count` small images, by default in about as many rows as columns."""
    columns = columns or int(np.ceil(np.sqrt(count)))
    axes = panel.subplots(-(-count // columns), columns, squeeze=False).ravel()
    for one in axes:
        one.set(xticks=[], yticks=[])
    for one in axes[count:]:
        one.set_axis_off()
    return list(axes[:count])


def add_scale(panel: Panel, image: AxesImage, axes: Any, label: str) -> None:
    """Add a color bar on the right, labeled with its unit."""
    bar = panel.colorbar(image, ax=axes, shrink=0.8, aspect=25)
    bar.outline.set_visible(False)
    bar.set_label(label)


def cell_aspect(arrays: Arrays) -> float:
    """Height of a patch divided by its width: 1, except for networks with strips as patches."""
    height, width = arrays["filters"].shape[2:]
    return height / width


def by_layer(axes: Axes, layers: int, with_input: bool) -> NDArray:
    """Format axes whose x axis is the layer, and return the x position of each layer."""
    places = np.arange(layers) + (0 if with_input else 1)
    shown = places[:: max(1, layers // 8)]
    axes.set_xticks(shown, [layer_name(place) for place in shown])
    axes.set_xlabel("layer")
    axes.spines[["top", "right"]].set_visible(False)
    return places


def layer_name(place: int) -> str:
    """Label of a layer; 0 is the input of the first one."""
    return str(place) if place else "in"


def show_filters(panel: Panel, arrays: Arrays) -> None:
    """Draw the principal components of the patch embedding, each on a separate scale."""
    filters, ratios = arrays["filters"], arrays["explained"]
    for axes, component, ratio in zip(tiles(panel, len(filters), 7), filters, ratios, strict=True):
        top = float(np.abs(component).max()) or 1.0
        axes.imshow(0.5 + component.transpose(1, 2, 0) / (2 * top))
        axes.set_title(f"{100 * ratio:.1f} %", fontsize=5, color=MUTED_COLOR, pad=1.5)


def show_positions(panel: Panel, arrays: Arrays) -> None:
    """Draw one tile per position, at its place in the grid: similarity to all positions."""
    similarity = arrays["position_similarity"]
    gh, gw = similarity.shape[:2]
    gapped = np.pad(similarity, ((0, 0), (0, 0), (0, 1), (0, 1)), constant_values=np.nan)  # (gh, gw, gh + 1, gw + 1)
    axes = panel.subplots()
    image = axes.imshow(
        gapped.swapaxes(1, 2).reshape(gh * (gh + 1), gw * (gw + 1))[:-1, :-1],
        cmap=SIGNED_COLORS,
        vmin=-1,
        vmax=1,
        aspect=cell_aspect(arrays) ** 2,  # tiles have the aspect ratio of patches
    )
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    add_scale(panel, image, axes, "cosine")


def show_distance(panel: Panel, arrays: Arrays) -> None:
    """Draw the mean attention distance, a dot per head."""
    axes = panel.subplots()
    show_heads(axes, arrays["distance"], float(arrays["uniform_distance"]), "uniform: {:.1f} px")
    axes.set_ylabel("mean attention distance (px)")


def show_heads(axes: Axes, values: NDArray, uniform: float, label: str) -> None:
    """Draw a dot per head (L, A), their mean as a line, and the value of uniform attention."""
    places = by_layer(axes, len(values), with_input=False)
    axes.plot(places, values, "o", color=DATA_COLOR, markersize=4, alpha=0.7, markeredgewidth=0)
    axes.plot(places, np.nanmean(values, 1), color=TEXT_COLOR, linewidth=1)
    axes.axhline(uniform, color=MUTED_COLOR, linewidth=0.7, linestyle=":")
    axes.annotate(label.format(uniform), (1, uniform), xytext=(0, 3), textcoords="offset points", color=MUTED_COLOR)
    axes.set_ylim(0, 1.12 * max(uniform, float(np.nanmax(values))))


def show_entropy(panel: Panel, arrays: Arrays) -> None:
    """Draw the effective number of tokens that the class token attends to, a dot per head."""
    axes = panel.subplots()
    show_heads(axes, arrays["effective_tokens"], arrays["norms"].shape[1], "uniform: {}")
    axes.set_ylabel("effective number of tokens")


def show_divergence(panel: Panel, arrays: Arrays) -> None:
    """Draw a matrix of heads against heads for each layer, on one scale."""
    divergence = arrays["head_divergence"]
    axes = tiles(panel, len(divergence))
    for layer, (one, values) in enumerate(zip(axes, divergence, strict=True), 1):
        image = one.imshow(values, cmap=MAP_COLORS, vmin=0, vmax=np.log(2))
        one.set_title(f"layer {layer}" if layer == 1 else str(layer), fontsize=7, color=MUTED_COLOR, pad=2)
    add_scale(panel, image, axes, "Jensen–Shannon divergence (nats)")


def show_norms(panel: Panel, arrays: Arrays) -> None:
    """Draw the norms of the class token and the patches by layer, and below the percentage of outliers."""
    norms, similarity = arrays["norms"], arrays["position_similarity"]
    R = norms.shape[1] - similarity.shape[0] * similarity.shape[1]
    patches, outliers = norms[:, R:], 100 * arrays["outliers"][:, R:].mean(1)
    above, below = panel.subplots(2, 1, height_ratios=(3, 1), sharex=True)
    places = by_layer(above, len(norms), with_input=True)
    above.fill_between(places, patches.min(1), patches.max(1), color=DATA_COLOR, alpha=0.25, linewidth=0)
    above.plot(places, np.median(patches, 1), color=DATA_COLOR, label="patches: median and range")
    above.plot(places, arrays["longest"], ":", color=DATA_COLOR, linewidth=1, label="largest patch of an image")
    if len(arrays["class_token_cosine"]):
        above.plot(places, norms[:, 0], color=TEXT_COLOR, linewidth=1, label="class token")
    above.set_ylim(bottom=0)
    above.set_ylabel("L2 norm")
    above.set_xlabel("")
    above.legend(fontsize=6, loc="lower right")
    by_layer(below, len(norms), with_input=True)
    below.bar(places, outliers, color=DATA_COLOR, width=0.6)
    below.set_ylim(0, max(1.0, 1.2 * float(outliers.max())))
    below.set_ylabel("outliers (%)")


def show_lens(panel: Panel, arrays: Arrays) -> None:
    """Draw how often, and how confidently, the classification head predicts the final class from earlier layers."""
    agreement, probability = arrays["final_agreement"], arrays["final_probability"]  # (L + 1,)
    axes = panel.subplots()
    places = by_layer(axes, len(agreement), with_input=True)
    axes.plot(places, 100 * agreement, "o-", color=TEXT_COLOR, markersize=3, label="images with the final prediction")
    axes.plot(places, 100 * probability, "o-", color=DATA_COLOR, markersize=3, label="mean probability of that class")
    axes.axhline(100 / len(arrays["labels"]), color=MUTED_COLOR, linewidth=0.7, linestyle=":", label="chance")
    axes.set_ylim(0, 105)
    axes.set_ylabel("%")
    axes.legend(fontsize=6, loc="upper left")


def show_cosine(panel: Panel, arrays: Arrays) -> None:
    """Draw one map per layer: cosine similarity of the patches to the class token."""
    maps = arrays["class_token_cosine"]
    top = float(np.abs(maps).max()) or 1.0
    axes = tiles(panel, len(maps))
    for place, (one, values) in enumerate(zip(axes, maps, strict=True)):
        image = one.imshow(values, cmap=SIGNED_COLORS, vmin=-top, vmax=top)
        one.set_aspect(cell_aspect(arrays))
        one.set_title(f"layer {place}" if place == 1 else layer_name(place), fontsize=7, color=MUTED_COLOR, pad=2)
    add_scale(panel, image, axes, f"cosine; one scale, maximum {top:.2f}")


def show_cka(panel: Panel, arrays: Arrays) -> None:
    """Draw the CKA of layer against layer."""
    values = arrays["cka"]
    axes = panel.subplots()
    image = axes.imshow(values, cmap=MAP_COLORS, vmin=0, vmax=1, origin="lower")
    places = by_layer(axes, len(values), with_input=True)
    shown = places[:: max(1, len(places) // 8)]
    axes.set_yticks(shown, [layer_name(place) for place in shown])
    axes.set_ylabel("layer")
    axes.spines[:].set_visible(False)
    add_scale(panel, image, axes, "linear CKA; 0 means 0 or less")


def show_sinks(panel: Panel, arrays: Arrays) -> None:
    """Draw a dot per head, darker in later layers: value norm and attention of its largest receiver."""
    shares, norms = 100 * arrays["sink_share"], arrays["sink_norm"]  # (L, A)
    axes = panel.subplots()
    for layer, (x, y) in enumerate(zip(norms, shares, strict=True)):
        color = MAP_COLORS(90 + round(150 * layer / max(1, len(shares) - 1)))
        label = f"layer {layer + 1}" if layer in (0, len(shares) - 1) else None
        axes.plot(x, y, "o", color=color, markersize=4, markeredgewidth=0, label=label)
    uniform = 100 / arrays["norms"].shape[1]
    axes.axhline(uniform, color=MUTED_COLOR, linewidth=0.7, linestyle=":")
    axes.annotate(f"uniform: {uniform:.1f} %", (0, uniform), xytext=(2, 3), textcoords="offset points", fontsize=7)
    axes.set_xlim(0, 1.08 * max(1.0, float(norms.max())))
    axes.set_ylim(0, 1.12 * float(shares.max()))
    axes.set_xlabel("its value norm (1: mean of all tokens)")
    axes.set_ylabel("attention on largest receiver (%)")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=6, loc="upper right")


def show_heads_by_part(panel: Panel, arrays: Arrays) -> None:
    """Draw a stacked bar per head: shares of position, content, what is the same for all queries, and the rest."""
    shares = arrays["head_shares"]  # (L, A, 4)
    L, A = shares.shape[:2]
    axes = panel.subplots()
    places = np.arange(L)[:, None] + (np.arange(A) - (A - 1) / 2) * 0.8 / A + 1  # (L, A)
    starts = 100 * (shares.cumsum(-1) - shares)
    colors = (DATA_COLOR, TEXT_COLOR, "#b9bdc4", "#e3e5e8")
    for part, (name, color) in enumerate(zip(("position", "content", "same for all", "rest"), colors, strict=True)):
        heights = 100 * shares[..., part]
        axes.bar(places.ravel(), heights.ravel(), 0.7 / A, starts[..., part].ravel(), color=color, label=name)
    by_layer(axes, L, with_input=False)
    axes.set_ylabel(f"of the scores (%), {int(arrays['head_images'])} images")
    axes.set_ylim(0, 128)  # room for the legend
    axes.set_yticks(range(0, 101, 20))
    axes.legend(fontsize=6, loc="upper center", ncols=4, columnspacing=1, handlelength=1)


def show_decision(panel: Panel, arrays: Arrays) -> None:
    """Draw which image the prediction follows after the class token was swapped."""
    axes = panel.subplots()
    places = by_layer(axes, len(arrays["follows_patches"]), with_input=True)
    axes.plot(places, 100 * arrays["follows_patches"], "o-", color=DATA_COLOR, markersize=3, label="the patches")
    axes.plot(
        places, 100 * arrays["follows_class_token"], "o-", color=TEXT_COLOR, markersize=3, label="the class token"
    )
    axes.set_ylim(0, 105)
    axes.set_xlabel("swap after layer")
    axes.set_ylabel(f"prediction follows (%), {int(arrays['pairs'])} pairs")
    axes.legend(fontsize=6, loc="center left")


PANELS = {
    "filters": (show_filters, "Patch embedding filters"),
    "positions": (show_positions, "Position embedding similarity"),
    "distance": (show_distance, "Attention distance"),
    "effective": (show_entropy, "Effective number of tokens"),
    "divergence": (show_divergence, "Head similarity"),
    "norms": (show_norms, "Token norms"),
    "lens": (show_lens, "Logit lens"),
    "cosine": (show_cosine, "Class-token similarity"),
    "cka": (show_cka, "Layer similarity (CKA)"),
    "sinks": (show_sinks, "Attention sinks"),
    "heads": (show_heads_by_part, "What heads look for"),
    "decision": (show_decision, "When the class token decides"),
}
