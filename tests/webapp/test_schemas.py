"""Types of requests and responses: each server function gets and returns what they declare, and TypeScript has them."""

import asyncio
import inspect
import json
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from PIL import Image
from pydantic import ConfigDict, TypeAdapter, ValidationError

from scripts import types
from tests.webapp import runs
from vitviz.attribution.provenance import Provenance
from vitviz.plots.colormaps import color_tables
from vitviz.runs import process
from vitviz.runs.store import Runs
from vitviz.training import estimate
from vitviz.webapp.pages import presets
from vitviz.webapp.pages.explore import Explore
from vitviz.webapp.pages.internals import Internals
from vitviz.webapp.pages.learn import Learn
from vitviz.webapp.pages.timelines import Timelines
from vitviz.webapp.pages.train import Train
from vitviz.webapp.schemas import common, explore, internals, learn, requests, views
from vitviz.webapp.schemas import train as train_types

pytestmark = pytest.mark.filterwarnings("ignore:test_batch.bin differs")
EXACT = ConfigDict(strict=True, extra="forbid")  # no other fields, no conversions
REQUESTS = get_type_hints(requests.Requests, include_extras=True)
COLORS = {"colors": color_tables()}
NEW = {"preset": "cifar10-ti4", "settings": {"model.depth": 2, "epochs": None, "minutes": 1.5}, "name": "new"}
CAT = {"checkpoint": "runs/small", "image": {"kind": "sample", "name": "cat"}}


def check(kind: Any, value: Any) -> Any:
    """Check that the JSON of a value has a type, and return what the browser gets."""
    text = json.dumps(value, allow_nan=False)
    TypeAdapter(list[kind], config=EXACT).validate_json(f"[{text}]")
    return json.loads(text)


class Page:
    """Checks each request to the server functions of a page, and its response."""

    def __init__(self, page: Explore | Internals | Train) -> None:
        self.functions = {function.__name__: function for function in page.functions}
        self.called: set[str] = set()

    def __call__(self, name: str, request: dict[str, Any], expected: Any = None) -> Any:
        argument, reply = REQUESTS[name].__args__
        check(argument, request)
        response = self.functions[name](request)
        response = asyncio.run(response) if inspect.isawaitable(response) else response
        self.called.add(name)
        return check(expected or reply, response)


def test_typescript_has_the_current_types():
    assert types.FILE.read_text(encoding="utf-8") == types.typescript(), "run python -m scripts.types"


def test_every_server_function_has_types():
    pages = (Explore(), Internals(), Learn(Explore(), Timelines(None)), Train())
    assert {function.__name__ for page in pages for function in page.functions} == set(REQUESTS)


def test_a_value_of_another_type_is_detected():
    image = {"index": 0, "label": 0, "src": "x"}
    reply = {"images": [image], "page": 0, "pages": 1, "count": 1, "classes": ["cat"]}
    check(explore.GalleryReply, reply)
    for wrong in ({}, image | {"label": None}, image | {"other": 1}, image | {"label": "0"}, image | {"label": 0.5}):
        with pytest.raises(ValidationError):
            check(explore.GalleryReply, reply | {"images": [wrong]})


@pytest.mark.parametrize("public", [False, True])
def test_initial_data(public, tmp_path):
    models = Explore(str(tmp_path), public=public).catalog() | COLORS
    check(explore.Catalog, models | {"public": public})
    check(train_types.TrainCatalog, Train(None, tmp_path, public).catalog() | COLORS)


