"""The recorded accuracy of the bundled checkpoints on the real test set."""

import pytest

from vitviz.data import cifar
from vitviz.errors import DataError
from vitviz.models import checkpoint
from vitviz.training.evaluation import measure_accuracy


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:test_batch.bin differs")
@pytest.mark.parametrize("name", checkpoint.bundled_checkpoints())
def test_the_recorded_accuracy_is_that_on_the_whole_test_set(name):
    try:
        images, labels = cifar.load("test")
    except DataError as error:
        pytest.skip(str(error))
    model = checkpoint.load(name)
    # Rounding differs between machines; allow five of the 10,000 predictions to change.
    assert measure_accuracy(model, images, labels) == pytest.approx(model.record["test_accuracy"], abs=5e-4)
