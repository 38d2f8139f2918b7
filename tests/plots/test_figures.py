"""Figures: color maps, printed scales, escaped names, and HTML pages that load nothing from the network."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest

from tests.plots.svg import words
from vitviz.plots import figures
from vitviz.plots.colormaps import COLOR_MAPS

STRANGE = ["<b>cat & dog</b>", "5 $ or $x^2$ $", r"back\slash", "lone $", "{brace}"]


def chart(**changes) -> figures.Chart:
    rng = np.random.default_rng(0)
    maps = rng.random((2, 3, 5, 7)).astype(np.float32) / 35
    given = {
        "image": rng.integers(0, 256, (20, 28, 3), dtype=np.uint8),
        "title": "Average",
        "large": maps.mean((0, 1)),
        "maps": maps,
        "unit": "weights",
        "matrix_title": "All heads",
        "labels": STRANGE,
        "probabilities": np.array([0.4, 0.3, 0.15, 0.1, 0.05], np.float32),
        "footer": "model $1: <shrunk> from 640 × 480",
    }
    return figures.Chart(**(given | changes))


@pytest.fixture(scope="module")
def figure():
    return figures.draw(chart())


@pytest.fixture(scope="module")
def svg(figure) -> str:
    return figures.render(figure, ".svg").decode()


def images(figure) -> list:
    """The maps of a figure: all images but the model input."""
    left, right = figure.subfigs
    return [image for axes in (left.axes[1], *right.axes[:6]) for image in axes.images]


def test_every_map_has_the_color_map_one_cell_per_patch_and_starts_at_zero(figure):
    found = images(figure)
    assert len(found) == 1 + 2 * 3
    for image in found:
        assert np.array_equal((image.cmap(np.arange(256))[:, :3] * 255).round(), COLOR_MAPS["seq", "light"])
        assert image.get_interpolation() == "nearest"
        assert image.get_array().shape == (5, 7)
        assert image.norm.vmin == 0


def test_a_map_has_the_aspect_ratio_of_its_image():
    strips = np.random.default_rng(0).random((2, 3, 20, 2)).astype(np.float32)
    for image in images(figures.draw(chart(maps=strips, large=strips[0, 0]))):
        assert list(image.get_extent()) == [0, 28, 20, 0]
        assert image.axes.get_aspect() == 1, "equal pixels"


def test_all_heads_share_one_scale_and_the_large_map_has_a_separate_one(figure):
    given = chart()
    large, *tiles = images(figure)
    assert large.norm.vmax == given.large.max()
    assert {tile.norm.vmax for tile in tiles} == {float(np.quantile(given.maps, 0.995))}
    for tile, expected in zip(tiles, given.maps.reshape(-1, 5, 7), strict=True):
        assert np.array_equal(tile.get_array(), expected)


def test_the_model_input_is_drawn_pixel_by_pixel(figure):
    (image,) = figure.subfigs[0].axes[0].images
    assert np.array_equal(image.get_array(), chart().image)
    assert image.get_interpolation() == "nearest"


def test_the_scale_is_printed(svg):
    assert not any("removed" in text for text in words(svg))
    top = 100 * np.quantile(chart().maps, 0.995)
    assert f"attention weight; the last color means {top:.2f} % or more" in words(svg)
    assert "attention weight; separate scale" in words(svg)
    assert sum(bool(re.fullmatch(r"\d+\.\d+ %", text)) for text in words(svg)) >= 5 + 8, "five bars and two scales"


@pytest.mark.parametrize("heads", [1, 12, *(pytest.param(heads, marks=pytest.mark.slow) for heads in (6, 9))])
@pytest.mark.parametrize("top", [0.225, 1.0])
def test_tick_labels_of_a_scale_do_not_overlap(top, heads):
    maps = np.full((1, heads, 5, 7), top, np.float32)
    figure = figures.draw(chart(maps=maps, large=maps[0, 0]))
    with figures.own_style():
        figure.draw_without_rendering()
    for part in figure.subfigs:
        numbers = part.axes[-1].get_xticklabels()
        places = sorted((number.get_window_extent() for number in numbers), key=lambda place: place.x0)
        assert len(places) >= 2
        for left, right in pairwise(places):
            assert right.x0 > left.x1 + 7, "a character of 8 points is about 7 pixels wide"


@pytest.mark.parametrize(("top", "printed"), [(0.6, "60 %"), (0.012, "1.20 %"), (0.0004, "0.0400 %")])
def test_a_scale_has_as_many_decimals_as_its_range_needs(top, printed):
    maps = np.full((1, 1, 5, 7), top, np.float32)
    figure = figures.draw(chart(maps=maps, large=maps[0, 0]))
    found = words(figures.render(figure, ".svg").decode())
    assert f"attention weight; the last color means {printed} or more" in found
    for part in figure.subfigs:
        bar = part.axes[-1].xaxis
        for place, label in zip(bar.get_majorticklocs(), bar.get_ticklabels(), strict=True):
            assert float(label.get_text().removesuffix(" %")) / 100 == pytest.approx(place, abs=1e-9)


def test_notes_are_printed_below_the_scales():
    found = words(
        figures.render(figures.draw(chart(scale_notes=("1 % goes away", "up to 2 % goes away"))), ".svg").decode()
    )
    assert {"1 % goes away", "up to 2 % goes away"} <= set(found)


def test_a_model_trained_without_labels_predicts_nothing():
    found = words(figures.render(figures.draw(chart(probabilities=None)), ".svg").decode())
    assert "none: trained without labels" in found
    assert not set(STRANGE) & set(found)


def test_a_figure_is_independent_of_matplotlib_settings(svg):
    theirs = {"image.origin": "lower", "text.color": "white", "axes.facecolor": "black", "axes.grid": True}
    with mpl.rc_context(theirs):
        again = figures.render(figures.draw(chart()), ".svg").decode()
        assert mpl.rcParams["image.origin"] == "lower"
    assert without_clips(again) == without_clips(svg)


def test_unprintable_characters_in_names_are_replaced():
    names = ["two\nlines", "\x07bell", *STRANGE[2:]]
    svg = figures.render(figures.draw(chart(labels=names)), ".svg").decode()
    ElementTree.fromstring(svg)
    assert {"two lines", "bell"} <= set(words(svg))


def test_layers_and_heads_count_from_one(svg):
    found = words(svg)
    assert {"layer 1", "head 1", "2", "3"} <= set(found)
    assert "0" not in found


def test_labels_and_notes_are_escaped(svg):
    found = words(svg)
    for text in (*STRANGE, "model $1: <shrunk> from 640 × 480"):
        assert text in found
    assert "<b>" not in svg


def test_probabilities_are_sorted_from_the_largest(svg):
    found = words(svg)
    places = [found.index(text) for text in ("40.0 %", "30.0 %", "15.0 %", "10.0 %", "5.0 %")]
    assert places == sorted(places)


def test_a_page_loads_nothing_and_runs_no_script(figure):
    page = figures.render(figure, ".html").decode()
    assert page.startswith("<!doctype html>")
    assert "<svg" in page
    assert not re.search(r"""(?:src|href)\s*=\s*["']?\s*(?:https?:|//)""", page)
    assert not re.search(r"url\(\s*[\"']?(?:https?:|//)", page)
    assert "@import" not in page
    assert "<script" not in page


