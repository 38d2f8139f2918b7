"""Routes over HTTP: guarded, described in TypeScript, without paths of the server; work ends when its client goes."""

import json
import threading

import pytest

from scripts import types
from tests.webapp.api import routes
from tests.webapp.serving import CAT as CAT_FILE
from tests.webapp.serving import files_in, running
from vitviz.data import cifar
from vitviz.errors import DataError
from vitviz.models import hub_cache
from vitviz.models.hub_cache import CachedModel
from vitviz.webapp.routes import explanations
from vitviz.webapp.server import uploads
from vitviz.webapp.user_models import OpenState

SHIPPED = {"subject": {"model": "cifar10-ti4", "image": {"kind": "sample", "name": "cat"}}}
PATH = "/vitviz/api/explanations"
pytestmark = pytest.mark.filterwarnings("ignore:test_batch.bin differs")


def test_the_types_in_typescript_are_current():
    assert types.FILE.read_text(encoding="utf-8") == types.typescript(), "run python -m scripts.types"


def test_a_route_answers_and_refuses_with_security_headers(client):
    assert "probabilities" in client.route("explanations", SHIPPED)[1]
    status, headers, body = client.request("POST", PATH, {"Content-Type": "application/json"}, b"{}")
    assert (status, json.loads(body)["error"]) == (400, "subject is missing.")
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", {}, 405),
        ("PUT", {"Content-Type": "application/json"}, 405),
        ("POST", {"Content-Type": "text/plain"}, 415),
        ("POST", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ("POST", {"Content-Type": "multipart/form-data; boundary=x"}, 415),
        ("POST", {}, 415),
        ("POST", {"Content-Type": "application/json", "Origin": "http://evil.example"}, 403),
        ("POST", {"Content-Type": "application/json", "Host": "evil.example"}, 400),
        ("POST", {"Content-Type": "application/json", "Content-Length": str(2**16)}, 413),
    ],
)
def test_the_guard_refuses_with_the_form_of_a_refusal(client, method, headers, status):
    got, _, body = client.request(method, PATH, headers, json.dumps(SHIPPED).encode())
    assert (got, set(json.loads(body))) == (status, {"field", "problem", "hint", "error", "busy"})


def test_unknown_routes_are_not_found(client):
    for path in ("nothing", "explanations/", "explanations/nothing", "../explore.js", "docs", "openapi.json"):
        assert client.post(f"/vitviz/api/{path}", {})[0] in (404, 405), path


def test_a_body_that_is_too_large_is_cut_off(client):
    chunks = (b"x" * 2**12 for _ in range(20))
    status, _, body = client.request("POST", PATH, {"Content-Type": "application/json"}, chunks)
    assert (status, json.loads(body)["error"]) == (413, "A request may have at most 32 KiB.")


def test_uploads_have_limits(tmp_path, monkeypatch):
    path = "/vitviz/api/data/uploads"
    with running(tmp_path) as client:
        status, text = client.upload(b"no zip", "x.zip", "/vitviz/api/data/folders")
        assert (status, json.loads(text)["field"]) == (400, "file")
        assert client.upload(CAT_FILE, path=path, Origin="http://evil.example")[0] == 403
        assert client.upload(b"x" * (21 * 2**20), path=path)[0] == 413
        status, text = client.upload(b"\xff\xd8not a JPEG", path=path)
        assert (status, json.loads(text)["field"]) == (400, "file")
        status, text = client.upload(CAT_FILE, path=path)
        found = json.loads(text)["id"]
        assert found in {file.name for file in files_in(tmp_path)}
        subject = {"model": "cifar10-ti4", "image": {"kind": "upload", "id": found}}
        assert "probabilities" in client.route("explanations", {"subject": subject})[1]
        monkeypatch.setattr(uploads, "MAX_STORED_BYTES", -1)
        status, text = client.upload(CAT_FILE, path=path)
        assert (status, json.loads(text)["error"]) == (
            503,
            "The upload storage of the server is full. Try again later.",
        )


def test_work_ends_when_its_client_goes(client, monkeypatch):
    running, ended = threading.Event(), threading.Event()

    def slow(explanation, data, public, call):
        try:
            call.job.report(1, 10)
            running.set()
            assert call.job.is_cancelled.wait(60)
            call.job.report(2, 10)
        finally:
            ended.set()

    monkeypatch.setattr(explanations, "nearest_of", slow)
    body = json.dumps(SHIPPED).encode()
    with client.send(f"{PATH}/nearest", "application/json", body):
        assert running.wait(60)
    assert ended.wait(60)
    assert "probabilities" in client.route("explanations", SHIPPED)[1]


def test_a_request_without_a_stream_also_ends_when_its_client_goes(client, monkeypatch):
    running, ended = threading.Event(), threading.Event()

    def slow(*_):
        running.set()
        ended.wait(60)

    monkeypatch.setattr(explanations, "to_reply", slow)
    cancelled = threading.Event()
    monkeypatch.setattr("vitviz.webapp.server.jobs.Job.cancel", lambda self: cancelled.set())
    with client.send(PATH, "application/json", json.dumps(SHIPPED).encode()):
        assert running.wait(60)
    assert cancelled.wait(60)
    ended.set()


