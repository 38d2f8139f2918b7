"""Every entry of the hostile corpus is answered as its manifest says: at the head_masks, over HTTP and in a browser."""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmarks.load import process_at
from benchmarks.page import server
from tests.hostile import checkpoints, corpus, runs
from tests.hostile.entries import Entry
from tests.webapp.serving import Visitor, running

ROOT = Path(__file__).parents[2]
LEAKS = re.compile(r"Traceback|site-packages|/home/|/tmp/|/root/")
CHECKPOINT = "cifar10-ti4"
pytestmark = pytest.mark.filterwarnings("ignore:'future.no_silent_downcasting'")


def checked(folder: Path, *options: str) -> list[dict]:
    """What came of every entry, in a process of its own."""
    command = [sys.executable, "-m", "tests.hostile.corpus", "--check", *options, str(folder)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr[-3000:]
    return [json.loads(line) for line in found.stdout.splitlines()]


def wrong(entry: Entry, came: dict) -> str | None:
    """What is wrong with an answer, if anything is."""
    name = f"{entry.kind} {entry.name}: {came['outcome']} {came['words'][:200]}"
    if came["outcome"] != ("accepted" if entry.refused is None else "refused"):
        return name
    if entry.refused is not None and not re.search(entry.refused, came["words"], re.DOTALL):
        return f"{name}, refused for another reason than {entry.refused}"
    if len(came["words"]) > 600 or "\n" in came["words"] or "Traceback" in came["words"]:
        return f"{name}, which is not one sentence"
    if came["mib"] > corpus.MOST_MIB or came["seconds"] > corpus.MOST_SECONDS:
        return f"{name}, in {came['seconds']:.1f} s and {came['mib']:.0f} MiB"
    return None


def judge(folder: Path, *options: str) -> None:
    """Demand that each gate does what the manifest says, in bounded time and memory, and that nothing ran."""
    found = checked(folder, *options)
    entries = [entry for entry in corpus.corpus(folder) if not (entry.big and "--light" in options)]
    assert [(entry.kind, entry.name) for entry in entries] == [(came["kind"], came["name"]) for came in found]
    assert [w for w in map(wrong, entries, found) if w is not None] == []
    assert not list(folder.rglob(corpus.MARKER))


@pytest.mark.slow
def test_the_corpus_is_large_and_the_same_each_time(tmp_path):
    (first := tmp_path / "1").mkdir()
    (again := tmp_path / "2").mkdir()
    one, two = corpus.corpus(first), corpus.corpus(again)
    assert len(one) >= 150
    assert len({(entry.kind, entry.name) for entry in one}) == len(one)
    assert len([entry for entry in one if entry.refused is None]) >= 50
    assert [e.name for e in one] == [e.name for e in two]
    assert [e.made for e in one if isinstance(e.made, bytes) and not e.live] == [
        e.made for e in two if isinstance(e.made, bytes) and not e.live
    ]


@pytest.mark.slow
def test_every_light_entry_is_answered_at_its_gate(tmp_path):
    judge(tmp_path, "--light")


@pytest.mark.slow
def test_every_entry_is_answered_at_its_gate_within_ten_seconds_and_512_mib(tmp_path):
    judge(tmp_path)


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
def test_the_live_payloads_do_run_where_files_are_unpickled(tmp_path):
    markers, files = [], []
    for number in range(len(checkpoints.live(tmp_path))):
        marker, file = tmp_path / f"{corpus.MARKER}{number}", tmp_path / f"file{number}"
        file.write_bytes(checkpoints.live(marker)[number][1])
        markers.append(marker)
        files.append(file)
    subprocess.run([sys.executable, "-W", "ignore", "-c", UNSAFE, *files], check=True)
    assert [marker.name for marker in markers if not marker.is_dir()] == [], "these payloads show nothing"


# Over HTTP


def shown(visitor, path: str) -> dict:
    """What the page is told about an uploaded image."""
    image = {"kind": "upload", "path": path, "name": "x"}
    status, answer = visitor.call("explain", {"checkpoint": CHECKPOINT, "image": image})
    assert status == 200, answer
    return answer


def send(visitor, entry: Entry, path: Path) -> str | None:
    """Upload an entry and have it explained; says what is wrong with the answer, if anything is."""
    if not path.is_file() or path.is_symlink():
        answer = shown(visitor, str(path))
        return None if "Only an uploaded image" in answer.get("error", "") else f"{entry.name}: {str(answer)[:200]}"
    with path.open("rb") as file:
        content = file.read(22 * 2**20)  # of a tebibyte, more than is taken in is enough
    status, text = visitor.upload(content, path.name)
    if LEAKS.search(text.replace(str(visitor.uploads), "")):
        return f"{entry.name}: {text[:200]}"
    if status != 200:
        return None if entry.refused is not None and status in (400, 413) else f"{entry.name}: {status} {text[:200]}"
    answer = shown(visitor, json.loads(text)[0])
    words = answer.get("error", "")
    if LEAKS.search(words):
        return f"{entry.name}: {words}"
    expected = entry.refused if entry.kind == "image" else "must be a whole PNG|is empty|at most"
    if entry.name == "an image":  # under the name of a checkpoint
        expected = None
    if expected is None:
        return None if "probabilities" in answer else f"{entry.name}: {words}"
    return None if re.search(expected, words, re.DOTALL) else f"{entry.name}: {words or 'accepted'}"


@pytest.fixture(scope="module")
def visitor(tmp_path_factory):
    folder = tmp_path_factory.mktemp("uploads")
    with running(folder, public=True) as visitor:
        visitor.uploads = folder
        yield visitor


@pytest.mark.slow
def test_every_light_file_is_answered_over_http(visitor, tmp_path):
    placed = [(entry, path) for entry, path in corpus.put(tmp_path, big=False) if entry.kind != "text"]
    assert [w for w in (send(visitor, *one) for one in placed if one[0].kind == "image" or one[1].is_file()) if w] == []
    for entry, path in placed:
        if entry.kind == "checkpoint":
            question = {"checkpoint": str(path), "image": {"kind": "sample", "name": "cat"}}
            assert "There is no checkpoint" in visitor.call("explain", question)[1]["error"]
    assert not list(tmp_path.rglob(corpus.MARKER))
    assert not list(visitor.uploads.rglob(corpus.MARKER))
    assert (
        "probabilities"
        in visitor.call("explain", {"checkpoint": CHECKPOINT, "image": {"kind": "sample", "name": "cat"}})[1]
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:test_batch.bin differs")
def test_every_typed_text_is_refused_over_http(visitor):
    for text in runs.TYPED:
        questions = [
            {"checkpoint": text, "image": {"kind": "sample", "name": "cat"}},
            {"checkpoint": CHECKPOINT, "image": {"kind": "sample", "name": text}},
            {"checkpoint": CHECKPOINT, "image": {"kind": text, "name": text}},
            {"checkpoint": CHECKPOINT, "image": {"kind": "upload", "path": text, "name": text}},
            {"checkpoint": CHECKPOINT, "image": {"kind": "cifar", "index": text}},
        ]
        for question in questions:
            status, answer = visitor.call("explain", question)
            assert (status, set(answer)) == (200, {"error"}), text
            assert len(answer["error"]) < 600
            assert "Something went wrong" not in answer["error"], text
    for data in (
        [("a" * 9_000), CHECKPOINT, "average"],
        ["cat", "../x", "average"],
        ["cat", CHECKPOINT, "__class__"],
        [{"url": "http://127.0.0.1:9/"}, 1, 2],
    ):
        status, events = visitor.endpoint("explain", *data)
        assert status != 200 or "event: error" in events
        assert not LEAKS.search(events)
    assert not list(Path.cwd().glob(corpus.MARKER))


def test_a_name_too_long_for_a_file_is_refused_over_http(visitor):
    for name in (
        "a" * 300 + ".png",
        "a" * 9_000 + ".png",
        "é" * 200 + ".png",
        "../../PWNED.png",
        "/PWNED.png",
        "..\\PWNED.png",
        "a\0b.png",
    ):
        status, text = visitor.upload(b"x", name)
        assert status in (200, 400, 413), name
        assert "Traceback" not in text
    assert not list(visitor.uploads.parent.glob("*PWNED*"))


@pytest.mark.slow
def test_every_big_file_and_all_at_once_are_answered_over_http_within_512_mib(tmp_path):
    uploads = tmp_path / "uploads"
    (files := tmp_path / "files").mkdir()
    placed = [(entry, path) for entry, path in corpus.put(files) if entry.big and entry.kind == "image"]
    with server({"GRADIO_TEMP_DIR": str(uploads), "OMP_NUM_THREADS": "1"}) as (address, _):
        visitor = Visitor(address)
        visitor.uploads = uploads
        process = process_at(address)
        visitor.call("explain", {"checkpoint": CHECKPOINT, "image": {"kind": "sample", "name": "cat"}})
        for entry, path in placed:
            before = memory(process, "VmRSS")
            Path(f"/proc/{process}/clear_refs").write_text("5")
            assert send(visitor, entry, path) is None
            assert memory(process, "VmHWM") - before <= corpus.MOST_MIB, entry.name
        uploaded = [json.loads(visitor.upload(path.read_bytes(), path.name)[1])[0] for _, path in placed]
        before = memory(process, "VmRSS")
        Path(f"/proc/{process}/clear_refs").write_text("5")
        with ThreadPoolExecutor(len(uploaded)) as crowd:
            answers = list(crowd.map(lambda path: shown(visitor, path), uploaded))
        assert any("probabilities" in answer for answer in answers)
        assert all("probabilities" in answer or answer["error"] for answer in answers)
        assert memory(process, "VmHWM") - before <= corpus.MOST_MIB, "all at once"


def memory(process: int, what: str) -> float:
    """A line of a process's status in MiB."""
    return int(re.search(rf"{what}:\s+(\d+)", Path(f"/proc/{process}/status").read_text())[1]) / 1024
