"""Trainings through the routes: the form, polling, runs, timelines and datasets."""

import base64
import errno
import io
import json
import re
import shutil
import zipfile
from dataclasses import asdict, replace
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

import vitviz
from tests.webapp import runs
from tests.webapp.api import routes
from vitviz.models import checkpoint
from vitviz.runs import process
from vitviz.runs.sweep import Sweep
from vitviz.training import estimate, timeline
from vitviz.training.estimate import Estimate
from vitviz.training.presets import PRESETS
from vitviz.view import Subject
from vitviz.webapp import trainings as trainings_module
from vitviz.webapp.explanations import Explanations
from vitviz.webapp.inputs import Inputs
from vitviz.webapp.models import list_models, load_model
from vitviz.webapp.schemas.runs import ConfigRequest, MetricsLine
from vitviz.webapp.server.refusals import FieldError
from vitviz.webapp.training_form import CONFIG_FIELDS, HYPERPARAMETERS, LABELS, with_labels
from vitviz.webapp.trainings import Trainings

IN_CODE = re.compile(r"[a-z]_[a-z]|model\.|--|\bNone\b|NAME=")  # names in the code, options, Python
BASE = {"preset": "cifar10-ti4", "settings": {}}
TI4 = BASE | {"name": "new"}


@pytest.fixture(scope="module")
def client():
    with routes() as client:
        yield client


@pytest.fixture
def trainings(tmp_path):
    return Trainings(str(tmp_path / "data"), tmp_path / "runs")


@pytest.fixture
def page(client, trainings):
    """A client of the routes; nothing is trained."""
    client.backend.trainings = trainings
    return client


@pytest.fixture
def run(trainings):
    return runs.make(trainings.runs.root, "first")


def test_the_catalog_summarizes_each_preset(page):
    catalog = page.get("runs/catalog")
    assert [preset["name"] for preset in catalog["presets"]] == list(PRESETS)
    first = catalog["presets"][0]
    assert (first["parameters"], first["tokens"], first["grid"]) == (1803850, 65, [8, 8])
    assert set(first["settings"]) == CONFIG_FIELDS
    (bundled,) = catalog["timelines"]
    assert bundled["name"] == "cifar10-ti4"
    assert bundled["distilled"] is bool(checkpoint.load("cifar10-ti4").record["teacher"])


def test_every_hyperparameter_of_the_form_is_a_config_field(page):
    values = {preset["name"]: preset["settings"] for preset in page.get("runs/catalog")["presets"]}
    for name in HYPERPARAMETERS:
        preset = "cifar10-ti4" if name != "model.pos_drop_rate" else "tutorial-notebook"
        settings = {name: values[preset][name]}
        assert page.post("runs/check", **TI4 | {"preset": preset, "settings": settings})[0] == 200, name


def test_the_summary_follows_the_settings(page):
    summary = page.get("runs/check", **TI4 | {"settings": {"model.patch_size": 8, "model.depth": 2, "epochs": 3}})
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
        ({"settings": {"dataset": "folder"}}, "image_folder", "Image folder '' not found"),
        ({"init_from": "../x"}, "init_from", "Checkpoint '../x' not found"),
        (
            {"name": "a/b"},
            "name",
            "Name must have 1 to 64 letters of A to Z, digits, -, _ or ., and not start with a dot: got 'a/b'. Use",
        ),
        ({"name": "first"}, "name", "Name must be new: there is already a run first. Choose another name."),
        ({"preset": "cifar11"}, "preset", "preset must be one of"),
        *(
            ({"settings": {name: "/etc"}}, f"settings.{name}", f"settings.{name} is not a known field. Remove it.")
            for name in ("output_dir", "data", "init_from")
        ),
    ],
)
def test_an_invalid_form_is_refused_at_its_field(page, run, data, field, sentence):
    response = page.refusal("runs/check", **TI4 | data)
    assert sentence in response["error"]
    assert response["field"] == field


