"""What the probes of a model found -> one figure of nine panels, to be saved by `paper.render`.

It takes arrays by name, those of a `.npz` of `python -m vitviz probe` for example, and knows no model. On white, each
scale stated; layers and heads count from 1, and "in" is what enters the first layer.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from numpy.typing import NDArray

from vitviz.plots.figures import DRAWING, INK, LINE, MAP_COLOURS, QUIET, SIGNED_COLOURS, bare, own_style, plain

Numbers = Mapping[str, NDArray]
Panel = Any  # Matplotlib's Figure or SubFigure

STRONG = MAP_COLOURS(150)


def draw(numbers: Numbers, note: str = "") -> Figure:
    """Draw all probes.

    Args:
        numbers: `filters` (k, 3, P, P), `explained` (k,), `position_similarity` (gh, gw, gh, gw), `distance` (L, A),
            `uniform_distance` (), `effective_tokens` (L, A), `head_divergence` (L, A, A), `norms` (L + 1, T),
            `longest` (L + 1,), `outliers` (L + 1, T), `final_share` and `final_probability` (L + 1,),
            `class_token_cosine` (L + 1, gh, gw), `cka` (L + 1, L + 1) and the names of the classes, `labels` (K,);
            others are ignored.
        note: The last line.
    """
    with DRAWING, own_style():
        figure = Figure(figsize=(12, 11.5), facecolor="white", layout="constrained")
        figure.get_layout_engine().set(rect=(0, 0.02, 1, 0.98))
        panels = figure.subfigures(3, 3, wspace=0.04, hspace=0.03).ravel()
        for panel, show in zip(panels, PANELS, strict=True):
            show(panel, numbers)
        figure.text(0.01, 0.004, plain(note), fontsize=6, color=QUIET)
    return figure


def name(panel: Panel, title: str, how: str) -> None:
    """Name a panel above, and say below how to read it."""
    panel.suptitle(title, x=0.02, ha="left", fontweight="bold")
    panel.supxlabel(how, x=0.02, ha="left", fontsize=6.5, color=QUIET)


def tiles(panel: Panel, count: int, columns: int | None = None) -> list[Axes]:
    """Bare axes for `count` small images; unless told, in about as many rows as columns."""
    columns = columns or int(np.ceil(np.sqrt(count)))
    axes = panel.subplots(-(-count // columns), columns, squeeze=False).ravel()
    for one in axes:
        bare(one)
    for one in axes[count:]:
        one.set_axis_off()
    return list(axes[:count])


def add_scale(panel: Panel, image: AxesImage, axes: Any, label: str) -> None:
    """A colour bar on the right, with its unit."""
    bar = panel.colorbar(image, ax=axes, shrink=0.8, aspect=25)
    bar.outline.set_visible(False)
    bar.set_label(label, color=QUIET)


def cell_aspect(numbers: Numbers) -> float:
    """Height of a patch by its width: 1, but for networks that cut strips."""
    height, width = numbers["filters"].shape[2:]
    return height / width


def by_layer(axes: Axes, layers: int, with_input: bool) -> NDArray:
    """Prepare axes whose x is the layer, and say where each layer stands."""
    places = np.arange(layers) + (0 if with_input else 1)
    shown = places[:: max(1, layers // 8)]
    axes.set_xticks(shown, [layer_name(place) for place in shown])
    axes.set_xlabel("layer", color=QUIET)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(LINE)
    axes.tick_params(length=2, color=LINE)
    return places


def layer_name(place: int) -> str:
    """A layer on screen; 0 is what enters the first."""
    return str(place) if place else "in"


def show_filters(panel: Panel, numbers: Numbers) -> None:
    """The components of the patch embedding, each on its own scale."""
    filters, shares = numbers["filters"], numbers["explained"]
    for axes, component, share in zip(tiles(panel, len(filters), 7), filters, shares, strict=True):
        top = float(np.abs(component).max()) or 1.0
        axes.imshow(0.5 + component.transpose(1, 2, 0) / (2 * top), interpolation="nearest")
        axes.set_title(f"{100 * share:.1f} %", fontsize=5, color=QUIET, pad=1.5)
    name(
        panel,
        "What the patch embedding looks for",
        f"Principal components of its filters, with the share of variance; these {len(filters)} hold "
        f"{100 * shares.sum():.0f} %.\nGrey is 0; each is divided by its own largest weight. ViT paper, figure 7 left.",
    )


def show_positions(panel: Panel, numbers: Numbers) -> None:
    """One tile for each position, in its place: how alike it is to all others."""
    similarity = numbers["position_similarity"]
    gh, gw = similarity.shape[:2]
    gapped = np.pad(similarity, ((0, 0), (0, 0), (0, 1), (0, 1)), constant_values=np.nan)  # (gh, gw, gh + 1, gw + 1)
    axes = panel.subplots()
    image = axes.imshow(
        gapped.swapaxes(1, 2).reshape(gh * (gh + 1), gw * (gw + 1))[:-1, :-1],
        cmap=SIGNED_COLOURS,
        vmin=-1,
        vmax=1,
        interpolation="nearest",
        aspect=cell_aspect(numbers) ** 2,  # a tile has the shape of the patch in whose place it stands
    )
    bare(axes)
    axes.spines[:].set_visible(False)
    add_scale(panel, image, axes, "cosine")
    name(
        panel,
        "What the positions know of the grid",
        "One tile for each patch, in its place: cosine of its position embedding with\nthat of every patch. "
        "ViT paper, figure 7 centre.",
    )


def show_distance(panel: Panel, numbers: Numbers) -> None:
    """A dot for each head: how far patches look."""
    axes = panel.subplots()
    show_heads(axes, numbers["distance"], float(numbers["uniform_distance"]), "all patches alike: {:.1f} px")
    axes.set_ylabel("mean attention distance (px)", color=QUIET)
    name(
        panel,
        "How far patches look",
        "One dot for each head, the line is their mean: distance in the image weighted by\nattention among the "
        "patches. Low is local, high is global. ViT paper, figure 7 right.",
    )


def show_heads(axes: Axes, values: NDArray, even: float, words: str) -> None:
    """A dot for each head (L, A) above its layer, their mean as a line, and what an even spread would have."""
    places = by_layer(axes, len(values), with_input=False)
    axes.plot(places, values, "o", color=STRONG, markersize=4, alpha=0.7, markeredgewidth=0)
    axes.plot(places, values.mean(1), color=INK, linewidth=1)
    axes.axhline(even, color=QUIET, linewidth=0.7, linestyle=":")
    axes.annotate(words.format(even), (1, even), xytext=(0, 3), textcoords="offset points", color=QUIET)
    axes.set_ylim(0, 1.12 * max(even, float(values.max())))


def show_entropy(panel: Panel, numbers: Numbers) -> None:
    """A dot for each head: how many tokens the class token looks at."""
    axes = panel.subplots()
    show_heads(axes, numbers["effective_tokens"], numbers["norms"].shape[1], "all tokens alike: {}")
    axes.set_ylabel("effective number of tokens", color=QUIET)
    name(
        panel,
        "How many tokens the class token looks at",
        "One dot for each head, the line is their mean: exponential of the entropy of the\nclass token's attention. "
        "1 is a single token. Clark et al. 2019, section 3.3.",
    )


def show_divergence(panel: Panel, numbers: Numbers) -> None:
    """One square of heads against heads for each layer, on one scale."""
    divergence = numbers["head_divergence"]
    axes = tiles(panel, len(divergence))
    for layer, (one, values) in enumerate(zip(axes, divergence, strict=True), 1):
        image = one.imshow(values, cmap=MAP_COLOURS, vmin=0, vmax=np.log(2), interpolation="nearest")
        one.set_title(f"layer {layer}" if layer == 1 else str(layer), fontsize=7, color=QUIET, pad=2)
    add_scale(panel, image, axes, "Jensen-Shannon divergence (nats), 0 to ln 2")
    name(
        panel,
        "How differently the heads of a layer look",
        "Head against head, by the class token's attention: pale is the same, dark is no\ntoken in common. "
        "Clark et al. 2019, section 6.",
    )


def show_norms(panel: Panel, numbers: Numbers) -> None:
    """Lengths of the class token and the patches by layer, and below the share of outliers."""
    norms, similarity = numbers["norms"], numbers["position_similarity"]
    R = norms.shape[1] - similarity.shape[0] * similarity.shape[1]
    patches, odd = norms[:, R:], 100 * numbers["outliers"][:, R:].mean(1)
    above, below = panel.subplots(2, 1, height_ratios=(3, 1), sharex=True)
    places = by_layer(above, len(norms), with_input=True)
    above.fill_between(places, patches.min(1), patches.max(1), color=STRONG, alpha=0.25, linewidth=0)
    above.plot(places, np.median(patches, 1), color=STRONG, label="patches: median, and all places")
    above.plot(places, numbers["longest"], ":", color=STRONG, linewidth=1, label="longest patch of an image")
    above.plot(places, norms[:, 0], color=INK, linewidth=1, label="class token")
    above.set_ylim(bottom=0)
    above.set_ylabel("length of a token", color=QUIET)
    above.set_xlabel("")
    above.legend(frameon=False, fontsize=7)
    by_layer(below, len(norms), with_input=True)
    below.bar(places, odd, color=STRONG, width=0.6)
    below.set_ylim(0, max(1.0, 1.2 * float(odd.max())))
    below.set_ylabel("outliers (%)", color=QUIET)
    name(
        panel,
        "How long the tokens are",
        "Mean over the images. Outliers: above median + 5.2 MAD of an image's patches;\n"
        "in large models some are ten times the others. Darcet et al. 2024, section 2.",
    )


def show_lens(panel: Panel, numbers: Numbers) -> None:
    """How early the head would already give its final answer."""
    share, probability = numbers["final_share"], numbers["final_probability"]  # (L + 1,)
    axes = panel.subplots()
    places = by_layer(axes, len(share), with_input=True)
    axes.plot(places, 100 * share, "o-", color=INK, markersize=3, label="images with the final answer")
    axes.plot(places, 100 * probability, "o-", color=STRONG, markersize=3, label="mean probability of the final answer")
    axes.axhline(100 / len(numbers["labels"]), color=QUIET, linewidth=0.7, linestyle=":", label="chance")
    axes.set_ylim(0, 105)
    axes.set_ylabel("%", color=QUIET)
    axes.legend(frameon=False, fontsize=7, loc="upper left")
    name(
        panel,
        "When the answer appears",
        "The head reads the tokens of each layer as if it were the last (logit lens),\n"
        "compared with the final answer. Vilas et al. 2023.",
    )


def show_cosine(panel: Panel, numbers: Numbers) -> None:
    """One map for each layer: which patches point the way of the class token."""
    maps = numbers["class_token_cosine"]
    top = float(np.abs(maps).max()) or 1.0
    axes = tiles(panel, len(maps))
    for place, (one, values) in enumerate(zip(axes, maps, strict=True)):
        image = one.imshow(values, cmap=SIGNED_COLOURS, vmin=-top, vmax=top, interpolation="nearest")
        one.set_aspect(cell_aspect(numbers))
        one.set_title(f"layer {place}" if place == 1 else layer_name(place), fontsize=7, color=QUIET, pad=2)
    add_scale(panel, image, axes, f"cosine; one scale, to the largest: {top:.2f}")
    name(
        panel,
        "How like the class token the patches are",
        "Cosine of the class token with the patch at each place, by layer, mean over the\nimages. "
        "0 is no likeness, 1 the same direction.",
    )


def show_cka(panel: Panel, numbers: Numbers) -> None:
    """Layer against layer: do they find the same patches alike?"""
    values = numbers["cka"]
    axes = panel.subplots()
    image = axes.imshow(values, cmap=MAP_COLOURS, vmin=0, vmax=1, interpolation="nearest", origin="lower")
    places = by_layer(axes, len(values), with_input=True)
    shown = places[:: max(1, len(places) // 8)]
    axes.set_yticks(shown, [layer_name(place) for place in shown])
    axes.set_ylabel("layer", color=QUIET)
    axes.spines[:].set_visible(False)
    add_scale(panel, image, axes, "linear CKA; 0 means 0 or less")
    name(
        panel,
        "Which layers see alike",
        "Whether two layers find the same patches of an image alike: 1 is the same up to\nrotation and scale. "
        "Kornblith et al. 2019; Raghu et al. 2021, figure 1.",
    )


PANELS = (
    show_filters,
    show_positions,
    show_distance,
    show_entropy,
    show_divergence,
    show_norms,
    show_lens,
    show_cosine,
    show_cka,
)
