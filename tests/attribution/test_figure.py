"""The figure of a view: values, scales and texts equal the library's; what is not drawn is refused."""

from dataclasses import replace

import numpy as np
import pytest

from tests import tiny
from tests.errors import refuses
from tests.plots.svg import words
from vitviz.attribution import file_formats
from vitviz.attribution.explanation import explain
from vitviz.attribution.view_maps import limits_of, pool_map, uniform_weight
from vitviz.errors import ConfigError
from vitviz.plots.figures import mosaic

L, A, GH, GW = tiny.L, tiny.A, tiny.GH, tiny.GW


@pytest.fixture(scope="module")
def explanation():
    return replace(explain(tiny.checkpoint(), tiny.pixels()), name="Drawing (cat)")


def shown(axes) -> np.ndarray:
    return axes.images[0].get_array().filled(np.nan)


def texts(figure) -> str:
    return " ".join(words(file_formats.figure_bytes(figure, ".svg").decode()))


def test_a_head_is_drawn_with_the_image_and_all_heads(explanation):
    figure = explanation.figure(layer=2, head=1, query=(9,))
    image, large, matrix = figure.axes[:3]
    np.testing.assert_array_equal(image.images[0].get_array(), np.asarray(explanation.image.model_input))
    np.testing.assert_array_equal(shown(large), explanation.attention_map(2, 1, 9))
    np.testing.assert_allclose(shown(matrix), mosaic(explanation.attention_maps((9,))), atol=1e-7)
    limit = limits_of(explanation.context, "from")["heads"]
    assert {one.images[0].get_clim() for one in (large, matrix)} == {(0, limit)}
    probability = f"{100 * explanation.probabilities.max():.1f}\N{NO-BREAK SPACE}%"
    found = texts(figure)
    for text in ("Drawing (cat)", "Layer 3, head 2", "from row 2, column 3", "All heads", explanation.prediction):
        assert text in found
    assert probability in found


def test_a_mean_has_the_scale_of_means(explanation):
    figure = explanation.figure(direction="to")
    limits = limits_of(explanation.context, "to")
    assert figure.axes[1].images[0].get_clim() == (0, limits["means"])
    assert figure.axes[2].images[0].get_clim() == (0, limits["heads"])
    np.testing.assert_array_equal(shown(figure.axes[1]), explanation.attention_map(direction="to"))


def test_other_scales_are_relative_to_uniform_or_to_each_map(explanation):
    uniform = uniform_weight(explanation)
    _, large, matrix = explanation.figure(layer=2, head=1, scale="uniform").axes[:3]
    assert large.images[0].get_clim() == matrix.images[0].get_clim() == pytest.approx((uniform / 8, uniform * 8))
    _, large, matrix = explanation.figure(layer=2, head=1, scale="map").axes[:3]
    values = explanation.attention_map(2, 1)
    assert large.images[0].get_clim() == (values.min(), values.max())
    tiles = shown(matrix).reshape(L, GH, A, GW)
    assert (tiles.min((1, 3)) == 0).all()
    assert (tiles.max((1, 3)) == 1).all()


def test_a_method_is_drawn_by_patch_or_pixel(explanation):
    figure = explanation.figure(method="balanced_gradients", target=("class 3", "class 5"))
    values = explanation.map("balanced_gradients", (3, 5))
    np.testing.assert_array_equal(shown(figure.axes[1]), values)
    limit = np.abs(values).max()
    assert figure.axes[1].images[0].get_clim() == (-limit, limit)
    assert "Balanced gradients for class 3, not class 5" in texts(figure).replace("  ", " ")
    pixels = explanation.figure(method="balanced_gradients", pixels=True).axes[1]
    np.testing.assert_array_equal(shown(pixels), explanation.map("balanced_gradients", pixels=True))


def test_removed_patches_and_ablated_heads_have_no_color_of_the_scale(explanation):
    ablated = explanation.ablate([(2, 1)], [3, 9])
    figure = ablated.figure(layer=1, head=0)
    assert np.flatnonzero(np.isnan(shown(figure.axes[1]))).tolist() == [3, 9]
    tiles = shown(figure.axes[2]).reshape(L, GH, A, GW)
    assert np.isnan(tiles[2, :, 1]).all()
    assert np.isnan(tiles).sum() == GH * GW + 2 * (L * A - 1)
    found = texts(ablated.figure(layer=2, head=1))
    assert "Layer 3, head 2 (ablated)" in found
    assert "(1 head ablated, 2 patches removed)" in found
    assert np.isnan(shown(ablated.figure(layer=2, head=1).axes[1])).all()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"content": "contributions"}, "content"),
        ({"content": "features"}, "content"),
        ({"outlines": 0.3}, "outlines"),
        ({"truth": 3}, "truth"),
        ({"foreground": True}, "foreground"),
        ({"direction": "similar"}, "direction"),
        ({"method": "rollout", "pixels": True}, "pixels"),
        ({"size": "16:9"}, "size"),
    ],
)
def test_what_is_not_drawn_is_refused_by_name_with_a_cure(explanation, fields, field, tmp_path):
    with pytest.raises(ConfigError) as caught:
        explanation.save(tmp_path / "x.png", **fields)
    assert caught.value.field == field
    assert caught.value.hint
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("width", [3.3, 7.0])
def test_the_figure_has_the_given_width_and_nothing_reaches_outside(explanation, width):
    figure = explanation.figure(layer=2, head=1, width=width)
    figure.draw_without_rendering()
    assert figure.get_figwidth() == width
    box = figure.get_tightbbox()
    assert box.x0 >= -0.01
    assert box.x1 <= width + 0.01
    assert box.y0 >= -0.01
    assert box.y1 <= figure.get_figheight() + 0.01


def test_a_width_that_no_page_has_is_refused(explanation):
    with refuses("width"):
        explanation.figure(width=0)


def test_models_without_class_token_head_or_labels_are_drawn():
    without = explain(tiny.checkpoint(replace(tiny.VARIANTS["no class token"], num_classes=0)), tiny.pixels())
    found = texts(without.figure())
    assert "from the mean of the patches" in found
    assert "predicts" not in found
    config = replace(tiny.CONFIG, class_token=False, reg_tokens=1, global_pool="map")
    pooled = explain(tiny.checkpoint(config), tiny.pixels())
    figure = pooled.figure(layer="pool", head=0)
    np.testing.assert_array_equal(shown(figure.axes[1]), pool_map(pooled.context, 0))
    assert "from the pooling query" in texts(figure)


def test_image_and_map_have_the_shape_of_the_image(explanation):
    figure = explanation.figure()
    figure.draw_without_rendering()
    for axes in figure.axes[:2]:
        box = axes.get_window_extent()
        assert box.width / box.height == pytest.approx(tiny.W / tiny.H, rel=1e-3)


def test_a_figure_leaves_global_settings_unchanged_and_files_are_reproducible(explanation):
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    for ending in (".svg", ".pdf"):
        first, second = (file_formats.figure_bytes(explanation.figure(layer=1), ending) for _ in range(2))
        assert first == second
    assert dict(mpl.rcParams) == before
