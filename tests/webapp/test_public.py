"""The server over HTTP: public pages, and responses to unexpected errors."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
import torch
from gradio import processing_utils

from benchmarks.page import unused_port
from tests.webapp.serving import CAT, IGNORE_PANDAS_WARNINGS, Client, catalog_of, files_in
from vitviz.runs.process import NO_MEMORY
from vitviz.webapp import user_models
from vitviz.webapp.app import build_app, serve
from vitviz.webapp.server import guard

pytestmark = IGNORE_PANDAS_WARNINGS


def explain(image):
    """Return a request for the explanation of an image."""
    return {"subject": {"model": "cifar10-ti4", "image": image}}


# Public pages


def names_a_folder(answer) -> bool:
    """Whether a response contains a path of the server, outside base64."""
    return re.search(r"""(?<![\w:+/])/(home|tmp|root|usr|work)/""", json.dumps(answer)) is not None


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:test_batch.bin differs")
def test_no_response_contains_a_path_of_the_server(public_client):
    assert not names_a_folder(public_client.config())
    answers = [
        public_client.route("data/gallery", {}),
        public_client.route("explanations", explain({"kind": "test", "index": 1})),
    ]
    probe = {"model": "cifar10-ti4", "images": "test", "probe": "cka"}
    answers.append(public_client.route("models/probe-file", probe))
    for status, answer in answers:
        assert (status == 200) == ("error" not in answer)
        assert not names_a_folder(answer)
        if "error" in answer:  # unless the dataset is there
            assert answer["error"] == "CIFAR-10 is not available on this server."


def test_the_path_of_the_dataset_is_hidden(tmp_path):
    app = build_app(str(tmp_path), public=True)
    catalog = catalog_of(app)
    assert catalog["public"] is True
    assert catalog["cifar"]["message"] == "CIFAR-10 is not available on this server."


def test_training_is_refused_over_http(public_client):
    for path in ("runs/start", "runs/resume", "data/folders/delete"):
        status, answer = public_client.route(path, {})
        assert (status, "Training is off on a public page" in answer["error"]) == (400, True), path
    status, text = public_client.upload(b"", path="/vitviz/api/data/folders")
    assert (status, "Training is off on a public page" in text) == (400, True)


def test_models_are_not_opened_over_http(public_client):
    for path, request in (("models/open", {"action": "start", "name": "/etc"}), ("models/hub", {})):
        status, answer = public_client.route(path, request)
        assert (status, "Models cannot be opened on a public page" in answer["error"]) == (400, True), path


def test_secrets_are_removed_from_the_environment(monkeypatch):
    secrets = ("HF_TOKEN", "aws_secret_access_key", "DB_PASSWORD", "OPENAI_API_KEY", "SSH_PRIVATE_KEY")
    for name in (*secrets, "VITVIZ_TEST_KEYBOARD"):
        monkeypatch.setenv(name, "x")
    build_app()
    assert all(name in os.environ for name in secrets)
    build_app(public=True)
    assert not any(name in os.environ for name in secrets)
    assert "VITVIZ_TEST_KEYBOARD" in os.environ


def test_the_first_model_is_opened_with_the_token_of_the_hub(tiny_file, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "x")
    load, tokens = user_models.load, []
    monkeypatch.setattr(user_models, "load", lambda source: tokens.append(os.environ.get("HF_TOKEN")) or load(source))
    build_app(public=True, checkpoint=str(tiny_file))
    assert tokens == ["x"]
    assert "HF_TOKEN" not in os.environ


def test_a_space_is_always_public(monkeypatch):
    monkeypatch.setenv("SPACE_ID", "someone/vitviz")
    app = build_app(public=False)
    assert catalog_of(app)["public"] is True


# Unexpected errors


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("component_server/", {"session_hash": "s", "component_id": 99999, "fn_name": "explain", "data": {}}),
        ("component_server/", {"session_hash": "s", "component_id": "1", "fn_name": "x", "data": {}}),
        ("component_server/", [1]),
        ("queue/join", {"data": [], "fn_index": 99, "session_hash": "s"}),
        ("queue/join", {"data": [], "fn_index": -1, "session_hash": "s"}),
        ("call/explain", {"data": []}),
    ],
)
def test_a_malformed_request_gets_no_traceback(client, path, data):
    _, text = client.post(f"/gradio_api/{path}", data)
    assert "Traceback" not in text
    assert "site-packages" not in text
    assert len(text) < 300
    assert client.request("GET", "/config")[0] == 200


def test_an_unexpected_error_returns_a_generic_sentence_with_a_reference(client, monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("secret /home/x")

    monkeypatch.setattr("vitviz.webapp.inputs.sample_path", fail)
    monkeypatch.setattr("vitviz.webapp.endpoints.sample_path", fail)
    status, answer = client.route("explanations", explain({"kind": "sample", "name": "ship"}))
    assert status == 500
    reference = re.fullmatch(r"Something went wrong on the server \(reference (\w{6})\)\. .*", answer["error"])[1]
    assert f"Request failed, reference {reference}" in caplog.text
    assert "secret" in caplog.text
    _, events = client.endpoint("explain", "cat", "cifar10-ti4", "average")
    assert "Something went wrong on the server (reference" in events
    assert "secret" not in events


def test_an_error_in_the_guard_returns_a_generic_sentence_with_security_headers(client, monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("secret /home/x")

    monkeypatch.setattr(guard, "is_known_path", fail)
    status, headers, body = client.request("GET", "/")
    assert status == 500
    assert headers["X-Content-Type-Options"] == "nosniff"
    reference = re.search(rb"reference (\w{6})", body)[1].decode()
    assert f"Request failed, reference {reference}" in caplog.text
    assert b"secret" not in body


def file_data(path: str) -> dict:
    """Return a file as Gradio's clients send it."""
    return {"path": path, "meta": {"_type": "gradio.FileData"}}


