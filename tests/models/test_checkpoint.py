"""Checkpoint files: round trips, and refusal of invalid files before they can do harm."""

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
from vitviz import files
from vitviz.errors import CheckpointError
from vitviz.models import checkpoint
from vitviz.models.checkpoint import bundled_checkpoints, load, save

NOT_SAFETENSORS = r"A checkpoint must be a complete \.safetensors file"
HEAD = "head.weight"


class Parts:
    """Header, metadata and data of a .safetensors file, to be modified and joined again."""

    def __init__(self, content: bytes) -> None:
        length = int.from_bytes(content[:8], "little")
        self.header = json.loads(content[8 : 8 + length])
        self.metadata = json.loads(self.header.pop("__metadata__")["vitviz"])
        self.data = bytearray(content[8 + length :])

    def join(self, **metadata) -> bytes:
        metadata = {"vitviz": json.dumps(self.metadata)} | metadata
        return frame(json.dumps({"__metadata__": metadata, **self.header}), bytes(self.data))

    def weights(self, name: str) -> np.ndarray:
        start, stop = self.header[name]["data_offsets"]
        return np.frombuffer(self.data, "<f4", (stop - start) // 4, start)


def frame(header: str | bytes, data: bytes = b"") -> bytes:
    """Join header and data in the safetensors format."""
    header = header.encode() if isinstance(header, str) else header
    return struct.pack("<Q", len(header)) + header + data


@pytest.fixture
def parts(tiny_file) -> Parts:
    return Parts(tiny_file.read_bytes())


@pytest.fixture
def assert_refused(tmp_path):
    """Assert that loading a file with this content raises an error that matches."""

    def check(content: bytes, match: str) -> None:
        path = tmp_path / "invalid.safetensors"
        path.write_bytes(content)
        with pytest.raises(CheckpointError, match=match):
            load(path)

    return check


# Saving


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"labels": ("a", "b")}, "labels must be 11 names, one per logit"),
        ({"std": (58.0, 57.0, 57.0)}, "std must be three numbers from 0 to 1"),
        ({"mean": (-0.1, 0.0, 0.0)}, "mean must be three numbers from 0 to 1"),
    ],
)
def test_a_checkpoint_that_could_not_be_loaded_is_not_saved(tmp_path, changes, match):
    with pytest.raises(CheckpointError, match=match):
        save(replace(tiny.checkpoint(), **changes), tmp_path / "x.safetensors")
    assert not list(tmp_path.iterdir())


def test_float64_weights_and_any_sequence_of_means_and_labels_are_saved(tmp_path):
    before = replace(tiny.checkpoint(), mean=torch.tensor([0.5, 0.25, 0.125]), labels=[f"class {k}" for k in range(11)])
    before.network.double()
    save(before, tmp_path / "x.safetensors")
    after = load(tmp_path / "x.safetensors")
    assert after.mean == (0.5, 0.25, 0.125)
    assert after.network.head.weight.dtype == torch.float32


# Loading


@pytest.mark.parametrize("name", tiny.VARIANTS)
def test_saving_and_loading_preserves_everything(tmp_path, name):
    before = tiny.checkpoint(tiny.VARIANTS[name])
    save(before, tmp_path / "some model.safetensors")
    after = load(tmp_path / "some model.safetensors")
    assert after.name == "some model"
    assert after.config == before.config
    assert (after.labels, after.preprocessing, after.record) == (before.labels, before.preprocessing, before.record)
    assert torch.equal(after.network(tiny.images()), before.network(tiny.images()))
    assert not after.network.training
    assert all(parameter.requires_grad and not parameter.is_meta for parameter in after.network.parameters())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_loaded_as_single_precision(tmp_path, tiny_checkpoint, dtype):
    expected = {name: weight.to(dtype).float() for name, weight in tiny_checkpoint.network.state_dict().items()}
    tiny_checkpoint.network.to(dtype)
    save(tiny_checkpoint, tmp_path / "half.safetensors")
    loaded = load(tmp_path / "half.safetensors").network.state_dict()
    assert all(weight.dtype == torch.float32 for weight in loaded.values())
    assert all(torch.equal(loaded[name], expected[name]) for name in expected)


