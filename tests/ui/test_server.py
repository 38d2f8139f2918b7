"""The server over HTTP: whom it answers, what it takes in, what strangers see. A control taken away fails here."""

import base64
import http.client
import io
import json
import os
import re
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial

import pytest
from PIL import Image

from tests.ui.serving import running
from vitviz.data.pictures import sample_paths
from vitviz.ui import server, turns
from vitviz.ui.app import build_app
from vitviz.ui.server import Uploads, further_names

CAT = sample_paths()["cat"].read_bytes()
FOREIGN = "http://evil.example"

# Gradio counts its queue with an option that pandas is about to drop.
pytestmark = pytest.mark.filterwarnings("ignore:'future.no_silent_downcasting'")


@pytest.fixture(scope="module")
def uploads(tmp_path_factory):
    return tmp_path_factory.mktemp("uploads")


@pytest.fixture(scope="module")
def visitor(uploads):
    with running(uploads, names=("vitviz.example",)) as visitor:
        yield visitor


@pytest.fixture(scope="module")
def stranger(tmp_path_factory):
    with running(tmp_path_factory.mktemp("uploads"), public=True) as visitor:
        yield visitor


def files_in(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


# Under which names and for which pages


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "evil.example:80", "", "[", "127.0.0.1.nip.io"]
)
@pytest.mark.parametrize("path", ["/", "/config", "/gradio_api/info"])
def test_a_foreign_name_is_not_answered(visitor, host, path):
    status, _, body = visitor.ask("GET", path, {"Host": host})
    assert status == 400
    assert b"--allow-host NAME" in body


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:7860", "192.168.1.7:80", "vitviz.example"]
)
def test_this_machine_is_answered_by_name_and_address_and_under_the_names_that_are_allowed(visitor, host):
    assert visitor.ask("GET", "/config", {"Host": host})[0] == 200


def test_the_machines_own_name_is_answered(visitor):
    assert visitor.ask("GET", "/config", {"Host": f"{socket.gethostname()}:7860"})[0] == 200


@pytest.mark.parametrize(
    "origin",
    [
        FOREIGN,
        "null",
        "http://localhost:1",
        "http://127.0.0.1:1",
        "file://",
        "http://[",
        "https://vitviz.example.evil.example",
    ],
)
def test_a_page_of_another_site_can_neither_upload_nor_ask(visitor, uploads, origin):
    before = files_in(uploads)
    assert visitor.upload(CAT, Origin=origin)[0] == 403
    assert visitor.post("/gradio_api/call/explain", {"data": ["cat"]}, Origin=origin)[0] == 403
    assert visitor.ask("GET", "/config", {"Origin": origin})[0] == 403
    assert files_in(uploads) == before


def test_our_own_page_may_ask_also_through_a_proxy(visitor):
    assert visitor.ask("GET", "/config", {"Origin": f"http://{visitor.host}"})[0] == 200
    assert visitor.ask("GET", "/config", {"Origin": "https://vitviz.example"})[0] == 200


def test_a_space_is_answered_under_its_own_name(monkeypatch):
    monkeypatch.setenv("SPACE_HOST", "someone-vitviz.hf.space")
    monkeypatch.setenv("VITVIZ_HOSTS", "a.example, B.example")
    assert further_names(["c.example"]) == {"someone-vitviz.hf.space", "a.example", "b.example", "c.example"}


def test_only_this_machine_is_listened_to_unless_told_otherwise(visitor):
    assert visitor.host.startswith("127.0.0.1:")
    for address in {found[4][0] for found in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}:
        if not address.startswith("127."):
            with (
                pytest.raises(ConnectionRefusedError),
                socket.create_connection((address, int(visitor.host.split(":")[1])), timeout=5),
            ):
                pass


# What the browser is told


@pytest.mark.parametrize("path", ["/", "/config", "/gradio_api/info", "/nothing", "/theme.css"])
def test_every_answer_binds_the_browser_to_this_server(visitor, path):
    headers = visitor.ask("GET", path)[1]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["form-action"] == "'self'"
    assert policy["object-src"] == "'none'"
    assert not any("http" in sources or "*" in sources for sources in policy.values())


