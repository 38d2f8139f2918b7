"""The provenance of a view: its fields, what it does not name, and what is read from files."""

import getpass
import hashlib
import json
import os
import platform
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

import vitviz
from tests import tiny
from vitviz.attribution import provenance
from vitviz.attribution.provenance import Panel, Provenance
from vitviz.attribution.view import View
from vitviz.models import hub, weights
from vitviz.models.config import ConfigError
from vitviz.models.weights import weights_sha256
from vitviz.view import Ablation, Given, Sample, TestImage, Upload

PANEL = Panel(
    name="layer 1, head 2", rectangle=(0.1, 0.25, 1 / 3, 0.5), colormap="seq", limits=(0.0, 0.0123), sha256="0" * 64
)
SECRET = "secret-folder-of-alice"


@pytest.fixture(scope="module")
def explanation():
    return vitviz.explain(tiny.checkpoint(), tiny.pixels(40, 30))


def test_every_field_is_that_of_the_explanation(explanation):
    ablated = explanation.ablate(heads=[(2, 1)], patches=[3, 5], patch_mode="gray").ablate(heads=[(0, 0)], mode="mean")
    view = View("relevance", 2, 1, (4, 9), "to", (1, "class 3"), "map", True, 0.25, 7, False, True)
    found = provenance.provenance(ablated, view, (PANEL,))
    checkpoint = ablated.context.checkpoint
    assert found.vitviz == vitviz.__version__
    assert (found.model.name, found.model.repository, found.model.revision) == ("tiny", None, None)
    assert (found.model.sha256, found.model.files) == (weights_sha256(checkpoint.network), ())
    sha256 = hashlib.sha256(tiny.pixels(40, 30).tobytes()).hexdigest()
    assert found.image.model_dump() == {"sha256": sha256, "width": 30, "height": 40, "crop": 0.5}
    assert found.preprocessing.model_dump() == {
        "img_size": (20, 28),
        "mean": checkpoint.mean,
        "std": checkpoint.std,
        "interpolation": "lanczos",
        "crop_pct": 1.0,
        "crop_mode": "center",
    }
    assert (found.subject.model, found.subject.snapshot) == ("tiny", None)
    assert found.subject.image == Given(sha256=sha256, width=30, height=40)
    assert found.subject.ablations == (
        Ablation(heads=((2, 1),), patches=(3, 5), patch_mode="gray"),
        Ablation(heads=((0, 0),), mode="mean"),
    )
    shown = found.view
    assert (shown.content, shown.method, shown.target, shown.truth) == ("method", "relevance", (1, 3), 7)
    assert (shown.layer, shown.head, shown.query, shown.direction) == (2, 1, (4, 9), "to")
    assert (shown.scale, shown.smooth, shown.outlines, shown.pixels) == ("map", True, 0.25, True)
    assert "explanation = explanation.ablate(heads=[(2, 1)], patches=[3, 5], mode='zero'" in found.code
    assert found.panels == (PANEL,)


def test_defaults_and_other_contents(explanation):
    shown = provenance.provenance(explanation, View()).view
    assert (shown.content, shown.layer, shown.head, shown.target, shown.other) == (
        "attention",
        "mean",
        "mean",
        (),
        None,
    )
    other = vitviz.explain(tiny.checkpoint(), tiny.pixels(seed=1))
    found = provenance.provenance(explanation, View(target=2), (), "patching", other)
    assert (found.view.content, found.view.target, found.view.other) == ("patching", (2,), other.origin)
    assert provenance.provenance(explanation, View(layer=1), (), "features").view.content == "features"


def test_the_image_is_that_of_the_source(tmp_path):
    model, pixels = tiny.checkpoint(), Image.fromarray(tiny.pixels(60, 40))
    path = tmp_path / "upright.png"
    pixels.save(path)
    of_file = vitviz.explain(model, path, crop=0.25)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert of_file.origin == Given(sha256=digest, width=40, height=60, crop=0.25, name="upright.png")
    assert of_file.image.sha256 == vitviz.explain(model, str(path)).image.sha256 == digest
    turned = pixels.transpose(Image.Transpose.ROTATE_90)
    exif = turned.getexif()
    exif[0x0112] = 6  # turn by 90 degrees clockwise
    turned.save(path, exif=exif)
    image = vitviz.explain(model, path).image
    assert (image.width, image.height) == (40, 60)
    in_memory = vitviz.explain(model, pixels).image
    assert in_memory.sha256 == vitviz.explain(model, np.asarray(pixels)).image.sha256
    assert in_memory.sha256 == hashlib.sha256(pixels.tobytes()).hexdigest()
    changed = tiny.pixels(60, 40)
    changed[59, 39, 2] ^= 1
    assert vitviz.explain(model, changed).image.sha256 != in_memory.sha256


