"""Datasets of the library `datasets` in its local formats: columns by their features, splits and labels."""

import io

import numpy as np
import pytest
import torch
from PIL import Image

from tests.data.folders import SIZE, write_image_folder
from vitviz.data import datasets, image_cache
from vitviz.errors import DataError

hf = pytest.importorskip("datasets", reason="needs the library datasets")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the library

COLORS = {"ant": (250, 0, 0), "bee": (0, 250, 0)}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("VITVIZ_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(hf.config, "HF_DATASETS_CACHE", tmp_path / "hf")


def png(label: str, number: int) -> dict:
    buffer = io.BytesIO()
    Image.fromarray(np.full((*SIZE, 3), [max(0, c - number) for c in COLORS[label]], np.uint8)).save(buffer, "png")
    return {"bytes": buffer.getvalue(), "path": None}


def table(count: int, label=None, start: int = 0, **columns) -> "hf.Dataset":
    """A dataset of as many ants as bees."""
    names = ["ant", "bee"] * (count // 2)
    label = label or hf.ClassLabel(names=["bee", "ant"])
    values = [label.str2int(name) for name in names] if isinstance(label, hf.ClassLabel) else names
    images = [png(name, start + number) for number, name in enumerate(names)]
    features = hf.Features({"image": hf.Image(), "label": label} | {name: kind for name, (kind, _) in columns.items()})
    data = {"image": images, "label": values} | {name: [value] * count for name, (_, value) in columns.items()}
    return hf.Dataset.from_dict(data, features=features)


def write(kind: str, root):
    """Write 8 training and 4 test images in a format of the library, and return its folder."""
    parts = {"train": table(8), "test": table(4, start=50)}
    if kind == "parquet":
        (root / "data").mkdir(parents=True)
        for split, part in parts.items():
            part.to_parquet(root / "data" / f"{split}-00000-of-00001.parquet")
    elif kind == "save_to_disk":
        hf.DatasetDict(parts).save_to_disk(root)
    else:
        write_image_folder(root / "train", {"ant": 4, "bee": 4})
        write_image_folder(root / "test", {"ant": 2, "bee": 2}, start=50)
    return root


@pytest.mark.parametrize("min_parallel", [1, 100], ids=["processes", "one process"])
@pytest.mark.parametrize("kind", ["parquet", "save_to_disk", "imagefolder"])
def test_every_format_gives_images_labels_and_splits(tmp_path, monkeypatch, kind, min_parallel):
    monkeypatch.setattr(image_cache, "MIN_PARALLEL", min_parallel)
    found = datasets.load(f"hf:{write(kind, tmp_path / 'pets')}", None, SIZE)
    assert (found.info.classes, found.info.name, found.auto_split) == (("ant", "bee"), "hf:pets", False)
    for split, count, low, high in (("train", 8, 230, 250), ("test", 4, 190, 200)):
        images, labels = found.splits[split]
        assert (images.shape, labels.dtype) == ((count, 3, *SIZE), torch.int64)
        assert torch.equal(images.float().mean((2, 3)).argmax(1), labels), "red ants, green bees"
        values = images.amax((1, 2, 3)).tolist()
        assert low <= min(values) <= max(values) <= high


def test_a_single_split_is_divided_as_a_folder_and_rows_without_label_or_image_are_left_out(tmp_path):
    part = table(20)
    rows = [part.with_format("arrow")[i].to_pylist()[0] for i in range(20)]
    rows[3]["label"], rows[4]["label"], rows[5]["image"] = -1, None, None
    rows[6]["image"] = {"bytes": b"torn", "path": None}
    hf.Dataset.from_list(rows, features=part.features).save_to_disk(tmp_path / "pets")
    loaded = datasets.load(f"hf:{tmp_path / 'pets'}", None, SIZE)
    assert loaded.auto_split
    assert [len(labels) for _, labels in loaded.splits.values()] == [12, 4]
    _, summary = datasets.read_all(f"hf:{tmp_path / 'pets'}", None, SIZE)
    assert [file.name for file in summary.skipped] == ["train/5", "train/6"]


def test_a_test_split_without_labels_is_not_used(tmp_path):
    unlabeled = table(4).map(lambda row: {"label": -1})
    hf.DatasetDict({"train": table(8), "test": unlabeled, "validation": table(6)}).save_to_disk(tmp_path / "pets")
    loaded = datasets.load(f"hf:{tmp_path / 'pets'}", None, SIZE)
    assert [len(labels) for _, labels in loaded.splits.values()] == [8, 6]


@pytest.mark.parametrize(
    ("columns", "query", "label"),
    [
        ({"coarse": (hf.ClassLabel(names=["pet"]), 0)}, "?label=label", None),
        ({"thumb": (hf.Image(), png("ant", 0))}, "?image=image", None),
        ({}, "", hf.Value("string")),
        ({"other": (hf.Value("string"), "x")}, "?label=label&image=image", hf.Value("string")),
    ],
)
def test_columns_are_found_by_their_features_or_chosen(tmp_path, columns, query, label):
    table(8, label, **columns).save_to_disk(tmp_path / "pets")
    assert datasets.load(f"hf:{tmp_path / 'pets'}{query}", None, SIZE).info.classes == ("ant", "bee")


@pytest.mark.parametrize(
    ("keep", "columns", "query", "sentence"),
    [
        (["image"], {}, "", r"A dataset needs a column of labels, .* ClassLabel, or be named label: it has image"),
        (["label"], {}, "", r"A dataset needs a column of images, which must have the feature Image: it has label"),
        (None, {"coarse": (hf.ClassLabel(names=["pet"]), 0)}, "", r"several: label, coarse\. Add \?label=COLUMN"),
        (None, {}, "?image=label", r"The image column must be one of image: got 'label'"),
        (None, {}, "?labels=label", r"After \? a dataset has image, label, config: got 'labels'"),
    ],
)
def test_what_is_missing_or_ambiguous_is_named(tmp_path, keep, columns, query, sentence):
    part = table(8, **columns)
    (part.select_columns(keep) if keep else part).save_to_disk(tmp_path / "pets")
    with pytest.raises(DataError, match=sentence):
        datasets.load(f"hf:{tmp_path / 'pets'}{query}", None, SIZE)


def test_a_dataset_that_cannot_be_loaded_is_one_sentence(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"must be able to load .*empty: .*\. Check the name and the connection"):
        datasets.load(f"hf:{tmp_path / 'empty'}", None, SIZE)


def test_changed_rows_are_noticed(tmp_path):
    root = write("parquet", tmp_path / "pets")
    before = datasets.load(f"hf:{root}", None, SIZE)
    table(8, start=7).to_parquet(root / "data" / "train-00000-of-00001.parquet")
    after = datasets.load(f"hf:{root}", None, SIZE)
    assert before.info.fingerprint != after.info.fingerprint
    assert torch.equal(before.splits["test"][0], after.splits["test"][0])
