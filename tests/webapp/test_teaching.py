"""Classes that a visitor teaches: fit, validation, neighbors, and what is kept of them."""

import base64
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

import vitviz
from tests import tiny
from tests.webapp.api import routes
from tests.webapp.serving import CAT, running
from vitviz.data import image_folder
from vitviz.data.preprocessing import preprocess, sample_paths, to_tensor
from vitviz.models import checkpoint
from vitviz.models.features import compute_features
from vitviz.training import linear_probe
from vitviz.webapp import teaching as module

CLASSES = {"pet": ("cat", "dog"), "wheels": ("truck", "automobile"), "wings": ("bird", "airplane")}
NAMES = [name for names in CLASSES.values() for name in names]


def sample(name, source=None):
    return {"image": {"kind": "sample", "name": name}, "source": source or name}


def taught(classes=CLASSES, source=None):
    return [{"name": name, "images": [sample(one, source) for one in images]} for name, images in classes.items()]


def subject(model, name="frog"):
    return {"model": model, "image": {"kind": "sample", "name": name}}


@pytest.fixture
def api(tmp_path):
    with routes(data=str(tmp_path)) as api:
        yield api


@pytest.fixture(scope="module")
def features():
    """Features of the samples of all classes, from their pixels."""
    pixels = [to_tensor(preprocess(sample_paths()[name], (tiny.H, tiny.W)).model_input) for name in NAMES]
    return compute_features(tiny.checkpoint(), torch.stack(pixels))


LABELS = torch.tensor([0, 0, 1, 1, 2, 2])


def fitted(api, **request):
    return api.get("teaching/fit", model="tiny", **({"classes": taught()} | request))["model"]


def floats(text, *shape):
    return np.frombuffer(base64.b64decode(text), "<f4").reshape(shape)


def test_a_fitted_model_predicts_with_the_head_of_its_features(api, features):
    reply = api.get("explanations", subject=subject(fitted(api), "truck"))
    head = linear_probe.fit(features, LABELS)
    assert reply["classes"] == list(CLASSES)
    assert reply["probabilities"] == pytest.approx(head.logits(features[2]).softmax(-1).tolist(), abs=1e-5)
    target = api.get("explanations/contributions", subject=subject(fitted(api), "truck"), target=[2])
    assert target["logit"] == pytest.approx(float(head.logits(features[2])[2]), abs=1e-4)


@pytest.mark.parametrize("source", [None, "one recording"])
def test_images_are_held_out_by_source_or_else_one_by_one(api, features, source):
    found = api.get("teaching/validation", model=fitted(api, classes=taught(source=source)))
    groups = torch.arange(6) if source else linear_probe.group_copies(features, NAMES)
    wanted = linear_probe.cross_validate(features, LABELS, groups)
    assert floats(found["probabilities"], 6, 3) == pytest.approx(wanted.probabilities.numpy(), abs=1e-5, nan_ok=True)
    assert (found["correct"], found["total"]) == (wanted.correct, wanted.total)
    assert found["is_optimistic"] == (source is not None)
    assert found["groups"] == ([0] * 6 if source else groups.tolist())


def test_the_nearest_training_images_are_those_of_similar_features(api, features):
    found = api.get("teaching/neighbors", model=fitted(api), image={"kind": "sample", "name": "dog"})
    similarities = torch.nn.functional.cosine_similarity(features, features[1:2])
    assert found["images"] == similarities.argsort(descending=True)[:5].tolist()
    assert found["similarities"] == pytest.approx(similarities.sort(descending=True)[0][:5].tolist(), abs=1e-5)


def test_features_are_computed_once_per_image(api, monkeypatch):
    counts = []
    monkeypatch.setattr(
        module, "compute_features", lambda m, images: counts.append(len(images)) or compute_features(m, images)
    )
    first = fitted(api)
    more = CLASSES | {"wings": ("bird", "airplane", "ship")}
    assert fitted(api, classes=taught(more)) != first
    assert fitted(api) == first
    assert counts == [6, 1]


def test_an_opened_model_is_listed_and_saved_with_its_validation(api, tmp_path):
    model = fitted(api)
    names = [api.get("teaching/open", model=model, name="Mine")["info"]["name"] for _ in range(2)]
    assert names == ["taught: Mine", "taught: Mine 2"]
    listed = {one["name"]: one["classes"] for one in api.get("models")["models"]}
    assert listed["taught: Mine"] == listed["taught: Mine 2"] == 3
    assert not any(name.startswith("fitted/") for name in listed)
    file = tmp_path / "mine.safetensors"
    file.write_bytes(base64.b64decode(api.get("teaching/file", model=model)["src"].partition(",")[2]))
    probabilities = api.get("explanations", subject=subject(names[0]))["probabilities"]
    loaded = checkpoint.load(file)
    assert vitviz.explain(loaded, sample_paths()["frog"]).probabilities.tolist() == pytest.approx(
        probabilities, abs=1e-5
    )
    record = loaded.record["linear_probe"]
    validation = api.get("teaching/validation", model=model)
    assert record["images"] == dict.fromkeys(CLASSES, 2)
    assert record["cross_validation"]["correct"] == validation["correct"]