def test_shipped_and_test_images_are_named(cifar_folder, monkeypatch):
    model = tiny.checkpoint()
    assert vitviz.explain(model, "cat").origin == Sample(name="cat")
    monkeypatch.setenv("VITVIZ_DATA", str(cifar_folder))
    with pytest.warns(UserWarning, match="differs"):
        assert vitviz.explain(model, "cifar:17").origin == TestImage(index=17)


def test_the_weights_are_hashed_when_provenance_is_needed(explanation, monkeypatch):
    calls = []
    monkeypatch.setattr(weights, "hash_tensors", lambda network: calls.append(network) or "0" * 64)
    fresh = vitviz.explain(tiny.checkpoint(seed=1), tiny.pixels())
    _ = fresh.attention, fresh.map("average")
    assert not calls
    for _ in range(2):
        provenance.provenance(fresh, View())
    assert len(calls) == 1


def test_nothing_private_is_named(tmp_path, tiny_bytes, monkeypatch):
    folder = tmp_path / SECRET / getpass.getuser()
    folder.mkdir(parents=True)
    (folder / "weights-of-mine.safetensors").write_bytes(tiny_bytes)
    Image.fromarray(tiny.pixels()).save(folder / "passport-of-alice.png")
    monkeypatch.setenv("VITVIZ_PLANTED", "planted-value")
    monkeypatch.chdir(folder)
    for name in (folder / "weights-of-mine.safetensors", "weights-of-mine.safetensors"):
        given = vitviz.explain(hub.load(name), str(folder / "passport-of-alice.png"))
        upload = replace(given, origin=Upload(id=given.image.sha256, name="passport-of-alice.png"))
        for one in (given, upload):
            found = provenance.provenance(one, View(), (), "patching", given)
            text = found.to_json()
            assert "vitviz.load('weights-of-mine.safetensors')" in found.code
            assert found.subject.model == found.model.files[0].name == "weights-of-mine.safetensors"
            private = (SECRET, "passport", "alice", "planted", str(tmp_path), os.getcwd(), platform.node())
            assert [word for word in private if word in text] == []
            assert not text.count("/")


def test_models_of_the_hub_have_their_revision(explanation):
    source = {"repository": "owner/name", "revision": "0123abc", "family": "ViT"}
    checkpoint = replace(explanation.context.checkpoint, record={"source": source})
    context = explanation.context
    monkey = replace(explanation, context=type(context)(checkpoint, context.image))
    found = provenance.provenance(monkey, View())
    assert (found.model.repository, found.model.revision) == ("owner/name", "0123abc")
    assert found.subject.model == "hf:owner/name@0123abc"
    assert "vitviz.load('hf:owner/name@0123abc')" in found.code


def test_json_is_ascii_and_equals_what_it_is_read_from(explanation):
    named = replace(explanation.context.checkpoint, name="模型 <é>")
    found = provenance.provenance(
        replace(explanation, context=type(explanation.context)(named, explanation.context.image)), View(), (PANEL,)
    )
    assert found.to_json().isascii()
    assert Provenance(**json.loads(found.to_json())) == found
    with pytest.raises(ConfigError):
        Provenance(**json.loads(found.to_json()), other=1)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"self": 1}, "self"),
        ({"panels": [{"name": "x"}]}, "panels.0.rectangle"),
        ({"vitviz": 7}, "vitviz"),
        ({"vitviz": "\ud800"}, "vitviz"),
        ({"image": None}, "image"),
        ({"image": {"sha256": "x" * 64, "width": 1, "height": 1, "crop": 0.5}}, "image.sha256"),
        ({"subject": {"model": "x", "image": {"kind": "path", "path": "/etc"}}}, "subject.image"),
        ({"view": {"layer": 10**400}}, None),
        ({"view": {"outlines": float("nan")}}, "view.outlines"),
        ({"code": ["x"]}, "code"),
    ],
)
def test_an_invalid_field_is_named(explanation, change, field, tmp_path):
    text = json.dumps(json.loads(provenance.provenance(explanation, View()).to_json()) | change)
    path = tmp_path / "x.csv"
    path.write_bytes(b"# vitviz: " + text.encode() + b"\n")
    if field is None:
        assert provenance.read(path).view.layer == 10**400
    else:
        with pytest.raises(ConfigError) as refusal:
            provenance.read(path)
        assert refusal.value.field == field


@pytest.mark.parametrize("text", ["", "{", "[]", "1", "null", "[" * 100_000, "9" * 10_000, "{}"])
def test_what_is_no_object_is_refused(text, tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b"# vitviz: " + text.encode() + b"\n")
    with pytest.raises(ValueError, match=r"\.$"):
        provenance.read(path)


def test_the_module_imports_neither_torch_nor_matplotlib():
    program = (
        "import sys, vitviz.attribution.provenance; assert not {'torch', 'matplotlib', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
