"""Checkpoint files: unusual but valid ones, and invalid ones."""

import gzip
import io
import json
import os
import pickle
import re
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
from vitviz.models.config import ViTConfig

NOT_SAFETENSORS = r"must be a complete \.safetensors file"
FORMAT = "The vitviz metadata must have format 2"
NO_METADATA = "must have vitviz metadata"
NOT_FINITE = "Every weight must be finite"
MARKUP = "<img src=x onerror=window.__pwned=1>"
HEAD = "head.weight"


class SafetensorsFile:
    """Header, metadata and data of a .safetensors file, to be modified and serialized again."""

    def __init__(self, content: bytes) -> None:
        length = int.from_bytes(content[:8], "little")
        self.header: dict[str, Any] = json.loads(content[8 : 8 + length])
        self.metadata: dict[str, Any] = json.loads(self.header.pop("__metadata__")["vitviz"])
        self.data = bytearray(content[8 + length :])

    def to_bytes(self, **metadata: Any) -> bytes:
        metadata = {"vitviz": json.dumps(self.metadata)} | metadata
        return serialize(json.dumps({"__metadata__": metadata, **self.header}), bytes(self.data))

    def set_first_element(self, name: str, number: float) -> None:
        start, _ = self.header[name]["data_offsets"]
        self.data[start : start + 4] = struct.pack("<f", number)


def serialize(header: str | bytes, data: bytes = b"") -> bytes:
    """Join header and data in the safetensors format."""
    header = header.encode() if isinstance(header, str) else header
    return struct.pack("<Q", len(header)) + header + data


def save(path: Path, config: ViTConfig = tiny.CONFIG, dtype: torch.dtype | None = None) -> bytes:
    """Save a tiny checkpoint and return its bytes."""
    model = tiny.checkpoint(config)
    if dtype is not None:
        model.network.to(dtype)
    checkpoint.save(model, path)
    return path.read_bytes()


def modify(content: bytes, change: Callable[[SafetensorsFile], Any]) -> bytes:
    """Apply a change to a file; if it returns bytes, they are the new file."""
    file = SafetensorsFile(content)
    result = change(file)
    return result if isinstance(result, bytes) else file.to_bytes()


def set_metadata(key: str, value: Any) -> Callable[[SafetensorsFile], None]:
    return lambda file: file.metadata.__setitem__(key, value)


def set_config(**changes: Any) -> Callable[[SafetensorsFile], None]:
    return lambda file: file.metadata["config"].update(changes)


def set_tensor_info(**changes: Any) -> Callable[[SafetensorsFile], None]:
    return lambda file: file.header[HEAD].update(changes)


def shift_offsets(header: dict[str, Any], by: int) -> dict[str, Any]:
    moved = {name: info | {"data_offsets": [k + by for k in info["data_offsets"]]} for name, info in header.items()}
    return {"__metadata__": {"vitviz": "{}"}, **moved}


def pickles(marker: Path) -> list[tuple[str, bytes]]:
    """Create files that run code when they are unpickled."""
    payload = Payload(marker)
    torch_zip, torch_legacy = io.BytesIO(), io.BytesIO()
    torch.save({"w": payload}, torch_zip)
    torch.save({"w": payload}, torch_legacy, _use_new_zipfile_serialization=False)
    array = io.BytesIO()
    np.save(array, np.array([payload], dtype=object), allow_pickle=True)
    return [
        *((f"pickle protocol {k}", pickle.dumps(payload, k)) for k in range(pickle.HIGHEST_PROTOCOL + 1)),
        ("torch.save", torch_zip.getvalue()),
        ("legacy torch.save", torch_legacy.getvalue()),
        (".npy object array", array.getvalue()),
    ]


def archives(content: bytes) -> list[tuple[str, bytes]]:
    """Pack a file into archives."""
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr(zipfile.ZipInfo("../PWNED"), content)
    with tarfile.open(fileobj=tarred, mode="w") as archive:
        info = tarfile.TarInfo("../PWNED")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return [("ZIP", zipped.getvalue()), ("tar", tarred.getvalue()), ("gzip", gzip.compress(content, mtime=0))]


