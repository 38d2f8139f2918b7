"""nginx as a reverse proxy under a path, with the configuration of docs/deploy.md."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from benchmarks.page import unused_port, wait_for_response

GUIDE = Path(__file__).parents[2] / "docs" / "deploy.md"
FRAME = "<!doctype html><title>Frame</title><iframe src=/vit/ style=width:1300px;height:850px></iframe>"
CONFIG = """
daemon off;
master_process off;  # one process, of this user
pid {folder}/pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    default_type text/html;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location = / {{ return 200 "{frame}"; }}
        location / {{ return 404; }}
        {location}
    }}
}}
"""


def location() -> str:
    """Return the block of docs/deploy.md."""
    (block,) = re.findall(r"^```nginx\n(.*?)^```$", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
    return block


@contextmanager
def run_nginx(address: str, folder: Path) -> Iterator[str]:
    """Run nginx in front of a server, and yield its address: /vit/ is the server, / a page with it in a frame."""
    command = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if command is None and not os.environ.get("CI"):
        pytest.skip("nginx is not installed")
    port = unused_port()
    block = location().replace("127.0.0.1:7860", urlsplit(address).netloc)
    assert urlsplit(address).netloc in block
    file = folder / "nginx.conf"
    file.write_text(CONFIG.format(folder=folder, port=port, frame=FRAME, location=block))
    process = subprocess.Popen([command, "-p", folder, "-c", file, "-e", "stderr"])
    try:
        wait_for_response(host := f"http://127.0.0.1:{port}/", process)
        yield host
    finally:
        process.terminate()
        process.wait()