def test_loaded_weights_do_not_depend_on_the_file(tiny_file, tiny_checkpoint):
    loaded = load(tiny_file)
    tiny_file.write_bytes(bytes(tiny_file.stat().st_size))
    assert torch.equal(loaded.network(tiny.images()), tiny_checkpoint.network(tiny.images()))


def test_labels_may_contain_markup(parts, tmp_path):
    parts.metadata["labels"][0] = "<script>alert(1)</script>"
    (tmp_path / "a.safetensors").write_bytes(parts.join())
    assert load(tmp_path / "a.safetensors").labels[0] == "<script>alert(1)</script>"


def test_bundled_checkpoints_are_loaded_by_name():
    for name, path in bundled_checkpoints().items():
        assert load(name).name == path.stem == name


def test_bundled_checkpoints_are_sorted_by_name(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "CHECKPOINTS", tmp_path)
    for name in ("b", "a-c", "a"):
        (tmp_path / f"{name}.safetensors").touch()
    assert list(bundled_checkpoints()) == ["a", "a-c", "b"], "although '-' sorts before '.'"


def test_bundled_files_match_their_sha256():
    lines = (checkpoint.CHECKPOINTS / "SHA256SUMS").read_text().splitlines()
    expected = dict(line.split("  ")[::-1] for line in lines)
    files = [path for path in checkpoint.CHECKPOINTS.rglob("*") if path.suffix in (".safetensors", ".npz")]
    assert expected.keys() == {path.relative_to(checkpoint.CHECKPOINTS).as_posix() for path in files}
    for name, digest in expected.items():
        assert hashlib.sha256((checkpoint.CHECKPOINTS / name).read_bytes()).hexdigest() == digest


def test_a_modified_file_under_a_bundled_name_is_refused(tiny_checkpoint, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "CHECKPOINTS", tmp_path)
    for name in ("bundled", "own"):
        checkpoint.save(tiny_checkpoint, tmp_path / f"{name}.safetensors")
    (tmp_path / "SHA256SUMS").write_text(f"{'0' * 64}  bundled.safetensors\n")
    with pytest.raises(CheckpointError, match=r"must match its SHA-256 in SHA256SUMS: bundled\.safetensors does not"):
        checkpoint.load("bundled")
    checkpoint.load("own")


def test_normalize_by_hand(tiny_checkpoint):
    images = torch.tensor([0, 51, 255], dtype=torch.uint8).view(1, 3, 1, 1)
    normalized = tiny_checkpoint.normalize(images).flatten().tolist()
    assert normalized == pytest.approx([(0 - 0.5) / 0.2, (0.2 - 0.4) / 0.25, (1 - 0.3) / 0.3])


def test_preprocessing_names_size_statistics_and_interpolation(tiny_checkpoint):
    preprocessing = tiny_checkpoint.preprocessing
    assert preprocessing.img_size == (tiny.H, tiny.W)
    assert (preprocessing.mean, preprocessing.std) == ((0.5, 0.4, 0.3), (0.2, 0.25, 0.3))
    assert preprocessing.interpolation == "lanczos"


def test_logits_that_overflow_are_refused(tiny_checkpoint):
    with torch.no_grad():
        tiny_checkpoint.network.norm.weight.mul_(1e30)
        tiny_checkpoint.network.head.weight.mul_(1e30)
    logits = tiny_checkpoint.network(tiny.images())
    assert not logits.isfinite().all()
    with pytest.raises(CheckpointError, match="The logits of tiny must be finite: got NaN or infinity") as caught:
        tiny_checkpoint.check_logits(logits)
    assert caught.value.field == "logits"


def test_an_error_has_its_parts_as_fields(parts, tmp_path):
    parts.metadata["config"]["num_heads"] = 5
    (tmp_path / "a.safetensors").write_bytes(parts.join())
    with pytest.raises(CheckpointError) as caught:
        load(tmp_path / "a.safetensors")
    error = caught.value
    assert (error.field, error.hint) == ("config.num_heads", "Use 3 or 6.")
    assert str(error) == f"{error.problem}. {error.hint}"


# Files that do not exist


@pytest.mark.parametrize("name", ["nonsense", "../nonsense", "no\0name", "x" * 5000, "."])
def test_an_unknown_name_is_refused(name):
    with pytest.raises(CheckpointError, match=r"Checkpoint '.*' not found\. Use a bundled one \("):
        load(name)


