"""The figure on paper: our colours, the scale in words, names taken literally, and pages that need no network."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest

from tests.plots.svg import words
from vitviz.plots import figures
from vitviz.plots.colormaps import COLOUR_MAPS

STRANGE = ["<b>cat & dog</b>", "5 $ or $x^2$ $", r"back\slash", "lone $", "{brace}"]


def chart(**changes) -> figures.Chart:
    rng = np.random.default_rng(0)
    maps = rng.random((2, 3, 5, 7)).astype(np.float32) / 35
    given = {
        "image": rng.integers(0, 256, (20, 28, 3), dtype=np.uint8),
        "title": "Average",
        "large": maps.mean((0, 1)),
        "maps": maps,
        "unit": "shares",
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
    """The maps of a figure: all its images but the image."""
    left, right = figure.subfigs
    return [image for axes in (left.axes[1], *right.axes[:6]) for image in axes.images]


def test_every_map_has_our_colours_one_square_for_each_patch_and_begins_at_zero(figure):
    found = images(figure)
    assert len(found) == 1 + 2 * 3
    for image in found:
        assert np.array_equal((image.cmap(np.arange(256))[:, :3] * 255).round(), COLOUR_MAPS["seq", "light"])
        assert image.get_interpolation() == "nearest"
        assert image.get_array().shape == (5, 7)
        assert image.norm.vmin == 0


def test_a_map_has_the_shape_of_its_image():
    strips = np.random.default_rng(0).random((2, 3, 20, 2)).astype(np.float32)
    for image in images(figures.draw(chart(maps=strips, large=strips[0, 0]))):
        assert list(image.get_extent()) == [0, 28, 20, 0]
        assert image.axes.get_aspect() == 1, "equal pixels"


def test_all_heads_share_one_scale_and_the_large_map_has_its_own(figure):
    given = chart()
    large, *tiles = images(figure)
    assert large.norm.vmax == given.large.max()
    assert {tile.norm.vmax for tile in tiles} == {float(np.quantile(given.maps, 0.995))}
    for tile, expected in zip(tiles, given.maps.reshape(-1, 5, 7), strict=True):
        assert np.array_equal(tile.get_array(), expected)


def test_the_image_is_shown_with_its_own_pixels(figure):
    (image,) = figure.subfigs[0].axes[0].images
    assert np.array_equal(image.get_array(), chart().image)
    assert image.get_interpolation() == "nearest"


def test_the_scale_is_printed(svg):
    assert not any("left out" in text for text in words(svg))
    top = 100 * np.quantile(chart().maps, 0.995)
    assert f"share of attention; the last colour means {top:.2f} % or more" in words(svg)
    assert "share of attention; its own scale" in words(svg)
    assert sum(bool(re.fullmatch(r"\d+\.\d+ %", text)) for text in words(svg)) >= 5 + 8, "five bars and two scales"


@pytest.mark.parametrize("heads", [1, 6, 9, 12])
@pytest.mark.parametrize("top", [0.225, 1.0])
def test_the_numbers_of_a_scale_stand_clear_of_each_other(top, heads):
    maps = np.full((1, heads, 5, 7), top, np.float32)
    figure = figures.draw(chart(maps=maps, large=maps[0, 0]))
    with figures.own_style():
        figure.draw_without_rendering()
    for part in figure.subfigs:
        numbers = part.axes[-1].get_xticklabels()
        places = sorted((number.get_window_extent() for number in numbers), key=lambda place: place.x0)
        assert len(places) >= 2
        for left, right in pairwise(places):
            assert right.x0 > left.x1 + 7, "a letter of 8 points is about 7 pixels wide"


@pytest.mark.parametrize(("top", "printed"), [(0.6, "60 %"), (0.012, "1.20 %"), (0.0004, "0.0400 %")])
def test_a_scale_has_the_decimals_that_its_range_asks_for(top, printed):
    maps = np.full((1, 1, 5, 7), top, np.float32)
    figure = figures.draw(chart(maps=maps, large=maps[0, 0]))
    found = words(figures.render(figure, ".svg").decode())
    assert f"share of attention; the last colour means {printed} or more" in found
    for part in figure.subfigs:
        bar = part.axes[-1].xaxis
        for place, label in zip(bar.get_majorticklocs(), bar.get_ticklabels(), strict=True):
            assert float(label.get_text().removesuffix(" %")) / 100 == pytest.approx(place, abs=1e-9)


def test_what_goes_to_no_patch_stands_beside_the_scales():
    found = words(figures.render(figures.draw(chart(beside=("1 % goes away", "up to 2 % goes away"))), ".svg").decode())
    assert {"1 % goes away", "up to 2 % goes away"} <= set(found)


def test_a_model_that_learned_without_labels_predicts_nothing():
    found = words(figures.render(figures.draw(chart(probabilities=None)), ".svg").decode())
    assert "none: it learned without labels" in found
    assert not set(STRANGE) & set(found)


def test_a_figure_is_the_same_whatever_matplotlib_is_set_to(svg):
    theirs = {"image.origin": "lower", "text.color": "white", "axes.facecolor": "black", "axes.grid": True}
    with mpl.rc_context(theirs):
        again = figures.render(figures.draw(chart()), ".svg").decode()
        assert mpl.rcParams["image.origin"] == "lower"
    assert without_clips(again) == without_clips(svg)


def test_a_name_that_cannot_be_printed_spoils_nothing():
    names = ["two\nlines", "\x07bell", *STRANGE[2:]]
    svg = figures.render(figures.draw(chart(labels=names)), ".svg").decode()
    ElementTree.fromstring(svg)
    assert {"two lines", "bell"} <= set(words(svg))


def test_layers_and_heads_count_from_one(svg):
    found = words(svg)
    assert {"layer 1", "head 1", "2", "3"} <= set(found)
    assert "0" not in found


def test_labels_and_notes_are_shown_literally(svg):
    found = words(svg)
    for text in (*STRANGE, "model $1: <shrunk> from 640 × 480"):
        assert text in found
    assert "<b>" not in svg


def test_probabilities_are_printed_from_the_largest(svg):
    found = words(svg)
    places = [found.index(text) for text in ("40.0 %", "30.0 %", "15.0 %", "10.0 %", "5.0 %")]
    assert places == sorted(places)


def test_a_page_needs_no_network_and_runs_nothing(figure):
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
    """Matplotlib names clips after their place in full precision, and its layout may differ in the last digit."""
    return re.sub(r"\bp[0-9a-f]{10}\b", "clip", svg)


@pytest.mark.parametrize("classes", [2, 1000])
def test_few_and_many_classes_fit(classes):
    probabilities = np.full(classes, 1 / classes, np.float32)
    figure = figures.draw(chart(labels=[str(k) for k in range(classes)], probabilities=probabilities))
    assert len(figure.subfigs[0].axes[2].patches) == min(5, classes)


def test_maps_of_nothing_can_be_drawn():
    nothing = np.zeros((1, 1, 5, 7), np.float32)
    assert figures.render(figures.draw(chart(maps=nothing, large=nothing[0, 0])), ".svg")


def test_a_head_that_is_off_is_said_to_be_off_and_has_no_scale():
    maps = chart().maps.copy()
    maps[1, 2] = np.nan
    figure = figures.draw(chart(maps=maps, large=maps[1, 2], title="Layer 2, head 3"))
    found = words(figures.render(figure, ".svg").decode())
    assert {"Layer 2, head 3", "switched off"} <= set(found)
    assert not any("its own scale" in text for text in found)
    assert crosses(figure.subfigs[1].axes[5]) == [[(0, 20), (28, 0)]], "its tile is crossed out"


def crosses(axes) -> list:
    """The ends of all lines through cells, (column, row) in pixels."""
    return [[tuple(end) for end in line] for group in axes.collections for line in group.get_segments()]


def test_patches_that_are_left_out_are_crossed_out_and_no_small_share():
    maps = chart().maps.copy()
    maps[..., 1, 2] = maps[..., 4, 6] = np.nan
    figure = figures.draw(chart(maps=maps, large=maps.mean((0, 1))))
    left, right = figure.subfigs
    for axes in (*left.axes[:2], *right.axes[:6]):
        assert crosses(axes) == [[(8, 8), (12, 4)], [(24, 20), (28, 16)]], "28 x 20 pixels, 7 x 5 patches"
    for image in images(figure):
        colours = image.to_rgba(image.get_array(), bytes=True)
        assert tuple(colours[1, 2]) == tuple(colours[4, 6]) == (0xDF, 0xE2, 0xE6, 0xFF)
        assert image.norm.vmax > 0
    found = words(figures.render(figure, ".svg").decode())
    assert any(text.endswith("; crossed patches are left out") for text in found)


def test_a_map_without_any_share_says_so_and_has_no_scale():
    figure = figures.draw(chart(large=np.zeros((5, 7), np.float32), unit="relative"))
    found = words(figures.render(figure, ".svg").decode())
    assert "0 everywhere" in found
    assert not any("its own scale" in text for text in found)


def test_the_patches_that_are_asked_are_framed_in_the_image_and_the_map():
    figure = figures.draw(chart(asked=(9, 34)))
    for axes in figure.subfigs[0].axes[:2]:
        frames = {(patch.get_xy(), patch.get_width(), patch.get_height()) for patch in axes.patches}
        assert frames == {((8, 4), 4, 4), ((24, 16), 4, 4)}, "28 x 20 pixels, 7 x 5 patches"


def test_a_map_that_is_not_of_the_asked_patches_does_not_frame_them():
    image, large = figures.draw(chart(asked=(9,), of_asked=False)).subfigs[0].axes[:2]
    assert len(image.patches) == 2, "the small maps are of the patch"
    assert not large.patches


def test_a_long_title_goes_on_below():
    long = "Integr. gradients for a class of many words, not another one of many words"
    shown = figures.draw(chart(title=long)).subfigs[0].axes[1].get_title(loc="left")
    assert shown.replace("\n", " ") == long
    assert max(map(len, shown.splitlines())) <= figures.LETTERS


def test_long_names_of_classes_leave_room_for_the_maps():
    name = "Golden retriever, adult, outdoors, standing in grass"
    figure = figures.draw(chart(labels=[name] * 5, title=f"Relevance for {name}, not {name}"))
    figures.render(figure, ".svg")  # a warning that there is no room would be an error here
    large = figure.subfigs[0].axes[1]
    assert large.get_position().width > 0.3
    assert large.get_title(loc="left").endswith("…")
    assert figure.subfigs[0].axes[2].get_yticklabels()[0].get_text() == "Golden retriever, a…"


def test_drawing_leaves_no_global_state_behind():
    before = dict(mpl.rcParams)
    figures.render(figures.draw(chart()), ".svg")
    assert dict(mpl.rcParams) == before
