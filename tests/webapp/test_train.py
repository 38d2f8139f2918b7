"""Server functions of the Train page: the form, polling, runs, timelines and datasets."""

import base64
import errno
import json
import re
import shutil
import zipfile
from dataclasses import asdict, replace
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from tests.webapp import runs
from tests.webapp.test_figures import VIEW
from vitviz.models import checkpoint
from vitviz.runs import run_folder, timeline
from vitviz.training import estimate
from vitviz.training.estimate import Estimate
from vitviz.training.presets import PRESETS, TEACHERS
from vitviz.webapp.models import load_model
from vitviz.webapp.pages import train
from vitviz.webapp.pages.explore import Explore
from vitviz.webapp.pages.form_errors import LABELS, with_labels
from vitviz.webapp.pages.presets import CONFIG_FIELDS, FORM_FIELDS, HYPERPARAMETERS
from vitviz.webapp.pages.train import Train
from vitviz.webapp.server.requests import error_response

IN_CODE = re.compile(r"[a-z]_[a-z]|model\.|--|\bNone\b|NAME=")  # names in the code, options, Python
TI4 = {"preset": "cifar10-ti4", "settings": {}, "name": "new"}


@pytest.fixture
def page(tmp_path):
    return Train(str(tmp_path / "data"), tmp_path / "runs")


@pytest.fixture
def run(page):
    return runs.make(page.runs.root, "first")


def refusal(function, data):
    """Return the error sentence of a request."""
    return error_response(function)(data)["error"]


def test_the_catalog_summarizes_each_preset(page):
    catalog = page.catalog()
    assert [preset["name"] for preset in catalog["presets"]] == list(PRESETS)
    first = catalog["presets"][0]
    assert (first["parameters"], first["tokens"], first["grid"]) == (1803850, 65, [8, 8])
    assert set(first["settings"]) == CONFIG_FIELDS
    (bundled,) = catalog["sources"]
    assert bundled["name"] == "cifar10-ti4"
    assert bundled["distilled"] is bool(checkpoint.load("cifar10-ti4").record["teacher"])
    json.dumps(catalog, allow_nan=False)


def test_every_hyperparameter_of_the_form_is_a_config_field(page):
    values = {preset["name"]: preset["settings"] for preset in page.catalog()["presets"]}
    for name in HYPERPARAMETERS:
        preset = "cifar10-ti4" if name != "model.pos_drop_rate" else "tutorial-notebook"
        settings = {name: values[preset][name]}
        assert "refused" not in page.check(TI4 | {"preset": preset, "settings": settings}), name


def test_the_summary_follows_the_settings(page):
    summary = page.check(TI4 | {"settings": {"model.patch_size": 8, "model.depth": 2, "epochs": 3}})
    assert (summary["tokens"], summary["grid"]) == (17, [4, 4])
    assert summary["parameters"] < 1_000_000


