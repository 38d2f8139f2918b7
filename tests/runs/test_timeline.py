"""The timeline: when it looks, and what it writes."""

import zipfile
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests import tiny
from vitviz.data import cifar, preprocessing
from vitviz.models import attention_stats
from vitviz.models.checkpoint import CHECKPOINTS
from vitviz.runs import timeline as room
from vitviz.runs.timeline import TimelineRecorder, find, read

SHIPPED = CHECKPOINTS / "cifar10-ti4.timeline.npz"


class Blind(TimelineRecorder):
    """Counts moments without a model."""

    def mark(self) -> None:
        self.moments.append({})


def moments(snapshots: int, shares: np.ndarray) -> list[float]:
    timeline = Blind([], tiny.images(), tiny.images(), (), (1, 1), snapshots)
    found = []
    for share in shares:
        if timeline.due(share):
            timeline.mark()
            found.append(share)
    return found


def test_moments_are_at_squares_of_equal_steps():
    found = moments(5, np.linspace(0, 1, 1601))
    assert found == pytest.approx([0, 1 / 16, 4 / 16, 9 / 16, 1])


def test_a_share_that_jumps_takes_one_snapshot_a_step_and_never_too_many():
    assert moments(4, np.array([0.0, 0.9, 0.91, 1.0, 1.0, 1.0])) == [0.0, 0.9, 0.91, 1.0]


@pytest.mark.parametrize(("snapshots", "count"), [(0, 0), (1, 1), (2, 2)])
def test_few_snapshots_are_taken_as_asked(snapshots, count):
    assert len(moments(snapshots, np.linspace(0, 1, 11))) == count


def two_moments() -> TimelineRecorder:
    pixels = torch.from_numpy(np.stack([tiny.pixels(seed=n) for n in range(3)])).permute(0, 3, 1, 2)
    classes = tuple(f"class {k}" for k in range(tiny.K))
    given = TimelineRecorder(
        ["ant", "bee", "cow"], pixels, tiny.images(batch=3), classes, (tiny.GH, tiny.GW), snapshots=2
    )
    given.take(tiny.model(), 0.0, 0.0)
    given.take(tiny.model(seed=1), 1.5, 60.25)
    return given


def test_a_timeline_tells_who_looks(tmp_path):
    given = two_moments()
    for class_token in (True, False):
        replace(given, class_token=class_token).save(tmp_path / "timeline.npz")
        assert read(tmp_path / "timeline.npz").class_token is class_token
    with np.load(tmp_path / "timeline.npz") as held:
        np.savez(tmp_path / "older.npz", **{name: held[name] for name in held.files if name != "class_token"})
    assert read(tmp_path / "older.npz").class_token is True


@pytest.mark.parametrize("compact", [False, True])
def test_what_is_saved_is_what_the_model_saw(tmp_path, tiny_model, compact):
    given = two_moments()
    given.save(tmp_path / "timeline.npz", compact)
    found = read(tmp_path / "timeline.npz")
    with torch.no_grad():
        trace = tiny_model.forward_with_attention(given.images, "full")
    assert found.rows.shape == (2, 3, tiny.L, tiny.A, tiny.T)
    assert found.rows.dtype == np.float16
    expected = trace.attention[..., 0, :].numpy().swapaxes(0, 1)
    np.testing.assert_allclose(found.rows[0], expected, rtol=0, atol=5e-4)  # half precision
    assert np.abs(found.rows[1] - expected).max() > 0.1
    np.testing.assert_allclose(found.rows.astype(np.float32).sum(-1), 1, rtol=0, atol=3e-3)
    np.testing.assert_allclose(found.probabilities[0], trace.logits.softmax(-1), rtol=0, atol=1e-6)
    np.testing.assert_allclose(
        found.entropy[0], attention_stats.attention_entropy(trace, tiny.CONFIG)[0], rtol=0, atol=1e-6
    )
    distance = attention_stats.attention_distance(trace, tiny.CONFIG)
    np.testing.assert_allclose(found.distance[0], distance, rtol=0, atol=1e-5)
    assert (found.epoch.tolist(), found.seconds.tolist()) == ([0, 1.5], [0, 60.25])
    assert (found.names, found.classes) == (["ant", "bee", "cow"], list(given.classes))
    assert np.array_equal(found.images[2], tiny.pixels(seed=2))


def test_numbers_do_not_depend_on_how_many_images_are_looked_at_at_once(tiny_model, monkeypatch):
    at_once = room.look(tiny_model, tiny.images(batch=3))
    monkeypatch.setattr(room, "max_batch_size", lambda config: 2)
    for name, values in room.look(tiny_model, tiny.images(batch=3)).items():
        np.testing.assert_allclose(values, at_once[name], rtol=0, atol=1e-5)