def test_a_stream_is_not_buffered_by_proxies(client):
    request = json.dumps(SHIPPED | {"other": {"kind": "sample", "name": "dog"}, "part": "tokens"})
    _, headers, body = client.request("POST", f"{PATH}/patching", {"Content-Type": "application/json"}, request)
    assert headers["X-Accel-Buffering"] == "no"
    assert headers["Content-Type"].startswith("application/x-ndjson")
    assert "reply" in json.loads(body.splitlines()[-1])


# Models


def test_models_are_listed_with_the_first_one_first():
    with routes() as client:
        reply = client.get("models")
        assert [model["name"] for model in reply["models"]] == ["cifar10-ti4", "cifar10-ti9"]
        assert set(reply["cifar"]) == {"available", "classes", "message"}
        assert dict(client.get("models/facts", model="cifar10-ti4")["facts"])["Layers"].startswith("6 layers")
        assert client.refusal("models/facts", model="nothing")["field"] == "model"
        assert client.refusal("models", page=1)["field"] == "page"


def test_a_model_is_opened_and_canceled(monkeypatch):
    cached = [CachedModel("hf:owner/name", "ViT", 123, 10)]
    monkeypatch.setattr(hub_cache, "list_cached", lambda: cached)
    with routes() as client:
        assert client.get("models/hub")["models"][0] == {
            "name": "hf:owner/name",
            "family": "ViT",
            "bytes": 123,
            "classes": 10,
        }
        opener, started = client.backend.inputs.opener, []
        monkeypatch.setattr(opener, "start", started.append)
        monkeypatch.setattr(opener, "cancel", lambda: started.append("canceled"))
        opener.state = OpenState(requested="timm:x", phase="downloading", done=1, total=2)
        reply = client.get("models/open", action="start", name=" timm:x ")
        client.get("models/open", action="cancel")
        assert (started, reply["phase"], reply["done"]) == (["timm:x", "canceled"], "downloading", 1)
        assert client.refusal("models/open", action="stop")["field"] == "action"
        assert client.refusal("models/open", action="start", name="x" * 1001)["field"] == "name"


def test_a_public_page_opens_no_models_and_downloads_nothing():
    with routes(public=True) as client:
        for path in ("models/hub", "models/open"):
            assert "public page" in client.refusal(path)["error"]
        assert client.refusal("data/download", action="start")["error"] == "CIFAR-10 is not available on this server."


# Data


@pytest.fixture
def gallery():
    with routes() as client:
        yield client


@pytest.fixture
def test_labels():
    try:
        return cifar.load("test", None)[1]
    except DataError as error:
        pytest.skip(str(error))


def test_the_gallery_shows_test_images(gallery, test_labels):
    reply = gallery.get("data/gallery", label=3, page=1)
    expected = (test_labels == 3).nonzero()[:, 0].tolist()
    assert [image["index"] for image in reply["images"]] == expected[40:80]
    assert (reply["count"], reply["pages"], reply["page"]) == (1000, 25, 1)
    assert reply["classes"] == list(cifar.CLASSES)
    assert gallery.get("data/gallery", label=3, index=expected[85])["page"] == 2


@pytest.mark.usefixtures("test_labels")
def test_the_gallery_selects_by_the_predictions_of_a_model(gallery):
    wrong = gallery.get("data/gallery", shown="misclassified", model="cifar10-ti4")
    assert all(image["prediction"] != cifar.CLASSES[image["label"]] for image in wrong["images"])
    surest = gallery.get("data/gallery", shown="confidently wrong", model="cifar10-ti4")
    found = [image["probability"] for image in surest["images"]]
    assert found == sorted(found, reverse=True)
    assert surest["count"] == wrong["count"]


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        ({"dataset": "../x"}, "dataset"),
        ({"dataset": "runs/x"}, "dataset"),
        ({"label": 10}, "label"),
        ({"label": -1}, "label"),
        ({"page": "1"}, "page"),
        ({"shown": "some"}, "shown"),
        ({"shown": "correct"}, "model"),
        ({"shown": "correct", "model": "nothing"}, "model"),
        ({"shown": "correct", "model": "tiny"}, "model"),
        ({"checkpoint": "cifar10-ti4"}, "checkpoint"),
    ],
)
def test_a_gallery_is_refused_by_field(gallery, cifar_folder, monkeypatch, request_, field):
    monkeypatch.setenv("VITVIZ_DATA", str(cifar_folder))
    assert gallery.refusal("data/gallery", **request_)["field"] == field


def test_the_download_of_cifar_is_started_and_canceled(gallery, monkeypatch):
    called = []
    monkeypatch.setattr(gallery.backend.trainings.datasets.download, "start", called.append)
    monkeypatch.setattr(gallery.backend.trainings.datasets.download, "cancel", lambda: called.append("canceled"))
    gallery.get("data/download", action="start")
    gallery.get("data/download", action="start", dataset="cifar100")
    assert not gallery.get("data/download", action="cancel")["running"]
    assert called == ["cifar10", "cifar100", "canceled"]
