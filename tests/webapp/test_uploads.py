"""Uploads and load over HTTP: limits of size, time and storage; slow and concurrent clients."""

import asyncio
import base64
import http.client
import io
import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from PIL import Image

from tests.webapp.serving import CAT, EXPLAIN_CAT, IGNORE_PANDAS_WARNINGS, files_in, running
from vitviz.webapp.server import refusals, uploads
from vitviz.webapp.server.deferred import DeferredBackend
from vitviz.webapp.server.uploads import Uploads

pytestmark = IGNORE_PANDAS_WARNINGS


def test_a_body_with_too_large_a_content_length_is_refused_unread(client, upload_folder):
    before = files_in(upload_folder)
    for path, most in (
        ("/gradio_api/upload", 21 * 2**20),
        ("/gradio_api/call/explain", 2**20 + 1),
        ("/gradio_api/queue/join", 10**12),
    ):
        connection = http.client.HTTPConnection(client.host, timeout=10)
        connection.putrequest("POST", path)
        connection.putheader("Content-Length", str(most))
        connection.putheader("Content-Type", "multipart/form-data; boundary=x")
        connection.endheaders()
        assert connection.getresponse().status == 413
        connection.close()
    assert files_in(upload_folder) == before


def test_a_chunked_body_is_cut_off_and_its_file_deleted(client, upload_folder, monkeypatch):
    before = files_in(upload_folder)
    chunk = b"x" * 2**16
    head = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.png"\r\n\r\n'
    pieces = (piece for piece in (head, *[chunk] * 330))
    status, _, body = client.request(
        "POST", "/gradio_api/upload", {"Content-Type": "multipart/form-data; boundary=x"}, pieces
    )
    assert (status, body[:32]) == (413, b"An upload may have at most 20 Mi")
    assert client.request("POST", "/gradio_api/call/explain", {"Content-Type": "application/json"}, iter([chunk] * 20))[
        0
    ] in (400, 413)
    assert len(files_in(upload_folder)) == len(before) + 1  # what came before the cut
    monkeypatch.setattr(uploads, "MAX_BODY_SECONDS", -1)
    Uploads(next(upload_folder.iterdir())).clean()
    assert files_in(upload_folder) == before


def part_of_an_upload(client):
    """Send an incomplete upload."""
    return client.send("/gradio_api/upload", "multipart/form-data; boundary=x", b"--x", 1000)


def test_a_body_that_does_not_arrive_times_out(client, monkeypatch):
    monkeypatch.setattr(uploads, "MAX_BODY_SECONDS", 0.2)
    with part_of_an_upload(client) as slow:
        slow.settimeout(30)
        assert slow.recv(1000).startswith(b"HTTP/1.1 408")


def test_slow_uploads_do_not_delay_others(client):
    with ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(part_of_an_upload(client))
        assert "probabilities" in client.route("explanations", EXPLAIN_CAT)[1]
        assert client.upload(CAT)[0] == 200


@pytest.mark.slow
def test_disconnected_clients_do_not_fill_the_queue(client):
    assert "probabilities" in client.route("explanations", EXPLAIN_CAT)[1]
    program = {"data": ["cat", "cifar10-ti4", "attention"]}
    for _ in range(100):  # more than the queues of the page and of the endpoints hold
        for path, data in (("vitviz/api/explanations", EXPLAIN_CAT), ("gradio_api/call/explain", program)):
            client.send(f"/{path}", "application/json", json.dumps(data).encode()).close()
    assert "probabilities" in client.route("explanations", EXPLAIN_CAT)[1]
    responses = (client.endpoint("explain", *program["data"]) for _ in range(10_000))
    assert "event: complete" in next(events for status, events in responses if status != 503), (
        "earlier requests complete first"
    )


def test_deeply_nested_json_is_refused(client):
    for body in ("[" * 30_000, "{" * 1000, '{"data": ' * 3_000):
        assert client.request("POST", "/gradio_api/call/explain", {"Content-Type": "application/json"}, body)[0] in (
            400,
            422,
        )


def test_uploads_are_refused_while_the_storage_is_full(client, upload_folder, monkeypatch):
    assert client.upload(CAT)[0] == 200
    monkeypatch.setattr(uploads, "MAX_STORED_BYTES", -1)
    status, text = client.upload(CAT)
    assert (status, text) == (503, "The upload storage of the server is full. Try again later.")


