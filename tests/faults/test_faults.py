"""Faults of disk, network, memory and clock: old files are kept, temporary files deleted, and errors are one line."""

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

import httpx
import pytest
import torch
from torchvision.datasets import CIFAR10

import vitviz
from benchmarks.page import wait_for_response
from tests import tiny
from vitviz.data import cifar
from vitviz.data.preprocessing import sample_paths
from vitviz.errors import CheckpointError, DataError
from vitviz.models import checkpoint
from vitviz.webapp.server.address import free_port

pytestmark = pytest.mark.fault
ROOT = Path(__file__).parents[2]


def run(*command, **options):
    """Run a command in a subprocess."""
    words = list(map(str, command))
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False, **options)


def vitviz_command(*words, **options):
    """Run the command line."""
    return run(sys.executable, "-m", "vitviz", *words, **options)


# Full disk: simulated by a limit of the file size, which raises the same kind of error


def small_files_only():
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "name"), [(("explain", "cat"), "cat.npz"), (("timeline", "cifar10-ti4"), "cat.gif")], ids=lambda v: v[0]
)
def test_on_a_full_disk_an_export_fails_and_keeps_the_old_file(tmp_path, command, name):
    out = tmp_path / name
    out.write_bytes(b"an older file")
    found = vitviz_command(*command, "--output", out, preexec_fn=small_files_only)
    assert found.returncode == 1
    assert f"vitviz: System error: File too large ({out})" in found.stderr
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
def test_on_a_full_disk_the_old_checkpoint_is_kept(tmp_path):
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
def test_on_a_disk_without_inodes_an_export_fails_and_keeps_the_old_file(tmp_path):
    words = ["unshare", "--mount", "sh", "-c", FULL_TABLE, tmp_path]
    if shutil.which("unshare") is None or "last" not in run(*words, "true").stdout:
        pytest.skip("mounting a small disk needs root on Linux")
    found = run(*words, sys.executable, "-m", "vitviz", "explain", "cat", "--output", tmp_path / "cat.npz")
    assert found.stderr.startswith("vitviz: System error: No space left on device")
    assert found.stderr.count("\n") == 1
    assert found.stdout.split("\n") == ["1", "cat.npz", "last", "an older file", ""]


# Unwritable output, no home directory, port in use


@pytest.mark.slow
def test_an_unwritable_output_is_reported_in_one_line():
    found = vitviz_command("explain", "cat", "--output", "/proc/cat.svg")
    assert found.returncode == 1
    assert found.stderr.startswith("vitviz: ")
    assert "Traceback" not in found.stderr
    assert found.stderr.count("\n") == 1