@pytest.mark.skipif(os.name == "nt", reason="needs pipes or links of POSIX")
def test_a_pipe_is_refused_without_blocking(tmp_path):
    os.mkfifo(tmp_path / "pipe.safetensors")
    with pytest.raises(CheckpointError, match="not found"):
        load(tmp_path / "pipe.safetensors")


def test_a_file_above_256_mib_is_refused_without_reading_it(tmp_path, monkeypatch):
    path = tmp_path / "big.safetensors"
    path.touch()
    os.truncate(path, 257 * 2**20)
    monkeypatch.setattr("pathlib.Path.open", lambda *_: pytest.fail("the file was opened"))
    monkeypatch.setattr(checkpoint.safetensors, "safe_open", lambda *_, **__: pytest.fail("the file was opened"))
    with pytest.raises(CheckpointError, match="A checkpoint must have at most 256 MiB: got 257"):
        load(path, checkpoint.MAX_BYTES)


def test_a_file_that_does_not_fit_into_memory_is_refused_without_reading_it(tmp_path, monkeypatch):
    path = tmp_path / "big.safetensors"
    path.touch()
    os.truncate(path, 3 * 2**20)
    monkeypatch.setattr(checkpoint, "available_memory", lambda: 2**21)
    monkeypatch.setattr(checkpoint.safetensors, "safe_open", lambda *_, **__: pytest.fail("the file was opened"))
    with pytest.raises(CheckpointError, match="must fit into memory: its weights take 3 MiB, 2 are free"):
        load(path)


# Files that are not safetensors


class Payload:
    """Creates a directory when it is unpickled."""

    def __init__(self, target) -> None:
        self.target = target

    def __reduce__(self):
        return os.mkdir, (str(self.target),)


def test_the_payload_runs_when_it_is_unpickled(tmp_path):
    pickle.loads(pickle.dumps(Payload(tmp_path / "fired")))
    assert (tmp_path / "fired").is_dir()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_is_refused_and_not_run(tmp_path, assert_refused, protocol):
    content = pickle.dumps(Payload(tmp_path / "fired"), protocol)
    assert_refused(content, NOT_SAFETENSORS + ".* can run code when opened: convert them once")
    assert not (tmp_path / "fired").exists()


def test_a_file_of_torch_save_is_refused(tmp_path, assert_refused, tiny_model):
    torch.save(tiny_model.state_dict(), tmp_path / "weights.pt")
    assert_refused((tmp_path / "weights.pt").read_bytes(), NOT_SAFETENSORS)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 9,
        b"<!doctype html><script>alert(1)</script>",
        frame("[]"),
        frame("{"),
        frame("not json"),
        frame(b"\xff\xfe{}"),
        frame("[" * 100_000),
        frame('{"a": NaN}'),
        frame('{"a": ' + "9" * 60_000 + "}"),
    ],
    ids=["empty", "zeros", "html", "list", "half", "text", "not utf-8", "deep", "nan", "long number"],
)
def test_a_file_that_is_not_safetensors_is_refused(assert_refused, content):
    assert_refused(content, NOT_SAFETENSORS)


@pytest.mark.parametrize("fraction", [0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.99999])
def test_a_truncated_file_is_refused(tiny_file, assert_refused, fraction):
    content = tiny_file.read_bytes()
    assert_refused(content[: int(fraction * len(content))], NOT_SAFETENSORS)


def test_one_byte_less_or_more_is_refused(tiny_file, assert_refused):
    content = tiny_file.read_bytes()
    assert_refused(content[:-1], NOT_SAFETENSORS)
    assert_refused(content + b"\0", NOT_SAFETENSORS)


@pytest.mark.parametrize("length", [0, 1, 2**20 + 1, 2**40, 2**63, 2**64 - 1])
def test_a_wrong_header_length_is_refused(tiny_file, assert_refused, length):
    assert_refused(struct.pack("<Q", length) + tiny_file.read_bytes()[8:], NOT_SAFETENSORS)


@pytest.mark.parametrize("change", [-1, 1])
def test_a_header_length_that_is_off_by_one_is_refused(tiny_file, assert_refused, change):
    content = tiny_file.read_bytes()
    assert_refused(struct.pack("<Q", int.from_bytes(content[:8], "little") + change) + content[8:], NOT_SAFETENSORS)