def test_an_invalid_value_of_any_field_marks_exactly_this_field_and_names_its_label(subtests, page):
    for field in sorted(CONFIG_FIELDS):
        for value in ("?", -(10**12), ""):
            with subtests.test(field=field, value=value):
                response = page.refusal("runs/check", **TI4 | {"settings": {field: value}})
                assert response["field"] == field, response["error"]
                assert response["error"].startswith(f"{LABELS[field]} must be "), response["error"]
                assert not IN_CODE.search(response["error"]), response["error"]


def test_an_emptied_field_is_called_empty(subtests, page):
    for field in sorted(CONFIG_FIELDS):
        with subtests.test(field=field):
            status, response = page.post("runs/check", **TI4 | {"settings": {field: None}})
            if status != 200:
                assert response["field"] in (field, "epochs")
                assert not IN_CODE.search(response["error"]), response["error"]


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
    response = page.refusal("runs/check", **TI4 | {"vary": vary})
    assert sentence in response["error"]
    assert response["field"] == "vary"
    assert not IN_CODE.search(response["error"]), response["error"]


def test_a_missing_gpu_is_no_matter_of_the_command_line(page, monkeypatch):
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    response = page.refusal("runs/check", **TI4 | {"settings": {"device": "cuda"}})
    assert response["error"] == "No GPU was found on this computer. Choose CPU or auto."
    assert response["field"] == "device"


def test_every_field_of_the_form_has_a_label():
    assert LABELS.keys() >= CONFIG_FIELDS
    assert with_labels("use embed_dim, not 'embed_dim' or model.depth") == (
        "use Embedding width, not 'embed_dim' or Layers"
    )


def test_errors_of_other_requests_name_labels_too(page, run):
    refused = page.refusal("runs/rename", name="first", new="ü b")["error"]
    assert refused.startswith("Name must have 1 to 64 letters of A to Z")
    assert refused.endswith("got 'ü b'. Use for example u-b.")
    assert "The run gone was not found" in page.refusal("runs/resume", name="gone")["error"]


def test_a_run_starts_with_the_settings_of_the_form(page, trainings, monkeypatch):
    started = []
    monkeypatch.setattr(trainings.runs, "start", lambda config, name: started.append((config, name)))
    settings = {"model.depth": 2, "epochs": 3, "optimizer": "adamw", "max_train_samples": 500}
    response = page.get("runs/start", **TI4 | {"settings": settings})
    (config, name) = started[0]
    assert (name, config.model.depth, config.epochs, config.minutes) == ("new", 2, 3, None)
    assert (config.optimizer, config.max_train_samples, config.data) == ("adamw", 500, trainings.datasets.data)
    assert response["runs"] == []


def test_a_sweep_has_one_run_per_combination(page, trainings, monkeypatch):
    started = []
    monkeypatch.setattr(
        trainings.runs, "start_sweep", lambda config, vary, name: started.append((config.epochs, vary, name))
    )
    data = TI4 | {"settings": {"epochs": 1}, "vary": ["model.depth=2,4", "model.num_heads=2,4,8"]}
    assert page.get("runs/check", **data)["trainings"] == 6
    page.get("runs/start", **data)
    assert started == [(1, ("model.depth=2,4", "model.num_heads=2,4,8"), "new")]
    for vary in (
        ["model.num_heads=2,5"],
        ["model.depth=2"],
        ["output_dir=a,b"],
        ["minutes=1,2"],
        ["model.depth=2,2"],
    ):
        assert page.refusal("runs/check", **data | {"vary": vary})["field"] == "vary", vary
        assert started[1:] == []


def test_the_eta_is_not_measured_while_a_run_is_training(page, trainings, run, monkeypatch):
    expected = Estimate(1, 2, 3, 4, 5, "x")
    monkeypatch.setattr(trainings_module, "cached_estimate", lambda config: expected)
    assert page.get("runs/estimate", **BASE) == asdict(expected)
    info = replace(trainings.runs.find("first"), state="training")
    monkeypatch.setattr(trainings.runs, "all", lambda: [info])
    assert "measured while no run is training: first is training" in page.refusal("runs/estimate", **BASE)["error"]