def test_a_space_may_be_framed_by_its_host_alone(monkeypatch):
    monkeypatch.setenv("SPACE_ID", "someone/vitviz")
    assert "frame-ancestors 'self' https://huggingface.co https://*.hf.space" in server.policy()


# What can be reached


@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/file=/etc/passwd",
        "/gradio_api/file=/proc/self/environ",
        "/gradio_api/file=../../../../etc/passwd",
        "/gradio_api/file=%2e%2e/%2e%2e/etc/passwd",
        "/gradio_api/file/etc/passwd",
        "/file=/etc/passwd",
        "/static/../../../../../etc/passwd",
        "/static/..%2f..%2f..%2f..%2fetc/passwd",
        "/assets/%2e%2e/%2e%2e/%2e%2e/routes.py",
        "/gradio_api/proxy=http://127.0.0.1:9/",
        "/gradio_api/openapi.json",
        "/gradio_api/runs",
        "/gradio_api/run-history/records",
        "/gradio_api/deep_link",
        "/gradio_api/vibe-code/",
        "/gradio_api/stream/a/b/1/playlist.m3u8",
        "/gradio_api/profiling/summary",
        "/gradio_api/run/explain",
        "/monitoring",
        "/monitoring/summary",
        "/docs",
        "/redoc",
        "/openapi.json",
        "/login",
        "/app.py",
        "/configuration",
        "/?page=another",
        "/config?page=another",
    ],
)  # fmt: skip
def test_there_is_nothing_but_the_page(visitor, path):
    for method in ("GET", "POST"):
        status, _, body = visitor.ask(method, path)
        assert status in (400, 403, 404, 405)
        assert b"root:" not in body
        assert b"/home" not in body
        assert b"Traceback" not in body


def test_an_upload_is_never_served_back(visitor):
    path = json.loads(visitor.upload(CAT)[1])[0]
    for asked in (f"/gradio_api/file={path}", f"/file={path}", f"/gradio_api/file/{path}", f"/static/{path}"):
        status, _, body = visitor.ask("GET", asked)
        assert status in (403, 404)
        assert CAT not in body


def test_nothing_but_the_curated_functions_can_be_called(visitor):
    app = build_app()
    assert {function.api_name for function in app.fns.values()} == {"explain", "checkpoints", "methods"}
    offered = {
        (block.elem_id, name)
        for block in app.blocks.values()
        for name in dir(block)
        if getattr(getattr(block, name, None), "_is_server_fn", False)
    }
    asked = {
        "explorer": "explain attention methods scores intervene gallery figure models",
        "inside": "probes models",
        "train": "poll movie check estimate start resume resume_sweep stop rename delete download fetch_data "
        "cancel_fetch take_pictures survey",
    }
    assert offered == {(component, name) for component, names in asked.items() for name in names.split()}
    for name in ("__init__", "picture", "catalog", "launch", "__class__"):
        assert visitor.call(name, {})[0] == 404
    assert visitor.endpoint("predict", 1)[0] == 404


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
def test_a_malformed_request_gets_no_traceback(visitor, path, question):
    _, text = visitor.post(f"/gradio_api/{path}", question)
    assert "Traceback" not in text
    assert "site-packages" not in text
    assert len(text) < 300
    assert visitor.ask("GET", "/config")[0] == 200


def test_every_file_like_field_refuses_files_that_were_not_uploaded(visitor):
    for path in (
        "/etc/passwd",
        "../../etc/passwd",
        "/proc/self/environ",
        "checkpoints/cifar10-ti4.safetensors",
        "\0",
        "//x/y",
    ):
        _, answer = visitor.call(
            "explain", {"checkpoint": "cifar10-ti4", "picture": {"kind": "upload", "path": path, "name": "x"}}
        )
        assert set(answer) == {"error"}
        _, events = visitor.endpoint(
            "explain", {"path": path, "meta": {"_type": "gradio.FileData"}}, "cifar10-ti4", "average"
        )
        assert "event: error" in events
        _, answer = visitor.call("explain", {"checkpoint": path, "picture": {"kind": "sample", "name": "cat"}})
        assert "There is no checkpoint" in answer["error"]
        _, answer = visitor.call("explain", {"checkpoint": "cifar10-ti4", "picture": {"kind": "sample", "name": path}})
        assert "There is no sample" in answer["error"]
        _, answer = visitor.call("probes", {"checkpoint": path, "pictures": "samples"}, "inside")
        assert "There is no checkpoint" in answer["error"]


