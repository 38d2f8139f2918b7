"""Requests of wrong types to every route are refused, public or not, without a traceback in the log."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.webapp.api import CAT, routes

VALUES: tuple[Any, ...] = (
    *(None, True, -1, 10**30, 1e308, 0.5, "", "x", "\ud800", "\0", "../..", "a" * 5000, [], [[]], [None], {}, {"a": 1}),
    *({"kind": "sample"}, {"kind": "sample", "name": []}, {"model": "tiny", "image": None}, CAT, {"content": 3}),
)  # fmt: skip
REQUESTS = 30  # for each route


def fields_by_route(schema: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Generate the routes that take JSON, and the fields of their requests."""
    for path, methods in schema["paths"].items():
        content = methods["post"]["requestBody"]["content"]
        if "application/json" in content:
            name = content["application/json"]["schema"]["$ref"].rpartition("/")[2]
            yield path, [*schema["components"]["schemas"][name].get("properties", {})]


def wrong_request(fields: list[str], draw: random.Random) -> Any:
    """Return a request with wrong fields, or none."""
    request = {name: draw.choice((CAT, *VALUES)) for name in fields}
    if "subject" in fields and draw.random() < 0.7:
        request["subject"] = CAT | {draw.choice([*CAT, "ablations", "x"]): draw.choice(VALUES)}
    return request if draw.random() < 0.8 else draw.choice(VALUES)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:test_batch.bin differs")
@pytest.mark.parametrize("public", [False, True])
def test_wrong_types_are_refused_by_every_route(public, caplog, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw = random.Random(0)
    with routes(public=public) as client:
        found = [*fields_by_route(client.http.app.openapi())]
        assert len(found) > 20
        for path, fields in found:
            for _ in range(REQUESTS):
                body = json.dumps(wrong_request(fields, draw)).encode()
                response = client.http.post(path, content=body, headers={"Content-Type": "application/json"})
                assert response.status_code < 500, (path, body)
                assert "Something went wrong" not in response.text, (path, body)
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []
