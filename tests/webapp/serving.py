"""A server in this process, and plain HTTP to it: nothing is done to a request that is not written here."""

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

from vitviz.data.preprocessing import sample_paths
from vitviz.webapp.app import build_app, serve

BOUNDARY = "----vitviz"
CAT = sample_paths()["cat"].read_bytes()
ASK_CAT = {"checkpoint": "cifar10-ti4", "image": {"kind": "sample", "name": "cat"}}

# Gradio counts its queue with options that pandas is about to drop.
OLD_OPTIONS = pytest.mark.filterwarnings(
    "ignore:'future.no_silent_downcasting'", "ignore:The copy keyword is deprecated"
)


class Visitor:
    """Someone who asks a server.

    Args:
        address: Of the page.
    """

    def __init__(self, address: str) -> None:
        self.host = urlsplit(address).netloc

    def ask(self, method: str, path: str, headers: dict[str, str] | None = None, body: Any = None):
        """Send one request as it is; returns status, headers and body."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # the server need not read all to refuse it
                connection.request(method, path, body, {"Host": self.host} | (headers or {}))
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def post(self, path: str, question: Any, **headers: str):
        """Send JSON; returns status and text."""
        status, _, body = self.ask("POST", path, {"Content-Type": "application/json"} | headers, json.dumps(question))
        return status, body.decode()

    def upload(self, content: bytes, name: str = "cat.png", **headers: str):
        """Upload a file as a browser does; returns status and text."""
        quoted = name.replace("\\", "\\\\").replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="{quoted}"\r\n'
        head += "Content-Type: application/octet-stream\r\n\r\n"
        body = head.encode(errors="surrogateescape") + content + f"\r\n--{BOUNDARY}--\r\n".encode()
        kind = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
        status, _, answer = self.ask("POST", "/gradio_api/upload", kind | headers, body)
        return status, answer.decode(errors="replace")

    def begin(self, path: str, kind: str, body: bytes, length: int | None = None) -> socket.socket:
        """Send a request, or the beginning of a longer one, and wait for nothing; returns the open connection."""
        head = f"POST {path} HTTP/1.1\r\nHost: {self.host}\r\nContent-Type: {kind}\r\n"
        connection = socket.create_connection(self.host.split(":"))
        connection.sendall(f"{head}Content-Length: {len(body) if length is None else length}\r\n\r\n".encode() + body)
        return connection

    def config(self) -> dict[str, Any]:
        """What the server tells of the page."""
        return json.loads(self.ask("GET", "/config")[2])

    def component(self, name: str) -> int:
        """The number of a component by the name that the page gives it."""
        return next(part["id"] for part in self.config()["components"] if part["props"].get("elem_id") == name)

    def call(self, name: str, question: Any, component: str = "explorer"):
        """Ask what the page's script asks; returns status and the answer."""
        if not hasattr(self, "numbers"):
            self.numbers = {part: self.component(part) for part in ("explorer", "inside", "train")}
        asked = {"session_hash": "s", "component_id": self.numbers[component], "fn_name": name, "data": question}
        status, text = self.post("/gradio_api/component_server/", asked)
        return status, json.loads(text) if text.startswith(("{", "[", '"', "null")) else text

    def endpoint(self, name: str, *data: Any) -> tuple[int, str]:
        """Call a curated endpoint; returns the status and the stream of events, or the refusal."""
        status, text = self.post(f"/gradio_api/call/{name}", {"data": list(data)})
        if status != 200:
            return status, text
        status, _, body = self.ask("GET", f"/gradio_api/call/{name}/{json.loads(text)['event_id']}")
        return status, body.decode()


def catalog_of(app: gr.Blocks) -> dict[str, Any]:
    """What the explorer of a page is told at the start."""
    return next(b.props["catalog"] for b in app.blocks.values() if getattr(b, "elem_id", "") == "explorer")


def files_in(folder: Path) -> list[Path]:
    """All files that lie there, at any depth."""
    return [path for path in folder.rglob("*") if path.is_file()]


@contextmanager
def running(folder: Path, names: tuple[str, ...] = (), public: bool = False):
    """A server that is up, with its uploads in this folder; gives a visitor, and ends it."""
    before = os.environ.get("GRADIO_TEMP_DIR")
    os.environ["GRADIO_TEMP_DIR"] = str(folder)
    app = build_app(public=public)
    try:
        yield Visitor(serve(app, block=False, names=names))
    finally:
        app.close(verbose=False)
        os.environ.pop("GRADIO_TEMP_DIR")
        if before is not None:
            os.environ["GRADIO_TEMP_DIR"] = before
