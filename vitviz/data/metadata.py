"""A text in the metadata of a file: SVG, PNG, JPEG, PDF, NPZ, CSV; it is read from these and from saved HTML files.

The text is ASCII, such as JSON without other characters, so that each format holds it without further encoding.
Files to read are untrusted: their size is bounded, XML entities are refused, and nothing is unpickled.
"""

import io
import json
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from html import escape, unescape
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np

from vitviz.data.archive import check_end_record

MAX_TEXT = 2**20  # characters
MAX_BYTES = 512 * 2**20  # of a file that is read
MAX_CHUNKS = 1000  # of a PNG file before its image data
ELEMENT_ID = "vitviz"  # of SVG's <metadata>
DATA_ID = "vitviz-data"  # of the <script> with the data of a saved HTML file
KEYWORD = "vitviz"  # of PNG's text chunk
ARRAY = "provenance"  # of an NPZ file, and the field of the data of an HTML file
COMMENT = "# vitviz: "
JPEG_COMMENT = 65_000  # bytes of a comment, at most 65,533
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
PNG_HEADER_END = 33  # bytes: signature and the chunk IHDR
XMP = b"""<?xpacket begin="\xef\xbb\xbf" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:vitviz="https://vitviz.invalid/ns/">
<vitviz:provenance>%s</vitviz:provenance>
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>"""


def embed(content: bytes, ending: str, text: str) -> bytes:
    """Return a file with a text in its metadata.

    Args:
        content: The file, as this package writes it.
        ending: ".svg", ".png", ".jpg", ".pdf", ".npz" or ".csv".
        text: ASCII, at most `MAX_TEXT` characters.
    """
    if len(text) > MAX_TEXT:
        raise ValueError(f"Metadata may have at most {MAX_TEXT:,} characters: got {len(text):,}.")
    return EMBED[ending](content, text.encode("ascii"))


def extract(path: Path) -> str:
    """Return the text that a file has in its metadata.

    Raises:
        ValueError: If the file has none, cannot be read, is invalid or too large, or has another ending.
    """
    ending, name = path.suffix.lower(), path.name[:80]
    if ending not in EXTRACT:
        raise ValueError(f"The file must end in {', '.join(EXTRACT)}: got {name!r}.")
    if not path.is_file() or path.stat().st_size > MAX_BYTES:
        raise ValueError(f"A file of at most {MAX_BYTES // 2**20} MiB is needed: {name!r} is none.")
    try:
        text = EXTRACT[ending](path)
    except OSError as error:
        raise ValueError(f"{name!r} cannot be read: {error.strerror or 'it is damaged'}.") from None
    except Exception as error:  # the libraries raise almost any exception on a malformed file
        raise ValueError(f"{name!r} must be a complete {ending[1:].upper()} file: it cannot be read.") from error
    if text is None or len(text) > MAX_TEXT:
        raise ValueError(f"{name!r} has no provenance of vitviz.")
    return text


def embed_svg(content: bytes, text: bytes) -> bytes:
    """Add a <metadata> element at the end."""
    end = content.rindex(b"</svg>")
    element = f'<metadata id="{ELEMENT_ID}">{escape(text.decode(), quote=False)}</metadata>\n'
    return content[:end] + element.encode() + content[end:]


def extract_svg(path: Path) -> str | None:
    """Return the content of the <metadata> element."""
    parser, parts = expat.ParserCreate(), list[str]()

    def start(name: str, attributes: dict[str, str]) -> None:
        is_found = name == "metadata" and attributes.get("id") == ELEMENT_ID
        parser.CharacterDataHandler = parts.append if is_found else None

    def end(name: str) -> None:
        parser.CharacterDataHandler = None

    def refuse(*declaration: object) -> None:
        raise ValueError("An entity may expand to any size.")

    parser.StartElementHandler, parser.EndElementHandler, parser.EntityDeclHandler = start, end, refuse
    with path.open("rb") as file:
        parser.ParseFile(file)
    return "".join(parts) or None


def embed_png(content: bytes, text: bytes) -> bytes:
    """Add an iTXt chunk after the header."""
    chunk = b"iTXt" + KEYWORD.encode() + b"\0\0\0\0\0" + text  # not compressed, no language, no translated keyword
    packed = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    return content[:PNG_HEADER_END] + packed + content[PNG_HEADER_END:]


def embed_jpeg(content: bytes, text: bytes) -> bytes:
    """Add comments after the first marker."""
    parts = [text[start : start + JPEG_COMMENT] for start in range(0, len(text), JPEG_COMMENT)]
    packed = [b"\xff\xfe" + struct.pack(">H", len(part) + 10) + b"vitviz: " + part for part in parts]
    return content[:2] + b"".join(packed) + content[2:]


def extract_jpeg(path: Path) -> str | None:
    """Return the text of the comments before the image data."""
    parts = []
    with path.open("rb") as file:
        if file.read(2) != b"\xff\xd8":
            raise ValueError("It has no signature of JPEG.")
        for _ in range(MAX_CHUNKS):
            marker, length = struct.unpack(">HH", file.read(4))
            data = file.read(length - 2)
            if marker == 0xFFFE and data.startswith(b"vitviz: "):
                parts.append(data.removeprefix(b"vitviz: "))
            elif parts or marker == 0xFFDA:  # the image data
                break
    return b"".join(parts).decode("ascii") or None


