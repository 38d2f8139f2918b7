"""CIFAR-10 on disk: both versions give the same tensors, and missing or damaged files are reported."""

import hashlib
import os
import pickle
import warnings
from pathlib import Path
from socket import gaierror
from urllib.error import URLError

import numpy as np
import pytest
import torch
import torchvision.datasets

from vitviz.data import cifar
from vitviz.data.cifar import BINARY_FOLDER
from vitviz.errors import DataError

PYTHON_FOLDER = cifar.CIFARS["cifar10"].python_folder
differing_checksums = pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")


def load(split, folder):
    """Load a split of the synthetic dataset, which warns once per file."""
    with pytest.warns(UserWarning, match=r"\.bin differs from the official CIFAR-10 file; it is used unchanged"):
        return cifar.load(split, folder)


def write_python_version(root, monkeypatch, records: int = 20) -> None:
    """Write the images of the binary version as the python version, and patch torchvision's checksums."""
    folder = root / PYTHON_FOLDER
    folder.mkdir()
    md5 = {}
    for name in (*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"):
        table = np.frombuffer((root / BINARY_FOLDER / f"{name}.bin").read_bytes(), np.uint8).reshape(records, -1)
        (folder / name).write_bytes(pickle.dumps({"data": table[:, 1:], "labels": table[:, 0].tolist()}))
    (folder / "batches.meta").write_bytes(pickle.dumps({"label_names": list(cifar.CLASSES)}))
    for path in folder.iterdir():
        md5[path.name] = hashlib.md5(path.read_bytes()).hexdigest()
    cifar10_class = torchvision.datasets.CIFAR10
    monkeypatch.setattr(cifar10_class, "train_list", [[f"data_batch_{i}", md5[f"data_batch_{i}"]] for i in range(1, 6)])
    monkeypatch.setattr(cifar10_class, "test_list", [["test_batch", md5["test_batch"]]])
    monkeypatch.setattr(cifar10_class, "meta", cifar10_class.meta | {"md5": md5["batches.meta"]})


@pytest.mark.parametrize(("split", "count"), [("train", 100), ("test", 20)])
def test_the_binary_version_gives_uint8_images_and_int64_labels(cifar_folder, split, count):
    images, labels = load(split, cifar_folder)
    assert (images.shape, images.dtype) == ((count, 3, 32, 32), torch.uint8)
    assert (labels.shape, labels.dtype) == ((count,), torch.int64)


def test_a_record_is_a_label_then_red_green_blue_row_by_row(cifar_folder):
    file = cifar_folder / BINARY_FOLDER / "data_batch_2.bin"
    record = bytearray(file.read_bytes())
    record[: 1 + 3072] = [
        7,
        *(i // 1024 * 80 + i % 32 for i in range(3072)),
    ]  # red 0, green 80, blue 160, plus the column
    record[1 + 1024 + 5 * 32 + 9] = 255  # green, row 5, column 9
    file.write_bytes(record)
    images, labels = load("train", cifar_folder)
    assert labels[20] == 7
    assert images[20, :, 5, 8].tolist() == [8, 88, 168]
    assert images[20, :, 5, 9].tolist() == [9, 255, 169]


def test_the_order_is_that_of_the_files(cifar_folder):
    images, labels = load("train", cifar_folder)
    for number in range(1, 6):
        content = (cifar_folder / BINARY_FOLDER / f"data_batch_{number}.bin").read_bytes()
        table = np.frombuffer(content, np.uint8).reshape(20, -1)
        part = slice(20 * (number - 1), 20 * number)
        assert labels[part].tolist() == table[:, 0].tolist()
        assert np.array_equal(images[part].flatten(1).numpy(), table[:, 1:])


@differing_checksums
@pytest.mark.parametrize("split", ["train", "test"])
def test_both_versions_give_the_same_tensors(cifar_folder, monkeypatch, split):
    expected = cifar.load(split, cifar_folder)
    write_python_version(cifar_folder, monkeypatch)
    assert cifar.find(cifar_folder).name == PYTHON_FOLDER
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's about how torchvision unpickles
        images, labels = cifar.load(split, cifar_folder)
    assert torch.equal(images, expected[0])
    assert torch.equal(labels, expected[1])
    assert images.is_contiguous()
    assert labels.dtype == torch.int64


def test_a_python_version_with_wrong_checksums_is_not_unpickled(cifar_folder, monkeypatch):
    write_python_version(cifar_folder, monkeypatch)
    batch = cifar_folder / PYTHON_FOLDER / "data_batch_3"
    batch.write_bytes(batch.read_bytes() + b"x")
    monkeypatch.setattr(pickle, "load", lambda *args, **kwargs: pytest.fail("unpickled"))
    with pytest.raises(DataError):
        cifar.load("train", cifar_folder)


def test_data_may_be_the_folder_itself(cifar_folder):
    assert cifar.find(cifar_folder / BINARY_FOLDER) == cifar_folder / BINARY_FOLDER


def test_data_may_be_the_working_directory(cifar_folder, monkeypatch):
    monkeypatch.chdir(cifar_folder / BINARY_FOLDER)
    assert cifar.find(".") == cifar_folder / BINARY_FOLDER


def test_an_argument_takes_precedence_over_the_environment_variable(cifar_folder, monkeypatch, tmp_path):
    monkeypatch.setenv("VITVIZ_DATA", str(cifar_folder))
    assert cifar.find() == cifar_folder / BINARY_FOLDER
    with pytest.raises(DataError):
        cifar.find(tmp_path / "elsewhere")
    monkeypatch.setenv("VITVIZ_DATA", "")
    assert str(cifar.data_root()) == "data"


def test_the_error_for_a_missing_dataset_contains_the_download_command(tmp_path):
    sentence = rf"CIFAR-10 is not in {tmp_path}: .*Download it with: python -m vitviz data download --data {tmp_path}"
    with pytest.raises(DataError, match=sentence):
        cifar.load("train", tmp_path)


def test_the_download_command_is_quoted_for_the_shell(tmp_path):
    with pytest.raises(DataError, match=r"vitviz data download --data '.*/my data'$"):
        cifar.find(tmp_path / "my data")


def test_a_missing_file_is_an_error(cifar_folder):
    (cifar_folder / BINARY_FOLDER / "test_batch.bin").unlink()
    with pytest.raises(
        DataError, match=r"test_batch\.bin must have 61,460 bytes: it has 0\. Delete \S+ and download it again"
    ):
        cifar.load("test", cifar_folder)


@pytest.mark.parametrize("change", [-1, 1])
def test_a_file_of_another_size_is_an_error(cifar_folder, change):
    file = cifar_folder / BINARY_FOLDER / "test_batch.bin"
    content = file.read_bytes()
    file.write_bytes(content[:-1] if change < 0 else content + b"\0")
    with pytest.raises(DataError):
        cifar.load("test", cifar_folder)


@differing_checksums
def test_a_label_above_nine_is_an_error(cifar_folder):
    file = cifar_folder / BINARY_FOLDER / "test_batch.bin"
    file.write_bytes(b"\x0a" + file.read_bytes()[1:])
    with pytest.raises(DataError):
        cifar.load("test", cifar_folder)


def test_official_checksums_give_no_warning(cifar_folder, monkeypatch):
    content = (cifar_folder / BINARY_FOLDER / "test_batch.bin").read_bytes()
    monkeypatch.setitem(cifar.BINARY_MD5, "test_batch.bin", hashlib.md5(content).hexdigest())
    assert len(cifar.load("test", cifar_folder)[1]) == 20  # a warning would be an error


# Downloads; a function replaces the network


def test_an_existing_dataset_is_not_downloaded_again(cifar_folder, monkeypatch):
    monkeypatch.setattr(torchvision.datasets, "CIFAR10", lambda *args, **kwargs: pytest.fail("downloaded"))
    for data in (cifar_folder, cifar_folder / BINARY_FOLDER):
        assert cifar.download(data) == cifar_folder / BINARY_FOLDER


def test_a_download_appears_only_when_it_is_complete(tmp_path, monkeypatch):
    def fetch(root, download):
        assert download
        folder = tmp_path / "new" / PYTHON_FOLDER
        assert not folder.exists()
        (type(folder)(root) / PYTHON_FOLDER).mkdir()
        (type(folder)(root) / PYTHON_FOLDER / "test_batch").write_bytes(b"images")

    monkeypatch.setattr(torchvision.datasets, "CIFAR10", fetch)
    folder = cifar.download(tmp_path / "new")
    assert folder == tmp_path / "new" / PYTHON_FOLDER
    assert (folder / "test_batch").read_bytes() == b"images"
    assert list(folder.parent.iterdir()) == [folder]


def test_of_two_concurrent_downloads_the_first_to_finish_is_kept(tmp_path, monkeypatch):
    def fetch(root, download):
        for folder in (Path(root) / PYTHON_FOLDER, tmp_path / PYTHON_FOLDER):
            folder.mkdir()
            (folder / "test_batch").write_bytes(b"images")

    monkeypatch.setattr(torchvision.datasets, "CIFAR10", fetch)
    folder = cifar.download(tmp_path)
    assert list(tmp_path.iterdir()) == [folder]
    assert list(folder.iterdir()) == [folder / "test_batch"]


def test_only_old_temporary_folders_of_killed_downloads_are_removed(cifar_folder):
    old, new = cifar_folder / ".cifar-old.part", cifar_folder / ".cifar-new.part"
    for part in (old, new):
        part.mkdir()
        (part / "half.tar.gz").write_bytes(b"half")
    os.utime(old, (0, 0))
    cifar.download(cifar_folder)
    assert not old.exists()
    assert new.exists()


@pytest.mark.parametrize("error", [OSError("no route to host"), RuntimeError("File not found or corrupted.")])
def test_a_failed_download_leaves_no_files(tmp_path, monkeypatch, error):
    def fetch(root, download):
        (tmp_path.__class__(root) / "half.tar.gz").write_bytes(b"half")
        raise error

    monkeypatch.setattr(torchvision.datasets, "CIFAR10", fetch)
    with pytest.raises(DataError, match=rf"CIFAR-10 could not be downloaded \({error}\)\. Check the connection"):
        cifar.download(tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_error_without_a_network_contains_the_cause(tmp_path, monkeypatch):
    def fetch(root, download):
        raise URLError(gaierror(-2, "Name or service not known"))

    monkeypatch.setattr(torchvision.datasets, "CIFAR10", fetch)
    with pytest.raises(DataError):
        cifar.download(tmp_path)
