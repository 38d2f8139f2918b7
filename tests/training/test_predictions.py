"""Test predictions of bundled checkpoints, computed in advance."""

import hashlib

import pytest
import torch

from tests import tiny
from vitviz.data import cifar
from vitviz.errors import DataError
from vitviz.models import checkpoint
from vitviz.training import predictions
from vitviz.training.predictions import compute_predictions, predictions_path, read_predictions, write_predictions


@pytest.fixture
def bundled(tiny_file, monkeypatch):
    """The tiny checkpoint as the only bundled one, without checksums."""
    monkeypatch.setattr(checkpoint, "CHECKPOINTS", tiny_file.parent)
    monkeypatch.setattr(predictions, "BATCH_SIZE", 4)
    return checkpoint.load("tiny")


def images(count):
    return (
        torch.from_numpy(tiny.pixels(count * tiny.H)).reshape(count, tiny.H, tiny.W, 3).permute(0, 3, 1, 2).contiguous()
    )


def test_predictions_are_class_and_probability_of_each_image(bundled):
    batch = images(10)
    reported = []
    found = compute_predictions(bundled, batch, report=reported.append)
    with torch.no_grad():
        probabilities, classes = bundled.network(bundled.normalize(batch)).softmax(-1).max(-1)
    assert torch.equal(found.classes, classes)
    assert torch.allclose(found.probabilities, probabilities, atol=1e-6)
    assert reported == [4, 4, 2]


def test_stored_predictions_replace_those_of_the_same_images(bundled, monkeypatch):
    batch = images(10)
    write_predictions("tiny", batch, compute_predictions(bundled, batch))
    stored = read_predictions("tiny")
    changed = batch.clone()
    changed[5] = 0
    predicted = []
    real = predictions.predict
    monkeypatch.setattr(predictions, "predict", lambda model, part: predicted.append(part) or real(model, part))
    fresh = compute_predictions(bundled, changed)
    predicted.clear()
    found = compute_predictions(bundled, changed, stored)
    assert [torch.equal(part, changed[4:8]) for part in predicted] == [True], "only the batch that differs"
    assert torch.equal(found.classes, fresh.classes)
    assert torch.allclose(found.probabilities, fresh.probabilities, atol=1e-5)


def test_predictions_of_other_weights_are_not_used(bundled, tiny_file):
    assert read_predictions("tiny") is None
    assert read_predictions("../tiny") is None
    batch = images(4)
    write_predictions("tiny", batch, compute_predictions(bundled, batch))
    assert read_predictions("tiny") is not None
    checkpoint.save(tiny.checkpoint(), tiny_file, {"training.step": torch.ones(1)})
    assert read_predictions("tiny") is None


def test_the_bundled_predictions_are_small_and_of_the_bundled_weights():
    path = predictions_path("cifar10-ti4")
    assert path.stat().st_size <= 40_000
    stored = read_predictions("cifar10-ti4")
    assert len(stored.predictions.classes) == len(stored.predictions.probabilities) == 10_000
    assert len(set(stored.hashes)) == 100
    assert hashlib.sha256(checkpoint.bundled_checkpoints()["cifar10-ti4"].read_bytes()).hexdigest()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:test_batch.bin differs")
def test_the_bundled_predictions_are_those_of_the_model():
    try:
        test_images, labels = cifar.load("test")
    except DataError as error:
        pytest.skip(str(error))
    model = checkpoint.load("cifar10-ti4")
    stored = read_predictions("cifar10-ti4").predictions
    some = slice(None, None, 10)  # all of them take minutes
    computed = compute_predictions(model, test_images[some])
    assert int((stored.classes[some] != computed.classes).sum()) <= 1, "rounding differs between machines"
    assert torch.allclose(stored.probabilities[some], computed.probabilities, atol=0.01)
    accuracy = float((stored.classes == labels).float().mean())
    assert accuracy == pytest.approx(model.record["test_accuracy"], abs=5e-4)
