"""Start of the page: it answers before torch is imported, requests wait for the import, and its failure is reported."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import threading
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from fastapi.responses import JSONResponse
from fastapi.testclient import TestClient
from PIL import Image

from scripts import opening as script
from tests.webapp.serving import catalog_of
from vitviz.models import checkpoint
from vitviz.view import Subject
from vitviz.webapp import opening
from vitviz.webapp.app import build_app
from vitviz.webapp.backend import Backend
from vitviz.webapp.server.deferred import DeferredBackend
from vitviz.webapp.server.modules import API_PREFIX

ROOT = Path(__file__).parents[2]

# The page in a new process; it says what is imported when the page answers, which is before the functions are loaded.
ANSWER = """
import sys, urllib.request
from vitviz.cli import configure_server_libraries
configure_server_libraries()
from vitviz.webapp import app
from vitviz.webapp.server.deferred import DeferredBackend

load = DeferredBackend.start

def start(deferred):
    if deferred.future is None:
        urls = f"http://127.0.0.1:{page.server_port}/", f"http://127.0.0.1:{page.server_port}/vitviz/explore.js"
        for url in urls:
            assert urllib.request.urlopen(url).status == 200
        print("answered with", *(name for name in NAMES if name in sys.modules), flush=True)
    return load(deferred)

