"""Image folders: layouts, used and skipped files, and a reproducible split."""

import os
import zipfile

import pytest
import torch

from tests.data.folders import SIZE, write_image_folder, write_zip
from vitviz.data import image_folder
from vitviz.data.image_folder import SkippedFile, load, summarize
from vitviz.errors import DataError


def identify(parts, split) -> list[int]:
    """Return label and largest value of each image, which identify it, sorted."""
    images, labels = parts[split]
    return sorted((int(label), int(image.max())) for image, label in zip(images, labels, strict=True))


def test_one_folder_per_class_gives_images_at_the_input_size_and_labels(tmp_path):
    parts, table = load(write_image_folder(tmp_path, {"cow": 5, "ant": 10, "bee": 3}), SIZE)
    assert table.classes == ("ant", "bee", "cow")
    assert table.counts == {"ant": (8, 2), "bee": (2, 1), "cow": (4, 1)}
    assert (table.skipped, table.auto_split) == ([], True)
    for split, count in (("train", 14), ("test", 4)):
        images, labels = parts[split]
        assert (images.shape, images.dtype, labels.dtype) == ((count, 3, *SIZE), torch.uint8, torch.int64)
        channel = images.float().mean((2, 3)).argmax(1)
        assert torch.equal(channel, labels), "red ants, green bees, blue cows"
    both = identify(parts, "train") + identify(parts, "test")
    assert len(set(both)) == 18, "the splits are disjoint and complete"


def test_the_first_images_are_of_all_classes(tmp_path):
    parts, _ = load(write_image_folder(tmp_path, {"ant": 40, "bee": 40, "cow": 40}), SIZE)
    counts = torch.bincount(parts["train"][1][:48], minlength=3)
    assert counts.min() >= 8


def test_the_split_depends_on_names_only_and_is_stable_when_images_are_added(tmp_path):
    one, _ = load(write_image_folder(tmp_path / "one", {"ant": 20, "bee": 20}), SIZE)
    again, _ = load(write_image_folder(write_image_folder(tmp_path / "other", {"bee": 20}), {"ant": 20}), SIZE)
    assert torch.equal(one["train"][0], again["train"][0])
    assert torch.equal(one["test"][1], again["test"][1])
    more, _ = load(write_image_folder(tmp_path / "one", {"ant": 1}, start=20), SIZE)
    assert len(set(identify(one, "test")) & set(identify(more, "test"))) >= 7


@pytest.mark.parametrize("test", ["test", "val", "valid", "validation"])
def test_train_and_test_folders_are_used_as_given(tmp_path, test):
    write_image_folder(tmp_path / "train", {"ant": 3, "bee": 2})
    write_image_folder(tmp_path / test, {"ant": 1, "bee": 4}, start=100)
    parts, table = load(tmp_path, SIZE)
    assert table.counts == {"ant": (3, 1), "bee": (2, 4)}
    assert not table.auto_split
    assert identify(parts, "test") == [(0, 150), *((1, 250 - n) for n in (103, 102, 101, 100))]


def test_of_two_test_folders_one_is_used(tmp_path):
    for name in ("train", "val", "test"):
        write_image_folder(tmp_path / name, {"ant": 2, "bee": 2})
    table = summarize(tmp_path, SIZE)
    assert table.counts == {"ant": (2, 2), "bee": (2, 2)}
    assert [file.name for file in table.skipped] == [
        "val/ant/0.png",
        "val/ant/1.png",
        "val/bee/0.png",
        "val/bee/1.png",
    ]
    assert {file.reason for file in table.skipped} == {"Not in train or test."}


def test_folders_next_to_train_and_test_are_skipped(tmp_path):
    for name in ("train", "val"):
        write_image_folder(tmp_path / name, {"ant": 2, "bee": 2})
    (tmp_path / "annotations").mkdir()
    (tmp_path / "annotations" / "x.txt").write_text("boxes")
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "unsorted.png").touch()
    table = summarize(tmp_path, SIZE)
    assert table.counts == {"ant": (2, 2), "bee": (2, 2)}, "val, because test has no class folders"
    reason = "Not in train or val."
    assert table.skipped == [SkippedFile("annotations/x.txt", reason), SkippedFile("test/unsorted.png", reason)]


@pytest.mark.parametrize("other", ["dev", "eval", "annotations"])
def test_a_train_folder_of_classes_is_not_a_class(tmp_path, other):
    write_image_folder(tmp_path / "train", {"ant": 2, "bee": 2})
    write_image_folder(tmp_path / other, {"ant": 2, "bee": 2})
    sentence = r"has none\. .* 'train'\. It contains folders, but the test folder is missing: rename one to test"
    with pytest.raises(DataError, match=sentence):
        load(tmp_path, SIZE)


def test_a_test_folder_without_class_folders_is_an_error(tmp_path):
    write_image_folder(tmp_path / "train", {"ant": 2, "bee": 2})
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "0.png").touch()
    with pytest.raises(DataError, match=r"has none next to train\. .* 'test/0\.png'\. Not in a class folder"):
        load(tmp_path, SIZE)