@pytest.mark.parametrize(
    ("data", "field", "sentence"),
    [
        (
            {"settings": {"model.patch_size": 5}},
            "model.patch_size",
            "Patch size must divide the image size: 32 is not a multiple of 5. Use 1, 2, 4",
        ),
        (
            {"settings": {"model.num_heads": 5}},
            "model.num_heads",
            "Heads must divide Embedding width: 192 is not a multiple of 5. Use 4 or 6.",
        ),
        ({"init_from": "cifar10-ti4", "vary": ["model.depth=2,4"]}, "vary", "when fine-tuning: got Layers. Remove it"),
        ({"settings": {"model.pos_drop_rate": 0.5}}, "model.pos_drop_rate", "only supported by the tutorial networks"),
        ({"settings": {"model.mlp_ratio": 0.001}}, "model.mlp_ratio", "must give at least 1 MLP channel"),
        ({"settings": {"batch_size": 1}}, "batch_size", "Batch size must be an integer from 2 to 65536: got 1."),
        (
            {"settings": {"batch_size": 60000, "max_train_samples": 50}},
            "batch_size",
            "Batch size must be at most Training subset: 60000 is above 50. Lower Batch size",
        ),
        ({"settings": {"cutmix_prob": 2}}, "cutmix_prob", "CutMix must be a number from 0 to 1: got 2."),
        ({"settings": {"cutmix_prob": 0.6, "mixup_prob": 0.6}}, "mixup_prob", "Mixup and CutMix must sum to at most 1"),
        (
            {"settings": {"epochs": "ten"}},
            "epochs",
            "Budget must be a number above 0 and below 1,000,000,000: got ten.",
        ),
        ({"settings": {"epochs": 1, "minutes": 1}}, "epochs", "Budget must be one number, of epochs or of minutes."),
        (
            {"settings": {"model.embed_dim": 4096, "model.num_heads": 8, "model.depth": 9}},
            "model.embed_dim",
            "at most 67 million parameters",
        ),
        ({"settings": {"freeze_backbone": True}}, "freeze_backbone", "Freeze backbone needs initial weights."),
        ({"settings": {"dataset": "folder"}, "image_folder": "../x"}, "image_folder", "Image folder '../x' not found"),
        ({"settings": {"dataset": "folder"}}, "image_folder", "Folder must be a string"),
        ({"init_from": "../x"}, "init_from", "Checkpoint '../x' not found"),
        ({"init_from": 3}, "init_from", "Initial weights must be a string"),
        (
            {"name": "a/b"},
            "name",
            "Name must have 1 to 64 letters of A to Z, digits, -, _ or ., and not start with a dot: got 'a/b'. Use",
        ),
        ({"name": "first"}, "name", "Name must be new: there is already a run first. Choose another name."),
        ({"name": 3}, "name", "Name must be a string"),
        ({"preset": "cifar11"}, None, "preset must be one of"),
        ({"settings": {"output_dir": "/etc"}}, None, "form fields only: got 'output_dir'"),
        ({"settings": {"data": "/etc"}}, None, "form fields only: got 'data'"),
        ({"settings": {"init_from": "/etc/x.safetensors"}}, None, "form fields only: got 'init_from'"),
        ({"settings": []}, None, "settings must be an object"),
    ],
)
def test_an_invalid_form_is_refused_at_its_field(page, run, data, field, sentence):
    response = page.check(TI4 | data)
    assert sentence in response["refused"]
    assert response["field"] == field


def test_an_invalid_value_of_any_field_marks_exactly_this_field_and_names_its_label(subtests, page):
    for field in sorted(CONFIG_FIELDS):
        for value in ("?", -(10**12), [1], {}, ""):
            with subtests.test(field=field, value=value):
                response = page.check(TI4 | {"settings": {field: value}})
                assert response["field"] == field, response["refused"]
                assert response["refused"].startswith(f"{LABELS[field]} must be "), response["refused"]
                assert not IN_CODE.search(response["refused"]), response["refused"]


def test_an_emptied_field_is_called_empty(subtests, page):
    for field in sorted(CONFIG_FIELDS):
        with subtests.test(field=field):
            response = page.check(TI4 | {"settings": {field: None}})
            if "refused" in response:
                assert response["field"] in (field, "epochs")
                assert not IN_CODE.search(response["refused"]), response["refused"]


@pytest.mark.parametrize(
    ("vary", "sentence"),
    [
        (["model.depth=two,4"], "With Layers two: Layers must be an integer from 1 to 128: got two."),
        (["lr=nan,1"], "With Learning rate nan: Learning rate must be a number above 0"),
        (["model.num_heads=2,5"], "With Heads 5: Heads must divide Embedding width: 192 is not a multiple of 5."),
        (["model.depth=1,1,2"], "Sweep must list each value of Layers once: got '1' twice. Remove one of them."),
        (["seed=1"], "Sweep must give 2 to 64 combinations: got 1. List at least two values."),
        (["batch_size="], "Sweep needs values: got none for Batch size."),
        (["model.depth=1,2", "model.depth=3,4"], "Sweep must contain each field once"),
    ],
)
def test_an_invalid_sweep_is_refused_in_the_words_of_the_form(page, vary, sentence):
    response = page.check(TI4 | {"vary": vary})
    assert sentence in response["refused"]
    assert response["field"] == "vary"
    assert not IN_CODE.search(response["refused"]), response["refused"]