def extract_png(path: Path) -> str | None:
    """Return the text of the iTXt chunk, which must precede the image data."""
    start = KEYWORD.encode() + b"\0\0\0\0\0"
    with path.open("rb") as file:
        if file.read(8) != PNG_SIGNATURE:
            raise ValueError("It has no signature of PNG.")
        for _ in range(MAX_CHUNKS):
            length, kind = struct.unpack(">I4s", file.read(8))
            if kind == b"iTXt" and length <= MAX_TEXT + len(start):
                data = file.read(length)
                if data.startswith(start):
                    return data.removeprefix(start).decode("ascii")
            elif kind == b"IDAT":
                break
            else:
                file.seek(length, os.SEEK_CUR)
            file.seek(4, os.SEEK_CUR)  # checksum
    return None


def embed_pdf(content: bytes, text: bytes) -> bytes:
    """Append an update that gives the document XMP metadata, in a stream that is not compressed."""
    trailer = content[content.rindex(b"trailer") :]
    size, root, previous = (
        int(re.findall(rb"%s\s+(\d+)" % key, trailer)[0]) for key in (b"/Size", b"/Root", b"startxref")
    )
    entries = re.findall(rb"\b%d 0 obj\s*<<(.*?)>>\s*endobj" % root, content, re.DOTALL)[-1]
    catalog = b"%d 0 obj\n<<%s /Metadata %d 0 R >>\nendobj\n" % (root, entries, size)
    packet = XMP % escape(text.decode(), quote=False).encode()
    stream = b"%d 0 obj\n<< /Type /Metadata /Subtype /XML /Length %d >>\nstream\n%s\nendstream\nendobj\n"
    content += b"\n" + catalog
    update = stream % (size, len(packet), packet)
    table = (
        b"xref\n%d 1\n%010d 00000 n \n%d 1\n%010d 00000 n \n" % (root, len(content) - len(catalog), size, len(content))
        + re.sub(rb"/Size\s+\d+", b"/Size %d /Prev %d" % (size + 1, previous), trailer.partition(b"startxref")[0])
        + b"startxref\n%d\n%%%%EOF\n" % (len(content) + len(update))
    )
    return content + update + table


def extract_pdf(path: Path) -> str | None:
    """Return the text of the last XMP metadata that has it."""
    content = path.read_bytes()
    if not content.startswith(b"%PDF-"):
        raise ValueError("It has no header of PDF.")
    found = re.findall(rb"<vitviz:provenance>([^<]*)</vitviz:provenance>", content)
    return unescape(found[-1].decode("ascii")) if found else None


def embed_npz(content: bytes, text: bytes) -> bytes:
    """Add an array, the text as string of NumPy."""
    file = io.BytesIO(content)
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive, archive.open(f"{ARRAY}.npy", "w") as entry:
        np.lib.format.write_array(entry, np.array(text.decode()), allow_pickle=False)
    return file.getvalue()


def extract_npz(path: Path) -> str | None:
    """Return the text of the array; sizes are checked before memory is allocated."""
    check_end_record(path)
    with zipfile.ZipFile(path) as archive:
        if f"{ARRAY}.npy" not in archive.namelist():
            return None
        with archive.open(f"{ARRAY}.npy") as entry:
            array = io.BytesIO(entry.read(5 * MAX_TEXT))  # four bytes a character, and the header
    np.lib.format.read_magic(array)
    shape, _, dtype = np.lib.format.read_array_header_1_0(array)
    if shape != () or dtype.kind != "U":
        raise ValueError("The array is not a text.")
    return str(np.frombuffer(array.read(), dtype, 1)[0])


def embed_csv(content: bytes, text: bytes) -> bytes:
    """Add a first line, a comment."""
    return COMMENT.encode() + text + b"\n" + content


def extract_csv(path: Path) -> str | None:
    """Return the text of the first line."""
    with path.open("rb") as file:
        line = file.readline(len(COMMENT) + MAX_TEXT + 1).decode("ascii")
    return line.removeprefix(COMMENT).rstrip() if line.startswith(COMMENT) else None


def html_data(path: Path) -> dict[str, Any]:
    """Return the data in an HTML file of `vitviz.plots.document`, whose text contains no "<"; {} without any."""
    script = re.search(rb'<script type="application/json" id="%s">([^<]*)<' % DATA_ID.encode(), path.read_bytes())
    return dict(json.loads(script[1])) if script else {}


def extract_html(path: Path) -> str | None:
    """Return a field of the data in an HTML file."""
    found = html_data(path).get(ARRAY)
    return json.dumps(found) if found else None


EMBED: dict[str, Callable[[bytes, bytes], bytes]] = {
    ".svg": embed_svg,
    ".png": embed_png,
    ".jpg": embed_jpeg,
    ".jpeg": embed_jpeg,
    ".pdf": embed_pdf,
    ".npz": embed_npz,
    ".csv": embed_csv,
}
EXTRACT: dict[str, Callable[[Path], str | None]] = {
    ".svg": extract_svg,
    ".png": extract_png,
    ".jpg": extract_jpeg,
    ".jpeg": extract_jpeg,
    ".pdf": extract_pdf,
    ".npz": extract_npz,
    ".csv": extract_csv,
    ".html": extract_html,
}
