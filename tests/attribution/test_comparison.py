"""Comparisons: scales, differences, rank correlations and predictions against hand values, numpy and scipy."""

from dataclasses import replace

import numpy as np
import pytest

import vitviz
from tests import tiny
from tests.errors import refuses
from vitviz.attribution import file_formats
from vitviz.attribution.comparison import ALIGNED, ATTENTION, Comparison, Side, compare
from vitviz.attribution.explanation import explain
from vitviz.attribution.provenance import provenance, read
from vitviz.plots.scales import Scale
from vitviz.view import Ablation, View

LABELS = ("cat", "dog", "ship")


def side(values, unit="weights", quantity=ATTENTION, **changes) -> Side:
    """A side with a map given as nested lists, and the probabilities 0.5, 0.3 and 0.2."""
    values = np.array(values, np.float32)
    given = {
        "title": "Layer 1, head 1",
        "kept": np.ones(values.shape, bool),
        "num_tokens": 1 + values.size,
        "model": "model",
        "layers": 6,
        "image": np.zeros((20, 30, 3), np.uint8),
        "labels": LABELS,
        "probabilities": np.array([0.5, 0.3, 0.2], np.float32),
    }
    return Side(quantity=quantity, unit=unit, values=values, **(given | changes))


A = [[0.1, 0.2, 0.3], [0.1, 0.2, 0.1]]
B = [[0.3, 0.1, 0.0], [0.1, 0.4, 0.1]]


@pytest.fixture(scope="module")
def pair():
    """Two images in the tiny model, whose grid is not square."""
    checkpoint = tiny.checkpoint()
    return [explain(checkpoint, tiny.pixels(seed=seed)) for seed in (0, 1)]


def test_the_difference_is_b_minus_a_on_one_scale():
    found = Comparison(side(A), side(B))
    np.testing.assert_allclose(found.difference, [[0.2, -0.1, -0.3], [0.0, 0.2, 0.0]], atol=1e-7)
    np.testing.assert_array_equal(found.maps, np.array([A, B], np.float32))
    assert (found.scale.kind, found.scale.low) == ("linear", 0)
    assert found.scale.limit == pytest.approx(0.4)
    np.testing.assert_allclose(found.points, 100 * found.difference)
    assert found.difference_scale.kind == "signed"
    assert found.difference_scale.limit == pytest.approx(30)
    assert found.most_changed == 2


def test_the_rank_correlation_is_that_of_scipy_with_ties_and_of_hand_ranks():
    stats = pytest.importorskip("scipy.stats")
    found = Comparison(side(A), side(B))
    expected = stats.spearmanr(np.ravel(A), np.ravel(B)).statistic
    assert found.rank_correlation == pytest.approx(expected)
    ranks = [[1, 3.5, 5, 1, 3.5, 1], [4, 2, 0, 2, 5, 2]]  # ties have their mean rank
    assert found.rank_correlation == pytest.approx(np.corrcoef(ranks)[0, 1])


def test_removed_patches_are_left_out():
    kept = np.array([[True, True, True], [True, True, False]])
    found = Comparison(side(A), side(B, kept=kept))
    assert np.isnan(found.difference[1, 2])
    assert np.isnan(found.maps[1][1, 2])
    assert not np.isnan(found.maps[0]).any()
    assert found.rank_correlation == pytest.approx(np.corrcoef([[0.5, 2.5, 4, 0.5, 2.5], [3, 1.5, 0, 1.5, 4]])[0, 1])


def test_maps_of_different_quantities_are_relative_to_their_own_maxima():
    first, second = side(A), side([[-2, 4, 1], [0, 0, 0]], "logits", "occlusion", title="Occlusion")
    found = Comparison(first, second)
    np.testing.assert_allclose(found.maps[0], np.array(A) / 0.3, rtol=1e-6)
    np.testing.assert_allclose(found.maps[1], np.array([[-0.5, 1, 0.25], [0, 0, 0]]))
    assert (found.scale.kind, found.scale.limit) == ("signed", 1)
    assert "measure different quantities" in found.notes[0]
    assert Comparison(first, side(B, "relative", "rollout")).scale.kind == "linear"