def test_a_missing_gpu_is_no_matter_of_the_command_line(page, monkeypatch):
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    response = page.check(TI4 | {"settings": {"device": "cuda"}})
    assert response == {"refused": "No GPU was found on this computer. Choose CPU or auto.", "field": "device"}


def test_every_field_of_the_form_has_a_label():
    assert FORM_FIELDS - LABELS.keys() == set()
    assert with_labels("use embed_dim, not 'embed_dim' or model.depth") == (
        "use Embedding width, not 'embed_dim' or Layers"
    )


def test_errors_of_other_requests_name_labels_too(page, run):
    functions = {function.__name__: function for function in page.functions}
    refused = functions["rename"]({"name": "first", "new": "ü b"})["error"]
    assert refused.startswith("Name must have 1 to 64 letters of A to Z")
    assert refused.endswith("got 'ü b'. Use for example u-b.")
    assert "The run gone was not found" in functions["resume"]({"name": "gone"})["error"]


def test_a_run_starts_with_the_settings_of_the_form(page, monkeypatch):
    started = []
    monkeypatch.setattr(page.runs, "start", lambda config, name: started.append((config, name)))
    settings = {"model.depth": 2, "epochs": 3, "optimizer": "adamw", "max_train_samples": 500}
    response = page.start(TI4 | {"settings": settings})
    (config, name) = started[0]
    assert (name, config.model.depth, config.epochs, config.minutes) == ("new", 2, 3, None)
    assert (config.optimizer, config.max_train_samples, config.data) == ("adamw", 500, page.datasets.data)
    assert response["runs"] == []


def test_a_sweep_has_one_run_per_combination(page, monkeypatch):
    started = []
    monkeypatch.setattr(
        page.runs, "start_sweep", lambda config, vary, name: started.append((config.epochs, vary, name))
    )
    data = TI4 | {"settings": {"epochs": 1}, "vary": ["model.depth=2,4", "model.num_heads=2,4,8"]}
    assert page.check(data)["trainings"] == 6
    page.start(data)
    assert started == [(1, ("model.depth=2,4", "model.num_heads=2,4,8"), "new")]
    for vary in (
        ["model.num_heads=2,5"],
        ["model.depth=2"],
        ["output_dir=a,b"],
        ["minutes=1,2"],
        "depth",
        [3],
        ["model.depth=2,2"],
    ):
        response = page.check(data | {"vary": vary})
        assert response["field"] == "vary", vary
        assert started[1:] == []


def test_the_eta_is_not_measured_while_a_run_is_training(page, run, monkeypatch):
    expected = Estimate(1, 2, 3, 4, 5, "x")
    monkeypatch.setattr(train, "cached_estimate", lambda config: expected)
    assert page.estimate(TI4) == asdict(expected)
    info = replace(page.runs.find("first"), state="training")
    monkeypatch.setattr(page.runs, "all", lambda: [info])
    assert "measured while no run is training: first is training" in refusal(page.estimate, TI4)


def test_fine_tuning_uses_the_network_of_init_from(page, run):
    config = page.config(TI4 | {"init_from": "runs/first", "settings": {"freeze_backbone": True, "epochs": 1}})
    assert config.init_from == str((run / "last.safetensors").resolve())
    assert (config.model.depth, config.freeze_backbone) == (2, True)


