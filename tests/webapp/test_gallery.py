"""The gallery of test images: by class, and by what a model makes of them."""

from dataclasses import replace

import pytest
import torch

import vitviz
from vitviz.data import cifar
from vitviz.webapp.pages import gallery as module
from vitviz.webapp.pages.gallery import Gallery

pytestmark = pytest.mark.filterwarnings("ignore:test_batch.bin differs")
ALL = {"label": -1, "page": 0, "shown": "all"}
TI4 = ALL | {"checkpoint": "cifar10-ti4"}


@pytest.fixture
def gallery(cifar_folder):
    return Gallery(str(cifar_folder), None, public=False)


@pytest.fixture
def images(cifar_folder):
    return cifar.load("test", str(cifar_folder))


def pages(gallery, question):
    """The images of all pages."""
    count = gallery.gallery(question)["pages"]
    return [image for page in range(count) for image in gallery.gallery(question | {"page": page})["images"]]


def test_the_gallery_shows_the_images_of_a_class(gallery, images):
    labels = images[1]
    chosen = labels[0].item()
    answer = gallery.gallery(ALL | {"label": chosen})
    assert [p["index"] for p in answer["images"]] == (labels == chosen).nonzero()[:, 0].tolist()[:10]
    assert {p["label"] for p in answer["images"]} == {chosen}
    assert gallery.gallery(ALL | {"page": 9})["images"] == gallery.gallery(ALL | {"page": 10**30})["images"] == []
    assert [image["index"] for image in pages(gallery, ALL)] == list(range(20))


def test_right_and_wrong_are_what_the_model_says(gallery, images):
    model = vitviz.load("cifar10-ti4")
    images, labels = images
    with torch.no_grad():
        probabilities, said = model.network(model.normalize(images)).softmax(-1).max(-1)
    for shown, wanted in (("correct", said == labels), ("misclassified", said != labels)):
        found = pages(gallery, TI4 | {"shown": shown})
        assert [image["index"] for image in found] == wanted.nonzero()[:, 0].tolist()
        for image in found:
            assert image["prediction"] == model.labels[said[image["index"]]]
            assert image["probability"] == pytest.approx(probabilities[image["index"]].item(), abs=1e-5)
    surest = [image["index"] for image in pages(gallery, TI4 | {"shown": "confidently wrong"})]
    wrong = (said != labels).nonzero()[:, 0]
    assert surest == wrong[probabilities[wrong].argsort(descending=True, stable=True)].tolist()
    cats = [image["index"] for image in pages(gallery, TI4 | {"shown": "misclassified", "label": 3})]
    assert cats == ((said != labels) & (labels == 3)).nonzero()[:, 0].tolist()


def test_a_model_looks_at_all_images_once(gallery, monkeypatch):
    asked = TI4 | {"shown": "misclassified"}
    assert gallery.cached(ALL) is not None, "nothing is computed for these"
    assert gallery.cached(asked) is None
    answer = gallery.gallery(asked)
    monkeypatch.setattr(module, "predict", lambda *_: pytest.fail("looked again"))
    assert gallery.cached(asked) == answer


def test_a_model_of_other_classes_or_another_order_is_compared_by_their_names(gallery, images, monkeypatch):
    model = vitviz.load("cifar10-ti4")
    with torch.no_grad():
        said = model.network(model.normalize(images[0])).argmax(-1)
    monkeypatch.setattr(module, "load_model", lambda name, runs: replace(model, labels=model.labels[::-1]))
    right = [image["index"] for image in pages(gallery, TI4 | {"shown": "correct"})]
    assert right == (9 - said == images[1]).nonzero()[:, 0].tolist()
    monkeypatch.setattr(module, "load_model", lambda name, runs: replace(model, labels=tuple("abcdefghij")))
    other = Gallery(gallery.data, None, public=False)
    with pytest.raises(ValueError, match="the classes of CIFAR-10 to filter by: got 'cifar10-ti4'"):
        other.gallery(TI4 | {"shown": "correct"})


@pytest.mark.parametrize(
    "question",
    [{}, [], None, TI4 | {"shown": "bad"}, TI4 | {"shown": []}, ALL | {"shown": "correct"}, ALL | {"label": 10**30}],
)
def test_a_question_that_does_not_fit_is_refused(gallery, question):
    with pytest.raises(ValueError, match="must"):
        gallery.gallery(question)
    if question != {}:
        with pytest.raises(ValueError, match="must"):
            gallery.cached(question)
