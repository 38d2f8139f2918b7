"""Timeline: schedule of the snapshots, file format, and restoring."""

import zipfile
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image

from tests import tiny
from vitviz.data import cifar, preprocessing
from vitviz.models import attention_stats
from vitviz.models.checkpoint import CHECKPOINTS
from vitviz.training import timeline as timeline_module
from vitviz.training.timeline import TimelineError, TimelineRecorder, find, read

SHIPPED = CHECKPOINTS / "cifar10-ti4.timeline.npz"


class EmptyRecorder(TimelineRecorder):
    """Count snapshots without a model."""

    def add(self) -> None:
        self.snapshots.append({})


def due_at(num_snapshots: int, progress: np.ndarray) -> list[float]:
    """Return the values of progress at which a snapshot is due."""
    timeline = EmptyRecorder([], tiny.images(), tiny.images(), (), (1, 1), num_snapshots)
    found = []
    for value in progress:
        if timeline.is_due(value):
            timeline.add()
            found.append(value)
    return found


def test_snapshots_are_due_at_squares_of_equal_steps():
    found = due_at(5, np.linspace(0, 1, 1601))
    assert found == pytest.approx([0, 1 / 16, 4 / 16, 9 / 16, 1])


def test_one_snapshot_is_due_per_step_when_progress_jumps():
    assert due_at(4, np.array([0.0, 0.9, 0.91, 1.0, 1.0, 1.0])) == [0.0, 0.9, 0.91, 1.0]


@pytest.mark.parametrize(("num_snapshots", "count"), [(0, 0), (1, 1), (2, 2)])
def test_the_number_of_snapshots_is_exact(num_snapshots, count):
    assert len(due_at(num_snapshots, np.linspace(0, 1, 11))) == count


def two_snapshots() -> TimelineRecorder:
    pixels = torch.from_numpy(np.stack([tiny.pixels(seed=n) for n in range(3)])).permute(0, 3, 1, 2)
    classes = tuple(f"class {k}" for k in range(tiny.K))
    recorder = TimelineRecorder(
        ["ant", "bee", "cow"], pixels, tiny.images(batch=3), classes, (tiny.GH, tiny.GW), num_snapshots=2
    )
    recorder.record(tiny.model(), 0.0, 0.0)
    recorder.record(tiny.model(seed=1), 1.5, 60.25)
    return recorder


def test_a_timeline_stores_whether_there_is_a_class_token(tmp_path):
    recorder = two_snapshots()
    for class_token in (True, False):
        replace(recorder, class_token=class_token).save(tmp_path / "timeline.npz")
        assert read(tmp_path / "timeline.npz").class_token is class_token


@pytest.mark.parametrize("compress", [False, True])
def test_a_file_contains_attention_predictions_and_images(tmp_path, tiny_model, compress):
    recorder = two_snapshots()
    recorder.save(tmp_path / "timeline.npz", compress)
    found = read(tmp_path / "timeline.npz")
    with torch.no_grad():
        output = tiny_model.forward_with_attention(recorder.inputs, "full")
    assert found.cls_attention.shape == (2, 3, tiny.L, tiny.A, tiny.T)
    assert found.cls_attention.dtype == np.float16
    expected = output.attention[..., 0, :].numpy().swapaxes(0, 1)
    np.testing.assert_allclose(found.cls_attention[0], expected, rtol=0, atol=5e-4)  # half precision
    assert np.abs(found.cls_attention[1] - expected).max() > 0.1
    np.testing.assert_allclose(found.cls_attention.astype(np.float32).sum(-1), 1, rtol=0, atol=3e-3)
    np.testing.assert_allclose(found.probabilities[0], output.logits.softmax(-1), rtol=0, atol=1e-6)
    np.testing.assert_allclose(
        found.entropy[0], attention_stats.attention_entropy(output, tiny.CONFIG)[0], rtol=0, atol=1e-6
    )
    distance = attention_stats.attention_distance(output, tiny.CONFIG)
    np.testing.assert_allclose(found.distance[0], distance, rtol=0, atol=1e-5)
    assert (found.epoch.tolist(), found.seconds.tolist()) == ([0, 1.5], [0, 60.25])
    assert (found.names, found.classes) == (["ant", "bee", "cow"], list(recorder.classes))
    assert np.array_equal(found.images[2], tiny.pixels(seed=2))


def test_snapshots_do_not_depend_on_the_batch_size(tiny_model, monkeypatch):
    expected = timeline_module.snapshot(tiny_model, tiny.images(batch=3))
    monkeypatch.setattr(timeline_module, "max_batch_size", lambda config: 2)
    for name, values in timeline_module.snapshot(tiny_model, tiny.images(batch=3)).items():
        np.testing.assert_allclose(values, expected[name], rtol=0, atol=1e-5)


