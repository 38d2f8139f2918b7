"""Figures: every content shows the chart's numbers on its scales, with marks and words, in every format."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

from tests.plots.reading import corners, fills, groups, map_box, paths, pixels, png_colors
from tests.plots.svg import words
from vitviz.plots import canvas, figures
from vitviz.plots.chart import Chart, MethodMap, PredictedClass
from vitviz.plots.figures import CONTENTS, PANELS
from vitviz.plots.scales import Scale, method_scale

L, A, GH, GW = 2, 3, 5, 7
N = GH * GW
STRANGE = ["<b>cat & dog</b>", "5 $ or $x^2$ $", r"back\slash", "lone $", "{brace}"]
HEADS, MEANS = Scale("linear", 0.04, clips=True), Scale("linear", 0.02, clips=True)
NO_MAP_IS_ABLATED = np.zeros((L + 1, A + 1), bool)


def chart(**changes) -> Chart:
    rng = np.random.default_rng(0)
    maps = rng.random((L + 1, A + 1, GH, GW)).astype(np.float32) / 20
    probabilities = (0.4, 0.3, 0.15, 0.1, 0.05)
    units = {"rollout": "relative", "occlusion": "logits", "random": "relative"}
    group = {"rollout": "agnostic", "occlusion": "class", "random": "baseline"}
    values = {key: rng.random((GH, GW)).astype(np.float32) - 0.5 * (unit == "logits") for key, unit in units.items()}
    given = {
        "image": rng.integers(0, 256, (20, 28, 3), dtype=np.uint8),
        "headline": "Layer 2, head 1: the class token attends most to row 1, column 2",
        "title": "Layer 2, head 1",
        "large": maps[1, 0],
        "scale": HEADS,
        "maps": maps,
        "scales": (HEADS, MEANS),
        "chosen": (1, 0),
        "ablated": NO_MAP_IS_ABLATED,
        "matrix_title": "What the class token attends to: all layers and heads",
        "uniform": 1 / (N + 1),
        "prefix_line": "3.0 % goes to the class token",
        "prefix_weight": 0.03,
        "truth": "true label: cat",
        "prediction": [PredictedClass(name, p) for name, p in zip(STRANGE, probabilities, strict=True)],
        "target": ["cat"],
        "methods": [
            MethodMap(key, key.title(), group[key], values[key], method_scale(values[key], units[key]), 0.4)
            for key in units
        ],
        "random_baseline": (0.5, 0.03),
        "caption": ["model $1: <shrunk> from 640 × 480"],
        "link": "http://127.0.0.1:7860/?layer=2&head=1",
    }
    return Chart(**(given | changes))


def svg(content="view", size="content", **changes) -> str:
    return canvas.render(figures.draw(chart(**changes), content, size), ".svg").decode()


def tile_names(layers=L, heads=A):
    names = [[*range(1, count + 1), "mean"] for count in (layers, heads)]
    return [f"head-{layer}-{head}" for layer in names[0] for head in names[1]]


@pytest.fixture(scope="module")
def view() -> str:
    return svg()


@pytest.mark.parametrize("content", [content for content in CONTENTS if content not in PANELS])
@pytest.mark.parametrize("size", ["content", "16:9"])
def test_every_content_is_drawn_in_every_size(content, size):
    figure = figures.draw(chart(), content, size)
    width, height = figure.get_size_inches()
    if size == "16:9":
        assert (width, height) == pytest.approx((13 + 1 / 3, 7.5))
    found = words(canvas.render(figure, ".svg").decode())
    assert {"model $1: <shrunk> from 640 × 480", "http://127.0.0.1:7860/?layer=2&head=1"} <= set(found)


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf", ".html"])
def test_every_format_is_a_file_of_its_kind(ending):
    starts = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF-", ".html": b"<!doctype html>"}
    assert canvas.render(figures.draw(chart(), "map"), ending).startswith(starts[ending])


@pytest.mark.parametrize("content", ["view", "map"])
def test_the_large_map_is_one_vector_cell_per_patch_in_reading_order(content):
    found = svg(content)
    assert np.array_equal(fills(found, "map").reshape(GH, GW, 3), HEADS.colors(chart().large))
    first, second = (corners(path) for path in paths(found, "map")[:2])
    assert first[:, 1].min() == second[:, 1].min()
    assert first[:, 0].min() < second[:, 0].min()


@pytest.mark.parametrize("content", ["view", "matrix", "sheet"])
def test_every_tile_has_its_map_and_means_have_their_own_scale(content):
    found, given = svg(content), chart()
    for name, (layer, head) in zip(tile_names(), np.ndindex(L + 1, A + 1), strict=True):
        scale = MEANS if "mean" in name else HEADS
        assert np.array_equal(fills(found, name).reshape(GH, GW, 3), scale.colors(given.maps[layer, head])), name
    assert len(groups(found, "chosen")) == 1


def test_one_scale_per_map_uses_the_range_of_each():
    found, given = svg("matrix", scales=None), chart()
    for name, (layer, head) in zip(tile_names(), np.ndindex(L + 1, A + 1), strict=True):
        values = given.maps[layer, head].ravel()
        colors = fills(found, name)
        assert tuple(colors[values.argmax()]) == tuple(HEADS.table[255])
        assert tuple(colors[values.argmin()]) == tuple(HEADS.table[0])
    assert "one scale per map, over its range" in words(found)


@pytest.mark.parametrize("content", ["view", "map"])
def test_the_color_bar_has_the_ticks_and_unit_of_the_scale(content):
    for scale in (HEADS, Scale("uniform", 1 / (N + 1)), Scale("signed", 2.5, is_weight=False)):
        found = svg(content, scale=scale)
        assert {text for _, text in scale.ticks()} <= set(words(found))
        assert np.array_equal(fills(found, "bar")[:256], scale.table)
        assert any(scale.unit().startswith(text) for text in words(found) if len(text) > 10)
        if content == "map":  # the matrix of the view has a bar of its own
            assert bool(groups(found, "uniform")) == (scale is HEADS)


def test_the_mark_of_uniform_attention_is_at_its_place(view):
    bar, mark = map_box(view, "bar"), corners(paths(view, "uniform")[0])
    place = (mark[0, 0] - bar[0]) / (bar[2] - bar[0])
    assert place == pytest.approx(float(HEADS.place(np.array(1 / (N + 1)))), abs=1e-3)


@pytest.mark.parametrize("content", ["view", "map"])
def test_png_and_svg_have_the_same_colors(content):
    figure = figures.draw(chart(), content)
    found = canvas.render(figure, ".svg").decode()
    png = canvas.render(figure, ".png")
    assert np.array_equal(png_colors(png, map_box(found, "map"), (GH, GW)), fills(found, "map"))


def test_a_png_has_300_pixels_per_inch():
    import io

    figure = figures.draw(chart(), "map")
    with Image.open(io.BytesIO(canvas.render(figure, ".png"))) as image:
        assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)
        assert image.size == pytest.approx(figure.get_size_inches() * 300, abs=1)


def test_smoothed_maps_are_interpolated_between_the_centers_of_patches():
    found = svg("map", smooth=True)
    image = pixels(found, "map")
    step = image.shape[0] // GH
    centers = image.reshape(GH, step, GW, step, 3)[:, step // 2, :, step // 2].astype(int)
    assert np.abs(centers - HEADS.colors(chart().large)).max() <= 12, "half a pixel from the center"
    assert not paths_or_none(found, "map")


def paths_or_none(found, name):
    return [node for group in groups(found, name) for node in group.iter("{http://www.w3.org/2000/svg}path")]


def test_image_and_map_have_the_same_size(view):
    left, top, right, bottom = map_box(view, "map")
    (image,) = groups(view, "image")
    a, *_ = (float(value) for value in re.findall(r"[-\d.]+", image.get("transform", "scale(1 0 0 1)"))[:4])
    width = float(image.get("width")) * abs(a)
    assert width == pytest.approx(right - left, abs=0.5)
    assert (right - left) / (bottom - top) == pytest.approx(28 / 20, abs=1e-3)


def test_query_patches_are_framed_but_not_on_the_map_of_a_method():
    assert len(groups(svg("map", query=(9, 34)), "query")) == 2
    assert not groups(svg("map", query=(9,), method="rollout", chosen=None), "query")
    assert len(groups(svg("matrix", query=(9,)), "query")) == (L + 1) * (A + 1), "one patch is framed in all tiles"
    assert not groups(svg("matrix", query=(9, 34)), "query")


def test_removed_patches_are_crossed_out():
    found = svg("map", dropped=(9,), gray=(3, 4))
    marks = groups(found, "removed")
    assert len(marks) == 3
    styles = [next(mark.iter("{http://www.w3.org/2000/svg}path")).get("style") for mark in marks]
    assert ["fill: #ffffff" in style for style in styles] == [True, False, False]


def test_ablated_heads_are_struck_out():
    ablated = NO_MAP_IS_ABLATED.copy()
    ablated[0, 2] = ablated[1, 0] = True
    found = svg(ablated=ablated)
    assert len(groups(found, "ablated")) == 3, "two tiles and the large map"
    assert not groups(found, "head-1-3")
    assert not groups(found, "map")
    assert "ablated" in words(found)


def test_outlines_are_vector_lines_with_their_opacity():
    lines = [np.array([[0, 0], [0.5, 0.5], [1, 0.5]], np.float32)]
    found = svg("map", outlines=lines, outline_opacity=0.6)
    (path,) = paths(found, "outlines")
    left, top, right, bottom = map_box(found, "map")
    expected = lines[0] * (right - left, bottom - top) + (left, top)
    np.testing.assert_allclose(corners(path), expected, atol=0.01)
    assert "stroke-opacity: 0.6" in path.get("style")
    assert not groups(svg("map", outlines=lines, outline_opacity=0.0), "outlines")


def test_methods_have_their_maps_scores_and_the_random_baseline():
    given, found = chart(), svg("methods")
    for one in given.methods:
        assert np.array_equal(fills(found, f"method-{one.key}").reshape(GH, GW, 3), one.scale.colors(one.values))
    assert words(found).count("below random, 0.50") == 2, "0.40 is more than two standard deviations below 0.50 ± 0.03"
    assert words(svg("methods", random_baseline=(0.5, 0.1))).count("≈ random, 0.50") == 2
    assert "one order" in words(found), "the random map is one of the random orders"
    with pytest.raises(ValueError, match="The content methods needs the maps of the methods"):
        figures.draw(chart(methods=()), "methods")


def test_a_flat_map_of_a_method_has_no_score():
    flat = [replace(one, score=None) for one in chart().methods]
    assert words(svg("methods", methods=flat)).count("no ranking") == 2


def test_probabilities_are_bars_and_the_true_class_is_tagged():
    rows = [PredictedClass("cat", 0.5, 0.8, is_true=True, is_explained=True), PredictedClass("dog", 0.25, 0.1)]
    found = svg(prediction=rows, effect=["1 head ablated", "−30.0 percentage points", "for cat, from 80.0 %"])
    widths = [np.ptp(corners(paths(found, f"probability-{k}")[0])[:, 0]) for k in (1, 2)]
    assert widths[0] == pytest.approx(2 * widths[1], rel=1e-3)
    assert len(groups(found, "before-1")) == len(groups(found, "before-2")) == 1
    assert {"true", "50.0\xa0%", "25.0\xa0%", "−30.0 percentage points"} <= set(words(found))


def test_a_model_trained_without_labels_predicts_nothing():
    assert "none: trained without labels" in words(svg(prediction=()))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("poster",), "content must be one of view, map, matrix, .*, patching: got 'poster'"),
        (("map", "4:3"), "size must be one of content, 16:9: got '4:3'"),
    ],
)
def test_an_unknown_content_or_size_is_refused(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        figures.draw(chart(), *given)


def test_a_large_matrix_is_drawn_as_images():
    maps = np.random.default_rng(0).random((13, 13, 14, 14)).astype(np.float32)
    found = svg("matrix", maps=maps, large=maps[0, 0], ablated=np.zeros((13, 13), bool))
    assert np.array_equal(pixels(found, "head-1-1")[::35, ::35], HEADS.colors(maps[0, 0]))


def test_strip_patches_keep_the_aspect_ratio_of_the_image():
    maps = np.random.default_rng(0).random((L + 1, A + 1, 20, 2)).astype(np.float32)
    left, top, right, bottom = map_box(svg("map", maps=maps, large=maps[1, 0]), "map")
    assert (right - left) / (bottom - top) == pytest.approx(28 / 20, abs=1e-3)


def test_a_figure_is_independent_of_matplotlib_settings(view):
    theirs = {"image.origin": "lower", "text.color": "white", "axes.facecolor": "black", "axes.grid": True}
    with mpl.rc_context(theirs):
        assert without_clips(svg()) == without_clips(view)
        assert mpl.rcParams["image.origin"] == "lower"


def without_clips(text: str) -> str:
    """Remove names of clip paths, hashes of positions in full precision, whose last digit may differ."""
    return re.sub(r"\bp[0-9a-f]{10}\b", "clip", text)


def test_drawing_leaves_global_settings_unchanged():
    before = dict(mpl.rcParams)
    svg()
    assert dict(mpl.rcParams) == before


def test_names_are_escaped_and_unprintable_characters_replaced(view):
    assert {"5 $ or $x^2$ $", r"back\slash", "lone $", "{brace}"} <= set(words(view))
    assert "<b>" not in view
    found = svg(prediction=[PredictedClass("two\nlines", 0.5), PredictedClass("\x07bell", 0.5)])
    ElementTree.fromstring(found)
    assert {"two lines", "bell"} <= set(words(found))


def test_long_names_are_shortened():
    name = "Golden retriever, adult, outdoors, standing in grass"
    found = words(svg(prediction=[PredictedClass(name, 1.0)], title=f"Relevance for {name}, not {name}"))
    assert any(text.endswith("…") for text in found if text.startswith("Golden retriever"))
    assert any(text.endswith("…") for text in found if text.startswith("Relevance for"))


def test_text_wraps_at_its_width():
    lines = canvas.wrap("one two three four five", canvas.text_width("one two three", 10), 10)
    assert lines == ["one two three", "four five"]
    cut = canvas.wrap("one two three four five", canvas.text_width("one two", 10), 10, most=2)
    assert len(cut) == 2
    assert cut[1].endswith("…")


def test_a_long_link_is_wrapped_and_stays_whole():
    link = "http://127.0.0.1:7860/?checkpoint=cifar10-ti4&image=cat&layer=5&head=2&patch=4-3&direction=to&scale=uniform"
    lines = canvas.wrap(link, canvas.text_width(link, 7) / 3, 7)
    assert len(lines) > 3
    assert "".join(lines) == link


def test_a_long_caption_stays_within_its_figure():
    figure = figures.draw(chart(caption=["Ablated: layer 4 head 3, layer 5 head 1, illustrated words." * 12]))
    with canvas.own_style():
        figure.set_dpi(300)
        figure.draw_without_rendering()
    right = max(text.get_window_extent().x1 for text in figure.axes[0].texts)
    assert right <= figure.bbox.width - 0.9 * figures.MARGIN * 300 / 72


def test_layers_and_heads_count_from_one(view):
    found = words(view)
    assert {"layer 1", "head 1", "2", "3", "mean"} <= set(found)
    assert "0" not in found


def test_a_page_loads_nothing_and_runs_no_script():
    page = canvas.render(figures.draw(chart()), ".html").decode()
    assert "<svg" in page
    assert not re.search(r"""(?:src|href)\s*=\s*["']?\s*(?:https?:|//)""", page)
    assert "@import" not in page
    assert "<script" not in page
