"""Checkpoints that are odd but fine, and what pretends to be one."""

import gzip
import io
import json
import os
import pickle
import struct
import tarfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch

from tests import tiny
from tests.hostile.entries import Entry
from tests.hostile.payloads import Payload
from vitviz.models import checkpoint

FOREIGN = r"must be a whole \.safetensors file"
FORMAT = "The vitviz metadata must be of format"
SCRIPT = "<img src=x onerror=window.__pwned=1>"
HEAD = "head.weight"


class Parts:
    """A .safetensors file taken apart: its tensor table, our metadata and its bytes, to be damaged and joined again."""

    def __init__(self, content: bytes) -> None:
        length = int.from_bytes(content[:8], "little")
        self.table: dict[str, Any] = json.loads(content[8 : 8 + length])
        self.about: dict[str, Any] = json.loads(self.table.pop("__metadata__")["vitviz"])
        self.data = bytearray(content[8 + length :])

    def joined(self, **metadata: Any) -> bytes:
        about = {"vitviz": json.dumps(self.about)} | metadata
        return framed(json.dumps({"__metadata__": about, **self.table}), bytes(self.data))

    def put(self, name: str, number: float) -> None:
        start, _ = self.table[name]["data_offsets"]
        self.data[start : start + 4] = struct.pack("<f", number)


def framed(header: str | bytes, data: bytes = b"") -> bytes:
    """Header and data as safetensors joins them."""
    header = header.encode() if isinstance(header, str) else header
    return struct.pack("<Q", len(header)) + header + data


def saved(path: Path, config: Any = tiny.CONFIG, dtype: torch.dtype | None = None) -> bytes:
    """A checkpoint of ours, as bytes."""
    one = tiny.checkpoint(config)
    if dtype is not None:
        one.model.to(dtype)
    checkpoint.save(one, path)
    return path.read_bytes()


def altered(whole: bytes, change: Callable[[Parts], Any]) -> bytes:
    """The file with something changed; what the change returns, if anything, is the file."""
    parts = Parts(whole)
    made = change(parts)
    return made if isinstance(made, bytes) else parts.joined()


def set_about(key: str, value: Any) -> Callable[[Parts], None]:
    return lambda parts: parts.about.__setitem__(key, value)


def set_config(**changes: Any) -> Callable[[Parts], None]:
    return lambda parts: parts.about["config"].update(changes)


def set_entry(**changes: Any) -> Callable[[Parts], None]:
    return lambda parts: parts.table[HEAD].update(changes)


def live(marker: Path) -> list[tuple[str, bytes]]:
    """Files that run code where they are unpickled."""
    payload = Payload(marker)
    torch_zip, torch_old = io.BytesIO(), io.BytesIO()
    torch.save({"w": payload}, torch_zip)
    torch.save({"w": payload}, torch_old, _use_new_zipfile_serialization=False)
    array = io.BytesIO()
    np.save(array, np.array([payload], dtype=object), allow_pickle=True)
    return [
        *((f"pickle of protocol {k}", pickle.dumps(payload, k)) for k in range(pickle.HIGHEST_PROTOCOL + 1)),
        ("torch.save", torch_zip.getvalue()),
        ("old torch.save", torch_old.getvalue()),
        ("npy of objects", array.getvalue()),
    ]


def archives(content: bytes) -> list[tuple[str, bytes]]:
    """A file in other files."""
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr(zipfile.ZipInfo("../PWNED"), content)
    with tarfile.open(fileobj=tarred, mode="w") as archive:
        info = tarfile.TarInfo("../PWNED")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return [("ZIP", zipped.getvalue()), ("tar", tarred.getvalue()), ("gzip", gzip.compress(content, mtime=0))]


