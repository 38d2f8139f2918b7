"""What breaks around vitviz while it runs: old files stay, no litter is left, and people are told in a sentence."""

import hashlib
import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import tarfile
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import torch
from torchvision.datasets import CIFAR10

import vitviz
from benchmarks.page import wait_for_answer
from tests import tiny
from vitviz.data import cifar
from vitviz.data.cifar import DataError
from vitviz.data.preprocessing import sample_paths
from vitviz.models import checkpoint
from vitviz.models.checkpoint import CheckpointError
from vitviz.webapp.app import free_port

pytestmark = pytest.mark.fault
ROOT = Path(__file__).parents[2]


def run(*command, **options):
    """Run a command to its end, as a process of its own."""
    words = list(map(str, command))
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False, **options)


def vitviz_command(*words, **options):
    """Run the command line."""
    return run(sys.executable, "-m", "vitviz", *words, **options)


# The disk is full: no file may grow above some kilobytes, which the system says with the same kind of error


def small_files_only():
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "name"), [(("explain", "cat"), "cat.npz"), (("timeline", "cifar10-ti4"), "cat.gif")], ids=lambda v: v[0]
)
def test_on_a_full_disk_an_export_ends_with_a_sentence_and_the_old_file_stays(tmp_path, command, name):
    out = tmp_path / name
    out.write_bytes(b"an older file")
    found = vitviz_command(*command, "--out", out, preexec_fn=small_files_only)
    assert found.returncode == 1
    assert f"vitviz: The system refused: File too large ({out})" in found.stderr
    assert "Traceback" not in found.stderr
    assert out.read_bytes() == b"an older file"
    assert list(tmp_path.iterdir()) == [out]


SAVE = """
import resource, sys
from pathlib import Path
from tests import tiny
from vitviz.models import checkpoint
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
checkpoint.save(tiny.checkpoint(seed=1), Path(sys.argv[1]))
"""


@pytest.mark.slow
def test_on_a_full_disk_the_old_checkpoint_stays_whole(tmp_path):
    path = tmp_path / "model.safetensors"
    checkpoint.save(tiny.checkpoint(), path)
    before = hashlib.sha256(path.read_bytes()).digest()
    found = run(sys.executable, "-c", SAVE, path)
    assert "OSError: [Errno 27] File too large" in found.stderr
    assert hashlib.sha256(path.read_bytes()).digest() == before
    assert list(tmp_path.iterdir()) == [path]
    checkpoint.load(path)


FULL_TABLE = 'mount -t tmpfs -o size=64m,nr_inodes=3 none "$0" && echo an older file > "$0/cat.npz" && touch "$0/last" '
FULL_TABLE += '&& "$@"; echo "$?"; ls -A "$0"; cat "$0/cat.npz"'


@pytest.mark.slow
def test_on_a_disk_that_takes_no_more_files_an_explanation_ends_with_a_sentence_and_the_old_file_stays(tmp_path):
    words = ["unshare", "--mount", "sh", "-c", FULL_TABLE, tmp_path]
    if shutil.which("unshare") is None or "last" not in run(*words, "true").stdout:
        pytest.skip("a small disk can be made by root on Linux alone")
    found = run(*words, sys.executable, "-m", "vitviz", "explain", "cat", "--out", tmp_path / "cat.npz")
    assert found.stderr.startswith("vitviz: The system refused: No space left on device")
    assert found.stderr.count("\n") == 1
    assert found.stdout.split("\n") == ["1", "cat.npz", "last", "an older file", ""]


# Nothing may be written; there is no home; the port is taken


@pytest.mark.slow
def test_a_place_that_takes_no_files_is_said_in_a_sentence():
    found = vitviz_command("explain", "cat", "--out", "/proc/cat.svg")
    assert found.returncode == 1
    assert found.stderr.startswith("vitviz: ")
    assert "Traceback" not in found.stderr
    assert found.stderr.count("\n") == 1


