"""Figure of the probes: the values are drawn unchanged, on the scales that are printed."""

import csv
import io

import numpy as np
import pytest

from tests.plots.svg import words
from vitviz.plots import probe_figures, probe_table
from vitviz.plots.colormaps import COLOR_MAPS
from vitviz.plots.style import render

GH, GW, T, L, A, K = 5, 7, 38, 6, 2, 11


def numbers(layers: int = L, heads: int = A, classes: int = K) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    cosines = rng.uniform(-0.4, 0.7, (layers + 1, GH, GW))
    cosines[1, 2, 3] = -0.8
    return {
        "labels": np.array(["never drawn"] * classes),
        "filters": rng.uniform(-0.5, 0.4, (9, 3, 4, 4)),
        "explained": np.linspace(0.18, 0.02, 9),
        "position_similarity": rng.uniform(-1, 1, (GH, GW, GH, GW)),
        "distance": rng.uniform(2, 12, (layers, heads)),
        "uniform_distance": np.array(10.75),
        "effective_tokens": rng.uniform(1, T, (layers, heads)),
        "head_divergence": rng.uniform(0, 0.6, (layers, heads, heads)),
        "norms": rng.uniform(5, 9, (layers + 1, T)),
        "longest": rng.uniform(9, 10, layers + 1),
        "outliers": rng.uniform(0, 0.1, (layers + 1, T)),
        "final_agreement": rng.uniform(0, 1, layers + 1),
        "final_probability": rng.uniform(0, 1, layers + 1),
        "class_token_cosine": cosines,
        "cka": rng.uniform(-0.1, 1, (layers + 1, layers + 1)),
        "sink_share": rng.uniform(0.1, 0.9, (layers, heads)),
        "sink_norm": rng.uniform(0.1, 1.5, (layers, heads)),
        "head_shares": rng.dirichlet(np.ones(4), (layers, heads)),
        "image_specific": rng.uniform(0, 0.4, (layers, heads)),
        "follows_patches": np.linspace(1, 0, layers + 1),
        "follows_class_token": np.linspace(0, 1, layers + 1),
        "head_images": np.array(500.0),
        "pairs": np.array(450.0),
    }


@pytest.fixture(scope="module")
def figure():
    return probe_figures.draw(numbers(), "model $1 over <ten> samples")


@pytest.fixture(scope="module")
def svg(figure) -> str:
    return render(figure, ".svg").decode()


def images(panel) -> list:
    """The maps of a panel, without its color bar."""
    return [image for axes in panel.axes for image in axes.images]


def colors(image) -> np.ndarray:
    return (image.cmap(np.arange(256))[:, :3] * 255).round()


def test_filters_are_centered_on_gray_and_scaled_by_their_largest_weight(figure):
    found = images(figure.subfigs[0])
    assert len(found) == 9
    for image, component in zip(found, numbers()["filters"], strict=True):
        expected = 0.5 + component.transpose(1, 2, 0) / (2 * np.abs(component).max())
        np.testing.assert_allclose(image.get_array(), expected, rtol=0, atol=1e-12)


def test_the_tile_of_a_position_is_at_its_place_in_the_grid(figure):
    (image,) = images(figure.subfigs[1])
    shown, expected = image.get_array(), numbers()["position_similarity"]
    assert shown.shape == (GH * (GH + 1) - 1, GW * (GW + 1) - 1)
    for r, c in np.ndindex(GH, GW):
        tile = shown[r * (GH + 1) : r * (GH + 1) + GH, c * (GW + 1) : c * (GW + 1) + GW]
        assert np.array_equal(tile, expected[r, c])
    assert (image.norm.vmin, image.norm.vmax) == (-1, 1)
    assert np.array_equal(colors(image), COLOR_MAPS["div", "light"])


