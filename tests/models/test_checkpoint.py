"""The checkpoint file: what goes in comes out, and everything else is refused with a sentence before it can do harm."""

import hashlib
import json
import os
import pickle
import struct
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests import tiny
from vitviz.data import files
from vitviz.models import checkpoint
from vitviz.models.checkpoint import CheckpointError, load, save, bundled_checkpoints

FOREIGN = r"A checkpoint must be a whole \.safetensors file"
HEAD = "head.weight"


class Parts:
    """A .safetensors file taken apart: its tensor table, our metadata and its bytes, to be damaged and joined again."""

    def __init__(self, content: bytes) -> None:
        length = int.from_bytes(content[:8], "little")
        self.table = json.loads(content[8 : 8 + length])
        self.about = json.loads(self.table.pop("__metadata__")["vitviz"])
        self.data = bytearray(content[8 + length :])

    def joined(self, **metadata) -> bytes:
        about = {"vitviz": json.dumps(self.about)} | metadata
        return framed(json.dumps({"__metadata__": about, **self.table}), bytes(self.data))

    def numbers(self, name: str) -> np.ndarray:
        start, stop = self.table[name]["data_offsets"]
        return np.frombuffer(self.data, "<f4", (stop - start) // 4, start)


def framed(header: str | bytes, data: bytes = b"") -> bytes:
    """Header and data as safetensors joins them."""
    header = header.encode() if isinstance(header, str) else header
    return struct.pack("<Q", len(header)) + header + data


@pytest.fixture
def parts(tiny_file) -> Parts:
    return Parts(tiny_file.read_bytes())


@pytest.fixture
def refused(tmp_path):
    """Demand that a file of these bytes is refused with this sentence."""

    def check(content: bytes, sentence: str) -> None:
        path = tmp_path / "strange.safetensors"
        path.write_bytes(content)
        with pytest.raises(CheckpointError, match=sentence):
            load(path)

    return check


# What is written


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"labels": ("a", "b")}, "A checkpoint with 11 logits must name 11 classes"),
        ({"std": (58.0, 57.0, 57.0)}, "std must be three numbers from 0 to 1"),
        ({"mean": (-0.1, 0.0, 0.0)}, "mean must be three numbers from 0 to 1"),
    ],
)
def test_what_could_not_be_loaded_is_not_saved(tmp_path, changes, sentence):
    with pytest.raises(CheckpointError, match=sentence):
        save(replace(tiny.checkpoint(), **changes), tmp_path / "x.safetensors")
    assert not list(tmp_path.iterdir())


def test_weights_in_double_precision_and_means_of_any_kind_are_saved(tmp_path):
    before = replace(
        tiny.checkpoint(), mean=torch.tensor([0.5, 0.25, 0.125]), num_classes=[f"class {k}" for k in range(11)]
    )
    before.model.double()
    save(before, tmp_path / "x.safetensors")
    after = load(tmp_path / "x.safetensors")
    assert after.mean == (0.5, 0.25, 0.125)
    assert after.model.head.weight.dtype == torch.float32


# What is accepted


@pytest.mark.parametrize("name", tiny.VARIANTS)
def test_what_is_saved_comes_back(tmp_path, name):
    before = tiny.checkpoint(tiny.VARIANTS[name])
    save(before, tmp_path / "some model.safetensors")
    after = load(tmp_path / "some model.safetensors")
    assert after.name == "some model"
    assert after.model.config == before.model.config
    assert (after.classes, after.mean, after.std, after.record) == (
        before.classes,
        before.mean,
        before.std,
        before.record,
    )
    assert torch.equal(after.model(tiny.images()), before.model(tiny.images()))
    assert not after.model.training
    assert all(parameter.requires_grad and not parameter.is_meta for parameter in after.model.parameters())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_read_as_single_precision(tmp_path, tiny_checkpoint, dtype):
    expected = {name: weight.to(dtype).float() for name, weight in tiny_checkpoint.network.state_dict().items()}
    tiny_checkpoint.network.to(dtype)
    save(tiny_checkpoint, tmp_path / "half.safetensors")
    found = load(tmp_path / "half.safetensors").network.state_dict()
    assert all(weight.dtype == torch.float32 for weight in found.values())
    assert all(torch.equal(found[name], expected[name]) for name in expected)


