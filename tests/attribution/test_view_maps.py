"""What a view shows: checks, maps and scales, against the attention of the library."""

from dataclasses import replace

import numpy as np
import pytest

from tests import tiny
from tests.errors import refuses
from vitviz.attribution.explanation import explain
from vitviz.attribution.methods import query_weights
from vitviz.attribution.targets import find_target
from vitviz.attribution.view_maps import (
    all_rows,
    attention_scales,
    create_view,
    empty_maps,
    limits_of,
    map_of,
    scale_of,
    target_of,
    title_of,
    uniform_weight,
)
from vitviz.errors import ConfigError
from vitviz.plots.scales import Scale, limit_queries, limits_of_rows, map_scale
from vitviz.view import View

L, A, GH, GW, N = 2, tiny.A, tiny.GH, tiny.GW, tiny.N


@pytest.fixture(scope="module")
def explanation():
    return explain(tiny.checkpoint(replace(tiny.CONFIG, depth=L)), tiny.pixels())


@pytest.fixture(scope="module")
def ablated(explanation):
    return explanation.ablate([(1, 0)], [3, 9])


@pytest.fixture(scope="module")
def pooled():
    config = replace(tiny.CONFIG, depth=L, class_token=False, reg_tokens=1, global_pool="map")
    return explain(tiny.checkpoint(config), tiny.pixels())


def test_names_numpy_integers_and_single_patches_become_the_indices_of_a_view(explanation):
    found = create_view(explanation, layer=np.int64(1), query=np.array([4, 9]), target=("class 3", 5), method="rollout")
    assert found == View(content="method", layer=1, query=(4, 9), target=(3, 5), method="rollout")
    assert create_view(explanation, query=np.int32(0), target="class 3") == View(query=(0,), target=(3,))
    assert create_view(explanation, target=None, method=None) == View()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"layer": L}, "layer"),
        ({"layer": "pool"}, "layer"),
        ({"layer": None}, "layer"),
        ({"head": A}, "head"),
        ({"head": True}, "head"),
        ({"query": N}, "query"),
        ({"query": (1, 1)}, "query"),
        ({"truth": tiny.K}, "truth"),
        ({"target": tiny.K}, "target"),
        ({"target": "nothing"}, "target"),
        ({"target": (3, 3)}, "target"),
        ({"target": (1, 2, 3)}, "target"),
        ({"target": (None, "class 3")}, "target"),
        ({"method": "magic"}, "method"),
        ({"content": "method"}, "method"),
        ({"scale": "own"}, "scale"),
        ({"colormap": "jet"}, "colormap"),
    ],
)
def test_what_a_model_does_not_have_is_refused_by_the_name_of_the_field(explanation, fields, field):
    with pytest.raises(ConfigError) as caught:
        create_view(explanation, **fields)
    assert caught.value.field == field


def test_a_class_specific_method_needs_a_head():
    without = explain(tiny.checkpoint(replace(tiny.CONFIG, num_classes=0)), tiny.pixels())
    assert create_view(without, method="rollout").method == "rollout"
    with pytest.raises(ConfigError) as caught:
        create_view(without, method="relevance")
    assert caught.value.field == "method"


@pytest.mark.parametrize(
    ("view", "title"),
    [
        (View(layer=1, head=0), "Layer 2, head 1"),
        (View(head=1), "Mean of layers, head 2"),
        (View(layer=0, query=(4, 9), direction="to"), "Layer 1, mean of heads"),
        (View(query=(34,)), "Mean of layers, mean of heads"),
    ],
)
def test_the_map_is_that_of_layer_head_query_and_direction(explanation, view, title):
    attention = explanation.attention if view.direction == "from" else explanation.attention.swapaxes(2, 3)
    tokens = [explanation.context.prefix + p for p in view.query] or [0]
    maps = np.mean([attention[:, :, token, explanation.context.prefix :] for token in tokens], 0)  # (L, A, N)
    maps = maps if view.layer == "mean" else maps[[view.layer]]
    maps = maps if view.head == "mean" else maps[:, [view.head]]
    assert title_of(explanation, view) == title
    np.testing.assert_allclose(map_of(explanation, view).ravel(), maps.mean((0, 1)), atol=1e-6)


def test_all_heads_are_followed_by_their_means(explanation):
    rows = all_rows(explanation, View())
    assert rows.shape == (L + 1, A + 1, tiny.T)
    np.testing.assert_allclose(rows[:L, :A], explanation.cls_attention, atol=1e-7)
    np.testing.assert_allclose(rows[:L, A], explanation.cls_attention.mean(1), atol=1e-6)
    np.testing.assert_allclose(rows[L, :A], explanation.cls_attention.mean(0), atol=1e-6)
    np.testing.assert_allclose(rows[L, A, 1:].reshape(GH, GW), explanation.average, atol=1e-6)


