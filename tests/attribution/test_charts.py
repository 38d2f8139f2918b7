"""Charts: the numbers, scales, marks and words of a view are those of the page."""

import re
from dataclasses import replace

import numpy as np
import pytest

import vitviz
from tests import tiny
from vitviz.attribution import code
from vitviz.attribution.charts import all_rows, animated_patches, chart, listed_classes, sequence
from vitviz.attribution.explanation import explain
from vitviz.attribution.methods import query_weights
from vitviz.attribution.panels import panel_figure
from vitviz.attribution.view import View
from vitviz.plots.limits import shared_limits
from vitviz.plots.scales import Scale, map_scale
from vitviz.plots.words import percent

L, A, GH, GW, N = 2, tiny.A, tiny.GH, tiny.GW, tiny.N


@pytest.fixture(scope="module")
def explanation():
    checkpoint = tiny.checkpoint(replace(tiny.CONFIG, depth=L))
    return replace(explain(checkpoint, tiny.pixels()), name="Drawing (cat)")


@pytest.fixture(scope="module")
def ablated(explanation):
    return explanation.ablate([(1, 0)], [3, 9])


@pytest.mark.parametrize(
    ("view", "title"),
    [
        (View(None, 1, 0), "Layer 2, head 1"),
        (View(None, None, 1), "Mean of layers, head 2"),
        (View(None, 0, None, (4, 9), "to"), "Layer 1, mean of heads"),
        (View(None, None, None, (34,)), "Mean of layers, mean of heads"),
    ],
)
def test_the_large_map_is_that_of_layer_head_query_and_direction(explanation, view, title):
    attention = explanation.attention if view.direction == "from" else explanation.attention.swapaxes(2, 3)
    tokens = [explanation.prefix + p for p in view.query] or [0]
    maps = np.mean([attention[:, :, token, explanation.prefix :] for token in tokens], 0)  # (L, A, N)
    maps = maps if view.layer is None else maps[[view.layer]]
    maps = maps if view.head is None else maps[:, [view.head]]
    found = chart(explanation, view)
    assert found.title == title
    np.testing.assert_allclose(found.large.ravel(), maps.mean((0, 1)), atol=1e-6)
    np.testing.assert_array_equal(found.large, found.maps[found.chosen])
    np.testing.assert_allclose(
        explanation.attention_map(view.layer, view.head, view.query, view.direction), found.large, atol=1e-7
    )


def test_the_matrix_has_all_heads_and_then_their_means(explanation):
    maps = chart(explanation, View()).maps
    assert maps.shape == (L + 1, A + 1, GH, GW)
    np.testing.assert_allclose(maps[:L, :A], explanation.cls_maps, atol=1e-7)
    np.testing.assert_allclose(maps[:L, A], explanation.cls_maps.mean(1), atol=1e-6)
    np.testing.assert_allclose(maps[L, :A], explanation.cls_maps.mean(0), atol=1e-6)
    np.testing.assert_allclose(maps[L, A], explanation.average, atol=1e-6)


@pytest.mark.parametrize("direction", ["from", "to"])
def test_shared_scales_are_those_of_the_page_and_stay_under_ablation(explanation, ablated, direction):
    limits = shared_limits(explanation.attention, query_weights(explanation.context), explanation.prefix, direction)
    for one in (explanation, ablated):
        found = chart(one, View(layer=0, head=1, direction=direction, query=(20,)))
        assert found.scales == tuple(Scale("linear", limits[name], clips=True) for name in ("heads", "means"))
        assert found.scale == found.scales[0]
        assert chart(one, View(layer=0, direction=direction)).scale == found.scales[1]
        assert found.scale_of(0, 0) == found.scales[0]
        assert found.scale_of(0, A) == found.scale_of(L, 0) == found.scale_of(L, A) == found.scales[1]


def test_a_uniform_scale_is_relative_to_the_remaining_tokens(explanation, ablated):
    assert chart(explanation, View(scale="uniform")).scale == Scale("uniform", 1 / (N + 1))
    assert chart(ablated, View(scale="uniform")).scale == Scale("uniform", 1 / (N - 1))


def test_one_scale_per_map_does_not_count_removed_patches(ablated):
    found = chart(ablated, View(layer=0, head=1, scale="map"))
    kept = np.delete(found.large.ravel(), [3, 9])
    assert found.scales is None
    assert found.scale == map_scale(kept) == found.scale_of(0, 1)
    assert found.scale.low == kept.min() > 0


def test_ablated_heads_are_marked_and_left_out_of_the_means(ablated):
    found = chart(ablated, View(layer=1))
    assert np.argwhere(found.ablated).tolist() == [[1, 0]]
    np.testing.assert_array_equal(found.maps[1, 2], found.maps[1, 1])
    assert not found.maps[1, 0].any()
    both = ablated.ablate([(1, 1)])
    assert np.argwhere(chart(both, View()).ablated).tolist() == [[1, 0], [1, 1], [1, 2]]
    assert chart(both, View(layer=1)).headline == "Layer 2, mean of heads is ablated"
    assert chart(both, View(layer=1)).large_is_ablated


