"""Datasets by name: both versions of CIFAR-100, the model's input size, and channel statistics."""

import hashlib
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
import torchvision.datasets
from PIL import Image
from torchvision.transforms import InterpolationMode
from torchvision.transforms import functional as vision

from tests import tiny
from tests.data.folders import write_image_folder
from vitviz.data import cifar, datasets, preprocessing
from vitviz.data.image_cache import compute_mean_std
from vitviz.errors import DataError

RECORDS = {"train": 30, "test": 6}
CIFAR100 = cifar.CIFARS["cifar100"]


@pytest.fixture
def cifar100_folder(tmp_path, monkeypatch) -> Path:
    """Write the binary version of CIFAR-100 with 30 training and 6 test images, and return its parent folder."""
    monkeypatch.setattr(cifar, "RECORDS", RECORDS["test"])
    folder = tmp_path / CIFAR100.binary_folder
    folder.mkdir()
    rng = np.random.default_rng(0)
    for split, count in RECORDS.items():
        records = rng.integers(0, 256, (count, 2 + 3072), dtype=np.uint8)
        records[:, 0], records[:, 1] = rng.integers(0, 20, count), rng.integers(0, 100, count)
        (folder / f"{split}.bin").write_bytes(records.tobytes())
    return tmp_path


def write_python_version(root: Path, monkeypatch) -> None:
    """Write the same images as the python version, and patch torchvision's checksums."""
    folder = root / CIFAR100.python_folder
    folder.mkdir()
    for split, count in RECORDS.items():
        table = np.frombuffer((root / CIFAR100.binary_folder / f"{split}.bin").read_bytes(), np.uint8).reshape(
            count, -1
        )
        batch = {"data": table[:, 2:], "coarse_labels": table[:, 0].tolist(), "fine_labels": table[:, 1].tolist()}
        (folder / split).write_bytes(pickle.dumps(batch))
    (folder / "meta").write_bytes(pickle.dumps({"fine_label_names": list(CIFAR100.classes)}))
    md5 = {path.name: hashlib.md5(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    cifar100_class = torchvision.datasets.CIFAR100
    monkeypatch.setattr(cifar100_class, "train_list", [["train", md5["train"]]])
    monkeypatch.setattr(cifar100_class, "test_list", [["test", md5["test"]]])
    monkeypatch.setattr(cifar100_class, "meta", cifar100_class.meta | {"md5": md5["meta"]})


def test_cifar_100_has_its_fine_labels_in_the_official_order(cifar100_folder):
    dataset = datasets.load("cifar100", cifar100_folder, (32, 32))
    for split, (images, labels) in dataset.splits.items():
        table = np.fromfile(cifar100_folder / CIFAR100.binary_folder / f"{split}.bin", np.uint8).reshape(-1, 3074)
        assert np.array_equal(images.flatten(1).numpy(), table[:, 2:])
        assert labels.tolist() == table[:, 1].tolist()
        assert labels.dtype == torch.int64
    assert len(dataset.info.classes) == 100
    assert dataset.info.classes == tuple(sorted(dataset.info.classes))
    assert (dataset.info.name, dataset.info.classes[0], dataset.info.classes[99]) == ("CIFAR-100", "apple", "worm")


def test_both_versions_of_cifar_100_give_the_same_tensors(cifar100_folder, monkeypatch):
    expected = cifar.load("train", cifar100_folder, "cifar100")
    write_python_version(cifar100_folder, monkeypatch)
    assert cifar.find(cifar100_folder, "cifar100").name == CIFAR100.python_folder
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy warns about how torchvision unpickles
        found = cifar.load("train", cifar100_folder, "cifar100")
    assert all(torch.equal(actual, desired) for actual, desired in zip(found, expected, strict=True))
    (cifar100_folder / CIFAR100.python_folder / "train").write_bytes(b"damaged")
    with pytest.raises(
        DataError, match=r"is incomplete or damaged: its checksums differ.*Delete .* --dataset cifar100"
    ):
        cifar.load("train", cifar100_folder, "cifar100")


@pytest.mark.parametrize(
    ("corrupt", "message"),
    [
        (
            lambda content: content[:-1],
            r"train\.bin must have 92,220 bytes: it has 92,219\. Delete .* --dataset",
        ),
        (lambda content: content[:1] + b"\x64" + content[2:], "is damaged: it has a label above 99"),
    ],
)
def test_a_damaged_file_of_cifar_100_is_an_error(cifar100_folder, corrupt, message):
    path = cifar100_folder / CIFAR100.binary_folder / "train.bin"
    path.write_bytes(corrupt(path.read_bytes()))
    with pytest.raises(DataError, match=message):
        cifar.load("train", cifar100_folder, "cifar100")


def test_the_error_for_a_missing_dataset_contains_the_download_command(tmp_path):
    message = rf"CIFAR-100 is not in {tmp_path}: .* python -m vitviz data download --dataset cifar100 --data {tmp_path}"
    with pytest.raises(DataError, match=message):
        datasets.load("cifar100", tmp_path, (32, 32))


def test_cifar_100_is_downloaded_with_torchvision(tmp_path, monkeypatch):
    calls = []

    def fetch(root, download):
        assert download
        calls.append(root)
        (Path(root) / CIFAR100.python_folder).mkdir()

    monkeypatch.setattr(torchvision.datasets, "CIFAR100", fetch)
    assert cifar.download(tmp_path, dataset="cifar100") == tmp_path / CIFAR100.python_folder
    assert cifar.download(tmp_path, dataset="cifar100") == tmp_path / CIFAR100.python_folder
    assert len(calls) == 1, "an existing dataset is not downloaded again"
    assert len(list(tmp_path.iterdir())) == 1


def test_mean_and_std_match_numpy():
    images = torch.from_numpy(np.stack([tiny.pixels(seed=n) // (1 + n) for n in range(5)])).permute(0, 3, 1, 2)
    mean, std = compute_mean_std(images)
    values = images.numpy() / 255
    np.testing.assert_allclose(mean, values.mean((0, 2, 3)), rtol=0, atol=1e-4)
    np.testing.assert_allclose(std, values.std((0, 2, 3)), rtol=0, atol=1e-4)
    assert compute_mean_std(torch.zeros(2, 3, 4, 4, dtype=torch.uint8)) == ((0, 0, 0), (0.01, 0.01, 0.01))


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_cifar_is_resized_to_the_models_input_size(cifar_folder):
    unresized = datasets.load("cifar10", cifar_folder, (32, 32), ("test",))
    assert torch.equal(unresized.splits["test"][0], cifar.load("test", cifar_folder)[0])
    assert unresized.info is datasets.CIFAR10
    larger = datasets.load("cifar10", cifar_folder, (48, 40), ("test",)).splits["test"][0]
    assert (larger.shape, larger.dtype) == ((20, 3, 48, 40), torch.uint8)
    constant = torch.full((1500, 3, 4, 4), 77, dtype=torch.uint8)
    assert (preprocessing.resize_images(constant, (6, 10)) == 77).all()
    white_sides = torch.full((2, 3, 32, 32), 255, dtype=torch.uint8)
    white_sides[..., 8:24] = 0
    cropped = preprocessing.resize_images(white_sides, (64, 32))
    assert not cropped.any(), "center-cropped, not squashed"
    for size in ((4, 2048), (2048, 4)):
        assert preprocessing.resize_images(white_sides, size).shape == (2, 3, *size), "crops at least one row or column"


@pytest.mark.parametrize("size", [(32, 32), (48, 40), (20, 28), (96, 96)])
def test_evaluation_and_explanation_preprocess_an_image_identically(size):
    image = tiny.pixels(32, 32)
    evaluated = preprocessing.resize_images(torch.from_numpy(image).permute(2, 0, 1)[None], size)[0]
    explained = preprocessing.to_tensor(preprocessing.preprocess(image, size).model_input)
    assert torch.equal(evaluated, explained)
    if size == (32, 32):
        assert np.array_equal(explained.permute(1, 2, 0).numpy(), image)


def test_resizing_matches_torchvision_lanczos():
    image = Image.fromarray(tiny.pixels(60, 60))
    expected = vision.resize(image, (20, 20), InterpolationMode.LANCZOS)
    assert np.array_equal(preprocessing.preprocess(image, (20, 20)).model_input, expected)


def test_an_image_folder_has_its_own_channel_statistics(tmp_path):
    dataset = datasets.load("folder", write_image_folder(tmp_path, {"ant": 5, "bee": 5}), (20, 28))
    assert (dataset.info.name, dataset.info.classes) == ("image folder", ("ant", "bee"))
    assert (dataset.info.mean, dataset.info.std) == compute_mean_std(dataset.splits["train"][0])


@pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
def test_only_the_requested_images_are_resized_and_kept(cifar_folder):
    images, labels = cifar.load("train", cifar_folder)
    for num_head, num_tail, indices in [(10, 0, range(10)), (7, 5, [*range(7), *range(95, 100)])]:
        found = datasets.load("cifar10", cifar_folder, (40, 40), ("train",), num_head, num_tail).splits["train"]
        expected = preprocessing.resize_images(images[list(indices)], (40, 40)), labels[list(indices)]
        assert all(map(torch.equal, found, expected))
        assert found[0].untyped_storage().nbytes() == found[0].numel()
    assert datasets.load("cifar10", cifar_folder, (32, 32), ("train",), 60, 60).splits["train"][0].shape[0] == 100
