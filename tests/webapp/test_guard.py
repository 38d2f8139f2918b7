"""Access control over HTTP: host names, origins, headers, paths and functions."""

import json
import socket

import pytest

from tests.webapp.serving import CAT, IGNORE_PANDAS_WARNINGS, files_in
from vitviz.webapp.app import build_app
from vitviz.webapp.server import guard
from vitviz.webapp.server.guard import allowed_hosts

FOREIGN = "http://evil.example"

pytestmark = IGNORE_PANDAS_WARNINGS


# Host names and origins


def test_unknown_host_names_are_refused(subtests, client):
    for path in ("/", "/config", "/gradio_api/info"):
        for host in ("evil.example", "localhost.evil.example", "evil.example:80", "", "[", "127.0.0.1.nip.io"):
            with subtests.test(path=path, host=host):
                status, _, body = client.request("GET", path, {"Host": host})
                assert status == 400
                assert b"--allow-host NAME" in body


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:7860", "192.168.1.7:80", "vitviz.example"]
)
def test_localhost_addresses_and_allowed_hosts_are_accepted(client, host):
    assert client.request("GET", "/config", {"Host": host})[0] == 200


def test_the_host_name_of_the_machine_is_accepted(client):
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
def test_other_origins_can_neither_upload_nor_call(client, upload_folder, origin):
    before = files_in(upload_folder)
    assert client.upload(CAT, Origin=origin)[0] == 403
    assert client.post("/gradio_api/call/explain", {"data": ["cat"]}, Origin=origin)[0] == 403
    assert client.request("GET", "/config", {"Origin": origin})[0] == 403
    assert files_in(upload_folder) == before


def test_requests_of_other_sites_pages_are_refused_but_links_to_the_page(client):
    link = {"Sec-Fetch-Mode": "navigate"}
    for site, page, config in (
        ("cross-site", 200, 403),
        ("same-site", 200, 403),
        ("same-origin", 200, 200),
        ("none", 200, 200),
    ):
        found = {"Sec-Fetch-Site": site}
        assert client.request("GET", "/?model=cifar10-ti4", found | link)[0] == page
        assert client.request("GET", "/config", found)[0] == config
    assert client.request("GET", "/config", link | {"Sec-Fetch-Site": "cross-site"})[0] == 403


def test_the_pages_own_origin_is_accepted_also_through_a_proxy(client):
    assert client.request("GET", "/config", {"Origin": f"http://{client.host}"})[0] == 200
    assert client.request("GET", "/config", {"Origin": "https://vitviz.example"})[0] == 200


def test_the_host_name_of_a_space_is_allowed(monkeypatch):
    monkeypatch.setenv("SPACE_HOST", "someone-vitviz.hf.space")
    monkeypatch.setenv("VITVIZ_HOSTS", "a.example, B.example")
    assert allowed_hosts(["c.example"]) == {"someone-vitviz.hf.space", "a.example", "b.example", "c.example"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Vit.Example.org.", "vit.example.org"),
        ("vit.example.org:8443", "vit.example.org"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("[2001:DB8::1]:80", "2001:db8::1"),
    ],
)
def test_allowed_hosts_are_normalized_as_browsers_do(text, name):
    assert allowed_hosts([text]) == {name}


@pytest.mark.parametrize(
    "text",
    ["https://vit.example.org", "vit.example.org/", "*.example.org", "me@vit.example.org", "a..b", ".", "a" * 64],
)
def test_invalid_allowed_hosts_are_refused(text):
    with pytest.raises(ValueError, match=r"^An allowed host must be a host name such as vit\.example\.org: got '"):
        allowed_hosts([text])


