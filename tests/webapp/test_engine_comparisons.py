"""Comparisons and swapped class tokens of the browser against the library, in Node.js."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

import vitviz
from tests import engine, tiny
from vitviz.attribution.comparison import Comparison
from vitviz.attribution.explanation import Explanation
from vitviz.attribution.serialize import methods_to_json
from vitviz.data.encoding import to_base64
from vitviz.models.checkpoint import Checkpoint

ABLATION = {"heads": [(1, 0)], "patches": [4, 9], "mode": "zero", "patch_mode": "drop"}
HEAD = {"layer": 2, "head": 1}
# What A and B are (with an ablation or not), the view of both, and the fields of B's own.
CASES: dict[str, tuple[str, str, dict[str, Any], dict[str, Any]]] = {
    "two images": ("cat", "dog", HEAD, {}),
    "attention of a patch": ("cat", "dog", HEAD | {"query": (7,)}, {}),
    "attention to a patch, means": ("cat", "dog", {"layer": "mean", "query": (7,), "direction": "to"}, {}),
    "relevance for each prediction": ("cat", "dog", {"method": "relevance"}, {}),
    "occlusion": ("cat", "dog", {"method": "occlusion"}, {}),
    "methods of other quantities": ("cat", "cat", {"method": "average"}, {"method": "contributions"}),
    "classes": ("cat", "cat", {"method": "balanced_gradients", "target": (3,)}, {"target": (5,)}),
    "heads": ("cat", "cat", HEAD, {"layer": 0, "head": 0}),
    "the same map": ("cat", "cat", HEAD, {}),
    "ablation": ("cat", "cat, ablated", HEAD, {}),
    "an ablated head": ("cat", "cat, ablated", {"layer": 1, "head": 0}, {}),
    "gradients after an ablation": ("cat", "cat, ablated", {"method": "balanced_gradients", "target": (3,)}, {}),
    "similarity": ("cat", "dog", {"direction": "similar", "layer": 1, "query": (7,)}, {}),
    "features of two layers": ("cat", "cat", {"content": "features", "layer": 0}, {"layer": 2}),
    "features after an ablation": ("cat", "cat, ablated", {"content": "features", "layer": 2}, {}),
}


def explanations(model: Checkpoint) -> dict[str, Explanation]:
    """Return two images, and the first one after an ablation."""
    size = model.config.img_size
    pixels = np.random.default_rng(1).integers(0, 256, (*size, 3), np.uint8)
    cat = replace(vitviz.explain(model, Image.fromarray(tiny.pixels(*size))), name="cat")
    dog = replace(vitviz.explain(model, Image.fromarray(pixels)), name="dog")
    return {"cat": cat, "dog": dog, "cat, ablated": cat.ablate(ABLATION["heads"], ABLATION["patches"])}


def subject(name: str) -> dict[str, Any]:
    """Return the subject of an explanation."""
    image, _, ablated = name.partition(", ")
    ablations = [ABLATION] if ablated else []
    return {
        "model": "tiny",
        "snapshot": None,
        "image": {"kind": "sample", "name": image},
        "ablations": ablations,
    }


def side(name: str, view: dict[str, Any]) -> dict[str, Any]:
    """Return a side of a request, whose view has all fields that a map depends on."""
    shown = {"content": "method" if "method" in view else "attention", "layer": "mean", "head": "mean", "query": []}
    return {
        "subject": subject(name),
        "view": shown | {"direction": "from", "method": None, "target": []} | view,
    }


def difference(found: dict[str, Any], expected: Comparison) -> float:
    """Return the largest difference of the numbers relative to their scales."""
    pairs = [(found["a"]["values"], expected.maps[0]), (found["b"]["values"], expected.maps[1])]
    if found["difference"] is not None:
        pairs.append((found["difference"], expected.points))
    worst = [0.0]
    for values, numbers in pairs if expected.colors is None else ():
        one, other = np.array(values, float), np.asarray(numbers, float).ravel()
        assert np.array_equal(np.isnan(one), np.isnan(other))
        worst.append(float(np.nanmax(np.abs(one - other), initial=0) / max(np.nanmax(np.abs(other), initial=0), 1e-3)))
    for name, colors in zip("ab", expected.colors or (), strict=False):
        values = list(found[name]["colors"])
        pixels = np.array(values, np.uint32).view(np.uint8).reshape(-1, 4)
        is_kept = ~np.isnan(colors[..., 0].ravel())
        assert np.array_equal(pixels[:, 3] > 0, is_kept)
        steps = pixels[is_kept, :3] - 255 * colors.reshape(-1, 3)[is_kept]
        worst.append(float(np.abs(steps).max() > 1))
    return max(worst)


def test_comparisons_have_the_numbers_and_sentences_of_the_library(tmp_path: Path, subtests: Any) -> None:
    model = engine.checkpoint(engine.PLAIN)
    shown = explanations(model)
    comparisons = [{"request": {"a": side(a, view), "b": side(b, view | own)}} for a, b, view, own in CASES.values()]
    request = engine.request(
        tmp_path,
        model,
        shown["cat"].context.image,
        other=to_base64(shown["dog"].context.image.numpy()),
        comparisons=comparisons,
        methods=methods_to_json(),
    )
    (reply,) = engine.answer(tmp_path, [request])
    for (case, (a, b, view, own)), found in zip(CASES.items(), reply["compared"], strict=True):
        with subtests.test(case=case):
            expected = vitviz.compare(shown[a], shown[b], **view, b_options=own)
            assert difference(found, expected) < 1e-4
            assert (found["headline"], found["notes"]) == (expected.headline, expected.notes)
            assert (found["a"]["name"], found["b"]["name"]) == expected.names
            assert found["mostChanged"] == expected.most_changed
            assert found["correlation"] == pytest.approx(expected.rank_correlation, abs=1e-6)
            assert (found["scale"]["kind"], found["scale"]["unit"]) == (expected.scale.kind, expected.scale.unit())
            assert found["scale"].get("limit", 1) == pytest.approx(expected.scale.limit, rel=1e-4)
            assert found["differenceScale"]["unit"] == expected.difference_scale.unit()
            assert found["totalVariation"] == pytest.approx(expected.total_variation, abs=1e-5)
            assert [one["name"] for one in found["classes"]] == [one.name for one in expected.classes]
            numbers = [[(one["a"], one["b"]) for one in found["classes"]], [(one.a, one.b) for one in expected.classes]]
            np.testing.assert_allclose(*numbers, rtol=0, atol=1e-5)


def test_the_class_token_is_swapped_as_by_the_library(tmp_path: Path) -> None:
    names = ("plain", "distilled", "registers, LayerScale", "rope cat", "CLIP", "lightning", "without head")
    requests, expected = [], []
    for name in names:
        shown = explanations(engine.checkpoint(engine.FAMILIES[name]))
        swaps = [("cat", "dog"), ("cat, ablated", "dog")]
        expected.append([(shown[a], shown[b]) for a, b in swaps])
        calls = [("explanations/class-token-swap", {"subject": subject(a), "other": subject(b)}) for a, b in swaps]
        other = to_base64(shown["dog"].context.image.numpy())
        model = shown["cat"].context.checkpoint
        requests.append(engine.request(tmp_path, model, shown["cat"].context.image, other=other, calls=calls))
    for reply, pairs in zip(engine.answer(tmp_path, requests), expected, strict=True):
        for found, (a, b) in zip(reply["replies"], pairs, strict=True):
            swap = vitviz.swap_class_token(a, b)
            if found["labels"] is None:
                np.testing.assert_allclose(found["patches"], swap.patches_share, rtol=0, atol=1e-4)
                continue
            assert found["labels"] == [a.prediction, b.prediction]
            for side, one in (("patches", a), ("class_token", b)):
                probabilities = swap.probabilities[:, int(one.probabilities.argmax())]
                np.testing.assert_allclose(found[side], probabilities, rtol=0, atol=1e-5)


def test_a_head_that_reads_other_tokens_refuses_the_swap_as_the_library_does(tmp_path: Path) -> None:
    models = [engine.checkpoint(engine.FAMILIES[name]) for name in ("mean", "class token and mean")]
    call = ("explanations/class-token-swap", {"other": subject("cat")})
    images = [torch.zeros(3, *model.config.img_size) for model in models]
    requests = [engine.request(tmp_path, *of, calls=[call]) for of in zip(models, images, strict=True)]
    for model, reply in zip(models, engine.answer(tmp_path, requests), strict=True):
        cat = explanations(model)["cat"]
        with pytest.raises(ValueError, match="reads it alone") as refusal:
            vitviz.swap_class_token(cat, cat)
        assert reply["replies"] == [{"refusal": str(refusal.value)}]