def test_a_duplicate_key_is_refused(parts, assert_refused):
    entry = json.dumps({HEAD: parts.header[HEAD]})[1:-1]
    header = json.dumps({"__metadata__": {"vitviz": json.dumps(parts.metadata)}, **parts.header})
    assert_refused(frame(f"{{{entry}, {header[1:]}", bytes(parts.data)), NOT_SAFETENSORS)


# Offsets of the tensors


def test_overlapping_offsets_are_refused(parts, assert_refused):
    names = sorted(parts.header, key=lambda name: parts.header[name]["data_offsets"])
    parts.header[names[1]]["data_offsets"][0] -= 4
    assert_refused(parts.join(), NOT_SAFETENSORS)


def test_a_gap_between_offsets_is_refused(parts, assert_refused):
    for entry in parts.header.values():
        entry["data_offsets"] = [offset + 4 for offset in entry["data_offsets"]]
    parts.data[:0] = bytes(4)
    assert_refused(parts.join(), NOT_SAFETENSORS)


@pytest.mark.parametrize("offsets", [None, [], [0], [0, "4"], [0.0, 4.0], [True, 4], {"start": 0}, [4, 0], [-4, 0]])
def test_invalid_offsets_are_refused(parts, assert_refused, offsets):
    parts.header[HEAD]["data_offsets"] = offsets
    assert_refused(parts.join(), NOT_SAFETENSORS)


def test_offsets_that_do_not_fit_the_shape_are_refused(parts, assert_refused):
    names = sorted(parts.header, key=lambda name: parts.header[name]["data_offsets"])
    parts.header[names[0]]["data_offsets"][1] -= 4
    parts.header[names[1]]["data_offsets"][0] -= 4
    assert_refused(parts.join(), NOT_SAFETENSORS)


# Names, shapes and dtypes


def test_a_missing_tensor_is_refused(parts, assert_refused):
    last = max(parts.header, key=lambda name: parts.header[name]["data_offsets"])
    start, _ = parts.header.pop(last)["data_offsets"]
    del parts.data[start:]
    assert_refused(parts.join(), f"must be those of the model config: '{last}' is missing")


def test_an_unexpected_tensor_is_refused(parts, assert_refused):
    end = len(parts.data)
    parts.data += bytes(4)
    parts.header["extra"] = {"dtype": "F32", "shape": [1], "data_offsets": [end, end + 4]}
    assert_refused(parts.join(), "must be those of the model config: 'extra' is unexpected")


def test_a_transposed_tensor_is_refused(parts, assert_refused):
    parts.header[HEAD]["shape"].reverse()
    assert_refused(parts.join(), r"head\.weight must have shape \[11, 18\]: got \[18, 11\]")


@pytest.mark.parametrize("shape", [[198], [11, 18, 1]])
def test_a_wrong_shape_is_refused(parts, assert_refused, shape):
    parts.header[HEAD]["shape"] = shape
    assert_refused(parts.join(), r"head\.weight must have shape \[11, 18\]")


@pytest.mark.parametrize("shape", [None, "11, 18", [11.0, 18.0], [-11, -18]])
def test_an_invalid_shape_is_refused(parts, assert_refused, shape):
    parts.header[HEAD]["shape"] = shape
    assert_refused(parts.join(), NOT_SAFETENSORS)


@pytest.mark.parametrize("dtype", ["I32", "U32"])
def test_a_wrong_dtype_of_the_same_size_is_refused(parts, assert_refused, dtype):
    parts.header[HEAD]["dtype"] = dtype
    assert_refused(parts.join(), rf"head\.weight must have dtype F32, F16, BF16: got {dtype}")


@pytest.mark.parametrize("dtype", ["F64", "BOOL", "F8_E4M3", "nonsense", None, 32, ["F32"]])
def test_a_dtype_that_does_not_fit_the_offsets_is_refused(parts, assert_refused, dtype):
    parts.header[HEAD]["dtype"] = dtype
    assert_refused(parts.join(), NOT_SAFETENSORS)


@pytest.mark.parametrize("dtype", ["F4", "F8_E8M0"])
def test_an_extra_tensor_of_a_rare_dtype_is_read_without_an_unexpected_error(parts, tmp_path, dtype):
    start = len(parts.data)
    parts.data += bytes(4)
    parts.header["training.x"] = {
        "dtype": dtype,
        "shape": [8 if dtype == "F4" else 4],
        "data_offsets": [start, start + 4],
    }
    (tmp_path / "a.safetensors").write_bytes(parts.join())
    assert load(tmp_path / "a.safetensors").name == "a"
    assert set(checkpoint.read_tensors(tmp_path / "a.safetensors")[1]) == {"x"}


