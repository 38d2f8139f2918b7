"""Shared fixtures: an upload folder, and two servers for all modules of this package."""

import socket
import threading

import pytest

from tests.webapp.serving import running


@pytest.fixture
def uploads(tmp_path, monkeypatch):
    """An upload folder without a server."""
    folder = tmp_path / "uploads"
    folder.mkdir()
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(folder))
    return folder


@pytest.fixture(scope="package")
def upload_folder(tmp_path_factory):
    """The upload folder of the server of `client`."""
    return tmp_path_factory.mktemp("uploads")


@pytest.fixture(scope="package")
def client(upload_folder):
    """A client on this machine.

    Uploads can be explained only by the server that was started last: a test that needs one starts its own.
    """
    with running(upload_folder, names=("vitviz.example",)) as client:
        yield client


@pytest.fixture(scope="package")
def public_client(tmp_path_factory):
    """A client of a public page."""
    with running(tmp_path_factory.mktemp("uploads"), public=True) as client:
        yield client


@pytest.fixture
def canary():
    """A server that must not be contacted: its port, and the ports of its clients."""
    contacts = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.05)
        done = threading.Event()

        def listen():
            while not done.is_set():
                try:
                    contacts.append(listening.accept()[1])
                except TimeoutError:
                    continue

        thread = threading.Thread(target=listen)
        thread.start()
        yield listening.getsockname()[1], contacts
        done.set()
        thread.join()