def test_a_name_or_a_class_may_hold_markup(parts, tmp_path):
    parts.about["labels"][0] = "<script>alert(1)</script>"
    (tmp_path / "a.safetensors").write_bytes(parts.joined())
    assert load(tmp_path / "a.safetensors").labels[0] == "<script>alert(1)</script>"


def test_what_ships_is_found_by_name():
    for name, path in bundled_checkpoints().items():
        assert load(name).name == path.stem == name


def test_what_ships_is_in_the_order_of_its_names(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "CHECKPOINTS", tmp_path)
    for name in ("b", "a-c", "a"):
        (tmp_path / f"{name}.safetensors").touch()
    assert list(bundled_checkpoints()) == ["a", "a-c", "b"], "though '-' comes before '.'"


def test_what_ships_is_what_its_sums_say():
    listed = dict(line.split("  ")[::-1] for line in (checkpoint.CHECKPOINTS / "SHA256SUMS").read_text().splitlines())
    assert listed.keys() == {
        path.name for path in checkpoint.CHECKPOINTS.iterdir() if path.suffix in (".safetensors", ".npz")
    }
    for name, found in listed.items():
        assert hashlib.sha256((checkpoint.CHECKPOINTS / name).read_bytes()).hexdigest() == found


def test_a_file_under_a_shipped_name_that_is_another_is_refused(tiny_checkpoint, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "CHECKPOINTS", tmp_path)
    for name in ("bundled_checkpoints", "own"):
        checkpoint.save(tiny_checkpoint, tmp_path / f"{name}.safetensors")
    (tmp_path / "SHA256SUMS").write_text(f"{'0' * 64}  bundled_checkpoints.safetensors\n")
    with pytest.raises(CheckpointError, match=r"the SHA-256 of bundled_checkpoints\.safetensors is not the one in SHA256SUMS"):
        checkpoint.load("bundled_checkpoints")
    checkpoint.load("own")


def test_normalise_by_hand(tiny_checkpoint):
    images = torch.tensor([0, 51, 255], dtype=torch.uint8).view(1, 3, 1, 1)
    found = tiny_checkpoint.normalize(images).flatten().tolist()
    assert found == pytest.approx([(0 - 0.5) / 0.2, (0.2 - 0.4) / 0.25, (1 - 0.3) / 0.3])


# Not there, or not a file


@pytest.mark.parametrize("name", ["nonsense", "../nonsense", "no\0name", "x" * 5000, "."])
def test_a_name_that_is_no_checkpoint_is_refused(name):
    with pytest.raises(CheckpointError, match=r"There is no checkpoint '.*' *.*Name one that ships \("):
        load(name)


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path):
    os.mkfifo(tmp_path / "pipe.safetensors")
    with pytest.raises(CheckpointError, match="There is no checkpoint"):
        load(tmp_path / "pipe.safetensors")


def test_a_file_above_256_mib_is_refused_unread(tmp_path, monkeypatch):
    path = tmp_path / "big.safetensors"
    path.touch()
    os.truncate(path, 257 * 2**20)
    monkeypatch.setattr("pathlib.Path.read_bytes", lambda self: pytest.fail("it was read"))
    with pytest.raises(CheckpointError, match="A checkpoint may have at most 256 MiB: this one has 257"):
        load(path)


# Not safetensors


class Payload:
    """Runs code when it is unpickled."""

    def __init__(self, target) -> None:
        self.target = target

    def __reduce__(self):
        return os.mkdir, (str(self.target),)


def test_the_payload_does_run_where_files_are_unpickled(tmp_path):
    pickle.loads(pickle.dumps(Payload(tmp_path / "fired")))
    assert (tmp_path / "fired").is_dir()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_is_refused_and_never_run(tmp_path, refused, protocol):
    refused(
        pickle.dumps(Payload(tmp_path / "fired"), protocol), FOREIGN + ".* can run code when opened and are never read"
    )
    assert not (tmp_path / "fired").exists()


