"""A text in the metadata of files: written, read again, read by other programs, and hostile files."""

import io
import random
import shutil
import struct
import subprocess
import warnings
import zipfile
import zlib

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from PIL import Image

from vitviz.data import metadata

TEXT = '{"text":"<&> \\\\ (\\u00e9) ]]> -- \\"quoted\\"","list":[1,2.5,null]}'
HTML = '<html><script type="application/json" id="vitviz-data">%s</script></html>'


def drawn(ending: str) -> bytes:
    buffer = io.BytesIO()
    figure = Figure(figsize=(1, 1))
    figure.add_subplot().imshow(np.eye(3))
    figure.savefig(buffer, format=ending[1:])
    return buffer.getvalue()


def arrays(**named) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **named)
    return buffer.getvalue()


def content(ending: str) -> bytes:
    made = {".npz": lambda: arrays(map=np.eye(3)), ".csv": lambda: b"row,value\n1,0.5\n"}
    return made.get(ending, lambda: drawn(ending))()


@pytest.fixture
def save(tmp_path):
    def write(ending: str, content: bytes):
        path = tmp_path / f"file{ending}"
        path.write_bytes(content)
        return path

    return write


@pytest.mark.parametrize("ending", metadata.EMBED)
def test_a_text_is_read_as_it_was_written(ending, save):
    assert metadata.extract(save(ending, metadata.embed(content(ending), ending, TEXT))) == TEXT


@pytest.mark.parametrize("ending", metadata.EMBED)
def test_a_file_without_a_text_has_no_provenance(ending, save):
    with pytest.raises(ValueError, match="has no provenance"):
        metadata.extract(save(ending, content(ending)))


@pytest.mark.parametrize("ending", metadata.EMBED)
def test_a_text_that_is_too_long_is_neither_written_nor_read(ending, save, monkeypatch):
    written = save(ending, metadata.embed(content(ending), ending, TEXT))
    monkeypatch.setattr(metadata, "MAX_TEXT", len(TEXT) - 1)
    with pytest.raises(ValueError, match="at most"):
        metadata.embed(content(ending), ending, TEXT)
    with pytest.raises(ValueError):  # noqa: PT011 - not found, or cut off
        metadata.extract(written)


def test_the_text_is_a_field_of_the_data_of_an_html_file(save):
    assert metadata.extract(save(".html", (HTML % '{"provenance":{"a":"\\u003c"}}').encode())) == '{"a": "<"}'
    for data in ("{}", '{"provenance":null}'):
        with pytest.raises(ValueError, match="has no provenance"):
            metadata.extract(save(".html", (HTML % data).encode()))


def test_other_programs_read_the_same_files(save):
    png = save(".png", metadata.embed(content(".png"), ".png", TEXT))
    with Image.open(png) as image, Image.open(io.BytesIO(content(".png"))) as before:
        assert image.text["vitviz"] == TEXT
        assert np.array_equal(np.asarray(image), np.asarray(before))
    with np.load(save(".npz", metadata.embed(content(".npz"), ".npz", TEXT))) as found:
        assert str(found["provenance"]) == TEXT
        assert np.array_equal(found["map"], np.eye(3))
    csv = save(".csv", metadata.embed(content(".csv"), ".csv", TEXT))
    assert pd.read_csv(csv, comment="#").to_dict("list") == {"row": [1], "value": [0.5]}


@pytest.mark.skipif(shutil.which("pdfinfo") is None, reason="pdfinfo of Poppler is not installed")
def test_poppler_finds_the_text_in_a_pdf_whose_other_properties_stay(save):
    pdf = save(".pdf", metadata.embed(content(".pdf"), ".pdf", TEXT))
    run = lambda *options: subprocess.run(["pdfinfo", *options, pdf], capture_output=True, text=True, check=True)  # noqa: E731
    properties, packet = run(), run("-meta")
    assert properties.stderr == packet.stderr == ""
    assert "Matplotlib" in properties.stdout
    assert "&lt;&amp;&gt;" in packet.stdout


LAUGHS = b"""<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<svg><metadata id="vitviz">&b;</metadata></svg>"""
OUTSIDE = (
    b"""<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/hostname">]><svg><metadata id="vitviz">&a;</metadata></svg>"""
)
IEND = b"\0\0\0\0IEND\xaeB`\x82"


def chunk(kind: bytes, data: bytes, length: int | None = None) -> bytes:
    return (
        struct.pack(">I", len(data) if length is None else length)
        + kind
        + data
        + struct.pack(">I", zlib.crc32(kind + data))
    )


def zipped(entry: bytes, name: str = "provenance.npy", **options) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, entry, **options)
    return buffer.getvalue()