@pytest.mark.parametrize(
    ("unit", "kind", "limit", "factor", "quantity"),
    [
        ("logits", "signed", 4, 1, "x"),
        ("relative", "linear", 1, 1 / 4, "x"),
        ("cosine", "signed", 1, 1, "x"),
        ("cosine", "signed", 2, 1, "text_similarity"),
    ],
)
def test_maps_of_one_quantity_have_one_scale(unit, kind, limit, factor, quantity):
    found = Comparison(side([[1, 2, 3]], unit, quantity), side([[0, 4, 2]], unit, quantity))
    np.testing.assert_allclose(found.points, factor * np.array([[-1, 2, -1]]))
    assert (found.scale.kind, found.scale.limit) == (kind, limit)
    np.testing.assert_allclose(found.maps, factor * np.array([[[1, 2, 3]], [[0, 4, 2]]]))
    assert found.notes == []


def test_different_grids_have_no_difference_and_say_so():
    found = Comparison(side(A), side([[0.1, 0.2], [0.3, 0.4]]))
    assert found.difference is None
    assert found.points is None
    assert found.rank_correlation is None
    assert found.most_changed is None
    assert "2 × 3 and 2 × 2 patches" in found.notes[0]
    assert found.scale == Scale("uniform", 1.0)  # as they have 7 and 5 tokens
    np.testing.assert_allclose(found.maps[0], 7 * np.array(A), rtol=1e-6)
    assert found.headline.endswith("side by side")
    assert found.figure()


def test_a_flat_map_has_a_difference_but_no_rank_correlation():
    found = Comparison(side(A), side(np.full((2, 3), 0.1)))
    assert found.rank_correlation is None
    assert found.difference is not None


def test_two_patches_are_too_few_for_a_rank_correlation():
    few = np.zeros((2, 3), bool)
    few[0, :2] = True
    found = Comparison(side(A, kept=few), side(A, kept=few))
    assert found.rank_correlation is None


def test_an_ablated_head_has_no_map():
    found = Comparison(side(A), side(np.zeros((2, 3)), kept=np.zeros((2, 3), bool), why_empty="ablated"))
    assert found.rank_correlation is None
    assert found.notes == ["Layer 1, head 1 is ablated in B: it has no map there."]
    assert found.most_changed is None
    assert found.figure()


def test_predictions_are_compared_class_by_class():
    probabilities = np.array([0.1, 0.1, 0.8], np.float32)
    found = Comparison(side(A), side(B, probabilities=probabilities))
    assert [one.name for one in found.classes] == ["ship", "cat", "dog"]
    assert [one.points for one in found.classes] == [60, -40, -20]
    assert found.total_variation == pytest.approx(0.6)


def test_of_different_labels_the_shared_ones_are_compared_by_name():
    other = side(B, labels=("ship", "cat", "cow", "cow"), probabilities=np.array([0.4, 0.3, 0.2, 0.1], np.float32))
    found = Comparison(side(A), other)
    assert [(one.name, pytest.approx(one.a), pytest.approx(one.b)) for one in found.classes] == [
        ("cat", 0.5, 0.3),
        ("ship", 0.2, 0.4),
    ]
    assert found.total_variation is None
    assert found.notes == ["The models share 2 classes, which are compared; 1 of A and 2 of B are not."]
    none = Comparison(side(A), replace(other, labels=("w", "x", "y", "z")))
    assert none.notes == ["The models have no class in common: predictions are not compared."]
    without = Comparison(side(A), replace(other, labels=(), probabilities=None, model="encoder"))
    assert without.notes == ["encoder predicts no class: predictions are not compared."]
    assert without.classes == []


def test_different_depths_are_named():
    found = Comparison(side(A), side(B, layers=12, title="Layer 12, head 1"))
    assert found.notes == ["The models have 6 and 12 layers: layer 1, head 1 of A, layer 12, head 1 of B."]


def test_sides_are_named_after_what_differs():
    first = side(A, model="m", image_name="cat")
    images = Comparison(first, replace(first, image_name="dog"))
    assert (images.names, images.headline) == (("cat", "dog"), "Layer 1, head 1, cat against dog: the maps are equal")
    assert Comparison(first, replace(first, changes="1 head ablated")).names == ("unchanged", "1 head ablated")
    both = Comparison(first, replace(first, model="n", title="Rollout"))
    assert both.names == ("m, Layer 1, head 1", "n, Rollout")
    assert both.headline.startswith("m, Layer 1, head 1 against n, Rollout: ")
    assert Comparison(first, first).names == ("A", "B")


