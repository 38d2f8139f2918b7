"""The engine of the browser against the library, in Node.js."""

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch
from numpy.typing import NDArray
from PIL import Image

import vitviz
from tests import engine, tiny
from vitviz.attribution import serialize, tuned_lens
from vitviz.attribution.explanation import Explanation
from vitviz.attribution.view_maps import query_rows
from vitviz.data import cifar
from vitviz.errors import DataError
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.rounding import Rounding
from vitviz.webapp.routes.explanations import pca_of_layer
from vitviz.webapp.site import SERVER_METHODS


def difference(found: Any, expected: torch.Tensor | None) -> float:
    """Return the largest difference relative to the largest value, which counts as 1 if it is smaller."""
    if expected is None:
        return 0.0 if found is None else np.inf
    numbers = np.array(found, np.float32).reshape(expected.shape)
    return float(
        np.abs(numbers - expected.numpy()).max(initial=0) / max(1, expected.abs().max() if numbers.size else 1)
    )


def drop(*patches: int) -> dict[str, Any]:
    """Return an ablation that leaves patches out."""
    return {"heads": [], "patches": patches, "mode": "zero", "patch_mode": "drop"}


def test_the_engine_computes_logits_attention_and_tokens_of_every_family(tmp_path: Path) -> None:
    cases = [(name, ablations, "simd") for name in engine.FAMILIES for ablations in ([], [drop(1, 4, 5)])]
    slow = ("plain", "rope cat xy", "SwiGLU", "GELU by tanh", "CLIP")
    cases += [(name, [drop(2)], "javascript") for name in slow]
    requests = []
    for name, ablations, kernels in cases:
        model = engine.checkpoint(engine.FAMILIES[name])
        image = tiny.images(model.config.img_size, 1)[0]
        requests.append(engine.request(tmp_path, model, image, ablations=ablations, kernels=kernels))
    found = {}
    for (name, ablations, kernels), reply in zip(cases, engine.answer(tmp_path, requests), strict=True):
        model = engine.checkpoint(engine.FAMILIES[name])
        config, images = model.config, tiny.images(model.config.img_size, 1)
        removed = ablations[0]["patches"] if ablations else ()
        keep = torch.tensor([[patch for patch in range(config.num_patches) if patch not in removed]])
        with torch.inference_mode():
            output = model.network.forward_with_attention(images, "full", keep)
        logits = output.logits[0, : config.num_classes]
        found[name, len(ablations), kernels] = {
            "logits": difference(reply["logits"], logits),
            "alone": difference(reply["alone"], logits),
            "attention": difference(reply["attention"], output.attention[:, 0]),
            "tokens": difference(reply["tokens"], torch.stack(tuple(output.layer_tokens))[:, 0]),
            "pool": difference(reply["pool"], None if output.pool_attention is None else output.pool_attention[0]),
        }
    assert not {case: of for case, of in found.items() if max(of.values()) > 1e-5}


def array(text: str, dtype: str = "<f4") -> NDArray[Any]:
    """Decode an array of a reply."""
    return np.frombuffer(base64.b64decode(text), dtype)


def relative(found: Any, expected: Any, least: float = 1e-12) -> float:
    """Return the largest difference relative to the largest value, or to `least` if that is larger."""
    first, second = (np.asarray(one, np.float64).ravel() for one in (found, expected))
    if first.shape != second.shape:
        return float("inf")
    return float(np.abs(first - second).max(initial=0) / max(np.abs(second).max(initial=0), least))


ABLATIONS: dict[str, list[dict[str, Any]]] = {
    "nothing": [],
    "patches left out": [drop(1, 4, 5)],
    "heads, and patches in gray": [
        {"heads": [[0, 1], [2, 0]], "patches": [6], "mode": "mean", "patch_mode": "gray"},
        {"heads": [[1, 0], [1, 1]], "patches": [2, 3], "mode": "zero", "patch_mode": "drop"},
    ],
}
LEFT_OUT = SERVER_METHODS
OF_CLASS = [3, 5]