def test_a_file_of_torch_save_is_refused(tmp_path, refused, tiny_model):
    torch.save(tiny_model.state_dict(), tmp_path / "weights.pt")
    refused((tmp_path / "weights.pt").read_bytes(), FOREIGN)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 9,
        b"<!doctype html><script>alert(1)</script>",
        framed("[]"),
        framed("{"),
        framed("not json"),
        framed(b"\xff\xfe{}"),
        framed("[" * 100_000),
        framed('{"a": NaN}'),
        framed('{"a": ' + "9" * 60_000 + "}"),
    ],
    ids=["empty", "zeros", "html", "list", "half", "text", "not utf-8", "deep", "nan", "long number"],
)
def test_what_is_not_safetensors_is_refused(refused, content):
    refused(content, FOREIGN)


@pytest.mark.parametrize("share", [0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.99999])
def test_a_truncated_file_is_refused(tiny_file, refused, share):
    content = tiny_file.read_bytes()
    refused(content[: int(share * len(content))], FOREIGN)


def test_one_byte_less_or_more_is_refused(tiny_file, refused):
    content = tiny_file.read_bytes()
    refused(content[:-1], FOREIGN)
    refused(content + b"\0", FOREIGN)


@pytest.mark.parametrize("length", [0, 1, 2**20 + 1, 2**40, 2**63, 2**64 - 1])
def test_a_header_length_that_lies_is_refused(tiny_file, refused, length):
    refused(struct.pack("<Q", length) + tiny_file.read_bytes()[8:], FOREIGN)


@pytest.mark.parametrize("change", [-1, 1])
def test_a_header_length_that_is_off_by_one_is_refused(tiny_file, refused, change):
    content = tiny_file.read_bytes()
    refused(struct.pack("<Q", int.from_bytes(content[:8], "little") + change) + content[8:], FOREIGN)


def test_a_key_that_stands_twice_is_refused(parts, refused):
    entry = json.dumps({HEAD: parts.table[HEAD]})[1:-1]
    header = json.dumps({"__metadata__": {"vitviz": json.dumps(parts.about)}, **parts.table})
    refused(framed(f"{{{entry}, {header[1:]}", bytes(parts.data)), FOREIGN)


# Places of the tensors


def test_places_that_overlap_are_refused(parts, refused):
    names = sorted(parts.table, key=lambda name: parts.table[name]["data_offsets"])
    parts.table[names[1]]["data_offsets"][0] -= 4
    refused(parts.joined(), FOREIGN)


def test_a_gap_between_places_is_refused(parts, refused):
    for entry in parts.table.values():
        entry["data_offsets"] = [place + 4 for place in entry["data_offsets"]]
    parts.data[:0] = bytes(4)
    refused(parts.joined(), FOREIGN)


@pytest.mark.parametrize("offsets", [None, [], [0], [0, "4"], [0.0, 4.0], [True, 4], {"start": 0}, [4, 0], [-4, 0]])
def test_places_that_are_no_places_are_refused(parts, refused, offsets):
    parts.table[HEAD]["data_offsets"] = offsets
    refused(parts.joined(), FOREIGN)


def test_a_place_that_does_not_fit_the_shape_is_refused(parts, refused):
    names = sorted(parts.table, key=lambda name: parts.table[name]["data_offsets"])
    parts.table[names[0]]["data_offsets"][1] -= 4
    parts.table[names[1]]["data_offsets"][0] -= 4
    refused(parts.joined(), "must fill the bytes its shape asks for")


# Tensors


def test_a_missing_tensor_is_refused(parts, refused):
    last = max(parts.table, key=lambda name: parts.table[name]["data_offsets"])
    start, _ = parts.table.pop(last)["data_offsets"]
    del parts.data[start:]
    refused(parts.joined(), f"must be those of the model's config: the file lacks '{last}'")


def test_an_extra_tensor_is_refused(parts, refused):
    end = len(parts.data)
    parts.data += bytes(4)
    parts.table["extra"] = {"dtype": "F32", "shape": [1], "data_offsets": [end, end + 4]}
    refused(parts.joined(), "must be those of the model's config: the file has, unasked, 'extra'")


