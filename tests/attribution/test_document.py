"""The explorer as one HTML file, and in notebooks: what the file holds, and that it runs nothing else."""

import base64
import html
import json
import re
import sys
import zlib
from dataclasses import replace

import numpy as np
import pytest
import traitlets
from pydantic import TypeAdapter

import vitviz
from tests import tiny
from tests.errors import refuses
from vitviz.attribution import serialize
from vitviz.attribution.ablation import describe_ablations
from vitviz.attribution.explanation import explain
from vitviz.attribution.serialize import MAX_UINT16_WEIGHTS, attention_to_json, document, to_file
from vitviz.attribution.targets import find_target
from vitviz.attribution.view_maps import default_rows, query_rows
from vitviz.data.preprocessing import sample_paths
from vitviz.plots.document import script
from vitviz.view import View
from vitviz.webapp.schemas.page import ExplorerData

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def explanation():
    return explain(tiny.checkpoint(), tiny.pixels())


def data_of(page):
    """Return the data that a file holds."""
    return json.loads(re.search(r'<script type="application/json" id="vitviz-data">(.*?)</script>', page, re.S)[1])


def array(text, kind, decode=bytes):
    return np.frombuffer(decode(base64.b64decode(text)), kind)


def test_a_saved_file_holds_attention_maps_scores_and_predictions(explanation, tmp_path):
    explanation.save(tmp_path / "a.html")
    data = data_of((tmp_path / "a.html").read_text())
    TypeAdapter(ExplorerData).validate_python(data)
    shape = explanation.attention.shape
    weights = array(data["data"]["attention"]["weights"], "<u2", zlib.decompress).reshape(shape)
    np.testing.assert_allclose(weights / 65535, explanation.attention, rtol=0, atol=0.5 / 65535 + 1e-7)
    np.testing.assert_array_equal(
        array(data["data"]["explained"]["cls"], "<f4").reshape(shape[:3]), default_rows(explanation.context)
    )
    assert data["data"]["explained"]["probabilities"] == explanation.probabilities.tolist()
    assert set(data["data"]["explained"]["maps"]) == set(explanation.methods)
    for method, values in data["data"]["explained"]["maps"].items():
        np.testing.assert_array_equal(np.float32(values).reshape(explanation.context.grid), explanation.map(method))
    assert set(data["data"]["scores"]["scores"]) == set(explanation.methods)


def test_weights_of_large_models_have_8_bits_of_the_largest_of_their_row(explanation, monkeypatch):
    monkeypatch.setattr("vitviz.attribution.serialize.MAX_UINT16_WEIGHTS", 1)
    data = attention_to_json(explanation)
    largest = array(data["largest"], "<f4").reshape(explanation.attention.shape[:3])
    weights = (
        array(data["weights"], np.uint8, zlib.decompress).reshape(explanation.attention.shape)
        / 255
        * largest[..., None]
    )
    error = np.abs(weights - explanation.attention)
    assert (error <= 0.5 / 255 * largest[..., None] + 1e-7).all()
    assert error.max() > 1e-5, "8 bits"
    np.testing.assert_array_equal(largest, explanation.attention.max(-1))


@pytest.mark.slow
def test_the_bundled_model_is_stored_with_16_bits_in_at_most_1_5_mb(tmp_path):
    explanation = vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"])
    assert explanation.attention.size <= MAX_UINT16_WEIGHTS
    explanation.save(tmp_path / "cat.html")
    assert (tmp_path / "cat.html").stat().st_size <= 1.5e6


@pytest.mark.slow
def test_a_vit_b16_at_224_px_is_stored_in_at_most_12_mb():
    config = replace(
        tiny.CONFIG,
        img_size=(224, 224),
        patch_size=16,
        embed_dim=768,
        depth=12,
        num_heads=12,
        mlp_ratio=4,
        qkv_bias=True,
    )
    checkpoint = replace(tiny.checkpoint(), network=tiny.model(config))
    explanation = vitviz.explain(checkpoint, sample_paths()["cat"])
    assert explanation.attention.shape == (12, 12, 197, 197)
    assert len(document(explanation, complete=False).encode()) <= 12e6


def test_hostile_text_stays_text(explanation):
    plain = explanation.context.checkpoint
    checkpoint = replace(plain, name=HOSTILE, labels=(HOSTILE, *plain.labels[1:]))
    hostile = replace(explain(checkpoint, tiny.pixels()), name=HOSTILE)
    page = document(hostile)
    assert data_of(page)["data"]["explained"]["classes"][0] == HOSTILE
    assert HOSTILE not in page
    assert page.count("<script") == page.count("</script>") == 2 + script().count("<script")
    assert "<img src=x" not in page


def test_the_module_contains_no_end_of_a_script_element_and_no_address():
    assert "</script" not in script().lower()
    assert not re.search(r"import\s*\(|from\s*['\"]https?:|fetch\s*\(|XMLHttpRequest", script())