def explain(model: Checkpoint, means: torch.Tensor, ablations: list[dict[str, Any]]) -> Explanation:
    """Return the explanation of the library."""
    size = model.config.img_size
    explanation = vitviz.explain(model, Image.fromarray(tiny.pixels(*size)))
    for one in ablations:
        heads = [(layer, head) for layer, head in one["heads"]]
        explanation = explanation.ablate(heads, one["patches"], one["mode"], one["patch_mode"], means)
    return explanation


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("explanations", {}),
    ("explanations/attention", {}),
    ("explanations/rows", {"query": [0, 7], "direction": "to"}),
    ("explanations/similarity", {"patch": 7}),
    ("explanations/features", {"foreground": False}),
    ("explanations/features", {"foreground": True}),
    ("explanations/maps", {"target": [], "part": "all"}),
    ("explanations/maps", {"target": OF_CLASS, "part": "all"}),
    ("explanations/contributions", {"target": OF_CLASS}),
    ("explanations/pixels", {"target": [], "method": "input_gradient"}),
    ("explanations/pixels", {"target": OF_CLASS, "method": "balanced_gradients"}),
]


def differences(explanation: Explanation, replies: list[Any]) -> dict[str, float]:
    """Compare the engine's replies to `CALLS` with those of the library."""
    explained, attention, rows, similarity, *features = replies[:6]
    layers, context = range(explanation.context.config.depth), explanation.context
    whole = serialize.to_json(explanation)
    limits = [
        [one["limits"][direction][k] for direction in ("from", "to") for k in ("heads", "means")]
        for one in (explained, whole)
    ]
    found = {
        "probabilities": relative(explained["probabilities"], whole["probabilities"]),
        "cls": relative(array(explained["cls"]), array(whole["cls"])),
        "limits": relative(*limits),
        "rows": relative(rows, np.nan_to_num(query_rows(context, [0, 7], "to"))),
        "attention": float(
            np.abs(np.subtract(attention, serialize.to_uint16(explanation.attention).ravel())).max() > 1
        ),
        "similarity": relative(array(similarity["values"]), [explanation.similarity(k, 7) for k in layers]),
    }
    assert explained["shape"] == serialize.shape_to_json(explanation)
    assert explained["methods"] == [
        key for key in whole["methods"] if key in explanation.methods and key not in LEFT_OUT
    ]
    assert (explained["pool"] is None) == (whole["pool"] is None)
    if explained["pool"] is not None:
        found["pool"] = relative(array(explained["pool"]), array(whole["pool"]))
    for foreground, reply in zip((False, True), features, strict=True):
        expected = [pca_of_layer(explanation, layer, foreground) for layer in layers]
        scores = array(reply["scores"]), np.stack([one for one, _ in expected]).ravel()
        assert np.array_equal(*map(np.isnan, scores))
        found[f"scores, {foreground}"] = relative(*map(np.nan_to_num, scores))
        ratios = [[one or [0, 0, 0] for one in of] for of in (reply["explained"], [one for _, one in expected])]
        found[f"explained, {foreground}"] = relative(*ratios)
    return found | (class_differences(explanation, explained["methods"], replies[6:]) if explanation.labels else {})