def test_a_transposed_tensor_is_refused(parts, refused):
    parts.table[HEAD]["shape"].reverse()
    refused(parts.joined(), r"head\.weight must have shape \[11, 18\]: it has \[18, 11\]")


@pytest.mark.parametrize("shape", [None, "11, 18", [11.0, 18.0], [198], [11, 18, 1], [-11, -18]])
def test_a_shape_that_is_no_shape_is_refused(parts, refused, shape):
    parts.table[HEAD]["shape"] = shape
    refused(parts.joined(), rf"head\.weight must have shape \[11, 18\]|{FOREIGN}")


@pytest.mark.parametrize("dtype", ["F64", "I32", "BOOL", "F8_E4M3", "nonsense", None, 32])
def test_a_wrong_type_is_refused(parts, refused, dtype):
    parts.table[HEAD]["dtype"] = dtype
    refused(parts.joined(), rf"head\.weight must be of type F32, F16, BF16: it is {dtype}")


def test_an_extra_tensor_of_a_type_that_torch_does_not_have_is_refused(parts, refused):
    start = len(parts.data)
    parts.data += bytes(4)
    parts.table["training.x"] = {"dtype": "F4", "shape": [8], "data_offsets": [start, start + 4]}
    refused(parts.joined(), FOREIGN)


def test_what_would_be_too_large_to_load_is_not_written(tiny_checkpoint, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "MAX_BYTES", 2**10)
    with pytest.raises(CheckpointError, match="A checkpoint may have at most"):
        save(tiny_checkpoint, tmp_path / "large.safetensors")
    assert not list(tmp_path.glob("large*"))


def test_an_unhashable_type_is_refused(parts, refused):
    parts.table[HEAD]["dtype"] = ["F32"]
    refused(parts.joined(), rf"head\.weight must be of type|{FOREIGN}")


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_a_weight_that_is_no_number_is_refused(parts, refused, number):
    parts.numbers(HEAD)[17] = number
    refused(parts.joined(), r"Every weight must be a finite number: head\.weight is not")


# Metadata


def test_foreign_weights_are_refused(parts, refused):
    refused(framed(json.dumps(parts.table), bytes(parts.data)), "was not written by vitviz: it has no vitviz metadata")
    other = framed(json.dumps({"__metadata__": {"format": "pt"}, **parts.table}), bytes(parts.data))
    refused(other, "was not written by vitviz: it has no vitviz metadata")


@pytest.mark.parametrize("metadata", [7, None, ["vitviz"], {"vitviz": 7}, {"vitviz": {"format": 1}}])
def test_metadata_of_a_wrong_kind_is_refused(parts, refused, metadata):
    refused(framed(json.dumps({"__metadata__": metadata, **parts.table}), bytes(parts.data)), "has no vitviz metadata")


def test_other_metadata_of_a_wrong_kind_is_refused(parts, refused):
    refused(parts.joined(other=7), FOREIGN)


@pytest.mark.parametrize(
    "about",
    ["", "7", "null", "[]", "{", '{"format": 1, "format": 1}', '{"format": NaN}', '{"format": 1e999}', "[" * 100_000],
)
def test_damaged_metadata_is_refused(parts, refused, about):
    refused(parts.joined(vitviz=about), "The vitviz metadata must be of format 1")


@pytest.mark.parametrize("number", [0, 2, "1", None])
def test_metadata_of_another_format_is_refused(parts, refused, number):
    parts.about["format"] = number
    refused(parts.joined(), "The vitviz metadata must be of format 1: 'strange.safetensors' has another")


def test_a_config_with_unknown_names_is_refused(parts, refused):
    parts.about["config"]["code"] = "import os"
    refused(parts.joined(), "The model's config may only name architecture, class_token, classes, depth")
    parts.about["config"] = None
    refused(parts.joined(), "The model's config may only name")


def test_what_an_older_config_does_not_name_has_its_default(parts, tmp_path):
    del parts.about["config"]["pool"]
    (tmp_path / "older.safetensors").write_bytes(parts.joined())
    assert load(tmp_path / "older.safetensors").network.config.global_pool == "token"