def test_the_same_chart_gives_the_same_svg(svg):
    assert without_clips(figures.render(figures.draw(chart()), ".svg").decode()) == without_clips(svg)


def without_clips(svg: str) -> str:
    """Remove names of clip paths, hashes of positions in full precision, whose last digit may differ."""
    return re.sub(r"\bp[0-9a-f]{10}\b", "clip", svg)


@pytest.mark.parametrize("classes", [2, 1000])
def test_few_and_many_classes_fit(classes):
    probabilities = np.full(classes, 1 / classes, np.float32)
    figure = figures.draw(chart(labels=[str(k) for k in range(classes)], probabilities=probabilities))
    assert len(figure.subfigs[0].axes[2].patches) == min(5, classes)


def test_maps_of_zeros_can_be_drawn():
    nothing = np.zeros((1, 1, 5, 7), np.float32)
    assert figures.render(figures.draw(chart(maps=nothing, large=nothing[0, 0])), ".svg")


def test_an_ablated_head_is_labeled_and_has_no_scale():
    maps = chart().maps.copy()
    maps[1, 2] = np.nan
    figure = figures.draw(chart(maps=maps, large=maps[1, 2], title="Layer 2, head 3"))
    found = words(figures.render(figure, ".svg").decode())
    assert {"Layer 2, head 3", "ablated"} <= set(found)
    assert not any("separate scale" in text for text in found)
    assert crosses(figure.subfigs[1].axes[5]) == [[(0, 20), (28, 0)]], "its tile is crossed out"


