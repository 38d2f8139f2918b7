"""Words that become the classes of a model that compares images with texts."""

import logging

import pytest

from tests.models.two_towers import TEXTS, save_two_towers
from tests.webapp.api import routes
from vitviz.webapp.words import MAX_CHARACTERS, MAX_TEXTS, MAX_VISITOR_TEXTS

CAT = {"kind": "sample", "name": "cat"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of a small CLIP."""
    path = tmp_path_factory.mktemp("models") / "clip"
    save_two_towers("CLIP", path)
    return path


def test_words_become_classes_and_are_replaced_by_others(folder):
    with routes(checkpoint=str(folder)) as api:
        assert [model["compares_texts"] for model in api.get("models")["models"] if model["name"] == "clip"] == [True]
        info = api.get("models/words", model="clip", classes=TEXTS)["info"]
        assert (info["name"], info["classes"]) == (f"words: {', '.join(TEXTS)}", 3)
        subject = {"model": info["name"], "image": CAT}
        assert api.get("explanations", subject=subject)["classes"] == list(TEXTS)
        maps = api.get("explanations/maps", subject=subject, target=[1])["maps"]
        assert "text_similarity" in maps
        again = api.get("models/words", model=info["name"], classes=["a dog", "a cat"])["info"]
        assert (again["name"], again["compares_texts"]) == ("words: a dog, a cat", True)


@pytest.mark.parametrize(
    ("classes", "problem"),
    [
        (["a cat"], "must be at least 2 texts"),
        (["a cat", ""], "none of them empty"),
        (["a cat", "a cat"], "'a cat' is given twice"),
        (["a cat", 20 * "dog "], "must have at most 12 tokens"),
        (["a cat", "a" * (MAX_CHARACTERS + 1)], f"at most {MAX_CHARACTERS} printable characters"),
        ([f"cat {k}" for k in range(1000)], f"must be at most {MAX_TEXTS} texts on this page: got 1,000"),
    ],
)
def test_bad_words_are_refused(classes, problem, folder):
    with routes(checkpoint=str(folder)) as api:
        refusal = api.refusal("models/words", model="clip", classes=classes)
        assert problem in refusal["error"]
        assert refusal["field"] == "classes"
        assert (
            "needs a model of transformers with a text encoder"
            in api.refusal("models/words", model="tiny", classes=TEXTS)["error"]
        )


def test_a_public_page_takes_few_words_and_does_not_name_models_by_them(folder, caplog):
    caplog.set_level(logging.DEBUG)
    with routes(checkpoint=str(folder), public=True) as api:
        info = api.get("models/words", model="clip", classes=TEXTS)["info"]
        assert info["name"].startswith("3 words ")
        assert info["name"] not in [model["name"] for model in api.get("models")["models"]]
        many = [f"cat {k}" for k in range(MAX_VISITOR_TEXTS + 1)]
        assert "must be at most 20 texts" in api.refusal("models/words", model="clip", classes=many)["error"]
    assert not any(text in caplog.text for text in TEXTS)