@contextmanager
def page(environment, before=()):
    """Run the page with exactly this environment and with `before` in front of its command."""
    port = free_port("127.0.0.1", None)
    command = [*before, sys.executable, "-m", "vitviz", "app", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        wait_for_response(f"http://127.0.0.1:{port}/", process)
        yield port
    finally:
        process.terminate()
        process.communicate()


@pytest.mark.slow
def test_the_page_starts_without_a_home_directory_and_deletes_its_uploads(tmp_path):
    with page({"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path)}):
        assert len(list(tmp_path.glob("vitviz-uploads-*"))) == 1
    assert not list(tmp_path.glob("vitviz-uploads-*"))


COMPUTING = """
import threading
from vitviz.webapp import app, endpoints

def compute():
    print("computing", flush=True)
    threading.Event().wait()

endpoints.list_methods = compute
app.serve(app.build_app(), port={port})
"""


@pytest.mark.slow
def test_the_page_stops_while_it_computes_and_deletes_its_uploads(tmp_path):
    port = free_port("127.0.0.1", None)
    process = subprocess.Popen(
        [sys.executable, "-c", COMPUTING.format(port=port)],
        env=os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert any(line.startswith("vitviz is at ") for line in process.stdout)  # Gradio requests the page before
        httpx.post(f"http://127.0.0.1:{port}/gradio_api/call/methods", json={"data": []}).raise_for_status()
        assert any(line == "computing\n" for line in process.stdout)
        process.terminate()
        assert process.wait(timeout=300) == 0
        assert not list(tmp_path.glob("vitviz-uploads-*"))
    finally:
        process.kill()
        process.wait()


READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" && exec "$@"'
START = """
from vitviz.webapp.schemas.runs import FormRequest
from vitviz.webapp.trainings import Trainings
form = FormRequest(preset="cifar10-ti4", settings={{"epochs": 1, "minutes": None}}, name="mine")
try:
    Trainings("{data}").start(form)
except ValueError as error:
    print(error)
"""


@pytest.fixture
def read_only():
    """Prefix of a command that runs it in the repository mounted read-only."""
    words = ["unshare", "--mount", "sh", "-c", READ_ONLY, str(ROOT)]
    if shutil.which("unshare") is None or run(*words, "true").returncode:
        pytest.skip("mounting a folder read-only needs root on Linux")
    return words


@pytest.mark.slow
def test_an_image_is_explained_in_a_read_only_folder(read_only, tmp_path):
    command = [*read_only, sys.executable, "-m", "vitviz", "explain", "cat", "--output"]
    found = run(*command, tmp_path / "cat.svg")
    assert (found.returncode, (tmp_path / "cat.svg").is_file()) == (0, True), found.stderr
    found = run(*command, "cat.svg")
    assert (found.returncode, found.stderr.count("\n"), "Traceback" in found.stderr) == (1, 1, False)


@pytest.mark.slow
def test_the_page_works_in_a_read_only_folder_and_training_is_rejected(read_only, cifar_folder, tmp_path):
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    with page(environment, read_only):
        pass
    command = [*read_only, sys.executable, "-c", START.format(data=cifar_folder)]
    found = run(*command, env=environment)
    assert re.fullmatch(
        r"Training needs a writable folder: \S+runs is not \(Read-only file system\)\. "
        r"Start vitviz in another folder\.\n",
        found.stdout,
    ), found


@pytest.mark.slow
def test_a_port_in_use_is_reported_in_one_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        found = vitviz_command("app", "--port", port)
    assert found.returncode == 1
    assert f"port must be free: {port} on 127.0.0.1 is in use or not allowed. Choose another --port." in found.stderr
    assert "Traceback" not in found.stderr


# Out of memory


GREEDY = """
import resource, sys
from vitviz.cli import main
from vitviz.data import cifar
from vitviz.runs import training_run  # imports torch, which needs memory itself
cifar.RECORDS = 20
resource.setrlimit(resource.RLIMIT_AS, (int(open("/proc/self/statm").read().split()[0]) * 4096 + 300 * 2**20,) * 2)
sys.argv = ["vitviz", "train", "--set", "model.embed_dim=900", "--set", "model.mlp_ratio=4", "--epochs", "1"]
sys.argv += ["--batch-size", "50", "--data", "{data}", "--output-dir", "{output_dir}"]
main()
"""


@pytest.mark.slow
def test_a_training_that_does_not_fit_into_memory_is_reported(cifar_folder, tmp_path):
    code = GREEDY.format(data=cifar_folder, output_dir=tmp_path / "run")
    found = run(sys.executable, "-c", code)
    assert found.returncode == 1
    assert "vitviz: A training step does not fit into memory with batch_size 50." in found.stderr
    assert "Traceback" not in found.stderr


# Broken downloads of the dataset


def archive(folder: Path) -> bytes:
    """Return a tar file with a path outside of its folder."""
    (folder / "x").write_bytes(b"x" * 5000)
    with tarfile.open(folder / "bad.tar.gz", "w:gz") as file:
        file.add(folder / "x", "../../escaped")
    return (folder / "bad.tar.gz").read_bytes()


@pytest.fixture
def mirror(monkeypatch):
    """Server with a configurable response in place of the dataset: status, content length, content, or a stall."""
    response = {"status": 200, "length": None, "content": b"", "stall": False}
    done = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(response["status"])
            self.send_header("Content-Length", str(response["length"] or len(response["content"])))
            self.end_headers()
            self.wfile.write(response["content"])
            self.wfile.flush()
            if response["stall"]:
                done.wait(60)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    monkeypatch.setattr(CIFAR10, "url", f"http://127.0.0.1:{server.server_port}/cifar-10-python.tar.gz")
    yield response
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
    ids=["not found", "HTML page", "truncated", "empty", "stalled", "path traversal"],
)
def test_a_broken_download_leaves_no_files_and_suggests_a_remedy(mirror, monkeypatch, tmp_path, what):
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


# Files that change while in use; clocks that jump


def test_a_loaded_checkpoint_does_not_depend_on_its_file(tmp_path):
    path = tmp_path / "model.safetensors"
    checkpoint.save(tiny.checkpoint(), path)
    model = checkpoint.load(path)
    before = vitviz.explain(model, sample_paths()["cat"]).probabilities
    path.write_bytes(bytes(path.stat().st_size))
    assert (vitviz.explain(model, sample_paths()["cat"]).probabilities == before).all()
    path.unlink()
    assert (vitviz.explain(model, sample_paths()["cat"]).probabilities == before).all()


def test_durations_are_measured_with_a_monotonic_clock():
    for path in (ROOT / "vitviz").rglob("*.py"):
        if path.name not in ("uploads.py", "cifar.py"):  # file ages: only that clock has the times of files
            assert "time.time()" not in path.read_text(), path


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_nan_and_infinite_weights_are_never_written(tmp_path, number):
    path = tmp_path / "model.safetensors"
    checkpoint.save(tiny.checkpoint(), path)
    before = path.read_bytes()
    broken = tiny.checkpoint()
    with torch.no_grad():
        broken.network.head.weight[0, 0] = number
    with pytest.raises(CheckpointError, match=r"Every weight must be finite: head\.weight has NaN"):
        checkpoint.save(broken, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
