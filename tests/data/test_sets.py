"""Data sets by name: CIFAR-100 in both versions, the model's size, and numbers that a checkpoint keeps."""

import hashlib
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
import torchvision.datasets

from tests import tiny
from tests.data.folders import fill
from vitviz.data import cifar, cifar100, datasets, image_folder, preprocessing
from vitviz.data.cifar import DataError

RECORDS = {"train": 30, "test": 12}


@pytest.fixture
def hundred(tmp_path, monkeypatch) -> Path:
    """A folder with the binary version of 30 + 12 random images of a hundred classes."""
    monkeypatch.setattr(cifar100, "RECORDS", RECORDS)
    folder = tmp_path / cifar100.BINARY_FOLDER
    folder.mkdir()
    rng = np.random.default_rng(0)
    for split, count in RECORDS.items():
        records = rng.integers(0, 256, (count, 2 + 3072), dtype=np.uint8)
        records[:, 0], records[:, 1] = rng.integers(0, 20, count), rng.integers(0, 100, count)
        (folder / f"{split}.bin").write_bytes(records.tobytes())
    return tmp_path


def python_version(root: Path, monkeypatch) -> None:
    """The same images in the python version, with sums that torchvision will accept."""
    folder = root / cifar100.PYTHON_FOLDER
    folder.mkdir()
    for split, count in RECORDS.items():
        table = np.frombuffer((root / cifar100.BINARY_FOLDER / f"{split}.bin").read_bytes(), np.uint8).reshape(
            count, -1
        )
        held = {"data": table[:, 2:], "coarse_labels": table[:, 0].tolist(), "fine_labels": table[:, 1].tolist()}
        (folder / split).write_bytes(pickle.dumps(held))
    (folder / "meta").write_bytes(pickle.dumps({"fine_label_names": list(cifar100.CLASSES)}))
    sums = {path.name: hashlib.md5(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    known = torchvision.datasets.CIFAR100
    monkeypatch.setattr(known, "train_list", [["train", sums["train"]]])
    monkeypatch.setattr(known, "test_list", [["test", sums["test"]]])
    monkeypatch.setattr(known, "meta", known.meta | {"md5": sums["meta"]})


def test_cifar_100_comes_with_its_fine_labels_in_the_official_order(hundred):
    held = datasets.load("cifar100", hundred, (32, 32))
    for split, (images, labels) in held.parts.items():
        table = np.fromfile(hundred / cifar100.BINARY_FOLDER / f"{split}.bin", np.uint8).reshape(-1, 3074)
        assert np.array_equal(images.flatten(1).numpy(), table[:, 2:])
        assert labels.tolist() == table[:, 1].tolist()
        assert labels.dtype == torch.int64
    assert len(held.about.classes) == 100
    assert held.about.classes == tuple(sorted(held.about.classes))
    assert (held.about.name, held.about.classes[0], held.about.classes[99]) == ("CIFAR-100", "apple", "worm")


def test_both_versions_of_cifar_100_give_the_same_tensors(hundred, monkeypatch):
    expected = cifar100.load("train", hundred)
    python_version(hundred, monkeypatch)
    assert cifar100.find(hundred).name == cifar100.PYTHON_FOLDER
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's about how torchvision unpickles
        found = cifar100.load("train", hundred)
    assert all(torch.equal(mine, other) for mine, other in zip(found, expected, strict=True))
    (hundred / cifar100.PYTHON_FOLDER / "train").write_bytes(b"damaged")
    with pytest.raises(DataError, match=r"is incomplete or damaged \(its sums differ.*Delete .* --dataset cifar100"):
        cifar100.load("train", hundred)


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (
            lambda content: content[:-1],
            r"train\.bin must have 92,220 bytes: it has 92,219\. Delete .* --dataset",
        ),
        (lambda content: content[:1] + b"\x64" + content[2:], "holds a label above 99: it is damaged"),
    ],
)
def test_a_damaged_file_of_cifar_100_is_refused(hundred, damage, sentence):
    path = hundred / cifar100.BINARY_FOLDER / "train.bin"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataError, match=sentence):
        cifar100.load("train", hundred)


def test_a_data_set_that_is_not_there_is_said_with_what_fetches_it(tmp_path):
    sentence = (
        rf"CIFAR-100 is not in {tmp_path}: .* python -m vitviz data download --dataset cifar100 --data {tmp_path}"
    )
    with pytest.raises(DataError, match=sentence):
        datasets.load("cifar100", tmp_path, (32, 32))


