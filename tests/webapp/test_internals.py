"""The questions of the page Inside, called as plain functions: the library's numbers, a sentence for each refusal."""

import threading

import numpy as np
import pytest
import torch

import vitviz
from tests import tiny
from vitviz.attribution.probes import probe
from vitviz.data import cifar, preprocessing
from vitviz.webapp.pages import internals
from vitviz.webapp.pages.internals import DECIMALS, ARRAYS, Internals
from vitviz.webapp.server.requests import error_response

SAMPLES = {"checkpoint": "cifar10-ti4", "images": "samples"}
HALF = 0.5 * 10**-DECIMALS


@pytest.fixture
def answers(tmp_path):
    return Internals(str(tmp_path / "nowhere"))


@pytest.fixture
def counted(monkeypatch):
    """The images of each call of `probe`, in turn; only the tiny model is measured."""
    calls = []
    found = probe(tiny.checkpoint(), torch.zeros(2, 3, tiny.H, tiny.W, dtype=torch.uint8))

    def counting(_, images):
        calls.append(images)
        return found

    monkeypatch.setattr(internals, "probe", counting)
    return calls


def test_the_answer_holds_what_the_library_measures(answers):
    answer = answers.probes(SAMPLES)
    expected = probe(vitviz.load("cifar10-ti4"), preprocessing.load_samples((32, 32)))
    for name in ARRAYS:
        np.testing.assert_allclose(answer[name], getattr(expected, name), rtol=1e-6, atol=1.1 * HALF, err_msg=name)
    assert answer["images"] == "the 10 sample images"
    assert (answer["size"], answer["grid"], answer["prefix"], answer["classes"]) == ([32, 32], [8, 8], 1, 10)


def test_the_first_test_images_are_measured_when_asked_for(cifar_folder, counted, monkeypatch):
    monkeypatch.setattr(internals, "NUM_TEST_IMAGES", 7)
    with pytest.warns(UserWarning, match="differs from the official"):
        expected = cifar.load("test", cifar_folder)[0][:7]
    with pytest.warns(UserWarning, match="differs from the official"):
        answer = Internals(str(cifar_folder)).probes(SAMPLES | {"images": "test"})
    assert answer["images"] == "the first 7 test images of CIFAR-10"
    assert torch.equal(counted[0], expected)


def test_what_was_measured_once_is_kept_for_each_choice_of_images(answers, counted, monkeypatch):
    monkeypatch.setattr(answers, "images", lambda chosen, size: (torch.zeros(1), chosen))
    first = answers.probes(SAMPLES)
    assert answers.probes(dict(SAMPLES)) is first
    assert answers.probes(SAMPLES | {"images": "test"})["images"] == "test"
    assert len(counted) == 2


def test_many_who_ask_at_once_wait_for_one_measurement(answers, counted):
    threads = [threading.Thread(target=answers.probes, args=(SAMPLES,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(counted) == 1
    assert len(answers.results) == 1


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"checkpoint": "gpt", "images": "samples"}, "Checkpoint 'gpt' not found. Use one of"),
        ({"checkpoint": "../cifar10-ti4", "images": "samples"}, "not found"),
        ({"checkpoint": "cifar10-ti4", "images": "train"}, "must be samples or test: got 'train'"),
        ({"checkpoint": "cifar10-ti4"}, "The request must name images as str"),
        ({"checkpoint": "cifar10-ti4", "images": "test"}, "CIFAR-10 is not in"),
        ("cifar10-ti4", "The request must name checkpoint as str"),
        (None, "The request must name checkpoint as str"),
    ],
)
def test_a_question_that_cannot_be_answered_gets_one_sentence(answers, question, sentence):
    assert sentence in error_response(answers.probes)(question)["error"]
    assert not answers.results


def test_test_images_of_another_size_are_refused(answers):
    with pytest.raises(ValueError, match=r"this model sees 20 × 28\. Use the samples"):
        answers.images("test", (20, 28))


def test_a_failure_is_not_kept(answers, counted, monkeypatch):
    def failing(*_):
        raise ValueError("no")

    monkeypatch.setattr(answers, "images", failing)
    assert error_response(answers.probes)(SAMPLES) == {"error": "no"}
    monkeypatch.undo()
    assert not answers.results
