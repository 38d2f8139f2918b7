"""The server over HTTP: how much is taken in, and that whoever sends slowly or too much keeps nobody waiting."""

import base64
import http.client
import io
import json
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from PIL import Image

from tests.webapp.serving import EXPLAIN_CAT, CAT, IGNORE_PANDAS_WARNINGS, files_in, running
from vitviz.webapp.server import queue, uploads
from vitviz.webapp.server.uploads import Uploads

pytestmark = IGNORE_PANDAS_WARNINGS


def test_a_body_that_says_it_is_too_large_is_refused_unread(client, upload_folder):
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


def test_a_body_that_does_not_say_its_size_is_cut_off_and_leaves_nothing_for_long(client, upload_folder, monkeypatch):
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
    Uploads(Path(os.environ["GRADIO_TEMP_DIR"])).clean()
    assert files_in(upload_folder) == before


def part_of_an_upload(client):
    """An upload of which no more comes."""
    return client.send("/gradio_api/upload", "multipart/form-data; boundary=x", b"--x", 1000)


def test_a_body_that_does_not_arrive_is_given_up(client, monkeypatch):
    monkeypatch.setattr(uploads, "MAX_BODY_SECONDS", 0.2)
    with part_of_an_upload(client) as slow:
        slow.settimeout(30)
        assert slow.recv(1000).startswith(b"HTTP/1.1 408")


def test_while_many_send_slowly_others_are_answered(client):
    with ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(part_of_an_upload(client))
        assert "probabilities" in client.call("explain", EXPLAIN_CAT)[1]
        assert client.upload(CAT)[0] == 200


@pytest.mark.slow
def test_visitors_who_are_cut_off_before_their_answer_hold_no_place(client):
    assert "probabilities" in client.call("explain", EXPLAIN_CAT)[1]
    number = client.ids["explorer"]
    component = {"session_hash": "s", "component_id": number, "fn_name": "explain", "data": EXPLAIN_CAT}
    program = {"data": ["cat", "cifar10-ti4", "attention"]}
    for _ in range(100):  # more than the page's line holds, and more than the queue of the endpoints
        for path, question in (("component_server/", component), ("call/explain", program)):
            client.send(f"/gradio_api/{path}", "application/json", json.dumps(question).encode()).close()
    assert "probabilities" in client.call("explain", EXPLAIN_CAT)[1]
    asked = (client.endpoint("explain", *program["data"]) for _ in range(10_000))
    assert "event: complete" in next(events for status, events in asked if status != 503), "those before it go first"


def test_a_deep_question_is_refused(client):
    for body in ("[" * 30_000, "{" * 1000, '{"data": ' * 3_000):
        assert client.request("POST", "/gradio_api/call/explain", {"Content-Type": "application/json"}, body)[0] in (
            400,
            422,
        )


def test_a_full_folder_takes_nothing_more_until_it_was_tidied(client, upload_folder, monkeypatch):
    assert client.upload(CAT)[0] == 200
    monkeypatch.setattr(uploads, "MAX_STORED_BYTES", -1)
    status, sentence = client.upload(CAT)
    assert (status, sentence) == (503, "The upload storage of the server is full. Try again later.")


def test_what_is_too_old_is_removed_and_the_rest_counted(tmp_path, monkeypatch):
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


def test_one_file_that_cannot_be_removed_does_not_end_the_tidying(tmp_path, monkeypatch):
    for name in ("a/theirs.png", "b/old.png"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(CAT)
    monkeypatch.setattr(uploads, "UPLOAD_AGE", -1)
    real = Path.unlink

    def unlink(path):
        if path.name == "theirs.png":
            raise PermissionError(1, "Operation not permitted")
        real(path)

    monkeypatch.setattr(Path, "unlink", unlink)
    Uploads(tmp_path).clean()
    assert [file.name for file in files_in(tmp_path)] == ["theirs.png"]


def test_in_a_folder_that_is_named_nothing_is_ours_but_a_new_one(tmp_path, monkeypatch):
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


def test_files_are_taken_at_the_address_for_uploads_only(client, upload_folder):
    body = b'--x\r\nContent-Disposition: form-data; name="a"; filename="a.png"\r\n\r\nx\r\n--x--\r\n'
    for path in ("/gradio_api/component_server", "/gradio_api/component_server/", "/gradio_api/call/explain"):
        status, _, sentence = client.request("POST", path, {"Content-Type": " Multipart/form-data; boundary=x"}, body)
        assert (status, sentence) == (415, b"Files are accepted by the upload endpoint only.")


def test_the_folder_of_a_process_that_is_gone_is_removed(tmp_path, monkeypatch):
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
def test_each_visitor_of_a_crowd_gets_an_answer_about_the_own_image(tmp_path):
    def own(client, shade):
        buffer = io.BytesIO()
        Image.new("RGB", (64, 64), (shade, 255 - shade, shade // 2)).save(buffer, "PNG")
        path = json.loads(client.upload(buffer.getvalue(), f"{shade}.png")[1])[0]
        chosen = {"kind": "upload", "path": path, "name": f"{shade}.png"}
        answer = client.call("explain", {"checkpoint": "cifar10-ti4", "image": chosen})[1]
        assert "error" not in answer, answer
        seen = Image.open(io.BytesIO(base64.b64decode(answer["image"]["src"].partition(",")[2])))
        return answer["key"], answer["image"]["caption"], seen.getcolors()

    with running(tmp_path) as client, ThreadPoolExecutor(20) as crowd:
        client.call("explain", {})
        found = list(crowd.map(partial(own, client), range(200)))
    assert len({key for key, _, _ in found}) == 200
    for shade, (_, caption, colours) in enumerate(found):
        assert (caption, colours) == (f"{shade}.png", [(32 * 32, (shade, 255 - shade, shade // 2))])


@pytest.mark.slow
def test_many_who_ask_at_once_get_an_answer_or_are_told_that_the_server_is_busy(client):
    client.call("explain", {})
    with ThreadPoolExecutor(200) as crowd:
        found = list(crowd.map(lambda _: client.call("explain", EXPLAIN_CAT), range(200)))
    assert {status for status, _ in found} == {200}
    words = [answer.get("error", "answered") for _, answer in found]
    assert set(words) <= {"answered", queue.BUSY}
    assert words.count("answered") >= 100
