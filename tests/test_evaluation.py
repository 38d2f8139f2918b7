"""Evaluation: hand values of confusion matrix and calibration, and the files."""

import csv
import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests import tiny
from tests.plots.svg import words
from vitviz import evaluation
from vitviz.evaluation import Evaluation
from vitviz.training.evaluation import measure_accuracy, predict


def make(truth, predicted, confidence, labels=("ant", "=bee", "cow")) -> Evaluation:
    hits = np.equal(truth, predicted)
    found = Evaluation(hits.mean())
    found.name, found.labels = "tiny", labels
    found.truth, found.predicted, found.confidence = map(np.array, (truth, predicted, confidence))
    return found


EXAMPLE = make([0, 0, 0, 1, 1], [0, 0, 1, 1, 2], [1.0, 0.9, 0.35, 0.35, 0.4])


def test_an_evaluation_is_the_accuracy_and_survives_pickling():
    assert EXAMPLE == 0.6
    assert f"{EXAMPLE:.0%}" == "60%"
    assert EXAMPLE.correct == 3
    again = pickle.loads(pickle.dumps(EXAMPLE))
    assert again == 0.6
    assert again.labels == EXAMPLE.labels


def test_confusion_matrix_and_class_accuracy_by_hand():
    np.testing.assert_array_equal(EXAMPLE.confusion_matrix, [[2, 1, 0], [0, 1, 1], [0, 0, 0]])
    np.testing.assert_allclose(EXAMPLE.class_accuracy, [2 / 3, 1 / 2, np.nan])


def test_calibration_by_hand():
    """Bins of 1/15: 1.0 in the last, 0.9 in the one to 14/15, both 0.35 and 0.4 in that to 6/15, its upper end."""
    images, accuracy, confidence = EXAMPLE.reliability
    assert {bin_: int(count) for bin_, count in enumerate(images) if count} == {5: 3, 13: 1, 14: 1}
    np.testing.assert_allclose(accuracy[[5, 13, 14]], [1 / 3, 1, 1])
    np.testing.assert_allclose(confidence[[5, 13, 14]], [1.1 / 3, 0.9, 1])
    assert np.isnan(accuracy[0])
    assert EXAMPLE.calibration_error == pytest.approx((3 * (1.1 / 3 - 1 / 3) + 0.1) / 5)
    assert make([0, 1], [0, 0], [0.5, 0.5]).calibration_error == 0
    assert make([0, 1], [1, 0], [1.0, 1.0]).calibration_error == 1


@pytest.mark.parametrize("multi_label", [False, True])
def test_predictions_are_those_of_the_model(multi_label):
    model = tiny.checkpoint(replace(tiny.CONFIG, multi_label=multi_label))
    images = torch.from_numpy(np.random.default_rng(0).integers(0, 256, (40, 3, tiny.H, tiny.W), np.uint8))
    labels = torch.arange(40) % 3
    done = []
    found = evaluation.evaluate(model, images, labels, done.append)
    logits = predict(model, images)
    assert found == measure_accuracy(model, images, labels)
    assert sum(done) == 40
    np.testing.assert_array_equal(found.predicted, logits.argmax(1))
    probabilities = logits.sigmoid() if multi_label else logits.softmax(1)
    np.testing.assert_allclose(found.confidence, probabilities.amax(1), rtol=1e-6)


def test_files_have_all_numbers(tmp_path):
    stored = json.loads(EXAMPLE.save(tmp_path / "a.json").read_text())
    assert (stored["test_accuracy"], stored["correct"], stored["images"]) == (0.6, 3, 5)
    assert stored["classes"][1] == {"label": "=bee", "correct": 1, "images": 2}
    assert stored["confusion_matrix"] == EXAMPLE.confusion_matrix.tolist()
    assert stored["reliability"]["images"] == EXAMPLE.reliability.images.tolist()
    assert stored["reliability"]["accuracy"][0] is None

    rows = list(csv.reader(EXAMPLE.save(tmp_path / "a.csv").read_text().splitlines()))
    assert rows[0] == ["class", "images", "correct", "accuracy", "as ant", "as =bee", "as cow"]
    assert rows[2:] == [["'=bee", "2", "1", "0.5", "0", "1", "1"], ["cow", "0", "0", "", "0", "0", "0"]]

    shown = words(EXAMPLE.save(tmp_path / "a.svg").read_text())
    assert {"ant", "=bee", "cow", "tiny"} <= set(shown)
    many = make([0, 1], [1, 1], [0.3, 0.4], tuple(f"class {k}" for k in range(300)))
    assert many.save(tmp_path / "b.png").stat().st_size > 1000
    with pytest.raises(ValueError, match=r"\.json or \.csv"):
        EXAMPLE.save(tmp_path / "a.npz")
