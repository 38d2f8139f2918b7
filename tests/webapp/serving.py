"""A server in this process and a plain HTTP client, which sends requests exactly as written."""

import http.client
import json
import os
import socket
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import gradio as gr
import pytest

from benchmarks.page import unused_port
from vitviz.data.preprocessing import sample_paths
from vitviz.webapp.app import build_app, serve

BOUNDARY = "----vitviz"
CAT = sample_paths()["cat"].read_bytes()
EXPLAIN_CAT = {"subject": {"model": "cifar10-ti4", "image": {"kind": "sample", "name": "cat"}}}

# Gradio's queue uses options that pandas deprecates.
IGNORE_PANDAS_WARNINGS = pytest.mark.filterwarnings(
    "ignore:'future.no_silent_downcasting'", "ignore:The copy keyword is deprecated"
)


class Client:
    """HTTP client of a server.

    Args:
        url: URL of the page.
    """

    def __init__(self, url: str) -> None:
        self.host = urlsplit(url).netloc

    def request(self, method: str, path: str, headers: dict[str, str] | None = None, body: Any = None):
        """Send one request unchanged; return status, headers and body."""
        connection = http.client.HTTPConnection(self.host, timeout=300)
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # the server may refuse before it has read all
                connection.request(method, path, body, {"Host": self.host} | (headers or {}))
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def post(self, path: str, data: Any, **headers: str):
        """Send JSON; return status and text."""
        status, _, body = self.request("POST", path, {"Content-Type": "application/json"} | headers, json.dumps(data))
        return status, body.decode()

    def route(self, path: str, request: Any, **headers: str) -> tuple[int, Any]:
        """Send a request to a route; return status and reply, also at the end of a stream."""
        status, text = self.post(f"/vitviz/api/{path}", request, **headers)
        last = json.loads(text.splitlines()[-1])
        return status, last["reply"] if isinstance(last, dict) and "reply" in last else last

    def upload(self, content: bytes, name: str = "cat.png", path: str = "/gradio_api/upload", **headers: str):
        """Upload a file as a browser does; return status and text."""
        quoted = name.replace("\\", "\\\\").replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        field = "files" if "gradio" in path else "file"
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{field}"; filename="{quoted}"\r\n'
        head += "Content-Type: application/octet-stream\r\n\r\n"
        body = head.encode(errors="surrogateescape") + content + f"\r\n--{BOUNDARY}--\r\n".encode()
        kind = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
        status, _, text = self.request("POST", path, kind | headers, body)
        return status, text.decode(errors="replace")

    def send(self, path: str, kind: str, body: bytes, length: int | None = None) -> socket.socket:
        """Send a request, or the start of a longer one, without waiting; return the open connection."""
        head = f"POST {path} HTTP/1.1\r\nHost: {self.host}\r\nContent-Type: {kind}\r\n"
        connection = socket.create_connection(self.host.split(":"))
        connection.sendall(f"{head}Content-Length: {len(body) if length is None else length}\r\n\r\n".encode() + body)
        return connection

    def config(self) -> dict[str, Any]:
        """Return the page's config."""
        return json.loads(self.request("GET", "/config")[2])

    def endpoint(self, name: str, *data: Any) -> tuple[int, str]:
        """Call a public endpoint; return the status and the stream of events, or the error."""
        status, text = self.post(f"/gradio_api/call/{name}", {"data": list(data)})
        if status != 200:
            return status, text
        status, _, body = self.request("GET", f"/gradio_api/call/{name}/{json.loads(text)['event_id']}")
        return status, body.decode()


def catalog_of(app: gr.Blocks) -> dict[str, Any]:
    """Return the initial data of the page."""
    return next(b.props["catalog"] for b in app.blocks.values() if getattr(b, "elem_id", "") == "vitviz")


def files_in(folder: Path) -> list[Path]:
    """Return all files in a folder, at any depth."""
    return [path for path in folder.rglob("*") if path.is_file()]


@contextmanager
def running(folder: Path, names: tuple[str, ...] = (), public: bool = False, models: Any = None):
    """Run a server with its uploads in this folder, and yield its client."""
    before = os.environ.get("GRADIO_TEMP_DIR")
    os.environ["GRADIO_TEMP_DIR"] = str(folder)
    app = build_app(public=public, models=models)
    try:
        yield Client(serve(app, port=unused_port(), block=False, names=names))
    finally:
        app.close(verbose=False)
        os.environ.pop("GRADIO_TEMP_DIR")
        if before is not None:
            os.environ["GRADIO_TEMP_DIR"] = before
