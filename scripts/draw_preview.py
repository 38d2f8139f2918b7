"""Draw the image of link previews: a sample with the attention of all heads of the bundled model.

Run: `python -m scripts.draw_preview`, which writes `vitviz/webapp/preview.png` (1200 x 630 pixels).
"""

import base64

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from vitviz.attribution.explanation import explain
from vitviz.data.preprocessing import sample_paths
from vitviz.models.checkpoint import load
from vitviz.plots.colormaps import color_tables
from vitviz.webapp.preview import DESCRIPTION, IMAGE, IMAGE_SIZE

DPI = 100
SIDE = 442  # px, of the image and the matrix
TOP, LEFT = 142, 112


def main() -> None:
    """Draw the image and write it."""
    width, height = IMAGE_SIZE
    figure = Figure((width / DPI, height / DPI), DPI, facecolor="white")
    FigureCanvasAgg(figure)

    def axes(left: float, top: float, side: float) -> Axes:
        box = (left / width, 1 - (top + side) / height, side / width, side / height)
        return figure.add_axes(box, frameon=False, xticks=[], yticks=[])

    figure.text(LEFT / width, 1 - 78 / height, "vitviz", size=40, weight="bold", color="#1a1d21", va="center")
    figure.text((LEFT + 192) / width, 1 - 84 / height, DESCRIPTION, size=14, color="#59606a", va="center")
    explanation = explain(load("cifar10-ti4"), sample_paths()["cat"])
    axes(LEFT, TOP, SIDE).imshow(np.asarray(explanation.image.model_input))
    table = np.frombuffer(base64.b64decode(color_tables()["light"]["seq"]), np.uint8).reshape(256, 3)
    maps = explanation.cls_maps  # (L, A, gh, gw)
    limit = np.quantile(maps, 0.995)
    layers, heads = maps.shape[:2]
    tile = (SIDE + 8) / layers
    for (layer, head), _ in np.ndenumerate(maps[..., 0, 0]):
        cells = table[np.clip(255 * maps[layer, head] / limit, 0, 255).astype(int)]
        axes(width - LEFT - heads * tile + 8 + head * tile, TOP + layer * tile, tile - 8).imshow(cells)
    figure.savefig(IMAGE, dpi=DPI, metadata={"Software": None})


if __name__ == "__main__":
    main()