CHANGES: list[tuple[str, Callable[[Parts], Any], str]] = [
    ("a key twice", lambda p: p.joined().replace(b'"head.bias"', b'"head.weight"', 1), FOREIGN),
    ("overlapping places", set_entry(data_offsets=[0, 100]), FOREIGN),
    ("a place before the beginning", set_entry(data_offsets=[-4, 0]), FOREIGN),
    ("a place that ends before it begins", set_entry(data_offsets=[8, 4]), FOREIGN),
    ("a place of fractions", set_entry(data_offsets=[0.0, 4.0]), FOREIGN),
    ("a place of words", set_entry(data_offsets=["0", "4"]), FOREIGN),
    ("a place of truths", set_entry(data_offsets=[False, True]), FOREIGN),
    ("no place", lambda p: p.table[HEAD].pop("data_offsets"), FOREIGN),
    ("a place of 2^63", set_entry(data_offsets=[0, 2**63]), FOREIGN),
    ("a tensor that is a list", lambda p: p.table.__setitem__(HEAD, []), FOREIGN),
    ("a tensor that is null", lambda p: p.table.__setitem__(HEAD, None), FOREIGN),
    ("a missing tensor", lambda p: p.table.__setitem__("training.x", p.table.pop(HEAD)), "lacks 'head.weight'"),
    ("an extra tensor", lambda p: p.table.__setitem__(SCRIPT, {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}), "unasked"),
    ("a transposed tensor", set_entry(shape=[tiny.D, tiny.K]), "must have shape"),
    ("a shape of 2^62", set_entry(shape=[2**62, 4]), "must have shape"),
    ("a negative shape", set_entry(shape=[-11, -18]), "must have shape"),
    ("a shape of words", set_entry(shape="[11, 18]"), "must have shape"),
    ("a nested shape", set_entry(shape=[[11, 18]]), "must have shape"),
    *((f"type {kind}", set_entry(dtype=kind), "must be of type|must fill") for kind in ("F64", "I64", "I8", "BOOL", "F8_E4M3", "U16", "F16", "f32", "", None, 32)),
    ("a type that is a list", set_entry(dtype=["F32"]), "must be of type"),
    ("not a number", lambda p: p.put(HEAD, float("nan")), "Every weight must be a finite number: head.weight"),
    ("infinity", lambda p: p.put("cls_token", float("inf")), "Every weight must be a finite number: cls_token"),
    ("minus infinity", lambda p: p.put("norm.bias", float("-inf")), "Every weight must be a finite number: norm.bias"),
    ("no vitviz metadata", lambda p: framed(json.dumps(p.table), bytes(p.data)), "was not written by vitviz"),
    ("metadata that is a number", lambda p: p.joined(vitviz=5), "was not written by vitviz"),
    ("metadata that is a table", lambda p: p.joined(vitviz={}), "was not written by vitviz"),
    ("other metadata that is a number", lambda p: p.joined(other=5), FOREIGN),
    ("metadata that is no JSON", lambda p: p.joined(vitviz="{"), FORMAT),
    ("metadata that is a list", lambda p: p.joined(vitviz="[]"), FORMAT),
    ("metadata with NaN", lambda p: p.joined(vitviz='{"format": NaN}'), FORMAT),
    ("metadata with a key twice", lambda p: p.joined(vitviz='{"format": 1, "format": 1}'), FORMAT),
    ("metadata nested 100,000 deep", lambda p: p.joined(vitviz="[" * 100_000), FORMAT),
    ("metadata with a number of 60,000 digits", lambda p: p.joined(vitviz='{"format": ' + "9" * 60_000 + "}"), FORMAT),
    ("a header nested 100,000 deep", lambda p: framed('{"a":' * 100_000), FOREIGN),
    ("a header with a number of 60,000 digits", lambda p: framed('{"a": ' + "9" * 60_000 + "}"), FOREIGN),
    ("a header that is a list", lambda p: framed("[]", bytes(p.data)), FOREIGN),
    ("a header in UTF-16", lambda p: framed("{}".encode("utf-16")), FOREIGN),
    ("a header that is no UTF-8", lambda p: framed(b'{"\xff": 1}'), FOREIGN),
    ("a header above 1 MiB", lambda p: framed(json.dumps(p.table).ljust(2**20 + 1), bytes(p.data)), FOREIGN),
    ("20,000 empty tensors", lambda p: framed(json.dumps({f"t{k}": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for k in range(15_000)})), "was not written by vitviz"),
    *((f"format {number!r}", set_about("format", number), FORMAT) for number in (0, 2, "1", None, [1], 1e300)),
    *((f"{key} {value!r}"[:60], set_config(**{key: value}), "The model's config does not fit|must have shape|lacks|unasked") for key, value in [
        ("num_heads", 5), ("num_heads", 0), ("num_heads", -2), ("num_heads", 2.0), ("num_heads", True), ("num_heads", None),
        ("patch_size", 3), ("patch_size", 0), ("patch_size", 10**9), ("patch_size", "4"),
        ("depth", -1), ("depth", 0), ("depth", 10**9), ("depth", 128), ("depth", [6]),
        ("embed_dim", 10**9), ("embed_dim", 8192), ("embed_dim", 10**400), ("mlp_ratio", 64), ("num_classes", 1), ("num_classes", 100_000),
        ("reg_tokens", 10**6), ("reg_tokens", -1), ("img_size", [10**9, 10**9]), ("img_size", 32), ("img_size", [32]),
        ("img_size", ["a", "b"]), ("img_size", [20, 28, 3]), ("global_pool", "all"), ("global_pool", ["token"]), ("qkv_bias", "yes"),
        ("init_values", -1), ("init_values", "0.1"), ("drop_path_rate", 1), ("pos_drop_rate", 2), ("architecture", "__class__"),
        ("architecture", {}), ("architecture", "tutorial-scratch"),
    ]),
    ("a config with an unknown name", set_config(__class__=1), "may only name"),
    ("a config that is a list", set_about("config", []), "may only name"),
    ("no config", lambda p: p.about.pop("config"), "may only name"),
    ("too few classes", set_about("labels", ["a"]), "must name 11 classes"),
    ("classes that are numbers", set_about("labels", list(range(11))), "must name 11 classes"),
    ("classes that are a word", set_about("labels", "abcdefghijk"), "must name 11 classes"),
    *((f"mean {value!r}", set_about("mean", value), "mean must be three numbers") for value in (None, [0, 0], [0, 0, 2], ["a"] * 3, [True] * 3, "abc")),
    ("std of 0", set_about("std", [0, 0.2, 0.2]), "std must be above"),
    ("std of 10^-300", set_about("std", [1e-300, 0.2, 0.2]), "std must be above"),
    ("a record that is a list", set_about("record", [1]), "The training record must be a table"),
]  # fmt: skip


