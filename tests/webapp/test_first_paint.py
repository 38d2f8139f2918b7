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
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from fastapi.responses import JSONResponse
from fastapi.testclient import TestClient
from pydantic import TypeAdapter

from benchmarks.page import unused_port
from scripts import first_paint as script
from tests.webapp.serving import catalog_of
from vitviz.models import checkpoint
from vitviz.view import Subject
from vitviz.webapp import first_paint
from vitviz.webapp.app import build_app
from vitviz.webapp.backend import Backend
from vitviz.webapp.schemas.page import Catalog
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
app.serve(page, port=PORT, block=False)
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
    code = ANSWER.replace("PORT", str(unused_port()))
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
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
            assert process.wait(timeout=300) == 0
        finally:
            process.kill()
    assert not list((tmp_path / "uploads").iterdir())


# The file


@pytest.fixture(scope="module")
def stored():
    """Content of the file."""
    return json.loads(first_paint.FILE.read_text(encoding="utf-8"))


def test_the_file_has_the_current_content(stored):
    current = json.loads(script.content())
    assert stored.pop("explained")["subject"] == current.pop("explained")["subject"]
    assert stored == current, "run python -m scripts.first_paint"


def test_the_explanation_equals_what_the_model_computes(client):
    explained = first_paint.read()["explained"]
    status, computed = client.route("explanations", {"subject": explained["subject"]})
    assert status == 200
    expected = explained["reply"]
    assert np.allclose(
        *(np.frombuffer(b64decode(reply.pop("cls")), "<f4") for reply in (computed, expected)), atol=1e-5
    )
    for name in ("probabilities", "maps", "limits"):
        found, wanted = computed.pop(name), expected.pop(name)
        if name == "probabilities":
            assert found == pytest.approx(wanted, abs=1e-5)
        else:
            assert found.keys() == wanted.keys()
            assert all(found[key] == pytest.approx(wanted[key], abs=1e-5) for key in wanted)
    assert computed == expected


@pytest.mark.parametrize("public", [False, True])
def test_the_page_is_the_same_without_the_file(public, tmp_path, monkeypatch):
    found = catalog_of(build_app(str(tmp_path), public))
    monkeypatch.setattr(first_paint, "read", lambda: None)
    assert catalog_of(build_app(str(tmp_path), public)) == found
    TypeAdapter(Catalog).validate_python(found, strict=True)


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
    assert first_paint.read() is not None
    path = bundled / "cifar10-ti4.safetensors"
    path.rename(bundled / "other.safetensors")
    assert first_paint.read() is None, "another name"
    content = (bundled / "other.safetensors").read_bytes()
    path.write_bytes(content)
    assert first_paint.read() is None, "one more"
    (bundled / "other.safetensors").unlink()
    assert first_paint.read() is not None
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert first_paint.read() is None, "other weights"
    path.unlink()
    assert first_paint.read() is None, "none"


def test_the_file_holds_for_the_default_limit_only(monkeypatch):
    assert first_paint.read() is not None
    monkeypatch.setattr("vitviz.environment.MAX_SENT_BYTES", 100_000)
    assert first_paint.read() is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_checkpoint_that_cannot_be_read_has_no_checksum(bundled, tmp_path):
    os.mkfifo(bundled / "pipe.safetensors")
    (bundled / "gone.safetensors").symlink_to(tmp_path / "gone")
    (bundled / "folder.safetensors").mkdir()
    found = first_paint.checksums()
    assert {name for name, digest in found.items() if not digest} == {"pipe", "gone", "folder"}


# Requests during the import


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


def test_the_backend_is_loaded_once_also_if_a_visitor_leaves_meanwhile():
    started, ready, loads = threading.Event(), threading.Event(), []

    def load():
        loads.append(1)
        started.set()
        return ready.wait(60)

    backend = DeferredBackend(load)

    async def call():
        tasks = [asyncio.create_task(backend.backend()) for _ in range(3)]
        await asyncio.to_thread(started.wait)
        tasks[0].cancel()
        await asyncio.wait([tasks[0]])
        assert [task.done() for task in tasks] == [True, False, False]
        ready.set()
        return await asyncio.gather(*tasks[1:])

    assert asyncio.run(call()) == [True, True]
    assert asyncio.run(backend.backend())
    assert loads == [1]


def test_expired_explanations_are_deleted_once_the_pages_are_there(monkeypatch):
    pages, ready = Backend(), threading.Event()
    cleaned = []
    monkeypatch.setattr(pages.explanations, "clean", lambda: cleaned.append("explanations"))
    backend = DeferredBackend(lambda: ready.wait(60) and pages)
    backend.clean()
    assert backend.future is None, "cleaning does not import"
    backend.start()
    backend.clean()
    assert not cleaned
    ready.set()
    backend.start().result()
    backend.clean()
    assert cleaned == ["explanations"]


def test_a_failing_import_fails_each_request():
    backend = DeferredBackend(lambda: {}[""])
    with pytest.raises(KeyError):
        backend.start().result()
    for _ in range(2):
        with pytest.raises(KeyError):
            asyncio.run(backend.backend())
    backend.clean()