def npy(header: str, data: bytes = b"") -> bytes:
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(text)) + text + data


def encrypted(archive: bytes) -> bytes:
    start = archive.rindex(b"PK\x01\x02")
    flags = lambda at: archive[:at] + b"\x01" + archive[at + 1 :]  # noqa: E731
    archive = flags(6)
    return flags(start + 8)


HEADER = "{'descr': '%s', 'fortran_order': False, 'shape': %s}"
HOSTILE = {
    "entities.svg": LAUGHS,
    "outside.svg": OUTSIDE,
    "cut.svg": b'<svg><metadata id="vitviz">{',
    "encoding.svg": b'<?xml version="1.0" encoding="bogus"?><svg/>',
    "binary.svg": bytes(range(256)),
    "long.svg": b'<svg><metadata id="vitviz">' + b"a" * (2 * metadata.MAX_TEXT) + b"</metadata></svg>",
    "deep.svg": b"<g>" * 200_000,
    "empty.png": b"",
    "text.png": b"no image",
    "cut.png": metadata.PNG_SIGNATURE + b"\0\0",
    "endless.png": metadata.PNG_SIGNATURE + chunk(b"tEXt", b"", 2**32 - 1),
    "length.png": metadata.PNG_SIGNATURE + chunk(b"iTXt", b"vitviz\0\0\0\0\0{}", 2**31),
    "chunks.png": metadata.PNG_SIGNATURE + chunk(b"tEXt", b"") * 100_000 + IEND,
    "letters.png": metadata.PNG_SIGNATURE + chunk(b"iTXt", b"vitviz\0\0\0\0\0\xff\xfe"),
    "text.pdf": b"no document",
    "letters.pdf": b"%PDF-1.4 <vitviz:provenance>\xff</vitviz:provenance>",
    "cut.pdf": b"%PDF-1.4 <vitviz:provenance>{",
    "text.npz": b"no archive",
    "object.npz": arrays(provenance=np.array({"a": 1}, object)),
    "numbers.npz": arrays(provenance=np.arange(3)),
    "strings.npz": arrays(provenance=np.array(["a", "b"])),
    "huge.npz": zipped(npy(HEADER % ("<U1000000000", "()"))),
    "shape.npz": zipped(npy(HEADER % ("<U1", "(9000000000000,)"))),
    "code.npz": zipped(npy("__import__('os').abort()")),
    "bomb.npz": zipped(npy(HEADER % ("<U1000000000", "()"), b"\0" * 50_000_000)),
    "encrypted.npz": encrypted(zipped(b"x")),
    "lzma.npz": zipped(b"x", compress_type=zipfile.ZIP_LZMA),
    "line.csv": b"# vitviz: " + b"a" * (2 * metadata.MAX_TEXT),
    "letters.csv": b"# vitviz: \xff\n",
    "cut.html": (HTML % "{").encode(),
    "list.html": (HTML % "[]").encode(),
    "deep.html": (HTML % ("[" * 200_000)).encode(),
    "numbers.html": (HTML % ('{"provenance":' + "9" * 10_000 + "}")).encode(),
    "script.exe": b"MZ",
    "no ending": b"",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_with_a_sentence(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(HOSTILE[name])
    with pytest.raises(ValueError, match=r"\.$") as refusal:
        metadata.extract(path)
    assert type(refusal.value) is ValueError
    assert str(tmp_path) not in str(refusal.value)


def test_what_is_not_a_file_is_refused(tmp_path, monkeypatch):
    (tmp_path / "folder.svg").mkdir()
    for name in ("folder.svg", "missing.png"):
        with pytest.raises(ValueError, match="A file of at most"):
            metadata.extract(tmp_path / name)
    (tmp_path / "large.svg").write_bytes(metadata.embed(drawn(".svg"), ".svg", TEXT))
    monkeypatch.setattr(metadata, "MAX_BYTES", 100)
    with pytest.raises(ValueError, match="A file of at most"):
        metadata.extract(tmp_path / "large.svg")


@pytest.mark.parametrize("ending", metadata.EMBED)
def test_damaged_files_raise_nothing_but_sentences(ending, save):
    whole, rng = metadata.embed(content(ending), ending, TEXT), random.Random(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(150):
            damaged = bytearray(whole[: rng.choice([len(whole), rng.randrange(len(whole))])])
            for _ in range(rng.randrange(8)):
                if damaged:
                    damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            try:
                assert isinstance(metadata.extract(save(ending, bytes(damaged))), str)
            except ValueError as refusal:
                assert type(refusal) is ValueError  # noqa: PT017