# Name of a field, its rule, and values against the rule.
INVALID_FIELDS: list[tuple[str, str, list[Any]]] = [
    ("num_heads", "an integer from 1 to 256", [0, -2, 2.0, True, None]),
    ("patch_size", "an integer from 1 to 256", [0, 10**9, "4"]),
    ("depth", "an integer from 1 to 128", [-1, 0, 10**9, [6]]),
    ("embed_dim", "an integer from 1 to 8192", [10**9, 2**62]),
    ("num_classes", "an integer from 0 to 100000", [-1]),
    ("reg_tokens", "an integer from 0 to 64", [10**6, -1]),
    ("img_size", "2 values, each an integer from 1 to 4096", [[10**9, 10**9], "32", [32], ["a", "b"], [20, 28, 3]]),
    ("global_pool", "one of token, avg, token_avg, map", ["all", ["token"]]),
    ("qkv_bias", "true or false", ["yes"]),
    ("init_values", "a number above 0 and at most 1, or None", [-1, "0.1"]),
    ("drop_path_rate", "a number of at least 0 and below 1", [1]),
    ("pos_drop_rate", "a number of at least 0 and below 1", [2]),
    ("architecture", "one of vit, tutorial-notebook, tutorial-lightning, tutorial-scratch, tutorial-scratch-fixed", ["__class__", {}]),
]  # fmt: skip
# Name of a field, a valid value that fits neither the other fields nor the tensors, and the message.
INCONSISTENT_FIELDS: list[tuple[str, Any, str]] = [
    ("num_heads", 5, "config.num_heads must divide embed_dim: 18 is not a multiple of 5. Use 3 or 6."),
    ("patch_size", 3, "config.patch_size must divide img_size: 20 is not a multiple of 3. Use 1, 2 or 4."),
    ("depth", 128, "The tensors must be those of the model config: 'blocks.10.attn.proj.bias' is missing"),
    ("embed_dim", 8192, "cls_token must have shape [1, 1, 8192]: got [1, 1, 18]"),
    ("mlp_ratio", 64, "blocks.0.mlp.fc1.weight must have shape [1152, 18]: got [40, 18]"),
    ("num_classes", 100_000, "labels must be 100000 names, one per logit: got ['class 0', "),
    ("architecture", "tutorial-scratch", "config.patch_size must give strips that tile the rows of the image: strips of 16 pixels do not tile 28"),
]  # fmt: skip
INVALID_CHANGES: list[tuple[str, Callable[[SafetensorsFile], Any], str]] = [
    ("a duplicate key", lambda file: serialize(json.dumps(file.header).replace('"head.bias"', '"head.weight"'), bytes(file.data)), NOT_SAFETENSORS),
    ("overlapping offsets", set_tensor_info(data_offsets=[0, 100]), NOT_SAFETENSORS),
    ("a gap between offsets", lambda file: serialize(json.dumps(shift_offsets(file.header, 4)), bytes(4) + bytes(file.data)), NOT_SAFETENSORS),
    ("a negative offset", set_tensor_info(data_offsets=[-4, 0]), NOT_SAFETENSORS),
    ("an end before the start", set_tensor_info(data_offsets=[8, 4]), NOT_SAFETENSORS),
    ("float offsets", set_tensor_info(data_offsets=[0.0, 4.0]), NOT_SAFETENSORS),
    ("string offsets", set_tensor_info(data_offsets=["0", "4"]), NOT_SAFETENSORS),
    ("boolean offsets", set_tensor_info(data_offsets=[False, True]), NOT_SAFETENSORS),
    ("missing offsets", lambda file: file.header[HEAD].pop("data_offsets"), NOT_SAFETENSORS),
    ("an offset of 2^63", set_tensor_info(data_offsets=[0, 2**63]), NOT_SAFETENSORS),
    ("a tensor that is a list", lambda file: file.header.__setitem__(HEAD, []), NOT_SAFETENSORS),
    ("a tensor that is null", lambda file: file.header.__setitem__(HEAD, None), NOT_SAFETENSORS),
    ("a missing tensor", lambda file: file.header.__setitem__("training.x", file.header.pop(HEAD)), "'head.weight' is missing"),
    ("an extra tensor", lambda file: file.header.__setitem__(MARKUP, {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}), "is unexpected"),
    ("a transposed tensor", set_tensor_info(shape=[tiny.D, tiny.K]), "must have shape"),
    ("a shape of 2^62", set_tensor_info(shape=[2**62, 4]), NOT_SAFETENSORS),
    ("a negative shape", set_tensor_info(shape=[-11, -18]), NOT_SAFETENSORS),
    ("a string as shape", set_tensor_info(shape="[11, 18]"), NOT_SAFETENSORS),
    ("a nested shape", set_tensor_info(shape=[[11, 18]]), NOT_SAFETENSORS),
    *((f"dtype {kind}", set_tensor_info(dtype=kind), NOT_SAFETENSORS) for kind in ("F64", "I64", "I8", "BOOL", "F8_E4M3", "U16", "F16", "f32", "", None, 32)),
    ("a dtype that is a list", set_tensor_info(dtype=["F32"]), NOT_SAFETENSORS),
    ("dtype I32", set_tensor_info(dtype="I32"), "must have dtype"),
    ("NaN", lambda file: file.set_first_element(HEAD, float("nan")), f"{NOT_FINITE}: head.weight"),
    ("infinity", lambda file: file.set_first_element("cls_token", float("inf")), f"{NOT_FINITE}: cls_token"),
    ("negative infinity", lambda file: file.set_first_element("norm.bias", float("-inf")), f"{NOT_FINITE}: norm.bias"),
    ("no vitviz metadata", lambda file: serialize(json.dumps(file.header), bytes(file.data)), NO_METADATA),
    ("metadata that is a number", lambda file: file.to_bytes(vitviz=5), NOT_SAFETENSORS),
    ("metadata that is an object", lambda file: file.to_bytes(vitviz={}), NOT_SAFETENSORS),
    ("other metadata that is a number", lambda file: file.to_bytes(other=5), NOT_SAFETENSORS),
    ("metadata that is invalid JSON", lambda file: file.to_bytes(vitviz="{"), FORMAT),
    ("metadata that is a list", lambda file: file.to_bytes(vitviz="[]"), FORMAT),
    ("metadata with NaN", lambda file: file.to_bytes(vitviz='{"format": NaN}'), FORMAT),
    ("metadata with a duplicate key", lambda file: file.to_bytes(vitviz='{"format": 2, "format": 2}'), FORMAT),
    ("metadata nested 100,000 deep", lambda file: file.to_bytes(vitviz="[" * 100_000), FORMAT),
    ("metadata with a number of 60,000 digits", lambda file: file.to_bytes(vitviz='{"format": ' + "9" * 60_000 + "}"), FORMAT),
    ("a header nested 100,000 deep", lambda file: serialize('{"a":' * 100_000), NOT_SAFETENSORS),
    ("a header with a number of 60,000 digits", lambda file: serialize('{"a": ' + "9" * 60_000 + "}"), NOT_SAFETENSORS),
    ("a header that is a list", lambda file: serialize("[]", bytes(file.data)), NOT_SAFETENSORS),
    ("a header in UTF-16", lambda file: serialize("{}".encode("utf-16")), NOT_SAFETENSORS),
    ("a header that is not valid UTF-8", lambda file: serialize(b'{"\xff": 1}'), NOT_SAFETENSORS),
    ("a header above 1 MiB", lambda file: serialize(json.dumps(file.header).ljust(2**20 + 1), bytes(file.data)), NOT_SAFETENSORS),
    ("15,000 empty tensors, in a header just below 1 MiB", lambda file: serialize(json.dumps({f"t{k}": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for k in range(15_000)})), NO_METADATA),
    *((f"format {number!r}", set_metadata("format", number), FORMAT) for number in (0, 1, 3, "2", None, [2], 1e300)),
    *(
        (f"{key} {value!r}"[:60], set_config(**{key: value}), rf"^config\.{key} must be {re.escape(f'{rule}: got {value!r:.80}.')}$")
        for key, rule, values in INVALID_FIELDS
        for value in values
    ),
    *(
        (f"{key} {value!r}", set_config(**{key: value}), f"^{re.escape(message)}")
        for key, value, message in INCONSISTENT_FIELDS
    ),
    ("a config with an unknown field", set_config(__class__=1), "config.__class__ is not a field of ViTConfig"),
    ("a config that is a list", set_metadata("config", []), "config must be an object of fields"),
    ("a missing config", lambda file: file.metadata.pop("config"), "config must be an object of fields"),
    ("too few labels", set_metadata("labels", ["a"]), "labels must be 11 names"),
    ("labels that are numbers", set_metadata("labels", list(range(11))), "labels must be 11 names"),
    ("labels that are a string", set_metadata("labels", "abcdefghijk"), "labels must be 11 names"),
    *((f"mean {value!r}", set_metadata("mean", value), "mean must be three numbers") for value in (None, [0, 0], [0, 0, 2], ["a"] * 3, [True] * 3, "abc")),
    ("std of 0", set_metadata("std", [0, 0.2, 0.2]), "std must be at least"),
    ("std of 10^-300", set_metadata("std", [1e-300, 0.2, 0.2]), "std must be at least"),
    ("a record that is a list", set_metadata("record", [1]), "record must be an object"),
]  # fmt: skip


