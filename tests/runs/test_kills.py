"""SIGKILL at any moment: the training goes on from the last whole epoch and ends with the same weights."""

import itertools
import json
import os
import subprocess
import sys

import pytest

from tests.runs import kills
from tests.runs.kills import POINTS, STEPS


def report(cifar_folder, tmp_path, *how: object) -> dict:
    """What a training that is killed in these ways leaves."""
    words = map(str, [cifar_folder, tmp_path / "run", *how])
    path = os.pathsep.join(path for path in sys.path if path) + os.pathsep + os.getcwd()
    one_thread = {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": path}
    command = [sys.executable, kills.__file__, *words]
    done = subprocess.run(command, env=os.environ | one_thread, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def check(found: dict, deaths: int) -> None:
    stretches, epochs = found["stretches"], deaths + 3
    assert len(stretches) == deaths + 1
    for before, after in itertools.pairwise(stretches):
        assert before[-1] < epochs * STEPS, "it was killed before it had finished"
        assert before[-1] - STEPS < after[0] <= before[-1] + 1, "at most one epoch is lost"
    assert stretches[-1][-1] == epochs * STEPS
    assert found["equal"]
    whole = [epoch for epoch in found["metrics"] if epoch in range(1, epochs + 1)]
    assert whole == list(range(1, epochs + 1)), "no point of the curve is missing or stands twice"
    assert found["metrics"] == sorted(found["metrics"])
    assert found["hidden after"] == []


@pytest.mark.slow
def test_a_training_that_is_killed_three_times_ends_with_the_same_weights(cifar_folder, tmp_path):
    check(report(cifar_folder, tmp_path, 3, 0), 3)


@pytest.mark.slow
def test_a_training_that_is_killed_twenty_times_ends_with_the_same_weights(cifar_folder, tmp_path):
    check(report(cifar_folder, tmp_path, 20, 1), 20)


@pytest.mark.slow
def test_a_kill_at_each_point_of_the_write_leaves_the_old_file_or_the_new_one(cifar_folder, tmp_path):
    found = report(cifar_folder, tmp_path, "points")
    check(found, len(POINTS))
    firsts = [stretch[0] for stretch in found["stretches"]]
    gains = [(after - before) // STEPS for before, after in itertools.pairwise(firsts)]
    assert gains == [1, 1, 1, 2], "the second write counts only once it has its name"
    assert len(found["hidden before"]) <= 1, "each start takes away what a dead process left"
