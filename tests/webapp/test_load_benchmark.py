"""The load test of the page."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import load
from vitviz.data import cifar
from vitviz.errors import DataError

ROOT = Path(__file__).parents[2]


def has_cifar() -> bool:
    try:
        return bool(cifar.find())
    except DataError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(not has_cifar(), reason="needs CIFAR-10")
def test_a_mixed_load_watches_a_training_and_has_no_errors():
    options = ("--users", "3", "--seconds", "12", "--burst", "3", "--mixed")
    command = [sys.executable, "-m", "benchmarks", "load", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert "errors: 0 []" in done.stdout
    assert "burst of 3: 3 responses" in done.stdout
    for route in ("explanations", "explanations/attention", "runs/poll"):
        assert route in done.stdout


def test_memory_is_fitted_after_the_warm_up():
    growing = [(float(second), 500.0 if second > 600 else 100.0 + second / 6) for second in range(0, 1200, 2)]
    assert "+0.0 MiB per hour" in load.describe_memory([(second, 500.0) for second, _ in growing])
    assert "500 MiB at the end" in load.describe_memory(growing)
    line = [(second, 100.0 + second / 600) for second, _ in growing]
    assert "+6.0 MiB per hour" in load.describe_memory(line)
    assert load.describe_memory(line[:3]) == "memory: unknown"