def test_extra_tensors_are_kept_and_not_looked_at(tiny_checkpoint, tmp_path):
    path = tmp_path / "unfinished.safetensors"
    extra = {"weights.head.bias": torch.full((3,), float("nan")), "step": torch.tensor(7)}
    checkpoint.save(tiny_checkpoint, path, extra)
    expected = tiny_checkpoint.network.state_dict()
    assert all(torch.equal(tensor, expected[name]) for name, tensor in load(path).network.state_dict().items())
    average, found = checkpoint.read_tensors(path)
    assert average.keys() == expected.keys()
    assert found.keys() == extra.keys()
    assert found["step"].item() == 7


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"width": 10**9}, "width must be a whole number from 1 to 8192: got 1000000000"),
        ({"width": [18]}, r"width must be a whole number from 1 to 8192: got \[18\]"),
        ({"depth": -1}, "depth must be a whole number from 1 to 128: got -1"),
        ({"heads": 5}, "heads must divide width: 18 is not a multiple of 5"),
        ({"patch_size": 3}, "patch_size must divide the image side: 20 is not a multiple of 3"),
        ({"img_size": [20, {}]}, "image width must be a whole number"),
        ({"pool": {}}, "pool must be 'token' or 'mean'"),
        ({"init_values": "big"}, "init_values must be None"),
    ],
)
def test_a_config_out_of_range_is_refused(parts, refused, changes, sentence):
    parts.about["config"] |= changes
    refused(parts.joined(), f"The model's config does not fit: {sentence}")


def test_a_huge_config_is_refused_from_the_header_before_any_allocation(parts, refused, monkeypatch):
    parts.about["config"] |= {"width": 8192, "heads": 256, "depth": 128, "mlp_width": 65536}
    monkeypatch.setattr(checkpoint.safetensors.torch, "load", lambda content: pytest.fail("the weights were read"))
    real = checkpoint.empty_model

    def watched(config):
        model = real(config)
        assert all(parameter.is_meta for parameter in model.parameters())
        return model

    monkeypatch.setattr(checkpoint, "empty_model", watched)
    refused(parts.joined(), "must be those of the model's config|must have shape")


def test_a_config_that_does_not_fit_the_weights_is_refused(parts, refused):
    parts.about["config"]["depth"] = 7
    refused(parts.joined(), r"the file lacks 'blocks\.6\.")
    parts.about["config"]["depth"] = 5
    refused(parts.joined(), r"the file has, unasked, 'blocks\.5\.")


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("labels", ["cat"], "A checkpoint with 11 logits must name 11 classes"),
        ("labels", [7] * 11, "A checkpoint with 11 logits must name 11 classes"),
        ("labels", "abcdefghijk", "A checkpoint with 11 logits must name 11 classes"),
        ("mean", [0.5, 0.5], "mean must be three numbers from 0 to 1"),
        ("mean", [0.5, 0.5, 100], "mean must be three numbers from 0 to 1"),
        ("mean", [0.5, 0.5, "0.5"], "mean must be three numbers from 0 to 1"),
        ("std", None, "std must be three numbers from 0 to 1"),
        ("std", [0.2, 0.2, True], "std must be three numbers from 0 to 1"),
        ("std", [0.2, 0, 0.2], r"std must be above 0\.001 in each channel"),
        ("record", ["fast"], "The training record must be a table of names and values"),
    ],
)
def test_labels_that_do_not_fit_are_refused(parts, refused, key, value, sentence):
    parts.about[key] = value
    refused(parts.joined(), sentence)


# Writing


def test_a_write_that_fails_midway_leaves_the_old_file_and_no_litter(tiny_file, monkeypatch):
    old = tiny_file.read_bytes()
    monkeypatch.setattr(files.os, "fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space left on device"):
        save(tiny.checkpoint(seed=1), tiny_file)
    assert tiny_file.read_bytes() == old
    assert list(tiny_file.parent.iterdir()) == [tiny_file]


def test_a_record_that_json_cannot_hold_is_refused_before_anything_is_written(tmp_path, tiny_checkpoint):
    with pytest.raises(ValueError, match="not JSON compliant"):
        save(replace(tiny_checkpoint, record={"test_accuracy": float("nan")}), tmp_path / "a.safetensors")
    assert not list(tmp_path.iterdir())
