"""The benchmark of large models: its random models load, and its goals follow from what was measured."""

import os
from pathlib import Path

import pytest
import torch

from benchmarks import large
from benchmarks.large import Measured
from vitviz.models import hub


def test_the_models_have_random_weights_everywhere(tmp_path, monkeypatch):
    monkeypatch.setitem(large.SIZES, "ViT-XS/16", {"embed_dim": 24, "depth": 2, "num_heads": 3})
    path = large.write_model("ViT-XS/16", tmp_path)
    model = hub.load(path)
    assert (path.name, model.config.depth, model.config.num_patches) == ("ViT-XS-16.safetensors", 2, 196)
    assert model.network(torch.rand(1, 3, 224, 224)).std() > 0


def test_the_goals_follow_from_forward_pass_and_weights():
    times, explained = ([300.0, 400.0], [20.0, 30.0], [1.0, 2.0]), (1_200_000_000, 500_000_000)
    rows = large.table_rows(Measured(200.0, *times, 10**9, 1_950_000_000, 2_100_000_000, explained), 700_000_000)
    assert [row[-1] for row in rows] == [
        *("", "median at most 350 ms", "", "95th percentile at most 8 ms", "at most 1.70 GB", ""),
        *["at most 0.60 GB"] * 2,
    ]
    assert rows[1][1] == "350.0 ms"
    assert [row[1] for row in rows[4:]] == ["1.20 GB", "0.50 GB", "0.25 GB", "0.40 GB"]
    unknown = large.table_rows(Measured(200.0, *times, 10**9, None, None, None), None)
    assert [row[1] for row in unknown[4:]] == ["unknown"] * 4


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs the proc file system of Linux")
def test_the_peak_memory_is_that_of_a_process():
    assert 2**26 < large.peak_memory(os.getpid()) < 2**40
    assert large.peak_memory(-1) is None


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs the proc file system of Linux")
def test_the_peak_memory_of_an_explanation_is_above_that_of_importing_torch():
    explained, imported = large.peak_of_explanation(Path("cifar10-ti4"))
    assert 2**26 < imported < explained < 2**32
