"""Figures of contributions, features and activation patching: numbers equal the library's, sentences the page's."""

import numpy as np
import pytest

from tests import tiny
from tests.plots.reading import fills
from vitviz.attribution.explanation import Explanation, explain, patch_activations
from vitviz.attribution.panels import PatchedPair, contributions_headline, panel_figure, similarity_scale
from vitviz.attribution.view import View
from vitviz.plots import canvas, figures, words
from vitviz.plots.scales import Scale

L, A, N, T = tiny.L, tiny.A, tiny.N, tiny.T


@pytest.fixture(scope="module")
def explanation():
    return explain(tiny.checkpoint(), tiny.pixels())


def svg(chart, content):
    return canvas.render(figures.draw(chart, content), ".svg").decode()


def test_contributions_sum_to_the_logit_and_show_the_chosen_head(explanation):
    found = explanation.contributions((3, 7))
    figure = panel_figure(explanation, View(layer=2, head=1, target=(3, 7)), "contributions")
    bars = figure.chart.panel
    total = bars.embedding + bars.attention.sum() + bars.mlp.sum() + bars.bias
    assert total == pytest.approx(found.logit, abs=1e-4)
    np.testing.assert_allclose(bars.cells.values, found.heads.sum(-1), atol=1e-6)
    np.testing.assert_array_equal(figure.chart.large.ravel(), found.heads[2, 1, 1:])
    best = divmod(int((found.heads[2, 1, 1:] * np.sign(found.heads[2, 1].sum())).argmax()), tiny.GW)
    verb, to = ("adds", "to") if found.heads[2, 1].sum() > 0 else ("takes", "from")
    assert figure.chart.headline == (
        f"Layer 3, head 2 {verb} {abs(found.heads[2, 1].sum()):.2f} {to} the logit of class 3 minus that of class 7, "
        f"more via row {best[0] + 1}, column {best[1] + 1} than via other patches"
    )
    assert bars.cells.chosen == (2, 1)
    drawing = svg(figure.chart, "contributions")
    assert drawing.count('id="sum-') == 2 * L + 3
    color = Scale("signed", bars.cells.limit).colors(bars.cells.values[2, 1])
    np.testing.assert_array_equal(np.ravel(fills(drawing, "head-3-2")), color)


def test_a_head_that_adds_nothing_has_no_best_patch(explanation):
    tokens = np.full(T, -1e-5, np.float32)
    found = contributions_headline(tokens, View(layer=2, head=1), ["class 3"], explanation)
    assert found == "Layer 3, head 2 adds 0.00 to the logit of class 3"


def test_with_query_patches_cells_are_what_came_from_them(explanation):
    found = explanation.contributions(3)
    cells = panel_figure(explanation, View(query=(4, 9), target=3), "contributions").chart.panel.cells
    np.testing.assert_allclose(cells.values, found.heads[..., [5, 10]].sum(-1), atol=1e-6)


def test_the_table_of_contributions_sums_to_the_logit(explanation):
    figure = panel_figure(explanation, View(target=3), "contributions")
    assert len(figure.rows) == 1 + L * (A * T + 2) + 2
    *summands, logit = [row[-1] for row in figure.rows]
    assert sum(map(float, summands)) == pytest.approx(float(logit), abs=1e-4)
    assert figure.rows[1][:6] == ("contribution", "head, class token", 1, 1, "", "")
    assert figure.rows[2][:6] == ("contribution", "head", 1, 1, 1, 1)
    assert figure.arrays["heads"].shape == (L, A, T)


def test_features_are_the_components_of_each_layer(explanation):
    figure = panel_figure(explanation, View(layer=1), "features")
    found = explanation.pca(1)
    np.testing.assert_allclose(figure.chart.colors / 255, found.rgb, atol=0.5 / 255 + 1e-6)
    assert figure.chart.panel.chosen == 1
    explained = round(100 * float(found.explained.sum()))
    assert figure.chart.headline.replace("\N{NO-BREAK SPACE}", " ") == (
        f"Layer 2: three components explain {explained} % of the variance of the patch features"
    )
    assert figure.arrays["rgb"].shape == (L, tiny.GH, tiny.GW, 3)
    assert len(figure.rows) == L * N * 3 + L * 3
    drawing = svg(figure.chart, "features")
    assert all(f'id="layer-{layer + 1}"' in drawing for layer in range(L))
    assert 'id="bar"' not in drawing