def test_fine_tuning_uses_the_network_of_init_from(trainings, run):
    request = BASE | {"init_from": "runs/first", "settings": {"freeze_backbone": True, "epochs": 1}}
    config = trainings.config(ConfigRequest(**request))
    assert config.init_from == str((run / "last.safetensors").resolve())
    assert (config.model.depth, config.freeze_backbone) == (2, True)


def test_no_run_starts_without_its_dataset(page):
    assert "CIFAR-10 is not in" in page.refusal("runs/start", **TI4)["error"]
    lists = page.get("runs/poll")["lists"]
    assert lists["runs"] == []
    assert lists["data"]["available"] == {"cifar10": False, "cifar100": False}


def test_a_poll_returns_only_changes(page, run):
    first = page.get("runs/poll", run="first")
    assert [info["name"] for info in first["lists"]["runs"]] == ["first"]
    assert first["lists"]["runs"][0]["saved"]
    assert len(first["metrics"]["lines"]) == 4
    metrics = {name: first["metrics"][name] for name in ("session", "offset")}
    known = {"version": first["lists"]["version"], "run": "first", **metrics}
    second = page.get("runs/poll", **known)
    assert second["lists"] is None
    assert second["metrics"]["lines"] == []
    runs.append_metrics(run, 2)
    third = page.get("runs/poll", **known)
    assert [line["epoch"] for line in third["metrics"]["lines"]] == [2.0, 2.5]
    assert third["lists"]["runs"][0]["epoch"] == 2.5


def test_a_poll_reports_that_the_followed_run_was_deleted(page, run):
    page.get("runs/delete", name="first")
    timeline = {"model": "runs/first", "image": 0, "first": 3}
    response = page.get("runs/poll", run="first", timeline=timeline)
    assert (response["lists"]["runs"], response["metrics"], response["timeline"]) == ([], None, None)


def test_metrics_of_a_new_session_are_returned_from_the_start(page, run):
    known = page.get("runs/poll", run="first")["metrics"]
    again = page.get("runs/poll", run="first", session="of another process", offset=known["offset"])["metrics"]
    assert again["whole"]
    assert len(again["lines"]) == 4
    assert not page.get("runs/poll", run="first", session=known["session"])["metrics"]["whole"]


def snapshots(page, source, image=0, first=0):
    """Return the snapshots of a timeline."""
    return page.get("runs/poll", timeline={"model": source, "image": image, "first": first})["timeline"]


def test_snapshots_equal_those_of_the_file(page):
    held = timeline.read(checkpoint.CHECKPOINTS / "cifar10-ti4.timeline.npz")
    response = snapshots(page, "cifar10-ti4", 3)
    weights = np.frombuffer(base64.b64decode(response["rows"]), "<u2").reshape(len(held.epoch), 6, 6, 65) / 65535
    np.testing.assert_allclose(weights, held.cls_attention[:, 3], atol=1e-5)
    np.testing.assert_allclose(response["probabilities"], held.probabilities[:, 3], atol=1e-5)
    np.testing.assert_allclose(response["epoch"], held.epoch, atol=1e-4)
    size = {"layers": 6, "heads": 6, "rows": 8, "columns": 8, "aspect": 1.0, "layer_heads": [6] * 6, "captured": False}
    assert response["shape"] == size | {"prefix": 1, "class_token": True, "distilled": False}
    assert response["images"][3]["name"] == held.names[3] == "cat"
    np.testing.assert_allclose(response["entropy"], held.entropy, atol=1e-4)
    np.testing.assert_allclose(response["distance"], held.distance, atol=1e-4)


