"""Damaged run folders: a run and a sweep, of which one file is replaced by another, the same for a seed."""

import io
import json
import os
import random
import re
import shutil
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

FILES = ("config.json", "process.json", "metrics.jsonl", "timeline.npz", "last.safetensors", "log.txt")
SWEEP_FILES = ("sweep.json", "results.jsonl", "process.json")
VALUES = (
    *(None, True, -5, 2**63, 10**30, 10**400, -1e-300, 1e308, float("nan"), float("inf"), [], {}, "", "x", "\ud800", "\0"),
    *("../../outside", "<img src=x onerror=alert(1)>", "=cmd|' /C calc'!A0", "9" * 4500, ["x"] * 3, {"a": {"b": 1}}, 0.5),
)  # fmt: skip
TEXTS = (
    *(b"", b"\xff\xfe", b"{", b"[]", b"null", b'""', b"[" * 100_000, b'{"a":' * 50_000, b"," * 100_000, b"9" * 5000),
    *(b'{"seed":' + b"9" * 5000 + b"}", b'{"a": "\\ud800"}\n', b"\n" * 1000, bytes(4096), b"x" * 2**20),
)
SPARSE_BYTES = 2**31

Damage = Callable[[Path, random.Random], None]


def not_a_file(path: Path, draw: random.Random) -> None:
    """Put something in place of a file; links lead to a file next to the runs folder."""
    outside = path.parents[2] / "outside"
    path.unlink(missing_ok=True)
    kinds = (
        lambda: os.mkfifo(path), path.mkdir, lambda: path.symlink_to(outside), lambda: path.symlink_to("/dev/zero"),
        lambda: path.symlink_to(path), lambda: path.symlink_to("nothing"), lambda: os.link(outside, path),
    )  # fmt: skip
    draw.choice(kinds)()


def sparse(path: Path, draw: random.Random) -> None:
    """Make a file of 2 GiB that takes no space."""
    if draw.random() < 0.5:
        path.write_bytes(b"")
    path.touch()
    os.truncate(path, SPARSE_BYTES)


def other_text(path: Path, draw: random.Random) -> None:
    """Replace the content."""
    path.write_bytes(draw.choice(TEXTS))


def truncated(path: Path, draw: random.Random) -> None:
    """Cut the content off."""
    path.touch()
    os.truncate(path, draw.randrange(path.stat().st_size + 1))


def missing(path: Path, draw: random.Random) -> None:
    """Delete the file."""
    path.unlink(missing_ok=True)


def flipped(path: Path, draw: random.Random) -> None:
    """Change bytes."""
    content = bytearray(path.read_bytes() if path.exists() else b"x")
    for _ in range(draw.choice((1, 20, 500))):
        content[draw.randrange(len(content))] = draw.randrange(256)
    path.write_bytes(content)


def other_value(path: Path, draw: random.Random) -> None:
    """Replace a value of the JSON, that of the header of a checkpoint, or an array of a timeline."""
    if path.suffix == ".npz":
        return other_array(path, draw)
    content = path.read_bytes() if path.exists() else b"{}"
    if path.suffix != ".safetensors":
        first, *rest = content.decode().splitlines() if path.suffix == ".jsonl" else [content.decode()]
        changed = "\n".join([*rest, replaced(first, draw), ""])
        path.write_bytes(changed.encode())
        return None
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + size])
    if draw.random() < 0.3:
        del header[draw.choice([name for name in header if name != "__metadata__"])]
    elif draw.random() < 0.2:
        tensor = header[draw.choice([name for name in header if name != "__metadata__"])]
        tensor.update(draw.choice(({"dtype": "I64"}, {"shape": [10**13]}, {"data_offsets": [0, 2**40]})))
    else:
        metadata = json.loads(header["__metadata__"]["vitviz"])
        part = metadata["record"] if draw.random() < 0.7 else metadata
        part = part["training"] if part.get("training") and draw.random() < 0.7 else part
        part[draw.choice([*part])] = draw.choice(VALUES)
        header["__metadata__"]["vitviz"] = json.dumps(metadata)
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + content[8 + size :])
    return None


def replaced(text: str, draw: random.Random) -> str:
    """Return the text of a JSON object with another value."""
    values = json.loads(text or "{}")
    parts = [values, *(value for value in values.values() if isinstance(value, dict))]
    part = draw.choice(parts)
    part[draw.choice([*part, "unknown"])] = draw.choice(VALUES)
    return json.dumps(values)


def other_array(path: Path, draw: random.Random) -> None:
    """Replace an array by a large, wrong or compressed one, or the archive by one of many members."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    name, kind = draw.choice([*arrays]), draw.randrange(7)
    if kind == 0:
        arrays[name] = np.zeros((0,) * arrays[name].ndim, arrays[name].dtype)
    elif kind == 1:
        arrays[name] = np.array(["\ud800", "=x", "<b>"])
    elif kind == 2:
        arrays[name] = np.full(arrays[name].shape, np.nan)
    elif kind == 3:
        arrays[name] = np.array([{"a": 1}], object)
    if kind < 4:
        return np.savez(path, **arrays)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for other, values in arrays.items():
            buffer = io.BytesIO()
            np.save(buffer, values)
            content = buffer.getvalue()
            if other == name and kind == 4:  # a header that promises more
                content = re.sub(rb"'shape': \([^)]*\)", b"'shape': (%d,)" % 10**13, content)
            if other == name and kind == 5:  # deflated zeros
                header = io.BytesIO()
                np.lib.format.write_array_header_1_0(
                    header, {"descr": "<f4", "fortran_order": False, "shape": (2**28,)}
                )
                with archive.open(f"{other}.npy", "w", force_zip64=True) as member:
                    member.write(header.getvalue())
                    for _ in range(2**6):
                        member.write(bytes(2**22))
                continue
            archive.writestr(f"{other}.npy", content)
        if kind == 6:
            for number in range(20_000):
                archive.writestr(f"{number}.npy", b"")
    return None


def many_commas(path: Path, draw: random.Random) -> None:
    """Give the grid of a sweep a value of commas or brackets."""
    values = {"config": {}, "vary": ["model.depth=" + draw.choice((",", "[", "[,", "2,")) * 50_000]}
    path.write_text(json.dumps(values))


DAMAGES: tuple[Damage, ...] = (
    *(not_a_file, not_a_file, sparse, other_text, truncated, missing, flipped, other_value, other_value, other_value),
)


def damage(root: Path, run: Path, sweep: Path, seed: int) -> Path:
    """Copy a run or a sweep to `root`, damage one or two of its files, and return its folder."""
    draw = random.Random(seed)
    source, files = (run, FILES) if seed % 5 else (sweep, SWEEP_FILES)
    folder = root / f"damaged{seed}"
    shutil.copytree(source, folder)
    for file in draw.sample(files, 1 if draw.random() < 0.8 else 2):
        change = draw.choice((*DAMAGES, many_commas, many_commas) if file == "sweep.json" else DAMAGES)
        change(folder / file, draw)
    return folder