def valid_files(content: bytes) -> list[tuple[str, bytes]]:
    """Create valid but unusual checkpoints."""
    labels = [f"{MARKUP}{k}" for k in range(tiny.K)]
    return [
        ("an unmodified file", content),
        ("markup in labels", modify(content, set_metadata("labels", labels))),
        ("a template literal in labels", modify(content, set_metadata("labels", ["${window.__pwned=1}"] * tiny.K))),
        ("markup in the record", modify(content, set_metadata("record", {"preset": MARKUP, MARKUP: MARKUP}))),
        ("markup in other metadata", modify(content, lambda file: file.to_bytes(title=MARKUP))),
        ("a record nested 50 deep", modify(content, set_metadata("record", nested_dict(50)))),
        ("an older config", modify(content, lambda file: file.metadata["config"].pop("architecture"))),
    ]


def nested_dict(depth: int) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for _ in range(depth):
        result = {"a": result}
    return result


def write_sparse_file(path: Path, size: int) -> None:
    path.touch()
    os.truncate(path, size)


def write_long_header(path: Path, content: bytes) -> None:
    """Write a sparse 200 MiB file whose length prefix declares a 128 MiB header."""
    path.write_bytes(struct.pack("<Q", 2**27) + content)
    os.truncate(path, 200 * 2**20)