def test_masked_patches_of_a_probe_image_are_reconstructed(page, trainings):
    folder = runs.make(trainings.runs.root, "mae", objective="mae")
    held = timeline.read(folder / "timeline.npz")
    response = snapshots(page, "runs/mae", 1, 0)
    assert response["masked"] == held.mask[1].ravel().nonzero()[0].tolist()
    assert [pixels(src).mean() for src in response["reconstructions"]] == [0, 80, 160]
    assert len(snapshots(page, "runs/mae", 1, 2)["reconstructions"]) == 1
    found = pixels(page.get("runs/reconstruct", model="runs/mae", image=1, masked=[0, 7])["src"])
    mask = np.isin(np.arange(16), [0, 7]).reshape(4, 4)
    expected = vitviz.reconstruct(checkpoint.load(folder / "last.safetensors"), held.images[1], mask).pixels
    assert np.array_equal(found, expected)
    runs.make(trainings.runs.root, "plain")
    for request, problem in [
        ({"model": "runs/plain", "masked": [0]}, "needs a model with a decoder: runs/plain has none"),
        ({"masked": []}, "must leave some patches visible and mask some: got 0 of 16"),
        ({"masked": [16]}, "masked must be"),
        ({"image": 3, "masked": [0]}, "image must be"),
    ]:
        assert problem in page.refusal("runs/reconstruct", **({"model": "runs/mae", "image": 0} | request))["error"]


def pixels(src: str) -> np.ndarray:
    """Return the pixels of a data URL."""
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(src.partition(",")[2]))))


def test_probe_curves_are_loss_and_accuracy_on_all_probe_images(page, run):
    held = timeline.read(checkpoint.CHECKPOINTS / "cifar10-ti4.timeline.npz")
    response = snapshots(page, "cifar10-ti4", 3, 50)
    truth = np.arange(10)  # the samples and the classes have one order
    expected = [-np.log(now[truth, truth]).mean() for now in held.probabilities[50:].astype(float)]
    np.testing.assert_allclose(response["probe_loss"], expected, atol=1e-4)
    assert response["probe_accuracy"] == [np.mean(now.argmax(-1) == truth) for now in held.probabilities[50:]]
    response = snapshots(page, "runs/first")
    assert response["probe_loss"] is response["probe_accuracy"] is None, "the image x is of no class"


def test_an_image_out_of_range_falls_back_to_the_first(page, run):
    response = snapshots(page, "runs/first", 99)
    first = snapshots(page, "runs/first")
    assert response == first
    assert first["image"] == 0


def test_only_new_snapshots_are_returned_unless_the_timeline_was_rewritten(page, run):
    known = ("runs/first", 1, 3)
    assert snapshots(page, *known)["epoch"] == []
    runs.rewrite_timeline(run, 5)
    new = snapshots(page, *known)
    assert (new["first"], new["count"], new["epoch"]) == (3, 5, [1.5, 2.0])
    assert np.shape(new["entropy"]) == np.shape(new["distance"]) == (2, 2, 2)
    assert new["shape"] is None
    runs.rewrite_timeline(run, 2)
    assert snapshots(page, *known)["first"] == 0
    (run / "timeline.npz").unlink()
    assert snapshots(page, *known) is None


def test_a_damaged_line_of_metrics_does_not_hide_the_others(page, run):
    with (run / "metrics.jsonl").open("a") as file:
        file.write('{"progress": 1}\n{"epoch": "x"}\n')
    runs.append_metrics(run, 2)
    reply = page.get("runs/poll", run="first")
    assert len(reply["metrics"]["lines"]) == 6
    assert reply["lists"]["runs"][0]["name"] == "first"


def test_a_damaged_timeline_does_not_hide_runs_and_metrics(page, run):
    (run / "timeline.npz").write_bytes(b"words")
    response = page.get("runs/poll", run="first", timeline={"model": "runs/first", "image": 0, "first": 0})
    assert [info["name"] for info in response["lists"]["runs"]] == ["first"]
    assert (len(response["metrics"]["lines"]), response["timeline"]) == (4, None)


@pytest.mark.parametrize(
    ("timeline", "field", "sentence"),
    [
        ({"model": "../x"}, "timeline.model", "Timeline of '../x' not found"),
        ({"model": "runs/../../etc"}, "timeline.model", "name must have 1 to 64 letters"),
        ({"first": -1}, "timeline.first", "greater than or equal to 0"),
        ({"image": "0"}, "timeline.image", "valid integer"),
    ],
)
def test_an_invalid_timeline_is_refused(page, timeline, field, sentence):
    start = {"model": "cifar10-ti4", "image": 0, "first": 0}
    refused = page.refusal("runs/poll", timeline=start | timeline)
    assert refused["field"] == field
    assert sentence in refused["error"]