def test_a_class_may_be_named_train(tmp_path):
    root = write_image_folder(tmp_path, {"ant": 4, "bee": 4})
    (root / "bee").rename(root / "train")
    (root / "train" / "old").mkdir()
    (root / "train" / "0.png").rename(root / "train" / "old" / "0.png")
    assert summarize(root, SIZE).counts == {"ant": (3, 1), "train": (3, 1)}


def test_a_common_parent_folder_and_folders_inside_a_class_are_ignored(tmp_path):
    inner = write_image_folder(tmp_path / "around" / "my pets", {"ant": 4, "bee": 4})
    (inner / "bee" / "old").mkdir()
    (inner / "bee" / "0.png").rename(inner / "bee" / "old" / "0.png")
    (inner / "readme.txt").write_text("mine")
    table = summarize(tmp_path / "around", SIZE)
    assert table.counts == {"ant": (3, 1), "bee": (3, 1)}
    assert table.skipped == [SkippedFile("my pets/readme.txt", "Not in a class folder.")]


def test_a_file_next_to_the_common_parent_folder_is_skipped(tmp_path):
    inner = write_image_folder(tmp_path / "around" / "pets" / "train", {"ant": 4, "bee": 4}).parent
    write_image_folder(inner / "test", {"ant": 1, "bee": 1})
    (tmp_path / "around" / "README.md").write_text("mine")
    table = summarize(tmp_path / "around", SIZE)
    assert table.counts == {"ant": (4, 1), "bee": (4, 1)}
    assert [file.name for file in table.skipped] == ["README.md"]


@pytest.mark.skipif(os.name == "nt", reason="needs pipes or links of POSIX")
def test_skipped_files_are_listed_with_their_reasons(tmp_path):
    root = write_image_folder(tmp_path / "pets", {"ant": 4, "bee": 4})
    (root / "ant" / "torn.png").write_bytes((root / "ant" / "0.png").read_bytes()[:40])
    (root / "ant" / "notes.txt").write_text("hello")
    (root / "bee" / "nothing.png").touch()
    (root / "bee" / ".hidden.png").write_text("hidden")
    (root / "empty").mkdir()
    (root / "odd\nname").mkdir()
    (root / "odd\nname" / "0.png").write_bytes((root / "ant" / "0.png").read_bytes())
    secret = write_image_folder(tmp_path / "secret", {"ant": 1}) / "ant" / "0.png"
    os.symlink(secret, root / "bee" / "link.png")
    os.symlink(tmp_path / "secret", root / "dog")
    os.mkfifo(root / "bee" / "pipe")
    table = summarize(root, SIZE)
    assert table.counts == {"ant": (3, 1), "bee": (3, 1)}
    reasons = dict(table.skipped)
    assert list(reasons) == [
        "ant/notes.txt",
        "ant/torn.png",
        "bee/link.png",
        "bee/nothing.png",
        "bee/pipe",
        "dog",
        "empty",
        "odd?name/0.png",
    ]
    assert reasons["bee/link.png"] == reasons["dog"] == "Symbolic links are not followed: copy the images themselves."
    assert "cannot be decoded" in reasons["ant/torn.png"]
    assert "is empty" in reasons["bee/nothing.png"]
    assert "must be a regular file" in reasons["bee/pipe"]
    assert reasons["empty"] == "The folder is empty."
    assert reasons["odd?name/0.png"].startswith("A class name must have at most 100 printable characters")


def test_a_test_class_without_training_images_is_skipped(tmp_path):
    write_image_folder(tmp_path / "train", {"ant": 2, "bee": 2})
    write_image_folder(tmp_path / "test", {"ant": 1, "cow": 1})
    table = summarize(tmp_path, SIZE)
    assert table.skipped == [SkippedFile("test/cow/0.png", "Its class has no training images.")]
    assert table.classes == ("ant", "bee")


def test_a_class_without_a_readable_image_is_left_out(tmp_path):
    root = write_image_folder(tmp_path, {"ant": 3, "bee": 3})
    (root / "cow").mkdir()
    (root / "cow" / "0.png").write_text("text")
    parts, table = load(root, SIZE)
    assert table.counts["cow"] == (0, 0)
    assert table.classes == ("ant", "bee")
    assert set(parts["train"][1].tolist()) == {0, 1}


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ({}, r"A dataset needs classes, in an image folder one folder each: '.*pets' has none\.$"),
        (
            {"ant": 5},
            r"at least two classes: '.*pets' has one, 'ant'\. Add a second class\.",
        ),
        (
            {"ant": 1, "bee": 1},
            r"needs test images: '.*pets' has one image per class\. Add a second image to a class\.",
        ),
    ],
)
def test_a_folder_unsuitable_for_training_is_an_error(tmp_path, counts, sentence):
    root = tmp_path / "pets"
    root.mkdir()
    with pytest.raises(DataError, match=sentence):
        load(write_image_folder(root, counts), SIZE)


