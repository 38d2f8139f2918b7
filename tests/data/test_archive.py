"""Zips of images: unsafe names, links and zip bombs are rejected, and no temporary files remain."""

import stat
import struct
import tempfile
import zipfile
from pathlib import Path

import pytest

from tests.data.folders import SIZE, write_image_folder, write_zip
from vitviz.data import archive, image_folder, preprocessing
from vitviz.data.archive import Archive
from vitviz.errors import DataError


@pytest.fixture
def good(tmp_path) -> Path:
    return write_zip(write_image_folder(tmp_path / "pets", {"ant": 3, "bee": 3}), tmp_path / "pets.zip")


@pytest.fixture(autouse=True)
def no_temporary_files(tmp_path, monkeypatch):
    """Check that every test leaves the folder of temporary files empty."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert not list(folder.iterdir())


def add(path: Path, info: zipfile.ZipInfo | str, content: bytes = b"x") -> None:
    with zipfile.ZipFile(path, "a") as file:
        file.writestr(info, content)


def test_a_utf_8_name_is_decoded_without_the_utf_8_flag(tmp_path):
    path, name = tmp_path / "names.zip", "ёж с пробелом/猫.png"
    with zipfile.ZipFile(path, "w") as file:
        for class_name in (name, "cat/\N{LATIN SMALL LETTER E WITH ACUTE}.png".encode("cp437").decode("cp437")):
            file.writestr(class_name, b"x")
    flagged = path.read_bytes()
    bare = flagged.replace(b"\x00\x08\x00\x00", b"\x00\x00\x00\x00")  # UTF-8 flag, in local and central headers
    assert bare != flagged
    path.write_bytes(bare)
    with zipfile.ZipFile(path) as file:
        assert name not in file.namelist(), "zipfile decodes it as cp437"
    opened = Archive(path)
    assert name in opened.files
    assert opened.read(name) == b"x"
    opened.zip.close()


@pytest.mark.parametrize("name", ["../evil.png", "ant/../../evil.png", "/etc/evil.png", "..\\evil.png", "C:/evil.png"])
def test_names_outside_the_folder_are_rejected(good, name, tmp_path):
    add(good, name)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(DataError):
        image_folder.load(good, SIZE)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_devices_are_rejected(good, kind):
    info = zipfile.ZipInfo("ant/link.png")
    info.external_attr = (kind | 0o777) << 16
    add(good, info, b"/etc/passwd")
    with pytest.raises(DataError):
        image_folder.load(good, SIZE)


def test_the_reason_for_skipping_a_file_does_not_contain_its_name(good, tmp_path):
    with zipfile.ZipFile(good, "a") as packed:
        for name in ("ant/notes.txt", "ant/more.txt"):
            packed.writestr(name, "text")
    with zipfile.ZipFile(good) as packed:
        packed.extractall(tmp_path / "unpacked")
    for path in (good, tmp_path / "unpacked"):
        one, other = image_folder.summarize(path, SIZE).skipped
        assert (one.name, other.name) == ("ant/more.txt", "ant/notes.txt")
        assert one.reason == other.reason
        assert one.reason.startswith(
            "The file must be a complete PNG, JPEG, WebP, GIF, BMP or TIFF image: it cannot be decoded"
        )


def test_an_encrypted_zip_is_rejected(good):
    content = bytearray(good.read_bytes())
    start = content.rfind(b"PK\x01\x02")
    content[start + 8] |= 1  # in the central directory
    good.write_bytes(content)
    with pytest.raises(DataError):
        image_folder.load(good, SIZE)


def test_a_zip_bomb_is_rejected_before_unpacking(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MIN_BOMB", 10_000)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as file:
        for number in range(20):
            file.writestr(f"ant/{number}.bmp", bytes(1_000_000))
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *args: pytest.fail("unpacked"))
    with pytest.raises(DataError):
        image_folder.load(tmp_path / "bomb.zip", SIZE)
    monkeypatch.setattr(archive, "MIN_BOMB", 2**40)
    monkeypatch.setattr(archive, "MAX_UNPACKED", 19_000_000)
    with pytest.raises(DataError):
        image_folder.load(tmp_path / "bomb.zip", SIZE)


def test_a_file_larger_than_its_declared_size_is_skipped(tmp_path):
    path = tmp_path / "wrong-size.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("ant/0.bmp", bytes(1_000_000))
    content = bytearray(path.read_bytes())
    start = content.find(b"PK\x01\x02")
    struct.pack_into("<I", content, start + 24, 100)  # uncompressed size
    path.write_bytes(content)
    found = image_folder.summarize(path, SIZE)
    assert found.skipped == [("ant/0.bmp", "The file cannot be unpacked: the zip is damaged. Repack the folder.")]


def test_a_file_whose_local_name_is_not_utf_8_is_skipped(good):
    content = bytearray(good.read_bytes())
    with zipfile.ZipFile(good) as file:
        start = file.getinfo("bee/1.png").header_offset
    content[start + 6 : start + 8] = struct.pack("<H", 0x800)  # says UTF-8
    content[start + 30] = 0xFF
    good.write_bytes(content)
    assert [file.name for file in image_folder.summarize(good, SIZE).skipped] == ["bee/1.png"]


def test_a_damaged_file_is_skipped_and_the_others_are_read(good):
    content = bytearray(good.read_bytes())
    with zipfile.ZipFile(good) as file:
        info = file.getinfo("bee/1.png")
    content[info.header_offset + 60] ^= 0xFF
    good.write_bytes(content)
    table = image_folder.summarize(good, SIZE)
    assert [file.name for file in table.skipped] == ["bee/1.png"]
    assert sum(map(sum, table.counts.values())) == 5


def test_a_file_too_large_for_an_image_is_not_unpacked(good, monkeypatch):
    monkeypatch.setattr(preprocessing, "MAX_BYTES", 2**20)
    add(good, "ant/huge.bmp", bytes(2**20 + 1))
    assert image_folder.summarize(good, SIZE).skipped == [
        ("ant/huge.bmp", "An image may have at most 1 MiB: got 1.0. Save it smaller, for example as JPEG.")
    ]


def test_other_compression_methods_are_not_accepted(good):
    with zipfile.ZipFile(good, "a", zipfile.ZIP_LZMA) as file:
        file.writestr("ant/packed.png", b"x" * 1000)
    (skipped,) = image_folder.summarize(good, SIZE).skipped
    assert skipped.reason.startswith("Files in a zip must be stored or deflated")


def test_too_many_files_or_bytes_are_rejected_from_the_end_record_alone(good, monkeypatch):
    monkeypatch.setattr(zipfile, "ZipFile", lambda *args: pytest.fail("opened"))
    monkeypatch.setattr(archive, "MAX_DIRECTORY", 100)
    with pytest.raises(DataError):
        Archive(good)
    monkeypatch.setattr(archive, "MAX_PACKED", 100)
    with pytest.raises(DataError):
        Archive(good)


def test_a_zip64_file_is_rejected(tmp_path):
    path = tmp_path / "many.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("ant/0.png", b"x")
    content = path.read_bytes()
    start = content.rfind(b"PK\x05\x06")
    path.write_bytes(content[:start] + b"PK\x06\x07" + bytes(16) + content[start:])
    with pytest.raises(DataError):
        Archive(path)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x05\x06", b"PK\x03\x04" + bytes(100)])
def test_a_file_that_is_not_a_zip_is_rejected(tmp_path, content):
    path = tmp_path / "pets.zip"
    path.write_bytes(content)
    with pytest.raises(DataError):
        image_folder.load(path, SIZE)


def test_an_empty_zip_has_no_images(tmp_path):
    path = tmp_path / "pets.zip"
    path.write_bytes(b"PK\x05\x06" + bytes(18))
    with pytest.raises(DataError):
        image_folder.load(path, SIZE)


def test_names_of_windows_and_with_a_colon_are_read(good, tmp_path):
    image = (tmp_path / "pets/ant/0.png").read_bytes()
    with zipfile.ZipFile(tmp_path / "windows.zip", "w") as file:
        file.writestr(zipfile.ZipInfo("pets\\ant\\"), b"")
        for name in ("pets\\ant\\a.png", "pets\\ant\\b.png", "pets\\bee\\at 12:30.png", "pets\\bee\\d.png"):
            file.writestr(zipfile.ZipInfo(name), image)
    assert image_folder.summarize(tmp_path / "windows.zip", SIZE).counts == {"ant": (1, 1), "bee": (1, 1)}


def test_all_pixels_are_counted_before_any_is_decoded(good, monkeypatch):
    monkeypatch.setattr(image_folder, "MAX_PIXELS", 6 * SIZE[0] * SIZE[1] - 1)
    monkeypatch.setattr(image_folder, "PIXELS_PER_BYTE", 0)
    monkeypatch.setattr(preprocessing, "preprocess", lambda *_, **__: pytest.fail("decoded"))
    with pytest.raises(DataError):
        image_folder.summarize(good, SIZE)


def test_empty_files_are_not_unpacked_and_progress_is_reported(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "empty.zip", "w") as file:
        for number in range(50):
            file.writestr(f"{'ab'[number % 2]}/{number}.png", b"")
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("unpacked"))
    reports = []
    summary = image_folder.summarize(tmp_path / "empty.zip", SIZE, lambda done, total: reports.append((done, total)))
    assert [reason for _, reason in summary.skipped] == ["The file is empty."] * 50
    assert reports == [(number, 50) for number in range(1, 51)]
