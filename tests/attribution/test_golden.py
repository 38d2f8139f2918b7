"""Golden numbers: the maps of the tiny model for a fixed image must not change.

Weights and image come from numpy's seeded generator (`tests.tiny`), without training, files or torch's random numbers.
The numbers were written by this module on a CPU in float32 and must be met within 1e-5, above the effect of another
order of additions. Change them only with a reason in the commit; those of a new method are added by the same command:

    python -m tests.attribution.test_golden
"""

import json
from pathlib import Path

import numpy as np
import pytest

from tests import tiny
from vitviz.attribution.explanation import explain
from vitviz.attribution.methods import METHODS

GOLDEN = Path(__file__).with_name("golden.json")
TOLERANCE = 1e-5


def numbers(variant: str) -> dict:
    """Probabilities (K,), all maps (gh, gw) and one row of attention (T,), rounded as they are stored."""
    found = explain(tiny.checkpoint(tiny.VARIANTS[variant]), tiny.pixels())
    arrays = {
        "probabilities": found.probabilities,
        "attention of layer 3, head 1, token 9": found.attention[3, 1, 9],
        **{key: found.map(key) for key, method in METHODS.items() if not (method.on_request or method.of_texts)},
    }
    return {name: np.round(array.astype(float), 7).tolist() for name, array in arrays.items()}


@pytest.mark.parametrize("variant", ["plain", "everything"])
def test_maps_of_the_tiny_model_are_unchanged(variant):
    expected, found = json.loads(GOLDEN.read_text())[variant], numbers(variant)
    assert found.keys() == expected.keys()
    for name in expected:
        np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=TOLERANCE, err_msg=name)


def update() -> None:
    """Write numbers that are new or have changed; those that are met stay as they are."""
    stored = json.loads(GOLDEN.read_text())
    for variant, known in stored.items():
        for name, values in numbers(variant).items():
            if name not in known or not np.allclose(values, known[name], rtol=0, atol=TOLERANCE):
                known[name] = values
    GOLDEN.write_text(json.dumps(stored, indent=1) + "\n")


if __name__ == "__main__":
    update()
