"""Server functions of the Internals page: values equal the library's, invalid requests are rejected with a sentence."""

import base64
import threading

import numpy as np
import pytest
import torch

import vitviz
from tests import tiny
from vitviz.attribution.probes import probe
from vitviz.data import cifar, preprocessing
from vitviz.webapp.pages import internals
from vitviz.webapp.pages.internals import ARRAYS, DECIMALS, Internals
from vitviz.webapp.server.requests import error_response

SAMPLES = {"checkpoint": "cifar10-ti4", "images": "samples"}
ROUNDING_ERROR = 0.5 * 10**-DECIMALS


@pytest.fixture
def page(tmp_path):
    return Internals(str(tmp_path / "missing"))


@pytest.fixture
def probe_calls(monkeypatch):
    """The images of each call of `probe`, which probes the tiny model only."""
    calls = []
    found = probe(tiny.checkpoint(), torch.zeros(2, 3, tiny.H, tiny.W, dtype=torch.uint8))

    def counting(_, images):
        calls.append(images)
        return found

    monkeypatch.setattr(internals, "probe", counting)
    return calls


def test_the_response_equals_the_librarys_probes(page):
    response = page.probes(SAMPLES)
    expected = probe(vitviz.load("cifar10-ti4"), preprocessing.load_samples((32, 32)))
    for name in ARRAYS:
        np.testing.assert_allclose(
            response[name], getattr(expected, name), rtol=1e-6, atol=1.1 * ROUNDING_ERROR, err_msg=name
        )
    assert response["images"] == "the 10 sample images"
    assert (response["size"], response["grid"], response["prefix"], response["classes"]) == ([32, 32], [8, 8], 1, 10)


def test_the_first_test_images_are_probed_on_request(cifar_folder, probe_calls, monkeypatch):
    monkeypatch.setattr(internals, "NUM_TEST_IMAGES", 7)
    with pytest.warns(UserWarning, match="differs from the official"):
        expected = cifar.load("test", cifar_folder)[0][:7]
    with pytest.warns(UserWarning, match="differs from the official"):
        response = Internals(str(cifar_folder)).probes(SAMPLES | {"images": "test"})
    assert response["images"] == "the first 7 test images of CIFAR-10"
    assert torch.equal(probe_calls[0], expected)


def test_results_are_cached_per_choice_of_images(page, probe_calls, monkeypatch):
    monkeypatch.setattr(page, "images", lambda chosen, model: (torch.zeros(1), chosen))
    first = page.probes(SAMPLES)
    assert page.probes(dict(SAMPLES)) == first
    assert page.probes(SAMPLES | {"images": "test"})["images"] == "test"
    assert len(probe_calls) == 2


def test_concurrent_requests_share_one_computation(page, probe_calls):
    threads = [threading.Thread(target=page.probes, args=(SAMPLES,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(probe_calls) == 1
    assert len(page.results) == 1


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"checkpoint": "gpt", "images": "samples"}, "Checkpoint 'gpt' not found. Use one of"),
        ({"checkpoint": "../cifar10-ti4", "images": "samples"}, "not found"),
        ({"checkpoint": "cifar10-ti4", "images": "train"}, "must be samples or test: got 'train'"),
        ({"checkpoint": "cifar10-ti4"}, "images must be a string"),
        ({"checkpoint": "cifar10-ti4", "images": "test"}, "CIFAR-10 is not in"),
        ("cifar10-ti4", "checkpoint must be a string"),
        (None, "checkpoint must be a string"),
    ],
)
def test_an_invalid_request_is_rejected_with_a_sentence(page, data, sentence):
    assert sentence in error_response(page.probes)(data)["error"]
    assert not page.results


def test_cifar_is_rejected_for_models_of_another_input_size(page):
    with pytest.raises(ValueError, match=r"got \'test for 20 × 28\'\. Use the sample images"):
        page.images("test", tiny.checkpoint())


def test_errors_are_not_cached(page, probe_calls, monkeypatch):
    def failing(*_):
        raise ValueError("no")

    monkeypatch.setattr(page, "images", failing)
    assert error_response(page.probes)(SAMPLES) == {"error": "no"}
    monkeypatch.undo()
    assert not page.results


def test_the_numbers_of_a_figure_are_a_file_named_after_model_and_probe(page, probe_calls):
    reply = page.probe_figure(SAMPLES | {"probe": "distance"})
    assert reply["name"] == "cifar10-ti4-distance.csv"
    kind, _, content = reply["src"].partition(";base64,")
    assert kind == "data:text/csv"
    assert base64.b64decode(content).startswith(b"layer,head,")
    page.probes(SAMPLES)
    assert len(probe_calls) == 1, "files and page share the measurement"


@pytest.mark.parametrize(("field", "value"), [("probe", "ssim"), ("images", "all")])
def test_an_invalid_figure_request_names_the_field(page, probe_calls, field, value):
    request = SAMPLES | {"probe": "cka", field: value}
    sentence = error_response(page.probe_figure)(request)["error"]
    assert sentence.startswith(f"{field} must be ")
    assert repr(value) in sentence
