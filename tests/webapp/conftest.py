"""What tests of the page start from: a folder of uploads, and two servers that all modules here ask."""

import pytest

from tests.webapp.serving import running


@pytest.fixture
def uploads(tmp_path, monkeypatch):
    """A folder that is taken for that of the uploads, without a server."""
    folder = tmp_path / "uploads"
    folder.mkdir()
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(folder))
    return folder


@pytest.fixture(scope="package")
def stored(tmp_path_factory):
    """Where the server that `visitor` asks puts its uploads."""
    return tmp_path_factory.mktemp("stored")


@pytest.fixture(scope="package")
def visitor(stored):
    """Someone on this machine.

    Which uploads may be explained is known to the server alone that was started last: a test that asks for that starts
    its own.
    """
    with running(stored, names=("vitviz.example",)) as visitor:
        yield visitor


@pytest.fixture(scope="package")
def stranger(tmp_path_factory):
    """Someone on a public page."""
    with running(tmp_path_factory.mktemp("stored"), public=True) as visitor:
        yield visitor
