"""What the benchmark of training makes of its measurements."""

from dataclasses import replace

import pytest

from vitviz.bench.training import over_budget, train
from vitviz.training.recipe import preset


@pytest.mark.parametrize(
    ("budget", "expected"), [({"minutes": 10.0, "epochs": None}, 200.0), ({"minutes": None, "epochs": 10}, 150.0)]
)
def test_speed_over_a_budget_is_the_mean_by_time_or_by_pictures(budget, expected):
    config = replace(preset("cifar10-ti4"), **budget)
    assert over_budget(config, [100.0, 300.0]) == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore:.*differs from the official")
def test_more_steps_than_a_pass_has_are_refused(cifar_folder):
    config = replace(preset("cifar10-ti4"), data=str(cifar_folder), batch_size=25, device="cpu")
    with pytest.raises(ValueError, match=r"100 pictures in batches of 25 has 2 steps to time: got 3\. Lower --steps"):
        train(config, 3)
