"""Read figures back: colors of maps, marks and words, from SVG and from PNG files."""

import base64
import io
import re
import xml.etree.ElementTree as ET
from collections import Counter

import numpy as np
from numpy.typing import NDArray
from PIL import Image

SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
Colors = NDArray[np.uint8]


def groups(svg: str, name: str) -> list[ET.Element]:
    """Return all elements of a name."""
    return [node for node in ET.fromstring(svg).iter() if node.get("id") == name]


def paths(svg: str, name: str) -> list[ET.Element]:
    """Return the paths of the first group of a name."""
    return list(groups(svg, name)[0].iter(f"{SVG}path"))


def corners(path: ET.Element) -> NDArray[np.float64]:
    """Return the corners of a path (n, 2), in points."""
    numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", path.get("d", ""))]
    return np.array(numbers).reshape(-1, 2)


def fills(svg: str, name: str) -> Colors:
    """Return the fills of a group's paths in order, (n, 3); a fill that is not given is black."""
    found = [re.search(r"fill: #(\w{6})", path.get("style", "")) for path in paths(svg, name)]
    return np.array([list(bytes.fromhex(one[1] if one else "000000")) for one in found], np.uint8)


def pixels(svg: str, name: str) -> Colors:
    """Return the embedded image of a name, (H, W, 3)."""
    (node,) = groups(svg, name)
    data = base64.b64decode(node.attrib[f"{XLINK}href"].split(",")[1])
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def map_box(svg: str, name: str) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a map of vector cells, in points."""
    points = np.concatenate([corners(path) for path in paths(svg, name)])
    return (*points.min(0), *points.max(0))


def png_colors(png: bytes, box: tuple[float, float, float, float], grid: tuple[int, int], dpi: int = 300) -> Colors:
    """Return the most common color of each patch (N, 3) of a map in a PNG file.

    Args:
        png: The file.
        box: Left, top, right and bottom of the map (pt), for example as `map_box` reads them from the SVG file.
        grid: Rows and columns of patches.
        dpi: Of the file.
    """
    image = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))
    left, top, right, bottom = (side * dpi / 72 for side in box)
    rows, columns = grid
    places = np.linspace(0.12, 0.88, 9)
    found = []
    for row, column in np.ndindex(rows, columns):
        y = (top + (row + places) * (bottom - top) / rows).astype(int)
        x = (left + (column + places) * (right - left) / columns).astype(int)
        sampled = image[y[:, None], x].reshape(-1, 3)
        found.append(Counter(map(tuple, sampled.tolist())).most_common(1)[0][0])
    return np.array(found, np.uint8)
