"""Files are whole or not there."""

import errno
import os

import pytest

from vitviz.data.files import atomic_write, write_whole


def test_an_interruption_while_writing_leaves_the_old_file_and_no_litter(tmp_path):
    path = tmp_path / "numbers.bin"
    path.write_bytes(b"old")

    def interrupted():
        with atomic_write(path) as file:
            file.write(b"half of the ne")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_makes_its_folder_and_replaces_what_was_there(tmp_path):
    path = tmp_path / "new" / "folder" / "numbers.bin"
    for content in (b"first", b"second"):
        write_whole(path, content)
        assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]
    assert path.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("name", ["a" * 251 + ".png", "ä" * 125 + ".png"])
def test_a_name_may_be_as_long_as_names_can_be(tmp_path, name):
    write_whole(tmp_path / name, b"content")
    assert (tmp_path / name).read_bytes() == b"content"


def test_a_name_that_is_too_long_is_refused_by_itself_and_leaves_no_litter(tmp_path):
    path = tmp_path / ("a" * 256)
    with pytest.raises(OSError, match="too long") as refusal:
        write_whole(path, b"content")
    assert refusal.value.filename == str(path)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_told_with_the_name_of_the_file(tmp_path):
    path = tmp_path / "numbers.bin"

    def full():
        with atomic_write(path):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))  # as a write to an open file does

    with pytest.raises(OSError, match="No space left") as refusal:
        full()
    assert refusal.value.filename == str(path)
