"""The web app: endpoints, ports and app.py."""

import asyncio
import errno
import json
import os
import re
import runpy
import socket
import sys
import urllib.request
import warnings
from pathlib import Path

import gradio as gr
import pytest

from benchmarks.page import unused_port
from vitviz.cli import configure_server_libraries
from vitviz.errors import ConfigError
from vitviz.webapp import app as module
from vitviz.webapp.app import build_app, is_space, serve
from vitviz.webapp.endpoints import Endpoints, list_methods
from vitviz.webapp.server.address import Address, choose_address, free_port


@pytest.fixture(scope="module")
def app():
    return build_app()


def test_only_three_endpoints_are_public(app):
    info = app.get_api_info()
    assert set(info["named_endpoints"]) == {"/explain", "/checkpoints", "/methods"}
    assert not info["unnamed_endpoints"]


def explain_image(app, *arguments):
    return asyncio.run(Endpoints(app.deferred_backend).explain_image(*arguments))


def test_the_endpoint_explains_a_sample(app):
    answer = explain_image(app, "ship", "cifar10-ti4", "rollout")
    assert sum(answer["probabilities"].values()) == pytest.approx(1, abs=1e-5)
    assert [len(row) for row in answer["map"]] == [8] * 8
    assert answer["note"] == "resized from 96 × 96 to 32 × 32"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("unicorn",), "Sample 'unicorn' not found"),
        (("cat", "gpt"), "Checkpoint 'gpt' not found"),
        (("cat", "cifar10-ti4", "magic"), "method must be an attribution method: got magic"),
        (({"path": "/etc/passwd"},), "Only an uploaded image"),
    ],
)
def test_the_endpoint_refuses_invalid_arguments_with_a_sentence(app, arguments, sentence):
    with pytest.raises(gr.Error, match=sentence):
        explain_image(app, *arguments)


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
        with pytest.raises(ValueError, match=f"port must be free: {port} on 127.0.0.1"):
            free_port("127.0.0.1", port)


def test_a_port_taken_during_launch_is_refused(app, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr("vitviz.webapp.server.address.free_port", lambda host, wanted: port)
        with pytest.raises(ValueError, match=f"another program took {port} on 127.0.0.1 just now"):
            serve(app, block=False)
    assert {"127.0.0.1", "localhost"} <= {*os.environ["no_proxy"].split(",")}, "no proxy is used for this machine"


@pytest.mark.parametrize("host", ["2001:db8::1", "example.invalid", "1.2.3.4", "a..b"])
def test_a_host_of_another_machine_is_refused(host):
    with pytest.raises(ValueError, match=f"must be an address or name of this machine: got {host}"):
        free_port(host, None)


def test_the_default_port_is_the_next_free_one():
    first = free_port("127.0.0.1", None)
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a server may just have left this port
        taken.bind(("127.0.0.1", first))
        taken.listen()
        assert free_port("127.0.0.1", None) > first


@pytest.fixture
def environment(monkeypatch):
    """Function that sets the variables of the address, and unsets all others."""
    for name in ("GRADIO_SERVER_NAME", "GRADIO_SERVER_PORT", "PORT", "GRADIO_ROOT_PATH", "SPACE_ID"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch.setenv


@pytest.fixture
def free_ports(monkeypatch):
    """All ports are free."""
    monkeypatch.setattr("vitviz.webapp.server.address.free_port", lambda host, port: port or 7860)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("GRADIO_SERVER_NAME", "0.0.0.0", Address("0.0.0.0", 7860, "")),
        ("GRADIO_SERVER_NAME", "[::1]", Address("::1", 7860, "")),
        ("GRADIO_SERVER_PORT", "8000", Address("127.0.0.1", 8000, "")),
        ("PORT", "8000", Address("127.0.0.1", 8000, "")),
        ("PORT", "", Address("127.0.0.1", 7860, "")),
        ("GRADIO_ROOT_PATH", "/vit/", Address("127.0.0.1", 7860, "/vit")),
        ("GRADIO_ROOT_PATH", "https://example.org/vit", Address("127.0.0.1", 7860, "https://example.org/vit")),
    ],
)
@pytest.mark.usefixtures("free_ports")
def test_each_variable_sets_its_part_of_the_address(environment, name, value, expected):
    environment(name, value)
    assert choose_address() == expected


