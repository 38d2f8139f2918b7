"""Checkpoint files: round trips, and refusal of invalid files before they can do harm."""

import hashlib
import os
from dataclasses import replace

import pytest
import torch

import vitviz
from tests import tiny
from tests.hostile.checkpoints import SafetensorsFile
from vitviz import files
from vitviz.errors import CheckpointError
from vitviz.models import checkpoint
from vitviz.models.checkpoint import bundled_checkpoints, load, save


@pytest.fixture
def parts(tiny_bytes) -> SafetensorsFile:
    return SafetensorsFile(tiny_bytes)


def refused_field(path) -> str:
    """Return the field of the error that loading a file raises."""
    with pytest.raises(CheckpointError) as caught:
        load(path)
    return caught.value.field


# Saving


@pytest.mark.parametrize("changes", [{"labels": ("a", "b")}, {"std": (58.0, 57.0, 57.0)}, {"mean": (-0.1, 0.0, 0.0)}])
def test_a_checkpoint_that_could_not_be_loaded_is_not_saved(tmp_path, changes):
    with pytest.raises(CheckpointError) as caught:
        save(replace(tiny.checkpoint(), **changes), tmp_path / "x.safetensors")
    assert [caught.value.field] == list(changes)
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
        save(tiny_checkpoint, tmp_path / f"{name}.safetensors")
    (tmp_path / "SHA256SUMS").write_text(f"{'0' * 64}  bundled.safetensors\n")
    with pytest.raises(CheckpointError, match=r"must match its SHA-256 in SHA256SUMS: bundled\.safetensors does not"):
        load("bundled")
    load("own")


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
    with pytest.raises(CheckpointError) as caught:
        tiny_checkpoint.check_logits(logits)
    assert caught.value.field == "logits"


def test_an_error_has_its_parts_as_fields(parts, tmp_path):
    parts.metadata["config"]["num_heads"] = 5
    (tmp_path / "a.safetensors").write_bytes(parts.to_bytes())
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
    assert refused_field(tmp_path / "pipe.safetensors") == "checkpoint"


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


# Tensors and metadata; tests/hostile/checkpoints.py has invalid ones


@pytest.mark.parametrize("dtype", ["F4", "F8_E8M0"])
def test_an_extra_tensor_of_a_rare_dtype_is_read_without_an_unexpected_error(parts, tmp_path, dtype):
    start = len(parts.data)
    parts.data += bytes(4)
    parts.header["training.x"] = {
        "dtype": dtype,
        "shape": [8 if dtype == "F4" else 4],
        "data_offsets": [start, start + 4],
    }
    (tmp_path / "a.safetensors").write_bytes(parts.to_bytes())
    assert load(tmp_path / "a.safetensors").name == "a"
    assert set(checkpoint.read_tensors(tmp_path / "a.safetensors")[1]) == {"x"}


def test_a_checkpoint_that_is_too_large_to_load_is_not_saved(tiny_checkpoint, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "available_memory", lambda: 2**10)
    with pytest.raises(CheckpointError):
        save(tiny_checkpoint, tmp_path / "large.safetensors")
    assert not list(tmp_path.glob("large*"))


def test_extra_tensors_are_saved_and_ignored_by_load(tiny_checkpoint, tmp_path):
    path = tmp_path / "unfinished.safetensors"
    extra = {"weights.head.bias": torch.full((3,), float("nan")), "step": torch.tensor(7)}
    save(tiny_checkpoint, path, extra)
    expected = tiny_checkpoint.network.state_dict()
    assert all(torch.equal(tensor, expected[name]) for name, tensor in load(path).network.state_dict().items())
    weights, loaded = checkpoint.read_tensors(path)
    assert weights.keys() == expected.keys()
    assert loaded.keys() == extra.keys()
    assert loaded["step"].item() == 7


def test_a_huge_config_is_refused_before_any_allocation(parts, tmp_path, monkeypatch):
    parts.metadata["config"] |= {"embed_dim": 8192, "num_heads": 256, "depth": 128, "mlp_ratio": 8.0}
    create_meta_model = checkpoint.create_meta_model

    def checked(config):
        model = create_meta_model(config)
        assert all(parameter.is_meta for parameter in model.parameters())
        return model

    monkeypatch.setattr(checkpoint, "create_meta_model", checked)
    monkeypatch.setattr(checkpoint, "check_finite", lambda weights: pytest.fail("the weights were read"))
    (tmp_path / "huge.safetensors").write_bytes(parts.to_bytes())
    assert refused_field(tmp_path / "huge.safetensors").startswith("blocks.")


# Atomic writes


def test_a_failed_write_keeps_the_old_file_and_leaves_no_temporary_file(tiny_file, monkeypatch):
    old = tiny_file.read_bytes()
    monkeypatch.setattr(files.os, "fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space"):
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


@pytest.mark.parametrize(("parent", "name"), [("runs", "runs/mine"), ("elsewhere", "mine")])
def test_the_folder_of_a_training_is_a_model(parent, name, tmp_path, monkeypatch):
    folder = tmp_path / parent / "mine"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    model = tiny.checkpoint()
    checkpoint.save(model, folder / "last.safetensors")
    found = vitviz.load(folder, device="cpu")
    assert found.name == name
    monkeypatch.chdir(tmp_path)
    saved = vitviz.explain(found, tiny.pixels()).save(tmp_path / "map.csv", layer=1)
    assert bool(vitviz.verify(saved, tiny.pixels())) == (parent == "runs")
