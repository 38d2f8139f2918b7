"""Image folders to train on: uploads never overwrite files, and are listed."""

import pytest

from tests.data.folders import write_image_folder, write_zip
from vitviz.webapp.image_zips import MAX_LISTED, DataSets


@pytest.fixture
def upload(tmp_path):
    return write_zip(write_image_folder(tmp_path / "x", {"ant": 2, "bee": 2}), tmp_path / "x.zip").read_bytes()


@pytest.fixture
def sets(tmp_path):
    (tmp_path / "data").mkdir()
    return DataSets(str(tmp_path / "data"))


def test_an_upload_does_not_follow_symbolic_links(sets, upload, tmp_path):
    elsewhere = tmp_path / "elsewhere.zip"
    elsewhere.write_bytes(b"other")
    (sets.root / "pets.zip").symlink_to(elsewhere)
    (sets.root / "pets-2.zip").symlink_to(tmp_path / "nowhere")
    assert sets.upload(upload, "pets.zip") == "pets-3.zip"
    assert elsewhere.read_bytes() == b"other"


def test_an_upload_does_not_overwrite_an_unlisted_file(sets, upload):
    for i in range(MAX_LISTED):
        (sets.root / f"a{i}.zip").write_bytes(b"")
    (sets.root / "pets.zip").write_bytes(b"other")
    assert sets.upload(upload, "pets.zip") == "pets-2.zip"
    assert (sets.root / "pets.zip").read_bytes() == b"other"


def test_an_upload_is_listed_first_when_the_list_is_full(sets, upload):
    for i in range(MAX_LISTED):
        (sets.root / f"a{i:02}").mkdir()
    name = sets.upload(upload, "zebra.zip")
    listed = sets.state().image_folders
    assert (listed[0], listed[-1], len(listed)) == ("zebra.zip", f"a{MAX_LISTED - 2}", MAX_LISTED)
    assert sets.path(name) == sets.root / "zebra.zip"
    assert sets.path(f"a{MAX_LISTED - 1}").is_dir(), "although it is not listed"


def test_an_upload_named_like_cifar_is_renamed_and_listed(sets, upload):
    assert sets.upload(upload, "CIFAR-10-other.zip") == "images-CIFAR-10-other.zip"
    assert sets.image_folders() == ["images-CIFAR-10-other.zip"]
    assert [path.name for path in sets.root.iterdir()] == ["images-CIFAR-10-other.zip"]