def test_cifar_100_is_fetched_through_torchvision(tmp_path, monkeypatch):
    def fetch(root, download):
        assert download
        (Path(root) / cifar100.PYTHON_FOLDER).mkdir()

    monkeypatch.setattr(torchvision.datasets, "CIFAR100", fetch)
    assert cifar100.download(tmp_path) == tmp_path / cifar100.PYTHON_FOLDER
    assert cifar100.download(tmp_path) == tmp_path / cifar100.PYTHON_FOLDER, "it is there"
    assert len(list(tmp_path.iterdir())) == 1


def test_mean_and_deviation_are_those_of_numpy():
    images = torch.from_numpy(np.stack([tiny.pixels(seed=n) // (1 + n) for n in range(5)])).permute(0, 3, 1, 2)
    mean, std = datasets.statistics(images)
    values = images.numpy() / 255
    np.testing.assert_allclose(mean, values.mean((0, 2, 3)), rtol=0, atol=1e-4)
    np.testing.assert_allclose(std, values.std((0, 2, 3)), rtol=0, atol=1e-4)
    assert datasets.statistics(torch.zeros(2, 3, 4, 4, dtype=torch.uint8)) == ((0, 0, 0), (0.01, 0.01, 0.01))


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_cifar_comes_in_the_models_size(cifar_folder):
    plain = datasets.load("cifar10", cifar_folder, (32, 32), ("test",))
    assert torch.equal(plain.parts["test"][0], cifar.load("test", cifar_folder)[0])
    assert plain.about is datasets.CIFAR10
    larger = datasets.load("cifar10", cifar_folder, (48, 40), ("test",)).parts["test"][0]
    assert (larger.shape, larger.dtype) == ((20, 3, 48, 40), torch.uint8)
    flat = torch.full((1500, 3, 4, 4), 77, dtype=torch.uint8)
    assert (datasets.fitted(flat, torch.zeros(1500), (6, 10))[0] == 77).all()
    sides = torch.full((2, 3, 32, 32), 255, dtype=torch.uint8)
    sides[..., 8:24] = 0
    narrow = datasets.fitted(sides, torch.zeros(2), (64, 32))[0]
    assert not narrow.any(), "cut, not squeezed, as an image to explain is"
    seen = np.asarray(preprocessing.prepare(sides[0].permute(1, 2, 0).numpy(), (64, 32)).seen)
    assert not seen[:, 6:-6].any()  # its filter reads three pixels beyond the cut
    for size in ((4, 2048), (2048, 4)):
        assert datasets.fitted(sides, torch.zeros(2), size)[0].shape == (2, 3, *size), "of a line of it at least"
    with pytest.raises(DataError, match=r"at most 2 GiB: 50,000 of 224 x 224 pixels fill 7\.0"):
        datasets.fitted(torch.zeros(1, dtype=torch.uint8).expand(50_000, 3, 32, 32), torch.zeros(1), (224, 224))


def test_a_folder_has_numbers_of_its_own(tmp_path):
    held = datasets.load("folder", fill(tmp_path, {"ant": 5, "bee": 5}), (20, 28))
    assert (held.about.name, held.about.classes) == ("labelled images", ("ant", "bee"))
    assert (held.about.mean, held.about.std) == datasets.statistics(held.parts["train"][0])


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_only_the_images_that_are_needed_are_resized_and_kept(cifar_folder, monkeypatch):
    images, labels = cifar.load("train", cifar_folder)
    monkeypatch.setattr(image_folder, "MOST_MEMORY", 3 * 40 * 40 * 12)
    for first, last, places in [(10, 0, range(10)), (7, 5, [*range(7), *range(95, 100)])]:
        found = datasets.load("cifar10", cifar_folder, (40, 40), ("train",), first, last).parts["train"]
        expected = datasets.fitted(images[list(places)], labels[list(places)], (40, 40))
        assert all(map(torch.equal, found, expected))
        assert found[0].untyped_storage().nbytes() == found[0].numel()
    with pytest.raises(DataError, match="100 of 40 x 40 pixels"):
        datasets.load("cifar10", cifar_folder, (40, 40), ("train",), 95, 5)
    assert datasets.load("cifar10", cifar_folder, (32, 32), ("train",), 60, 60).parts["train"][0].shape[0] == 100