@pytest.fixture
def canary():
    """A server that nobody should ask; the list of who did."""
    asked = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.05)
        done = threading.Event()

        def listen():
            while not done.is_set():
                try:
                    asked.append(listening.accept()[1])
                except TimeoutError:
                    continue

        thread = threading.Thread(target=listen)
        thread.start()
        yield listening.getsockname()[1], asked
        done.set()
        thread.join()


def test_no_address_is_ever_fetched(visitor, canary):
    port, asked = canary
    for url in (
        f"http://127.0.0.1:{port}/a.png",
        f"http://2130706433:{port}/a.png",
        f"http://[::ffff:127.0.0.1]:{port}/a.png",
    ):
        picture = {"path": url, "url": url, "meta": {"_type": "gradio.FileData"}}
        status, events = visitor.endpoint("explain", picture, "cifar10-ti4", "average")
        assert status >= 400 or "event: error" in events
        _, answer = visitor.call(
            "explain", {"checkpoint": url, "picture": {"kind": "upload", "path": url, "name": "a"}}
        )
        assert set(answer) == {"error"}
    assert asked == []


@pytest.mark.filterwarnings("ignore:test_batch.bin differs")
def test_no_answer_names_a_folder_of_the_server(stranger):
    assert not re.search(r"(?<![\w:])/(home|tmp|root|usr)/", json.dumps(stranger.config()))
    answers = [
        stranger.call("gallery", {"label": -1, "page": 0}),
        stranger.call("explain", {"checkpoint": "cifar10-ti4", "picture": {"kind": "cifar", "index": 1}}),
        stranger.call("probes", {"checkpoint": "cifar10-ti4", "pictures": "test"}, "inside"),
    ]
    for status, answer in answers:
        assert status == 200
        if "error" in answer:  # unless the data set is there
            assert answer["error"] == "CIFAR-10 is not on this server."


def test_strangers_are_not_told_where_the_data_set_was_looked_for(tmp_path):
    app = build_app(str(tmp_path), public=True)
    catalog = next(
        block.props["catalog"] for block in app.blocks.values() if getattr(block, "elem_id", "") == "explorer"
    )
    assert catalog["public"] is True
    assert catalog["cifar"]["message"] == "CIFAR-10 is not on this server."


def test_strangers_can_neither_train_nor_change_anything_over_http(stranger):
    for name in (
        "check",
        "estimate",
        "start",
        "resume",
        "stop",
        "rename",
        "delete",
        "download",
        "fetch_data",
        "survey",
    ):
        _, answer = stranger.call(name, {"config": {}, "run": "x"}, "train")
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
    assert next(b.props["catalog"] for b in app.blocks.values() if getattr(b, "elem_id", "") == "explorer")["public"]