def test_maps_are_the_rows_over_the_patches_in_reading_order(tmp_path):
    given = two_moments()
    for moment in given.moments:
        moment["rows"] = np.arange(tiny.T, dtype=np.float16) + np.zeros_like(moment["rows"])
        moment["rows"][2] += 100
    given.save(tmp_path / "timeline.npz")
    maps = read(tmp_path / "timeline.npz").maps(2)
    assert maps.shape == (2, tiny.L, tiny.A, tiny.GH, tiny.GW)
    assert maps[1, 4, 1, 2, 3] == 100 + 1 + 2 * tiny.GW + 3


@pytest.mark.parametrize("tokens", [2, 65, 197, 4096])
def test_kept_shares_are_within_a_hundredth_of_an_even_spread(tokens):
    shares = torch.rand(50, tokens)
    shares = shares / shares.sum(-1, keepdim=True)
    kept = room.rounded(shares)
    assert ((kept.float() - shares).abs() * tokens).max() < 0.01
    assert torch.equal(room.rounded(kept.float()), kept)


def test_moments_up_to_an_epoch_are_taken_back_exactly(tmp_path):
    given = two_moments()
    given.save(tmp_path / "timeline.npz")
    again = TimelineRecorder(given.names, given.images, given.images, given.classes, given.grid, given.snapshots)
    again.restore(tmp_path / "timeline.npz", 0.7, 0.5)
    assert len(again.moments) == 1
    for name, values in given.moments[0].items():
        assert np.array_equal(again.moments[0][name], values)
        assert again.moments[0][name].dtype == values.dtype


def test_what_an_older_file_does_not_hold_is_known_or_none(tmp_path):
    with np.load(SHIPPED) as file:
        np.savez(
            tmp_path / "old.npz",
            **{name: file[name] for name in ("rows", "probabilities", "epoch", "seconds", "names")},
        )
    found, now = read(tmp_path / "old.npz"), read(SHIPPED)
    assert (found.entropy, found.distance) == (None, None)
    assert (found.classes, found.grid) == (now.classes, now.grid)
    assert np.array_equal(found.images, now.images)


def test_the_timeline_that_ships_is_read():
    found = read(SHIPPED)
    assert found.rows.shape == (60, 10, 6, 6, 65)
    assert found.entropy.shape == found.distance.shape == (60, 6, 6)
    assert found.names == list(preprocessing.sample_paths())
    assert found.classes == list(cifar.CLASSES)
    assert found.maps(3).shape == (60, 6, 6, 8, 8)
    assert np.array_equal(
        found.images[3], np.asarray(preprocessing.prepare(preprocessing.sample_paths()["cat"], (32, 32)).seen)
    )
    assert found.classes[found.probabilities[-1, 3].argmax()] == "cat"


OTHERS = {
    "grid": np.array([8, 9]),
    "rows": np.zeros((60, 9, 6, 6, 65), np.float16),
    "names": np.array(["cat"]),
    "classes": np.array(["cat"]),
    "images": np.zeros((10, 32, 32), np.uint8),
    "probabilities": np.zeros((60, 10)),
    "seconds": np.array(0.0),
    "entropy": np.zeros((60, 6)),
}


@pytest.mark.parametrize("damage", ["absent", "folder", "text", "cut", "other", "array", *OTHERS])
def test_a_file_that_is_no_timeline_is_refused_in_a_sentence(tmp_path, damage):
    path = tmp_path / "timeline.npz"
    two_moments().save(path)
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
    elif damage in OTHERS:
        np.savez(path, **(dict(np.load(SHIPPED)) | {damage: OTHERS[damage]}))
    sentence = "There is no timeline at" if damage in ("absent", "folder") else "A timeline must be a whole .npz file"
    with pytest.raises(ValueError, match=sentence):
        read(path)


def test_a_timeline_is_found_by_checkpoint_by_run_and_by_itself(tmp_path):
    run, file = tmp_path / "run", tmp_path / "model.timeline.npz"
    run.mkdir()
    for path in (run / "timeline.npz", run / "last.safetensors", file, tmp_path / "model.safetensors"):
        path.touch()
    assert find("cifar10-ti4") == SHIPPED
    assert find(run) == find(str(run / "last.safetensors")) == find(run / "timeline.npz") == run / "timeline.npz"
    assert find(tmp_path / "model.safetensors") == file
    run = run.rename(tmp_path / "grid-starta.safetensors")
    assert find(run) == run / "timeline.npz"
    for nowhere in (tmp_path, tmp_path / "other.safetensors", "nonsense", "", ".."):
        with pytest.raises(ValueError, match="There is no timeline of"):
            find(nowhere)
