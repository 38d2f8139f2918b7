"""Server functions of the views of Explore: values equal the library's."""

import base64

import numpy as np
import pytest

from tests import tiny
from vitviz.attribution.explanation import explain
from vitviz.webapp.pages.views import Views
from vitviz.webapp.server.cache import ExplanationCache


@pytest.fixture
def shown():
    """An explanation and the functions of a page that shows it."""
    explanation, cache = explain(tiny.checkpoint(), tiny.pixels()), ExplanationCache()
    return explanation, Views(cache), cache.add(explanation)


def test_contributions_are_those_of_the_library_and_sum_to_the_logit(shown):
    explanation, views, key = shown
    reply = views.contributions({"key": key, "target": [3, 7]})
    heads = np.frombuffer(base64.b64decode(reply["heads"]), "<f4").reshape(explanation.attention.shape[:3])
    assert np.array_equal(heads, explanation.contributions((3, 7)).heads)
    total = reply["embedding"] + heads.sum() + sum(reply["attentionBias"]) + sum(reply["mlp"]) + reply["bias"]
    assert total == pytest.approx(reply["logit"], abs=1e-4)


def test_an_expired_key_has_no_contributions(shown):
    assert shown[1].contributions({"key": "unknown", "target": []}) is None


def test_a_class_that_does_not_exist_is_refused(shown):
    _, views, key = shown
    with pytest.raises(ValueError, match="class"):
        views.contributions({"key": key, "target": [99]})