def test_a_checkpoint_that_is_too_large_to_load_is_not_saved(tiny_checkpoint, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "available_memory", lambda: 2**10)
    with pytest.raises(CheckpointError, match="A checkpoint must fit into memory"):
        save(tiny_checkpoint, tmp_path / "large.safetensors")
    assert not list(tmp_path.glob("large*"))


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_a_weight_that_is_not_finite_is_refused(parts, assert_refused, number):
    parts.weights(HEAD)[17] = number
    assert_refused(parts.join(), r"Every weight must be finite: head\.weight has NaN or infinity")


# Metadata


def test_weights_without_vitviz_metadata_are_refused(parts, assert_refused):
    content = frame(json.dumps(parts.header), bytes(parts.data))
    assert_refused(content, r"must have vitviz metadata: 'invalid\.safetensors' has none")
    content = frame(json.dumps({"__metadata__": {"format": "pt"}, **parts.header}), bytes(parts.data))
    assert_refused(content, "must have vitviz metadata")


@pytest.mark.parametrize("metadata", [7, None, ["vitviz"], {"vitviz": 7}, {"vitviz": {"format": 2}}])
def test_metadata_of_a_wrong_type_is_refused(parts, assert_refused, metadata):
    content = frame(json.dumps({"__metadata__": metadata, **parts.header}), bytes(parts.data))
    assert_refused(content, f"must have vitviz metadata|{NOT_SAFETENSORS}")


def test_other_metadata_of_a_wrong_type_is_refused(parts, assert_refused):
    assert_refused(parts.join(other=7), NOT_SAFETENSORS)


@pytest.mark.parametrize(
    "metadata",
    ["", "7", "null", "[]", "{", '{"format": 2, "format": 2}', '{"format": NaN}', '{"format": 1e999}', "[" * 100_000],
)
def test_invalid_metadata_is_refused(parts, assert_refused, metadata):
    assert_refused(parts.join(vitviz=metadata), "The vitviz metadata must have format 2")


@pytest.mark.parametrize("number", [0, 1, 3, "2", None])
def test_metadata_of_another_format_is_refused(parts, assert_refused, number):
    parts.metadata["format"] = number
    assert_refused(parts.join(), r"The vitviz metadata must have format 2: 'invalid\.safetensors' has another")


def test_a_config_with_unknown_fields_is_refused(parts, assert_refused):
    parts.metadata["config"]["code"] = "import os"
    assert_refused(
        parts.join(), r"config\.code is not a field of ViTConfig\. Use one of: act_layer, architecture, class_token, "
    )
    parts.metadata["config"] = None
    assert_refused(parts.join(), "config must be an object of fields: got None")


def test_a_missing_config_field_has_its_default(parts, tmp_path):
    del parts.metadata["config"]["global_pool"]
    (tmp_path / "older.safetensors").write_bytes(parts.join())
    assert load(tmp_path / "older.safetensors").config.global_pool == "token"


def test_extra_tensors_are_saved_and_ignored_by_load(tiny_checkpoint, tmp_path):
    path = tmp_path / "unfinished.safetensors"
    extra = {"weights.head.bias": torch.full((3,), float("nan")), "step": torch.tensor(7)}
    checkpoint.save(tiny_checkpoint, path, extra)
    expected = tiny_checkpoint.network.state_dict()
    assert all(torch.equal(tensor, expected[name]) for name, tensor in load(path).network.state_dict().items())
    weights, loaded = checkpoint.read_tensors(path)
    assert weights.keys() == expected.keys()
    assert loaded.keys() == extra.keys()
    assert loaded["step"].item() == 7


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"embed_dim": 10**9}, r"config\.embed_dim must be an integer from 1 to 8192: got 1000000000"),
        ({"embed_dim": [18]}, r"config\.embed_dim must be an integer from 1 to 8192: got \[18\]"),
        ({"depth": -1}, r"config\.depth must be an integer from 1 to 128: got -1"),
        ({"num_heads": 5}, r"config\.num_heads must divide embed_dim: 18 is not a multiple of 5"),
        ({"patch_size": 3}, r"config\.patch_size must divide img_size: 20 is not a multiple of 3"),
        ({"img_size": [20, {}]}, r"config\.img_size must be 2 values, each an integer from 1 to 4096"),
        ({"global_pool": {}}, r"config\.global_pool must be one of token, avg, token_avg, map"),
        ({"init_values": "big"}, r"config\.init_values must be a number above 0 and at most 1, or None: got 'big'"),
    ],
)
def test_a_config_out_of_range_is_refused(parts, assert_refused, changes, match):
    parts.metadata["config"] |= changes
    assert_refused(parts.join(), match)


