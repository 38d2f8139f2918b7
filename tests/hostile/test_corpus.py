"""Every entry of the hostile corpus is accepted or rejected as expected, in Python and over HTTP.

Everyday tests leave out the big ones, and over HTTP take every third; `python -m pytest -m hostile` takes all.
"""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmarks.load import find_server_pid
from benchmarks.page import server
from tests.hostile import checkpoints, corpus, runs
from tests.hostile.entries import Entry
from tests.webapp.serving import Client, running

ROOT = Path(__file__).parents[2]
LEAKS = re.compile(r"Traceback|site-packages|/home/|/tmp/|/root/")
CHECKPOINT = "cifar10-ti4"
CAT = {"kind": "sample", "name": "cat"}
UPLOADS = "/vitviz/api/data/uploads"
pytestmark = pytest.mark.filterwarnings("ignore:'future.no_silent_downcasting'")


def run_check(folder: Path, *options: str) -> list[dict]:
    """Return the result of every entry, loaded in a subprocess."""
    command = [sys.executable, "-m", "tests.hostile.corpus", "--check", *options, str(folder)]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr[-3000:]
    return [json.loads(line) for line in process.stdout.splitlines()]


def find_fault(entry: Entry, result: dict) -> str | None:
    """Describe what is wrong with a result; None if it is as expected."""
    name = f"{entry.kind} {entry.name}: {result['outcome']} {result['message'][:200]}"
    if result["outcome"] != ("accepted" if entry.error is None else "rejected"):
        return name
    if entry.error is not None and not re.search(entry.error, result["message"], re.DOTALL):
        return f"{name}, rejected for another reason than {entry.error}"
    if len(result["message"]) > 600 or "\n" in result["message"] or "Traceback" in result["message"]:
        return f"{name}, which is not a short message"
    if result["mib"] > corpus.MAX_MIB or result["seconds"] > corpus.MAX_SECONDS:
        return f"{name}, in {result['seconds']:.1f} s and {result['mib']:.0f} MiB"
    return None


def check(entries: list[Entry], folder: Path, *options: str) -> None:
    """Check the result, time and memory of each entry, and that no payload was executed."""
    results = run_check(folder, *options)
    assert [(entry.kind, entry.name) for entry in entries] == [(result["kind"], result["name"]) for result in results]
    assert [fault for fault in map(find_fault, entries, results) if fault is not None] == []
    assert not list(folder.rglob(corpus.MARKER))


@pytest.mark.slow
def test_the_corpus_is_large_and_deterministic(tmp_path):
    (first := tmp_path / "1").mkdir()
    (second := tmp_path / "2").mkdir()
    one, two = corpus.corpus(first), corpus.corpus(second)
    assert len(one) >= 150
    assert len({(entry.kind, entry.name) for entry in one}) == len(one)
    assert len([entry for entry in one if entry.error is None]) >= 50
    assert [e.name for e in one] == [e.name for e in two]
    assert [e.content for e in one if isinstance(e.content, bytes) and not e.live] == [
        e.content for e in two if isinstance(e.content, bytes) and not e.live
    ]


def test_every_light_entry_is_accepted_or_rejected_as_expected(tmp_path):
    check(corpus.light(corpus.corpus(tmp_path)), tmp_path, "--light")


@pytest.mark.hostile
def test_every_entry_is_accepted_or_rejected_within_ten_seconds_and_512_mib(tmp_path):
    check(corpus.corpus(tmp_path), tmp_path)


UNSAFE = """
import pickle, sys, numpy, torch
for path in sys.argv[1:]:
    for loader in (lambda: pickle.load(open(path, "rb")), lambda: torch.load(path, weights_only=False), lambda: numpy.load(path, allow_pickle=True)[0]):
        try:
            loader()
        except Exception:
            pass
"""


@pytest.mark.slow
def test_unpickling_executes_the_live_payloads(tmp_path):
    markers, files = [], []
    for number in range(len(checkpoints.pickles(tmp_path))):
        marker, file = tmp_path / f"{corpus.MARKER}{number}", tmp_path / f"file{number}"
        file.write_bytes(checkpoints.pickles(marker)[number][1])
        markers.append(marker)
        files.append(file)
    subprocess.run([sys.executable, "-W", "ignore", "-c", UNSAFE, *files], check=True)
    assert [marker.name for marker in markers if not marker.is_dir()] == [], "these payloads were not executed"


# Over HTTP


def explain(client, image: dict, model: str = CHECKPOINT) -> dict:
    """Return the explanation of an image, or the refusal."""
    status, response = client.route("explanations", {"subject": {"model": model, "image": image}})
    assert (status == 200) == ("error" not in response), response
    return response