NAMES = ("gradio", "torch", "torchvision", "matplotlib", "scipy", "transformers", "timm")
DeferredBackend.start = start
page = app.build_app()
app.serve(page, block=False)
print("loaded", *(name for name in NAMES if name in sys.modules), flush=True)
page.close(verbose=False)
"""


@pytest.fixture
def environment(tmp_path):
    """Environment of a process, with a folder `modules` in which it finds modules first."""
    (tmp_path / "modules").mkdir()
    paths = os.pathsep.join([str(tmp_path / "modules"), str(ROOT)])
    return os.environ | {"PYTHONPATH": paths, "GRADIO_TEMP_DIR": str(tmp_path / "uploads")}


def test_the_page_answers_before_torch_is_imported(environment):
    done = subprocess.run([sys.executable, "-c", ANSWER], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "answered with gradio\n" in done.stdout
    assert "loaded gradio torch" in done.stdout


def test_a_failing_import_of_torch_is_reported_and_ends_the_page(environment, tmp_path):
    (tmp_path / "modules" / "torch.py").write_text("raise ImportError('libtorch_cpu.so: no such file')")
    command = [sys.executable, str(ROOT / "app.py")]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "vitviz is at http://" in done.stdout
    assert "ImportError: libtorch_cpu.so: no such file" in done.stderr
    assert not list((tmp_path / "uploads").iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM ends a process at once on Windows")
def test_the_page_stops_while_it_imports_torch(environment, tmp_path):
    waiting = "import threading\nprint('importing', flush=True)\nthreading.Event().wait()\n"
    (tmp_path / "modules" / "torch.py").write_text(waiting)
    command = [sys.executable, str(ROOT / "app.py")]
    with subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert any(line == "importing\n" for line in process.stdout)
            process.terminate()
            assert process.wait(timeout=120) == 0
        finally:
            process.kill()
    assert not list((tmp_path / "uploads").iterdir())


# The file


@pytest.fixture(scope="module")
def stored():
    """Content of the file."""
    return json.loads(opening.FILE.read_text(encoding="utf-8"))


def test_the_file_has_the_current_content(stored):
    current = json.loads(script.content())
    assert stored.pop("example")["request"] == current.pop("example")["request"]
    assert stored.pop("explained")["subject"] == current.pop("explained")["subject"]
    assert stored == current, "run python -m scripts.opening"


def test_the_example_equals_what_the_model_computes(client):
    example = opening.read()["example"]
    status, computed = client.call("explain", example["request"])
    assert (status, computed.pop("key") == opening.KEY) == (200, False)
    expected = example["reply"]
    assert expected.pop("key") == opening.KEY
    numbers = [(reply.pop("cls"), reply["image"].pop("src")) for reply in (computed, expected)]
    assert np.allclose(*(np.frombuffer(b64decode(cls), "<f4") for cls, _ in numbers), atol=1e-5)
    pixels = [np.asarray(Image.open(BytesIO(b64decode(src.partition(",")[2])))) for _, src in numbers]
    assert np.array_equal(*pixels)
    for name in ("probabilities", "maps", "limits"):
        found, wanted = computed.pop(name), expected.pop(name)
        if name == "probabilities":
            assert found == pytest.approx(wanted, abs=1e-5)
        else:
            assert found.keys() == wanted.keys()
            assert all(found[key] == pytest.approx(wanted[key], abs=1e-5) for key in wanted)
    assert computed == expected
    assert len(client.call("attention", {"key": opening.KEY})[1]) > 100_000, "it is held under its key"


@pytest.mark.parametrize("public", [False, True])
def test_the_page_is_the_same_without_the_file(public, tmp_path, monkeypatch):
    found = catalog_of(build_app(str(tmp_path), public))
    monkeypatch.setattr(opening, "read", lambda: None)
    assert catalog_of(build_app(str(tmp_path), public)) == found
    assert found == Backend(str(tmp_path), public).explore.catalog() | {"public": public}


@pytest.fixture
def bundled(tmp_path, monkeypatch):
    """A folder with a copy of the bundled checkpoints, which is used instead of theirs."""
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    for path in checkpoint.bundled_checkpoints().values():
        shutil.copy(path, folder)
    monkeypatch.setattr(checkpoint, "CHECKPOINTS", folder)
    return folder


def test_the_file_holds_for_equal_checkpoints_only(bundled):
    assert opening.read() is not None
    path = bundled / "cifar10-ti4.safetensors"
    path.rename(bundled / "other.safetensors")
    assert opening.read() is None, "another name"
    content = (bundled / "other.safetensors").read_bytes()
    path.write_bytes(content)
    assert opening.read() is None, "one more"
    (bundled / "other.safetensors").unlink()
    assert opening.read() is not None
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert opening.read() is None, "other weights"
    path.unlink()
    assert opening.read() is None, "none"


def test_the_file_holds_for_the_default_limit_only(monkeypatch):
    assert opening.read() is not None
    monkeypatch.setattr("vitviz.data.environment.MAX_SENT_BYTES", 100_000)
    assert opening.read() is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_checkpoint_that_cannot_be_read_has_no_checksum(bundled, tmp_path):
    os.mkfifo(bundled / "pipe.safetensors")
    (bundled / "gone.safetensors").symlink_to(tmp_path / "gone")
    (bundled / "folder.safetensors").mkdir()
    found = opening.checksums()
    assert {name for name, digest in found.items() if not digest} == {"pipe", "gone", "folder"}


# Requests during the import


@pytest.fixture
def deferred():
    """A backend that is loaded once `ready` is set; `started` is set before."""
    started, ready = threading.Event(), threading.Event()
    loads = []

    async def double(request):
        return 2 * request

    def load():
        loads.append(1)
        started.set()
        assert ready.wait(60)
        return SimpleNamespace(functions={"double": double, "negate": lambda request: -request, "explain": double})

    example = {"request": 7, "reply": "example"}
    yield DeferredBackend(load, example), started, ready
    ready.set()
    assert loads == [1]


def test_the_first_subject_is_explained_during_the_import_and_other_requests_wait():
    ready, subject = threading.Event(), {"model": "a", "image": {"kind": "sample", "name": "cat"}}
    known = {"subject": Subject(**subject).model_dump(), "reply": {"from": "file"}}

    async def answer(scope, receive, send):
        await JSONResponse({"from": "backend", "body": (await receive())["body"].decode()})(scope, receive, send)

    backend = DeferredBackend(lambda: ready.wait(60) and SimpleNamespace(api=answer), explained=known)
    client, path = TestClient(backend), f"{API_PREFIX}/explanations"
    with ThreadPoolExecutor() as pool:
        for given in (subject, subject | {"snapshot": None, "ablations": []}):
            assert client.post(path, json={"subject": given}).json() == {"from": "file"}
        others = [{"subject": subject | {"model": "b"}}, {"subject": 1}, "["]
        waiting = [pool.submit(client.post, path, content=json.dumps(other)) for other in others]
        assert not any(reply.done() for reply in waiting)
        ready.set()
        assert [reply.result().json() for reply in waiting] == [
            {"from": "backend", "body": json.dumps(other)} for other in others
        ]
        assert client.post(path, json={"subject": subject}).json()["from"] == "backend"


def test_requests_wait_for_the_import_and_load_once(deferred):
    backend, started, ready = deferred
    double, negate = (backend.function(name) for name in ("double", "negate"))
    assert (double.__name__, negate.__name__) == ("double", "negate")

    async def call():
        tasks = [asyncio.create_task(function(n)) for n in (1, 2) for function in (double, negate)]
        visitor = asyncio.create_task(double(3))
        await asyncio.to_thread(started.wait)
        visitor.cancel()
        await asyncio.wait([visitor])
        assert visitor.cancelled()
        assert not any(task.done() for task in tasks)
        ready.set()
        return await asyncio.gather(*tasks)

    assert asyncio.run(call()) == [2, -1, 4, -2]
    assert asyncio.run(double(5)) == 10


def test_the_example_is_shown_during_the_import_only(deferred):
    backend, _, ready = deferred
    explain = backend.function("explain")
    assert asyncio.run(explain(7)) == "example"
    ready.set()
    backend.start().result()
    assert asyncio.run(explain(7)) == 14


def test_expired_explanations_are_deleted_once_the_pages_are_there(monkeypatch):
    pages, ready = Backend(), threading.Event()
    cleaned = []
    for name in ("explanations", "scored"):
        monkeypatch.setattr(getattr(pages.explore, name), "clean", partial(cleaned.append, name))
    backend = DeferredBackend(lambda: ready.wait(60) and pages)
    backend.clean()
    assert backend.future is None, "cleaning does not import"
    backend.start()
    backend.clean()
    assert not cleaned
    ready.set()
    backend.start().result()
    backend.clean()
    assert cleaned == ["explanations", "scored"]


def test_a_failing_import_fails_each_request():
    backend = DeferredBackend(lambda: {}[""])
    with pytest.raises(KeyError):
        backend.start().result()
    for _ in range(2):
        with pytest.raises(KeyError):
            asyncio.run(backend.function("name")(1))
    backend.clean()