def test_a_huge_config_is_refused_before_any_allocation(parts, assert_refused, monkeypatch):
    parts.metadata["config"] |= {"embed_dim": 8192, "num_heads": 256, "depth": 128, "mlp_ratio": 8.0}
    create_meta_model = checkpoint.create_meta_model

    def checked(config):
        model = create_meta_model(config)
        assert all(parameter.is_meta for parameter in model.parameters())
        return model

    monkeypatch.setattr(checkpoint, "create_meta_model", checked)
    monkeypatch.setattr(checkpoint, "check_finite", lambda weights: pytest.fail("the weights were read"))
    assert_refused(parts.join(), "must be those of the model config|must have shape")


def test_a_config_that_does_not_fit_the_weights_is_refused(parts, assert_refused):
    parts.metadata["config"]["depth"] = 7
    assert_refused(parts.join(), r"'blocks\.6\..*' is missing")
    parts.metadata["config"]["depth"] = 5
    assert_refused(parts.join(), r"'blocks\.5\..*' is unexpected")


@pytest.mark.parametrize(
    ("key", "value", "match"),
    [
        ("labels", ["cat"], r"labels must be 11 names, one per logit: got \['cat'\]"),
        ("labels", [7] * 11, "labels must be 11 names, one per logit"),
        ("labels", "abcdefghijk", "labels must be 11 names, one per logit"),
        ("mean", [0.5, 0.5], "mean must be three numbers from 0 to 1"),
        ("mean", [0.5, 0.5, 100], "mean must be three numbers from 0 to 1"),
        ("mean", [0.5, 0.5, "0.5"], "mean must be three numbers from 0 to 1"),
        ("std", None, "std must be three numbers from 0 to 1: got None"),
        ("std", [0.2, 0.2, True], "std must be three numbers from 0 to 1"),
        ("std", [0.2, 0, 0.2], r"std must be at least 0\.001 in each channel"),
        ("record", ["fast"], r"record must be an object: got \['fast'\]"),
    ],
)
def test_invalid_labels_statistics_or_records_are_refused(parts, assert_refused, key, value, match):
    parts.metadata[key] = value
    assert_refused(parts.join(), match)


# Atomic writes


def test_a_failed_write_keeps_the_old_file_and_leaves_no_temporary_file(tiny_file, monkeypatch):
    old = tiny_file.read_bytes()
    monkeypatch.setattr(files.os, "fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space left on device"):
        save(tiny.checkpoint(seed=1), tiny_file)
    assert tiny_file.read_bytes() == old
    assert list(tiny_file.parent.iterdir()) == [tiny_file]


def test_a_record_that_json_cannot_represent_is_refused_before_writing(tmp_path, tiny_checkpoint):
    with pytest.raises(ValueError, match="not JSON compliant"):
        save(replace(tiny_checkpoint, record={"test_accuracy": float("nan")}), tmp_path / "a.safetensors")
    assert not list(tmp_path.iterdir())


# Memory


def test_the_cache_of_files_of_a_container_is_available(tmp_path, monkeypatch):
    files = {
        "/proc/meminfo": "MemTotal: 9000 kB\nMemAvailable: 8000 kB\n",
        "/sys/fs/cgroup/memory.max": "5000000",
        "/sys/fs/cgroup/memory.current": "4000000",
        "/sys/fs/cgroup/memory.stat": "anon 1000000\ninactive_file 2500000\nactive_file 500000\n",
    }
    monkeypatch.setattr(checkpoint.Path, "read_text", lambda path: files[str(path)])
    assert checkpoint.available_memory() == 3_500_000
    files["/sys/fs/cgroup/memory.max"] = "max\n"
    assert checkpoint.available_memory() == 8000 * 1024