def test_removed_patches_are_dropped_or_gray(explanation):
    found = chart(explanation.ablate([], [3], patch_mode="gray").ablate([], [9]), View())
    assert (found.dropped, found.gray) == ((9,), (3,))


def test_the_map_of_a_method_is_of_the_ablated_model(ablated, explanation):
    view = View("relevance", target=3)
    found = chart(ablated, view)
    np.testing.assert_array_equal(found.large, ablated.map("relevance", 3))
    assert np.abs(found.large - explanation.map("relevance", 3)).max() > 1e-4
    assert found.title == "Relevance for class 3"
    assert found.chosen is None
    assert chart(ablated, View("relevance", target=(3, 5))).title == "Relevance for class 3, not class 5"


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (View(layer=1, head=0), r"Layer 2, head 1: the class token attends most to row \d, column \d"),
        (View(layer=1, head=0, query=(9,)), r"Layer 2, head 1: row 2, column 3 attends most to row \d, column \d"),
        (View(layer=1, head=0, query=(9, 4)), r"Layer 2, head 1: on average, these 2 patches attend most to row .*"),
        (View(layer=1, head=0, direction="to"), r"Layer 2, head 1: row \d, column \d attends most to the class token"),
        (View("rollout"), r"Rollout: row \d, column \d ranks highest"),
        (View("random"), r"Random: row \d, column \d comes first in this order, which explains nothing"),
    ],
)
def test_the_headline_is_that_of_the_page(explanation, view, words):
    assert re.fullmatch(words, chart(explanation, view).headline)


def test_the_headline_of_a_removed_query_says_so(ablated):
    assert chart(ablated, View(query=(3,))).headline == "Row 1, column 4 is removed"
    assert chart(ablated, View(query=(3, 9))).headline == "2 patches are removed"


def test_attention_to_the_prefix_tokens_is_stated(explanation):
    weight = explanation.cls_attention[1, 0, 0]
    found = chart(explanation, View(layer=1, head=0))
    assert found.prefix_weight == pytest.approx(weight)
    assert found.prefix_line == f"{percent(weight)} goes to the class token"
    assert "given by the class token" in chart(explanation, View(layer=1, head=0, direction="to")).prefix_line
    assert chart(explanation, View("rollout")).prefix_line == ""
    registers = explain(tiny.checkpoint(tiny.VARIANTS["two registers"]), tiny.pixels())
    assert chart(registers, View()).prefix_line.endswith("to 2 registers")
    distilled = explain(tiny.checkpoint(replace(tiny.CONFIG, distilled=True, reg_tokens=1)), tiny.pixels())
    assert chart(distilled, View()).prefix_line.endswith("% to the distillation token and 1 register")
    assert "on average" in chart(distilled, View(direction="to")).prefix_line
    rows = panel_figure(distilled, View(layer=1, head=0), "contributions").rows
    names = {name.split(", ")[1] for _, name, *_ in rows if ", " in name}
    assert {"class token", "distillation token", "register 1"} <= names
    without = explain(tiny.checkpoint(tiny.VARIANTS["no class token"]), tiny.pixels())
    assert (chart(without, View()).prefix_line, chart(without, View()).prefix_weight) == ("", None)
    np.testing.assert_allclose(all_rows(without, View())[:-1, :-1], without.query_attention, atol=1e-7)


def test_the_prediction_lists_the_classes_of_the_page_with_their_change(explanation, ablated):
    found = chart(ablated, View(truth=5, target=3)).prediction
    before, now = explanation.probabilities, ablated.probabilities
    assert [one.name for one in found] == [f"class {k}" for k in listed_classes(before, now, 3)]
    assert [one.probability for one in found] == pytest.approx([now[k] for k in listed_classes(before, now, 3)])
    assert [one.before for one in found] == pytest.approx([before[k] for k in listed_classes(before, now, 3)])
    assert all(one.is_true == (one.name == "class 5") for one in found)
    assert all(one.is_explained == (one.name == "class 3") for one in found)
    assert chart(ablated, View(target=3)).effect[0] == "1 head ablated, 2 patches removed"
    assert "percentage points" in chart(ablated, View(target=3)).effect[1]
    assert not chart(explanation, View()).effect
    assert {one.before for one in chart(explanation, View()).prediction} == {None}


