"""The load test of the page."""

import pytest

from benchmarks import load
from vitviz.data import cifar


def has_cifar() -> bool:
    try:
        return bool(cifar.find())
    except cifar.DataError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(not has_cifar(), reason="needs CIFAR-10")
def test_a_mixed_load_watches_a_training_and_has_no_errors(monkeypatch, capsys):
    monkeypatch.setattr(load, "THINK_TIME", (1.0, 2.0))
    load.load(users=2, seconds=6, burst=3, slow=0, mixed=True)
    printed = capsys.readouterr().out
    assert "errors: 0 []" in printed
    assert "burst of 3: 3 responses" in printed
    for function in ("explain", "attention", "poll"):
        assert function in printed


def test_memory_is_fitted_after_the_warm_up():
    growing = [(float(second), 500.0 if second > 600 else 100.0 + second / 6) for second in range(0, 1200, 2)]
    assert "+0.0 MiB per hour" in load.describe_memory([(second, 500.0) for second, _ in growing])
    assert "500 MiB at the end" in load.describe_memory(growing)
    line = [(second, 100.0 + second / 600) for second, _ in growing]
    assert "+6.0 MiB per hour" in load.describe_memory(line)
    assert load.describe_memory(line[:3]) == "memory: unknown"
