"""The provenance of a view: its fields, what it does not name, and what is read from files."""

import base64
import getpass
import hashlib
import io
import json
import os
import platform
import subprocess
import sys
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from PIL import Image

import vitviz
from tests import tiny
from vitviz.attribution import provenance
from vitviz.attribution.provenance import Panel, Provenance
from vitviz.errors import ConfigError
from vitviz.models import hub, weights
from vitviz.models.weights import weights_sha256
from vitviz.view import Ablation, Given, Sample, TestImage, Upload, View

PANEL = Panel(
    name="layer 1, head 2", rectangle=(0.1, 0.25, 1 / 3, 0.5), colormap="seq", limits=(0.0, 0.0123), sha256="0" * 64
)
SECRET = "secret-folder-of-alice"


@pytest.fixture(scope="module")
def explanation():
    return vitviz.explain(tiny.checkpoint(), tiny.pixels(40, 30))


def test_every_field_is_that_of_the_explanation(explanation):
    ablated = explanation.ablate(heads=[(2, 1)], patches=[3, 5], patch_mode="gray").ablate(heads=[(0, 0)], mode="mean")
    view = View(content="method", method="relevance", query=(4, 9), direction="to", target=(1, 3), smooth=True)
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
    assert found.view == view
    assert "explanation = explanation.ablate(heads=[(2, 1)], patches=[3, 5], mode='zero'" in found.code
    assert found.panels == (PANEL,)


def test_the_second_image_of_patching_is_named(explanation):
    other = vitviz.explain(tiny.checkpoint(), tiny.pixels(seed=1))
    found = provenance.provenance(explanation, View(content="patching", target=(2,)), other=other)
    assert found.view == View(content="patching", target=(2,), other=other.origin)


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
            found = provenance.provenance(one, View(content="patching"), (), given)
            text = found.to_json()
            assert "vitviz.load('weights-of-mine.safetensors')" in found.code
            assert found.subject.model == found.model.files[0].name == "weights-of-mine.safetensors"
            private = (SECRET, "passport", "alice", "planted", str(tmp_path), os.getcwd(), platform.node())
            assert [word for word in private if word in text] == []
            assert not text.count("/")


def test_models_of_the_hub_have_their_revision(explanation):
    pretrained = {"repository": "owner/name", "revision": "0123abc", "family": "ViT"}
    checkpoint = replace(explanation.context.checkpoint, record={"pretrained": pretrained})
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


# Files


@pytest.fixture
def save(tmp_path, explanation):
    def write(ending: str):
        return explanation.save(tmp_path / f"map{ending}", layer=2, head=1, scale="map")

    return write


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf", ".npz", ".csv", ".html"])
def test_a_saved_file_carries_the_provenance_of_its_view(ending, save, explanation):
    found = provenance.read(save(ending))
    view = View(layer=2, head=1, scale="map")
    assert found == provenance.provenance(explanation, view, found.panels, numbers=bool(found.panels))
    is_drawn = ending in (".png", ".svg", ".pdf")
    assert [panel.name for panel in found.panels] == ["image", "map", "heads"] * is_drawn


def test_panels_have_the_limits_and_colors_of_the_figure(save, explanation):
    image, shown, heads = provenance.read(save(".png")).panels
    values = explanation.attention_map(2, 1)
    assert (image.colormap, image.limits) == (None, None)
    assert (shown.colormap, heads.colormap) == ("seq", "seq")
    np.testing.assert_allclose(shown.limits, (values.min(), values.max()), rtol=1e-6)
    signed = explanation.save(save(".png"), method="balanced_gradients", target=3)
    shown = provenance.read(signed).panels[1]
    assert shown.colormap == "div"
    assert shown.limits[0] == -shown.limits[1] < 0


def test_the_pixels_of_a_png_are_those_in_the_rectangles(save):
    path = save(".png")
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("RGBA"))
    height, width = pixels.shape[:2]
    for panel in provenance.read(path).panels:
        left, top, right, bottom = panel.rectangle
        rows, columns = (
            slice(round(top * height), round(bottom * height)),
            slice(round(left * width), round(right * width)),
        )
        part = pixels[rows, columns].copy()
        assert hashlib.sha256(part.tobytes()).hexdigest() == panel.sha256
        part[0, 0, 0] ^= 1
        assert hashlib.sha256(part.tobytes()).hexdigest() != panel.sha256
        border = np.concatenate([pixels[rows.start - 6, columns], pixels[rows, columns.start - 6]])
        inside = pixels[rows, columns][8:-8, 8:-8].reshape(-1, 4)
        assert len(np.unique(inside, axis=0)) > 20 > len(np.unique(border, axis=0))


def test_the_pixels_of_an_svg_are_those_of_its_images(save):
    path = save(".svg")
    images = {}
    for element in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}image"):
        data = base64.b64decode(element.get("{http://www.w3.org/1999/xlink}href").partition(",")[2])
        images[element.get("id")] = Image.open(io.BytesIO(data)).convert("RGBA")
    for panel in provenance.read(path).panels:
        assert hashlib.sha256(images[panel.name].tobytes()).hexdigest() == panel.sha256
        images[panel.name].putpixel((0, 0), (1, 2, 3, 255))
        assert hashlib.sha256(images[panel.name].tobytes()).hexdigest() != panel.sha256
    assert {panel.sha256 for panel in provenance.read(save(".pdf")).panels} == {None}


def test_equal_figures_are_equal_files_and_provenance_changes_no_number(save, explanation, tmp_path):
    for ending in (".png", ".svg", ".pdf", ".csv"):
        first = save(ending).read_bytes()
        assert save(ending).read_bytes() == first
    with np.load(save(".npz")) as found:
        assert str(found["provenance"]) == provenance.read(save(".npz")).to_json()
        np.testing.assert_array_equal(found["map"], explanation.attention_map(2, 1))


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf", ".npz"])
def test_a_file_of_probes_names_model_and_images(tmp_path, ending):
    model, images = tiny.checkpoint(), torch.randint(256, (3, 3, *tiny.CONFIG.img_size), dtype=torch.uint8)
    probes = vitviz.probe(model, images)
    found = provenance.read(probes.save(tmp_path / f"probes{ending}"))
    assert found.model.sha256 == weights_sha256(model.network)
    assert found.probed.count == 3
    assert found.probed.sha256 == hashlib.sha256(images.numpy().tobytes()).hexdigest()
    assert found.model_copy(update={"panels": (), "numbers": {}}) == probes.provenance
    assert bool(found.numbers) == (ending != ".npz")
    scope = {"images": images}
    exec(found.code.replace("images = ...", "").replace("vitviz.load('tiny')", "model"), scope | {"model": model})
