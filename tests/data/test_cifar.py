"""CIFAR-10 on disk: both versions give the same tensors, and what is absent or damaged is said in a sentence."""

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
from vitviz.data.cifar import BINARY_FOLDER, PYTHON_FOLDER, DataError

differing_sums = pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")


def load(split, folder):
    """Load a split of the false data set, which warns once for each of its files."""
    with pytest.warns(UserWarning, match=r"\.bin differs from the official CIFAR-10 file; it is used as it is"):
        return cifar.load(split, folder)


def python_version(root, monkeypatch, records: int = 20) -> None:
    """Write the same images as the binary version in the python version, with sums that torchvision will accept."""
    folder = root / PYTHON_FOLDER
    folder.mkdir()
    sums = {}
    for name in (*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"):
        table = np.frombuffer((root / BINARY_FOLDER / f"{name}.bin").read_bytes(), np.uint8).reshape(records, -1)
        (folder / name).write_bytes(pickle.dumps({"data": table[:, 1:], "labels": table[:, 0].tolist()}))
    (folder / "batches.meta").write_bytes(pickle.dumps({"label_names": list(cifar.CLASSES)}))
    for path in folder.iterdir():
        sums[path.name] = hashlib.md5(path.read_bytes()).hexdigest()
    known = torchvision.datasets.CIFAR10
    monkeypatch.setattr(known, "train_list", [[f"data_batch_{i}", sums[f"data_batch_{i}"]] for i in range(1, 6)])
    monkeypatch.setattr(known, "test_list", [["test_batch", sums["test_batch"]]])
    monkeypatch.setattr(known, "meta", known.meta | {"md5": sums["batches.meta"]})


@pytest.mark.parametrize(("split", "count"), [("train", 100), ("test", 20)])
def test_the_binary_version_comes_as_bytes_and_whole_labels(cifar_folder, split, count):
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


@differing_sums
@pytest.mark.parametrize("split", ["train", "test"])
def test_both_versions_give_the_same_tensors(cifar_folder, monkeypatch, split):
    expected = cifar.load(split, cifar_folder)
    python_version(cifar_folder, monkeypatch)
    assert cifar.find(cifar_folder).name == PYTHON_FOLDER
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's about how torchvision unpickles
        images, labels = cifar.load(split, cifar_folder)
    assert torch.equal(images, expected[0])
    assert torch.equal(labels, expected[1])
    assert images.is_contiguous()
    assert labels.dtype == torch.int64


def test_a_python_version_with_wrong_sums_is_refused_unopened(cifar_folder, monkeypatch):
    python_version(cifar_folder, monkeypatch)
    batch = cifar_folder / PYTHON_FOLDER / "data_batch_3"
    batch.write_bytes(batch.read_bytes() + b"x")
    monkeypatch.setattr(pickle, "load", lambda *given, **named: pytest.fail("it was unpickled"))
    with pytest.raises(DataError, match=r"is incomplete or damaged \(its sums differ .*python -m vitviz data download"):
        cifar.load("train", cifar_folder)


def test_the_folder_itself_may_be_named(cifar_folder):
    assert cifar.find(cifar_folder / BINARY_FOLDER) == cifar_folder / BINARY_FOLDER


def test_the_folder_itself_may_be_the_working_folder(cifar_folder, monkeypatch):
    monkeypatch.chdir(cifar_folder / BINARY_FOLDER)
    assert cifar.find(".") == cifar_folder / BINARY_FOLDER


def test_the_environment_names_the_folder_and_an_argument_goes_first(cifar_folder, monkeypatch, tmp_path):
    monkeypatch.setenv("VITVIZ_DATA", str(cifar_folder))
    assert cifar.find() == cifar_folder / BINARY_FOLDER
    with pytest.raises(DataError, match="CIFAR-10 is not in"):
        cifar.find(tmp_path / "elsewhere")
    monkeypatch.setenv("VITVIZ_DATA", "")
    assert str(cifar.data_root()) == "data"


def test_an_absent_data_set_is_said_with_the_command_that_fetches_it(tmp_path):
    sentence = rf"CIFAR-10 is not in {tmp_path}: .*Fetch it with: python -m vitviz data download --data {tmp_path}"
    with pytest.raises(DataError, match=sentence):
        cifar.load("train", tmp_path)


def test_the_command_that_fetches_it_can_be_pasted(tmp_path):
    with pytest.raises(DataError, match=r"vitviz data download --data '.*/my data'$"):
        cifar.find(tmp_path / "my data")


def test_an_absent_file_is_refused(cifar_folder):
    (cifar_folder / BINARY_FOLDER / "test_batch.bin").unlink()
    with pytest.raises(
        DataError, match=r"test_batch\.bin must have 61,460 bytes: it has 0\. Delete \S+ and fetch it again"
    ):
        cifar.load("test", cifar_folder)


@pytest.mark.parametrize("change", [-1, 1])
def test_a_file_of_another_size_is_refused(cifar_folder, change):
    file = cifar_folder / BINARY_FOLDER / "test_batch.bin"
    content = file.read_bytes()
    file.write_bytes(content[:-1] if change < 0 else content + b"\0")
    with pytest.raises(DataError, match=rf"must have 61,460 bytes: it has 61,4{60 + change}"):
        cifar.load("test", cifar_folder)


@differing_sums
def test_a_label_above_nine_is_refused(cifar_folder):
    file = cifar_folder / BINARY_FOLDER / "test_batch.bin"
    file.write_bytes(b"\x0a" + file.read_bytes()[1:])
    with pytest.raises(DataError, match=r"test_batch\.bin holds a label above 9: it is damaged"):
        cifar.load("test", cifar_folder)


def test_official_sums_give_no_warning(cifar_folder, monkeypatch):
    content = (cifar_folder / BINARY_FOLDER / "test_batch.bin").read_bytes()
    monkeypatch.setitem(cifar.BINARY_MD5, "test_batch.bin", hashlib.md5(content).hexdigest())
    assert len(cifar.load("test", cifar_folder)[1]) == 20  # a warning would be an error


# Fetching; the network is played by a function


def test_what_is_there_is_not_fetched_again(cifar_folder, monkeypatch):
    monkeypatch.setattr(torchvision.datasets, "CIFAR10", lambda *given, **named: pytest.fail("it was fetched"))
    for data in (cifar_folder, cifar_folder / BINARY_FOLDER):
        assert cifar.download(data) == cifar_folder / BINARY_FOLDER


def test_a_fetched_data_set_is_put_in_place_whole(tmp_path, monkeypatch):
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


def test_of_two_downloads_at_once_the_faster_one_stays_as_it_is(tmp_path, monkeypatch):
    def fetch(root, download):
        for folder in (Path(root) / PYTHON_FOLDER, tmp_path / PYTHON_FOLDER):
            folder.mkdir()
            (folder / "test_batch").write_bytes(b"images")

    monkeypatch.setattr(torchvision.datasets, "CIFAR10", fetch)
    folder = cifar.download(tmp_path)
    assert list(tmp_path.iterdir()) == [folder]
    assert list(folder.iterdir()) == [folder / "test_batch"]


def test_what_a_killed_download_left_is_removed_when_nobody_can_be_writing_it(cifar_folder):
    left, going_on = cifar_folder / ".cifar-old.part", cifar_folder / ".cifar-new.part"
    for part in (left, going_on):
        part.mkdir()
        (part / "half.tar.gz").write_bytes(b"half")
    os.utime(left, (0, 0))
    cifar.download(cifar_folder)
    assert not left.exists()
    assert going_on.exists()


@pytest.mark.parametrize("error", [OSError("no route to host"), RuntimeError("File not found or corrupted.")])
def test_a_fetch_that_fails_leaves_nothing_behind(tmp_path, monkeypatch, error):
    def fetch(root, download):
        (tmp_path.__class__(root) / "half.tar.gz").write_bytes(b"half")
        raise error

    monkeypatch.setattr(torchvision.datasets, "CIFAR10", fetch)
    with pytest.raises(DataError, match=rf"CIFAR-10 could not be fetched \({error}\)\. Check the connection"):
        cifar.download(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_machine_without_a_network_is_told_so_in_plain_words(tmp_path, monkeypatch):
    def fetch(root, download):
        raise URLError(gaierror(-2, "Name or service not known"))

    monkeypatch.setattr(torchvision.datasets, "CIFAR10", fetch)
    with pytest.raises(DataError, match=r"CIFAR-10 could not be fetched \(Name or service not known\)\. Check the"):
        cifar.download(tmp_path)
