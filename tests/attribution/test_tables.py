"""Arrays and tables of a view equal the library's numbers."""

import csv
import io

import numpy as np
import pytest

from tests import tiny
from tests.errors import refuses
from vitviz.attribution import file_formats
from vitviz.attribution.explanation import explain, patch_activations
from vitviz.attribution.tables import PatchedPair, arrays, method_arrays, method_rows, rows
from vitviz.attribution.view_maps import query_rows
from vitviz.view import View

L, A, GH, GW, N, T = tiny.L, tiny.A, tiny.GH, tiny.GW, tiny.N, tiny.T


@pytest.fixture(scope="module")
def explanation():
    return explain(tiny.checkpoint(), tiny.pixels())


def test_attention_has_its_map_all_heads_with_means_and_the_prefix_tokens(explanation):
    ablated = explanation.ablate([(1, 0)])
    found = arrays(ablated, View(layer=2, head=1, query=(9,)))
    np.testing.assert_array_equal(found["map"], ablated.attention_map(2, 1, 9))
    heads = ablated.attention_maps((9,))
    np.testing.assert_allclose(found["maps"][:L, :A], heads, atol=1e-7)
    np.testing.assert_allclose(found["maps"][2, A], heads[2].mean(0), atol=1e-7)
    np.testing.assert_allclose(found["prefix"][:L, :A, 0], query_rows(ablated.context, (9,))[..., 0], atol=1e-7)
    for name in ("maps", "prefix"):
        assert np.isnan(found[name][1, 0]).all()
        assert np.isnan(found[name]).sum() == found[name][1, 0].size
    assert found["limits"].shape == (2,)
    assert "limits" not in arrays(ablated, View(scale="map"))


def test_a_table_has_one_value_a_line_by_layer_head_row_and_column(explanation):
    view = View(layer=2, query=(9,), direction="to")
    text = file_formats.csv_bytes(rows(explanation, view, arrays(explanation, view))).decode()
    lines = list(csv.DictReader(io.StringIO(text)))
    of_map = [line for line in lines if line["quantity"] == "map"]
    assert {(line["layer"], line["head"]) for line in of_map} == {("3", "mean")}
    assert [divmod(n, GW) for n in range(N)] == [(int(line["row"]) - 1, int(line["column"]) - 1) for line in of_map]
    values = [float(line["value"]) for line in of_map]
    np.testing.assert_allclose(values, explanation.attention_map(2, "mean", 9, "to").ravel(), rtol=1e-6)
    (one,) = [
        float(line["value"])
        for line in lines
        if [line[name] for name in ("quantity", "layer", "head", "row", "column")] == ["attention", "2", "1", "4", "5"]
    ]
    assert one == pytest.approx(explanation.attention_maps((9,), "to")[1, 0, 3, 4], rel=1e-6)
    assert sum(line["quantity"] == "attention" for line in lines) == (L + 1) * (A + 1) * N
    probabilities = [float(line["value"]) for line in lines if line["quantity"] == "probability"]
    np.testing.assert_allclose(probabilities, explanation.probabilities, rtol=1e-6)


def test_a_method_has_its_map_by_patch_and_where_it_has_one_by_pixel(explanation):
    view = View(content="method", method="balanced_gradients", target=(3,), pixels=True)
    found = arrays(explanation, view)
    np.testing.assert_array_equal(found["map"], explanation.map("balanced_gradients", 3))
    np.testing.assert_array_equal(found["pixels"], explanation.map("balanced_gradients", 3, pixels=True))
    assert str(found["title"]).endswith(" for class 3, per pixel")
    assert "pixels" not in arrays(explanation, view.model_copy(update={"method": "rollout"}))
    assert next(rows(explanation, view, found))[2:4] == ("", "")