def send(client, entry: Entry, path: Path) -> str | None:
    """Upload and explain an entry; describe what is wrong with the response, None if it is as expected."""
    if not path.is_file() or path.is_symlink():
        response = explain(client, {"kind": "upload", "id": str(path)})
        return None if response.get("field") == "subject.image.id" else f"{entry.name}: {str(response)[:200]}"
    with path.open("rb") as file:
        content = file.read(22 * 2**20)  # exceeds the upload limit
    status, text = client.upload(content, path.name, UPLOADS)
    if LEAKS.search(text):
        return f"{entry.name}: {text[:200]}"
    if status == 413:
        return None if entry.error is not None else f"{entry.name}: {status} {text[:200]}"
    response = json.loads(text)
    if status == 200:
        response = explain(client, {"kind": "upload", "id": response["id"], "name": "x"})
    message = response.get("error", "")
    if LEAKS.search(message):
        return f"{entry.name}: {message}"
    expected = entry.error if entry.kind == "image" else "must be a complete PNG|is empty|at most"
    if entry.name == "an image":  # with a checkpoint's file name
        expected = None
    if expected is None:
        return None if "probabilities" in response else f"{entry.name}: {message}"
    return None if re.search(expected, message, re.DOTALL) else f"{entry.name}: {message or 'accepted'}"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("uploads")
    with running(folder, public=True) as client:
        client.uploads = folder
        yield client


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.hostile)])
def test_every_file_gets_the_expected_response_over_http(client, tmp_path, step):
    entries = [entry for entry in corpus.light(corpus.corpus(tmp_path))[::step] if entry.kind != "text"]
    written = corpus.write_entries(entries, tmp_path)
    files = [(entry, path) for entry, path in written if entry.kind == "image" or path.is_file()]
    assert [fault for entry, path in files if (fault := send(client, entry, path))] == []
    for entry, path in written:
        if entry.kind == "checkpoint":
            assert explain(client, CAT, str(path))["field"] == "subject.model"
    assert not list(tmp_path.rglob(corpus.MARKER))
    assert not list(client.uploads.rglob(corpus.MARKER))
    assert "probabilities" in explain(client, CAT)


@pytest.mark.hostile
@pytest.mark.filterwarnings("ignore:test_batch.bin differs")
def test_every_typed_text_is_rejected_over_http(client):
    for text in runs.TEXTS:
        images = [
            {"kind": "sample", "name": text},
            {"kind": text, "name": text},
            {"kind": "upload", "id": text, "name": text},
            {"kind": "test", "index": text},
        ]
        for model, image in [(text, CAT), *((CHECKPOINT, image) for image in images)]:
            response = explain(client, image, model)
            assert response["field"].startswith("subject"), text
            assert len(response["error"]) < 600
            assert "Something went wrong" not in response["error"], text
    for data in (
        [("a" * 9_000), CHECKPOINT, "average"],
        ["cat", "../x", "average"],
        ["cat", CHECKPOINT, "__class__"],
        [{"url": "http://127.0.0.1:9/"}, 1, 2],
    ):
        status, events = client.endpoint("explain", *data)
        assert status != 200 or "event: error" in events
        assert not LEAKS.search(events)
    assert not list(Path.cwd().glob(corpus.MARKER))


def test_invalid_upload_names_are_handled_over_http(client):
    for name in (
        "a" * 300 + ".png",
        "a" * 9_000 + ".png",
        "é" * 200 + ".png",
        "../../PWNED.png",
        "/PWNED.png",
        "..\\PWNED.png",
        "a\0b.png",
    ):
        status, text = client.upload(b"x", name)
        assert status in (200, 400, 413), name
        assert "Traceback" not in text
    assert not list(client.uploads.parent.glob("*PWNED*"))


@pytest.mark.hostile
def test_big_files_are_handled_over_http_within_512_mib_alone_and_concurrently(tmp_path):
    uploads = tmp_path / "uploads"
    (files := tmp_path / "files").mkdir()
    big = [entry for entry in corpus.corpus(files) if entry.big and entry.kind == "image"]
    written = corpus.write_entries(big, files)
    with server({"GRADIO_TEMP_DIR": str(uploads), "OMP_NUM_THREADS": "1"}) as (address, _):
        client = Client(address)
        client.uploads = uploads
        process = find_server_pid(address)
        # The first image is explained before torch is imported; the second waits until it is.
        for name in ("cat", "horse"):
            explain(client, {"kind": "sample", "name": name})
        for entry, path in written:
            before = memory_mib(process, "VmRSS")
            Path(f"/proc/{process}/clear_refs").write_text("5")
            assert send(client, entry, path) is None
            assert memory_mib(process, "VmHWM") - before <= corpus.MAX_MIB, entry.name
        uploaded = [json.loads(client.upload(path.read_bytes(), path=UPLOADS)[1])["id"] for _, path in written]
        before = memory_mib(process, "VmRSS")
        Path(f"/proc/{process}/clear_refs").write_text("5")
        with ThreadPoolExecutor(len(uploaded)) as pool:
            responses = list(pool.map(lambda name: explain(client, {"kind": "upload", "id": name}), uploaded))
        assert any("probabilities" in response for response in responses)
        assert all("probabilities" in response or response["error"] for response in responses)
        assert memory_mib(process, "VmHWM") - before <= corpus.MAX_MIB, "concurrently"


def memory_mib(process: int, field: str) -> float:
    """Return a field of a process's status file in MiB."""
    return int(re.search(rf"{field}:\s+(\d+)", Path(f"/proc/{process}/status").read_text())[1]) / 1024