def test_a_layer_of_too_few_patches_says_so(explanation):
    few = explanation.ablate(patches=range(2, N))
    figure = panel_figure(few, View(layer=0), "features")
    assert figure.chart.headline == "Layer 1: fewer than 3 patches are left"
    assert figure.chart.panel.texts == ["too few"] * L


def test_a_query_patch_shows_similarities(explanation):
    figure = panel_figure(explanation, View(query=(4,)), "features")
    np.testing.assert_allclose(figure.arrays["similarity"][2], explanation.similarity(4, 2), atol=1e-6)
    assert figure.chart.title == f"Layer {L}, similarity"
    assert figure.chart.headline.startswith(f"Layer {L}: row 1, column 5 is most similar to row ")
    assert similarity_scale(np.array([1, 0.25], np.float32)).low == pytest.approx(0.2)


def test_removed_patches_have_no_similarity(explanation):
    removed = explanation.ablate(patches=[3, 9])
    kept = np.delete(np.arange(N), [3, 9])
    figure = panel_figure(removed, View(query=(4,)), "features")
    values = np.stack([removed.similarity(4, k).ravel() for k in range(L)])
    assert figure.chart.scale == similarity_scale(values[:, kept])
    others = np.delete(values, [3, 4, 9], 1)
    assert figure.chart.panel.texts == [f"max {words.written(float(top), 2)}" for top in others.max(1)]
    figure = panel_figure(removed, View(query=(3,)), "features")
    assert figure.chart.headline == "Row 1, column 4 is removed"
    assert figure.chart.panel.texts == [""] * L
    assert svg(figure.chart, "features")
    alone = panel_figure(explanation.ablate(patches=kept), View(query=(9,)), "features")
    assert "most similar to row 1, column 4" in alone.chart.headline
    alone = panel_figure(explanation.ablate(patches=range(1, N)), View(query=(0,)), "features")
    assert alone.chart.headline == f"Layer {L}: row 1, column 1 is the only patch left"


def test_a_negative_similarity_is_larger_than_that_of_a_removed_patch(explanation, monkeypatch):
    removed = explanation.ablate(patches=[3])
    values = np.full((tiny.GH, tiny.GW), -0.5, np.float32)
    values.flat[[3, 4, 5]] = 0, 1, -0.25
    monkeypatch.setattr(Explanation, "similarity", lambda *_: values)
    figure = panel_figure(removed, View(query=(4,)), "features")
    assert figure.chart.headline == f"Layer {L}: row 1, column 5 is most similar to row 1, column 6"
    assert figure.chart.panel.texts == ["max −0.25"] * L


def test_the_panels_of_an_ablated_image_explain_the_class_predicted_before(explanation):
    before = explanation.target()
    alone = (explanation.ablate(patches=np.delete(np.arange(N), patch)) for patch in range(N))
    ablated = next(one for one in alone if one.target() != before)
    found = panel_figure(ablated, View(), "contributions")
    assert found.arrays["logit"] == pytest.approx(ablated.contributions(before).logit, abs=1e-5)
    assert found.chart.matrix_title == f"Contributions to class {before}"


def test_patching_shows_heads_mlps_and_tokens(explanation):
    other = explain(tiny.checkpoint(), tiny.pixels(seed=1))
    heads, mlp = (patch_activations(explanation, other, (3, 7), part) for part in ("heads", "mlp"))
    tokens = patch_activations(explanation, other, (3, 7), "tokens", layers=[2])
    figure = panel_figure(explanation, View(layer=2), "patching", patched=PatchedPair(other, heads, mlp, tokens))
    np.testing.assert_array_equal(figure.chart.panel.values, heads.recovered)
    np.testing.assert_array_equal(figure.chart.panel.mlp, mlp.recovered)
    np.testing.assert_array_equal(figure.chart.large.ravel(), tokens.recovered[0, 1:])
    assert figure.chart.title == "Tokens after layer 3"
    assert figure.chart.prefix_line.endswith(" by the class token")
    assert "in the logit of class 3 minus that of class 7" in figure.chart.headline
    assert len(figure.rows) == L * A + L + T
    drawing = svg(figure.chart, "patching")
    assert 'id="other"' in drawing
    assert drawing.count('id="mlp-') == L


def test_a_panel_needs_its_own_chart(explanation):
    with pytest.raises(ValueError, match="needs a second image"):
        explanation.figure(content="patching")
    with pytest.raises(ValueError, match="needs another chart"):
        figures.draw(panel_figure(explanation, View(), "features").chart, "view")
