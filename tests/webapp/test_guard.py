"""The server over HTTP: whom it answers and what can be reached. A control taken away fails here."""

import json
import socket
import threading

import pytest

from tests.webapp.serving import CAT, IGNORE_PANDAS_WARNINGS, files_in
from vitviz.webapp.app import build_app
from vitviz.webapp.server import guard
from vitviz.webapp.server.guard import allowed_hosts

FOREIGN = "http://evil.example"

pytestmark = IGNORE_PANDAS_WARNINGS


# Under which names and for which pages


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "evil.example:80", "", "[", "127.0.0.1.nip.io"]
)
@pytest.mark.parametrize("path", ["/", "/config", "/gradio_api/info"])
def test_a_foreign_name_is_not_answered(client, host, path):
    status, _, body = client.request("GET", path, {"Host": host})
    assert status == 400
    assert b"--allow-host NAME" in body


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:7860", "192.168.1.7:80", "vitviz.example"]
)
def test_this_machine_is_answered_by_name_and_address_and_under_the_names_that_are_allowed(client, host):
    assert client.request("GET", "/config", {"Host": host})[0] == 200


def test_the_machines_own_name_is_answered(client):
    assert client.request("GET", "/config", {"Host": f"{socket.gethostname()}:7860"})[0] == 200


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
def test_a_page_of_another_site_can_neither_upload_nor_ask(client, upload_folder, origin):
    before = files_in(upload_folder)
    assert client.upload(CAT, Origin=origin)[0] == 403
    assert client.post("/gradio_api/call/explain", {"data": ["cat"]}, Origin=origin)[0] == 403
    assert client.request("GET", "/config", {"Origin": origin})[0] == 403
    assert files_in(upload_folder) == before


def test_our_own_page_may_ask_also_through_a_proxy(client):
    assert client.request("GET", "/config", {"Origin": f"http://{client.host}"})[0] == 200
    assert client.request("GET", "/config", {"Origin": "https://vitviz.example"})[0] == 200


def test_a_space_is_answered_under_its_own_name(monkeypatch):
    monkeypatch.setenv("SPACE_HOST", "someone-vitviz.hf.space")
    monkeypatch.setenv("VITVIZ_HOSTS", "a.example, B.example")
    assert allowed_hosts(["c.example"]) == {"someone-vitviz.hf.space", "a.example", "b.example", "c.example"}


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("Vit.Example.org.", "vit.example.org"),
        ("vit.example.org:8443", "vit.example.org"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("[2001:DB8::1]:80", "2001:db8::1"),
    ],
)
def test_a_name_is_allowed_as_browsers_send_it(word, name):
    assert allowed_hosts([word]) == {name}


@pytest.mark.parametrize(
    "word",
    ["https://vit.example.org", "vit.example.org/", "*.example.org", "me@vit.example.org", "a..b", ".", "a" * 64],
)
def test_what_no_browser_sends_as_a_name_is_refused(word):
    with pytest.raises(ValueError, match=r"^An allowed host must be a host name such as vit\.example\.org: got '"):
        allowed_hosts([word])


def test_only_this_machine_is_listened_to_unless_told_otherwise(client):
    assert client.host.startswith("127.0.0.1:")
    for address in {found[4][0] for found in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}:
        if not address.startswith("127."):
            with (
                pytest.raises(ConnectionRefusedError),
                socket.create_connection((address, int(client.host.split(":")[1])), timeout=5),
            ):
                pass


# What the browser is told


@pytest.mark.parametrize("path", ["/", "/config", "/gradio_api/info", "/nothing", "/theme.css"])
def test_every_answer_binds_the_browser_to_this_server(client, path):
    headers = client.request("GET", path)[1]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["form-action"] == "'self'"
    assert policy["object-src"] == "'none'"
    assert not any("http" in sources or "*" in sources for sources in policy.values())


def test_a_space_may_be_framed_by_its_host_alone(monkeypatch):
    monkeypatch.setenv("SPACE_ID", "someone/vitviz")
    assert "frame-ancestors 'self' https://huggingface.co https://*.hf.space" in guard.content_security_policy()


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
def test_there_is_nothing_but_the_page(client, path):
    for method in ("GET", "POST"):
        status, _, body = client.request(method, path)
        assert status in (400, 403, 404, 405)
        assert b"root:" not in body
        assert b"/home" not in body
        assert b"Traceback" not in body


def test_an_upload_is_never_served_back(client):
    path = json.loads(client.upload(CAT)[1])[0]
    for asked in (f"/gradio_api/file={path}", f"/file={path}", f"/gradio_api/file/{path}", f"/static/{path}"):
        status, _, body = client.request("GET", asked)
        assert status in (403, 404)
        assert CAT not in body


def test_nothing_but_the_curated_functions_can_be_called(client):
    app = build_app()
    assert {function.api_name for function in app.fns.values()} == {"explain", "checkpoints", "methods"}
    offered = {
        (block.elem_id, name)
        for block in app.blocks.values()
        for name in dir(block)
        if getattr(getattr(block, name, None), "_is_server_fn", False)
    }
    asked = {
        "explorer": "explain attention methods scores ablate gallery figure list_models",
        "internals": "probes list_models",
        "train": "poll movie check estimate start resume resume_sweep stop rename delete download download_data "
        "cancel_download upload_images survey",
    }
    assert offered == {(component, name) for component, names in asked.items() for name in names.split()}
    for name in ("__init__", "image", "catalog", "launch", "__class__"):
        assert client.call(name, {})[0] == 404
    assert client.endpoint("predict", 1)[0] == 404


def test_every_file_like_field_refuses_files_that_were_not_uploaded(client):
    for path in (
        "/etc/passwd",
        "../../etc/passwd",
        "/proc/self/environ",
        "checkpoints/cifar10-ti4.safetensors",
        "\0",
        "//x/y",
    ):
        _, answer = client.call(
            "explain", {"checkpoint": "cifar10-ti4", "image": {"kind": "upload", "path": path, "name": "x"}}
        )
        assert set(answer) == {"error"}
        _, events = client.endpoint(
            "explain", {"path": path, "meta": {"_type": "gradio.FileData"}}, "cifar10-ti4", "average"
        )
        assert "event: error" in events
        _, answer = client.call("explain", {"checkpoint": path, "image": {"kind": "sample", "name": "cat"}})
        assert "not found" in answer["error"]
        _, answer = client.call("explain", {"checkpoint": "cifar10-ti4", "image": {"kind": "sample", "name": path}})
        assert "There is no sample" in answer["error"]
        _, answer = client.call("probes", {"checkpoint": path, "images": "samples"}, "internals")
        assert "not found" in answer["error"]


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


def test_no_address_is_ever_fetched(client, canary):
    port, asked = canary
    for url in (
        f"http://127.0.0.1:{port}/a.png",
        f"http://2130706433:{port}/a.png",
        f"http://[::ffff:127.0.0.1]:{port}/a.png",
    ):
        image = {"path": url, "url": url, "meta": {"_type": "gradio.FileData"}}
        status, events = client.endpoint("explain", image, "cifar10-ti4", "average")
        assert status >= 400 or "event: error" in events
        _, answer = client.call("explain", {"checkpoint": url, "image": {"kind": "upload", "path": url, "name": "a"}})
        assert set(answer) == {"error"}
    assert asked == []
