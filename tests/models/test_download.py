"""Downloads of the command line from a small server in place of the Hugging Face Hub."""

import os
import pty
import subprocess
import sys
import termios
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
import torch

from tests.models import families

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
FILES = "/timm/vit_small/resolve/"


@contextmanager
def hub(folder, cut=(), has_ranges=True, served=None, cdn=""):
    """Serve the files of one repository.

    Args:
        folder: The files.
        cut: Names of files that end after half of their bytes.
        has_ranges: Whether it honors ranges that end before the file does.
        served: Bytes that were sent of each file, by name.
        cdn: Host that ranges are redirected to, which must be another name of this one.
    """

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args):
            pass

        def do_HEAD(self):
            self.respond(False)

        def do_GET(self):
            self.respond(True)

        def respond(self, has_body):
            file = folder / self.path.rpartition("/")[2]
            if not (self.path.startswith(FILES) and file.is_file()):
                self.send_response(404)
                known = self.path.startswith("/timm/vit_small/")
                self.send_header("X-Error-Code", "EntryNotFound" if known else "RepoNotFound")
                self.send_header("X-Repo-Commit", "0" * 40)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            content = file.read_bytes()
            start, _, end = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")
            if end and cdn and cdn not in self.headers["Host"]:
                self.send_response(302)
                self.send_header("Location", f"http://{cdn}:{server.server_port}{self.path}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            start, end = (int(start), int(end or len(content) - 1) + 1) if has_ranges or not end else (0, len(content))
            self.send_response(206 if (start, end) != (0, len(content)) else 200)
            self.send_header("X-Repo-Commit", "0" * 40)
            self.send_header("ETag", f'"{file.name}"')
            self.send_header("Content-Length", str(end - start))
            self.end_headers()
            if has_body:
                sent = content[start : (start + end) // 2 if file.name in cut and end - start > 8000 else end]
                self.wfile.write(sent)
                if served is not None:
                    served[file.name] = served.get(file.name, 0) + len(sent)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def folder(tmp_path):
    families.save("timm ViT", families.build("timm ViT", dtype=torch.float32), tmp_path / "files")
    return tmp_path / "files"


def export(address, tmp_path, name="timm:vit_small", stderr=subprocess.PIPE):
    """Run `vitviz export` with the server as the Hub and an empty cache."""
    env = os.environ | {"HF_ENDPOINT": address, "HF_HOME": str(tmp_path / "cache"), "HF_HUB_OFFLINE": "0"}
    env |= {"HF_HUB_DISABLE_TELEMETRY": "1", "PYTHONPATH": str(ROOT), "NO_PROXY": "127.0.0.1"}
    words = [sys.executable, "-m", "vitviz", "export", name, tmp_path / "out"]
    return subprocess.run(words, env=env, stdout=subprocess.PIPE, stderr=stderr, text=True, check=False)


def test_a_download_shows_no_bar_where_there_is_no_terminal(folder, tmp_path):
    with hub(folder) as address:
        done = export(address, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "out" / "model.safetensors").is_file()
    again = export("http://127.0.0.1:9", tmp_path)  # nothing listens there
    assert again.returncode == 0, again.stderr


def test_a_download_shows_its_progress_in_a_terminal(folder, tmp_path):
    reader, writer = pty.openpty()
    termios.tcsetwinsize(writer, (24, 120))
    with hub(folder) as address, open(reader, "rb", buffering=0) as shown:
        done = export(address, tmp_path, stderr=writer)
        os.close(writer)
        assert done.returncode == 0
        text = b""
        with suppress(OSError):  # at its end
            while part := shown.read(65536):
                text += part
    assert b"model.safetensors: 100%" in text


def test_a_broken_download_is_one_sentence_and_never_used(folder, tmp_path):
    with hub(folder, cut=("model.safetensors",)) as address:
        done = export(address, tmp_path)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("vitviz: model.safetensors of timm/vit_small was not downloaded completely")
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "cache").rglob("snapshots/*/model.safetensors"))
    with hub(folder) as address:
        assert export(address, tmp_path).returncode == 0


def test_an_unknown_name_suggests_others(folder, tmp_path):
    with hub(folder) as address:
        done = export(address, tmp_path, "timm:vit_small_patch16_224.dinoo")
    assert done.stderr.endswith("does not. Similar names: timm/vit_small_patch16_224.dino.\n") or (
        "Similar names: timm/vit_small_patch16_224.dino," in done.stderr
    )
