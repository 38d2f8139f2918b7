"""A download as a process of its own: how far it is, how it ends, what it leaves."""

import sys
import time

import pytest

from vitviz.data import download
from vitviz.data.download import Fetch

# Stands for `python -m vitviz data download --dataset NAME --data DIR`.
LOADING = """
import pathlib, sys, time
part = pathlib.Path(sys.argv[-1], ".cifar-abc.part")
part.mkdir(parents=True)
(part / "cifar-10-python.tar.gz").write_bytes(b"x" * 500)
time.sleep(600)
"""
FAILING = "import sys; print('vitviz: CIFAR-10 could not be fetched (no net).', file=sys.stderr); sys.exit(1)"


@pytest.fixture
def loader(tmp_path, monkeypatch):
    monkeypatch.setattr(download, "BYTES", {"cifar10": 1000})

    def with_script(script):
        monkeypatch.setattr(download, "COMMAND", (sys.executable, "-c", script))
        return Fetch(str(tmp_path / "data"))

    return with_script


def wait_until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_it_tells_how_far_it_is_and_leaves_nothing_when_called_off(loader, tmp_path):
    loading = loader(LOADING)
    assert not loading.state().running
    other = tmp_path / "data" / ".cifar-other.part"
    other.mkdir(parents=True)
    loading.start("cifar10")
    child = loading.child
    loading.start("cifar10")
    assert loading.child is child
    wait_until(lambda: loading.state().share == 0.5)
    assert loading.state().running
    assert loading.state().dataset == "cifar10"
    loading.cancel()
    assert loading.state() == download.FetchState("cifar10", False, 0.0, "")
    assert list((tmp_path / "data").iterdir()) == [other]


def test_a_failure_is_told_in_its_own_sentence(loader):
    failing = loader(FAILING)
    failing.start("cifar10")
    wait_until(lambda: not failing.state().running)
    assert failing.state().message == "CIFAR-10 could not be fetched (no net)."


def test_only_known_data_sets_can_be_fetched(loader):
    with pytest.raises(ValueError, match="must be cifar10: got 'imagenet'"):
        loader(FAILING).start("imagenet")
