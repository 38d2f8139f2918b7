"""The gallery of test images, by class and by prediction."""

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


def pages(gallery, data):
    """The images of all pages."""
    count = gallery.gallery(data)["pages"]
    return [image for page in range(count) for image in gallery.gallery(data | {"page": page})["images"]]


def test_the_gallery_shows_the_images_of_a_class(gallery, images):
    labels = images[1]
    chosen = labels[0].item()
    answer = gallery.gallery(ALL | {"label": chosen})
    assert [p["index"] for p in answer["images"]] == (labels == chosen).nonzero()[:, 0].tolist()[:10]
    assert {p["label"] for p in answer["images"]} == {chosen}
    assert gallery.gallery(ALL | {"page": 9})["images"] == gallery.gallery(ALL | {"page": 10**30})["images"] == []
    assert [image["index"] for image in pages(gallery, ALL)] == list(range(20))


def test_correct_and_misclassified_follow_the_predictions(gallery, images):
    model = vitviz.load("cifar10-ti4")
    images, labels = images
    with torch.no_grad():
        probabilities, classes = model.network(model.normalize(images)).softmax(-1).max(-1)
    for shown, wanted in (("correct", classes == labels), ("misclassified", classes != labels)):
        found = pages(gallery, TI4 | {"shown": shown})
        assert [image["index"] for image in found] == wanted.nonzero()[:, 0].tolist()
        for image in found:
            assert image["prediction"] == model.labels[classes[image["index"]]]
            assert image["probability"] == pytest.approx(probabilities[image["index"]].item(), abs=1e-5)
    surest = [image["index"] for image in pages(gallery, TI4 | {"shown": "confidently wrong"})]
    wrong = (classes != labels).nonzero()[:, 0]
    assert surest == wrong[probabilities[wrong].argsort(descending=True, stable=True)].tolist()
    cats = [image["index"] for image in pages(gallery, TI4 | {"shown": "misclassified", "label": 3})]
    assert cats == ((classes != labels) & (labels == 3)).nonzero()[:, 0].tolist()


def test_a_model_predicts_the_test_set_once(gallery, monkeypatch):
    data = TI4 | {"shown": "misclassified"}
    assert gallery.cached(ALL) is not None, "nothing is computed for these"
    assert gallery.cached(data) is None
    answer = gallery.gallery(data)
    monkeypatch.setattr(module, "predict", lambda *_: pytest.fail("predicted again"))
    assert gallery.cached(data) == answer


def test_classes_are_matched_by_name(gallery, images, monkeypatch):
    model = vitviz.load("cifar10-ti4")
    with torch.no_grad():
        classes = model.network(model.normalize(images[0])).argmax(-1)
    monkeypatch.setattr(module, "load_model", lambda name, runs: replace(model, labels=model.labels[::-1]))
    right = [image["index"] for image in pages(gallery, TI4 | {"shown": "correct"})]
    assert right == (9 - classes == images[1]).nonzero()[:, 0].tolist()
    monkeypatch.setattr(module, "load_model", lambda name, runs: replace(model, labels=tuple("abcdefghij")))
    other = Gallery(gallery.data, None, public=False)
    with pytest.raises(ValueError, match="the classes of CIFAR-10 to filter by: got 'cifar10-ti4'"):
        other.gallery(TI4 | {"shown": "correct"})


@pytest.mark.parametrize(
    "data",
    [{}, [], None, TI4 | {"shown": "bad"}, TI4 | {"shown": []}, ALL | {"shown": "correct"}, ALL | {"label": 10**30}],
)
def test_an_invalid_request_is_refused(gallery, data):
    with pytest.raises(ValueError, match="must"):
        gallery.gallery(data)
    if data != {}:
        with pytest.raises(ValueError, match="must"):
            gallery.cached(data)