def class_differences(explanation: Explanation, methods: list[str], replies: list[Any]) -> dict[str, float]:
    """Compare the replies that explain a class."""
    *maps, contributions, gradient, balanced = replies
    expected = explanation.contributions(tuple(OF_CLASS))
    scale = max(abs(expected.logit), float(np.abs(expected.mlp).max()))
    parts = np.array([expected.embedding, *expected.attention_bias, *expected.mlp, expected.bias, expected.logit])
    parts -= [
        *(contributions["embedding"], *contributions["attention_bias"], *contributions["mlp"]),
        *(contributions["bias"], contributions["logit"]),
    ]
    found = {
        "heads": relative(array(contributions["heads"]), expected.heads),
        "parts": float(np.abs(parts).max() / scale),
        "gradient pixels": relative(array(gradient["values"]), explanation.map("input_gradient", pixels=True)),
        "balanced pixels": relative(
            array(balanced["values"]), explanation.map("balanced_gradients", tuple(OF_CLASS), pixels=True)
        ),
    }
    for target, reply in zip((None, tuple(OF_CLASS)), maps, strict=True):
        for method in methods:
            # A difference of two logits, each of which is equal to 1e-5, may be much smaller than they are.
            least = np.abs(explanation.context.logits).max() / 10 if method == "occlusion" else 1e-12
            found[f"{method} {target}"] = relative(reply["maps"][method], explanation.map(method, target), least)
    return found


def test_every_method_equals_the_library_in_every_family(tmp_path: Path, subtests: Any) -> None:
    cases = [(name, what) for name in engine.FAMILIES for what in ABLATIONS]
    requests, explanations = [], []
    for name, what in cases:
        model = engine.checkpoint(engine.FAMILIES[name])
        config = model.config
        means = torch.from_numpy(tiny.draw("means", (config.depth, config.num_heads, config.head_dim), 0))
        explanations.append(explain(model, means, ABLATIONS[what]))
        image = explain(model, means, []).context.image
        requests.append(
            engine.request(tmp_path, model, image, calls=CALLS, ablations=ABLATIONS[what], head_means=means)
        )
    for case, explanation, reply in zip(cases, explanations, engine.answer(tmp_path, requests), strict=True):
        with subtests.test(case=case):
            wrong = {key: value for key, value in differences(explanation, reply["replies"]).items() if value > 1e-4}
            assert not wrong


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:test_batch.bin differs")
def test_every_method_of_the_shipped_model_equals_the_library_on_cifar_10(tmp_path: Path, subtests: Any) -> None:
    try:
        images, _ = cifar.load("test")
    except DataError as error:
        pytest.skip(str(error))
    model = checkpoint.load("cifar10-ti4")
    explanations = [vitviz.explain(model, Image.fromarray(one.permute(1, 2, 0).numpy())) for one in images[:50]]
    requests = [engine.request(tmp_path, model, one.context.image, calls=CALLS) for one in explanations]
    for case, (explanation, reply) in enumerate(zip(explanations, engine.answer(tmp_path, requests), strict=True)):
        with subtests.test(case=case):
            assert difference(reply["logits"], torch.from_numpy(explanation.context.logits)) < 1e-5
            assert np.abs(np.ravel(reply["attention"]) - explanation.attention.ravel()).max() < 1e-5
            assert not {key: value for key, value in differences(explanation, reply["replies"]).items() if value > 1e-4}


def test_the_tuned_lens_in_a_model_file_reads_as_the_library(tmp_path: Path) -> None:
    pixels = torch.from_numpy(np.stack([tiny.pixels(seed=seed) for seed in range(40)])).permute(0, 3, 1, 2)
    requests, expected = [], []
    for name in ("plain", "CLIP", "registers, LayerScale", "mean"):
        model = engine.checkpoint(engine.FAMILIES[name])
        with torch.no_grad():
            model.network.head.bias -= model.network(model.normalize(pixels)).mean(0)  # predicts several classes
        lens = tuned_lens.fit(model, pixels)
        in_file = lens.describe(), {one: torch.from_numpy(getattr(lens, one)) for one in ("weight", "bias")}
        ablated = explain(model, torch.zeros(0), ABLATIONS["patches left out"])
        image = explain(model, torch.zeros(0), []).context.image
        calls = [("explanations/lens", {"target": [3, 5]})]
        ablations = ABLATIONS["patches left out"]
        requests.append(
            engine.request(tmp_path, model, image, measured={"lens": in_file}, calls=calls, ablations=ablations)
        )
        expected.append((lens.describe(), lens.maps(ablated, 3)))
    requests.append(requests[0] | {"model": engine.request(tmp_path, engine.checkpoint(engine.PLAIN), image)["model"]})
    *replies, without = engine.answer(tmp_path, requests)
    assert without["replies"] == [{"lens": None}]
    for reply, (described, maps) in zip(replies, expected, strict=True):
        found = reply["replies"][0]["lens"]
        np.testing.assert_allclose(array(found.pop("values")), maps.ravel(), atol=1e-4)
        assert found == described


