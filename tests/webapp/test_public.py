"""The server over HTTP: what strangers see of it, and what everybody is told when something fails."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from gradio import processing_utils

from tests.webapp.serving import EXPLAIN_CAT, CAT, IGNORE_PANDAS_WARNINGS, Client, catalog_of, files_in
from vitviz.webapp.app import build_app, serve
from vitviz.webapp.server import guard

pytestmark = IGNORE_PANDAS_WARNINGS


# On a public page


def names_a_folder(answer) -> bool:
    """Whether an answer holds a path of the server; images in base64 are none."""
    return re.search(r"""(?<![\w:+/])/(home|tmp|root|usr|work)/""", json.dumps(answer)) is not None


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:test_batch.bin differs")
def test_no_answer_names_a_folder_of_the_server(public_client):
    assert not names_a_folder(public_client.config())
    answers = [
        public_client.call("gallery", {"label": -1, "page": 0}),
        public_client.call("explain", {"checkpoint": "cifar10-ti4", "image": {"kind": "cifar", "index": 1}}),
        public_client.call("probes", {"checkpoint": "cifar10-ti4", "images": "test"}, "internals"),
    ]
    for status, answer in answers:
        assert status == 200
        assert not names_a_folder(answer)
        if "error" in answer:  # unless the data set is there
            assert answer["error"] == "CIFAR-10 is not available on this server."


def test_strangers_are_not_told_where_the_data_set_was_looked_for(tmp_path):
    app = build_app(str(tmp_path), public=True)
    catalog = catalog_of(app)
    assert catalog["public"] is True
    assert catalog["cifar"]["message"] == "CIFAR-10 is not available on this server."


def test_strangers_can_neither_train_nor_change_anything_over_http(public_client):
    for name in (
        "check",
        "estimate",
        "start",
        "resume",
        "stop",
        "rename",
        "delete",
        "download",
        "download_data",
        "survey",
    ):
        _, answer = public_client.call(name, {"config": {}, "run": "x"}, "train")
        assert "Training is off on a public page" in answer["error"], name


def test_on_a_public_page_secrets_are_forgotten_at_the_start(monkeypatch):
    secrets = ("HF_TOKEN", "aws_secret_access_key", "DB_PASSWORD", "OPENAI_API_KEY", "SSH_PRIVATE_KEY")
    for name in (*secrets, "VITVIZ_TEST_KEYBOARD"):
        monkeypatch.setenv(name, "x")
    build_app()
    assert all(name in os.environ for name in secrets)
    build_app(public=True)
    assert not any(name in os.environ for name in secrets)
    assert "VITVIZ_TEST_KEYBOARD" in os.environ


def test_a_space_is_public_whatever_is_said(monkeypatch):
    monkeypatch.setenv("SPACE_ID", "someone/vitviz")
    app = build_app(public=False)
    assert catalog_of(app)["public"] is True


# When something fails


@pytest.mark.parametrize(
    ("path", "question"),
    [
        ("component_server/", {"session_hash": "s", "component_id": 99999, "fn_name": "explain", "data": {}}),
        ("component_server/", {"session_hash": "s", "component_id": "1", "fn_name": "x", "data": {}}),
        ("component_server/", [1]),
        ("queue/join", {"data": [], "fn_index": 99, "session_hash": "s"}),
        ("queue/join", {"data": [], "fn_index": -1, "session_hash": "s"}),
        ("call/explain", {"data": []}),
    ],
)
def test_a_malformed_request_gets_no_traceback(client, path, question):
    _, text = client.post(f"/gradio_api/{path}", question)
    assert "Traceback" not in text
    assert "site-packages" not in text
    assert len(text) < 300
    assert client.request("GET", "/config")[0] == 200


def test_a_failure_that_nobody_foresaw_is_one_calm_sentence_with_a_reference(client, monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("secret /home/x")

    monkeypatch.setattr("vitviz.webapp.pages.explore.sample_path", fail)
    monkeypatch.setattr("vitviz.webapp.app.sample_path", fail)
    _, answer = client.call("explain", EXPLAIN_CAT)
    reference = re.fullmatch(r"Something went wrong on the server \(reference (\w{6})\)\. .*", answer["error"])[1]
    assert f"Server function failed, reference {reference}" in caplog.text
    assert "secret" in caplog.text
    _, events = client.endpoint("explain", "cat", "cifar10-ti4", "average")
    assert "Something went wrong on the server (reference" in events
    assert "secret" not in events


def test_a_failure_before_any_answer_is_as_calm_and_binds_the_browser_too(client, monkeypatch, caplog):
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
    """A file as Gradio's clients name it."""
    return {"path": path, "meta": {"_type": "gradio.FileData"}}


def test_a_program_explains_a_file_that_it_has_uploaded_wherever_uploads_go(monkeypatch):
    monkeypatch.delenv("GRADIO_TEMP_DIR", raising=False)  # `serve` chooses a folder once the page is built
    app = build_app()
    monkeypatch.setenv("GRADIO_TEMP_DIR", "")  # taken back at the end
    client = Client(serve(app, block=False))
    own = Path(os.environ["GRADIO_TEMP_DIR"])
    try:
        (path,) = json.loads(client.upload(CAT)[1])
        _, events = client.endpoint("explain", file_data(path), "cifar10-ti4", "average")
        assert "probabilities" in events
        assert [file.resolve() for file in files_in(own)] == [Path(path).resolve()], "nothing was copied"
    finally:
        app.close(verbose=False)
        shutil.rmtree(own)


def test_no_address_is_fetched_for_a_program(client, monkeypatch):
    fetched = []

    async def fetch(address, **_):
        fetched.append(address)
        return address

    monkeypatch.setattr(processing_utils, "async_ssrf_protected_download", fetch)
    _, events = client.endpoint("explain", file_data("http://images.example.com/x.png"), "cifar10-ti4", "average")
    assert "Only an uploaded image can be explained" in events
    assert not fetched
