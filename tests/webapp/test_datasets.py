"""People's own images in the data folder: what an upload may never write over."""

import zipfile

import pytest

from vitviz.webapp.pages.datasets import MAX_LISTED, DataSets


@pytest.fixture
def upload(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as packed:
        packed.writestr("cats/1.png", "")
    return str(tmp_path / "x.zip")


@pytest.fixture
def sets(tmp_path):
    (tmp_path / "data").mkdir()
    return DataSets(str(tmp_path / "data"))


def test_an_upload_is_not_written_through_a_link(sets, upload, tmp_path):
    elsewhere = tmp_path / "elsewhere.zip"
    elsewhere.write_bytes(b"mine")
    (sets.root / "pets.zip").symlink_to(elsewhere)
    (sets.root / "pets-2.zip").symlink_to(tmp_path / "nowhere")
    assert sets.upload(upload, "pets.zip") == "pets-3.zip"
    assert elsewhere.read_bytes() == b"mine"


def test_an_upload_does_not_replace_what_is_too_much_to_be_listed(sets, upload):
    for i in range(MAX_LISTED):
        (sets.root / f"a{i}.zip").write_bytes(b"")
    (sets.root / "pets.zip").write_bytes(b"mine")
    assert sets.upload(upload, "pets.zip") == "pets-2.zip"
    assert (sets.root / "pets.zip").read_bytes() == b"mine"


def test_an_upload_beside_more_than_are_listed_is_listed_first_and_found(sets, upload):
    for i in range(MAX_LISTED):
        (sets.root / f"a{i:02}").mkdir()
    name = sets.upload(upload, "zebra.zip")
    listed = sets.state()["image_folders"]
    assert (listed[0], listed[-1], len(listed)) == ("zebra.zip", f"a{MAX_LISTED - 2}", MAX_LISTED)
    assert sets.path(name) == sets.root / "zebra.zip"
    assert sets.path(f"a{MAX_LISTED - 1}").is_dir(), "though it is not listed"


def test_an_upload_that_is_called_like_the_data_set_is_listed_all_the_same(sets, upload):
    assert sets.upload(upload, "CIFAR-10-mine.zip") == "images-CIFAR-10-mine.zip"
    assert sets.image_folders() == ["images-CIFAR-10-mine.zip"]
    assert [path.name for path in sets.root.iterdir()] == ["images-CIFAR-10-mine.zip"]