def test_the_endpoint_explains_an_uploaded_file(monkeypatch):
    monkeypatch.delenv("GRADIO_TEMP_DIR", raising=False)  # `serve` chooses a folder once the page is built
    app = build_app()
    monkeypatch.setenv("GRADIO_TEMP_DIR", "")  # taken back at the end
    client = Client(serve(app, port=unused_port(), block=False))
    own = Path(os.environ["GRADIO_TEMP_DIR"])
    try:
        (path,) = json.loads(client.upload(CAT)[1])
        _, events = client.endpoint("explain", file_data(path), "cifar10-ti4", "average")
        assert "probabilities" in events
        assert [file.resolve() for file in files_in(own)] == [Path(path).resolve()], "nothing was copied"
    finally:
        app.close(verbose=False)
        shutil.rmtree(own)


def test_the_endpoint_fetches_no_url(client, monkeypatch):
    fetched = []

    async def fetch(address, **_):
        fetched.append(address)
        return address

    monkeypatch.setattr(processing_utils, "async_ssrf_protected_download", fetch)
    _, events = client.endpoint("explain", file_data("http://images.example.com/x.png"), "cifar10-ti4", "average")
    assert "Only an uploaded image can be explained" in events
    assert not fetched


def test_memory_that_runs_out_is_said_and_logged(client, monkeypatch, caplog):
    def fail(*_):
        raise torch.OutOfMemoryError("Tried to allocate 2 GiB of /home/x")

    monkeypatch.setattr("vitviz.webapp.inputs.sample_path", fail)
    monkeypatch.setattr("vitviz.webapp.endpoints.sample_path", fail)
    status, answer = client.route("explanations", explain({"kind": "sample", "name": "ship"}))
    assert (status, answer["error"]) == (503, NO_MEMORY)
    assert "Tried to allocate" in caplog.text
    _, events = client.endpoint("explain", "cat", "cifar10-ti4", "average")
    assert NO_MEMORY in events
