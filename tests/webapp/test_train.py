"""The questions of the page Train, called as plain functions: what is new and no more, a sentence for each refusal."""

import base64
import errno
import json
import shutil
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from tests.webapp import runs
from vitviz.models import checkpoint
from vitviz.runs import run_folder, timeline
from vitviz.training import estimate
from vitviz.training.estimate import Estimate
from vitviz.training.presets import PRESETS, TEACHERS
from vitviz.webapp.models import model_named
from vitviz.webapp.pages import train
from vitviz.webapp.pages.explore import Explore
from vitviz.webapp.pages.internals import Inside
from vitviz.webapp.pages.presets import OWN, SETTINGS
from vitviz.webapp.pages.train import Train
from vitviz.webapp.server.requests import answering

TI4 = {"preset": "cifar10-ti4", "settings": {}, "name": "new"}


@pytest.fixture
def trains(tmp_path):
    return Train(str(tmp_path / "data"), tmp_path / "runs")


@pytest.fixture
def run(trains):
    return runs.make(trains.runs.root, "first")


def refusal(answer, question):
    return answering(answer)(question)["error"]


def test_the_catalog_summarizes_each_preset(trains):
    catalog = trains.catalog()
    assert [preset["name"] for preset in catalog["presets"]] == list(PRESETS)
    first = catalog["presets"][0]
    assert (first["parameters"], first["tokens"], first["grid"]) == (1803850, 65, [8, 8])
    assert set(first["settings"]) == OWN
    (shipped,) = catalog["sources"]
    assert shipped["name"] == "cifar10-ti4"
    assert shipped["distillation_targets"] is bool(checkpoint.load("cifar10-ti4").record["teacher"])
    json.dumps(catalog, allow_nan=False)


def test_every_hyperparameter_of_the_form_is_a_config_field(trains):
    values = {preset["name"]: preset["settings"] for preset in trains.catalog()["presets"]}
    for name in [name for group in SETTINGS.values() for name in group]:
        preset = "cifar10-ti4" if name != "model.pos_drop_rate" else "tutorial-notebook"
        settings = {name: values[preset][name]}
        assert "refused" not in trains.check(TI4 | {"preset": preset, "settings": settings}), name


def test_the_summary_follows_the_settings(trains):
    plan = trains.check(TI4 | {"settings": {"model.patch_size": 8, "model.depth": 2, "epochs": 3}})
    assert (plan["tokens"], plan["grid"]) == (17, [4, 4])
    assert plan["parameters"] < 1_000_000


@pytest.mark.parametrize(
    ("question", "field", "sentence"),
    [
        ({"settings": {"model.patch_size": 5}}, "model.patch_size", "patch_size must divide the image side"),
        ({"settings": {"model.num_heads": 5}}, "model.num_heads", "heads must divide width"),
        ({"start": "cifar10-ti4", "vary": ["model.depth=2,4"]}, "vary", "has its network: depth cannot be varied"),
        ({"settings": {"model.pos_drop_rate": 0.5}}, "model.pos_drop_rate", "dropout is only known to the tutorials"),
        ({"settings": {"batch_size": 1}}, "batch_size", "batch_size must be a whole number from 2"),
        ({"settings": {"batch_size": 60000, "images": 50}}, "batch_size", "batch_size must be at most the number"),
        ({"settings": {"cutmix": 2}}, "cutmix", "cutmix is a share"),
        ({"settings": {"epochs": "ten"}}, "epochs", "epochs must be a finite number above 0"),
        (
            {"settings": {"model.embed_dim": 4096, "model.num_heads": 8, "model.depth": 9}},
            "model.embed_dim",
            "at most 67 million parameters",
        ),
        ({"settings": {"frozen": True}}, "frozen", "frozen needs a body that has learned"),
        ({"settings": {"dataset": "folder"}, "own": "../x"}, "own", "There are no images '../x'"),
        ({"settings": {}, "start": "../x"}, "start", "Checkpoint '../x' not found"),
        ({"settings": {}, "name": "a/b"}, "name", "name must have 1 to 64 letters"),
        ({"settings": {}, "name": "first"}, "name", "there is a run first already"),
        ({"preset": "cifar11"}, None, "There is no preset"),
        ({"settings": {"out": "/etc"}}, None, "There is no setting 'out' here"),
        ({"settings": {"data": "/etc"}}, None, "There is no setting 'data' here"),
        ({"settings": {"start": "/etc/x.safetensors"}}, None, "There is no setting 'start' here"),
        ({"settings": []}, None, "must name settings as dict"),
    ],
)
def test_an_invalid_form_is_refused_at_its_field(trains, run, question, field, sentence):
    answer = trains.check(TI4 | question)
    assert sentence in answer["refused"]
    assert answer["field"] == field


