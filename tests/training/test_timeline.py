"""The timeline: when it looks, and what it writes."""

import numpy as np
import pytest

from tests import tiny
from vitviz.training.timeline import Timeline


class Blind(Timeline):
    """Counts moments without a model."""

    def mark(self) -> None:
        self.moments.append((0.0, 0.0))


def moments(snapshots: int, shares: np.ndarray) -> list[float]:
    timeline = Blind([], tiny.images(), snapshots)
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


def test_what_is_saved_is_what_the_model_saw(tmp_path, tiny_model):
    images = tiny.images(batch=3)
    timeline = Timeline(["ant", "bee", "cow"], images, snapshots=2)
    timeline.take(tiny_model, 0.0, 0.0)
    timeline.take(tiny.model(seed=1), 1.5, 60.25)
    timeline.save(tmp_path / "timeline.npz")
    with np.load(tmp_path / "timeline.npz", allow_pickle=False) as found:
        trace = tiny_model.trace(images, "rows")
        assert found["rows"].shape == (2, 3, tiny.L, tiny.A, tiny.T)
        assert found["rows"].dtype == np.float16
        expected = trace.attention.detach().numpy().swapaxes(0, 1)
        np.testing.assert_allclose(found["rows"][0], expected, rtol=0, atol=1e-3)  # half precision
        assert np.abs(found["rows"][1] - expected).max() > 0.1
        np.testing.assert_allclose(found["rows"].astype(np.float32).sum(-1), 1, rtol=0, atol=5e-3)
        np.testing.assert_allclose(found["probabilities"][0], trace.logits.softmax(-1).detach(), rtol=0, atol=1e-6)
        assert found["epoch"].tolist() == [0, 1.5]
        assert found["seconds"].tolist() == [0, 60.25]
        assert found["names"].tolist() == ["ant", "bee", "cow"]
