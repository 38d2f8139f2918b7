"""Dockerfile: its steps, run in a clean folder as another user, as there may be no Docker engine."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from benchmarks.page import unused_port, wait_for_response
from tests.webapp.serving import CAT, Client

ROOT = Path(__file__).parents[1]
LINES = (ROOT / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
SOURCES = [name for line in LINES if line.startswith("COPY ") for name in line.split()[1:-1]]
ENVIRONMENT = dict(word.split("=", 1) for line in LINES if line.startswith("ENV ") for word in line.split()[1:])
READ = "+dac_read_search"
PIP = [command for line in LINES if line.startswith("RUN pip ") for command in line.removeprefix("RUN ").split(" && ")]


def command(word):
    """Return the command of CMD or HEALTHCHECK, with this Python."""
    (line,) = (line for line in LINES if line.startswith(f"{word} "))
    python, *words = json.loads(line[line.index("[") :])
    assert python == "python"
    return [sys.executable, *words]


def test_the_dockerfile_copies_what_exists_and_starts_the_page_as_another_user():
    assert {"app.py", "vitviz", "checkpoints", "requirements.txt"} <= set(SOURCES)
    allowed = (ROOT / ".dockerignore").read_text().splitlines()
    for name in SOURCES:
        assert (ROOT / name).exists()
        assert f"!{name}" in allowed
    user, command = LINES.index("USER vitviz"), LINES.index('CMD ["python", "app.py", "--public"]')
    assert user < command
    assert any(line.startswith("HEALTHCHECK") for line in LINES)


@pytest.mark.parametrize("line", PIP)
def test_pip_accepts_the_options_of_its_commands(line):
    pip, *words = shlex.split(line)
    assert (pip, words[0]) == ("pip", "install")
    options = [
        "--no-index",
        "--no-deps",
        "--dry-run",
        "--disable-pip-version-check",
    ]  # what is installed here is enough
    done = subprocess.run(
        [sys.executable, "-m", "pip", *words, *options], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def as_user():
    """Start of a command that runs as a user who is not root and may read everything, as in the container."""
    if os.getuid() != 0:
        return []
    if shutil.which("setpriv") is None and not os.environ.get("CI"):
        pytest.skip("setpriv is not installed")
    return [
        "setpriv",
        "--reuid=nobody",
        "--regid=nogroup",
        "--clear-groups",
        f"--inh-caps={READ}",
        f"--ambient-caps={READ}",
    ]


@pytest.fixture
def container():
    """The folders /app and /tmp of a container: what is copied, which is not writable, and the only writable one."""
    with tempfile.TemporaryDirectory() as folder:
        app, scratch = Path(folder, "app"), Path(folder, "tmp")
        app.mkdir()
        scratch.mkdir()
        for name in SOURCES:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, app / name)
        for path in (Path(folder), *app.rglob("*"), app):
            path.chmod(0o555 if path.is_dir() else 0o444)
        if os.getuid() == 0:
            shutil.chown(scratch, "nobody")
        yield app, scratch
        for path in (Path(folder), app, *(path for path in app.rglob("*") if path.is_dir())):
            path.chmod(0o755)


@contextmanager
def run_container(container, as_user):
    """Run CMD, and yield its address, its environment and the process."""
    app, scratch = container
    environment = {name: value.replace("/tmp", str(scratch)) for name, value in ENVIRONMENT.items()}
    environment |= {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "TMPDIR": str(scratch)}
    environment |= {"PORT": str(unused_port()), "OMP_NUM_THREADS": "1"}
    address = f"http://127.0.0.1:{environment['PORT']}/"
    process = subprocess.Popen([*as_user, *command("CMD")], cwd=app, env=environment)
    try:
        wait_for_response(address, process)
        yield address, environment, process
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_the_page_runs_as_another_user_with_one_writable_folder_and_answers_the_health_check(container, as_user):
    app, _ = container
    write = [sys.executable, "-c", f"open({str(app / 'vitviz' / 'x')!r}, 'w')"]
    done = subprocess.run([*as_user, *write], capture_output=True, text=True, check=False)
    assert "PermissionError" in done.stderr, "the root is writable"
    with run_container(container, as_user) as (address, environment, process):
        check_health = partial(
            subprocess.run,
            [*as_user, *command("HEALTHCHECK")],
            cwd=app,
            env=environment,
            capture_output=True,
            check=False,
        )
        assert check_health().returncode == 0
        client = Client(address)
        assert client.config()["title"] == "vitviz"
        upload = json.loads(client.upload(CAT)[1])[0]
        assert '"cat": 0.' in client.endpoint("explain", upload, "cifar10-ti4", "average")[1]
        process.send_signal(signal.SIGTERM)  # as `docker stop`
        assert process.wait(60) == 0
        assert check_health().returncode != 0