def test_ablated_heads_have_no_map_and_are_left_out_of_the_means(explanation, ablated):
    assert np.argwhere(empty_maps(ablated)).tolist() == [[1, 0]]
    assert np.argwhere(empty_maps(explanation.ablate([(0, 1)]))).tolist() == [[0, 1]]
    whole = explanation.ablate([(layer, 1) for layer in range(L)])
    assert np.argwhere(empty_maps(whole)).tolist() == [[layer, 1] for layer in range(L + 1)]
    rows = all_rows(ablated, View())
    assert np.isnan(rows[1, 0]).all()
    np.testing.assert_array_equal(rows[1, 2], rows[1, 1])
    both = ablated.ablate([(1, 1)])
    assert np.argwhere(empty_maps(both)).tolist() == [[1, 0], [1, 1], [1, 2]]


@pytest.mark.parametrize("direction", ["from", "to"])
def test_shared_limits_are_of_heads_and_means_and_stay_under_ablation(explanation, ablated, direction):
    attention = explanation.attention if direction == "from" else explanation.attention.swapaxes(2, 3)
    tokens = [0, *limit_queries(tiny.T, explanation.context.prefix)]
    assert query_weights(explanation.context).argmax() == 0
    limits = limits_of_rows(attention[:, :, tokens, explanation.context.prefix :])
    assert limits_of(explanation.context, direction) == limits
    scales = tuple(Scale("linear", limits[name], clips=True) for name in ("heads", "means"))
    for one in (explanation, ablated):
        view = View(layer=0, head=1, direction=direction, query=(20,))
        assert attention_scales(one, view) == scales
        assert scale_of(one, view, map_of(one, view)) == scales[0]
        assert scale_of(one, View(layer=0, direction=direction), map_of(one, view)) == scales[1]


def test_a_uniform_scale_is_relative_to_the_remaining_tokens(explanation, ablated):
    for one, tokens in ((explanation, N + 1), (ablated, N - 1)):
        view = View(scale="uniform")
        assert scale_of(one, view, map_of(one, view)) == Scale("uniform", 1 / tokens)


def test_one_scale_per_map_does_not_count_removed_patches(ablated):
    view = View(layer=0, head=1, scale="map")
    values = map_of(ablated, view)
    kept = np.delete(values.ravel(), [3, 9])
    assert attention_scales(ablated, view) is None
    assert scale_of(ablated, view, values) == map_scale(kept)
    assert kept.min() > 0


def test_an_ablated_image_explains_the_class_predicted_before(explanation, tmp_path):
    before = find_target(explanation.context)
    pairs = [(layer, head) for layer in range(L) for head in range(A)]
    changed = next(one for pair in pairs if find_target((one := explanation.ablate([pair])).context) != before)
    view = create_view(changed, method="relevance")
    assert target_of(changed, view) == before
    assert title_of(changed, view) == f"Relevance for class {before}"
    np.testing.assert_array_equal(map_of(changed, view), changed.map("relevance", before))
    with np.load(changed.save(tmp_path / "x.npz", method="relevance")) as held:
        assert held["target"].tolist() == [f"class {before}"]
        np.testing.assert_array_equal(held["map"], changed.map("relevance", before))


@pytest.mark.parametrize("head", ["mean", 1])
def test_attention_pooling_is_shown_for_every_query(pooled, head):
    weights = pooled.context.pool_attention[:, pooled.context.prefix :]
    expected = (weights.mean(0) if head == "mean" else weights[head]).reshape(GH, GW)
    for view in (View(layer="pool", head=head), View(layer="pool", head=head, query=(4,), direction="to")):
        np.testing.assert_array_equal(map_of(pooled, view), expected)
        assert title_of(pooled, view) == f"Attention pooling, {'mean of heads' if head == 'mean' else 'head 2'}"
    with refuses("head"):
        pooled.attention_map("pool", 7)


def test_uniform_attention_pooling_is_over_the_patches(pooled):
    for one, patches in ((pooled, N), (pooled.ablate(patches=[3]), N - 1)):
        view = View(layer="pool", scale="uniform")
        assert uniform_weight(one, "pool") == pytest.approx(1 / patches)
        assert scale_of(one, view, map_of(one, view)) == Scale("uniform", 1 / patches)
        assert attention_scales(one, view)[0] == Scale("uniform", 1 / (patches + 1)), "heads attend to the register"