def test_two_images_two_heads_two_methods_two_classes_and_an_ablation(pair):
    one, two = pair
    found = compare(one, two, layer=2, head=1)
    np.testing.assert_array_equal(found.difference, two.attention_map(2, 1) - one.attention_map(2, 1))
    heads = compare(one, one, layer=2, head=1, b_options={"head": 0, "layer": 4})
    np.testing.assert_array_equal(heads.b.values, one.attention_map(4, 0))
    methods = compare(one, one, method="average", b_options={"method": "relevance"})
    np.testing.assert_array_equal(methods.b.values, one.map("relevance"))
    classes = compare(one, one, method="balanced_gradients", target=3, b_options={"target": 7})
    np.testing.assert_array_equal(classes.b.values, one.map("balanced_gradients", 7))
    assert classes.names == ("Balanced gradients for class 3", "Balanced gradients for class 7")
    ablated = one.ablate(heads=[(2, 1)], patches=[8])
    changed = compare(one, ablated, method="relevance")
    predicted = int(one.logits.argmax())
    np.testing.assert_array_equal(changed.b.values, ablated.map("relevance", predicted))
    assert np.isnan(changed.difference.flat[8])
    assert not compare(one, ablated, layer=2, head=1).b.kept.any()
    queried = compare(one, two, layer=2, head=1, query=9)
    np.testing.assert_array_equal(queried.a.values, one.attention_map(2, 1, 9))
    assert queried.query == (9,)


def test_a_patch_is_compared_with_the_tokens_of_another_image(pair):
    one, two = pair
    found = compare(one, two, query=9, layer=3, direction="similar")
    token = one.features(3)[one.context.prefix + 9]
    for side_of, explanation in zip((found.a, found.b), pair, strict=True):
        others = explanation.features(3)[explanation.context.prefix :]
        cosine = others @ token / np.linalg.norm(others, axis=1) / np.linalg.norm(token)
        np.testing.assert_allclose(side_of.values.ravel(), cosine, atol=1e-5)
    assert found.a.values.ravel()[9] == pytest.approx(1)
    other = explain(tiny.checkpoint(replace(tiny.CONFIG, embed_dim=20)), tiny.pixels())
    with pytest.raises(ValueError, match="Both images must be explained by the same model"):
        compare(one, other, query=9, direction="similar")


@pytest.mark.parametrize(
    ("field", "options"),
    [
        ("layer", {"layer": 6}),
        ("head", {"head": 2}),
        ("method", {"method": "magic"}),
        ("heads", {"b_options": {"heads": 1}}),
        ("smooth", {"smooth": True}),
        ("query", {"query": (), "direction": "similar"}),
    ],
)
def test_what_does_not_exist_is_refused(pair, field, options):
    with refuses(field):
        compare(*pair, **options)


def test_the_figure_has_both_maps_on_one_scale_and_their_difference(pair):
    found = compare(*pair, layer=2, head=1, query=9)
    first, second, difference = found.figure().axes[:3]
    for axes, values in ((first, found.maps[0]), (second, found.maps[1]), (difference, found.points)):
        np.testing.assert_array_equal(axes.images[0].get_array().filled(np.nan), values)
    assert first.images[0].get_clim() == second.images[0].get_clim() == (0, found.scale.limit)
    limit = np.abs(found.points).max()
    assert difference.images[0].get_clim() == (-limit, limit)
    flat = compare(pair[0], pair[0]).figure().axes[2].images[0]
    assert min(flat.cmap(flat.norm(0.0))[:3]) > 0.94, "no difference is pale"


def test_arrays_and_rows_have_all_numbers(pair, tmp_path):
    found = compare(*pair, method="average")
    found.save(tmp_path / "pair.npz")
    with np.load(tmp_path / "pair.npz") as held:
        np.testing.assert_array_equal(held["difference"], found.difference)
        np.testing.assert_array_equal(held["b_map"], pair[1].average)
        assert held["rank_correlation"] == found.rank_correlation
        assert held["a_probabilities"].shape == (tiny.K,)
    rows = list(found.rows())
    assert sum(row[0] == "map A" for row in rows) == tiny.N
    place = next(row for row in rows if row[0].startswith("B - A") and row[4:6] == (2, 3))
    assert place[-1] == found.difference[1, 2]
    titles = {row[0]: row[1] for row in rows if row[0].startswith(("map", "B - A"))}
    assert titles == {
        "map A": found.a.title,
        "map B": found.b.title,
        "map A on the common scale": found.a.title,
        "map B on the common scale": found.b.title,
        "B - A on the common scale": "",
    }
    assert ("rank correlation", "", "", "", "", "", found.rank_correlation) in rows
    text = found.save(tmp_path / "pair.csv").read_text()
    assert len(text.splitlines()) == 2 + len(rows)  # a comment and the header
    with pytest.raises(ValueError, match="must end in"):
        found.save(tmp_path / "pair.txt")