@pytest.mark.parametrize(("panel", "field", "uniform"), [(2, "distance", 10.75), (3, "effective_tokens", T)])
def test_each_head_is_a_dot_above_its_layer_and_uniform_attention_a_line(figure, panel, field, uniform):
    (axes,) = figure.subfigs[panel].axes
    *heads, mean, level = axes.lines
    for head, line in enumerate(heads):
        assert line.get_xdata().tolist() == [1, 2, 3, 4, 5, 6]
        assert np.array_equal(line.get_ydata(), numbers()[field][:, head])
    np.testing.assert_allclose(mean.get_ydata(), numbers()[field].mean(1))
    assert level.get_ydata() == [uniform, uniform]
    assert axes.get_ylim()[0] == 0


@pytest.mark.parametrize(
    ("panel", "field", "scale", "kind"),
    [
        (4, "head_divergence", (0, np.log(2)), "seq"),
        (7, "class_token_cosine", (-0.8, 0.8), "div"),
        (8, "cka", (0, 1), "seq"),
    ],
)
def test_the_maps_of_all_layers_share_the_printed_scale(figure, panel, field, scale, kind):
    found = images(figure.subfigs[panel])
    values = numbers()[field]
    for image, expected in zip(found, values if values.ndim == 3 else values[None], strict=True):
        assert np.array_equal(image.get_array(), expected)
        assert (image.norm.vmin, image.norm.vmax) == scale
        assert np.array_equal(colors(image), COLOR_MAPS[kind, "light"])
        assert image.get_interpolation() == "nearest"


def test_norms_of_patches_exclude_class_token_and_registers(figure):
    above, below = figure.subfigs[5].axes
    patches = numbers()["norms"][:, T - GH * GW :]
    median, longest, token = above.lines
    np.testing.assert_allclose(median.get_ydata(), np.median(patches, 1))
    assert np.array_equal(longest.get_ydata(), numbers()["longest"])
    assert np.array_equal(token.get_ydata(), numbers()["norms"][:, 0])
    outliers = 100 * numbers()["outliers"][:, T - GH * GW :].mean(1)
    np.testing.assert_allclose([bar.get_height() for bar in below.patches], outliers)


def test_the_logit_lens_is_compared_with_the_final_prediction(figure):
    (axes,) = figure.subfigs[6].axes
    agreement, probability, chance = axes.lines
    np.testing.assert_allclose(agreement.get_ydata(), 100 * numbers()["final_agreement"])
    np.testing.assert_allclose(probability.get_ydata(), 100 * numbers()["final_probability"])
    assert chance.get_ydata()[0] == pytest.approx(100 / K)


def test_each_head_is_a_dot_at_the_norm_and_attention_of_its_largest_receiver(figure):
    (axes,) = figure.subfigs[9].axes
    *layers, uniform = axes.lines
    for layer, line in enumerate(layers):
        assert np.array_equal(line.get_xdata(), numbers()["sink_norm"][layer])
        np.testing.assert_allclose(line.get_ydata(), 100 * numbers()["sink_share"][layer])
    assert uniform.get_ydata() == [100 / T, 100 / T]


def test_the_parts_of_a_head_are_a_bar_of_its_layer_that_fills_100_percent(figure):
    (axes,) = figure.subfigs[10].axes
    shares = numbers()["head_shares"]
    heights = np.reshape([bar.get_height() for bar in axes.patches], (4, L, A))
    np.testing.assert_allclose(heights, 100 * np.moveaxis(shares, -1, 0))
    np.testing.assert_allclose([bar.get_y() + bar.get_height() for bar in axes.patches[-L * A :]], 100)
    centers = np.reshape([bar.get_x() + bar.get_width() / 2 for bar in axes.patches[: L * A]], (L, A))
    np.testing.assert_allclose(centers.mean(1), np.arange(1, L + 1))


def test_what_the_prediction_follows_is_drawn_by_layer(figure):
    (axes,) = figure.subfigs[11].axes
    patches, token = axes.lines
    np.testing.assert_allclose(patches.get_ydata(), 100 * numbers()["follows_patches"])
    np.testing.assert_allclose(token.get_ydata(), 100 * numbers()["follows_class_token"])
    assert patches.get_xdata().tolist() == list(range(L + 1))


