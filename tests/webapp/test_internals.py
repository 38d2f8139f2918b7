"""Probes of models by their routes: values equal the library's, invalid requests are refused by field."""

import base64
import io
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

import vitviz
from tests import tiny
from tests.webapp import runs
from tests.webapp.api import routes
from vitviz.attribution.probes import probe
from vitviz.data import cifar, preprocessing
from vitviz.models import checkpoint
from vitviz.plots.probe_table import FIGURES
from vitviz.runs.store import Runs
from vitviz.webapp import probes
from vitviz.webapp.models import load_model
from vitviz.webapp.probes import ARRAYS, DECIMALS

ROUNDING_ERROR = 0.5 * 10**-DECIMALS


@pytest.fixture
def client(tmp_path):
    with routes(data=str(tmp_path / "missing")) as found:
        yield found


@pytest.fixture
def probe_calls(monkeypatch):
    """The images of each call of `probe`, which probes the tiny model only."""
    calls = []
    found = probe(tiny.checkpoint(), torch.zeros(2, 3, tiny.H, tiny.W, dtype=torch.uint8))

    def counting(_, images, report, store):
        calls.append(images)
        report(0, len(images))
        return found

    monkeypatch.setattr(probes, "probe", counting)
    return calls


def test_the_reply_equals_the_librarys_probes(client):
    reply = client.get("models/probes", model="cifar10-ti4")
    expected = probe(vitviz.load("cifar10-ti4"), preprocessing.load_samples((32, 32)))
    for name in ARRAYS:
        np.testing.assert_allclose(
            reply[name], getattr(expected, name), rtol=1e-6, atol=1.1 * ROUNDING_ERROR, err_msg=name
        )
    assert reply["images"] == "the 10 sample images"
    assert (reply["size"], reply["grid"], reply["prefix"], reply["classes"]) == ([32, 32], [8, 8], 1, 10)


def test_the_first_test_images_are_probed_on_request(cifar_folder, probe_calls, monkeypatch):
    monkeypatch.setattr(probes, "NUM_TEST_IMAGES", 7)
    with pytest.warns(UserWarning, match="differs from the official"):
        expected = cifar.load("test", cifar_folder)[0][:7]
    with pytest.warns(UserWarning, match="differs from the official"), routes(data=str(cifar_folder)) as client:
        reply = client.get("models/probes", model="cifar10-ti4", images="test")
    assert reply["images"] == "the first 7 test images of CIFAR-10"
    assert torch.equal(probe_calls[0], expected)


def test_results_are_held_per_choice_of_images(client, probe_calls, monkeypatch):
    monkeypatch.setattr(client.backend.probes, "images", lambda model, chosen: (torch.zeros(1), chosen))
    first = client.get("models/probes", model="cifar10-ti4")
    assert client.get("models/probes", model="cifar10-ti4") == first
    assert client.get("models/probes", model="cifar10-ti4", images="test")["images"] == "test"
    assert len(probe_calls) == 2


def test_concurrent_requests_share_one_measurement(client, probe_calls):
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: client.get("models/probes", model="cifar10-ti4")["model"], range(4)))
    assert (found, len(probe_calls)) == (["cifar10-ti4"] * 4, 1)


def test_a_run_is_probed_again_after_its_checkpoint_changed(client, probe_calls, tmp_path):
    run = runs.make(tmp_path, "first", finished=True)
    client.backend.inputs.runs = store = Runs(tmp_path)
    for _ in range(2):
        client.get("models/probes", model="runs/first")
    assert len(probe_calls) == 1
    checkpoint.save(load_model("runs/first", store), run / "last.safetensors")
    client.get("models/probes", model="runs/first")
    assert len(probe_calls) == 2


@pytest.mark.parametrize(
    ("request_", "field", "sentence"),
    [
        ({"model": "gpt"}, "model", "Checkpoint 'gpt' not found. Use one of"),
        ({"model": "../cifar10-ti4"}, "model", "not found"),
        ({"model": ["cifar10-ti4"]}, "model", "string"),
        ({"images": "samples"}, "model", "missing"),
        ({"model": "cifar10-ti4", "images": "train"}, "images", "'samples' or 'test'"),
        ({"model": "cifar10-ti4", "images": "test"}, "images", "CIFAR-10 is not in"),
        ({"model": "tiny", "images": "test"}, "images", "20 × 28 px: test images have 32 × 32. Use the sample images."),
        ({"model": "cifar10-ti4", "checkpoint": "x"}, "checkpoint", "known field"),
        ({"model": "cifar10-ti4", "probe": "ssim"}, "probe", "'ssim'"),
        ({"model": "cifar10-ti4", "probe": "cka", "images": "all"}, "images", "'all'"),
    ],
)
def test_an_invalid_request_is_refused_by_field_and_nothing_is_held(client, request_, field, sentence):
    refusal = client.refusal("models/probe-file" if "probe" in request_ else "models/probes", **request_)
    assert refusal["field"] == field
    assert sentence in refusal["error"]
    assert not any(client.backend.probes.held.values())


def test_the_measurement_ends_when_nobody_waits_any_more(client, monkeypatch):
    ended = threading.Event()

    def gone(_, images, report, store):
        report(0, len(images))
        raise AssertionError

    def cancelled(self, done, total):
        ended.set()
        self.cancel()
        self.check()

    monkeypatch.setattr(probes, "probe", gone)
    monkeypatch.setattr("vitviz.webapp.server.jobs.Job.report", cancelled)
    monkeypatch.setattr("vitviz.webapp.server.calls.AT_ONCE", 60)
    status, _ = client.post("models/probes", model="cifar10-ti4")
    assert (status, ended.is_set()) == (499, True)
    assert not any(client.backend.probes.held.values())


def test_the_numbers_of_a_figure_are_a_table_or_arrays(client, probe_calls):
    table = client.get("models/probe-file", model="cifar10-ti4", probe="distance")["src"]
    kind, _, content = table.partition(";base64,")
    assert kind == "data:text/csv"
    assert base64.b64decode(content).partition(b"\n")[2].startswith(b"layer,head,")
    reply = client.get("models/probes", model="cifar10-ti4")
    for figure, names in FIGURES.items():
        arrays = client.get("models/probe-file", model="cifar10-ti4", probe=figure, format="npz")["src"]
        with np.load(io.BytesIO(base64.b64decode(arrays.partition(",")[2]))) as found:
            assert sorted(found) == sorted([*names, "provenance"])
            np.testing.assert_allclose(found[names[0]], reply[names[0]], rtol=1e-6, atol=1.1 * ROUNDING_ERROR)
    assert len(probe_calls) == 1, "files and page share the measurement"