def test_the_server_listens_on_loopback_by_default(client):
    assert client.host.startswith("127.0.0.1:")
    port = int(client.host.split(":")[1])
    own = {found[4][0] for found in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    others = {"127.0.0.2", *own} - {"127.0.0.1"}  # a server on all interfaces would accept 127.0.0.2, too
    for address in others:
        with (
            pytest.raises((ConnectionRefusedError, TimeoutError)),
            socket.create_connection((address, port), timeout=5),
        ):
            pass


# Security headers


@pytest.mark.parametrize("path", ["/", "/config", "/gradio_api/info", "/nothing", "/theme.css"])
def test_every_response_has_security_headers(client, path):
    headers = client.request("GET", path)[1]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["form-action"] == "'self'"
    assert policy["object-src"] == "'none'"
    assert not any("http" in sources or "*" in sources for sources in policy.values())


def test_a_space_may_be_framed_by_hugging_face_only(monkeypatch):
    monkeypatch.setenv("SPACE_ID", "someone/vitviz")
    assert "frame-ancestors 'self' https://huggingface.co https://*.hf.space" in guard.content_security_policy()


# Paths and functions


OTHER_PATHS = [
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
    "/gradio_api/mcp/",
    "/gradio_api/mcp/schema",
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
]


def test_other_paths_are_refused(subtests, client):
    for path in OTHER_PATHS:
        with subtests.test(path=path):
            for method in ("GET", "POST"):
                status, _, body = client.request(method, path)
                assert status in (400, 403, 404, 405)
                assert b"root:" not in body
                assert b"/home" not in body
                assert b"Traceback" not in body


def test_uploads_are_never_served(client):
    path = json.loads(client.upload(CAT)[1])[0]
    for url in (f"/gradio_api/file={path}", f"/file={path}", f"/gradio_api/file/{path}", f"/static/{path}"):
        status, _, body = client.request("GET", url)
        assert status in (403, 404)
        assert CAT not in body


def test_only_the_endpoints_can_be_called(client):
    app = build_app()
    assert {function.api_name for function in app.fns.values()} == {"explain", "checkpoints", "methods"}
    callable_names = [
        name
        for block in app.blocks.values()
        for name in dir(block)
        if getattr(getattr(block, name, None), "_is_server_fn", False)
    ]
    assert not callable_names
    assert client.endpoint("predict", 1)[0] == 404


def of(image, model="cifar10-ti4"):
    return {"subject": {"model": model, "image": image}}


def test_files_that_were_not_uploaded_are_refused_in_every_field(client):
    for path in (
        "/etc/passwd",
        "../../etc/passwd",
        "/proc/self/environ",
        "checkpoints/cifar10-ti4.safetensors",
        "\0",
        "//x/y",
    ):
        status, answer = client.route("explanations", of({"kind": "upload", "id": path}))
        assert (status, answer["field"]) == (400, "subject.image.id")
        _, events = client.endpoint(
            "explain", {"path": path, "meta": {"_type": "gradio.FileData"}}, "cifar10-ti4", "average"
        )
        assert "event: error" in events
        status, answer = client.route("explanations", of({"kind": "sample", "name": "cat"}, path))
        assert (status, answer["field"]) == (400, "subject.model")
        status, answer = client.route("explanations", of({"kind": "sample", "name": path}))
        assert (status, answer["field"]) == (400, "subject.image")
        assert "not found" in client.route("models/probes", {"model": path})[1]["error"]


def test_no_url_is_ever_fetched(client, canary):
    port, contacts = canary
    for url in (
        f"http://127.0.0.1:{port}/a.png",
        f"http://2130706433:{port}/a.png",
        f"http://[::ffff:127.0.0.1]:{port}/a.png",
    ):
        image = {"path": url, "url": url, "meta": {"_type": "gradio.FileData"}}
        status, events = client.endpoint("explain", image, "cifar10-ti4", "average")
        assert status >= 400 or "event: error" in events
        assert client.route("explanations", of({"kind": "upload", "id": url}, url))[0] == 400
        assert client.route("explanations", of({"kind": "sample", "name": url}, url))[0] == 400
    assert contacts == []