def test_methods_come_with_their_scores(explanation):
    scores = {"scores": dict.fromkeys(explanation.methods, 0.5) | {"rollout": None}, "random_baseline": [0.4, 0.1]}
    view = View(target=(3,))
    found = arrays(explanation, view) | method_arrays(explanation, view, scores)
    keys = [key for key in explanation.methods if key != "reverse_attention"]
    assert found["methods"].tolist() == keys
    assert np.isnan(found["scores"][keys.index("rollout")])
    for key in keys:
        np.testing.assert_array_equal(found[f"method_{key}"], explanation.map(key, 3))
    table = list(method_rows(found))
    assert sum(line[0] == "attribution" for line in table) == len(keys) * N
    of_scores = {line[1]: line[-1] for line in table if line[0] == "deletion score"}
    assert of_scores["relevance"] == 0.5
    assert of_scores["mean of random orders"] == 0.4
    assert "rollout" not in of_scores


def test_contributions_sum_to_the_logit(explanation):
    view = View(content="contributions", layer=2, head=1, target=(3, 7))
    found, expected = arrays(explanation, view), explanation.contributions((3, 7))
    np.testing.assert_array_equal(found["heads"], expected.heads)
    np.testing.assert_array_equal(found["map"].ravel(), expected.heads[2, 1, 1:])
    table = list(rows(explanation, view, found))
    assert len(table) == 1 + L * (A * T + 2) + 2
    *summands, logit = [row[-1] for row in table]
    assert sum(map(float, summands)) == pytest.approx(float(logit), abs=1e-4)
    assert table[1][:6] == ("contribution", "head, class token", 1, 1, "", "")
    assert table[2][:6] == ("contribution", "head", 1, 1, 1, 1)
    for name in ("attention bias", "MLP"):
        assert [row[2] for row in table if row[1] == name] == [*range(1, L + 1)]


def test_features_are_the_components_of_each_layer_or_the_similarity_with_a_patch(explanation):
    view = View(content="features", layer=1)
    found = arrays(explanation, view)
    np.testing.assert_allclose(found["rgb"][1] / 255, explanation.pca(1).rgb, atol=0.5 / 255 + 1e-6)
    assert len(list(rows(explanation, view, found))) == L * N * 3 + L * 3
    similar = View(content="features", query=(4,))
    found = arrays(explanation, similar)
    np.testing.assert_allclose(found["similarity"][2], explanation.similarity(2, 4), atol=1e-6)
    assert len(list(rows(explanation, similar, found))) == L * N
    few = explanation.ablate(patches=range(2, N))
    assert np.isnan(arrays(few, view)["explained"]).all(), "too few patches for three components"


def test_patching_has_heads_mlps_and_tokens(explanation):
    other = explain(tiny.checkpoint(), tiny.pixels(seed=1))
    heads, mlp = (patch_activations(explanation, other, (3, 7), part) for part in ("heads", "mlp"))
    tokens = patch_activations(explanation, other, (3, 7), "tokens", layers=[2])
    view = View(content="patching", layer=2)
    found = arrays(explanation, view, PatchedPair(heads, mlp, tokens))
    np.testing.assert_array_equal(found["heads"], heads.recovered)
    np.testing.assert_array_equal(found["tokens"], tokens.recovered[0])
    table = list(rows(explanation, view, found))
    assert len(table) == L * A + L + T
    assert {row[2] for row in table[-T:]} == {"3"}
    with refuses("content"):
        arrays(explanation, view)


def test_saved_tables_and_arrays_are_those_of_the_view(explanation, tmp_path):
    path = explanation.save(tmp_path / "x.csv", content="contributions", target="class 3")
    view = View(content="contributions", target=(3,))
    _, table = path.read_bytes().split(b"\n", 1)  # below a line of provenance
    assert table == file_formats.csv_bytes(rows(explanation, view, arrays(explanation, view)))
    with np.load(explanation.save(tmp_path / "x.npz", layer=2, head=1)) as found:
        for name, value in arrays(explanation, View(layer=2, head=1)).items():
            np.testing.assert_array_equal(found[name], value)
