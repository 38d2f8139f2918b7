"""Golden numbers: what the tiny model sees in a fixed image must stay what it was.

Weights and image come from numpy's seeded generator (`tests.tiny`); no training, no file and no random number of
torch has a part in them. The numbers were written by this module on a CPU in float32 and must be met within 1e-5, above
what another order of additions makes. Write them anew only with a reason in the change that does it:

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
        **{method: found.map(method) for method in METHODS},
    }
    return {name: np.round(array.astype(float), 7).tolist() for name, array in arrays.items()}


@pytest.mark.parametrize("variant", ["plain", "everything"])
def test_the_tiny_model_sees_what_it_saw(variant):
    expected, found = json.loads(GOLDEN.read_text())[variant], numbers(variant)
    assert found.keys() == expected.keys()
    for name in expected:
        np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=TOLERANCE, err_msg=name)


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps({variant: numbers(variant) for variant in ("plain", "everything")}, indent=1) + "\n")
