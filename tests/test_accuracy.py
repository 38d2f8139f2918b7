"""On the real test set: the shipped checkpoints are as good as their records say."""

import pytest

from vitviz.data import cifar
from vitviz.models import checkpoint
from vitviz.training.evaluation import accuracy


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:test_batch.bin differs")
@pytest.mark.parametrize("name", checkpoint.bundled_checkpoints())
def test_the_recorded_accuracy_is_that_of_the_whole_test_set(name):
    try:
        images, labels = cifar.load("test")
    except cifar.DataError as error:
        pytest.skip(str(error))
    model = checkpoint.load(name)
    # Five images of 10,000 may tip over between machines that round differently.
    assert accuracy(model, images, labels) == pytest.approx(model.record["test_accuracy"], abs=5e-4)