def test_figures_and_files_of_an_ablated_image_explain_the_class_predicted_before(explanation, tmp_path):
    before = explanation.target()
    pairs = [(layer, head) for layer in range(L) for head in range(A)]
    ablated = next(one for pair in pairs if (one := explanation.ablate([pair])).target() != before)
    found = chart(ablated, View("relevance"))
    np.testing.assert_array_equal(found.large, ablated.map("relevance", before))
    assert found.target == [f"class {before}"]
    assert [one.name for one in found.prediction if one.is_explained] == [f"class {before}"]
    assert f"Explained class: class {before}." in found.caption
    ablated.save(tmp_path / "x.npz", "relevance")
    with np.load(tmp_path / "x.npz") as held:
        assert held["target"].tolist() == [f"class {before}"]
        np.testing.assert_array_equal(held["relevance"], found.large)


def test_the_caption_states_how_each_head_is_ablated(explanation):
    zeroed = explanation.ablate([(0, 0)])
    mixed = zeroed.ablate([(1, 1), (1, 1)], mode="mean")
    mean = "layer 2 head 2 (output replaced by mean over the sample images)"
    assert f"Ablated: layer 1 head 1 (output replaced by zero); {mean}." in chart(mixed, View()).caption
    assert mixed.changes == "1 head ablated, 1 head ablated (mean)"
    both = "layer 1 head 1, layer 2 head 2 (output replaced by their mean over the sample images)"
    assert f"Ablated: {both}." in chart(mixed.ablate([(0, 0)], mode="mean"), View()).caption


def test_the_likeliest_classes_keep_their_place_and_the_best_of_the_others_follows():
    before = np.array([0.1, 0.4, 0.05, 0.2, 0.15, 0.06, 0.04])
    now = np.array([0.1, 0.1, 0.05, 0.1, 0.05, 0.1, 0.5])
    assert listed_classes(before, now, 4) == [1, 3, 4, 0, 6]
    assert listed_classes(before, now, 2) == [1, 3, 4, 0, 2], "the explained class"


def test_the_caption_names_image_model_query_scale_and_ablation(explanation, ablated):
    found = " ".join(chart(explanation, View(layer=1, head=0)).caption)
    assert "Model: tiny (2 layers, 2 heads). Image: Drawing (cat), original size, 28 × 20." in found
    assert "Maps: attention of the class token to the patches. Shared scale: heads to " in found
    found = " ".join(chart(ablated, View("relevance", target=(3, 5), scale="map", direction="to")).caption)
    assert "Maps: attention of the patches to the class token. One scale per map, over its range." in found
    assert "Explained class: class 3, contrasted with class 5." in found
    assert "Ablated: layer 2 head 1 (output replaced by zero)." in found
    assert "Removed patches: row 1, column 4; row 2, column 3 (tokens dropped)." in found
    many = explanation.ablate([], range(10), patch_mode="gray")
    assert "Removed patches: 10 patches (painted gray)." in chart(many, View()).caption
    assert "relative to uniform, 2.8\xa0%" in " ".join(chart(explanation, View(scale="uniform")).caption)


def test_methods_come_with_their_scores(explanation):
    scores = {"scores": dict.fromkeys(explanation.methods, 0.5) | {"rollout": None}, "random_baseline": [0.4, 0.1]}
    found = chart(explanation, View(target=3), methods=True, scores=scores)
    assert [one.key for one in found.methods] == [key for key in explanation.methods if key != "reverse_attention"]
    assert {one.key: one.score for one in found.methods}["rollout"] is None
    assert found.random_baseline == (0.4, 0.1)
    for one in found.methods:
        np.testing.assert_array_equal(one.values, explanation.map(one.key, 3))


def test_an_animation_goes_through_layers_or_patches_on_one_scale(explanation, ablated):
    layers = sequence(explanation, View("rollout", layer=1, head=0), "layers")
    assert [one.title for one in layers] == ["Layer 1, head 1", "Layer 2, head 1"]
    patches = sequence(ablated, View(layer=1, head=1, scale="map"), "patches")
    assert [one.query for one in patches] == [(k,) for k in range(N) if k not in (3, 9)]
    assert len({one.scale for one in patches}) == 1
    assert patches[0].scale.limit == max(one.large[one.is_kept].max() for one in patches)