@pytest.mark.parametrize("name", ["../first", "/etc", "", ".", "a" * 65, "unknown", 3, None])
def test_an_invalid_name_changes_nothing(page, trainings, run, name):
    for change in ("resume", "stop", "delete", "download"):
        assert page.refusal(f"runs/{change}", name=name)["error"]
    assert page.refusal("runs/rename", name=name, new="x")["error"]
    if name != "unknown":
        assert page.refusal("runs/rename", name="first", new=name)["error"]
    assert sorted(path.name for path in trainings.runs.root.iterdir()) == ["first"]


def test_a_run_is_renamed_and_deleted(page, trainings, run):
    assert [info["name"] for info in page.get("runs/rename", name="first", new="second")["runs"]] == ["second"]
    assert page.get("runs/delete", name="second")["runs"] == []
    assert not (trainings.runs.root / "second").exists()


def test_runs_and_sweeps_are_resumed_and_listed_by_their_names(page, trainings, run, monkeypatch):
    grid = trainings.runs.folder("grid")
    grid.mkdir()
    config = asdict(trainings.config(ConfigRequest(**BASE)))
    (grid / "sweep.json").write_text(json.dumps({"config": config, "vary": ["seed=0,1"]}))
    result = {"run": "grid-seed0", "settings": {"seed": "0"}, "state": "failed", "message": "x", "accuracy": None}
    result |= dict.fromkeys(("parameters", "epochs", "seconds", "train_samples"))
    (grid / "results.jsonl").write_text(json.dumps(result) + "\n")
    resumed = []
    monkeypatch.setattr(trainings.runs, "resume", lambda name: resumed.append((name, "run")))
    monkeypatch.setattr(trainings.runs, "resume_sweep", lambda name: resumed.append((name, "sweep")))
    page.get("runs/resume", name="first")
    (sweep,) = page.get("runs/resume", name="grid")["sweeps"]
    assert resumed == [("first", "run"), ("grid", "sweep")]
    assert [name for name, _ in sweep["runs"]] == ["grid-seed0", "grid-seed1"]
    assert [ended["message"] for ended in sweep["results"]] == ["x"]


def test_the_eta_is_that_of_a_running_training(page, run, monkeypatch):
    monkeypatch.setattr(process, "is_running", lambda folder: folder.name == "first")
    (running,) = page.get("runs/poll")["lists"]["runs"]
    assert (running["state"], running["eta"] > 0) == ("training", True)


def test_a_downloaded_checkpoint_has_no_training_state(page, run, tmp_path):
    response = page.get("runs/download", name="first")
    path = tmp_path / "first.safetensors"
    path.write_bytes(base64.b64decode(response["src"].partition(",")[2]))
    assert checkpoint.load(path).record == {"epochs": 2.0, "seconds": 8.0, "test_accuracy": 0.5}
    assert checkpoint.read_tensors(path)[1] == {}


def test_a_public_page_has_neither_training_nor_runs(run, trainings):
    with routes(public=True) as public:
        public.backend.trainings = Trainings(None, trainings.runs.root, public=True)
        for path in ("check", "estimate", "start", "resume", "stop", "rename", "delete", "download"):
            assert "Training is off on a public page" in public.refusal(f"runs/{path}")["error"], path
        for path in ("folders/survey", "folders/delete"):
            assert "Training is off on a public page" in public.refusal(f"data/{path}")["error"], path
        assert "Training is off" in public.upload(b"", path="data/folders")[1]["error"]
        assert public.get("runs/catalog")["folder"] == ""
        assert public.get("runs/poll", run="first") == {"lists": None, "metrics": None, "timeline": None}
        timeline = {"model": "runs/first", "image": 0, "first": 0}
        assert "Timeline of" in public.refusal("runs/poll", timeline=timeline)["error"]
        assert snapshots(public, "cifar10-ti4")["count"] == 60