def test_no_run_starts_without_its_dataset(page):
    assert "CIFAR-10 is not in" in refusal(page.start, TI4)
    assert page.list_runs()["runs"] == []
    assert page.list_runs()["data"]["available"] == {"cifar10": False, "cifar100": False}


def test_a_poll_returns_only_changes(page, run):
    first = page.poll({"version": "", "run": "first", "session": "", "offset": 0})
    assert [info["name"] for info in first["runs"]] == ["first"]
    assert first["runs"][0]["saved"]
    assert len(first["metrics"]) == 4
    known = {"version": first["version"], "run": "first", "session": first["session"], "offset": first["offset"]}
    second = page.poll(known)
    assert "runs" not in second
    assert second["metrics"] == []
    runs.append_metrics(run, 2)
    third = page.poll(known)
    assert [line["epoch"] for line in third["metrics"]] == [2.0, 2.5]
    assert third["runs"][0]["epoch"] == 2.5
    json.dumps(third, allow_nan=False)


@pytest.mark.parametrize("public", [False, True])
def test_a_poll_that_is_not_an_object_is_refused(page, public):
    page.public = public
    for wrong in (None, [], "all"):
        assert "request must be an object: got" in refusal(page.poll, wrong)


def test_a_poll_reports_that_the_followed_run_was_deleted(page, run):
    known = page.poll({"version": "", "run": "first", "session": "", "offset": 0})
    page.delete({"name": "first"})
    data = {"source": "runs/first", "image": 0, "from": 3}
    response = page.poll(known | {"run": "first", "timeline": data})
    assert (response["runs"], response["timeline"]) == ([], None)
    assert "metrics" not in response


def test_metrics_of_a_new_session_are_returned_from_the_start(page, run):
    known = page.poll({"run": "first", "session": "", "offset": 0})
    again = page.poll({"run": "first", "session": "of another process", "offset": known["offset"]})
    assert again["whole"]
    assert len(again["metrics"]) == 4
    assert not page.poll({"run": "first", "session": known["session"], "offset": 0})["whole"]


def test_snapshots_equal_those_of_the_file(page):
    held = timeline.read(checkpoint.CHECKPOINTS / "cifar10-ti4.timeline.npz")
    response = page.poll({"timeline": {"source": "cifar10-ti4", "image": 3, "from": 0}})["timeline"]
    weights = np.frombuffer(base64.b64decode(response["rows"]), "<u2").reshape(len(held.epoch), 6, 6, 65) / 65535
    np.testing.assert_allclose(weights, held.cls_attention[:, 3], atol=1e-5)
    np.testing.assert_allclose(response["probabilities"], held.probabilities[:, 3], atol=1e-5)
    np.testing.assert_allclose(response["epoch"], held.epoch, atol=1e-4)
    size = {"layers": 6, "heads": 6, "rows": 8, "columns": 8, "aspect": 1.0}
    assert response["shape"] == size | {"prefix": 1, "classToken": True}
    assert response["images"][3]["name"] == held.names[3] == "cat"
    np.testing.assert_allclose(response["entropy"], held.entropy, atol=1e-4)
    np.testing.assert_allclose(response["distance"], held.distance, atol=1e-4)


def test_probe_curves_are_loss_and_accuracy_on_all_probe_images(page, run):
    held = timeline.read(checkpoint.CHECKPOINTS / "cifar10-ti4.timeline.npz")
    response = page.poll({"timeline": {"source": "cifar10-ti4", "image": 3, "from": 50}})["timeline"]
    truth = np.arange(10)  # the samples and the classes have one order
    expected = [-np.log(now[truth, truth]).mean() for now in held.probabilities[50:].astype(float)]
    np.testing.assert_allclose(response["probe_loss"], expected, atol=1e-4)
    assert response["probe_accuracy"] == [np.mean(now.argmax(-1) == truth) for now in held.probabilities[50:]]
    response = page.timelines.snapshots({"source": "runs/first", "image": 0, "from": 0})
    assert response["probe_loss"] is response["probe_accuracy"] is None, "the image x is of no class"


