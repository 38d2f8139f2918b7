"""Background downloads: progress, cancellation, errors."""

import sys

import pytest
import torchvision.datasets

from tests.errors import refuses
from vitviz.data import download
from vitviz.data.download import Download, DownloadState

# Stand-ins for `python -m vitviz.data.download DATASET FOLDER TAG`
RUNNING = "import time; time.sleep(600)"
FAILING = """
import torchvision.datasets
def fail(root, download):
    raise OSError("no net")
torchvision.datasets.CIFAR10 = fail
from vitviz.data import download
download.main()
"""


def fail_to_download(root, download):
    raise OSError("no net")


@pytest.fixture
def downloader(tmp_path, monkeypatch):
    monkeypatch.setattr(download, "SIZES", {"cifar10": 1000})

    def with_script(script):
        monkeypatch.setattr(download, "COMMAND", (sys.executable, "-c", script))
        return Download(str(tmp_path / "data"))

    return with_script


def add_partial_folder(root, name: str, size: int):
    folder = root / name
    folder.mkdir(parents=True)
    (folder / "cifar-10-python.tar.gz").write_bytes(b"x" * size)
    return folder


def add_own_partial_folder(running):
    """Create the files that the child process would download."""
    return add_partial_folder(running.root, f".cifar-{running.tag}abc.part", 500)


def test_a_download_reports_progress_and_leaves_no_files_when_canceled(downloader, tmp_path):
    running = downloader(RUNNING)
    assert not running.state().running
    running.start("cifar10")
    child = running.child
    running.start("cifar10")
    assert running.child is child
    assert running.state() == DownloadState("cifar10", running=True, progress=0.0)
    add_own_partial_folder(running)
    assert running.state() == DownloadState("cifar10", running=True, progress=0.5)
    running.cancel()
    assert running.state() == DownloadState("cifar10")
    assert not list((tmp_path / "data").iterdir())


def test_downloads_of_other_processes_are_neither_reported_nor_deleted(downloader, tmp_path):
    earlier = add_partial_folder(tmp_path / "data", ".cifar-earlier.part", 800)
    running = downloader(RUNNING)
    running.start("cifar10")
    add_own_partial_folder(running)
    later = add_partial_folder(tmp_path / "data", ".cifar-later.part", 900)
    assert running.state().progress == 0.5
    running.cancel()
    assert set((tmp_path / "data").iterdir()) == {earlier, later}


def test_the_error_of_the_child_process_is_reported(downloader, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(torchvision.datasets, "CIFAR10", fail_to_download)
    monkeypatch.setattr(sys, "argv", ["download", "cifar10", str(tmp_path), "mytag-"])
    with pytest.raises(SystemExit, match="1"):
        download.main()
    failing = downloader(f"import sys; print({capfd.readouterr().out!r}); sys.exit(1)")
    failing.start("cifar10")
    failing.child.wait()
    assert failing.state().message.startswith("CIFAR-10 could not be downloaded (no net). Check the connection")


@pytest.mark.slow
def test_the_child_process_returns_its_error(downloader):
    failing = downloader(FAILING)
    failing.start("cifar10")
    failing.child.wait()
    assert not failing.state().running
    assert failing.state().message.startswith("CIFAR-10 could not be downloaded (no net). Check the connection")


def test_the_child_process_downloads_into_a_folder_with_the_tag(tmp_path, monkeypatch):
    def fetch(root, download):
        assert "/.cifar-mytag-" in root
        (tmp_path / "cifar-10-batches-py").mkdir()

    monkeypatch.setattr(torchvision.datasets, "CIFAR10", fetch)
    monkeypatch.setattr(sys, "argv", ["download", "cifar10", str(tmp_path), "mytag-"])
    download.main()
    assert [path.name for path in tmp_path.iterdir()] == ["cifar-10-batches-py"]


def test_an_unexpected_exit_of_the_child_process_is_reported(downloader):
    failing = downloader("import sys; sys.exit(3)")
    failing.start("cifar10")
    failing.child.wait()
    assert failing.state().message == "The download ended early (exit code 3). Try again."


def test_only_known_datasets_can_be_downloaded(downloader):
    with refuses("dataset"):
        downloader(FAILING).start("imagenet")
