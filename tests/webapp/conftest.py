"""Shared fixtures: an upload folder, and two servers for all modules of this package."""

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