def fine(whole: bytes) -> list[tuple[str, bytes]]:
    """Checkpoints that must be accepted."""
    script = [f"{SCRIPT}{k}" for k in range(tiny.K)]
    return [
        ("ours", whole),
        ("markup in class names", altered(whole, set_about("labels", script))),
        ("script in class names", altered(whole, set_about("labels", ["${window.__pwned=1}"] * tiny.K))),
        ("markup in the record", altered(whole, set_about("record", {"preset": SCRIPT, SCRIPT: SCRIPT}))),
        ("markup in other metadata", altered(whole, lambda parts: parts.joined(title=SCRIPT))),
        ("a record nested 50 deep", altered(whole, set_about("record", nested(50)))),
        ("an older config", altered(whole, lambda parts: parts.about["config"].pop("architecture"))),
    ]


def nested(depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _ in range(depth):
        found = {"a": found}
    return found


def empty_gigabyte(path: Path, size: int) -> None:
    path.touch()
    os.truncate(path, size)


def long_header(path: Path, whole: bytes) -> None:
    """A file of 200 MiB whose header says that it is nearly all header."""
    path.write_bytes(struct.pack("<Q", 2**27) + whole)
    os.truncate(path, 200 * 2**20)


def entries(folder: Path) -> list[Entry]:
    """The part of the corpus that is meant for the gate for checkpoints; live ones make `folder`/PWNED."""
    whole = saved(folder / "whole.safetensors")
    halves = [(kind, saved(folder / "half.safetensors", dtype=kind)) for kind in (torch.float16, torch.bfloat16)]
    cut = [(f"cut at {share}", whole[: int(len(whole) * share)]) for share in (0.0001, 0.01, 0.1, 0.5, 0.99)]
    lengths = [0, 1, 2, 2**20 + 1, 2**27, 2**31, 2**32, 2**63, 2**64 - 1]
    foreign = [
        *archives(whole),
        *cut,
        ("empty", b""),
        ("8 bytes", bytes(8)),
        ("one byte more", whole + b"\0"),
        ("one byte less", whole[:-1]),
        ("words", b"These are no weights. " * 20),
        ("HTML", f"<html>{SCRIPT}</html>".encode()),
        ("an image", (Path(__file__).parents[2] / "vitviz/data/samples/cat.png").read_bytes()),
        *((f"header length {length}", struct.pack("<Q", length) + whole[8:]) for length in lengths),
    ]
    bare = safetensors.torch.save({"w": torch.zeros(4)})
    make = partial(Entry, "checkpoint", file="strange.safetensors")
    return [
        *(make(name, content, None) for name, content in fine(whole)),
        *(make(f"in {kind}", content, None) for kind, content in halves),
        *(make(name, content, FOREIGN) for name, content in foreign),
        *(make(name, content, FOREIGN, live=True) for name, content in live(folder / "PWNED")),
        *(make(name, altered(whole, change), refused) for name, change, refused in CHANGES),
        make("weights of somebody else", bare, "was not written by vitviz"),
        make("257 MiB", partial(empty_gigabyte, size=257 * 2**20), "at most 256 MiB: this one has 257"),
        make("a tebibyte", partial(empty_gigabyte, size=2**40), "at most 256 MiB"),
        make("a header of 128 MiB", partial(long_header, whole=whole), FOREIGN, big=True),
        make("a folder", Path.mkdir, "There is no checkpoint"),
        make("a pipe", os.mkfifo, "There is no checkpoint"),
        make("a link to /dev/zero", lambda path: path.symlink_to("/dev/zero"), "There is no checkpoint"),
        make("a link to nothing", lambda path: path.symlink_to("nothing"), "There is no checkpoint"),
    ]