def test_an_image_out_of_range_falls_back_to_the_first(page, run):
    response = page.timelines.snapshots({"source": "runs/first", "image": 99, "from": 0})
    first = page.timelines.snapshots({"source": "runs/first", "image": 0, "from": 0})
    assert response == first
    assert first["image"] == 0


def test_only_new_snapshots_are_returned_unless_the_timeline_was_rewritten(page, run):
    data = {"source": "runs/first", "image": 1, "from": 3}
    assert page.timelines.snapshots(data)["epoch"] == []
    runs.rewrite_timeline(run, 5)
    new = page.timelines.snapshots(data)
    assert (new["from"], new["count"], new["epoch"]) == (3, 5, [1.5, 2.0])
    assert np.shape(new["entropy"]) == np.shape(new["distance"]) == (2, 2, 2)
    assert "shape" not in new
    runs.rewrite_timeline(run, 2)
    assert page.timelines.snapshots(data)["from"] == 0
    (run / "timeline.npz").unlink()
    assert page.timelines.snapshots(data) is None


def test_a_damaged_timeline_does_not_hide_runs_and_metrics(page, run):
    (run / "timeline.npz").write_bytes(b"words")
    data = {"source": "runs/first", "image": 0, "from": 0}
    response = page.poll({"version": "", "run": "first", "session": "", "offset": 0, "timeline": data})
    assert ([info["name"] for info in response["runs"]], len(response["metrics"])) == (["first"], 4)
    assert response["timeline"] is None


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"source": "../x", "image": 0, "from": 0}, "Timeline of '../x' not found"),
        ({"source": "runs/../../etc", "image": 0, "from": 0}, "name must have 1 to 64 letters"),
        ({"source": "cifar10-ti4", "image": 0}, "from must be an integer"),
        ("cifar10-ti4", "timeline must be an object"),
    ],
)
def test_an_invalid_timeline_is_refused(page, data, sentence):
    assert sentence in refusal(page.poll, {"timeline": data})


@pytest.mark.parametrize("name", ["../first", "/etc", "", ".", "a" * 65, "unknown", 3, None])
def test_an_invalid_name_changes_nothing(page, run, name):
    for function in (page.resume, page.stop, page.delete, page.download):
        assert refusal(function, {"name": name})
    assert refusal(page.rename, {"name": name, "new": "x"})
    if name != "unknown":
        assert refusal(page.rename, {"name": "first", "new": name})
    assert sorted(path.name for path in page.runs.root.iterdir()) == ["first"]


def test_a_run_is_renamed_and_deleted(page, run):
    assert [info["name"] for info in page.rename({"name": "first", "new": "second"})["runs"]] == ["second"]
    assert page.delete({"name": "second"})["runs"] == []
    assert not (page.runs.root / "second").exists()


def test_a_downloaded_checkpoint_has_no_training_state(page, run, tmp_path):
    response = page.download({"name": "first"})
    path = tmp_path / response["name"]
    path.write_bytes(base64.b64decode(response["content"]))
    assert path.name == "first.safetensors"
    assert checkpoint.load(path).record == {"epochs": 2.0, "seconds": 8.0, "test_accuracy": 0.5}
    assert checkpoint.read_tensors(path)[1] == {}


def test_a_public_page_has_neither_training_nor_runs(run, page):
    public = Train(None, page.runs.root, public=True)
    data = {"name": "first", "new": "x", "dataset": "cifar10", "image_folder": "x", **TI4}
    for function in public.functions:
        if function.__name__ not in ("poll", "train_catalog"):
            assert "Training is off on a public page" in function(data)["error"], function.__name__
    assert public.poll({"version": "", "run": "first", "session": "", "offset": 0}) == {}
    data = {"source": "runs/first", "image": 0, "from": 0}
    assert "Timeline of" in refusal(public.poll, {"timeline": data})
    assert public.poll({"timeline": data | {"source": "cifar10-ti4"}})["timeline"]["count"] == 60


