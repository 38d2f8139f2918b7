"""The web app: endpoints, ports and app.py."""

import errno
import os
import runpy
import socket
import sys
import warnings
from pathlib import Path

import gradio as gr
import pytest

from vitviz.webapp import app as module
from vitviz.webapp.app import build_app, explain_image, free_port, is_space, list_methods, serve


@pytest.fixture(scope="module")
def app():
    return build_app()


def test_only_three_endpoints_are_public(app):
    info = app.get_api_info()
    assert set(info["named_endpoints"]) == {"/explain", "/checkpoints", "/methods"}
    assert not info["unnamed_endpoints"]


def test_the_endpoint_explains_a_sample():
    answer = explain_image("ship", method="rollout")
    assert sum(answer["probabilities"].values()) == pytest.approx(1, abs=1e-5)
    assert [len(row) for row in answer["map"]] == [8] * 8
    assert answer["note"] == "resized from 96 × 96 to 32 × 32"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("unicorn",), "Sample 'unicorn' not found"),
        (("cat", "gpt"), "Checkpoint 'gpt' not found"),
        (("cat", "cifar10-ti4", "magic"), "Unknown method 'magic'"),
        (({"path": "/etc/passwd"},), "Only an uploaded image"),
    ],
)
def test_the_endpoint_refuses_invalid_arguments_with_a_sentence(arguments, sentence):
    with pytest.raises(gr.Error, match=sentence):
        explain_image(*arguments)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["--checkpoint", "nope"], ValueError("Checkpoint 'nope' not found."), "1"),
        (["--nope"], None, "2"),
        ([], ValueError("The port must be free."), "vitviz: The port must be free."),
        ([], OSError(errno.ENOSPC, "No space left on device", "/tmp"), "vitviz: System error: No space left on device"),
        ([], KeyboardInterrupt(), "130"),
    ],
)
def test_app_py_reports_startup_errors_in_one_sentence(monkeypatch, arguments, error, message):
    def build(*_):
        assert error is not None, "the app was built"
        raise error

    monkeypatch.setattr(sys, "argv", ["app.py", *arguments])
    monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)  # app.py replaces it
    monkeypatch.setattr(module, "build_app", build)
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(Path(module.__file__).parents[2] / "app.py"), run_name="__main__")
    assert str(end.value).startswith(message)


def test_method_descriptions_name_a_limitation():
    assert all(about.count(".") >= 2 for about in list_methods().values())


def test_a_port_in_use_is_refused():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=f"The port must be free: {port} on 127.0.0.1"):
            free_port("127.0.0.1", port)


def test_a_port_taken_during_launch_is_refused(app, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr("vitviz.webapp.app.free_port", lambda host, wanted: port)
        with pytest.raises(ValueError, match=f"another program took {port} on 127.0.0.1 just now"):
            serve(app, block=False)
    assert {"127.0.0.1", "localhost"} <= {*os.environ["no_proxy"].split(",")}, "no proxy is used for this machine"


@pytest.mark.parametrize("host", ["::1", "example.invalid", "1.2.3.4"])
def test_a_host_of_another_machine_is_refused(host):
    with pytest.raises(ValueError, match=f"must be an IPv4 address of this machine: got {host}"):
        free_port(host, None)


def test_the_default_port_is_the_next_free_one():
    first = free_port("127.0.0.1", None)
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a server may just have left this port
        taken.bind(("127.0.0.1", first))
        taken.listen()
        assert free_port("127.0.0.1", None) > first


def test_a_space_is_detected_by_its_id(monkeypatch):
    monkeypatch.delenv("SPACE_ID", raising=False)
    assert not is_space()
    monkeypatch.setenv("SPACE_ID", "someone/vitviz")
    assert is_space()
