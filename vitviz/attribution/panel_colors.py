"""The colors of a figure against its numbers: each color, looked up in its color map, is a value between the limits.

Only maps over which nothing is drawn are read: those of single heads, and the large map where it has a pixel a patch.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL.Image import Image

from vitviz.attribution.provenance import Panel, panel_images
from vitviz.plots.colormaps import COLOR_MAPS

STEPS = 2  # of 255, by which a color may differ: rounding of values, and of two programs


def changed_colors(
    content: bytes, ending: str, panels: Sequence[Panel], arrays: Mapping[str, Any], kept: NDArray[np.bool_]
) -> Iterator[str]:
    """Yield the maps whose colors are not those of their values.

    Args:
        content: A .png or .svg file that the page wrote.
        ending: Of its name.
        panels: Its maps, on scales that are not interpolated.
        arrays: From `vitviz.attribution.tables.arrays`.
        kept: The patches that are not removed, (gh, gw).
    """
    for panel, image in zip(panels, panel_images(content, ending, panels), strict=True):
        values = values_of(panel, arrays)
        if values is None or image is None or (panel.name == "map" and image.size != values.shape[::-1]):
            continue
        found, has_value = steps_of(image, panel, values.shape), kept & ~np.isnan(values)
        wanted = 255 * place_of(values, panel)
        if (np.abs(found - wanted)[has_value] > STEPS).any():
            yield f"the colors of {panel.name!r} are not those of its numbers"


def values_of(panel: Panel, arrays: Mapping[str, Any]) -> NDArray[np.float64] | None:
    """Return the values of a map of the page, (gh, gw); None for another panel."""
    if panel.limits is None or panel.colormap not in ("seq", "div"):
        return None
    if panel.name == "map":
        return np.asarray(arrays["map"], np.float64)
    kind, *place = panel.name.split("-")
    if kind != "head" or len(place) != 2:
        return None
    layer, head = (-1 if one == "mean" else int(one) - 1 for one in place)
    return np.asarray(arrays["maps"][layer, head], np.float64)


def place_of(values: NDArray[np.float64], panel: Panel) -> NDArray[np.float64]:
    """Return the places of values on the scale of a panel, in 0..1; it is logarithmic from 1/8 to 8 times uniform."""
    low, high = panel.limits or (0.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        is_log = panel.colormap == "div" and low > 0
        place = np.log(values / low) / np.log(high / low) if is_log else (values - low) / (high - low)
    return place.clip(0, 1)


def steps_of(image: Image, panel: Panel, grid: tuple[int, ...]) -> NDArray[np.intp]:
    """Return the nearest colors in the middle of each patch, from 0 to 255, in the table of a light or dark page."""
    rows, columns = (
        (2 * np.arange(count) + 1) * side // (2 * count) for count, side in zip(grid, image.size[::-1], strict=True)
    )
    colors = np.asarray(image.convert("RGB"), int)[np.ix_(rows, columns)]  # (gh, gw, 3)
    tables = [COLOR_MAPS[panel.colormap or "", page].astype(int) for page in ("light", "dark")]
    distances = [np.abs(colors[:, :, None] - table).sum(-1) for table in tables]  # (gh, gw, 256) each
    nearest = min(distances, key=lambda one: one.min(-1).sum())
    return nearest.argmin(-1)