def test_texts_are_present_and_escaped(svg):
    found = words(svg)
    assert {"in", "layer 1", "uniform: 10.8 px", f"uniform: {T}", "18.0 %"} <= set(found)
    assert "model $1 over <ten> samples" in found
    assert any("0.80" in text for text in found), "the scale of the cosines"
    assert {title for _, title in probe_figures.PANELS.values()} <= set(found)


@pytest.mark.parametrize(("layers", "heads", "classes"), [(1, 1, 2), (2, 12, 1000)])
def test_small_and_large_models_fit(layers, heads, classes):
    assert render(probe_figures.draw(numbers(layers, heads, classes)), ".svg")


def test_figures_that_a_model_lacks_say_why():
    rotary = numbers() | {"position_similarity": np.zeros((GH, GW, GH, GW))}
    assert probe_figures.why_absent(rotary, "positions") == "this model has rotary positions and no position embedding"
    unlabeled = numbers() | {"final_agreement": np.empty(0), "final_probability": np.empty(0)}
    assert probe_figures.why_absent(unlabeled, "lens") == "this model was trained without labels"
    few = numbers() | {"head_shares": np.empty(0), "follows_patches": np.empty(0)}
    assert probe_figures.why_absent(few, "heads").startswith("at least 128 images")
    assert probe_figures.why_absent(few, "decision").startswith("at least 128 images")
    assert not any(probe_figures.why_absent(numbers(), name) for name in probe_figures.PANELS)
    assert render(probe_figures.draw(rotary | unlabeled), ".svg")


def test_maps_of_strip_patches_have_the_aspect_ratio_of_the_image():
    strips = numbers() | {"filters": np.ones((9, 3, 1, 16))}
    figure = probe_figures.draw(strips)
    for panel, aspect in ((1, 1 / 256), (7, 1 / 16)):  # a tile of the first is a strip of strips
        assert {image.axes.get_aspect() for image in images(figure.subfigs[panel])} == {aspect}


def table(name: str) -> tuple[list[str], list[list[float]]]:
    """The names and the numbers of a CSV file."""
    names, *lines = csv.reader(io.StringIO(probe_table.to_csv(numbers(), name)))
    return names, [[float(value) for value in line] for line in lines]


@pytest.mark.parametrize("name", probe_table.LONG)
def test_a_table_has_a_line_per_value(name):
    array = numbers()[probe_table.LONG[name][0]]
    names, lines = table(name)
    assert len(lines) == array.size
    first = np.array([0 if "layer output" in one else 1 for one in names[:-1]])
    for *index, value in lines:
        assert value == array[tuple(np.array(index, int) - first)]


def test_tables_by_layer_start_with_the_input_of_the_first_layer():
    _, lines = table("lens")
    expected = np.stack([np.arange(L + 1), numbers()["final_agreement"], numbers()["final_probability"]], 1)
    assert np.array_equal(lines, expected)
    _, lines = table("norms")
    patches, outliers = (numbers()[name][2, T - GH * GW :] for name in ("norms", "outliers"))
    longest = numbers()["longest"][2]
    row = [2, numbers()["norms"][2, 0], np.median(patches), patches.min(), patches.max(), longest, outliers.mean()]
    assert np.allclose(lines[2], row)


def test_the_table_of_norms_has_no_class_token_where_the_model_has_none():
    arrays = numbers() | {"class_token_cosine": np.empty((0, GH, GW))}
    header, *lines = probe_table.norms(arrays)
    assert "class token" not in header
    assert {len(line) for line in lines} == {len(header)}
    assert lines[1][1] == pytest.approx(np.median(arrays["norms"][1, T - GH * GW :]))


def test_drawing_leaves_global_settings_unchanged():
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    probe_figures.draw(numbers())
    assert dict(mpl.rcParams) == before
