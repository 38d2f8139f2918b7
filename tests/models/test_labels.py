"""Class names: what is read as names, ambiguous names, and names that are written."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import vitviz
from tests import tiny
from tests.errors import refuses
from vitviz.attribution.file_formats import csv_bytes
from vitviz.attribution.targets import find_target
from vitviz.errors import CheckpointError, ConfigError
from vitviz.models.labels import distinct_names, read_labels
from vitviz.webapp import endpoints


def test_names_are_read_in_the_order_of_the_logits(tmp_path, subtests):
    (tmp_path / "bom.txt").write_bytes("cat\r\ndög\r\nowl\r\n".encode("utf-8-sig"))
    (tmp_path / "plain.txt").write_bytes("cat\ndög\nowl".encode())
    sources = {
        "list": ["cat", " dög ", "owl"],
        "array": np.array(["cat", "dög", "owl"]),
        "generator": (name for name in ("cat", "dög", "owl")),
        "mapping": {2: "owl", 0: "cat", 1: "dög"},
        "mapping of digits": {"2": "owl", "1": "dög", "0": "cat"},
        "file with a byte order mark": tmp_path / "bom.txt",
        "name of a file": str(tmp_path / "plain.txt"),
    }
    for kind, source in sources.items():
        with subtests.test(kind):
            assert read_labels(source, 3) == ("cat", "dög", "owl")


def test_what_has_no_order_or_another_number_is_refused(tmp_path, subtests):
    (tmp_path / "utf16.txt").write_bytes("cat\ndog".encode("utf-16"))
    sources = {
        "a set": ({"cat", "dog"}, "must be names in order: got a set"),
        "a number": (7, "must be names in order: got a int"),
        "too few": (["cat"], "must be 2 names, one per logit: got 1"),
        "a missing index": ({1: "cat", 2: "dog"}, "the indices 0 to 1 as keys: 0 is missing"),
        "more indices": (dict(enumerate("abc")), "the indices 0 to 1 as keys: got 3 entries"),
        "indices by name": ({"cat": 0, "dog": 1}, "the indices 0 to 1 as keys: 0 is missing"),
        "no text": (["cat", None], "must be texts: got None for class 1"),
        "UTF-16": (tmp_path / "utf16.txt", "must be a text file in UTF-8"),
        "a folder": (tmp_path, "must be a text file of at most 16 MiB"),
    }
    for kind, (source, problem) in sources.items():
        with subtests.test(kind), pytest.raises(CheckpointError, match=problem) as error:
            read_labels(source, 2)
        assert error.value.field == "labels"


@pytest.fixture
def cranes(tiny_checkpoint):
    """Return an explanation in which two classes have one name, and the second one is predicted."""
    labels = ("crane", "cat", *(f"class {k}" for k in range(2, tiny.K - 1)), "crane")
    model = replace(tiny_checkpoint, labels=labels)
    with torch.no_grad():
        model.network.head.bias[-1] += 50
    return vitviz.explain(model, tiny.pixels())


def test_the_prediction_as_a_target_is_the_predicted_class(cranes):
    assert cranes.prediction == "crane"
    assert find_target(cranes.context, cranes.prediction) == tiny.K - 1
    assert find_target(cranes.context, ("cat", cranes.prediction)) == (1, tiny.K - 1)
    with pytest.raises(ConfigError, match=f"'crane' is the name of 0, {tiny.K - 1}. Use the index") as error:
        cranes.map("relevance", target="crane")
    assert error.value.field == "target"
    other = vitviz.explain(replace(cranes.context.checkpoint, labels=tuple("abcdefghijk")), tiny.pixels())
    with refuses("target"):
        find_target(other.context, cranes.prediction)


def test_answers_keep_classes_of_one_name_apart(cranes, tmp_path, monkeypatch):
    assert distinct_names(["a", "a", "a (0)", "b\x1b\n"]) == ["a (0) (0)", "a (1)", "a (0)", "b??"]
    first, last = "crane (0)", f"crane ({tiny.K - 1})"
    table = cranes.save(tmp_path / "a.csv").read_text()
    assert f"probability,{first}," in table
    assert f"probability,{last}," in table
    compared = vitviz.compare(cranes, cranes, method="relevance")
    assert {first, last} < {one.name for one in compared.classes}
    monkeypatch.setattr("vitviz.webapp.models.load_model", lambda name: cranes.context.checkpoint)
    answer = endpoints.compute_explanation(tiny.pixels(), "cranes", "average")["probabilities"]
    assert len(answer) == tiny.K
    assert answer[last] == pytest.approx(cranes.probabilities.max())


def test_a_table_has_no_formulas():
    names = ["=1+1", "+1", "-1", "@a", "\t=1", "a=1"]
    lines = csv_bytes(("probability", name, "", "", "", "", 0.5) for name in names).decode().splitlines()[1:]
    assert [line.split(",")[1] for line in lines] == ["'=1+1", "'+1", "'-1", "'@a", "'\t=1", "a=1"]