def entries(folder: Path) -> list[Entry]:
    """Return the entries for `checkpoint.load`; live ones create `folder`/PWNED if they are run."""
    content = save(folder / "whole.safetensors")
    half_precision = [(kind, save(folder / "half.safetensors", dtype=kind)) for kind in (torch.float16, torch.bfloat16)]
    truncated = [
        (f"truncated to {100 * fraction:g} %", content[: int(len(content) * fraction)])
        for fraction in (0.0001, 0.01, 0.1, 0.5, 0.99)
    ]
    lengths = [0, 1, 2, 2**20 + 1, 2**27, 2**31, 2**32, 2**63, 2**64 - 1]
    not_safetensors = [
        *archives(content),
        *truncated,
        ("empty", b""),
        ("8 bytes", bytes(8)),
        ("one trailing byte", content + b"\0"),
        ("last byte missing", content[:-1]),
        ("text", b"These are not weights. " * 20),
        ("HTML", f"<html>{MARKUP}</html>".encode()),
        ("an image", (Path(__file__).parents[2] / "vitviz/data/samples/cat.png").read_bytes()),
        *((f"header length {length}", struct.pack("<Q", length) + content[8:]) for length in lengths),
    ]
    without_metadata = safetensors.torch.save({"w": torch.zeros(4)})
    make = partial(Entry, "checkpoint", file="invalid.safetensors")
    return [
        *(make(name, data, None) for name, data in valid_files(content)),
        *(make(f"in {kind}", data, None) for kind, data in half_precision),
        *(make(name, data, NOT_SAFETENSORS) for name, data in not_safetensors),
        *(
            make(name, data, f"{NOT_SAFETENSORS}.* can run code when opened: convert", live=True)
            for name, data in pickles(folder / "PWNED")
        ),
        *(make(name, modify(content, change), error) for name, change, error in INVALID_CHANGES),
        make("weights without metadata", without_metadata, NO_METADATA),
        make("257 MiB", partial(write_sparse_file, size=257 * 2**20), NOT_SAFETENSORS),
        make("1 TiB", partial(write_sparse_file, size=2**40), "must fit into memory"),
        make("a header of 128 MiB", partial(write_long_header, content=content), NOT_SAFETENSORS, big=True),
        make("a folder", Path.mkdir, "not found"),
        make("a FIFO", os.mkfifo, "not found"),
        make("a symlink to /dev/zero", lambda path: path.symlink_to("/dev/zero"), "not found"),
        make("a broken symlink", lambda path: path.symlink_to("nothing"), "not found"),
    ]