def crosses(axes) -> list:
    """Return the ends of the lines that cross out cells, (column, row) in pixels."""
    return [[tuple(end) for end in line] for group in axes.collections for line in group.get_segments()]


def test_removed_patches_are_crossed_out_and_have_no_value():
    maps = chart().maps.copy()
    maps[..., 1, 2] = maps[..., 4, 6] = np.nan
    figure = figures.draw(chart(maps=maps, large=maps.mean((0, 1))))
    left, right = figure.subfigs
    for axes in (*left.axes[:2], *right.axes[:6]):
        assert crosses(axes) == [[(8, 8), (12, 4)], [(24, 20), (28, 16)]], "28 x 20 pixels, 7 x 5 patches"
    for image in images(figure):
        colors = image.to_rgba(image.get_array(), bytes=True)
        assert tuple(colors[1, 2]) == tuple(colors[4, 6]) == (0xDF, 0xE2, 0xE6, 0xFF)
        assert image.norm.vmax > 0
    found = words(figures.render(figure, ".svg").decode())
    assert any(text.endswith("; crossed patches are removed") for text in found)


def test_an_empty_map_is_labeled_and_has_no_scale():
    figure = figures.draw(chart(large=np.zeros((5, 7), np.float32), unit="relative"))
    found = words(figures.render(figure, ".svg").decode())
    assert "0 everywhere" in found
    assert not any("separate scale" in text for text in found)


def test_query_patches_are_framed_in_the_image_and_the_map():
    figure = figures.draw(chart(query=(9, 34)))
    for axes in figure.subfigs[0].axes[:2]:
        frames = {(patch.get_xy(), patch.get_width(), patch.get_height()) for patch in axes.patches}
        assert frames == {((8, 4), 4, 4), ((24, 16), 4, 4)}, "28 x 20 pixels, 7 x 5 patches"


def test_a_map_that_is_not_of_the_query_does_not_frame_it():
    image, large = figures.draw(chart(query=(9,), large_is_of_query=False)).subfigs[0].axes[:2]
    assert len(image.patches) == 2, "the small maps are of the query"
    assert not large.patches


def test_a_long_title_is_wrapped():
    long = "Integrated gradients for a class of many words, not another one of many"
    shown = figures.draw(chart(title=long)).subfigs[0].axes[1].get_title(loc="left")
    assert shown.replace("\n", " ") == long
    assert max(map(len, shown.splitlines())) <= figures.TITLE_WIDTH


def test_long_class_names_leave_room_for_the_maps():
    name = "Golden retriever, adult, outdoors, standing in grass"
    figure = figures.draw(chart(labels=[name] * 5, title=f"Relevance for {name}, not {name}"))
    figures.render(figure, ".svg")  # a warning about missing room would be an error here
    large = figure.subfigs[0].axes[1]
    assert large.get_position().width > 0.3
    assert large.get_title(loc="left").endswith("…")
    assert figure.subfigs[0].axes[2].get_yticklabels()[0].get_text() == "Golden retriever, a…"


def test_drawing_leaves_global_settings_unchanged():
    before = dict(mpl.rcParams)
    figures.render(figures.draw(chart()), ".svg")
    assert dict(mpl.rcParams) == before