def test_a_run_without_attention_cannot_be_explored(page, run):
    run_folder.write_config(TEACHERS["cifar10-teacher"], run)
    (row,) = page.list_runs()["runs"]
    assert (row["saved"], row["explorable"], row["snapshots"]) == (True, False, False)
    offered = Explore(None, page.runs).list_models({})["checkpoints"]
    assert [found["name"] for found in offered] == list(checkpoint.bundled_checkpoints())


def test_a_run_lists_whether_its_images_are_augmented(page):
    runs.make(page.runs.root, "a")
    runs.make(page.runs.root, "b", randaug_num_ops=0, cutmix_prob=0.0)
    assert {row["name"]: row["augmented"] for row in page.list_runs()["runs"]} == {"a": True, "b": False}


def test_fine_tuning_shows_the_network_of_the_checkpoint(page, run):
    response = page.check(TI4 | {"preset": "tutorial-lightning", "init_from": "runs/first"})
    assert response["model"] == {
        "model.patch_size": 8,
        "model.embed_dim": 24,
        "model.depth": 2,
        "model.num_heads": 2,
        "model.mlp_ratio": 40 / 24,
        "model.pos_drop_rate": 0.0,
        "model.drop_path_rate": 0.0,
    }


def test_a_lesson_is_a_preset_with_a_budget(page):
    catalog = page.catalog()
    assert [lesson["minutes"] for lesson in catalog["lessons"]] == [2, 10, 60]
    for lesson in catalog["lessons"]:
        assert lesson["preset"] in PRESETS
        assert (lesson["test_accuracy"] is None) == (not lesson["hardware"])
    shortest = catalog["lessons"][0]
    assert PRESETS[shortest["preset"]].minutes == shortest["minutes"]
    assert {preset["name"]: preset["corrected"] for preset in catalog["presets"] if preset["corrected"]} == {
        "tutorial-scratch": "tutorial-scratch-fixed"
    }


def test_a_run_lists_its_evaluation_split_and_kind_of_training(page):
    configs = {
        "a": {},
        "b": {"val_size": 50, "teacher": "x"},
        "c": {"init_from": "x"},
        "d": {"objective": "masked-patch"},
    }
    for name, fields in configs.items():
        runs.make(page.runs.root, name, finished=True, **fields)
    known = {row["name"]: (row["measured_on"], row["preset"]) for row in page.list_runs()["runs"]}
    models = Explore(None, page.runs).list_models({})["checkpoints"]
    explored = {model["name"]: model["measured_on"] for model in models}
    ours = {"runs/a": "test", "runs/b": "held-out", "runs/c": "test", "runs/d": "test"}
    assert explored == dict.fromkeys(checkpoint.bundled_checkpoints(), "test") | ours
    assert [model["name"] for model in models if not model["is_classifier"]] == ["runs/d"]
    ti4 = "cifar10-ti4"
    assert known == {
        "a": ("test", ti4),
        "b": ("held-out", f"{ti4}, distilled"),
        "c": ("test", "x, fine-tuned"),
        "d": ("test", ti4),
    }