def test_a_run_starts_with_the_settings_of_the_form(trains, monkeypatch):
    started = []
    monkeypatch.setattr(trains.runs, "start", lambda config, name: started.append((config, name)))
    settings = {"model.depth": 2, "epochs": 3, "optimizer": "adamw", "images": 500}
    answer = trains.start(TI4 | {"settings": settings})
    (config, name) = started[0]
    assert (name, config.model.depth, config.epochs, config.minutes) == ("new", 2, 3, None)
    assert (config.optimizer, config.max_train_samples, config.data) == ("adamw", 500, trains.sets.data)
    assert answer["runs"] == []


def test_a_sweep_has_one_run_per_combination(trains, monkeypatch):
    started = []
    monkeypatch.setattr(
        trains.runs, "start_sweep", lambda config, vary, name: started.append((config.epochs, vary, name))
    )
    question = TI4 | {"settings": {"epochs": 1}, "vary": ["model.depth=2,4", "model.num_heads=2,4,8"]}
    assert trains.check(question)["trainings"] == 6
    trains.start(question)
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
        answer = trains.check(question | {"vary": vary})
        assert answer["field"] == "vary", vary
        assert started[1:] == []


def test_the_eta_follows_from_the_speed_of_a_running_training(trains, run, monkeypatch):
    asked = []
    monkeypatch.setattr(
        train, "estimated", lambda config, measured: asked.append(measured) or Estimate(1, 2, 3, 4, 5, 6, "x")
    )
    assert trains.estimate(TI4) == {
        "parameters": 1,
        "tokens": 2,
        "images_per_second": 3,
        "seconds": 4,
        "epochs": 5,
        "memory": 6,
        "device": "x",
    }
    info = replace(trains.runs.find("first"), state="training")
    monkeypatch.setattr(trains.runs, "all", lambda: [info])
    trains.estimate(TI4)
    assert asked[0] is None
    assert (asked[1][0].model, asked[1][1]) == (runs.MODEL, 100.0)
    monkeypatch.setattr(trains.runs, "all", lambda: [replace(info, images_per_second=None)])
    assert "Nothing is measured beside a training" in refusal(trains.estimate, TI4)


def test_fine_tuning_uses_the_network_of_init_from(trains, run):
    config = trains.wanted(TI4 | {"start": "runs/first", "settings": {"frozen": True, "epochs": 1}})
    assert config.init_from == str((run / "last.safetensors").resolve())
    assert (config.model.depth, config.freeze_backbone) == (2, True)


def test_no_run_starts_without_its_data_set(trains):
    assert "CIFAR-10 is not in" in refusal(trains.start, TI4)
    assert trains.listed()["runs"] == []
    assert trains.listed()["data"]["here"] == {"cifar10": False, "cifar100": False}


def test_a_poll_returns_only_changes(trains, run):
    first = trains.poll({"version": "", "run": "first", "session": "", "offset": 0})
    assert [info["name"] for info in first["runs"]] == ["first"]
    assert first["runs"][0]["saved"]
    assert len(first["metrics"]) == 4
    known = {"version": first["version"], "run": "first", "session": first["session"], "offset": first["offset"]}
    second = trains.poll(known)
    assert "runs" not in second
    assert second["metrics"] == []
    runs.append_metrics(run, 2)
    third = trains.poll(known)
    assert [line["epoch"] for line in third["metrics"]] == [2.0, 2.5]
    assert third["runs"][0]["epoch"] == 2.5
    json.dumps(third, allow_nan=False)


@pytest.mark.parametrize("public", [False, True])
def test_a_poll_that_is_not_an_object_is_refused(trains, public):
    trains.public = public
    for wrong in (None, [], "all"):
        assert "A question must be a table of names and values: got" in refusal(trains.poll, wrong)


def test_a_poll_reports_that_the_followed_run_was_deleted(trains, run):
    known = trains.poll({"version": "", "run": "first", "session": "", "offset": 0})
    trains.delete({"name": "first"})
    asked = {"source": "runs/first", "image": 0, "from": 3}
    answer = trains.poll(known | {"run": "first", "timeline": asked})
    assert (answer["runs"], answer["timeline"]) == ([], None)
    assert "metrics" not in answer


