"""The numbers of each figure of the probes, as CSV; layers, heads, rows and columns count from 1, as on screen."""

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]
FROM_INPUT = "layer output"  # counts from 0, the input of the first layer

# Figure -> its array and the names of the array's dimensions, then of its values.
LONG = {
    "filters": ("filters", ("component", "channel", "row", "column"), "weight"),
    "positions": ("position_similarity", ("row", "column", "other row", "other column"), "cosine"),
    "distance": ("distance", ("layer", "head"), "mean attention distance (px)"),
    "effective": ("effective_tokens", ("layer", "head"), "effective number of tokens"),
    "divergence": ("head_divergence", ("layer", "head", "other head"), "Jensen-Shannon divergence (nats)"),
    "cosine": ("class_token_cosine", (FROM_INPUT, "row", "column"), "cosine"),
    "cka": ("cka", (FROM_INPUT, "other layer output"), "linear CKA"),
}
# Figure -> its arrays.
FIGURES = {figure: (array,) for figure, (array, _, _) in LONG.items()} | {
    "norms": ("norms", "longest", "outliers"),
    "lens": ("final_agreement", "final_probability"),
    "sinks": ("sink_share", "sink_norm"),
    "heads": ("head_shares", "image_specific", "head_images"),
    "decision": ("follows_patches", "follows_class_token", "pairs"),
}


def to_csv(arrays: Arrays, figure: str) -> str:
    """Return the numbers of a figure, one line per value or per layer, under a line of names.

    Args:
        arrays: As of `vitviz.plots.probe_figures.draw`.
        figure: A name of `FIGURES`.

    Example:
        >>> print(to_csv({"distance": np.array([[1.5, 2.0]])}, "distance").replace(chr(13), ""), end="")
        layer,head,mean attention distance (px)
        1,1,1.5
        1,2,2.0
    """
    text = io.StringIO()
    csv.writer(text).writerows(rows(arrays, figure))
    return text.getvalue()


def rows(arrays: Arrays, figure: str) -> Iterator[list[Any]]:
    """Yield the names, then the numbers."""
    if figure == "norms":
        yield from norms(arrays)
    elif figure == "sinks":
        yield ["layer", "head", "attention on the largest receiver", "value norm relative to the mean"]
        for (layer, head), share in np.ndenumerate(arrays["sink_share"]):
            yield [layer + 1, head + 1, float(share), float(arrays["sink_norm"][layer, head])]
    elif figure == "heads":
        shares, own = arrays["head_shares"], arrays["image_specific"]
        yield ["layer", "head", "position", "content", "same for all", "rest", *["image-specific query"][: len(own)]]
        for layer, head in np.ndindex(*shares.shape[:2]):
            question = [float(own[layer, head])] if len(own) else []
            yield [layer + 1, head + 1, *map(float, shares[layer, head]), *question]
    elif figure == "decision":
        yield ["swap after layer", "predictions that follow the patches", "that follow the class token"]
        yield from by_layer(arrays["follows_patches"], arrays["follows_class_token"])
    elif figure == "lens":
        yield [FROM_INPUT, "images with the final prediction", "mean probability of that class"]
        yield from by_layer(arrays["final_agreement"], arrays["final_probability"])
    else:
        name, dimensions, unit = LONG[figure]
        first = [0 if "layer output" in dimension else 1 for dimension in dimensions]
        yield [*dimensions, unit]
        for index, value in np.ndenumerate(arrays[name]):
            if np.isnan(value):
                continue  # of a head that the layer lacks
            yield [*(int(i) + start for i, start in zip(index, first, strict=True)), float(value)]


def norms(arrays: Arrays) -> Iterator[list[Any]]:
    """Yield a line per layer: norms of the class token and the patches, and the fraction of outliers."""
    gh, gw = arrays["position_similarity"].shape[:2]
    norms = arrays["norms"]
    patches, outliers = norms[:, -gh * gw :], arrays["outliers"][:, -gh * gw :]  # (L + 1, N), without prefix tokens
    first = {"class token": norms[:, 0]} if len(arrays["class_token_cosine"]) else {}
    yield [FROM_INPUT, *first, "patches, median", "smallest", "largest", "largest of an image", "outliers"]
    summary = np.median(patches, 1), patches.min(1), patches.max(1)
    yield from by_layer(*first.values(), *summary, arrays["longest"], outliers.mean(1))


def by_layer(*columns: NDArray[Any]) -> Iterator[list[Any]]:
    """Yield a line for the input of the first layer, 0, and for the output of each layer."""
    for layer, values in enumerate(zip(*columns, strict=True)):
        yield [layer, *map(float, values)]