@pytest.mark.filterwarnings("ignore:.*differs from the official")
def test_explore(cifar_folder, uploads, tmp_path, monkeypatch):
    monkeypatch.setenv("VITVIZ_CACHE", str(tmp_path))
    runs.make(tmp_path / "runs", "small")
    page = Page(Explore(str(cifar_folder), Runs(tmp_path / "runs")))
    (uploads / "x").mkdir()
    Image.new("RGB", (40, 30)).save(uploads / "x" / "a.png")
    upload = {"kind": "upload", "path": str(uploads / "x" / "a.png"), "name": "a.png"}
    for image in (upload, {"kind": "cifar", "index": 0}):
        page("explain", CAT | {"image": image}, explore.ExplainReply)
    key = {"key": page("explain", CAT, explore.ExplainReply)["key"]}
    page("attention", key, str)
    page("rows", key | {"patches": [1], "direction": "to"}, str)
    for target in ([], [3, 5]):
        page("methods", key | {"target": target}, explore.MethodsReply)
        page("contributions", key | {"target": target}, views.ContributionsReply)
    page("scores", key | {"target": []}, explore.ScoresReply)
    on_request = key | {"target": [], "method": "greedy", "task": "a"}
    page("map_on_request", on_request, explore.OnRequestReply)
    page("pixel_map", key | {"method": "balanced_gradients", "target": [3, 5]}, views.PixelMapReply)
    page("features", key | {"foreground": True}, views.FeaturesReply)
    page("similarity", key | {"patch": 1}, views.SimilarityReply)
    page("nearest", key | {"task": "b"}, views.NearestReply)
    page("task_progress", {"task": "b", "cancel": False}, views.TaskProgress)
    patching = key | {"other": page("explain", CAT | {"image": upload}, explore.ExplainReply)["key"], "target": []}
    page("patch_heads", patching | {"task": "c"})
    page("patch_tokens", patching | {"task": "d", "layer": 0})
    ablation = key | {"heads": [[0, 1]], "patches": [3], "mode": "mean", "patch_mode": "gray"}
    assert "key" in page("ablate", ablation, explore.AblateReply)
    view = {"layer": None, "head": 0, "patches": [1], "direction": "to", "method": None, "target": []}
    view |= {"scale": "shared", "smooth": False, "outlines": 0.6, "truth": 3}
    view |= {"pixels": False, "foreground": False, "other": None}
    figure = {"view": view, "content": "map", "format": "csv"}
    page("figure", key | figure, common.FigureFile)
    page("code", key | {"view": view, "content": "view"}, explore.CodeReply)
    found = page("provenance", {"key": patching["other"], "view": view, "content": "view"}, Provenance)
    assert found["subject"]["model"] == "runs/small"
    assert found["subject"]["image"] == {"kind": "upload", "id": found["image"]["sha256"], "name": "", "crop": 0.5}
    assert "vitviz.load('runs/small/last.safetensors')" in found["code"]
    for shown in ("all", "misclassified"):
        page(
            "gallery",
            {"dataset": "cifar10", "label": -1, "page": 0, "shown": shown, "checkpoint": "runs/small"},
            explore.GalleryReply,
        )
    page("gallery_progress", {"dataset": "cifar10", "checkpoint": "runs/small"}, explore.GalleryProgress)
    page("cifar_download", {"action": "state"}, common.DownloadInfo)
    check_models(page)
    for name in (
        "attention",
        "rows",
        "methods",
        "scores",
        "contributions",
        "features",
        "similarity",
        "nearest",
        "ablate",
        "figure",
        "code",
        "provenance",
    ):
        other = {
            "target": [],
            "direction": "to",
            "foreground": False,
            "patch": 0,
            "other": "?",
            "task": "e",
            "layer": 0,
        }
        expired = (ablation | figure | other | {"key": "?"}).items()
        fields = TypeAdapter(REQUESTS[name].__args__[0]).json_schema()["properties"]
        assert page(name, {field: value for field, value in expired if field in fields}) is None
    assert "error" in page("explain", CAT | {"checkpoint": "?"}, common.Refusal)
    assert page.called == set(page.functions)


def test_internals(tmp_path):
    page = Page(Internals(str(tmp_path)))
    page("probes", {"checkpoint": "cifar10-ti4", "images": "samples"}, internals.ProbesReply)
    figure = {"checkpoint": "cifar10-ti4", "images": "samples", "probe": "distance"}
    page("probe_figure", figure, common.FigureFile)
    page("probes", {"checkpoint": "cifar10-ti4", "images": "test"}, common.Refusal)
    check_models(page)
    assert page.called == set(page.functions)


def test_learn(tmp_path):
    page = Page(Learn(Explore(str(tmp_path)), Timelines(None)))
    key = {"key": page("explain", CAT | {"checkpoint": "cifar10-ti4"}, explore.ExplainReply)["key"]}
    page("lesson", key, learn.LessonReply)
    page("lesson_head", key | {"layer": 4, "head": 1}, learn.LessonHeadReply)
    page("lesson_head", key | {"layer": 6, "head": 1}, common.Refusal)
    page("lesson_patch", key | {"patch": 9, "dimension": 3}, learn.LessonPatchReply)
    page("lesson_patch", key | {"patch": 64, "dimension": 3}, common.Refusal)
    page("lesson_remove", key | {"patches": [1, 2]}, list[float])
    page("lesson_remove", key | {"patches": [-1]}, common.Refusal)
    page("lesson_flip", key, learn.LessonFlipReply)
    page("similarity", key | {"patch": 9}, views.SimilarityReply)
    page("lesson_training", {"checkpoint": "cifar10-ti4", "name": "cat"}, learn.LessonTrainingReply)
    assert page("lesson_training", {"checkpoint": "runs/lost", "name": "cat"}) is None
    for name in ("lesson", "lesson_head", "lesson_patch", "lesson_remove", "lesson_flip"):
        fields = {"layer": 0, "head": 0, "patch": 0, "dimension": 0, "patches": []}
        known = TypeAdapter(REQUESTS[name].__args__[0]).json_schema()["properties"]
        assert page(name, {"key": "?"} | {field: fields[field] for field in known if field != "key"}) is None
    check_models(page)
    assert page.called == set(page.functions)


def check_models(page: Page) -> None:
    """Check the functions of the model picker."""
    page("list_models", {}, common.ModelList)
    page("find_models", {}, common.FoundModels)
    page("open_model", {"action": "state"}, common.OpenInfo)
    page("model_facts", {"checkpoint": "cifar10-ti4"}, common.ModelFacts)


