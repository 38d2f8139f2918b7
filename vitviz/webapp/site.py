"""The page as a folder of files for any web server: models that run in the browser, and replies that Python computed.

A reply is stored under a key of its request (`key_of`), for the requests that the static page makes.
"""

import html
import json
import shutil
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from vitviz.attribution import measured
from vitviz.attribution.ablation import mean_head_outputs
from vitviz.attribution.serialize import methods_to_json
from vitviz.data.preprocessing import load_samples
from vitviz.data.samples import example_paths
from vitviz.errors import ConfigError
from vitviz.files import write_atomic
from vitviz.models import rounding
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.hub import load
from vitviz.models.weights import Rounding, weights_sha256
from vitviz.webapp import first_paint
from vitviz.webapp.backend import Backend
from vitviz.webapp.model_info import describe_model
from vitviz.webapp.server.modules import API_PREFIX, STATIC_DIR, URL_PREFIX

Request = tuple[str, dict[str, Any]]  # route, and what is sent
SERVER_METHODS = (
    "attn_lrp",
    "integrated_gradients",
    "text_similarity",
    "shapley",
    "greedy",
)  # of which a browser computes no map
NO_DATASET = {"available": False, "classes": [], "message": ""}
POLICY = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; style-src 'self' 'unsafe-inline'; "
)
START = f"""import {{ mountSite }} from './{URL_PREFIX.lstrip("/")}main.js';
const element = document.getElementById('vitviz');
mountSite(element).catch(() => {{
  element.textContent = 'The page could not be loaded. Check the connection, then reload.';
}});
"""
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>vitviz</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{folder}site.css">
<main><div id="vitviz"><p class="loading">Loading…</p></div></main>
<noscript><p>This page explains images in your browser, and needs JavaScript.</p></noscript>
<script type="module" src="start.js"></script>
</html>
"""


def write_site(
    folder: Path,
    names: Sequence[str],
    kind: Rounding = "int8",
    report: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Write the folder, and return its size in bytes.

    Args:
        folder: New, empty, or of an earlier site, whose files are replaced.
        names: Models, as for `vitviz.load`; the page opens with the first one.
        kind: Rounding of their weights.
        report: Called with the replies done and of all.

    Raises:
        CapturedModelError: If a model is captured.
        ConfigError: If the folder has other files.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / "site.json").exists():
        raise ConfigError("OUT", f"must be empty or an earlier site: {folder} has other files", "Choose a new folder.")
    models = [load(name) for name in names]
    contents = {
        model.name: rounding.to_file(model, kind, head_means(model, kind), measured.in_file(model)) for model in models
    }
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "replies").mkdir(parents=True)
    shutil.copytree(STATIC_DIR, folder / URL_PREFIX.strip("/"), ignore=shutil.ignore_patterns("standalone*", "withM*"))
    backend = Backend(public=True)
    for model in models:
        backend.inputs.opener.models.given[model.name] = rounding.rounded(model, kind)
    client, files, keys = TestClient(backend.api), {}, set[str]()
    asked = [request for model in models for request in requests(model)]
    for done, (route, request) in enumerate(asked):
        report(done, len(asked))
        response = client.post(f"{API_PREFIX}/{route}", json=request)
        if response.is_success:
            key = key_of(route, request)
            keys.add(key)
            write_atomic(folder / "replies" / f"{key}.json", response.text.strip().rpartition("\n")[2].encode() + b"\n")
    for model in models:
        file = f"models/{model.name}-{weights_sha256(model.network)[:8]}-{kind}.bin"
        (folder / file).parent.mkdir(exist_ok=True)
        write_atomic(folder / file, zlib.compress(contents[model.name], 9))
        files[model.name] = {"file": file, "about": rounding.describe(model, kind)}
    described = [describe_model(model) | {"origin": "shipped"} for model in models]
    methods = [method for method in methods_to_json() if method["key"] not in SERVER_METHODS]
    catalog = first_paint.catalog(described, methods, None, public=True) | {"cifar": NO_DATASET, "static": True}
    site = {"catalog": catalog, "replies": sorted(keys), "models": files}
    write_atomic(folder / "site.json", json.dumps(site, allow_nan=False).encode())
    write_atomic(folder / "start.js", START.encode())
    policy = html.escape(f"{POLICY}img-src 'self' data: blob:")
    write_atomic(folder / "index.html", PAGE.format(policy=policy, folder=URL_PREFIX.lstrip("/")).encode())
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def head_means(model: Checkpoint, kind: Rounding) -> Any:
    """Return the mean outputs of the heads of a model with rounded weights, (L, A, d)."""
    return mean_head_outputs(rounding.rounded(model, kind), load_samples(model.config.img_size, model.resize))


def requests(model: Checkpoint) -> Iterator[Request]:
    """Yield the requests of the page whose replies are stored."""
    for name in example_paths():
        yield "explanations", {"subject": subject_of(model, name)}
    yield "models/probes", {"model": model.name, "images": "samples"}


def subject_of(model: Checkpoint, name: str) -> dict[str, Any]:
    """Return a subject as the page sends it."""
    return {"model": model.name, "snapshot": None, "image": {"kind": "sample", "name": name}, "ablations": []}


def key_of(route: str, request: dict[str, Any]) -> str:
    """Return the key of a request, FNV-1a of its JSON with sorted names; `keyOf` in frontend/src/app/replies.ts."""
    text = json.dumps(request, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    found = 0x811C9DC5
    for byte in f"{route} {text}".encode():
        found = (found ^ byte) * 0x01000193 % 2**32
    return f"{found:08x}"
