"""Server functions of activation patching: values equal the library's, each computed once."""

from dataclasses import replace

import numpy as np
import pytest

from tests import tiny
from tests.webapp.test_schemas import check
from vitviz.attribution.explanation import explain, patch_activations
from vitviz.webapp.pages import patching
from vitviz.webapp.pages.patching import ExpiredError, PatchingPage
from vitviz.webapp.schemas.views import PatchedHeads, PatchedTokens
from vitviz.webapp.server.cache import ExplanationCache
from vitviz.webapp.server.tasks import CancelledError, Tasks


@pytest.fixture
def shown():
    """Two explanations by one model, the functions of a page that shows them, and a request about them."""
    checkpoint, cache = tiny.checkpoint(), ExplanationCache()
    pair = [explain(checkpoint, tiny.pixels(seed=seed)) for seed in (0, 1)]
    key, other = (cache.add(one) for one in pair)
    return pair, PatchingPage(cache, Tasks()), {"key": key, "other": other, "target": [3, 7], "task": "a"}


def test_heads_mlps_and_tokens_are_those_of_the_library(shown):
    (source, corrupted), page, request = shown
    reply = check(PatchedHeads, page.patch_heads(request))
    found = {part: patch_activations(source, corrupted, (3, 7), part) for part in ("heads", "mlp", "tokens")}
    assert reply["heads"] == found["heads"].recovered.tolist()
    assert reply["mlp"] == found["mlp"].recovered.tolist()
    assert (reply["logit"], reply["corruptedLogit"]) == (found["heads"].logit, found["heads"].corrupted_logit)
    assert reply["target"] == [3, 7]
    tokens = check(PatchedTokens, page.patch_tokens(request | {"layer": 1}))["tokens"]
    np.testing.assert_allclose(tokens, found["tokens"].recovered[1], rtol=0, atol=1e-6)


def test_without_a_target_the_predictions_are_contrasted(shown):
    (source, corrupted), page, request = shown
    expected = patch_activations(source, corrupted).target
    assert page.patch_heads(request | {"target": []})["target"] == list(np.atleast_1d(expected))


def test_a_result_is_computed_once(shown, monkeypatch):
    _, page, request = shown
    reply = page.patch_heads(request)
    monkeypatch.setattr(patching, "patch_activations", lambda *args: pytest.fail("computed again"))
    assert page.patch_heads(request) == reply


def test_progress_counts_heads_and_mlps(shown, monkeypatch):
    _, page, request = shown
    counts = []
    record = lambda task, compute: compute(lambda done, total: counts.append((done, total)))  # noqa: E731
    monkeypatch.setattr(page.tasks, "run", record)
    page.patch_heads(request)
    total = tiny.L * (tiny.A + 1)
    assert counts[-1] == (total, total)
    assert [done for done, _ in counts] == sorted({done for done, _ in counts})


def test_it_can_be_cancelled_while_it_waits(shown):
    _, page, request = shown
    page.tasks.task_progress({"task": "a", "cancel": True})
    with pytest.raises(CancelledError):
        page.patch_heads(request)


def test_expired_images(shown):
    _, page, request = shown
    assert page.patch_heads(request | {"key": "unknown"}) is None
    assert page.patch_tokens(request | {"key": "unknown", "layer": 0}) is None
    with pytest.raises(ExpiredError, match="second image has expired"):
        page.patch_heads(request | {"other": "unknown"})


def test_images_of_other_grids_and_unknown_layers_are_refused(shown):
    _, page, request = shown
    smaller = explain(tiny.checkpoint(replace(tiny.CONFIG, img_size=(16, 28))), tiny.pixels())
    with pytest.raises(ValueError, match="same model"):
        page.patch_heads(request | {"other": page.explanations.add(smaller)})
    with pytest.raises(ValueError, match=f"layer must be from 0 to {tiny.L - 1}: got 9"):
        page.patch_tokens(request | {"layer": 9})