@pytest.fixture
def train(tmp_path, monkeypatch):
    """A Train page with a stopped run, a finished one and a sweep; nothing is trained or downloaded."""
    train = Train(str(tmp_path / "data"), tmp_path / "runs")
    runs.make(tmp_path / "runs", "first")
    runs.make(tmp_path / "runs", "done", finished=True)
    grid = train.runs.folder("grid")
    grid.mkdir()
    config = asdict(train.config(NEW))
    (grid / "sweep.json").write_text(json.dumps({"config": config, "vary": ["seed=0,1"]}))
    result = {"run": "grid-seed0", "settings": {"seed": "0"}, "state": "failed", "message": "x", "accuracy": None}
    result |= dict.fromkeys(("parameters", "epochs", "seconds", "train_samples"))
    (grid / "results.jsonl").write_text(json.dumps(result) + "\n")
    for name in ("start", "start_sweep", "resume", "resume_sweep", "stop", "delete", "rename"):
        monkeypatch.setattr(train.runs, name, lambda *args: None)
    monkeypatch.setattr(train.datasets.download, "start", lambda dataset: None)
    monkeypatch.setattr(estimate, "measure_seconds_per_image", lambda config, device: (0.001, 0.002))
    presets.cached_estimate.cache_clear()
    yield train
    presets.cached_estimate.cache_clear()


def test_train(train, uploads, monkeypatch):
    page = Page(train)
    page("train_catalog", {}, train_types.TrainCatalog)
    page("check", NEW | {"vary": ["model.depth=2,4"]}, train_types.AcceptedForm)
    page("check", NEW | {"name": "first"}, train_types.RefusedForm)
    page("check", NEW | {"preset": "?"}, train_types.RefusedForm)
    page("estimate", {"preset": "cifar10-ti4", "settings": {}}, train_types.EstimateReply)
    page("start", NEW, train_types.RunLists)
    page("resume", {"name": "first"}, train_types.RunLists)
    page("resume_sweep", {"name": "grid"}, train_types.RunLists)
    page("stop", {"name": "first"}, train_types.RunLists)
    page("rename", {"name": "first", "new": "second"}, train_types.RunLists)
    page("delete", {"name": "first"}, train_types.RunLists)
    page("download", {"name": "first"}, train_types.FileReply)
    page("download_data", {"dataset": "cifar10"}, train_types.RunLists)
    page("cancel_download", {}, train_types.RunLists)
    page("upload_images", {"path": zip_of_images(uploads), "name": "pets.zip"}, train_types.UploadedReply)
    folder = {"preset": "cifar10-ti4", "settings": {"dataset": "folder"}, "image_folder": "pets.zip"}
    found = page("survey", folder, train_types.SurveyReply)
    assert found["counts"]
    assert found["refused"]
    page("delete_images", {"name": "pets.zip"}, train_types.RunLists)
    poll(page, train, monkeypatch)
    assert page.called == set(page.functions)


def poll(page: Page, train: Train, monkeypatch: pytest.MonkeyPatch) -> None:
    """Poll without a run, with one, with timelines that exist or not, and while a run is training."""
    lists = page("poll", {"version": ""}, train_types.PollReply)
    assert {run["state"] for run in lists["runs"]} == {"interrupted", "finished"}
    assert lists["sweeps"][0]["results"]
    assert set(page("poll", {"version": lists["version"]}, train_types.PollReply)) == {"version"}
    start = {"source": "runs/first", "image": 0, "from": 0}
    known = {"version": lists["version"], "run": "first", "session": "x", "offset": 0, "timeline": start}
    reply = page("poll", known, train_types.PollReply)
    assert reply["metrics"]
    assert reply["timeline"]["shape"]
    assert "shape" not in page("poll", known | {"timeline": start | {"from": 2}}, train_types.PollReply)["timeline"]
    (train.runs.folder("first") / "timeline.npz").unlink()
    assert page("poll", known, train_types.PollReply)["timeline"] is None
    monkeypatch.setattr(process, "is_running", lambda folder: folder.name == "first")
    (running,) = (run for run in page("poll", {"version": ""}, train_types.PollReply)["runs"] if run["name"] == "first")
    assert (running["state"], running["eta"] > 0) == ("training", True)


def zip_of_images(folder: Path) -> str:
    """Write a zip of two images in each of two classes, and of something else; return its path."""
    with zipfile.ZipFile(folder / "x.zip", "w") as file:
        for name, color in (("a/0", "teal"), ("a/1", "teal"), ("b/0", "plum"), ("b/1", "plum")):
            with file.open(f"{name}.png", "w") as entry:
                Image.new("RGB", (40, 40), color).save(entry, "PNG")
        file.writestr("a/notes.txt", "no image")
    return str(folder / "x.zip")


def test_a_public_page_refuses_to_train(tmp_path):
    page = Page(Train(None, tmp_path, public=True))
    page("start", NEW, common.Refusal)
    assert page("poll", {"version": ""}, train_types.PollReply) == {}