def test_a_set_is_saved_as_a_zip_of_classes(api, tmp_path):
    status, uploaded = api.upload(CAT)
    assert status == 200
    classes = taught({"a/b": ("dog", "frog"), "c": ("ship",)})
    classes[1]["images"].append({"image": {"kind": "upload", "id": uploaded["id"]}, "source": "x"})
    path = Path(api.get("teaching/set", model="tiny", classes=classes, name="My set")["path"])
    assert path == tmp_path / "My-set.zip"
    with zipfile.ZipFile(path) as archive:
        assert sorted(archive.namelist()) == ["a-b/0001.png", "a-b/0002.png", "c/0001.png", "c/0002.png"]
        assert archive.read("c/0002.png") == CAT
    assert image_folder.summarize(path, (32, 32)).classes == ("a-b", "c")


ONE = {"one": ("cat",)}
REFUSED = {
    "one class only": ("fit", {"classes": taught(ONE)}, "classes", "got 1"),
    "an empty class": ("fit", {"classes": taught(CLASSES | {"none": ()})}, "classes", "'none' has none"),
    "one image in two classes": ("fit", {"classes": taught(CLASSES | {"x": ("cat",)})}, "classes", "'pet' and 'x'"),
    "two classes of one name": ("fit", {"classes": taught() + taught(ONE) + taught(ONE)}, "classes", "'one'"),
    "a class without name": ("fit", {"classes": taught(CLASSES | {" ": ("ship",)})}, "classes", "' '"),
    "1,001 classes": ("fit", {"classes": [{"name": str(k), "images": []} for k in range(1001)]}, "classes", "1,001"),
    "too many images": (
        "fit",
        {"classes": taught(CLASSES | {"x": ("ship", "frog")})},
        "classes",
        "at most 7 images: got 8",
    ),
    "a missing image": ("fit", {"classes": taught(CLASSES | {"x": ("yeti",)})}, "subject.image", "'yeti'"),
    "a missing model": ("fit", {"model": "none"}, "model", "'none'"),
    "a fit that is gone": ("validation", {"model": "fitted/0123456789abcdef"}, "checkpoint", "not in memory"),
}


def test_what_cannot_be_taught_is_refused_and_what_was_taught_stays(api, monkeypatch, subtests):
    monkeypatch.setattr(module, "MAX_IMAGES", 7)
    before = fitted(api)
    for name, (route, change, field, words) in REFUSED.items():
        with subtests.test(name):
            request = {"model": "tiny", "classes": taught()} | change if route == "fit" else change
            refusal = api.refusal(f"teaching/{route}", **request)
            assert refusal["field"] == field
            assert words in refusal["error"]
            assert refusal["hint"] or name in ("1,001 classes", "a class without name", "a missing image")
    assert api.get("explanations", subject=subject(before))["classes"] == list(CLASSES)


def test_on_a_public_page_visitors_do_not_see_what_others_taught(tmp_path):
    with routes(data=str(tmp_path), public=True) as api:
        model = fitted(api)
        names = [api.get("teaching/open", model=model, name="Mine")["info"]["name"] for _ in range(2)]
        assert all(name.startswith("taught: Mine ") and len(name) == len("taught: Mine 01234567") for name in names)
        assert [one["name"] for one in api.get("models")["models"]] == list(checkpoint.bundled_checkpoints())
        assert api.get("explanations", subject=subject(names[0]))["classes"] == list(CLASSES)
        tests = [{"image": {"kind": "test", "index": k}, "source": str(k)} for k in range(201)]
        classes = [{"name": "a", "images": tests[:1]}, {"name": "b", "images": tests[1:]}]
        assert "at most 200 images: got 201" in api.refusal("teaching/fit", model="tiny", classes=classes)["error"]
        assert "public page" in api.refusal("teaching/set", model="tiny", classes=taught(), name="x")["error"]


def test_a_request_may_name_5000_images(tmp_path):
    image = {"kind": "upload", "id": "0" * 64, "crop": 0.5}
    classes = [{"name": "a", "images": [{"image": image, "source": "0" * 64}] * 5000}]
    with running(tmp_path) as client:
        status, reply = client.route("teaching/fit", {"model": "cifar10-ti4", "classes": classes})
        assert (status, reply["field"]) == (400, "classes")
        status, reply = client.route("models/facts", {"model": "x" * 2**16})
        assert status == 413
