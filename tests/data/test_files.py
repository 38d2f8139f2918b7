"""Atomic file writing."""

import errno
import os

import pytest

from vitviz.files import atomic_write, write_atomic


def test_an_interrupted_write_keeps_the_old_file_and_leaves_no_temporary_file(tmp_path):
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


def test_a_write_creates_the_folder_and_replaces_the_file(tmp_path):
    path = tmp_path / "new" / "folder" / "numbers.bin"
    for content in (b"first", b"second"):
        write_atomic(path, content)
        assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]
    assert path.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("name", ["a" * 251 + ".png", "ä" * 125 + ".png"])
def test_a_file_name_may_have_the_maximum_length(tmp_path, name):
    write_atomic(tmp_path / name, b"content")
    assert (tmp_path / name).read_bytes() == b"content"


def test_the_error_for_a_too_long_name_contains_it_and_no_temporary_file_remains(tmp_path):
    path = tmp_path / ("a" * 256)
    with pytest.raises(OSError, match="too long") as error:
        write_atomic(path, b"content")
    assert error.value.filename == str(path)
    assert not list(tmp_path.iterdir())


def test_the_error_for_a_full_disk_contains_the_file_name(tmp_path):
    path = tmp_path / "numbers.bin"

    def full():
        with atomic_write(path):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))  # as a write to an open file does

    with pytest.raises(OSError, match="No space left") as error:
        full()
    assert error.value.filename == str(path)
