"""Modules and styles of the page: how they are served and preloaded."""

import mimetypes

import pytest

from tests.webapp.serving import IGNORE_PANDAS_WARNINGS
from vitviz.webapp.page import page_names
from vitviz.webapp.server import modules

pytestmark = IGNORE_PANDAS_WARNINGS


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of modules that import each other."""
    texts = {
        "a.js": 'import { c } from "./b.js";\nimport d from"./c.js";import("./later.js")',
        "b.js": "// import './comment.js'\nimport './c.js'",
        "c.js": "export{d as default}from'./a.js'",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(modules, "STATIC_DIR", tmp_path)


def test_all_imported_modules_are_found_once(folder):
    assert modules.resolve_imports(["b.js", "a.js"]) == ["b.js", "a.js", "c.js"]


@pytest.mark.parametrize("name", page_names())
def test_every_module_and_style_sheet_of_a_page_is_served(client, monkeypatch, name):
    monkeypatch.setitem(mimetypes.types_map, ".js", "text/plain")  # as the registry of Windows may have it
    for module in modules.resolve_imports([f"{name}.js"]):
        status, headers, body = client.request("GET", f"/vitviz/{module}")
        assert (status, headers["Content-Type"]) == (200, "text/javascript; charset=utf-8")
        assert body == (modules.STATIC_DIR / module).read_bytes()
    status, headers, body = client.request("GET", f"/vitviz/{name}.css")
    assert (status, headers["Content-Type"]) == (200, "text/css; charset=utf-8")
    assert body.startswith(b"#" + name.encode()), "the styles are those of its panel only"


def test_browsers_revalidate_modules_at_each_use(client):
    _, headers, _ = client.request("GET", "/vitviz/explore.js")
    assert headers["Cache-Control"] == "no-cache"
    status, again, body = client.request("GET", "/vitviz/explore.js", {"If-None-Match": headers["ETag"]})
    assert (status, again["Cache-Control"], body) == (304, "no-cache", b"")
    assert client.request("GET", "/vitviz/explore.js", {"If-None-Match": '"of another version"'})[0] == 200


def test_a_saved_file_has_no_code_of_what_needs_a_server():
    found = (modules.STATIC_DIR / "standalone.js").read_text(encoding="utf-8")
    assert "Attribution methods" in found
    for name in ("patching-grid", "Nearest training images", "Use the camera", "Image source", "open_model"):
        assert name not in found


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD", "OPTIONS"])
def test_modules_can_only_be_read(client, method):
    assert client.request(method, "/vitviz/explore.js")[0] == 405


@pytest.mark.parametrize(
    "path",
    ["", "/", "licenses.md", "nothing.js", "../app.py", "..%2f..%2fapp.js", "%2e%2e/app.py", "\0.js", "a" * 5000],
)
def test_nothing_but_modules_and_styles_is_served(client, path):
    status, _, body = client.request("GET", f"/vitviz/{path}".replace("\0", "%00"))
    assert status == 404
    assert b"import" not in body


@pytest.mark.parametrize(("query", "page"), [("", "explore"), ("?tab=train&run=a", "train"), ("?tab=x", "explore")])
def test_the_modules_of_the_first_page_are_preloaded_relative_to_the_document(client, query, page):
    links = client.request("GET", f"/{query}")[1]["Link"].split(", ")
    modules = [f"<vitviz/{name}.js>; rel=modulepreload" for name in ("main", "App", page)]
    styles = [f"<vitviz/{name}.css>; rel=preload; as=style; crossorigin" for name in ("App", page)]
    assert {*modules, *styles} < {*links}
    assert sum("stylesheet" in link or "as=style" in link for link in links) == len(styles)
    assert "Link" not in client.request("GET", "/config")[1]