@pytest.mark.parametrize("view", [View(layer=2), View(head=-1), View(layer=True), View(truth=11)])
def test_an_unknown_layer_head_or_class_is_refused(explanation, view):
    with pytest.raises(ValueError, match=r"(layer|head|truth) must be from 0 to (1|10): got"):
        chart(explanation, view)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"scale": "own"}, "scale must be shared, uniform or map: got 'own'"),
        ({"smooth": 1}, "smooth must be true or false: got '1'"),
        ({"outlines": 1.5}, "outlines must be from 0 to 1: got '1.5'"),
        ({"outlines": float("nan")}, "outlines must be from 0 to 1: got 'nan'"),
        ({"outlines": True}, "outlines must be from 0 to 1"),
        ({"direction": "up"}, "direction must be from or to: got 'up'"),
        ({"method": "magic"}, "Unknown method 'magic'"),
    ],
)
def test_an_invalid_view_is_refused(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        View(**given)


@pytest.mark.parametrize(
    ("view", "ablations"),
    [
        (View(layer=4, head=1), []),
        (View(query=(9,), direction="to"), []),
        (View(layer=2, query=(9, 20)), [{"heads": [(2, 0), (4, 3)]}]),
        (View("relevance", target=(3, 5)), [{"patches": [27, 28], "patch_mode": "gray"}]),
        (View(head=3), [{"heads": [(0, 3)], "patches": [1], "mode": "mean"}, {"patches": [2]}]),
    ],
)
def test_code_computes_the_same_arrays(view, ablations):
    found = vitviz.explain(vitviz.load("cifar10-ti4"), "cat")
    for one in ablations:
        found = found.ablate(**one)
    namespace = {}
    exec(code.python(found, view), namespace)
    expected = chart(found, view)
    np.testing.assert_allclose(namespace["array"], expected.large, atol=1e-6)
    maps = np.nan_to_num(namespace["maps"])
    np.testing.assert_allclose(maps, expected.maps[:-1, :-1], atol=1e-6)


def test_code_names_crop_and_uploaded_images(explanation):
    text = code.python(replace(explanation, crop=0.25), View(), "runs/mine/last.safetensors")
    assert "vitviz.load('runs/mine/last.safetensors')" in text
    assert "vitviz.explain(model, 'image.png', crop=0.25)  # your image" in text


def test_shipped_images_are_found_by_name():
    model = vitviz.load("cifar10-ti4")
    assert vitviz.explain(model, "dog").source == "dog"
    with pytest.raises(vitviz.ImageError):
        vitviz.explain(model, "no such image")


@pytest.fixture(scope="module")
def pooled():
    config = replace(tiny.CONFIG, depth=L, class_token=False, reg_tokens=1, global_pool="map")
    return explain(tiny.checkpoint(config), tiny.pixels())


@pytest.mark.parametrize("head", [None, 1])
def test_attention_pooling_is_shown_large_for_every_query(pooled, head):
    weights = pooled.pool_attention[:, pooled.prefix :]
    expected = (weights.mean(0) if head is None else weights[head]).reshape(GH, GW)
    for view in (View(layer="pool", head=head), View(layer="pool", head=head, query=(4,), direction="to")):
        found = chart(pooled, view)
        np.testing.assert_array_equal(found.large, expected)
        assert found.title == f"Attention pooling, {'mean of heads' if head is None else 'head 2'}"
        assert "the pooling query attends most to" in found.headline
        assert (found.chosen, found.prefix_line, found.maps.shape) == (None, "", (L + 1, A + 1, GH, GW))
    np.testing.assert_array_equal(pooled.attention_map("pool", head), expected)
    assert f"layer='pool'{'' if head is None else ', head=1'}" in code.python(pooled, view)
    assert len(sequence(pooled, view, "layers")) == L


def test_uniform_attention_pooling_is_over_the_patches(pooled):
    removed = pooled.ablate(patches=[3])
    for one, patches in ((pooled, N), (removed, N - 1)):
        found = chart(one, View(layer="pool", scale="uniform"))
        assert found.uniform == pytest.approx(1 / patches)
        assert found.scale == Scale("uniform", 1 / patches)
        assert found.scales[0] == Scale("uniform", 1 / (patches + 1)), "heads attend to the register, too"


def test_attention_pooling_of_another_model_is_refused(explanation, pooled):
    with pytest.raises(ValueError, match=r"layer must be a layer or None: tiny has no attention pooling\."):
        explanation.figure(layer="pool")
    with pytest.raises(ValueError, match="head must be from 0 to 1: got '7'"):
        pooled.attention_map("pool", 7)


def test_figures_of_attention_pooling_are_drawn(pooled, tmp_path):
    pooled.save(tmp_path / "x.svg", layer="pool", head=0)
    assert "Attention pooling, head 1" in (tmp_path / "x.svg").read_text()


def test_an_animation_over_a_fine_grid_has_a_bounded_number_of_frames():
    assert animated_patches((16, 16)) == list(range(256))
    fine = animated_patches((37, 37))
    assert (len(fine), fine[:2], fine[12]) == (144, [1 * 37 + 1, 1 * 37 + 4], 4 * 37 + 1)
    assert animated_patches((2, 1000), 10) == [1000 + 50 + 100 * k for k in range(10)]


def test_a_figure_says_why_there_is_no_prediction():
    without = explain(tiny.checkpoint(replace(tiny.CONFIG, num_classes=0)), tiny.pixels())
    assert chart(without, View()).no_prediction == "no classification head"
