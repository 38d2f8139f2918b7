"""Zips of images: what would lead outside, fill the disk or run away is refused, and nothing is left behind."""

import stat
import struct
import tempfile
import zipfile
from pathlib import Path

import pytest

from tests.data.folders import SIZE, fill, zipped
from vitviz.data import archive, image_folder
from vitviz.data.archive import Archive
from vitviz.data.cifar import DataError


@pytest.fixture
def good(tmp_path) -> Path:
    return zipped(fill(tmp_path / "pets", {"ant": 3, "bee": 3}), tmp_path / "pets.zip")


@pytest.fixture(autouse=True)
def clean_up(tmp_path, monkeypatch):
    """Nothing may be left where temporary files go, whatever comes."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield
    assert not list(place.iterdir())


def add(path: Path, info: zipfile.ZipInfo | str, content: bytes = b"x") -> None:
    with zipfile.ZipFile(path, "a") as file:
        file.writestr(info, content)


def test_a_name_in_utf_8_is_read_also_where_no_flag_says_so(tmp_path):
    path, name = tmp_path / "names.zip", "ёж с пробелом/猫.png"
    with zipfile.ZipFile(path, "w") as file:
        for class_name in (name, "cat/\N{LATIN SMALL LETTER E WITH ACUTE}.png".encode("cp437").decode("cp437")):
            file.writestr(class_name, b"x")
    flagged = path.read_bytes()
    bare = flagged.replace(b"\x00\x08\x00\x00", b"\x00\x00\x00\x00")  # flag 0x800, in both tables
    assert bare != flagged
    path.write_bytes(bare)
    with zipfile.ZipFile(path) as file:
        assert name not in file.namelist(), "as Python reads it"
    opened = Archive(path)
    assert name in opened.names()
    with opened.fetch(name) as place:
        assert place.read_bytes() == b"x"
    opened.zip.close()


@pytest.mark.parametrize("name", ["../evil.png", "ant/../../evil.png", "/etc/evil.png", "..\\evil.png", "C:/evil.png"])
def test_a_name_that_leads_outside_is_refused(good, name, tmp_path):
    add(good, name)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(
        DataError, match=r"Names in a zip must stay inside it, with / between folders: '.*evil\.png' does not\. Pack"
    ):
        image_folder.load(good, SIZE)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_devices_are_refused(good, kind):
    info = zipfile.ZipInfo("ant/link.png")
    info.external_attr = (kind | 0o777) << 16
    add(good, info, b"/etc/passwd")
    with pytest.raises(DataError, match=r"files and folders only: 'ant/link\.png' is a link or a device"):
        image_folder.load(good, SIZE)


def test_what_is_no_image_is_refused_for_one_reason_whatever_its_name(good, tmp_path):
    with zipfile.ZipFile(good, "a") as packed:
        for name in ("ant/notes.txt", "ant/more.txt"):
            packed.writestr(name, "no image")
    with zipfile.ZipFile(good) as packed:
        packed.extractall(tmp_path / "unpacked")
    for place in (good, tmp_path / "unpacked"):
        one, other = image_folder.survey(place, SIZE).refused
        assert (one.name, other.name) == ("ant/more.txt", "ant/notes.txt")
        assert one.why == other.why
        assert one.why.startswith("The file must be a whole PNG, JPEG, WebP, GIF or BMP image: it cannot be read")


def test_a_zip_with_a_password_is_refused(good):
    content = bytearray(good.read_bytes())
    place = content.rfind(b"PK\x01\x02")
    content[place + 8] |= 1  # in the table of contents
    good.write_bytes(content)
    with pytest.raises(DataError, match=r"must open without a password: 'pets.zip' asks for one"):
        image_folder.load(good, SIZE)


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "SMALL", 10_000)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as file:
        for number in range(20):
            file.writestr(f"ant/{number}.bmp", bytes(1_000_000))
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *given: pytest.fail("nothing may be unpacked"))
    with pytest.raises(DataError, match=r"may unpack to at most 4 GiB and 200 times its size"):
        image_folder.load(tmp_path / "bomb.zip", SIZE)
    monkeypatch.setattr(archive, "SMALL", 2**40)
    monkeypatch.setattr(archive, "MOST_UNPACKED", 19_000_000)
    with pytest.raises(DataError, match="may unpack to at most"):
        image_folder.load(tmp_path / "bomb.zip", SIZE)


def test_a_file_that_says_less_than_it_unpacks_to_is_cut_off_there(tmp_path):
    path = tmp_path / "lie.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("ant/0.bmp", bytes(1_000_000))
    content = bytearray(path.read_bytes())
    place = content.find(b"PK\x01\x02")
    struct.pack_into("<I", content, place + 24, 100)  # what it unpacks to
    path.write_bytes(content)
    found = image_folder.survey(path, SIZE)
    assert found.refused == [("ant/0.bmp", "The file cannot be unpacked: the zip is damaged there. Pack it anew.")]


def test_one_damaged_file_is_told_and_the_others_are_taken(good):
    content = bytearray(good.read_bytes())
    with zipfile.ZipFile(good) as file:
        info = file.getinfo("bee/1.png")
    content[info.header_offset + 60] ^= 0xFF
    good.write_bytes(content)
    table = image_folder.survey(good, SIZE)
    assert [refused.name for refused in table.refused] == ["bee/1.png"]
    assert sum(map(sum, table.counts.values())) == 5


def test_a_file_too_large_for_a_image_is_not_unpacked(good, monkeypatch):
    monkeypatch.setattr(archive, "MOST_BYTES", 2**20)
    add(good, "ant/huge.bmp", bytes(2**20 + 1))
    assert image_folder.survey(good, SIZE).refused == [
        ("ant/huge.bmp", "An image may have at most 1 MiB: this one has 1.0. Save it smaller, as JPEG for example.")
    ]


def test_other_ways_of_packing_are_not_taken(good):
    with zipfile.ZipFile(good, "a", zipfile.ZIP_LZMA) as file:
        file.writestr("ant/packed.png", b"x" * 1000)
    (refused,) = image_folder.survey(good, SIZE).refused
    assert refused.why.startswith("A file in a zip must be stored or deflated")


def test_too_many_files_or_bytes_are_refused_from_the_last_bytes_alone(good, monkeypatch):
    monkeypatch.setattr(zipfile, "ZipFile", lambda *given: pytest.fail("it may not be opened"))
    monkeypatch.setattr(archive, "MOST_CONTENTS", 100)
    with pytest.raises(DataError, match="at most 65,535 files, and names of 0 MiB: this one has more"):
        Archive(good)
    monkeypatch.setattr(archive, "MOST_PACKED", 100)
    with pytest.raises(DataError, match=r"at most 0 GiB: this one has 0\.0\. Name an unpacked folder"):
        Archive(good)


def test_a_zip_of_the_large_kind_is_refused_unopened(tmp_path):
    path = tmp_path / "many.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("ant/0.png", b"x")
    content = path.read_bytes()
    place = content.rfind(b"PK\x05\x06")
    path.write_bytes(content[:place] + b"PK\x06\x07" + bytes(16) + content[place:])
    with pytest.raises(DataError, match="at most 65,535 files"):
        Archive(path)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x05\x06", b"PK\x03\x04" + bytes(100)])
def test_what_is_no_zip_is_refused(tmp_path, content):
    path = tmp_path / "pets.zip"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"must be a folder or a whole zip file: 'pets\.zip' is neither"):
        image_folder.load(path, SIZE)


def test_an_empty_zip_has_no_images(tmp_path):
    path = tmp_path / "pets.zip"
    path.write_bytes(b"PK\x05\x06" + bytes(18))
    with pytest.raises(DataError, match="none was taken of"):
        image_folder.load(path, SIZE)
