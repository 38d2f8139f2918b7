"""The page put together: its endpoints, its port, its front door."""

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
from vitviz.webapp.app import build_app, explain_image, free_port, list_methods, is_space, serve


@pytest.fixture(scope="module")
def app():
    return build_app()


def test_only_the_curated_endpoints_are_public(app):
    info = app.get_api_info()
    assert set(info["named_endpoints"]) == {"/explain", "/checkpoints", "/methods"}
    assert not info["unnamed_endpoints"]


def test_the_endpoint_explains_a_sample():
    answer = explain_image("ship", method="rollout")
    assert sum(answer["probabilities"].values()) == pytest.approx(1, abs=1e-5)
    assert [len(row) for row in answer["map"]] == [8] * 8
    assert answer["note"] == "shrunk from 96 × 96 to 32 × 32"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("unicorn",), "Sample .* not found 'unicorn'"),
        (("cat", "gpt"), "Checkpoint 'gpt' not found"),
        (("cat", "cifar10-ti4", "magic"), "There is no method 'magic'"),
        (({"path": "/etc/passwd"},), "Only an uploaded image"),
    ],
)
def test_the_endpoint_refuses_with_the_librarys_sentence(arguments, sentence):
    with pytest.raises(gr.Error, match=sentence):
        explain_image(*arguments)


@pytest.mark.parametrize(
    ("words", "ending", "said"),
    [
        (
            ["--public", "--port", "9999"],
            None,
            "vitviz: app.py takes no options: got --public --port 9999. Use: python ",
        ),
        ([], ValueError("The port must be free."), "vitviz: The port must be free."),
        ([], OSError(errno.ENOSPC, "No space left on device", "/tmp"), "vitviz: System error: No space left on device"),
        ([], KeyboardInterrupt(), "130"),
    ],
)
def test_the_front_door_says_in_a_sentence_why_it_does_not_open(monkeypatch, words, ending, said):
    def build():
        assert ending is not None, "it opened"
        raise ending

    monkeypatch.setattr(sys, "argv", ["app.py", *words])
    monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)  # the door changes it
    monkeypatch.setattr(module, "build_app", build)
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(Path(module.__file__).parents[2] / "app.py"), run_name="__main__")
    assert str(end.value).startswith(said)


def test_methods_say_what_they_do_not_answer():
    assert all(about.count(".") >= 2 for about in list_methods().values())


def test_a_port_in_use_is_told_in_one_sentence():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=f"The port must be free: {port} on 127.0.0.1"):
            free_port("127.0.0.1", port)


def test_a_port_that_is_taken_at_the_last_moment_is_told_in_one_sentence(app, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr("vitviz.webapp.app.free_port", lambda host, wanted: port)
        with pytest.raises(ValueError, match=f"another program took {port} on 127.0.0.1 just now"):
            serve(app, block=False)
    assert {"127.0.0.1", "localhost"} <= {*os.environ["no_proxy"].split(",")}, "a proxy is not asked for this machine"


@pytest.mark.parametrize("host", ["::1", "example.invalid", "1.2.3.4"])
def test_a_host_that_is_not_here_is_told_in_one_sentence(host):
    with pytest.raises(ValueError, match=f"must be an IPv4 address of this machine: got {host}"):
        free_port(host, None)


def test_without_a_wish_the_next_free_port_is_taken():
    first = free_port("127.0.0.1", None)
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a server may just have left this port
        taken.bind(("127.0.0.1", first))
        taken.listen()
        assert free_port("127.0.0.1", None) > first


def test_a_space_is_known_by_its_name(monkeypatch):
    monkeypatch.delenv("SPACE_ID", raising=False)
    assert not is_space()
    monkeypatch.setenv("SPACE_ID", "someone/vitviz")
    assert is_space()
