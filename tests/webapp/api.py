"""A client of the routes without a server, which knows a tiny model as "tiny"."""

import json
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from fastapi.testclient import TestClient

from tests import tiny
from vitviz.webapp.backend import Backend
from vitviz.webapp.server.modules import API_PREFIX

CAT = {"model": "tiny", "image": {"kind": "sample", "name": "cat"}}


class Routes:
    """Client of the routes of a backend.

    Args:
        backend: The backend.
        http: Its HTTP client.
    """

    def __init__(self, backend: Backend, http: TestClient) -> None:
        self.backend, self.http = backend, http

    def post(self, path: str, **request: Any) -> tuple[int, Any]:
        """Send a request; return the status and the reply or the lines of a stream."""
        response = self.http.post(f"{API_PREFIX}/{path}", json=request)
        if response.headers["content-type"].startswith("application/x-ndjson"):
            return response.status_code, [json.loads(line) for line in response.text.splitlines()]
        return response.status_code, response.json()

    def get(self, path: str, **request: Any) -> Any:
        """Return the reply to a request that is served, also at the end of a stream."""
        status, reply = self.post(path, **request)
        assert status == 200, reply
        if not isinstance(reply, list):
            return reply
        assert "reply" in reply[-1], reply[-1]
        return reply[-1]["reply"]

    def refusal(self, path: str, **request: Any) -> dict[str, Any]:
        """Return the refusal of a request, also at the end of a stream that has begun."""
        status, reply = self.post(path, **request)
        if isinstance(reply, list):
            assert "error" in reply[-1], reply
            return reply[-1]
        assert status == 400, reply
        return reply

    def upload(self, content: bytes, name: str = "cat.png", path: str = "data/uploads") -> tuple[int, Any]:
        """Upload a file; return the status and the reply."""
        response = self.http.post(f"{API_PREFIX}/{path}", files={"file": (name, content)})
        return response.status_code, response.json()


@contextmanager
def routes(**options: Any):
    """Yield a client; `options` are those of `Backend`."""
    backend = Backend(**options)
    opened = backend.inputs.opener.models
    opened.requested["tiny"], opened.states["tiny"] = "tiny", ()
    opened.loaded["tiny"] = replace(tiny.checkpoint(), name="tiny")
    with TestClient(backend.api) as http:
        yield Routes(backend, http)
