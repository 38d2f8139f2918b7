"""The gallery of test images, by class and by prediction."""

from dataclasses import replace

import pytest
import torch
from PIL import Image

import vitviz
from tests.errors import refuses
from vitviz.data import cifar
from vitviz.errors import ConfigError
from vitviz.models import checkpoint
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.factory import create_model
from vitviz.runs import run_folder
from vitviz.runs.store import Runs
from vitviz.training.config import TrainConfig
from vitviz.view import Subject
from vitviz.webapp import gallery as module
from vitviz.webapp.explanations import Explanations
from vitviz.webapp.gallery import Gallery
from vitviz.webapp.inputs import Inputs
from vitviz.webapp.models import list_models
from vitviz.webapp.schemas.data import GalleryRequest

pytestmark = pytest.mark.filterwarnings("ignore:test_batch.bin differs")
TI4 = {"model": "cifar10-ti4"}


@pytest.fixture
def gallery(cifar_folder):
    return Gallery(Inputs(str(cifar_folder)))


@pytest.fixture
def images(cifar_folder):
    return cifar.load("test", str(cifar_folder))


@pytest.fixture(autouse=True)
def small_pages(monkeypatch):
    monkeypatch.setattr(module, "PAGE_SIZE", 7)


def ask(gallery, **request):
    return gallery.page(GalleryRequest(**request))


def pages(gallery, **request):
    """The images of all pages."""
    count = ask(gallery, **request).pages
    return [image for page in range(count) for image in ask(gallery, **request, page=page).images]


def test_the_gallery_shows_the_images_of_a_class(gallery, images):
    labels = images[1]
    chosen = labels[0].item()
    answer = ask(gallery, label=chosen)
    assert [image.index for image in answer.images] == (labels == chosen).nonzero()[:, 0].tolist()
    assert answer.count == (labels == chosen).sum()
    assert answer.classes == list(cifar.CLASSES)
    assert {image.label for image in answer.images} == {chosen}
    assert ask(gallery, page=9).images == ask(gallery, page=10**30).images == []
    assert [image.index for image in pages(gallery)] == list(range(20))


def test_correct_and_misclassified_follow_the_predictions(gallery, images):
    model = vitviz.load("cifar10-ti4")
    images, labels = images
    with torch.no_grad():
        probabilities, classes = model.network(model.normalize(images)).softmax(-1).max(-1)
    for shown, wanted in (("correct", classes == labels), ("misclassified", classes != labels)):
        found = pages(gallery, **TI4, shown=shown)
        assert [image.index for image in found] == wanted.nonzero()[:, 0].tolist()
        for image in found:
            assert image.prediction == model.labels[classes[image.index]]
            assert image.probability == pytest.approx(probabilities[image.index].item(), abs=1e-5)
    surest = [image.index for image in pages(gallery, **TI4, shown="confidently wrong")]
    wrong = (classes != labels).nonzero()[:, 0]
    assert surest == wrong[probabilities[wrong].argsort(descending=True, stable=True)].tolist()
    cats = [image.index for image in pages(gallery, **TI4, shown="misclassified", label=3)]
    assert cats == ((classes != labels) & (labels == 3)).nonzero()[:, 0].tolist()


def test_a_model_predicts_the_test_set_once(gallery, monkeypatch):
    request = GalleryRequest(**TI4, shown="misclassified")
    assert gallery.is_quick(GalleryRequest()), "nothing is computed for these"
    assert not gallery.is_quick(request)
    steps = []
    answer = gallery.page(request, lambda done, total: steps.append((done, total)))
    assert steps == [(20, 20)]
    monkeypatch.setattr(module, "compute_predictions", lambda *_: pytest.fail("predicted again"))
    assert gallery.is_quick(request)
    assert gallery.page(request) == answer


def test_classes_are_matched_by_name(gallery, images, monkeypatch):
    model = vitviz.load("cifar10-ti4")
    with torch.no_grad():
        classes = model.network(model.normalize(images[0])).argmax(-1)
    turned = replace(model, labels=model.labels[::-1])
    monkeypatch.setattr(Inputs, "model", lambda *_: turned)
    right = [image.index for image in pages(gallery, **TI4, shown="correct")]
    assert right == (9 - classes == images[1]).nonzero()[:, 0].tolist()
    monkeypatch.setattr(Inputs, "model", lambda *_: replace(model, labels=tuple("abcdefghij")))
    with pytest.raises(ConfigError, match="the classes of CIFAR-10 to filter by: got cifar10-ti4"):
        ask(Gallery(gallery.inputs), **TI4, shown="correct")


def test_the_page_of_an_image_is_found(gallery):
    answer = ask(gallery, index=16)
    assert (answer.page, answer.pages) == (2, 3)
    assert [image.index for image in answer.images] == list(range(14, 20))
    assert ask(gallery, page=1, index=99).page == 1, "there is no such image"


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
    trained = Checkpoint(
        "last", create_model(model).eval(), ("circles", "squares"), (0.5,) * 3, (0.2,) * 3, {"epochs": 1.0}
    )
    checkpoint.save(trained, runs.folder("first") / run_folder.LAST, {})
    return folder, runs


def test_the_gallery_shows_the_test_images_that_a_run_was_trained_on(pets):
    sources = Inputs(runs=pets[1])
    gallery = Gallery(sources)
    (listed,) = [model for model in list_models(sources)["models"] if model["name"] == "runs/first"]
    assert listed["dataset"] == "pets"
    request = {"dataset": "runs/first", "model": "runs/first"}
    assert not gallery.is_quick(GalleryRequest(**request)), "the folder must be read"
    answer = ask(gallery, **request)
    assert (answer.count, answer.classes) == (4, ["circles", "squares"])
    shown = [ask(gallery, **request, shown=shown) for shown in ("correct", "misclassified")]
    assert sum(part.count for part in shown) == 4
    for image in shown[1].images:
        assert image.prediction != answer.classes[image.label]
    held, chosen = Explanations(sources), {"kind": "run", "run": "runs/first", "index": 1}
    image = held.compute(Subject(model="runs/first", image=chosen)).image
    assert image.caption == "pets test image 1"
    assert image.truth == answer.images[1].label
    other = held.compute(Subject(model="cifar10-ti4", image=chosen)).image
    assert (other.truth, other.shows) == (None, image.shows)
    with pytest.raises(ValueError, match="from 0 to 3: got 4"):
        held.compute(Subject(model="runs/first", image=chosen | {"index": 4}))


def test_a_model_without_trained_head_does_not_filter(gallery, monkeypatch):
    model = replace(checkpoint.load("cifar10-ti4"), record={"train_config": {"objective": "mae"}})
    monkeypatch.setattr(Inputs, "model", lambda *_: model)
    with pytest.raises(ConfigError, match="a classifier with the classes of"):
        ask(gallery, **TI4, shown="correct")


def test_a_missing_image_folder_gives_one_sentence(pets):
    folder, runs = pets
    folder.rename(folder.with_name("gone"))
    with pytest.raises(ValueError, match=r"The image folder of this run is missing: .*pets does not exist\. Put it"):
        ask(Gallery(Inputs(runs=runs)), dataset="runs/first")
    for dataset in ("runs/first", "../pets", ""):
        with refuses("dataset"):
            ask(Gallery(Inputs(public=True)), dataset=dataset)