def test_metrics_of_a_new_session_are_returned_from_the_start(trains, run):
    known = trains.poll({"run": "first", "session": "", "offset": 0})
    again = trains.poll({"run": "first", "session": "of another process", "offset": known["offset"]})
    assert again["whole"]
    assert len(again["metrics"]) == 4
    assert not trains.poll({"run": "first", "session": known["session"], "offset": 0})["whole"]


def test_snapshots_equal_those_of_the_file(trains):
    held = timeline.read(checkpoint.CHECKPOINTS / "cifar10-ti4.timeline.npz")
    answer = trains.poll({"timeline": {"source": "cifar10-ti4", "image": 3, "from": 0}})["timeline"]
    shares = np.frombuffer(base64.b64decode(answer["rows"]), "<u2").reshape(len(held.epoch), 6, 6, 65) / 65535
    np.testing.assert_allclose(shares, held.rows[:, 3], atol=1e-5)
    np.testing.assert_allclose(answer["probabilities"], held.probabilities[:, 3], atol=1e-5)
    np.testing.assert_allclose(answer["epoch"], held.epoch, atol=1e-4)
    size = {"layers": 6, "heads": 6, "rows": 8, "columns": 8, "aspect": 1.0}
    assert answer["shape"] == size | {"prefix": 1, "classToken": True}
    assert answer["images"][3]["name"] == held.names[3] == "cat"
    np.testing.assert_allclose(answer["entropy"], held.entropy, atol=1e-4)
    np.testing.assert_allclose(answer["distance"], held.distance, atol=1e-4)


def test_an_image_out_of_range_falls_back_to_the_first(trains, run):
    answer = trains.timelines.moments({"source": "runs/first", "image": 99, "from": 0})
    first = trains.timelines.moments({"source": "runs/first", "image": 0, "from": 0})
    assert answer == first
    assert first["image"] == 0


def test_only_new_snapshots_are_returned_unless_the_timeline_was_rewritten(trains, run):
    asked = {"source": "runs/first", "image": 1, "from": 3}
    assert trains.timelines.moments(asked)["epoch"] == []
    runs.rewrite_timeline(run, 5)
    new = trains.timelines.moments(asked)
    assert (new["from"], new["count"], new["epoch"]) == (3, 5, [1.5, 2.0])
    assert np.shape(new["entropy"]) == np.shape(new["distance"]) == (2, 2, 2)
    assert "shape" not in new
    runs.rewrite_timeline(run, 2)
    assert trains.timelines.moments(asked)["from"] == 0
    (run / "timeline.npz").unlink()
    assert trains.timelines.moments(asked) is None


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"source": "../x", "image": 0, "from": 0}, "There is no timeline of '../x'"),
        ({"source": "runs/../../etc", "image": 0, "from": 0}, "name must have 1 to 64 letters"),
        ({"source": "cifar10-ti4", "image": 0}, "must name from as int"),
        ("cifar10-ti4", "must name timeline as dict"),
    ],
)
def test_an_invalid_timeline_is_refused(trains, asked, sentence):
    assert sentence in refusal(trains.poll, {"timeline": asked})


@pytest.mark.parametrize("name", ["../first", "/etc", "", ".", "a" * 65, "nobody", 3, None])
def test_an_invalid_name_changes_nothing(trains, run, name):
    for answer in (trains.resume, trains.stop, trains.delete, trains.download):
        assert refusal(answer, {"name": name})
    assert refusal(trains.rename, {"name": name, "new": "x"})
    if name != "nobody":
        assert refusal(trains.rename, {"name": "first", "new": name})
    assert sorted(path.name for path in trains.runs.root.iterdir()) == ["first"]


def test_a_run_is_renamed_and_deleted(trains, run):
    assert [info["name"] for info in trains.rename({"name": "first", "new": "second"})["runs"]] == ["second"]
    assert trains.delete({"name": "second"})["runs"] == []
    assert not (trains.runs.root / "second").exists()


def test_a_downloaded_checkpoint_has_no_training_state(trains, run, tmp_path):
    answer = trains.download({"name": "first"})
    path = tmp_path / answer["name"]
    path.write_bytes(base64.b64decode(answer["content"]))
    assert path.name == "first.safetensors"
    assert checkpoint.load(path).record == {"epochs": 2.0, "seconds": 8.0, "test_accuracy": 0.5}
    assert checkpoint.read_tensors(path)[1] == {}