def test_expired_uploads_are_deleted_and_the_rest_measured(tmp_path, monkeypatch):
    for name in ("a/old.png", "b/new.png", "arriving"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(CAT)
    assert uploads.UPLOAD_AGE + uploads.CLEANUP_INTERVAL < 3600
    folder = Uploads(tmp_path)
    folder.clean()
    assert folder.bytes == 3 * (len(CAT) + uploads.FILE_OVERHEAD)
    monkeypatch.setattr(uploads, "UPLOAD_AGE", -1)
    folder.clean()
    assert folder.bytes == len(CAT) + uploads.FILE_OVERHEAD
    monkeypatch.setattr(uploads, "MAX_BODY_SECONDS", -1)
    folder.clean()
    assert list(tmp_path.iterdir()) == []


def test_cleanup_continues_after_a_file_that_cannot_be_deleted(tmp_path, monkeypatch):
    for name in ("a/protected.png", "b/old.png"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(CAT)
    monkeypatch.setattr(uploads, "UPLOAD_AGE", -1)
    real = Path.unlink

    def unlink(path):
        if path.name == "protected.png":
            raise PermissionError(1, "Operation not permitted")
        real(path)

    monkeypatch.setattr(Path, "unlink", unlink)
    Uploads(tmp_path).clean()
    assert [file.name for file in files_in(tmp_path)] == ["protected.png"]


def test_freed_memory_is_returned_while_the_server_runs(tmp_path, monkeypatch):
    returned = threading.Event()
    monkeypatch.setattr(uploads, "return_freed_memory", returned.set)

    async def serve():
        async with Uploads(tmp_path).clean_regularly(None):
            return await asyncio.to_thread(returned.wait, 60)

    assert asyncio.run(serve())


def test_what_has_expired_in_memory_is_deleted_while_the_server_runs(tmp_path, monkeypatch):
    cleaned = threading.Event()
    monkeypatch.setattr(DeferredBackend, "clean", lambda self: cleaned.set())
    with running(tmp_path):
        assert cleaned.wait(60)


def test_nothing_else_in_the_configured_folder_is_touched(tmp_path, monkeypatch):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    own = uploads.make_upload_folder()
    assert own.parent == tmp_path
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(own))
    assert uploads.make_upload_folder().parent == tmp_path, "a second server in this process"
    monkeypatch.setattr(uploads, "UPLOAD_AGE", -1)
    monkeypatch.setattr(uploads, "MAX_BODY_SECONDS", -1)
    Uploads(own).clean()
    assert (tmp_path / "notes.txt").is_file()
    assert (tmp_path / "empty").is_dir()


def test_multipart_bodies_are_accepted_by_the_upload_endpoint_only(client, upload_folder):
    body = b'--x\r\nContent-Disposition: form-data; name="a"; filename="a.png"\r\n\r\nx\r\n--x--\r\n'
    for path in ("/gradio_api/queue/join", "/gradio_api/call/explain"):
        status, _, text = client.request("POST", path, {"Content-Type": " Multipart/form-data; boundary=x"}, body)
        assert (status, text) == (415, b"Files are accepted by the upload endpoint only.")


def test_folders_of_ended_processes_are_deleted(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    left = [
        tmp_path / f"{uploads.FOLDER_PREFIX}{2**31 - 2}-x",
        tmp_path / f"{uploads.FOLDER_PREFIX}{os.getpid()}-y",
        tmp_path / f"{uploads.FOLDER_PREFIX}word",
    ]
    for folder in left:
        folder.mkdir()
    own = uploads.make_upload_folder()
    assert [folder.exists() for folder in left] == [False, True, True]
    assert own.stat().st_mode & 0o777 == 0o700


@pytest.mark.slow
def test_concurrent_uploads_are_not_mixed_up(tmp_path):
    def own(client, shade):
        buffer = io.BytesIO()
        Image.new("RGB", (64, 64), (shade, 255 - shade, shade // 2)).save(buffer, "PNG")
        uploaded = json.loads(client.upload(buffer.getvalue(), path="/vitviz/api/data/uploads")[1])["id"]
        image = {"kind": "upload", "id": uploaded, "name": f"{shade}.png"}
        answer = client.route("explanations", {"subject": {"model": "cifar10-ti4", "image": image}})[1]
        assert "error" not in answer, answer
        shown = answer["image"]
        seen = Image.frombytes("RGB", (shown["width"], shown["height"]), base64.b64decode(shown["pixels"]))
        return uploaded, shown["caption"], seen.getcolors()

    with running(tmp_path) as client, ThreadPoolExecutor(20) as crowd:
        client.route("explanations", {})
        found = list(crowd.map(partial(own, client), range(200)))
    assert len({uploaded for uploaded, _, _ in found}) == 200
    for shade, (_, caption, colors) in enumerate(found):
        assert (caption, colors) == (f"{shade}.png", [(32 * 32, (shade, 255 - shade, shade // 2))])


@pytest.mark.slow
def test_concurrent_requests_get_a_response_or_busy(client):
    client.route("explanations", {})
    with ThreadPoolExecutor(200) as crowd:
        found = list(crowd.map(lambda _: client.route("explanations", EXPLAIN_CAT), range(200)))
    words = [answer.get("error", "answered") for _, answer in found]
    # A reply that already says what it waits for has begun with status 200.
    assert {(status, answer.get("error")) for status, answer in found} <= {
        *((200, None), (200, refusals.BUSY), (503, refusals.BUSY)),
    }
    assert words.count("answered") >= 100
