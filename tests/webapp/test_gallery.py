"""The gallery of test images, by class and by prediction."""

from dataclasses import replace

import pytest
import torch
from PIL import Image

import vitviz
from vitviz.data import cifar
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.factory import create_model
from vitviz.runs import run_folder
from vitviz.runs.store import Runs
from vitviz.training.config import TrainConfig
from vitviz.webapp import models
from vitviz.webapp.pages import gallery as module
from vitviz.webapp.pages.explore import Explore
from vitviz.webapp.pages.gallery import Gallery
from vitviz.webapp.server.requests import RequestError

pytestmark = pytest.mark.filterwarnings("ignore:test_batch.bin differs")
ALL = {"dataset": "cifar10", "label": -1, "page": 0, "shown": "all"}
TI4 = ALL | {"checkpoint": "cifar10-ti4"}


@pytest.fixture
def gallery(cifar_folder):
    return Gallery(str(cifar_folder), None, public=False)


@pytest.fixture
def images(cifar_folder):
    return cifar.load("test", str(cifar_folder))


@pytest.fixture(autouse=True)
def small_pages(monkeypatch):
    monkeypatch.setattr(module, "PAGE_SIZE", 7)


def pages(gallery, data):
    """The images of all pages."""
    count = gallery.gallery(data)["pages"]
    return [image for page in range(count) for image in gallery.gallery(data | {"page": page})["images"]]


def test_the_gallery_shows_the_images_of_a_class(gallery, images):
    labels = images[1]
    chosen = labels[0].item()
    answer = gallery.gallery(ALL | {"label": chosen})
    assert [p["index"] for p in answer["images"]] == (labels == chosen).nonzero()[:, 0].tolist()
    assert answer["count"] == (labels == chosen).sum()
    assert answer["classes"] == list(cifar.CLASSES)
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
    monkeypatch.setattr(module, "compute_predictions", lambda *_: pytest.fail("predicted again"))
    assert gallery.cached(data) == answer


def test_classes_are_matched_by_name(gallery, images, monkeypatch):
    model = vitviz.load("cifar10-ti4")
    with torch.no_grad():
        classes = model.network(model.normalize(images[0])).argmax(-1)
    monkeypatch.setattr(models, "load_model", lambda *_: replace(model, labels=model.labels[::-1]))
    right = [image["index"] for image in pages(gallery, TI4 | {"shown": "correct"})]
    assert right == (9 - classes == images[1]).nonzero()[:, 0].tolist()
    monkeypatch.setattr(models, "load_model", lambda *_: replace(model, labels=tuple("abcdefghij")))
    other = Gallery(gallery.data, None, public=False)
    with pytest.raises(ValueError, match="the classes of CIFAR-10 to filter by: got 'cifar10-ti4'"):
        other.gallery(TI4 | {"shown": "correct"})


def test_the_page_of_an_image_is_found(gallery):
    answer = gallery.gallery(ALL | {"index": 16})
    assert (answer["page"], answer["pages"]) == (2, 3)
    assert [image["index"] for image in answer["images"]] == list(range(14, 20))
    assert gallery.gallery(ALL | {"page": 1, "index": 99})["page"] == 1, "there is no such image"


def test_the_progress_counts_classified_images(gallery, monkeypatch):
    request = {"dataset": "cifar10", "checkpoint": "cifar10-ti4"}
    assert gallery.gallery_progress(request) == {"done": 0, "total": cifar.RECORDS}
    seen = []
    real = module.compute_predictions

    def compute(model, images, stored, report):
        def spy(count):
            report(count)
            seen.append(gallery.gallery_progress(request)["done"])

        return real(model, images, stored, spy)

    monkeypatch.setattr(module, "compute_predictions", compute)
    gallery.gallery(TI4 | {"shown": "correct"})
    assert seen == [20]
    assert gallery.gallery_progress(request)["done"] == 0, "nothing is being classified any more"


@pytest.fixture
def pets(tmp_path):
    """A run that was trained on an image folder of 28 x 20 pixels, and its gallery."""
    folder = tmp_path / "pets"
    for label, color in (("circles", "teal"), ("squares", "navy")):
        (folder / label).mkdir(parents=True)
        for number in range(10):
            Image.new("RGB", (100, 100), color).save(folder / label / f"{number}.png")
    runs = Runs(tmp_path / "runs")
    model = ViTConfig(img_size=(28, 20), patch_size=4, embed_dim=12, depth=2, num_heads=2, mlp_ratio=2, num_classes=2)
    config = TrainConfig(model=model, dataset="folder", data=str(folder), output_dir=str(runs.folder("first")))
    run_folder.write_config(config, runs.folder("first"))
    trained = Checkpoint("last", create_model(model).eval(), ("circles", "squares"), (0.5,) * 3, (0.2,) * 3, {})
    checkpoint.save(trained, runs.folder("first") / run_folder.LAST, {})
    return folder, runs


def test_the_gallery_shows_the_test_images_that_a_run_was_trained_on(pets):
    _, runs = pets
    gallery = Gallery(None, runs, public=False)
    (listed,) = [model for model in gallery.list_models({})["checkpoints"] if model["name"] == "runs/first"]
    assert listed["dataset"] == "pets"
    request = {"dataset": "runs/first", "label": -1, "page": 0, "shown": "all", "checkpoint": "runs/first"}
    assert gallery.cached(request) is None, "the folder must be read"
    answer = gallery.gallery(request)
    assert (answer["count"], answer["classes"]) == (4, ["circles", "squares"])
    shown = [gallery.gallery(request | {"shown": shown}) for shown in ("correct", "misclassified")]
    assert sum(part["count"] for part in shown) == 4
    for image in shown[1]["images"]:
        assert image["prediction"] != answer["classes"][image["label"]]
    explore = Explore(None, runs)
    chosen = {"kind": "dataset", "run": "runs/first", "index": 1}
    explained = explore.explain({"checkpoint": "runs/first", "image": chosen})
    assert explained["image"]["caption"] == "pets test image 1"
    assert explained["classes"][explained["image"]["truth"]] == answer["classes"][answer["images"][1]["label"]]
    other = explore.explain({"checkpoint": "cifar10-ti4", "image": chosen})
    assert (other["image"]["truth"], other["image"]["shows"]) == (None, explained["image"]["shows"])
    with pytest.raises(ValueError, match="from 0 to 3: got 4"):
        explore.explain({"checkpoint": "runs/first", "image": chosen | {"index": 4}})


def test_a_model_without_trained_head_does_not_filter(gallery, monkeypatch):
    model = checkpoint.load("cifar10-ti4")
    record = {"train_config": {"objective": "masked-patch"}}
    monkeypatch.setattr(gallery, "model", lambda request: replace(model, record=record))
    with pytest.raises(RequestError, match="a classifier with the classes of"):
        gallery.gallery(TI4 | {"shown": "correct"})


def test_a_missing_image_folder_gives_one_sentence(pets):
    folder, runs = pets
    gallery = Gallery(None, runs, public=False)
    folder.rename(folder.with_name("gone"))
    with pytest.raises(
        cifar.DataError, match=r"^The image folder of this run is missing: .*pets does not exist\. Put it"
    ):
        gallery.gallery(ALL | {"dataset": "runs/first"})
    public = Gallery(None, None, public=True)
    for dataset in ("runs/first", "../pets", ""):
        with pytest.raises(ValueError, match="dataset must be cifar10 or runs/NAME"):
            public.gallery(ALL | {"dataset": dataset})


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