def test_a_timeline_is_saved_as_an_animation(trains, run):
    answer = trains.timelines.movie({"source": "runs/first", "image": 1, "ending": ".gif"})
    assert answer["name"] == "first-dog.gif"
    assert base64.b64decode(answer["content"]).startswith(b"GIF89a")
    for wrong in ({"image": 7}, {"ending": ".exe"}):
        question = {"source": "runs/first", "image": 1, "ending": ".gif"} | wrong
        assert "There is no such timeline to save" in refusal(trains.timelines.movie, question)


def test_a_public_page_has_neither_training_nor_runs(run, trains):
    public = Train(None, trains.runs.root, public=True)
    questions = {"name": "first", "new": "x", "dataset": "cifar10", "own": "x", **TI4}
    for answer in public.functions:
        if answer.__name__ not in ("poll", "movie"):
            assert "Training is off on a public page" in answer(questions)["error"], answer.__name__
    assert public.poll({"version": "", "run": "first", "session": "", "offset": 0}) == {}
    asked = {"source": "runs/first", "image": 0, "from": 0}
    assert "There is no timeline of" in refusal(public.poll, {"timeline": asked})
    assert public.poll({"timeline": asked | {"source": "cifar10-ti4"}})["timeline"]["count"] == 60


def test_a_run_without_attention_cannot_be_explored(trains, run):
    run_folder.write_config(TEACHERS["cifar10-teacher"], run)
    (row,) = trains.listed()["runs"]
    assert (row["saved"], row["explored"], row["moments"]) == (True, False, False)
    offered = Explore(None, trains.runs).offers({})["checkpoints"]
    assert [found["name"] for found in offered] == list(checkpoint.bundled_checkpoints())


def test_a_run_lists_its_evaluation_split_and_kind_of_training(trains):
    recipes = {"a": {}, "b": {"val_size": 50, "teacher": "x"}, "c": {"start": "x"}, "d": {"objective": "masked-patch"}}
    for name, recipe in recipes.items():
        runs.make(trains.runs.root, name, finished=True, **recipe)
    known = {row["name"]: (row["measured_on"], row["preset"]) for row in trains.listed()["runs"]}
    models = Explore(None, trains.runs).offers({})["checkpoints"]
    explored = {model["name"]: model["measured_on"] for model in models}
    ours = {"runs/a": "test", "runs/b": "held-out", "runs/c": "test", "runs/d": "test"}
    assert explored == dict.fromkeys(checkpoint.bundled_checkpoints(), "test") | ours
    assert [model["name"] for model in models if not model["is_classifier"]] == ["runs/d"]
    ti4 = "cifar10-ti4"
    assert known == {
        "a": ("test", ti4),
        "b": ("held-out", f"{ti4}, distillation_targets"),
        "c": ("test", f"{ti4}, fine-tuned"),
        "d": ("test", ti4),
    }


def test_the_current_checkpoint_of_a_run_is_explored(trains, run):
    answers = Explore(None, trains.runs)
    listed = answers.offers({})["checkpoints"][-1]
    size = {"layers": 2, "heads": 2}
    assert listed == {"name": "runs/first", "accuracy": None, "measured_on": "test", "is_classifier": True} | size
    answer = answers.explain({"checkpoint": "runs/first", "image": {"kind": "sample", "name": "cat"}})
    assert (answer["checkpoint"], answer["layers"], answer["rows"]) == ("runs/first", 2, 4)
    name = answers.figure({"key": answer["key"], "layer": 0, "head": 0})["name"]
    assert name == "vitviz-runs-first-drawing-cat-layer-1-head-1.png"
    before = model_named("runs/first", trains.runs)
    assert model_named("runs/first", trains.runs) is before
    checkpoint.save(before, run / "last.safetensors")
    assert model_named("runs/first", trains.runs) is not before
    for wrong in ("runs/../first", "runs/nobody", "runs/"):
        assert refusal(answers.explain, {"checkpoint": wrong, "image": {}})
    assert "Checkpoint 'runs/first' not found" in refusal(
        Explore(None).explain, {"checkpoint": "runs/first", "image": {}}
    )