@contextmanager
def page(environment, before=()):
    """The page with nothing in its environment but this, and these words before its command."""
    port = free_port("127.0.0.1", None)
    command = [*before, sys.executable, "-m", "vitviz", "app", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        wait_for_answer(f"http://127.0.0.1:{port}/", process)
        yield port
    finally:
        process.terminate()
        process.communicate()


@pytest.mark.slow
def test_the_page_starts_without_a_home_and_leaves_no_uploads_behind(tmp_path):
    with page({"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path)}):
        assert len(list(tmp_path.glob("vitviz-uploads-*"))) == 1
    assert not list(tmp_path.glob("vitviz-uploads-*"))


READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" && exec "$@"'
START = """
from vitviz.webapp.server.requests import error_response
from vitviz.webapp.pages.train import Train
train = Train("{data}")
question = {{"preset": "cifar10-ti4", "settings": {{"epochs": 1, "minutes": None}}, "name": "mine"}}
print(error_response(train.start)(question)["error"])
"""


@pytest.fixture
def read_only():
    """What to put before a command, so that to it alone the whole tree is read-only, and its folder."""
    words = ["unshare", "--mount", "sh", "-c", READ_ONLY, str(ROOT)]
    if shutil.which("unshare") is None or run(*words, "true").returncode:
        pytest.skip("a tree can be made read-only by root on Linux alone")
    return words


@pytest.mark.slow
def test_on_a_tree_that_is_read_only_images_are_explained(read_only, tmp_path):
    command = [*read_only, sys.executable, "-m", "vitviz", "explain", "cat", "--out"]
    found = run(*command, tmp_path / "cat.svg")
    assert (found.returncode, (tmp_path / "cat.svg").is_file()) == (0, True), found.stderr
    found = run(*command, "cat.svg")
    assert (found.returncode, found.stderr.count("\n"), "Traceback" in found.stderr) == (1, 1, False)


@pytest.mark.slow
def test_on_a_tree_that_is_read_only_the_page_works_and_training_names_the_folder(read_only, cifar_folder, tmp_path):
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    with page(environment, read_only):
        pass
    command = [*read_only, sys.executable, "-c", START.format(data=cifar_folder)]
    found = run(*command, env=environment)
    assert re.fullmatch(
        r"A training needs a folder that can be written to: \S+runs cannot \(Read-only file system\)\. "
        r"Start vitviz in a folder of your own\.\n",
        found.stdout,
    ), found


@pytest.mark.slow
def test_a_port_in_use_ends_the_start_with_one_sentence():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        found = vitviz_command("app", "--port", port)
    assert found.returncode == 1
    assert f"vitviz: The port must be free: {port} on 127.0.0.1 is in use" in found.stderr
    assert "Traceback" not in found.stderr


# Memory runs out


GREEDY = """
import resource, sys
from vitviz.cli import main
from vitviz.data import cifar
cifar.RECORDS = 20
resource.setrlimit(resource.RLIMIT_AS, (int(open("/proc/self/statm").read().split()[0]) * 4096 + 200 * 2**20,) * 2)
sys.argv = ["vitviz", "train", "--set", "model.embed_dim=900", "--set", "model.mlp_ratio=4", "--epochs", "1"]
sys.argv += ["--batch-size", "50", "--data", "{data}", "--out", "{out}"]
main()
"""


@pytest.mark.slow
def test_a_training_that_does_not_fit_into_memory_ends_with_a_sentence(cifar_folder, tmp_path):
    code = GREEDY.format(data=cifar_folder, out=tmp_path / "run")
    found = run(sys.executable, "-c", code)
    assert found.returncode == 1
    assert "vitviz: A step must fit into memory: 50 images in this network do not." in found.stderr
    assert "Traceback" not in found.stderr


# A broken download of the data set


def archive(folder: Path) -> bytes:
    """A tar that would write outside its folder."""
    (folder / "x").write_bytes(b"x" * 5000)
    with tarfile.open(folder / "bad.tar.gz", "w:gz") as file:
        file.add(folder / "x", "../../escaped")
    return (folder / "bad.tar.gz").read_bytes()


@pytest.fixture
def mirror(monkeypatch):
    """A server that gives what it is told to in place of the data set: status, promised length, bytes, or silence."""
    told = {"status": 200, "length": None, "content": b"", "stall": False}
    done = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(told["status"])
            self.send_header("Content-Length", str(told["length"] or len(told["content"])))
            self.end_headers()
            self.wfile.write(told["content"])
            self.wfile.flush()
            if told["stall"]:
                done.wait(60)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    monkeypatch.setattr(CIFAR10, "url", f"http://127.0.0.1:{server.server_port}/cifar-10-python.tar.gz")
    yield told
    done.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    "what",
    [
        {"status": 404},
        {"content": b"<html>Sign in to this network</html>"},
        {"content": b"x" * 5000, "length": 10_000},
        {"content": b""},
        {"content": b"x" * 100, "length": 10_000, "stall": True},
        {"content": "archive"},
    ],
    ids=["not there", "a page", "cut at half", "nothing", "silence", "an archive that climbs"],
)
def test_a_broken_download_leaves_nothing_and_says_what_to_do(mirror, monkeypatch, tmp_path, what):
    (made := tmp_path / "made").mkdir()
    monkeypatch.setattr(cifar, "STALL_TIMEOUT", 0.5)
    mirror.update(what)
    if what.get("content") == "archive":
        mirror["content"] = archive(made)
    root = tmp_path / "a" / "data"
    with pytest.raises(DataError, match=r"CIFAR-10 could not be downloaded .* or copy cifar-10-batches-py"):
        cifar.download(root)
    assert list(root.iterdir()) == []
    assert not list(tmp_path.rglob("escaped"))
    assert socket.getdefaulttimeout() is None


# Files change while they are in use; clocks jump


def test_a_checkpoint_that_is_deleted_or_overwritten_while_it_is_loaded_stays_as_it_was(tmp_path):
    path = tmp_path / "model.safetensors"
    checkpoint.save(tiny.checkpoint(), path)
    model = checkpoint.load(path)
    before = vitviz.explain(model, sample_paths()["cat"]).probabilities
    path.write_bytes(bytes(path.stat().st_size))
    assert (vitviz.explain(model, sample_paths()["cat"]).probabilities == before).all()
    path.unlink()
    assert (vitviz.explain(model, sample_paths()["cat"]).probabilities == before).all()


def test_no_duration_is_taken_from_a_clock_that_may_jump():
    for path in (ROOT / "vitviz").rglob("*.py"):
        if path.name not in ("guard.py", "cifar.py"):  # compare the ages of files, which only that clock knows
            assert "time.time()" not in path.read_text(), path


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_weights_that_are_no_numbers_are_never_written(tmp_path, number):
    path = tmp_path / "model.safetensors"
    checkpoint.save(tiny.checkpoint(), path)
    before = path.read_bytes()
    broken = tiny.checkpoint()
    with torch.no_grad():
        broken.model.head.weight[0, 0] = number
    with pytest.raises(CheckpointError, match=r"Every weight must be finite: head\.weight has NaN"):
        checkpoint.save(broken, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