def test_a_failure_that_nobody_foresaw_is_one_calm_sentence_with_a_reference(visitor, monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("secret /home/x")

    monkeypatch.setattr("vitviz.ui.explore.sample", fail)
    monkeypatch.setattr("vitviz.ui.app.sample", fail)
    _, answer = visitor.call("explain", {"checkpoint": "cifar10-ti4", "picture": {"kind": "sample", "name": "cat"}})
    reference = re.fullmatch(r"Something went wrong on the server \(reference (\w{6})\)\. .*", answer["error"])[1]
    assert f"Answer {reference} failed" in caplog.text
    assert "secret" in caplog.text
    _, events = visitor.endpoint("explain", "cat", "cifar10-ti4", "average")
    assert "Something went wrong on the server (reference" in events
    assert "secret" not in events


def test_a_failure_before_any_answer_is_as_calm_and_binds_the_browser_too(visitor, monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("secret /home/x")

    monkeypatch.setattr(server, "is_known", fail)
    status, headers, body = visitor.ask("GET", "/")
    assert status == 500
    assert headers["X-Content-Type-Options"] == "nosniff"
    reference = re.search(rb"reference (\w{6})", body)[1].decode()
    assert f"Request {reference} failed" in caplog.text
    assert b"secret" not in body


# How much is taken in


def test_a_body_that_says_it_is_too_large_is_refused_unread(visitor, uploads):
    before = files_in(uploads)
    for path, most in (
        ("/gradio_api/upload", 21 * 2**20),
        ("/gradio_api/call/explain", 2**20 + 1),
        ("/gradio_api/queue/join", 10**12),
    ):
        connection = http.client.HTTPConnection(visitor.host, timeout=10)
        connection.putrequest("POST", path)
        connection.putheader("Content-Length", str(most))
        connection.putheader("Content-Type", "multipart/form-data; boundary=x")
        connection.endheaders()
        assert connection.getresponse().status == 413
        connection.close()
    assert files_in(uploads) == before


def test_a_body_that_does_not_say_its_size_is_cut_off_and_leaves_nothing_for_long(visitor, uploads, monkeypatch):
    before = files_in(uploads)
    chunk = b"x" * 2**16
    head = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.png"\r\n\r\n'
    pieces = (piece for piece in (head, *[chunk] * 330))
    status, _, body = visitor.ask(
        "POST", "/gradio_api/upload", {"Content-Type": "multipart/form-data; boundary=x"}, pieces
    )
    assert (status, body[:32]) == (413, b"An uploaded file may have at mos")
    assert visitor.ask("POST", "/gradio_api/call/explain", {"Content-Type": "application/json"}, iter([chunk] * 20))[
        0
    ] in (400, 413)
    assert len(files_in(uploads)) == len(before) + 1  # what came before the cut
    monkeypatch.setattr(server, "MOST_BODY_SECONDS", -1)
    Uploads(uploads).tidy()
    assert files_in(uploads) == before


def test_a_body_that_does_not_arrive_is_given_up(visitor, monkeypatch):
    monkeypatch.setattr(server, "MOST_BODY_SECONDS", 0.2)
    with socket.create_connection(visitor.host.split(":")) as slow:
        head = f"POST /gradio_api/upload HTTP/1.1\r\nHost: {visitor.host}\r\nContent-Length: 1000\r\n"
        slow.sendall(f"{head}Content-Type: multipart/form-data; boundary=x\r\n\r\n--x".encode())
        slow.settimeout(30)
        assert slow.recv(1000).startswith(b"HTTP/1.1 408")


def test_while_many_send_slowly_others_are_answered(visitor):
    head = f"POST /gradio_api/upload HTTP/1.1\r\nHost: {visitor.host}\r\nContent-Length: 1000\r\n"
    with ExitStack() as stack:
        for _ in range(100):
            slow = stack.enter_context(socket.create_connection(visitor.host.split(":")))
            slow.sendall(f"{head}Content-Type: multipart/form-data; boundary=x\r\n\r\n--x".encode())
        question = {"checkpoint": "cifar10-ti4", "picture": {"kind": "sample", "name": "cat"}}
        assert "probabilities" in visitor.call("explain", question)[1]
        assert visitor.upload(CAT)[0] == 200


def test_visitors_who_are_cut_off_before_their_answer_hold_no_place(visitor):
    model, name = "cifar10-ti4", "cat"
    asked = {"checkpoint": model, "picture": {"kind": "sample", "name": name}}
    assert "probabilities" in visitor.call("explain", asked)[1]
    component = {"session_hash": "s", "component_id": visitor.numbers["explorer"], "fn_name": "explain", "data": asked}
    program = {"data": [name, model, "attention"]}
    for _ in range(100):  # more than the page's line holds, and more than the queue of the endpoints
        for path, question in (("component_server/", component), ("call/explain", program)):
            body = json.dumps(question)
            head = f"POST /gradio_api/{path} HTTP/1.1\r\nHost: {visitor.host}\r\nContent-Type: application/json\r\n"
            with socket.create_connection(visitor.host.split(":")) as cut:
                cut.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
    assert "probabilities" in visitor.call("explain", asked)[1]
    assert "event: complete" in visitor.endpoint("explain", *program["data"])[1]


def test_a_deep_question_is_refused(visitor):
    for body in ("[" * 200_000, "{" * 1000, '{"data": ' * 90_000):
        assert visitor.ask("POST", "/gradio_api/call/explain", {"Content-Type": "application/json"}, body)[0] in (
            400,
            422,
        )


def test_a_full_folder_takes_nothing_more_until_it_was_tidied(visitor, uploads, monkeypatch):
    assert visitor.upload(CAT)[0] == 200
    monkeypatch.setattr(server, "MOST_STORED_BYTES", -1)
    status, sentence = visitor.upload(CAT)
    assert (status, sentence) == (503, "The server holds as many pictures as it can. Try again later.")


def test_what_is_too_old_is_removed_and_the_rest_counted(tmp_path, monkeypatch):
    for name in ("a/old.png", "b/new.png", "arriving"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(CAT)
    assert server.UPLOAD_AGE + server.TIDY_EVERY < 3600
    folder = Uploads(tmp_path)
    folder.tidy()
    assert folder.bytes == 3 * len(CAT)
    monkeypatch.setattr(server, "UPLOAD_AGE", -1)
    folder.tidy()
    assert folder.bytes == len(CAT)
    monkeypatch.setattr(server, "MOST_BODY_SECONDS", -1)
    folder.tidy()
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_a_process_that_is_gone_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(server.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(server.tempfile, "tempdir", str(tmp_path))
    left = [
        tmp_path / f"{server.FOLDER_PREFIX}{2**31 - 2}-x",
        tmp_path / f"{server.FOLDER_PREFIX}{os.getpid()}-y",
        tmp_path / f"{server.FOLDER_PREFIX}word",
    ]
    for folder in left:
        folder.mkdir()
    own = server.own_folder()
    assert [folder.exists() for folder in left] == [False, True, True]
    assert own.stat().st_mode & 0o777 == 0o700


def test_each_visitor_of_a_crowd_gets_an_answer_about_the_own_picture(tmp_path):
    def own(visitor, shade):
        buffer = io.BytesIO()
        Image.new("RGB", (64, 64), (shade, 255 - shade, shade // 2)).save(buffer, "PNG")
        path = json.loads(visitor.upload(buffer.getvalue(), f"{shade}.png")[1])[0]
        chosen = {"kind": "upload", "path": path, "name": f"{shade}.png"}
        answer = visitor.call("explain", {"checkpoint": "cifar10-ti4", "picture": chosen})[1]
        assert "error" not in answer, answer
        seen = Image.open(io.BytesIO(base64.b64decode(answer["picture"]["src"].partition(",")[2])))
        return answer["key"], answer["picture"]["caption"], seen.getcolors()

    with running(tmp_path) as visitor, ThreadPoolExecutor(20) as crowd:
        visitor.call("explain", {})
        found = list(crowd.map(partial(own, visitor), range(200)))
    assert len({key for key, _, _ in found}) == 200
    for shade, (_, caption, colours) in enumerate(found):
        assert (caption, colours) == (f"{shade}.png", [(32 * 32, (shade, 255 - shade, shade // 2))])


def test_many_who_ask_at_once_get_an_answer_or_are_told_that_the_server_is_busy(visitor):
    visitor.call("explain", {})
    question = {"checkpoint": "cifar10-ti4", "picture": {"kind": "sample", "name": "cat"}}
    with ThreadPoolExecutor(200) as crowd:
        found = list(crowd.map(lambda _: visitor.call("explain", question), range(200)))
    assert {status for status, _ in found} == {200}
    words = [answer.get("error", "answered") for _, answer in found]
    assert set(words) <= {"answered", turns.BUSY}
    assert words.count("answered") >= 100