def test_a_run_without_attention_cannot_be_explored(trainings, run):
    stored = {"preset": "cifar10-teacher", "lookahead": True, "num_snapshots": 0, "model": {"architecture": "convnet"}}
    (run / "config.json").write_text(json.dumps(stored))  # as an earlier version trained it
    (row,) = trainings.lists().runs
    assert (row.saved, row.explorable, row.snapshots) == (True, False, False)
    offered = list_models(Inputs(runs=trainings.runs))["models"]
    assert [found["name"] for found in offered] == list(checkpoint.bundled_checkpoints())


def test_a_run_lists_whether_its_images_are_augmented(trainings):
    runs.make(trainings.runs.root, "a")
    runs.make(trainings.runs.root, "b", randaug_num_ops=0, cutmix_prob=0.0)
    assert {row.name: row.augmented for row in trainings.lists().runs} == {"a": True, "b": False}


def test_fine_tuning_shows_the_network_of_the_checkpoint(page, run):
    response = page.get("runs/check", **TI4 | {"preset": "tutorial-lightning", "init_from": "runs/first"})
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
    catalog = page.get("runs/catalog")
    assert [lesson["minutes"] for lesson in catalog["lessons"]] == [2, 10, 60]
    for lesson in catalog["lessons"]:
        assert lesson["preset"] in PRESETS
        assert (lesson["test_accuracy"] is None) == (not lesson["hardware"])
    shortest = catalog["lessons"][0]
    assert PRESETS[shortest["preset"]].config.minutes == shortest["minutes"]
    assert {preset["name"]: preset["corrected"] for preset in catalog["presets"] if preset["corrected"]} == {
        "tutorial-scratch": "tutorial-scratch-fixed"
    }


def test_an_experiment_is_a_sweep_over_seeds_of_what_is_recorded(page, tmp_path):
    for experiment in page.get("runs/catalog")["experiments"]:
        config = replace(PRESETS[experiment["preset"]].config, epochs=experiment["epochs"], minutes=None)
        runs = Sweep(config, tuple(experiment["vary"]), tmp_path / experiment["name"]).runs()
        seeds = [settings["seed"] for settings, _ in runs.values()]
        assert seeds.count("0") == seeds.count("1") == len(runs) / len(set(seeds)) >= 2
        assert experiment["metric"] in MetricsLine.model_fields
        planned = {
            "preset": experiment["preset"],
            "settings": {"epochs": experiment["epochs"]},
            "vary": experiment["vary"],
        }
        assert page.get("runs/check", **planned, name="planned")["trainings"] == len(runs)


def test_a_run_lists_its_evaluation_split_and_kind_of_training(trainings):
    configs = {
        "a": {},
        "b": {"val_size": 50, "teacher": "x"},
        "c": {"init_from": "x"},
        "d": {"objective": "mae"},
    }
    for name, fields in configs.items():
        runs.make(trainings.runs.root, name, finished=True, **fields)
    known = {row.name: (row.measured_on, row.preset) for row in trainings.lists().runs}
    models = list_models(Inputs(runs=trainings.runs))["models"]
    explored = {model["name"]: model["measured_on"] for model in models}
    ours = {"runs/a": "test", "runs/b": "held-out", "runs/c": "test", "runs/d": "test"}
    assert explored == dict.fromkeys(checkpoint.bundled_checkpoints(), "test") | ours
    assert [model["name"] for model in models if not model["is_classifier"]] == ["runs/d"]
    ti4 = "cifar10-ti4"
    assert known == {
        "a": ("test", ti4),
        "b": ("held-out", f"{ti4}, distilled"),
        "c": ("test", "x, fine-tuned"),
        "d": ("test", "cifar10-mae"),
    }


