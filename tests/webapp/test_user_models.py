"""Models opened by name on the page: the cache of the Hub, files and folders; none on a public page."""

import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import huggingface_hub
import numpy as np
import pytest
import timm
import torch

import vitviz
from benchmarks.page import unused_port
from tests import tiny
from tests.errors import refuses
from tests.models import families
from tests.webapp.api import routes
from tests.webapp.serving import catalog_of
from vitviz.data.preprocessing import sample_paths
from vitviz.environment import make_environment
from vitviz.errors import CheckpointError
from vitviz.models import checkpoint, downloads, hub, hub_cache, image_processor
from vitviz.webapp.app import build_app
from vitviz.webapp.model_info import describe_model, facts
from vitviz.webapp.models import load_model
from vitviz.webapp.user_models import MAX_LOADED, ModelOpener, UserModels

REVISION = "0123456789abcdef" + "0" * 24
CAT = {"kind": "sample", "name": "cat"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder as timm saves it, of a ViT with five classes."""
    path = tmp_path_factory.mktemp("models") / "tiny-vit"
    families.save("timm ViT", families.build("timm ViT", dtype=torch.float32), path)
    return path


@pytest.fixture
def cache(tmp_path, monkeypatch, folder):
    """A cache of the Hub without network: a ViT, an unfinished download, and a model of another family."""
    for constants in (huggingface_hub.constants, huggingface_hub.file_download.constants):
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    for name in ("timm--vit_tiny", "google--vit-half", "microsoft--resnet"):
        snapshot = tmp_path / f"models--{name}" / "snapshots" / REVISION
        shutil.copytree(folder, snapshot)
        (snapshot / "README.md").write_text("---\nlicense: mit\n---\n")
        (tmp_path / f"models--{name}" / "refs").mkdir()
        (tmp_path / f"models--{name}" / "refs" / "main").write_text(REVISION)
    (tmp_path / "models--google--vit-half" / "snapshots" / REVISION / "model.safetensors").unlink()
    config = tmp_path / "models--microsoft--resnet" / "snapshots" / REVISION / "config.json"
    config.write_text('{"model_type": "resnet"}')
    return tmp_path


@pytest.fixture
def client(tmp_path):
    with routes(data=str(tmp_path / "missing")) as client:
        client.backend.inputs.opener.models.requested.clear()
        yield client


@pytest.fixture
def opener(client):
    return client.backend.inputs.opener


def wait(opener: ModelOpener) -> ModelOpener:
    opener.thread.join(60)
    assert not opener.thread.is_alive()
    return opener


def test_the_cache_lists_complete_models_of_known_families(cache, client):
    found = client.get("models/hub")
    assert found["cache"] == str(cache)
    [model] = found["models"]
    size = (cache / "models--timm--vit_tiny" / "snapshots" / REVISION / "model.safetensors").stat().st_size
    assert model == {"name": "timm:vit_tiny", "family": "ViT", "bytes": size, "classes": families.K}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"architecture": "vit_tiny", "num_classes": 0}, 0),
        ({"architecture": "vit_tiny"}, None),
        ({"architectures": ["ViTForImageClassification"], "id2label": {"0": "a", "1": "b"}}, 2),
        ({"architectures": ["ViTForImageClassification"]}, None),
        ({"architectures": ["Dinov2Model"], "id2label": {"0": "a"}}, 0),
    ],
)
def test_the_number_of_classes_is_read_from_the_config(config, expected):
    assert hub_cache.count_classes(config) == expected


def test_a_model_of_the_cache_is_opened_explained_and_described(cache, client, opener):
    client.get("models/open", action="start", name=" timm:vit_tiny ")
    state = wait(opener).state
    assert (state.phase, state.name) == ("ready", "timm:vit_tiny")
    info = client.get("models")["models"][-1]
    assert (info["name"], info["family"], info["classes"], info["layers"]) == ("timm:vit_tiny", "ViT", 5, 2)
    reply = client.get("explanations", subject={"model": "timm:vit_tiny", "image": CAT})
    assert reply["model"] == "timm:vit_tiny"
    known = dict(client.get("models/facts", model="timm:vit_tiny")["facts"])
    assert (known["Revision"], known["License"], known["Family"]) == (REVISION, "mit", "ViT · timm")
    assert known["Size"].startswith(f"{info['parameters']:,} parameters · ")
    assert "5: class 0, class 1" in known["Classes"]


def test_a_folder_and_a_file_get_short_names_and_are_opened_once(folder, tmp_path):
    opened = UserModels()
    assert opened.open(str(folder)) == "tiny-vit"
    assert opened.open(f"{folder}/../tiny-vit") == "tiny-vit"
    path = tmp_path / "other" / "tiny-vit.safetensors"
    path.parent.mkdir()
    checkpoint.save(tiny.checkpoint(), path)
    assert opened.open(str(path)) == "tiny-vit 2"
    assert opened.open("cifar10-ti4") == "cifar10-ti4"
    assert list(opened.requested) == ["tiny-vit", "tiny-vit 2"]
    assert opened.sizes["tiny-vit 2"] == path.stat().st_size
    assert load_model("tiny-vit 2", None, opened).labels == tiny.checkpoint().labels


def test_a_model_at_another_input_size_is_a_model_of_its_own(folder, client, opener):
    for requested, name, size in [
        (f"{folder}@64px", "tiny-vit@64px", (64, 64)),
        ("cifar10-ti4@16x32px", None, (16, 32)),
    ]:
        client.get("models/open", action="start", name=requested)
        assert wait(opener).state.name == (name or requested)
        assert opener.models.get(name or requested).config.img_size == size
    reply = client.get("explanations", subject={"model": "tiny-vit@64px", "image": CAT})
    assert reply["model"] == "tiny-vit@64px"
    sizes = dict(client.get("models/facts", model="tiny-vit@64px")["sizes"])
    assert sizes[f"{folder}@128px"].startswith("128 × 128 px: 257 tokens, 2 MB of attention")
    assert "cifar10-ti4@64px" in dict(client.get("models/facts", model="cifar10-ti4")["sizes"])


def test_models_that_are_not_used_leave_the_memory_and_come_back(folder, tmp_path):
    opened = UserModels()
    names = []
    for number in range(MAX_LOADED + 1):
        path = tmp_path / f"model{number}.safetensors"
        checkpoint.save(tiny.checkpoint(seed=number), path)
        names.append(opened.open(str(path)))
    assert list(opened.loaded) == names[1:]
    assert [opened.must_load(name) for name in names[:2]] == [True, False]
    assert opened.get(names[0]).name == names[0]
    assert names[1] not in opened.loaded


@pytest.mark.parametrize("is_evicted", [False, True])
@pytest.mark.parametrize("is_folder", [False, True])
def test_a_model_opened_again_after_it_was_overwritten_is_the_new_one(folder, tmp_path, is_folder, is_evicted):
    opened, path = UserModels(), tmp_path / "model"
    if is_folder:
        shutil.copytree(folder, path)
        weights = path / "model.safetensors"
    else:
        weights = path = path.with_suffix(".safetensors")
        checkpoint.save(tiny.checkpoint(), path)
    name = opened.open(str(path))
    old = opened.get(name)
    assert opened.open(str(path)) == name
    assert opened.get(name) is old, "it is not loaded twice"
    if is_folder:
        shutil.rmtree(path)
        other = families.build("timm ViT", dtype=torch.float32)
        torch.nn.init.ones_(other.head.bias)
        families.save("timm ViT", other, path)  # of the same size
    else:
        checkpoint.save(tiny.checkpoint(replace(tiny.CONFIG, depth=2)), path)
    if is_evicted:
        opened.loaded = {}
    assert opened.open(str(path)) == name
    new = opened.get(name)
    assert opened.open(str(path)) == name
    assert opened.get(name) is new
    assert sum(map(torch.sum, new.network.parameters())) != sum(map(torch.sum, old.network.parameters()))
    assert opened.infos[name]["layers"] == new.config.depth
    assert opened.sizes[name] == weights.stat().st_size
    assert list(opened.requested) == list(opened.loaded) == [name]


def test_a_model_in_memory_does_not_wait_for_another_that_is_loaded(tmp_path, monkeypatch):
    opened, started, ready = UserModels(), threading.Event(), threading.Event()
    paths = [tmp_path / f"model{number}.safetensors" for number in range(3)]
    for number, path in enumerate(paths):
        checkpoint.save(tiny.checkpoint(seed=number), path)
    first, second = (opened.open(str(path)) for path in paths[:2])

    def slow(source):
        started.set()
        assert ready.wait(60)
        return hub.load(source)

    monkeypatch.setattr("vitviz.webapp.user_models.load", slow)
    with ThreadPoolExecutor(2) as pool:
        try:
            third = pool.submit(opened.open, str(paths[2]))
            assert started.wait(60)
            assert pool.submit(opened.get, first).result(60) is opened.loaded[first]
        finally:
            ready.set()
        assert [first, third.result()] == list(opened.loaded), "the least recently used one is replaced"
        assert opened.get(second).name == second


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("nope", "Checkpoint 'nope' not found. Use a bundled one (cifar10-ti4, cifar10-ti9) or a .safetensors file."),
        (
            "hf:google",
            "A model on the Hub must be timm:NAME or hf:OWNER/NAME, or either with @REVISION: got 'hf:google'",
        ),
        ("timm:vit_none", "config.json of timm/vit_none must be in the cache without a network"),
        ("hf:microsoft/resnet", "The model must be a plain ViT: resnet is of the family resnet (convnet)"),
    ],
)
def test_what_cannot_be_opened_is_refused_with_the_sentence_of_the_loader(
    cache, client, opener, monkeypatch, source, sentence
):
    def fetch(self, name, canceled):
        downloads.fetch(name)

    monkeypatch.setattr(ModelOpener, "fetch", fetch)  # in this process, where there is no network
    client.get("models/open", action="start", name=source)
    state = wait(opener).state
    assert state.phase == "failed"
    assert sentence in state.message
    assert not opener.models.requested


@pytest.mark.parametrize("source", ["", " ", "x" * 1001])
def test_an_empty_or_endless_name_is_refused(client, source):
    assert client.refusal("models/open", action="start", name=source)["error"]


class FakeDownload:
    """A download that reports once and then waits until it is released or canceled."""

    def __init__(self, name):
        self.name, self.is_canceled = name, False
        self.started, self.released = threading.Event(), threading.Event()
        FakeDownload.latest = self

    def wait(self, report):
        report(10, 100)
        self.started.set()
        self.released.wait(60)

    def cancel(self):
        self.is_canceled = True
        self.released.set()


@pytest.fixture
def download(monkeypatch, client, folder):
    """A download in progress on the page."""
    ready = threading.Event()
    monkeypatch.setattr("vitviz.webapp.user_models.HubDownload", lambda name: (FakeDownload(name), ready.set())[0])
    monkeypatch.setattr(hub_cache, "is_cached", lambda name: False)
    monkeypatch.setattr("vitviz.webapp.user_models.load", lambda source: hub.load(folder))
    monkeypatch.setattr("vitviz.webapp.user_models.file_states", lambda source: ((0, 1),))
    client.get("models/open", action="start", name="timm:vit_tiny")
    assert ready.wait(60)
    assert FakeDownload.latest.started.wait(60)
    return FakeDownload.latest


def test_a_download_reports_its_progress_while_other_models_are_explained(client, opener, download):
    state = client.get("models/open", action="state")
    assert (state["phase"], state["done"], state["total"]) == ("downloading", 10, 100)
    reply = client.get("explanations", subject={"model": "cifar10-ti4", "image": CAT})
    assert reply["model"] == "cifar10-ti4"
    download.released.set()
    assert wait(opener).state.phase == "ready"


def test_a_download_is_canceled(client, opener, download):
    client.get("models/open", action="cancel")
    state = wait(opener).state
    assert (state.phase, opener.models.requested) == ("canceled", {})


def test_opening_another_model_replaces_the_download(client, opener, download, folder):
    client.get("models/open", action="start", name=str(folder))
    assert download.is_canceled
    assert wait(opener).state.name == "tiny-vit"


def test_a_cancellation_before_the_download_has_started_is_not_lost(client, opener, monkeypatch):
    created = threading.Event()

    def cancel_meanwhile(name):
        opener.cancel()  # as from another thread
        created.set()
        return FakeDownload(name)

    monkeypatch.setattr("vitviz.webapp.user_models.HubDownload", cancel_meanwhile)
    monkeypatch.setattr(hub_cache, "is_cached", lambda name: False)
    client.get("models/open", action="start", name="timm:vit_tiny")
    assert created.wait(60)
    assert wait(opener).state.phase == "canceled"
    assert FakeDownload.latest.is_canceled


def test_the_child_process_reports_why_it_failed():
    reports = []
    with pytest.raises(
        CheckpointError,
        match=r"A model on the Hub must be timm:NAME or hf:OWNER/NAME, or either with @REVISION: got 'hf:x'",
    ):
        hub_cache.HubDownload("hf:x").wait(lambda *step: reports.append(step))
    assert not reports


def test_the_child_process_prints_the_progress_of_each_file(monkeypatch, capsys):
    def fetch(name, progress):
        bar = progress(total=300, initial=100, unit="B")
        bar.update(50)
        bar.close()

    monkeypatch.setattr(downloads, "fetch", fetch)
    monkeypatch.setattr(hub_cache, "sys", SimpleNamespace(argv=["", "timm:x"], exit=pytest.fail))
    hub_cache.main()
    assert capsys.readouterr().out == '{"done": 150, "total": 300}\n'


def test_the_page_opens_with_the_model_it_was_started_with(folder):
    catalog = catalog_of(build_app(checkpoint=str(folder)))
    assert [model["name"] for model in catalog["models"]] == ["tiny-vit", *checkpoint.bundled_checkpoints()]


def test_a_public_page_neither_lists_nor_opens_models(cache, tmp_path):
    with routes(public=True) as client:
        for path, request in (("models/open", {"action": "start", "name": "timm:vit_tiny"}), ("models/hub", {})):
            assert "cannot be opened on a public page" in client.refusal(path, **request)["error"]
        assert client.backend.inputs.opener.thread is None
        for name in ("timm:vit_tiny", str(tmp_path), "hf:timm/vit_tiny"):
            assert "not found" in client.refusal("explanations", subject={"model": name, "image": CAT})["error"]


def test_facts_name_preprocessing_tokens_and_training():
    model = replace(tiny.checkpoint(replace(tiny.CONFIG, reg_tokens=2)), record={"test_accuracy": 0.5, "epochs": 3})
    known = dict(facts(model, 2_000_000))
    assert known["Tokens"] == "5 × 7 patches of 4 px, class token, 2 registers"
    assert known["Preprocessing"] == "cropped to 28:20, resized to 28 × 20 px (lanczos)"
    assert known["Normalization"] == "mean 0.5, 0.4, 0.3; std 0.2, 0.25, 0.3"
    assert known["Training"] == "3 epochs, test accuracy 50.0 %"
    assert known["Size"].endswith("parameters · 2.0 MB")
    assert "License" not in known
    assert "Note" not in known
    assert model.credit == ""


def test_facts_say_what_was_assumed_of_a_module():
    module = families.build("timm ViT", dtype=torch.float32)
    module.pretrained_cfg = {}
    found = hub.load(module)
    assert dict(facts(found))["Note"] == "; ".join(found.notes) == image_processor.ASSUMED
    assert "Note" not in dict(facts(hub.load(module, mean=(0.5, 0.5, 0.5), std=(0.2, 0.2, 0.2))))


def test_a_model_without_head_says_so():
    model = tiny.checkpoint(replace(tiny.CONFIG, num_classes=0))
    assert dict(facts(model))["Classes"] == "none: it has no classification head"


def test_the_credit_names_source_and_license():
    pretrained = {"library": "timm", "family": "ViT", "repository": "timm/vit", "revision": REVISION, "license": "mit"}
    assert replace(tiny.checkpoint(), record={"pretrained": pretrained}).credit == (
        "Weights: timm/vit at 01234567, license mit."
    )
    pretrained = {"library": "timm", "family": "ViT"}
    assert (
        replace(tiny.checkpoint(), record={"pretrained": pretrained}).credit == "Weights: timm ViT, license not stated."
    )


def test_the_source_of_a_model_of_others_is_in_the_list_of_models():
    pretrained = {"library": "timm", "family": "ViT", "repository": "timm/vit", "revision": REVISION}
    assert (
        describe_model(replace(tiny.checkpoint(), record={"pretrained": pretrained}))["pretrained"]
        == "timm/vit at 01234567"
    )
    assert describe_model(tiny.checkpoint())["pretrained"] == ""


def test_models_in_memory_are_offered_and_come_first():
    module = timm.models.VisionTransformer(img_size=32, patch_size=8, embed_dim=32, depth=2, num_heads=2, num_classes=3)
    with routes(models={"mine": module, "second": tiny.checkpoint()}) as client:
        names = [model["name"] for model in client.get("models")["models"]]
        assert (names[0], "second" in names) == ("mine", True)
        found = client.get("explanations", subject={"model": "mine", "image": CAT})["probabilities"]
    expected = vitviz.explain(module, sample_paths()["cat"]).probabilities
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("name", ["", "cifar10-ti4", "a\nb"])
def test_a_model_in_memory_needs_a_name_of_its_own(name):
    with refuses("models"):
        UserModels().add_given(tiny.checkpoint(), name)


def test_a_public_page_has_no_models_in_memory():
    with refuses("models"):
        build_app(public=True, models={"mine": tiny.checkpoint()})


@pytest.mark.slow
def test_the_page_opens_with_a_model_of_the_program(tmp_path):
    code = """
import json, urllib.request, vitviz
url = vitviz.app({"mine": vitviz.load("cifar10-ti4")}, port=PORT, block=False)
request = urllib.request.Request(f"{url}vitviz/api/models", b"{}", {"Content-Type": "application/json"})
print(json.load(urllib.request.urlopen(request))["models"][0]["name"])
"""
    environment = make_environment({"GRADIO_TEMP_DIR": str(tmp_path)})
    code = code.replace("PORT", str(unused_port()))
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "mine"