def test_maps_are_the_attention_to_the_patches_in_reading_order(tmp_path):
    recorder = two_snapshots()
    for stored in recorder.snapshots:
        stored["cls_attention"] = np.arange(tiny.T, dtype=np.float16) + np.zeros_like(stored["cls_attention"])
        stored["cls_attention"][2] += 100
    recorder.save(tmp_path / "timeline.npz")
    maps = read(tmp_path / "timeline.npz").maps(2)
    assert maps.shape == (2, tiny.L, tiny.A, tiny.GH, tiny.GW)
    assert maps[1, 4, 1, 2, 3] == 100 + 1 + 2 * tiny.GW + 3


@pytest.mark.parametrize("tokens", [2, 65, 197, 4096])
def test_quantization_error_is_below_a_hundredth_of_uniform_attention(tokens):
    attention = torch.rand(50, tokens)
    attention = attention / attention.sum(-1, keepdim=True)
    quantized = timeline_module.quantize(attention)
    assert ((quantized.float() - attention).abs() * tokens).max() < 0.01
    assert torch.equal(timeline_module.quantize(quantized.float()), quantized)


def test_snapshots_up_to_an_epoch_are_restored_exactly(tmp_path):
    recorder = two_snapshots()
    recorder.save(tmp_path / "timeline.npz")
    restored = TimelineRecorder(
        recorder.names, recorder.images, recorder.images, recorder.classes, recorder.grid, recorder.num_snapshots
    )
    restored.restore(read(tmp_path / "timeline.npz"), 0.7, 0.5)
    assert len(restored.snapshots) == 1
    for name, values in recorder.snapshots[0].items():
        assert np.array_equal(restored.snapshots[0][name], values)
        assert restored.snapshots[0][name].dtype == values.dtype


def test_the_shipped_timeline_is_read():
    found = read(SHIPPED)
    assert found.cls_attention.shape == (60, 10, 6, 6, 65)
    assert found.entropy.shape == found.distance.shape == (60, 6, 6)
    assert found.names == list(preprocessing.sample_paths())
    assert found.classes == list(cifar.CLASSES)
    assert found.maps(3).shape == (60, 6, 6, 8, 8)
    sample = Image.open(preprocessing.sample_paths()["cat"]).convert("RGB")
    assert np.array_equal(found.images[3], sample.resize((32, 32), Image.Resampling.LANCZOS))
    assert found.classes[found.probabilities[-1, 3].argmax()] == "cat"


WRONG_ARRAYS = {
    "grid": np.array([8, 9]),
    "cls_attention": np.zeros((60, 9, 6, 6, 65), np.float16),
    "names": np.array(["cat"]),
    "classes": np.array(["cat"]),
    "images": np.zeros((10, 32, 32), np.uint8),
    "probabilities": np.zeros((60, 10)),
    "seconds": np.array(0.0),
    "entropy": np.zeros((60, 6)),
}


@pytest.mark.parametrize("damage", ["absent", "folder", "text", "cut", "other", "array", *WRONG_ARRAYS])
def test_an_invalid_file_is_rejected(tmp_path, damage):
    path = tmp_path / "timeline.npz"
    two_snapshots().save(path)
    content = path.read_bytes()
    path.unlink()
    if damage == "folder":
        path.mkdir()
    elif damage == "text":
        path.write_text("hello")
    elif damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "other":
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("readme.txt", "hello")
    elif damage == "array":
        with path.open("wb") as file:
            np.save(file, np.zeros(3))
    elif damage in WRONG_ARRAYS:
        np.savez(path, **(dict(np.load(SHIPPED)) | {damage: WRONG_ARRAYS[damage]}))
    with pytest.raises(TimelineError):
        read(path)


def test_a_timeline_is_found_by_checkpoint_run_folder_or_path(tmp_path):
    run, file = tmp_path / "run", tmp_path / "model.timeline.npz"
    run.mkdir()
    for path in (run / "timeline.npz", run / "last.safetensors", file, tmp_path / "model.safetensors"):
        path.touch()
    assert find("cifar10-ti4") == SHIPPED
    assert find(run) == find(str(run / "last.safetensors")) == find(run / "timeline.npz") == run / "timeline.npz"
    assert find(tmp_path / "model.safetensors") == file
    run = run.rename(tmp_path / "grid-starta.safetensors")
    assert find(run) == run / "timeline.npz"
    for missing in (tmp_path, tmp_path / "other.safetensors", "nonsense", "", ".."):
        with pytest.raises(ValueError, match="No timeline found for"):
            find(missing)
