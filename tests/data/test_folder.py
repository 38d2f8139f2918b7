"""Folders of labelled images: layouts, what is taken and what is not, and a division that is always the same."""

import os
import zipfile

import pytest
import torch

from tests.data.folders import SIZE, fill, zipped
from vitviz.data import image_folder
from vitviz.data.cifar import DataError
from vitviz.data.image_folder import Refused, load, survey


def names_of(parts, split) -> list[int]:
    """The largest level of each image: its class and number, whatever the order."""
    images, labels = parts[split]
    return sorted((int(label), int(image.max())) for image, label in zip(images, labels, strict=True))


def test_a_folder_for_each_class_gives_images_of_the_models_size_and_labels(tmp_path):
    parts, table = load(fill(tmp_path, {"cow": 5, "ant": 10, "bee": 3}), SIZE)
    assert table.classes == ("ant", "bee", "cow")
    assert table.counts == {"ant": (8, 2), "bee": (2, 1), "cow": (4, 1)}
    assert (table.refused, table.divided) == ([], True)
    for split, count in (("train", 14), ("test", 4)):
        images, labels = parts[split]
        assert (images.shape, images.dtype, labels.dtype) == ((count, 3, *SIZE), torch.uint8, torch.int64)
        channel = images.float().mean((2, 3)).argmax(1)
        assert torch.equal(channel, labels), "red ants, green bees, blue cows"
    both = names_of(parts, "train") + names_of(parts, "test")
    assert len(set(both)) == 18, "no image stands in both, and none is lost"


def test_the_first_images_are_of_all_classes(tmp_path):
    parts, _ = load(fill(tmp_path, {"ant": 40, "bee": 40, "cow": 40}), SIZE)
    counts = torch.bincount(parts["train"][1][:48], minlength=3)
    assert counts.min() >= 8


def test_the_division_depends_on_names_alone_and_hardly_on_what_is_added(tmp_path):
    one, _ = load(fill(tmp_path / "one", {"ant": 20, "bee": 20}), SIZE)
    again, _ = load(fill(fill(tmp_path / "other", {"bee": 20}), {"ant": 20}), SIZE)
    assert torch.equal(one["train"][0], again["train"][0])
    assert torch.equal(one["test"][1], again["test"][1])
    more, _ = load(fill(tmp_path / "one", {"ant": 1}, start=20), SIZE)
    assert len(set(names_of(one, "test")) & set(names_of(more, "test"))) >= 7


@pytest.mark.parametrize("test", ["test", "val", "valid", "validation"])
def test_folders_to_train_and_to_test_are_taken_as_they_are(tmp_path, test):
    fill(tmp_path / "train", {"ant": 3, "bee": 2})
    fill(tmp_path / test, {"ant": 1, "bee": 4}, start=100)
    parts, table = load(tmp_path, SIZE)
    assert table.counts == {"ant": (3, 1), "bee": (2, 4)}
    assert not table.divided
    assert names_of(parts, "test") == [(0, 150), *((1, 250 - n) for n in (103, 102, 101, 100))]


def test_of_two_folders_to_test_one_is_left_alone(tmp_path):
    for name in ("train", "val", "test"):
        fill(tmp_path / name, {"ant": 2, "bee": 2})
    table = survey(tmp_path, SIZE)
    assert table.counts == {"ant": (2, 2), "bee": (2, 2)}
    assert [refused.name for refused in table.refused] == [
        "val/ant/0.png",
        "val/ant/1.png",
        "val/bee/0.png",
        "val/bee/1.png",
    ]
    assert {refused.why for refused in table.refused} == {"It lies in neither train nor test."}


def test_beside_folders_to_train_and_to_test_on_no_other_is_taken(tmp_path):
    for name in ("train", "val"):
        fill(tmp_path / name, {"ant": 2, "bee": 2})
    (tmp_path / "annotations").mkdir()
    (tmp_path / "annotations" / "x.txt").write_text("boxes")
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "unsorted.png").touch()
    table = survey(tmp_path, SIZE)
    assert table.counts == {"ant": (2, 2), "bee": (2, 2)}, "val, for test has no classes"
    why = "It lies in neither train nor val."
    assert table.refused == [Refused("annotations/x.txt", why), Refused("test/unsorted.png", why)]


@pytest.mark.parametrize("other", ["dev", "eval", "annotations"])
def test_a_folder_of_classes_that_is_called_train_is_no_class(tmp_path, other):
    fill(tmp_path / "train", {"ant": 2, "bee": 2})
    fill(tmp_path / other, {"ant": 2, "bee": 2})
    sentence = (
        r"none was taken of .* 'train'\. It holds folders, and there is none to test on beside it: name that test"
    )
    with pytest.raises(DataError, match=sentence):
        load(tmp_path, SIZE)


