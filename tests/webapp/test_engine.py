"""The engine of the browser against the library, in Node.js."""

from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch

from tests import engine, tiny
from vitviz.models.rounding import Rounding
from vitviz.models.vit import AttentionOutput

KEEP = [0, 2, 3, 7]


def difference(found: Any, expected: torch.Tensor | None) -> float:
    """Return the largest difference relative to the largest value, which counts as 1 if it is smaller."""
    if expected is None:
        return 0.0 if found is None else np.inf
    numbers = np.array(found, np.float32).reshape(expected.shape)
    return float(
        np.abs(numbers - expected.numpy()).max(initial=0) / max(1, expected.abs().max() if numbers.size else 1)
    )


def forward(config: Any, keep: list[int] | None) -> AttentionOutput:
    """Return the output of the library."""
    with torch.inference_mode():
        images = tiny.images(config.img_size, 1)
        return engine.checkpoint(config).network.forward_with_attention(
            images, "full", None if keep is None else torch.tensor([keep])
        )


def test_the_engine_computes_logits_attention_and_tokens_of_every_family(tmp_path: Path) -> None:
    cases = [(name, keep, "simd") for name in engine.FAMILIES for keep in (None, KEEP)]
    cases += [(name, KEEP, "javascript") for name in ("plain", "rope cat xy", "SwiGLU", "GELU by tanh", "CLIP")]
    requests = [
        engine.request(
            tmp_path,
            engine.checkpoint(engine.FAMILIES[name]),
            tiny.images(engine.FAMILIES[name].img_size, 1)[0],
            keep=keep,
            kernels=kernels,
        )
        for name, keep, kernels in cases
    ]
    found = {}
    for (name, keep, kernels), reply in zip(cases, engine.answer(tmp_path, requests), strict=True):
        config = engine.FAMILIES[name]
        output = forward(config, keep)
        logits = output.logits[0, : config.num_classes]
        found[name, keep is None, kernels] = {
            "logits": difference(reply["logits"], logits),
            "alone": difference(reply["alone"], logits),
            "attention": difference(reply["attention"], output.attention[:, 0]),
            "tokens": difference(reply["tokens"], torch.stack(tuple(output.layer_tokens))[:, 0]),
            "pool": difference(reply["pool"], None if output.pool_attention is None else output.pool_attention[0]),
        }
    assert not {case: of for case, of in found.items() if max(of.values()) > 1e-5}


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
