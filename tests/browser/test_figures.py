"""Saved figures equal the screen: the same colors of all maps, ticks, headline and marks, as SVG and as PNG."""

import io

import numpy as np
import pytest
from PIL import Image

from benchmarks.page import EXPLORER
from tests.browser.test_save_dialog import choose, open_dialog, saved
from tests.plots.reading import fills, groups, map_box, pixels, png_colors
from tests.plots.svg import words

pytestmark = pytest.mark.browser

STATES = {
    "head": "layer=5&head=2",
    "pinned patch": "layer=5&head=2&patch=4-3",
    "uniform scale": "layer=5&head=2&scale=uniform",
    "smoothed": "layer=5&head=2&display=smooth",
    "method": "method=rollout",
    "method for a class, with contrast": "image=dog&method=relevance&class=5-3",
    "ablated heads": "layer=5&head=3&ablated=4-3_5-1",
    "mean ablation and patches painted gray": "image=dog&layer=4&head=1&ablated=4-3_5-1&removed=4-4_4-5&mode=mean"
    "&patch_mode=gray&method=relevance&class=5-3",
    "dropped patches": "layer=5&head=2&removed=4-4_4-5",
    "attended by": "layer=4&head=3&direction=to",
    "several pinned patches": "layer=6&head=1&patch=2-2_3-5_7-1",
    "means": "layer=mean&head=mean",
    "one scale per map": "layer=5&head=2&scale=map",
}
SAME = 8  # of 255: neighbors in a color table, as the page has weights of 16 bits
SMOOTHED = 16  # an enlarged image has no pixel at the exact center of a patch
READ = """(canvas) => [...canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data]"""


def screen_colors(canvas):
    """Return the colors of a canvas with one pixel per patch, (N, 3)."""
    return np.array(canvas.evaluate(READ)).reshape(-1, 4)[:, :3]


def wait_for_state(page, query):
    page.wait_for_function(
        """([root, needsChange, needsMethod]) => {
          const { state, ready, full, changed, methods } = document.querySelector(root).dataset;
          const key = needsChange ? changed : ready;
          return state === "ready" && key && full === key && (!needsMethod || methods);
        }""",
        arg=[EXPLORER, "ablated=" in query or "removed=" in query, "method=" in query],
    )


def file_of(page, ending):
    open_dialog(page)
    choose(page, "view", ending)
    page.wait_for_selector("dialog.save[data-preview]")
    with open(saved(page).path(), "rb") as file:
        return file.read()


@pytest.mark.parametrize("query", STATES.values(), ids=STATES)
def test_a_saved_figure_has_the_numbers_scale_and_marks_of_the_screen(open_page, query):
    page = open_page(f"?{query}")
    wait_for_state(page, query)
    smooth = "smooth" in query
    shown = screen_colors(page.locator(".stage.map canvas.values"))
    tiles = {}
    for row in page.locator(".matrix-row[data-layer]").all():
        layer = int(row.get_attribute("data-layer"))
        for cell in row.locator("[role=gridcell]:not(.ablated)").all():
            name = f"head-{'mean' if layer < 0 else layer + 1}-{cell.get_attribute('data-head')}"
            tiles[name] = screen_colors(cell.locator("canvas"))
    ticks = page.locator(".bar .tick").all_inner_texts()
    headline = page.locator(".headline").inner_text()
    marks = {kind: page.locator(f".stage .mark.{kind}:visible").count() for kind in ("query", "removed")}
    framed = len(tiles) if page.locator(".matrix.framed").count() else 0

    svg, png = file_of(page, "svg").decode(), file_of(page, "png")
    read = (lambda name: centers(pixels(svg, name))) if smooth else (lambda name: fills(svg, name))
    tolerance = SMOOTHED if smooth else SAME
    assert np.abs(read("map").astype(int) - shown).max() <= tolerance
    assert len(tiles) >= 47
    for name, colors in tiles.items():
        assert np.abs(read(name).astype(int) - colors).max() <= tolerance, name
    found = words(svg)
    assert set(ticks) <= set(found)
    assert headline in " ".join(found)
    assert len(groups(svg, "query")) == marks["query"] + framed
    assert len(groups(svg, "removed")) == marks["removed"]

    if smooth:
        assert Image.open(io.BytesIO(png)).width > 3000
        return
    left_to_right = png_colors(png, map_box(svg, "map"), (8, 8))
    unmarked = np.ones(64, bool)
    if "removed=" in query:
        unmarked[[8 * 3 + 3, 8 * 3 + 4]] = False
    assert np.abs(left_to_right.astype(int) - shown)[unmarked].max() <= SAME


def centers(image):
    """Return the colors at the centers of 8 x 8 patches, (64, 3)."""
    step = image.shape[0] // 8
    return image.reshape(8, step, 8, step, 3)[:, step // 2, :, step // 2].reshape(-1, 3)