def test_the_current_checkpoint_of_a_run_is_explored(page, run):
    explore = Explore(None, page.runs)
    listed = explore.list_models({})["checkpoints"][-1]
    parameters = sum(p.numel() for p in checkpoint.load(run / "last.safetensors").network.parameters())
    size = {"layers": 2, "heads": 2, "classes": 10, "family": "ViT", "parameters": parameters}
    known = {"accuracy": None, "eval_samples": None, "measured_on": "test", "is_classifier": True, "source": ""}
    assert listed == {"name": "runs/first", "dataset": None, "origin": "run"} | known | size
    response = explore.explain({"checkpoint": "runs/first", "image": {"kind": "sample", "name": "cat"}})
    assert (response["checkpoint"], response["layers"], response["rows"]) == ("runs/first", 2, 4)
    figure = {"content": "view", "format": "npz", "view": VIEW | {"layer": 0, "head": 0}}
    name = explore.figures.figure({"key": response["key"], **figure})["name"]
    assert name == "vitviz-runs-first-drawing-cat-layer-1-head-1.npz"
    before = load_model("runs/first", page.runs)
    assert load_model("runs/first", page.runs) is before
    checkpoint.save(before, run / "last.safetensors")
    assert load_model("runs/first", page.runs) is not before
    for wrong in ("runs/../first", "runs/unknown", "runs/"):
        assert refusal(explore.explain, {"checkpoint": wrong, "image": {}})
    assert "Checkpoint 'runs/first' not found" in refusal(
        Explore(None).explain, {"checkpoint": "runs/first", "image": {}}
    )


@pytest.fixture
def packed(uploads, tmp_path):
    """An uploaded zip of two images in each of two classes, and of something else."""
    path = uploads / "x.zip"
    with zipfile.ZipFile(path, "w") as file:
        for i in range(4):
            Image.new("RGB", (40, 40), ("teal", "plum")[i % 2]).save(tmp_path / "one.png")
            file.write(tmp_path / "one.png", f"{'ab'[i % 2]}/{i}.png")
        file.writestr("a/notes.txt", "no image")
    return {"path": str(path), "name": "My-pets.zip"}


SMALL = {"model.depth": 1, "model.embed_dim": 24, "model.num_heads": 2}  # its speed is measured
PETS = TI4 | {"settings": SMALL | {"dataset": "folder", "minutes": None, "epochs": 3}, "image_folder": "My-pets.zip"}


def test_uploaded_images_get_unique_names_in_the_data_folder(page, packed, tmp_path):
    uploaded = page.upload_images(packed | {"name": "../My pets!.zip"})
    assert uploaded["uploaded"] == "My-pets.zip"
    assert uploaded["data"]["image_folders"] == ["My-pets.zip"]
    assert page.upload_images(packed)["uploaded"] == "My-pets-2.zip"
    assert page.datasets.image_folders() == ["My-pets-2.zip", "My-pets.zip"]
    assert page.config(PETS).data == str((tmp_path / "data" / "My-pets.zip").resolve())


def test_an_uploaded_zip_that_cannot_be_trained_on_is_not_stored(page, uploads, tmp_path):
    Image.new("RGB", (40, 40), "teal").save(tmp_path / "one.png")
    for name, members, sentence in (
        ("flat", ("0.png", "1.png"), "needs one folder of images per class"),
        ("ant", ("ant/0.png", "ant/1.png"), "needs at least two classes"),
    ):
        with zipfile.ZipFile(uploads / f"{name}.zip", "w") as file:
            for member in members:
                file.write(tmp_path / "one.png", member)
        request = {"path": str(uploads / f"{name}.zip"), "name": f"{name}.zip"}
        assert sentence in refusal(page.upload_images, request)
        assert page.list_runs()["data"]["image_folders"] == []


def test_names_that_are_not_valid_utf8_are_skipped_or_escaped(tmp_path):
    page = Train(str(tmp_path / "d\udce9"), tmp_path / "runs")
    for name, color in (("a/0", "teal"), ("b/0", "plum"), ("b/caf\udce9", "plum")):
        (path := page.datasets.root / "pets" / f"{name}.png").parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (40, 40), color).save(path)
    (page.datasets.root / "pets" / "a" / "no\udce9.txt").write_text("no image")
    (page.datasets.root / "caf\udce9").mkdir()
    found = page.survey(PETS | {"image_folder": "pets"})
    assert [name for name, _ in found["refused"]] == ["a/no?.txt"]
    assert found["counts"] == [("a", 1, 0), ("b", 1, 1)], "images with such names are used"
    assert page.poll({})["data"]["image_folders"] == ["pets"]
    json.dumps([page.catalog(), page.poll({}), found], ensure_ascii=False).encode()