def test_a_folder_to_test_on_without_classes_is_refused_as_such(tmp_path):
    fill(tmp_path / "train", {"ant": 2, "bee": 2})
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "0.png").touch()
    with pytest.raises(DataError, match=r"has none beside train\. .* 'test/0\.png'\. It lies in no class's folder"):
        load(tmp_path, SIZE)


def test_a_class_may_be_called_train(tmp_path):
    root = fill(tmp_path, {"ant": 4, "bee": 4})
    (root / "bee").rename(root / "train")
    (root / "train" / "old").mkdir()
    (root / "train" / "0.png").rename(root / "train" / "old" / "0.png")
    assert survey(root, SIZE).counts == {"ant": (3, 1), "train": (3, 1)}


def test_one_folder_around_all_others_and_folders_within_a_class_do_not_matter(tmp_path):
    inner = fill(tmp_path / "around" / "my pets", {"ant": 4, "bee": 4})
    (inner / "bee" / "old").mkdir()
    (inner / "bee" / "0.png").rename(inner / "bee" / "old" / "0.png")
    (inner / "readme.txt").write_text("mine")
    table = survey(tmp_path / "around", SIZE)
    assert table.counts == {"ant": (3, 1), "bee": (3, 1)}
    assert table.refused == [Refused("my pets/readme.txt", "It lies in no class's folder.")]


def test_a_file_beside_the_one_folder_around_all_others_is_not_taken(tmp_path):
    inner = fill(tmp_path / "around" / "pets" / "train", {"ant": 4, "bee": 4}).parent
    fill(inner / "test", {"ant": 1, "bee": 1})
    (tmp_path / "around" / "README.md").write_text("mine")
    table = survey(tmp_path / "around", SIZE)
    assert table.counts == {"ant": (4, 1), "bee": (4, 1)}
    assert [refused.name for refused in table.refused] == ["README.md"]


def test_what_is_not_taken_is_told_with_its_reason(tmp_path):
    root = fill(tmp_path / "pets", {"ant": 4, "bee": 4})
    (root / "ant" / "torn.png").write_bytes((root / "ant" / "0.png").read_bytes()[:40])
    (root / "ant" / "notes.txt").write_text("hello")
    (root / "bee" / "nothing.png").touch()
    (root / "bee" / ".hidden.png").write_text("not seen")
    (root / "empty").mkdir()
    (root / "odd\nname").mkdir()
    (root / "odd\nname" / "0.png").write_bytes((root / "ant" / "0.png").read_bytes())
    secret = fill(tmp_path / "secret", {"ant": 1}) / "ant" / "0.png"
    os.symlink(secret, root / "bee" / "link.png")
    os.symlink(tmp_path / "secret", root / "dog")
    os.mkfifo(root / "bee" / "pipe")
    table = survey(root, SIZE)
    assert table.counts == {"ant": (3, 1), "bee": (3, 1)}
    why = dict(table.refused)
    assert list(why) == [
        "ant/notes.txt",
        "ant/torn.png",
        "bee/link.png",
        "bee/nothing.png",
        "bee/pipe",
        "dog",
        "empty",
        "odd?name/0.png",
    ]
    assert why["bee/link.png"] == why["dog"] == "Links are not followed: put the images themselves there."
    assert "cannot be read as one" in why["ant/torn.png"]
    assert "is empty" in why["bee/nothing.png"]
    assert "must be a file" in why["bee/pipe"]
    assert why["empty"] == "It is an empty folder."
    assert why["odd?name/0.png"].startswith("A class's name must be at most 100 characters")


def test_a_class_to_test_on_that_is_not_trained_on_is_not_taken(tmp_path):
    fill(tmp_path / "train", {"ant": 2, "bee": 2})
    fill(tmp_path / "test", {"ant": 1, "cow": 1})
    table = survey(tmp_path, SIZE)
    assert table.refused == [Refused("test/cow/0.png", "Its class is not among those to train on.")]
    assert table.classes == ("ant", "bee")


def test_a_class_without_a_readable_image_is_left_out(tmp_path):
    root = fill(tmp_path, {"ant": 3, "bee": 3})
    (root / "cow").mkdir()
    (root / "cow" / "0.png").write_text("no cow")
    parts, table = load(root, SIZE)
    assert table.counts["cow"] == (0, 0)
    assert table.classes == ("ant", "bee")
    assert set(parts["train"][1].tolist()) == {0, 1}


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ({}, r"A data set needs one folder of images for each class: none was taken of '.*pets'\.$"),
        (
            {"ant": 5},
            r"at least two classes with images: '.*pets' has one, 'ant'\. Put a folder of other images beside",
        ),
        ({"ant": 1, "bee": 1}, r"needs images to test on: '.*pets' has one image of each class\. Add a second\."),
    ],
)
def test_what_nothing_can_be_learned_from_is_refused_in_a_sentence(tmp_path, counts, sentence):
    root = tmp_path / "pets"
    root.mkdir()
    with pytest.raises(DataError, match=sentence):
        load(fill(root, counts), SIZE)