def test_a_run_is_probed_again_after_its_checkpoint_changed(trains, run):
    inside = Inside(None, trains.runs)
    question = {"checkpoint": "runs/first", "images": "samples"}
    first = inside.probes(question)
    assert inside.probes(question) is first
    checkpoint.save(model_named("runs/first", trains.runs), run / "last.safetensors")
    assert inside.probes(question) is not first


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
PETS = TI4 | {"settings": SMALL | {"dataset": "folder", "minutes": None, "epochs": 3}, "own": "My-pets.zip"}


def test_uploaded_images_get_unique_names_in_the_data_folder(trains, packed, tmp_path):
    taken = trains.take_images(packed | {"name": "../My pets!.zip"})
    assert taken["taken"] == "My-pets.zip"
    assert taken["data"]["own"] == ["My-pets.zip"]
    assert trains.take_images(packed)["taken"] == "My-pets-2.zip"
    assert trains.sets.own() == ["My-pets-2.zip", "My-pets.zip"]
    assert trains.wanted(PETS).data == str((tmp_path / "data" / "My-pets.zip").resolve())


def test_names_that_are_not_valid_utf8_are_skipped_or_escaped(tmp_path):
    trains = Train(str(tmp_path / "d\udce9"), tmp_path / "runs")
    for name, colour in (("a/0", "teal"), ("b/0", "plum"), ("b/caf\udce9", "plum")):
        (path := trains.sets.root / "pets" / f"{name}.png").parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (40, 40), colour).save(path)
    (trains.sets.root / "pets" / "a" / "no\udce9.txt").write_text("no image")
    (trains.sets.root / "caf\udce9").mkdir()
    found = trains.survey(PETS | {"own": "pets"})
    assert [name for name, _ in found["refused"]] == ["a/no?.txt"]
    assert found["counts"] == [["a", 1, 0], ["b", 1, 1]], "a name is no reason not to take an image"
    assert trains.poll({})["data"]["own"] == ["pets"]
    json.dumps([trains.catalog(), trains.poll({}), found], ensure_ascii=False).encode()


def test_an_image_folder_is_surveyed_before_its_eta(trains, packed, monkeypatch):
    monkeypatch.setattr(estimate, "calibrate", lambda config, device: (0.001, 0.002))  # seconds an image
    trains.take_images(packed)
    assert "once they have been read" in refusal(trains.estimate, PETS)
    found = trains.survey(PETS)
    assert [label for label, *_ in found["counts"]] == ["a", "b"]
    assert [name for name, _ in found["refused"]] == ["a/notes.txt"]
    assert trains.wanted(PETS).model.labels == 2, "as many as were read"
    few = trains.estimate(PETS)
    many = trains.estimate(PETS | {"settings": PETS["settings"] | {"dataset": "cifar10"}})
    assert few["seconds"] < many["seconds"] / 1000, "of two images, not of 50,000"


def test_the_head_has_the_classes_of_the_data_set(trains):
    assert trains.wanted(TI4).model.labels == 10
    assert trains.wanted(TI4 | {"settings": {"dataset": "cifar100"}}).model.labels == 100


def test_operating_system_errors_are_hidden_on_a_public_page(trains, run, packed, tmp_path, monkeypatch):
    (tmp_path / "data").write_text("in the way of the folder")
    denied = PermissionError(errno.EACCES, "Permission denied", str(run))
    monkeypatch.setattr(shutil, "rmtree", lambda path: (_ for _ in ()).throw(denied))
    asked = {answer.__name__: answer for answer in trains.functions}
    words = "System error: {} ({}). Check the path and its permissions, or choose another."
    assert asked["take_images"](packed) == {"error": words.format("File exists", tmp_path / "data")}
    assert asked["delete"]({"name": "first"}) == {"error": words.format("Permission denied", run)}
    public = Train(None, trains.runs.root, public=True)
    monkeypatch.setattr(public.timelines, "moments", lambda asked: (_ for _ in ()).throw(denied))
    assert "Something went wrong on the server" in public.functions[0]({"timeline": {}})["error"]


def test_invalid_image_uploads_are_refused_and_not_stored(trains, packed, uploads):
    trains.take_images(packed)
    (uploads / "bad.zip").write_bytes(b"no zip")
    assert "neither" in refusal(trains.take_images, {"path": str(uploads / "bad.zip"), "name": "bad.zip"})
    assert "Only an uploaded image" in refusal(trains.take_images, {"path": "/etc/passwd", "name": "x.zip"})
    assert trains.sets.own() == ["My-pets.zip"], "nothing of it is kept"
    assert "There are no images" in refusal(trains.survey, PETS | {"own": "../uploads/x.zip"})