def test_the_current_checkpoint_of_a_run_is_explored(trainings, run):
    sources = Inputs(runs=trainings.runs)
    listed = list_models(sources)["models"][-1]
    parameters = sum(p.numel() for p in checkpoint.load(run / "last.safetensors").network.parameters())
    size = {"layers": 2, "heads": 2, "classes": 10, "family": "ViT", "parameters": parameters}
    known = {"accuracy": None, "eval_samples": None, "measured_on": "test", "is_classifier": True}
    known |= {"pretrained": "", "linear_probe": "", "captured": False, "compares_texts": False}
    assert listed == {"name": "runs/first", "dataset": None, "origin": "run"} | known | size
    cat = {"kind": "sample", "name": "cat"}
    found = Explanations(sources).compute(Subject(model="runs/first", image=cat)).explanation
    assert (found.context.checkpoint.name, found.context.layers_and_heads, found.context.grid) == (
        "runs/first",
        (2, 2),
        (4, 4),
    )
    before = load_model("runs/first", trainings.runs)
    assert load_model("runs/first", trainings.runs) is before
    checkpoint.save(before, run / "last.safetensors")
    assert load_model("runs/first", trainings.runs) is not before
    for wrong in ("runs/../first", "runs/unknown", "runs/"):
        with pytest.raises(FieldError) as refusal:
            sources.model(wrong)
        assert refusal.value.field == "subject.model"
    with pytest.raises(ValueError, match="Checkpoint 'runs/first' not found"):
        Inputs().model("runs/first")