@pytest.mark.parametrize("ending", [".npz", ".csv", ".png", ".svg", ".pdf"])
def test_a_file_carries_the_provenance_of_both_sides(pair, tmp_path, ending):
    one, two = pair
    ablated = two.ablate(heads=[(1, 0)])
    found = read(compare(one, ablated, layer=2, b_options={"head": 1}).save(tmp_path / f"pair{ending}"))
    expected = [provenance(one, View(layer=2)), provenance(ablated, View(layer=2, head=1))]
    for shown, side_of in zip((found, found.b), expected, strict=True):
        assert dict(side_of) | dict(shown) | {"code": None, "panels": (), "b": None, "numbers": {}} == dict(side_of) | {
            "code": None
        }
    assert found.b.subject.ablations == (Ablation(heads=((1, 0),)),)
    panels = ["map-a", "map-b", "difference"] if ending in file_formats.DRAWN else []
    assert [panel.name for panel in found.panels] == panels
    assert ("difference" in found.numbers) == bool(panels)


def test_the_code_of_a_comparison_computes_it():
    model = vitviz.load("cifar10-ti4")
    cat, dog = vitviz.explain(model, ["cat", "dog"])
    for found in (
        compare(cat, dog.ablate(patches=[3]), layer=4, b_options={"head": 3}),
        compare(cat, dog, layer=4, query=9, direction="similar"),
        compare(cat, dog, method="relevance", target="cat", b_options={"target": "dog"}),
    ):
        scope = {}
        exec(found.provenance().code, scope)
        np.testing.assert_array_equal(scope["array"], found.difference)


def test_compare_is_public(pair):
    assert vitviz.compare is compare
    assert repr(compare(*pair)).startswith("<Comparison: ")


# Features


def test_features_are_compared_as_colors_that_are_aligned(tmp_path):
    model, other = tiny.checkpoint(), replace(tiny.checkpoint(seed=1), name="other")
    a, b = (explain(one, tiny.pixels()) for one in (model, other))
    found = compare(a, b, content="features", layer=1)
    expected = b.pca(1).aligned_rgb(a.pca(1))
    np.testing.assert_array_equal(found.colors[0], a.pca(1).rgb)
    np.testing.assert_array_equal(found.colors[1], expected)
    assert (found.rank_correlation, found.most_changed, found.notes[0]) == (None, None, ALIGNED)
    tokens = replace(found.b, num_tokens=99)
    assert replace(found, b=tokens).notes == found.notes
    same = compare(a, a, content="features", layer=1).colors
    np.testing.assert_allclose(same[0], same[1], rtol=0, atol=1e-6)
    layers = compare(a, a, content="features", layer=1, b_options={"layer": 3})
    np.testing.assert_array_equal(layers.colors[1], a.pca(3).aligned_rgb(a.pca(1)))
    with np.load(found.save(tmp_path / "x.npz")) as arrays:
        np.testing.assert_array_equal(arrays["b_colors"], expected)
    blue = [row[-1] for row in found.rows() if row[0] == "blue B"]
    np.testing.assert_allclose(blue, expected[..., 2].ravel(), rtol=0, atol=1e-6)
    assert len(found.figure().axes) == 2
    assert found.difference is None
    code = found.provenance().code
    assert "content='features', layer=1" in code
    assert "array = found.colors" in code


def test_a_sample_is_one_image_in_models_of_any_size():
    small, large = (tiny.checkpoint(replace(tiny.CONFIG, img_size=size)) for size in ((20, 28), (100, 140)))
    a, b = explain(small, "cat"), explain(large, "cat")
    assert a.image.width < b.image.width  # it has two drawings
    assert compare(a, b, content="features", layer=1).colors[1].shape == (25, 35, 3)


def test_features_of_two_images_or_beside_a_map_are_refused():
    a, b = (explain(tiny.checkpoint(), tiny.pixels(seed=seed)) for seed in (0, 1))
    cases = [(b, {"content": "features"}), (a, {"layer": 1, "b_options": {"content": "features"}})]
    cases += [(a, {"content": "contributions"})]
    for other, view in cases:
        with refuses("content"):
            compare(a, other, **view)