def test_the_error_contains_the_first_skipped_file(tmp_path):
    for name in ("ant", "bee"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("hello")
    with pytest.raises(DataError):
        load(tmp_path, SIZE)


@pytest.mark.parametrize("where", [None, "nowhere", "a\0b", ""])
def test_a_missing_folder_is_an_error(where, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError):
        load(where, SIZE)


def test_other_files_take_no_space_and_images_without_an_ending_are_used(tmp_path):
    root = write_image_folder(tmp_path, {"ant": 4, "bee": 4})
    for image in sorted(root.glob("*/*.png")):
        image.with_suffix(".xml").write_text("about it")
    parts, summary = load(root, SIZE)
    assert [len(labels) for _, labels in parts.values()] == [6, 2]
    assert len(summary.skipped) == 8
    for image in sorted(root.glob("*/*.png")):
        image.with_suffix(".more").write_bytes(image.read_bytes())
    parts, summary = load(root, SIZE)
    assert [len(labels) for _, labels in parts.values()] == [12, 4]
    assert len(set(identify(parts, "train") + identify(parts, "test"))) == 8


def test_too_many_classes_are_rejected(tmp_path, monkeypatch):
    monkeypatch.setattr(image_folder, "MAX_CLASSES", 2)
    with pytest.raises(DataError):
        load(write_image_folder(tmp_path, {"ant": 2, "bee": 2, "cow": 2}), SIZE)


def test_names_of_split_folders_are_case_insensitive(tmp_path):
    write_image_folder(tmp_path / "Train", {"ant": 2, "bee": 2})
    write_image_folder(tmp_path / "TEST", {"ant": 1, "bee": 1}, start=5)
    parts, table = image_folder.load(tmp_path, SIZE)
    assert table.classes == ("ant", "bee")
    assert [len(parts[split][1]) for split in ("train", "test")] == [4, 2]


def test_the_split_is_the_same_with_and_without_a_parent_folder_or_zip(tmp_path):
    pets = write_image_folder(tmp_path / "around" / "pets", {"ant": 9, "bee": 9})
    outer = write_zip(tmp_path / "around", tmp_path / "outer.zip")
    inner = write_zip(pets, tmp_path / "inner.zip")
    with zipfile.ZipFile(dotted := tmp_path / "dotted.zip", "w") as file:
        for image in pets.glob("*/*"):
            file.writestr(f"./{image.relative_to(pets)}", image.read_bytes())
    first, *others = (image_folder.load(where, SIZE)[0] for where in (pets, pets.parent, inner, outer, dotted))
    for other in others:
        for split in ("train", "test"):
            assert torch.equal(first[split][0], other[split][0])
            assert torch.equal(first[split][1], other[split][1])


def test_a_zip_gives_the_same_images_as_its_folder(tmp_path):
    root = write_image_folder(tmp_path / "pets", {"ant": 6, "bee": 4})
    (root / "__MACOSX" / "ant").mkdir(parents=True)
    (root / "__MACOSX" / "ant" / "._0.png").write_text("macOS metadata")
    (root / "ant" / "notes.txt").write_text("hello")
    parts, table = load(write_zip(root, tmp_path / "pets.zip"), SIZE)
    expected, _ = load(root, SIZE)
    for split in ("train", "test"):
        assert all(torch.equal(mine, other) for mine, other in zip(parts[split], expected[split], strict=True))
    assert [file.name for file in table.skipped] == ["ant/notes.txt"]


@pytest.mark.parametrize(
    ("train", "test"),
    [
        ("Training", "Testing"),
        ("seg_train/seg_train", "seg_test/seg_test"),
        ("training_set/training_set", "test_set"),
        ("dataset/images/train", "dataset/images/test"),
        ("a/b/c/train-images", "a/b/c/val-images"),
    ],
)
def test_split_folders_are_known_by_their_usual_names_and_below_others(tmp_path, train, test):
    write_image_folder(tmp_path / train, {"ant": 3, "bee": 3})
    write_image_folder(tmp_path / test, {"ant": 1, "bee": 2}, start=5)
    summary = image_folder.summarize(tmp_path, SIZE)
    assert (summary.counts, summary.auto_split, summary.skipped) == ({"ant": (3, 1), "bee": (3, 2)}, False, [])


def test_top_folders_that_all_have_the_same_classes_are_refused(tmp_path):
    for top in ("part one", "part two"):
        write_image_folder(tmp_path / "pets" / top, {"ant": 3, "bee": 3})
    with pytest.raises(DataError):
        image_folder.summarize(tmp_path, SIZE)


def test_classes_that_all_have_one_folder_of_images_are_accepted(tmp_path):
    for name in ("ant", "bee"):
        (tmp_path / name).mkdir()
        write_image_folder(tmp_path / "x", {name: 3}).joinpath(name).rename(tmp_path / name / "images")
    (tmp_path / "x").rmdir()
    assert image_folder.summarize(tmp_path, SIZE).counts == {"ant": (2, 1), "bee": (2, 1)}