def zip_of(members):
    """Return a zip of files with these colors, or texts."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name, content in members.items():
            if name.endswith(".png"):
                with file.open(name, "w") as entry:
                    Image.new("RGB", (40, 40), content).save(entry, "PNG")
            else:
                file.writestr(name, content)
    return packed.getvalue()


# Two images in each of two classes, and something else.
PACKED = zip_of({f"{'ab'[i % 2]}/{i}.png": ("teal", "plum")[i % 2] for i in range(4)} | {"a/notes.txt": "no image"})


def upload(page, content=PACKED, name="My-pets.zip"):
    """Upload a zip; return the reply or the refusal."""
    return page.upload(content, name, "data/folders")[1]


SMALL = {"model.depth": 1, "model.embed_dim": 24, "model.num_heads": 2}  # its speed is measured
PETS = BASE | {"settings": SMALL | {"dataset": "folder", "minutes": None, "epochs": 3}, "image_folder": "My-pets.zip"}


def test_uploaded_images_get_unique_names_in_the_data_folder(page, trainings, tmp_path):
    uploaded = upload(page, name="../My pets!.zip")
    assert uploaded["uploaded"] == "My-pets.zip"
    assert uploaded["data"]["image_folders"] == ["My-pets.zip"]
    assert upload(page)["uploaded"] == "My-pets-2.zip"
    assert trainings.datasets.image_folders() == ["My-pets-2.zip", "My-pets.zip"]
    assert trainings.config(ConfigRequest(**PETS)).data == str((tmp_path / "data" / "My-pets.zip").resolve())


def test_an_uploaded_zip_that_cannot_be_trained_on_is_not_stored(page, trainings):
    for members, sentence in (
        (("0.png", "1.png"), "in an image folder one folder each"),
        (("ant/0.png", "ant/1.png"), "needs at least two classes"),
    ):
        refused = upload(page, zip_of(dict.fromkeys(members, "teal")))
        assert (refused["field"], sentence in refused["error"]) == ("file", True)
    assert "neither" in upload(page, b"no zip")["error"]
    assert trainings.datasets.image_folders() == []


def test_names_that_are_not_valid_utf8_are_skipped_or_escaped(client, tmp_path):
    trainings = client.backend.trainings = Trainings(str(tmp_path / "d\udce9"), tmp_path / "runs")
    for name, color in (("a/0", "teal"), ("b/0", "plum"), ("b/caf\udce9", "plum")):
        (path := trainings.datasets.root / "pets" / f"{name}.png").parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (40, 40), color).save(path)
    (trainings.datasets.root / "pets" / "a" / "no\udce9.txt").write_text("no image")
    (trainings.datasets.root / "caf\udce9").mkdir()
    found = client.get("data/folders/survey", **PETS | {"image_folder": "pets"})
    assert [name for name, _ in found["refused"]] == ["a/no?.txt"]
    assert found["counts"] == [["a", 1, 0], ["b", 1, 1]], "images with such names are used"
    assert client.get("runs/poll")["lists"]["data"]["image_folders"] == ["pets"]
    assert client.get("runs/catalog")["folder"].endswith("d?")


def test_an_image_folder_is_surveyed_before_its_eta(page, trainings, monkeypatch):
    monkeypatch.setattr(estimate, "measure_seconds", lambda config, device: (0.001, 0.002, 0.0))
    upload(page)
    assert "appears when they have been counted" in page.refusal("runs/estimate", **PETS)["error"]
    found = page.get("data/folders/survey", **PETS)
    assert [label for label, *_ in found["counts"]] == ["a", "b"]
    assert [name for name, _ in found["refused"]] == ["a/notes.txt"]
    sample = Image.open(io.BytesIO(base64.b64decode(found["sample"].partition(",")[2])))
    assert sample.size == (32, 32), "that of the model's input"
    assert trainings.config(ConfigRequest(**PETS)).model.num_classes == 2, "as many as were counted"
    few = page.get("runs/estimate", **PETS)
    many = page.get("runs/estimate", **PETS | {"settings": PETS["settings"] | {"dataset": "cifar10"}})
    assert few["seconds"] < many["seconds"] / 1000, "of two images, not of 50,000"
    refused = page.refusal("data/folders/survey", **PETS | {"image_folder": "../uploads/x.zip"})
    assert (refused["field"], "Image folder" in refused["error"]) == ("image_folder", True)


def test_the_head_has_the_classes_of_the_dataset(trainings):
    for dataset, classes in (("cifar10", 10), ("cifar100", 100)):
        config = trainings.config(ConfigRequest(**BASE | {"settings": {"dataset": dataset}}))
        assert config.model.num_classes == classes


def test_operating_system_errors_are_hidden_on_a_public_page(page, trainings, run, tmp_path, monkeypatch):
    (tmp_path / "data").write_text("in the way of the folder")
    denied = PermissionError(errno.EACCES, "Permission denied", str(run))
    message = "System error: {} ({}). {}"
    found = message.format("File exists", tmp_path / "data", "Check the path, or choose another.")
    assert upload(page)["error"] == found
    monkeypatch.setattr(shutil, "rmtree", lambda path: (_ for _ in ()).throw(denied))
    assert page.refusal("runs/delete", name="first")["error"] == message.format(
        "Permission denied", run, "Check its permissions, or choose another folder."
    )
    with routes(public=True) as public:
        monkeypatch.setattr(public.backend.trainings, "poll", lambda request: (_ for _ in ()).throw(denied))
        status, answer = public.post("runs/poll")
        assert (status, "Something went wrong on the server" in answer["error"]) == (500, True)


def test_a_zip_is_deleted_unless_a_training_reads_it(page, trainings, tmp_path, monkeypatch):
    upload(page)
    path = tmp_path / "data" / "My-pets.zip"
    running = SimpleNamespace(name="other", state="training", config={"data": str(path.resolve())})
    with monkeypatch.context() as patch:
        patch.setattr(trainings.runs, "all", lambda: [running])
        assert "other is training" in page.refusal("data/folders/delete", name="My-pets.zip")["error"]
    assert path.is_file()
    assert page.get("data/folders/delete", name="My-pets.zip")["data"]["image_folders"] == []
    assert not path.exists()


def test_only_listed_zips_are_deleted(page, trainings, tmp_path):
    upload(page)
    (tmp_path / "data" / "folder").mkdir()
    (tmp_path / "notes.zip").write_bytes(b"")
    assert "is a folder" in page.refusal("data/folders/delete", name="folder")["error"]
    for name in ("../notes.zip", "missing.zip", ""):
        assert "Image folder" in page.refusal("data/folders/delete", name=name)["error"]
    assert trainings.datasets.image_folders() == ["My-pets.zip", "folder"]
    assert (tmp_path / "notes.zip").is_file()