def test_the_refusal_of_all_names_the_first_reason(tmp_path):
    for name in ("ant", "bee"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("hello")
    with pytest.raises(
        DataError, match=r"none was taken of .* The first that was not: 'ant/a\.txt'\. The file must be a whole"
    ):
        load(tmp_path, SIZE)


@pytest.mark.parametrize("where", [None, "nowhere", "a\0b", ""])
def test_a_place_that_is_none_is_refused(where, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError):
        load(where, SIZE)


def test_too_much_is_refused_before_it_is_read(tmp_path, monkeypatch):
    root = fill(tmp_path, {"ant": 3, "bee": 3})
    monkeypatch.setattr(image_folder.preprocessing, "prepare", lambda *given: pytest.fail("nothing may be read"))
    with pytest.raises(DataError, match=r"may fill at most 2 GiB: 6 of 40000 x 40000 pixels fill 26\.8\. Use fewer"):
        load(root, (40_000, 40_000))
    monkeypatch.setattr(image_folder, "MOST_FILES", 2)
    with pytest.raises(DataError, match=r"may have at most 2 files: .* has more"):
        load(root, SIZE)


def test_only_images_count_as_such_whatever_their_names_are(tmp_path, monkeypatch):
    root = fill(tmp_path, {"ant": 4, "bee": 4})
    for image in sorted(root.glob("*/*.png")):
        image.with_suffix(".xml").write_text("about it")
    monkeypatch.setattr(image_folder, "MOST_MEMORY", 3 * SIZE[0] * SIZE[1] * 8)
    assert sum(len(labels) for _, labels in load(root, SIZE)[0].values()) == 8
    for image in sorted(root.glob("*/*.png")):
        image.with_suffix(".more").write_bytes(image.read_bytes())
    with pytest.raises(DataError, match=r"may fill at most 0 GiB: 9 of"):
        load(root, SIZE)


def test_too_many_classes_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(image_folder, "MOST_CLASSES", 2)
    with pytest.raises(DataError, match=r"at most 2 classes: .* has 3"):
        load(fill(tmp_path, {"ant": 2, "bee": 2, "cow": 2}), SIZE)


def test_folders_to_train_and_to_test_may_be_written_with_capitals(tmp_path):
    fill(tmp_path / "Train", {"ant": 2, "bee": 2})
    fill(tmp_path / "TEST", {"ant": 1, "bee": 1}, start=5)
    parts, table = image_folder.load(tmp_path, SIZE)
    assert table.classes == ("ant", "bee")
    assert [len(parts[split][1]) for split in ("train", "test")] == [4, 2]


def test_a_folder_is_divided_alike_however_it_is_wrapped(tmp_path):
    pets = fill(tmp_path / "around" / "pets", {"ant": 9, "bee": 9})
    outer = zipped(tmp_path / "around", tmp_path / "outer.zip")
    inner = zipped(pets, tmp_path / "inner.zip")
    with zipfile.ZipFile(dotted := tmp_path / "dotted.zip", "w") as file:
        for image in pets.glob("*/*"):
            file.writestr(f"./{image.relative_to(pets)}", image.read_bytes())
    first, *others = (image_folder.load(where, SIZE)[0] for where in (pets, pets.parent, inner, outer, dotted))
    for other in others:
        for split in ("train", "test"):
            assert torch.equal(first[split][0], other[split][0])
            assert torch.equal(first[split][1], other[split][1])


def test_a_zip_gives_what_its_folder_gives(tmp_path):
    root = fill(tmp_path / "pets", {"ant": 6, "bee": 4})
    (root / "__MACOSX" / "ant").mkdir(parents=True)
    (root / "__MACOSX" / "ant" / "._0.png").write_text("of macOS")
    (root / "ant" / "notes.txt").write_text("hello")
    parts, table = load(zipped(root, tmp_path / "pets.zip"), SIZE)
    expected, _ = load(root, SIZE)
    for split in ("train", "test"):
        assert all(torch.equal(mine, other) for mine, other in zip(parts[split], expected[split], strict=True))
    assert [refused.name for refused in table.refused] == ["ant/notes.txt"]