def test_an_image_folder_is_surveyed_before_its_eta(page, packed, monkeypatch):
    monkeypatch.setattr(estimate, "measure_seconds_per_image", lambda config, device: (0.001, 0.002))
    page.upload_images(packed)
    assert "appears when they have been counted" in refusal(page.estimate, PETS)
    found = page.survey(PETS)
    assert [label for label, *_ in found["counts"]] == ["a", "b"]
    assert [name for name, _ in found["refused"]] == ["a/notes.txt"]
    assert page.config(PETS).model.num_classes == 2, "as many as were counted"
    few = page.estimate(PETS)
    many = page.estimate(PETS | {"settings": PETS["settings"] | {"dataset": "cifar10"}})
    assert few["seconds"] < many["seconds"] / 1000, "of two images, not of 50,000"


def test_the_head_has_the_classes_of_the_dataset(page):
    assert page.config(TI4).model.num_classes == 10
    assert page.config(TI4 | {"settings": {"dataset": "cifar100"}}).model.num_classes == 100


def test_operating_system_errors_are_hidden_on_a_public_page(page, run, packed, tmp_path, monkeypatch):
    (tmp_path / "data").write_text("in the way of the folder")
    denied = PermissionError(errno.EACCES, "Permission denied", str(run))
    functions = {function.__name__: function for function in page.functions}
    message = "System error: {} ({}). Check the path and its permissions, or choose another."
    assert functions["upload_images"](packed) == {"error": message.format("File exists", tmp_path / "data")}
    monkeypatch.setattr(shutil, "rmtree", lambda path: (_ for _ in ()).throw(denied))
    assert functions["delete"]({"name": "first"}) == {"error": message.format("Permission denied", run)}
    public = Train(None, page.runs.root, public=True)
    monkeypatch.setattr(public.timelines, "snapshots", lambda data: (_ for _ in ()).throw(denied))
    assert "Something went wrong on the server" in public.functions[0]({"timeline": {}})["error"]


def test_invalid_image_uploads_are_refused_and_not_stored(page, packed, uploads):
    page.upload_images(packed)
    (uploads / "bad.zip").write_bytes(b"no zip")
    assert "neither" in refusal(page.upload_images, {"path": str(uploads / "bad.zip"), "name": "bad.zip"})
    assert "Only an uploaded image" in refusal(page.upload_images, {"path": "/etc/passwd", "name": "x.zip"})
    assert page.datasets.image_folders() == ["My-pets.zip"], "nothing is stored"
    assert "Image folder" in refusal(page.survey, PETS | {"image_folder": "../uploads/x.zip"})


def test_a_zip_is_deleted_unless_a_training_reads_it(page, packed, tmp_path, monkeypatch):
    page.upload_images(packed)
    path = tmp_path / "data" / "My-pets.zip"
    running = SimpleNamespace(name="other", state="training", config={"data": str(path.resolve())})
    with monkeypatch.context() as patch:
        patch.setattr(page.runs, "all", lambda: [running])
        assert "other is training" in refusal(page.delete_images, {"name": "My-pets.zip"})
    assert path.is_file()
    assert page.delete_images({"name": "My-pets.zip"})["data"]["image_folders"] == []
    assert not path.exists()


def test_only_listed_zips_are_deleted(page, packed, tmp_path):
    page.upload_images(packed)
    (tmp_path / "data" / "folder").mkdir()
    (tmp_path / "notes.zip").write_bytes(b"")
    assert "is a folder" in refusal(page.delete_images, {"name": "folder"})
    for name in ("../notes.zip", "missing.zip", ""):
        assert "Image folder" in refusal(page.delete_images, {"name": name})
    assert page.datasets.image_folders() == ["My-pets.zip", "folder"]
    assert (tmp_path / "notes.zip").is_file()