@pytest.mark.usefixtures("free_ports")
def test_arguments_win_over_variables_and_gradios_port_over_the_common_one(environment):
    for name, value in (("GRADIO_SERVER_NAME", "0.0.0.0"), ("PORT", "8000"), ("GRADIO_SERVER_PORT", "8001")):
        environment(name, value)
    environment("GRADIO_ROOT_PATH", "/vit")
    assert choose_address() == Address("0.0.0.0", 8001, "/vit")
    assert choose_address("127.0.0.1", 8002, "") == Address("127.0.0.1", 8002, "")


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("GRADIO_SERVER_PORT", "abc", "GRADIO_SERVER_PORT must be a number from 1 to 65535: got 'abc'. Use 7860"),
        ("PORT", "70000", "PORT must be a number from 1 to 65535: got '70000'"),
        ("PORT", "-1", "PORT must be a number from 1 to 65535: got '-1'"),
        ("GRADIO_ROOT_PATH", "vit", "GRADIO_ROOT_PATH must start with a slash: got 'vit'. Use /vit."),
        ("GRADIO_SERVER_NAME", "1.2.3.4", "The host must be an address or name of this machine: got 1.2.3.4."),
    ],
)
def test_an_invalid_variable_is_refused_with_its_name(environment, name, value, sentence):
    environment(name, value)
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}"):
        choose_address()


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ({"port": "abc"}, "port must be a number from 1 to 65535: got 'abc'. Use 7860, or leave it out."),
        ({"port": 0}, "port must be a number from 1 to 65535: got '0'."),
        ({"port": "²"}, "port must be a number from 1 to 65535: got '²'."),
        ({"root_path": "vit"}, "root_path must start with a slash: got 'vit'. Use /vit."),
    ],
)
@pytest.mark.usefixtures("environment")
def test_an_invalid_option_is_refused_with_its_name(argument, sentence):
    with pytest.raises(ConfigError, match=f"^{re.escape(sentence)}"):
        choose_address(**argument)


def test_the_port_of_the_environment_is_checked_before_gradio_reads_it(environment):
    environment("GRADIO_SERVER_PORT", "abc")
    with pytest.raises(ConfigError, match="GRADIO_SERVER_PORT must be a number"):
        configure_server_libraries()


def test_reload_mode_of_gradio_is_declined_with_a_sentence(environment):
    environment("GRADIO_WATCH_DIRS", "/tmp")
    with pytest.warns(UserWarning, match="vitviz cannot reload itself"):
        configure_server_libraries()
    assert "GRADIO_WATCH_DIRS" not in os.environ


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
def test_the_page_is_served_on_ipv6_under_a_root_path(app, environment, tmp_path):
    for name, value in (("GRADIO_SERVER_NAME", "::1"), ("PORT", str(unused_port())), ("GRADIO_ROOT_PATH", "/vit")):
        environment(name, value)
    environment("GRADIO_TEMP_DIR", str(tmp_path))
    url = serve(app, block=False)
    assert url == f"http://[::1]:{os.environ['PORT']}/"
    with urllib.request.urlopen(f"{url}config") as response:
        assert json.load(response)["root"].endswith("/vit")
    app.close(verbose=False)


def test_a_space_is_detected_by_its_id(monkeypatch):
    monkeypatch.delenv("SPACE_ID", raising=False)
    assert not is_space()
    monkeypatch.setenv("SPACE_ID", "someone/vitviz")
    assert is_space()
