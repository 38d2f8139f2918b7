"""Runs killed with SIGKILL at any moment resume from the last completed epoch and end with the same weights."""

import itertools
import json
import os
import subprocess
import sys

import pytest

from tests.runs import kills
from tests.runs.kills import POINTS, STEPS


def run_kills(cifar_folder, tmp_path, *how: object) -> dict:
    """Run `kills.py` and return its report."""
    words = map(str, [cifar_folder, tmp_path / "run", *how])
    path = os.pathsep.join(path for path in sys.path if path) + os.pathsep + os.getcwd()
    one_thread = {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": path}
    command = [sys.executable, kills.__file__, *words]
    done = subprocess.run(command, env=os.environ | one_thread, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def check(report: dict, count: int) -> None:
    stretches, epochs = report["stretches"], count + 3
    assert len(stretches) == count + 1
    for before, after in itertools.pairwise(stretches):
        assert before[-1] < epochs * STEPS, "killed before the end"
        assert before[-1] - STEPS < after[0] <= before[-1] + 1, "at most one epoch is lost"
    assert stretches[-1][-1] == epochs * STEPS
    assert report["equal"]
    at_epoch_ends = [epoch for epoch in report["metrics"] if epoch in range(1, epochs + 1)]
    assert at_epoch_ends == list(range(1, epochs + 1)), "each epoch has one point"
    assert report["metrics"] == sorted(report["metrics"])
    assert report["hidden after"] == []


@pytest.mark.slow
def test_a_run_killed_three_times_ends_with_the_same_weights(cifar_folder, tmp_path):
    check(run_kills(cifar_folder, tmp_path, 3, 0), 3)


@pytest.mark.hostile
def test_a_run_killed_twenty_times_ends_with_the_same_weights(cifar_folder, tmp_path):
    check(run_kills(cifar_folder, tmp_path, 20, 1), 20)


@pytest.mark.slow
def test_a_kill_at_any_point_of_a_write_leaves_a_complete_file(cifar_folder, tmp_path):
    report = run_kills(cifar_folder, tmp_path, "points")
    check(report, len(POINTS))
    first_steps = [stretch[0] for stretch in report["stretches"]]
    gains = [(after - before) // STEPS for before, after in itertools.pairwise(first_steps)]
    assert gains == [1, 1, 1, 2], "the second write counts only after the rename"
    assert len(report["hidden before"]) <= 1, "each process deletes the temporary files of killed ones"
