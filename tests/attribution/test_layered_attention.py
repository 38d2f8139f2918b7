"""Attention computed layer by layer equals the attention that is held at once."""

import numpy as np
import pytest
import torch

from tests import tiny
from vitviz.attribution import layered_attention, probes, serialize
from vitviz.attribution.ablation import mean_head_outputs
from vitviz.attribution.explanation import explain
from vitviz.attribution.methods import METHODS
from vitviz.attribution.view_maps import default_rows, query_rows
from vitviz.errors import LargeAttentionError
from vitviz.view import View
from vitviz.webapp.explanations import size_of

LAYERED = ("attention", "reverse_attention", "average", "rollout", "value_norm")
OTHERS = ("input_gradient", "occlusion", "random")


@pytest.fixture(autouse=True)
def nothing_is_small(monkeypatch):
    """Let only `max_bytes` decide, as these models are tiny."""
    monkeypatch.setattr(layered_attention, "SMALL_BYTES", 0)


@pytest.fixture
def layered(monkeypatch):
    """Return a function that explains an image without holding the full attention, and with it."""

    def both(variant="plain", **ablation):
        found = []
        for limit in (0, 2**28):
            monkeypatch.setattr(layered_attention, "max_bytes", lambda limit=limit: limit)
            explanation = explain(tiny.checkpoint(tiny.VARIANTS[variant]), tiny.pixels())
            explanation = explanation.ablate(**ablation) if ablation else explanation
            _ = explanation.context.layered, explanation.logits
            found.append(explanation)
        monkeypatch.setattr(layered_attention, "max_bytes", lambda: 0)
        assert found[0].context.layered is not None
        assert found[1].context.layered is None
        return found

    return both


CASES = [
    ("plain", {}),
    ("everything", {}),
    ("no class token", {}),
    ("two registers", {"heads": [(1, 0), (2, 0), (2, 1)], "patches": [3, 17]}),
]


@pytest.mark.parametrize(("variant", "ablation"), CASES)
def test_rows_and_columns_are_equal(layered, variant, ablation):
    one, other = layered(variant, **ablation)
    np.testing.assert_allclose(one.logits, other.logits, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(default_rows(one.context), default_rows(other.context), atol=1e-5)
    for direction in ("from", "to"):
        for query in ((), (5,), (4, 30, 3)):
            np.testing.assert_allclose(
                query_rows(one.context, query, direction), query_rows(other.context, query, direction), atol=1e-5
            )


@pytest.mark.parametrize(("variant", "ablation"), CASES)
def test_maps_and_limits_are_equal(layered, variant, ablation):
    one, other = layered(variant, **ablation)
    for method in (*LAYERED, *OTHERS):
        if method in one.methods:
            np.testing.assert_allclose(one.map(method), other.map(method), rtol=1e-4, atol=1e-5, err_msg=method)
    pixels = [found.map("input_gradient", pixels=True) for found in (one, other)]
    np.testing.assert_allclose(*pixels, rtol=1e-4, atol=1e-5)
    assert not {name for name in one.methods if METHODS[name].full_attention}
    if not ablation:
        assert serialize.limits_to_json(one) == serialize.limits_to_json(other)


def test_rotary_positions_are_kept(monkeypatch):
    config = tiny.CONFIG.__class__(
        img_size=(20, 28), patch_size=4, embed_dim=16, depth=2, num_heads=2, num_classes=3, rope_type="dinov3"
    )
    rows = []
    for limit in (0, 2**28):
        monkeypatch.setattr(layered_attention, "max_bytes", lambda limit=limit: limit)
        explanation = explain(tiny.checkpoint(config), tiny.pixels()).ablate(patches=[2])
        rows.append(query_rows(explanation.context, (7,)))
    np.testing.assert_allclose(*rows, atol=1e-5)


def test_what_needs_all_attention_is_refused_with_its_size(layered):
    one, _ = layered()
    for compute in (lambda: one.attention, lambda: one.map("relevance")):
        with pytest.raises(LargeAttentionError) as caught:
            compute()
        assert caught.value.required > 0


@pytest.mark.parametrize(("variant", "ablation"), CASES)
def test_contributions_are_equal(layered, variant, ablation):
    found, expected = (one.contributions() for one in layered(variant, **ablation))
    np.testing.assert_allclose(found.heads, expected.heads, atol=1e-5)
    np.testing.assert_allclose(found.mlp, expected.mlp, atol=1e-5)
    assert found.total == pytest.approx(found.logit, abs=1e-4)


def test_figures_files_and_the_page_work(layered, tmp_path):
    one, _ = layered()
    one.figure(layer=2, head=1, query=4)
    one.save(tmp_path / "x.npz")
    stored = np.load(tmp_path / "x.npz")
    assert "attention" not in stored
    assert stored["maps"].shape == (tiny.L + 1, tiny.A + 1, tiny.GH, tiny.GW)
    data = serialize.to_file(one, View(query=(3,)), complete=False)
    assert {"attention", "average", "rollout"} <= set(data["data"]["explained"]["maps"])
    assert one.pca(1).rgb.shape == (tiny.GH, tiny.GW, 3)
    assert one.similarity(layer=1, patch=4).shape == (tiny.GH, tiny.GW)
    assert size_of(one) == one.context.layered.nbytes + one.context.output.tokens.nbytes


def test_without_attention_maps_memory_is_that_of_queries_and_keys(layered):
    one, _ = layered()
    assert one.context.output.attention.numel() == 0
    assert one.context.layered.nbytes == sum(t.nbytes for pair in one.context.layered.queries_and_keys for t in pair)
    assert torch.is_tensor(one.context.layered[-1])
    with pytest.raises(TypeError, match="one by one"):
        one.context.layered[::2]


@pytest.mark.parametrize("variant", ["plain", "everything", "no class token"])
def test_probes_and_mean_outputs_of_heads_are_equal(variant, monkeypatch):
    model = tiny.checkpoint(tiny.VARIANTS[variant])
    images = torch.stack([torch.from_numpy(tiny.pixels(seed=n)).permute(2, 0, 1) for n in range(3)])
    found = []
    for limit in (0, 2**28):
        monkeypatch.setattr(layered_attention, "max_bytes", lambda limit=limit: limit)
        found.append((probes.probe(model, images).arrays, mean_head_outputs(model, images)))
    torch.testing.assert_close(found[0][1], found[1][1], rtol=0, atol=1e-5)
    for name, values in found[0][0].items():
        if name != "labels":
            np.testing.assert_allclose(values, found[1][0][name], rtol=1e-4, atol=1e-5, err_msg=name)


def test_no_full_attention_is_computed_for_probes_of_a_large_model(monkeypatch):
    monkeypatch.setattr(layered_attention, "max_bytes", lambda: 0)
    model = tiny.checkpoint()
    modes, forward = [], model.network.forward_with_attention
    monkeypatch.setattr(
        model.network, "forward_with_attention", lambda *args: modes.append(args[1]) or forward(*args), raising=False
    )
    image = torch.from_numpy(tiny.pixels()).permute(2, 0, 1)[None]
    probes.probe(model, image)
    mean_head_outputs(model, image)
    assert modes == ["tokens", "tokens"]


def test_the_limit_is_a_fraction_of_the_free_memory(monkeypatch):
    monkeypatch.setattr(layered_attention, "available_memory", lambda: 2**36)
    assert layered_attention.max_bytes() == 2**30
    monkeypatch.setattr(layered_attention, "available_memory", lambda: None)
    assert layered_attention.max_bytes() == 2**28