def test_scores_against_the_same_random_orders_equal_the_library(tmp_path: Path) -> None:
    cases = [
        (name, what) for name in ("plain", "mean", "query and key norm") for what in ("nothing", "patches left out")
    ]
    requests, expected = [], []
    for name, what in cases:
        model = engine.checkpoint(engine.FAMILIES[name])
        explanation = explain(model, torch.zeros(0), ABLATIONS[what])
        calls = [("explanations/scores", {"target": [3]}), ("explanations/map", {"target": [3], "method": "shapley"})]
        image = explain(model, torch.zeros(0), []).context.image
        requests.append(engine.request(tmp_path, model, image, calls=calls, ablations=ABLATIONS[what]))
        expected.append(serialize.method_scores(explanation, 3))
    for reply, scores in zip(engine.answer(tmp_path, requests), expected, strict=True):
        found, shapley = reply["replies"]
        assert "Shapley values" in shapley["refusal"]
        assert found["random_baseline"] == pytest.approx(scores["random_baseline"], abs=1e-5)
        assert found["scores"] == pytest.approx(
            {key: score for key, score in scores["scores"].items() if key not in LEFT_OUT}, abs=1e-4
        )


def test_memory_stays_the_same_from_50_to_500_images(tmp_path: Path) -> None:
    model = engine.checkpoint(engine.FAMILIES["plain"])
    request = engine.request(tmp_path, model, tiny.images(model.config.img_size, 1)[0])
    [(early, late)] = engine.answer(tmp_path, [request | {"task": "soak", "of": [50, 500]}])
    assert early["heap"] == late["heap"] < 2**20
    assert late["objects"] - early["objects"] < 2**24  # all 450 contexts would be 60 MB


def test_after_memory_ran_out_the_next_gradients_are_right(tmp_path: Path) -> None:
    model = engine.checkpoint(engine.FAMILIES["plain"])
    request = engine.request(tmp_path, model, tiny.images(model.config.img_size, 1)[0])
    [reply] = engine.answer(tmp_path, [request | {"task": "starve", "of": request["pixels"]}])
    assert "no memory" in reply["refusal"]
    assert reply["found"] == reply["expected"]


def test_rounded_weights_are_read_as_they_are_stored(tmp_path: Path) -> None:
    model = engine.checkpoint(engine.FAMILIES["query and key norm"])
    images = tiny.images(model.config.img_size, 1)
    roundings: tuple[Rounding, ...] = ("float32", "float16", "int8")
    requests = [engine.request(tmp_path, model, images[0], rounding) for rounding in roundings]
    logits = []
    for one, reply in zip(requests, engine.answer(tmp_path, requests), strict=True):
        stored = safetensors.torch.load_file(one["model"])
        rounded = {
            name: weight * stored[f"{name}.scale"].view(-1, *[1] * (weight.ndim - 1))
            if f"{name}.scale" in stored
            else weight.float()
            for name, weight in stored.items()
            if not name.endswith(".scale")
        }
        model.network.load_state_dict(rounded)
        with torch.inference_mode():
            logits.append(model.network(images)[0])
        assert difference(reply["logits"], logits[-1]) < 1e-5
    assert not torch.allclose(logits[0], logits[1], atol=1e-5)
    assert not torch.allclose(logits[1], logits[2], atol=1e-3)