def test_a_file_allows_no_connection_and_shows_a_figure_without_scripts(explanation):
    page = document(explanation)
    assert data_of(page)["view"]["layer"] == tiny.L - 1
    assert "default-src 'none'" in page
    figure = re.search(r'<img src="data:image/svg\+xml;base64,([^"]+)" alt="', page)
    assert base64.b64decode(figure[1]).lstrip().startswith(b"<?xml")
    assert "here it shows a static figure" in page


def test_ablated_heads_and_removed_patches_are_in_the_view(explanation):
    ablated = explanation.ablate(heads=[(1, 0)], patches=[2, 3])
    data = to_file(ablated, View(layer=0), complete=False)
    ablation = {"heads": [[1, 0]], "patches": [2, 3], "mode": "zero", "patch_mode": "drop"}
    assert data["subject"]["ablations"] == [ablation]
    assert data["view"] | {"layer": 0, "head": "mean"} == data["view"]
    assert np.isfinite(array(data["data"]["explained"]["cls"], "<f4")).all()
    assert describe_ablations(ablated.ablations) in data["data"]["explained"]["image"]["note"]


def test_the_file_of_a_large_model_stores_the_class_token_and_pinned_patches(explanation, monkeypatch):
    monkeypatch.setattr(serialize, "MAX_STORED_WEIGHTS", explanation.attention.size - 1)
    data = to_file(explanation, View(query=(3, 5), direction="to"), complete=False)
    TypeAdapter(ExplorerData).validate_python(data)
    assert data["data"]["attention"] is None
    assert data["data"]["explained"]["on_demand"]
    assert set(data["data"]["rows"]) == {"from 3,5", "to ", "to 3,5"}
    rows = array(data["data"]["rows"]["to 3,5"], "<u2").reshape(explanation.attention.shape[:3]) / 65535
    np.testing.assert_allclose(rows, query_rows(explanation.context, (3, 5), "to"), rtol=0, atol=1e-5)
    assert serialize.STORED_ROWS in data["data"]["caption"]


def test_a_notebook_shows_the_explorer_the_figure_and_a_line(explanation):
    bundle = explanation._repr_mimebundle_()
    frame = re.fullmatch(
        r'<iframe srcdoc="([^"]+)" sandbox="allow-scripts allow-downloads" [^>]+></iframe>', bundle["text/html"]
    )
    data = data_of(html.unescape(frame[1]))
    assert data["data"]["scores"] is None
    assert set(data["data"]["explained"]["maps"]) >= {"attention", "rollout"}
    assert bundle["image/png"].startswith(b"\x89PNG")
    assert bundle["text/plain"] == repr(explanation)
    assert repr(explanation).startswith("<Explanation of an image by tiny: ")


def test_a_notebook_explains_the_prediction_before_the_ablation():
    explanation = explain(tiny.checkpoint(), tiny.pixels())
    predicted = find_target(explanation.context)
    patches = range(tiny.CONFIG.num_patches)
    changed = (explanation.ablate(patches=[patch for patch in patches if patch != kept]) for kept in patches)
    ablated = next(one for one in changed if find_target(one.context) != predicted)
    frame = re.search(r'srcdoc="([^"]+)"', ablated._repr_mimebundle_()["text/html"])
    assert data_of(html.unescape(frame[1]))["view"]["target"] == [predicted]


def test_only_maps_that_are_known_are_shown_in_a_notebook():
    explanation = explain(tiny.checkpoint(), tiny.pixels())
    assert "occlusion" not in to_file(explanation, View(), complete=False)["data"]["explained"]["maps"]
    explanation.map("occlusion")
    data = to_file(explanation, View(), complete=False)
    assert "occlusion" in data["data"]["explained"]["maps"]
    assert {method["key"] for method in data["data"]["methods"]} == set(data["data"]["explained"]["maps"]) - {
        "reverse_attention"
    }


def test_a_widget_has_the_state_of_the_explorer(explanation):
    widget = vitviz.widget(explanation, layer=1)
    assert (widget.layer, widget.head, widget.patch) == (1, None, None)
    widget.set_trait("head", 0)
    widget.patch = 4
    assert (widget.layer, widget.head, widget.patch) == (1, 0, 4)
    TypeAdapter(ExplorerData).validate_json(widget.data)
    layers = explanation.attention.shape[0]
    for name, value in (("layer", layers), ("head", -1), ("patch", tiny.CONFIG.num_patches)):
        with pytest.raises(traitlets.TraitError, match=f"{name} must be from 0 to"):
            setattr(widget, name, value)
    with refuses("layer"):
        vitviz.widget(explanation, layer=layers)


def test_a_widget_without_anywidget_says_what_to_install(explanation, monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "vitviz.notebook", raising=False)
    with pytest.raises(ImportError, match="pip install anywidget"):
        vitviz.widget(explanation)
